// Variables that turns of a staged loop need not set, and that are read behind
// such turns: what an earlier turn left is the loop's state, with a flag beside
// it that says whether there was one.
//
// The first trace of the body finds them. In the next one each turn begins with
// a late value (notes.h): who reads that appends eager code's error for the
// case that the flag is false.
#ifndef DUET_STAGER_LOOP_CARRIED_H
#define DUET_STAGER_LOOP_CARRIED_H

#include "stager/loops.h"

// One such variable; block->before has its value before the loop, or what has
// its type and nobody reads.
typedef struct CarriedPlace {
    uint32_t place;
    Value turned; // whether it was set before the loop: False, or a symbolic
                  // bool; owned
} CarriedPlace;

void loop_carried_free(Vm *vm, StagedBlock *block);
// The program reads a local of the frame that has no value, or need not have:
// loops around that place carry it.
void loop_carried_ask(Vm *vm, const Frame *frame, const Str *name);
// Whether what a turn of the loop leaves in a local is read behind it, or by a
// turn of a loop around it.
bool loop_carried_wanted(const StagedBlock *block, const BlockPlace *place);
// Whether what the value holds could have other names, so that no copy can be
// put together of a loop's state.
bool loop_carried_shares(Vm *vm, Value v);
// Whether the place is such a variable. -1: failed.
int loop_carried_opens(Vm *vm, StagedBlock *block, uint32_t i);
// The leaf of its flag, when its other leaves are made.
MUST_CHECK bool loop_carried_flag(Vm *vm, StagedBlock *block, uint32_t i);
// Whether it was set before the loop, owned.
Value loop_carried_before(const StagedBlock *block, uint32_t i);
// The variable has the value, which is taken, when it is read; `turned` (taken)
// says whether that is so; False: it has none.
MUST_CHECK bool loop_carried_show(Vm *vm, const LoopWalk *walk, uint32_t i,
                                  Value value, Value turned);
// A variable that had no value before the loop: 1: it is carried in the next
// trace of the body; 0: there is no need; -1: failed.
int loop_carried_find(Vm *vm, StagedBlock *block, uint32_t i,
                      const LoopWalk *walk, Value after);
// Notes that a turn sets the variable, which had no value before the loop.
MUST_CHECK bool loop_note_gone(Vm *vm, const LoopWalk *walk, Value after);
// What the turn left of one that is carried.
MUST_CHECK bool loop_carried_take(Vm *vm, StagedBlock *block, uint32_t i,
                                  LoopWalk *walk, Value after);

#endif
