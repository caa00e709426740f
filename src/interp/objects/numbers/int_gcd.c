// The greatest common divisor and the modular inverse of big ints.
//
// libtommath does both, but polls for no interrupt: longer numbers take
// Euclid's steps here, with a poll before each.
#include "interp/objects/numbers/int_large.h"

enum { GCD_DIGITS = 1000, INVERSE_DIGITS = 250 }; // of 60 bits: some 20 ms

// (x, y) becomes (y, rest of x by y). MP_ERR: interrupted.
static mp_err euclid_step(Ctx *ctx, mp_int *x, mp_int *y, mp_int *quotient,
                          mp_int *rest)
{
    mp_err err = ctx_poll(ctx) ? int_divide(ctx, x, y, quotient, rest) : MP_ERR;
    mp_exch(x, y);
    mp_exch(y, rest);
    return err;
}

mp_err int_gcd(Ctx *ctx, const mp_int *a, const mp_int *b, mp_int *out)
{
    mp_int x, y, quotient, rest;
    mp_err err = mp_init_multi(&x, &y, &quotient, &rest, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    err = mp_copy(a, &x);
    err = err == MP_OKAY ? mp_copy(b, &y) : err;
    while (err == MP_OKAY && !mp_iszero(&y) &&
           (x.used > GCD_DIGITS || y.used > GCD_DIGITS)) {
        err = euclid_step(ctx, &x, &y, &quotient, &rest);
    }
    err = err == MP_OKAY ? mp_gcd(&x, &y, out) : err;
    mp_clear_multi(&x, &y, &quotient, &rest, NULL);
    return err;
}

// Invariant: x = u * number and y = v * number, modulo the modulus. From
// x = modulus and y = number to y = 0; x is then their divisor.
static mp_err inverse_long(Ctx *ctx, mp_int *number, const mp_int *modulus,
                           mp_int *out)
{
    mp_int x, u, v, quotient, rest;
    mp_err err = mp_init_multi(&x, &u, &v, &quotient, &rest, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    mp_set(&v, 1);
    err = mp_copy(modulus, &x);
    while (err == MP_OKAY && !mp_iszero(number)) {
        err = euclid_step(ctx, &x, number, &quotient, &rest);
        err = err == MP_OKAY ? int_multiply(ctx, &quotient, &v, &rest) : err;
        err = err == MP_OKAY ? mp_sub(&u, &rest, &u) : err;
        mp_exch(&u, &v);
    }
    if (err == MP_OKAY) {
        err = mp_cmp_d(&x, 1) == MP_EQ ? mp_copy(&u, out) : MP_VAL;
    }
    mp_clear_multi(&x, &u, &v, &quotient, &rest, NULL);
    return err;
}

mp_err int_inverse(Ctx *ctx, const mp_int *number, const mp_int *modulus,
                   mp_int *out)
{
    mp_int quotient, rest;
    mp_err err = mp_init_multi(&quotient, &rest, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    err = int_divide(ctx, number, modulus, &quotient, &rest);
    // libtommath takes the inverse of numbers above 0 alone.
    if (err == MP_OKAY && mp_isneg(&rest)) {
        err = mp_add(&rest, modulus, &rest);
    }
    if (err == MP_OKAY) {
        err = modulus->used <= INVERSE_DIGITS
                  ? mp_invmod(&rest, modulus, out)
                  : inverse_long(ctx, &rest, modulus, out);
    }
    // Its magnitude is below the modulus.
    if (err == MP_OKAY && mp_isneg(out)) {
        err = mp_add(out, modulus, out);
    }
    mp_clear_multi(&quotient, &rest, NULL);
    return err;
}
