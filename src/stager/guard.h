// The quick way of a staged call: what calls were, and a check of each
// argument.
//
// A guard is set by a call that found its trace the long way; the next call
// with arguments that are surely of the same signature runs that trace at
// once, without binding, key or look-up. The one that passed last is asked
// first, others are found by a hash of the arguments. A guard covers all that
// a signature has: arguments, by position or by the keywords of one place in
// the program, what parameters have by default, and the instance of a bound
// method; tensors by dtype and shape (or what signature= asks for), Variables
// by these and by which are one, structures by what they hold, and very same
// immutable values.
#ifndef DUET_STAGER_GUARD_H
#define DUET_STAGER_GUARD_H

#include "interp/objects/classes/obj_instance.h"
#include "stager/concrete.h"

// GUARD_FORMS: most guards of one trace, for it may be called in several ways.
// GUARD_CHAIN: most of one hash.
enum { GUARD_MAX_NODES = 64, GUARD_FORMS = 4, GUARD_CHAIN = 8 };

typedef enum GuardKind {
    GUARD_TENSOR,
    GUARD_SAME, // the very same value
    GUARD_VARIABLE,
    GUARD_LIST,
    GUARD_TUPLE, // a named one too
    GUARD_DICT,
    GUARD_FIELDS // a dataclass
} GuardKind;

// What one value of the guarded call was. The children of a structure follow
// it, in the order of a walk.
typedef struct GuardNode {
    uint8_t kind;   // GuardKind
    uint8_t source; // BoundFrom, of what stands in no structure
    bool trainable; // of a Variable
    uint8_t dtype;
    int8_t rank;
    uint32_t index;  // in its source, or in its structure: item, entry, slot
    uint32_t place;  // a tensor, a Variable: which of the trace's inputs or
                     // Variables; a structure: how many children
    Value key;       // of a child of a dict, or a default by keyword: what its
                     // entry has; owned, plain; else NONE
    const Type *cls; // of a structure and a Variable: it dies no sooner than
                     // the trace is dropped
    union {
        const ObjectShape *shape; // of a dataclass
        Value same; // owned if it is plain; an object of the key dies no sooner
                    // than the trace is dropped
        int64_t dims[TENSOR_INLINE_RANK];
    };
    TensorType wide; // of signature=: all that it takes; rank 0: these alone
} GuardNode;

// It covers one call shape.
typedef struct Guard {
    Concrete *concrete;    // borrowed from the table that it is in
    struct Guard *next;    // in its bucket
    struct Guard *sibling; // of the same trace, the next older one
    uint32_t hash;         // of the call
    uint32_t count;        // of arguments
    Tuple *names;          // of the last arguments, counted; NULL: none has one
    bool single;           // the result is one tensor
    bool deep;             // some value is a structure
    uint64_t epoch;     // the Vm's, where a class of the program's decides what
                        // a value is; 0: none does
    Function *function; // borrowed; NULL: its defaults do not matter
    Tuple *defaults;    // of the function, counted; NULL: none was taken
    Value instance;     // what stands in front of the arguments, borrowed
    uint32_t tensors, variables; // among the values
    VEC(GuardNode)
    nodes; // of what is not in a structure, in the order
           // of a Bound, each with what it holds
} Guard;

// Those of a staged function.
typedef struct Guards {
    Guard *last;     // which one passed or was set last; NULL: unknown
    Guard **buckets; // by hash, each chained; NULL: there are none
    uint32_t size;   // of buckets, a power of two or 0
    uint32_t count;  // of guards
    bool exact;      // there is a signature=, which says the types of tensors
} Guards;

// What a call is, before it runs and perhaps changes its arguments. False: no
// guard could cover it, and nothing is owned. `function` and `instance`
// (UNBOUND: none) are the staged function's.
bool guard_make(Vm *vm, const Guards *guards, Value function, Value instance,
                const Value *args, uint32_t count, Tuple *names, Guard *out);
// Sets a guard to this call of the trace, or none where guards do not cover
// such a call. Takes `made`.
void guards_set(Vm *vm, Guards *guards, Concrete *concrete, Guard *made);
// Releases what it owns; it covers nothing.
void guard_clear(Vm *vm, Guard *guard);
// Tells calls apart, equal for two that one guard covers.
uint32_t guard_hash(const Guards *guards, const Value *args, uint32_t count,
                    const Tuple *names);
void guards_clear(Vm *vm, Guards *guards);
// The trace is dropped.
void guards_drop(Vm *vm, Guards *guards, Concrete *concrete);
// For the collector: what the guards own.
void guards_visit(const Guards *guards, void (*visit)(Object *, void *),
                  void *data);
// Runs the trace if the call is one that a guard covers. VALUE_UNBOUND: it is
// not, and nothing has happened.
Value guards_run(Vm *vm, Guards *guards, const Value *args, uint32_t count,
                 const Tuple *names);

#endif
