// Statements as source text, and the loop that prints.
//
// Invariant: every statement begins with its indentation and ends its line.
#include "parser/unparse.h"

// Failure is kept in the printer: handlers queue on without looking, and the
// loop in ast_unparse stops.
static void unparse_queue(Unparser *u, UnparseItem item)
{
    if (!u->failed && !vec_push(u->out->ctx, &u->queue, item)) {
        u->failed = true;
    }
}

// The text is not copied: it must outlive the printer, so it is a literal or
// lies in the tree's arena. An empty one costs no item, which lets callers
// write `i > 0 ? ", " : ""`.
void unparse_text(Unparser *u, const char *text)
{
    if (text[0] != '\0') {
        unparse_queue(u, (UnparseItem){ITEM_TEXT, 0, text, NULL});
    }
}

// `least` is what the place asks for; the expression's own tightness is looked
// at when its turn comes.
void unparse_expr(Unparser *u, const Node *node, Tightness least)
{
    unparse_queue(u, (UnparseItem){ITEM_EXPR, (int)least, NULL, node});
}

// No trailing comma: a tuple of one adds its own.
void unparse_list(Unparser *u, const NodeList *list, Tightness least)
{
    for (uint32_t i = 0; i < list->count; i++) {
        unparse_text(u, i > 0 ? ", " : "");
        unparse_expr(u, list->items[i], least);
    }
}

// A statement indents itself. With a `node` of NULL it is only the indentation
// and `word`; with an IF, `word` replaces its "if".
static void queue_statement(Unparser *u, const Node *node, int level,
                            const char *word)
{
    unparse_queue(u, (UnparseItem){ITEM_STATEMENT, level, word, node});
}

// Used for every block, since all have the form `:`, line end, statements one
// level in. Bodies are never on the head's line, as in ast.unparse.
static void queue_body(Unparser *u, const NodeList *body, int level)
{
    unparse_text(u, ":\n");
    for (uint32_t i = 0; i < body->count; i++) {
        queue_statement(u, body->items[i], level + 1, NULL);
    }
}

// A line of its own for `else`, `finally` and the like.
// An absent clause is an empty list and prints nothing.
static void queue_clause(Unparser *u, const char *word, const NodeList *body,
                         int level)
{
    if (body->count > 0) {
        queue_statement(u, NULL, level, word);
        queue_body(u, body, level);
    }
}

// Targets in the order of the text: `a = b = 1` stores to `a` first.
static void queue_assign(Unparser *u, const Node *node)
{
    for (uint32_t i = 0; i < node->assign.targets.count; i++) {
        unparse_expr(u, node->assign.targets.items[i], TIGHT_TEST);
        unparse_text(u, " = ");
    }
    // A yield may stand on the right of an assignment without parentheses.
    unparse_expr(u, node->assign.value, TIGHT_LOOSE);
}

// `(x): int` is not `x: int`: the first declares no local name. The
// parentheses are therefore part of the tree and must be printed.
static void queue_annotated(Unparser *u, const Node *node)
{
    const Node *target = node->ann_assign.target;
    bool bracket = target->kind == AST_NAME && !node->ann_assign.simple;
    unparse_text(u, bracket ? "(" : "");
    unparse_expr(u, target, TIGHT_TEST);
    unparse_text(u, bracket ? "): " : ": ");
    unparse_expr(u, node->ann_assign.annotation, TIGHT_TEST);
    if (node->ann_assign.value != NULL) {
        unparse_text(u, " = ");
        unparse_expr(u, node->ann_assign.value, TIGHT_LOOSE);
    }
}

// For parts that the grammar puts in brackets; an absent one takes its word
// with it.
static void queue_optional(Unparser *u, const char *before, const Node *node)
{
    if (node != NULL) {
        unparse_text(u, before);
        unparse_expr(u, node, TIGHT_TEST);
    }
}

// The names have no tightness: a dotted one is a single text, `*` too.
static void queue_aliases(Unparser *u, const NodeList *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        const Node *alias = names->items[i];
        unparse_text(u, i > 0 ? ", " : "");
        unparse_text(u, alias->alias.name.text);
        if (alias->alias.asname.text != NULL) {
            unparse_text(u, " as ");
            unparse_text(u, alias->alias.asname.text);
        }
    }
}

// A relative import has a level and may have no module: `from .. import a`.
static void queue_import_from(Unparser *u, const Node *node)
{
    unparse_text(u, "from ");
    // Three dots need no token of their own: `...` is read as three levels.
    for (uint32_t i = 0; i < node->import_from.level; i++) {
        unparse_text(u, ".");
    }
    if (node->import_from.module.text != NULL) {
        unparse_text(u, node->import_from.module.text);
    }
    unparse_text(u, " import ");
    queue_aliases(u, &node->import_from.names);
}

// The operator's symbol and the `=` are two texts, because there is no table
// of augmented symbols.
static void queue_augmented(Unparser *u, const Node *node)
{
    unparse_expr(u, node->aug_assign.target, TIGHT_TEST);
    unparse_text(u, " ");
    unparse_text(u, ast_binary_symbol(node->aug_assign.op));
    unparse_text(u, "= ");
    unparse_expr(u, node->aug_assign.value, TIGHT_LOOSE);
}

