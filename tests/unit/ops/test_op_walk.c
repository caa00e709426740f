// Every op of the table on every dtype, on ranks from 0 to 4 and on empty
// tensors: it runs or raises one of the ops' errors, what it gives has the
// type that its rule announced, also to a trace that knows no values, no sizes
// or no rank, and memory is balanced.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "ops/op.h"

enum { WALK_OUTPUTS = 64, WALK_SHAPES = 9 };

static void release(Ctx *ctx, Object *object)
{
    tensor_dealloc(ctx, (Tensor *)object);
}

static const int64_t walk_dims[WALK_SHAPES][4] = {
    {0}, {3}, {0}, {2, 3}, {3, 3}, {0, 3}, {2, 3, 3}, {2, 3, 3, 3}, {0, 0},
};
static const int walk_ranks[WALK_SHAPES] = {0, 1, 1, 2, 2, 2, 3, 4, 2};

// Small positive numbers, short strings.
static Tensor *operand(Ctx *ctx, DType dtype, int shape)
{
    Tensor *tensor =
        tensor_new(ctx, dtype, walk_ranks[shape], walk_dims[shape]);
    cr_assert_not_null(tensor);
    for (int64_t i = 0; i < tensor->count; i++) {
        if (dtype == DT_STRING) {
            char text[8];
            int length = snprintf(text, sizeof text, "%d", (int)(i % 5));
            cr_assert(tensor_set_string(ctx, tensor, i, text, (size_t)length));
        } else {
            tensor_set_int(tensor, i, (i * 7 + 3) % 5 % 3);
        }
    }
    return tensor;
}

// Attributes that most ops accept; the others refuse them cleanly.
// Without `all` those that may be left out are.
static void set_attr(const OpDesc *op, const AttrDesc *desc, bool all,
                     AttrValue *out)
{
    static const int64_t shape[2] = {2, 3}, one = 1;
    bool optional = desc->default_text != NULL;
    *out = (AttrValue){.kind = desc->kind};
    switch (desc->kind) {
    case ATTR_INTS: {
        bool axes = strstr(desc->name, "axis") != NULL ||
                    strstr(desc->name, "axes") != NULL;
        out->ints = axes ? &one : shape;
        bool one_only =
            strcmp(op->name, "roll") == 0 || strcmp(op->name, "split") == 0;
        out->count = axes || one_only ? 1 : 2;
        break;
    }
    case ATTR_INT:
        out->integer = strcmp(desc->name, "maxval") == 0 ? 9
                       : strcmp(desc->name, "axis") == 0 ? -1
                                                         : 1;
        break;
    case ATTR_FLOAT:
        out->number = strcmp(desc->name, "maxval") == 0 ? 9 : 0.5;
        break;
    case ATTR_DTYPE:
        out->dtype =
            strcmp(op->name, "rng.integers") == 0 ? DT_INT32 : DT_FLOAT32;
        break;
    case ATTR_STR:
        out->text = "ij->ji";
        out->count = (uint32_t)strlen(out->text);
        break;
    default: break;
    }
    if (optional && (!all || desc->kind == ATTR_STR)) {
        out->kind = ATTR_NONE;
    }
}

static bool is_op_error(ErrorKind kind)
{
    return kind == ERR_SHAPE || kind == ERR_DTYPE || kind == ERR_OP_INDEX ||
           kind == ERR_OP_VALUE || kind == ERR_OP_DIVISION ||
           kind == ERR_OP_OVERFLOW;
}

// True if a tensor of type `now` may be where `said` was announced.
static bool covers(DType dtype, const Shape *said, const Tensor *now)
{
    if (dtype != (DType)now->dtype ||
        (said->rank != RANK_UNKNOWN && said->rank != now->rank)) {
        return false;
    }
    for (int i = 0; i < said->rank; i++) {
        if (said->dims[i] != DIM_UNKNOWN &&
            said->dims[i] != tensor_dims(now)[i]) {
            return false;
        }
    }
    return true;
}

// What a trace sees of an operand: 0 all, 1 no sizes, 2 no rank.
static TensorType seen(const Tensor *tensor, int blindness)
{
    static const int64_t unknown[4] = {-1, -1, -1, -1};
    TensorType type = tensor_type(tensor);
    type.rank = blindness == 2 ? RANK_UNKNOWN : type.rank;
    type.dims = blindness > 0 ? unknown : type.dims;
    return type;
}

// The rule without values announces what the run gave, or refuses what it
// cannot know (the number of parts of an unknown axis).
static void check_rule(Ctx *ctx, const OpDesc *op, const AttrValue *attrs,
                       Tensor *const *in, uint32_t count, Tensor *const *out,
                       uint32_t outputs)
{
    for (int blindness = 0; blindness < 3; blindness++) {
        TensorType types[4];
        for (uint32_t i = 0; i < count; i++) {
            types[i] = seen(in[i], blindness);
        }
        InferCall call = {.ctx = ctx,
                          .op = op,
                          .attrs = attrs,
                          .inputs = types,
                          .input_count = count};
        if (!op_infer(&call)) {
            cr_assert(blindness > 0 && is_op_error(ctx->error.kind), "%s: %s",
                      op->name, ctx->error.text);
            ctx_clear(ctx);
            continue;
        }
        cr_assert_eq(call.output_count, outputs, "%s", op->name);
        for (uint32_t i = 0; i < outputs; i++) {
            DType dtype;
            Shape shape;
            op_output_type(&call, i, &dtype, &shape);
            cr_assert(covers(dtype, &shape, out[i]), "%s, knowing %d", op->name,
                      2 - blindness);
        }
    }
}

