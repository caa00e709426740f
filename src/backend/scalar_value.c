// Values of a loop over few numbers, and the ops that make them.
//
// Each element has a register of its own, so that views, stack and concat are
// nothing but other names, and sums are chains of additions.
#include <string.h>

#include "backend/scalar_compile.h"
#include "backend/tile.h"
#include "ops/infer.h"
#include "ops/reduce.h"

// What the list has a plain instruction for; SCALAR_KERNEL: nothing.
static ScalarCode plain_code(OpCode op, DType dtype)
{
    static const struct {
        OpCode op;
        DType dtype;
        ScalarCode code;
    } rows[] = {
#define SCALAR(op, dtype, T, R, expression)                                    \
    {OP_##op, DT_##dtype, SCALAR_##op##_##dtype},
#include "backend/scalar_list.h"
#undef SCALAR
    };
    // A walk over the list: compiling is rare and the list short.
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].op == op && rows[i].dtype == dtype) {
            return rows[i].code;
        }
    }
    return SCALAR_KERNEL;
}

// ---- what fits

// Strings and lists are counted objects, which registers cannot hold.
uint32_t scalar_count(const Graph *graph, ValueId value)
{
    TensorType type = graph_type(graph, value);
    int64_t count = tile_count(type);
    return type.dtype == DT_STRING || dtype_is_list(type.dtype) || count < 0 ||
                   count > SCALAR_ELEMENTS
               ? 0
               : (uint32_t)count;
}

// The op that puts two elements of a reduction together, or chooses between
// them.
static OpCode fold_op(ReduceId id)
{
    static const OpCode ops[REDUCE_COUNT] = {
        [REDUCE_SUM] = OP_ADD,        [REDUCE_PROD] = OP_MULTIPLY,
        [REDUCE_MAX] = OP_GREATER,    [REDUCE_MIN] = OP_LESS,
        [REDUCE_ANY] = OP_LOGICAL_OR, [REDUCE_ALL] = OP_LOGICAL_AND};
    return ops[id];
}

// The reduction that the node is, of what its op has an instruction for.
static bool find_reduction(const Builder *builder, const GraphNode *node,
                           ReduceEnd *end)
{
    const OpDesc *op = node_desc(node);
    TensorType in = graph_type(builder->graph, node->inputs[0]);
    return op->ends != 0 &&
           graph_type(builder->graph, node->first_output).dtype == in.dtype &&
           reduce_end(builder->ctx, op, node->attrs, in, end) &&
           plain_code(fold_op(end->id), in.dtype) != SCALAR_KERNEL;
}

// The axis along which the node puts its operands together, from the front.
static bool find_joint(const Builder *builder, const GraphNode *node, int *axis)
{
    int rank = graph_type(builder->graph, node->first_output).rank;
    return (node->op == OP_STACK || node->op == OP_CONCAT) &&
           infer_axis(builder->ctx, node_desc(node)->name, &node->attrs[0],
                      rank, 0, axis);
}

// A product of matrices or vectors, as [rows, depth] and [depth, columns].
typedef struct SmallProduct {
    uint32_t rows, depth, columns;
    bool dot; // of vectors of floats, which add as a sum does
} SmallProduct;

static bool find_product(const Builder *builder, const GraphNode *node,
                         SmallProduct *product)
{
    if (node->op != OP_MATMUL) {
        return false;
    }
    TensorType a = graph_type(builder->graph, node->inputs[0]);
    TensorType b = graph_type(builder->graph, node->inputs[1]);
    if (a.rank < 1 || a.rank > 2 || b.rank < 1 || b.rank > 2 ||
        plain_code(OP_MULTIPLY, a.dtype) == SCALAR_KERNEL) {
        return false;
    }
    *product = (SmallProduct){a.rank > 1 ? (uint32_t)a.dims[0] : 1,
                              (uint32_t)b.dims[0],
                              b.rank > 1 ? (uint32_t)b.dims[1] : 1,
                              a.rank + b.rank == 2 && dtype_is_float(a.dtype)};
    return true;
}

// Whether the result has the operand's elements in their order.
static bool is_reshaped(const GraphNode *node)
{
    return node_desc(node)->kernel == infer_view &&
           !(node_desc(node)->flags & OP_MAY_FAIL);
}

