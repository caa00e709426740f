// Which calls of C count towards the recursion limit, and its error.
#include "interp/core/depth.h"

#include <string.h>

#include "interp/core/raise.h"
#include "interp/objects/errors/native_words.h"

bool depth_fail(Vm *vm, const char *what)
{
    return raise_false(vm, ERR_RECURSION, "maximum recursion depth exceeded%s",
                       what);
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
