// Where an element stands. Included by tier_body.h alone.
#ifndef DUET_KERNELS_FIND_BODY_H
#define DUET_KERNELS_FIND_BODY_H

enum { FIND_BLOCK = 32 };

// A block at a time, without a branch for each element. `x != x` is never true
// of ints: compilers drop the test there.
#define FIND(sfx, T)                                                           \
    static int64_t find_##sfx(const void *from, int64_t n, const void *value)  \
    {                                                                          \
        const T *x = from, v = *(const T *)value;                              \
        int64_t first = 0;                                                     \
        for (int found = 0; n - first > FIND_BLOCK; first += FIND_BLOCK) {     \
            for (int64_t i = first; i < first + FIND_BLOCK; i++) {             \
                found |= (x[i] == v) | (x[i] != x[i]);                         \
            }                                                                  \
            if (found) {                                                       \
                break;                                                         \
            }                                                                  \
        }                                                                      \
        while (first < n && x[first] != v && x[first] == x[first]) {           \
            first++;                                                           \
        }                                                                      \
        return first;                                                          \
    }

FIND(u8, uint8_t)
FIND(i8, int8_t)
FIND(i16, int16_t)
FIND(i32, int32_t)
FIND(i64, int64_t)
FIND(f32, float)
FIND(f64, double)
#undef FIND

#endif
