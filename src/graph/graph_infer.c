// Types of nodes, and of blocks again after a loop's state became general.
//
// Inference is monotonic: more general inputs give more general outputs, so
// that the fix-point of a loop is reached after at most rank + 1 rounds.
#include "graph/build.h"
#include "graph/clone.h"
#include "graph/versions.h"
#include "graph/walk.h"

bool graph_infer_applies(const GraphNode *node)
{
    return node_desc(node)->infer != NULL;
}

bool graph_refuse_list(Ctx *ctx, const OpDesc *op)
{
    return ctx_fail(ctx, ERR_TYPE, "%s: takes tensors, not a list of them",
                    op->name);
}

// The sizes that `id` gives, as far as they are known: those of the tensor that
// it is the shape of, or the constants among numbers that were put together.
static void known_sizes(const Graph *graph, ValueId id, Shape *out)
{
    const GraphNode *node = graph_value(graph, id)->node;
    if (node != NULL && node->op == OP_SHAPE_OF) {
        TensorType type = graph_type(graph, node->inputs[0]);
        out->rank = type.rank;
        for (int i = 0; i < type.rank; i++) {
            out->dims[i] = type.dims[i];
        }
    } else if (node != NULL && node->op == OP_STACK &&
               graph_type(graph, id).rank == 1 &&
               node->input_count <= SHAPE_MAX_RANK) {
        out->rank = (int)node->input_count;
        for (int i = 0; i < out->rank; i++) {
            const Tensor *size = graph_constant(graph, node->inputs[i]);
            int64_t number =
                size == NULL ? DIM_UNKNOWN : tensor_int_at(size, 0);
            out->dims[i] = number < 0 ? DIM_UNKNOWN : number;
        }
    }
}

// Looked for where an attribute is an operand without a known value.
static void find_sizes(const Graph *graph, const GraphNode *node,
                       InferCall *call)
{
    call->sizes.rank = RANK_UNKNOWN;
    for (int i = 0; i < call->op->attr_count; i++) {
        const AttrValue *attr = &node->attrs[i];
        if (attr->kind == ATTR_INPUT && call->op->attrs[i].kind == ATTR_INTS &&
            call->values[attr->integer] == NULL) {
            known_sizes(graph, node->inputs[attr->integer], &call->sizes);
        }
    }
}

// Inputs that are handled without an allocation: more only ops on lists have.
enum { INFER_FEW = 8 };

// Constants are known to the rule by value: reshape and slices need them.
bool graph_infer_node(Graph *graph, const GraphNode *node, InferCall *call)
{
    Ctx *ctx = graph->ctx;
    uint32_t count = node->input_count;
    // Types and values in one allocation; types stand first, whose alignment
    // is enough for pointers.
    TensorType few_types[INFER_FEW], *types = few_types;
    Tensor *few_values[INFER_FEW], **values = few_values;
    if (count > INFER_FEW) {
        types = ctx_alloc(ctx, count * (sizeof *types + sizeof *values));
        if (types == NULL) {
            return false;
        }
        values = (Tensor **)(types + count);
    }
    bool lists = false;
    for (uint32_t i = 0; i < count; i++) {
        types[i] = graph_type(graph, node->inputs[i]);
        values[i] = graph_constant(graph, node->inputs[i]);
        lists = lists || dtype_is_list(types[i].dtype);
    }
    call->ctx = ctx;
    call->op = op_desc(node->op);
    call->attrs = node->attrs;
    call->inputs = types;
    call->values = values;
    call->input_count = count;
    call->output_count = 1;
    find_sizes(graph, node, call);
    call->split_axis = 0;
    call->split_sizes = NULL;
    // Rules ask what dtypes are made of, which only those of lists may not.
    bool ok = lists && !(call->op->flags & OP_LISTS)
                  ? graph_refuse_list(ctx, call->op)
                  : op_infer(call);
    if (count > INFER_FEW) {
        ctx_free(ctx, types, count * (sizeof *types + sizeof *values));
    }
    // The arrays end here, while the outputs in `call` stay good for the
    // caller.
    call->inputs = NULL;
    call->values = NULL;
    return ok;
}

