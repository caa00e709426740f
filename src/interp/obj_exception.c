// Exceptions: BaseException, whose layout all error classes share, and
// tracebacks.
//
// Invariant: args is never NULL; cause and context are exceptions or NONE.
#include "interp/obj_exception.h"

#include "interp/attr.h"
#include "interp/note.h"
#include "interp/obj_instance.h"
#include "interp/obj_int.h"
#include "interp/protocol.h"

// Retains args; the class may be any with this layout. No traceback: raising
// adds it.
Exception *exception_new(Vm *vm, Type *cls, Tuple *args)
{
    Exception *self = object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    // The assignment below would wipe the count and type that object_new set.
    Object head = self->head;
    *self = (Exception){.head = head,
                        .args = object_retain(args),
                        .cause = VALUE_NONE,
                        .context = VALUE_NONE,
                        .notes = VALUE_UNBOUND,
                        .subject = VALUE_UNBOUND};
    return self;
}

// Empty: entries are added while the exception passes frames.
Traceback *traceback_new(Vm *vm)
{
    Traceback *self = object_new(vm, type_of_kind(vm, KIND_TRACEBACK),
                                 sizeof *self);
    if (self != NULL) {
        // Grows when the first entry is added.
        self->entries = NULL;
        self->count = self->capacity = 0;
    }
    return self;
}

// `source` is the text of a file that a SyntaxError points into.
static void exception_destroy(Vm *vm, Object *object)
{
    Exception *self = (Exception *)object;
    object_release(&vm->ctx, self->args);
    object_release_null(&vm->ctx, self->dict);
    object_release_null(&vm->ctx, self->traceback);
    release(vm, self->cause);
    release(vm, self->context);
    release(vm, self->notes);
    release(vm, self->subject);
    source_release((struct Ctx *)&vm->ctx, self->source);
    object_free(vm, self, sizeof *self);
}

// A traceback is left out: its entries hold code alone, not frames, so that no
// cycle passes through it.
static void exception_visit(Object *object, void (*visit)(Object *, void *),
                            void *data)
{
    Exception *self = (Exception *)object;
    Value values[] = {self->cause, self->context, self->notes,
                      self->subject};
    // Never NULL, by the invariant.
    visit(&self->args->head, data);
    if (self->dict != NULL) {
        visit(&self->dict->head, data);
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (value_is_object(values[i])) {
            visit(value_object(values[i]), data);
        }
    }
}

// args stay, by the invariant.
static void exception_clear(Vm *vm, Object *object)
{
    Exception *self = (Exception *)object;
    Dict *dict = self->dict;
    self->dict = NULL;
    object_release_null(&vm->ctx, dict);
    value_replace(&vm->ctx, &self->cause, VALUE_NONE);
    value_replace(&vm->ctx, &self->context, VALUE_NONE);
    value_replace(&vm->ctx, &self->notes, VALUE_UNBOUND);
    value_replace(&vm->ctx, &self->subject, VALUE_UNBOUND);
}

// OSError(2, "…") is made as the subclass of that errno.
static Type *class_of_errno(Vm *vm, Type *cls, const Tuple *args)
{
    int64_t code;
    // Only for OSError itself: a subclass keeps its own class, as in CPython.
    if (cls != type_of_error(vm, ERR_OS) || args->count < 2 ||
        args->count > 5 || !value_is_int(args->items[0]) ||
        !int_to_i64(args->items[0], &code)) {
        return cls;
    }
    return type_of_error(vm, raise_kind_of_errno((int)code));
}

// args are set here and again in exception_init: a class whose own __init__
// does not call super().__init__ has them nevertheless, as in CPython.
static Value exception_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)keywords;
    cls = class_of_errno(vm, cls, args);
    Exception *self = exception_new(vm, cls, args);
    return self == NULL ? VALUE_FAIL : value_from_object(self);
}

