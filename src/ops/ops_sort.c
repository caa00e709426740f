// Sorting along an axis: sort, argsort, topk.
//
// An element becomes a word: 32 bits of a key whose order is the sort's, and
// its place below. Words are sorted by vectors where they can, else by key,
// stably: by digits, or short rows by insertion. Keys of 64 bits are sorted by
// their low half, then by their high one. NaN stands last, whichever way the
// sort goes; equal elements keep their order. Values alone are sorted by their
// keys, without places, and many rows of moderate length side by side
// (sort_beside.c).
#include <inttypes.h>
#include <string.h>

#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/sort.h"

enum {
    SHORT_ROW = 48,   // shorter ones are sorted by insertion
    HEAP_PER_ROW = 16 // as many times longer than what is kept: by a heap
};

// How the 32 bits of a key are cut: three digits mean fewer passes, four fewer
// buckets to count, which short rows would spend their time on.
typedef struct Digits {
    int count, bits;
} Digits;
static const Digits long_digits = {3, 11}, short_digits = {4, 8};
enum { BUCKETS = 3 << 11, DIGITS_LONG = 4096 };

static uint32_t digit_of(uint64_t word, int digit, int bits)
{
    return (uint32_t)(word >> (32 + digit * bits)) & ((1U << bits) - 1);
}

static void insertion_sort(uint64_t *words, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t word = words[i];
        int64_t at = i;
        for (; at > 0 && words[at - 1] >> 32 > word >> 32; at--) {
            words[at] = words[at - 1];
        }
        words[at] = word;
    }
}

// From the lowest digit to the highest; a digit that is the same in all words
// moves none. `work` is as long as `words`. Returns where the result stands;
// NULL after Ctrl-C.
static uint64_t *sort_words(Ctx *ctx, uint64_t *words, uint64_t *work,
                            int64_t n)
{
    if (n < SHORT_ROW) {
        insertion_sort(words, n);
        return words;
    }
    Digits d = n < DIGITS_LONG ? short_digits : long_digits;
    uint32_t counts[BUCKETS], buckets = 1U << d.bits;
    memset(counts, 0, (size_t)d.count * buckets * sizeof counts[0]);
    for (int64_t i = 0; i < n; i++) {
        for (int digit = 0; digit < d.count; digit++) {
            counts[(uint32_t)digit * buckets +
                   digit_of(words[i], digit, d.bits)]++;
        }
        if (!ctx_poll_at(ctx, (size_t)i + 1)) {
            return NULL;
        }
    }
    for (int digit = 0; digit < d.count; digit++) {
        uint32_t *place = counts + (uint32_t)digit * buckets, start = 0;
        if (place[digit_of(words[0], digit, d.bits)] == n) {
            continue;
        }
        for (uint32_t i = 0; i < buckets; i++) {
            uint32_t count = place[i];
            place[i] = start;
            start += count;
        }
        for (int64_t i = 0; i < n; i++) {
            work[place[digit_of(words[i], digit, d.bits)]++] = words[i];
            if (!ctx_poll_at(ctx, (size_t)i + 1)) {
                return NULL;
            }
        }
        uint64_t *other = words;
        words = work;
        work = other;
    }
    return words;
}

static void sift(uint64_t *heap, int64_t count, int64_t at)
{
    uint64_t word = heap[at];
    for (int64_t next = 2 * at + 1; next < count; next = 2 * at + 1) {
        next += next + 1 < count && heap[next + 1] > heap[next];
        if (heap[next] <= word) {
            break;
        }
        heap[at] = heap[next];
        at = next;
    }
    heap[at] = word;
}

enum { SKIP_BLOCK = 32 };

// The block from `i` on in which an element may come before that of the word
// `top`, without a key for each: floats that go down compare as they are, a NaN
// comes before none.
static int64_t skip_blocks(const SortRow *row, int64_t i, uint64_t top)
{
    const float *x = (const float *)row->in->data + row->start;
    float limit = x[(uint32_t)top];
    for (int found = 0; row->n - i > SKIP_BLOCK; i += SKIP_BLOCK) {
        for (int64_t k = i; k < i + SKIP_BLOCK; k++) {
            found |= !(x[k] <= limit) & (x[k] == x[k]);
        }
        if (found) {
            break;
        }
    }
    return i;
}

