// Powers of ints: base ** exponent, and modulo a number.
//
// Both by squaring, with a poll in each step besides those of the products.
// libtommath's own modular power is wrong for moduli that are multiples of
// 2**60 and for pow(x, 0, 1), hence square, multiply and divide.
#include <math.h>

#include "interp/core/raise.h"
#include "interp/objects/numbers/int_large.h"
#include "interp/objects/numbers/int_short.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/obj_float.h"

enum { MAX_EXPONENT = 1 << 30 }; // above, memory is said to be short

// result = base ** exponent; `square` is a copy of the base, used up.
// *result is 1 at the start. An error of libtommath's, or MP_ERR where the
// context has one pending.
static mp_err power(Ctx *ctx, mp_int *square, uint64_t exponent, mp_int *result)
{
    mp_err err = MP_OKAY;
    while (err == MP_OKAY && exponent != 0) {
        if (exponent & 1) {
            err = int_multiply(ctx, result, square, result);
        }
        exponent >>= 1;
        // The last square would not be used, and it is the largest.
        if (exponent != 0 && err == MP_OKAY) {
            err = int_multiply(ctx, square, square, square);
        }
        err = err == MP_OKAY && !ctx_poll(ctx) ? MP_ERR : err;
    }
    return err;
}

static Value power_of(Vm *vm, Value base, uint64_t exponent)
{
    Value quick = int_short_power(vm, base, exponent);
    if (!value_unbound(quick)) {
        return quick;
    }
    IntView view;
    int_view(&view, base);
    mp_int result, square;
    if (mp_init_multi(&result, &square, NULL) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    // A power of two is a shift: 2 ** n is written more often than 1 << n.
    mp_err err = MP_OKAY;
    if (view.number->used == 1 && view.number->dp[0] == 2 &&
        !mp_isneg(view.number)) {
        err = mp_2expt(&result, (int)exponent);
    } else {
        mp_set(&result, 1);
        err = mp_copy(view.number, &square);
        err =
            err == MP_OKAY ? power(&vm->ctx, &square, exponent, &result) : err;
    }
    mp_clear(&square);
    if (err != MP_OKAY) {
        mp_clear(&result);
        return int_raise(&vm->ctx), VALUE_FAIL;
    }
    return int_from_mp(vm, &result);
}

static Value negative_power(Vm *vm, Value a, Value b)
{
    double d, e;
    if (int_compare(a, value_from_small(0)) == 0) {
        return raise_error(vm, ERR_ZERO_DIVISION,
                           "0.0 cannot be raised to a negative power");
    }
    if (!int_to_double(vm, a, &d) || !int_to_double(vm, b, &e)) {
        return VALUE_FAIL;
    }
    return float_new(vm, pow(d, e));
}

// Of an exponent that has a result only for 0, 1 and -1; that of any other
// number would not fit in memory.
static Value endless_power(Vm *vm, Value a, Value b)
{
    if (int_compare(a, value_from_small(1)) == 0 ||
        int_compare(a, value_from_small(0)) == 0) {
        return value_from_small(int_compare(a, value_from_small(0)));
    }
    if (int_compare(a, value_from_small(-1)) == 0) {
        IntView view;
        int_view(&view, b);
        return value_from_small(mp_isodd(view.number) ? -1 : 1);
    }
    return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
}

// A negative exponent gives a float.
// Owned. Both are whole numbers, bools among them.
Value int_power(Vm *vm, Value a, Value b)
{
    if (int_compare(b, value_from_small(0)) < 0) {
        return negative_power(vm, a, b);
    }
    int64_t exponent;
    if (!int_to_i64(b, &exponent) || exponent > MAX_EXPONENT) {
        return endless_power(vm, a, b);
    }
    return power_of(vm, a, (uint64_t)exponent);
}

// factor = factor * other % modulus; `quotient` is scratch.
// Rests keep the sign of the number that was divided, which the last step of
// power_modulo puts right.
static mp_err multiply_modulo(Ctx *ctx, mp_int *factor, const mp_int *other,
                              const mp_int *modulus, mp_int *quotient)
{
    mp_err err = int_multiply(ctx, factor, other, factor);
    return err == MP_OKAY ? int_divide(ctx, factor, modulus, quotient, factor)
                          : err;
}

// base ** exponent % modulus, the exponent >= 0.
// Not for secrets: the time depends on the exponent's bits.
static mp_err power_modulo(Ctx *ctx, const mp_int *base, const mp_int *exponent,
                           const mp_int *modulus, mp_int *result)
{
    mp_int square, quotient;
    mp_err err = mp_init_multi(&square, &quotient, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    mp_set(result, 1);
    err = int_divide(ctx, base, modulus, &quotient, &square);
    // From the lowest bit upwards; both factors stay below the modulus.
    int bits = mp_count_bits(exponent);
    for (int i = 0; err == MP_OKAY && i < bits; i++) {
        if (exponent->dp[i / MP_DIGIT_BIT] >> (i % MP_DIGIT_BIT) & 1) {
            err = multiply_modulo(ctx, result, &square, modulus, &quotient);
        }
        err = err == MP_OKAY
                  ? multiply_modulo(ctx, &square, &square, modulus, &quotient)
                  : err;
        err = err == MP_OKAY && !ctx_poll(ctx) ? MP_ERR : err;
    }
    // The result takes the sign of the modulus, as Python's % does.
    err = err == MP_OKAY
              ? int_floor_divide(ctx, result, modulus, &quotient, result)
              : err;
    mp_clear_multi(&square, &quotient, NULL);
    return err;
}

// A negative exponent is taken as that of the inverse. Modulo 1 everything is
// 0, which has no inverse elsewhere. MP_VAL if there is none.
// Python has this since 3.8.
static mp_err inverse_power(Ctx *ctx, const mp_int *base,
                            const mp_int *exponent, const mp_int *modulus,
                            mp_int *result)
{
    mp_int inverse, positive;
    mp_err err = mp_init_multi(&inverse, &positive, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    err = mp_abs(modulus, &positive);
    if (err == MP_OKAY && mp_cmp_d(&positive, 1) != MP_EQ) {
        err = int_inverse(ctx, base, &positive, &inverse);
    }
    err = err == MP_OKAY ? mp_abs(exponent, &positive) : err;
    err = err == MP_OKAY
              ? power_modulo(ctx, &inverse, &positive, modulus, result)
              : err;
    mp_clear_multi(&inverse, &positive, NULL);
    return err;
}

__extension__ typedef unsigned __int128 Wide;

// A positive modulus and an exponent that is not negative, all immediate: each
// product of two rests fits 128 bits. UNBOUND: other numbers.
// No poll: there are 62 steps at most.
static Value small_power_modulo(Value base, Value exponent, Value modulus)
{
    if (!value_both_ints(base, exponent) || !value_is_int(modulus) ||
        value_small(modulus) <= 0 || value_small(exponent) < 0) {
        return VALUE_UNBOUND;
    }
    uint64_t m = (uint64_t)value_small(modulus);
    int64_t rest = value_small(base) % (int64_t)m;
    uint64_t square = (uint64_t)(rest < 0 ? rest + (int64_t)m : rest);
    uint64_t result = 1 % m;
    for (int64_t e = value_small(exponent); e > 0; e >>= 1) {
        if (e & 1) {
            result = (uint64_t)((Wide)result * square % m);
        }
        square = (uint64_t)((Wide)square * square % m);
    }
    return value_from_small((int64_t)result);
}

Value int_power_modulo(Vm *vm, Value base, Value exponent, Value modulus)
{
    Value small = small_power_modulo(base, exponent, modulus);
    if (!value_unbound(small)) {
        return small;
    }
    IntView b, e, m;
    int_view(&b, base);
    int_view(&e, exponent);
    int_view(&m, modulus);
    if (mp_iszero(m.number)) {
        return raise_error(vm, ERR_VALUE, "pow() 3rd argument cannot be 0");
    }
    mp_int result;
    if (mp_init(&result) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    mp_err (*how)(Ctx *, const mp_int *, const mp_int *, const mp_int *,
                  mp_int *) = mp_isneg(e.number) ? inverse_power : power_modulo;
    mp_err err = how(&vm->ctx, b.number, e.number, m.number, &result);
    if (err == MP_OKAY) {
        return int_from_mp(vm, &result);
    }
    mp_clear(&result);
    // A negative exponent wants an inverse, which only some numbers have.
    if (err == MP_VAL) {
        return raise_error(vm, ERR_VALUE,
                           "base is not invertible for the given modulus");
    }
    return int_raise(&vm->ctx), VALUE_FAIL;
}
