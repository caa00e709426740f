// Running a trace: its plan on the call's tensors, or, inside another trace, a
// call node there.
//
// Invariant: the call's signature is the Concrete's own, so tensors, Variables
// and the graph's inputs stand in one order.
#include <stdio.h>
#include <string.h>

#include "interp/core/raise.h"
#include "ops/tensor_list.h"
#include "stager/either.h"
#include "stager/error_notes.h"
#include "stager/graph_function.h"
#include "stager/late_error.h"
#include "stager/late_text.h"
#include "stager/leak.h"
#include "stager/trace.h"
#include "stager/written.h"
#include "tape/tape.h"

// The plan to run: one that looks at all numbers if that is asked for. NULL
// with an error pending.
static Plan *plan_of(Vm *vm, Concrete *concrete)
{
    if (LIKELY(!vm->check_numbers)) {
        return concrete->plan;
    }
    if (concrete->checked == NULL) {
        PlanOptions options = plan_options_numbers(&stager_of(vm)->options);
        concrete->checked = plan_build(&vm->ctx, concrete->graph, &options);
    }
    return concrete->checked;
}

// `running` keeps the table from dropping the trace while its plan is in use.
static bool run_plan(Vm *vm, Concrete *concrete, Plan *plan, Tensor **inputs,
                     VariableCell **cells, Tensor **outputs)
{
    PlanArgs args = {.inputs = inputs,
                     .variables = cells,
                     .host = &host_table,
                     .host_data = vm};
    concrete->running++;
    concrete->hits++;
    bool ok = plan != NULL && plan_run(&vm->ctx, plan, &args, outputs);
    concrete->running--;
    if (!ok) {
        error_notes_run(vm, &concrete->owner->events);
    }
    return ok;
}

bool concrete_run_inputs(Vm *vm, Concrete *concrete, Tensor **inputs,
                         VariableCell **cells, Tensor **outputs)
{
    return run_plan(vm, concrete, plan_of(vm, concrete), inputs, cells,
                    outputs);
}

// An object that the result holds twice is one for the caller too.
static Value map_result(Vm *vm, const Concrete *concrete, const Bound *bound,
                        LeafFn leaf, void *data)
{
    bool met;
    if (UNLIKELY(concrete->written.copies.count > 0)) {
        return written_unpack(vm, concrete, bound, leaf, data);
    }
    return concrete->shares ? structure_map_shared(vm, concrete->result, leaf,
                                                   NULL, data, &met)
                            : structure_map(vm, concrete->result, leaf, data);
}

// As structure_fill; what stands for a text is the text.
static Value fill_result(Vm *vm, Value v, void *data)
{
    Value made = structure_fill(vm, v, data);
    return UNLIKELY(symbolic_is_text(v)) ? late_text_value(vm, made) : made;
}

// A structure is rebuilt at each call: the caller may change what it got.
Value concrete_unpack(Vm *vm, const Concrete *concrete, const Bound *bound,
                      Tensor **outputs)
{
    Fill fill = {KIND_SYMBOLIC, outputs, 0};
    uint32_t count = concrete->graph->block->result_count;
    // Each place takes a count of its own, for one output may stand in
    // several; the caller's counts go behind it.
    Value result = LIKELY(concrete->layout.count > 0)
                       ? template_fill(vm, &concrete->layout, outputs)
                       : map_result(vm, concrete, bound, fill_result, &fill);
    for (uint32_t i = 0; i < count; i++) {
        object_release(&vm->ctx, outputs[i]);
    }
    return UNLIKELY(concrete->either) ? either_choose(vm, result) : result;
}

// A tape knows results by their addresses, so that one that is held elsewhere
// (an argument, a constant) becomes a tensor of its own.
static bool own_outputs(Vm *vm, Tensor **outputs, Value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Tensor *output = outputs[i];
        if (output->head.rc > 1) {
            bool list = dtype_is_list((DType)output->dtype);
            output = list ? tensor_list_own(&vm->ctx, object_retain(output),
                                            output->count)
                          : tensor_reshaped(&vm->ctx, output, output->rank,
                                            tensor_dims(output));
            if (output == NULL) {
                return false;
            }
            object_release(&vm->ctx, outputs[i]);
            outputs[i] = output;
        }
        // Of this Vm; the count stays the array's.
        values[i] = tensor_adopt(vm, output);
    }
    return true;
}

