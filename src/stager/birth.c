// Variables that are made in a trace.
//
// A Variable is state that exists once, while a graph runs many times. So a
// trace may make one only on the function's first call, something older must
// keep it, and its first value is computed at once, from the values of this
// very call, outside the graph.
#include "stager/birth.h"

#include "backend/exec.h"
#include "graph/build.h"
#include "graph/clone.h"
#include "graph/walk.h"
#include "interp/core/cycles.h"
#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "stager/staged_fn.h"

// --- The first value ---

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

static Tensor *evaluate(Vm *vm, Trace *trace, ValueId id);

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
                return evaluate(vm, outer, value_as_symbolic(v)->value);
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

// Remembers the draws that `id` is made from: they have happened.
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
                 vec_push(&vm->ctx, &trace->drawn, node);
        }
    }
    if (need != NULL) {
        ctx_free(&vm->ctx, need, size);
    }
    return ok;
}

enum { INSIDE_MOST = 8 }; // operands

// A value of a block that is the same whenever the block runs: it is made of
// constants and of values outside, by ops without effects. Whether the block
// runs at all is not known now, nor which turn of it.
static Tensor *evaluate_inside(Vm *vm, Trace *trace, ValueId id)
{
    const Graph *graph = trace->graph;
    const GraphNode *node = graph_value(graph, id)->node;
    Tensor *inputs[INSIDE_MOST], *output = graph_constant(graph, id);
    uint32_t count = 0, outputs;
    if (output != NULL) {
        return object_retain(output);
    }
    if (node == NULL || node->output_count != 1 || !graph_infer_applies(node) ||
        node->input_count > INSIDE_MOST || graph_has_effects(node) ||
        op_is_random(op_desc(node->op)) || op_desc(node->op)->run != NULL) {
        return raise_null(vm, ERR_VALUE,
                          "Variable: the initial value depends on a symbolic "
                          "branch or loop; compute it before");
    }
    bool ok = true;
    for (; ok && count < node->input_count; count += ok) {
        inputs[count] = evaluate(vm, trace, node->inputs[count]);
        ok = inputs[count] != NULL;
    }
    ok = ok && op_run(&vm->ctx, node->op, inputs, count, node->attrs, &output,
                      &outputs);
    for (uint32_t i = 0; i < count; i++) {
        object_release(&vm->ctx, inputs[i]);
    }
    return ok ? output : NULL;
}

