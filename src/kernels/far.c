// Payne and Hanek: x = m 2^e is multiplied by those binary places of 2/pi alone
// that count; places before them give whole turns. What is left is in two
// parts, and loop_angle.c has the same series.
#include "kernels/far.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/float_bits.h"
#include "kernels/fma.h"
#include "kernels/loop_factors.h"

// 2/pi behind 64 places of zeros.
static const uint64_t two_over_pi[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
};

__extension__ typedef unsigned __int128 Wide;

// 64 places from this one on.
static uint64_t places(uint32_t from)
{
    uint64_t word = two_over_pi[from / 64];
    uint32_t by = from % 64;
    return by == 0 ? word
                   : word << by | two_over_pi[from / 64 + 1] >> (64 - by);
}

// The product's low 192 bits, the first two of which are quarter turns.
static void multiply(uint64_t m, uint32_t from, uint64_t *product)
{
    Wide sum = 0;
    for (int i = 2; i >= 0; i--) {
        sum += (Wide)m * places(from + 64 * (uint32_t)i);
        product[i] = (uint64_t)sum;
        sum >>= 64;
    }
}

// x less the nearest multiple of pi/2, as a sum of two; the quarter turns taken
// off, of which the last two bits count.
typedef struct Far {
    double rest, low;
    uint64_t quarter;
} Far;

static Far far_turn(double x)
{
    static const double half_pi[] = {0x1.921fb54442d18p+0,
                                     0x1.1a62633145c07p-54};
    uint64_t bits = bits_of_double(x), product[3];
    int exponent = (int)(bits >> 52 & 2047) - 1075;
    if (exponent == 2047 - 1075) {
        return (Far){x - x, x - x, 0};
    }
    if (exponent < -62) {
        return (Far){x, 0, 0};
    }
    uint64_t m = (bits & UINT64_MAX >> 12) | (uint64_t)1 << 52;
    multiply(m, (uint32_t)(exponent - 1 + 63), product);
    uint64_t quarter = product[0] >> 62;
    // The fraction, of 128 bits; a half and more counts down from the next.
    Wide rest = (Wide)(product[0] << 2 | product[1] >> 62) << 64 |
                (product[1] << 2 | product[2] >> 62);
    bool down = rest >> 127 != 0;
    rest = down ? -rest : rest;
    quarter += down;
    int lost = 0;
    while (rest >> 127 == 0 && lost < 128) {
        rest <<= 1;
        lost++;
    }
    double high = ldexp((double)(uint64_t)(rest >> 75), -53 - lost);
    double low =
        ldexp((double)(uint64_t)(rest >> 22 & UINT64_MAX >> 11), -106 - lost);
    double angle = high * half_pi[0];
    double part = fma64(high, half_pi[0], -angle) +
                  (high * half_pi[1] + low * half_pi[0]);
    double sum = angle + part;
    part -= sum - angle;
    bool minus = (x < 0) != down;
    quarter = x < 0 ? 0 - quarter : quarter;
    return (Far){minus ? -sum : sum, minus ? -part : part, quarter};
}

// Sine and cosine of the rest, in double.
static void evaluate(Far far, double *sine, double *cosine)
{
    double r = far.rest, z = r * r;
    double p = sine_64[0], q = cosine_64[0];
    for (size_t i = 1; i < sizeof sine_64 / sizeof *sine_64; i++) {
        p = fma64(p, z, sine_64[i]);
    }
    for (size_t i = 1; i < sizeof cosine_64 / sizeof *cosine_64; i++) {
        q = fma64(q, z, cosine_64[i]);
    }
    double half = 0.5 * z, level = 1 - half, lost = (1 - level) - half;
    *sine = r + fma64(far.low, level, p * (r * z));
    *cosine = level + (fma64(z * z, q, lost) - r * far.low);
}

static double sine_after(double x, uint64_t more)
{
    double sine, cosine;
    Far far = far_turn(x);
    far.quarter += more;
    evaluate(far, &sine, &cosine);
    double y = far.quarter & 1 ? cosine : sine;
    return far.quarter & 2 ? -y : y;
}

double far_sin(double x)
{
    return sine_after(x, 0);
}

double far_cos(double x)
{
    return sine_after(x, 1);
}

double far_tan(double x)
{
    double sine, cosine;
    Far far = far_turn(x);
    evaluate(far, &sine, &cosine);
    return far.quarter & 1 ? -cosine / sine : sine / cosine;
}
