// Fast halves of instructions: what the dispatch loop tries before it calls a
// slow path.
//
// Each returns true and has done all of its work, or returns false and has
// done none: the slow path then begins from the same state. None of them can
// fail, run Duet code (but for finalisers of what an instruction releases), or
// be right inside a trace: whoever reads a container asks fast_quiet first.
#ifndef DUET_INTERP_MACHINE_VM_VM_FAST_H
#define DUET_INTERP_MACHINE_VM_VM_FAST_H

#include <math.h>

#include "interp/hooks/tracing.h"
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/text/obj_str.h"

// No trace runs, so that reads need not be noted.
ALWAYS_INLINE bool fast_quiet(const Vm *vm)
{
    return LIKELY(vm->trace == NULL);
}

// `object` may be changed without telling anybody (note.h).
ALWAYS_INLINE bool fast_storable(const Vm *vm, const Object *object)
{
    return LIKELY(!(object->flags & OBJECT_WATCHED)) && fast_quiet(vm);
}

// v is an object of exactly the built-in type of this kind: a subclass may
// have methods of its own.
ALWAYS_INLINE bool fast_is_exact(const Vm *vm, Value v, Kind kind)
{
    return value_is_object(v) && value_object(v)->type == vm->types[kind];
}

// Ints below it are exact as floats, so that their quotient is rounded once.
// 2 to the 53rd power.
#define FAST_EXACT_INT 9007199254740992.0

// A number that needs no box as a C double; false: it is none. An int rounds
// as Python's float(int) does.
ALWAYS_INLINE bool fast_double(Value v, double *d)
{
    if (value_is_immediate_float(v)) {
        *d = value_immediate_float(v);
        return true;
    }
    *d = (double)value_small(v);
    return value_is_int(v);
}

// The index of an item of `count`, counted from the end if it is negative.
// False: out of range; *index is of no use then.
ALWAYS_INLINE bool fast_index(Value key, size_t count, size_t *index)
{
    int64_t i = value_small(key);
    i += i < 0 ? (int64_t)count : 0;
    *index = (size_t)i;
    return LIKELY((uint64_t)i < count);
}

// The place of container[key] in a list, a tuple or a dense dict, NULL: ask
// the slow path. To be read before anything else runs.
// A dense dict has the keys 0, 1, 2 and so on at these places, so no hash is
// needed.
ALWAYS_INLINE const Value *fast_item(const Vm *vm, Value container, Value key)
{
    size_t index;
    if (!value_is_int(key) || !fast_quiet(vm)) {
        return NULL;
    }
    if (LIKELY(fast_is_exact(vm, container, KIND_LIST))) {
        const List *list = value_as_list(container);
        return fast_index(key, list->count, &index) ? &list->items[index]
                                                    : NULL;
    }
    if (fast_is_exact(vm, container, KIND_DICT)) {
        const Dict *dict = value_as_dict(container);
        index = (size_t)value_small(key);
        return dict->dense && index < dict->used &&
                       value_same(dict->entries[index].key, key)
                   ? &dict->entries[index].value
                   : NULL;
    }
    if (fast_is_exact(vm, container, KIND_TUPLE)) {
        const Tuple *tuple = value_as_tuple(container);
        return fast_index(key, tuple->count, &index) ? &tuple->items[index]
                                                     : NULL;
    }
    return NULL;
}

// container[key] of a dict whose look-up runs no code of the program; NULL:
// absent, or not known here.
ALWAYS_INLINE const DictEntry *fast_entry(const Vm *vm, Value container,
                                          Value key)
{
    return fast_is_exact(vm, container, KIND_DICT) && fast_quiet(vm)
               ? dict_find_simple(value_as_dict(container), key)
               : NULL;
}

// A dense dict takes the next int in turn, where it has room: true.
// The count of `item` moves into the dict.
ALWAYS_INLINE bool fast_dense_append(Dict *dict, Value key, Value item)
{
    uint32_t number = dict->used;
    if (!dict->dense || number >= dict->capacity ||
        !value_same(key, value_from_small(number))) {
        return false;
    }
    dict->entries[number] =
        (DictEntry){.hash = number, .key = key, .value = item};
    dict->used++;
    dict->count++;
    dict->version++;
    return true;
}

