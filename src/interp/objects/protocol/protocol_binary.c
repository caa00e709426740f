// The binary and unary operators and power with a modulus, dispatched through
// the slots of both operands.
//
// The order of asking is Python's: the left operand, then the right one, but a
// right one whose class derives from the left one's class goes first. A slot
// declines with NOT_IMPLEMENTED, which only leaves this file as a TypeError.
#include "interp/objects/classes/class_slots.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

static const char *const symbols[] = {
#define BINARY_OP(id, symbol, name) symbol,
#include "parser/binary_op_list.h"
#undef BINARY_OP
};

// suffix: "=" for an augmented assignment. Plain ** has a text that names pow()
// too, which comes here as well.
static Value unsupported(Vm *vm, BinaryOp op, const char *suffix, Value a,
                         Value b)
{
    const char *left = type_name(type_of(vm, a));
    const char *right = type_name(type_of(vm, b));
    if (op == BINARY_POW && suffix[0] == '\0') {
        return raise_error(vm, ERR_TYPE,
                           "unsupported operand type(s) for ** or pow(): "
                           "'%s' and '%s'",
                           left, right);
    }
    return raise_error(vm, ERR_TYPE,
                       "unsupported operand type(s) for %s%s: '%s' and '%s'",
                       symbols[op], suffix, left, right);
}

// A slot serves both sides and finds out by itself on which one its own type
// stands.
// Owned; NOT_IMPLEMENTED is no error here.
static Value binary_side(Vm *vm, BinaryOp op, Type *type, Value a, Value b)
{
    // NULL: a type without operators.
    return type->slots.binary == NULL ? VALUE_NOT_IMPLEMENTED
                                      : type->slots.binary(vm, op, a, b);
}

bool class_joins(const Type *type)
{
    return type->def->flags & TYPE_JOINS;
}

// Whether + and * of this type are those of a sequence. They are asked last:
// they are no number's operators, so a method on the right goes before them.
// A subclass that defines __add__ has slots of its own and is not among these.
static bool joins_as_sequence(const Type *type, BinaryOp op)
{
    return (op == BINARY_ADD || op == BINARY_MUL) && class_joins(type) &&
           type->slots.binary == type->def->slots.binary &&
           type->slots.inplace == type->def->slots.inplace;
}

// What the method of a class on the right makes of a sequence on the left;
// NOT_IMPLEMENTED: nothing; UNBOUND: there is no such pair.
// Numbers come before sequences.
static Value join_by_right(Vm *vm, BinaryOp op, Value a, Value b)
{
    const Type *right = type_of(vm, b);
    bool asked = (right->flags & TYPE_HEAP) != 0 &&
                 right->slots.binary != right->def->slots.binary &&
                 joins_as_sequence(type_of(vm, a), op) &&
                 class_defines(vm, type_of(vm, b), NAME_ADD + 3 * op + 1);
    return asked ? right->slots.binary(vm, op, a, b) : VALUE_UNBOUND;
}

// NOT_IMPLEMENTED if neither side knows the operator.
static Value binary_slots(Vm *vm, BinaryOp op, Value a, Value b)
{
    Type *left = type_of(vm, a), *right = type_of(vm, b);
    Value result = join_by_right(vm, op, a, b);
    if (!value_unbound(result)) {
        return value_same(result, VALUE_NOT_IMPLEMENTED)
                   ? binary_side(vm, op, left, a, b)
                   : result;
    }
    // A subclass on the right goes first, so that it can override its base.
    bool right_first = left != right && type_is_subtype(right, left);
    result = binary_side(vm, op, right_first ? right : left, a, b);
    // One slot of both has answered for both.
    if (!value_same(result, VALUE_NOT_IMPLEMENTED) ||
        left->slots.binary == right->slots.binary) {
        return result;
    }
    return binary_side(vm, op, right_first ? left : right, a, b);
}

// The built-in sequences, which have texts of their own; a class that merely
// has __getitem__ has not, nor one that has defined the operator anew.
static bool is_sequence(Vm *vm, BinaryOp op, Value v)
{
    NameId plain = op == BINARY_ADD ? NAME_ADD : NAME_MUL;
    return value_is_object(v) && !class_defines(vm, type_of(vm, v), plain) &&
           (op == BINARY_ADD ||
            !class_defines(vm, type_of(vm, v), plain + 1)) &&
           class_joins(type_of(vm, v));
}

