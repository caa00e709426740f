// breakpoint(): a prompt inside running code, with the names of that place.
#ifndef DUET_REPL_DEBUGGER_H
#define DUET_REPL_DEBUGGER_H

#include "repl/session.h"

// The hook behind breakpoint(). Without a terminal it says where it was met
// and the code goes on. False: the user gave the program up, with an error
// pending.
MUST_CHECK bool debugger_stop(Vm *vm);

#endif
