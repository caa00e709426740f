// Generators: a suspended frame as an object.
//
// The registers stand in the object for good; while it runs, its frame points
// at them.
#ifndef DUET_INTERP_OBJECTS_ITERATORS_OBJ_GENERATOR_H
#define DUET_INTERP_OBJECTS_ITERATORS_OBJ_GENERATOR_H

#include "interp/objects/classes/obj_function.h"

typedef enum GeneratorState {
    GENERATOR_NEW,       // has not run yet
    GENERATOR_SUSPENDED, // stands behind a YIELD
    GENERATOR_RUNNING,
    GENERATOR_DONE // its registers hold nothing any more
} GeneratorState;

// What a C loop does with the plain items of a generator. take() gets each
// item in the midst of the machine: it takes it (true, the reference too), or
// leaves it to the loop (false, nothing has changed). It may neither fail nor
// run code of the program, which would find the generator running.
typedef struct Sink Sink;
struct Sink {
    bool (*take)(Vm *vm, Sink *sink, Value item);
};

typedef struct Generator {
    Object head;
    Function *function;
    uint32_t word; // where it goes on
    GeneratorState state;
    Value result;         // what it returned, UNBOUND: not (yet)
    ValueVec handled;     // exceptions that it is handling while suspended
    Str *name, *qualname; // that a program gave it; NULL: the function's
    Sink *sink;           // of the C loop that runs it; NULL: none
    Value owner;       // R[-1] of its frame: itself while an instruction runs
                       // it, else UNBOUND
    Value registers[]; // as many as the code wants
} Generator;

// A generator of a function whose bound parameters stand in window (moved
// out). NULL: failed; the window is released then too.
MUST_CHECK Generator *generator_new(Vm *vm, Function *function, Value *window);
// The next item, owned; VALUE_STOP when it returned; VALUE_FAIL. `sent` is
// borrowed and must be None at first.
Value generator_send(Vm *vm, Generator *generator, Value sent);
// As value_next, of any iterator. The items of a generator go to the sink as
// long as that takes them, without leaving the machine: what comes back is the
// first that it left, or the end.
Value generator_feed(Vm *vm, Value iterator, Sink *sink);
// Raises what throw(type, value, traceback) was given where it stands, those
// left out UNBOUND, all borrowed. As generator_send.
Value generator_throw(Vm *vm, Generator *generator, const Value given[3]);
// Makes what throw() was given the pending error. False: it is none, which is
// the pending error then (generator_methods.c).
MUST_CHECK bool generator_raise_given(Vm *vm, const Value given[3]);
// GeneratorExit where it stands. False with an error pending.
MUST_CHECK bool generator_close(Vm *vm, Generator *generator);
// What `yield from` takes its items from while it is suspended there; borrowed.
// UNBOUND: it stands at no `yield from`.
Value generator_delegate(const Generator *generator);
// Resuming and suspending are in generator_resume.h; this is the rare part.
// Moves what it was handling onto the Vm's list of handled exceptions. False:
// failed, nothing has changed.
MUST_CHECK bool generator_take_handled(Vm *vm, Generator *generator);
// The converse: all from place `from` on go with the generator. False: failed,
// and the Vm's list is unchanged.
MUST_CHECK bool generator_keep_handled(Vm *vm, Generator *generator,
                                       uint32_t from);
// Its frame is gone, with `result` (taken) or with an error (VALUE_FAIL).
void generator_finish(Vm *vm, Generator *generator, Value result);
// What it returned, moved out; None if that was asked before.
Value generator_result(Generator *generator);

// The name that it shows, borrowed.
static inline Str *generator_qualname(const Generator *g)
{
    return g->qualname != NULL ? g->qualname : g->function->qualname;
}

// The rows of its type (generator_methods.c), which end with a NULL name.
extern const NativeDef generator_methods[];
extern const MemberDef generator_members[];

#endif
