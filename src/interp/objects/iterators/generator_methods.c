// What a program calls on a generator: send, throw, close, and what it may ask
// of its state. The work is done by obj_generator.c.
#include "interp/objects/iterators/obj_generator.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

// Methods raise StopIteration(result) where slots give VALUE_STOP.
static Value item_or_raise(Vm *vm, Generator *g, Value item)
{
    return value_same(item, VALUE_STOP)
               ? value_raise_stop(vm, value_from_object(g))
               : item;
}

// None is all that may be sent to one that has not run yet.
static Value method_send(Vm *vm, Value *args)
{
    Generator *g = (Generator *)value_object(args[0]);
    return item_or_raise(vm, g, generator_send(vm, g, args[1]));
}

// The exception that a class and a value stand for, owned: the value itself if
// it is of that class, else the class called with it; a tuple is its arguments.
static Value normalised(Vm *vm, Value cls, Value value)
{
    Type *wanted = (Type *)value_object(cls);
    if (type_is_subtype(type_of(vm, value), wanted)) {
        return value_retain(value);
    }
    if (value_is_kind(value, KIND_TUPLE)) {
        Tuple *args = value_as_tuple(value);
        return vm_call(vm, cls, args->items, (uint32_t)args->count);
    }
    return vm_call(vm, cls, &value, value_is_none(value) ? 0 : 1);
}

// What throw(type, value, traceback) raises, owned: an exception alone, or a
// class with a value, as before Python 3.12.
static Value thrown(Vm *vm, Value type, Value value, Value trace)
{
    if (!value_unbound(trace) && !value_is_none(trace) &&
        !value_is_kind(trace, KIND_TRACEBACK)) {
        return raise_error(vm, ERR_TYPE,
                           "throw() third argument must be a traceback "
                           "object");
    }
    value = value_unbound(value) ? VALUE_NONE : value;
    if (value_is_kind(type, KIND_EXCEPTION)) {
        return value_is_none(value)
                   ? value_retain(type)
                   : raise_error(vm, ERR_TYPE,
                                 "instance exception may not have a separate "
                                 "value");
    }
    if (!value_is_kind(type, KIND_TYPE) ||
        !type_is_subtype((Type *)value_object(type),
                         vm->error_types[ERR_BASE_EXCEPTION])) {
        return raise_error(vm, ERR_TYPE,
                           "exceptions must be classes or instances deriving "
                           "from BaseException, not %s",
                           type_name(type_of(vm, type)));
    }
    // A __new__ of the program may give anything.
    Value error = normalised(vm, type, value);
    if (value_failed(error) || value_is_kind(error, KIND_EXCEPTION)) {
        return error;
    }
    Str *shown = value_repr(vm, type);
    if (shown != NULL) {
        (void)raise_error(vm, ERR_TYPE,
                          "calling %s should have returned an instance of "
                          "BaseException, not %s",
                          shown->text, type_name(type_of(vm, error)));
    }
    object_release_null(&vm->ctx, shown);
    release(vm, error);
    return VALUE_FAIL;
}

// What the caller handles does not become the error's context.
bool generator_raise_given(Vm *vm, const Value given[3])
{
    Value error = thrown(vm, given[0], given[1], given[2]);
    if (!value_failed(error)) {
        raise_bare(vm, error);
    }
    return !value_failed(error);
}

// What is given is looked at where it is raised, which may be in a generator
// that this one waits for.
static Value method_throw(Vm *vm, Value *args)
{
    Generator *g = (Generator *)value_object(args[0]);
    return item_or_raise(vm, g, generator_throw(vm, g, args + 1));
}

static Value method_close(Vm *vm, Value *args)
{
    Generator *g = (Generator *)value_object(args[0]);
    return value_done(note_step(vm, g) && generator_close(vm, g));
}

const NativeDef generator_methods[] = {
    {"send", "self, value, /", method_send,
     "Go on with this value as the result of yield."},
    {"throw", "self, type, value=None, traceback=None, /", method_throw,
     "Raise an exception where the generator stands."},
    {"close", "self, /", method_close, "End the generator."},
    {NULL, NULL, NULL, NULL}};

static Value get_running(Vm *vm, Value self)
{
    (void)vm;
    const Generator *g = (const Generator *)value_object(self);
    return value_from_bool(g->state == GENERATOR_RUNNING);
}

static Value get_suspended(Vm *vm, Value self)
{
    (void)vm;
    const Generator *g = (const Generator *)value_object(self);
    return value_from_bool(g->state == GENERATOR_SUSPENDED);
}

static Value get_code(Vm *vm, Value self)
{
    (void)vm;
    const Generator *g = (const Generator *)value_object(self);
    return value_retain(value_from_object(g->function->code));
}

// A frame that shows where it stands, None once it has ended.
static Value get_frame(Vm *vm, Value self)
{
    const Generator *g = (const Generator *)value_object(self);
    return g->state == GENERATOR_DONE
               ? VALUE_NONE
               : library_call(vm, "_frame", "of_generator", &self, 1);
}

static Value get_delegate(Vm *vm, Value self)
{
    (void)vm;
    const Generator *g = (const Generator *)value_object(self);
    Value inner = generator_delegate(g);
    return value_unbound(inner) ? VALUE_NONE : value_retain(inner);
}

static Value get_name(Vm *vm, Value self)
{
    (void)vm;
    const Generator *g = (const Generator *)value_object(self);
    Str *name = g->name != NULL ? g->name : g->function->name;
    return value_retain(value_from_object(name));
}

static bool set_text(Vm *vm, Str **place, Value value, const char *what)
{
    if (!value_is_str(value)) {
        return raise_false(vm, ERR_TYPE, "%s must be set to a string object",
                           what);
    }
    Str *old = *place;
    *place = object_retain(value_as_str(value));
    object_release_null(&vm->ctx, old);
    return true;
}

static bool set_name(Vm *vm, Value self, Value value)
{
    Generator *g = (Generator *)value_object(self);
    return set_text(vm, &g->name, value, "__name__");
}

static bool set_qualname(Vm *vm, Value self, Value value)
{
    Generator *g = (Generator *)value_object(self);
    return set_text(vm, &g->qualname, value, "__qualname__");
}

static Value get_qualname(Vm *vm, Value self)
{
    (void)vm;
    const Generator *g = (const Generator *)value_object(self);
    return value_retain(value_from_object(generator_qualname(g)));
}

const MemberDef generator_members[] = {
    {"__name__", get_name, set_name, "The name of its function."},
    {"__qualname__", get_qualname, set_qualname,
     "The same with the classes and functions around it."},
    {"gi_code", get_code, NULL, "The code of its function."},
    {"gi_frame", get_frame, NULL, "Where it stands; None: it has ended."},
    {"gi_yieldfrom", get_delegate, NULL, "What `yield from` goes through."},
    {"gi_running", get_running, NULL, "Whether it runs right now."},
    {"gi_suspended", get_suspended, NULL, "Whether it stands at a yield."},
    {NULL, NULL, NULL, NULL}};
