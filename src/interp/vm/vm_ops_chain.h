// Bodies of instructions that get a number from the one before them. Part of
// vm_run (vm.c), no include guard.
//
// Where an instruction's result is a float that only the next one reads
// (compile_fuse.c), it goes on as the C double `number`: it is not tagged,
// not stored, and the next instruction is not looked up anew. On arrival pc
// stands behind the consumer. What cannot go on as a double is put into the
// register after all (unchain), and the consumer then runs as usual.

// One operand is `number`, the other a register or constant `other`.
#define CHAINED(ID, other, result)                                            \
    CHAIN_##ID :                                                              \
    {                                                                         \
        double d;                                                             \
        if (LIKELY(fast_double(other, &d))) {                                 \
            FLOAT_RESULT(result)                                              \
        }                                                                     \
        goto unchain;                                                         \
    }
// Either operand may be the one that is handed on.
#define CHAINED_PAIR(ID, first, second)                                       \
    CHAIN_##ID :                                                              \
    {                                                                         \
        double d;                                                             \
        if (FIELD_X & INS_CHAINED) {                                          \
            if (LIKELY(fast_double(RB, &d))) {                                \
                FLOAT_RESULT(second)                                          \
            }                                                                 \
        } else if (LIKELY(fast_double(RC, &d))) {                             \
            FLOAT_RESULT(first)                                               \
        }                                                                     \
        goto unchain;                                                         \
    }
// Ints are compared exactly, which a double cannot: floats alone.
#define CHAINED_JUMP(ID, sign, wanted)                                        \
    CHAIN_##ID :                                                              \
    {                                                                         \
        bool second = (FIELD_X & INS_CHAINED) != 0;                           \
        Value other = second ? RA : RB;                                       \
        if (UNLIKELY(!value_is_immediate_float(other))) {                     \
            goto unchain;                                                     \
        }                                                                     \
        double d = value_immediate_float(other);                              \
        if ((second ? d sign number : number sign d) == (wanted)) {           \
            JUMP(FIELD_CI);                                                   \
        }                                                                     \
        NEXT();                                                               \
    }

    CHAINED_PAIR(ADD, number + d, d + number)
    CHAINED_PAIR(SUB, number - d, d - number)
    CHAINED_PAIR(MUL, number * d, d * number)
// A divisor of 0 raises.
CHAIN_TRUEDIV: {
    double d;
    if (FIELD_X & INS_CHAINED) {
        if (LIKELY(fast_double(RB, &d) && number != 0)) {
            FLOAT_RESULT(d / number)
        }
    } else if (LIKELY(fast_double(RC, &d) && d != 0)) {
        FLOAT_RESULT(number / d)
    }
    goto unchain;
}
    // The int of the instruction, or a constant, which may be boxed.
    CHAINED(ADDI, value_from_small(FIELD_CI), number + d)
    CHAINED(SUBI, value_from_small(FIELD_CI), number - d)
    CHAINED(MULI, value_from_small(FIELD_CI), number * d)
    CHAINED(ADDK, KC, number + d)
    CHAINED(SUBK, KC, number - d)
    CHAINED(MULK, KC, number * d)
    CHAINED(KADD, KB, d + number)
    CHAINED(KSUB, KB, d - number)
    CHAINED(KMUL, KB, d * number)
CHAIN_TRUEDIVK: {
    double d;
    if (LIKELY(fast_double(KC, &d) && d != 0)) {
        FLOAT_RESULT(number / d)
    }
    goto unchain;
}
CHAIN_KTRUEDIV: {
    double d;
    if (LIKELY(fast_double(KB, &d) && number != 0)) {
        FLOAT_RESULT(d / number)
    }
    goto unchain;
}
    // C's comparisons of a NaN are false, as Python's; the N forms then jump.
    CHAINED_JUMP(JLT, <, true)
    CHAINED_JUMP(JLE, <=, true)
    CHAINED_JUMP(JGT, >, true)
    CHAINED_JUMP(JGE, >=, true)
    CHAINED_JUMP(JNLT, <, false)
    CHAINED_JUMP(JNLE, <=, false)
    CHAINED_JUMP(JNGT, >, false)
    CHAINED_JUMP(JNGE, >=, false)

// The register that would have been written is a dead temporary: it is stored
// into without a release.
unchain: {
    Value boxed = float_new(vm, number);
    if (UNLIKELY(value_failed(boxed))) {
        f->pc = pc;
        goto error;
    }
    R[chained_register(ins)] = boxed;
    goto *labels[INS_OP(ins)];
}
