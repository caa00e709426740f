// The body of a tier: TIER_TABLE names the table, TIER_NAME is its name. It is
// compiled once per instruction set by tier_portable.c, tier_avx2.c and
// tier_avx512.c, which differ in compiler flags alone. No include guard.
//
// SHOULD stay free of what differs between machines: no libm function in a
// float loop but the exact ones (floor, sqrt, fma, fmod).
#if defined(__clang__)
// A loop that calls libm stays scalar, and clang says so of each: by file and
// line, so that this must stand before the list of primitives is first read.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#include <math.h>
#include <string.h>

#include "kernels/tier.h"

// O3 for the vectoriser, whatever the rest is compiled with. The two other
// options change no result: errno and traps are not looked at.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#pragma GCC optimize("no-trapping-math", "no-math-errno")
// A reduction's lanes are few: `rep stos` takes longer to begin than they do.
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
// The templates compare with 0 for signed and unsigned types alike.
#pragma GCC diagnostic ignored "-Wtype-limits"

#include "kernels/fma.h"
#include "kernels/loop_rows.h"
#include "kernels/vmath.h"

// Without fma instructions the vector body could not give the bits.
#if defined(__AVX2__) && defined(__FMA__)
#include "kernels/gemm_body.h"
#else
#include "kernels/gemm_plain.h"
#endif
#include "kernels/find_body.h"
#include "kernels/lanes_body.h"
#include "kernels/reduce_body.h"
#include "kernels/rows_body.h"
#include "kernels/sort_body.h"

// The columns of a table by Elem for each set; F is the function prefix.
#define ROW_LONG_INTEGER(F) [ELEM_I32] = F##_i32, [ELEM_I64] = F##_i64
#define ROW_INTEGER(F)                                                         \
    [ELEM_U8] = F##_u8, [ELEM_I8] = F##_i8, [ELEM_I16] = F##_i16,              \
    ROW_LONG_INTEGER(F)
#define ROW_FLOAT(F) [ELEM_F32] = F##_f32, [ELEM_F64] = F##_f64
#define ROW_BOOL(F) [ELEM_BOOL] = F##_b
#define ROW_NUMERIC(F) ROW_INTEGER(F), ROW_FLOAT(F)
#define ROW_BITS(F) ROW_BOOL(F), ROW_INTEGER(F)
#define ROW_ALL(F) ROW_BITS(F), ROW_FLOAT(F)

// Entries that a set of types lacks are NULL; the ops refuse those dtypes.
#define REDUCE_TABLE(prefix)                                                   \
    {                                                                          \
        [REDUCE_SUM] = {ROW_ALL(prefix##_sum)},                                \
        [REDUCE_PROD] = {ROW_ALL(prefix##_prod)},                              \
        [REDUCE_MAX] = {ROW_NUMERIC(prefix##_max)},                            \
        [REDUCE_MIN] = {ROW_NUMERIC(prefix##_min)},                            \
        [REDUCE_ANY] = {ROW_BOOL(prefix##_any)},                               \
        [REDUCE_ALL] = {ROW_BOOL(prefix##_all)},                               \
    }

const Tier TIER_TABLE = {
    .name = TIER_NAME,
#if defined(__x86_64__) && defined(__AVX2__) && defined(__FMA__)
#if defined(__AVX512F__)
    .emits = 64,
#else
    .emits = 32,
#endif
#endif
    .rows = loop_rows,
    .loads = loop_loads,
    .stores = loop_stores,
    .narrows = loop_narrows,
    .gemm = {ROW_LONG_INTEGER(gemm), ROW_FLOAT(gemm)},
    .lanes = {ROW_FLOAT(lanes)},
    .row_reduce = REDUCE_TABLE(rows),
    .column_reduce = REDUCE_TABLE(columns),
    .fold = REDUCE_TABLE(fold),
    .lanes_start = REDUCE_TABLE(start),
    .lanes_fold = REDUCE_TABLE(halve),
    .softmax = {ROW_FLOAT(softmax)},
    .log_softmax = {ROW_FLOAT(log_softmax)},
    .logsumexp = {ROW_FLOAT(logsumexp)},
    .find = {ROW_NUMERIC(find)},
    .add_rows = {ROW_LONG_INTEGER(add_rows), ROW_FLOAT(add_rows)},
    .sort_keys = {ROW_LONG_INTEGER(keys), ROW_FLOAT(keys)},
    .sort_numbers = {ROW_LONG_INTEGER(numbers), ROW_FLOAT(numbers)},
#if defined(__AVX512F__)
    .sort = {ROW_LONG_INTEGER(sort)},
#endif
    .sort_columns = {ROW_LONG_INTEGER(sort_columns)},
};
