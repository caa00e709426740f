// Lists of tensors: what a graph's value of type list[…] is when it runs.
//
// A list is a Tensor of rank 1 whose dtype has the bit DT_LIST and whose
// elements are counted tensors, all of the dtype beside that bit; their shapes
// may differ. Only the ops of ops_list.c look into one. Its buffer has room
// beyond its length, so that a list that nobody else holds grows in place.
#ifndef DUET_OPS_TENSOR_LIST_H
#define DUET_OPS_TENSOR_LIST_H

#include "ops/tensor.h"

// The elements, `list->count` of them, borrowed.
static inline Tensor **tensor_list_items(const Tensor *list)
{
    return list->data;
}
// The same list, to be changed, with room for `count` elements: itself where
// this is the only hold on it, else a copy. Takes the count; NULL: an error is
// pending.
MUST_CHECK Tensor *tensor_list_own(Ctx *ctx, Tensor *list, int64_t count);
// Puts an element behind the last one of an owned list that has room. Takes it.
void tensor_list_push(Tensor *list, Tensor *item);
// Takes the last element out of an owned list that has one.
Tensor *tensor_list_pop(Tensor *list);

#endif
