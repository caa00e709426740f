// Shape rules that ops share.
#include "ops/infer.h"

#include <inttypes.h>

// Always true, so that a rule can end in it.
// The rank may be RANK_UNKNOWN; a size may be DIM_UNKNOWN.
bool infer_output(InferCall *call, int index, DType dtype, int rank,
                  const int64_t *dims)
{
    call->out_dtypes[index] = dtype;
    shape_set(&call->out_shapes[index], rank, dims);
    return true;
}

// `dims` may belong to an operand: shape_set copies them.
// For ops that keep dtype and shape of their first operand.
bool infer_same(InferCall *call)
{
    TensorType type = call->inputs[0];
    return infer_output(call, 0, type.dtype, type.rank, type.dims);
}

bool infer_gradient_fits(const InferCall *call, TensorType grad,
                         const int64_t dims[4])
{
    bool fits = grad.rank == RANK_UNKNOWN || grad.rank == 4;
    for (int i = 0; fits && i < 4 && grad.rank == 4; i++) {
        fits = dims[i] == grad.dims[i] || dims[i] == DIM_UNKNOWN ||
               grad.dims[i] == DIM_UNKNOWN;
    }
    return fits || infer_shape_error2(
                       call, "the gradient %s does not fit the result %s", grad,
                       (TensorType){grad.dtype, 4, dims});
}

// The text has %s where shapes go. It is filled in here and not by printf,
// since the shapes' texts must exist first and each may run out of memory; a
// failure then is the pending error instead.
// Always false, so that a rule can end in it.
bool infer_shape_cured(const InferCall *call, StrBuf *cure, const char *text,
                       TensorType a, TensorType b)
{
    StrBuf first, second;
    strbuf_init(&first, call->ctx);
    strbuf_init(&second, call->ctx);
    shape_print(&first, a.rank, a.dims);
    shape_print(&second, b.rank, b.dims);
    if (strbuf_ok(&first) && strbuf_ok(&second)) {
        StrBuf all;
        strbuf_init(&all, call->ctx);
        strbuf_printf(&all, "%s: ", call->op->name);
        const char *shapes[] = {strbuf_text(&first), strbuf_text(&second)};
        int next = 0;
        // No format string of C: the text is the rule's, the shapes have any
        // length.
        for (; *text != '\0'; text++) {
            if (*text == '%' && text[1] == 's') {
                strbuf_puts(&all, shapes[next++ & 1]);
                text++;
            } else {
                strbuf_putc(&all, *text);
            }
        }
        strbuf_add(&all, strbuf_text(cure), cure->length);
        if (strbuf_ok(&all) && strbuf_ok(cure)) {
            ctx_fail(call->ctx, ERR_SHAPE, "%s", strbuf_text(&all));
        }
        strbuf_free(&all);
    }
    strbuf_free(&first);
    strbuf_free(&second);
    strbuf_free(cure);
    return false;
}

bool infer_shape_error2(const InferCall *call, const char *text, TensorType a,
                        TensorType b)
{
    StrBuf none;
    strbuf_init(&none, call->ctx);
    return infer_shape_cured(call, &none, text, a, b);
}

// The second shape is not shown, since the text has one %s.
// Always false.
bool infer_shape_error(const InferCall *call, const char *text, TensorType a)
{
    return infer_shape_error2(call, text, a, a);
}

// Always false, so that a rule can end in it.
bool infer_dtype_refused(const InferCall *call, DType dtype)
{
    return ctx_fail(call->ctx, ERR_DTYPE, "%s: dtype %s is not supported",
                    call->op->name, dtype_name(dtype));
}

// Ints are not promoted in silence: the message says how to cast.
// False: raised.
bool infer_needs_float(const InferCall *call, DType dtype)
{
    if (dtype_is_float(dtype)) {
        return true;
    }
    if (dtype == DT_STRING) {
        return infer_dtype_refused(call, dtype);
    }
    return ctx_fail(call->ctx, ERR_DTYPE,
                    "%s: needs a float dtype, not %s; cast it first, as in "
                    "cast(x, float32)",
                    call->op->name, dtype_name(dtype));
}

// The text names the operand by its number, from 0.
bool infer_needs_dtype(const InferCall *call, uint32_t input, DType dtype)
{
    DType given = call->inputs[input].dtype;
    return given == dtype ||
           ctx_fail(call->ctx, ERR_DTYPE, "%s: operand %u must be %s, not %s",
                    call->op->name, input, dtype_name(dtype),
                    dtype_name(given));
}

