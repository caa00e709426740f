// Functions, native functions, bound methods and cells as objects: making
// them, their attributes, what the collector sees. Calling them is call.c's.
//
// Invariant: code, globals, name and qualname of a Function are never NULL.
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/function_make.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/native_words.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

typedef void (*ChildVisitor)(Object *child, void *data);

// Immediate values are of no concern to the collector. For fields that hold any
// value.
static void visit_value(Value value, ChildVisitor visit, void *data)
{
    if (value_is_object(value)) {
        visit(value_object(value), data);
    }
}

// Fields may be NULL.
static void visit_object(void *object, ChildVisitor visit, void *data)
{
    if (object != NULL) {
        visit((Object *)object, data);
    }
}

// A field that may be NULL, as an attribute.
static Value object_or_none(void *object)
{
    return object == NULL ? VALUE_NONE
                          : value_from_object(object_retain(object));
}

// --- functions ---

// Defaults, annotations and cells are filled in by the instruction that makes
// the function.
Function *function_new(Vm *vm, Code *code, Dict *globals)
{
    size_t size = sizeof(Function) + code->captured_count * sizeof(Value);
    Function *self = object_new(vm, vm->types[KIND_FUNCTION], size);
    if (self == NULL) {
        return NULL;
    }
    // The assignment below would wipe the count and type that object_new set.
    Object head = self->head;
    *self = (Function){
        .head = head,
        .code = object_retain(code),
        .globals = object_retain(globals),
        .name = object_retain(code->name),
        .qualname = object_retain(code->qualname),
        .doc = object_or_none(code->doc),
        // UNBOUND in globals without a __name__.
        .module = value_retain(dict_get_name(globals, vm->names[NAME_NAME])),
        .cell_count = code->captured_count,
    };
    for (uint32_t i = 0; i < self->cell_count; i++) {
        self->cells[i] = VALUE_UNBOUND;
    }
    return self;
}

// doc and module may be UNBOUND, which releases to nothing. Cells are counted
// by each function that shares them.
static void function_destroy(Vm *vm, Object *object)
{
    Function *self = (Function *)object;
    Ctx *ctx = &vm->ctx;
    object_release(ctx, self->code);
    object_release(ctx, self->globals);
    object_release(ctx, self->name);
    object_release(ctx, self->qualname);
    release(vm, self->doc);
    release(vm, self->module);
    // These are NULL while nothing was set.
    object_release_null(ctx, self->defaults);
    object_release_null(ctx, self->keyword_defaults);
    object_release_null(ctx, self->annotations);
    object_release_null(ctx, self->dict);
    for (uint32_t i = 0; i < self->cell_count; i++) {
        release(vm, self->cells[i]);
    }
    object_free(vm, self, sizeof *self + self->cell_count * sizeof(Value));
}

// Code and names refer to no container that could lead back here. doc and
// module are texts as a rule; where they are not, they are leaves all the same.
static void function_visit(Object *object, ChildVisitor visit, void *data)
{
    Function *self = (Function *)object;
    visit_object(self->globals, visit, data);
    visit_object(self->defaults, visit, data);
    visit_object(self->keyword_defaults, visit, data);
    visit_object(self->annotations, visit, data);
    visit_object(self->dict, visit, data);
    for (uint32_t i = 0; i < self->cell_count; i++) {
        visit_value(self->cells[i], visit, data);
    }
}

// The rest may be needed by a finaliser that still runs: cells are enough to
// break every cycle through a closure, defaults and attributes the others.
static void function_clear(Vm *vm, Object *object)
{
    Function *self = (Function *)object;
    for (uint32_t i = 0; i < self->cell_count; i++) {
        value_replace(&vm->ctx, &self->cells[i], VALUE_UNBOUND);
    }
    Tuple *defaults = self->defaults;
    Dict *dict = self->dict;
    self->defaults = NULL;
    self->dict = NULL;
    object_release_null(&vm->ctx, defaults);
    object_release_null(&vm->ctx, dict);
}

