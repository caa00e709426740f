// A variable that is None on one way to it and a value on another, as a tensor
// decides.
//
// It is undecided (poison.h), with a choice (either.h) between the value and
// None: a loop carries the choice's tensors, `is None` gives its condition, and
// in a block whose condition tells which of the two it is, the variables of the
// frame hold just that.
#ifndef DUET_STAGER_MAYBE_H
#define DUET_STAGER_MAYBE_H

#include "stager/merge.h"

// A variable whose value a block's condition told, and what it held before.
typedef struct ToldPlace {
    uint32_t reg;
    Value maybe; // owned
} ToldPlace;

// What a condition says as long as a block, or the frame, goes on.
typedef struct ToldFact {
    const StagedBlock *block; // NULL: the trace
    ValueId condition;
    bool holds;
} ToldFact;

bool maybe_is(Vm *vm, Value v);
// The choice where the trace sees it, borrowed; UNBOUND: it may not be None, or
// no trace sees it.
Value maybe_choice(Vm *vm, Value v);
// What the conditions around tell of a symbolic bool: 1, 0; -1: nothing.
int maybe_told(Vm *vm, Value flag);
// The value or None, whichever they tell, or the attribute that is there;
// borrowed. UNBOUND: nothing is told, or it may not be None.
Value maybe_known(Vm *vm, Value v);
// Whether one of two is None, or may be.
bool maybe_either(Vm *vm, Value a, Value b);
// What such two leave; as merge_values.
Value maybe_merge(Merge *merge, Value first, Value second);
// As merge_single; `v` is one.
Value maybe_single(Merge *merge, int side, Value v);

// One of two, as a symbolic bool says, of which one is None or may be; UNBOUND:
// the values of both cannot be one. Owned.
Value maybe_choose(Vm *vm, const char *name, Value condition, Value a, Value b);

// The state of a loop's place that may be None before it: the choice. UNBOUND:
// it may not, or no state can be one. Owned.
Value maybe_open(Vm *vm, Value before);
// The state before a loop whose turn leaves another kind; UNBOUND: there is
// none, VALUE_FAIL. Owned.
Value maybe_begin(Vm *vm, StagedBlock *block, Value before, Value after);
// What a turn left as such a choice as before it; owned.
Value maybe_turn(Vm *vm, Value before, Value after);
// What the variable is that has the state; takes it.
Value maybe_shown(Vm *vm, const char *name, Value state);

// The condition is known from here on, to the end of a side of the block (NULL:
// of the frame).
MUST_CHECK bool maybe_learn(Vm *vm, Frame *frame, StagedBlock *block,
                            ValueId condition, bool holds);
// The same of a loop's condition: it holds in the body, whose params the frame
// shows, and not behind the loop, where that shows the node's outputs (NULL: it
// is the body).
MUST_CHECK bool maybe_learn_loop(Vm *vm, Frame *frame, StagedBlock *block,
                                 const GraphNode *node);
// The side ends in which values were left of which it knows what they are.
void maybe_settle(Vm *vm, Value *values, uint32_t count);
// That side has ended.
void maybe_forget(Vm *vm, StagedBlock *block);
// When the block or the trace is freed.
void maybe_free(Vm *vm, StagedBlock *block);

// Whether a is b, or (`holds` false) is not: a bool, or a tensor. One of the
// two is a value that is undecided.
Value maybe_same(Vm *vm, Value a, Value b, bool holds);
// a == b, or a != b, where None is one of the two and the other a value that is
// undecided.
Value maybe_compare(Vm *vm, CompareOp op, Value a, Value b);
// bool(self), int(self) or float(self), of what may be None.
Value maybe_cast(Vm *vm, Value self, const Type *to);
// An operation that None refuses goes on with the value, and is refused when
// the graph runs and there is none. TraceHooks.operate, and slots.
Value maybe_operate(Vm *vm, Value a, Value b, OperandsFn act, int how);
Value maybe_unary(Vm *vm, UnaryOp op, Value self);
// The same of an attribute; UNBOUND: None has it, too.
Value maybe_attr(Vm *vm, Value self, Str *name);
// TraceHooks.otherwise.
Value maybe_otherwise(Vm *vm, Value held, Value other);
// TraceHooks.ask.
Value maybe_ask(Vm *vm, Value v, Value with, OperandsFn act);
Value maybe_item(Vm *vm, Value self, Value key);

#endif