// The value of a symbolic tensor in this very call, owned.
static Tensor *evaluate(Vm *vm, Trace *trace, ValueId id)
{
    if (!ctx_enter(&vm->ctx)) {
        return NULL;
    }
    if (graph_value(trace->graph, id)->block != trace->graph->block) {
        Tensor *inside = evaluate_inside(vm, trace, id);
        ctx_leave(&vm->ctx);
        return inside;
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

// --- Whether it may be ---

// What "the function's first call" is about: each instance has its own.
static Value receiver(const TraceRequest *request)
{
    if (!value_is_kind(request->target, KIND_FUNCTION) ||
        request->bound->values.count == 0) {
        return VALUE_UNBOUND;
    }
    const Code *code = ((const Function *)value_object(request->target))->code;
    return code->flags & CODE_TAKES_SELF ? request->bound->values.items[0]
                                         : VALUE_UNBOUND;
}

// Whether the trace was made for other Variables than these.
static bool is_of_others(const Concrete *c, const Signature *signature)
{
    bool others = (c->looks & LOOKS_AT_IDENTITY) != 0;
    for (size_t i = 0; others && i < signature->variables.count; i++) {
        const Object *object =
            value_object(value_meant(signature->variables.items[i]));
        for (size_t k = 0; others && k < c->use_count; k++) {
            others = c->uses[k].identity->object != object;
        }
    }
    return others;
}

// For a method the question is asked of each instance: a class's staged method
// serves them all, and each has state of its own to make. So may have the
// Variables that traces look at.
static bool is_first_call(Vm *vm, const TraceRequest *request)
{
    Value own = receiver(request);
    const TraceTable *table = &request->staged->table;
    size_t variables = request->signature->variables.count;
    if (value_unbound(own) && variables == 0) {
        return request->staged->traced == 0;
    }
    size_t at = 0;
    for (const Concrete *c; (c = traces_next(table, &at)) != NULL;) {
        const Bound *bound = &c->bound;
        bool apart =
            bound->values.count > 0 && !value_unbound(own) &&
            !value_same(identity_value(vm, bound->values.items[0]), own);
        if (!apart && !is_of_others(c, request->signature)) {
            return false;
        }
    }
    return true;
}

// Refuses before anything is computed, so that a refused Variable draws no
// random numbers. An eager tensor or a Variable's value needs no graph at all.
static Tensor *first_value(Vm *vm, Value initial)
{
    Trace *trace = vm->trace;
    if (!is_first_call(vm, trace->request)) {
        return raise_null(vm, ERR_VALUE,
                          "Variable: %s makes a Variable in a trace that is "
                          "not its first; make it once, outside, or where "
                          "`if self.v is None` finds none",
                          trace->request->name->text);
    }
    if (value_is_tensor(initial)) {
        return object_retain(value_as_tensor(initial));
    }
    if (value_is_kind(initial, KIND_VARIABLE)) {
        return object_retain(variable_cell(value_as_variable(initial))->value);
    }
    // Of symbolic tensors, or of what a tensor can be made of.
    ValueId id = trace_operand(vm, trace, initial);
    if (id == VALUE_ID_NONE) {
        return NULL;
    }
    Tensor *value = evaluate(vm, trace, id);
    if (value != NULL) {
        (void)tensor_adopt(vm, value);
    }
    return value;
}

Tensor *birth_first_value(Vm *vm, Value initial)
{
    Tensor *value = first_value(vm, initial);
    // Eager code makes it again and again.
    vm->trace->gave_up |= value == NULL;
    return value;
}

// The count that is taken here keeps the Variable alive until the trace ends,
// so that birth_close can tell whether anybody else did.
bool birth_made(Vm *vm, Variable *variable)
{
    Trace *trace = vm->trace != NULL ? vm->trace : vm->aside;
    Birth birth = {.variable = variable,
                   .site = trace_site(vm, trace),
                   .aside = vm->trace == NULL};
    Source *source;
    birth.line = trace_program_line(vm, &source);
    // Pushed before it is counted: on failure there is nothing to take back.
    if (birth.site == GRAPH_SITE_FAILED ||
        !vec_push(&vm->ctx, &trace->births, birth)) {
        return false;
    }
    (void)object_retain(variable);
    return true;
}

// --- Whether it is kept ---

// Arguments hold a Variable once for each place in which it stands.
static uint32_t count_in(const ValueVec *values, const Variable *variable)
{
    uint32_t count = 0;
    for (size_t i = 0; i < values->count; i++) {
        count += value_is_object(values->items[i]) &&
                 value_object(values->items[i]) == &variable->head;
    }
    return count;
}

// A graph holds one count on each Variable that it captured.
static uint32_t count_in_graph(const Graph *graph, const Variable *variable)
{
    uint32_t count = 0;
    for (size_t i = 0; i < graph->variables.count; i++) {
        count += graph->variables.items[i].owner == &variable->head;
    }
    return count;
}

// References that the staging itself holds: graphs, plans, concrete
// functions called from here, the list of births.
static uint32_t own_references(const Trace *trace, const Variable *variable)
{
    // The 1 is that of the list of births itself.
    uint32_t count = 1 + count_in_graph(trace->graph, variable);
    for (size_t i = 0; i < trace->called.count; i++) {
        const Concrete *callee = trace->called.items[i];
        count += count_in(&callee->bound.values, variable) +
                 count_in_graph(callee->graph, variable);
        // A plan may run a copy of the graph that passes have rewritten, which
        // counts its Variables again.
        if (callee->plan != NULL && plan_graph(callee->plan) != callee->graph) {
            count += count_in_graph(plan_graph(callee->plan), variable);
        }
    }
    return count;
}

// Few draws serve first values, so a search does.
static bool was_drawn(const Trace *trace, const GraphNode *node)
{
    for (size_t i = 0; i < trace->drawn.count; i++) {
        if (trace->drawn.items[i] == node) {
            return true;
        }
    }
    return false;
}

// A draw that only first values used has happened: the graph must not repeat
// it.
static bool drop_draws(Vm *vm, Trace *trace)
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

// Counts are compared and not owners: whoever holds it, an attribute, a list, a
// closure, is as good as another. What the block of a stage.once() made and no
// graph uses is nobody's matter.
static bool is_kept(const Trace *trace, const Birth *birth)
{
    uint32_t own = own_references(trace, birth->variable);
    return birth->variable->head.rc > own || (birth->aside && own == 1);
}

// Names the line that made it.
static bool refuse_birth(Vm *vm, const Trace *trace, const Birth *birth)
{
    const Str *name = birth->variable->name;
    raise_error(vm, ERR_VALUE,
                "%s: the Variable%s%s%s made at line %u is kept by nothing "
                "outside, so each call would need a new one; make it once, "
                "outside, or keep it in an attribute",
                trace->request->name->text, name != NULL ? " '" : "",
                name != NULL ? name->text : "", name != NULL ? "'" : "",
                birth->line);
    trace_point(vm, trace->graph, birth->site);
    return false;
}

// A count beyond the staging's own means that the program keeps the Variable,
// once what only refers to itself is gone. It then belongs to the enclosing
// trace too, whose end asks again.
bool birth_close(Vm *vm, Trace *trace)
{
    if (trace->births.count > 0) {
        cycles_collect(vm, true);
    }
    for (size_t i = 0; i < trace->births.count; i++) {
        Birth *birth = &trace->births.items[i];
        if (!is_kept(trace, birth)) {
            return refuse_birth(vm, trace, birth);
        }
        if (trace->outer != NULL) {
            birth->site = 0; // of this trace's graph
            if (!vec_push(&vm->ctx, &trace->outer->births, *birth)) {
                return false;
            }
            (void)object_retain(birth->variable);
        }
    }
    return trace->drawn.count == 0 || drop_draws(vm, trace);
}

// Lets go of the Variables; those that the program keeps live on.
void births_free(Vm *vm, Births *births)
{
    for (size_t i = 0; i < births->count; i++) {
        object_release(&vm->ctx, births->items[i].variable);
    }
    vec_free(&vm->ctx, births);
}
