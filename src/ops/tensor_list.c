// Lists of tensors. Invariant: a list has a buffer of its own; what lies in it
// behind the length is NULL.
#include "ops/tensor_list.h"

#include <string.h>

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
            (void)object_retain(tensor_list_items(made)[i]);
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
