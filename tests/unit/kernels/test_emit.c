// Random loop bodies: machine code and the interpreter of each tier give the
// bits and faults of the scalar evaluator.
//
// DUET_EMIT_BODIES=N makes N of them instead of a few hundred, from the seed
// DUET_EMIT_FIRST on; the seed of one that differs is in the message.
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "kernels/code_arena.h"
#include "kernels/emit.h"
#include "kernels/loop_math.h"

// Elements: of bodies with lanes, more than two rounds of them.
enum { FEW = 75, MOST = 300, SIZE = MOST * 8 + 64 };

typedef struct Random {
    RngState rng;
    uint32_t words[4], at;
} Random;

static uint32_t next_word(Random *random)
{
    if (random->at++ % 4 == 0) {
        rng_block(random->rng.key, random->rng.counter++, random->words);
    }
    return random->words[(random->at - 1) % 4];
}

static uint32_t below(Random *random, uint32_t n)
{
    return next_word(random) % n;
}

// Numbers of every kind for the type, as bits.
static uint64_t element(Random *random, LoopType type)
{
    static const double special[] = {0.0, -0.0, 1,      -1,   0.5,   3,
                                     1e9, -1e9, 1e-310, 1e38, 1e-40, 1e308};
    uint64_t bits = (uint64_t)next_word(random) << 32 | next_word(random);
    double number = below(random, 3) != 0
                        ? special[below(random, 12)]
                        : ((double)(uint32_t)bits - 0x1p31) * 0x1p-20;
    float single = (float)number;
    if (type == LT_F32 && below(random, 8) != 0) {
        memcpy(&bits, &single, sizeof single);
    } else if (type == LT_F64 && below(random, 8) != 0) {
        memcpy(&bits, &number, sizeof number);
    } else if (below(random, 3) != 0) {
        bits = (uint64_t)((int64_t)(bits % 128) - 64);
    }
    return type == LT_MASK                    ? 0 - (bits & 1)
           : type == LT_F32 || type == LT_I32 ? (uint32_t)bits
                                              : bits;
}

// A value of the type; LOOP_NONE if there is none yet.
static LoopValue pick(Random *random, const LoopBuild *build, LoopType type)
{
    for (int i = 0; i < 24; i++) {
        // Near ones and far ones.
        uint32_t count = build->ins_count;
        uint32_t back = below(random, below(random, 2) ? count : 12);
        LoopValue value = (LoopValue)(count - 1 - back % count);
        if (!loop_acts(&build->ins[value]) && loop_type(build, value) == type) {
            return value;
        }
    }
    return LOOP_NONE;
}

// NaNs are equal whatever their bits, so no body may look at those of floats
// that it has computed: BITS of a float is left to constants and loads.
static bool is_hidden(const LoopBuild *build, LoopPrim op, LoopValue x)
{
    bool shows = op == PRIM_BITS && loop_is_float(loop_type(build, x));
    uint8_t from = build->ins[x].op;
    return shows && from != PRIM_LOAD && from != PRIM_BITS;
}

// RAISE of what it is for: part of a half, a whole number, and that with what
// makes it stand in the low bits.
static void add_raise(Random *random, LoopBuild *build, LoopType type)
{
    bool longs = type == LT_F64;
    LoopValue x = pick(random, build, longs ? LT_I64 : LT_I32);
    LoopValue y = pick(random, build, LT_I32);
    if (x == LOOP_NONE || y == LOOP_NONE) {
        return;
    }
    LoopType bits = loop_type(build, x);
    uint64_t part = longs ? 0x800FFFFFFFFFFFFF : 0x807FFFFF;
    uint64_t size = longs ? (uint64_t)0x3FD << 52 : (uint64_t)125 << 23;
    x = loop_and(build, x, loop_bits(build, bits, part));
    x = loop_twin(build, loop_or(build, x, loop_bits(build, bits, size)));
    int most = longs ? 2046 : 254;
    y = loop_and(build, y, loop_number(build, LT_I32, longs ? 4095 : 511));
    y = loop_min(build, y, loop_number(build, LT_I32, 2.0 * most));
    y = loop_sub(build, y, loop_number(build, LT_I32, most));
    y = loop_convert(build, y, type);
    LoopValue magic = loop_like(build, y, longs ? 0x1.8p52 : 0x1.8p23);
    (void)loop_raise(build, x, y, loop_add(build, y, magic));
}

