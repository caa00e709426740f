// Picking by index tensors: take (TensorFlow's gather), pick (NumPy's x[i, j]
// with int tensors), take_along_axis, one_hot.
#include <inttypes.h>
#include <string.h>

#include "base/bulk.h"
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/strings.h"
#include "ops/tensor_move.h"

// What is picked: x as [outer, slices, inner], the result as [outer, picks,
// inner].
typedef struct Picked {
    const KernelCall *call;
    int64_t outer, slices, inner, picks;
} Picked;
enum { PICKED_MOST = 512 }; // slices that are copied at a time

// Picks `first` … of the result, which are these slices of x. All that lies
// behind the axis moves in one copy.
static bool pick_slices(const Picked *p, int64_t first, const int64_t *slices,
                        int64_t count)
{
    // Slices of no elements need no copy, but their indices were checked.
    RowPicks picks = {.rows = slices,
                      .count = count,
                      .width = p->inner,
                      .blocks = p->inner > 0 ? p->outer : 0,
                      .out_block = p->picks * p->inner,
                      .in_block = p->slices * p->inner};
    return tensor_pick_rows(p->call->ctx, p->call->outputs[0], first * p->inner,
                            p->call->inputs[0], &picks);
}

// ---- take

// x.shape[:axis] + indices.shape + x.shape[axis + 1:], NumPy's rule.
// False: raised. The dtype is x's whatever happens.
static bool infer_take(InferCall *call)
{
    TensorType x = call->inputs[0], indices = call->inputs[1];
    Shape *out = &call->out_shapes[0];
    int axis;
    call->out_dtypes[0] = x.dtype;
    out->rank = RANK_UNKNOWN;
    if (!infer_needs_integer(call, 1) || !infer_needs_rank(call, 0, 1)) {
        return false;
    }
    // Then the result's rank is unknown, too.
    if (x.rank == RANK_UNKNOWN || indices.rank == RANK_UNKNOWN) {
        return true;
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x.rank, 0,
                    &axis)) {
        return false;
    }
    // The axis is replaced by all axes of the indices.
    if (x.rank - 1 + indices.rank > SHAPE_MAX_RANK) {
        return infer_shape_error2(call, "rank too high: %s by %s", x, indices);
    }
    out->rank = 0;
    for (int i = 0; i < x.rank; i++) {
        if (i != axis) {
            out->dims[out->rank++] = x.dims[i];
            continue;
        }
        for (int k = 0; k < indices.rank; k++) {
            out->dims[out->rank++] = indices.dims[k];
        }
    }
    return true;
}

