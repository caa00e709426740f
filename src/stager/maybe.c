// None or a value, as a tensor decides.
//
// Invariant: the condition of such a choice is a symbolic bool, true where
// there is a value; where the value is read and there is none, the graph raises
// before.
#include "stager/maybe.h"

#include <stdio.h>

#include "graph/build.h"
#include "interp/core/raise.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/either.h"
#include "stager/events.h"
#include "stager/late_error.h"
#include "stager/loop_carried.h"
#include "stager/loop_held.h"
#include "stager/poison.h"
#include "stager/undecided.h"

bool maybe_is(Vm *vm, Value v)
{
    return poison_is_value(vm, v) && !value_unbound(poison_left(vm, v));
}

// The choice where the trace sees it, borrowed; else UNBOUND.
static Value choice_of(Vm *vm, Value v)
{
    return vm->trace != NULL && maybe_is(vm, v)
               ? poison_choice(vm, v, vm->trace->block)
               : VALUE_UNBOUND;
}

static Value make(Vm *vm, const char *name, Value choice)
{
    char text[200];
    const char *shown = name != NULL ? name : "value";
    snprintf(text, sizeof text,
             "%s%.60s%s may be None here, as a tensor decides; ask first "
             "whether it `is None`",
             name != NULL ? "'" : "the ", shown, name != NULL ? "'" : "");
    vm->trace->undecided = true;
    return poison_value(vm, ERR_SYMBOLIC, text, choice);
}

// --- merging ---

// What a side leaves: whether it has a value, and that; borrowed.
typedef struct MaybeSide {
    Value flag, value;
} MaybeSide;

static MaybeSide side_of(Vm *vm, Value v)
{
    if (!maybe_is(vm, v)) {
        return value_is_none(v) ? (MaybeSide){VALUE_FALSE, VALUE_UNBOUND}
                                : (MaybeSide){VALUE_TRUE, v};
    }
    Value choice = poison_left(vm, v);
    return (MaybeSide){either_condition(choice), either_parts(choice)[0]};
}

static Value bool_tensor(Vm *vm, Value flag)
{
    return value_is_bool(flag) ? tensor_from_value(vm, "if", flag, DT_BOOL)
                               : value_retain(flag);
}

// The condition of the merge itself where that is all that it says. No bool of
// the program becomes a tensor by this.
static Value merge_flags(Merge *m, const MaybeSide sides[2])
{
    Vm *vm = m->vm;
    if (value_is_bool(sides[0].flag) && value_is_bool(sides[1].flag) &&
        !m->absent[0] && !m->absent[1] && merge_has_truth(m)) {
        Value holds = trace_symbolic(vm, vm->trace, m->condition, NULL);
        if (value_failed(holds) || value_same(sides[0].flag, VALUE_TRUE)) {
            return holds;
        }
        Value opposite = tensor_call(vm, "logical_not", &holds, 1, NULL, 0);
        release(vm, holds);
        return opposite;
    }
    Value first = bool_tensor(vm, sides[0].flag);
    Value second = value_failed(first) ? first : bool_tensor(vm, sides[1].flag);
    Value merged =
        value_failed(second) ? second : merge_values(m, first, second);
    release(vm, first);
    release(vm, second);
    return merged;
}

// `name` is the variable's; the parts have none of their own.
static Value merge_parts(Merge *m, const char *name, const MaybeSide sides[2])
{
    Vm *vm = m->vm;
    m->hidden = HIDDEN_VALUE; // each side need have no value
    Value value = merge_values(m, sides[0].value, sides[1].value);
    if (value_failed(value) || value_unbound(value)) {
        return value;
    }
    m->name = NULL;
    Value flag = merge_flags(m, sides);
    Value choice =
        value_failed(flag) ? flag : either_of(vm, flag, value, VALUE_NONE);
    Value made = value_failed(choice) ? choice : maybe_shown(vm, name, choice);
    release(vm, value);
    release(vm, flag);
    return made;
}

bool maybe_either(Vm *vm, Value a, Value b)
{
    return value_is_none(a) || value_is_none(b) || maybe_is(vm, a) ||
           maybe_is(vm, b);
}

