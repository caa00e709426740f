// Objects that stand in several places of a loop's state.
//
// Most loops show a copy in each place. Where that would be another program, as
// a turn changes such an object, the body is traced again with one copy for all
// places of one object; that is right as long as all of them hold one object
// after the turn, too.
#include "stager/either.h"
#include "stager/era.h"
#include "stager/loop_held.h"
#include "stager/maybe.h"
#include "stager/structure.h"

// An object of the state before the loop.
typedef struct SharedPart {
    const Object *before, *after; // after: what the turn left; NULL: unknown
    const Object *origin;         // what it was made from
    bool apart;                   // in some place it is copied for itself
    bool again;                   // it was met twice
} SharedPart;

typedef struct SharedWalk {
    Vm *vm;
    const StagedBlock *block;
    VEC(SharedPart) parts;
} SharedWalk;

static SharedPart *find_part(const SharedWalk *walk, const Object *origin)
{
    for (size_t i = 0; i < walk->parts.count; i++) {
        if (walk->parts.items[i].origin == origin) {
            return &walk->parts.items[i];
        }
    }
    return NULL;
}

static bool walk_value(SharedWalk *walk, Value before, Value after, bool apart);

static bool walk_parts(SharedWalk *walk, Value before, Value after, bool apart)
{
    Vm *vm = walk->vm;
    ValueVec first = {0}, second = {0};
    bool ok = ctx_enter(&vm->ctx);
    if (ok) {
        ok = loop_parts(vm, before, &first) &&
             loop_like_parts(vm, before, after, &second);
        for (size_t i = 0; ok && i < first.count; i++) {
            ok = walk_value(walk, first.items[i],
                            i < second.count ? second.items[i] : VALUE_UNBOUND,
                            apart);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &first);
    structure_free(vm, &second);
    return ok;
}

// What need not be there, or need not be an object, is shown for itself: its
// leaves hold anything then.
static bool walk_value(SharedWalk *walk, Value before, Value after, bool apart)
{
    Vm *vm = walk->vm;
    Value state = loop_value_of(vm, before);
    apart = apart || !value_same(state, before);
    StructureKind kind =
        value_unbound(state) ? STRUCTURE_LEAF : structure_kind(vm, state);
    if (kind == STRUCTURE_LEAF) {
        return !vm_has_error(vm);
    }
    if (kind == STRUCTURE_TUPLE || kind == STRUCTURE_NAMED) {
        return walk_parts(walk, state, after, apart);
    }
    after = loop_value_of(vm, after);
    const Object *origin = loop_origin(vm->trace, value_object(state));
    SharedPart *part = find_part(walk, origin);
    const Object *left = value_is_object(after) ? value_object(after) : NULL;
    if (part == NULL) {
        SharedPart now = {value_object(state), left, origin, apart, false};
        return vec_push(&vm->ctx, &walk->parts, now) &&
               walk_parts(walk, state, after, apart);
    }
    bool was = part->apart;
    part->again = true;
    part->apart = was || apart || left == NULL || left != part->after ||
                  part->before != value_object(state);
    return was == part->apart || walk_parts(walk, state, after, true);
}

static bool is_shown(const LoopSlot *slot)
{
    return slot->kind == SLOT_STATE || slot->kind == SLOT_FRESH ||
           slot->kind == SLOT_CARRIED;
}

// The whole state; `after` is NULL, or what the turn left in each place.
static bool walk_state(SharedWalk *walk, const ValueVec *after)
{
    const StagedBlock *block = walk->block;
    uint32_t count = block->info->place_count;
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        const LoopSlot *slot = &block->loop->slots[i];
        Value left = after != NULL ? after->items[i] : block->before[i];
        ok = !is_shown(slot) || walk_value(walk, block->before[i], left,
                                           slot->kind == SLOT_CARRIED);
    }
    for (size_t i = 0; ok && i < block->held.count; i++) {
        Value state = held_state(&block->held.items[i]);
        Value left = after != NULL ? held_get(walk->vm, &block->held.items[i])
                                   : value_retain(state);
        ok = !value_failed(left) &&
             walk_value(walk, state, left, block->held.items[i].made);
        release(walk->vm, left);
    }
    return ok;
}

