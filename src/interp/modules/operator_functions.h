// The native functions of the module operator.
#ifndef DUET_INTERP_MODULES_OPERATOR_FUNCTIONS_H
#define DUET_INTERP_MODULES_OPERATOR_FUNCTIONS_H

#include "interp/type.h"

// Ends with a NULL name; modules_operator.c has the module.
extern const NativeDef operator_functions[];

#endif
