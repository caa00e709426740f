// Iteration: making iterators, asking them for the next item, StopIteration.
//
// Invariant: within C the end of an iteration is VALUE_STOP; a StopIteration
// exists only where the program sees it.
#include "interp/objects/protocol/protocol.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/iterators/obj_generator.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/objects/numbers/obj_int.h"

// The next item of an object that has __getitem__ alone.
static Value sequence_step(Vm *vm, Iterator *self)
{
    if (value_unbound(self->state[0])) {
        return VALUE_STOP;
    }
    Value item = value_get_item(vm, self->state[0],
                                value_from_small((int64_t)self->position++));
    if (!value_failed(item) || !(raise_matches(vm, ERR_INDEX) ||
                                 raise_matches(vm, ERR_STOP_ITERATION))) {
        return item;
    }
    raise_clear(vm);
    value_replace(&vm->ctx, &self->state[0], VALUE_UNBOUND);
    return VALUE_STOP;
}

// The old protocol, __getitem__ from 0 up to an IndexError, is for classes of
// the program alone: built-in types with items say how they iterate. The slot's
// result is an iterator: a class of the program checks it in user_iter.
Value value_iter(Vm *vm, Value iterable)
{
    Type *type = type_of(vm, iterable);
    if (type->slots.iter != NULL) {
        return type->slots.iter(vm, iterable);
    }
    if (type->slots.get_item != NULL && (type->flags & TYPE_HEAP)) {
        Iterator *iterator =
            iterator_new(vm, &iterator_counted_def, "iterator", sequence_step);
        if (iterator == NULL) {
            return VALUE_FAIL;
        }
        iterator->state[0] = value_retain(iterable);
        iterator->hint = HINT_ASKS;
        return value_from_object(iterator);
    }
    return raise_error(vm, ERR_TYPE, "'%s' object is not iterable",
                       type_name(type));
}

// Without a handler around it, the first error is nobody's context.
Value value_iter_told(Vm *vm, Value iterable, const char *words)
{
    Value iterator = value_iter(vm, iterable);
    if (value_failed(iterator) && raise_is_type_error(vm)) {
        raise_clear(vm);
        const char *name = type_name(type_of(vm, iterable));
        const char *gap = strstr(words, "%s");
        int before = gap == NULL ? (int)strlen(words) : (int)(gap - words);
        return raise_error(vm, ERR_TYPE, "%.*s%s%s", before, words,
                           gap == NULL ? "" : name, gap == NULL ? "" : gap + 2);
    }
    return iterator;
}

