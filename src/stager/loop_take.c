// What a turn of a staged loop has left in its variables: the results that the
// body yields.
//
// A variable must come out of the turn as it went in: a tensor or number of
// the same dtype, a structure of the same form, any other value itself. Sizes
// may change: the graph makes them general (graph/graph_infer.c). A host number
// is weak: if all that a turn does with it is to cast it to one dtype, it
// enters the loop with that dtype.
#include <stdio.h>

#include "graph/build.h"
#include "graph/walk.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/tensors/apply.h"
#include "stager/describe.h"
#include "stager/either.h"
#include "stager/era.h"
#include "stager/events.h"
#include "stager/journal_older.h"
#include "stager/loop_carried.h"
#include "stager/loop_held.h"
#include "stager/maybe.h"
#include "stager/merge.h"
#include "stager/notes.h"
#include "stager/staged_list.h"
#include "stager/structure.h"
#include "stager/weak.h"

// --- dtypes ---

// " (line 5)", or nothing.
static void line_text(uint32_t line, char room[24])
{
    snprintf(room, 24, line != 0 ? " (line %u)" : "%.0u", (unsigned)line);
}

bool loop_fail_change(Vm *vm, const LoopWalk *walk, Value before, Value after)
{
    // Rooms for the descriptions of both values; longer ones are cut.
    char a[80], b[80];
    if (value_unbound(after) && walk->block->info->places != NULL) {
        Str *name = str_from(vm, walk->name);
        bool noted = name != NULL && notes_raise(vm, walk->frame->code, name);
        object_release_null(&vm->ctx, name);
        if (name == NULL || noted) {
            return false;
        }
    }
    if (!describe_value(vm, before, a, sizeof a) ||
        !describe_value(vm, after, b, sizeof b)) {
        return false;
    }
    const Code *code = walk->frame->code;
    Span loop = walk->block->info->span;
    bool dtypes = value_is_operand(before) && value_is_operand(after);
    ErrorKind kind = dtypes ? ERR_DTYPE : ERR_TYPE;
    char lines[2][24];
    line_text(notes_line(vm, walk->frame, before, walk->name,
                         (Span){code->start, loop.start}),
              lines[0]);
    line_text(notes_line(vm, walk->frame, after, walk->name, loop), lines[1]);
    return raise_false(vm, kind,
                       "%s: '%s' is %s%s before the loop at line %u and %s%s "
                       "after a turn of it; %s",
                       walk->block->info->what, walk->name, a, lines[0],
                       (unsigned)source_place(code->source, loop.start).line, b,
                       lines[1], notes_turn_cure(kind, before, after));
}

// Every use of the value is a cast to `dtype`. What an inner block yields is
// used as it is, whatever becomes of the result; what `top` itself yields is
// not asked for here.
static bool only_cast(GraphBlock *top, ValueId id, DType dtype)
{
    for (Walk walk = walk_forward(top); walk_next(&walk);) {
        uint32_t count;
        const ValueId *used = walk_uses(&walk, &count);
        const GraphNode *node = walk.node;
        bool free = node == NULL
                        ? walk.block == top
                        : node->op == OP_CAST && node->attrs[0].dtype == dtype;
        for (uint32_t i = 0; i < count && !free; i++) {
            if (used[i] == id) {
                return false;
            }
        }
    }
    return true;
}

// A host number that the dtype cannot hold is a misfit, for which there are
// other ways or which the caller words; other errors stay. 0 or -1.
static int clear_misfit(Vm *vm)
{
    if (!raise_matches(vm, ERR_DTYPE) && !raise_matches(vm, ERR_OP_OVERFLOW)) {
        return -1;
    }
    raise_clear(vm);
    return 0;
}

