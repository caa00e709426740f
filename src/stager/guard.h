// The quick way of a staged call: the last few calls, and a check of each
// argument.
//
// A guard is set by a call that found its trace the long way; the next call
// with arguments that are surely of the same signature runs that trace at
// once, without binding, key or look-up. It covers arguments, by position or
// by the keywords of one place in the program, that are tensors (same dtype
// and shape, or what signature= asks for) or the very same immutable value.
#ifndef DUET_STAGER_GUARD_H
#define DUET_STAGER_GUARD_H

#include "stager/concrete.h"

enum { GUARD_MAX_ARGUMENTS = 8, GUARD_COUNT = 4 };

// What one argument of the guarded call was.
typedef struct GuardArgument {
    bool is_tensor;
    uint8_t place; // a tensor: which of the trace's inputs
    uint8_t dtype;
    int8_t rank;
    int64_t dims[TENSOR_INLINE_RANK];
    TensorType wide; // of signature=: all that it takes; rank 0: these alone
    Value same; // not a tensor: the value; owned if it is plain, an object of
                // the key dies no sooner than the trace is dropped
} GuardArgument;

// It covers one call shape.
typedef struct Guard {
    Concrete *concrete; // borrowed from the table that it is in; NULL: none
    Tuple *names;       // of the last arguments, counted; NULL: none has one
    uint32_t count;
    bool single; // the result is one tensor
    GuardArgument arguments[GUARD_MAX_ARGUMENTS];
} Guard;

// Those of a staged function: loops repeat one call, or a few in turn.
typedef struct Guards {
    Guard items[GUARD_COUNT];
    uint32_t last; // which one passed or was set last
} Guards;

// Sets a guard to this call of the trace of `function`, in place of the one
// that is due, or none where guards do not cover such a call.
void guards_set(Vm *vm, Guards *guards, Value function, Concrete *concrete,
                const Value *args, uint32_t count, Tuple *names);
void guards_clear(Vm *vm, Guards *guards);
// The trace is dropped.
void guards_drop(Vm *vm, Guards *guards, const Concrete *concrete);
// For the collector: what the guards own.
void guards_visit(const Guards *guards, void (*visit)(Object *, void *),
                  void *data);
// Runs the trace if the call is one that a guard covers. VALUE_UNBOUND: it is
// not, and nothing has happened.
Value guards_run(Vm *vm, Guards *guards, const Value *args, uint32_t count,
                 const Tuple *names);

#endif
