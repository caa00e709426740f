// From functions back to blocks: stage_code.c the other way round.
#include "stager/code_read.h"

#include <string.h>

#include "stager/code_names.h"

// What is called as stage.NAME.
#define INTRINSICS(X)                                                          \
    X(COND, "cond")                                                            \
    X(LOOP, "loop")                                                            \
    X(FOR_EACH, "for_each")                                                    \
    X(AND, "and_")                                                             \
    X(OR, "or_")                                                               \
    X(NOT, "not_")                                                             \
    X(ASSERT, "assert_")

typedef enum Intrinsic {
#define X(id, name) INTRINSIC_##id,
    INTRINSICS(X)
#undef X
        INTRINSIC_NONE
} Intrinsic;

static void read_node(CodeRead *r, Node **slot);

static Intrinsic find_intrinsic(const char *name)
{
    static const char *const names[] = {
#define X(id, name) name,
        INTRINSICS(X)
#undef X
    };
    uint32_t i = 0;
    while (i < INTRINSIC_NONE && strcmp(names[i], name) != 0) {
        i++;
    }
    return (Intrinsic)i;
}

bool code_read_is_intrinsic(const char *name)
{
    return find_intrinsic(name) != INTRINSIC_NONE;
}

static bool is_name(const Node *node, const char *name)
{
    return node != NULL && node->kind == AST_NAME &&
           strcmp(node->name.id.text, name) == 0;
}

// --- variables of the conversion ---

// What `name: stage.KIND` says of a name; NULL: it is something else.
static const char *flag_kind(const Node *node)
{
    const Node *kind = node->kind == AST_ANN_ASSIGN &&
                               node->ann_assign.value == NULL &&
                               node->ann_assign.simple
                           ? node->ann_assign.annotation
                           : NULL;
    return kind != NULL && kind->kind == AST_ATTRIBUTE &&
                   is_name(kind->attribute.value, "stage")
               ? kind->attribute.name.text
               : NULL;
}

// The name that the conversion gives it, which no program can write.
static Text hidden_name(CodeRead *r, Text name)
{
    Text hidden = {NULL, name.length + 1};
    char *text = arena_new_array(r->make.arena, char, name.length + 2);
    r->make.failed |= text == NULL;
    if (text != NULL) {
        text[0] = '.';
        memcpy(text + 1, name.text, name.length + 1);
        hidden.text = text;
    }
    return hidden;
}

static void find_flags(CodeRead *r, NodeList body)
{
    for (uint32_t i = 0; i < body.count && !r->make.failed; i++) {
        const char *kind = flag_kind(body.items[i]);
        if (kind == NULL) {
            continue;
        }
        Text name = body.items[i]->ann_assign.target->name.id;
        r->make.failed |= !vec_push(r->make.ctx, &r->flags, name);
        if (strcmp(kind, "result") == 0) {
            r->result = hidden_name(r, name);
        } else if (strcmp(kind, "returned") == 0) {
            r->returned = hidden_name(r, name);
        }
    }
}

static bool is_flag(const CodeRead *r, Text name)
{
    bool found = false;
    for (size_t i = 0; i < r->flags.count && !found; i++) {
        found = strcmp(r->flags.items[i].text, name.text) == 0;
    }
    return found;
}

// --- a copy ---

static Node *copy_deep(CodeRead *r, const Node *node);

static NodeList copy_list(CodeRead *r, NodeList list)
{
    NodeList copy = ast_make_list(&r->make, list.items, list.count);
    for (uint32_t i = 0; i < copy.count; i++) {
        copy.items[i] = copy_deep(r, list.items[i]);
    }
    return copy;
}

