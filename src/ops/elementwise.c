// The elementwise driver.
//
// Dimensions of the output are collapsed where every operand runs through
// them with one step, so that most calls are one dense run. Each run goes to
// the tile function whole; an operand that is repeated along the run has step
// 0. Invariant: a dense operand's innermost step is 1 or 0.
#include "ops/elementwise.h"

#include <string.h>

// The most that any tile takes: where and clip.
enum { ELEMENTWISE_OPERANDS = 3 };

// One dimension of the collapsed iteration.
typedef struct Loop {
    int64_t size;
    int64_t steps[ELEMENTWISE_OPERANDS]; // elements; 0: broadcast
} Loop;

// The whole iteration; on the C stack of one call.
typedef struct Runs {
    Loop loops[SHAPE_MAX_RANK]; // outermost first
    int count;                  // at least 1
    uint32_t operands;
} Runs;

// Steps of an operand along the output's dimensions.
static void operand_steps(TensorType type, int rank, int64_t *steps)
{
    int64_t step = 1;
    for (int i = 0; i < rank; i++) {
        int from = type.rank - 1 - i;
        // An axis that the operand lacks, or has once: its element stays.
        bool repeats = from < 0 || type.dims[from] == 1;
        steps[rank - 1 - i] = repeats ? 0 : step;
        step *= from >= 0 ? type.dims[from] : 1;
    }
}

// Two neighbouring dimensions are one loop if every operand goes on from the
// end of the inner one to the next step of the outer one without a jump. A
// broadcast operand (both steps 0) passes too.
static bool loops_join(const Loop *outer, const Loop *inner, uint32_t operands)
{
    for (uint32_t k = 0; k < operands; k++) {
        if (outer->steps[k] != inner->steps[k] * inner->size) {
            return false;
        }
    }
    return true;
}

// Sizes of 1 move nothing and are dropped; neighbours are joined. Dense
// operands of one shape so become a single run, whatever their rank.
static void runs_init(Runs *runs, const KernelCall *call)
{
    TensorType out = tensor_type(call->outputs[0]);
    int64_t steps[ELEMENTWISE_OPERANDS][SHAPE_MAX_RANK];
    runs->operands = call->input_count;
    runs->count = 0;
    for (uint32_t k = 0; k < call->input_count; k++) {
        // 0 along axes that an operand is broadcast over.
        operand_steps(tensor_type(call->inputs[k]), out.rank, steps[k]);
    }
    for (int i = 0; i < out.rank; i++) {
        Loop loop = {.size = out.dims[i]};
        if (loop.size == 1) {
            continue;
        }
        for (uint32_t k = 0; k < call->input_count; k++) {
            loop.steps[k] = steps[k][i];
        }
        int last = runs->count - 1;
        // Axes over which all operands go on in one step are one loop.
        if (last >= 0 &&
            loops_join(&runs->loops[last], &loop, runs->operands)) {
            loop.size *= runs->loops[last].size;
            runs->loops[last] = loop;
        } else {
            runs->loops[runs->count++] = loop;
        }
    }
    // A scalar, or sizes of 1 alone: one run of one element.
    if (runs->count == 0) {
        runs->loops[runs->count++] = (Loop){.size = 1};
    }
}

enum {
    PIECE_ELEMENTS = 1 << 21, // of a run, between two polls
    // Elements for which a kernel is looked up: in the nearest cache a tile of
    // one cheap op is a little quicker.
    KERNEL_LEAST = 4096
};

// What computes a run: a kernel or, if that is NULL, a tile.
typedef struct Runner {
    TileFn tile;
    const LoopKernel *kernel;
} Runner;

// False: some element is in error.
static bool run_piece(Runner runner, char *out, const TileArg *args,
                      uint32_t operands, size_t count)
{
    char *data[ELEMENTWISE_OPERANDS + 1];
    if (runner.kernel == NULL) {
        return runner.tile(out, args, count);
    }
    for (uint32_t k = 0; k < operands; k++) {
        // Read alone.
        memcpy(&data[k], &args[k].data, sizeof data[k]);
    }
    data[operands] = out;
    kernel_run(runner.kernel, data, (int64_t)count);
    return true;
}

