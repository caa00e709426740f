// The screen follows a Layout. Escapes are those that every terminal of today
// understands; where there is none (TERM=dumb) this file is not used.
//
// Invariant: `row` is the cursor's row on the screen, counted from the first
// row that is drawn; everything moves by differences, because nobody knows
// where on the screen the entry begins.
#include "repl/redraw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/highlight.h"
#include "repl/terminal.h"

// Nothing is drawn, and the terminal is not asked anything yet.
void redraw_init(Redraw *redraw, Session *session, bool colour)
{
    *redraw = (Redraw){.session = session, .colour = colour};
    layout_init(&redraw->shown, &session->vm->ctx);
}

// The screen stays as it is.
void redraw_free(Redraw *redraw)
{
    redraw_drop_notes(redraw);
    vec_free(&redraw->session->vm->ctx, &redraw->notes);
    layout_free(&redraw->shown);
}

// Asked at each entry and at SIGWINCH. A window of one column would leave no
// room for wide characters.
static void ask_size(Redraw *redraw)
{
    TerminalSize size = terminal_size();
    redraw->rows = size.rows;
    redraw->cols = size.columns > 1 ? size.columns : 2;
}

// What is sent must be in order with what the program prints.
static void send(StrBuf *out)
{
    fflush(stdout);
    size_t at = 0;
    while (strbuf_ok(out) && at < out->length) {
        ssize_t sent = write(STDOUT_FILENO, out->text + at, out->length - at);
        if (sent <= 0) {
            break;
        }
        at += (size_t)sent;
    }
    ctx_clear(out->ctx);
    strbuf_free(out);
}

// What stood on the screen belongs to an entry that is done.
void redraw_begin(Redraw *redraw)
{
    Ctx *ctx = &redraw->session->vm->ctx;
    layout_free(&redraw->shown);
    layout_init(&redraw->shown, ctx);
    redraw->top = redraw->count = redraw->row = 0;
    redraw_drop_notes(redraw);
    ask_size(redraw);
}

// A mark and a row of blanks: in the first column they stay in that row, and
// the mark is erased; in any other they end in the next row. So nobody needs
// to know where the cursor is.
void redraw_fresh_line(Redraw *redraw)
{
    StrBuf out;
    ask_size(redraw);
    strbuf_init(&out, &redraw->session->vm->ctx);
    strbuf_puts(&out, redraw->colour ? "\033[2m\u23CE\033[0m" : "\u23CE");
    strbuf_pad(&out, ' ', (size_t)redraw->cols - 1);
    strbuf_puts(&out, "\r\033[K");
    send(&out);
}

// Moves to a row; one that is not drawn yet is made by line ends, which scroll
// at the bottom of the window. The column is 0 afterwards.
static void go_to_row(Redraw *redraw, StrBuf *out, int row)
{
    strbuf_putc(out, '\r');
    if (row < redraw->row) {
        strbuf_printf(out, "\033[%dA", redraw->row - row);
    }
    int below = redraw->count > 0 ? redraw->count - 1 : 0;
    if (row > redraw->row && redraw->row < below) {
        int down = (row < below ? row : below) - redraw->row;
        strbuf_printf(out, "\033[%dB", down);
        redraw->row += down;
    }
    while (redraw->row < row) {
        strbuf_putc(out, '\n');
        redraw->row++;
    }
    redraw->row = row;
    redraw->count = redraw->count <= row ? row + 1 : redraw->count;
}

// From the left edge, as nobody knows where the cursor was: a terminal
// differs from the next in where it stands behind a full row.
static void go_to_col(StrBuf *out, int col)
{
    strbuf_putc(out, '\r');
    if (col > 0) {
        strbuf_printf(out, "\033[%dC", col);
    }
}

// Row `index` of a layout, NULL if there is none.
static const Row *row_at(const Layout *layout, int index)
{
    return index >= 0 && (size_t)index < layout->rows.count
               ? &layout->rows.items[index]
               : NULL;
}

// By the bytes that were sent, colours included.
static bool same_row(const Layout *a, const Row *x, const Layout *b,
                     const Row *y)
{
    return x != NULL && y != NULL && x->length == y->length &&
           x->wraps == y->wraps &&
           memcmp(a->text.text + x->start, b->text.text + y->start,
                  x->length) == 0;
}

