// Reductions over rows and columns, softmax. Included by tier_body.h alone.
//
// A row's sum is defined, for every tier and any number of threads, as:
// blocks of REDUCE_BLOCK elements; in a block, element i goes to lane i mod
// REDUCE_LANES, each lane starts at the neutral element and adds in order; the
// lanes fold in halves (lane j with lane j + 64, then 32, …); the blocks' sums
// fold pairwise in a binary-counter cascade. The other reductions follow the
// same order. Columns add in order of rows within blocks of REDUCE_ROWS, the
// blocks fold in halves.
#ifndef DUET_KERNELS_REDUCE_BODY_H
#define DUET_KERNELS_REDUCE_BODY_H

enum {
    REDUCE_LANES = 128,
    REDUCE_BLOCK = 2048,
    REDUCE_ROWS = 256,
    REDUCE_STACK = 64, // cascade levels: blocks of any int64 count
    REDUCE_COLUMNS = 256
};

// JOIN folds accumulators l and r; STEP puts element x into accumulator l.
// A short row uses fewer lanes, which changes no bit: empty lanes hold the
// neutral element.
#define REDUCE(name, sfx, T, A, NEUTRAL, JOIN)                                 \
    static A block_##name##_##sfx(const T *in, int64_t n)                      \
    {                                                                          \
        A lanes[REDUCE_LANES];                                                 \
        int64_t width = REDUCE_LANES, i = 0;                                   \
        while (width / 2 >= n && width > 1) {                                  \
            width /= 2;                                                        \
        }                                                                      \
        for (int64_t j = 0; j < width; j++) {                                  \
            lanes[j] = NEUTRAL;                                                \
        }                                                                      \
        for (; i + REDUCE_LANES <= n; i += REDUCE_LANES) {                     \
            for (int64_t j = 0; j < REDUCE_LANES; j++) {                       \
                A l = lanes[j], r = (A)in[i + j];                              \
                lanes[j] = (A)(JOIN);                                          \
            }                                                                  \
        }                                                                      \
        for (int64_t j = 0; j < n - i; j++) {                                  \
            A l = lanes[j], r = (A)in[i + j];                                  \
            lanes[j] = (A)(JOIN);                                              \
        }                                                                      \
        for (int64_t half = width / 2; half > 0; half /= 2) {                  \
            for (int64_t j = 0; j < half; j++) {                               \
                A l = lanes[j], r = lanes[j + half];                           \
                lanes[j] = (A)(JOIN);                                          \
            }                                                                  \
        }                                                                      \
        return lanes[0];                                                       \
    }                                                                          \
    static A row_##name##_##sfx(const T *in, int64_t n)                        \
    {                                                                          \
        if (n <= REDUCE_BLOCK) {                                               \
            return block_##name##_##sfx(in, n);                                \
        }                                                                      \
        A stack[REDUCE_STACK];                                                 \
        int top = 0;                                                           \
        uint64_t blocks = 0;                                                   \
        for (int64_t i = 0; i < n; i += REDUCE_BLOCK, blocks++) {              \
            int64_t count = n - i < REDUCE_BLOCK ? n - i : REDUCE_BLOCK;       \
            A r = block_##name##_##sfx(in + i, count);                         \
            for (uint64_t carry = blocks; carry & 1; carry >>= 1) {            \
                A l = stack[--top];                                            \
                r = (A)(JOIN);                                                 \
            }                                                                  \
            stack[top++] = r;                                                  \
        }                                                                      \
        A r = stack[--top];                                                    \
        while (top > 0) {                                                      \
            A l = stack[--top];                                                \
            r = (A)(JOIN);                                                     \
        }                                                                      \
        return r;                                                              \
    }                                                                          \
    static void rows_##name##_##sfx(void *out, const void *in, int64_t rows,   \
                                    int64_t n)                                 \
    {                                                                          \
        for (int64_t r = 0; r < rows; r++) {                                   \
            ((A *)out)[r] = row_##name##_##sfx((const T *)in + r * n, n);      \
        }                                                                      \
    }                                                                          \
    /* `width` columns, `stride` elements from row to row. */                  \
    static void strip_##name##_##sfx(A *out, const T *in, int64_t rows,        \
                                     int64_t stride, int64_t width)            \
    {                                                                          \
        if (rows > REDUCE_ROWS) {                                              \
            A other[REDUCE_COLUMNS];                                           \
            int64_t half = (rows / REDUCE_ROWS + 1) / 2 * REDUCE_ROWS;         \
            strip_##name##_##sfx(out, in, half, stride, width);                \
            strip_##name##_##sfx(other, in + half * stride, rows - half,       \
                                 stride, width);                               \
            for (int64_t j = 0; j < width; j++) {                              \
                A l = out[j], r = other[j];                                    \
                out[j] = (A)(JOIN);                                            \
            }                                                                  \
            return;                                                            \
        }                                                                      \
        for (int64_t j = 0; j < width; j++) {                                  \
            out[j] = NEUTRAL;                                                  \
        }                                                                      \
        for (int64_t i = 0; i < rows; i++, in += stride) {                     \
            for (int64_t j = 0; j < width; j++) {                              \
                A l = out[j], r = (A)in[j];                                    \
                out[j] = (A)(JOIN);                                            \
            }                                                                  \
        }                                                                      \
    }                                                                          \
    static void columns_##name##_##sfx(void *out, const void *in,              \
                                       int64_t rows, int64_t n)                \
    {                                                                          \
        for (int64_t j = 0; j < n; j += REDUCE_COLUMNS) {                      \
            int64_t width = n - j < REDUCE_COLUMNS ? n - j : REDUCE_COLUMNS;   \
            strip_##name##_##sfx((A *)out + j, (const T *)in + j, rows, n,     \
                                 width);                                       \
        }                                                                      \
    }

