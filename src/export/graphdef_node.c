// Writing ordinary nodes: the frame of all forms, and those of elementwise
// ops, products and reductions. graphdef_shape.c has those that move elements.
#include "export/graphdef_step.h"

#include <string.h>

// False, always.
bool form_refuse(Form *form, const char *what)
{
    return scope_refuse(form->scope, form->node, what);
}

// Nothing is written yet: constants that the form adds come first in the text.
// False: an error is pending, and nothing more may be done with the form.
bool form_begin(Form *form, const char *op)
{
    form->op = op;
    form->name = scope_own_name(form->scope, gd_base_name(op));
    form->count = form->node->input_count;
    // Inputs that are constants are written now, under names that begin with
    // the node's.
    form->inputs = form->name != NULL
                       ? scope_use_all(form->scope, form->node, form->name,
                                       FORM_MORE_INPUTS)
                       : NULL;
    return form->inputs != NULL;
}

// An int32 constant named "node/part".
// NULL: an error is pending. `rank` is 0 for a scalar and 1 for a vector of
// `count`.
const char *form_const(Form *form, const char *part, const int64_t *ints,
                       int rank, int64_t count)
{
    // Axes, sizes and bounds: nodes declare them as int32.
    return form_const_of(form, part, DT_INT32, ints, rank, count);
}

const char *form_const_of(Form *form, const char *part, DType dtype,
                          const int64_t *ints, int rank, int64_t count)
{
    Ctx *ctx = form->scope->writer->ctx;
    const char *base = scope_print(form->scope, "%s/%s", form->name, part);
    Tensor *tensor = base != NULL ? tensor_new(ctx, dtype, rank, &count) : NULL;
    if (tensor == NULL) {
        return NULL;
    }
    for (int64_t i = 0; i < tensor->count; i++) {
        tensor_set_int(tensor, i, ints[i]);
    }
    const char *ref = scope_const(form->scope, base, tensor);
    object_release(ctx, tensor);
    return ref;
}

// The constant becomes the next operand.
bool form_ints(Form *form, const char *part, const int64_t *ints, int rank,
               int64_t count)
{
    const char *ref = form_const(form, part, ints, rank, count);
    // FORM_MORE_INPUTS is the room for these. A NULL is counted, but the node
    // is given up then.
    form->inputs[form->count++] = ref;
    return ref != NULL;
}

// Opens a node that this one uses, named "node/part".
// NULL: an error is pending. Attributes are then written to it, and
// form_inner_close ends it.
const char *form_inner(Form *form, const char *part, const char *op,
                       const char **inputs, uint32_t count)
{
    const char *base = scope_print(form->scope, "%s/%s", form->name, part);
    const char *name = base != NULL ? scope_name(form->scope, base) : NULL;
    return name != NULL && scope_node(form->scope, name, op, inputs, count)
               ? name
               : NULL;
}

// Its one result, as a reference.
const char *form_inner_close(Form *form, const char *name, const char *op,
                             uint32_t inputs)
{
    return scope_close_node(form->scope)
               ? scope_reference(form->scope, name, op, inputs, 0)
               : NULL;
}

// From here on attributes are written.
// No other node can be begun until form_close: the text of nodes is not nested.
bool form_open(Form *form)
{
    return scope_node(form->scope, form->name, form->op, form->inputs,
                      form->count);
}

// The outputs are known from here on.
// What uses the outputs finds them by the references that are noted here.
bool form_close(Form *form)
{
    return scope_set_refs(form->scope, form->node, form->name, form->op) &&
           scope_close_node(form->scope);
}

// The node with T of its last operand, and nothing more.
static bool form_typed(Form *form, const char *op)
{
    if (!form_begin(form, op) || !form_open(form)) {
        return false;
    }
    // Of the last operand and not the first: where's condition is a bool.
    gd_attr_type(form_text(form), "T",
                 form_in(form, form->node->input_count - 1).dtype);
    return form_close(form);
}

// Bits of bools are the logical functions, which TensorFlow has apart.
static OpCode logical_of(OpCode op)
{
    switch (op) {
    case OP_BITWISE_AND: return OP_LOGICAL_AND;
    case OP_BITWISE_OR: return OP_LOGICAL_OR;
    case OP_BITWISE_XOR: return OP_LOGICAL_XOR;
    case OP_BITWISE_INVERT: return OP_LOGICAL_NOT;
    default: return op;
    }
}

