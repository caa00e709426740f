// What ops that only a graph has are made of: what a node of one carries, its
// blocks, and how it acts when a plan runs.
//
// Printer, parser, checker, inference, copying, drawings and plans read these
// fields and know no op by name: a structural op is a row of op_list.h and a
// descriptor (ops_structure.c).
#ifndef DUET_OPS_STRUCTURAL_H
#define DUET_OPS_STRUCTURAL_H

#include "ops/tensor.h"
#include "ops/variable.h"

// What a node carries beside inputs, attributes and blocks, which also says
// what types it has.
typedef enum OpPayload {
    PAYLOAD_NONE,
    PAYLOAD_TENSOR,   // a constant: its own type; takes no step
    PAYLOAD_CALLEE,   // another graph: outputs of the types of its results
    PAYLOAD_GRADIENT, // a graph that says how gradients flow back: outputs of
                      // the types of the first inputs
    PAYLOAD_HOST,     // an object of the host's, or none: outputs as declared
    PAYLOAD_RESOURCE  // a Variable, by number: inputs and outputs of its type
} OpPayload;

// What is no value and has an order: what a node does to it, and in which order
// nodes do, is known to a graph (graph/versions.h).
typedef enum ResourceKind {
    RES_CONTROL,  // whether what follows is reached: assert, raise
    RES_WORLD,    // what the host shows and does
    RES_RNG,      // the counters of random numbers
    RES_VARIABLE, // the node's own Variable; of an op without one: all of them
    RES_COUNT
} ResourceKind;

// Nodes that borrow a resource may stand in any order among themselves; one
// that consumes it stands behind all those before it and before all others. It
// is an effect: never merged, folded, hoisted or dropped.
typedef enum Access {
    ACCESS_NONE = 0,
    ACCESS_BORROW = 1,
    ACCESS_CONSUME = 2
} Access;

// Most blocks that an op has, and the numbers of those of `if` and `while`.
enum {
    OP_MAX_BLOCKS = 2,
    SIDE_THEN = 0,
    SIDE_OTHERWISE = 1,
    SIDE_COND = 0,
    SIDE_BODY = 1
};

// One of a node's blocks. Where blocks have params the op is a loop: its inputs
// are the first state, which goes through the params of all its blocks, and its
// outputs the last.
typedef struct BlockDesc {
    const char *name; // what stands in front of it in the printed form
    bool params;      // one for each input; else none
    bool decides;     // yields one bool; else the next state, or the outputs
} BlockDesc;

// What stands in the format of a print for a tensor: one is shown, or is a text
// of the host and goes as it is.
enum { PRINT_TENSOR = '\0', PRINT_TEXT = '\1' };

static inline bool print_is_mark(char c)
{
    return c == PRINT_TENSOR || c == PRINT_TEXT;
}

// What the host is asked for: words and streams are its own.
typedef enum HostAction { HOST_PRINT, HOST_CALL, HOST_RAISE } HostAction;

struct AttrValue;
typedef struct StepCall StepCall;
// What an op can do when it is run. Abstract, since ops know no plan: the
// backend gives it (backend/step_call.c). False or NULL: an error is pending.
typedef struct StepTable {
    Tensor *(*input)(StepCall *call, uint32_t index); // borrowed
    // Owned; nobody else holds it where the plan has no more use for it.
    Tensor *(*take)(StepCall *call, uint32_t index);
    uint32_t (*input_count)(StepCall *call);
    uint32_t (*output_count)(StepCall *call);
    // What is known of an output; dims are the graph's.
    TensorType (*output_type)(StepCall *call, uint32_t index);
    const struct AttrValue *(*attr)(StepCall *call, uint32_t index);
    void (*set_output)(StepCall *call, uint32_t index, Tensor *tensor); // owned
    // The cell of the node's Variable, which has a value; and its name.
    VariableCell *(*cell)(StepCall *call, const char **name);
    // Runs a block, whose results become the outputs.
    bool (*branch)(StepCall *call, int block);
    // Makes the inputs the state, runs the blocks in turn, each on the state
    // that the one before has left, until one decides false; the state then
    // becomes the outputs.
    bool (*loop)(StepCall *call);
    // Runs the callee on the inputs, for the outputs.
    bool (*run_callee)(StepCall *call);
    // Hands the inputs to the host, for the outputs. HOST_RAISE always fails.
    bool (*host)(StepCall *call, HostAction action);
} StepTable;

struct StepCall {
    Ctx *ctx;
    const StepTable *table;
};

// Raises; false.
bool structural_condition_fails(Ctx *ctx, const Tensor *condition);
// Reads a condition; one of unknown rank may turn out to have more elements
// than one, which raises.
static inline bool structural_truth(Ctx *ctx, const Tensor *condition,
                                    bool *truth)
{
    if (UNLIKELY(condition->count != 1)) {
        return structural_condition_fails(ctx, condition);
    }
    *truth = *(const uint8_t *)condition->data != 0;
    return true;
}

#endif