// The keywords that a class of errors takes: they become attributes.
static bool takes_keyword(Vm *vm, const Type *cls, const Str *name)
{
    static const struct {
        ErrorKind kind;
        const char *name;
    } known[] = {{ERR_NAME, "name"},        {ERR_ATTRIBUTE, "name"},
                 {ERR_ATTRIBUTE, "obj"},    {ERR_IMPORT, "name"},
                 {ERR_IMPORT, "path"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        // Subclasses take what their base takes.
        if (str_is(name, known[i].name) &&
            type_is_subtype(cls, type_of_error(vm, known[i].kind))) {
            return true;
        }
    }
    return false;
}

// False with an error, or without one for a keyword that the class does not
// take.
static bool store_keywords(Vm *vm, Value self, Dict *keywords)
{
    uint32_t position = 0;
    Value key, value;
    while (dict_next(keywords, &position, &key, &value)) {
        if (!takes_keyword(vm, type_of(vm, self), value_as_str(key))) {
            return false;
        }
        // Attributes are found by interned names.
        Str *name = str_intern_str(vm, value_as_str(key));
        bool done = name != NULL &&
                    instance_set(vm, value_object(self), name, value);
        object_release_null(&vm->ctx, name);
        if (!done) {
            return false;
        }
    }
    return true;
}

// A second call replaces the args.
static bool exception_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    Exception *exception = value_as_exception(self);
    if (keywords != NULL && !store_keywords(vm, self, keywords)) {
        if (vm_has_error(vm)) {
            return false;
        }
        return raise_false(vm, ERR_TYPE, "%s() takes no keyword arguments",
                           type_name(exception->head.type));
    }
    // The new args are in place before the old ones are released.
    Tuple *old = exception->args;
    exception->args = object_retain(args);
    object_release(&vm->ctx, old);
    return true;
}

// The args as programs see them: an OSError with a file shows two. Owned.
static Tuple *visible_args(Vm *vm, const Exception *self)
{
    const Tuple *args = self->args;
    bool file = args->count > 2 && args->count <= 5 &&
                type_is_subtype(self->head.type, type_of_error(vm, ERR_OS));
    return file ? tuple_from(vm, args->items, 2) : object_retain(self->args);
}

// One argument shows as E(x), without the tuple's comma.
static Value exception_repr(Vm *vm, Value self)
{
    Exception *exception = value_as_exception(self);
    Tuple *args = visible_args(vm, exception);
    if (args == NULL) {
        return VALUE_FAIL;
    }
    // Borrowed from args, which are released behind its last use.
    Value inner = args->count == 1 ? args->items[0] : value_from_object(args);
    Str *text = value_repr(vm, inner);
    bool single = args->count == 1;
    object_release(&vm->ctx, args);
    if (text == NULL) {
        return VALUE_FAIL;
    }
    Str *result = str_printf(vm, "%s%s%s%s", type_name(exception->head.type),
                             single ? "(" : "", text->text, single ? ")" : "");
    object_release(&vm->ctx, text);
    return result == NULL ? VALUE_FAIL : str_value(result);
}

// OSError(errno, text, file) prints as "[Errno 2] text: 'file'".
static Str *os_error_text(Vm *vm, Tuple *args)
{
    Str *number = value_str(vm, args->items[0]);
    Str *text = number == NULL ? NULL : value_str(vm, args->items[1]);
    Str *file = NULL, *result = NULL;
    if (text != NULL && args->count > 2) {
        // The file shows with quotes, the text without.
        file = value_repr(vm, args->items[2]);
    }
    if (text != NULL && (file != NULL || args->count == 2)) {
        result = str_printf(vm, "[Errno %s] %s%s%s", number->text, text->text,
                            file == NULL ? "" : ": ",
                            file == NULL ? "" : file->text);
    }
    object_release_null(&vm->ctx, number);
    object_release_null(&vm->ctx, text);
    object_release_null(&vm->ctx, file);
    return result;
}

// (file, line, column, text …) of a SyntaxError; NULL: it has none.
static const Tuple *syntax_details(Vm *vm, const Exception *self)
{
    // The interpreter makes them so; a program's SyntaxError may have others.
    const Tuple *args = self->args;
    return type_is_subtype(self->head.type, type_of_error(vm, ERR_SYNTAX)) &&
                   args->count == 2 &&
                   value_is_kind(args->items[1], KIND_TUPLE) &&
                   value_as_tuple(args->items[1])->count >= 4
               ? value_as_tuple(args->items[1])
               : NULL;
}

