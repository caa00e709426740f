// How the operands of tile programs lie beside the shape: dense ones, those
// that broadcast, and what is read among the elements of another value instead
// of being made (ViewFn).
#include <stddef.h>
#include <string.h>

#include "backend/tile.h"
#include "ops/index.h"

// A view's result is read among so many times its own elements at most: more
// would be kept for it.
enum { VIEW_KEEPS = 4 };

void tile_dense_view(TensorType in, TensorType out, OpView *view)
{
    int64_t step = 1;
    view->start = 0;
    for (int i = 1; i <= out.rank; i++) {
        int64_t size = i <= in.rank ? in.dims[in.rank - i] : 1;
        view->steps[out.rank - i] = size == 1 ? 0 : step;
        step *= size;
    }
}

// The kind of an operand, and the most columns that a row of it may have: in
// each it is dense, or one element. False: it has no such rows.
static bool find_kind(const OpView *view, TensorType out, TileKind *kind,
                      int64_t *columns)
{
    bool dense = false;
    int axis = out.rank;
    *columns = 1;
    // Axes of size 1 take no step.
    for (; axis > 0; axis--) {
        int64_t size = out.dims[axis - 1], step = view->steps[axis - 1];
        if (size != 1 && *columns == 1) {
            dense = step != 0;
        }
        if (size != 1 && step != (dense ? *columns : 0)) {
            break;
        }
        *columns *= size;
    }
    if (axis == 0) {
        *kind = dense || *columns <= 1 ? TILE_KIND_DENSE : TILE_KIND_ONE;
        return true;
    }
    // What the rows do: nothing, go on by an element, or anything.
    bool still = true, follow = true;
    for (int64_t step = 1; axis > 0; axis--) {
        int64_t size = out.dims[axis - 1], own = view->steps[axis - 1];
        still = still && (size == 1 || own == 0);
        follow = follow && (size == 1 || own == step);
        step *= size;
    }
    *kind = dense && still     ? TILE_KIND_ROW
            : !dense && follow ? TILE_KIND_COLUMN
            : dense            ? TILE_KIND_RUNS
                               : TILE_KIND_POINTS;
    return *columns > 1;
}

static void find_rows(const OpView *view, TensorType out, int64_t columns,
                      TileRows *rows)
{
    int axis = out.rank;
    for (int64_t inner = 1; inner < columns; axis--) {
        inner *= out.dims[axis - 1];
    }
    rows->start = view->start;
    rows->count = 0;
    for (int i = 0; i < axis; i++) {
        TileAxis next = {out.dims[i], view->steps[i]};
        TileAxis *last = rows->count > 0 ? &rows->axes[rows->count - 1] : NULL;
        if (next.size == 1) {
            continue;
        }
        if (last != NULL && last->step == next.size * next.step) {
            *last = (TileAxis){last->size * next.size, next.step};
        } else {
            rows->axes[rows->count++] = next;
        }
    }
}

bool tile_find_view(const Builder *builder, ValueId value, OpView *view)
{
    const Graph *graph = builder->graph;
    const GraphNode *node = graph_value(graph, value)->node;
    if (node == NULL || node_desc(node)->view == NULL) {
        return false;
    }
    TensorType in = graph_type(graph, node->inputs[0]);
    TensorType out = graph_type(graph, value);
    if (tile_count(in) < 0 || tile_count(out) < 0) {
        return false;
    }
    bool ok = node_desc(node)->view(builder->ctx, node_desc(node), node->attrs,
                                    in, out, view);
    if (!ok && ctx_failed(builder->ctx)) {
        ctx_clear(builder->ctx);
    }
    return ok;
}

// x[i] is a view whose start moves with i.
static bool find_moving(const Builder *builder, ValueId value, OpView *view,
                        int64_t *apart)
{
    const Graph *graph = builder->graph;
    const GraphNode *node = graph_value(graph, value)->node;
    if (node == NULL || node->op != OP_INDEX || node->input_count != 2) {
        return false;
    }
    TensorType in = graph_type(graph, node->inputs[0]);
    return tile_count(in) > 0 && tile_count(graph_type(graph, value)) > 0 &&
           index_view_by(builder->ctx, node->attrs, in, view, apart);
}

// Whether i of such an x[i] is what a loop counts with, and never beyond x's
// end: then there is nothing that may fail.
static bool is_counted(const Builder *builder, const GraphNode *node)
{
    const Graph *graph = builder->graph;
    return graph_value(graph, node->inputs[1])->block == node->block &&
           loop_count_below(builder, node->inputs[1],
                            graph_type(graph, node->inputs[0]).dims[0]);
}

// All elements in one run are a tensor already, whose memory may be taken over;
// of a part of them no more is kept than a tensor would keep.
bool tile_is_viewed(const Builder *builder, ValueId value)
{
    const Graph *graph = builder->graph;
    const GraphNode *node = graph_value(graph, value)->node;
    TensorType type = graph_type(graph, value);
    OpView view;
    TileKind kind;
    int64_t columns, all, apart;
    if (node == NULL || node->input_count == 0) {
        return false;
    }
    all = tile_count(graph_type(graph, node->inputs[0]));
    return type.dtype != DT_STRING && node->mark && tile_count(type) > 1 &&
           (tile_find_view(builder, value, &view) ||
            (find_moving(builder, value, &view, &apart) &&
             is_counted(builder, node))) &&
           find_kind(&view, type, &kind, &columns) &&
           (kind == TILE_KIND_DENSE ? all > tile_count(type)
                                    : all / VIEW_KEEPS <= tile_count(type));
}

bool tile_find_operand(const Builder *builder, ValueId value, TensorType shape,
                       TileOperand *operand)
{
    TensorType type = graph_type(builder->graph, value);
    OpView own, *view = &operand->view;
    if (tile_count(type) < 0 || type.rank > shape.rank) {
        return false;
    }
    tile_dense_view(type, shape, view);
    operand->source = builder_source(builder, value);
    operand->apart = 0;
    bool viewed = operand->source != value;
    if (viewed && find_moving(builder, value, &own, &operand->apart)) {
        operand->by = graph_value(builder->graph, value)->node->inputs[1];
    } else if (viewed) {
        viewed = tile_find_view(builder, value, &own);
    }
    if (viewed) {
        view->start = own.start;
        for (int i = 1; i <= type.rank; i++) {
            if (type.dims[type.rank - i] != 1) {
                view->steps[shape.rank - i] = own.steps[type.rank - i];
            }
        }
    }
    return find_kind(view, shape, &operand->kind, &operand->columns);
}

TileKind tile_operand_kind(const TileOperand *operand, int64_t columns)
{
    return operand->columns == columns         ? operand->kind
           : operand->kind == TILE_KIND_ROW    ? TILE_KIND_RUNS
           : operand->kind == TILE_KIND_COLUMN ? TILE_KIND_POINTS
                                               : operand->kind;
}

const TileRows *tile_make_rows(Builder *builder, const TileOperand *operand,
                               TensorType shape, int64_t columns)
{
    TileRows rows;
    find_rows(&operand->view, shape, columns, &rows);
    size_t size =
        offsetof(TileRows, axes) + (size_t)rows.count * sizeof rows.axes[0];
    TileRows *made = arena_alloc(&builder->plan->arena, size);
    if (made != NULL) {
        memcpy(made, &rows, size);
    }
    return made;
}
