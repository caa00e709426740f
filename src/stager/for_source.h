// What a staged `for` iterates over: tensors by rows, ranges with tensors as
// bounds, zip and enumerate of such, and objects with __stage_items__: that
// method runs when the loop is traced and returns how many turns there are
// (or a function that tells before each turn whether there is one) and a
// function that gives the item of a turn.
#ifndef DUET_STAGER_FOR_SOURCE_H
#define DUET_STAGER_FOR_SOURCE_H

#include "interp/machine/vm/vm_run.h"

// A loop's source while the loop is traced; the graph keeps nothing of it.
typedef struct ForSource {
    Value count;    // of turns: an operand, or a tuple of what tells whether
                    // there is a turn (for_iterator.h); owned; UNBOUND: not a
                    // `for`
    Value iterable; // a tensor, the note of a call (block_note.h) or an
                    // object's function of the turn; owned
    Value list;     // a staged list that it walks, owned; UNBOUND: none
} ForSource;

#define FOR_SOURCE_NONE                                                        \
    ((ForSource){VALUE_UNBOUND, VALUE_UNBOUND, VALUE_UNBOUND})

// Takes nothing; finds the number of turns. False with an error pending.
MUST_CHECK bool for_source_open(Vm *vm, Value iterable, ForSource *out);
// Whether there is another turn is asked before each.
bool for_source_asks(const ForSource *source);
// The item of turn `index` (a symbolic int32), owned.
Value for_source_item(Vm *vm, const ForSource *source, Value index);
// Leaves it as one that was never opened.
void for_source_free(Vm *vm, ForSource *source);

#endif
