// base/vec: pushing, popping, impossible sizes.
#include <criterion/criterion.h>

#include "base/vec.h"

typedef VEC(uint32_t) Numbers;

static Ctx ctx;

static void setup(void)
{
    ctx_init(&ctx, 0);
}

static void teardown(void)
{
    ctx_destroy(&ctx);
}

TestSuite(vec, .init = setup, .fini = teardown);

Test(vec, pushes_and_pops)
{
    Numbers numbers = {0};
    for (uint32_t i = 0; i < 10000; i++) {
        cr_assert(vec_push(&ctx, &numbers, i));
    }
    cr_assert_eq(numbers.count, 10000);
    cr_assert_eq(vec_last(&numbers), 9999);
    for (uint32_t i = 10000; i-- > 0;) {
        cr_assert_eq(vec_pop(&numbers), i);
    }
    vec_free(&ctx, &numbers);
    cr_assert_null(numbers.items);
    cr_assert_eq(ctx.heap.large_bytes, 0);
}

Test(vec, reserve_makes_room_at_once)
{
    Numbers numbers = {0};
    cr_assert(vec_reserve(&ctx, &numbers, 1000));
    cr_assert_geq(numbers.capacity, 1000);
    cr_assert_eq(numbers.count, 0);
    vec_free(&ctx, &numbers);
}

Test(vec, impossible_room_leaves_the_items)
{
    Numbers numbers = {0};
    cr_assert(vec_push(&ctx, &numbers, 7));
    cr_assert_not(vec_reserve(&ctx, &numbers, SIZE_MAX / 2));
    cr_assert_eq(ctx.error.kind, ERR_MEMORY);
    cr_assert_eq(numbers.items[0], 7);
    vec_free(&ctx, &numbers);
}
