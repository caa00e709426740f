// The vectors that gemm_body.h computes with, for AVX-512 and for AVX2.
// Included by gemm_body.h alone.
//
// For each suffix f32, f64, i32, i64: the type V_<sfx>, the mask M_<sfx> of its
// first n elements, and load, store (both masked), zero, one value in all
// places, and madd: a * b + c, floats rounded once. AVX-512 has the same of
// half the size, half_<sfx>.
#ifndef DUET_KERNELS_GEMM_VECTOR_H
#define DUET_KERNELS_GEMM_VECTOR_H

#include <immintrin.h>

#define VECTOR static inline __attribute__((always_inline))

#if defined(__AVX512F__)

// 9 x 3 sums, three vectors of B and a factor: 31 of the 32 registers. TRIED:
// 14 x 2, which loads 16 times for 28 products where this does 12 for 27: 6 %
// slower where another program shares the core.
enum {
    GEMM_VECTOR_BYTES = 64,
    GEMM_ROWS = 9,
    GEMM_SMALL_ROWS = 5,
    GEMM_VECTORS = 3
};

// AVX-512: masks are registers of their own, one bit an element; what a masked
// load leaves out is zero and is not touched in memory.
#define GEMM_VECTOR(sfx, T, V, M, bits, name)                                  \
    typedef V V_##sfx;                                                         \
    typedef M M_##sfx;                                                         \
    VECTOR M mask_##sfx(int64_t n)                                             \
    {                                                                          \
        return (M)(((uint32_t)1 << n) - 1);                                    \
    }                                                                          \
    VECTOR V load_##sfx(const T *p)                                            \
    {                                                                          \
        V v;                                                                   \
        memcpy(&v, p, sizeof(v));                                              \
        return v;                                                              \
    }                                                                          \
    VECTOR V load_some_##sfx(const T *p, M m)                                  \
    {                                                                          \
        return _mm##bits##_maskz_loadu_##name(m, p);                           \
    }                                                                          \
    VECTOR void store_##sfx(T *p, V v)                                         \
    {                                                                          \
        memcpy(p, &v, sizeof(v));                                              \
    }                                                                          \
    VECTOR void store_some_##sfx(T *p, M m, V v)                               \
    {                                                                          \
        _mm##bits##_mask_storeu_##name(p, m, v);                               \
    }                                                                          \
    VECTOR V spread_##sfx(T x)                                                 \
    {                                                                          \
        return _mm##bits##_set1_##name(x);                                     \
    }                                                                          \
    VECTOR V zero_##sfx(void)                                                  \
    {                                                                          \
        return (V){0};                                                         \
    }
#define GEMM_FLOAT(sfx, T, V, M, bits, name)                                   \
    GEMM_VECTOR(sfx, T, V, M, bits, name)                                      \
    VECTOR V madd_##sfx(V a, V b, V c)                                         \
    {                                                                          \
        return _mm##bits##_fmadd_##name(a, b, c);                              \
    }
#define GEMM_INT(sfx, T, V, M, bits, name)                                     \
    GEMM_VECTOR(sfx, T, V, M, bits, name)                                      \
    VECTOR V madd_##sfx(V a, V b, V c)                                         \
    {                                                                          \
        V product = _mm##bits##_mullo_##name(a, b);                            \
        return _mm##bits##_add_##name(product, c);                             \
    }
GEMM_FLOAT(f32, float, __m512, __mmask16, 512, ps)
GEMM_FLOAT(f64, double, __m512d, __mmask8, 512, pd)
GEMM_INT(i32, int32_t, __m512i, __mmask16, 512, epi32)
GEMM_INT(i64, int64_t, __m512i, __mmask8, 512, epi64)
// The one name that is not as the others are.
#define _mm256_set1_epi64 _mm256_set1_epi64x
GEMM_FLOAT(half_f32, float, __m256, __mmask8, 256, ps)
GEMM_FLOAT(half_f64, double, __m256d, __mmask8, 256, pd)
GEMM_INT(half_i32, int32_t, __m256i, __mmask8, 256, epi32)
GEMM_INT(half_i64, int64_t, __m256i, __mmask8, 256, epi64)

