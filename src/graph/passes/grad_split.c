// A gradient of a loop's body, in two: what a turn forward hands on to the turn
// back, and the rest, which runs there. Handed on are
// - what is read from the lists among the loop's states, so that the rest needs
//   no list as it was before a turn (a list that it needs whole is stacked in
//   the one part and unstacked in the other);
// - results of costly nodes. All else is computed anew from those and from what
//   the turn began with: it costs less than keeping it, in memory above all.
#include "graph/passes/grad_back.h"
#include "graph/passes/pass.h"
#include "graph/rewrite.h"

// What is known of a value of the gradient.
enum {
    PART_BACK = 1, // made of the gradients that come in
    PART_LIST = 2, // a list made of the states' lists
    PART_READ = 4, // a tensor made of one, or kept
    PART_USED = 8  // the rest asks for it
};
// Elements of a result of mathematics that is kept: more of them take longer to
// write and to read again than to compute.
enum { KEPT_MATHS = 1 << 14 };
// How much larger than its operands a costly result may be. More, as of an
// outer product, would make a loop's memory depend on what is within a turn.
enum { KEPT_GROWTH = 4 };

typedef struct Split {
    const BackTurn *turn;
    Graph *graph;    // the gradient
    uint32_t values; // results that are the body's own
    ValueId forward; // the first value that is not of the forward part
    uint8_t *parts;  // by value
    IdVec read;      // the body's own results, then what is handed on
    Rewrite whole;   // by list that the rest needs: its copy
} Split;

static bool is_list(const Split *split, ValueId id)
{
    return dtype_is_list(graph_type(split->graph, id).dtype);
}

// A gradient is an input behind the arguments that is no capture.
static bool is_gradient(const Split *split, size_t input)
{
    return input >= split->turn->arguments &&
           split->graph->inputs.items[input].capture == NULL;
}

static bool node_uses(const Split *split, const GraphNode *node, IdVec *uses)
{
    Ctx *ctx = split->graph->ctx;
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ok = vec_push(ctx, uses, node->inputs[i]);
    }
    for (int b = 0; ok && b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        ok = back_outside(split->graph, node->blocks[b], uses);
    }
    return ok;
}

// Whether the node is made of the states' lists, going forward.
static bool reads_lists(const Split *split, const GraphNode *node)
{
    return node->output_count > 0 &&
           (split->parts[node_output(node, 0)] & (PART_LIST | PART_READ)) != 0;
}

static bool refuse(const Split *split)
{
    return ctx_fail(split->graph->ctx, ERR_SYMBOLIC,
                    "while: its gradient needs a list as it was before each "
                    "turn, and in '%s' only the list's elements can be had; "
                    "use a tensor instead of the list",
                    split->graph->name);
}

static unsigned parts_of(const Split *split, const IdVec *uses)
{
    unsigned bits = 0;
    for (size_t i = 0; i < uses->count; i++) {
        bits |= split->parts[uses->items[i]] & (PART_BACK | PART_LIST);
    }
    return bits;
}

// A list's copy by way of one tensor, made before `node`. VALUE_ID_NONE.
static ValueId stack_list(Split *split, GraphNode *node, ValueId list)
{
    static const OpCode ways[2] = {OP_LIST_STACK, OP_LIST_UNSTACK};
    Graph *graph = split->graph;
    TensorType type = graph_type(graph, list);
    // An empty list of open sizes has no stack.
    if (type.rank == SHAPE_MAX_RANK || !shape_is_static(type.rank, type.dims)) {
        (void)refuse(split);
        return VALUE_ID_NONE;
    }
    for (int i = 0; i < 2 && list != VALUE_ID_NONE; i++) {
        GraphNode *made = graph_append(graph, graph->block, ways[i], &list, 1,
                                       NULL, node->place);
        list = node_first(made);
        if (made != NULL) {
            build_unlink(graph, made);
            build_link(graph, graph->block, made, node);
            split->parts[list] = i == 0 ? PART_READ : 0;
        }
    }
    return list;
}

