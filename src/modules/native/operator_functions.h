// The native functions of the module operator.
#ifndef DUET_MODULES_NATIVE_OPERATOR_FUNCTIONS_H
#define DUET_MODULES_NATIVE_OPERATOR_FUNCTIONS_H

#include "interp/core/type.h"

// Ends with a NULL name; modules_operator.c has the module.
extern const NativeDef operator_functions[];

#endif
