// Where an element stands. Included by tier_body.h alone.
#ifndef DUET_KERNELS_FIND_BODY_H
#define DUET_KERNELS_FIND_BODY_H

enum { FIND_BLOCK = 32 };

// A block at a time, without a branch for each element, nor for each of the
// block that has it. HIT is of element e; I has its size, for the vectors.
#define FIND_FIRST(T, I, HIT)                                                  \
    for (; n - first >= FIND_BLOCK; first += FIND_BLOCK) {                     \
        I found = 0, at = FIND_BLOCK;                                          \
        for (I i = 0; i < FIND_BLOCK; i++) {                                   \
            T e = x[first + i];                                                \
            found |= (HIT);                                                    \
        }                                                                      \
        if (found) {                                                           \
            for (I i = 0; i < FIND_BLOCK; i++) {                               \
                T e = x[first + i];                                            \
                I place = (HIT) ? i : FIND_BLOCK;                              \
                at = place < at ? place : at;                                  \
            }                                                                  \
            return first + at;                                                 \
        }                                                                      \
    }                                                                          \
    for (; first < n; first++) {                                               \
        T e = x[first];                                                        \
        if (HIT) {                                                             \
            break;                                                             \
        }                                                                      \
    }                                                                          \
    return first;

// `v != v` is never true of ints: compilers drop what follows.
#define FIND(sfx, T, I)                                                        \
    static int64_t find_##sfx(const void *from, int64_t n, const void *value)  \
    {                                                                          \
        const T *x = from, v = *(const T *)value;                              \
        int64_t first = 0;                                                     \
        if (v != v) {                                                          \
            FIND_FIRST(T, I, e != e)                                           \
        }                                                                      \
        FIND_FIRST(T, I, e == v)                                               \
    }

FIND(u8, uint8_t, int8_t)
FIND(i8, int8_t, int8_t)
FIND(i16, int16_t, int16_t)
FIND(i32, int32_t, int32_t)
FIND(i64, int64_t, int64_t)
FIND(f32, float, int32_t)
FIND(f64, double, int64_t)
#undef FIND
#undef FIND_FIRST

#endif
