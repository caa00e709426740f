// Writing what has blocks: if, while and calls, with their functions.
//
// A block becomes a function of the library. Its arguments are the block's
// params, then the outer values that it uses, then the Variables; a loop's
// body gives all of them back. What is pure takes the stateless ops. A callee
// is one function however often it is called.
#include "export/graphdef_scope.h"

#include <string.h>

#include "export/graphdef_text.h"
#include "graph/walk.h"

// The type of a handle, by which TensorFlow passes Variables.
#define RESOURCE "DT_RESOURCE"

// What a function is made of.
typedef struct LibraryFunction {
    const GraphBlock *block;
    const char *kind;          // how its name begins
    const IdVec *outer;        // values from outside; NULL: none
    const IndexVec *variables; // of the graph, that it is handed
    const GraphNode *owner;    // whose outputs a block that raises owes
    bool give_back;            // a loop's body: `outer` and Variables too
} LibraryFunction;

// Texts that are collected one by one.
typedef VEC(const char *) TextVec;

// Whether a block is `outer` or lies in it.
static bool inside(const GraphBlock *block, const GraphBlock *outer)
{
    while (block != NULL && block != outer) {
        block = block->parent;
    }
    return block == outer;
}

// Adds a value that is defined outside of the block; constants are written
// again where they are used.
static bool add_outer(NodeScope *scope, IdVec *list, const GraphBlock *block,
                      ValueId value)
{
    if (inside(graph_value(scope->graph, value)->block, block) ||
        graph_constant(scope->graph, value) != NULL) {
        return true;
    }
    // Blocks use few outer values: a set would cost more.
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] == value) {
            return true;
        }
    }
    return vec_push(scope->writer->ctx, list, value);
}

// Outer values that a block uses, in order of first use. What an inner block
// takes from a middle one is inside of `outer`.
static bool find_outer(NodeScope *scope, IdVec *list, GraphBlock *outer)
{
    bool ok = true;
    for (Walk walk = walk_forward(outer); ok && walk_next(&walk);) {
        uint32_t count;
        const ValueId *used = walk_uses(&walk, &count);
        for (uint32_t i = 0; ok && i < count; i++) {
            ok = add_outer(scope, list, outer, used[i]);
        }
    }
    return ok;
}

// Adds a Variable that is not on the list yet.
static bool add_variable(Ctx *ctx, IndexVec *list, uint32_t variable)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] == variable) {
            return true;
        }
    }
    return vec_push(ctx, list, variable);
}

// Variables that a block uses, calls included.
static bool find_variables(Ctx *ctx, IndexVec *list, GraphBlock *block)
{
    for (Walk walk = walk_forward(block); walk_next(&walk);) {
        const GraphNode *node = walk.node;
        if (node == NULL) {
            continue;
        }
        OpPayload payload = node_desc(node)->payload;
        if (payload == PAYLOAD_RESOURCE &&
            !add_variable(ctx, list, node->variable)) {
            return false;
        }
        // A callee's own numbers mean nothing here; node->variables has the
        // caller's.
        size_t count =
            payload == PAYLOAD_CALLEE ? node->callee->variables.count : 0;
        for (size_t i = 0; i < count; i++) {
            if (!add_variable(ctx, list, node->variables[i])) {
                return false;
            }
        }
    }
    return true;
}

// Declares an argument of a function under a name that is free.
static const char *write_arg(NodeScope *scope, StrBuf *head, const char *base,
                             const char *type)
{
    // State of a loop may have no name.
    const char *name = scope_name(scope, base != NULL ? base : "arg");
    if (name != NULL) {
        strbuf_printf(head, "    input_arg { name: \"%s\" type: %s }\n", name,
                      type);
    }
    return name;
}

// Values that a function is handed go by the names of its arguments.
static bool write_args(NodeScope *scope, StrBuf *head, const ValueId *values,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const GraphValue *value = graph_value(scope->graph, values[i]);
        const char *name =
            write_arg(scope, head, value->name, gd_type(value->type.dtype));
        if (name == NULL) {
            return false;
        }
        // An argument has no port: inside a function its bare name is the
        // reference.
        scope->refs[values[i]] = name;
    }
    return true;
}

