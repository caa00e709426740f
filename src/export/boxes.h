// A graph as a picture for the terminal: boxes in boxes.
//
//     ┌ graph f(%0 x: float32[], %1 c: bool[]) ─┐
//     │ %2: float32[] = if %1                   │
//     │ ┌ then ───────────────────────────────┐ │
//     │ │ yield %0                            │ │
//     │ └─────────────────────────────────────┘ │
//     …
#ifndef DUET_EXPORT_BOXES_H
#define DUET_EXPORT_BOXES_H

#include "graph/graph.h"

// The printed form (graph_text.h), each graph and each sub-block in a box of
// its own. A failure is in `out` (strbuf_ok).
void boxes_print(StrBuf *out, Graph *graph);

#endif
