// Errors about names of the program that may hold a NUL: setattr, **keywords.
#ifndef DUET_INTERP_OBJECTS_ERRORS_RAISE_WHOLE_H
#define DUET_INTERP_OBJECTS_ERRORS_RAISE_WHOLE_H

#include "interp/core/vm.h"

// As raise_error with a format that has two %s and no other conversion: the
// second is the name, which stands there whole. VALUE_FAIL, always.
Value raise_whole(Vm *vm, ErrorKind kind, const char *format, const char *first,
                  const Str *second);

#endif
