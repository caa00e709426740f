// Putting tensors together: concat, stack; and apart: split, unstack.
#include <inttypes.h>

#include "kernels/move.h"
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/shape_cure.h"
#include "ops/tensor_move.h"

// The sizes are resolved in an array on the C stack.
enum { SPLIT_MOST_SIZES = 64 };

// Sizes before and after an axis.
// A tensor seen as [outer, size of the axis, inner]: any axis is then the
// middle one of three.
static void sizes_around(const Tensor *t, int axis, int64_t *outer,
                         int64_t *inner)
{
    *outer = *inner = 1;
    for (int i = 0; i < t->rank; i++) {
        *outer *= i < axis ? tensor_dims(t)[i] : 1;
        *inner *= i > axis ? tensor_dims(t)[i] : 1;
    }
}

// ---- concat

// Adds the shape of `type` to what is known of the result's.
static bool join_shape(InferCall *call, Shape *out, TensorType type, int axis)
{
    // It may add any size along the axis; the kernel checks the rest.
    if (type.rank == RANK_UNKNOWN) {
        out->dims[axis] = DIM_UNKNOWN;
        return true;
    }
    bool fits = type.rank == out->rank;
    for (int i = 0; fits && i < type.rank; i++) {
        int64_t a = out->dims[i], b = type.dims[i];
        if (i == axis) {
            // Along the axis one unknown size makes the sum unknown; beside it
            // a known size settles an unknown one.
            bool open = a == DIM_UNKNOWN || b == DIM_UNKNOWN;
            out->dims[i] = open ? DIM_UNKNOWN : infer_plus(a, b);
        } else {
            fits = a == b || a == DIM_UNKNOWN || b == DIM_UNKNOWN;
            out->dims[i] = a == DIM_UNKNOWN ? b : a;
        }
    }
    if (!fits) {
        StrBuf cure;
        strbuf_init(&cure, call->ctx);
        shape_cure_concat(&cure, call->inputs[0], type, axis);
        infer_shape_cured(call, &cure,
                          "shapes differ beside the axis: %s and %s",
                          call->inputs[0], type);
    }
    return fits;
}

// Starts from the first input's shape and adds one input at a time.
static bool infer_concat(InferCall *call)
{
    Shape *out = &call->out_shapes[0];
    int axis;
    if (!infer_equal_dtypes(call, 0) || !infer_same(call) ||
        !infer_needs_rank(call, 0, 1)) {
        return false;
    }
    // Nothing of the result is known then but its dtype.
    if (out->rank == RANK_UNKNOWN) {
        return true;
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], out->rank, 0,
                    &axis)) {
        return false;
    }
    for (uint32_t i = 1; i < call->input_count; i++) {
        if (!join_shape(call, out, call->inputs[i], axis)) {
            return false;
        }
    }
    return true;
}

