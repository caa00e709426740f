// Lists of tensors in a graph: made, grown, read and stacked.
//
// A list is a value like others: an op that changes one gives a new list, and
// what held the old one still does. The memory is the same where the old list
// has no further use. Elements have one dtype; the type of a list covers the
// shapes of all that was put into it. Errors are those of the host's lists.
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/tensor_list.h"
#include "ops/tensor_move.h"

// --- types

// Input 0 is a list; *element is the type of its elements.
static bool infer_list(InferCall *call, TensorType *element)
{
    *element = call->inputs[0];
    if (!dtype_is_list(element->dtype)) {
        return ctx_fail(call->ctx, ERR_TYPE, "%s: takes a list of tensors",
                        call->op->name);
    }
    element->dtype = dtype_element(element->dtype);
    return true;
}

// Input `index`, to be an element, is of the list's dtype. What a shape has in
// common with it stays known in `shape`.
static bool infer_joined(InferCall *call, DType element, Shape *shape,
                         uint32_t index)
{
    TensorType type = call->inputs[index];
    if (type.dtype != element) {
        return ctx_fail(call->ctx, ERR_DTYPE, "%s: the list holds %s, not %s",
                        call->op->name, dtype_name(element),
                        dtype_name(type.dtype));
    }
    if (shape->rank != type.rank) {
        shape->rank = RANK_UNKNOWN;
    }
    for (int i = 0; i < shape->rank; i++) {
        shape->dims[i] =
            shape->dims[i] == type.dims[i] ? type.dims[i] : DIM_UNKNOWN;
    }
    return true;
}

static bool output_list(InferCall *call, DType element, const Shape *shape)
{
    return infer_output(call, 0, dtype_list_of(element), shape->rank,
                        shape->dims);
}

// An index: one int.
static bool infer_index(InferCall *call, uint32_t input)
{
    TensorType type = call->inputs[input];
    return (!dtype_is_list(type.dtype) && dtype_is_integer(type.dtype) &&
            type.rank <= 0) ||
           ctx_fail(call->ctx, ERR_TYPE, "%s: the index must be one int",
                    call->op->name);
}

// --- list_new

static const AttrDesc new_attrs[] = {
    {"dtype", ATTR_DTYPE, ATTR_HOST_ONLY, NULL},
    {"shape", ATTR_INTS, ATTR_HOST_ONLY, "None"},
};

static bool infer_list_new(InferCall *call)
{
    Shape shape = {.rank = RANK_UNKNOWN};
    const AttrValue *known = &call->attrs[1];
    DType element = call->attrs[0].dtype;
    if (attr_given(known) && !infer_ints(call, known, &shape)) {
        return false;
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (!infer_joined(call, element, &shape, i)) {
            return false;
        }
    }
    return output_list(call, element, &shape);
}

static bool run_list_new(StepCall *call)
{
    DType dtype = call->table->output_type(call, 0).dtype;
    uint32_t count = call->table->input_count(call);
    Tensor *list = tensor_list_new(call->ctx, dtype_element(dtype), count);
    if (list == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        tensor_list_push(list, call->table->take(call, i));
    }
    call->table->set_output(call, 0, list);
    return true;
}

const OpDesc op_list_new = {
    .name = "list_new",
    .params = "*items",
    .doc = "A list of tensors of a dtype; None in the shape is any size.",
    .max_inputs = 255,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS,
    .attrs = new_attrs,
    .attr_count = 2,
    .infer = infer_list_new,
    .run = run_list_new,
    .gradient = grad_list_new,
};

// --- list_append

static bool infer_list_append(InferCall *call)
{
    TensorType element;
    Shape shape;
    if (!infer_list(call, &element)) {
        return false;
    }
    shape_set(&shape, element.rank, element.dims);
    return infer_joined(call, element.dtype, &shape, 1) &&
           output_list(call, element.dtype, &shape);
}

static bool run_list_append(StepCall *call)
{
    Tensor *list = call->table->take(call, 0);
    list = tensor_list_own(call->ctx, list, list->count + 1);
    if (list == NULL) {
        return false;
    }
    tensor_list_push(list, call->table->take(call, 1));
    call->table->set_output(call, 0, list);
    return true;
}

