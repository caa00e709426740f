// Running a scalar program.
//
// Registers are read and written through memcpy of an element's size, which
// the compiler turns into plain moves: their bytes mean what the instruction
// says they do.
#include "backend/scalar.h"

#include <math.h>
#include <string.h>

// Between registers in a row and elements that lie dense.
static void pack(char *elements, const uint64_t *regs, size_t size,
                 uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        memcpy(elements + i * size, &regs[i], size);
    }
}

static void unpack(uint64_t *regs, const char *elements, size_t size,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&regs[i], elements + i * size, size);
    }
}

// An op that has no instruction of its own. One element lies dense as it is.
static bool run_kernel(PlanRun *run, const ScalarOp *op, uint64_t *regs)
{
    uint64_t dense[SCALAR_OPERANDS + 1][SCALAR_ELEMENTS];
    char *data[SCALAR_OPERANDS + 1];
    uint16_t last = op->in_count;
    size_t size = elem_size((Elem)op->kernel->operands[last].stored);
    for (uint16_t i = 0; i <= last; i++) {
        uint64_t *own = &regs[i < last ? op->in[i] : op->out];
        data[i] = (char *)(op->count == 1 ? own : dense[i]);
        if (op->count > 1 && i < last) {
            pack(data[i], own, elem_size((Elem)op->kernel->operands[i].stored),
                 op->count);
        }
    }
    if (LIKELY(kernel_run(op->kernel, data, op->count) == 0)) {
        if (op->count > 1) {
            unpack(&regs[op->out], data[last], size, op->count);
        }
        return true;
    }
    if (run->side) {
        ctx_interrupt(run->ctx, INTERRUPT_SIDE);
        return false;
    }
    return step_fail_part(run, op->node); // the step's node is the loop
}

// A bool's register holds 0 or 1 in its first byte.
static inline bool truth(const uint64_t *reg)
{
    return *(const uint8_t *)reg != 0;
}

// An element of an integer dtype.
static int64_t integer(const uint64_t *reg, DType dtype)
{
    int32_t small;
    int64_t large;
    memcpy(&small, reg, sizeof small);
    memcpy(&large, reg, sizeof large);
    return dtype == DT_INT32 ? small : large;
}

// Somebody asks the machine to look up from its work: may be to see how far
// the loop is. Within another loop that one has the line.
static void tell_rounds(PlanRun *run, const ScalarOp *op, const uint64_t *regs)
{
    const HostTable *host = run->args->host;
    if (run->plan->loops == 0 && op->in_count == 2 && host != NULL &&
        host->turn != NULL) {
        DType dtype = (DType)op->out;
        host->turn(run->args->host_data, run->ctx,
                   integer(&regs[op->in[0]], dtype),
                   integer(&regs[op->in[1]], dtype));
    }
}

bool scalar_call(PlanRun *run, const ScalarOp *op, uint64_t *regs)
{
    if (op->code == SCALAR_KERNEL) {
        return run_kernel(run, op, regs);
    }
    if (run->side) {
        return false;
    }
    tell_rounds(run, op, regs);
    return ctx_poll(run->ctx);
}

#define SCALAR(name, dtype, T, R, expression)                                  \
    static inline void do_##name##_##dtype(const ScalarOp *op, uint64_t *regs) \
    {                                                                          \
        T a, b;                                                                \
        memcpy(&a, &regs[op->in[0]], sizeof a);                                \
        memcpy(&b, &regs[op->in[1]], sizeof b);                                \
        (void)b;                                                               \
        R result = (R)(expression);                                            \
        memcpy(&regs[op->out], &result, sizeof result);                        \
    }
#include "backend/scalar_list.h"
#undef SCALAR

