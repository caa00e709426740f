// Structures: what staging looks into, and what it takes whole.
//
// Lists, tuples, dicts, sets, named tuples and dataclasses are structures;
// signatures, results and stored patterns walk them through this one file, so
// that all agree on kinds, on order and on how a copy is made. Everything else
// is a leaf. Children of a dict come in the order of its keys, not of their
// insertion, so that equal dicts are walked alike.
//
// Arguments are borrowed, results owned; VALUE_FAIL or false with an error
// pending.
#ifndef DUET_STAGER_STRUCTURE_H
#define DUET_STAGER_STRUCTURE_H

#include "interp/objects/classes/obj_function.h"
#include "interp/tensors/obj_tensor.h"

// Part of every key (signature.c), so that structures of different kinds never
// share a trace.
typedef enum StructureKind {
    STRUCTURE_LEAF, // not looked into
    STRUCTURE_LIST,
    STRUCTURE_STAGED, // a list that a graph holds (staged_list.h): its parts
    STRUCTURE_TUPLE,
    STRUCTURE_DICT,      // children: the values; keys belong to the structure
    STRUCTURE_SET,       // no children: elements are hashable, so no tensors
    STRUCTURE_NAMED,     // a named tuple: its items, and its class
    STRUCTURE_DATACLASS, // its fields in order, its other attributes, and its
                         // class
    STRUCTURE_MADE       // an object that a call makes anew (made.h): what it
                         // holds; in results alone
} StructureKind;

// Subclasses of list and dict are leaves, except named tuples.
StructureKind structure_kind(Vm *vm, Value v);
// An int, a float, a str or bytes, and nothing more: an instance of a class
// that extends one may have methods and attributes of its own, so that its
// number or text does not say what it is. Bools are not among them.
bool structure_is_plain(Value v);
// Appends the children to an empty `out`, owned.
MUST_CHECK bool structure_children(Vm *vm, Value v, ValueVec *out);
// Calls `each` with the children until one gives false; counts the depth. False
// also without memory.
typedef bool (*ChildFn)(Vm *vm, Value child, void *data);
MUST_CHECK bool structure_each(Vm *vm, Value v, ChildFn each, void *data);
// The keys of a dict, or the elements of a set, in the order of a walk; or the
// names of a dataclass's fields and other attributes. Appends to an empty
// `out`, owned.
MUST_CHECK bool structure_keys(Vm *vm, Value v, ValueVec *out);
// A copy of `v` with other children; a set is copied as it is.
Value structure_rebuild(Vm *vm, Value v, const ValueVec *children);
// In a trace a copy that was just made stands in for what it is of (value_is).
void structure_stands_in(Vm *vm, Value copy);

// Appends the step from a structure to its child `index`, as a program has it:
// ['w'], [0], .field. `keys` are the structure's.
MUST_CHECK bool structure_step(Vm *vm, StructureKind kind, const ValueVec *keys,
                               size_t index, StrBuf *path);

// A copy of the tree, with `leaf` of each leaf, in the order of a walk.
typedef Value (*LeafFn)(Vm *vm, Value leaf, void *data);
Value structure_map(Vm *vm, Value v, LeafFn leaf, void *data);
// The same; while a leaf is met, its way from the root stands behind `path`.
Value structure_map_named(Vm *vm, Value v, StrBuf *path, LeafFn leaf,
                          void *data);
// The same, but an object that stands in several places is copied once, and
// its leaves are met once. *met: whether there is one. `opens` (may be NULL):
// whether an object that would be a leaf is copied as a Made (made.h); false
// with an error pending fails.
typedef bool (*OpensFn)(Vm *vm, Value leaf, void *data);
Value structure_map_shared(Vm *vm, Value v, LeafFn leaf, OpensFn opens,
                           void *data, bool *met);

// The state of a loop: `made` takes what became of a structure, and gives what
// stands in its place.
typedef Value (*MadeFn)(Vm *vm, Value v, Value copy, void *data);
Value structure_map_state(Vm *vm, Value v, LeafFn leaf, MadeFn made,
                          void *data);

// Structures that are to stand where others do: `keys` where the tree holds
// them, `places` what stands there in the copy, `models` what they are to hold
// (UNBOUND: what they do).
typedef struct Placed {
    const ValueVec *keys, *models, *places; // of one length; borrowed
    ValueVec *made; // empty: copies of the models, which come first; owned
} Placed;
Value structure_map_placed(Vm *vm, Value v, const Placed *placed, LeafFn leaf,
                           OpensFn opens, void *data);

// Tensors that take the places of the leaves of one kind, in the order of a
// walk; the data of structure_fill, which is a LeafFn. Other leaves stay.
typedef struct Fill {
    Kind kind;              // KIND_SYMBOLIC or KIND_SPEC
    Tensor *const *tensors; // borrowed; each place takes a count of its own
    size_t next;            // the tensor that comes next
} Fill;
// Owned; other leaves are retained.
Value structure_fill(Vm *vm, Value v, void *data);

// Vectors that own their values. Push takes the value, VALUE_FAIL included.
MUST_CHECK bool structure_push(Vm *vm, ValueVec *vec, Value owned);
// Releases the values and the room; the vector is empty and may be used again.
void structure_free(Vm *vm, ValueVec *vec);

// A chain of the containers that a walk is inside of, innermost first: how a
// cyclic structure is found out.
typedef struct WalkPath {
    const Object *container;
    const struct WalkPath *outer; // NULL: the outermost
} WalkPath;
// Refuses a container that is on the path already (ERR_VALUE).
MUST_CHECK bool structure_check_path(Vm *vm, const WalkPath *path, Value v);

#endif
