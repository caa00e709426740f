// repl/entry: completeness, indentation, pasted prompts.
#include <criterion/criterion.h>
#include <string.h>

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
    cr_assert_eq(entry_indent(&ctx, "x = 1"), 0);
    cr_assert_eq(entry_indent(&ctx, "if x:"), 4);
    cr_assert_eq(entry_indent(&ctx, "if x:\n    for y in z:  "), 8);
    cr_assert_eq(entry_indent(&ctx, "def f():\n    return 1"), 0);
    cr_assert_eq(entry_indent(&ctx, "def f():\n    returned = 1"), 4);
}

Test(entry, the_next_line_goes_by_tokens)
{
    cr_assert_eq(entry_indent(&ctx, "if x: # why:"), 4);
    cr_assert_eq(entry_indent(&ctx, "x = 1 # why:"), 0);
    cr_assert_eq(entry_indent(&ctx, "x = 'a:'"), 0);
    cr_assert_eq(entry_indent(&ctx, "f("), 4);
    cr_assert_eq(entry_indent(&ctx, "f(\n    a,"), 4);
    cr_assert_eq(entry_indent(&ctx, "def f():\n    \"\"\"Text:"), 4);
}

Test(entry, keywords_that_step_back)
{
    const char *text = "if x:\n    for y in z:\n        y\n        else";
    cr_assert_eq(entry_dedent(text, strlen(text)), 4);
    text = "if x:\n    if y:\n        y\n    else";
    cr_assert_eq(entry_dedent(text, strlen(text)), 4);
    text = "if x:\n    for y in z:\n        y\n        elif q";
    cr_assert_eq(entry_dedent(text, strlen(text)), 0);
    text = "if x:\n    y\n    elsewhere";
    cr_assert_eq(entry_dedent(text, strlen(text)), 4);
}
