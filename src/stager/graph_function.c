// Graphs as functions of tensors, for tapes.
#include "stager/graph_function.h"

#include "graph/build.h"
#include "graph/clone.h"
#include "graph/passes/grad_graph.h"
#include "graph/passes/pass.h"
#include "graph/walk.h"
#include "interp/core/memory.h"
#include "interp/core/raise.h"
#include "interp/tensors/apply.h"
#include "stager/trace.h"
#include "tape/tape.h"

GraphFunction *graph_function_new(Vm *vm, Graph *graph)
{
    GraphFunction *self =
        graph == NULL
            ? NULL
            : object_new(vm, stager_of(vm)->graph_function_type, sizeof *self);
    if (self == NULL) {
        graph_release(&vm->ctx, graph);
        return NULL;
    }
    Object head = self->head;
    *self = (GraphFunction){
        .head = head, .graph = graph, .draws = graph_draws(graph)};
    if (!graph_sums_apart(graph, &self->apart) ||
        !graph_zero_gradients(graph, &self->zeros)) {
        object_release(&vm->ctx, self);
        return NULL;
    }
    return self;
}

static size_t argument_count(const GraphFunction *self)
{
    return self->graph->inputs.count + self->graph->variables.count +
           self->draws;
}

// Bytes of a derived one's masks.
static size_t mask_size(const GraphFunction *self)
{
    return self->graph->block->result_count + 4 * argument_count(self) + 1;
}

// Behind what is given and wanted, there: of what has begun; what is made and
// what that is of rows follow.
static const bool *masks_begun(const GraphFunction *self, const bool *masks)
{
    return masks + self->graph->block->result_count + argument_count(self);
}

static size_t same_size(const GraphFunction *self)
{
    return (self->graph->variables.count + 1) * sizeof *self->same;
}

static void drop_merged(Vm *vm, GraphFunction *self)
{
    object_release_null(&vm->ctx, self->merged);
    ctx_free(&vm->ctx, self->same, same_size(self));
    self->merged = NULL;
    self->same = NULL;
}

static void graph_fn_destroy(Vm *vm, Object *object)
{
    GraphFunction *self = (GraphFunction *)object;
    size_t size = mask_size(self);
    for (size_t i = 0; i < self->derived.count; i++) {
        ctx_free(&vm->ctx, self->derived.items[i].masks, size);
        object_release_null(&vm->ctx, self->derived.items[i].function);
    }
    vec_free(&vm->ctx, &self->derived);
    drop_merged(vm, self);
    object_release_null(&vm->ctx, self->owner);
    plan_release(&vm->ctx, self->keeping_plan);
    graph_release(&vm->ctx, self->keeping);
    plan_release(&vm->ctx, self->plan);
    graph_release(&vm->ctx, self->graph);
    object_free(vm, self, sizeof *self);
}

// Not tracked: what it holds is in no cycle but with Variables, which hold
// nothing.
const TypeDef graph_function_type_def = {
    .name = "graph_function",
    .doc = "A graph as a tape knows it.",
    .kind = KIND_OPAQUE,
    .size = sizeof(GraphFunction),
    .flags = TYPE_FINAL,
    .slots = {.destroy = graph_fn_destroy},
};

// ---- gradients

// The gradient for these masks, made once. NULL with an error pending.
static const GraphDerived *find_derived(Vm *vm, GraphFunction *self,
                                        const bool *masks)
{
    size_t results = self->graph->block->result_count;
    size_t arguments = argument_count(self);
    size_t size = mask_size(self);
    for (size_t i = 0; i < self->derived.count; i++) {
        if (memcmp(self->derived.items[i].masks, masks,
                   results + 2 * arguments) == 0) {
            return &self->derived.items[i];
        }
    }
    bool *own = ctx_alloc_zero(&vm->ctx, size);
    if (own == NULL) {
        return NULL;
    }
    memcpy(own, masks, results + 2 * arguments);
    Graph *graph = graph_gradient(
        self->graph, own, own + results, own + results + arguments,
        own + results + 2 * arguments, own + results + 3 * arguments);
    GraphDerived derived = {own, graph_function_new(vm, graph)};
    if (derived.function != NULL &&
        vec_push(&vm->ctx, &self->derived, derived)) {
        return &self->derived.items[self->derived.count - 1];
    }
    object_release_null(&vm->ctx, derived.function);
    ctx_free(&vm->ctx, own, size);
    return NULL;
}

