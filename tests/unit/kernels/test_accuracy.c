// Bounds of the errors of functions, in units of the last place against libm in
// the next wider type, and how much faster the vectorised loops are.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "kernels/emit.h"
#include "kernels/loop_math.h"

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

typedef LoopValue (*Body)(LoopBuild *, LoopValue);

#define WIDE(name)                                                             \
    static LoopValue body_##name(LoopBuild *build, LoopValue x)                \
    {                                                                          \
        return loop_wide(build, loop_##name, x);                               \
    }
WIDE(expm1)
WIDE(sinh)
WIDE(cosh)
WIDE(log1p)
WIDE(log2)
WIDE(log10)
WIDE(asinh)
WIDE(acosh)
WIDE(atanh)
WIDE(asin)
WIDE(acos)
WIDE(atan)
// Two operands of one argument.
static LoopValue body_root(LoopBuild *build, LoopValue x)
{
    return loop_wide2(build, loop_pow, x, loop_like(build, x, 0.3125));
}
static LoopValue body_power(LoopBuild *build, LoopValue x)
{
    return loop_wide2(build, loop_pow, x, loop_like(build, x, 117));
}
static long double root(long double x)
{
    return powl(x, 0.3125L);
}
static long double power(long double x)
{
    return powl(x, 117);
}
static long double wide_gelu(long double x)
{
    return 0.5L * x * erfcl(-x * 0.70710678118654752440084436L);
}
static LoopValue body_square(LoopBuild *build, LoopValue x)
{
    return loop_mul(build, x, x);
}

static void release(Ctx *ctx, Object *object)
{
    (void)ctx, (void)object;
}

// A context with one kernel.
typedef struct Function {
    Ctx ctx;
    LoopKernel kernel;
} Function;

static void start(Function *f, Body body, Elem elem)
{
    LoopBuild build;
    memset(f, 0, sizeof *f);
    ctx_init(&f->ctx, 0);
    f->ctx.dealloc = release;
    cr_assert_not_null(kernel_state(&f->ctx));
    loop_init(&build);
    int in = loop_operand(&build, elem, LOOP_DENSE, false);
    int out = loop_operand(&build, elem, LOOP_DENSE, true);
    cr_assert(loop_store(&build, out, body(&build, loop_load(&build, in))));
    cr_assert(kernel_make(&f->ctx, &build, false, &f->kernel));
}

static void run(const Function *f, void *in, void *out, int64_t count)
{
    char *const data[] = {in, out};
    (void)kernel_run(&f->kernel, data, count);
}

static void end(Function *f)
{
    kernel_free(&f->ctx, &f->kernel);
    ctx_destroy(&f->ctx);
}

typedef struct Bound {
    Body body;
    const char *name;
    double (*exact)(double);
    double low, high; // the arguments
    double ulps;
} Bound;

static const Bound bounds[] = {
    {loop_exp, "exp", exp, -103, 88.7, 1.1},
    {loop_log, "log", log, 1e-30, 1e6, 1.0},
    {loop_sin, "sin", sin, -100, 100, 0.8},
    {loop_sin, "sin, far out", sin, -1e8, 1e8, 0.8},
    {loop_cos, "cos", cos, -1e4, 1e4, 0.8},
    {loop_tan, "tan", tan, -20, 20, 1.0},
    {loop_tanh, "tanh", tanh, -10, 10, 1.4},
    {loop_tanh, "tanh, near 0", tanh, -1e-2, 1e-2, 1.1},
    {loop_erf, "erf", erf, -5, 5, 1.0},
    {loop_erf, "erf, near 0", erf, -1e-2, 1e-2, 1.5},
    {loop_softplus, "softplus", softplus, -80, 80, 3.0},
    {loop_sigmoid, "sigmoid", sigmoid, -80, 80, 2.5},
    {loop_gelu, "gelu", gelu, -12, 5, 6.0},
    {body_expm1, "expm1", expm1, -5, 5, 0.51},
    {body_log1p, "log1p", log1p, -0.9, 5, 0.51},
    {body_log2, "log2", log2, 0.1, 5, 0.51},
    {body_log10, "log10", log10, 0.1, 5, 0.51},
    {body_sinh, "sinh", sinh, -5, 5, 0.51},
    {body_cosh, "cosh", cosh, -5, 5, 0.51},
    {body_asinh, "asinh", asinh, -5, 5, 0.51},
    {body_acosh, "acosh", acosh, 1, 5, 0.51},
    {body_atanh, "atanh", atanh, -1, 1, 0.51},
    {body_asin, "asin", asin, -1, 1, 0.51},
    {body_acos, "acos", acos, -1, 1, 0.51},
    {body_atan, "atan", atan, -5, 5, 0.51},
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
    Function f;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const Bound *b = &bounds[i];
        RngState rng;
        rng_seed(&rng, i);
        for (int k = 0; k < COUNT; k++) {
            uint32_t words[4];
            rng_block(rng.key, rng.counter++, words);
            in[k] = (float)(b->low + (b->high - b->low) * words[0] * 0x1p-32);
        }
        start(&f, b->body, ELEM_F32);
        run(&f, in, out, COUNT);
        end(&f);
        for (int k = 0; k < COUNT; k++) {
            double error = error_of(out[k], b->exact((double)in[k]));
            cr_assert_leq(error, b->ulps, "%s(%a) = %a: %.2f ulps", b->name,
                          (double)in[k], (double)out[k], error);
        }
    }
}

