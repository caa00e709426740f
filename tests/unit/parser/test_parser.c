// parser: statuses, trees printed back, hostile texts.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "parser/parser.h"

static Ctx ctx;
static Arena arena;
static Source *source;
static Node *tree;

static void setup(void)
{
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    arena_init(&arena, &ctx);
}

static void teardown(void)
{
    arena_destroy(&arena);
    source_release(&ctx, source);
    ctx_clear(&ctx);
    ctx_destroy(&ctx);
}

TestSuite(parser, .init = setup, .fini = teardown);

static ParseStatus parse_text(const char *text, ParseMode mode)
{
    source_release(&ctx, source);
    source = source_new(&ctx, "test", text, strlen(text));
    cr_assert_not_null(source);
    return parse(&ctx, source, mode, &arena, &tree);
}

// Parses, prints, and compares.
static void check_print(const char *text, const char *expected)
{
    StrBuf out;
    strbuf_init(&out, &ctx);
    cr_assert_eq(parse_text(text, PARSE_MODULE), PARSE_OK, "%s", text);
    ast_unparse(&out, tree, 0);
    cr_expect_str_eq(strbuf_text(&out), expected);
    strbuf_free(&out);
}

// A walrus without parentheses is no value of an assignment.
Test(parser, walruses_are_printed_in_parentheses)
{
    check_print("x += (y := 1)\n", "x += (y := 1)\n");
    check_print("if y := 1: f(z := 2)\n", "if (y := 1):\n    f((z := 2))\n");
}

Test(parser, operators_bind_as_in_python)
{
    check_print("a+b*c**-d**e", "a + b * c ** -d ** e\n");
    check_print("(a+b)*c", "(a + b) * c\n");
    check_print("a-(b-c)-d", "a - (b - c) - d\n");
    check_print("not a==b and c or d", "not a == b and c or d\n");
    check_print("-a**b, (-a)**b", "(-a ** b, (-a) ** b)\n");
    check_print("a<b<=c is not d not in e", "a < b <= c is not d not in e\n");
    check_print("a if b else c if d else e", "a if b else c if d else e\n");
    check_print("x=lambda a,/,b=1,*c,d,**e:a", "x = lambda a, /, b=1, *c, d, "
                                               "**e: a\n");
}

Test(parser, strings_are_decoded_and_joined)
{
    check_print("'a' \"b\" 'c\\n\\x41\\101\\u00e9'", "'abc\\nAA\303\251'\n");
    check_print("b'\\xff' b'a'", "b'\\xffa'\n");
    check_print("r'\\n'", "'\\\\n'\n");
    check_print("f'{a}{{' 'b' f'{c!r:>{w}.2f}'", "f'{a}{{b{c!r:>{w}.2f}'\n");
    check_print("f'{a = }'", "f'a = {a!r}'\n");
}

Test(parser, statements_print_back)
{
    check_print("if a: b\nelif c: d\nelse: e",
                "if a:\n    b\nelif c:\n    d\nelse:\n    e\n");
    check_print("@d(1)\ndef f(a:int=1)->x: return a;pass",
                "@d(1)\ndef f(a: int=1) -> x:\n    return a\n    pass\n");
    check_print("with (open(a) as b, c,): pass",
                "with open(a) as b, c:\n    pass\n");
    check_print("try: a\nexcept (B, C) as d: e\nelse: f\nfinally: g",
                "try:\n    a\nexcept (B, C) as d:\n    e\nelse:\n    f\n"
                "finally:\n    g\n");
    check_print("a, *b = c = d[1:2, ::3]", "(a, *b) = c = d[1:2, ::3]\n");
    check_print("f(*a, k=1, *b, **c)", "f(*a, *b, k=1, **c)\n");
    check_print("match = case = _ = 1", "match = case = _ = 1\n");
}

static void check_status(const char *text, ParseStatus expected)
{
    cr_expect_eq(parse_text(text, PARSE_INTERACTIVE), expected, "%s", text);
    cr_expect_eq(ctx_failed(&ctx), expected == PARSE_ERROR, "%s", text);
    ctx_clear(&ctx);
}

