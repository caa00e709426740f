// Data that was compressed by DEFLATE (RFC 1951), as in ZIP and gzip files.
#ifndef DUET_BASE_INFLATE_H
#define DUET_BASE_INFLATE_H

#include "base/ctx.h"

// Fills `out`, which has room for `size` bytes. 1: done; 0: the data is
// damaged, cut short or gives another number of bytes; -1: interrupted, an
// error is pending.
MUST_CHECK int inflate_all(Ctx *ctx, const unsigned char *data, size_t length,
                           unsigned char *out, size_t size);

#endif
