// What neural networks need beside the elementwise functions, written as other
// ops: cross_entropy, layer_norm, dropout.
#include "ops/emit_op.h"
#include "ops/infer.h"

// infer_composed refuses: no graph and no plan ever holds these ops.
#define COMPOSED(text, names, least, most, how)                                \
    .name = (text), .params = (names), .min_inputs = (least),                  \
    .max_inputs = (most), .output_count = 1, .infer = infer_composed,          \
    .compose = (how)

// Composed ops have no shape rule that runs, so that they check through an
// InferCall made up for the purpose.
static bool needs_float(const ComposeCall *call, EmitValue x, int least_rank)
{
    TensorType type = emit_type(call->emit, x);
    InferCall check = {.ctx = call->emit->ctx, .op = call->op, .inputs = &type};
    return infer_needs_float(&check, type.dtype) &&
           infer_needs_rank(&check, 0, least_rank);
}

// ---- cross_entropy

// Labels that name a class each: minus the logarithm at that place.
static EmitValue at_labels(Emit *emit, EmitValue logs, EmitValue labels,
                           int rank)
{
    // The second, of take_along_axis alone: -1 is no label.
    AttrValue last[2] = {{.kind = ATTR_INT, .integer = -1},
                         {.kind = ATTR_BOOL, .boolean = true}};
    EmitValue inputs[2] = {logs, emit_1(emit, OP_EXPAND_DIMS, labels, last)};
    if (logs == NULL || inputs[1] == NULL) {
        return NULL;
    }
    EmitValue picked = emit->op(emit, OP_TAKE_ALONG_AXIS, inputs, 2, last);
    return emit_reduce(emit, OP_SUM, picked, (uint32_t)1 << (rank - 1), false);
}

// By log_softmax, not the logarithm of softmax: where a probability rounds to
// 0 the latter would be infinite.
static EmitValue compose_cross_entropy(const ComposeCall *call)
{
    Emit *emit = call->emit;
    EmitValue logits = call->inputs[0], labels = call->inputs[1];
    TensorType type = emit_type(emit, logits);
    TensorType given = emit_type(emit, labels);
    AttrValue last = {.kind = ATTR_INT, .integer = -1};
    if (!needs_float(call, logits, 1)) {
        return NULL;
    }
    if (!infer_knows_rank(emit->ctx, "cross_entropy", type.rank)) {
        return NULL;
    }
    EmitValue logs = emit_1(emit, OP_LOG_SOFTMAX, logits, &last);
    // The classes are the last axis.
    uint32_t mask = (uint32_t)1 << (type.rank - 1);
    // The dtype of the labels tells which form they have.
    if (dtype_is_integer(given.dtype)) {
        if (given.rank != type.rank - 1) {
            InferCall check = {.ctx = emit->ctx, .op = call->op};
            infer_shape_error2(&check,
                               "int labels of shape %s for logits of "
                               "shape %s",
                               given, type);
            return NULL;
        }
        return emit_1(emit, OP_NEGATIVE,
                      at_labels(emit, logs, labels, type.rank), NULL);
    }
    // Shares of the classes: the sum over all of share times logarithm.
    return emit_1(
        emit, OP_NEGATIVE,
        emit_reduce_of(emit, OP_SUM, OP_MULTIPLY, labels, logs, mask, false),
        NULL);
}

const OpDesc op_cross_entropy = {
    COMPOSED("cross_entropy", "x, labels, /", 2, 2, compose_cross_entropy),
    .apart = 1 << 1,
    .doc = "The cross entropy of softmax(x) along the last axis with labels:\n"
           "ints that name a class each, or floats, a share for each class.",
};

// ---- layer_norm

