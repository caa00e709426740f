// The iterators behind built-in functions. All give an owned value or fail.
#ifndef DUET_INTERP_OBJECTS_ITERATORS_ITER_MAKE_H
#define DUET_INTERP_OBJECTS_ITERATORS_ITER_MAKE_H

#include "interp/objects/iterators/obj_iter.h"

Value iter_enumerate(Vm *vm, Value iterable, Value start); // UNBOUND: 0
// Iterators for the built-in functions of these names; arguments are retained.
Value iter_zip(Vm *vm, Tuple *iterables, bool strict);
// `function` is called with one item of each iterable.
Value iter_map(Vm *vm, Value function, Tuple *iterables);
Value iter_filter(Vm *vm, Value function, Value iterable); // NONE: by truth
// By __reversed__, else by length and items.
Value iter_reversed(Vm *vm, Value sequence);
// The same without asking for __reversed__, of a sequence.
Value iter_reversed_plain(Vm *vm, Value sequence);

#endif