// The `kept` least words of a row in order, by a heap that meets them all.
// False after Ctrl-C.
static bool least_words(Ctx *ctx, const SortRow *row, uint64_t *heap,
                        int64_t kept)
{
    bool skips = row->in->dtype == DT_FLOAT32 && row->step == 1 && row->down;
    for (int64_t i = 0; i < kept; i++) {
        heap[i] = sort_word(sort_short_key(row, i), i);
    }
    for (int64_t i = kept / 2; i-- > 0;) {
        sift(heap, kept, i);
    }
    for (int64_t i = kept; kept > 0 && i < row->n;) {
        i = skips ? skip_blocks(row, i, heap[0]) : i;
        int64_t end = row->n - i < SKIP_BLOCK ? row->n : i + SKIP_BLOCK;
        for (; i < end; i++) {
            uint64_t word = sort_word(sort_short_key(row, i), i);
            if (word < heap[0]) {
                heap[0] = word;
                sift(heap, kept, 0);
            }
        }
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    // The greatest goes behind those that are left.
    for (int64_t left = kept - 1; left > 0; left--) {
        uint64_t greatest = heap[0];
        heap[0] = heap[left];
        heap[left] = greatest;
        sift(heap, left, 0);
    }
    return true;
}

// The row's words in order, at least `kept` of them; `room` holds 2 * n and
// SORT_BYTES. NULL after Ctrl-C.
static const uint64_t *sort_row(Ctx *ctx, const SortRow *row, int64_t kept,
                                uint64_t *room)
{
    int64_t n = row->n;
    bool is_long = sort_has_long_keys(row->in);
    if (!is_long && kept < n / HEAP_PER_ROW) {
        return least_words(ctx, row, room, kept) ? room : NULL;
    }
    const Tier *tier = ctx->kernels->tier;
    if (!is_long && tier->sort[ELEM_I64] != NULL) {
        return sort_fill_words(ctx, row, (int64_t *)room, 1,
                               (int32_t *)(room + n)) &&
                       tier->sort[ELEM_I64](ctx, room, n, room + n)
                   ? room
                   : NULL;
    }
    for (int64_t i = 0; i < n; i++) {
        room[i] = sort_word(
            is_long ? sort_long_key(row, i) : sort_short_key(row, i), i);
        if (!ctx_poll_at(ctx, (size_t)i + 1)) {
            return NULL;
        }
    }
    uint64_t *sorted = sort_words(ctx, room, room + n, n);
    if (sorted == NULL || !is_long) {
        return sorted;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t place = (uint32_t)sorted[i];
        sorted[i] = sort_word(sort_long_key(row, place) >> 32, place);
        if (!ctx_poll_at(ctx, (size_t)i + 1)) {
            return NULL;
        }
    }
    return sort_words(ctx, sorted, sorted == room ? room + n : room, n);
}

// Sorts every row along `axis`.
// False: no memory, or interrupted.
static bool sort_along(const KernelCall *call, int axis, bool down,
                       SortResult to)
{
    const Tensor *in = call->inputs[0];
    int64_t n = in->rank == 0 ? 1 : tensor_dims(in)[axis], inner = 1;
    for (int i = axis + 1; i < in->rank; i++) {
        inner *= tensor_dims(in)[i];
    }
    to.kept = to.kept < n ? to.kept : n;
    if (in->count == 0) {
        return true;
    }
    KernelState *state = kernel_state(call->ctx);
    SortRows rows = {in, n, inner, in->count / n, to.kept, down};
    if (state == NULL) {
        return false;
    }
    if (sort_fits_keys(state->tier, &rows, &to)) {
        return sort_keys(call->ctx, &rows, to.values);
    }
    bool by_heap = to.kept < n / HEAP_PER_ROW && !sort_has_long_keys(in);
    if (!by_heap && sort_fits_beside(&rows, &to)) {
        return sort_beside(call->ctx, &rows, &to);
    }
    // One row's words and as many to sort into, for all rows. A place has 32
    // bits: of longer rows the words would have to be larger than memory is.
    size_t size = n > UINT32_MAX
                      ? SIZE_MAX
                      : 2 * (size_t)n * sizeof(uint64_t) + SORT_BYTES;
    uint64_t *room = ctx_alloc(call->ctx, size);
    bool ok = room != NULL;
    for (int64_t i = 0; ok && i < rows.count; i++) {
        SortRow row = sort_row_at(&rows, i);
        const uint64_t *words = sort_row(call->ctx, &row, to.kept, room);
        ok = words != NULL && sort_put_row(call->ctx, &to, &row, words);
    }
    ctx_free(call->ctx, room, size);
    return ok;
}

// ---- sort, argsort

// False if there is none to sort along; *axis is resolved where it is known.
// A scalar has no axis and is refused.
static bool sort_axis(const InferCall *call, int *axis)
{
    TensorType type = call->inputs[0];
    if (type.dtype == DT_STRING) {
        return infer_dtype_refused(call, type.dtype);
    }
    return infer_needs_rank(call, 0, 1) &&
           (type.rank == RANK_UNKNOWN ||
            infer_axis(call->ctx, call->op->name, &call->attrs[0], type.rank,
                       type.rank - 1, axis));
}

// The axis is only checked here; the kernel resolves it again.
static bool infer_sort(InferCall *call)
{
    int axis;
    return sort_axis(call, &axis) && infer_same(call);
}

// Places are int64, whatever is sorted.
static bool infer_argsort(InferCall *call)
{
    TensorType type = call->inputs[0];
    int axis;
    return sort_axis(call, &axis) &&
           infer_output(call, 0, DT_INT64, type.rank, type.dims);
}

// All of the row is kept, whatever its length.
// attrs[1] is `descending`.
static bool sort_call(const KernelCall *call, SortResult to)
{
    int axis, rank = call->inputs[0]->rank;
    to.kept = INT64_MAX;
    return infer_axis(call->ctx, call->op->name, &call->attrs[0], rank,
                      rank - 1, &axis) &&
           sort_along(call, axis, attr_bool(&call->attrs[1], false), to);
}

// Values alone, or places alone; topk wants both.
static bool kernel_sort(const KernelCall *call)
{
    return sort_call(call, (SortResult){.values = call->outputs[0]});
}

// Places instead of values, int64.
static bool kernel_argsort(const KernelCall *call)
{
    return sort_call(call, (SortResult){.places = call->outputs[0]});
}

// By where each element came from along the axis.
static bool grad_along(GradCall *call, EmitValue order, int64_t axis)
{
    Emit *e = call->emit;
    EmitValue x = call->inputs[0];
    AttrValue attrs[2] = {{.kind = ATTR_INT, .integer = axis}};
    EmitValue inputs[2] = {grad_numbers(e, x), order};
    EmitValue places = inputs[0] == NULL || order == NULL
                           ? NULL
                           : e->op(e, OP_TAKE_ALONG_AXIS, inputs, 2, attrs);
    return grad_give(call, 0,
                     grad_scatter(e, x, places, call->output_grads[0]));
}

static bool grad_sort(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_along(
               call,
               emit_1(call->emit, OP_ARGSORT, call->inputs[0], call->attrs),
               attr_int(&call->attrs[0], -1));
}

static bool grad_topk(GradCall *call)
{
    return !grad_asked(call, 0) || grad_along(call, call->outputs[1], -1);
}

// NumPy has no descending order; the array API does.
static const AttrDesc sort_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "-1"},
    {"descending", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
};
#define SORT(text, rule, run)                                                  \
    .name = (text), .params = "x, /", .min_inputs = 1, .max_inputs = 1,        \
    .output_count = 1, .flags = OP_METHOD, .attrs = sort_attrs,                \
    .attr_count = 2, .infer = (rule), .kernel = (run)

