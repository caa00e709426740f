// What a trace shows by the places in which its nodes were made: a `try` whose
// handler cannot act, since its operations run later, and loops that host code
// turned.
#ifndef DUET_STAGER_SITES_H
#define DUET_STAGER_SITES_H

#include "interp/objects/code/code.h"
#include "stager/trace.h"

enum {
    SITES_TURNS = 50,  // a loop that turned less often is no news
    SITES_LOOK = 10000 // turns that are told while they go on
};

// When the trace is complete: EVENT_PASSED for each handler, EVENT_UNROLL for
// each loop. `count` is how often it turned, the value how many nodes it made.
void sites_tell(Vm *vm, const Trace *trace);
// The trace has `look` nodes: people are told of a loop that turns and turns.
void sites_look(Vm *vm, Trace *trace);
// Whether the pending error stays one of the trace, though the program's code
// met it: nothing that a run could raise.
bool sites_fatal(Vm *vm);
// The pending error stays one of the trace whatever it is, when a `finally` or
// `with` raises it again, too.
void sites_refuse(Vm *vm, Trace *trace);
// Whether the pending error is one of tracing alone: eager code might not raise
// it.
bool sites_refused(Vm *vm);
// A handler of the frame is about to get the pending error: EVENT_HANDLER where
// that is one of tracing alone.
void sites_caught(Vm *vm, const Frame *frame, const Handler *handler);
// A node is about to be made in the frame, at this word: of each `with` around
// it the trace remembers whether its manager does something about errors.
MUST_CHECK bool sites_enter(Vm *vm, Trace *trace, const Frame *frame,
                            uint32_t word);
// Whether the instruction stands in a `try`: in one of its handlers' parts.
bool sites_in_try(const Code *code, uint32_t word);
// The graph is to raise at this site: EVENT_PASSED for a `try` around it, in
// that frame; its node tells those of the callers.
void sites_raised(Vm *vm, const Trace *trace, uint32_t site);
// What a trace keeps of sites.
void sites_free(Vm *vm, Trace *trace);

#endif
