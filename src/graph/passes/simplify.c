// Algebraic identities that hold bit for bit: x * 1, x + 0 of ints, not not x,
// a cast or reshape to what the operand is, maximum(x, x), ….
//
// What only nearly holds for floats stays: x + 0.0 turns -0.0 into 0.0, x - x
// is NaN where x is. (Operations quieten a signalling NaN, which no operation
// makes; the identities leave it.) Nodes that lose their users are left for
// the pass that drops dead code.
#include <math.h>

#include "graph/passes/pass.h"

#include "graph/rewrite.h"

enum { SIMPLIFY_MAX_CONST = 1024 }; // elements of a constant that are read

// Sets of dtypes, as the rows of identity_list.h name them.
enum { INTS = 1, FLOATS = 2, NUMBERS = INTS | FLOATS, BOOLS = 4 };

// A row of identity_list.h.
typedef struct Neutral {
    OpCode op;
    uint8_t operand; // 0, 1, or 2 for either
    uint8_t dtypes;  // bits
    double value;
} Neutral;

// A new identity of this form is a row of the list.
static const Neutral neutrals[] = {
#define NEUTRAL(op, operand, dtypes, value) {OP_##op, operand, dtypes, value},
#define BECOMES(op, dtypes, value, other)
#include "graph/passes/identity_list.h"
#undef NEUTRAL
#undef BECOMES
};

// The other rows.
typedef struct Becomes {
    OpCode op, other;
    uint8_t dtypes;
    double value;
} Becomes;

static const Becomes becomings[] = {
#define NEUTRAL(op, operand, dtypes, value)
#define BECOMES(op, dtypes, value, other) {OP_##op, OP_##other, dtypes, value},
#include "graph/passes/identity_list.h"
#undef NEUTRAL
#undef BECOMES
};

// The set that the dtype is in, 0 for strings.
static int dtype_bit(DType dtype)
{
    return dtype == DT_BOOL          ? BOOLS
           : dtype_is_integer(dtype) ? INTS
           : dtype_is_float(dtype)   ? FLOATS
                                     : 0;
}

// Whether every element is `value`, a zero's sign included.
static bool is_uniform(const Tensor *tensor, double value)
{
    if (tensor->count == 0 || tensor->count > SIMPLIFY_MAX_CONST) {
        return false;
    }
    for (int64_t i = 0; i < tensor->count; i++) {
        double element = tensor_float_at(tensor, i);
        // signbit gives any nonzero number; ! makes the two comparable.
        if (element != value || !signbit(element) != !signbit(value)) {
            return false;
        }
    }
    return true;
}

// Whether the node's output always has the type of `value`, though operand
// `other` broadcasts against it.
static bool keeps_type(const Graph *graph, const GraphNode *node, ValueId value,
                       const Tensor *other)
{
    TensorType type = graph_type(graph, value);
    // Equal types with unknown sizes do not prove equal shapes: only one
    // element of no higher rank surely leaves the other operand's shape.
    if (!graph_type_equal(type, graph_type(graph, node->first_output))) {
        return false;
    }
    return shape_is_static(type.rank, type.dims) ||
           (other->count == 1 &&
            other->rank <= (type.rank > 0 ? type.rank : 0));
}

// x op neutral, neutral op x: the operand that stays.
static ValueId find_neutral(const Graph *graph, GraphNode *node)
{
    DType dtype = graph_type(graph, node->inputs[0]).dtype;
    for (size_t i = 0; i < sizeof neutrals / sizeof neutrals[0]; i++) {
        const Neutral *row = &neutrals[i];
        if (row->op != node->op || !(row->dtypes & dtype_bit(dtype))) {
            continue;
        }
        // k is the side of the constant, the other side stays.
        for (uint32_t k = 0; k < 2; k++) {
            const Tensor *tensor = graph_constant(graph, node->inputs[k]);
            ValueId stays = node->inputs[1 - k];
            if ((row->operand == 2 || row->operand == k) && tensor != NULL &&
                is_uniform(tensor, row->value) &&
                keeps_type(graph, node, stays, tensor)) {
                return stays;
            }
        }
    }
    return VALUE_ID_NONE;
}

