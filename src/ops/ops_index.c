// Basic indexing: ints, slices with steps, new axes and an ellipsis in one op.
//
// The attribute `spec` holds five ints for each item of the index:
//     kind, start, stop, step, inputs
// kind: 0 an int (start), 1 a slice (None as ATTR_INT_NONE), 2 a new axis, 3
// an ellipsis. `inputs` has bit 0, 1, 2 set where start, stop, step is not the
// number given there but an int tensor: the next operand of the op, in order.
#include <inttypes.h>
#include <string.h>

#include "ops/grad.h"
#include "ops/index.h"
#include "ops/infer.h"
#include "ops/tensor_move.h"

enum { ITEM_INT, ITEM_SLICE, ITEM_NEW_AXIS, ITEM_ELLIPSIS };
enum { SPEC_KIND, SPEC_START, SPEC_STEP = 3, SPEC_INPUTS, SPEC_SIZE };

// One item with its operands' values put in. unknown: an operand's value is
// not known yet (in a trace).
typedef struct IndexItem {
    int64_t kind, bounds[3];
    bool unknown;
} IndexItem;

// Reads items in turn; `next` is the operand that comes next.
typedef struct IndexReader {
    Ctx *ctx;
    const AttrValue *spec;
    Tensor *const *values; // operands, NULL entries: unknown
    uint32_t next;
} IndexReader;

// Operands follow each other in the order of the spec's bits, so items must be
// read once each and in turn.
static IndexItem read_item(IndexReader *reader, uint32_t number)
{
    const int64_t *at = reader->spec->ints + number * SPEC_SIZE;
    IndexItem item = {.kind = at[SPEC_KIND]};
    for (int i = 0; i < 3; i++) {
        item.bounds[i] = at[SPEC_START + i];
        if (at[SPEC_INPUTS] >> i & 1) {
            Tensor *value =
                reader->values != NULL ? reader->values[reader->next] : NULL;
            item.unknown |= value == NULL;
            item.bounds[i] = value != NULL ? tensor_int_at(value, 0) : 0;
            // The lowest int does not mean that none was given.
            item.bounds[i] +=
                item.kind == ITEM_SLICE && item.bounds[i] == ATTR_INT_NONE;
            reader->next++;
        }
    }
    return item;
}

// The index as it was written, negative or not.
static bool index_error(Ctx *ctx, int64_t index, int axis, int64_t size)
{
    return ctx_fail(ctx, ERR_OP_INDEX,
                    "index %" PRId64 " is out of range for axis %d of size "
                    "%" PRId64,
                    index, axis, size);
}

// Python's rule for a slice of `size` elements: first element and how many.
static void slice_bounds(const IndexItem *item, int64_t size, int64_t *first,
                         int64_t *count)
{
    int64_t step = item->bounds[2] == ATTR_INT_NONE ? 1 : item->bounds[2];
    // Bounds are clipped, never refused.
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;
    int64_t ends[2];
    for (int i = 0; i < 2; i++) {
        int64_t end = item->bounds[i];
        if (end == ATTR_INT_NONE) {
            end = (i == 0) == (step > 0) ? low : high;
        } else {
            end += end < 0 ? size : 0;
            end = end < low ? low : end > high ? high : end;
        }
        ends[i] = end;
    }
    // Elements from first to stop, without it, in the direction of the step.
    int64_t span = step > 0 ? ends[1] - ends[0] : ends[0] - ends[1];
    int64_t stride = step > 0 ? step : -step;
    *first = ends[0];
    *count = span > 0 ? (span - 1) / stride + 1 : 0;
}

// What an index picks: shape, and where in the input. `offset` and `strides`
// mean something only when all is known.
typedef struct Pick {
    Shape shape;
    int64_t offset;
    int64_t strides[SHAPE_MAX_RANK];
} Pick;

// New axes can make the rank larger than the input's.
static bool push_dim(Ctx *ctx, Pick *pick, int64_t size, int64_t stride)
{
    if (pick->shape.rank == SHAPE_MAX_RANK) {
        return ctx_fail(ctx, ERR_SHAPE, "index: more than %d dimensions",
                        SHAPE_MAX_RANK);
    }
    pick->strides[pick->shape.rank] = stride;
    pick->shape.dims[pick->shape.rank++] = size;
    return true;
}

