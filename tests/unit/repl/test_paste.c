// Pasted texts: prompts, indentation, line ends.
#include <criterion/criterion.h>
#include <string.h>

#include "repl/paste.h"

static Ctx ctx;

static void start(void)
{
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
}

static void stop(void)
{
    ctx_destroy(&ctx);
}

TestSuite(paste, .init = start, .fini = stop);

// The entry after `text` was pasted behind `before`.
static void check(const char *before, const char *text, const char *expected)
{
    Paste paste = {.text = text,
                   .length = strlen(text),
                   .before = before,
                   .before_length = strlen(before),
                   .after = ""};
    StrBuf out;
    StrBuf entry;
    strbuf_init(&out, &ctx);
    strbuf_init(&entry, &ctx);
    paste_clean(&ctx, &out, &paste);
    strbuf_add(&entry, before, strlen(before) - paste.dropped);
    strbuf_puts(&entry, strbuf_text(&out));
    cr_expect_str_eq(strbuf_text(&entry), expected, "%s", strbuf_text(&entry));
    strbuf_free(&out);
    strbuf_free(&entry);
}

Test(paste, line_ends_of_all_kinds)
{
    check("", "a = 1\r\nb = 2\rc = 3\n", "a = 1\nb = 2\nc = 3");
}

Test(paste, an_open_block_keeps_one_line_end)
{
    check("", "def f():\n    return 1\n\n\n", "def f():\n    return 1\n");
    check("", "def f():\n    return 1", "def f():\n    return 1");
}

Test(paste, blank_lines_stay)
{
    check("", "def f():\n    a\n\n    b\nf()", "def f():\n    a\n\n    b\nf()");
}

Test(paste, prompts_and_output_go)
{
    check("", ">>> def f():\n...     a\n...\n>>> f()\n42\n>>> 'x'\n'x'\n",
          "def f():\n    a\n\nf()\n'x'");
    check("", "    >>> if x:\n    ...     y\n    ... \n", "if x:\n    y\n");
    check("", "In [1]: x = 1\n\nIn [2]: if x:\n   ...:     y\n",
          "x = 1\nif x:\n    y\n");
    check("", "> if x:\n.     y\n. \n", "if x:\n    y\n");
}

Test(paste, prompts_inside_strings_stay)
{
    check("", "x = \"\"\"\n>>> a\n... b\n\"\"\"",
          "x = \"\"\"\n>>> a\n... b\n\"\"\"");
    check("x = \"\"\"", ">>> a\n1", "x = \"\"\">>> a\n1");
}

Test(paste, indentation_is_not_doubled)
{
    check("def f():\n    ", "    a\n    if a:\n        b",
          "def f():\n    a\n    if a:\n        b");
    check("def f():\n    ", "a\n    if a:\n        b",
          "def f():\n    a\n    if a:\n        b");
    check("def f():\n    ", "a\nif a:\n    b",
          "def f():\n    a\n    if a:\n        b");
    check("", "    a = 1\n    b = 2", "a = 1\nb = 2");
    check("x = ", "[1,\n     2]", "x = [1,\n     2]");
}

Test(paste, tabs)
{
    check("", "if x:\n\ty\n\tif z:\n\t\tw",
          "if x:\n    y\n    if z:\n        w");
    check("", "if x:\n    if z:\n\ty", "if x:\n    if z:\n        y");
    check("", "x = '\ta'", "x = '\ta'");
}

Test(paste, strings_over_lines_keep_their_indentation)
{
    check("", "  x = '''\n  a\n  '''\n  y", "x = '''\n  a\n  '''\ny");
}

Test(paste, control_characters_go)
{
    check("", "a\033[31m = 1\a", "a[31m = 1");
}
