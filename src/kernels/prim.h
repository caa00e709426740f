// What loop bodies are made of, as names: types and primitives (prim_list.h).
#ifndef DUET_KERNELS_PRIM_H
#define DUET_KERNELS_PRIM_H

#include <stddef.h>

// Types of values. MASK is what comparisons give and selections take.
typedef enum LoopType { LT_F32, LT_F64, LT_I32, LT_I64, LT_MASK } LoopType;
enum { LOOP_TYPES = LT_MASK + 1 };

typedef enum LoopPrim {
#define PRIM(id, operands, of) PRIM_##id,
#define PRIM_ROW(id, type, result, expression)
#define PRIM_RARE(id, type, expression)
#include "kernels/prim_list.h"
    PRIM_COUNT
} LoopPrim;

// A primitive over arrays: to[i] of x[i], y[i] and z[i]. `to` may be one of
// them; operands that it lacks are any memory of x's size. A MASK is a byte of
// ones or zeros.
typedef void (*LoopRow)(void *to, const void *x, const void *y, const void *z,
                        size_t n);

#endif
