// base/arena: alignment, clearing, growth.
#include <criterion/criterion.h>
#include <string.h>

#include "base/arena.h"

static Ctx ctx;
static Arena arena;

static void setup(void)
{
    ctx_init(&ctx, 0);
    arena_init(&arena, &ctx);
}

static void teardown(void)
{
    arena_destroy(&arena);
    ctx_destroy(&ctx);
}

TestSuite(arena, .init = setup, .fini = teardown);

Test(arena, memory_is_aligned_and_cleared)
{
    for (size_t size = 0; size < 100; size++) {
        unsigned char *memory = arena_alloc(&arena, size);
        cr_assert_not_null(memory);
        cr_assert_eq((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < size; i++) {
            cr_assert_eq(memory[i], 0);
        }
        memset(memory, 0xFF, size);
    }
}

Test(arena, pieces_do_not_overlap)
{
    uint32_t *pieces[2000];
    for (uint32_t i = 0; i < 2000; i++) {
        pieces[i] = arena_new_array(&arena, uint32_t, 7);
        for (int k = 0; k < 7; k++) {
            pieces[i][k] = i;
        }
    }
    for (uint32_t i = 0; i < 2000; i++) {
        cr_assert_eq(pieces[i][0], i);
        cr_assert_eq(pieces[i][6], i);
    }
}

Test(arena, large_pieces_have_blocks_of_their_own)
{
    char *large = arena_alloc(&arena, 3 << 20);
    char *small = arena_alloc(&arena, 1);
    large[(3 << 20) - 1] = 'x';
    cr_assert_not_null(small);
    cr_assert_geq(arena.total, 3 << 20);
}

Test(arena, impossible_size_fails)
{
    cr_assert_null(arena_alloc(&arena, SIZE_MAX));
    cr_assert_eq(ctx.error.kind, ERR_MEMORY);
}

Test(arena, strndup_ends_the_copy)
{
    char *copy = arena_strndup(&arena, "matmul(x)", 6);
    cr_assert_str_eq(copy, "matmul");
    cr_assert_str_eq(arena_strndup(&arena, NULL, 0), "");
}