// GLOBAL and NONLOCAL; their names are NAME nodes.
static void queue_names(Unparser *u, const Node *node)
{
    unparse_text(u, node->kind == AST_GLOBAL ? "global " : "nonlocal ");
    unparse_list(u, &node->names.names, TIGHT_TEST);
}

// A statement of one line, without its end.
// Everything that has no block; the line end is added for all alike.
static void queue_simple(Unparser *u, const Node *node)
{
    switch (node->kind) {
    case AST_EXPR_STMT:
        unparse_expr(u, node->expr_stmt.value, TIGHT_TEST);
        break;
    case AST_ASSIGN: queue_assign(u, node); break;
    case AST_AUG_ASSIGN: queue_augmented(u, node); break;
    case AST_ANN_ASSIGN: queue_annotated(u, node); break;
    case AST_RETURN:
        unparse_text(u, "return");
        queue_optional(u, " ", node->expr_stmt.value);
        break;
    case AST_DELETE:
        unparse_text(u, "del ");
        unparse_list(u, &node->delete_stmt.targets, TIGHT_TEST);
        break;
    case AST_RAISE:
        unparse_text(u, "raise");
        queue_optional(u, " ", node->raise_stmt.exception);
        queue_optional(u, " from ", node->raise_stmt.cause);
        break;
    case AST_ASSERT:
        unparse_text(u, "assert");
        queue_optional(u, " ", node->assert_stmt.test);
        queue_optional(u, ", ", node->assert_stmt.message);
        break;
    case AST_IMPORT:
        unparse_text(u, "import ");
        queue_aliases(u, &node->names.names);
        break;
    case AST_IMPORT_FROM: queue_import_from(u, node); break;
    case AST_GLOBAL:
    case AST_NONLOCAL: queue_names(u, node); break;
    default:
        unparse_text(u, node->kind == AST_PASS    ? "pass"
                        : node->kind == AST_BREAK ? "break"
                                                  : "continue");
    }
    // Every statement ends its own line.
    unparse_text(u, "\n");
}

// An `elif` chain is queued link by link, each by the one before it, so that
// neither the depth nor the indentation grows along it.
static void queue_if(Unparser *u, const Node *node, int level, const char *word)
{
    unparse_text(u, word != NULL ? word : "if");
    queue_optional(u, " ", node->if_stmt.test);
    queue_body(u, &node->if_stmt.body, level);
    // An `else` whose body is one IF is the same tree as an `elif` and comes
    // out as one.
    const Node *next = ast_elif(node);
    if (next != NULL) {
        queue_statement(u, next, level, "elif");
    } else {
        queue_clause(u, "else", &node->if_stmt.orelse, level);
    }
}

// WHILE has the members of IF; its else part is never an `elif`.
static void queue_while(Unparser *u, const Node *node, int level)
{
    unparse_text(u, "while ");
    unparse_expr(u, node->if_stmt.test, TIGHT_TEST);
    queue_body(u, &node->if_stmt.body, level);
    queue_clause(u, "else", &node->if_stmt.orelse, level);
}

// A tuple as the target is printed in parentheses, which change nothing there.
static void queue_for(Unparser *u, const Node *node, int level)
{
    unparse_text(u, "for ");
    unparse_expr(u, node->for_stmt.target, TIGHT_TEST);
    unparse_text(u, " in ");
    unparse_expr(u, node->for_stmt.iter, TIGHT_TEST);
    queue_body(u, &node->for_stmt.body, level);
    queue_clause(u, "else", &node->for_stmt.orelse, level);
}

// A handler without a type is the bare `except:`.
static void queue_handler(Unparser *u, const Node *node, int level)
{
    unparse_text(u, "except");
    queue_optional(u, " ", node->handler.type);
    if (node->handler.name.text != NULL) {
        unparse_text(u, " as ");
        unparse_text(u, node->handler.name.text);
    }
    queue_body(u, &node->handler.body, level);
}

// Handlers are items of their own for the sake of their indentation.
static void queue_try(Unparser *u, const Node *node, int level)
{
    unparse_text(u, "try");
    queue_body(u, &node->try_stmt.body, level);
    for (uint32_t i = 0; i < node->try_stmt.handlers.count; i++) {
        queue_statement(u, node->try_stmt.handlers.items[i], level, NULL);
    }
    queue_clause(u, "else", &node->try_stmt.orelse, level);
    queue_clause(u, "finally", &node->try_stmt.finalbody, level);
}

// No parentheses around the items, as ast.unparse writes them.
static void queue_with(Unparser *u, const Node *node, int level)
{
    unparse_text(u, "with ");
    for (uint32_t i = 0; i < node->with_stmt.items.count; i++) {
        const Node *item = node->with_stmt.items.items[i];
        unparse_text(u, i > 0 ? ", " : "");
        unparse_expr(u, item->with_item.context, TIGHT_TEST);
        queue_optional(u, " as ", item->with_item.target);
    }
    queue_body(u, &node->with_stmt.body, level);
}

