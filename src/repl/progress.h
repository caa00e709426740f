// The line on standard error about work that takes long.
//
// A thread of its own draws it, so that it moves whatever the program does; it
// touches nothing of the Vm. What is known of rounds the Vm's thread tells it
// (progress_look, progress_turn). A line is drawn only where the cursor stands
// at the start of one, and taken away before anything else is written there.
#ifndef DUET_REPL_PROGRESS_H
#define DUET_REPL_PROGRESS_H

#include "repl/session.h"

// Work begins and ends: one entry of the prompt. Nothing is drawn in the first
// second, nor where standard error is no terminal. Calls with a session that
// has no line are fine.
void progress_begin(Session *session);
void progress_end(Session *session);
// Before the process ends: stops the thread.
void progress_free(Session *session);

// Around a write to the terminal: takes the line away, and says what the last
// byte was. No other thread draws between the two.
void progress_before(Session *session);
// Ends what progress_before began.
void progress_after(Session *session, char last);
// Nothing is drawn while something else has the terminal.
void progress_pause(Session *session, bool on);

// On INTERRUPT_TICK: looks how far the outermost loop of the entry is.
void progress_look(Session *session);
// A loop of a graph, which counts where no loop of the entry is seen.
void progress_graph_turn(Session *session, int64_t done, int64_t total);
// A loop that counts its rounds itself; `done` < 0: it has ended.
void progress_turn(Session *session, int64_t done, int64_t total);

#endif
