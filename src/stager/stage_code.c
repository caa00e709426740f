// The conversion as source.
//
// The function is read again and lowered with names for people (lower.h);
// then each block becomes two functions with the block's state as their
// parameters, handed to an intrinsic:
//     if      y = stage.cond(test, if_body, else_body)
//     while   i, y = stage.loop(loop_test, loop_body, (i, y))
//     for     y = stage.for_each(iterable, loop_test, loop_body, (y,))
// and `and`, `or`, `not`, the ternary and `assert` get functions of no
// parameters. What runs is the same code with the blocks in place.
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

// The names as a tuple; one alone without parentheses if it is stored to.
static Node *names_tuple(Printer *p, const TextVec *names, AstContext context)
{
    NodeVec items = {0};
    Span none = {0, 0};
    for (size_t i = 0; i < names->count; i++) {
        ast_make_push(&p->make, &items,
                      ast_make_name(&p->make, names->items[i], context, none));
    }
    Node *node = ast_make_node(&p->make, AST_TUPLE, none);
    node->sequence.elements = ast_make_taken(&p->make, &items);
    node->sequence.context = context;
    return node;
}

// Plain parameters by position; NULL: none.
static Node *params_of(Printer *p, const TextVec *names)
{
    NodeVec items = {0};
    Span none = {0, 0};
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        Node *param = ast_make_node(&p->make, AST_PARAM, none);
        param->param.name = names->items[i];
        param->param.kind = PARAM_POSITIONAL;
        ast_make_push(&p->make, &items, param);
    }
    Node *params = ast_make_node(&p->make, AST_PARAMS, none);
    params->params.params = ast_make_taken(&p->make, &items);
    return params;
}

// `return value`.
static Node *return_node(Printer *p, Node *value)
{
    Node *node = ast_make_node(&p->make, AST_RETURN, value->span);
    node->expr_stmt.value = value;
    return node;
}