Value maybe_merge(Merge *m, Value first, Value second)
{
    Vm *vm = m->vm;
    const MaybeSide sides[2] = {side_of(vm, first), side_of(vm, second)};
    const char *name = m->name;
    HiddenKind hidden = m->hidden;
    Value merged = merge_parts(m, name, sides);
    m->hidden = hidden;
    m->name = name;
    return merged;
}

Value maybe_single(Merge *m, int side, Value v)
{
    Vm *vm = m->vm;
    Value choice = poison_left(vm, v);
    Value flag = merge_single(m, side, either_condition(choice));
    Value value = value_failed(flag)
                      ? flag
                      : merge_single(m, side, either_parts(choice)[0]);
    Value made =
        value_failed(value) ? value : either_of(vm, flag, value, VALUE_NONE);
    release(vm, flag);
    release(vm, value);
    return value_failed(made) ? made : maybe_shown(vm, m->name, made);
}

// --- loops ---

void maybe_open(Vm *vm, Value *before)
{
    Value choice = choice_of(vm, *before);
    if (!value_unbound(choice) &&
        !loop_carried_shares(vm, either_parts(choice)[0])) {
        value_replace(&vm->ctx, before, value_retain(choice));
    }
}

static Value state_of(Vm *vm, Value flag, Value value)
{
    Value holds = bool_tensor(vm, flag);
    Value state =
        value_failed(holds) ? holds : either_of(vm, holds, value, VALUE_NONE);
    release(vm, holds);
    return state;
}

Value maybe_begin(Vm *vm, StagedBlock *block, Value before, Value after)
{
    MaybeSide side = side_of(vm, after);
    if (!loop_may_repeat(vm, block)) {
        return VALUE_UNBOUND;
    }
    if (!value_is_none(before)) {
        bool plain = !value_is_none(after) && !maybe_is(vm, after);
        return plain || loop_carried_shares(vm, before)
                   ? VALUE_UNBOUND
                   : state_of(vm, VALUE_TRUE, before);
    }
    if (value_unbound(side.value) || loop_carried_shares(vm, side.value)) {
        return VALUE_UNBOUND;
    }
    Value none = loop_made_before(vm, block, side.value);
    if (value_failed(none) || value_unbound(none)) {
        return none;
    }
    Value state = state_of(vm, VALUE_FALSE, none);
    release(vm, none);
    return state;
}

Value maybe_turn(Vm *vm, Value before, Value after)
{
    MaybeSide side = side_of(vm, after);
    return state_of(vm, side.flag,
                    value_unbound(side.value) ? either_parts(before)[0]
                                              : side.value);
}

Value maybe_shown(Vm *vm, const char *name, Value state)
{
    if (value_failed(state)) {
        return state;
    }
    Value flag = either_condition(state);
    Value made = !value_is_tensor(flag) ? make(vm, name, state)
                 : *(const bool *)value_as_tensor(flag)->data
                     ? value_retain(either_parts(state)[0])
                     : VALUE_NONE;
    release(vm, state);
    return made;
}

// --- what a condition tells ---

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

// A condition, and how it knows what the frame shows: a loop's has the state by
// params of its own.
typedef struct Told {
    ValueId condition;
    bool holds;
    const StagedLoop *loop; // NULL: by the same values
    const GraphNode *node;  // the frame shows its outputs; NULL: the body's
} Told;

static ValueId flag_of(const Told *told, Value choice)
{
    ValueId flag = value_as_symbolic(either_condition(choice))->value;
    for (uint32_t i = 0; told->loop != NULL && i < told->loop->leaves.count;
         i++) {
        const LoopLeaf *leaf = &told->loop->leaves.items[i];
        if (flag ==
            (told->node != NULL ? node_output(told->node, i) : leaf->body)) {
            return leaf->cond;
        }
    }
    return flag;
}

// What is told of a choice: 1, 0, or -1: nothing.
static int told_choice(Vm *vm, const Told *tells, Value choice)
{
    enum { DEPTH = 32 };
    const Graph *graph = vm->trace->graph;
    ValueId flag = flag_of(tells, choice), other;
    bool straight = true;
    for (; (other = opposite_of(graph, flag)) != VALUE_ID_NONE; flag = other) {
        straight = !straight;
    }
    int is = told(graph, tells->condition, tells->holds, flag, DEPTH);
    return is < 0 ? is : (is != 0) == straight;
}

