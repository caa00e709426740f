// Lists of tensors: what a graph's value of type list[…] is when it runs.
//
// A list is a Tensor of rank 1 whose dtype has the bit DT_LIST and whose
// elements are counted tensors, all of the dtype beside that bit; their shapes
// may differ. Only the ops of ops_list.c look into one. Its buffer has room
// beyond its length, so that a list that nobody else holds grows in place.
//
// An element that was never written is NULL. Whoever reads it gets zeros in the
// shape of the others.
#ifndef DUET_OPS_TENSOR_LIST_H
#define DUET_OPS_TENSOR_LIST_H

#include "ops/tensor.h"

// The elements, `list->count` of them, borrowed; NULL: never written.
static inline Tensor **tensor_list_items(const Tensor *list)
{
    return list->data;
}
// The same list, to be changed, with room for `count` elements: itself where
// this is the only hold on it, else a copy. Takes the count; NULL: an error is
// pending.
MUST_CHECK Tensor *tensor_list_own(Ctx *ctx, Tensor *list, int64_t count);
// Puts an element behind the last one of an owned list that has room. Takes it,
// NULL too.
void tensor_list_push(Tensor *list, Tensor *item);
// Takes the last element out of an owned list that has one, as it is.
Tensor *tensor_list_pop(Tensor *list);
// Hold on an element as it is.
static inline Tensor *tensor_list_share(const Tensor *list, int64_t at)
{
    Tensor *item = tensor_list_items(list)[at];
    return item != NULL ? object_retain(item) : NULL;
}
// An element to be read, owned: zeros where it was never written, of these
// sizes if all are known, else of those of an element that was.
MUST_CHECK Tensor *tensor_list_item(Ctx *ctx, const Tensor *list, int64_t at,
                                    int rank, const int64_t *dims);
// Whether an element that is read is what the graph takes it for, on which all
// that follows relies: ERR_SHAPE.
MUST_CHECK bool tensor_list_fits(Ctx *ctx, const Tensor *item, int rank,
                                 const int64_t *dims);
// The number that an index, or a bound, is: ERR_TYPE if it is not one, as only
// a run tells of a tensor of unknown rank.
MUST_CHECK bool tensor_list_index(Ctx *ctx, const Tensor *index, int64_t *at);
// How many elements (*size) a slice of a list of `count` has, and the first
// one; the bounds are as the host clamps them.
MUST_CHECK bool tensor_list_range(Ctx *ctx, const Tensor *start,
                                  const Tensor *stop, int64_t step,
                                  int64_t count, int64_t *first, int64_t *size);

#endif