// Counts the names on the way.
static Node *copy_deep(CodeRead *r, const Node *node)
{
    if (node == NULL || r->make.failed) {
        return NULL;
    }
    if (!ctx_enter(r->make.ctx)) {
        r->make.failed = true;
        return NULL;
    }
    Node *copy = ast_make_copy(&r->make, node);
    if (node->kind == AST_NAME) {
        Text id = node->name.id;
        const uint64_t *had = map_get(&r->uses, id.text, id.length);
        r->make.failed |=
            !map_put(&r->uses, id.text, id.length, had == NULL ? 1 : *had + 1);
        if (is_flag(r, id)) {
            copy->name.id = hidden_name(r, id);
        }
        r->shadowed |=
            node->name.context != CONTEXT_LOAD && is_name(node, "stage");
    }
    r->shadowed |=
        node->kind == AST_PARAM && strcmp(node->param.name.text, "stage") == 0;
    switch (copy->kind) {
#define N(field) copy->field = copy_deep(r, node->field);
#define L(field) copy->field = copy_list(r, node->field);
#include "parser/ast_cases.h"
    default: break;
    }
    ctx_leave(r->make.ctx);
    return copy;
}

static uint64_t count_uses(const CodeRead *r, Text name)
{
    const uint64_t *found = map_get(&r->uses, name.text, name.length);
    return found == NULL ? 0 : *found;
}

// --- calls ---

// The intrinsic that an expression calls with so many arguments, by position.
static Intrinsic called(const Node *node, uint32_t least, uint32_t most)
{
    if (node->kind != AST_CALL || node->call.keywords.count > 0 ||
        node->call.arguments.count < least ||
        node->call.arguments.count > most) {
        return INTRINSIC_NONE;
    }
    const Node *member = node->call.function;
    for (uint32_t i = 0; i < node->call.arguments.count; i++) {
        if (node->call.arguments.items[i]->kind == AST_STARRED) {
            return INTRINSIC_NONE;
        }
    }
    return member->kind == AST_ATTRIBUTE &&
                   is_name(member->attribute.value, "stage")
               ? find_intrinsic(member->attribute.name.text)
               : INTRINSIC_NONE;
}

// The value of `lambda: value`; NULL: something else.
static Node *lambda_value(const Node *node)
{
    return node->kind == AST_LAMBDA &&
                   node->lambda.params->params.params.count == 0
               ? node->lambda.body
               : NULL;
}

static bool are_lambdas(NodeList list, uint32_t first)
{
    bool all = true;
    for (uint32_t i = first; i < list.count && all; i++) {
        all = lambda_value(list.items[i]) != NULL;
    }
    return all;
}

// The operand that such a function gives; what it holds is read with it.
static Node *operand_of(CodeRead *r, Node *node)
{
    Node *value = lambda_value(node);
    read_node(r, &value);
    return value;
}

// What an expression means; itself if it is no such call. Its parts have been
// read.
static Node *meaning(CodeRead *r, Node *node)
{
    Intrinsic found = called(node, 1, UINT32_MAX);
    NodeList args =
        found == INTRINSIC_NONE ? (NodeList){NULL, 0} : node->call.arguments;
    if (found == INTRINSIC_NOT && args.count == 1) {
        r->blocks++;
        return ast_make_not(&r->make, args.items[0]);
    }
    if ((found == INTRINSIC_AND || found == INTRINSIC_OR) && args.count > 1 &&
        are_lambdas(args, 0)) {
        Node *logic = ast_make_node(&r->make, AST_BOOL_OP, node->span);
        logic->bool_op.op = found == INTRINSIC_AND ? BOOL_AND : BOOL_OR;
        logic->bool_op.values = ast_make_list(&r->make, args.items, args.count);
        for (uint32_t i = 0; i < logic->bool_op.values.count; i++) {
            logic->bool_op.values.items[i] = operand_of(r, args.items[i]);
        }
        r->blocks++;
        return logic;
    }
    if (found == INTRINSIC_COND && args.count == 3 && are_lambdas(args, 1)) {
        Node *choice = ast_make_node(&r->make, AST_CONDITIONAL, node->span);
        choice->conditional.test = args.items[0];
        choice->conditional.body = operand_of(r, args.items[1]);
        choice->conditional.orelse = operand_of(r, args.items[2]);
        r->blocks++;
        return choice;
    }
    return node;
}

// --- block functions ---

// One of them: its statements without declarations.
typedef struct Block {
    Text param; // text NULL: none
    NodeList body;
} Block;