// An int takes the axis away; a slice keeps it. What is not known in a trace
// is checked when the kernel runs.
static bool pick_axis(Ctx *ctx, Pick *pick, const IndexItem *item, int axis,
                      int64_t size, int64_t stride)
{
    int64_t first, count;
    if (item->kind == ITEM_INT) {
        int64_t index = item->bounds[0];
        if (item->unknown || size == DIM_UNKNOWN) {
            return true;
        }
        if (index < -size || index >= size) {
            return index_error(ctx, index, axis, size);
        }
        pick->offset += (index + (index < 0 ? size : 0)) * stride;
        return true;
    }
    if (!item->unknown && item->bounds[2] == 0) {
        return ctx_fail(ctx, ERR_OP_VALUE, "slice step cannot be zero");
    }
    if (item->unknown || size == DIM_UNKNOWN) {
        // The stride is for is_dense alone, and no kernel runs on unknown
        // sizes.
        bool whole = !item->unknown && item->bounds[0] == ATTR_INT_NONE &&
                     item->bounds[1] == ATTR_INT_NONE;
        return push_dim(ctx, pick, DIM_UNKNOWN, whole ? stride : 0);
    }
    slice_bounds(item, size, &first, &count);
    int64_t step = item->bounds[2] == ATTR_INT_NONE ? 1 : item->bounds[2];
    // An empty slice may start behind the end; no pointer is made of that.
    pick->offset += count > 0 ? first * stride : 0;
    // One element takes no step, however long.
    return push_dim(ctx, pick, count, count > 1 ? stride * step : stride);
}

// Axes that the items use up; -1 with an error for a second ellipsis.
static int axes_used(Ctx *ctx, const AttrValue *spec, int *ellipses)
{
    int used = 0;
    *ellipses = 0;
    for (uint32_t i = 0; i < spec->count / SPEC_SIZE; i++) {
        int64_t kind = spec->ints[i * SPEC_SIZE];
        used += kind == ITEM_INT || kind == ITEM_SLICE;
        *ellipses += kind == ITEM_ELLIPSIS;
    }
    if (*ellipses > 1) {
        ctx_fail(ctx, ERR_OP_INDEX,
                 "an index can only have a single ellipsis ('...')");
        return -1;
    }
    return used;
}

