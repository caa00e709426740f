// Gradients of the program's own in a trace: a node holds the graph of the
// function that gives them, for whoever asks the whole graph's gradient.
#include "stager/stage_gradient.h"

#include "graph/passes/grad_graph.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/tensors/apply.h"
#include "stager/concrete.h"
#include "stager/trace.h"

static bool push_operand(Vm *vm, Value v, IdVec *ids)
{
    ValueId id = trace_operand(vm, vm->trace, v);
    return id != VALUE_ID_NONE && vec_push(&vm->ctx, ids, id);
}

static bool push_operands(Vm *vm, const List *list, IdVec *ids)
{
    bool ok = true;
    for (size_t i = 0; ok && i < list->count; i++) {
        ok = push_operand(vm, list->items[i], ids);
    }
    return ok;
}

static bool push_state(Vm *vm, IdVec *ids)
{
    Value state = apply_one(vm, OP_RNG_STATE, NULL, 0, NULL);
    bool ok = !value_failed(state) && push_operand(vm, state, ids);
    release(vm, state);
    return ok;
}

// What the gradient's graph takes behind the gradients of the outputs: values
// of this trace, captures, Variables as they are now, the generator's state.
static bool push_used(Vm *vm, const Concrete *gradient, size_t outputs,
                      IdVec *ids)
{
    const Graph *graph = gradient->graph;
    bool ok = true;
    size_t next = 0;
    for (size_t i = 0; ok && i < graph->inputs.count; i++) {
        Tensor *capture = graph->inputs.items[i].capture;
        if (capture != NULL) {
            ok = push_operand(vm, value_from_object(capture), ids);
        } else if (next++ >= outputs) {
            ok = push_operand(vm, gradient->outer.items[next - 1 - outputs],
                              ids);
        }
    }
    for (size_t i = 0; ok && i < graph->variables.count; i++) {
        ok = push_operand(
            vm, value_from_object(graph->variables.items[i].owner), ids);
    }
    return ok && (!graph_draws(graph) || push_state(vm, ids));
}

static Value list_outputs(Vm *vm, const GraphNode *node)
{
    List *list = list_new(vm, 0);
    for (uint32_t i = 0; list != NULL && i < node->output_count; i++) {
        Value output = trace_symbolic(vm, vm->trace, node_output(node, i),
                                      "custom_gradient");
        if (value_failed(output) || !list_append_owned(vm, list, output)) {
            object_release(&vm->ctx, list);
            list = NULL;
        }
    }
    return value_or_fail(list);
}

Value stage_custom_gradient_method(Vm *vm, Value *args)
{
    const List *outputs = value_as_list(args[1]);
    Concrete *gradient = (Concrete *)value_object(args[3]);
    Graph *values = graph_of_values(gradient->graph);
    IdVec ids = {0};
    GraphNode *node = NULL;
    if (values != NULL && push_operands(vm, outputs, &ids) &&
        push_operands(vm, value_as_list(args[2]), &ids) &&
        push_used(vm, gradient, outputs->count, &ids)) {
        node = graph_append_gradient(vm->trace->graph, vm->trace->block, values,
                                     ids.items, (uint32_t)ids.count,
                                     (uint32_t)outputs->count, trace_place(vm));
    }
    vec_free(&vm->ctx, &ids);
    graph_release(&vm->ctx, values);
    return node != NULL ? list_outputs(vm, node) : VALUE_FAIL;
}
