// What loops carry of variables that need not be set.
//
// Invariant: such a variable's register is empty where a turn begins, and the
// newest note on it has the late value.
#include "stager/loop_carried.h"

#include <stdio.h>

#include "graph/build.h"
#include "interp/objects/text/obj_str.h"
#include "stager/describe.h"
#include "stager/loop_held.h"
#include "stager/notes.h"
#include "stager/state.h"
#include "stager/structure.h"

void loop_carried_free(Vm *vm, StagedBlock *block)
{
    for (size_t i = 0; i < block->carried.count; i++) {
        release(vm, block->carried.items[i].turned);
    }
    vec_free(&vm->ctx, &block->carried);
}

void loop_carried_ask(Vm *vm, const Frame *frame, const Str *name)
{
    StagedBlock *block = vm->trace->blocks;
    for (; block != NULL && block->frame == frame; block = block->outer) {
        bool has = block->loop != NULL && block->loop->slots != NULL;
        for (uint32_t i = 0; has && i < block->info->place_count; i++) {
            const BlockPlace *place = &block->info->places[i];
            block->loop->slots[i].asked |= place->step_count == 0 &&
                                           place->hidden == HIDDEN_NONE &&
                                           place->name == name;
        }
    }
}

bool loop_carried_wanted(const StagedBlock *block, const BlockPlace *wanted)
{
    const Frame *frame = block->frame;
    bool found = false;
    for (; block != NULL && block->frame == frame && !found;
         block = block->outer) {
        bool has = block->loop != NULL && block->loop->slots != NULL;
        for (uint32_t i = 0; has && i < block->info->place_count; i++) {
            const BlockPlace *place = &block->info->places[i];
            const LoopSlot *slot = &block->loop->slots[i];
            found |=
                state_is_variable(place) && place->index == wanted->index &&
                (place->later || slot->asked || slot->kind == SLOT_CARRIED);
        }
    }
    return found;
}

static CarriedPlace *find_carried(const StagedBlock *block, uint32_t i)
{
    for (size_t at = 0; at < block->carried.count; at++) {
        if (block->carried.items[at].place == i) {
            return &block->carried.items[at];
        }
    }
    return NULL;
}

// The value before the loop is borrowed.
static bool add_carried(Vm *vm, StagedBlock *block, uint32_t i, Value before,
                        Value turned)
{
    CarriedPlace carried = {i, turned};
    if (!vec_push(&vm->ctx, &block->carried, carried)) {
        return false;
    }
    (void)value_retain(turned);
    value_replace(&vm->ctx, &block->before[i], value_retain(before));
    return true;
}

bool loop_carried_shares(Vm *vm, Value v)
{
    StructureKind kind = structure_kind(vm, v);
    ValueVec children = {0};
    bool holds = kind != STRUCTURE_LEAF && kind != STRUCTURE_TUPLE &&
                 kind != STRUCTURE_NAMED;
    if (kind == STRUCTURE_LEAF || holds || !ctx_enter(&vm->ctx)) {
        return holds;
    }
    holds = !structure_children(vm, v, &children);
    for (size_t i = 0; i < children.count && !holds; i++) {
        holds = loop_carried_shares(vm, children.items[i]);
    }
    structure_free(vm, &children);
    ctx_leave(&vm->ctx);
    return holds;
}

int loop_carried_opens(Vm *vm, StagedBlock *block, uint32_t i)
{
    const BlockPlace *place = &block->info->places[i];
    if (find_carried(block, i) != NULL) {
        return 1;
    }
    const LateValue *late = NULL;
    if (state_is_variable(place) && value_unbound(block->before[i])) {
        (void)notes_around(vm, block, place->index, &late);
    }
    if (late == NULL || !loop_can_carry(vm, block, late->value)) {
        return vm_has_error(vm) ? -1 : 0;
    }
    return add_carried(vm, block, i, late->value, late->turned) ? 1 : -1;
}

bool loop_carried_flag(Vm *vm, StagedBlock *block, uint32_t i)
{
    Value turned = find_carried(block, i)->turned;
    ValueId init = merge_leaf_id(vm, "while", block->parent, turned, DT_BOOL);
    uint32_t leaf = loop_add_leaf(vm, block, init, "turned");
    block->loop->slots[i].flag_leaf = leaf;
    return leaf != UINT32_MAX;
}

Value loop_carried_before(const StagedBlock *block, uint32_t i)
{
    return value_retain(find_carried(block, i)->turned);
}

// The variable is set in a turn but need not be: reading it behind the loop is
// an error that says so.
bool loop_note_gone(Vm *vm, const LoopWalk *walk, Value after)
{
    char text[300], what[80];
    if (value_unbound(after)) {
        return true;
    }
    if (!describe_value(vm, after, what, sizeof what)) {
        return false;
    }
    Place place =
        source_place(walk->frame->code->source, walk->block->info->span.start);
    snprintf(text, sizeof text,
             "'%s' has no value behind the loop at line %u: a turn sets it "
             "to %s, but it had no such value before the loop, which may "
             "make no turn; begin with one",
             walk->name, (unsigned)place.line, what);
    return notes_add(vm, walk->frame, walk->name, walk->block->info->span,
                     ERR_UNBOUND_LOCAL, text);
}

