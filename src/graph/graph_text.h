// A graph's printed form.
//
//     graph f(%0 x: float32[?, 3], %1 n: int32[])
//       capture %2 w: float32[3, 3]
//       argument @0 v: float32[]
//       variable @1 w: float32[]
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
//       ^1.1 = assign_variable @1 ^1.0 %6
//       %17: float32[] = read_variable @1 ^1.1
//       ^world.1 = print ^world.0 %17 …
//       return %9, ^1.1, ^world.1
//
// Values are numbered in the order in which they are printed. The elements of
// a constant stand in row-major order; its shape is in its type. A callee is
// printed once, after the graph that calls it, and named by
// `call @g(@0, @2) %1`: the Variables that it gets, then its arguments. Two
// callees of one name are told apart by "_1", "_2", ….
//
// What begins with ^ is a version (versions.h). Together they say in which
// order effects stand, as the order of the lines does. A chain of Variables has
// the number of the first of them.
//
// graph_parse reads this form back (graph_parse.h): the graph that it gives
// prints the same text.
#ifndef DUET_GRAPH_GRAPH_TEXT_H
#define DUET_GRAPH_GRAPH_TEXT_H

#include "graph/graph.h"

enum { GRAPH_TEXT_CONST_LIMIT = 64 }; // elements printed of a constant

// What a bare name cannot hold, blanks and control bytes apart; a name with
// one of these stands in quotes.
#define GRAPH_NAME_ENDS ":(),%@#='\\"

// `whole` prints every element of every constant; else longer ones end in
// "...", which graph_parse refuses. A failure is in `out` (strbuf_ok).
void graph_print(StrBuf *out, Graph *graph, bool whole);

#endif