// `outer` runs of so many elements, from `at` on and then every `to_row`
// elements of `to`; from `start` on and then every `row` elements of `from`.
static bool copy_runs(Ctx *ctx, Tensor *to, int64_t at, int64_t to_row,
                      const Tensor *from, int64_t start, int64_t row,
                      int64_t run, int64_t outer)
{
    enum { PART = 4096 }; // runs between two polls
    size_t size = dtype_size((DType)to->dtype);
    bool narrow = outer > 1 && tensor_is_narrow(to, run);
    for (int64_t i = 0; narrow && run > 0 && i < outer; i += PART) {
        move_apart_rows((char *)to->data + (size_t)(at + i * to_row) * size,
                        (size_t)to_row * size,
                        (const char *)from->data +
                            (size_t)(start + i * row) * size,
                        (size_t)row * size, (size_t)run * size,
                        outer - i < PART ? outer - i : PART);
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    for (int64_t i = 0; !narrow && i < outer; i++) {
        if (!tensor_copy(ctx, to, at + i * to_row, from, start + i * row,
                         run)) {
            return false;
        }
    }
    return true;
}

// One whole input after another.
static bool append(const KernelCall *call)
{
    int64_t at = 0;
    for (uint32_t k = 0; k < call->input_count; k++) {
        const Tensor *in = call->inputs[k];
        if (!tensor_copy(call->ctx, call->outputs[0], at, in, 0, in->count)) {
            return false;
        }
        at += in->count;
    }
    return true;
}

// Interleaves the inputs' runs of `axis` and what lies behind it, in blocks of
// the result that stay in the cache: a line of it may have parts of each input.
static bool join(const KernelCall *call, int axis)
{
    enum { BLOCK = 1 << 15 }; // bytes
    Tensor *out = call->outputs[0];
    int64_t outer = 1;
    // The runs of one input lie `outer` times in the result.
    for (int i = 0; i < axis; i++) {
        outer *= tensor_dims(out)[i];
    }
    if (outer == 1 || out->count == 0) {
        return append(call);
    }
    int64_t row = out->count / outer;
    int64_t block = BLOCK / (int64_t)dtype_size((DType)out->dtype) / row + 1;
    for (int64_t i = 0; i < outer; i += block) {
        int64_t count = outer - i < block ? outer - i : block, at = i * row;
        // Inputs may differ along the axis, so that each has a run of its own.
        for (uint32_t k = 0; k < call->input_count; k++) {
            int64_t run = call->inputs[k]->count / outer;
            if (!copy_runs(call->ctx, out, at, row, call->inputs[k], i * run,
                           run, run, count)) {
                return false;
            }
            at += run;
        }
    }
    return true;
}

// Serves stack as well: along a new axis each input's run is what lies behind
// the axis, and `join` takes runs from the element counts alone.
static bool kernel_concat(const KernelCall *call)
{
    int axis;
    return infer_axis(call->ctx, call->op->name, &call->attrs[0],
                      call->outputs[0]->rank, 0, &axis) &&
           join(call, axis);
}

// Concat counts it among the axes that are there, stack among those of the
// result, unstack among those of x.
static const AttrDesc join_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
};
// Part `index` of x along the axis, from `start`, of `size`; a size of 0 is an
// index, which takes the axis away.
static EmitValue part_of(Emit *e, EmitValue x, int axis, int64_t start,
                         int64_t size)
{
    int64_t spec[5 * SHAPE_MAX_RANK] = {0};
    for (int i = 0; i <= axis; i++) {
        int64_t *item = spec + 5 * i;
        item[0] = size == 0 && i == axis ? 0 : 1;
        item[1] = i == axis ? start : ATTR_INT_NONE;
        item[2] = i == axis ? start + size : ATTR_INT_NONE;
        item[3] = ATTR_INT_NONE;
    }
    AttrValue attr = {
        .kind = ATTR_INTS, .count = 5 * (uint32_t)(axis + 1), .ints = spec};
    return emit_1(e, OP_INDEX, x, &attr);
}

// The axis along which parts were joined, from the front. False: raised.
static bool joined_axis(GradCall *call, EmitValue whole, int *axis)
{
    int rank = emit_type(call->emit, whole).rank;
    return infer_knows_rank(call->emit->ctx, call->op->name, rank) &&
           infer_axis(call->emit->ctx, call->op->name,
                      &call->attrs[call->op->attr_count - 1], rank, 0, axis);
}

static EmitValue int_number(Emit *e, int64_t value)
{
    return e->constant(e, tensor_scalar_int(e->ctx, DT_INT32, value));
}

// As part_of where the graph knows no sizes: from *start, an int32, as many
// slices as x has along the axis. Moves *start on.
static EmitValue part_like(Emit *e, EmitValue g, int axis, EmitValue *start,
                           EmitValue x)
{
    EmitValue shape = emit_1(e, OP_SHAPE_OF, x, NULL);
    EmitValue size =
        shape == NULL ? NULL
                      : emit_reshape(e, part_of(e, shape, 0, axis, 1), 0, NULL);
    EmitValue stop = grad_add(e, *start, size);
    EmitValue places = emit_3(e, OP_ARANGE, *start, stop, int_number(e, 1));
    AttrValue attr = {.kind = ATTR_INT, .integer = axis};
    EmitValue both[2] = {g, places};
    *start = stop;
    return places == NULL ? NULL : e->op(e, OP_TAKE, both, 2, &attr);
}

