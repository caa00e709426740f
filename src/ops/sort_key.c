// Keys of elements, and rows of the result. See sort.h.
#include "ops/sort.h"

static uint32_t float_key(float number, bool down)
{
    uint32_t bits;
    float x = number + 0.0F;
    memcpy(&bits, &x, sizeof bits);
    bits ^= bits >> 31 != 0 ? UINT32_MAX : UINT32_C(1) << 31;
    return x != x ? UINT32_MAX : down ? ~bits : bits;
}

static uint64_t double_key(double number, bool down)
{
    uint64_t bits;
    double x = number + 0.0;
    memcpy(&bits, &x, sizeof bits);
    bits ^= bits >> 63 != 0 ? UINT64_MAX : UINT64_C(1) << 63;
    return x != x ? UINT64_MAX : down ? ~bits : bits;
}

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
