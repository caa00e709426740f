// The greatest common divisor and the modular inverse of big ints.
//
// Lehmer's algorithm (Knuth, The Art of Computer Programming, 4.5.2,
// algorithm L): Euclid's steps are taken on the top 62 bits of both numbers
// for as long as the digits below cannot change a quotient, some thirty bits'
// worth, and then done to the whole numbers at once as a 2 by 2 matrix. The
// same matrix carries the cofactor of an inverse along.
//
// Invariant of the loop: a >= b >= 0, and if there are cofactors,
// a = u * x and b = v * x modulo the modulus, for the x that was given.
#include "interp/objects/numbers/int_large.h"

enum { TOP_BITS = 62 };

// The numbers of one run. u is NULL when no cofactors are wanted; the last
// two are scratch.
typedef struct Euclid {
    mp_int a, b, u, v, left, right;
    bool cofactors;
} Euclid;

// What some steps on the top bits amount to: a' = A a + B b, b' = C a + D b.
typedef struct Steps {
    int64_t A, B, C, D;
} Steps;

// The bits of a number from `shift` on, of which there are at most TOP_BITS.
static int64_t bits_from(const mp_int *number, int shift)
{
    uint64_t top = 0;
    for (int i = shift / MP_DIGIT_BIT; i < number->used; i++) {
        int at = i * MP_DIGIT_BIT - shift;
        top |= at >= 0 ? (uint64_t)number->dp[i] << at
                       : (uint64_t)number->dp[i] >> -at;
    }
    return (int64_t)top;
}

// Steps while the quotients of both bounds agree. B is 0 if there was none.
static Steps top_steps(int64_t x, int64_t y)
{
    Steps s = {1, 0, 0, 1};
    while (y + s.C != 0 && y + s.D != 0) {
        int64_t q = (x + s.A) / (y + s.C), swap;
        if (q != (x + s.B) / (y + s.D)) {
            break;
        }
        swap = s.A - q * s.C, s.A = s.C, s.C = swap;
        swap = s.B - q * s.D, s.B = s.D, s.D = swap;
        swap = x - q * y, x = y, y = swap;
    }
    return s;
}

// out = a * x, where x is a factor of Steps.
static mp_err scale(const mp_int *a, int64_t x, mp_int *out)
{
    mp_err err = mp_mul_d(a, (mp_digit)(x < 0 ? -x : x), out);
    return err == MP_OKAY && x < 0 ? mp_neg(out, out) : err;
}

// out = x * A + y * B; `part` is scratch, and `out` neither number.
static mp_err combine(const mp_int *x, int64_t A, const mp_int *y, int64_t B,
                      mp_int *part, mp_int *out)
{
    mp_err err = scale(x, A, out);
    err = err == MP_OKAY ? scale(y, B, part) : err;
    return err == MP_OKAY ? mp_add(out, part, out) : err;
}

// (x, y) becomes (A x + B y, C x + D y).
static mp_err apply_steps(Euclid *e, const Steps *s, mp_int *x, mp_int *y)
{
    mp_int part;
    mp_err err = mp_init(&part);
    if (err != MP_OKAY) {
        return err;
    }
    err = combine(x, s->A, y, s->B, &part, &e->left);
    err = err == MP_OKAY ? combine(x, s->C, y, s->D, &part, &e->right) : err;
    mp_exch(x, &e->left);
    mp_exch(y, &e->right);
    mp_clear(&part);
    return err;
}

// One step of Euclid's on the whole numbers: for quotients that the top bits
// do not tell.
static mp_err whole_step(Ctx *ctx, Euclid *e)
{
    mp_err err = int_divide(ctx, &e->a, &e->b, &e->left, &e->right);
    mp_exch(&e->a, &e->b);
    mp_exch(&e->b, &e->right);
    if (err == MP_OKAY && e->cofactors) {
        err = int_multiply(ctx, &e->left, &e->v, &e->right);
        err = err == MP_OKAY ? mp_sub(&e->u, &e->right, &e->u) : err;
        mp_exch(&e->u, &e->v);
    }
    return err;
}

// Until b is 0; then a is the greatest common divisor.
static mp_err run(Ctx *ctx, Euclid *e)
{
    mp_err err = MP_OKAY;
    while (err == MP_OKAY && !mp_iszero(&e->b)) {
        int shift = mp_count_bits(&e->a) - TOP_BITS;
        shift = shift > 0 ? shift : 0;
        Steps steps =
            top_steps(bits_from(&e->a, shift), bits_from(&e->b, shift));
        if (!ctx_poll(ctx)) {
            err = MP_ERR;
        } else if (shift == 0 || steps.B == 0) {
            err = whole_step(ctx, e);
        } else {
            err = apply_steps(e, &steps, &e->a, &e->b);
            err = err == MP_OKAY && e->cofactors
                      ? apply_steps(e, &steps, &e->u, &e->v)
                      : err;
        }
    }
    return err;
}

// The six numbers of the state; MP_MEM leaves none of them.
static mp_err euclid_init(Euclid *e, bool cofactors)
{
    e->cofactors = cofactors;
    return mp_init_multi(&e->a, &e->b, &e->u, &e->v, &e->left, &e->right, NULL);
}

// After a euclid_init that succeeded.
static void euclid_clear(Euclid *e)
{
    mp_clear_multi(&e->a, &e->b, &e->u, &e->v, &e->left, &e->right, NULL);
}

// Of magnitudes; `out` is initialised. MP_ERR also means that an interrupt is
// pending in ctx.
mp_err int_gcd(Ctx *ctx, const mp_int *a, const mp_int *b, mp_int *out)
{
    Euclid e;
    mp_err err = euclid_init(&e, false);
    if (err != MP_OKAY) {
        return err;
    }
    bool ordered = mp_cmp_mag(a, b) != MP_LT;
    err = mp_abs(ordered ? a : b, &e.a);
    err = err == MP_OKAY ? mp_abs(ordered ? b : a, &e.b) : err;
    err = err == MP_OKAY ? run(ctx, &e) : err;
    if (err == MP_OKAY) {
        mp_exch(&e.a, out);
    }
    euclid_clear(&e);
    return err;
}

// The modulus is above 1. Another divisor than 1 is MP_VAL.
mp_err int_inverse(Ctx *ctx, const mp_int *number, const mp_int *modulus,
                   mp_int *out)
{
    Euclid e;
    mp_err err = euclid_init(&e, true);
    if (err != MP_OKAY) {
        return err;
    }
    // modulus = 0 * number and rest = 1 * number, modulo the modulus.
    mp_set(&e.v, 1);
    err = mp_copy(modulus, &e.a);
    err =
        err == MP_OKAY ? int_divide(ctx, number, modulus, &e.left, &e.b) : err;
    if (err == MP_OKAY && mp_isneg(&e.b)) {
        err = mp_add(&e.b, modulus, &e.b);
    }
    err = err == MP_OKAY ? run(ctx, &e) : err;
    if (err == MP_OKAY && mp_cmp_d(&e.a, 1) != MP_EQ) {
        err = MP_VAL;
    }
    // |u| is below the modulus.
    if (err == MP_OKAY && mp_isneg(&e.u)) {
        err = mp_add(&e.u, modulus, &e.u);
    }
    if (err == MP_OKAY) {
        mp_exch(&e.u, out);
    }
    euclid_clear(&e);
    return err;
}
