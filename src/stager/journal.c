// Keeping what blocks change, and taking it back.
//
// Invariant: a container that some block of the running traces has in its
// journal is in those of all blocks around it that are younger than the
// container, with the content from before each.
#include "stager/journal.h"

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "stager/blocks.h"
#include "stager/content.h"
#include "stager/era.h"
#include "stager/events.h"
#include "stager/late_print.h"
#include "stager/leak.h"
#include "stager/ledger.h"
#include "stager/loops.h"
#include "stager/maybe.h"
#include "stager/poison.h"
#include "stager/written.h"

// --- entries ---

static JournalEntry *find(const Journal *journal, const Object *container)
{
    if (journal->entries.count == 0) {
        return NULL;
    }
    const uint64_t *at =
        map_get(&journal->places, (const char *)&container, sizeof container);
    return at != NULL ? &journal->entries.items[*at] : NULL;
}

JournalEntry *journal_find(const Journal *journal, const Object *container)
{
    JournalEntry *entry = find(journal, container);
    return entry != NULL && entry->state ? entry : NULL;
}

bool journal_holds(const Journal *journal, const Object *container)
{
    return find(journal, container) != NULL;
}

bool journal_is_state(Vm *vm, const JournalEntry *entry, Value before,
                      Value after)
{
    return !entry->older || leak_holds(vm, before) || leak_holds(vm, after);
}

bool journal_changes(const Journal *journal, const Object *container)
{
    const JournalEntry *entry = find(journal, container);
    return entry != NULL && entry->changed[0];
}

void journal_again(Journal *journal)
{
    for (size_t i = 0; i < journal->entries.count; i++) {
        journal->entries.items[i].changed[0] = false;
    }
}

Value journal_take(Vm *vm, Object *object)
{
    Value self = value_from_object(object);
    return poison_is(vm, self) ? value_retain(poison_of(vm, self))
                               : content_take(vm, object);
}

bool journal_put(Vm *vm, Object *object, Value content)
{
    poison_lift(vm, object);
    return poison_is(vm, content) ? poison_put(vm, object, content)
                                  : content_put(vm, object, content);
}

static JournalEntry *add_entry(Vm *vm, StagedBlock *block, Object *container,
                               bool older)
{
    Journal *journal = &block->journal;
    Value saved = journal_take(vm, container);
    if (value_failed(saved)) {
        return NULL;
    }
    if (value_unbound(saved)) {
        return raise_null(vm, ERR_SYMBOLIC,
                          "%s: a '%s' object is changed or stepped in a block "
                          "(line %u) that a tensor decides about, and cannot "
                          "be put back for when the block does not run: do it "
                          "outside of the block, or make the object in it",
                          block->info->what, type_name(container->type),
                          (unsigned)block_line(block));
    }
    JournalEntry entry = {.container = container,
                          .saved = saved,
                          .older = older,
                          .state = !older,
                          .ends = {VALUE_UNBOUND, VALUE_UNBOUND}};
    if (!map_put(&journal->places, (const char *)&container, sizeof container,
                 journal->entries.count) ||
        !vec_push(&vm->ctx, &journal->entries, entry)) {
        release(vm, saved);
        return NULL;
    }
    (void)object_retain(container);
    return &vec_last(&journal->entries);
}

void journal_free(Vm *vm, Journal *journal)
{
    for (size_t i = 0; i < journal->entries.count; i++) {
        JournalEntry *entry = &journal->entries.items[i];
        object_release(&vm->ctx, entry->container);
        release(vm, entry->saved);
        release(vm, entry->ends[0]);
        release(vm, entry->ends[1]);
    }
    vec_free(&vm->ctx, &journal->entries);
    map_free(&journal->places);
}

// --- the hook ---

// Whether it is the dict of a class that the journal has: only that may be put
// back.
static bool is_of_class(const Journal *journal, const Object *container)
{
    bool found = false;
    for (size_t i = 0;
         container->kind == KIND_DICT && !found && i < journal->entries.count;
         i++) {
        Object *other = journal->entries.items[i].container;
        found = other->kind == KIND_TYPE &&
                (Object *)content_attributes(other) == container;
    }
    return found;
}

