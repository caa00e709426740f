// Products cut into strips: the same bits as the kernel gives of the whole, for
// sizes around the strips' edges.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "ops/product.h"

static void *block(size_t bytes)
{
    void *data = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    cr_assert_not_null(data);
    return data;
}

static float *numbers(int64_t count, int64_t step)
{
    float *data = block((size_t)count * sizeof *data);
    for (int64_t i = 0; i < count; i++) {
        data[i] = (float)(i * step % 1021 - 510) * 0x1p-7F;
    }
    return data;
}

// C begins as numbers that no strip may leave.
static void check(Ctx *ctx, int64_t m, int64_t n, int64_t k)
{
    size_t bytes = (size_t)(m * n) * sizeof(float);
    Product product = {.dtype = DT_FLOAT32, .count = 1};
    GemmArgs *g = &product.args;
    *g = (GemmArgs){.m = m, .n = n, .k = k, .a_row = k, .a_step = 1};
    g->b_row = n;
    g->b_step = 1;
    g->c_row = n;
    float *a = numbers(m * k, 7), *b = numbers(k * n, 13);
    float *c = numbers(m * n, 1), *whole = numbers(m * n, 3);
    g->a = a;
    g->b = b;
    g->c = c;
    cr_assert(product_run(ctx, &product));
    GemmArgs all = *g;
    all.c = whole;
    all.blocks = &ctx->kernels->blocks;
    all.work = block(gemm_work_size(&all, sizeof(float)) + 64);
    ctx->kernels->tier->gemm[DT_FLOAT32](&all);
    cr_assert(memcmp(c, whole, bytes) == 0, "%d x %d x %d", (int)m, (int)n,
              (int)k);
    free(a);
    free(b);
    free(c);
    free(whole);
    free(all.work);
}

Test(product, strips_are_the_whole)
{
    static const int64_t rows[] = {1, 83, 85, 126, 167, 209, 294, 337, 700};
    Ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    setenv("DUET_THREADS", "3", 1);
    ctx_init(&ctx, 0);
    cr_assert_not_null(kernel_state(&ctx));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(&ctx, rows[i], 301, 97);
        check(&ctx, rows[i], 64, 1025);
    }
    check(&ctx, 3368, 64, 1024);
    ctx_destroy(&ctx);
}
