// The first walk of scope analysis: notes which names each scope binds, reads
// and declares, and refuses what contradicts them.
//
// Invariant: nodes are visited in the order of the source, in which symbols
// are numbered; w->scope is the scope whose code is being walked, and each
// function that opens one goes back to the outer one.
#include "interp/machine/compile/scope_walk.h"

#include <string.h>

static bool walk(ScopeWalk *w, const Node *node);

// In the order of the source, in which symbols are numbered. The first failure
// ends it: one error of syntax is told.
static bool walk_list(ScopeWalk *w, NodeList list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (!walk(w, list.items[i])) {
            return false;
        }
    }
    return true;
}

// A name in the running scope. The flags of several mentions add up; the span
// is that of the first.
static bool note(ScopeWalk *w, Text name, uint32_t flags, Span span)
{
    return scope_note_name(w, w->scope, name, flags, span) != NULL;
}

// The one name that no program may bind. The fault is told at all of the
// statement or expression that does. True without a name, so that optional
// names need no test at the callers.
static bool check_bindable(ScopeWalk *w, const Node *node, Text name)
{
    return name.text == NULL || strcmp(name.text, "__debug__") != 0 ||
           scope_error(w, node->span, "%s", "cannot assign to __debug__");
}

// Parameters; their defaults and annotations belong to the scope outside.
// Walked before the function's scope is opened, hence not part of add_params.
static bool walk_param_values(ScopeWalk *w, const Node *params)
{
    NodeList list = params->params.params;
    for (uint32_t i = 0; i < list.count; i++) {
        if (!walk(w, list.items[i]->param.default_value) ||
            !walk(w, list.items[i]->param.annotation)) {
            return false;
        }
    }
    return true;
}

// Five passes over a short list are simpler than a sort, and keep the order of
// the source within each kind.
static bool add_params(ScopeWalk *w, const Node *params)
{
    NodeList list = params->params.params;
    static const ParamKind order[] = {PARAM_POSITIONAL_ONLY, PARAM_POSITIONAL,
                                      PARAM_KEYWORD_ONLY, PARAM_VARARGS,
                                      PARAM_VARKEYWORDS};
    for (uint32_t k = 0; k < 5; k++) {
        for (uint32_t i = 0; i < list.count; i++) {
            const Node *param = list.items[i];
            if (param->param.kind != order[k]) {
                continue;
            }
            size_t length;
            const char *name =
                scope_mangle(w->table, w->scope, param->param.name, &length);
            if (name == NULL ||
                !check_bindable(w, w->scope->node, param->param.name)) {
                return false;
            }
            // Only parameters are in the scope yet, so any symbol of the name
            // is a second one.
            if (scope_find(w->scope, name, length) != NULL) {
                return scope_error(
                    w, param->span,
                    "duplicate argument '%s' in function definition", name);
            }
            if (!note(w, param->param.name, SYMBOL_PARAM | SYMBOL_ASSIGNED,
                      param->span)) {
                return false;
            }
        }
    }
    return true;
}

// Decorators, annotations and defaults belong to the scope around; only the
// body is walked in the function's own.
static bool walk_function(ScopeWalk *w, const Node *node)
{
    const Node *params = node->kind == AST_LAMBDA ? node->lambda.params
                                                  : node->function_def.params;
    if (node->kind == AST_FUNCTION_DEF) {
        if (!walk_list(w, node->function_def.decorators) ||
            !walk(w, node->function_def.returns) ||
            !note(w, node->function_def.name, SYMBOL_ASSIGNED, node->span)) {
            return false;
        }
    }
    Scope *outer = w->scope;
    if (!walk_param_values(w, params) ||
        scope_push(w, node->kind == AST_LAMBDA ? SCOPE_LAMBDA : SCOPE_FUNCTION,
                   node) == NULL) {
        return false;
    }
    bool ok =
        add_params(w, params) &&
        (node->kind == AST_LAMBDA ? walk(w, node->lambda.body)
                                  : walk_list(w, node->function_def.body));
    // Also after a failure, though nobody looks at it then.
    w->scope = outer;
    return ok;
}

// Decorators, bases and keywords belong to the scope around. The hidden
// parameter is the dict that the body fills; no program can write its name.
static bool walk_class(ScopeWalk *w, const Node *node)
{
    static const Text namespace = {".namespace", 10};
    Scope *outer = w->scope;
    if (!walk_list(w, node->class_def.decorators) ||
        !walk_list(w, node->class_def.bases) ||
        !walk_list(w, node->class_def.keywords) ||
        !note(w, node->class_def.name, SYMBOL_ASSIGNED, node->span)) {
        return false;
    }
    Scope *scope = scope_push(w, SCOPE_CLASS, node);
    if (scope == NULL) {
        return false;
    }
    // Names that begin with two underscores are mangled with it.
    scope->class_name = node->class_def.name.text;
    bool ok = note(w, namespace, SYMBOL_PARAM, node->span) &&
              walk_list(w, node->class_def.body);
    w->scope = outer;
    return ok;
}