// bool is no integer: as an index it would mean a mask in NumPy.
bool infer_needs_integer(const InferCall *call, uint32_t input)
{
    DType given = call->inputs[input].dtype;
    return dtype_is_integer(given) ||
           ctx_fail(call->ctx, ERR_DTYPE,
                    "%s: operand %u must be of an integer dtype, not %s; "
                    "cast(x, int32) makes one",
                    call->op->name, input, dtype_name(given));
}

// An unknown rank passes: in a trace the kernel's run decides.
bool infer_needs_rank(const InferCall *call, uint32_t input, int least)
{
    TensorType type = call->inputs[input];
    return type.rank == RANK_UNKNOWN || type.rank >= least ||
           ctx_fail(call->ctx, ERR_SHAPE,
                    "%s: operand %u has rank %d, needs at least %d",
                    call->op->name, input, type.rank, least);
}

bool infer_knows_rank(Ctx *ctx, const char *op, int rank)
{
    return rank != RANK_UNKNOWN ||
           ctx_fail(ctx, ERR_SHAPE,
                    "%s: the rank, which it needs, is unknown in this trace; "
                    "ensure_shape(x, (None, None)) makes it 2",
                    op);
}

// Integers are refused, not cast: NumPy would take them, the array API does
// not.
bool infer_needs_square(InferCall *call)
{
    TensorType type = call->inputs[0];
    if (!infer_needs_float(call, type.dtype) || !infer_needs_rank(call, 0, 2)) {
        return false;
    }
    if (type.rank == RANK_UNKNOWN) {
        return true;
    }
    int64_t a = type.dims[type.rank - 2], b = type.dims[type.rank - 1];
    return a == b || a == DIM_UNKNOWN || b == DIM_UNKNOWN ||
           infer_shape_error(call, "needs square matrices, not %s", type);
}

// No promotion between tensors, as in TensorFlow; only Python numbers take the
// other operand's dtype, before the op is called.
bool infer_equal_dtypes(const InferCall *call, uint32_t first)
{
    for (uint32_t i = first + 1; i < call->input_count; i++) {
        DType a = call->inputs[first].dtype, b = call->inputs[i].dtype;
        if (a != b && (i >= 8 || !(call->op->apart >> i & 1))) {
            return ctx_fail(call->ctx, ERR_DTYPE,
                            "%s: dtypes differ: %s and %s; cast one of them",
                            call->op->name, dtype_name(a), dtype_name(b));
        }
    }
    return true;
}

// Kept in step with quick_dtype in elementwise.c.
// RESULT_FLOAT is that of true division: of ints float64, as in TensorFlow and
// NumPy.
static DType result_dtype(const InferCall *call, DType dtype)
{
    switch (call->op->result) {
    case RESULT_BOOL: return DT_BOOL;
    case RESULT_FLOAT: return dtype_is_float(dtype) ? dtype : DT_FLOAT64;
    case RESULT_CAST: return call->attrs[0].dtype;
    default: return dtype;
    }
}

// True if the op computes `dtype`: its body does, or its kernel for strings.
static bool elementwise_takes(const InferCall *call, DType dtype)
{
    return dtype == DT_STRING ? call->op->kernel != NULL
                              : call->op->takes >> dtype_class(dtype) & 1;
}

// False: raised.
bool infer_elementwise(InferCall *call)
{
    // The operand from which on dtypes must be equal.
    uint32_t first = op_chooses(call->op) ? 1 : 0;
    if (first == 1 && !infer_needs_dtype(call, 0, DT_BOOL)) {
        return false;
    }
    if (!infer_equal_dtypes(call, first)) {
        return false;
    }
    DType dtype = call->inputs[first].dtype;
    if (!elementwise_takes(call, dtype)) {
        // Where floats would do, the message says so instead of refusing only.
        return call->op->takes == TAKES_FLOAT
                   ? infer_needs_float(call, dtype)
                   : infer_dtype_refused(call, dtype);
    }
    Shape *out = &call->out_shapes[0];
    call->out_dtypes[0] = result_dtype(call, dtype);
    shape_set(out, call->inputs[0].rank, call->inputs[0].dims);
    for (uint32_t i = 1; i < call->input_count; i++) {
        Shape so_far;
        shape_set(&so_far, out->rank, out->dims);
        // A copy, since shape_broadcast may not read what it writes.
        TensorType left = {dtype, so_far.rank, so_far.dims};
        if (!shape_broadcast(call->ctx, call->op->name, left, call->inputs[i],
                             out)) {
            return false;
        }
    }
    return true;
}

