// Ops whose result depends on the values: boolean_mask, nonzero,
// unique_inverse, searchsorted.
//
// The first three have sizes that only a run knows: a trace sees them as
// unknown, the kernel makes its outputs itself.
#include <math.h>
#include <string.h>

#include "base/map.h"
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_move.h"

// How many of so many bools are true: eight add up in the highest byte of a
// product.
static int64_t count_true(const uint8_t *truths, int64_t count)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    int64_t found = 0, i = 0;
    for (uint64_t eight; i + 8 <= count; i += 8) {
        memcpy(&eight, truths + i, sizeof eight);
        found += (int64_t)(eight * ones >> 56);
    }
    for (; i < count; i++) {
        found += truths[i];
    }
    return found;
}

enum { PLACES_PART = 512 }; // elements that are looked at at a time

// The places of those that are true, counted from `first` on; `places` has room
// for all. How many they are.
static int64_t true_places(const uint8_t *truths, int64_t count, int64_t first,
                           int64_t *places)
{
    int64_t found = 0;
#pragma GCC unroll 8
    for (int64_t i = 0; i < count; i++) {
        places[found] = first + i;
        found += truths[i];
    }
    return found;
}

// ---- boolean_mask

// Two checks of the rule end in the same words.
static bool mask_error(InferCall *call)
{
    return infer_shape_error2(call,
                              "a mask of shape %s does not fit a tensor "
                              "of shape %s",
                              call->inputs[1], call->inputs[0]);
}

// The mask's axes become one whose size only a run knows.
// Named dims that are unknown on either side are taken to be equal; the run
// checks.
static bool infer_boolean_mask(InferCall *call)
{
    TensorType x = call->inputs[0], mask = call->inputs[1];
    Shape *out = &call->out_shapes[0];
    call->out_dtypes[0] = x.dtype;
    out->rank = RANK_UNKNOWN;
    if (!infer_needs_dtype(call, 1, DT_BOOL)) {
        return false;
    }
    if (x.rank == RANK_UNKNOWN || mask.rank == RANK_UNKNOWN) {
        return true;
    }
    if (mask.rank == 0 || mask.rank > x.rank) {
        return mask_error(call);
    }
    for (int i = 0; i < mask.rank; i++) {
        bool open = mask.dims[i] == DIM_UNKNOWN || x.dims[i] == DIM_UNKNOWN;
        if (!open && mask.dims[i] != x.dims[i]) {
            return mask_error(call);
        }
    }
    // How many elements are chosen is known at run time only.
    out->rank = 0;
    out->dims[out->rank++] = DIM_UNKNOWN;
    for (int i = mask.rank; i < x.rank; i++) {
        out->dims[out->rank++] = x.dims[i];
    }
    return true;
}

// Counts first, so that the output is made once.
// False: no memory, or interrupted; the output is then dropped by the caller.
static bool kernel_boolean_mask(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *mask = call->inputs[1];
    int64_t dims[SHAPE_MAX_RANK], inner = 1, at = 0;
    // The mask's axes become one.
    int rank = x->rank - mask->rank + 1;
    dims[0] = count_true(mask->data, mask->count);
    for (int i = 1; i < rank; i++) {
        dims[i] = tensor_dims(x)[mask->rank + i - 1];
        inner *= dims[i];
    }
    Tensor *out = tensor_new(call->ctx, (DType)x->dtype, rank, dims);
    call->outputs[0] = out;
    if (out == NULL) {
        return false;
    }
    int64_t places[PLACES_PART];
    // Slices without elements need no copying.
    for (int64_t i = 0; i < mask->count && inner > 0; i += PLACES_PART) {
        int64_t left = mask->count - i;
        int64_t found =
            true_places((const uint8_t *)mask->data + i,
                        left < PLACES_PART ? left : PLACES_PART, i, places);
        RowPicks picks = {places, found, inner, 1, 0, 0};
        if (!tensor_pick_rows(call->ctx, out, at * inner, x, &picks)) {
            return false;
        }
        at += found;
    }
    return ctx_poll(call->ctx);
}