// map(f, map(f, map(…))) nests steps as deep as the program likes. Only
// built-in iterators nest in this way; a generator has a frame of its own.
static inline Value step(Vm *vm, Iterator *self)
{
    if (!note_step(vm, self) || !ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    Value item = self->step(vm, self);
    ctx_leave(&vm->ctx);
    return item;
}

// The two kinds that loops meet most are called directly. VALUE_STOP instead of
// a StopIteration saves making an exception at the end of each loop.
Value value_next(Vm *vm, Value iterator)
{
    if (value_is_kind(iterator, KIND_GENERATOR)) {
        return generator_send(vm, (Generator *)value_object(iterator),
                              VALUE_NONE);
    }
    if (iterator_is_plain(iterator)) {
        Value item = step(vm, (Iterator *)value_object(iterator));
        // A StopIteration of the function of map() or filter() ends them.
        if (UNLIKELY(value_failed(item)) &&
            raise_matches(vm, ERR_STOP_ITERATION)) {
            raise_clear(vm);
            return VALUE_STOP;
        }
        return item;
    }
    Type *type = type_of(vm, iterator);
    if (type->slots.next == NULL) {
        return raise_error(vm, ERR_TYPE, "'%s' object is not an iterator",
                           type_name(type));
    }
    // One of a class of the program is changed by its own method.
    if (!(type->flags & TYPE_HEAP) && !note_step(vm, value_object(iterator))) {
        return VALUE_FAIL;
    }
    return type->slots.next(vm, iterator);
}

// StopIteration without a value has no argument, so that its args are ().
Value value_raise_stop(Vm *vm, Value iterator)
{
    Value result = value_is_kind(iterator, KIND_GENERATOR)
                       ? generator_result((Generator *)value_object(iterator))
                       : VALUE_NONE;
    Value cls = value_from_object(vm->error_types[ERR_STOP_ITERATION]);
    Value made = vm_call(vm, cls, &result, value_is_none(result) ? 0 : 1);
    release(vm, result);
    return value_failed(made) ? made : raise_object(vm, made);
}

// Where the program itself sees the StopIteration.
Value value_next_or_raise(Vm *vm, Value iterator)
{
    Type *type = type_of(vm, iterator);
    if (type->flags & TYPE_HEAP) {
        Value method = value_find_method(vm, iterator, vm->names[NAME_NEXT]);
        if (value_failed(method) || !value_unbound(method)) {
            Value item =
                value_failed(method) ? method : vm_call(vm, method, NULL, 0);
            release(vm, method);
            return item;
        }
    }
    // A StopIteration of map()'s function keeps its value.
    Value item = iterator_is_plain(iterator)
                     ? step(vm, (Iterator *)value_object(iterator))
                     : value_next(vm, iterator);
    return value_same(item, VALUE_STOP) ? value_raise_stop(vm, iterator) : item;
}

// For `yield from` and its like, where the value is the result. Of a subclass
// of StopIteration too.
bool value_take_stop(Vm *vm, Value *result)
{
    if (!raise_matches(vm, ERR_STOP_ITERATION)) {
        return false;
    }
    Value stop = raise_take(vm);
    *result = VALUE_NONE;
    if (value_is_kind(stop, KIND_EXCEPTION)) {
        const Tuple *args = value_as_exception(stop)->args;
        if (args != NULL && args->count > 0) {
            *result = value_retain(args->items[0]);
        }
    }
    release(vm, stop);
    return true;
}

// An exact tuple is returned as it is and a list copied at once; all else goes
// through a list, since its length is not known. A subclass of tuple is copied:
// its class may have another __iter__, and the result must be plain.
Tuple *value_to_tuple(Vm *vm, Value iterable)
{
    if (value_is_kind(iterable, KIND_TUPLE) &&
        value_object(iterable)->type == vm->types[KIND_TUPLE]) {
        return object_retain(value_object(iterable));
    }
    // A subclass of either may have an __iter__ of its own.
    if (value_is_object(iterable) &&
        value_object(iterable)->type == vm->types[KIND_LIST]) {
        List *list = value_as_list(iterable);
        return tuple_from(vm, list->items, list->count);
    }
    List *list = list_new(vm, 0);
    Tuple *tuple = NULL;
    if (list != NULL && list_extend(vm, list, iterable)) {
        tuple = tuple_from(vm, list->items, list->count);
    }
    object_release_null(&vm->ctx, list);
    return tuple;
}

Tuple *value_to_items(Vm *vm, Value iterable, const char *words)
{
    if (value_is_object(iterable) &&
        (value_object(iterable)->type == vm->types[KIND_LIST] ||
         value_object(iterable)->type == vm->types[KIND_TUPLE])) {
        return value_to_tuple(vm, iterable);
    }
    Value iterator = value_iter_told(vm, iterable, words);
    if (value_failed(iterator)) {
        return NULL;
    }
    Tuple *items = value_to_tuple(vm, iterator);
    release(vm, iterator);
    return items;
}

bool value_length_hint(Vm *vm, Value v, int64_t otherwise, int64_t *out)
{
    *out = otherwise;
    if (type_of(vm, v)->slots.length != NULL) {
        int64_t length = value_length(vm, v);
        if (length >= 0) {
            *out = length;
            return true;
        }
        if (!raise_matches(vm, ERR_TYPE)) {
            return false;
        }
        raise_clear(vm);
    }
    Value method = value_find_method(vm, v, vm->names[NAME_LENGTH_HINT]);
    if (value_unbound(method) || value_failed(method)) {
        return value_unbound(method);
    }
    Value hint = vm_call(vm, method, NULL, 0);
    release(vm, method);
    if (value_failed(hint)) {
        bool none = raise_matches(vm, ERR_TYPE);
        if (none) {
            raise_clear(vm);
        }
        return none;
    }
    bool ok = true;
    if (!value_same(hint, VALUE_NOT_IMPLEMENTED)) {
        ok = value_is_integer(hint) || value_is_bool(hint)
                 ? value_to_index(vm, hint, out)
                 : raise_false(vm, ERR_TYPE,
                               "__length_hint__ must be an integer, not %s",
                               type_name(type_of(vm, hint)));
    }
    release(vm, hint);
    return ok &&
           (*out >= 0 ||
            raise_false(vm, ERR_VALUE, "__length_hint__() should return >= 0"));
}

bool value_ask_length(Vm *vm, Value iterable)
{
    int64_t hint;
    Value asked = iterable;
    if (value_is_kind(iterable, KIND_ITERATOR)) {
        const Iterator *iterator = (Iterator *)value_object(iterable);
        asked = iterator->hint & HINT_ASKS ? iterator->state[0] : iterable;
    }
    return !value_is_object(asked) ||
           (value_object(asked)->type->flags & TYPE_HEAP) == 0 ||
           value_length_hint(vm, iterable, 0, &hint);
}
