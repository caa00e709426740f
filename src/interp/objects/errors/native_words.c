// What is wrong with a call of a native. Three wordings serve all: how many
// arguments it takes, which required one is missing, which keyword it has not.
#include "interp/objects/errors/native_words.h"

#include "interp/objects/classes/class_new.h"
#include "interp/objects/text/obj_str.h"

uint32_t native_self_count(const Native *native)
{
    return native->owner != NULL || (native->flags & NATIVE_OF_CLASS) ? 1 : 0;
}

// Names of calls are mostly interned, so the address is compared first.
int native_find_param(const Native *native, Str *name)
{
    for (uint32_t i = native_self_count(native); i < native->param_count; i++) {
        // A positional-only name does not count, so that **kwargs may have it.
        const NativeParam *param = &native->params[i];
        bool named = param->kind == PARAM_POSITIONAL ||
                     param->kind == PARAM_KEYWORD_ONLY;
        if (named && (param->name == name || str_equal(param->name, name))) {
            return (int)i;
        }
    }
    return -1;
}

int native_find_kind(const Native *native, ParamKind kind)
{
    for (uint32_t i = 0; i < native->param_count; i++) {
        if (native->params[i].kind == (uint8_t)kind) {
            return (int)i;
        }
    }
    return -1;
}

// "str" for a method, "math" for a module's function, "" else. `dot` is set
// with it, so that one format "%s%s%s()" serves all. Borrowed.
static const char *prefix_of(const Native *native, const char **dot)
{
    const char *owner =
        native->owner != NULL ? type_short_name(native->owner) : native->place;
    *dot = owner != NULL ? "." : "";
    return owner == NULL ? "" : owner;
}

static bool takes_keywords(const Native *native)
{
    bool takes = false;
    for (uint32_t i = native_self_count(native); i < native->param_count; i++) {
        takes = takes || native->params[i].kind == PARAM_POSITIONAL ||
                native->params[i].kind == PARAM_KEYWORD_ONLY;
    }
    return takes;
}

static bool check_names(Vm *vm, const Native *native, const Tuple *names)
{
    bool any = native_find_kind(native, PARAM_VARKEYWORDS) >= 0;
    for (size_t i = 0; !any && i < names->count; i++) {
        Str *name = value_as_str(names->items[i]);
        const char *function = native->def->name, *dot;
        const char *prefix = prefix_of(native, &dot);
        if (!takes_keywords(native)) {
            return raise_false(vm, ERR_TYPE,
                               "%s%s%s() takes no keyword arguments", prefix,
                               dot, function);
        }
        if (native_find_param(native, name) < 0) {
            return raise_false(vm, ERR_TYPE,
                               "'%s' is an invalid keyword argument for %s()",
                               name->text, function);
        }
    }
    return true;
}

// How many arguments it takes, and how many it was given; all without self.
static bool wrong_count(Vm *vm, const Native *native, bool exact,
                        uint32_t bound, uint32_t given)
{
    const char *function = native->def->name, *dot;
    const char *prefix = prefix_of(native, &dot);
    if (bound == 0 || (bound == 1 && exact)) {
        return raise_false(vm, ERR_TYPE, "%s%s%s() takes %s (%u given)", prefix,
                           dot, function,
                           bound != 0               ? "exactly one argument"
                           : takes_keywords(native) ? "no positional arguments"
                                                    : "no arguments",
                           given);
    }
    return raise_false(vm, ERR_TYPE,
                       "%s%s%s() takes %s %u argument%s (%u given)", prefix,
                       dot, function,
                       exact           ? "exactly"
                       : given < bound ? "at least"
                                       : "at most",
                       bound, bound == 1 ? "" : "s", given);
}

// `names` NULL: the call has no keywords.
static bool has_name(const Tuple *names, const Str *name)
{
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        if (str_equal(value_as_str(names->items[i]), name)) {
            return true;
        }
    }
    return false;
}

// The first required parameter that neither a position nor a name gives. Those
// that have no name for callers are counted.
static bool check_required(Vm *vm, const Native *native, uint32_t given,
                           const Tuple *names)
{
    uint32_t self = native_self_count(native);
    uint32_t least = native->required_count - self;
    bool open = native_find_kind(native, PARAM_VARARGS) >= 0;
    for (uint32_t i = given; i < native->param_count; i++) {
        const NativeParam *param = &native->params[i];
        bool required = i < native->positional_count
                            ? i < native->required_count
                            : param->kind == PARAM_KEYWORD_ONLY &&
                                  param->default_text == NULL;
        if (!required || has_name(names, param->name)) {
            continue;
        }
        if (param->kind == PARAM_POSITIONAL_ONLY) {
            bool exact = !open && native->positional_count - self == least;
            return wrong_count(vm, native, exact, least, given - self);
        }
        return raise_false(vm, ERR_TYPE,
                           "%s() missing required argument '%s' (pos %u)",
                           native->def->name, param->name->text, i + 1 - self);
    }
    return true;
}

bool native_check_call(Vm *vm, const Native *native, uint32_t given,
                       const Tuple *names)
{
    uint32_t self = native_self_count(native);
    // The function of a class method, taken out of it and called bare.
    if (given < self) {
        return raise_false(vm, ERR_TYPE,
                           "unbound method %s.%s() needs an argument",
                           native->place, native->def->name);
    }
    if (names != NULL && !check_names(vm, native, names)) {
        return false;
    }
    if (given > native->positional_count &&
        native_find_kind(native, PARAM_VARARGS) < 0) {
        bool exact = native->required_count == native->positional_count;
        return wrong_count(vm, native, exact, native->positional_count - self,
                           given - self);
    }
    return check_required(vm, native, given, names);
}

// The first three texts are those of a class that is no class, or none of this
// type's.
bool native_check_class(Vm *vm, const Native *native, const Value *window,
                        uint32_t count)
{
    const Type *made = native->data;
    if (count == 0) {
        return raise_false(vm, ERR_TYPE, "%s.__new__(): not enough arguments",
                           type_name(made));
    }
    if (!value_is_kind(window[0], KIND_TYPE)) {
        return raise_false(vm, ERR_TYPE,
                           "%s.__new__(X): X is not a type object (%s)",
                           type_name(made), type_name(type_of(vm, window[0])));
    }
    Type *cls = (Type *)value_object(window[0]);
    const Type *layout = type_native(cls);
    if (!type_is_subtype(cls, made)) {
        return raise_false(
            vm, ERR_TYPE, "%s.__new__(%s): %s is not a subtype of %s",
            type_name(made), type_name(cls), type_name(cls), type_name(made));
    }
    // object.__new__(int) would make an int without a number: the nearest
    // built-in base must be made in the same way.
    return layout->slots.make == made->slots.make ||
           raise_false(vm, ERR_TYPE,
                       "%s.__new__(%s) is not safe, use %s.__new__()",
                       type_name(made), type_name(cls), type_name(layout));
}
