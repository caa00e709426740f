// A tensor cut into a list along its first axis, and the way back. The elements
// may differ in that axis alone.
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_list.h"
#include "ops/tensor_move.h"

static bool fail_scalar(Ctx *ctx)
{
    return ctx_fail(ctx, ERR_SHAPE,
                    "an element has no axis, and cannot be joined");
}

// --- list_join

static const AttrDesc join_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_ONLY, "None"},
};

static bool infer_list_join(InferCall *call)
{
    TensorType element;
    Shape shape;
    if (!infer_list(call, &element) ||
        !infer_list_known(call, element, &shape)) {
        return false;
    }
    if (shape.rank == 0) {
        return fail_scalar(call->ctx);
    }
    shape.dims[0] = DIM_UNKNOWN;
    return infer_output(call, 0, element.dtype, shape.rank, shape.dims);
}

// All axes but the first agree with those of the first element.
static bool check_rows(Ctx *ctx, const Tensor *item, const Tensor *first)
{
    return item->rank == 0
               ? fail_scalar(ctx)
               : (item->rank == first->rank &&
                  shape_equal(item->rank - 1, tensor_dims(item) + 1,
                              first->rank - 1, tensor_dims(first) + 1)) ||
                     ctx_fail(ctx, ERR_SHAPE,
                              "concat: shapes of the elements "
                              "differ behind the first axis");
}

// The elements as they are read, `list->count` of them, owned; and how many
// rows they have.
static bool read_items(StepCall *call, const Tensor *list, Tensor **items,
                       int64_t *rows)
{
    const AttrValue *shape = call->table->attr(call, 0);
    TensorType type = call->table->output_type(call, 0);
    int rank = attr_given(shape) ? (int)shape->count : RANK_UNKNOWN;
    bool ok = true;
    for (int i = 0; i < rank; i++) {
        rank = shape->ints[i] == ATTR_INT_NONE ? RANK_UNKNOWN : rank;
    }
    for (int64_t i = 0; ok && i < list->count; i++) {
        items[i] = tensor_list_item(call->ctx, list, i, rank, shape->ints);
        ok = items[i] != NULL && check_rows(call->ctx, items[i], items[0]) &&
             tensor_list_fits(call->ctx, items[i], type.rank, type.dims);
        *rows += ok ? tensor_dims(items[i])[0] : 0;
    }
    return ok;
}

// Of an empty list: none of the rows that the graph knows.
static bool find_rows(StepCall *call, const Tensor *first, Shape *shape)
{
    TensorType type = call->table->output_type(call, 0);
    if (first != NULL) {
        shape_set(shape, first->rank, tensor_dims(first));
        return true;
    }
    if (type.rank > 0 && shape_is_static(type.rank - 1, type.dims + 1)) {
        shape_set(shape, type.rank, type.dims);
        return true;
    }
    return ctx_fail(call->ctx, ERR_SHAPE,
                    "concat: an empty list, whose elements' shape is not "
                    "known");
}

static Tensor *join_items(StepCall *call, const Tensor *list, Tensor **items)
{
    int64_t rows = 0, at = 0;
    Shape shape;
    if (!read_items(call, list, items, &rows) ||
        !find_rows(call, list->count > 0 ? items[0] : NULL, &shape)) {
        return NULL;
    }
    shape.dims[0] = rows;
    Tensor *out = tensor_new(call->ctx, dtype_element((DType)list->dtype),
                             shape.rank, shape.dims);
    for (int64_t i = 0; out != NULL && i < list->count; i++) {
        if (!tensor_copy(call->ctx, out, at, items[i], 0, items[i]->count)) {
            object_release(call->ctx, out);
            return NULL;
        }
        at += items[i]->count;
    }
    return out;
}

static bool run_list_join(StepCall *call)
{
    const Tensor *list = call->table->input(call, 0);
    size_t size = (size_t)(list->count + 1) * sizeof(Tensor *);
    Tensor **items = ctx_alloc_zero(call->ctx, size);
    Tensor *out = items != NULL ? join_items(call, list, items) : NULL;
    for (int64_t i = 0; items != NULL && i < list->count; i++) {
        object_release_null(call->ctx, items[i]);
    }
    ctx_free(call->ctx, items, size);
    if (out != NULL) {
        call->table->set_output(call, 0, out);
    }
    return out != NULL;
}