static Value function_repr(Vm *vm, Value value)
{
    Function *self = (Function *)value_object(value);
    return value_or_fail(str_printf(vm, "<function %s at %p>",
                                    self->qualname->text, (void *)self));
}

#define AS_FUNCTION(value) ((Function *)value_object(value))

// Owned; never NULL, by the invariant.
static Value function_get_name(Vm *vm, Value self)
{
    (void)vm;
    return object_or_none(AS_FUNCTION(self)->name);
}

static Value function_get_qualname(Vm *vm, Value self)
{
    (void)vm;
    return object_or_none(AS_FUNCTION(self)->qualname);
}

// Deletion (UNBOUND) is refused with the same words as a wrong type. Only exact
// checks: a subclass of str will do.
static bool set_str_field(Vm *vm, Str **field, Value value, const char *name)
{
    if (!value_is_str(value)) {
        return raise_false(vm, ERR_TYPE, "%s must be set to a string object",
                           name);
    }
    // The field never is NULL, by the invariant.
    Str *old = *field;
    *field = object_retain(value_object(value));
    object_release(&vm->ctx, old);
    return true;
}

// A rename is a store: a trace may have read the name.
static bool function_set_name(Vm *vm, Value self, Value value)
{
    return note_store(vm, value_object(self), value) &&
           set_str_field(vm, &AS_FUNCTION(self)->name, value, "__name__");
}

static bool function_set_qualname(Vm *vm, Value self, Value value)
{
    return note_store(vm, value_object(self), value) &&
           set_str_field(vm, &AS_FUNCTION(self)->qualname, value,
                         "__qualname__");
}

// A stored Value that reads as None while it is not set.
static Value value_or_none(Value value)
{
    return value_unbound(value) ? VALUE_NONE : value_retain(value);
}

// Any value, UNBOUND for a deletion. None of these fields is asked for its
// type.
static bool set_value_field(Vm *vm, Value self, Value *field, Value value)
{
    if (!note_store(vm, value_object(self), value)) {
        return false;
    }
    value_replace(&vm->ctx, field, value_retain(value));
    return true;
}

static Value function_get_doc(Vm *vm, Value self)
{
    (void)vm;
    return value_or_none(AS_FUNCTION(self)->doc);
}

static bool function_set_doc(Vm *vm, Value self, Value value)
{
    return set_value_field(vm, self, &AS_FUNCTION(self)->doc, value);
}

// The name, not the module: what __name__ was when the function was made.
static Value function_get_module(Vm *vm, Value self)
{
    (void)vm;
    return value_or_none(AS_FUNCTION(self)->module);
}

static bool function_set_module(Vm *vm, Value self, Value value)
{
    return set_value_field(vm, self, &AS_FUNCTION(self)->module, value);
}

// Code is immutable here and has no setter.
static Value function_get_code(Vm *vm, Value self)
{
    (void)vm;
    return object_or_none(AS_FUNCTION(self)->code);
}

static Value function_get_globals(Vm *vm, Value self)
{
    (void)vm;
    return object_or_none(AS_FUNCTION(self)->globals);
}

// The defaults under a key of note_read; NULL: none.
static Value get_defaults(Vm *vm, Value self, Value key, void *held)
{
    Value value = held == NULL ? VALUE_UNBOUND : value_from_object(held);
    return note_read(vm, value_object(self), key, value) ? object_or_none(held)
                                                         : VALUE_FAIL;
}

static Value function_get_defaults(Vm *vm, Value self)
{
    return get_defaults(vm, self, VALUE_NONE, AS_FUNCTION(self)->defaults);
}

// A field that holds an object of one kind, or NULL for None. `what` opens the
// TypeError.
static bool set_object_field(Vm *vm, Value self, void *field, Kind kind,
                             Value value, const char *what)
{
    // None and deletion both mean that there is none.
    bool empty = value_is_none(value) || value_unbound(value);
    if (!empty && !value_is_kind(value, kind)) {
        return raise_false(vm, ERR_TYPE, "%s object", what);
    }
    if (!note_store(vm, value_object(self), value)) {
        return false;
    }
    // Fields of several pointer types come here: memcpy reads and writes them
    // without breaking C's aliasing rules.
    void *old, *new = empty ? NULL : object_retain(value_object(value));
    memcpy(&old, field, sizeof old);
    memcpy(field, &new, sizeof new);
    object_release_null(&vm->ctx, old);
    return true;
}

