// float: IEEE doubles, immediate where the exponent is ordinary.
#ifndef DUET_INTERP_OBJECTS_NUMBERS_OBJ_FLOAT_H
#define DUET_INTERP_OBJECTS_NUMBERS_OBJ_FLOAT_H

#include "base/strbuf.h"
#include "interp/core/memory.h"

typedef struct Float { // inf, NaN and extreme exponents
    Object head;
    double number;
} Float;

Value float_box(Vm *vm, double d); // VALUE_FAIL when memory is short
// Owned; only the box can fail.
static inline Value float_new(Vm *vm, double d)
{
    Value v = value_try_float(d);
    return LIKELY(!value_unbound(v)) ? v : float_box(vm, d);
}
// A subclass is one, too.
static inline bool value_is_float(Value v)
{
    return value_is_immediate_float(v) || value_is_kind(v, KIND_FLOAT);
}
static inline double value_float(Value v) // v is a float
{
    return value_is_immediate_float(v) ? value_immediate_float(v)
                                       : ((Float *)value_object(v))->number;
}
// Python's repr: the shortest digits that give it back.
// Adds d >= 0 with `precision` digits past the point, rounded to even from the
// exact value as printf does. False: too many digits for it, nothing added.
bool float_print_fixed(StrBuf *out, double d, int precision);
// The shortest digits that read back as d, in repr()'s form.
void float_print_repr(StrBuf *out, double d);
uint64_t float_hash(double d); // equal ints hash the same
// The operators where one side is a float, the other a float, int or bool.
Value float_binary(Vm *vm, BinaryOp op, Value a, Value b);
// LT … GE of two numbers, exact for ints of any size; NOT_IMPLEMENTED if one
// is no number.
Value float_compare(Vm *vm, CompareOp op, Value a, Value b);

#endif
