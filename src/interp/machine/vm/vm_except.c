// Slow paths: raising, handling, with.
//
// An exception that is being handled stands in vm->handled as well as in a
// register of its handler. PUSHEXC and POPEXC keep the two in step; unwinding
// cuts what a handler has left behind.
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/hidden_frame.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/text/obj_str.h"

// Only classes that derive from BaseException can be raised or caught.
static bool is_exception_class(Value v)
{
    return value_is_kind(v, KIND_TYPE) &&
           (((Type *)value_object(v))->flags & TYPE_EXCEPTION);
}

// An exception object of a class or of an exception, owned.
static Value instantiate(Vm *vm, Value v, const char *refusal)
{
    if (is_exception_class(v)) {
        Value made = vm_call(vm, v, NULL, 0);
        if (value_failed(made) || value_is_kind(made, KIND_EXCEPTION)) {
            return made;
        }
        // A class whose __new__ gives something else.
        Value got = value_from_object(type_of(vm, made));
        Str *cls = value_repr(vm, v);
        Str *other = cls == NULL ? NULL : value_repr(vm, got);
        if (other != NULL) {
            raise_error(vm, ERR_TYPE,
                        "calling %s should have returned an instance of "
                        "BaseException, not %s",
                        cls->text, other->text);
        }
        object_release_null(&vm->ctx, cls);
        object_release_null(&vm->ctx, other);
        release(vm, made);
        return VALUE_FAIL;
    }
    return value_is_kind(v, KIND_EXCEPTION)
               ? value_retain(v)
               : raise_error(vm, ERR_TYPE, "%s", refusal);
}

// A cause of None is kept too: `raise … from None` hides the context.
bool slow_raise(Vm *vm, Frame *f, Ins ins)
{
    Value made = instantiate(vm, f->registers[INS_A(ins)],
                             "exceptions must derive from BaseException");
    if (value_failed(made)) {
        return false;
    }
    if (INS_X(ins)) {
        Value cause = f->registers[INS_B(ins)];
        cause = value_is_none(cause)
                    ? cause
                    : instantiate(vm, cause,
                                  "exception causes must derive from "
                                  "BaseException");
        if (value_failed(cause)) {
            release(vm, made);
            return false;
        }
        value_replace(&vm->ctx, &value_as_exception(made)->cause, cause);
        // A cause hides the context in tracebacks, as PEP 409 has it.
        value_as_exception(made)->suppress_context = true;
    }
    raise_object(vm, made);
    // What is native raises without having handled anything.
    if (INS_X(ins) && value_is_none(value_as_exception(made)->cause) &&
        hidden_frame(f->code)) {
        value_replace(&vm->ctx, &value_as_exception(made)->context, VALUE_NONE);
    }
    // A branch that is traced is told that it ends by raising.
    block_note_raise(vm, f, ins);
    return false;
}

// The exception has its traceback and context already: neither grows.
bool slow_reraise(Vm *vm, Frame *f, Ins ins)
{
    Value again = f->registers[INS_A(ins)];
    f->registers[INS_A(ins)] = VALUE_UNBOUND;
    raise_bare(vm, again);
    return false;
}

bool slow_raise_again(Vm *vm, Frame *f, Ins ins)
{
    (void)f;
    (void)ins;
    if (vm->handled.count == 0) {
        return raise_false(vm, ERR_RUNTIME, "No active exception to reraise");
    }
    // Neither context nor cause change: it is the same exception.
    ctx_clear(&vm->ctx);
    value_replace(&vm->ctx, &vm->exception,
                  value_retain(vec_last(&vm->handled)));
    return false;
}

// From here on it is what sys.exc_info() tells, and the context of others.
bool slow_pushexc(Vm *vm, Frame *f, Ins ins)
{
    Value exception = f->registers[INS_A(ins)];
    if (!vec_push(&vm->ctx, &vm->handled, exception)) {
        return false;
    }
    value_retain(exception);
    return true;
}

// A handler that was left by an error has been cut by vm_unwind already.
bool slow_popexc(Vm *vm, Frame *f, Ins ins)
{
    (void)ins;
    if (vm->handled.count > f->handled) {
        vm_cut_handled(vm, vm->handled.count - 1);
    }
    return true;
}

