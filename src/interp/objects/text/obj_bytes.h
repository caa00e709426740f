// bytes: immutable byte strings.
#ifndef DUET_INTERP_OBJECTS_TEXT_OBJ_BYTES_H
#define DUET_INTERP_OBJECTS_TEXT_OBJ_BYTES_H

#include "interp/core/memory.h"

// The data stands inside the object, whose size is fixed when it is made.
typedef struct Bytes {
    Object head;
    size_t length;
    char data[]; // NUL-terminated besides
} Bytes;

// A copy of `data`; NULL there: uninitialised, for the caller to fill.
MUST_CHECK Bytes *bytes_new(Vm *vm, const char *data, size_t length);
// A bytes object with a copy, owned, or VALUE_FAIL.
Value bytes_value(Vm *vm, const char *bytes, size_t length);
const char *bytes_text(Value v); // v is a bytes
size_t bytes_length(Value v);
// What v.__bytes__() gives, owned; bytes are their own. UNBOUND: v has no such
// method; VALUE_FAIL: it failed or gave something else.
Value bytes_from_method(Vm *vm, Value v);
// The bytes of an iterable of ints, owned.
Value bytes_from_items(Vm *vm, Value iterable);
// str.encode and bytes.decode; encoding UNBOUND: UTF-8. `function` is what the
// errors of wrong arguments name.
Value bytes_encode(Vm *vm, const char *function, Value str, Value encoding,
                   Value errors);
// bytes.decode(): a str, owned. `function` opens error texts.
Value bytes_decode(Vm *vm, const char *function, Value bytes, Value encoding,
                   Value errors);

// The caller knows the kind.
static inline Bytes *value_as_bytes(Value v)
{
    return (Bytes *)value_object(v);
}

#endif
