// The table behind a dict: slots, probes and room. Shared by obj_dict.c, which
// looks up and changes entries, and dict_table.c, which makes tables.
//
// Invariant: entries[0 .. used) are in insertion order; a removed one has key
// VALUE_DELETED and value UNBOUND, but keeps its hash. An index slot holds an
// entry's number + 1, 0: never used; a removed entry keeps its slot until the
// table is rebuilt, or it is dropped as the newest. A dict is dense only while
// entries[i].key is the int i, or VALUE_DELETED, for each i.
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_DICT_TABLE_H
#define DUET_INTERP_OBJECTS_CONTAINERS_DICT_TABLE_H

#include "interp/objects/containers/obj_dict.h"

enum {
    DICT_SMALL = 8,  // up to so many entries there is no index
    DICT_PERTURB = 5 // bits of the hash that each further probe takes in
};

// A walk over the slots; it ends at the first slot never used, which there
// always is.
typedef struct DictProbe {
    uint64_t at;      // the slot to look at
    uint64_t perturb; // what is left of the hash
    uint64_t mask;    // slots - 1
} DictProbe;

// Needs an index: its size is a power of two, never 0.
static inline DictProbe dict_probe_start(const Dict *dict, uint64_t hash)
{
    uint64_t mask = dict->index_size - 1;
    return (DictProbe){.at = hash & mask, .perturb = hash, .mask = mask};
}

// Once perturb is 0, it reaches every slot.
static inline void dict_probe_next(DictProbe *probe)
{
    probe->perturb >>= DICT_PERTURB;
    probe->at = (probe->at * 5 + probe->perturb + 1) & probe->mask;
}

static inline size_t dict_slot_width(uint32_t index_size)
{
    return index_size <= 256 ? 1 : index_size <= 65536 ? 2 : 4;
}

// 0: never used, else an entry's number + 1.
static inline uint32_t dict_slot_get(const Dict *dict, uint64_t at)
{
    switch (dict_slot_width(dict->index_size)) {
    case 1: return ((uint8_t *)dict->index)[at];
    case 2: return ((uint16_t *)dict->index)[at];
    default: return ((uint32_t *)dict->index)[at];
    }
}

// The width was chosen so that every entry's number + 1 fits.
static inline void dict_slot_set(Dict *dict, uint64_t at, uint32_t entry)
{
    switch (dict_slot_width(dict->index_size)) {
    case 1: ((uint8_t *)dict->index)[at] = (uint8_t)entry; break;
    case 2: ((uint16_t *)dict->index)[at] = (uint16_t)entry; break;
    default: ((uint32_t *)dict->index)[at] = entry;
    }
}

// Removed entries stay until the table is rebuilt, to keep positions valid.
static inline bool dict_live(const DictEntry *entry)
{
    return !value_same(entry->key, VALUE_DELETED);
}

// For an entry whose key is known to be absent: no keys are compared.
static inline void dict_index_insert(Dict *dict, uint64_t hash, uint32_t entry)
{
    DictProbe probe = dict_probe_start(dict, hash);
    while (dict_slot_get(dict, probe.at) != 0) {
        dict_probe_next(&probe);
    }
    dict_slot_set(dict, probe.at, entry + 1);
}

// The reverse of the newest insertion: its slot was the last one of its probe,
// and no later entry's probe leads across it.
static inline void dict_index_undo(Dict *dict, uint64_t hash, uint32_t entry)
{
    DictProbe probe = dict_probe_start(dict, hash);
    while (dict_slot_get(dict, probe.at) != entry + 1) {
        dict_probe_next(&probe);
    }
    dict_slot_set(dict, probe.at, 0);
}

// Frees memory only: the entries' references are the caller's.
void dict_table_free(Vm *vm, DictEntry *entries, uint32_t capacity, void *index,
                     uint32_t index_size);
// Makes a table for `capacity` entries, at least `used`; removed ones go, so
// numbers of entries change. False: the dict is as good as before.
MUST_CHECK bool dict_table_resize(Vm *vm, Dict *dict, uint32_t capacity);
// Doubles a full table, or sheds its removed entries.
MUST_CHECK bool dict_table_grow(Vm *vm, Dict *dict);
// 1 and the key that the dict holds, borrowed, which equals this one; 0 absent,
// -1 failed.
int dict_table_key(Vm *vm, Dict *dict, Value key, Value *held);
// Whether dict_table_copy pays: nothing removed, and not much spare room.
bool dict_table_compact(const Dict *dict);
// The tables as they stand, bytes for bytes: no key is hashed or compared. For
// an empty `to` and a `from` without removed entries.
MUST_CHECK bool dict_table_copy(Vm *vm, Dict *to, const Dict *from);

// Room for one more entry.
static inline bool dict_table_room(Vm *vm, Dict *dict)
{
    return dict->used < dict->capacity || dict_table_grow(vm, dict);
}

#endif
