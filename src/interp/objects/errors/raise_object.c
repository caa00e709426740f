// The pending error as an object, and what C raises as one.
//
// Invariant: an error is pending in ctx.error or in vm->exception, never in
// both. Frames that a text error passes turn it into an object first, since
// only objects carry a traceback.
#include "interp/objects/errors/raise_object.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "interp/core/raise.h"
#include "interp/objects/errors/hidden_frame.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/text/codec.h"
#include "interp/objects/text/obj_str.h"

// Breaks a ring of contexts that setting `exception.__context__ = context`
// would close. Floyd's pointer guards against a ring that was there before.
static void break_ring(Vm *vm, Value exception, Value context)
{
    Value here = context, slow = context;
    bool step = false;
    for (;;) {
        Exception *e = value_as_exception(here);
        if (!value_is_kind(e->context, KIND_EXCEPTION)) {
            return;
        }
        if (value_same(e->context, exception)) {
            value_replace(&vm->ctx, &e->context, VALUE_NONE);
            return;
        }
        // `slow` follows at half the speed.
        here = e->context;
        if (value_same(here, slow)) {
            return;
        }
        slow = step ? value_as_exception(slow)->context : slow;
        step = !step;
    }
}

// The innermost exception that is being handled becomes the __context__. An
// exception raised again within its own handler is not its own context.
// Not for errors that are raised outside of any handler.
static void set_context(Vm *vm, Value exception)
{
    if (vm->handled.count == 0) {
        return;
    }
    Value context = vec_last(&vm->handled);
    if (!value_is_kind(context, KIND_EXCEPTION) ||
        value_same(context, exception)) {
        return;
    }
    // Or printing the chain would never end.
    break_ring(vm, exception, context);
    value_replace(&vm->ctx, &value_as_exception(exception)->context,
                  value_retain(context));
}

Value raise_object(Vm *vm, Value exception)
{
    ctx_clear(&vm->ctx);
    set_context(vm, exception);
    value_replace(&vm->ctx, &vm->exception, exception);
    return VALUE_FAIL;
}

// A module may have set its own class in place of the built-in one; that is
// called like any class of the program and may raise an error itself.
// Owned; VALUE_FAIL with an error pending, perhaps that of the class itself.
static Value make_exception(Vm *vm, ErrorKind kind, Value argument)
{
    Value class_value = vm->error_overrides[kind];
    if (!value_unbound(class_value)) {
        return vm_call(vm, class_value, &argument, 1);
    }
    Tuple *args = tuple_from(vm, &argument, 1);
    if (args == NULL) {
        return VALUE_FAIL;
    }
    Exception *made = exception_new(vm, vm->error_types[kind], args);
    object_release(&vm->ctx, args);
    return value_or_fail(made);
}

// For arguments that are no text: KeyError keeps the key itself.
Value raise_with(Vm *vm, ErrorKind kind, Value argument)
{
    Value made = make_exception(vm, kind, argument);
    return value_failed(made) ? made : raise_object(vm, made);
}

// The failure is dropped, not its context. What no program raised stays: there
// is no memory, or Ctrl-C was pressed.
Value raise_wordless(Vm *vm, ErrorKind kind)
{
    if (vm->ctx.error.kind == ERR_MEMORY ||
        vm->ctx.error.kind == ERR_INTERRUPT) {
        return VALUE_FAIL;
    }
    raise_clear(vm);
    Value made = vm_call(vm, value_from_object(vm->error_types[kind]), NULL, 0);
    return value_failed(made) ? made : raise_object(vm, made);
}

// The subclasses of OSError that PEP 3151 assigns to numbers.
ErrorKind raise_kind_of_errno(int error)
{
    switch (error) {
    case EAGAIN:
    case EALREADY:
    case EINPROGRESS: return ERR_BLOCKING_IO;
    case EPIPE:
    case ESHUTDOWN: return ERR_BROKEN_PIPE;
    case ECHILD: return ERR_CHILD_PROCESS;
    case ECONNABORTED: return ERR_CONNECTION_ABORTED;
    case ECONNREFUSED: return ERR_CONNECTION_REFUSED;
    case ECONNRESET: return ERR_CONNECTION_RESET;
    case ESRCH: return ERR_PROCESS_LOOKUP;
    case EEXIST: return ERR_FILE_EXISTS;
    case ENOENT: return ERR_FILE_NOT_FOUND;
    case EINTR: return ERR_INTERRUPTED;
    case EISDIR: return ERR_IS_A_DIRECTORY;
    case ENOTDIR: return ERR_NOT_A_DIRECTORY;
    case EACCES:
    case EPERM: return ERR_PERMISSION;
    case ETIMEDOUT: return ERR_TIMEOUT;
    default: return ERR_OS;
    }
}

