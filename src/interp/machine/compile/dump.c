// What DUET_DUMP shows of the front end and the compiler.
#include "interp/machine/compile/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/machine/compile/compile_tree.h"
#include "lexer/lexer.h"

static bool asked(const char *what)
{
    const char *wanted = getenv("DUET_DUMP");
    return wanted != NULL && strcmp(wanted, what) == 0;
}

// Code that was compiled before the program ran has nothing to show.
bool dump_any(void)
{
    return getenv("DUET_DUMP") != NULL;
}

// Takes the buffer: writes and frees it. An error met on the way is dropped,
// since the run itself will meet the same one.
static void show(Ctx *ctx, StrBuf *text)
{
    if (strbuf_ok(text)) {
        // What the program printed comes before the dump.
        fflush(stdout);
        fputs(strbuf_text(text), stderr);
    }
    ctx_clear(ctx);
    strbuf_free(text);
}

// Lexes the text on its own: the parser's tokens are not at hand here.
void dump_tokens(Vm *vm, const Source *source)
{
    if (!asked("tokens")) {
        return;
    }
    TokenList tokens = {0};
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    if (lexer_run(&vm->ctx, source, &tokens)) {
        lexer_dump(&text, source, &tokens);
    }
    token_list_free(&vm->ctx, &tokens);
    show(&vm->ctx, &text);
}

void dump_tree(Vm *vm, const Node *tree)
{
    if (!asked("ast")) {
        return;
    }
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    ast_dump(&text, tree);
    show(&vm->ctx, &text);
}

// The buffer is marked failed so that half a listing is not shown.
void dump_code(Vm *vm, const Code *code)
{
    if (!asked("code")) {
        return;
    }
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    if (!code_dump(vm, code, &text)) {
        strbuf_fail(&text);
    }
    show(&vm->ctx, &text);
}
