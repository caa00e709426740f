// Writing what orders and picks elements: sorts, searches, and indexing by
// tensors.
#include "export/graphdef_step.h"

// The largest elements first, with their places; equal ones as they stood.
// `inputs`: the operand, its axis last, and how many. Gives TopKV2's name.
static const char *write_top(Form *form, DType dtype, const char *x,
                             const char *k)
{
    const char *name = step_open(form, "TopKV2", 2, x, k);
    if (name == NULL) {
        return NULL;
    }
    gd_attr_bool(form_text(form), "sorted", true);
    gd_attr_type(form_text(form), "T", dtype);
    gd_attr_type(form_text(form), "Tk", DT_INT32);
    gd_attr_type(form_text(form), "index_type", DT_INT64);
    return step_close(form, name, "TopKV2", 2) != NULL ? name : NULL;
}

// The order turned round: -x of floats; of ints ~x, which cannot overflow.
static const char *reversed(Form *form, const char *x, DType dtype)
{
    return step_1(form, dtype_is_float(dtype) ? "Neg" : "Invert", x,
                  TYPES({"T"}, {dtype}));
}

// sort and argsort: TensorFlow orders the last axis, from the largest on.
bool form_sorted(Form *form)
{
    TensorType type = form_in(form, 0);
    bool up = !form_bool(form, 1), places = form->node->op == OP_ARGSORT;
    int64_t axis = form_int(form, 0, -1);
    if (type.rank < 1 || type.dtype == DT_STRING || type.dtype == DT_BOOL) {
        return form_refuse(form, type.rank < 1 ? "an operand of unknown rank"
                                               : "strings or bools");
    }
    if (!step_begin(form)) {
        return false;
    }
    int at = (int)(axis < 0 ? axis + type.rank : axis);
    const char *x = step_swap(form, form->inputs[0], type, at);
    x = up ? reversed(form, x, type.dtype) : x;
    const char *name = write_top(form, type.dtype, x, step_size(form, 0, at));
    const char *y = step_result(form, name, "TopKV2", 2, places);
    y = up && !places ? reversed(form, y, type.dtype) : y;
    type.dtype = places ? DT_INT64 : type.dtype;
    return step_gives(form, 0, step_swap(form, y, type, at));
}

bool form_top(Form *form)
{
    if (form_in(form, 0).dtype == DT_BOOL) {
        return form_refuse(form, "bools");
    }
    if (!step_begin(form)) {
        return false;
    }
    const char *k = step_int(form, "k", form_int(form, 0, 1));
    const char *name =
        write_top(form, form_in(form, 0).dtype, form->inputs[0], k);
    return step_gives(form, 0, step_result(form, name, "TopKV2", 2, 0)) &&
           step_gives(form, 1, step_result(form, name, "TopKV2", 2, 1));
}

// The places in a sorted vector, for values of any shape.
bool form_bound(Form *form)
{
    static const int64_t row[] = {1, -1};
    bool right = attr_is(form->node->attrs, "right");
    const char *op = right ? "UpperBound" : "LowerBound";
    DType dtype = form_in(form, 0).dtype;
    if (form_in(form, 1).dtype != dtype) {
        return form_refuse(form, "two dtypes");
    }
    if (!step_begin(form)) {
        return false;
    }
    const char *rows[2];
    for (int i = 0; i < 2; i++) {
        const char *shape = form_const(form, "row", row, 1, 2);
        rows[i] = step_reshape(form, form->inputs[i], shape, dtype);
    }
    const char *found =
        step_2(form, op, rows[0], rows[1],
               TYPES({"T", "out_type"}, {dtype, form_out(form).dtype}));
    return step_gives(form, 0,
                      step_reshape(form, found,
                                   step_shape(form, form->inputs[1], dtype),
                                   form_out(form).dtype));
}

// Where(mask): a row of indices for each True.
bool form_masked(Form *form)
{
    if (!step_begin(form)) {
        return false;
    }
    const char *places =
        step_1(form, "Where", form->inputs[1], TYPES({"T"}, {DT_BOOL}));
    return step_gives(form, 0,
                      step_2(form, "GatherNd", form->inputs[0], places,
                             TYPES({"Tparams", "Tindices"},
                                   {form_in(form, 0).dtype, DT_INT64})));
}

// Different elements, and the place of each among them.
bool form_unique(Form *form)
{
    static const char op[] = "Unique";
    const char *name =
        step_begin(form) ? step_open(form, op, 1, form->inputs[0]) : NULL;
    if (name == NULL) {
        return false;
    }
    gd_attr_type(form_text(form), "T", form_in(form, 0).dtype);
    gd_attr_type(form_text(form), "out_idx", DT_INT64);
    return step_close(form, name, op, 1) != NULL &&
           step_gives(form, 0, step_result(form, name, op, 1, 0)) &&
           step_gives(form, 1, step_result(form, name, op, 1, 1));
}

