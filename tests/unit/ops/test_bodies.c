// The bodies of elementwise ops give the same bits and faults by the scalar
// evaluator, by the interpreter on each tier and as machine code: every op,
// dtype, mix of operands, and count.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "kernels/emit.h"
#include "kernels/half.h"
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
            uint16_t half = elem == ELEM_F16    ? f16_round(single)
                            : elem == ELEM_BF16 ? bf16_round(single)
                                                : 0;
            bits = elem >= ELEM_F16     ? half
                   : elem == ELEM_BOOL  ? bits & 1
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
    if (elem == ELEM_F16 || elem == ELEM_BF16) {
        uint16_t halves[2];
        memcpy(&halves[0], a, 2);
        memcpy(&halves[1], b, 2);
        x = elem == ELEM_F16 ? f16_widen(halves[0]) : bf16_widen(halves[0]);
        y = elem == ELEM_F16 ? f16_widen(halves[1]) : bf16_widen(halves[1]);
        return halves[0] == halves[1] || (x != x && y != y);
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

static bool fine[MOST]; // elements that are in no error

static void compare(const OpDesc *op, const Operands *o, size_t count,
                    const char *what)
{
    size_t size = elem_size(o->out);
    for (size_t i = 0; i < count; i++) {
        cr_assert(!fine[i] || same_element(o->out, results[0] + i * size,
                                           results[1] + i * size),
                  "%s of %d to %d, %s, element %zu of %zu: %llx, not %llx",
                  op->name, (int)o->in[0], (int)o->out, what, i, count,
                  *(unsigned long long *)(void *)(results[1] + i * size),
                  *(unsigned long long *)(void *)(results[0] + i * size));
    }
}

static void run(const LoopKernel *kernel, const OpDesc *op, const Operands *o,
                char *const *at, size_t count, uint32_t faults,
                const char *what)
{
    if (kernel->code == NULL && kernel->program == NULL) {
        return;
    }
    memset(results[1], 0x5A, sizeof results[1]);
    cr_assert_eq(kernel_run(kernel, at, (int64_t)count), faults, "%s, %s",
                 op->name, what);
    compare(op, o, count, what);
    cr_assert_eq(results[1][count * elem_size(o->out)], 0x5A, "%s", op->name);
}

static void check_count(const LoopBuild *build, const LoopKernel *kernels,
                        const OpDesc *op, const Operands *o, size_t count)
{
    char *at[4] = {data[0], data[1], data[2], NULL};
    uint32_t faults = 0;
    at[o->count] = results[0];
    for (size_t i = 0; i < count; i++) {
        uint32_t fault = loop_eval_body(build, at, i);
        fine[i] = fault == 0;
        faults |= fault;
    }
    at[o->count] = results[1];
    run(&kernels[0], op, o, at, count, faults, "emitted");
    run(&kernels[1], op, o, at, count, faults, "interpreted");
    run(&kernels[2], op, o, at, count, faults, "interpreted, portable");
}

// Whether there is machine code.
static bool check_op(Ctx *ctx, const OpDesc *op, const Operands *o)
{
    bool emitted = false;
    for (unsigned ones = 0; ones < 1u << o->count; ones++) {
        LoopBuild build;
        LoopKernel kernels[3];
        const Tier *own = ctx->kernels->tier;
        cr_assert(make_body(&build, op, o, ones), "%s has no body", op->name);
        cr_assert(kernel_make(ctx, &build, false, &kernels[0]));
        kernels[1] = kernels[2] = kernels[0];
        kernels[1].code = kernels[2].code = NULL;
        kernels[1].program = loop_program(ctx, &build);
        ctx->kernels->tier = &tier_portable;
        kernels[2].program = loop_program(ctx, &build);
        ctx->kernels->tier = own;
        for (size_t count = 0; count <= 70; count += ones == 0 ? 1 : 7) {
            check_count(&build, kernels, op, o, count);
        }
        check_count(&build, kernels, op, o, MOST);
        emitted = kernels[0].code != NULL;
        for (int i = 0; i < 3; i++) {
            kernel_free(ctx, &kernels[i]);
        }
    }
    return emitted;
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

Test(bodies, give_the_same_bits_everywhere)
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
                bool condition = op_chooses(op) && k == 0;
                o.in[k] = condition ? ELEM_BOOL : (Elem)from;
                fill(data[k], o.in[k], (uint64_t)(code * 64 + elem * 4 + k));
            }
            if (op->takes >> dtype_class(from) & 1) {
                // Halves are interpreted.
                bool half = dtype_is_half(from) || dtype_is_half((DType)o.out);
                bool made = check_op(&ctx, op, &o);
                bodies += !half;
                kernels += made && !half;
            }
        }
    }
    cr_assert(!ctx.kernels->tier->emits || kernels == bodies,
              "%d kernels of %d bodies", kernels, bodies);
    ctx_destroy(&ctx);
}
