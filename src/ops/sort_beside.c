// Rows sorted by the processor's vectors (kernels/sort_body.h): by their keys
// alone where nothing else is wanted, else by words of a key and a place, which
// makes the sort stable. Where vectors have no sort of their own many rows go
// side by side, a lane each.
#include "ops/sort.h"

// A row is sorted by as many comparisons as if all lanes were full, and the
// longer it is, the more an element takes.
enum { LEAST_ROWS = 4, MOST_KEYS = 4096, MOST_WORDS = 1024, SHORT_ROW = 64 };

// Keys do not tell zeros apart, which keep their order.
#define ZEROS(T)                                                               \
    {                                                                          \
        T *out = (T *)to->data + row->to;                                      \
        const T *in = (const T *)row->in->data + row->start;                   \
        int64_t at = 0, end = row->n;                                          \
        for (int64_t left = end; left > 0;) {                                  \
            int64_t half = left / 2;                                           \
            T x = out[(at + half) * row->step];                                \
            bool before = row->down ? x > 0 : x < 0;                           \
            at += before ? half + 1 : 0;                                       \
            left = before ? left - half - 1 : half;                            \
        }                                                                      \
        for (int64_t i = 0; at < end && out[at * row->step] == 0; i++) {       \
            if (in[i * row->step] == 0) {                                      \
                out[at++ * row->step] = in[i * row->step];                     \
            }                                                                  \
            if (!ctx_poll_at(ctx, (size_t)i + 1)) {                            \
                return false;                                                  \
            }                                                                  \
        }                                                                      \
    }
static bool put_zeros(Ctx *ctx, Tensor *to, const SortRow *row)
{
    if (to->dtype == DT_FLOAT32) {
        ZEROS(float)
    } else if (to->dtype == DT_FLOAT64) {
        ZEROS(double)
    }
    return true;
}

// A row's keys, `step` apart, and a row of the elements that keys stand for.
static void fill_keys(const Tier *tier, const SortRow *row, void *keys,
                      int64_t step)
{
    size_t size = dtype_size((DType)row->in->dtype);
    tier->sort_keys[row->in->dtype](
        keys, step, (const char *)row->in->data + (size_t)row->start * size,
        row->step, row->n, row->down);
}
static void take_keys(const Tier *tier, Tensor *to, const SortRow *row,
                      const void *keys, int64_t step)
{
    size_t size = dtype_size((DType)to->dtype);
    tier->sort_numbers[to->dtype]((char *)to->data + (size_t)row->to * size,
                                  row->step, keys, step, row->n, row->down);
}

// Element `i` of so many rows that begin beside each other.
static SortRow across_at(SortRow row, int64_t i, int64_t count)
{
    row.start += i * row.step;
    row.to += i * row.step;
    row.step = 1;
    row.n = count;
    return row;
}

enum { WORD_STEP = SORT_BYTES / sizeof(int64_t) };

// The part of a row that begins with element `first`.
static SortRow range_at(const SortRow *row, int64_t first)
{
    SortRow part = *row;
    part.start += first * row->step;
    part.to += first * row->step;
    part.n -= first;
    part.n = part.n < SORT_RANGE ? part.n : SORT_RANGE;
    return part;
}

bool sort_fill_words(Ctx *ctx, const SortRow *row, int64_t *words, int64_t step,
                     int32_t *keys)
{
    const Tier *tier = ctx->kernels->tier;
    const uint32_t sign = UINT32_C(1) << 31;
    bool made = tier->sort_keys[row->in->dtype] != NULL, ok = true;
    for (int64_t first = 0; ok && first < row->n; first += SORT_RANGE) {
        SortRow part = range_at(row, first);
        if (made) {
            fill_keys(tier, &part, keys, 1);
        }
        for (int64_t i = 0; i < part.n; i++) {
            uint32_t key =
                made ? (uint32_t)keys[i] : sort_short_key(&part, i) ^ sign;
            words[(first + i) * step] = (int64_t)sort_word(key, first + i);
        }
        ok = ctx_poll(ctx);
    }
    return ok;
}

