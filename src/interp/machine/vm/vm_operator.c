// Slow paths: operators, comparisons and conditions.
//
// An operator that a class written in Duet defines is called without a level
// of C: slow_binary pushes a frame and returns true, and when that returns
// vm_deliver finishes the instruction. The operands stay in their registers
// meanwhile.
//
// All other operators go by protocol.h. An operator that fails leaves its
// operands where they are.
// The exception is append_text, which must hold the only reference to its text.
#include "interp/hooks/tracing.h"
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/text/obj_str.h"

// --- arithmetic ---

static Value act_binary(Vm *vm, Value b, Value c, int op)
{
    return value_binary(vm, (BinaryOp)op, b, c);
}

static Value act_inplace(Vm *vm, Value b, Value c, int op)
{
    return value_inplace(vm, (BinaryOp)op, b, c);
}

// x = 1 marks augmented assignment: the left operand may change in place.
static Value operate(Vm *vm, Ins ins, BinaryOp op, Value b, Value c)
{
    OperandsFn act = INS_X(ins) & 1 ? act_inplace : act_binary;
    return vm->trace != NULL ? operate_traced(vm, b, c, act, (int)op)
                             : act(vm, b, c, (int)op);
}

// The global of `a += c` where the SETG that follows will store the sum and
// only the global and the register hold the text: the global gives its
// reference up as well, or each line of a loop at module level would copy all
// of the text. NULL: not so.
static DictEntry *appended_global(const Vm *vm, const Frame *f, Ins ins)
{
    Ins next = f->pc[0];
    Dict *globals = f->globals;
    if (INS_OP(next) != OPCODE_SETG || INS_A(next) != INS_A(ins) ||
        vm->trace != NULL || (globals->head.flags & OBJECT_WATCHED)) {
        return NULL;
    }
    Value name = f->code->constants[INS_B(next)];
    int32_t entry = dict_find_name(globals, value_as_str(name));
    return entry >= 0 && value_same(globals->entries[entry].value,
                                    f->registers[INS_A(ins)])
               ? &globals->entries[entry]
               : NULL;
}

// `a = a + c` of texts: the register gives its reference up, so that a text
// that nobody else has grows in place.
static bool append_text(Vm *vm, Frame *f, Ins ins)
{
    Value *place = &f->registers[INS_A(ins)];
    Value c = f->registers[INS_C(ins)];
    Str *left = value_as_str(*place);
    DictEntry *global = left->head.rc == 2 && !value_same(*place, c)
                            ? appended_global(vm, f, ins)
                            : NULL;
    if (global != NULL) {
        // The global's reference; None stands there while the text grows.
        left->head.rc--;
        global->value = VALUE_NONE;
    }
    *place = VALUE_UNBOUND;
    Str *text = str_append(vm, left, value_as_str(c));
    if (text == NULL) {
        return false;
    }
    *place = value_from_object(text);
    if (global != NULL) {
        global->value = value_retain(*place);
    }
    slow_drop(vm, f, INS_C(ins));
    return true;
}

// Exactly str: a subclass may have an __add__ of its own.
static bool is_text(const Vm *vm, Value v)
{
    return value_is_kind(v, KIND_STR) &&
           value_object(v)->type == vm->types[KIND_STR];
}

// The method of a class written in Duet that decides b <op> c alone, as far
// as it does not decline: the right operand has no say before it. NULL: ask
// the protocol.
static Function *operator_method(Vm *vm, Ins ins, BinaryOp op, Value b, Value c)
{
    if (!value_is_object(b)) {
        return NULL;
    }
    // A class on the right may have a reflected method that goes first.
    Type *left = value_object(b)->type, *right = type_of(vm, c);
    if (!(left->flags & TYPE_HEAP) ||
        (left != right && (right->flags & TYPE_HEAP))) {
        return NULL;
    }
    NameId plain = NAME_ADD + 3 * op;
    if ((INS_X(ins) & 1) &&
        !value_unbound(type_lookup_special(vm, left, plain + 2))) {
        return NULL;
    }
    Value found = type_lookup_special(vm, left, plain);
    return value_is_kind(found, KIND_FUNCTION) ? (Function *)value_object(found)
                                               : NULL;
}

// Whether the instruction is the last that needs what the register holds.
static unsigned is_last(const Frame *f, Ins ins, int32_t reg)
{
    return reg == (int32_t)INS_A(ins) || reg >= (int32_t)f->code->local_count;
}

