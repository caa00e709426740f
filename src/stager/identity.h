// Objects that staging knows by who they are.
//
// An argument that is told apart by identity enters a key as the serial of its
// Identity, which no other object is ever given; traces hold Identities, not
// the objects, so that a model which the program drops goes at once. Its death
// empties its Identity and takes the traces that were made for it out of their
// tables: nothing can find them again.
#ifndef DUET_STAGER_IDENTITY_H
#define DUET_STAGER_IDENTITY_H

#include "base/map.h"
#include "interp/core/vm.h"

struct Concrete;
typedef struct IdentityUse IdentityUse;

// Counted: it lives as long as its object, and as long as somebody keeps it in
// the place of the object.
typedef struct Identity {
    Object head;
    Object *object;             // not counted; NULL: it is dead
    uint64_t serial;            // from 1, never used again
    Kind kind;                  // of the object, also when it is dead
    IdentityUse *uses;          // listed traces whose key has the serial
    struct FrozenPlace *places; // what traces read in it (frozen.h)
} Identity;

// One trace that is listed with one of the objects of its key.
struct IdentityUse {
    struct Concrete *trace; // borrowed: it has the use
    Identity *identity;     // counted
    IdentityUse *next, *previous;
};

// The Identities of a Vm.
typedef struct Identities {
    Map by_object;   // Identity * by the object's address; each counted
    uint64_t serial; // the last one that was given away
} Identities;

// The object's Identity, borrowed from the table; made at the first call.
// NULL with an error pending.
MUST_CHECK Identity *identity_of(Vm *vm, Object *object);
// NULL: it has none.
Identity *identity_find(const Vm *vm, const Object *object);
// NULL where the value is none.
Identity *value_identity(const Vm *vm, Value v);
// Whether a value is all that there is to say of it: a number, a text, a tuple
// of such, not nested deep.
bool identity_says_all(Value v);
// What a trace may keep of a value without keeping what the program drops: the
// value where it says all there is to say (numbers, texts, tuples of such),
// else its Identity. Owned.
Value identity_weaken(Vm *vm, Value v);
// The value that was weakened, borrowed; UNBOUND: it is dead.
Value identity_value(const Vm *vm, Value weak);
// A LeafFn: the value that was weakened, owned, None for a dead one.
Value identity_leaf(Vm *vm, Value weak, void *data);
// Links the use into its identity's list, and takes it out.
void identity_link(IdentityUse *use);
void identity_unlink(IdentityUse *use);
// vm->forget.
void identity_died(Vm *vm, Object *object);
// At the end of the stager: objects that live on are forgotten.
void identities_free(Vm *vm);

extern const TypeDef identity_type_def;

#endif
