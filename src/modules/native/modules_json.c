// The native half of the module json: its functions, and the guard that reading
// and writing share. What classes and defaults there are is said in
// lib/json.
#include "interp/core/depth.h"
#include "interp/core/raise.h"
#include "modules/importing/module.h"
#include "modules/native/json.h"

// The frames of the program and the levels here meet one limit.
bool json_enter(Vm *vm, uint32_t *depth, const char *what)
{
    if (!depth_enter(vm, what)) {
        return false;
    }
    ++*depth;
    return true;
}

void json_leave(Vm *vm, uint32_t *depth)
{
    depth_leave(vm);
    --*depth;
}

static const NativeDef functions[] = {
    {"scan",
     "text, index, strict, object_hook, object_pairs_hook, parse_float, "
     "parse_int, parse_constant, error, /",
     json_scan,
     "The value at an index of a JSON text, and the index behind it."},
    {"skip", "text, index, /", json_skip,
     "The index of the first character that is not white."},
    {"write",
     "o, default, skipkeys, ensure_ascii, check_circular, allow_nan, "
     "sort_keys, indent, item_separator, key_separator, /",
     json_write, "The JSON text of an object."},
    {"quote", "text, ensure_ascii, /", json_quote, "A str as JSON, in quotes."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef json_module = {.name = "json",
                               .doc = "Reading and writing JSON texts.",
                               .functions = functions};
