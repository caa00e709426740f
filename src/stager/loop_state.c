// The state of a staged loop: params before a turn, results after it, outputs
// behind the loop.
//
// Invariant: the leaves of a slot are those of its variable's value before the
// loop, in the order of a walk (structure.h); both blocks have one param for
// each leaf, in the order of the leaves.
#include <string.h>

#include "graph/build.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/either.h"
#include "stager/events.h"
#include "stager/graph_function.h"
#include "stager/loop_carried.h"
#include "stager/loop_held.h"
#include "stager/maybe.h"
#include "stager/merge.h"
#include "stager/notes.h"
#include "stager/sizes.h"
#include "stager/structure.h"
#include "stager/weak.h"

// --- opening ---

// The type that a leaf begins with. Sizes that turns change, as an earlier
// trace of the body has found out, are unknown from the start.
static TensorType leaf_type(Vm *vm, const StagedBlock *block,
                            const LoopLeaf *leaf)
{
    TensorType type = graph_type(vm->trace->graph, leaf->init);
    for (size_t i = 0; i < block->wide.count; i++) {
        const WideLeaf *wide = &block->wide.items[i];
        bool meant = strcmp(wide->name, leaf->name) == 0 &&
                     graph_type_covers(wide->type, type);
        type = meant ? wide->type : type;
    }
    return type;
}

// The params are made with the type of the initial value; a size that a turn
// changes is made general when the node is appended.
uint32_t loop_add_leaf(Vm *vm, StagedBlock *block, ValueId init,
                       const char *name)
{
    Graph *graph = vm->trace->graph;
    LoopLeaf leaf = {
        .init = init, .result = VALUE_ID_NONE, .host = VALUE_UNBOUND};
    if (init == VALUE_ID_NONE) {
        return UINT32_MAX;
    }
    leaf.name = arena_strndup(&graph->arena, name, strlen(name));
    if (leaf.name == NULL) {
        return UINT32_MAX;
    }
    TensorType type = leaf_type(vm, block, &leaf);
    leaf.cond = graph_block_param(graph, block->sides[0], name, type);
    leaf.body = graph_block_param(graph, block->sides[1], name, type);
    if (leaf.cond == VALUE_ID_NONE || leaf.body == VALUE_ID_NONE ||
        !vec_push(&vm->ctx, &block->loop->leaves, leaf)) {
        return UINT32_MAX;
    }
    return (uint32_t)block->loop->leaves.count - 1;
}

// Names of flags that stand for jumps begin with a dot (lower.h).
void loop_tell(Vm *vm, const LoopLeaf *leaf, Value v)
{
    if (leaf->name[0] != '.') {
        event_tensor(vm, v);
    }
}

// A number enters as a constant of its default dtype and is weak: retype() may
// still change that when the turn is known.
static Value open_leaf(Vm *vm, Value v, void *data)
{
    LoopWalk *walk = data;
    if (!loop_is_leaf(v)) {
        return value_retain(v);
    }
    ValueId init = merge_leaf_id(vm, "while", walk->block->parent, v, DT_NONE);
    uint32_t index = loop_add_leaf(vm, walk->block, init, walk->name);
    if (index == UINT32_MAX) {
        return VALUE_FAIL;
    }
    // `host` marks the leaf as weak, and keeps what retype() needs to make its
    // initial value again.
    if (weak_is_number(v)) {
        walk->block->loop->leaves.items[index].host = value_retain(v);
    }
    walk->block->loop->leaves.items[index].text = symbolic_is_text(v);
    walk->block->loop->leaves.items[index].mixed = weak_is_host(v);
    // Only the leaves are wanted: the copy of the tree is thrown away.
    return VALUE_NONE;
}

// A flag that is unbound belongs to a loop inside this one, which sets it
// before its first turn.
static SlotKind slot_kind(const BlockPlace *place, Value before)
{
    if (place->hidden == HIDDEN_RESULT) {
        return SLOT_RESULT;
    }
    if (value_unbound(before) || place->hidden == HIDDEN_VALUE) {
        return SLOT_NONE;
    }
    if (place->hidden == HIDDEN_FLAG || place->hidden == HIDDEN_RETURNED) {
        return SLOT_FLAG;
    }
    return place->fresh ? SLOT_FRESH : SLOT_STATE;
}

static bool is_kept(const StagedBlock *block, uint32_t index)
{
    for (size_t i = 0; i < block->kept.count; i++) {
        if (block->kept.items[i] == index) {
            return true;
        }
    }
    return false;
}

