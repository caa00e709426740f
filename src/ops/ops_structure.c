// Descriptors of the ops that only a graph has: constants, control flow,
// calls and effects.
//
// They have neither shape rule nor kernel of their own: the graph's builder
// types them (graph/build.c), the plan runs them (backend/). All are internal,
// so that no name of theirs stands at the prompt.
#include "ops/op.h"

// Reached only by a mistake in the program itself, hence ERR_SYSTEM.
static bool infer_structure(InferCall *call)
{
    return ctx_fail(call->ctx, ERR_SYSTEM, "%s: the graph gives its type",
                    call->op->name);
}

// A plan has steps of its own for these ops (backend/step.h).
static bool run_structure(const KernelCall *call)
{
    return ctx_fail(call->ctx, ERR_SYSTEM, "%s: the plan runs it",
                    call->op->name);
}

#define STRUCTURE(least, most, outs)                                           \
    .min_inputs = (least), .max_inputs = (most), .output_count = (outs),       \
    .infer = infer_structure, .kernel = run_structure

// The tensor is a field of the node, not an attribute.
const OpDesc op_const = {
    .name = "const",
    .params = "",
    .doc = "A tensor that is part of the graph.",
    STRUCTURE(0, 0, 1),
    .flags = OP_INTERNAL,
    .graphdef = "Const",
};

// The blocks are fields of the node; they see the values around them, so that
// the condition is the only operand.
const OpDesc op_if = {
    .name = "if",
    .params = "condition",
    .doc = "The results of one of two blocks, by a condition of one element.",
    STRUCTURE(1, 1, 0),
    .flags = OP_INTERNAL,
};

// The state goes through params and results of both blocks; it may be empty,
// when effects are all that a loop does.
const OpDesc op_while = {
    .name = "while",
    .params = "*state",
    .doc = "Runs a block on the state as long as another block gives true.",
    STRUCTURE(0, 255, 0),
    .flags = OP_INTERNAL,
};

// Its effects are those of the callee's graph, which the flags cannot say.
const OpDesc op_call = {
    .name = "call",
    .params = "*args",
    .doc = "Runs the graph of a staged function that was called in a trace.",
    STRUCTURE(0, 255, 0),
    .flags = OP_INTERNAL,
};

// `format` holds the text between the tensors: a NUL byte stands for each, in
// order; `style` is "print" or a library's own; `stream` "stdout" or "stderr".
static const AttrDesc print_attrs[] = {
    {"format", ATTR_STR, ATTR_HOST_ONLY, NULL},
    {"style", ATTR_STR, ATTR_HOST_ONLY, "'print'"},
    {"stream", ATTR_STR, ATTR_HOST_ONLY, "'stdout'"},
};
const OpDesc op_print = {
    .name = "print",
    .params = "*args",
    .doc = "Prints tensors and text, each time the graph runs.",
    STRUCTURE(0, 255, 0),
    .flags = OP_INTERNAL | OP_EFFECT,
    .attrs = print_attrs,
    .attr_count = 3,
};

static const AttrDesc text_attrs[] = {
    {"text", ATTR_STR, ATTR_HOST_ONLY, NULL},
};
const OpDesc op_host_call = {
    .name = "host_call",
    .params = "*args",
    .doc = "Runs host code, each time the graph runs.",
    STRUCTURE(0, 255, 0),
    .flags = OP_INTERNAL | OP_EFFECT | OP_MAY_FAIL,
    .attrs = text_attrs,
    .attr_count = 1,
};

const OpDesc op_assert = {
    .name = "assert",
    .params = "condition, *args",
    .doc = "Fails where the condition, of one element, is false.",
    STRUCTURE(1, 255, 0),
    .flags = OP_INTERNAL | OP_EFFECT | OP_MAY_FAIL,
    .attrs = text_attrs,
    .attr_count = 1,
};

const OpDesc op_raise = {
    .name = "raise",
    .params = "*args",
    .doc = "Fails when it is reached.",
    STRUCTURE(0, 255, 0),
    .flags = OP_INTERNAL | OP_EFFECT | OP_MAY_FAIL,
    .attrs = text_attrs,
    .attr_count = 1,
};

// Reads keep their order with writes of the same Variable, and may be dropped.
const OpDesc op_read_variable = {
    .name = "read_variable",
    .params = "",
    .doc = "A Variable's value at this point.",
    STRUCTURE(0, 0, 1),
    .flags = OP_INTERNAL,
};

// Which Variable it is stands in the node, by number.
const OpDesc op_assign_variable = {
    .name = "assign_variable",
    .params = "value",
    .doc = "Replaces a Variable's value.",
    STRUCTURE(1, 1, 0),
    .flags = OP_INTERNAL | OP_EFFECT,
};
