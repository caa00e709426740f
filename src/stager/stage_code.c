// The conversion as source.
//
// The function is read again and lowered with names for people (lower.h);
// then each block becomes two functions, handed to an intrinsic:
//     if      stage.cond(test, if_body, else_body)
//     while   stage.loop(loop_test, loop_body)
//     for     stage.for_each(iterable, loop_test, loop_body)
// which assign the function's variables by `nonlocal`; a variable that blocks
// alone assign is declared above them as `y: object`, one that the conversion
// made by what it is: `retval_: stage.result`. `and`, `or`, `not`, the ternary
// and `assert` get functions of no parameters. What runs has blocks in place.
#include "stager/stage_code.h"

#include <stdio.h>
#include <string.h>

#include "interp/core/raise.h"
#include "interp/machine/compile/lower.h"
#include "interp/objects/text/obj_str.h"
#include "stager/code_names.h"
#include "stager/convert.h"
#include "stager/staged_fn.h"

// One printing of one function. Nodes and texts are the arena's; a failure to
// make one is kept in `make` and asked for at the end.
typedef struct Printer {
    AstMaker make;
    const Lowered *lowered;
    uint32_t blocks; // made so far
    TextVec global;  // names that the function declares so
    TextVec outer;   // and those that it declares nonlocal
} Printer;

static NodeList block_list(Printer *p, NodeList list);
static void rewrite(Printer *p, Node **slot);

// --- parts of the text ---

// The first block of a function has names without a number.
static Text block_name(Printer *p, const char *stem, uint32_t number)
{
    char text[40];
    if (number == 0) {
        snprintf(text, sizeof text, "%s", stem);
    } else {
        snprintf(text, sizeof text, "%s_%u", stem, (unsigned)number);
    }
    return ast_make_text(&p->make, text);
}

// One plain parameter; `name` NULL: none.
static Node *params_of(Printer *p, const Text *name)
{
    Span none = {0, 0};
    Node *params = ast_make_node(&p->make, AST_PARAMS, none);
    if (name != NULL) {
        Node *param = ast_make_node(&p->make, AST_PARAM, none);
        param->param.name = *name;
        param->param.kind = PARAM_POSITIONAL;
        params->params.params = ast_make_list(&p->make, &param, 1);
    }
    return params;
}

// `return value`.
static Node *return_node(Printer *p, Node *value)
{
    Node *node = ast_make_node(&p->make, AST_RETURN, value->span);
    node->expr_stmt.value = value;
    return node;
}

// A function of one parameter or none, without decorators.
static Node *function_node(Printer *p, Text name, const Text *param,
                           NodeList body)
{
    Node *node = ast_make_node(&p->make, AST_FUNCTION_DEF, (Span){0, 0});
    node->function_def.name = name;
    node->function_def.params = params_of(p, param);
    node->function_def.body = body;
    return node;
}

// `lambda: body`: an operand that is evaluated only if it is asked for.
static Node *lambda_node(Printer *p, Node *body)
{
    Node *node = ast_make_node(&p->make, AST_LAMBDA, body->span);
    node->lambda.params = params_of(p, NULL);
    node->lambda.body = body;
    return node;
}

// A name that is read.
static Node *load(Printer *p, Text name)
{
    return ast_make_name(&p->make, name, CONTEXT_LOAD, (Span){0, 0});
}

// `stage.name`.
static Node *stage_member(Printer *p, const char *name)
{
    Node *member = ast_make_node(&p->make, AST_ATTRIBUTE, (Span){0, 0});
    member->attribute.value = load(p, ast_make_text(&p->make, "stage"));
    member->attribute.name = ast_make_text(&p->make, name);
    return member;
}

// `stage.name(args)`.
static Node *intrinsic(Printer *p, const char *name, Node *const *args,
                       size_t count)
{
    Node *call = ast_make_node(&p->make, AST_CALL, (Span){0, 0});
    call->call.function = stage_member(p, name);
    call->call.arguments = ast_make_list(&p->make, args, count);
    return call;
}

// The same as a statement.
static void push_intrinsic(Printer *p, NodeVec *out, const char *name,
                           Node *const *args, size_t count)
{
    Node *node = ast_make_node(&p->make, AST_EXPR_STMT, (Span){0, 0});
    node->expr_stmt.value = intrinsic(p, name, args, count);
    ast_make_push(&p->make, out, node);
}

