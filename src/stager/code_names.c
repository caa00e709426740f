// Names in a tree.
//
// Both walks stay within the frame that they begin in as far as stores go: an
// inner function assigns its own variables. Reads count wherever they stand.
#include "stager/code_names.h"

#include <string.h>

// Each name once, in the order of the text.
void code_names_add(AstMaker *m, TextVec *names, Text name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->items[i].text, name.text) == 0) {
            return;
        }
    }
    // The texts are those of the tree, compared by their bytes.
    if (!m->failed && !vec_push(m->ctx, names, name)) {
        m->failed = true;
    }
}

// In a list of statements.
void code_names_stored_all(AstMaker *m, TextVec *names, NodeList list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        code_names_stored(m, names, list.items[i]);
    }
}

// Names inside these are their own.
bool code_names_is_frame(const Node *node)
{
    return node->kind == AST_LAMBDA || node->kind == AST_FUNCTION_DEF ||
           node->kind == AST_CLASS_DEF || node->kind == AST_COMPREHENSION;
}

// Names that are stored to. Deep nests were refused when they were lowered.
void code_names_stored(AstMaker *m, TextVec *names, const Node *node)
{
    if (node == NULL || m->failed) {
        return;
    }
    // The name of an inner function is stored to here, what it assigns is not.
    if (node->kind == AST_NAME && node->name.context == CONTEXT_STORE) {
        code_names_add(m, names, node->name.id);
    } else if (node->kind == AST_FUNCTION_DEF) {
        code_names_add(m, names, node->function_def.name);
    }
    // The end of the walk at a frame is no failure, that at the limit of depth
    // is.
    if (code_names_is_frame(node) || !ctx_enter(m->ctx)) {
        m->failed = m->failed || !code_names_is_frame(node);
        return;
    }
    switch (node->kind) {
#define N(field) code_names_stored(m, names, node->field);
#define L(field) code_names_stored_all(m, names, node->field);
#include "parser/ast_cases.h"
    default: break;
    }
    ctx_leave(m->ctx);
}

// Whether the list may read the name: a load, or an augmented assignment.
static bool reads_name(AstMaker *m, const Node *node, Text name);

// In a list of statements.
bool code_names_read(AstMaker *m, NodeList list, Text name)
{
    bool reads = false;
    for (uint32_t i = 0; i < list.count && !reads; i++) {
        reads = reads_name(m, list.items[i], name);
    }
    return reads;
}

// Reads count wherever they stand, inner functions included, since those see
// the same variable.
static bool reads_name(AstMaker *m, const Node *node, Text name)
{
    bool reads = false;
    if (node == NULL || m->failed) {
        return false;
    }
    if (node->kind == AST_NAME) {
        return node->name.context == CONTEXT_LOAD &&
               strcmp(node->name.id.text, name.text) == 0;
    }
    // Its target is marked as a store in the tree, but x += 1 reads x first.
    if (node->kind == AST_AUG_ASSIGN &&
        node->aug_assign.target->kind == AST_NAME &&
        strcmp(node->aug_assign.target->name.id.text, name.text) == 0) {
        return true;
    }
    if (!ctx_enter(m->ctx)) {
        m->failed = true;
        return false;
    }
    // All other kinds read the name if a child does; the children come from the
    // one list of them.
    switch (node->kind) {
#define N(field) reads = reads || reads_name(m, node->field, name);
#define L(field) reads = reads || code_names_read(m, node->field, name);
#include "parser/ast_cases.h"
    default: break;
    }
    ctx_leave(m->ctx);
    return reads;
}
