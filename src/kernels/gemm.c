// The blocks of matrix products, by the sizes of the caches.
#include "kernels/gemm.h"

#include <unistd.h>

enum {
    SMALL_CACHE = 256 << 10, // where the system does not tell
    DEPTH_BYTES = 4096,
    ONCE_BYTES = 512, // of a row of B that meets one of A
    MOST_B_BYTES = 4 << 20,
    COLUMN_BYTES = 192, // of a panel, in any tier
    ROWS_STEP = 36,     // a multiple of every tile's rows
    PAGE = 4096
};

static int64_t cache_size(int name)
{
    long size = name < 0 ? 0 : sysconf(name);
    return size < SMALL_CACHE ? SMALL_CACHE : size;
}

// A block of A stays in the second cache beside a panel of B and the lines of
// C; the block of B that all blocks of A meet stays in the third, which other
// processors share. The deeper both are, the fewer times C is read again.
// TRIED on a Zen 4 core: B in the second cache (9 % slower from 1,024 on, for
// A came from the third once for every 256 columns); k in halves or quarters
// of this depth (3 and 6 % slower).
GemmBlocks gemm_blocks(void)
{
    int second = -1, third = -1;
#if defined(_SC_LEVEL2_CACHE_SIZE)
    second = _SC_LEVEL2_CACHE_SIZE;
    third = _SC_LEVEL3_CACHE_SIZE;
#endif
    int64_t near = cache_size(second), b = cache_size(third) / 8;
    b = b > MOST_B_BYTES ? MOST_B_BYTES : b;
    return (GemmBlocks){DEPTH_BYTES, b < near / 2 ? near / 2 : b, near / 3};
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Of as few equal parts as there can be without one above `most`, one.
static int64_t even_part(int64_t size, int64_t most)
{
    int64_t parts = (size + most - 1) / most;
    return (size + parts - 1) / parts;
}

// Of A, each of so many bytes, that may be at hand at once.
static int64_t most_rows(const GemmBlocks *blocks, int64_t row)
{
    return blocks->a_bytes * 3 / 2 / row;
}

// Rows a multiple of a page apart meet in the same few sets of a cache. Whether
// the first one has ways for all that are read at a time, so that a copy would
// cost more than it gains: on an Intel core with 12 of them 7 % of a product of
// 1,024 and 4 % of one of 2,048.
static bool rows_fit(void)
{
#if defined(_SC_LEVEL1_DCACHE_ASSOC)
    enum { ENOUGH = 12 };
    return sysconf(_SC_LEVEL1_DCACHE_ASSOC) >= ENOUGH;
#else
    return false;
#endif
}

GemmSizes gemm_sizes(const GemmArgs *upright, size_t size)
{
    const GemmBlocks *blocks = upright->blocks;
    int64_t bytes = (int64_t)size, panel = COLUMN_BYTES / bytes;
    // A panel that is read once stays in the first cache, and the rows that it
    // is made of are read from end to end.
    bool once = upright->m == 1 && upright->panels.columns == 0;
    int64_t most = once ? ONCE_BYTES : blocks->depth_bytes;
    GemmSizes s = {.depth = even_part(upright->k, most / bytes)};
    int64_t n = (upright->n + panel - 1) / panel * panel;
    int64_t columns = blocks->b_bytes / (s.depth * bytes) / panel * panel;
    s.columns = once || columns < panel ? panel : least(n, columns);
    s.rows = blocks->a_bytes / (s.depth * bytes) / ROWS_STEP * ROWS_STEP;
    s.rows = s.rows < ROWS_STEP ? ROWS_STEP : s.rows;
    // Where all of A is at hand with one panel, no more of B needs to be.
    if (upright->m > 0 && upright->m <= most_rows(blocks, s.depth * bytes)) {
        s.rows = upright->m;
    }
    s.tall =
        upright->m > 1 && (upright->a_step != 1 ||
                           (upright->a_row * bytes % PAGE == 0 && !rows_fit()));
    return s;
}

// Strips of a product share it, and one of fewer rows may take more at once.
size_t gemm_work_size(const GemmArgs *args, size_t size)
{
    GemmArgs g = gemm_upright(args);
    if (gemm_is_direct(&g)) {
        return 0;
    }
    GemmSizes s = gemm_sizes(&g, size);
    int64_t most = most_rows(g.blocks, s.depth * (int64_t)size);
    most = most < s.rows ? s.rows : most;
    int64_t rows = s.tall ? least(g.m, most) : 0;
    int64_t columns = g.panels.columns != 0 ? 0 : s.columns;
    return (size_t)(s.depth * (columns + rows)) * size;
}

size_t gemm_panels_size(const GemmArgs *args, size_t size)
{
    int64_t panel = COLUMN_BYTES / (int64_t)size;
    return args->n == 1 || gemm_is_direct(args)
               ? 0
               : (size_t)(args->k * ((args->n + panel - 1) / panel * panel)) *
                     size;
}