// Counted, because no walrus may stand in it, however deep. A lambda in it does
// not lift the ban either.
static bool walk_iterable(ScopeWalk *w, const Node *generator)
{
    w->comp_iter++;
    bool ok = walk(w, generator->comprehension.iter);
    w->comp_iter--;
    return ok;
}

// The caller has walked the first iterable, in the scope around. `second` is
// the value of a dict comprehension, NULL for others.
static bool walk_generators(ScopeWalk *w, NodeList generators,
                            const Node *first, const Node *second)
{
    for (uint32_t i = 0; i < generators.count; i++) {
        const Node *g = generators.items[i];
        if ((i > 0 && !walk_iterable(w, g)) ||
            !walk(w, g->comprehension.target) ||
            !walk_list(w, g->comprehension.conditions)) {
            return false;
        }
    }
    return walk(w, first) && walk(w, second);
}

// The first iterable belongs to the scope around.
static bool walk_comprehension(ScopeWalk *w, const Node *node)
{
    // The hidden parameter has a name that locals() shows.
    static const Text iterable = {".0", 2};
    bool is_dict = node->kind == AST_DICT_COMP;
    NodeList generators =
        is_dict ? node->dict_comp.generators : node->comp.generators;
    Scope *outer = w->scope;
    if (!walk_iterable(w, generators.items[0])) {
        return false;
    }
    Scope *scope = scope_push(w, SCOPE_COMPREHENSION, node);
    if (scope == NULL) {
        return false;
    }
    scope->is_generator = node->kind == AST_GENERATOR_EXP;
    bool ok =
        note(w, iterable, SYMBOL_PARAM | SYMBOL_ASSIGNED, node->span) &&
        walk_generators(w, generators,
                        is_dict ? node->dict_comp.key : node->comp.element,
                        is_dict ? node->dict_comp.value : NULL);
    w->scope = outer;
    return ok;
}

// A walrus in a comprehension assigns in the function around it. A
// comprehension has a scope of its own, but the walrus binds past it (PEP 572).
static bool walk_walrus(ScopeWalk *w, const Node *node)
{
    Text name = node->named_expr.target->name.id;
    Scope *scope = w->scope;
    if (w->comp_iter > 0) {
        return scope_error(w, node->span, "%s",
                           "assignment expression cannot be used in a "
                           "comprehension iterable expression");
    }
    while (scope->kind == SCOPE_COMPREHENSION) {
        Symbol *own = scope_find(scope, name.text, name.length);
        if (own != NULL && (own->flags & SYMBOL_ASSIGNED) &&
            !(own->flags & SYMBOL_NONLOCAL)) {
            return scope_error(w, node->named_expr.target->span,
                               "assignment expression cannot rebind "
                               "comprehension iteration variable '%s'",
                               name.text);
        }
        scope = scope->parent;
    }
    // The name would belong to the class body, which a comprehension cannot
    // reach.
    if (scope != w->scope && scope->kind == SCOPE_CLASS) {
        return scope_error(w, node->named_expr.target->span, "%s",
                           "assignment expression within a comprehension "
                           "cannot be used in a class body");
    }
    Symbol *symbol =
        scope_note_name(w, scope, name, SYMBOL_ASSIGNED | SYMBOL_WALRUS,
                        node->named_expr.target->span);
    if (symbol == NULL) {
        return false;
    }
    // The comprehensions on the way to the function declare the name as if by
    // global or nonlocal.
    // Of a function's own global name the comprehension must see the same.
    uint32_t how =
        scope->kind == SCOPE_MODULE || (symbol->flags & SYMBOL_GLOBAL)
            ? SYMBOL_GLOBAL
            : SYMBOL_NONLOCAL;
    for (Scope *s = w->scope; s != scope; s = s->parent) {
        if (scope_note_name(w, s, name, how | SYMBOL_ASSIGNED | SYMBOL_WALRUS,
                            node->span) == NULL) {
            return false;
        }
    }
    return walk(w, node->named_expr.value);
}

