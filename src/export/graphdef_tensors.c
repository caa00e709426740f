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

bool form_list_read(Form *form)
{
    static const char op[] = "TensorListGetItem";
    TensorType type = element(form, form->node->inputs[0]);
    if (!step_begin(form)) {
        return false;
    }
    const char *name = step_open(form, op, 3, form->inputs[0], place(form),
                                 element_shape(form, type));
    if (name == NULL) {
        return false;
    }
    element_attrs(form, type.dtype, false);
    return step_gives(form, 0, step_close(form, name, op, 3));
}

bool form_list_write(Form *form)
{
    static const char op[] = "TensorListSetItem";
    if (!step_begin(form)) {
        return false;
    }
    const char *name =
        step_open(form, op, 3, form->inputs[0], place(form), form->inputs[2]);
    if (name == NULL) {
        return false;
    }
    element_attrs(form, form_in(form, 2).dtype, false);
    return step_gives(form, 0, step_close(form, name, op, 3));
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

bool form_list_unstack(Form *form)
{
    static const char op[] = "TensorListFromTensor";
    TensorType type = element(form, form->node->first_output);
    if (!step_begin(form)) {
        return false;
    }
    const char *name =
        step_open(form, op, 2, form->inputs[0], element_shape(form, type));
    if (name == NULL) {
        return false;
    }
    element_attrs(form, type.dtype, true);
    return step_gives(form, 0, step_close(form, name, op, 2));
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
