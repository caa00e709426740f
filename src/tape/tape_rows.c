// How ops act on values with rows. See tape_rows.h.
//
// What is not here is refused, without an error: the caller then goes row by
// row.
#include "tape/tape_rows.h"

#include "ops/emit_op.h"

enum { FEW = 8 }; // operands of an elementwise op

static bool has_rows(const RowsEmit *e, EmitValue value)
{
    for (size_t i = 0; i < e->known.count; i++) {
        if (e->known.items[i] == value) {
            return true;
        }
    }
    return false;
}

bool tape_rows_note(RowsEmit *e, EmitValue value)
{
    return vec_push(e->emit.ctx, &e->known, value);
}

static EmitValue refuse(RowsEmit *e)
{
    e->refused = true;
    return NULL;
}

static EmitValue host_op(RowsEmit *e, OpCode op, const EmitValue *inputs,
                         uint32_t count, const AttrValue *attrs)
{
    return e->host.emit.op(&e->host.emit, op, inputs, count, attrs);
}

// As a rule sees it.
static TensorType rows_type(Emit *emit, EmitValue value)
{
    RowsEmit *e = (RowsEmit *)emit;
    TensorType type = emit_type(&e->host.emit, value);
    if (has_rows(e, value) && type.rank > 0) {
        type.rank--;
        type.dims++;
    }
    return type;
}

static EmitValue rows_constant(Emit *emit, Tensor *tensor)
{
    RowsEmit *e = (RowsEmit *)emit;
    return e->host.emit.constant(&e->host.emit, tensor);
}

static bool is_known(TensorType type)
{
    return shape_is_static(type.rank, type.dims);
}

// With so many axes behind its rows that it broadcasts as it did without.
static EmitValue widened(RowsEmit *e, EmitValue value, int rank)
{
    static const AttrValue second = {.kind = ATTR_INT, .integer = 1};
    int own = rows_type(&e->emit, value).rank;
    for (; has_rows(e, value) && value != NULL && own < rank; own++) {
        value = emit_1(&e->host.emit, OP_EXPAND_DIMS, value, &second);
        if (value == NULL || !tape_rows_note(e, value)) {
            return NULL;
        }
    }
    return value;
}

// Elementwise ops, and products of stacks of matrices.
static EmitValue broadcast_op(RowsEmit *e, OpCode op, const EmitValue *inputs,
                              uint32_t count, const AttrValue *attrs)
{
    EmitValue wide[FEW];
    int rank = 0;
    for (uint32_t i = 0; i < count; i++) {
        int own = rows_type(&e->emit, inputs[i]).rank;
        if (own == RANK_UNKNOWN || count > FEW) {
            return refuse(e);
        }
        rank = own > rank ? own : rank;
    }
    for (uint32_t i = 0; i < count; i++) {
        wide[i] = widened(e, inputs[i], rank);
        if (wide[i] == NULL) {
            return NULL;
        }
    }
    return host_op(e, op, wide, count, attrs);
}

// Rows times one matrix are one product, and so are those of a matrix and rows
// that become its columns.
static EmitValue one_product(RowsEmit *e, EmitValue a, EmitValue b, bool left)
{
    static const int64_t swap[3] = {1, 0, 2};
    Emit *host = &e->host.emit;
    TensorType x = rows_type(&e->emit, a), y = rows_type(&e->emit, b);
    int64_t m = x.dims[0], n = x.dims[1], k = y.dims[1];
    if (left) {
        int64_t tall[2] = {e->rows * m, n}, whole[3] = {e->rows, m, k};
        return emit_reshape(
            host, emit_2(host, OP_MATMUL, emit_reshape(host, a, 2, tall), b), 3,
            whole);
    }
    int64_t wide[2] = {n, e->rows * k}, whole[3] = {m, e->rows, k};
    EmitValue columns =
        emit_reshape(host, emit_permute(host, b, 3, swap), 2, wide);
    return emit_permute(
        host, emit_reshape(host, emit_2(host, OP_MATMUL, a, columns), 3, whole),
        3, swap);
}

static EmitValue product(RowsEmit *e, const EmitValue *inputs,
                         const AttrValue *attrs)
{
    TensorType a = rows_type(&e->emit, inputs[0]);
    TensorType b = rows_type(&e->emit, inputs[1]);
    bool left = has_rows(e, inputs[0]), right = has_rows(e, inputs[1]);
    if ((a.rank != RANK_UNKNOWN && a.rank < 2) ||
        (b.rank != RANK_UNKNOWN && b.rank < 2)) {
        return refuse(e);
    }
    if (left != right && a.rank == 2 && b.rank == 2 && is_known(a) &&
        is_known(b)) {
        return one_product(e, inputs[0], inputs[1], left);
    }
    return broadcast_op(e, OP_MATMUL, inputs, 2, attrs);
}

// Axes behind the rows; those that count from the end stay. `none`: what no
// axes stand for, all in this order.
static EmitValue axes_op(RowsEmit *e, OpCode op, EmitValue x,
                         const AttrValue *attrs, bool backwards)
{
    int64_t axes[SHAPE_MAX_RANK + 1];
    AttrValue own[OP_MAX_ATTRS] = {{.kind = ATTR_NONE}};
    int rank = rows_type(&e->emit, x).rank;
    uint32_t used = 0;
    bool permute = op == OP_PERMUTE_DIMS;
    if (rank < 1 || rank >= SHAPE_MAX_RANK) {
        return refuse(e);
    }
    for (uint32_t i = 0; attrs != NULL && i < op_desc(op)->attr_count; i++) {
        own[i] = attrs[i];
    }
    if (permute) {
        axes[used++] = 0;
    }
    if (own[0].kind == ATTR_INTS) {
        for (uint32_t i = 0; i < own[0].count; i++) {
            int64_t axis = own[0].ints[i];
            axes[used++] = axis < 0 ? axis + rank + 1 : axis + 1;
        }
    } else if (own[0].kind == ATTR_NONE) {
        for (int i = 0; i < rank; i++) {
            axes[used++] = backwards ? rank - i : i + 1;
        }
    } else {
        return refuse(e);
    }
    own[0] = (AttrValue){.kind = ATTR_INTS, .count = used, .ints = axes};
    return host_op(e, op, &x, 1, own);
}

