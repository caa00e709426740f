// Reading the rules of peg_grammar.c.
//
// The texts are ours and constant, so a mistake in them is a bug: what cannot
// be read is left out, and the tests of the texts would show it.
#include <ctype.h>
#include <string.h>

#include "parser/peg.h"

const char *const peg_piece_names[PIECE_COUNT] = {
#define PIECE(id, text) [PIECE_##id] = text,
    PIECE_LIST(PIECE)
#undef PIECE
};

typedef struct PegReader {
    Peg *g;
    const char *at;
    bool failed; // no memory
} PegReader;

// Rules are single lines.
static void skip_blanks(PegReader *r)
{
    while (*r->at == ' ') {
        r->at++;
    }
}

// Kinds of tokens and other words in capitals. Everything else in capitals is a
// mistake of the grammar; False: a rule's name.
static bool named_item(Item *item, const char *text, size_t length)
{
    static const struct {
        const char *name;
        uint8_t kind, token;
    } words[] = {
        {"NAME", ITEM_TOKEN, TOK_NAME},
        {"NUMBER", ITEM_TOKEN, TOK_NUMBER},
        {"STRING", ITEM_TOKEN, TOK_STRING},
        {"NEWLINE", ITEM_TOKEN, TOK_NEWLINE},
        {"INDENT", ITEM_TOKEN, TOK_INDENT},
        {"DEDENT", ITEM_TOKEN, TOK_DEDENT},
        {"END", ITEM_TOKEN, TOK_END},
        {"SOFT", ITEM_SOFT, 0},
        {"CLOSE", ITEM_CLOSE, 0},
        {"DEF", ITEM_DEF, 0},
        {"LAMBDA", ITEM_LAMBDA, 0},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].name) == length &&
            memcmp(words[i].name, text, length) == 0) {
            item->kind = words[i].kind;
            item->token = words[i].token;
            return true;
        }
    }
    return false;
}

// Keywords and operators alike. NAME for what is neither: such a text would
// never fit.
static TokenKind token_spelled(const char *text, size_t length)
{
    TokenKind kind = token_keyword(text, length);
    size_t taken;
    return kind != TOK_NAME ? kind : token_operator(text, length, &taken);
}

// At a quote; the text up to the next one. The reader stands behind the closing
// quote afterwards.
static TokenKind read_quoted(PegReader *r)
{
    const char *start = ++r->at;
    r->at = strchr(start, '\'');
    return token_spelled(start, (size_t)(r->at++ - start));
}

// At a letter: a word in capitals or the name of a rule. Rules are found by
// name now and by number from here on.
static void read_word(PegReader *r, Item *item)
{
    const char *start = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_') {
        r->at++;
    }
    size_t length = (size_t)(r->at - start);
    if (named_item(item, start, length)) {
        return;
    }
    item->kind = ITEM_RULE;
    for (uint32_t i = 0; i < r->g->rule_count; i++) {
        const Rule *rule = &r->g->rules[i];
        if (rule->name_length == length &&
            memcmp(rule->text, start, length) == 0) {
            item->rule = (uint16_t)i;
        }
    }
}

static Alternative *read_alternatives(PegReader *r);

// 'token' | <word> | (group) | ~ | word The reader is behind it afterwards.
static void read_base(PegReader *r, Item *item)
{
    if (*r->at == '\'') {
        item->kind = ITEM_TOKEN;
        item->token = (uint8_t)read_quoted(r);
    } else if (*r->at == '<') {
        item->kind = ITEM_WORD;
        item->text = r->at + 1;
        r->at = strchr(r->at, '>');
        item->length = (uint32_t)(r->at++ - item->text);
    } else if (*r->at == '(') {
        r->at++;
        item->kind = ITEM_GROUP;
        item->inner = read_alternatives(r);
        r->at++; // the closing one
    } else if (*r->at == '~') {
        r->at++;
        item->kind = ITEM_CUT;
    } else {
        read_word(r, item);
    }
}

// [a=] [& | ! | &&] base [? | * | +] | 'divider' . base + The notation of
// Python's grammar, but for <word>, a name with this text.
static void read_item(PegReader *r, Item *item)
{
    // A name by which an action refers to the item.
    if (islower((unsigned char)*r->at) && r->at[1] == '=') {
        item->name = *r->at;
        r->at += 2;
    }
    if (*r->at == '&' || *r->at == '!') {
        item->form = *r->at == '!' ? FORM_NOT_AHEAD : FORM_AHEAD;
        if (*++r->at == '&') {
            item->form = FORM_FORCED;
            r->at++;
        }
        read_base(r, item);
        return;
    }
    read_base(r, item);
    if (*r->at == '.') {
        r->at++;
        item->divider = item->token;
        read_base(r, item);
        item->form = FORM_DIVIDED;
        r->at++; // its plus
    } else if (*r->at != '\0' && strchr("?*+", *r->at) != NULL) {
        item->form = *r->at == '?'   ? FORM_OPTIONAL
                     : *r->at == '*' ? FORM_ANY
                                     : FORM_MANY;
        r->at++;
    }
}

// `-> kind` or `{where: message}` behind the items. Without either the
// alternative is PLAIN, and has no action.
static void read_end(PegReader *r, Alternative *alternative)
{
    if (*r->at == '{') {
        // Both point into the rule's text; nothing is copied.
        alternative->where = r->at + 1;
        alternative->message = strchr(r->at, ':') + 1;
        alternative->message += *alternative->message == ' ';
        r->at = alternative->message;
        // A '}' in quotes is no end.
        while (*r->at != '}' || r->at[1] == '\'') {
            r->at++;
        }
        r->at++;
    } else if (r->at[0] == '-' && r->at[1] == '>') {
        r->at += 3;
        size_t length = strcspn(r->at, "|)");
        const char *start = r->at;
        r->at += length;
        while (start[length - 1] == ' ') {
            length--;
        }
        for (uint8_t i = 0; i < PIECE_COUNT; i++) {
            if (strlen(peg_piece_names[i]) == length &&
                memcmp(peg_piece_names[i], start, length) == 0) {
                alternative->kind = i;
            }
        }
    }
    skip_blanks(r);
}

// Items up to what ends the alternative. PEG_MAX_ITEMS is more than any rule
// has.
static Alternative *read_alternative(PegReader *r)
{
    Alternative *made = arena_new(r->g->p->arena, Alternative);
    if (made == NULL) {
        r->failed = true;
        return NULL;
    }
    skip_blanks(r);
    while (*r->at != '\0' && *r->at != '|' && *r->at != ')' && *r->at != '{' &&
           *r->at != '-' && made->count < PEG_MAX_ITEMS && !r->failed) {
        read_item(r, &made->items[made->count++]);
        skip_blanks(r);
    }
    read_end(r, made);
    return made;
}

// alternative ('|' alternative)* In the order of the text, which decides. NULL:
// memory is short.
static Alternative *read_alternatives(PegReader *r)
{
    Alternative *first = NULL, **link = &first;
    do {
        *link = read_alternative(r);
        if (*link == NULL || r->failed) {
            return NULL;
        }
        link = &(*link)->next;
    } while (*r->at++ == '|');
    r->at--;
    return first;
}

// When a rule is first tried: most faults need few of them.
bool peg_read(Peg *g, Rule *rule)
{
    if (rule->alternatives != NULL) {
        return true;
    }
    PegReader reader = {.g = g, .at = strchr(rule->text, ':') + 1};
    rule->alternatives = read_alternatives(&reader);
    return rule->alternatives != NULL;
}
