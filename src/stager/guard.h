// The quick way of a staged call: the last call, and a check of each argument.
//
// A guard is set by a call that found its trace the long way; the next call
// with arguments that are surely of the same signature runs that trace at
// once, without binding, key or look-up. It covers positional arguments that
// are tensors (same dtype and shape) or the very same immutable value.
#ifndef DUET_STAGER_GUARD_H
#define DUET_STAGER_GUARD_H

#include "stager/concrete.h"

enum { GUARD_MAX_ARGUMENTS = 8 };

// What one argument of the guarded call was.
typedef struct GuardArgument {
    bool is_tensor;
    uint8_t dtype;
    int8_t rank;
    int64_t dims[TENSOR_INLINE_RANK];
    Value same; // not a tensor: the value; owned if it is plain, an object of
                // the key dies no sooner than the trace is dropped
} GuardArgument;

// One for each staged function. It covers one call shape, the last, since
// loops repeat one call.
typedef struct Guard {
    Concrete *concrete; // borrowed from the table that it is in; NULL: none
    uint32_t count;
    bool single; // the result is one tensor
    GuardArgument arguments[GUARD_MAX_ARGUMENTS];
} Guard;

// Sets the guard to this call of the trace, or to none where it does not
// cover such a call.
void guard_set(Vm *vm, Guard *guard, Concrete *concrete, const Value *args,
               uint32_t count);
void guard_clear(Vm *vm, Guard *guard);
// For the collector: what the guard owns.
void guard_visit(const Guard *guard, void (*visit)(Object *, void *),
                 void *data);
// Runs the trace if the call is one that the guard covers. VALUE_UNBOUND: it
// is not, and nothing has happened.
Value guard_run(Vm *vm, const Guard *guard, const Value *args, uint32_t count);

#endif
