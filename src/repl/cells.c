// Percent scripts, as Jupytext and editors write them.
//
// A cell keeps the file's line numbers, so that a traceback points where an
// editor would. What stands before the first mark is a cell too.
#include <string.h>

#include "repl/script.h"

static const char cell_mark[] = "# %%";

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

bool cells_run(Session *session, const char *name, const char *text,
               size_t length)
{
    const char *end = text + length;
    bool all_passed = true;
    uint32_t line_number = 1;
    while (text < end && !session->exiting) {
        const char *cell = text;
        uint32_t first_line = line_number;
        do {
            text = next_line(text, end);
            line_number++;
        } while (text < end && !starts_cell(text, end));
        all_passed &= session_run_text(session, name, cell,
                                       (size_t)(text - cell), first_line,
                                       RUN_INTERACTIVE);
        if (!session->exiting && !session_flush(session)) {
            session_report(session);
            return false;
        }
    }
    if (!session->exiting) {
        session->status = all_passed ? SESSION_OK : SESSION_ERROR;
    }
    return all_passed;
}