Value raise_errno(Vm *vm, int error, const char *file)
{
    // Borrowed by the tuple, which retains what it gets.
    Value parts[3] = {value_from_small(error), VALUE_NONE, VALUE_NONE};
    Str *text = str_from(vm, strerror(error));
    Str *name = file == NULL ? NULL : codec_from_system(vm, file, strlen(file));
    Value made = VALUE_FAIL;
    // Making the texts may fail for want of memory: that error is then pending.
    if (text != NULL && (name != NULL || file == NULL)) {
        parts[1] = value_from_object(text);
        parts[2] = name == NULL ? VALUE_NONE : value_from_object(name);
        Tuple *args = tuple_from(vm, parts, file == NULL ? 2 : 3);
        ErrorKind kind = raise_kind_of_errno(error);
        Exception *e = args == NULL
                           ? NULL
                           : exception_new(vm, vm->error_types[kind], args);
        object_release_null(&vm->ctx, args);
        made = value_or_fail(e);
    }
    object_release_null(&vm->ctx, text);
    object_release_null(&vm->ctx, name);
    return value_failed(made) ? made : raise_object(vm, made);
}

Value raise_unicode(Vm *vm, ErrorKind kind, const char *encoding, Value object,
                    size_t start, size_t end, const char *reason)
{
    Str *name = str_from(vm, encoding);
    Str *text = name == NULL ? NULL : str_from(vm, reason);
    Exception *made = NULL;
    // Where a text could not be made, the MemoryError is pending already.
    if (text != NULL) {
        Value parts[5] = {str_value(name), object,
                          value_from_small((int64_t)start),
                          value_from_small((int64_t)end), str_value(text)};
        Tuple *args = tuple_from(vm, parts, 5);
        made = args == NULL ? NULL
                            : exception_new(vm, vm->error_types[kind], args);
        object_release_null(&vm->ctx, args);
    }
    object_release_null(&vm->ctx, text);
    object_release_null(&vm->ctx, name);
    return made == NULL ? VALUE_FAIL
                        : raise_object(vm, value_from_object(made));
}

// SyntaxError(text, place).
// The place is a tuple of its own, (file, line, column, text of the line and so
// on), as programs may take it apart.
static Value syntax_error(Vm *vm, Str *text, const Source *source,
                          const Error *error)
{
    Tuple *place = syntax_place_new(vm, source, error);
    if (place == NULL) {
        return VALUE_FAIL;
    }
    Value parts[2] = {str_value(text), value_from_object(place)};
    Tuple *args = tuple_from(vm, parts, 2);
    object_release(&vm->ctx, place);
    Exception *made =
        args == NULL ? NULL
                     : exception_new(vm, vm->error_types[error->kind], args);
    object_release_null(&vm->ctx, args);
    return value_or_fail(made);
}

// What ctx holds, taken out of it so that making the object may fail anew.
// Owned; VALUE_FAIL: another error is pending, or memory is short.
static Value object_of_text(Vm *vm)
{
    // A copy: the text goes with ctx_clear, the place is needed after it.
    Error error = vm->ctx.error;
    ErrorKind kind = error.kind;
    Source *source = NULL;
    if (error.source != NULL) {
        source = source_retain((Source *)(uintptr_t)error.source);
    }
    Str *text = NULL;
    Value made = VALUE_FAIL;
    // Memory that was refused once may be there for less: each MemoryError is
    // an object of its own as long as there is memory for it.
    if (kind == ERR_MEMORY) {
        ctx_clear(&vm->ctx);
        made = vm_call(vm, value_from_object(vm->error_types[kind]), NULL, 0);
    } else {
        char *copy = ctx_strndup(&vm->ctx, error.text, strlen(error.text));
        if (copy != NULL) {
            size_t length = strlen(copy);
            ctx_clear(&vm->ctx);
            text = str_new(vm, copy, length);
            ctx_free(&vm->ctx, copy, length + 1);
        }
    }
    bool syntax =
        type_is_subtype(vm->error_types[kind], vm->error_types[ERR_SYNTAX]);
    if (text != NULL && source != NULL && syntax) {
        made = syntax_error(vm, text, source, &error);
    } else if (text != NULL) {
        // An error without a text has no argument.
        made =
            text->length == 0 && kind != ERR_ASSERTION
                ? vm_call(vm, value_from_object(vm->error_types[kind]), NULL, 0)
                : make_exception(vm, kind, value_from_object(text));
    }
    object_release_null(&vm->ctx, text);
    if (!value_failed(made) && value_is_kind(made, KIND_EXCEPTION) &&
        source != NULL) {
        value_as_exception(made)->source = source;
        value_as_exception(made)->span = error.span;
        source = NULL;
    }
    // Still owned here if the exception has not taken it.
    source_release((struct Ctx *)&vm->ctx, source);
    if (!value_failed(made) && kind == ERR_ATTRIBUTE &&
        value_is_kind(made, KIND_EXCEPTION)) {
        value_as_exception(made)->subject = vm->error_subject;
        vm->error_subject = VALUE_UNBOUND;
    }
    // An AttributeError about nobody leaves that to the look-up it comes from.
    if (!value_failed(made) && value_is_kind(made, KIND_EXCEPTION)) {
        Exception *e = value_as_exception(made);
        e->told = kind == ERR_ATTRIBUTE ? !value_unbound(e->subject)
                                        : kind != ERR_UNBOUND_LOCAL;
    }
    return made;
}

