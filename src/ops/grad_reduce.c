// The gradient rules of reductions (ops_reduce.c).
#include "ops/grad.h"
#include "ops/infer.h"

// The axes that were reduced, as bits; all of a tensor of unknown rank if no
// axis was named.
static bool reduced_axes(const GradCall *call, uint32_t *mask, bool *all)
{
    TensorType type = emit_type(call->emit, call->inputs[0]);
    *all = !attr_given(&call->attrs[0]);
    *mask = 0;
    if (type.rank == RANK_UNKNOWN) {
        return *all ||
               infer_knows_rank(call->emit->ctx, call->op->name, type.rank);
    }
    return infer_axes(call->emit->ctx, call->op->name, &call->attrs[0],
                      type.rank, mask);
}

// A result, or its gradient, with the reduced axes put back as 1, so that it
// broadcasts against the operand. Where all are reduced a single number does.
static EmitValue keep_axes(const GradCall *call, EmitValue x)
{
    uint32_t mask;
    bool all;
    if (x == NULL || !reduced_axes(call, &mask, &all)) {
        return NULL;
    }
    bool kept = attr_bool(&call->attrs[1], false);
    for (int axis = 0; !all && !kept && axis < SHAPE_MAX_RANK; axis++) {
        AttrValue attr = {.kind = ATTR_INT, .integer = axis};
        if (mask >> axis & 1) {
            x = emit_1(call->emit, OP_EXPAND_DIMS, x, &attr);
        }
    }
    return x;
}

bool grad_sum(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0,
                     grad_broadcast_like(call->emit,
                                         keep_axes(call, call->output_grads[0]),
                                         call->inputs[0]));
}

// How many elements went into each of the result's, less `correction`.
static EmitValue reduced_count(const GradCall *call, double correction)
{
    Emit *e = call->emit;
    EmitValue count = grad_div(e, grad_count(e, call->inputs[0]),
                               grad_count(e, call->outputs[0]));
    return correction == 0 ? count
                           : emit_with(e, OP_SUBTRACT, count, correction);
}

bool grad_mean(GradCall *call)
{
    Emit *e = call->emit;
    if (!grad_asked(call, 0)) {
        return true;
    }
    EmitValue share =
        grad_div(e, call->output_grads[0], reduced_count(call, 0));
    return grad_give(
        call, 0,
        grad_broadcast_like(e, keep_axes(call, share), call->inputs[0]));
}

// 2 (x - mean) / (n - correction), times `g`, which has the result's shape.
static EmitValue variance_slope(const GradCall *call, EmitValue g)
{
    Emit *e = call->emit;
    EmitValue x = call->inputs[0];
    const AttrValue *correction = &call->attrs[2];
    double less = attr_given(correction) ? correction->number : 0;
    EmitValue mean = emit_1(e, OP_MEAN, x, call->attrs);
    EmitValue centred = grad_sub(e, x, keep_axes(call, mean));
    EmitValue share =
        grad_div(e, grad_times(e, g, 2), reduced_count(call, less));
    return grad_mul(e, centred, keep_axes(call, share));
}

bool grad_var(GradCall *call)
{
    return !grad_asked(call, 0) ||
           grad_give(call, 0, variance_slope(call, call->output_grads[0]));
}

bool grad_std(GradCall *call)
{
    Emit *e = call->emit;
    return !grad_asked(call, 0) ||
           grad_give(
               call, 0,
               variance_slope(
                   call, grad_div(e, grad_times(e, call->output_grads[0], 0.5),
                                  call->outputs[0])));
}

// max and min: equal elements share the gradient.
bool grad_extreme(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue x = call->inputs[0];
    if (!grad_asked(call, 0)) {
        return true;
    }
    EmitValue here = emit_2(e, OP_EQUAL, x, keep_axes(call, call->outputs[0]));
    EmitValue ones = emit_cast(e, here, emit_type(e, x).dtype);
    EmitValue share = grad_div(e, call->output_grads[0],
                               emit_1(e, OP_SUM, ones, call->attrs));
    return grad_give(call, 0, grad_mul(e, ones, keep_axes(call, share)));
}

bool grad_logsumexp(GradCall *call)
{
    Emit *e = call->emit;
    if (!grad_asked(call, 0)) {
        return true;
    }
    EmitValue shares = emit_1(
        e, OP_EXP,
        grad_sub(e, call->inputs[0], keep_axes(call, call->outputs[0])), NULL);
    return grad_give(
        call, 0, grad_mul(e, shares, keep_axes(call, call->output_grads[0])));
}

// Of each element the product of all others along the axis, which a quotient
// would not give where one is 0.
static EmitValue others(Emit *e, EmitValue x, int axis)
{
    AttrValue attrs[3] = {{.kind = ATTR_INT, .integer = axis},
                          {.kind = ATTR_BOOL, .boolean = true},
                          {.kind = ATTR_BOOL, .boolean = false}};
    EmitValue before = emit_1(e, OP_CUMPROD, x, attrs);
    attrs[2].boolean = true;
    return grad_mul(e, before, emit_1(e, OP_CUMPROD, x, attrs));
}

// One axis after the other, each product kept on the way.
bool grad_prod(GradCall *call)
{
    Emit *e = call->emit;
    EmitValue x = call->inputs[0], parts[SHAPE_MAX_RANK + 1];
    uint32_t mask;
    bool all;
    if (!grad_asked(call, 0)) {
        return true;
    }
    EmitValue g = keep_axes(call, call->output_grads[0]);
    if (g == NULL || !reduced_axes(call, &mask, &all)) {
        return false;
    }
    if (all) {
        EmitValue flat = grad_flat(e, x);
        return grad_give(
            call, 0,
            grad_reshape_like(
                e, grad_mul(e, grad_flat(e, g), others(e, flat, 0)), x));
    }
    parts[0] = x;
    for (int axis = 0; axis < SHAPE_MAX_RANK; axis++) {
        bool reduced = mask >> axis & 1;
        parts[axis + 1] =
            reduced ? emit_reduce(e, OP_PROD, parts[axis], 1u << axis, true)
                    : parts[axis];
    }
    for (int axis = SHAPE_MAX_RANK - 1; axis >= 0; axis--) {
        if (mask >> axis & 1) {
            g = grad_mul(e, g, others(e, parts[axis], axis));
        }
    }
    return grad_give(call, 0, g);
}