// "indices[0] = 1 is not in [0, 1)", with all the indices' coordinates.
// TensorFlow's text. The count `at` runs over all indices, so it is taken
// apart into coordinates, the last axis fastest.
// False, always.
static bool take_error(Ctx *ctx, const Tensor *indices, int64_t at,
                       int64_t size)
{
    StrBuf text;
    int64_t coordinates[SHAPE_MAX_RANK], rest = at;
    strbuf_init(&text, ctx);
    for (int i = indices->rank - 1; i >= 0; i--) {
        coordinates[i] = rest % tensor_dims(indices)[i];
        rest /= tensor_dims(indices)[i];
    }
    strbuf_puts(&text, "indices");
    for (int i = 0; i < indices->rank; i++) {
        strbuf_printf(&text, "%s%" PRId64, i == 0 ? "[" : ",", coordinates[i]);
    }
    strbuf_puts(&text, indices->rank > 0 ? "]" : "");
    strbuf_printf(&text, " = %" PRId64 " is not in [0, %" PRId64 ")",
                  tensor_int_at(indices, at), size);
    if (strbuf_ok(&text)) {
        ctx_fail(ctx, ERR_OP_INDEX, "%s", strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

// Below 0 is refused, as TensorFlow does, where x[i] counts from the end.
// The check stands in the loop: an output that is half filled is dropped.
static bool kernel_take(const KernelCall *call)
{
    const Tensor *x = call->inputs[0], *indices = call->inputs[1];
    const int64_t *dims = tensor_dims(x);
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x->rank, 0,
                    &axis)) {
        return false;
    }
    Picked picked = {call, 1, dims[axis], 1, indices->count};
    for (int i = 0; i < x->rank; i++) {
        picked.outer *= i < axis ? dims[i] : 1;
        picked.inner *= i > axis ? dims[i] : 1;
    }
    int64_t slices[PICKED_MOST];
    for (int64_t first = 0; first < indices->count; first += PICKED_MOST) {
        int64_t left = indices->count - first;
        int64_t count = left < PICKED_MOST ? left : PICKED_MOST;
        tensor_read_ints(indices, first, count, slices);
        for (int64_t k = 0; k < count; k++) {
            if (slices[k] < 0 || slices[k] >= picked.slices) {
                return take_error(call->ctx, indices, first + k, picked.slices);
            }
        }
        if (!pick_slices(&picked, first, slices, count)) {
            return false;
        }
    }
    return true;
}

// Whole slices of the first axis, as of an embedding, stay what they are.
static bool grad_take(GradCall *call)
{
    Emit *e = call->emit;
    int64_t axis = attr_int(&call->attrs[0], 0), all = -1;
    TensorType x = emit_type(e, call->inputs[0]);
    if (axis != 0 && axis != -x.rank) {
        return grad_places(call);
    }
    if (!grad_asked(call, 0)) {
        return true;
    }
    EmitValue rows = call->inputs[1], g = call->output_grads[0];
    if (emit_type(e, rows).rank == 1) {
        return grad_give_rows(call, 0, rows, g);
    }
    Shape flat = {.rank = x.rank};
    bool told = x.rank > 0; // the sizes tell how many rows there are
    for (int i = 0; i < x.rank; i++) {
        flat.dims[i] = i == 0 ? -1 : x.dims[i];
        told = told && (i == 0 || x.dims[i] > 0);
    }
    EmitValue places = emit_reshape(e, rows, 1, &all);
    if (told) {
        return grad_give_rows(call, 0, places,
                              emit_reshape(e, g, flat.rank, flat.dims));
    }
    // Sizes that are not known, or 0, are those of what was taken.
    EmitValue inputs[2] = {call->inputs[0], places};
    EmitValue taken =
        places == NULL ? NULL : e->op(e, OP_TAKE, inputs, 2, call->attrs);
    return grad_give_rows(call, 0, places, grad_reshape_like(e, g, taken));
}

// NumPy flattens without an axis; here, as in TensorFlow, it is 0.
static const AttrDesc take_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
};
// OP_MAY_FAIL: whether an index is in range shows when it runs.
const OpDesc op_take = {
    .name = "take",
    .params = "x, indices, /",
    .doc = "The slices of x along `axis` that the int tensor `indices`\n"
           "names. OpIndexError if one is not in [0, size).",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_MAY_FAIL,
    .attrs = take_attrs,
    .attr_count = 1,
    .infer = infer_take,
    .kernel = kernel_take,
    .gradient = grad_take,
    .graphdef = "GatherV2",
};

// ---- pick: x[i, j, …] with int tensors, at consecutive axes

// The shape that all index operands broadcast to.
// Starts from the first one, so that a single index keeps its shape.
// False: raised. The index operands stand behind x, at 1 and above.
static bool broadcast_indices(InferCall *call, Shape *out)
{
    shape_set(out, call->inputs[1].rank, call->inputs[1].dims);
    for (uint32_t i = 2; i < call->input_count; i++) {
        Shape so_far;
        shape_set(&so_far, out->rank, out->dims);
        // The dtype is only there to make a type; shapes are what counts.
        TensorType left = {DT_INT64, so_far.rank, so_far.dims};
        if (!shape_broadcast(call->ctx, call->op->name, left, call->inputs[i],
                             out)) {
            return false;
        }
    }
    return true;
}

