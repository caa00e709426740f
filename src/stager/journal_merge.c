// Merging what two sides left in containers: lists by item, dicts by key,
// attributes by name, a cell's value; sets are equal or not.
//
// Invariant: the object stays the same one, so that all names of it see the
// merged content.
#include "stager/journal_merge.h"

#include <stdio.h>

#include "interp/objects/classes/obj_member.h"
#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/tensors/tensor_call.h"
#include "stager/content.h"
#include "stager/either.h"
#include "stager/journal_older.h"
#include "stager/notes.h"
#include "stager/poison.h"
#include "stager/staged_list.h"
#include "stager/structure.h"

// One container at the join.
typedef struct JoinWalk {
    Frame *frame;
    StagedBlock *block;
    Merge *merge;
    const JournalEntry *entry;
    const Tuple *sides[2]; // its content at the end of each
} JoinWalk;

// --- places ---

int journal_has_place(Vm *vm, Frame *frame, const StagedBlock *block,
                      const BlockPlace *place)
{
    Value holder = state_holder(vm, frame, place);
    if (value_failed(holder)) {
        return -1;
    }
    bool found = value_is_object(holder) &&
                 journal_find(&block->journal, value_object(holder)) != NULL;
    release(vm, holder);
    return found;
}

// --- elements ---

// The variable or path by which the block itself assigns the element; else
// "NAME[0]" without a name. In `room`.
static bool element_name(JoinWalk *walk, Value key, char *room, size_t size)
{
    const BlockPlace *place;
    if (!journal_place(walk->merge->vm, walk->frame, walk->block,
                       walk->entry->container, key, &place)) {
        return false;
    }
    room[0] = '\0';
    if (place != NULL) {
        state_name(place, room, size);
    }
    return true;
}

// What an error says of an element that no path of the block names.
static void describe_element(const JoinWalk *walk, Value key, char *room,
                             size_t size)
{
    const char *what = type_name(walk->entry->container->type);
    if (value_unbound(key)) {
        snprintf(room, size, "a variable of an outer function");
    } else if (value_is_str(key)) {
        snprintf(room, size, "'%.60s' of a '%.60s'", value_as_str(key)->text,
                 what);
    } else if (value_is_int(key)) {
        snprintf(room, size, "element %lld of a '%.60s'",
                 (long long)value_small(key), what);
    } else {
        snprintf(room, size, "an element of a '%.60s'", what);
    }
}

// An attribute that need not be there, on a side whose condition says whether
// it is; borrowed.
static Value decided(const Merge *m, int side, Value v)
{
    Value choice = poison_is_value(m->vm, v)
                       ? poison_there(m->vm, v, m->blocks[side])
                       : VALUE_UNBOUND;
    if (value_unbound(choice) || m->condition == VALUE_ID_NONE) {
        return v;
    }
    Value one = either_where(m->vm, choice, m->condition, side == 0);
    return value_same(one, choice) ? v
           : value_is_none(one)    ? VALUE_UNBOUND
                                   : one;
}

// What an attribute is that one side alone has; owned. `kind` is that of the
// text.
static Value merge_absent(JoinWalk *walk, ErrorKind kind, const char *text,
                          Value a, Value b)
{
    Merge *m = walk->merge;
    Vm *vm = m->vm;
    int side = value_unbound(a) ? 1 : 0;
    Value v = side == 0 ? a : b;
    if (kind != ERR_ATTRIBUTE || poison_is(vm, v) ||
        m->condition == VALUE_ID_NONE) {
        return poison_new(vm, kind, text, VALUE_UNBOUND);
    }
    m->hidden = HIDDEN_VALUE;
    Value parts[2] = {merge_single(m, side, v), VALUE_FAIL};
    Value flag = value_failed(parts[0])
                     ? VALUE_FAIL
                     : trace_symbolic(vm, vm->trace, m->condition, NULL);
    parts[1] = value_failed(flag) || side == 0
                   ? flag
                   : tensor_call(vm, "logical_not", &flag, 1, NULL, 0);
    release(vm, side == 0 ? VALUE_NONE : flag);
    Value choice = value_failed(parts[1])
                       ? VALUE_FAIL
                       : either_of(vm, parts[1], parts[0], VALUE_NONE);
    Value made = value_failed(choice) ? VALUE_FAIL
                                      : poison_absent(vm, kind, text, choice);
    release(vm, parts[0]);
    release(vm, parts[1]);
    release(vm, choice);
    return made;
}