// Variables are handed as resources, behind all values.
static bool write_variables(NodeScope *scope, StrBuf *head,
                            const IndexVec *list)
{
    for (size_t i = 0; i < list->count; i++) {
        uint32_t index = list->items[i];
        scope->handles[index] = write_arg(
            scope, head, scope->graph->variables.items[index].name, RESOURCE);
        if (scope->handles[index] == NULL) {
            return false;
        }
    }
    return true;
}

// Arguments of a callee's function; its captures are constants of its own.
static bool write_inputs(NodeScope *scope, StrBuf *head)
{
    Graph *graph = scope->graph;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        GraphInput *input = &graph->inputs.items[i];
        if (input->kind == INPUT_ARGUMENT) {
            if (!write_args(scope, head, &input->value, 1)) {
                return false;
            }
        } else if (input->capture == NULL) {
            return ctx_fail(scope->writer->ctx, ERR_VALUE,
                            "to_graphdef: the capture '%s' is not bound",
                            input->name);
        } else {
            scope->refs[input->value] =
                scope_const(scope, input->name, input->capture);
            if (scope->refs[input->value] == NULL) {
                return false;
            }
        }
    }
    return true;
}

// One output of a function: its declaration and what it returns.
static void add_result(StrBuf *head, StrBuf *ends, uint32_t index,
                       const char *type, const char *ref)
{
    // The signature and the body stand apart in the text, so both are written
    // at once into two buffers.
    strbuf_printf(head, "    output_arg { name: \"out_%u\" type: %s }\n", index,
                  type);
    strbuf_printf(ends, "  ret { key: \"out_%u\" value: \"%s\" }\n", index,
                  ref);
}

// Values that a function returns, through Identities.
static bool add_results(NodeScope *scope, StrBuf *head, StrBuf *ends,
                        const ValueId *values, uint32_t count, uint32_t *next)
{
    const char **refs =
        arena_new_array(scope_arena(scope), const char *, count);
    if (refs == NULL || !graphdef_results(scope, values, count, refs)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        add_result(head, ends, (*next)++,
                   gd_type(graph_type(scope->graph, values[i]).dtype), refs[i]);
    }
    return true;
}

// A block that raises yields nothing; what its owner has outputs for is made
// up, and waits for the raise.
static bool add_made_up(NodeScope *scope, StrBuf *head, StrBuf *ends,
                        const GraphNode *owner, uint32_t *next)
{
    for (uint32_t i = 0; owner != NULL && i < owner->output_count; i++) {
        DType dtype = graph_type(scope->graph, node_output(owner, i)).dtype;
        // TensorFlow wants both branches to have the same outputs. A scalar
        // will do: the shapes of outputs are not declared.
        const char *ref = scope_nothing(scope, dtype);
        if (ref == NULL) {
            return false;
        }
        add_result(head, ends, (*next)++, gd_type(dtype), ref);
    }
    return true;
}

// Effects are named as a control output, so that a function without results is
// run for them.
static bool write_outputs(NodeScope *scope, const LibraryFunction *function,
                          StrBuf *head, StrBuf *ends)
{
    const GraphBlock *block = function->block;
    uint32_t next = 0;
    if (block->diverges
            ? !add_made_up(scope, head, ends, function->owner, &next)
            : !add_results(scope, head, ends, block->results,
                           block->result_count, &next)) {
        return false;
    }
    // In While the body's outputs are the next turn's inputs, all of them.
    if (function->give_back) {
        if (!add_results(scope, head, ends, function->outer->items,
                         (uint32_t)function->outer->count, &next)) {
            return false;
        }
        for (size_t i = 0; i < function->variables->count; i++) {
            add_result(head, ends, next++, RESOURCE,
                       scope->handles[function->variables->items[i]]);
        }
    }
    if (scope->effect != NULL) {
        strbuf_puts(head, "    control_output: \"effects\"\n"
                          "    is_stateful: true\n");
        strbuf_printf(ends,
                      "  control_ret { key: \"effects\" value: \"%s\" "
                      "}\n",
                      // The effect is kept as a control input, "^name";
                      // control_ret wants the name alone.
                      scope->effect + 1);
    }
    return true;
}

