// libFuzzer target: the bytes seed a graph of random ops on random operands. It
// must print to a text that is read again; that must run, or fail, node by node
// as by a plan with all passes, twice; and results are of the types that the
// graph says.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/exec.h"
#include "graph/build.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
#include "graph/passes/pass.h"
#include "ops/op.h"

enum { MOST_VALUES = 100, MOST_INPUTS = 24, MOST_RESULTS = 6, MOST_INTS = 8 };

typedef struct Maker {
    Ctx ctx;
    uint64_t state;
    Graph *graph;
    ValueId values[MOST_VALUES];
    uint32_t count;
    Tensor *tensors[MOST_VALUES]; // of the arguments
    uint32_t tensor_count;
    Shape shape; // of the last operand: the next one often has it, and its
    DType dtype; // dtype, or few ops would take both
    int64_t ints[OP_MAX_ATTRS][MOST_INTS];
} Maker;

static void free_tensor(Ctx *ctx, Object *object)
{
    tensor_dealloc(ctx, (Tensor *)object);
}

// --- choices ---

// Below n. xorshift64 (Marsaglia 2003).
static uint32_t pick(Maker *m, uint32_t n)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 7;
    m->state ^= m->state << 17;
    return (uint32_t)((m->state >> 11) % n);
}

static int64_t pick_int(Maker *m)
{
    static const int64_t odd[] = {INT64_MAX, INT64_MIN, 1ll << 62, -(1ll << 62),
                                  100,       -100,      65,        64,
                                  33,        32};
    return pick(m, 8) == 0 ? odd[pick(m, sizeof odd / sizeof *odd)]
                           : (int64_t)pick(m, 8) - 3;
}

static const char *pick_text(Maker *m)
{
    static const char *const texts[] = {
        "",     "ij->ji",   "ij,jk->ik",    "...i->...", "i",    "ii->i",
        "same", "valid",    "SAME",         "VALID",     "left", "right",
        "edge", "linear",   "reflect",      "symmetric", "full", "reduced",
        "i,i",  "constant", "ab,bc,cd->ad", "->",        ",",    "%s"};
    return texts[pick(m, sizeof texts / sizeof *texts)];
}

static void pick_shape(Maker *m, Shape *shape)
{
    shape->rank = (int)pick(m, pick(m, 6) == 0 ? 6 : 4);
    for (int i = 0; i < shape->rank; i++) {
        shape->dims[i] = pick(m, 12) == 0   ? 0
                         : pick(m, 20) == 0 ? 1 + pick(m, 70)
                                            : 1 + pick(m, 4);
    }
}

// --- operands ---

static void fill(Maker *m, Tensor *tensor)
{
    for (int64_t i = 0; i < tensor->count; i++) {
        if (tensor->dtype == DT_STRING) {
            char text = (char)('a' + pick(m, 26));
            if (!tensor_set_string(&m->ctx, tensor, i, &text, pick(m, 2))) {
                abort();
            }
        } else if (dtype_is_float((DType)tensor->dtype)) {
            tensor_set_float(tensor, i,
                             pick(m, 30) == 0
                                 ? (double)NAN
                                 : ((double)pick(m, 2000) - 1000) / 64);
        } else {
            tensor_set_int(tensor, i,
                           pick(m, 20) == 0 ? pick_int(m)
                                            : (int64_t)pick(m, 7) - 2);
        }
    }
}

static Tensor *pick_tensor(Maker *m)
{
    static const DType usual[] = {DT_FLOAT32, DT_FLOAT32, DT_INT32,
                                  DT_INT64,   DT_BOOL,    DT_FLOAT64};
    Shape shape = m->shape;
    DType dtype = m->dtype;
    if (pick(m, 5) == 0) { // sizes, indices, axes
        shape.rank = (int)pick(m, 2);
        shape.dims[0] = pick(m, 4);
        dtype = pick(m, 2) ? DT_INT32 : DT_INT64;
    } else {
        if (pick(m, 2)) {
            pick_shape(m, &shape);
        }
        if (pick(m, 3) == 0) {
            dtype = pick(m, 3) ? usual[pick(m, 6)] : (DType)pick(m, DT_COUNT);
        }
        m->shape = shape;
        m->dtype = dtype;
    }
    Tensor *tensor = tensor_new(&m->ctx, dtype, shape.rank, shape.dims);
    if (tensor == NULL) {
        abort();
    }
    fill(m, tensor);
    return tensor;
}

