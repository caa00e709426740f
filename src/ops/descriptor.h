// What the descriptors of elementwise ops have in common, as initialisers.
#ifndef DUET_OPS_DESCRIPTOR_H
#define DUET_OPS_DESCRIPTOR_H

#include "kernels/loop_math.h"
#include "ops/grad.h"
#include "ops/infer.h"

// An op's meaning (BodyFn) as an expression of `build` and the operands `x`.
#define BODY(id, expression)                                                   \
    static LoopValue body_##id(LoopBuild *build, const LoopValue *x,           \
                               const AttrValue *attrs)                         \
    {                                                                          \
        (void)attrs;                                                           \
        return expression;                                                     \
    }

// Two operands that broadcast: name, dtypes, dtype of the result, more flags.
#define BINARY(text, dtypes, gives, bits)                                      \
    .name = (text), .min_inputs = 2, .max_inputs = 2, .output_count = 1,       \
    .params = "x1, x2, /", .flags = OP_ELEMENTWISE | (bits),                   \
    .infer = infer_elementwise, .takes = (dtypes), .result = (gives)
// One operand; a method of tensors too.
#define UNARY(text, dtypes, gives, bits)                                       \
    .name = (text), .min_inputs = 1, .max_inputs = 1, .output_count = 1,       \
    .params = "x, /", .flags = OP_ELEMENTWISE | OP_METHOD | (bits),            \
    .infer = infer_elementwise, .takes = (dtypes), .result = (gives)
// The last line of a BINARY op's doc.
#define BROADCASTS "\nShapes broadcast; dtypes must be equal."
// A whole op of which no more is to be said: the id is its name too; `text` is
// its doc and `writes` its name in a GraphDef, NULL: it has none. `means` is
// its body, NULL: it has none. Its gradient is rule_##id, but for the BITS ops,
// which are never of floats.
#define BINARY_OP(id, dtypes, means, gives, bits, text, writes)                \
    const OpDesc op_##id = {BINARY(#id, dtypes, gives, bits), .body = (means), \
                            .doc = text BROADCASTS, .gradient = rule_##id,     \
                            .graphdef = (writes)}
#define UNARY_OP(id, dtypes, means, gives, text, writes)                       \
    const OpDesc op_##id = {UNARY(#id, dtypes, gives, 0), .body = (means),     \
                            .doc = (text), .gradient = rule_##id,              \
                            .graphdef = (writes)}
// A function of floats that takes many steps.
#define MATHS_OP(id, text, writes)                                             \
    const OpDesc op_##id = {UNARY(#id, TAKES_FLOAT, RESULT_SAME, OP_MATHS),    \
                            .body = body_##id, .doc = (text),                  \
                            .gradient = rule_##id, .graphdef = (writes)}
#define BINARY_BITS(id, dtypes, means, gives, bits, text, writes)              \
    const OpDesc op_##id = {BINARY(#id, dtypes, gives, bits), .body = (means), \
                            .doc = text BROADCASTS, .graphdef = (writes)}
#define UNARY_BITS(id, dtypes, means, gives, text, writes)                     \
    const OpDesc op_##id = {UNARY(#id, dtypes, gives, 0), .body = (means),     \
                            .doc = (text), .graphdef = (writes)}

#endif
