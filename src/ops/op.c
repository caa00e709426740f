// The op table: finding, inferring and running ops.
#include "ops/op.h"

#include <string.h>

#include "ops/elementwise.h"
#include "ops/emit_op.h"

#define OP(id, desc) extern const OpDesc desc;
#include "ops/op_list.h"
#undef OP

// Indexed by OpCode. Constant, as all descriptors: ops are known when the
// program is built.
const OpDesc *const op_table[OP_COUNT] = {
#define OP(id, desc) [OP_##id] = &desc,
#include "ops/op_list.h"
#undef OP
};

// Linear: names are looked up when they are bound or a graph's text is read,
// never while a program runs. strncmp stops at the end of `known`, so that it
// is not read beyond.
int op_find(const char *name, size_t length)
{
    for (int i = 0; i < OP_COUNT; i++) {
        const char *known = op_table[i]->name;
        if (strncmp(known, name, length) == 0 && known[length] == '\0') {
            return i;
        }
    }
    return -1;
}

LoopValue op_body(LoopBuild *build, const OpDesc *op, const LoopValue *x,
                  const AttrValue *attrs, DType result)
{
    return loop_narrow(build, op->body(build, x, attrs), (Elem)result);
}

// What a kernel is made for: `known` is the second operand, NULL if that is
// read.
typedef struct KernelKey {
    OpCode code;
    DType dtype, result;
    const AttrValue *attrs;
    unsigned ones;
    const double *known;
} KernelKey;

// One op is always within a body's limits.
static bool make_kernel(Ctx *ctx, const KernelKey *key, LoopKernel *kernel)
{
    const OpDesc *op = op_table[key->code];
    LoopBuild build;
    LoopValue x[3] = {0};
    loop_init(&build);
    for (int k = 0; k < op->min_inputs; k++) {
        bool condition = op_chooses(op) && k == 0;
        int operand =
            loop_operand(&build, condition ? ELEM_BOOL : (Elem)key->dtype,
                         key->ones >> k & 1 ? LOOP_ONE : LOOP_DENSE, false);
        x[k] = k == 1 && key->known != NULL
                   ? loop_number(&build, loop_type(&build, x[0]), *key->known)
                   : loop_load(&build, operand);
    }
    int out = loop_operand(&build, (Elem)key->result, LOOP_DENSE, true);
    return loop_store(&build, out,
                      op_body(&build, op, x, key->attrs, key->result))
               ? kernel_make(ctx, &build, false, kernel)
               : ctx_fail(ctx, ERR_SYSTEM, "%s: too long a body", op->name);
}

// The kernel in the row, which is made if it is not there.
static const LoopKernel *kept_kernel(Ctx *ctx, size_t row, const KernelKey *key)
{
    enum { KNOWN_MAX = 8 };
    KernelTable *table = kernel_table(ctx, OP_COUNT + ELEM_COUNT + KNOWN_MAX);
    if (table == NULL) {
        return NULL;
    }
    LoopKernel **entry = kernel_entry(table, row, (Elem)key->dtype, key->ones);
    if (*entry != NULL) {
        return *entry;
    }
    LoopKernel *made = ctx_alloc(ctx, sizeof *made);
    if (made == NULL || !make_kernel(ctx, key, made)) {
        ctx_free(ctx, made, sizeof *made);
        return NULL;
    }
    return *entry = made;
}

const LoopKernel *op_kernel_new(Ctx *ctx, OpCode code, DType dtype,
                                DType result, const AttrValue *attrs,
                                unsigned ones)
{
    const KernelKey key = {code, dtype, result, attrs, ones, NULL};
    return kept_kernel(ctx, code == OP_CAST ? OP_COUNT + (size_t)result : code,
                       &key);
}

// Behind the casts, which have a row for each dtype.
const LoopKernel *op_kernel_known(Ctx *ctx, OpCode code, DType dtype, int known)
{
    const KernelKey key = {code, dtype, dtype,
                           NULL, 2,     &op_table[code]->known[known]};
    return kept_kernel(ctx, OP_COUNT + ELEM_COUNT + (size_t)known, &key);
}

int op_known(const OpDesc *op, const Tensor *second)
{
    double number = op->known_count > 0 ? tensor_float_at(second, 0) : 0;
    int i = op->known_count - 1;
    while (i >= 0 && op->known[i] != number) {
        i--;
    }
    return i;
}

// The texts stand in the descriptor, so that compiled plans and eager calls
// fail in the same words.
bool op_fault(Ctx *ctx, const OpDesc *op)
{
    return ctx_fail(ctx, op->fault, "%s: %s", op->name, op->fault_text);
}

// What the rule may leave alone is set here: one output, not split. The dims
// of `out_shapes` are undefined until the rule sets them.
bool op_infer(InferCall *call)
{
    const OpDesc *op = call->op;
    if (call->input_count < op->min_inputs ||
        (op->max_inputs != UINT8_MAX && call->input_count > op->max_inputs)) {
        return ctx_fail(call->ctx, ERR_TYPE, "%s: %u operands given, takes %u",
                        op->name, call->input_count, op->min_inputs);
    }
    call->output_count = 1;
    call->split_axis = 0;
    call->split_sizes = NULL;
    return op->infer != NULL
               ? op->infer(call)
               : ctx_fail(call->ctx, ERR_SYSTEM, "%s: the graph gives its type",
                          op->name);
}