// By the slot binary_last. The registers are -1 where an operand is a constant.
static Value operate_last(Vm *vm, const Frame *f, Ins ins, BinaryOp op, Value b,
                          Value c, int32_t from, int32_t with)
{
    Value self = value_is_object(b) ? b : c;
    if (!value_is_object(self)) {
        return VALUE_UNBOUND;
    }
    const Type *type = value_object(self)->type;
    return type->slots.binary_last == NULL
               ? VALUE_UNBOUND
               : type->slots.binary_last(vm, op, b, c,
                                         is_last(f, ins, from) |
                                             is_last(f, ins, with) << 1);
}

// An operator whose operands are in registers, or constants: -1.
static bool finish_binary(Vm *vm, Frame *f, Ins ins, BinaryOp op, Value b,
                          Value c, int32_t from, int32_t with)
{
    Value result = operate_last(vm, f, ins, op, b, c, from, with);
    return slow_finish(
        vm, f, ins, value_unbound(result) ? operate(vm, ins, op, b, c) : result,
        from, with);
}

// In the order of cost: growing a text in place, a frame for a method, C.
bool slow_binary(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    BinaryOp op = (BinaryOp)(INS_OP(ins) - OPCODE_ADD);
    Value b = f->registers[INS_B(ins)], c = f->registers[INS_C(ins)];
    if (op == BINARY_ADD && INS_A(ins) == INS_B(ins) &&
        INS_A(ins) != INS_C(ins) && is_text(vm, b) && is_text(vm, c)) {
        return append_text(vm, f, ins);
    }
    if (op == BINARY_ADD && is_text(vm, b) && is_text(vm, c)) {
        Str *text = str_concat(vm, value_as_str(b), value_as_str(c));
        return slow_finish(vm, f, ins, value_or_fail(text), INS_B(ins),
                           INS_C(ins));
    }
    Function *method = operator_method(vm, ins, op, b, c);
    // Borrowed: the operands stay in their registers.
    Value args[] = {b, c};
    if (method != NULL && vm_can_operate(vm, method, 2)) {
        return vm_operate(vm, method, args, 2);
    }
    return finish_binary(vm, f, ins, op, b, c, INS_B(ins), INS_C(ins));
}

// The int stands in the instruction; ops[] has the order of the opcodes.
bool slow_binary_i(Vm *vm, Frame *f, Ins ins)
{
    static const BinaryOp ops[] = {BINARY_ADD,      BINARY_SUB,   BINARY_MUL,
                                   BINARY_FLOORDIV, BINARY_MOD,   BINARY_AND,
                                   BINARY_LSHIFT,   BINARY_RSHIFT};
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    return finish_binary(vm, f, ins, ops[INS_OP(ins) - OPCODE_ADDI],
                         f->registers[INS_B(ins)],
                         value_from_small(INS_CI(ins)), INS_B(ins), -1);
}

static const BinaryOp constant_ops[] = {BINARY_ADD, BINARY_SUB, BINARY_MUL,
                                        BINARY_TRUEDIV};

// The right operand is a constant, which cannot be unbound.
bool slow_binary_k(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    return finish_binary(vm, f, ins, constant_ops[INS_OP(ins) - OPCODE_ADDK],
                         f->registers[INS_B(ins)],
                         f->code->constants[INS_C(ins)], INS_B(ins), -1);
}

// The left operand is a constant; in-place forms do not arise.
bool slow_k_binary(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    return finish_binary(vm, f, ins, constant_ops[INS_OP(ins) - OPCODE_KADD],
                         f->code->constants[INS_B(ins)],
                         f->registers[INS_C(ins)], -1, INS_C(ins));
}

// `not` gives a bool whatever the operand is; the others ask its type.
bool slow_unary(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    Value operand = f->registers[INS_B(ins)];
    Value result;
    // `not` of an instance asks its __bool__ in a frame.
    int entered = INS_X(ins) == UNARY_NOT
                      ? vm_special(vm, NAME_BOOL, &operand, 1)
                      : vm_special(vm, NAME_NEG + INS_X(ins), &operand, 1);
    if (entered != 0) {
        return entered > 0;
    }
    if (INS_X(ins) == UNARY_NOT) {
        int truth = value_truth(vm, operand);
        result = truth < 0 ? VALUE_FAIL : value_from_bool(!truth);
    } else {
        result = value_unary(vm, (UnaryOp)INS_X(ins), operand);
    }
    return slow_finish(vm, f, ins, result, INS_B(ins), -1);
}

