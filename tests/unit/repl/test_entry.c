// repl/entry: completeness, indentation, pasted prompts.
#include <criterion/criterion.h>

#include "repl/entry.h"

static Ctx ctx;

static void setup(void)
{
    ctx_init(&ctx, 0);
}

static void teardown(void)
{
    ctx_destroy(&ctx);
}

TestSuite(entry, .init = setup, .fini = teardown);

Test(entry, complete_texts)
{
    cr_assert_eq(entry_status(&ctx, "1 + 1"), PARSE_OK);
    cr_assert_eq(entry_status(&ctx, "x = (1,\n2)"), PARSE_OK);
    cr_assert_eq(entry_status(&ctx, "if x:\n    y\n"), PARSE_OK);
    cr_assert_eq(entry_status(&ctx, "if x:\n    y\n    "), PARSE_OK);
}

Test(entry, texts_that_want_another_line)
{
    cr_assert_eq(entry_status(&ctx, "if x:"), PARSE_INCOMPLETE);
    cr_assert_eq(entry_status(&ctx, "if x:\n    y"), PARSE_INCOMPLETE);
    cr_assert_eq(entry_status(&ctx, "f(1,"), PARSE_INCOMPLETE);
    cr_assert_eq(entry_status(&ctx, "'''a"), PARSE_INCOMPLETE);
    cr_assert_eq(entry_status(&ctx, "@stage"), PARSE_INCOMPLETE);
}

Test(entry, mistakes_leave_nothing_pending)
{
    cr_assert_eq(entry_status(&ctx, "1 +* 2"), PARSE_ERROR);
    cr_assert_eq(entry_status(&ctx, "x = )"), PARSE_ERROR);
    cr_assert_not(ctx_failed(&ctx));
}

Test(entry, indentation_of_the_next_line)
{
    cr_assert_eq(entry_indent("x = 1"), 0);
    cr_assert_eq(entry_indent("if x:"), 4);
    cr_assert_eq(entry_indent("if x:\n    for y in z:  "), 8);
    cr_assert_eq(entry_indent("def f():\n    return 1"), 0);
    cr_assert_eq(entry_indent("def f():\n    returned = 1"), 4);
}

Test(entry, pasted_prompts_are_taken_off)
{
    StrBuf text;
    strbuf_init(&text, &ctx);
    entry_clean(&text, ">>> if x:\n...     y\n...\n>>> z");
    cr_assert_str_eq(strbuf_text(&text), "if x:\n    y\n\nz");
    strbuf_free(&text);
    entry_clean(&text, "x\n... y");
    cr_assert_str_eq(strbuf_text(&text), "x\n... y");
    strbuf_free(&text);
}