// The leaves of one slot are consecutive, which slots rely on.
static bool open_slot(Vm *vm, LoopWalk *walk, LoopSlot *slot, Value before)
{
    Value copy = structure_map(vm, before, open_leaf, walk);
    bool ok = !value_failed(copy);
    release(vm, ok ? copy : VALUE_NONE);
    slot->leaf_count =
        (uint32_t)walk->block->loop->leaves.count - slot->first_leaf;
    return ok;
}

// Leaves are made in the block around the loop, and the params of both blocks.
bool loop_open(Vm *vm, Frame *frame, StagedBlock *block)
{
    Graph *graph = vm->trace->graph;
    uint32_t count = block->info->place_count;
    block->loop = ctx_alloc_zero(&vm->ctx, sizeof *block->loop);
    if (block->loop == NULL) {
        return false;
    }
    block->loop->source = FOR_SOURCE_NONE;
    block->loop->first_told = graph->told.count;
    block->loop->first_shaped = graph->shaped;
    block->loop->first_callee = graph->callees.count;
    block->loop->slots =
        ctx_alloc_zero(&vm->ctx, (count + 1) * sizeof(LoopSlot));
    // Side 0 is the test, side 1 the body, for `while` and `for` alike.
    block->sides[0] = graph_block_new(graph, block->parent);
    block->sides[1] = graph_block_new(graph, block->parent);
    block->loop->lasting = vm->trace->lasting;
    block->loop->asked = vm->trace->asked;
    block->loop->printed = vm->trace->printed.count;
    block->loop->kept = block->kept.count;
    bool ok = block->loop->slots != NULL && block->sides[0] != NULL &&
              block->sides[1] != NULL;
    for (size_t i = 0; i < block->kept.count; i++) {
        loop_lift_drop(vm, block, block->kept.items[i]);
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        char room[128];
        const BlockPlace *place = &block->info->places[i];
        LoopSlot *slot = &block->loop->slots[i];
        int part = loop_lift_covers(vm, block, place)
                       ? 1
                       : held_covers(vm, block, place);
        slot->kind = part != 0           ? SLOT_PART
                     : is_kept(block, i) ? SLOT_KEPT
                                         : slot_kind(place, block->before[i]);
        int carried = part == 0 ? loop_carried_opens(vm, block, i) : 0;
        slot->kind = carried > 0 ? SLOT_CARRIED : slot->kind;
        ok = part >= 0 && carried >= 0 &&
             (place->hidden || carried > 0 || loop_lift_open(vm, block, i));
        slot->first_leaf = (uint32_t)block->loop->leaves.count;
        LoopWalk walk =
            loop_walk(frame, block, slot, state_name(place, room, sizeof room));
        // A result has no value yet: its leaves are made when a turn has
        // returned one.
        if (slot->kind == SLOT_NONE || slot->kind == SLOT_RESULT ||
            slot->kind == SLOT_KEPT || slot->kind == SLOT_PART || !ok) {
            continue;
        }
        ok = open_slot(vm, &walk, slot, block->before[i]) &&
             (carried == 0 || loop_carried_flag(vm, block, i));
    }
    for (size_t i = 0; ok && i < block->held.count; i++) {
        char room[128];
        HeldPlace *place = &block->held.items[i];
        place->slot =
            (LoopSlot){.kind = SLOT_STATE,
                       .first_leaf = (uint32_t)block->loop->leaves.count};
        LoopWalk walk = loop_walk(frame, block, &place->slot,
                                  held_name(place, room, sizeof room));
        ok = open_slot(vm, &walk, &place->slot, held_state(place));
    }
    return ok && loop_made_open(vm, block);
}

// Right for a block that was opened half-way too.
void loop_free(Vm *vm, StagedBlock *block)
{
    StagedLoop *loop = block->loop;
    if (loop == NULL) {
        return;
    }
    for (size_t i = 0; i < loop->leaves.count; i++) {
        release(vm, loop->leaves.items[i].host);
    }
    vec_free(&vm->ctx, &loop->leaves);
    structure_free(vm, &loop->after);
    structure_free(vm, &loop->lifts);
    loop_shared_free(vm, block);
    for_source_free(vm, &loop->source);
    for (uint32_t i = 0; loop->slots != NULL && i < block->info->place_count;
         i++) {
        object_release_null(&vm->ctx, loop->slots[i].shown);
    }
    ctx_free(&vm->ctx, loop->slots,
             (block->info->place_count + 1) * sizeof(LoopSlot));
    ctx_free(&vm->ctx, loop, sizeof *loop);
    block->loop = NULL;
}