// `nonlocal a, b`, or `global`, of those names that are global, or not.
static void push_names(Printer *p, NodeVec *out, AstKind kind,
                       const TextVec *names)
{
    NodeVec parts = {0};
    for (size_t i = 0; i < names->count; i++) {
        if (code_names_has(&p->global, names->items[i]) ==
            (kind == AST_GLOBAL)) {
            ast_make_push(&p->make, &parts, load(p, names->items[i]));
        }
    }
    NodeList list = ast_make_taken(&p->make, &parts);
    if (list.count > 0) {
        Node *node = ast_make_node(&p->make, kind, (Span){0, 0});
        node->sequence.elements = list;
        ast_make_push(&p->make, out, node);
    }
}

// --- expressions ---

// In place: the lists belong to the arena of this one printing.
static void rewrite_list(Printer *p, NodeList list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        rewrite(p, &list.items[i]);
    }
}

// The children of any node, as the list of kinds names them.
static void rewrite_parts(Printer *p, Node *node)
{
    switch (node->kind) {
#define N(field) rewrite(p, &node->field);
#define L(field) rewrite_list(p, node->field);
#include "parser/ast_cases.h"
    default: break;
    }
}

// Each operand in a function, so that later ones are evaluated only as far as
// `and` and `or` go.
static Node *bool_call(Printer *p, const Node *node)
{
    NodeVec args = {0};
    for (uint32_t i = 0; i < node->bool_op.values.count; i++) {
        ast_make_push(&p->make, &args,
                      lambda_node(p, node->bool_op.values.items[i]));
    }
    NodeList list = ast_make_taken(&p->make, &args);
    return intrinsic(p, node->bool_op.op == BOOL_AND ? "and_" : "or_",
                     list.items, list.count);
}

// The ternary is the same intrinsic as `if`, with functions that give a value.
static Node *choice_call(Printer *p, const Node *node)
{
    Node *args[3] = {node->conditional.test,
                     lambda_node(p, node->conditional.body),
                     lambda_node(p, node->conditional.orelse)};
    return intrinsic(p, "cond", args, 3);
}

static bool assigns(Printer *p, const Node *node)
{
    TextVec names = {0};
    if (node->kind == AST_BOOL_OP || node->kind == AST_CONDITIONAL) {
        code_names_stored(&p->make, &names, node);
    }
    bool any = names.count > 0;
    vec_free(p->make.ctx, &names);
    return any;
}

// An expression in its place, its inner ones first. Inner functions stay as
// they are: they are converted when they are called.
static void rewrite(Printer *p, Node **slot)
{
    Node *node = *slot;
    // After a failure the rest of the tree is left as it is; nothing of it is
    // printed.
    if (node == NULL || p->make.failed || code_names_is_frame(node)) {
        return;
    }
    if (!ctx_enter(p->make.ctx)) {
        p->make.failed = true;
        return;
    }
    // From the leaves up, so that what becomes a lambda's body is rewritten
    // already.
    rewrite_parts(p, node);
    // What is assigned in a lambda would be the lambda's.
    if (assigns(p, node)) {
        ctx_leave(p->make.ctx);
        return;
    }
    if (node->kind == AST_BOOL_OP) {
        *slot = bool_call(p, node);
    } else if (node->kind == AST_UNARY && node->unary.op == UNARY_NOT) {
        *slot = intrinsic(p, "not_", &node->unary.operand, 1);
    } else if (node->kind == AST_CONDITIONAL) {
        *slot = choice_call(p, node);
    }
    ctx_leave(p->make.ctx);
}

// --- statements ---

// The list behind what is in the vector, a statement in any case.
static NodeList body_of(Printer *p, NodeVec *body, NodeList list)
{
    ast_make_push_all(&p->make, body, block_list(p, list));
    if (body->count == 0) {
        ast_make_push(&p->make, body,
                      ast_make_node(&p->make, AST_PASS, (Span){0, 0}));
    }
    return ast_make_taken(&p->make, body);
}

static NodeList body_list(Printer *p, NodeList list)
{
    NodeVec body = {0};
    return body_of(p, &body, list);
}

// The statements as the body of a function that assigns the names as those of
// the function around it.
static NodeList part_body(Printer *p, NodeList list, const TextVec *names)
{
    NodeVec body = {0};
    push_names(p, &body, AST_GLOBAL, names);
    push_names(p, &body, AST_NONLOCAL, names);
    return body_of(p, &body, list);
}