// Of one dtype alone, so that they have no T.
static bool is_untyped(OpCode op)
{
    return op == OP_LOGICAL_AND || op == OP_LOGICAL_OR || op == OP_LOGICAL_NOT;
}

static const char *own_op(const Form *form)
{
    return op_desc(form->node->op)->graphdef;
}

// TensorFlow has not the op in the dtype of the operands; results are the same
// when they are cast back.
static bool form_recast(Form *form, DType as)
{
    DType dtype = form_in(form, 0).dtype;
    if (!step_begin(form)) {
        return false;
    }
    for (uint32_t i = 0; i < form->node->input_count; i++) {
        form->inputs[i] = step_cast(form, form->inputs[i], dtype, as);
    }
    const char *made = step_many(form, own_op(form), form->inputs,
                                 form->node->input_count, TYPES({"T"}, {as}));
    return step_gives(form, 0, step_cast(form, made, as, dtype));
}

bool form_signed_only(Form *form)
{
    return form_in(form, 0).dtype == DT_UINT8 ? form_recast(form, DT_INT64)
                                              : form_typed(form, own_op(form));
}

// Ints are whole as they are.
bool form_whole(Form *form)
{
    return dtype_is_float(form_in(form, 0).dtype)
               ? form_typed(form, own_op(form))
               : form_passed(form);
}

bool form_round(Form *form)
{
    return dtype_is_half(form_in(form, 0).dtype) ? form_recast(form, DT_FLOAT32)
                                                 : form_whole(form);
}

// Ints are finite, and each is equal to itself.
static bool form_of_floats(Form *form, const char *of_ints)
{
    DType dtype = form_in(form, 0).dtype;
    if (dtype_is_float(dtype)) {
        return form_typed(form, own_op(form));
    }
    if (!step_begin(form)) {
        return false;
    }
    const char *x = form->inputs[0];
    return step_gives(form, 0,
                      step_2(form, of_ints, x, x, TYPES({"T"}, {dtype})));
}

bool form_finite(Form *form)
{
    return form_of_floats(form, "Equal");
}

bool form_infinite(Form *form)
{
    return form_of_floats(form, "NotEqual");
}

// Elementwise ops that differ by name alone. The T of a comparison is that of
// what it compares.
static bool form_plain(Form *form)
{
    DType dtype = form_in(form, 0).dtype;
    OpCode code = (OpCode)form->node->op;
    code = dtype == DT_BOOL ? logical_of(code) : code;
    const char *op = op_desc(code)->graphdef;
    if (dtype == DT_STRING) {
        // AddV2 and comparisons by size are for numbers.
        bool equal = form->node->op == OP_EQUAL ||
                     form->node->op == OP_NOT_EQUAL ||
                     form->node->op == OP_WHERE;
        if (form->node->op != OP_ADD && !equal) {
            return form_refuse(form, "strings");
        }
        return form_typed(form, equal ? op : "Add");
    }
    if (is_untyped(code)) {
        return form_begin(form, op) && form_open(form) && form_close(form);
    }
    return form_typed(form, op);
}

// A cast before the node itself; its reference.
// NULL: an error is pending.
static const char *write_cast(Form *form, const char *part, const char *input,
                              DType from, DType to)
{
    const char *name = form_inner(form, part, "Cast", &input, 1);
    if (name == NULL) {
        return NULL;
    }
    gd_attr_type(form_text(form), "SrcT", from);
    gd_attr_type(form_text(form), "DstT", to);
    return form_inner_close(form, name, "Cast", 1);
}

// Ints are divided as float64.
bool form_divide(Form *form)
{
    DType in = form_in(form, 0).dtype, out = form_out(form).dtype;
    if (!form_begin(form, "RealDiv")) {
        return false;
    }
    // As tf.truediv does it: ints are cast before they are divided.
    // The suffix is TensorFlow's own for a second op of a name.
    for (uint32_t i = 0; i < 2 && in != out; i++) {
        form->inputs[i] = write_cast(form, i == 0 ? "Cast" : "Cast_1",
                                     form->inputs[i], in, out);
        if (form->inputs[i] == NULL) {
            return false;
        }
    }
    if (!form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "T", out);
    return form_close(form);
}

// TensorFlow has other ops for numbers in strings.
bool form_cast(Form *form)
{
    DType from = form_in(form, 0).dtype, to = form_out(form).dtype;
    if (from == DT_STRING || to == DT_STRING) {
        return form_refuse(form, "strings");
    }
    if (!form_begin(form, "Cast") || !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "SrcT", from);
    gd_attr_type(form_text(form), "DstT", to);
    return form_close(form);
}

