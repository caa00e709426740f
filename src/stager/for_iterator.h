// Sources of staged loops of which nobody knows how many items they have:
// iterators, alone or in zip and enumerate (for_source.h).
#ifndef DUET_STAGER_FOR_ITERATOR_H
#define DUET_STAGER_FOR_ITERATOR_H

#include "stager/blocks.h"

// Whether an object with __stage_items__ is the source or stands in its note.
bool for_iterator_in(Vm *vm, Value iterable);
// Whether there is another turn: all `terms` (a tuple of counts and functions)
// have an item, asked in turn while `before` (VALUE_ID_NONE: true) holds.
// Appends to the block where the trace is; VALUE_ID_NONE: failed.
ValueId for_iterator_ask(Vm *vm, Value terms, Value index, ValueId before,
                         GraphPlace place);

#endif
