// A graph as a picture: in DOT, for Graphviz.
#ifndef DUET_EXPORT_DOT_H
#define DUET_EXPORT_DOT_H

#include "graph/graph.h"

// A digraph in DOT: a box for each node, with its op, its attributes and the
// user's line as a tooltip; sub-blocks as clusters; an edge for each use of a
// value, with its type; dashed edges where effects keep their order. Callees
// are named, not drawn. A failure is in `out` (strbuf_ok).
void dot_print(StrBuf *out, Graph *graph);

#endif