// As vm_special, for the comparison a <op> b: the left operand's method, where
// the right one's class has no say before it; the container's for `in`.
static int enter_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (op == COMPARE_IN || op == COMPARE_NOT_IN) {
        Value args[] = {b, a};
        return vm_special(vm, NAME_CONTAINS, args, 2);
    }
    if (op > COMPARE_GE || !value_is_object(a)) {
        return 0;
    }
    // A class on the right may derive from the left one and go first.
    Type *left = value_object(a)->type, *right = type_of(vm, b);
    if (left != right && (right->flags & TYPE_HEAP)) {
        return 0;
    }
    Value args[] = {a, b};
    if (!(left->flags & TYPE_HEAP)) {
        return 0;
    }
    return vm_special(vm, NAME_LT + op, args, 2);
}

// Whether a list or tuple has an item, as far as that is seen without code of
// the program: 1, 0, -1: ask the protocol.
static int quick_member(Vm *vm, const Value *items, size_t count, Value item)
{
    bool text = is_text(vm, item);
    if ((!text && !value_is_int(item)) || (text && vm->trace != NULL)) {
        return -1;
    }
    // Ints, texts and None are equal to their own kind alone.
    for (size_t i = 0; i < count; i++) {
        Value each = items[i];
        if (value_same(each, item)) {
            return 1;
        }
        if (is_text(vm, each)) {
            if (text && str_equal(value_as_str(each), value_as_str(item))) {
                return 1;
            }
        } else if (!value_is_int(each) && !value_is_none(each)) {
            return -1;
        }
    }
    return 0;
}

// What a comparison gives before the protocol is asked, beside 1 and 0.
enum { QUICK_UNKNOWN = -1, QUICK_FAILED = -2 };

enum { QUICK_WALK = 64 }; // longer walks poll

// `in` of containers that no method of the program answers for.
static int quick_contains(Vm *vm, Value container, Value item)
{
    if (!value_is_object(container) || vm->trace != NULL) {
        return QUICK_UNKNOWN;
    }
    const Type *type = value_object(container)->type;
    int found = QUICK_UNKNOWN;
    if (type == vm->types[KIND_LIST]) {
        const List *list = value_as_list(container);
        if (list->count <= QUICK_WALK) {
            found = quick_member(vm, list->items, list->count, item);
        }
    } else if (type == vm->types[KIND_TUPLE]) {
        const Tuple *tuple = value_as_tuple(container);
        if (tuple->count <= QUICK_WALK) {
            found = quick_member(vm, tuple->items, tuple->count, item);
        }
    } else if (!(type->flags & TYPE_HEAP) && type->slots.contains != NULL) {
        found = type->slots.contains(vm, container, item);
        return found < 0 ? QUICK_FAILED : found;
    }
    return found;
}

// a == b of texts, of tuples of plain things, of a text or None and a number.
static int quick_equal(const Vm *vm, Value a, Value b)
{
    bool text = is_text(vm, a);
    if (text || is_text(vm, b)) {
        if (text && is_text(vm, b)) {
            return vm->trace != NULL
                       ? QUICK_UNKNOWN
                       : str_equal(value_as_str(a), value_as_str(b));
        }
        // Whatever is no object is bound to be of another type.
        Value other = text ? b : a;
        return value_is_object(other) ? QUICK_UNKNOWN : 0;
    }
    if (value_is_object(a)) {
        return tuple_equal_simple(vm, a, b);
    }
    return (value_is_none(a) && value_is_int(b)) ||
                   (value_is_none(b) && value_is_int(a))
               ? 0
               : QUICK_UNKNOWN;
}

// b <op> c, where no code of the program and no tensor has a say in it.
static int quick_compare(Vm *vm, CompareOp op, Value b, Value c)
{
    int answer = QUICK_UNKNOWN;
    if (op == COMPARE_EQ || op == COMPARE_NE) {
        answer = quick_equal(vm, b, c);
    } else if (op == COMPARE_IN || op == COMPARE_NOT_IN) {
        answer = quick_contains(vm, c, b);
    }
    bool negated = op == COMPARE_NE || op == COMPARE_NOT_IN;
    return answer < 0 ? answer : answer != negated;
}

static Value act_compare(Vm *vm, Value b, Value c, int op)
{
    return value_compare(vm, (CompareOp)op, b, c);
}

