// The graph checker. Walks blocks in order with a set of the values that are
// defined so far in the block and those around it.
//
// It asks of types only that they do not contradict each other: a pass may
// know more of a value than the rule of the op that gives it, and less.
#include "graph/graph_check.h"

#include "base/map.h"
#include "graph/build.h"

// What one check of a graph needs; freed at its end.
// `defined` has an entry for each value of the graph, at its id.
typedef struct Checker {
    Graph *graph;
    bool *defined; // by value
} Checker;

// The fault as an ERR_SYSTEM with the node's name, which is unique in the
// graph.
// False, always.
static bool bad(Checker *checker, GraphNode *node, const char *fault)
{
    const char *name = graph_node_name(checker->graph, node);
    return ctx_fail(checker->graph->ctx, ERR_SYSTEM, "graph: node %s: %s",
                    name != NULL ? name : "?", fault);
}

// Params become defined (`on`) when a block is entered; they and what its
// nodes define are not any more when it is left.
// Inner blocks have taken their own values back by then.
static void set_defined(Checker *checker, const GraphBlock *block, bool on)
{
    for (uint32_t i = 0; i < block->param_count; i++) {
        checker->defined[block->params[i]] = on;
    }
    for (GraphNode *node = block->first; !on && node != NULL;
         node = node->next) {
        for (uint32_t i = 0; i < node->output_count; i++) {
            checker->defined[node_output(node, i)] = false;
        }
    }
}

// Whether some tensor is of both types: what a trace knows may be more
// general than what inference gives, or more special.
// An unknown rank or size is compatible with any.
static bool compatible(TensorType a, TensorType b)
{
    return graph_type_covers(a, b) || graph_type_covers(b, a);
}

// True: the error was of that kind and is cleared.
// Folding or inlining may have shown operands that the shape rule refuses: the
// op then fails when it is run, if it is, and says the same.
static bool fails_when_run(Checker *checker, const GraphNode *node)
{
    Ctx *ctx = checker->graph->ctx;
    // Without a constant among the inputs, and with something known of what the
    // op gives (graph_infer_exactly), the refusal is a fault of a pass.
    bool known =
        graph_type(checker->graph, node->first_output).rank == RANK_UNKNOWN;
    for (uint32_t i = 0; i < node->input_count; i++) {
        known |= graph_constant(checker->graph, node->inputs[i]) != NULL;
    }
    if (!known || ctx->error.kind == ERR_MEMORY ||
        ctx->error.kind == ERR_INTERRUPT) {
        return false;
    }
    ctx_clear(ctx);
    return true;
}

// Runs the shape rule again and compares.
// False: a fault, or an error is pending.
static bool check_types(Checker *checker, GraphNode *node)
{
    InferCall call;
    // Nodes with payload, effects or blocks are typed by their builders.
    if (!graph_infer_applies(node)) {
        return true;
    }
    // The error of the rule is pending here.
    if (!graph_infer_node(checker->graph, node, &call)) {
        return fails_when_run(checker, node);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        DType dtype;
        Shape shape;
        op_output_type(&call, i, &dtype, &shape);
        TensorType inferred = {dtype, shape.rank, shape.dims};
        if (!compatible(graph_type(checker->graph, node_output(node, i)),
                        inferred)) {
            return bad(checker, node, "its type is not what it computes");
        }
    }
    return true;
}

// A node names a Variable that exists; what goes in or comes out is of a type
// that can be its own.
static bool check_variable(Checker *checker, GraphNode *node)
{
    Graph *graph = checker->graph;
    // Checked before it is used as an index: a pass may have copied the node
    // from another graph.
    if (node->variable >= graph->variables.count) {
        return bad(checker, node, "there is no such Variable");
    }
    TensorType type = graph->variables.items[node->variable].type;
    bool ok = true;
    uint8_t apart = node_desc(node)->apart;
    for (uint32_t i = 0; i < node->input_count; i++) {
        ok = ok && ((apart >> i & 1) != 0 ||
                    compatible(graph_type(graph, node->inputs[i]), type));
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        ok = ok && compatible(graph_type(graph, node_output(node, i)), type);
    }
    return ok || bad(checker, node, "its type is not the Variable's");
}