static Tensor *cast(Ctx *ctx, Tensor *tensor, DType dtype)
{
    AttrValue attr = attr_of_dtype(dtype);
    Tensor *made;
    uint32_t count;
    cr_assert(op_run(ctx, OP_CAST, &tensor, 1, &attr, &made, &count));
    return made;
}

// Halves give what float32 gives, rounded once.
static void check_halves(Ctx *ctx, OpCode code, const AttrValue *attrs,
                         Tensor *const *in, uint32_t count, Tensor *const *out,
                         uint32_t outputs)
{
    Tensor *wide[4], *made[WALK_OUTPUTS];
    uint32_t number;
    for (uint32_t i = 0; i < count; i++) {
        wide[i] = dtype_is_half((DType)in[i]->dtype)
                      ? cast(ctx, in[i], DT_FLOAT32)
                      : object_retain(in[i]);
    }
    cr_assert(op_run(ctx, code, wide, count, attrs, made, &number), "%s",
              op_desc(code)->name);
    cr_assert_eq(number, outputs, "%s", op_desc(code)->name);
    for (uint32_t i = 0; i < outputs; i++) {
        Tensor *round = cast(ctx, made[i], (DType)out[i]->dtype);
        cr_assert(tensor_identical(round, out[i]), "%s of %s",
                  op_desc(code)->name, dtype_name((DType)in[0]->dtype));
        object_release(ctx, round);
        object_release(ctx, made[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        object_release(ctx, wide[i]);
    }
}

// One call; the operands may be of different dtypes and shapes.
static bool walk_one(Ctx *ctx, OpCode code, Tensor *const *in, uint32_t count,
                     bool all)
{
    const OpDesc *op = op_desc(code);
    AttrValue attrs[OP_MAX_ATTRS] = {{.kind = ATTR_NONE}};
    Tensor *out[WALK_OUTPUTS];
    uint32_t outputs;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        set_attr(op, &op->attrs[i], all, &attrs[i]);
    }
    if (!op_run(ctx, code, in, count, attrs, out, &outputs)) {
        cr_assert(is_op_error(ctx->error.kind), "%s: %s", op->name,
                  ctx->error.text);
        cr_assert(strlen(ctx->error.text) > 10, "%s", op->name);
        ctx_clear(ctx);
        return false;
    }
    for (uint32_t i = 0; i < outputs; i++) {
        cr_assert_eq(out[i]->head.rc, 1, "%s", op->name);
    }
    if (op->compose == NULL) {
        check_rule(ctx, op, attrs, in, count, out, outputs);
    }
    bool halves = false;
    for (uint32_t i = 0; i < count; i++) {
        halves = halves || dtype_is_half((DType)in[i]->dtype);
    }
    if (halves && op->compose == NULL && !op_is_random(op)) {
        check_halves(ctx, code, attrs, in, count, out, outputs);
    }
    for (uint32_t i = 0; i < outputs; i++) {
        object_release(ctx, out[i]);
    }
    return true;
}

// Operands that differ in one thing: all alike, the last of int32, of bool,
// of another shape. Returns how many calls gave a result.
static int walk_op(Ctx *ctx, OpCode code, DType dtype, int shape)
{
    const OpDesc *op = op_desc(code);
    uint32_t count = op->min_inputs;
    int fine = 0;
    for (int way = 0; way < (count > 1 ? 5 : 1); way++) {
        Tensor *in[4];
        for (uint32_t i = 0; i < count; i++) {
            bool last = i + 1 == count;
            bool first = i == 0 && way == 4; // where's condition
            DType own = first              ? DT_BOOL
                        : last && way == 1 ? DT_INT32
                        : last && way == 2 ? DT_BOOL
                                           : dtype;
            in[i] = operand(ctx, own, last && way == 3 ? 1 : shape);
        }
        fine += walk_one(ctx, code, in, count, false);
        fine += walk_one(ctx, code, in, count, true);
        for (uint32_t i = 0; i < count; i++) {
            object_release(ctx, in[i]);
        }
    }
    return fine;
}

// Ops that need operands made for them: tested in tests/lang/tensors.
static bool is_special(const OpDesc *op)
{
    static const char *const names[] = {"index", "arange"};
    for (int i = 0; i < 2; i++) {
        if (strcmp(op->name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_structure(const OpDesc *op)
{
    return (op->flags & OP_INTERNAL) != 0 && strcmp(op->name, "pick") != 0;
}

Test(op_walk, every_op_runs_or_raises_and_keeps_to_its_rule)
{
    Ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    ctx.dealloc = release;
    for (int code = 0; code < OP_COUNT; code++) {
        const OpDesc *op = op_desc((OpCode)code);
        int fine = 0;
        if (is_structure(op) || is_special(op)) {
            continue;
        }
        for (int dtype = 0; dtype < DT_COUNT; dtype++) {
            for (int shape = 0; shape < WALK_SHAPES; shape++) {
                fine += walk_op(&ctx, (OpCode)code, (DType)dtype, shape);
            }
        }
        cr_assert_gt(fine, 0, "%s never gave a result", op->name);
    }
    ctx_destroy(&ctx);
}