const OpDesc op_list_append = {
    .name = "list_append",
    .params = "list, item",
    .doc = "The list with one more element, at its end.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS,
    .infer = infer_list_append,
    .run = run_list_append,
    .gradient = grad_list_append,
};

// --- list_pop

static bool infer_list_pop(InferCall *call)
{
    TensorType element;
    if (!infer_list(call, &element)) {
        return false;
    }
    call->output_count = 2;
    return infer_output(call, 0, call->inputs[0].dtype, element.rank,
                        element.dims) &&
           infer_output(call, 1, element.dtype, element.rank, element.dims);
}

static bool run_list_pop(StepCall *call)
{
    Tensor *list = call->table->input(call, 0);
    if (list->count == 0) {
        return ctx_fail(call->ctx, ERR_INDEX, "pop from empty list");
    }
    list = call->table->take(call, 0);
    list = tensor_list_own(call->ctx, list, list->count);
    if (list == NULL) {
        return false;
    }
    call->table->set_output(call, 1, tensor_list_pop(list));
    call->table->set_output(call, 0, list);
    return true;
}

const OpDesc op_list_pop = {
    .name = "list_pop",
    .params = "list",
    .doc = "The list without its last element, and that element.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 2,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_pop,
    .run = run_list_pop,
    .gradient = grad_list_pop,
};

// --- list_read, list_write

// The place of element `index`; negative ones count from the end.
static bool find_place(StepCall *call, const char *fault, int64_t *place)
{
    const Tensor *list = call->table->input(call, 0);
    const Tensor *index = call->table->input(call, 1);
    if (index->count != 1) {
        return ctx_fail(call->ctx, ERR_TYPE,
                        "a list's index has %lld elements, not one",
                        (long long)index->count);
    }
    *place = tensor_int_at(index, 0);
    *place += *place < 0 ? list->count : 0;
    return (*place >= 0 && *place < list->count) ||
           ctx_fail(call->ctx, ERR_INDEX, "%s", fault);
}

static bool infer_list_read(InferCall *call)
{
    TensorType element;
    return infer_list(call, &element) && infer_index(call, 1) &&
           infer_output(call, 0, element.dtype, element.rank, element.dims);
}

static bool run_list_read(StepCall *call)
{
    int64_t place;
    if (!find_place(call, "list index out of range", &place)) {
        return false;
    }
    Tensor *list = call->table->input(call, 0);
    call->table->set_output(call, 0,
                            object_retain(tensor_list_items(list)[place]));
    return true;
}

const OpDesc op_list_read = {
    .name = "list_read",
    .params = "list, index",
    .doc = "One element; a negative index counts from the end.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_read,
    .run = run_list_read,
    .gradient = grad_list_read,
};

static bool infer_list_write(InferCall *call)
{
    TensorType element;
    Shape shape;
    if (!infer_list(call, &element) || !infer_index(call, 1)) {
        return false;
    }
    shape_set(&shape, element.rank, element.dims);
    return infer_joined(call, element.dtype, &shape, 2) &&
           output_list(call, element.dtype, &shape);
}

static bool run_list_write(StepCall *call)
{
    int64_t place;
    if (!find_place(call, "list assignment index out of range", &place)) {
        return false;
    }
    Tensor *list = call->table->take(call, 0);
    list = tensor_list_own(call->ctx, list, list->count);
    if (list == NULL) {
        return false;
    }
    Tensor **item = &tensor_list_items(list)[place], *old = *item;
    *item = call->table->take(call, 2);
    object_release(call->ctx, old);
    call->table->set_output(call, 0, list);
    return true;
}

const OpDesc op_list_write = {
    .name = "list_write",
    .params = "list, index, item",
    .doc = "The list with another element in one place.",
    .min_inputs = 3,
    .max_inputs = 3,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_write,
    .run = run_list_write,
    .gradient = grad_list_write,
};

// --- list_size

static bool infer_list_size(InferCall *call)
{
    TensorType element;
    return infer_list(call, &element) &&
           infer_output(call, 0, DT_INT32, 0, NULL);
}

