// Host values in objects that are older than the trace, at the join of an `if`.
#include "stager/journal_older.h"

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "stager/content.h"
#include "stager/leak.h"
#include "stager/merge.h"
#include "stager/poison.h"

static bool is_element(Vm *vm, Frame *frame, const BlockPlace *place,
                       const Object *container, Value key, bool *is)
{
    *is = false;
    if (place->step_count == 0 ||
        !merge_same(place->steps[place->step_count - 1].key, key)) {
        return true;
    }
    Value holder = state_holder(vm, frame, place);
    *is = value_is_object(holder) && value_object(holder) == container;
    bool ok = !value_failed(holder);
    release(vm, holder);
    return ok;
}

bool journal_place(Vm *vm, Frame *frame, const StagedBlock *block,
                   const Object *container, Value key, const BlockPlace **found)
{
    bool ok = true, is = false;
    *found = NULL;
    for (uint32_t i = 0; ok && *found == NULL && i < block->info->place_count;
         i++) {
        const BlockPlace *place = &block->info->places[i];
        ok = is_element(vm, frame, place, container, key, &is);
        *found = is ? place : NULL;
    }
    return ok;
}

// Keys are compared as those of paths are, without code of the program.
bool journal_had(const Journal *journal, Value container, const PathStep *step)
{
    const JournalEntry *entry =
        value_is_object(container)
            ? journal_find(journal, value_object(container))
            : NULL;
    if (entry == NULL || !entry->older) {
        return entry != NULL;
    }
    const Tuple *saved = value_as_tuple(entry->saved);
    Value part = saved->items[step->item ? CONTENT_ITEMS : CONTENT_ATTRIBUTES];
    bool found = false;
    uint32_t at = 0;
    Value key, value;
    while (!found && value_is_kind(part, KIND_DICT) &&
           dict_next(value_as_dict(part), &at, &key, &value)) {
        found = merge_same(key, step->key);
    }
    return found || value_is_kind(part, KIND_LIST);
}

// A container at the join.
typedef struct LevelWalk {
    Vm *vm;
    Frame *frame;
    const StagedBlock *block;
    const JournalEntry *entry;
} LevelWalk;

// Whether the block assigns the module's name itself: that is merged already.
static bool is_global(const LevelWalk *walk, Value key)
{
    const BlockInfo *info = walk->block->info;
    bool found = false;
    bool globals =
        walk->entry->container == (const Object *)walk->frame->globals;
    for (uint32_t i = 0; globals && !found && i < info->place_count; i++) {
        const BlockPlace *place = &info->places[i];
        found = place->kind == STATE_GLOBAL && place->step_count == 0 &&
                merge_same(value_from_object(place->name), key);
    }
    return found;
}

// What is there whichever side runs: what the one has left that changed it, the
// second if both did. Borrowed; VALUE_FAIL with *state: it is state.
static Value left(LevelWalk *walk, Value key, Value saved, Value first,
                  Value second, bool *state)
{
    Vm *vm = walk->vm;
    const BlockPlace *place;
    Value now = VALUE_UNBOUND;
    if (is_global(walk, key)) {
        return dict_get(vm, walk->frame->globals, key, &now) < 0 ? VALUE_FAIL
                                                                 : now;
    }
    if (!journal_place(vm, walk->frame, walk->block, walk->entry->container,
                       key, &place)) {
        return VALUE_FAIL;
    }
    *state = place != NULL || leak_holds(vm, saved) ||
             journal_is_state(vm, walk->entry, first, second);
    return *state ? VALUE_FAIL : merge_same(saved, second) ? first : second;
}

static bool level_one(LevelWalk *walk, Value key, Value saved, Value *first,
                      Value *second)
{
    bool state = false;
    Value one = left(walk, key, saved, *first, *second, &state);
    if (!state && !value_failed(one)) {
        value_replace(&walk->vm->ctx, first, value_retain(one));
        value_replace(&walk->vm->ctx, second, value_retain(one));
    }
    return state || !value_failed(one);
}

static bool level_lists(LevelWalk *walk, const List *saved, List *first,
                        List *second)
{
    bool ok = true;
    bool alike = saved->count == first->count && first->count == second->count;
    for (size_t i = 0; ok && alike && i < saved->count; i++) {
        ok = level_one(walk, value_from_small((int64_t)i), saved->items[i],
                       &first->items[i], &second->items[i]);
    }
    return ok;
}

