// Finding what a turn changes beside the places that its text assigns.
//
// Invariant: what is compared is the content from before the loop with the
// content when all places that are known have been put back: whatever differs
// is a change that the state would lose.
#include "stager/loop_held.h"

#include <stdio.h>

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "stager/content.h"
#include "stager/maybe.h"
#include "stager/poison.h"
#include "stager/staged_list.h"
#include "stager/structure.h"

enum { HELD_ROUNDS = 8 }; // a state that still grows then never ends

// --- one place ---

// The element of a content, borrowed; UNBOUND: not there.
static Value *element_of(Value content, uint32_t part, Value key)
{
    Value *held = &value_as_tuple(content)->items[part];
    if (value_unbound(key)) {
        return held;
    }
    if (value_is_kind(*held, KIND_LIST)) {
        List *list = value_as_list(*held);
        size_t at = (size_t)value_small(key);
        return at < list->count ? &list->items[at] : NULL;
    }
    if (!value_is_kind(*held, KIND_DICT)) {
        return NULL; // a list that the graph holds by now
    }
    // A key of the program may run code when it is compared: by identity.
    Dict *dict = value_as_dict(*held);
    uint32_t at = 0;
    for (Value name, value; dict_next(dict, &at, &name, &value);) {
        if (value_same(name, key)) {
            return &dict->entries[at - 1].value;
        }
    }
    return NULL;
}

Value held_get(Vm *vm, const HeldPlace *place)
{
    Value content = content_take(vm, place->container);
    if (value_failed(content) || value_unbound(content)) {
        return content;
    }
    const Value *element = element_of(content, place->part, place->key);
    Value value = element != NULL ? value_retain(*element) : VALUE_UNBOUND;
    release(vm, content);
    return value;
}

// An attribute that only the class had so far, or what a turn makes; takes the
// value. UNBOUND: it goes.
static bool add_element(Vm *vm, Value content, const HeldPlace *place,
                        Value value)
{
    Value *held = &value_as_tuple(content)->items[place->part];
    if (value_is_none(*held)) {
        Dict *dict = dict_new(vm);
        *held = dict != NULL ? value_from_object(dict) : VALUE_NONE;
    }
    bool ok = value_is_kind(*held, KIND_DICT) &&
              (value_unbound(value)
                   ? dict_remove(vm, value_as_dict(*held), place->key) >= 0
                   : dict_set(vm, value_as_dict(*held), place->key, value));
    release(vm, value);
    return ok;
}

bool held_set(Vm *vm, const HeldPlace *place, Value value)
{
    Value content = content_take(vm, place->container);
    if (value_failed(content) || value_unbound(content)) {
        release(vm, value);
        return !value_failed(content);
    }
    Value *element = element_of(content, place->part, place->key);
    bool ok = true, adds = place->made || (element == NULL &&
                                           place->part == CONTENT_ATTRIBUTES);
    if (adds) {
        ok = add_element(vm, content, place, value);
    } else if (element != NULL) {
        value_replace(&vm->ctx, element, value);
    } else {
        release(vm, value);
    }
    ok = ok && ((element == NULL && !adds) ||
                content_put(vm, place->container, content));
    release(vm, content);
    return ok;
}

const char *held_name(const HeldPlace *place, char *room, size_t size)
{
    if (value_is_str(place->key)) {
        snprintf(room, size,
                 place->part == CONTENT_ITEMS ? "['%.60s']" : "%.60s",
                 value_as_str(place->key)->text);
    } else if (value_is_int(place->key)) {
        snprintf(room, size, "[%lld]", (long long)value_small(place->key));
    } else {
        snprintf(room, size, "variable");
    }
    return room;
}

static void drop_place(Vm *vm, HeldPlace *place)
{
    object_release(&vm->ctx, place->container);
    release(vm, place->key);
    release(vm, place->before);
    release(vm, place->state);
}

void held_free(Vm *vm, StagedBlock *block)
{
    for (size_t i = 0; i < block->held.count; i++) {
        drop_place(vm, &block->held.items[i]);
    }
    vec_free(&vm->ctx, &block->held);
}

