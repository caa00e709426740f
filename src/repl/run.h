// What the command line asked for, from the making of a Vm to its end.
#ifndef DUET_REPL_RUN_H
#define DUET_REPL_RUN_H

#include "repl/args.h"

// Runs the program or the prompt; the exit status.
int run_program(const Args *args);

#endif
