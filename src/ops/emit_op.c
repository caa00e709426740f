// Helpers of gradient rules and composed ops, and the Emit that runs at once.
#include "ops/emit_op.h"

#include "base/vec.h"
#include "ops/infer.h"
#include "ops/reduce.h"
#include "ops/tensor_move.h"

// NULL goes in and comes out: the op that failed first has raised.
EmitValue emit_1(Emit *emit, OpCode op, EmitValue x, const AttrValue *attrs)
{
    return x == NULL ? NULL : emit->op(emit, op, &x, 1, attrs);
}

// A NULL operand is an earlier failure: nothing is emitted, so rules need one
// test at their end.
EmitValue emit_2(Emit *emit, OpCode op, EmitValue x, EmitValue y)
{
    EmitValue inputs[2] = {x, y};
    return x == NULL || y == NULL ? NULL : emit->op(emit, op, inputs, 2, NULL);
}

// As emit_2.
EmitValue emit_3(Emit *emit, OpCode op, EmitValue x, EmitValue y, EmitValue z)
{
    EmitValue inputs[3] = {x, y, z};
    bool all = x != NULL && y != NULL && z != NULL;
    return all ? emit->op(emit, op, inputs, 3, NULL) : NULL;
}

// By a double, so that int64 constants above 2**53 cannot be made here; rules
// need 0, 1, 2 and the like.
EmitValue emit_number(Emit *emit, DType dtype, double value)
{
    return emit->constant(emit, tensor_scalar_float(emit->ctx, dtype, value));
}

// The constant takes x's dtype because ops do not promote: mixed dtypes are an
// error.
EmitValue emit_with(Emit *emit, OpCode op, EmitValue x, double number)
{
    return x == NULL
               ? NULL
               : emit_2(emit, op, x,
                        emit_number(emit, emit_type(emit, x).dtype, number));
}

// A cast to the same dtype is left out, so that a rule may ask for one without
// looking, and the graph does not fill up with them.
EmitValue emit_cast(Emit *emit, EmitValue x, DType dtype)
{
    AttrValue attr = {.kind = ATTR_DTYPE, .dtype = dtype};
    if (x == NULL || emit_type(emit, x).dtype == dtype) {
        return x;
    }
    return emit_1(emit, OP_CAST, x, &attr);
}

// Borrows `ints`: the Emit copies attributes that it keeps.
static AttrValue ints_attr(const int64_t *ints, int count)
{
    return (AttrValue){
        .kind = ATTR_INTS, .count = (uint32_t)count, .ints = ints};
}

// The sizes are known numbers; `dims` is copied.
EmitValue emit_reshape(Emit *emit, EmitValue x, int rank, const int64_t *dims)
{
    AttrValue attr = ints_attr(dims, rank);
    return emit_1(emit, OP_RESHAPE, x, &attr);
}

// The identity is left out, as in emit_cast.
EmitValue emit_permute(Emit *emit, EmitValue x, int rank, const int64_t *axes)
{
    AttrValue attr = ints_attr(axes, rank);
    bool moves = false;
    for (int i = 0; i < rank; i++) {
        moves |= axes[i] != i;
    }
    return moves ? emit_1(emit, OP_PERMUTE_DIMS, x, &attr) : x;
}

// The mask has bits, the attribute a list: the largest rank bounds both.
EmitValue emit_reduce(Emit *emit, OpCode op, EmitValue x, uint32_t mask,
                      bool keepdims)
{
    int64_t axes[SHAPE_MAX_RANK];
    int count = 0;
    for (int i = 0; i < SHAPE_MAX_RANK; i++) {
        if (mask >> i & 1) {
            axes[count++] = i;
        }
    }
    AttrValue attrs[3] = {ints_attr(axes, count),
                          {.kind = ATTR_BOOL, .boolean = keepdims},
                          {.kind = ATTR_NONE}};
    return count == 0 ? x : emit_1(emit, op, x, attrs);
}