static void add_prim(Random *random, LoopBuild *build)
{
    LoopPrim op = (LoopPrim)(PRIM_ADD + below(random, PRIM_COUNT - PRIM_ADD));
    LoopType type = (LoopType)below(random, LT_MASK + 1);
    LoopValue x = pick(random, build, op == PRIM_SELECT ? LT_MASK : type);
    LoopValue y = pick(random, build, type);
    LoopValue z = pick(random, build, loop_is_rare(op) ? LT_MASK : type);
    if (below(random, 16) == 0) {
        build->fault = (uint8_t)below(random, LOOP_MAX_FAULTS);
        (void)loop_fault(build, pick(random, build, LT_MASK));
    } else if (op == PRIM_RAISE) {
        add_raise(random, build, type == LT_F64 ? LT_F64 : LT_F32);
    } else if (op == PRIM_NARROW) {
        static const uint8_t narrow[] = {ELEM_U8, ELEM_I8, ELEM_I16, ELEM_F16,
                                         ELEM_BF16};
        Elem elem = (Elem)narrow[below(random, 5)];
        (void)loop_narrow(build, loop_type_of(elem) == type ? x : LOOP_NONE,
                          elem);
    } else if (x != LOOP_NONE && !is_hidden(build, op, x)) {
        (void)loop_prim(build, op, x, y, z);
    }
}

// A reduction of some value, by the lanes of an operand.
static void add_lanes(Random *random, LoopBuild *build)
{
    Elem stored = (Elem)below(random, ELEM_COUNT);
    LoopValue value = pick(random, build, loop_type_of(stored));
    int lanes = loop_operand(build, stored, LOOP_AROUND, true);
    (void)!loop_reduce(build, lanes, (ReduceId)below(random, REDUCE_ANY),
                       value);
}

static void make_body(Random *random, LoopBuild *build, uint32_t length)
{
    uint32_t inputs = 1 + below(random, 6), outputs = 1 + below(random, 4);
    bool narrow = below(random, 2);
    loop_init(build);
    for (uint32_t k = 0; k < inputs; k++) {
        Elem stored = (Elem)below(random, ELEM_COUNT);
        if (narrow && elem_size(stored) == 8) {
            stored = ELEM_F32;
        }
        LoopKind kind = below(random, 3) == 0 ? LOOP_ONE : LOOP_DENSE;
        (void)loop_load(build, loop_operand(build, stored, kind, false));
    }
    for (uint32_t i = 0; i < length; i++) {
        LoopType type = (LoopType)below(random, LT_MASK + 1);
        if (below(random, 8) == 0 &&
            !(narrow && (type == LT_F64 || type == LT_I64))) {
            (void)loop_bits(build, type, element(random, type));
        } else {
            add_prim(random, build);
        }
    }
    for (uint32_t k = 0; k < outputs; k++) {
        Elem stored = (Elem)below(random, ELEM_COUNT);
        LoopValue value = pick(random, build, loop_type_of(stored));
        int operand = loop_operand(build, stored, LOOP_DENSE, true);
        // An output that nothing stores to keeps what it holds.
        (void)!loop_store(build, operand, value);
    }
    while (build->operand_count < LOOP_MAX_OPERANDS && below(random, 4) == 0) {
        add_lanes(random, build);
    }
}

// How many elements its operands are given.
static uint32_t most_of(const LoopBuild *build)
{
    return build->operands[build->operand_count - 1].kind == LOOP_AROUND ? MOST
                                                                         : FEW;
}

static bool is_nan(Elem elem, const char *from)
{
    float single;
    double number;
    memcpy(&single, from, sizeof single);
    memcpy(&number, from, elem_size(elem) == 8 ? 8 : 4);
    uint16_t half;
    memcpy(&half, from, sizeof half);
    return elem == ELEM_F32    ? single != single
           : elem == ELEM_F64  ? number != number
           : elem == ELEM_F16  ? (half & 0x7FFF) > 0x7C00
           : elem == ELEM_BF16 ? (half & 0x7FFF) > 0x7F80
                               : false;
}

static char places[3][LOOP_MAX_OPERANDS][SIZE];

// Every operand of elements that its type has.
static void fill(Random *random, const LoopBuild *build)
{
    for (uint32_t k = 0; k < build->operand_count; k++) {
        Elem stored = (Elem)build->operands[k].stored;
        for (size_t i = 0; i < most_of(build); i++) {
            uint64_t bits = element(random, loop_type_of(stored));
            bits = stored == ELEM_BOOL ? bits & 1 : bits;
            memcpy(places[0][k] + i * elem_size(stored), &bits,
                   elem_size(stored));
        }
    }
    memcpy(places[1], places[0], sizeof places[0]);
    memcpy(places[2], places[0], sizeof places[0]);
}