// The columns of Where(x).
bool form_nonzero(Form *form)
{
    uint32_t count = form->node->output_count;
    DType dtype = form_in(form, 0).dtype;
    if (dtype == DT_STRING) {
        return form_refuse(form, "strings");
    }
    if (!step_begin(form)) {
        return false;
    }
    // Of halves TensorFlow has none.
    DType as = dtype_is_half(dtype) ? DT_BOOL : dtype;
    const char *rows =
        step_1(form, "Where", step_cast(form, form->inputs[0], dtype, as),
               TYPES({"T"}, {as}));
    const char *name = step_open(form, "Unpack", 1, rows);
    if (name == NULL) {
        return false;
    }
    gd_attr_int(form_text(form), "num", count);
    gd_attr_type(form_text(form), "T", DT_INT64);
    gd_attr_int(form_text(form), "axis", 1);
    bool ok = step_close(form, name, "Unpack", 1) != NULL;
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = step_gives(form, i, step_result(form, name, "Unpack", 1, i));
    }
    return ok;
}

// As often as its count says each place stands among the results: the places
// are where 0, 1, 2, … would go among the counts added up.
bool form_repeated(Form *form)
{
    TensorType type = form_in(form, 0);
    int64_t axis = form_int(form, 0, ATTR_INT_NONE);
    bool flat = axis == ATTR_INT_NONE;
    if (!flat && type.rank < 0) {
        return form_refuse(form, "an operand of unknown rank");
    }
    if (!step_begin(form)) {
        return false;
    }
    int at = (int)(axis < 0 && !flat ? axis + type.rank : axis);
    const char *x = form->inputs[0], *size;
    if (flat) {
        x = step_flat(form, x, type.dtype);
        size = step_1(form, "Size", x,
                      TYPES({"T", "out_type"}, {type.dtype, DT_INT32}));
    } else {
        size = step_size(form, 0, at);
    }
    const char *zero = step_int(form, "start", 0);
    const char *one = step_int(form, "delta", 1);
    const char *counts =
        step_cast(form, form->inputs[1], form_in(form, 1).dtype, DT_INT32);
    const char *dims = step_flat(form, size, DT_INT32);
    counts = step_2(form, "BroadcastTo", counts, dims,
                    TYPES({"T", "Tidx"}, {DT_INT32, DT_INT32}));
    const char *ends = step_2(form, "Cumsum", counts, zero,
                              TYPES({"T", "Tidx"}, {DT_INT32, DT_INT32}));
    const char *total = step_2(form, "Sum", counts, zero,
                               TYPES({"T", "Tidx"}, {DT_INT32, DT_INT32}));
    const char *numbers[3] = {zero, total, one};
    const char *places =
        step_many(form, "Range", numbers, 3, TYPES({"Tidx"}, {DT_INT32}));
    ends = step_2(form, "ExpandDims", ends, zero,
                  TYPES({"T", "Tdim"}, {DT_INT32, DT_INT32}));
    places = step_2(form, "ExpandDims", places, zero,
                    TYPES({"T", "Tdim"}, {DT_INT32, DT_INT32}));
    places = step_2(form, "UpperBound", ends, places,
                    TYPES({"T", "out_type"}, {DT_INT32, DT_INT32}));
    places = step_flat(form, places, DT_INT32);
    return step_gives(form, 0,
                      step_gather(form, x, type.dtype, places, flat ? 0 : at));
}

// An attribute of an int or ints as `count` of them; one stands for all.
static const char *spread(Form *form, const char *part, const AttrValue *attr,
                          uint32_t count)
{
    int64_t ints[SHAPE_MAX_RANK] = {0};
    for (uint32_t i = 0; i < count && attr->kind != ATTR_NONE; i++) {
        ints[i] = attr->kind == ATTR_INT ? attr->integer
                  : attr->count == count ? attr->ints[i]
                                         : attr->ints[0];
    }
    return form_const(form, part, ints, 1, count);
}

