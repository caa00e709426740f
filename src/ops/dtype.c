// Element types: names and properties, from dtype_list.h.
#include "ops/dtype.h"

#include <string.h>

#include "kernels/tier.h"

// Kernels know dtypes as Elem: the same numbers.
_Static_assert((int)DT_BOOL == (int)ELEM_BOOL, "order of dtypes");
_Static_assert((int)DT_UINT8 == (int)ELEM_U8, "order of dtypes");
_Static_assert((int)DT_INT8 == (int)ELEM_I8, "order of dtypes");
_Static_assert((int)DT_INT16 == (int)ELEM_I16, "order of dtypes");
_Static_assert((int)DT_INT32 == (int)ELEM_I32, "order of dtypes");
_Static_assert((int)DT_INT64 == (int)ELEM_I64, "order of dtypes");
_Static_assert((int)DT_FLOAT32 == (int)ELEM_F32, "order of dtypes");
_Static_assert((int)DT_FLOAT64 == (int)ELEM_F64, "order of dtypes");
_Static_assert((int)DT_FLOAT16 == (int)ELEM_F16, "order of dtypes");
_Static_assert((int)DT_BFLOAT16 == (int)ELEM_BF16, "order of dtypes");
_Static_assert((int)DT_STRING == (int)ELEM_COUNT, "strings are no Elem");

// What dtype_list.h says of one dtype, in the form that functions look up.
typedef struct DTypeInfo {
    const char *name;
    uint8_t size;
    uint8_t class; // DTypeClass
} DTypeInfo;

// Indexed by DType; DT_COUNT (no dtype, as in an attribute not given) is not
// in it, and only dtype_name may be asked about it.
static const DTypeInfo dtype_info[DT_COUNT] = {
#define DTYPE(id, text, ctype, bytes, kind, tf)                                \
    [DT_##id] = {text, bytes, DTYPE_CLASS_##kind},
#include "ops/dtype_list.h"
#undef DTYPE
};

// Messages may name a dtype that a faulty graph gave, so this one checks.
const char *dtype_name(DType dtype)
{
    return dtype < DT_COUNT       ? dtype_info[dtype].name
           : dtype_is_list(dtype) ? "list"
                                  : "<no dtype>";
}

// A string's element is a pointer.
size_t dtype_size(DType dtype)
{
    return dtype_info[dtype].size;
}

// One look into the table of dtypes.
DTypeClass dtype_class(DType dtype)
{
    return (DTypeClass)dtype_info[dtype].class;
}

// A walk over few names: asked once for each dtype in a parsed text.
bool dtype_from_name(const char *name, DType *dtype)
{
    for (int i = 0; i < DT_COUNT; i++) {
        if (strcmp(name, dtype_info[i].name) == 0) {
            *dtype = (DType)i;
            return true;
        }
    }
    return false;
}
