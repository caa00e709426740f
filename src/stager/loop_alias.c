// Other names of what a loop's state is put together from again.
//
// Behind the loop and in each turn there is a copy where eager code has the
// object from before the loop or the one that the last turn left. What cannot
// tell the two apart is right; a change of one that has other names is refused,
// here or where it is made (journal.h).
#include "stager/either.h"
#include "stager/era.h"
#include "stager/loop_held.h"
#include "stager/maybe.h"
#include "stager/poison.h"
#include "stager/structure.h"

// The parts of a value, if it has the form of the one that was made.
static bool like_parts(Vm *vm, Value made, Value v, ValueVec *out)
{
    int alike = value_unbound(v) ? 0 : loop_alike(vm, made, v);
    return alike <= 0 ? alike == 0 : loop_parts(vm, v, out);
}

Value loop_value_of(Vm *vm, Value v)
{
    Value choice = maybe_is(vm, v) ? poison_left(vm, v) : v;
    return either_is(vm, choice) ? either_parts(choice)[0] : v;
}

// Behind the loop a structure is put together from outputs, which in eager code
// is that from before the loop or that of the last turn, and may have other
// names.
static bool note_copies(Vm *vm, const StagedBlock *block, Value made,
                        Value before, Value after)
{
    made = loop_value_of(vm, made);
    before = loop_value_of(vm, before);
    after = loop_value_of(vm, after);
    bool copied = structure_kind(vm, made) != STRUCTURE_LEAF ||
                  loop_object_fits(vm, made);
    if (!copied || value_same(made, before) || loop_is_kept(before)) {
        return !vm_has_error(vm);
    }
    ValueVec copies = {0}, first = {0}, last = {0};
    bool ok = ctx_enter(&vm->ctx);
    if (ok) {
        ok = journal_joined(vm, made, before, after, block_line(block)) &&
             like_parts(vm, made, made, &copies) &&
             like_parts(vm, made, before, &first) &&
             like_parts(vm, made, after, &last);
        for (size_t i = 0; ok && i < copies.count; i++) {
            ok = note_copies(vm, block, copies.items[i],
                             i < first.count ? first.items[i] : VALUE_UNBOUND,
                             i < last.count ? last.items[i] : VALUE_UNBOUND);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &copies);
    structure_free(vm, &first);
    structure_free(vm, &last);
    return ok;
}

// Whether code runs behind a `return` in the loop: of a `finally` or `with`
// around it.
static bool is_guarded(const StagedBlock *block)
{
    const Code *code = block->frame->code;
    bool guarded = false;
    for (uint32_t i = 0; i < code->handler_count && !guarded; i++) {
        const Handler *handler = &code->handlers[i];
        guarded = handler->start <= block->info->start &&
                  block->info->start < handler->end;
    }
    return guarded;
}

// A turn that raises has left nothing.
bool loop_note_place(Vm *vm, const StagedBlock *block, size_t i, Value made,
                     Value before)
{
    const ValueVec *after = &block->loop->after;
    bool result = i < block->info->place_count &&
                  block->loop->slots[i].kind == SLOT_RESULT;
    return i >= after->count || (result && !is_guarded(block)) ||
           note_copies(vm, block, made, before, after->items[i]);
}

static bool has_slots(const StagedBlock *block)
{
    return block->loop != NULL && block->loop->slots != NULL;
}

void loop_note_store(StagedBlock *block, const Object *container)
{
    for (uint32_t i = 0; has_slots(block) && i < block->info->place_count;
         i++) {
        LoopSlot *slot = &block->loop->slots[i];
        slot->changed |= slot->shown == container;
    }
}

bool loop_is_changed(const StagedBlock *block, uint32_t i, Value before)
{
    return value_is_object(before) &&
           value_object(before) != block->loop->slots[i].shown &&
           journal_changes(&block->journal, value_object(before));
}

bool loop_keeps_change(Vm *vm, const LoopWalk *walk, uint32_t i, Value after)
{
    const StagedBlock *block = walk->block;
    const LoopSlot *slot = &block->loop->slots[i];
    Value before = loop_value_of(vm, loop_lift_before(block, i));
    bool found = value_is_object(after) && value_object(after) == slot->shown &&
                 !either_is(vm, block->before[i]);
    bool other = loop_is_changed(block, i, before);
    if ((!slot->changed && !other) || !value_is_object(before) || found) {
        return true;
    }
    // The loop itself holds it, and so do joins, journals, places that are
    // held, and loops around this one that show it.
    const Object *object = value_object(before);
    uint32_t known = 1 + journal_count_joined(vm->trace, object);
    for (; block != NULL; block = block->outer) {
        known += journal_holds(&block->journal, object);
        for (uint32_t j = 0; has_slots(block) && j < block->info->place_count;
             j++) {
            known += block->loop->slots[j].shown == object;
        }
        for (size_t j = 0; j < block->held.count; j++) {
            known += block->held.items[j].container == object;
        }
    }
    return (!other && object->rc <= known) ||
           raise_false(vm, ERR_SYMBOLIC,
                       "a turn of the loop at line %u changes the '%s' that "
                       "'%s' is and then sets '%s' to another, and the first "
                       "has another name: take a copy of it before the loop",
                       (unsigned)block_line(walk->block),
                       type_name(object->type), walk->name, walk->name);
}

// Whether what the value holds, or itself, is the object.
static bool reaches(Vm *vm, Value v, const Object *object, const WalkPath *path)
{
    ValueVec parts = {0};
    v = loop_value_of(vm, v);
    if (!value_is_object(v) || value_is_operand(v)) {
        return false;
    }
    WalkPath inner = {value_object(v), path};
    bool found = inner.container == object, again = false;
    for (; path != NULL; path = path->outer) {
        again |= path->container == inner.container;
    }
    if (!found && !again && ctx_enter(&vm->ctx)) {
        bool ok = loop_parts(vm, v, &parts);
        for (size_t i = 0; ok && !found && i < parts.count; i++) {
            found = reaches(vm, parts.items[i], object, &inner);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &parts);
    return found;
}

// What turns change in place at their start is another name's too.
static bool check_changed(Vm *vm, const StagedBlock *block, uint32_t i)
{
    const StagedLoop *loop = block->loop;
    Value after = loop_value_of(vm, loop->after.items[i]);
    bool asked = loop->slots[i].changed && value_is_object(after) &&
                 value_object(after) != loop->slots[i].shown;
    bool found = false;
    for (uint32_t j = 0; asked && !found && j < block->info->place_count; j++) {
        SlotKind kind = loop->slots[j].kind;
        found = j != i && (kind == SLOT_STATE || kind == SLOT_CARRIED) &&
                reaches(vm, loop->after.items[j], value_object(after), NULL);
    }
    char room[128];
    return !found ? !vm_has_error(vm)
                  : raise_false(
                        vm, ERR_SYMBOLIC,
                        "a turn of the loop at line %u changes the '%s' "
                        "that '%s' is from the turn before, which has "
                        "another name: take a copy of it there",
                        (unsigned)block_line(block),
                        type_name(value_object(after)->type),
                        state_name(&block->info->places[i], room, sizeof room));
}

// The state has a copy of what a turn leaves, which does not follow what turns
// change by another name of it.
static bool check_older(Vm *vm, const StagedBlock *block, uint32_t i,
                        Value state, Value after)
{
    state = loop_value_of(vm, state);
    after = loop_value_of(vm, after);
    if (!value_is_object(after) ||
        structure_kind(vm, state) == STRUCTURE_LEAF) {
        return true;
    }
    char room[128];
    const Object *object = value_object(after);
    const JournalEntry *entry =
        object->kind == KIND_TUPLE || era_has(vm, block->era, object)
            ? NULL
            : journal_find(&block->journal, object);
    if (entry != NULL && entry->changed[0]) {
        return raise_false(
            vm, ERR_SYMBOLIC,
            "a turn of the loop at line %u leaves in '%s' a '%s' that line %u "
            "changes by another name: take a copy of it there",
            (unsigned)block_line(block),
            state_name(&block->info->places[i], room, sizeof room),
            type_name(object->type), (unsigned)entry->lines[0]);
    }
    ValueVec first = {0}, second = {0};
    bool ok = ctx_enter(&vm->ctx);
    if (ok) {
        ok = loop_parts(vm, state, &first) &&
             like_parts(vm, state, after, &second);
        for (size_t at = 0; ok && at < second.count; at++) {
            ok = check_older(vm, block, i, first.items[at], second.items[at]);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &first);
    structure_free(vm, &second);
    return ok;
}

bool loop_check_changed(Vm *vm, const StagedBlock *block)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < block->info->place_count; i++) {
        SlotKind kind = block->loop->slots[i].kind;
        ok = check_changed(vm, block, i) &&
             ((kind != SLOT_STATE && kind != SLOT_CARRIED) ||
              check_older(vm, block, i, block->before[i],
                          block->loop->after.items[i]));
    }
    return ok;
}
