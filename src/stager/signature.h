// What of a call decides which trace it uses.
//
// A call's arguments are bound to the parameters first, so that f(2) and
// f(x=2) are the same call. Then they are walked once: tensors become leaves,
// Variables references, all the rest bytes of the key.
#ifndef DUET_STAGER_SIGNATURE_H
#define DUET_STAGER_SIGNATURE_H

#include "base/vec.h"
#include "interp/obj_function.h"
#include "interp/obj_list.h"
#include "interp/obj_tensor.h"

// Arguments as vm_call_keywords takes them: every parameter is there.
typedef struct Bound {
    ValueVec values; // owned references
    Tuple *names;    // of the last ones, counted; NULL: none
} Bound;

// Binds to the parameters of `host`. False: they do not fit, which calling
// the host words; or memory is short, with an error pending.
MUST_CHECK bool bound_make(Vm *vm, Value host, const Value *args,
                           uint32_t count, Tuple *keyword_names, Bound *out);
void bound_free(Vm *vm, Bound *bound);
// The parameter that value `index` belongs to; "arg" where nobody knows.
const char *bound_name(Value host, const Bound *bound, size_t index);
// The same arguments, each a new tree with its leaves replaced.
typedef Value (*LeafFn)(Vm *vm, Value leaf, void *data);
MUST_CHECK bool bound_map(Vm *vm, const Bound *bound, LeafFn leaf, void *data,
                          Bound *out);
// A copy of lists, tuples and dicts, with `leaf` of all else in order.
Value value_map(Vm *vm, Value v, LeafFn leaf, void *data);
// Whether staging takes it as a tensor: a Tensor, or what has __tensor__.
bool value_is_leaf_tensor(Vm *vm, Value v);

typedef struct Signature {
    StrBuf key;        // everything
    StrBuf relaxed;    // everything but ranks and sizes
    ValueVec tensors;  // owned Tensors, in order
    ValueVec names;    // Strs: the parameter of each tensor, owned
    ValueVec variables; // distinct, owned
    ValueVec objects;  // told apart by identity, owned
} Signature;

// False with an error pending; signature_free is right then too.
MUST_CHECK bool signature_make(Vm *vm, Value host, const Bound *bound,
                               Signature *out);
void signature_free(Vm *vm, Signature *signature);
void value_vec_free(Vm *vm, ValueVec *vec);

#endif
