// The interned strs of a Vm: one Str for each text that is a name, so that
// names are compared by their addresses.
//
// Invariant: a Str with STR_INTERNED stands in vm->interned under its own
// hash, which is computed. The table counts none of its strs: one that dies
// takes itself out (str_intern_forget).
#include "base/map.h"
#include "interp/objects/classes/type_lookup.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/text/obj_str.h"

// A power of two, since slots are found by masking a hash.
// The built-ins have some 850 names, so that those of a program fit, too.
enum { INTERN_FIRST_SLOTS = 2048 };

// The table of interned strings: a bare Set without a type, since it is there
// before any type is. Linear probes; removed slots hold VALUE_DELETED.
static SetEntry *intern_find(const Set *set, const char *text, size_t length,
                             uint64_t hash)
{
    SetEntry *free_slot = NULL;
    for (size_t i = hash & set->mask;; i = (i + 1) & set->mask) {
        SetEntry *entry = &set->table[i];
        if (value_unbound(entry->key)) {
            return free_slot != NULL ? free_slot : entry;
        }
        if (value_same(entry->key, VALUE_DELETED)) {
            free_slot = free_slot != NULL ? free_slot : entry;
        } else if (entry->hash == hash) {
            Str *str = value_as_str(entry->key);
            if (str->length == length && memcmp(str->text, text, length) == 0) {
                return entry;
            }
        }
    }
}

// All slots unused. NULL: failed.
static SetEntry *intern_slots(Vm *vm, size_t slots)
{
    SetEntry *table = ctx_alloc(&vm->ctx, slots * sizeof *table);
    for (size_t i = 0; table != NULL && i < slots; i++) {
        table[i] = (SetEntry){.key = VALUE_UNBOUND};
    }
    return table;
}

// Doubles the table (or cleans it of removed slots) when two thirds are used.
static bool intern_reserve(Vm *vm)
{
    Set *set = vm->interned;
    if (set == NULL) {
        set = ctx_alloc_zero(&vm->ctx, sizeof *set);
        if (set == NULL) {
            return false;
        }
        set->table = intern_slots(vm, INTERN_FIRST_SLOTS);
        if (set->table == NULL) {
            ctx_free(&vm->ctx, set, sizeof *set);
            return false;
        }
        set->mask = INTERN_FIRST_SLOTS - 1;
        vm->interned = set;
    }
    // Two thirds full at most: look-ups end soon.
    if ((set->fill + 1) * 3 <= (set->mask + 1) * 2) {
        return true;
    }
    size_t old_slots = set->mask + 1;
    // Full of removed slots, the same size will do.
    size_t slots = set->count * 3 > old_slots ? old_slots * 2 : old_slots;
    SetEntry *old = set->table, *table = intern_slots(vm, slots);
    if (table == NULL) {
        return false;
    }
    set->table = table;
    set->mask = slots - 1;
    set->fill = set->count;
    for (size_t i = 0; i < old_slots; i++) {
        if (value_is_object(old[i].key)) {
            Str *str = value_as_str(old[i].key);
            // Hashes are kept beside the keys, so no text is read but to find a
            // place.
            *intern_find(set, str->text, str->length, old[i].hash) = old[i];
        }
    }
    ctx_free(&vm->ctx, old, old_slots * sizeof *old);
    return true;
}

// The table holds no count: an interned str dies with its last user.
static void intern_put(Vm *vm, SetEntry *entry, Str *str)
{
    Set *set = vm->interned;
    set->fill += value_unbound(entry->key);
    set->count++;
    *entry = (SetEntry){.key = value_from_object(str), .hash = str->hash};
    str->head.flags |= STR_INTERNED;
}

// Looks before it makes, so that a known name costs no allocation. Owned.
Str *str_intern(Vm *vm, const char *text, size_t length)
{
    if (!intern_reserve(vm)) {
        return NULL;
    }
    uint64_t hash = text_hash(text, length);
    SetEntry *entry = intern_find(vm->interned, text, length, hash);
    if (value_is_object(entry->key)) {
        return object_retain(value_as_str(entry->key));
    }
    // str_new may give a shared str of one character, which is interned as
    // well.
    Str *str = str_new(vm, text, length);
    if (str != NULL) {
        str->hash = hash;
        intern_put(vm, entry, str);
    }
    return str;
}

Str *str_interned(const Vm *vm, const char *text, size_t length)
{
    const Set *set = vm->interned;
    SetEntry *entry =
        set == NULL ? NULL
                    : intern_find(set, text, length, text_hash(text, length));
    return entry != NULL && value_is_object(entry->key)
               ? value_as_str(entry->key)
               : NULL;
}

// The interned str of this text, owned, which need not be the one given.
Str *str_intern_str(Vm *vm, Str *str)
{
    if (str->head.flags & STR_INTERNED) {
        return object_retain(str);
    }
    if (!intern_reserve(vm)) {
        return NULL;
    }
    uint64_t hash = str_hash(str);
    SetEntry *entry = intern_find(vm->interned, str->text, str->length, hash);
    if (value_is_object(entry->key)) {
        return object_retain(value_as_str(entry->key));
    }
    // An instance of a subclass must not stand for its text.
    Str *plain = str_exact(vm, str);
    if (plain != NULL) {
        plain->hash = hash;
        intern_put(vm, entry, plain);
    }
    return plain;
}

// Strs that outlive the table must not look for it when they die.
void str_interned_free(Vm *vm)
{
    Set *set = vm->interned;
    if (set == NULL) {
        return;
    }
    for (size_t i = 0; i <= set->mask; i++) {
        if (value_is_object(set->table[i].key)) {
            value_object(set->table[i].key)->flags &= (uint8_t)~STR_INTERNED;
        }
    }
    ctx_free(&vm->ctx, set->table, (set->mask + 1) * sizeof *set->table);
    ctx_free(&vm->ctx, set, sizeof *set);
    vm->interned = NULL;
}

// The slot becomes VALUE_DELETED and not unused: probes for other texts go on
// behind it.
void str_intern_forget(Vm *vm, const Str *str)
{
    SetEntry *entry =
        intern_find(vm->interned, str->text, str->length, str->hash);
    if (value_is_object(entry->key)) {
        entry->key = VALUE_DELETED;
        vm->interned->count--;
        vm->epoch += (str->head.flags & STR_MISSED) != 0;
    }
}
