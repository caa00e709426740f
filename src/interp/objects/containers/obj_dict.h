// dict: compact and insertion-ordered; and the views on it.
//
// Entries {hash, key, value} in insertion order; an index of u8, u16 or u32
// slots with a probe (dict_table.h), none up to 8 entries. While the keys are
// 0, 1, 2 and so on in that order the dict is `dense`: an entry's number is its
// key, and there is no index either. A removed entry's key is VALUE_DELETED
// until the next growth. Look-ups that ran a user's __eq__ start again if the
// dict changed meanwhile (`version`).
#ifndef DUET_INTERP_OBJECTS_CONTAINERS_OBJ_DICT_H
#define DUET_INTERP_OBJECTS_CONTAINERS_OBJ_DICT_H

#include "interp/objects/text/obj_str.h"

typedef struct DictEntry {
    uint64_t hash;
    Value key, value;
} DictEntry;

struct Dict {
    Object head;
    DictEntry *entries;
    void *index;         // of 1, 2 or 4 bytes a slot; NULL: few entries, or
                         // dense
    uint32_t count;      // live entries
    uint32_t used;       // entries in use, removed ones included
    uint32_t capacity;   // of entries
    uint32_t index_size; // slots, a power of two; 0: no index
    bool dense;          // entry i has, or had, the int i as its key
    bool walked;         // its order was looked at: traces ask
    bool globals;        // a module's: traces note each name that is asked for
    uint32_t first;      // all entries before this one are removed
    uint64_t version;    // bumped when a key comes or goes (not on replacing)
};

// keys(), values(), items(): a live view.
typedef struct DictView {
    Object head;
    Dict *dict;
    char part; // 'k', 'v' or 'i'
} DictView;

// Empty; without tables until the first key.
MUST_CHECK Dict *dict_new(Vm *vm);
// 1 found (*value borrowed), 0 absent, -1 failed (unhashable, __eq__ raised).
int dict_get(Vm *vm, Dict *dict, Value key, Value *value);
// As dict_get, where the program asks: noted if a trace reads a global by it.
int dict_ask(Vm *vm, Dict *dict, Value key, Value *value);
// The program looks at all that there is: noted of globals, too.
MUST_CHECK bool dict_ask_all(Vm *vm, Dict *dict);
MUST_CHECK bool dict_set(Vm *vm, Dict *dict, Value key, Value value); // retains
// Gives *value to a key that is not there; else *value becomes what it has,
// borrowed.
MUST_CHECK bool dict_set_default(Vm *vm, Dict *dict, Value key, Value *value);
int dict_remove(Vm *vm, Dict *dict, Value key); // 1 removed, 0 absent, -1
// As dict_remove, and *value is the removed value, owned.
int dict_take(Vm *vm, Dict *dict, Value key, Value *value);
// The newest entry; of an empty dict there is none, and it may not be asked.
const DictEntry *dict_newest(const Dict *dict);
// Removes the newest entry, as if it had never been set: its place and its slot
// are free again. False: a trace refuses.
MUST_CHECK bool dict_drop_newest(Vm *vm, Dict *dict);
// The same three for a key whose hash is known already: a program's __hash__
// is not run again.
int dict_get_hashed(Vm *vm, Dict *dict, Value key, uint64_t hash, Value *value);
// As dict_set where the hash is known: of a key that came out of another table.
MUST_CHECK bool dict_set_hashed(Vm *vm, Dict *dict, Value key, uint64_t hash,
                                Value value);
int dict_take_hashed(Vm *vm, Dict *dict, Value key, uint64_t hash,
                     Value *value);
// Empties a header that object_new gave (for subclasses).
void dict_init(Dict *dict);
// The entry of a small int or a plain str: cannot fail. NULL: absent, or a key
// of another kind, or one whose equality runs code.
const DictEntry *dict_find_simple(Dict *dict, Value key);
// By interned name: cannot fail. UNBOUND: absent; borrowed.
Value dict_get_name(Dict *dict, Str *name);
// The name is interned. Runs no code; fails for want of memory or where a trace
// refuses.
MUST_CHECK bool dict_set_name(Vm *vm, Dict *dict, Str *name, Value value);
// Walks: position starts at 0; false at the end. Borrowed.
bool dict_next(const Dict *dict, uint32_t *position, Value *key, Value *value);
// Whether both have one key with one value under that number: what a copy and
// its origin share as long as neither changes it.
bool dict_same_entry(const Dict *a, const Dict *b, uint32_t number);
// The entry's number for an interned name, -1 if absent: for global caches,
// valid while `entries[i].key` is that name and i < used.
int32_t dict_find_name(Dict *dict, Str *name);
// Releases all; what that runs sees an empty dict.
void dict_clear(Vm *vm, Dict *dict);
// Of the plain type, with the same order; nothing is hashed again.
MUST_CHECK Dict *dict_copy(Vm *vm, Dict *dict);
// An empty dict becomes a copy of other's table: 1; 0: not possible, the items
// must be set one by one; -1: failed.
int dict_fill(Vm *vm, Dict *dict, Dict *other);
// Makes room for so many more keys at once. False: failed.
MUST_CHECK bool dict_reserve(Vm *vm, Dict *dict, size_t extra);
// All of other's items; `other` is a Dict, mapping or iterable of pairs.
MUST_CHECK bool dict_update(Vm *vm, Dict *dict, Value other);

// Of any class with dict's layout.
static inline Dict *value_as_dict(Value v)
{
    return (Dict *)value_object(v);
}

#endif
