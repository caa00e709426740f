// The graph side of a running trace: operands to graph values, tensor
// operations to nodes, nodes to symbolic tensors.
//
// Arguments are borrowed, results owned; VALUE_FAIL, VALUE_ID_NONE or false
// with an error pending.
#ifndef DUET_STAGER_TRACE_H
#define DUET_STAGER_TRACE_H

#include "base/map.h"
#include "base/vec.h"
#include "graph/graph.h"
#include "interp/tensors/obj_tensor.h"

typedef struct TraceRequest TraceRequest; // stager/concrete.h
struct BlockNote;

// A frame of the trace and where it stood.
typedef struct TraceSite {
    const Code *code; // held by the graph
    uint32_t word;
    uint32_t site; // the graph's number
} TraceSite;

// Draws of random numbers that first values of Variables have used: they have
// happened.
typedef struct Draws {
    Map places;           // the number of each below by its ValueId
    VEC(Tensor *) values; // counted; NULL: not kept
} Draws;

// A trace under way. It lies on the C stack of run_trace (concrete.c), and
// vm->trace points to the innermost one.
struct Trace {
    Object *owner;     // what symbolic tensors hold a count on; keeps `graph`
    Graph *graph;      // being built
    GraphBlock *block; // where nodes go now
    Trace *outer;      // the trace that it interrupted, NULL: none
    const TraceRequest *request; // what is traced, borrowed
    uint64_t serial;             // no other trace of this Vm has it
    uint16_t era;                // of the objects made in it (era.h)
    bool as_written;             // autograph=False: blocks stay the host's
    ValueVec outer_values; // owned: symbolic tensors of `outer` that it uses;
                           // the last so many inputs of the graph are theirs
    Map outer_inputs;      // by trace and number: the inputs of these
    struct StagedBlock *blocks; // under way, innermost first (blocks.h)
    uint64_t changes;           // stores to containers so far (journal.h)
    uint64_t effects; // those to what is older than it, and other effects on
                      // the host: what cannot be taken back
    uint64_t lasting; // of these, what the library does not do for itself:
                      // code that has one is not traced twice
    uint64_t asked;   // types of tensors that host code asked for so far
    bool restoring;   // stores are nobody's events
    bool showing;     // a loop puts its state there: no change of its own
    bool prints;      // its graph does
    bool weak;        // a number of the host's stands as a tensor in a loop,
                      // or went to a callee as one
    bool undecided;   // two sides left a container apart (poison.h)
    VEC(struct LatePrint) printed; // and waits for a loop (late_print.h)
    VEC(struct ToldFact) told;     // by conditions of blocks (maybe.h)
    bool gave_up; // the error on its way has left a staged block, or tells
                  // what sides of one could not be
    size_t look;  // with so many nodes, at loops that are unrolled (sites.h)
    VEC(struct JoinedCopy) joined; // by the joins of its blocks (journal.h)
    Object *raised;  // counted: the exception that converted code raised
                     // last inside a block; NULL: none
    Object *late;    // counted: what the graph is to raise, the last one
    bool ended;      // by `late`, in all ways that lead to where the trace is
    Object *refused; // counted: tracing's own error that a handler met last;
                     // NULL: none
    VEC(struct BlockNote) notes; // on variables without a value (notes.h)
    VEC(size_t)
    entered;                       // by depth of frames: how many there were
                                   // when the call began that runs there
    VEC(struct Birth) births;      // Variables made in it (birth.h)
    Draws draws;                   // by first values of those (birth.h)
    VEC(struct Concrete *) called; // counted: staged functions called in it
    struct EventLog *events;       // its owner's; NULL: nobody wants them
    struct Frozen *frozen;         // its Concrete's (frozen.h)
    const struct Given *given; // its arguments' containers; NULL: none, or a
                               // change of them is told (written.h)
    struct Dict *keywords;     // counted: the **kwargs of the traced function
    Frame *base;               // the traced function's, once it runs
    VEC(TraceSite)
    sites; // of the frames from there on, as they stood
           // when the last node was made
    VEC(const struct Handler *)
    managed;                   // of `with`s whose managers heed errors
    const char *scope;         // its name scope, in the graph's arena, or NULL
    Map scopes;                // names of all so far (scopes.h)
    VEC(struct TextUse) texts; // and of tensors (late_text.h)
    ValueVec stand_ins; // owned: for the Variables among the arguments, which
                        // are the graph's first ones
};

// The stand-ins for the call's Variables, before anything is traced; and their
// end: what the program keeps of them are ordinary Variables from then on.
MUST_CHECK bool trace_open_variables(Vm *vm, Trace *trace);
void trace_close_variables(Vm *vm, Trace *trace);
// The graph's number for a Variable: an argument's, or captured.
MUST_CHECK bool trace_variable(Vm *vm, Trace *trace, Variable *variable,
                               uint32_t *index);
// TraceHooks.same.
Value trace_same(Vm *vm, Value a, Value b, bool holds);
// Whether the running code is the embedded library's.
bool trace_in_library(const Vm *vm);
// The line of the program that is running, traced or not, 0: none; *source
// (borrowed) is whose it is, NULL: unknown. What the embedded library does, it
// does for the nearest line of the program.
uint32_t trace_program_line(const Vm *vm, Source **source);
// The site of the running frame in the trace's graph; GRAPH_SITE_FAILED: no
// memory.
MUST_CHECK uint32_t trace_site(Vm *vm, Trace *trace);
// Where the running code is, for the node that comes next; `trace` is the
// innermost one or encloses it.
GraphPlace trace_place(Vm *vm);
GraphPlace trace_place_in(Vm *vm, Trace *trace);
// Adds to the pending error the frames from a site of the graph out to that of
// the running code, so that it points there.
void trace_point(Vm *vm, const Graph *graph, uint32_t site);
// The node of the trace that gives the value, borrowed; NULL: none of it does.
GraphNode *trace_node(const Trace *trace, Value v);
// A symbolic tensor for a value of the trace's graph; name may be NULL.
Value trace_symbolic(Vm *vm, Trace *trace, ValueId id, const char *name);
// The value as Tapes know it: of a constant or a captured tensor that itself.
// Owned.
Value trace_followed(Vm *vm, Trace *trace, ValueId id);
// Such tensors for all outputs of a node, owned, or for none.
MUST_CHECK bool trace_outputs(Vm *vm, Trace *trace, const GraphNode *node,
                              const char *name, Value *outputs);
// Whether its own symbolic tensor can be used where the trace is: in the block
// in which it was made, and in those inside of it.
bool trace_reaches(const Trace *trace, const Symbolic *symbolic);
Value trace_learn_method(Vm *vm, Value *args);
// stage._within(range): in a trace the arange is one that refuses a limit on
// the wrong side. Gives it back.
Value trace_within_method(Vm *vm, Value *args);
// The graph's value for an operand: a symbolic one of this trace, a read of a
// Variable, or an eager tensor, captured. A symbolic tensor of an enclosing
// trace becomes an input; one of any other trace is a LeakError.
ValueId trace_operand(Vm *vm, Trace *trace, Value operand);
// TraceHooks.apply.
MUST_CHECK bool trace_apply(Vm *vm, OpCode op, const Value *inputs,
                            uint32_t input_count, const AttrValue *attrs,
                            Value *outputs, uint32_t *output_count);

#endif