// To the end of a side or turn of the block.
static bool learn(Vm *vm, Frame *frame, StagedBlock *block, const Told *tells)
{
    bool keeps = block != NULL && block->frame == frame, ok = true;
    for (uint32_t i = 0; ok && i < frame->code->local_count; i++) {
        Value *place = &frame->registers[i];
        Value choice = choice_of(vm, *place);
        int is = value_unbound(choice) ? -1 : told_choice(vm, tells, choice);
        if (is < 0) {
            continue;
        }
        Value now = is ? value_retain(either_parts(choice)[0]) : VALUE_NONE;
        if (keeps && !is_assigned(block, i)) {
            ok = vec_push(&vm->ctx, &block->told,
                          ((ToldPlace){i, value_retain(*place)}));
            release(vm, ok ? VALUE_NONE : *place);
        }
        value_replace(&vm->ctx, place, now);
    }
    return ok;
}

bool maybe_learn(Vm *vm, Frame *frame, StagedBlock *block, ValueId condition,
                 bool holds)
{
    Told tells = {.condition = condition, .holds = holds};
    return learn(vm, frame, block, &tells);
}

bool maybe_learn_loop(Vm *vm, Frame *frame, StagedBlock *block,
                      const GraphNode *node)
{
    Told tells = {.condition = block->sides[0]->results[0],
                  .holds = node == NULL,
                  .loop = block->loop,
                  .node = node};
    return learn(vm, frame, node == NULL ? block : block->outer, &tells);
}

void maybe_forget(Vm *vm, StagedBlock *block)
{
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

// --- use ---

Value maybe_same(Vm *vm, Value a, Value b, bool holds)
{
    Value self = poison_is_value(vm, a) ? a : b;
    Value choice = choice_of(vm, self);
    if (value_unbound(choice) || !value_is_none(value_same(self, a) ? b : a)) {
        return poison_raise(vm, self);
    }
    event_add(vm, vm->trace->events, EVENT_INT, "a host bool", VALUE_NONE);
    Value flag = either_condition(choice);
    return holds ? tensor_call(vm, "logical_not", &flag, 1, NULL, 0)
                 : value_retain(flag);
}

Value maybe_operate(Vm *vm, Value a, Value b, OperandsFn act, int how)
{
    bool first = poison_is_value(vm, a), both = first && poison_is_value(vm, b);
    Value self = first ? a : b, other = first ? b : a;
    Value choice = both ? VALUE_UNBOUND : choice_of(vm, self);
    if (value_unbound(choice) ||
        !(value_is_operand(other) || merge_is_number(other))) {
        return act(vm, a, b, how);
    }
    Value none = act(vm, first ? VALUE_NONE : a, first ? b : VALUE_NONE, how);
    if (!value_failed(none)) {
        release(vm, none);
        return act(vm, a, b, how);
    }
    if (!undecided_is_late(vm)) {
        return VALUE_FAIL;
    }
    Value error = raise_take(vm);
    ValueId flag = trace_operand(vm, vm->trace, either_condition(choice));
    bool ok = flag != VALUE_ID_NONE &&
              late_error_append(vm, error, flag, trace_place(vm));
    release(vm, error);
    Value value = either_parts(choice)[0];
    return ok ? act(vm, first ? value : a, first ? b : value, how) : VALUE_FAIL;
}

// What it is itself refuses: the operation has been met.
static Value act_unary(Vm *vm, Value self, Value other, int op)
{
    (void)other;
    return poison_is_value(vm, self) ? poison_raise(vm, self)
                                     : value_unary(vm, (UnaryOp)op, self);
}

Value maybe_unary(Vm *vm, UnaryOp op, Value self)
{
    return maybe_operate(vm, self, VALUE_FALSE, act_unary, (int)op);
}

static Value act_item(Vm *vm, Value self, Value key, int how)
{
    (void)how;
    return poison_is_value(vm, self) ? poison_raise(vm, self)
                                     : value_get_item(vm, self, key);
}

Value maybe_item(Vm *vm, Value self, Value key)
{
    return maybe_operate(vm, self, key, act_item, 0);
}
