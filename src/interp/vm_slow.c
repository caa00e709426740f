// Slow paths: operators, comparisons, conditions, attributes and items.
#include "interp/vm_run.h"

#include "interp/attr.h"
#include "interp/obj_iter.h"
#include "interp/obj_list.h"
#include "interp/obj_str.h"

bool slow_unbound(Vm *vm, const Frame *f, uint32_t reg)
{
    const Code *code = f->code;
    const Str *name = reg < code->local_count ? code->local_names[reg] : NULL;
    return raise_false(vm, ERR_UNBOUND_LOCAL,
                       "cannot access local variable '%s' where it is not "
                       "associated with a value",
                       name == NULL ? "?" : name->text);
}

bool slow_bound(Vm *vm, const Frame *f, uint32_t reg)
{
    return LIKELY(!value_unbound(f->registers[reg])) ||
           slow_unbound(vm, f, reg);
}

void slow_drop(Vm *vm, Frame *f, uint32_t reg)
{
    if (reg >= f->code->local_count) {
        value_replace(&vm->ctx, &f->registers[reg], VALUE_UNBOUND);
    }
}

bool slow_set(Vm *vm, Frame *f, uint32_t reg, Value v)
{
    if (value_failed(v)) {
        return false;
    }
    value_replace(&vm->ctx, &f->registers[reg], v);
    return true;
}

// A = v; the temporaries among the operands become empty.
static bool finish(Vm *vm, Frame *f, Ins ins, Value v, int32_t b, int32_t c)
{
    if (!slow_set(vm, f, INS_A(ins), v)) {
        return false;
    }
    if (b >= 0 && b != INS_A(ins)) {
        slow_drop(vm, f, (uint32_t)b);
    }
    if (c >= 0 && c != INS_A(ins) && c != b) {
        slow_drop(vm, f, (uint32_t)c);
    }
    return true;
}

static Value operate(Vm *vm, Ins ins, BinaryOp op, Value b, Value c)
{
    return INS_X(ins) ? value_inplace(vm, op, b, c)
                      : value_binary(vm, op, b, c);
}

bool slow_binary(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    Value *R = f->registers;
    BinaryOp op = (BinaryOp)(INS_OP(ins) - OPCODE_ADD);
    return finish(vm, f, ins,
                  operate(vm, ins, op, R[INS_B(ins)], R[INS_C(ins)]),
                  INS_B(ins), INS_C(ins));
}

bool slow_binary_i(Vm *vm, Frame *f, Ins ins)
{
    static const BinaryOp ops[] = {BINARY_ADD,      BINARY_SUB, BINARY_MUL,
                                   BINARY_FLOORDIV, BINARY_MOD, BINARY_AND,
                                   BINARY_LSHIFT,   BINARY_RSHIFT};
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    return finish(vm, f, ins,
                  operate(vm, ins, ops[INS_OP(ins) - OPCODE_ADDI],
                          f->registers[INS_B(ins)],
                          value_from_small(INS_CI(ins))),
                  INS_B(ins), -1);
}

static const BinaryOp constant_ops[] = {BINARY_ADD, BINARY_SUB, BINARY_MUL,
                                        BINARY_TRUEDIV};

bool slow_binary_k(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    return finish(vm, f, ins,
                  operate(vm, ins, constant_ops[INS_OP(ins) - OPCODE_ADDK],
                          f->registers[INS_B(ins)],
                          f->code->constants[INS_C(ins)]),
                  INS_B(ins), -1);
}

bool slow_k_binary(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    return finish(vm, f, ins,
                  value_binary(vm, constant_ops[INS_OP(ins) - OPCODE_KADD],
                               f->code->constants[INS_B(ins)],
                               f->registers[INS_C(ins)]),
                  -1, INS_C(ins));
}

bool slow_unary(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    Value operand = f->registers[INS_B(ins)];
    Value result;
    if (INS_X(ins) == UNARY_NOT) {
        int truth = value_truth(vm, operand);
        result = truth < 0 ? VALUE_FAIL : value_from_bool(!truth);
    } else {
        result = value_unary(vm, (UnaryOp)INS_X(ins), operand);
    }
    return finish(vm, f, ins, result, INS_B(ins), -1);
}

static Value compare(Vm *vm, CompareOp op, Value a, Value b)
{
    switch (op) {
    case COMPARE_IS: return value_from_bool(value_same(a, b));
    case COMPARE_IS_NOT: return value_from_bool(!value_same(a, b));
    default: return value_compare(vm, op, a, b);
    }
}

bool slow_compare(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    return finish(vm, f, ins,
                  compare(vm, (CompareOp)INS_X(ins), f->registers[INS_B(ins)],
                          f->registers[INS_C(ins)]),
                  INS_B(ins), INS_C(ins));
}

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

// The comparison of a fused jump, and whether the jump wants it false.
static CompareOp fused_op(Opcode op, bool *negated, bool *with_int)
{
    *with_int = op >= OPCODE_JLTI && op <= OPCODE_JNGEI;
    *negated = (op >= OPCODE_JNLT && op <= OPCODE_JNGE) ||
               (op >= OPCODE_JNLTI && op <= OPCODE_JNGEI) || op == OPCODE_JNIS;
    if (op == OPCODE_JIS || op == OPCODE_JNIS) {
        return COMPARE_IS;
    }
    return (CompareOp)((op - (*with_int ? OPCODE_JLTI : OPCODE_JLT)) % 6);
}