// global and nonlocal must stand before the first use. The order of the tests
// is fixed, since a name may break several rules.
static bool declare(ScopeWalk *w, const Node *node, const Node *name)
{
    bool global = node->kind == AST_GLOBAL;
    const char *text = name->name.id.text;
    if (!global && w->scope->kind == SCOPE_MODULE) {
        return scope_error(w, node->span, "%s",
                           "nonlocal declaration not allowed at module level");
    }
    // Noted without a flag: a name that is only declared is not used.
    Symbol *symbol = scope_note_name(w, w->scope, name->name.id, 0, node->span);
    if (symbol == NULL) {
        return false;
    }
    if (symbol->flags & SYMBOL_PARAM) {
        return scope_error(w, node->span,
                           global ? "name '%s' is parameter and global"
                                  : "name '%s' is parameter and nonlocal",
                           text);
    }
    // A second declaration of the same kind is allowed.
    bool declared = symbol->flags & (SYMBOL_GLOBAL | SYMBOL_NONLOCAL);
    if (symbol->flags & SYMBOL_USED) {
        return scope_error(
            w, node->span,
            global ? "name '%s' is used prior to global declaration"
                   : "name '%s' is used prior to nonlocal declaration",
            text);
    }
    if (symbol->flags & SYMBOL_ANNOTATED) {
        return scope_error(w, node->span,
                           global ? "annotated name '%s' can't be global"
                                  : "annotated name '%s' can't be nonlocal",
                           text);
    }
    if (symbol->flags & SYMBOL_ASSIGNED) {
        return scope_error(
            w, node->span,
            global ? "name '%s' is assigned to before global declaration"
                   : "name '%s' is assigned to before nonlocal declaration",
            text);
    }
    if (symbol->flags & (global ? SYMBOL_NONLOCAL : SYMBOL_GLOBAL)) {
        return scope_error(w, symbol->span, "name '%s' is nonlocal and global",
                           text);
    }
    if (declared) {
        return true;
    }
    // Wherever it stands, the name is a global one of the outermost code too,
    // which matters where exec has a dict for that code's names.
    if (global && w->table->names_in_dict) {
        Symbol *outermost = scope_add_symbol(w, w->table->root, symbol->name,
                                             symbol->length, node->span);
        if (outermost == NULL) {
            return false;
        }
        outermost->flags |= SYMBOL_GLOBAL;
    }
    // An error that scope_place finds later points at the declaration.
    symbol->flags |= global ? SYMBOL_GLOBAL : SYMBOL_NONLOCAL;
    symbol->span = node->span;
    return true;
}

// The names of one statement are independent of each other.
static bool walk_declaration(ScopeWalk *w, const Node *node)
{
    for (uint32_t i = 0; i < node->names.names.count; i++) {
        if (!declare(w, node, node->names.names.items[i])) {
            return false;
        }
    }
    return true;
}

// `import a.b` binds a, `as` and `from` bind the whole name, and what * binds
// is not known before the program runs. The module's file is not looked at:
// that is for run time.
static bool walk_import(ScopeWalk *w, const Node *node, NodeList names)
{
    bool from = node->kind == AST_IMPORT_FROM;
    for (uint32_t i = 0; i < names.count; i++) {
        const Node *alias = names.items[i];
        Text name = alias->alias.asname.text != NULL ? alias->alias.asname
                                                     : alias->alias.name;
        if (name.text[0] == '*') {
            if (w->scope->kind != SCOPE_MODULE) {
                return scope_error(w, alias->span, "%s",
                                   "import * only allowed at module level");
            }
            continue;
        }
        // Only the plain form binds the first part of a dotted name.
        const char *dot = from ? NULL : strchr(name.text, '.');
        if (dot != NULL) {
            size_t length = (size_t)(dot - name.text);
            // The symbol keeps the pointer, so the part must outlive this walk.
            name.text = arena_strndup(w->table->arena, name.text, length);
            name.length = length;
        }
        if (name.text == NULL || !check_bindable(w, node, name) ||
            !note(w, name, SYMBOL_ASSIGNED, alias->span)) {
            return false;
        }
    }
    return true;
}

// A yield makes its function a generator. A comprehension would become a
// generator by it, which Python 3.8 forbade.
static bool walk_yield(ScopeWalk *w, const Node *node)
{
    if (w->scope->kind == SCOPE_COMPREHENSION) {
        static const char *const where[] = {
            [AST_LIST_COMP - AST_LIST_COMP] = "list comprehension",
            [AST_SET_COMP - AST_LIST_COMP] = "set comprehension",
            [AST_DICT_COMP - AST_LIST_COMP] = "dict comprehension",
            [AST_GENERATOR_EXP - AST_LIST_COMP] = "generator expression"};
        return scope_error(w, node->span, "'yield' inside %s",
                           where[w->scope->node->kind - AST_LIST_COMP]);
    }
    if (w->scope->kind != SCOPE_FUNCTION && w->scope->kind != SCOPE_LAMBDA) {
        return scope_error(w, node->span, "%s", "'yield' outside function");
    }
    // The compiler emits another kind of return for it, even where the yield is
    // never reached.
    w->scope->is_generator = true;
    return walk(w, node->expr_stmt.value);
}

