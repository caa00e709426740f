// Loops over few numbers, compiled whole.
//
// A `while` whose state is made of small tensors, and whose blocks hold nothing
// but elementwise ops, views, joins, sums, products, ifs and whiles on such,
// becomes a program over registers of eight bytes: no tensor is made and no
// step runs from turn to turn. Registers hold one element each, at their start.
//
// A program is flat: blocks end in jumps. Params of a loop's two blocks and
// the loop's outputs share one register each.
#ifndef DUET_BACKEND_SCALAR_H
#define DUET_BACKEND_SCALAR_H

#include <signal.h>

#include "backend/plan_build.h"

enum {
    SCALAR_MAX_REGS = 512,  // 4 KB on the C stack while a program runs
    SCALAR_MAX_CODE = 4096, // instructions
    SCALAR_ELEMENTS = 16,   // of a tensor, a power of 2
    SCALAR_OPERANDS = 3
};

// What an instruction does with its registers. The named ones are for control
// and for ops at large; the others are one op on one dtype each.
typedef enum ScalarCode {
    SCALAR_KERNEL,     // out = op(a, b, c), by its kernel
    SCALAR_MOVE,       // out = a
    SCALAR_SELECT,     // out = a ? b : c
    SCALAR_FUSED32,    // out = a * b + c, rounded once: of float32
    SCALAR_FUSED64,    // and of float64
    SCALAR_JUMP,       // to `target`, forwards
    SCALAR_LOOP,       // to `target`, backwards: polls for interrupts; with
                       // two operands it counts a up to b, of dtype `out`
    SCALAR_JUMP_FALSE, // to `target` if not a
    SCALAR_END,
// One for each row of scalar_list.h.
#define SCALAR(op, dtype, T, R, expression) SCALAR_##op##_##dtype,
#include "backend/scalar_list.h"
#undef SCALAR
    SCALAR_COUNT
} ScalarCode;

// One instruction: `out` and `in` are numbers of registers.
typedef struct ScalarOp {
    uint16_t code;                // ScalarCode
    uint16_t out;                 // register
    uint16_t in[SCALAR_OPERANDS]; // registers
    uint16_t in_count;            // of them that are operands
    uint16_t count;  // elements: each operand and the result are so many
                     // registers in a row
    uint32_t target; // jumps: index into the code
    const LoopKernel *kernel; // SCALAR_KERNEL
    const GraphNode *node;    // for errors
} ScalarOp;

// Registers in a row that are loaded from a slot before the run.
typedef struct ScalarInput {
    uint32_t slot;
    uint16_t reg;
    uint16_t size; // bytes of an element
    uint16_t count;
} ScalarInput;

// Registers in a row that become an output's tensor after the run.
typedef struct ScalarOutput {
    TensorType type; // the dims are the graph's
    uint16_t reg;
    uint16_t count;
} ScalarOutput;

// A compiled loop, in the plan's arena. It is read only: a run copies
// `initial` to registers of its own, so that runs may nest.
struct ScalarProgram {
    ScalarOp *code;
    uint32_t code_count;
    uint32_t reg_count;
    const uint64_t *initial; // registers before the run: constants
    ScalarInput *inputs;
    uint32_t input_count;
    ScalarOutput *outputs; // as many as the loop's
    uint32_t output_count;
    uint32_t size; // bytes of the machine code
    // The same as machine code; NULL: it is interpreted. False with an error
    // pending.
    bool (*run)(uint64_t *regs, PlanRun *run, volatile sig_atomic_t *interrupt);
    ScalarProgram *next_of_plan;
};

// Compiles a loop. *program is NULL if it is none that can be. False with an
// error pending.
MUST_CHECK bool scalar_build(Builder *builder, GraphNode *loop,
                             ScalarProgram **program);
bool step_scalar(PlanRun *run, const Step *step);
// Its parts: registers from the template and the slots; the run itself, which
// touches nothing else; and the outputs' tensors.
void scalar_load(const PlanRun *run, const ScalarProgram *program,
                 uint64_t *regs);
MUST_CHECK bool scalar_loop(PlanRun *run, const ScalarProgram *program,
                            uint64_t *regs);
MUST_CHECK bool scalar_store(PlanRun *run, const Step *step,
                             const uint64_t *regs);
// What machine code leaves to C: an op by its kernel, or the end of a turn when
// somebody has set the interrupt flag.
bool scalar_call(PlanRun *run, const ScalarOp *op, uint64_t *regs);
// Machine code for a program whose registers have these dtypes, where there can
// be any. False with ERR_MEMORY pending.
MUST_CHECK bool scalar_emit(Ctx *ctx, ScalarProgram *program,
                            const uint8_t *dtypes);
void scalar_release(Ctx *ctx, Plan *plan); // the code of the plan's programs

#endif
