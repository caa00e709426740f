// Lists of tensors in a graph: made, grown, read and stacked.
//
// A list is a value like others: an op that changes one gives a new list, and
// what held the old one still does. The memory is the same where the old list
// has no further use. Elements have one dtype; the type of a list covers the
// shapes of all that was put into it. Errors are those of the host's lists.
#include "ops/grad.h"
#include "ops/infer.h"
#include "ops/shape_cure.h"
#include "ops/tensor_list.h"
#include "ops/tensor_move.h"

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
    for (int i = 0; i < shape.rank; i++) {
        shape.dims[i] =
            shape.dims[i] == ATTR_INT_NONE ? DIM_UNKNOWN : shape.dims[i];
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (!infer_list_joined(call, element, &shape, i)) {
            return false;
        }
    }
    return infer_list_output(call, element, &shape);
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
    return infer_list_with(call, 1, false);
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
    TensorType type = call->table->output_type(call, 1);
    Tensor *item = list == NULL
                       ? NULL
                       : tensor_list_item(call->ctx, list, list->count - 1,
                                          type.rank, type.dims);
    if (item == NULL) {
        object_release_null(call->ctx, list);
        return false;
    }
    object_release_null(call->ctx, tensor_list_pop(list));
    call->table->set_output(call, 1, item);
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

// The place of element `index`; negative ones count from the end unless
// attribute `strict` is set.
static bool find_place(StepCall *call, uint32_t strict, const char *fault,
                       int64_t *place)
{
    const Tensor *list = call->table->input(call, 0);
    if (!tensor_list_index(call->ctx, call->table->input(call, 1), place)) {
        return false;
    }
    if (attr_bool(call->table->attr(call, strict), false)) {
        return (*place >= 0 && *place < list->count) ||
               ctx_fail(call->ctx, ERR_OP_INDEX,
                        "index %lld is not in [0, %lld)", (long long)*place,
                        (long long)list->count);
    }
    *place += *place < 0 ? list->count : 0;
    return (*place >= 0 && *place < list->count) ||
           ctx_fail(call->ctx, ERR_INDEX, "%s", fault);
}

// What a program knows of the elements' shape beyond the list's type. A list
// that is made before its elements are known is of any.
static const AttrDesc known_attrs[] = {
    {"shape", ATTR_INTS, ATTR_HOST_ONLY, "None"},
    {"strict", ATTR_BOOL, ATTR_HOST_ONLY, "False"}, // of list_read
};

static bool infer_list_read(InferCall *call)
{
    TensorType element;
    Shape shape;
    return infer_list(call, &element) && infer_list_index(call, 1) &&
           infer_list_known(call, element, &shape) &&
           infer_output(call, 0, element.dtype, shape.rank, shape.dims);
}

static bool run_list_read(StepCall *call)
{
    int64_t place;
    TensorType type = call->table->output_type(call, 0);
    Tensor *item =
        find_place(call, 1, "list index out of range", &place)
            ? tensor_list_item(call->ctx, call->table->input(call, 0), place,
                               type.rank, type.dims)
            : NULL;
    if (item == NULL ||
        !tensor_list_fits(call->ctx, item, type.rank, type.dims)) {
        object_release_null(call->ctx, item);
        return false;
    }
    call->table->set_output(call, 0, item);
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
    .attrs = known_attrs,
    .attr_count = 2,
    .infer = infer_list_read,
    .run = run_list_read,
    .gradient = grad_list_read,
};

static const AttrDesc strict_attrs[] = {
    {"strict", ATTR_BOOL, ATTR_HOST_ONLY, "False"},
};

static bool infer_list_write(InferCall *call)
{
    return infer_list_index(call, 1) && infer_list_with(call, 2, false);
}

