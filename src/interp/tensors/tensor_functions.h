// Built-in functions of tensors that no op descriptor gives by itself.
#ifndef DUET_INTERP_TENSORS_TENSOR_FUNCTIONS_H
#define DUET_INTERP_TENSORS_TENSOR_FUNCTIONS_H

#include "interp/objects/classes/obj_function.h"

// Bound like the ops, a name with a dot in a namespace; ends with a NULL name.
extern const NativeDef tensor_functions[];

#endif
