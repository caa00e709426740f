// Symbolic tensors that outlive their trace.
#ifndef DUET_STAGER_LEAK_H
#define DUET_STAGER_LEAK_H

#include "base/vec.h"
#include "graph/graph.h"
#include "interp/tensors/obj_tensor.h"

// One store of a symbolic tensor in something older than its trace.
typedef struct LeakStore {
    ValueId value; // the tensor's number in the graph
    uint32_t line; // 0: unknown
    Str *text;     // the program's line, counted; NULL: unknown
} LeakStore;

typedef VEC(LeakStore) LeakStores;

// Records which symbolic tensors in `value` (also within small structures)
// outlive their traces by being stored in `container`.
MUST_CHECK bool leak_store(Vm *vm, const Object *container, Value value);
// With the owner of the trace's symbolic tensors.
void leak_stores_free(Vm *vm, LeakStores *stores);
// Hooks.
Value leak_fail(Vm *vm, const char *who, const Symbolic *symbolic);
const char *leak_function(const Symbolic *symbolic);

#endif
