// The object of all built-in iterators. Those whose class can be called (map,
// itertools.chain …) can be extended by classes of the program; iter_make.c
// has the steps of the built-in ones.
//
// Invariant: state[] holds valid Values; an exhausted iterator sets state[0]
// to UNBOUND, so that it lets its source go and stays exhausted.
#include "interp/objects/iterators/obj_iter.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/code/code.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"

// One layout serves all; the types differ in name only and are made on first
// use (type_variant). The state is the caller's to fill.
Iterator *iterator_new(Vm *vm, const TypeDef *def, const char *name,
                       IteratorFn step)
{
    Type *cls = type_variant(vm, def, name);
    Iterator *self = cls == NULL ? NULL : object_new(vm, cls, sizeof *self);
    if (self != NULL) {
        self->step = step;
        for (int i = 0; i < 4; i++) {
            self->state[i] = VALUE_UNBOUND;
        }
        self->position = self->expected = 0;
        self->hint = 0;
    }
    return self;
}

Value iterator_over(Vm *vm, const TypeDef *def, const char *name,
                    IteratorFn step, Value iterable, Value first, Value second)
{
    Value source = value_iter(vm, iterable);
    Iterator *self =
        value_failed(source) ? NULL : iterator_new(vm, def, name, step);
    if (self == NULL) {
        release(vm, source);
        return VALUE_FAIL;
    }
    self->state[0] = source;
    self->state[1] = value_retain(first);
    self->state[2] = value_retain(second);
    return value_from_object(self);
}

// States that the step function does not use are UNBOUND.
static void iterator_destroy(Vm *vm, Object *object)
{
    Iterator *self = (Iterator *)object;
    for (int i = 0; i < 4; i++) {
        release(vm, self->state[i]);
    }
    object_free(vm, self, sizeof *self);
}

static void iterator_visit(Object *self, void (*visit)(Object *, void *),
                           void *data)
{
    values_visit(((Iterator *)self)->state, 4, visit, data);
}

// state[0] UNBOUND reads as exhausted, so that a step after this is safe.
static void iterator_clear(Vm *vm, Object *object)
{
    Iterator *self = (Iterator *)object;
    for (int i = 0; i < 4; i++) {
        value_replace(&vm->ctx, &self->state[i], VALUE_UNBOUND);
    }
}

static Value iterator_repr(Vm *vm, Value self)
{
    const Type *cls = type_of(vm, self);
    if (cls->flags & TYPE_HEAP) {
        return vm->object_type->slots.repr(vm, self);
    }
    return value_or_fail(str_printf(vm, "<%s object at %p>", type_name(cls),
                                    (void *)value_object(self)));
}

static Value iterator_iter(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(self);
}

static Value iterator_next(Vm *vm, Value self)
{
    Iterator *iterator = (Iterator *)value_object(self);
    return note_step(vm, iterator) ? iterator->step(vm, iterator) : VALUE_FAIL;
}

// Whether the function that makes the iterator takes any keyword.
static bool maker_takes_keywords(Vm *vm, Native *maker, bool *takes)
{
    if (!(maker->flags & NATIVE_READ) && !native_read_params(vm, maker)) {
        return false;
    }
    *takes = false;
    for (uint16_t i = 0; i < maker->param_count; i++) {
        uint8_t kind = maker->params[i].kind;
        *takes =
            *takes || (kind != PARAM_POSITIONAL_ONLY && kind != PARAM_VARARGS);
    }
    return true;
}

// `keywords`, or NULL where a class of the program is to get them in its own
// __init__. False: failed.
static bool maker_keywords(Vm *vm, const Type *cls, const Type *native,
                           Dict **keywords)
{
    bool takes = true;
    if (cls == native || *keywords == NULL) {
        return true;
    }
    if (!maker_takes_keywords(vm, (Native *)native->maker, &takes)) {
        return false;
    }
    if (!takes && cls->slots.init != native->slots.init) {
        *keywords = NULL;
    }
    return true;
}

// An instance of cls with the state of `made`, which is taken. What is of
// another type than the one that cls extends is given back as it is: reversed()
// of a list.
static Value adopt(Vm *vm, Type *cls, const Type *native, Value made)
{
    if (value_failed(made) || !value_is_object(made) ||
        value_object(made)->type != native) {
        return made;
    }
    Iterator *from = (Iterator *)value_object(made);
    Iterator *self = object_new(vm, cls, sizeof *self);
    if (self != NULL) {
        self->step = from->step;
        self->position = from->position;
        self->expected = from->expected;
        self->hint = from->hint;
        for (int i = 0; i < 4; i++) {
            self->state[i] = from->state[i];
            from->state[i] = VALUE_UNBOUND;
        }
    }
    release(vm, made);
    return value_or_fail(self);
}

// Those with a function of their name (map, zip …) are made by that; an
// instance of a class of the program then takes over what was made.
static Value iterator_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    Type *native = type_native(cls);
    if (native->maker == NULL) {
        return raise_error(vm, ERR_TYPE, "cannot create '%s' instances",
                           type_name(cls));
    }
    if (!maker_keywords(vm, cls, native, &keywords)) {
        return VALUE_FAIL;
    }
    Value made =
        vm_call_dict(vm, value_from_object(native->maker), args, keywords);
    return cls == native ? made : adopt(vm, cls, native, made);
}

