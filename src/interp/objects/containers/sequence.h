// What list and tuple (and other containers) share.
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_SEQUENCE_H
#define DUET_INTERP_OBJECTS_CONTAINERS_SEQUENCE_H

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

extern const NativeDef list_methods[], tuple_methods[], str_methods[],
    dict_methods[], set_methods[], frozenset_methods[], bytes_methods[];

// compare, contains and iter slots of list and tuple.
Value sequence_compare(Vm *vm, CompareOp op, Value a, Value b);
// By identity or ==; 1, 0, -1.
int sequence_contains(Vm *vm, Value self, Value item);
// An iterator that notices growth of a list.
Value sequence_iter(Vm *vm, Value self);
// The step of those iterators.
Value sequence_walk(Vm *vm, Iterator *self);
// value_next, with a short way for those iterators: what iterators over other
// iterators ask.
static inline Value sequence_next(Vm *vm, Value source)
{
    if (value_is_kind(source, KIND_ITERATOR)) {
        Iterator *self = (Iterator *)value_object(source);
        if (self->step == sequence_walk && value_is_object(self->state[0])) {
            const Object *walked = value_object(self->state[0]);
            bool list = walked->kind == KIND_LIST;
            size_t count = list ? ((const List *)walked)->count
                                : ((const Tuple *)walked)->count;
            if (LIKELY(self->position < count)) {
                size_t at = self->position++;
                return value_retain(list ? ((const List *)walked)->items[at]
                                         : ((const Tuple *)walked)->items[at]);
            }
        }
    }
    return value_next(vm, source);
}
// "[1, 2]", "(1,)"; `open` and `close` again for a container inside itself.
Value sequence_repr(Vm *vm, Value self, const char *open, const char *close);
// Appends the repr of v. False with an error pending.
MUST_CHECK bool repr_append(Vm *vm, StrBuf *out, Value v);
// Containers being printed, innermost first, on the C stack.
typedef struct ReprGuard {
    Object *object;
    struct ReprGuard *outer;
} ReprGuard;
// Starts printing `self`; false if that is already going on: print "[...]".
MUST_CHECK bool repr_enter(Vm *vm, Value self, ReprGuard *guard);
// The counterpart of a repr_enter that succeeded.
void repr_leave(Vm *vm, ReprGuard *guard);
// A key as an index below count, negative ones from the end. False with an
// error pending, or without one if out of range. what: "list".
MUST_CHECK bool sequence_index(Vm *vm, const char *what, Value key,
                               const size_t *count, size_t *out);
// `times` copies of `length` items are more than memory can hold: OverflowError
// where a product of sizes overflows ("string is too long"), else MemoryError.
// VALUE_FAIL, always.
Value sequence_too_long(Vm *vm, const char *what, size_t length, int64_t times);
// An int, a bool, or an object with __index__.
bool value_is_index(Vm *vm, Value v);
// For visit slots: calls `visit` for each object among the values.
void values_visit(const Value *items, size_t count,
                  void (*visit)(Object *child, void *data), void *data);
// What a constructor that does all in __new__ looks at: none where a subclass
// has an __init__, which takes them. Borrowed.
Dict *arguments_keywords(Vm *vm, const Type *cls, Dict *keywords);
// No keywords, at most `most` arguments of the constructor `name`.
MUST_CHECK bool arguments_check(Vm *vm, const char *name, Tuple *args,
                                Dict *keywords, size_t most);
// Spreads a constructor's arguments over its parameters, in order: out[i]
// (borrowed) stays VALUE_UNBOUND if parameter i was not given; the first
// `needed` ones must be.
MUST_CHECK bool arguments_spread(Vm *vm, const char *name, Tuple *args,
                                 Dict *keywords, const char *const *params,
                                 size_t count, size_t needed, Value *out);
// That an optional argument, UNBOUND if not given, is a str: TypeError else.
MUST_CHECK bool arguments_text(Vm *vm, const char *name, const char *param,
                               Value v);
// Room for `extra` more items.
MUST_CHECK bool list_reserve(Vm *vm, List *list, size_t extra);
// Gives the array back too.
void list_clear(Vm *vm, List *list);
// Replaces `removed` items at start by `items` (retained; not the list's own).
MUST_CHECK bool list_splice(Vm *vm, List *list, size_t start, size_t removed,
                            const Value *items, size_t count);
// list[slice], a plain list, owned; list[slice] = value, UNBOUND deletes.
Value list_slice_get(Vm *vm, List *list, Slice *slice);
MUST_CHECK bool list_slice_set(Vm *vm, List *list, Slice *slice, Value value);
// start and stop of index() and count(), clipped to 0 … count; a start behind
// the end becomes count + 1. UNBOUND and None: the defaults 0 and count.
MUST_CHECK bool sequence_range(Vm *vm, Value start, Value stop, size_t count,
                               size_t *from, size_t *to);

#endif
