// Writing the nodes of ordinary ops: elementwise ones, products, reductions.
//
// What is an attribute in Duet and an operand in TensorFlow (axes) becomes a
// constant of its own.
#include "graph/graphdef_scope.h"

#include <string.h>

#include "graph/graphdef_text.h"

// A list of ints that is an attribute here and an operand there.
static const char *write_ints(Scope *scope, const char *base,
                              const int64_t *ints, int rank, int64_t count)
{
    Ctx *ctx = scope->writer->ctx;
    Tensor *tensor = tensor_new(ctx, DT_INT32, rank, &count);
    if (tensor == NULL) {
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) {
        ((int32_t *)tensor->data)[i] = (int32_t)ints[i];
    }
    const char *ref = scope_const(scope, base, tensor);
    object_release(ctx, tensor);
    return ref;
}

// Axes of a reduction: an operand; none given means all of them.
static const char *write_axes(Scope *scope, const GraphNode *node,
                              const char *name)
{
    const char *base = scope_print(scope, "%s/reduction_indices", name);
    const AttrValue *axis = node->attrs;
    int64_t all[SHAPE_MAX_RANK];
    if (base == NULL) {
        return NULL;
    }
    if (axis->kind == ATTR_INT) {
        return write_ints(scope, base, &axis->integer, 0, 1);
    }
    if (axis->kind == ATTR_INTS) {
        return write_ints(scope, base, axis->ints, 1, axis->count);
    }
    int rank = graph_type(scope->graph, node->inputs[0]).rank;
    if (rank < 0) {
        scope_refuse(scope, node);
        return NULL;
    }
    for (int i = 0; i < rank; i++) {
        all[i] = i;
    }
    return write_ints(scope, base, all, 1, rank);
}

static bool is_reduction(const char *op)
{
    static const char *const names[] = {"Sum", "Prod", "Mean", "Max",
                                        "Min", "Any",  "All"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], op) == 0) {
            return true;
        }
    }
    return false;
}

static void reduction_attrs(Scope *scope, const GraphNode *node)
{
    bool keep = op_desc(node->op)->attr_count > 1 &&
                node->attrs[1].kind == ATTR_BOOL && node->attrs[1].boolean;
    gd_attr_bool(&scope->text, "keep_dims", keep);
    gd_attr_type(&scope->text, "Tidx", DT_INT32);
}

// The op's type attributes: T from the operand that has the value's type.
static void type_attrs(Scope *scope, const GraphNode *node, const char *op)
{
    TensorType in = graph_type(scope->graph,
                               node->inputs[node->input_count - 1]);
    TensorType out = graph_type(scope->graph, node->first_output);
    if (strcmp(op, "Cast") == 0) {
        gd_attr_type(&scope->text, "SrcT", in.dtype);
        gd_attr_type(&scope->text, "DstT", out.dtype);
    } else if (strncmp(op, "Logical", 7) != 0 && strcmp(op, "Any") != 0 &&
               strcmp(op, "All") != 0) {
        gd_attr_type(&scope->text, "T", in.dtype);
    }
}

static bool writable(const OpDesc *desc, const GraphNode *node)
{
    const char *op = desc->graphdef;
    if (op == NULL || node->output_count != 1 || node->input_count == 0) {
        return false;
    }
    return desc->flags & OP_ELEMENTWISE || is_reduction(op) ||
           strcmp(op, "BatchMatMulV2") == 0 || strcmp(op, "MatMul") == 0;
}

bool graphdef_plain(Scope *scope, const GraphNode *node)
{
    const OpDesc *desc = op_desc(node->op);
    const char *op = desc->graphdef;
    if (!writable(desc, node)) {
        return scope_refuse(scope, node);
    }
    if (strcmp(op, "BatchMatMulV2") == 0 &&
        graph_type(scope->graph, node->inputs[0]).rank == 2 &&
        graph_type(scope->graph, node->inputs[1]).rank == 2) {
        op = "MatMul";
    }
    const char *name = scope_name(scope, gd_base_name(op));
    const char **inputs =
        name != NULL ? scope_use_all(scope, node, name, 1) : NULL;
    uint32_t count = node->input_count;
    if (inputs == NULL) {
        return false;
    }
    if (is_reduction(op)) {
        inputs[count] = write_axes(scope, node, name);
        if (inputs[count++] == NULL) {
            return false;
        }
    }
    if (!scope_node(scope, name, op, inputs, count)) {
        return false;
    }
    type_attrs(scope, node, op);
    if (is_reduction(op)) {
        reduction_attrs(scope, node);
    }
    return scope_set_refs(scope, node, name, op) && scope_close_node(scope);
}
