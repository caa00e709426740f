// A gradient of a loop's body, in two: what is read from the lists among the
// loop's states while it runs forward, and the rest, which then needs no list
// as it was before a turn. A list that it needs whole is stacked in the one
// part and unstacked in the other.
#include "graph/passes/grad_back.h"
#include "graph/passes/pass.h"
#include "graph/rewrite.h"

// What is known of a value of the gradient.
enum {
    PART_BACK = 1, // made of the gradients that come in
    PART_LIST = 2, // a list made of the states' lists
    PART_READ = 4, // a tensor made of one
    PART_USED = 8  // ... which the rest asks for
};

typedef struct Split {
    Graph *graph;     // the gradient
    size_t states;    // inputs that are the loop's states
    size_t arguments; // and all that are no gradients
    uint8_t *parts;   // by value
    IdVec read;       // the tensors that come from lists
    Rewrite whole;    // by list that the rest needs: its copy
} Split;

static bool is_list(const Split *split, ValueId id)
{
    return dtype_is_list(graph_type(split->graph, id).dtype);
}

// A gradient is an input behind the arguments that is no capture.
static bool is_gradient(const Split *split, size_t input)
{
    return input >= split->arguments &&
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
    static const AttrValue none[OP_MAX_ATTRS];
    static const OpCode ways[2] = {OP_LIST_STACK, OP_LIST_UNSTACK};
    Graph *graph = split->graph;
    TensorType type = graph_type(graph, list);
    // An empty list of open sizes has no stack.
    if (type.rank < 0 || type.rank == SHAPE_MAX_RANK ||
        !shape_is_static(type.rank, type.dims)) {
        (void)refuse(split);
        return VALUE_ID_NONE;
    }
    for (int i = 0; i < 2 && list != VALUE_ID_NONE; i++) {
        GraphNode *made = graph_append(graph, graph->block, ways[i], &list, 1,
                                       none, node->place);
        list = made != NULL ? node_output(made, 0) : VALUE_ID_NONE;
        if (made != NULL) {
            build_unlink(graph, made);
            build_link(graph, graph->block, made, node);
            split->parts[list] = i == 0 ? PART_READ | PART_USED : 0;
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
        bool copied =
            list < split->whole.capacity && split->whole.instead[list] != list;
        if ((split->parts[list] & PART_LIST) == 0 || copied) {
            continue;
        }
        ValueId copy = stack_list(split, node, list);
        ok = copy != VALUE_ID_NONE && rewrite_value(&split->whole, list, copy);
    }
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        ValueId *input = &node->inputs[i];
        *input = *input < split->whole.capacity ? split->whole.instead[*input]
                                                : *input;
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
    if ((bits & PART_LIST) == 0) {
        for (size_t i = 0; i < uses->count; i++) {
            bool list = (split->parts[uses->items[i]] & PART_LIST) != 0;
            split->parts[uses->items[i]] |= list ? 0 : PART_USED;
        }
    }
    return true;
}

static bool mark(Split *split)
{
    Graph *graph = split->graph;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        ValueId id = graph->inputs.items[i].value;
        split->parts[id] = is_gradient(split, i)                     ? PART_BACK
                           : i < split->states && is_list(split, id) ? PART_LIST
                                                                     : 0;
    }
    bool ok = true;
    for (GraphNode *node = graph->block->first; ok && node != NULL;
         node = node->next) {
        IdVec uses = {0};
        ok = node_uses(split, node, &uses) && mark_node(split, node, &uses);
        vec_free(graph->ctx, &uses);
    }
    for (uint32_t i = 0; ok && i < graph->block->result_count; i++) {
        ValueId id = graph->block->results[i];
        split->parts[id] |= PART_USED;
        ok = (split->parts[id] & PART_LIST) == 0 || refuse(split);
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

// The inputs of one part, in order. What was read stands before the gradients.
static bool copy_inputs(const Split *split, Clone *clone, bool rest)
{
    Graph *graph = split->graph;
    bool ok = true;
    for (size_t i = 0; ok && i < graph->inputs.count; i++) {
        GraphInput *input = &graph->inputs.items[i];
        if (i == split->arguments && rest) {
            ok = back_map_inputs(clone, split->read.items, split->read.count);
        }
        if (!ok || (is_gradient(split, i) && !rest) ||
            (rest && i < split->states && is_list(split, input->value))) {
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

// One part: forward what makes PART_READ values, or the rest.
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
        if (rest ? !reads_lists(split, node) : !back) {
            ok = clone_node(&clone, node, to->block);
        }
    }
    ok = ok &&
         (rest ? set_results(&clone, graph->block->results,
                             graph->block->result_count)
               : set_results(&clone, split->read.items, split->read.count));
    if (clone.to != NULL) {
        clone_free(&clone);
    }
    if (!ok && to != NULL) {
        graph_release(graph->ctx, to);
        to = NULL;
    }
    return to;
}

bool back_split(Graph **grad, size_t states, size_t arguments, Graph **read)
{
    Graph *graph = *grad;
    Ctx *ctx = graph->ctx;
    Split split = {.graph = graph, .states = states, .arguments = arguments};
    // Two more for each list.
    size_t size = 3 * graph->values.count + 1;
    split.parts = ctx_alloc_zero(ctx, size);
    split.whole.graph = graph;
    Graph *rest = NULL;
    if (split.parts != NULL && dce_run(graph) && mark(&split)) {
        *read = copy_part(&split, false);
        rest = *read == NULL ? NULL : copy_part(&split, true);
    }
    vec_free(ctx, &split.read);
    rewrite_free(&split.whole);
    if (split.parts != NULL) {
        ctx_free(ctx, split.parts, size);
    }
    if (rest != NULL) {
        graph_release(ctx, graph);
        *grad = rest;
    }
    return rest != NULL;
}
