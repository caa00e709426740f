// The events of staged loops.
#include "stager/loop_held.h"

#include "graph/build.h"
#include "graph/walk.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/events.h"
#include "stager/for_iterator.h"
#include "stager/for_names.h"
#include "stager/late_print.h"
#include "stager/maybe.h"
#include "stager/notes.h"

// A mark of loop_head: room for the nodes, and all of an immediate int.
static const uint32_t MARK_BITS = 40;
static const uint64_t MARK_NODES = ((uint64_t)1 << 40) - 1;
static const uint64_t MARK_ALL = ((uint64_t)1 << 60) - 1;

// Words count from the start of the converted code.
static const Ins *word_at(const Frame *frame, uint32_t word)
{
    return frame->code->words + word;
}

// A condition that was dealt with leaves its register empty, which tells
// vm_block.c that nothing is left to decide.
static Value *empty(Vm *vm, Frame *frame, uint32_t reg)
{
    value_replace(&vm->ctx, &frame->registers[reg], VALUE_UNBOUND);
    return &frame->registers[reg];
}

// The nodes that the condition appends are those behind this mark.
const Ins *loop_head(Vm *vm, Frame *frame, const BlockInfo *info, Ins ins)
{
    if (block_running(vm, frame, info) == NULL) {
        // The mark waits in a register of the loop for the condition to be
        // evaluated: how many nodes there are, and above them the low bits of
        // how often containers were changed.
        uint64_t mark = vm->trace->graph->nodes.count & MARK_NODES;
        mark |= vm->trace->changes << MARK_BITS & MARK_ALL;
        value_replace(&vm->ctx, &frame->registers[INS_A(ins)],
                      value_from_small((int64_t)mark));
    }
    return frame->pc;
}

// The condition drew random numbers, printed, wrote a Variable, changed a
// container, or assigns: it cannot be traced twice for one turn.
static bool has_effects(Vm *vm, const BlockInfo *info, Value mark)
{
    const Graph *graph = vm->trace->graph;
    if (info->flags & BLOCK_TEST_ASSIGNS) {
        return true;
    }
    // Without a mark all nodes are looked at, which errs on the safe side.
    uint64_t bits = value_is_int(mark) ? (uint64_t)value_small(mark) : 0;
    size_t i = bits & MARK_NODES;
    if (((vm->trace->changes << MARK_BITS) & MARK_ALL) !=
        (bits & ~MARK_NODES)) {
        return true;
    }
    for (; i < graph->nodes.count; i++) {
        const GraphNode *node = graph->nodes.items[i];
        if (node->block == vm->trace->block && graph_has_effects(node)) {
            return true;
        }
    }
    return false;
}

// The condition's value, a tensor or a host value, as one bool of the graph.
static ValueId truth_id(Vm *vm, Value v)
{
    if (value_is_operand(v)) {
        return block_truth(vm, v);
    }
    int truth = value_truth(vm, v);
    if (truth < 0) {
        return VALUE_ID_NONE;
    }
    Value tensor =
        tensor_from_value(vm, "while", value_from_bool(truth), DT_BOOL);
    ValueId id = value_failed(tensor) ? VALUE_ID_NONE
                                      : trace_operand(vm, vm->trace, tensor);
    release(vm, tensor);
    return id;
}

// The condition's block yields one bool.
static bool set_condition(Vm *vm, StagedBlock *block, ValueId id)
{
    return id != VALUE_ID_NONE &&
           graph_block_results(vm->trace->graph, block->sides[0], &id, 1);
}

static const Ins *finish(Vm *vm, Frame *frame, StagedBlock *block);

// --- while ---

// The condition was met once and counts; from now on it is evaluated at the
// end of each turn, and only its value is handed on.
static const Ins *begin_rotated(Vm *vm, Frame *frame, StagedBlock *block,
                                ValueId condition)
{
    // The condition's value becomes state: its params stand for the test of
    // the next turn.
    uint32_t leaf = loop_add_leaf(vm, block, condition, "condition");
    if (leaf == UINT32_MAX) {
        return NULL;
    }
    block->loop->rotated = true;
    block->loop->condition_leaf = leaf;
    return set_condition(vm, block, block->loop->leaves.items[leaf].cond) &&
                   loop_show(vm, frame, block, PHASE_BODY)
               ? block->next
               : NULL;
}

// From here a loop goes on when it is traced again, too.
static const Ins *open_while(Vm *vm, Frame *frame, StagedBlock *block)
{
    if (!loop_open(vm, frame, block)) {
        return NULL;
    }
    if (block->condition != VALUE_ID_NONE) {
        return begin_rotated(vm, frame, block, block->condition);
    }
    return loop_show(vm, frame, block, PHASE_COND)
               ? word_at(frame, block->info->else_target)
               : NULL;
}

