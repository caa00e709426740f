// The blocks of matrix products, by the sizes of the caches.
#include "kernels/gemm.h"

#include <unistd.h>

enum {
    SMALL_CACHE = 256 << 10, // where the system does not tell
    COLUMN_BYTES = 128,      // of a panel, in any tier
    ROWS_STEP = 42,          // a multiple of every tile's rows
    PAGE = 4096
};

GemmBlocks gemm_blocks(void)
{
    int64_t cache = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE)
    cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    cache = cache < SMALL_CACHE ? SMALL_CACHE : cache;
    return (GemmBlocks){2048, cache / 2, cache / 8};
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Rows a multiple of a page apart meet in the same few sets of a cache.
GemmSizes gemm_sizes(const GemmArgs *upright, size_t size)
{
    const GemmBlocks *blocks = upright->blocks;
    int64_t bytes = (int64_t)size, panel = COLUMN_BYTES / bytes;
    GemmSizes s = {.depth = least(upright->k, blocks->depth_bytes / bytes)};
    int64_t n = (upright->n + panel - 1) / panel * panel;
    s.columns = least(n, blocks->b_bytes / (s.depth * bytes) / panel * panel);
    s.rows = blocks->a_bytes / (s.depth * bytes) / ROWS_STEP * ROWS_STEP;
    s.rows = s.rows < ROWS_STEP ? ROWS_STEP : s.rows;
    // Where all of A is at hand with one panel, no more of B needs to be.
    if (upright->m * s.depth * bytes <= 4 * blocks->a_bytes) {
        s.rows = upright->m;
    }
    s.tall = upright->m > 1 &&
             (upright->a_step != 1 || upright->a_row * bytes % PAGE == 0);
    return s;
}

size_t gemm_work_size(const GemmArgs *args, size_t size)
{
    GemmArgs g = gemm_upright(args);
    if (gemm_is_direct(&g)) {
        return 0;
    }
    GemmSizes s = gemm_sizes(&g, size);
    int64_t rows = s.tall ? least(g.m, s.rows) : 0;
    return (size_t)(s.depth * (s.columns + rows)) * size;
}
