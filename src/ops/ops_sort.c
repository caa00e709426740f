// Sorting along an axis: sort, argsort, topk.
//
// One stable merge sort of pairs (key, place) serves all. NaN stands last,
// whichever way the sort goes; equal keys keep their order.
#include <inttypes.h>

#include "ops/grad.h"
#include "ops/infer.h"

// A row in the making. Keys are doubles or int64s, both exact for every dtype.
// Which member holds the key depends on the dtype of the whole tensor.
typedef struct Pair {
    union {
        double number;
        int64_t integer;
    };
    int64_t place;
} Pair;

// True if b must stand before a (so equal keys stay in order).
typedef bool (*PairBefore)(const Pair *b, const Pair *a);

// A NaN comes behind every number, and two NaNs are equal.
static bool float_up(const Pair *b, const Pair *a)
{
    return b->number < a->number ||
           (a->number != a->number && b->number == b->number);
}
// NaN goes last here too: the order is not simply reversed.
static bool float_down(const Pair *b, const Pair *a)
{
    return b->number > a->number ||
           (a->number != a->number && b->number == b->number);
}
// Ints have no NaN; bools and small ints come as int64.
static bool int_up(const Pair *b, const Pair *a)
{
    return b->integer < a->integer;
}
// The order turned round, with the stable order of equal ones kept.
static bool int_down(const Pair *b, const Pair *a)
{
    return b->integer > a->integer;
}

enum { MERGE_POLL = 1 << 16 }; // pairs between two looks for Ctrl-C

// Merges pairs[0 .. half) and pairs[half .. n) into `to`. False after Ctrl-C.
// The left side wins ties, which is what keeps equal keys in order.
static inline bool merge(Ctx *ctx, const Pair *pairs, int64_t half, int64_t n,
                         Pair *to, PairBefore before)
{
    int64_t i = 0, k = half, at = 0;
    while (i < half && k < n) {
        // So many steps use up neither side, so they need no look at the ends.
        int64_t steps = half - i < n - k ? half - i : n - k;
        steps = steps < MERGE_POLL ? steps : MERGE_POLL;
        for (; steps > 0; steps--) {
            // No branch depends on the outcome, which no predictor could
            // guess.
            bool second = before(&pairs[k], &pairs[i]);
            to[at++] = pairs[second ? k : i];
            k += second;
            i += !second;
        }
        if (n >= MERGE_POLL && !ctx_poll(ctx)) {
            return false;
        }
    }
    // One side is used up: what is left of the other is in order.
    while (i < half) {
        to[at++] = pairs[i++];
    }
    while (k < n) {
        to[at++] = pairs[k++];
    }
    return true;
}

// Bottom-up; `work` is as long as `pairs`. Returns where the result stands;
// NULL after Ctrl-C.
// Log2(n) passes over both arrays; no pass is spared for a row that is sorted
// already, so the time depends on the length alone.
static inline Pair *merge_sort(Ctx *ctx, Pair *pairs, Pair *work, int64_t n,
                               PairBefore before)
{
    // Each pass merges neighbouring runs from one array into the other.
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t start = 0; start < n; start += 2 * width) {
            int64_t rest = n - start;
            int64_t half = rest < width ? rest : width;
            int64_t both = rest < 2 * width ? rest : 2 * width;
            if (!merge(ctx, pairs + start, half, both, work + start, before) ||
                (start % MERGE_POLL == 0 && !ctx_poll(ctx))) {
                return NULL;
            }
        }
        Pair *other = pairs;
        pairs = work;
        work = other;
    }
    return pairs;
}

// One instance an order, so that the comparison is inlined.
// NULL after Ctrl-C.
static Pair *sort_pairs(Ctx *ctx, Pair *pairs, Pair *work, int64_t n,
                        bool is_float, bool down)
{
    if (is_float) {
        return down ? merge_sort(ctx, pairs, work, n, float_down)
                    : merge_sort(ctx, pairs, work, n, float_up);
    }
    return down ? merge_sort(ctx, pairs, work, n, int_down)
                : merge_sort(ctx, pairs, work, n, int_up);
}

// What a sort gives: the sorted row, the places, or both; at most `kept`.
typedef struct SortResult {
    Tensor *values, *places; // NULL: not wanted
    int64_t kept;
} SortResult;

// Writes the first `kept` pairs along a strided row. False after Ctrl-C.
// `start` and `step` count elements of the result.
static bool put_row(Ctx *ctx, const SortResult *to, const Pair *pairs,
                    bool is_float, int64_t start, int64_t step)
{
    for (int64_t i = 0; i < to->kept; i++) {
        int64_t at = start + i * step;
        if (to->places != NULL) {
            ((int64_t *)to->places->data)[at] = pairs[i].place;
        }
        if (to->values != NULL && is_float) {
            tensor_set_float(to->values, at, pairs[i].number);
        } else if (to->values != NULL) {
            tensor_set_int(to->values, at, pairs[i].integer);
        }
        if (!ctx_poll_at(ctx, (size_t)i + 1)) {
            return false;
        }
    }
    return true;
}

// Reads one strided row into pairs, sorts and writes it. False after Ctrl-C.
// `room` holds 2 * n pairs.
static bool sort_row(Ctx *ctx, const Tensor *in, int64_t start, int64_t step,
                     int64_t n, bool down, Pair *room, const SortResult *to,
                     int64_t out_start)
{
    bool is_float = dtype_is_float((DType)in->dtype);
    for (int64_t i = 0; i < n; i++) {
        room[i].place = i;
        if (is_float) {
            room[i].number = tensor_float_at(in, start + i * step);
        } else {
            room[i].integer = tensor_int_at(in, start + i * step);
        }
        if (!ctx_poll_at(ctx, (size_t)i + 1)) {
            return false;
        }
    }
    const Pair *sorted = sort_pairs(ctx, room, room + n, n, is_float, down);
    return sorted != NULL &&
           put_row(ctx, to, sorted, is_float, out_start, step) && ctx_poll(ctx);
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
    // One row's pairs and as many to merge into, for all rows.
    size_t size = 2 * (size_t)n * sizeof(Pair);
    Pair *room = ctx_alloc(call->ctx, size);
    bool ok = room != NULL;
    for (int64_t i = 0; ok && i < in->count / n; i++) {
        // Row i starts at place `within` of a block of n * inner elements.
        int64_t block = i / inner, within = i % inner;
        ok = sort_row(call->ctx, in, block * n * inner + within, inner, n, down,
                      room, &to, block * to.kept * inner + within);
    }
    if (room != NULL) {
        ctx_free(call->ctx, room, size);
    }
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
    AttrValue attr = {.kind = ATTR_INT, .integer = axis};
    EmitValue inputs[2] = {grad_numbers(e, x), order};
    EmitValue places = inputs[0] == NULL || order == NULL
                           ? NULL
                           : e->op(e, OP_TAKE_ALONG_AXIS, inputs, 2, &attr);
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

// A whole sort, of which the first k are kept: simple, and stable.
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
