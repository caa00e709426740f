// Conversions of halves against their definitions: all patterns, and all
// numbers half way between two neighbours, with those next to them.
#include <criterion/criterion.h>
#include <math.h>

#include "kernels/half.h"

// `fraction` bits behind the point, exponents biased by `bias`.
static double value_of(uint32_t half, int fraction, int bias)
{
    int exponent = (int)((half & 0x7FFF) >> fraction);
    double rest = half & ((1u << fraction) - 1);
    double size = exponent == 0 ? ldexp(rest, 1 - bias - fraction)
                                : ldexp(rest + (1 << fraction),
                                        exponent - bias - fraction);
    return half & 0x8000 ? -size : size;
}

Test(half, widens_every_pattern)
{
    for (uint32_t i = 0; i < 0x10000; i++) {
        float f16 = f16_widen((uint16_t)i), bf16 = bf16_widen((uint16_t)i);
        if ((i & 0x7FFF) < 0x7C00) {
            cr_assert((double)f16 == value_of(i, 10, 15), "%x", i);
        }
        if ((i & 0x7FFF) < 0x7F80) {
            cr_assert((double)bf16 == value_of(i, 7, 127), "%x", i);
        }
        cr_assert_eq(f16 != f16, (i & 0x7FFF) > 0x7C00);
        cr_assert_eq(bf16 != bf16, (i & 0x7FFF) > 0x7F80);
        cr_assert_eq(!!signbit(f16), i >> 15);
    }
    cr_assert(isinf(f16_widen(0x7C00)) && isinf(bf16_widen(0xFF80)));
}

// Of the number half way between `i` and the next one, and its neighbours.
static void check_f16(uint32_t i, double middle, float up, float down)
{
    uint32_t even = i + (i & 1);
    cr_assert_eq(f16_round((float)middle), even, "%x", i);
    cr_assert_eq(f16_round(-(float)middle), even | 0x8000, "%x", i);
    cr_assert_eq(f16_round(up), i + 1, "%x", i);
    cr_assert_eq(f16_round(down), i, "%x", i);
    cr_assert_eq(f16_of_double(middle), even, "%x", i);
    // Nearer to the middle than a float32 can tell.
    cr_assert_eq(f16_of_double(nextafter(middle, INFINITY)), i + 1, "%x", i);
    cr_assert_eq(f16_of_double(-nextafter(middle, 0)), i | 0x8000, "%x", i);
}

Test(half, rounds_to_nearest_even)
{
    for (uint32_t i = 0; i < 0x7C00; i++) {
        double middle = (value_of(i, 10, 15) + value_of(i + 1, 10, 15)) / 2;
        float single = (float)middle;
        check_f16(i, middle, nextafterf(single, INFINITY),
                  nextafterf(single, 0));
    }
    for (uint32_t i = 0; i < 0x7F7F; i++) {
        float middle =
            (float)((value_of(i, 7, 127) + value_of(i + 1, 7, 127)) / 2);
        cr_assert_eq(bf16_round(middle), i + (i & 1), "%x", i);
        cr_assert_eq(bf16_round(nextafterf(middle, INFINITY)), i + 1, "%x", i);
        cr_assert_eq(bf16_round(-nextafterf(middle, 0)), i | 0x8000, "%x", i);
    }
    cr_assert_eq(bf16_round(3.4e38f), 0x7F80);
    cr_assert_eq(f16_of_double(1e300), 0x7C00);
    cr_assert_eq(f16_of_double(-1e-320), 0x8000);
}

Test(half, keeps_nan_and_infinity)
{
    for (uint32_t i = 0x7C00; i < 0x8000; i++) {
        uint32_t quiet = i == 0x7C00 ? i : i | 0x200;
        cr_assert_eq(f16_round(f16_widen((uint16_t)i)), quiet, "%x", i);
    }
    cr_assert_eq(f16_round(INFINITY), 0x7C00);
    cr_assert_eq(f16_round(float_of_bits(0xFF800001)), 0xFE00);
    cr_assert_eq(bf16_round(float_of_bits(0x7FFFFFFF)), 0x7FC0);
    cr_assert_eq(bf16_round(float_of_bits(0xFF800001)), 0xFFC0);
    cr_assert_eq(bf16_round(-INFINITY), 0xFF80);
}