// One element of both; UNBOUND: that side has none. Owned.
static Value merge_element(JoinWalk *walk, Value key, Value a, Value b)
{
    Merge *m = walk->merge;
    char name[128], text[512], room[200];
    a = decided(m, 0, a);
    b = decided(m, 1, b);
    m->name = NULL;
    m->hidden = HIDDEN_NONE;
    m->fault = ERR_NONE;
    if (!merge_same(a, b) && !value_unbound(key)) {
        if (!element_name(walk, key, name, sizeof name)) {
            return VALUE_FAIL;
        }
        m->name = name[0] != '\0' ? name : NULL;
    }
    m->may_be_none = true;
    Value merged = merge_values(m, a, b);
    m->may_be_none = false;
    if (value_failed(merged) || m->fault == ERR_NONE) {
        return merged;
    }
    if (m->name != NULL) {
        snprintf(room, sizeof room, "'%s'", m->name);
    } else {
        describe_element(walk, key, room, sizeof room);
    }
    ErrorKind missing = walk->entry->container->kind == KIND_DICT
                            ? ERR_SYMBOLIC
                            : ERR_ATTRIBUTE;
    ErrorKind kind = m->fault == ERR_UNBOUND_LOCAL ? missing : m->fault;
    BlockSides sides = {walk->frame, walk->block,
                        m->name != NULL ? m->name : ""};
    bool absent = m->fault == ERR_UNBOUND_LOCAL;
    return !notes_text(m->vm, &sides, room, kind, a, b, text, sizeof text)
               ? VALUE_FAIL
           : absent ? merge_absent(walk, kind, text, a, b)
                    : poison_new(m->vm, kind, text, VALUE_UNBOUND);
}

// --- parts ---
//
// Each gives the merged part, owned; UNBOUND: the sides cannot be one.

// A list that the graph holds, part by part.
static Value merge_parts(JoinWalk *walk, Value a, Value b)
{
    Merge *m = walk->merge;
    Vm *vm = m->vm;
    Value model = value_unbound(a) ? b : a, merged = VALUE_NONE;
    ValueVec parts = {0};
    bool ok =
        structure_push(vm, &parts, value_retain(staged_list_parts(model)[0]));
    m->name = NULL;
    m->hidden = HIDDEN_NONE;
    for (size_t i = 1; ok && i < staged_list_count(model); i++) {
        merged = merge_values(m, value_unbound(a) ? a : staged_list_parts(a)[i],
                              value_unbound(b) ? b : staged_list_parts(b)[i]);
        ok = !value_unbound(merged) && structure_push(vm, &parts, merged);
    }
    Value made = ok ? staged_list_new(vm, parts.items, parts.count)
                 : value_unbound(merged) ? merged
                                         : VALUE_FAIL;
    structure_free(vm, &parts);
    return made;
}

// Lists of different lengths: the graph holds one.
static Value merge_grown(JoinWalk *walk, Value a, Value b)
{
    Vm *vm = walk->merge->vm;
    Value both[2];
    if (walk->entry->older ||
        !staged_list_fits(vm, value_from_object(walk->entry->container))) {
        return VALUE_UNBOUND;
    }
    int fits = merge_stage_lists(walk->merge, a, b, both);
    if (fits <= 0) {
        return fits == 0 ? VALUE_UNBOUND : VALUE_FAIL;
    }
    Value made = merge_parts(walk, both[0], both[1]);
    release(vm, both[0]);
    release(vm, both[1]);
    return made;
}

static Value merge_lists(JoinWalk *walk, const List *a, const List *b)
{
    Vm *vm = walk->merge->vm;
    const List *model = a != NULL ? a : b;
    if (a != NULL && b != NULL && a->count != b->count) {
        return merge_grown(walk, value_from_object((List *)a),
                           value_from_object((List *)b));
    }
    List *list = list_new(vm, model->count);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        Value item = merge_element(walk, value_from_small((int64_t)i),
                                   a != NULL ? a->items[i] : VALUE_UNBOUND,
                                   b != NULL ? b->items[i] : VALUE_UNBOUND);
        if (value_failed(item)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
        list->items[i] = item;
    }
    return value_or_fail(list);
}

