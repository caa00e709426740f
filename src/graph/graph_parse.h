// Reading a graph's printed form back: the inverse of graph_print.
//
//     text:  graph {graph}                 callees stand after their callers
//     graph: "graph" NAME "(" [param {"," param}] ")" EOL
//            {"capture" param EOL}
//            {("argument" | "variable") "@"N NAME ":" TYPE EOL} block
//     param: "%"N [NAME] ":" TYPE
//     block: {node} ("yield" | "return") [values] EOL | … "unreachable" EOL
//     node:  [def {"," def} "="] OP [payload] {version} [values]
//            {NAME "=" ATTR}
//            ["#" note] EOL {sub-block, indented}
//
// Blank lines and lines that are only a comment are skipped. Numbers of values
// need only be distinct. Versions ("^"NAME"."N) stand where values are defined
// and used, as they are printed; all of them are there, or none. A type may be
// more general than what the op's rule gives, or more special; it may not
// contradict it.
#ifndef DUET_GRAPH_GRAPH_PARSE_H
#define DUET_GRAPH_GRAPH_PARSE_H

#include "graph/graph.h"

// The first graph of the text, whole and checked, owned by the caller; NULL
// with an error pending, whose text begins with the line and the column.
// Captures are not bound (graph_bind_capture), Variables have no cells, host
// code is gone: such a graph can be printed, optimized, written and, once
// bound, run, but its host_calls cannot.
MUST_CHECK Graph *graph_parse(Ctx *ctx, const char *text, size_t length);

// Gives input `index`, a capture that is not bound, its tensor. ERR_VALUE if
// it is no such capture, or the tensor is not of its type.
MUST_CHECK bool graph_bind_capture(Graph *graph, size_t index, Tensor *tensor);

#endif
