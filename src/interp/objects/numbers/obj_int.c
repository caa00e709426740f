// int: arithmetic. Printing and parsing are in int_text.c, the type and its
// methods in int_type.c.
//
// Invariant: a boxed Int of the class int itself is never in the immediate
// range, so two equal ones are both immediate or both boxed. An instance of a
// subclass is always boxed. Operands are seen through IntView: an
// immediate one borrows digits on the C stack, without allocation.
#include "interp/objects/numbers/obj_int.h"

#include <math.h>

#include "interp/core/raise.h"
#include "interp/objects/numbers/int_large.h"
#include "interp/objects/numbers/int_short.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/obj_float.h"

// Valid as long as `v` and the view itself: the digits of an immediate stand in
// the view, so it must not be copied.
void int_view(IntView *view, Value v)
{
    if (value_is_object(v)) {
        view->number = &((Int *)value_object(v))->number;
        return;
    }
    int64_t small = value_same(v, VALUE_TRUE)    ? 1
                    : value_same(v, VALUE_FALSE) ? 0
                                                 : value_small(v);
    // Negating as unsigned is defined for every value, the lowest one included.
    uint64_t rest = small < 0 ? 0 - (uint64_t)small : (uint64_t)small;
    int used = 0;
    for (; rest != 0; rest >>= MP_DIGIT_BIT) {
        view->digits[used++] = rest & MP_MASK;
    }
    view->small = (mp_int){.used = used,
                           .alloc = INT_VIEW_DIGITS,
                           .sign = small < 0 ? MP_NEG : MP_ZPOS,
                           .dp = view->digits};
    view->number = &view->small;
}

// bool is left out; callers that take it ask for it too.
bool value_is_integer(Value v)
{
    return value_is_int(v) || value_is_kind(v, KIND_INT);
}

// Takes `number`, even on failure. 61 bits of magnitude fit in an immediate.
Value int_from_mp(Vm *vm, mp_int *number)
{
    if (mp_count_bits(number) <= 61) {
        int64_t small = (int64_t)mp_get_mag_u64(number);
        small = mp_isneg(number) ? -small : small;
        mp_clear(number);
        return value_from_small(small);
    }
    Int *box = object_new(vm, vm->types[KIND_INT], sizeof *box);
    if (box == NULL) {
        mp_clear(number);
        return VALUE_FAIL;
    }
    // The digits move into the box; `number` must not be cleared any more.
    box->number = *number;
    // The one 62-bit number: -2^61 is immediate.
    if (mp_isneg(number) && mp_count_bits(number) == 62 &&
        mp_get_mag_u64(number) == (uint64_t)1 << 61) {
        release(vm, value_from_object(box));
        return value_from_small(VALUE_INT_MIN);
    }
    return value_from_object(box);
}

