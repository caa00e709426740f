// Writing lists of tensors as TensorList, which is a variant to TensorFlow.
#include "export/graphdef_step.h"

// The type of a list's elements.
static TensorType element(const Form *form, ValueId list)
{
    TensorType type = graph_type(form->scope->graph, list);
    type.dtype = dtype_element(type.dtype);
    return type;
}

// The shape that elements are said to have: -1 for open sizes, and one -1, not
// in a vector, for an open rank.
static const char *element_shape(Form *form, TensorType type)
{
    static const int64_t any = -1;
    return type.rank == RANK_UNKNOWN
               ? form_const(form, "element_shape", &any, 0, 1)
               : form_const(form, "element_shape", type.dims, 1, type.rank);
}

// Attributes that most of these ops have.
static void element_attrs(Form *form, DType dtype, bool shape)
{
    gd_attr_type(form_text(form), "element_dtype", dtype);
    if (shape) {
        gd_attr_type(form_text(form), "shape_type", DT_INT32);
    }
}

// An op on lists with its attributes: by name, and the first result.
static const char *list_step(Form *form, const char *op, TensorType element,
                             const char *list, const char *operand)
{
    const char *name = step_open(form, op, 2, list, operand);
    if (name == NULL) {
        return NULL;
    }
    element_attrs(form, element.dtype, false);
    return step_close(form, name, op, 2);
}

static const char *length_of(Form *form, const char *list)
{
    return step_1(form, "TensorListLength", list, TYPES({NULL}, {DT_NONE}));
}

static const char *append(Form *form, const char *list, const char *item,
                          TensorType element)
{
    return list_step(form, "TensorListPushBack", element, list, item);
}

// An empty list, and an append for each element.
bool form_list_new(Form *form)
{
    static const char op[] = "EmptyTensorList";
    TensorType type = element(form, form->node->first_output);
    if (!step_begin(form)) {
        return false;
    }
    // No limit to the number of elements.
    const char *name = step_open(form, op, 2, element_shape(form, type),
                                 step_int(form, "max_num_elements", -1));
    if (name == NULL) {
        return false;
    }
    element_attrs(form, type.dtype, true);
    const char *list = step_close(form, name, op, 2);
    for (uint32_t i = 0; i < form->node->input_count; i++) {
        list = append(form, list, form->inputs[i], type);
    }
    return step_gives(form, 0, list);
}

bool form_list_append(Form *form)
{
    return step_begin(form) &&
           step_gives(form, 0,
                      append(form, form->inputs[0], form->inputs[1],
                             form_in(form, 1)));
}

bool form_list_pop(Form *form)
{
    static const char op[] = "TensorListPopBack";
    TensorType type = element(form, form->node->inputs[0]);
    if (!step_begin(form)) {
        return false;
    }
    const char *name =
        step_open(form, op, 2, form->inputs[0], element_shape(form, type));
    if (name == NULL) {
        return false;
    }
    element_attrs(form, type.dtype, false);
    return step_close(form, name, op, 2) != NULL &&
           step_gives(form, 0, step_result(form, name, op, 2, 0)) &&
           step_gives(form, 1, step_result(form, name, op, 2, 1));
}

// The index as an int32 that is not below 0.
static const char *place(Form *form)
{
    DType dtype = form_in(form, 1).dtype;
    const char *index = step_cast(form, form->inputs[1], dtype, DT_INT32);
    return step_wrap(form, index, DT_INT32, length_of(form, form->inputs[0]));
}

static const char *item_at(Form *form, TensorType type, const char *at)
{
    static const char op[] = "TensorListGetItem";
    const char *name =
        step_open(form, op, 3, form->inputs[0], at, element_shape(form, type));
    if (name == NULL) {
        return NULL;
    }
    element_attrs(form, type.dtype, false);
    return step_close(form, name, op, 3);
}

bool form_list_read(Form *form)
{
    TensorType type = element(form, form->node->inputs[0]);
    return step_begin(form) &&
           step_gives(form, 0, item_at(form, type, place(form)));
}

static const char *with_item(Form *form, DType dtype, const char *at,
                             const char *item)
{
    static const char op[] = "TensorListSetItem";
    const char *name = step_open(form, op, 3, form->inputs[0], at, item);
    if (name == NULL) {
        return NULL;
    }
    element_attrs(form, dtype, false);
    return step_close(form, name, op, 3);
}

bool form_list_write(Form *form)
{
    return step_begin(form) &&
           step_gives(form, 0,
                      with_item(form, form_in(form, 2).dtype, place(form),
                                form->inputs[2]));
}

bool form_list_size(Form *form)
{
    return step_begin(form) &&
           step_gives(form, 0, length_of(form, form->inputs[0]));
}

