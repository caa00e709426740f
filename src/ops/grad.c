// What gradient rules share, and the op that undoes a broadcast.
#include "ops/grad.h"

#include "ops/infer.h"
#include "ops/tensor_move.h"

bool grad_none(GradCall *call)
{
    (void)call;
    return true;
}

bool grad_unknown(Ctx *ctx, const OpDesc *op)
{
    return ctx_fail(ctx,
                    op->payload == PAYLOAD_HOST ? ERR_SYMBOLIC : ERR_LOOKUP,
                    "%s: no gradient of it is known; give it one by "
                    "custom_gradient, or leave it out by stop_gradient",
                    op->name);
}

// One operand alone needs no sum: its shape is the result's.
bool grad_elementwise(GradCall *call, const SlopeFn *slopes)
{
    Emit *e = call->emit;
    EmitValue y = call->outputs[0], g = call->output_grads[0];
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (!call->wanted[i] || slopes[i] == NULL) {
            continue;
        }
        EmitValue own = slopes[i](e, call->inputs, y, g);
        if (call->input_count > 1) {
            own = grad_sum_to(e, own, call->inputs[i]);
        }
        if (!grad_give(call, i, own)) {
            return false;
        }
    }
    return true;
}

EmitValue grad_minus(Emit *emit, double number, EmitValue a)
{
    return a == NULL
               ? NULL
               : grad_sub(emit,
                          emit_number(emit, emit_type(emit, a).dtype, number),
                          a);
}

EmitValue grad_if(Emit *emit, EmitValue condition, EmitValue a)
{
    return a == NULL ? NULL
                     : emit_3(emit, OP_WHERE, condition, a,
                              emit_number(emit, emit_type(emit, a).dtype, 0));
}

EmitValue grad_unless(Emit *emit, EmitValue condition, EmitValue a)
{
    return a == NULL
               ? NULL
               : emit_3(emit, OP_WHERE, condition,
                        emit_number(emit, emit_type(emit, a).dtype, 0), a);
}

static bool shape_known(TensorType type)
{
    return shape_is_static(type.rank, type.dims);
}

// Unknown sizes may turn out to be anything.
static bool shapes_agree(TensorType a, TensorType b)
{
    return shape_known(a) && shape_known(b) &&
           shape_equal(a.rank, a.dims, b.rank, b.dims);
}

EmitValue grad_sum_to(Emit *emit, EmitValue x, EmitValue like)
{
    return x == NULL || like == NULL ||
                   shapes_agree(emit_type(emit, x), emit_type(emit, like))
               ? x
               : emit_2(emit, OP_SUM_TO_SHAPE, x, like);
}

// By numbers where they are known; in a graph the sizes are otherwise read when
// it runs.
static EmitValue shaped_like(Emit *emit, OpCode op, EmitValue x, EmitValue like)
{
    if (x == NULL || like == NULL) {
        return NULL;
    }
    TensorType type = emit_type(emit, like);
    if (shapes_agree(emit_type(emit, x), type)) {
        return x;
    }
    AttrValue shape = {.kind = ATTR_INPUT, .integer = 1};
    if (shape_known(type)) {
        shape = (AttrValue){
            .kind = ATTR_INTS, .count = (uint32_t)type.rank, .ints = type.dims};
        return emit_1(emit, op, x, &shape);
    }
    EmitValue inputs[2] = {x, emit_1(emit, OP_SHAPE_OF, like, NULL)};
    return inputs[1] == NULL ? NULL : emit->op(emit, op, inputs, 2, &shape);
}

EmitValue grad_reshape_like(Emit *emit, EmitValue x, EmitValue like)
{
    return shaped_like(emit, OP_RESHAPE, x, like);
}

EmitValue grad_broadcast_like(Emit *emit, EmitValue x, EmitValue like)
{
    return shaped_like(emit, OP_BROADCAST_TO, x, like);
}

