// partial: a call with some of its arguments given already.
//
// A call lays the arguments out in one window and hands that over: those of
// the partial, those of the call, then the keywords. Invariant: all fields but
// `names` are set from the beginning; `names` are the keys of `keywords` while
// that dict's version is names_version, since programs may change the dict.
#include "modules/native/functools.h"

#include "interp/machine/vm/vm_run.h"
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

enum { PARTIAL_INLINE_ARGS = 12 }; // windows up to this stand on the C stack

typedef struct Partial {
    Object head;
    Value func;     // counted, as all below
    Tuple *args;    // go in front of the call's
    Dict *keywords; // a call's own replace those of the same name
    Tuple *names;   // NULL: not asked for yet
    uint64_t names_version;
} Partial;

// The caller knows that it is one. Of the type or one that derives from it.
static Partial *as_partial(Value v)
{
    return (Partial *)value_object(v);
}

// The keys of the keywords, owned. NULL: failed. They are kept with the version
// of the dict, as most partials never change.
// Keys of a dict that a program filled need not be strs, hence the check at the
// call.
static Tuple *partial_names(Vm *vm, Partial *self)
{
    Dict *keywords = self->keywords;
    if (self->names != NULL && self->names_version == keywords->version) {
        return object_retain(self->names);
    }
    Tuple *names = tuple_new(vm, keywords->count);
    uint32_t position = 0;
    Value key, value;
    for (size_t i = 0;
         names != NULL && dict_next(keywords, &position, &key, &value); i++) {
        if (!value_is_str(key)) {
            object_release(&vm->ctx, names);
            return raise_null(vm, ERR_TYPE, "keywords must be strings");
        }
        names->items[i] = value_retain(key);
    }
    if (names != NULL) {
        object_release_null(&vm->ctx, self->names);
        self->names = object_retain(names);
        self->names_version = keywords->version;
    }
    return names;
}

// The place of this name among the first `count`; `count`: it is not there. Few
// keywords: searched in turn.
static size_t find_name(const Tuple *names, size_t count, const Str *name)
{
    size_t at = 0;
    while (at < count && !str_equal(value_as_str(names->items[at]), name)) {
        at++;
    }
    return at;
}

// Lays the call's keywords over those that stand in window[0 ..) already and
// belong to `own`: the names of all, whose values then stand there. NULL:
// failed.
// A name that both have keeps the partial's place and takes the call's value,
// as a dict update would.
static Tuple *merge_names(Vm *vm, const Tuple *own, const Tuple *names,
                          Value *window, const Value *values)
{
    size_t count = own->count, total = own->count;
    for (size_t i = 0; i < names->count; i++) {
        total += find_name(own, count, value_as_str(names->items[i])) == count;
    }
    Tuple *all = tuple_new(vm, total);
    if (all == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        all->items[i] = value_retain(own->items[i]);
    }
    size_t next = count;
    for (size_t i = 0; i < names->count; i++) {
        size_t at = find_name(own, count, value_as_str(names->items[i]));
        if (at == count) {
            at = next++;
            all->items[at] = value_retain(names->items[i]);
        }
        // What stood in the window is released only after the new value is
        // there.
        value_replace(&vm->ctx, &window[at], value_retain(values[i]));
    }
    return all;
}

// Fills window[0 ..) with counted references; the names of the last ones go
// to *names, owned. What is not filled is UNBOUND. False: failed.
// The window has room for all of both, though a name that both have leaves one
// place empty.
static bool lay_out(Vm *vm, Partial *self, Value *window, const Value *args,
                    uint32_t positional, const Tuple *given, Tuple **names)
{
    const Tuple *own = self->args;
    for (size_t i = 0; i < own->count; i++) {
        *window++ = value_retain(own->items[i]);
    }
    for (uint32_t i = 0; i < positional; i++) {
        *window++ = value_retain(args[i]);
    }
    // Positions first; keywords follow in the order of the dict.
    *names = partial_names(vm, self);
    if (*names == NULL) {
        return false;
    }
    uint32_t position = 0;
    Value key, value;
    Value *place = window;
    while (dict_next(self->keywords, &position, &key, &value)) {
        *place++ = value_retain(value);
    }
    // The call's keywords replace those of the same name.
    if (given != NULL && given->count != 0) {
        Tuple *all = merge_names(vm, *names, given, window, args + positional);
        object_release(&vm->ctx, *names);
        *names = all;
    }
    return *names != NULL;
}

