// Common subexpressions: of equal pure nodes the first one serves all. A read
// of a Variable counts as pure, and as equal to another of the same version;
// where an assignment has made that version, its value stands for the read.
//
// Nodes that nothing needs take no part: one of them would be run on behalf of
// a later one, and where it fails it would fail too early.
//
// Invariant: the table holds the nodes of the block in hand and of those
// around it, so that what is found always stands before its new users. Nodes
// of a finished block leave in the reverse order of their coming, each from
// the head of its bucket.
#include "graph/passes/pass.h"

#include "graph/needed.h"
#include "graph/rewrite.h"
#include "graph/versions.h"

#include <string.h>

#define CSE_NONE UINT32_MAX
#define CSE_ABSENT (UINT32_MAX - 1)

enum { CSE_MAX_CONST = 64 }; // elements of a constant that are compared

// The table is chained through `next`, without an allocation for each node.
typedef struct Cse {
    Rewrite rewrite;
    uint32_t *buckets;        // serials of nodes
    uint32_t *next;           // by serial: the next in its bucket; CSE_ABSENT
    size_t mask;              // buckets - 1
    const Versions *versions; // NULL: the graph has no Variables
    GraphNode **written;      // by chain: the last assignment
    bool floats;              // nodes that give float tensors are merged, too
} Cse;

// A node that looks at a Variable and leaves it as it is.
static bool is_read(const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    return op->payload == PAYLOAD_RESOURCE && !op_has_effect(op);
}

// The one chain of Variables that the node uses.
static const VersionUse *own_use(const Cse *cse, const GraphNode *node)
{
    uint32_t count;
    const VersionUse *uses = versions_of(cse->versions, node, &count);
    while (uses->chain != cse->versions->chains[node->variable]) {
        uses++;
    }
    return uses;
}

static bool gives_floats(const Graph *graph, const GraphNode *node)
{
    bool any = false;
    for (uint32_t i = 0; !any && i < node->output_count; i++) {
        DType dtype = graph_type(graph, node_output(node, i)).dtype;
        any = !dtype_is_list(dtype) && dtype_is_float(dtype);
    }
    return any;
}

// Large constants are left alone: comparing them would cost more than it
// saves.
static bool mergeable(const Cse *cse, const GraphNode *node)
{
    // graph_mark_needed has marked what must run.
    if (!node->mark ||
        (!cse->floats && gives_floats(cse->rewrite.graph, node))) {
        return false;
    }
    const Tensor *tensor = node_tensor(node);
    return tensor != NULL
               ? tensor->count <= CSE_MAX_CONST
               : (graph_infer_applies(node) && !graph_has_effects(node)) ||
                     is_read(node);
}

// Whether the operands may change places without a bit of the result being
// another. Of two NaNs a sum or product has the first one's bits, and strings
// are joined in order: of those only comparisons commute.
static bool commutes(const Graph *graph, const GraphNode *node)
{
    switch (node->op) {
    case OP_EQUAL:
    case OP_NOT_EQUAL: return true;
    case OP_ADD:
    case OP_MULTIPLY:
    case OP_MAXIMUM:
    case OP_MINIMUM:
    case OP_BITWISE_AND:
    case OP_BITWISE_OR:
    case OP_BITWISE_XOR:
    case OP_LOGICAL_AND:
    case OP_LOGICAL_OR:
    case OP_LOGICAL_XOR: {
        DType dtype = graph_type(graph, node->first_output).dtype;
        return dtype == DT_BOOL || dtype_is_integer(dtype);
    }
    default: return false;
    }
}

// Multiply and fold, as good hashes do in one step.
static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

// Everything that node_equal compares, but for strings and host objects.
static uint64_t node_hash(const Cse *cse, const GraphNode *node)
{
    uint64_t hash = mix(node->op, node->input_count);
    const Tensor *tensor = node_tensor(node);
    if (tensor != NULL) {
        hash = mix(hash, (uint64_t)tensor->dtype << 8 | (uint8_t)tensor->rank);
        // Strings lie behind pointers: they are compared, but not hashed.
        if (tensor->dtype != DT_STRING) {
            size_t size =
                (size_t)tensor->count * dtype_size((DType)tensor->dtype);
            hash = mix(hash, map_hash(tensor->data, size));
        }
        return hash;
    }
    if (is_read(node)) {
        hash = mix(mix(hash, node->variable), own_use(cse, node)->before);
    }
    if (commutes(cse->rewrite.graph, node)) {
        hash = mix(hash, (uint64_t)node->inputs[0] + node->inputs[1]);
    } else {
        for (uint32_t i = 0; i < node->input_count; i++) {
            hash = mix(hash, node->inputs[i]);
        }
    }
    for (uint32_t i = 0; i < op_desc(node->op)->attr_count; i++) {
        hash = mix(hash, attr_hash(&node->attrs[i]));
    }
    return hash;
}

// The nodes are of one op and have as many inputs.
static bool same_inputs(const Cse *cse, const GraphNode *a, const GraphNode *b)
{
    if (commutes(cse->rewrite.graph, a) && a->inputs[0] == b->inputs[1] &&
        a->inputs[1] == b->inputs[0]) {
        return true;
    }
    for (uint32_t i = 0; i < a->input_count; i++) {
        if (a->inputs[i] != b->inputs[i]) {
            return false;
        }
    }
    return true;
}

