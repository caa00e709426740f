// Matrix products against the definition, element by element, for every tier,
// every small size, operands in every order and blocks of any size.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "kernels/fma.h"
#include "kernels/tier.h"

enum { ROOM = 1 << 21 };

static RngState rng;

// Below `limit`, which is above 0.
static int64_t any(int64_t limit)
{
    uint32_t words[4];
    rng_block(rng.key, rng.counter++, words);
    return (int64_t)(words[0] % (uint64_t)limit);
}

#define REFERENCE(name, T, U, STEP)                                            \
    static bool is_##name(const GemmArgs *g)                                   \
    {                                                                          \
        const T *a = g->a, *b = g->b, *c = g->c;                               \
        for (int64_t i = 0; i < g->m; i++) {                                   \
            for (int64_t j = 0; j < g->n; j++) {                               \
                T sum = g->resume ? (T)7 : 0;                                  \
                for (int64_t k = 0; k < g->k; k++) {                           \
                    U x = (U)a[i * g->a_row + k * g->a_step];                  \
                    U y = (U)b[k * g->b_row + j * g->b_step];                  \
                    sum = (T)(STEP);                                           \
                }                                                              \
                if (memcmp(&sum, &c[i * g->c_row + j], sizeof(T)) != 0) {      \
                    return false;                                              \
                }                                                              \
            }                                                                  \
        }                                                                      \
        return true;                                                           \
    }
REFERENCE(f32, float, float, fma32(x, y, sum))
REFERENCE(f64, double, double, fma(x, y, sum))
REFERENCE(i32, int32_t, uint32_t, x *y + (uint32_t)sum)
REFERENCE(i64, int64_t, uint64_t, x *y + (uint64_t)sum)

static bool is_product(const GemmArgs *g, int elem)
{
    return elem == ELEM_F32   ? is_f32(g)
           : elem == ELEM_F64 ? is_f64(g)
           : elem == ELEM_I32 ? is_i32(g)
                              : is_i64(g);
}

static size_t size_of(int elem)
{
    return elem == ELEM_I64 || elem == ELEM_F64 ? 8 : 4;
}

// Numbers whose products round.
static void fill(void *to, int elem, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t whole = any(INT32_MAX) * 3 - INT32_MAX;
        double part = (double)whole * 0x1p-30;
        switch (elem) {
        case ELEM_F32: ((float *)to)[i] = (float)part; break;
        case ELEM_F64: ((double *)to)[i] = part / 3; break;
        case ELEM_I32: ((int32_t *)to)[i] = (int32_t)whole; break;
        default: ((int64_t *)to)[i] = whole * 0x1000001;
        }
    }
}

// What C holds where the sums resume.
static void set_seven(void *to, int elem)
{
    switch (elem) {
    case ELEM_F32: *(float *)to = 7; break;
    case ELEM_F64: *(double *)to = 7; break;
    case ELEM_I32: *(int32_t *)to = 7; break;
    default: *(int64_t *)to = 7;
    }
}

// One product with steps of any kind; the elements around C must stay.
static void check(const Tier *tier, int elem, int64_t m, int64_t n, int64_t k,
                  GemmBlocks blocks)
{
    static _Alignas(64) char a[ROOM], b[ROOM], c[ROOM], work[ROOM];
    int64_t gap = any(3), size = (int64_t)size_of(elem);
    GemmArgs g = {.m = m,
                  .n = n,
                  .k = k,
                  .a_row = k + any(4),
                  .a_step = 1,
                  .b_row = n + any(4),
                  .b_step = 1,
                  .c_row = n + gap,
                  .blocks = &blocks};
    if (any(3) == 0) {
        g.a_row = 1;
        g.a_step = m + any(4);
    }
    if (any(3) == 0) {
        g.b_row = 1;
        g.b_step = k + any(4);
    }
    // At odd addresses, so that nothing relies on alignment.
    g.a = a + size * any(8);
    g.b = b + size * any(8);
    g.c = c + size * any(8);
    size_t needed = gemm_work_size(&g, (size_t)size);
    cr_assert(needed <= ROOM);
    g.work = needed == 0 ? NULL : work;
    fill((void *)(uintptr_t)g.a, elem, m * k + 4 * (m + k));
    fill((void *)(uintptr_t)g.b, elem, n * k + 4 * (n + k));
    size_t used = (size_t)((m * (n + gap) + 64) * size);
    memset(c, 0x5a, used);
    g.resume = any(4) == 0;
    for (int64_t i = 0; g.resume && i < m * n; i++) {
        set_seven((char *)g.c + (i / n * g.c_row + i % n) * size, elem);
    }
    memset(work, 0xff, needed);
    tier->gemm[elem](&g);
    cr_assert(is_product(&g, elem), "%s, elem %d: %d %d %d, steps %d %d",
              tier->name, elem, (int)m, (int)n, (int)k, (int)g.a_step,
              (int)g.b_step);
    const char *end = (char *)g.c + ((m - 1) * g.c_row + n) * size;
    cr_assert(*end == 0x5a && end[size - 1] == 0x5a && end[31] == 0x5a);
    for (int64_t i = 0; gap > 0 && i + 1 < m; i++) {
        cr_assert(((char *)g.c)[(i * g.c_row + n) * size] == 0x5a);
    }
}

