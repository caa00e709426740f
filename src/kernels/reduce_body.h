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

// Lanes that stay in registers while a block is read: so many bytes of them.
#if defined(__clang__)
#define REDUCE_UNROLLED _Pragma("unroll")
#else
#define REDUCE_UNROLLED _Pragma("GCC unroll 128")
#endif
// Comparisons stay a loop: unrolled, the compiler finds no vectors in them.
#define REDUCE_LOOP_sum REDUCE_UNROLLED
#define REDUCE_LOOP_prod REDUCE_UNROLLED
#define REDUCE_LOOP_max
#define REDUCE_LOOP_min
#define REDUCE_LOOP_any
#define REDUCE_LOOP_all
// Whether what a block came to is what all of the row comes to.
#define REDUCE_ENDS_sum(r) false
#define REDUCE_ENDS_prod(r) false
#define REDUCE_ENDS_max(r) false
#define REDUCE_ENDS_min(r) false
#define REDUCE_ENDS_any(r) ((r) != 0)
#define REDUCE_ENDS_all(r) ((r) == 0)
// One step of the fold in halves, of a constant length.
#define REDUCE_HALVES(half, A, JOIN)                                           \
    if (width > half) {                                                        \
        for (int64_t j = 0; j < half; j++) {                                   \
            A l = lanes[j], r = lanes[j + half];                               \
            lanes[j] = (A)(JOIN);                                              \
        }                                                                      \
    }
// From half of the lanes on down to one.
#define REDUCE_DOWN(A, JOIN)                                                   \
    REDUCE_HALVES(32, A, JOIN)                                                 \
    REDUCE_HALVES(16, A, JOIN)                                                 \
    REDUCE_HALVES(8, A, JOIN)                                                  \
    REDUCE_HALVES(4, A, JOIN)                                                  \
    REDUCE_HALVES(2, A, JOIN)                                                  \
    REDUCE_HALVES(1, A, JOIN)

enum {
    REDUCE_GROUP = 256,
    REDUCE_ROWS = 256,
    REDUCE_STACK = 64, // cascade levels: blocks of any int64 count
    REDUCE_COLUMNS = 512,
    REDUCE_FEW = 32,        // elements of a row that is reduced beside others,
    REDUCE_FEW_BYTES = 128, // of the accumulator's type,
    REDUCE_BESIDE = 16      // so many
};