// A set of axes as bits, order forgotten: reductions do not care. Twice the
// same axis is refused, as in NumPy.
// False: raised. The rank is known.
bool infer_axes(Ctx *ctx, const char *op, const AttrValue *attr, int rank,
                uint32_t *mask)
{
    if (!attr_given(attr)) {
        // A shift by the whole width is undefined in C.
        // Without an axis: all of them.
        *mask = rank == 32 ? UINT32_MAX : ((uint32_t)1 << rank) - 1;
        return true;
    }
    bool single = attr->kind == ATTR_INT;
    uint32_t count = single ? 1 : attr->count;
    *mask = 0;
    for (uint32_t i = 0; i < count; i++) {
        int axis;
        if (!shape_axis(ctx, op, single ? attr->integer : attr->ints[i], rank,
                        &axis)) {
            return false;
        }
        if (*mask >> axis & 1) {
            return ctx_fail(ctx, ERR_OP_VALUE, "%s: axis %d is given twice", op,
                            axis);
        }
        *mask |= (uint32_t)1 << axis;
    }
    return true;
}

// `otherwise` is what None means for this op; it is not checked.
// False: raised. The rank is known.
bool infer_axis(Ctx *ctx, const char *op, const AttrValue *attr, int rank,
                int otherwise, int *axis)
{
    if (!attr_given(attr)) {
        *axis = otherwise;
        return true;
    }
    return shape_axis(ctx, op, attr->integer, rank, axis);
}

// Sizes are not judged here: -1 means different things to different ops.
// False: raised.
static bool ints_from(Ctx *ctx, const char *op, int64_t count,
                      const int64_t *ints, Shape *out)
{
    if (count > SHAPE_MAX_RANK) {
        return ctx_fail(ctx, ERR_SHAPE,
                        "%s: %" PRId64 " dimensions, at most %d are possible",
                        op, count, SHAPE_MAX_RANK);
    }
    shape_set(out, (int)count, ints);
    for (int i = 0; i < out->rank; i++) {
        out->dims[i] = ints[i] == ATTR_INT_NONE ? DIM_UNKNOWN : ints[i];
    }
    return true;
}

// Reads no more than fit; the true count is what is then refused.
static bool ints_from_tensor(Ctx *ctx, const char *op, const Tensor *tensor,
                             Shape *out)
{
    // tensor_int_at reads every integer dtype, so shapes may be of any.
    int64_t ints[SHAPE_MAX_RANK];
    int64_t count = tensor->count;
    for (int64_t i = 0; i < count && i < SHAPE_MAX_RANK; i++) {
        ints[i] = tensor_int_at(tensor, i);
    }
    return ints_from(ctx, op, count, ints, out);
}

// A shape that an operand gives is known only when its value is; otherwise the
// operand's length still tells the rank, with all sizes unknown.
// False: raised. What is known of the sizes differs between a trace and a run,
// so callers take DIM_UNKNOWN for "not known yet".
bool infer_ints(const InferCall *call, const AttrValue *attr, Shape *out)
{
    Ctx *ctx = call->ctx;
    if (attr->kind == ATTR_INT) {
        return ints_from(ctx, call->op->name, 1, &attr->integer, out);
    }
    if (attr->kind != ATTR_INPUT) {
        return ints_from(ctx, call->op->name, attr->count, attr->ints, out);
    }
    // The attribute holds the operand's number.
    uint32_t input = (uint32_t)attr->integer;
    if (!infer_needs_integer(call, input)) {
        return false;
    }
    if (call->values != NULL && call->values[input] != NULL) {
        return ints_from_tensor(ctx, call->op->name, call->values[input], out);
    }
    if (call->values != NULL && call->sizes.rank != RANK_UNKNOWN) {
        *out = call->sizes;
        return true;
    }
    TensorType type = call->inputs[input];
    // A scalar counts as a vector of one.
    bool known =
        type.rank == 0 || (type.rank == 1 && type.dims[0] != DIM_UNKNOWN &&
                           type.dims[0] <= SHAPE_MAX_RANK);
    out->rank = !known ? RANK_UNKNOWN : type.rank == 0 ? 1 : (int)type.dims[0];
    for (int i = 0; i < out->rank; i++) {
        out->dims[i] = DIM_UNKNOWN;
    }
    return true;
}

