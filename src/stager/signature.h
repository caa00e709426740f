// What of a call decides which trace it uses.
//
// A call's arguments are bound to the parameters first, so that f(2) and
// f(x=2) are the same call. Then they are walked once: tensors become leaves,
// Variables references, all the rest bytes of the key. A *pattern* is the same
// with specs where tensors go: what `signature=` asks for, what f.concrete was
// given, and what a relaxed trace takes.
#ifndef DUET_STAGER_SIGNATURE_H
#define DUET_STAGER_SIGNATURE_H

#include "base/map.h"
#include "base/vec.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/tensors/obj_tensor.h"
#include "stager/structure.h"

// Arguments as vm_call_keywords takes them: every parameter is there.
typedef struct Bound {
    ValueVec values; // owned references
    Tuple *names;    // of the last ones, counted; NULL: none. Those that no
                     // parameter has come last, sorted
    Tuple *given;    // those in the order of the call, counted; NULL: sorted
    const char *converted; // as in Signature, by signature=
} Bound;

// Binds to the parameters of `host`. Parameters that are left out take the
// value of the same place in `traced` (NULL: the function's defaults) if that
// holds no tensor. False: they do not fit, which calling the host words; or
// memory is short, with an error pending.
MUST_CHECK bool bound_make(Vm *vm, Value host, const Value *args,
                           uint32_t count, Tuple *keyword_names,
                           const Bound *traced, Bound *out);
// What a concrete function puts where nothing was given, borrowed: the traced
// value; UNBOUND: a tensor belongs there, which must come with each call.
Value bound_traced(Vm *vm, const Bound *traced, size_t place);
// Where a value of a call comes from: from its arguments, from the instance in
// front of them, or from what the function has by default; and which one it is
// there.
typedef enum BoundFrom {
    BOUND_CALL,
    BOUND_INSTANCE,
    BOUND_DEFAULTS,
    BOUND_KEYWORD_DEFAULTS // an entry of the dict
} BoundFrom;
typedef struct BoundSource {
    BoundFrom from;
    uint32_t index;
} BoundSource;
// The sources of the values that bound_make would give, in their order, of a
// call that fits. How many; -1: more than `limit`. `names` may be NULL.
int bound_sources(Value host, bool instance, uint32_t count, const Tuple *names,
                  BoundSource *out, int limit);
// In a trace: what a call in it is given as a choice among values is undecided
// there (`host` names it), and becomes such a choice on the way into one.
MUST_CHECK bool bound_show(Vm *vm, Value host, Bound *bound);
MUST_CHECK bool bound_shut(Vm *vm, Bound *bound);
// Leaves it empty, so that it may be freed twice.
void bound_free(Vm *vm, Bound *bound);
// Values at and behind `*args` of the host, which its keyword-only parameters
// follow: how many of bound's values come by position.
size_t bound_positional(const Bound *bound);
// Whether a spec stands anywhere in a traced argument: it must be given. True
// with an error pending, too.
bool bound_holds_spec(Vm *vm, Value v);
// The parameter that value `index` belongs to; "arg" where nobody knows.
const char *bound_name(Value host, const Bound *bound, size_t index);
// The same arguments, each a new tree with its leaves replaced. While one is
// met, `path` (NULL: nobody asks) is its way from the parameter of `host`.
MUST_CHECK bool bound_map(Vm *vm, Value host, const Bound *bound, StrBuf *path,
                          LeafFn leaf, void *data, Bound *out);
// Calls the host, with **kwargs in the order of the call.
Value bound_call(Vm *vm, Value host, const Bound *bound);
// Whether staging takes it as a tensor: a Tensor, a symbolic one, or what has
// __tensor__.
bool signature_is_tensor(Vm *vm, Value v);

// A tensor among the arguments: an input of the graph, in the order of the
// walk.
typedef struct TensorLeaf {
    Value value;        // owned: a Tensor, a Symbolic; in a pattern a Spec
    Spec *pattern;      // what the trace takes instead of its own type,
                        // counted; NULL: its own type
    uint32_t argument;  // index of the bound value that it stands in
    uint32_t type_at;   // where rank and sizes stand in the key, which were
    uint32_t type_size; // so many bytes
} TensorLeaf;

// Lives as long as one call: a trace copies what it keeps.
typedef struct Signature {
    StrBuf key;              // everything
    VEC(TensorLeaf) tensors; // in the order of the walk
    ValueVec variables;      // distinct, owned, in the order of the walk
    Map numbers;             // by address: their indices; empty while few
    ValueVec objects;        // Identities of those told apart by it, owned
    VEC(size_t) ends;        // where each argument's part of the key ends
    bool any_symbolic;       // some leaf is symbolic: a call inside a trace
    const char *converted;   // the first parameter of what was no tensor and
                             // is one in the trace, borrowed; NULL: none
} Signature;

// Walks the arguments. `specs`: a spec is a tensor leaf, as in patterns; else
// an object like others. False with an error pending; signature_free is right
// then too.
MUST_CHECK bool signature_make(Vm *vm, Value host, const Bound *bound,
                               bool specs, Signature *out);
// Releases all that it holds; it is not to be used again.
void signature_free(Vm *vm, Signature *signature);
// What the trace sees of leaf `index`: its pattern, or its own type.
TensorType signature_type(const Signature *signature, size_t index);
// Gives each leaf a pattern (`patterns[i]`, borrowed) and makes the key that
// of the pattern.
MUST_CHECK bool signature_generalise(Vm *vm, Signature *signature,
                                     Spec *const *patterns);
// The key without ranks and sizes: equal for all calls that one relaxed trace
// could serve. `out` is empty.
MUST_CHECK bool signature_relaxed(const Signature *signature, StrBuf *out);
// Whether an argument is handed over as state: all Variables but those of the
// program's own classes that have attributes, which a trace may use.
static inline bool signature_is_variable(Value v)
{
    return value_is_kind(v, KIND_VARIABLE) &&
           variable_is_bare(value_as_variable(v));
}
// Its number among the call's Variables; none of them: how many there are.
uint32_t signature_variable(const Signature *signature, Value v);
// What tells calls apart only for traces that have looked at it: beside what
// Variables answer (LOOKS_AT_NAME …) the order of the dicts among the arguments
// and of **kwargs, nothing for dicts that are too small to have one.
enum { LOOKS_AT_ORDER = 4 };
// Bytes that are equal where that is. What the call hands on from a trace, that
// one has looked at as well. Variables told apart by identity are added to the
// objects. `out` is empty.
MUST_CHECK bool signature_looked(Vm *vm, Signature *signature,
                                 const Bound *bound, uint32_t looks,
                                 StrBuf *out);
// Adds such bytes to the key.
MUST_CHECK bool signature_add_looked(Signature *signature,
                                     const StrBuf *looked);
// A tensor, spec or symbolic leaf's type.
TensorType signature_leaf_type(Value leaf);

#endif
