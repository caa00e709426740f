// What the rules for faults raise, and where it points.
//
// Three ways to point are kept apart: at a part of the tree, at the token that
// was read last, and from a part to where the reading stands.
#include <stdio.h>
#include <string.h>

#include "parser/peg.h"

enum { MESSAGE_SIZE = 200 };

// Stores in a chain, the targets of a loop, and `del`.
typedef enum Use { USE_STORE, USE_LOOP, USE_DELETE } Use;

// The part called 'a' or 'b', NULL: none. Actions of the grammar name the parts
// that they speak of.
static const Piece *part_named(const Alternative *alternative,
                               Piece *const *parts, char name)
{
    for (uint32_t i = 0; i < alternative->count; i++) {
        if (alternative->items[i].name == name) {
            return parts[i];
        }
    }
    return NULL;
}

// From the first token of one part to the last token of the other; both have
// tokens.
static Span span_of(const Peg *g, const Piece *first, const Piece *last)
{
    return (Span){parse_token_span(g->p, first->first).start,
                  parse_token_span(g->p, last->last - 1).end};
}

// A template up to its '}' (one in quotes is text) with %s, %t and %l filled in
// from the part. What is too long is cut, so that a message never grows with
// the program: names after 40 bytes, the whole before MESSAGE_SIZE.
static void fill(const Peg *g, const char *template, const Piece *part,
                 char out[MESSAGE_SIZE])
{
    Parser *p = g->p;
    size_t used = 0;
    for (;
         (*template != '}' || template[1] == '\'') && used < MESSAGE_SIZE - 60;
         template ++) {
        if (*template != '%' || part == NULL) {
            out[used++] = *template;
            continue;
        }
        Span span = parse_token_span(p, part->first);
        size_t room = MESSAGE_SIZE - used;
        int length = (int)(span.end - span.start);
        length = length < 40 ? length : 40;
        switch (*++template) {
        // What the part is, as in "cannot assign to literal".
        case 's':
            used += (size_t)snprintf(out + used, room, "%s",
                                     peg_piece_names[part->kind]);
            break;
        // Its first token as it stands in the text.
        case 't':
            used += (size_t)snprintf(out + used, room, "%.*s", length,
                                     p->source->text + span.start);
            break;
        // %l: its line.
        default:
            used += (size_t)snprintf(out + used, room, "%u",
                                     source_place(p->source, span.start).line);
        }
    }
    out[used] = '\0';
}

// Pending from here on; the caller gives NULL to whoever asked.
static void fail_range(const Peg *g, const Piece *first, const Piece *last,
                       const char *message)
{
    (void)parse_fail_span(g->p, ERR_SYNTAX, span_of(g, first, last), "%s",
                          message);
}

// Tokens of the layout have no columns of their own: the place is that up to
// which the line was read.
void peg_fail_token(Peg *g, uint32_t token, ErrorKind kind, const char *format,
                    const char *what)
{
    char message[MESSAGE_SIZE];
    snprintf(message, sizeof message, format, what);
    Span span = parse_token_span(g->p, token);
    PlaceForm form = PLACE_RANGE;
    switch (g->p->tokens[token].kind) {
    case TOK_INDENT:
        span.start = span.end;
        form = PLACE_LAYOUT;
        break;
    case TOK_DEDENT:
    case TOK_END: form = PLACE_LAYOUT; break;
    default: break;
    }
    (void)parse_fail_span(g->p, kind, span, "%s", message);
    g->p->ctx->error.form = (uint8_t)form;
}

// At the token that was looked at last, which may be behind the one that does
// not fit.
void peg_fail_last(Peg *g, ErrorKind kind, const char *message)
{
    peg_fail_token(g, g->p->furthest, kind, "%s", message);
}

// Up to the end of what was read, whatever that is.
static void fail_from(Peg *g, const Piece *first, const char *message)
{
    Span span = parse_token_span(g->p, first->first);
    // One short: this end is not counted from 1.
    span.end = parse_token_span(g->p, g->p->furthest).end - 1;
    (void)parse_fail_span(g->p, ERR_SYNTAX, span, "%s", message);
}

// `print` and `exec` were statements once. Then the fault is a missing pair of
// parentheses.
static bool is_legacy(const Peg *g, const Piece *piece)
{
    return piece->last == piece->first + 1 &&
           g->p->tokens[piece->first].kind == TOK_NAME &&
           (parse_text_is(g->p, piece->first, "print") ||
            parse_text_is(g->p, piece->first, "exec"));
}

static const Piece *bad_target(const Peg *g, const Piece *piece, Use use);

// Of all the parts of a display. The first that cannot be stored to; brackets
// and commas are tokens and pass.
static const Piece *bad_part(const Peg *g, const Piece *piece, Use use)
{
    for (uint32_t i = 0; i < piece->count; i++) {
        const Piece *part = piece->parts[i];
        const Piece *bad = part->kind == PIECE_TOKEN ? NULL
                           : part->kind == PIECE_PLAIN
                               ? bad_part(g, part, use)
                               : bad_target(g, part, use);
        if (bad != NULL) {
            return bad;
        }
    }
    return NULL;
}

// The innermost part that cannot be stored to or deleted, NULL: none. `for a
// in b` is read as a comparison first, hence its left side counts alone.
static const Piece *bad_target(const Peg *g, const Piece *piece, Use use)
{
    switch (piece->kind) {
    case PIECE_NAME:
    case PIECE_ATTRIBUTE:
    case PIECE_SUBSCRIPT: return NULL;
    case PIECE_LIST:
    case PIECE_TUPLE: return bad_part(g, piece, use);
    // A star may stand in a target, but cannot be deleted.
    case PIECE_STARRED:
        return use == USE_DELETE ? piece : bad_target(g, piece->parts[1], use);
    case PIECE_COMPARISON:
        if (use != USE_LOOP) {
            return piece;
        }
        return g->p->tokens[piece->parts[1]->first].kind == TOK_IN
                   ? bad_target(g, piece->parts[0], use)
                   : NULL;
    default: return piece;
    }
}