// Mean and variance keep the reduced axes (as 1), so that they broadcast
// against x. The variance is that of the population, as in Keras.
static EmitValue compose_layer_norm(const ComposeCall *call)
{
    Emit *emit = call->emit;
    EmitValue x = call->inputs[0];
    TensorType type = emit_type(emit, x);
    const AttrValue *axis = &call->attrs[0], *epsilon = &call->attrs[1];
    int64_t last = -1;
    AttrValue along = {.kind = ATTR_INTS, .count = 1, .ints = &last};
    uint32_t mask;
    if (!needs_float(call, x, 1)) {
        return NULL;
    }
    if (!infer_knows_rank(emit->ctx, "layer_norm", type.rank) ||
        !infer_axes(emit->ctx, "layer_norm", attr_given(axis) ? axis : &along,
                    type.rank, &mask)) {
        return NULL;
    }
    EmitValue mean = emit_reduce(emit, OP_MEAN, x, mask, true);
    EmitValue centred = emit_2(emit, OP_SUBTRACT, x, mean);
    EmitValue variance =
        emit_reduce_of(emit, OP_MEAN, OP_SQUARE, centred, NULL, mask, true);
    // epsilon keeps the root away from 0.
    EmitValue scale =
        emit_1(emit, OP_RSQRT,
               emit_with(emit, OP_ADD, variance,
                         attr_given(epsilon) ? epsilon->number : 1e-5),
               NULL);
    EmitValue result = emit_2(emit, OP_MULTIPLY, centred, scale);
    // Scale and offset are learnt, and may be left out.
    if (call->input_count > 1) {
        result = emit_2(emit, OP_MULTIPLY, result, call->inputs[1]);
    }
    return call->input_count > 2 ? emit_2(emit, OP_ADD, result, call->inputs[2])
                                 : result;
}

// Epsilon keeps the root away from 0 where all elements are equal.
static const AttrDesc layer_norm_attrs[] = {
    {"axis", ATTR_INTS, ATTR_HOST_ONLY, "-1"},
    {"epsilon", ATTR_FLOAT, ATTR_HOST_ONLY, "1e-5"},
};
// Scale and offset may be left out, the offset alone or both.
const OpDesc op_layer_norm = {
    COMPOSED("layer_norm", "x, scale=None, offset=None", 1, 3,
             compose_layer_norm),
    .doc = "x less its mean, divided by the root of its variance + epsilon,\n"
           "over the axes, the last one by default; times scale, plus offset.",
    .attrs = layer_norm_attrs,
    .attr_count = 2,
};

// ---- dropout

// Inverted dropout: what is kept is scaled up, so that nothing has to be
// scaled when the network is used. A rate of 1 would divide by 0.
static EmitValue compose_dropout(const ComposeCall *call)
{
    Emit *emit = call->emit;
    EmitValue x = call->inputs[0];
    TensorType type = emit_type(emit, x);
    double rate = call->attrs[0].number;
    if (!needs_float(call, x, 0)) {
        return NULL;
    }
    if (!(rate >= 0 && rate < 1)) {
        return ctx_fail_null(emit->ctx, ERR_OP_VALUE,
                             "dropout: the rate must be in [0, 1)");
    }
    AttrValue draw[4] = {{.kind = ATTR_INPUT, .integer = 0},
                         {.kind = ATTR_NONE},
                         {.kind = ATTR_NONE},
                         {.kind = ATTR_DTYPE, .dtype = type.dtype}};
    EmitValue drawn = emit_1(emit, OP_RANDOM_UNIFORM,
                             emit_1(emit, OP_SHAPE_OF, x, NULL), draw);
    // Draws are in [0, 1): with a rate of 0 everything is kept.
    EmitValue kept = emit_with(emit, OP_GREATER_EQUAL, drawn, rate);
    return emit_3(emit, OP_WHERE, kept, emit_with(emit, OP_DIVIDE, x, 1 - rate),
                  emit_number(emit, type.dtype, 0));
}

// Without a default: a rate is a decision.
static const AttrDesc dropout_attrs[] = {
    {"rate", ATTR_FLOAT, ATTR_HOST_ONLY, NULL},
};
// Always drops: whether a network is being trained is the caller's to know.
const OpDesc op_dropout = {
    COMPOSED("dropout", "x, /", 1, 1, compose_dropout),
    .flags = OP_HALVES,
    .doc = "x with elements set to 0, each with the chance `rate`, the\n"
           "others divided by 1 - rate. Draws random numbers.",
    .attrs = dropout_attrs,
    .attr_count = 1,
};
