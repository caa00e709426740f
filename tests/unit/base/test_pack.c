// base/pack: plain pieces, matches, and matches that reach into themselves.
#include <criterion/criterion.h>
#include <string.h>

#include "base/pack.h"

static void check(const unsigned char *packed, const char *want)
{
    char out[256];
    size_t length = strlen(want);
    memset(out, '#', sizeof out);
    pack_expand(packed, out, length);
    cr_assert_eq(memcmp(out, want, length), 0);
    cr_assert_eq(out[length], '#');
}

Test(pack, plain_bytes)
{
    static const unsigned char packed[] = {2, 'a', 'b', 'c', 0, 'd'};
    check(packed, "abcd");
    check(packed, "");
}

Test(pack, a_match_stands_again)
{
    static const unsigned char packed[] = {4,   'a', 'b', 'c', 'd', 'e',
                                           129, 5,   0,   0,   '!'};
    check(packed, "abcdeabcde!");
}

Test(pack, a_match_may_reach_into_what_it_makes)
{
    static const unsigned char packed[] = {1, 'x', '-', 132, 2, 0};
    check(packed, "x-x-x-x-x-");
}