void loop_shared_free(Vm *vm, StagedBlock *block)
{
    StagedLoop *loop = block->loop;
    for (size_t i = 0; i < loop->parts.count; i++) {
        object_release(&vm->ctx, loop->parts.items[i].state);
        object_release_null(&vm->ctx, loop->parts.items[i].copy);
    }
    vec_free(&vm->ctx, &loop->parts);
}

static bool add_shown(Vm *vm, StagedBlock *block, const Object *state,
                      Object *copy)
{
    ShownPart part = {(Object *)state, copy, false};
    if (!vec_push(&vm->ctx, &block->loop->parts, part)) {
        return false;
    }
    (void)object_retain(part.state);
    if (copy != NULL) {
        (void)object_retain(copy);
    }
    return true;
}

bool loop_shared_open(Vm *vm, StagedBlock *block)
{
    loop_shared_free(vm, block);
    SharedWalk walk = {.vm = vm, .block = block};
    bool ok = !block->shared || walk_state(&walk, NULL);
    for (size_t i = 0; ok && i < walk.parts.count; i++) {
        const SharedPart *part = &walk.parts.items[i];
        ok = !part->again || part->apart ||
             add_shown(vm, block, part->before, NULL);
    }
    vec_free(&vm->ctx, &walk.parts);
    block->loop->shared = block->loop->parts.count;
    return ok;
}

Value loop_shared_show(Vm *vm, StagedBlock *block, Value state, Value copy)
{
    StagedLoop *loop = block->loop;
    Object *object = value_object(copy);
    for (size_t i = 0; i < loop->shared; i++) {
        ShownPart *part = &loop->parts.items[i];
        if (part->state == value_object(state)) {
            Object *shown = part->copy != NULL ? part->copy : object;
            part->copy = part->copy != NULL ? shown : object_retain(object);
            (void)object_retain(shown);
            release(vm, copy);
            return value_from_object(shown);
        }
    }
    StructureKind kind = structure_kind(vm, state);
    bool frozen = kind == STRUCTURE_TUPLE || kind == STRUCTURE_NAMED;
    if (!frozen && !add_shown(vm, block, value_object(state), object)) {
        release(vm, copy);
        return VALUE_FAIL;
    }
    return copy;
}

bool loop_shared_is(const StagedBlock *block, Value state, Value v)
{
    bool is = false;
    for (size_t i = 0; !is && i < block->loop->parts.count; i++) {
        const ShownPart *part = &block->loop->parts.items[i];
        is = value_is_object(state) && part->state == value_object(state) &&
             value_is_object(v) && part->copy == value_object(v);
    }
    return is;
}

bool loop_shared_begin(Vm *vm, StagedBlock *block)
{
    bool begins = !block->shared && loop_may_repeat(vm, block);
    block->shared |= begins;
    block->more |= begins;
    return begins;
}

bool loop_shared_check(Vm *vm, const StagedBlock *block)
{
    SharedWalk walk = {.vm = vm, .block = block};
    bool ok = walk_state(&walk, &block->loop->after);
    for (size_t i = 0; ok && i < walk.parts.count; i++) {
        const SharedPart *part = &walk.parts.items[i];
        ok = !part->apart || !part->again ||
             raise_false(vm, ERR_SYMBOLIC,
                         "a turn of the loop at line %u changes a '%s' that "
                         "has several names before the loop, and gives only "
                         "some of them another: take copies of it before the "
                         "loop",
                         (unsigned)block_line(block),
                         type_name(part->origin->type));
    }
    vec_free(&vm->ctx, &walk.parts);
    return ok;
}

// --- who else holds an object ---

// An object that the state or what was changed holds, or such an object does.
typedef struct HeldObject {
    Object *object;
    bool alive; // the program may reach it otherwise
} HeldObject;

// Who holds it.
typedef struct Holding {
    size_t holder;    // its number; SIZE_MAX: the trace's own records, or a
                      // place that is shown anew in each turn
    const Object *in; // where that place is, which may have a number, too;
                      // NULL: in nothing
    size_t held;
} Holding;

typedef struct Census {
    Vm *vm;
    const StagedBlock *block;
    VEC(HeldObject) objects;
    VEC(struct Holding) holdings;
} Census;