// Runs what a tape has the inputs of; `outputs` are all that its graph gives.
static bool run_keeping(Vm *vm, Concrete *concrete, Tensor **inputs,
                        VariableCell **cells, Tensor **outputs)
{
    GraphFunction *function = concrete->function;
    if (function->keeping == NULL) {
        return concrete_run_inputs(vm, concrete, inputs, cells, outputs);
    }
    PlanOptions options = stager_of(vm)->options;
    Plan *checked = NULL, **plan = &function->keeping_plan;
    if (UNLIKELY(vm->check_numbers)) {
        options = plan_options_numbers(&options);
        plan = &checked; // for this run alone
    }
    if (*plan == NULL) {
        *plan = plan_build(&vm->ctx, function->keeping, &options);
    }
    bool ok = run_plan(vm, concrete, *plan, inputs, cells, outputs);
    plan_release(&vm->ctx, checked);
    return ok;
}

// As concrete_run_inputs where a tape records. What is kept goes to the tape
// alone.
static bool run_taped(Vm *vm, Concrete *concrete, const Signature *signature,
                      Tensor **tensors, VariableCell **cells, Tensor **outputs)
{
    ValueVec inputs = {0};
    if (!graph_function_inputs(vm, concrete, signature, &inputs)) {
        structure_free(vm, &inputs);
        return false;
    }
    size_t count = concrete->graph->block->result_count;
    size_t all = graph_function_graph(concrete)->block->result_count;
    size_t size = (all + 1) * sizeof(Value), room = all * sizeof(Tensor *) + 1;
    Value *values = ctx_alloc(&vm->ctx, size);
    Tensor **made = ctx_alloc(&vm->ctx, room);
    bool ok = values != NULL && made != NULL &&
              run_keeping(vm, concrete, tensors, cells, made);
    if (ok) {
        ok = own_outputs(vm, made, values, all) &&
             graph_function_record(vm, concrete, &inputs, values);
        for (size_t i = ok ? count : 0; i < all; i++) {
            object_release(&vm->ctx, made[i]);
        }
        memcpy(outputs, made, (ok ? count : 0) * sizeof *outputs);
    }
    structure_free(vm, &inputs);
    ctx_free(&vm->ctx, made, room);
    ctx_free(&vm->ctx, values, size);
    return ok;
}

// One block of memory for inputs, outputs and cells; they are few and
// short-lived.
static Value run_now(Vm *vm, Concrete *concrete, const Bound *bound,
                     const Signature *signature)
{
    const Graph *graph = concrete->graph;
    size_t inputs = signature->tensors.count;
    size_t count = graph->block->result_count;
    // One more, so that a function of nothing asks for no zero bytes.
    size_t total = inputs + count + graph->variables.count + 1;
    void **room = ctx_alloc_zero(&vm->ctx, total * sizeof *room);
    if (room == NULL) {
        return VALUE_FAIL;
    }
    // All three are arrays of pointers, so that one array of void * has room
    // and alignment for them.
    Tensor **tensors = (Tensor **)room, **outputs = tensors + inputs;
    VariableCell **cells = (VariableCell **)(outputs + count);
    // The order of the signature is the order of the graph's inputs.
    for (size_t i = 0; i < inputs; i++) {
        tensors[i] = value_as_tensor(signature->tensors.items[i].value);
    }
    // A captured Variable's cell is in the graph.
    for (size_t i = 0; i < concrete->variables; i++) {
        cells[i] =
            variable_cell(value_as_variable(signature->variables.items[i]));
    }
    Value result = VALUE_FAIL;
    if ((recorder_active(vm)
             ? run_taped(vm, concrete, signature, tensors, cells, outputs)
             : concrete_run_inputs(vm, concrete, tensors, cells, outputs))) {
        result = concrete_unpack(vm, concrete, bound, outputs);
    }
    ctx_free(&vm->ctx, room, total * sizeof *room);
    return result;
}

// A call inside a trace.

// What the callee captured of an enclosing trace follows its own arguments.
static bool call_inputs(Vm *vm, const Concrete *concrete,
                        const Signature *signature, IdVec *ids)
{
    size_t own = signature->tensors.count;
    for (size_t i = 0; i < own + concrete->outer.count; i++) {
        Value v = i < own ? signature->tensors.items[i].value
                          : concrete->outer.items[i - own];
        ValueId id = trace_operand(vm, vm->trace, v);
        if (id == VALUE_ID_NONE || !vec_push(&vm->ctx, ids, id)) {
            return false;
        }
    }
    return true;
}

// The caller's numbers for the callee's Variables.
static bool call_variables(Vm *vm, const Concrete *concrete,
                           const Signature *signature, uint32_t *indexes)
{
    const Graph *graph = concrete->graph;
    for (size_t i = 0; i < graph->variables.count; i++) {
        Object *own = i < concrete->variables
                          ? value_object(signature->variables.items[i])
                          : graph->variables.items[i].owner;
        if (!trace_variable(vm, vm->trace, (Variable *)own, &indexes[i])) {
            return false;
        }
    }
    return true;
}