static bool run_list_size(StepCall *call)
{
    Tensor *size = tensor_scalar_int(call->ctx, DT_INT32,
                                     call->table->input(call, 0)->count);
    if (size != NULL) {
        call->table->set_output(call, 0, size);
    }
    return size != NULL;
}

const OpDesc op_list_size = {
    .name = "list_size",
    .params = "list",
    .doc = "The number of elements, an int32.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS,
    .infer = infer_list_size,
    .run = run_list_size,
    .gradient = grad_none,
};

// --- list_stack, list_unstack

static bool infer_list_stack(InferCall *call)
{
    TensorType element;
    if (!infer_list(call, &element)) {
        return false;
    }
    if (element.rank == SHAPE_MAX_RANK) {
        return infer_shape_error(call, "rank too high: %s", element);
    }
    Shape out = {.rank = RANK_UNKNOWN};
    if (element.rank >= 0) {
        shape_set(&out, element.rank, element.dims);
        out.rank++;
        out.dims[0] = DIM_UNKNOWN;
        for (int i = 0; i < element.rank; i++) {
            out.dims[i + 1] = element.dims[i];
        }
    }
    return infer_output(call, 0, element.dtype, out.rank, out.dims);
}

// All elements have the shape of the first, which has room for one axis more.
static bool check_alike(Ctx *ctx, const Tensor *list)
{
    Tensor **items = tensor_list_items(list);
    if (items[0]->rank == SHAPE_MAX_RANK) {
        return ctx_fail(ctx, ERR_SHAPE, "stack: rank too high");
    }
    for (int64_t i = 1; i < list->count; i++) {
        if (!shape_equal(items[i]->rank, tensor_dims(items[i]), items[0]->rank,
                         tensor_dims(items[0]))) {
            StrBuf text;
            strbuf_init(&text, ctx);
            shape_print(&text, items[0]->rank, tensor_dims(items[0]));
            strbuf_puts(&text, " and ");
            shape_print(&text, items[i]->rank, tensor_dims(items[i]));
            if (strbuf_ok(&text)) {
                ctx_fail(ctx, ERR_SHAPE, "stack: shapes differ: %s",
                         strbuf_text(&text));
            }
            strbuf_free(&text);
            return false;
        }
    }
    return true;
}

// An empty list has the shape that the graph knows of its elements.
static bool run_list_stack(StepCall *call)
{
    Ctx *ctx = call->ctx;
    const Tensor *list = call->table->input(call, 0);
    TensorType type = call->table->output_type(call, 0);
    Shape shape;
    if (list->count > 0) {
        const Tensor *first = tensor_list_items(list)[0];
        if (!check_alike(ctx, list)) {
            return false;
        }
        shape.rank = first->rank + 1;
        for (int i = 0; i < first->rank; i++) {
            shape.dims[i + 1] = tensor_dims(first)[i];
        }
    } else if (type.rank > 0 && shape_is_static(type.rank - 1, type.dims + 1)) {
        shape_set(&shape, type.rank, type.dims);
    } else {
        return ctx_fail(ctx, ERR_SHAPE,
                        "stack: an empty list, whose elements' shape is not "
                        "known");
    }
    shape.dims[0] = list->count;
    Tensor *out = tensor_new(ctx, type.dtype, shape.rank, shape.dims);
    bool ok = out != NULL;
    for (int64_t i = 0; ok && i < list->count; i++) {
        const Tensor *item = tensor_list_items(list)[i];
        ok = tensor_copy(ctx, out, i * item->count, item, 0, item->count);
    }
    if (!ok) {
        object_release_null(ctx, out);
        return false;
    }
    call->table->set_output(call, 0, out);
    return true;
}

const OpDesc op_list_stack = {
    .name = "list_stack",
    .params = "list",
    .doc = "The elements, of one shape, as one tensor along a new first axis.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL | OP_DYNAMIC_SHAPE,
    .infer = infer_list_stack,
    .run = run_list_stack,
    .gradient = grad_list_stack,
};

