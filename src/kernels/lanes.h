// Sums of products side by side: every lane has factors of its own, so that
// vectors are read and never spread. What a convolution of single channels is.
//
// c[i][j] accumulates a * b over `turns` times `k` places, in that order, with
// fma from +0, or from what C holds; the same bits in every tier.
#ifndef DUET_KERNELS_LANES_H
#define DUET_KERNELS_LANES_H

#include <stdbool.h>
#include <stdint.h>

// Steps are in elements; those of j are 1.
typedef struct LanesArgs {
    int64_t m, n, turns, k;
    const void *a, *b; // b is the same for all i
    int64_t a_row, a_turn, a_step;
    int64_t b_turn, b_step;
    void *c;
    int64_t c_row;
    bool resume;
} LanesArgs;
typedef void (*LanesFn)(const LanesArgs *args);

#endif
