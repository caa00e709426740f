// Native functions as objects: their parameters, read from the text of the
// descriptor at the first call, and their attributes.
#include <ctype.h>

#include "interp/core/raise.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/native_words.h"
#include "interp/objects/text/obj_str.h"
#include "parser/ast.h"

// A parameter list is walked item by item: commas inside brackets and quotes
// belong to a default.
static size_t item_length(const char *text)
{
    int depth = 0;
    char quote = '\0';
    const char *at = text;
    for (; *at != '\0'; at++) {
        // Inside a text nothing counts but its end.
        if (quote != '\0') {
            quote = *at == quote ? '\0' : quote;
            continue;
        }
        switch (*at) {
        case '\'':
        case '"': quote = *at; break;
        case '(':
        case '[':
        case '{': depth++; break;
        case ')':
        case ']':
        case '}': depth--; break;
        case ',':
            if (depth == 0) {
                return (size_t)(at - text);
            }
            break;
        default: break;
        }
    }
    return (size_t)(at - text);
}

// Steps over an item and what divides it from the next one.
static const char *next_item(const char *text, size_t length)
{
    text += length;
    while (*text == ',' || *text == ' ' || *text == '\n') {
        text++;
    }
    return text;
}

// Room for the parameters: a comma inside a default makes it too large.
static uint32_t count_items(const char *text)
{
    uint32_t count = *text != '\0';
    for (; *text != '\0'; text++) {
        count += *text == ',';
    }
    return count;
}

// Parameters before this one can be given by position only.
static void mark_positional_only(Native *native)
{
    for (uint32_t i = 0; i < native->param_count; i++) {
        native->params[i].kind = PARAM_POSITIONAL_ONLY;
    }
}

// Appends one parameter; `text` begins with its name. A name without "=" among
// the positional ones is required. The defaults stay as text: a body sees
// UNBOUND for a parameter that was not given and supplies its own.
static bool add_param(Vm *vm, Native *native, const char *text, size_t length,
                      ParamKind kind)
{
    size_t name = 0;
    while (name < length &&
           (isalnum((unsigned char)text[name]) || text[name] == '_')) {
        name++;
    }
    // Defaults hold no "=" before this one, as names come first.
    const char *equals = memchr(text, '=', length);
    NativeParam *param = &native->params[native->param_count];
    param->name = str_intern(vm, text, name);
    param->default_text = equals != NULL ? equals + 1 : NULL;
    param->kind = (uint8_t)kind;
    if (param->name == NULL) {
        return false;
    }
    native->param_count++;
    if (kind == PARAM_POSITIONAL) {
        native->positional_count++;
        native->required_count += equals == NULL;
    }
    return true;
}

// The forms are Python's: "/" ends the positional-only parameters, "*" alone or
// *args begins the keyword-only ones. NATIVE_SIMPLE says that arguments by
// position can be passed to the body without any of that in play.
static bool parse_params(Vm *vm, Native *native, const char *text)
{
    ParamKind kind = PARAM_POSITIONAL;
    while (*text != '\0') {
        size_t length = item_length(text);
        bool added = true;
        if (*text == '/') {
            mark_positional_only(native);
            // The bare star takes no argument: it has no parameter of its own.
        } else if (length == 1 && *text == '*') {
            kind = PARAM_KEYWORD_ONLY;
        } else if (strncmp(text, "**", 2) == 0) {
            added =
                add_param(vm, native, text + 2, length - 2, PARAM_VARKEYWORDS);
        } else if (*text == '*') {
            added = add_param(vm, native, text + 1, length - 1, PARAM_VARARGS);
            kind = PARAM_KEYWORD_ONLY;
        } else {
            added = add_param(vm, native, text, length, kind);
        }
        if (!added) {
            return false;
        }
        text = next_item(text, length);
    }
    // Such a native may get the caller's window as it is.
    if (native->positional_count == native->param_count) {
        native->flags |= NATIVE_SIMPLE;
        // What a trace tells of goes by call.c, too.
        if (native->param_count <= NATIVE_DIRECT_MOST &&
            !(native->flags & (NATIVE_READS | NATIVE_CHANGES))) {
            native->direct_least = native->required_count;
            native->direct_span =
                native->positional_count - native->required_count;
        }
    }
    return true;
}