// The new tuple counts from the next call on.
static bool function_set_defaults(Vm *vm, Value self, Value value)
{
    return set_object_field(vm, self, &AS_FUNCTION(self)->defaults, KIND_TUPLE,
                            value, "__defaults__ must be set to a tuple");
}

// The dict itself: changes to it count from the next call on. None without any.
static Value function_get_kwdefaults(Vm *vm, Value self)
{
    return get_defaults(vm, self, VALUE_TRUE,
                        AS_FUNCTION(self)->keyword_defaults);
}

static bool function_set_kwdefaults(Vm *vm, Value self, Value value)
{
    return set_object_field(vm, self, &AS_FUNCTION(self)->keyword_defaults,
                            KIND_DICT, value,
                            "__kwdefaults__ must be set to a dict");
}

// Made at the first question, so that functions without annotations need no
// dict, and kept, so that changes to it stay.
static Value function_get_annotations(Vm *vm, Value self)
{
    Function *function = AS_FUNCTION(self);
    if (function->annotations == NULL) {
        function->annotations = dict_new(vm);
        if (function->annotations == NULL) {
            return VALUE_FAIL;
        }
    }
    return object_or_none(function->annotations);
}

// A dict; None and deletion leave none, and a new one is made at the next
// question.
static bool function_set_annotations(Vm *vm, Value self, Value value)
{
    return set_object_field(vm, self, &AS_FUNCTION(self)->annotations,
                            KIND_DICT, value,
                            "__annotations__ must be set to a dict");
}

// A new tuple of the cells themselves, shared with the function.
static Value function_get_closure(Vm *vm, Value self)
{
    Function *function = AS_FUNCTION(self);
    if (function->cell_count == 0) {
        return VALUE_NONE;
    }
    return value_or_fail(tuple_from(vm, function->cells, function->cell_count));
}

static const MemberDef function_members[] = {
    {"__name__", function_get_name, function_set_name, "Its name."},
    {"__qualname__", function_get_qualname, function_set_qualname,
     "Its name with the classes and functions around it."},
    {"__doc__", function_get_doc, function_set_doc, "Its docstring."},
    {"__module__", function_get_module, function_set_module,
     "The name of its module."},
    {"__code__", function_get_code, NULL, "Its code object."},
    {"__globals__", function_get_globals, NULL, "Its module's names."},
    {"__defaults__", function_get_defaults, function_set_defaults,
     "Defaults of the last positional parameters."},
    {"__kwdefaults__", function_get_kwdefaults, function_set_kwdefaults,
     "Defaults of keyword-only parameters."},
    {"__annotations__", function_get_annotations, function_set_annotations,
     "Annotations of parameters and of the result."},
    {"__closure__", function_get_closure, NULL, "Its captured cells."},
    {NULL, NULL, NULL, NULL},
};

const TypeDef function_type_def = {
    .name = "function",
    .doc = "A function written in Duet.",
    .kind = KIND_FUNCTION,
    .size = sizeof(Function),
    .flags = TYPE_FINAL | TYPE_TRACKED | TYPE_HAS_DICT,
    .slots = {.destroy = function_destroy,
              .visit = function_visit,
              .clear = function_clear,
              .make = function_make,
              .repr = function_repr,
              .call = vm_call_keywords},
    .members = function_members,
    .stored = " __builtins__ __closure__ __globals__ ",
};

// --- bound methods ---

static const TypeDef wrapper_type_def;