// bytes have words of their own. Of a subclass, too, the others name the
// built-in type.
Value class_join_failed(Vm *vm, Value a, Value b)
{
    const char *right = type_name(type_of(vm, b));
    if (value_is_kind(a, KIND_BYTES)) {
        return raise_error(vm, ERR_TYPE, "can't concat %s to %s", right,
                           type_name(type_of(vm, a)));
    }
    const char *left = type_of(vm, a)->def->name;
    return raise_error(vm, ERR_TYPE,
                       "can only concatenate %s (not \"%s\") to %s", left,
                       right, left);
}

// A sequence cannot be repeated that often. VALUE_FAIL, always.
static Value repeat_failed(Vm *vm, Value count)
{
    return raise_error(vm, ERR_TYPE,
                       "can't multiply sequence by non-int of type '%s'",
                       type_name(type_of(vm, count)));
}

// What Python says when a sequence meets the wrong operand.
// VALUE_FAIL, always.
static Value binary_failed(Vm *vm, BinaryOp op, const char *suffix, Value a,
                           Value b)
{
    if (op == BINARY_ADD && is_sequence(vm, op, a)) {
        return class_join_failed(vm, a, b);
    }
    if (op == BINARY_MUL &&
        (is_sequence(vm, op, a) || is_sequence(vm, op, b))) {
        return repeat_failed(vm, is_sequence(vm, op, a) ? b : a);
    }
    return unsupported(vm, op, suffix, a, b);
}

// Division rounds down, C's towards zero: they differ where a rest and the
// divisor have different signs.
static Value quick_division(BinaryOp op, Value a, Value b)
{
    int64_t n = value_small(a), d = value_small(b);
    if (d == 0 || d == -1) { // an error; or a quotient that may need a box
        return VALUE_UNBOUND;
    }
    int64_t quotient = n / d, rest = n % d;
    if (rest != 0 && (rest < 0) != (d < 0)) {
        quotient--;
        rest += d;
    }
    return value_from_small(op == BINARY_MOD ? rest : quotient);
}

// Two immediate ints. UNBOUND: the result needs care, or a box.
static Value quick_ints(BinaryOp op, Value a, Value b)
{
    Value result = VALUE_UNBOUND;
    bool done = true;
    switch (op) {
    case BINARY_ADD: done = value_add_small(a, b, &result); break;
    case BINARY_SUB: done = value_sub_small(a, b, &result); break;
    case BINARY_MUL: done = value_mul_small(a, b, &result); break;
    case BINARY_AND: result = value_and_small(a, b); break;
    case BINARY_OR: result = value_or_small(a, b); break;
    case BINARY_XOR: result = value_xor_small(a, b); break;
    case BINARY_FLOORDIV:
    case BINARY_MOD: result = quick_division(op, a, b); break;
    // Shifts and powers may need a box of any size.
    default: break;
    }
    return done ? result : VALUE_UNBOUND;
}

// Two numbers of which one is a float at least; ints of 62 bits become floats.
// UNBOUND as above.
static Value quick_floats(BinaryOp op, double x, double y)
{
    // Floor division and power have rules of their own, in the slot.
    switch (op) {
    case BINARY_ADD: return value_try_float(x + y);
    case BINARY_SUB: return value_try_float(x - y);
    case BINARY_MUL: return value_try_float(x * y);
    case BINARY_TRUEDIV:
        // The slot raises ZeroDivisionError.
        return y == 0 ? VALUE_UNBOUND : value_try_float(x / y);
    default: return VALUE_UNBOUND;
    }
}

// Immediate numbers, which are most operands; UNBOUND: ask the slots.
static Value quick_numbers(BinaryOp op, Value a, Value b)
{
    bool int_a = value_is_int(a), int_b = value_is_int(b);
    if (int_a && int_b) {
        return quick_ints(op, a, b);
    }
    if ((!int_a && !value_is_immediate_float(a)) ||
        (!int_b && !value_is_immediate_float(b))) {
        return VALUE_UNBOUND;
    }
    return quick_floats(
        op, int_a ? (double)value_small(a) : value_immediate_float(a),
        int_b ? (double)value_small(b) : value_immediate_float(b));
}

// An int of any size or a bool, whose operators no program decides.
// A subclass of int may have operators of its own.
static bool is_plain_int(const Vm *vm, Value v)
{
    return value_is_int(v) || value_is_bool(v) ||
           (value_is_object(v) && value_object(v)->type == vm->types[KIND_INT]);
}

