// set and frozenset: the table. Operators are in set_type.c.
//
// Invariant: mask + 1 slots, a power of two; fill counts used and removed slots
// and stays below three fifths. Probes: up to nine slots in a row, then i = 5i
// + perturb + 1. That fixes the printed order.
#include "interp/objects/containers/obj_set.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/set_type.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

enum { SET_SLOTS = 8, SET_LINEAR = 9, SET_PERTURB = 5, SET_BIG = 50000 };

// All slots unused. NULL: no memory, or interrupted.
static SetEntry *new_table(Vm *vm, size_t slots)
{
    if (slots > PTRDIFF_MAX / sizeof(SetEntry)) {
        return ctx_fail_memory(&vm->ctx), NULL;
    }
    static const SetEntry unused[SET_SLOTS] = {
        {.key = VALUE_UNBOUND}, {.key = VALUE_UNBOUND}, {.key = VALUE_UNBOUND},
        {.key = VALUE_UNBOUND}, {.key = VALUE_UNBOUND}, {.key = VALUE_UNBOUND},
        {.key = VALUE_UNBOUND}, {.key = VALUE_UNBOUND}};
    SetEntry *table = ctx_alloc(&vm->ctx, slots * sizeof *table);
    // By eights, the least number of slots.
    for (size_t i = 0; table != NULL && i < slots; i += SET_SLOTS) {
        memcpy(table + i, unused, sizeof unused);
        if (!ctx_poll_at(&vm->ctx, i + SET_SLOTS)) {
            ctx_free(&vm->ctx, table, slots * sizeof *table);
            return NULL;
        }
    }
    return table;
}

// A set is never without a table, so look-ups need no check.
Set *set_new_of(Vm *vm, Type *cls)
{
    SetEntry *table = new_table(vm, SET_SLOTS);
    if (table == NULL) {
        return NULL;
    }
    Set *set = object_new(vm, cls, cls->def->size);
    if (set == NULL) {
        ctx_free(&vm->ctx, table, SET_SLOTS * sizeof *table);
        return NULL;
    }
    set->table = table;
    set->mask = SET_SLOTS - 1;
    set->fill = set->count = 0;
    set->hash = 0;
    return set;
}

Set *set_new(Vm *vm, bool frozen)
{
    return set_new_of(vm, vm->types[frozen ? KIND_FROZENSET : KIND_SET]);
}

// For keys known to be absent, in a table without removed slots: compares
// nothing, so it runs no Duet code. Takes over the reference of the key.
static void insert_clean(SetEntry *table, size_t mask, Value key, uint64_t hash)
{
    uint64_t perturb = hash;
    size_t i = hash & mask;
    for (;;) {
        // The run of neighbours must not pass the end of the table.
        size_t last = i + SET_LINEAR <= mask ? i + SET_LINEAR : i;
        for (size_t at = i; at <= last; at++) {
            if (value_unbound(table[at].key)) {
                table[at] = (SetEntry){.key = key, .hash = hash};
                return;
            }
        }
        perturb >>= SET_PERTURB;
        i = (i * 5 + 1 + perturb) & mask;
    }
}

// A table of more than `minimum` slots, without removed ones. An interrupt
// leaves the old one in place.
static bool resize(Vm *vm, Set *set, size_t minimum)
{
    size_t slots = SET_SLOTS;
    while (slots <= minimum) {
        slots <<= 1;
    }
    SetEntry *table = new_table(vm, slots);
    if (table == NULL) {
        return false;
    }
    // The last key ends it: what stands behind it is unused.
    for (size_t i = 0, left = set->count; left > 0; i++) {
        Value key = set->table[i].key;
        // References move with the keys: nothing is counted.
        if (!value_unbound(key) && !value_same(key, VALUE_DELETED)) {
            insert_clean(table, slots - 1, key, set->table[i].hash);
            left--;
        }
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            ctx_free(&vm->ctx, table, slots * sizeof *table);
            return false;
        }
    }
    ctx_free(&vm->ctx, set->table, (set->mask + 1) * sizeof *set->table);
    set->table = table;
    set->mask = slots - 1;
    set->fill = set->count;
    return true;
}

