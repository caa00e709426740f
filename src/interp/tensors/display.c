// The forms that libraries set for kinds of values.
//
// Invariant: forms[] holds callables or VALUE_UNBOUND; without vm->display
// every kind prints its native form.
#include "interp/tensors/display.h"

#include <limits.h>

#include "interp/objects/classes/obj_module.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/code/code.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/obj_tensor.h"
#include "ops/tensor_print.h"

// One a Vm, made when the first form is set. The Values are owned.
struct Display {
    Value reprs[DISPLAY_KIND_COUNT];   // called with the value; UNBOUND: none
    Value strs[DISPLAY_KIND_COUNT];    // likewise, for str()
    Value formats[DISPLAY_KIND_COUNT]; // called with the value and the spec
};

// In the order of DisplayKind: the index is the kind.
static const char *const kind_names[] = {
#define X(id, name) name,
    DISPLAY_KINDS(X)
#undef X
};

// Most programs set no form, so the table is not made with the Vm.
// False: no memory.
static bool make_display(Vm *vm)
{
    if (vm->display == NULL) {
        vm->display = ctx_alloc(&vm->ctx, sizeof *vm->display);
        if (vm->display == NULL) {
            return false;
        }
        for (int i = 0; i < DISPLAY_KIND_COUNT; i++) {
            vm->display->reprs[i] = VALUE_UNBOUND;
            vm->display->strs[i] = VALUE_UNBOUND;
            vm->display->formats[i] = VALUE_UNBOUND;
        }
    }
    return true;
}

// The forms are functions of the program and are given up with its modules.
void display_free(Vm *vm)
{
    Display *display = vm->display;
    if (display == NULL) {
        return;
    }
    for (int i = 0; i < DISPLAY_KIND_COUNT; i++) {
        value_replace(&vm->ctx, &display->reprs[i], VALUE_UNBOUND);
        value_replace(&vm->ctx, &display->strs[i], VALUE_UNBOUND);
        value_replace(&vm->ctx, &display->formats[i], VALUE_UNBOUND);
    }
    ctx_free(&vm->ctx, display, sizeof *display);
    vm->display = NULL;
}

// Owned; NULL with an error pending. A form may print other values of its own
// kind, so calls nest.
static Str *call_form(Vm *vm, Value form, const char *what, const Value *args,
                      uint32_t count)
{
    if (!ctx_enter(&vm->ctx)) {
        return NULL;
    }
    Value kept = value_retain(form); // it may set itself another form
    Value made = vm_call(vm, kept, args, count);
    ctx_leave(&vm->ctx);
    release(vm, kept);
    if (value_failed(made) || value_is_str(made)) {
        return value_failed(made) ? NULL : value_as_str(made);
    }
    raise_error(vm, ERR_TYPE, "%s returned non-string (type %s)", what,
                type_name(type_of(vm, made)));
    release(vm, made);
    return NULL;
}

// NULL without an error is the frequent case: no library has set a form.
Str *display_repr(Vm *vm, DisplayKind kind, Value v)
{
    if (vm->display == NULL || value_unbound(vm->display->reprs[kind])) {
        return NULL;
    }
    return call_form(vm, vm->display->reprs[kind], "display repr", &v, 1);
}

// A kind without a form for str() does not fall back on its repr form here; the
// caller decides.
Str *display_str(Vm *vm, DisplayKind kind, Value v)
{
    if (vm->display == NULL || value_unbound(vm->display->strs[kind])) {
        return NULL;
    }
    return call_form(vm, vm->display->strs[kind], "display str", &v, 1);
}

// `spec` is handed on as it was written, for the form to read.
Str *display_format(Vm *vm, DisplayKind kind, Value v, Str *spec)
{
    if (vm->display == NULL || value_unbound(vm->display->formats[kind])) {
        return NULL;
    }
    Value args[2] = {v, str_value(spec)};
    return call_form(vm, vm->display->formats[kind], "display format", args, 2);
}

// UNBOUND leaves the form as it is: the keyword was not given.
static void set_form(Vm *vm, Value *place, Value form)
{
    // None is how a library takes its form back.
    if (value_is_none(form)) {
        value_replace(&vm->ctx, place, VALUE_UNBOUND);
    } else if (!value_unbound(form)) {
        value_replace(&vm->ctx, place, value_retain(form));
    }
}

