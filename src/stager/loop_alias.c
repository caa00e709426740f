// Other names of what a loop's state is put together from again.
//
// Behind the loop and in each turn there is a copy where eager code has the
// object from before the loop or the one that the last turn left. What cannot
// tell the two apart is right; a change of one that has other names is refused,
// here or where it is made (journal.h).
#include "graph/walk.h"
#include "stager/either.h"
#include "stager/era.h"
#include "stager/loop_held.h"
#include "stager/maybe.h"
#include "stager/poison.h"
#include "stager/structure.h"

// The parts of a value, if it has the form of the one that was made.
bool loop_like_parts(Vm *vm, Value made, Value v, ValueVec *out)
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
             loop_like_parts(vm, made, made, &copies) &&
             loop_like_parts(vm, made, before, &first) &&
             loop_like_parts(vm, made, after, &last);
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

static void note_store(const Trace *trace, StagedBlock *block,
                       const Object *container)
{
    for (uint32_t i = 0; has_slots(block) && i < block->info->place_count;
         i++) {
        LoopSlot *slot = &block->loop->slots[i];
        slot->changed |= slot->shown == container;
    }
    // Only copies are looked for; what they are of may be a copy, too, of a
    // loop around this one.
    bool copy = has_slots(block) && (container->flags & OBJECT_STANDS_IN) != 0;
    for (size_t i = 0; copy && i < block->loop->parts.count; i++) {
        ShownPart *part = &block->loop->parts.items[i];
        if (part->copy == container) {
            part->changed = true;
            loop_note_store(trace, block->outer,
                            loop_origin(trace, part->state));
        }
    }
}

void loop_note_store(const Trace *trace, StagedBlock *block,
                     const Object *container)
{
    for (; block != NULL; block = block->outer) {
        note_store(trace, block, container);
    }
}

bool loop_is_changed(const StagedBlock *block, uint32_t i, Value before)
{
    return value_is_object(before) &&
           value_object(before) != block->loop->slots[i].shown &&
           journal_changes(&block->journal, value_object(before));
}

// Whether the value is made of leaves alone, whose uses the graph shows.
static bool is_plain(Vm *vm, Value v)
{
    v = loop_value_of(vm, v);
    if (value_unbound(v) || loop_is_leaf(v)) {
        return !value_unbound(v);
    }
    ValueVec parts = {0};
    bool plain = structure_kind(vm, v) != STRUCTURE_LEAF && ctx_enter(&vm->ctx);
    if (plain) {
        plain = loop_parts(vm, v, &parts) && parts.count > 0;
        for (size_t i = 0; plain && i < parts.count; i++) {
            plain = is_plain(vm, parts.items[i]);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &parts);
    return plain;
}

static bool is_leaf_of(const StagedBlock *block, const LoopSlot *slot,
                       ValueId id)
{
    bool is = false;
    for (uint32_t i = 0; i < slot->leaf_count && !is; i++) {
        const LoopLeaf *leaf = &block->loop->leaves.items[slot->first_leaf + i];
        is = leaf->cond == id || leaf->body == id;
    }
    return is;
}

// Whether the turn uses, or leaves, anything of what the place began with.
static bool is_read(Vm *vm, const StagedBlock *block, uint32_t i)
{
    const LoopSlot *slot = &block->loop->slots[i];
    bool read = !is_plain(vm, block->before[i]);
    for (size_t at = 0; at < block->loop->leaves.count && !read; at++) {
        ValueId left = block->loop->leaves.items[at].result;
        read = left != VALUE_ID_NONE && is_leaf_of(block, slot, left);
    }
    for (int side = 0; side < 2 && !read; side++) {
        for (Walk walk = walk_forward(block->sides[side]);
             !read && walk_next(&walk);) {
            uint32_t count;
            const ValueId *used = walk_uses(&walk, &count);
            for (uint32_t at = 0; at < count && !read; at++) {
                read = is_leaf_of(block, slot, used[at]);
            }
        }
    }
    return read;
}

static uint32_t count_shown(const StagedBlock *block, const Object *object)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->info->place_count; i++) {
        count += block->loop->slots[i].shown == object;
    }
    for (size_t i = 0; i < block->loop->parts.count; i++) {
        const ShownPart *part = &block->loop->parts.items[i];
        count += (part->state == object) + (part->copy == object);
    }
    return count;
}

