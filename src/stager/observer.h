// Who watches staged calls, and the ways in which they differ from eager ones:
// a comparison of the two (repl/worlds.h).
//
// The ways have codes, D101 to D112. What each means, with a program that shows
// it, stands in lib/duet/_codes.duet. Each is told where the thing happens,
// whether or not an output shows it.
#ifndef DUET_STAGER_OBSERVER_H
#define DUET_STAGER_OBSERVER_H

#include "stager/stager.h"

typedef enum Divergence {
    DIVERGE_EFFECT = 101, // it ran at trace only
    DIVERGE_FROZEN,       // a value that the trace had read was stored to
    DIVERGE_RETRACE,
    DIVERGE_LEAK,
    DIVERGE_ERROR,  // one that eager code has alone, or staged code
    DIVERGE_DRAWN,  // iterator, clock or host random
    DIVERGE_OBJECT, // the result is another object
    DIVERGE_NUMBER, // a host number became a tensor
    DIVERGE_SIDES,  // an effect of one side of a staged condition
    DIVERGE_ORDER,  // of output
    DIVERGE_UNROLLED,
    DIVERGE_SIZE // read as None
} Divergence;

struct CallObserver {
    // An outermost call begins, eager or not; the line of the program's that
    // makes it, `source` NULL: unknown. All borrowed.
    void (*called)(Vm *vm, const Str *function, const Source *source,
                   uint32_t line, void *data);
    // `function` NULL: no trace is under way; `what` says more, may be "".
    void (*diverged)(Vm *vm, Divergence code, const Str *function,
                     const Source *source, uint32_t line, const char *what,
                     void *data);
    // It has raised the pending error.
    void (*raised)(Vm *vm, void *data);
    void *data;
    uint32_t depth; // calls under way, one within the other
};

static inline bool observed(Vm *vm)
{
    return stager_of(vm)->observer != NULL;
}
// Tells the observer, if there is one, of the line that the program is at.
void observer_tell(Vm *vm, Divergence code, const char *what);
// The same of another line.
void observer_tell_line(Vm *vm, Divergence code, const Source *source,
                        uint32_t line, const char *what);
// A number of the host's became a tensor; of all else nothing is told.
void observer_tell_number(Vm *vm, Value v);
// Host code did something outside while tracing: `what` is a word of the
// ledger's.
void observer_tell_effect(Vm *vm, const char *what);

#endif
