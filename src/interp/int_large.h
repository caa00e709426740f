// Products and quotients of big numbers that Ctrl-C can interrupt.
//
// libtommath neither polls nor knows a context: a product of millions of
// digits keeps it busy for minutes. Here large operands are cut into pieces
// that take it some milliseconds, with a poll between two of them.
#ifndef DUET_INTERP_INT_LARGE_H
#define DUET_INTERP_INT_LARGE_H

#include <tommath.h>

#include "base/ctx.h"

// What a failure means: MP_ERR with ERR_INTERRUPT pending in the context, or
// no memory and nothing pending. int_raise makes an error of either; false.
bool int_raise(Ctx *ctx);
// out = a * b; `out` may be one of them.
MUST_CHECK mp_err int_multiply(Ctx *ctx, const mp_int *a, const mp_int *b,
                               mp_int *out);
// As mp_div: the quotient towards 0 and the rest, which has the sign of `a`.
// b is not 0; the results are not the operands.
MUST_CHECK mp_err int_divide(Ctx *ctx, const mp_int *a, const mp_int *b,
                             mp_int *quotient, mp_int *rest);

#endif
