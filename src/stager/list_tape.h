// Lists that a graph gave, or that it is to be given, as tapes see them.
//
// A caller gets the elements of a list, which are no outputs of the graph.
// Taking them out and putting them together are entries of tapes, each the way
// back of the other, to any order.
#ifndef DUET_STAGER_LIST_TAPE_H
#define DUET_STAGER_LIST_TAPE_H

#include "interp/tensors/obj_tensor.h"

// All elements of an eager list into `items`, owned; all or none. One that was
// never written is zeros, in the shape of what stands in that place of `like`
// (NULL: of the others).
MUST_CHECK bool list_tape_unpack(Vm *vm, Value list, const Value *like,
                                 Value *items);

#endif
