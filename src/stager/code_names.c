// Names in a tree. The walks stay within the frame that they begin in: an inner
// function assigns its own variables.
#include "stager/code_names.h"

#include <string.h>

bool code_names_has(const TextVec *names, Text name)
{
    bool found = false;
    for (size_t i = 0; i < names->count && !found; i++) {
        // The texts are those of the tree, compared by their bytes.
        found = strcmp(names->items[i].text, name.text) == 0;
    }
    return found;
}

// Each name once, in the order of the text.
void code_names_add(AstMaker *m, TextVec *names, Text name)
{
    if (!code_names_has(names, name) && !m->failed &&
        !vec_push(m->ctx, names, name)) {
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

// What a node of its kind binds by itself; its parts come by the walk.
static void add_bound(AstMaker *m, TextVec *names, const Node *node)
{
    Text name = {NULL, 0};
    switch (node->kind) {
    case AST_NAME:
        if (node->name.context != CONTEXT_LOAD) {
            name = node->name.id; // stored to, or deleted
        }
        break;
    case AST_FUNCTION_DEF: name = node->function_def.name; break;
    case AST_CLASS_DEF: name = node->class_def.name; break;
    case AST_EXCEPT_HANDLER: name = node->handler.name; break;
    case AST_ALIAS:
        name = node->alias.asname.text != NULL ? node->alias.asname
                                               : node->alias.name;
        // `import a.b` binds a.
        name.length = strcspn(name.text, ".");
        name.text = arena_strndup(m->arena, name.text, name.length);
        m->failed = m->failed || name.text == NULL;
        break;
    default: break;
    }
    if (name.text != NULL) {
        code_names_add(m, names, name);
    }
}

// Names that are stored to. Deep nests were refused when they were lowered.
void code_names_stored(AstMaker *m, TextVec *names, const Node *node)
{
    if (node == NULL || m->failed) {
        return;
    }
    // The name of an inner function is stored to here, what it assigns is not.
    add_bound(m, names, node);
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

static void add_declared(AstMaker *m, TextVec *names, AstKind kind,
                         const Node *node)
{
    if (node == NULL || m->failed || code_names_is_frame(node)) {
        return;
    }
    if (!ctx_enter(m->ctx)) {
        m->failed = true;
        return;
    }
    for (uint32_t i = 0; node->kind == kind && i < node->names.names.count;
         i++) {
        code_names_add(m, names, node->names.names.items[i]->name.id);
    }
    switch (node->kind) {
#define N(field) add_declared(m, names, kind, node->field);
#define L(field) code_names_declared(m, names, kind, node->field);
#include "parser/ast_cases.h"
    default: break;
    }
    ctx_leave(m->ctx);
}

void code_names_declared(AstMaker *m, TextVec *names, AstKind kind,
                         NodeList list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        add_declared(m, names, kind, list.items[i]);
    }
}

void code_names_sorted(AstMaker *m, NodeList list, TextVec *blocks,
                       TextVec *plain)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const Node *node = list.items[i];
        switch (node->kind) {
        case AST_IF:
            code_names_stored(m, plain, node->if_stmt.test);
            code_names_stored(m, blocks, node);
            break;
        case AST_WHILE: code_names_stored(m, blocks, node); break;
        case AST_FOR:
            code_names_stored(m, plain, node->for_stmt.iter);
            code_names_stored(m, blocks, node);
            break;
        case AST_WITH:
            for (uint32_t k = 0; k < node->with_stmt.items.count; k++) {
                code_names_stored(m, plain, node->with_stmt.items.items[k]);
            }
            code_names_sorted(m, node->with_stmt.body, blocks, plain);
            break;
        case AST_TRY:
            code_names_sorted(m, node->try_stmt.body, blocks, plain);
            code_names_sorted(m, node->try_stmt.orelse, blocks, plain);
            code_names_sorted(m, node->try_stmt.finalbody, blocks, plain);
            for (uint32_t k = 0; k < node->try_stmt.handlers.count; k++) {
                const Node *handler = node->try_stmt.handlers.items[k];
                if (handler->handler.name.text != NULL) {
                    code_names_add(m, plain, handler->handler.name);
                }
                code_names_sorted(m, handler->handler.body, blocks, plain);
            }
            break;
        case AST_ANN_ASSIGN:
            if (node->ann_assign.value == NULL) {
                break; // it is not printed
            }
            code_names_stored(m, plain, node);
            break;
        default: code_names_stored(m, plain, node);
        }
    }
}
