// Forms of several nodes: steps of one result each, whose references feed the
// next ones. A step is named after its op, below the name of the form.
#include "export/graphdef_step.h"

#include <stdarg.h>

bool step_begin(Form *form)
{
    return form_begin(form, op_desc(form->node->op)->name);
}

bool step_gives(Form *form, uint32_t output, const char *ref)
{
    form->scope->refs[node_output(form->node, output)] = ref;
    return ref != NULL;
}

// The node's head; its name, NULL also where an operand failed.
static const char *open_step(Form *form, const char *op, const char **inputs,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (inputs[i] == NULL) {
            return NULL;
        }
    }
    return form_inner(form, gd_base_name(op), op, inputs, count);
}

const char *step_result(Form *form, const char *name, const char *op,
                        uint32_t inputs, uint32_t index)
{
    return name != NULL ? scope_reference(form->scope, name, op, inputs, index)
                        : NULL;
}

const char *step_open(Form *form, const char *op, uint32_t count, ...)
{
    const char *inputs[STEP_MAX_INPUTS];
    va_list args;
    va_start(args, count);
    for (uint32_t i = 0; i < count; i++) {
        inputs[i] = va_arg(args, const char *);
    }
    va_end(args);
    return open_step(form, op, inputs, count);
}

const char *step_close(Form *form, const char *name, const char *op,
                       uint32_t inputs)
{
    return name != NULL ? form_inner_close(form, name, op, inputs) : NULL;
}

const char *step_1(Form *form, const char *op, const char *x, StepTypes types)
{
    return step_many(form, op, &x, 1, types);
}

const char *step_2(Form *form, const char *op, const char *x, const char *y,
                   StepTypes types)
{
    return step_many(form, op, (const char *[]){x, y}, 2, types);
}

const char *step_many(Form *form, const char *op, const char **inputs,
                      uint32_t count, StepTypes types)
{
    const char *name = open_step(form, op, inputs, count);
    for (int i = 0; name != NULL && i < 3 && types.keys[i] != NULL; i++) {
        gd_attr_type(form_text(form), types.keys[i], types.types[i]);
    }
    return step_close(form, name, op, count);
}

const char *step_int(Form *form, const char *part, int64_t value)
{
    return form_const(form, part, &value, 0, 1);
}

const char *step_number(Form *form, const char *part, DType dtype, double value)
{
    Ctx *ctx = form->scope->writer->ctx;
    const char *base = scope_print(form->scope, "%s/%s", form->name, part);
    Tensor *tensor = base == NULL ? NULL
                     : dtype_is_float(dtype)
                         ? tensor_scalar_float(ctx, dtype, value)
                         : tensor_scalar_int(ctx, dtype, (int64_t)value);
    const char *ref =
        tensor != NULL ? scope_const(form->scope, base, tensor) : NULL;
    object_release_null(ctx, tensor);
    return ref;
}

const char *step_text(Form *form, const char *part, const char *bytes,
                      size_t length)
{
    Ctx *ctx = form->scope->writer->ctx;
    const char *base = scope_print(form->scope, "%s/%s", form->name, part);
    Tensor *tensor =
        base != NULL ? tensor_scalar_string(ctx, bytes, length) : NULL;
    const char *ref =
        tensor != NULL ? scope_const(form->scope, base, tensor) : NULL;
    object_release_null(ctx, tensor);
    return ref;
}

const char *step_shape(Form *form, const char *x, DType dtype)
{
    return step_1(form, "Shape", x,
                  TYPES({"T", "out_type"}, {dtype, DT_INT32}));
}

const char *step_reshape(Form *form, const char *x, const char *shape,
                         DType dtype)
{
    return step_2(form, "Reshape", x, shape,
                  TYPES({"T", "Tshape"}, {dtype, DT_INT32}));
}

const char *step_flat(Form *form, const char *x, DType dtype)
{
    static const int64_t all = -1;
    return step_reshape(form, x, form_const(form, "flat", &all, 1, 1), dtype);
}

const char *step_size(Form *form, uint32_t operand, int axis)
{
    TensorType type = form_in(form, operand);
    if (type.dims[axis] != DIM_UNKNOWN) {
        return step_int(form, "size", type.dims[axis]);
    }
    const char *shape = step_shape(form, form->inputs[operand], type.dtype);
    return step_gather(form, shape, DT_INT32, step_int(form, "at", axis), 0);
}

const char *step_gather(Form *form, const char *x, DType dtype,
                        const char *indices, int64_t axis)
{
    const char *inputs[3] = {x, indices, step_int(form, "axis", axis)};
    return step_many(
        form, "GatherV2", inputs, 3,
        TYPES({"Tparams", "Tindices", "Taxis"}, {dtype, DT_INT32, DT_INT32}));
}

const char *step_cast(Form *form, const char *x, DType from, DType to)
{
    return from == to
               ? x
               : step_1(form, "Cast", x, TYPES({"SrcT", "DstT"}, {from, to}));
}

const char *step_swap(Form *form, const char *x, TensorType type, int axis)
{
    int64_t axes[SHAPE_MAX_RANK];
    int last = type.rank - 1;
    if (axis == last) {
        return x;
    }
    for (int i = 0; i <= last; i++) {
        axes[i] = i == axis ? last : i == last ? axis : i;
    }
    return step_2(form, "Transpose", x,
                  form_const(form, "perm", axes, 1, type.rank),
                  TYPES({"T", "Tperm"}, {type.dtype, DT_INT32}));
}

const char *step_wrap(Form *form, const char *index, DType dtype,
                      const char *size)
{
    const char *zero = step_number(form, "zero", dtype, 0);
    const char *inputs[3] = {NULL, NULL, index};
    size = size != NULL ? step_cast(form, size, DT_INT32, dtype) : NULL;
    inputs[0] = step_2(form, "Less", index, zero, TYPES({"T"}, {dtype}));
    inputs[1] = step_2(form, "AddV2", index, size, TYPES({"T"}, {dtype}));
    return step_many(form, "SelectV2", inputs, 3, TYPES({"T"}, {dtype}));
}
