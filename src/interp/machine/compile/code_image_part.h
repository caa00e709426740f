// What the two halves of code_image.h agree on.
#ifndef DUET_INTERP_MACHINE_COMPILE_CODE_IMAGE_PART_H
#define DUET_INTERP_MACHINE_COMPILE_CODE_IMAGE_PART_H

// In front of each constant, one byte.
typedef enum ImageTag {
    IMAGE_SPECIAL, // the bits of a Value without memory: None, True, small ints
    IMAGE_FLOAT,   // eight bytes
    IMAGE_INT,     // length, decimal digits with their sign
    IMAGE_BYTES,   // length, the bytes
    IMAGE_TEXT,    // the number of a text, from 1 on
    IMAGE_TUPLE,   // count, that many constants
    IMAGE_CODE     // a code
} ImageTag;

// The plain fields of a Code and their types, in the order of an image. Each
// is written with 1 added, so that UINT32_MAX, which stands for "none" in
// some, takes one byte.
#define IMAGE_NUMBERS(row)                                                     \
    row(register_count, uint32_t) row(local_count, uint32_t) row(flags,        \
                                                                 uint32_t)     \
        row(positional_count, uint16_t) row(positional_only_count, uint16_t)   \
            row(keyword_only_count, uint16_t) row(captured_count, uint16_t)    \
                row(plain_count, uint32_t) row(direct_count, uint32_t)         \
                    row(parameter_count, uint32_t) row(span.start, uint32_t)   \
                        row(span.end, uint32_t) row(start, uint32_t)

#endif