static bool run_list_write(StepCall *call)
{
    int64_t place;
    if (!find_place(call, 0, "list assignment index out of range", &place)) {
        return false;
    }
    Tensor *list = call->table->take(call, 0);
    list = tensor_list_own(call->ctx, list, list->count);
    if (list == NULL) {
        return false;
    }
    Tensor **item = &tensor_list_items(list)[place], *old = *item;
    *item = call->table->take(call, 2);
    object_release_null(call->ctx, old);
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
    .attrs = strict_attrs,
    .attr_count = 1,
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
    Shape shape, out = {.rank = RANK_UNKNOWN};
    if (!infer_list(call, &element) ||
        !infer_list_known(call, element, &shape)) {
        return false;
    }
    if (shape.rank == SHAPE_MAX_RANK) {
        return infer_shape_error(call, "rank too high: %s", element);
    }
    if (shape.rank >= 0) {
        shape_set(&out, shape.rank, shape.dims);
        out.rank++;
        out.dims[0] = DIM_UNKNOWN;
        for (int i = 0; i < shape.rank; i++) {
            out.dims[i + 1] = shape.dims[i];
        }
    }
    return infer_output(call, 0, element.dtype, out.rank, out.dims);
}

static bool fail_differing(Ctx *ctx, const Tensor *a, const Tensor *b)
{
    StrBuf text;
    strbuf_init(&text, ctx);
    shape_print(&text, a->rank, tensor_dims(a));
    strbuf_puts(&text, " and ");
    shape_print(&text, b->rank, tensor_dims(b));
    shape_cure_stack(&text, tensor_type(a), tensor_type(b));
    if (strbuf_ok(&text)) {
        ctx_fail(ctx, ERR_SHAPE, "stack: shapes differ: %s",
                 strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

// The shape of all elements that were written, which has room for one axis
// more: theirs, or what the graph knows.
static bool find_shape(StepCall *call, const Tensor *list, Shape *shape)
{
    TensorType type = call->table->output_type(call, 0);
    const Tensor *first = NULL;
    for (int64_t i = 0; i < list->count; i++) {
        const Tensor *item = tensor_list_items(list)[i];
        first = first != NULL ? first : item;
        if (item != NULL && !shape_equal(item->rank, tensor_dims(item),
                                         first->rank, tensor_dims(first))) {
            return fail_differing(call->ctx, first, item);
        }
    }
    if (first != NULL) {
        shape_set(shape, first->rank, tensor_dims(first));
        return (first->rank < SHAPE_MAX_RANK ||
                ctx_fail(call->ctx, ERR_SHAPE, "stack: rank too high")) &&
               tensor_list_fits(call->ctx, first,
                                type.rank < 0 ? RANK_UNKNOWN : type.rank - 1,
                                type.dims + 1);
    }
    if (type.rank > 0 && shape_is_static(type.rank - 1, type.dims + 1)) {
        shape_set(shape, type.rank - 1, type.dims + 1);
        return true;
    }
    return ctx_fail(call->ctx, ERR_SHAPE,
                    list->count == 0
                        ? "stack: an empty list, whose elements' shape is not "
                          "known"
                        : "an element that was never written, of a list whose "
                          "elements' shape is not known");
}

static bool run_list_stack(StepCall *call)
{
    Ctx *ctx = call->ctx;
    const Tensor *list = call->table->input(call, 0);
    TensorType type = call->table->output_type(call, 0);
    Shape shape, all;
    if (!find_shape(call, list, &shape)) {
        return false;
    }
    all.rank = shape.rank + 1;
    all.dims[0] = list->count;
    for (int i = 0; i < shape.rank; i++) {
        all.dims[i + 1] = shape.dims[i];
    }
    Tensor *out = tensor_new(ctx, type.dtype, all.rank, all.dims);
    bool ok = out != NULL;
    for (int64_t i = 0; ok && i < list->count; i++) {
        Tensor *item = tensor_list_item(ctx, list, i, shape.rank, shape.dims);
        ok = item != NULL &&
             tensor_copy(ctx, out, i * item->count, item, 0, item->count);
        object_release_null(ctx, item);
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
    .attrs = known_attrs,
    .attr_count = 1,
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