int slow_jump(Vm *vm, Frame *f, Ins ins)
{
    bool negated, with_int;
    CompareOp op = fused_op((Opcode)INS_OP(ins), &negated, &with_int);
    if (!slow_bound(vm, f, INS_A(ins)) ||
        (!with_int && !slow_bound(vm, f, INS_B(ins)))) {
        return -1;
    }
    Value b = with_int ? value_from_small(INS_BI(ins))
                       : f->registers[INS_B(ins)];
    int truth = truth_of(vm, compare(vm, op, f->registers[INS_A(ins)], b));
    if (truth < 0) {
        return -1;
    }
    slow_drop(vm, f, INS_A(ins));
    if (!with_int) {
        slow_drop(vm, f, INS_B(ins));
    }
    return truth != negated;
}

int slow_jump_truth(Vm *vm, Frame *f, Ins ins)
{
    Opcode op = (Opcode)INS_OP(ins);
    if (!slow_bound(vm, f, INS_A(ins))) {
        return -1;
    }
    int truth = value_truth(vm, f->registers[INS_A(ins)]);
    if (truth < 0) {
        return -1;
    }
    bool wants = op == OPCODE_JTRUE || op == OPCODE_JTRUE_KEEP;
    bool keeps = op == OPCODE_JTRUE_KEEP || op == OPCODE_JFALSE_KEEP;
    bool jump = truth == wants;
    if (!(keeps && jump)) {
        slow_drop(vm, f, INS_A(ins));
    }
    return jump;
}

// --- attributes and items ---

static Str *name_of(const Frame *f, uint32_t constant)
{
    return value_as_str(f->code->constants[constant]);
}

bool slow_getattr(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    AttrCache *cache = (AttrCache *)(uintptr_t)f->pc;
    return finish(vm, f, ins,
                  attr_load(vm, f->registers[INS_B(ins)],
                            name_of(f, INS_C(ins)), cache),
                  INS_B(ins), -1);
}

bool slow_setattr(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_A(ins))) {
        return false;
    }
    StoreCache *cache = (StoreCache *)(uintptr_t)f->pc;
    if (!attr_store(vm, f->registers[INS_A(ins)], name_of(f, INS_C(ins)),
                    f->registers[INS_B(ins)], cache)) {
        return false;
    }
    slow_drop(vm, f, INS_B(ins));
    slow_drop(vm, f, INS_A(ins));
    return true;
}

bool slow_delattr(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins)) ||
        !value_set_attr(vm, f->registers[INS_A(ins)], name_of(f, INS_C(ins)),
                        VALUE_UNBOUND)) {
        return false;
    }
    slow_drop(vm, f, INS_A(ins));
    return true;
}

bool slow_loadm(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    MethodCache *cache = (MethodCache *)(uintptr_t)f->pc;
    Value self = f->registers[INS_B(ins)], callee;
    const void *key = attr_method_key(self);
    int found = 1;
    if (key != NULL && key == cache->key && cache->epoch == vm->epoch) {
        callee = value_from_object(object_retain(cache->function));
    } else {
        found = attr_load_method(vm, self, name_of(f, INS_C(ins)), cache,
                                 &callee);
    }
    if (found < 0) {
        return false;
    }
    Value front = found ? value_retain(self) : VALUE_UNBOUND;
    uint32_t a = INS_A(ins), b = INS_B(ins);
    value_replace(&vm->ctx, &f->registers[a + 1], front);
    value_replace(&vm->ctx, &f->registers[a], callee);
    if (b != a && b != a + 1) {
        slow_drop(vm, f, b);
    }
    return true;
}

bool slow_getitem(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins)) || !slow_bound(vm, f, INS_C(ins))) {
        return false;
    }
    return finish(vm, f, ins,
                  value_get_item(vm, f->registers[INS_B(ins)],
                                 f->registers[INS_C(ins)]),
                  INS_B(ins), INS_C(ins));
}

bool slow_getitemi(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return false;
    }
    return finish(vm, f, ins,
                  value_get_item(vm, f->registers[INS_B(ins)],
                                 value_from_small(INS_CI(ins))),
                  INS_B(ins), -1);
}

bool slow_setitem(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_C(ins)) || !slow_bound(vm, f, INS_A(ins)) ||
        !slow_bound(vm, f, INS_B(ins)) ||
        !value_set_item(vm, f->registers[INS_A(ins)],
                        f->registers[INS_B(ins)], f->registers[INS_C(ins)])) {
        return false;
    }
    slow_drop(vm, f, INS_C(ins));
    slow_drop(vm, f, INS_B(ins));
    slow_drop(vm, f, INS_A(ins));
    return true;
}

bool slow_delitem(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins)) || !slow_bound(vm, f, INS_B(ins)) ||
        !value_set_item(vm, f->registers[INS_A(ins)],
                        f->registers[INS_B(ins)], VALUE_UNBOUND)) {
        return false;
    }
    slow_drop(vm, f, INS_B(ins));
    slow_drop(vm, f, INS_A(ins));
    return true;
}

bool slow_slice(Vm *vm, Frame *f, Ins ins)
{
    Value *part = &f->registers[INS_B(ins)];
    Slice *slice = slice_new(vm, part[0], part[1], part[2]);
    if (slice == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        value_replace(&vm->ctx, &part[i], VALUE_UNBOUND);
    }
    return slow_set(vm, f, INS_A(ins), value_from_object(slice));
}