// Arguments and results are of the callee's types, Variables of its types.
// The callee is checked on its own, when it is made; here only what passes
// between the two graphs is compared.
static bool check_call(Checker *checker, GraphNode *node)
{
    Graph *graph = checker->graph, *callee = node->callee;
    // Arguments are those inputs of the callee that are no captures, in order.
    uint32_t given = 0;
    for (size_t i = 0; i < callee->inputs.count; i++) {
        GraphInput *input = &callee->inputs.items[i];
        if (input->kind != INPUT_ARGUMENT) {
            continue;
        }
        if (given == node->input_count ||
            !compatible(graph_type(callee, input->value),
                        graph_type(graph, node->inputs[given]))) {
            return bad(checker, node, "an argument is not the callee's");
        }
        given++;
    }
    for (size_t i = 0; i < callee->variables.count; i++) {
        uint32_t index = node->variables[i];
        if (index >= graph->variables.count ||
            !compatible(graph->variables.items[index].type,
                        callee->variables.items[i].type)) {
            return bad(checker, node, "a Variable is not the callee's");
        }
    }
    const GraphBlock *block = callee->block;
    // A callee that always raises yields nothing, whatever its callers expect.
    bool ok = given == node->input_count &&
              (block->diverges || block->result_count == node->output_count);
    for (uint32_t i = 0; ok && i < block->result_count; i++) {
        ok = compatible(graph_type(graph, node_output(node, i)),
                        graph_type(callee, block->results[i]));
    }
    return ok || bad(checker, node, "its results are not the callee's");
}

// The gradient takes those of the outputs and what stands behind the arguments,
// and gives the arguments'.
static bool check_gradient(Checker *checker, GraphNode *node)
{
    Graph *graph = checker->graph, *gradient = node->callee;
    uint32_t outputs = node->output_count;
    uint32_t results = gradient->block->result_count;
    bool ok = gradient->inputs.count >= outputs &&
              node->input_count == gradient->inputs.count + results;
    for (uint32_t i = 0; ok && i < gradient->inputs.count; i++) {
        uint32_t own = i < outputs ? i : i + results;
        ok = compatible(graph_type(gradient, gradient->inputs.items[i].value),
                        graph_type(graph, node->inputs[own]));
    }
    for (uint32_t i = 0; ok && i < outputs + results; i++) {
        TensorType other =
            i < outputs
                ? graph_type(graph, node_output(node, i))
                : graph_type(gradient, gradient->block->results[i - outputs]);
        ok = compatible(graph_type(graph, node->inputs[i]), other);
    }
    return ok || bad(checker, node, "its gradient is of other types");
}

// What stands in a node of an op that has no shape rule of its own.
// False: a fault.
static bool check_payload(Checker *checker, GraphNode *node)
{
    switch (node_desc(node)->payload) {
    case PAYLOAD_NONE:
    case PAYLOAD_HOST: break;
    case PAYLOAD_TENSOR:
        return graph_type_equal(graph_type(checker->graph, node->first_output),
                                tensor_type(node->tensor)) ||
               bad(checker, node, "its tensor is of another type");
    case PAYLOAD_CALLEE: return check_call(checker, node);
    case PAYLOAD_GRADIENT: return check_gradient(checker, node);
    case PAYLOAD_RESOURCE: return check_variable(checker, node);
    }
    return true;
}

// Blocks are in nodes and nodes in blocks.
static bool check_block(Checker *checker, GraphBlock *block);

// Block `b` belongs to the node and yields as many values as it must.
// Before the block is walked, since the walk relies on its links.
static bool check_owned(Checker *checker, GraphNode *node, int b)
{
    GraphBlock *block = node->blocks[b];
    if (block == NULL || block->owner != node || block->parent != node->block) {
        return bad(checker, node, "a block is not its own");
    }
    const BlockDesc *desc = &node_desc(node)->blocks[b];
    uint32_t params = desc->params ? node->input_count : 0;
    uint32_t yields = desc->decides ? 1 : node->output_count;
    if (block->param_count != params ||
        (!block->diverges && block->result_count != yields)) {
        return bad(checker, node, "a block's values do not fit");
    }
    return true;
}

// What a condition may be: one bool, or of a rank that nobody knows yet.
static bool check_condition(Checker *checker, GraphNode *node, ValueId value)
{
    TensorType type = graph_type(checker->graph, value);
    return (type.dtype == DT_BOOL && type.rank <= 0) ||
           bad(checker, node, "its condition is not one bool");
}

