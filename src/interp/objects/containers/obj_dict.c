// dict: look-up and change. The table is in dict_table.h, which states its
// invariant; operators are in dict_type.c, methods in dict_methods.c and
// dict_update.c, views in dict_view.c.
#include "interp/objects/containers/dict_table.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

// An empty dict has no tables at all. Everything behind the header is zero.
void dict_init(Dict *dict)
{
    memset((char *)dict + sizeof(Object), 0, sizeof *dict - sizeof(Object));
}

Dict *dict_new(Vm *vm)
{
    Dict *dict = object_new(vm, vm->types[KIND_DICT], sizeof *dict);
    if (dict != NULL) {
        dict_init(dict);
    }
    return dict;
}

// Equality with a stored key of the same hash. 1, 0, -1 failed, 2: the dict
// changed meanwhile, start again.
static int key_equal(Vm *vm, Dict *dict, const DictEntry *entry, Value key)
{
    Value stored = entry->key;
    int simple = key_equal_simple(stored, key);
    // Tuples of numbers and strs, the most common compound keys.
    simple = simple < 0 ? tuple_equal_simple(vm, stored, key) : simple;
    if (simple >= 0) {
        return simple;
    }
    // Not the address of the table: another one may have been made at its
    // place.
    uint64_t version = dict->version;
    value_retain(stored);
    int equal = value_equal(vm, stored, key);
    release(vm, stored);
    return equal >= 0 && dict->version != version ? 2 : equal;
}

// The entry's number; -1 absent, -2 failed. Probing stops at the first slot
// that was never used; entries of another hash are passed without a comparison.
// After a result of 2 it begins anew, since table and hash order may be others.
static int64_t find(Vm *vm, Dict *dict, Value key, uint64_t hash)
{
    int equal;
restart:
    if (dict->dense) {
        // Ints hash to themselves, so that one entry alone comes into question.
        if (hash >= dict->used || !dict_live(&dict->entries[hash])) {
            return -1;
        }
        equal = key_equal(vm, dict, &dict->entries[hash], key);
        if (equal == 2) {
            goto restart;
        }
        return equal < 0 ? -2 : equal == 0 ? -1 : (int64_t)hash;
    }
    // A small dict is searched in turn, which is faster than probing.
    if (dict->index == NULL) {
        for (uint32_t i = 0; i < dict->used; i++) {
            if (dict->entries[i].hash == hash && dict_live(&dict->entries[i])) {
                equal = key_equal(vm, dict, &dict->entries[i], key);
                if (equal == 2) {
                    goto restart;
                }
                if (equal != 0) {
                    return equal < 0 ? -2 : (int64_t)i;
                }
            }
        }
        return -1;
    }
    DictProbe probe = dict_probe_start(dict, hash);
    for (;; dict_probe_next(&probe)) {
        uint32_t slot = dict_slot_get(dict, probe.at);
        if (slot == 0) {
            return -1;
        }
        DictEntry *entry = &dict->entries[slot - 1];
        if (entry->hash == hash && dict_live(entry)) {
            equal = key_equal(vm, dict, entry, key);
            if (equal == 2) {
                goto restart;
            }
            if (equal != 0) {
                return equal < 0 ? -2 : (int64_t)slot - 1;
            }
        }
    }
}

// Where a small int or a str is found without running code: the entry's
// number, -1 absent, -2: it takes the protocol to know.
static inline int64_t find_simple(const Dict *dict, Value key, uint64_t hash)
{
    // Keys 0, 1, 2 and so on: the key is the place.
    if (dict->dense) {
        bool found = hash < dict->used && dict_live(&dict->entries[hash]) &&
                     value_is_int(key);
        return found ? (int64_t)hash : -1;
    }
    // A small dict is searched in order, by hash.
    if (dict->index == NULL) {
        for (uint32_t i = 0; i < dict->used; i++) {
            const DictEntry *entry = &dict->entries[i];
            if (entry->hash == hash && dict_live(entry)) {
                int equal = key_equal_simple(entry->key, key);
                if (equal != 0) {
                    return equal > 0 ? (int64_t)i : -2;
                }
            }
        }
        return -1;
    }
    DictProbe probe = dict_probe_start(dict, hash);
    for (;; dict_probe_next(&probe)) {
        uint32_t slot = dict_slot_get(dict, probe.at);
        if (slot == 0) {
            return -1;
        }
        const DictEntry *entry = &dict->entries[slot - 1];
        if (entry->hash == hash && dict_live(entry)) {
            int equal = key_equal_simple(entry->key, key);
            if (equal != 0) {
                return equal > 0 ? (int64_t)slot - 1 : -2;
            }
        }
    }
}

