// Long copies and fills, piece by piece. See bulk.h.
#include "base/bulk.h"

// A piece, or what is left of the whole.
static size_t piece_of(size_t size, size_t done)
{
    return size - done < BULK_PIECE ? size - done : BULK_PIECE;
}

// The pieces lie one behind the other, so that the processor's prefetching
// does not start anew.
bool bulk_copy_slow(Ctx *ctx, void *to, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t piece = piece_of(size, done);
        memcpy((char *)to + done, (const char *)from + done, piece);
        done += piece;
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}

// A megabyte is far above the size at which memset is at its best.
bool bulk_fill_slow(Ctx *ctx, void *to, int byte, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t piece = piece_of(size, done);
        memset((char *)to + done, byte, piece);
        done += piece;
        if (!ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}
