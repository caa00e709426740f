// The startup file: what a person wants to have at each prompt.
#ifndef DUET_REPL_STARTUP_H
#define DUET_REPL_STARTUP_H

#include "repl/session.h"

// Runs $XDG_CONFIG_HOME/duet/startup.duet (else ~/.config/duet/startup.duet)
// in the session, if it is there. An error in it is reported, and the prompt
// comes all the same.
void startup_run(Session *session);

#endif
