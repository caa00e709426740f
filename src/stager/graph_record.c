// Nodes with blocks on tapes: see graph_function.h.
//
// The node is lifted into a graph of its own, of which gradients are taken.
// What its effects gave stands on lists then, which the node gives, too.
#include "graph/build.h"
#include "graph/passes/grad_graph.h"
#include "graph/passes/pass.h"
#include "interp/tensors/apply.h"
#include "stager/graph_function.h"
#include "stager/trace.h"
#include "tape/tape.h"

// What a node is recorded with.
typedef struct NodeRecord {
    GraphNode *node;
    uint32_t results; // of the node that was appended
    ValueId *outside; // what the function takes of the trace
    uint32_t count;
    IdVec lists; // behind that
    GraphFunction *function;
    ValueVec inputs;
} NodeRecord;

// What the function takes: values of the trace, what its callees captured, what
// is kept, Variables, the generator. Nodes that this takes are put at the end
// of the trace.
static bool node_inputs(Vm *vm, NodeRecord *record)
{
    Trace *trace = vm->trace;
    const Graph *graph = record->function->graph;
    ValueVec *inputs = &record->inputs;
    uint32_t list = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < graph->inputs.count; i++) {
        Tensor *capture = graph->inputs.items[i].capture;
        ValueId id = i < record->count ? record->outside[i]
                     : capture == NULL ? record->lists.items[list++]
                                       : VALUE_ID_NONE;
        ok = structure_push(vm, inputs,
                            id != VALUE_ID_NONE
                                ? trace_followed(vm, trace, id)
                                : value_from_object(object_retain(capture)));
    }
    size_t first = inputs->count;
    for (uint32_t i = 0; ok && i < graph->variables.count; i++) {
        Object *variable = i < trace->stand_ins.count
                               ? value_object(trace->stand_ins.items[i])
                               : trace->graph->variables.items[i].owner;
        ok = structure_push(vm, inputs,
                            value_from_object(object_retain(variable)));
    }
    return ok && graph_function_state(vm, record->function, first, inputs);
}

// Makes the node give what is kept of it, and the lifted one take it.
static bool keep(Vm *vm, NodeRecord *record, Graph *lifted)
{
    Graph *graph = vm->trace->graph;
    if (!graph_keep_node(graph, &record->node, &record->lists)) {
        return false;
    }
    size_t count = record->lists.count;
    size_t size = (count + 1) * sizeof(TensorType);
    TensorType *types = ctx_alloc(&vm->ctx, size);
    for (size_t i = 0; types != NULL && i < count; i++) {
        types[i] = graph_type(graph, record->lists.items[i]);
    }
    bool ok = types != NULL && graph_read_kept(lifted, types, count);
    ctx_free(&vm->ctx, types, size);
    return ok;
}

static bool lift(Vm *vm, NodeRecord *record)
{
    Graph *graph = vm->trace->graph;
    bool once = graph_node_acts_once(record->node);
    if (once && !inline_node(graph, record->node)) {
        return false;
    }
    Graph *lifted =
        graph_lift_node(graph, record->node, record->outside, &record->count);
    if (lifted != NULL && once && !keep(vm, record, lifted)) {
        graph_release(&vm->ctx, lifted);
        lifted = NULL;
    }
    record->function = graph_function_new(vm, lifted);
    return record->function != NULL && inline_run(lifted);
}

// What stands behind `last` to before the node: it must see what that found.
static void move_before(Graph *graph, GraphNode *last, GraphNode *node)
{
    while (last->next != NULL) {
        GraphNode *moved = last->next;
        build_unlink(graph, moved);
        build_link(graph, node->block, moved, node);
    }
}

static bool tell(Vm *vm, const NodeRecord *record)
{
    const GraphNode *node = record->node;
    size_t size = (node->output_count + 1) * sizeof(Value);
    Value *outputs = ctx_alloc(&vm->ctx, size);
    bool ok =
        outputs != NULL && trace_outputs(vm, vm->trace, node, "grad", outputs);
    if (ok) {
        ok = graph_function_tell(vm, record->function, &record->inputs, outputs,
                                 record->results);
        for (uint32_t i = 0; i < node->output_count; i++) {
            value_release(&vm->ctx, outputs[i]);
        }
    }
    ctx_free(&vm->ctx, outputs, size);
    return ok;
}

bool graph_function_record_node(Vm *vm, GraphNode **node)
{
    if (!recorder_active(vm) || (*node)->output_count == 0) {
        return true;
    }
    Graph *graph = vm->trace->graph;
    NodeRecord record = {.node = *node, .results = (*node)->output_count};
    size_t size =
        (graph->values.count + (*node)->input_count + 1) * sizeof(ValueId);
    record.outside = ctx_alloc(&vm->ctx, size);
    bool ok = record.outside != NULL && lift(vm, &record);
    if (ok) {
        GraphNode *last = record.node->block->last;
        ok = node_inputs(vm, &record);
        move_before(graph, last, record.node);
        ok = ok && tell(vm, &record);
    }
    *node = record.node;
    structure_free(vm, &record.inputs);
    vec_free(&vm->ctx, &record.lists);
    object_release_null(&vm->ctx, record.function);
    ctx_free(&vm->ctx, record.outside, size);
    return ok;
}
