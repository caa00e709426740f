// `from __future__ import …`: statements that change how a text is compiled.
//
// Only `annotations` changes anything here: annotations are kept as the text
// that was written (PEP 563) and not evaluated. The others name what the
// language does anyway.
#include "interp/machine/compile/compile.h"

#include <string.h>

#include "interp/objects/text/obj_str.h"

// Any other name is a SyntaxError.
static const char *const known_features[] = {
    "absolute_import", "annotations",      "division",
    "generator_stop",  "generators",       "nested_scopes",
    "print_function",  "unicode_literals", "with_statement",
};

// Compares by length, as a Text need not end in a NUL.
static bool text_is(Text text, const char *name)
{
    return text.text != NULL && text.length == strlen(name) &&
           memcmp(text.text, name, text.length) == 0;
}

// `from .__future__ import x` (with a level) is an ordinary import.
static bool future_import(const Node *node)
{
    return node->kind == AST_IMPORT_FROM && node->import_from.level == 0 &&
           text_is(node->import_from.module, "__future__");
}

// Future imports may stand behind a doc string.
static bool is_docstring(const Node *node)
{
    return node->kind == AST_EXPR_STMT &&
           node->expr_stmt.value->kind == AST_CONSTANT &&
           node->expr_stmt.value->constant.type == CONSTANT_STR;
}

static bool known_feature(Text name)
{
    for (size_t i = 0; i < sizeof known_features / sizeof *known_features;
         i++) {
        if (text_is(name, known_features[i])) {
            return true;
        }
    }
    return false;
}

static void take_features(Compiler *c, const Node *node)
{
    NodeList names = node->import_from.names;
    for (uint32_t i = 0; i < names.count; i++) {
        Text name = names.items[i]->alias.name;
        if (!known_feature(name)) {
            bool joke = text_is(name, "braces");
            compile_error(c, node->span,
                          joke ? "not a chance%.*s"
                               : "future feature %.*s is not defined",
                          joke ? 0 : (int)name.length, name.text);
            c->vm->ctx.error.form = PLACE_OPEN;
        }
        // In the table, so that functions inside find it, too.
        c->table->text_annotations |= text_is(name, "annotations");
    }
}

// Runs before anything is compiled, since an annotation in front of a later
// statement depends on it. The end of the last one is kept for
// compile_future_check.
void compile_future_read(Compiler *c, NodeList body)
{
    uint32_t i = body.count > 0 && is_docstring(body.items[0]) ? 1 : 0;
    for (; i < body.count && future_import(body.items[i]); i++) {
        take_features(c, body.items[i]);
        c->table->future_end = body.items[i]->span.end;
    }
}

// Their effect is on the whole text, so they may not stand further down.
void compile_future_check(Compiler *c, const Node *node)
{
    if (future_import(node) && node->span.end > c->table->future_end) {
        compile_error(c, node->span,
                      "from __future__ imports must occur at the beginning "
                      "of the file");
    }
}

// PEP 563: the text is made from the tree, so spaces are those of ast.unparse.
Reg compile_annotation(Compiler *c, const Node *node)
{
    if (!c->table->text_annotations) {
        return compile_temp(c, node);
    }
    Reg value = compile_push(c);
    StrBuf text;
    strbuf_init(&text, &c->vm->ctx);
    ast_unparse(&text, node, 0);
    Str *str = strbuf_ok(&text)
                   ? str_new(c->vm, strbuf_text(&text), text.length)
                   : NULL;
    strbuf_free(&text);
    if (str == NULL) {
        c->failed = true;
        return value;
    }
    compile_emit(c, OPCODE_LOADK, value,
                 compile_constant_value(c, str_value(str)), 0);
    return value;
}
