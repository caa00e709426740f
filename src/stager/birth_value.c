// The first value of a Variable that a trace makes: computed at once, outside
// the graph.
//
// Few ops over constants are run one by one; else a graph of its own is made of
// what the value needs. Invariant: what has been drawn of random numbers for a
// first value is drawn once.
#include "backend/exec.h"
#include "graph/build.h"
#include "graph/clone.h"
#include "graph/walk.h"
#include "interp/core/raise.h"
#include "stager/birth.h"
#include "stager/concrete.h"

static void need_all(const ValueId *values, uint32_t count, bool *need)
{
    for (uint32_t i = 0; i < count; i++) {
        need[values[i]] = true;
    }
}

// Marks (in `need`, by value) what the node is computed from. Its blocks count
// whole: which of their nodes run is known only when they do.
static void need_inputs(const GraphNode *node, bool *need)
{
    need_all(node->inputs, node->input_count, need);
    for (int b = 0; b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        for (Walk walk = walk_forward(node->blocks[b]); walk_next(&walk);) {
            uint32_t count;
            const ValueId *used = walk_uses(&walk, &count);
            need_all(used, count, need);
        }
    }
}

// One result that somebody needs is enough to need the node.
static bool is_needed(const GraphNode *node, const bool *need)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (need[node_output(node, i)]) {
            return true;
        }
    }
    return false;
}

// The cell in which Variable `index` of the trace's graph is in this call.
static VariableCell *cell_now(const Trace *trace, const Graph *graph,
                              uint32_t index)
{
    return index < trace->stand_ins.count
               ? variable_cell(value_as_variable(trace->stand_ins.items[index]))
               : graph->variables.items[index].cell;
}

// Whether the node is the assignment of what the value reads afterwards, by
// cell: an argument may be a Variable that the trace has captured as well.
static bool is_read_later(const Trace *trace, const Graph *graph,
                          const GraphNode *node, bool *read)
{
    bool found = false;
    for (uint32_t i = 0; i < graph->variables.count; i++) {
        if (read[i] && cell_now(trace, graph, i) ==
                           cell_now(trace, graph, node->variable)) {
            found = true;
            read[i] = false; // those before it have what it has before
        }
    }
    return found;
}

// A copy keeps what its value is computed from. Effects do not happen again
// because a value is looked at: of them it keeps assignments, which are done to
// cells of its own, and draws, which belong to the value and are taken out of
// the trace instead (drop_draws).
static void keep_needed(const Trace *trace, Graph *copy, bool *need, bool *read)
{
    GraphNode *previous;
    // From the last node to the first: all users of a node stand behind it.
    for (GraphNode *node = copy->block->last; node != NULL; node = previous) {
        previous = node->previous;
        bool assigns = node->op == OP_ASSIGN_VARIABLE;
        bool keeps = assigns ? is_read_later(trace, copy, node, read)
                             : is_needed(node, need) &&
                                   (!graph_has_effects(node) ||
                                    op_is_random(op_desc(node->op)));
        if (!keeps) {
            build_unlink(copy, node);
            continue;
        }
        need_inputs(node, need);
        if (node->op == OP_READ_VARIABLE) {
            read[node->variable] = true;
        }
    }
}

// A copy of the trace so far that yields `id` and has only what that needs.
static Graph *graph_of_value(Vm *vm, Trace *trace, ValueId id)
{
    GraphBlock *block = trace->graph->block;
    // The copy is taken of the trace as if it ended here; the trace itself has
    // no results yet.
    block->results = &id;
    block->result_count = 1;
    Graph *copy = clone_graph(trace->graph);
    block->results = NULL;
    block->result_count = 0;
    if (copy == NULL) {
        return NULL;
    }
    // The copy may lose its effects: the trace's own graph keeps them.
    size_t values = copy->values.count + 1;
    size_t size = (values + copy->variables.count) * sizeof(bool);
    bool *need = ctx_alloc_zero(&vm->ctx, size);
    if (need == NULL) {
        graph_release(&vm->ctx, copy);
        return NULL;
    }
    need[copy->block->results[0]] = true;
    keep_needed(trace, copy, need, need + values);
    ctx_free(&vm->ctx, need, size);
    return copy;
}

