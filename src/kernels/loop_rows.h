// Each primitive over arrays (LoopRow), for the interpreter and for what
// machine code calls. Included by tier_body.h alone.
#ifndef DUET_KERNELS_LOOP_ROWS_H
#define DUET_KERNELS_LOOP_ROWS_H

#include "kernels/far.h"
#include "kernels/half.h"
#include "kernels/power.h"
#include "kernels/prim_ints.h"

// A result is either apart from the operands or exactly the same elements.
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

typedef float RowF32;
typedef double RowF64;
typedef int32_t RowI32;
typedef int64_t RowI64;
typedef int8_t RowMASK;

// to[i] of x, y, z, of types R and X, Y, Y. Reads of operands that the
// expression does not name are dropped.
#define ROW(name, R, X, Y, expression)                                         \
    static void name(void *to, const void *xs, const void *ys, const void *zs, \
                     size_t n)                                                 \
    {                                                                          \
        R *o = to;                                                             \
        const X *p = xs;                                                       \
        const Y *q = ys, *r = zs;                                              \
        INDEPENDENT                                                            \
        for (size_t i = 0; i < n; i++) {                                       \
            X x = p[i];                                                        \
            Y y = q[i], z = r[i];                                              \
            (void)x, (void)y, (void)z;                                         \
            o[i] = (R)(expression);                                            \
        }                                                                      \
    }

#define PRIM(id, operands, of)
#define PRIM_ROW(id, T, R, expression)                                         \
    ROW(row_##id##_##T, Row##R, Row##T, Row##T, expression)
#define PRIM_RARE(id, T, expression) PRIM_ROW(id, T, T, expression)
#include "kernels/prim_list.h"

ROW(select_1, int8_t, int8_t, int8_t, x ? y : z)
ROW(select_4, int32_t, int8_t, int32_t, x ? y : z)
ROW(select_8, int64_t, int8_t, int64_t, x ? y : z)

// Quotients of 64 bits, as long_quotient has them. Of ints below 2**52 the one
// in double is never rounded over a whole number.
static void row_quotients(void *to, const void *xs, const void *ys,
                          const void *zs, size_t n)
{
    enum { BLOCK = 64 };
    const uint64_t half = UINT64_C(1) << 52;
    const int64_t *x = xs, *y = ys;
    int64_t *o = to;
    (void)zs;
    for (size_t done = 0, count; done < n; done += count) {
        uint64_t wide = 0;
        count = n - done < BLOCK ? n - done : BLOCK;
        for (size_t i = done; i < done + count; i++) {
            wide |=
                ((uint64_t)x[i] + half) >> 53 | ((uint64_t)y[i] + half) >> 53;
        }
        if (wide == 0) {
            INDEPENDENT
            for (size_t i = done; i < done + count; i++) {
                double by = y[i] == 0 ? 1.0 : (double)y[i];
                int64_t quotient = (int64_t)floor((double)x[i] / by);
                o[i] = y[i] == 0 ? x[i] >> 63 : quotient;
            }
            continue;
        }
        row_QUOT_I64(o + done, x + done, y + done, y + done, count);
    }
}

// A rare one's loop computes the expression alone. The table has the quotients
// above in the place of the list's.
#define row_QUOT_I64 row_quotients
static const LoopRow loop_rows[PRIM_COUNT][LOOP_TYPES] = {
#define PRIM(id, operands, of)
#define PRIM_ROW(id, T, R, expression) [PRIM_##id][LT_##T] = row_##id##_##T,
#define PRIM_RARE(id, T, expression) PRIM_ROW(id, T, T, expression)
#include "kernels/prim_list.h"
    [PRIM_SELECT] = {select_4, select_8, select_4, select_8, select_1},
};
#undef row_QUOT_I64

// Elements as values, and values as elements. What is not here is the same.
ROW(load_b, int8_t, uint8_t, uint8_t, -(x != 0))
ROW(load_u8, int32_t, uint8_t, uint8_t, x)
ROW(load_i8, int32_t, int8_t, int8_t, x)
ROW(load_i16, int32_t, int16_t, int16_t, x)
ROW(load_f16, float, uint16_t, uint16_t, f16_widen(x))
ROW(load_bf16, float, uint16_t, uint16_t, bf16_widen(x))
ROW(store_b, uint8_t, uint8_t, uint8_t, x & 1)
ROW(store_8, uint8_t, int32_t, int32_t, x)
ROW(store_16, int16_t, int32_t, int32_t, x)
ROW(store_32, int32_t, int32_t, int32_t, x)
ROW(store_64, int64_t, int64_t, int64_t, x)
ROW(store_f16, uint16_t, float, float, f16_round(x))
ROW(store_bf16, uint16_t, float, float, bf16_round(x))
static const LoopRow loop_loads[ELEM_COUNT] = {
    [ELEM_BOOL] = load_b,  [ELEM_U8] = load_u8,   [ELEM_I8] = load_i8,
    [ELEM_I16] = load_i16, [ELEM_F16] = load_f16, [ELEM_BF16] = load_bf16,
};
static const LoopRow loop_stores[ELEM_COUNT] = {
    [ELEM_BOOL] = store_b,    [ELEM_U8] = store_8,   [ELEM_I8] = store_8,
    [ELEM_I16] = store_16,    [ELEM_I32] = store_32, [ELEM_I64] = store_64,
    [ELEM_F32] = store_32,    [ELEM_F64] = store_64, [ELEM_F16] = store_f16,
    [ELEM_BF16] = store_bf16,
};
ROW(narrow_u8, int32_t, int32_t, int32_t, (uint8_t)x)
ROW(narrow_i8, int32_t, int32_t, int32_t, (int8_t)x)
ROW(narrow_i16, int32_t, int32_t, int32_t, (int16_t)x)
ROW(narrow_f16, float, float, float, f16_widen(f16_round(x)))
ROW(narrow_bf16, float, float, float, bf16_widen(bf16_round(x)))
static const LoopRow loop_narrows[ELEM_COUNT] = {
    [ELEM_U8] = narrow_u8,   [ELEM_I8] = narrow_i8,     [ELEM_I16] = narrow_i16,
    [ELEM_F16] = narrow_f16, [ELEM_BF16] = narrow_bf16,
};
#undef ROW

#endif
