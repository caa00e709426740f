// Lists of tensors. Invariant: a list has a buffer of its own; what lies in it
// behind the length is NULL.
#include "ops/tensor_list.h"

#include <string.h>

#include "ops/op.h"

static int64_t list_room(const Tensor *list)
{
    return (int64_t)(list->buffer->size / sizeof(Tensor *));
}

static void set_length(Tensor *list, int64_t count)
{
    list->count = count;
    list->inline_dims[0] = count;
}

// By doubling, so that a loop that appends takes linear time.
Tensor *tensor_list_own(Ctx *ctx, Tensor *list, int64_t count)
{
    bool alone = tensor_reusable(list);
    if (alone && count <= list_room(list)) {
        return list;
    }
    int64_t room = count > list->count ? 2 * count : count;
    Tensor *made =
        tensor_list_new(ctx, dtype_element((DType)list->dtype), room);
    if (made != NULL && list->count > 0) {
        size_t size = (size_t)list->count * sizeof(Tensor *);
        memcpy(made->data, list->data, size);
        for (int64_t i = 0; !alone && i < list->count; i++) {
            (void)tensor_list_share(made, i);
        }
        if (alone) {
            // They have moved.
            memset(list->data, 0, size);
        }
        set_length(made, list->count);
    }
    object_release(ctx, list);
    return made;
}

void tensor_list_push(Tensor *list, Tensor *item)
{
    tensor_list_items(list)[list->count] = item;
    set_length(list, list->count + 1);
}

Tensor *tensor_list_pop(Tensor *list)
{
    Tensor **last = &tensor_list_items(list)[list->count - 1], *item = *last;
    *last = NULL;
    set_length(list, list->count - 1);
    return item;
}

static Tensor *zeros(Ctx *ctx, DType dtype, int rank, const int64_t *dims)
{
    AttrValue attrs[OP_MAX_ATTRS] = {attr_of_ints(dims, (uint32_t)rank),
                                     attr_of_dtype(dtype)};
    Tensor *made[OP_MAX_OUTPUTS];
    uint32_t count;
    return op_run(ctx, OP_ZEROS, NULL, 0, attrs, made, &count) ? made[0] : NULL;
}

Tensor *tensor_list_item(Ctx *ctx, const Tensor *list, int64_t at, int rank,
                         const int64_t *dims)
{
    Tensor **items = tensor_list_items(list);
    DType dtype = dtype_element((DType)list->dtype);
    if (items[at] != NULL) {
        return object_retain(items[at]);
    }
    if (shape_is_static(rank, dims)) {
        return zeros(ctx, dtype, rank, dims);
    }
    for (int64_t i = 0; i < list->count; i++) {
        if (items[i] != NULL) {
            return zeros(ctx, dtype, items[i]->rank, tensor_dims(items[i]));
        }
    }
    return ctx_fail_null(ctx, ERR_SHAPE,
                         "an element that was never written, of a list whose "
                         "elements' shape is not known");
}

bool tensor_list_fits(Ctx *ctx, const Tensor *item, int rank,
                      const int64_t *dims)
{
    bool fits = rank == RANK_UNKNOWN || item->rank == rank;
    for (int i = 0; fits && i < rank; i++) {
        fits = dims[i] == DIM_UNKNOWN || dims[i] == tensor_dims(item)[i];
    }
    if (!fits) {
        StrBuf text;
        strbuf_init(&text, ctx);
        shape_print(&text, item->rank, tensor_dims(item));
        strbuf_puts(&text, ", where the others have ");
        shape_print(&text, rank, dims);
        if (strbuf_ok(&text)) {
            ctx_fail(ctx, ERR_SHAPE, "an element has the shape %s",
                     strbuf_text(&text));
        }
        strbuf_free(&text);
    }
    return fits;
}

bool tensor_list_index(Ctx *ctx, const Tensor *index, int64_t *at)
{
    if (index->count != 1) {
        return ctx_fail(ctx, ERR_TYPE,
                        "a list's index has %lld elements, not one",
                        (long long)index->count);
    }
    *at = tensor_int_at(index, 0);
    return true;
}

// Of a slice that goes back the bounds lie one place further down.
static bool find_bound(Ctx *ctx, const Tensor *bound, int64_t count,
                       int64_t low, int64_t *at)
{
    if (!tensor_list_index(ctx, bound, at)) {
        return false;
    }
    *at += *at < 0 ? count : 0;
    *at = *at < low ? low : *at > count + low ? count + low : *at;
    return true;
}

bool tensor_list_range(Ctx *ctx, const Tensor *start, const Tensor *stop,
                       int64_t step, int64_t count, int64_t *first,
                       int64_t *size)
{
    int64_t low = step < 0 ? -1 : 0, end = 0;
    if (step == 0) {
        return ctx_fail(ctx, ERR_VALUE, "slice step cannot be zero");
    }
    if (!find_bound(ctx, start, count, low, first) ||
        !find_bound(ctx, stop, count, low, &end)) {
        return false;
    }
    int64_t length = end - *first;
    *size = length == 0 || (length < 0) != (step < 0)
                ? 0
                : (length - (step < 0 ? -1 : 1)) / step + 1;
    return true;
}