static inline bool simple_hash(Value key, uint64_t *hash)
{
    if (value_is_plain_str(key)) {
        *hash = str_hash(value_as_str(key));
        return true;
    }
    return int_hash_small(key, hash);
}

// Any key: hashes it and looks it up. As find. Ints, bools excluded, and strs
// come out of the short way; all else may run __hash__ and __eq__.
static inline int64_t locate(Vm *vm, Dict *dict, Value key, uint64_t *hash)
{
    if (vm->trace != NULL && value_is_str(key) &&
        !note_text(vm, value_as_str(key))) {
        return -2;
    }
    if (LIKELY(simple_hash(key, hash))) {
        int64_t found = find_simple(dict, key, *hash);
        if (LIKELY(found != -2)) {
            return found;
        }
    } else if (!value_hash(vm, key, hash)) {
        return -2;
    }
    return find(vm, dict, key, *hash);
}

// Runs no code and cannot fail; NULL also says that it takes dict_get to know.
const DictEntry *dict_find_simple(Dict *dict, Value key)
{
    uint64_t hash;
    int64_t found = simple_hash(key, &hash) ? find_simple(dict, key, hash) : -1;
    return found < 0 ? NULL : &dict->entries[found];
}

static int get_at(Dict *dict, int64_t entry, Value *value)
{
    if (entry < 0) {
        return entry == -1 ? 0 : -1;
    }
    *value = dict->entries[entry].value;
    return 1;
}

int dict_get(Vm *vm, Dict *dict, Value key, Value *value)
{
    uint64_t hash;
    int64_t entry = locate(vm, dict, key, &hash);
    return get_at(dict, entry, value);
}

// Of other dicts a trace keeps the whole.
int dict_ask(Vm *vm, Dict *dict, Value key, Value *value)
{
    int found = dict_get(vm, dict, key, value);
    if (LIKELY(vm->trace == NULL) || !dict->globals || found < 0 ||
        !value_is_str(key)) {
        return found;
    }
    Str *name = str_intern_str(vm, value_as_str(key));
    bool noted = name != NULL && note_read(vm, dict, value_from_object(name),
                                           found > 0 ? *value : VALUE_UNBOUND);
    object_release_null(&vm->ctx, name);
    return noted ? found : -1;
}

bool dict_ask_all(Vm *vm, Dict *dict)
{
    return LIKELY(vm->trace == NULL) || !dict->globals ||
           note_read(vm, dict, VALUE_UNBOUND, value_from_object(dict));
}

int dict_get_hashed(Vm *vm, Dict *dict, Value key, uint64_t hash, Value *value)
{
    return get_at(dict, find(vm, dict, key, hash), value);
}

// Before `key` is added: whether the dict is dense with it. False: there was
// no memory for the index of one that is not dense any more.
static bool keep_dense(Vm *vm, Dict *dict, Value key)
{
    // The next int in turn keeps it dense; the first key decides whether it is.
    bool next = value_same(key, value_from_small(dict->used));
    if (dict->used == 0 && dict->index == NULL) {
        dict->dense = next;
    }
    if (!dict->dense || next) {
        return true;
    }
    // Without an index for want of memory the entries are searched in turn.
    dict->dense = false;
    return dict->capacity <= DICT_SMALL ||
           dict_table_resize(vm, dict, dict->capacity);
}

// Adds a key that is not there. The caller has looked and not found it; a
// version is bumped, for positions of iterations may be wrong now.
static bool insert(Vm *vm, Dict *dict, Value key, uint64_t hash, Value value)
{
    if (!keep_dense(vm, dict, key) || !dict_table_room(vm, dict)) {
        return false;
    }
    uint32_t number = dict->used++;
    dict->entries[number] = (DictEntry){
        .hash = hash, .key = value_retain(key), .value = value_retain(value)};
    if (dict->index != NULL) {
        dict_index_insert(dict, hash, number);
    }
    dict->count++;
    // Iterations and find notice a change by it.
    dict->version++;
    return true;
}

// Retains both. A key that is there keeps its place and its first key object:
// d[1] = x on {True: y} leaves the key True.
static bool set_at(Vm *vm, Dict *dict, int64_t entry, Value key, uint64_t hash,
                   Value value)
{
    if (entry == -2 || !note_store_at(vm, dict, key, value)) {
        return false;
    }
    if (entry >= 0) {
        value_replace(&vm->ctx, &dict->entries[entry].value,
                      value_retain(value));
        return true;
    }
    return insert(vm, dict, key, hash, value);
}