// The largest error among each `step`th of all float32 there are.
static double worst_of_all(const Bound *b, uint64_t step)
{
    static float in[COUNT], out[COUNT];
    double worst = 0;
    Function f;
    start(&f, b->body, ELEM_F32);
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32;) {
        int count = 0;
        for (; count < COUNT && bits < (uint64_t)1 << 32; bits += step) {
            uint32_t low = (uint32_t)bits;
            memcpy(&in[count++], &low, sizeof low);
        }
        run(&f, in, out, count);
        for (int k = 0; k < count; k++) {
            double exact = b->exact((double)in[k]);
            bool plain = isfinite((float)exact) && isfinite(out[k]);
            bool same =
                exact != exact ? out[k] != out[k] : out[k] == (float)exact;
            // What overflows in one of them is next to the largest number.
            double error = plain || !same ? error_of(out[k], exact) : 0;
            // Of an infinity in the wrong place it is no number.
            worst = error <= worst ? worst : error >= 0 ? error : INFINITY;
        }
    }
    end(&f);
    return worst;
}

// DUET_FLOAT_STEP=1 takes them all, which is for an hour or so.
Test(accuracy, floats_of_all_sizes_stay_within_their_bounds, .timeout = 1e5)
{
    const char *wanted = getenv("DUET_FLOAT_STEP");
    uint64_t step = wanted != NULL ? strtoull(wanted, NULL, 10) : 65537;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        const Bound *b = &bounds[i];
        if (strchr(b->name, ',') == NULL) {
            double worst = worst_of_all(b, step);
            cr_log_info("%s: %.3f ulps\n", b->name, worst);
            cr_assert_leq(worst, b->ulps, "%s: %.2f ulps", b->name, worst);
        }
    }
}

typedef struct Bound64 {
    Body body;
    const char *name;
    long double (*exact)(long double);
    double low, high; // the arguments
    double ulps;
} Bound64;

