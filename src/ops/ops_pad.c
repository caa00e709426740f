// pad: elements put before and behind the axes.
#include "ops/pad.h"

#include <inttypes.h>
#include <string.h>

#include "kernels/move.h"
#include "ops/grad.h"
#include "ops/tensor_move.h"

static const char *const mode_names[PAD_MODES] = {"constant", "edge", "reflect",
                                                  "symmetric"};

PadMode pad_mode(const AttrValue *attr)
{
    int mode = PAD_CONSTANT;
    while (attr_given(attr) && mode < PAD_MODES &&
           !attr_is(attr, mode_names[mode])) {
        mode++;
    }
    return (PadMode)mode;
}

// False: raised.
static bool take_mode(Ctx *ctx, const AttrValue *attr, PadMode *mode)
{
    *mode = pad_mode(attr);
    return *mode != PAD_MODES ||
           ctx_fail(ctx, ERR_OP_VALUE,
                    "pad: mode must be 'constant', 'edge', 'reflect' or "
                    "'symmetric'");
}

// How many go before (side 0) and behind (side 1) an axis: one number for all,
// a pair for all, or a pair for each axis.
// The tensor has one of the forms that paddings_fit lets through.
static int64_t padding_at(const Tensor *paddings, int axis, int side)
{
    // A pair an axis stands row by row: (before, behind).
    int64_t at = paddings->count == 1   ? 0
                 : paddings->count == 2 ? side
                                        : axis * 2 + side;
    return tensor_int_at(paddings, at);
}

// One number, a pair, or a pair an axis; open sizes are taken on trust.
// The forms of NumPy's pad_width, and TensorFlow's [rank, 2].
// False: raised.
static bool paddings_fit(InferCall *call)
{
    TensorType x = call->inputs[0], p = call->inputs[1];
    int64_t count = 1;
    for (int i = 0; i < p.rank; i++) {
        count = p.dims[i] == DIM_UNKNOWN ? DIM_UNKNOWN
                                         : infer_times(count, p.dims[i]);
    }
    bool fits = p.rank <= 2 && (count == 1 || count == 2 ||
                                (p.rank == 2 && count == 2 * x.rank));
    return fits || p.rank == RANK_UNKNOWN || count == DIM_UNKNOWN ||
           infer_shape_error2(
               call, "paddings of shape %s for a tensor of shape %s", p, x);
}

// The mirrored modes cannot reach past the other edge.
// False: raised. An amount of 0 is fine for any axis, an empty one too.
static bool check_axis(InferCall *call, PadMode mode, int64_t size,
                       int64_t amount)
{
    if (amount < 0) {
        return ctx_fail(call->ctx, ERR_OP_VALUE, "pad: negative padding");
    }
    int64_t most = mode == PAD_REFLECT ? size - 1 : size;
    // NumPy would go on mirroring to and fro; TensorFlow refuses, and so do
    // we.
    bool reaches = mode == PAD_CONSTANT || size == DIM_UNKNOWN || amount == 0 ||
                   (mode == PAD_EDGE ? size > 0 : amount <= most);
    return reaches ||
           ctx_fail(call->ctx, ERR_OP_VALUE,
                    "pad: %" PRId64 " elements do not come out of an axis of "
                    "size %" PRId64 " in mode '%s'",
                    amount, size, mode_names[mode]);
}

// Sizes grow by both amounts, if a trace knows them.
// Paddings that a trace does not know leave all sizes open, not the rank.
// False: raised.
static bool infer_pad(InferCall *call)
{
    TensorType x = call->inputs[0];
    Tensor *paddings = call->values != NULL ? call->values[1] : NULL;
    PadMode mode;
    if (!infer_needs_integer(call, 1) ||
        !take_mode(call->ctx, &call->attrs[0], &mode) || !infer_same(call)) {
        return false;
    }
    if (x.rank == RANK_UNKNOWN) {
        return true;
    }
    if (!paddings_fit(call)) {
        return false;
    }
    for (int i = 0; i < x.rank; i++) {
        int64_t *size = &call->out_shapes[0].dims[i];
        // Amounts may be computed in the graph, and are then unknown here.
        for (int side = 0; side < 2 && paddings != NULL; side++) {
            int64_t amount = padding_at(paddings, i, side);
            if (!check_axis(call, mode, x.dims[i], amount)) {
                return false;
            }
            // An unknown size plus anything stays unknown.
            *size = *size == DIM_UNKNOWN ? *size : infer_plus(*size, amount);
        }
        *size = paddings == NULL ? DIM_UNKNOWN : *size;
    }
    return true;
}

