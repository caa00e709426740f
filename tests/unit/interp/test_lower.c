// Lowering: jumps become flags, with names for people, and only where needed.
#include <criterion/criterion.h>
#include <string.h>

#include "interp/machine/compile/lower.h"
#include "parser/parser.h"

static Ctx ctx;
static Arena arena;

static void setup(void)
{
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    arena_init(&arena, &ctx);
}

static void teardown(void)
{
    arena_destroy(&arena);
    ctx_clear(&ctx);
    ctx_destroy(&ctx);
}

TestSuite(lower, .init = setup, .fini = teardown);

// Lowers the first statement of `text`, a function, and compares its body.
static void check(const char *text, const char *expected)
{
    Node *tree = NULL;
    Lowered lowered;
    StrBuf out;
    Source *source = source_new(&ctx, "test", text, strlen(text));
    cr_assert_not_null(source);
    cr_assert_eq(parse(&ctx, source, PARSE_MODULE, &arena, &tree), PARSE_OK);
    Node *function = tree->module.body.items[0];
    cr_assert(lower_function(&ctx, &arena, source, function, true, &lowered));
    strbuf_init(&out, &ctx);
    for (uint32_t i = 0; i < lowered.body.count; i++) {
        ast_unparse(&out, lowered.body.items[i], 0);
        strbuf_puts(&out, "\n");
    }
    // Blank lines between statements are the printer's affair.
    char *to = out.text;
    for (const char *from = out.text; from != NULL && *from != '\0'; from++) {
        if (*from != '\n' || (to > out.text && to[-1] != '\n')) {
            *to++ = *from;
        }
    }
    *to = '\0';
    cr_expect_str_eq(out.text, expected, "%s", out.text);
    strbuf_free(&out);
    lowered_free(&lowered);
    source_release(&ctx, source);
}

Test(lower, a_last_return_stays)
{
    check("def f(x):\n    y = x\n    return y\n", "y = x\nreturn y\n");
}

Test(lower, what_follows_a_return_becomes_the_other_side)
{
    check("def f(x):\n"
          "    if x:\n"
          "        return 1\n"
          "    y = 2\n"
          "    return y\n",
          "if x:\n"
          "    retval_ = 1\n"
          "    pass\n"
          "else:\n"
          "    y = 2\n"
          "    retval_ = y\n"
          "    pass\n"
          "return retval_\n");
}

Test(lower, falling_off_the_end_returns_none)
{
    check("def f(x):\n"
          "    if x:\n"
          "        return 1\n",
          "if x:\n"
          "    retval_ = 1\n"
          "    pass\n"
          "else:\n"
          "    retval_ = None\n"
          "    pass\n"
          "return retval_\n");
}

Test(lower, break_and_continue_are_flags)
{
    check("def f(x):\n"
          "    while x:\n"
          "        if x > 1:\n"
          "            continue\n"
          "        if x > 2:\n"
          "            break\n"
          "        x = 0\n",
          "break_ = False\n"
          "while not break_ and x:\n"
          "    pass\n"
          "    if x > 1:\n"
          "        pass\n"
          "    elif x > 2:\n"
          "        break_ = True\n"
          "    else:\n"
          "        x = 0\n");
}

Test(lower, a_name_that_the_function_has_is_not_taken)
{
    check("def f(retval_):\n"
          "    if retval_:\n"
          "        return 1\n"
          "    return 2\n",
          "if retval_:\n"
          "    retval_100 = 1\n"
          "    pass\n"
          "else:\n"
          "    retval_100 = 2\n"
          "    pass\n"
          "return retval_100\n");
}
