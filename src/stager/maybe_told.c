// What conditions tell of what may be None.
//
// Invariant: a fact of a block is one for all that is traced until that side or
// turn of it ends, in whatever frame: the graph's values do not change.
#include "graph/build.h"
#include "interp/core/raise.h"
#include "stager/either.h"
#include "stager/loops.h"
#include "stager/maybe.h"
#include "stager/poison.h"

enum { DEPTH = 32 }; // of conditions that are looked into

static bool is_constant(const Graph *graph, ValueId id, bool value)
{
    const Tensor *known = graph_constant(graph, id);
    return known != NULL && known->dtype == DT_BOOL && known->count == 1 &&
           *(const bool *)known->data == value;
}

static int told(const Graph *graph, ValueId id, bool holds, ValueId flag,
                int depth);

// The side of an `if` that gave the output is known where the other one gives
// the opposite: so `and`, `or` and flags of early returns are made.
static int told_by_if(const Graph *graph, ValueId id, bool holds, ValueId flag,
                      int depth)
{
    const GraphNode *node = graph_value(graph, id)->node;
    uint32_t output = id - node_output(node, 0);
    int answer = -1;
    for (int side = 0; side < 2 && answer < 0; side++) {
        const GraphBlock *other = node->blocks[!side];
        if (other->diverges || node->blocks[side]->diverges) {
            continue;
        }
        ValueId given = other->results[output];
        // In the first side the condition is true, in the second false.
        bool opposite = is_constant(graph, given, !holds) ||
                        (given == node->inputs[0] && holds == (side == 0));
        if (opposite) {
            answer = told(graph, node->inputs[0], side == 0, flag, depth - 1);
            answer = answer >= 0
                         ? answer
                         : told(graph, node->blocks[side]->results[output],
                                holds, flag, depth - 1);
        }
    }
    return answer;
}

// The bool that this one is the opposite of; VALUE_ID_NONE.
static ValueId opposite_of(const Graph *graph, ValueId id)
{
    const GraphNode *node = graph_value(graph, id)->node;
    bool is = node != NULL &&
              (node->op == OP_LOGICAL_NOT || node->op == OP_BITWISE_INVERT);
    return is ? node->inputs[0] : VALUE_ID_NONE;
}

// What `id`, which holds or does not, says of the flag: 1, 0, or -1: nothing.
static int told(const Graph *graph, ValueId id, bool holds, ValueId flag,
                int depth)
{
    if (id == flag) {
        return holds;
    }
    const GraphNode *node = graph_value(graph, id)->node;
    if (node == NULL || depth == 0) {
        return -1;
    }
    if (node->op == OP_IF) {
        return told_by_if(graph, id, holds, flag, depth);
    }
    if (opposite_of(graph, id) != VALUE_ID_NONE) {
        return told(graph, node->inputs[0], !holds, flag, depth - 1);
    }
    int answer = -1;
    if (node->op == (holds ? OP_LOGICAL_AND : OP_LOGICAL_OR)) {
        answer = told(graph, node->inputs[0], holds, flag, depth - 1);
        answer = answer >= 0
                     ? answer
                     : told(graph, node->inputs[1], holds, flag, depth - 1);
    }
    return answer;
}

// What the block assigns it puts back itself.
static bool is_assigned(const StagedBlock *block, uint32_t reg)
{
    bool found = false;
    for (uint32_t i = 0; i < block->info->place_count && !found; i++) {
        const BlockPlace *place = &block->info->places[i];
        found = place->kind == STATE_LOCAL && place->step_count == 0 &&
                place->index == reg;
    }
    return found;
}

// What is told of a bool: 1, 0, or -1: nothing.
static int told_by_fact(const Graph *graph, const ToldFact *fact, ValueId flag)
{
    ValueId other;
    bool straight = true;
    for (; (other = opposite_of(graph, flag)) != VALUE_ID_NONE; flag = other) {
        straight = !straight;
    }
    int is = told(graph, fact->condition, fact->holds, flag, DEPTH);
    return is < 0 ? is : (is != 0) == straight;
}