// NaN in r wins by r != r; NaN in l stays, since no comparison with it holds.
// `|` instead of `||` leaves no branch, so that the loop vectorises.
#define MAX_JOIN (((r > l) | (r != r)) ? r : l)
#define MIN_JOIN (((r < l) | (r != r)) ? r : l)
// Small types are widened on reading; ints add as unsigned, which wraps.
REDUCE(sum, b, uint8_t, int32_t, 0, l + r)
REDUCE(sum, u8, uint8_t, int32_t, 0, (uint32_t)l + (uint32_t)r)
REDUCE(sum, i8, int8_t, int32_t, 0, (uint32_t)l + (uint32_t)r)
REDUCE(sum, i16, int16_t, int32_t, 0, (uint32_t)l + (uint32_t)r)
REDUCE(sum, i32, int32_t, int32_t, 0, (uint32_t)l + (uint32_t)r)
REDUCE(sum, i64, int64_t, int64_t, 0, (uint64_t)l + (uint64_t)r)
// float32 adds in float32: the order above keeps the error small.
REDUCE(sum, f32, float, float, 0, l + r)
REDUCE(sum, f64, double, double, 0, l + r)
REDUCE(prod, b, uint8_t, int32_t, 1, l *r)
REDUCE(prod, u8, uint8_t, int32_t, 1, (uint32_t)l *(uint32_t)r)
REDUCE(prod, i8, int8_t, int32_t, 1, (uint32_t)l *(uint32_t)r)
REDUCE(prod, i16, int16_t, int32_t, 1, (uint32_t)l *(uint32_t)r)
REDUCE(prod, i32, int32_t, int32_t, 1, (uint32_t)l *(uint32_t)r)
REDUCE(prod, i64, int64_t, int64_t, 1, (uint64_t)l *(uint64_t)r)
REDUCE(prod, f32, float, float, 1, l *r)
REDUCE(prod, f64, double, double, 1, l *r)
// The neutral element is the lowest value: it also fills lanes that a short
// row leaves empty.
REDUCE(max, u8, uint8_t, uint8_t, 0, l > r ? l : r)
REDUCE(max, i8, int8_t, int8_t, INT8_MIN, l > r ? l : r)
REDUCE(max, i16, int16_t, int16_t, INT16_MIN, l > r ? l : r)
REDUCE(max, i32, int32_t, int32_t, INT32_MIN, l > r ? l : r)
REDUCE(max, i64, int64_t, int64_t, INT64_MIN, l > r ? l : r)
// Floats need their own fold, for NaN.
REDUCE(max, f32, float, float, -INFINITY, MAX_JOIN)
REDUCE(max, f64, double, double, -(double)INFINITY, MAX_JOIN)
REDUCE(min, u8, uint8_t, uint8_t, UINT8_MAX, l < r ? l : r)
REDUCE(min, i8, int8_t, int8_t, INT8_MAX, l < r ? l : r)
REDUCE(min, i16, int16_t, int16_t, INT16_MAX, l < r ? l : r)
REDUCE(min, i32, int32_t, int32_t, INT32_MAX, l < r ? l : r)
REDUCE(min, i64, int64_t, int64_t, INT64_MAX, l < r ? l : r)
REDUCE(min, f32, float, float, INFINITY, MIN_JOIN)
REDUCE(min, f64, double, double, (double)INFINITY, MIN_JOIN)
// No early end: a block is read faster than it is tested.
REDUCE(any, b, uint8_t, uint8_t, 0, l | r)
REDUCE(all, b, uint8_t, uint8_t, 1, l &r)

