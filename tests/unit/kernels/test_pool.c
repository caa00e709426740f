// Blocks that wait: which come back, and which went to the system.
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "kernels/pool.h"

// The same bytes are there again, with what was written behind the link.
static bool comes_back(Ctx *ctx, Pool *pool, size_t size)
{
    size_t taken = size, again = size;
    char *block = pool_take(ctx, pool, &taken);
    cr_assert_not_null(block);
    block[size - 1] = 42;
    pool_give(pool, block, taken);
    char *next = pool_take(ctx, pool, &again);
    cr_assert_not_null(next);
    cr_assert_eq(taken, again);
    next[0] = next[size - 1] = 1; // it is memory, whatever became of it
    bool same = next == block;
    pool_give(pool, next, again);
    return same;
}

Test(pool, lends_what_is_much)
{
    Ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    Pool *pool = pool_new(&ctx);
    cr_assert_not_null(pool);
    size_t machine =
        (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    cr_assert_eq(comes_back(&ctx, pool, 100), HEAP_FAST);
    cr_assert_eq(comes_back(&ctx, pool, (size_t)64 << 20), HEAP_FAST);
    // Beyond what waits of right, and beyond what may be lent.
    if (machine / 8 > (size_t)512 << 20) {
        cr_assert_eq(comes_back(&ctx, pool, (size_t)320 << 20), HEAP_FAST);
    }
    pool_free(&ctx, pool);
    ctx_destroy(&ctx);
}
