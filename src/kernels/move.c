// Copies between layouts. Dimensions that run on in one step are joined
// first; the innermost one is a loop by element size, or one memcpy.
// Lines are cut into pieces of at most MOVE_PIECE elements, between which
// Ctrl-C is looked for; short lines count together. Transposes go by square
// tiles, so that each line of the cache is read and written once.
#include "kernels/move.h"

#include <string.h>

// Elements between two polls: 2 MB at most, far apart in the worst case.
enum { MOVE_PIECE = 1 << 18 };

// One run of the innermost dimension; the step is in elements.
#define MOVE_LINE(T)                                                           \
    for (int64_t i = 0; i < n; i++) {                                          \
        ((T *)to)[i] = ((const T *)from)[i * from_step];                       \
    }

// Elements move as plain integers of their size, whatever they mean. The test
// of the step stays outside of the loops, so that those are tight.
static void move_line(char *to, const char *from, int64_t from_step,
                      size_t size, int64_t n)
{
    if (from_step == 1) {
        memcpy(to, from, (size_t)n * size);
        return;
    }
    switch (size) {
    case 1: MOVE_LINE(uint8_t) break;
    case 2: MOVE_LINE(uint16_t) break;
    case 4: MOVE_LINE(uint32_t) break;
    default: MOVE_LINE(uint64_t)
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

// A line of any length. `*moved` counts the elements of all lines, and a poll
// is due whenever it has passed another multiple of MOVE_PIECE.
static bool move_pieces(Ctx *ctx, char *to, const char *from, int64_t step,
                        size_t size, int64_t n, int64_t *moved)
{
    for (int64_t done = 0; done < n;) {
        int64_t piece = n - done < MOVE_PIECE ? n - done : MOVE_PIECE;
        int64_t before = *moved;
        move_line(to + done * (int64_t)size, from + done * step * (int64_t)size,
                  step, size, piece);
        done += piece;
        *moved += piece;
        if (UNLIKELY(before / MOVE_PIECE != *moved / MOVE_PIECE) &&
            !ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}

enum { TILE = 16 };

// One tile: rows are neighbours in `from` and `apart` elements apart in `to`,
// columns the other way round. It goes through a block of its own: lines of
// both sides may share the few places that the cache has for their addresses.
#define MOVE_TILE(T)                                                           \
    {                                                                          \
        T block[TILE][TILE];                                                   \
        for (int64_t k = 0; k < columns; k++) {                                \
            memcpy(block[k], (const T *)from + k * step,                       \
                   (size_t)rows * sizeof(T));                                  \
        }                                                                      \
        for (int64_t i = 0; i < rows; i++) {                                   \
            for (int64_t k = 0; k < columns; k++) {                            \
                ((T *)to)[i * apart + k] = block[k][i];                        \
            }                                                                  \
        }                                                                      \
    }

static inline void move_tile(char *to, const char *from, size_t size,
                             int64_t rows, int64_t columns, int64_t apart,
                             int64_t step)
{
    switch (size) {
    case 1: MOVE_TILE(uint8_t) break;
    case 2: MOVE_TILE(uint16_t) break;
    case 4: MOVE_TILE(uint32_t) break;
    default: MOVE_TILE(uint64_t)
    }
}

// Two dimensions, of which the first is dense in `from`.
static bool move_plane(Ctx *ctx, char *to, const char *from, size_t size,
                       int64_t rows, int64_t columns, int64_t apart,
                       int64_t step)
{
    int64_t bytes = (int64_t)size;
    for (int64_t i = 0; i < rows; i += TILE) {
        for (int64_t k = 0; k < columns; k += TILE) {
            char *at = to + (i * apart + k) * bytes;
            const char *source = from + (i + k * step) * bytes;
            int64_t high = rows - i < TILE ? rows - i : TILE;
            int64_t wide = columns - k < TILE ? columns - k : TILE;
            // Sizes that the compiler knows: whole tiles, and few channels.
            if (high == TILE && wide == TILE) {
                move_tile(at, source, size, TILE, TILE, apart, step);
            } else if (high == TILE / 2 && wide == TILE) {
                move_tile(at, source, size, TILE / 2, TILE, apart, step);
            } else {
                move_tile(at, source, size, high, wide, apart, step);
            }
            if (!ctx_poll(ctx)) {
                return false;
            }
        }
    }
    return true;
}

// The dimension that is dense in the strided side, where the innermost is not
// and tiles pay; -1: none.
static int dense_dim(int last, const int64_t *sizes, const int64_t *steps)
{
    for (int i = 0; i < last && steps[last] != 1; i++) {
        if (steps[i] == 1 && sizes[i] >= TILE / 2 && sizes[last] >= TILE / 2) {
            return i;
        }
    }
    return -1;
}

// A plane for each place of the other dimensions.
static bool move_planes(Ctx *ctx, char *to, const char *from, size_t size,
                        int last, const int64_t *sizes, const int64_t *steps,
                        int dense)
{
    int64_t apart[MOVE_MAX_RANK], at[MOVE_MAX_RANK] = {0};
    apart[last] = 1;
    for (int i = last; i > 0; i--) {
        apart[i - 1] = apart[i] * sizes[i];
    }
    for (;;) {
        int64_t target = 0, source = 0;
        for (int i = 0; i < last; i++) {
            target += at[i] * apart[i];
            source += at[i] * steps[i];
        }
        if (!move_plane(ctx, to + target * (int64_t)size,
                        from + source * (int64_t)size, size, sizes[dense],
                        sizes[last], apart[dense], steps[last])) {
            return false;
        }
        int i = last - 1;
        while (i >= 0 && (i == dense || ++at[i] == sizes[i])) {
            at[i--] = 0;
        }
        if (i < 0) {
            return true;
        }
    }
}

// The dense side only moves on; the strided side is an odometer over all but
// the innermost dimension.
bool move_gather(Ctx *ctx, void *to, const void *from, size_t size, int rank,
                 const int64_t *dims, const int64_t *strides, int64_t *moved)
{
    char *dense = to;
    const char *strided = from;
    int64_t sizes[MOVE_MAX_RANK], steps[MOVE_MAX_RANK];
    int64_t at[MOVE_MAX_RANK] = {0}, counted = 0;
    int last = join_dims(rank, dims, strides, sizes, steps) - 1;
    if (moved == NULL) {
        moved = &counted;
        int dense_in = dense_dim(last, sizes, steps);
        if (dense_in >= 0) {
            return move_planes(ctx, dense, strided, size, last, sizes, steps,
                               dense_in);
        }
    }
    *moved = 0;
    if (last < 0) {
        return true;
    }
    for (;;) {
        if (!move_pieces(ctx, dense, strided, steps[last], size, sizes[last],
                         moved)) {
            return false;
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
            return true;
        }
        strided += steps[i] * (int64_t)size;
    }
}

enum { FILL_PIECE = 1 << 15 }; // bytes: what is copied stays in the cache

// What has been written is copied on, twice as much each time: `value` may be
// of any type and alignment, and a memcpy for each element would be slow.
bool move_fill(Ctx *ctx, void *to, const void *value, size_t size,
               int64_t count)
{
    char *out = to;
    size_t total = (size_t)count * size, done = size;
    if (count <= 0) {
        return true;
    }
    memcpy(out, value, size);
    while (done < total) {
        size_t piece = done < FILL_PIECE ? done : FILL_PIECE;
        piece = piece < total - done ? piece : total - done;
        memcpy(out + done, out, piece);
        done += piece;
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}

// One row, by steps of bytes that the compiler knows; the last one lies over
// the one before where they do not divide it.
static inline void copy_narrow(char *to, const char *from, size_t size,
                               size_t step)
{
    size_t done = 0;
    for (; done + step <= size; done += step) {
        memcpy(to + done, from + done, step);
    }
    if (done < size) {
        memcpy(to + size - step, from + size - step, step);
    }
}

static inline void copy_rows(char *to, const char *from, size_t size,
                             size_t step, const int64_t *rows, int64_t count,
                             bool put)
{
    for (int64_t k = 0; k < count; k++) {
        size_t here = (size_t)k * size, there = (size_t)rows[k] * size;
        copy_narrow(to + (put ? there : here), from + (put ? here : there),
                    size, step);
    }
}

static inline void move_rows(char *to, const char *from, size_t size,
                             const int64_t *rows, int64_t count, bool put)
{
    switch (size) {
    case 1: copy_rows(to, from, 1, 1, rows, count, put); return;
    case 2: copy_rows(to, from, 2, 2, rows, count, put); return;
    case 4: copy_rows(to, from, 4, 4, rows, count, put); return;
    case 8: copy_rows(to, from, 8, 8, rows, count, put); return;
    case 64: copy_rows(to, from, 64, 16, rows, count, put); return;
    }
    if (size >= 16) {
        copy_rows(to, from, size, 16, rows, count, put);
    } else if (size >= 4) {
        copy_rows(to, from, size, 4, rows, count, put);
    } else {
        copy_rows(to, from, size, 1, rows, count, put);
    }
}

void move_pick_rows(void *to, const void *from, size_t size,
                    const int64_t *rows, int64_t count)
{
    move_rows(to, from, size, rows, count, false);
}

void move_put_rows(void *to, const void *from, size_t size, const int64_t *rows,
                   int64_t count)
{
    move_rows(to, from, size, rows, count, true);
}
