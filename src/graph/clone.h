// Copying a graph, or parts of one into another.
//
// Values are mapped as their nodes are copied; the caller maps what is defined
// outside: the inputs of a graph, the arguments of a call.
#ifndef DUET_GRAPH_CLONE_H
#define DUET_GRAPH_CLONE_H

#include "graph/build.h"

// One copying. Values are VALUE_ID_NONE until they are mapped.
typedef struct Clone {
    Graph *from, *to;
    ValueId *values;           // by value of `from`: its copy in `to`
    size_t size;               // bytes of values
    const uint32_t *variables; // by Variable of `from`: its index in `to`;
                               // NULL: the same
    uint32_t sites;            // of `to` before those of `from`
    uint32_t caller;           // the site in `to` that calls `from`, or 0
} Clone;

// Tables for all values and nodes of `from`, none of them mapped yet.
MUST_CHECK bool clone_init(Clone *clone, Graph *from, Graph *to,
                           uint32_t caller);
// Frees the table; what was copied stays in `to`.
void clone_free(Clone *clone);
// Copies a block's nodes into `block`, before a node or (NULL) at its end.
// The values that they use from outside must have been mapped.
MUST_CHECK bool clone_nodes(Clone *clone, const GraphBlock *from,
                            GraphBlock *block, GraphNode *before);
// One node of it, with its blocks, at the end of `block`.
MUST_CHECK bool clone_node(Clone *clone, const GraphNode *from,
                           GraphBlock *block);
// What host code was told of the sizes of values that are copied.
MUST_CHECK bool clone_told(const Clone *clone);
// Where the copy of a node stands in the source.
GraphPlace clone_place(const Clone *clone, const GraphNode *from);

// A copy that shares constants, captures, callees and sources.
MUST_CHECK Graph *clone_graph(Graph *graph);

#endif