// One side of a condition, or one turn.
static Node *part_node(Printer *p, Text name, const Text *param, NodeList list)
{
    TextVec names = {0};
    code_names_stored_all(&p->make, &names, list);
    Node *node = function_node(p, name, param, part_body(p, list, &names));
    vec_free(p->make.ctx, &names);
    return node;
}

// A test may assign by :=.
static Node *test_node(Printer *p, Text name, Node *test)
{
    TextVec names = {0};
    NodeVec body = {0};
    code_names_stored(&p->make, &names, test);
    push_names(p, &body, AST_GLOBAL, &names);
    push_names(p, &body, AST_NONLOCAL, &names);
    rewrite(p, &test);
    ast_make_push(&p->make, &body, return_node(p, test));
    vec_free(p->make.ctx, &names);
    return function_node(p, name, NULL, ast_make_taken(&p->make, &body));
}

// Two functions and the call.
static void print_if(Printer *p, NodeVec *out, Node *node)
{
    uint32_t number = p->blocks++;
    rewrite(p, &node->if_stmt.test);
    Text then = block_name(p, "if_body", number);
    Text other = block_name(p, "else_body", number);
    ast_make_push(&p->make, out, part_node(p, then, NULL, node->if_stmt.body));
    ast_make_push(&p->make, out,
                  part_node(p, other, NULL, node->if_stmt.orelse));
    Node *args[3] = {node->if_stmt.test, load(p, then), load(p, other)};
    push_intrinsic(p, out, "cond", args, 3);
}

static void print_while(Printer *p, NodeVec *out, Node *node)
{
    uint32_t number = p->blocks++;
    Text test = block_name(p, "loop_test", number);
    Text turn = block_name(p, "loop_body", number);
    ast_make_push(&p->make, out, test_node(p, test, node->if_stmt.test));
    ast_make_push(&p->make, out, part_node(p, turn, NULL, node->if_stmt.body));
    Node *args[2] = {load(p, test), load(p, turn)};
    push_intrinsic(p, out, "loop", args, 2);
}

// The condition under which the turns go on; without break or return it is
// true.
static Node *for_test(Printer *p, const Node *node, Text name)
{
    // A copy of the stop is negated: the tree has the original in a place of
    // its own.
    const Node *stop = lowered_stop(p->lowered, node);
    Span none = {0, 0};
    Node *value = stop == NULL
                      ? ast_make_constant(&p->make, CONSTANT_TRUE, none)
                      : ast_make_not(&p->make, ast_make_copy(&p->make, stop));
    return test_node(p, name, value);
}

// A turn takes the item, and first unpacks it into the target, which may be a
// pattern.
static void print_for(Printer *p, NodeVec *out, Node *node)
{
    // Taken before the body is rewritten, so that outer loops have lower
    // numbers.
    uint32_t number = p->blocks++;
    rewrite(p, &node->for_stmt.iter);
    Text test = block_name(p, "loop_test", number);
    Text turn = block_name(p, "loop_body", number);
    Text item = block_name(p, "item_", number);
    ast_make_push(&p->make, out, for_test(p, node, test));
    Node *assign = ast_make_node(&p->make, AST_ASSIGN, node->span);
    assign->assign.targets = ast_make_list(&p->make, &node->for_stmt.target, 1);
    assign->assign.value = load(p, item);
    NodeList body = ast_make_join(&p->make, ast_make_list(&p->make, &assign, 1),
                                  node->for_stmt.body);
    ast_make_push(&p->make, out, part_node(p, turn, &item, body));
    Node *args[3] = {node->for_stmt.iter, load(p, test), load(p, turn)};
    push_intrinsic(p, out, "for_each", args, 3);
}

// The message is a function: it is evaluated only if the assertion fails.
static void print_assert(Printer *p, NodeVec *out, Node *node)
{
    rewrite(p, &node->assert_stmt.test);
    rewrite(p, &node->assert_stmt.message);
    Node *message = node->assert_stmt.message;
    Node *args[2] = {node->assert_stmt.test,
                     message != NULL ? lambda_node(p, message) : NULL};
    push_intrinsic(p, out, "assert_", args, message != NULL ? 2 : 1);
}