// The first evaluation of a condition without effects is thrown away with its
// nodes: what nobody needs is not run.
static const Ins *begin_while(Vm *vm, Frame *frame, const BlockInfo *info,
                              Ins ins)
{
    Value condition = frame->registers[INS_A(ins)];
    bool rotated = has_effects(vm, info, frame->registers[INS_C(ins)]);
    // 0 stands for a condition that is not needed; it is no VALUE_ID_NONE.
    ValueId id = rotated ? block_truth(vm, condition) : 0;
    StagedBlock *block =
        id == VALUE_ID_NONE ? NULL : block_begin(vm, frame, info);
    empty(vm, frame, INS_A(ins));
    if (block == NULL) {
        return NULL;
    }
    block->condition = rotated ? id : VALUE_ID_NONE;
    block->ins = ins;
    block->next = frame->pc;
    return open_while(vm, frame, block);
}

// Three ways to come here: on the host, behind the condition that was traced
// on the state, or behind a body that ends in it.
const Ins *loop_while(Vm *vm, Frame *frame, const BlockInfo *info, Ins ins)
{
    StagedBlock *block = block_running(vm, frame, info);
    Value value = frame->registers[INS_A(ins)];
    // The first test: a value of the host leaves the loop to the interpreter.
    if (block == NULL) {
        return value_is_operand(value) ? begin_while(vm, frame, info, ins)
                                       : frame->pc;
    }
    ValueId id = truth_id(vm, value);
    // The register goes to the body empty, as the interpreter's own test leaves
    // it.
    empty(vm, frame, INS_A(ins));
    if (id == VALUE_ID_NONE) {
        return NULL;
    }
    if (block->phase == PHASE_BODY) { // at the end of a rotated body
        block->loop->leaves.items[block->loop->condition_leaf].result = id;
        return finish(vm, frame, block);
    }
    return set_condition(vm, block, id) &&
                   loop_show(vm, frame, block, PHASE_BODY) &&
                   maybe_learn_loop(vm, frame, block, NULL)
               ? frame->pc
               : NULL;
}

// A host loop goes on with the next turn; one that is traced has had its only
// one.
const Ins *loop_next(Vm *vm, Frame *frame, const BlockInfo *info)
{
    StagedBlock *block = block_running(vm, frame, info);
    if (block == NULL) {
        return word_at(frame, info->else_target);
    }
    StagedLoop *loop = block->loop;
    // The condition is evaluated once more, behind the body, and ends in
    // loop_while.
    if (loop->rotated && !block->diverged[1]) {
        return word_at(frame, info->else_target);
    }
    // A `for`: the index goes up by one a turn.
    if (!value_unbound(loop->source.count) && !block->diverged[1]) {
        LoopLeaf *index = &loop->leaves.items[loop->index_leaf];
        Value now = trace_symbolic(vm, vm->trace, index->body, "index");
        Value next = value_failed(now) ? now
                                       : tensor_binary(vm, BINARY_ADD, now,
                                                       value_from_small(1));
        index->result = value_failed(next) ? VALUE_ID_NONE
                                           : trace_operand(vm, vm->trace, next);
        release(vm, now);
        release(vm, next);
        if (index->result == VALUE_ID_NONE) {
            return NULL;
        }
    }
    return finish(vm, frame, block);
}

// --- for ---

// Shows the body's state and makes the item of the turn.
static const Ins *begin_body(Vm *vm, Frame *frame, StagedBlock *block,
                             uint32_t state)
{
    StagedLoop *loop = block->loop;
    if (!loop_show(vm, frame, block, PHASE_BODY)) {
        return NULL;
    }
    Value index = trace_symbolic(
        vm, vm->trace, loop->leaves.items[loop->index_leaf].body, "index");
    if (value_failed(index)) {
        return NULL;
    }
    // Like a number of range(): it takes the dtype of a tensor that it meets.
    value_as_symbolic(index)->weak = true;
    Value item = for_source_item(vm, &loop->source, index);
    release(vm, index);
    if (!value_failed(item) && !for_names_give(vm, &block->place, item)) {
        release(vm, item);
        return NULL;
    }
    return slow_set(vm, frame, state + 4, item)
               ? word_at(frame, block->info->body_target)
               : NULL;
}

// Whether there is another item, where `before` holds: an iterator may have to
// be asked, which is not done when the loop ends anyway.
static ValueId ask_condition(Vm *vm, StagedBlock *block, ValueId before)
{
    StagedLoop *loop = block->loop;
    Value index = trace_symbolic(
        vm, vm->trace, loop->leaves.items[loop->index_leaf].cond, "index");
    if (value_failed(index)) {
        return VALUE_ID_NONE;
    }
    vm->trace->block = block->sides[0];
    ValueId id =
        for_iterator_ask(vm, loop->source.count, index, before, block->place);
    release(vm, index);
    return id;
}