bool scalar_fits(const Builder *builder, const GraphNode *node)
{
    SmallProduct product;
    ReduceEnd end;
    OpView view;
    int axis;
    if (node->output_count == 0) {
        return false; // an assert, which a program cannot tell of
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        ValueId source = builder_source(builder, node->inputs[i]);
        if (scalar_count(builder->graph, source) == 0 ||
            // It may begin elsewhere in each turn.
            (source != node->inputs[i] &&
             !tile_find_view(builder, node->inputs[i], &view))) {
            return false;
        }
    }
    return node_tensor(node) != NULL || builder_has_body(builder, node) ||
           is_reshaped(node) || find_joint(builder, node, &axis) ||
           tile_find_view(builder, node->first_output, &view) ||
           find_reduction(builder, node, &end) ||
           find_product(builder, node, &product);
}

// ---- registers

bool scalar_append(ScalarCompiler *c, ScalarOp op)
{
    // Too long is no failure, so that true is returned.
    c->full = c->full || c->code.count >= SCALAR_MAX_CODE;
    return c->full || vec_push(c->builder->ctx, &c->code, op);
}

bool scalar_move(ScalarCompiler *c, uint16_t out, uint16_t in)
{
    return out == in || scalar_append(c, (ScalarOp){.code = SCALAR_MOVE,
                                                    .out = out,
                                                    .in = {in},
                                                    .in_count = 1,
                                                    .count = 1});
}

// Past the last one the compiler goes on without harm and gives up at its end.
ScalarRegs scalar_new(ScalarCompiler *c, DType dtype, uint32_t count)
{
    ScalarRegs regs = {{0}};
    c->full = c->full || c->reg_count + count > SCALAR_MAX_REGS;
    for (uint32_t i = 0; !c->full && i < count; i++) {
        c->dtypes[c->reg_count] = (uint8_t)dtype;
        regs.at[i] = (uint16_t)c->reg_count++;
    }
    return regs;
}

// A number that is put in place when a run begins and never written.
static uint16_t constant(ScalarCompiler *c, DType dtype, double number)
{
    uint16_t reg = scalar_new(c, dtype, 1).at[0];
    float narrow = (float)number;
    if (dtype == DT_FLOAT32) {
        memcpy(&c->initial[reg], &narrow, sizeof narrow);
    } else if (dtype == DT_FLOAT64) {
        memcpy(&c->initial[reg], &number, sizeof number);
    } else {
        c->initial[reg] = (uint64_t)(int64_t)number;
    }
    return reg;
}

bool scalar_set(ScalarCompiler *c, ValueId value, const ScalarRegs *regs)
{
    uint64_t index = c->values.count;
    return vec_push(c->builder->ctx, &c->values, *regs) &&
           map_put(&c->known, (const char *)&value, sizeof value, index);
}

// Where each of the elements is among those of what it is a view of.
static bool look_through(ScalarCompiler *c, ValueId value, const OpView *view,
                         ValueId source, ScalarRegs *regs)
{
    TensorType type = graph_type(c->builder->graph, value);
    ScalarRegs from;
    if (!scalar_find(c, source, &from)) {
        return false;
    }
    for (int64_t i = 0; i < tile_count(type); i++) {
        int64_t at = view->start, rest = i;
        for (int axis = type.rank - 1; axis >= 0; axis--) {
            at += rest % type.dims[axis] * view->steps[axis];
            rest /= type.dims[axis];
        }
        regs->at[i] = from.at[at];
    }
    return true;
}

// What comes from outside: a constant there is as good as one inside, and other
// values have slots already, since plan.c lays out in program order.
static bool take_in(ScalarCompiler *c, ValueId value, ScalarRegs *regs)
{
    const Graph *graph = c->builder->graph;
    DType dtype = graph_type(graph, value).dtype;
    const Tensor *tensor = graph_constant(graph, value);
    uint32_t count = scalar_count(graph, value);
    size_t size = dtype_size(dtype);
    *regs = scalar_new(c, dtype, count);
    for (uint32_t i = 0; tensor != NULL && !c->full && i < count; i++) {
        memcpy(&c->initial[regs->at[i]], (const char *)tensor->data + i * size,
               size);
    }
    ScalarInput input = {c->builder->slots[value], regs->at[0], (uint16_t)size,
                         (uint16_t)count};
    return tensor != NULL || vec_push(c->builder->ctx, &c->inputs, input);
}

bool scalar_find(ScalarCompiler *c, ValueId value, ScalarRegs *regs)
{
    ValueId source = builder_source(c->builder, value);
    OpView view;
    const uint64_t *known =
        map_get(&c->known, (const char *)&value, sizeof value);
    if (known != NULL) {
        *regs = c->values.items[*known];
        return true;
    }
    bool ok = source != value && tile_find_view(c->builder, value, &view)
                  ? look_through(c, value, &view, source, regs)
                  : take_in(c, value, regs);
    return ok && scalar_set(c, value, regs);
}