// A function of these parameters, without decorators.
static Node *function_node(Printer *p, Text name, const TextVec *params,
                           NodeList body)
{
    Node *node = ast_make_node(&p->make, AST_FUNCTION_DEF, (Span){0, 0});
    node->function_def.name = name;
    node->function_def.params = params_of(p, params);
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

// `stage.name(args)`.
static Node *intrinsic(Printer *p, const char *name, Node *const *args,
                       size_t count)
{
    Span none = {0, 0};
    Node *call = ast_make_node(&p->make, AST_CALL, none);
    Node *member = ast_make_node(&p->make, AST_ATTRIBUTE, none);
    member->attribute.value = ast_make_name(
        &p->make, ast_make_text(&p->make, "stage"), CONTEXT_LOAD, none);
    member->attribute.name = ast_make_text(&p->make, name);
    call->call.function = member;
    call->call.arguments = ast_make_list(&p->make, args, count);
    return call;
}

// names = call, or the call alone if the block assigns nothing.
static Node *store_result(Printer *p, const TextVec *names, Node *call)
{
    if (names->count == 0) {
        Node *node = ast_make_node(&p->make, AST_EXPR_STMT, (Span){0, 0});
        node->expr_stmt.value = call;
        return node;
    }
    Node *node = ast_make_node(&p->make, AST_ASSIGN, (Span){0, 0});
    Node *target = names_tuple(p, names, CONTEXT_STORE);
    node->assign.targets = ast_make_list(&p->make, &target, 1);
    node->assign.value = call;
    return node;
}

// A name that is read.
static Node *load(Printer *p, Text name)
{
    return ast_make_name(&p->make, name, CONTEXT_LOAD, (Span){0, 0});
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

// Statements, then the state as the function's value.
static NodeList part_body(Printer *p, NodeList list, const TextVec *names)
{
    NodeVec body = {0};
    ast_make_push_all(&p->make, &body, block_list(p, list));
    if (names->count > 0) {
        ast_make_push(&p->make, &body,
                      return_node(p, names_tuple(p, names, CONTEXT_LOAD)));
    } else if (body.count == 0) {
        // A body needs a statement; a side that assigns nothing gives None.
        ast_make_push(&p->make, &body,
                      ast_make_node(&p->make, AST_PASS, (Span){0, 0}));
    }
    return ast_make_taken(&p->make, &body);
}

// One side of an `if`. What it assigns and reads too comes in as a default.
static Node *side_node(Printer *p, Text name, NodeList list,
                       const TextVec *names)
{
    // Names that the side only reads come from the enclosing function, as in
    // any inner function. One that it assigns would be local and unbound
    // there.
    TextVec own = {0}, params = {0};
    code_names_stored_all(&p->make, &own, list);
    for (size_t i = 0; i < own.count; i++) {
        if (code_names_read(&p->make, list, own.items[i])) {
            code_names_add(&p->make, &params, own.items[i]);
        }
    }
    Node *node = function_node(p, name, &params, part_body(p, list, names));
    NodeList made = node->function_def.params->params.params;
    for (uint32_t i = 0; i < made.count; i++) {
        made.items[i]->param.default_value = load(p, params.items[i]);
    }
    vec_free(p->make.ctx, &own);
    vec_free(p->make.ctx, &params);
    return node;
}

// Two functions and the call. What the sides assign is what they return.
static void print_if(Printer *p, NodeVec *out, Node *node)
{
    uint32_t number = p->blocks++;
    TextVec names = {0};
    rewrite(p, &node->if_stmt.test);
    code_names_stored_all(&p->make, &names, node->if_stmt.body);
    code_names_stored_all(&p->make, &names, node->if_stmt.orelse);
    Text then = block_name(p, "if_body", number);
    Text other = block_name(p, "else_body", number);
    ast_make_push(&p->make, out,
                  side_node(p, then, node->if_stmt.body, &names));
    ast_make_push(&p->make, out,
                  side_node(p, other, node->if_stmt.orelse, &names));
    Node *args[3] = {node->if_stmt.test, load(p, then), load(p, other)};
    ast_make_push(&p->make, out,
                  store_result(p, &names, intrinsic(p, "cond", args, 3)));
    vec_free(p->make.ctx, &names);
}

// The state comes in as parameters, so that test and body read the present
// turn's.
static void print_while(Printer *p, NodeVec *out, Node *node)
{
    uint32_t number = p->blocks++;
    TextVec names = {0};
    rewrite(p, &node->if_stmt.test);
    // A test may assign by :=, which is state of the loop too.
    code_names_stored(&p->make, &names, node->if_stmt.test);
    code_names_stored_all(&p->make, &names, node->if_stmt.body);
    Text test = block_name(p, "loop_test", number);
    Text turn = block_name(p, "loop_body", number);
    Node *tested = return_node(p, node->if_stmt.test);
    ast_make_push(
        &p->make, out,
        function_node(p, test, &names, ast_make_list(&p->make, &tested, 1)));
    ast_make_push(&p->make, out,
                  function_node(p, turn, &names,
                                part_body(p, node->if_stmt.body, &names)));
    Node *args[3] = {load(p, test), load(p, turn),
                     names_tuple(p, &names, CONTEXT_LOAD)};
    ast_make_push(&p->make, out,
                  store_result(p, &names, intrinsic(p, "loop", args, 3)));
    vec_free(p->make.ctx, &names);
}

// The condition under which the turns go on; without break or return it is
// true.
static Node *for_test(Printer *p, const Node *node, Text name,
                      const TextVec *names)
{
    // A copy of the stop is negated: the tree has the original in a place of
    // its own.
    const Node *stop = lowered_stop(p->lowered, node);
    Span none = {0, 0};
    Node *value = stop == NULL
                      ? ast_make_constant(&p->make, CONSTANT_TRUE, none)
                      : ast_make_not(&p->make, ast_make_copy(&p->make, stop));
    rewrite(p, &value);
    Node *tested = return_node(p, value);
    return function_node(p, name, names, ast_make_list(&p->make, &tested, 1));
}

// The item is a parameter of its own in front of the state, since the target
// may be a pattern.
static void print_for(Printer *p, NodeVec *out, Node *node)
{
    // Taken before the body is rewritten, so that outer loops have lower
    // numbers.
    uint32_t number = p->blocks++;
    TextVec names = {0}, params = {0};
    rewrite(p, &node->for_stmt.iter);
    code_names_stored(&p->make, &names, node->for_stmt.target);
    code_names_stored_all(&p->make, &names, node->for_stmt.body);
    Text test = block_name(p, "loop_test", number);
    Text turn = block_name(p, "loop_body", number);
    Text item = block_name(p, "item_", number);
    // A turn takes the item and what the loop assigns, and returns the latter.
    code_names_add(&p->make, &params, item);
    for (size_t i = 0; i < names.count; i++) {
        code_names_add(&p->make, &params, names.items[i]);
    }
    ast_make_push(&p->make, out, for_test(p, node, test, &names));
    // The first statement of a turn unpacks the item into the target.
    Node *assign = ast_make_node(&p->make, AST_ASSIGN, node->span);
    assign->assign.targets = ast_make_list(&p->make, &node->for_stmt.target, 1);
    assign->assign.value = load(p, item);
    NodeList body = ast_make_join(&p->make, ast_make_list(&p->make, &assign, 1),
                                  node->for_stmt.body);
    ast_make_push(&p->make, out,
                  function_node(p, turn, &params, part_body(p, body, &names)));
    Node *args[4] = {node->for_stmt.iter, load(p, test), load(p, turn),
                     names_tuple(p, &names, CONTEXT_LOAD)};
    ast_make_push(&p->make, out,
                  store_result(p, &names, intrinsic(p, "for_each", args, 4)));
    vec_free(p->make.ctx, &names);
    vec_free(p->make.ctx, &params);
}

// The message is a function: it is evaluated only if the assertion fails.
static void print_assert(Printer *p, NodeVec *out, Node *node)
{
    rewrite(p, &node->assert_stmt.test);
    rewrite(p, &node->assert_stmt.message);
    Node *args[2] = {node->assert_stmt.test, NULL};
    size_t count = 1;
    if (node->assert_stmt.message != NULL) {
        args[count++] = lambda_node(p, node->assert_stmt.message);
    }
    TextVec none = {0};
    ast_make_push(&p->make, out,
                  store_result(p, &none, intrinsic(p, "assert_", args, count)));
}

// `try` acts on the host and stays as it is; its parts are converted.
static void print_try(Printer *p, Node *node)
{
    node->try_stmt.body = block_list(p, node->try_stmt.body);
    node->try_stmt.orelse = block_list(p, node->try_stmt.orelse);
    node->try_stmt.finalbody = block_list(p, node->try_stmt.finalbody);
    for (uint32_t i = 0; i < node->try_stmt.handlers.count; i++) {
        Node *handler = node->try_stmt.handlers.items[i];
        handler->handler.body = block_list(p, handler->handler.body);
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
    case AST_PASS: return; // a flag that nobody tests
    case AST_TRY: print_try(p, node); break;
    case AST_WITH:
        rewrite_list(p, node->with_stmt.items);
        node->with_stmt.body = block_list(p, node->with_stmt.body);
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
    // The same lowering as for running, but with names that people can read in
    // place of hidden ones.
    bool ok =
        lower_function(&vm->ctx, arena, code->source, node, true, &lowered);
    Printer p = {.make = {.ctx = &vm->ctx, .arena = arena, .failed = !ok},
                 .lowered = &lowered};
    NodeList body = block_list(&p, lowered.body);
    if (!p.make.failed) {
        node->function_def.body = body;
        node->function_def.decorators = (NodeList){NULL, 0};
        if (body.count == 0) {
            Node *pass = ast_make_node(&p.make, AST_PASS, node->span);
            node->function_def.body = ast_make_list(&p.make, &pass, 1);
        }
        ast_unparse(out, node, 0);
    }
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
    Str *text = str_from_buf(vm, &out);
    return text != NULL ? str_value(text) : VALUE_FAIL;
}