// What == gave: a truth, or a tensor that is one. Takes it.
static Value truth_traced(Vm *vm, Value equal)
{
    if (value_failed(equal) || value_is_kind(equal, KIND_SYMBOLIC)) {
        return equal;
    }
    int truth = value_truth(vm, equal);
    release(vm, equal);
    return truth < 0 ? VALUE_FAIL : value_from_bool(truth);
}

// Whether an item of a list or tuple equals `item`, where tensors decide; the
// items are compared in turn, as without a trace, but for those behind one that
// may be it. UNBOUND: a tensor decides that is not one truth.
static Value member_traced(Vm *vm, Value sequence, Value item)
{
    Tuple *items = value_to_tuple(vm, sequence);
    Value found = items != NULL ? VALUE_FALSE : VALUE_FAIL;
    for (size_t i = 0; items != NULL && i < items->count; i++) {
        Value each = items->items[i];
        Value equal =
            value_same(each, item)
                ? VALUE_TRUE
                : truth_traced(vm, value_compare(vm, COMPARE_EQ, each, item));
        if (value_same(equal, VALUE_FALSE) && ctx_poll(&vm->ctx)) {
            continue;
        }
        Value rest = found;
        found = value_is_kind(equal, KIND_SYMBOLIC)
                    ? vm->hooks->choose(vm, equal, VALUE_TRUE, rest)
                : value_same(equal, VALUE_TRUE) ? VALUE_TRUE
                                                : VALUE_FAIL;
        release(vm, rest);
        release(vm, value_failed(equal) ? VALUE_NONE : equal);
        if (!value_is_kind(found, KIND_SYMBOLIC)) {
            break;
        }
    }
    object_release_null(&vm->ctx, items);
    return value_is_kind(found, KIND_SYMBOLIC) ? vm->hooks->number(vm, found)
                                               : found;
}

// `in` where the graph may have the answer; UNBOUND: it has none.
static Value contains_traced(Vm *vm, Value container, Value item)
{
    Type *type = type_of(vm, container);
    if (type == vm->types[KIND_LIST] || type == vm->types[KIND_TUPLE]) {
        return member_traced(vm, container, item);
    }
    // Of an object whose type has a method for it.
    if (!value_is_kind(container, KIND_OPAQUE) ||
        !type_has(vm, type, NAME_CONTAINS)) {
        return VALUE_UNBOUND;
    }
    Value method = value_get_attr(vm, container, vm->names[NAME_CONTAINS]);
    Value found =
        value_failed(method) ? VALUE_FAIL : vm_call(vm, method, &item, 1);
    release(vm, method);
    return found;
}

static Value compare_traced(Vm *vm, CompareOp op, Value b, Value c)
{
    bool negated = op == COMPARE_NOT_IN;
    bool asks = op == COMPARE_IN || negated;
    Value found = asks ? contains_traced(vm, c, b) : VALUE_UNBOUND;
    if (value_unbound(found)) {
        return operate_traced(vm, b, c, act_compare, (int)op);
    }
    if (!negated || value_failed(found)) {
        return found;
    }
    Value opposite = value_opposite(vm, found);
    release(vm, found);
    return opposite;
}

// Any value may come out: tensors compare element by element.
bool slow_compare(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    CompareOp op = (CompareOp)(INS_X(ins) & 15);
    Value b = f->registers[INS_B(ins)], c = f->registers[INS_C(ins)];
    int answer = quick_compare(vm, op, b, c);
    if (LIKELY(answer >= 0)) {
        return slow_finish(vm, f, ins, value_from_bool(answer), INS_B(ins),
                           INS_C(ins));
    }
    if (answer == QUICK_FAILED) {
        return false;
    }
    // A method of the program runs in a frame of its own.
    int entered = enter_compare(vm, op, b, c);
    if (entered != 0) {
        return entered > 0;
    }
    Value result = vm->trace != NULL ? compare_traced(vm, op, b, c)
                                     : value_compare(vm, op, b, c);
    return slow_finish(vm, f, ins, result, INS_B(ins), INS_C(ins));
}

// Takes `owned`: 1, 0, or -1 for an error, also that of a failed comparison.
static int truth_of(Vm *vm, Value owned)
{
    if (value_is_bool(owned)) {
        return value_same(owned, VALUE_TRUE);
    }
    if (value_failed(owned)) {
        return -1;
    }
    int truth = value_truth(vm, owned);
    release(vm, owned);
    return truth;
}

// What a fused jump compares by, whether it jumps where that does not hold, and
// whether its second operand stands in the instruction.
typedef struct Fused {
    uint8_t op; // CompareOp
    bool negated, with_int;
} Fused;