// What goes into argument `index` of the trace's graph in this call, owned.
static Tensor *argument_value(Vm *vm, Trace *trace, size_t index)
{
    const Signature *signature = trace->request->signature;
    // Captured symbolic tensors of enclosing traces are the last inputs.
    size_t own = signature->tensors.count;
    Value v = index < own ? signature->tensors.items[index].value
                          : trace->outer_values.items[index - own];
    if (value_is_tensor(v)) {
        return object_retain(value_as_tensor(v));
    }
    if (value_is_kind(v, KIND_SYMBOLIC)) {
        // A value of an enclosing trace is computed there in the same way.
        for (Trace *outer = trace->outer; outer != NULL; outer = outer->outer) {
            if (outer->owner == value_as_symbolic(v)->owner) {
                return birth_evaluate(vm, outer, value_as_symbolic(v)->value);
            }
        }
    }
    return raise_null(vm, ERR_VALUE,
                      "Variable: the initial value depends on an argument, "
                      "and there is none while %s is traced from specs",
                      trace->request->name->text);
}

// Whether argument `index` is used at all: others need no value.
static bool argument_used(const Graph *graph, ValueId id)
{
    // The value may be the argument itself.
    bool used = graph->block->results[0] == id;
    for (const GraphNode *node = graph->block->first; !used && node != NULL;
         node = node->next) {
        for (uint32_t i = 0; i < node->input_count; i++) {
            used = used || node->inputs[i] == id;
        }
        used = used || node->blocks[0] != NULL; // not looked into
    }
    return used;
}

// Cells with the values of the graph's Variables in this call, for the graph to
// change, and the list of them that a plan takes.
static VariableCell **own_cells(Vm *vm, const Trace *trace, const Graph *graph)
{
    size_t count = graph->variables.count + 1;
    VariableCell **cells =
        ctx_alloc_zero(&vm->ctx, count * (sizeof *cells + sizeof **cells));
    VariableCell *own = cells == NULL ? NULL : (VariableCell *)(cells + count);
    for (uint32_t i = 0; cells != NULL && i < graph->variables.count; i++) {
        VariableCell *now = cell_now(trace, graph, i);
        uint32_t first = 0; // of those that are one cell
        while (cell_now(trace, graph, first) != now) {
            first++;
        }
        cells[i] = &own[first];
        if (first == i && now != NULL && now->value != NULL) {
            own[i].value = object_retain(now->value);
        }
    }
    return cells;
}

static void free_cells(Vm *vm, VariableCell **cells, const Graph *graph)
{
    size_t count = graph->variables.count + 1;
    VariableCell *own = (VariableCell *)(cells + count);
    for (uint32_t i = 0; i < graph->variables.count; i++) {
        object_release_null(&vm->ctx, own[i].value);
    }
    ctx_free(&vm->ctx, cells, count * (sizeof *cells + sizeof **cells));
}

// Runs the copy on the values of this call. An argument that the value does not
// depend on may have none (a spec), and gets a stand-in that nobody reads.
static bool run_graph(Vm *vm, Trace *trace, Graph *graph, Tensor **inputs,
                      Tensor **output)
{
    size_t count = 0;
    VariableCell **cells = own_cells(vm, trace, graph);
    bool ok = cells != NULL;
    for (size_t i = 0; ok && i < graph->inputs.count; i++) {
        const GraphInput *input = &graph->inputs.items[i];
        if (input->kind != INPUT_ARGUMENT) {
            continue;
        }
        inputs[count] =
            argument_used(graph, input->value)
                ? argument_value(vm, trace, count)
                : tensor_scalar_int(&vm->ctx, DT_INT32, 0); // a stand-in
        ok = inputs[count] != NULL;
        count += ok;
    }
    PlanArgs args = {.inputs = inputs,
                     .variables = cells,
                     .host = &host_table,
                     .host_data = vm};
    ok = ok && graph_run(&vm->ctx, graph, &args, output);
    if (cells != NULL) {
        free_cells(vm, cells, graph);
    }
    for (size_t i = 0; i < count; i++) {
        object_release(&vm->ctx, inputs[i]);
    }
    return ok;
}

