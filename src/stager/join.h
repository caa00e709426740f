// The join of an `if`.
#ifndef DUET_STAGER_JOIN_H
#define DUET_STAGER_JOIN_H

#include "stager/blocks.h"

// Both sides have been traced: the block's places and the containers that it
// changed have their merged values from here on.
MUST_CHECK bool join_sides(Vm *vm, Frame *frame, StagedBlock *block);

#endif
