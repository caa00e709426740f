// Matching the grammar of peg_grammar.c, and the two looks at a faulty text.
//
// Invariant: whoever gets NULL puts the position back; with an error pending
// nothing more is tried.
#include "parser/peg.h"

#include <string.h>

enum {
    MAX_DEPTH = 6000 // rules within rules
};

static Piece *match_rule(Peg *g, Rule *rule);
static Piece *match_alternatives(Peg *g, const Alternative *first);

// The arena clears it. It ends where the parser stands: the caller has taken
// its last token.
static Piece *new_piece(Peg *g, PieceKind kind, uint32_t first)
{
    Piece *piece = arena_new(g->p->arena, Piece);
    if (piece != NULL) {
        piece->kind = (uint8_t)kind;
        piece->first = first;
        piece->last = g->p->position;
    }
    return piece;
}

// Where the lexer stopped the parser can go no further either: its reason is
// told at once, as if tokens were read one by one. With an error of the lexer
// pending, whatever was tried fails at once.
static TokenKind kind_at(Peg *g)
{
    TokenKind kind = parse_kind(g->p);
    if (kind == TOK_ERROR && !ctx_failed(g->p->ctx)) {
        parse_fail_lexer(g->p);
    }
    return kind;
}

// Taken if it fits. NULL leaves the position alone, so the caller need not put
// it back.
static Piece *match_token(Peg *g, TokenKind kind)
{
    if (kind_at(g) != kind) {
        return NULL;
    }
    g->p->position++;
    return new_piece(g, PIECE_TOKEN, g->p->position - 1);
}

// Names that are keywords in one place only. They are compared up to the name's
// length, so that `m` is taken for one too. Kept as it is because error
// messages depend on it: a name of one letter takes other ways through the
// grammar.
static bool is_soft(Parser *p, Span name)
{
    const char *text = p->source->text + name.start;
    size_t length = name.end - name.start;
    return strncmp("match", text, length) == 0 ||
           strncmp("case", text, length) == 0 ||
           strncmp("_", text, length) == 0;
}

// A token NAME with that text, or one of the soft keywords.
static Piece *match_name(Peg *g, const Item *item)
{
    Parser *p = g->p;
    if (kind_at(g) != TOK_NAME) {
        return NULL;
    }
    Span span = parse_token_span(p, p->position);
    bool fits = item->kind == ITEM_SOFT
                    ? is_soft(p, span)
                    : span.end - span.start == item->length &&
                          memcmp(p->source->text + span.start, item->text,
                                 item->length) == 0;
    return fits ? match_token(g, TOK_NAME) : NULL;
}

// What fits without a token; NULL: it does not fit, or no memory. A piece of no
// tokens, so that NULL can mean failure everywhere.
static Piece *match_nothing(Peg *g, bool fits)
{
    return fits ? new_piece(g, PIECE_PLAIN, g->p->position) : NULL;
}

// Once, whatever the form.
static Piece *match_base(Peg *g, const Item *item)
{
    switch ((ItemKind)item->kind) {
    case ITEM_TOKEN: return match_token(g, item->token);
    case ITEM_WORD:
    case ITEM_SOFT: return match_name(g, item);
    // Parameters end at ")" or, of a lambda, at ":"; the rules are written once
    // for both.
    case ITEM_CLOSE:
        return match_token(g, g->lambda ? TOK_COLON : TOK_RIGHT_PAREN);
    case ITEM_DEF: return match_nothing(g, !g->lambda);
    case ITEM_LAMBDA: return match_nothing(g, g->lambda);
    case ITEM_RULE: return match_rule(g, &g->rules[item->rule]);
    case ITEM_GROUP: return match_alternatives(g, item->inner);
    case ITEM_CUT: break;
    }
    return match_nothing(g, true);
}

// The matches of a loop, kept on the parser's list for nodes meanwhile. NULL
// with fewer than `least` matches. Nothing is copied where the loop matched
// nothing.
static Piece *finish_loop(Peg *g, uint32_t first, size_t mark, uint32_t least)
{
    Parser *p = g->p;
    size_t count = p->scratch.count - mark;
    p->scratch.count = mark;
    if (ctx_failed(p->ctx) || count < least) {
        return NULL;
    }
    Piece *list = new_piece(g, PIECE_PLAIN, first);
    if (list == NULL || count == 0) {
        return list;
    }
    list->parts = arena_new_array(p->arena, Piece *, count);
    if (list->parts == NULL) {
        return NULL;
    }
    list->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        list->parts[i] = (Piece *)(void *)p->scratch.items[mark + i];
    }
    return list;
}