// ---- running

bool graph_function_run(Vm *vm, Graph *graph, Plan **plan, const Value *inputs,
                        VariableCell *const *cells, Value *outputs)
{
    size_t count = 0, results = graph->block->result_count;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        count += graph->inputs.items[i].kind == INPUT_ARGUMENT;
    }
    PlanOptions options = stager_of(vm)->options;
    Plan *checked = NULL;
    if (UNLIKELY(vm->check_numbers)) {
        options = plan_options_numbers(&options);
        plan = &checked; // for this run alone
    }
    if (*plan == NULL) {
        *plan = plan_build(&vm->ctx, graph, &options);
    }
    size_t size = (count + results + 1) * sizeof(Tensor *);
    Tensor **room = *plan == NULL ? NULL : ctx_alloc(&vm->ctx, size);
    if (room == NULL) {
        plan_release(&vm->ctx, checked);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        room[i] = value_as_tensor(inputs[i]);
    }
    PlanArgs args = {.inputs = room,
                     .variables = cells,
                     .host = &host_table,
                     .host_data = vm};
    bool ok = plan_run(&vm->ctx, *plan, &args, room + count);
    for (size_t i = 0; ok && i < results; i++) {
        outputs[i] = tensor_adopt(vm, room[count + i]);
    }
    ctx_free(&vm->ctx, room, size);
    plan_release(&vm->ctx, checked);
    return ok;
}

// Outside of traces.
static bool run_plan(Vm *vm, GraphFunction *self, const Value *inputs,
                     Value *outputs)
{
    return graph_function_run(vm, self->graph, &self->plan, inputs, NULL,
                              outputs);
}

// Inside of one: a call there.
static bool append_call(Vm *vm, GraphFunction *self, const Value *inputs,
                        Value *outputs)
{
    Trace *trace = vm->trace;
    size_t count = self->graph->inputs.count;
    size_t size = (count + 1) * sizeof(ValueId);
    ValueId *ids = ctx_alloc(&vm->ctx, size);
    bool ok = ids != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        ids[i] = trace_operand(vm, trace, inputs[i]);
        ok = ids[i] != VALUE_ID_NONE;
    }
    GraphNode *node =
        ok ? graph_append_call(trace->graph, trace->block, self->graph, ids,
                               (uint32_t)count, NULL, trace_place(vm))
           : NULL;
    ctx_free(&vm->ctx, ids, size);
    return node != NULL && trace_outputs(vm, vm->trace, node, "grad", outputs);
}

static bool go_back(Vm *vm, const TapeEntry *entry, const TapeBack *back);

// The state of the generator of random numbers, as a tensor; in a trace a
// symbolic one.
static Value generator_state(Vm *vm)
{
    static const AttrValue none[OP_MAX_ATTRS];
    return apply_one(vm, OP_RNG_STATE, NULL, 0, none);
}

// A function without Variables of its own, on values; tapes are told the
// operands, among which Variables stand for themselves. Outputs are owned.
static bool call_function(Vm *vm, GraphFunction *self, const Value *values,
                          const Value *operands, Value *outputs)
{
    size_t count = self->graph->inputs.count;
    uint32_t results = self->graph->block->result_count;
    ValueVec told = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = structure_push(vm, &told, value_retain(operands[i]));
    }
    ok = ok && (!self->draws || structure_push(vm, &told, generator_state(vm)));
    for (size_t i = 0; ok && i < count; i++) {
        ok = !value_is_kind(operands[i], KIND_VARIABLE) ||
             structure_push(vm, &told, value_retain(values[i]));
    }
    if (ok && (vm->trace != NULL ? append_call : run_plan)(vm, self, values,
                                                           outputs)) {
        ok = (vm->trace != NULL || !recorder_active(vm) ||
              tape_part(vm, told.items, told.count, outputs, results)) &&
             tape_record_back(vm, go_back, value_from_object(self), told.items,
                              (uint32_t)told.count, outputs, results);
        for (uint32_t i = 0; !ok && i < results; i++) {
            value_release(&vm->ctx, outputs[i]);
        }
    } else {
        ok = false;
    }
    structure_free(vm, &told);
    return ok;
}