bool infer_known(const InferCall *call, const AttrValue *attr)
{
    return attr->kind != ATTR_INPUT ||
           (call->values != NULL && call->values[attr->integer] != NULL);
}

bool infer_size(const InferCall *call, const AttrValue *attr, ErrorKind kind,
                const char *what, int64_t *size)
{
    Shape one;
    if (!infer_ints(call, attr, &one)) {
        return false;
    }
    if (one.rank != 1) {
        return ctx_fail(call->ctx, ERR_SHAPE, "%s: %s is one int",
                        call->op->name, what);
    }
    *size = one.dims[0];
    return *size >= 0 || !infer_known(call, attr) ||
           ctx_fail(call->ctx, kind, "%s: negative %s", call->op->name, what);
}

// --- lists of tensors

static bool is_list(InferCall *call, uint32_t index)
{
    return dtype_is_list(call->inputs[index].dtype) ||
           ctx_fail(call->ctx, ERR_TYPE, "%s: takes a list of tensors",
                    call->op->name);
}

bool infer_list(InferCall *call, TensorType *element)
{
    *element = call->inputs[0];
    if (!is_list(call, 0)) {
        return false;
    }
    element->dtype = dtype_element(element->dtype);
    return true;
}

bool infer_list_joined(InferCall *call, DType dtype, Shape *shape,
                       uint32_t index)
{
    TensorType type = call->inputs[index];
    bool lists = dtype_is_list(dtype);
    if (lists && !is_list(call, index)) {
        return false;
    }
    if (type.dtype != dtype) {
        return ctx_fail(
            call->ctx, ERR_DTYPE, "%s: the list holds %s, not %s",
            call->op->name, dtype_name(dtype_element(dtype)),
            dtype_name(lists ? dtype_element(type.dtype) : type.dtype));
    }
    if (shape->rank != type.rank) {
        shape->rank = RANK_UNKNOWN;
    }
    for (int i = 0; i < shape->rank; i++) {
        shape->dims[i] =
            shape->dims[i] == type.dims[i] ? type.dims[i] : DIM_UNKNOWN;
    }
    return true;
}

bool infer_list_output(InferCall *call, DType element, const Shape *shape)
{
    return infer_output(call, 0, dtype_list_of(element), shape->rank,
                        shape->dims);
}

bool infer_list_with(InferCall *call, uint32_t index, bool list)
{
    TensorType element;
    Shape shape;
    if (!infer_list(call, &element)) {
        return false;
    }
    shape_set(&shape, element.rank, element.dims);
    return infer_list_joined(call, list ? call->inputs[0].dtype : element.dtype,
                             &shape, index) &&
           infer_list_output(call, element.dtype, &shape);
}

bool infer_list_index(InferCall *call, uint32_t input)
{
    TensorType type = call->inputs[input];
    return (!dtype_is_list(type.dtype) && dtype_is_integer(type.dtype) &&
            type.rank <= 0) ||
           ctx_fail(call->ctx, ERR_TYPE, "%s: the index must be one int",
                    call->op->name);
}

bool infer_list_known(InferCall *call, TensorType element, Shape *shape)
{
    shape_set(shape, element.rank, element.dims);
    Shape known;
    if (!attr_given(&call->attrs[0])) {
        return true;
    }
    if (!infer_ints(call, &call->attrs[0], &known)) {
        return false;
    }
    if (shape->rank == RANK_UNKNOWN) {
        *shape = known;
        return true;
    }
    bool fits = shape->rank == known.rank;
    for (int i = 0; fits && i < known.rank; i++) {
        fits = shape->dims[i] == DIM_UNKNOWN || known.dims[i] == DIM_UNKNOWN ||
               shape->dims[i] == known.dims[i];
        shape->dims[i] =
            shape->dims[i] == DIM_UNKNOWN ? known.dims[i] : shape->dims[i];
    }
    return fits || infer_shape_error(call, "its elements are %s", element);
}
