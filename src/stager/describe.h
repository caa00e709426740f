// Values as messages about a trace show them.
#ifndef DUET_STAGER_DESCRIBE_H
#define DUET_STAGER_DESCRIBE_H

#include "interp/core/vm.h"

// "float32[2]", "None", "'text'": what a value is, for an error text. False: no
// memory for it, or Ctrl-C; what the value's own repr raises is dropped.
MUST_CHECK bool describe_value(Vm *vm, Value v, char *room, size_t size);

#endif
