// Copies between layouts.
#ifndef DUET_KERNELS_MOVE_H
#define DUET_KERNELS_MOVE_H

#include <stddef.h>
#include <stdint.h>

#include "base/ctx.h"

enum { MOVE_MAX_RANK = 33 };

// Copies the elements (of 1, 2, 4 or 8 bytes) of a strided array into a dense
// one: dims[i] elements, strides[i] elements apart (negative and 0 are fine),
// row by row. `from` is the element at index 0. *moved: the number of elements
// that stand in `to` afterwards; all, unless the answer is false: interrupted.
// NULL: nobody asks, and the order is free.
MUST_CHECK bool move_gather(Ctx *ctx, void *to, const void *from, size_t size,
                            int rank, const int64_t *dims,
                            const int64_t *strides, int64_t *moved);
// Copies `size` bytes between blocks that do not overlap, by as many threads as
// pay. False: interrupted.
MUST_CHECK bool move_copy(Ctx *ctx, void *to, const void *from, size_t size);
// Copies `size` bytes between blocks that do not overlap, by as many threads as
// pay. False: interrupted.
MUST_CHECK bool move_copy(Ctx *ctx, void *to, const void *from, size_t size);
// Row k of `to` becomes row rows[k] of `from`, each of `size` bytes: at most
// MOVE_NARROW.
enum { MOVE_NARROW = 256 };
void move_pick_rows(void *to, const void *from, size_t size,
                    const int64_t *rows, int64_t count);
// Row rows[k] of `to` becomes row k of `from`, in order.
void move_put_rows(void *to, const void *from, size_t size, const int64_t *rows,
                   int64_t count);
// Rows of `size` bytes, at most MOVE_NARROW, which lie so many bytes apart.
void move_apart_rows(void *to, size_t to_apart, const void *from,
                     size_t from_apart, size_t size, int64_t count);
// Writes the element at `value` into `count` places. False: interrupted.
MUST_CHECK bool move_fill(Ctx *ctx, void *to, const void *value, size_t size,
                          int64_t count);

#endif
