// Loops that repeat another one: of two whose turns are the same, but that one
// has more states and does more with them, the longer serves both. So a loop
// and the one that a gradient made of it, which also keeps what the way back
// takes (grad_loop.c), are run once.
//
// What the longer one does beside cannot fail, so that it may stand where the
// first of them did; and neither has effects.
#include "graph/passes/pass.h"

#include "graph/rewrite.h"

typedef VEC(GraphNode *) NodeVec;

typedef struct Absorb {
    Rewrite rewrite;
    NodeVec loops; // in the order of the program
    ValueId *like; // by value of the shorter loop: the longer one's
    NodeVec pairs; // nodes of the shorter, each before its like
    IdVec set;     // which of `like` are
    bool failed;   // an error is pending
} Absorb;

static bool same_value(const Absorb *absorb, ValueId a, ValueId b)
{
    const Graph *graph = absorb->rewrite.graph;
    ValueId like = absorb->like[a];
    a = rewrite_now(&absorb->rewrite, like != VALUE_ID_NONE ? like : a);
    b = rewrite_now(&absorb->rewrite, b);
    const Tensor *tensor = graph_constant(graph, a);
    return a == b || (tensor != NULL && tensor == graph_constant(graph, b));
}

static bool same_values(const Absorb *absorb, const ValueId *a,
                        const ValueId *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!same_value(absorb, a[i], b[i])) {
            return false;
        }
    }
    return true;
}

static bool set_like(Absorb *absorb, ValueId a, ValueId b)
{
    Ctx *ctx = absorb->rewrite.graph->ctx;
    absorb->like[a] = b;
    absorb->failed = absorb->failed || !vec_push(ctx, &absorb->set, a);
    return !absorb->failed;
}

static bool same_params(Absorb *absorb, const GraphBlock *a,
                        const GraphBlock *b)
{
    Graph *graph = absorb->rewrite.graph;
    bool same = true;
    for (uint32_t i = 0; same && i < a->param_count; i++) {
        same = graph_type_equal(graph_type(graph, a->params[i]),
                                graph_type(graph, b->params[i])) &&
               set_like(absorb, a->params[i], b->params[i]);
    }
    return same;
}

static bool same_payload(const GraphNode *a, const GraphNode *b)
{
    switch (node_desc(a)->payload) {
    case PAYLOAD_NONE: return true;
    case PAYLOAD_TENSOR: return a->tensor == b->tensor;
    case PAYLOAD_CALLEE: return a->callee == b->callee;
    case PAYLOAD_RESOURCE: return a->variable == b->variable;
    default: return false;
    }
}

static bool contains(Absorb *absorb, const GraphBlock *a, const GraphBlock *b,
                     bool whole);

static bool same_node(Absorb *absorb, GraphNode *a, GraphNode *b)
{
    Ctx *ctx = absorb->rewrite.graph->ctx;
    const OpDesc *op = node_desc(a);
    size_t before = absorb->pairs.count;
    bool same = a->op == b->op && a->input_count == b->input_count &&
                a->output_count == b->output_count && same_payload(a, b) &&
                same_values(absorb, a->inputs, b->inputs, a->input_count);
    for (int i = 0; same && a->attrs != NULL && i < op->attr_count; i++) {
        same = attr_equal(&a->attrs[i], &b->attrs[i]);
    }
    for (int i = 0; same && i < op->block_count; i++) {
        same = contains(absorb, a->blocks[i], b->blocks[i], true);
    }
    for (uint32_t i = 0; same && i < a->output_count; i++) {
        same = set_like(absorb, node_output(a, i), node_output(b, i));
    }
    if (same && (!vec_push(ctx, &absorb->pairs, a) ||
                 !vec_push(ctx, &absorb->pairs, b))) {
        absorb->failed = true;
    }
    absorb->pairs.count = same ? absorb->pairs.count : before;
    return same && !absorb->failed;
}

