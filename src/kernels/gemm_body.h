// Matrix products in registers. Included by tier_body.h alone, for AVX2 and
// AVX-512; gemm_plain.h does for other machines.
#ifndef DUET_KERNELS_GEMM_BODY_H
#define DUET_KERNELS_GEMM_BODY_H

#include "kernels/gemm_turn.h"

// The loops over a tile must vanish, or the sums would live in memory and not
// in registers.
#if defined(__clang__)
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

#define EACH(count, i) UNROLLED for (int i = 0; i < (count); i++)

enum {
    GEMM_WIDE = 8,               // vectors of a tile of one row
    GEMM_GROUP = 5,              // rows of A that one pointer reaches
    GEMM_GROUPS = 3,             // of them in a tile
    GEMM_AHEAD = 16,             // rows of B that are fetched before their turn
    GEMM_NEAR_BYTES = 128 << 10, // a B read where it is that caches hold
    GEMM_FAR_DEPTH = 64          // rows at a time of one that they do not
};

// How a tile reads the lines of B.
typedef enum TileReads {
    GEMM_WHOLE,   // all of its vectors
    GEMM_EDGE,    // the last one masked
    GEMM_FETCHES, // all of them, and fetches a part of the next panel
    GEMM_COPIES   // masked, and copies what it reads, zeros behind it
} TileReads;

// Rows of the next tile where so many are left: a rest is halved rather than
// leaving a tile of a row, whose few sums would wait for each other.
static int64_t gemm_tile_rows(int64_t left)
{
    if (left >= 2 * GEMM_ROWS || left == GEMM_ROWS ||
        (left > GEMM_ROWS + 1 && GEMM_SMALL_ROWS < GEMM_ROWS)) {
        return GEMM_ROWS;
    }
    return left > GEMM_SMALL_ROWS ? (left + 1) / 2 : left;
}

#define ID_JOIN(name, suffix) name##_##suffix
#define ID_WITH(name, suffix) ID_JOIN(name, suffix)
#define ID(name) ID_WITH(name, SUFFIX)

#define ELEMENT float
#define SUFFIX f32
#include "kernels/gemm_type.h"
#undef ELEMENT
#undef SUFFIX
#define ELEMENT double
#define SUFFIX f64
#include "kernels/gemm_type.h"
#undef ELEMENT
#undef SUFFIX
#define ELEMENT int32_t
#define SUFFIX i32
#include "kernels/gemm_type.h"
#undef ELEMENT
#undef SUFFIX
#define ELEMENT int64_t
#define SUFFIX i64
#include "kernels/gemm_type.h"
#undef ELEMENT
#undef SUFFIX

#undef ID

#endif