// The input's place for place `at` of a padded axis; -1: the constant.
// All amounts were checked when the shape was inferred.
static int64_t pad_source(PadMode mode, int64_t at, int64_t before,
                          int64_t size)
{
    int64_t from = at - before;
    if (from >= 0 && from < size) {
        return from;
    }
    // Beyond an edge; check_axis has seen to it that the mirror lands inside.
    bool low = from < 0;
    switch (mode) {
    case PAD_EDGE: return low ? 0 : size - 1;
    case PAD_REFLECT: return low ? -from : 2 * size - 2 - from;
    case PAD_SYMMETRIC: return low ? -from - 1 : 2 * size - 1 - from;
    default: return -1;
    }
}

// The whole output first: what comes from the input is written over it.
// False: no memory, or interrupted. Strings are padded with empty ones.
static bool fill_constant(const KernelCall *call, Tensor *out)
{
    const AttrValue *attr = &call->attrs[1];
    double value = attr->kind == ATTR_FLOAT ? attr->number : 0;
    if (out->dtype == DT_STRING) {
        for (int64_t i = 0; i < out->count; i++) {
            if (!tensor_set_string(call->ctx, out, i, "", 0) ||
                !ctx_poll_at(call->ctx, (size_t)i + 1)) {
                return false;
            }
        }
    } else if (out->count > 0) {
        size_t size = dtype_size((DType)out->dtype);
        char one[sizeof(double)];
        tensor_set_float(out, 0, value);
        memcpy(one, out->data, size);
        return move_fill(call->ctx, out->data, one, size, out->count);
    }
    return ctx_poll(call->ctx);
}

// What one run along the last axis needs.
typedef struct Pad {
    PadMode mode;
    int rank;
    const int64_t *in_dims, *out_dims;
    int64_t before[SHAPE_MAX_RANK];
} Pad;

// The input's element for the output's element `at`; -1: the constant.
// Row-major places are taken apart from the last axis on.
static int64_t element_source(const Pad *pad, int64_t at)
{
    int64_t from = 0, step = 1;
    for (int i = pad->rank - 1; i >= 0; i--) {
        int64_t place = pad_source(pad->mode, at % pad->out_dims[i],
                                   pad->before[i], pad->in_dims[i]);
        if (place < 0) {
            return -1;
        }
        from += place * step;
        step *= pad->in_dims[i];
        at /= pad->out_dims[i];
    }
    return from;
}

// The output's elements may be set already: tensor_copy would lose those.
static void copy_string(Ctx *ctx, Tensor *out, int64_t at, const Tensor *in,
                        int64_t from)
{
    tensor_share_string(ctx, out, at, ((TensorString **)in->data)[from]);
}

