// Versions: the order that effects give to nodes, as values.
//
// What is no value but has an order (ResourceKind) makes chains: control, the
// world, random numbers, and one for each set of Variables that may be one
// cell. A chain's state has versions, each of which is defined once: a node
// that borrows it uses the version that it finds, one that consumes it defines
// the next. Two reads of one Variable in the same version give the same; a
// version's consumer runs after all that borrow it. Blocks begin with the
// version that their owner finds, those of a loop that consumes it with one of
// their own, since it is another at each turn.
//
// Versions are derived from the order of the nodes, which is what passes keep;
// they are asked for where they are needed, and are good until nodes move.
#ifndef DUET_GRAPH_VERSIONS_H
#define DUET_GRAPH_VERSIONS_H

#include "graph/graph.h"

// The chains before those of Variables have the numbers of their kinds; the
// chain of Variables is RES_VARIABLE plus the index of the first of them.
typedef struct VersionUse {
    uint32_t chain;
    uint32_t before, after; // equal: borrowed
} VersionUse;

typedef struct Versions {
    Graph *graph;
    uint32_t chain_count;
    size_t range_count;
    uint32_t *chains;     // by Variable of the graph
    uint32_t *next;       // by chain: how many versions there are
    uint32_t *now;        // by chain: the last one in program order
    VEC(VersionUse) uses; // a node's, by chain; then those of its blocks
    struct VersionRange {
        uint32_t first, count;
    } * ranges; // by serial of a node
} Versions;

// Of the whole graph. False: no memory; versions_free is right then too.
MUST_CHECK bool versions_init(Versions *versions, Graph *graph);
void versions_free(Versions *versions);
// What a node does, `count` chains; NULL if it is pure.
const VersionUse *versions_of(const Versions *versions, const GraphNode *node,
                              uint32_t *count);
// What stands for version `number` of a chain in a text: "^world.1", "^0.2".
void versions_print(StrBuf *out, uint32_t chain, uint32_t number);

// Where a graph's text names versions, in its order: those that a node defines,
// those that it uses, with which its blocks begin, with which a block ends.
// Control that is borrowed, as by all effects, is left out.
typedef enum VersionPlace {
    VERSIONS_DEFINED,
    VERSIONS_USED,
    VERSIONS_BEGIN, // of a loop's block
    VERSIONS_END    // of any block, the outermost too
} VersionPlace;
// One after another, from *at = 0 on: the next one of a node; `b` is its block
// where the place is one of a block. False: that was the last.
bool versions_next(const Versions *versions, const GraphNode *node, int b,
                   VersionPlace place, uint32_t *at, uint32_t *chain,
                   uint32_t *number);
// Those with which the outermost block ends: of the chains that changed.
bool versions_next_last(const Versions *versions, uint32_t *at, uint32_t *chain,
                        uint32_t *number);
// Notes in the graph what it does as a whole, for those that call it.
MUST_CHECK bool versions_note(Graph *graph);

#endif
