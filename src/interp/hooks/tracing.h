// The hooks by which the stager sees what runs inside a trace.
//
// The stager installs them when the Vm is made (stager/stager.h: stager_init);
// interp without a stager runs eagerly. Nothing else in interp knows whether a
// trace runs.
#ifndef DUET_INTERP_HOOKS_TRACING_H
#define DUET_INTERP_HOOKS_TRACING_H

#include "interp/core/vm.h"
#include "ops/op.h"

// KIND_TENSOR, KIND_SYMBOLIC and KIND_VARIABLE are the first three kinds.
ALWAYS_INLINE bool value_is_operand(Value v)
{
    return value_is_object(v) && value_object(v)->kind <= KIND_VARIABLE;
}

// What a converted instruction asks of the stager at a block boundary.
typedef enum BlockEvent {
    EVENT_IF,     // a condition that is a tensor: trace the first side
    EVENT_ELSE,   // the first side is done: restore, trace the other
    EVENT_JOIN,   // merge
    EVENT_TRUTH,  // R[A] becomes a symbolic bool
    EVENT_NOT,    // R[A] becomes `not R[B]`
    EVENT_AXIS,   // R[A] becomes its size along axis B
    EVENT_HEAD,   // before a loop's condition: R[A] = a mark for EVENT_WHILE
    EVENT_WHILE,  // a loop's condition is a tensor
    EVENT_NEXT,   // the body was traced
    EVENT_FOR,    // `for` over R[A], a tensor or a note of a call
    EVENT_STOP,   // R[A]: whether a `for` ends early
    EVENT_ASSERT, // an assertion whose condition is a tensor failed
    EVENT_RAISE   // R[A] is an exception that converted code raises
} BlockEvent;

// What happened on the host, as far as the stager tells it apart. Behind
// EFFECT_PRINT stands what changes nothing.
typedef enum EffectKind {
    EFFECT_CHANGE, // something outside is not what it was
    EFFECT_DRAW,   // the next of what goes on: random numbers, the time
    EFFECT_PRINT,
    EFFECT_NUMBER, // a tensor became what is a number of the host eagerly
    EFFECT_TRUTH,  // the same of True or False
    EFFECT_LOOK    // the type or name of what stands for a tensor was asked for
} EffectKind;

// What host code asks a symbolic tensor for, and does not get.
typedef enum HostNeed {
    NEED_TRUTH,
    NEED_NUMBER,
    NEED_INDEX,
    NEED_FORMAT,
    NEED_HASH,
    NEED_ITEM, // .item(), .numpy() …
    NEED_TEXT  // what only a text has, of one that a tensor chooses
} HostNeed;

struct BlockInfo; // interp/objects/code/code.h
struct Handler;
struct Symbolic; // interp/tensors/obj_tensor.h
struct Variable;

// By what a text of a tensor was asked for.
typedef enum TextWay {
    TEXT_STR, // or a format
    TEXT_REPR,
    TEXT_PERCENT // "%5.1f" % x
} TextWay;

// More than one size of a tensor, in the place of an axis.
typedef enum HostTold {
    TOLD_SHAPE = -1,
    TOLD_COUNT = -2,
    TOLD_RANK = -3, // of one whose rank is not known
    TOLD_RULE = -4 // to what builds nodes by it; no code of the program sees it
} HostTold;

// What is done with two operands; `how` is its own.
typedef Value (*OperandsFn)(Vm *vm, Value a, Value b, int how);

