// A staged function: a host function and the traces made of it so far.
#ifndef DUET_STAGER_STAGED_FN_H
#define DUET_STAGER_STAGED_FN_H

#include "stager/concrete.h"

typedef struct StagedFunction {
    Object head;
    Value host;          // owned; NONE: a decorator that waits for one
    Str *name;           // counted
    Map traces_by_key;   // index into traces
    VEC(Concrete *) traces; // counted
    StrBuf last_key;     // of the last call that found its trace
    Concrete *last;      // that trace, borrowed from traces; NULL: none
} StagedFunction;

// Stages a callable. NULL: a generator function (ERR_TYPE), or no memory.
MUST_CHECK StagedFunction *staged_new(Vm *vm, Value host);
static inline bool value_is_staged(Vm *vm, Value v)
{
    return value_is_object(v) &&
           value_object(v)->type == stager_of(vm)->staged_type;
}

extern const TypeDef staged_type_def, stage_type_def;

#endif
