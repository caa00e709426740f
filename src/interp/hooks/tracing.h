// The one interception point for tensor operations, and the hooks by which
// the stager sees what runs inside a trace.
//
// Outside a trace apply() runs the op's kernel. Inside one it appends a node
// to the graph being traced and returns symbolic tensors. Nothing else in
// interp knows which. The stager installs the hooks when the Vm is made
// (stager/stager.h: stager_init); interp without a stager runs eagerly.
#ifndef DUET_INTERP_HOOKS_TRACING_H
#define DUET_INTERP_HOOKS_TRACING_H

#include "interp/core/vm.h"
#include "ops/op.h"

// Applies an op to tensors: each input is a Tensor, a Symbolic or a Variable,
// borrowed. Host values have been converted by the caller (tensor_convert.h).
// Results are owned and written to `outputs`; *output_count says how many they
// have room for (OP_MAX_OUTPUTS, or as many as the attributes of split and
// unstack give) and is set to how many there are. False with an error pending.
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
    BLOCK_IF,     // a condition that is a tensor: trace the first side
    BLOCK_ELSE,   // the first side is done: restore, trace the other
    BLOCK_JOIN,   // merge
    BLOCK_TRUTH,  // R[A] becomes a symbolic bool
    BLOCK_NOT,    // R[A] becomes `not R[B]`
    BLOCK_HEAD,   // before a loop's condition: R[A] = a mark for BLOCK_WHILE
    BLOCK_WHILE,  // a loop's condition is a tensor
    BLOCK_NEXT,   // the body was traced
    BLOCK_FOR,    // `for` over R[A], a tensor or a note of a call
    BLOCK_STOP,   // R[A]: whether a `for` ends early
    BLOCK_ASSERT, // an assertion whose condition is a tensor failed
    BLOCK_RAISE   // R[A] is an exception that converted code raises
} BlockEvent;

struct Symbolic; // interp/tensors/obj_tensor.h
struct Variable;

struct TraceHooks {
    // In a trace: append a node (apply). Never called outside one.
    bool (*apply)(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                  const AttrValue *attrs, Value *outputs,
                  uint32_t *output_count);
    // A block instruction of converted code inside a trace. ELSE, JOIN, NEXT,
    // STOP come also for blocks that turned out to be the host's. May rewrite
    // registers; returns where to go on, NULL with an error pending.
    const Ins *(*block)(Vm *vm, Frame *frame, BlockEvent event,
                        const BlockInfo *info, Ins ins);
    // The pending error leaves what it can in this frame: blocks that stand
    // inside are given up. `handler`: where it is caught, NULL: the frame goes.
    // Where to go on if a block turns the error into one of run time, else
    // NULL.
    const Ins *(*unwind)(Vm *vm, Frame *frame, const Handler *handler);
    // Why a place has no value, if a block knows: raises, true.
    bool (*unbound)(Vm *vm, const Code *code, const Str *name);
    // The function's code as it runs inside a trace (converted), borrowed.
    Code *(*convert)(Vm *vm, Function *function);
    // A container was changed (note.h).
    bool (*store)(Vm *vm, Object *container, Value value);
    // A watched read: a global, cell, attribute, list or dict (note.h).
    bool (*read)(Vm *vm, Object *container, Value key, Value value);
    // Truth of a symbolic tensor asked by C code: raises SymbolicError.
    int (*truth)(Vm *vm, Value symbolic);
    // A Variable is about to be made in a trace: its first value, computed at
    // once, owned. NULL: it may not be made here, or the value is not known.
    Tensor *(*first_value)(Vm *vm, Value initial);
    // It was made. The trace watches that it is kept.
    bool (*born)(Vm *vm, struct Variable *variable);
    // A symbolic tensor was handed to `who` where it has no value: raises the
    // LeakError that tells where it was made and stored. VALUE_FAIL.
    Value (*leak)(Vm *vm, const char *who, const struct Symbolic *symbolic);
    // The function that it leaked from, NULL while its trace runs. Borrowed.
    const char *(*leaked_from)(const struct Symbolic *symbolic);
    // In a trace: something happened on the host that a graph will not repeat
    // (a print, a draw, the time). `value` may be UNBOUND.
    bool (*effect)(Vm *vm, const char *what, Value value);
};

#endif