Test(parser, asks_for_more_exactly_when_more_can_help)
{
    static const char *const incomplete[] = {
        "f(",
        "x = [1,\n",
        "x = '''a\n",
        "x = 1 + \\\n",
        "if x:\n",
        "if x:\n  y\n",
        "if x: y\n",
        "@a\n",
        "def f():\n",
        "try:\n  x\n\n",
        "if x:\n  y\nelse:\n",
        "class A:\n",
        "if x:\n\n",
        "for x in (1,\n",
        "'abc\\\n",
        "@a\n\n",
        "while 1:\n  if 2:\n",
    };
    static const char *const complete[] = {
        "",
        "\n",
        "x = 1",
        "if x:\n  y\n\n",
        "if x: y\n\n",
        "f(\n)",
        "x = '''\n'''",
        "if x:\n  y\n  \n",
        "# only this",
        "x; y",
        "def f():\n  return 1\n\n",
    };
    static const char *const wrong[] = {
        "x = = (", "f(1 2", "x = )",   "if x:\ny\n", "x = 'a\n",
        "  x",     "1 +",   "else:\n", "def f(:\n",  "x = $",
    };
    for (size_t i = 0; i < sizeof incomplete / sizeof *incomplete; i++) {
        check_status(incomplete[i], PARSE_INCOMPLETE);
    }
    for (size_t i = 0; i < sizeof complete / sizeof *complete; i++) {
        check_status(complete[i], PARSE_OK);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        check_status(wrong[i], PARSE_ERROR);
    }
}

Test(parser, refuses_by_name_what_duet_has_not)
{
    static const char *const texts[][2] = {
        {"async def f(): pass", "Duet has no 'async'"},
        {"await x", "Duet has no 'await'"},
        {"match x:\n case 1: pass", "Duet has no 'match'"},
        {"try: a\nexcept* B: c", "Duet has no 'except*'"},
        {"1j", "Duet has no complex numbers"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_expect_eq(parse_text(texts[i][0], PARSE_MODULE), PARSE_ERROR);
        cr_expect_str_eq(ctx.error.text, texts[i][1]);
        ctx_clear(&ctx);
    }
}

// `count` times `part`, then `tail`.
static ParseStatus parse_repeated(const char *part, size_t count,
                                  const char *tail)
{
    StrBuf text;
    strbuf_init(&text, &ctx);
    for (size_t i = 0; i < count; i++) {
        strbuf_puts(&text, part);
    }
    strbuf_puts(&text, tail);
    ParseStatus status = parse_text(strbuf_text(&text), PARSE_MODULE);
    strbuf_free(&text);
    return status;
}

Test(parser, long_chains_parse_and_print)
{
    StrBuf out;
    strbuf_init(&out, &ctx);
    cr_assert_eq(parse_repeated("1 + ", 500000, "1"), PARSE_OK);
    ast_unparse(&out, tree, 0);
    cr_assert_eq(out.length, 500000 * 4 + 2);
    cr_assert_eq(parse_repeated("a.b(1)[2].", 50000, "c"), PARSE_OK);
    ast_dump(&out, tree);
    cr_assert(strbuf_ok(&out));
    strbuf_free(&out);
    cr_assert_eq(parse_repeated("x = f(1)\n", 100000, ""), PARSE_OK);
}

Test(parser, deep_nesting_is_a_clean_error)
{
    cr_assert_eq(parse_repeated("(", 100000, ""), PARSE_ERROR);
    cr_assert_str_eq(ctx.error.text, "too many nested parentheses");
    ctx_clear(&ctx);
    cr_assert_eq(parse_repeated("-", 1000000, "1"), PARSE_ERROR);
    cr_assert_eq(ctx.error.kind, ERR_RECURSION);
}

// Tokens thrown together must never do more than fail.
Test(parser, token_soup_fails_cleanly)
{
    static const char *const parts[] = {
        "x ",      "1 ",      "'a' ",     "f'{x!r:>{y}}' ",
        "(",       ")",       "[",        "]",
        "{",       "}",       ":",        ",",
        "=",       "==",      ":=",       "*",
        "**",      "->",      "if ",      "else ",
        "for ",    "in ",     "lambda ",  "not ",
        "yield ",  "\n",      "\n  ",     "\n    ",
        "def f",   "class A", "try:",     "except ",
        "with ",   "as ",     "import ",  "from ",
        ".",       "@",       ";",        "\\\n",
        "#",       "f'{",     "'",        "\"\"\"",
        "\t",      "print ",  "match ",   "del ",
        "0x",      "1e",      "\303\251", "return ",
        "global ", "async ",
    };
    unsigned state = 12345;
    for (int round = 0; round < 4000; round++) {
        char text[400] = "";
        for (int i = 0; i < 20; i++) {
            state = state * 1103515245u + 12345u;
            size_t at = (state >> 16) % (sizeof parts / sizeof *parts);
            strncat(text, parts[at], sizeof text - strlen(text) - 1);
        }
        ParseStatus status = parse_text(text, (ParseMode)(round % 3));
        cr_assert_eq(ctx_failed(&ctx), status == PARSE_ERROR, "%s", text);
        ctx_clear(&ctx);
    }
}
