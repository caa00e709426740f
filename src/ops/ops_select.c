// where, clip and cast: elementwise, with operands or attributes of their own.
#include "ops/infer.h"
#include "ops/strings.h"

// Both branches are values, computed in full: a choice between them guards no
// division by zero. For that there is `if`.
const OpDesc op_where = {
    .name = "where",
    .params = "condition, x1, x2, /",
    .doc = "x1 where the bool condition is True, else x2.\n"
           "All three broadcast; x1 and x2 have one dtype.",
    .min_inputs = 3,
    .max_inputs = 3,
    .apart = 1 << 0,
    .output_count = 1,
    .flags = OP_ELEMENTWISE,
    .infer = infer_elementwise,
    .kernel = kernel_string_where,
    .tile = TILE_WHERE,
    .result = RESULT_SAME,
    .graphdef = "SelectV2",
};

// One op, not a minimum of a maximum: it is a single loop.
const OpDesc op_clip = {
    .name = "clip",
    .params = "x, min, max, /",
    .doc = "x held between min and max; NaN stays NaN.\n"
           "Shapes broadcast; dtypes must be equal.",
    .min_inputs = 3,
    .max_inputs = 3,
    .output_count = 1,
    .flags = OP_ELEMENTWISE | OP_METHOD,
    .infer = infer_elementwise,
    .tile = TILE_CLIP,
    .result = RESULT_SAME,
    .graphdef = "ClipByValue",
};

// Text and numbers do not convert by cast, as in TensorFlow: a failure would
// depend on the values, and there are ops in `strings` for it.
static bool infer_cast(InferCall *call)
{
    DType from = call->inputs[0].dtype, to = call->attrs[0].dtype;
    if ((from == DT_STRING) != (to == DT_STRING)) {
        return ctx_fail(call->ctx, ERR_DTYPE,
                        "cast: %s does not convert to %s%s", dtype_name(from),
                        dtype_name(to),
                        from == DT_STRING ? "; see strings.to_number" : "");
    }
    return infer_elementwise(call);
}

// Strings to strings: the same elements.
static bool kernel_cast_strings(const KernelCall *call)
{
    Tensor *from = call->inputs[0];
    for (int64_t i = 0; i < from->count; i++) {
        tensor_share_string(call->ctx, call->outputs[0], i,
                            ((TensorString **)from->data)[i]);
    }
    return true;
}

// The host names the dtype: a trace must know it.
static const AttrDesc cast_attrs[] = {
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, NULL},
};
// Not OP_METHOD: tensors have `astype` for it.
const OpDesc op_cast = {
    .name = "cast",
    .params = "x, /",
    .doc = "x with its elements converted to another dtype.\n"
           "Floats lose their fraction on the way to ints; NaN and what is\n"
           "out of range give the lowest int. Ints wrap. Everything but 0 is\n"
           "True.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_ELEMENTWISE,
    .attrs = cast_attrs,
    .attr_count = 1,
    .infer = infer_cast,
    .kernel = kernel_cast_strings,
    .result = RESULT_CAST,
    .graphdef = "Cast",
};
