// Memory whose size the program decides, copied and filled so that Ctrl-C is
// heard: the rule for every memcpy and memset that may be of gigabytes.
//
// First touch of a page costs more than the bytes in it, so that a large block
// takes seconds where a small one takes nothing. Both functions look for
// Ctrl-C between two pieces; what is no longer than one is moved at once and
// cannot fail, so that the short texts of messages are made whole. False:
// interrupted, ERR_INTERRUPT is pending, and a part of `to` is as it was; the
// caller gives the block up.
//
// What is moved within one block (an insertion into a list) must be finished
// once begun, and is memory that was touched before: a plain memmove.
#ifndef DUET_BASE_BULK_H
#define DUET_BASE_BULK_H

#include <string.h>

#include "base/ctx.h"

#define BULK_PIECE ((size_t)1 << 20) // bytes between two polls

// The long way of the two below: more than one piece.
MUST_CHECK bool bulk_copy_slow(Ctx *ctx, void *to, const void *from,
                               size_t size);
MUST_CHECK bool bulk_fill_slow(Ctx *ctx, void *to, int byte, size_t size);

// Copies `size` bytes between blocks that do not overlap; with size 0 both may
// be NULL.
MUST_CHECK static inline bool bulk_copy(Ctx *ctx, void *to, const void *from,
                                        size_t size)
{
    if (UNLIKELY(size > BULK_PIECE)) {
        return bulk_copy_slow(ctx, to, from, size);
    }
    if (size != 0) {
        memcpy(to, from, size);
    }
    return true;
}

// Sets `size` bytes to `byte`.
MUST_CHECK static inline bool bulk_fill(Ctx *ctx, void *to, int byte,
                                        size_t size)
{
    if (UNLIKELY(size > BULK_PIECE)) {
        return bulk_fill_slow(ctx, to, byte, size);
    }
    if (size != 0) {
        memset(to, byte, size);
    }
    return true;
}

#endif
