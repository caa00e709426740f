// Bounds of the errors of float32 functions, in units of the last place
// against libm in double, and how much faster the vectorised loops are.
#include <criterion/criterion.h>
#include <math.h>
#include <time.h>

#include "base/rng.h"
#include "kernels/tier.h"

enum { COUNT = 1 << 15 };

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}
static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static double gelu(double x)
{
    return 0.5 * x * erfc(-x * 0.70710678118654752440);
}

typedef struct Bound {
    TileId tile;
    const char *name;
    double (*exact)(double);
    double low, high; // the arguments
    double ulps;
} Bound;

static const Bound bounds[] = {
    {TILE_EXP, "exp", exp, -103, 88.7, 1.1},
    {TILE_LOG, "log", log, 1e-30, 1e6, 1.0},
    {TILE_SIN, "sin", sin, -100, 100, 0.51},
    {TILE_SIN, "sin, far out", sin, -1e8, 1e8, 0.51},
    {TILE_COS, "cos", cos, -1e4, 1e4, 0.51},
    {TILE_TAN, "tan", tan, -20, 20, 0.51},
    {TILE_TANH, "tanh", tanh, -10, 10, 1.1},
    {TILE_TANH, "tanh, near 0", tanh, -1e-2, 1e-2, 1.1},
    {TILE_ERF, "erf", erf, -5, 5, 1.5},
    {TILE_ERF, "erf, near 0", erf, -1e-2, 1e-2, 1.5},
    {TILE_SOFTPLUS, "softplus", softplus, -80, 80, 3.0},
    {TILE_SIGMOID, "sigmoid", sigmoid, -80, 80, 2.5},
    {TILE_GELU, "gelu", gelu, -5, 5, 0.51},
    {TILE_EXPM1, "expm1", expm1, -5, 5, 0.51},
    {TILE_LOG1P, "log1p", log1p, -0.9, 5, 0.51},
};

// `got` against the exact value, in units of the last place there.
static double error_of(float got, double exact)
{
    float size = fabsf((float)exact);
    double unit = size < 0x1p-126f
                      ? 0x1p-149
                      : (double)(nextafterf(size, INFINITY) - size);
    return fabs((double)got - exact) / unit;
}

Test(accuracy, float_functions_stay_within_their_bounds)
{
    static float in[COUNT], out[COUNT];
    const Tier *tier = tier_choose();
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const Bound *b = &bounds[i];
        RngState rng;
        rng_seed(&rng, i);
        for (int k = 0; k < COUNT; k++) {
            uint32_t words[4];
            rng_block(rng.key, rng.counter++, words);
            in[k] = (float)(b->low + (b->high - b->low) * words[0] * 0x1p-32);
        }
        tier->tiles[b->tile][ELEM_F32](out, &(TileArg){in, 1}, COUNT);
        for (int k = 0; k < COUNT; k++) {
            double error = error_of(out[k], b->exact((double)in[k]));
            cr_assert_leq(error, b->ulps, "%s(%a) = %a: %.2f ulps", b->name,
                          (double)in[k], (double)out[k], error);
        }
    }
}

Test(accuracy, special_values_are_exact)
{
    static const TileId odd[] = {TILE_SIN, TILE_TAN, TILE_TANH, TILE_ERF};
    const Tier *tier = tier_choose();
    for (size_t i = 0; i < 4; i++) {
        float in[3] = {-0.0f, NAN, 0.0f}, out[3];
        tier->tiles[odd[i]][ELEM_F32](out, &(TileArg){in, 1}, 3);
        cr_assert(out[0] == 0 && signbit(out[0]) && out[1] != out[1] &&
                  out[2] == 0 && !signbit(out[2]));
    }
    float in[4] = {INFINITY, -INFINITY, 1e30f, 0}, out[4];
    tier->tiles[TILE_TANH][ELEM_F32](out, &(TileArg){in, 1}, 4);
    cr_assert(out[0] == 1 && out[1] == -1 && out[2] == 1 && out[3] == 0);
    tier->tiles[TILE_EXP][ELEM_F32](out, &(TileArg){in, 1}, 4);
    cr_assert(isinf(out[0]) && out[1] == 0 && isinf(out[2]) && out[3] == 1);
    tier->tiles[TILE_COS][ELEM_F32](out, &(TileArg){in, 1}, 4);
    cr_assert(out[0] != out[0] && out[1] != out[1] && out[3] == 1);
    cr_assert_eq(out[2], (float)cos((double)1e30f));
}

