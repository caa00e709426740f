// Copies of built-in iterators: what makes each again, and how far it was.
//
// Invariant: a state comes from the program and may be anything: it is clipped
// to what the iterator's source has, as in CPython, before a step reads it.
#include "interp/objects/iterators/iter_copy.h"

#include <string.h>

#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"
#include "modules/importing/module.h"

// All are taken, so that a caller need not look whether one failed.
Value iterator_tuple(Vm *vm, const Value *items, size_t count)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        ok = ok && !value_failed(items[i]);
    }
    Tuple *tuple = ok ? tuple_from(vm, items, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        release(vm, items[i]);
    }
    return tuple == NULL ? VALUE_FAIL : value_from_object(tuple);
}

Value iterator_reduced(Vm *vm, Value callable, const Value *args, size_t count,
                       Value state)
{
    Value parts[] = {callable, iterator_tuple(vm, args, count), state};
    return iterator_tuple(vm, parts, value_unbound(state) ? 2 : 3);
}

Value iterator_class(Iterator *self)
{
    return value_from_object(object_retain(self->head.type));
}

// By its name, as in CPython: a program may have put another in its place.
Value iterator_builtin(Vm *vm, const char *name)
{
    Str *key = str_intern(vm, name, strlen(name));
    if (key == NULL) {
        return VALUE_FAIL;
    }
    Value found = dict_get_name(vm->builtins, key);
    object_release(&vm->ctx, key);
    return value_unbound(found) ? raise_error(vm, ERR_ATTRIBUTE, "%s", name)
                                : value_retain(found);
}

Value iterator_nothing(Vm *vm)
{
    return sequence_iter(vm, value_from_object(vm->empty_tuple));
}

// One that the collector has emptied reads as exhausted, as for the steps.
Value iterator_source(Vm *vm, Iterator *self)
{
    return value_unbound(self->state[0]) ? iterator_nothing(vm)
                                         : value_retain(self->state[0]);
}

// iter(source), and how many items were given. What is exhausted has let its
// source go: `empty` stands for it, which is taken.
static Value reduce_place(Vm *vm, Iterator *self, const char *by, int64_t place,
                          Value empty)
{
    if (value_failed(empty)) {
        return empty;
    }
    bool ended = value_unbound(self->state[0]);
    Value source = ended ? empty : value_retain(self->state[0]);
    if (!ended) {
        release(vm, empty);
    }
    return iterator_reduced(vm, iterator_builtin(vm, by), &source, 1,
                            ended ? VALUE_UNBOUND : value_from_small(place));
}

static Value no_items(Vm *vm)
{
    return value_from_object(object_retain(vm->empty_tuple));
}

static Value no_list(Vm *vm)
{
    List *list = list_new(vm, 0);
    return list == NULL ? VALUE_FAIL : value_from_object(list);
}

static Value reduce_walk(Vm *vm, Iterator *self)
{
    return reduce_place(vm, self, "iter", (int64_t)self->position,
                        no_items(vm));
}

static Value reduce_list(Vm *vm, Iterator *self)
{
    return reduce_place(vm, self, "iter", (int64_t)self->position, no_list(vm));
}

// The step counts bytes, programs count code points.
static Value reduce_str(Vm *vm, Iterator *self)
{
    size_t place =
        value_unbound(self->state[0])
            ? 0
            : str_index_of(vm, value_as_str(self->state[0]), self->position);
    Str *empty = str_from(vm, "");
    return reduce_place(vm, self, "iter", (int64_t)place,
                        empty == NULL ? VALUE_FAIL : str_value(empty));
}

// `position` items are left; CPython names the next one's place.
static Value reduce_reversed(Vm *vm, Iterator *self)
{
    bool list =
        strcmp(type_name(type_native(self->head.type)), "reversed") != 0;
    if (list && value_unbound(self->state[0])) {
        return reduce_list(vm, self);
    }
    bool ended = value_unbound(self->state[0]);
    Value source = ended ? no_items(vm) : value_retain(self->state[0]);
    return iterator_reduced(
        vm, list ? iterator_builtin(vm, "reversed") : iterator_class(self),
        &source, 1,
        ended ? VALUE_UNBOUND : value_from_small((int64_t)self->position - 1));
}

