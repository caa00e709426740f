// What is wrong with a call of a native, in CPython's words.
//
// Which words depends on how CPython reads the arguments: native_style.h.
#include "interp/objects/errors/native_style.h"

#include "interp/objects/classes/class_new.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

// Methods do not count self in their messages, nor class methods their class.
uint32_t native_self_count(const Native *native)
{
    return native->owner != NULL || (native->flags & NATIVE_OF_CLASS) ? 1 : 0;
}

// Duet's own additions to built-in functions, for tensors: CPython's texts
// must not depend on them.
static bool is_addition(const Native *native, const NativeParam *param)
{
    return native->owner == NULL && native->place == NULL &&
           param->kind == PARAM_KEYWORD_ONLY &&
           (str_is(param->name, "axis") || str_is(param->name, "keepdims"));
}

// Its number; -1: no parameter may be given by that name.
// Names of calls are mostly interned, so the address is compared first. Self is
// passed over: no keyword may name it.
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

// The number of the parameter, or -1: there is at most one *args and **kwargs.
int native_find_kind(const Native *native, ParamKind kind)
{
    for (uint32_t i = 0; i < native->param_count; i++) {
        if (native->params[i].kind == (uint8_t)kind) {
            return (int)i;
        }
    }
    return -1;
}

// How many parameters an argument can be given for, self and additions aside;
// `kind` counts those of one kind only, PARAM_VARKEYWORDS all.
// *args and **kwargs stand for no one argument and are never counted.
static uint32_t count_params(const Native *native, ParamKind kind)
{
    uint32_t count = 0;
    for (uint32_t i = native_self_count(native); i < native->param_count; i++) {
        const NativeParam *param = &native->params[i];
        count += param->kind != PARAM_VARARGS &&
                 param->kind != PARAM_VARKEYWORDS &&
                 (kind == PARAM_VARKEYWORDS || param->kind == (uint8_t)kind) &&
                 !is_addition(native, param);
    }
    return count;
}

// Whether a parameter can be given by keyword.
static bool takes_keywords(const Native *native)
{
    return count_params(native, PARAM_KEYWORD_ONLY) > 0 ||
           count_params(native, PARAM_POSITIONAL) > 0;
}

// CPython has the C half of these in a module of its own, and messages say so.
static const char *native_module(const char *name)
{
    static const char *const halves[][2] = {
        {"operator", "_operator"},   {"os", "posix"},
        {"heapq", "_heapq"},         {"bisect", "_bisect"},
        {"functools", "_functools"},
    };
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        if (strcmp(halves[i][0], name) == 0) {
            return halves[i][1];
        }
    }
    return name;
}

// "str." in front of a method, "math." of a module's function, "" else.
// `dot` is set with it, so that one format "%s%s%s()" serves methods and
// functions. Both point to text that the native or a constant owns.
static const char *prefix_of(const Native *native, const char **dot)
{
    const char *owner =
        native->owner != NULL ? type_short_name(native->owner) : native->place;
    *dot = owner != NULL ? "." : "";
    return owner == NULL                   ? ""
           : native_self_count(native) > 0 ? owner
                                           : native_module(owner);
}

// Always false.
bool native_unknown_keyword(Vm *vm, const Native *native, const Str *name)
{
    const char *function = native->def->name, *dot;
    const char *prefix = prefix_of(native, &dot);
    // wrapperobject's call refuses keywords before it looks at anything else.
    if (native_is_slot(native)) {
        return raise_false(vm, ERR_TYPE,
                           "wrapper %s() takes no keyword arguments", function);
    }
    if (native_style(native) == STYLE_UNNAMED) {
        return raise_false(vm, ERR_TYPE,
                           "%s() got an unexpected keyword "
                           "argument",
                           function);
    }
    if (takes_keywords(native)) {
        // sorted() hands its keywords on to the list's sort().
        return raise_false(
            vm, ERR_TYPE, "'%s' is an invalid keyword argument for %s()",
            name->text,
            native_style(native) == STYLE_UNPACK ? "sort" : function);
    }
    // Functions that read a tuple are called without their module.
    NativeStyle style = native_style(native);
    bool bare = (style == STYLE_FORMAT || style == STYLE_UNPACK) &&
                native_self_count(native) == 0;
    return raise_false(vm, ERR_TYPE, "%s%s%s() takes no keyword arguments",
                       bare ? "" : prefix, bare ? "" : dot, function);
}