// Reading and assigning a name are told apart by its flags.
static bool walk_name(ScopeWalk *w, const Node *node)
{
    bool load = node->name.context == CONTEXT_LOAD;
    if (!load && strcmp(node->name.id.text, "__debug__") == 0) {
        return scope_error(w, node->span, "%s",
                           node->name.context == CONTEXT_DEL
                               ? "cannot delete __debug__"
                               : "cannot assign to __debug__");
    }
    uint32_t flags = load ? SYMBOL_USED : SYMBOL_ASSIGNED;
    if (node->name.context == CONTEXT_DEL) {
        // Deleting binds: the name is local to the scope.
        flags |= SYMBOL_DELETED;
    }
    if (!note(w, node->name.id, flags, node->span)) {
        return false;
    }
    // A bare super() needs the cell of the class around the method.
    if (load && strcmp(node->name.id.text, "super") == 0 &&
        w->scope->kind >= SCOPE_FUNCTION && w->scope->class_name != NULL &&
        w->scope->kind != SCOPE_CLASS) {
        static const Text cell = {"__class__", 9};
        return note(w, cell, SYMBOL_USED, node->span);
    }
    return true;
}

// `x: int`: only a bare name is declared by it, and a declared one cannot be.
// In a module `global` changes nothing, so that it is allowed there. The
// annotation is walked in any case: names in it are read, if only at module
// level.
static bool walk_annotated(ScopeWalk *w, const Node *node)
{
    const Node *target = node->ann_assign.target;
    w->scope->has_annotations = true;
    if (target->kind == AST_NAME && !target->parenthesized) {
        Symbol *symbol =
            scope_note_name(w, w->scope, target->name.id, 0, target->span);
        if (symbol == NULL) {
            return false;
        }
        uint32_t declared = symbol->flags & (SYMBOL_GLOBAL | SYMBOL_NONLOCAL);
        if (declared != 0 && w->scope->kind != SCOPE_MODULE) {
            return scope_error(w, node->span,
                               declared & SYMBOL_GLOBAL
                                   ? "annotated name '%s' can't be global"
                                   : "annotated name '%s' can't be nonlocal",
                               target->name.id.text);
        }
        symbol->flags |= SYMBOL_ANNOTATED;
    }
    return walk(w, node->ann_assign.annotation) &&
           walk(w, node->ann_assign.value) && walk(w, target);
}

// Statements that bind names or open scopes; all else walks its parts. The
// order in which parts are walked is that in which they run, since it decides
// which of two errors is told.
static bool walk_statement(ScopeWalk *w, const Node *node)
{
    switch (node->kind) {
    case AST_MODULE: return walk_list(w, node->module.body);
    case AST_RETURN:
        if (w->scope->kind != SCOPE_FUNCTION) {
            return scope_error(w, node->span, "%s",
                               "'return' outside function");
        }
        return walk(w, node->expr_stmt.value);
    case AST_EXPR_STMT: return walk(w, node->expr_stmt.value);
    case AST_ASSIGN:
        return walk(w, node->assign.value) &&
               walk_list(w, node->assign.targets);
    case AST_AUG_ASSIGN:
        return walk(w, node->aug_assign.value) &&
               walk(w, node->aug_assign.target);
    case AST_ANN_ASSIGN: return walk_annotated(w, node);
    case AST_DELETE: return walk_list(w, node->delete_stmt.targets);
    case AST_IF:
    case AST_WHILE:
        return walk(w, node->if_stmt.test) &&
               walk_list(w, node->if_stmt.body) &&
               walk_list(w, node->if_stmt.orelse);
    case AST_FOR:
        return walk(w, node->for_stmt.iter) && walk(w, node->for_stmt.target) &&
               walk_list(w, node->for_stmt.body) &&
               walk_list(w, node->for_stmt.orelse);
    case AST_TRY:
        return walk_list(w, node->try_stmt.body) &&
               walk_list(w, node->try_stmt.handlers) &&
               walk_list(w, node->try_stmt.orelse) &&
               walk_list(w, node->try_stmt.finalbody);
    case AST_EXCEPT_HANDLER:
        return walk(w, node->handler.type) &&
               (node->handler.name.text == NULL ||
                note(w, node->handler.name, SYMBOL_ASSIGNED | SYMBOL_DELETED,
                     node->span)) &&
               walk_list(w, node->handler.body);
    case AST_WITH:
        return walk_list(w, node->with_stmt.items) &&
               walk_list(w, node->with_stmt.body);
    case AST_WITH_ITEM:
        return walk(w, node->with_item.context) &&
               walk(w, node->with_item.target);
    case AST_RAISE:
        return walk(w, node->raise_stmt.exception) &&
               walk(w, node->raise_stmt.cause);
    case AST_ASSERT:
        return walk(w, node->assert_stmt.test) &&
               walk(w, node->assert_stmt.message);
    case AST_GLOBAL:
    case AST_NONLOCAL: return walk_declaration(w, node);
    case AST_IMPORT: return walk_import(w, node, node->names.names);
    case AST_IMPORT_FROM: return walk_import(w, node, node->import_from.names);
    case AST_FUNCTION_DEF: return walk_function(w, node);
    case AST_CLASS_DEF: return walk_class(w, node);
    default: return true;
    }
}