// Outputs of a call node on their way into the result's structure.
typedef struct UnpackNode {
    const GraphNode *node;
    const char *name;
    uint32_t next;
} UnpackNode;

// The result of a call inside a trace is symbolic there, named after the
// callee; what was a number or text of the host's in it is one here.
static Value unpack_output(Vm *vm, Value v, void *data)
{
    UnpackNode *unpack = data;
    if (!value_is_kind(v, KIND_SYMBOLIC)) {
        return value_retain(v);
    }
    Value output = trace_symbolic(
        vm, vm->trace, node_output(unpack->node, unpack->next++), unpack->name);
    if (!value_failed(output)) {
        value_as_symbolic(output)->weak = value_as_symbolic(v)->weak;
        value_as_symbolic(output)->text = value_as_symbolic(v)->text;
        value_as_symbolic(output)->mixed = value_as_symbolic(v)->mixed;
    }
    return output;
}

// Tells the tapes of the call.
static bool record_call(Vm *vm, Concrete *concrete, ValueVec *inputs,
                        const GraphNode *node)
{
    ValueVec outputs = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ok = structure_push(vm, &outputs,
                            trace_symbolic(vm, vm->trace, node_output(node, i),
                                           concrete->name->text));
    }
    ok = ok && graph_function_record(vm, concrete, inputs, outputs.items);
    structure_free(vm, &outputs);
    return ok;
}

// What tensors decide about the result is undecided in the caller. Takes it.
static Value show_result(Vm *vm, const Concrete *concrete, Value result)
{
    char name[80];
    snprintf(name, sizeof name, "%.60s()", concrete->name->text);
    return either_show(vm, name, result);
}

// The trace holds the callee until it ends: birth.c counts who holds a
// Variable, and must know the callees that do.
static Value append_call(Vm *vm, Concrete *concrete, const Bound *bound,
                         const Signature *signature)
{
    // The outer trace keeps the inner one alive, since its node points into it.
    if (!vec_push(&vm->ctx, &vm->trace->called, concrete)) {
        return VALUE_FAIL;
    }
    (void)object_retain(concrete);
    IdVec ids = {0};
    size_t size = (concrete->graph->variables.count + 1) * sizeof(uint32_t);
    uint32_t *indexes = ctx_alloc(&vm->ctx, size);
    Value result = VALUE_FAIL;
    ValueVec inputs = {0};
    bool taped = recorder_active(vm);
    if (indexes != NULL && frozen_call(vm, &concrete->frozen) &&
        (!taped || graph_function_inputs(vm, concrete, signature, &inputs)) &&
        call_inputs(vm, concrete, signature, &ids) &&
        call_variables(vm, concrete, signature, indexes)) {
        Graph *graph = taped ? graph_function_graph(concrete) : concrete->graph;
        GraphNode *node = graph_append_call(
            vm->trace->graph, vm->trace->block, graph, ids.items,
            (uint32_t)ids.count, indexes, trace_place(vm));
        UnpackNode unpack = {node, concrete->name->text, 0};
        // The structure of the result is the inner function's, its leaves are
        // the node's outputs in order.
        result =
            node == NULL || (taped && !record_call(vm, concrete, &inputs, node))
                ? VALUE_FAIL
                : map_result(vm, concrete, bound, unpack_output, &unpack);
        events_call(vm, vm->trace->events, &concrete->owner->events);
        result = concrete->either ? show_result(vm, concrete, result) : result;
    }
    if (!value_failed(result) && !value_is_none(concrete->ends)) {
        late_error_end(vm, concrete->ends);
        release(vm, result);
        result = VALUE_FAIL;
    }
    structure_free(vm, &inputs);
    vec_free(&vm->ctx, &ids);
    ctx_free(&vm->ctx, indexes, size);
    return result;
}

// A symbolic argument outside any trace has leaked; that is said here, since
// the plan can only take tensors.
Value concrete_run(Vm *vm, Concrete *concrete, const Bound *bound,
                   const Signature *signature)
{
    // A call that is refused leaves no effects.
    if (UNLIKELY(concrete->written.copies.count > 0) &&
        !written_fits(vm, concrete, bound)) {
        return VALUE_FAIL;
    }
    if (vm->trace != NULL) {
        concrete->hits++;
        return append_call(vm, concrete, bound, signature);
    }
    if (signature->any_symbolic) {
        // Let the operation that uses it first say what is wrong.
        for (size_t i = 0; i < signature->tensors.count; i++) {
            Value v = signature->tensors.items[i].value;
            if (value_is_kind(v, KIND_SYMBOLIC)) {
                return leak_fail(vm, concrete->name->text,
                                 value_as_symbolic(v));
            }
        }
    }
    return run_now(vm, concrete, bound, signature);
}
