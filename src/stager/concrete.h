// One trace of a function: its graph, its plan, and the shape of its result.
#ifndef DUET_STAGER_CONCRETE_H
#define DUET_STAGER_CONCRETE_H

#include "backend/exec.h"
#include "stager/signature.h"
#include "stager/stager.h"

typedef struct Concrete {
    Object head;
    Graph *graph;     // counted
    Plan *plan;       // counted
    Value result;     // the result with symbolic tensors where outputs go
    Str *name;        // the function's, counted
    uint32_t *cells;  // for each of the graph's Variables which argument it
                      // is, CONCRETE_CAPTURED: none
    ValueVec objects; // owned: what the key knows by address
    uint64_t hits;    // runs
} Concrete;

#define CONCRETE_CAPTURED UINT32_MAX

// What symbolic tensors hold a count on.
typedef struct TraceOwner {
    Object head;
    Graph *graph; // counted
} TraceOwner;

// Traces host(*bound), tensors being symbolic. `number` counts the function's
// traces. NULL with an error pending, which then names function and trace.
MUST_CHECK Concrete *concrete_new(Vm *vm, Value host, Str *name,
                                  const Bound *bound,
                                  const Signature *signature, size_t number);
// Runs the graph on the call's tensors and Variables.
Value concrete_run(Vm *vm, Concrete *concrete, const Signature *signature);

extern const TypeDef concrete_type_def, trace_owner_type_def;
extern const HostTable stage_print_table; // stage_print.c

#endif