// An iterator of the same class in the same state, owned.
static Iterator *copy_of(Vm *vm, Iterator *self)
{
    Iterator *copy = object_new(vm, self->head.type, sizeof *copy);
    if (copy != NULL) {
        copy->step = self->step;
        copy->position = self->position;
        copy->expected = self->expected;
        for (int i = 0; i < 4; i++) {
            copy->state[i] = value_retain(self->state[i]);
        }
    }
    return copy;
}

// A hashed container may not look the same when it is made again: its items
// are listed. A change of its size since then is told here.
static Value reduce_rest(Vm *vm, Iterator *self)
{
    Iterator *copy = copy_of(vm, self);
    List *rest = copy == NULL ? NULL : list_new(vm, 0);
    bool ok = rest != NULL && list_extend(vm, rest, value_from_object(copy));
    object_release_null(&vm->ctx, copy);
    if (!ok) {
        object_release_null(&vm->ctx, rest);
        return VALUE_FAIL;
    }
    Value items = value_from_object(rest);
    return iterator_reduced(vm, iterator_builtin(vm, "iter"), &items, 1,
                            VALUE_UNBOUND);
}

// type(deque, items given).
static Value reduce_deque(Vm *vm, Iterator *self)
{
    Value args[] = {value_unbound(self->state[0])
                        ? VALUE_NONE
                        : value_retain(self->state[0]),
                    int_from_u64(vm, self->position)};
    return iterator_reduced(vm, iterator_class(self), args, 2, VALUE_UNBOUND);
}

// The scanner of re.finditer is no callable, and has no way to be made again.
static Value reduce_callable(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return reduce_walk(vm, self);
    }
    if (!value_is_callable(vm, self->state[0])) {
        return raise_error(vm, ERR_TYPE,
                           "cannot pickle 'callable_iterator' object");
    }
    Value args[] = {value_retain(self->state[0]), value_retain(self->state[1])};
    return iterator_reduced(vm, iterator_builtin(vm, "iter"), args, 2,
                            VALUE_UNBOUND);
}

static Value reduce_enumerate(Vm *vm, Iterator *self)
{
    Value args[] = {iterator_source(vm, self), value_retain(self->state[1])};
    return iterator_reduced(vm, iterator_class(self), args, 2, VALUE_UNBOUND);
}

static Value reduce_filter(Vm *vm, Iterator *self)
{
    Value args[] = {value_retain(self->state[1]), iterator_source(vm, self)};
    return iterator_reduced(vm, iterator_class(self), args, 2, VALUE_UNBOUND);
}

// The iterators that map or zip read, borrowed.
static Tuple *sources_of(Vm *vm, Iterator *self)
{
    return value_unbound(self->state[0]) ? vm->empty_tuple
                                         : value_as_tuple(self->state[0]);
}

// The function in front of its iterators.
static Value reduce_map(Vm *vm, Iterator *self)
{
    const Tuple *sources = sources_of(vm, self);
    Tuple *args = tuple_new(vm, sources->count + 1);
    if (args == NULL) {
        return VALUE_FAIL;
    }
    args->items[0] = value_retain(self->state[1]);
    for (size_t i = 0; i < sources->count; i++) {
        args->items[i + 1] = value_retain(sources->items[i]);
    }
    Value parts[] = {iterator_class(self), value_from_object(args)};
    return iterator_tuple(vm, parts, 2);
}

static Value reduce_zip(Vm *vm, Iterator *self)
{
    Value parts[] = {iterator_class(self),
                     value_from_object(object_retain(sources_of(vm, self))),
                     VALUE_TRUE};
    return iterator_tuple(vm, parts, self->expected ? 3 : 2);
}

