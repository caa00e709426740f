// Merging: what a variable is after two ways led to it.
//
// The same object and equal immutable values stay what they are; numbers and
// tensors become one tensor; equal structures merge leaf by leaf. What cannot
// be merged is left unbound with a note of both sides, which whoever reads the
// variable later gets to see.
#ifndef DUET_STAGER_MERGE_H
#define DUET_STAGER_MERGE_H

#include "stager/blocks.h"

typedef struct Merge {
    Vm *vm;
    GraphBlock *blocks[2]; // where conversions of each side's values go
    bool absent[2];        // the side has no value: it ended in an exception
    ValueId condition;     // chooses the first side; VALUE_ID_NONE: a loop
    VEC(ValueId) ids[2];   // what each side yields
    ValueVec made;         // the symbolic tensors that stand for them, owned
    const char *name;      // of the place at hand, for symbolic tensors
    bool hidden;           // it may have no value on one side
    ErrorKind fault;       // why the place could not be merged; ERR_NONE: it
    char text[400];        // could
} Merge;

// The merged value, owned; UNBOUND with `fault` set, or VALUE_FAIL with an
// error pending. UNBOUND on both sides is UNBOUND.
Value merge_values(Merge *merge, Value a, Value b);
// After the node was appended: its outputs are what was made.
void merge_finish(Merge *merge, const GraphNode *node);
void merge_free(Merge *merge);
// "float32[2]", "None", "'text'": what a value is, for an error text.
void merge_describe(Vm *vm, Value v, char *room, size_t size);

#endif