// False: it is something else.
static bool is_block(CodeRead *r, const Node *call, uint32_t argument,
                     const Node *node, bool takes_item, Block *block)
{
    const Node *named = call->call.arguments.items[argument];
    if (node->kind != AST_FUNCTION_DEF || named->kind != AST_NAME ||
        !is_name(named, node->function_def.name.text) ||
        count_uses(r, node->function_def.name) != 1 ||
        node->function_def.decorators.count > 0) {
        return false;
    }
    NodeList params = node->function_def.params->params.params;
    if (params.count != takes_item) {
        return false;
    }
    *block = (Block){.body = node->function_def.body};
    if (takes_item) {
        const Node *param = params.items[0];
        block->param = param->param.name;
        if (param->param.kind != PARAM_POSITIONAL ||
            param->param.default_value != NULL ||
            count_uses(r, block->param) != 1) {
            return false;
        }
    }
    TextVec declared = {0}, stored = {0};
    while (block->body.count > 0 &&
           (block->body.items[0]->kind == AST_GLOBAL ||
            block->body.items[0]->kind == AST_NONLOCAL)) {
        const Node *names = block->body.items[0];
        code_names_declared(&r->make, &declared, names->kind,
                            (NodeList){block->body.items, 1});
        block->body.items++;
        block->body.count--;
    }
    code_names_stored_all(&r->make, &stored, block->body);
    bool ok = true;
    for (size_t i = 0; i < stored.count && ok; i++) {
        Text name = stored.items[i];
        // Block functions of its own are read with its body.
        ok = code_names_has(&declared, name) || count_uses(r, name) == 1;
    }
    vec_free(r->make.ctx, &declared);
    vec_free(r->make.ctx, &stored);
    return ok;
}

// The value of a function that is one `return`; NULL: something else.
static Node *test_of(const Block *block)
{
    return block->body.count == 1 && block->body.items[0]->kind == AST_RETURN
               ? block->body.items[0]->expr_stmt.value
               : NULL;
}

static Node *read_if(CodeRead *r, const Node *call, Node *const *items)
{
    Block then, other;
    if (!is_block(r, call, 1, items[0], false, &then) ||
        !is_block(r, call, 2, items[1], false, &other)) {
        return NULL;
    }
    Node *node = ast_make_node(&r->make, AST_IF, call->span);
    node->if_stmt.test = call->call.arguments.items[0];
    node->if_stmt.body = then.body;
    // `pass` alone is a side that is not there.
    bool none = other.body.count == 1 && other.body.items[0]->kind == AST_PASS;
    node->if_stmt.orelse = none ? (NodeList){NULL, 0} : other.body;
    return node;
}

static Node *read_while(CodeRead *r, const Node *call, Node *const *items)
{
    Block test, turn;
    if (!is_block(r, call, 0, items[0], false, &test) ||
        !is_block(r, call, 1, items[1], false, &turn) ||
        test_of(&test) == NULL) {
        return NULL;
    }
    Node *node = ast_make_node(&r->make, AST_WHILE, call->span);
    node->if_stmt.test = test_of(&test);
    node->if_stmt.body = turn.body;
    return node;
}

// The condition on which turns end, of that on which they go on; NULL: they go
// on in any case.
static Node *stop_of(CodeRead *r, Node *test)
{
    if (test->kind == AST_CONSTANT && test->constant.type == CONSTANT_TRUE) {
        return NULL;
    }
    read_node(r, &test);
    return test->kind == AST_UNARY && test->unary.op == UNARY_NOT
               ? test->unary.operand
               : ast_make_not(&r->make, test);
}

static Node *read_for(CodeRead *r, const Node *call, Node *const *items)
{
    Block test, turn;
    if (!is_block(r, call, 1, items[0], false, &test) ||
        !is_block(r, call, 2, items[1], true, &turn) ||
        test_of(&test) == NULL || turn.body.count == 0) {
        return NULL;
    }
    const Node *first = turn.body.items[0];
    if (first->kind != AST_ASSIGN || first->assign.targets.count != 1 ||
        !is_name(first->assign.value, turn.param.text)) {
        return NULL;
    }
    Node *node = ast_make_node(&r->make, AST_FOR, call->span);
    node->for_stmt.target = first->assign.targets.items[0];
    node->for_stmt.iter = call->call.arguments.items[0];
    node->for_stmt.body = (NodeList){turn.body.items + 1, turn.body.count - 1};
    if (node->for_stmt.body.count == 0) {
        Node *pass = ast_make_node(&r->make, AST_PASS, first->span);
        node->for_stmt.body = ast_make_list(&r->make, &pass, 1);
    }
    ReadStop stop = {node, stop_of(r, test_of(&test))};
    r->make.failed |=
        stop.stop != NULL && !vec_push(r->make.ctx, &r->stops, stop);
    return node;
}

