// A copy of the world: a call that runs in a process of its own, from the very
// state that the session is in, and leaves nothing behind here.
//
// Comparing eager with staged code needs both to begin alike: the same heap,
// the same names, the same random state. A copy of the process has them all.
#ifndef DUET_REPL_WORLDS_H
#define DUET_REPL_WORLDS_H

#include "repl/session.h"

// How a world is to be.
typedef struct WorldPlan {
    Value call;       // without arguments; borrowed
    bool eager;       // stage.eager(True) in it
    double seconds;   // it is ended after so many; 0: never
    const Str *input; // its standard input, borrowed
} WorldPlan;

// What became of it.
typedef struct World {
    int status;    // of the process; that of a signal is negative
    bool late;     // ended, for its time was over or it wrote without end
    StrBuf output; // what it wrote to both streams, in that order
    StrBuf report; // a line for each staged call, as far as it came
} World;

// Runs the call and waits. Finalisers of the copy run too, and count as its
// output. False with an error pending: ERR_OS (no process, no room), ERR_MEMORY
// or Ctrl-C, which ends the copy. The buffers are the caller's in any case.
MUST_CHECK bool world_run(Session *session, const WorldPlan *plan,
                          World *world);
void world_free(World *world);

#endif