// OP_DYNAMIC_SHAPE: only the values tell how many elements come out.
const OpDesc op_boolean_mask = {
    .name = "boolean_mask",
    .params = "x, mask, /",
    .doc = "The slices of x where the mask, of the shape of x's first\n"
           "axes, is True.",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_DYNAMIC_SHAPE,
    .infer = infer_boolean_mask,
    .kernel = kernel_boolean_mask,
    .gradient = grad_places,
};

// ---- nonzero

// The number of outputs is the rank, so that the rank must be known in a
// trace. Only OP_MAX_OUTPUTS types are kept; all are alike.
static bool infer_nonzero(InferCall *call)
{
    TensorType x = call->inputs[0];
    int64_t unknown = DIM_UNKNOWN;
    if (x.dtype == DT_STRING) {
        return infer_dtype_refused(call, x.dtype);
    }
    if (x.rank <= 0) {
        return infer_shape_error(call,
                                 "needs a tensor of known rank, at least "
                                 "1, not %s",
                                 x);
    }
    call->output_count = (uint32_t)x.rank;
    // A rank above it only repeats the same type.
    for (int i = 0; i < OP_MAX_OUTPUTS; i++) {
        infer_output(call, i, DT_INT64, 1, &unknown);
    }
    return true;
}

#define TRUTHS_CASE(id, T)                                                     \
    case id:                                                                   \
        for (int64_t i = 0; i < count; i++) {                                  \
            room[i] = ((const T *)x->data)[first + i] != 0;                    \
        }                                                                      \
        break;
// Which of so many elements are not 0, in `room` or, bools, where they stand.
// By value: -0.0 is zero, NaN is not.
static const uint8_t *read_truths(const Tensor *x, int64_t first, int64_t count,
                                  uint8_t *room)
{
    switch ((DType)x->dtype) {
    case DT_BOOL:
        return (const uint8_t *)x->data + first;
        TRUTHS_CASE(DT_INT32, int32_t)
        TRUTHS_CASE(DT_INT64, int64_t)
        TRUTHS_CASE(DT_FLOAT32, float)
        TRUTHS_CASE(DT_FLOAT64, double)
    default:
        for (int64_t i = 0; i < count; i++) {
            room[i] = dtype_is_float((DType)x->dtype)
                          ? tensor_float_at(x, first + i) != 0
                          : tensor_int_at(x, first + i) != 0;
        }
    }
    return room;
}

// The places, taken apart into coordinates, last axis first, stand from `at` on
// in the outputs.
static void put_coordinates(const KernelCall *call, int64_t at, int64_t *places,
                            int64_t count)
{
    const Tensor *x = call->inputs[0];
    for (int k = x->rank - 1; k > 0; k--) {
        int64_t *to = (int64_t *)call->outputs[k]->data + at;
        int64_t size = tensor_dims(x)[k];
        for (int64_t i = 0; i < count; i++) {
            to[i] = places[i] % size;
            places[i] /= size;
        }
    }
    memcpy((int64_t *)call->outputs[0]->data + at, places,
           (size_t)count * sizeof *places);
}

// The outputs are made by the first pass, which counts; on failure op_run
// drops those that exist.
// Row-major order of the elements, as NumPy's.
static bool kernel_nonzero(const KernelCall *call)
{
    Tensor *x = call->inputs[0];
    int64_t found = 0, at = 0, places[PLACES_PART];
    uint8_t room[PLACES_PART];
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < x->count; i += PLACES_PART) {
            int64_t left = x->count - i;
            int64_t count = left < PLACES_PART ? left : PLACES_PART;
            const uint8_t *truths = read_truths(x, i, count, room);
            if (pass == 0) {
                found += count_true(truths, count);
            } else {
                int64_t here = true_places(truths, count, i, places);
                put_coordinates(call, at, places, here);
                at += here;
            }
            if (!ctx_poll(call->ctx)) {
                return false;
            }
        }
        // Counted first, so that each output is made in its true size.
        for (uint32_t k = 0; pass == 0 && k < call->output_count; k++) {
            call->outputs[k] = tensor_new(call->ctx, DT_INT64, 1, &found);
            if (call->outputs[k] == NULL) {
                return false;
            }
        }
    }
    return ctx_poll(call->ctx);
}