// An operand as a matrix, or a batch of them: a vector gets an axis at `axis`.
static const char *as_matrix(Form *form, uint32_t operand, int64_t axis)
{
    const char *x = form->inputs[operand];
    TensorType type = form_in(form, operand);
    return type.rank > 1
               ? x
               : step_2(form, "ExpandDims", x, step_int(form, "axis", axis),
                        TYPES({"T", "Tdim"}, {type.dtype, DT_INT32}));
}

// The product as if no operand were a vector, less the axes of those that are.
static bool write_vectors(Form *form, const char *op)
{
    TensorType a = form_in(form, 0), b = form_in(form, 1);
    if (!step_begin(form)) {
        return false;
    }
    const char *product =
        step_2(form, op, as_matrix(form, 0, 0), as_matrix(form, 1, 1),
               TYPES({"T"}, {a.dtype}));
    if (a.rank == 1) {
        product =
            step_gather(form, product, a.dtype, step_int(form, "row", 0), -2);
    }
    if (b.rank == 1) {
        product = step_gather(form, product, a.dtype,
                              step_int(form, "column", 0), -1);
    }
    return step_gives(form, 0, product);
}

// BatchMatMulV2 broadcasts its batches as `matmul` does.
bool form_matmul(Form *form)
{
    TensorType a = form_in(form, 0), b = form_in(form, 1);
    if (a.rank < 1 || b.rank < 1) {
        return form_refuse(form, "operands of unknown rank");
    }
    const char *op = a.rank <= 2 && b.rank <= 2 ? "MatMul" : "BatchMatMulV2";
    return a.rank == 1 || b.rank == 1 ? write_vectors(form, op)
                                      : form_typed(form, op);
}

// Ops on square matrices, by name.
// All of them work on batches in TensorFlow as well.
bool form_linalg(Form *form)
{
    return form_typed(form, form->node->op == OP_INV     ? "MatrixInverse"
                            : form->node->op == OP_SOLVE ? "MatrixSolve"
                            : form->node->op == OP_DET   ? "MatrixDeterminant"
                                                         : "Cholesky");
}

// The axes of a reduction: an operand; none given means all of them.
const char *form_axes(Form *form)
{
    static const char part[] = "reduction_indices";
    const AttrValue *axis = form->node->attrs;
    int64_t all[SHAPE_MAX_RANK];
    int rank = form_in(form, 0).rank;
    if (axis->kind == ATTR_INT && axis->integer != ATTR_INT_NONE) {
        return form_const(form, part, &axis->integer, 0, 1);
    }
    if (axis->kind == ATTR_INTS) {
        return form_const(form, part, axis->ints, 1, axis->count);
    }
    if (rank < 0) {
        form_refuse(form, "an operand of unknown rank");
        return NULL;
    }
    for (int i = 0; i < rank; i++) {
        all[i] = i;
    }
    return form_const(form, part, all, 1, rank);
}

// Small ints and bools are added up as int32.
bool form_reduction(Form *form)
{
    const char *op = op_desc(form->node->op)->graphdef;
    DType in = form_in(form, 0).dtype, out = form_out(form).dtype;
    if (!form_begin(form, op)) {
        return false;
    }
    // TensorFlow's sums have the dtype of their operand, so the cast comes
    // first.
    if (in != out) {
        form->inputs[0] = write_cast(form, "Cast", form->inputs[0], in, out);
        if (form->inputs[0] == NULL) {
            return false;
        }
    }
    const char *axes = form_axes(form);
    form->inputs[form->count++] = axes;
    if (axes == NULL || !form_open(form)) {
        return false;
    }
    // Any and All are of bools alone and have no T.
    if (form->node->op != OP_ANY && form->node->op != OP_ALL) {
        gd_attr_type(form_text(form), "T", out);
    }
    gd_attr_bool(form_text(form), "keep_dims", form_bool(form, 1));
    gd_attr_type(form_text(form), "Tidx", DT_INT32);
    return form_close(form);
}

// As many ones, as a shape.
static const char *unit_shape(Form *form, int rank)
{
    int64_t ones[SHAPE_MAX_RANK];
    for (int i = 0; i < rank; i++) {
        ones[i] = 1;
    }
    return form_const(form, "shape", ones, 1, rank);
}