// A method of a built-in type, once bound, goes by another name: messages show
// it. Borrowed; NULL: no memory.
static Type *method_type(Vm *vm, Value function)
{
    if (!value_is_kind(function, KIND_NATIVE)) {
        return vm->types[KIND_METHOD];
    }
    const TypeDef *def = ((Native *)value_object(function))->flags & NATIVE_SLOT
                             ? &wrapper_type_def
                             : &bound_native_type_def;
    return type_variant(vm, def, def->name);
}

// Retains both. `function` may be any callable. NULL: memory.
Method *method_new(Vm *vm, Value function, Value self)
{
    Type *cls = method_type(vm, function);
    Method *method = cls == NULL ? NULL : object_new(vm, cls, sizeof *method);
    if (method != NULL) {
        method->function = value_retain(function);
        method->self = value_retain(self);
    }
    return method;
}

Value method_bind(Vm *vm, Value self, Value instance, Type *owner)
{
    (void)owner;
    if (value_unbound(instance)) {
        return value_retain(self);
    }
    return value_or_fail(method_new(vm, self, instance));
}

#define AS_METHOD(value) ((Method *)value_object(value))

// Both parts are owned.
static void method_destroy(Vm *vm, Object *object)
{
    Method *self = (Method *)object;
    release(vm, self->function);
    release(vm, self->self);
    object_free(vm, self, sizeof *self);
}

// An instance that stores its own method is a cycle through here.
static void method_visit(Object *object, ChildVisitor visit, void *data)
{
    Method *self = (Method *)object;
    visit_value(self->function, visit, data);
    visit_value(self->self, visit, data);
}

// `self` alone breaks the cycle; NONE keeps the method callable by code that
// still runs.
static void method_clear(Vm *vm, Object *object)
{
    value_replace(&vm->ctx, &((Method *)object)->self, VALUE_NONE);
}

// "Point.move" of a function or anything else with a __qualname__. Owned. NULL:
// failed; "?" where there is no such name.
static Str *method_qualname(Vm *vm, Value function)
{
    Value name = value_find_attr(vm, function, vm->names[NAME_QUALNAME]);
    if (value_is_str(name)) {
        return value_as_str(name);
    }
    release(vm, name);
    return value_failed(name) ? NULL : str_from(vm, "?");
}

// Those of built-in types show the type of what they are bound to.
static Value native_method_repr(Vm *vm, Value value)
{
    const Native *native =
        (const Native *)value_object(AS_METHOD(value)->function);
    Value self = AS_METHOD(value)->self;
    const void *address =
        value_is_object(self) ? value_object(self) : (const void *)&native->def;
    bool slot = native->flags & NATIVE_SLOT;
    return value_or_fail(str_printf(
        vm, "<%s%s%s of %s object at %p>",
        slot ? "method-wrapper '" : "built-in method ", native->def->name,
        slot ? "'" : "", type_name(type_of(vm, self)), address));
}

static Value method_repr(Vm *vm, Value value)
{
    if (value_is_kind(AS_METHOD(value)->function, KIND_NATIVE)) {
        return native_method_repr(vm, value);
    }
    Str *name = method_qualname(vm, AS_METHOD(value)->function);
    // The repr of the instance may run Duet code, and fail.
    Str *self = name == NULL ? NULL : value_repr(vm, AS_METHOD(value)->self);
    Str *text = self == NULL ? NULL
                             : str_printf(vm, "<bound method %s of %s>",
                                          name->text, self->text);
    object_release_null(&vm->ctx, name);
    object_release_null(&vm->ctx, self);
    return value_or_fail(text);
}

// Identity of both parts: equal instances have unequal methods.
static Value method_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) ||
        !value_is_kind(a, KIND_METHOD) || !value_is_kind(b, KIND_METHOD)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    (void)vm;
    bool equal = value_same(AS_METHOD(a)->function, AS_METHOD(b)->function) &&
                 value_same(AS_METHOD(a)->self, AS_METHOD(b)->self);
    return value_from_bool(equal == (op == COMPARE_EQ));
}