// reshape and broadcast_to: the rows stand in front of the shape.
static EmitValue shaped(RowsEmit *e, OpCode op, EmitValue x,
                        const AttrValue *attrs)
{
    int64_t dims[SHAPE_MAX_RANK + 1] = {e->rows};
    if (attrs == NULL || attrs->kind != ATTR_INTS ||
        attrs->count >= SHAPE_MAX_RANK ||
        rows_type(&e->emit, x).rank == RANK_UNKNOWN) {
        return refuse(e);
    }
    for (uint32_t i = 0; i < attrs->count; i++) {
        dims[i + 1] = attrs->ints[i];
    }
    if (op == OP_BROADCAST_TO) {
        x = widened(e, x, (int)attrs->count);
    }
    AttrValue own = {
        .kind = ATTR_INTS, .count = attrs->count + 1, .ints = dims};
    return x == NULL ? NULL : host_op(e, op, &x, 1, &own);
}

// The sizes of `like` are asked alone.
static EmitValue summed_to(RowsEmit *e, EmitValue x, EmitValue like)
{
    TensorType from = rows_type(&e->emit, x), to = rows_type(&e->emit, like);
    int64_t dims[SHAPE_MAX_RANK + 1] = {e->rows};
    uint32_t mask = 0;
    int more = from.rank - to.rank;
    if (!is_known(from) || !is_known(to) || more < 0 || from.rank > 30) {
        return refuse(e);
    }
    for (int i = 0; i < from.rank; i++) {
        if (i < more || to.dims[i - more] != from.dims[i]) {
            mask |= (uint32_t)1 << (i + 1);
        }
    }
    for (int i = 0; i < to.rank; i++) {
        dims[i + 1] = to.dims[i];
    }
    Emit *host = &e->host.emit;
    return emit_reshape(host, emit_reduce(host, OP_SUM, x, mask, false),
                        to.rank + 1, dims);
}

static EmitValue expanded(RowsEmit *e, EmitValue x, const AttrValue *attrs)
{
    AttrValue axis = {.kind = ATTR_INT, .integer = 0};
    axis = attrs != NULL && attrs->kind == ATTR_INT ? *attrs : axis;
    axis.integer += axis.integer >= 0;
    return emit_1(&e->host.emit, OP_EXPAND_DIMS, x, &axis);
}

static EmitValue with_rows(RowsEmit *e, OpCode op, const EmitValue *inputs,
                           uint32_t count, const AttrValue *attrs)
{
    if (op_desc(op)->flags & OP_ELEMENTWISE) {
        return broadcast_op(e, op, inputs, count, attrs);
    }
    switch (op) {
    case OP_MATMUL: return product(e, inputs, attrs);
    case OP_SUM:
    case OP_MEAN:
    case OP_MAX:
    case OP_MIN:
    case OP_PROD: return axes_op(e, op, inputs[0], attrs, false);
    case OP_PERMUTE_DIMS: return axes_op(e, op, inputs[0], attrs, true);
    case OP_RESHAPE:
    case OP_BROADCAST_TO:
        return count == 1 ? shaped(e, op, inputs[0], attrs) : refuse(e);
    case OP_EXPAND_DIMS: return expanded(e, inputs[0], attrs);
    case OP_SUM_TO_SHAPE: return summed_to(e, inputs[0], inputs[1]);
    case OP_MATRIX_TRANSPOSE:
    case OP_ZEROS_LIKE:
    case OP_ONES_LIKE: return host_op(e, op, inputs, count, attrs);
    default: return refuse(e);
    }
}

static EmitValue rows_op(Emit *emit, OpCode op, const EmitValue *inputs,
                         uint32_t count, const AttrValue *attrs)
{
    RowsEmit *e = (RowsEmit *)emit;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        any = any || has_rows(e, inputs[i]);
    }
    if (!any) {
        return host_op(e, op, inputs, count, attrs);
    }
    EmitValue made = with_rows(e, op, inputs, count, attrs);
    return made != NULL && tape_rows_note(e, made) ? made : NULL;
}

EmitValue tape_rows_of(RowsEmit *e, EmitValue value)
{
    int64_t dims[SHAPE_MAX_RANK + 1] = {e->rows};
    if (has_rows(e, value)) {
        return value;
    }
    TensorType type = emit_type(&e->host.emit, value);
    if (!is_known(type) || type.rank >= SHAPE_MAX_RANK) {
        return refuse(e);
    }
    for (int i = 0; i < type.rank; i++) {
        dims[i + 1] = type.dims[i];
    }
    AttrValue shape = {
        .kind = ATTR_INTS, .count = (uint32_t)type.rank + 1, .ints = dims};
    return emit_1(&e->host.emit, OP_BROADCAST_TO, value, &shape);
}

void tape_rows_init(RowsEmit *e, Vm *vm, int64_t rows)
{
    *e = (RowsEmit){.emit = {&vm->ctx, rows_op, rows_type, rows_constant},
                    .rows = rows};
    tensor_emit_init(&e->host, vm);
}

void tape_rows_free(RowsEmit *e)
{
    vec_free(e->emit.ctx, &e->known);
    tensor_emit_free(&e->host);
}