// Optimizers may take rows and a whole tensor in different ways; last bits of a
// sum are those of its order, which is another one too where one tensor is two
// arguments, and where a tape records the gradient's function as one operation,
// and not what is in it. What a block does not use has a gradient of zeros
// where eager code has none: an infinite slope makes it NaN.
static void tell_gradient(Vm *vm, const GraphFunction *self,
                          const GraphDerived *derived, const TapeEntry *entry,
                          const TapeBack *back)
{
    const bool *begun = masks_begun(self, derived->masks);
    const bool *made = begun + argument_count(self);
    const bool *rows = made + argument_count(self);
    EventLog *log = vm->trace != NULL     ? vm->trace->events
                    : self->owner != NULL ? &self->owner->events
                                          : NULL;
    if (log != NULL && (self->apart || entry->twice || recorder_active(vm))) {
        event_add(vm, log, EVENT_SUM, "a gradient that is summed apart",
                  VALUE_NONE);
    }
    if (log != NULL && self->zeros) {
        event_add(vm, log, EVENT_SUM, "a gradient of what a block does not use",
                  VALUE_NONE);
    }
    for (size_t i = 0; log != NULL && i < argument_count(self); i++) {
        if (made[i] && !rows[i] && !begun[i] &&
            graph_loses_rows(self->graph, derived->masks, back->output_rows,
                             i)) {
            event_add(vm, log, EVENT_OBJECT,
                      "a gradient of rows, as a whole tensor", VALUE_NONE);
        }
    }
}

// Calls the gradient's function on the entry's operands and the gradients.
static bool call_derived(Vm *vm, const GraphFunction *self,
                         const GraphDerived *derived, const TapeEntry *entry,
                         const TapeBack *back)
{
    size_t count = argument_count(self);
    const Value *inputs = back->inputs;
    const bool *begun = masks_begun(self, derived->masks);
    const bool *made = begun + count, *rows = made + count;
    GraphFunction *function = object_retain(derived->function);
    uint32_t results = function->graph->block->result_count, used = 0;
    size_t width = 2 * count + entry->output_count;
    size_t size = (2 * width + results + 1) * sizeof(Value);
    Value *room = ctx_alloc(&vm->ctx, size), *operands = room + width;
    bool ok = room != NULL;
    tell_gradient(vm, self, derived, entry, back);
    // The Variables' values stand behind the arguments.
    for (size_t i = 0, next = count; ok && i < count; i++) {
        room[used++] = value_is_kind(inputs[i], KIND_VARIABLE) ? inputs[next++]
                                                               : inputs[i];
    }
    for (size_t i = 0; ok && i < count; i++) {
        if (begun[i]) {
            room[used++] = back->so_far[i];
        }
    }
    for (uint32_t i = 0; ok && i < entry->output_count; i++) {
        if (!value_unbound(back->output_grads[i])) {
            room[used++] = back->output_grads[i];
        }
    }
    for (uint32_t i = 0; ok && i < used; i++) {
        operands[i] = i < count ? inputs[i] : room[i];
    }
    Value *outputs = operands + width;
    ok = ok &&
         (results == 0 || call_function(vm, function, room, operands, outputs));
    for (size_t i = 0, next = 0; ok && i < count; i++) {
        if (made[i]) {
            back->input_grads[i] = outputs[next++];
            back->input_rows[i] = rows[i] ? outputs[next++] : VALUE_UNBOUND;
            back->so_far[i] = VALUE_UNBOUND;
        }
    }
    ctx_free(&vm->ctx, room, size);
    object_release(&vm->ctx, function);
    return ok;
}

// ---- Variables that are one