// A vector for each axis, as NumPy gives; TensorFlow's `where` has rows.
const OpDesc op_nonzero = {
    .name = "nonzero",
    .params = "x, /",
    .doc = "Where x is not 0: a vector of int64 indices for each axis.",
    .min_inputs = 1,
    .max_inputs = 1,
    .flags = OP_HALVES | OP_DYNAMIC_SHAPE | OP_METHOD,
    .infer = infer_nonzero,
    .kernel = kernel_nonzero,
};

// ---- unique_inverse

// How many there are only the values tell.
static bool infer_unique_inverse(InferCall *call)
{
    TensorType x = call->inputs[0];
    int64_t unknown = DIM_UNKNOWN;
    if (x.rank != 1 && x.rank != RANK_UNKNOWN) {
        return infer_shape_error(call, "needs a vector, not %s", x);
    }
    call->output_count = 2;
    return infer_output(call, 0, x.dtype, 1, &unknown) &&
           infer_output(call, 1, DT_INT64, 1, x.rank == 1 ? x.dims : &unknown);
}

// What equal elements have in common, as bytes: -0.0 is 0.0.
static const char *element_key(const Tensor *x, int64_t index, uint64_t *room,
                               size_t *length)
{
    *length = sizeof *room;
    if (x->dtype == DT_STRING) {
        const TensorString *text = ((TensorString **)x->data)[index];
        *length = text->length;
        return text->bytes;
    }
    if (dtype_is_float((DType)x->dtype)) {
        double value = tensor_float_at(x, index) + 0.0;
        memcpy(room, &value, sizeof value);
    } else {
        *room = (uint64_t)tensor_int_at(x, index);
    }
    return (const char *)room;
}

// places[i]: the number of x's element i among the different ones, of which
// first[k] is where the k-th stands. False: interrupted, no memory.
static bool number_elements(Ctx *ctx, const Tensor *x, int64_t *places,
                            int64_t *first, int64_t *count)
{
    Map seen;
    bool ok = true;
    map_init(&seen, ctx);
    *count = 0;
    for (int64_t i = 0; ok && i < x->count; i++) {
        uint64_t room;
        size_t length;
        const char *key = element_key(x, i, &room, &length);
        uint64_t *known = map_get(&seen, key, length);
        // A NaN is no other's equal.
        if (known != NULL && dtype_is_float((DType)x->dtype) &&
            isnan(tensor_float_at(x, i))) {
            known = NULL;
        }
        if (known != NULL) {
            places[i] = (int64_t)*known;
        } else {
            places[i] = *count;
            first[*count] = i;
            ok = map_put(&seen, key, length, (uint64_t)(*count)++);
        }
        ok = ok && ctx_poll_at(ctx, (size_t)i);
    }
    map_free(&seen);
    return ok;
}

static bool kernel_unique_inverse(const KernelCall *call)
{
    Tensor *x = call->inputs[0];
    int64_t count;
    Tensor *first = tensor_new(call->ctx, DT_INT64, 1, &x->count);
    call->outputs[1] = tensor_new(call->ctx, DT_INT64, 1, &x->count);
    bool ok = first != NULL && call->outputs[1] != NULL &&
              number_elements(call->ctx, x, call->outputs[1]->data, first->data,
                              &count);
    if (ok) {
        call->outputs[0] = tensor_new(call->ctx, (DType)x->dtype, 1, &count);
        ok = call->outputs[0] != NULL;
    }
    for (int64_t i = 0; ok && i < count; i++) {
        ok = tensor_copy(call->ctx, call->outputs[0], i, x,
                         ((const int64_t *)first->data)[i], 1);
    }
    object_release_null(call->ctx, first);
    return ok && ctx_poll(call->ctx);
}

const OpDesc op_unique_inverse = {
    .name = "unique_inverse",
    .params = "x, /",
    .doc = "The different elements of a vector, in the order in which they\n"
           "come first, and for each of x's elements the int64 place of\n"
           "its equal among them. Each NaN is one of its own.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 2,
    .flags = OP_HALVES | OP_DYNAMIC_SHAPE,
    .infer = infer_unique_inverse,
    .kernel = kernel_unique_inverse,
};

// ---- searchsorted

