// base/source, base/utf8: texts, places, code points.
#include <criterion/criterion.h>
#include <string.h>

#include "base/ctx.h"
#include "base/utf8.h"

static Ctx ctx;

static void setup(void)
{
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
}

static void teardown(void)
{
    ctx_destroy(&ctx);
}

TestSuite(source, .init = setup, .fini = teardown);

Test(source, line_ends_are_made_alike)
{
    const char text[] = "\xEF\xBB\xBF"
                        "a\r\nb\rc";
    Source *source = source_new(&ctx, "n", text, sizeof text - 1);
    size_t length;
    cr_assert_str_eq(source->text, "a\nb\nc\n");
    cr_assert_eq(source->length, 6);
    cr_assert_eq(source_place(source, 4).line, 3);
    cr_assert_eq(*source_line(source, 2, &length), 'b');
    cr_assert_eq(length, 1);
    cr_assert_null(source_line(source, 9, &length));
    source_release(&ctx, source);
}

Test(source, columns_count_code_points)
{
    Source *source = source_new(&ctx, "n", "\303\251\303\251x", 5);
    cr_assert_eq(source_place(source, 4).column, 3);
    source->first_line = 10;
    cr_assert_eq(source_place(source, 0).line, 10);
    source_release(&ctx, source);
}

Test(source, refuses_what_is_no_text)
{
    cr_assert_null(source_new(&ctx, "n", "a\0b", 3));
    cr_assert_eq(ctx.error.kind, ERR_SYNTAX);
    ctx_clear(&ctx);
    cr_assert_null(source_new(&ctx, "n", "a\n\xFF", 3));
    cr_assert_eq(ctx.error.kind, ERR_SYNTAX);
    cr_assert_not_null(strstr(ctx.error.text, "'\\xff' in file n on line 2"));
    ctx_clear(&ctx);
}

Test(source, utf8_refuses_overlong_and_cut_forms)
{
    size_t bad;
    uint32_t codepoint;
    char bytes[UTF8_MAX_BYTES];
    cr_assert_eq(utf8_decode("\xC0\x80", 2, &codepoint), 0);
    cr_assert_eq(utf8_decode("\xE2\x82", 2, &codepoint), 0);
    cr_assert_eq(utf8_decode("\xF4\x90\x80\x80", 4, &codepoint), 0);
    cr_assert_eq(utf8_encode(0x20AC, bytes), 3);
    cr_assert_eq(utf8_decode(bytes, 3, &codepoint), 3);
    cr_assert_eq(codepoint, 0x20AC);
    cr_assert_not(utf8_validate("a\xED\xA0\x80", 4, false, &bad));
    cr_assert_eq(bad, 1);
    cr_assert(utf8_validate("a\xED\xA0\x80", 4, true, &bad));
    cr_assert_eq(utf8_offset("\303\251a", 3, 1), 2);
    cr_assert_eq(utf8_count("\303\251a", 3), 2);
}

Test(source, identifiers_follow_unicode)
{
    cr_assert(utf8_is_identifier_start(0x3B1));
    cr_assert_not(utf8_is_identifier_start('1'));
    cr_assert(utf8_is_identifier_part('1'));
    cr_assert_not(utf8_is_identifier_part(0x20AC));
    cr_assert_not(utf8_is_printable(0xA0));
}
