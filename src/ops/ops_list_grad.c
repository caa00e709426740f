// What gradients of lists are made of: zeros, sums, and a part of a list that
// is added to. An element that was never written is zero here too.
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_list.h"

// The output is a list that covers all lists among the inputs.
static bool infer_list_same(InferCall *call)
{
    TensorType element;
    Shape shape;
    if (!infer_list(call, &element)) {
        return false;
    }
    shape_set(&shape, element.rank, element.dims);
    for (uint32_t i = 1; i < call->input_count; i++) {
        bool ok =
            dtype_is_list(call->inputs[i].dtype)
                ? infer_list_joined(call, call->inputs[0].dtype, &shape, i)
                : infer_list_index(call, i);
        if (!ok) {
            return false;
        }
    }
    return infer_list_output(call, element.dtype, &shape);
}

// The sum of two elements, owned, NULL where neither was written. `*ok` tells a
// failure.
static Tensor *sum_items(Ctx *ctx, Tensor *a, Tensor *b, bool *ok)
{
    static const AttrValue none[OP_MAX_ATTRS];
    Tensor *both[2] = {a, b}, *made[OP_MAX_OUTPUTS];
    uint32_t outputs;
    if (a == NULL || b == NULL) {
        a = a != NULL ? a : b;
        return a != NULL ? object_retain(a) : NULL;
    }
    *ok = op_run(ctx, OP_ADD, both, 2, none, made, &outputs);
    return *ok ? made[0] : NULL;
}

// --- list_zeros

static bool run_list_zeros(StepCall *call)
{
    static const AttrValue none[OP_MAX_ATTRS];
    const Tensor *list = call->table->input(call, 0);
    Tensor *made = tensor_list_new(call->ctx, dtype_element((DType)list->dtype),
                                   list->count);
    for (int64_t i = 0; made != NULL && i < list->count; i++) {
        Tensor *item[OP_MAX_OUTPUTS] = {tensor_list_items(list)[i]};
        uint32_t outputs;
        if (item[0] != NULL &&
            !op_run(call->ctx, OP_ZEROS_LIKE, item, 1, none, item, &outputs)) {
            object_release(call->ctx, made);
            return false;
        }
        tensor_list_push(made, item[0]);
    }
    if (made != NULL) {
        call->table->set_output(call, 0, made);
    }
    return made != NULL;
}

const OpDesc op_list_zeros = {
    .name = "list_zeros",
    .params = "list",
    .doc = "A list of zeros in the shapes of the elements.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS,
    .infer = infer_list_same,
    .run = run_list_zeros,
    .gradient = grad_none,
};

// --- list_blank

static bool infer_list_blank(InferCall *call)
{
    TensorType element;
    return infer_list(call, &element) && infer_list_index(call, 1) &&
           infer_output(call, 0, element.dtype, element.rank, element.dims);
}

// What was never written has no shape, and one zero adds to any.
static bool run_list_blank(StepCall *call)
{
    static const AttrValue none[OP_MAX_ATTRS];
    const Tensor *list = call->table->input(call, 0);
    TensorType type = call->table->output_type(call, 0);
    int64_t at;
    if (!tensor_list_index(call->ctx, call->table->input(call, 1), &at)) {
        return false;
    }
    at += at < 0 ? list->count : 0;
    if (at < 0 || at >= list->count) {
        return ctx_fail(call->ctx, ERR_INDEX,
                        "list assignment index out of range");
    }
    Tensor *item[OP_MAX_OUTPUTS] = {tensor_list_items(list)[at]};
    uint32_t outputs;
    if (item[0] != NULL) {
        if (!op_run(call->ctx, OP_ZEROS_LIKE, item, 1, none, item, &outputs)) {
            return false;
        }
    } else if (shape_is_static(type.rank, type.dims)) {
        item[0] = tensor_list_item(call->ctx, list, at, type.rank, type.dims);
    } else {
        item[0] = tensor_scalar_float(call->ctx, type.dtype, 0);
    }
    if (item[0] != NULL) {
        call->table->set_output(call, 0, item[0]);
    }
    return item[0] != NULL;
}

const OpDesc op_list_blank = {
    .name = "list_blank",
    .params = "list, index",
    .doc = "Zeros in the shape of one element, or one zero where it was never "
           "written and has none.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_blank,
    .run = run_list_blank,
    .gradient = grad_none,
};

// --- list_add, list_slice_add

// The list, owned by its one holder, with those of `part` added to its elements
// from `first` on, `step` apart.
static bool add_part(StepCall *call, Tensor *list, const Tensor *part,
                     int64_t first, int64_t step)
{
    Tensor **items = tensor_list_items(list);
    bool ok = true;
    for (int64_t i = 0; ok && i < part->count; i++) {
        Tensor **to = &items[first + i * step], *old = *to;
        Tensor *sum =
            sum_items(call->ctx, old, tensor_list_items(part)[i], &ok);
        if (ok) {
            *to = sum;
            object_release_null(call->ctx, old);
        }
    }
    if (!ok) {
        object_release(call->ctx, list);
        return false;
    }
    call->table->set_output(call, 0, list);
    return true;
}

static bool run_list_add(StepCall *call)
{
    const Tensor *part = call->table->input(call, 1);
    int64_t count = call->table->input(call, 0)->count;
    if (count != part->count) {
        return ctx_fail(call->ctx, ERR_VALUE,
                        "list_add: lists of %lld and %lld elements",
                        (long long)count, (long long)part->count);
    }
    Tensor *list =
        tensor_list_own(call->ctx, call->table->take(call, 0), count);
    return list != NULL && add_part(call, list, part, 0, 1);
}

const OpDesc op_list_add = {
    .name = "list_add",
    .params = "x1, x2",
    .doc = "The sums of the elements of two lists of one length.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_same,
    .run = run_list_add,
    .gradient = grad_list_add,
};

static bool run_list_slice_add(StepCall *call)
{
    const Tensor *part = call->table->input(call, 1);
    int64_t count = call->table->input(call, 0)->count, first, size;
    int64_t step = attr_int(call->table->attr(call, 0), 1);
    if (!tensor_list_range(call->ctx, call->table->input(call, 2),
                           call->table->input(call, 3), step, count, &first,
                           &size)) {
        return false;
    }
    if (size != part->count) {
        return ctx_fail(call->ctx, ERR_VALUE,
                        "list_slice_add: a part of another length");
    }
    Tensor *list =
        tensor_list_own(call->ctx, call->table->take(call, 0), count);
    return list != NULL && add_part(call, list, part, first, step);
}

static const AttrDesc step_attrs[] = {
    {"step", ATTR_INT, ATTR_HOST_ONLY, "1"},
};

const OpDesc op_list_slice_add = {
    .name = "list_slice_add",
    .params = "list, part, start, stop",
    .doc = "The list with the elements of another one added to those of its "
           "slice.",
    .min_inputs = 4,
    .max_inputs = 4,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .attrs = step_attrs,
    .attr_count = 1,
    .infer = infer_list_same,
    .run = run_list_slice_add,
    .gradient = grad_list_slice_add,
};