int dict_table_key(Vm *vm, Dict *dict, Value key, Value *held)
{
    uint64_t hash = 0;
    int64_t entry = locate(vm, dict, key, &hash);
    *held = entry >= 0 ? dict->entries[entry].key : VALUE_UNBOUND;
    return entry >= 0 ? 1 : entry == -1 ? 0 : -1;
}

// A key that is there keeps its first key object.
bool dict_set(Vm *vm, Dict *dict, Value key, Value value)
{
    uint64_t hash = 0;
    int64_t entry = locate(vm, dict, key, &hash);
    return set_at(vm, dict, entry, key, hash, value);
}

bool dict_set_default(Vm *vm, Dict *dict, Value key, Value *value)
{
    uint64_t hash = 0;
    int64_t entry = locate(vm, dict, key, &hash);
    return get_at(dict, entry, value) > 0 ||
           set_at(vm, dict, entry, key, hash, *value);
}

bool dict_set_hashed(Vm *vm, Dict *dict, Value key, uint64_t hash, Value value)
{
    return set_at(vm, dict, find(vm, dict, key, hash), key, hash, value);
}

// The value goes to the caller, owned. 1, 0 absent, -1 failed.
static int take_at(Vm *vm, Dict *dict, int64_t number, Value *value)
{
    if (number < 0) {
        return number == -1 ? 0 : -1;
    }
    if (!note_store(vm, dict, VALUE_UNBOUND)) {
        return -1;
    }
    DictEntry *entry = &dict->entries[number];
    // The key is released last, when the dict is whole.
    Value old = entry->key;
    *value = entry->value;
    entry->key = VALUE_DELETED;
    entry->value = VALUE_UNBOUND;
    dict->count--;
    dict->version++;
    // A queue loses its oldest entry each time; walks start behind the holes.
    while (dict->first < dict->used &&
           !dict_live(&dict->entries[dict->first])) {
        dict->first++;
    }
    release(vm, old);
    return 1;
}

// The entry stays behind as a hole, so that no other entry changes its number.
int dict_take(Vm *vm, Dict *dict, Value key, Value *value)
{
    uint64_t hash;
    // An object's hash is asked for even then: an unhashable key is an error.
    if (dict->count == 0 && !value_is_object(key)) {
        return 0;
    }
    return take_at(vm, dict, locate(vm, dict, key, &hash), value);
}

int dict_take_hashed(Vm *vm, Dict *dict, Value key, uint64_t hash, Value *value)
{
    return take_at(vm, dict, find(vm, dict, key, hash), value);
}

// 1 removed, 0 absent, -1 failed. The dict is whole when the value is released:
// a destructor may use it.
int dict_remove(Vm *vm, Dict *dict, Value key)
{
    Value value;
    int found = dict_take(vm, dict, key, &value);
    if (found > 0) {
        release(vm, value);
    }
    return found;
}

// Removed entries may stand behind it.
const DictEntry *dict_newest(const Dict *dict)
{
    const DictEntry *entry = &dict->entries[dict->used - 1];
    while (!dict_live(entry)) {
        entry--;
    }
    return entry;
}

// Entries go in the reverse order of their coming, so that each slot falls back
// to what it was: a stack of keys never fills its table with removed ones.
bool dict_drop_newest(Vm *vm, Dict *dict)
{
    if (!note_store(vm, dict, VALUE_UNBOUND)) {
        return false;
    }
    DictEntry last = *dict_newest(dict);
    do {
        dict->used--;
        if (dict->index != NULL) {
            dict_index_undo(dict, dict->entries[dict->used].hash, dict->used);
        }
    } while (!dict_live(&dict->entries[dict->used]));
    dict->count--;
    dict->version++;
    release(vm, last.key);
    release(vm, last.value);
    return true;
}

// Strs alone: compares addresses first, as names are interned, and runs no
// code. A dense dict has int keys only.
int32_t dict_find_name(Dict *dict, Str *name)
{
    Value key = value_from_object(name);
    uint64_t hash = str_hash(name);
    if (dict->dense) {
        return -1;
    }
    if (dict->index == NULL) {
        for (uint32_t i = 0; i < dict->used; i++) {
            DictEntry *entry = &dict->entries[i];
            // Nearly always the same object; an equal text that is not interned
            // is possible.
            if (value_same(entry->key, key) ||
                (entry->hash == hash && value_is_str(entry->key) &&
                 str_equal(value_as_str(entry->key), name))) {
                return (int32_t)i;
            }
        }
        return -1;
    }
    DictProbe probe = dict_probe_start(dict, hash);
    for (;; dict_probe_next(&probe)) {
        uint32_t slot = dict_slot_get(dict, probe.at);
        if (slot == 0) {
            return -1;
        }
        DictEntry *entry = &dict->entries[slot - 1];
        if (value_same(entry->key, key) ||
            (entry->hash == hash && value_is_str(entry->key) &&
             str_equal(value_as_str(entry->key), name))) {
            return (int32_t)slot - 1;
        }
    }
}

