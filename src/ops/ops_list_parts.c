// Parts of lists in a graph: a slice, two lists one behind the other, and one
// element taken out. As in ops_list.c a change gives a new list.
#include "ops/infer.h"
#include "ops/tensor_list.h"
#include "ops/tensor_move.h"

static bool is_index(TensorType type)
{
    return !dtype_is_list(type.dtype) && dtype_is_integer(type.dtype) &&
           type.rank <= 0;
}

// Input 0 is a list, and the op's ints are single ones.
static bool infer_list_of(InferCall *call, uint32_t first_int)
{
    if (!dtype_is_list(call->inputs[0].dtype)) {
        return ctx_fail(call->ctx, ERR_TYPE, "%s: takes a list of tensors",
                        call->op->name);
    }
    for (uint32_t i = first_int; i < call->input_count; i++) {
        if (!is_index(call->inputs[i])) {
            return ctx_fail(call->ctx, ERR_TYPE,
                            "%s: the index must be one int", call->op->name);
        }
    }
    return true;
}

static bool output_like(InferCall *call, uint32_t output, DType dtype)
{
    TensorType list = call->inputs[0];
    return infer_output(call, output, dtype, list.rank, list.dims);
}

// A new list of elements that other lists keep: `first` to before `end` of
// `from`, behind those of `out`.
static void push_range(Tensor *out, const Tensor *from, int64_t first,
                       int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        tensor_list_push(out, object_retain(tensor_list_items(from)[i]));
    }
}

// --- list_slice

static bool infer_list_slice(InferCall *call)
{
    return infer_list_of(call, 1) &&
           output_like(call, 0, call->inputs[0].dtype);
}

// As the host clamps the bounds of a slice.
static int64_t find_bound(StepCall *call, uint32_t input, int64_t count)
{
    int64_t at = tensor_int_at(call->table->input(call, input), 0);
    at += at < 0 ? count : 0;
    return at < 0 ? 0 : at > count ? count : at;
}

static bool run_list_slice(StepCall *call)
{
    const Tensor *list = call->table->input(call, 0);
    int64_t start = find_bound(call, 1, list->count);
    int64_t stop = find_bound(call, 2, list->count);
    stop = stop < start ? start : stop;
    Tensor *out = tensor_list_new(call->ctx, dtype_element((DType)list->dtype),
                                  stop - start);
    if (out != NULL) {
        push_range(out, list, start, stop);
        call->table->set_output(call, 0, out);
    }
    return out != NULL;
}

const OpDesc op_list_slice = {
    .name = "list_slice",
    .params = "list, start, stop",
    .doc = "The elements from start to before stop; negative ones count from "
           "the end.",
    .min_inputs = 3,
    .max_inputs = 3,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS,
    .infer = infer_list_slice,
    .run = run_list_slice,
};

// --- list_concat

static bool infer_list_concat(InferCall *call)
{
    TensorType a = call->inputs[0], b = call->inputs[1];
    if (!infer_list_of(call, call->input_count)) {
        return false;
    }
    if (a.dtype != b.dtype) {
        return ctx_fail(call->ctx, ERR_DTYPE,
                        "list_concat: lists of %s and of %s",
                        dtype_name(dtype_element(a.dtype)),
                        dtype_name(dtype_element(b.dtype)));
    }
    Shape shape = {.rank = RANK_UNKNOWN};
    if (a.rank == b.rank && a.rank >= 0) {
        shape_set(&shape, a.rank, a.dims);
    }
    for (int i = 0; i < shape.rank; i++) {
        shape.dims[i] = a.dims[i] == b.dims[i] ? a.dims[i] : DIM_UNKNOWN;
    }
    return infer_output(call, 0, a.dtype, shape.rank, shape.dims);
}

static bool run_list_concat(StepCall *call)
{
    const Tensor *a = call->table->input(call, 0);
    const Tensor *b = call->table->input(call, 1);
    Tensor *out = tensor_list_new(call->ctx, dtype_element((DType)a->dtype),
                                  a->count + b->count);
    if (out != NULL) {
        push_range(out, a, 0, a->count);
        push_range(out, b, 0, b->count);
        call->table->set_output(call, 0, out);
    }
    return out != NULL;
}

const OpDesc op_list_concat = {
    .name = "list_concat",
    .params = "a, b",
    .doc = "The elements of one list, then those of the other.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS,
    .infer = infer_list_concat,
    .run = run_list_concat,
};

// --- list_take

static bool infer_list_take(InferCall *call)
{
    call->output_count = 2;
    return infer_list_of(call, 1) &&
           output_like(call, 0, call->inputs[0].dtype) &&
           output_like(call, 1, dtype_element(call->inputs[0].dtype));
}

static bool run_list_take(StepCall *call)
{
    const Tensor *list = call->table->input(call, 0);
    int64_t at = tensor_int_at(call->table->input(call, 1), 0);
    at += at < 0 ? list->count : 0;
    if (at < 0 || at >= list->count) {
        return ctx_fail(call->ctx, ERR_INDEX, "%s",
                        list->count == 0 ? "pop from empty list"
                                         : "pop index out of range");
    }
    Tensor *out = tensor_list_new(call->ctx, dtype_element((DType)list->dtype),
                                  list->count - 1);
    if (out == NULL) {
        return false;
    }
    push_range(out, list, 0, at);
    push_range(out, list, at + 1, list->count);
    call->table->set_output(call, 1,
                            object_retain(tensor_list_items(list)[at]));
    call->table->set_output(call, 0, out);
    return true;
}

const OpDesc op_list_take = {
    .name = "list_take",
    .params = "list, index",
    .doc = "The list without one element, and that element; a negative index "
           "counts from the end.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 2,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_take,
    .run = run_list_take,
};
