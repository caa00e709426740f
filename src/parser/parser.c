// The entry of the parser: the answer OK, INCOMPLETE or ERROR, and what every
// production uses: tokens, nodes and lists.
//
// Invariant: when a production has failed, either an error is pending or the
// text does not go on as the grammar asks at the token `furthest`.
#include "parser/parser.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "parser/parse.h"
#include "parser/peg.h"

// Looking ahead counts as looking: the token may be the one that does not fit,
// and then it is where the message points.
TokenKind parse_ahead(Parser *p, uint32_t ahead)
{
    uint32_t at = p->position + ahead;
    uint32_t last = (uint32_t)p->list->count - 1;
    at = at < last ? at : last;
    if (at > p->furthest) {
        p->furthest = at;
    }
    return p->tokens[at].kind;
}

// Reading the kind through parse_kind moves `furthest`, also when the token is
// not taken.
bool parse_accept(Parser *p, TokenKind kind)
{
    if (parse_kind(p) != kind) {
        return false;
    }
    p->position++;
    return true;
}

// A mismatch raises nothing: another production may still fit, and what was
// meant is found later.
bool parse_expect(Parser *p, TokenKind kind)
{
    return parse_accept(p, kind);
}

// Soft keywords are NAME tokens; only their text tells them apart.
bool parse_text_is(Parser *p, uint32_t token, const char *text)
{
    Span span = p->tokens[token].span;
    size_t length = strlen(text);
    return span.end - span.start == length &&
           memcmp(p->source->text + span.start, text, length) == 0;
}

// Line ends and changes of indentation have spans behind the text of the
// statement, which would make a block end on the line of its successor.
uint32_t parse_end(const Parser *p)
{
    uint32_t at = p->position;
    while (at > 0) {
        at--;
        uint8_t kind = p->tokens[at].kind;
        if (kind != TOK_NEWLINE && kind != TOK_INDENT && kind != TOK_DEDENT) {
            break;
        }
    }
    return p->tokens[at].span.end;
}

// The arena clears the node: members that the caller leaves alone are NULL or
// 0. Called when the last token of the production was taken, since the span
// ends there; a caller that goes on reading sets span.end itself.
Node *parse_node(Parser *p, AstKind kind, uint32_t start)
{
    // One expression may be as long as a program, so each node polls.
    Node *node = ctx_poll(p->ctx) ? arena_new(p->arena, Node) : NULL;
    if (node == NULL) {
        return NULL;
    }
    node->kind = (uint8_t)kind;
    node->span = (Span){start, parse_end(p)};
    return node;
}

