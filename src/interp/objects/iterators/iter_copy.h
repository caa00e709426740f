// How iterators are copied: __reduce__, __setstate__ and __length_hint__ of
// each of the classes that share the layout of obj_iter.h.
//
// Invariant: __reduce__ leaves its iterator as it was, so that what is copied
// and its copy go on from one place.
#ifndef DUET_INTERP_OBJECTS_ITERATORS_ITER_COPY_H
#define DUET_INTERP_OBJECTS_ITERATORS_ITER_COPY_H

#include "interp/objects/iterators/obj_iter.h"

// What __reduce__ of an iterator answers, owned; VALUE_FAIL.
typedef Value (*IteratorReduceFn)(Vm *vm, Iterator *self);
// What __setstate__ does with a state, which may be anything. False: failed.
typedef bool (*IteratorStateFn)(Vm *vm, Iterator *self, Value state);

// Gives a class of iterators the methods that CPython's class of this name
// has. False: failed.
MUST_CHECK bool iterator_add_methods(Vm *vm, Type *cls);

// (callable, args, state), without the third where `state` is UNBOUND. All
// Values are taken, and one that failed makes it fail.
Value iterator_reduced(Vm *vm, Value callable, const Value *args, size_t count,
                       Value state);
// The class of an iterator, owned: most are made again by calling it.
Value iterator_class(Iterator *self);
// A built-in function or class by its name, owned.
Value iterator_builtin(Vm *vm, const char *name);
// iter(()), owned: what stands for a source that was let go of.
Value iterator_nothing(Vm *vm);
// The source of an iterator, owned.
Value iterator_source(Vm *vm, Iterator *self);
// A tuple of values, which are taken.
Value iterator_tuple(Vm *vm, const Value *items, size_t count);

// Of range (obj_range.c), and what all share (obj_iter.c).
Value range_reduce_iterator(Vm *vm, Iterator *self);
MUST_CHECK bool range_state_iterator(Vm *vm, Iterator *self, Value state);
Value iterator_length_hint(Vm *vm, Value *args, uint32_t count);
// A state that is an int, clipped to least … most. False: another one.
MUST_CHECK bool iterator_place(Vm *vm, Value state, int64_t least, int64_t most,
                               int64_t *out);

// Of the module itertools (itertools_copy.c).
#define ITERTOOLS_REDUCED(R)                                                   \
    R(accumulate)                                                              \
    R(chain)                                                                   \
    R(combinations)                                                            \
    R(compress)                                                                \
    R(count)                                                                   \
    R(cycle)                                                                   \
    R(dropwhile)                                                               \
    R(starmap) R(islice) R(permutations) R(product) R(repeat) R(zip_longest)
#define ITERTOOLS_STATES(R)                                                    \
    R(accumulate)                                                              \
    R(chain)                                                                   \
    R(combinations)                                                            \
    R(cycle) R(dropwhile) R(islice) R(permutations) R(product) R(zip_longest)
#define DECLARE(id) Value itertools_reduce_##id(Vm *vm, Iterator *self);
ITERTOOLS_REDUCED(DECLARE)
#undef DECLARE
#define DECLARE(id)                                                            \
    MUST_CHECK bool itertools_state_##id(Vm *vm, Iterator *self, Value state);
ITERTOOLS_STATES(DECLARE)
#undef DECLARE

#endif