// Rows are outermost, so that a row stays in the cache: its largest element,
// the exponentials, their sum, the quotient. `out` may be `in`.
// x - high is at most 0, so that no exponential overflows.
#define SOFTMAX(sfx, T)                                                        \
    static void softmax_##sfx(void *out, const void *in, int64_t rows,         \
                              int64_t n)                                       \
    {                                                                          \
        for (int64_t r = 0; r < rows; r++) {                                   \
            const T *x = (const T *)in + r * n;                                \
            T *y = (T *)out + r * n, high = row_max_##sfx(x, n);               \
            INDEPENDENT                                                        \
            for (int64_t i = 0; i < n; i++) {                                  \
                y[i] = vm_exp_##sfx(x[i] - high);                              \
            }                                                                  \
            T total = row_sum_##sfx(y, n);                                     \
            INDEPENDENT                                                        \
            for (int64_t i = 0; i < n; i++) {                                  \
                y[i] = y[i] / total;                                           \
            }                                                                  \
        }                                                                      \
    }                                                                          \
    static void log_softmax_##sfx(void *out, const void *in, int64_t rows,     \
                                  int64_t n)                                   \
    {                                                                          \
        T work[REDUCE_BLOCK];                                                  \
        for (int64_t r = 0; r < rows; r++) {                                   \
            const T *x = (const T *)in + r * n;                                \
            T *y = (T *)out + r * n, high = row_max_##sfx(x, n), total = 0;    \
            for (int64_t start = 0; start < n; start += REDUCE_BLOCK) {        \
                int64_t count = n - start;                                     \
                count = count < REDUCE_BLOCK ? count : REDUCE_BLOCK;           \
                for (int64_t i = 0; i < count; i++) {                          \
                    work[i] = vm_exp_##sfx(x[start + i] - high);               \
                }                                                              \
                total += row_sum_##sfx(work, count);                           \
            }                                                                  \
            T shift = vm_log_##sfx(total);                                     \
            INDEPENDENT                                                        \
            for (int64_t i = 0; i < n; i++) {                                  \
                y[i] = (x[i] - high) - shift;                                  \
            }                                                                  \
        }                                                                      \
    }
// Ints have no softmax: the op refuses them.
SOFTMAX(f32, float)
SOFTMAX(f64, double)

#endif
