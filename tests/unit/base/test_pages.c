// base/pages: large blocks, what is kept of them, and moving them.
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "base/pages.h"

enum { MEGABYTE = 1 << 20 };

static PagesKept kept;

static void teardown(void)
{
    pages_drop(&kept);
}

TestSuite(pages, .fini = teardown);

Test(pages, blocks_are_aligned_and_zero)
{
    bool zero = false;
    unsigned char *block = pages_alloc(&kept, 3 * MEGABYTE + 5, &zero);
    cr_assert_not_null(block);
    cr_assert(zero);
    cr_assert_eq((uintptr_t)block % PAGES_LEAST, 0);
    cr_assert_eq(block[0] | block[3 * MEGABYTE + 4], 0);
    block[3 * MEGABYTE + 4] = 1;
    pages_free(&kept, block, 3 * MEGABYTE + 5);
}

Test(pages, a_freed_block_serves_again_and_is_not_called_zero)
{
    bool zero;
    unsigned char *first = pages_alloc(&kept, 8 * MEGABYTE, &zero);
    memset(first, 7, 8 * MEGABYTE);
    pages_free(&kept, first, 8 * MEGABYTE);
    // A little smaller fits; half of it and less does not.
    unsigned char *again = pages_alloc(&kept, 7 * MEGABYTE, &zero);
    cr_assert_eq(again, first);
    cr_assert_not(zero);
    pages_free(&kept, again, 7 * MEGABYTE);
    unsigned char *small = pages_alloc(&kept, 2 * MEGABYTE, &zero);
    cr_assert(zero);
    pages_free(&kept, small, 2 * MEGABYTE);
}

Test(pages, no_more_is_kept_than_the_bound)
{
    bool zero;
    void *blocks[6];
    for (int i = 0; i < 6; i++) {
        blocks[i] = pages_alloc(&kept, 12 * MEGABYTE, &zero);
    }
    size_t sum = 0;
    for (int i = 0; i < 6; i++) {
        pages_free(&kept, blocks[i], 12 * MEGABYTE);
    }
    for (int i = 0; i < PAGES_KEPT && kept.kept[i].block != NULL; i++) {
        sum += kept.kept[i].size;
    }
    // The newest stay.
    cr_assert_eq(sum, 24 * MEGABYTE);
    cr_assert_eq(kept.kept[0].block, blocks[5]);
    // Larger than all that may be kept.
    void *large = pages_alloc(&kept, 100 * MEGABYTE, &zero);
    pages_free(&kept, large, 100 * MEGABYTE);
    cr_assert_neq(kept.kept[0].block, large);
}

Test(pages, realloc_keeps_contents)
{
    bool zero;
    size_t size = 2 * MEGABYTE;
    unsigned char *block = pages_alloc(NULL, size, &zero);
    void *others[5] = {NULL};
    for (int step = 0; step < 5; step++) {
        block[size - 1] = (unsigned char)(step + 1);
        block = pages_realloc(block, size, size * 2);
        cr_assert_not_null(block);
        cr_assert_eq((uintptr_t)block % PAGES_LEAST, 0);
        cr_assert_eq(block[size - 1], step + 1);
        size *= 2;
        // Something that may stand in the way of the next growth.
        others[step] = pages_alloc(NULL, PAGES_LEAST, &zero);
    }
    block = pages_realloc(block, size, 3 * MEGABYTE);
    cr_assert_eq(block[2 * MEGABYTE - 1], 1);
    pages_free(NULL, block, 3 * MEGABYTE);
    for (int step = 0; step < 5; step++) {
        pages_free(NULL, others[step], PAGES_LEAST);
    }
}

Test(pages, what_cannot_be_had_is_refused)
{
    bool zero;
    cr_assert_null(pages_alloc(&kept, (size_t)1 << 50, &zero));
    void *block = pages_alloc(NULL, PAGES_LEAST, &zero);
    cr_assert_null(pages_realloc(block, PAGES_LEAST, (size_t)1 << 50));
    pages_free(NULL, block, PAGES_LEAST);
}