// ---- ops

static bool append_plain(ScalarCompiler *c, OpCode op, DType dtype,
                         uint16_t out, uint16_t a, uint16_t b)
{
    ScalarCode code = plain_code(op, dtype);
    return scalar_append(c, (ScalarOp){.code = (uint16_t)code,
                                       .out = out,
                                       .in = {a, b},
                                       .in_count = 2,
                                       .count = 1});
}

// The registers in a row, as kernels want them.
static bool line_up(ScalarCompiler *c, ScalarRegs *regs, uint32_t count)
{
    uint32_t i = 1;
    while (i < count && regs->at[i] == regs->at[0] + i) {
        i++;
    }
    if (i >= count) {
        return true;
    }
    ScalarRegs row = scalar_new(c, (DType)c->dtypes[regs->at[0]], count);
    for (i = 0; i < count; i++) {
        if (!scalar_move(c, row.at[i], regs->at[i])) {
            return false;
        }
    }
    *regs = row;
    return true;
}

// What has no instruction: one call for all elements.
static bool compile_kernel(ScalarCompiler *c, const GraphNode *node, DType out,
                           uint32_t count, ScalarRegs *in, ScalarRegs *to)
{
    DType dtype = graph_type(c->builder->graph, node->inputs[0]).dtype;
    ScalarOp op = {.code = SCALAR_KERNEL,
                   .node = node,
                   .in_count = (uint16_t)node->input_count,
                   .count = (uint16_t)count};
    op.kernel =
        op_kernel(c->builder->ctx, node->op, dtype, out, node->attrs, 0);
    if (op.kernel == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < node->input_count; k++) {
        if (!line_up(c, &in[k], count)) {
            return false;
        }
        op.in[k] = in[k].at[0];
    }
    *to = scalar_new(c, out, count);
    op.out = to->at[0];
    c->calls += count > 1;
    return scalar_append(c, op);
}

// A number as all of a value's elements.
static ScalarRegs all_of(ScalarCompiler *c, DType dtype, double number)
{
    ScalarRegs regs;
    uint16_t reg = constant(c, dtype, number);
    for (uint32_t i = 0; i < SCALAR_ELEMENTS; i++) {
        regs.at[i] = reg;
    }
    return regs;
}

// Some are other ops, of which a number or the operand itself is the second
// operand.
static OpCode rewrite(ScalarCompiler *c, OpCode code, DType dtype,
                      ScalarRegs *in, uint16_t *in_count)
{
    if (code == OP_NEGATIVE && dtype_is_float(dtype) &&
        plain_code(OP_MULTIPLY, dtype) != SCALAR_KERNEL) {
        in[1] = all_of(c, dtype, -1);
        *in_count = 2;
        return OP_MULTIPLY;
    }
    if (code == OP_SQUARE && plain_code(OP_MULTIPLY, dtype) != SCALAR_KERNEL) {
        in[1] = in[0];
        *in_count = 2;
        return OP_MULTIPLY;
    }
    // An instruction of two operands, of which the second counts.
    if (code == OP_SQRT) {
        in[1] = in[0];
    }
    return code;
}

// The operands' elements beside those of the result, to which they broadcast.
static bool find_operands(ScalarCompiler *c, const GraphNode *node,
                          ScalarRegs *in)
{
    const Graph *graph = c->builder->graph;
    TensorType out = graph_type(graph, node->first_output);
    for (uint32_t k = 0; k < node->input_count; k++) {
        OpView view;
        tile_dense_view(graph_type(graph, node->inputs[k]), out, &view);
        if (!look_through(c, node->first_output, &view, node->inputs[k],
                          &in[k])) {
            return false;
        }
    }
    return true;
}