// False: an error is pending. How many keywords count in messages: additions
// do not. One that the native cannot take at all is refused at once.
static bool count_keywords(Vm *vm, const Native *native, const Tuple *names,
                           uint32_t *out)
{
    *out = 0;
    // With **kwargs any name is welcome; it is not counted as one too many.
    bool refused = !takes_keywords(native) &&
                   native_find_kind(native, PARAM_VARKEYWORDS) < 0;
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        Str *name = value_as_str(names->items[i]);
        int at = native_find_param(native, name);
        if (at >= 0 && is_addition(native, &native->params[at])) {
            continue;
        }
        if (refused) {
            return native_unknown_keyword(vm, native, name);
        }
        *out += 1;
    }
    return true;
}

// CPython's messages count arguments in words.
static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

// "f() takes at most 2 arguments (3 given)".
static bool takes(Vm *vm, const Native *native, const char *how, uint32_t bound,
                  const char *kind, uint32_t given)
{
    return raise_false(vm, ERR_TYPE, "%s() takes %s %u %sargument%s (%u given)",
                       native->def->name, how, bound, kind, plural(bound),
                       given);
}

// Natives with keywords: `least` are positional-only, `given` is without self.
static bool check_with_keywords(Vm *vm, const Native *native, uint32_t given,
                                uint32_t keywords)
{
    // Without self, as `given` is.
    uint32_t most = native->positional_count - native_self_count(native);
    uint32_t required = native->required_count - native_self_count(native);
    uint32_t all = count_params(native, PARAM_VARKEYWORDS);
    uint32_t least = 0;
    // Those required by position alone; the others are named when missing.
    for (uint32_t i = native_self_count(native); i < native->required_count;
         i++) {
        least += native->params[i].kind == PARAM_POSITIONAL_ONLY;
    }
    bool open = native_find_kind(native, PARAM_VARARGS) >= 0;
    if (!open && native_find_kind(native, PARAM_VARKEYWORDS) < 0 &&
        given + keywords > all) {
        return takes(vm, native, "at most", all, given == 0 ? "keyword " : "",
                     // CPython adds "keyword " only if nothing came by
                     // position.
                     given + keywords);
    }
    if (open && keywords > all && native_style(native) == STYLE_OPEN) {
        return takes(vm, native, "at most", all, "keyword ", keywords);
    }
    if (!open && given > most) {
        return most == 0
                   ? raise_false(vm, ERR_TYPE,
                                 "%s() takes no positional arguments",
                                 native->def->name)
                   : takes(vm, native, required < most ? "at most" : "exactly",
                           most, "positional ", given);
    }
    // A missing named parameter is told by check_required, by its name; here
    // only those that have no name for callers are counted.
    return given >= least ||
           takes(vm, native, least < most ? "at least" : "exactly", least,
                 "positional ", given);
}

// Natives without keywords whose number of arguments is wrong.
static bool wrong_count(Vm *vm, const Native *native, uint32_t least,
                        uint32_t most, uint32_t given)
{
    const char *name = native->def->name, *dot;
    const char *prefix = prefix_of(native, &dot);
    NativeStyle style = native_style(native);
    bool few = given < least;
    // Only one of the two bounds is broken, and the message states that one.
    uint32_t bound = few ? least : most;
    // A slot's wrapper does not name the method.
    if (native_is_slot(native)) {
        const char *how = least == most ? "" : few ? "at least " : "at most ";
        return raise_false(vm, ERR_TYPE, "%sexpected %s%u argument%s, got %u",
                           native_unpacks_slot(native) ? " " : "", how, bound,
                           plural(bound), given);
    }
    if (style == STYLE_MAP) {
        return raise_false(vm, ERR_TYPE,
                           "map() must have at least two arguments.");
    }
    if (style == STYLE_FORMAT) {
        return takes(vm, native,
                     least == most ? "exactly"
                     : few         ? "at least"
                                   : "at most",
                     bound, "", given);
    }
    // METH_NOARGS and METH_O have words of their own; the count alone tells
    // them apart, as it does for who writes them in C.
    if (most == 0) {
        return raise_false(vm, ERR_TYPE,
                           "%s%s%s() takes no arguments (%u given)", prefix,
                           dot, name, given);
    }
    if (least == 1 && most == 1 && style != STYLE_UNPACK) {
        return raise_false(vm, ERR_TYPE,
                           "%s%s%s() takes exactly one argument (%u given)",
                           prefix, dot, name, given);
    }
    // What is left has several: PyArg_UnpackTuple and _PyArg_CheckPositional,
    // which say "f expected at most 2 arguments, got 3" without brackets.
    const char *how = least == most ? "" : few ? "at least " : "at most ";
    return raise_false(vm, ERR_TYPE, "%s expected %s%u argument%s, got %u",
                       name, how, bound, plural(bound), given);
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

// The first required parameter that neither a position nor a name gives.
// Positions are counted without self, as CPython counts them.
// True when none is missing. The order is that of the parameters, so that of
// two missing ones the first is named.
static bool check_required(Vm *vm, const Native *native, uint32_t given,
                           const Tuple *names)
{
    for (uint32_t i = 0; i < native->param_count; i++) {
        const NativeParam *param = &native->params[i];
        // Positional-only ones were counted before.
        bool named = param->kind == PARAM_KEYWORD_ONLY ||
                     (param->kind == PARAM_POSITIONAL && i >= given);
        // A parameter with a default is never missing.
        if (!named || param->default_text != NULL ||
            has_name(names, param->name)) {
            continue;
        }
        const char *function = native->def->name, *text = param->name->text;
        if (param->kind == PARAM_KEYWORD_ONLY) {
            return raise_false(vm, ERR_TYPE,
                               "%s() missing required keyword-only argument: "
                               "'%s'",
                               function, text);
        }
        // Of a single keyword enumerate() only asks whether it is this one.
        if (native_style(native) == STYLE_NO_PLACE && given == 0 &&
            names != NULL && names->count == 1) {
            return native_unknown_keyword(vm, native,
                                          value_as_str(names->items[0]));
        }
        return native_style(native) == STYLE_NO_PLACE
                   ? raise_false(vm, ERR_TYPE,
                                 "%s() missing required argument '%s'",
                                 function, text)
                   : raise_false(vm, ERR_TYPE,
                                 "%s() missing required argument '%s' "
                                 "(pos %u)",
                                 function, text,
                                 i + 1 - native_self_count(native));
    }
    return true;
}

// Whether all names are those of keyword-only parameters, and no other of these
// has to be given: then the names are right, whatever the style of the native.
static bool names_fit(const Native *native, const Tuple *names)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < native->param_count; i++) {
        const NativeParam *param = &native->params[i];
        if (param->kind == PARAM_KEYWORD_ONLY) {
            bool named =
                !is_addition(native, param) && has_name(names, param->name);
            found += named;
            if (!named && param->default_text == NULL) {
                return false;
            }
        }
    }
    return found == names->count;
}