// Each part of the gradient to the operand that stood there.
static bool grad_concat(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue g = call->output_grads[0], from = NULL;
    int axis;
    int64_t start = 0;
    if (!joined_axis(call, call->outputs[0], &axis)) {
        return false;
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        EmitValue x = call->inputs[i], part = x;
        TensorType type = emit_type(e, x);
        int64_t size =
            type.rank == RANK_UNKNOWN ? DIM_UNKNOWN : type.dims[axis];
        // From the first unknown size on places are numbers of the graph.
        if (size == DIM_UNKNOWN && from == NULL) {
            from = int_number(e, start);
        }
        if (from != NULL) {
            part = part_like(e, g, axis, &from, x);
        } else if (call->wanted[i] && size > 0) {
            part = part_of(e, g, axis, start, size);
        }
        if (part == NULL ||
            (call->wanted[i] &&
             !grad_give(call, i, grad_reshape_like(e, part, x)))) {
            return false;
        }
        start += size;
    }
    return true;
}

static bool grad_stack(GradCall *call)
{
    int axis;
    if (!joined_axis(call, call->outputs[0], &axis)) {
        return false;
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (call->wanted[i] &&
            !grad_give(
                call, i,
                part_of(call->emit, call->output_grads[0], axis, i, 0))) {
            return false;
        }
    }
    return true;
}

// The results' gradients joined again; zeros where there is none.
static bool grad_parts(GradCall *call, OpCode op)
{
    Emit *e = call->emit;
    AttrValue same = {.kind = ATTR_NONE};
    size_t size = call->output_count * sizeof(EmitValue);
    EmitValue *parts = ctx_alloc(e->ctx, size);
    bool ok = parts != NULL;
    for (uint32_t i = 0; ok && i < call->output_count; i++) {
        EmitValue g = call->output_grads[i];
        parts[i] =
            g != NULL ? g : emit_1(e, OP_ZEROS_LIKE, call->outputs[i], &same);
        ok = parts[i] != NULL;
    }
    ok = ok && grad_give(call, 0,
                         e->op(e, op, parts, call->output_count,
                               &call->attrs[call->op->attr_count - 1]));
    ctx_free(e->ctx, parts, size);
    return ok;
}

static bool grad_unstack(GradCall *call)
{
    return grad_parts(call, OP_STACK);
}

static bool grad_split(GradCall *call)
{
    return grad_parts(call, OP_CONCAT);
}

// At most 255 inputs: descriptors count them in a byte, and that value means
// any number.
const OpDesc op_concat = {
    .name = "concat",
    .params = "arrays, /",
    .doc = "The tensors of a list one behind the other along an axis.\n"
           "Their dtypes and all other sizes must be equal.",
    .min_inputs = 1,
    .max_inputs = 255,
    .output_count = 1,
    .flags = OP_HALVES | OP_LIST_INPUT,
    .attrs = join_attrs,
    .attr_count = 1,
    .infer = infer_concat,
    .kernel = kernel_concat,
    .gradient = grad_concat,
    .graphdef = "ConcatV2",
};

// ---- stack

// Sizes that are unknown in a trace are taken to fit; the kernel meets real
// ones.
static bool infer_stack(InferCall *call)
{
    TensorType first = call->inputs[0];
    Shape *out = &call->out_shapes[0];
    int axis;
    call->out_dtypes[0] = first.dtype;
    out->rank = RANK_UNKNOWN;
    if (!infer_equal_dtypes(call, 0)) {
        return false;
    }
    for (uint32_t i = 1; i < call->input_count; i++) {
        TensorType type = call->inputs[i];
        // Only shapes that are known in full can be said to differ.
        bool known = shape_is_static(first.rank, first.dims) &&
                     shape_is_static(type.rank, type.dims);
        if (known &&
            !shape_equal(first.rank, first.dims, type.rank, type.dims)) {
            StrBuf cure;
            strbuf_init(&cure, call->ctx);
            shape_cure_stack(&cure, first, type);
            return infer_shape_cured(call, &cure, "shapes differ: %s and %s",
                                     first, type);
        }
    }
    if (first.rank == RANK_UNKNOWN) {
        return true;
    }
    // The new axis makes one more.
    if (first.rank == SHAPE_MAX_RANK) {
        return infer_shape_error(call, "rank too high: %s", first);
    }
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0], first.rank + 1,
                    0, &axis)) {
        return false;
    }
    out->rank = first.rank + 1;
    for (int i = 0; i < out->rank; i++) {
        out->dims[i] = i == axis ? (int64_t)call->input_count
                                 : first.dims[i < axis ? i : i - 1];
    }
    return true;
}

