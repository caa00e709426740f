// Value: 8 bytes that hold any Duet value. Only this file looks at the bits.
//
// Low bits: x00 an int of 62 bits (shifted left by 2); 001 an object pointer
// plus 1; 101 a special (None, False, True, ...); 010, 011, 111 a float whose
// exponent is ordinary (rotated so that its tag shows); 110 never occurs.
// Ints beyond 62 bits and extraordinary floats (inf, NaN, 1e300) are boxed
// objects (obj_int.h, obj_float.h). See docs/internals.md, "Values".
//
// Ownership: a Value that is an object reference is counted. Parameters are
// borrowed, results are owned, unless a header says otherwise. VALUE_FAIL as
// a result means that an error is pending (interp/core/raise.h).
//
// With DUET_VALUE_STRUCT a Value is a struct, so that `a == b` does not
// compile: use value_same.
#ifndef DUET_INTERP_CORE_VALUE_H
#define DUET_INTERP_CORE_VALUE_H

#include <string.h>

#include "base/object.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#ifdef DUET_VALUE_STRUCT
typedef struct Value {
    uint64_t bits;
} Value;
#define VALUE_BITS(v) ((v).bits)
#define VALUE_OF_BITS(b) ((Value){(b)})
#else
typedef uint64_t Value;
#define VALUE_BITS(v) (v)
#define VALUE_OF_BITS(b) ((Value)(b))
#endif

#define VALUE_SPECIAL(n) VALUE_OF_BITS((uint64_t)(n) << 3 | 5)
#define VALUE_UNBOUND VALUE_SPECIAL(0) // an empty register, slot, argument
#define VALUE_NONE VALUE_SPECIAL(1)
#define VALUE_FALSE VALUE_SPECIAL(2)
#define VALUE_TRUE VALUE_SPECIAL(3)
#define VALUE_ELLIPSIS VALUE_SPECIAL(4)
#define VALUE_NOT_IMPLEMENTED VALUE_SPECIAL(5)
#define VALUE_RANGE_MARK VALUE_SPECIAL(6) // a range loop's hidden register
#define VALUE_FAIL VALUE_SPECIAL(7)       // a result: an error is pending
#define VALUE_DELETED VALUE_SPECIAL(8)    // a removed dict entry's key
#define VALUE_STOP VALUE_SPECIAL(9)       // `next`: exhausted, nothing raised

#define VALUE_INT_MAX ((int64_t)((uint64_t)1 << 61) - 1)
#define VALUE_INT_MIN (-VALUE_INT_MAX - 1)

// Identity, as `is`: equal bits. Boxed numbers that are equal may differ.
ALWAYS_INLINE bool value_same(Value a, Value b)
{
    return VALUE_BITS(a) == VALUE_BITS(b);
}
ALWAYS_INLINE bool value_is_int(Value v) // immediate; not bool, not boxed
{
    return (VALUE_BITS(v) & 3) == 0;
}
// One test for two tags: the low bits of both are 0 if those of their OR are.
ALWAYS_INLINE bool value_both_ints(Value a, Value b)
{
    return ((VALUE_BITS(a) | VALUE_BITS(b)) & 3) == 0;
}
// The tag is in the low bits, so a pointer is one off.
ALWAYS_INLINE bool value_is_object(Value v)
{
    return (VALUE_BITS(v) & 7) == 1;
}
// None, True, False and their kind.
ALWAYS_INLINE bool value_is_special(Value v)
{
    return (VALUE_BITS(v) & 7) == 5;
}
// Bit 1 is set in the three tags of floats and in no other that occurs.
ALWAYS_INLINE bool value_is_immediate_float(Value v)
{
    return (VALUE_BITS(v) & 2) != 0;
}
// One AND of the bits: each must have its bit 1 set.
ALWAYS_INLINE bool value_both_immediate_floats(Value a, Value b)
{
    return (VALUE_BITS(a) & VALUE_BITS(b) & 2) != 0;
}
// Not an int to the machine, though isinstance says so.
ALWAYS_INLINE bool value_is_bool(Value v)
{
    return value_same(v, VALUE_TRUE) || value_same(v, VALUE_FALSE);
}
ALWAYS_INLINE bool value_is_none(Value v)
{
    return value_same(v, VALUE_NONE);
}
// An error is pending; the value must not be released or stored.
ALWAYS_INLINE bool value_failed(Value v)
{
    return value_same(v, VALUE_FAIL);
}
// No value at all: deleted, not given, not set.
ALWAYS_INLINE bool value_unbound(Value v)
{
    return value_same(v, VALUE_UNBOUND);
}