// `try` acts on the host and stays as it is; its parts are converted.
static void print_try(Printer *p, Node *node)
{
    node->try_stmt.body = body_list(p, node->try_stmt.body);
    node->try_stmt.orelse = block_list(p, node->try_stmt.orelse);
    node->try_stmt.finalbody = block_list(p, node->try_stmt.finalbody);
    for (uint32_t i = 0; i < node->try_stmt.handlers.count; i++) {
        Node *handler = node->try_stmt.handlers.items[i];
        handler->handler.body = body_list(p, handler->handler.body);
    }
}

// A nonlocal name has no annotation, and those of variables do nothing.
static void print_annotated(Printer *p, NodeVec *out, Node *node)
{
    if (node->ann_assign.value != NULL) {
        Node *assign = ast_make_node(&p->make, AST_ASSIGN, node->span);
        assign->assign.targets =
            ast_make_list(&p->make, &node->ann_assign.target, 1);
        assign->assign.value = node->ann_assign.value;
        rewrite(p, &assign);
        ast_make_push(&p->make, out, assign);
    }
}

// Everything that is no block is printed as it stands, with its expressions
// rewritten.
static void print_statement(Printer *p, NodeVec *out, Node *node)
{
    switch (node->kind) {
    case AST_IF: print_if(p, out, node); return;
    case AST_WHILE: print_while(p, out, node); return;
    case AST_FOR: print_for(p, out, node); return;
    case AST_ASSERT: print_assert(p, out, node); return;
    case AST_ANN_ASSIGN: print_annotated(p, out, node); return;
    case AST_PASS: return; // a flag that nobody tests
    case AST_GLOBAL:
    case AST_NONLOCAL: return; // stand at the head of the function
    case AST_TRY: print_try(p, node); break;
    case AST_WITH:
        rewrite_list(p, node->with_stmt.items);
        node->with_stmt.body = body_list(p, node->with_stmt.body);
        break;
    default: rewrite(p, &node);
    }
    ast_make_push(&p->make, out, node);
}

// Statements in order; a block becomes several.
static NodeList block_list(Printer *p, NodeList list)
{
    NodeVec out = {0};
    if (p->make.failed || !ctx_enter(p->make.ctx)) {
        p->make.failed = true;
        return (NodeList){NULL, 0};
    }
    for (uint32_t i = 0; i < list.count; i++) {
        print_statement(p, &out, list.items[i]);
    }
    ctx_leave(p->make.ctx);
    return ast_make_taken(&p->make, &out);
}

// --- the function ---

// `name: kind`, which declares the name as the function's own.
static void push_kind(Printer *p, NodeVec *out, Text name, Node *kind)
{
    Node *node = ast_make_node(&p->make, AST_ANN_ASSIGN, (Span){0, 0});
    node->ann_assign.target =
        ast_make_name(&p->make, name, CONTEXT_STORE, (Span){0, 0});
    node->ann_assign.annotation = kind;
    node->ann_assign.simple = true;
    ast_make_push(&p->make, out, node);
}

// Variables that the conversion made, which a trace knows from the program's by
// this (code_read.h).
static void push_flags(Printer *p, NodeVec *out, TextVec *plain, NodeList list)
{
    const Lowered *l = p->lowered;
    TextVec stored = {0};
    code_names_stored_all(&p->make, &stored, list);
    for (size_t i = 0; i < l->flags.count; i++) {
        Text name = l->flags.items[i];
        const char *kind = name.text == l->result.text     ? "result"
                           : name.text == l->returned.text ? "returned"
                                                           : "flag";
        if (code_names_has(&stored, name)) { // else nobody tests it
            push_kind(p, out, name, stage_member(p, kind));
            code_names_add(&p->make, plain, name);
        }
    }
    vec_free(p->make.ctx, &stored);
}

// `name: object` for each variable that blocks alone assign, so that it is the
// function's own; without a value, as before.
static void push_declared(Printer *p, NodeVec *out, const Node *function,
                          NodeList list)
{
    TextVec blocks = {0}, plain = {0};
    NodeList params = function->function_def.params->params.params;
    for (uint32_t i = 0; i < params.count; i++) {
        code_names_add(&p->make, &plain, params.items[i]->param.name);
    }
    push_flags(p, out, &plain, list);
    code_names_sorted(&p->make, list, &blocks, &plain);
    for (size_t i = 0; i < blocks.count; i++) {
        Text name = blocks.items[i];
        if (!code_names_has(&plain, name) &&
            !code_names_has(&p->global, name) &&
            !code_names_has(&p->outer, name)) {
            push_kind(p, out, name, load(p, ast_make_text(&p->make, "object")));
        }
    }
    vec_free(p->make.ctx, &blocks);
    vec_free(p->make.ctx, &plain);
}

