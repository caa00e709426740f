// Calls of the library's functions that CPython has in C.
//
// A Native that is never called stands in for such a function, so that its
// refusals come from native_words.c like those of all others. It is made from
// the function's parameters when a call has failed: calls that bind pay
// nothing for it.
#include "interp/objects/errors/library_words.h"

#include <stdio.h>

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/native_words.h"
#include "interp/objects/text/obj_str.h"

// Whether `name` is `prefix` or something inside of it; "" has everything
// inside. Names with dots: "f" has "f.<locals>.g" inside.
static bool is_inside(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return length == 0 || (strncmp(name, prefix, length) == 0 &&
                           (name[length] == '\0' || name[length] == '.'));
}

// "lib/python/NAME.duet", or a package's "lib/python/NAME/__init__.duet": NAME.
static const char *module_of(const Code *code, size_t *length)
{
    static const char python[] = "lib/python/";
    const char *path = code->source->name;
    path += strncmp(path, python, strlen(python)) == 0 ? strlen(python)
                                                       : strlen("lib/");
    *length = strcspn(path, "./");
    return path;
}

// As if they were native here too: what stays of a traceback are the lines
// that somebody can mend. Lines of a module's own body always show: they can
// only fail while it is imported.
bool library_is_native(const Code *code)
{
    static const struct {
        const char *module, *function;
    } rows[] = {
#define HIDDEN(module, function) {module, function},
#include "interp/objects/errors/hidden_frame_list.h"
#undef HIDDEN
    };
    if (!code->source->library || (code->flags & CODE_MODULE)) {
        return false;
    }
    size_t length;
    const char *module = module_of(code, &length);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].module) == length &&
            memcmp(rows[i].module, module, length) == 0 &&
            is_inside(code->qualname->text, rows[i].function)) {
            return true;
        }
    }
    return false;
}

enum { PLACE_SIZE = 64, PARAMS_MOST = 24 };

// A Native with all that it points to.
typedef struct StandIn {
    Native native;
    NativeDef def;
    char place[PLACE_SIZE]; // its class, or its module
    NativeParam params[PARAMS_MOST];
} StandIn;

// The name and what stands in front of it. A class is called by its own name,
// whether __init__ or __new__ takes the arguments.
static void set_names(StandIn *in, const Code *code)
{
    const char *qualname = code->qualname->text;
    const char *dot = strrchr(qualname, '.');
    const char *place = qualname;
    size_t length = dot != NULL ? (size_t)(dot - qualname) : 0;
    // The innermost class alone.
    for (const char *at = qualname; dot != NULL && at < dot; at++) {
        if (*at == '.') {
            place = at + 1;
            length = (size_t)(dot - place);
        }
    }
    if (dot == NULL) {
        place = module_of(code, &length);
    }
    snprintf(in->place, sizeof in->place, "%.*s", (int)length, place);
    const char *name = code->name->text;
    bool makes = strcmp(name, "__init__") == 0 || strcmp(name, "__new__") == 0;
    in->def.name = makes ? in->place : name;
    in->native.place = in->place;
    // Methods are told by their first parameter, which is not counted.
    bool method = dot != NULL && code->positional_count > 0 &&
                  (str_is(code->local_names[0], "self") ||
                   str_is(code->local_names[0], "cls"));
    in->native.flags = method ? NATIVE_OF_CLASS : 0;
}

// What the parameter at `at` is; those of *args and **kwargs come last.
static ParamKind kind_of(const Code *code, uint32_t at, bool slot)
{
    uint32_t positional = code->positional_count;
    if (at < positional) {
        return slot || at < code->positional_only_count ? PARAM_POSITIONAL_ONLY
                                                        : PARAM_POSITIONAL;
    }
    if (at < positional + code->keyword_only_count) {
        return PARAM_KEYWORD_ONLY;
    }
    bool rest = at == positional + code->keyword_only_count &&
                (code->flags & CODE_VARARGS);
    return rest ? PARAM_VARARGS : PARAM_VARKEYWORDS;
}

// Whether a parameter has a default, of which only that much matters.
static bool has_default(const Function *function, uint32_t at)
{
    const Code *code = function->code;
    uint32_t positional = code->positional_count;
    size_t defaults =
        function->defaults != NULL ? function->defaults->count : 0;
    if (at < positional) {
        return at + defaults >= positional;
    }
    return function->keyword_defaults != NULL &&
           !value_unbound(dict_get_name(function->keyword_defaults,
                                        code->local_names[at]));
}

// False: it has more parameters than CPython's C functions do.
static bool stand_in(StandIn *in, const Function *function)
{
    const Code *code = function->code;
    uint32_t count = (uint32_t)code->positional_count +
                     code->keyword_only_count + !!(code->flags & CODE_VARARGS) +
                     !!(code->flags & CODE_VARKEYWORDS);
    if (count > PARAMS_MOST) {
        return false;
    }
    *in = (StandIn){.native.def = &in->def, .native.params = in->params};
    set_names(in, code);
    Native *native = &in->native;
    bool slot = native_is_slot(native);
    native->param_count = (uint16_t)count;
    native->positional_count = code->positional_count;
    for (uint32_t i = 0; i < count; i++) {
        bool given = has_default(function, i);
        in->params[i] = (NativeParam){code->local_names[i], given ? "" : NULL,
                                      (uint8_t)kind_of(code, i, slot)};
        native->required_count += i < code->positional_count && !given;
    }
    return true;
}

// The first keyword that nothing takes. False: an error is pending.
static bool check_names(Vm *vm, const Native *native, const Tuple *names)
{
    bool any = native_find_kind(native, PARAM_VARKEYWORDS) >= 0;
    for (size_t i = 0; names != NULL && !any && i < names->count; i++) {
        Str *name = value_as_str(names->items[i]);
        if (native_find_param(native, name) < 0) {
            return native_unknown_keyword(vm, native, name);
        }
    }
    return true;
}

// What a C function would not mind, such as an argument given twice, keeps the
// words that it has.
void library_refuse(Vm *vm, const Function *function, uint32_t given,
                    const Tuple *names)
{
    StandIn in;
    if (!raise_matches(vm, ERR_TYPE) || !library_is_native(function->code) ||
        !stand_in(&in, function)) {
        return;
    }
    // A new error takes the place of the pending one.
    bool fits = native_check_count(vm, &in.native, given, names) &&
                check_names(vm, &in.native, names);
    (void)fits;
}