// index < count, in the condition's block; kept in block->condition.
static bool count_condition(Vm *vm, StagedBlock *block)
{
    StagedLoop *loop = block->loop;
    if (for_source_asks(&loop->source)) {
        // Flags come first (stop_condition).
        bool stops = (block->info->flags & BLOCK_HAS_STOP) != 0;
        block->condition =
            stops ? VALUE_ID_NONE : ask_condition(vm, block, VALUE_ID_NONE);
        return stops || block->condition != VALUE_ID_NONE;
    }
    Value index = trace_symbolic(
        vm, vm->trace, loop->leaves.items[loop->index_leaf].cond, "index");
    if (value_failed(index)) {
        return false;
    }
    vm->trace->block = block->sides[0];
    // The count was computed before the loop and is an outer value here.
    Value inputs[2] = {index, loop->source.count};
    Value less = apply_one(vm, OP_LESS, inputs, 2, NULL);
    release(vm, index);
    block->condition =
        value_failed(less) ? VALUE_ID_NONE : trace_operand(vm, vm->trace, less);
    release(vm, less);
    return block->condition != VALUE_ID_NONE;
}

// The index is a leaf like any other, behind those of the variables.
static bool open_for(Vm *vm, Frame *frame, StagedBlock *block, ForSource source)
{
    if (!loop_open(vm, frame, block)) {
        for_source_free(vm, &source);
        return false;
    }
    block->loop->source = source;
    Value zero = tensor_from_value(vm, "for", value_from_small(0), DT_INT32);
    ValueId id =
        value_failed(zero) ? VALUE_ID_NONE : trace_operand(vm, vm->trace, zero);
    release(vm, zero);
    block->loop->index_leaf = loop_add_leaf(vm, block, id, "index");
    return block->loop->index_leaf != UINT32_MAX && count_condition(vm, block);
}

// Takes the source. Flags that end the loop early are evaluated on the state by
// the code that stands between two turns, which ends in loop_stop.
static const Ins *begin_for(Vm *vm, Frame *frame, StagedBlock *block,
                            ForSource source)
{
    const BlockInfo *info = block->info;
    if (!open_for(vm, frame, block, source)) {
        return NULL;
    }
    if (info->flags & BLOCK_HAS_STOP) {
        return loop_show(vm, frame, block, PHASE_COND)
                   ? word_at(frame, info->else_target)
                   : NULL;
    }
    return set_condition(vm, block, block->condition)
               ? begin_body(vm, frame, block, INS_A(block->ins))
               : NULL;
}

const Ins *loop_for(Vm *vm, Frame *frame, const BlockInfo *info, Ins ins)
{
    ForSource source = FOR_SOURCE_NONE;
    StagedBlock *block = block_begin(vm, frame, info);
    if (block == NULL ||
        !for_source_open(vm, frame->registers[INS_A(ins)], &source)) {
        return NULL;
    }
    block->ins = ins;
    return begin_for(vm, frame, block, source);
}

// index < count and not stop
static ValueId stop_condition(Vm *vm, StagedBlock *block, Value stop)
{
    Graph *graph = vm->trace->graph;
    ValueId id = truth_id(vm, stop);
    if (id == VALUE_ID_NONE) {
        return id;
    }
    // Both are evaluated each time; the flag has no effects, so there is no
    // need for a block.
    GraphNode *go = graph_append(graph, block->sides[0], OP_LOGICAL_NOT, &id, 1,
                                 NULL, block->place);
    if (go == NULL) {
        return VALUE_ID_NONE;
    }
    if (for_source_asks(&block->loop->source)) {
        return ask_condition(vm, block, node_output(go, 0));
    }
    ValueId both[2] = {block->condition, node_output(go, 0)};
    return node_first(graph_append(graph, block->sides[0], OP_LOGICAL_AND, both,
                                   2, NULL, block->place));
}

// A host loop goes on drawing where eager code may have left it. Of an iterator
// that others hold too that is seen.
static void tell_draw(Vm *vm, Value source)
{
    if (value_is_object(source) && value_object(source)->rc > 1 &&
        type_of(vm, source)->slots.next != NULL) {
        event_add(vm, vm->trace->events, EVENT_DRAW,
                  "an iterator, behind the turn that ends the loop",
                  VALUE_NONE);
    }
}

