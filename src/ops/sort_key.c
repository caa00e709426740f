// Keys of elements, and rows of the result. See sort.h.
#include "ops/sort.h"

#include "kernels/sort_number.h"

// The order of ints without a sign is that of ints whose signs are turned.
uint64_t sort_long_key(const SortRow *row, int64_t i)
{
    const char *data = row->in->data;
    int64_t at = row->start + i * row->step;
    int64_t key = row->in->dtype == DT_FLOAT64
                      ? key_f64(((const double *)data)[at], row->down)
                      : key_i64(((const int64_t *)data)[at], row->down);
    return (uint64_t)key ^ UINT64_C(1) << 63;
}

uint32_t sort_short_key(const SortRow *row, int64_t i)
{
    int64_t at = row->start + i * row->step;
    int32_t key = row->in->dtype == DT_FLOAT32
                      ? key_f32(((const float *)row->in->data)[at], row->down)
                  : dtype_is_float((DType)row->in->dtype)
                      ? key_f32((float)tensor_float_at(row->in, at), row->down)
                      : key_i32((int32_t)tensor_int_at(row->in, at), row->down);
    return (uint32_t)key ^ UINT32_C(1) << 31;
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

bool sort_put_row(Ctx *ctx, const SortResult *to, const SortRow *row,
                  const uint64_t *words)
{
    SortRow part = *row;
    int64_t count;
    for (int64_t left = to->kept; left > 0; left -= count) {
        count = left < SORT_RANGE ? left : SORT_RANGE;
        if (to->values != NULL) {
            put_values(to->values, &part, words, count);
        }
        for (int64_t i = 0; to->places != NULL && i < count; i++) {
            ((int64_t *)to->places->data)[part.to + i * row->step] =
                (uint32_t)words[i];
        }
        part.to += count * row->step;
        words += count;
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}
