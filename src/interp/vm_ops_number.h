// Bodies of the arithmetic instructions, and of comparisons that give a value.
// Part of vm_run (vm.c), no include guard.
//
// Ints and floats that need no box are worked on here; overflow, boxes, zero
// divisors and all other types are slow paths.

// The operators on the bits of two ints that cannot overflow.
#define BITWISE(ID, ints)                                                     \
    OP_##ID :                                                                  \
    {                                                                         \
        Value b = RB, c = RC;                                                 \
        if (LIKELY(value_both_ints(b, c))) {                                  \
            SET(RA, ints(b, c));                                              \
            NEXT();                                                           \
        }                                                                     \
        SLOW_METHOD(slow_binary)                                              \
    }
// A float that needs a box falls through to the slow path.
#define FLOAT_RESULT(d)                                                       \
    Value number;                                                             \
    if (LIKELY(value_make_float(d, &number))) {                               \
        SET(RA, number);                                                      \
        NEXT();                                                               \
    }
// Two ints without overflow, or two floats; `ints` is value_add_small or its
// like.
#define ARITHMETIC(ID, sign, ints)                                            \
    OP_##ID :                                                                  \
    {                                                                         \
        Value b = RB, c = RC;                                                 \
        if (value_both_ints(b, c)) {                                          \
            Value sum;                                                        \
            if (LIKELY(ints(b, c, &sum))) {                                   \
                SET(RA, sum);                                                 \
                NEXT();                                                       \
            }                                                                 \
        } else if (value_both_immediate_floats(b, c)) {                       \
            FLOAT_RESULT(value_immediate_float(b)                             \
                             sign value_immediate_float(c))                   \
        }                                                                     \
        SLOW_METHOD(slow_binary)                                              \
    }
// With the int that stands in the instruction.
#define ARITHMETIC_I(ID, ints)                                                \
    OP_##ID :                                                                  \
    {                                                                         \
        Value b = RB, sum;                                                    \
        if (LIKELY(value_is_int(b) &&                                         \
                   ints(b, value_from_small(INS_CI(ins)), &sum))) {           \
            SET(RA, sum);                                                     \
            NEXT();                                                           \
        }                                                                     \
        SLOW_HERE(slow_binary_i)                                              \
    }
// With a float among the constants, on either side.
#define ARITHMETIC_K(ID, sign, left, right, slow)                             \
    OP_##ID :                                                                  \
    {                                                                         \
        Value b = (left), c = (right);                                        \
        if (value_both_immediate_floats(b, c)) {                              \
            double d = value_immediate_float(b) sign value_immediate_float(c);\
            FLOAT_RESULT(d)                                                   \
        }                                                                     \
        SLOW_HERE(slow)                                                       \
    }

    ARITHMETIC(ADD, +, value_add_small)
    ARITHMETIC(SUB, -, value_sub_small)
    ARITHMETIC(MUL, *, value_mul_small)
// Ints are divided by the slow path, which rounds the exact quotient once.
OP_TRUEDIV: {
    Value b = RB, c = RC;
    if (value_both_immediate_floats(b, c) && value_immediate_float(c) != 0) {
        FLOAT_RESULT(value_immediate_float(b) / value_immediate_float(c))
    }
    SLOW_METHOD(slow_binary)
}
// Division rounds down, C's towards zero: one less where a rest is negative.
OP_FLOORDIV: {
    Value b = RB, c = RC;
    if (LIKELY(value_both_ints(b, c) && value_rank(c) > 0)) {
        int64_t n = value_small(b), d = value_small(c), q = n / d;
        SET(RA, value_from_small(q - (n % d < 0)));
        NEXT();
    }
    SLOW_METHOD(slow_binary)
}
// The rest has the divisor's sign.
OP_MOD: {
    Value b = RB, c = RC;
    if (LIKELY(value_both_ints(b, c) && value_rank(c) > 0)) {
        int64_t d = value_small(c), rest = value_small(b) % d;
        SET(RA, value_from_small(rest < 0 ? rest + d : rest));
        NEXT();
    }
    SLOW_METHOD(slow_binary)
}
// Seldom in loops, so they have no fast half.
OP_POW:
OP_MATMUL:
OP_LSHIFT:
    SLOW_METHOD(slow_binary)
    BITWISE(AND, value_and_small)
    BITWISE(OR, value_or_small)
    BITWISE(XOR, value_xor_small)