// Immediate numbers as above, and all ints; the bitwise operators of two bools
// give bools, which is their type's affair.
static Value quick_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    Value quick = quick_numbers(op, a, b);
    return !value_unbound(quick) || !is_plain_int(vm, a) ||
                   !is_plain_int(vm, b) || op == BINARY_MATMUL ||
                   (value_is_bool(a) && value_is_bool(b))
               ? quick
               : int_binary(vm, op, a, b);
}

// The depth is counted because a slot may run a method of the program that
// comes here again.
// Owned. `a` and `b` are borrowed.
Value value_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    Value quick = quick_binary(vm, op, a, b);
    if (!value_unbound(quick)) {
        return quick;
    }
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    Value result = binary_slots(vm, op, a, b);
    ctx_leave(&vm->ctx);
    return value_same(result, VALUE_NOT_IMPLEMENTED)
               ? binary_failed(vm, op, "", a, b)
               : result;
}

// Types with any method of sequences, all classes of programs among them: x *=
// 'text' then does not ask the text to repeat itself.
static bool has_sequence_part(const Type *type)
{
    return (type->flags & TYPE_HEAP) != 0 || type->slots.contains != NULL ||
           type->slots.get_item != NULL;
}

// a *= b where b is a sequence and a's type might be one: b is then not asked
// to repeat itself.
static bool left_repeats_alone(Vm *vm, BinaryOp op, Value a, Value b)
{
    Type *right = type_of(vm, b);
    return op == BINARY_MUL && has_sequence_part(type_of(vm, a)) &&
           class_joins(right) && !class_defines(vm, right, NAME_MUL) &&
           !class_defines(vm, right, NAME_MUL + 1);
}

Value value_binary_declined(Vm *vm, BinaryOp op, bool inplace, Value a, Value b)
{
    if (inplace && left_repeats_alone(vm, op, a, b)) {
        return unsupported(vm, op, "=", a, b);
    }
    Value result = VALUE_NOT_IMPLEMENTED;
    // The same type is not asked a second time.
    if (type_of(vm, b) != type_of(vm, a)) {
        if (!ctx_enter(&vm->ctx)) {
            return VALUE_FAIL;
        }
        result = class_answer_right(vm, op, a, b);
        ctx_leave(&vm->ctx);
    }
    return value_same(result, VALUE_NOT_IMPLEMENTED)
               ? binary_failed(vm, op, inplace ? "=" : "", a, b)
               : result;
}

// Whether the in-place form is the one that the program's own subclass of list
// or deque inherits.
static bool inherits_inplace(Vm *vm, Type *type, BinaryOp op)
{
    return (type->flags & TYPE_HEAP) != 0 && type->shown == NULL &&
           type->def->slots.inplace != NULL &&
           !class_defines(vm, type, NAME_ADD + 3 * op + 2);
}

// `inherits`: as inherits_inplace. The inherited __iadd__ is asked before the
// right side, as if it stood in two slots, of which one is that of a number.
// The inherited __imul__ is a sequence's alone: a __mul__ or __rmul__ of the
// program, a number's operator, is asked first. UNBOUND: nobody is.
static Value before_inplace(Vm *vm, BinaryOp op, Value a, Value b,
                            bool inherits)
{
    Type *type = type_of(vm, a);
    if (inherits && op == BINARY_ADD) {
        return VALUE_UNBOUND;
    }
    if (inherits && op == BINARY_MUL &&
        (class_defines(vm, type, NAME_MUL) ||
         class_defines(vm, type, NAME_MUL + 1))) {
        return binary_slots(vm, op, a, b);
    }
    return join_by_right(vm, op, a, b);
}

// Numbers have no in-place form, so that the quick way serves here too. A slot
// that declines leaves the operation to the ordinary ones, as `+=` of a tuple.
Value value_inplace(Vm *vm, BinaryOp op, Value a, Value b)
{
    Value quick = quick_binary(vm, op, a, b);
    if (!value_unbound(quick)) {
        return quick;
    }
    Type *type = type_of(vm, a);
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    bool inherits = inherits_inplace(vm, type, op);
    Value result = before_inplace(vm, op, a, b, inherits);
    bool left_alone =
        !value_unbound(result) || left_repeats_alone(vm, op, a, b);
    // Only the left side may change itself; there is no reflected form.
    if (value_unbound(result) || value_same(result, VALUE_NOT_IMPLEMENTED)) {
        const TypeSlots *slots = inherits ? &type->def->slots : &type->slots;
        result = slots->inplace == NULL ? VALUE_NOT_IMPLEMENTED
                                        : slots->inplace(vm, op, a, b);
    }
    if (value_same(result, VALUE_NOT_IMPLEMENTED)) {
        result = left_alone ? binary_side(vm, op, type, a, b)
                            : binary_slots(vm, op, a, b);
    }
    ctx_leave(&vm->ctx);
    if (!value_same(result, VALUE_NOT_IMPLEMENTED)) {
        return result;
    }
    if (inherits && op == BINARY_MUL && class_joins(type)) {
        return repeat_failed(vm, b);
    }
    return left_alone && !is_sequence(vm, op, a)
               ? unsupported(vm, op, "=", a, b)
               : binary_failed(vm, op, "=", a, b);
}