// --- showing ---

// The next leaf of a slot: a param, an output, or what it was if no turn
// changes it.
static Value show_leaf(Vm *vm, Value v, void *data)
{
    LoopWalk *walk = data;
    if (!loop_is_leaf(v)) {
        return value_retain(loop_is_kept(v) ? loop_kept(v) : v);
    }
    uint32_t index = walk->next++;
    const LoopLeaf *leaf = &walk->block->loop->leaves.items[index];
    ValueId id = walk->phase == PHASE_COND ? leaf->cond : leaf->body;
    bool weak = !value_unbound(leaf->host);
    if (walk->node != NULL) {
        // No turn changes it: behind the loop the value from before is as
        // good, and leaves the node with an output that nobody reads.
        if (leaf->result == leaf->body) {
            return value_retain(v);
        }
        id = node_output(walk->node, index);
        loop_tell(vm, leaf, leaf->host);
    }
    Value shown = trace_symbolic(vm, vm->trace, id, walk->name);
    if (!value_failed(shown)) {
        value_as_symbolic(shown)->weak = weak;
        value_as_symbolic(shown)->text = leaf->text;
        value_as_symbolic(shown)->mixed = leaf->mixed;
        vm->trace->weak = vm->trace->weak || weak;
    }
    return shown;
}

// Behind the loop: the tensors are its outputs, all else is as it was.
static Value show_result_leaf(Vm *vm, Value v, void *data)
{
    LoopWalk *walk = data;
    if (!value_is_operand(v)) {
        return value_retain(v);
    }
    bool late = walk->slot->kind == SLOT_LATE;
    uint32_t index = walk->next++;
    const LoopLeaf *leaf = &walk->block->loop->leaves.items[index];
    Value shown = trace_symbolic(vm, vm->trace, node_output(walk->node, index),
                                 late ? walk->name : "result");
    if (!value_failed(shown)) {
        value_as_symbolic(shown)->weak = late && !value_unbound(leaf->host);
        value_as_symbolic(shown)->text = leaf->text;
        value_as_symbolic(shown)->mixed = leaf->mixed;
    }
    return shown;
}

// An object that stands in it twice stays one.
static Value show_result(Vm *vm, LoopWalk *walk, Value v)
{
    bool met;
    return structure_map_shared(vm, v, show_result_leaf, NULL, walk, &met);
}

// Whether no turn comes to its end, so that behind the loop all is as before.
static bool leaves_state(const StagedBlock *block)
{
    return block->diverged[1] && !block->loop->rotated;
}

// What may be None is undecided.
static Value show_made(Vm *vm, Value v, Value copy, void *data)
{
    const LoopWalk *walk = data;
    const char *name = value_same(v, walk->state) ? walk->name : NULL;
    return either_is(vm, copy) ? maybe_shown(vm, name, copy)
                               : loop_shared_show(vm, walk->block, v, copy);
}

static Value show_state(Vm *vm, LoopWalk *walk, Value state)
{
    walk->state = state;
    return structure_map_state(vm, state, show_leaf, show_made, walk);
}

// What the slot has of the state in a phase; owned. `first` is what it held
// before the loop.
static Value shown_value(Vm *vm, LoopWalk *walk, Value before, Value first)
{
    bool behind = walk->node != NULL;
    switch (walk->slot->kind) {
    case SLOT_STATE:
    case SLOT_CARRIED:
    // A variable that each turn sets anew is unbound within the loop, so that
    // a read before the store is found out.
    case SLOT_FRESH:
        return behind && leaves_state(walk->block) ? value_retain(first)
               : behind || walk->slot->kind != SLOT_FRESH
                   ? show_state(vm, walk, before)
                   : VALUE_UNBOUND;
    case SLOT_KEPT: return value_retain(before);
    // A flag is false at the start of each turn, or the turn would not be.
    case SLOT_FLAG:
        return walk->phase == PHASE_BODY && !behind
                   ? VALUE_FALSE
                   : show_leaf(vm, before, walk);
    default: return VALUE_UNBOUND;
    }
}