// Lanes begin empty and are folded, as the kernel promises for this count.
static void fold(const LoopBuild *build, const Tier *tier, bool behind)
{
    for (uint32_t k = 0; k < build->operand_count; k++) {
        const LoopOperand *operand = &build->operands[k];
        char *lanes = places[1][k], *first = places[2][k];
        if (operand->kind != LOOP_AROUND) {
            continue;
        }
        if (!behind) {
            tier->lanes_start[operand->joins][operand->stored](lanes);
            continue;
        }
        size_t size = elem_size((Elem)operand->stored);
        tier->lanes_fold[operand->joins][operand->stored](lanes, lanes);
        memcpy(lanes + size, first + size, (LOOP_LANES - 1) * size);
    }
}

static void compare(const LoopBuild *build, size_t count, unsigned long seed)
{
    for (uint32_t k = 0; k < build->operand_count; k++) {
        Elem stored = (Elem)build->operands[k].stored;
        size_t size = elem_size(stored);
        for (size_t i = 0; i < most_of(build); i++) {
            const char *a = places[1][k] + i * size;
            const char *b = places[2][k] + i * size;
            size_t end =
                build->operands[k].kind == LOOP_AROUND ? LOOP_LANES : count;
            bool same = memcmp(a, b, size) == 0 ||
                        (i < end && is_nan(stored, a) && is_nan(stored, b));
            cr_assert(same, "seed %lu, operand %u, element %zu of %zu", seed, k,
                      i, count);
        }
    }
}

static void run_body(const Tier *tier, Random *random, const LoopBuild *build,
                     const LoopKernel *kernel, unsigned long seed)
{
    char *expected[LOOP_MAX_OPERANDS], *found[LOOP_MAX_OPERANDS];
    size_t count = below(random, most_of(build) - 4);
    count -= seed % 8 == 0 ? count % KERNEL_STEP : 0; // it has no tail
    count -= below(random, 4) == 0 ? count % LOOP_LANES : 0;
    bool folds = kernel_folds(kernel, (int64_t)count);
    uint32_t faults = 0, last = build->operand_count - 1u;
    fill(random, build);
    for (uint32_t k = 0; k <= last; k++) {
        expected[k] = places[1][k];
        found[k] = places[2][k];
    }
    // The last output over the first operand, if it is of its type.
    if (below(random, 2) && !folds && build->operands[0].kind == LOOP_DENSE &&
        build->operands[0].stored == build->operands[last].stored) {
        expected[last] = expected[0];
        found[last] = found[0];
    }
    if (folds) {
        fold(build, tier, false);
    }
    for (size_t i = 0; i < count; i++) {
        faults |= loop_eval_body(build, expected, i);
    }
    cr_assert_eq(kernel_run(kernel, found, (int64_t)count), faults, "seed %lu",
                 seed);
    if (folds) {
        fold(build, tier, true);
    }
    compare(build, count, seed);
}

static const char *const tiers[] = {"loop", "avx2", "avx512"};

// By one tier, as code, if it makes any, and by the interpreter. Whether code
// was made that could be.
static bool check_tier(Ctx *ctx, Random *random, const LoopBuild *build,
                       unsigned long seed)
{
    LoopKernel kernel;
    const Tier *tier = ctx->kernels->tier;
    cr_assert(kernel_make(ctx, build, seed % 8 == 0, &kernel));
    bool emitted = kernel.code != NULL;
    for (int turn = 0; turn < 3 && emitted; turn++) {
        run_body(tier, random, build, &kernel, seed);
    }
    kernel_free(ctx, &kernel);
    kernel.code = NULL;
    kernel.folds = false;
    kernel.program = loop_program(ctx, build);
    cr_assert_not_null(kernel.program);
    run_body(tier, random, build, &kernel, seed);
    kernel_free(ctx, &kernel);
    return emitted || ctx->kernels->tier->emits == 0;
}

