// What a screen shows: its text, where the cursor is, how characters look.
#ifndef DUET_TESTS_LOOK_H
#define DUET_TESTS_LOOK_H

#include "screen.h"

// The whole screen, a line a row, blank rows at the end left out; malloc'ed.
char *look_text(const Screen *screen);
// The cursor's row is `text`, in which a mark (U+2038) stands for the cursor.
bool look_cursor(const Screen *screen, const char *text);
// All cells from (row, col) on have each of the looks ("bold+red"), for as
// long as `text` is, and hold it.
bool look_at(const Screen *screen, int row, int col, const char *text,
             const char *looks);

#endif