// concat's kernel does the work; only the shape differs.
const OpDesc op_stack = {
    .name = "stack",
    .params = "arrays, /",
    .doc = "The tensors of a list, of one shape and dtype, along a new axis.",
    .min_inputs = 1,
    .max_inputs = 255,
    .output_count = 1,
    .flags = OP_HALVES | OP_LIST_INPUT,
    .attrs = join_attrs,
    .attr_count = 1,
    .infer = infer_stack,
    .kernel = kernel_concat,
    .gradient = grad_stack,
    .graphdef = "Pack",
};

// ---- unstack

// One output for each place along the axis, all of one type.
static bool infer_unstack(InferCall *call)
{
    TensorType type = call->inputs[0];
    bool known = type.rank != RANK_UNKNOWN;
    int axis = 0;
    if (!infer_needs_rank(call, 0, 1) ||
        (known && !infer_axis(call->ctx, call->op->name, &call->attrs[0],
                              type.rank, 0, &axis))) {
        return false;
    }
    // Outputs are as many in each run.
    if (!known || type.dims[axis] == DIM_UNKNOWN) {
        return infer_shape_error(call,
                                 "the number of parts of %s is unknown in this "
                                 "trace; `for row in x` takes any, or give "
                                 "the size in a signature",
                                 type);
    }
    call->output_count = (uint32_t)type.dims[axis];
    for (int i = 0; i < OP_MAX_OUTPUTS; i++) {
        // More outputs than that share the first one's type.
        Shape *out = &call->out_shapes[i];
        call->out_dtypes[i] = type.dtype;
        out->rank = 0;
        for (int k = 0; k < type.rank; k++) {
            if (k != axis) {
                out->dims[out->rank++] = type.dims[k];
            }
        }
    }
    return true;
}