// The innermost loop, in pieces that Ctrl-C need not wait for. The operands
// are left where they were.
static bool run_tile(const KernelCall *call, Runner runner, char *out,
                     size_t out_size, const TileArg *operands,
                     const size_t *sizes, const Runs *runs)
{
    size_t left = (size_t)runs->loops[runs->count - 1].size;
    TileArg args[ELEMENTWISE_OPERANDS];
    memcpy(args, operands, sizeof args);
    while (left > 0) {
        size_t piece = left < PIECE_ELEMENTS ? left : PIECE_ELEMENTS;
        if (!run_piece(runner, out, args, runs->operands, piece)) {
            return op_tile_fail(call->ctx, call->op);
        }
        if (!ctx_poll(call->ctx)) {
            return false;
        }
        left -= piece;
        out += piece * out_size;
        for (uint32_t k = 0; k < runs->operands; k++) {
            args[k].data =
                (const char *)args[k].data + piece * args[k].step * sizes[k];
        }
    }
    return true;
}

// The kernel for the innermost loop, if it is long enough.
static bool find_kernel(const KernelCall *call, const Runs *runs,
                        const LoopKernel **kernel)
{
    const Loop *inner = &runs->loops[runs->count - 1];
    unsigned ones = 0;
    *kernel = NULL;
    if (inner->size < KERNEL_LEAST || call->op->body == NULL) {
        return true;
    }
    for (uint32_t k = 0; k < runs->operands; k++) {
        ones |= (unsigned)(inner->steps[k] == 0) << k;
    }
    return op_kernel(call->ctx, call->op,
                     (DType)call->inputs[runs->operands == 3]->dtype,
                     (DType)call->outputs[0]->dtype, call->attrs, ones, kernel);
}

// The innermost loop is a tile's or a kernel's; the others are counted in `at`
// like an odometer, which moves the operands' pointers by steps instead of
// computing them anew.
static bool runs_go(const KernelCall *call, const Runs *runs, Runner runner)
{
    const Loop *inner = &runs->loops[runs->count - 1];
    Tensor *output = call->outputs[0];
    size_t out_size = dtype_size((DType)output->dtype);
    size_t sizes[ELEMENTWISE_OPERANDS];
    TileArg args[ELEMENTWISE_OPERANDS];
    int64_t at[SHAPE_MAX_RANK] = {0};
    char *out = output->data;
    for (uint32_t k = 0; k < runs->operands; k++) {
        sizes[k] = dtype_size((DType)call->inputs[k]->dtype);
        args[k] = (TileArg){call->inputs[k]->data,
                            // A run of one element counts as dense, which
                            // takes the quicker loop.
                            inner->size == 1 || inner->steps[k] != 0};
    }
    for (;;) {
        if (!run_tile(call, runner, out, out_size, args, sizes, runs)) {
            return false;
        }
        out += (size_t)inner->size * out_size;
        int i = runs->count - 2;
        for (; i >= 0; i--) {
            const Loop *loop = &runs->loops[i];
            bool wraps = ++at[i] == loop->size;
            // A loop that wraps takes its operands back to where it began.
            int64_t moves = wraps ? 1 - loop->size : 1;
            for (uint32_t k = 0; k < runs->operands; k++) {
                args[k].data = (const char *)args[k].data +
                               moves * loop->steps[k] * (int64_t)sizes[k];
            }
            if (!wraps) {
                break;
            }
            at[i] = 0;
        }
        if (i < 0) {
            return true;
        }
    }
}

