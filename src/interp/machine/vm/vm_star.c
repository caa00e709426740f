// Slow paths: `*` and `**` in calls and displays.
//
// What a star is given is read whole before the call: reading may run code of
// the program. Errors name the callee.
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/objects/text/obj_str.h"

// The pending error says that v cannot be iterated over, as its class tells:
// an error of its own iterator stays.
static bool was_no_iterable(Vm *vm, Value v)
{
    const TypeSlots *slots = &type_of(vm, v)->slots;
    return slots->iter == NULL && slots->get_item == NULL &&
           raise_is_type_error(vm);
}

// The callee as messages name it: "module.f()", without the module for built-in
// ones, or what str() gives where there is no such name. Owned.
static Str *callee_text(Vm *vm, Value callee)
{
    // The error of the star is raised afterwards: it may be cleared here.
    Value name = value_get_attr(vm, callee, vm->names[NAME_QUALNAME]);
    raise_clear(vm);
    if (!value_is_str(name)) {
        release(vm, name);
        return value_str(vm, callee);
    }
    Value module = value_get_attr(vm, callee, vm->names[NAME_MODULE]);
    raise_clear(vm); // built-in callables may have none
    bool shown =
        value_is_str(module) && !str_is(value_as_str(module), "builtins");
    Str *text =
        str_printf(vm, "%s%s%s()", shown ? value_as_str(module)->text : "",
                   shown ? "." : "", value_as_str(name)->text);
    release(vm, name);
    release(vm, module);
    return text;
}

// TypeError "f() what 'last'", with the quotes that are given. Always false.
static bool raise_for(Vm *vm, Value callee, const char *what,
                      const char *before, const char *last, const char *after)
{
    // Naming the callee may fail itself, which then is the error.
    Str *text = callee_text(vm, callee);
    if (text == NULL) {
        return false;
    }
    raise_error(vm, ERR_TYPE, "%s %s %s%s%s", text->text, what, before, last,
                after);
    object_release(&vm->ctx, text);
    return false;
}

// --- displays ---

bool slow_extend(Vm *vm, Frame *f, Ins ins)
{
    Value source = f->registers[INS_B(ins)];
    if (!list_extend(vm, value_as_list(f->registers[INS_A(ins)]), source)) {
        // A set tells it in the usual words (compile_call.c).
        return INS_C(ins) == 0 && was_no_iterable(vm, source) &&
               raise_false(vm, ERR_TYPE,
                           "Value after * must be an iterable, not %s",
                           type_name(type_of(vm, source)));
    }
    slow_drop(vm, f, INS_B(ins));
    return true;
}

// What `**` takes is told by its keys(); of what is undecided in a trace the
// walk tells more.
static bool is_mapping(Vm *vm, Value v)
{
    if (value_is_kind(v, KIND_DICT) ||
        (vm->trace != NULL && value_is_kind(v, KIND_OPAQUE))) {
        return true;
    }
    Value keys = value_find_method(vm, v, vm->names[NAME_KEYS]);
    bool found = !value_unbound(keys) && !value_failed(keys);
    release(vm, keys);
    return found;
}

// **mapping: later keys replace earlier ones, unlike in slow_dictmerge.
bool slow_dictupdate(Vm *vm, Frame *f, Ins ins)
{
    Value mapping = f->registers[INS_B(ins)];
    if (!is_mapping(vm, mapping)) {
        return raise_false(vm, ERR_TYPE, "'%s' object is not a mapping",
                           type_name(type_of(vm, mapping)));
    }
    if (!dict_update(vm, value_as_dict(f->registers[INS_A(ins)]), mapping)) {
        return false;
    }
    slow_drop(vm, f, INS_B(ins));
    return true;
}

// --- calls ---

// The error of a keyword that is there already, named as str() shows it. Always
// false.
static bool raise_again(Vm *vm, Value callee, Value key)
{
    Str *shown = value_str(vm, key);
    if (shown != NULL) {
        (void)raise_for(vm, callee, "got multiple values for keyword argument",
                        "'", shown->text, "'");
    }
    object_release_null(&vm->ctx, shown);
    return false;
}

// A keyword that is there already is an error that names the callee. That all
// of them are texts is seen by the call, behind what its `*` is given.
static bool merge(Vm *vm, Dict *into, Dict *from, Value callee)
{
    uint32_t position = 0;
    Value key, value, old;
    while (dict_next(from, &position, &key, &value)) {
        int found = dict_get(vm, into, key, &old);
        if (found > 0) {
            return raise_again(vm, callee, key);
        }
        if (found < 0 || !dict_set(vm, into, key, value) ||
            !ctx_poll(&vm->ctx)) {
            return false;
        }
    }
    return true;
}