// Arguments, nodes, outputs.
static bool write_body(NodeScope *scope, const LibraryFunction *function,
                       StrBuf *head, StrBuf *ends)
{
    // A block takes params and outer values; a callee's function has its
    // graph's inputs instead.
    bool ok = function->outer != NULL
                  ? write_args(scope, head, function->block->params,
                               function->block->param_count) &&
                        write_args(scope, head, function->outer->items,
                                   function->outer->count)
                  : write_inputs(scope, head);
    return ok && write_variables(scope, head, function->variables) &&
           graphdef_nodes(scope, function->block) &&
           write_outputs(scope, function, head, ends);
}

// Adds the function to the library; returns its name.
static const char *write_function(NodeScope *from, Graph *graph,
                                  const LibraryFunction *function)
{
    NodeScope scope;
    StrBuf head, ends;
    GraphWriter *writer = from->writer;
    strbuf_init(&head, writer->ctx);
    strbuf_init(&ends, writer->ctx);
    const char *name =
        scope_print(from, "%s_%u", function->kind, writer->functions++);
    // A scope of its own: names within a function do not clash with those
    // outside. scope_close is right for one that did not open.
    bool ok = name != NULL && scope_open(&scope, writer, graph, name);
    ok = ok && write_body(&scope, function, &head, &ends) && strbuf_ok(&head) &&
         strbuf_ok(&ends);
    if (ok) {
        strbuf_printf(&writer->library,
                      "function {\n  signature {\n    name: \"%s\"\n%s  }\n"
                      "%s%s}\n",
                      name, strbuf_text(&head), strbuf_text(&scope.text),
                      strbuf_text(&ends));
    }
    scope_close(&scope);
    strbuf_free(&head);
    strbuf_free(&ends);
    return ok ? name : NULL;
}

// What a node hands to its functions, and the types of it.
typedef struct Handed {
    IdVec outer;
    IndexVec variables;
    TextVec inputs, types;
} Handed;

// The lists; the texts are the arena's.
static void handed_free(Ctx *ctx, Handed *handed)
{
    vec_free(ctx, &handed->outer);
    vec_free(ctx, &handed->variables);
    vec_free(ctx, &handed->inputs);
    vec_free(ctx, &handed->types);
}

// One value as an operand, with its type.
static bool hand_value(NodeScope *scope, Handed *handed, ValueId value,
                       const char *user)
{
    Ctx *ctx = scope->writer->ctx;
    const char *ref = scope_use(scope, value, user, "x");
    return ref != NULL && vec_push(ctx, &handed->inputs, ref) &&
           vec_push(ctx, &handed->types,
                    gd_type(graph_type(scope->graph, value).dtype));
}

// Several, in order.
static bool hand_all(NodeScope *scope, Handed *handed, const ValueId *values,
                     size_t count, const char *user)
{
    for (size_t i = 0; i < count; i++) {
        if (!hand_value(scope, handed, values[i], user)) {
            return false;
        }
    }
    return true;
}

// Behind the values, as the functions expect it.
static bool hand_variables(NodeScope *scope, Handed *handed)
{
    Ctx *ctx = scope->writer->ctx;
    for (size_t i = 0; i < handed->variables.count; i++) {
        if (!vec_push(ctx, &handed->inputs,
                      scope->handles[handed->variables.items[i]]) ||
            !vec_push(ctx, &handed->types, RESOURCE)) {
            return false;
        }
    }
    return true;
}

// What the node gives, for its Tout.
static bool output_types(NodeScope *scope, const GraphNode *node,
                         TextVec *types)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        DType dtype = graph_type(scope->graph, node_output(node, i)).dtype;
        if (!vec_push(scope->writer->ctx, types, gd_type(dtype))) {
            return false;
        }
    }
    return true;
}