static bool add_holding(Census *census, size_t holder, const Object *in,
                        Value v)
{
    Ctx *ctx = &census->vm->ctx;
    if (!value_is_object(v) || value_is_operand(v)) {
        return true;
    }
    size_t at = 0;
    while (at < census->objects.count &&
           census->objects.items[at].object != value_object(v)) {
        at++;
    }
    HeldObject object = {value_object(v), false};
    Holding holding = {holder, in, at};
    return (at < census->objects.count ||
            vec_push(ctx, &census->objects, object)) &&
           vec_push(ctx, &census->holdings, holding);
}

// What stays one object, or is older than the trace, the program reaches.
static bool add_parts(Census *census, size_t at)
{
    Vm *vm = census->vm;
    Object *object = census->objects.items[at].object;
    Value v = value_from_object(object);
    bool copied =
        structure_kind(vm, v) != STRUCTURE_LEAF ||
        (era_has(vm, vm->trace->era, object) && loop_object_fits(vm, v));
    ValueVec parts = {0};
    census->objects.items[at].alive = !copied;
    bool ok = !vm_has_error(vm) && (!copied || loop_parts(vm, v, &parts));
    for (size_t i = 0; ok && i < parts.count; i++) {
        ok = add_holding(census, at, NULL, parts.items[i]);
    }
    structure_free(vm, &parts);
    return ok;
}

static bool add_records(Census *census)
{
    const StagedBlock *block = census->block;
    bool ok = true;
    for (uint32_t i = 0; ok && i < block->info->place_count; i++) {
        ok = !is_shown(&block->loop->slots[i]) ||
             add_holding(census, SIZE_MAX, NULL, block->before[i]);
    }
    for (size_t i = 0; ok && i < block->lifted.count; i++) {
        ok = add_holding(census, SIZE_MAX, NULL, block->lifted.items[i].before);
    }
    for (size_t i = 0; ok && i < block->held.count; i++) {
        ok = add_holding(census, SIZE_MAX, NULL, block->held.items[i].before) &&
             add_holding(census, SIZE_MAX, NULL, block->held.items[i].state);
    }
    for (; ok && block != NULL; block = block->outer) {
        const Journal *journal = &block->journal;
        for (size_t i = 0; ok && i < journal->entries.count; i++) {
            ok = add_holding(census, SIZE_MAX, NULL,
                             journal->entries.items[i].saved);
        }
    }
    return ok;
}

// What the turn has left in the places, which the next one finds copies of.
static bool add_left(Census *census, Frame *frame)
{
    Vm *vm = census->vm;
    const StagedBlock *block = census->block;
    bool ok = true;
    for (uint32_t i = 0; ok && i < block->info->place_count; i++) {
        const BlockPlace *place = &block->info->places[i];
        Value left = block->loop->after.items[i];
        Value holder = is_shown(&block->loop->slots[i])
                           ? state_holder(vm, frame, place)
                           : VALUE_UNBOUND;
        const Object *in =
            value_is_object(holder) ? value_object(holder) : NULL;
        ok = !value_failed(holder) &&
             add_holding(census, SIZE_MAX, NULL, left) &&
             (!is_shown(&block->loop->slots[i]) ||
              add_holding(census, SIZE_MAX, in, left));
        release(vm, holder);
    }
    for (size_t i = 0; ok && i < block->held.count; i++) {
        const HeldPlace *place = &block->held.items[i];
        Value left = held_get(vm, place);
        ok =
            !value_failed(left) &&
            add_holding(census, SIZE_MAX, place->container, left) &&
            add_holding(census, SIZE_MAX, NULL,
                        block->loop->after.items[block->info->place_count + i]);
        release(vm, left);
    }
    return ok;
}

// What is not among the objects is alive.
static bool is_alive(const Census *census, const Object *object)
{
    for (size_t i = 0; i < census->objects.count; i++) {
        if (census->objects.items[i].object == object) {
            return census->objects.items[i].alive;
        }
    }
    return true;
}

// How often records and what only they hold do hold the object.
static uint32_t count_holdings(const Census *census, size_t at)
{
    uint32_t count = 0;
    for (size_t i = 0; i < census->holdings.count; i++) {
        const Holding *holding = &census->holdings.items[i];
        count += holding->held == at &&
                 (holding->holder == SIZE_MAX
                      ? holding->in == NULL || is_alive(census, holding->in)
                      : !census->objects.items[holding->holder].alive);
    }
    return count;
}

