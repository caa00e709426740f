// Objects of a result: an instance or a deque that the trace made and returns
// is made anew by each call, as a list is.
//
// A Made stands for one in the tree that a Concrete keeps: an empty object of
// its class, and what it is to hold (content.h), with symbolic tensors where
// outputs go.
#ifndef DUET_STAGER_MADE_H
#define DUET_STAGER_MADE_H

#include "interp/core/vm.h"

extern const TypeDef made_type_def;

bool made_is(Vm *vm, Value v);
// Whether the object is of a kind that can be made anew: an instance of a class
// of the program, a deque.
bool made_fits(Vm *vm, Value v);
// Of an object: a Made that holds nothing yet. Of a Made: an object that holds
// nothing yet. Owned; VALUE_FAIL.
Value made_twin(Vm *vm, Value v);
// The class of either.
Type *made_class(Vm *vm, Value v);
// What either holds. Owned; VALUE_FAIL.
Value made_content(Vm *vm, Value v);
// Makes `content` (borrowed) what either holds.
MUST_CHECK bool made_fill(Vm *vm, Value v, Value content);

#endif
