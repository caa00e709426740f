// Gives back what starting has touched and waiting does not need.
#ifndef DUET_REPL_TRIM_H
#define DUET_REPL_TRIM_H

// Drops the program's and its libraries' code from this process's memory; what
// is called again comes back from the system's cache by itself. Nothing that
// can be observed changes, and no failure matters.
void trim_code(void);

#endif
