// Element types of tensors.
#ifndef DUET_OPS_DTYPE_H
#define DUET_OPS_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An element of a string tensor: counted bytes, shared between tensors.
typedef struct TensorString {
    uint32_t refs;
    uint32_t length;
    char bytes[]; // length of them, then a NUL that is not counted
} TensorString;

// The order is that of the kernels' Elem, which dtype.c checks; DT_COUNT
// doubles as the mark for an attribute that names none.
typedef enum DType {
#define DTYPE(id, name, ctype, size, class, tf) DT_##id,
#include "ops/dtype_list.h"
#undef DTYPE
    DT_COUNT,
    DT_NONE = DT_COUNT // "not given", in attributes
} DType;

// A bit beside an element type: a list of tensors of it. Graphs have values of
// such types, and ops that say so (OP_LISTS) take them; the language has none,
// and the functions below, dtype_name apart, ask for an element type.
enum { DT_LIST = 0x40 };
static inline bool dtype_is_list(DType dtype)
{
    return ((unsigned)dtype & DT_LIST) != 0;
}
static inline DType dtype_list_of(DType element)
{
    return (DType)((unsigned)element | DT_LIST);
}
static inline DType dtype_element(DType dtype)
{
    return (DType)((unsigned)dtype & ~(unsigned)DT_LIST);
}

// What rules ask about, without naming each width.
typedef enum DTypeClass {
    DTYPE_CLASS_BOOL,
    DTYPE_CLASS_UINT,
    DTYPE_CLASS_INT,
    DTYPE_CLASS_FLOAT,
    DTYPE_CLASS_STRING
} DTypeClass;

// "float32", "list"; static.
const char *dtype_name(DType dtype);
size_t dtype_size(DType dtype); // bytes of an element
// bool, int, uint, float or string.
DTypeClass dtype_class(DType dtype);
// False, and *dtype untouched, for an unknown name.
bool dtype_from_name(const char *name, DType *dtype);
static inline bool dtype_is_float(DType dtype)
{
    return dtype_class(dtype) == DTYPE_CLASS_FLOAT;
}
static inline bool dtype_is_half(DType dtype) // of two bytes
{
    return dtype == DT_FLOAT16 || dtype == DT_BFLOAT16;
}
static inline bool dtype_is_integer(DType dtype) // bool is not
{
    DTypeClass class = dtype_class(dtype);
    return class == DTYPE_CLASS_INT || class == DTYPE_CLASS_UINT;
}

#endif
