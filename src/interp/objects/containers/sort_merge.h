// Sorting by comparisons: stable, and with the same comparisons in a fixed
// sequence.
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_SORT_MERGE_H
#define DUET_INTERP_OBJECTS_CONTAINERS_SORT_MERGE_H

#include "interp/objects/containers/obj_list.h"

// Keys travel with their values, so that each key is computed once and equal
// ones keep their values' order.
typedef struct SortItem {
    Value key, value; // owned by the sort
} SortItem;

// 1: a stands before b; 0: not; -1: failed.
typedef int (*BeforeFn)(Vm *vm, Value a, Value b);

// `spare` has room for as many items. False: a comparison failed or Ctrl-C;
// the items are all there in some order.
MUST_CHECK bool sort_merge(Vm *vm, SortItem *items, size_t count,
                           SortItem *spare, BeforeFn before);

// Turns the items round: around a sort, so that equal items keep their order
// under reverse=True.
void sort_reverse(SortItem *items, size_t count);

#endif