void iterator_set_maker(Vm *vm, Type *cls, void *maker)
{
    if (cls->maker == NULL) {
        cls->maker = maker;
        cls->flags &= ~(uint32_t)TYPE_FINAL;
    } else {
        object_release(&vm->ctx, maker);
    }
}

// How many items are left, where that is known without walking them.
static Value iterator_length_hint(Vm *vm, Value *args)
{
    Iterator *self = (Iterator *)value_object(args[0]);
    Value source = self->state[0];
    if (self->hint == HINT_REPEAT) {
        return self->expected
                   ? value_from_small((int64_t)self->position)
                   : raise_error(vm, ERR_TYPE, "len() of unsized object");
    }
    if (self->hint == HINT_RANGE) {
        return self->position < INT64_MAX
                   ? int_from_u64(vm, self->position)
                   : raise_error(vm, ERR_OVERFLOW,
                                 "Python int too large to convert to C "
                                 "ssize_t");
    }
    // What is exhausted has let its source go.
    if (!value_is_object(source)) {
        return value_from_small(0);
    }
    const Type *type = type_of(vm, source);
    bool asks = self->hint & HINT_ASKS;
    if ((asks ? &type->slots : &type->def->slots)->length == NULL) {
        return VALUE_NOT_IMPLEMENTED;
    }
    int64_t length =
        asks ? value_length(vm, source) : type->def->slots.length(vm, source);
    if (length < 0) {
        return VALUE_FAIL;
    }
    // Iterators over sequences count there what they have given: most count
    // items, those over texts bytes.
    int64_t passed =
        (int64_t)(value_is_str(source)
                      ? str_index_of(vm, value_as_str(source), self->position)
                      : self->position);
    // Of hashed containers `expected` tells, whose size may not change.
    if (value_is_kind(source, KIND_DICT) || value_is_kind(source, KIND_SET) ||
        value_is_kind(source, KIND_FROZENSET)) {
        return value_from_small((uint32_t)self->expected == (uint64_t)length
                                    ? length - (int64_t)(self->expected >> 32)
                                    : 0);
    }
    if (self->hint & HINT_DOWN) {
        return value_from_small(passed <= length ? passed : 0);
    }
    return value_from_small(passed < length ? length - passed : 0);
}

static const NativeDef hint_methods[] = {{"__length_hint__", "self, /",
                                          iterator_length_hint,
                                          "How many items are left, about."},
                                         {0}};

// The descriptors of all of them; type_variant gives each its own name.
#define ITERATOR_TYPE(...)                                                     \
    {                                                                          \
        .name = "iterator", .doc = "What iter() of a built-in object gives.",  \
        .kind = KIND_ITERATOR, .size = sizeof(Iterator),                       \
        .flags = TYPE_TRACKED | TYPE_FINAL | TYPE_GENERIC,                     \
        .slots = {.destroy = iterator_destroy,                                 \
                  .visit = iterator_visit,                                     \
                  .clear = iterator_clear,                                     \
                  .make = iterator_make,                                       \
                  .repr = iterator_repr,                                       \
                  .iter = iterator_iter,                                       \
                  .next = iterator_next},                                      \
        __VA_ARGS__                                                            \
    }
const TypeDef iterator_plain_def = ITERATOR_TYPE(.methods = NULL);
const TypeDef iterator_counted_def = ITERATOR_TYPE(.methods = hint_methods);
const TypeDef iterator_generic_def =
    ITERATOR_TYPE(.class_methods = generic_class_methods);

// Empties a result that nobody else holds. What it held may be an object that
// has the result in its hands by a finaliser: those run later.
static void empty_result(Vm *vm, Tuple *result)
{
    for (size_t i = 0; i < result->count; i++) {
        value_replace(&vm->ctx, &result->items[i], VALUE_UNBOUND);
    }
}

// A loop that takes the tuple apart gives it back at once, so the one made
// first serves again: state[3] holds it. One that was kept by somebody stays
// theirs, and from then on each result is a new one. A tuple carries the trace
// it was born in, so while one runs all are new. What it held is still there.
Tuple *iterator_reuse(Vm *vm, Iterator *self, size_t count)
{
    Value kept = self->state[3];
    if (LIKELY(!value_unbound(kept))) {
        Tuple *result = value_as_tuple(kept);
        // Somebody holds it, it has another length, or a trace would be told of
        // it.
        if (result->head.rc != 1 || result->count != count ||
            vm->trace != NULL || result->head.flags != OBJECT_TRACKED ||
            result->head.birth != 0) {
            return tuple_new(vm, count);
        }
        return object_retain(result);
    }
    Tuple *result = tuple_new(vm, count);
    if (result != NULL && vm->trace == NULL && count != 0) {
        self->state[3] = value_from_object(object_retain(result));
    }
    return result;
}

// Those who fill it by themselves find it empty.
Tuple *iterator_result(Vm *vm, Iterator *self, size_t count)
{
    Tuple *result = iterator_reuse(vm, self, count);
    if (result != NULL) {
        empty_result(vm, result);
    }
    return result;
}

// Stored before what stood there is released, as everywhere.
Value iterator_pair(Vm *vm, Iterator *self, Value first, Value second)
{
    Tuple *pair = iterator_reuse(vm, self, 2);
    if (UNLIKELY(pair == NULL)) {
        release(vm, first);
        release(vm, second);
        return VALUE_FAIL;
    }
    value_replace(&vm->ctx, &pair->items[0], first);
    value_replace(&vm->ctx, &pair->items[1], second);
    return value_from_object(pair);
}