// Opens the node; `first` is an input before those that are handed over. In
// effect it waits for the effects before it.
static bool open_node(NodeScope *scope, const char *name, const char *op,
                      const char *first, Handed *handed, bool effect)
{
    uint32_t count = 0;
    // Room for `first` and for the control input.
    size_t room = handed->inputs.count + 2;
    const char **inputs =
        arena_new_array(scope_arena(scope), const char *, room);
    if (inputs == NULL) {
        return false;
    }
    if (first != NULL) {
        inputs[count++] = first;
    }
    for (size_t i = 0; i < handed->inputs.count; i++) {
        inputs[count++] = handed->inputs.items[i];
    }
    if (effect) {
        scope_after_effect(scope, inputs, &count);
    }
    return scope_node(scope, name, op, inputs, count);
}

// From here on the outputs have references, and effects wait.
static bool close_node(NodeScope *scope, const GraphNode *node,
                       const char *name, const char *op, bool effect)
{
    return scope_set_refs(scope, node, name, op) && scope_close_node(scope) &&
           (!effect || scope_set_effect(scope, name));
}

// The condition is not handed to the functions.
static bool write_if(NodeScope *scope, const GraphNode *node, Handed *handed,
                     const char *const *functions, bool effect)
{
    // The stateless form lets TensorFlow drop or share the node.
    const char *op = effect ? "If" : "StatelessIf";
    const char *name = scope_own_name(scope, gd_base_name(op));
    const char *condition =
        name != NULL ? scope_use(scope, node->inputs[0], name, "x") : NULL;
    TextVec outs = {0};
    StrBuf *out = &scope->text;
    // In the order of the functions' arguments: values, then Variables.
    bool ok = condition != NULL &&
              hand_all(scope, handed, handed->outer.items, handed->outer.count,
                       name) &&
              hand_variables(scope, handed) &&
              output_types(scope, node, &outs) &&
              open_node(scope, name, op, condition, handed, effect);
    if (ok) {
        gd_attr_type(out, "Tcond", DT_BOOL);
        gd_attr_type_list(out, "Tin", handed->types.items,
                          (uint32_t)handed->types.count);
        gd_attr_type_list(out, "Tout", outs.items, (uint32_t)outs.count);
        gd_attr_func(out, "then_branch", functions[0]);
        gd_attr_func(out, "else_branch", functions[1]);
        ok = close_node(scope, node, name, op, effect);
    }
    vec_free(scope->writer->ctx, &outs);
    return ok;
}

// State comes first, then what the blocks read from outside, which a turn
// gives back unchanged.
static bool write_while(NodeScope *scope, const GraphNode *node, Handed *handed,
                        const char *const *functions, bool effect)
{
    // The stateless form lets TensorFlow drop or share the loop.
    const char *op = effect ? "While" : "StatelessWhile";
    const char *name = scope_own_name(scope, gd_base_name(op));
    StrBuf *out = &scope->text;
    if (name == NULL ||
        !hand_all(scope, handed, node->inputs, node->input_count, name) ||
        !hand_all(scope, handed, handed->outer.items, handed->outer.count,
                  name) ||
        !hand_variables(scope, handed) ||
        !open_node(scope, name, op, NULL, handed, effect)) {
        return false;
    }
    gd_attr_type_list(out, "T", handed->types.items,
                      (uint32_t)handed->types.count);
    gd_attr_func(out, "cond", functions[0]);
    gd_attr_func(out, "body", functions[1]);
    return close_node(scope, node, name, op, effect);
}

