// Merging: what a variable is after two ways led to it.
//
// The same object and equal immutable values stay what they are; numbers and
// tensors become one tensor; equal structures merge leaf by leaf. What cannot
// be merged is left unbound with a note of both sides, which whoever reads the
// variable later gets to see.
#ifndef DUET_STAGER_MERGE_H
#define DUET_STAGER_MERGE_H

#include "stager/blocks.h"

// The merging of all places of one block. The caller sets the first fields,
// and name and hidden for each place; zero is right for the rest.
typedef struct Merge {
    Vm *vm;
    const StagedBlock *block; // whose journal says what a container held
    GraphBlock *blocks[2];    // where conversions of each side's values go
    bool absent[2];           // the side has no value: it ended in an exception
    int left;                 // the side that has returned; -1: none
    ValueId condition;        // chooses the first side; VALUE_ID_NONE: a loop
    IdVec ids[2];             // what each side yields
    ValueVec made;            // the symbolic tensors that stand for them, owned
    const char *name;         // of the place at hand, for symbolic tensors
    HiddenKind hidden; // not HIDDEN_NONE: it may have no value on one side
    bool may_be_none;  // a tensor may decide whether it is None (maybe.h)
    ErrorKind fault;   // why the place could not be merged; ERR_NONE: it could
    Map pairs;         // the merged structure of two, its number in copies
    ValueVec copies;   // and what they are of; owned
} Merge;

// The merged value, owned; UNBOUND with `fault` set, or VALUE_FAIL with an
// error pending. UNBOUND on both sides is UNBOUND.
Value merge_values(Merge *merge, Value a, Value b);
// Lists of different lengths, or ones that a graph holds, as staged lists of
// one form, each in its side. 1: `both` are owned; 0: their elements have none
// in common; -1: an error is pending.
int merge_stage_lists(Merge *merge, Value a, Value b, Value both[2]);
// The value of one side, for the other has none that anybody will see. As
// merge_values.
Value merge_single(Merge *merge, int side, Value v);
// merge_object.c: whether it is an object of a class of the program's that the
// running trace made.
bool merge_is_object(Vm *vm, Value v);
// Two of one class; and one that a side alone leaves. As merge_values.
Value merge_objects(Merge *merge, Value a, Value b);
Value merge_single_object(Merge *merge, int side, Value v);
// Whether the condition may stand for what it says.
bool merge_has_truth(const Merge *merge);
// After the node was appended: its outputs are what was made.
void merge_finish(Merge *merge, const GraphNode *node);
// Releases the lists; merged values that were handed out have counts of their
// own.
void merge_free(Merge *merge);

// The graph's value for a leaf as `dtype` (DT_NONE: its own), its conversion
// appended to `where`: a side of a branch, the block around a loop before its
// first turn, the body after one. `who` opens error texts. VALUE_ID_NONE with
// an error pending.
ValueId merge_leaf_id(Vm *vm, const char *who, GraphBlock *where, Value v,
                      DType dtype);
// Equal, immutable, and of one type: -0.0 and 0.0 are not, nor 1 and True.
bool merge_same(Value a, Value b);
bool merge_is_number(Value v); // a host bool, int or float
// The same kind of structure, with the same class, length and keys: 1 or 0;
// -1 with an error pending. Leaves are not looked at.
int merge_alike(Vm *vm, Value a, Value b);
// Two dicts of the same keys become one, in the order of the first: who asks
// for the order of the other is told.
void merge_tell_order(Vm *vm, Value a, Value b);
// Zeros of this type in a block, sizes that are unknown being 0.
ValueId merge_placeholder(Vm *vm, GraphBlock *block, TensorType type);
// The dtype that holds two host numbers: the wider kind's default.
DType merge_number_dtype(Value a, Value b);

#endif