// True: the number and the names of the arguments fit. `given` counts positions
// with self; `names` are the keywords, NULL: none.
bool native_check_count(Vm *vm, const Native *native, uint32_t given,
                        const Tuple *names)
{
    uint32_t self = native_self_count(native), keywords;
    uint32_t most = native->positional_count - self;
    uint32_t least = native->required_count - self;
    // By position alone, and right: by far the most.
    if (given >= native->required_count && given >= self &&
        (given - self <= most ||
         native_find_kind(native, PARAM_VARARGS) >= 0) &&
        (names == NULL || names_fit(native, names))) {
        // Types and values are the native's own affair.
        return true;
    }
    // The function of a class method, taken out of it and called bare.
    if (given < self) {
        return raise_false(vm, ERR_TYPE,
                           "unbound method %s.%s() needs an argument",
                           native->place, native->def->name);
    }
    if (!count_keywords(vm, native, names, &keywords)) {
        return false;
    }
    // sorted() unpacks its one argument before anyone sees the keywords.
    if (takes_keywords(native) && native_style(native) != STYLE_UNPACK) {
        return check_with_keywords(vm, native, given - self, keywords) &&
               check_required(vm, native, given, names);
    }
    bool many =
        given - self > most && native_find_kind(native, PARAM_VARARGS) < 0;
    return (given - self >= least && !many) ||
           wrong_count(vm, native, least, most, given - self);
}

// As CPython's tp_new_wrapper.
// `window[0]` is the class that __new__ is to make an instance of,
// `native->data` the type whose __new__ it is. The first three texts are those
// of a class that is no class, or none of this type's.
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

// Functions with *args or **kwargs are METH_VARARGS in CPython, as are those
// that read them by a format; one without parameters is METH_NOARGS, and one
// with a single parameter METH_O. The rest is fast. What does not follow is in
// the rows: three that have an instruction of their own, print(), whose many
// arguments are a vector, and fast ones that call a guarded one at once.
bool native_is_fast(const Native *native)
{
    static const struct {
        const char *name;
        bool fast;
    } rows[] = {
        {"len", true},   {"isinstance", true}, {"append", true},
        {"print", true}, {"gcd", true},        {"round", false},
        {"vars", false}, {"dir", false},       {"fromkeys", false},
        {"log", false},  {"reversed", true},   {"map", true},
        {"any", false},  {"all", false},       {"reduce", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(native->def->name, rows[i].name) == 0) {
            return rows[i].fast;
        }
    }
    uint32_t self = native_self_count(native);
    bool one = native->param_count == self + 1u &&
               native->required_count == native->param_count;
    return native->param_count > self && !one && !native_is_slot(native) &&
           !native_reads_format(native) &&
           native_find_kind(native, PARAM_VARARGS) < 0 &&
           native_find_kind(native, PARAM_VARKEYWORDS) < 0;
}
