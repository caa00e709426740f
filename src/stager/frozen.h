// What a trace read outside and a later call may find changed.
//
// A trace notes each place that it reads: a name of some globals, a cell, an
// attribute, an entry of a class, the absence of one. When it ends, all lists,
// dicts, sets and deques below what it read are noted too, however deep. A
// store to a noted place marks the traces that read it, and no others: a call
// asks one flag of its trace, and what is not marked is never compared.
//
// Nothing is held: places belong to an Identity, and go when their container
// does.
#ifndef DUET_STAGER_FROZEN_H
#define DUET_STAGER_FROZEN_H

#include "interp/objects/text/obj_str.h"
#include "stager/identity.h"

typedef struct FrozenRead FrozenRead;

// One place that traces have read. Its key is an interned name, NONE for a
// cell, UNBOUND for all that a container holds.
typedef struct FrozenPlace {
    Identity *container;                 // counted
    Value key;                           // owned
    FrozenRead *readers;                 // of traces that have ended
    struct FrozenPlace *next, *previous; // of the same container
    uint32_t reads;                      // that name it; the last one frees it
    bool dirty; // all readers are marked: the next store has nothing to do
} FrozenPlace;

// A place as one trace saw it.
struct FrozenRead {
    FrozenPlace *place;
    struct Concrete *trace;      // whose it is
    FrozenRead *next, *previous; // of the same place
    Value seen;                  // weakened, owned; UNBOUND: there was nothing
    Value items;  // of a whole container: a Tuple of what it held, each
                  // weakened, or the hash of more than FROZEN_ITEMS; NONE: any
                  // change of it counts; owned
    Str *spelled; // an attribute or a cell as the program has it, counted;
                  // NULL: not known
    uint32_t line;
    uint32_t root; // the read by which it was reached, perhaps itself
    bool marked;   // a store came since it was compared
    bool own;      // … from a trace of the same function, which is no change
    bool changed;  // found changed
    bool noted;    // and told: of a root, whatever was reached by it
};

enum { FROZEN_ITEMS = 64 };

// What stores lately found: loops store to a few places again and again.
typedef struct StoreEntry {
    const Object *container;
    Value key;
    FrozenPlace *place, *whole; // NULL: nobody reads it
} StoreEntry;

enum { STORE_ENTRIES = 32 };

// The places of a Vm.
typedef struct FrozenPlaces {
    Map by_key;                       // FrozenPlace * by container and key
    StoreEntry stores[STORE_ENTRIES]; // emptied when a place comes or goes
} FrozenPlaces;

// What finds a place: the bits of its container's address and of its key, for
// names are interned.
typedef struct PlaceKey {
    uint64_t container, key;
} PlaceKey;

// The reads of one trace; they do not move once it has ended.
typedef struct Frozen {
    VEC(FrozenRead) reads;
    Map places;   // while the trace runs: the places that it has
    size_t trace; // its number, from 1
    bool stale;   // some read is marked
} Frozen;

void frozen_init(Vm *vm, Frozen *frozen);
void frozen_free(Vm *vm, Frozen *frozen);
// A place, counted for the read that asks; NULL: no memory.
MUST_CHECK FrozenPlace *frozen_place_take(Vm *vm, Object *container, Value key);
void frozen_place_drop(Vm *vm, FrozenPlace *place);
// At the end of a trace: what the trace changed itself is what it froze.
MUST_CHECK bool frozen_close(Vm *vm, Frozen *frozen, struct Concrete *trace);
// The first read that is changed and was not told, NULL: none, and the trace is
// no longer stale. *failed is set when memory is short.
FrozenRead *frozen_changed(Vm *vm, Frozen *frozen, bool *failed);
// 1: the trace is still right about this place; 0: not; -1: failed.
int frozen_compare(Vm *vm, const FrozenRead *read);
// It was told: what was reached by the same way will not be again.
void frozen_set_noted(Frozen *frozen, const FrozenRead *read);
// "global 'scale'", "'self.k'": for messages; owned.
Str *frozen_name(Vm *vm, const Frozen *frozen, const FrozenRead *read);
// Appends what the program calls a value that the trace has lately read
// outside: the global, attribute or variable, and the way to it there
// (layers[0]). False: not known. Who has `out` asks whether there was memory.
bool frozen_spelled(Vm *vm, const Frozen *frozen, Value v, StrBuf *out);
// "0.5 -> 0.25": what the trace saw of the place, and what is there; owned.
Str *frozen_change(Vm *vm, const Frozen *frozen, const FrozenRead *read);
// Whether the place is the defaults of a function.
bool frozen_is_defaults(const FrozenRead *read);
// What the place holds now, borrowed; UNBOUND: nothing.
Value frozen_present(Vm *vm, const FrozenRead *read);
// How many reads people are told of.
size_t frozen_count(const Vm *vm, const Frozen *frozen);

// TraceHooks.
MUST_CHECK bool frozen_read(Vm *vm, Object *container, Value key, Value value);
// The trace calls another, whose reads are its own from here on: calls that
// reuse it look for changes of them.
MUST_CHECK bool frozen_call(Vm *vm, const Frozen *callee);
void frozen_stored(Vm *vm, Object *container, Value key);
// The container is dead: nothing can be stored there any more.
void frozen_forget(Vm *vm, Identity *container);

// stage.frozen(f).
Value frozen_method(Vm *vm, Value *args);

#endif
