// Imports.
#include <string.h>

#include "parser/parse.h"

// Name by name and not as one piece of source, since blanks may stand around
// the dots and each name is normalised.
static bool join_names(Parser *p, StrBuf *out)
{
    Text name;
    do {
        if (!parse_take_name(p, &name)) {
            return false;
        }
        if (out->length > 0) {
            strbuf_putc(out, '.');
        }
        strbuf_add(out, name.text, name.length);
    } while (parse_accept(p, TOK_DOT));
    return strbuf_ok(out);
}

// dotted_name: NAME ('.' NAME)*
// One text with the dots, as the importer takes it.
static bool take_dotted(Parser *p, Text *dotted)
{
    StrBuf text;
    strbuf_init(&text, p->ctx);
    bool taken = join_names(p, &text);
    if (taken) {
        dotted->length = text.length;
        dotted->text = arena_strndup(p->arena, strbuf_text(&text), text.length);
        taken = dotted->text != NULL;
    }
    strbuf_free(&text);
    return taken;
}

// `import` and `from … import` share what may follow a name.
static Node *new_alias(Parser *p, uint32_t start, Text name)
{
    Text asname = {NULL, 0};
    if (parse_accept(p, TOK_AS) && !parse_take_name(p, &asname)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_ALIAS, start);
    if (node != NULL) {
        node->alias.name = name;
        node->alias.asname = asname;
    }
    return node;
}

// dotted_name ['as' NAME]
// `import a.b as c` binds `c` to a.b, `import a.b` binds `a`; the tree keeps
// the dotted name for both.
static Node *parse_module_alias(Parser *p)
{
    Text name;
    uint32_t start = parse_start(p);
    return take_dotted(p, &name) ? new_alias(p, start, name) : NULL;
}

// NAME ['as' NAME]
// No dots: what is imported from a module is a name in it.
static Node *parse_alias(Parser *p)
{
    Text name;
    uint32_t start = parse_start(p);
    return parse_take_name(p, &name) ? new_alias(p, start, name) : NULL;
}

// 'import' module_alias (',' module_alias)*
// No parentheses here, unlike behind `from`.
Node *parse_import(Parser *p)
{
    uint32_t start = parse_start(p);
    size_t mark = parse_list_begin(p);
    p->position++;
    do {
        if (!parse_list_add(p, parse_module_alias(p))) {
            return NULL;
        }
    } while (parse_accept(p, TOK_COMMA));
    Node *node = parse_node(p, AST_IMPORT, start);
    if (node == NULL || !parse_list_end(p, mark, &node->names.names)) {
        return NULL;
    }
    return node;
}

// The name `*` cannot be an identifier, so no flag is needed.
static bool parse_star_alias(Parser *p)
{
    uint32_t start = parse_start(p);
    p->position++;
    Node *node = parse_node(p, AST_ALIAS, start);
    if (node != NULL) {
        node->alias.name = (Text){"*", 1};
    }
    return parse_list_add(p, node);
}

// alias (',' alias)* [',']; the last comma only in parentheses.
static bool parse_aliases(Parser *p, bool bracketed)
{
    do {
        if (bracketed && parse_at(p, TOK_RIGHT_PAREN)) {
            break;
        }
        if (!parse_list_add(p, parse_alias(p))) {
            return false;
        }
    } while (parse_accept(p, TOK_COMMA));
    return true;
}

// targets: '*' | aliases | '(' aliases [','] ')'
// Empty parentheses are a fault.
static bool parse_import_targets(Parser *p)
{
    if (parse_at(p, TOK_STAR)) {
        return parse_star_alias(p);
    }
    if (!parse_accept(p, TOK_LEFT_PAREN)) {
        return parse_aliases(p, false);
    }
    return !parse_at(p, TOK_RIGHT_PAREN) && parse_aliases(p, true) &&
           parse_expect(p, TOK_RIGHT_PAREN);
}

// 'from' ('.' | '...')* [dotted_name] 'import' targets
// `level` 0 is an absolute import; `module` is absent in `from . import a`.
Node *parse_import_from(Parser *p)
{
    uint32_t start = parse_start(p), level = 0;
    Text module = {NULL, 0};
    size_t mark = parse_list_begin(p);
    p->position++;
    while (parse_at(p, TOK_DOT) || parse_at(p, TOK_ELLIPSIS)) {
        // The lexer takes three dots for an ellipsis.
        level += parse_at(p, TOK_DOT) ? 1 : 3;
        p->position++;
    }
    // Only a relative import may do without a module.
    if ((level == 0 || !parse_at(p, TOK_IMPORT)) && !take_dotted(p, &module)) {
        return NULL;
    }
    if (!parse_expect(p, TOK_IMPORT) || !parse_import_targets(p)) {
        return NULL;
    }
    Node *node = parse_node(p, AST_IMPORT_FROM, start);
    if (node == NULL || !parse_list_end(p, mark, &node->import_from.names)) {
        return NULL;
    }
    node->import_from.module = module;
    node->import_from.level = level;
    return node;
}
