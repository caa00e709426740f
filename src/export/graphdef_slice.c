// Writing index and its gradient: slices, whose kinds of items TensorFlow tells
// by masks.
#include "export/graphdef_step.h"

// The five ints that the spec of `index` has for an item (ops/ops_index.c).
enum { ITEM_KIND, ITEM_START, ITEM_STOP, ITEM_STEP, ITEM_INPUTS, ITEM_SIZE };
// The kinds of an item, as that file numbers them.
enum { SLICE_INT, SLICE_RANGE, SLICE_NEW_AXIS, SLICE_ELLIPSIS };

// begin, end and strides of a slice, and the masks that say what they mean.
typedef struct SliceMasks {
    int64_t bounds[3][SHAPE_MAX_RANK * 2];
    int64_t begin_mask, end_mask, new_mask, shrink_mask, ellipsis_mask;
    uint32_t count;
    DType dtype; // of the bounds: int64 if int32 does not hold them all
} SliceMasks;

// One item of the index: TensorFlow tells the kinds apart by masks.
static void add_item(SliceMasks *slice, const int64_t *item)
{
    uint32_t i = slice->count++;
    int64_t bit = (int64_t)1 << i, step = item[ITEM_STEP];
    bool picks = item[ITEM_KIND] == SLICE_INT;
    bool cuts = item[ITEM_KIND] == SLICE_RANGE;
    slice->bounds[0][i] = item[ITEM_START];
    // The stop of a single element is written but does not count: the shrink
    // mask makes TensorFlow read `begin` alone, so -1 works too.
    slice->bounds[1][i] = picks ? item[ITEM_START] + 1 : item[ITEM_STOP];
    slice->bounds[2][i] = cuts && step != ATTR_INT_NONE ? step : 1;
    slice->shrink_mask |= picks ? bit : 0;
    slice->new_mask |= item[ITEM_KIND] == SLICE_NEW_AXIS ? bit : 0;
    slice->ellipsis_mask |= item[ITEM_KIND] == SLICE_ELLIPSIS ? bit : 0;
    // The mask stands for a bound that was left out; a new axis and an
    // ellipsis have none, and get a zero that nobody reads.
    if (!picks && (!cuts || item[ITEM_START] == ATTR_INT_NONE)) {
        slice->begin_mask |= cuts ? bit : 0;
        slice->bounds[0][i] = 0;
    }
    if (!picks && (!cuts || item[ITEM_STOP] == ATTR_INT_NONE)) {
        slice->end_mask |= cuts ? bit : 0;
        slice->bounds[1][i] = 0;
    }
}

static bool is_wide(int64_t bound)
{
    return bound < INT32_MIN || bound > INT32_MAX;
}

// All items, and the dtype that holds their bounds, also those that are the
// node's inputs from `next` on.
static void add_items(const Form *form, SliceMasks *slice, uint32_t next)
{
    const AttrValue *spec = form->node->attrs;
    bool wide = false;
    for (uint32_t i = 0; i < spec->count / ITEM_SIZE; i++) {
        add_item(slice, spec->ints + i * ITEM_SIZE);
        for (int k = 0; k < 3; k++) {
            wide = wide || is_wide(slice->bounds[k][i]);
        }
    }
    for (; next < form->node->input_count; next++) {
        wide = wide || form_in(form, next).dtype == DT_INT64;
    }
    slice->dtype = wide ? DT_INT64 : DT_INT32;
}