// Where there are keywords of the partial's own: they meet those of the call.
// call_object takes the window over, so nothing of it is released here
// afterwards.
static Value call_merged(Vm *vm, Partial *self, Value *window, uint32_t size,
                         const Value *args, uint32_t positional,
                         const Tuple *given)
{
    Tuple *names = NULL;
    for (uint32_t i = 0; i < size; i++) {
        window[i] = VALUE_UNBOUND;
    }
    if (!lay_out(vm, self, window, args, positional, given, &names)) {
        for (uint32_t i = 0; i < size; i++) {
            release(vm, window[i]);
        }
        return VALUE_FAIL;
    }
    uint32_t count = (uint32_t)(self->args->count + positional + names->count);
    Value result = call_object(vm, self->func, window, count, names);
    object_release(&vm->ctx, names);
    return result;
}

// Without keywords of its own, those of the call pass through as they are. The
// window is either all owned or not yet filled: the call takes it over in both
// branches.
static Value partial_call(Vm *vm, Value v, const Value *args, uint32_t count,
                          Tuple *keyword_names)
{
    Partial *self = as_partial(v);
    size_t own = self->args->count, named = self->keywords->count;
    // More arguments than a call can count: no memory would hold them.
    if (own + named + count > UINT32_MAX) {
        return ctx_fail_memory(&vm->ctx) ? VALUE_NONE : VALUE_FAIL;
    }
    uint32_t size = (uint32_t)(own + named + count);
    Value space[PARTIAL_INLINE_ARGS], *window = space;
    // Few calls have more arguments; those take memory.
    if (size > PARTIAL_INLINE_ARGS) {
        window = ctx_alloc(&vm->ctx, size * sizeof *window);
        if (window == NULL) {
            return VALUE_FAIL;
        }
    }
    Value result;
    // The call's own names, if any, are behind its positions already.
    if (named == 0) {
        for (size_t i = 0; i < own; i++) {
            window[i] = value_retain(self->args->items[i]);
        }
        for (uint32_t i = 0; i < count; i++) {
            window[own + i] = value_retain(args[i]);
        }
        result = call_object(vm, self->func, window, size, keyword_names);
    } else {
        uint32_t given =
            keyword_names == NULL ? 0 : (uint32_t)keyword_names->count;
        result = call_merged(vm, self, window, size, args, count - given,
                             keyword_names);
    }
    if (window != space) {
        ctx_free(&vm->ctx, window, size * sizeof *window);
    }
    return result;
}

// The machine's call: the arguments are put in front where they stand, and the
// function takes the partial's place. With keywords C makes the call. The guard
// is for partials of partials. 1: a frame was pushed; 0: the result stands in
// window[-1]; -1: failed, as for every `enter` slot.
static int partial_enter(Vm *vm, Value *window, uint32_t count, Tuple *names)
{
    Partial *self = as_partial(window[-1]);
    size_t own = self->args->count;
    if (self->keywords->count == 0 &&
        // Room in the machine's stack, or the slow way over C.
        own + count + 8 < (size_t)(vm->stack_end - window) &&
        ctx_enter(&vm->ctx)) {
        // Moved by nothing they would be emptied.
        if (own > 0) {
            vm_move_up(window, count, (uint32_t)own);
        }
        for (size_t i = 0; i < own; i++) {
            window[i] = value_retain(self->args->items[i]);
        }
        value_replace(&vm->ctx, &window[-1], value_retain(self->func));
        // They may reach above the caller's registers, where a native that
        // calls Duet would have them written over.
        Value *held = vm->window_top;
        vm->window_top = window + count + own + NATIVE_DIRECT_MOST;
        int entered = vm_enter(vm, window, count + (uint32_t)own, names);
        vm->window_top = held;
        ctx_leave(&vm->ctx);
        return entered;
    }
    Value result = ctx_failed(&vm->ctx)
                       ? VALUE_FAIL
                       : partial_call(vm, window[-1], window, count, names);
    vm_empty_window(vm, window, count);
    if (!value_failed(result)) {
        value_replace(&vm->ctx, &window[-1], result);
    }
    return value_failed(result) ? -1 : 0;
}

// --- slots ---

// Fields may be NULL where partial_make has failed half-way.
static void partial_destroy(Vm *vm, Object *object)
{
    Partial *self = (Partial *)object;
    release(vm, self->func);
    object_release_null(&vm->ctx, self->args);
    object_release_null(&vm->ctx, self->keywords);
    object_release_null(&vm->ctx, self->names);
    object_free(vm, self, sizeof *self);
}

