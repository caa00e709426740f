// Parts of lists in a graph: a slice, two lists one behind the other, one
// element taken out or put in, another length. As in ops_list.c a change gives
// a new list.
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_list.h"
#include "ops/tensor_move.h"

// Input 0 is a list, inputs from `first_int` on are single ints, and output
// `output` is of this dtype and of the shape of the list's elements.
static bool infer_like(InferCall *call, uint32_t first_int, uint32_t output,
                       bool list)
{
    TensorType element;
    bool ok = infer_list(call, &element);
    for (uint32_t i = first_int; ok && i < call->input_count; i++) {
        ok = infer_list_index(call, i);
    }
    return ok && infer_output(call, output,
                              list ? call->inputs[0].dtype : element.dtype,
                              element.rank, element.dims);
}

// A new list of elements that other lists keep: `first` to before `end` of
// `from`, behind those of `out`.
static void push_range(Tensor *out, const Tensor *from, int64_t first,
                       int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        tensor_list_push(out, tensor_list_share(from, i));
    }
}

// --- list_slice

static const AttrDesc step_attrs[] = {
    {"step", ATTR_INT, ATTR_HOST_ONLY, "1"},
};

static bool infer_list_slice(InferCall *call)
{
    return infer_like(call, 1, 0, true);
}

static bool run_list_slice(StepCall *call)
{
    const Tensor *list = call->table->input(call, 0);
    int64_t step = attr_int(call->table->attr(call, 0), 1), first, count;
    if (!tensor_list_range(call->ctx, call->table->input(call, 1),
                           call->table->input(call, 2), step, list->count,
                           &first, &count)) {
        return false;
    }
    Tensor *out =
        tensor_list_new(call->ctx, dtype_element((DType)list->dtype), count);
    for (int64_t i = 0; out != NULL && i < count; i++) {
        tensor_list_push(out, tensor_list_share(list, first + i * step));
    }
    if (out != NULL) {
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
    .attrs = step_attrs,
    .attr_count = 1,
    .infer = infer_list_slice,
    .run = run_list_slice,
    .gradient = grad_list_slice,
};

// --- list_concat

static bool infer_list_concat(InferCall *call)
{
    return infer_list_with(call, 1, true);
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
    .gradient = grad_list_concat,
};

// --- list_take

static const AttrDesc take_attrs[] = {
    {"delete", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
};

static bool infer_list_take(InferCall *call)
{
    call->output_count = 2;
    return infer_like(call, 1, 0, true) && infer_like(call, 1, 1, false);
}

static bool run_list_take(StepCall *call)
{
    Ctx *ctx = call->ctx;
    const Tensor *list = call->table->input(call, 0);
    TensorType type = call->table->output_type(call, 1);
    int64_t at;
    if (!tensor_list_index(ctx, call->table->input(call, 1), &at)) {
        return false;
    }
    at += at < 0 ? list->count : 0;
    if (at < 0 || at >= list->count) {
        bool deletes = attr_bool(call->table->attr(call, 0), false);
        return ctx_fail(ctx, ERR_INDEX, "%s",
                        deletes ? "list assignment index out of range"
                        : list->count == 0 ? "pop from empty list"
                                           : "pop index out of range");
    }
    Tensor *item = tensor_list_item(ctx, list, at, type.rank, type.dims);
    Tensor *out = item == NULL
                      ? NULL
                      : tensor_list_new(ctx, dtype_element((DType)list->dtype),
                                        list->count - 1);
    if (out == NULL) {
        object_release_null(ctx, item);
        return false;
    }
    push_range(out, list, 0, at);
    push_range(out, list, at + 1, list->count);
    call->table->set_output(call, 1, item);
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
    .attrs = take_attrs,
    .attr_count = 1,
    .infer = infer_list_take,
    .run = run_list_take,
    .gradient = grad_list_take,
};

// --- list_insert

static bool infer_list_insert(InferCall *call)
{
    return infer_list_index(call, 1) && infer_list_with(call, 2, false);
}

static bool run_list_insert(StepCall *call)
{
    const Tensor *list = call->table->input(call, 0);
    int64_t at;
    if (!tensor_list_index(call->ctx, call->table->input(call, 1), &at)) {
        return false;
    }
    at += at < 0 ? list->count + 1 : 0;
    if (at < 0 || at > list->count) {
        return ctx_fail(call->ctx, ERR_INDEX, "list index out of range");
    }
    Tensor *out = tensor_list_new(call->ctx, dtype_element((DType)list->dtype),
                                  list->count + 1);
    if (out == NULL) {
        return false;
    }
    push_range(out, list, 0, at);
    tensor_list_push(out, object_retain(call->table->input(call, 2)));
    push_range(out, list, at, list->count);
    call->table->set_output(call, 0, out);
    return true;
}

const OpDesc op_list_insert = {
    .name = "list_insert",
    .params = "list, index, item",
    .doc = "The list from which list_take takes this element at this index.",
    .min_inputs = 3,
    .max_inputs = 3,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_insert,
    .run = run_list_insert,
    .gradient = grad_list_insert,
};

// --- list_resize

static bool infer_list_resize(InferCall *call)
{
    return infer_like(call, 1, 0, true);
}

static bool run_list_resize(StepCall *call)
{
    int64_t count;
    if (!tensor_list_index(call->ctx, call->table->input(call, 1), &count)) {
        return false;
    }
    if (count < 0 || count > INT32_MAX) {
        return ctx_fail(call->ctx, ERR_VALUE, "a list of %lld elements",
                        (long long)count);
    }
    Tensor *list = call->table->take(call, 0);
    list = tensor_list_own(call->ctx, list, count);
    if (list == NULL) {
        return false;
    }
    while (list->count > count) {
        object_release_null(call->ctx, tensor_list_pop(list));
    }
    while (list->count < count) {
        tensor_list_push(list, NULL);
    }
    call->table->set_output(call, 0, list);
    return true;
}

const OpDesc op_list_resize = {
    .name = "list_resize",
    .params = "list, size",
    .doc = "The list cut to a length, or with elements behind its own that "
           "were never written.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_resize,
    .run = run_list_resize,
    .gradient = grad_list_resize,
};