// x op constant becomes another op of x, and nothing takes its place.
static ValueId become(const Graph *graph, GraphNode *node)
{
    DType dtype = graph_type(graph, node->inputs[0]).dtype;
    for (size_t i = 0; i < sizeof becomings / sizeof becomings[0]; i++) {
        const Becomes *row = &becomings[i];
        if (row->op != node->op || !(row->dtypes & dtype_bit(dtype))) {
            continue;
        }
        const Tensor *tensor = graph_constant(graph, node->inputs[1]);
        if (tensor != NULL && is_uniform(tensor, row->value) &&
            keeps_type(graph, node, node->inputs[0], tensor)) {
            node->op = row->other;
            node->input_count = 1;
            break;
        }
    }
    return VALUE_ID_NONE;
}

// Ops that are their own inverse: f(f(x)) is x.
static bool is_involution(OpCode op)
{
    return op == OP_NEGATIVE || op == OP_LOGICAL_NOT ||
           op == OP_BITWISE_INVERT || op == OP_MATRIX_TRANSPOSE;
}

// Ops for which f(f(x)) is f(x).
static bool is_idempotent(OpCode op)
{
    return op == OP_ABS || op == OP_RELU || op == OP_SIGN || op == OP_FLOOR ||
           op == OP_CEIL || op == OP_TRUNC || op == OP_ROUND;
}

// Ops for which f(x, x) is x.
static bool is_selective(OpCode op)
{
    return op == OP_MAXIMUM || op == OP_MINIMUM || op == OP_LOGICAL_AND ||
           op == OP_LOGICAL_OR || op == OP_BITWISE_AND || op == OP_BITWISE_OR;
}

// f(f(x)) and f(x, x).
static ValueId find_repeated(const Graph *graph, GraphNode *node)
{
    const GraphNode *inner = graph_value(graph, node->inputs[0])->node;
    // An operand of unknown rank may be none that the op takes.
    bool sure = node->op != OP_MATRIX_TRANSPOSE ||
                graph_type(graph, node->inputs[0]).rank >= 0;
    if (node->input_count == 1 && inner != NULL && inner->op == node->op &&
        sure) {
        return is_involution(node->op)   ? inner->inputs[0]
               : is_idempotent(node->op) ? node->inputs[0]
                                         : VALUE_ID_NONE;
    }
    bool twice = node->input_count == 2 && node->inputs[0] == node->inputs[1];
    return twice && is_selective(node->op) ? node->inputs[0] : VALUE_ID_NONE;
}

// Casts to the dtype that is there; changes of shape that change nothing,
// and joins of one, which a static shape proves (else they may fail).
static ValueId find_idle(const Graph *graph, GraphNode *node)
{
    TensorType in = graph_type(graph, node->inputs[0]);
    TensorType out = graph_type(graph, node->first_output);
    bool idle = false;
    switch (node->op) {
    case OP_CAST: idle = in.dtype == out.dtype; break;
    case OP_RESHAPE:
    case OP_BROADCAST_TO:
    case OP_SQUEEZE:
    case OP_CONCAT:
        idle = node->input_count == 1 && shape_is_static(in.rank, in.dims) &&
               graph_type_equal(in, out);
        break;
    case OP_ENSURE_SHAPE: idle = graph_type_equal(in, out); break;
    case OP_SUM_TO_SHAPE:
        idle = shape_is_static(in.rank, in.dims) && graph_type_equal(in, out);
        break;
    default: break;
    }
    return idle ? node->inputs[0] : VALUE_ID_NONE;
}

// where(c, a, b) with a constant condition of one element.
static ValueId find_chosen(const Graph *graph, GraphNode *node)
{
    const Tensor *condition = node->op == OP_WHERE && node->input_count == 3
                                  ? graph_constant(graph, node->inputs[0])
                                  : NULL;
    if (condition == NULL || condition->count != 1) {
        return VALUE_ID_NONE;
    }
    // The three operands broadcast: the chosen one stands for the result only
    // if it has the result's shape already.
    ValueId value = node->inputs[tensor_int_at(condition, 0) ? 1 : 2];
    TensorType type = graph_type(graph, value);
    return shape_is_static(type.rank, type.dims) &&
                   graph_type_equal(type, graph_type(graph, node->first_output))
               ? value
               : VALUE_ID_NONE;
}

