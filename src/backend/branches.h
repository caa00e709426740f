// Loops over scalars that do not need each other, side by side.
//
// A loop of numbers cannot be shared among threads, but several can be: a step
// of its own stands before those that follow upon each other in a block, and
// runs them on the pool's threads. They act on registers alone: what a thread
// touches is nobody else's. One that could not be finished there, because of a
// fault, Ctrl-C or whoever else has set the interrupt flag, is left to its own
// step, which starts it anew: so errors come in program order, as ever.
#ifndef DUET_BACKEND_BRANCHES_H
#define DUET_BACKEND_BRANCHES_H

#include "backend/scalar.h"

// Puts such steps into the block, if PlanOptions.branches says so.
MUST_CHECK bool branches_find(Builder *builder, StepBlock *block);
bool step_branches(PlanRun *run, const Step *step);
// For people: how many there are side by side.
uint32_t branches_count(const Step *step);

#endif