// Copies take the place of the lists in a node and its blocks.
static bool copy_lists(Split *split, GraphNode *node, const IdVec *uses)
{
    bool ok = true;
    for (size_t i = 0; ok && i < uses->count; i++) {
        ValueId list = uses->items[i];
        bool copied = rewrite_now(&split->whole, list) != list;
        if ((split->parts[list] & PART_LIST) == 0 || copied) {
            continue;
        }
        ValueId copy = stack_list(split, node, list);
        ok = copy != VALUE_ID_NONE && rewrite_value(&split->whole, list, copy);
    }
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ValueId *input = &node->inputs[i];
        *input = rewrite_now(&split->whole, *input);
    }
    for (int b = 0; ok && b < OP_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        for (Walk walk = walk_forward(node->blocks[b]); walk_next(&walk);) {
            rewrite_uses(&split->whole, &walk);
        }
    }
    return ok;
}

static bool mark_node(Split *split, GraphNode *node, const IdVec *uses)
{
    unsigned bits = parts_of(split, uses);
    if (bits == (PART_BACK | PART_LIST)) {
        if (!copy_lists(split, node, uses)) {
            return false;
        }
        bits = PART_BACK;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        ValueId id = node_output(node, i);
        split->parts[id] = (uint8_t)((bits & PART_LIST) == 0 ? bits
                                     : is_list(split, id)    ? PART_LIST
                                                             : PART_READ);
    }
    return true;
}

// Elements of a value; what is not known counts as one.
static double elements(const Split *split, ValueId id)
{
    TensorType type = graph_type(split->graph, id);
    double count = 1;
    for (int i = 0; i < type.rank; i++) {
        count *= type.dims[i] == DIM_UNKNOWN ? 1 : (double)type.dims[i];
    }
    return count;
}

static bool grows(const Split *split, const GraphNode *node)
{
    double before = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        before += elements(split, node->inputs[i]);
    }
    return elements(split, node->first_output) > KEPT_GROWTH * before;
}

// Whether the node's results are kept rather than computed again.
static bool is_kept(const Split *split, const GraphNode *node)
{
    enum { MOVES = OP_HALVES | OP_VIEW | OP_LISTS };
    const OpDesc *op = node_desc(node);
    if (split->values == 0 || node->output_count == 0 ||
        node->first_output >= split->forward) {
        return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (is_list(split, node_output(node, i))) {
            return false;
        }
    }
    if ((op->flags & OP_ELEMENTWISE) != 0) {
        return (op->flags & OP_MATHS) != 0 &&
               elements(split, node->first_output) <= KEPT_MATHS;
    }
    return op->block_count > 0 ||
           (op->kernel != NULL && (op->flags & MOVES) == 0 &&
            !grows(split, node));
}

// Which nodes the rest is made of: those that it needs as far as nothing is
// handed on. Backwards.
static bool mark_rest(Split *split)
{
    GraphBlock *block = split->graph->block;
    IdVec uses = {0};
    bool ok = true;
    for (uint32_t i = 0; i < block->result_count - split->values; i++) {
        split->parts[block->results[i]] |= PART_USED;
    }
    for (GraphNode *node = block->last; ok && node != NULL;
         node = node->previous) {
        bool used = false;
        for (uint32_t i = 0; i < node->output_count; i++) {
            used =
                used || (split->parts[node_output(node, i)] & PART_USED) != 0;
        }
        node->mark = false;
        if ((!used && !graph_has_effects(node)) || reads_lists(split, node)) {
            continue;
        }
        if (is_kept(split, node)) {
            for (uint32_t i = 0; i < node->output_count; i++) {
                split->parts[node_output(node, i)] |= PART_READ;
            }
            continue;
        }
        node->mark = true;
        uses.count = 0;
        ok = node_uses(split, node, &uses);
        for (size_t i = 0; i < uses.count; i++) {
            split->parts[uses.items[i]] |= PART_USED;
        }
    }
    vec_free(split->graph->ctx, &uses);
    return ok;
}

