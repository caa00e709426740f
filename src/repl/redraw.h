// Drawing an entry on the terminal, and again after each key: only rows that
// changed are sent.
//
// The entry's first row is where the cursor was at redraw_begin. An entry that
// is taller than the window is shown in part, around the cursor. Notes stand
// below the entry until the next key.
#ifndef DUET_REPL_REDRAW_H
#define DUET_REPL_REDRAW_H

#include "repl/layout.h"
#include "repl/session.h"

typedef VEC(char *) NoteVec; // each owned by malloc

typedef struct Redraw {
    Session *session;
    const char *prompt; // of the first line
    const char *more;   // of the lines below
    bool colour;
    Layout shown;   // what stands on the screen
    int top;        // its first row in the window, of all its rows
    int count;      // rows from there on that are drawn
    int row;        // where the cursor is, counted from `top`
    int rows, cols; // the window
    NoteVec notes;  // below the entry
} Redraw;

// `colour`: the terminal shows colours.
void redraw_init(Redraw *redraw, Session *session, bool colour);
void redraw_free(Redraw *redraw);
// A new entry starts at the cursor, in a row of its own.
void redraw_begin(Redraw *redraw);
// The program may have left the cursor in the middle of a line: goes to a new
// one, with a mark where the old one ends.
void redraw_fresh_line(Redraw *redraw);
// Brings the screen up to date. `message` stands for the prompt ("(i-search)
// …"), NULL: the prompt.
void redraw_update(Redraw *redraw, const char *text, size_t length,
                   size_t cursor, const char *message);
// The entry for good, without notes and marks; the cursor goes below it.
void redraw_finish(Redraw *redraw, const char *text, const char *tail);
// The window has another size: what was drawn may have been wrapped anew.
void redraw_resize(Redraw *redraw);
// Draws all of it again at the top of an empty window.
void redraw_clear_screen(Redraw *redraw);
// Leaves the cursor below the entry, for output of others; redraw_begin goes
// on from there.
void redraw_leave(Redraw *redraw);
// Adds a note (copied); notes are dropped at once by redraw_drop_notes.
void redraw_note(Redraw *redraw, const char *text);
void redraw_drop_notes(Redraw *redraw);

#endif