// Left-deep sums may be half a million deep: down the left without recursion.
static bool walk_binary(ScopeWalk *w, const Node *node)
{
    while (node->kind == AST_BINARY) {
        if (!walk(w, node->binary.right)) {
            return false;
        }
        node = node->binary.left;
    }
    return walk(w, node);
}

// Contexts of names are in the tree already: targets are walked like any other
// expression.
static bool walk_expression(ScopeWalk *w, const Node *node)
{
    switch (node->kind) {
    case AST_NAME: return walk_name(w, node);
    case AST_JOINED_STR: return walk_list(w, node->joined_str.values);
    case AST_FORMATTED_VALUE:
        return walk(w, node->formatted.value) &&
               walk(w, node->formatted.format_spec);
    case AST_TUPLE:
    case AST_LIST:
    case AST_SET: return walk_list(w, node->sequence.elements);
    case AST_DICT:
        return walk_list(w, node->dict.keys) && walk_list(w, node->dict.values);
    case AST_BINARY: return walk_binary(w, node);
    case AST_UNARY: return walk(w, node->unary.operand);
    case AST_BOOL_OP: return walk_list(w, node->bool_op.values);
    case AST_COMPARE:
        return walk(w, node->compare.left) &&
               walk_list(w, node->compare.comparators);
    case AST_CALL:
        for (uint32_t i = 0; i < node->call.keywords.count; i++) {
            const Node *keyword = node->call.keywords.items[i];
            if (!check_bindable(w, node, keyword->keyword.name)) {
                return false;
            }
        }
        return walk(w, node->call.function) &&
               walk_list(w, node->call.arguments) &&
               walk_list(w, node->call.keywords);
    case AST_KEYWORD: return walk(w, node->keyword.value);
    case AST_ATTRIBUTE:
        return (node->attribute.context != CONTEXT_STORE ||
                check_bindable(w, node, node->attribute.name)) &&
               walk(w, node->attribute.value);
    case AST_SUBSCRIPT:
        return walk(w, node->subscript.value) && walk(w, node->subscript.index);
    case AST_SLICE:
        return walk(w, node->slice.lower) && walk(w, node->slice.upper) &&
               walk(w, node->slice.step);
    case AST_STARRED: return walk(w, node->starred.value);
    case AST_NAMED_EXPR: return walk_walrus(w, node);
    case AST_CONDITIONAL:
        return walk(w, node->conditional.test) &&
               walk(w, node->conditional.body) &&
               walk(w, node->conditional.orelse);
    case AST_LAMBDA: return walk_function(w, node);
    case AST_LIST_COMP:
    case AST_SET_COMP:
    case AST_DICT_COMP:
    case AST_GENERATOR_EXP: return walk_comprehension(w, node);
    case AST_YIELD:
    case AST_YIELD_FROM: return walk_yield(w, node);
    default: return true;
    }
}

// NULL, a part that was left out, is walked with success. The depth is counted,
// since the tree may be deep.
static bool walk(ScopeWalk *w, const Node *node)
{
    if (node == NULL) {
        return true;
    }
    if (!ctx_poll(w->table->ctx) || !ctx_enter(w->table->ctx)) {
        return false;
    }
    // The kinds of statements stand before those of expressions.
    bool ok = node->kind < AST_NAME ? walk_statement(w, node)
                                    : walk_expression(w, node);
    ctx_leave(w->table->ctx);
    return ok;
}

// The walk by another name than that of its recursion.
bool scope_note_all(ScopeWalk *w, const Node *tree)
{
    return walk(w, tree);
}
