// How far a loop is.
#ifndef DUET_REPL_ROUNDS_H
#define DUET_REPL_ROUNDS_H

#include "interp/core/vm.h"

typedef struct Rounds {
    int64_t done;     // -1: no loop, or one that does not say
    int64_t total;    // -1: unknown
    int64_t first;    // `done` when the loop was first seen,
    int64_t start;    // and when that was, in milliseconds
    const Code *code; // whose loop it is, and where; to know it again. Borrowed
    uint32_t word;    // and never looked into
} Rounds;

#define ROUNDS_NONE ((Rounds){.done = -1, .total = -1})

// Looks at the outermost `for` over a range, list or tuple of the outermost
// frame at module level. `now` in milliseconds.
void rounds_look(Vm *vm, Rounds *rounds, int64_t now);

#endif
