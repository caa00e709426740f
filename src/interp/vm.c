// The dispatch loop: fast paths alone; what is rare is in vm_*.c.
//
// Invariant: frame->pc is stored before anything that can fail, run Duet code
// or look at the frame; it then stands right behind the instruction. Locals of
// vm_run mirror the running frame: whoever pushes or pops one says LOAD_FRAME.
#include "interp/finalize.h"
#include "interp/vm_fast.h"

#define RA R[INS_A(ins)]
#define RB R[INS_B(ins)]
#define RC R[INS_C(ins)]
#define KB K[INS_B(ins)]
#define KC K[INS_C(ins)]

#define NEXT()                                                                \
    do {                                                                      \
        ins = *pc++;                                                          \
        goto *labels[INS_OP(ins)];                                            \
    } while (0)
// What the instruction let die may have code to run (finalize.h).
#define NEXT_POLL()                                                           \
    do {                                                                      \
        if (UNLIKELY(vm->ctx.interrupt)) {                                    \
            goto interrupted;                                                 \
        }                                                                     \
        NEXT();                                                               \
    } while (0)
#define SET(reg, v)                                                           \
    do {                                                                      \
        Value *place_ = &(reg);                                               \
        Value new_ = (v), old_ = *place_;                                     \
        *place_ = new_;                                                       \
        if (value_is_object(old_) &&                                          \
            UNLIKELY(--value_object(old_)->rc == 0)) {                        \
            finalize_dealloc(vm, value_object(old_));                         \
        }                                                                     \
    } while (0)
#define LOAD_FRAME()                                                          \
    do {                                                                      \
        f = vm->frame;                                                        \
        pc = f->pc;                                                           \
        R = f->registers;                                                     \
        K = f->code->constants;                                               \
    } while (0)
// An instruction that is all slow path; `cache` words stand behind it.
#define SLOW(ID, function, cache)                                             \
    OP_##ID : f->pc = pc;                                                      \
    if (UNLIKELY(!function(vm, f, ins))) {                                    \
        goto error;                                                           \
    }                                                                         \
    pc += (cache);                                                            \
    NEXT();
// The same, for what may let an object die: its finaliser runs right after.
#define SLOW_DROP(ID, function, cache)                                        \
    OP_##ID : f->pc = pc;                                                      \
    if (UNLIKELY(!function(vm, f, ins))) {                                    \
        goto error;                                                           \
    }                                                                         \
    pc += (cache);                                                            \
    NEXT_POLL();
#define SLOW_HERE(function)                                                   \
    f->pc = pc;                                                               \
    if (UNLIKELY(!function(vm, f, ins))) {                                    \
        goto error;                                                           \
    }                                                                         \
    NEXT_POLL();
// As SLOW_HERE, where the function may push the frame of a method.
#define SLOW_METHOD(function)                                                 \
    f->pc = pc;                                                               \
    if (UNLIKELY(!function(vm, f, ins))) {                                    \
        goto error;                                                           \
    }                                                                         \
    if (vm->frame != f) {                                                     \
        LOAD_FRAME();                                                         \
    }                                                                         \
    NEXT();
// Every jump that is taken polls: a loop has at least one.
#define JUMP(distance)                                                        \
    do {                                                                      \
        pc += (distance);                                                     \
        if (UNLIKELY(vm->ctx.interrupt)) {                                    \
            goto interrupted;                                                 \
        }                                                                     \
    } while (0)
// One that decides about a jump by C.
#define SLOW_JUMP(function)                                                   \
    do {                                                                      \
        f->pc = pc;                                                           \
        int jump_ = function(vm, f, ins);                                     \
        if (UNLIKELY(jump_ < 0)) {                                            \
            goto error;                                                       \
        }                                                                     \
        if (jump_) {                                                          \
            JUMP(INS_CI(ins));                                                \
        }                                                                     \
        NEXT();                                                               \
    } while (0)

