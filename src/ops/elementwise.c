// The elementwise driver.
//
// Dimensions of the output are collapsed where every operand runs through
// them with one step, so that most calls are one dense run. Each run goes to
// the op's kernel whole. Invariant: an operand's innermost step is 1, or 0
// where it is repeated along the run.
#include "ops/elementwise.h"

#include <string.h>

// The most that any op takes: where and clip.
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

enum { PIECE_ELEMENTS = 1 << 21 }; // of a run, between two polls

// The innermost loop, in pieces that Ctrl-C need not wait for. data[k] moves by
// `steps` bytes an element; all are left where they were.
static bool run_inner(Ctx *ctx, const OpDesc *op, const LoopKernel *kernel,
                      char *const *data, const int64_t *steps, int64_t left)
{
    char *at[ELEMENTWISE_OPERANDS + 1];
    memcpy(at, data, sizeof at);
    while (left > 0) {
        int64_t piece = left < PIECE_ELEMENTS ? left : PIECE_ELEMENTS;
        if (UNLIKELY(kernel_run(kernel, at, piece) != 0)) {
            return op_fault(ctx, op);
        }
        if (!ctx_poll(ctx)) {
            return false;
        }
        left -= piece;
        for (int k = 0; k < kernel->operand_count; k++) {
            at[k] += piece * steps[k];
        }
    }
    return true;
}

// ---- short rows

enum {
    LAID_COLUMNS = 64,   // rows of fewer elements share a run
    LAID_ELEMENTS = 1024 // elements of one
};

static bool is_laid(const Runs *runs)
{
    return runs->count > 1 && runs->loops[runs->count - 1].size < LAID_COLUMNS;
}

// Whether rows of the operand follow each other as those of the result do, or
// are one element.
static bool goes_on(const Loop *rows, const Loop *inner, uint32_t k)
{
    return rows->steps[k] == inner->steps[k] * inner->size;
}

#define LAY(T)                                                                 \
    for (int64_t row = 0; row < count; row++) {                                \
        for (int64_t i = 0; i < inner->size; i++) {                            \
            *(T *)(void *)to = ((const T *)(const void *)                      \
                                    from)[row * step + i * inner->steps[k]];   \
            to += sizeof(T);                                                   \
        }                                                                      \
    }
// An operand's elements for so many rows, which are `step` elements apart.
static void lay_rows(char *to, const char *from, size_t size, int64_t step,
                     const Loop *inner, uint32_t k, int64_t count)
{
    switch (size) {
    case 1: LAY(uint8_t) break;
    case 2: LAY(uint16_t) break;
    case 4: LAY(uint32_t) break;
    default: LAY(uint64_t)
    }
}

// The two innermost loops, some rows at a time. What an operand that is the
// same in all rows gives is laid out once.
static bool run_laid(const KernelCall *call, const Runs *runs,
                     const LoopKernel *kernel, char *const *data)
{
    char room[ELEMENTWISE_OPERANDS][LAID_ELEMENTS * sizeof(int64_t)];
    const Loop *rows = &runs->loops[runs->count - 2], *inner = rows + 1;
    char *at[ELEMENTWISE_OPERANDS + 1];
    uint32_t last = runs->operands;
    size_t out_size = dtype_size((DType)call->outputs[0]->dtype);
    int64_t most = LAID_ELEMENTS / inner->size;
    for (int64_t row = 0; row < rows->size; row += most) {
        int64_t some = rows->size - row < most ? rows->size - row : most;
        for (uint32_t k = 0; k < last; k++) {
            size_t size = dtype_size((DType)call->inputs[k]->dtype);
            char *from = data[k] + row * rows->steps[k] * (int64_t)size;
            at[k] = goes_on(rows, inner, k) ? from : room[k];
            if (at[k] != from && (row == 0 || rows->steps[k] != 0)) {
                lay_rows(room[k], from, size, rows->steps[k], inner, k, some);
            }
        }
        at[last] = data[last] + row * inner->size * (int64_t)out_size;
        if (UNLIKELY(kernel_run(kernel, at, some * inner->size) != 0)) {
            return op_fault(call->ctx, call->op);
        }
        if (!ctx_poll(call->ctx)) {
            return false;
        }
    }
    return true;
}

// ---- all of it