// Instructions are chosen by the first operand's dtype: the graph's types agree
// already, and `where` has an instruction of its own.
static bool compile_elementwise(ScalarCompiler *c, const GraphNode *node,
                                uint32_t count, ScalarRegs *to)
{
    const Graph *graph = c->builder->graph;
    DType dtype = graph_type(graph, node->inputs[0]).dtype;
    DType out = graph_type(graph, node->first_output).dtype;
    uint16_t in_count = (uint16_t)node->input_count;
    ScalarRegs in[SCALAR_OPERANDS];
    if (!find_operands(c, node, in)) {
        return false;
    }
    OpCode code = rewrite(c, node->op, dtype, in, &in_count);
    ScalarCode plain =
        code == OP_WHERE ? SCALAR_SELECT : plain_code(code, dtype);
    if (plain == SCALAR_KERNEL) {
        return compile_kernel(c, node, out, count, in, to);
    }
    // After the operands: the result never shares a register with one.
    *to = scalar_new(c, out, count);
    for (uint32_t i = 0; i < count; i++) {
        ScalarOp op = {
            (uint16_t)plain, to->at[i], {0}, in_count, 1, 0, NULL, node};
        for (uint32_t k = 0; k < SCALAR_OPERANDS; k++) {
            op.in[k] = in[k].at[i];
        }
        if (!scalar_append(c, op)) {
            return false;
        }
    }
    return true;
}

// One of two, as kernels/reduce_body.h has it: the second if `op` holds of it
// and the first, or if it is NaN; a NaN that is first stays.
static bool append_choice(ScalarCompiler *c, OpCode op, DType dtype,
                          uint16_t *first, uint16_t second)
{
    uint16_t mask = scalar_new(c, DT_BOOL, 1).at[0];
    bool ok = append_plain(c, op, dtype, mask, second, *first);
    if (ok && dtype_is_float(dtype)) {
        uint16_t better = mask, nan = scalar_new(c, DT_BOOL, 1).at[0];
        mask = scalar_new(c, DT_BOOL, 1).at[0];
        ok = append_plain(c, OP_NOT_EQUAL, dtype, nan, second, second) &&
             append_plain(c, OP_LOGICAL_OR, DT_BOOL, mask, better, nan);
    }
    uint16_t out = scalar_new(c, dtype, 1).at[0];
    ok = ok && scalar_append(c, (ScalarOp){.code = SCALAR_SELECT,
                                           .out = out,
                                           .in = {mask, second, *first},
                                           .in_count = 3,
                                           .count = 1});
    *first = out;
    return ok;
}

// Puts the second element to the first.
static bool append_fold(ScalarCompiler *c, ReduceId id, DType dtype,
                        uint16_t *first, uint16_t second)
{
    OpCode op = fold_op(id);
    if (id == REDUCE_MAX || id == REDUCE_MIN) {
        return append_choice(c, op, dtype, first, second);
    }
    uint16_t out = scalar_new(c, dtype, 1).at[0];
    bool ok = append_plain(c, op, dtype, out, *first, second);
    *first = out;
    return ok;
}

// Elements fold in halves to the first of them, as kernels/reduce_body.h has
// it: lanes without one change nothing, and that those of a sum begin at 0
// shows in the sign of a zero.
static bool fold_lanes(ScalarCompiler *c, ReduceId id, DType dtype,
                       uint16_t *lanes, int64_t count)
{
    for (int64_t half = SCALAR_ELEMENTS / 2; half > 0; half /= 2) {
        for (int64_t i = half; i < count; i++) {
            if (!append_fold(c, id, dtype, &lanes[i - half], lanes[i])) {
                return false;
            }
        }
        count = count < half ? count : half;
    }
    uint16_t first = lanes[0];
    lanes[0] = id == REDUCE_SUM ? constant(c, dtype, 0) : first;
    return id != REDUCE_SUM || append_fold(c, id, dtype, &lanes[0], first);
}

static bool compile_reduction(ScalarCompiler *c, const GraphNode *node,
                              const ReduceEnd *end, ScalarRegs *to)
{
    DType dtype = graph_type(c->builder->graph, node->first_output).dtype;
    ScalarRegs in;
    if (!scalar_find(c, node->inputs[0], &in)) {
        return false;
    }
    uint16_t divisor = end->divisor != 0 ? constant(c, dtype, end->divisor) : 0;
    for (int64_t row = 0; row < end->rows; row++) {
        uint16_t *lanes = &in.at[row * end->columns];
        if (!fold_lanes(c, end->id, dtype, lanes, end->columns)) {
            return false;
        }
        to->at[row] = lanes[0];
        if (end->divisor != 0) {
            uint16_t sum = to->at[row];
            to->at[row] = scalar_new(c, dtype, 1).at[0];
            if (!append_plain(c, OP_DIVIDE, dtype, to->at[row], sum, divisor)) {
                return false;
            }
        }
    }
    return true;
}