static Tensor *find_draw(const Trace *trace, ValueId id)
{
    const uint64_t *at = map_get(&trace->draws.places, (char *)&id, sizeof id);
    return at != NULL ? trace->draws.values.items[*at] : NULL;
}

// A draw has happened: who needs it again gets the same numbers, and the graph
// does not draw them.
static bool keep_draw(Vm *vm, Trace *trace, ValueId id, Tensor *value)
{
    Draws *draws = &trace->draws;
    size_t at = draws->values.count;
    if (find_draw(trace, id) != NULL ||
        !vec_push(&vm->ctx, &draws->values, value)) {
        return find_draw(trace, id) != NULL;
    }
    if (value != NULL) {
        (void)object_retain(value);
    }
    return map_put(&draws->places, (char *)&id, sizeof id, at);
}

// Remembers the draws that `id` is made from, but for their numbers: a graph
// has drawn them.
static bool note_draws(Vm *vm, Trace *trace, ValueId id)
{
    Graph *graph = trace->graph;
    size_t size = graph->values.count * sizeof(bool) + 1;
    bool *need = ctx_alloc_zero(&vm->ctx, size);
    bool ok = need != NULL;
    if (ok) {
        need[id] = true;
    }
    for (GraphNode *node = graph->block->last; ok && node != NULL;
         node = node->previous) {
        if (is_needed(node, need)) {
            need_inputs(node, need);
            // Draws that no first value has used stay in the graph and are
            // drawn anew at each run.
            ok = !op_is_random(op_desc(node->op)) ||
                 keep_draw(vm, trace, node_output(node, 0), NULL);
        }
    }
    ctx_free(&vm->ctx, need, size);
    return ok;
}

enum { OPERANDS_MOST = 8, ALONE_MOST = 64 };

// Whether the node can be run by itself. What a block draws depends on whether
// it runs, and in which turn.
static bool runs_alone(const Graph *graph, const GraphNode *node)
{
    return node != NULL && node->output_count == 1 &&
           graph_infer_applies(node) && node->input_count <= OPERANDS_MOST &&
           op_desc(node->op)->run == NULL &&
           (op_is_random(op_desc(node->op)) ? node->block == graph->block
                                            : !graph_has_effects(node));
}

// Whether a value is made of constants by a few such nodes, which `left` counts
// down: then no graph is needed.
static bool is_alone(const Trace *trace, ValueId id, uint32_t *left)
{
    const GraphNode *node = graph_value(trace->graph, id)->node;
    if (graph_constant(trace->graph, id) != NULL ||
        find_draw(trace, id) != NULL) {
        return true;
    }
    bool alone = *left > 0 && runs_alone(trace->graph, node);
    *left -= alone;
    for (uint32_t i = 0; alone && i < node->input_count; i++) {
        alone = is_alone(trace, node->inputs[i], left);
    }
    return alone;
}