// R[reg] was read for the last time if it is a temporary.
#define IS_TEMPORARY(reg) ((reg) >= f->code->local_count)
#define DROP_TEMPORARY(reg, kept)                                             \
    do {                                                                      \
        if ((reg) != (kept) && IS_TEMPORARY(reg)) {                           \
            SET(R[reg], VALUE_UNBOUND);                                       \
        }                                                                     \
    } while (0)
// Takes R[reg]: moved out of a temporary, copied from a local.
#define TAKE(v, reg)                                                          \
    do {                                                                      \
        if (IS_TEMPORARY(reg)) {                                              \
            R[reg] = VALUE_UNBOUND;                                           \
        } else {                                                              \
            value_retain(v);                                                  \
        }                                                                     \
    } while (0)
// The operators on the bits of two ints that cannot overflow.
#define BITWISE(ID, ints)                                                     \
    OP_##ID :                                                                  \
    {                                                                         \
        Value b = RB, c = RC;                                                 \
        if (LIKELY(value_both_ints(b, c))) {                                  \
            SET(RA, ints(b, c));                                              \
            NEXT();                                                           \
        }                                                                     \
        SLOW_METHOD(slow_binary)                                                \
    }
// The comparison by identity; both registers must be bound.
#define IDENTITY_JUMP(ID, wanted)                                             \
    OP_##ID :                                                                  \
    {                                                                         \
        Value a = RA, b = RB;                                                 \
        if (UNLIKELY(value_unbound(a) || value_unbound(b))) {                 \
            SLOW_JUMP(slow_jump);                                             \
        }                                                                     \
        bool same = value_same(a, b);                                         \
        DROP_TEMPORARY(INS_A(ins), UINT32_MAX);                               \
        DROP_TEMPORARY(INS_B(ins), UINT32_MAX);                               \
        if (same == (wanted)) {                                               \
            JUMP(INS_CI(ins));                                                \
        }                                                                     \
        NEXT();                                                               \
    }

#define FLOAT_RESULT(d)                                                       \
    Value number;                                                             \
    if (LIKELY(value_make_float(d, &number))) {                               \
        SET(RA, number);                                                      \
        NEXT();                                                               \
    }
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
        SLOW_METHOD(slow_binary)                                                \
    }
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
#define COMPARE_JUMP(ID, test)                                                \
    OP_##ID :                                                                  \
    {                                                                         \
        Value a = RA, b = RB;                                                 \
        if (LIKELY(value_both_ints(a, b))) {                                  \
            int64_t l = value_rank(a), r = value_rank(b);                     \
            if (test) {                                                       \
                JUMP(INS_CI(ins));                                            \
            }                                                                 \
            NEXT();                                                           \
        }                                                                     \
        if (value_both_immediate_floats(a, b)) {                              \
            double l = value_immediate_float(a), r = value_immediate_float(b);\
            if (test) {                                                       \
                JUMP(INS_CI(ins));                                            \
            }                                                                 \
            NEXT();                                                           \
        }                                                                     \
        SLOW_JUMP(slow_jump);                                                 \
    }
#define COMPARE_JUMP_I(ID, test)                                              \
    OP_##ID :                                                                  \
    {                                                                         \
        Value a = RA;                                                         \
        if (LIKELY(value_is_int(a))) {                                        \
            int64_t l = value_rank(a);                                        \
            int64_t r = value_rank(value_from_small(INS_BI(ins)));            \
            if (test) {                                                       \
                JUMP(INS_CI(ins));                                            \
            }                                                                 \
            NEXT();                                                           \
        }                                                                     \
        SLOW_JUMP(slow_jump);                                                 \
    }
#define TRUTH_JUMP(ID, on_true, keep)                                         \
    OP_##ID :                                                                  \
    {                                                                         \
        Value a = RA;                                                         \
        if (LIKELY(value_is_bool(a))) {                                       \
            bool jump = value_same(a, VALUE_TRUE) == (on_true);               \
            if (!((keep) && jump) && INS_A(ins) >= f->code->local_count) {    \
                RA = VALUE_UNBOUND;                                           \
            }                                                                 \
            if (jump) {                                                       \
                JUMP(INS_CI(ins));                                            \
            }                                                                 \
            NEXT();                                                           \
        }                                                                     \
        SLOW_JUMP(slow_jump_truth);                                           \
    }