static const Bound64 bounds64[] = {
    {loop_exp, "exp", expl, -745, 709.7, 1.0},
    {loop_exp, "exp, near 0", expl, -1, 1, 1.0},
    {body_expm1, "expm1", expm1l, -40, 709.7, 0.9},
    {body_expm1, "expm1, near 0", expm1l, -0.5, 0.5, 0.9},
    {loop_log, "log", logl, 1e-300, 1e3, 0.6},
    {loop_log, "log, near 1", logl, 0.5, 2, 0.6},
    {body_log1p, "log1p", log1pl, -0.999, 1e3, 0.7},
    {body_log1p, "log1p, near 0", log1pl, -1e-9, 1e-9, 0.7},
    {body_log2, "log2", log2l, 0.1, 5, 0.6},
    {body_log10, "log10", log10l, 0.1, 5, 0.6},
    {loop_sin, "sin", sinl, -4, 4, 0.8},
    {loop_sin, "sin, further out", sinl, -1e6, 1e6, 0.8},
    {loop_cos, "cos", cosl, -1e6, 1e6, 0.8},
    {loop_cos, "cos, very far out", cosl, -1e15, 1e15, 0.8},
    {loop_tan, "tan", tanl, -1e6, 1e6, 1.0},
    {body_sinh, "sinh", sinhl, -5, 5, 0.8},
    {body_cosh, "cosh", coshl, -710, 710, 0.9},
    {loop_tanh, "tanh", tanhl, -3, 3, 1.4},
    {body_asinh, "asinh", asinhl, -4, 4, 0.6},
    {body_acosh, "acosh", acoshl, 1, 5, 0.6},
    {body_atanh, "atanh", atanhl, -1, 1, 0.6},
    {body_asin, "asin", asinl, -1, 1, 0.7},
    {body_acos, "acos", acosl, -1, 1, 0.7},
    {body_atan, "atan", atanl, -5, 5, 0.7},
    {loop_erf, "erf", erfl, -6, 6, 1.0},
    {loop_gelu, "gelu", wide_gelu, -30, 5, 6.0},
    {body_root, "pow", root, 1e-300, 1e3, 0.7},
    {body_power, "pow, far", power, -400, 400, 0.7},
};

static double error64_of(double got, long double exact)
{
    double size = fabs((double)exact);
    double unit =
        size < 0x1p-1022 ? 0x1p-1074 : nextafter(size, (double)INFINITY) - size;
    return (double)(fabsl((long double)got - exact) / (long double)unit);
}

Test(accuracy, double_functions_stay_within_their_bounds)
{
    static double in[COUNT], out[COUNT];
    if (sizeof(long double) == sizeof(double)) {
        return; // nothing to compare with
    }
    for (size_t i = 0; i < sizeof bounds64 / sizeof bounds64[0]; i++) {
        const Bound64 *b = &bounds64[i];
        Function f;
        RngState rng;
        rng_seed(&rng, i);
        for (int k = 0; k < COUNT; k++) {
            uint32_t words[4];
            rng_block(rng.key, rng.counter++, words);
            double share = words[0] * 0x1p-32 + words[1] * 0x1p-64;
            in[k] = b->low + (b->high - b->low) * share;
        }
        start(&f, b->body, ELEM_F64);
        run(&f, in, out, COUNT);
        end(&f);
        double most = 0;
        for (int k = 0; k < COUNT; k++) {
            double error = error64_of(out[k], b->exact((long double)in[k]));
            most = error > most ? error : most;
            cr_assert_leq(error, b->ulps, "%s(%a) = %a: %.2f ulps", b->name,
                          in[k], out[k], error);
        }
        cr_log_info("%s: %.2f ulps\n", b->name, most);
    }
}

Test(accuracy, special_doubles_are_exact)
{
    double in[] = {INFINITY, -INFINITY, NAN, 0, -0.0, 1, 0x1p-1074, -1, 1e308},
           out[9];
    Function f;
    start(&f, loop_exp, ELEM_F64);
    run(&f, in, out, 9);
    end(&f);
    cr_assert(out[0] == (double)INFINITY && out[1] == 0 && out[2] != out[2] &&
              out[3] == 1 && out[8] == (double)INFINITY);
    start(&f, loop_log, ELEM_F64);
    run(&f, in, out, 9);
    end(&f);
    cr_assert(out[0] == (double)INFINITY && out[1] != out[1] &&
              out[2] != out[2] && out[3] == -(double)INFINITY &&
              out[4] == -(double)INFINITY && out[5] == 0 && out[7] != out[7]);
    cr_assert_eq(out[6], -744.4400719213812);
    start(&f, loop_sin, ELEM_F64);
    run(&f, in, out, 9);
    end(&f);
    cr_assert(out[0] != out[0] && out[2] != out[2] && out[4] == 0 &&
              signbit(out[4]) && out[6] == 0x1p-1074);
    cr_assert_eq(out[8], 0.4533964905016491);
}

typedef struct Two {
    LoopMath2 body;
    double (*exact)(double, double);
    const char *name;
} Two;