// Part k takes every parts-th run of the input.
static bool kernel_unstack(const KernelCall *call)
{
    int64_t outer, inner, parts = call->output_count;
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[0],
                    call->inputs[0]->rank, 0, &axis)) {
        return false;
    }
    sizes_around(call->inputs[0], axis, &outer, &inner);
    // tensor_copy keeps the counts of strings right.
    // Output by output, so that each is written from front to back.
    for (int64_t k = 0; k < parts; k++) {
        if (!copy_runs(call->ctx, call->outputs[k], 0, inner, call->inputs[0],
                       k * inner, parts * inner, inner, outer)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

// output_count stays 0: it varies, and the rule sets it.
const OpDesc op_unstack = {
    .name = "unstack",
    .params = "x, /",
    .doc = "The slices of x along an axis, without that axis.",
    .min_inputs = 1,
    .max_inputs = 1,
    .flags = OP_HALVES | OP_METHOD,
    .attrs = join_attrs,
    .attr_count = 1,
    .infer = infer_unstack,
    .kernel = kernel_unstack,
    .gradient = grad_unstack,
    .graphdef = "Unpack",
};

// ---- split

// One size for each part; -1 stands for what is left, which is unknown if the
// whole is. False: raised.
static bool split_sizes(InferCall *call, int64_t whole, int64_t *sizes)
{
    const AttrValue *parts = &call->attrs[0];
    // `open`: which part takes what is left.
    int64_t total = 0, open = -1;
    for (uint32_t i = 0; i < parts->count; i++) {
        sizes[i] = parts->ints[i];
        // A second -1 falls through to the error for negative sizes.
        if (sizes[i] == -1 && open < 0) {
            open = i;
        } else if (sizes[i] < 0) {
            return ctx_fail(call->ctx, ERR_OP_VALUE,
                            "split: negative size %" PRId64, sizes[i]);
        } else {
            total = infer_plus(total, sizes[i]);
        }
    }
    if (whole == DIM_UNKNOWN) {
        call->split_rest = DIM_UNKNOWN;
        return true;
    }
    // What is left may be 0, never less.
    if (open >= 0 && total <= whole) {
        sizes[open] = call->split_rest = whole - total;
        total = whole;
    }
    return total == whole ||
           ctx_fail(call->ctx, ERR_OP_VALUE,
                    "split: the sizes add up to %" PRId64 ", not to the "
                    "%" PRId64 " of the axis",
                    total, whole);
}

// One int is a number of equal parts, several are their sizes. More than
// OP_MAX_OUTPUTS parts of different sizes have no place in an InferCall, but
// the attribute holds them: `split_sizes` points there.
static bool infer_split(InferCall *call)
{
    TensorType type = call->inputs[0];
    const AttrValue *parts = &call->attrs[0];
    // Equal parts must divide the axis without a rest, as in TensorFlow.
    bool equal = parts->count == 1;
    int axis;
    if (!infer_needs_rank(call, 0, 1)) {
        return false;
    }
    // A single int is a number of parts: as a size it could only be that of
    // the whole axis.
    int64_t count = equal ? parts->ints[0] : parts->count;
    bool open = type.rank == RANK_UNKNOWN;
    if (!open && !infer_axis(call->ctx, call->op->name, &call->attrs[1],
                             type.rank, 0, &axis)) {
        return false;
    }
    int64_t whole = open ? DIM_UNKNOWN : type.dims[axis];
    int64_t sizes[SPLIT_MOST_SIZES];
    if (count <= 0 || count > INT32_MAX ||
        (equal && whole != DIM_UNKNOWN && whole % count != 0)) {
        return ctx_fail(call->ctx, ERR_OP_VALUE,
                        "split: %" PRId64 " parts of an axis of size "
                        "%" PRId64,
                        count, whole);
    }
    if (parts->count > SPLIT_MOST_SIZES) {
        return ctx_fail(call->ctx, ERR_OP_VALUE, "split: more than %d sizes",
                        SPLIT_MOST_SIZES);
    }
    if (!equal && !split_sizes(call, whole, sizes)) {
        return false;
    }
    call->output_count = (uint32_t)count;
    call->split_axis = open ? 0 : axis;
    // Equal parts are all as the first one, however many there are.
    int64_t part = whole == DIM_UNKNOWN ? DIM_UNKNOWN : whole / count;
    call->split_sizes =
        open || equal || count <= OP_MAX_OUTPUTS ? NULL : parts->ints;
    for (int64_t i = 0; i < OP_MAX_OUTPUTS; i++) {
        infer_output(call, (int)i, type.dtype, type.rank, type.dims);
        if (!open) {
            call->out_shapes[i].dims[axis] = equal       ? part
                                             : i < count ? sizes[i]
                                                         : 0;
        }
    }
    return true;
}

// Each part takes a run of every row; `from` is where the part begins there.
static bool kernel_split(const KernelCall *call)
{
    Tensor *in = call->inputs[0];
    int64_t outer, inner, from = 0;
    int axis;
    if (!infer_axis(call->ctx, call->op->name, &call->attrs[1], in->rank, 0,
                    &axis)) {
        return false;
    }
    sizes_around(in, axis, &outer, &inner);
    // x as `outer` rows; part k has the same piece of each.
    int64_t row = tensor_dims(in)[axis] * inner;
    for (uint32_t k = 0; k < call->output_count; k++) {
        Tensor *part = call->outputs[k];
        int64_t run = tensor_dims(part)[axis] * inner;
        if (!copy_runs(call->ctx, part, 0, run, in, from, row, run, outer)) {
            return false;
        }
        // The next part begins where this one ends in each row.
        from += run;
    }
    return ctx_poll(call->ctx);
}

// Both forms of `parts` come as ints; a single one is a list of one.
static const AttrDesc split_attrs[] = {
    {"parts", ATTR_INTS, ATTR_HOST_ONLY, NULL},
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
};
const OpDesc op_split = {
    .name = "split",
    .params = "x, /",
    .doc = "x cut along an axis: into so many equal parts, or into parts of\n"
           "the sizes given, of which one may be -1: what is left.",
    .min_inputs = 1,
    .max_inputs = 1,
    .flags = OP_HALVES | OP_METHOD,
    .attrs = split_attrs,
    .attr_count = 2,
    .infer = infer_split,
    .kernel = kernel_split,
    .gradient = grad_split,
};
