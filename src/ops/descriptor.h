// What the descriptors of elementwise ops have in common, as initialisers.
#ifndef DUET_OPS_DESCRIPTOR_H
#define DUET_OPS_DESCRIPTOR_H

#include "ops/infer.h"

// Two operands that broadcast: name, tile, dtype of the result, more flags.
#define BINARY(text, loops, gives, bits)                                      \
    .name = (text), .min_inputs = 2, .max_inputs = 2, .output_count = 1,      \
    .params = "x1, x2, /", .flags = OP_ELEMENTWISE | (bits),                  \
    .infer = infer_elementwise, .tile = (loops), .result = (gives)
// One operand; a method of tensors too.
#define UNARY(text, loops, gives)                                             \
    .name = (text), .min_inputs = 1, .max_inputs = 1, .output_count = 1,      \
    .params = "x, /", .flags = OP_ELEMENTWISE | OP_METHOD,                    \
    .infer = infer_elementwise, .tile = (loops), .result = (gives)
// The last line of a BINARY op's doc.
#define BROADCASTS "\nShapes broadcast; dtypes must be equal."

#endif