// `from` collects a mapping of any kind first, since reading it can run code.
bool slow_dictmerge(Vm *vm, Frame *f, Ins ins)
{
    Value mapping = f->registers[INS_B(ins)];
    Value callee = f->registers[INS_C(ins)];
    if (!is_mapping(vm, mapping)) {
        return raise_for(vm, callee, "argument after ** must be a mapping, not",
                         "", type_name(type_of(vm, mapping)), "");
    }
    Dict *from = dict_new(vm);
    bool ok = from != NULL && dict_update(vm, from, mapping) &&
              merge(vm, value_as_dict(f->registers[INS_A(ins)]), from, callee);
    object_release_null(&vm->ctx, from);
    if (ok) {
        slow_drop(vm, f, INS_B(ins));
    }
    return ok;
}

enum { SPREAD_MOST = 32 }; // arguments that are spread in place

// The items, where the call can be made on the stack; NULL: not.
static const Value *spread_source(Vm *vm, const Value *callee, size_t *length)
{
    Value source = callee[1];
    if (vm->trace != NULL || !value_is_object(source)) {
        return NULL;
    }
    // Exact types alone: a subclass may have an __iter__ of its own.
    static const Value none[1];
    const Type *type = value_object(source)->type;
    const Value *items;
    if (type == vm->types[KIND_LIST]) {
        items = value_as_list(source)->items;
        *length = value_as_list(source)->count;
    } else if (type == vm->types[KIND_TUPLE]) {
        items = value_as_tuple(source)->items;
        *length = value_as_tuple(source)->count;
    } else {
        return NULL;
    }
    // The arguments may be more than the parameters until they are bound.
    uint32_t registers =
        value_is_kind(callee[0], KIND_FUNCTION)
            ? ((Function *)value_object(callee[0]))->code->register_count
            : 0;
    return *length > SPREAD_MOST ||
                   callee + 2 * SPREAD_MOST + registers + 16 > vm->stack_end
               ? NULL
           : items == NULL ? none
                           : items;
}

// The dict of keywords, NULL: none.
static Dict *spread_keywords(const Value *callee)
{
    bool named = value_is_kind(callee[2], KIND_DICT) &&
                 value_as_dict(callee[2])->count > 0;
    return named ? value_as_dict(callee[2]) : NULL;
}

bool vm_spread(Vm *vm, Value *callee, uint32_t *count)
{
    size_t length;
    const Value *items = spread_source(vm, callee, &length);
    if (items == NULL || spread_keywords(callee) != NULL ||
        !value_is_kind(callee[0], KIND_FUNCTION)) {
        return false;
    }
    // `source` is held until its items have been counted.
    Value source = callee[1];
    callee[1] = VALUE_UNBOUND;
    value_replace(&vm->ctx, &callee[2], VALUE_UNBOUND);
    for (size_t i = 0; i < length; i++) {
        callee[1 + i] = value_retain(items[i]);
    }
    release(vm, source);
    *count = (uint32_t)length;
    return true;
}

// The names become a tuple for the time of binding. The list and the dict are
// held until what they hold has been counted.
int vm_enter_spread(Vm *vm, Value *callee)
{
    size_t length;
    const Value *items = spread_source(vm, callee, &length);
    Dict *keywords = spread_keywords(callee);
    if (items == NULL || (keywords != NULL && keywords->count > SPREAD_MOST)) {
        return SPREAD_NOT;
    }
    Tuple *names = NULL;
    if (keywords != NULL &&
        (names = call_keyword_names(vm, keywords)) == NULL) {
        return -1;
    }
    Value source = callee[1], mapping = callee[2], key, value;
    callee[1] = callee[2] = VALUE_UNBOUND;
    Value *window = callee + 1, *place = window;
    for (size_t i = 0; i < length; i++) {
        *place++ = value_retain(items[i]);
    }
    uint32_t position = 0;
    while (keywords != NULL && dict_next(keywords, &position, &key, &value)) {
        *place++ = value_retain(value);
    }
    // They may reach above the caller's registers, where a native that calls
    // Duet would have them written over.
    Value *held = vm->window_top;
    vm->window_top = place + NATIVE_DIRECT_MOST;
    int entered = vm_enter(vm, window, (uint32_t)(place - window), names);
    vm->window_top = held;
    object_release_null(&vm->ctx, names);
    release(vm, source);
    release(vm, mapping);
    return entered;
}

// A call with * or **: the arguments are in a list and a dict already.
bool slow_callx(Vm *vm, Frame *f, Ins ins)
{
    Value *part = &f->registers[INS_A(ins)];
    Tuple *args = value_to_tuple(vm, part[1]);
    if (args == NULL) {
        return was_no_iterable(vm, part[1]) &&
               raise_for(vm, part[0],
                         "argument after * must be an iterable, "
                         "not",
                         "", type_name(type_of(vm, part[1])), "");
    }
    Dict *keywords =
        value_is_kind(part[2], KIND_DICT) ? value_as_dict(part[2]) : NULL;
    Value result = vm_call_dict(vm, part[0], args, keywords);
    object_release(&vm->ctx, args);
    value_replace(&vm->ctx, &part[1], VALUE_UNBOUND);
    value_replace(&vm->ctx, &part[2], VALUE_UNBOUND);
    return slow_set(vm, f, INS_A(ins), result);
}