// The names are a tuple of strs, which the collector need not follow, but it
// counts the reference.
// Every reference that destroy gives back must be shown to the collector, or a
// cycle would never balance.
static void partial_visit(Object *object, void (*visit)(Object *, void *),
                          void *data)
{
    Partial *self = (Partial *)object;
    values_visit(&self->func, 1, visit, data);
    void *const parts[] = {self->args, self->keywords, self->names};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i] != NULL) {
            visit(parts[i], data);
        }
    }
}

// The fields stay set: calls rely on it. A cycle through the arguments leads
// through a list or the like, which is cleared itself. Calling it then fails
// with a TypeError, but nothing dangles.
static void partial_clear(Vm *vm, Object *object)
{
    Partial *self = (Partial *)object;
    value_replace(&vm->ctx, &self->func, VALUE_NONE);
    if (self->keywords != NULL) {
        dict_clear(vm, self->keywords);
    }
}

// A partial of a partial takes the inner one's function and arguments over,
// unless that has attributes, which would be lost. NULL: it is none. Calls of
// nested partials would otherwise nest C frames and copy the arguments at each
// level.
// Borrowed: the caller takes what it needs of it.
static Partial *flattened(Vm *vm, Value func)
{
    if (type_of(vm, func)->slots.call != partial_call) {
        return NULL;
    }
    Dict **attributes = instance_dict_place(value_object(func));
    return attributes != NULL && *attributes != NULL &&
                   (*attributes)->count != 0
               ? NULL
               : as_partial(func);
}

// first, then args[1 ..). NULL: failed. `first` NULL: there is no inner
// partial.
// args[0] is the function itself.
static Tuple *join_args(Vm *vm, const Tuple *first, const Tuple *args)
{
    size_t count = first == NULL ? 0 : first->count;
    Tuple *all = tuple_new(vm, count + args->count - 1);
    for (size_t i = 0; all != NULL && i < all->count; i++) {
        all->items[i] = value_retain(i < count ? first->items[i]
                                               : args->items[i - count + 1]);
    }
    return all;
}

// All in __new__, so that a subclass may have an __init__ of its own.
// Owned; a failure half-way leaves the rest to partial_destroy.
static Value partial_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    if (args->count == 0) {
        return raise_error(vm, ERR_TYPE,
                           "type 'partial' takes at least one argument");
    }
    if (!value_is_callable(vm, args->items[0])) {
        return raise_error(vm, ERR_TYPE, "the first argument must be callable");
    }
    Partial *inner = flattened(vm, args->items[0]);
    Partial *self = object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->func = value_retain(inner != NULL ? inner->func : args->items[0]);
    // NULL until they are made: destroy and visit know that.
    self->keywords = NULL;
    self->names = NULL;
    self->names_version = 0;
    self->args = join_args(vm, inner == NULL ? NULL : inner->args, args);
    if (self->args != NULL) {
        self->keywords =
            inner != NULL ? dict_copy(vm, inner->keywords) : dict_new(vm);
    }
    bool more = keywords != NULL && keywords->count != 0;
    if (self->keywords == NULL ||
        (more &&
         !dict_update(vm, self->keywords, value_from_object(keywords)))) {
        object_release(&vm->ctx, self);
        return VALUE_FAIL;
    }
    return value_from_object(self);
}

// The innermost function, if partials were nested.
static Value get_func(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(as_partial(self)->func);
}

// Immutable, so it can be handed out.
static Value get_args(Vm *vm, Value self)
{
    (void)vm;
    return value_from_object(object_retain(as_partial(self)->args));
}

// The dict itself: what a program puts there counts in later calls.
static Value get_keywords(Vm *vm, Value self)
{
    (void)vm;
    return value_from_object(object_retain(as_partial(self)->keywords));
}

static const MemberDef partial_members[] = {
    {"func", get_func, NULL, "The function that is called."},
    {"args", get_args, NULL, "The arguments in front of a call's."},
    {"keywords", get_keywords, NULL, "The keywords, as a dict."},
    {NULL, NULL, NULL, NULL}};

const TypeDef partial_type_def = {
    .name = "partial",
    .doc = "The native part of partial.",
    .params = "func, /, *args, **keywords",
    .kind = KIND_OPAQUE,
    .size = sizeof(Partial),
    .flags = TYPE_TRACKED,
    .operators = "",
    .slots = {.destroy = partial_destroy,
              .visit = partial_visit,
              .clear = partial_clear,
              .make = partial_make,
              .call = partial_call,
              .enter = partial_enter},
    .members = partial_members,
    .stored = " args func keywords ",
};