Value dict_get_name(Dict *dict, Str *name)
{
    int32_t entry = dict_find_name(dict, name);
    return entry < 0 ? VALUE_UNBOUND : dict->entries[entry].value;
}

// Names go by their address; the first look-up settles nearly all.
bool dict_set_name(Vm *vm, Dict *dict, Str *name, Value value)
{
    int32_t entry = dict_find_name(dict, name);
    if (!note_store_at(vm, dict, str_value(name), value)) {
        return false;
    }
    if (entry >= 0) {
        value_replace(&vm->ctx, &dict->entries[entry].value,
                      value_retain(value));
        return true;
    }
    return insert(vm, dict, value_from_object(name), str_hash(name), value);
}

// The caller must not let the dict change, or watch its version.
bool dict_next(const Dict *dict, uint32_t *position, Value *key, Value *value)
{
    if (*position == 0) {
        ((Dict *)dict)->walked = true;
    }
    if (*position < dict->first) {
        *position = dict->first;
    }
    while (*position < dict->used) {
        const DictEntry *entry = &dict->entries[(*position)++];
        if (dict_live(entry)) {
            *key = entry->key;
            *value = entry->value;
            return true;
        }
    }
    return false;
}

bool dict_same_entry(const Dict *a, const Dict *b, uint32_t number)
{
    return number < a->used && number < b->used &&
           value_same(a->entries[number].key, b->entries[number].key) &&
           value_same(a->entries[number].value, b->entries[number].value);
}

void dict_clear(Vm *vm, Dict *dict)
{
    Dict old = *dict;
    uint64_t version = dict->version + 1;
    // Also zeroes the version, which must go on, that somebody has seen the
    // order, and whose the dict is.
    dict_init(dict);
    dict->version = version;
    dict->walked = old.walked;
    dict->globals = old.globals;
    for (uint32_t i = 0; i < old.used; i++) {
        release(vm, old.entries[i].key);
        release(vm, old.entries[i].value);
    }
    dict_table_free(vm, old.entries, old.capacity, old.index, old.index_size);
}

int dict_fill(Vm *vm, Dict *dict, Dict *other)
{
    if (dict->count != 0 || dict == other || !dict_table_compact(other)) {
        return 0;
    }
    return note_store(vm, dict, value_from_object(other)) &&
                   dict_table_copy(vm, dict, other)
               ? 1
               : -1;
}

// Room for all that another dict holds, at the first growth. A dense dict needs
// no index, so nothing is made for it; a number too large is left to fail when
// the keys really come.
bool dict_reserve(Vm *vm, Dict *dict, size_t extra)
{
    uint64_t wanted = (uint64_t)dict->used + extra;
    if (wanted <= dict->capacity || dict->dense || wanted > UINT32_MAX / 4) {
        return true;
    }
    return dict_table_resize(vm, dict,
                             (uint32_t)wanted < DICT_SMALL ? DICT_SMALL
                                                           : (uint32_t)wanted);
}

Dict *dict_copy(Vm *vm, Dict *dict)
{
    Dict *copy = dict_new(vm);
    if (copy == NULL || dict->count == 0) {
        return copy;
    }
    if (dict_table_compact(dict)) {
        if (!dict_table_copy(vm, copy, dict)) {
            object_release(&vm->ctx, copy);
            return NULL;
        }
        return copy;
    }
    // With removed entries, compacting would give its keys other numbers.
    copy->dense = dict->dense && dict->count == dict->used;
    if (!dict_table_resize(vm, copy, dict->count)) {
        object_release(&vm->ctx, copy);
        return NULL;
    }
    for (uint32_t i = 0; i < dict->used; i++) {
        DictEntry *entry = &dict->entries[i];
        // There is room: only Ctrl-C makes this fail.
        if (dict_live(entry) &&
            (!ctx_poll(&vm->ctx) ||
             !insert(vm, copy, entry->key, entry->hash, entry->value))) {
            object_release(&vm->ctx, copy);
            return NULL;
        }
    }
    return copy;
}