// The innermost loop, or two of short rows, is a kernel's; the others are
// counted in `at` like an odometer, which moves the operands' pointers by steps
// instead of computing them anew.
static bool runs_go(const KernelCall *call, const Runs *runs,
                    const LoopKernel *kernel)
{
    int outer = runs->count - (is_laid(runs) ? 2 : 1);
    const Loop *inner = &runs->loops[runs->count - 1];
    Tensor *output = call->outputs[0];
    char *data[ELEMENTWISE_OPERANDS + 1] = {NULL};
    int64_t sizes[ELEMENTWISE_OPERANDS + 1] = {0};
    int64_t steps[ELEMENTWISE_OPERANDS + 1] = {0};
    int64_t at[SHAPE_MAX_RANK] = {0};
    uint32_t last = runs->operands;
    for (uint32_t k = 0; k < runs->operands; k++) {
        data[k] = call->inputs[k]->data;
        sizes[k] = (int64_t)dtype_size((DType)call->inputs[k]->dtype);
        steps[k] = inner->steps[k] * sizes[k];
    }
    data[last] = output->data;
    steps[last] = sizes[last] = (int64_t)dtype_size((DType)output->dtype);
    int64_t count = inner->size * (is_laid(runs) ? inner[-1].size : 1);
    for (;;) {
        if (!(is_laid(runs) ? run_laid(call, runs, kernel, data)
                            : run_inner(call->ctx, call->op, kernel, data,
                                        steps, count))) {
            return false;
        }
        data[last] += count * sizes[last];
        int i = outer - 1;
        for (; i >= 0; i--) {
            const Loop *loop = &runs->loops[i];
            bool wraps = ++at[i] == loop->size;
            // A loop that wraps takes its operands back to where it began.
            int64_t moves = wraps ? 1 - loop->size : 1;
            for (uint32_t k = 0; k < runs->operands; k++) {
                data[k] += moves * loop->steps[k] * sizes[k];
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

// No elements, no kernel: a rule that refuses values has none to refuse. The
// op's own kernel is for strings.
bool elementwise_run(const KernelCall *call, OpCode code)
{
    DType dtype = (DType)call->inputs[op_chooses(call->op)]->dtype;
    Runs runs;
    unsigned ones = 0;
    if (call->outputs[0]->count == 0) {
        return true;
    }
    if (kernel_state(call->ctx) == NULL) {
        return false;
    }
    if (dtype == DT_STRING) {
        return call->op->kernel(call);
    }
    runs_init(&runs, call);
    const Loop *inner = &runs.loops[runs.count - 1];
    for (uint32_t k = 0; k < runs.operands; k++) {
        // A run of one element counts as dense, and what is laid out is.
        bool one = inner->size > 1 && inner->steps[k] == 0 &&
                   (!is_laid(&runs) || goes_on(inner - 1, inner, k));
        ones |= (unsigned)one << k;
    }
    int known = ones == 2 && call->inputs[1]->count == 1
                    ? op_known(call->op, call->inputs[1])
                    : -1;
    const LoopKernel *kernel =
        known >= 0
            ? op_kernel_known(call->ctx, code, dtype, known)
            : op_kernel(call->ctx, code, dtype, (DType)call->outputs[0]->dtype,
                        call->attrs, ones);
    return kernel != NULL && runs_go(call, &runs, kernel);
}

bool elementwise_dense(Ctx *ctx, OpCode code, DType dtype, unsigned ones,
                       char *const *data, int64_t count)
{
    const LoopKernel *kernel = op_kernel(ctx, code, dtype, dtype, NULL, ones);
    return kernel != NULL && (kernel_run(kernel, data, count) == 0 ||
                              op_fault(ctx, op_desc(code)));
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

// Whether the result may be written over the operand: nobody else holds it, it
// is all of its buffer, and nothing is known of it that would not be so of the
// result.
static bool may_take(const Ctx *ctx, const Tensor *tensor, const Tensor *shape,
                     DType dtype)
{
    return tensor->dtype == dtype && tensor->count == shape->count &&
           same_dims(tensor, shape) && tensor_reusable(tensor) &&
           tensor->head.flags == 0 && tensor->head.type == ctx->tensor_type &&
           (tensor->buffer == NULL ||
            tensor->buffer->size / 2 <
                (size_t)tensor->count * dtype_size(dtype));
}

// The result's tensor: an operand's, of those that are not needed any more, or
// a new one.
static Tensor *quick_output(Ctx *ctx, const OpDesc *op, Tensor *const *inputs,
                            unsigned last, const Tensor *shape, DType dtype)
{
    // Half a tensor would be left by an error.
    for (int k = 0; last >> k != 0 && op->fault == ERR_NONE; k++) {
        if ((last >> k & 1) && may_take(ctx, inputs[k], shape, dtype)) {
            return object_retain(inputs[k]);
        }
    }
    return tensor_new_counted(ctx, dtype, shape->rank, tensor_dims(shape),
                              shape->count);
}

// Equal shapes, or one operand of a single element: one run does it. All
// else, and each refusal that needs a good message, is left to the long way.
int elementwise_quick(Ctx *ctx, OpCode code, Tensor *const *inputs,
                      uint32_t count, unsigned last, Tensor **output)
{
    const OpDesc *op = op_desc(code);
    Tensor *a = inputs[0], *b = inputs[count - 1];
    if (count > 2 || count < op->min_inputs || count > op->max_inputs ||
        a->dtype != b->dtype || a->dtype == DT_STRING ||
        op->result == RESULT_CAST ||
        !(op->takes >> dtype_class((DType)a->dtype) & 1)) {
        return 0;
    }
    Tensor *shape = quick_shape(a, b);
    // The long way polls while it works, and has no elements to run on.
    if (shape == NULL || shape->count > PIECE_ELEMENTS || shape->count == 0) {
        return 0;
    }
    DType result = quick_dtype(op, (DType)a->dtype);
    // A single element is used for all.
    unsigned ones = a->count == shape->count ? 0 : 1;
    ones |= count == 1 || b->count == shape->count ? 0 : 2;
    int known = ones == 2 && op->known_count > 0 ? op_known(op, b) : -1;
    const LoopKernel *kernel =
        kernel_state(ctx) == NULL ? NULL
        : known >= 0
            ? op_kernel_known(ctx, code, (DType)a->dtype, known)
            : op_kernel(ctx, code, (DType)a->dtype, result, NULL, ones);
    Tensor *out = kernel == NULL
                      ? NULL
                      : quick_output(ctx, op, inputs, last, shape, result);
    if (out == NULL) {
        return -1;
    }
    char *data[] = {a->data, count == 1 ? out->data : b->data, out->data};
    if (UNLIKELY(kernel_run(kernel, data, out->count) != 0)) {
        object_release(ctx, out);
        return op_fault(ctx, op) ? 0 : -1;
    }
    *output = out;
    return 1;
}