// "invalid syntax (a.py, line 3)"
static Str *syntax_text(Vm *vm, const Exception *self, const Tuple *place)
{
    Str *message = value_str(vm, self->args->items[0]);
    Str *line = message == NULL ? NULL : value_str(vm, place->items[1]);
    Str *text = NULL;
    if (line != NULL && value_is_str(place->items[0])) {
        const char *name = value_as_str(place->items[0])->text;
        // The file's name without its folders, as CPython shows it.
        const char *slash = strrchr(name, '/');
        text = str_printf(vm, "%s (%s, line %s)", message->text,
                          slash == NULL ? name : slash + 1, line->text);
    } else if (line != NULL) {
        text = str_printf(vm, "%s (line %s)", message->text, line->text);
    }
    object_release_null(&vm->ctx, message);
    object_release_null(&vm->ctx, line);
    return text;
}

// str() of the common classes is str() of the one argument; a KeyError shows
// its repr, so that '' and spaces can be seen; several arguments show as a
// tuple.
static Value exception_str(Vm *vm, Value self)
{
    Exception *exception = value_as_exception(self);
    Tuple *args = exception->args;
    Type *cls = exception->head.type;
    Str *text;
    const Tuple *place = syntax_details(vm, exception);
    if (place != NULL) {
        text = syntax_text(vm, exception, place);
    } else if (args->count == 0) {
        text = object_retain(vm->empty_str);
    } else if (args->count > 1) {
        // Two or three arguments are errno, text and file.
        bool os = type_is_subtype(cls, type_of_error(vm, ERR_OS)) &&
                  args->count <= 3;
        text = os ? os_error_text(vm, args)
                  : value_repr(vm, value_from_object(args));
    } else if (type_is_subtype(cls, type_of_error(vm, ERR_KEY))) {
        text = value_repr(vm, args->items[0]);
    } else {
        text = value_str(vm, args->items[0]);
    }
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// Not always the stored ones: visible_args.
static Value get_args(Vm *vm, Value self)
{
    Tuple *args = visible_args(vm, value_as_exception(self));
    return args == NULL ? VALUE_FAIL : value_from_object(args);
}

// Any iterable, made into a tuple.
static bool set_args(Vm *vm, Value self, Value value)
{
    Tuple *args = value_unbound(value) ? NULL : value_to_tuple(vm, value);
    if (args == NULL) {
        return value_unbound(value)
                   ? raise_false(vm, ERR_TYPE, "args may not be deleted")
                   : false;
    }
    Exception *exception = value_as_exception(self);
    // By now the new tuple is owned here.
    Tuple *old = exception->args;
    exception->args = args;
    object_release(&vm->ctx, old);
    return true;
}

// NONE if there is no cause; no exception has UNBOUND there.
static Value get_cause(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(value_as_exception(self)->cause);
}

// NONE if nothing was being handled.
static Value get_context(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(value_as_exception(self)->context);
}

// For __cause__ and __context__: an exception or None, by the invariant.
static bool set_link(Vm *vm, Value self, Value *place, Value value,
                     const char *what)
{
    if (!value_is_none(value) && !value_is_kind(value, KIND_EXCEPTION)) {
        return raise_false(vm, ERR_TYPE,
                           "exception %s must be None or derive from "
                           "BaseException",
                           what);
    }
    if (!note_store(vm, value_object(self), value)) {
        return false;
    }
    value_replace(&vm->ctx, place, value_retain(value));
    return true;
}

// Setting the cause hides the context, as `raise … from` does.
static bool set_cause(Vm *vm, Value self, Value value)
{
    Exception *exception = value_as_exception(self);
    exception->suppress_context = true;
    return set_link(vm, self, &exception->cause, value, "cause");
}

static bool set_context(Vm *vm, Value self, Value value)
{
    return set_link(vm, self, &value_as_exception(self)->context, value,
                    "context");
}

static Value get_suppress(Vm *vm, Value self)
{
    (void)vm;
    return value_from_bool(value_as_exception(self)->suppress_context);
}

// Any value with a truth; a deletion resets it.
static bool set_suppress(Vm *vm, Value self, Value value)
{
    int truth = value_unbound(value) ? 0 : value_truth(vm, value);
    value_as_exception(self)->suppress_context = truth > 0;
    return truth >= 0;
}

// None until the exception has been raised.
static Value get_traceback(Vm *vm, Value self)
{
    (void)vm;
    Traceback *trace = value_as_exception(self)->traceback;
    return trace == NULL ? VALUE_NONE
                         : value_retain(value_from_object(trace));
}

// None forgets it.
static bool set_traceback(Vm *vm, Value self, Value value)
{
    bool none = value_is_none(value);
    if (!none && !value_is_kind(value, KIND_TRACEBACK)) {
        return raise_false(vm, ERR_TYPE,
                           "__traceback__ must be a traceback or None");
    }
    Exception *exception = value_as_exception(self);
    // NULL if it has not been raised yet.
    Traceback *old = exception->traceback;
    exception->traceback = none ? NULL : object_retain(value_object(value));
    object_release_null(&vm->ctx, old);
    return true;
}

// Returns the exception, so that it can stand in a raise statement.
static Value with_traceback(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return set_traceback(vm, args[0], args[1]) ? value_retain(args[0])
                                               : VALUE_FAIL;
}

// The list is made with the first note: __notes__ does not exist before.
static Value add_note(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    Exception *exception = value_as_exception(args[0]);
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE, "note must be a str, not '%s'",
                           type_name(type_of(vm, args[1])));
    }
    if (value_unbound(exception->notes)) {
        List *list = list_new(vm, 0);
        if (list == NULL) {
            return VALUE_FAIL;
        }
        exception->notes = value_from_object(list);
    }
    // Borrowed from the exception.
    List *notes = value_as_list(exception->notes);
    return note_store(vm, notes, args[1]) && list_append(vm, notes, args[1])
               ? VALUE_NONE
               : VALUE_FAIL;
}