// Without an axis the operand is first made a vector, as NumPy has it: the
// index is then one into that. ArgMax has no keepdims: the axis comes back.
bool form_arg_reduction(Form *form)
{
    const char *op = op_desc(form->node->op)->graphdef;
    DType dtype = form_in(form, 0).dtype, out = form_out(form).dtype;
    int64_t axis = form_int(form, 0, ATTR_INT_NONE);
    bool flat = axis == ATTR_INT_NONE, keep = form_bool(form, 1);
    int rank = form_in(form, 0).rank;
    if (keep && flat && rank < 0) {
        return form_refuse(form, "keepdims of an unknown rank");
    }
    if (!form_begin(form, op)) {
        return false;
    }
    form->inputs[0] =
        flat ? step_flat(form, form->inputs[0], dtype) : form->inputs[0];
    const char *dimension = step_int(form, "dimension", flat ? 0 : axis);
    if (!keep) {
        form->inputs[form->count++] = dimension;
        if (form->inputs[0] == NULL || dimension == NULL || !form_open(form)) {
            return false;
        }
        gd_attr_type(form_text(form), "T", dtype);
        gd_attr_type(form_text(form), "Tidx", DT_INT32);
        gd_attr_type(form_text(form), "output_type", out);
        return form_close(form);
    }
    const char *at =
        step_2(form, op, form->inputs[0], dimension,
               TYPES({"T", "Tidx", "output_type"}, {dtype, DT_INT32, out}));
    at = flat ? step_reshape(form, at, unit_shape(form, rank), out)
              : step_2(form, "ExpandDims", at, dimension,
                       TYPES({"T", "Tdim"}, {out, DT_INT32}));
    return step_gives(form, 0, at);
}

// Running sums and products along one axis; without one, of all elements in
// their order.
bool form_scan(Form *form)
{
    const char *op = op_desc(form->node->op)->graphdef;
    DType in = form_in(form, 0).dtype, out = form_out(form).dtype;
    int64_t axis = form_int(form, 0, ATTR_INT_NONE);
    if (!form_begin(form, op)) {
        return false;
    }
    // Small ints are summed up as int32.
    const char *x = step_cast(form, form->inputs[0], in, out);
    if (axis == ATTR_INT_NONE) {
        axis = 0;
        x = form_in(form, 0).rank == 1 ? x : step_flat(form, x, out);
    }
    form->inputs[0] = x;
    if (x == NULL || !form_ints(form, "axis", &axis, 0, 1) ||
        !form_open(form)) {
        return false;
    }
    gd_attr_type(form_text(form), "T", out);
    gd_attr_type(form_text(form), "Tidx", DT_INT32);
    gd_attr_bool(form_text(form), "exclusive", form_bool(form, 1));
    gd_attr_bool(form_text(form), "reverse", form_bool(form, 2));
    return form_close(form);
}

// softmax and its logarithm, which TensorFlow has along the last axis only:
// another one changes places with it.
bool form_last_axis(Form *form)
{
    const char *op = op_desc(form->node->op)->graphdef;
    int64_t axis = form_int(form, 0, -1);
    TensorType type = form_in(form, 0);
    if (axis == -1 || axis == type.rank - 1) {
        return form_typed(form, op);
    }
    if (type.rank < 0) {
        return form_refuse(form, "an operand of unknown rank");
    }
    int at = (int)(axis < 0 ? axis + type.rank : axis);
    if (!step_begin(form)) {
        return false;
    }
    const char *x = step_swap(form, form->inputs[0], type, at);
    x = step_1(form, op, x, TYPES({"T"}, {type.dtype}));
    return step_gives(form, 0, step_swap(form, x, type, at));
}

// By the table; what it does not have may still be an elementwise op with a
// name.
// False: an error is pending; a form of NULL means the op has no row in the
// table.
bool graphdef_plain(NodeScope *scope, const GraphNode *node)
{
    // The table has only what differs from its neighbours; OP_COUNT pointers,
    // most of them NULL.
    static const FormFn forms[OP_COUNT] = {
#define FORM(op, form) [OP_##op] = form_##form,
#include "export/graphdef_list.h"
#undef FORM
    };
    const OpDesc *desc = op_desc(node->op);
    Form form = {.scope = scope, .node = node};
    if (forms[node->op] != NULL) {
        return forms[node->op](&form);
    }
    return desc->graphdef != NULL && desc->flags & OP_ELEMENTWISE &&
                   node->input_count > 0
               ? form_plain(&form)
               : scope_refuse(scope, node, NULL);
}