// The statement's indentation was written by print_statement. Each decorator
// ends its line, so it has to be followed by the indentation of the next line,
// down to that of the word itself.
static void queue_decorators(Unparser *u, const NodeList *decorators, int level,
                             const char *word)
{
    for (uint32_t i = 0; i < decorators->count; i++) {
        unparse_text(u, "@");
        unparse_expr(u, decorators->items[i], TIGHT_LOOSE);
        unparse_text(u, "\n");
        queue_statement(u, NULL, level, ""); // indentation alone
    }
    unparse_text(u, word);
}

// The docstring is the first statement of the body and is printed as such.
static void queue_function(Unparser *u, const Node *node, int level)
{
    queue_decorators(u, &node->function_def.decorators, level, "def ");
    unparse_text(u, node->function_def.name.text);
    unparse_text(u, "(");
    unparse_params(u, node->function_def.params);
    unparse_text(u, ")");
    queue_optional(u, " -> ", node->function_def.returns);
    queue_body(u, &node->function_def.body, level);
}

// Without arguments the parentheses are left out, as ast.unparse does.
static void queue_class(Unparser *u, const Node *node, int level)
{
    const NodeList *bases = &node->class_def.bases;
    const NodeList *keywords = &node->class_def.keywords;
    queue_decorators(u, &node->class_def.decorators, level, "class ");
    unparse_text(u, node->class_def.name.text);
    if (bases->count + keywords->count > 0) {
        unparse_text(u, "(");
        unparse_list(u, bases, TIGHT_TEST);
        unparse_text(u, bases->count > 0 && keywords->count > 0 ? ", " : "");
        unparse_list(u, keywords, TIGHT_TEST);
        unparse_text(u, ")");
    }
    queue_body(u, &node->class_def.body, level);
}

// A NULL node is a clause's word on a line of its own.
// The indentation is written at once, since the statement's item is the one
// being printed.
static void print_statement(Unparser *u, const UnparseItem *item)
{
    const Node *node = item->node;
    int level = item->number;
    strbuf_pad(u->out, ' ', 4 * (size_t)level);
    if (node == NULL) {
        strbuf_puts(u->out, item->text);
        return;
    }
    switch (node->kind) {
    case AST_IF: queue_if(u, node, level, item->text); break;
    case AST_WHILE: queue_while(u, node, level); break;
    case AST_FOR: queue_for(u, node, level); break;
    case AST_TRY: queue_try(u, node, level); break;
    case AST_EXCEPT_HANDLER: queue_handler(u, node, level); break;
    case AST_WITH: queue_with(u, node, level); break;
    case AST_FUNCTION_DEF: queue_function(u, node, level); break;
    case AST_CLASS_DEF: queue_class(u, node, level); break;
    default: queue_simple(u, node);
    }
}

// Texts are written; nodes queue their parts, which move_queue then puts on
// top of the stack in place of the node.
static void print_item(Unparser *u, UnparseItem item)
{
    switch (item.type) {
    case ITEM_TEXT: strbuf_puts(u->out, item.text); break;
    // The item keeps the Tightness as a plain number, as statements keep a
    // level there.
    case ITEM_EXPR:
        unparse_expression(u, item.node, (Tightness)item.number);
        break;
    case ITEM_STATEMENT: print_statement(u, &item); break;
    }
}

// The queue onto the stack, the first item on top.
static void move_queue(Unparser *u)
{
    while (u->queue.count > 0) {
        UnparseItem item = vec_pop(&u->queue);
        if (!vec_push(u->out->ctx, &u->stack, item)) {
            u->failed = true;
            return;
        }
    }
}

// Statements, parameters and expressions are all accepted, since error texts
// and stage.code print parts of a tree. The kinds before NAME in ast_list.h
// are statements and parts of such.
void ast_unparse(StrBuf *out, const Node *node, int level)
{
    Unparser u = {.out = out};
    if (node->kind == AST_MODULE) {
        for (uint32_t i = 0; i < node->module.body.count; i++) {
            queue_statement(&u, node->module.body.items[i], level, NULL);
        }
    } else if (node->kind < AST_NAME && node->kind != AST_PARAMS) {
        queue_statement(&u, node, level, NULL);
    } else if (node->kind == AST_PARAMS) {
        unparse_params(&u, node);
    } else {
        unparse_expr(&u, node, TIGHT_LOOSE);
    }
    move_queue(&u);
    while (!u.failed && u.stack.count > 0) {
        UnparseItem item = vec_pop(&u.stack);
        print_item(&u, item);
        move_queue(&u);
        // A tree can be long: the loop must give in to an interrupt.
        u.failed |= !strbuf_ok(out) || !ctx_poll(out->ctx);
    }
    // The buffer carries the failure to the caller, who has no other result to
    // look at.
    if (u.failed) {
        strbuf_fail(out);
    }
    vec_free(out->ctx, &u.queue);
    vec_free(out->ctx, &u.stack);
}
