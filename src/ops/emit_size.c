// Sizes that a trace may not know: in composed ops they are numbers where they
// are known, and read in the graph where they are not.
#include <inttypes.h>

#include "ops/grad.h"
#include "ops/infer.h"

EmitSize emit_number_size(int64_t number)
{
    return (EmitSize){.number = number};
}

// One int32 of the shape.
EmitSize emit_size(Emit *emit, EmitValue x, int axis)
{
    if (x == NULL) {
        return emit_number_size(DIM_UNKNOWN);
    }
    int64_t number = emit_type(emit, x).dims[axis];
    EmitSize size = emit_number_size(number);
    if (number == DIM_UNKNOWN) {
        AttrValue first = {.kind = ATTR_INT, .integer = 0};
        EmitValue inputs[2] = {emit_1(emit, OP_SHAPE_OF, x, NULL),
                               emit_number(emit, DT_INT32, axis)};
        size.open = inputs[0] == NULL || inputs[1] == NULL
                        ? NULL
                        : emit->op(emit, OP_TAKE, inputs, 2, &first);
    }
    return size;
}

// The int32 scalar; NULL: failed.
static EmitValue size_value(Emit *emit, EmitSize size)
{
    return size.number == DIM_UNKNOWN
               ? size.open
               : emit_number(emit, DT_INT32, (double)size.number);
}

EmitSize emit_times(Emit *emit, EmitSize a, EmitSize b)
{
    if (a.number == 1 || b.number == 1) {
        return a.number == 1 ? b : a;
    }
    if (a.number != DIM_UNKNOWN && b.number != DIM_UNKNOWN) {
        return emit_number_size(a.number * b.number);
    }
    return (EmitSize){
        DIM_UNKNOWN,
        emit_2(emit, OP_MULTIPLY, size_value(emit, a), size_value(emit, b))};
}

// Numbers alone make an attribute; otherwise they are put together as a vector
// in the graph, of which inference still knows the numbers. -1 says what one
// open size is, unless there is nothing to divide: beside a size of 0 any would
// do.
EmitValue emit_reshape_to(Emit *emit, EmitValue x, int rank,
                          const EmitSize *sizes)
{
    int64_t dims[SHAPE_MAX_RANK];
    EmitValue values[SHAPE_MAX_RANK];
    AttrValue shape = {
        .kind = ATTR_INTS, .count = (uint32_t)rank, .ints = dims};
    AttrValue first = {.kind = ATTR_INT, .integer = 0};
    int opens = 0;
    bool empty = false;
    for (int i = 0; i < rank; i++) {
        dims[i] = sizes[i].number;
        opens += dims[i] == DIM_UNKNOWN;
        empty |= dims[i] == 0;
    }
    if (opens == 0 || (opens == 1 && !empty)) {
        return emit_1(emit, OP_RESHAPE, x, &shape);
    }
    for (int i = 0; i < rank; i++) {
        values[i] = size_value(emit, sizes[i]);
        if (values[i] == NULL) {
            return NULL;
        }
    }
    EmitValue inputs[2] = {
        x, emit->op(emit, OP_STACK, values, (uint32_t)rank, &first)};
    shape = (AttrValue){.kind = ATTR_INPUT, .integer = 1};
    return x == NULL || inputs[1] == NULL
               ? NULL
               : emit->op(emit, OP_RESHAPE, inputs, 2, &shape);
}

// ---- same_size

// The axes are those of the two types; `who` asks.
static bool check_sizes(Ctx *ctx, const AttrValue *who, TensorType a, int axis,
                        TensorType b, int other)
{
    int64_t size = a.dims[axis], wanted = b.dims[other];
    if (size == wanted || size == DIM_UNKNOWN || wanted == DIM_UNKNOWN) {
        return true;
    }
    StrBuf text;
    strbuf_init(&text, ctx);
    strbuf_printf(&text, "%.*s: axis %d of ", (int)who->count, who->text, axis);
    shape_print(&text, a.rank, a.dims);
    strbuf_printf(&text, " and axis %d of ", other);
    shape_print(&text, b.rank, b.dims);
    if (strbuf_ok(&text)) {
        ctx_fail(ctx, ERR_SHAPE, "%s differ in size", strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

EmitValue emit_same_size(Emit *emit, const char *who, EmitValue x, int axis,
                         EmitValue like, int like_axis)
{
    if (x == NULL || like == NULL) {
        return NULL;
    }
    TensorType a = emit_type(emit, x), b = emit_type(emit, like);
    AttrValue attrs[3] = {attr_of_int(axis), attr_of_int(like_axis),
                          attr_of_text(who)};
    if (!check_sizes(emit->ctx, &attrs[2], a, axis, b, like_axis)) {
        return NULL;
    }
    if (a.dims[axis] != DIM_UNKNOWN && b.dims[like_axis] != DIM_UNKNOWN) {
        return x;
    }
    EmitValue inputs[2] = {x, like};
    return emit->op(emit, OP_SAME_SIZE, inputs, 2, attrs);
}

static bool infer_same_size(InferCall *call)
{
    TensorType x = call->inputs[0], like = call->inputs[1];
    int axis = (int)call->attrs[0].integer;
    int other = (int)call->attrs[1].integer;
    if (!infer_same(call) || x.rank == RANK_UNKNOWN ||
        like.rank == RANK_UNKNOWN) {
        return !ctx_failed(call->ctx);
    }
    if (axis < 0 || axis >= x.rank || other < 0 || other >= like.rank) {
        return infer_shape_error2(call, "no such axes in %s and %s", x, like);
    }
    if (x.dims[axis] == DIM_UNKNOWN) {
        call->out_shapes[0].dims[axis] = like.dims[other];
    }
    return check_sizes(call->ctx, &call->attrs[2], x, axis, like, other);
}

static bool grad_same_size(GradCall *call)
{
    return !grad_asked(call, 0) || grad_give(call, 0, call->output_grads[0]);
}

static const AttrDesc same_size_attrs[] = {
    {"axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
    {"like_axis", ATTR_INT, ATTR_HOST_ONLY, "0"},
    {"who", ATTR_STR, ATTR_HOST_ONLY, "'same_size'"},
};
const OpDesc op_same_size = {
    .name = "same_size",
    .params = "x, like, /",
    .doc = "x itself, whose axis is as large as one of `like`, of which no\n"
           "element is read. ShapeError if it is not, when it runs.",
    .min_inputs = 2,
    .max_inputs = 2,
    .apart = 1 << 1,
    .output_count = 1,
    .flags = OP_VIEW | OP_INTERNAL | OP_MAY_FAIL,
    .attrs = same_size_attrs,
    .attr_count = 3,
    .infer = infer_same_size,
    .kernel = infer_view,
    .gradient = grad_same_size,
};