static bool keep(Vm *vm, StagedBlock *block, Object *container, bool older)
{
    JournalEntry *entry = find(&block->journal, container);
    int side = block->phase == PHASE_SECOND;
    if ((entry != NULL && entry->changed[side]) ||
        is_of_class(&block->journal, container)) {
        return true;
    }
    if (entry == NULL) {
        entry = add_entry(vm, block, container, older);
    }
    if (entry == NULL) {
        return false;
    }
    Source *source;
    entry->changed[side] = true;
    entry->lines[side] = trace_program_line(vm, &source);
    return true;
}

// By all blocks of the trace that began after the container was made.
static bool keep_all(Vm *vm, const Trace *trace, Object *container, bool older)
{
    StagedBlock *block = trace->blocks;
    bool ok = true;
    for (; ok && block != NULL && !era_has(vm, block->era, container);
         block = block->outer) {
        ok = keep(vm, block, container, older);
    }
    return ok;
}

// What is older than the trace. What the library does for itself is no event,
// and what a nested trace does is not done again when the body is that called
// it.
static bool note_older(Vm *vm, Trace *trace, Object *container)
{
    trace->effects++;
    if (ledger_is_bookkeeping(vm, container)) {
        return true;
    }
    bool kept = trace == vm->trace && content_is_known(vm, container) &&
                container != &vm->modules->head;
    trace->lasting += !kept;
    return !kept || keep_all(vm, trace, container, true);
}

// A loop may show it, or what it was made of.
static bool note_loops(Vm *vm, const Trace *trace, Object *container)
{
    if (trace->blocks == NULL) {
        return true;
    }
    ObjectVec objects = {0};
    bool ok = journal_add_object(vm, &objects, container) &&
              journal_find_sources(vm, trace, &objects);
    for (size_t i = 0; ok && i < objects.count; i++) {
        loop_note_store(trace, trace->blocks, objects.items[i]);
    }
    vec_free(&vm->ctx, &objects);
    return ok;
}

// In the trace that made the container. A nested trace may change what an outer
// one made.
static bool note(Vm *vm, Object *container)
{
    bool ok = true;
    for (Trace *trace = vm->trace; ok && trace != NULL; trace = trace->outer) {
        trace->changes++;
        if (!era_has(vm, trace->era, container)) {
            ok = note_older(vm, trace, container);
            continue;
        }
        ok = trace->showing || (note_loops(vm, trace, container) &&
                                journal_check_joined(vm, trace, container));
        written_note(vm, trace, container);
        return ok && keep_all(vm, trace, container, false);
    }
    return ok;
}

bool journal_effect(Vm *vm, EffectKind kind, const char *what, Value value)
{
    // What comes behind is told, but does nothing outside.
    bool outside = kind <= EFFECT_PRINT;
    for (Trace *trace = vm->trace; outside && trace != NULL;
         trace = trace->outer) {
        trace->effects++;
        trace->lasting++;
    }
    return (!outside || kind == EFFECT_PRINT || late_print_flush(vm)) &&
           ledger_effect(vm, kind, what, value);
}

// An argument's stand-in has no attributes, as no Variable has that shares its
// trace.
static bool check_stand_in(Vm *vm, const Object *container)
{
    return container->kind != KIND_VARIABLE ||
           !((const Variable *)container)->argument ||
           raise_false(vm, ERR_SYMBOLIC,
                       "a staged function gives no attributes to a Variable "
                       "that is its argument: a trace serves all Variables "
                       "that have none; set them before the call, or keep the "
                       "value elsewhere");
}

bool journal_store(Vm *vm, Object *container, Value value)
{
    return vm->trace->restoring ||
           (check_stand_in(vm, container) && note(vm, container) &&
            ledger_store(vm, container, value));
}

// --- sides ---

bool journal_repeats(const Journal *journal, size_t index)
{
    Object *own = journal->entries.items[index].container;
    Object *dict = (Object *)content_attributes(own);
    bool found = false;
    for (size_t i = 0; i < index && !found; i++) {
        Object *other = journal->entries.items[i].container;
        found = other == dict || (own->kind == KIND_DICT &&
                                  (Object *)content_attributes(other) == own);
    }
    return found;
}

