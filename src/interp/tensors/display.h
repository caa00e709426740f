// How kinds of values print and what attributes they show, for libraries that
// want their own forms: display.set(kind, repr=, str=, format=), consulted by
// repr, str, containers, f-strings and error texts; display.extend(kind, name,
// value); and the native forms themselves, to build others of.
#ifndef DUET_INTERP_TENSORS_DISPLAY_H
#define DUET_INTERP_TENSORS_DISPLAY_H

#include "interp/core/vm.h"

#define DISPLAY_KINDS(X)                                                       \
    X(TENSOR, "tensor")                                                        \
    X(SYMBOLIC, "symbolic")                                                    \
    X(VARIABLE, "variable")                                                    \
    X(DTYPE, "dtype")                                                          \
    X(SPEC, "spec")                                                            \
    X(STAGED, "staged")                                                        \
    X(CONCRETE, "concrete")

typedef enum DisplayKind {
#define X(id, name) DISPLAY_##id,
    DISPLAY_KINDS(X)
#undef X
        DISPLAY_KIND_COUNT
} DisplayKind;

// The form that a library set, as a Str, or NULL without an error: print the
// native one. NULL with an error pending if its function raised.
Str *display_repr(Vm *vm, DisplayKind kind, Value v);
Str *display_str(Vm *vm, DisplayKind kind, Value v);
// The same for format(v, spec), f-strings included.
Str *display_format(Vm *vm, DisplayKind kind, Value v, Str *spec);
// Calls the attribute that a library has given tensors by that name, with both,
// where code of the program's runs. UNBOUND: none has.
Value display_call(Vm *vm, const char *name, Value a, Value b);
void display_free(Vm *vm); // takes all forms back

#endif