bool form_list_concat(Form *form)
{
    TensorType type = element(form, form->node->inputs[0]);
    return step_begin(form) &&
           step_gives(form, 0,
                      list_step(form, "TensorListConcatLists", type,
                                form->inputs[0], form->inputs[1]));
}

bool form_list_stack(Form *form)
{
    TensorType type = element(form, form->node->inputs[0]);
    return step_begin(form) &&
           step_gives(form, 0,
                      list_step(form, "TensorListStack", type, form->inputs[0],
                                element_shape(form, type)));
}

static const char *list_of(Form *form, const char *rows, TensorType element)
{
    static const char op[] = "TensorListFromTensor";
    const char *name =
        step_open(form, op, 2, rows, element_shape(form, element));
    if (name == NULL) {
        return NULL;
    }
    element_attrs(form, element.dtype, true);
    return step_close(form, name, op, 2);
}

bool form_list_unstack(Form *form)
{
    TensorType type = element(form, form->node->first_output);
    return step_begin(form) &&
           step_gives(form, 0, list_of(form, form->inputs[0], type));
}

// --- parts of lists, which are parts of the stacked elements ---

// Elements of other sizes cannot be stacked.
static bool begin_parts(Form *form, TensorType type)
{
    bool known = type.rank >= 0;
    for (int i = 0; known && i < type.rank; i++) {
        known = type.dims[i] >= 0;
    }
    return known ? step_begin(form)
                 : form_refuse(form, "elements of unknown sizes");
}

static const char *rows_of(Form *form, TensorType type, const char *list)
{
    return list_step(form, "TensorListStack", type, list,
                     element_shape(form, type));
}

// A list of the rows from `start` to before `stop`, which are int32.
static const char *part_of(Form *form, const char *rows, TensorType type,
                           const char *start, const char *stop, int64_t step)
{
    static const char op[] = "StridedSlice";
    const char *name =
        step_open(form, op, 4, rows, step_flat(form, start, DT_INT32),
                  step_flat(form, stop, DT_INT32),
                  form_const(form, "strides", &step, 1, 1));
    if (name == NULL) {
        return NULL;
    }
    gd_attr_type(form_text(form), "T", type.dtype);
    gd_attr_type(form_text(form), "Index", DT_INT32);
    return list_of(form, step_close(form, name, op, 4), type);
}

bool form_list_slice(Form *form)
{
    TensorType type = element(form, form->node->inputs[0]);
    if (!begin_parts(form, type)) {
        return false;
    }
    const char *bounds[2];
    for (uint32_t i = 0; i < 2; i++) {
        bounds[i] = step_cast(form, form->inputs[i + 1],
                              form_in(form, i + 1).dtype, DT_INT32);
    }
    return step_gives(form, 0,
                      part_of(form, rows_of(form, type, form->inputs[0]), type,
                              bounds[0], bounds[1], form_int(form, 0, 1)));
}

// What stands before the element and what stands behind it are the list that
// is left. It is of the list that got the element back, so that an index out
// of range is an error even if nobody wants the element.
bool form_list_take(Form *form)
{
    TensorType type = element(form, form->node->inputs[0]);
    if (!begin_parts(form, type)) {
        return false;
    }
    const char *at = place(form), *item = item_at(form, type, at);
    const char *rows =
        rows_of(form, type, with_item(form, type.dtype, at, item));
    const char *next = step_2(form, "Add", at, step_int(form, "one", 1),
                              TYPES({"T"}, {DT_INT32}));
    const char *left = list_step(
        form, "TensorListConcatLists", type,
        part_of(form, rows, type, step_int(form, "start", 0), at, 1),
        part_of(form, rows, type, next, length_of(form, form->inputs[0]), 1));
    return step_gives(form, 0, left) && step_gives(form, 1, item);
}

bool form_list_resize(Form *form)
{
    if (!step_begin(form)) {
        return false;
    }
    const char *size =
        step_cast(form, form->inputs[1], form_in(form, 1).dtype, DT_INT32);
    return step_gives(form, 0,
                      step_2(form, "TensorListResize", form->inputs[0], size,
                             TYPES({NULL}, {DT_NONE})));
}

// Ops on variants, element by element: zeros, and the sum.
static bool write_variants(Form *form, const char *op)
{
    uint32_t count = form->node->input_count;
    if (!form_begin(form, op) || !form_open(form)) {
        return false;
    }
    if (count > 1) {
        gd_attr_int(form_text(form), "N", count);
    }
    gd_attr_type_text(form_text(form), "T", "DT_VARIANT");
    return form_close(form);
}

bool form_list_zeros(Form *form)
{
    return write_variants(form, "ZerosLike");
}

bool form_list_add(Form *form)
{
    return write_variants(form, "AddN");
}
