// The inner loops, once per instruction set, and which set runs.
//
// A tier is one compilation of tier_body.h: portable C, AVX2 or AVX-512. All
// give the same bits (the loops use + - * / sqrt and, where a definition says
// so, fma). The tier is chosen once for a context: the best that the processor
// has, or what DUET_ISA=loop|avx2|avx512 asks for.
#ifndef DUET_KERNELS_TIER_H
#define DUET_KERNELS_TIER_H

#include "base/ctx.h"
#include "kernels/gemm.h"
#include "kernels/lanes.h"
#include "kernels/prim.h"

// Element types as kernels see them; in the order of ops/dtype_list.h.
typedef enum Elem {
    ELEM_BOOL, // one byte, 0 or 1
    ELEM_U8,
    ELEM_I8,
    ELEM_I16,
    ELEM_I32,
    ELEM_I64,
    ELEM_F32,
    ELEM_F64,
    ELEM_F16, // computed in float32, as is the next: kernels/half.h
    ELEM_BF16,
    ELEM_COUNT
} Elem;

// out[r] = reduction of the `n` elements in[r * n ..]; see reduce_body.h.
typedef void (*RowReduceFn)(void *out, const void *in, int64_t rows, int64_t n);
// out[i] = reduction over r of in[r * stride + i], i < n: rows onto one row.
typedef void (*ColumnReduceFn)(void *out, const void *in, int64_t rows,
                               int64_t stride, int64_t n);
// *out = reduction of the results of `n` parts of a row, each of REDUCE_PART
// elements but the last: the same bits as that of the row.
typedef void (*FoldFn)(void *out, const void *parts, int64_t n);
enum { REDUCE_PART = 1 << 16 };
// The lanes of a block of a row (reduce_body.h): each the neutral element; and
// *out = what they are together.
typedef void (*LanesStartFn)(void *lanes);
typedef void (*LanesFoldFn)(void *out, const void *lanes);
enum { REDUCE_LANES = 128, REDUCE_BLOCK = 2048 };

// The first of `n` elements that equals *value, or is NaN as it is; n: none.
typedef int64_t (*FindFn)(const void *from, int64_t n, const void *value);
// Row k of `n` elements of `from` is added to row rows[k] of `to`, in order.
typedef void (*AddRowsFn)(void *to, const void *from, const int64_t *rows,
                          int64_t count, int64_t n);
// Keys of `n` elements, ints of their width whose order is theirs
// (sort_body.h), and elements of keys. Steps are in elements of either.
typedef void (*SortMoveFn)(void *to, int64_t to_step, const void *from,
                           int64_t from_step, int64_t n, bool down);
// Sorts `n` ints. `room` is for as many and SORT_BYTES. False: interrupted.
typedef bool (*SortFn)(Ctx *ctx, void *keys, int64_t n, void *room);
// Sorts SORT_BYTES of columns beside each other, of `n` ints each, which stand
// row by row.
typedef void (*SortColumnsFn)(void *columns, int64_t n);
enum { SORT_BYTES = 64 };

// The foldings that have kernels; mean, var and others are made of them.
typedef enum ReduceId {
    REDUCE_SUM,  // bool and small ints accumulate into int32
    REDUCE_PROD, // the same
    REDUCE_MAX,  // NaN wins
    REDUCE_MIN,  // NaN wins
    REDUCE_ANY,  // bool only
    REDUCE_ALL,  // bool only
    REDUCE_COUNT
} ReduceId;

// Constant tables, one for each compilation: nothing in them is ever written.
typedef struct Tier {
    const char *name; // as DUET_ISA has it
    uint8_t emits; // bytes of machine code's vectors (emit.h); 0: none is made
    const LoopRow (*rows)[LOOP_TYPES];       // by primitive; NULL: moves bits
    const LoopRow *loads, *stores, *narrows; // by Elem; NULL: the same bits
    GemmFn gemm[ELEM_COUNT];                 // NULL: bool and 8/16-bit ints
    LanesFn lanes[ELEM_COUNT];               // of floats; else NULL
    RowReduceFn row_reduce[REDUCE_COUNT][ELEM_COUNT];
    ColumnReduceFn column_reduce[REDUCE_COUNT][ELEM_COUNT];
    FoldFn fold[REDUCE_COUNT][ELEM_COUNT];
    LanesStartFn lanes_start[REDUCE_COUNT][ELEM_COUNT];
    LanesFoldFn lanes_fold[REDUCE_COUNT][ELEM_COUNT];
    // softmax and its logarithm over rows of n elements, and log(sum(exp(x))).
    RowReduceFn softmax[ELEM_COUNT], log_softmax[ELEM_COUNT];
    RowReduceFn logsumexp[ELEM_COUNT];
    FindFn find[ELEM_COUNT];             // of bools and halves: NULL
    AddRowsFn add_rows[ELEM_COUNT];      // of 32 and 64 bits; else NULL
    SortMoveFn sort_keys[ELEM_COUNT];    // of 32 and 64 bits; else NULL,
    SortMoveFn sort_numbers[ELEM_COUNT]; // both
    SortFn sort[ELEM_COUNT]; // of ELEM_I32 and ELEM_I64, or NULL throughout
    SortColumnsFn sort_columns[ELEM_COUNT]; // of ELEM_I32 and ELEM_I64
} Tier;

extern const Tier tier_portable;
#if defined(__x86_64__)
extern const Tier tier_avx2, tier_avx512;
#endif

// The best tier that this processor runs, or the one that DUET_ISA names if
// it runs here.
const Tier *tier_choose(void);
// By name; NULL if there is no such tier or the processor lacks it.
const Tier *tier_find(const char *name);

// What kernels keep per context: made on first use, freed by ctx_destroy.
typedef struct KernelState {
    const Tier *tier;
    GemmBlocks blocks;         // of matrix products
    struct Pool *pool;         // freed tensor memory (kernels/pool.h)
    struct CodeArena *code;    // of emitted kernels (kernels/code_arena.h)
    struct KernelTable *table; // of single ops (kernels/emit.h); NULL: none yet
    struct SharedTable *shared; // code (kernels/emit_shared.h); NULL: none yet
} KernelState;

MUST_CHECK KernelState *kernel_state_new(Ctx *ctx);
// NULL with ERR_MEMORY pending.
MUST_CHECK static inline KernelState *kernel_state(Ctx *ctx)
{
    KernelState *state = ctx->kernels;
    return LIKELY(state != NULL) ? state : kernel_state_new(ctx);
}

#endif
