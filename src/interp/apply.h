// The one interception point for tensor operations, and the hooks by which
// the stager sees what runs inside a trace.
//
// Outside a trace apply() runs the op's kernel. Inside one it appends a node
// to the graph being traced and returns symbolic tensors. Nothing else in
// interp knows which. The stager installs the hooks when the Vm is made
// (stager/stager.h: stager_init); interp without a stager runs eagerly.
#ifndef DUET_INTERP_APPLY_H
#define DUET_INTERP_APPLY_H

#include "interp/vm.h"
#include "ops/op.h"

// Applies an op to tensors: each input a Tensor, Symbolic or Variable (borrowed).
// Host values have been converted by the caller (tensor_convert.h). Results
// are owned and written to `outputs`; *output_count says how many they have
// room for (OP_MAX_OUTPUTS, or as many as the attributes of split and unstack
// give) and is set to how many there are. False with an error pending.
// In a trace, read_variable and assign_variable come here too, with the
// Variable as the first input; outside one obj_variable.c does them itself.
MUST_CHECK bool apply(Vm *vm, OpCode op, const Value *inputs,
                      uint32_t input_count, const AttrValue *attrs,
                      Value *outputs, uint32_t *output_count);
// The common case of one output: the value, or VALUE_FAIL.
Value apply_one(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                const AttrValue *attrs);

// What a converted instruction asks of the stager at a block boundary.
typedef enum BlockEvent {
    BLOCK_IF,         // a symbolic condition: start tracing the first side
    BLOCK_ELSE,       // the first side is done: restore, trace the other
    BLOCK_JOIN,       // merge
    BLOCK_LOOP,       // a loop's head: decide host or symbolic
    BLOCK_LOOP_BODY,  // the condition was traced
    BLOCK_LOOP_NEXT,  // the body was traced
    BLOCK_FOR,        // `for` over a symbolic iterable
    BLOCK_ASSERT,
    BLOCK_RAISE
} BlockEvent;

struct TraceHooks {
    // In a trace: append a node (apply). Never called outside one.
    bool (*apply)(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                  const AttrValue *attrs, Value *outputs,
                  uint32_t *output_count);
    // A block instruction of converted code whose condition is symbolic. May
    // rewrite registers; returns where to go on, NULL with an error pending.
    const Ins *(*block)(Vm *vm, Frame *frame, BlockEvent event,
                        const BlockInfo *info, const Ins *pc);
    // The function's code as it runs inside a trace (converted), borrowed.
    Code *(*convert)(Vm *vm, Function *function);
    // A container was changed (note.h).
    bool (*store)(Vm *vm, Object *container, Value value);
    // A watched read: a global, cell, attribute, list or dict (note.h).
    bool (*read)(Vm *vm, Object *container, Value key, Value value);
    // Truth of a symbolic tensor asked by C code: raises SymbolicError.
    int (*truth)(Vm *vm, Value symbolic);
    // References that the stager's objects hold, for the collector.
    void (*visit)(Vm *vm, void (*visit)(Object *child, void *data),
                  void *data);
};

#endif