static const Tier *tier_at(int number)
{
    static const char *const names[] = {"loop", "avx2", "avx512"};
    return tier_find(names[number]); // NULL: not on this processor
}

Test(gemm, all_small_sizes_are_the_definition)
{
    GemmBlocks blocks = gemm_blocks();
    rng_seed(&rng, 1);
    for (int t = 0; t < 3; t++) {
        for (int64_t i = 1; tier_at(t) != NULL && i <= 70; i++) {
            for (int elem = ELEM_I32; elem <= ELEM_F64; elem++) {
                check(tier_at(t), elem, i, i, i, blocks);
                check(tier_at(t), elem, i, 1 + any(70), any(70), blocks);
                check(tier_at(t), elem, 1 + any(70), i, any(70), blocks);
                check(tier_at(t), elem, 1 + any(70), 1 + any(70), i, blocks);
                check(tier_at(t), elem, 1, i, any(300), blocks);
                check(tier_at(t), elem, i, 1, 60 + any(300), blocks);
            }
        }
    }
}

// Blocks far smaller than a cache, so that all loops turn.
Test(gemm, blocks_change_no_bit)
{
    rng_seed(&rng, 2);
    for (int t = 0; t < 3; t++) {
        for (int i = 0; tier_at(t) != NULL && i < 60; i++) {
            int64_t depth = 8 * (1 + any(20));
            GemmBlocks blocks = {depth, depth * (256 + 64 * any(4)),
                                 depth * (42 + any(100))};
            for (int elem = ELEM_I32; elem <= ELEM_F64; elem++) {
                check(tier_at(t), elem, 20 + any(150), 1 + any(150),
                      1 + any(150), blocks);
            }
        }
    }
}

// Rows a page apart meet in the same sets of the caches: A is copied then.
Test(gemm, rows_a_page_apart)
{
    GemmBlocks blocks = gemm_blocks();
    rng_seed(&rng, 3);
    for (int t = 1; t < 3; t++) {
        for (int elem = ELEM_I32; tier_at(t) != NULL && elem <= ELEM_F64;
             elem++) {
            check(tier_at(t), elem, 50, 40, 1024, blocks);
            check(tier_at(t), elem, 200, 90, 512, blocks);
        }
    }
}

// Panels that are filled before, or by the first rows, and then read by others,
// from any column of a multiple of 48 on.
static void check_panels(const Tier *tier, int elem, GemmBlocks blocks)
{
    static _Alignas(64) char a[ROOM], b[ROOM], c[ROOM], work[ROOM];
    static _Alignas(64) char panels[ROOM];
    int64_t m = 1 + any(100), n = 2 + any(200), k = 1 + any(150);
    size_t size = size_of(elem);
    bool turned = any(2) == 0;
    GemmArgs g = {.m = 100,
                  .n = n,
                  .k = k,
                  .a_row = k,
                  .a_step = 1,
                  .b_row = turned ? 1 : n,
                  .b_step = turned ? k : 1,
                  .c_row = n,
                  .a = a,
                  .b = b,
                  .c = c,
                  .blocks = &blocks,
                  .work = work};
    size_t needed = gemm_panels_size(&g, size);
    fill(a, elem, 100 * k);
    fill(b, elem, n * k);
    cr_assert(needed <= ROOM);
    if (needed == 0) {
        return; // too few elements of k
    }
    memset(panels, 0xff, needed);
    g.panels = (GemmPanels){panels, n, 0, false};
    g.m = any(2) == 0 ? 0 : m;
    cr_assert(gemm_work_size(&g, size) <= ROOM);
    tier->gemm[elem](&g);
    g.panels.filled = true;
    memset(c, 0x5a, (size_t)(m * n) * size);
    g.m = m;
    for (int64_t j = 0; j < n; j += 48) {
        GemmArgs part = g;
        part.n = n - j < 48 ? n - j : 48;
        part.b = b + (size_t)(j * g.b_step) * size;
        part.c = c + (size_t)j * size;
        part.panels.first = j;
        tier->gemm[elem](&part);
    }
    cr_assert(is_product(&g, elem), "%s, elem %d: %d %d %d", tier->name, elem,
              (int)m, (int)n, (int)k);
}

Test(gemm, panels_are_shared)
{
    rng_seed(&rng, 4);
    for (int t = 0; t < 3; t++) {
        for (int i = 0; tier_at(t) != NULL && i < 60; i++) {
            int64_t depth = 8 * (1 + any(200));
            GemmBlocks blocks = {depth, depth * (256 + 64 * any(4)),
                                 depth * (42 + any(100))};
            for (int elem = ELEM_I32; elem <= ELEM_F64; elem++) {
                check_panels(tier_at(t), elem, blocks);
            }
        }
    }
}

// The strips of a product share memory, whose size is that of the tallest.
Test(gemm, fewer_rows_need_no_more_memory)
{
    GemmBlocks blocks = gemm_blocks();
    GemmArgs g = {.n = 64, .k = 1024, .a_row = 1024, .a_step = 1};
    g.b_row = g.c_row = 64;
    g.b_step = 1;
    g.blocks = &blocks;
    size_t before = 0;
    for (g.m = GEMM_COPIED_ROWS; g.m < 2000; g.m++) {
        size_t now = gemm_work_size(&g, sizeof(float));
        cr_assert(now >= before, "%d rows", (int)g.m);
        before = now;
    }
}