// Equal in what is known and in what is not.
bool graph_type_equal(TensorType a, TensorType b)
{
    return a.dtype == b.dtype && shape_equal(a.rank, a.dims, b.rank, b.dims);
}

// Unknown covers all; what is known covers only itself.
bool graph_type_covers(TensorType a, TensorType b)
{
    // A known rank does not cover an unknown one.
    if (a.dtype != b.dtype || (a.rank != RANK_UNKNOWN && a.rank != b.rank)) {
        return false;
    }
    for (int i = 0; i < a.rank; i++) {
        if (a.dims[i] != DIM_UNKNOWN && a.dims[i] != b.dims[i]) {
            return false;
        }
    }
    return true;
}

// The least type that covers both.
TensorType graph_type_join(TensorType a, TensorType b, Shape *shape)
{
    // Nothing is known of the sizes where ranks differ: there is no partly
    // known rank.
    if (a.rank != b.rank) {
        shape->rank = RANK_UNKNOWN;
        return (TensorType){a.dtype, RANK_UNKNOWN, shape->dims};
    }
    shape->rank = a.rank;
    for (int i = 0; i < a.rank; i++) {
        shape->dims[i] = a.dims[i] == b.dims[i] ? a.dims[i] : DIM_UNKNOWN;
    }
    return (TensorType){a.dtype, a.rank, shape->dims};
}

// One typing again of a graph, or of some of it.
typedef struct Typing {
    Graph *graph;
    bool exact;   // to see what more is known than when it was made: what a
                  // rule refuses is no error
    bool changed; // a type has become more general
} Typing;

// Widens a value's type to what it was joined with `type`.
static bool widen(Typing *typing, ValueId id, TensorType type)
{
    // Equal types are not set again: each setting leaves dims behind in the
    // arena.
    Shape room;
    TensorType old = graph_type(typing->graph, id);
    TensorType joined = graph_type_join(old, type, &room);
    if (graph_type_equal(old, joined)) {
        return true;
    }
    typing->changed = true;
    return build_set_type(typing->graph, id, joined);
}

static bool infer_block(Typing *typing, GraphBlock *block);

// Outputs widen to what any of the branches yields.
static bool infer_branches(Typing *typing, GraphNode *node)
{
    for (int b = 0; b < node_desc(node)->block_count; b++) {
        // The branch first, so that what it yields has its new types.
        GraphBlock *block = node->blocks[b];
        if (!infer_block(typing, block)) {
            return false;
        }
        for (uint32_t i = 0; i < block->result_count; i++) {
            if (!widen(typing, node_output(node, i),
                       graph_type(typing->graph, block->results[i]))) {
                return false;
            }
        }
    }
    return true;
}

// State number `i` of a loop: its output covers all that can stand there, what
// enters and what comes back, and every block's param is of its type.
static bool widen_state(Typing *typing, GraphNode *node, uint32_t i)
{
    const Graph *graph = typing->graph;
    const OpDesc *op = node_desc(node);
    ValueId output = node_output(node, i);
    bool ok = widen(typing, output, graph_type(graph, node->inputs[i]));
    for (int b = 0; ok && b < op->block_count; b++) {
        const GraphBlock *block = node->blocks[b];
        // A body that raises sends nothing back.
        ok = widen(typing, output, graph_type(graph, block->params[i])) &&
             (op->blocks[b].decides || block->diverges ||
              widen(typing, output, graph_type(graph, block->results[i])));
    }
    for (int b = 0; ok && b < op->block_count; b++) {
        ok = widen(typing, node->blocks[b]->params[i],
                   graph_type(graph, output));
    }
    return ok;
}

// Runs the blocks again until a round changes nothing.
static bool infer_loop(Typing *typing, GraphNode *node)
{
    // Ends, for types only widen and each has finitely many steps up.
    bool ok = true, before = typing->changed;
    do {
        // The last round, which changes nothing, must not hide the rounds
        // before it.
        before = before || typing->changed;
        typing->changed = false;
        for (uint32_t i = 0; ok && i < node->input_count; i++) {
            ok = widen_state(typing, node, i);
        }
        for (int b = 0; ok && b < node_desc(node)->block_count; b++) {
            ok = infer_block(typing, node->blocks[b]);
        }
    } while (ok && typing->changed);
    typing->changed = before;
    return ok;
}

