// One trace of a function: its graph, its plan, what it was traced with and
// the shape of its result.
//
// A Concrete is an object of the language (a concrete function) and counted;
// the functions below borrow it. It stays valid when its staged function has
// gone or has dropped it.
#ifndef DUET_STAGER_CONCRETE_H
#define DUET_STAGER_CONCRETE_H

#include "backend/exec.h"
#include "stager/events.h"
#include "stager/frozen.h"
#include "stager/signature.h"
#include "stager/stager.h"
#include "stager/template.h"

typedef struct StagedFunction StagedFunction; // stager/staged_fn.h
typedef struct GraphFunction GraphFunction;   // stager/graph_function.h

// The arguments' containers, if the trace changes one of them (written.h); both
// in the order of a walk over the arguments.
typedef struct Written {
    ValueVec copies;   // those that the trace worked on, as they stand in the
                       // result; owned
    ValueVec contents; // what they hold at the end, with symbolic tensors where
                       // outputs go, which are the first; UNBOUND: as before
} Written;

// Complete when concrete_new returns it; only its counters, its events and its
// place in a table change afterwards.
typedef struct Concrete {
    Object head;
    Graph *graph;  // counted
    Plan *plan;    // counted
    Plan *checked; // counted; NULL until stage.check_numerics needs it
    GraphFunction *function; // for tapes, counted; NULL: none has asked
    Value result;    // the result with symbolic tensors where outputs go
    Template layout; // of the result; empty: it has to be walked
    Value ends;      // the error in which each run ends; None: there is none
    bool shares;     // it holds an object in two places
    bool either;     // it is one of two (either.h)
    Written written;
    Value target;   // the function that was traced, owned: names parameters
    Str *name;      // the staged function's, counted
    Bound bound;    // the arguments, specs where tensors stood, Identities
                    // where objects did
    StrBuf key;     // of its signature
    StrBuf relaxed; // the key in the table of general traces, if it is there
    StrBuf looked;  // what else the trace looked at (signature_looked)
    uint32_t looks; // LOOKS_AT bits
    struct Concrete *next_general; // the next one there of the same key
    size_t variables;  // so many arguments are Variables, the graph's first
    IdentityUse *uses; // a use of each object that the key tells by identity
    size_t use_count;
    ValueVec outer; // owned: symbolic tensors of the enclosing trace that
                    // it captured, its last inputs
    uint64_t outer_serial;    // that trace's; the Concrete is good for it alone
    struct TraceOwner *owner; // counted: what tracing did outside
    Frozen frozen;            // and what it read there
    uint64_t hits;            // runs, and calls inside traces
    struct TraceTable *table; // that it is listed in, borrowed; NULL: none
    size_t place;             // there, in order of tracing
    struct Concrete *newer, *older; // there, in the order of being found
    struct Guard *guards;           // of the table: calls that run it at once
    uint32_t running;               // runs that have not ended
    size_t number;     // it is the function's trace `number`, from 1
    uint64_t trace_ns; // what the host function took while it was traced
    uint32_t line;     // of the call that traced it, 0: unknown
} Concrete;

// What symbolic tensors hold a count on, and the Concrete of their trace.
typedef struct TraceOwner {
    Object head;
    Graph *graph; // counted
    bool ended;   // the trace is over: what is left of it has leaked
    EventLog events;
} TraceOwner;

// What a trace is asked for; all borrowed.
typedef struct TraceRequest {
    StagedFunction *staged; // whose trace it is
    Value target;           // the host function to call
    Str *name;
    const Bound *bound;
    Signature *signature; // gets more of what the trace looks at
    size_t number;
    uint32_t line; // of the call, 0: unknown
} TraceRequest;

// Traces target(*bound), tensors being symbolic. NULL with an error pending,
// which then names function and trace.
MUST_CHECK Concrete *concrete_new(Vm *vm, const TraceRequest *request);
// Runs the graph on the call's tensors and Variables; inside a trace, appends
// a call of it there. The signature must be the concrete's own, of `bound`.
Value concrete_run(Vm *vm, Concrete *concrete, const Bound *bound,
                   const Signature *signature);
// The plan on the call's tensors (borrowed) and the cells of its Variables
// (NULL: no Variable is an argument). The caller holds the concrete function,
// which host code may drop. `outputs` are owned by the caller.
MUST_CHECK bool concrete_run_inputs(Vm *vm, Concrete *concrete, Tensor **inputs,
                                    VariableCell **cells, Tensor **outputs);
// The result's structure with these tensors in it; takes them. `bound` may be
// NULL where no argument is changed.
Value concrete_unpack(Vm *vm, const Concrete *concrete, const Bound *bound,
                      Tensor **outputs);
// TraceHooks.keywords.
void concrete_keywords(Vm *vm, const Function *function, Dict *keywords);
// The slot `call` of concrete functions (concrete_call.c).
Value concrete_call(Vm *vm, Value self, const Value *args, uint32_t count,
                    Tuple *keyword_names);

// What people ask of a trace (concrete_look.c): rows of the members table.
Value concrete_times(Vm *vm, Value self);
Value concrete_counts(Vm *vm, Value self);
Value concrete_optimised(Vm *vm, Value self);
Value concrete_plan(Vm *vm, Value self);
Value concrete_passes(Vm *vm, Value self);
Value concrete_profile(Vm *vm, Value self);
bool concrete_set_profile(Vm *vm, Value self, Value on);

extern const TypeDef concrete_type_def, trace_owner_type_def;
extern const HostTable host_table; // host_table.c

#endif