// A constant, or an argument of which the graph may know less.
static void add_operand(Maker *m)
{
    Tensor *tensor = pick_tensor(m);
    if (pick(m, 4) == 0) {
        GraphNode *node = graph_append_const(m->graph, m->graph->block, tensor,
                                             GRAPH_PLACE_NONE);
        m->values[m->count++] = node_output(node, 0);
        object_release(&m->ctx, tensor);
        return;
    }
    Shape known;
    shape_set(&known, tensor->rank, tensor_dims(tensor));
    uint32_t how = pick(m, 4);
    for (int i = 0; how == 1 && i < known.rank; i++) {
        known.dims[i] = pick(m, 2) ? DIM_UNKNOWN : known.dims[i];
    }
    known.rank = how == 0 ? RANK_UNKNOWN : known.rank;
    m->values[m->count++] = graph_add_input(
        m->graph, "x",
        (TensorType){(DType)tensor->dtype, known.rank, known.dims});
    m->tensors[m->tensor_count++] = tensor;
}

// --- ops ---

static void pick_ints(Maker *m, AttrValue *value, int64_t *ints)
{
    value->ints = ints;
    value->count = pick(m, 6);
    for (uint32_t i = 0; i < value->count; i++) {
        ints[i] = pick_int(m);
    }
}

// *inputs counts the operand that an attribute may be.
static AttrValue pick_attr(Maker *m, const AttrDesc *attr, int64_t *ints,
                           uint32_t *inputs)
{
    AttrValue value = {.kind = attr->kind};
    if (attr->default_text != NULL && pick(m, 2)) {
        value.kind = ATTR_NONE;
        return value;
    }
    if (attr->accept == ATTR_HOST_OR_TENSOR && pick(m, 3) == 0) {
        value.kind = ATTR_INPUT;
        value.integer = (*inputs)++;
        return value;
    }
    switch (attr->kind) {
    case ATTR_BOOL: value.boolean = pick(m, 2); break;
    case ATTR_INT: value.integer = pick_int(m); break;
    case ATTR_FLOAT: value.number = ((double)pick(m, 100) - 40) / 16; break;
    case ATTR_DTYPE: value.dtype = (DType)pick(m, DT_COUNT); break;
    case ATTR_INTS: pick_ints(m, &value, ints); break;
    case ATTR_STR:
        value.text = pick_text(m);
        value.count = (uint32_t)strlen(value.text);
        break;
    default: break;
    }
    return value;
}

static bool takes_tensors(const OpDesc *op)
{
    bool found = false;
    for (uint32_t i = 0; i < op->attr_count; i++) {
        found = found || op->attrs[i].accept == ATTR_HOST_OR_TENSOR;
    }
    return found;
}

// Whether the op took what was chosen for it.
static bool add_op(Maker *m)
{
    OpCode code = (OpCode)(OP_ADD + pick(m, OP_COUNT - OP_ADD));
    const OpDesc *op = op_desc(code);
    if (op->compose != NULL) {
        return false;
    }
    uint32_t most = op->max_inputs;
    most = most > op->min_inputs + 3u ? op->min_inputs + 3u : most;
    uint32_t inputs =
        op->min_inputs +
        (takes_tensors(op) ? 0 : pick(m, most - op->min_inputs + 1));
    AttrValue attrs[OP_MAX_ATTRS] = {{.kind = ATTR_NONE}};
    for (uint32_t i = 0; i < op->attr_count; i++) {
        attrs[i] = pick_attr(m, &op->attrs[i], m->ints[i], &inputs);
    }
    ValueId operands[MOST_INPUTS];
    for (uint32_t i = 0; i < inputs; i++) {
        operands[i] = m->values[pick(m, m->count)];
    }
    GraphNode *node = graph_append(m->graph, m->graph->block, code, operands,
                                   inputs, attrs, GRAPH_PLACE_NONE);
    ctx_clear(&m->ctx);
    for (uint32_t i = 0; node != NULL && i < node->output_count; i++) {
        if (m->count < MOST_VALUES) {
            m->values[m->count++] = node_output(node, i);
        }
    }
    return node != NULL;
}

