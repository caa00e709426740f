// Writing nodes that make, move, pick and join elements.
#include "export/graphdef_step.h"
#include "ops/pad.h"

// The op of TensorFlow that the op's descriptor names.
static const char *own_op(const Form *form)
{
    return op_desc(form->node->op)->graphdef;
}

// The dtype of the first operand.
static DType in_type(const Form *form)
{
    return form_in(form, 0).dtype;
}

// Ends a node that has T and, where `index` is given, the type of its int
// operands under that name.
static bool close_typed(Form *form, DType type, const char *index, DType ints)
{
    if (!form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "T", type);
    if (index != NULL) {
        gd_attr_type(form_text(form), index, ints);
    }
    return form_close(form);
}

// The type of a shape: int32 where it is written here, else the operand's.
static DType shape_type(const Form *form, uint32_t operand)
{
    return form->node->attrs[0].kind == ATTR_INPUT
               ? form_in(form, operand).dtype
               : DT_INT32;
}

// The shape that attribute 0 gives, unless an operand does.
static bool add_shape(Form *form, const char *part)
{
    // The attribute is an int, ints, or the mark that an operand has the
    // shape.
    const AttrValue *shape = form->node->attrs;
    if (shape->kind == ATTR_INPUT) {
        return true;
    }
    // One int is a shape of one axis, as in reshape(x, 6).
    if (shape->kind == ATTR_INT) {
        return form_ints(form, part, &shape->integer, 1, 1);
    }
    return form_ints(form, part, shape->ints, 1, shape->count);
}

// reshape and broadcast_to: the shape is the second operand.
bool form_shaped(Form *form)
{
    return form_begin(form, own_op(form)) && add_shape(form, "shape") &&
           close_typed(form, in_type(form),
                       form->node->op == OP_RESHAPE ? "Tshape" : "Tidx",
                       shape_type(form, 1));
}

// zeros, ones, full: Fill(dims, value). full's value is its first input.
bool form_filled(Form *form)
{
    bool full = form->node->op == OP_FULL;
    bool open = form->node->attrs[0].kind == ATTR_INPUT;
    DType dtype = form_out(form).dtype;
    // There is no number to fill strings with.
    if (dtype == DT_STRING && !full) {
        return form_refuse(form, "strings");
    }
    if (!form_begin(form, "Fill")) {
        return false;
    }
    const char *value =
        full ? form->inputs[0]
             : step_number(form, "value", dtype, form->node->op == OP_ONES);
    // The operand behind full's value is the shape; zeros and ones have the
    // shape first. Fill wants the shape in front of the value.
    const char *dims = open ? form->inputs[full] : NULL;
    // The operands are put together anew, in the order that Fill wants.
    form->count = 0;
    if (dims != NULL) {
        form->inputs[form->count++] = dims;
    } else if (!add_shape(form, "dims")) {
        return false;
    }
    form->inputs[form->count++] = value;
    return value != NULL &&
           close_typed(form, dtype, "index_type", shape_type(form, full));
}

// The shape is the operand's; of another dtype it is filled.
bool form_filled_like(Form *form)
{
    DType from = in_type(form), to = form_out(form).dtype;
    if (from == to) {
        return form_begin(form, own_op(form)) &&
               close_typed(form, from, NULL, DT_NONE);
    }
    if (!step_begin(form)) {
        return false;
    }
    const char *value =
        step_number(form, "value", to, form->node->op == OP_ONES_LIKE);
    return step_gives(form, 0,
                      step_2(form, "Fill",
                             step_shape(form, form->inputs[0], from), value,
                             TYPES({"T", "index_type"}, {to, DT_INT32})));
}

// As int32 first: of small ints TensorFlow has none.
static bool write_small_range(Form *form, DType dtype)
{
    if (!step_begin(form)) {
        return false;
    }
    for (uint32_t i = 0; i < form->node->input_count; i++) {
        form->inputs[i] = step_cast(form, form->inputs[i], dtype, DT_INT32);
    }
    const char *made =
        step_many(form, "Range", form->inputs, form->node->input_count,
                  TYPES({"Tidx"}, {DT_INT32}));
    return step_gives(form, 0, step_cast(form, made, DT_INT32, dtype));
}

// Start, limit and step have the meaning that TensorFlow gives them.
bool form_arange(Form *form)
{
    DType dtype = form_out(form).dtype;
    if (dtype_is_integer(dtype) && dtype_size(dtype) < 4) {
        return write_small_range(form, dtype);
    }
    if (!form_begin(form, "Range") || !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "Tidx", dtype);
    return form_close(form);
}