// Names that look alike are the same name: NFKC.
// utf8proc allocates by malloc, so its result is copied into the arena and
// freed.
static bool normalized_name(Parser *p, const char *text, size_t length,
                            Text *name)
{
    utf8proc_uint8_t *result = NULL;
    utf8proc_ssize_t size = utf8proc_map(
        (const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, &result,
        UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
    // The text is valid UTF-8, so only memory can have failed.
    if (size < 0) {
        return ctx_fail_memory(p->ctx);
    }
    name->length = (size_t)size;
    name->text = arena_strndup(p->arena, (const char *)result, name->length);
    free(result);
    return name->text != NULL;
}

// The text is copied into the arena: a Text ends in a NUL, the source's name
// does not.
bool parse_take_name(Parser *p, Text *name)
{
    if (!parse_at(p, TOK_NAME)) {
        return false;
    }
    Span span = p->tokens[p->position++].span;
    const char *text = p->source->text + span.start;
    size_t length = span.end - span.start;
    if (!utf8_is_ascii(text, length)) {
        return normalized_name(p, text, length, name);
    }
    name->length = length;
    name->text = arena_strndup(p->arena, text, length);
    return name->text != NULL;
}

// Whether it is stored to or deleted shows later; parse_set_target changes the
// context then.
Node *parse_name(Parser *p)
{
    Text id;
    uint32_t start = parse_start(p);
    if (!parse_take_name(p, &id)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_NAME, start);
    if (node != NULL) {
        node->name.id = id;
        node->name.context = CONTEXT_LOAD;
    }
    return node;
}

// Takes the result of a parse function as it comes, so that callers need one
// test for both ways to fail.
bool parse_list_add(Parser *p, Node *item)
{
    return item != NULL && vec_push(p->ctx, &p->scratch, item);
}

// All open lists share one vector, stacked on each other; the innermost one is
// copied out at its true size, and what remains is the list around it. Lists
// that a failed production left open are dropped by parse_try, or with the
// pass.
bool parse_list_end(Parser *p, size_t mark, NodeList *list)
{
    size_t count = p->scratch.count - mark;
    p->scratch.count = mark;
    // An empty list has no items at all, not an array of none.
    *list = (NodeList){NULL, (uint32_t)count};
    if (count == 0) {
        return true;
    }
    list->items = arena_new_array(p->arena, Node *, count);
    if (list->items == NULL) {
        return false;
    }
    memcpy(list->items, p->scratch.items + mark, count * sizeof(Node *));
    return true;
}

// The span ends with the last token that was taken, a comma included.
Node *parse_list_tuple(Parser *p, size_t mark, uint32_t start)
{
    Node *tuple = parse_node(p, AST_TUPLE, start);
    return tuple != NULL && parse_list_end(p, mark, &tuple->sequence.elements)
               ? tuple
               : NULL;
}

// module: statement* END
// An interrupt is looked for between statements; no single one is long enough
// to need more.
static Node *parse_module(Parser *p)
{
    size_t mark = parse_list_begin(p);
    while (!parse_at(p, TOK_END)) {
        p->statement = p->position;
        if (!ctx_poll(p->ctx) || !parse_statement(p)) {
            return NULL;
        }
    }
    Node *module = parse_node(p, AST_MODULE, 0);
    if (module == NULL || !parse_list_end(p, mark, &module->module.body)) {
        return NULL;
    }
    module->module.docstring = parse_docstring(&module->module.body);
    return module;
}

// eval: expression (',' expression)* [','] NEWLINE* END
// A tuple without parentheses is allowed, but none that begins with a star.
static Node *parse_eval(Parser *p)
{
    size_t mark = parse_list_begin(p);
    uint32_t start = parse_start(p);
    // eval("*a") is an error, though `*a,` is a statement.
    if (parse_at(p, TOK_STAR)) {
        return NULL;
    }
    Node *value = parse_star_expressions(p);
    if (value == NULL) {
        return NULL;
    }
    // The line end that every Source has.
    while (parse_accept(p, TOK_NEWLINE)) {
    }
    Node *statement =
        parse_at(p, TOK_END) ? parse_node(p, AST_EXPR_STMT, start) : NULL;
    if (!parse_list_add(p, statement)) {
        return NULL;
    }
    statement->expr_stmt.value = value;
    Node *module = parse_node(p, AST_MODULE, 0);
    if (module == NULL || !parse_list_end(p, mark, &module->module.body)) {
        return NULL;
    }
    return module;
}

// `furthest` is not set back: in the second pass it goes on from where the
// first one ended. What a failed pass left on the scratch vector does no harm,
// because every list begins at its own mark.
static Node *run_pass(Parser *p, ParseFunction *production)
{
    p->position = 0;
    return production(p);
}

// Did the text end before the grammar was satisfied? Behind the last
// statement there is nothing but DEDENTs and END.
// The blocks still open are closed by DEDENTs in front of END, which the fault
// may stand at.
static bool ended_early(const Parser *p)
{
    uint32_t at = p->furthest;
    if (p->tokens[at].kind == TOK_ERROR) {
        return p->list->error.incomplete;
    }
    while (p->tokens[at].kind == TOK_DEDENT) {
        at++;
    }
    return p->tokens[at].kind == TOK_END;
}

// A compound statement at the end of an entry may go on, unless a blank line
// closes it. Its kind is asked for and not the last token: `if a: b` on one
// line can still get an `else`.
// Looks at the text, since blank lines leave no tokens. The text ends in a
// line end, which belongs to the last line.
static bool block_may_go_on(const Parser *p, const Node *module)
{
    NodeList body = module->module.body;
    if (body.count == 0 || !ast_is_compound(body.items[body.count - 1])) {
        return false;
    }
    const char *text = p->source->text;
    size_t at = p->source->length - 1; // the last line end
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t' ||
                      text[at - 1] == '\f')) {
        at--;
    }
    return at == 0 || text[at - 1] != '\n';
}

