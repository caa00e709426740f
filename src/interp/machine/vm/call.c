// Calling: Duet functions through C, natives, methods, and all else through
// its type's slot. Binding a Duet function's parameters is call_bind.c's.
//
// Invariant: whoever is handed a window empties it, on failure too.
#include "interp/machine/vm/call.h"
#include "interp/hooks/note.h"

#include "interp/machine/vm/vm_run.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/native_words.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "parser/ast.h"

enum { CALL_INLINE_ARGS = 16 }; // windows up to this stand on the C stack

// The window is the callee's to empty, on failure too.
static void release_window(Vm *vm, Value *window, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        value_replace(&vm->ctx, &window[i], VALUE_UNBOUND);
    }
}

// --- natives ---

static Value *take_space(Vm *vm, Value *space, uint32_t count)
{
    return count <= CALL_INLINE_ARGS
               ? space
               : ctx_alloc(&vm->ctx, count * sizeof(Value));
}

static void give_space(Vm *vm, Value *space, Value *taken, uint32_t count)
{
    if (taken != space) {
        ctx_free(&vm->ctx, taken, count * sizeof(Value));
    }
}

// Keywords fill parameters by name, the rest goes to **name if there is one.
static bool bind_native_keywords(Vm *vm, const Native *native, Value *bound,
                                 Value *keywords, Tuple *names, int rest)
{
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        Str *name = value_as_str(names->items[i]);
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            return false;
        }
        int at = native_find_param(native, name);
        if (at >= 0 && !value_unbound(bound[at])) {
            return raise_false(
                vm, ERR_TYPE,
                "argument for %s() given by name ('%s') and position (%d)",
                native->def->name, name->text,
                at + 1 - (int)native_self_count(native));
        }
        if (at >= 0) {
            bound[at] = value_retain(keywords[i]);
        } else if (!dict_set(vm, value_as_dict(bound[rest]), names->items[i],
                             keywords[i])) {
            return false;
        }
    }
    return true;
}

// Fills bound[0 .. param_count) with counted references.
static bool bind_native(Vm *vm, const Native *native, Value *bound,
                        Value *window, uint32_t count, Tuple *names)
{
    uint32_t keyword_count = names != NULL ? (uint32_t)names->count : 0;
    uint32_t given = count - keyword_count;
    // More than the native has go into *args, or were refused just now.
    uint32_t taken =
        given < native->positional_count ? given : native->positional_count;
    if (!native_check_call(vm, native, given, names)) {
        return false;
    }
    int varargs = native_find_kind(native, PARAM_VARARGS);
    int rest = native_find_kind(native, PARAM_VARKEYWORDS);
    for (uint32_t i = 0; i < native->param_count; i++) {
        // All are set before anything can fail: the caller releases them all.
        bound[i] = i < taken ? value_retain(window[i]) : VALUE_UNBOUND;
    }
    if (varargs >= 0) {
        Tuple *extra = tuple_from(vm, window + taken, given - taken);
        if (extra == NULL) {
            return false;
        }
        bound[varargs] = value_from_object(extra);
    }
    // **options is a dict of its own, even an empty one.
    if (rest >= 0) {
        Dict *dict = dict_new(vm);
        if (dict == NULL) {
            return false;
        }
        bound[rest] = value_from_object(dict);
    }
    return bind_native_keywords(vm, native, bound, window + given, names, rest);
}

// Methods of built-in types insist on their type: C reads its layout.
static bool check_self(Vm *vm, const Native *native, const Value *window,
                       uint32_t count)
{
    // A function of a module, which has no self.
    if (native->owner == NULL) {
        return !(native->flags & NATIVE_MAKES) ||
               native_check_class(vm, native, window, count);
    }
    if (count == 0) {
        return native->flags & NATIVE_SLOT
                   ? raise_false(vm, ERR_TYPE,
                                 "descriptor '%s' of '%s' object needs an "
                                 "argument",
                                 native->def->name, type_name(native->owner))
                   : raise_false(vm, ERR_TYPE,
                                 "unbound method %s.%s() needs an argument",
                                 type_name(native->owner), native->def->name);
    }
    return type_is_subtype(type_of(vm, window[0]), native->owner) ||
           raise_false(vm, ERR_TYPE,
                       native->flags & NATIVE_SLOT
                           ? "descriptor '%s' requires a '%s' object but "
                             "received a '%s'"
                           : "descriptor '%s' for '%s' objects doesn't apply "
                             "to a '%s' object",
                       native->def->name, type_name(native->owner),
                       type_name(type_of(vm, window[0])));
}