// C leaves shifts by 64 and more undefined; from 63 on only the sign is left.
OP_RSHIFT: {
    Value b = RB, c = RC;
    if (value_both_ints(b, c) && value_rank(c) >= 0) {
        int64_t shift = value_small(c);
        SET(RA, value_from_small(value_small(b) >> (shift > 63 ? 63 : shift)));
        NEXT();
    }
    SLOW_METHOD(slow_binary)
}
    ARITHMETIC_I(ADDI, value_add_small)
    ARITHMETIC_I(SUBI, value_sub_small)
    ARITHMETIC_I(MULI, value_mul_small)
OP_FLOORDIVI:
    if (value_is_int(RB) && INS_CI(ins) > 0) {
        int64_t n = value_small(RB), d = INS_CI(ins);
        SET(RA, value_from_small(n / d - (n % d < 0)));
        NEXT();
    }
    SLOW_HERE(slow_binary_i)
OP_MODI:
    if (value_is_int(RB) && INS_CI(ins) > 0) {
        int64_t d = INS_CI(ins), rest = value_small(RB) % d;
        SET(RA, value_from_small(rest < 0 ? rest + d : rest));
        NEXT();
    }
    SLOW_HERE(slow_binary_i)
OP_ANDI:
    if (LIKELY(value_is_int(RB))) {
        SET(RA, value_and_small(RB, value_from_small(INS_CI(ins))));
        NEXT();
    }
    SLOW_HERE(slow_binary_i)
// Shifting back shows whether bits were lost; shifted unsigned, as that may
// wrap.
OP_LSHIFTI:
    if (value_is_int(RB) && (uint32_t)INS_CI(ins) < 60) {
        int64_t b = value_small(RB);
        int64_t shifted = (int64_t)((uint64_t)b << INS_CI(ins));
        if (LIKELY(value_int_fits(shifted) && shifted >> INS_CI(ins) == b)) {
            SET(RA, value_from_small(shifted));
            NEXT();
        }
    }
    SLOW_HERE(slow_binary_i)
OP_RSHIFTI:
    if (LIKELY(value_is_int(RB) && (uint32_t)INS_CI(ins) < 64)) {
        SET(RA, value_from_small(value_small(RB) >> INS_CI(ins)));
        NEXT();
    }
    SLOW_HERE(slow_binary_i)
    ARITHMETIC_K(ADDK, +, RB, KC, slow_binary_k)
    ARITHMETIC_K(SUBK, -, RB, KC, slow_binary_k)
    ARITHMETIC_K(MULK, *, RB, KC, slow_binary_k)
    SLOW(TRUEDIVK, slow_binary_k, 0)
    ARITHMETIC_K(KADD, +, KB, RC, slow_k_binary)
    ARITHMETIC_K(KSUB, -, KB, RC, slow_k_binary)
    ARITHMETIC_K(KMUL, *, KB, RC, slow_k_binary)
    SLOW(KTRUEDIV, slow_k_binary, 0)
OP_UNARY: {
    Value answer;
    if (LIKELY(fast_unary((UnaryOp)INS_X(ins), RB, &answer))) {
        SET(RA, answer);
        NEXT();
    }
    SLOW_HERE(slow_unary)
}
// Unlike arithmetic this may compare objects by identity, so the operands are
// released.
OP_COMPARE: {
    Value answer;
    if (LIKELY(fast_compare((CompareOp)INS_X(ins), RB, RC, &answer))) {
        SET(RA, answer);
        DROP_TEMPORARY(INS_B(ins), INS_A(ins));
        DROP_TEMPORARY(INS_C(ins), INS_A(ins));
        NEXT();
    }
    SLOW_HERE(slow_compare)
}
