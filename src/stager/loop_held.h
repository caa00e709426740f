// State of a loop that its text does not name: entries, attributes and cells
// that a turn changed through a helper, a method, a closure or an alias.
//
// The first trace of the body finds them by the journal. They become places of
// the loop like those that it assigns, all is put back as it was before, and
// the body is traced again, now with params in these places.
#ifndef DUET_STAGER_LOOP_HELD_H
#define DUET_STAGER_LOOP_HELD_H

#include "stager/loops.h"

// One such place: an element of a part of a container's content (content.h).
typedef struct HeldPlace {
    Object *container; // counted
    uint32_t part;
    Value key;    // a number of a list or deque, a key, a name; UNBOUND: the
                  // part itself; owned
    Value before; // what it held before the loop; owned
    Value state;  // what the loop's state begins with, if that is of another
                  // kind; UNBOUND: `before`; owned
    bool made;    // there was no such element before the loop, and `before` is
                  // what nobody reads (loop_made.c)
    LoopSlot slot;
} HeldPlace;

// Whether the turn that was traced has left containers otherwise than the
// loop's state says: 0: it has not; 1: there are new places, the state is as it
// was before the loop, and the body is to be traced again; -1: failed.
int loop_find_held(Vm *vm, Frame *frame, StagedBlock *block);
// Whether the body may be traced once more: the host has done nothing in it
// that stays done, and the rounds are not too many.
bool loop_may_repeat(Vm *vm, const StagedBlock *block);
// Whether the place is an item of a list that is state as a whole. -1: failed.
int held_covers(Vm *vm, const StagedBlock *block, const BlockPlace *place);
// What the loop's state begins with; borrowed.
static inline Value held_state(const HeldPlace *place)
{
    return value_unbound(place->state) ? place->before : place->state;
}
// As loop_lift (loops.h).
int loop_lift_held(Vm *vm, StagedBlock *block, HeldPlace *place, Value after);
// What the place holds now: owned, VALUE_FAIL.
Value held_get(Vm *vm, const HeldPlace *place);
// Takes the value; UNBOUND: an element that is no more.
MUST_CHECK bool held_set(Vm *vm, const HeldPlace *place, Value value);
// For texts and graphs: "h", "[0]"; lies in `room`.
const char *held_name(const HeldPlace *place, char *room, size_t size);
void held_free(Vm *vm, StagedBlock *block);

// loop_made.c: whether what a turn left is the same behind the loop when it is
// put together from its tensors again: nobody else holds what of it can be
// changed. False, too, with an error pending.
bool loop_can_carry(Vm *vm, const StagedBlock *block, Value v);
// What stands for an element before the loop that a turn makes:
// UNBOUND: no state of a graph can be one; owned.
Value loop_made_before(Vm *vm, StagedBlock *block, Value after);
// Leaves for whether there was a turn before, if a turn makes an element.
MUST_CHECK bool loop_made_open(Vm *vm, StagedBlock *block);
// The containers hold what they held before the loop, so that its places can be
// shown.
MUST_CHECK bool loop_made_hide(Vm *vm, const StagedBlock *block);
// All places are shown: where there need not have been a turn, the containers
// are undecided.
MUST_CHECK bool loop_made_show(Vm *vm, const StagedBlock *block,
                               BlockPhase phase, const GraphNode *node);
// False, with an error pending: a turn need not make what another one made.
MUST_CHECK bool loop_made_take(Vm *vm, const StagedBlock *block);

#endif
