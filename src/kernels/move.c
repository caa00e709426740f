// Copies between layouts. Dimensions that run on in one step are joined
// first; the innermost one is a loop by element size, or one memcpy.
// Lines are cut into pieces of at most MOVE_PIECE elements, between which
// Ctrl-C is looked for; short lines count together. Transposes go by square
// tiles, so that each line of the cache is read and written once.
#include "kernels/move.h"

#include <string.h>

#include "base/bulk.h"
#include "kernels/threads.h"

// O3 for the vectoriser, and for tests that a loop does not change.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

// Elements between two polls: 2 MB at most, far apart in the worst case.
enum { MOVE_PIECE = 1 << 18 };

// One run of the innermost dimension; the step is in elements.
#define MOVE_LINE(T)                                                           \
    for (int64_t i = 0; i < n; i++) {                                          \
        ((T *)to)[i] = ((const T *)from)[i * from_step];                       \
    }

// Elements move as plain integers of their size, whatever they mean.
static inline void move_steps(char *to, const char *from, int64_t from_step,
                              size_t size, int64_t n)
{
    switch (size) {
    case 1: MOVE_LINE(uint8_t) break;
    case 2: MOVE_LINE(uint16_t) break;
    case 4: MOVE_LINE(uint32_t) break;
    default: MOVE_LINE(uint64_t)
    }
}