EmitValue grad_flat(Emit *emit, EmitValue x)
{
    int64_t all = -1;
    return emit_reshape(emit, x, 1, &all);
}

EmitValue grad_count(Emit *emit, EmitValue x)
{
    if (x == NULL) {
        return NULL;
    }
    TensorType type = emit_type(emit, x);
    if (shape_known(type)) {
        double count = 1;
        for (int i = 0; i < type.rank; i++) {
            count *= (double)type.dims[i];
        }
        return emit_number(emit, type.dtype, count);
    }
    AttrValue whole[2] = {{.kind = ATTR_NONE}, {.kind = ATTR_NONE}};
    EmitValue sizes = emit_1(emit, OP_SHAPE_OF, x, NULL);
    return emit_1(emit, OP_PROD, emit_cast(emit, sizes, type.dtype), whole);
}

// Counted by a sum of ones, which works with sizes that are not known either.
EmitValue grad_numbers(Emit *emit, EmitValue x)
{
    AttrValue dtype = {.kind = ATTR_DTYPE, .dtype = DT_INT64};
    AttrValue before[3] = {{.kind = ATTR_INT, .integer = 0},
                           {.kind = ATTR_BOOL, .boolean = true},
                           {.kind = ATTR_NONE}};
    EmitValue ones = emit_1(emit, OP_ONES_LIKE, grad_flat(emit, x), &dtype);
    return grad_reshape_like(emit, emit_1(emit, OP_CUMSUM, ones, before), x);
}

// Elements as rows of one index each.
EmitValue grad_scatter(Emit *emit, EmitValue x, EmitValue places, EmitValue g)
{
    static const int64_t column[2] = {-1, 1};
    AttrValue same = {.kind = ATTR_NONE};
    EmitValue zeros = emit_1(emit, OP_ZEROS_LIKE, grad_flat(emit, x), &same);
    EmitValue sums =
        emit_3(emit, OP_SCATTER_ADD, zeros,
               emit_reshape(emit, places, 2, column), grad_flat(emit, g));
    return grad_reshape_like(emit, sums, x);
}

EmitValue grad_add_rows(Emit *emit, EmitValue sum, EmitValue rows,
                        EmitValue values)
{
    AttrValue last = {.kind = ATTR_INT, .integer = -1};
    return emit_3(emit, OP_SCATTER_ADD, sum,
                  emit_1(emit, OP_EXPAND_DIMS, rows, &last), values);
}

bool grad_places(GradCall *call)
{
    Emit *emit = call->emit;
    EmitValue x = call->inputs[0], inputs[SHAPE_MAX_RANK + 1];
    if (!grad_asked(call, 0)) {
        return true;
    }
    for (uint32_t i = 1; i < call->input_count; i++) {
        inputs[i] = call->inputs[i];
    }
    inputs[0] = grad_numbers(emit, x);
    EmitValue places = inputs[0] == NULL
                           ? NULL
                           : emit->op(emit, call->code, inputs,
                                      call->input_count, call->attrs);
    return grad_give(call, 0,
                     grad_scatter(emit, x, places, call->output_grads[0]));
}

// ---- sum_to_shape

static bool infer_sum_to(InferCall *call)
{
    TensorType like = call->inputs[1];
    DType dtype = call->inputs[0].dtype;
    // Gradients are floats; a sum of others may be of a wider dtype.
    return infer_needs_float(call, dtype) &&
           infer_output(call, 0, dtype, like.rank, like.dims);
}