static bool put(Vm *vm, Dict *dict, Value key, Value value)
{
    return value_unbound(value) ? dict_remove(vm, dict, key) >= 0
                                : dict_set(vm, dict, key, value);
}

// One key of three dicts.
static bool level_key(LevelWalk *walk, Value key, Dict *saved, Dict *first,
                      Dict *second)
{
    Vm *vm = walk->vm;
    Value was = VALUE_UNBOUND, a = VALUE_UNBOUND, b = VALUE_UNBOUND;
    if (dict_get(vm, saved, key, &was) < 0 ||
        dict_get(vm, first, key, &a) < 0 || dict_get(vm, second, key, &b) < 0) {
        return false;
    }
    bool state = false;
    Value one = left(walk, key, was, a, b, &state);
    if (state || value_failed(one)) {
        return state;
    }
    (void)value_retain(one); // one of the two holds it
    bool ok = put(vm, first, key, one) && put(vm, second, key, one);
    release(vm, one);
    return ok;
}

// Of a side that has `own`. An entry that goes leaves a hole, so that the walk
// sees all others.
static bool level_keys(LevelWalk *walk, const Dict *own, Dict *saved,
                       Dict *first, Dict *second)
{
    uint32_t at = 0;
    bool ok = true;
    for (Value key, value; ok && dict_next(own, &at, &key, &value);) {
        ok = (dict_same_entry(saved, first, at - 1) &&
              dict_same_entry(saved, second, at - 1)) ||
             level_key(walk, key, saved, first, second);
    }
    return ok;
}

static bool level_dicts(LevelWalk *walk, Dict *saved, Dict *first, Dict *second)
{
    return level_keys(walk, first, saved, first, second) &&
           level_keys(walk, second, saved, first, second);
}

// An object without attributes has a dict of none. False: no memory.
static bool as_dict(Vm *vm, Value *part)
{
    if (value_is_none(*part)) {
        Dict *dict = dict_new(vm);
        *part = dict != NULL ? value_from_object(dict) : VALUE_NONE;
    }
    return !value_is_none(*part);
}

static bool all_are(Kind kind, Value a, Value b, Value c)
{
    return value_is_kind(a, kind) && value_is_kind(b, kind) &&
           value_is_kind(c, kind);
}

static bool level_part(LevelWalk *walk, uint32_t part, Value *saved,
                       Value *first, Value *second)
{
    Vm *vm = walk->vm;
    if (part == CONTENT_ATTRIBUTES) {
        bool none = value_is_none(*saved) && value_is_none(*first) &&
                    value_is_none(*second);
        return none ||
               (as_dict(vm, saved) && as_dict(vm, first) &&
                as_dict(vm, second) &&
                level_dicts(walk, value_as_dict(*saved), value_as_dict(*first),
                            value_as_dict(*second)));
    }
    if (part == CONTENT_ITEMS && walk->entry->container->kind != KIND_CELL) {
        return all_are(KIND_LIST, *saved, *first, *second)
                   ? level_lists(walk, value_as_list(*saved),
                                 value_as_list(*first), value_as_list(*second))
               : all_are(KIND_DICT, *saved, *first, *second)
                   ? level_dicts(walk, value_as_dict(*saved),
                                 value_as_dict(*first), value_as_dict(*second))
                   : true;
    }
    return level_one(walk, VALUE_UNBOUND, *saved, first, second);
}

bool journal_level(Vm *vm, Frame *frame, const StagedBlock *block,
                   const JournalEntry *entry)
{
    LevelWalk walk = {vm, frame, block, entry};
    bool ok = true;
    // One that the second side alone has changed has no end of the first.
    Value ends[3] = {entry->saved,
                     value_unbound(entry->ends[0]) ? entry->saved
                                                   : entry->ends[0],
                     entry->ends[1]};
    bool known = !poison_is(vm, ends[0]) && !poison_is(vm, ends[1]) &&
                 !poison_is(vm, ends[2]);
    if (!entry->older || !known) {
        return true;
    }
    Tuple *saved = value_as_tuple(ends[0]);
    Tuple *first = value_as_tuple(ends[1]), *second = value_as_tuple(ends[2]);
    for (uint32_t i = 0; ok && i < saved->count; i++) {
        ok = level_part(&walk, i, &saved->items[i], &first->items[i],
                        &second->items[i]);
    }
    return ok;
}
