// Descriptors of the ops that only a graph has: constants, control flow,
// calls and effects.
//
// They have no shape rule: payload and blocks say their types, which the
// builder and graph/graph_infer.c give. How they act is written against a
// StepCall, which a plan gives them. All are internal: no name of theirs stands
// at the prompt.
#include "ops/op.h"

// What stands behind a failure does not happen: all effects borrow control.
#define READS                                                                  \
    {                                                                          \
        [RES_VARIABLE] = ACCESS_BORROW                                         \
    }
#define WRITES                                                                 \
    {                                                                          \
        [RES_CONTROL] = ACCESS_BORROW, [RES_VARIABLE] = ACCESS_CONSUME         \
    }
#define SHOWS                                                                  \
    {                                                                          \
        [RES_CONTROL] = ACCESS_BORROW, [RES_WORLD] = ACCESS_CONSUME            \
    }
#define FAILS                                                                  \
    {                                                                          \
        [RES_CONTROL] = ACCESS_CONSUME                                         \
    }
// Code of the host may do anything.
#define EVERYTHING                                                             \
    {                                                                          \
        ACCESS_CONSUME, ACCESS_CONSUME, ACCESS_CONSUME, ACCESS_CONSUME         \
    }

// The tensor is a field of the node, not an attribute.
const OpDesc op_const = {
    .name = "const",
    .params = "",
    .doc = "A tensor that is part of the graph.",
    .output_count = 1,
    .flags = OP_INTERNAL,
    .payload = PAYLOAD_TENSOR,
    .graphdef = "Const",
};

bool structural_condition_fails(Ctx *ctx, const Tensor *condition)
{
    return ctx_fail(ctx, ERR_OP_VALUE,
                    "bool: a tensor of %lld elements is neither true nor "
                    "false: use any() or all(), or where() for each",
                    (long long)condition->count);
}

static bool run_if(StepCall *call)
{
    bool truth = false;
    return structural_truth(call->ctx, call->table->input(call, 0), &truth) &&
           call->table->branch(call, truth ? SIDE_THEN : SIDE_OTHERWISE);
}

// The blocks are fields of the node; they see the values around them, so that
// the condition is the only operand.
static const BlockDesc if_blocks[] = {
    [SIDE_THEN] = {.name = "then"},
    [SIDE_OTHERWISE] = {.name = "else"},
};
const OpDesc op_if = {
    .name = "if",
    .params = "condition",
    .doc = "The results of one of two blocks, by a condition of one element.",
    .min_inputs = 1,
    .max_inputs = 1,
    .flags = OP_INTERNAL | OP_CONDITION,
    .block_count = 2,
    .blocks = if_blocks,
    .run = run_if,
};

static bool run_while(StepCall *call)
{
    return call->table->loop(call);
}

// The state may be empty, when effects are all that a loop does.
static const BlockDesc while_blocks[] = {
    [SIDE_COND] = {.name = "cond", .params = true, .decides = true},
    [SIDE_BODY] = {.name = "body", .params = true},
};
const OpDesc op_while = {
    .name = "while",
    .params = "*state",
    .doc = "Runs a block on the state as long as another block gives true.",
    .max_inputs = 255,
    .flags = OP_INTERNAL,
    .block_count = 2,
    .blocks = while_blocks,
    .run = run_while,
};

static bool run_call(StepCall *call)
{
    return call->table->run_callee(call);
}

// Its effects are those of the callee's graph, which the flags cannot say.
const OpDesc op_call = {
    .name = "call",
    .params = "*args",
    .doc = "Runs the graph of a staged function that was called in a trace.",
    .max_inputs = 255,
    .flags = OP_INTERNAL,
    .payload = PAYLOAD_CALLEE,
    .run = run_call,
};

static bool run_custom_gradient(StepCall *call)
{
    uint32_t count = call->table->output_count(call);
    for (uint32_t i = 0; i < count; i++) {
        Tensor *input = call->table->input(call, i);
        call->table->set_output(call, i, object_retain(input));
    }
    return true;
}

// Its inputs are the results, as many arguments as its graph gives gradients,
// and what else the graph uses behind the results' gradients.
const OpDesc op_custom_gradient = {
    .name = "custom_gradient",
    .params = "*values",
    .doc = "The first inputs, whose gradients flow by a graph of the program.",
    .max_inputs = 255,
    .flags = OP_INTERNAL,
    .payload = PAYLOAD_GRADIENT,
    .run = run_custom_gradient,
};

static bool run_print(StepCall *call)
{
    return call->table->host(call, HOST_PRINT);
}

// `format` holds the text between the tensors: a mark stands for each, in order
// (structural.h); `style` is "print" or a library's own; `stream` "stdout" or
// "stderr".
static const AttrDesc print_attrs[] = {
    {"format", ATTR_STR, ATTR_HOST_ONLY, NULL},
    {"style", ATTR_STR, ATTR_HOST_ONLY, "'print'"},
    {"stream", ATTR_STR, ATTR_HOST_ONLY, "'stdout'"},
};
const OpDesc op_print = {
    .name = "print",
    .params = "*args",
    .doc = "Prints tensors and text, each time the graph runs.",
    .max_inputs = 255,
    .flags = OP_INTERNAL,
    .access = SHOWS,
    .attrs = print_attrs,
    .attr_count = 3,
    .payload = PAYLOAD_HOST,
    .run = run_print,
};

