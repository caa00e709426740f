// A staged function: a host function and the traces made of it so far.
#ifndef DUET_STAGER_STAGED_FN_H
#define DUET_STAGER_STAGED_FN_H

#include "stager/guard.h"
#include "stager/options.h"
#include "stager/traces.h"

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
    Guard guard;    // the last call that it covers
    Concrete *ran;  // by the call that ends now, if it is in the table;
                    // borrowed, NULL: none
    size_t traced;  // traces made so far, dropped ones included
};

// Stages a callable; takes what `options` owns, also when it fails. NULL: a
// generator function (ERR_TYPE), a signature with too many specs, or no
// memory.
MUST_CHECK StagedFunction *staged_new(Vm *vm, Value host,
                                      StageOptions options);
static inline bool value_is_staged(Vm *vm, Value v)
{
    return value_is_object(v) &&
           value_object(v)->type == stager_of(vm)->staged_type;
}

extern const TypeDef staged_type_def, stage_type_def;

#endif
