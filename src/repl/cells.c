// Percent scripts, as Jupytext and editors write them.
//
// A cell keeps the file's line numbers, so that a traceback points where an
// editor would. What stands before the first mark is a cell too. A line that is
// a command of the prompt parts the code in front of it from what follows.
#include <string.h>

#include "base/strbuf.h"
#include "interp/core/raise.h"
#include "repl/command.h"
#include "repl/entry.h"
#include "repl/script.h"
#include "stager/stager.h"

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

// Whether a line may follow what stands from `text` on: inside brackets or a
// string it belongs to the code, whatever it begins with. False with an error
// pending: no memory.
static bool is_complete(Ctx *ctx, const char *text, const char *end)
{
    StrBuf code;
    strbuf_init(&code, ctx);
    strbuf_add(&code, text, (size_t)(end - text));
    if (!strbuf_ok(&code)) {
        return false;
    }
    bool complete = entry_status(ctx, strbuf_text(&code)) != PARSE_INCOMPLETE;
    ctx_clear(ctx);
    strbuf_free(&code);
    return complete;
}

static bool starts_command(const char *line, const char *end)
{
    return line < end && (*line == '%' || *line == '!');
}

// `%%time` takes the rest of the cell with it, as in other notebooks.
static const char *command_end(const char *text, const char *end)
{
    return end - text > 1 && text[1] == '%' ? end : next_line(text, end);
}

bool cells_next_part(Ctx *ctx, const char *text, const char *end,
                     CellPart *part)
{
    if (text == end) {
        return false;
    }
    *part = (CellPart){.text = text, .command = starts_command(text, end)};
    const char *at =
        part->command ? command_end(text, end) : next_line(text, end);
    while (!part->command && at < end && !ctx_failed(ctx) &&
           !(starts_command(at, end) && is_complete(ctx, text, at))) {
        at = next_line(at, end);
    }
    if (ctx_failed(ctx)) {
        return false;
    }
    part->length = (size_t)(at - text);
    for (const char *c = text; c < at; c++) {
        part->lines += *c == '\n';
    }
    return true;
}

// False: it failed, which has been reported.
static bool run_command(Session *session, const CellPart *part)
{
    // Compared are programs: what a command tells is not theirs.
    if (stager_of(session->vm)->listener != NULL) {
        return true;
    }
    StrBuf text;
    strbuf_init(&text, &session->vm->ctx);
    strbuf_add(&text, part->text, part->length);
    session->status = SESSION_OK;
    if (!strbuf_ok(&text)) {
        session_report(session);
    } else {
        (void)command_run(session, strbuf_text(&text));
    }
    strbuf_free(&text);
    return session->status == SESSION_OK;
}

// What fails ends its cell. False: it failed.
static bool run_cell(Session *session, const char *name, const char *text,
                     const char *end, uint32_t line)
{
    CellPart part;
    bool passed = true;
    while (passed && !session->exiting &&
           cells_next_part(&session->vm->ctx, text, end, &part)) {
        session->quiet = ends_in_semicolon(text, text + part.length);
        passed = part.command
                     ? run_command(session, &part)
                     : session_run_text(session, name, part.text, part.length,
                                        line, RUN_INTERACTIVE);
        text += part.length;
        line += part.lines;
    }
    if (vm_has_error(session->vm)) {
        session_report(session);
        return false;
    }
    return passed;
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
        all_passed &= run_cell(session, name, cell, text, first_line);
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
