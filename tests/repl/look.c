// Questions about a screen, for the steps that check.
#include "look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURSOR_MARK "‸" // stands in `cursor` steps where the cursor is

// The whole screen's text, a line a row, blank rows at the end left out;
// malloc'ed.
char *look_text(const Screen *screen)
{
    char *text =
        calloc(1, (size_t)screen->rows * (SCREEN_COLS_MAX * 4 + 2) + 1);
    size_t length = 0;
    size_t end = 0;
    for (int row = 0; text != NULL && row < screen->rows; row++) {
        char line[SCREEN_COLS_MAX * CELL_TEXT_MAX + 1];
        screen_row_text(screen, row, line);
        length +=
            (size_t)sprintf(text + length, "%.*s\n", SCREEN_COLS_MAX * 4, line);
        end = line[0] == '\0' ? end : length;
    }
    if (text != NULL) {
        text[end] = '\0';
    }
    return text;
}

// The row is built with the mark in it, and compared without the blanks at
// its end.
bool look_cursor(const Screen *screen, const char *text)
{
    char row[(SCREEN_COLS_MAX + 1) * CELL_TEXT_MAX] = "";
    size_t end = 0;
    for (int col = 0; col <= screen->cols; col++) {
        if (col == screen->col) {
            strcat(row, CURSOR_MARK);
            end = strlen(row);
        }
        const Cell *cell = &screen->lines[screen->row].cells[col];
        if (col < screen->cols && !cell->half) {
            strcat(row, cell->text[0] == '\0' ? " " : cell->text);
            end = strchr(" ", cell->text[0]) == NULL ? strlen(row) : end;
        }
    }
    row[end] = '\0';
    return strcmp(row, text) == 0;
}

// "bold+red", "plain", "back:4", "fore:12" for one cell.
static bool has_look(const Look *look, const char *name)
{
    static const char *const colours[] = {"black", "red",     "green", "yellow",
                                          "blue",  "magenta", "cyan",  "white"};
    for (int i = 0; i < 8; i++) {
        if (strcmp(name, colours[i]) == 0) {
            return look->fore == i;
        }
    }
    if (strncmp(name, "fore:", 5) == 0) {
        return look->fore == atoi(name + 5);
    }
    if (strncmp(name, "back:", 5) == 0) {
        return look->back == atoi(name + 5);
    }
    return strcmp(name, "plain") == 0
               ? look->fore == -1 && look->back == -1 && !look->bold &&
                     !look->dim && !look->italic && !look->underline &&
                     !look->reverse
           : strcmp(name, "bold") == 0      ? look->bold
           : strcmp(name, "dim") == 0       ? look->dim
           : strcmp(name, "italic") == 0    ? look->italic
           : strcmp(name, "underline") == 0 ? look->underline
           : strcmp(name, "reverse") == 0   ? look->reverse
                                            : false;
}

// Whether all cells from `col` on have the look, for as long as `text` is.
bool look_at(const Screen *screen, int row, int col, const char *text,
             const char *looks)
{
    const Cell *cells = screen->lines[row].cells;
    while (*text != '\0') {
        size_t length = strlen(cells[col].text);
        if (strncmp(cells[col].text, text, length) != 0 || length == 0) {
            return false;
        }
        char names[64];
        snprintf(names, sizeof names, "%s", looks);
        for (char *name = strtok(names, "+"); name != NULL;
             name = strtok(NULL, "+")) {
            if (!has_look(&cells[col].look, name)) {
                return false;
            }
        }
        text += length;
        col += cells[col + 1].half ? 2 : 1;
    }
    return true;
}
