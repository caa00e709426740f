// See pack.h.
#include "base/pack.h"

#include <string.h>

void pack_expand(const unsigned char *packed, char *out, size_t length)
{
    for (size_t at = 0; at < length;) {
        unsigned first = *packed++;
        if (first < PACK_MATCH) {
            memcpy(out + at, packed, first + 1);
            packed += first + 1;
            at += first + 1;
            continue;
        }
        size_t back = packed[0] | (size_t)packed[1] << 8;
        packed += 2;
        // Byte by byte, as the two may overlap.
        for (size_t end = at + first - PACK_MATCH + PACK_LEAST; at < end;
             at++) {
            out[at] = out[at - back];
        }
    }
}