// --- states ---

// CPython reads these with a function that asks no __index__.
bool iterator_place(Vm *vm, Value state, int64_t least, int64_t most,
                    int64_t *out)
{
    if (!value_is_integer(state) && !value_is_bool(state)) {
        return raise_false(vm, ERR_TYPE, "an integer is required");
    }
    if (!value_to_count(vm, state, out)) {
        return false;
    }
    *out = *out > most ? most : *out;
    *out = *out < least ? least : *out;
    return true;
}

// How many items the source of a walk has by itself, whatever a subclass says.
static int64_t source_length(Vm *vm, Value source)
{
    if (value_unbound(source)) {
        return 0;
    }
    const TypeSlots *slots = &type_of(vm, source)->def->slots;
    return slots->length == NULL ? 0 : slots->length(vm, source);
}

static bool state_walk(Vm *vm, Iterator *self, Value state)
{
    int64_t place;
    int64_t length = source_length(vm, self->state[0]);
    if (!iterator_place(vm, state, 0, length, &place)) {
        return false;
    }
    bool text = value_is_str(self->state[0]);
    self->position =
        text ? str_offset(vm, value_as_str(self->state[0]), (size_t)place)
             : (uint64_t)place;
    return true;
}

// Of a class with __getitem__ alone: nothing says where it ends.
static bool state_sequence(Vm *vm, Iterator *self, Value state)
{
    int64_t place;
    if (!iterator_place(vm, state, 0, INT64_MAX, &place)) {
        return false;
    }
    self->position = (uint64_t)place;
    return true;
}

static bool state_reversed(Vm *vm, Iterator *self, Value state)
{
    Value source = self->state[0];
    int64_t place;
    int64_t length = value_unbound(source) ? 0
                     : value_is_kind(source, KIND_LIST)
                         ? source_length(vm, source)
                         : value_length(vm, source);
    if (length < 0 || !iterator_place(vm, state, -1, length - 1, &place)) {
        return false;
    }
    self->position = (uint64_t)(place + 1);
    return true;
}

static bool state_zip(Vm *vm, Iterator *self, Value state)
{
    int strict = value_truth(vm, state);
    self->expected = strict > 0;
    return strict >= 0;
}

// --- the classes ---

// What a class of iterators has beside __iter__ and __next__.
typedef struct IteratorForm {
    const char *name;
    IteratorReduceFn reduce;                        // NULL: it cannot be copied
    IteratorStateFn state;                          // NULL: no __setstate__
    enum { HINT = 1, GENERIC = 2, COPY = 4 } flags; // what else
} IteratorForm;

#define TOOL(id, state)                                                        \
    {                                                                          \
        "itertools." #id, itertools_reduce_##id, state, 0                      \
    }
