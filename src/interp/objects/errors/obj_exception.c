// Exceptions: BaseException, whose layout all error classes share, and
// tracebacks.
//
// Invariant: args is never NULL; cause and context are exceptions or NONE.
#include "interp/objects/errors/obj_exception.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/code/code.h"
#include "interp/objects/errors/exception_family.h"
#include "interp/objects/errors/exception_fields.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

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
    Traceback *self =
        object_new(vm, type_of_kind(vm, KIND_TRACEBACK), sizeof *self);
    if (self != NULL) {
        self->entries = NULL;
        self->count = self->capacity = 0;
        self->kept = (ValueVec){0};
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
    // The fields are an array that only some classes have.
    for (int i = 0; self->fields != NULL && i < EXCEPTION_FIELD_MAX; i++) {
        release(vm, self->fields[i]);
    }
    ctx_free(&vm->ctx, self->fields,
             self->fields == NULL ? 0
                                  : EXCEPTION_FIELD_MAX * sizeof *self->fields);
    source_release((struct Ctx *)&vm->ctx, self->source);
    object_free(vm, self, sizeof *self);
}

// A traceback is left out: its entries hold code alone, not frames, so that no
// cycle passes through it.
static void exception_visit(Object *object, void (*visit)(Object *, void *),
                            void *data)
{
    Exception *self = (Exception *)object;
    Value values[] = {self->cause, self->context, self->notes, self->subject};
    // Never NULL, by the invariant.
    visit(&self->args->head, data);
    if (self->traceback != NULL) {
        visit(&self->traceback->head, data);
    }
    if (self->dict != NULL) {
        visit(&self->dict->head, data);
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (value_is_object(values[i])) {
            visit(value_object(values[i]), data);
        }
    }
    for (int i = 0; self->fields != NULL && i < EXCEPTION_FIELD_MAX; i++) {
        if (value_is_object(self->fields[i])) {
            visit(value_object(self->fields[i]), data);
        }
    }
}

// args become the empty tuple, as by the invariant there always are some; a
// cycle may pass through them alone (e.args = (e,)).
static void exception_clear(Vm *vm, Object *object)
{
    Exception *self = (Exception *)object;
    // Each field is emptied before its old value is released, whose code may
    // look at the exception.
    Dict *dict = self->dict;
    self->dict = NULL;
    object_release_null(&vm->ctx, dict);
    Traceback *traceback = self->traceback;
    self->traceback = NULL;
    object_release_null(&vm->ctx, traceback);
    if (vm->empty_tuple != NULL) {
        Tuple *args = self->args;
        self->args = object_retain(vm->empty_tuple);
        object_release(&vm->ctx, args);
    }
    value_replace(&vm->ctx, &self->cause, VALUE_NONE);
    value_replace(&vm->ctx, &self->context, VALUE_NONE);
    value_replace(&vm->ctx, &self->notes, VALUE_UNBOUND);
    value_replace(&vm->ctx, &self->subject, VALUE_UNBOUND);
    for (int i = 0; self->fields != NULL && i < EXCEPTION_FIELD_MAX; i++) {
        value_replace(&vm->ctx, &self->fields[i], VALUE_UNBOUND);
    }
}

// Whether instances get their args by __init__ alone: a subclass of OSError
// with an __init__ of its own, which may pass others on, and no __new__ of its
// own.
static bool takes_args_later(Vm *vm, const Type *cls)
{
    const TypeSlots *own = &vm->types[KIND_EXCEPTION]->slots;
    return cls->slots.init != own->init && cls->slots.make == own->make &&
           type_is_subtype(cls, type_of_error(vm, ERR_OS));
}

static bool exception_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    Exception *exception = value_as_exception(self);
    // An OSError is complete when it is made.
    if (!takes_args_later(vm, exception->head.type) &&
        (keywords == NULL || keywords->count == 0) &&
        type_is_subtype(exception->head.type, type_of_error(vm, ERR_OS))) {
        return true;
    }
    if (!exception_fields_init(vm, exception, args, keywords)) {
        return false;
    }
    // The new args are in place before the old ones are released.
    Tuple *old = exception->args;
    exception->args = object_retain(args);
    object_release(&vm->ctx, old);
    return true;
}