// State keeps its type from the inputs through the turns to the outputs: a size
// that changes from turn to turn must be unknown in it. Outputs of branches
// cover what each of them yields.
static bool check_values(Checker *checker, GraphNode *node, int b)
{
    Graph *graph = checker->graph;
    const GraphBlock *block = node->blocks[b];
    const BlockDesc *desc = &node_desc(node)->blocks[b];
    for (uint32_t i = 0; i < node->output_count; i++) {
        TensorType type = graph_type(graph, node_output(node, i));
        if (desc->params &&
            (!compatible(type, graph_type(graph, node->inputs[i])) ||
             !compatible(type, graph_type(graph, block->params[i])))) {
            return bad(checker, node, "its state changes its type");
        }
        // A block that raises has no results and says nothing about types.
        if (!desc->decides && !block->diverges &&
            !compatible(type, graph_type(graph, block->results[i]))) {
            return bad(checker, node, "a block gives another type");
        }
    }
    return !desc->decides || block->diverges ||
           check_condition(checker, node, block->results[0]);
}

// Blocks are checked with the values that their owner can see.
static bool check_blocks(Checker *checker, GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    if (op_is_loop(op) && node->output_count != node->input_count) {
        return bad(checker, node, "its outputs are not its state");
    }
    for (int b = 0; b < op->block_count; b++) {
        if (!check_owned(checker, node, b) ||
            !check_block(checker, node->blocks[b]) ||
            !check_values(checker, node, b)) {
            return false;
        }
    }
    return (op->flags & OP_CONDITION) == 0 ||
           check_condition(checker, node, node->inputs[0]);
}

// One node: inputs, arity, blocks, payload, types, effects, outputs.
// Its outputs become defined at the very end, so a node cannot use itself.
static bool check_node(Checker *checker, GraphNode *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (node->inputs[i] >= checker->graph->values.count ||
            !checker->defined[node->inputs[i]]) {
            return bad(checker, node, "an input is not defined before it");
        }
    }
    // 255 stands for any number of inputs.
    const OpDesc *op = op_desc(node->op);
    if (node->input_count < op->min_inputs ||
        (op->max_inputs != 255 && node->input_count > op->max_inputs)) {
        return bad(checker, node, "its inputs are too few or too many");
    }
    // Blocks, then what only some ops have, then types by the op's own rule.
    if (!check_blocks(checker, node) || !check_payload(checker, node) ||
        !check_types(checker, node)) {
        return false;
    }
    if (graph_has_effects(node) && !node->block->effects) {
        return bad(checker, node, "its block does not know of its effect");
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        const GraphValue *value =
            graph_value(checker->graph, node_output(node, i));
        // A pass that moves a node must move its values with it.
        if (value->node != node || value->block != node->block) {
            return bad(checker, node, "an output is not its own");
        }
        checker->defined[node_output(node, i)] = true;
    }
    return true;
}

// Walks the list both ways at once: each node must point back to the one
// before.
// ctx_enter bounds the depth: blocks nest as the program's statements do.
static bool check_block(Checker *checker, GraphBlock *block)
{
    if (!ctx_enter(checker->graph->ctx)) {
        return false;
    }
    bool ok = true;
    // Blocks of one level share the table: what a block defines is taken back
    // at its end, so that its neighbour cannot use it.
    set_defined(checker, block, true);
    GraphNode *previous = NULL;
    for (GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        ok = node->block == block && node->previous == previous
                 ? check_node(checker, node)
                 : bad(checker, node, "it is not linked to its block");
        previous = node;
    }
    for (uint32_t i = 0; ok && i < block->result_count; i++) {
        ok = checker->defined[block->results[i]] ||
             ctx_fail(checker->graph->ctx, ERR_SYSTEM,
                      "graph: a block yields what is not defined in it");
    }
    set_defined(checker, block, false);
    ctx_leave(checker->graph->ctx);
    return ok;
}

