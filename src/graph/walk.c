// The walk over all nodes of a graph or of a block.
#include "graph/walk.h"

// Takes a node in hand, or the block's end. True, always.
static bool stop_at(Walk *walk, GraphBlock *block, GraphNode *node)
{
    walk->block = block;
    walk->node = node;
    // Taken before the visit: the node may be gone after it.
    walk->next = node == NULL ? NULL : walk->back ? node->previous : node->next;
    return true;
}

// The first of the owner's blocks from number `b` on in the walk's direction is
// entered. False: there is none.
static bool enter(Walk *walk, GraphNode *owner, int b)
{
    int step = walk->back ? -1 : 1;
    for (; b >= 0 && b < OP_MAX_BLOCKS; b += step) {
        GraphBlock *block = owner->blocks[b];
        if (block != NULL) {
            return stop_at(walk, block,
                           walk->back ? block->last : block->first);
        }
    }
    return false;
}

// At an end: the owner's next block, or what comes behind the owner.
static bool leave(Walk *walk)
{
    GraphNode *owner = walk->block->owner;
    int b = 0;
    while (owner->blocks[b] != walk->block) {
        b++;
    }
    return enter(walk, owner, walk->back ? b - 1 : b + 1) ||
           stop_at(walk, owner->block,
                   walk->back ? owner->previous : owner->next);
}

bool walk_on(Walk *walk)
{
    GraphBlock *top = walk->top;
    if (walk->block == NULL) {
        return stop_at(walk, top, walk->back ? top->last : top->first);
    }
    if (walk->node == NULL) {
        return walk->block != top && leave(walk);
    }
    return (walk->node->block != NULL &&
            enter(walk, walk->node, walk->back ? OP_MAX_BLOCKS - 1 : 0)) ||
           stop_at(walk, walk->block, walk->next);
}

GraphNode *walk_leaves(const Walk *walk)
{
    GraphNode *owner = walk->node == NULL ? walk->block->owner : NULL;
    return owner != NULL && owner->blocks[node_desc(owner)->block_count - 1] ==
                                walk->block
               ? owner
               : NULL;
}

// The arrays are the node's or the block's own: passes write into them.
ValueId *walk_uses(const Walk *walk, uint32_t *count)
{
    const GraphNode *node = walk->node;
    *count = node != NULL ? node->input_count : walk->block->result_count;
    return node != NULL ? node->inputs : walk->block->results;
}
