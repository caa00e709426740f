// Who listens to the operations that apply() runs or appends: tapes.
#ifndef DUET_INTERP_HOOKS_RECORDER_H
#define DUET_INTERP_HOOKS_RECORDER_H

#include "interp/core/vm.h"
#include "ops/op.h"

// The head of an object that records, while it stands in vm->recorders.
typedef struct Recorder Recorder;
struct Recorder {
    Object head;
    Recorder *outer; // the next one that records
    Trace *trace;    // in which it records, NULL: outside
    // Called of each op in that trace. False with an error pending.
    bool (*record)(Vm *vm, Recorder *self, OpCode op, const Value *inputs,
                   uint32_t input_count, const AttrValue *attrs,
                   const Value *outputs, uint32_t output_count);
};

// Those that record here, from `recorder` outwards: the first, NULL: none.
static inline Recorder *recorder_here(const Vm *vm, Recorder *recorder)
{
    while (recorder != NULL && recorder->trace != vm->trace) {
        recorder = recorder->outer;
    }
    return recorder;
}

// Tells them of an op. False: an error is pending.
MUST_CHECK static inline bool
recorder_tell(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
              const AttrValue *attrs, const Value *outputs,
              uint32_t output_count)
{
    Recorder *at = recorder_here(vm, vm->recorders);
    while (at != NULL && at->record(vm, at, op, inputs, input_count, attrs,
                                    outputs, output_count)) {
        at = recorder_here(vm, at->outer);
    }
    return at == NULL;
}

static inline bool recorder_active(const Vm *vm)
{
    return recorder_here(vm, vm->recorders) != NULL;
}

#endif
