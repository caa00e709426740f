// What places that see several shapes have found: behind the inline caches.
//
// An inline cache knows one shape. Where instances of a few classes meet (nodes
// of a tree, shapes of a drawing) it misses each time, and what it held for the
// other shapes is taken from this table, by shape and name, without a look-up.
//
// Invariant: an entry is the words of an inline cache (attr.h) as it was when
// it was filled, so that it holds as long as that would: the epoch in it tells.
// The end of a name ends all answers for it (STR_MISSED).
#ifndef DUET_INTERP_MACHINE_VM_VM_SITE_H
#define DUET_INTERP_MACHINE_VM_VM_SITE_H

#include <string.h>

#include "interp/core/vm.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/type_lookup.h"

// What the instruction does with the name; the words differ by it.
typedef enum SiteUse {
    SITE_READ,  // an AttrCache
    SITE_STORE, // a StoreCache
    SITE_CALL   // a MethodCache
} SiteUse;

// Entries of stores stand in another half than those of reads: an attribute is
// often read and stored in turn.
static inline SiteEntry *site_entry(Vm *vm, const void *key, const Str *name,
                                    SiteUse use)
{
    uintptr_t bits = (uintptr_t)key >> 4 ^ (uintptr_t)name >> 5;
    bits ^= bits >> 8 ^ (uintptr_t)use << 7;
    return &vm->sites[bits % SITE_SLOTS];
}

static inline size_t site_size(SiteUse use)
{
    return use == SITE_READ ? sizeof(AttrCache) : sizeof(MethodCache);
}

// Fills the inline cache with what is known for this key; false: nothing. The
// caller then asks the cache as ever, which checks that it still holds.
static inline bool site_recall(Vm *vm, const void *key, const Str *name,
                               SiteUse use, void *cache)
{
    const SiteEntry *entry = site_entry(vm, key, name, use);
    if (key == NULL || entry->name != name || entry->use != use ||
        entry->words[0] != (uintptr_t)key) {
        return false;
    }
    memcpy(cache, entry->words, site_size(use));
    return true;
}

static inline void site_keep(Vm *vm, Str *name, SiteUse use, const void *cache)
{
    uintptr_t key;
    memcpy(&key, cache, sizeof key);
    SiteEntry *entry = site_entry(vm, (const void *)key, name, use);
    entry->name = name;
    entry->use = use;
    memcpy(entry->words, cache, site_size(use));
    name->head.flags |= STR_MISSED;
}

#endif