// What only the longer loop has.
static bool harmless(const Absorb *absorb, const GraphNode *node)
{
    return node->op == OP_LIST_APPEND ||
           graph_stays_total(absorb->rewrite.graph, node);
}

// Whether all of block `a` is in `b`, in the same order; `whole`: and nothing
// else is.
static bool contains(Absorb *absorb, const GraphBlock *a, const GraphBlock *b,
                     bool whole)
{
    if (!ctx_enter(absorb->rewrite.graph->ctx)) {
        absorb->failed = true;
        return false;
    }
    bool same = a->param_count <= b->param_count &&
                a->diverges == b->diverges &&
                a->result_count <= b->result_count &&
                (!whole || (a->param_count == b->param_count &&
                            a->result_count == b->result_count)) &&
                same_params(absorb, a, b);
    GraphNode *mine = a->first;
    for (GraphNode *node = b->first; same && node != NULL; node = node->next) {
        if (mine != NULL && same_node(absorb, mine, node)) {
            mine = mine->next;
        } else {
            same = !whole && !absorb->failed && harmless(absorb, node);
        }
    }
    ctx_leave(absorb->rewrite.graph->ctx);
    return same && mine == NULL &&
           same_values(absorb, a->results, b->results, a->result_count);
}

static bool begins_as(Absorb *absorb, const GraphNode *a, const GraphNode *b)
{
    bool same = a->op == b->op && a->input_count <= b->input_count &&
                same_values(absorb, a->inputs, b->inputs, a->input_count);
    for (int i = 0; same && i < node_desc(a)->block_count; i++) {
        same = contains(absorb, a->blocks[i], b->blocks[i], false);
    }
    return same;
}

// ---- the place of the first

// Whether the value is there before `node`, or what makes it may be put there:
// a node of no operands. What `node` itself gives is not.
static bool reaches(const Absorb *absorb, const GraphNode *node, ValueId value)
{
    value = rewrite_now(&absorb->rewrite, value);
    const GraphNode *maker = graph_value(absorb->rewrite.graph, value)->node;
    return maker == NULL || maker->block != node->block ||
           (maker->mark <= node->mark && maker != node) ||
           (maker->input_count == 0 && maker->output_count > 0 &&
            !op_has_effect(node_desc(maker)) && maker->blocks[0] == NULL);
}

// Puts what is not there yet before `node`.
static void bring(Absorb *absorb, GraphNode *node, ValueId value)
{
    Graph *graph = absorb->rewrite.graph;
    GraphNode *maker =
        graph_value(graph, rewrite_now(&absorb->rewrite, value))->node;
    if (maker != NULL && maker->block == node->block &&
        maker->mark > node->mark) {
        build_unlink(graph, maker);
        build_link(graph, node->block, maker, node);
        maker->mark = node->mark;
    }
}

// What the loop and its blocks use, each value once or oftener: all of it
// reaches `node`, or (`move`) is brought there.
static bool uses_reach(Absorb *absorb, GraphNode *loop, GraphNode *node,
                       bool move)
{
    bool all = true;
    for (uint32_t i = 0; all && i < loop->input_count; i++) {
        all = reaches(absorb, node, loop->inputs[i]);
        if (move) {
            bring(absorb, node, loop->inputs[i]);
        }
    }
    for (int b = 0; all && b < node_desc(loop)->block_count; b++) {
        for (Walk walk = walk_forward(loop->blocks[b]);
             all && walk_next(&walk);) {
            uint32_t count;
            const ValueId *uses = walk_uses(&walk, &count);
            for (uint32_t i = 0; all && i < count; i++) {
                all = reaches(absorb, node, uses[i]);
                if (move) {
                    bring(absorb, node, uses[i]);
                }
            }
        }
    }
    return all;
}

// Errors are told, and values are shown, as of the one that was written.
static void take_places(Absorb *absorb)
{
    for (size_t i = 0; i < absorb->pairs.count; i += 2) {
        absorb->pairs.items[i + 1]->place = absorb->pairs.items[i]->place;
    }
}