// What is made of an output's type and what the rule says now.
typedef bool (*TypeFn)(Typing *typing, ValueId id, TensorType type);

// Whether nothing but dtypes is said of what a node gives: of what a file says
// to fail when it is run, for instance.
static bool is_open(const Graph *graph, const GraphNode *node)
{
    bool open = node->output_count > 0;
    for (uint32_t i = 0; i < node->output_count; i++) {
        open &= graph_type(graph, node_output(node, i)).rank == RANK_UNKNOWN;
    }
    return open;
}

// Of what the rule refuses nothing is known, if that is no error: it fails when
// it is run, and nobody may leave the rule out there because its outputs' types
// do not depend on what it is given.
static bool infer_outputs(Typing *typing, GraphNode *node, TypeFn take)
{
    Graph *graph = typing->graph;
    InferCall call;
    bool known = graph_infer_node(graph, node, &call), ok = known;
    if (!known && (typing->exact || is_open(graph, node))) {
        ErrorKind kind = graph->ctx->error.kind;
        ok = kind != ERR_MEMORY && kind != ERR_INTERRUPT;
        take = widen;
        if (ok) {
            ctx_clear(graph->ctx);
        }
    }
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ValueId id = node_output(node, i);
        DType dtype = graph_type(graph, id).dtype;
        Shape shape = {.rank = RANK_UNKNOWN};
        if (known) {
            op_output_type(&call, i, &dtype, &shape);
        }
        ok = take(typing, id, (TensorType){dtype, shape.rank, shape.dims});
    }
    return ok;
}

// The callee's own value for argument `given` of a call; *next is its next
// input. Captures are no arguments.
static ValueId argument_value(const Graph *callee, size_t *next)
{
    while (callee->inputs.items[*next].kind != INPUT_ARGUMENT) {
        *next += 1;
    }
    return callee->inputs.items[(*next)++].value;
}

static bool takes_arguments(const Graph *graph, const GraphNode *node)
{
    bool takes = true;
    size_t next = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        ValueId own = argument_value(node->callee, &next);
        takes = takes && graph_type_covers(graph_type(node->callee, own),
                                           graph_type(graph, node->inputs[i]));
    }
    return takes;
}

// Gives the call a copy of its callee that takes its arguments.
static bool widen_callee(Graph *graph, GraphNode *node)
{
    if (node->callee->exact) {
        return ctx_fail(graph->ctx, ERR_SIGNATURE,
                        "%s: the loop changes a size that the signature asks "
                        "for: use None for it there",
                        node->callee->name);
    }
    Graph *callee = clone_graph(node->callee);
    if (callee == NULL || !vec_push(graph->ctx, &graph->callees, callee)) {
        graph_release(graph->ctx, callee);
        return false;
    }
    callee->widened = true;
    Typing typing = {.graph = callee};
    bool ok = true;
    size_t next = 0;
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ok = widen(&typing, argument_value(callee, &next),
                   graph_type(graph, node->inputs[i]));
    }
    node->callee = callee;
    return ok && infer_block(&typing, callee->block) && versions_note(callee);
}

// A call gives what its callee gives for such arguments. None is more general
// than what it takes where they become more exact, but one that has failed.
static bool infer_call(Typing *typing, GraphNode *node)
{
    Graph *graph = typing->graph;
    if (!typing->exact && !takes_arguments(graph, node) &&
        !widen_callee(graph, node)) {
        return false;
    }
    const GraphBlock *block = node->callee->block;
    for (uint32_t i = 0; i < block->result_count; i++) {
        if (!widen(typing, node_output(node, i),
                   graph_type(node->callee, block->results[i]))) {
            return false;
        }
    }
    return true;
}

// What flows through is given on as it is.
static bool infer_passed(Typing *typing, GraphNode *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (!widen(typing, node_output(node, i),
                   graph_type(typing->graph, node->inputs[i]))) {
            return false;
        }
    }
    return true;
}