// Of the same two identities; the low bits of addresses are all alike. Two
// methods of one object and function hash alike, though each look-up makes a
// new one.
static bool method_hash(Vm *vm, Value value, uint64_t *hash)
{
    (void)vm;
    *hash = (VALUE_BITS(AS_METHOD(value)->function) >> 4) * 31 +
            (VALUE_BITS(AS_METHOD(value)->self) >> 4);
    return true;
}

// Owned, as attributes are.
static Value method_get_function(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(AS_METHOD(self)->function);
}

static Value method_get_self(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(AS_METHOD(self)->self);
}

static const MemberDef method_members[] = {
    {"__func__", method_get_function, NULL, "What a call of it calls."},
    {"__self__", method_get_self, NULL, "What a call of it hands over first."},
    {NULL, NULL, NULL, NULL},
};

// A method of the function takes what a call takes: with self in front. Takes
// `found`, which may have failed.
static Value bind_call_like(Vm *vm, Value self, Value found)
{
    if (value_failed(found) || !value_is_kind(found, KIND_METHOD)) {
        return found;
    }
    Method *bound = method_new(vm, found, AS_METHOD(self)->self);
    release(vm, found);
    return value_or_fail(bound);
}

// What a method does not have itself it shows of its function. A method has no
// attributes of its own, so setting one fails.
static Value method_get_attr(Vm *vm, Value self, Str *name)
{
    // What its type has comes before what the function has: __class__,
    // __call__, __repr__.
    Value own = type_lookup(vm, type_of(vm, self), name);
    if (value_failed(own)) {
        return own;
    }
    if (value_is_kind(own, KIND_MEMBER)) {
        return attr_get_generic(vm, self, name);
    }
    if (value_is_kind(own, KIND_NATIVE)) {
        return value_or_fail(method_new(vm, own, self));
    }
    Value function = AS_METHOD(self)->function;
    if (!value_is_kind(function, KIND_NATIVE)) {
        Value found = value_get_attr(vm, function, name);
        return type_of(vm, function)->flags & TYPE_CALL_LIKE
                   ? bind_call_like(vm, self, found)
                   : found;
    }
    // Bound, a method of a built-in type is one object and does not bind once
    // more.
    Value found = str_is(name, "__get__") ? VALUE_UNBOUND
                                          : value_find_attr(vm, function, name);
    return value_unbound(found) ? attr_missing(vm, self, name) : found;
}

// types.MethodType(function, object): any callable, bound. __new__ alone has
// the arguments.
static Value method_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls;
    if (keywords != NULL && keywords->count > 0) {
        return raise_error(vm, ERR_TYPE, "method() takes no keyword arguments");
    }
    if (args->count != 2) {
        return raise_error(vm, ERR_TYPE, "method expected 2 arguments, got %zu",
                           (size_t)args->count);
    }
    if (!value_is_callable(vm, args->items[0])) {
        return raise_error(vm, ERR_TYPE, "first argument must be callable");
    }
    if (value_is_none(args->items[1])) {
        return raise_error(vm, ERR_TYPE, "self must not be None");
    }
    return value_or_fail(method_new(vm, args->items[0], args->items[1]));
}

#define METHOD_TYPE(text)                                                      \
    {                                                                          \
        .name = text,                                                          \
        .doc = "A function bound to the object that it was read from.",        \
        .kind = KIND_METHOD, .size = sizeof(Method),                           \
        .flags = TYPE_FINAL | TYPE_TRACKED,                                    \
        .slots = {.destroy = method_destroy,                                   \
                  .visit = method_visit,                                       \
                  .clear = method_clear,                                       \
                  .make = method_make,                                         \
                  .repr = method_repr,                                         \
                  .hash = method_hash,                                         \
                  .compare = method_compare,                                   \
                  .get_attr = method_get_attr,                                 \
                  .call = vm_call_keywords},                                   \
        .members = method_members,                                             \
    }

const TypeDef method_type_def = METHOD_TYPE("method");
const TypeDef bound_native_type_def = METHOD_TYPE("builtin_function_or_method");
static const TypeDef wrapper_type_def = METHOD_TYPE("method-wrapper");