// Of a block it is the same whenever the block runs: made of constants and of
// values outside.
static Tensor *evaluate_alone(Vm *vm, Trace *trace, ValueId id)
{
    const Graph *graph = trace->graph;
    const GraphNode *node = graph_value(graph, id)->node;
    Tensor *inputs[OPERANDS_MOST], *output = graph_constant(graph, id);
    uint32_t count = 0, outputs;
    if (output != NULL) {
        return object_retain(output);
    }
    if (!runs_alone(graph, node)) {
        return raise_null(vm, ERR_VALUE,
                          "Variable: the initial value depends on a symbolic "
                          "branch or loop; compute it before");
    }
    bool ok = true;
    for (; ok && count < node->input_count; count += ok) {
        inputs[count] = birth_evaluate(vm, trace, node->inputs[count]);
        ok = inputs[count] != NULL;
    }
    ok = ok && op_run(&vm->ctx, node->op, inputs, count, node->attrs, &output,
                      &outputs);
    for (uint32_t i = 0; i < count; i++) {
        object_release(&vm->ctx, inputs[i]);
    }
    if (ok && op_is_random(op_desc(node->op)) &&
        !keep_draw(vm, trace, id, output)) {
        object_release(&vm->ctx, output);
        ok = false;
    }
    return ok ? output : NULL;
}

// The value of a symbolic tensor in this very call, owned.
Tensor *birth_evaluate(Vm *vm, Trace *trace, ValueId id)
{
    if (!ctx_enter(&vm->ctx)) {
        return NULL;
    }
    Tensor *drawn = find_draw(trace, id);
    uint32_t left = ALONE_MOST;
    if (drawn != NULL ||
        graph_value(trace->graph, id)->block != trace->graph->block ||
        is_alone(trace, id, &left)) {
        Tensor *alone = drawn != NULL ? object_retain(drawn)
                                      : evaluate_alone(vm, trace, id);
        ctx_leave(&vm->ctx);
        return alone;
    }
    // A graph of its own with no more than the value needs, so that what the
    // trace does otherwise is not done twice.
    Graph *graph = graph_of_value(vm, trace, id);
    size_t size =
        graph != NULL ? (graph->inputs.count + 1) * sizeof(Tensor *) : 0;
    Tensor **inputs = graph != NULL ? ctx_alloc(&vm->ctx, size) : NULL;
    Tensor *output = NULL;
    if (inputs != NULL) {
        Trace *running = vm->trace; // host code in it sees no trace
        vm->trace = NULL;
        if (!run_graph(vm, trace, graph, inputs, &output)) {
            output = NULL;
        }
        vm->trace = running;
        ctx_free(&vm->ctx, inputs, size);
    }
    graph_release(&vm->ctx, graph);
    ctx_leave(&vm->ctx);
    // Only a value that was computed has used up its draws.
    if (output != NULL && !note_draws(vm, trace, id)) {
        object_release(&vm->ctx, output);
        return NULL;
    }
    return output;
}

// --- draws ---

static bool was_drawn(const Trace *trace, const GraphNode *node)
{
    ValueId id = node->output_count > 0 ? node_output(node, 0) : VALUE_ID_NONE;
    return map_get(&trace->draws.places, (char *)&id, sizeof id) != NULL;
}

// A draw that only first values used has happened: the graph must not repeat
// it.
bool birth_drop_draws(Vm *vm, Trace *trace)
{
    Graph *graph = trace->graph;
    size_t size = graph->values.count * sizeof(bool) + 1;
    bool *need = ctx_alloc_zero(&vm->ctx, size);
    if (need == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->block->result_count; i++) {
        need[graph->block->results[i]] = true;
    }
    GraphNode *previous;
    for (GraphNode *node = graph->block->last; node != NULL; node = previous) {
        previous = node->previous;
        if (is_needed(node, need) ||
            (graph_has_effects(node) && !was_drawn(trace, node))) {
            need_inputs(node, need);
        } else {
            // What else was made of the draw has no operand any more.
            build_unlink(graph, node);
        }
    }
    ctx_free(&vm->ctx, need, size);
    return true;
}

void birth_free_draws(Vm *vm, Draws *draws)
{
    for (size_t i = 0; i < draws->values.count; i++) {
        object_release_null(&vm->ctx, draws->values.items[i]);
    }
    vec_free(&vm->ctx, &draws->values);
    map_free(&draws->places);
}