// sum = a * b + sum; floats round once.
static bool append_fused(ScalarCompiler *c, DType dtype, uint16_t a, uint16_t b,
                         uint16_t *sum)
{
    uint16_t before = *sum;
    *sum = scalar_new(c, dtype, 1).at[0];
    if (dtype_is_float(dtype)) {
        ScalarCode code = dtype == DT_FLOAT32 ? SCALAR_FUSED32 : SCALAR_FUSED64;
        return scalar_append(c, (ScalarOp){.code = (uint16_t)code,
                                           .out = *sum,
                                           .in = {a, b, before},
                                           .in_count = 3,
                                           .count = 1});
    }
    uint16_t product = scalar_new(c, dtype, 1).at[0];
    return append_plain(c, OP_MULTIPLY, dtype, product, a, b) &&
           append_plain(c, OP_ADD, dtype, *sum, product, before);
}

// As ops/product_dot.c has it.
static bool compile_dot(ScalarCompiler *c, DType dtype, const ScalarRegs *a,
                        const ScalarRegs *b, uint32_t depth, ScalarRegs *to)
{
    ScalarRegs products = {{0}};
    for (uint32_t k = 0; k < depth; k++) {
        products.at[k] = scalar_new(c, dtype, 1).at[0];
        if (!append_plain(c, OP_MULTIPLY, dtype, products.at[k], a->at[k],
                          b->at[k])) {
            return false;
        }
    }
    bool ok = fold_lanes(c, REDUCE_SUM, dtype, products.at, depth);
    to->at[0] = products.at[0];
    return ok;
}

// In order of the depth, from 0 on, as kernels/gemm.h defines it.
static bool compile_product(ScalarCompiler *c, const GraphNode *node,
                            const SmallProduct *p, ScalarRegs *to)
{
    DType dtype = graph_type(c->builder->graph, node->first_output).dtype;
    ScalarRegs a, b;
    uint16_t zero = constant(c, dtype, 0);
    if (!scalar_find(c, node->inputs[0], &a) ||
        !scalar_find(c, node->inputs[1], &b)) {
        return false;
    }
    if (p->dot && p->depth > 0) {
        return compile_dot(c, dtype, &a, &b, p->depth, to);
    }
    for (uint32_t i = 0; i < p->rows * p->columns; i++) {
        uint32_t row = i / p->columns, column = i % p->columns;
        to->at[i] = zero;
        for (uint32_t k = 0; k < p->depth; k++) {
            if (!append_fused(c, dtype, a.at[row * p->depth + k],
                              b.at[k * p->columns + column], &to->at[i])) {
                return false;
            }
        }
    }
    return true;
}

// Runs of each operand in turn, as often as the axes in front say.
static bool join(ScalarCompiler *c, const GraphNode *node, int axis,
                 uint32_t count, ScalarRegs *to)
{
    const Graph *graph = c->builder->graph;
    TensorType out = graph_type(graph, node->first_output);
    uint32_t outer = 1, at = 0;
    for (int i = 0; i < axis; i++) {
        outer *= (uint32_t)out.dims[i];
    }
    for (uint32_t i = 0; at < count; i++) {
        for (uint32_t k = 0; k < node->input_count; k++) {
            uint32_t run = scalar_count(graph, node->inputs[k]) / outer;
            ScalarRegs in;
            if (!scalar_find(c, node->inputs[k], &in)) {
                return false;
            }
            memcpy(&to->at[at], &in.at[i * run], run * sizeof in.at[0]);
            at += run;
        }
    }
    return true;
}

bool scalar_compile(ScalarCompiler *c, const GraphNode *node)
{
    ValueId value = node->first_output;
    uint32_t count = scalar_count(c->builder->graph, value);
    ScalarRegs to = {{0}};
    SmallProduct product;
    ReduceEnd end;
    OpView view;
    int axis;
    c->steps += !builder_has_body(c->builder, node);
    bool ok = builder_has_body(c->builder, node)
                  ? compile_elementwise(c, node, count, &to)
              : is_reshaped(node) ? scalar_find(c, node->inputs[0], &to)
              : find_joint(c->builder, node, &axis)
                  ? join(c, node, axis, count, &to)
              : tile_find_view(c->builder, value, &view)
                  ? look_through(c, value, &view, node->inputs[0], &to)
              : find_product(c->builder, node, &product)
                  ? compile_product(c, node, &product, &to)
                  : find_reduction(c->builder, node, &end) &&
                        compile_reduction(c, node, &end, &to);
    return ok && scalar_set(c, value, &to);
}