// Of an immediate number; UNBOUND: ask the slot.
static Value quick_unary(UnaryOp op, Value v)
{
    Value result = VALUE_UNBOUND;
    if (value_is_int(v)) {
        switch (op) {
        case UNARY_NEG:
            // The least of them has no negative of its size.
            return value_sub_small(value_from_small(0), v, &result)
                       ? result
                       : VALUE_UNBOUND;
        case UNARY_POS: return v;
        case UNARY_INVERT: return value_from_small(~value_small(v));
        default: return VALUE_UNBOUND;
        }
    }
    if (value_is_immediate_float(v) && op == UNARY_NEG) {
        return value_try_float(-value_immediate_float(v));
    }
    return VALUE_UNBOUND;
}

// `not` has no slot: it is the truth, which every value has.
// Owned. `not` runs __bool__ or __len__ of the program.
Value value_unary(Vm *vm, UnaryOp op, Value v)
{
    if (op == UNARY_NOT) {
        int truth = value_truth(vm, v);
        return truth < 0 ? VALUE_FAIL : value_from_bool(!truth);
    }
    Value quick = quick_unary(op, v);
    if (!value_unbound(quick)) {
        return quick;
    }
    Type *type = type_of(vm, v);
    if (type->slots.unary != NULL) {
        Value result = type->slots.unary(vm, op, v);
        // A method of the program may give NotImplemented as a value.
        // Only a native slot declines by it.
        if ((type->flags & TYPE_HEAP) != 0 ||
            !value_same(result, VALUE_NOT_IMPLEMENTED)) {
            return result;
        }
    }
    return raise_error(vm, ERR_TYPE, "bad operand type for unary %s: '%s'",
                       op == UNARY_NEG   ? "-"
                       : op == UNARY_POS ? "+"
                                         : "~",
                       type_name(type));
}

Value value_opposite(Vm *vm, Value v)
{
    return value_is_bool(v) ? value_from_bool(value_same(v, VALUE_FALSE))
                            : type_of(vm, v)->slots.unary(vm, UNARY_NOT, v);
}

// An int of any size, or a bool, which counts as one.
static bool is_whole(Value v)
{
    return value_is_integer(v) || value_is_bool(v);
}

// With a modulus only ints are exact, and only the base's __pow__ is asked:
// __rpow__ takes no part.
Value value_power(Vm *vm, Value base, Value exponent, Value modulus)
{
    if (value_unbound(modulus) || value_is_none(modulus)) {
        return value_binary(vm, BINARY_POW, base, exponent);
    }
    if (is_whole(base) && is_whole(exponent) && is_whole(modulus)) {
        return int_power_modulo(vm, base, exponent, modulus);
    }
    // Three arguments have no reflected method.
    Value method = (type_of(vm, base)->flags & TYPE_HEAP) != 0
                       ? value_find_method(vm, base, vm->names[NAME_POW])
                       : VALUE_UNBOUND;
    if (!value_unbound(method)) {
        Value args[2] = {exponent, modulus};
        Value result =
            value_failed(method) ? method : vm_call(vm, method, args, 2);
        release(vm, method);
        if (!value_same(result, VALUE_NOT_IMPLEMENTED)) {
            return result;
        }
    }
    if (value_is_float(base) || value_is_float(exponent) ||
        value_is_float(modulus)) {
        return raise_error(vm, ERR_TYPE,
                           "pow() 3rd argument not allowed unless all "
                           "arguments are integers");
    }
    return raise_error(vm, ERR_TYPE,
                       "unsupported operand type(s) for ** or pow(): '%s', "
                       "'%s', '%s'",
                       type_name(type_of(vm, base)),
                       type_name(type_of(vm, exponent)),
                       type_name(type_of(vm, modulus)));
}
