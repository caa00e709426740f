// Karatsuba's products above what libtommath does quickly. See int_large.h.
//
// Invariant: a piece of a number is a view, an mp_int whose digits belong to
// the number: it is only read, and never cleared.
#include "interp/objects/numbers/int_large.h"

enum {
    PIECE_DIGITS = 6000 // of 60 bits: a product of two takes ~10 ms
};

// libtommath does not say why it failed: an interrupt is pending in ctx
// already, anything else was memory.
bool int_raise(Ctx *ctx)
{
    return ctx_failed(ctx) ? false : ctx_fail_memory(ctx);
}

mp_int int_digits(const mp_int *a, int from, int to)
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

// The same digits: a square, which takes two thirds of a product's time.
static bool same(const mp_int *a, const mp_int *b)
{
    return a->dp == b->dp && a->used == b->used;
}

// What libtommath does in one go. It takes the square's sign to be plus.
static mp_err short_product(const mp_int *a, const mp_int *b, mp_int *out)
{
    return same(a, b) && a->sign == b->sign ? mp_sqr(a, out)
                                            : mp_mul(a, b, out);
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
    mp_int low = int_digits(a, 0, half), part;
    mp_int high = int_digits(a, half, a->used);
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
    mp_int a0 = int_digits(a, 0, half), a1 = int_digits(a, half, a->used);
    mp_int b0 = int_digits(b, 0, half), b1 = int_digits(b, half, b->used);
    mp_int left, right, top, middle;
    mp_err err = mp_init_multi(&left, &right, &top, &middle, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    // The halves of a square are squares, too.
    const mp_int *factor = same(a, b) ? &left : &right;
    err = mp_add(&a0, &a1, &left);
    err = err == MP_OKAY ? mp_add(&b0, &b1, &right) : err;
    err = err == MP_OKAY ? product(ctx, &left, factor, &middle) : err;
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
        return ctx_poll(ctx) ? short_product(a, b, out) : MP_ERR;
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
        return short_product(a, b, out);
    }
    if ((int64_t)a->used + b->used > INT_MAX_BITS / MP_DIGIT_BIT) {
        return MP_MEM;
    }
    mp_int left = int_digits(a, 0, a->used), result;
    mp_int right = int_digits(b, 0, b->used);
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
