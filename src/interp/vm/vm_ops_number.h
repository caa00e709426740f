// Bodies of the arithmetic instructions, and of comparisons that give a value.
// Part of vm_run (vm.c), no include guard.
//
// Ints and floats that need no box are worked on here; overflow, boxes, zero
// divisors and all other types are slow paths.

// The operators on the bits of two ints that cannot overflow.
#define BITWISE(ID, ints)                                                     \
    OP_##ID :                                                                 \
    {                                                                         \
        Value b = RB, c = RC;                                                 \
        if (LIKELY(value_both_ints(b, c))) {                                  \
            SET(RA, ints(b, c));                                              \
            NEXT();                                                           \
        }                                                                     \
        SLOW_METHOD(slow_binary)                                              \
    }
// A float that needs a box falls through to the slow path. A result that the
// next instruction alone reads goes on to it as it is (vm_ops_chain.h).
#define FLOAT_RESULT(d)                                                       \
    double made = (d);                                                        \
    if (FIELD_X & INS_CHAIN) {                                                \
        number = made;                                                        \
        pc++;                                                                 \
        goto *chains[INS_OP(ins) - OPCODE_ADD];                               \
    }                                                                         \
    Value boxless;                                                            \
    if (LIKELY(value_make_float(made, &boxless))) {                           \
        SET(RA, boxless);                                                     \
        NEXT();                                                               \
    }
// Two ints without overflow, or two numbers with a float among them; `ints`
// is value_add_small or its like.
#define ARITHMETIC(ID, sign, ints)                                            \
    OP_##ID :                                                                 \
    {                                                                         \
        Value b = RB, c = RC;                                                 \
        double l, r;                                                          \
        if (value_both_ints(b, c)) {                                          \
            Value sum;                                                        \
            if (LIKELY(ints(b, c, &sum))) {                                   \
                SET(RA, sum);                                                 \
                NEXT();                                                       \
            }                                                                 \
        } else if (value_both_immediate_floats(b, c)) {                       \
            FLOAT_RESULT(value_immediate_float(b)                             \
                             sign value_immediate_float(c))                   \
        } else if (fast_double(b, &l) && fast_double(c, &r)) {                \
            FLOAT_RESULT(l sign r)                                            \
        }                                                                     \
        SLOW_METHOD(slow_binary)                                              \
    }
// With the int that stands in the instruction.
#define ARITHMETIC_I(ID, sign, ints)                                          \
    OP_##ID :                                                                 \
    {                                                                         \
        Value b = RB, sum;                                                    \
        if (LIKELY(value_is_int(b) &&                                         \
                   ints(b, value_from_small(FIELD_CI), &sum))) {              \
            SET(RA, sum);                                                     \
            NEXT();                                                           \
        }                                                                     \
        if (value_is_immediate_float(b)) {                                    \
            FLOAT_RESULT(value_immediate_float(b) sign (double)FIELD_CI)      \
        }                                                                     \
        SLOW_HERE(slow_binary_i)                                              \
    }
// With a float among the constants, on either side.
#define ARITHMETIC_K(ID, sign, left, right, slow)                             \
    OP_##ID :                                                                 \
    {                                                                         \
        double l, r;                                                          \
        if (fast_double(left, &l) && fast_double(right, &r)) {                \
            FLOAT_RESULT(l sign r)                                            \
        }                                                                     \
        SLOW_HERE(slow)                                                       \
    }
// The same for a division: the slow path knows what a divisor of 0 means.
#define DIVISION_K(ID, left, right, slow)                                     \
    OP_##ID :                                                                 \
    {                                                                         \
        double l, r;                                                          \
        if (fast_double(left, &l) && fast_double(right, &r) && r != 0) {      \
            FLOAT_RESULT(l / r)                                               \
        }                                                                     \
        SLOW_HERE(slow)                                                       \
    }

    ARITHMETIC(ADD, +, value_add_small)
    ARITHMETIC(SUB, -, value_sub_small)
    ARITHMETIC(MUL, *, value_mul_small)
// The quotient of two large ints is rounded once, by the slow path: here both
// are exact as floats.
// Beyond FAST_EXACT_INT an int has no exact float, and dividing two rounded
// numbers would round twice.
OP_TRUEDIV: {
    Value b = RB, c = RC;
    double l, r;
    if (fast_double(b, &l) && fast_double(c, &r) && r != 0 &&
        (!value_both_ints(b, c) ||
         (fabs(l) < FAST_EXACT_INT && fabs(r) < FAST_EXACT_INT))) {
        FLOAT_RESULT(l / r)
    }
    SLOW_METHOD(slow_binary)
}
// Division rounds down, C's towards zero: one less where a rest is negative.
// value_rank(c) > 0 stands for a divisor above 0; a negative one is rare and
// takes the slow path.
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
// With a divisor above 0 the rest is 0 or above in the end.
OP_MOD: {
    Value b = RB, c = RC;
    if (LIKELY(value_both_ints(b, c) && value_rank(c) > 0)) {
        int64_t d = value_small(c), rest = value_small(b) % d;
        SET(RA, value_from_small(rest < 0 ? rest + d : rest));
        NEXT();
    }
    SLOW_METHOD(slow_binary)
}
// A positive base has a real power; one that is no ordinary number is left to
// the slow path, which raises. Squares of ints are products.
// A base of 0 or below may give a complex number or an error, and ints give
// ints: none of these is tried here.
OP_POW: {
    Value b = RB, c = RC, square;
    if (value_same(c, value_from_small(2)) && value_is_int(b) &&
        value_mul_small(b, b, &square)) {
        SET(RA, square);
        NEXT();
    }
    double l, r;
    if (!value_both_ints(b, c) && fast_double(b, &l) && fast_double(c, &r) &&
        l > 0) {
        Value power;
        if (LIKELY(value_make_float(pow(l, r), &power))) {
            SET(RA, power);
            NEXT();
        }
    }
    SLOW_METHOD(slow_binary)
}
// Seldom in loops, so it has no fast half.
OP_MATMUL:
    SLOW_METHOD(slow_binary)