static const IteratorForm forms[] = {
    {"list_iterator", reduce_list, state_walk, HINT},
    {"tuple_iterator", reduce_walk, state_walk, HINT},
    {"bytes_iterator", reduce_walk, state_walk, HINT},
    {"str_iterator", reduce_str, state_walk, HINT},
    {"str_ascii_iterator", reduce_str, state_walk, HINT},
    {"iterator", reduce_walk, state_sequence, HINT},
    {"range_iterator", range_reduce_iterator, range_state_iterator, HINT},
    {"longrange_iterator", range_reduce_iterator, range_state_iterator, HINT},
    {"list_reverseiterator", reduce_reversed, state_reversed, HINT},
    {"reversed", reduce_reversed, state_reversed, HINT},
    {"dict_keyiterator", reduce_rest, NULL, HINT},
    {"dict_valueiterator", reduce_rest, NULL, HINT},
    {"dict_itemiterator", reduce_rest, NULL, HINT},
    {"dict_reversekeyiterator", reduce_rest, NULL, HINT},
    {"dict_reversevalueiterator", reduce_rest, NULL, HINT},
    {"dict_reverseitemiterator", reduce_rest, NULL, HINT},
    {"odict_iterator", reduce_rest, NULL, 0},
    {"set_iterator", reduce_rest, NULL, HINT},
    {"_collections._deque_iterator", reduce_deque, NULL, HINT},
    {"_collections._deque_reverse_iterator", reduce_deque, NULL, HINT},
    {"callable_iterator", reduce_callable, NULL, 0},
    {"enumerate", reduce_enumerate, NULL, GENERIC},
    {"filter", reduce_filter, NULL, 0},
    {"map", reduce_map, NULL, 0},
    {"zip", reduce_zip, state_zip, 0},
    TOOL(accumulate, itertools_state_accumulate),
    {"itertools.chain", itertools_reduce_chain, itertools_state_chain, GENERIC},
    TOOL(combinations, itertools_state_combinations),
    {"itertools.combinations_with_replacement", itertools_reduce_combinations,
     itertools_state_combinations, 0},
    TOOL(compress, NULL),
    TOOL(count, NULL),
    TOOL(cycle, itertools_state_cycle),
    TOOL(dropwhile, itertools_state_dropwhile),
    {"itertools.filterfalse", itertools_reduce_starmap, NULL, 0},
    TOOL(islice, itertools_state_islice),
    TOOL(permutations, itertools_state_permutations),
    TOOL(product, itertools_state_product),
    {"itertools.repeat", itertools_reduce_repeat, NULL, HINT},
    TOOL(starmap, NULL),
    {"itertools.takewhile", itertools_reduce_dropwhile,
     itertools_state_dropwhile, 0},
    TOOL(zip_longest, itertools_state_zip_longest),
    {"itertools._tee", NULL, NULL, COPY},
};
#undef TOOL

// The form of an iterator's class; NULL: one of no such name.
static const IteratorForm *form_of(Type *cls)
{
    const char *name = type_name(type_native(cls));
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

static Value method_reduce(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Iterator *self = (Iterator *)value_object(args[0]);
    return form_of(self->head.type)->reduce(vm, self);
}

static Value method_setstate(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Iterator *self = (Iterator *)value_object(args[0]);
    return form_of(self->head.type)->state(vm, self, args[1]) ? VALUE_NONE
                                                              : VALUE_FAIL;
}

// Copies of a tee go on by themselves: they share what was read.
static Value method_copy(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Iterator *copy = copy_of(vm, (Iterator *)value_object(args[0]));
    return copy == NULL ? VALUE_FAIL : value_from_object(copy);
}

// A method of a class, which is taken by its dict. False: failed.
static bool add_method(Vm *vm, Type *cls, const NativeDef *def)
{
    Native *native = native_new(vm, def, cls);
    return native != NULL &&
           module_add(vm, cls->dict, def->name, value_from_object(native));
}

bool iterator_add_methods(Vm *vm, Type *cls)
{
    static const NativeDef reduce = {"__reduce__", "self, /", method_reduce,
                                     "What makes it again, as far as it is."};
    static const NativeDef setstate = {"__setstate__", "self, state, /",
                                       method_setstate,
                                       "Go to where another one was."};
    static const NativeDef hint = {"__length_hint__", "self, /",
                                   iterator_length_hint,
                                   "How many items are left, about."};
    static const NativeDef copy = {"__copy__", "self, /", method_copy,
                                   "Another one at the same place."};
    const IteratorForm *form = form_of(cls);
    return form == NULL ||
           ((form->reduce == NULL || add_method(vm, cls, &reduce)) &&
            (form->state == NULL || add_method(vm, cls, &setstate)) &&
            (!(form->flags & HINT) || add_method(vm, cls, &hint)) &&
            (!(form->flags & COPY) || add_method(vm, cls, &copy)) &&
            (!(form->flags & GENERIC) ||
             class_add_class_methods(vm, cls, generic_class_methods)));
}