// The block's size follows from the text alone, so it need not be stored for
// the time when the block is freed.
static size_t params_size(const Native *native)
{
    return count_items(native->def->params) * sizeof(NativeParam);
}

// `def` is static data and outlives the object; `owner` is borrowed. The
// parameters are left unread: most of the natives made at the start are never
// called.
static Native *make_native(Vm *vm, Type *cls, const NativeDef *def, Type *owner,
                           uint16_t flags)
{
    Native *self = object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    // The assignment below would wipe the count and type that object_new set.
    Object head = self->head;
    *self = (Native){.head = head,
                     .def = def,
                     .function = def->function,
                     .flags = flags,
                     .direct_least = UINT32_MAX,
                     .self = VALUE_UNBOUND,
                     .owner = owner};
    // Interned, as __name__ is compared with other names.
    self->name = str_intern(vm, def->name, strlen(def->name));
    if (self->name == NULL) {
        object_release(&vm->ctx, self);
        return NULL;
    }
    return self;
}

Native *native_new(Vm *vm, const NativeDef *def, Type *owner)
{
    return make_native(
        vm, owner == NULL ? vm->types[KIND_NATIVE] : vm->native_method_type,
        def, owner, 0);
}

Native *native_new_slot(Vm *vm, const NativeDef *def, Type *owner)
{
    return make_native(vm, vm->native_slot_type, def, owner, NATIVE_SLOT);
}

// Leaves the native as if its parameters had not been read; only the first
// param_count entries have names.
static void free_params(Vm *vm, Native *self)
{
    if (self->params == NULL) {
        return;
    }
    for (uint32_t i = 0; i < self->param_count; i++) {
        object_release(&vm->ctx, self->params[i].name);
    }
    ctx_free(&vm->ctx, self->params, params_size(self));
    self->params = NULL;
    self->param_count = self->positional_count = self->required_count = 0;
}

// On failure everything is undone, so that the next call may try again.
bool native_read_params(Vm *vm, Native *self)
{
    size_t size = params_size(self);
    self->params = size > 0 ? ctx_alloc_zero(&vm->ctx, size) : NULL;
    if ((size > 0 && self->params == NULL) ||
        !parse_params(vm, self, self->def->params)) {
        free_params(vm, self);
        return false;
    }
    self->flags |= NATIVE_READ;
    return true;
}

static void native_destroy(Vm *vm, Object *object)
{
    Native *self = (Native *)object;
    free_params(vm, self);
    object_release_null(&vm->ctx, self->name);
    release(vm, self->self);
    object_free(vm, self, sizeof *self);
}

#define AS_NATIVE(value) ((Native *)value_object(value))

static Value native_repr(Vm *vm, Value value)
{
    Native *self = (Native *)value_object(value);
    Str *text =
        self->owner != NULL
            ? str_printf(vm, "<%s '%s' of '%s' objects>",
                         self->flags & NATIVE_SLOT ? "slot wrapper" : "method",
                         self->def->name, type_name(self->owner))
        : self->flags & NATIVE_MAKES
            ? str_printf(vm, "<built-in method %s of type object at %p>",
                         self->def->name, self->data)
            : str_printf(vm, "<built-in function %s>", self->def->name);
    return value_or_fail(text);
}

static Value native_get_name(Vm *vm, Value self)
{
    (void)vm;
    return value_from_object(object_retain(AS_NATIVE(self)->name));
}

