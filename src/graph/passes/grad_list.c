// The way back through lists of tensors. The gradient of a list is a list of
// the gradients of its elements, which the ops on lists take apart and put
// together as they did the list.
#include "graph/passes/grad_back.h"

// One node with these inputs; its first output.
static ValueId append_2(Back *b, OpCode op, ValueId left, ValueId right)
{
    ValueId pair[2] = {left, right};
    return left == VALUE_ID_NONE || right == VALUE_ID_NONE
               ? VALUE_ID_NONE
               : back_append(b, b->block, op, pair, 2, NULL);
}

static ValueId append_write(Back *b, ValueId list, ValueId index, ValueId item)
{
    ValueId three[3] = {list, index, item};
    return list == VALUE_ID_NONE || item == VALUE_ID_NONE
               ? VALUE_ID_NONE
               : back_append(b, b->block, OP_LIST_WRITE, three, 3, NULL);
}

static ValueId index_of(Back *b, int64_t index)
{
    Tensor *tensor = tensor_scalar_int(b->graph->ctx, DT_INT32, index);
    GraphNode *node = tensor == NULL ? NULL
                                     : graph_append_const(b->graph, b->block,
                                                          tensor, b->place);
    object_release_null(b->graph->ctx, tensor);
    return node == NULL ? VALUE_ID_NONE : node_output(node, 0);
}

// Adds to an input's gradient if something wanted flows into it.
static bool give(Back *b, const GraphNode *node, uint32_t input, ValueId grad)
{
    return grad != VALUE_ID_NONE && (!back_takes_part(b, node->inputs[input]) ||
                                     back_add(b, node->inputs[input], grad));
}

static bool back_new(Back *b, const GraphNode *node, ValueId g)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ok = !back_takes_part(b, node->inputs[i]) ||
             give(b, node, i, append_2(b, OP_LIST_READ, g, index_of(b, i)));
    }
    return ok;
}

static bool back_grown(Back *b, const GraphNode *node, ValueId g)
{
    ValueId rest = back_append(b, b->block, OP_LIST_POP, &g, 1, NULL);
    return rest != VALUE_ID_NONE && give(b, node, 0, rest) &&
           give(b, node, 1, rest + 1);
}

// Either result may have none.
static bool back_pop(Back *b, const GraphNode *node)
{
    ValueId rest = b->grads[node_output(node, 0)];
    ValueId item = b->grads[node_output(node, 1)];
    if (rest == VALUE_ID_NONE) {
        rest = back_zeros(b, b->block, node_output(node, 0));
    }
    if (item == VALUE_ID_NONE) {
        item = back_zeros(b, b->block, node_output(node, 1));
    }
    return give(b, node, 0, append_2(b, OP_LIST_APPEND, rest, item));
}

// Into what the list has so far, that many reads of one list cost no more than
// as many elements.
static bool back_read(Back *b, const GraphNode *node, ValueId g)
{
    ValueId list = node->inputs[0], index = node->inputs[1];
    if (!back_takes_part(b, list)) {
        return true;
    }
    ValueId whole = b->grads[list];
    if (whole == VALUE_ID_NONE) {
        whole = back_zeros(b, b->block, list);
    }
    ValueId sum =
        append_2(b, OP_ADD, append_2(b, OP_LIST_READ, whole, index), g);
    b->grads[list] = append_write(b, whole, index, sum);
    return b->grads[list] != VALUE_ID_NONE;
}

static bool back_write(Back *b, const GraphNode *node, ValueId g)
{
    ValueId item = append_2(b, OP_LIST_READ, g, node->inputs[1]);
    ValueId old = append_2(b, OP_LIST_READ, node->inputs[0], node->inputs[1]);
    if (item == VALUE_ID_NONE || old == VALUE_ID_NONE) {
        return false;
    }
    ValueId none = back_zeros(b, b->block, old);
    return give(b, node, 0, append_write(b, g, node->inputs[1], none)) &&
           give(b, node, 2, item);
}

static bool back_one(Back *b, const GraphNode *node, OpCode op, ValueId g)
{
    return give(b, node, 0, back_append(b, b->block, op, &g, 1, NULL));
}

bool back_is_list(const GraphNode *node)
{
    return node->op >= OP_LIST_NEW && node->op <= OP_LIST_ADD;
}

bool back_list(Back *b, const GraphNode *node)
{
    ValueId g = b->grads[node_output(node, 0)];
    if (node->op == OP_LIST_POP) {
        return back_pop(b, node);
    }
    if (g == VALUE_ID_NONE) {
        return true;
    }
    switch (node->op) {
    case OP_LIST_NEW: return back_new(b, node, g);
    case OP_LIST_APPEND: return back_grown(b, node, g);
    case OP_LIST_READ: return back_read(b, node, g);
    case OP_LIST_WRITE: return back_write(b, node, g);
    case OP_LIST_STACK: return back_one(b, node, OP_LIST_UNSTACK, g);
    case OP_LIST_UNSTACK: return back_one(b, node, OP_LIST_STACK, g);
    case OP_LIST_ADD: return give(b, node, 0, g) && give(b, node, 1, g);
    default: return true; // of no numbers: a size, zeros
    }
}