// Without an axis the elements are one vector.
bool form_rolled(Form *form)
{
    const AttrValue *shift = form->node->attrs, *axis = shift + 1;
    DType dtype = form_in(form, 0).dtype;
    bool flat = axis->kind == ATTR_NONE;
    uint32_t shifts = shift->kind == ATTR_INTS ? shift->count : 1;
    uint32_t axes = axis->kind == ATTR_INTS ? axis->count : 1;
    uint32_t count = shifts > axes ? shifts : axes;
    if (count > SHAPE_MAX_RANK) {
        return form_refuse(form, "so many shifts");
    }
    if (!step_begin(form)) {
        return false;
    }
    const char *x = form->inputs[0];
    const char *inputs[3] = {flat ? step_flat(form, x, dtype) : x,
                             spread(form, "shift", shift, count),
                             spread(form, "axis", axis, count)};
    const char *y =
        step_many(form, "Roll", inputs, 3,
                  TYPES({"T", "Tshift", "Taxis"}, {dtype, DT_INT32, DT_INT32}));
    y = flat ? step_reshape(form, y, step_shape(form, x, dtype), dtype) : y;
    return step_gives(form, 0, y);
}

// x[i, j, …]: tuples of the indices, which are made of one shape.
static const char *write_tuples(Form *form, const char **indices,
                                uint32_t count, DType dtype)
{
    const char *shape = step_shape(form, indices[0], dtype);
    for (uint32_t i = 1; i < count; i++) {
        shape = step_2(form, "BroadcastArgs", shape,
                       step_shape(form, indices[i], dtype),
                       TYPES({"T"}, {DT_INT32}));
    }
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = step_2(form, "BroadcastTo", indices[i], shape,
                            TYPES({"T", "Tidx"}, {dtype, DT_INT32}));
        if (indices[i] == NULL) {
            return NULL;
        }
    }
    const char *name = form_inner(form, "tuples", "Pack", indices, count);
    if (name == NULL) {
        return NULL;
    }
    gd_attr_int(form_text(form), "N", count);
    gd_attr_type(form_text(form), "T", dtype);
    gd_attr_int(form_text(form), "axis", -1);
    return form_inner_close(form, name, "Pack", count);
}

bool form_picked(Form *form)
{
    TensorType type = form_in(form, 0);
    uint32_t count = form->node->input_count - 1;
    int64_t axis = form_int(form, 0, 0);
    DType dtype = form_in(form, 1).dtype;
    const char *indices[SHAPE_MAX_RANK];
    if (type.rank < 0 || (axis != 0 && count > 1)) {
        return form_refuse(form, type.rank < 0
                                     ? "an operand of unknown rank"
                                     : "several indices behind axis 0");
    }
    if (!step_begin(form)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (form_in(form, i + 1).dtype != dtype) {
            return form_refuse(form, "indices of several dtypes");
        }
        indices[i] = step_wrap(form, form->inputs[i + 1], dtype,
                               step_size(form, 0, (int)(axis + i)));
        if (indices[i] == NULL) {
            return false;
        }
    }
    if (count == 1) {
        const char *inputs[3] = {form->inputs[0], indices[0],
                                 step_int(form, "axis", axis)};
        return step_gives(form, 0,
                          step_many(form, "GatherV2", inputs, 3,
                                    TYPES({"Tparams", "Tindices", "Taxis"},
                                          {type.dtype, dtype, DT_INT32})));
    }
    const char *tuples = write_tuples(form, indices, count, dtype);
    return step_gives(
        form, 0,
        step_2(form, "GatherNd", form->inputs[0], tuples,
               TYPES({"Tparams", "Tindices"}, {type.dtype, dtype})));
}

// A gather within each row, whose axis comes last.
bool form_along_axis(Form *form)
{
    TensorType type = form_in(form, 0), places = form_in(form, 1);
    int64_t axis = form_int(form, 0, -1);
    static const char op[] = "GatherV2";
    if (type.rank < 1 || places.rank != type.rank) {
        return form_refuse(form, "operands of unknown rank");
    }
    if (!step_begin(form)) {
        return false;
    }
    int at = (int)(axis < 0 ? axis + type.rank : axis);
    const char *index = form->inputs[1];
    if (!form_bool(form, 1)) {
        index = step_wrap(form, index, places.dtype, step_size(form, 0, at));
    }
    const char *name =
        step_open(form, op, 3, step_swap(form, form->inputs[0], type, at),
                  step_swap(form, index, places, at),
                  step_int(form, "axis", type.rank - 1));
    if (name == NULL) {
        return false;
    }
    gd_attr_int(form_text(form), "batch_dims", type.rank - 1);
    gd_attr_type(form_text(form), "Tparams", type.dtype);
    gd_attr_type(form_text(form), "Tindices", places.dtype);
    gd_attr_type(form_text(form), "Taxis", DT_INT32);
    const char *y = step_close(form, name, op, 3);
    return step_gives(form, 0, step_swap(form, y, type, at));
}
