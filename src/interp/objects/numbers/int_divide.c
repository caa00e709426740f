// Long division of big numbers by halves, and what is built on it. See
// int_large.h.
//
// Burnikel and Ziegler's scheme (Brent & Zimmermann, Modern Computer
// Arithmetic, algorithm 1.8): a quotient of m digits is found as two of m / 2
// from the upper part of the divisor; what the lower part takes is put right
// by a product, for which there is Karatsuba's. Below SCHOOL_DIGITS
// libtommath's schoolbook division is faster.
//
// Invariant: the divisor of the recursion is normalised (its top bit is the
// top bit of a digit), so that a guess is at most two too large.
#include "interp/objects/numbers/int_large.h"

#include <string.h>

enum {
    SCHOOL_DIGITS = 120,   // of 60 bits: shorter quotients are not split
    CHUNK_LEAST = 40,      // digits of the quotient that are found at a time
    SCHOOL_WORK = 1 << 24, // digit products of one uninterrupted mp_div
    BITS = MP_DIGIT_BIT
};

static mp_err divide_half(Ctx *ctx, const mp_int *a, const mp_int *b,
                          mp_int *quotient, mp_int *rest);

// Whether libtommath divides as fast, and soon enough to leave Ctrl-C waiting.
// Each digit of the quotient costs it a walk over the whole dividend.
static bool is_short(const mp_int *a, const mp_int *b)
{
    int m = a->used - b->used;
    return m < 2 || (m < SCHOOL_DIGITS && (int64_t)m * a->used <= SCHOOL_WORK);
}

// value = value * X^digits + low, where low < X^digits.
static mp_err append(mp_int *value, int digits, const mp_int *low)
{
    mp_err err = mp_lshd(value, digits);
    return err == MP_OKAY ? mp_add(value, low, value) : err;
}

// `rest` holds what the upper digits of b left of a number; takes off the
// quotient's share of b's lower `k` digits, and steps down while that is too
// much. `part` is scratch.
static mp_err correct(Ctx *ctx, const mp_int *b, int k, mp_int *quotient,
                      mp_int *rest, mp_int *part)
{
    mp_int low = int_digits(b, 0, k);
    mp_err err = int_multiply(ctx, quotient, &low, part);
    err = err == MP_OKAY ? mp_sub(rest, part, rest) : err;
    while (err == MP_OKAY && mp_isneg(rest)) {
        err = mp_sub_d(quotient, 1, quotient);
        err = err == MP_OKAY ? mp_add(rest, b, rest) : err;
    }
    return err;
}

// One half of the quotient: a by b's digits above k, then the lower k digits
// of both. `next` are the digits of a that follow, below X^k.
static mp_err divide_step(Ctx *ctx, const mp_int *a, const mp_int *next,
                          const mp_int *b, int k, mp_int *quotient,
                          mp_int *rest)
{
    mp_int upper = int_digits(b, k, b->used), part;
    mp_err err = mp_init(&part);
    if (err != MP_OKAY) {
        return err;
    }
    err = divide_half(ctx, a, &upper, quotient, rest);
    err = err == MP_OKAY ? append(rest, k, next) : err;
    err = err == MP_OKAY ? correct(ctx, b, k, quotient, rest, &part) : err;
    mp_clear(&part);
    return err;
}

