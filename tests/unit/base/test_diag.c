// base/diag: source lines with carets, names that are close.
#include <criterion/criterion.h>
#include <string.h>

#include "base/diag.h"

// The carets under `text` from byte `start` to its end.
static void check_carets(const char *text, uint32_t start, const char *expected)
{
    Ctx ctx;
    StrBuf out;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    Source *source = source_new(&ctx, "test", text, strlen(text));
    Span span = {start, (uint32_t)strlen(text)};
    strbuf_init(&out, &ctx);
    diag_source_line(&out, source, span, 4, true, false);
    const char *carets = strchr(strbuf_text(&out), '\n') + 1;
    cr_expect_str_eq(carets, expected, "%s: %s", text, carets);
    strbuf_free(&out);
    source_release(&ctx, source);
    ctx_destroy(&ctx);
}

Test(diag, an_operator_gets_the_carets)
{
    check_carets("  a / b", 2, "    ~~^~~\n");
    check_carets("x = a * b + c // d", 4, "        ~~~~~~^~~~~~~~\n");
    check_carets("x = a ** b ** c", 4, "        ~~^^~~~~~~~\n");
    check_carets("x = '+' % (a + b)", 4, "        ~~~~^~~~~~~~~\n");
}

Test(diag, a_subscript_has_them_under_its_brackets)
{
    check_carets("x[1][a + b]", 0, "    ~~~~^^^^^^^\n");
}

Test(diag, other_expressions_are_marked_whole)
{
    check_carets("x = f(a + b)", 4, "        ^^^^^^^^\n");
    check_carets("f(a + b)", 0, "");
    check_carets("y = -x[0]", 4, "        ^^^^^\n");
    check_carets("y = a < b + c", 4, "        ^^^^^^^^^\n");
}

Test(diag, columns_are_code_points)
{
    check_carets("\303\251 = f(\303\251)", 5, "        ^^^^\n");
}

Test(diag, suggests_the_closest_name)
{
    static const char *const names[] = {"width", "height", "Depth"};
    cr_assert_str_eq(diag_suggest("widht", names, 3), "width");
    cr_assert_str_eq(diag_suggest("depth", names, 3), "Depth");
    cr_assert_null(diag_suggest("colour", names, 3));
    cr_assert_eq(diag_distance("abc", "abd", 10), 2);
    cr_assert_eq(diag_distance("abc", "aBc", 10), 1);
}
