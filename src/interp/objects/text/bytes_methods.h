// The methods of bytes.
#ifndef DUET_INTERP_OBJECTS_TEXT_BYTES_METHODS_H
#define DUET_INTERP_OBJECTS_TEXT_BYTES_METHODS_H

#include "interp/objects/text/obj_bytes.h"

extern const NativeDef bytes_methods[], bytes_class_methods[],
    bytes_static_methods[];

// Any bytes-like argument: bytes itself; "a bytes-like object is required, not
// 'str'" else. NULL: failed. Borrowed.
Bytes *bytes_argument(Vm *vm, Value v);
// bytes_hex.c: methods of the tables above.
Value bytes_method_hex(Vm *vm, Value *args);
Value bytes_method_fromhex(Vm *vm, Value *args);

#endif