static bool run_host_call(StepCall *call)
{
    return call->table->host(call, HOST_CALL);
}

static const AttrDesc text_attrs[] = {
    {"text", ATTR_STR, ATTR_HOST_ONLY, NULL},
};
const OpDesc op_host_call = {
    .name = "host_call",
    .params = "*args",
    .doc = "Runs host code, each time the graph runs.",
    .max_inputs = 255,
    .flags = OP_INTERNAL | OP_MAY_FAIL,
    .access = EVERYTHING,
    .attrs = text_attrs,
    .attr_count = 1,
    .payload = PAYLOAD_HOST,
    .run = run_host_call,
};

// Datasets are host code: the host makes the element, may be with functions of
// the program, which may do anything. Which dataset or iterator it is comes as
// a tensor that holds it (ops/tensor_hold.h).
#define DRAW(op_name, summary)                                                 \
    {                                                                          \
        .name = (op_name), .params = "place", .doc = (summary),                \
        .min_inputs = 1, .max_inputs = 1, .flags = OP_INTERNAL | OP_MAY_FAIL,  \
        .access = EVERYTHING, .payload = PAYLOAD_HOST, .run = run_host_call    \
    }
const OpDesc op_iterate = DRAW("iterate", "A new iterator of a dataset.");
const OpDesc op_more =
    DRAW("more", "Whether an iterator has another element, which waits there.");
const OpDesc op_next = DRAW("next", "An iterator's next element, as leaves.");

static bool run_raise(StepCall *call)
{
    return call->table->host(call, HOST_RAISE);
}

// More than one element is no condition that holds: the host words that too.
static bool run_assert(StepCall *call)
{
    const Tensor *condition = call->table->input(call, 0);
    return LIKELY(condition->count == 1 &&
                  *(const uint8_t *)condition->data != 0) ||
           run_raise(call);
}

const OpDesc op_assert = {
    .name = "assert",
    .params = "condition, *args",
    .doc = "Fails where the condition, of one element, is false.",
    .min_inputs = 1,
    .max_inputs = 255,
    .flags = OP_INTERNAL | OP_MAY_FAIL | OP_CONDITION,
    .access = FAILS,
    .attrs = text_attrs,
    .attr_count = 1,
    .payload = PAYLOAD_HOST,
    .run = run_assert,
};

const OpDesc op_raise = {
    .name = "raise",
    .params = "*args",
    .doc = "Fails when it is reached.",
    .max_inputs = 255,
    .flags = OP_INTERNAL | OP_MAY_FAIL,
    .access = FAILS,
    .attrs = text_attrs,
    .attr_count = 1,
    .payload = PAYLOAD_HOST,
    .run = run_raise,
};

// A snapshot: a later assignment replaces the cell's tensor and leaves this
// one as it is.
static bool run_read(StepCall *call)
{
    const char *name;
    VariableCell *cell = call->table->cell(call, &name);
    if (cell != NULL) {
        call->table->set_output(call, 0, object_retain(cell->value));
    }
    return cell != NULL;
}

// The Variable is the tape's operand, what it held the result.
static bool grad_read(GradCall *call)
{
    call->input_grads[0] = call->output_grads[0];
    call->input_rows[0] = call->output_rows[0];
    return true;
}

// Reads keep their order with writes of the same Variable, and may be dropped.
const OpDesc op_read_variable = {
    .name = "read_variable",
    .params = "",
    .doc = "A Variable's value at this point.",
    .output_count = 1,
    .flags = OP_INTERNAL | OP_HANDS_ON,
    .access = READS,
    .payload = PAYLOAD_RESOURCE,
    .run = run_read,
    .gradient = grad_read,
};

// In the words of eager code.
static bool refuse_value(StepCall *call, const char *name, TensorType own,
                         TensorType given)
{
    StrBuf text;
    strbuf_init(&text, call->ctx);
    strbuf_printf(&text, "assign: Variable '%s' holds ", name);
    tensor_type_print(&text, own);
    strbuf_puts(&text, ", not ");
    tensor_type_print(&text, given);
    if (strbuf_ok(&text)) {
        ctx_fail(call->ctx, ERR_SHAPE, "%s", strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

// Ranks and sizes that the trace could not know are compared here, before
// anything is changed. The tensor is replaced whole, so that a failure or an
// interrupt leaves the value before it.
static bool run_assign(StepCall *call)
{
    const char *name;
    VariableCell *cell = call->table->cell(call, &name);
    if (cell == NULL) {
        return false;
    }
    // Value and old tensor may be one: it is retained before it is released.
    Tensor *value = call->table->input(call, 0), *old = cell->value;
    TensorType own = cell_type(cell);
    if (UNLIKELY(!tensor_type_may_be(own, tensor_type(value)))) {
        return refuse_value(call, name, own, tensor_type(value));
    }
    cell->value = object_retain(value);
    object_release(call->ctx, old);
    return true;
}

// Which Variable it is stands in the node, by number.
const OpDesc op_assign_variable = {
    .name = "assign_variable",
    .params = "value",
    .doc = "Replaces a Variable's value.",
    .min_inputs = 1,
    .max_inputs = 1,
    .flags = OP_INTERNAL,
    .access = WRITES,
    .payload = PAYLOAD_RESOURCE,
    .run = run_assign,
};
