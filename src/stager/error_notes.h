// Notes that an error gets on its way out of a trace or a run: what staging has
// to do with it.
#ifndef DUET_STAGER_ERROR_NOTES_H
#define DUET_STAGER_ERROR_NOTES_H

#include "stager/concrete.h"

// The pending error ended this trace: says so, and what the trace knows that
// host code was not told.
void error_notes_traced(Vm *vm, const EventLog *events,
                        const TraceRequest *request);
// The pending error ended a run: an `except` of the function's does not act.
void error_notes_run(Vm *vm, const EventLog *events);
// The pending error is of a node of a graph that was read from a text or a
// file, which has this place ("file:7 x = x + b") and no code.
void error_notes_read(Vm *vm, const char *place);

#endif
