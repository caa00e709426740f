// Generators: a suspended frame as an object.
//
// While it is suspended the object holds a copy of the registers; while it
// runs they stand on the value stack alone.
#ifndef DUET_INTERP_OBJ_GENERATOR_H
#define DUET_INTERP_OBJ_GENERATOR_H

#include "interp/obj_function.h"

typedef enum GeneratorState {
    GENERATOR_NEW,       // has not run yet
    GENERATOR_SUSPENDED, // stands behind a YIELD
    GENERATOR_RUNNING,
    GENERATOR_DONE       // has no registers any more
} GeneratorState;

typedef struct Generator {
    Object head;
    Function *function;
    Value *registers;  // resume_room of them (vm_resume.h), meaningless while
                       // it runs; NULL when done
    uint32_t word;     // where it goes on
    GeneratorState state;
    Value result;      // what it returned, UNBOUND: not (yet)
    ValueVec handled;  // exceptions that it is handling while suspended
} Generator;

// A generator of a function whose bound parameters stand in window (moved
// out). NULL: failed; the window is released then too.
MUST_CHECK Generator *generator_new(Vm *vm, Function *function, Value *window);
// The next item, owned; VALUE_STOP when it returned; VALUE_FAIL. `sent` is
// borrowed and must be None at first.
Value generator_send(Vm *vm, Generator *generator, Value sent);
// Raises the pending error where it stands. As generator_send.
Value generator_throw(Vm *vm, Generator *generator);
// GeneratorExit where it stands. False with an error pending.
MUST_CHECK bool generator_close(Vm *vm, Generator *generator);
// Resuming and suspending are in vm_resume.h; of them this is the rare part.
// Moves what it was handling onto the Vm's list of handled exceptions. False:
// failed, nothing has changed.
MUST_CHECK bool generator_take_handled(Vm *vm, Generator *generator);
// The converse: all from place `from` on go with the generator. False: failed,
// and the Vm's list is unchanged.
MUST_CHECK bool generator_keep_handled(Vm *vm, Generator *generator,
                                       uint32_t from);
// Its frame is gone, with `result` (taken) or with an error (VALUE_FAIL).
void generator_finish(Vm *vm, Generator *generator, Value result);
// It stands inside a `try` or `with`: dropping it has code to run.
bool generator_wants_close(const Generator *generator);
// What it returned, moved out; None if that was asked before.
Value generator_result(Generator *generator);

#endif