// OSError(2, "…") is made as the subclass of that errno.
static Type *class_of_errno(Vm *vm, Type *cls, const Tuple *args)
{
    int64_t code;
    // Only for OSError itself: a subclass keeps its own class.
    if (cls != type_of_error(vm, ERR_OS) || args->count < 2 ||
        args->count > 5 || !value_is_int(args->items[0]) ||
        !int_to_i64(args->items[0], &code)) {
        return cls;
    }
    return type_of_error(vm, raise_kind_of_errno((int)code));
}

// args are set here and again in exception_init: a class whose own __init__
// does not call super().__init__ has them nevertheless.
static Value exception_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)keywords;
    // The class of what is made may be another than the one that was called.
    cls = class_of_errno(vm, cls, args);
    Exception *self = exception_new(
        vm, cls, takes_args_later(vm, cls) ? vm->empty_tuple : args);
    // Fields are __init__'s to set, but for OSError.
    if (self != NULL && cls->slots.init != exception_init &&
        !type_is_subtype(cls, type_of_error(vm, ERR_OS)) &&
        !exception_fields_blank(vm, self)) {
        object_release(&vm->ctx, self);
        return VALUE_FAIL;
    }
    return value_or_fail(self);
}

// The args as programs see them: an OSError with a file shows two. Owned.
static Tuple *visible_args(Vm *vm, const Exception *self)
{
    const Tuple *args = self->args;
    bool file = args->count > 2 && args->count <= 5 &&
                type_is_subtype(self->head.type, type_of_error(vm, ERR_OS)) &&
                !exception_counts_written(vm, self);
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
    // A tuple's repr brings its own parentheses.
    Str *result = str_printf(vm, "%s%s%s%s", type_name(exception->head.type),
                             single ? "(" : "", text->text, single ? ")" : "");
    object_release(&vm->ctx, text);
    return value_or_fail(result);
}

// str() of the common classes is str() of the one argument; a KeyError shows
// its repr, so that '' and spaces can be seen; several arguments show as a
// tuple.
static Value exception_str(Vm *vm, Value self)
{
    Exception *exception = value_as_exception(self);
    const Tuple *args = exception->args;
    Str *text = exception_fields_text(vm, exception);
    if (text != NULL || vm_has_error(vm)) {
    } else if (args->count == 0) {
        text = object_retain(vm->empty_str);
    } else if (args->count > 1) {
        text = value_repr(vm, value_from_object(exception->args));
    } else if (type_is_subtype(exception->head.type,
                               type_of_error(vm, ERR_KEY))) {
        text = value_repr(vm, args->items[0]);
    } else {
        text = value_str(vm, args->items[0]);
    }
    return value_or_fail(text);
}

// Not always the stored ones: visible_args.
static Value get_args(Vm *vm, Value self)
{
    return value_or_fail(visible_args(vm, value_as_exception(self)));
}

static bool set_args(Vm *vm, Value self, Value value)
{
    Tuple *args = value_unbound(value) ? NULL : value_to_tuple(vm, value);
    if (args == NULL) {
        return value_unbound(value)
                   ? raise_false(vm, ERR_TYPE, "args may not be deleted")
                   : false;
    }
    Exception *exception = value_as_exception(self);
    // Fields that are read off the args must survive the change.
    if (!note_store(vm, exception, value) ||
        !exception_fields_keep(vm, exception)) {
        object_release(&vm->ctx, args);
        return false;
    }
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
    // A trace that is running is told of every store into an object.
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
    if (value_unbound(value)) {
        return raise_false(vm, ERR_TYPE, "__cause__ may not be deleted");
    }
    if (!set_link(vm, self, &exception->cause, value, "cause")) {
        return false;
    }
    exception->suppress_context = true;
    return true;
}

// An exception or None; anything else is a TypeError.
static bool set_context(Vm *vm, Value self, Value value)
{
    if (value_unbound(value)) {
        return raise_false(vm, ERR_TYPE, "__context__ may not be deleted");
    }
    return set_link(vm, self, &value_as_exception(self)->context, value,
                    "context");
}

static Value get_suppress(Vm *vm, Value self)
{
    (void)vm;
    return value_from_bool(value_as_exception(self)->suppress_context);
}