// The place of container[key] for a store. Of a dict that has not got the key
// yet a new one, which holds nothing.
// NULL: ask the slow path. Tuples are not among these.
ALWAYS_INLINE Value *fast_item_place(const Vm *vm, Value container, Value key)
{
    size_t index;
    if (!value_is_int(key) || !value_is_object(container) ||
        !fast_storable(vm, value_object(container))) {
        return NULL;
    }
    if (LIKELY(value_object(container)->type == vm->types[KIND_LIST])) {
        List *list = value_as_list(container);
        return fast_index(key, list->count, &index) ? &list->items[index]
                                                    : NULL;
    }
    if (value_object(container)->type == vm->types[KIND_DICT]) {
        Dict *dict = value_as_dict(container);
        index = (size_t)value_small(key);
        if (dict->dense && index < dict->used &&
            value_same(dict->entries[index].key, key)) {
            return &dict->entries[index].value;
        }
        return fast_dense_append(dict, key, VALUE_UNBOUND)
                   ? &dict->entries[index].value
                   : NULL;
    }
    return NULL;
}

// The items of a tuple or list of just so many, NULL: of neither. They stand
// while registers are written: finalisers wait until the instruction is over.
ALWAYS_INLINE const Value *fast_items(const Vm *vm, Value source,
                                      uint32_t count)
{
    if (LIKELY(fast_is_exact(vm, source, KIND_TUPLE))) {
        const Tuple *tuple = value_as_tuple(source);
        return tuple->count == count ? tuple->items : NULL;
    }
    if (fast_is_exact(vm, source, KIND_LIST) && fast_quiet(vm)) {
        const List *list = value_as_list(source);
        return list->count == count ? list->items : NULL;
    }
    return NULL;
}

// The slot that a GETATTR cache names, if it is self's.
ALWAYS_INLINE const Value *fast_attr(const Vm *vm, Value self,
                                     const AttrCache *cache)
{
    if (value_is_kind(self, KIND_INSTANCE) && fast_quiet(vm)) {
        const Instance *instance = (const Instance *)value_object(self);
        if (LIKELY(instance->shape == cache->shape &&
                   cache->epoch == (uint32_t)vm->epoch &&
                   cache->shape != NULL)) {
            const Value *place = &instance->slots[cache->slot];
            // One of __slots__ need not be set.
            return LIKELY(!value_unbound(*place)) ? place : NULL;
        }
    }
    return NULL;
}

// The slot that a SETATTR cache names, after the instance has got the shape
// that it will have; the slot then holds the old value or UNBOUND.
ALWAYS_INLINE Value *fast_attr_place(const Vm *vm, Value self,
                                     const StoreCache *cache)
{
    if (!value_is_kind(self, KIND_INSTANCE)) {
        return NULL;
    }
    Instance *instance = (Instance *)value_object(self);
    if (instance->shape != cache->before || cache->before == NULL ||
        cache->epoch != (uint32_t)vm->epoch ||
        cache->slot >= instance->slot_capacity ||
        !fast_storable(vm, &instance->head)) {
        return NULL;
    }
    instance->shape = cache->after;
    return &instance->slots[cache->slot];
}

// The method that a LOADM cache names for self, NULL: ask the slow path.
ALWAYS_INLINE Object *fast_method(const Vm *vm, Value self,
                                  const MethodCache *cache)
{
    if (!value_is_object(self)) {
        return NULL;
    }
    const Object *object = value_object(self);
    const void *key = LIKELY(object->kind == KIND_INSTANCE)
                          ? ((const Instance *)object)->shape
                          : attr_object_key(value_object(self));
    return LIKELY(key == cache->key && cache->epoch == vm->epoch &&
                  key != NULL && fast_quiet(vm))
               ? cache->function
               : NULL;
}