static bool is_written(const Graph *graph, uint32_t variable)
{
    bool written = false;
    for (Walk walk = walk_forward(graph->block);
         !written && walk_next(&walk);) {
        written = walk.node != NULL && walk.node->variable == variable &&
                  node_desc(walk.node)->payload == PAYLOAD_RESOURCE &&
                  walk.node->output_count == 0;
    }
    return written;
}

// An argument may be one that is captured, too. In a trace that is asked where
// one is written: else the reads of both are of one value anyway.
static bool is_same(const Graph *graph, const Value *variables, uint32_t i,
                    uint32_t j)
{
    return value_same(variables[i], variables[j]) ||
           (tape_may_mean_one(variables[i], variables[j]) &&
            (is_written(graph, i) || is_written(graph, j)) &&
            value_same(value_meant(variables[i]), value_meant(variables[j])));
}

// For each Variable the number that stands for it. Returns whether any stands
// for another one.
static bool find_same(const Graph *graph, const Value *variables,
                      uint32_t *same)
{
    size_t count = graph->variables.count;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        same[i] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool argument = graph->variables.items[i].owner == NULL;
        for (uint32_t j = 0; argument && j < count; j++) {
            if (j != i && is_same(graph, variables, i, j)) {
                same[i < j ? j : i] = i < j ? i : j;
                any = true;
            }
        }
    }
    return any;
}

// The graph with one number for each.
static Graph *merge_variables(Graph *graph, const uint32_t *same)
{
    Graph *copy = clone_graph(graph);
    if (copy == NULL) {
        return NULL;
    }
    for (Walk walk = walk_forward(copy->block); walk_next(&walk);) {
        if (walk.node != NULL &&
            node_desc(walk.node)->payload == PAYLOAD_RESOURCE) {
            walk.node->variable = same[walk.node->variable];
        }
    }
    return copy;
}

// The function that is right for these operands; borrowed. The graph itself
// knows its Variables apart: run by cells, it need not know more.
static GraphFunction *merged_of(Vm *vm, GraphFunction *self,
                                const Value *inputs)
{
    size_t size = same_size(self);
    uint32_t *same = ctx_alloc_zero(&vm->ctx, size);
    if (same == NULL) {
        return NULL;
    }
    bool any = find_same(self->graph, inputs + self->graph->inputs.count, same);
    if (any && (self->merged == NULL || memcmp(self->same, same, size) != 0)) {
        drop_merged(vm, self);
        self->merged =
            graph_function_new(vm, merge_variables(self->graph, same));
        if (self->merged != NULL && self->owner != NULL) {
            self->merged->owner = object_retain(self->owner);
        }
        self->same = same;
        return self->merged;
    }
    ctx_free(&vm->ctx, same, size);
    return any ? self->merged : self;
}

// TapeBackFn of a graph that was run: entry->data is its function.
static bool go_back(Vm *vm, const TapeEntry *entry, const TapeBack *back)
{
    GraphFunction *self =
        merged_of(vm, (GraphFunction *)value_object(entry->data), back->inputs);
    if (self == NULL) {
        return false;
    }
    size_t size = mask_size(self), count = argument_count(self);
    bool *masks = ctx_alloc_zero(&vm->ctx, size);
    if (masks == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < entry->output_count; i++) {
        masks[i] = !value_unbound(back->output_grads[i]);
    }
    memcpy(masks + entry->output_count, back->wanted, count);
    for (size_t i = 0; i < count; i++) {
        masks[entry->output_count + count + i] =
            !value_unbound(back->so_far[i]);
    }
    const GraphDerived *derived = find_derived(vm, self, masks);
    ctx_free(&vm->ctx, masks, size);
    return derived != NULL && call_derived(vm, self, derived, entry, back);
}

// ---- recording

// Makes of the copy the graph for gradients, which takes what `keeping` gives.
static bool read_kept(Vm *vm, Graph *copy, const Graph *keeping)
{
    const GraphBlock *block = keeping->block;
    uint32_t first = copy->block->result_count;
    uint32_t count = block->result_count - first;
    size_t size = (count + 1) * sizeof(TensorType);
    TensorType *types = ctx_alloc(&vm->ctx, size);
    for (uint32_t i = 0; types != NULL && i < count; i++) {
        types[i] = graph_type(keeping, block->results[first + i]);
    }
    bool ok = types != NULL && graph_read_kept(copy, types, count);
    ctx_free(&vm->ctx, types, size);
    return ok;
}