int maybe_told(Vm *vm, Value flag)
{
    int is = -1;
    for (size_t i = vm->trace->told.count; is < 0 && i-- > 0;) {
        is = told_by_fact(vm->trace->graph, &vm->trace->told.items[i],
                          value_as_symbolic(flag)->value);
    }
    return is;
}

Value maybe_known(Vm *vm, Value self)
{
    Value choice = maybe_choice(vm, self), there = VALUE_UNBOUND;
    if (value_unbound(choice) && vm->trace != NULL &&
        poison_is_value(vm, self)) {
        there = poison_there(vm, self, vm->trace->block);
    }
    if (!value_unbound(there)) {
        return maybe_told(vm, either_condition(there)) > 0
                   ? either_parts(there)[0]
                   : VALUE_UNBOUND;
    }
    int is =
        value_unbound(choice) ? -1 : maybe_told(vm, either_condition(choice));
    return is < 0 ? VALUE_UNBOUND : is ? either_parts(choice)[0] : VALUE_NONE;
}

// The variables of the frame hold what is known, to the end of a side or turn
// of the block.
static bool show_known(Vm *vm, Frame *frame, StagedBlock *block)
{
    bool keeps = block != NULL && block->frame == frame, ok = true;
    for (uint32_t i = 0; ok && i < frame->code->local_count; i++) {
        Value *place = &frame->registers[i];
        Value known = maybe_known(vm, *place);
        if (value_unbound(known)) {
            continue;
        }
        (void)value_retain(known);
        if (keeps && !is_assigned(block, i)) {
            // Without room the value is not looked at.
            ok = vec_push(&vm->ctx, &block->told,
                          ((ToldPlace){i, value_retain(*place)}));
        }
        value_replace(&vm->ctx, place, known);
    }
    return ok;
}

static bool push_fact(Vm *vm, const StagedBlock *block, ValueId condition,
                      bool holds)
{
    ToldFact fact = {block, condition, holds};
    return vec_push(&vm->ctx, &vm->trace->told, fact);
}

bool maybe_learn(Vm *vm, Frame *frame, StagedBlock *block, ValueId condition,
                 bool holds)
{
    return push_fact(vm, block, condition, holds) &&
           show_known(vm, frame, block);
}

bool maybe_learn_loop(Vm *vm, Frame *frame, StagedBlock *block,
                      const GraphNode *node)
{
    const Graph *graph = vm->trace->graph;
    StagedBlock *where = node == NULL ? block : block->outer;
    ValueId condition = block->sides[0]->results[0];
    bool ok = push_fact(vm, where, condition, node == NULL);
    for (uint32_t i = 0; ok && i < block->loop->leaves.count; i++) {
        const LoopLeaf *leaf = &block->loop->leaves.items[i];
        int is = told(graph, condition, node == NULL, leaf->cond, DEPTH);
        ok = is < 0 ||
             push_fact(vm, where,
                       node == NULL ? leaf->body : node_output(node, i), is);
    }
    return ok && show_known(vm, frame, where);
}

// What is known of the values is known where they are used later.
void maybe_settle(Vm *vm, Value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        Value known = maybe_known(vm, values[i]);
        if (!value_unbound(known)) {
            value_replace(&vm->ctx, &values[i], value_retain(known));
        }
    }
}

void maybe_forget(Vm *vm, StagedBlock *block)
{
    Trace *trace = vm->trace;
    while (trace->told.count > 0 && vec_last(&trace->told).block == block) {
        (void)vec_pop(&trace->told);
    }
    while (block->told.count > 0) {
        ToldPlace told_place = vec_pop(&block->told);
        value_replace(&vm->ctx, &block->frame->registers[told_place.reg],
                      told_place.maybe);
    }
}

void maybe_free(Vm *vm, StagedBlock *block)
{
    for (size_t i = 0; i < block->told.count; i++) {
        release(vm, block->told.items[i].maybe);
    }
    vec_free(&vm->ctx, &block->told);
}