// Classes are compared by their MRO alone. A tuple holds classes only, not
// further tuples, and all of them are looked at before any is tried. -1: an
// error is pending.
static int matches(Vm *vm, Value exception, Value wanted)
{
    bool several = value_is_kind(wanted, KIND_TUPLE);
    const Value *classes = several ? value_as_tuple(wanted)->items : &wanted;
    size_t count = several ? value_as_tuple(wanted)->count : 1;
    for (size_t i = 0; i < count; i++) {
        if (!is_exception_class(classes[i])) {
            return raise_int(vm, ERR_TYPE,
                             "catching classes that do not inherit from "
                             "BaseException is not allowed");
        }
    }
    Type *type = type_of(vm, exception);
    for (size_t i = 0; i < count; i++) {
        if (type_is_subtype(type, (Type *)value_object(classes[i]))) {
            return 1;
        }
    }
    return 0;
}

int slow_match(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_B(ins))) {
        return -1;
    }
    int found = matches(vm, f->registers[INS_A(ins)], f->registers[INS_B(ins)]);
    if (found < 0) {
        return -1;
    }
    slow_drop(vm, f, INS_B(ins));
    return !found;
}

// The class is the built-in one even if the name AssertionError was bound anew.
bool slow_assertfail(Vm *vm, Frame *f, Ins ins)
{
    if (INS_X(ins)) {
        raise_with(vm, ERR_ASSERTION, f->registers[INS_A(ins)]);
        return false;
    }
    Value made =
        vm_call(vm, value_from_object(vm->error_types[ERR_ASSERTION]), NULL, 0);
    if (!value_failed(made)) {
        raise_object(vm, made);
    }
    return false;
}

// Looked up in the class: an attribute of the instance does not count.
static Value context_method(Vm *vm, Value manager, NameId name)
{
    Value method = value_find_method(vm, manager, vm->names[name]);
    if (value_unbound(method)) {
        return raise_error(
            vm, ERR_TYPE,
            "'%s' object does not support the context manager protocol%s",
            type_name(type_of(vm, manager)),
            name == NAME_EXIT ? " (missed __exit__ method)" : "");
    }
    return method;
}

// __exit__ is looked up before __enter__ runs, so that a missing one is told
// while nothing is held yet.
bool slow_withenter(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins))) {
        return false;
    }
    Value manager = f->registers[INS_A(ins)];
    Value enter = context_method(vm, manager, NAME_ENTER);
    if (value_failed(enter)) {
        return false;
    }
    // A failure in __enter__ does not call it: nothing was entered.
    Value leave = context_method(vm, manager, NAME_EXIT);
    Value entered =
        value_failed(leave) ? VALUE_FAIL : vm_call(vm, enter, NULL, 0);
    release(vm, enter);
    if (value_failed(entered)) {
        release(vm, leave);
        return false;
    }
    value_replace(&vm->ctx, &f->registers[INS_B(ins)], entered);
    // The bound __exit__ takes the manager's place: it holds the manager alive.
    value_replace(&vm->ctx, &f->registers[INS_A(ins)], leave);
    return true;
}

// The block ended by itself: no exception, and the answer is ignored.
bool slow_withexit(Vm *vm, Frame *f, Ins ins)
{
    Value nothing[3] = {VALUE_NONE, VALUE_NONE, VALUE_NONE};
    Value leave = f->registers[INS_A(ins)];
    f->registers[INS_A(ins)] = VALUE_UNBOUND;
    Value result = vm_call(vm, leave, nothing, 3);
    release(vm, leave);
    release(vm, result);
    return !value_failed(result);
}

// A true answer swallows the exception; the compiler emits the jump.
bool slow_withexc(Vm *vm, Frame *f, Ins ins)
{
    Value exception = f->registers[INS_C(ins)];
    Traceback *trace = value_is_kind(exception, KIND_EXCEPTION)
                           ? value_as_exception(exception)->traceback
                           : NULL;
    // As sys.exc_info() gives them: class, exception, traceback.
    Value args[3] = {value_from_object(type_of(vm, exception)), exception,
                     trace == NULL ? VALUE_NONE : value_from_object(trace)};
    Value result = vm_call(vm, f->registers[INS_B(ins)], args, 3);
    if (value_failed(result)) {
        return false;
    }
    int truth = value_truth(vm, result);
    release(vm, result);
    if (truth < 0) {
        return false;
    }
    // __exit__ is called once, on whichever way out.
    slow_drop(vm, f, INS_B(ins));
    return slow_set(vm, f, INS_A(ins), value_from_bool(truth));
}
