// Runs a graph in a program without an interpreter. The text is what Duet
// prints for `f.graph(…)`, here of `x ** 2 + 1` for any number of floats.
//
//     cc run_graph.c $(pkg-config --cflags --libs duetgraph)
#include <stdio.h>

#include <duetgraph.h>

static const char text[] = "graph f(%0 x: float32[?])\n"
                           "  %1: float32[?] = multiply %0, %0\n"
                           "  %2: float32[] = const 1.0\n"
                           "  %3: float32[?] = add %1, %2\n"
                           "  return %3\n";

int main(void)
{
    const float numbers[] = {1, 2, 3};
    const int64_t sizes[] = {3};
    DuetArray x = {"float32", 1, sizes, numbers}, y;
    DuetGraph *graph = duetgraph_new();
    bool done = graph != NULL &&
                duetgraph_parse(graph, text, sizeof text - 1) &&
                duetgraph_run(graph, &x, &y);
    for (int64_t i = 0; done && i < y.dims[0]; i++) {
        printf("%g\n", ((const float *)y.data)[i]);
    }
    if (!done) {
        puts(graph != NULL ? duetgraph_error(graph) : "no memory");
    }
    duetgraph_free(graph);
    return done ? 0 : 1;
}