// ---- speed

// Sanitizers check every access of either loop, which is most of the time.
#ifdef DUET_ASAN
static const bool instrumented = true;
#else
static const bool instrumented = false;
#endif

// The same loops as plain code, one element at a time.
#if defined(__clang__)
#define SCALAR __attribute__((noinline))
#define ONE_BY_ONE _Pragma("clang loop vectorize(disable)")
#else
#define SCALAR __attribute__((noinline, optimize("O2,no-tree-vectorize")))
#define ONE_BY_ONE
#endif

SCALAR static void scalar_multiply(float *out, const float *x, size_t n)
{
    ONE_BY_ONE
    for (size_t i = 0; i < n; i++) {
        out[i] = x[i] * x[i];
    }
}
SCALAR static void scalar_tanh(float *out, const float *x, size_t n)
{
    ONE_BY_ONE
    for (size_t i = 0; i < n; i++) {
        out[i] = tanhf(x[i]);
    }
}
SCALAR static void scalar_exp(float *out, const float *x, size_t n)
{
    ONE_BY_ONE
    for (size_t i = 0; i < n; i++) {
        out[i] = expf(x[i]);
    }
}
SCALAR static void scalar_sum(float *out, const float *x, size_t n)
{
    float sum = 0;
    ONE_BY_ONE
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    *out = sum;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

enum { SPEED_COUNT = 4096, SPEED_TRIES = 400 };

typedef struct Race {
    const char *name;
    void (*scalar)(float *, const float *, size_t);
    TileId tile; // TILE_NONE: the sum of a row
} Race;

static void run_tile(const Tier *tier, const Race *race, float *out,
                     const float *in)
{
    TileArg args[2] = {{in, 1}, {in, 1}};
    if (race->tile == TILE_NONE) {
        tier->row_reduce[REDUCE_SUM][ELEM_F32](out, in, 1, SPEED_COUNT);
    } else {
        tier->tiles[race->tile][ELEM_F32](out, args, SPEED_COUNT);
    }
}

// The ratio of the best times of many tries, taken in turn.
static double race_ratio(const Tier *tier, const Race *race)
{
    static _Alignas(64) float in[SPEED_COUNT], out[SPEED_COUNT];
    double scalar = 1, vector = 1;
    for (int i = 0; i < SPEED_COUNT; i++) {
        in[i] = (float)(i % 100) * 0.03f;
    }
    for (int i = 0; i < SPEED_TRIES; i++) {
        double start = now();
        race->scalar(out, in, SPEED_COUNT);
        double middle = now();
        run_tile(tier, race, out, in);
        double end = now();
        scalar = middle - start < scalar ? middle - start : scalar;
        vector = end - middle < vector ? end - middle : vector;
    }
    return scalar / vector;
}

Test(speed, vectorised_loops_are_four_times_as_fast)
{
    static const Race races[] = {
        {"multiply", scalar_multiply, TILE_MULTIPLY},
        {"tanh", scalar_tanh, TILE_TANH},
        {"exp", scalar_exp, TILE_EXP},
        {"sum", scalar_sum, TILE_NONE},
    };
    const Tier *tier = tier_choose();
    if (instrumented || tier == &tier_portable) {
        return; // SSE2 has four lanes at most
    }
    for (size_t i = 0; i < sizeof races / sizeof races[0]; i++) {
        double ratio = race_ratio(tier, &races[i]);
        cr_log_info("%s: %.1f times as fast as scalar code\n", races[i].name,
                    ratio);
        cr_assert_geq(ratio, 4.0, "%s: %.1f", races[i].name, ratio);
    }
}