// A host loop whose flag is a tensor cannot be left: the remaining turns are
// traced under a test of the flag (compile_staged.c, for_turn).
const Ins *loop_stop(Vm *vm, Frame *frame, const BlockInfo *info, Ins ins)
{
    StagedBlock *block = block_running(vm, frame, info);
    Value stop = frame->registers[INS_A(ins)];
    if (block == NULL) {
        if (value_is_operand(stop)) { // a host loop goes on, turns guarded
            tell_draw(vm, frame->registers[INS_C(ins)]);
            empty(vm, frame, INS_A(ins));
        }
        return frame->pc;
    }
    // set_condition passes a failed id on.
    ValueId id = stop_condition(vm, block, stop);
    empty(vm, frame, INS_A(ins));
    return set_condition(vm, block, id)
               ? begin_body(vm, frame, block, INS_C(ins))
               : NULL;
}

// --- the end ---

// The turn that was traced is dropped, its nodes with it.
static bool drop_turn(Vm *vm, StagedBlock *block)
{
    VEC(GraphNode *) nodes = {0};
    bool ok = true;
    for (int side = 0; ok && side < 2; side++) {
        for (Walk walk = walk_forward(block->sides[side]);
             ok && walk_next(&walk);) {
            ok = walk.node == NULL || vec_push(&vm->ctx, &nodes, walk.node);
        }
    }
    while (ok && nodes.count > 0) {
        build_unlink(vm->trace->graph, vec_pop(&nodes));
    }
    vec_free(&vm->ctx, &nodes);
    state_drop(vm, block->info, block->first);
    return ok;
}

// What host code was told in the turn, and in its callees, no longer counts.
static void forget_told(Graph *graph, const StagedLoop *loop)
{
    graph->told.count = loop->first_told;
    for (size_t i = loop->first_callee; i < graph->callees.count; i++) {
        graph->callees.items[i]->widened = false;
    }
}

// The body is traced once more, with more state.
static const Ins *again(Vm *vm, Frame *frame, StagedBlock *block)
{
    ForSource source = block->loop->source;
    block->loop->source = FOR_SOURCE_NONE;
    bool is_for = !value_unbound(source.count);
    block->rounds++;
    block->diverged[1] = false;
    notes_end(vm, block);
    notes_cut(vm, block->notes[0]);
    bool ok = drop_turn(vm, block);
    forget_told(vm->trace->graph, block->loop);
    events_again(vm->trace->events, block->events);
    late_print_cut(vm, vm->trace, block->loop->printed);
    loop_free(vm, block);
    vm->trace->block = block->parent;
    if (!ok) {
        for_source_free(vm, &source);
        return NULL;
    }
    return is_for ? begin_for(vm, frame, block, source)
                  : open_while(vm, frame, block);
}

// A loop of the host would meet what its body adds to the list.
static bool walks_kept(Vm *vm, const StagedBlock *block)
{
    Value list = block->loop->source.list;
    return value_unbound(list) ||
           journal_find(&block->journal, value_object(list)) == NULL ||
           raise_false(vm, ERR_SYMBOLIC,
                       "the loop at line %u changes the list that it walks, "
                       "whose length tensors decide: walk a copy of it",
                       (unsigned)block_line(block));
}

// A turn that raises leaves nothing to take. Where it has changed a container
// and the copy that the loop shows of it, its error may be none when both are
// one: such containers are kept from now on. 1, 0: there are none, or -1.
static int keep_aliases(Vm *vm, StagedBlock *block)
{
    int found = 0;
    bool may = loop_may_repeat(vm, block);
    for (uint32_t i = 0; may && found >= 0 && i < block->info->place_count;
         i++) {
        const LoopSlot *slot = &block->loop->slots[i];
        Value before = block->before[i];
        if (slot->changed && value_is_object(before) &&
            journal_find(&block->journal, value_object(before)) != NULL) {
            found = vec_push(&vm->ctx, &block->kept, i) ? 1 : -1;
        }
    }
    return found;
}

// The last event of a loop, whatever its kind: on behind it.
static const Ins *finish(Vm *vm, Frame *frame, StagedBlock *block)
{
    const Ins *next = word_at(frame, block->info->join_target);
    bool raises = block->diverged[1];
    maybe_forget(vm, block);
    bool ok = walks_kept(vm, block) && journal_settle(vm, block) &&
              (raises || loop_take(vm, frame, block));
    int found = !ok ? -1 : raises ? keep_aliases(vm, block) : 1;
    found = found > 0 ? loop_find_held(vm, frame, block) : found;
    ok = found >= 0 &&
         (!raises || found > 0 || journal_restore(vm, block, false));
    int closed = !ok ? -1 : found > 0 ? 0 : loop_close(vm, frame, block);
    if (closed == 0) {
        return again(vm, frame, block);
    }
    block_end(vm);
    return closed > 0 && late_print_end(vm) ? next : NULL;
}