// JOIN folds accumulators l and r; STEP puts element x into accumulator l.
// A short row uses fewer lanes, which changes no bit: empty lanes hold the
// neutral element.
#define REDUCE(name, sfx, T, A, NEUTRAL, JOIN)                                 \
    static void start_##name##_##sfx(void *lanes)                              \
    {                                                                          \
        for (int64_t j = 0; j < REDUCE_LANES; j++) {                           \
            ((A *)lanes)[j] = NEUTRAL;                                         \
        }                                                                      \
    }                                                                          \
    static void halve_##name##_##sfx(void *out, const void *from)              \
    {                                                                          \
        enum { width = REDUCE_LANES };                                         \
        A lanes[REDUCE_LANES / 2];                                             \
        for (int64_t j = 0; j < width / 2; j++) {                              \
            A l = ((const A *)from)[j], r = ((const A *)from)[j + width / 2];  \
            lanes[j] = (A)(JOIN);                                              \
        }                                                                      \
        REDUCE_DOWN(A, JOIN)                                                   \
        *(A *)out = lanes[0];                                                  \
    }                                                                          \
    static A block_##name##_##sfx(const T *in, int64_t n)                      \
    {                                                                          \
        enum {                                                                 \
            GROUP = REDUCE_GROUP / sizeof(A) > REDUCE_LANES                    \
                        ? REDUCE_LANES                                         \
                        : REDUCE_GROUP / sizeof(A)                             \
        };                                                                     \
        A lanes[REDUCE_LANES];                                                 \
        int64_t width = REDUCE_LANES, whole = n - n % REDUCE_LANES;            \
        while (width / 2 >= n && width > 1) {                                  \
            width /= 2;                                                        \
        }                                                                      \
        for (int64_t j = 0; j < width; j++) {                                  \
            lanes[j] = NEUTRAL;                                                \
        }                                                                      \
        for (int64_t g = 0; whole > 0 && g < REDUCE_LANES; g += GROUP) {       \
            A group[GROUP];                                                    \
            for (int64_t j = 0; j < GROUP; j++) {                              \
                group[j] = NEUTRAL;                                            \
            }                                                                  \
            int64_t i = g;                                                     \
            do {                                                               \
                REDUCE_LOOP_##name for (int64_t j = 0; j < GROUP; j++)         \
                {                                                              \
                    A l = group[j], r = (A)in[i + j];                          \
                    group[j] = (A)(JOIN);                                      \
                }                                                              \
                i += REDUCE_LANES;                                             \
            } while (i < whole);                                               \
            for (int64_t j = 0; j < GROUP; j++) {                              \
                lanes[g + j] = group[j];                                       \
            }                                                                  \
        }                                                                      \
        for (int64_t j = 0; j < n - whole; j++) {                              \
            A l = lanes[j], r = (A)in[whole + j];                              \
            lanes[j] = (A)(JOIN);                                              \
        }                                                                      \
        REDUCE_HALVES(64, A, JOIN)                                             \
        REDUCE_DOWN(A, JOIN)                                                   \
        return lanes[0];                                                       \
    }                                                                          \
    /* Results of blocks, or of whole trees of them, in order. */              \
    static void fold_##name##_##sfx(void *out, const void *parts, int64_t n)   \
    {                                                                          \
        A stack[REDUCE_STACK];                                                 \
        int top = 0;                                                           \
        for (int64_t i = 0; i < n; i++) {                                      \
            A r = ((const A *)parts)[i];                                       \
            for (uint64_t carry = (uint64_t)i; carry & 1; carry >>= 1) {       \
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
        *(A *)out = r;                                                         \
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
            if (REDUCE_ENDS_##name(r)) {                                       \
                return r;                                                      \
            }                                                                  \
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
    /* A block for each of REDUCE_BESIDE rows of few elements. */              \
    static void beside_##name##_##sfx(A *out, const T *in, int64_t n)          \
    {                                                                          \
        A lanes[REDUCE_FEW][REDUCE_BESIDE];                                    \
        int64_t width = REDUCE_FEW;                                            \
        while (width / 2 >= n && width > 1) {                                  \
            width /= 2;                                                        \
        }                                                                      \
        for (int64_t j = 0; j < width; j++) {                                  \
            for (int64_t k = 0; k < REDUCE_BESIDE; k++) {                      \
                lanes[j][k] = NEUTRAL;                                         \
            }                                                                  \
        }                                                                      \
        for (int64_t j = 0; j < n; j++) {                                      \
            for (int64_t k = 0; k < REDUCE_BESIDE; k++) {                      \
                A l = lanes[j][k], r = (A)in[k * n + j];                       \
                lanes[j][k] = (A)(JOIN);                                       \
            }                                                                  \
        }                                                                      \
        for (int64_t half = width / 2; half > 0; half /= 2) {                  \
            for (int64_t j = 0; j < half; j++) {                               \
                for (int64_t k = 0; k < REDUCE_BESIDE; k++) {                  \
                    A l = lanes[j][k], r = lanes[j + half][k];                 \
                    lanes[j][k] = (A)(JOIN);                                   \
                }                                                              \
            }                                                                  \
        }                                                                      \
        for (int64_t k = 0; k < REDUCE_BESIDE; k++) {                          \
            out[k] = lanes[0][k];                                              \
        }                                                                      \
    }                                                                          \
    static void rows_##name##_##sfx(void *out, const void *in, int64_t rows,   \
                                    int64_t n)                                 \
    {                                                                          \
        int64_t r = 0;                                                         \
        bool few =                                                             \
            n <= REDUCE_FEW && n * (int64_t)sizeof(A) <= REDUCE_FEW_BYTES;     \
        for (; few && r + REDUCE_BESIDE <= rows; r += REDUCE_BESIDE) {         \
            beside_##name##_##sfx((A *)out + r, (const T *)in + r * n, n);     \
        }                                                                      \
        for (; r < rows; r++) {                                                \
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
    static void columns_##name##_##sfx(                                        \
        void *out, const void *in, int64_t rows, int64_t stride, int64_t n)    \
    {                                                                          \
        for (int64_t j = 0; j < n; j += REDUCE_COLUMNS) {                      \
            int64_t width = n - j < REDUCE_COLUMNS ? n - j : REDUCE_COLUMNS;   \
            strip_##name##_##sfx((A *)out + j, (const T *)in + j, rows,        \
                                 stride, width);                               \
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
// They end with the first block that decides: one is read faster than each of
// its elements is tested.
REDUCE(any, b, uint8_t, uint8_t, 0, l | r)
REDUCE(all, b, uint8_t, uint8_t, 1, l &r)

// Rows are outermost, so that a row stays in the cache. x - high is at most 0,
// so that no exponential overflows; the sum of those is as a row's sum.
// `out` may be `in`.
#define SOFTMAX(sfx, T)                                                        \
    static T exps_##sfx(T *y, const T *x, int64_t n, T high)                   \
    {                                                                          \
        INDEPENDENT                                                            \
        for (int64_t i = 0; i < n; i++) {                                      \
            y[i] = vm_exp_##sfx(x[i] - high);                                  \
        }                                                                      \
        return row_sum_##sfx(y, n);                                            \
    }                                                                          \
    static void softmax_##sfx(void *out, const void *in, int64_t rows,         \
                              int64_t n)                                       \
    {                                                                          \
        for (int64_t r = 0; r < rows; r++) {                                   \
            const T *x = (const T *)in + r * n;                                \
            T *y = (T *)out + r * n;                                           \
            T share = 1 / exps_##sfx(y, x, n, row_max_##sfx(x, n));            \
            INDEPENDENT                                                        \
            for (int64_t i = 0; i < n; i++) {                                  \
                y[i] *= share;                                                 \
            }                                                                  \
        }                                                                      \
    }                                                                          \
    /* The sum of exponentials, a block at a time: nothing is kept. Blocks  */ \
    /* fold as those of a row's sum do.                                     */ \
    static T exp_sum_##sfx(const T *x, int64_t n, T high)                      \
    {                                                                          \
        T work[REDUCE_BLOCK], stack[REDUCE_STACK], total = 0;                  \
        int top = 0;                                                           \
        uint64_t blocks = 0;                                                   \
        for (int64_t i = 0; i < n; i += REDUCE_BLOCK, blocks++) {              \
            int64_t count = n - i < REDUCE_BLOCK ? n - i : REDUCE_BLOCK;       \
            total = exps_##sfx(work, x + i, count, high);                      \
            for (uint64_t carry = blocks; carry & 1; carry >>= 1) {            \
                total = stack[--top] + total;                                  \
            }                                                                  \
            stack[top++] = total;                                              \
        }                                                                      \
        for (top--; top > 0; top--) {                                          \
            total = stack[top - 1] + total;                                    \
        }                                                                      \
        return total;                                                          \
    }                                                                          \
    static void log_softmax_##sfx(void *out, const void *in, int64_t rows,     \
                                  int64_t n)                                   \
    {                                                                          \
        for (int64_t r = 0; r < rows; r++) {                                   \
            const T *x = (const T *)in + r * n;                                \
            T *y = (T *)out + r * n, high = row_max_##sfx(x, n);               \
            T shift = vm_log_##sfx(exp_sum_##sfx(x, n, high));                 \
            INDEPENDENT                                                        \
            for (int64_t i = 0; i < n; i++) {                                  \
                y[i] = (x[i] - high) - shift;                                  \
            }                                                                  \
        }                                                                      \
    }                                                                          \
    /* All -inf, or an inf: subtracting that would be NaN. */                  \
    static void logsumexp_##sfx(void *out, const void *in, int64_t rows,       \
                                int64_t n)                                     \
    {                                                                          \
        for (int64_t r = 0; r < rows; r++) {                                   \
            const T *x = (const T *)in + r * n;                                \
            T high = row_max_##sfx(x, n);                                      \
            bool endless = high - high != 0 && high == high;                   \
            ((T *)out)[r] =                                                    \
                endless ? high                                                 \
                        : high + vm_log_##sfx(exp_sum_##sfx(x, n, high));      \
        }                                                                      \
    }
// Ints have no softmax: the op refuses them.
SOFTMAX(f32, float)
SOFTMAX(f64, double)

#endif
