// Which nodes must run: those that outputs and effects need.
//
// Graphs are non-strict: what is not needed is not run, and cannot fail. Dead
// code is what this does not mark; plans skip it even where no pass has run.
#ifndef DUET_GRAPH_NEEDED_H
#define DUET_GRAPH_NEEDED_H

#include "graph/graph.h"

// Sets the mark of every node that is in a block: 1 needed, 0 not.
MUST_CHECK bool graph_mark_needed(Graph *graph);
// Does so, and gives by value whether it is needed: values.count + 1 bytes, the
// caller's to free. NULL: no memory.
MUST_CHECK bool *graph_needed_values(Graph *graph);

#endif
