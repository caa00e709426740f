// The ring from which lib/collections derives deque (obj_deque.c), and its
// operators (deque_operators.c).
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_OBJ_DEQUE_H
#define DUET_INTERP_OBJECTS_CONTAINERS_OBJ_DEQUE_H

#include "interp/core/type.h"

extern const TypeDef deque_type_def;

bool deque_is(Value v); // a ring or what derives from it
// Of a deque:
size_t deque_count(Value deque);
Value deque_item(Value deque, size_t i); // borrowed; i < count
int64_t deque_most(Value deque);         // its maxlen; -1: none
// An empty one of a class that is derived from it, with that maxlen (-1: none).
// VALUE_FAIL.
Value deque_alike(Vm *vm, Type *cls, int64_t most);
// All items at its right end; those before an error stay.
MUST_CHECK bool deque_extend(Vm *vm, Value deque, Value iterable);
// False: a trace forbids it.
MUST_CHECK bool deque_empty(Vm *vm, Value deque);

Value deque_binary(Vm *vm, BinaryOp op, Value a, Value b);
Value deque_inplace(Vm *vm, BinaryOp op, Value a, Value b);

#endif