#else

// 6 x 2 sums, two vectors of B and a factor: 15 of the 16 registers.
enum {
    GEMM_VECTOR_BYTES = 32,
    GEMM_ROWS = 6,
    GEMM_SMALL_ROWS = 6,
    GEMM_VECTORS = 2
};

// The first n of a vector's elements: all ones there for loads. Stores go by
// the number, in pieces: a masked store takes some processors 12 cycles.
typedef struct Mask {
    __m256i bits;
    int64_t bytes;
} Mask;
VECTOR Mask mask_i32(int64_t n)
{
    static const int32_t bits[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    const void *from = bits + 8 - n;
    return (Mask){_mm256_loadu_si256(from), n * 4};
}
// An element of 64 bits is two of 32.
VECTOR Mask mask_i64(int64_t n)
{
    return mask_i32(2 * n);
}
// Bits are bits: a mask knows no int or float.
#define mask_f32 mask_i32
#define mask_f64 mask_i64

VECTOR void store_bytes(char *to, int64_t bytes, __m256i v)
{
    __m128i part = _mm256_castsi256_si128(v);
    if (bytes >= 16) {
        _mm_storeu_si128((__m128i *)(void *)to, part);
        part = _mm256_extracti128_si256(v, 1);
        to += 16;
    }
    if (bytes & 8) {
        _mm_storeu_si64(to, part);
        part = _mm_unpackhi_epi64(part, part);
        to += 8;
    }
    if (bytes & 4) {
        _mm_storeu_si32(to, part);
    }
}

// AVX2.
#define GEMM_VECTOR(sfx, T, V, name, P)                                        \
    typedef V V_##sfx;                                                         \
    typedef Mask M_##sfx;                                                      \
    VECTOR V load_##sfx(const T *p)                                            \
    {                                                                          \
        V v;                                                                   \
        memcpy(&v, p, sizeof(v));                                              \
        return v;                                                              \
    }                                                                          \
    VECTOR V load_some_##sfx(const T *p, Mask m)                               \
    {                                                                          \
        return _mm256_maskload_##name((const P *)p, m.bits);                   \
    }                                                                          \
    VECTOR void store_##sfx(T *p, V v)                                         \
    {                                                                          \
        memcpy(p, &v, sizeof(v));                                              \
    }                                                                          \
    VECTOR void store_some_##sfx(T *p, Mask m, V v)                            \
    {                                                                          \
        if (m.bytes == 32) {                                                   \
            store_##sfx(p, v);                                                 \
        } else {                                                               \
            store_bytes((char *)p, m.bytes, (__m256i)v);                       \
        }                                                                      \
    }
GEMM_VECTOR(f32, float, __m256, ps, float)
GEMM_VECTOR(f64, double, __m256d, pd, double)
GEMM_VECTOR(i32, int32_t, __m256i, epi32, int)
GEMM_VECTOR(i64, int64_t, __m256i, epi64, long long)
#define zero_f32 _mm256_setzero_ps
#define zero_f64 _mm256_setzero_pd
#define zero_i32 _mm256_setzero_si256
#define zero_i64 _mm256_setzero_si256
#define spread_f32 _mm256_set1_ps
#define spread_f64 _mm256_set1_pd
#define spread_i32 _mm256_set1_epi32
#define spread_i64 _mm256_set1_epi64x
#define madd_f32 _mm256_fmadd_ps
#define madd_f64 _mm256_fmadd_pd
#define madd_i32(a, b, c) _mm256_add_epi32(_mm256_mullo_epi32(a, b), c)
// AVX2 has no 64-bit product of vectors: the compiler makes one of 32-bit
// products, modulo 2^64 like the others.
typedef uint64_t Words __attribute__((vector_size(32)));
#define madd_i64(a, b, c) ((__m256i)((Words)(a) * (Words)(b) + (Words)(c)))

#endif
#endif