// Exactly libm's where that is 0, 1, infinite or no number, and near it
// elsewhere: every pair of what is special.
static void check_pair(const Two *two, const LoopBuild *build, double x,
                       double y)
{
    double found, wanted = two->exact(x, y);
    char *data[] = {(char *)&x, (char *)&y, (char *)&found};
    (void)loop_eval_body(build, data, 0);
    bool plain = isfinite(wanted) && wanted != 0 && fabs(wanted) != 1;
    bool same = plain ? fabs(found - wanted) <= fabs(wanted) * 0x1p-51
                : wanted != wanted ? found != found
                                   : memcmp(&found, &wanted, sizeof found) == 0;
    cr_assert(same, "%s(%a, %a) = %a, not %a", two->name, x, y, found, wanted);
}

Test(accuracy, special_pairs_are_exact)
{
    static const Two all[] = {{loop_pow, pow, "pow"},
                              {loop_atan2, atan2, "atan2"},
                              {loop_hypot, hypot, "hypot"}};
    static const double special[] = {
        0.0,       -0.0,   1,          -1,         INFINITY,
        -INFINITY, NAN,    2,          -2,         3,
        -3,        0.5,    -0.5,       0x1p-1074,  1e308,
        -1e308,    0x1p53, 0x1p53 + 2, -0x1p-1022, 1e-200,
        1e200,     7,      0x1p1023,   1.0000001,  0.9999999};
    enum { SPECIALS = sizeof special / sizeof *special };
    for (int i = 0; i < 3; i++) {
        LoopBuild build;
        loop_init(&build);
        LoopValue in[2];
        for (int k = 0; k < 2; k++) {
            in[k] = loop_load(
                &build, loop_operand(&build, ELEM_F64, LOOP_DENSE, false));
        }
        int out = loop_operand(&build, ELEM_F64, LOOP_DENSE, true);
        cr_assert(loop_store(&build, out, all[i].body(&build, in[0], in[1])));
        for (int k = 0; k < SPECIALS * SPECIALS; k++) {
            check_pair(&all[i], &build, special[k / SPECIALS],
                       special[k % SPECIALS]);
        }
    }
}

typedef struct One {
    Body body;
    double (*exact)(double);
    const char *name;
} One;

Test(accuracy, special_arguments_are_exact)
{
    static const One all[] = {
        {body_expm1, expm1, "expm1"}, {body_log1p, log1p, "log1p"},
        {body_log2, log2, "log2"},    {body_log10, log10, "log10"},
        {loop_tan, tan, "tan"},       {body_sinh, sinh, "sinh"},
        {body_cosh, cosh, "cosh"},    {loop_tanh, tanh, "tanh"},
        {body_asinh, asinh, "asinh"}, {body_acosh, acosh, "acosh"},
        {body_atanh, atanh, "atanh"}, {body_asin, asin, "asin"},
        {body_acos, acos, "acos"},    {body_atan, atan, "atan"},
        {loop_erf, erf, "erf"},       {loop_sin, sin, "sin"},
        {loop_cos, cos, "cos"}};
    static double in[] = {0.0,     -0.0,  INFINITY, -INFINITY, NAN,
                          1,       -1,    2,        -2,        0x1p-1074,
                          1e-310,  -1e-9, 1e308,    -1e308,    710,
                          0x1p400, 8,     1000,     0x1p-30,   0.9999999};
    enum { COUNT_IN = sizeof in / sizeof *in };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double out[COUNT_IN];
        Function f;
        start(&f, all[i].body, ELEM_F64);
        run(&f, in, out, COUNT_IN);
        end(&f);
        for (int k = 0; k < COUNT_IN; k++) {
            double wanted = all[i].exact(in[k]);
            bool plain = isfinite(wanted) && wanted != 0 && fabs(wanted) != 1;
            bool same = plain ? fabs(out[k] - wanted) <= fabs(wanted) * 0x1p-51
                        : wanted != wanted
                            ? out[k] != out[k]
                            : memcmp(&out[k], &wanted, sizeof wanted) == 0;
            cr_assert(same, "%s(%a) = %a, not %a", all[i].name, in[k], out[k],
                      wanted);
        }
    }
}