// --- finding ---

// One container, before the loop and after the turn.
typedef struct HeldWalk {
    Vm *vm;
    StagedBlock *block;
    const JournalEntry *entry;
    uint32_t part;
} HeldWalk;

// 1, or -1 with an error pending.
static int push_held(HeldWalk *walk, Value key, Value before, bool made)
{
    HeldPlace place = {.container = walk->entry->container,
                       .part = walk->part,
                       .key = key,
                       .before = before,
                       .state = maybe_open(walk->vm, before),
                       .made = made};
    if (!vec_push(&walk->vm->ctx, &walk->block->held, place)) {
        release(walk->vm, place.state);
        return -1;
    }
    (void)object_retain(place.container);
    (void)value_retain(key);
    (void)value_retain(before);
    return 1;
}

static int add_held(HeldWalk *walk, Value key, Value before, Value after)
{
    return merge_same(before, after) ||
                   !journal_is_state(walk->vm, walk->entry, before, after)
               ? 1
               : push_held(walk, key, before, false);
}

// An element that was not there before the loop. 0: no state can be one.
static int add_made(HeldWalk *walk, Value key, Value after)
{
    Value self = value_from_object(walk->entry->container);
    if (walk->entry->older && walk->part == CONTENT_ITEMS) {
        return 0;
    }
    if (!journal_is_state(walk->vm, walk->entry, VALUE_UNBOUND, after)) {
        return 1;
    }
    Value before = walk->part == CONTENT_ATTRIBUTES ||
                           poison_fits(walk->vm, value_object(self))
                       ? loop_made_before(walk->vm, walk->block, after)
                       : VALUE_UNBOUND;
    if (value_failed(before)) {
        return -1;
    }
    int added = value_unbound(before) ? 0 : push_held(walk, key, before, true);
    release(walk->vm, before);
    return added;
}

// Its elements are no places of their own any more.
static void drop_elements(Vm *vm, StagedBlock *block, const Object *container)
{
    size_t kept = 0;
    for (size_t i = 0; i < block->held.count; i++) {
        HeldPlace *place = &block->held.items[i];
        if (place->container == container && place->part == CONTENT_ITEMS) {
            drop_place(vm, place);
        } else {
            block->held.items[kept++] = *place;
        }
    }
    block->held.count = kept;
}

// The list as a whole is state already.
static bool is_whole(const StagedBlock *block, const Object *container)
{
    bool found = false;
    for (size_t i = 0; i < block->held.count && !found; i++) {
        const HeldPlace *place = &block->held.items[i];
        found = place->container == container && place->part == CONTENT_ITEMS &&
                value_unbound(place->key);
    }
    return found;
}

int held_covers(Vm *vm, const StagedBlock *block, const BlockPlace *place)
{
    if (place->step_count == 0 || block->held.count == 0) {
        return 0;
    }
    Value holder = state_holder(vm, block->frame, place);
    if (value_failed(holder)) {
        return -1;
    }
    bool found = value_is_object(holder) &&
                 place->steps[place->step_count - 1].item &&
                 is_whole(block, value_object(holder));
    release(vm, holder);
    return found;
}

// A list that grows or shrinks, or that the graph holds already: as a whole. 0:
// its elements are of no one form.
static int add_grown(HeldWalk *walk, Value before, Value after)
{
    Vm *vm = walk->vm;
    Object *container = walk->entry->container;
    if (walk->entry->older ||
        !staged_list_fits(vm, value_from_object(container))) {
        return 0;
    }
    ListForm form = {.pattern = VALUE_UNBOUND};
    int fits = staged_list_add_form(vm, &form, before);
    fits = fits == 1 ? staged_list_add_form(vm, &form, after) : fits;
    if (fits == 1) {
        Value staged = staged_list_from(vm, &form, walk->block->parent, before);
        drop_elements(vm, walk->block, container);
        fits = value_failed(staged)
                   ? -1
                   : add_held(walk, VALUE_UNBOUND, staged, after);
        walk->block->more |= fits == 1;
        release(vm, staged);
    }
    list_form_free(vm, &form);
    return fits;
}

