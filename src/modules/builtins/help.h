// How a callable is called, and what its documentation says: for help(), and
// for the prompt.
#ifndef DUET_MODULES_BUILTINS_HELP_H
#define DUET_MODULES_BUILTINS_HELP_H

#include "base/strbuf.h"
#include "interp/core/value.h"

typedef struct Vm Vm;

// A function, native function, bound method, or `stage`.
bool help_is_callable(Value v);
// Takes the first parameter out of the signature that begins at `from`.
void help_drop_first(StrBuf *text, size_t from);
// Appends "name(a, /, b=1, *args)" of such a value; *doc is its documentation,
// borrowed, NULL: none. False with an error pending: a default's repr raised.
MUST_CHECK bool help_add_callable(Vm *vm, StrBuf *out, Value v,
                                  const char **doc);

#endif
