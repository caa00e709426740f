// Using a container that two sides of a block left apart: what the program does
// with it is done with what each side left.
//
// That is a method, an item, a store or an operator in place; what they give
// must be one value, or numbers of which the graph chooses one. Where that
// cannot be, or a side raises, the text of the join is raised (poison.h).
#ifndef DUET_STAGER_UNDECIDED_H
#define DUET_STAGER_UNDECIDED_H

#include "interp/core/vm.h"
#include "interp/objects/classes/obj_function.h"

// What type() finds in such a container.
extern const NativeDef undecided_methods[];
// Its slots. A method comes as an object that can be called.
Value undecided_attr(Vm *vm, Value self, Str *name);
Value undecided_item(Vm *vm, Value self, Value key);
// A bool, or a tensor.
Value undecided_contains(Vm *vm, Value self, Value item);
bool undecided_store(Vm *vm, Value self, Value key, Value value);
Value undecided_inplace(Vm *vm, BinaryOp op, Value self, Value other);

// Whether the pending error is one that eager code would raise where the side
// that was used is the one.
bool undecided_is_late(Vm *vm);

// TraceHooks.choose.
Value undecided_choose(Vm *vm, Value condition, Value a, Value b);

#endif