// The same lists of the graph, with the same elements.
static bool is_unchanged(Value a, Value b)
{
    bool same = staged_list_count(a) == staged_list_count(b);
    for (size_t i = 1; same && i < staged_list_count(a); i++) {
        same = value_same(staged_list_parts(a)[i], staged_list_parts(b)[i]);
    }
    return same;
}

static int compare_staged(HeldWalk *walk, Value before, Value after)
{
    Vm *vm = walk->vm;
    bool both = staged_list_is(vm, before) && staged_list_is(vm, after);
    return is_whole(walk->block, walk->entry->container) ? 1
           : both && is_unchanged(before, after)
               ? 1
               : add_grown(walk, before, after);
}

// 0: another length or other keys, which no state of a graph has.
static int compare_lists(HeldWalk *walk, const List *a, const List *b)
{
    if (a->count != b->count) {
        return add_grown(walk, value_from_object((List *)a),
                         value_from_object((List *)b));
    }
    int same = 1;
    for (size_t i = 0; same == 1 && i < a->count; i++) {
        same = add_held(walk, value_from_small((int64_t)i), a->items[i],
                        b->items[i]);
    }
    return same;
}

static int compare_dicts(HeldWalk *walk, const Dict *a, const Dict *b)
{
    uint32_t at = 0, other = 0;
    Value key, value, twin, after;
    int same = a->count <= b->count;
    while (same == 1 && dict_next(a, &at, &key, &value)) {
        same = dict_next(b, &other, &twin, &after) && merge_same(key, twin)
                   ? add_held(walk, key, value, after)
                   : 0;
    }
    while (same == 1 && dict_next(b, &other, &key, &after)) {
        same = add_made(walk, key, after);
    }
    return same;
}

// By name; what an attribute was before that is new is what its class has. 0:
// one is gone.
static int compare_attributes(HeldWalk *walk, Value before, Value after)
{
    Vm *vm = walk->vm;
    Dict *a = value_is_none(before) ? NULL : value_as_dict(before);
    Dict *b = value_is_none(after) ? NULL : value_as_dict(after);
    uint32_t at = 0;
    size_t kept = 0;
    int same = 1;
    Value key, now;
    while (same == 1 && b != NULL && dict_next(b, &at, &key, &now)) {
        Value then = VALUE_UNBOUND;
        int has = a != NULL ? dict_get(vm, a, key, &then) : 0;
        kept += has == 1;
        if (has == 0) {
            then = content_of_class(vm, walk->entry->container, key);
        }
        same = has < 0 || value_failed(then) ? -1
               : value_unbound(then)         ? add_made(walk, key, now)
                                             : add_held(walk, key, then, now);
    }
    return same == 1 && a != NULL && kept != a->count ? 0 : same;
}

static int compare_sets(const Set *a, const Set *b)
{
    size_t at = 0, other = 0;
    Value key, twin;
    bool same = a->count == b->count;
    while (same && set_next(a, &at, &key)) {
        same = set_next(b, &other, &twin) && merge_same(key, twin);
    }
    return same;
}

// One part of a content: as the functions above.
static int compare_part(HeldWalk *walk, Value before, Value after)
{
    // What a cell or a place of __slots__ holds is a place itself, whatever it
    // is.
    bool single = walk->part >= CONTENT_SLOTS ||
                  (walk->part == CONTENT_ITEMS &&
                   walk->entry->container->kind == KIND_CELL);
    if (single) {
        return value_unbound(before) != value_unbound(after)
                   ? 0
                   : add_held(walk, VALUE_UNBOUND, before, after);
    }
    if (walk->part == CONTENT_ATTRIBUTES) {
        return compare_attributes(walk, before, after);
    }
    if (staged_list_is(walk->vm, before) || staged_list_is(walk->vm, after)) {
        return compare_staged(walk, before, after);
    }
    if (!value_is_object(before) || !value_is_object(after) ||
        value_object(before)->kind != value_object(after)->kind) {
        return value_same(before, after);
    }
    switch (value_object(before)->kind) {
    case KIND_LIST:
        return compare_lists(walk, value_as_list(before), value_as_list(after));
    case KIND_DICT:
        return compare_dicts(walk, value_as_dict(before), value_as_dict(after));
    default:
        return compare_sets((const Set *)value_object(before),
                            (const Set *)value_object(after));
    }
}