// The functions of both blocks, which are handed the same.
static bool write_blocks(NodeScope *scope, const GraphNode *node,
                         Handed *handed, const char **functions)
{
    static const char *const kinds[2][2] = {{"cond_true", "cond_false"},
                                            {"while_cond", "while_body"}};
    bool loop = node->op == OP_WHILE;
    for (int b = 0; b < OP_MAX_BLOCKS; b++) {
        if (!find_outer(scope, &handed->outer, node->blocks[b]) ||
            !find_variables(scope->writer->ctx, &handed->variables,
                            node->blocks[b])) {
            return false;
        }
    }
    for (int b = 0; b < OP_MAX_BLOCKS; b++) {
        // Only now, when both blocks have been searched: their functions must
        // have one signature.
        LibraryFunction function = {.block = node->blocks[b],
                                    .kind = kinds[loop][b],
                                    .outer = &handed->outer,
                                    .variables = &handed->variables,
                                    .owner = node,
                                    .give_back = loop && b == SIDE_BODY};
        functions[b] = write_function(scope, scope->graph, &function);
        if (functions[b] == NULL) {
            return false;
        }
    }
    return true;
}

// A node that reads a Variable is stateful to TensorFlow even if it writes
// none.
bool graphdef_flow(NodeScope *scope, const GraphNode *node)
{
    Handed handed = {0};
    const char *functions[OP_MAX_BLOCKS];
    bool ok = write_blocks(scope, node, &handed, functions);
    bool effect = graph_has_effects(node) || handed.variables.count > 0;
    ok = ok && (node->op == OP_IF
                    ? write_if(scope, node, &handed, functions, effect)
                    : write_while(scope, node, &handed, functions, effect));
    handed_free(scope->writer->ctx, &handed);
    return ok;
}

// The callee's function, written when it is called first.
static const char *callee_function(NodeScope *scope, Graph *callee)
{
    GraphWriter *writer = scope->writer;
    const char *key = (const char *)&callee;
    uint64_t *known = map_get(&writer->callees, key, sizeof callee);
    // The map's values are numbers; the name lives in the writer's arena.
    if (known != NULL) {
        return (const char *)(uintptr_t)*known;
    }
    IndexVec all = {0};
    bool ok = ctx_enter(writer->ctx);
    if (!ok) {
        return NULL;
    }
    for (uint32_t i = 0; ok && i < callee->variables.count; i++) {
        ok = vec_push(writer->ctx, &all, i);
    }
    const char *own = scope_plain_name(scope, callee->name);
    LibraryFunction function = {
        .block = callee->block,
        .kind = own != NULL ? scope_print(scope, "__inference_%s", own) : NULL,
        .variables = &all};
    ok = ok && function.kind != NULL;
    const char *name = ok ? write_function(scope, callee, &function) : NULL;
    ctx_leave(writer->ctx);
    vec_free(writer->ctx, &all);
    return name != NULL && map_put(&writer->callees, key, sizeof callee,
                                   (uint64_t)(uintptr_t)name)
               ? name
               : NULL;
}

// Captures of the callee are constants in its function, so that only arguments
// and Variables are handed over.
bool graphdef_call(NodeScope *scope, const GraphNode *node)
{
    Ctx *ctx = scope->writer->ctx;
    Handed handed = {0};
    TextVec outs = {0};
    size_t variables = node->callee->variables.count;
    // The plain form may be dropped, shared or run twice.
    bool effect = graph_has_effects(node) || variables > 0;
    const char *op = effect ? "StatefulPartitionedCall" : "PartitionedCall";
    const char *function = callee_function(scope, node->callee);
    const char *name =
        function != NULL ? scope_own_name(scope, gd_base_name(op)) : NULL;
    bool ok = name != NULL &&
              hand_all(scope, &handed, node->inputs, node->input_count, name);
    for (size_t i = 0; ok && i < variables; i++) {
        ok = vec_push(ctx, &handed.variables, node->variables[i]);
    }
    ok = ok && hand_variables(scope, &handed) &&
         output_types(scope, node, &outs) &&
         open_node(scope, name, op, NULL, &handed, effect);
    if (ok) {
        gd_attr_type_list(&scope->text, "Tin", handed.types.items,
                          (uint32_t)handed.types.count);
        gd_attr_type_list(&scope->text, "Tout", outs.items,
                          (uint32_t)outs.count);
        gd_attr_func(&scope->text, "f", function);
        ok = close_node(scope, node, name, op, effect);
    }
    handed_free(ctx, &handed);
    vec_free(ctx, &outs);
    return ok;
}
