// base/map: look-up, replacing, growth, the shared hash.
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/map.h"

static Ctx ctx;
static Map map;

static void setup(void)
{
    ctx_init(&ctx, 0);
    map_init(&map, &ctx);
}

static void teardown(void)
{
    map_free(&map);
    ctx_destroy(&ctx);
}

TestSuite(map, .init = setup, .fini = teardown);

Test(map, an_empty_map_has_nothing)
{
    cr_assert_null(map_get(&map, "x", 1));
}

Test(map, many_keys_are_found_again)
{
    char key[20];
    for (uint64_t i = 0; i < 5000; i++) {
        size_t length = (size_t)sprintf(key, "k%lu", (unsigned long)i);
        cr_assert(map_put(&map, key, length, i * i));
    }
    cr_assert_eq(map.count, 5000);
    for (uint64_t i = 0; i < 5000; i++) {
        size_t length = (size_t)sprintf(key, "k%lu", (unsigned long)i);
        uint64_t *value = map_get(&map, key, length);
        cr_assert_not_null(value);
        cr_assert_eq(*value, i * i);
    }
    cr_assert_null(map_get(&map, "k5000", 5));
}

Test(map, put_replaces)
{
    cr_assert(map_put(&map, "a", 1, 1));
    cr_assert(map_put(&map, "a", 1, 2));
    cr_assert_eq(map.count, 1);
    cr_assert_eq(*map_get(&map, "a", 1), 2);
}

Test(map, keys_are_bytes_not_strings)
{
    cr_assert(map_put(&map, "a\0b", 3, 1));
    cr_assert(map_put(&map, "a\0c", 3, 2));
    cr_assert(map_put(&map, "", 0, 3));
    cr_assert_eq(*map_get(&map, "a\0b", 3), 1);
    cr_assert_eq(*map_get(&map, "a\0c", 3), 2);
    cr_assert_eq(*map_get(&map, "", 0), 3);
    cr_assert_null(map_get(&map, "a", 1));
}

Test(hash, lengths_and_contents_differ)
{
    cr_assert_neq(map_hash("", 0), 0);
    cr_assert_neq(map_hash("\0", 1), map_hash("\0\0", 2));
    cr_assert_neq(map_hash("abcdefgh", 8), map_hash("abcdefgi", 8));
    cr_assert_eq(map_hash("abcdefghij", 10), map_hash("abcdefghij", 10));
}

// Removing closes the gap: every key that stays is found, none that went is.
Test(map, removed_keys_leave_no_gap)
{
    char key[16];
    for (unsigned i = 0; i < 500; i++) {
        int length = snprintf(key, sizeof key, "key %u", i);
        cr_assert(map_put(&map, key, (size_t)length, i));
    }
    for (unsigned i = 0; i < 500; i += 3) {
        int length = snprintf(key, sizeof key, "key %u", i);
        cr_assert(map_remove(&map, key, (size_t)length));
        cr_assert_not(map_remove(&map, key, (size_t)length));
    }
    for (unsigned i = 0; i < 500; i++) {
        int length = snprintf(key, sizeof key, "key %u", i);
        const uint64_t *found = map_get(&map, key, (size_t)length);
        cr_assert_eq(found != NULL, i % 3 != 0);
        cr_assert(found == NULL || *found == i);
    }
}
