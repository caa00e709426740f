// The walk over all nodes of a graph or of a block, inner blocks included.
//
//     for (Walk walk = walk_forward(graph->block); walk_next(&walk);) {
//         if (walk.node != NULL) { … a node … } else { … a block's end … }
//     }
//
// A node comes before what is in its blocks, in program order or against it.
// The end of each block comes too, behind its last node (backwards: before its
// first), inner blocks' ends before the outer one's. No recursion, hence no
// depth to count: blocks know their owners. A node may be taken out while it is
// in hand, and its blocks are then left alone; others may be put in around it,
// which are not visited unless `next` is set to one of them.
#ifndef DUET_GRAPH_WALK_H
#define DUET_GRAPH_WALK_H

#include "graph/node.h"

typedef struct Walk {
    GraphBlock *top;   // where the walk begins, and ends
    GraphBlock *block; // in which it is; NULL: not begun
    GraphNode *node;   // in hand; NULL: the end of `block`
    GraphNode *next;   // what comes behind it in `block`
    bool back;
} Walk;

// Over the whole graph if `top` is its outermost block.
static inline Walk walk_forward(GraphBlock *top)
{
    return (Walk){.top = top};
}
// From the last node to the first, a node's last block first.
static inline Walk walk_backward(GraphBlock *top)
{
    return (Walk){.top = top, .back = true};
}
// Where walk_next is not just a step to a neighbour.
bool walk_on(Walk *walk);
// Goes on to the next node or end. False: the end of `top` was the last.
static inline bool walk_next(Walk *walk)
{
    if (walk->next == NULL || walk->node->blocks[0] != NULL) {
        return walk_on(walk);
    }
    walk->node = walk->next;
    walk->next = walk->back ? walk->node->previous : walk->node->next;
    return true;
}
// Forward: the node whose last block ends here, NULL: no node's does.
GraphNode *walk_leaves(const Walk *walk);
// What the node in hand takes, or what the block that ends yields.
ValueId *walk_uses(const Walk *walk, uint32_t *count);

#endif