const OpDesc op_list_join = {
    .name = "list_join",
    .params = "list",
    .doc = "The elements one behind the other along their first axis.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL | OP_DYNAMIC_SHAPE,
    .attrs = join_attrs,
    .attr_count = 1,
    .infer = infer_list_join,
    .run = run_list_join,
    .gradient = grad_list_join,
};

// --- list_lengths

static bool infer_list_lengths(InferCall *call)
{
    static const int64_t any = DIM_UNKNOWN;
    TensorType element;
    return infer_list(call, &element) &&
           infer_output(call, 0, DT_INT64, 1, &any);
}

static bool run_list_lengths(StepCall *call)
{
    const Tensor *list = call->table->input(call, 0);
    Tensor *out = tensor_new(call->ctx, DT_INT64, 1, &list->count);
    for (int64_t i = 0; out != NULL && i < list->count; i++) {
        Tensor *item = tensor_list_item(call->ctx, list, i, RANK_UNKNOWN, NULL);
        if (item == NULL || item->rank == 0) {
            bool scalar = item != NULL && !fail_scalar(call->ctx);
            object_release_null(call->ctx, scalar ? item : NULL);
            object_release(call->ctx, out);
            return false;
        }
        tensor_set_int(out, i, tensor_dims(item)[0]);
        object_release(call->ctx, item);
    }
    if (out != NULL) {
        call->table->set_output(call, 0, out);
    }
    return out != NULL;
}

const OpDesc op_list_lengths = {
    .name = "list_lengths",
    .params = "list",
    .doc = "How long the first axis of each element is.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL | OP_DYNAMIC_SHAPE,
    .infer = infer_list_lengths,
    .run = run_list_lengths,
    .gradient = grad_none,
};

// --- list_split

static bool infer_list_split(InferCall *call)
{
    TensorType x = call->inputs[0], lengths = call->inputs[1];
    if (dtype_is_list(x.dtype) || dtype_is_list(lengths.dtype) ||
        !dtype_is_integer(lengths.dtype) || lengths.rank > 1) {
        return ctx_fail(call->ctx, ERR_TYPE,
                        "list_split: takes a tensor and a vector of ints");
    }
    if (x.rank == 0) {
        return fail_scalar(call->ctx);
    }
    Shape shape;
    shape_set(&shape, x.rank, x.dims);
    shape.dims[0] = DIM_UNKNOWN;
    return infer_list_output(call, x.dtype, &shape);
}

// Whether the lengths make up the tensor's first axis.
static bool check_lengths(Ctx *ctx, const Tensor *x, const Tensor *lengths)
{
    int64_t sum = 0;
    bool ok = true;
    for (int64_t i = 0; ok && i < lengths->count; i++) {
        int64_t length = tensor_int_at(lengths, i);
        ok = length >= 0 && length <= tensor_dims(x)[0] - sum;
        sum += length;
    }
    return (ok && sum == tensor_dims(x)[0]) ||
           ctx_fail(ctx, ERR_SHAPE, "split: the lengths do not add up to %lld",
                    (long long)tensor_dims(x)[0]);
}

static bool run_list_split(StepCall *call)
{
    Tensor *x = call->table->input(call, 0);
    const Tensor *lengths = call->table->input(call, 1);
    if (x->rank == 0) {
        return fail_scalar(call->ctx);
    }
    if (!check_lengths(call->ctx, x, lengths)) {
        return false;
    }
    Shape shape;
    shape_set(&shape, x->rank, tensor_dims(x));
    int64_t at = 0, width = shape.dims[0] > 0 ? x->count / shape.dims[0] : 0;
    Tensor *list = tensor_list_new(call->ctx, (DType)x->dtype, lengths->count);
    for (int64_t i = 0; list != NULL && i < lengths->count; i++) {
        shape.dims[0] = tensor_int_at(lengths, i);
        Tensor *item = tensor_window(call->ctx, x, at, shape.rank, shape.dims);
        if (item == NULL) {
            object_release(call->ctx, list);
            return false;
        }
        tensor_list_push(list, item);
        at += shape.dims[0] * width;
    }
    if (list != NULL) {
        call->table->set_output(call, 0, list);
    }
    return list != NULL;
}

const OpDesc op_list_split = {
    .name = "list_split",
    .params = "x, lengths",
    .doc = "A tensor's parts of these lengths along its first axis, as a list.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_split,
    .run = run_list_split,
    .gradient = grad_list_split,
};