// Of a slot that has a value on a condition: whether it has.
static Value shown_flag(Vm *vm, const LoopWalk *walk)
{
    const StagedLoop *loop = walk->block->loop;
    uint32_t index = walk->slot->kind == SLOT_LATE ? loop->turned_leaf
                                                   : walk->slot->flag_leaf;
    const LoopLeaf *leaf = &loop->leaves.items[index];
    ValueId id = walk->node != NULL          ? node_output(walk->node, index)
                 : walk->phase == PHASE_COND ? leaf->cond
                                             : leaf->body;
    return trace_symbolic(vm, vm->trace, id, NULL);
}

// The variable has no value until it is read.
static bool show_late(Vm *vm, LoopWalk *walk, uint32_t i)
{
    StagedBlock *block = walk->block;
    bool late = walk->slot->kind == SLOT_LATE;
    Value v = late ? show_result(vm, walk, block->first[i])
                   : shown_value(vm, walk, block->before[i],
                                 loop_lift_before(block, i));
    bool ok = !value_failed(v) &&
              (walk->node == NULL ||
               loop_note_place(vm, block, i, v,
                               late ? VALUE_UNBOUND : block->before[i]));
    Value turned = !ok ? VALUE_FAIL
                   : !late && walk->node != NULL && leaves_state(block)
                       ? loop_carried_before(block, i)
                       : shown_flag(vm, walk);
    return loop_carried_show(vm, walk, i, v, turned);
}

static void set_shown(Vm *vm, LoopSlot *slot, Value v)
{
    v = loop_value_of(vm, v);
    bool is = !value_failed(v) && value_is_object(v) && !loop_is_leaf(v);
    object_release_null(&vm->ctx, slot->shown);
    slot->shown = is ? object_retain(value_object(v)) : NULL;
}

static bool show_place(Vm *vm, Frame *frame, StagedBlock *block, uint32_t i,
                       BlockPhase phase, const GraphNode *node)
{
    char room[128];
    const BlockPlace *place = &block->info->places[i];
    LoopWalk walk = loop_walk(frame, block, &block->loop->slots[i],
                              state_name(place, room, sizeof room));
    walk.phase = phase;
    walk.node = node;
    bool result = walk.slot->kind == SLOT_RESULT && node != NULL;
    if (walk.slot->kind == SLOT_PART) {
        return true;
    }
    if (walk.slot->kind == SLOT_CARRIED ||
        (walk.slot->kind == SLOT_LATE && node != NULL)) {
        return show_late(vm, &walk, i);
    }
    Value v = result && walk.slot->leaf_count == 0
                  ? value_retain(block->first[i])
              : result ? show_result(vm, &walk, block->first[i])
                       : shown_value(vm, &walk, block->before[i],
                                     loop_lift_before(block, i));
    set_shown(vm, &block->loop->slots[i], v);
    if (!value_failed(v) && node != NULL &&
        !loop_note_place(vm, block, i, v, block->before[i])) {
        release(vm, v);
        return false;
    }
    return !value_failed(v) && state_set(vm, frame, place, v);
}

static bool show_held(Vm *vm, Frame *frame, StagedBlock *block, size_t i,
                      BlockPhase phase, const GraphNode *node)
{
    char room[128];
    const HeldPlace *place = &block->held.items[i];
    LoopWalk walk = loop_walk(frame, block, &place->slot,
                              held_name(place, room, sizeof room));
    walk.phase = phase;
    walk.node = node;
    Value v = shown_value(vm, &walk, held_state(place),
                          place->made ? VALUE_UNBOUND : place->before);
    if (!value_failed(v) && node != NULL &&
        !loop_note_place(vm, block, block->info->place_count + i, v,
                         place->before)) {
        release(vm, v);
        return false;
    }
    return !value_failed(v) && held_set(vm, place, v);
}

// One walk for the three views: the condition's params, the body's, the node's
// outputs. What a place lies in comes before it: a turn may have left another
// object there.
static bool show_places(Vm *vm, Frame *frame, StagedBlock *block,
                        BlockPhase phase, const GraphNode *node)
{
    bool ok = loop_made_hide(vm, block) && loop_shared_open(vm, block);
    uint32_t deepest = state_depth(block->info);
    for (uint32_t depth = 0; ok && depth <= deepest; depth++) {
        for (uint32_t i = 0; ok && i < block->info->place_count; i++) {
            ok = block->info->places[i].step_count != depth ||
                 show_place(vm, frame, block, i, phase, node);
        }
        // What turns make comes last, as its place has nothing before.
        for (size_t i = 0; ok && i < block->held.count; i++) {
            ok = depth != (block->held.items[i].made ? deepest : 0) ||
                 show_held(vm, frame, block, i, phase, node);
        }
    }
    return ok;
}

