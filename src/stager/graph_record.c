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

static Object *variable_of(const Trace *trace, uint32_t i)
{
    return i < trace->stand_ins.count ? value_object(trace->stand_ins.items[i])
                                      : trace->graph->variables.items[i].owner;
}

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
        ok = structure_push(
            vm, inputs,
            value_from_object(object_retain(variable_of(trace, i))));
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

static bool lift(Vm *vm, NodeRecord *record, bool late)
{
    Graph *graph = vm->trace->graph;
    bool once = !late && graph_node_acts_once(record->node);
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

// `late`: the node's outputs are in use, so it stays as it is.
static bool record_node(Vm *vm, GraphNode **node, bool late)
{
    Graph *graph = vm->trace->graph;
    NodeRecord record = {.node = *node, .results = (*node)->output_count};
    size_t size =
        (graph->values.count + (*node)->input_count + 1) * sizeof(ValueId);
    record.outside = ctx_alloc(&vm->ctx, size);
    bool ok = record.outside != NULL && lift(vm, &record, late);
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

bool graph_function_record_node(Vm *vm, GraphNode **node)
{
    return !recorder_active(vm) || (*node)->output_count == 0 ||
           record_node(vm, node, false);
}

// --- what a trace holds already ---

// An op of tensors, or a read of a Variable.
static bool record_op(Vm *vm, const GraphNode *node)
{
    Trace *trace = vm->trace;
    bool read = node->op == OP_READ_VARIABLE;
    uint32_t in = read ? 1 : node->input_count, out = node->output_count;
    size_t size = (in + out + 1) * sizeof(Value);
    Value *values = ctx_alloc(&vm->ctx, size);
    uint32_t made = 0;
    bool ok = values != NULL;
    for (; ok && made < in + out; made += ok) {
        Value v =
            made >= in
                ? trace_symbolic(vm, trace, node_output(node, made - in), NULL)
            : read ? value_from_object(
                         object_retain(variable_of(trace, node->variable)))
                   : trace_followed(vm, trace, node->inputs[made]);
        ok = !value_failed(v);
        values[made] = v;
    }
    ok = ok &&
         recorder_tell(vm, node->op, values, in, node->attrs, values + in, out);
    while (made > 0) {
        release(vm, values[--made]);
    }
    ctx_free(&vm->ctx, values, size);
    return ok;
}

static bool gives_one_of(const Trace *trace, const GraphNode *node,
                         const List *values)
{
    bool found = false;
    for (size_t i = 0; i < values->count && !found; i++) {
        found = trace_node(trace, values->items[i]) == node;
    }
    return found;
}

static bool record_late(Vm *vm, GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    if (node->output_count == 0 || node->op == OP_CONST) {
        return true;
    }
    if (node->blocks[0] == NULL && op->payload != PAYLOAD_CALLEE &&
        op->payload != PAYLOAD_GRADIENT) {
        return record_op(vm, node);
    }
    // What it takes is read where it stands.
    GraphBlock *block = vm->trace->block;
    vm->trace->block = node->block;
    bool ok = record_node(vm, &node, true);
    vm->trace->block = block;
    return ok;
}

// The blocks around come first.
static bool record_blocks(Vm *vm, GraphBlock *block, const List *constants)
{
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok =
        block->parent == NULL || record_blocks(vm, block->parent, constants);
    for (GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        ok = gives_one_of(vm->trace, node, constants) || record_late(vm, node);
    }
    ctx_leave(&vm->ctx);
    return ok;
}

Value graph_record_method(Vm *vm, Value *args)
{
    Tape *tape = (Tape *)value_object(args[1]);
    Recorder *recorders = vm->recorders;
    vm->recorders = NULL;
    tape_start(vm, tape);
    bool ok = record_blocks(vm, vm->trace->block, value_as_list(args[2]));
    tape_stop(vm, tape);
    vm->recorders = recorders;
    return value_done(ok);
}
