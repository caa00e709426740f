// The join of an `if`: one content of what both sides left in a container.
#ifndef DUET_STAGER_JOURNAL_MERGE_H
#define DUET_STAGER_JOURNAL_MERGE_H

#include "stager/merge.h"

// Whether the place, a path, lies in a container that the journal has, which is
// merged with the rest of that. -1: failed.
int journal_has_place(Vm *vm, Frame *frame, const StagedBlock *block,
                      const BlockPlace *place);
// Merges all containers of the block's journal, in place. What cannot be one is
// replaced by what says so (poison.h). Before the node is appended.
MUST_CHECK bool journal_merge(Vm *vm, Frame *frame, StagedBlock *block,
                              Merge *merge);

#endif