// What may be appended in place of the last item.
static const char *cure_of_item(Vm *vm, Value items)
{
    const List *list =
        value_is_kind(items, KIND_LIST) ? value_as_list(items) : NULL;
    Value last = list != NULL && list->count > 0 ? list->items[list->count - 1]
                                                 : VALUE_NONE;
    if (value_is_text(last)) {
        return "append a number for each text, and make texts of the numbers "
               "outside";
    }
    switch (structure_kind(vm, last)) {
    case STRUCTURE_LIST: return "append a tuple in place of a list";
    case STRUCTURE_DICT:
        return "append a tuple of the values in place of a dict, or keep a "
               "list for each key";
    default:
        return "append only tensors, numbers, or tuples of one form, or write "
               "to elements that are there before it";
    }
}

// What may be done instead, by kind of container.
static const char *cure_of(Vm *vm, const Object *container, Value now)
{
    switch (container->kind) {
    case KIND_LIST:
        return cure_of_item(vm, value_as_tuple(now)->items[CONTENT_ITEMS]);
    case KIND_DICT:
    case KIND_INSTANCE:
    case KIND_CELL: return "assign it before the loop too";
    default: return "use a tensor, or do it outside of the loop";
    }
}

static int fail_form(HeldWalk *walk, Value now)
{
    const JournalEntry *entry = walk->entry;
    return raise_int(
        walk->vm, ERR_SYMBOLIC,
        "line %u changes which elements a '%s' has, in the loop at line %u "
        "whose turns a tensor decides about: %s",
        (unsigned)entry->lines[0], type_name(entry->container->type),
        (unsigned)block_line(walk->block),
        cure_of(walk->vm, entry->container, now));
}

static bool has_made(const StagedBlock *block, const Object *container)
{
    bool found = false;
    for (size_t i = 0; i < block->held.count && !found; i++) {
        const HeldPlace *place = &block->held.items[i];
        found = place->container == container && place->made;
    }
    return found;
}

// A turn decides what a dict is that was undecided before the loop: it makes
// all of it, or no place would tell of the turn.
static int compare_decided(HeldWalk *walk, Value now)
{
    Value saved = walk->entry->saved;
    if (poison_is(walk->vm, now) || walk->entry->container->kind != KIND_DICT ||
        value_unbound(poison_choice(walk->vm, saved, walk->block->parent))) {
        return 0;
    }
    uint32_t at = 0;
    Dict *dict = value_as_dict(value_as_tuple(now)->items[CONTENT_ITEMS]);
    int same = dict->count > 0 || has_made(walk->block, walk->entry->container);
    for (Value key, value; same == 1 && dict_next(dict, &at, &key, &value);) {
        same = add_made(walk, key, value);
    }
    return same;
}

static int compare_entry(Vm *vm, StagedBlock *block, const JournalEntry *entry)
{
    Value now = journal_take(vm, entry->container);
    if (value_failed(now)) {
        return -1;
    }
    HeldWalk walk = {.vm = vm, .block = block, .entry = entry};
    int same = 1;
    if (poison_is(vm, now) || poison_is(vm, entry->saved)) {
        same = value_same(now, entry->saved) ? 1 : compare_decided(&walk, now);
        if (!same) {
            (void)poison_raise(vm, poison_is(vm, now) ? now : entry->saved);
            same = -1;
        }
    } else {
        const Tuple *a = value_as_tuple(entry->saved);
        const Tuple *b = value_as_tuple(now);
        for (; same == 1 && walk.part < a->count; walk.part++) {
            same =
                compare_part(&walk, a->items[walk.part], b->items[walk.part]);
            same = same == 0 && entry->older ? 1 : same;
        }
        same = same == 0 ? fail_form(&walk, now) : same;
    }
    release(vm, now);
    return same;
}

