// The built-in iterators, range and slice.
#ifndef DUET_INTERP_OBJECTS_ITERATORS_OBJ_ITER_H
#define DUET_INTERP_OBJECTS_ITERATORS_OBJ_ITER_H

#include "interp/core/memory.h"

typedef struct Range {
    Object head;
    Value start, stop, step; // ints; beyond 62 bits boxed ones
    Value length;
} Range;

typedef struct Slice {
    Object head;
    Value start, stop, step;
} Slice;

// How many items are left, as __length_hint__ tells: of those of the source
// without the ones that were given, unless a flag says otherwise.
typedef enum IteratorHint {
    HINT_DOWN = 1,   // `position` counts those that are left
    HINT_ASKS = 2,   // the source is asked for its len()
    HINT_REPEAT = 4, // there is no source: `position` alone, if `expected`
    HINT_RANGE = 8   // likewise, but INT64_MAX is too many
} IteratorHint;

typedef struct Iterator Iterator;
// The next item, owned; VALUE_STOP at the end; VALUE_FAIL.
typedef Value (*IteratorFn)(Vm *vm, Iterator *self);

// Every built-in iterator (list, dict, str, range, zip, map, enumerate, …): a
// step function and up to four values of its own.
struct Iterator {
    Object head;
    IteratorFn step;
    Value state[4];
    uint64_t position, expected; // as the step function uses them
    uint8_t hint;                // IteratorHint; 0 unless its maker sets it
};

// Those that share these differ in name and step. Counted ones tell how many
// items are left (__length_hint__); the classes of generic ones take items:
// enumerate[int].
extern const TypeDef iterator_plain_def, iterator_counted_def,
    iterator_generic_def;

// A built-in iterator that no class of the program extends: its step is all
// that its __next__ is.
static inline bool iterator_is_plain(Value v)
{
    return value_is_kind(v, KIND_ITERATOR) &&
           !(value_object(v)->type->flags & TYPE_HEAP);
}

// type_name: "list_iterator", the name of its type; a literal.
MUST_CHECK Iterator *iterator_new(Vm *vm, const TypeDef *def,
                                  const char *type_name, IteratorFn step);
// One over `iterable`, with further values (borrowed). VALUE_FAIL: failed.
Value iterator_over(Vm *vm, const TypeDef *def, const char *name,
                    IteratorFn step, Value iterable, Value first, Value second);
// Calling cls, and a class of the program that extends it, runs `maker` (a
// Native, taken). One that it has already stays.
void iterator_set_maker(Vm *vm, Type *cls, void *maker);
// A tuple of `count` UNBOUND items for the step's result: the last one again
// if its receiver has let it go. Uses state[3].
MUST_CHECK struct Tuple *iterator_result(Vm *vm, Iterator *self, size_t count);
// The same with what it held last time: each item is to be replaced.
MUST_CHECK struct Tuple *iterator_reuse(Vm *vm, Iterator *self, size_t count);
// A tuple of this kind filled with two values, which are taken. VALUE_FAIL: no
// memory.
Value iterator_pair(Vm *vm, Iterator *self, Value first, Value second);
// Retains all three; None stands for what is missing.
MUST_CHECK Slice *slice_new(Vm *vm, Value start, Value stop, Value step);
// A part of a slice, or an end given to index(): its number, clipped to what a
// small int holds; `otherwise` for None and UNBOUND. False: failed.
MUST_CHECK bool slice_part(Vm *vm, Value v, int64_t otherwise, int64_t *out);
// Python's slice.indices for a sequence of `length`: clipped start, stop,
// step, and how many items. False: failed (step 0, not an int).
MUST_CHECK bool slice_indices(Vm *vm, Slice *slice, int64_t length,
                              int64_t *start, int64_t *step, int64_t *count);
// The same for a length of any size: the clipped parts as ints, owned, and no
// count. False: failed, and nothing is owned.
MUST_CHECK bool slice_bounds(Vm *vm, Slice *slice, Value length, Value *start,
                             Value *stop, Value *step);

#endif