static bool infer_list_unstack(InferCall *call)
{
    TensorType type = call->inputs[0];
    if (dtype_is_list(type.dtype)) {
        return ctx_fail(call->ctx, ERR_TYPE, "list_unstack: takes a tensor");
    }
    if (type.rank == 0) {
        return infer_shape_error(call, "needs rank 1 or higher, not %s", type);
    }
    bool known = type.rank > 0;
    return infer_output(call, 0, dtype_list_of(type.dtype),
                        known ? type.rank - 1 : RANK_UNKNOWN,
                        known ? type.dims + 1 : NULL);
}

// Elements of any size share the tensor's memory.
static bool run_list_unstack(StepCall *call)
{
    Ctx *ctx = call->ctx;
    Tensor *tensor = call->table->input(call, 0);
    if (tensor->rank == 0) {
        return ctx_fail(ctx, ERR_SHAPE,
                        "list_unstack: needs rank 1 or higher, not ()");
    }
    const int64_t *dims = tensor_dims(tensor);
    Tensor *list = tensor_list_new(ctx, (DType)tensor->dtype, dims[0]);
    for (int64_t i = 0; list != NULL && i < dims[0]; i++) {
        Tensor *item = tensor_window(ctx, tensor, tensor->count / dims[0] * i,
                                     tensor->rank - 1, dims + 1);
        if (item == NULL || !ctx_poll(ctx)) {
            object_release_null(ctx, item);
            object_release(ctx, list);
            return false;
        }
        tensor_list_push(list, item);
    }
    if (list != NULL) {
        call->table->set_output(call, 0, list);
    }
    return list != NULL;
}

const OpDesc op_list_unstack = {
    .name = "list_unstack",
    .params = "x",
    .doc = "A tensor's slices along its first axis, as a list.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output_count = 1,
    .flags = OP_INTERNAL | OP_LISTS | OP_MAY_FAIL,
    .infer = infer_list_unstack,
    .run = run_list_unstack,
    .gradient = grad_list_unstack,
};

// --- list_zeros, list_add: gradients of lists

static bool infer_list_same(InferCall *call)
{
    TensorType element;
    Shape shape;
    if (!infer_list(call, &element)) {
        return false;
    }
    shape_set(&shape, element.rank, element.dims);
    for (uint32_t i = 1; i < call->input_count; i++) {
        TensorType other = call->inputs[i];
        if (other.dtype != call->inputs[0].dtype) {
            return ctx_fail(call->ctx, ERR_TYPE, "%s: takes lists of %s",
                            call->op->name, dtype_name(element.dtype));
        }
        if (other.rank != shape.rank) {
            shape.rank = RANK_UNKNOWN;
        }
        for (int k = 0; k < shape.rank; k++) {
            if (shape.dims[k] != other.dims[k]) {
                shape.dims[k] = DIM_UNKNOWN;
            }
        }
    }
    return output_list(call, element.dtype, &shape);
}

// Lists as long as the first one; each element is the op's result of theirs.
static bool run_by_element(StepCall *call, OpCode op, uint32_t count)
{
    static const AttrValue none[OP_MAX_ATTRS];
    Tensor *lists[2] = {NULL, NULL};
    for (uint32_t i = 0; i < count; i++) {
        lists[i] = call->table->input(call, i);
    }
    int64_t length = lists[0]->count;
    if (count == 2 && lists[1]->count != length) {
        return ctx_fail(call->ctx, ERR_VALUE,
                        "list_add: lists of %lld and %lld elements",
                        (long long)length, (long long)lists[1]->count);
    }
    Tensor *made = tensor_list_new(
        call->ctx, dtype_element((DType)lists[0]->dtype), length);
    for (int64_t i = 0; made != NULL && i < length; i++) {
        Tensor *items[2] = {tensor_list_items(lists[0])[i], NULL};
        Tensor *item[OP_MAX_OUTPUTS];
        uint32_t outputs;
        if (count == 2) {
            items[1] = tensor_list_items(lists[1])[i];
        }
        if (!op_run(call->ctx, op, items, count, none, item, &outputs)) {
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

static bool run_list_zeros(StepCall *call)
{
    return run_by_element(call, OP_ZEROS_LIKE, 1);
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

static bool run_list_add(StepCall *call)
{
    return run_by_element(call, OP_ADD, 2);
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