// A host number that met a tensor only under this dtype enters with it. 1: it
// does; 0: it cannot; -1: failed.
static int retype(Vm *vm, StagedBlock *block, LoopLeaf *leaf, DType dtype)
{
    Graph *graph = vm->trace->graph;
    // Only a leaf that was a host number, and that test and body use for
    // nothing but casts to this dtype, can change without making an existing
    // node wrong.
    if (value_unbound(leaf->host) || leaf->result == leaf->body ||
        !only_cast(block->sides[0], leaf->cond, dtype) ||
        !only_cast(block->sides[1], leaf->body, dtype)) {
        return 0;
    }
    ValueId init = VALUE_ID_NONE;
    if (merge_is_number(leaf->host)) {
        init = merge_leaf_id(vm, "while", block->parent, leaf->host, dtype);
    } else {
        // A weak symbolic number of an outer loop: the cast belongs to the
        // block around the loop, where the value enters.
        GraphBlock *now = vm->trace->block;
        AttrValue attr = {.kind = ATTR_DTYPE, .dtype = dtype};
        vm->trace->block = block->parent;
        Value cast = apply_one(vm, OP_CAST, &leaf->host, 1, &attr);
        init = value_failed(cast) ? init : trace_operand(vm, vm->trace, cast);
        release(vm, cast);
        vm->trace->block = now;
    }
    TensorType type = graph_type(graph, leaf->body);
    type.dtype = dtype;
    if (init == VALUE_ID_NONE) {
        return clear_misfit(vm);
    }
    if (!build_set_type(graph, leaf->body, type) ||
        !build_set_type(graph, leaf->cond, type)) {
        return -1;
    }
    leaf->init = init;
    return 1;
}

// The dtype that a leaf's variable wants after the turn.
static DType wanted_dtype(Value after, DType have)
{
    if (value_is_operand(after)) {
        return operand_type(after).dtype;
    }
    // A leaf of ints takes no host float; one of floats takes a host int.
    bool to_float = value_is_float(after) && !dtype_is_float(have);
    return to_float ? DT_FLOAT32 : have;
}

// 1: the leaf has its result; 0: the dtypes do not fit; -1: failed.
static int take_leaf(Vm *vm, StagedBlock *block, uint32_t index, Value after)
{
    LoopLeaf *leaf = &block->loop->leaves.items[index];
    DType have = graph_type(vm->trace->graph, leaf->body).dtype;
    DType want = wanted_dtype(after, have);
    if (symbolic_is_weak(after) && value_unbound(leaf->host)) {
        event_number(vm, vm->trace->events,
                     dtype_is_float(dtype_element(want)));
    }
    // A leaf is made wider if need be, but never narrower for a weak number
    // that could be made wider itself.
    if (want != have && !(symbolic_is_weak(after) && want < have)) {
        int retyped = retype(vm, block, leaf, want);
        if (retyped < 0) {
            return -1;
        }
        have = retyped > 0 ? want : have;
    }
    // A weak number takes the leaf's dtype, unless a fraction would be lost.
    if (want != have && symbolic_is_weak(after) && !dtype_is_list(want) &&
        !dtype_is_list(have) &&
        !(dtype_is_float(want) && !dtype_is_float(have))) {
        AttrValue attr = {.kind = ATTR_DTYPE, .dtype = have};
        Value cast = apply_one(vm, OP_CAST, &after, 1, &attr);
        leaf->result = value_failed(cast) ? VALUE_ID_NONE
                                          : trace_operand(vm, vm->trace, cast);
        release(vm, cast);
        return leaf->result == VALUE_ID_NONE ? -1 : 1;
    }
    if (want != have) {
        return 0;
    }
    if (!value_unbound(leaf->host) && value_is_operand(after) &&
        !symbolic_is_weak(after)) { // it is a tensor's from now on
        loop_tell(vm, leaf, leaf->host);
        value_replace(&vm->ctx, &leaf->host, VALUE_UNBOUND);
    }
    leaf->text = leaf->text && value_is_text(after);
    // The turn has taken it for a tensor, where its type was asked for.
    if (weak_is_host(after) && !leaf->mixed &&
        vm->trace->asked > block->loop->asked) {
        event_add(vm, vm->trace->events, EVENT_LOOK, "a type", VALUE_NONE);
    }
    leaf->mixed = leaf->mixed || weak_is_host(after);
    loop_tell(vm, leaf, after);
    leaf->result = merge_leaf_id(vm, "while", block->sides[1], after, have);
    return leaf->result == VALUE_ID_NONE ? clear_misfit(vm) : 1;
}