static void make_graph(Maker *m)
{
    m->graph = graph_new(&m->ctx, "f");
    for (uint32_t i = pick(m, 5) + 1; i > 0; i--) {
        add_operand(m);
    }
    uint32_t ops = 1 + pick(m, 4);
    for (int i = 0; i < 60 && ops > 0; i++) {
        ops -= add_op(m);
    }
    ValueId results[MOST_RESULTS];
    uint32_t count = 0;
    for (uint32_t i = m->count; i > 0 && count < MOST_RESULTS; i--) {
        if (!dtype_is_list(graph_type(m->graph, m->values[i - 1]).dtype)) {
            results[count++] = m->values[i - 1];
        }
    }
    if (!graph_block_results(m->graph, m->graph->block, results, count)) {
        abort();
    }
}

// --- runs ---

static void drop(Ctx *ctx, Tensor **results, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        object_release(ctx, results[i]);
    }
}

// The second of two runs of one plan.
static bool run_planned(Ctx *ctx, Graph *graph, const PlanArgs *args,
                        Tensor **results)
{
    PlanOptions options = {PASS_ALL, true, true, true, false};
    Plan *plan = plan_build(ctx, graph, &options);
    bool ok = plan != NULL && plan_run(ctx, plan, args, results);
    if (ok) {
        drop(ctx, results, graph->block->result_count);
        ok = plan_run(ctx, plan, args, results);
    }
    if (plan != NULL) {
        plan_release(ctx, plan);
    }
    return ok;
}

// The same bits, but for those of a NaN.
static bool are_alike(const Tensor *a, const Tensor *b)
{
    bool alike = tensor_identical(a, b);
    if (alike || a->dtype != b->dtype || a->count != b->count ||
        !dtype_is_float((DType)a->dtype)) {
        return alike;
    }
    alike = true;
    for (int64_t i = 0; alike && i < a->count; i++) {
        alike = tensor_bits_at(a, i) == tensor_bits_at(b, i) ||
                (isnan(tensor_float_at(a, i)) && isnan(tensor_float_at(b, i)));
    }
    return alike;
}

static void compare_runs(Maker *m, Graph *graph, bool draws)
{
    Ctx *ctx = &m->ctx;
    PlanArgs args = {.inputs = m->tensors};
    Tensor *plain[MOST_RESULTS], *planned[MOST_RESULTS];
    uint32_t count = graph->block->result_count;
    bool ran = graph_run(ctx, graph, &args, plain);
    ctx_clear(ctx);
    bool again = run_planned(ctx, graph, &args, planned);
    ctx_clear(ctx);
    if (ran != again && !draws) { // which sizes may depend on
        abort();
    }
    for (uint32_t i = 0; ran && again && i < count; i++) {
        TensorType type = graph_type(graph, graph->block->results[i]);
        if (!graph_type_covers(type, tensor_type(plain[i])) ||
            (!draws && !are_alike(plain[i], planned[i]))) {
            abort();
        }
    }
    drop(ctx, plain, ran ? count : 0);
    drop(ctx, planned, again ? count : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Maker m;
    m = (Maker){.state = 14695981039346656037u, .dtype = DT_FLOAT32};
    for (size_t i = 0; i < size; i++) { // FNV-1a
        m.state = (m.state ^ data[i]) * 1099511628211u;
    }
    m.state |= 1;
    ctx_init(&m.ctx, 0);
    m.ctx.dealloc = free_tensor;
    make_graph(&m);
    StrBuf text;
    strbuf_init(&text, &m.ctx);
    graph_print(&text, m.graph, true);
    Graph *graph = graph_parse(&m.ctx, strbuf_text(&text), text.length);
    // A claim about a type that is refused, say.
    ctx_clear(&m.ctx);
    if (graph != NULL) {
        bool draws = strstr(strbuf_text(&text), "rng") != NULL;
        compare_runs(&m, graph, draws);
        graph_release(&m.ctx, graph);
    }
    strbuf_free(&text);
    graph_release(&m.ctx, m.graph);
    drop(&m.ctx, m.tensors, m.tensor_count);
    ctx_destroy(&m.ctx);
    return 0;
}