// Rule and kernel share this walk, so that they cannot disagree.
static bool pick_all(IndexReader *reader, TensorType type, Pick *pick)
{
    int64_t strides[SHAPE_MAX_RANK];
    int axis = 0, ellipses,
        used = axes_used(reader->ctx, reader->spec, &ellipses);
    if (used < 0) {
        return false;
    }
    if (used > type.rank) {
        return ctx_fail(reader->ctx, ERR_OP_INDEX,
                        "too many indices: %d for a tensor of rank %d", used,
                        type.rank);
    }
    // Unknown sizes give strides without meaning; only a trace has such sizes,
    // and it looks at the shape alone.
    tensor_dense_strides(type.rank, type.dims, strides);
    pick->shape.rank = 0;
    pick->offset = 0;
    // One turn more than there are items, for the axes that are left.
    uint32_t items = reader->spec->count / SPEC_SIZE;
    for (uint32_t i = 0; i <= items; i++) {
        IndexItem item = {.kind = ITEM_ELLIPSIS};
        if (i < items) {
            item = read_item(reader, i);
        }
        bool ok = true;
        if (item.kind == ITEM_NEW_AXIS) {
            ok = push_dim(reader->ctx, pick, 1, 0);
        } else if (item.kind == ITEM_ELLIPSIS) {
            // The end of the index is an ellipsis if there was none.
            int rest = i < items || ellipses == 0 ? type.rank - used : 0;
            for (int k = 0; ok && k < rest; k++, axis++) {
                ok =
                    push_dim(reader->ctx, pick, type.dims[axis], strides[axis]);
            }
        } else {
            ok = pick_axis(reader->ctx, pick, &item, axis, type.dims[axis],
                           strides[axis]);
            axis++;
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

// The operands from `first` on are bounds. Index tensors of one element may
// have any rank in NumPy; here they must be scalars, so that the result's rank
// is plain.
static bool bounds_fit(const InferCall *call, uint32_t first)
{
    for (uint32_t i = first; i < call->input_count; i++) {
        if (!infer_needs_integer(call, i)) {
            return false;
        }
        if (call->inputs[i].rank > 0) {
            return infer_shape_error(
                call, "an index tensor must be one element, not %s",
                call->inputs[i]);
        }
    }
    return true;
}

// Whole items of kinds that there are, and a bound for each operand from
// `first` on. What reads the spec behind this relies on it, and a graph's text
// may have any.
static bool spec_fits(const InferCall *call, uint32_t first)
{
    const AttrValue *spec = &call->attrs[0];
    uint32_t bounds = first;
    bool fits = spec->count % SPEC_SIZE == 0;
    for (uint32_t i = 0; fits && i < spec->count; i += SPEC_SIZE) {
        int64_t kind = spec->ints[i], bits = spec->ints[i + SPEC_INPUTS];
        fits =
            kind >= ITEM_INT && kind <= ITEM_ELLIPSIS && bits >= 0 && bits < 8;
        bounds += fits ? (uint32_t)__builtin_popcount((unsigned)bits) : 0;
    }
    return (fits && bounds == call->input_count) ||
           ctx_fail(call->ctx, ERR_OP_INDEX, "%s: the spec does not fit",
                    call->op->name);
}

static bool infer_index(InferCall *call)
{
    TensorType type = call->inputs[0];
    Pick pick;
    if (!spec_fits(call, 1) || !bounds_fit(call, 1)) {
        return false;
    }
    call->out_dtypes[0] = type.dtype;
    call->out_shapes[0].rank = RANK_UNKNOWN;
    if (type.rank == RANK_UNKNOWN) {
        return true;
    }
    // 1: the operands behind x.
    IndexReader reader = {call->ctx, &call->attrs[0], call->values, 1};
    if (!pick_all(&reader, type, &pick)) {
        return false;
    }
    shape_set(&call->out_shapes[0], pick.shape.rank, pick.shape.dims);
    return true;
}

// True if what is picked stands in one dense run.
static bool is_dense(const Pick *pick)
{
    int64_t step = 1;
    for (int i = pick->shape.rank - 1; i >= 0; i--) {
        // A size of 1 takes no step, so its stride does not matter.
        if (pick->shape.dims[i] != 1 && pick->strides[i] != step) {
            return false;
        }
        step *= pick->shape.dims[i];
    }
    return true;
}

// x[i] and nothing else, as loops over rows have it. False: it is not that, or
// out of range; else there is an output, or an error.
static bool pick_row(const KernelCall *call)
{
    Tensor *in = call->inputs[0];
    const AttrValue *spec = &call->attrs[0];
    if (spec->count != SPEC_SIZE || spec->ints[SPEC_KIND] != ITEM_INT ||
        in->rank < 1) {
        return false;
    }
    const int64_t *dims = tensor_dims(in);
    int64_t index = call->input_count > 1 ? tensor_int_at(call->inputs[1], 0)
                                          : spec->ints[SPEC_START];
    index += index < 0 ? dims[0] : 0;
    if (index < 0 || index >= dims[0]) {
        return false;
    }
    call->outputs[0] = tensor_window(
        call->ctx, in, index * (in->count / dims[0]), in->rank - 1, dims + 1);
    return true;
}

// x[i] and x[a:b] of leading axes share the buffer; all else is a copy, since
// tensors have no strides.
static bool kernel_index(const KernelCall *call)
{
    Tensor *in = call->inputs[0];
    Pick pick;
    if (LIKELY(pick_row(call))) {
        return call->outputs[0] != NULL;
    }
    IndexReader reader = {call->ctx, &call->attrs[0], call->inputs, 1};
    if (!pick_all(&reader, tensor_type(in), &pick)) {
        return false;
    }
    int rank = pick.shape.rank;
    if (is_dense(&pick)) {
        call->outputs[0] =
            tensor_window(call->ctx, in, pick.offset, rank, pick.shape.dims);
        return call->outputs[0] != NULL;
    }
    Tensor *out =
        tensor_new(call->ctx, (DType)in->dtype, rank, pick.shape.dims);
    call->outputs[0] = out;
    return out != NULL &&
           tensor_gather(call->ctx, out, in, pick.offset, pick.strides);
}

// Bounds that are operands, of which there are so many, are not put in.
static bool view_of(Ctx *ctx, const AttrValue *spec, TensorType in,
                    uint32_t operands, OpView *view)
{
    Pick pick;
    IndexReader reader = {ctx, spec, NULL, 0};
    if (!pick_all(&reader, in, &pick) || reader.next != operands) {
        return false;
    }
    view->start = pick.offset;
    memcpy(view->steps, pick.strides,
           (size_t)pick.shape.rank * sizeof pick.strides[0]);
    return true;
}

static bool view_index(Ctx *ctx, const OpDesc *op, const AttrValue *attrs,
                       TensorType in, TensorType out, OpView *view)
{
    (void)op, (void)out;
    return view_of(ctx, &attrs[0], in, 0, view);
}

bool index_view_by(Ctx *ctx, const AttrValue *spec, TensorType x, OpView *view,
                   int64_t *apart)
{
    *apart = 1;
    for (int i = 1; i < x.rank; i++) {
        *apart *= x.dims[i];
    }
    return spec->count > 0 && spec->ints[SPEC_KIND] == ITEM_INT &&
           spec->ints[SPEC_INPUTS] == 1 && view_of(ctx, spec, x, 1, view);
}

// ---- the gradient of an index: zeros but where it picked

static bool infer_unindex(InferCall *call)
{
    if (!spec_fits(call, 2) || !bounds_fit(call, 2)) {
        return false;
    }
    if (call->inputs[0].dtype == DT_STRING) {
        return infer_dtype_refused(call, DT_STRING); // elements are moved
    }
    TensorType like = call->inputs[1];
    return infer_output(call, 0, call->inputs[0].dtype, like.rank, like.dims);
}

// An index picks no element twice, so that nothing has to be added.
static bool kernel_unindex(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *out = call->outputs[0];
    int64_t at[SHAPE_MAX_RANK] = {0}, place;
    size_t size = dtype_size((DType)x->dtype);
    Pick pick;
    IndexReader reader = {call->ctx, &call->attrs[0], call->inputs, 2};
    if (!pick_all(&reader, tensor_type(out), &pick)) {
        return false;
    }
    memset(out->data, 0, (size_t)out->count * size);
    if (!shape_equal(pick.shape.rank, pick.shape.dims, x->rank,
                     tensor_dims(x))) {
        return ctx_fail(call->ctx, ERR_SHAPE,
                        "unindex: the shape is not the index's");
    }
    // Axes from `inner` on stand in one run in both.
    int inner = x->rank;
    int64_t run = 1;
    while (inner > 0 && (pick.strides[inner - 1] == run ||
                         pick.shape.dims[inner - 1] == 1)) {
        run *= pick.shape.dims[--inner];
    }
    place = pick.offset;
    for (int64_t i = 0; i < x->count; i += run) {
        memcpy((char *)out->data + (size_t)place * size,
               (const char *)x->data + (size_t)i * size, (size_t)run * size);
        // Odometer: the last axis turns fastest.
        for (int axis = inner - 1; axis >= 0; axis--) {
            place += pick.strides[axis];
            if (++at[axis] < pick.shape.dims[axis]) {
                break;
            }
            place -= pick.strides[axis] * at[axis];
            at[axis] = 0;
        }
        if (!ctx_poll(call->ctx)) {
            return false;
        }
    }
    return true;
}

// index and unindex are each other's gradients; the bounds stay.
static EmitValue same_index(GradCall *call, OpCode op, EmitValue g,
                            EmitValue like, uint32_t first)
{
    EmitValue inputs[3 * SHAPE_MAX_RANK + 2];
    uint32_t count = 0;
    if (call->input_count - first > 3 * SHAPE_MAX_RANK) {
        return ctx_fail_null(call->emit->ctx, ERR_OP_INDEX,
                             "index: has too many bounds for a gradient");
    }
    inputs[count++] = g;
    if (like != NULL) {
        inputs[count++] = like;
    }
    for (uint32_t i = first; i < call->input_count; i++) {
        inputs[count++] = call->inputs[i];
    }
    return call->emit->op(call->emit, op, inputs, count, call->attrs);
}

static bool grad_index(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     same_index(call, OP_UNINDEX, call->output_grads[0],
                                call->inputs[0], 1));
}

static bool grad_unindex(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(
               call, 0,
               same_index(call, OP_INDEX, call->output_grads[0], NULL, 2));
}

// Written by the code that takes x[…] apart, never by hand.
static const AttrDesc index_attrs[] = {
    {"spec", ATTR_INTS, ATTR_HOST_ONLY, NULL},
};
const OpDesc op_index = {
    .name = "index",
    .params = "x, *bounds, /",
    .doc = "x[…] with ints, slices, new axes and an ellipsis. `spec` has\n"
           "five ints an item: kind (0 int, 1 slice, 2 new axis, 3\n"
           "ellipsis), start, stop, step, and bits for those that are int\n"
           "tensors, the op's further operands. OpIndexError out of range.",
    .min_inputs = 1,
    .max_inputs = 255,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_VIEW | OP_MAY_FAIL,
    .attrs = index_attrs,
    .attr_count = 1,
    .infer = infer_index,
    .kernel = kernel_index,
    .view = view_index,
    .gradient = grad_index,
    .graphdef = "StridedSlice",
};
const OpDesc op_unindex = {
    .name = "unindex",
    .params = "x, like, *bounds, /",
    .doc =
        "Zeros in the shape of `like`, with x where the index `spec` (as of\n"
        "`index`) picks; no element of `like` is read.",
    .min_inputs = 2,
    .max_inputs = 255,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_INTERNAL | OP_MAY_FAIL,
    .attrs = index_attrs,
    .attr_count = 1,
    .infer = infer_unindex,
    .kernel = kernel_unindex,
    .gradient = grad_unindex,
};