// Magnitudes, b normalised, a < b * X^b->used; the results are initialised and
// no operands. The depth is the logarithm of the quotient's length.
static mp_err divide_half(Ctx *ctx, const mp_int *a, const mp_int *b,
                          mp_int *quotient, mp_int *rest)
{
    int m = a->used - b->used;
    if (is_short(a, b)) {
        return ctx_poll(ctx) ? mp_div(a, b, quotient, rest) : MP_ERR;
    }
    int k = m / 2;
    mp_int top = int_digits(a, 2 * k, a->used);
    mp_int middle = int_digits(a, k, 2 * k), low = int_digits(a, 0, k);
    mp_int half, left;
    mp_err err = mp_init_multi(&half, &left, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    err = divide_step(ctx, &top, &middle, b, k, quotient, &left);
    err =
        err == MP_OKAY ? divide_step(ctx, &left, &low, b, k, &half, rest) : err;
    err = err == MP_OKAY ? append(quotient, k, &half) : err;
    mp_clear_multi(&half, &left, NULL);
    return err;
}

// Writes a part of the quotient, below X^digits, to where it belongs.
static void put_digits(mp_int *quotient, int at, const mp_int *part)
{
    memcpy(quotient->dp + at, part->dp, (size_t)part->used * sizeof *part->dp);
}

// Of magnitudes, as many digits of the quotient at a time as the divisor has,
// from the top; b is normalised. The first block is what the others leave:
// they are all of one length.
static mp_err divide_blocks(Ctx *ctx, const mp_int *a, const mp_int *b,
                            mp_int *quotient, mp_int *rest)
{
    mp_int part, number;
    mp_err err = mp_init_multi(&part, &number, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    // Blocks as long as the divisor, so that each step divides two by one.
    int digits = b->used < CHUNK_LEAST ? CHUNK_LEAST : b->used;
    err = mp_grow(quotient, a->used);
    if (err == MP_OKAY) {
        memset(quotient->dp, 0, (size_t)a->used * sizeof *quotient->dp);
    }
    for (int end = a->used; err == MP_OKAY && end > 0;) {
        int start = (end - 1) / digits * digits;
        mp_int block = int_digits(a, start, end);
        // What is left of the blocks above comes in front of this one.
        mp_exch(&number, rest);
        err = append(&number, end - start, &block);
        err = err == MP_OKAY ? divide_half(ctx, &number, b, &part, rest) : err;
        if (err == MP_OKAY) {
            put_digits(quotient, start, &part);
        }
        end = start;
    }
    if (err == MP_OKAY) {
        quotient->used = a->used;
        mp_clamp(quotient);
    }
    mp_clear_multi(&part, &number, NULL);
    return err;
}

// Shifts both up so that b is normalised, divides, and shifts the rest back.
static mp_err divide_scaled(Ctx *ctx, const mp_int *a, const mp_int *b,
                            mp_int *quotient, mp_int *rest)
{
    mp_int dividend, divisor;
    mp_err err = mp_init_multi(&dividend, &divisor, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    int shift = (BITS - mp_count_bits(b) % BITS) % BITS;
    err = mp_mul_2d(a, shift, &dividend);
    err = err == MP_OKAY ? mp_mul_2d(b, shift, &divisor) : err;
    dividend.sign = divisor.sign = MP_ZPOS;
    err = err == MP_OKAY
              ? divide_blocks(ctx, &dividend, &divisor, quotient, rest)
              : err;
    err = err == MP_OKAY ? mp_div_2d(rest, shift, rest, NULL) : err;
    mp_clear_multi(&dividend, &divisor, NULL);
    return err;
}

// By one digit, in linear time: mp_div takes quadratic time for that.
static mp_err divide_digit(const mp_int *a, const mp_int *b, mp_int *quotient,
                           mp_int *rest)
{
    mp_digit left = 0, divisor = b->dp[0];
    mp_sign sign = a->sign;
    bool negative = a->sign != b->sign;
    mp_err err = mp_div_d(a, divisor, quotient, &left);
    if (err == MP_OKAY) {
        mp_set(rest, left);
        rest->sign = left != 0 ? sign : MP_ZPOS;
        quotient->sign = negative && quotient->used > 0 ? MP_NEG : MP_ZPOS;
    }
    return err;
}

mp_err int_divide(Ctx *ctx, const mp_int *a, const mp_int *b, mp_int *quotient,
                  mp_int *rest)
{
    if (b->used == 1) {
        return divide_digit(a, b, quotient, rest);
    }
    if (is_short(a, b)) {
        return mp_div(a, b, quotient, rest);
    }
    bool negative = a->sign != b->sign;
    mp_sign sign = a->sign;
    mp_int upper, lower;
    mp_err err = mp_init_multi(&upper, &lower, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    err = divide_scaled(ctx, a, b, &upper, &lower);
    if (err == MP_OKAY) {
        upper.sign = negative && upper.used > 0 ? MP_NEG : MP_ZPOS;
        lower.sign = lower.used > 0 ? sign : MP_ZPOS;
        mp_exch(&upper, quotient);
        mp_exch(&lower, rest);
    }
    mp_clear_multi(&upper, &lower, NULL);
    return err;
}