struct TraceHooks {
    // In a trace: append a node (apply). Never called outside one.
    bool (*apply)(Vm *vm, OpCode op, const Value *inputs, uint32_t input_count,
                  const AttrValue *attrs, Value *outputs,
                  uint32_t *output_count);
    // A block instruction of converted code inside a trace. ELSE, JOIN, NEXT,
    // STOP come also for blocks that turned out to be the host's. May rewrite
    // registers; returns where to go on, NULL with an error pending.
    const Ins *(*block)(Vm *vm, Frame *frame, BlockEvent event,
                        const struct BlockInfo *info, Ins ins);
    // The pending error leaves what it can in this frame: blocks that stand
    // inside are given up. `handler`: where it is caught, NULL: the frame goes.
    // Where to go on if a block turns the error into one of run time, else
    // NULL.
    const Ins *(*unwind)(Vm *vm, Frame *frame, const struct Handler *handler);
    // An empty local that a staged loop may have set gets its value: 1; 0: it
    // is none; -1: failed.
    int (*late)(Vm *vm, Frame *frame, uint32_t reg);
    // Why a place has no value, if a block knows: raises, true.
    bool (*unbound)(Vm *vm, const Code *code, const Str *name);
    // The function's code as it runs inside a trace (converted), borrowed.
    Code *(*convert)(Vm *vm, Function *function);
    bool (*store)(Vm *vm, Object *container, Value value);
    // A read of a global, a cell, an attribute, an entry of a class (note.h).
    bool (*read)(Vm *vm, Object *container, Value key, Value value);
    // The program asks whether there is something: false, with an error
    // pending, if sides of a block left v in no one form.
    bool (*decided)(Vm *vm, Value v);
    // A call of the function got these **kwargs: it may look at their order.
    void (*keywords)(Vm *vm, const Function *function, Dict *keywords);
    // A store to what staging knows (OBJECT_WATCHED), in a trace or outside.
    // `key`: an interned name; UNBOUND: anything in it may change.
    void (*stored)(Vm *vm, Object *container, Value key);
    // Host code asks for what a symbolic tensor does not have: raises
    // SymbolicError.
    void (*refuse)(Vm *vm, HostNeed need, Value symbolic);
    // Whether C code may go through the rows of a symbolic tensor.
    bool (*iterate)(Vm *vm, Value symbolic);
    // A Variable is about to be made in a trace: its first value, computed at
    // once, owned. NULL: it may not be made here, or the value is not known.
    Tensor *(*first_value)(Vm *vm, Value initial);
    // It was made. The trace watches that it is kept.
    bool (*born)(Vm *vm, struct Variable *variable);
    // Whether two objects are one (`holds`) or not, of which one stands for
    // another: a Variable or container for an argument, a symbolic tensor for
    // one with a value, what may be None for one of two. A bool, or a tensor.
    // Of one object: its id is asked for, which somebody may compare.
    Value (*same)(Vm *vm, Value a, Value b, bool holds);
    // act(a, b, how) where one of the two may be a value that is undecided: of
    // one that may be None the graph raises what None brings about.
    Value (*operate)(Vm *vm, Value a, Value b, OperandsFn act, int how);
    // What act(v, with, 0), a bool, says of a value that is undecided: a bool,
    // or a tensor where it is not the same for None.
    Value (*ask)(Vm *vm, Value v, Value with, OperandsFn act);
    // In a trace: `held` is what an object has of an attribute that need not be
    // there: that, or `other`, or, where that is UNBOUND, whether it is there.
    // UNBOUND: it is no such attribute, or the two cannot be one.
    Value (*otherwise)(Vm *vm, Value held, Value other);
    // A symbolic tensor was handed to `who` (NULL: host code) where it has no
    // value: raises the LeakError that tells where it was made and stored.
    // VALUE_FAIL.
    Value (*leak)(Vm *vm, const char *who, const struct Symbolic *symbolic);
    // The function that it leaked from, NULL while its trace runs. Borrowed.
    const char *(*leaked_from)(const struct Symbolic *symbolic);
    // In a trace: the host was told the size of one axis of a symbolic tensor,
    // or what HostTold says. 1: the code that asks takes what is not known as
    // a tensor; 0: as None; -1: failed.
    int (*sized)(Vm *vm, Value symbolic, int axis);
    // In a trace: a symbolic tensor is to be the index of a list. 1: the list
    // is one of the graph from here on, of another class; 0: it cannot be; -1:
    // failed.
    int (*hold)(Vm *vm, Object *list);
    // In a trace: the list that a comprehension's function makes of items that
    // tensors count; UNBOUND: the host can walk *items, which may be replaced.
    Value (*comprehend)(Vm *vm, Value function, Value *items);
    // In a trace: start + each item of a list whose length tensors decide;
    // UNBOUND: it is none.
    Value (*add_up)(Vm *vm, Value items, Value start);
    // In a trace: `a` where the condition, a symbolic truth, holds, else `b`;
    // UNBOUND: the two are not numbers of one type, or it is no single truth.
    Value (*choose)(Vm *vm, Value condition, Value a, Value b);
    // In a trace: the scalar, which is taken, as a tensor of its own that was a
    // number of the host: it gives way to a tensor's dtype. As it is if it is
    // not symbolic.
    Value (*number)(Vm *vm, Value scalar);
    // In a trace: something happened on the host that a graph will not repeat.
    // `what` is a word for it; `value` may be UNBOUND.
    bool (*effect)(Vm *vm, EffectKind kind, const char *what, Value value);
    // In a trace: the text goes to a file of the host, now or when the loop
    // that is traced is done. It was noted as an effect.
    bool (*print)(Vm *vm, Value file, Str *text);
    // In a trace: `text` was given for a symbolic tensor where eager code has
    // its value. `spec` is a format's or a conversion's; NULL: none.
    bool (*worded)(Vm *vm, Value tensor, Str *text, TextWay way, Str *spec);
    // In a trace: what a text says is asked. False, with an error pending, if
    // it has been worded so, for it has a name where eager code has a value.
    bool (*known_text)(Vm *vm, const Str *text);
};

// Of a Str the bit says something else (STR_MISSED).
static inline bool value_stands_in(Value v)
{
    return value_is_object(v) && value_object(v)->flags & OBJECT_STANDS_IN &&
           value_object(v)->kind != KIND_STR;
}
// `act` itself, where neither can be undecided.
static inline Value operate_traced(Vm *vm, Value a, Value b, OperandsFn act,
                                   int how)
{
    return LIKELY(!value_is_kind(a, KIND_OPAQUE) &&
                  !value_is_kind(b, KIND_OPAQUE))
               ? act(vm, a, b, how)
               : vm->hooks->operate(vm, a, b, act, how);
}
// The same of a question.
static inline Value ask_traced(Vm *vm, Value v, Value with, OperandsFn act)
{
    return LIKELY(!value_is_kind(v, KIND_OPAQUE)) || vm->trace == NULL
               ? act(vm, v, with, 0)
               : vm->hooks->ask(vm, v, with, act);
}
// What getattr() and hasattr() say of an attribute that was found.
static inline Value otherwise_traced(Vm *vm, Value held, Value other)
{
    return LIKELY(!value_is_kind(held, KIND_OPAQUE)) || vm->trace == NULL
               ? VALUE_UNBOUND
               : vm->hooks->otherwise(vm, held, other);
}
// What `is` says, or `is not` where `holds` is false: an argument of a trace is
// the Variable that it stands for.
ALWAYS_INLINE Value value_is(Vm *vm, Value a, Value b, bool holds)
{
    bool same = value_same(a, b);
    return !same && UNLIKELY(value_stands_in(a) || value_stands_in(b))
               ? vm->hooks->same(vm, a, b, holds)
               : value_from_bool(same == holds);
}

#endif
