// Kernels of float16 and bfloat16: those of float32, on copies.
//
// What a kernel sums, sorts or multiplies is so computed in float32 and rounded
// once, when it is done. Elementwise ops convert in their loops instead.
#include "ops/elementwise.h"

static bool is_half(const Tensor *tensor)
{
    return tensor != NULL && dtype_is_half((DType)tensor->dtype);
}

// The half that takes part; DT_NONE: none does.
static DType half_of(const KernelCall *call)
{
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (is_half(call->inputs[i])) {
            return (DType)call->inputs[i]->dtype;
        }
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        if (is_half(call->outputs[i])) {
            return (DType)call->outputs[i]->dtype;
        }
    }
    return DT_NONE;
}

static Tensor *converted(Ctx *ctx, Tensor *tensor, DType dtype)
{
    Tensor *made = tensor_new(ctx, dtype, tensor->rank, tensor_dims(tensor));
    AttrValue attr = attr_of_dtype(dtype);
    KernelCall cast = {ctx, op_desc(OP_CAST), &attr, &tensor, 1, 1, &made};
    if (made != NULL && !elementwise_run(&cast, OP_CAST)) {
        object_release(ctx, made);
        return NULL;
    }
    return made;
}

// Owned: in float32, or the tensor itself.
static Tensor *widened(Ctx *ctx, Tensor *tensor)
{
    return is_half(tensor) ? converted(ctx, tensor, DT_FLOAT32)
                           : object_retain(tensor);
}

// Outputs that exist are filled; the kernel made the others.
static bool run_wide(const KernelCall *call, DType half, Tensor **inputs,
                     Tensor **outputs)
{
    Ctx *ctx = call->ctx;
    KernelCall wide = *call;
    wide.inputs = inputs;
    wide.outputs = outputs;
    for (uint32_t i = 0; i < call->input_count; i++) {
        inputs[i] = widened(ctx, call->inputs[i]);
        if (inputs[i] == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < call->output_count; i++) {
        Tensor *own = call->outputs[i];
        outputs[i] = own == NULL    ? NULL
                     : is_half(own) ? tensor_new(ctx, DT_FLOAT32, own->rank,
                                                 tensor_dims(own))
                                    : object_retain(own);
        if (own != NULL && outputs[i] == NULL) {
            return false;
        }
    }
    bool ok = call->op->kernel(&wide);
    AttrValue attr = attr_of_dtype(half);
    for (uint32_t i = 0; ok && i < call->output_count; i++) {
        Tensor **own = &call->outputs[i];
        if (*own == NULL) {
            *own = outputs[i]->dtype == DT_FLOAT32
                       ? converted(ctx, outputs[i], half)
                       : object_retain(outputs[i]);
            ok = *own != NULL;
        } else if (*own != outputs[i]) {
            KernelCall cast = {ctx, op_desc(OP_CAST), &attr, &outputs[i], 1, 1,
                               own};
            ok = elementwise_run(&cast, OP_CAST);
        }
    }
    return ok;
}

bool op_compute(const KernelCall *call)
{
    enum { AS_THEY_ARE = OP_HALVES | OP_VIEW | OP_LISTS };
    DType half = call->op->flags & AS_THEY_ARE ? DT_NONE : half_of(call);
    if (LIKELY(half == DT_NONE)) {
        return call->op->kernel(call);
    }
    uint32_t count = call->input_count + call->output_count;
    Tensor **room = ctx_alloc_zero(call->ctx, count * sizeof(*room));
    bool ok =
        room != NULL && run_wide(call, half, room, room + call->input_count);
    for (uint32_t i = 0; room != NULL && i < count; i++) {
        object_release_null(call->ctx, room[i]);
    }
    ctx_free(call->ctx, room, count * sizeof(*room));
    return ok;
}
