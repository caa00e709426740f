// The methods of bytes that str has, too: bytes_text.c, bytes_case.c. Each is a
// NativeFn, whose arguments are bound by its row in bytes_method_list.h.
#ifndef DUET_INTERP_OBJECTS_TEXT_BYTES_TEXT_H
#define DUET_INTERP_OBJECTS_TEXT_BYTES_TEXT_H

#include "interp/objects/text/obj_bytes.h"

#define BYTES_METHOD(name, params, doc)                                        \
    Value bytes_method_##name(Vm *vm, Value *args);
#include "interp/objects/text/bytes_method_list.h"
#undef BYTES_METHOD

#endif