// Inputs were replaced before, so that equal subtrees have equal ids.
static bool node_equal(const Cse *cse, const GraphNode *a, const GraphNode *b)
{
    if (a->op != b->op || a->input_count != b->input_count ||
        a->output_count != b->output_count) {
        return false;
    }
    if (node_tensor(a) != NULL) {
        return tensor_identical(a->tensor, b->tensor);
    }
    if (is_read(a) && (a->variable != b->variable ||
                       own_use(cse, a)->before != own_use(cse, b)->before)) {
        return false;
    }
    if (!same_inputs(cse, a, b)) {
        return false;
    }
    for (uint32_t i = 0; i < op_desc(a->op)->attr_count; i++) {
        if (!attr_equal(&a->attrs[i], &b->attrs[i])) {
            return false;
        }
    }
    return true;
}

// Lets the other's outputs stand for those of the node.
static bool stand_in(Cse *cse, const GraphNode *node, const GraphNode *other)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ok = rewrite_value(&cse->rewrite, node_output(node, i),
                           node_output(other, i));
    }
    return ok;
}

// The value that was assigned last stands for a read, where the assignment
// cannot have been refused.
static bool forward(Cse *cse, const GraphNode *node, bool *done)
{
    Graph *graph = cse->rewrite.graph;
    const VersionUse *use = own_use(cse, node);
    const GraphNode *last = cse->written[use->chain];
    *done = last != NULL && last->variable == node->variable &&
            own_use(cse, last)->after == use->before &&
            graph_type_equal(graph_type(graph, last->inputs[0]),
                             graph_type(graph, node->first_output));
    return !*done ||
           rewrite_value(&cse->rewrite, node->first_output, last->inputs[0]);
}

// Finds the node's like, or puts it into the table.
static bool merge(Cse *cse, GraphNode *node)
{
    // The newest stand first in a bucket, which leave_block relies on.
    uint32_t *bucket = &cse->buckets[node_hash(cse, node) & cse->mask];
    for (uint32_t at = *bucket; at != CSE_NONE; at = cse->next[at]) {
        GraphNode *other = cse->rewrite.graph->nodes.items[at];
        if (node_equal(cse, node, other)) {
            return stand_in(cse, node, other);
        }
    }
    cse->next[node->serial] = *bucket;
    *bucket = node->serial;
    return true;
}

// Backwards, so that each node is the head of its bucket when it goes.
static void leave_block(Cse *cse, const GraphBlock *block)
{
    for (GraphNode *node = block->last; node != NULL; node = node->previous) {
        if (cse->next[node->serial] != CSE_ABSENT) {
            cse->buckets[node_hash(cse, node) & cse->mask] =
                cse->next[node->serial];
        }
    }
}

static bool visit(Cse *cse, GraphNode *node)
{
    bool done = false;
    if (node->op == OP_ASSIGN_VARIABLE) {
        cse->written[own_use(cse, node)->chain] = node;
        return true;
    }
    return !mergeable(cse, node) ||
           ((!is_read(node) || forward(cse, node, &done)) &&
            (done || merge(cse, node)));
}

// Inner blocks see the table of those around them; what they add leaves with
// them. Behind the outermost one nobody looks.
static bool merge_all(Cse *cse)
{
    bool ok = true;
    for (Walk walk = walk_forward(cse->rewrite.graph->block);
         ok && walk_next(&walk);) {
        rewrite_uses(&cse->rewrite, &walk);
        if (walk.node != NULL) {
            ok = visit(cse, walk.node);
        } else if (walk.block->owner != NULL) {
            leave_block(cse, walk.block);
        }
    }
    return ok;
}

// With what is known of Variables.
static bool merge_versions(Cse *cse)
{
    Graph *graph = cse->rewrite.graph;
    Versions versions;
    bool ok = versions_init(&versions, graph);
    size_t size = versions.chain_count * sizeof(GraphNode *);
    cse->written = ok ? ctx_alloc_zero(graph->ctx, size) : NULL;
    cse->versions = &versions;
    if (cse->written != NULL) {
        ok = merge_all(cse);
        ctx_free(graph->ctx, cse->written, size);
    }
    versions_free(&versions);
    return ok && cse->written != NULL;
}

// One block of memory for buckets and links.
static bool merge_nodes(Graph *graph, bool floats)
{
    Ctx *ctx = graph->ctx;
    size_t nodes = graph->nodes.count, buckets = 16;
    // A power of two, so that a mask takes the place of a division.
    while (buckets < nodes) {
        buckets *= 2;
    }
    size_t size = (buckets + nodes) * sizeof(uint32_t);
    uint32_t *room = graph_mark_needed(graph) ? ctx_alloc(ctx, size) : NULL;
    if (room == NULL) {
        return false;
    }
    Cse cse = {.rewrite = {.graph = graph},
               .buckets = room,
               .next = room + buckets,
               .mask = buckets - 1,
               .floats = floats};
    memset(room, 0xff, buckets * sizeof *room);
    for (size_t i = 0; i < nodes; i++) {
        cse.next[i] = CSE_ABSENT;
    }
    bool ok =
        graph->variables.count > 0 ? merge_versions(&cse) : merge_all(&cse);
    rewrite_free(&cse.rewrite);
    ctx_free(ctx, room, size);
    return ok;
}

bool cse_run(Graph *graph)
{
    return merge_nodes(graph, true);
}

bool cse_run_lists(Graph *graph)
{
    return merge_nodes(graph, false);
}