// A copy whose calls are inlined, so that all that they capture are inputs.
static GraphFunction *graph_fn_of(Vm *vm, Graph *graph)
{
    Graph *copy = clone_graph(graph), *keeping = NULL;
    bool ok = copy != NULL && inline_run(copy);
    if (ok && graph_acts_once(copy)) {
        keeping = clone_graph(copy);
        ok = keeping != NULL && graph_keep(keeping) &&
             read_kept(vm, copy, keeping);
    }
    if (!ok) {
        graph_release(&vm->ctx, copy);
        copy = NULL;
    }
    GraphFunction *self = graph_function_new(vm, copy);
    if (self != NULL) {
        self->keeping = keeping;
    } else {
        graph_release(&vm->ctx, keeping);
    }
    return self;
}

// Tapes are told of no read: a Variable's gradient is added to as a whole.
bool graph_function_state(Vm *vm, const GraphFunction *function, size_t first,
                          ValueVec *inputs)
{
    Recorder *recorders = vm->recorders;
    bool ok =
        !function->draws || structure_push(vm, inputs, generator_state(vm));
    vm->recorders = NULL;
    // Reading one may register no further Variable: they are all there.
    for (size_t i = 0; ok && i < function->graph->variables.count; i++) {
        Variable *variable = value_as_variable(inputs->items[first + i]);
        ok = structure_push(vm, inputs, variable_read(vm, variable));
    }
    vm->recorders = recorders;
    return ok;
}

bool graph_function_inputs(Vm *vm, Concrete *concrete,
                           const Signature *signature, ValueVec *inputs)
{
    *inputs = (ValueVec){0};
    if (concrete->function == NULL) {
        concrete->function = graph_fn_of(vm, concrete->graph);
        if (concrete->function == NULL) {
            return false;
        }
        concrete->function->owner = object_retain(concrete->owner);
    }
    Graph *graph = concrete->function->graph;
    size_t next = 0, own = signature->tensors.count;
    bool ok = true;
    for (size_t i = 0; ok && i < graph->inputs.count; i++) {
        Tensor *capture = graph->inputs.items[i].capture;
        if (capture != NULL) {
            ok = structure_push(vm, inputs,
                                value_from_object(object_retain(capture)));
            continue;
        }
        // What is kept comes when it has run.
        Value v = next < own ? signature->tensors.items[next].value
                  : next < own + concrete->outer.count
                      ? concrete->outer.items[next - own]
                      : VALUE_NONE;
        next++;
        ok = structure_push(vm, inputs, value_retain(v));
    }
    size_t first = inputs->count;
    for (size_t i = 0; ok && i < graph->variables.count; i++) {
        Object *variable = i < concrete->variables
                               ? value_object(signature->variables.items[i])
                               : graph->variables.items[i].owner;
        ok = structure_push(vm, inputs,
                            value_from_object(object_retain(variable)));
    }
    return ok && graph_function_state(vm, concrete->function, first, inputs);
}

bool graph_function_tell(Vm *vm, GraphFunction *function,
                         const ValueVec *inputs, const Value *outputs,
                         uint32_t count)
{
    return tape_record_back(vm, go_back, value_from_object(function),
                            inputs->items, (uint32_t)inputs->count, outputs,
                            count);
}

bool graph_function_record(Vm *vm, Concrete *concrete, ValueVec *inputs,
                           const Value *outputs)
{
    const GraphFunction *function = concrete->function;
    uint32_t count = concrete->graph->block->result_count;
    uint32_t all = graph_function_graph(concrete)->block->result_count;
    size_t first = function->graph->inputs.count - (all - count);
    for (uint32_t i = count; i < all; i++) {
        inputs->items[first + i - count] = value_retain(outputs[i]);
    }
    return graph_function_tell(vm, concrete->function, inputs, outputs, count);
}

Graph *graph_function_graph(const Concrete *concrete)
{
    return concrete->function->keeping != NULL ? concrete->function->keeping
                                               : concrete->graph;
}
