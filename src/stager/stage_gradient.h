// Gradients of the program's own in a trace.
#ifndef DUET_STAGER_STAGE_GRADIENT_H
#define DUET_STAGER_STAGE_GRADIENT_H

#include "stager/stager.h"

// stage._custom_gradient(outputs, inputs, gradient): the outputs as a list, in
// whose graph gradients flow to the inputs (Variables too) by a concrete
// function of the outputs' gradients that was traced in this trace.
Value stage_custom_gradient_method(Vm *vm, Value *args);

#endif
