// Comparisons: ==, the orderings, and what containers ask of their items.
//
// The order is fixed: a right side whose class derives from the left one's goes
// first; both may decline, then == and != fall back to identity.
#include "interp/core/depth.h"
#include "interp/hooks/note.h"
#include "interp/objects/protocol/protocol.h"

#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_str.h"

// What the other side is asked: a < b becomes b > a. == and != are their own
// reflections. Reflection is not negation: `not a < b` would be wrong for NaN.
static CompareOp mirrored(CompareOp op)
{
    switch (op) {
    case COMPARE_LT: return COMPARE_GT;
    case COMPARE_LE: return COMPARE_GE;
    case COMPARE_GT: return COMPARE_LT;
    case COMPARE_GE: return COMPARE_LE;
    default: return op;
    }
}

// Only the orderings can fail with a text that needs the symbol.
static const char *compare_symbol(CompareOp op)
{
    switch (op) {
    case COMPARE_LT: return "<";
    case COMPARE_LE: return "<=";
    case COMPARE_GT: return ">";
    default: return ">=";
    }
}

// A type without the slot declines like one whose method does. NOT_IMPLEMENTED
// in both cases, which every caller tests for.
static Value compare_side(Vm *vm, CompareOp op, Type *type, Value a, Value b)
{
    return type->slots.compare == NULL ? VALUE_NOT_IMPLEMENTED
                                       : type->slots.compare(vm, op, a, b);
}

// Neither side has an answer: identity for == and !=, else an error. Ordering
// has no fallback since Python 3: the text names both types.
static Value compare_by_default(Vm *vm, CompareOp op, Value a, Value b)
{
    if (op == COMPARE_EQ || op == COMPARE_NE) {
        return value_from_bool(value_same(a, b) == (op == COMPARE_EQ));
    }
    return raise_error(vm, ERR_TYPE,
                       "'%s' not supported between instances of '%s' and '%s'",
                       compare_symbol(op), type_name(type_of(vm, a)),
                       type_name(type_of(vm, b)));
}

// LT … GE by the slots of both sides: the right one first if its class derives
// from the left one's. The reflected method is asked once only: a subclass on
// the right has had its turn.
static Value compare_rich(Vm *vm, CompareOp op, Value a, Value b)
{
    Type *left = type_of(vm, a), *right = type_of(vm, b);
    bool right_first = left != right && (right->flags & TYPE_HEAP) &&
                       type_is_subtype(right, left);
    Value result = VALUE_NOT_IMPLEMENTED;
    if (right_first) {
        result = compare_side(vm, mirrored(op), right, b, a);
    }
    if (value_same(result, VALUE_NOT_IMPLEMENTED)) {
        result = compare_side(vm, op, left, a, b);
    }
    if (value_same(result, VALUE_NOT_IMPLEMENTED) && !right_first) {
        result = compare_side(vm, mirrored(op), right, b, a);
    }
    if (!value_same(result, VALUE_NOT_IMPLEMENTED)) {
        return result;
    }
    return compare_by_default(vm, op, a, b);
}

Value value_compare_declined(Vm *vm, CompareOp op, Value a, Value b)
{
    if (!depth_enter(vm, DEPTH_COMPARE)) {
        return VALUE_FAIL;
    }
    // The right side is not asked twice where it went first: then its method
    // was the one that was called.
    Value result = compare_side(vm, mirrored(op), type_of(vm, b), b, a);
    depth_leave(vm);
    return value_same(result, VALUE_NOT_IMPLEMENTED)
               ? compare_by_default(vm, op, a, b)
               : result;
}

// The answer of every totally ordered type, once it has compared.
Value value_from_order(CompareOp op, int order)
{
    switch (op) {
    case COMPARE_LT: return value_from_bool(order < 0);
    case COMPARE_LE: return value_from_bool(order <= 0);
    case COMPARE_EQ: return value_from_bool(order == 0);
    case COMPARE_NE: return value_from_bool(order != 0);
    case COMPARE_GT: return value_from_bool(order > 0);
    default: return value_from_bool(order >= 0);
    }
}

// Two exact strs, or two ints of which one is boxed: no program decides. False:
// ask the slots, as a trace does.
static bool quick_order(Vm *vm, CompareOp op, Value a, Value b, int *order)
{
    if ((!value_is_object(a) && !value_is_object(b)) || vm->trace != NULL) {
        return false;
    }
    const Type *left = type_of(vm, a), *right = type_of(vm, b);
    if (left != right ||
        (left != vm->types[KIND_STR] && left != vm->types[KIND_INT])) {
        return false;
    }
    if (left == vm->types[KIND_INT]) {
        *order = int_compare(a, b);
    } else if (op == COMPARE_EQ || op == COMPARE_NE) {
        *order = !str_equal(value_as_str(a), value_as_str(b));
    } else {
        *order = str_order(value_as_str(a), value_as_str(b));
    }
    return true;
}

// `is` and `in` are comparisons to the parser only. Immediate ints go without a
// slot and without counting the depth.
Value value_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (op == COMPARE_IS || op == COMPARE_IS_NOT) {
        return value_is(vm, a, b, op == COMPARE_IS);
    }
    if (op == COMPARE_IN || op == COMPARE_NOT_IN) {
        int found = value_contains(vm, b, a);
        return found < 0 ? VALUE_FAIL
                         : value_from_bool(found == (op == COMPARE_IN));
    }
    if (value_both_ints(a, b)) {
        return value_from_order(op, int_compare(a, b));
    }
    int order;
    if (quick_order(vm, op, a, b, &order)) {
        return value_from_order(op, order);
    }
    if (!depth_enter(vm, DEPTH_COMPARE)) {
        return VALUE_FAIL;
    }
    Value result = compare_rich(vm, op, a, b);
    depth_leave(vm);
    return result;
}

// What containers and `in` ask. The common kinds are settled without a slot; a
// tensor's == gives a tensor, whose truth then counts.
int value_equal(Vm *vm, Value a, Value b)
{
    // The same bits are equal, but for immediate floats none is NaN.
    if (value_same(a, b)) {
        return 1;
    }
    if (value_both_ints(a, b)) {
        return 0;
    }
    // Exact strs only: a subclass may have an __eq__ of its own.
    if (value_is_str(a) && value_is_str(b) &&
        value_object(a)->type == vm->types[KIND_STR] &&
        value_object(b)->type == vm->types[KIND_STR]) {
        return note_text(vm, value_as_str(a)) && note_text(vm, value_as_str(b))
                   ? str_equal(value_as_str(a), value_as_str(b))
                   : -1;
    }
    Value result = value_compare(vm, COMPARE_EQ, a, b);
    // Nearly every __eq__ gives a bool, for which no truth is to be asked.
    if (value_is_bool(result)) {
        return value_same(result, VALUE_TRUE);
    }
    if (value_failed(result)) {
        return -1;
    }
    int truth = value_truth(vm, result);
    release(vm, result);
    return truth;
}