// NumPy's rule for neighbouring index tensors: their broadcast shape takes the
// place of the axes that they pick from.
// The axes in front of `axis` and behind the last picked one stay as they are.
static bool infer_pick(InferCall *call)
{
    TensorType x = call->inputs[0];
    Shape *out = &call->out_shapes[0], indices;
    int64_t axis = attr_int(&call->attrs[0], 0);
    // One index tensor for each of the axes from `axis` on.
    int axes = (int)call->input_count - 1;
    call->out_dtypes[0] = x.dtype;
    out->rank = RANK_UNKNOWN;
    for (uint32_t i = 1; i < call->input_count; i++) {
        if (!infer_needs_integer(call, i)) {
            return false;
        }
    }
    // Unknown ranks end here too, without an error.
    if (!broadcast_indices(call, &indices) || x.rank == RANK_UNKNOWN ||
        indices.rank == RANK_UNKNOWN) {
        return !ctx_failed(call->ctx);
    }
    if (axis < 0 || axis > x.rank - axes) {
        return ctx_fail(call->ctx, ERR_OP_INDEX,
                        "too many indices: %lld for a tensor of rank %d",
                        (long long)infer_plus(axis, axes), x.rank);
    }
    if (x.rank - axes + indices.rank > SHAPE_MAX_RANK) {
        return infer_shape_error(call, "rank too high for an index of %s", x);
    }
    // The axes that are indexed make way for those of the indices, at their
    // place.
    out->rank = 0;
    for (int i = 0; i < x.rank; i++) {
        for (int k = 0; i == axis && k < indices.rank; k++) {
            out->dims[out->rank++] = indices.dims[k];
        }
        if (i < axis || i >= axis + axes) {
            out->dims[out->rank++] = x.dims[i];
        }
    }
    return true;
}

// Elements `first` … of the index operand of one axis, as the broadcast shape
// numbers them.
static void read_index(const Tensor *own, TensorType shape, int64_t picks,
                       int64_t first, int64_t count, int64_t *to)
{
    if (own->count == picks) { // it is not repeated
        tensor_read_ints(own, first, count, to);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        to[i] = tensor_int_at(
            own, strings_index(tensor_type(own), shape, first + i));
    }
}

// Where elements `first` … of the broadcast indices point, counted in the
// slices that the picked axes number. False: raised.
// Below 0 counts from the end, as in NumPy and unlike `take`.
static bool picked_slices(const KernelCall *call, TensorType shape,
                          int64_t picks, int axis, int64_t first, int64_t count,
                          int64_t *slices)
{
    const int64_t *dims = tensor_dims(call->inputs[0]);
    int64_t indices[PICKED_MOST];
    memset(slices, 0, (size_t)count * sizeof *slices);
    for (uint32_t k = 1; k < call->input_count; k++) {
        int64_t size = dims[axis + (int)k - 1];
        read_index(call->inputs[k], shape, picks, first, count, indices);
        for (int64_t i = 0; i < count; i++) {
            int64_t index = indices[i];
            if (index < -size || index >= size) {
                return ctx_fail(call->ctx, ERR_OP_INDEX,
                                "index %" PRId64 " is out of range for axis %d "
                                "of size %" PRId64,
                                index, axis + (int)k - 1, size);
            }
            // Row-major number of the place among the picked axes.
            slices[i] = slices[i] * size + index + (index < 0 ? size : 0);
        }
    }
    return true;
}

// The picked axes are looked upon as one, of `slices` places, so that it works
// like take with an index that was computed.
static bool kernel_pick(const KernelCall *call)
{
    const Tensor *x = call->inputs[0], *out = call->outputs[0];
    const int64_t *dims = tensor_dims(x);
    int axis = (int)attr_int(&call->attrs[0], 0);
    int last = axis + (int)call->input_count - 1;
    Picked picked = {call, 1, 1, 1, 1};
    for (int i = 0; i < x->rank; i++) {
        picked.outer *= i < axis ? dims[i] : 1;
        picked.inner *= i >= last ? dims[i] : 1;
        picked.slices *= i >= axis && i < last ? dims[i] : 1;
    }
    // The indices' shape stands in the output's, behind the outer axes.
    // What is left of the output's axes without those of x.
    int rank = out->rank - axis - (x->rank - last);
    TensorType shape = {DT_INT64, rank, tensor_dims(out) + axis};
    for (int i = 0; i < rank; i++) {
        picked.picks *= shape.dims[i];
    }
    int64_t slices[PICKED_MOST];
    for (int64_t first = 0; first < picked.picks; first += PICKED_MOST) {
        int64_t left = picked.picks - first;
        int64_t count = left < PICKED_MOST ? left : PICKED_MOST;
        if (!picked_slices(call, shape, picked.picks, axis, first, count,
                           slices) ||
            !pick_slices(&picked, first, slices, count)) {
            return false;
        }
    }
    return true;
}

