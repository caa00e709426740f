// lexer: tokens with their spans, layout, and where it stops.
#include <criterion/criterion.h>
#include <string.h>

#include "lexer/lexer.h"

static Ctx ctx;

// The kinds of a text's tokens, with blanks between them.
static void check_tokens(const char *text, const char *expected)
{
    TokenList tokens = {0};
    StrBuf out;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    Source *source = source_new(&ctx, "test", text, strlen(text));
    strbuf_init(&out, &ctx);
    cr_assert(lexer_run(&ctx, source, &tokens));
    for (size_t i = 0; i < tokens.count; i++) {
        Span span = tokens.items[i].span;
        cr_assert(span.start <= span.end && span.end <= source->length);
        strbuf_printf(&out, "%s%s", i > 0 ? " " : "",
                      token_text(tokens.items[i].kind));
    }
    cr_expect_str_eq(strbuf_text(&out), expected, "%s: %s", text,
                     strbuf_text(&out));
    strbuf_free(&out);
    token_list_free(&ctx, &tokens);
    source_release(&ctx, source);
    ctx_destroy(&ctx);
}

Test(lexer, operators_are_as_long_as_can_be)
{
    check_tokens("a**=b//c->d", "name **= name // name -> name newline end of "
                                "file");
    check_tokens("a:=b<>c...", "name := name <> name ... newline end of file");
}

Test(lexer, keywords_and_names)
{
    check_tokens("if iff match None", "if name name None newline end of file");
    check_tokens("\303\251t\303\251", "name newline end of file");
}

Test(lexer, numbers_and_strings)
{
    check_tokens("1_0 0xFf 1.5e-3 .5 1. 00",
                 "number number number number number number newline end of "
                 "file");
    check_tokens("'a' b\"b\" rF'''c\n'''",
                 "string string string newline end of file");
    check_tokens("1if x", "number if name newline end of file");
}

Test(lexer, indentation_makes_blocks)
{
    check_tokens("if a:\n\n  b # c\n  # d\n    # e\n  f\ng",
                 "if name : newline indent name newline name newline dedent "
                 "name newline end of file");
    check_tokens("a\n  b", "name newline indent name newline dedent end of "
                           "file");
}

Test(lexer, brackets_and_backslashes_join_lines)
{
    check_tokens("(a\n  b)", "( name name ) newline end of file");
    check_tokens("a \\\n b", "name name newline end of file");
}

Test(lexer, stops_with_a_reason)
{
    check_tokens("a 'b", "name error");
    check_tokens("(a", "( name error");
    check_tokens("a)", "name error");
    check_tokens("0b2", "error");
}

Test(lexer, empty_texts_have_an_end)
{
    check_tokens("", "end of file");
    check_tokens("\n# a\n\n", "end of file");
}