// In program order, so that a node sees its inputs' new types.
static bool infer_block(Typing *typing, GraphBlock *block)
{
    Ctx *ctx = typing->graph->ctx;
    if (!ctx_enter(ctx)) {
        return false;
    }
    // Nodes with another payload keep the types that they were built with.
    bool ok = true;
    for (GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        if (op_is_loop(node_desc(node))) {
            ok = infer_loop(typing, node);
        } else if (node_desc(node)->block_count > 0) {
            ok = infer_branches(typing, node);
        } else if (node_desc(node)->payload == PAYLOAD_CALLEE) {
            ok = infer_call(typing, node);
        } else if (node_desc(node)->payload == PAYLOAD_GRADIENT) {
            ok = infer_passed(typing, node);
        } else if (graph_infer_applies(node)) {
            // Never narrows: an output may know more than the rule does.
            ok = infer_outputs(typing, node, widen);
        }
    }
    ctx_leave(ctx);
    return ok;
}

bool graph_infer_block(Graph *graph, GraphBlock *block)
{
    Typing typing = {.graph = graph};
    return infer_block(&typing, block);
}

// ---- types that become more exact

// Sets what is known of the value by its type or by another one. Where they
// have other ranks, no tensor is of both.
static bool sharpen(Typing *typing, ValueId id, TensorType type)
{
    TensorType old = graph_type(typing->graph, id);
    Shape both = {.rank = old.rank};
    if (type.rank == RANK_UNKNOWN) {
        return true;
    }
    if (old.rank == RANK_UNKNOWN) {
        shape_set(&both, type.rank, type.dims);
    } else if (type.rank != old.rank) {
        both.rank = RANK_UNKNOWN;
    }
    for (int i = 0; i < both.rank; i++) {
        both.dims[i] = old.rank == RANK_UNKNOWN || old.dims[i] == DIM_UNKNOWN
                           ? type.dims[i]
                           : old.dims[i];
    }
    type = (TensorType){old.dtype, both.rank, both.dims};
    return graph_type_equal(old, type) ||
           build_set_type(typing->graph, id, type);
}

static bool sharpen_block(Typing *typing, GraphBlock *block);

static bool sharpen_branches(Typing *typing, GraphNode *node)
{
    bool ok = true;
    for (int b = 0; ok && b < node_desc(node)->block_count; b++) {
        ok = sharpen_block(typing, node->blocks[b]);
    }
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        Shape room;
        TensorType type = {.rank = RANK_UNKNOWN};
        bool first = true;
        for (int b = 0; b < node_desc(node)->block_count; b++) {
            const GraphBlock *block = node->blocks[b];
            if (!block->diverges) {
                TensorType own = graph_type(typing->graph, block->results[i]);
                type = first ? own : graph_type_join(type, own, &room);
                first = false;
            }
        }
        ok = first || sharpen(typing, node_output(node, i), type);
    }
    return ok;
}

// As if each turn left what the first one finds, and then by infer_loop what it
// does leave.
static bool sharpen_loop(Typing *typing, GraphNode *node)
{
    bool ok = true;
    int blocks = node_desc(node)->block_count;
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        TensorType type = graph_type(typing->graph, node->inputs[i]);
        ok = sharpen(typing, node_output(node, i), type);
        for (int b = 0; ok && b < blocks; b++) {
            ok = sharpen(typing, node->blocks[b]->params[i], type);
        }
    }
    for (int b = 0; ok && b < blocks; b++) {
        ok = sharpen_block(typing, node->blocks[b]);
    }
    return ok && infer_loop(typing, node);
}

// Callees are planned for sizes of their own.
static bool sharpen_block(Typing *typing, GraphBlock *block)
{
    Ctx *ctx = typing->graph->ctx;
    bool ok = ctx_enter(ctx);
    if (!ok) {
        return false;
    }
    for (GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        if (op_is_loop(node_desc(node))) {
            ok = sharpen_loop(typing, node);
        } else if (node_desc(node)->block_count > 0) {
            ok = sharpen_branches(typing, node);
        } else if (graph_infer_applies(node)) {
            ok = infer_outputs(typing, node, sharpen);
        }
    }
    ctx_leave(ctx);
    return ok;
}

bool graph_infer_exactly(Graph *graph)
{
    Typing typing = {.graph = graph, .exact = true};
    return sharpen_block(&typing, graph->block);
}