// A variable that may be None has a choice before the turn, and so behind it.
static int take_choice(Vm *vm, LoopWalk *walk, Value before, Value after)
{
    Value state = maybe_turn(vm, before, after);
    int taken =
        value_failed(state) ? -1 : loop_take_value(vm, walk, before, state);
    release(vm, state);
    return taken;
}

// The graph holds the list in the state, and the turn has left one of its own.
static int take_list(Vm *vm, LoopWalk *walk, Value before, Value after)
{
    ListForm form = {.pattern = VALUE_UNBOUND};
    int taken = staged_list_add_form(vm, &form, before);
    taken = taken == 1 ? staged_list_add_form(vm, &form, after) : taken;
    if (taken == 1) {
        Value staged =
            staged_list_from(vm, &form, walk->block->sides[1], after);
        taken = value_failed(staged)
                    ? -1
                    : loop_take_value(vm, walk, before, staged);
        release(vm, staged);
    }
    list_form_free(vm, &form);
    return taken;
}

// Matches a value after the turn with the one before the loop, leaf by leaf.
int loop_take_value(Vm *vm, LoopWalk *walk, Value before, Value after)
{
    if (loop_is_kept(before)) {
        return value_same(loop_kept(before), after);
    }
    if (either_is(vm, before) && !either_is(vm, after)) {
        return take_choice(vm, walk, before, after);
    }
    if (loop_is_leaf(before)) {
        uint32_t index = walk->next++;
        // It may have become longer since, by another name: no leaf is its.
        return index < walk->slot->first_leaf + walk->slot->leaf_count &&
                       (loop_is_leaf(after) ||
                        (symbolic_is_text(before) && value_is_str(after)))
                   ? take_leaf(vm, walk->block, index, after)
                   : 0;
    }
    if (staged_list_is(vm, before) && value_is_kind(after, KIND_LIST) &&
        staged_list_fits(vm, after)) {
        return take_list(vm, walk, before, after);
    }
    if (value_is_kind(before, KIND_DICT) && value_is_kind(after, KIND_DICT)) {
        merge_tell_order(vm, before, after);
    }
    // Each leaf is met, also those of a part that is the very same object.
    StructureKind kind = structure_kind(vm, before);
    if (kind == STRUCTURE_LEAF || kind == STRUCTURE_SET) {
        return merge_same(before, after);
    }
    int same = loop_alike(vm, before, after);
    if (same <= 0 || !ctx_enter(&vm->ctx)) {
        return same < 0 ? -1 : 0;
    }
    ValueVec first = {0}, second = {0};
    int taken = loop_parts(vm, before, &first) && loop_parts(vm, after, &second)
                    ? 1
                    : -1;
    for (size_t i = 0; taken == 1 && i < first.count; i++) {
        taken = loop_take_value(vm, walk, first.items[i], second.items[i]);
    }
    structure_free(vm, &first);
    structure_free(vm, &second);
    ctx_leave(&vm->ctx);
    return taken;
}

// A fresh variable whose value does not carry over: gone behind the loop.
static void give_up(StagedBlock *block, LoopSlot *slot)
{
    // Its leaves stay in the loop as state that nothing changes: the params
    // exist already.
    for (uint32_t i = 0; i < slot->leaf_count; i++) {
        LoopLeaf *leaf = &block->loop->leaves.items[slot->first_leaf + i];
        leaf->result = leaf->body;
    }
    slot->kind = SLOT_NONE;
}

// Whether a turn makes a place in what was there before the loop, and has no
// journal: without a turn it would not be there. What a turn puts into an
// object of its own goes with that; what is new in another one is found when
// contents are compared. -1: failed.
static int is_new_place(Vm *vm, const LoopWalk *walk, const BlockPlace *place,
                        Value after)
{
    if (place->step_count == 0 || value_unbound(after)) {
        return 0;
    }
    Value holder = state_holder(vm, walk->frame, place);
    if (value_failed(holder)) {
        return -1;
    }
    const PathStep *last = &place->steps[place->step_count - 1];
    bool older = value_is_object(holder)
                     ? !era_has(vm, walk->block->era, value_object(holder)) &&
                           !journal_had(&walk->block->journal, holder, last)
                     : !value_unbound(holder);
    release(vm, holder);
    return older;
}