// 1, 0, -1 failed, 2: the table changed under a user's __eq__.
// Identity first, then the common case of two strs without a call.
static int key_equal(Vm *vm, Set *set, const SetEntry *entry, Value key)
{
    Value stored = entry->key;
    int simple = key_equal_simple(stored, key);
    simple = simple < 0 ? tuple_equal_simple(vm, stored, key) : simple;
    if (simple >= 0) {
        return simple;
    }
    SetEntry *table = set->table;
    value_retain(stored);
    int equal = value_equal(vm, stored, key);
    bool changed = table != set->table || !value_same(entry->key, stored);
    release(vm, stored);
    return equal >= 0 && changed ? 2 : equal;
}

// The key's slot, or the unused one where it would go (*found tells which).
// *removed: the last slot on the way whose key was removed, NULL: none; it is
// used again rather than the unused one. NULL: failed.
static SetEntry *find(Vm *vm, Set *set, Value key, uint64_t hash, bool *found,
                      SetEntry **removed)
{
restart:
    *removed = NULL;
    uint64_t perturb = hash;
    size_t i = hash & set->mask;
    for (;;) {
        // A few neighbours are looked at before a jump: they share a cache
        // line.
        size_t last = i + SET_LINEAR <= set->mask ? i + SET_LINEAR : i;
        for (size_t at = i; at <= last; at++) {
            SetEntry *entry = &set->table[at];
            *found = false;
            if (value_unbound(entry->key)) {
                return entry;
            }
            if (value_same(entry->key, VALUE_DELETED)) {
                *removed = entry;
                continue;
            }
            // Most keys differ by hash already: no code runs for them.
            if (entry->hash != hash) {
                continue;
            }
            int equal = key_equal(vm, set, entry, key);
            // The slots seen so far may hold other keys now.
            if (equal == 2) {
                goto restart;
            }
            if (equal != 0) {
                *found = true;
                return equal < 0 ? NULL : entry;
            }
        }
        perturb >>= SET_PERTURB;
        i = (i * 5 + 1 + perturb) & set->mask;
    }
}

// Of small ints and of texts without a call, as they are most of all keys.
static inline bool hash_of(Vm *vm, Value key, uint64_t *hash)
{
    if (value_is_plain_str(key)) {
        *hash = str_hash(value_as_str(key));
        return note_text(vm, value_as_str(key));
    }
    return int_hash_small(key, hash) || value_hash(vm, key, hash);
}

// The key's slot, or the unused one where it would go, as find tells; NULL:
// find has to look. Runs no code; most look-ups end here. `adding`: a slot of a
// removed key on the way might be used again. Inlined in each of its three
// callers, for which `adding` is a constant.
ALWAYS_INLINE SetEntry *seek(const Vm *vm, const Set *set, Value key,
                             uint64_t hash, bool adding)
{
    size_t i = hash & set->mask;
    size_t last = i + SET_LINEAR <= set->mask ? i + SET_LINEAR : i;
    for (; i <= last; i++) {
        SetEntry *entry = &set->table[i];
        Value stored = entry->key;
        if (value_unbound(stored) || value_same(stored, key)) {
            return entry;
        }
        if (value_same(stored, VALUE_DELETED)) {
            if (adding) {
                return NULL;
            }
        } else if (entry->hash == hash) {
            int equal = key_equal_simple(stored, key);
            equal = equal < 0 ? tuple_equal_simple(vm, stored, key) : equal;
            if (equal != 0) {
                return equal > 0 ? entry : NULL;
            }
        }
    }
    return NULL;
}

int set_contains_hashed(Vm *vm, Set *set, Value key, uint64_t hash)
{
    bool found;
    SetEntry *removed;
    const SetEntry *sought = seek(vm, set, key, hash, false);
    if (LIKELY(sought != NULL)) {
        return !value_unbound(sought->key);
    }
    return find(vm, set, key, hash, &found, &removed) == NULL ? -1 : found;
}

// Spreads hashes that differ in few bits, which would otherwise cancel out when
// they are XORed.
static uint64_t shuffled(uint64_t hash)
{
    return ((hash ^ 89869747u) ^ (hash << 16)) * 3644798167u;
}

// The same for every order of the items.
uint64_t set_hash_items(const Set *set)
{
    uint64_t hash = 0;
    Value key;
    for (size_t at = 0; set_next(set, &at, &key);) {
        hash ^= shuffled(set->table[at - 1].hash);
    }
    hash ^= (set->count + 1) * 1927868237u;
    hash ^= (hash >> 11) ^ (hash >> 25);
    hash = hash * 69069u + 907133923u;
    // 0 means "not computed yet", and no hash is -1.
    return hash == UINT64_MAX || hash == 0 ? 590923713u : hash;
}