// Whether each tier made code.
static bool check_body(Ctx *ctx, unsigned long seed)
{
    Random random = {.at = 0};
    LoopBuild build;
    const Tier *own = ctx->kernels->tier;
    bool made = true;
    rng_seed(&random.rng, seed);
    make_body(&random, &build, 1 + below(&random, seed % 4 ? 30 : 200));
    for (int i = 0; i < 3; i++) {
        const Tier *tier = tier_find(tiers[i]);
        if (tier != NULL) {
            ctx->kernels->tier = tier;
            made = check_tier(ctx, &random, &build, seed) && made;
        }
    }
    ctx->kernels->tier = own;
    return made;
}

Test(emit, random_bodies_give_the_evaluators_bits)
{
    const char *wanted = getenv("DUET_EMIT_BODIES");
    const char *first = getenv("DUET_EMIT_FIRST");
    unsigned long count = wanted != NULL ? strtoul(wanted, NULL, 10) : 600;
    unsigned long start = first != NULL ? strtoul(first, NULL, 10) : 1;
    unsigned long made = 0;
    Ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    KernelState *state = kernel_state(&ctx);
    cr_assert_not_null(state);
    for (unsigned long i = 0; i < count; i++) {
        made += check_body(&ctx, start + i);
    }
    cr_assert(made > count * 9 / 10, "%lu", made);
    ctx_destroy(&ctx);
}

// A context whose code arena is full.
Test(emit, without_room_for_code_the_interpreter_runs)
{
    static uint8_t filler[1 << 16];
    Ctx ctx;
    LoopBuild build;
    LoopKernel kernel;
    float in[] = {1, -2, 3}, out[3];
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    cr_assert_not_null(kernel_state(&ctx));
    while (code_add(ctx.kernels->code, filler, sizeof filler) != NULL) {
    }
    loop_init(&build);
    LoopValue x =
        loop_load(&build, loop_operand(&build, ELEM_F32, LOOP_DENSE, false));
    int to = loop_operand(&build, ELEM_F32, LOOP_DENSE, true);
    cr_assert(loop_store(&build, to, loop_add(&build, x, x)));
    cr_assert(kernel_make(&ctx, &build, false, &kernel));
    cr_assert_null(kernel.code);
    cr_assert_eq(kernel_run(&kernel, (char *[]){(char *)in, (char *)out}, 3),
                 0);
    cr_assert(out[0] == 2 && out[1] == -4 && out[2] == 6);
    kernel_free(&ctx, &kernel);
    ctx_destroy(&ctx);
}

// What adds a number to each float, or to each of an even count.
static void make_adding(Ctx *ctx, double number, bool even, LoopKernel *kernel)
{
    LoopBuild build;
    loop_init(&build);
    LoopValue x =
        loop_load(&build, loop_operand(&build, ELEM_F32, LOOP_DENSE, false));
    int to = loop_operand(&build, ELEM_F32, LOOP_DENSE, true);
    LoopValue sum = loop_add(&build, x, loop_number(&build, LT_F32, number));
    cr_assert(loop_store(&build, to, sum));
    cr_assert(kernel_make(ctx, &build, even, kernel));
}

// Equal bodies have one piece of code, which lasts as long as one of them; of
// others none is mistaken for it, however many there are.
Test(emit, equal_bodies_share_their_code)
{
    enum { OTHERS = 300 };
    static LoopKernel others[OTHERS];
    Ctx ctx;
    LoopKernel first, second, even;
    float in[] = {1, -2, 3}, out[3];
    char *data[] = {(char *)in, (char *)out};
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    cr_assert_not_null(kernel_state(&ctx));
    make_adding(&ctx, 1, false, &first);
    make_adding(&ctx, 1, true, &even);
    make_adding(&ctx, 1, false, &second);
    if (first.code != NULL) {
        cr_assert(first.code == second.code && first.code != even.code);
    }
    kernel_free(&ctx, &first);
    for (int i = 0; i < OTHERS; i++) {
        make_adding(&ctx, 2 + i, false, &others[i]);
    }
    for (int i = 0; i < OTHERS; i++) {
        cr_assert_eq(kernel_run(&others[i], data, 3), 0);
        cr_assert(out[0] == (float)(3 + i) && out[2] == (float)(5 + i));
        kernel_free(&ctx, &others[i]);
    }
    cr_assert_eq(kernel_run(&second, data, 3), 0);
    cr_assert(out[0] == 2 && out[1] == -1 && out[2] == 4);
    kernel_free(&ctx, &second);
    kernel_free(&ctx, &even);
    ctx_destroy(&ctx);
}