// Nothing is raised where every part can be stored to: then another rule tells
// what is wrong.
static void fail_target(const Peg *g, const Piece *piece, Use use)
{
    const Piece *bad = bad_target(g, piece, use);
    if (bad != NULL) {
        char message[MESSAGE_SIZE];
        snprintf(message, sizeof message, "cannot %s %s",
                 use == USE_DELETE ? "delete" : "assign to",
                 peg_piece_names[bad->kind]);
        fail_range(g, bad, bad, message);
    }
}

// The iterable of the last clause, or its last condition. By the places that
// the rule for_if_clause gives its parts.
static const Piece *last_of_clauses(const Piece *clauses)
{
    const Piece *clause = clauses->parts[clauses->count - 1];
    const Piece *conditions = clause->parts[6];
    return conditions->count == 0
               ? clause->parts[5]
               : conditions->parts[conditions->count - 1]->parts[1];
}

typedef struct Seen {
    uint32_t positional; // with `*a`
    const Piece *last;   // of these
    bool mapping;
} Seen;

// Keywords are not counted: they do not stand in the way of a generator
// expression.
static void see_arguments(const Piece *piece, Seen *seen)
{
    switch (piece->kind) {
    case PIECE_TOKEN:
    case PIECE_KEYWORD: return;
    case PIECE_MAPPING: seen->mapping = true; return;
    case PIECE_PLAIN:
        for (uint32_t i = 0; i < piece->count; i++) {
            see_arguments(piece->parts[i], seen);
        }
        return;
    default: seen->positional++; seen->last = piece;
    }
}

// `f(1, x for x in y)` With one argument the generator needs no parentheses,
// and nothing is raised.
static void fail_call(const Peg *g, const Piece *args, const Piece *clauses,
                      const char *message)
{
    Seen seen = {0};
    see_arguments(args, &seen);
    if (seen.positional > 1) {
        fail_range(g, seen.last, last_of_clauses(clauses), message);
    }
}

// The words differ where a `**mapping` stands among the arguments.
static void fail_order(Peg *g, const Piece *args, const char *message)
{
    Seen seen = {0};
    see_arguments(args, &seen);
    char text[MESSAGE_SIZE + 16];
    snprintf(text, sizeof text, "%s%s", message,
             seen.mapping ? " unpacking" : "");
    peg_fail_last(g, ERR_SYNTAX, text);
}

// At the last character of the key; there is no end. The place of a key over
// several lines is made of both its ends
// (interp/objects/errors/syntax_place.c).
static void fail_key(const Peg *g, const Piece *key, const char *message)
{
    Span span = span_of(g, key, key);
    if (memchr(g->p->source->text + span.start, '\n', span.end - span.start) ==
        NULL) {
        span.start = span.end - 1;
    }
    (void)parse_fail_span(g->p, ERR_SYNTAX, span, "%s", message);
    g->p->ctx->error.form = PLACE_OPEN;
}

// Two expressions side by side in brackets. Outside of them a line cannot miss
// a comma without being two statements. Nothing is raised for `print x`, which
// has a message of its own.
static void fail_comma(const Peg *g, const Piece *a, const Piece *b,
                       const char *message)
{
    const Parser *p = g->p;
    if (!is_legacy(g, a) && p->tokens[p->position - 1].level != 0) {
        fail_range(g, a, b, message);
    }
}

// What an action's first word asks for: how it points. Nothing at all may be
// raised: some words are conditions.
void peg_act(Peg *g, const Alternative *alternative, Piece *const *parts)
{
    const Piece *a = part_named(alternative, parts, 'a');
    const Piece *b = part_named(alternative, parts, 'b');
    const char *where = alternative->where;
    char text[MESSAGE_SIZE];
    // Made before it is known whether it is raised: that costs little.
    fill(g, alternative->message, a, text);
#define WHERE(word) (strncmp(where, word ":", sizeof word) == 0)
    if (WHERE("a")) {
        fail_range(g, a, a, text);
    } else if (WHERE("ab")) {
        fail_range(g, a, b, text);
    } else if (WHERE("last")) {
        peg_fail_last(g, ERR_SYNTAX, text);
    } else if (WHERE("indent")) {
        peg_fail_last(g, ERR_INDENTATION, text);
    } else if (WHERE("from")) {
        fail_from(g, a, text);
    } else if (WHERE("key")) {
        fail_key(g, a, text);
    } else if (WHERE("comma")) {
        fail_comma(g, a, b, text);
    } else if (WHERE("legacy") && is_legacy(g, a)) {
        fail_range(g, a, b, text);
    } else if (WHERE("store") || WHERE("loop") || WHERE("delete")) {
        fail_target(g, a,
                    *where == 's'   ? USE_STORE
                    : *where == 'l' ? USE_LOOP
                                    : USE_DELETE);
    } else if (WHERE("clause")) {
        fail_range(g, a, last_of_clauses(b), text);
    } else if (WHERE("target")) {
        fail_range(g, a, b->parts[b->count - 1]->parts[2], text);
    } else if (WHERE("list")) {
        // From the first item to the last one in the brackets.
        const Piece *items = b->parts[0];
        fail_range(g, a, items->parts[items->count - 1], text);
    } else if (WHERE("call")) {
        fail_call(g, a, b, text);
    } else if (WHERE("order")) {
        fail_order(g, a, text);
    }
#undef WHERE
}
