// The constructors of the types of functions and cells, for their slots.
#ifndef DUET_INTERP_OBJECTS_CLASSES_FUNCTION_MAKE_H
#define DUET_INTERP_OBJECTS_CLASSES_FUNCTION_MAKE_H

#include "interp/objects/classes/obj_function.h"

// types.FunctionType(code, globals, name=None, argdefs=None, closure=None).
// Owned; VALUE_FAIL: TypeError or ValueError, or memory.
Value function_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords);
// types.CellType() and types.CellType(contents). Owned or VALUE_FAIL.
Value function_make_cell(Vm *vm, Type *cls, Tuple *args, Dict *keywords);

#endif