// Out of memory, an interrupt or too deep a recursion must not be covered by
// what the lexer has to say.
static bool is_syntax_error(ErrorKind kind)
{
    return kind == ERR_SYNTAX || kind == ERR_INDENTATION || kind == ERR_TAB;
}

// After a first pass without success: finds out what to say.
// Exactly one error is pending when it returns. What the first pass raised (a
// fault in a string, or what Duet refuses) stands; the rest is found by a
// second look from the statement at `first` on.
static void explain(Parser *p, const char *rule, uint32_t first)
{
    if (!ctx_failed(p->ctx)) {
        peg_explain(p, rule, first);
    } else if (is_syntax_error(p->ctx->error.kind)) {
        parse_fail_rest(p);
    }
}

// '(' … ')' END: what the lexer makes of an f-string's braces.
static Node *parse_braces(Parser *p)
{
    Node *node = parse_star_expressions(p);
    return node != NULL && parse_at(p, TOK_END) ? node : NULL;
}

// A fault in an expression shows that alone, in parentheses: it is parsed as a
// text of its own.
static void mark_part(Parser *p, Span part)
{
    Error *error = &p->ctx->error;
    if (is_syntax_error(error->kind) && error->part.end == 0) {
        error->part = part;
    }
}

// An error inside is explained at once, as the outer second pass will not come
// back here with these tokens: they are the caller's and are freed after the
// call.
Node *parse_nested(Parser *p, const TokenList *tokens, Span part)
{
    const TokenList *list = p->list;
    uint32_t position = p->position, furthest = p->furthest;
    p->list = tokens;
    p->tokens = tokens->items;
    // The furthest token is an index into `tokens`, so it cannot be shared
    // with the list around.
    p->furthest = 0;
    // Counted and not set, since an f-string may stand in an f-string's field.
    p->fstring_depth++;
    Node *node = run_pass(p, parse_braces);
    if (node == NULL) {
        explain(p, "fstring", 0);
        mark_part(p, part);
    }
    p->fstring_depth--;
    p->list = list;
    p->tokens = list->items;
    p->position = position;
    p->furthest = furthest;
    return node;
}

// INCOMPLETE is decided after the first pass: the second one would raise a
// message for a text that the user has not finished.
static ParseStatus run(Parser *p, ParseMode mode, Node **tree)
{
    ParseFunction *production =
        mode == PARSE_EXPRESSION ? parse_eval : parse_module;
    *tree = run_pass(p, production);
    if (*tree != NULL) {
        return mode == PARSE_INTERACTIVE && block_may_go_on(p, *tree)
                   ? PARSE_INCOMPLETE
                   : PARSE_OK;
    }
    if (mode == PARSE_INTERACTIVE && !ctx_failed(p->ctx) && ended_early(p)) {
        return PARSE_INCOMPLETE;
    }
    explain(p, mode == PARSE_EXPRESSION ? "eval" : "file", p->statement);
    return PARSE_ERROR;
}

// If the lexer itself fails, an error such as memory is pending; a fault in
// the text is no failure of its own but an ERROR token at the end of the list.
ParseStatus parse(Ctx *ctx, Source *source, ParseMode mode, Arena *arena,
                  Node **tree)
{
    TokenList tokens = {0};
    Parser p = {.ctx = ctx, .source = source, .arena = arena, .list = &tokens};
    ParseStatus status = PARSE_ERROR;
    *tree = NULL;
    if (lexer_run(ctx, source, &tokens)) {
        p.tokens = tokens.items;
        status = run(&p, mode, tree);
    }
    // The tokens go too: nodes keep spans and copies, never tokens.
    vec_free(ctx, &p.scratch);
    token_list_free(ctx, &tokens);
    return status;
}