// --- statements ---

// The block that three statements stand for; NULL: they are no block.
static Node *read_block(CodeRead *r, NodeList list, uint32_t at)
{
    if (list.count - at < 3 || list.items[at + 2] == NULL ||
        list.items[at + 2]->kind != AST_EXPR_STMT) {
        return NULL;
    }
    Node *const *items = list.items + at;
    const Node *call = items[2]->expr_stmt.value;
    switch (called(call, 2, 3)) {
    case INTRINSIC_COND:
        return call->call.arguments.count == 3 ? read_if(r, call, items) : NULL;
    case INTRINSIC_LOOP:
        return call->call.arguments.count == 2 ? read_while(r, call, items)
                                               : NULL;
    case INTRINSIC_FOR_EACH:
        return call->call.arguments.count == 3 ? read_for(r, call, items)
                                               : NULL;
    default: return NULL;
    }
}

// stage.assert_(test, lambda: message), or the statement itself.
static Node *read_assert(CodeRead *r, Node *node)
{
    const Node *call = node->expr_stmt.value;
    if (called(call, 1, 2) != INTRINSIC_ASSERT ||
        !are_lambdas(call->call.arguments, 1)) {
        return node;
    }
    NodeList args = call->call.arguments;
    Node *made = ast_make_node(&r->make, AST_ASSERT, node->span);
    made->assert_stmt.test = args.items[0];
    made->assert_stmt.message =
        args.count == 2 ? operand_of(r, args.items[1]) : NULL;
    r->blocks++;
    return made;
}

// In place: the list is that of a copy.
static void read_list(CodeRead *r, NodeList *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count && !r->make.failed; i++) {
        Node *node = read_block(r, *list, i);
        if (node != NULL) {
            r->blocks++;
            i += 2;
        } else {
            node = list->items[i];
        }
        read_node(r, &node);
        if (node != NULL && node->kind == AST_EXPR_STMT) {
            node = read_assert(r, node);
        }
        list->items[count++] = node;
    }
    list->count = count;
}

// What has no frame of its own: inner functions are read when they are
// converted.
static void read_node(CodeRead *r, Node **slot)
{
    Node *node = *slot;
    if (node == NULL || r->make.failed ||
        (code_names_is_frame(node) && node->kind != AST_COMPREHENSION)) {
        return;
    }
    if (!ctx_enter(r->make.ctx)) {
        r->make.failed = true;
        return;
    }
    switch (node->kind) {
#define N(field) read_node(r, &node->field);
#define L(field) read_list(r, &node->field);
#include "parser/ast_cases.h"
    default: break;
    }
    *slot = meaning(r, node);
    ctx_leave(r->make.ctx);
}

void code_read_init(CodeRead *r, Ctx *ctx, Arena *arena)
{
    *r = (CodeRead){.make = {.ctx = ctx, .arena = arena}};
    map_init(&r->uses, ctx);
}

Node *code_read(CodeRead *r, const Node *function)
{
    if (function->kind == AST_FUNCTION_DEF) {
        find_flags(r, function->function_def.body);
    }
    Node *copy = copy_deep(r, function);
    if (copy != NULL && copy->kind == AST_LAMBDA) {
        read_node(r, &copy->lambda.body);
    } else if (copy != NULL) {
        read_list(r, &copy->function_def.body);
    }
    return r->make.failed || r->shadowed || r->blocks == 0 ? NULL : copy;
}

void code_read_free(CodeRead *r)
{
    map_free(&r->uses);
    vec_free(r->make.ctx, &r->flags);
    vec_free(r->make.ctx, &r->stops);
}