// Sums over the axes that `like` lacks or has at size 1. A view where there is
// none: the shapes agree.
static bool kernel_sum_to(const KernelCall *call)
{
    Tensor *x = call->inputs[0], *like = call->inputs[1], *sum = x;
    const int64_t *from = tensor_dims(x), *to = tensor_dims(like);
    int64_t axes[SHAPE_MAX_RANK];
    int more = x->rank - like->rank, count = 0;
    bool fits = more >= 0;
    for (int i = 0; fits && i < x->rank; i++) {
        bool summed = i < more || to[i - more] != from[i];
        fits = i < more || !summed || to[i - more] == 1;
        axes[count] = i;
        count += summed;
    }
    if (!fits) {
        InferCall check = {.ctx = call->ctx, .op = call->op};
        return infer_shape_error2(
            &check, "a tensor of shape %s is no broadcast of one of shape %s",
            tensor_type(x), tensor_type(like));
    }
    if (count > 0) {
        AttrValue attrs[2] = {
            {.kind = ATTR_INTS, .count = (uint32_t)count, .ints = axes},
            {.kind = ATTR_NONE}};
        uint32_t outputs;
        if (!op_run(call->ctx, OP_SUM, &x, 1, attrs, &sum, &outputs)) {
            return false;
        }
    }
    call->outputs[0] = tensor_reshaped(call->ctx, sum, like->rank, to);
    if (sum != x) {
        object_release(call->ctx, sum);
    }
    return call->outputs[0] != NULL;
}

static bool grad_sum_to_shape(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     grad_broadcast_like(call->emit, call->output_grads[0],
                                         call->inputs[0]));
}

const OpDesc op_sum_to_shape = {
    .name = "sum_to_shape",
    .params = "x, like, /",
    .doc = "x summed to the shape of `like`, whose broadcast it is; no\n"
           "element of `like` is read. It is the gradient of a broadcast.",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_VIEW | OP_INTERNAL | OP_MAY_FAIL,
    .infer = infer_sum_to,
    .kernel = kernel_sum_to,
    .gradient = grad_sum_to_shape,
};

// ---- stop_gradient

static bool kernel_same(const KernelCall *call)
{
    Tensor *x = call->inputs[0];
    call->outputs[0] = tensor_reshaped(call->ctx, x, x->rank, tensor_dims(x));
    return call->outputs[0] != NULL;
}

const OpDesc op_stop_gradient = {
    .name = "stop_gradient",
    .params = "x, /",
    .doc = "x, as something that a Tape takes for a constant.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_VIEW,
    .infer = infer_same,
    .kernel = kernel_same,
    .gradient = grad_none,
    .graphdef = "StopGradient",
};

// ---- stand_in

static bool grad_stand_in(GradCall *call)
{
    call->input_rows[1] = call->output_rows[0];
    return !grad_asked(call, 1) || grad_give(call, 1, call->output_grads[0]);
}

// What a read of a Variable is in a gradient's graph, once something was
// assigned: the value of the one, the way back of the other.
const OpDesc op_stand_in = {
    .name = "stand_in",
    .params = "x, source, /",
    .doc = "x, whose gradient is that of the source, of the same shape.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_VIEW | OP_INTERNAL | OP_HANDS_ON,
    .infer = infer_same,
    .kernel = kernel_same,
    .gradient = grad_stand_in,
};

// ---- handed_on

static bool grad_handed_on(GradCall *call)
{
    const AttrValue *name = &call->attrs[0];
    bool asked = false;
    for (uint32_t i = 1; i < call->input_count; i++) {
        asked = asked || grad_asked(call, i);
    }
    return !asked ||
           grad_unknown(call->emit->ctx,
                        op_desc((OpCode)op_find(name->text, name->count)));
}

// What an op gave when it ran, in the graph of a gradient, where it is not run
// again.
static const AttrDesc handed_on_attrs[] = {
    {"op", ATTR_STR, ATTR_HOST_ONLY, NULL},
};
const OpDesc op_handed_on = {
    .name = "handed_on",
    .params = "x, *sources",
    .doc = "x, which an op without a gradient made of the sources.",
    .min_inputs = 1,
    .max_inputs = 255,
    .output_count = 1,
    .flags = OP_VIEW | OP_INTERNAL,
    .attrs = handed_on_attrs,
    .attr_count = 1,
    .infer = infer_same,
    .kernel = kernel_same,
    .gradient = grad_handed_on,
};
