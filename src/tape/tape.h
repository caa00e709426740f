// Tapes: what was done to tensors, so that gradients can be taken of it.
//
// apply() tells each op to the tapes that record (recorder.h); an entry holds
// the op with its operands and results, which live as long as the entry. Taking
// a gradient goes through the entries from the last one back and asks each op's
// rule; the rules' ops go through apply() too, so that other tapes record them,
// and in a trace they become nodes.
//
// Invariant: a tape records in the trace in which it was entered, or outside of
// all traces, and nowhere else.
#ifndef DUET_TAPE_TAPE_H
#define DUET_TAPE_TAPE_H

#include "base/arena.h"
#include "interp/hooks/recorder.h"
#include "interp/tensors/obj_tensor.h"

#define TAPE_NO_SLOT UINT32_MAX

// Something that was watched or met: a tensor, a symbolic one or a Variable.
typedef struct TapeSlot {
    Value value;  // counted: its address is its name
    size_t user;  // the number of the last entry that takes it, from 1 on
    bool tracked; // something watched flows into it
} TapeSlot;

// An operand or result of an entry.
typedef struct TapeItem {
    Value value;   // counted
    uint32_t slot; // TAPE_NO_SLOT: not tracked
} TapeItem;

// How an entry goes backwards that is no op: from the gradients of its results
// to those of its operands.
typedef struct TapeBack {
    const Value *inputs;       // the operands
    const Value *output_grads; // by result; UNBOUND: none
    const bool *output_rows;   // by result: it was of some rows, made whole
    const bool *wanted;        // by operand
    Value *so_far;      // what the operand has already, UNBOUND: none; who adds
                        // to it makes it UNBOUND
    Value *input_grads; // left UNBOUND: none; owned
    Value *input_rows;  // of which rows that is, owned; left UNBOUND: of all
} TapeBack;
typedef struct TapeEntry TapeEntry;
typedef bool (*TapeBackFn)(Vm *vm, const TapeEntry *entry,
                           const TapeBack *back);
struct TapeEntry {
    OpCode op; // whose rule is asked, if `back` is NULL
    TapeBackFn back;
    Value data;        // for `back`, counted; VALUE_UNBOUND
    AttrValue *attrs;  // in the tape's arena; NULL: the op has none
    size_t first_item; // its operands, then its results
    uint32_t input_count, output_count;
    bool twice; // two of its operands are one
};

typedef struct Tape {
    Recorder recorder;
    bool recording;  // it stands in vm->recorders
    bool persistent; // gradients can be taken more than once
    bool watches;    // trainable Variables, by itself
    bool used;       // a gradient was taken of it, and it is not persistent
    VEC(TapeSlot) slots;
    VEC(TapeItem) items;
    VEC(TapeEntry) entries;
    uint32_t *table;  // slot numbers plus 1 by value, open addressing
    size_t capacity;  // a power of two, or 0
    size_t stand_ins; // slots of what stands for a Variable among arguments
    Arena arena;      // attributes
} Tape;

// Recording. False: an error is pending, and the tape has no half entry.
MUST_CHECK bool tape_watch(Vm *vm, Tape *tape, Value operand);
// The operand is used: the tape watches it if it watches such ones by itself.
MUST_CHECK bool tape_meet(Vm *vm, Tape *tape, Value operand);
// Makes each output, a tensor, another one than the inputs and the outputs
// before it: of one that is both, a tape would count what flows through it and
// what flows past it alike. False: an error is pending; all are owned still.
MUST_CHECK bool tape_part(Vm *vm, const Value *inputs, size_t count,
                          Value *outputs, uint32_t results);
// On all tapes that record here: what has a way back of its own.
MUST_CHECK bool tape_record_back(Vm *vm, TapeBackFn back, Value data,
                                 const Value *inputs, uint32_t input_count,
                                 const Value *outputs, uint32_t output_count);
// Whether one stands for an argument of a trace, and the other one may be the
// Variable that it stands for, as far as types tell. Who asks which one it is
// (value_meant) makes the trace one of that Variable.
bool tape_may_mean_one(Value a, Value b);
// Whether a Tape that records here has met the operand.
bool tape_follows(Vm *vm, Value v);
// The operand's slot, TAPE_NO_SLOT if it was never met.
uint32_t tape_find(const Tape *tape, Value v);
// Begins and ends recording; both may be asked twice.
void tape_start(Vm *vm, Tape *tape);
void tape_stop(Vm *vm, Tape *tape);
void tape_clear(Vm *vm, Tape *tape);
// Lets go of all but the Variables that were watched or met.
MUST_CHECK bool tape_keep_variables(Vm *vm, Tape *tape);

// The gradients of the sum of the targets' elements, each times its seed
// (UNBOUND: ones), with respect to the sources; UNBOUND where a source has no
// part in it. `gradients` are owned, and so are `rows`: UNBOUND, or an int
// vector, and the gradient is zeros but for these rows of the source, to which
// what stands in `gradients` is to be added in turn.
// A Variable as a target is what it holds now.
// `many`: 0, or how many seeds each target has, along an axis in front of its
// own, which the gradients then have too. False without an error: something on
// the way goes back for one seed alone.
MUST_CHECK bool tape_gradient(Vm *vm, Tape *tape, const Value *targets,
                              const Value *seeds, uint32_t target_count,
                              const Value *sources, uint32_t source_count,
                              int64_t many, Value *gradients, Value *rows);

// obj_tape.c
extern const TypeDef tape_type_def;
extern const NativeDef gradient_functions[]; // ends with a NULL name

#endif
