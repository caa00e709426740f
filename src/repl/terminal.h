// What is known of the terminal: whether there is one, its size, colours.
#ifndef DUET_REPL_TERMINAL_H
#define DUET_REPL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct TerminalSize {
    int rows, columns;
} TerminalSize;

// Of the terminal that standard output or standard error is, else 24 × 80.
TerminalSize terminal_size(void);
// Whether the descriptor is a terminal that can move its cursor.
bool terminal_can_draw(int descriptor);
// The same, and the user has not asked for no colours (NO_COLOR).
bool terminal_has_colour(int descriptor);
// Shows the text through $PAGER ("less -R") and waits until it has been read.
// False: there is no pager that runs, and nothing was shown.
bool terminal_page(const char *text, size_t length);

#endif