// The second trace runs the host's code of the body again, which must then not
// have done what stays done.
static int fail_effects(Vm *vm, const StagedBlock *block)
{
    const JournalEntry *entry =
        block->held.count == 0
            ? NULL
            : journal_find(&block->journal, vec_last(&block->held).container);
    unsigned line = block_line(block);
    return raise_int(
        vm, ERR_SYMBOLIC,
        "line %u changes a '%s' in the loop at line %u, whose turns a tensor "
        "decides about, beside effects on the host that cannot be taken back: "
        "assign it in the loop itself, or keep it in a variable there",
        entry != NULL ? (unsigned)entry->lines[0] : line,
        entry != NULL ? type_name(entry->container->type) : "list or dict",
        line);
}

// Whether the place lies in a variable that turns find unbound, where it is not
// shown.
static bool is_in_fresh(const StagedBlock *block, const BlockPlace *place)
{
    bool is = false;
    for (uint32_t i = 0; !is && i < block->info->place_count; i++) {
        const BlockPlace *root = &block->info->places[i];
        is = place->step_count > 0 && root->step_count == 0 &&
             root->kind == place->kind && root->index == place->index &&
             root->name == place->name &&
             block->loop->slots[i].kind == SLOT_FRESH;
    }
    return is;
}

static bool put_place(Vm *vm, Frame *frame, const StagedBlock *block,
                      uint32_t i)
{
    const BlockPlace *path = &block->info->places[i];
    // What a turn makes in a container is found there.
    if (path->step_count > 0 &&
        (value_unbound(block->before[i]) || is_in_fresh(block, path))) {
        return true;
    }
    bool ok =
        state_set(vm, frame, path, value_retain(loop_lift_before(block, i)));
    // An element that is gone is found when the contents are compared.
    if (!ok && raise_matches(vm, ERR_LOOKUP)) {
        raise_clear(vm);
        ok = true;
    }
    return ok;
}

static bool put_held(Vm *vm, const HeldPlace *place)
{
    return held_set(vm, place,
                    place->made ? VALUE_UNBOUND : value_retain(place->before));
}

// Places that are known hold what they held before the loop, what they lie in
// first. Their stores are nobody's events.
static bool put_back(Vm *vm, Frame *frame, StagedBlock *block)
{
    bool ok = true;
    vm->trace->restoring = true;
    for (uint32_t depth = 0; ok && depth <= state_depth(block->info); depth++) {
        for (uint32_t i = 0; ok && i < block->info->place_count; i++) {
            ok = block->info->places[i].step_count != depth ||
                 put_place(vm, frame, block, i);
        }
        for (size_t i = 0; ok && depth == 0 && i < block->held.count; i++) {
            ok = put_held(vm, &block->held.items[i]);
        }
    }
    vm->trace->restoring = false;
    return ok;
}

bool loop_may_repeat(Vm *vm, const StagedBlock *block)
{
    return vm->trace->lasting == block->loop->lasting &&
           block->rounds < HELD_ROUNDS;
}

int loop_find_held(Vm *vm, Frame *frame, StagedBlock *block)
{
    size_t known = block->held.count;
    bool more = block->kept.count > block->loop->kept || block->more;
    block->more = false;
    if (block->journal.entries.count == 0 && !more) {
        return 0;
    }
    if (!put_back(vm, frame, block)) {
        return -1;
    }
    for (size_t i = 0; i < block->journal.entries.count; i++) {
        const JournalEntry *entry = &block->journal.entries.items[i];
        if (entry->state && !journal_repeats(&block->journal, i) &&
            !state_is_cell(frame, block->info, entry->container) &&
            compare_entry(vm, block, entry) < 0) {
            return -1;
        }
    }
    if (block->held.count == known && !more && !block->more) {
        return 0;
    }
    if (!loop_may_repeat(vm, block)) {
        return fail_effects(vm, block);
    }
    return journal_restore(vm, block, true) ? 1 : -1;
}