// Unlike a variable, an entry or attribute cannot be left unbound.
static bool fail_new(Vm *vm, const LoopWalk *walk, const BlockPlace *place)
{
    Place line =
        source_place(walk->frame->code->source, walk->block->info->span.start);
    bool item = place->steps[place->step_count - 1].item;
    return raise_false(vm, ERR_TYPE,
                       "%s is a new %s in the loop at line %u, whose turns a "
                       "tensor decides about: assign it before the loop too",
                       walk->name, item ? "entry" : "attribute",
                       (unsigned)line.line);
}

static bool is_shown(const LoopSlot *slot, Value after)
{
    return slot->kind == SLOT_STATE && value_is_object(after) &&
           value_object(after) == slot->shown;
}

// What can be changed, and is copied with the loop's state.
static bool is_container(Vm *vm, Value v)
{
    StructureKind kind = structure_kind(vm, v);
    return kind != STRUCTURE_LEAF && kind != STRUCTURE_TUPLE &&
           kind != STRUCTURE_NAMED;
}

// Some leaf is not what it was when the turn began.
static bool is_changed(const StagedBlock *block, const LoopSlot *slot)
{
    for (uint32_t i = 0; i < slot->leaf_count; i++) {
        const LoopLeaf *leaf = &block->loop->leaves.items[slot->first_leaf + i];
        if (leaf->result != leaf->body) {
            return true;
        }
    }
    return false;
}

bool loop_add_turned(Vm *vm, StagedBlock *block)
{
    StagedLoop *loop = block->loop;
    if (loop->has_turned) {
        return true;
    }
    ValueId no =
        merge_leaf_id(vm, "while", block->parent, VALUE_FALSE, DT_BOOL);
    ValueId yes =
        merge_leaf_id(vm, "while", block->sides[1], VALUE_TRUE, DT_BOOL);
    loop->turned_leaf = loop_add_leaf(vm, block, no, "turned");
    loop->has_turned = yes != VALUE_ID_NONE && loop->turned_leaf != UINT32_MAX;
    if (loop->has_turned) {
        loop->leaves.items[loop->turned_leaf].result = yes;
    }
    return loop->has_turned;
}

// A variable that a turn sets, that had no value before, and that is read
// behind the loop: its tensors enter as zeros that nobody reads.
static bool take_late(Vm *vm, StagedBlock *block, uint32_t i, LoopWalk *walk,
                      Value after)
{
    block->loop->slots[i].kind = SLOT_LATE;
    return loop_add_turned(vm, block) &&
           loop_take_result(vm, block, i, walk, after);
}

// What became of one variable; hidden ones have rules of their own.
static bool take_slot(Vm *vm, StagedBlock *block, uint32_t i, LoopWalk *walk,
                      Value after)
{
    LoopSlot *slot = &block->loop->slots[i];
    Value before = block->before[i];
    if (slot->kind == SLOT_PART) {
        return true;
    }
    if (slot->kind == SLOT_RESULT) {
        return loop_take_result(vm, block, i, walk, after);
    }
    if (slot->kind == SLOT_CARRIED) {
        return loop_carried_take(vm, block, i, walk, after);
    }
    if (slot->kind == SLOT_NONE) {
        const BlockPlace *place = &block->info->places[i];
        const LateValue *around;
        int carried = loop_carried_find(vm, block, i, walk, after);
        if (carried != 0) {
            return carried > 0;
        }
        int made = place->hidden ? 0 : is_new_place(vm, walk, place, after);
        if (made == 0 && !place->hidden && place->kind == STATE_LOCAL &&
            place->step_count == 0 && loop_carried_wanted(block, place) &&
            !value_unbound(after) && loop_can_carry(vm, block, after) &&
            notes_around(vm, block, place->index, &around) && around == NULL) {
            return take_late(vm, block, i, walk, after);
        }
        return made == 0 ? place->hidden || loop_note_gone(vm, walk, after)
                         : made > 0 && fail_new(vm, walk, place);
    }
    // A flag that no statement of this turn has set has not been raised.
    after =
        slot->kind == SLOT_FLAG && value_unbound(after) ? VALUE_FALSE : after;
    // The order matters: a fresh variable may fail to carry over and is then
    // given up; one that the program set before the loop may not.
    if (slot->kind == SLOT_KEPT) {
        return value_same(before, after) ||
               loop_fail_change(vm, walk, before, after);
    }
    // The container itself, by whatever name: no copy may take its place; and
    // an object is there for places in it from the start of the turn.
    if (value_same(before, after) &&
        (is_container(vm, after) ||
         (slot->kind == SLOT_FRESH && loop_is_changed(block, i, before)))) {
        return vec_push(&vm->ctx, &block->kept, i);
    }
    int taken =
        value_unbound(after) ? 0 : loop_take_value(vm, walk, before, after);
    // The turn did not make another one but changed the one that it found,
    // which may have other names.
    if (taken >= 0 && is_shown(slot, after) && !either_is(vm, before) &&
        (taken == 0 || is_changed(block, slot) ||
         loop_is_changed(block, i, loop_lift_before(block, i)))) {
        return vec_push(&vm->ctx, &block->kept, i);
    }
    if (taken == 0 && !value_unbound(after)) {
        taken = loop_lift(vm, block, i, after);
    }
    if (taken == 0 && slot->kind == SLOT_FRESH) {
        give_up(block, slot);
        return loop_note_gone(vm, walk, after);
    }
    return taken == 1 ||
           (taken == 0 &&
            loop_fail_change(vm, walk, loop_lift_before(block, i), after));
}

