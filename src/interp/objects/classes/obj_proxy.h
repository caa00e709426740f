// mappingproxy: a read-only view on a mapping, which is what C.__dict__ is.
#ifndef DUET_INTERP_OBJECTS_CLASSES_OBJ_PROXY_H
#define DUET_INTERP_OBJECTS_CLASSES_OBJ_PROXY_H

#include "interp/core/type.h"

// A view on the mapping, which is retained. Owned; VALUE_FAIL: memory.
MUST_CHECK Value proxy_new(Vm *vm, Value mapping);

#endif