// Six comparisons: with registers and with ints, as they are and negated.
#define FUSED_SIX(prefix, suffix, negated, with_int)                           \
    [OPCODE_J##prefix##LT##suffix] = {COMPARE_LT, negated, with_int},          \
    [OPCODE_J##prefix##LE##suffix] = {COMPARE_LE, negated, with_int},          \
    [OPCODE_J##prefix##EQ##suffix] = {COMPARE_EQ, negated, with_int},          \
    [OPCODE_J##prefix##NE##suffix] = {COMPARE_NE, negated, with_int},          \
    [OPCODE_J##prefix##GT##suffix] = {COMPARE_GT, negated, with_int},          \
    [OPCODE_J##prefix##GE##suffix] = {COMPARE_GE, negated, with_int}
static const Fused fused_jumps[] = {
    FUSED_SIX(, , false, false),
    FUSED_SIX(N, , true, false),
    FUSED_SIX(, I, false, true),
    FUSED_SIX(N, I, true, true),
    [OPCODE_JIS] = {COMPARE_IS, false, false},
    [OPCODE_JNIS] = {COMPARE_IS, true, false},
};
#undef FUSED_SIX

static int finish_jump(Vm *vm, Frame *f, Ins ins, bool truth)
{
    const Fused *fused = &fused_jumps[INS_OP(ins)];
    slow_drop(vm, f, INS_A(ins));
    if (!fused->with_int) {
        slow_drop(vm, f, INS_B(ins));
    }
    return truth != fused->negated;
}

// `and` and `or` keep the operand that decides.
static int finish_truth_jump(Vm *vm, Frame *f, Ins ins, bool truth)
{
    Opcode op = (Opcode)INS_OP(ins);
    bool wants = op == OPCODE_JTRUE || op == OPCODE_JTRUE_KEEP;
    bool keeps = op == OPCODE_JTRUE_KEEP || op == OPCODE_JFALSE_KEEP;
    bool jump = truth == wants;
    if (!(keeps && jump)) {
        slow_drop(vm, f, INS_A(ins));
    }
    return jump;
}

// The comparison runs before the operands are emptied, since it may fail and a
// handler then releases them.
int slow_jump(Vm *vm, Frame *f, Ins ins)
{
    const Fused *fused = &fused_jumps[INS_OP(ins)];
    CompareOp op = (CompareOp)fused->op;
    bool with_int = fused->with_int;
    if (!slow_bound(vm, f, INS_A(ins)) ||
        (!with_int && !slow_bound(vm, f, INS_B(ins)))) {
        return -1;
    }
    Value a = f->registers[INS_A(ins)];
    Value b =
        with_int ? value_from_small(INS_BI(ins)) : f->registers[INS_B(ins)];
    int truth = quick_compare(vm, op, a, b);
    if (truth == QUICK_FAILED) {
        return -1;
    }
    if (truth < 0) {
        int entered = enter_compare(vm, op, a, b);
        if (entered != 0) {
            return entered > 0 ? 0 : -1;
        }
        truth = truth_of(vm, value_compare(vm, op, a, b));
    }
    return truth < 0 ? -1 : finish_jump(vm, f, ins, truth);
}

int slow_jump_truth(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins))) {
        return -1;
    }
    int entered = vm_special(vm, NAME_BOOL, &f->registers[INS_A(ins)], 1);
    if (entered != 0) {
        return entered > 0 ? 0 : -1;
    }
    int truth = value_truth(vm, f->registers[INS_A(ins)]);
    return truth < 0 ? -1 : finish_truth_jump(vm, f, ins, truth);
}

int slow_jump_answered(Vm *vm, Frame *f, Ins ins, Value answer)
{
    Opcode op = (Opcode)INS_OP(ins);
    if (op >= OPCODE_JTRUE) {
        int truth = vm_bool_answer(vm, answer);
        return truth < 0 ? -1 : finish_truth_jump(vm, f, ins, truth);
    }
    const Fused *fused = &fused_jumps[op];
    if (value_same(answer, VALUE_NOT_IMPLEMENTED)) {
        Value b = fused->with_int ? value_from_small(INS_BI(ins))
                                  : f->registers[INS_B(ins)];
        answer = value_compare_declined(vm, (CompareOp)fused->op,
                                        f->registers[INS_A(ins)], b);
    }
    int truth = truth_of(vm, answer);
    return truth < 0 ? -1 : finish_jump(vm, f, ins, truth);
}
