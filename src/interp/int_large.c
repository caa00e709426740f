// Karatsuba's products above what libtommath does quickly, and long division
// a block of digits at a time. See int_large.h.
//
// Invariant: a piece of a number is a view, an mp_int whose digits belong to
// the number: it is only read, and never cleared.
#include "interp/int_large.h"

enum {
    PIECE_DIGITS = 6000,  // of 60 bits: a product of two takes ~10 ms
    DIVIDE_WORK = 1 << 26 // digit products between two polls of a division
};

// libtommath does not say why it failed: an interrupt is pending in ctx
// already, anything else was memory.
bool int_raise(Ctx *ctx)
{
    return ctx_failed(ctx) ? false : ctx_fail_memory(ctx);
}

// Digits [from, to) of a number's magnitude.
// Leading zeros are cut off, as libtommath wants numbers without; a zero has no
// digits at all.
static mp_int view(const mp_int *a, int from, int to)
{
    // A piece may end behind the number: what is not there is zero.
    to = to < a->used ? to : a->used;
    mp_int piece = {.used = to > from ? to - from : 0, .sign = MP_ZPOS};
    piece.dp = a->dp + (piece.used > 0 ? from : 0);
    while (piece.used > 0 && piece.dp[piece.used - 1] == 0) {
        piece.used--;
    }
    piece.alloc = piece.used;
    return piece;
}

static mp_err product(Ctx *ctx, const mp_int *a, const mp_int *b, mp_int *out);

// out += part shifted up by `digits`; `part` is used up.
static mp_err add_shifted(mp_int *out, mp_int *part, int digits)
{
    mp_err err = mp_lshd(part, digits);
    return err == MP_OKAY ? mp_add(out, part, out) : err;
}

// a is more than twice as long as b: its halves one after the other.
static mp_err product_uneven(Ctx *ctx, const mp_int *a, const mp_int *b,
                             int half, mp_int *out)
{
    mp_int low = view(a, 0, half), high = view(a, half, a->used), part;
    mp_err err = mp_init(&part);
    if (err != MP_OKAY) {
        return err;
    }
    err = product(ctx, &low, b, out);
    err = err == MP_OKAY ? product(ctx, &high, b, &part) : err;
    err = err == MP_OKAY ? add_shifted(out, &part, half) : err;
    mp_clear(&part);
    return err;
}

// (a1 X + a0)(b1 X + b0) with three products: the middle one is
// (a0 + a1)(b0 + b1) less the outer two.
static mp_err product_karatsuba(Ctx *ctx, const mp_int *a, const mp_int *b,
                                int half, mp_int *out)
{
    mp_int a0 = view(a, 0, half), a1 = view(a, half, a->used);
    mp_int b0 = view(b, 0, half), b1 = view(b, half, b->used);
    mp_int left, right, top, middle;
    mp_err err = mp_init_multi(&left, &right, &top, &middle, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    err = mp_add(&a0, &a1, &left);
    err = err == MP_OKAY ? mp_add(&b0, &b1, &right) : err;
    err = err == MP_OKAY ? product(ctx, &left, &right, &middle) : err;
    err = err == MP_OKAY ? product(ctx, &a0, &b0, out) : err;
    err = err == MP_OKAY ? product(ctx, &a1, &b1, &top) : err;
    err = err == MP_OKAY ? mp_sub(&middle, out, &middle) : err;
    err = err == MP_OKAY ? mp_sub(&middle, &top, &middle) : err;
    err = err == MP_OKAY ? add_shifted(out, &middle, half) : err;
    err = err == MP_OKAY ? add_shifted(out, &top, 2 * half) : err;
    mp_clear_multi(&left, &right, &top, &middle, NULL);
    return err;
}

// Of magnitudes; `out` is neither operand. The depth is the logarithm of the
// length.
static mp_err product(Ctx *ctx, const mp_int *a, const mp_int *b, mp_int *out)
{
    if (a->used < b->used) {
        const mp_int *longer = b;
        b = a;
        a = longer;
    }
    // A poll before each piece keeps Ctrl-C prompt; libtommath knows no polls.
    if (a->used <= PIECE_DIGITS) {
        return ctx_poll(ctx) ? mp_mul(a, b, out) : MP_ERR;
    }
    // Split by the longer operand, so that both use the same X.
    int half = (a->used + 1) / 2;
    return b->used <= half ? product_uneven(ctx, a, b, half, out)
                           : product_karatsuba(ctx, a, b, half, out);
}

// `out` may be an operand: the product is made apart and exchanged. Signs are
// put on at the end, as the pieces are magnitudes.
mp_err int_multiply(Ctx *ctx, const mp_int *a, const mp_int *b, mp_int *out)
{
    if (a->used <= PIECE_DIGITS && b->used <= PIECE_DIGITS) {
        return mp_mul(a, b, out);
    }
    mp_int left = view(a, 0, a->used), right = view(b, 0, b->used), result;
    mp_sign sign = a->sign == b->sign ? MP_ZPOS : MP_NEG;
    mp_err err = mp_init(&result);
    if (err != MP_OKAY) {
        return err;
    }
    err = product(ctx, &left, &right, &result);
    if (err == MP_OKAY) {
        result.sign = result.used == 0 ? MP_ZPOS : sign;
        mp_exch(&result, out);
    }
    mp_clear(&result);
    return err;
}

// One step of long division: the next `digits` of a are appended to the rest,
// and what the divisor takes of it to the quotient.
static mp_err divide_block(const mp_int *block, int digits, const mp_int *b,
                           mp_int *quotient, mp_int *rest)
{
    mp_int part;
    mp_err err = mp_init(&part);
    if (err != MP_OKAY) {
        return err;
    }
    err = mp_lshd(rest, digits);
    err = err == MP_OKAY ? mp_add(rest, block, rest) : err;
    err = err == MP_OKAY ? mp_div(rest, b, &part, rest) : err;
    err = err == MP_OKAY ? mp_lshd(quotient, digits) : err;
    err = err == MP_OKAY ? mp_add(quotient, &part, quotient) : err;
    mp_clear(&part);
    return err;
}

// Signs as libtommath and C have them: the rest has that of `a`. Python's floor
// comes later (int_divmod).
mp_err int_divide(Ctx *ctx, const mp_int *a, const mp_int *b,
                  mp_int *quotient, mp_int *rest)
{
    // Schoolbook division of such a block takes about DIVIDE_WORK steps.
    int digits = DIVIDE_WORK / (b->used + 1) + 1;
    if (a->used - b->used <= digits) {
        return mp_div(a, b, quotient, rest);
    }
    // Without the sign: the blocks are magnitudes.
    mp_int divisor = view(b, 0, b->used);
    mp_err err = MP_OKAY;
    mp_zero(quotient);
    mp_zero(rest);
    // The first block is what the others leave: they are all of one length.
    for (int end = a->used; err == MP_OKAY && end > 0;) {
        int start = (end - 1) / digits * digits;
        mp_int block = view(a, start, end);
        err = ctx_poll(ctx) ? divide_block(&block, end - start, &divisor,
                                           quotient, rest)
                            : MP_ERR;
        end = start;
    }
    if (err == MP_OKAY) {
        bool negative = a->sign != b->sign;
        quotient->sign =
            negative && quotient->used > 0 ? MP_NEG : MP_ZPOS;
        rest->sign = rest->used > 0 ? a->sign : MP_ZPOS;
    }
    return err;
}