// Goes through the output in order: runs of the input's last axis are copied
// whole, what lies around them element by element.
// The whole of an input row stands in one piece in the output too, since only
// its two ends are padded.
static bool kernel_pad(const KernelCall *call)
{
    Tensor *in = call->inputs[0], *out = call->outputs[0];
    Pad pad = {.rank = in->rank,
               .in_dims = tensor_dims(in),
               .out_dims = tensor_dims(out)};
    if (!take_mode(call->ctx, &call->attrs[0], &pad.mode) ||
        (pad.mode == PAD_CONSTANT && !fill_constant(call, out))) {
        return false;
    }
    for (int i = 0; i < in->rank; i++) {
        // What goes behind follows from the output's size.
        pad.before[i] = padding_at(call->inputs[1], i, 0);
    }
    // Rows of the input that stay together are copied whole.
    int64_t row = in->rank == 0 ? 1 : pad.in_dims[in->rank - 1];
    int64_t before = in->rank == 0 ? 0 : pad.before[in->rank - 1];
    int64_t out_row = in->rank == 0 ? 1 : pad.out_dims[in->rank - 1];
    for (int64_t at = 0; at < out->count;) {
        int64_t from = element_source(&pad, at);
        // At the start of an input row the run is as long as the row.
        bool whole = at % out_row == before && row > 0 && from >= 0;
        int64_t run = whole ? row : 1;
        if (from >= 0 && out->dtype == DT_STRING) {
            for (int64_t k = 0; k < run; k++) {
                copy_string(call->ctx, out, at + k, in, from + k);
            }
        } else if (from >= 0 &&
                   !tensor_copy(call->ctx, out, at, in, from, run)) {
            return false;
        }
        at += run;
        // A row at a time, or an element.
        if ((run > 1 || (at & 0xFFFF) == 0) && !ctx_poll(call->ctx)) {
            return false;
        }
    }
    return ctx_poll(call->ctx);
}

// Zeros as many as x has elements, behind one for what has no element.
static EmitValue one_before(Emit *e, EmitValue x)
{
    static const AttrValue first = {.kind = ATTR_INT, .integer = 0};
    static const AttrValue same = {.kind = ATTR_NONE};
    static const int64_t one = 1;
    EmitValue zero = emit_number(e, emit_type(e, x).dtype, 0);
    EmitValue parts[2] = {
        emit_reshape(e, zero, 1, &one),
        emit_1(e, OP_ZEROS_LIKE, grad_flat(e, x), &same),
    };
    return parts[0] == NULL || parts[1] == NULL
               ? NULL
               : e->op(e, OP_CONCAT, parts, 2, &first);
}

// Where each element came from, found by padding their numbers, which begin at
// 1: what was the constant is added up at 0, and left there. So it has a place
// where x has no element.
static bool grad_pad(GradCall *call)
{
    static const int64_t column[2] = {-1, 1};
    static const int64_t behind[5] = {1, 1, ATTR_INT_NONE, ATTR_INT_NONE, 0};
    static const AttrValue rest = {
        .kind = ATTR_INTS, .count = 5, .ints = behind};
    Emit *e = call->emit;
    AttrValue attrs[2] = {call->attrs[0], {.kind = ATTR_FLOAT, .number = 0}};
    EmitValue x = call->inputs[0];
    if (!grad_asked(call, 0)) {
        return true;
    }
    EmitValue inputs[2] = {grad_plus(e, grad_numbers(e, x), 1),
                           call->inputs[1]};
    EmitValue places =
        inputs[0] == NULL ? NULL : e->op(e, OP_PAD, inputs, 2, attrs);
    EmitValue sums = emit_3(e, OP_SCATTER_ADD, one_before(e, x),
                            emit_reshape(e, places, 2, column),
                            grad_flat(e, call->output_grads[0]));
    return grad_give(call, 0,
                     grad_reshape_like(e, emit_1(e, OP_INDEX, sums, &rest), x));
}

// The constant counts in the first mode alone.
static const AttrDesc pad_attrs[] = {
    {"mode", ATTR_STR, ATTR_HOST_ONLY, "'constant'"},
    {"constant_values", ATTR_FLOAT, ATTR_HOST_ONLY, "0"},
};
// Paddings are an operand, not an attribute: they may be computed.
const OpDesc op_pad = {
    .name = "pad",
    .params = "x, paddings, /",
    .doc = "x with elements put before and behind its axes: `paddings` is a\n"
           "pair for each axis, one pair or one number for all. The mode is\n"
           "'constant', 'edge', 'reflect' (without the edge) or 'symmetric'.",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_HALVES | OP_METHOD,
    .attrs = pad_attrs,
    .attr_count = 2,
    .infer = infer_pad,
    .kernel = kernel_pad,
    .gradient = grad_pad,
};
