// A result that is one of two structures, as a tensor decides.
//
// The graph yields the tensors of both, and the tensor: a call makes both and
// hands out one. Within a trace it is a tuple that no program can make, so that
// all that walks structures walks it.
#ifndef DUET_STAGER_EITHER_H
#define DUET_STAGER_EITHER_H

#include "stager/journal.h"
#include "stager/merge.h"

// What will have been left or returned, by the condition of the merge: `first`,
// or `second`, which cannot be one. As merge_values.
Value either_merge(Merge *merge, Value first, Value second);
bool either_is(Vm *vm, Value v);
// The two, borrowed from it.
const Value *either_parts(Value choice);
Value either_condition(Value choice); // borrowed
// A choice; owned.
Value either_of(Vm *vm, Value condition, Value first, Value second);
// The same choice between two others; owned.
Value either_with(Vm *vm, Value choice, Value first, Value second);
// A tensor of what may be a choice, if the trace that made it is over;
// borrowed. UNBOUND: it is not, or it is no choice.
Value either_leaked(Vm *vm, Value choice);
// What the choice is where `condition`, one bool, is known: a part of it, or
// itself; borrowed.
Value either_where(Vm *vm, Value choice, ValueId condition, bool holds);
// A new container that holds what a part of a choice does; what stands in a
// choice for it, when it has been changed. Owned.
Value either_open(Vm *vm, Value part);
Value either_shut(Vm *vm, Value part, Value container);
// What stands in a choice for a deque that holds these items, a list; owned.
Value either_queue(Vm *vm, Value deque, Value items);
// Whether the block of the running trace sees the condition of a choice.
bool either_is_seen(Vm *vm, Value choice, const GraphBlock *block);
// len() of what a choice of containers is, a tensor.
Value either_length(Vm *vm, Value choice);
// A result with choices in the places of containers that two sides left apart
// and that the block sees, but not those in the journal (NULL: none), which its
// join makes one, nor in those of `kept` (NULL: none), which stay as they are.
// *any: whether it is or holds a choice.
Value either_expand(Vm *vm, Value result, const GraphBlock *block,
                    const Journal *journal, const ValueVec *kept, bool *any);
// What a callee handed back, or is handed, within a trace, where the choices in
// it are undecided; takes it. `name` is what errors call them.
Value either_show(Vm *vm, const char *name, Value v);
// The result that the tensors in it choose; takes it.
Value either_choose(Vm *vm, Value result);

#endif