// x*, x+ and s.x+: as often as it fits. What takes no token would fit for
// ever, so it ends the loop.
static Piece *match_loop(Peg *g, const Item *item)
{
    Parser *p = g->p;
    uint32_t first = p->position;
    size_t mark = p->scratch.count;
    for (;;) {
        uint32_t before = p->position;
        if (p->scratch.count > mark && item->form == FORM_DIVIDED &&
            // The divider is given back if no further match follows it.
            match_token(g, item->divider) == NULL) {
            p->position = before;
            break;
        }
        Piece *piece = ctx_failed(p->ctx) ? NULL : match_base(g, item);
        if (piece == NULL || p->position == before) {
            p->position = before;
            break;
        }
        // Pieces and nodes share the list: both are pointers into the arena.
        if (!vec_push(p->ctx, &p->scratch, (Node *)(void *)piece)) {
            break;
        }
    }
    return finish_loop(g, first, mark, item->form == FORM_ANY ? 0 : 1);
}

// &x and !x leave the position alone. Faults met while looking ahead count all
// the same, where an invalid_ rule may raise there.
static Piece *match_ahead(Peg *g, const Item *item)
{
    uint32_t before = g->p->position;
    bool found = match_base(g, item) != NULL;
    g->p->position = before;
    if (ctx_failed(g->p->ctx)) {
        return NULL;
    }
    return match_nothing(g, found == (item->form == FORM_AHEAD));
}

// One item in its form: as often as it fits, optional, forced, or only looked
// for.
static Piece *match_item(Peg *g, const Item *item)
{
    uint32_t before = g->p->position;
    Piece *found;
    switch ((ItemForm)item->form) {
    case FORM_ANY:
    case FORM_MANY:
    case FORM_DIVIDED: return match_loop(g, item);
    case FORM_AHEAD:
    case FORM_NOT_AHEAD: return match_ahead(g, item);
    case FORM_OPTIONAL:
        found = match_base(g, item);
        if (found == NULL && !ctx_failed(g->p->ctx)) {
            g->p->position = before;
            found = match_nothing(g, true);
        }
        return found;
    // &&x of the grammar: if it does not fit, that is the error.
    case FORM_FORCED:
        found = match_base(g, item);
        if (found == NULL && !ctx_failed(g->p->ctx)) {
            peg_fail_token(g, before, ERR_SYNTAX, "expected '%s'",
                           token_text(item->token));
        }
        return found;
    default: return match_base(g, item);
    }
}

// Strings are told from f-strings by their prefixes. One f-string among the
// parts makes the whole an f-string.
static PieceKind kind_of_text(Peg *g, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++) {
        Span span = parse_token_span(g->p, i);
        for (const char *at = g->p->source->text + span.start;
             *at != '\'' && *at != '"'; at++) {
            if ((*at | 0x20) == 'f') {
                return PIECE_FSTRING;
            }
        }
    }
    return PIECE_LITERAL;
}

// The tokens of a text are read for the faults inside it. The position is put
// back behind the text; an error is pending if one was found.
static void check_text(Peg *g, uint32_t first)
{
    uint32_t after = g->p->position;
    g->p->position = first;
    Node *unused = parse_strings(g->p);
    (void)unused;
    g->p->position = after;
}

