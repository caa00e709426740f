// Graphs as values of the language.
#ifndef DUET_STAGER_STAGE_GRAPH_H
#define DUET_STAGER_STAGE_GRAPH_H

#include "graph/graph.h"
#include "stager/concrete.h"

// A Graph object, owned; retains the graph. VALUE_FAIL.
Value stage_graph_new(Vm *vm, Graph *graph);
// stage._nodes
Value stage_nodes_method(Vm *vm, Value *args);

extern const TypeDef graph_node_type_def;

#endif