static bool set_suppress(Vm *vm, Value self, Value value)
{
    if (!value_is_bool(value)) {
        return raise_false(vm, ERR_TYPE,
                           value_unbound(value)
                               ? "can't delete numeric/char attribute"
                               : "attribute value type must be bool");
    }
    Exception *exception = value_as_exception(self);
    if (!note_store(vm, exception, value)) {
        return false;
    }
    exception->suppress_context = value_same(value, VALUE_TRUE);
    return true;
}

static Value get_traceback(Vm *vm, Value self)
{
    (void)vm;
    Traceback *trace = value_as_exception(self)->traceback;
    return trace == NULL ? VALUE_NONE : value_retain(value_from_object(trace));
}

static bool set_traceback(Vm *vm, Value self, Value value)
{
    bool none = value_is_none(value);
    if (value_unbound(value)) {
        return raise_false(vm, ERR_TYPE, "__traceback__ may not be deleted");
    }
    if (!none && !value_is_kind(value, KIND_TRACEBACK)) {
        return raise_false(vm, ERR_TYPE,
                           "__traceback__ must be a traceback or None");
    }
    Exception *exception = value_as_exception(self);
    if (!note_store(vm, exception, value)) {
        return false;
    }
    // NULL if it has not been raised yet.
    Traceback *old = exception->traceback;
    // Not copied: two exceptions may share one.
    exception->traceback = none ? NULL : object_retain(value_object(value));
    object_release_null(&vm->ctx, old);
    return true;
}

// Returns the exception, so that it can stand in a raise statement.
static Value with_traceback(Vm *vm, Value *args)
{
    return set_traceback(vm, args[0], args[1]) ? value_retain(args[0])
                                               : VALUE_FAIL;
}

// The list is made with the first note: __notes__ does not exist before.
static Value add_note(Vm *vm, Value *args)
{
    Exception *exception = value_as_exception(args[0]);
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE, "note must be a str, not '%s'",
                           type_name(type_of(vm, args[1])));
    }
    // A program may append to the list itself, so it is never replaced.
    if (value_unbound(exception->notes)) {
        List *list =
            note_store(vm, exception, args[1]) ? list_new(vm, 0) : NULL;
        if (list == NULL) {
            return VALUE_FAIL;
        }
        exception->notes = value_from_object(list);
    }
    // The program may have set anything.
    if (!value_is_kind(exception->notes, KIND_LIST)) {
        return raise_error(vm, ERR_TYPE,
                           "Cannot add note: __notes__ is not a list");
    }
    // Borrowed from the exception.
    List *notes = value_as_list(exception->notes);
    return value_done(note_store(vm, notes, args[1]) &&
                      list_append(vm, notes, args[1]));
}

static Value get_notes(Vm *vm, Value self)
{
    Value notes = value_as_exception(self)->notes;
    return value_unbound(notes)
               ? raise_error(vm, ERR_ATTRIBUTE,
                             "'%s' object has no attribute '__notes__'",
                             type_name(type_of(vm, self)))
               : value_retain(notes);
}

// Anything may stand there; UNBOUND deletes.
static bool set_notes(Vm *vm, Value self, Value value)
{
    Exception *exception = value_as_exception(self);
    if (value_unbound(value) && value_unbound(exception->notes)) {
        return raise_false(vm, ERR_ATTRIBUTE,
                           "'%s' object has no attribute '__notes__'",
                           type_name(type_of(vm, self)));
    }
    if (!note_store(vm, exception, value)) {
        return false;
    }
    value_replace(&vm->ctx, &exception->notes, value_retain(value));
    return true;
}

static const NativeDef exception_methods[] = {
    {"__reduce__", "self, /", object_reduce_exception, "How it is made again."},
    {"__setstate__", "self, state, /", object_set_exception,
     "Set attributes from a dict."},
    {"with_traceback", "self, tb, /", with_traceback,
     "Set __traceback__ and return self."},
    {"add_note", "self, note, /", add_note,
     "Add a line that is printed below the error."},
    {NULL, NULL, NULL, NULL}};

// What other classes have more is in exception_fields.c.
static const MemberDef exception_members[] = {
    {"args", get_args, set_args, "What the class was called with."},
    {"__cause__", get_cause, set_cause, "raise … from this."},
    {"__context__", get_context, set_context, "What was being handled."},
    {"__suppress_context__", get_suppress, set_suppress,
     "Do not print the context."},
    {"__traceback__", get_traceback, set_traceback, "Where it passed."},
    {"__notes__", get_notes, set_notes, "The notes that add_note added."},
    {NULL, NULL, NULL, NULL}};