// Linear: each node is looked at once, each input found in a table.
// False with an ERR_SYSTEM pending, or without memory.
bool graph_check(Graph *graph)
{
    size_t size = graph->values.count + 1;
    bool *defined = ctx_alloc_zero(graph->ctx, size);
    if (defined == NULL) {
        return false;
    }
    Checker checker = {graph, defined};
    bool ok = check_block(&checker, graph->block);
    ctx_free(graph->ctx, defined, size);
    return ok;
}

// Folds one more thing into a trail: order counts.
// 64 bits: that two different trails meet by chance is as good as excluded.
static uint64_t trail_add(uint64_t trail, uint64_t value)
{
    // By hashing the pair and not by a sum, which would not see two effects
    // change places.
    uint64_t pair[2] = {trail, value};
    return map_hash(pair, sizeof pair);
}

// What the walk along the effects carries.
typedef struct Trail {
    Graph *graph;
    const uint32_t *variables; // of this graph, as numbers of the outermost
                               // one; NULL: it is that one
    bool decided;
    uint64_t hash;
} Trail;

static bool block_trail(Trail *trail, const GraphBlock *block);

// A callee's trail, its Variables seen as the caller's.
// False: no memory, or too deep.
static bool call_trail(Trail *trail, const GraphNode *node)
{
    Ctx *ctx = trail->graph->ctx;
    size_t count = node->callee->variables.count;
    // Inlining must not change the trail, so a call leaves what its body would
    // leave in its place.
    uint32_t *seen = ctx_alloc(ctx, (count + 1) * sizeof *seen);
    if (seen == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t own = node->variables[i];
        seen[i] = trail->variables != NULL ? trail->variables[own] : own;
    }
    Trail inside = {node->callee, seen, trail->decided, trail->hash};
    bool ok = block_trail(&inside, node->callee->block);
    trail->hash = inside.hash;
    ctx_free(ctx, seen, (count + 1) * sizeof *seen);
    return ok;
}

// Blocks count if there are effects in them; that they are marked does not
// tell, since a mark stays when the effect has gone.
static bool flow_trail(Trail *trail, const GraphNode *node)
{
    const GraphBlock *only =
        trail->decided ? graph_only_block(trail->graph, node) : NULL;
    if (only != NULL) {
        return block_trail(trail, only);
    }
    uint64_t inside[OP_MAX_BLOCKS] = {0}, any = 0;
    uint8_t count = node_desc(node)->block_count;
    for (int b = 0; b < count; b++) {
        Trail own = *trail;
        own.hash = 0;
        if (!block_trail(&own, node->blocks[b])) {
            return false;
        }
        inside[b] = own.hash;
        any |= inside[b];
    }
    for (int b = 0; any != 0 && b < count; b++) {
        trail->hash = trail_add(trail_add(trail->hash, node->op), inside[b]);
    }
    return true;
}

// One effect, or what is inside of a block or a callee.
// Which outputs are used plays no part: an effect happens anyway.
static bool node_trail(Trail *trail, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    if (op->payload == PAYLOAD_CALLEE) {
        return call_trail(trail, node);
    }
    if (op->block_count > 0) {
        return flow_trail(trail, node);
    }
    trail->hash = trail_add(trail->hash, node->op);
    if (op->payload == PAYLOAD_RESOURCE) {
        uint32_t own = node->variable;
        trail->hash =
            trail_add(trail->hash,
                      trail->variables != NULL ? trail->variables[own] : own);
    }
    // Inputs are left out on purpose: passes may replace them by equal ones.
    for (uint32_t i = 0; i < op->attr_count; i++) {
        trail->hash = trail_add(trail->hash, attr_hash(&node->attrs[i]));
    }
    return true;
}

// Effects in program order; pure nodes leave nothing.
// False: no memory, or too deep.
static bool block_trail(Trail *trail, const GraphBlock *block)
{
    if (!ctx_enter(trail->graph->ctx)) {
        return false;
    }
    bool ok = true;
    for (const GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        ok = !graph_has_effects(node) || node_trail(trail, node);
    }
    ctx_leave(trail->graph->ctx);
    return ok;
}

// An empty trail is 0.
// What drops, repeats or reorders an effect gives another trail.
bool graph_effect_trail(Graph *graph, bool decided, uint64_t *hash)
{
    Trail trail = {.graph = graph, .decided = decided};
    bool ok = block_trail(&trail, graph->block);
    *hash = trail.hash;
    return ok;
}
