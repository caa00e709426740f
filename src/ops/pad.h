// Modes of padding, as the op's attribute spells them.
#ifndef DUET_OPS_PAD_H
#define DUET_OPS_PAD_H

#include "ops/infer.h"

typedef enum PadMode {
    PAD_CONSTANT,
    PAD_EDGE,      // the element at the edge
    PAD_REFLECT,   // mirrored, without the edge
    PAD_SYMMETRIC, // mirrored, with the edge
    PAD_MODES
} PadMode;

// None is the default mode; PAD_MODES: there is none of this name.
PadMode pad_mode(const AttrValue *attr);

#endif
