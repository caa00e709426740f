// The layouts that core itself opens: a str, the name of a class, and a tuple,
// its MRO. What is done with them: obj_str.h, obj_list.h.
#ifndef DUET_INTERP_CORE_OBJECT_LAYOUT_H
#define DUET_INTERP_CORE_OBJECT_LAYOUT_H

#include "interp/core/value.h"

enum { STR_INTERNED = OBJECT_FLAG_KIND };

struct Str {
    Object head;
    uint64_t hash;   // 0: not computed yet
    size_t length;   // bytes
    size_t count;    // code points; equal to length: ASCII
    size_t capacity; // bytes of text allocated, without the final NUL
    uint32_t *index; // offset of every 64th code point; NULL until needed
    char text[];
};

struct Tuple {
    Object head;
    size_t count;
    Value items[]; // owned references
};

// The bytes of a Str: header, text, and the NUL. Rounded up to sixteen they
// give every text at least eight bytes, on which str_equal counts.
static inline size_t str_size(size_t capacity)
{
    return sizeof(struct Str) + capacity + 1;
}

#endif
