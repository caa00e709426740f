// Notes on errors of traces and runs.
#include "stager/error_notes.h"

#include <string.h>

#include "base/diag.h"
#include "interp/core/raise.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/tensors/obj_tensor.h"

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
    static const char *const words[] = {"object has no attribute",
                                        "object is not callable",
                                        "object does not support",
                                        "unsupported operand",
                                        "doesn't define",
                                        "is not iterable",
                                        " given)"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        found |= mentions(exception, words[i]);
    }
    return found;
}

// What the carets mark in the innermost line of the program.
typedef struct Marked {
    const char *text;
    int length; // 0: nothing
    uint32_t line;
} Marked;

static Marked marked_by(const Exception *exception)
{
    const Traceback *traceback = exception->traceback;
    uint32_t i = 0, count = traceback != NULL ? traceback->count : 0;
    while (i < count && traceback->entries[i].code->source->library) {
        i++;
    }
    if (i == count) {
        return (Marked){"", 0, 0};
    }
    const Source *source = traceback->entries[i].code->source;
    Span span = traceback_span(&traceback->entries[i]);
    return (Marked){source->text + span.start, (int)(span.end - span.start),
                    source_place(source, span.start).line};
}

// What a trace knows of the error that ended it.
typedef struct TracedError {
    const Exception *exception;
    const EventLog *events;
    const TraceRequest *request;
    Marked place;
    bool assertion; // an AssertionError
} TracedError;

// Each hint is NULL where it does not apply, or with an error pending.

// Host code was given None for a size.
static Str *hint_size(Vm *vm, const TracedError *end)
{
    const Event *size = find_event(end->events, EVENT_SIZE);
    if (size == NULL || !(mentions(end->exception, "None") ||
                          (end->assertion && size->line == end->place.line))) {
        return NULL;
    }
    return str_printf(vm,
                      "line %u reads a size that this trace does not know, "
                      "which is None; shape_of(x)[0] is that size as a tensor",
                      size->line);
}

// An operand is None that nothing else explains.
static Str *hint_none(Vm *vm, const TracedError *end)
{
    Span left, right;
    if (!mentions(end->exception, "unsupported operand") ||
        !mentions(end->exception, "'NoneType'") ||
        find_event(end->events, EVENT_SIZE) != NULL ||
        !diag_operands(end->place.text, (size_t)end->place.length, &left,
                       &right)) {
        return NULL;
    }
    Span none = mentions(end->exception, "and 'NoneType'") ? right : left;
    int length = (int)(none.end - none.start);
    const char *text = end->place.text + none.start;
    return str_printf(vm,
                      "%.*s is None here; give it a value, or ask `if %.*s is "
                      "None` before",
                      length, text, length, text);
}

// A method of texts was asked of a tensor of them, which has a function.
static Str *hint_text(Vm *vm, const TracedError *end)
{
    Value subject = end->exception->subject;
    if (!value_is_kind(subject, KIND_SYMBOLIC) ||
        value_as_symbolic(subject)->dtype != DT_STRING) {
        return NULL;
    }
    int dot = end->place.length;
    while (dot > 0 && end->place.text[dot] != '.') {
        dot--;
    }
    Str *name = str_printf(vm, "strings%.*s", end->place.length - dot,
                           end->place.text + dot);
    Str *text = NULL;
    if (name != NULL && op_find(name->text, name->length) >= 0) {
        text = str_printf(vm, "use %s(%.*s)", name->text, dot, end->place.text);
    }
    object_release_null(&vm->ctx, name);
    return text;
}

// What a condition chooses of Variables, say, is a value.
static Str *hint_assign(Vm *vm, const TracedError *end)
{
    return mentions(end->exception, "'Tensor' object has no attribute 'assign")
               ? str_printf(vm, "a Variable that a condition or signature= has "
                                "chosen is a tensor, its value; assign to each "
                                "Variable on its own side, by its own name")
               : NULL;
}

// A name that the function assigns is its own, although a global is called so.
static Str *hint_global(Vm *vm, const TracedError *end)
{
    Value target = end->request->target;
    if (!mentions(end->exception, "cannot access local variable") ||
        !value_is_kind(target, KIND_FUNCTION)) {
        return NULL;
    }
    Str *name = str_new(vm, end->place.text, (size_t)end->place.length);
    Function *function = (Function *)value_object(target);
    Str *text = NULL;
    if (name != NULL &&
        dict_find_simple(function->globals, str_value(name)) != NULL) {
        text = str_printf(vm,
                          "the function assigns '%s', which makes it a local, "
                          "not the global '%s'; a Variable outside, and "
                          "%s.assign() in place of =, changes what is outside",
                          name->text, name->text, name->text);
    }
    object_release_null(&vm->ctx, name);
    return text;
}

// Host code was given a tensor without a value.
static Str *hint_value(Vm *vm, const TracedError *end)
{
    if (!mentions(end->exception, "Tensor") || fails_eagerly(end->exception)) {
        return NULL;
    }
    return str_printf(vm, "a symbolic tensor has no value while tracing; "
                          "stage.host_call(function, (x,)) calls host code "
                          "with the value at each run");
}

static bool add_hints(Vm *vm, Exception *exception, const TracedError *end)
{
    static Str *(*const hints[])(Vm *, const TracedError *) = {
        hint_size, hint_none, hint_text, hint_assign, hint_global, hint_value};
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        Str *text = hints[i](vm, end);
        bool ok =
            text != NULL ? add_note(vm, exception, text) : !vm_has_error(vm);
        if (!ok) {
            return false;
        }
    }
    return true;
}

// The error is set aside while notes are made, which may themselves fail.
void error_notes_traced(Vm *vm, const EventLog *events,
                        const TraceRequest *request)
{
    bool assertion = raise_matches(vm, ERR_ASSERTION);
    Value error = raise_take(vm);
    Exception *exception = value_as_exception(error);
    exception->traced = true;
    TracedError end = {exception, events, request, marked_by(exception),
                       assertion};
    if (add_hints(vm, exception, &end) &&
        add_note(vm, exception,
                 str_printf(vm, "while tracing %s (trace %zu)",
                            request->name->text, request->number))) {
        vm->exception = error;
    } else {
        raise_hiding(vm, error);
    }
}

// Whether the pending error is one of the program, of which there is more to
// say.
static bool is_told(Vm *vm)
{
    return !raise_matches(vm, ERR_INTERRUPT) && !raise_matches(vm, ERR_MEMORY);
}

// Takes the pending error, as `error`, and the text.
static void note_error(Vm *vm, Value error, Str *text)
{
    if (add_note(vm, value_as_exception(error), text)) {
        vm->exception = error;
    } else {
        raise_hiding(vm, error);
    }
}

void error_notes_run(Vm *vm, const EventLog *events)
{
    const Event *handler = find_event(events, EVENT_PASSED);
    if (handler == NULL || !is_told(vm)) {
        return;
    }
    Value error = raise_take(vm);
    note_error(vm, error,
               str_printf(vm,
                          "the handler at line %u acts while tracing alone: "
                          "test for the bad case with `if` before it happens",
                          handler->line));
}

void error_notes_read(Vm *vm, const char *place)
{
    if (is_told(vm)) {
        Value error = raise_take(vm);
        note_error(vm, error, str_printf(vm, "in the graph: %s", place));
    }
}
