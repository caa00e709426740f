// The bodies of elementwise ops give the bits of their tiles, from the scalar
// evaluator and from the emitter: every op, dtype, mix of operands, and count.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "kernels/emit.h"
#include "kernels/loop_math.h"
#include "ops/op.h"

enum { MOST = 2060, GUARD = 64 };

typedef struct Operands {
    int count;
    Elem in[3], out;
    AttrValue attr;
} Operands;

static _Alignas(64) char data[3][MOST * 8], results[3][MOST * 8 + GUARD];

static double special_float(uint32_t which)
{
    static const double special[] = {
        0.0,      -0.0,     1.0,        -1.0,    INFINITY,   -INFINITY, NAN,
        1e-310,   -1e-45,   0.5,        -0.5,    1.5,        2.5,       88.5,
        -104.5,   9.1,      9.5,        3.93,    -0x1p31,    0x1p31,    255.5,
        256,      -128.5,   -129,       32767.5, 3.4e38,     -3.4e38,   1e300,
        0x1p-126, 0x1p-140, 0.70710677, 1e-8,    2147483647, -32769,    127.9};
    return special[which % (sizeof special / sizeof *special)];
}

// A fourth special values, a fourth random bits, the rest moderate numbers.
static void fill(char *to, Elem elem, uint64_t seed)
{
    RngState rng;
    rng_seed(&rng, seed);
    for (size_t i = 0; i < MOST; i++) {
        uint32_t words[4];
        rng_block(rng.key, rng.counter++, words);
        uint64_t bits = (uint64_t)words[0] << 32 | words[1];
        double number = words[2] % 4 == 0
                            ? special_float(words[3])
                            : ((double)words[0] - 0x1p31) * 0x1p-27;
        float single = (float)number;
        if (words[2] % 4 == 1) {
            memcpy(&single, &bits, sizeof single);
            memcpy(&number, &bits, sizeof number);
        }
        if (elem == ELEM_F32) {
            memcpy(to + i * 4, &single, 4);
        } else if (elem == ELEM_F64) {
            memcpy(to + i * 8, &number, 8);
        } else {
            bits = elem == ELEM_BOOL    ? bits & 1
                   : words[2] % 4 == 2  ? bits % 64
                   : words[2] % 16 == 3 ? UINT64_MAX << (bits % 64)
                                        : bits;
            memcpy(to + i * elem_size(elem), &bits, elem_size(elem));
        }
    }
}

static bool same_element(Elem elem, const char *a, const char *b)
{
    float x, y;
    double v, w;
    if (elem == ELEM_F32) {
        memcpy(&x, a, 4);
        memcpy(&y, b, 4);
        return memcmp(a, b, 4) == 0 || (x != x && y != y);
    }
    if (elem == ELEM_F64) {
        memcpy(&v, a, 8);
        memcpy(&w, b, 8);
        return memcmp(a, b, 8) == 0 || (v != v && w != w);
    }
    return memcmp(a, b, elem_size(elem)) == 0;
}

// False: the op has no body for the dtypes.
static bool make_body(LoopBuild *build, const OpDesc *op, const Operands *o,
                      unsigned ones)
{
    LoopValue x[3] = {0};
    loop_init(build);
    for (int k = 0; k < o->count; k++) {
        x[k] = loop_load(
            build, loop_operand(build, o->in[k],
                                ones >> k & 1 ? LOOP_ONE : LOOP_DENSE, false));
    }
    LoopValue y = op_body(build, op, x, &o->attr, (DType)o->out);
    return loop_store(build, loop_operand(build, o->out, LOOP_DENSE, true), y);
}

static void compare(const OpDesc *op, const Operands *o, size_t count,
                    const char *what)
{
    size_t size = elem_size(o->out);
    for (size_t i = 0; i < count; i++) {
        cr_assert(
            same_element(o->out, results[0] + i * size, results[1] + i * size),
            "%s of %d to %d, %s, element %zu of %zu: %llx, not %llx", op->name,
            (int)o->in[0], (int)o->out, what, i, count,
            *(unsigned long long *)(void *)(results[1] + i * size),
            *(unsigned long long *)(void *)(results[0] + i * size));
    }
}