// The same keys in the same order, or one side alone.
static Value merge_dicts(JoinWalk *walk, Dict *a, Dict *b)
{
    Vm *vm = walk->merge->vm;
    if (a != NULL && b != NULL && a->count != b->count) {
        return VALUE_UNBOUND;
    }
    Dict *dict = dict_copy(vm, a != NULL ? a : b);
    uint32_t at = 0, other = 0;
    Value key, value, twin, second = VALUE_UNBOUND;
    while (dict != NULL && dict_next(dict, &at, &key, &value)) {
        bool both = a != NULL && b != NULL;
        bool ok = !both || (dict_next(b, &other, &twin, &second) &&
                            merge_same(key, twin));
        Value merged =
            ok ? merge_element(walk, key, a != NULL ? value : VALUE_UNBOUND,
                               a == NULL ? value : second)
               : VALUE_UNBOUND;
        if (!ok || value_failed(merged)) {
            object_release(&vm->ctx, dict);
            return merged;
        }
        value_replace(&vm->ctx, &dict->entries[at - 1].value, merged);
    }
    return value_or_fail(dict);
}

// Elements are host values, which no graph can choose between.
static Value merge_sets(const Set *a, const Set *b)
{
    size_t at = 0, other = 0;
    Value key, twin;
    bool same = a == NULL || b == NULL || a->count == b->count;
    while (same && a != NULL && b != NULL && set_next(a, &at, &key)) {
        same = set_next(b, &other, &twin) && merge_same(key, twin);
    }
    const Set *model = a != NULL ? a : b;
    return same ? value_from_object(object_retain((void *)model))
                : VALUE_UNBOUND;
}

// A side's own attribute, or else its class's, which the side would read;
// borrowed. UNBOUND: no such side, or neither has it.
static bool find_attribute(const JoinWalk *walk, Dict *side, Value key,
                           Value *found)
{
    *found = VALUE_UNBOUND;
    Vm *vm = walk->merge->vm;
    int has = side != NULL ? dict_get(vm, side, key, found) : 1;
    if (has == 0 && walk->entry->container->kind != KIND_DICT) {
        *found = content_of_class(vm, walk->entry->container, key);
    }
    return has >= 0 && !value_failed(*found);
}

// The names of both sides: one that a side lacks is poison, since no object
// has an attribute only now and then.
static Value merge_attributes(JoinWalk *walk, Dict *a, Dict *b)
{
    Vm *vm = walk->merge->vm;
    Dict *dict = dict_copy(vm, a != NULL ? a : b);
    uint32_t at = 0;
    Value key, value;
    bool ok = dict != NULL;
    // The second side's own names go to the end, so that the walk below meets
    // all.
    while (ok && a != NULL && b != NULL && dict_next(b, &at, &key, &value)) {
        Value found;
        int has = dict_get(vm, dict, key, &found);
        ok = has > 0 || (has == 0 && dict_set(vm, dict, key, value));
    }
    at = 0;
    while (ok && dict_next(dict, &at, &key, &value)) {
        if (a != NULL && b != NULL && !poison_is_value(vm, value) &&
            dict_same_entry(dict, a, at - 1) &&
            dict_same_entry(dict, b, at - 1)) {
            continue;
        }
        Value first = VALUE_UNBOUND, second = VALUE_UNBOUND;
        ok = find_attribute(walk, a, key, &first) &&
             find_attribute(walk, b, key, &second);
        Value merged =
            ok ? merge_element(walk, key, first, second) : VALUE_FAIL;
        ok = !value_failed(merged);
        if (ok) {
            value_replace(&vm->ctx, &dict->entries[at - 1].value, merged);
        }
    }
    if (!ok) {
        object_release_null(&vm->ctx, dict);
        return VALUE_FAIL;
    }
    return value_from_object(dict);
}

static Value part_of(const Tuple *side, size_t index)
{
    return side != NULL ? side->items[index] : VALUE_UNBOUND;
}

static Value merge_items(JoinWalk *walk)
{
    Value a = part_of(walk->sides[0], CONTENT_ITEMS);
    Value b = part_of(walk->sides[1], CONTENT_ITEMS);
    Value model = walk->sides[0] != NULL ? a : b;
    if (walk->entry->container->kind == KIND_CELL) {
        return merge_element(walk, VALUE_UNBOUND, a, b);
    }
    void *first =
        walk->sides[0] != NULL && value_is_object(a) ? value_object(a) : NULL;
    void *second =
        walk->sides[1] != NULL && value_is_object(b) ? value_object(b) : NULL;
    Vm *vm = walk->merge->vm;
    if (staged_list_is(vm, a) || staged_list_is(vm, b)) {
        return first != NULL && second != NULL ? merge_grown(walk, a, b)
                                               : merge_parts(walk, a, b);
    }
    switch (value_is_object(model) ? value_object(model)->kind : KIND_COUNT) {
    case KIND_LIST: return merge_lists(walk, first, second);
    case KIND_DICT:
        // No dict that is older can be undecided: its keys are.
        return walk->entry->older ? merge_attributes(walk, first, second)
                                  : merge_dicts(walk, first, second);
    case KIND_SET: return merge_sets(first, second);
    default: return value_retain(model);
    }
}

