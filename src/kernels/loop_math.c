// Conversions, and what mathematical functions have in common.
#include "kernels/loop_math.h"

LoopValue loop_not(LoopBuild *build, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    LoopType type = loop_type(build, x);
    uint64_t ones = type == LT_I32 ? UINT32_MAX : UINT64_MAX;
    return loop_xor(build, x, loop_bits(build, type, ones));
}

// Two halves of the I64, each put into the fraction of a float64 of known
// exponent. Taking the exponents off again is exact; the sum rounds once.
static LoopValue float_of_long(LoopBuild *build, LoopValue x)
{
    LoopValue low = loop_and(build, x, loop_bits(build, LT_I64, UINT32_MAX));
    LoopValue high = loop_shr(build, x, loop_bits(build, LT_I64, 32));
    low = loop_or(build, low, loop_bits(build, LT_I64, 0x4330000000000000));
    high = loop_xor(build, high, loop_bits(build, LT_I64, 0x4530000080000000));
    LoopValue bias = loop_bits(build, LT_F64, 0x4530000080100000);
    high = loop_sub(build, loop_twin(build, high), bias);
    return loop_add(build, high, loop_twin(build, low));
}

LoopValue loop_convert(LoopBuild *build, LoopValue x, LoopType to)
{
    static const uint8_t prims[] = {PRIM_TO_F32, PRIM_TO_F64, PRIM_TO_I32,
                                    PRIM_TO_I64};
    if (x == LOOP_NONE) {
        return x;
    }
    LoopType from = loop_type(build, x);
    if (from == to) {
        return x;
    }
    if (to == LT_MASK) {
        return loop_ne(build, x, loop_like(build, x, 0));
    }
    if (from == LT_MASK) {
        return loop_select(build, x, loop_number(build, to, 1),
                           loop_number(build, to, 0));
    }
    if (from == LT_I64 && to == LT_F64) {
        return float_of_long(build, x);
    }
    if (from == LT_F32 && to == LT_I64) {
        x = loop_prim(build, PRIM_TO_F64, x, 0, 0);
    }
    return loop_prim(build, (LoopPrim)prims[to], x, 0, 0);
}

// All bits of the twin of a float but the sign.
static LoopValue rest_of_sign(LoopBuild *build, LoopValue bits)
{
    LoopType type = loop_type(build, bits);
    return loop_bits(build, type, type == LT_I32 ? INT32_MAX : INT64_MAX);
}

LoopValue loop_magnitude(LoopBuild *build, LoopValue x)
{
    LoopValue bits = loop_twin(build, x);
    return bits == LOOP_NONE
               ? bits
               : loop_twin(build,
                           loop_and(build, bits, rest_of_sign(build, bits)));
}

LoopValue loop_copysign(LoopBuild *build, LoopValue x, LoopValue y)
{
    LoopValue size = loop_twin(build, x), sign = loop_twin(build, y);
    if (size == LOOP_NONE || sign == LOOP_NONE) {
        return LOOP_NONE;
    }
    return loop_twin(build,
                     loop_mix(build, size, sign, rest_of_sign(build, size)));
}

LoopValue loop_polynomial(LoopBuild *build, LoopValue x, bool fused,
                          const double *factors, int count)
{
    LoopValue sum = loop_like(build, x, factors[0]);
    for (int i = 1; i < count; i++) {
        LoopValue next = loop_like(build, x, factors[i]);
        sum = fused ? loop_fma(build, sum, x, next)
                    : loop_add(build, loop_mul(build, sum, x), next);
    }
    return sum;
}

LoopValue loop_negative(LoopBuild *build, LoopValue x)
{
    return loop_sub(build, loop_like(build, x, -0.0), x);
}

LoopValue loop_keep_zero(LoopBuild *build, LoopValue x, LoopValue y)
{
    return loop_select(build, loop_eq(build, x, loop_like(build, x, 0)), x, y);
}

// Begins what loop_wide does: its operand as float64.
static LoopValue widened(LoopBuild *build, LoopValue x)
{
    build->rough = loop_is_single(build, x);
    return loop_convert(build, x, LT_F64);
}

static LoopValue narrowed(LoopBuild *build, LoopValue y, LoopType to)
{
    build->rough = false;
    return loop_convert(build, y, to);
}

LoopValue loop_wide(LoopBuild *build, LoopMath1 function, LoopValue x)
{
    if (x == LOOP_NONE) {
        return x;
    }
    LoopType type = loop_type(build, x);
    return narrowed(build, function(build, widened(build, x)), type);
}

LoopValue loop_wide2(LoopBuild *build, LoopMath2 function, LoopValue x,
                     LoopValue y)
{
    if (x == LOOP_NONE || y == LOOP_NONE) {
        return LOOP_NONE;
    }
    LoopType type = loop_type(build, x);
    LoopValue u = widened(build, x), v = widened(build, y);
    return narrowed(build, function(build, u, v), type);
}
