// Graphs as bytes, and graphs that were read as functions: rows of the table of
// Graph's methods. What a user calls is written in Duet over them
// (lib/_graph_file.duet).
#ifndef DUET_STAGER_STAGE_FILE_H
#define DUET_STAGER_STAGE_FILE_H

#include "stager/stage_graph.h"

// Of a Graph object: a copy in which calls are inlined and large constants
// captured, as it is saved, and under which name.
Value graph_whole(Vm *vm, Value *args);
// graph.call(tensors, variables): its results, a list; in a trace a call there.
Value graph_call(Vm *vm, Value *args);
// Its Variables, a list; None for one that is handed over at each call.
Value graph_variables(Vm *vm, Value self);
// Graph.pack(graphs, numbers, values, note): bytes (graph/graph_file.h).
Value graph_pack(Vm *vm, Value *args);
// Graph.unpack(data): (note, values, [(graph, numbers), …]).
Value graph_unpack(Vm *vm, Value *args);

#endif
