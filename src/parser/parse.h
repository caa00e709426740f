// What the files of the parser share. Private to src/parser.
//
// The parse functions take valid programs only, and fail without a word;
// `furthest` is then the token they could not use. What was meant is found by
// another reader, from the beginning of the outermost statement (peg.h).
//
// A parse function returns NULL (or false) when its production is not there:
// with an error pending in the context, or without one for a plain mismatch.
// It need not step back: whoever tries something (parse_try_*) keeps the mark.
#ifndef DUET_PARSER_PARSE_H
#define DUET_PARSER_PARSE_H

#include "base/vec.h"
#include "lexer/lexer.h"
#include "parser/parser.h"

typedef struct Parser {
    Ctx *ctx;
    Source *source;
    Arena *arena;
    const TokenList *list;
    const Token *tokens; // the list's items
    uint32_t position;   // the token at hand
    uint32_t furthest;   // the last one that was looked at
    int fstring_depth;   // f-strings around the text at hand
    uint32_t statement;  // the token at which the outermost one begins
    VEC(Node *) scratch; // items of the lists under construction
} Parser;

// How tightly operators bind: a row of the Pratt table has one of these.
typedef enum Power {
    POWER_NONE,
    POWER_OR,
    POWER_AND,
    POWER_NOT,
    POWER_COMPARE,
    POWER_BIT_OR,
    POWER_BIT_XOR,
    POWER_BIT_AND,
    POWER_SHIFT,
    POWER_SUM,
    POWER_TERM,
    POWER_UNARY,
    POWER_POWER
} Power;

// Tokens (parser.c).
static inline TokenKind parse_kind(Parser *p)
{
    if (p->position > p->furthest) {
        p->furthest = p->position;
    }
    return p->tokens[p->position].kind;
}
static inline bool parse_at(Parser *p, TokenKind kind)
{
    return parse_kind(p) == kind;
}
// The token `ahead` of the one at hand; END repeats.
TokenKind parse_ahead(Parser *p, uint32_t ahead);
bool parse_accept(Parser *p, TokenKind kind); // takes it if it is there
// Takes it, or fails.
MUST_CHECK bool parse_expect(Parser *p, TokenKind kind);
// Whether the token is a name of just this text: soft keywords.
bool parse_text_is(Parser *p, uint32_t token, const char *text);

// Nodes (parser.c). A node starts where its first token starts.
static inline uint32_t parse_start(Parser *p)
{
    parse_kind(p);
    return p->tokens[p->position].span.start;
}
uint32_t parse_end(const Parser *p); // of the last token that has a text
// Its span ends with the last token that was taken. NULL: memory.
MUST_CHECK Node *parse_node(Parser *p, AstKind kind, uint32_t start);
// Names are put into NFKC.
MUST_CHECK bool parse_take_name(Parser *p, Text *name);
MUST_CHECK Node *parse_name(Parser *p); // NAME, for loading

// Lists: mark = parse_list_begin(p); parse_list_add(…)…; parse_list_end(…).
static inline size_t parse_list_begin(const Parser *p)
{
    return p->scratch.count;
}
MUST_CHECK bool parse_list_add(Parser *p, Node *item); // NULL item: fails
MUST_CHECK bool parse_list_end(Parser *p, size_t mark, NodeList *list);
// The list as a TUPLE that began at `start`. NULL: failed.
Node *parse_list_tuple(Parser *p, size_t mark, uint32_t start);

// Raising (parse_fault.c). All return false, for the return statement.
bool parse_fail_span(Parser *p, ErrorKind kind, Span span, const char *format,
                     ...) PRINTF_LIKE(4, 5);
// At the furthest token that was looked at.
bool parse_fail_furthest(Parser *p, ErrorKind kind, const char *format, ...)
    PRINTF_LIKE(3, 4);