uint32_t loop_count_records(const Trace *trace, const Object *object)
{
    uint32_t count = journal_count_joined(trace, object);
    const StagedBlock *block = trace->blocks;
    for (; block != NULL; block = block->outer) {
        count += journal_holds(&block->journal, object);
        count += has_slots(block) ? count_shown(block, object) : 0;
        for (size_t i = 0; i < block->held.count; i++) {
            count += block->held.items[i].container == object;
        }
    }
    return count;
}

// A turn changed in place what it began with and then bound the variable to
// another, while what stood there before the loop has other names.
static bool check_first(Vm *vm, StagedBlock *block, uint32_t i)
{
    const LoopSlot *slot = &block->loop->slots[i];
    Value after = block->loop->after.items[i];
    Value before = loop_value_of(vm, loop_lift_before(block, i));
    bool found = value_is_object(after) && value_object(after) == slot->shown &&
                 !either_is(vm, block->before[i]);
    // What each turn sets anew it does not begin with.
    bool other = slot->kind == SLOT_STATE &&
                 loop_is_changed(block, i, before) && is_read(vm, block, i);
    if ((!slot->changed && !other) || !value_is_object(before) || found) {
        return true;
    }
    // The loop itself holds it, and so do its records.
    Object *object = value_object(before);
    Value state = loop_value_of(vm, block->before[i]);
    char room[128];
    const char *name = state_name(&block->info->places[i], room, sizeof room);
    if (!journal_check_joined(vm, vm->trace, object) ||
        (slot->changed && value_is_object(state) &&
         !loop_shared_check_later(vm, block, value_object(state), name))) {
        return false;
    }
    if (!other && (object->rc <= 1 + loop_count_records(vm->trace, object) ||
                   (loop_shared_frees(vm, block, object) &&
                    (block->shared || loop_shared_begin(vm, block))))) {
        return true;
    }
    return !vm_has_error(vm) &&
           raise_false(vm, ERR_SYMBOLIC,
                       "a turn of the loop at line %u changes the '%s' that "
                       "'%s' is and then sets '%s' to another, and the first "
                       "has another name: take a copy of it before the loop",
                       (unsigned)block_line(block), type_name(object->type),
                       name, name);
}

