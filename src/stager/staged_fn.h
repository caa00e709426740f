// A staged function: a host function and the traces made of it so far.
#ifndef DUET_STAGER_STAGED_FN_H
#define DUET_STAGER_STAGED_FN_H

#include "stager/options.h"
#include "stager/traces.h"
#include "stager/why.h"

struct StagedFunction {
    Object head;
    Value host;     // as it was given, owned; NONE: a decorator that waits
                    // for its function
    Value target;   // what is called: the host, or the function behind a bound
                    // method or a callable instance; owned
    Value instance; // put in front of the arguments, owned; UNBOUND: nothing
    Str *name;      // counted
    StageOptions options;
    TraceTable table;
    Concrete *ran; // by the call that ends now, if it is in the table;
                   // borrowed, NULL: none
    Why why;       // about its last trace
    size_t traced; // traces made so far, dropped ones included
};

// Stages a callable; takes what `options` owns, also when it fails. NULL: a
// generator function (ERR_TYPE), a signature with too many specs, or no
// memory.
MUST_CHECK StagedFunction *staged_new(Vm *vm, Value host, StageOptions options);
// By its type: staged functions cannot be subclassed.
static inline bool value_is_staged(Vm *vm, Value v)
{
    return value_is_object(v) &&
           value_object(v)->type == stager_of(vm)->staged_type;
}

// Likewise, or a bound method of one; borrowed. `who` ("why") opens the error.
StagedFunction *staged_from(Vm *vm, Value v, const char *who);

// The trace for a call with this signature, owned: found, or made (in
// staged_find.c). NULL with an error pending.
MUST_CHECK Concrete *staged_find(Vm *vm, StagedFunction *self,
                                 const Bound *bound, Signature *signature);
// Whether host code may run, which it does in a trace and, to word the error,
// where arguments do not fit. False: stage.seal() forbids it (ERR_RUNTIME).
MUST_CHECK bool staged_may_run_host(Vm *vm, const StagedFunction *self);

// signature= (staged_fit.c). The first parameter that it speaks of: not `self`.
size_t staged_first_spec(const StagedFunction *self);
// Refuses more specs than there are parameters (ERR_SIGNATURE).
MUST_CHECK bool staged_check_specs(Vm *vm, const StagedFunction *self);
// Each argument that has a spec, made to fit it (ERR_SIGNATURE). `out` is to
// be freed also after a failure.
MUST_CHECK bool staged_fit(Vm *vm, const StagedFunction *self,
                           const Bound *given, bool run, Bound *out);
// Gives the leaves of fitted arguments the types that the specs ask for.
MUST_CHECK bool staged_generalise(Vm *vm, const StagedFunction *self,
                                  Signature *signature);

extern const TypeDef staged_type_def, stage_type_def;

#endif
