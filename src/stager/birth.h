// Variables that are made in a trace.
#ifndef DUET_STAGER_BIRTH_H
#define DUET_STAGER_BIRTH_H

#include "stager/trace.h"

// A Variable that the trace made. The count keeps it until birth_close has
// asked who else holds it.
typedef struct Birth {
    Variable *variable; // counted
    uint32_t line;      // where it was made, 0: unknown
    uint32_t site;      // the same in the trace's graph, 0: unknown
    bool aside;         // in a block of stage.once()
} Birth;

typedef VEC(Birth) Births;

// birth_value.c: the value of a symbolic tensor in this very call, owned.
Tensor *birth_evaluate(Vm *vm, Trace *trace, ValueId id);
// A draw that only first values used has happened: the graph must not repeat
// it.
MUST_CHECK bool birth_drop_draws(Vm *vm, Trace *trace);
// Lets go of the numbers that were drawn.
void birth_free_draws(Vm *vm, Draws *draws);

// Hooks (interp/hooks/tracing.h).
Tensor *birth_first_value(Vm *vm, Value initial);
MUST_CHECK bool birth_made(Vm *vm, Variable *variable);
// At the end of a trace that is complete: every Variable made in it must be
// held by something besides the staging itself, else each call would need a
// new one (ERR_VALUE). They then belong to the enclosing trace, if any.
MUST_CHECK bool birth_close(Vm *vm, Trace *trace);
// Also after a trace that failed: whatever only the trace kept goes with it.
void births_free(Vm *vm, Births *births);

#endif