// No elements, no tile: a rule that refuses values has none to refuse. Where
// no tile is, the op's kernel is for strings.
bool elementwise_run(const KernelCall *call)
{
    DType dtypes[ELEMENTWISE_OPERANDS];
    if (call->outputs[0]->count == 0) {
        return true;
    }
    if (kernel_state(call->ctx) == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < call->input_count; k++) {
        dtypes[k] = (DType)call->inputs[k]->dtype;
    }
    TileFn tile = op_tile(call->ctx, call->op, dtypes, call->attrs);
    if (tile == NULL) {
        return call->op->kernel != NULL
                   ? call->op->kernel(call)
                   : ctx_fail(call->ctx, ERR_DTYPE,
                              "%s: dtype %s is not supported", call->op->name,
                              dtype_name(dtypes[0]));
    }
    Runs runs;
    runs_init(&runs, call);
    Runner runner = {tile, NULL};
    return find_kernel(call, &runs, &runner.kernel) &&
           runs_go(call, &runs, runner);
}

// On the path of every eager operator, so in this file, to be inlined.
static bool same_dims(const Tensor *a, const Tensor *b)
{
    if (a->rank != b->rank) {
        return false;
    }
    const int64_t *x = tensor_dims(a), *y = tensor_dims(b);
    for (int i = 0; i < a->rank; i++) {
        if (x[i] != y[i]) {
            return false;
        }
    }
    return true;
}

// The same as the shape rule gives, without an InferCall to fill in.
static DType quick_dtype(const OpDesc *op, DType dtype)
{
    if (op->result == RESULT_SAME) {
        return dtype;
    }
    if (op->result == RESULT_BOOL) {
        return DT_BOOL;
    }
    return dtype_is_float(dtype) ? dtype : DT_FLOAT64;
}

// The operand whose shape is the result's, by the quick rule; NULL if none.
static Tensor *quick_shape(Tensor *a, Tensor *b)
{
    if (same_dims(a, b) || (b->count == 1 && b->rank <= a->rank)) {
        return a;
    }
    return a->count == 1 && a->rank <= b->rank ? b : NULL;
}

// Equal shapes, or one operand of a single element: one tile call does it. All
// else, and each refusal that needs a good message, is left to the long way.
int elementwise_quick(Ctx *ctx, const OpDesc *op, Tensor *const *inputs,
                      uint32_t count, Tensor **output)
{
    Tensor *a = inputs[0], *b = inputs[count - 1];
    if (count > 2 || count < op->min_inputs || count > op->max_inputs ||
        a->dtype != b->dtype || a->dtype == DT_STRING ||
        op->result == RESULT_CAST) {
        return 0;
    }
    KernelState *state = kernel_state(ctx);
    if (state == NULL) {
        return -1;
    }
    // `where` has three operands and is not seen here.
    TileFn tile = state->tier->tiles[op->tile][a->dtype];
    Tensor *shape = quick_shape(a, b);
    // The long way polls while it works.
    if (tile == NULL || shape == NULL || shape->count > PIECE_ELEMENTS) {
        return 0;
    }
    Tensor *out = tensor_new(ctx, quick_dtype(op, (DType)a->dtype), shape->rank,
                             tensor_dims(shape));
    if (out == NULL) {
        return -1;
    }
    // A single element is used for all: the flag says which operand is dense.
    TileArg args[2] = {{a->data, a->count == out->count},
                       {b->data, b->count == out->count}};
    Runner runner = {tile, NULL};
    unsigned ones = args[0].step ? 0 : 1;
    ones |= count == 1 || args[1].step ? 0 : 2;
    if (out->count >= KERNEL_LEAST && op->body != NULL &&
        !op_kernel(ctx, op, (DType)a->dtype, (DType)out->dtype, NULL, ones,
                   &runner.kernel)) {
        object_release(ctx, out);
        return -1;
    }
    if (!run_piece(runner, out->data, args, count, (size_t)out->count)) {
        object_release(ctx, out);
        return op_tile_fail(ctx, op) ? 0 : -1;
    }
    *output = out;
    return 1;
}
