// Raising syntax errors, and trying productions.
//
// Every message of the parser passes here, so that inside an f-string it is
// marked as such, as CPython does.
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
    return ctx_fail_at(p->ctx, kind, p->source, span, "%s%s",
                       p->fstring_depth > 0 ? "f-string: " : "", message);
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

// CPython's RAISE_SYNTAX_ERROR without a place: it points at the last token
// that was read, whatever the fault is.
bool parse_fail_furthest(Parser *p, ErrorKind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool failed = fail(p, kind, parse_token_span(p, p->furthest), format,
                       args);
    va_end(args);
    return failed;
}

// Explaining is off during a trial: inside one, a mismatch is the answer "no"
// and must not be raised. An error that is pending all the same (memory,
// depth) is left to the caller, who looks at the context. `furthest` is not
// put back.
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