// What is told within the loop of one that cannot be carried after all.
static bool note_turn(Vm *vm, const LoopWalk *walk, Value value)
{
    char text[300], what[80];
    if (!describe_value(vm, value, what, sizeof what)) {
        return false;
    }
    snprintf(text, sizeof text,
             "'%s' has a value in the loop at line %u, such as %s, only where "
             "a turn has set it before; begin with one",
             walk->name, (unsigned)block_line(walk->block), what);
    return notes_add(vm, walk->frame, walk->name, walk->block->info->span,
                     ERR_UNBOUND_LOCAL, text);
}

bool loop_carried_show(Vm *vm, const LoopWalk *walk, uint32_t i, Value value,
                       Value turned)
{
    StagedBlock *block = walk->block;
    const BlockPlace *place = &block->info->places[i];
    bool ok = !value_failed(value) && !value_failed(turned) &&
              state_set(vm, walk->frame, place, VALUE_UNBOUND) &&
              (walk->node != NULL ? loop_note_gone(vm, walk, value)
                                  : note_turn(vm, walk, value));
    if (!ok) {
        release(vm, value);
        release(vm, turned);
        return false;
    }
    if (value_same(turned, VALUE_FALSE)) {
        release(vm, value);
        return true;
    }
    notes_give(vm,
               (LateValue){.value = value,
                           .turned = turned,
                           .frame = walk->frame,
                           .reg = place->index,
                           .home = walk->node != NULL ? block->outer : block});
    return true;
}

// Why the loop cannot carry it: what a side of a block told of it, or that it
// is read at all.
static bool refuse(Vm *vm, const LoopWalk *walk, const BlockPlace *place)
{
    return notes_raise(vm, walk->frame->code, place->name)
               ? false
               : raise_false(vm, ERR_UNBOUND_LOCAL,
                             "'%s' is read in the loop at line %u before a "
                             "turn sets it; set it before the loop",
                             walk->name, (unsigned)block_line(walk->block));
}

int loop_carried_find(Vm *vm, StagedBlock *block, uint32_t i,
                      const LoopWalk *walk, Value after)
{
    const BlockPlace *place = &block->info->places[i];
    bool asked = block->loop->slots[i].asked, known = true;
    const LateValue *late = NULL, *around;
    if (!state_is_variable(place)) { // shared with an inner function
        return asked && !value_unbound(after) && !refuse(vm, walk, place) ? -1
                                                                          : 0;
    }
    if (value_unbound(after)) {
        known = notes_within(vm, block, place->index, &late);
    }
    Value v = late != NULL ? late->value : after;
    if (value_unbound(v)
            ? known || !asked
            : !asked && (late == NULL || !loop_carried_wanted(block, place))) {
        return 0;
    }
    known = known && notes_around(vm, block, place->index, &around);
    if (!known || !loop_may_repeat(vm, block) ||
        !loop_can_carry(vm, block, v)) {
        return vm_has_error(vm) || (asked && !refuse(vm, walk, place)) ? -1 : 0;
    }
    Value before = loop_made_before(vm, block, v);
    if (value_failed(before) || value_unbound(before)) {
        return value_failed(before) ? -1 : 0;
    }
    bool ok = add_carried(vm, block, i, before, VALUE_FALSE);
    release(vm, before);
    block->more |= ok;
    return ok ? 1 : -1;
}

// A turn may leave what no state can be if nobody asks for it.
static bool give_up(Vm *vm, StagedBlock *block, uint32_t i,
                    const LoopWalk *walk, Value after)
{
    LoopSlot *slot = &block->loop->slots[i];
    for (uint32_t at = 0; at < slot->leaf_count; at++) {
        LoopLeaf *leaf = &block->loop->leaves.items[slot->first_leaf + at];
        leaf->result = leaf->body;
    }
    slot->kind = SLOT_NONE;
    return slot->asked ? refuse(vm, walk, &block->info->places[i])
                       : loop_note_gone(vm, walk, after);
}

bool loop_carried_take(Vm *vm, StagedBlock *block, uint32_t i, LoopWalk *walk,
                       Value after)
{
    const BlockPlace *place = &block->info->places[i];
    const LateValue *late = NULL;
    if (value_unbound(after)) {
        (void)notes_within(vm, block, place->index, &late);
    }
    Value turned = late != NULL ? late->turned : VALUE_TRUE;
    after = late != NULL ? late->value : after;
    int taken = value_unbound(after)
                    ? 0
                    : loop_take_value(vm, walk, block->before[i], after);
    if (taken <= 0) {
        return taken == 0 && give_up(vm, block, i, walk, after);
    }
    ValueId id = merge_leaf_id(vm, "while", block->sides[1], turned, DT_BOOL);
    uint32_t leaf = block->loop->slots[i].flag_leaf;
    block->loop->leaves.items[leaf].result = id;
    return id != VALUE_ID_NONE;
}