// The first of the picked axes; those before stay outside.
static const AttrDesc pick_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
};
// Internal: x[…] at the prompt chooses between this op and `index`.
const OpDesc op_pick = {
    .name = "pick",
    .params = "x, *indices, /",
    .doc = "x[i, j, …] with int tensors, which broadcast, for the axes\n"
           "from `axis` on. An index below 0 counts from the end;\n"
           "OpIndexError out of range.",
    .min_inputs = 2,
    .max_inputs = SHAPE_MAX_RANK + 1,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_MAY_FAIL,
    .attrs = pick_attrs,
    .attr_count = 1,
    .infer = infer_pick,
    .kernel = kernel_pick,
    .gradient = grad_places,
};

// ---- take_along_axis

// The result has the shape of `indices`: equal to x's beside the axis.
// No broadcasting between x and indices, unlike NumPy: sizes beside the axis
// must be equal.
static bool infer_take_along(InferCall *call)
{
    TensorType x = call->inputs[0], indices = call->inputs[1];
    int axis;
    if (!infer_needs_integer(call, 1) || !infer_needs_rank(call, 0, 1)) {
        return false;
    }
    call->out_dtypes[0] = x.dtype;
    // Holds for unknown ranks too.
    shape_set(&call->out_shapes[0], indices.rank, indices.dims);
    if (x.rank == RANK_UNKNOWN || indices.rank == RANK_UNKNOWN) {
        return true;
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x.rank,
                    x.rank - 1, &axis)) {
        return false;
    }
    // The axis itself may have any size in `indices`.
    bool fits = x.rank == indices.rank;
    for (int i = 0; fits && i < x.rank; i++) {
        int64_t a = x.dims[i], b = indices.dims[i];
        fits = i == axis || a == b || a == DIM_UNKNOWN || b == DIM_UNKNOWN;
    }
    return fits ||
           infer_shape_error2(call,
                              "indices of shape %s do not fit a tensor of "
                              "shape %s beside the axis",
                              indices, x);
}

// Where the walk through `indices`, in row-major order, stands in x.
typedef struct AlongWalk {
    int64_t size, wanted; // along the axis, of x and of indices
    int64_t inner;        // elements between two neighbours along it
    int64_t block;        // x's first element of this place before the axis
    int64_t along, within;
} AlongWalk;

static bool along_error(Ctx *ctx, bool strict, int64_t index, int axis,
                        int64_t size)
{
    return strict ? ctx_fail(ctx, ERR_OP_INDEX,
                             "cross_entropy: label %" PRId64 " is not in "
                             "[0, %" PRId64 "), the classes that have a "
                             "prediction",
                             index, size)
                  : ctx_fail(ctx, ERR_OP_INDEX,
                             "take_along_axis: index %" PRId64 " is out of "
                             "range for axis %d of size %" PRId64,
                             index, axis, size);
}

// Indices become places in x; the walk moves on. The first one that is out of
// range ends it: its number, else `count`. From `least` to 0 they count from
// the end.
static int64_t walk_along(AlongWalk *w, int64_t least, int64_t *places,
                          int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t index = places[k];
        if (index < least || index >= w->size) {
            return k;
        }
        index += index < 0 ? w->size : 0;
        places[k] = w->block + index * w->inner + w->within;
        if (++w->within == w->inner) {
            w->within = 0;
            if (++w->along == w->wanted) {
                w->along = 0;
                w->block += w->size * w->inner;
            }
        }
    }
    return count;
}