// Up to OP_MAX_OUTPUTS outputs have a type each. Beyond that all are as the
// first one, but for the size along the split axis.
void op_output_type(const InferCall *call, uint32_t index, DType *dtype,
                    Shape *shape)
{
    uint32_t from = call->output_count > OP_MAX_OUTPUTS ? 0 : index;
    const Shape *known = &call->out_shapes[from];
    *dtype = call->out_dtypes[from];
    shape_set(shape, known->rank, known->dims);
    if (from != index && call->split_sizes != NULL) {
        int64_t size = call->split_sizes[index];
        shape->dims[call->split_axis] = size < 0 ? call->split_rest : size;
    }
}

// On failure some exist already: the caller has cleared the others to NULL and
// drops them all.
static bool new_outputs(const InferCall *call, Tensor **outputs)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        DType dtype;
        Shape shape;
        op_output_type(call, i, &dtype, &shape);
        outputs[i] = tensor_new(call->ctx, dtype, shape.rank, shape.dims);
        if (outputs[i] == NULL) {
            return false;
        }
    }
    return true;
}

// Leaves NULL behind, since a caller may look at `outputs` after a failure.
static void drop_outputs(Ctx *ctx, Tensor **outputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        object_release_null(ctx, outputs[i]);
        outputs[i] = NULL;
    }
}

// Operands whose types fit on the stack: all but long lists for concat, stack
// and the like.
enum { RUN_INPUTS = 16 }; // more operands take heap memory

// Views and ops of dynamic shape make their outputs themselves; an allocation
// here would be thrown away.
static bool run_inferred(InferCall *infer, OpCode code, Tensor *const *inputs,
                         Tensor **outputs)
{
    const OpDesc *op = infer->op;
    KernelCall kernel = {.ctx = infer->ctx,
                         .op = op,
                         .attrs = infer->attrs,
                         .inputs = inputs,
                         .input_count = infer->input_count,
                         .output_count = infer->output_count,
                         .outputs = outputs};
    memset(outputs, 0, infer->output_count * sizeof(*outputs));
    // On failure part of the outputs may exist; NULL marks the others.
    bool made = (op->flags & (OP_DYNAMIC_SHAPE | OP_VIEW)) != 0 ||
                new_outputs(infer, outputs);
    bool elementwise = (op->flags & OP_ELEMENTWISE) != 0;
    if (made &&
        (elementwise ? elementwise_run(&kernel, code) : op_compute(&kernel))) {
        return true;
    }
    drop_outputs(infer->ctx, outputs, infer->output_count);
    return false;
}

bool op_run_over(Ctx *ctx, OpCode code, Tensor *const *inputs,
                 uint32_t input_count, const AttrValue *attrs)
{
    TensorType types[RUN_INPUTS];
    for (uint32_t i = 0; i < input_count; i++) {
        types[i] = tensor_type(inputs[i]);
    }
    InferCall infer = {.ctx = ctx,
                       .op = op_table[code],
                       .attrs = attrs,
                       .inputs = types,
                       .values = inputs,
                       .input_count = input_count};
    Tensor *output = inputs[0];
    KernelCall call = {ctx, infer.op, attrs, inputs, input_count, 1, &output};
    return op_infer(&infer) && op_compute(&call);
}

// From the cheapest way to the general one: quick forms for common operands,
// then composed ops, then rule, outputs and kernel. A quick form that declines
// (0) has done nothing, so the long way starts afresh and finds the error.
bool op_run(Ctx *ctx, OpCode code, Tensor *const *inputs, uint32_t input_count,
            const AttrValue *attrs, Tensor **outputs, uint32_t *output_count)
{
    const OpDesc *op = op_table[code];
    if (LIKELY(op->flags & OP_ELEMENTWISE) && input_count > 0) {
        // The usual case: two tensors of one dtype, or a number.
        int quick =
            elementwise_quick(ctx, code, inputs, input_count, 0, outputs);
        if (LIKELY(quick != 0)) {
            *output_count = 1;
            return quick > 0;
        }
    }
    if (op->quick != NULL && input_count == op->min_inputs) {
        int quick = op->quick(ctx, inputs, outputs);
        if (LIKELY(quick != 0)) {
            *output_count = 1;
            return quick > 0;
        }
    }
    // Written as other ops, which are run one after the other.
    if (UNLIKELY(op->compose != NULL)) {
        outputs[0] = emit_run(ctx, op, inputs, input_count, attrs);
        *output_count = outputs[0] != NULL;
        return outputs[0] != NULL;
    }
    TensorType few[RUN_INPUTS], *types = few;
    size_t size = input_count * sizeof(*types);
    if (input_count > RUN_INPUTS) {
        types = ctx_alloc(ctx, size);
        if (types == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < input_count; i++) {
        types[i] = tensor_type(inputs[i]);
    }
    // Set field by field: clearing all of the shapes would cost more than many
    // small ops do.
    InferCall call;
    call.ctx = ctx;
    call.op = op;
    call.attrs = attrs;
    call.inputs = types;
    call.values = inputs;
    call.input_count = input_count;
    bool ok = op_infer(&call) && run_inferred(&call, code, inputs, outputs);
    *output_count = ok ? call.output_count : 0;
    if (types != few) {
        ctx_free(ctx, types, size);
    }
    return ok;
}
