// A small model of a terminal: bytes in, cells out, so that a test compares
// what a person sees.
//
// Knows what programs of our kind send to an xterm: cursor moves, erasing,
// inserting, wrapping at the right edge, a scroll region, colours, the second
// screen, wide and combining characters. The rest is skipped.
#ifndef DUET_TESTS_SCREEN_H
#define DUET_TESTS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SCREEN_ROWS_MAX = 100,
    SCREEN_COLS_MAX = 250,
    SCREEN_ABOVE_MAX = 4000, // rows that are kept once they left the top
    CELL_TEXT_MAX = 24       // bytes of a character and its accents
};

// How a cell looks. Colours are -1 (the terminal's own) or 0 to 255.
typedef struct Look {
    int16_t fore;
    int16_t back;
    bool bold;
    bool dim;
    bool italic;
    bool underline;
    bool reverse;
} Look;

// Empty text is a cell that was erased; the right half of a wide character
// has empty text and `half`.
typedef struct Cell {
    char text[CELL_TEXT_MAX];
    Look look;
    bool half;
} Cell;

typedef struct Row {
    Cell cells[SCREEN_COLS_MAX];
    bool goes_on; // the text was wrapped into the row below
} Row;

typedef struct Screen {
    int rows, cols;
    Row *lines;     // SCREEN_ROWS_MAX of them, owned
    Row *other;     // the screen that is not shown, owned
    char **above;   // texts of rows that left at the top, each owned
    bool *above_on; // their `goes_on`
    size_t above_count;
    int row, col;    // the cursor; col == cols: the next character wraps
    int top, bottom; // the scroll region, bottom excluded
    Look look;       // of what is written next
    int saved_row, saved_col;
    bool second; // the second screen is shown (`less`, editors)
    bool insert; // characters push the rest to the right
    bool no_wrap;
    bool hidden;    // no cursor is drawn
    bool bracketed; // pastes are to be bracketed
    bool app_keys;  // arrow keys have their other codes
    int bells;
    int clears; // how often the whole screen was erased
    // The parser of what comes in.
    enum { IN_TEXT, IN_ESCAPE, IN_CHARSET, IN_CSI, IN_STRING } state;
    char csi[64]; // of the sequence being read, without ESC [
    size_t csi_length;
    char utf8[8]; // of the character being read
    size_t utf8_length;
    size_t utf8_want;
    char reply[64]; // what the terminal answers; the driver sends it
    size_t reply_length;
} Screen;

// False: no memory.
bool screen_init(Screen *screen, int rows, int cols);
void screen_free(Screen *screen);
// Rows are cut or added at the bottom, after the cursor's row was kept.
void screen_resize(Screen *screen, int rows, int cols);
void screen_write(Screen *screen, const char *bytes, size_t length);
// A row's text without blanks at its end, into `out` (room for a row).
void screen_row_text(const Screen *screen, int row, char *out);
// Rows in all so far: those above the screen and those on it.
size_t screen_line_count(const Screen *screen);
// All text from line `from` on, wrapped rows joined; malloc'ed.
char *screen_text_from(const Screen *screen, size_t from);

#endif