// Whether a matrix has ones on its diagonal and zeros elsewhere.
static bool is_identity(const Tensor *tensor)
{
    const int64_t *dims = tensor_dims(tensor);
    if (tensor->rank != 2 || dims[0] != dims[1] ||
        tensor->count > SIMPLIFY_MAX_CONST) {
        return false;
    }
    for (int64_t i = 0; i < tensor->count; i++) {
        // In row-major order ones are dims[0] + 1 elements apart.
        if (tensor_int_at(tensor, i) != (i % (dims[0] + 1) == 0)) {
            return false;
        }
    }
    return true;
}

// A product with the identity; of ints only: inf * 0.0 is NaN.
static ValueId find_product(const Graph *graph, GraphNode *node)
{
    TensorType out = graph_type(graph, node->first_output);
    if (node->op != OP_MATMUL || !dtype_is_integer(out.dtype)) {
        return VALUE_ID_NONE;
    }
    for (uint32_t i = 0; i < 2; i++) {
        const Tensor *tensor = graph_constant(graph, node->inputs[i]);
        TensorType other = graph_type(graph, node->inputs[1 - i]);
        if (tensor != NULL && is_identity(tensor) &&
            shape_is_static(other.rank, other.dims) &&
            graph_type_equal(other, out)) {
            return node->inputs[1 - i];
        }
    }
    return VALUE_ID_NONE;
}

// A reshape of a reshape takes the first one's operand.
static void skip_reshape(const Graph *graph, GraphNode *node)
{
    const GraphNode *inner = graph_value(graph, node->inputs[0])->node;
    TensorType out = graph_type(graph, node->first_output);
    if (node->op == OP_RESHAPE && node->input_count == 1 && inner != NULL &&
        inner->op == OP_RESHAPE && inner->input_count == 1 &&
        shape_is_static(out.rank, out.dims)) {
        TensorType in = graph_type(graph, inner->inputs[0]);
        TensorType between = graph_type(graph, node->inputs[0]);
        // Where the first may fail, its failure would be lost.
        if (shape_is_static(in.rank, in.dims) &&
            shape_is_static(between.rank, between.dims)) {
            node->inputs[0] = inner->inputs[0];
        }
    }
}

// Gradients have been taken before a graph is made to run.
static bool skip_gradient(Rewrite *rewrite, const GraphNode *node)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ok = rewrite_value(rewrite, node_output(node, i), node->inputs[i]);
    }
    return ok;
}

// The first identity that holds is taken; what stands for the node was
// simplified before.
static bool simplify(Rewrite *rewrite, GraphNode *node)
{
    static ValueId (*const find[])(const Graph *graph, GraphNode *node) = {
        find_neutral, become,      find_repeated,
        find_idle,    find_chosen, find_product};
    Graph *graph = rewrite->graph;
    ValueId stays = VALUE_ID_NONE;
    if (node->op == OP_CUSTOM_GRADIENT) {
        return skip_gradient(rewrite, node);
    }
    if (!graph_infer_applies(node) || graph_has_effects(node) ||
        node->input_count == 0 || node->output_count != 1) {
        return true;
    }
    skip_reshape(graph, node);
    for (size_t i = 0; stays == VALUE_ID_NONE && i < sizeof find / sizeof *find;
         i++) {
        stays = find[i](graph, node);
    }
    return stays == VALUE_ID_NONE ||
           rewrite_value(rewrite, node->first_output, stays);
}

// One walk: operands come before their users.
bool simplify_run(Graph *graph)
{
    Rewrite rewrite = {.graph = graph};
    bool ok = true;
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        rewrite_uses(&rewrite, &walk);
        ok = walk.node == NULL || simplify(&rewrite, walk.node);
    }
    rewrite_free(&rewrite);
    return ok;
}