static Value merge_names(JoinWalk *walk)
{
    Value parts[2] = {part_of(walk->sides[0], CONTENT_ATTRIBUTES),
                      part_of(walk->sides[1], CONTENT_ATTRIBUTES)};
    Dict *dicts[2], *none = NULL;
    for (int i = 0; i < 2; i++) {
        dicts[i] =
            value_is_kind(parts[i], KIND_DICT) ? value_as_dict(parts[i]) : NULL;
        // A side without a dict of attributes has none of them.
        if (value_is_none(parts[i]) && none == NULL) {
            none = dict_new(walk->merge->vm);
        }
        dicts[i] = value_is_none(parts[i]) ? none : dicts[i];
    }
    Value merged = dicts[0] == none && dicts[1] == none
                       ? VALUE_NONE
                       : merge_attributes(walk, dicts[0], dicts[1]);
    object_release_null(&walk->merge->vm->ctx, none);
    return merged;
}

static Value merge_slot(JoinWalk *walk, size_t index)
{
    Value name = member_slot_name(walk->merge->vm, walk->entry->container->type,
                                  (uint32_t)(index - CONTENT_SLOTS));
    return merge_element(walk, name, part_of(walk->sides[0], index),
                         part_of(walk->sides[1], index));
}

// The whole content; UNBOUND: the items of both cannot be one.
static Value merge_contents(JoinWalk *walk)
{
    Vm *vm = walk->merge->vm;
    const Tuple *model =
        walk->sides[0] != NULL ? walk->sides[0] : walk->sides[1];
    Value items = merge_items(walk);
    bool cell = walk->entry->container->kind == KIND_CELL;
    if (value_failed(items) || (value_unbound(items) && !cell)) {
        return items;
    }
    Tuple *content = tuple_new(vm, model->count);
    if (content == NULL) {
        release(vm, items);
        return VALUE_FAIL;
    }
    content->items[CONTENT_ITEMS] = items;
    bool ok = true;
    for (size_t i = CONTENT_ATTRIBUTES; ok && i < model->count; i++) {
        Value part =
            i == CONTENT_ATTRIBUTES ? merge_names(walk) : merge_slot(walk, i);
        ok = !value_failed(part);
        content->items[i] = ok ? part : VALUE_NONE;
    }
    if (!ok) {
        object_release(&vm->ctx, content);
        return VALUE_FAIL;
    }
    return value_from_object(content);
}

// --- containers ---

// What a side left: its items, or the choice that a join in it found them to
// be, with *mark of that join; UNBOUND: no such side, or no choice. Owned.
static Value left_by(const JoinWalk *walk, int side, Value *mark)
{
    Vm *vm = walk->merge->vm;
    const JournalEntry *entry = walk->entry;
    Value end =
        value_unbound(entry->ends[side]) ? entry->saved : entry->ends[side];
    if (walk->merge->absent[side]) {
        return VALUE_UNBOUND;
    }
    if (poison_is(vm, end)) {
        *mark = end;
        return value_retain(poison_left(vm, end));
    }
    Value self = value_from_object(entry->container);
    Value items = value_as_tuple(end)->items[CONTENT_ITEMS];
    return deque_is(self) ? either_queue(vm, self, items) : value_retain(items);
}

// As choice_of.
static Value choose(JoinWalk *walk, Value first, Value second)
{
    Merge *m = walk->merge;
    if (m->condition == VALUE_ID_NONE ||
        (value_unbound(first) && !m->absent[0]) ||
        (value_unbound(second) && !m->absent[1])) {
        return VALUE_UNBOUND;
    }
    m->name = NULL;
    m->hidden = HIDDEN_VALUE; // each part has a value on its side alone
    m->fault = ERR_NONE;
    m->vm->trace->undecided = true;
    return m->absent[0]   ? merge_single(m, 1, second)
           : m->absent[1] ? merge_single(m, 0, first)
                          : either_merge(m, first, second);
}