static bool stand_for(Absorb *absorb, const GraphNode *shorter,
                      const GraphNode *longer)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < shorter->output_count; i++) {
        ok = rewrite_value(&absorb->rewrite, node_output(shorter, i),
                           node_output(longer, i));
    }
    return ok;
}

// Of two loops of one block, `first` stands before `second`. *done: one of them
// is gone, and its place in the list is the other's.
static bool merge_two(Absorb *absorb, GraphNode **first, GraphNode **second,
                      bool *done)
{
    Graph *graph = absorb->rewrite.graph;
    GraphNode *a = *first, *b = *second;
    bool shorter = a->input_count <= b->input_count;
    *done = shorter ? begins_as(absorb, a, b) && uses_reach(absorb, b, a, false)
                    : begins_as(absorb, b, a);
    bool ok = !absorb->failed;
    if (ok && *done && shorter) {
        (void)uses_reach(absorb, b, a, true);
        build_unlink(graph, b);
        build_link(graph, a->block, b, a);
        b->mark = a->mark;
        b->place = a->place;
        take_places(absorb);
        *first = b;
    }
    if (ok && *done) {
        GraphNode *gone = shorter ? a : b;
        ok = stand_for(absorb, gone, *first);
        build_unlink(graph, gone);
        *second = NULL;
    }
    for (size_t i = 0; i < absorb->set.count; i++) {
        absorb->like[absorb->set.items[i]] = VALUE_ID_NONE;
    }
    absorb->set.count = absorb->pairs.count = 0;
    return ok;
}

static bool merge_loops(Absorb *absorb)
{
    NodeVec *loops = &absorb->loops;
    bool ok = true;
    for (size_t k = 1; ok && k < loops->count; k++) {
        for (size_t i = 0; ok && loops->items[k] != NULL && i < k; i++) {
            bool done;
            ok = loops->items[i] == NULL ||
                 loops->items[i]->block != loops->items[k]->block ||
                 merge_two(absorb, &loops->items[i], &loops->items[k], &done);
        }
    }
    return ok;
}

// ---- the whole

// Marks become numbers in the order of the program.
static bool find_loops(Absorb *absorb)
{
    Graph *graph = absorb->rewrite.graph;
    uint32_t number = 0;
    bool ok = true;
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        GraphNode *node = walk.node;
        if (node == NULL) {
            continue;
        }
        if (op_is_loop(node_desc(node)) && !graph_has_effects(node)) {
            ok = vec_push(graph->ctx, &absorb->loops, node);
        }
        node->mark = number++;
    }
    return ok;
}

static bool merge_found(Absorb *absorb)
{
    Graph *graph = absorb->rewrite.graph;
    size_t size = graph->values.count * sizeof(ValueId);
    absorb->like = ctx_alloc(graph->ctx, size);
    if (absorb->like == NULL) {
        return false;
    }
    for (size_t i = 0; i < graph->values.count; i++) {
        absorb->like[i] = VALUE_ID_NONE;
    }
    bool ok = merge_loops(absorb);
    for (Walk walk = walk_forward(graph->block);
         ok && absorb->rewrite.instead != NULL && walk_next(&walk);) {
        rewrite_uses(&absorb->rewrite, &walk);
    }
    ctx_free(graph->ctx, absorb->like, size);
    return ok;
}

bool absorb_run(Graph *graph)
{
    if (!graph->has_blocks) {
        return true;
    }
    Absorb absorb = {.rewrite = {.graph = graph}};
    bool ok =
        find_loops(&absorb) && (absorb.loops.count < 2 || merge_found(&absorb));
    vec_free(graph->ctx, &absorb.loops);
    vec_free(graph->ctx, &absorb.pairs);
    vec_free(graph->ctx, &absorb.set);
    rewrite_free(&absorb.rewrite);
    return ok;
}