static bool is_text(const Node *node)
{
    return node->kind == AST_EXPR_STMT &&
           node->expr_stmt.value->kind == AST_CONSTANT &&
           node->expr_stmt.value->constant.type == CONSTANT_STR;
}

// The doc string, declarations, then the statements.
static NodeList whole_body(Printer *p, const Node *function, NodeList list)
{
    NodeVec body = {0};
    code_names_declared(&p->make, &p->global, AST_GLOBAL, list);
    code_names_declared(&p->make, &p->outer, AST_NONLOCAL, list);
    bool doc = list.count > 0 && is_text(list.items[0]);
    if (doc) {
        ast_make_push(&p->make, &body, list.items[0]);
        list.items++;
        list.count--;
    }
    push_names(p, &body, AST_GLOBAL, &p->global);
    push_names(p, &body, AST_NONLOCAL, &p->outer);
    push_declared(p, &body, function, list);
    return body_of(p, &body, list);
}

// The tree was read for this alone and may be changed in place.
static bool print_function(Vm *vm, Arena *arena, const Code *code, Node *node,
                           StrBuf *out)
{
    Lowered lowered;
    // A lambda has no statements, so that there is nothing to lower.
    if (node->kind == AST_LAMBDA) {
        Printer p = {.make = {.ctx = &vm->ctx, .arena = arena}};
        rewrite(&p, &node->lambda.body);
        ast_unparse(out, node, 0);
        return !p.make.failed;
    }
    // Nor is a generator ever converted.
    if (code->flags & CODE_GENERATOR) {
        node->function_def.decorators = (NodeList){NULL, 0};
        ast_unparse(out, node, 0);
        return true;
    }
    // The same lowering as for running, but with names that people can read in
    // place of hidden ones.
    bool ok =
        lower_function(&vm->ctx, arena, code->source, node, true, &lowered);
    Printer p = {.make = {.ctx = &vm->ctx, .arena = arena, .failed = !ok},
                 .lowered = &lowered};
    NodeList body = whole_body(&p, node, lowered.body);
    if (!p.make.failed) {
        node->function_def.body = body;
        node->function_def.decorators = (NodeList){NULL, 0};
        ast_unparse(out, node, 0);
    }
    vec_free(&vm->ctx, &p.global);
    vec_free(&vm->ctx, &p.outer);
    lowered_free(&lowered);
    return !p.make.failed;
}

// What the program wrote, behind a staged function that is bound to an object,
// or was made of a bound method; borrowed.
static const Function *function_of(Vm *vm, Value v)
{
    if (value_is_kind(v, KIND_METHOD)) {
        v = ((const Method *)value_object(v))->function;
    }
    if (value_is_staged(vm, v)) {
        v = ((const StagedFunction *)value_object(v))->host;
    }
    if (value_is_kind(v, KIND_METHOD)) {
        v = ((const Method *)value_object(v))->function;
    }
    if (!value_is_kind(v, KIND_FUNCTION)) {
        return raise_null(vm, ERR_TYPE,
                          "stage.code() takes a function written in Duet, "
                          "not '%s'",
                          type_name(type_of(vm, v)));
    }
    return (const Function *)value_object(v);
}

// Nothing is traced or run.
Value stage_code_text(Vm *vm, Value v)
{
    const Function *function = function_of(vm, v);
    if (function == NULL) {
        return VALUE_FAIL;
    }
    Arena arena;
    StrBuf out;
    arena_init(&arena, &vm->ctx);
    strbuf_init(&out, &vm->ctx);
    // The whole source is read again: code keeps no tree, and a span finds the
    // function in it.
    Node *tree = convert_read(vm, function->code->source, &arena);
    Node *node = tree == NULL ? NULL : convert_find(function->code, tree);
    bool ok =
        node != NULL && print_function(vm, &arena, function->code, node, &out);
    if (tree != NULL && node == NULL) {
        raise_error(vm, ERR_TYPE, "stage.code(): the source of %s is gone",
                    function->code->name->text);
    }
    arena_destroy(&arena);
    if (!ok) {
        strbuf_free(&out);
        return VALUE_FAIL;
    }
    return value_or_fail(str_from_buf(vm, &out));
}