// A single part stands for itself, unless the alternative gives it a name.
// `parts` is the caller's array and is copied.
static Piece *build(Peg *g, const Alternative *alternative, uint32_t first,
                    Piece *const *parts)
{
    uint32_t count = alternative->count;
    // An alternative whose action only passes one part on names that part `a`.
    if (alternative->kind == PIECE_FIRST) {
        for (uint32_t i = 0; i < count; i++) {
            if (alternative->items[i].name == 'a') {
                return parts[i];
            }
        }
    }
    // What stands behind a look ahead is what the rule is there for.
    if (alternative->kind == PIECE_PLAIN && count > 0 &&
        (count == 1 ||
         (count == 2 && alternative->items[0].form == FORM_AHEAD))) {
        return parts[count - 1];
    }
    Piece *piece = new_piece(g, alternative->kind, first);
    if (piece == NULL) {
        return NULL;
    }
    piece->parts = arena_new_array(g->p->arena, Piece *, count + 1);
    if (piece->parts == NULL) {
        return NULL;
    }
    memcpy(piece->parts, parts, count * sizeof *parts);
    piece->count = count;
    // What a chain such as a.b[c] is, is what its last step is.
    if (piece->kind == PIECE_STEP) {
        const Piece *steps = parts[1];
        piece->kind = steps->parts[steps->count - 1]->kind;
    } else if (piece->kind == PIECE_TEXT) {
        piece->kind = (uint8_t)kind_of_text(g, first, piece->last);
        check_text(g, first);
    }
    return piece;
}

// *ended: no other alternative may be tried. NULL also where its action has
// raised the error that it is there for.
static Piece *match_alternative(Peg *g, const Alternative *alternative,
                                bool *ended)
{
    Piece *parts[PEG_MAX_ITEMS];
    uint32_t first = g->p->position;
    for (uint32_t i = 0; i < alternative->count; i++) {
        const Item *item = &alternative->items[i];
        parts[i] = match_item(g, item);
        if (parts[i] == NULL || ctx_failed(g->p->ctx)) {
            return NULL;
        }
        *ended |= item->kind == ITEM_CUT;
    }
    // An action that says nothing ends the rule all the same.
    if (alternative->where != NULL) {
        *ended = true;
        peg_act(g, alternative, parts);
        return NULL;
    }
    return build(g, alternative, first, parts);
}

// Tried in order, the first that fits wins: PEG, not a choice of the longest.
static Piece *match_alternatives(Peg *g, const Alternative *first)
{
    uint32_t before = g->p->position;
    for (; first != NULL; first = first->next) {
        bool ended = false;
        Piece *found = match_alternative(g, first, &ended);
        if (found != NULL || ended || ctx_failed(g->p->ctx)) {
            return found;
        }
        g->p->position = before;
    }
    return NULL;
}

// NULL: not known. Few rules are kept at any one token, so a list will do.
static Kept *find_kept(Peg *g, const Rule *rule)
{
    Kept *kept = g->kept[g->p->position - g->base];
    while (kept != NULL && kept->rule != rule) {
        kept = kept->next;
    }
    return kept;
}

// A failure (NULL) is kept as well: trying in vain is what takes the time.
static bool keep(Peg *g, const Rule *rule, uint32_t first, Piece *piece)
{
    Kept *kept = arena_new(g->p->arena, Kept);
    if (kept == NULL) {
        return false;
    }
    *kept = (Kept){g->kept[first - g->base], rule, piece, g->p->position};
    g->kept[first - g->base] = kept;
    return true;
}

// The flags that hold within a rule are put back behind it. `invalid_` rules
// are on in the second look only.
static Piece *match_inside(Peg *g, const Rule *rule)
{
    bool lambda = g->lambda, invalid = g->invalid;
    if (rule->parameters) {
        g->lambda = rule->lambda;
    }
    // A second expression is only looked for; its own faults do not count.
    g->invalid = invalid && strncmp(rule->text, "expression_", 11) != 0;
    Piece *found = match_alternatives(g, rule->alternatives);
    g->lambda = lambda;
    g->invalid = invalid;
    return found;
}

// Memoised where the grammar says so, which is what keeps the matching linear.
static Piece *match_rule(Peg *g, Rule *rule)
{
    Parser *p = g->p;
    if (ctx_failed(p->ctx) || (rule->invalid && !g->invalid)) {
        return NULL;
    }
    // The same rule at the same place has the same outcome.
    Kept *kept = rule->kept ? find_kept(g, rule) : NULL;
    if (kept != NULL) {
        p->position = kept->last;
        return kept->piece;
    }
    // Counting rules alone would not do: frames of C differ in size.
    char here; // the stack grows down to this
    if (++g->depth > MAX_DEPTH || (uintptr_t)&here < p->ctx->stack_low) {
        ctx_fail_memory(p->ctx);
    }
    if (ctx_failed(p->ctx) || !peg_read(g, rule) || !ctx_poll(p->ctx)) {
        g->depth--;
        return NULL;
    }
    uint32_t first = p->position;
    Piece *found = match_inside(g, rule);
    g->depth--;
    if (rule->kept && !ctx_failed(p->ctx) && !keep(g, rule, first, found)) {
        return NULL;
    }
    return found;
}

