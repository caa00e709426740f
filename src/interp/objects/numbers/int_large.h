// Products and quotients of big numbers that Ctrl-C can interrupt.
//
// libtommath neither polls nor knows a context: a product of millions of
// digits keeps it busy for minutes. Here large operands are cut into pieces
// that take it some milliseconds, with a poll between two of them.
#ifndef DUET_INTERP_OBJECTS_NUMBERS_INT_LARGE_H
#define DUET_INTERP_OBJECTS_NUMBERS_INT_LARGE_H

#include <tommath.h>

#include "base/ctx.h"

// Above, a result is said to need more memory than there is: libtommath counts
// bits in an int.
enum { INT_MAX_BITS = 0x7ffff000 };

// What a failure means: MP_ERR with ERR_INTERRUPT pending in the context, or
// no memory and nothing pending. int_raise makes an error of either; false.
bool int_raise(Ctx *ctx);
// Digits [from, to) of a number's magnitude, without leading zeros: a view
// that is only read, and never cleared. What is behind the number is zero.
mp_int int_digits(const mp_int *a, int from, int to);
// out = a * b; `out` may be one of them.
MUST_CHECK mp_err int_multiply(Ctx *ctx, const mp_int *a, const mp_int *b,
                               mp_int *out);
// As mp_div: the quotient towards 0 and the rest, which has the sign of `a`.
// b is not 0; the results may be the operands, but not each other.
MUST_CHECK mp_err int_divide(Ctx *ctx, const mp_int *a, const mp_int *b,
                             mp_int *quotient, mp_int *rest);
// out = gcd(|a|, |b|); `out` may be an operand.
MUST_CHECK mp_err int_gcd(Ctx *ctx, const mp_int *a, const mp_int *b,
                          mp_int *out);
// out = 1 / number modulo a modulus above 1, from 0 to modulus - 1; MP_VAL
// where there is none.
MUST_CHECK mp_err int_inverse(Ctx *ctx, const mp_int *number,
                              const mp_int *modulus, mp_int *out);
// A magnitude as `count` items of `bits` (at most 8) each, the most
// significant one first, and back. False, or MP_ERR: interrupted, the error is
// pending.
MUST_CHECK bool int_unpack(Ctx *ctx, const mp_int *number, unsigned char *items,
                           size_t count, int bits);
MUST_CHECK mp_err int_pack(Ctx *ctx, mp_int *number, const unsigned char *items,
                           size_t count, int bits);

#endif
