// Loads a graph that stage.save has written and runs it three times, without
// an interpreter: what it prints, what it returns, what becomes of its Variable.
//
//     cc load_graph.c $(pkg-config --cflags --libs duetgraph)
#include <stdio.h>

#include <duetgraph.h>

int main(int argc, char **argv)
{
    DuetGraph *graph = duetgraph_new();
    bool done = graph != NULL &&
                duetgraph_load(graph, argc > 1 ? argv[1] : "step.graph", NULL);
    for (int i = 0; done && i < 3; i++) {
        const float number = (float)i;
        DuetArray x = {"float32", 0, NULL, &number}, y, total;
        const char *name;
        done = duetgraph_run(graph, &x, &y) &&
               duetgraph_variable(graph, 0, &name, &total);
        if (done) {
            printf("%g, %s = %g\n", *(const float *)y.data, name,
                   *(const float *)total.data);
        }
    }
    if (!done) {
        puts(graph != NULL ? duetgraph_error(graph) : "no memory");
    }
    duetgraph_free(graph);
    return done ? 0 : 1;
}