// An AttributeError before the first note, as in CPython.
static Value get_notes(Vm *vm, Value self)
{
    Value notes = value_as_exception(self)->notes;
    return value_unbound(notes)
               ? raise_error(vm, ERR_ATTRIBUTE,
                             "'%s' object has no attribute '__notes__'",
                             type_name(type_of(vm, self)))
               : value_retain(notes);
}

static const NativeDef exception_methods[] = {
    {"with_traceback", "self, tb, /", with_traceback,
     "Set __traceback__ and return self."},
    {"add_note", "self, note, /", add_note,
     "Add a line that is printed below the error."},
    {NULL, NULL, NULL, NULL}};

// What other classes have more is in special_attribute.
static const MemberDef exception_members[] = {
    {"args", get_args, set_args, "What the class was called with."},
    {"__cause__", get_cause, set_cause, "raise … from this."},
    {"__context__", get_context, set_context, "What was being handled."},
    {"__suppress_context__", get_suppress, set_suppress,
     "Do not print the context."},
    {"__traceback__", get_traceback, set_traceback, "Where it passed."},
    {"__notes__", get_notes, NULL, "The notes that add_note added."},
    {NULL, NULL, NULL, NULL}};

// Owned.
static Value argument_or_none(const Tuple *args, size_t i)
{
    return i < args->count ? value_retain(args->items[i]) : VALUE_NONE;
}

// The attributes of a SyntaxError; UNBOUND: it is none, or has no such name.
static Value syntax_attribute(Vm *vm, const Exception *self, const Str *name)
{
    static const char *const names[] = {"filename", "lineno",     "offset",
                                        "text",     "end_lineno", "end_offset"};
    if (!type_is_subtype(self->head.type, type_of_error(vm, ERR_SYNTAX))) {
        return VALUE_UNBOUND;
    }
    if (str_is(name, "msg")) {
        return argument_or_none(self->args, 0);
    }
    const Tuple *place = syntax_details(vm, self);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_is(name, names[i])) {
            return place == NULL ? VALUE_NONE : argument_or_none(place, i);
        }
    }
    return VALUE_UNBOUND;
}