// Whether the vector is sorted is not checked, as in NumPy: that would cost
// more than the search.
// The result has the shape of the values.
static bool infer_searchsorted(InferCall *call)
{
    TensorType sorted = call->inputs[0], values = call->inputs[1];
    const AttrValue *side = &call->attrs[0];
    if (!infer_equal_dtypes(call, 0)) {
        return false;
    }
    if (sorted.dtype == DT_STRING) {
        return infer_dtype_refused(call, sorted.dtype);
    }
    if (sorted.rank != 1 && sorted.rank != RANK_UNKNOWN) {
        return infer_shape_error(call, "needs a sorted vector, not %s", sorted);
    }
    bool known =
        !attr_given(side) || attr_is(side, "left") || attr_is(side, "right");
    return (known || ctx_fail(call->ctx, ERR_OP_VALUE,
                              "searchsorted: side must be 'left' or "
                              "'right'")) &&
           infer_output(call, 0, DT_INT64, values.rank, values.dims);
}

// NaN is the largest of all, as in a sorted tensor.
// Neither side is a string; both have one dtype.
static bool number_less(const Tensor *a, int64_t i, const Tensor *b, int64_t k)
{
    if (dtype_is_float((DType)a->dtype)) {
        double x = tensor_float_at(a, i), y = tensor_float_at(b, k);
        return x < y || (y != y && x == x);
    }
    return tensor_int_at(a, i) < tensor_int_at(b, k);
}

enum { SEARCHES = 16 }; // side by side: each step of one waits for memory

// What lies before `low` goes before the value, what lies from low + left on
// does not. No step has a branch that depends on the elements.
#define SEARCH(before)                                                         \
    for (int64_t left = sorted->count; left > 0; left /= 2) {                  \
        int64_t half = left - left / 2;                                        \
        for (int64_t k = 0; k < count; k++) {                                  \
            int64_t at = low[k] + half - 1;                                    \
            low[k] += half & -(int64_t)(before);                               \
        }                                                                      \
    }
// NaN is the largest here too; ints equal themselves.
#define SEARCH_LESS(a, b) (((a) < (b)) | (((b) != (b)) & ((a) == (a))))
#define SEARCH_CASE(id, T)                                                     \
    case id: {                                                                 \
        const T *s = sorted->data, *v = (const T *)values->data + first;       \
        if (right) {                                                           \
            SEARCH(!SEARCH_LESS(v[k], s[at]))                                  \
        } else {                                                               \
            SEARCH(SEARCH_LESS(s[at], v[k]))                                   \
        }                                                                      \
        return;                                                                \
    }
// Where so many values go; those equal to some of the vector in front of them
// or behind. `low` is 0.
static void search(const Tensor *sorted, const Tensor *values, int64_t first,
                   int64_t count, bool right, int64_t *low)
{
    switch ((DType)sorted->dtype) {
        SEARCH_CASE(DT_INT32, int32_t)
        SEARCH_CASE(DT_INT64, int64_t)
        SEARCH_CASE(DT_FLOAT32, float)
        SEARCH_CASE(DT_FLOAT64, double)
    default: break;
    }
    if (right) {
        SEARCH(!number_less(values, first + k, sorted, at))
    } else {
        SEARCH(number_less(sorted, at, values, first + k))
    }
}

static bool kernel_searchsorted(const KernelCall *call)
{
    const Tensor *sorted = call->inputs[0], *values = call->inputs[1];
    bool right = attr_is(&call->attrs[0], "right");
    for (int64_t i = 0; i < values->count; i += SEARCHES) {
        int64_t left = values->count - i, low[SEARCHES] = {0};
        int64_t count = left < SEARCHES ? left : SEARCHES;
        search(sorted, values, i, count, right, low);
        memcpy((int64_t *)call->outputs[0]->data + i, low,
               (size_t)count * sizeof *low);
        if (!ctx_poll(call->ctx)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

// Which end of a run of equal elements is meant.
static const AttrDesc searchsorted_attrs[] = {
    {"side", ATTR_STR, ATTR_HOST_ONLY, "'left'"},
};
// Of one sorted vector: NumPy's form, without TensorFlow's batches.
const OpDesc op_searchsorted = {
    .name = "searchsorted",
    .params = "x1, x2, /",
    .doc = "The int64 places at which the values x2 would go into the sorted\n"
           "vector x1: before equal ones (side 'left') or behind ('right').",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_HALVES,
    .attrs = searchsorted_attrs,
    .attr_count = 1,
    .infer = infer_searchsorted,
    .kernel = kernel_searchsorted,
};