// All error classes share this layout and these slots: what differs between
// them is decided by the class of the instance.
const TypeDef exception_type_def = {
    .name = "BaseException",
    .doc = "Common base class for all exceptions",
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
              .str = exception_str},
    .methods = exception_methods,
    .members = exception_members};

// One by one, as what is released may run code that looks at the traceback.
static void traceback_clear(Vm *vm, Object *object)
{
    Traceback *self = (Traceback *)object;
    while (self->kept.count > 0) {
        release(vm, vec_pop(&self->kept));
    }
}

// An entry owns its code, which knows the file and the lines.
static void traceback_destroy(Vm *vm, Object *object)
{
    Traceback *self = (Traceback *)object;
    for (uint32_t i = 0; i < self->count; i++) {
        object_release(&vm->ctx, self->entries[i].code);
    }
    ctx_free(&vm->ctx, self->entries, self->capacity * sizeof *self->entries);
    traceback_clear(vm, object);
    vec_free(&vm->ctx, &self->kept);
    object_free(vm, self, sizeof *self);
}

static Value get_line(Vm *vm, Value self)
{
    (void)vm;
    const Traceback *trace = (Traceback *)value_object(self);
    if (trace->count == 0) {
        return value_from_small(0);
    }
    // Entries stand from the innermost frame out, so the outermost is the last.
    const TracebackEntry *entry = &trace->entries[trace->count - 1];
    Span span = code_span(entry->code, entry->word);
    return value_from_small(source_place(entry->code->source, span.start).line);
}

static Value get_next(Vm *vm, Value self)
{
    const Traceback *trace = (Traceback *)value_object(self);
    if (trace->count <= 1) {
        return VALUE_NONE;
    }
    Traceback *rest = traceback_new(vm);
    if (rest == NULL) {
        return VALUE_FAIL;
    }
    // A copy: entries are an array here, not a chain.
    rest->entries =
        ctx_alloc(&vm->ctx, (trace->count - 1) * sizeof *rest->entries);
    if (rest->entries == NULL) {
        object_release(&vm->ctx, rest);
        return VALUE_FAIL;
    }
    rest->capacity = trace->count - 1;
    for (; rest->count < rest->capacity; rest->count++) {
        rest->entries[rest->count] = trace->entries[rest->count];
        (void)object_retain(rest->entries[rest->count].code);
    }
    return value_from_object(rest);
}

static Value get_frame(Vm *vm, Value self)
{
    return library_call(vm, "_frame", "of_traceback", &self, 1);
}

// The number of its instruction, counted in words of the machine.
static Value get_instruction(Vm *vm, Value self)
{
    (void)vm;
    const Traceback *trace = (Traceback *)value_object(self);
    return value_from_small(
        trace->count == 0 ? 0 : trace->entries[trace->count - 1].word);
}

static const MemberDef traceback_members[] = {
    {"tb_frame", get_frame, NULL, "The outermost frame that it passed."},
    {"tb_lasti", get_instruction, NULL, "The number of its instruction."},
    {"tb_lineno", get_line, NULL, "The line where the frame was."},
    {"tb_next", get_next, NULL, "The frames further in, or None."},
    {NULL, NULL, NULL, NULL}};

// Entries hold codes; what is kept for post-mortem looks may lead back here.
static void traceback_visit(Object *object, void (*visit)(Object *, void *),
                            void *data)
{
    Traceback *self = (Traceback *)object;
    for (size_t i = 0; i < self->kept.count; i++) {
        visit(value_object(self->kept.items[i]), data);
    }
}

// Code objects do not lead back to it, but what the locals held may.
const TypeDef traceback_type_def = {.name = "traceback",
                                    .doc =
                                        "The frames that an exception passed.",
                                    .kind = KIND_TRACEBACK,
                                    .size = sizeof(Traceback),
                                    .flags = TYPE_FINAL | TYPE_TRACKED,
                                    .slots = {.destroy = traceback_destroy,
                                              .visit = traceback_visit,
                                              .clear = traceback_clear},
                                    .members = traceback_members,
                                    .stored = " tb_frame tb_lasti tb_lineno "};
