// The dispatch loop: fast paths alone; what is rare is in vm_*.c.
//
// Invariant: frame->pc is stored before anything that can fail, run Duet code
// or look at the frame; it then stands right behind the instruction.
#include "interp/attr.h"
#include "interp/note.h"
#include "interp/obj_float.h"
#include "interp/obj_list.h"
#include "interp/vm_run.h"

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
#define SET(reg, v)                                                           \
    do {                                                                      \
        Value *place_ = &(reg);                                               \
        Value new_ = (v), old_ = *place_;                                     \
        *place_ = new_;                                                       \
        value_release(&vm->ctx, old_);                                        \
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
#define SLOW_HERE(function)                                                   \
    f->pc = pc;                                                               \
    if (UNLIKELY(!function(vm, f, ins))) {                                    \
        goto error;                                                           \
    }                                                                         \
    NEXT();
#define JUMP(distance)                                                        \
    do {                                                                      \
        int32_t distance_ = (distance);                                       \
        pc += distance_;                                                      \
        if (distance_ < 0 && UNLIKELY(vm->ctx.interrupt)) {                   \
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

#define FLOAT_RESULT(d)                                                       \
    Value number = value_try_float(d);                                        \
    if (LIKELY(!value_unbound(number))) {                                     \
        SET(RA, number);                                                      \
        NEXT();                                                               \
    }
#define ARITHMETIC(ID, sign, builtin)                                         \
    OP_##ID :                                                                  \
    {                                                                         \
        Value b = RB, c = RC;                                                 \
        if (value_both_ints(b, c)) {                                          \
            int64_t sum;                                                      \
            if (LIKELY(!builtin(value_small(b), value_small(c), &sum) &&      \
                       value_int_fits(sum))) {                                \
                SET(RA, value_from_small(sum));                               \
                NEXT();                                                       \
            }                                                                 \
        } else if (value_both_immediate_floats(b, c)) {                       \
            FLOAT_RESULT(value_immediate_float(b)                             \
                             sign value_immediate_float(c))                   \
        }                                                                     \
        SLOW_HERE(slow_binary)                                                \
    }
#define ARITHMETIC_I(ID, sign, builtin)                                       \
    OP_##ID :                                                                  \
    {                                                                         \
        Value b = RB;                                                         \
        int64_t sum;                                                          \
        if (LIKELY(value_is_int(b) &&                                         \
                   !builtin(value_small(b), (int64_t)INS_CI(ins), &sum) &&    \
                   value_int_fits(sum))) {                                    \
            SET(RA, value_from_small(sum));                                   \
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
            int64_t l = value_small(a), r = value_small(b);                   \
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
            int64_t l = value_small(a), r = INS_BI(ins);                      \
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
#define CALL_WINDOW(window, count, keywords)                                  \
    do {                                                                      \
        f->pc = pc;                                                           \
        int entered_ = vm_enter(vm, window, count, keywords);                 \
        if (UNLIKELY(entered_ < 0)) {                                         \
            goto error;                                                       \
        }                                                                     \
        if (entered_) {                                                       \
            LOAD_FRAME();                                                     \
        }                                                                     \
        if (UNLIKELY(vm->ctx.interrupt)) {                                    \
            goto interrupted;                                                 \
        }                                                                     \
        NEXT();                                                               \
    } while (0)

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
    Value result;
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
    SLOW(DELETE, slow_delete, 0)

    // --- arithmetic ---
    ARITHMETIC(ADD, +, __builtin_add_overflow)
    ARITHMETIC(SUB, -, __builtin_sub_overflow)
    ARITHMETIC(MUL, *, __builtin_mul_overflow)
OP_TRUEDIV: {
    Value b = RB, c = RC;
    if (value_both_immediate_floats(b, c) && value_immediate_float(c) != 0) {
        FLOAT_RESULT(value_immediate_float(b) / value_immediate_float(c))
    }
    SLOW_HERE(slow_binary)
}
    SLOW(FLOORDIV, slow_binary, 0)
    SLOW(MOD, slow_binary, 0)
    SLOW(POW, slow_binary, 0)
    SLOW(MATMUL, slow_binary, 0)
OP_AND: {
    Value b = RB, c = RC;
    if (value_both_ints(b, c)) {
        SET(RA, value_from_small(value_small(b) & value_small(c)));
        NEXT();
    }
    SLOW_HERE(slow_binary)
}
    SLOW(OR, slow_binary, 0)
    SLOW(XOR, slow_binary, 0)
    SLOW(LSHIFT, slow_binary, 0)
    SLOW(RSHIFT, slow_binary, 0)
    ARITHMETIC_I(ADDI, +, __builtin_add_overflow)
    ARITHMETIC_I(SUBI, -, __builtin_sub_overflow)
    ARITHMETIC_I(MULI, *, __builtin_mul_overflow)
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
    if (value_is_int(RB)) {
        SET(RA, value_from_small(value_small(RB) & INS_CI(ins)));
        NEXT();
    }
    SLOW_HERE(slow_binary_i)
    SLOW(LSHIFTI, slow_binary_i, 0)
    SLOW(RSHIFTI, slow_binary_i, 0)
    ARITHMETIC_K(ADDK, +, RB, KC, slow_binary_k)
    ARITHMETIC_K(SUBK, -, RB, KC, slow_binary_k)
    ARITHMETIC_K(MULK, *, RB, KC, slow_binary_k)
    SLOW(TRUEDIVK, slow_binary_k, 0)
    ARITHMETIC_K(KADD, +, KB, RC, slow_k_binary)
    ARITHMETIC_K(KSUB, -, KB, RC, slow_k_binary)
    ARITHMETIC_K(KMUL, *, KB, RC, slow_k_binary)
    SLOW(KTRUEDIV, slow_k_binary, 0)
    SLOW(UNARY, slow_unary, 0)
    SLOW(COMPARE, slow_compare, 0)

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
OP_JIS:
OP_JNIS:
    SLOW_JUMP(slow_jump);
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
    if (LIKELY(vm->trace == NULL && index < globals->used &&
               value_same(globals->entries[index].key, KB))) {
        SET(RA, value_retain(globals->entries[index].value));
        pc += 2;
        NEXT();
    }
    index = (uint32_t)(pc[0] >> 32);
    if (LIKELY(vm->trace == NULL && index > 0 &&
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
    SLOW(SETG, slow_setg, 1)
    SLOW(DELG, slow_delg, 0)
    SLOW(GETN, slow_getn, 0)
    SLOW(GETNC, slow_getnc, 0)
    SLOW(SETN, slow_setn, 0)
    SLOW(DELN, slow_deln, 0)
    SLOW(MKCELL, slow_mkcell, 0)
    SLOW(GETCELL, slow_getcell, 0)
    SLOW(SETCELL, slow_setcell, 0)
    SLOW(DELCELL, slow_delcell, 0)
    SLOW(GETCAP, slow_getcap, 0)
    SLOW(SETCAP, slow_setcap, 0)
    SLOW(DELCAP, slow_delcap, 0)
OP_LOADCAP:
    SET(RA, value_retain(f->cells[INS_B(ins)]));
    NEXT();

    // --- attributes and items ---
OP_GETATTR: {
    const AttrCache *cache = (const AttrCache *)pc;
    Value b = RB;
    if (value_is_kind(b, KIND_INSTANCE) && vm->trace == NULL &&
        cache->shape != NULL && cache->epoch == (uint32_t)vm->epoch) {
        Instance *self = (Instance *)value_object(b);
        if (LIKELY(self->shape == cache->shape)) {
            Value v = value_retain(self->slots[cache->slot]);
            f->pc = pc;
            SET(RA, v);
            if (INS_B(ins) >= f->code->local_count &&
                INS_B(ins) != INS_A(ins)) {
                SET(RB, VALUE_UNBOUND);
            }
            pc += 2;
            NEXT();
        }
    }
    f->pc = pc;
    if (!slow_getattr(vm, f, ins)) {
        goto error;
    }
    pc += 2;
    NEXT();
}
    SLOW(SETATTR, slow_setattr, 3)
    SLOW(DELATTR, slow_delattr, 0)
    SLOW(LOADM, slow_loadm, 3)
OP_GETITEM: {
    Value b = RB, c = RC;
    if (value_is_kind(b, KIND_LIST) && value_is_int(c) && vm->trace == NULL &&
        value_object(b)->type == vm->types[KIND_LIST]) {
        List *list = value_as_list(b);
        int64_t i = value_small(c);
        i += i < 0 ? (int64_t)list->count : 0;
        if (LIKELY((uint64_t)i < list->count)) {
            Value v = value_retain(list->items[i]);
            SET(RA, v);
            if (INS_B(ins) >= f->code->local_count &&
                INS_B(ins) != INS_A(ins)) {
                SET(RB, VALUE_UNBOUND);
            }
            NEXT();
        }
    }
    SLOW_HERE(slow_getitem)
}
    SLOW(GETITEMI, slow_getitemi, 0)
    SLOW(SETITEM, slow_setitem, 0)
    SLOW(DELITEM, slow_delitem, 0)
    SLOW(SLICE, slow_slice, 0)

    // --- displays ---
    SLOW(LIST, slow_list, 0)
    SLOW(TUPLE, slow_tuple, 0)
    SLOW(SET, slow_set_display, 0)
    SLOW(DICT, slow_dict, 0)
    SLOW(APPEND, slow_append, 0)
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
    SLOW(UNPACK, slow_unpack, 0)
    SLOW(UNPACKX, slow_unpackx, 0)

    // --- calls ---
OP_CALL:
    CALL_WINDOW(&RA + 1, INS_B(ins), NULL);
OP_CALLM: {
    uint32_t count = INS_B(ins);
    Value *window = method_window(&RA, &count);
    CALL_WINDOW(window, count, NULL);
}
OP_CALLK:
    CALL_WINDOW(&RA + 1, INS_B(ins), (Tuple *)value_object(KC));
OP_CALLMK: {
    uint32_t count = INS_B(ins);
    Value *window = method_window(&RA, &count);
    CALL_WINDOW(window, count, (Tuple *)value_object(KC));
}
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
    f->pc = pc;
    for (uint32_t i = 0; i < INS_B(ins); i++) {
        SET(R[i], VALUE_UNBOUND);
    }
    if (UNLIKELY(vm->handled.count > f->handled)) {
        vm_cut_handled(vm, f->handled);
    }
    bool entry = f->flags & FRAME_ENTRY;
    vm->frame = f == vm->frames ? NULL : f - 1;
    if (entry) {
        return result;
    }
    LOAD_FRAME();
    // The callee's register takes the result.
    SET(f[1].registers[-1], result);
    NEXT();
OP_YIELD:
    f->pc = pc;
    result = RA;
    if (UNLIKELY(value_unbound(result))) {
        slow_unbound(vm, f, INS_A(ins));
        goto error;
    }
    RA = VALUE_UNBOUND;
    return result;
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
    Value *state = &RA;
    if (LIKELY(value_same(state[0], VALUE_RANGE_MARK))) {
        int64_t left = value_small(state[2]);
        if (left > 0) {
            Value i = state[1];
            state[2] = value_from_small(left - 1);
            state[1] = value_from_small(value_small(i) +
                                        value_small(state[3]));
            SET(RB, i);
            JUMP(INS_CI(ins));
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
    SLOW(POPEXC, slow_popexc, 0)
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

interrupted:
    f->pc = pc;
    if (ctx_poll(&vm->ctx)) {
        NEXT();
    }
error:
    if (!vm_unwind(vm)) {
        return VALUE_FAIL;
    }
    LOAD_FRAME();
    NEXT();
}