// Whether what the value holds, or itself, is the object, but where `state`
// has `known` (NULL: anywhere).
static bool reaches(Vm *vm, Value v, const Object *object, Value state,
                    const Object *known, const WalkPath *path)
{
    ValueVec parts = {0}, first = {0};
    v = loop_value_of(vm, v);
    state = loop_value_of(vm, state);
    if (!value_is_object(v) || value_is_operand(v)) {
        return false;
    }
    WalkPath inner = {value_object(v), path};
    bool is = inner.container == object, again = is;
    bool found = is && (known == NULL || !value_is_object(state) ||
                        value_object(state) != known);
    for (; path != NULL; path = path->outer) {
        again |= path->container == inner.container;
    }
    if (!again && ctx_enter(&vm->ctx)) {
        bool ok =
            loop_parts(vm, v, &parts) && loop_like_parts(vm, v, state, &first);
        for (size_t i = 0; ok && !found && i < parts.count; i++) {
            found = reaches(vm, parts.items[i], object,
                            i < first.count ? first.items[i] : VALUE_UNBOUND,
                            known, &inner);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &parts);
    structure_free(vm, &first);
    return found;
}

// What turns change in place at their start is another name's too.
static bool check_changed(Vm *vm, StagedBlock *block, uint32_t i)
{
    const StagedLoop *loop = block->loop;
    Value after = loop_value_of(vm, loop->after.items[i]);
    Value state = loop_value_of(vm, block->before[i]);
    const Object *known =
        block->shared && value_is_object(state) ? value_object(state) : NULL;
    bool asked = loop->slots[i].changed && value_is_object(after) &&
                 value_object(after) != loop->slots[i].shown;
    bool found = false;
    for (uint32_t j = 0; asked && !found && j < block->info->place_count; j++) {
        SlotKind kind = loop->slots[j].kind;
        found = j != i && (kind == SLOT_STATE || kind == SLOT_CARRIED) &&
                reaches(vm, loop->after.items[j], value_object(after),
                        block->before[j], known, NULL);
    }
    char room[128];
    return !found || (!vm_has_error(vm) && loop_shared_begin(vm, block))
               ? !vm_has_error(vm)
               : raise_false(
                     vm, ERR_SYMBOLIC,
                     "a turn of the loop at line %u changes the '%s' "
                     "that '%s' is from the turn before, which has "
                     "another name: take a copy of it there",
                     (unsigned)block_line(block),
                     type_name(value_object(after)->type),
                     state_name(&block->info->places[i], room, sizeof room));
}

Object *loop_origin(const Trace *trace, Object *state)
{
    for (size_t i = trace->joined.count; i-- > 0;) {
        const JoinedCopy *copy = &trace->joined.items[i];
        if (copy->made == state && copy->kind == JOINED_STATE) {
            return loop_origin(trace, copy->from[0]);
        }
    }
    return state;
}

static const ShownPart *find_shown(const StagedBlock *block,
                                   const Object *state)
{
    const ShownPart *shown = NULL;
    for (size_t i = 0; i < block->loop->parts.count; i++) {
        const ShownPart *part = &block->loop->parts.items[i];
        bool better = shown == NULL || part->changed;
        shown = part->state == state && better ? part : shown;
    }
    return shown;
}

bool loop_note_shown(Vm *vm, const StagedBlock *block)
{
    bool ok = true;
    for (size_t i = 0; ok && i < block->loop->parts.count; i++) {
        const ShownPart *part = &block->loop->parts.items[i];
        bool held = part->copy != NULL &&
                    part->copy->rc > loop_count_records(vm->trace, part->copy);
        ok = !held ||
             journal_shown(vm, part->copy, loop_origin(vm->trace, part->state),
                           block_line(block));
    }
    return ok;
}

// One walk over what a place began with and what the turn left in it.
typedef struct PlaceWalk {
    Vm *vm;
    StagedBlock *block;
    uint32_t place;
    ValueVec begun; // parts that were changed, and what was left; borrowed
} PlaceWalk;

// What a turn leaves as it was stays the same object in the next trace. 0: it
// does not.
static int keep_part(const PlaceWalk *walk, bool same)
{
    Value after = walk->block->loop->after.items[walk->place];
    return same ? loop_lift_kept(walk->vm, walk->block, walk->place, after) : 0;
}

static const char *name_of(const PlaceWalk *walk, char room[128])
{
    return state_name(&walk->block->info->places[walk->place], room, 128);
}

// The state has a copy of what a turn leaves, which does not follow what turns
// change by another name of it.
static bool check_left(const PlaceWalk *walk, Value state, Value after)
{
    Vm *vm = walk->vm;
    const StagedBlock *block = walk->block;
    // Of what an `if` chose, too.
    ObjectVec objects = {0};
    bool ok = journal_add_object(vm, &objects, value_object(after)) &&
              journal_find_sources(vm, vm->trace, &objects);
    const JournalEntry *entry = NULL;
    for (size_t i = 0; ok && entry == NULL && i < objects.count; i++) {
        const Object *object = objects.items[i];
        bool older =
            object->kind != KIND_TUPLE && !era_has(vm, block->era, object);
        entry = older ? journal_find(&block->journal, object) : NULL;
        entry = entry != NULL && entry->changed[0] ? entry : NULL;
    }
    vec_free(&vm->ctx, &objects);
    if (!ok || entry == NULL) {
        return ok;
    }
    char room[128];
    int kept = keep_part(walk, value_same(state, after));
    return kept != 0
               ? kept > 0
               : raise_false(vm, ERR_SYMBOLIC,
                             "a turn of the loop at line %u leaves in '%s' a "
                             "'%s' that line %u changes by another name: take "
                             "a copy of it there",
                             (unsigned)block_line(block), name_of(walk, room),
                             type_name(value_object(after)->type),
                             (unsigned)entry->lines[0]);
}

// Whether the turn has changed what the place held in this part, or the copy
// of it.
static bool is_begun(const PlaceWalk *walk, Value state)
{
    const ShownPart *shown = find_shown(walk->block, value_object(state));
    return (shown != NULL && shown->changed) ||
           (journal_changes(
                &walk->block->journal,
                loop_origin(walk->vm->trace, value_object(state))) &&
            is_read(walk->vm, walk->block, walk->place));
}

// The same of what a place holds where the turn begins.
static bool check_begun(const PlaceWalk *walk, Value state, Value after)
{
    Vm *vm = walk->vm;
    StagedBlock *block = walk->block;
    Object *object = loop_origin(vm->trace, value_object(state));
    char room[128];
    if (!journal_check_joined(vm, vm->trace, object) ||
        !loop_shared_check_later(vm, block, value_object(state),
                                 name_of(walk, room))) {
        return false;
    }
    if (!journal_changes(&block->journal, object) &&
        loop_shared_frees(vm, block, object) &&
        (block->shared || loop_shared_begin(vm, block))) {
        return true;
    }
    bool same =
        value_object(after) == object || loop_shared_is(block, state, after);
    int kept = vm_has_error(vm) ? -1 : keep_part(walk, same);
    return kept != 0
               ? kept > 0
               : raise_false(vm, ERR_SYMBOLIC,
                             "a turn of the loop at line %u changes the '%s' "
                             "that it finds in '%s', which has another name: "
                             "take a copy of it before the loop",
                             (unsigned)block_line(block),
                             type_name(object->type), name_of(walk, room));
}

static bool check_parts(PlaceWalk *walk, Value state, Value after, bool inner)
{
    Vm *vm = walk->vm;
    state = loop_value_of(vm, state);
    after = loop_value_of(vm, after);
    if (!value_is_object(after) ||
        structure_kind(vm, state) == STRUCTURE_LEAF) {
        return true;
    }
    bool begun = inner && is_begun(walk, state);
    if (!check_left(walk, state, after) ||
        (begun && (!vec_push(&vm->ctx, &walk->begun, state) ||
                   !vec_push(&vm->ctx, &walk->begun, after)))) {
        return false;
    }
    ValueVec first = {0}, second = {0};
    bool ok = ctx_enter(&vm->ctx);
    if (ok) {
        ok = loop_parts(vm, state, &first) &&
             loop_like_parts(vm, state, after, &second);
        for (size_t at = 0; ok && !walk->block->more && at < second.count;
             at++) {
            ok = check_parts(walk, first.items[at], second.items[at], true);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &first);
    structure_free(vm, &second);
    return ok;
}

// What holds parts for the walk must not count among their names.
static bool check_place(Vm *vm, StagedBlock *block, uint32_t i)
{
    PlaceWalk walk = {.vm = vm, .block = block, .place = i};
    bool ok = check_parts(&walk, block->before[i], block->loop->after.items[i],
                          false);
    for (size_t at = 0; ok && !block->more && at < walk.begun.count; at += 2) {
        ok = check_begun(&walk, walk.begun.items[at], walk.begun.items[at + 1]);
    }
    vec_free(&vm->ctx, &walk.begun);
    return ok;
}

bool loop_check_changed(Vm *vm, StagedBlock *block)
{
    bool ok = !block->shared || loop_shared_check(vm, block);
    for (uint32_t i = 0; ok && !block->more && i < block->info->place_count;
         i++) {
        SlotKind kind = block->loop->slots[i].kind;
        bool begins = kind == SLOT_STATE || kind == SLOT_FRESH;
        ok = (!begins || check_first(vm, block, i)) &&
             check_changed(vm, block, i) &&
             ((kind != SLOT_STATE && kind != SLOT_CARRIED) ||
              check_place(vm, block, i));
    }
    return ok;
}
