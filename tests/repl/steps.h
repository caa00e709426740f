// What a session at a pseudo-terminal consists of: the player of a session and
// the steps that it takes.
#ifndef DUET_TESTS_STEPS_H
#define DUET_TESTS_STEPS_H

#include "pty.h"

enum {
    STEP_MAX = 8192,   // bytes of a step
    BODY_MAX = 100000, // of the `|` lines below a step
    ARGS_MAX = 32,
    TERMINALS_MAX = 4
};

// One of the terminals of a session, each with a program of its own.
typedef struct Terminal {
    Pty pty;
    bool started;
    size_t mark; // `see` looks from this line on
    bool hasty;  // the next keys do not wait for the program (after `busy`)
} Terminal;

// A session as it is played. Programs are started by the first step that needs
// them, with the size and the arguments that are set then.
typedef struct Player {
    Terminal terminals[TERMINALS_MAX];
    Terminal *now;
    int rows, cols;
    char *program;
    char *args[ARGS_MAX]; // of the next start, behind the program's name
    int arg_count;
    char *words;         // malloc'ed: what args points into, NULL at first
    char body[BODY_MAX]; // the `|` lines of this step, a line end each
    int checks;
    const char *why; // what the step that failed says
} Player;

// Takes the step that `line` names, which is cut at its first blank; the body
// is in the player. False: it failed, and player->why may say why.
bool steps_run(Player *player, char *line);

#endif