const OpDesc op_sort = {
    SORT("sort", infer_sort, kernel_sort),
    .doc = "The elements in ascending (or descending) order along an axis.\n"
           "NaN stands last.",
    .gradient = grad_sort,
};
// Stable always, where NumPy has to be asked for it.
const OpDesc op_argsort = {
    SORT("argsort", infer_argsort, kernel_argsort),
    .doc = "The int64 places of the elements in sorted order along an axis;\n"
           "equal elements keep their order, NaN stands last.",
};

// ---- topk

// k is a Python int, so that the sizes are known in a trace.
// False: raised.
static bool infer_topk(InferCall *call)
{
    TensorType type = call->inputs[0];
    int64_t k = call->attrs[0].integer;
    int last = type.rank - 1;
    if (type.dtype == DT_STRING) {
        return infer_dtype_refused(call, type.dtype);
    }
    if (!infer_needs_rank(call, 0, 1)) {
        return false;
    }
    bool known = type.rank != RANK_UNKNOWN && type.dims[last] != DIM_UNKNOWN;
    if (k < 0 || (known && k > type.dims[last])) {
        return ctx_fail(call->ctx, ERR_OP_VALUE,
                        "topk: k = %" PRId64 " is not in [0, %" PRId64 "]", k,
                        known ? type.dims[last] : INT64_MAX);
    }
    call->output_count = 2;
    // Values and places, along the last axis.
    for (int i = 0; i < 2; i++) {
        infer_output(call, i, i == 0 ? type.dtype : DT_INT64, type.rank,
                     type.dims);
        if (type.rank != RANK_UNKNOWN) {
            call->out_shapes[i].dims[last] = k;
        }
    }
    return true;
}

static bool kernel_topk(const KernelCall *call)
{
    SortResult to = {call->outputs[0], call->outputs[1],
                     call->attrs[0].integer};
    return sort_along(call, call->inputs[0]->rank - 1, true, to);
}

// Along the last axis always, as in TensorFlow.
static const AttrDesc topk_attrs[] = {
    {"k", ATTR_INT, ATTR_HOST_ONLY, NULL},
};
// Equal elements come in the order of their places, so that the result is
// fixed.
const OpDesc op_topk = {
    .name = "topk",
    .params = "x, /",
    .doc = "The k largest elements along the last axis, largest first, and\n"
           "their int64 places; of equal ones the first comes first.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 2,
    .flags = OP_METHOD,
    .attrs = topk_attrs,
    .attr_count = 1,
    .infer = infer_topk,
    .kernel = kernel_topk,
    .gradient = grad_topk,
};