EmitValue emit_reduce_kept(Emit *emit, OpCode op, EmitValue x,
                           const AttrValue *axes)
{
    AttrValue attrs[3] = {
        *axes, {.kind = ATTR_BOOL, .boolean = true}, {.kind = ATTR_NONE}};
    int64_t axis = axes->integer;
    if (axes->kind == ATTR_INT) {
        attrs[0] = ints_attr(&axis, 1);
    }
    return emit_1(emit, op, x, attrs);
}

// Calls are taken apart before any shape rule is asked, so that this is
// reached by a mistake alone.
bool infer_composed(InferCall *call)
{
    return ctx_fail(call->ctx, ERR_SYSTEM,
                    "%s: is written as other ops, no graph holds it",
                    call->op->name);
}

// ---- halves

// The half that all floats among the operands are; DT_NONE: there is none, or
// the op is to say what is wrong with them.
static DType half_of(const ComposeCall *call)
{
    DType half = DT_NONE;
    for (uint32_t i = 0; i < call->input_count; i++) {
        DType dtype = emit_type(call->emit, call->inputs[i]).dtype;
        if (!dtype_is_float(dtype)) {
            continue;
        }
        if (!dtype_is_half(dtype) || (half != DT_NONE && half != dtype)) {
            return DT_NONE;
        }
        half = dtype;
    }
    return half;
}

static EmitValue widened(const ComposeCall *call, EmitValue value, DType half)
{
    return emit_type(call->emit, value).dtype == half
               ? emit_cast(call->emit, value, DT_FLOAT32)
               : value;
}

EmitValue emit_composed(const ComposeCall *call)
{
    DType half = call->op->flags & OP_HALVES ? DT_NONE : half_of(call);
    if (half == DT_NONE) {
        return call->op->compose(call);
    }
    Ctx *ctx = call->emit->ctx;
    size_t size = call->input_count * sizeof(EmitValue);
    EmitValue *inputs = ctx_alloc(ctx, size);
    bool ok = inputs != NULL;
    for (uint32_t i = 0; ok && i < call->input_count; i++) {
        inputs[i] = widened(call, call->inputs[i], half);
        ok = inputs[i] != NULL;
    }
    ComposeCall wide = *call;
    wide.inputs = inputs;
    EmitValue made = ok ? call->op->compose(&wide) : NULL;
    ctx_free(ctx, inputs, size);
    return emit_cast(call->emit, made, half);
}

// ---- an Emit that runs each op at once

typedef VEC(Tensor *) TensorVec;
// Rules name a value as often as they like, so that no op can know which use
// is the last: all results are kept until the composed op is done.
typedef struct RunEmit {
    Emit emit;       // first: an Emit * is a RunEmit *
    TensorVec owned; // what the ops gave
} RunEmit;

// Keeps the tensor until the run is over, NULL stays NULL.
// Owned even on failure: the tensor is then released at once.
static EmitValue run_own(RunEmit *run, Tensor *tensor)
{
    if (tensor != NULL && !vec_push(run->emit.ctx, &run->owned, tensor)) {
        object_release(run->emit.ctx, tensor);
        return NULL;
    }
    return tensor;
}

// Results but the first are dropped: an Emit has ops of one output. A rule goes
// on after a failure with what does not need its value: nothing is run then.
static EmitValue run_op(Emit *emit, OpCode op, const EmitValue *inputs,
                        uint32_t input_count, const AttrValue *attrs)
{
    static const AttrValue none[OP_MAX_ATTRS];
    Tensor *outputs[OP_MAX_OUTPUTS] = {NULL};
    uint32_t count;
    // The values of this Emit are tensors, so that the arrays are alike.
    bool ok = !ctx_failed(emit->ctx) &&
              op_run(emit->ctx, op, (Tensor *const *)inputs, input_count,
                     attrs != NULL ? attrs : none, outputs, &count);
    for (uint32_t i = 1; ok && i < count; i++) {
        object_release(emit->ctx, outputs[i]);
    }
    return ok ? run_own((RunEmit *)emit, outputs[0]) : NULL;
}