// The tests of the step stay outside of the loops, so that those are tight; of
// a line that runs backwards the compiler makes vectors.
static void move_line(char *to, const char *from, int64_t from_step,
                      size_t size, int64_t n)
{
    switch (from_step) {
    case 1: memcpy(to, from, (size_t)n * size); return;
    case -1: move_steps(to, from, -1, size, n); return;
    default: move_steps(to, from, from_step, size, n);
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
static const double tile_cost = 0.7; // nanoseconds an element

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

// A square of as many rows as a vector has elements: halves of the rows are
// interleaved until numbers of rows and of columns have changed places. LOW and
// HIGH interleave the lower and the upper elements of two.
// TRIED: the same for 4 and 8 bytes (1.2 and 1.4 times the time of MOVE_TILE).
#define MOVE_SQUARE(T, LOW, HIGH)                                              \
    typedef T vector_##T __attribute__((vector_size(16)));                     \
    static inline __attribute__((always_inline)) void square_##T(              \
        T *to, int64_t to_step, const T *from, int64_t from_step)              \
    {                                                                          \
        enum { SIDE = 16 / sizeof(T) };                                        \
        vector_##T x[SIDE], y[SIDE];                                           \
        _Pragma("GCC unroll 16") for (int k = 0; k < SIDE; k++)                \
        {                                                                      \
            memcpy(&x[k], from + k * from_step, sizeof x[k]);                  \
        }                                                                      \
        _Pragma("GCC unroll 4") for (int half = SIDE; half > 1; half /= 2)     \
        {                                                                      \
            memcpy(y, x, sizeof x);                                            \
            _Pragma("GCC unroll 8") for (int k = 0; k < SIDE / 2; k++)         \
            {                                                                  \
                vector_##T a = y[k], b = y[k + SIDE / 2];                      \
                x[2 * k] = __builtin_shufflevector(a, b, UNPACK LOW);          \
                x[2 * k + 1] = __builtin_shufflevector(a, b, UNPACK HIGH);     \
            }                                                                  \
        }                                                                      \
        _Pragma("GCC unroll 16") for (int k = 0; k < SIDE; k++)                \
        {                                                                      \
            memcpy(to + k * to_step, &x[k], sizeof x[k]);                      \
        }                                                                      \
    }
#define UNPACK(...) __VA_ARGS__
// clang-format off
MOVE_SQUARE(uint8_t,
            (0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
            (8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31))
MOVE_SQUARE(uint16_t, (0, 8, 1, 9, 2, 10, 3, 11), (4, 12, 5, 13, 6, 14, 7, 15))
// clang-format on

// A tile of whole squares.
#define MOVE_SQUARES(T)                                                        \
    for (int64_t i = 0; i < rows; i += 16 / sizeof(T)) {                       \
        for (int64_t k = 0; k < columns; k += 16 / sizeof(T)) {                \
            square_##T((T *)to + i * apart + k, apart,                         \
                       (const T *)from + k * step + i, step);                  \
        }                                                                      \
    }

static inline __attribute__((always_inline)) void
move_tile(char *to, const char *from, size_t size, int64_t rows,
          int64_t columns, int64_t apart, int64_t step)
{
    bool squares =
        rows * (int64_t)size % 16 == 0 && columns * (int64_t)size % 16 == 0;
    if (squares && size == 1) {
        MOVE_SQUARES(uint8_t)
        return;
    }
    if (squares && size == 2) {
        MOVE_SQUARES(uint16_t)
        return;
    }
    switch (size) {
    case 1: MOVE_TILE(uint8_t) break;
    case 2: MOVE_TILE(uint16_t) break;
    case 4: MOVE_TILE(uint32_t) break;
    default: MOVE_TILE(uint64_t)
    }
}

// Two dimensions, of which the first is dense in `from`.
typedef struct Plane {
    char *to;
    const char *from;
    size_t size;
    int64_t rows, columns;
    int64_t apart; // rows of `to`
    int64_t step;  // columns of `from`
} Plane;

// Rows of tiles. `size` is known where it is called.
static inline __attribute__((always_inline)) void
band_rows(const Plane *p, int64_t begin, int64_t end, size_t size)
{
    int64_t apart = p->apart, step = p->step, bytes = (int64_t)size;
    for (int64_t i = begin * TILE; i < end * TILE && i < p->rows; i += TILE) {
        for (int64_t k = 0; k < p->columns; k += TILE) {
            char *at = p->to + (i * apart + k) * bytes;
            const char *source = p->from + (i + k * step) * bytes;
            int64_t high = p->rows - i < TILE ? p->rows - i : TILE;
            int64_t wide = p->columns - k < TILE ? p->columns - k : TILE;
            // Sizes that the compiler knows: whole tiles, and few channels.
            if (high == TILE && wide == TILE) {
                move_tile(at, source, size, TILE, TILE, apart, step);
            } else if (high == TILE / 2 && wide == TILE) {
                move_tile(at, source, size, TILE / 2, TILE, apart, step);
            } else {
                move_tile(at, source, size, high, wide, apart, step);
            }
        }
    }
}

static void move_bands(void *data, int64_t begin, int64_t end, int thread)
{
    const Plane *plane = data;
    (void)thread;
    switch (plane->size) {
    case 1: band_rows(plane, begin, end, 1); break;
    case 2: band_rows(plane, begin, end, 2); break;
    case 4: band_rows(plane, begin, end, 4); break;
    default: band_rows(plane, begin, end, 8);
    }
}

static bool move_plane(Ctx *ctx, Plane *plane)
{
    Job job = {move_bands, plane, (plane->rows + TILE - 1) / TILE,
               (double)(TILE * plane->columns) * tile_cost};
    return threads_run(ctx, &job);
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
        Plane plane = {.to = to + target * (int64_t)size,
                       .from = from + source * (int64_t)size,
                       .size = size,
                       .rows = sizes[dense],
                       .columns = sizes[last],
                       .apart = apart[dense],
                       .step = steps[last]};
        if (!move_plane(ctx, &plane)) {
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

enum { FILL_PIECE = 1 << 15 }; // bytes: what is copied stays in the cache

// What stands at `to`, of `size` bytes, stands there `count` times: what has
// been written is copied on, twice as much each time.
static bool copy_on(Ctx *ctx, char *to, size_t size, int64_t count)
{
    size_t total = (size_t)count * size, done = size;
    size_t most = size < FILL_PIECE ? FILL_PIECE - FILL_PIECE % size : size;
    while (done < total) {
        size_t piece = done < most ? done : most;
        piece = piece < total - done ? piece : total - done;
        if (!bulk_copy(ctx, to + done, to, piece) || !ctx_poll(ctx)) {
            return false;
        }
        done += piece;
    }
    return true;
}

// `value` may be of any type and alignment, and a memcpy for each element would
// be slow.
bool move_fill(Ctx *ctx, void *to, const void *value, size_t size,
               int64_t count)
{
    if (count <= 0) {
        return true;
    }
    memcpy(to, value, size);
    return copy_on(ctx, to, size, count);
}

// Dimensions of which some repeat: those that lie within one that does are
// moved once. `blocks` are bytes of `to` for each.
static bool move_repeats(Ctx *ctx, char *to, const char *from, size_t size,
                         int left, const int64_t *sizes, const int64_t *steps,
                         const size_t *blocks)
{
    if (left == 1) {
        int64_t moved = 0;
        return move_pieces(ctx, to, from, *steps, size, *sizes, &moved);
    }
    int64_t turns = *steps == 0 ? 1 : *sizes;
    for (int64_t k = 0; k < turns; k++) {
        if (!ctx_poll(ctx) ||
            !move_repeats(ctx, to + (size_t)k * *blocks,
                          from + k * *steps * (int64_t)size, size, left - 1,
                          sizes + 1, steps + 1, blocks + 1)) {
            return false;
        }
    }
    return turns == *sizes || copy_on(ctx, to, *blocks, *sizes);
}

// Whether one of the dimensions but the last does; then also the blocks.
static bool has_repeats(int last, const int64_t *sizes, const int64_t *steps,
                        size_t size, size_t *blocks)
{
    bool repeats = false;
    for (int i = last; i >= 0; i--) {
        blocks[i] = i == last ? size : blocks[i + 1] * (size_t)sizes[i + 1];
        repeats = repeats || (i < last && steps[i] == 0);
    }
    return repeats;
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
    size_t blocks[MOVE_MAX_RANK];
    int last = join_dims(rank, dims, strides, sizes, steps) - 1;
    if (moved == NULL) {
        moved = &counted;
        int dense_in = dense_dim(last, sizes, steps);
        if (dense_in >= 0) {
            return move_planes(ctx, dense, strided, size, last, sizes, steps,
                               dense_in);
        }
        if (has_repeats(last, sizes, steps, size, blocks)) {
            return move_repeats(ctx, dense, strided, size, last + 1, sizes,
                                steps, blocks);
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

enum { COPY_PIECE = 1 << 14 }; // bytes
static const double piece_cost = 1e3;

typedef struct CopyJob {
    char *to;
    const char *from;
    size_t size;
} CopyJob;

static void copy_pieces(void *data, int64_t begin, int64_t end, int thread)
{
    const CopyJob *bytes = data;
    size_t at = (size_t)begin * COPY_PIECE, stop = (size_t)end * COPY_PIECE;
    (void)thread;
    stop = stop < bytes->size ? stop : bytes->size;
    memcpy(bytes->to + at, bytes->from + at, stop - at);
}

bool move_copy(Ctx *ctx, void *to, const void *from, size_t size)
{
    CopyJob bytes = {to, from, size};
    if (LIKELY(size <= COPY_PIECE)) {
        if (size > 0) {
            memcpy(to, from, size);
        }
        return ctx_poll(ctx);
    }
    int64_t pieces = (int64_t)((size + COPY_PIECE - 1) / COPY_PIECE);
    return threads_run(ctx, &(Job){copy_pieces, &bytes, pieces, piece_cost});
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

// Where the rows of one side stand: one after the other, `apart` bytes each, or
// at `rows`.
typedef struct RowPlaces {
    const int64_t *rows; // NULL: in order
    size_t apart;
} RowPlaces;

static inline size_t row_place(const RowPlaces *places, int64_t k)
{
    return (size_t)(places->rows != NULL ? places->rows[k] : k) * places->apart;
}

static inline void copy_rows(char *to, RowPlaces there, const char *from,
                             RowPlaces here, size_t size, size_t step,
                             int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        copy_narrow(to + row_place(&there, k), from + row_place(&here, k), size,
                    step);
    }
}

// Sizes that the compiler knows are the most frequent ones.
static inline void move_rows(char *to, RowPlaces there, const char *from,
                             RowPlaces here, size_t size, int64_t count)
{
    switch (size) {
    case 1: copy_rows(to, there, from, here, 1, 1, count); return;
    case 2: copy_rows(to, there, from, here, 2, 2, count); return;
    case 4: copy_rows(to, there, from, here, 4, 4, count); return;
    case 8: copy_rows(to, there, from, here, 8, 8, count); return;
    case 64: copy_rows(to, there, from, here, 64, 16, count); return;
    }
    if (size >= 16) {
        copy_rows(to, there, from, here, size, 16, count);
    } else if (size >= 4) {
        copy_rows(to, there, from, here, size, 4, count);
    } else {
        copy_rows(to, there, from, here, size, 1, count);
    }
}

void move_pick_rows(void *to, const void *from, size_t size,
                    const int64_t *rows, int64_t count)
{
    move_rows(to, (RowPlaces){NULL, size}, from, (RowPlaces){rows, size}, size,
              count);
}

void move_put_rows(void *to, const void *from, size_t size, const int64_t *rows,
                   int64_t count)
{
    move_rows(to, (RowPlaces){rows, size}, from, (RowPlaces){NULL, size}, size,
              count);
}

void move_apart_rows(void *to, size_t to_apart, const void *from,
                     size_t from_apart, size_t size, int64_t count)
{
    move_rows(to, (RowPlaces){NULL, to_apart}, from,
              (RowPlaces){NULL, from_apart}, size, count);
}
