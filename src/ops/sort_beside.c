// Many rows sorted side by side, a lane of the processor's vectors each
// (kernels/sort_body.h): by their keys alone where nothing else is wanted, else
// by words of a key and a place, which makes the sort stable.
#include <math.h>

#include "kernels/tier.h"
#include "ops/sort.h"

// A row is sorted by as many comparisons as if all lanes were full, and the
// longer it is, the more an element takes.
enum { LEAST_ROWS = 4, MOST_KEYS = 4096, MOST_WORDS = 1024 };

static const uint32_t short_sign = UINT32_C(1) << 31;
static const uint64_t long_sign = UINT64_C(1) << 63;

static float float_of(uint32_t key, bool down)
{
    float number = NAN;
    uint32_t bits = down ? ~key : key;
    bits ^= bits >> 31 != 0 ? short_sign : UINT32_MAX;
    if (key != UINT32_MAX) {
        memcpy(&number, &bits, sizeof number);
    }
    return number;
}

static double double_of(uint64_t key, bool down)
{
    double number = NAN;
    uint64_t bits = down ? ~key : key;
    bits ^= bits >> 63 != 0 ? long_sign : UINT64_MAX;
    if (key != UINT64_MAX) {
        memcpy(&number, &bits, sizeof number);
    }
    return number;
}

// Vectors compare signed numbers.
#define FILL(T, K, key)                                                        \
    for (int64_t i = 0; i < row->n; i++) {                                     \
        T x = ((const T *)row->in->data)[row->start + i * row->step];          \
        ((K *)lane)[i * (SORT_BYTES / (int64_t)sizeof(K))] = (K)(key);         \
    }
#define TAKE(T, K, element)                                                    \
    for (int64_t i = 0; i < row->n; i++) {                                     \
        K key = ((const K *)lane)[i * (SORT_BYTES / (int64_t)sizeof(K))];      \
        ((T *)to->data)[row->to + i * row->step] = (element);                  \
    }
// Keys do not tell zeros apart, which keep their order.
#define ZEROS(T)                                                               \
    {                                                                          \
        T *out = (T *)to->data + row->to;                                      \
        const T *in = (const T *)row->in->data + row->start;                   \
        int64_t at = 0, end = row->n * row->step;                              \
        while (at < end && out[at] != 0) {                                     \
            at += row->step;                                                   \
        }                                                                      \
        for (int64_t i = 0; at < end && i < end; i += row->step) {             \
            if (in[i] == 0) {                                                  \
                out[at] = in[i];                                               \
                at += row->step;                                               \
            }                                                                  \
        }                                                                      \
    }

static void fill_keys(const SortRow *row, void *lane)
{
    bool down = row->down;
    switch ((DType)row->in->dtype) {
    case DT_FLOAT32:
        FILL(float, int32_t, sort_float_key(x, down) ^ short_sign)
        break;
    case DT_FLOAT64:
        FILL(double, int64_t, sort_double_key(x, down) ^ long_sign)
        break;
    case DT_INT32: FILL(int32_t, int32_t, down ? ~x : x) break;
    default: FILL(int64_t, int64_t, down ? ~x : x)
    }
}

static void take_keys(Tensor *to, const SortRow *row, const void *lane)
{
    bool down = row->down;
    switch ((DType)row->in->dtype) {
    case DT_FLOAT32:
        TAKE(float, int32_t, float_of((uint32_t)key ^ short_sign, down))
        ZEROS(float)
        break;
    case DT_FLOAT64:
        TAKE(double, int64_t, double_of((uint64_t)key ^ long_sign, down))
        ZEROS(double)
        break;
    case DT_INT32: TAKE(int32_t, int32_t, down ? ~key : key) break;
    default: TAKE(int64_t, int64_t, down ? ~key : key)
    }
}

static void fill_words(const SortRow *row, void *lane)
{
    if (row->in->dtype == DT_FLOAT32) {
        FILL(float, int64_t,
             sort_word(sort_float_key(x, row->down), i) ^ long_sign)
        return;
    }
    for (int64_t i = 0; i < row->n; i++) {
        ((int64_t *)lane)[i * (SORT_BYTES / (int64_t)sizeof(int64_t))] =
            (int64_t)(sort_word(sort_short_key(row, i), i) ^ long_sign);
    }
}

// The words' row, gathered.
static void take_words(const SortResult *to, const SortRow *row,
                       const uint64_t *lane, uint64_t *words)
{
    for (int64_t i = 0; i < to->kept; i++) {
        words[i] =
            lane[i * (SORT_BYTES / (int64_t)sizeof(uint64_t))] ^ long_sign;
    }
    sort_put_row(to, row, words);
}

// Of which the elements are made again.
static bool by_keys(const SortRows *rows, const SortResult *to)
{
    DType dtype = (DType)rows->in->dtype;
    return to->places == NULL && (sort_has_long_keys(rows->in) ||
                                  dtype == DT_FLOAT32 || dtype == DT_INT32);
}

bool sort_fits_beside(const SortRows *rows, const SortResult *to)
{
    return rows->count >= LEAST_ROWS && rows->n > 1 &&
           (by_keys(rows, to)
                ? rows->n <= MOST_KEYS
                : !sort_has_long_keys(rows->in) && rows->n <= MOST_WORDS);
}

bool sort_beside(Ctx *ctx, const SortRows *rows, const SortResult *to)
{
    KernelState *state = kernel_state(ctx);
    bool keys = by_keys(rows, to);
    bool wide = !keys || sort_has_long_keys(rows->in);
    size_t width = wide ? sizeof(int64_t) : sizeof(int32_t);
    int64_t lanes = SORT_BYTES / (int64_t)width;
    // Vectors do not lie across lines of the cache; behind them a row's words.
    size_t size =
        (size_t)rows->n * (SORT_BYTES + sizeof(uint64_t)) + SORT_BYTES;
    char *room = state == NULL ? NULL : ctx_alloc_zero(ctx, size);
    if (room == NULL) {
        return false;
    }
    char *columns = room + (SORT_BYTES - (uintptr_t)room % SORT_BYTES);
    SortColumnsFn sort = state->tier->sort_columns[wide ? ELEM_I64 : ELEM_I32];
    bool ok = true;
    // Lanes without a row sort anything.
    for (int64_t first = 0; ok && first < rows->count; first += lanes) {
        int64_t left = rows->count - first;
        int64_t count = left < lanes ? left : lanes;
        for (int64_t i = 0; i < count; i++) {
            SortRow row = sort_row_at(rows, first + i);
            (keys ? fill_keys : fill_words)(&row, columns + (size_t)i * width);
        }
        sort(columns, rows->n);
        for (int64_t i = 0; i < count; i++) {
            SortRow row = sort_row_at(rows, first + i);
            char *lane = columns + (size_t)i * width;
            if (keys) {
                take_keys(to->values, &row, lane);
            } else {
                take_words(
                    to, &row, (uint64_t *)(void *)lane,
                    (uint64_t *)(void *)(columns + rows->n * SORT_BYTES));
            }
        }
        ok = ctx_poll(ctx);
    }
    ctx_free(ctx, room, size);
    return ok;
}