Value int_exact(Vm *vm, Value v)
{
    if (value_is_bool(v)) {
        return value_from_small(value_same(v, VALUE_TRUE));
    }
    if (value_is_int(v) || value_object(v)->type == vm->types[KIND_INT]) {
        return value_retain(v);
    }
    // A copy, which may turn out small enough for an immediate.
    mp_int number;
    if (mp_init_copy(&number, &((Int *)value_object(v))->number) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    return int_from_mp(vm, &number);
}

// Boxed even if it is small: the class is in the header.
Value int_of_class(Vm *vm, Type *cls, Value v)
{
    IntView view;
    int_view(&view, v);
    Int *box = object_new(vm, cls, sizeof *box);
    if (box == NULL) {
        return VALUE_FAIL;
    }
    // So that destroying a half-made box clears nothing.
    box->number = (mp_int){0};
    if (mp_init_copy(&box->number, view.number) != MP_OKAY) {
        object_release(&vm->ctx, box);
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    return value_from_object(box);
}

// A number of up to 64 bits, such as most hashes of texts are.
static Value box_word(Vm *vm, uint64_t magnitude, bool negative)
{
    mp_digit digits[] = {magnitude & MP_MASK, magnitude >> MP_DIGIT_BIT};
    return int_short_make(vm, digits, 2, negative);
}

Value int_from_i64(Vm *vm, int64_t i)
{
    if (LIKELY(value_int_fits(i))) {
        return value_from_small(i);
    }
    return box_word(vm, i < 0 ? 0 - (uint64_t)i : (uint64_t)i, i < 0);
}

Value int_from_u64(Vm *vm, uint64_t u)
{
    if (LIKELY(u <= (uint64_t)VALUE_INT_MAX)) {
        return value_from_small((int64_t)u);
    }
    return box_word(vm, u, false);
}

Value int_from_double(Vm *vm, double d)
{
    if (isnan(d)) {
        return raise_error(vm, ERR_VALUE,
                           "cannot convert float NaN to integer");
    }
    if (isinf(d)) {
        return raise_error(vm, ERR_OVERFLOW,
                           "cannot convert float infinity to integer");
    }
    // The cast is defined in this range, and the result is immediate.
    if (fabs(d) < 0x1p61) {
        return value_from_small((int64_t)d);
    }
    int exponent;
    // A double is a 53-bit integer times a power of two, so this is exact.
    int64_t mantissa = (int64_t)ldexp(frexp(d, &exponent), 53);
    mp_int number;
    if (mp_init_i64(&number, mantissa) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    // The exponent is above 53 here, as the small ones have been returned.
    if (mp_mul_2d(&number, exponent - 53, &number) != MP_OKAY) {
        mp_clear(&number);
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    return int_from_mp(vm, &number);
}

bool int_to_i64(Value v, int64_t *out)
{
    if (value_is_int(v)) {
        *out = value_small(v);
        return true;
    }
    IntView view;
    int_view(&view, v);
    if (mp_count_bits(view.number) > 64) {
        return false;
    }
    uint64_t magnitude = mp_get_mag_u64(view.number);
    bool negative = mp_isneg(view.number);
    // Two's complement has one negative number more.
    if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0)) {
        return false;
    }
    *out = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

// The top 64 bits of |number| (bit length `bits` > 64), the last one made
// sticky: 1 if any bit below is set. Rounding that to a double is exact.
static uint64_t top_bits(const mp_int *number, int bits)
{
    int low = bits - 64;
    uint64_t top = 0;
    for (int i = number->used - 1; i >= 0; i--) {
        // Where the digit's lowest bit lands in the result.
        int at = i * MP_DIGIT_BIT - low;
        if (at >= 0) {
            top |= (uint64_t)number->dp[i] << at;
        } else if (at > -MP_DIGIT_BIT) {
            top |= (uint64_t)number->dp[i] >> -at;
            uint64_t below = number->dp[i] & (((uint64_t)1 << -at) - 1);
            top |= below != 0;
        } else if (number->dp[i] != 0) {
            top |= 1;
        }
    }
    return top;
}

// Ties go to even; beyond the largest double it is an error.
bool int_to_double(Vm *vm, Value v, double *out)
{
    if (value_is_int(v)) {
        *out = (double)value_small(v);
        return true;
    }
    IntView view;
    int_view(&view, v);
    int bits = mp_count_bits(view.number);
    double d = bits <= 64 ? (double)mp_get_mag_u64(view.number)
                          // Beyond 2000 bits every scale gives infinity.
                          : ldexp((double)top_bits(view.number, bits),
                                  bits > 2000 ? 2000 : bits - 64);
    // ldexp gives an infinity where the number passes the largest double.
    if (isinf(d)) {
        return raise_false(vm, ERR_OVERFLOW,
                           "int too large to convert to float");
    }
    *out = mp_isneg(view.number) ? -d : d;
    return true;
}

// Never fails: nothing is allocated.
int int_compare(Value a, Value b)
{
    if (value_both_ints(a, b)) {
        int64_t x = value_small(a), y = value_small(b);
        return (x > y) - (x < y);
    }
    IntView x, y;
    int_view(&x, a);
    int_view(&y, b);
    return (int)mp_cmp(x.number, y.number);
}

// The value modulo 2^61 - 1, with the sign, so that equal ints and floats hash
// alike. -1 is kept free: it is the sign of an error in Python's C.
uint64_t int_hash(Value v)
{
    const uint64_t prime = ((uint64_t)1 << 61) - 1;
    IntView view;
    uint64_t hash;
    if (int_hash_small(v, &hash)) {
        return hash;
    }
    int_view(&view, v);
    hash = 0;
    for (int i = view.number->used - 1; i >= 0; i--) {
        // hash * 2^60 + digit, modulo 2^61 - 1: a rotation by 60 of 61 bits.
        hash = ((hash << 60) & prime) | hash >> 1;
        hash += view.number->dp[i];
        hash = hash >= prime ? hash - prime : hash;
    }
    if (mp_isneg(view.number)) {
        hash = 0 - hash;
    }
    return hash == UINT64_MAX ? UINT64_MAX - 1 : hash;
}

static Value zero_division(Vm *vm, BinaryOp op)
{
    return raise_error(vm, ERR_ZERO_DIVISION,
                       op == BINARY_TRUEDIV ? "division by zero"
                       : op == BINARY_MOD
                           ? "integer modulo by zero"
                           : "integer division or modulo by zero");
}

// Floor division and remainder from libtommath's truncating ones.
mp_err int_floor_divide(Ctx *ctx, const mp_int *a, const mp_int *b,
                        mp_int *quotient, mp_int *rest)
{
    mp_err err = int_divide(ctx, a, b, quotient, rest);
    if (err == MP_OKAY && !mp_iszero(rest) && mp_isneg(rest) != mp_isneg(b)) {
        // One step down, as the rest must have the divisor's sign.
        err = mp_add(rest, b, rest);
        err = err == MP_OKAY ? mp_sub_d(quotient, 1, quotient) : err;
    }
    return err;
}

// Python's divmod of two ints; both owned. False with an error pending.
static bool divmod(Vm *vm, Value a, Value b, Value *quotient, Value *rest)
{
    int done = int_short_divmod(vm, a, b, quotient, rest);
    if (done != 0) {
        return done > 0;
    }
    IntView x, y;
    int_view(&x, a);
    int_view(&y, b);
    if (mp_iszero(y.number)) {
        zero_division(vm, BINARY_FLOORDIV);
        return false;
    }
    // Taken by int_from_mp below, or cleared on failure.
    mp_int q, r;
    if (mp_init_multi(&q, &r, NULL) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx);
    }
    if (int_floor_divide(&vm->ctx, x.number, y.number, &q, &r) != MP_OKAY) {
        mp_clear_multi(&q, &r, NULL);
        return int_raise(&vm->ctx);
    }
    *quotient = int_from_mp(vm, &q);
    *rest = int_from_mp(vm, &r);
    // int_from_mp has taken both numbers, whichever of the two failed.
    if (value_failed(*quotient) || value_failed(*rest)) {
        release(vm, *quotient);
        release(vm, *rest);
        return false;
    }
    return true;
}

// |a| / |b| correctly rounded: a quotient of 65 or more bits with a sticky
// last bit goes through int_to_double's exact rounding.
static Value true_divide(Vm *vm, Value a, Value b)
{
    IntView x, y;
    int_view(&x, a);
    int_view(&y, b);
    if (mp_iszero(y.number)) {
        return zero_division(vm, BINARY_TRUEDIV);
    }
    int bits = mp_count_bits(x.number), divisor = mp_count_bits(y.number);
    // Both are exact as doubles, so the machine's division rounds correctly.
    if (bits <= 53 && divisor <= 53) {
        double d, e;
        if (!int_to_double(vm, a, &d) || !int_to_double(vm, b, &e)) {
            return VALUE_FAIL;
        }
        return float_new(vm, d / e);
    }
    // 66 bits more than the divisor leave at least 65 in the quotient.
    int shift = divisor - bits + 66;
    mp_int q, r;
    if (mp_init_multi(&q, &r, NULL) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    mp_err err =
        shift >= 0 ? mp_mul_2d(x.number, shift, &q) : mp_copy(x.number, &q);
    // A long dividend: the divisor is scaled, so that no bits are lost.
    if (err == MP_OKAY && shift < 0) {
        mp_int scaled;
        err = mp_init(&scaled);
        if (err == MP_OKAY) {
            err = mp_mul_2d(y.number, -shift, &scaled);
            err = err == MP_OKAY ? mp_div(&q, &scaled, &q, &r) : err;
            mp_clear(&scaled);
        }
    } else if (err == MP_OKAY) {
        err = mp_div(&q, y.number, &q, &r);
    }
    double d = 0;
    if (err == MP_OKAY) {
        int length = mp_count_bits(&q);
        uint64_t top = length > 64 ? top_bits(&q, length) : mp_get_mag_u64(&q);
        // The sticky bit: something is left below.
        top |= !mp_iszero(&r);
        int scale = (length > 64 ? length - 64 : 0) - shift;
        // A subnormal result would be rounded twice: drop bits first.
        // -1074 is the exponent of the smallest subnormal number.
        int lost = -1074 - scale;
        if (lost > 0 && lost < 64 && scale + 64 < -1021) {
            uint64_t half = (uint64_t)1 << (lost - 1);
            uint64_t kept = top >> lost, cut = top & (2 * half - 1);
            kept += cut > half || (cut == half && (kept & 1));
            d = ldexp((double)kept, -1074);
        } else {
            d = ldexp((double)top, scale);
        }
        d = mp_isneg(x.number) != mp_isneg(y.number) ? -d : d;
    }
    mp_clear_multi(&q, &r, NULL);
    if (err != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    if (isinf(d)) {
        return raise_error(vm, ERR_OVERFLOW,
                           "integer division result too large for a float");
    }
    return float_new(vm, d);
}

// A left shift too far for this machine. What no index reaches, in digits of 30
// bits and 4 bytes, is told apart from what is only too much for memory.
static Value shifted_too_far(Vm *vm, Value count)
{
    IntView view;
    int_view(&view, count);
    double most = 30.0 * (double)(INT64_MAX / 4);
    return mp_get_double(view.number) > most
               ? raise_error(vm, ERR_OVERFLOW, "too many digits in integer")
               : (ctx_fail_memory(&vm->ctx), VALUE_FAIL);
}

// A right shift rounds down, so that negative numbers end at -1.
static Value int_shift(Vm *vm, BinaryOp op, Value a, Value b)
{
    if (int_compare(b, value_from_small(0)) < 0) {
        return raise_error(vm, ERR_VALUE, "negative shift count");
    }
    IntView view;
    int_view(&view, a);
    int64_t count;
    bool small = int_to_i64(b, &count) && count < INT_MAX_BITS;
    if (mp_iszero(view.number)) {
        return value_from_small(0);
    }
    if (!small) {
        return op == BINARY_RSHIFT
                   ? value_from_small(mp_isneg(view.number) ? -1 : 0)
                   : shifted_too_far(vm, b);
    }
    mp_int result;
    if (mp_init(&result) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    // Its length must fit into an int, as libtommath counts bits in one.
    bool fits = op == BINARY_RSHIFT ||
                count + mp_count_bits(view.number) <= INT_MAX_BITS;
    // mp_signed_rsh shifts as two's complement would, hence rounds down.
    mp_err err = !fits ? MP_MEM
                 : op == BINARY_LSHIFT
                     ? mp_mul_2d(view.number, (int)count, &result)
                     : mp_signed_rsh(view.number, (int)count, &result);
    if (err != MP_OKAY) {
        mp_clear(&result);
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    return int_from_mp(vm, &result);
}

// The operators that are one call.
// AND, OR and XOR work as on two's complement, as Python has it.
static mp_err simple_op(Ctx *ctx, BinaryOp op, const mp_int *a, const mp_int *b,
                        mp_int *result)
{
    switch (op) {
    case BINARY_ADD: return mp_add(a, b, result);
    case BINARY_SUB: return mp_sub(a, b, result);
    case BINARY_MUL: return int_multiply(ctx, a, b, result);
    case BINARY_AND: return mp_and(a, b, result);
    case BINARY_OR: return mp_or(a, b, result);
    default: return mp_xor(a, b, result);
    }
}

// Both parts come from one division; the other one is dropped.
static Value divide(Vm *vm, BinaryOp op, Value a, Value b)
{
    Value quotient, rest;
    if (!divmod(vm, a, b, &quotient, &rest)) {
        return VALUE_FAIL;
    }
    release(vm, op == BINARY_FLOORDIV ? rest : quotient);
    return op == BINARY_FLOORDIV ? quotient : rest;
}

// base ** exponent where all fits 64 bits. False: it does not.
static bool small_power(int64_t base, int64_t exponent, int64_t *result)
{
    *result = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(*result, base, result)) {
            return false;
        }
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
            return false;
        }
    }
    return true;
}

// Floored, as Python has both: the rest has the sign of the divisor.
static void small_divide(int64_t a, int64_t b, int64_t *quotient, int64_t *rest)
{
    *quotient = a / b;
    *rest = a % b;
    if (*rest != 0 && (*rest < 0) != (b < 0)) {
        *quotient -= 1;
        *rest += b;
    }
}

// What two immediate ints give without a big number: UNBOUND if it takes one,
// or an error has to be raised. 62 bits leave room for sums in 64.
static Value small_binary(Vm *vm, BinaryOp op, int64_t a, int64_t b)
{
    enum { EXACT = 53, SHIFT_MOST = 62 };
    int64_t result, rest;
    switch (op) {
    // The sum of two numbers of 62 bits fits 64.
    case BINARY_ADD: return int_from_i64(vm, a + b);
    case BINARY_SUB: return int_from_i64(vm, a - b);
    case BINARY_AND: return value_from_small(a & b);
    case BINARY_OR: return value_from_small(a | b);
    case BINARY_XOR: return value_from_small(a ^ b);
    case BINARY_MUL:
        return __builtin_mul_overflow(a, b, &result) ? VALUE_UNBOUND
                                                     : int_from_i64(vm, result);
    case BINARY_FLOORDIV:
    case BINARY_MOD:
        if (b == 0) {
            return VALUE_UNBOUND;
        }
        small_divide(a, b, &result, &rest);
        return int_from_i64(vm, op == BINARY_MOD ? rest : result);
    case BINARY_POW:
        return b >= 0 && small_power(a, b, &result) ? int_from_i64(vm, result)
                                                    : VALUE_UNBOUND;
    // A shift by the width or more is undefined in C.
    case BINARY_RSHIFT:
        return b < 0 ? VALUE_UNBOUND
                     : value_from_small(a >> (b > SHIFT_MOST ? SHIFT_MOST : b));
    case BINARY_TRUEDIV:
        // Both are doubles exactly, so that one division rounds once.
        return b == 0 || a >> EXACT != a >> (EXACT + 1) ||
                       b >> EXACT != b >> (EXACT + 1)
                   ? VALUE_UNBOUND
                   : float_new(vm, (double)a / (double)b);
    default: return VALUE_UNBOUND;
    }
}

// By libtommath, and what raises errors. A modulo by zero is found here, since
// divmod would word it as a division.
static Value long_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    switch (op) {
    case BINARY_TRUEDIV: return true_divide(vm, a, b);
    case BINARY_MOD:
        // The message of % is not that of //.
        if (int_compare(b, value_from_small(0)) == 0) {
            return zero_division(vm, op);
        }
        return divide(vm, op, a, b);
    case BINARY_FLOORDIV: return divide(vm, op, a, b);
    case BINARY_POW: return int_power(vm, a, b);
    case BINARY_LSHIFT:
    case BINARY_RSHIFT: return int_shift(vm, op, a, b);
    case BINARY_MATMUL: return VALUE_NOT_IMPLEMENTED;
    default: break;
    }
    IntView x, y;
    int_view(&x, a);
    int_view(&y, b);
    mp_int result;
    if (mp_init(&result) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    if (simple_op(&vm->ctx, op, x.number, y.number, &result) != MP_OKAY) {
        mp_clear(&result);
        return int_raise(&vm->ctx), VALUE_FAIL;
    }
    return int_from_mp(vm, &result);
}

// Operands are ints or bools of any size; the machine has fast ways for small
// ones ahead of this, but C calls this too.
Value int_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    // Counters of what is true: `n += x == y`.
    a = value_is_bool(a) ? value_from_small(value_same(a, VALUE_TRUE)) : a;
    b = value_is_bool(b) ? value_from_small(value_same(b, VALUE_TRUE)) : b;
    if (value_both_ints(a, b)) {
        Value small = small_binary(vm, op, value_small(a), value_small(b));
        if (!value_unbound(small)) {
            return small;
        }
    }
    Value result = int_short_binary(vm, op, a, b);
    return value_unbound(result) ? long_binary(vm, op, a, b) : result;
}
