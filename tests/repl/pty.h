// A program at a pseudo-terminal, with a keeper in front of it that does what
// a shell does: gives it the terminal, notices that it stopped, continues it.
//
// Nothing here sleeps for a guess. Whether the program waits for a key is
// seen, not assumed: the terminal gives single keys, none is left unread, and
// the program sleeps.
#ifndef DUET_TESTS_PTY_H
#define DUET_TESTS_PTY_H

#include <sys/types.h>
#include <termios.h>

#include "screen.h"

typedef struct Pty {
    Screen screen;
    int master;      // the terminal's side; -1 when hung up
    int slave;       // the program's side, for questions only
    int keeper_link; // to the keeper: 'f' continues the program
    pid_t keeper;
    pid_t child; // the program
    bool running;
    bool stopped;
    int status;            // as $? gives it, once it ended
    struct termios before; // the terminal's modes before the start
} Pty;

// Starts argv[0] with the environment of the caller. False after a message.
bool pty_start(Pty *pty, char **argv, int rows, int cols);
// Kills what still runs.
void pty_end(Pty *pty);
// Takes in what the program prints within `ms`. False: nothing came.
bool pty_read(Pty *pty, int ms);
bool pty_write(Pty *pty, const char *bytes, size_t length);
// Waits for a key now; it has printed all it wanted.
bool pty_idle(Pty *pty);
// Runs an entry, or a program that reads whole lines: keys are not its own.
bool pty_cooked(const Pty *pty);
// The modes are those from before the start.
bool pty_restored(const Pty *pty);
void pty_resize(Pty *pty, int rows, int cols);
void pty_continue(Pty *pty);
void pty_hang_up(Pty *pty);
// Milliseconds of a clock that only goes forward.
long pty_now(void);

#endif