// The MemoryError that was made at the start, for when there is no memory to
// make one. Owned. Nobody but us holding it, it forgets where it was before.
static Value kept_memory_error(Vm *vm)
{
    Exception *kept = value_as_exception(vm->memory_error);
    if (kept->head.rc == 1) {
        Traceback *trace = kept->traceback;
        kept->traceback = NULL;
        kept->suppress_context = false;
        object_release_null(&vm->ctx, trace);
        value_replace(&vm->ctx, &kept->context, VALUE_NONE);
        value_replace(&vm->ctx, &kept->cause, VALUE_NONE);
        value_replace(&vm->ctx, &kept->notes, VALUE_UNBOUND);
    }
    return value_retain(vm->memory_error);
}

// Making the object can fail in its turn: then the error of that is taken.
Value raise_take(Vm *vm)
{
    if (!ctx_failed(&vm->ctx)) {
        Value taken = vm->exception;
        vm->exception = VALUE_UNBOUND;
        return taken;
    }
    // A text: the object is made now, since somebody wants to see it.
    Value made = object_of_text(vm);
    if (value_failed(made) && !value_unbound(vm->exception)) {
        made = vm->exception; // the class that was set raised an error itself
        vm->exception = VALUE_UNBOUND;
    }
    if (value_failed(made)) {
        made = kept_memory_error(vm);
    }
    ctx_clear(&vm->ctx);
    set_context(vm, made);
    return made;
}

// An error that could not be finished is told as the context of what prevented
// it.
void raise_hiding(Vm *vm, Value error)
{
    Value later = raise_take(vm);
    if (value_same(later, error) || !value_is_kind(later, KIND_EXCEPTION)) {
        value_release(&vm->ctx, error);
    } else {
        break_ring(vm, later, error);
        value_replace(&vm->ctx, &value_as_exception(later)->context, error);
    }
    value_replace(&vm->ctx, &vm->exception, later);
}

// Each entry holds its code, whose function may be gone when it is printed.
// False: no memory.
static bool traceback_push(Vm *vm, Traceback *trace, const Code *code,
                           uint32_t word)
{
    if (trace->count == trace->capacity) {
        // Four entries at first: most errors are caught a few frames out.
        uint32_t capacity = trace->capacity * 2 + 4;
        TracebackEntry *entries = ctx_realloc(&vm->ctx, trace->entries,
                                              trace->capacity * sizeof *entries,
                                              capacity * sizeof *entries);
        if (entries == NULL) {
            return false;
        }
        trace->entries = entries;
        trace->capacity = capacity;
    }
    Code *held = object_retain((Code *)(uintptr_t)code);
    trace->entries[trace->count++] = (TracebackEntry){held, word, 0};
    return true;
}

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

