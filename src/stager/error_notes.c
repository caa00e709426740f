// Notes on errors of traces and runs.
#include "stager/error_notes.h"

#include <string.h>

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/errors/raise_object.h"

// Takes the text.
static bool add_note(Vm *vm, Exception *exception, Str *text)
{
    if (text != NULL && value_unbound(exception->notes)) {
        List *list = list_new(vm, 0);
        if (list != NULL) {
            exception->notes = value_from_object(list);
        }
    }
    bool ok = text != NULL && value_is_kind(exception->notes, KIND_LIST) &&
              list_append(vm, value_as_list(exception->notes), str_value(text));
    object_release_null(&vm->ctx, text);
    return ok;
}

// The newest event of the kind; NULL: there is none.
static const Event *find_event(const EventLog *events, EventKind kind)
{
    for (size_t i = events->events.count; i-- > 0;) {
        if (events->events.items[i].kind == kind) {
            return &events->events.items[i];
        }
    }
    return NULL;
}

static bool mentions(const Exception *exception, const char *word)
{
    Value text =
        exception->args->count > 0 ? exception->args->items[0] : VALUE_NONE;
    return value_is_str(text) && strstr(value_as_str(text)->text, word) != NULL;
}

// What a tensor with a value would be refused as well, by the words of it.
static bool fails_eagerly(const Exception *exception)
{
    static const char *const words[] = {
        "object has no attribute", "object is not callable",
        "object does not support", "unsupported operand",
        "doesn't define",          "is not iterable"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        found |= mentions(exception, words[i]);
    }
    return found;
}

// Host code was given what only a trace has: None for a size, a tensor without
// a value.
static bool add_hints(Vm *vm, Exception *exception, const EventLog *events)
{
    const Event *size = find_event(events, EVENT_SIZE);
    bool ok = true;
    if (size != NULL && mentions(exception, "None")) {
        ok = add_note(vm, exception,
                      str_printf(vm,
                                 "line %u reads a size that this trace does "
                                 "not know, which is None; shape_of(x)[0] is "
                                 "that size as a tensor",
                                 size->line));
    }
    if (ok && mentions(exception, "Tensor") && !fails_eagerly(exception)) {
        ok = add_note(vm, exception,
                      str_printf(vm, "a symbolic tensor has no value while "
                                     "tracing; stage.host_call(function, "
                                     "(x,)) calls host code with the value "
                                     "at each run"));
    }
    return ok;
}

// The error is set aside while notes are made, which may themselves fail.
void error_notes_traced(Vm *vm, const EventLog *events, const Str *name,
                        size_t number)
{
    Value error = raise_take(vm);
    Exception *exception = value_as_exception(error);
    exception->traced = true;
    if (add_hints(vm, exception, events) &&
        add_note(vm, exception,
                 str_printf(vm, "while tracing %s (trace %zu)", name->text,
                            number))) {
        vm->exception = error;
    } else {
        raise_hiding(vm, error);
    }
}

void error_notes_run(Vm *vm, const EventLog *events)
{
    const Event *handler = find_event(events, EVENT_PASSED);
    if (handler == NULL || raise_matches(vm, ERR_INTERRUPT) ||
        raise_matches(vm, ERR_MEMORY)) {
        return;
    }
    Value error = raise_take(vm);
    Str *text = str_printf(vm,
                           "the handler at line %u acts while tracing alone: "
                           "test for the bad case with `if` before it happens",
                           handler->line);
    if (add_note(vm, value_as_exception(error), text)) {
        vm->exception = error;
    } else {
        raise_hiding(vm, error);
    }
}
