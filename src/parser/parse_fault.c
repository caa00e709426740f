// Raising syntax errors, and trying productions.
//
// Every message of the parser passes here, so that inside an f-string it is
// marked as such.
#include <stdio.h>

#include "parser/parse.h"

// Bytes with the NUL; what is longer is cut.
enum { MESSAGE_SIZE = 256 };

// False always, as ctx_fail_at gives it.
static bool fail(Parser *p, ErrorKind kind, Span span, const char *format,
                 va_list args)
{
    char message[MESSAGE_SIZE];
    vsnprintf(message, sizeof message, format, args);
    (void)ctx_fail_at(p->ctx, kind, p->source, span, "%s%s",
                      p->fstring_depth > 0 ? "f-string: " : "", message);
    p->ctx->error.read = parse_token_span(p, p->furthest).end;
    return false;
}

// For faults whose place is known, in most cases from the nodes or tokens that
// are being complained of.
bool parse_fail_span(Parser *p, ErrorKind kind, Span span, const char *format,
                     ...)
{
    va_list args;
    va_start(args, format);
    bool failed = fail(p, kind, span, format, args);
    va_end(args);
    return failed;
}

// A fault without a place: it is told at the last token that was read, whatever
// the fault is.
bool parse_fail_furthest(Parser *p, ErrorKind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool failed = fail(p, kind, parse_token_span(p, p->furthest), format, args);
    va_end(args);
    return failed;
}

// Without the mark of an f-string.
void parse_fail_lexer(Parser *p)
{
    const LexError *error = &p->list->error;
    ctx_fail_at(p->ctx, error->kind, p->source, error->span, "%s",
                error->message);
    p->ctx->error.form = error->form;
    p->ctx->error.read = parse_token_span(p, p->list->count - 1).end;
}

// A bracket that is open where the lexer stopped hides what comes after it,
// but only if the parser has left its line behind.
void parse_fail_rest(Parser *p)
{
    const LexError *error = &p->list->error;
    if (error->kind == ERR_NONE || p->tokens[p->furthest].kind == TOK_ERROR) {
        return;
    }
    if (!error->quiet) {
        parse_fail_lexer(p);
        return;
    }
    uint32_t here = p->tokens[p->furthest].span.start;
    if (error->open != '\0' &&
        source_place(p->source, here).line >
            source_place(p->source, error->bracket).line) {
        ctx_fail_at(p->ctx, ERR_SYNTAX, p->source,
                    (Span){error->bracket, error->bracket + 1},
                    "'%c' was never closed", error->open);
        p->ctx->error.form = PLACE_OPEN;
        p->ctx->error.read = parse_token_span(p, p->list->count - 1).end;
    }
}

// An error that is pending all the same (memory,
// depth) is left to the caller, who looks at the context. `furthest` is not
// put back.
Node *parse_try(Parser *p, ParseFunction *function)
{
    uint32_t position = p->position;
    size_t mark = p->scratch.count;
    Node *node = function(p);
    if (node == NULL) {
        p->position = position;
        p->scratch.count = mark;
    }
    return node;
}