// Places that the loop's text does not name.
static bool take_held(Vm *vm, Frame *frame, StagedBlock *block)
{
    bool ok = true;
    for (size_t i = 0; ok && i < block->held.count; i++) {
        char room[128];
        HeldPlace *place = &block->held.items[i];
        LoopWalk walk = loop_walk(frame, block, &place->slot,
                                  held_name(place, room, sizeof room));
        Value after = held_get(vm, place);
        // An element of a list that the graph holds by now, as is found next.
        bool part = value_unbound(after) && value_is_int(place->key) &&
                    staged_list_is(vm, value_from_object(place->container));
        int taken = value_failed(after) ? -1
                    : part              ? 1
                    : value_unbound(after)
                        ? 0
                        : loop_take_value(vm, &walk, held_state(place), after);
        taken = taken == 0 ? loop_lift_held(vm, block, place, after) : taken;
        ok = taken == 1 ||
             (taken == 0 && loop_fail_change(vm, &walk, place->before, after));
        ok = structure_push(vm, &block->loop->after, after) && ok;
    }
    return ok;
}

// Whether the place is an element of a list that the graph holds by now, as is
// found next. -1: failed.
static int is_held(Vm *vm, Frame *frame, const BlockPlace *place)
{
    if (place->step_count == 0 || !place->steps[place->step_count - 1].item) {
        return 0;
    }
    Value holder = state_holder(vm, frame, place);
    if (value_failed(holder)) {
        return -1;
    }
    bool held = staged_list_is(vm, holder);
    release(vm, holder);
    return held;
}

// Reads the frame as the turn left it. Conversions go to the end of the body.
bool loop_take(Vm *vm, Frame *frame, StagedBlock *block)
{
    if (!loop_made_take(vm, block)) {
        return false;
    }
    for (uint32_t i = 0; i < block->info->place_count; i++) {
        char room[128];
        const BlockPlace *place = &block->info->places[i];
        LoopWalk walk = loop_walk(frame, block, &block->loop->slots[i],
                                  place->hidden == HIDDEN_RESULT
                                      ? "the result"
                                      : state_name(place, room, sizeof room));
        // Owned: a computed attribute gives a new value each time.
        Value after = state_get(vm, frame, place);
        if (value_failed(after)) {
            return false;
        }
        int part = value_unbound(after) ? is_held(vm, frame, place) : 0;
        bool ok = part != 0 ? part > 0 : take_slot(vm, block, i, &walk, after);
        if (!structure_push(vm, &block->loop->after, after) || !ok) {
            return false;
        }
    }
    bool ok = take_held(vm, frame, block);
    // What is to be traced again is judged then.
    structure_free(vm, &block->loop->lifts);
    bool again = block->more || block->kept.count > block->loop->kept;
    ok = ok && (again || loop_check_changed(vm, block));
    structure_free(vm, &block->loop->lifts);
    return ok;
}