// Parameters are bound by name and default first; arguments that are not given
// arrive as UNBOUND.
static Value call_bound_native(Vm *vm, Native *native, Value *window,
                               uint32_t count, Tuple *keyword_names)
{
    uint32_t size = native->param_count;
    // Most natives have few parameters, so a call allocates nothing.
    Value space[CALL_INLINE_ARGS];
    Value *bound = take_space(vm, space, size);
    if (bound == NULL) {
        return VALUE_FAIL;
    }
    for (uint32_t i = 0; i < size; i++) {
        bound[i] = VALUE_UNBOUND;
    }
    Value result = VALUE_FAIL;
    if (bind_native(vm, native, bound, window, count, keyword_names)) {
        result = native->function(vm, bound);
    }
    release_window(vm, bound, size);
    give_space(vm, space, bound, size);
    return result;
}

// A trace is told of what lies outside of the program.
static bool tell_outside(Vm *vm, const Native *native)
{
    const char *name = native->def->name;
    return !(native->flags & (NATIVE_READS | NATIVE_CHANGES)) ||
           note_effect(
               vm, native->flags & NATIVE_READS ? EFFECT_DRAW : EFFECT_CHANGE,
               name + (name[0] == '_'), VALUE_UNBOUND);
}

// The methods of a text ask what it says.
static bool tell_text(Vm *vm, const Native *native, const Value *window)
{
    return native->owner != vm->types[KIND_STR] ||
           (native->flags & NATIVE_SLOT) ||
           note_text(vm, value_as_str(window[0]));
}

// Parameters are read from their text at the first call. Simple natives with
// all arguments given get the window as it is.
static Value call_native(Vm *vm, Native *native, Value *window, uint32_t count,
                         Tuple *keyword_names)
{
    Value result = VALUE_FAIL;
    bool known =
        (native->flags & NATIVE_READ) || native_read_params(vm, native);
    uint32_t keywords =
        keyword_names != NULL ? (uint32_t)keyword_names->count : 0;
    if (known && check_self(vm, native, window, count - keywords) &&
        tell_text(vm, native, window) && tell_outside(vm, native)) {
        // Simple: positional parameters only, none of which may be left out.
        bool plain = (native->flags & NATIVE_SIMPLE) && keyword_names == NULL &&
                     count == native->positional_count;
        result =
            plain ? native->function(vm, window)
                  : call_bound_native(vm, native, window, count, keyword_names);
    }
    release_window(vm, window, count);
    return result;
}

// --- all else ---

// Duet code called from C: an entry frame above everything that runs.
static Value call_function(Vm *vm, Function *function, Value *window,
                           uint32_t count, Tuple *keyword_names)
{
    // The arguments may be more than the registers, until they are bound.
    uint32_t room = function->code->register_count;
    Value *place = vm_free_window(vm, room > count ? room : count);
    if (place == NULL) {
        release_window(vm, window, count);
        return VALUE_FAIL;
    }
    // The function stands in front of its window, as the machine's calls have
    // it, which keeps it while it runs.
    place[-1] = value_from_object(object_retain(function));
    for (uint32_t i = 0; i < count; i++) {
        place[i] = window[i];
        window[i] = VALUE_UNBOUND;
    }
    Value result = VALUE_FAIL;
    if (call_bind(vm, function, place, count, keyword_names)) {
        result = vm_run_function(vm, function, place);
    }
    value_replace(&vm->ctx, &place[-1], VALUE_UNBOUND);
    vm_release_window(vm, place);
    return result;
}