// Draws the rows of `next` that differ from what is shown. A row that the
// terminal itself wraps is followed at once by the one below, so that it
// knows the two for one line (for copying, and for a window that changes).
static void draw_rows(Redraw *redraw, StrBuf *out, const Layout *next, int top,
                      int height)
{
    bool flows = false; // the cursor stands behind a row that wraps
    for (int i = 0; i < height; i++) {
        const Row *row = row_at(next, top + i);
        // What stands on the screen in this row; nothing in a row that was
        // never used.
        const Row *old =
            i < redraw->count ? row_at(&redraw->shown, redraw->top + i) : NULL;
        if (row == NULL) {
            break;
        }
        // Rows that have not changed are not sent again, which keeps slow lines
        // from flickering.
        if (!flows && same_row(next, row, &redraw->shown, old)) {
            continue;
        }
        if (flows) {
            // The next character wraps by itself; an empty row has none.
            strbuf_puts(out, row->width == 0 ? " \r" : "");
            redraw->row = i;
            redraw->count = redraw->count <= i ? i + 1 : redraw->count;
        } else {
            go_to_row(redraw, out, i);
        }
        strbuf_add(out, next->text.text + row->start, row->length);
        // A full row has nothing to erase, and erasing at the last column would
        // take its last character.
        if (row->width < redraw->cols) {
            strbuf_puts(out, "\033[K");
        }
        flows = row->wraps && row->width == redraw->cols && i + 1 < height;
    }
}

// Rows of an entry that has become shorter.
static void erase_rest(Redraw *redraw, StrBuf *out, int height)
{
    if (height < redraw->count) {
        go_to_row(redraw, out, height);
        strbuf_puts(out, "\033[J");
        redraw->count = height;
    }
}

// The first row that is shown: it changes only when the cursor would be
// outside of the window.
static int choose_top(const Redraw *redraw, const Layout *next, int height)
{
    int last = (int)next->rows.count - height;
    // Notes are there to be read.
    bool at_end = redraw->notes.count > 0 || redraw->top > last;
    int top = at_end ? last : redraw->top;
    top = next->cursor_row < top ? next->cursor_row : top;
    top =
        next->cursor_row >= top + height ? next->cursor_row - height + 1 : top;
    return top < 0 ? 0 : top;
}

// The new picture takes the place of the old one (`next` changes hands). An
// entry that scrolls inside the window is drawn row by row like any other.
static void show(Redraw *redraw, Layout *next)
{
    StrBuf out;
    strbuf_init(&out, next->text.ctx);
    int total = (int)next->rows.count;
    int height = total < redraw->rows ? total : redraw->rows;
    int top = choose_top(redraw, next, height);
    draw_rows(redraw, &out, next, top, height);
    erase_rest(redraw, &out, height);
    redraw->top = top;
    go_to_row(redraw, &out, next->cursor_row - top);
    go_to_col(&out, next->cursor_col);
    send(&out);
    layout_free(&redraw->shown);
    redraw->shown = *next;
}

static bool lay_out(Redraw *redraw, Layout *next, const char *text,
                    size_t length, size_t cursor, size_t marks,
                    const char *message)
{
    Ctx *ctx = &redraw->session->vm->ctx;
    layout_init(next, ctx);
    uint8_t *styles = NULL;
    if (redraw->colour) {
        styles = ctx_alloc(ctx, length + 1);
        if (styles == NULL) {
            ctx_clear(ctx);
        } else {
            highlight(redraw->session, text, length, marks, styles);
        }
    }
    LayoutInput input = {.text = text,
                         .length = length,
                         .styles = styles,
                         .cursor = cursor,
                         .cols = redraw->cols,
                         .prompt = message != NULL ? message : redraw->prompt,
                         .more = redraw->more};
    bool done = layout_entry(next, &input);
    ctx_free(ctx, styles, styles == NULL ? 0 : length + 1);
    return done;
}

// Called at every key. What cannot be laid out for want of memory leaves the
// old picture.
void redraw_update(Redraw *redraw, const char *text, size_t length,
                   size_t cursor, const char *message)
{
    Layout next;
    bool done = lay_out(redraw, &next, text, length, cursor, cursor, message);
    // Notes never push the cursor's row out of the window.
    int room = redraw->rows - 1;
    for (size_t i = 0; done && i < redraw->notes.count && room > 0; i++) {
        done = layout_note(&next, redraw->notes.items[i], redraw->cols);
        room--;
    }
    if (done) {
        show(redraw, &next);
    } else {
        layout_free(&next);
    }
}