static bool show_all(Vm *vm, Frame *frame, StagedBlock *block, BlockPhase phase,
                     const GraphNode *node)
{
    vm->trace->showing = true;
    bool ok = show_places(vm, frame, block, phase, node);
    vm->trace->showing = false;
    if (!ok) {
        return false;
    }
    // Items of what is shown are places of their own: they were set, too.
    for (uint32_t i = 0; i < block->info->place_count; i++) {
        block->loop->slots[i].changed = false;
    }
    for (size_t i = 0; i < block->loop->parts.count; i++) {
        block->loop->parts.items[i].changed = false;
    }
    journal_again(&block->journal);
    return (node != NULL && leaves_state(block)) ||
           loop_made_show(vm, block, phase, node);
}

// From here on the frame computes in that block of the graph.
bool loop_show(Vm *vm, Frame *frame, StagedBlock *block, BlockPhase phase)
{
    block->phase = phase;
    vm->trace->block = block->sides[phase == PHASE_COND ? 0 : 1];
    return show_all(vm, frame, block, phase, NULL);
}

// --- closing ---

// Whether the turn has made sizes unknown that the body was traced with.
static bool has_grown(Vm *vm, const StagedBlock *block)
{
    bool grown = false;
    for (size_t i = 0; !grown && i < block->loop->leaves.count; i++) {
        const LoopLeaf *leaf = &block->loop->leaves.items[i];
        grown = !graph_type_equal(leaf_type(vm, block, leaf),
                                  graph_type(vm->trace->graph, leaf->body));
    }
    return grown;
}

// The sizes that the turn has made unknown are so in the next trace of the
// body, for which the node goes. 0, or -1 with an error pending.
static int begin_wide(Vm *vm, StagedBlock *block, GraphNode *node)
{
    Graph *graph = vm->trace->graph;
    bool ok = true;
    for (size_t i = 0; ok && i < block->loop->leaves.count; i++) {
        const LoopLeaf *leaf = &block->loop->leaves.items[i];
        WideLeaf wide = {leaf->name, graph_type(graph, leaf->body)};
        ok = graph_type_equal(wide.type, leaf_type(vm, block, leaf)) ||
             vec_push(&vm->ctx, &block->wide, wide);
    }
    build_unlink(graph, node);
    return ok && journal_restore(vm, block, true) ? 0 : -1;
}

// The node takes the state before the loop; what its blocks yield was set or
// is set here. The frame then holds its outputs.
int loop_close(Vm *vm, Frame *frame, StagedBlock *block)
{
    Graph *graph = vm->trace->graph;
    StagedLoop *loop = block->loop;
    // Initial values and results in one array, halves of equal length.
    size_t count = loop->leaves.count;
    ValueId *ids = ctx_alloc(&vm->ctx, (count * 2 + 1) * sizeof *ids);
    if (ids == NULL) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const LoopLeaf *leaf = &loop->leaves.items[i];
        ids[i] = leaf->init;
        ids[count + i] =
            leaf->result == VALUE_ID_NONE ? leaf->body : leaf->result;
    }
    // Behind the loop nodes go where they went before it.
    vm->trace->block = block->parent;
    bool ok = true;
    // The only turn ends in an exception: its body yields nothing.
    if (block->diverged[1]) {
        graph_block_diverges(block->sides[1]);
    } else {
        ok = graph_block_results(graph, block->sides[1], ids + count,
                                 (uint32_t)count);
    }
    GraphNode *node =
        ok ? graph_append_blocks(graph, block->parent, OP_WHILE, ids,
                                 (uint32_t)count, block->sides, block->place)
           : NULL;
    ctx_free(&vm->ctx, ids, (count * 2 + 1) * sizeof *ids);
    int same = node == NULL ? -1
                            : sizes_check(vm, block, has_grown(vm, block),
                                          loop_may_repeat(vm, block));
    if (same <= 0) {
        return same < 0 ? -1 : begin_wide(vm, block, node);
    }
    return (leaves_state(block) || loop_note_shown(vm, block)) &&
                   graph_function_record_node(vm, &node) &&
                   show_all(vm, frame, block, PHASE_BODY, node) &&
                   maybe_learn_loop(vm, frame, block, node)
               ? 1
               : -1;
}