// The words' row, gathered.
static bool take_words(Ctx *ctx, const SortResult *to, const SortRow *row,
                       const uint64_t *lane, uint64_t *words)
{
    for (int64_t i = 0; i < to->kept; i++) {
        words[i] = lane[i * WORD_STEP];
    }
    return sort_put_row(ctx, to, row, words);
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

// What lies beside each other is read as it lies.
bool sort_fits_keys(const Tier *tier, const SortRows *rows,
                    const SortResult *to)
{
    bool beside = rows->n <= SHORT_ROW || rows->inner > 1;
    return tier->sort[ELEM_I32] != NULL && by_keys(rows, to) &&
           !(beside && sort_fits_beside(rows, to));
}

// Keys of a row without steps, or, where `to` is not NULL, its elements of
// them. False: interrupted.
static bool move_keys(Ctx *ctx, const SortRow *row, char *keys, Tensor *to)
{
    const Tier *tier = ctx->kernels->tier;
    size_t width = dtype_size((DType)row->in->dtype);
    bool ok = true;
    for (int64_t first = 0; ok && first < row->n; first += SORT_RANGE) {
        SortRow part = range_at(row, first);
        char *at = keys + (size_t)first * width;
        if (to == NULL) {
            fill_keys(tier, &part, at, 1);
        } else {
            take_keys(tier, to, &part, at, 1);
        }
        ok = ctx_poll(ctx);
    }
    return ok;
}

bool sort_keys(Ctx *ctx, const SortRows *rows, Tensor *to)
{
    size_t width = dtype_size((DType)to->dtype);
    // As much again behind the keys, and a vector; one more aligns them.
    size_t size = 2 * ((size_t)rows->n * width + SORT_BYTES);
    char *room = ctx_alloc(ctx, size);
    if (room == NULL) {
        return false;
    }
    char *keys = room + (SORT_BYTES - (uintptr_t)room % SORT_BYTES);
    SortFn sort = ctx->kernels->tier
                      ->sort[width == sizeof(int64_t) ? ELEM_I64 : ELEM_I32];
    bool ok = true;
    for (int64_t i = 0; ok && i < rows->count; i++) {
        SortRow row = sort_row_at(rows, i);
        ok = move_keys(ctx, &row, keys, NULL) &&
             sort(ctx, keys, row.n, keys + (size_t)row.n * width) &&
             move_keys(ctx, &row, keys, to) && put_zeros(ctx, to, &row);
    }
    ctx_free(ctx, room, size);
    return ok;
}

// Some rows, a lane each; behind words there is room for those of a row.
typedef struct SortLanes {
    const Tier *tier;
    const SortRows *rows;
    int64_t first, count; // of the rows
    char *columns;
    size_t width; // of a lane
    bool keys;    // or words
} SortLanes;

// Whether the rows' elements stand as the lanes do.
static bool lie_beside(const SortLanes *lanes)
{
    int64_t inner = lanes->rows->inner;
    return lanes->keys && inner > 1 &&
           lanes->first % inner + lanes->count <= inner;
}

static bool fill_lanes(Ctx *ctx, const SortLanes *l)
{
    SortRow row = sort_row_at(l->rows, l->first);
    for (int64_t i = 0; lie_beside(l) && i < row.n; i++) {
        SortRow across = across_at(row, i, l->count);
        fill_keys(l->tier, &across, l->columns + i * SORT_BYTES, 1);
    }
    bool ok = true;
    for (int64_t i = 0; ok && !lie_beside(l) && i < l->count; i++) {
        char *lane = l->columns + (size_t)i * l->width;
        row = sort_row_at(l->rows, l->first + i);
        if (l->keys) {
            fill_keys(l->tier, &row, lane, SORT_BYTES / (int64_t)l->width);
        } else {
            ok = sort_fill_words(
                ctx, &row, (int64_t *)(void *)lane, WORD_STEP,
                (int32_t *)(void *)(l->columns + row.n * SORT_BYTES));
        }
    }
    return ok;
}

static bool take_lanes(Ctx *ctx, const SortLanes *l, const SortResult *to)
{
    SortRow row = sort_row_at(l->rows, l->first);
    for (int64_t i = 0; lie_beside(l) && i < row.n; i++) {
        SortRow across = across_at(row, i, l->count);
        take_keys(l->tier, to->values, &across, l->columns + i * SORT_BYTES, 1);
    }
    bool ok = true;
    for (int64_t i = 0; ok && i < l->count; i++) {
        char *lane = l->columns + (size_t)i * l->width;
        row = sort_row_at(l->rows, l->first + i);
        if (!l->keys) {
            ok = take_words(
                ctx, to, &row, (uint64_t *)(void *)lane,
                (uint64_t *)(void *)(l->columns + row.n * SORT_BYTES));
            continue;
        }
        if (!lie_beside(l)) {
            take_keys(l->tier, to->values, &row, lane,
                      SORT_BYTES / (int64_t)l->width);
        }
        ok = put_zeros(ctx, to->values, &row);
    }
    return ok;
}

bool sort_beside(Ctx *ctx, const SortRows *rows, const SortResult *to)
{
    SortLanes lanes = {
        .tier = ctx->kernels->tier, .rows = rows, .keys = by_keys(rows, to)};
    bool wide = !lanes.keys || sort_has_long_keys(rows->in);
    lanes.width = wide ? sizeof(int64_t) : sizeof(int32_t);
    // Vectors do not lie across lines of the cache.
    size_t size =
        (size_t)rows->n * (SORT_BYTES + sizeof(uint64_t)) + SORT_BYTES;
    char *room = ctx_alloc_zero(ctx, size);
    if (room == NULL) {
        return false;
    }
    lanes.columns = room + (SORT_BYTES - (uintptr_t)room % SORT_BYTES);
    SortColumnsFn sort = lanes.tier->sort_columns[wide ? ELEM_I64 : ELEM_I32];
    int64_t most = SORT_BYTES / (int64_t)lanes.width;
    bool ok = true;
    // SortLanes without a row sort anything.
    for (; ok && lanes.first < rows->count; lanes.first += most) {
        int64_t left = rows->count - lanes.first;
        lanes.count = left < most ? left : most;
        ok = fill_lanes(ctx, &lanes);
        if (ok) {
            sort(lanes.columns, rows->n);
            ok = take_lanes(ctx, &lanes, to) && ctx_poll(ctx);
        }
    }
    ctx_free(ctx, room, size);
    return ok;
}