// Shifting back shows whether bits were lost.
// The shift is compared as unsigned, which keeps negative ones out.
OP_LSHIFT: {
    Value b = RB, c = RC;
    if (value_both_ints(b, c) && (uint64_t)value_small(c) < 60) {
        int64_t number_ = value_small(b), shift = value_small(c);
        int64_t shifted = (int64_t)((uint64_t)number_ << shift);
        if (LIKELY(value_int_fits(shifted) && shifted >> shift == number_)) {
            SET(RA, value_from_small(shifted));
            NEXT();
        }
    }
    SLOW_METHOD(slow_binary)
}
    BITWISE(AND, value_and_small)
    BITWISE(OR, value_or_small)
    BITWISE(XOR, value_xor_small)
// C leaves shifts by 64 and more undefined; from 63 on only the sign is left.
// A negative count raises, on the slow path.
OP_RSHIFT: {
    Value b = RB, c = RC;
    if (value_both_ints(b, c) && value_rank(c) >= 0) {
        int64_t shift = value_small(c);
        SET(RA, value_from_small(value_small(b) >> (shift > 63 ? 63 : shift)));
        NEXT();
    }
    SLOW_METHOD(slow_binary)
}
    ARITHMETIC_I(ADDI, +, value_add_small)
    ARITHMETIC_I(SUBI, -, value_sub_small)
    ARITHMETIC_I(MULI, *, value_mul_small)
// The I forms have a small int in the instruction; it is never 0 or below on
// the fast way.
OP_FLOORDIVI:
    if (value_is_int(RB) && FIELD_CI > 0) {
        int64_t n = value_small(RB), d = FIELD_CI;
        SET(RA, value_from_small(n / d - (n % d < 0)));
        NEXT();
    }
    SLOW_HERE(slow_binary_i)
OP_MODI:
    if (value_is_int(RB) && FIELD_CI > 0) {
        int64_t d = FIELD_CI, rest = value_small(RB) % d;
        SET(RA, value_from_small(rest < 0 ? rest + d : rest));
        NEXT();
    }
    SLOW_HERE(slow_binary_i)
OP_ANDI:
    if (LIKELY(value_is_int(RB))) {
        SET(RA, value_and_small(RB, value_from_small(FIELD_CI)));
        NEXT();
    }
    SLOW_HERE(slow_binary_i)
// Shifting back shows whether bits were lost; shifted unsigned, as that may
// wrap.
OP_LSHIFTI:
    if (value_is_int(RB) && (uint32_t)FIELD_CI < 60) {
        int64_t b = value_small(RB);
        int64_t shifted = (int64_t)((uint64_t)b << FIELD_CI);
        if (LIKELY(value_int_fits(shifted) && shifted >> FIELD_CI == b)) {
            SET(RA, value_from_small(shifted));
            NEXT();
        }
    }
    SLOW_HERE(slow_binary_i)
OP_RSHIFTI:
    // As unsigned again: a negative count goes to the slow path.
    if (LIKELY(value_is_int(RB) && (uint32_t)FIELD_CI < 64)) {
        SET(RA, value_from_small(value_small(RB) >> FIELD_CI));
        NEXT();
    }
    SLOW_HERE(slow_binary_i)
    ARITHMETIC_K(ADDK, +, RB, KC, slow_binary_k)
    ARITHMETIC_K(SUBK, -, RB, KC, slow_binary_k)
    ARITHMETIC_K(MULK, *, RB, KC, slow_binary_k)
    DIVISION_K(TRUEDIVK, RB, KC, slow_binary_k)
    ARITHMETIC_K(KADD, +, KB, RC, slow_k_binary)
    ARITHMETIC_K(KSUB, -, KB, RC, slow_k_binary)
    ARITHMETIC_K(KMUL, *, KB, RC, slow_k_binary)
    DIVISION_K(KTRUEDIV, KB, RC, slow_k_binary)
// The fast half is for what needs neither a box nor a method.
OP_UNARY: {
    Value answer;
    if (LIKELY(fast_unary((UnaryOp)FIELD_X, RB, &answer))) {
        SET(RA, answer);
        NEXT();
    }
    SLOW_METHOD(slow_unary)
}
// Unlike arithmetic this may compare objects by identity, so the operands are
// released.
// The low four bits of X are the operator.
OP_COMPARE: {
    Value answer;
    // At the limit a comparison is one level too many.
    if (LIKELY(fast_compare((CompareOp)(FIELD_X & 15), RB, RC, &answer) &&
               f + 1 < vm->frames_end)) {
        SET(RA, answer);
        DROP_FIRST(RB);
        DROP_SECOND(RC);
        NEXT();
    }
    SLOW_METHOD(slow_compare)
}