// The text between the number-th pair of quotes in the message; None: none.
static Value quoted_name(Vm *vm, const Exception *self, int number)
{
    if (self->args->count == 0 || !value_is_str(self->args->items[0])) {
        return VALUE_NONE;
    }
    const char *at = value_as_str(self->args->items[0])->text, *end = at;
    // `end` is the closing quote of the pair before.
    for (int i = 0; i <= number; i++) {
        at = strchr(i == 0 ? at : end + 1, '\'');
        end = at == NULL ? NULL : strchr(at + 1, '\'');
        if (end == NULL) {
            return VALUE_NONE;
        }
    }
    Str *text = str_new(vm, at + 1, (size_t)(end - at - 1));
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// name, obj, msg and path of NameError, AttributeError and ImportError; those
// that the interpreter raised name things in their messages alone.
static Value name_attribute(Vm *vm, const Exception *self, const Str *name)
{
    const Type *cls = self->head.type;
    bool named = type_is_subtype(cls, type_of_error(vm, ERR_NAME));
    bool attribute = type_is_subtype(cls, type_of_error(vm, ERR_ATTRIBUTE));
    bool import = type_is_subtype(cls, type_of_error(vm, ERR_IMPORT));
    if (str_is(name, "name") && (named || attribute || import)) {
        return quoted_name(vm, self, attribute ? 1 : 0);
    }
    if (import && str_is(name, "msg")) {
        return argument_or_none(self->args, 0);
    }
    if (attribute && str_is(name, "obj")) {
        return value_unbound(self->subject) ? VALUE_NONE
                                            : value_retain(self->subject);
    }
    return import && str_is(name, "path") ? VALUE_NONE : VALUE_UNBOUND;
}

// The attributes that one class of errors has more than the others; UNBOUND
// for other names. They are read from args.
static Value special_attribute(Vm *vm, const Exception *self, const Str *name)
{
    Value found = syntax_attribute(vm, self, name);
    found = value_unbound(found) ? name_attribute(vm, self, name) : found;
    if (!value_unbound(found)) {
        return found;
    }
    static const char *const os_names[] = {"errno", "strerror", "filename"};
    const Type *cls = self->head.type;
    const Tuple *args = self->args;
    if (str_is(name, "value") &&
        type_is_subtype(cls, type_of_error(vm, ERR_STOP_ITERATION))) {
        return argument_or_none(args, 0);
    }
    // Several arguments to SystemExit are its code as a tuple.
    if (str_is(name, "code") &&
        type_is_subtype(cls, type_of_error(vm, ERR_SYSTEM_EXIT))) {
        return args->count > 1 ? value_retain(value_from_object(args))
                               : argument_or_none(args, 0);
    }
    if (!type_is_subtype(cls, type_of_error(vm, ERR_OS))) {
        return VALUE_UNBOUND;
    }
    for (size_t i = 0; i < 3; i++) {
        if (str_is(name, os_names[i])) {
            return args->count < 2 ? VALUE_NONE : argument_or_none(args, i);
        }
    }
    return VALUE_UNBOUND;
}

// What a program has set itself comes first; the special names answer only when
// the usual look-up has failed.
static Value exception_get_attr(Vm *vm, Value self, Str *name)
{
    Value found = attr_get_generic(vm, self, name);
    // Errors other than a missing attribute, of a property say, go through.
    if (!value_failed(found) || !raise_matches(vm, ERR_ATTRIBUTE)) {
        return found;
    }
    Value special = special_attribute(vm, value_as_exception(self), name);
    if (!value_unbound(special)) {
        raise_clear(vm);
        return special;
    }
    return VALUE_FAIL;
}

// All error classes share this layout and these slots: what differs between
// them is decided by the class of the instance.
const TypeDef exception_type_def = {
    .name = "BaseException",
    .doc = "The base of all exceptions.",
    .params = "*args",
    .kind = KIND_EXCEPTION,
    .size = sizeof(Exception),
    .flags = TYPE_TRACKED | TYPE_EXCEPTION | TYPE_HAS_DICT,
    .slots = {.destroy = exception_destroy,
              .visit = exception_visit,
              .clear = exception_clear,
              .make = exception_make,
              .init = exception_init,
              .repr = exception_repr,
              .str = exception_str,
              .get_attr = exception_get_attr},
    .methods = exception_methods,
    .members = exception_members};

// An entry owns its code, which knows the file and the lines.
static void traceback_destroy(Vm *vm, Object *object)
{
    Traceback *self = (Traceback *)object;
    for (uint32_t i = 0; i < self->count; i++) {
        object_release(&vm->ctx, self->entries[i].code);
    }
    ctx_free(&vm->ctx, self->entries,
             self->capacity * sizeof *self->entries);
    object_free(vm, self, sizeof *self);
}

// Not tracked: code objects do not lead back to it.
const TypeDef traceback_type_def = {
    .name = "traceback",
    .doc = "The frames that an exception passed.",
    .kind = KIND_TRACEBACK,
    .size = sizeof(Traceback),
    .flags = TYPE_FINAL,
    .slots = {.destroy = traceback_destroy}};