// The result over the argument, by the interpreter of each tier.
Test(accuracy, far_arguments_may_be_covered_by_their_result)
{
    static const char *const tiers[] = {"loop", "avx2", "avx512"};
    const float far[4] = {1, 1e30f, 2, -3e9f};
    for (int i = 0; i < 3; i++) {
        const Tier *tier = tier_find(tiers[i]);
        if (tier == NULL) {
            continue;
        }
        Function f;
        LoopBuild build;
        start(&f, loop_sin, ELEM_F32);
        kernel_free(&f.ctx, &f.kernel);
        loop_init(&build);
        int in = loop_operand(&build, ELEM_F32, LOOP_DENSE, false);
        int out = loop_operand(&build, ELEM_F32, LOOP_DENSE, true);
        LoopValue y = loop_sin(&build, loop_load(&build, in));
        cr_assert(loop_store(&build, out, y));
        f.ctx.kernels->tier = tier;
        f.kernel.code = NULL;
        f.kernel.program = loop_program(&f.ctx, &build);
        cr_assert_not_null(f.kernel.program);
        float place[4];
        memcpy(place, far, sizeof place);
        run(&f, place, place, 4);
        end(&f);
        for (int k = 0; k < 4; k++) {
            double error = error_of(place[k], sin((double)far[k]));
            cr_assert_leq(error, 0.8, "%s: sin(%a) = %a", tiers[i],
                          (double)far[k], (double)place[k]);
        }
    }
}

Test(accuracy, special_values_are_exact)
{
    static const Body odd[] = {loop_sin, loop_tan, loop_tanh, loop_erf};
    Function f;
    for (size_t i = 0; i < 4; i++) {
        float in[3] = {-0.0f, NAN, 0.0f}, out[3];
        start(&f, odd[i], ELEM_F32);
        run(&f, in, out, 3);
        end(&f);
        cr_assert(out[0] == 0 && signbit(out[0]) && out[1] != out[1] &&
                  out[2] == 0 && !signbit(out[2]));
    }
    float in[4] = {INFINITY, -INFINITY, 1e30f, 0}, out[4];
    start(&f, loop_tanh, ELEM_F32);
    run(&f, in, out, 4);
    end(&f);
    cr_assert(out[0] == 1 && out[1] == -1 && out[2] == 1 && out[3] == 0);
    start(&f, loop_exp, ELEM_F32);
    run(&f, in, out, 4);
    end(&f);
    cr_assert(isinf(out[0]) && out[1] == 0 && isinf(out[2]) && out[3] == 1);
    start(&f, loop_cos, ELEM_F32);
    run(&f, in, out, 4);
    end(&f);
    cr_assert(out[0] != out[0] && out[1] != out[1] && out[3] == 1);
    cr_assert_eq(out[2], (float)cos((double)1e30f));
}

// ---- speed

// Sanitizers check every access of either loop, which is most of the time.
#if defined(DUET_ASAN) || defined(__SANITIZE_THREAD__)
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
    Body body; // NULL: the sum of a row
} Race;

// The ratio of the best times of many tries, taken in turn.
static double race_ratio(const Tier *tier, const Race *race)
{
    Function f;
    static _Alignas(64) float in[SPEED_COUNT], out[SPEED_COUNT];
    double scalar = 1, vector = 1;
    for (int i = 0; i < SPEED_COUNT; i++) {
        in[i] = (float)(i % 100) * 0.03f;
    }
    start(&f, race->body != NULL ? race->body : body_square, ELEM_F32);
    for (int i = 0; i < SPEED_TRIES; i++) {
        double begin = now();
        race->scalar(out, in, SPEED_COUNT);
        double middle = now();
        if (race->body == NULL) {
            tier->row_reduce[REDUCE_SUM][ELEM_F32](out, in, 1, SPEED_COUNT);
        } else {
            run(&f, in, out, SPEED_COUNT);
        }
        double last = now();
        scalar = middle - begin < scalar ? middle - begin : scalar;
        vector = last - middle < vector ? last - middle : vector;
    }
    end(&f);
    return scalar / vector;
}

Test(speed, vectorised_loops_are_four_times_as_fast)
{
    static const Race races[] = {
        {"multiply", scalar_multiply, body_square},
        {"tanh", scalar_tanh, loop_tanh},
        {"exp", scalar_exp, loop_exp},
        {"sum", scalar_sum, NULL},
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
