// What blocks change of objects that are older than the trace.
//
// Of such an object those elements are state of a block that hold tensors of
// the trace, or that the block assigns by a path of its own; what is done with
// host values stays done, once a trace, by whichever side does it.
#ifndef DUET_STAGER_JOURNAL_OLDER_H
#define DUET_STAGER_JOURNAL_OLDER_H

#include "stager/blocks.h"

// The place by which the block itself assigns the element of a container,
// *found NULL: none. False with an error pending.
MUST_CHECK bool journal_place(Vm *vm, Frame *frame, const StagedBlock *block,
                              const Object *container, Value key,
                              const BlockPlace **found);
// Whether the journal has the container, and one that is older had the element
// to which the step leads before the block.
bool journal_had(const Journal *journal, Value container, const PathStep *step);
// At the join of an `if`: what of the container is no state of it is alike in
// what both sides left, so that merging keeps it. Nothing is done with one that
// the trace made.
MUST_CHECK bool journal_level(Vm *vm, Frame *frame, const StagedBlock *block,
                              const JournalEntry *entry);

#endif