// What lives keeps alive what it holds.
static void settle_alive(Census *census)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < census->objects.count; i++) {
            HeldObject *object = &census->objects.items[i];
            if (!object->alive &&
                object->object->rc >
                    count_holdings(census, i) +
                        loop_count_records(census->vm->trace, object->object)) {
                object->alive = more = true;
            }
        }
    }
}

static bool frees(Vm *vm, const StagedBlock *block, Frame *left,
                  const Object *object)
{
    Census census = {.vm = vm, .block = block};
    bool ok = add_records(&census) && (left == NULL || add_left(&census, left));
    for (size_t i = 0; ok && i < census.objects.count; i++) {
        ok = add_parts(&census, i);
    }
    if (ok) {
        settle_alive(&census);
    }
    bool freed = ok && !is_alive(&census, object);
    vec_free(&vm->ctx, &census.objects);
    vec_free(&vm->ctx, &census.holdings);
    return freed;
}

bool loop_shared_frees(Vm *vm, const StagedBlock *block, const Object *object)
{
    return frees(vm, block, NULL, object);
}

// --- what turns hand on ---

static const ShownPart *find_copy(const StagedBlock *block, const Object *copy)
{
    for (size_t i = 0; i < block->loop->parts.count; i++) {
        if (block->loop->parts.items[i].copy == copy) {
            return &block->loop->parts.items[i];
        }
    }
    return NULL;
}

// Whether a part that has been handed on is the program's by another name.
static bool is_others(Vm *vm, const StagedBlock *block, Object *state)
{
    Object *origin = loop_origin(vm->trace, state);
    return !journal_check_joined(vm, vm->trace, origin) ||
           !loop_shared_frees(vm, block, origin);
}

// Whether the program has another name for what the turn left in the part.
static bool is_left_others(Vm *vm, const StagedBlock *block,
                           const Object *after)
{
    return !journal_check_joined(vm, vm->trace, (Object *)after) ||
           !frees(vm, block, block->frame, after);
}

// Appends the parts whose copies the turn leaves in this one, or which an `if`
// in the turn chose from. *others: it leaves what has other names.
static bool add_sources(SharedWalk *walk, ObjectVec *states, size_t at,
                        bool *others)
{
    Vm *vm = walk->vm;
    const SharedPart *part =
        find_part(walk, loop_origin(vm->trace, states->items[at]));
    if (part == NULL || part->after == NULL) {
        return true;
    }
    ObjectVec left = {0};
    bool ok = journal_add_object(vm, &left, (Object *)part->after) &&
              journal_find_sources(vm, vm->trace, &left);
    for (size_t i = 0; ok && i < left.count; i++) {
        const ShownPart *shown = find_copy(walk->block, left.items[i]);
        ok = shown == NULL || journal_add_object(vm, states, shown->state);
    }
    vec_free(&vm->ctx, &left);
    *others |= ok && find_copy(walk->block, part->after) == NULL &&
               is_left_others(vm, walk->block, part->after);
    return ok;
}

bool loop_shared_check_later(Vm *vm, const StagedBlock *block, Object *state,
                             const char *name)
{
    SharedWalk walk = {.vm = vm, .block = block};
    ObjectVec states = {0};
    bool ok = journal_add_object(vm, &states, state) &&
              walk_state(&walk, &block->loop->after);
    bool others = false;
    for (size_t at = 0; ok && !others && at < states.count; at++) {
        ok = add_sources(&walk, &states, at, &others);
        others |= ok && at > 0 && is_others(vm, block, states.items[at]);
    }
    vec_free(&vm->ctx, &walk.parts);
    vec_free(&vm->ctx, &states);
    return !ok || vm_has_error(vm) ? false
           : !others
               ? true
               : raise_false(vm, ERR_SYMBOLIC,
                             "a turn of the loop at line %u changes the '%s' "
                             "that '%s' is from the turn before, which has "
                             "another name: take a copy of it there",
                             (unsigned)block_line(block),
                             type_name(loop_origin(vm->trace, state)->type),
                             name);
}
