// The op table: finding, inferring and running ops.
#include "ops/op.h"

#include <string.h>

#include "ops/elementwise.h"
#include "ops/emit.h"

#define OP(id, desc) extern const OpDesc desc;
#include "ops/op_list.h"
#undef OP

const OpDesc *const op_table[OP_COUNT] = {
#define OP(id, desc) [OP_##id] = &desc,
#include "ops/op_list.h"
#undef OP
};

int op_find(const char *name, size_t length)
{
    for (int i = 0; i < OP_COUNT; i++) {
        const char *known = op_table[i]->name;
        if (strncmp(known, name, length) == 0 && known[length] == '\0') {
            return i;
        }
    }
    return -1;
}

TileFn op_tile(const Ctx *ctx, const OpDesc *op, const DType *dtypes,
               const AttrValue *attrs)
{
    const Tier *tier = ctx->kernels->tier;
    DType dtype = dtypes[op->tile == TILE_WHERE ? 1 : 0];
    if (dtype == DT_STRING) {
        return NULL;
    }
    if (op->result == RESULT_CAST) {
        return attrs[0].dtype == DT_STRING
                   ? NULL
                   : tier->casts[dtype][attrs[0].dtype];
    }
    return tier->tiles[op->tile][dtype];
}

bool op_tile_fail(Ctx *ctx, const OpDesc *op)
{
    return ctx_fail(ctx, op->tile_error, "%s: %s", op->name, op->tile_text);
}

bool op_infer(InferCall *call)
{
    const OpDesc *op = call->op;
    if (call->input_count < op->min_inputs ||
        (op->max_inputs != UINT8_MAX && call->input_count > op->max_inputs)) {
        return ctx_fail(call->ctx, ERR_TYPE, "%s: %u operands given, takes %u",
                        op->name, call->input_count, op->min_inputs);
    }
    call->output_count = 1;
    call->split_axis = 0;
    call->split_sizes = NULL;
    return op->infer(call);
}

void op_output_type(const InferCall *call, uint32_t index, DType *dtype,
                    Shape *shape)
{
    uint32_t from = call->output_count > OP_MAX_OUTPUTS ? 0 : index;
    const Shape *known = &call->out_shapes[from];
    *dtype = call->out_dtypes[from];
    shape_set(shape, known->rank, known->dims);
    if (from != index && call->split_sizes != NULL) {
        int64_t size = call->split_sizes[index];
        shape->dims[call->split_axis] = size < 0 ? call->split_rest : size;
    }
}

static bool new_outputs(const InferCall *call, Tensor **outputs)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        DType dtype;
        Shape shape;
        op_output_type(call, i, &dtype, &shape);
        outputs[i] = tensor_new(call->ctx, dtype, shape.rank, shape.dims);
        if (outputs[i] == NULL) {
            return false;
        }
    }
    return true;
}

static void drop_outputs(Ctx *ctx, Tensor **outputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        object_release_null(ctx, outputs[i]);
        outputs[i] = NULL;
    }
}

enum { RUN_INPUTS = 16 }; // more operands take heap memory

static bool run_inferred(InferCall *infer, Tensor *const *inputs,
                         Tensor **outputs)
{
    const OpDesc *op = infer->op;
    KernelCall kernel = {.ctx = infer->ctx,
                         .op = op,
                         .attrs = infer->attrs,
                         .inputs = inputs,
                         .input_count = infer->input_count,
                         .output_count = infer->output_count,
                         .outputs = outputs};
    memset(outputs, 0, infer->output_count * sizeof(*outputs));
    bool made = (op->flags & (OP_DYNAMIC_SHAPE | OP_VIEW)) != 0 ||
                new_outputs(infer, outputs);
    bool elementwise = (op->flags & OP_ELEMENTWISE) != 0;
    if (made &&
        (elementwise ? elementwise_run(&kernel) : op->kernel(&kernel))) {
        return true;
    }
    drop_outputs(infer->ctx, outputs, infer->output_count);
    return false;
}

bool op_run(Ctx *ctx, OpCode code, Tensor *const *inputs, uint32_t input_count,
            const AttrValue *attrs, Tensor **outputs, uint32_t *output_count)
{
    const OpDesc *op = op_table[code];
    if (LIKELY(op->flags & OP_ELEMENTWISE) && input_count > 0) {
        int quick = elementwise_quick(ctx, op, inputs, input_count, outputs);
        if (LIKELY(quick != 0)) {
            *output_count = 1;
            return quick > 0;
        }
    }
    if (op->quick != NULL && input_count == op->min_inputs) {
        int quick = op->quick(ctx, inputs, outputs);
        if (LIKELY(quick != 0)) {
            *output_count = 1;
            return quick > 0;
        }
    }
    if (UNLIKELY(op->compose != NULL)) {
        outputs[0] = emit_run(ctx, op, inputs, input_count, attrs);
        *output_count = outputs[0] != NULL;
        return outputs[0] != NULL;
    }
    TensorType few[RUN_INPUTS], *types = few;
    size_t size = input_count * sizeof(*types);
    if (input_count > RUN_INPUTS) {
        types = ctx_alloc(ctx, size);
        if (types == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < input_count; i++) {
        types[i] = tensor_type(inputs[i]);
    }
    InferCall call;
    call.ctx = ctx;
    call.op = op;
    call.attrs = attrs;
    call.inputs = types;
    call.values = inputs;
    call.input_count = input_count;
    bool ok = op_infer(&call) && run_inferred(&call, inputs, outputs);
    *output_count = ok ? call.output_count : 0;
    if (types != few) {
        ctx_free(ctx, types, size);
    }
    return ok;
}
