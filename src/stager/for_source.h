// What a staged `for` iterates over: tensors by rows, ranges with tensors as
// bounds, and zip and enumerate of such.
#ifndef DUET_STAGER_FOR_SOURCE_H
#define DUET_STAGER_FOR_SOURCE_H

#include "interp/vm_run.h"

typedef struct ForSource {
    Value count;    // of turns: an operand, owned; UNBOUND: not a `for`
    Value iterable; // a tensor or the note of a call (block_note.h), owned
} ForSource;

// Takes nothing; finds the number of turns. False with an error pending.
MUST_CHECK bool for_source_open(Vm *vm, Value iterable, ForSource *out);
// The item of turn `index` (a symbolic int32), owned.
Value for_source_item(Vm *vm, const ForSource *source, Value index);
void for_source_free(Vm *vm, ForSource *source);

#endif
