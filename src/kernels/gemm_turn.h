// Turning blocks of a matrix in vector registers, so that what lay in rows lies
// in columns. Included by gemm_body.h alone.
#ifndef DUET_KERNELS_GEMM_TURN_H
#define DUET_KERNELS_GEMM_TURN_H

#include "kernels/gemm_vector.h"

// The square that turn_<sfx> turns: a 16-byte vector's elements; the rows of
// both sides are so many elements apart.
VECTOR void turn_f32(float *to, int64_t to_row, const float *from,
                     int64_t from_row)
{
    __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + from_row);
    __m128 c = _mm_loadu_ps(from + 2 * from_row);
    __m128 d = _mm_loadu_ps(from + 3 * from_row);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(to, a);
    _mm_storeu_ps(to + to_row, b);
    _mm_storeu_ps(to + 2 * to_row, c);
    _mm_storeu_ps(to + 3 * to_row, d);
}
VECTOR void turn_f64(double *to, int64_t to_row, const double *from,
                     int64_t from_row)
{
    __m128d a = _mm_loadu_pd(from), b = _mm_loadu_pd(from + from_row);
    _mm_storeu_pd(to, _mm_unpacklo_pd(a, b));
    _mm_storeu_pd(to + to_row, _mm_unpackhi_pd(a, b));
}
// Bits alone move, here and below.
VECTOR void turn_i32(int32_t *to, int64_t to_row, const int32_t *from,
                     int64_t from_row)
{
    turn_f32((float *)to, to_row, (const float *)from, from_row);
}
VECTOR void turn_i64(int64_t *to, int64_t to_row, const int64_t *from,
                     int64_t from_row)
{
    turn_f64((double *)to, to_row, (const double *)from, from_row);
}

// turn_wide_<sfx> turns as many rows as a vector has elements. 16 bytes each of
// several rows are loaded into the lanes of one vector, and the lanes turned
// side by side: so there are half as many shuffles as for squares.
#if defined(__AVX512F__)
typedef __m512 Lanes;
#define WIDE(name) _mm512_##name
VECTOR Lanes lanes_of(const char *p, int64_t step)
{
    Lanes v = _mm512_castps128_ps512(_mm_loadu_ps((const void *)p));
    v = _mm512_mask_broadcast_f32x4(v, 0x00f0,
                                    _mm_loadu_ps((const void *)(p + step)));
    v = _mm512_mask_broadcast_f32x4(v, 0x0f00,
                                    _mm_loadu_ps((const void *)(p + 2 * step)));
    return _mm512_mask_broadcast_f32x4(
        v, 0xf000, _mm_loadu_ps((const void *)(p + 3 * step)));
}
#else
typedef __m256 Lanes;
#define WIDE(name) _mm256_##name
VECTOR Lanes lanes_of(const char *p, int64_t step)
{
    Lanes v = _mm256_castps128_ps256(_mm_loadu_ps((const void *)p));
    return _mm256_insertf128_ps(v, _mm_loadu_ps((const void *)(p + step)), 1);
}
#endif
// Pairs of elements of 64 bits, those of the lower halves or the upper ones.
VECTOR Lanes low_pairs(Lanes a, Lanes b)
{
    return WIDE(castpd_ps)(
        WIDE(unpacklo_pd)(WIDE(castps_pd)(a), WIDE(castps_pd)(b)));
}
VECTOR Lanes high_pairs(Lanes a, Lanes b)
{
    return WIDE(castpd_ps)(
        WIDE(unpackhi_pd)(WIDE(castps_pd)(a), WIDE(castps_pd)(b)));
}
VECTOR void turn_wide_f32(float *to, int64_t to_row, const float *from,
                          int64_t from_row)
{
    int64_t row = from_row * (int64_t)sizeof(float);
    const char *p = (const char *)from;
    Lanes a = lanes_of(p, 4 * row), b = lanes_of(p + row, 4 * row);
    Lanes c = lanes_of(p + 2 * row, 4 * row);
    Lanes d = lanes_of(p + 3 * row, 4 * row);
    Lanes ab = WIDE(unpacklo_ps)(a, b), cd = WIDE(unpacklo_ps)(c, d);
    WIDE(storeu_ps)(to, low_pairs(ab, cd));
    WIDE(storeu_ps)(to + to_row, high_pairs(ab, cd));
    ab = WIDE(unpackhi_ps)(a, b);
    cd = WIDE(unpackhi_ps)(c, d);
    WIDE(storeu_ps)(to + 2 * to_row, low_pairs(ab, cd));
    WIDE(storeu_ps)(to + 3 * to_row, high_pairs(ab, cd));
}
VECTOR void turn_wide_f64(double *to, int64_t to_row, const double *from,
                          int64_t from_row)
{
    int64_t row = from_row * (int64_t)sizeof(double);
    const char *p = (const char *)from;
    Lanes a = lanes_of(p, 2 * row), b = lanes_of(p + row, 2 * row);
    WIDE(storeu_ps)((void *)to, low_pairs(a, b));
    WIDE(storeu_ps)((void *)(to + to_row), high_pairs(a, b));
}
VECTOR void turn_wide_i32(int32_t *to, int64_t to_row, const int32_t *from,
                          int64_t from_row)
{
    turn_wide_f32((float *)to, to_row, (const float *)from, from_row);
}
VECTOR void turn_wide_i64(int64_t *to, int64_t to_row, const int64_t *from,
                          int64_t from_row)
{
    turn_wide_f64((double *)to, to_row, (const double *)from, from_row);
}

#endif
