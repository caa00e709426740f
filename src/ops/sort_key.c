// Keys of elements, and rows of the result. See sort.h.
#include "ops/sort.h"

// Bits that compare as the numbers do: of those below 0 all are turned, of
// others the sign. 0.0 is added for -0.0. NaN is last, whichever way.
#define NUMBER_KEY(name, T, BITS)                                              \
    static BITS name(T number, bool down)                                      \
    {                                                                          \
        const BITS all = (BITS)-1, sign = all ^ (all >> 1);                    \
        T x = number + (T)0;                                                   \
        BITS bits;                                                             \
        memcpy(&bits, &x, sizeof bits);                                        \
        bits ^= (bits & sign) != 0 ? all : sign;                               \
        return x != x ? all : down ? ~bits : bits;                             \
    }

NUMBER_KEY(float_key, float, uint32_t)
NUMBER_KEY(double_key, double, uint64_t)

uint64_t sort_long_key(const SortRow *row, int64_t i)
{
    int64_t at = row->start + i * row->step;
    if (row->in->dtype == DT_FLOAT64) {
        return double_key(((const double *)row->in->data)[at], row->down);
    }
    uint64_t key = (uint64_t)((const int64_t *)row->in->data)[at];
    key ^= UINT64_C(1) << 63;
    return row->down ? ~key : key;
}

uint32_t sort_short_key(const SortRow *row, int64_t i)
{
    int64_t at = row->start + i * row->step;
    if (row->in->dtype == DT_FLOAT32) {
        return float_key(((const float *)row->in->data)[at], row->down);
    }
    if (dtype_is_float((DType)row->in->dtype)) {
        return float_key((float)tensor_float_at(row->in, at), row->down);
    }
    uint32_t key = (uint32_t)tensor_int_at(row->in, at) ^ UINT32_C(1) << 31;
    return row->down ? ~key : key;
}

#define COPY_ELEMENTS(T)                                                       \
    for (int64_t i = 0; i < count; i++) {                                      \
        ((T *)to->data)[row->to + i * row->step] =                             \
            ((const T *)                                                       \
                 row->in->data)[row->start + (uint32_t)words[i] * row->step];  \
    }

static void put_values(Tensor *to, const SortRow *row, const uint64_t *words,
                       int64_t count)
{
    switch (dtype_size((DType)to->dtype)) {
    case 1: COPY_ELEMENTS(uint8_t) break;
    case 2: COPY_ELEMENTS(uint16_t) break;
    case 4: COPY_ELEMENTS(uint32_t) break;
    default: COPY_ELEMENTS(uint64_t)
    }
}

void sort_put_row(const SortResult *to, const SortRow *row,
                  const uint64_t *words)
{
    if (to->values != NULL) {
        put_values(to->values, row, words, to->kept);
    }
    for (int64_t i = 0; to->places != NULL && i < to->kept; i++) {
        ((int64_t *)to->places->data)[row->to + i * row->step] =
            (uint32_t)words[i];
    }
}
