// Repeated products: x @ (x @ (… (x @ b))) of int matrices becomes x**n @ b,
// and x**n is found by squaring.
//
// Ints wrap, so that their matrices form a ring and products may be grouped at
// will without a change of a bit; floats are left alone. A chain is a run of
// products with one operand in common, each used by the next one only. It is
// rewritten where that takes fewer multiplications: the base counts by its
// columns (rows, in a chain to the right), the powers by the size of x.
//
// A chain is met at its last product first, walking backwards, and each of its
// nodes is looked at once: linear.
#include "graph/passes/pass.h"

#include "graph/build.h"
#include "graph/walk.h"

// The state of the pass: uses are counted once, before anything is rewritten.
typedef struct PowerPass {
    Graph *graph;
    uint8_t *uses; // by value: 0, 1 or 2 for more
} PowerPass;

// A run of products by `factor`, which is operand `side` of each.
typedef struct Chain {
    ValueId factor, base;
    uint32_t side;
    uint32_t length;
} Chain;

// matmul of ints; the dtype of one operand is that of all.
static bool is_int_product(const Graph *graph, const GraphNode *node)
{
    return node->op == OP_MATMUL &&
           dtype_is_integer(graph_type(graph, node->first_output).dtype);
}

// The node that continues the chain inwards, NULL at its end.
static GraphNode *inner_product(const PowerPass *powers, const GraphNode *node,
                                uint32_t side)
{
    const Graph *graph = powers->graph;
    // A product with other users must be computed anyway.
    ValueId value = node->inputs[1 - side];
    GraphNode *inner = graph_value(graph, value)->node;
    return inner != NULL && inner->block == node->block &&
                   powers->uses[value] == 1 && is_int_product(graph, inner) &&
                   inner->inputs[side] == node->inputs[side]
               ? inner
               : NULL;
}

// Marks the chain's products, so that none is looked at again.
static Chain follow(const PowerPass *powers, GraphNode *node, uint32_t side)
{
    Chain chain = {node->inputs[side], VALUE_ID_NONE, side, 0};
    while (node != NULL) {
        chain.length++;
        chain.base = node->inputs[1 - side];
        node->mark = 1;
        node = inner_product(powers, node, side);
    }
    return chain;
}

// One multiplication for each bit of the exponent beyond the first.
static int64_t bit_count(uint32_t n)
{
    int64_t count = 0;
    for (; n > 0; n >>= 1) {
        count += n & 1;
    }
    return count;
}

// Whether squaring takes fewer multiplications than the chain.
static bool pays(const Graph *graph, const Chain *chain)
{
    TensorType x = graph_type(graph, chain->factor);
    TensorType base = graph_type(graph, chain->base);
    // Shorter chains never gain, and only a square matrix has powers.
    if (chain->length < 4 || x.rank != 2 || x.dims[0] != x.dims[1] ||
        x.dims[0] < 1 || base.rank < 2 ||
        !shape_is_static(base.rank, base.dims)) {
        return false;
    }
    double columns = 1; // products of x and a vector that one step takes
    for (int i = 0; i < base.rank; i++) {
        columns *= (double)base.dims[i];
    }
    columns /= (double)x.dims[0];
    int64_t squarings = -1;
    for (uint32_t n = chain->length; n > 0; n >>= 1) {
        squarings++;
    }
    double powers = (double)(squarings + bit_count(chain->length) - 1);
    return powers * (double)x.dims[0] + columns <
           (double)chain->length * columns;
}

// A product just before the chain's last one, at its place in the source.
static ValueId product(Graph *graph, GraphNode *before, ValueId a, ValueId b)
{
    ValueId in[2] = {a, b};
    GraphBlock *block = before->block;
    GraphNode *node =
        graph_append(graph, block, OP_MATMUL, in, 2, NULL, before->place);
    if (node == NULL) {
        return VALUE_ID_NONE;
    }
    // graph_append links at the end of the block, behind the users.
    build_unlink(graph, node);
    build_link(graph, block, node, before);
    return node->first_output;
}

// The last product of the chain takes the power and the base; the others are
// left without users.
static bool rewrite(Graph *graph, GraphNode *last, const Chain *chain)
{
    // Square and multiply, from the lowest bit; the order of equal factors
    // does not matter, since powers of one matrix commute.
    ValueId square = chain->factor, power = VALUE_ID_NONE;
    for (uint32_t n = chain->length;; n >>= 1) {
        if (n & 1) {
            power = power == VALUE_ID_NONE
                        ? square
                        : product(graph, last, power, square);
            if (power == VALUE_ID_NONE) {
                return false;
            }
        }
        if (n == 1) {
            break;
        }
        square = product(graph, last, square, square);
        if (square == VALUE_ID_NONE) {
            return false;
        }
    }
    // In place, so that users of the chain's result need no change.
    last->inputs[chain->side] = power;
    last->inputs[1 - chain->side] = chain->base;
    return true;
}

// A chain runs along the left operand or along the right one.
static bool try_chain(PowerPass *powers, GraphNode *node)
{
    if (node->mark || !is_int_product(powers->graph, node)) {
        return true;
    }
    // A chain has one side: a product that could continue on both is taken on
    // the left.
    for (uint32_t side = 0; side < 2; side++) {
        if (inner_product(powers, node, side) != NULL) {
            Chain chain = follow(powers, node, side);
            return !pays(powers->graph, &chain) ||
                   rewrite(powers->graph, node, &chain);
        }
    }
    return true;
}

// Counts uses everywhere and clears the marks. True if there is a product.
static bool look(PowerPass *powers)
{
    bool found = false;
    for (Walk walk = walk_forward(powers->graph->block); walk_next(&walk);) {
        GraphNode *node = walk.node;
        if (node != NULL) {
            node->mark = 0;
            found = found || is_int_product(powers->graph, node);
        }
        uint32_t count;
        const ValueId *used = walk_uses(&walk, &count);
        for (uint32_t i = 0; i < count; i++) {
            // More than one use is all that matters: counts stop at 2.
            uint8_t *uses = &powers->uses[used[i]];
            *uses = *uses < 2 ? *uses + 1 : 2;
        }
    }
    return found;
}

// Backwards, so that chains are met at their ends.
static bool rewrite_chains(PowerPass *powers)
{
    bool ok = true;
    for (Walk walk = walk_backward(powers->graph->block);
         ok && walk_next(&walk);) {
        ok = walk.node == NULL || try_chain(powers, walk.node);
    }
    return ok;
}

// Graphs without such products cost one walk.
bool power_run(Graph *graph)
{
    size_t size = graph->values.count + 1;
    PowerPass powers = {graph, ctx_alloc_zero(graph->ctx, size)};
    if (powers.uses == NULL) {
        return false;
    }
    bool ok = !look(&powers) || rewrite_chains(&powers);
    ctx_free(graph->ctx, powers.uses, size);
    return ok;
}