#define FUSE(bits, T, fused)                                                   \
    static inline void fuse##bits(const ScalarOp *op, uint64_t *regs)          \
    {                                                                          \
        T x[SCALAR_OPERANDS];                                                  \
        for (int i = 0; i < SCALAR_OPERANDS; i++) {                            \
            memcpy(&x[i], &regs[op->in[i]], sizeof x[i]);                      \
        }                                                                      \
        T result = fused(x[0], x[1], x[2]);                                    \
        memcpy(&regs[op->out], &result, sizeof result);                        \
    }
FUSE(32, float, fmaf)
FUSE(64, double, fma)
#undef FUSE

// One switch over the instructions. Only jumps backwards poll: all other code
// runs to its end.
static bool run_code(PlanRun *run, const ScalarOp *code, uint64_t *regs)
{
    for (const ScalarOp *op = code;; op++) {
        switch ((ScalarCode)op->code) {
#define SCALAR(name, dtype, T, R, expression)                                  \
    case SCALAR_##name##_##dtype:                                              \
        do_##name##_##dtype(op, regs);                                         \
        break;
#include "backend/scalar_list.h"
#undef SCALAR
        case SCALAR_KERNEL:
            if (UNLIKELY(!scalar_call(run, op, regs))) {
                return false;
            }
            break;
        case SCALAR_MOVE: regs[op->out] = regs[op->in[0]]; break;
        // Both values are computed already: a scalar op has no effects.
        case SCALAR_SELECT:
            regs[op->out] = regs[op->in[truth(&regs[op->in[0]]) ? 1 : 2]];
            break;
        case SCALAR_FUSED32: fuse32(op, regs); break;
        case SCALAR_FUSED64: fuse64(op, regs); break;
        // The end of a turn, which is where Ctrl-C is noticed; the loop's ++ is
        // taken off the target.
        case SCALAR_LOOP:
            if (UNLIKELY(ctx_interrupt_bits(run->ctx)) &&
                !scalar_call(run, op, regs)) {
                return false;
            }
            op = code + op->target - 1;
            break;
        case SCALAR_JUMP: op = code + op->target - 1; break;
        case SCALAR_JUMP_FALSE:
            if (!truth(&regs[op->in[0]])) {
                op = code + op->target - 1;
            }
            break;
        case SCALAR_END:
        case SCALAR_COUNT: return true;
        }
    }
}

void scalar_load(const PlanRun *run, const ScalarProgram *program,
                 uint64_t *regs)
{
    memcpy(regs, program->initial, program->reg_count * sizeof *regs);
    for (uint32_t i = 0; i < program->input_count; i++) {
        const ScalarInput *input = &program->inputs[i];
        // Only an element's bytes: what is above them in the register is not
        // read.
        unpack(&regs[input->reg], run->slots[input->slot]->data, input->size,
               input->count);
    }
}

bool scalar_loop(PlanRun *run, const ScalarProgram *program, uint64_t *regs)
{
    return program->run != NULL ? program->run(regs, run, &run->ctx->interrupt)
                                : run_code(run, program->code, regs);
}

bool scalar_store(PlanRun *run, const Step *step, const uint64_t *regs)
{
    for (uint32_t i = 0; i < step->output_count; i++) {
        ScalarOutput output = step->scalar->outputs[i];
        Tensor *tensor = tensor_new(run->ctx, output.type.dtype,
                                    output.type.rank, output.type.dims);
        if (tensor == NULL) {
            return false;
        }
        pack(tensor->data, &regs[output.reg], dtype_size(output.type.dtype),
             output.count);
        step_set(run, step->outputs[i], tensor);
    }
    return true;
}

// The outputs are there already if it was run beside others (branches.h).
bool step_scalar(PlanRun *run, const Step *step)
{
    // On the C stack: a loop over numbers allocates nothing but its results.
    uint64_t regs[SCALAR_MAX_REGS];
    if (step->output_count > 0 && run->slots[step->outputs[0]] != NULL) {
        return true;
    }
    scalar_load(run, step->scalar, regs);
    return scalar_loop(run, step->scalar, regs) &&
           scalar_store(run, step, regs);
}