// The rules by name; their texts are read later. The flags follow from the
// rules' names and from the sign behind them.
static bool list_rules(Peg *g)
{
    while (peg_grammar[g->rule_count] != NULL) {
        g->rule_count++;
    }
    g->rules = arena_new_array(g->p->arena, Rule, g->rule_count);
    if (g->rules == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < g->rule_count; i++) {
        const char *text = peg_grammar[i];
        size_t length = strcspn(text, "!:");
        g->rules[i] =
            (Rule){.text = text,
                   .name_length = (uint32_t)length,
                   .kept = text[length] == '!',
                   .invalid = strncmp(text, "invalid_", 8) == 0,
                   .parameters = strncmp(text, "params:", 7) == 0 ||
                                 strncmp(text, "lambda_params:", 14) == 0,
                   .lambda = text[0] == 'l'};
    }
    return true;
}

// From the statement's first token on, with nothing kept. What a first look has
// kept is not valid for the second, in which other rules count.
static void look(Peg *g, Rule *rule, bool invalid)
{
    size_t count = g->p->list->count - g->base;
    g->kept = arena_new_array(g->p->arena, Kept *, count);
    if (g->kept == NULL) {
        return;
    }
    memset(g->kept, 0, count * sizeof *g->kept);
    g->p->position = g->base;
    g->invalid = invalid;
    Piece *unused = match_rule(g, rule);
    (void)unused;
}

// Anything else that is pending, such as a lack of memory, is left as it is.
static bool is_syntax_error(const Ctx *ctx)
{
    ErrorKind kind = ctx->error.kind;
    return kind == ERR_SYNTAX || kind == ERR_INDENTATION || kind == ERR_TAB;
}

// The end of the text has no columns, nor has a line end that the text lacks.
static bool has_no_columns(const Parser *p, uint32_t token)
{
    TokenKind kind = p->tokens[token].kind;
    return kind == TOK_END ||
           (kind == TOK_NEWLINE && p->source->bare_end &&
            parse_token_span(p, token).end + 1 >= p->source->length);
}

// Indentation where no statement can begin is named as such; the rest is bare
// "invalid syntax". `token`: the furthest one that was looked at, which is
// where the error is told.
static void fail_plain(Peg *g, uint32_t token)
{
    switch (g->p->tokens[token].kind) {
    case TOK_INDENT:
        peg_fail_last(g, ERR_INDENTATION, "unexpected indent");
        break;
    case TOK_DEDENT:
        peg_fail_last(g, ERR_INDENTATION, "unexpected unindent");
        break;
    default:
        peg_fail_token(g, token, ERR_SYNTAX, "%s", "invalid syntax");
        if (has_no_columns(g->p, token)) {
            g->p->ctx->error.form = PLACE_NONE;
        }
        parse_fail_rest(g->p);
    }
}

// Two passes: the first without the rules for faults, to find how far a valid
// program goes; the second with them. Called only when the real parser has
// failed; a valid text never comes here. `name` is the rule to begin with,
// `first` the statement's first token.
void peg_explain(Parser *p, const char *name, uint32_t first)
{
    Peg g = {.p = p, .base = first};
    size_t mark = p->scratch.count;
    p->furthest = first;
    if (!list_rules(&g)) {
        return;
    }
    Rule *rule = g.rules;
    while (strncmp(rule->text, name, strlen(name)) != 0) {
        rule++;
    }
    look(&g, rule, false);
    uint32_t failed_at = p->furthest;
    if (!ctx_failed(p->ctx)) {
        look(&g, rule, true);
    }
    p->scratch.count = mark;
    if (!ctx_failed(p->ctx)) {
        fail_plain(&g, failed_at);
    } else if (is_syntax_error(p->ctx) &&
               p->tokens[p->furthest].kind != TOK_ERROR) {
        parse_fail_rest(p);
    }
}