// For look-ups alone a set counts as the frozenset of its items.
static bool lookup_hash(Vm *vm, Value key, uint64_t *hash)
{
    if (value_is_kind(key, KIND_SET) &&
        (type_of(vm, key)->flags & TYPE_UNHASHABLE) != 0) {
        *hash = set_hash_items((const Set *)value_object(key));
        return true;
    }
    return hash_of(vm, key, hash);
}

int set_contains(Vm *vm, Set *set, Value key)
{
    uint64_t hash;
    return lookup_hash(vm, key, &hash) ? set_contains_hashed(vm, set, key, hash)
                                       : -1;
}

bool set_add_hashed(Vm *vm, Set *set, Value key, uint64_t hash)
{
    bool found;
    SetEntry *removed = NULL, *entry = seek(vm, set, key, hash, true);
    if (LIKELY(entry != NULL)) {
        found = !value_unbound(entry->key);
    } else {
        entry = find(vm, set, key, hash, &found, &removed);
    }
    if (entry == NULL || found) {
        return entry != NULL && note_same(vm, set, key);
    }
    if (!note_store(vm, set, key)) {
        return false;
    }
    if (removed != NULL) {
        *removed = (SetEntry){.key = value_retain(key), .hash = hash};
        set->count++;
        return true;
    }
    *entry = (SetEntry){.key = value_retain(key), .hash = hash};
    set->fill++;
    set->count++;
    // The load and the growth are fixed: the order of items depends on both.
    if (set->fill * 5 < set->mask * 3) {
        return true;
    }
    // Removed slots go on the way, so the size may also stay.
    return resize(vm, set,
                  set->count > SET_BIG ? set->count * 2 : set->count * 4);
}

// Retains the key. A key that is there already stays, and the new one is not
// taken.
bool set_add(Vm *vm, Set *set, Value key)
{
    uint64_t hash;
    return hash_of(vm, key, &hash) && set_add_hashed(vm, set, key, hash);
}

// 1 removed, 0 absent, -1 failed. The slot is marked, not emptied, since probes
// for other keys pass over it.
int set_discard(Vm *vm, Set *set, Value key)
{
    uint64_t hash;
    return lookup_hash(vm, key, &hash) ? set_discard_hashed(vm, set, key, hash)
                                       : -1;
}

// The place stays marked, for keys that were put behind it.
int set_discard_hashed(Vm *vm, Set *set, Value key, uint64_t hash)
{
    bool found;
    SetEntry *removed, *entry = seek(vm, set, key, hash, false);
    if (LIKELY(entry != NULL)) {
        found = !value_unbound(entry->key);
    } else {
        entry = find(vm, set, key, hash, &found, &removed);
    }
    if (entry == NULL || !found) {
        return entry == NULL ? -1 : 0;
    }
    if (!note_store(vm, set, VALUE_UNBOUND)) {
        return -1;
    }
    // Released last: its destructor may look at the set.
    Value old = entry->key;
    entry->key = VALUE_DELETED;
    entry->hash = 0;
    set->count--;
    release(vm, old);
    return 1;
}

bool set_tidy(Vm *vm, Set *set)
{
    return set->fill - set->count <= set->mask / 4 ||
           resize(vm, set,
                  set->count > SET_BIG ? set->count * 2 : set->count * 4);
}

// In the order of the table. The key is borrowed.
bool set_next(const Set *set, size_t *position, Value *key)
{
    while (*position <= set->mask) {
        *key = set->table[(*position)++].key;
        if (!value_unbound(*key) && !value_same(*key, VALUE_DELETED)) {
            return true;
        }
    }
    return false;
}

// The keys of a set differ among themselves, so an empty set that has room
// takes them without comparing any. Counted as they come: those before an
// interrupt stay.
static bool fill_clean(Vm *vm, Set *set, const Set *other)
{
    if (!note_store(vm, set, value_from_object(other))) {
        return false;
    }
    for (size_t i = 0; i <= other->mask; i++) {
        Value key = other->table[i].key;
        if (!value_unbound(key) && !value_same(key, VALUE_DELETED)) {
            insert_clean(set->table, set->mask, value_retain(key),
                         other->table[i].hash);
            set->fill = ++set->count;
        }
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            return false;
        }
    }
    return true;
}