static bool mark(Split *split)
{
    Graph *graph = split->graph;
    split->forward = (ValueId)graph->values.count;
    for (size_t i = graph->inputs.count; i-- > 0;) {
        ValueId id = graph->inputs.items[i].value;
        bool list = i < split->turn->states && is_list(split, id);
        split->parts[id] = list ? PART_LIST : 0;
        if (is_gradient(split, i)) {
            split->parts[id] = PART_BACK;
            split->forward = id;
        }
    }
    bool ok = true;
    for (GraphNode *node = graph->block->first; ok && node != NULL;
         node = node->next) {
        IdVec uses = {0};
        ok = node_uses(split, node, &uses) && mark_node(split, node, &uses);
        vec_free(graph->ctx, &uses);
    }
    uint32_t gradients = graph->block->result_count - split->values;
    for (uint32_t i = 0; ok && i < gradients; i++) {
        ok = (split->parts[graph->block->results[i]] & PART_LIST) == 0 ||
             refuse(split);
    }
    ok = ok && mark_rest(split);
    for (uint32_t i = gradients; ok && i < graph->block->result_count; i++) {
        ok = vec_push(graph->ctx, &split->read, graph->block->results[i]);
    }
    for (ValueId id = 0; ok && id < graph->values.count; id++) {
        if ((split->parts[id] & PART_READ) != 0 &&
            (split->parts[id] & PART_USED) != 0) {
            ok = vec_push(graph->ctx, &split->read, id);
        }
    }
    return ok;
}

static bool set_results(Clone *clone, const ValueId *ids, size_t count)
{
    IdVec results = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = vec_push(clone->to->ctx, &results, clone->values[ids[i]]);
    }
    ok = ok && graph_block_results(clone->to, clone->to->block, results.items,
                                   (uint32_t)results.count);
    vec_free(clone->to->ctx, &results);
    return ok;
}

// The inputs of one part, in order. What is handed on stands before the
// gradients.
static bool copy_inputs(const Split *split, Clone *clone, bool rest)
{
    Graph *graph = split->graph;
    bool ok = true;
    for (size_t i = 0; ok && i < graph->inputs.count; i++) {
        GraphInput *input = &graph->inputs.items[i];
        if (i == split->turn->arguments && rest) {
            ok = back_map_inputs(clone, split->read.items + split->values,
                                 split->read.count - split->values);
        }
        if (!ok || (is_gradient(split, i) && !rest) ||
            (rest && i < split->turn->states && !split->turn->kept[i])) {
            continue;
        }
        if (input->capture == NULL) {
            ok = back_map_inputs(clone, &input->value, 1);
        } else {
            clone->values[input->value] =
                graph_add_capture(clone->to, input->name, input->capture);
            ok = clone->values[input->value] != VALUE_ID_NONE;
        }
    }
    return ok;
}

// One part: what runs forward, or the rest.
static Graph *copy_part(const Split *split, bool rest)
{
    Graph *graph = split->graph, *to = graph_new(graph->ctx, graph->name);
    Clone clone = {0};
    bool ok = to != NULL && clone_init(&clone, graph, to, 0) &&
              copy_inputs(split, &clone, rest);
    for (GraphNode *node = graph->block->first; ok && node != NULL;
         node = node->next) {
        bool back = node->output_count > 0 &&
                    (split->parts[node_output(node, 0)] & PART_BACK) != 0;
        if (rest ? node->mark : !back) {
            ok = clone_node(&clone, node, to->block);
        }
    }
    ok = ok &&
         (rest ? set_results(&clone, graph->block->results,
                             graph->block->result_count - split->values)
               : set_results(&clone, split->read.items, split->read.count) &&
                     dce_run(to));
    if (clone.to != NULL) {
        clone_free(&clone);
    }
    if (!ok && to != NULL) {
        graph_release(graph->ctx, to);
        to = NULL;
    }
    return to;
}

bool back_split(BackTurn *turn, uint32_t values)
{
    Graph *graph = turn->grad;
    Ctx *ctx = graph->ctx;
    Split split = {.turn = turn, .graph = graph, .values = values};
    // Two more for each list.
    size_t size = 3 * graph->values.count + 1;
    split.parts = ctx_alloc_zero(ctx, size);
    split.whole.graph = graph;
    Graph *rest = NULL;
    if (split.parts != NULL && dce_run(graph) && mark(&split)) {
        for (size_t i = 0; i < turn->states; i++) {
            ValueId id = graph->inputs.items[i].value;
            turn->kept[i] |= (split.parts[id] & PART_USED) != 0;
        }
        turn->ahead = copy_part(&split, false);
        rest = turn->ahead == NULL ? NULL : copy_part(&split, true);
    }
    vec_free(ctx, &split.read);
    rewrite_free(&split.whole);
    ctx_free(ctx, split.parts, size);
    if (rest != NULL) {
        graph_release(ctx, graph);
        turn->grad = rest;
    }
    return rest != NULL;
}