ALWAYS_INLINE bool value_int_fits(int64_t i)
{
    return i >= VALUE_INT_MIN && i <= VALUE_INT_MAX;
}
// The caller knows that it fits; int_from_i64 (obj_int.h) takes any.
ALWAYS_INLINE Value value_from_small(int64_t i)
{
    return VALUE_OF_BITS((uint64_t)i << 2);
}
// The shift is arithmetic, as all compilers do it for signed numbers.
ALWAYS_INLINE int64_t value_small(Value v)
{
    return (int64_t)VALUE_BITS(v) >> 2;
}
// Arithmetic on two immediate ints where they stand: the tag is zero, so the
// shifted numbers are added as they are and overflow shows at 62 bits. False:
// the result needs a box.
ALWAYS_INLINE bool value_add_small(Value a, Value b, Value *sum)
{
    int64_t bits;
    bool over = __builtin_add_overflow((int64_t)VALUE_BITS(a),
                                       (int64_t)VALUE_BITS(b), &bits);
    *sum = VALUE_OF_BITS((uint64_t)bits);
    return !over;
}
// Both are immediate ints; false: the difference is none. The tag bits are 0,
// so bits subtract as numbers.
ALWAYS_INLINE bool value_sub_small(Value a, Value b, Value *difference)
{
    int64_t bits;
    bool over = __builtin_sub_overflow((int64_t)VALUE_BITS(a),
                                       (int64_t)VALUE_BITS(b), &bits);
    *difference = VALUE_OF_BITS((uint64_t)bits);
    return !over;
}
// Only one factor keeps its tag shift, so that the product has it once.
ALWAYS_INLINE bool value_mul_small(Value a, Value b, Value *product)
{
    int64_t bits;
    bool over =
        __builtin_mul_overflow((int64_t)VALUE_BITS(a), value_small(b), &bits);
    *product = VALUE_OF_BITS((uint64_t)bits);
    return !over;
}
// The tags are 0 and stay 0 under these three.
ALWAYS_INLINE Value value_and_small(Value a, Value b)
{
    return VALUE_OF_BITS(VALUE_BITS(a) & VALUE_BITS(b));
}
// Of immediate ints: their bits are those of the numbers, shifted.
ALWAYS_INLINE Value value_or_small(Value a, Value b)
{
    return VALUE_OF_BITS(VALUE_BITS(a) | VALUE_BITS(b));
}
// As value_or_small.
ALWAYS_INLINE Value value_xor_small(Value a, Value b)
{
    return VALUE_OF_BITS(VALUE_BITS(a) ^ VALUE_BITS(b));
}
// A number that orders immediate ints as they order: four times the int.
ALWAYS_INLINE int64_t value_rank(Value v)
{
    return (int64_t)VALUE_BITS(v);
}
ALWAYS_INLINE Value value_from_bool(bool b)
{
    return b ? VALUE_TRUE : VALUE_FALSE;
}

ALWAYS_INLINE Value value_from_object(const void *object) // takes the count
{
    return VALUE_OF_BITS((uint64_t)(uintptr_t)object + 1);
}
// What could not be made (NULL) has left an error pending.
ALWAYS_INLINE Value value_or_fail(const void *object) // takes the count
{
    return object != NULL ? value_from_object(object) : VALUE_FAIL;
}
ALWAYS_INLINE Value value_done(bool ok) // false: an error is pending
{
    return ok ? VALUE_NONE : VALUE_FAIL;
}
// Undefined if v is no object: callers test the kind first.
ALWAYS_INLINE Object *value_object(Value v)
{
    return (Object *)(uintptr_t)(VALUE_BITS(v) - 1);
}
// Subclasses of a built-in type have its kind too; fast_is_exact tells them
// apart.
ALWAYS_INLINE bool value_is_kind(Value v, Kind kind)
{
    return value_is_object(v) && value_object(v)->kind == kind;
}

// Floats. value_try_float gives the immediate form, or VALUE_UNBOUND if the
// number needs a box; float_new (obj_float.h) makes either.
// value_make_float is value_try_float as a test, which costs a jump less.
ALWAYS_INLINE bool value_make_float(double d, Value *v)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    bits -= (uint64_t)1 << 60;
    bits = bits << 4 | bits >> 60;
    *v = VALUE_OF_BITS(bits);
    return (0x8C8C8C8Cu >> (bits & 31)) & 1;
}
// UNBOUND: the double needs a box.
ALWAYS_INLINE Value value_try_float(double d)
{
    Value v;
    return value_make_float(d, &v) ? v : VALUE_UNBOUND;
}
// Undoes the rotation of value_make_float, which loses no bit.
ALWAYS_INLINE double value_immediate_float(Value v)
{
    uint64_t bits = VALUE_BITS(v);
    bits = (bits >> 4 | bits << 60) + ((uint64_t)1 << 60);
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

// Returns v, so that it can stand in an expression; no-op for immediates.
ALWAYS_INLINE Value value_retain(Value v)
{
    if (value_is_object(v)) {
        value_object(v)->rc++;
    }
    return v;
}
// May run code only later: what dies and has code to run is queued
// (finalizing.h).
ALWAYS_INLINE void value_release(Ctx *ctx, Value v)
{
    if (value_is_object(v)) {
        object_release(ctx, value_object(v));
    }
}
// *place = v (taken); the old value is released after the store, so that a
// finaliser sees the new state.
ALWAYS_INLINE void value_replace(Ctx *ctx, Value *place, Value v)
{
    Value old = *place;
    *place = v;
    value_release(ctx, old);
}

#endif