// TensorFlow wants a count for every axis.
bool form_tiled(Form *form)
{
    const AttrValue *times = form->node->attrs;
    int rank = form_in(form, 0).rank;
    // NumPy lets the shorter of shape and counts be padded with ones.
    if (times->kind != ATTR_INPUT && (rank < 0 || times->kind != ATTR_INTS ||
                                      times->count != (uint32_t)rank)) {
        return form_refuse(form, "other than one count for each axis");
    }
    return form_begin(form, "Tile") && add_shape(form, "multiples") &&
           close_typed(form, in_type(form), "Tmultiples", shape_type(form, 1));
}

// What is known of its result is what it has to ensure.
bool form_ensure_shape(Form *form)
{
    if (!form_begin(form, "EnsureShape") || !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "T", in_type(form));
    gd_attr_shape(form_text(form), "shape", form_out(form));
    return form_close(form);
}

// Axes are an attribute there too; none means all of size 1.
bool form_squeeze(Form *form)
{
    const AttrValue *axis = form->node->attrs;
    if (!form_begin(form, "Squeeze") || !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "T", in_type(form));
    if (axis->kind == ATTR_INT) {
        gd_attr_ints(form_text(form), "squeeze_dims", &axis->integer, 1);
    } else if (axis->kind == ATTR_INTS) {
        gd_attr_ints(form_text(form), "squeeze_dims", axis->ints, axis->count);
    }
    return form_close(form);
}

// The axis is an operand.
bool form_expand_dims(Form *form)
{
    int64_t axis = form_int(form, 0, 0);
    return form_begin(form, "ExpandDims") &&
           form_ints(form, "dim", &axis, 0, 1) &&
           close_typed(form, in_type(form), "Tdim", DT_INT32);
}

// Axes are counted from the front and given in full.
bool form_transpose(Form *form)
{
    int rank = form_in(form, 0).rank;
    // Transpose wants every axis named, in the order of the result.
    int64_t axes[SHAPE_MAX_RANK];
    if (rank < 0) {
        return form_refuse(form, "an operand of unknown rank");
    }
    // Without axes the order is reversed, as in NumPy.
    bool last_two = form->node->op == OP_MATRIX_TRANSPOSE;
    for (int i = 0; i < rank; i++) {
        axes[i] = last_two ? i : rank - 1 - i;
    }
    if (last_two) {
        // The rank is at least 2: the shape rule has seen to that.
        axes[rank - 2] = rank - 1;
        axes[rank - 1] = rank - 2;
    } else if (form->node->attrs[0].kind == ATTR_INTS) {
        for (int i = 0; i < rank; i++) {
            int64_t axis = form->node->attrs[0].ints[i];
            axes[i] = axis < 0 ? axis + rank : axis;
        }
    }
    return form_begin(form, "Transpose") &&
           form_ints(form, "perm", axes, 1, rank) &&
           close_typed(form, in_type(form), "Tperm", DT_INT32);
}

// A vector of int32.
bool form_shape_of(Form *form)
{
    return form_begin(form, "Shape") &&
           close_typed(form, in_type(form), "out_type", form_out(form).dtype);
}

// take along one axis.
bool form_gather(Form *form)
{
    int64_t axis = form_int(form, 0, 0);
    if (!form_begin(form, "GatherV2") ||
        !form_ints(form, "axis", &axis, 0, 1) || !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "Tparams", in_type(form));
    gd_attr_type(form_text(form), "Tindices", form_in(form, 1).dtype);
    gd_attr_type(form_text(form), "Taxis", DT_INT32);
    return form_close(form);
}

// Indices are tuples along the last axis.
bool form_gather_nd(Form *form)
{
    if (!form_begin(form, "GatherNd") || !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "Tparams", in_type(form));
    gd_attr_type(form_text(form), "Tindices", form_in(form, 1).dtype);
    return form_close(form);
}

// Updates into a copy, or added to it.
bool form_scatter(Form *form)
{
    if (form->node->op != OP_SCATTER_UPDATE && in_type(form) == DT_BOOL) {
        return form_refuse(form, "bools");
    }
    return form_begin(form, own_op(form)) &&
           close_typed(form, in_type(form), "Tindices", form_in(form, 1).dtype);
}