// An entry that is taller than the window is printed once as a whole, so that
// one can scroll back to all of it.
void redraw_finish(Redraw *redraw, const char *text, const char *tail)
{
    Layout next;
    size_t length = strlen(text);
    redraw_drop_notes(redraw);
    if (!lay_out(redraw, &next, text, length, length, length + 1, NULL)) {
        layout_free(&next);
        return;
    }
    StrBuf out;
    strbuf_init(&out, next.text.ctx);
    int total = (int)next.rows.count;
    // It does not fit: the whole text is written again from the top, so that it
    // can be scrolled back to.
    if (total > redraw->rows || redraw->top > 0) {
        go_to_row(redraw, &out, 0);
        strbuf_puts(&out, "\033[J");
        redraw->count = 1;
        layout_free(&redraw->shown);
        layout_init(&redraw->shown, next.text.ctx);
        redraw->top = 0;
    }
    draw_rows(redraw, &out, &next, 0, total);
    erase_rest(redraw, &out, total);
    go_to_row(redraw, &out, next.cursor_row);
    go_to_col(&out, next.cursor_col);
    strbuf_puts(&out, tail);
    // What a window that has changed left below must not mix with what comes.
    strbuf_puts(&out, "\r\n\033[J");
    // All in one write, so that no half of it is seen.
    send(&out);
    layout_free(&next);
}

// The row below is the first that others may use.
void redraw_leave(Redraw *redraw)
{
    StrBuf out;
    strbuf_init(&out, redraw->shown.text.ctx);
    go_to_row(redraw, &out, redraw->count > 0 ? redraw->count - 1 : 0);
    strbuf_puts(&out, "\r\n");
    send(&out);
}

// How many rows of the new window the rows up to the cursor's take, if the
// terminal has joined and wrapped them as its own lines. (One that has not,
// as xterm, is cleared a few rows too far up at worst.)
static int rows_above(const Redraw *redraw, int cols)
{
    int above = 0;
    int width = 0; // of the line so far
    for (int i = 0; i <= redraw->row; i++) {
        const Row *row = row_at(&redraw->shown, redraw->top + i);
        if (row == NULL) {
            break;
        }
        if (i == redraw->row) {
            int col = width + redraw->shown.cursor_col;
            return above + col / cols;
        }
        width += row->width;
        if (!row->wraps) {
            above += width == 0 ? 1 : (width + cols - 1) / cols;
            width = 0;
        }
    }
    return above;
}

// All is drawn again from the first row: where the terminal has put the old
// rows is only guessed, so none of them is kept.
void redraw_resize(Redraw *redraw)
{
    Ctx *ctx = redraw->shown.text.ctx;
    ask_size(redraw);
    int above = rows_above(redraw, redraw->cols);
    above = above < redraw->rows ? above : redraw->rows - 1;
    StrBuf out;
    strbuf_init(&out, ctx);
    strbuf_putc(&out, '\r');
    if (above > 0) {
        strbuf_printf(&out, "\033[%dA", above);
    }
    strbuf_puts(&out, "\033[J");
    send(&out);
    layout_free(&redraw->shown);
    layout_init(&redraw->shown, ctx);
    redraw->top = redraw->count = redraw->row = 0;
}

// The rows above go to where the terminal keeps what was scrolled away, or
// are lost: as in a shell.
void redraw_clear_screen(Redraw *redraw)
{
    StrBuf out;
    strbuf_init(&out, redraw->shown.text.ctx);
    strbuf_puts(&out, "\033[H\033[2J");
    send(&out);
    redraw_begin(redraw);
}

// A note that finds no memory is not shown.
void redraw_note(Redraw *redraw, const char *text)
{
    char *copy = strdup(text);
    Ctx *ctx = &redraw->session->vm->ctx;
    if (copy != NULL && !vec_push(ctx, &redraw->notes, copy)) {
        free(copy);
        ctx_clear(ctx);
    }
}

// The rows go at the next drawing.
void redraw_drop_notes(Redraw *redraw)
{
    for (size_t i = 0; i < redraw->notes.count; i++) {
        free(redraw->notes.items[i]);
    }
    redraw->notes.count = 0;
}