// Here all types are known; in a trace sizes may not be.
static TensorType run_type(Emit *emit, EmitValue value)
{
    (void)emit;
    return tensor_type(value);
}

// A constant is one more result to keep.
static EmitValue run_constant(Emit *emit, Tensor *tensor)
{
    return run_own((RunEmit *)emit, tensor);
}

// The result is retained before the kept ones go, for it is one of them, or
// one of the inputs.
static Tensor *run_composed(Ctx *ctx, ComposeFn compose, const OpDesc *op,
                            Tensor *const *inputs, uint32_t input_count,
                            const AttrValue *attrs)
{
    RunEmit run = {.emit = {ctx, run_op, run_type, run_constant}};
    ComposeCall call = {&run.emit, op, attrs, (const EmitValue *)inputs,
                        input_count};
    Tensor *result = compose(&call);
    if (result != NULL) {
        object_retain(result);
    }
    for (size_t i = 0; i < run.owned.count; i++) {
        object_release(ctx, run.owned.items[i]);
    }
    vec_free(ctx, &run.owned);
    return result;
}

// Without storing what is reduced. NULL: an error is pending, or it cannot be.
static Tensor *run_reduce_of(Ctx *ctx, OpCode reduction,
                             const ReduceFront *front, uint32_t mask,
                             bool keepdims)
{
    uint8_t ends = op_desc(reduction)->ends;
    ReduceId id = ends == END_MEAN ? REDUCE_SUM : (ReduceId)(ends - 1);
    Shape shape = {.rank = 0};
    for (int i = 0; i < front->x->rank; i++) {
        bool reduced = mask >> i & 1;
        if (!reduced || keepdims) {
            shape.dims[shape.rank++] = reduced ? 1 : tensor_dims(front->x)[i];
        }
    }
    Tensor *out =
        tensor_new(ctx, (DType)front->x->dtype, shape.rank, shape.dims);
    if (out != NULL && reduce_of(ctx, id, front, mask, out) > 0 &&
        (ends != END_MEAN ||
         reduce_divide(ctx, out, (double)(front->x->count / out->count)))) {
        return out;
    }
    object_release_null(ctx, out);
    return NULL;
}

EmitValue emit_reduce_of(Emit *emit, OpCode reduction, OpCode op, EmitValue x,
                         EmitValue y, uint32_t mask, bool keepdims)
{
    // y is NULL too if an op before has failed.
    if (x == NULL || ctx_failed(emit->ctx)) {
        return NULL;
    }
    if (emit->op == run_op) {
        const ReduceFront front = {op, OP_COUNT, (Tensor *)x, (Tensor *)y};
        Tensor *made =
            run_reduce_of(emit->ctx, reduction, &front, mask, keepdims);
        if (made != NULL || ctx_failed(emit->ctx)) {
            return run_own((RunEmit *)emit, made);
        }
    }
    EmitValue body =
        y == NULL ? emit_1(emit, op, x, NULL) : emit_2(emit, op, x, y);
    return body == NULL ? NULL
                        : emit_reduce(emit, reduction, body, mask, keepdims);
}

Tensor *emit_run(Ctx *ctx, const OpDesc *op, Tensor *const *inputs,
                 uint32_t input_count, const AttrValue *attrs)
{
    return run_composed(ctx, emit_composed, op, inputs, input_count, attrs);
}

bool emit_run_parts(const KernelCall *call)
{
    Ctx *ctx = call->ctx;
    Tensor *out = call->outputs[0];
    Tensor *made = run_composed(ctx, call->op->parts, call->op, call->inputs,
                                call->input_count, call->attrs);
    // Those of a reduction leave the axes as 1.
    bool ok = made != NULL && tensor_copy(ctx, out, 0, made, 0, out->count);
    object_release_null(ctx, made);
    return ok;
}