// x[i] / y of every pair, and of y / 2 in the same body, as a division gives
// them. Also in numbers of elements that leave a tail.
static void check_quotients(Ctx *ctx, const float *x, int64_t count,
                            const float *y, size_t divisors)
{
    static float out[2][1 << 12];
    LoopBuild build;
    LoopKernel kernel;
    loop_init(&build);
    int from = loop_operand(&build, ELEM_F32, LOOP_DENSE, false);
    int by = loop_operand(&build, ELEM_F32, LOOP_ONE, false);
    int half = loop_operand(&build, ELEM_F32, LOOP_ONE, false);
    int to = loop_operand(&build, ELEM_F32, LOOP_DENSE, true);
    int other = loop_operand(&build, ELEM_F32, LOOP_DENSE, true);
    LoopValue a = loop_load(&build, from);
    LoopValue b = loop_load(&build, by), c = loop_load(&build, half);
    cr_assert(loop_store(&build, to, loop_div(&build, a, b)));
    cr_assert(loop_store(&build, other, loop_div(&build, a, c)));
    cr_assert(kernel_make(ctx, &build, false, &kernel));
    for (size_t k = 0; k < divisors; k++) {
        float divisor[2] = {y[k], y[k] / 2};
        char *data[] = {(char *)(uintptr_t)x, (char *)&divisor[0],
                        (char *)&divisor[1], (char *)out[0], (char *)out[1]};
        cr_assert_eq(kernel_run(&kernel, data, count), 0);
        for (int64_t i = 0; i < 2 * count; i++) {
            float wanted = x[i / 2] / divisor[i % 2], found = out[i % 2][i / 2];
            cr_assert(memcmp(&wanted, &found, sizeof wanted) == 0 ||
                          (wanted != wanted && found != found),
                      "%a / %a: %a, not %a", (double)x[i / 2],
                      (double)divisor[i % 2], (double)found, (double)wanted);
        }
    }
    kernel_free(ctx, &kernel);
}

// A float of any size, or near one, or with few or many bits.
static float some_float(Random *random)
{
    uint32_t bits = next_word(random), kind = below(random, 8);
    bits = kind < 3    ? (bits & 0x80FFFFFF) | 120u << 23
           : kind == 3 ? bits | 0x7FFFF0
           : kind == 4 ? bits & ~0x7FFFF0u
           : kind == 5 ? (bits & 0x8000003F) | 127u << 23
           : kind == 6 ? bits & 0x80FFFFFF
                       : bits;
    float made;
    memcpy(&made, &bits, sizeof made);
    return made;
}

Test(emit, quotients_by_one_number_are_those_of_division)
{
    static float x[1000], y[200];
    float special[] = {0,       -0.0F,    INFINITY, -INFINITY, NAN,     1e-45F,
                       0x1p126, -0x1p127, 0x1p-126, 0x1p-127,  FLT_MAX, 3};
    Random random = {.at = 0};
    Ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    cr_assert_not_null(kernel_state(&ctx));
    rng_seed(&random.rng, 7);
    for (size_t i = 0; i < 1000; i++) {
        x[i] = i < 12 ? special[i] : some_float(&random);
    }
    for (size_t i = 0; i < 200; i++) {
        y[i] = i < 12 ? special[i] : some_float(&random);
    }
    const Tier *own = ctx.kernels->tier;
    for (int i = 0; i < 3; i++) {
        const Tier *tier = tier_find(tiers[i]);
        if (tier != NULL) {
            ctx.kernels->tier = tier;
            check_quotients(&ctx, x, 1000, y, 200);
            // Vectors of ordinary numbers, which no odd one spoils.
            check_quotients(&ctx, x + 12, 16, y, 200);
        }
    }
    float plain[512];
    for (size_t i = 0; i < 512; i++) {
        plain[i] = 1 + (float)below(&random, 1 << 23) * 0x1p-23F;
    }
    ctx.kernels->tier = own;
    check_quotients(&ctx, plain, 512, plain, 512);
    // Quotients half way between two of the smallest numbers, and around the
    // smallest normal one: there alone they can be ties.
    for (int power = -20; power < 100; power += 7) {
        float divisor = ldexpf(4093, power);
        for (int i = 0; i < 512; i++) {
            int64_t odd = 2 * i + 1;
            int64_t half = i < 256 ? odd : (1 << 24) + 512 - odd;
            plain[i] = (float)ldexp((double)half, power - 150) * 4093;
        }
        check_quotients(&ctx, plain, 512, &divisor, 1);
    }
    ctx_destroy(&ctx);
}
