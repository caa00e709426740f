// Percent scripts, as Jupytext and editors write them.
//
// A cell keeps the file's line numbers, so that a traceback points where an
// editor would. What stands before the first mark is a cell too.
#include <string.h>

#include "repl/script.h"

static const char cell_mark[] = "# %%";

// At the start of a line only; the rest of the line is a title.
static bool starts_cell(const char *line, const char *end)
{
    size_t length = sizeof cell_mark - 1;
    return (size_t)(end - line) >= length &&
           memcmp(line, cell_mark, length) == 0;
}

// The start of the line after this one, or `end`.
static const char *next_line(const char *line, const char *end)
{
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    return newline == NULL ? end : newline + 1;
}

// A cell whose last character is a semicolon keeps its value to itself.
static bool ends_in_semicolon(const char *cell, const char *end)
{
    while (end > cell && strchr(" \t\n", end[-1]) != NULL) {
        end--;
    }
    return end > cell && end[-1] == ';';
}

// A cell that fails does not end the run, as in a notebook; sys.exit does. All
// cells share the session's names.
bool cells_run(Session *session, const char *name, const char *text,
               size_t length)
{
    const char *end = text + length;
    bool all_passed = true;
    session->cells = true;
    uint32_t line_number = 1;
    while (text < end && !session->exiting) {
        const char *cell = text;
        uint32_t first_line = line_number;
        // The first line belongs to the cell whatever it is, so every turn
        // moves on.
        do {
            text = next_line(text, end);
            line_number++;
        } while (text < end && !starts_cell(text, end));
        session->quiet = ends_in_semicolon(cell, text);
        all_passed &=
            session_run_text(session, name, cell, (size_t)(text - cell),
                             first_line, RUN_INTERACTIVE);
        // Output shows cell by cell; if it cannot be written, the rest is not
        // run.
        if (!session->exiting && !session_flush(session)) {
            session_report(session);
            return false;
        }
    }
    session->quiet = session->cells = false;
    if (!session->exiting) {
        session->status = all_passed ? SESSION_OK : SESSION_ERROR;
    }
    return all_passed;
}