// After LOADM: the arguments stand at A+2; without a self they move down.
static Value *method_window(Value *callee, uint32_t *count)
{
    Value *window = callee + 1;
    if (value_unbound(window[0])) {
        for (uint32_t i = 0; i < *count; i++) {
            window[i] = window[i + 1];
        }
        window[*count] = VALUE_UNBOUND;
    } else {
        ++*count;
    }
    return window;
}

// Interprets until the entry frame that runs now has ended or yields.
Value vm_run(Vm *vm, bool raised)
{
    static const void *const labels[] = {
#define OPCODE(id, form, cache, doc) &&OP_##id,
#include "interp/opcode_list.h"
#undef OPCODE
    };
    Frame *f;
    const Ins *pc;
    Value *R;
    const Value *K;
    Ins ins;
    Value result;  // of a frame that ends, on its way to the caller
    Value *window; // of a call: the arguments, behind the callee
    uint32_t count; // of them
    Tuple *keywords;
    LOAD_FRAME();
    if (raised) {
        goto error;
    }
    NEXT();

    // --- moves ---
OP_HALT:
OP_ENTRY:
OP_NOP:
    NEXT();
OP_MOVE: {
    Value b = RB;
    if (UNLIKELY(value_unbound(b))) {
        f->pc = pc;
        slow_unbound(vm, f, INS_B(ins));
        goto error;
    }
    value_retain(b);
    SET(RA, b);
    NEXT();
}
OP_MOVET: {
    Value b = RB;
    RB = VALUE_UNBOUND;
    SET(RA, b);
    NEXT();
}
OP_LOADI:
    SET(RA, value_from_small(INS_BI(ins)));
    NEXT();
OP_LOADK:
    SET(RA, value_retain(KB));
    NEXT();
OP_DROP:
    f->pc = pc;
    SET(RA, VALUE_UNBOUND);
    NEXT();
OP_DROPN:
    f->pc = pc;
    for (uint32_t i = 0; i < INS_B(ins); i++) {
        SET(R[INS_A(ins) + i], VALUE_UNBOUND);
    }
    NEXT();
    SLOW_DROP(DELETE, slow_delete, 0)

    // --- arithmetic ---
    ARITHMETIC(ADD, +, value_add_small)
    ARITHMETIC(SUB, -, value_sub_small)
    ARITHMETIC(MUL, *, value_mul_small)
OP_TRUEDIV: {
    Value b = RB, c = RC;
    if (value_both_immediate_floats(b, c) && value_immediate_float(c) != 0) {
        FLOAT_RESULT(value_immediate_float(b) / value_immediate_float(c))
    }
    SLOW_METHOD(slow_binary)
}
OP_FLOORDIV: {
    Value b = RB, c = RC;
    if (LIKELY(value_both_ints(b, c) && value_rank(c) > 0)) {
        int64_t n = value_small(b), d = value_small(c), q = n / d;
        SET(RA, value_from_small(q - (n % d < 0)));
        NEXT();
    }
    SLOW_METHOD(slow_binary)
}
OP_MOD: {
    Value b = RB, c = RC;
    if (LIKELY(value_both_ints(b, c) && value_rank(c) > 0)) {
        int64_t d = value_small(c), rest = value_small(b) % d;
        SET(RA, value_from_small(rest < 0 ? rest + d : rest));
        NEXT();
    }
    SLOW_METHOD(slow_binary)
}
OP_POW:
OP_MATMUL:
OP_LSHIFT:
    SLOW_METHOD(slow_binary)
    BITWISE(AND, value_and_small)
    BITWISE(OR, value_or_small)
    BITWISE(XOR, value_xor_small)
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
OP_LSHIFTI:
    if (value_is_int(RB) && (uint32_t)INS_CI(ins) < 60) {
        int64_t b = value_small(RB), shifted = b * ((int64_t)1 << INS_CI(ins));
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

    // --- jumps ---
OP_JMP:
    JUMP(INS_J(ins));
    NEXT();
    COMPARE_JUMP(JLT, l < r)
    COMPARE_JUMP(JLE, l <= r)
    COMPARE_JUMP(JEQ, l == r)
    COMPARE_JUMP(JNE, l != r)
    COMPARE_JUMP(JGT, l > r)
    COMPARE_JUMP(JGE, l >= r)
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
    COMPARE_JUMP_I(JNLTI, l >= r)
    COMPARE_JUMP_I(JNLEI, l > r)
    COMPARE_JUMP_I(JNEQI, l != r)
    COMPARE_JUMP_I(JNNEI, l == r)
    COMPARE_JUMP_I(JNGTI, l <= r)
    COMPARE_JUMP_I(JNGEI, l < r)
    IDENTITY_JUMP(JIS, true)
    IDENTITY_JUMP(JNIS, false)
    TRUTH_JUMP(JTRUE, true, false)
    TRUTH_JUMP(JFALSE, false, false)
    TRUTH_JUMP(JTRUE_KEEP, true, true)
    TRUTH_JUMP(JFALSE_KEEP, false, true)
OP_JBOUND:
    if (!value_unbound(RA)) {
        JUMP(INS_CI(ins));
    }
    NEXT();

    // --- names ---
OP_GETG: {
    Dict *globals = f->globals;
    uint32_t index = (uint32_t)pc[0];
    if (LIKELY(fast_quiet(vm) && index < globals->used &&
               value_same(globals->entries[index].key, KB))) {
        SET(RA, value_retain(globals->entries[index].value));
        pc += 2;
        NEXT();
    }
    index = (uint32_t)(pc[0] >> 32);
    if (LIKELY(fast_quiet(vm) && index > 0 &&
               pc[1] == globals->version + 1 &&
               index <= vm->builtins->used &&
               value_same(vm->builtins->entries[index - 1].key, KB))) {
        SET(RA, value_retain(vm->builtins->entries[index - 1].value));
        pc += 2;
        NEXT();
    }
    f->pc = pc;
    if (!slow_getg(vm, f, ins)) {
        goto error;
    }
    pc += 2;
    NEXT();
}
    SLOW_DROP(SETG, slow_setg, 1)
    SLOW_DROP(DELG, slow_delg, 0)
    SLOW(GETN, slow_getn, 0)
    SLOW(GETNC, slow_getnc, 0)
    SLOW_DROP(SETN, slow_setn, 0)
    SLOW_DROP(DELN, slow_deln, 0)
    SLOW(MKCELL, slow_mkcell, 0)
OP_GETCELL: {
    Value v = ((const Cell *)value_object(RB))->value;
    if (LIKELY(!value_unbound(v) && fast_quiet(vm))) {
        SET(RA, value_retain(v));
        NEXT();
    }
    SLOW_HERE(slow_getcell)
}
OP_SETCELL: {
    Cell *cell = (Cell *)value_object(RA);
    Value v = RB;
    if (LIKELY(!value_unbound(v) && fast_storable(vm, &cell->head))) {
        f->pc = pc;
        TAKE(v, INS_B(ins));
        SET(cell->value, v);
        NEXT();
    }
    SLOW_HERE(slow_setcell)
}
    SLOW_DROP(DELCELL, slow_delcell, 0)
OP_GETCAP: {
    Value v = ((const Cell *)value_object(f->cells[INS_B(ins)]))->value;
    if (LIKELY(!value_unbound(v) && fast_quiet(vm))) {
        SET(RA, value_retain(v));
        NEXT();
    }
    SLOW_HERE(slow_getcap)
}
OP_SETCAP: {
    Cell *cell = (Cell *)value_object(f->cells[INS_B(ins)]);
    Value v = RA;
    if (LIKELY(!value_unbound(v) && fast_storable(vm, &cell->head))) {
        f->pc = pc;
        TAKE(v, INS_A(ins));
        SET(cell->value, v);
        NEXT();
    }
    SLOW_HERE(slow_setcap)
}
    SLOW_DROP(DELCAP, slow_delcap, 0)
OP_LOADCAP:
    SET(RA, value_retain(f->cells[INS_B(ins)]));
    NEXT();

    // --- attributes and items ---
OP_GETATTR: {
    const Value *place = fast_attr(vm, RB, (const AttrCache *)pc);
    if (LIKELY(place != NULL)) {
        f->pc = pc;
        SET(RA, value_retain(*place));
        DROP_TEMPORARY(INS_B(ins), INS_A(ins));
        pc += 2;
        NEXT();
    }
    f->pc = pc;
    if (!slow_getattr(vm, f, ins)) {
        goto error;
    }
    pc += 2;
    NEXT();
}
OP_SETATTR: {
    Value v = RB;
    Value *place = UNLIKELY(value_unbound(v))
                       ? NULL
                       : fast_attr_place(vm, RA, (const StoreCache *)pc);
    if (LIKELY(place != NULL)) {
        f->pc = pc;
        TAKE(v, INS_B(ins));
        SET(*place, v);
        DROP_TEMPORARY(INS_A(ins), INS_B(ins));
        pc += 3;
        NEXT();
    }
    f->pc = pc;
    if (!slow_setattr(vm, f, ins)) {
        goto error;
    }
    pc += 3;
    NEXT_POLL();
}
    SLOW_DROP(DELATTR, slow_delattr, 0)
OP_LOADM: {
    Value self = RB;
    Object *method = fast_method(vm, self, (const MethodCache *)pc);
    if (LIKELY(method != NULL)) {
        f->pc = pc;
        if (INS_B(ins) == INS_A(ins) || IS_TEMPORARY(INS_B(ins))) {
            RB = VALUE_UNBOUND;
        } else {
            value_retain(self);
        }
        SET((&RA)[1], self);
        SET(RA, value_from_object(object_retain(method)));
        pc += 3;
        NEXT();
    }
    f->pc = pc;
    if (!slow_loadm(vm, f, ins)) {
        goto error;
    }
    pc += 3;
    NEXT();
}
OP_GETITEM: {
    Value item;
    if (LIKELY(fast_get_item(vm, RB, RC, &item))) {
        f->pc = pc;
        SET(RA, item);
        DROP_TEMPORARY(INS_B(ins), INS_A(ins));
        NEXT();
    }
    SLOW_METHOD(slow_getitem)
}
OP_GETITEMI: {
    Value item;
    if (LIKELY(fast_get_item(vm, RB, value_from_small(INS_CI(ins)), &item))) {
        f->pc = pc;
        SET(RA, item);
        DROP_TEMPORARY(INS_B(ins), INS_A(ins));
        NEXT();
    }
    SLOW_HERE(slow_getitemi)
}
OP_SETITEM: {
    Value v = RC;
    Value *place = fast_item_place(vm, RA, RB);
    if (LIKELY(place != NULL && !value_unbound(v))) {
        f->pc = pc;
        TAKE(v, INS_C(ins));
        SET(*place, v);
        DROP_TEMPORARY(INS_A(ins), INS_C(ins));
        NEXT();
    }
    SLOW_HERE(slow_setitem)
}
    SLOW_DROP(DELITEM, slow_delitem, 0)
    SLOW(SLICE, slow_slice, 0)

    // --- displays ---
    SLOW(LIST, slow_list, 0)
    SLOW(TUPLE, slow_tuple, 0)
    SLOW(SET, slow_set_display, 0)
    SLOW(DICT, slow_dict, 0)
OP_APPEND: {
    Value v = RB;
    if (LIKELY(!value_unbound(v) && fast_append(vm, RA, v))) {
        TAKE(v, INS_B(ins));
        NEXT();
    }
    SLOW_HERE(slow_append)
}
    SLOW(APPENDN, slow_appendn, 0)
    SLOW(EXTEND, slow_extend, 0)
    SLOW(SETADD, slow_setadd, 0)
    SLOW(SETUPDATE, slow_setupdate, 0)
    SLOW(DICTSET, slow_dictset, 0)
    SLOW(DICTUPDATE, slow_dictupdate, 0)
    SLOW(DICTMERGE, slow_dictmerge, 0)
    SLOW(TOTUPLE, slow_totuple, 0)
    SLOW(FORMAT, slow_format, 0)
    SLOW(CONCAT, slow_concat, 0)
OP_UNPACK: {
    Value source = RA;
    Value *out = &RB;
    if (LIKELY(fast_is_exact(vm, source, KIND_TUPLE)) &&
        value_as_tuple(source)->count == INS_C(ins) &&
        (uint32_t)(INS_A(ins) - INS_B(ins)) >= INS_C(ins)) {
        f->pc = pc;
        for (uint32_t i = 0; i < INS_C(ins); i++) {
            Value item = value_retain(value_as_tuple(source)->items[i]);
            SET(out[i], item);
        }
        DROP_TEMPORARY(INS_A(ins), UINT32_MAX);
        NEXT();
    }
    SLOW_HERE(slow_unpack)
}
    SLOW(UNPACKX, slow_unpackx, 0)

    // --- calls ---
OP_CALL:
    window = &RA + 1;
    count = INS_B(ins);
call_window: {
    Value callee = window[-1];
    f->pc = pc;
    if (LIKELY(value_is_kind(callee, KIND_FUNCTION))) {
        Function *function = (Function *)value_object(callee);
        Code *code = function->code;
        if (LIKELY(code->direct_count == count && f + 1 < vm->frames_end &&
                   window + code->register_count + 8 <= vm->stack_end &&
                   fast_quiet(vm))) {
            for (uint32_t i = count; i < code->local_count; i++) {
                window[i] = VALUE_UNBOUND;
            }
            f++;
            f->pc = pc = code->words;
            f->registers = R = window;
            f->code = code;
            f->globals = function->globals;
            f->cells = function->cells;
            f->flags = 0;
            f->handled = (uint32_t)vm->handled.count;
            vm->frame = f;
            K = code->constants;
            if (UNLIKELY(vm->ctx.interrupt)) {
                goto interrupted;
            }
            NEXT();
        }
    }
    keywords = NULL;
}
call_slowly: {
    f->pc = pc;
    int entered = vm_enter(vm, window, count, keywords);
    if (UNLIKELY(entered < 0)) {
        goto error;
    }
    if (entered) {
        LOAD_FRAME();
    }
    if (UNLIKELY(vm->ctx.interrupt)) {
        goto interrupted;
    }
    NEXT();
}
OP_CALLM:
    count = INS_B(ins);
    window = method_window(&RA, &count);
    goto call_window;
OP_CALLK:
    window = &RA + 1;
    count = INS_B(ins);
    keywords = (Tuple *)value_object(KC);
    goto call_slowly;
OP_CALLMK:
    count = INS_B(ins);
    window = method_window(&RA, &count);
    keywords = (Tuple *)value_object(KC);
    goto call_slowly;
    SLOW(CALLX, slow_callx, 0)
    SLOW(MAKEFUNC, slow_makefunc, 0)
    SLOW(MKCLASS, slow_mkclass, 0)
OP_RET:
OP_RETGEN:
    result = RA;
    // An UNBOUND temporary is meant: an entry of the prompt has no value.
    if (UNLIKELY(value_unbound(result)) &&
        INS_A(ins) < f->code->local_count) {
        f->pc = pc;
        slow_unbound(vm, f, INS_A(ins));
        goto error;
    }
    RA = VALUE_UNBOUND;
    goto leave;
OP_RETN:
    result = VALUE_NONE;
leave:
    for (uint32_t i = 0; i < INS_B(ins); i++) {
        if (value_is_object(R[i])) {
            SET(R[i], VALUE_UNBOUND);
        }
    }
    if (UNLIKELY(vm->handled.count > f->handled)) {
        vm_cut_handled(vm, f->handled);
    }
    if (LIKELY(f->flags == 0)) {
        // The callee's register takes the result.
        window = R;
        vm->frame = --f;
        pc = f->pc;
        R = f->registers;
        K = f->code->constants;
        SET(window[-1], result);
        NEXT();
    }
    f->pc = pc;
    switch (vm_leave(vm, result)) {
    case LEAVE_TO_C:
        return result;
    case LEAVE_FAILED:
        goto error;
    case LEAVE_ON:
        break;
    }
    LOAD_FRAME();
    NEXT();
OP_YIELD:
    f->pc = pc;
    result = RA;
    if (UNLIKELY(value_unbound(result))) {
        slow_unbound(vm, f, INS_A(ins));
        goto error;
    }
    RA = VALUE_UNBOUND;
    if (f->flags & FRAME_ENTRY) {
        return result;
    }
    if (UNLIKELY(!vm_yield(vm, result))) {
        goto error;
    }
    // The FORLOOP that had asked goes on with the item.
    LOAD_FRAME();
    JUMP(INS_CI(pc[-1]));
    NEXT();
    SLOW(GETYFI, slow_getyfi, 0)
OP_SEND:
    SLOW_JUMP(slow_send);

    // --- loops ---
OP_FORPREP:
    f->pc = pc;
    if (!slow_forprep(vm, f, ins)) {
        goto error;
    }
    pc += INS_CI(ins);
    NEXT();
OP_GETITER:
    f->pc = pc;
    if (!slow_getiter(vm, f, ins)) {
        goto error;
    }
    pc += INS_CI(ins);
    NEXT();
OP_FORLOOP: {
    Value *state = &RA, item;
    if (LIKELY(value_same(state[0], VALUE_RANGE_MARK))) {
        if (value_rank(state[2]) > 0) {
            item = state[1];
            // Behind the last item the sum may wrap: nobody reads it then.
            (void)value_add_small(item, state[3], &state[1]);
            (void)value_sub_small(state[2], value_from_small(1), &state[2]);
            SET(RB, item);
            JUMP(INS_CI(ins));
            NEXT();
        }
    } else if (fast_next(vm, state, &item)) {
        SET(RB, item);
        JUMP(INS_CI(ins));
        NEXT();
    } else if (value_is_kind(state[0], KIND_GENERATOR)) {
        f->pc = pc;
        int resumed = vm_resume(vm, (Generator *)value_object(state[0]));
        if (UNLIKELY(resumed < 0)) {
            goto error;
        }
        if (LIKELY(resumed)) {
            LOAD_FRAME();
            NEXT();
        }
    }
    SLOW_JUMP(slow_for_next);
}

    // --- exceptions ---
    SLOW(RAISE, slow_raise, 0)
    SLOW(RERAISE, slow_reraise, 0)
    SLOW(RAISE_AGAIN, slow_raise_again, 0)
    SLOW(PUSHEXC, slow_pushexc, 0)
    SLOW_DROP(POPEXC, slow_popexc, 0)
OP_MATCH:
    SLOW_JUMP(slow_match);
    SLOW(ASSERTFAIL, slow_assertfail, 0)
    SLOW(WITHENTER, slow_withenter, 0)
    SLOW(WITHEXIT, slow_withexit, 0)
    SLOW(WITHEXC, slow_withexc, 0)

    // --- modules ---
    SLOW(IMPORT, slow_import, 0)
    SLOW(IMPORTFROM, slow_importfrom, 0)
    SLOW(IMPORTSTAR, slow_importstar, 0)
    SLOW(ANNOTATE, slow_annotate, 0)

    // --- staged blocks ---
OP_BLOCKIF:
OP_BLOCKELSE:
OP_BLOCKJOIN:
OP_BLOCKTRUTH:
OP_BLOCKNOT:
OP_BLOCKHEAD:
OP_BLOCKWHILE:
OP_BLOCKNEXT:
OP_BLOCKFOR:
OP_BLOCKRANGE:
OP_BLOCKSTOP:
OP_BLOCKASSERT:
OP_BLOCKFAIL:
    f->pc = pc;
    pc = slow_block(vm, f, ins);
    if (UNLIKELY(pc == NULL)) {
        goto error;
    }
    if (UNLIKELY(vm->ctx.interrupt)) {
        goto interrupted;
    }
    NEXT();

interrupted:
    f->pc = pc;
    if (cycles_poll(vm)) {
        NEXT();
    }
error:
    if (!vm_unwind(vm)) {
        return VALUE_FAIL;
    }
    LOAD_FRAME();
    NEXT();
}
