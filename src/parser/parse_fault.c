// Raising syntax errors, and trying productions.
//
// Every message of the parser passes here, so that inside an f-string it is
// marked as such, as CPython does.
#include <stdio.h>

#include "parser/parse.h"

enum { MESSAGE_SIZE = 256 };

static bool fail(Parser *p, ErrorKind kind, Span span, const char *format,
                 va_list args)
{
    char message[MESSAGE_SIZE];
    vsnprintf(message, sizeof message, format, args);
    return ctx_fail_at(p->ctx, kind, p->source, span, "%s%s",
                       p->fstring_depth > 0 ? "f-string: " : "", message);
}

bool parse_fail_span(Parser *p, ErrorKind kind, Span span, const char *format,
                     ...)
{
    va_list args;
    va_start(args, format);
    bool failed = fail(p, kind, span, format, args);
    va_end(args);
    return failed;
}

bool parse_fail_furthest(Parser *p, ErrorKind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool failed = fail(p, kind, parse_token_span(p, p->furthest), format,
                       args);
    va_end(args);
    return failed;
}

Node *parse_try(Parser *p, ParseFunction *function)
{
    uint32_t position = p->position;
    size_t mark = p->scratch.count;
    bool explaining = p->explaining;
    p->explaining = false;
    Node *node = function(p);
    p->explaining = explaining;
    if (node == NULL) {
        p->position = position;
        p->scratch.count = mark;
    }
    return node;
}
