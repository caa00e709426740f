// What the files of the module itertools share.
//
// All its iterators are Iterators (obj_iter.h). Invariant: state[0] is what is
// left to be read, or None where that is no iterator, and UNBOUND once the
// iterator has ended; state[1] and state[2] are its own, state[3] belongs to
// iterator_result. Steps change the state only when nothing can fail any more,
// as code of the program may run within each call.
#ifndef DUET_MODULES_NATIVE_ITERTOOLS_H
#define DUET_MODULES_NATIVE_ITERTOOLS_H

#include "interp/objects/iterators/obj_iter.h"
#include "interp/objects/protocol/protocol.h"

// The heads of a constructor, a native function with the parameters of its row
// in modules_itertools.c, and of its step function.
#define MAKE(id) Value itertools_##id(Vm *vm, Value *args)
#define STEP(id) static Value step_##id(Vm *vm, Iterator *self)

// Constructors: owned iterators, or VALUE_FAIL.
MAKE(accumulate);
MAKE(chain);
MAKE(combinations);
MAKE(combinations_with_replacement);
MAKE(compress);
MAKE(count);
MAKE(cycle);
MAKE(dropwhile);
MAKE(filterfalse);
MAKE(islice);
MAKE(pairwise);
MAKE(permutations);
MAKE(product);
MAKE(repeat);
MAKE(starmap);
MAKE(takewhile);
MAKE(zip_longest);
MAKE(tee);

// repr slots of count and repeat.
Value itertools_repr_count(Vm *vm, Value v);
Value itertools_repr_repeat(Vm *vm, Value v);

// Lets the source go, so that the iterator stays at its end.
static inline Value itertools_ended(Vm *vm, Iterator *self)
{
    value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
    return VALUE_STOP;
}

// Neither an error nor the end.
static inline bool itertools_is_item(Value v)
{
    return !value_failed(v) && !value_same(v, VALUE_STOP);
}

// The next item of state[0], owned; at its end the iterator ends, too, and
// lets it go.
Value itertools_next(Vm *vm, Iterator *self);
// The same, but the source is kept and may be asked again.
Value itertools_ask(Vm *vm, Iterator *self);

#endif