// The hashes are at hand, so no __hash__ runs.
bool set_merge(Vm *vm, Set *set, Set *other)
{
    if (other == set || other->count == 0) {
        return true;
    }
    // Grown once for all, to a size that is fixed.
    if ((set->fill + other->count) * 5 >= set->mask * 3 &&
        !resize(vm, set, (set->count + other->count) * 2)) {
        return false;
    }
    if (set->fill == 0 && set->mask == other->mask &&
        other->fill == other->count) {
        if (!note_store(vm, set, value_from_object(other))) {
            return false;
        }
        memcpy(set->table, other->table,
               (other->mask + 1) * sizeof *set->table);
        for (size_t i = 0; i <= other->mask; i++) {
            value_retain(set->table[i].key);
        }
        set->fill = set->count = other->count;
        return true;
    }
    if (set->fill == 0) {
        return fill_clean(vm, set, other);
    }
    for (size_t i = 0; i <= other->mask; i++) {
        Value key = other->table[i].key;
        if (value_unbound(key) || value_same(key, VALUE_DELETED)) {
            continue;
        }
        // An __eq__ may take the key out of the other set.
        value_retain(key);
        bool ok = ctx_poll(&vm->ctx) &&
                  set_add_hashed(vm, set, key, other->table[i].hash);
        release(vm, key);
        if (!ok) {
            return false;
        }
    }
    return true;
}

// The items of a list or tuple proper, whose iterators do just this. An __eq__
// may change the list: it is read anew for each item.
static bool update_sequence(Vm *vm, Set *set, Value sequence)
{
    for (size_t i = 0;; i++) {
        bool is_list = value_object(sequence)->kind == KIND_LIST;
        size_t count = is_list ? value_as_list(sequence)->count
                               : value_as_tuple(sequence)->count;
        if (i >= count) {
            return true;
        }
        Value item = value_retain(is_list ? value_as_list(sequence)->items[i]
                                          : value_as_tuple(sequence)->items[i]);
        bool ok = set_add(vm, set, item) && ctx_poll(&vm->ctx);
        release(vm, item);
        if (!ok) {
            return false;
        }
    }
}

static bool update_keys(Vm *vm, Set *set, Dict *dict)
{
    Value key, value;
    for (uint32_t at = 0; dict_next(dict, &at, &key, &value);) {
        value_retain(key);
        bool ok = ctx_poll(&vm->ctx) &&
                  set_add_hashed(vm, set, key, dict->entries[at - 1].hash);
        release(vm, key);
        if (!ok) {
            return false;
        }
    }
    return true;
}

bool set_update(Vm *vm, Set *set, Value iterable)
{
    // Subclasses too: their table is read, not their __iter__.
    if (value_is_kind(iterable, KIND_SET) ||
        value_is_kind(iterable, KIND_FROZENSET)) {
        return set_merge(vm, set, (Set *)value_object(iterable));
    }
    if (value_is_object(iterable) &&
        (value_object(iterable)->type == vm->types[KIND_LIST] ||
         value_object(iterable)->type == vm->types[KIND_TUPLE])) {
        return update_sequence(vm, set, iterable);
    }
    if (value_is_object(iterable) &&
        value_object(iterable)->type == vm->types[KIND_DICT]) {
        size_t count = value_as_dict(iterable)->count;
        if ((set->fill + count) * 5 >= set->mask * 3 &&
            !resize(vm, set, (set->count + count) * 2)) {
            return false;
        }
        return update_keys(vm, set, value_as_dict(iterable));
    }
    // Anything else, item by item as they come.
    Value iterator = value_iter(vm, iterable), item;
    if (value_failed(iterator)) {
        return false;
    }
    bool ok = true;
    while (ok && !value_same(item = value_next(vm, iterator), VALUE_STOP)) {
        ok =
            !value_failed(item) && set_add(vm, set, item) && ctx_poll(&vm->ctx);
        release(vm, item);
    }
    release(vm, iterator);
    return ok;
}

// The new table is in place before the first release: a destructor that runs
// Duet code sees a valid, empty set.
bool set_clear(Vm *vm, Set *set)
{
    Set old = *set;
    SetEntry *table = new_table(vm, SET_SLOTS);
    if (table == NULL) {
        return false;
    }
    set->table = table;
    set->mask = SET_SLOTS - 1;
    set->fill = set->count = 0;
    for (size_t i = 0; i <= old.mask; i++) {
        release(vm, old.table[i].key);
    }
    ctx_free(&vm->ctx, old.table, (old.mask + 1) * sizeof *old.table);
    return true;
}