// Where `name` stands in text[start, end) as a variable: no attribute, and in
// no string of one line. 0: nowhere.
static uint32_t find_name(const char *text, uint32_t start, uint32_t end,
                          const char *name)
{
    size_t length = strlen(name);
    char quote = 0, before = '\0';
    for (uint32_t i = start; i < end; i++) {
        char c = text[i];
        if (quote != 0) {
            quote = c == quote || c == '\n' ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (is_name_byte(c)) {
            uint32_t first = i;
            while (i + 1 < end && is_name_byte(text[i + 1])) {
                i++;
            }
            if (before != '.' && i + 1 - first == length &&
                memcmp(text + first, name, length) == 0) {
                return first;
            }
        }
        before = c == ' ' ? before : c;
    }
    return 0;
}

// Instructions read locals in place, and it is the name that is to be marked:
// it is looked for in the text of the instruction, and behind it, where the
// value of an unpacking stands.
static uint32_t unbound_place(Vm *vm, const Code *code, uint32_t word)
{
    const Error *error = &vm->ctx.error;
    const char *start = error->kind == ERR_UNBOUND_LOCAL && word != 0
                            ? strchr(error->text, '\'')
                            : NULL;
    const char *end = start == NULL ? NULL : strchr(start + 1, '\'');
    char name[64];
    if (end == NULL || (size_t)(end - start) > sizeof name) {
        return 0;
    }
    memcpy(name, start + 1, (size_t)(end - start - 1));
    name[end - start - 1] = '\0';
    const Source *source = code->source;
    Span span = code_span(code, word);
    uint32_t found = find_name(source->text, span.start, span.end, name);
    const char *rest = source->text + span.end;
    return found != 0
               ? found
               : find_name(source->text, span.end,
                           span.end + (uint32_t)strcspn(rest, "\n"), name);
}

Span traceback_span(const TracebackEntry *entry)
{
    if (entry->name == 0) {
        return code_span(entry->code, entry->word);
    }
    Span span = {entry->name, entry->name};
    while (is_name_byte(entry->code->source->text[span.end])) {
        span.end++;
    }
    return span;
}

// A traceback that somebody holds stays as it is, and what is added goes to a
// copy. False: no memory.
static bool own_traceback(Vm *vm, Exception *exception)
{
    Traceback *held = exception->traceback;
    if (held != NULL && held->head.rc == 1) {
        return true;
    }
    Traceback *own = traceback_new(vm);
    bool done = own != NULL;
    for (uint32_t i = 0; done && held != NULL && i < held->count; i++) {
        done = traceback_push(vm, own, held->entries[i].code,
                              held->entries[i].word);
        if (done) {
            own->entries[i].name = held->entries[i].name;
        }
    }
    for (size_t i = 0; done && held != NULL && i < held->kept.count; i++) {
        done = vec_push(&vm->ctx, &own->kept, held->kept.items[i]);
        if (done) {
            value_retain(held->kept.items[i]);
        }
    }
    if (!done) {
        object_release_null(&vm->ctx, own);
        return false;
    }
    exception->traceback = own;
    object_release_null(&vm->ctx, held);
    return true;
}

// Whether host code was given a tensor that it cannot work with.
static bool is_about_tensor(const Exception *error)
{
    Value text = error->args->count > 0 ? error->args->items[0] : VALUE_NONE;
    Value subject = error->subject;
    return (value_is_object(subject) &&
            value_object(subject)->kind <= KIND_VARIABLE) ||
           (value_is_str(text) &&
            strstr(value_as_str(text)->text, "Tensor") != NULL);
}

// Whether the frame has no line that somebody could mend. What no tensor can be
// asked is asked by whoever calls the library.
static bool is_hidden(const Vm *vm, const Code *code, const Exception *error)
{
    const Type *cls = error->head.type;
    return hidden_frame(code) ||
           (code->source->library &&
            (cls == vm->error_types[ERR_SYMBOLIC] ||
             cls == vm->error_types[ERR_LEAK] || is_about_tensor(error)));
}

// Frames are added on the way out, so the innermost one comes first.
// `word` is the place behind the instruction that failed or called.
void raise_add_frame(Vm *vm, const Code *code, uint32_t word)
{
    uint32_t name = unbound_place(vm, code, word);
    Value taken = raise_take(vm);
    // What a class set for errors made need be no exception.
    if (!value_is_kind(taken, KIND_EXCEPTION) ||
        is_hidden(vm, code, value_as_exception(taken))) {
        value_replace(&vm->ctx, &vm->exception, taken);
        return;
    }
    Exception *exception = value_as_exception(taken);
    if (!own_traceback(vm, exception) ||
        !traceback_push(vm, exception->traceback, code, word)) {
        raise_hiding(vm, taken);
        return;
    }
    Traceback *trace = exception->traceback;
    trace->entries[trace->count - 1].name = name;
    value_replace(&vm->ctx, &vm->exception, taken);
}