static void check_count(const LoopBuild *build, const LoopKernel *kernel,
                        const OpDesc *op, const Operands *o, TileFn tile,
                        unsigned ones, size_t count)
{
    TileArg args[3];
    char *at[4] = {data[0], data[1], data[2], NULL};
    for (int k = 0; k < o->count; k++) {
        args[k] = (TileArg){data[k], ~ones >> k & 1};
    }
    cr_assert(tile(results[0], args, count));
    at[o->count] = results[1];
    for (size_t i = 0; i < count; i++) {
        loop_eval_body(build, at, i);
    }
    compare(op, o, count, "evaluated");
    if (kernel != NULL) {
        memset(results[1], 0x5A, sizeof results[1]);
        kernel_run(kernel, at, (int64_t)count);
        compare(op, o, count, "emitted");
        cr_assert_eq(results[1][count * elem_size(o->out)], 0x5A, "%s",
                     op->name);
    }
}

// How many kernels there were.
static int check_op(Ctx *ctx, const OpDesc *op, const Operands *o, TileFn tile)
{
    int kernels = 0;
    for (unsigned ones = 0; ones < 1u << o->count; ones++) {
        LoopBuild build;
        LoopKernel kernel;
        if (!make_body(&build, op, o, ones)) {
            return 0;
        }
        bool made = kernel_make(ctx, &build, &kernel);
        for (size_t count = 0; count <= 70; count += ones == 0 ? 1 : 7) {
            check_count(&build, made ? &kernel : NULL, op, o, tile, ones,
                        count);
        }
        check_count(&build, made ? &kernel : NULL, op, o, tile, ones, MOST);
        if (made) {
            kernel_free(ctx, &kernel);
            kernels++;
        }
    }
    return kernels;
}

static void release(Ctx *ctx, Object *object)
{
    (void)ctx, (void)object;
}

static DType result_of(const OpDesc *op, DType dtype)
{
    return op->result == RESULT_BOOL                              ? DT_BOOL
           : op->result == RESULT_FLOAT && !dtype_is_float(dtype) ? DT_FLOAT64
                                                                  : dtype;
}

Test(bodies, give_the_bits_of_tiles)
{
    Ctx ctx;
    int bodies = 0, kernels = 0;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    ctx.dealloc = release;
    cr_assert_not_null(kernel_state(&ctx));
    for (int code = 0; code < OP_COUNT; code++) {
        const OpDesc *op = op_desc((OpCode)code);
        for (int elem = 0; elem < ELEM_COUNT * ELEM_COUNT; elem++) {
            bool casts = op->result == RESULT_CAST;
            DType from = (DType)(elem % ELEM_COUNT);
            DType to = (DType)(elem / ELEM_COUNT);
            if (!(op->flags & OP_ELEMENTWISE) ||
                (!casts && elem >= ELEM_COUNT)) {
                break;
            }
            Operands o = {.count = op->min_inputs,
                          .out = (Elem)(casts ? to : result_of(op, from)),
                          .attr = {.kind = ATTR_DTYPE, .dtype = to}};
            for (int k = 0; k < o.count; k++) {
                bool condition = op->tile == TILE_WHERE && k == 0;
                o.in[k] = condition ? ELEM_BOOL : (Elem)from;
                fill(data[k], o.in[k], (uint64_t)(code * 64 + elem * 4 + k));
            }
            TileFn tile = casts ? tier_portable.casts[from][to]
                                : tier_portable.tiles[op->tile][from];
            if (tile != NULL && op->body != NULL) {
                bodies++;
                kernels += check_op(&ctx, op, &o, tile) != 0;
            }
        }
    }
    cr_assert(!ctx.kernels->tier->emits || kernels * 10 > bodies * 9,
              "%d kernels of %d bodies", kernels, bodies);
    ctx_destroy(&ctx);
}