// Bounds that are operands: one vector of them and the numbers.
static const char *pack_bounds(Form *form, const SliceMasks *slice, int which,
                               const char *const *given)
{
    static const char *const parts[] = {"stack", "stack_1", "stack_2"};
    const char *refs[SHAPE_MAX_RANK * 2];
    bool any = false;
    for (uint32_t i = 0; i < slice->count; i++) {
        any = any || given[i] != NULL;
    }
    // The common case: one constant vector.
    if (!any) {
        return form_const_of(form, parts[which], slice->dtype,
                             slice->bounds[which], 1, slice->count);
    }
    for (uint32_t i = 0; i < slice->count; i++) {
        refs[i] = given[i] != NULL
                      ? given[i]
                      : form_const_of(form, parts[which], slice->dtype,
                                      &slice->bounds[which][i], 0, 1);
        if (refs[i] == NULL) {
            return NULL;
        }
    }
    // Some bounds are tensors: all of them are packed into a vector.
    const char *name =
        form_inner(form, parts[which], "Pack", refs, slice->count);
    if (name == NULL) {
        return NULL;
    }
    gd_attr_int(form_text(form), "N", slice->count);
    gd_attr_type(form_text(form), "T", slice->dtype);
    gd_attr_int(form_text(form), "axis", 0);
    return form_inner_close(form, name, "Pack", slice->count);
}

// The node, its operands being there.
static bool write_slice(Form *form, const SliceMasks *slice)
{
    StrBuf *out = form_text(form);
    if (!form_open(form)) {
        return false;
    }
    gd_attr_type(out, "T", form_out(form).dtype);
    gd_attr_type(out, "Index", slice->dtype);
    gd_attr_int(out, "begin_mask", slice->begin_mask);
    gd_attr_int(out, "end_mask", slice->end_mask);
    gd_attr_int(out, "ellipsis_mask", slice->ellipsis_mask);
    gd_attr_int(out, "new_axis_mask", slice->new_mask);
    gd_attr_int(out, "shrink_axis_mask", slice->shrink_mask);
    return form_close(form);
}

// Three vectors behind the first operand; bounds that are tensors, the node's
// inputs from `next` on, take their places among the numbers.
static bool add_bounds(Form *form, SliceMasks *slice, uint32_t next)
{
    const AttrValue *spec = form->node->attrs;
    const char *given[3][SHAPE_MAX_RANK * 2] = {{NULL}};
    for (uint32_t i = 0; i < spec->count / ITEM_SIZE; i++) {
        const int64_t *item = spec->ints + i * ITEM_SIZE;
        for (int k = 0; k < 3; k++) {
            // Bit k: bound k of the item is the op's next input.
            if (item[ITEM_INPUTS] >> k & 1) {
                given[k][i] =
                    step_cast(form, form->inputs[next],
                              form_in(form, next).dtype, slice->dtype);
                if (given[k][i] == NULL) {
                    return false;
                }
                next++;
            }
        }
    }
    form->count = 1;
    for (int k = 0; k < 3; k++) {
        form->inputs[form->count] = pack_bounds(form, slice, k, given[k]);
        if (form->inputs[form->count++] == NULL) {
            return false;
        }
    }
    return true;
}

// New axes and an ellipsis come on top of the operand's own axes.
static bool fits(const Form *form)
{
    return form->node->attrs->count / ITEM_SIZE <= SHAPE_MAX_RANK * 2;
}

bool form_strided_slice(Form *form)
{
    SliceMasks slice = {.count = 0};
    if (!fits(form)) {
        return form_refuse(form, "so many items");
    }
    add_items(form, &slice, 1);
    return form_begin(form, "StridedSlice") && add_bounds(form, &slice, 1) &&
           write_slice(form, &slice);
}

// Of the second operand the shape is wanted, in front; the first comes last.
bool form_slice_grad(Form *form)
{
    SliceMasks slice = {.count = 0};
    if (!fits(form)) {
        return form_refuse(form, "so many items");
    }
    add_items(form, &slice, 2);
    if (!form_begin(form, "StridedSliceGrad")) {
        return false;
    }
    const char *x = form->inputs[0];
    const char *shape =
        step_shape(form, form->inputs[1], form_in(form, 1).dtype);
    shape =
        shape != NULL ? step_cast(form, shape, DT_INT32, slice.dtype) : NULL;
    if (shape == NULL || !add_bounds(form, &slice, 2)) {
        return false;
    }
    form->inputs[0] = shape;
    form->inputs[form->count++] = x;
    return write_slice(form, &slice);
}
