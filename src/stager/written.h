// Arguments that a trace changes: a list, dict, set or dataclass that a call
// gives is changed as eager code changes it, when the graph has run.
//
// A trace works on copies of its arguments' containers. Those that it leaves
// changed are further results of the graph, which a call writes into its own
// containers; in its result these stand where the trace's copies do. A
// container is known by its place in a walk over the arguments, which a
// signature fixes.
#ifndef DUET_STAGER_WRITTEN_H
#define DUET_STAGER_WRITTEN_H

#include "stager/concrete.h"

// The containers of a call, inner ones first. Zero; owned.
typedef struct Given {
    ValueVec containers;
    ValueVec contents; // what they hold (content.h); from written_close on each
                       // that has changed itself, UNBOUND: it has not
    VEC(size_t) arguments; // which argument each stands in
} Given;

// Before the function runs on `bound`, which holds its copies.
MUST_CHECK bool written_open(Vm *vm, const Bound *bound, Given *given);
// After it. False with an error pending, also for what cannot be given back.
MUST_CHECK bool written_close(Vm *vm, const TraceRequest *request, Given *given,
                              Concrete *concrete);
void written_free(Vm *vm, Given *given);
// The trace stores into a container: of an argument it is told, since a call
// that fails afterwards leaves the caller's as it was.
void written_note(Vm *vm, Trace *trace, const Object *container);

// Before a call with `bound` runs: whether what the trace changes can be
// changed there.
MUST_CHECK bool written_fits(Vm *vm, const Concrete *concrete,
                             const Bound *bound);
// The result of a call with `bound`, whose leaves are given by `leaf`; what the
// trace changes is changed there. Owned; VALUE_FAIL.
Value written_unpack(Vm *vm, const Concrete *concrete, const Bound *bound,
                     LeafFn leaf, void *data);

#endif