static bool kernel_take_along(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *indices = call->inputs[1];
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], x->rank,
                    x->rank - 1, &axis)) {
        return false;
    }
    bool strict = attr_bool(&call->attrs[1], false);
    AlongWalk walk = {.size = tensor_dims(x)[axis],
                      .wanted = tensor_dims(indices)[axis],
                      .inner = 1};
    for (int i = axis + 1; i < x->rank; i++) {
        walk.inner *= tensor_dims(x)[i];
    }
    int64_t places[PICKED_MOST];
    for (int64_t first = 0; first < indices->count; first += PICKED_MOST) {
        int64_t left = indices->count - first;
        int64_t count = left < PICKED_MOST ? left : PICKED_MOST;
        tensor_read_ints(indices, first, count, places);
        int64_t walked =
            walk_along(&walk, strict ? 0 : -walk.size, places, count);
        if (walked < count) {
            return along_error(call->ctx, strict, places[walked], axis,
                               walk.size);
        }
        RowPicks picks = {places, count, 1, 1, 0, 0};
        if (!tensor_pick_rows(call->ctx, call->outputs[0], first, x, &picks)) {
            return false;
        }
    }
    return true;
}

// The array API's default: the last axis.
static const AttrDesc take_along_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "-1"},
    {"strict", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
};
const OpDesc op_take_along_axis = {
    .name = "take_along_axis",
    .params = "x, indices, /",
    .doc = "For each row along the axis the elements that the row of int\n"
           "`indices` names; below 0 from the end, but not with `strict`.\n"
           "OpIndexError out of range.",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_MAY_FAIL,
    .attrs = take_along_attrs,
    .attr_count = 2,
    .infer = infer_take_along,
    .kernel = kernel_take_along,
    .gradient = grad_places,
};

// ---- one_hot

// The new axis goes last. Out of range is no error (doc), so that the shape is
// all there is to check.
// Any integer dtype will do for the indices.
static bool infer_one_hot(InferCall *call)
{
    TensorType indices = call->inputs[0];
    int64_t depth;
    Shape *out = &call->out_shapes[0];
    if (!infer_needs_integer(call, 0) ||
        !infer_size(call, &call->attrs[0], ERR_OP_VALUE, "depth", &depth)) {
        return false;
    }
    // float32 by default, as what follows is mostly a product.
    call->out_dtypes[0] = attr_dtype(&call->attrs[1], DT_FLOAT32);
    if (call->out_dtypes[0] == DT_STRING) {
        return infer_dtype_refused(call, DT_STRING);
    }
    shape_set(out, indices.rank, indices.dims);
    if (out->rank == SHAPE_MAX_RANK) {
        return infer_shape_error(call, "rank too high: %s", indices);
    }
    if (out->rank != RANK_UNKNOWN) {
        out->dims[out->rank++] = depth;
    }
    return true;
}

// All zeros first; then one store for each index.
static bool kernel_one_hot(const KernelCall *call)
{
    const Tensor *indices = call->inputs[0];
    Tensor *out = call->outputs[0];
    int64_t depth = tensor_dims(out)[out->rank - 1];
    if (!bulk_fill(call->ctx, out->data, 0,
                   (size_t)out->count * dtype_size((DType)out->dtype))) {
        return false;
    }
    for (int64_t i = 0; i < indices->count; i++) {
        int64_t index = tensor_int_at(indices, i);
        // One beyond either end leaves its row of zeros, as TensorFlow does.
        if (index >= 0 && index < depth) {
            tensor_set_int(out, i * depth + index, 1);
        }
        if (!ctx_poll_at(call->ctx, (size_t)i)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

static const AttrDesc one_hot_attrs[] = {
    {"depth", ATTR_INT, ATTR_HOST_OR_TENSOR, NULL},
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, "float32"},
};
// Unlike `take` it never fails: classes out of range, such as padding with -1,
// become zeros.
const OpDesc op_one_hot = {
    .name = "one_hot",
    .params = "indices, /",
    .doc = "Rows of `depth` zeros with a one at each index; an index out of\n"
           "range gives zeros alone.",
    .min_inputs = 1,
    .max_inputs = 2,
    .apart = 1 << 0 | 1 << 1,
    .output_count = 1,
    .flags = OP_HALVES,
    .attrs = one_hot_attrs,
    .attr_count = 2,
    .infer = infer_one_hot,
    .kernel = kernel_one_hot,
};
