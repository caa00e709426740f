// Bodies of the jumps. Part of vm_run (vm.c), no include guard.
//
// A fused comparison reads its operands and empties them if they are
// temporaries: numbers need no emptying, since a dead register may hold
// anything that is no object.

// The comparison by identity; both registers must be bound.
#define IDENTITY_JUMP(ID, wanted)                                             \
    OP_##ID :                                                                 \
    {                                                                         \
        Value a = RA, b = RB;                                                 \
        if (UNLIKELY(value_unbound(a) || value_unbound(b))) {                 \
            SLOW_JUMP(slow_jump);                                             \
        }                                                                     \
        bool same = value_same(a, b);                                         \
        DROP_FIRST(RA);                                                       \
        DROP_SECOND(RB);                                                      \
        if (same == (wanted)) {                                               \
            JUMP(FIELD_CI);                                                   \
        }                                                                     \
        NEXT();                                                               \
    }
// `test` compares l and r: the ranks of two ints, or two floats.
#define COMPARE_JUMP(ID, test)                                                \
    OP_##ID :                                                                 \
    {                                                                         \
        Value a = RA, b = RB;                                                 \
        if (LIKELY(value_both_ints(a, b))) {                                  \
            int64_t l = value_rank(a), r = value_rank(b);                     \
            if (test) {                                                       \
                JUMP(FIELD_CI);                                               \
            }                                                                 \
            NEXT();                                                           \
        }                                                                     \
        if (value_both_immediate_floats(a, b)) {                              \
            double l = value_immediate_float(a), r = value_immediate_float(b); \
            if (test) {                                                       \
                JUMP(FIELD_CI);                                               \
            }                                                                 \
            NEXT();                                                           \
        }                                                                     \
        SLOW_JUMP(slow_jump);                                                 \
    }
// With the int that stands in the instruction.
#define COMPARE_JUMP_I(ID, test)                                              \
    OP_##ID :                                                                 \
    {                                                                         \
        Value a = RA;                                                         \
        if (LIKELY(value_is_int(a))) {                                        \
            int64_t l = value_rank(a);                                        \
            int64_t r = value_rank(value_from_small(FIELD_BI));               \
            if (test) {                                                       \
                JUMP(FIELD_CI);                                               \
            }                                                                 \
            NEXT();                                                           \
        }                                                                     \
        SLOW_JUMP(slow_jump);                                                 \
    }
// `keep`: the register keeps its value if the jump is taken (and, or).
#define TRUTH_JUMP(ID, on_true, keep)                                         \
    OP_##ID :                                                                 \
    {                                                                         \
        Value a = RA;                                                         \
        if (LIKELY(value_is_bool(a) || value_is_int(a) ||                     \
                   value_is_none(a))) {                                       \
            bool truth = value_is_int(a) ? value_rank(a) != 0                 \
                                         : value_same(a, VALUE_TRUE);         \
            bool jump = truth == (on_true);                                   \
            if (!((keep) && jump) && (FIELD_X & INS_DROP_FIRST)) {            \
                RA = VALUE_UNBOUND;                                           \
            }                                                                 \
            if (jump) {                                                       \
                JUMP(FIELD_CI);                                               \
            }                                                                 \
            NEXT();                                                           \
        }                                                                     \
        SLOW_JUMP(slow_jump_truth);                                           \
    }

OP_JMP:
    JUMP(FIELD_J);
    NEXT();
    COMPARE_JUMP(JLT, l < r)
    COMPARE_JUMP(JLE, l <= r)
    COMPARE_JUMP(JEQ, l == r)
    COMPARE_JUMP(JNE, l != r)
    COMPARE_JUMP(JGT, l > r)
    COMPARE_JUMP(JGE, l >= r)
    // The negated forms are no synonyms: of a NaN both l < r and l >= r are
    // false, and the slow path, which meets NaNs, goes by the opcode.
    COMPARE_JUMP(JNLT, !(l < r))
    COMPARE_JUMP(JNLE, !(l <= r))
    COMPARE_JUMP(JNEQ, !(l == r))
    COMPARE_JUMP(JNNE, !(l != r))
    COMPARE_JUMP(JNGT, !(l > r))
    COMPARE_JUMP(JNGE, !(l >= r))
    COMPARE_JUMP_I(JLTI, l < r)
    COMPARE_JUMP_I(JLEI, l <= r)
    COMPARE_JUMP_I(JEQI, l == r)
    COMPARE_JUMP_I(JNEI, l != r)
    COMPARE_JUMP_I(JGTI, l > r)
    COMPARE_JUMP_I(JGEI, l >= r)
    // With ints alone a negation is the opposite comparison.
    COMPARE_JUMP_I(JNLTI, l >= r)
    COMPARE_JUMP_I(JNLEI, l > r)
    COMPARE_JUMP_I(JNEQI, l != r)
    COMPARE_JUMP_I(JNNEI, l == r)
    COMPARE_JUMP_I(JNGTI, l <= r)
    COMPARE_JUMP_I(JNGEI, l < r)
    // Identity jumps have no negated comparison, only the opposite answer.
    IDENTITY_JUMP(JIS, true)
    IDENTITY_JUMP(JNIS, false)
    // Bools, ints and None say it themselves; the slow path asks all else.
    TRUTH_JUMP(JTRUE, true, false)
    TRUTH_JUMP(JFALSE, false, false)
    TRUTH_JUMP(JTRUE_KEEP, true, true)
    TRUTH_JUMP(JFALSE_KEEP, false, true)
OP_JBOUND:
    if (!value_unbound(RA)) {
        JUMP(FIELD_CI);
    }
    NEXT();