// The values on and off are operands of the result's dtype.
bool form_one_hot(Form *form)
{
    int64_t depth = form_int(form, 0, 0);
    DType dtype = form_out(form).dtype;
    // An operand gives it where the host does not.
    bool open = form->node->attrs[0].kind == ATTR_INPUT;
    if (!form_begin(form, "OneHot") ||
        (!open && !form_ints(form, "depth", &depth, 0, 1))) {
        return false;
    }
    // The order of the operands: on before off.
    for (int value = 1; value >= 0; value--) {
        const char *ref =
            step_number(form, value ? "on_value" : "off_value", dtype, value);
        form->inputs[form->count++] = ref;
        if (ref == NULL) {
            return false;
        }
    }
    return close_typed(form, dtype, "TI", in_type(form));
}

// The axis is the last operand; one tensor alone is passed on.
bool form_concat(Form *form)
{
    int64_t axis = form_int(form, 0, 0);
    uint32_t count = form->node->input_count;
    // TensorFlow joins two or more.
    const char *op = count > 1 ? "ConcatV2" : "Identity";
    if (!form_begin(form, op) ||
        (count > 1 && !form_ints(form, "axis", &axis, 0, 1)) ||
        !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "T", in_type(form));
    if (count > 1) {
        gd_attr_int(form_text(form), "N", count);
        gd_attr_type(form_text(form), "Tidx", DT_INT32);
    }
    return form_close(form);
}

// stack and unstack: `number` is how TensorFlow calls the count of parts.
static bool write_pack(Form *form, const char *number, uint32_t count)
{
    if (!form_begin(form, own_op(form)) || !form_open(form)) {
        return false;
    }
    gd_attr_int(form_text(form), number, count);
    gd_attr_type(form_text(form), "T", in_type(form));
    gd_attr_int(form_text(form), "axis", form_int(form, 0, 0));
    return form_close(form);
}

// N tensors of one shape.
bool form_stack(Form *form)
{
    return write_pack(form, "N", form->node->input_count);
}

// As many results as the axis is long.
bool form_unstack(Form *form)
{
    return write_pack(form, "num", form->node->output_count);
}

// Equal parts go by their number, others by their sizes; one may be -1.
bool form_split(Form *form)
{
    const AttrValue *parts = form->node->attrs;
    int64_t axis = form_int(form, 1, 0);
    bool equal = parts->count == 1;
    if (!form_begin(form, equal ? "Split" : "SplitV") ||
        (!equal && !form_ints(form, "sizes", parts->ints, 1, parts->count)) ||
        !form_ints(form, "axis", &axis, 0, 1)) {
        return false;
    }
    if (equal) { // its axis comes first
        const char *x = form->inputs[0];
        form->inputs[0] = form->inputs[1];
        form->inputs[1] = x;
    }
    if (!form_open(form)) {
        return false;
    }
    gd_attr_int(form_text(form), "num_split", form->node->output_count);
    gd_attr_type(form_text(form), "T", in_type(form));
    if (!equal) {
        gd_attr_type(form_text(form), "Tlen", DT_INT32);
    }
    return form_close(form);
}

// No axis means all of them.
bool form_flip(Form *form)
{
    const AttrValue *axis = form->node->attrs;
    int64_t all[SHAPE_MAX_RANK];
    int rank = form_in(form, 0).rank;
    if (rank < 0 && axis->kind == ATTR_NONE) {
        return form_refuse(form, "an operand of unknown rank");
    }
    for (int i = 0; i < rank; i++) {
        all[i] = i;
    }
    const int64_t *axes = axis->kind == ATTR_INTS  ? axis->ints
                          : axis->kind == ATTR_INT ? &axis->integer
                                                   : all;
    int64_t count = axis->kind == ATTR_INT ? 1 : rank;
    count = axis->kind == ATTR_INTS ? (int64_t)axis->count : count;
    return form_begin(form, "ReverseV2") &&
           form_ints(form, "axis", axes, 1, count) &&
           close_typed(form, in_type(form), "Tidx", DT_INT32);
}

// A pair for each axis; fewer are laid out.
static const char *write_paddings(Form *form)
{
    TensorType type = form_in(form, 1);
    int64_t shape[2] = {form_in(form, 0).rank, 2};
    return type.rank == 2
               ? form->inputs[1]
               : step_2(form, "BroadcastTo", form->inputs[1],
                        form_const(form, "shape", shape, 1, 2),
                        TYPES({"T", "Tidx"}, {type.dtype, DT_INT32}));
}