// Whether two bound values are known to be one or not; what stands for another
// is asked, with the place at hand.
ALWAYS_INLINE bool fast_identity(Value a, Value b, bool *same)
{
    *same = value_same(a, b);
    return !value_unbound(a) && !value_unbound(b) &&
           (*same || !(value_stands_in(a) || value_stands_in(b)));
}

// An identity, or a comparison of two numbers of the same immediate kind.
// Ints are compared by value_rank, which has their order and needs no decoding.
ALWAYS_INLINE bool fast_compare(CompareOp op, Value a, Value b, Value *result)
{
    bool less, equal;
    if (op == COMPARE_IS || op == COMPARE_IS_NOT) {
        bool known = fast_identity(a, b, &equal);
        *result = value_from_bool(equal == (op == COMPARE_IS));
        return known;
    }
    if (value_both_ints(a, b)) {
        less = value_rank(a) < value_rank(b);
        equal = value_same(a, b);
    } else if (value_both_immediate_floats(a, b)) {
        // Immediate floats are never NaN, so that three cases are all.
        less = value_immediate_float(a) < value_immediate_float(b);
        equal = value_immediate_float(a) == value_immediate_float(b);
    } else {
        return false;
    }
    // Six cases from two flags, so that ints and floats share them.
    switch (op) {
    case COMPARE_LT: *result = value_from_bool(less); return true;
    case COMPARE_LE: *result = value_from_bool(less || equal); return true;
    case COMPARE_EQ: *result = value_from_bool(equal); return true;
    case COMPARE_NE: *result = value_from_bool(!equal); return true;
    case COMPARE_GT: *result = value_from_bool(!less && !equal); return true;
    case COMPARE_GE: *result = value_from_bool(!less); return true;
    default: return false;
    }
}

// -v of an ordinary number, `not v` of a bool.
ALWAYS_INLINE bool fast_unary(UnaryOp op, Value v, Value *result)
{
    if (op == UNARY_NOT && value_is_bool(v)) {
        *result = value_from_bool(value_same(v, VALUE_FALSE));
        return true;
    }
    // The least immediate int has no immediate negation: that overflow says
    // false.
    if (op == UNARY_NEG && value_is_int(v)) {
        return value_sub_small(value_from_small(0), v, result);
    }
    if (op == UNARY_NEG && value_is_immediate_float(v)) {
        *result = value_try_float(-value_immediate_float(v));
        return !value_unbound(*result);
    }
    return false;
}

// list takes v (its count goes along) if there is room.
// False: v is still the caller's.
ALWAYS_INLINE bool fast_append(const Vm *vm, Value container, Value v)
{
    List *list = value_as_list(container);
    if (UNLIKELY(list->count >= list->capacity) ||
        !fast_storable(vm, &list->head)) {
        return false;
    }
    list->items[list->count++] = v;
    return true;
}

// The next item of a list, tuple or str that a loop walks in place: state is
// (container, index). The length is read at each step: a list may grow or
// shrink during the loop.
// *item is counted. False: at the end, or not walked so.
ALWAYS_INLINE bool fast_next(const Vm *vm, Value *state, Value *item)
{
    size_t index = (size_t)value_small(state[1]);
    if (fast_is_exact(vm, state[0], KIND_LIST)) {
        const List *list = value_as_list(state[0]);
        if (index >= list->count) {
            return false;
        }
        *item = value_retain(list->items[index]);
    } else if (fast_is_exact(vm, state[0], KIND_TUPLE)) {
        const Tuple *tuple = value_as_tuple(state[0]);
        if (index >= tuple->count) {
            return false;
        }
        *item = value_retain(tuple->items[index]);
    } else if (fast_is_exact(vm, state[0], KIND_STR)) {
        // ASCII alone is walked so (vm_for.c).
        const Str *text = value_as_str(state[0]);
        if (index >= text->length) {
            return false;
        }
        *item = value_retain(value_from_object(
            vm->char_strs[(unsigned char)text->text[index] & 127]));
    } else {
        return false;
    }
    state[1] = value_from_small((int64_t)index + 1);
    return true;
}

#endif
