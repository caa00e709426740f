// base/ctx: allocation, the pending error, the guards.
#include <criterion/criterion.h>
#include <string.h>

#include "base/ctx.h"

static Ctx ctx;

static void setup(void)
{
    ctx_init(&ctx, 0);
}

static void teardown(void)
{
    ctx_destroy(&ctx);
}

TestSuite(ctx, .init = setup, .fini = teardown);

Test(ctx, blocks_of_all_sizes_are_apart_and_aligned)
{
    unsigned char *blocks[700];
    for (size_t size = 0; size < 700; size++) {
        blocks[size] = ctx_alloc(&ctx, size);
        cr_assert_eq((uintptr_t)blocks[size] % 16, 0);
        memset(blocks[size], (int)(size & 0xFF), size);
    }
    for (size_t size = 1; size < 700; size++) {
        cr_assert_eq(blocks[size][0], size & 0xFF);
        cr_assert_eq(blocks[size][size - 1], size & 0xFF);
    }
    for (size_t size = 0; size < 700; size++) {
        ctx_free(&ctx, blocks[size], size);
    }
    cr_assert_eq(ctx.heap.large_bytes, 0);
}

Test(ctx, realloc_keeps_contents_across_the_class_border)
{
    static const size_t sizes[] = {1, 16, 17, 500, 513, 100000, 600, 40, 3};
    char *block = ctx_alloc(&ctx, 1);
    block[0] = 'd';
    for (size_t i = 1; i < sizeof sizes / sizeof *sizes; i++) {
        block = ctx_realloc(&ctx, block, sizes[i - 1], sizes[i]);
        cr_assert_eq(block[0], 'd');
        memset(block + 1, 0x55, sizes[i] - 1);
    }
    ctx_free(&ctx, block, 3);
    cr_assert_eq(ctx.heap.large_bytes, 0);
}

Test(ctx, impossible_sizes_are_memory_errors)
{
    cr_assert_null(ctx_alloc(&ctx, SIZE_MAX));
    cr_assert_eq(ctx.error.kind, ERR_MEMORY);
    ctx_clear(&ctx);
    void *block = ctx_alloc(&ctx, 1000);
    cr_assert_null(ctx_realloc(&ctx, block, 1000, (size_t)PTRDIFF_MAX + 9));
    cr_assert_eq(ctx.error.kind, ERR_MEMORY);
    ctx_free(&ctx, block, 1000);
}

Test(ctx, fail_replaces_the_error_and_may_quote_it)
{
    cr_assert_not(ctx_fail(&ctx, ERR_VALUE, "%d apples", 3));
    cr_assert(ctx_failed(&ctx));
    cr_assert_not(ctx_fail(&ctx, ERR_TYPE, "had %s", ctx.error.text));
    cr_assert_eq(ctx.error.kind, ERR_TYPE);
    cr_assert_str_eq(ctx.error.text, "had 3 apples");
    cr_assert_null(ctx_fail_null(&ctx, ERR_KEY, "k"));
    ctx_clear(&ctx);
    cr_assert_not(ctx_failed(&ctx));
}

Test(ctx, fail_at_keeps_the_place)
{
    Span span = {4, 9};
    cr_assert_not(ctx_fail_at(&ctx, ERR_SYNTAX, NULL, span, "no"));
    cr_assert_eq(ctx.error.span.start, 4);
    cr_assert_eq(ctx.error.span.end, 9);
    ctx_clear(&ctx);
}

static bool descend(int *deepest)
{
    if (!ctx_enter(&ctx)) {
        return false;
    }
    ++*deepest;
    bool result = descend(deepest);
    ctx_leave(&ctx);
    return result;
}

Test(ctx, depth_limit_ends_recursion_and_is_restored)
{
    int deepest = 0;
    ctx.depth_limit = 50;
    cr_assert_not(descend(&deepest));
    cr_assert_eq(deepest, 50);
    cr_assert_eq(ctx.depth, 0);
    cr_assert_eq(ctx.error.kind, ERR_RECURSION);
}

Test(ctx, stack_limit_ends_recursion)
{
    int deepest = 0;
    ctx_init(&ctx, 1 << 20);
    ctx.depth_limit = UINT32_MAX;
    cr_assert_not(descend(&deepest));
    cr_assert_eq(ctx.error.kind, ERR_RECURSION);
    cr_assert_gt(deepest, 1000);
}

Test(ctx, poll_raises_once_for_an_interrupt)
{
    cr_assert(ctx_poll(&ctx));
    ctx.interrupt = 1;
    cr_assert_not(ctx_poll(&ctx));
    cr_assert_eq(ctx.error.kind, ERR_INTERRUPT);
    ctx_clear(&ctx);
    cr_assert(ctx_poll(&ctx));
}

#ifdef DUET_INJECT
Test(ctx, the_injected_allocation_fails_and_only_that)
{
    ctx.heap.fail_after = 2;
    void *first = ctx_alloc(&ctx, 10);
    cr_assert_not_null(first);
    cr_assert_null(ctx_alloc(&ctx, 10));
    void *third = ctx_alloc(&ctx, 10);
    cr_assert_not_null(third);
    ctx_free(&ctx, first, 10);
    ctx_free(&ctx, third, 10);
}
#endif
