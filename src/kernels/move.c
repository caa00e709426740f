// Copies between layouts. Dimensions that run on in one step are joined
// first; the innermost one is a loop by element size, or one memcpy.
#include "kernels/move.h"

#include <stdbool.h>
#include <string.h>

// One run of the innermost dimension; steps in elements.
#define MOVE_LINE(T)                                                          \
    for (int64_t i = 0; i < n; i++) {                                         \
        ((T *)to)[i * to_step] = ((const T *)from)[i * from_step];            \
    }

// Elements move as plain integers of their size, whatever they mean. The tests
// of the steps stay outside of the loops, so that those are tight.
static void move_line(char *to, int64_t to_step, const char *from,
                      int64_t from_step, size_t size, int64_t n)
{
    if (to_step == 1 && from_step == 1) {
        memcpy(to, from, (size_t)n * size);
        return;
    }
    switch (size) {
    case 1:
        MOVE_LINE(uint8_t)
        break;
    case 2:
        MOVE_LINE(uint16_t)
        break;
    case 4:
        MOVE_LINE(uint32_t)
        break;
    default:
        MOVE_LINE(uint64_t)
    }
}

// Drops sizes of 1 and joins neighbours; the new rank, at least 1. Zero sizes
// give -1: there is nothing to move.
static int join_dims(int rank, const int64_t *dims, const int64_t *strides,
                     int64_t *sizes, int64_t *steps)
{
    int count = 0;
    for (int i = 0; i < rank; i++) {
        if (dims[i] == 0) {
            return -1;
        }
        if (dims[i] == 1) {
            continue;
        }
        // The outer dimension goes on where the inner one ends. This holds for
        // broadcast (0) and reversed (negative) strides too.
        if (count > 0 && steps[count - 1] == strides[i] * dims[i]) {
            sizes[count - 1] *= dims[i];
            steps[count - 1] = strides[i];
        } else {
            sizes[count] = dims[i];
            steps[count++] = strides[i];
        }
    }
    // A single element: one line of length 1.
    if (count == 0) {
        sizes[count] = 1;
        steps[count++] = 1;
    }
    return count;
}

// Gather and scatter are the same walk with the roles of the two arrays
// exchanged. The dense side only moves on; the strided side is an odometer
// over all but the innermost dimension.
static void move_all(char *dense, char *strided, bool gather, size_t size,
                     int rank, const int64_t *dims, const int64_t *strides)
{
    int64_t sizes[MOVE_MAX_RANK], steps[MOVE_MAX_RANK];
    int64_t at[MOVE_MAX_RANK] = {0};
    int last = join_dims(rank, dims, strides, sizes, steps) - 1;
    if (last < 0) {
        return;
    }
    for (;;) {
        if (gather) {
            move_line(dense, 1, strided, steps[last], size, sizes[last]);
        } else {
            move_line(strided, steps[last], dense, 1, size, sizes[last]);
        }
        dense += sizes[last] * (int64_t)size;
        int i = last - 1;
        while (i >= 0 && ++at[i] == sizes[i]) {
            // Back to the start of dimension i, then one step of the next
            // outer one.
            strided -= (sizes[i] - 1) * steps[i] * (int64_t)size;
            at[i--] = 0;
        }
        if (i < 0) {
            return;
        }
        strided += steps[i] * (int64_t)size;
    }
}

// The cast drops const for the shared walk, which only reads here.
void move_gather(void *to, const void *from, size_t size, int rank,
                 const int64_t *dims, const int64_t *strides)
{
    move_all(to, (char *)(uintptr_t)from, true, size, rank, dims, strides);
}

void move_scatter(void *to, const void *from, size_t size, int rank,
                  const int64_t *dims, const int64_t *strides)
{
    move_all((char *)(uintptr_t)from, to, false, size, rank, dims, strides);
}

enum { FILL_PIECE = 1 << 15 }; // bytes: what is copied stays in the cache

// What has been written is copied on, twice as much each time: `value` may be
// of any type and alignment, and a memcpy for each element would be slow.
void move_fill(void *to, const void *value, size_t size, int64_t count)
{
    char *out = to;
    size_t total = (size_t)count * size, done = size;
    if (count <= 0) {
        return;
    }
    memcpy(out, value, size);
    while (done < total) {
        size_t piece = done < FILL_PIECE ? done : FILL_PIECE;
        piece = piece < total - done ? piece : total - done;
        memcpy(out + done, out, piece);
        done += piece;
    }
}
