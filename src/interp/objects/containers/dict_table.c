// Making, growing and copying the table of a dict.
#include "interp/objects/containers/dict_table.h"

#include "base/bulk.h"

// The sizes are given, since a dict that was cleared has them no more.
void dict_table_free(Vm *vm, DictEntry *entries, uint32_t capacity, void *index,
                     uint32_t index_size)
{
    ctx_free(&vm->ctx, entries, capacity * sizeof *entries);
    if (index != NULL) {
        ctx_free(&vm->ctx, index, index_size * dict_slot_width(index_size));
    }
}

// Moves the live entries together; the index is made anew by the caller. No
// reference changes hands; what iterations know as positions is wrong
// afterwards, which a new version tells them.
static void compact(Dict *dict)
{
    uint32_t to = 0;
    for (uint32_t i = 0; i < dict->used; i++) {
        if (dict_live(&dict->entries[i])) {
            dict->entries[to++] = dict->entries[i];
        }
    }
    dict->used = to;
    dict->first = 0;
}

// A table for `capacity` entries: two thirds of the slots are used at most.
bool dict_table_resize(Vm *vm, Dict *dict, uint32_t capacity)
{
    uint32_t slots = 0;
    void *index = NULL;
    // Compacting moves entries to other numbers, which ends a dense dict.
    dict->dense = dict->dense && dict->count == dict->used;
    if (capacity > DICT_SMALL && !dict->dense) {
        // The capacity is then rounded up to what the slots allow.
        // The least power of two of which two thirds hold the capacity.
        for (slots = 16; (uint64_t)slots * 2 < (uint64_t)capacity * 3;) {
            slots *= 2;
        }
        capacity = (uint32_t)((uint64_t)slots * 2 / 3);
        size_t size = slots * dict_slot_width(slots);
        index = ctx_alloc_zero(&vm->ctx, size);
        if (index == NULL) {
            return false;
        }
    }
    // Nothing but the entries' block can fail from here on.
    compact(dict);
    DictEntry *entries =
        ctx_realloc(&vm->ctx, dict->entries, dict->capacity * sizeof *entries,
                    capacity * sizeof *entries);
    bool ok = entries != NULL;
    if (!ok && index != NULL) {
        ctx_free(&vm->ctx, index, slots * dict_slot_width(slots));
    }
    if (!ok && dict->index != NULL) {
        // Compacted, but no new table: the old index is filled again.
        memset(dict->index, 0,
               dict->index_size * dict_slot_width(dict->index_size));
    }
    if (ok) {
        if (dict->index != NULL) {
            ctx_free(&vm->ctx, dict->index,
                     dict->index_size * dict_slot_width(dict->index_size));
        }
        dict->entries = entries;
        dict->capacity = capacity;
        dict->index = index;
        dict->index_size = slots;
    }
    for (uint32_t i = 0; dict->index != NULL && i < dict->used; i++) {
        // Hashes are stored with the entries, so nothing is hashed again.
        dict_index_insert(dict, dict->entries[i].hash, i);
    }
    return ok;
}

// For a table that is full; never called while there is room.
bool dict_table_grow(Vm *vm, Dict *dict)
{
    // Numbers of entries and slots must fit 32 bits when doubled.
    // No smaller limit is set: the memory ends first.
    if (dict->count >= UINT32_MAX / 4) {
        return ctx_fail_memory(&vm->ctx);
    }
    // A third or more was removed: without those the same size will do.
    uint32_t wanted = dict->count + dict->count / 2 < dict->used
                          ? dict->capacity
                          : dict->capacity * 2;
    return dict_table_resize(vm, dict,
                             wanted < DICT_SMALL ? DICT_SMALL : wanted);
}

// A copy keeps the capacity: of a dict that has shrunk it would be a waste.
bool dict_table_compact(const Dict *dict)
{
    return dict->count == dict->used && dict->used != 0 &&
           dict->used >= dict->capacity / 3;
}

// All that can fail comes first, so that a failure leaves `to` as it was.
bool dict_table_copy(Vm *vm, Dict *to, const Dict *from)
{
    // The index of a small part of its capacity would be mostly zeros.
    size_t size = from->used * sizeof(DictEntry);
    size_t capacity = from->capacity * sizeof(DictEntry);
    size_t width = from->index_size * dict_slot_width(from->index_size);
    void *index = NULL;
    DictEntry *entries = ctx_alloc(&vm->ctx, capacity);
    if (entries != NULL && from->index != NULL) {
        index = ctx_alloc(&vm->ctx, width);
        if (index == NULL) {
            ctx_free(&vm->ctx, entries, capacity);
            return false;
        }
    }
    if (entries == NULL) {
        return false;
    }
    // Entries keep their numbers, so the slots hold as they are.
    if ((index != NULL && !bulk_copy(&vm->ctx, index, from->index, width)) ||
        !bulk_copy(&vm->ctx, entries, from->entries, size)) {
        ctx_free(&vm->ctx, index, width);
        ctx_free(&vm->ctx, entries, capacity);
        return false;
    }
    for (uint32_t i = 0; i < from->used; i++) {
        // Only counts go up: destructors cannot run before the tables are in
        // place.
        value_retain(entries[i].key);
        value_retain(entries[i].value);
    }
    dict_table_free(vm, to->entries, to->capacity, to->index, to->index_size);
    to->entries = entries;
    to->index = index;
    to->count = from->count;
    to->used = from->used;
    to->capacity = from->capacity;
    to->index_size = from->index_size;
    to->dense = from->dense;
    // An iteration over the emptied dict has to notice.
    to->version++;
    return true;
}