// Which kind a library names; -1 with ERR_VALUE: none.
static int kind_from_value(Vm *vm, Value name)
{
    for (int i = 0; value_is_str(name) && i < DISPLAY_KIND_COUNT; i++) {
        if (str_is(value_as_str(name), kind_names[i])) {
            return i;
        }
    }
    Str *shown = value_repr(vm, name);
    if (shown != NULL) {
        raise_error(vm, ERR_VALUE, "no kind of value is called %s",
                    shown->text);
        object_release(&vm->ctx, shown);
    }
    return -1;
}

// set(kind, *, repr=…, str=…, format=…): None takes a form back.
// args: kind, repr, str, format.
static Value display_set(Vm *vm, Value *args)
{
    // Checked first, so that a wrong kind changes nothing.
    int kind = kind_from_value(vm, args[0]);
    if (kind < 0 || !make_display(vm)) {
        return VALUE_FAIL;
    }
    set_form(vm, &vm->display->reprs[kind], args[1]);
    set_form(vm, &vm->display->strs[kind], args[2]);
    set_form(vm, &vm->display->formats[kind], args[3]);
    return VALUE_NONE;
}

// Staged functions belong to a layer above; a value tells its type.
// Borrowed; NULL: an error is pending.
static Type *type_to_extend(Vm *vm, Value given)
{
    static const Kind types[] = {[DISPLAY_TENSOR] = KIND_TENSOR,
                                 [DISPLAY_SYMBOLIC] = KIND_SYMBOLIC,
                                 [DISPLAY_VARIABLE] = KIND_VARIABLE,
                                 [DISPLAY_DTYPE] = KIND_DTYPE,
                                 [DISPLAY_SPEC] = KIND_SPEC};
    int kind = kind_from_value(vm, given);
    // The kinds behind "spec" have types of the stager's.
    if (kind >= 0 && kind >= (int)(sizeof types / sizeof *types)) {
        return raise_null(vm, ERR_VALUE, "'%s' values take no attributes",
                          kind_names[kind]);
    }
    return kind < 0 ? NULL : vm->types[types[kind]];
}

// extend(kind, name, value): what a class statement would have written into
// the kind's type. The result is what stood there, so that the new attribute
// can use it. A trace does not record reads of it.
// Owned: what stood there, or None.
static Value display_extend(Vm *vm, Value *args)
{
    Type *type = type_to_extend(vm, args[0]);
    if (type == NULL) {
        return VALUE_FAIL;
    }
    if (!value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE, "extend: the name must be a str");
    }
    Str *name = str_intern_str(vm, value_as_str(args[1]));
    if (name == NULL) {
        return VALUE_FAIL;
    }
    vm->epoch++; // inline caches may hold what stood there
    // Only the type's own dict: what a base has is found as before.
    Dict *dict = type_dict(vm, type);
    Value before = dict == NULL ? VALUE_UNBOUND : dict_get_name(dict, name);
    before = value_unbound(before) ? VALUE_NONE : value_retain(before);
    bool done = dict != NULL && dict_set_name(vm, dict, name, args[2]);
    object_release(&vm->ctx, name);
    if (!done) {
        release(vm, before);
    }
    return done ? before : VALUE_FAIL;
}

Value display_call(Vm *vm, const char *name, Value a, Value b)
{
    if (vm->frame == NULL || vm->frame->code->source->library) {
        return VALUE_UNBOUND;
    }
    Str *interned = str_intern(vm, name, strlen(name));
    if (interned == NULL) {
        return VALUE_FAIL;
    }
    Value own = type_lookup(vm, vm->types[KIND_TENSOR], interned);
    object_release(&vm->ctx, interned);
    Value pair[2] = {a, b};
    return value_failed(own) || value_unbound(own) ? own
                                                   : vm_call(vm, own, pair, 2);
}

// Borrowed; a symbolic tensor has no values to print.
// NULL: a TypeError is pending.
static Tensor *given_tensor(Vm *vm, Value v)
{
    return value_is_tensor(v)
               ? value_as_tensor(v)
               : raise_null(vm, ERR_TYPE, "expected an eager tensor, not '%s'",
                            type_name(type_of(vm, v)));
}

static Value text_result(Vm *vm, StrBuf *buf)
{
    return value_or_fail(str_from_buf(vm, buf));
}

