// Gradients of many seeds at once: what a gradient rule emits is done to all
// rows of the gradients, as jacobians want it.
//
// Invariant: a value with rows has one more axis, in front, than what the rule
// sees of it; a rule's own numbers and the forward values have none.
#ifndef DUET_TAPE_TAPE_ROWS_H
#define DUET_TAPE_TAPE_ROWS_H

#include "interp/tensors/tensor_emit.h"

typedef struct RowsEmit {
    Emit emit;     // first: an Emit * is a RowsEmit *
    HostEmit host; // does the work
    int64_t rows;
    VEC(EmitValue) known; // which values have rows
    bool refused;         // an op that is done row by row alone
} RowsEmit;

void tape_rows_init(RowsEmit *emit, Vm *vm, int64_t rows);
void tape_rows_free(RowsEmit *emit);
// From here on the value has rows.
MUST_CHECK bool tape_rows_note(RowsEmit *emit, EmitValue value);
// The value with rows, equal ones if it had none; NULL: failed or refused.
EmitValue tape_rows_of(RowsEmit *emit, EmitValue value);

#endif