// self goes in front, which takes a window that is longer by one; the
// references move into it.
static Value call_method(Vm *vm, Method *method, Value *window, uint32_t count,
                         Tuple *keyword_names)
{
    Value space[CALL_INLINE_ARGS];
    // The called object empties this window; the old one is emptied below.
    Value *shifted = take_space(vm, space, count + 1);
    if (shifted == NULL) {
        release_window(vm, window, count);
        return VALUE_FAIL;
    }
    shifted[0] = value_retain(method->self);
    for (uint32_t i = 0; i < count; i++) {
        // Moved: the caller's window is empty from here on.
        shifted[1 + i] = window[i];
        window[i] = VALUE_UNBOUND;
    }
    Value result =
        call_object(vm, method->function, shifted, count + 1, keyword_names);
    give_space(vm, space, shifted, count + 1);
    return result;
}

static Value call_through_slot(Vm *vm, Value callee, Value *window,
                               uint32_t count, Tuple *keyword_names)
{
    Type *type = type_of(vm, callee);
    Value result = VALUE_FAIL;
    if (type->slots.call == NULL) {
        raise_error(vm, ERR_TYPE, "'%s' object is not callable",
                    type_name(type));
    } else {
        result = type->slots.call(vm, callee, window, count, keyword_names);
    }
    release_window(vm, window, count);
    return result;
}

// The four kinds that have their own way, most frequent first; all others by
// their class's slot. The window is emptied by whoever is called.
static Value call_by_kind(Vm *vm, Value callee, Value *window, uint32_t count,
                          Tuple *keyword_names)
{
    Object *object = value_is_object(callee) ? value_object(callee) : NULL;
    // KIND_COUNT stands for immediates, which are not callable.
    switch (object != NULL ? object->kind : KIND_COUNT) {
    case KIND_FUNCTION:
        return call_function(vm, (Function *)object, window, count,
                             keyword_names);
    case KIND_NATIVE:
        return call_native(vm, (Native *)object, window, count, keyword_names);
    case KIND_METHOD:
        return call_method(vm, (Method *)object, window, count, keyword_names);
    default: return call_through_slot(vm, callee, window, count, keyword_names);
    }
}

Value call_object(Vm *vm, Value callee, Value *window, uint32_t count,
                  Tuple *keyword_names)
{
    if (!ctx_enter(&vm->ctx)) {
        release_window(vm, window, count);
        return VALUE_FAIL;
    }
    Value result = call_by_kind(vm, callee, window, count, keyword_names);
    ctx_leave(&vm->ctx);
    return result;
}

Value vm_call_keywords(Vm *vm, Value callee, const Value *args, uint32_t count,
                       Tuple *keyword_names)
{
    Value space[CALL_INLINE_ARGS];
    Value *window = take_space(vm, space, count);
    if (window == NULL) {
        return VALUE_FAIL;
    }
    for (uint32_t i = 0; i < count; i++) {
        window[i] = value_retain(args[i]);
    }
    Value result = call_object(vm, callee, window, count, keyword_names);
    give_space(vm, space, window, count);
    return result;
}

// Functions that take just these arguments are run without a window in between.
Value vm_call(Vm *vm, Value callee, const Value *args, uint32_t count)
{
    Value target = callee, self = VALUE_UNBOUND;
    uint32_t given = count;
    if (value_is_kind(callee, KIND_METHOD)) {
        target = ((Method *)value_object(callee))->function;
        self = ((Method *)value_object(callee))->self;
        // self counts as an argument.
        given++;
    }
    if (LIKELY(value_is_kind(target, KIND_FUNCTION)) && vm->trace == NULL &&
        ((Function *)value_object(target))->code->direct_count == given) {
        return vm_run_direct(vm, (Function *)value_object(target), self, args,
                             count);
    }
    return vm_call_keywords(vm, callee, args, count, NULL);
}