// A method's holds its type's name: "list.append".
static Value native_get_qualname(Vm *vm, Value self)
{
    Native *native = AS_NATIVE(self);
    // The place of a class method or a __new__ is its type, "re.Pattern".
    bool of_type = native->flags & (NATIVE_MAKES | NATIVE_OF_CLASS);
    const char *dot = of_type ? strrchr(native->place, '.') : NULL;
    const char *owner = native->owner != NULL ? type_short_name(native->owner)
                        : !of_type            ? NULL
                        : dot != NULL         ? dot + 1
                                              : native->place;
    return owner == NULL ? native_get_name(vm, self)
                         : value_or_fail(str_printf(vm, "%s.%s", owner,
                                                    native->def->name));
}

static Value native_get_doc(Vm *vm, Value self)
{
    const char *doc = AS_NATIVE(self)->def->doc;
    return doc != NULL ? str_value_from(vm, doc) : VALUE_NONE;
}

// The name of a function's module. NULL: it belongs to a type.
static const char *module_of(const Native *native)
{
    return native->owner != NULL ||
                   native->flags & (NATIVE_MAKES | NATIVE_OF_CLASS)
               ? NULL
           : native->place != NULL ? native->place
                                   : "builtins";
}

// What belongs to a type has none.
static Value native_get_module(Vm *vm, Value self)
{
    const char *module = module_of(AS_NATIVE(self));
    return module == NULL ? VALUE_NONE : str_value_from(vm, module);
}

// Of a function its module, of a __new__ its type.
static Value native_get_self(Vm *vm, Value self)
{
    const Native *native = AS_NATIVE(self);
    if (native->flags & NATIVE_MAKES) {
        return value_from_object(object_retain((Type *)native->data));
    }
    const char *module = module_of(native);
    if (module == NULL) {
        return raise_error(vm, ERR_ATTRIBUTE,
                           "'%s' object has no attribute '__self__'",
                           type_name(type_of(vm, self)));
    }
    Str *name = str_intern(vm, module, strlen(module));
    if (name == NULL) {
        return VALUE_FAIL;
    }
    Value found = dict_get_name(vm->modules, name);
    object_release(&vm->ctx, name);
    return value_unbound(found) ? VALUE_NONE : value_retain(found);
}

static Value native_get_class(Vm *vm, Value self)
{
    Type *owner = AS_NATIVE(self)->owner;
    return owner != NULL
               ? value_from_object(object_retain(owner))
               : raise_error(vm, ERR_ATTRIBUTE,
                             "'%s' object has no attribute '__objclass__'",
                             type_name(type_of(vm, self)));
}

static Value native_get_signature(Vm *vm, Value self)
{
    return value_or_fail(str_printf(vm, "(%s)", AS_NATIVE(self)->def->params));
}

// Read-only: natives are shared by everything that runs on the Vm.
static const MemberDef native_members[] = {
    {"__name__", native_get_name, NULL, "Its name."},
    {"__qualname__", native_get_qualname, NULL, "Its name with its type's."},
    {"__doc__", native_get_doc, NULL, "What it does."},
    {"__module__", native_get_module, NULL, "The module it belongs to."},
    {"__self__", native_get_self, NULL, "What it belongs to."},
    {"__objclass__", native_get_class, NULL, "The type whose method it is."},
    {"__text_signature__", native_get_signature, NULL, "Its parameters."},
    {NULL, NULL, NULL, NULL},
};

// Not tracked: what a native owns does not lead back to it.
#define NATIVE_TYPE(text, words)                                               \
    {                                                                          \
        .name = text, .doc = words, .kind = KIND_NATIVE,                       \
        .size = sizeof(Native), .flags = TYPE_FINAL,                           \
        .slots = {.destroy = native_destroy,                                   \
                  .repr = native_repr,                                         \
                  .call = vm_call_keywords},                                   \
        .members = native_members, .stored = " __name__ __objclass__ "         \
    }

const TypeDef native_type_def =
    NATIVE_TYPE("builtin_function_or_method", "A function written in C.");
const TypeDef native_method_type_def =
    NATIVE_TYPE("method_descriptor", "A method of a built-in type.");
const TypeDef native_slot_type_def =
    NATIVE_TYPE("wrapper_descriptor", "A method that stands for a slot.");