// A call can choose one of what two sides left, if the container is returned:
// that, owned; UNBOUND: it cannot.
static Value choice_of(JoinWalk *walk, Value *mark)
{
    Vm *vm = walk->merge->vm;
    Value first = left_by(walk, 0, mark);
    Value second = value_failed(first) ? VALUE_FAIL : left_by(walk, 1, mark);
    Value choice =
        value_failed(second) ? VALUE_FAIL : choose(walk, first, second);
    release(vm, first);
    release(vm, second);
    return choice;
}

// The container becomes what `text` says, or what the join inside said of it.
static bool mark_container(JoinWalk *walk, const char *text)
{
    Vm *vm = walk->merge->vm;
    Value mark = VALUE_UNBOUND, choice = choice_of(walk, &mark);
    if (value_failed(choice)) {
        return false;
    }
    Value poison = value_unbound(mark)
                       ? poison_new(vm, ERR_SYMBOLIC, text, choice)
                       : poison_again(vm, mark, choice);
    release(vm, choice);
    bool ok =
        !value_failed(poison) && poison_put(vm, walk->entry->container, poison);
    release(vm, poison);
    return ok;
}

// Lengths or keys differ: whoever uses the container is told, at once where it
// cannot be marked.
static bool fail_container(JoinWalk *walk)
{
    Vm *vm = walk->merge->vm;
    const JournalEntry *entry = walk->entry;
    Object *container = entry->container;
    poison_lift(vm, container); // a side that raises may have left it so
    char text[400];
    int side = entry->changed[0] ? 0 : 1;
    snprintf(text, sizeof text,
             "the '%.60s' that line %u changes holds other elements where the "
             "condition at line %u is true than where it is false: change as "
             "many on both sides, or choose the values with where()",
             type_name(container->type), (unsigned)entry->lines[side],
             (unsigned)block_line(walk->block));
    if (entry->older || !poison_fits(vm, container)) {
        return raise_false(vm, ERR_SYMBOLIC, "%s", text);
    }
    return mark_container(walk, text);
}

// A side on which the condition says which of two a dict is.
static bool decide_end(JoinWalk *walk, int side, Value *end)
{
    Merge *m = walk->merge;
    Vm *vm = m->vm;
    Value choice = poison_is(vm, *end)
                       ? poison_choice(vm, *end, walk->block->sides[side])
                       : VALUE_UNBOUND;
    if (value_unbound(choice) || m->condition == VALUE_ID_NONE) {
        return true;
    }
    Value one = either_where(vm, choice, m->condition, side == 0);
    if (!value_is_kind(one, KIND_DICT)) {
        return true;
    }
    Value parts[2] = {one, VALUE_NONE};
    Tuple *content = tuple_from(vm, parts, 2);
    JournalEntry *entry =
        journal_find(&walk->block->journal, walk->entry->container);
    if (content == NULL) {
        return false;
    }
    value_replace(&vm->ctx, &entry->ends[side], value_from_object(content));
    *end = entry->ends[side];
    return true;
}

static bool merge_entry(JoinWalk *walk)
{
    Vm *vm = walk->merge->vm;
    const JournalEntry *entry = walk->entry;
    for (int i = 0; i < 2; i++) {
        Value end =
            value_unbound(entry->ends[i]) ? entry->saved : entry->ends[i];
        if (!decide_end(walk, i, &end)) {
            return false;
        }
        // A join further inside has found it to be two.
        if (!walk->merge->absent[i] && poison_is(vm, end)) {
            poison_lift(vm, entry->container);
            return mark_container(walk, NULL);
        }
        walk->sides[i] = walk->merge->absent[i] ? NULL : value_as_tuple(end);
    }
    Value content = merge_contents(walk);
    if (value_unbound(content)) {
        return fail_container(walk);
    }
    bool ok =
        !value_failed(content) && journal_put(vm, entry->container, content);
    release(vm, content);
    return ok;
}

bool journal_merge(Vm *vm, Frame *frame, StagedBlock *block, Merge *merge)
{
    bool ok = true;
    // By number: merging may note further containers.
    for (size_t i = 0; ok && i < block->journal.entries.count; i++) {
        JoinWalk walk = {.frame = frame,
                         .block = block,
                         .merge = merge,
                         .entry = &block->journal.entries.items[i]};
        // One that came with the join itself is merged already.
        bool done = !walk.entry->state || value_unbound(walk.entry->ends[1]) ||
                    journal_repeats(&block->journal, i);
        ok =
            done || state_is_cell(frame, block->info, walk.entry->container) ||
            (journal_level(vm, frame, block, walk.entry) && merge_entry(&walk));
    }
    return ok;
}
