// Rows that are added to others. Included by tier_body.h alone.
#ifndef DUET_KERNELS_ROWS_BODY_H
#define DUET_KERNELS_ROWS_BODY_H

// As many blocks of a length that the compiler knows as there are, from i on.
#define ADD_BLOCKS(T, A, block)                                                \
    for (; i + (block) <= n; i += (block)) {                                   \
        for (int64_t j = i; j < i + (block); j++) {                            \
            sum[j] = (T)((A)sum[j] + (A)x[j]);                                 \
        }                                                                      \
    }

// Rows of few elements are the rule. Ints add as unsigned, A, which wraps.
#define ADD_ROWS(sfx, T, A)                                                    \
    static inline void add_rows_of_##sfx(T *to, const T *restrict x,           \
                                         const int64_t *rows, int64_t count,   \
                                         int64_t n)                            \
    {                                                                          \
        for (int64_t k = 0; k < count; k++, x += n) {                          \
            T *restrict sum = to + rows[k] * n;                                \
            int64_t i = 0;                                                     \
            ADD_BLOCKS(T, A, 16)                                               \
            ADD_BLOCKS(T, A, 4)                                                \
            ADD_BLOCKS(T, A, 1)                                                \
        }                                                                      \
    }                                                                          \
    static void add_rows_##sfx(void *to, const void *from,                     \
                               const int64_t *rows, int64_t count, int64_t n)  \
    {                                                                          \
        switch (n) {                                                           \
        case 1: add_rows_of_##sfx(to, from, rows, count, 1); break;            \
        case 2: add_rows_of_##sfx(to, from, rows, count, 2); break;            \
        case 3: add_rows_of_##sfx(to, from, rows, count, 3); break;            \
        case 4: add_rows_of_##sfx(to, from, rows, count, 4); break;            \
        case 8: add_rows_of_##sfx(to, from, rows, count, 8); break;            \
        default: add_rows_of_##sfx(to, from, rows, count, n);                  \
        }                                                                      \
    }

ADD_ROWS(i32, int32_t, uint32_t)
ADD_ROWS(i64, int64_t, uint64_t)
ADD_ROWS(f32, float, float)
ADD_ROWS(f64, double, double)
#undef ADD_ROWS
#undef ADD_BLOCKS

#endif