// What the lexer stopped for.
void parse_fail_lexer(Parser *p);
// Behind an error of the parser's: a fault that the lexer found further on
// takes its place.
void parse_fail_rest(Parser *p);
static inline Span parse_token_span(const Parser *p, uint32_t token)
{
    return p->tokens[token].span;
}
// Tries a production: true and *node set if it was there;
// the position is put back if not. False with an error pending is fatal.
typedef Node *ParseFunction(Parser *p);
// NULL puts position and open lists back.
Node *parse_try(Parser *p, ParseFunction *function);

// Expressions (parse_expr.c).
MUST_CHECK Node *parse_expression(Parser *p);
// The productions by name; NULL: the text does not fit, or an error is pending.
MUST_CHECK Node *parse_named_expression(Parser *p);
MUST_CHECK Node *parse_disjunction(Parser *p);
// Binary operators of at least this rank: the Pratt loop.
MUST_CHECK Node *parse_operand(Parser *p, Power least);
MUST_CHECK Node *parse_yield(Parser *p);
MUST_CHECK Node *parse_star_expressions(Parser *p); // maybe a tuple
MUST_CHECK Node *parse_star_expression(Parser *p);
MUST_CHECK Node *parse_star_named_expression(Parser *p);
MUST_CHECK Node *parse_yield_or_star_expressions(Parser *p);

// Atoms and what follows them (parse_atom.c, parse_call.c).
MUST_CHECK Node *parse_primary(Parser *p);
MUST_CHECK Node *parse_atom(Parser *p);
// for … in … [if …], one or more.
MUST_CHECK bool parse_generators(Parser *p, NodeList *generators);
// Up to the closing parenthesis.
MUST_CHECK bool parse_arguments(Parser *p, NodeList *positional,
                                NodeList *keywords);
MUST_CHECK Node *parse_strings(Parser *p); // parse_string.c
// The parts of an f-string's body (fstring.c): text goes to `literal`, and in
// front of each expression parse_flush_literal puts what was gathered onto the
// open list. `whole` is the span that all parts get.
MUST_CHECK bool parse_fstring(Parser *p, StrBuf *literal, Span body, bool raw,
                              Span whole);
MUST_CHECK bool parse_flush_literal(Parser *p, StrBuf *literal, Span whole);
// The escapes of a literal's text, appended to `out`.
MUST_CHECK bool parse_decode(Parser *p, StrBuf *out, Span part, bool raw,
                             bool bytes);
// Runs both passes of a production over other tokens, those of the expression
// `part`; the tokens, the position and the pass at hand are put back.
MUST_CHECK Node *parse_nested(Parser *p, const TokenList *tokens, Span part);

// Targets (parse_target.c): turns expressions into what is stored to.
typedef enum TargetUse {
    TARGET_ASSIGN, // a, *b = …
    TARGET_FOR,    // for … in
    TARGET_DELETE
} TargetUse;
// False without an error if it is no target.
MUST_CHECK bool parse_set_target(Node *node, TargetUse use);
// star_targets in front of `in`, read as bitwise-or operands.
MUST_CHECK Node *parse_for_targets(Parser *p);

// Statements (parse_stmt.c, parse_block.c, parse_def.c).
MUST_CHECK bool parse_statement(Parser *p); // puts its nodes on the open list
MUST_CHECK bool parse_simple_line(Parser *p);
// *found false: no compound statement begins here, and nothing was taken.
MUST_CHECK bool parse_compound(Parser *p, bool *found);
MUST_CHECK Node *parse_import(Parser *p); // parse_import.c
MUST_CHECK Node *parse_import_from(Parser *p);
// An indented block, or simple statements on the same line.
MUST_CHECK bool parse_block(Parser *p, NodeList *body);
MUST_CHECK Node *parse_function(Parser *p, NodeList decorators, uint32_t start);
MUST_CHECK Node *parse_class(Parser *p, NodeList decorators, uint32_t start);
MUST_CHECK Node *parse_decorated(Parser *p);
// `close` ends them; lambdas have no annotations.
MUST_CHECK Node *parse_parameters(Parser *p, TokenKind close, bool annotated);
// The first statement's text; NULL in it: there is none.
Text parse_docstring(const NodeList *body);

#endif