// Writes what print options give of the style: args are places, threshold,
// edge, columns and suppress. False: an error is pending.
static bool read_style(Vm *vm, const Value *args, PrintStyle *style)
{
    int64_t places = style->places, columns = style->columns;
    int64_t *const numbers[] = {&places, &style->threshold, &style->edge,
                                &columns};
    for (int i = 0; i < 4; i++) {
        if (value_unbound(args[i])) {
            continue;
        }
        if (!value_to_index(vm, args[i], numbers[i])) {
            return false;
        }
        if (*numbers[i] < 0) {
            raise_error(vm, ERR_VALUE, "array: no option may be negative");
            return false;
        }
    }
    // Texts of numbers and lines have their bounds far below.
    style->places =
        places < TENSOR_ALL_PLACES ? (int)places : TENSOR_ALL_PLACES;
    style->columns = columns < INT_MAX ? (int)columns : INT_MAX;
    int suppress = value_unbound(args[4]) ? 0 : value_truth(vm, args[4]);
    style->suppress = suppress == 1;
    return suppress >= 0;
}

// array(tensor, opening=None, extra='', places=8, …): the array part, as str()
// has it; or in a call, comma-separated: "array([1., 2.], dtype=float32)".
static Value display_array(Vm *vm, Value *args)
{
    PrintStyle style = PRINT_STYLE_NUMPY;
    Tensor *tensor = given_tensor(vm, args[0]);
    if (tensor == NULL || !read_style(vm, args + 3, &style)) {
        return VALUE_FAIL;
    }
    StrBuf buf;
    strbuf_init(&buf, &vm->ctx);
    // With an opening it is the form of a call, as repr() has it.
    if (value_is_str(args[1])) {
        tensor_print_styled_call(
            &buf, tensor, &style, value_as_str(args[1])->text,
            value_is_str(args[2]) ? value_as_str(args[2])->text : "");
    } else {
        tensor_print_styled(&buf, tensor, &style, false, 0);
    }
    return text_result(vm, &buf);
}

// brief(tensor, edge=3, quote=True): what a graph prints in the style "brief".
static Value display_brief(Vm *vm, Value *args)
{
    int64_t edge = TENSOR_BRIEF_EDGE;
    Tensor *tensor = given_tensor(vm, args[0]);
    if (tensor == NULL ||
        (!value_unbound(args[1]) && !value_to_index(vm, args[1], &edge))) {
        return VALUE_FAIL;
    }
    int quote = value_unbound(args[2]) ? 1 : value_truth(vm, args[2]);
    if (quote < 0) {
        return VALUE_FAIL;
    }
    StrBuf buf;
    strbuf_init(&buf, &vm->ctx);
    tensor_print_brief(&buf, tensor, edge, quote == 1);
    return text_result(vm, &buf);
}

static const NativeDef functions[] = {
    {"set", "kind, *, repr=unchanged, str=unchanged, format=unchanged",
     display_set,
     "Show values of a kind by these functions; None: the native form."},
    {"extend", "kind, name, value", display_extend,
     "Give the values of a kind an attribute: a function becomes a method. "
     "The result is what stood there, or None."},
    {"array",
     "tensor, opening=None, extra='', *, places=8, threshold=1000, edge=3, "
     "columns=75, suppress=False",
     display_array,
     "The values as str() shows them; or, after an opening such as 'array(', "
     "comma-separated, with `extra` behind them."},
    {"brief", "tensor, edge=3, quote=True", display_brief,
     "The values with one blank between them, `edge` at each end of an axis."},
    {NULL, NULL, NULL, NULL}};

// What a library keeps of the style itself, it asks for and sets here too.
static Value display_told(Vm *vm, Value *args)
{
    (void)vm;
    (void)args;
    return VALUE_NONE;
}

static const NativeDef reads[] = {
    {"_printoptions", "", display_told,
     "Tell a trace that a text depends on the style that is set."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef changes[] = {{"_set_printoptions", "", display_told,
                                     "Tell a trace that the style is set."},
                                    {NULL, NULL, NULL, NULL}};

// A native module, which libraries import by this name.
const ModuleDef display_module = {.name = "display",
                                  .doc = "How kinds of values print.",
                                  .functions = functions,
                                  .reads = reads,
                                  .changes = changes};
