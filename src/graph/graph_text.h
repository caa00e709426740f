// A graph's printed form, and its parser. Printing what was parsed gives the
// same text.
//
//     graph f(x: float32[?, 3], n: int32[])
//       capture %2 w: float32[3, 3]
//       variable @0 v: float32[]
//       %3: float32[?, 3] = add %0, %1      # file:7 x = x + b
//       %4: float32[] = const 2.5
//       %5: float32[?, 3] = sum %3 axis=0
//       %6: float32[] = if %7
//         then
//           yield %4
//         else
//           raise text='no'
//           unreachable
//       %8: int32[], %9: float32[] = while %1, %4
//         cond (%10 i: int32[], %11: float32[])
//           yield %12
//         body (%13 i: int32[], %14: float32[])
//           yield %15, %16
//       return %9
//
// Values are numbered in the order in which they are printed. A callee is
// printed after its caller, once, and named by `call @g`.
#ifndef DUET_GRAPH_GRAPH_TEXT_H
#define DUET_GRAPH_GRAPH_TEXT_H

#include "graph/graph.h"

enum { GRAPH_TEXT_CONST_LIMIT = 64 }; // elements printed of a constant

// `whole` prints every element of every constant, as the parser needs; else
// longer ones end in "...", which the parser refuses.
void graph_print(StrBuf *out, Graph *graph, bool whole);
// Types, arity and effects are checked as the builder does. ERR_VALUE names
// line and what was expected. Captures and Variables are not bound.
MUST_CHECK Graph *graph_parse(Ctx *ctx, const char *text, size_t length);

#endif