// Whether a part of a content holds tensors of the trace.
static bool holds_tensors(Vm *vm, Value part)
{
    bool found = false;
    if (value_is_kind(part, KIND_LIST)) {
        const List *list = value_as_list(part);
        for (size_t i = 0; i < list->count && !found; i++) {
            found = leak_holds(vm, list->items[i]);
        }
        return found;
    }
    if (!value_is_kind(part, KIND_DICT)) {
        return leak_holds(vm, part);
    }
    uint32_t at = 0;
    Value key, value;
    while (!found && dict_next(value_as_dict(part), &at, &key, &value)) {
        found = leak_holds(vm, value);
    }
    return found;
}

// One that is older than the trace, which now holds `content`. A list of
// another length stays an effect.
static void settle(Vm *vm, JournalEntry *entry, Value content)
{
    if (entry->state || poison_is(vm, entry->saved) || poison_is(vm, content)) {
        return;
    }
    const Tuple *saved = value_as_tuple(entry->saved);
    const Tuple *now = value_as_tuple(content);
    Value before = saved->items[CONTENT_ITEMS];
    Value items = now->items[CONTENT_ITEMS];
    bool list = value_is_kind(before, KIND_LIST);
    bool fits =
        list == value_is_kind(items, KIND_LIST) &&
        (!list || value_as_list(before)->count == value_as_list(items)->count);
    for (size_t i = 0; fits && i < now->count && !entry->state; i++) {
        entry->state = holds_tensors(vm, saved->items[i]) ||
                       holds_tensors(vm, now->items[i]);
    }
}

// What the side knows of what may be None, or need not be there, holds for what
// it has left.
static void settle_known(Vm *vm, Value content)
{
    Tuple *parts = value_as_tuple(content);
    for (size_t i = 0; i < parts->count; i++) {
        Value part = parts->items[i];
        if (value_is_kind(part, KIND_LIST)) {
            List *list = value_as_list(part);
            maybe_settle(vm, list->items, (uint32_t)list->count);
        } else if (value_is_kind(part, KIND_DICT)) {
            Dict *dict = value_as_dict(part);
            uint32_t at = 0;
            for (Value key, value; dict_next(dict, &at, &key, &value);) {
                maybe_settle(vm, &dict->entries[at - 1].value, 1);
            }
        } else {
            maybe_settle(vm, &parts->items[i], 1);
        }
    }
}

static bool take_ends(Vm *vm, StagedBlock *block, int side)
{
    for (size_t i = 0; i < block->journal.entries.count; i++) {
        JournalEntry *entry = &block->journal.entries.items[i];
        Value end = journal_take(vm, entry->container);
        if (value_failed(end)) {
            return false;
        }
        entry->ends[side] = end;
        settle(vm, entry, end);
        if (!poison_is(vm, end)) {
            settle_known(vm, end);
        }
    }
    return true;
}

bool journal_else(Vm *vm, StagedBlock *block)
{
    return take_ends(vm, block, 0);
}

bool journal_end(Vm *vm, StagedBlock *block)
{
    return take_ends(vm, block, 1);
}

bool journal_settle(Vm *vm, const StagedBlock *block)
{
    bool ok = true;
    for (size_t i = 0; ok && i < block->journal.entries.count; i++) {
        JournalEntry *entry = &block->journal.entries.items[i];
        Value now =
            entry->state ? VALUE_UNBOUND : journal_take(vm, entry->container);
        ok = !value_failed(now);
        if (ok && !value_unbound(now)) {
            settle(vm, entry, now);
        }
        release(vm, ok ? now : VALUE_NONE);
    }
    return ok;
}

// The last change first: an object and the dict of its attributes are two
// entries.
bool journal_restore(Vm *vm, const StagedBlock *block, bool all)
{
    bool ok = all || journal_settle(vm, block);
    for (size_t i = block->journal.entries.count; ok && i-- > 0;) {
        const JournalEntry *entry = &block->journal.entries.items[i];
        ok = (!entry->state && !all) ||
             journal_put(vm, entry->container, entry->saved);
    }
    return ok;
}

Value journal_view(const Journal *journal, int side, Value v)
{
    const JournalEntry *entry =
        value_is_object(v) ? journal_find(journal, value_object(v)) : NULL;
    if (entry == NULL) {
        return v;
    }
    Value content =
        value_unbound(entry->ends[side]) ? entry->saved : entry->ends[side];
    if (!value_is_kind(content, KIND_TUPLE)) {
        return content;
    }
    Value items = value_as_tuple(content)->items[CONTENT_ITEMS];
    return value_is_object(items) ? items : v;
}
