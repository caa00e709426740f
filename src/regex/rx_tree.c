// Widths of trees, and other questions to them. See rx_tree.h.
#include "regex/rx_tree.h"

// Beyond RX_MANY there is no difference that anybody asks for.
// Keeps the sums of long patterns within 64 bits.
static uint64_t capped(uint64_t width, uint64_t most)
{
    return width > most ? most : width;
}

// The least of the least and the most of the most.
// A branch has two ways at least.
static RxWidth branch_width(const RxNode *node, const RxGroupVec *groups)
{
    RxWidth all = {.low = RX_MANY - 1, .high = 0};
    for (size_t i = 0; i < node->count; i++) {
        RxWidth way = rx_tree_width(&node->ways[i], groups);
        all.low = way.low < all.low ? way.low : all.low;
        all.high = way.high > all.high ? way.high : all.high;
    }
    return all;
}

// Both factors are below 2^32, so the products fit 64 bits.
static RxWidth repeat_width(const RxNode *node, const RxGroupVec *groups)
{
    RxWidth body = rx_tree_width(&node->body, groups);
    return (RxWidth){.low = body.low * node->min,
                     .high = body.high * node->max};
}

// Either way may be taken.
// Widths count characters; `high` of RX_MANY means no bound.
static RxWidth if_width(const RxNode *node, const RxGroupVec *groups)
{
    RxWidth yes = rx_tree_width(&node->body, groups);
    RxWidth no = rx_tree_width(&node->other, groups);
    // Without the second way, nothing may be taken.
    if (!node->has_else) {
        no = (RxWidth){0, 0};
    }
    return (RxWidth){.low = yes.low < no.low ? yes.low : no.low,
                     .high = yes.high > no.high ? yes.high : no.high};
}

// Places and lookaround take nothing.
// The width of a back reference is that of its group, which was closed before:
// the parser has noted it.
static RxWidth node_width(const RxNode *node, const RxGroupVec *groups)
{
    switch (node->kind) {
    case RX_NODE_CHAR:
    case RX_NODE_SET:
    case RX_NODE_ANY: return (RxWidth){1, 1};
    case RX_NODE_BRANCH: return branch_width(node, groups);
    case RX_NODE_GROUP:
    case RX_NODE_ATOMIC: return rx_tree_width(&node->body, groups);
    case RX_NODE_REPEAT: return repeat_width(node, groups);
    case RX_NODE_BACK: return groups->items[node->group].width;
    case RX_NODE_IF: return if_width(node, groups);
    default: return (RxWidth){0, 0};
    }
}

// The parser bounds how deep sequences nest.
RxWidth rx_tree_width(const RxSeq *seq, const RxGroupVec *groups)
{
    RxWidth all = {0, 0};
    for (const RxNode *node = seq->first; node != NULL; node = node->next) {
        RxWidth one = node_width(node, groups);
        all.low = capped(all.low + one.low, RX_MANY - 1);
        all.high = capped(all.high + one.high, RX_MANY);
    }
    return all;
}

// A capturing group must mark where it stands, so it is no single character.
// NULL: it is no single character.
const RxNode *rx_tree_single(const RxSeq *seq)
{
    const RxNode *node = seq->first;
    if (node == NULL || node->next != NULL) {
        return NULL;
    }
    switch (node->kind) {
    case RX_NODE_CHAR:
    case RX_NODE_SET:
    case RX_NODE_ANY: return node;
    case RX_NODE_GROUP:
        return node->group == 0 ? rx_tree_single(&node->body) : NULL;
    default: return NULL;
    }
}