// Elements of its own, one number, or those beside the edge, by its mode.
bool form_pad(Form *form)
{
    PadMode mode = pad_mode(form->node->attrs);
    const AttrValue *value = form->node->attrs + 1;
    bool fills = mode == PAD_CONSTANT;
    bool zero = value->kind != ATTR_FLOAT || value->number == 0;
    DType dtype = in_type(form), pairs = form_in(form, 1).dtype;
    if (mode == PAD_EDGE || dtype == DT_STRING) {
        return form_refuse(form, "mode 'edge', or strings,");
    }
    if (form_in(form, 1).rank != 2 && form_in(form, 0).rank < 0) {
        return form_refuse(form, "an operand of unknown rank");
    }
    const char *op = !fills ? "MirrorPad" : zero ? "Pad" : "PadV2";
    if (!form_begin(form, op)) {
        return false;
    }
    form->inputs[1] = write_paddings(form);
    if (fills && !zero) {
        form->inputs[form->count++] =
            step_number(form, "constant_values", dtype, value->number);
    }
    if (form->inputs[1] == NULL || form->inputs[form->count - 1] == NULL ||
        !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "T", dtype);
    gd_attr_type(form_text(form), "Tpaddings", pairs);
    if (!fills) {
        bool reflect = mode == PAD_REFLECT;
        gd_attr_text(form_text(form), "mode", reflect ? "REFLECT" : "SYMMETRIC",
                     reflect ? 7 : 9);
    }
    return form_close(form);
}

// As many diagonals on one side of the main one as there are, at most `far`:
// MatrixBandPart asks for no more.
static const char *diagonals(Form *form, bool lower, int64_t far)
{
    TensorType type = form_in(form, 0);
    int axis = type.rank - (lower ? 2 : 1);
    int64_t size = type.rank < 0 ? DIM_UNKNOWN : type.dims[axis];
    if (size != DIM_UNKNOWN) {
        return step_int(form, "far", far < size ? far : size);
    }
    const char *all = step_int(form, "far", far);
    return type.rank < 0
               ? all
               : step_2(form, "Minimum", all, step_size(form, 0, axis),
                        TYPES({"T"}, {DT_INT32}));
}

// x with the main diagonal, all on one side of it and `far` on the other.
static const char *band(Form *form, const char *x, DType dtype, bool lower,
                        int64_t far)
{
    const char *inputs[3] = {x};
    inputs[lower ? 1 : 2] = step_int(form, "all", -1);
    inputs[lower ? 2 : 1] = diagonals(form, !lower, far);
    return step_many(form, "MatrixBandPart", inputs, 3,
                     TYPES({"T", "Tindex"}, {dtype, DT_INT32}));
}

// tril keeps all below diagonal k, triu all above. Of a diagonal on the side
// that is dropped, where a band cannot begin, the band is of what is dropped.
bool form_band(Form *form)
{
    bool lower = form->node->op == OP_TRIL;
    DType dtype = in_type(form);
    int64_t k = form_int(form, 0, 0), far = lower ? k : -k;
    if (!step_begin(form)) {
        return false;
    }
    const char *x = form->inputs[0];
    if (far >= 0) {
        return step_gives(form, 0, band(form, x, dtype, lower, far));
    }
    const char *all = step_2(form, "Fill", step_shape(form, x, dtype),
                             step_number(form, "dropped", DT_BOOL, 1),
                             TYPES({"T", "index_type"}, {DT_BOOL, DT_INT32}));
    StepTypes types = TYPES({"T"}, {dtype});
    const char *inputs[3] = {band(form, all, DT_BOOL, !lower, -far - 1),
                             step_1(form, "ZerosLike", x, types), x};
    return step_gives(form, 0, step_many(form, "SelectV2", inputs, 3, types));
}

// One operand, no attribute.
bool form_string(Form *form)
{
    return form_begin(form, own_op(form)) && form_open(form) &&
           form_close(form);
}

// Element by element, with a separator.
bool form_string_join(Form *form)
{
    const AttrValue *separator = form->node->attrs;
    if (!form_begin(form, "StringJoin") || !form_open(form)) {
        return false;
    }
    gd_attr_int(form_text(form), "N", form->node->input_count);
    // Left out it is the empty text, as in TensorFlow.
    if (separator->kind == ATTR_STR) {
        gd_attr_text(form_text(form), "separator", separator->text,
                     separator->count);
    }
    return form_close(form);
}

// The dtype is an attribute.
bool form_to_number(Form *form)
{
    if (!form_begin(form, "StringToNumber") || !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "out_type", form_out(form).dtype);
    return form_close(form);
}
