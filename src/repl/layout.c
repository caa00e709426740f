// Rows from text. Invariant: a row is never wider than the window, so the
// terminal wraps nowhere but where we say.
#include "repl/layout.h"

#include <string.h>

#include "base/utf8.h"
#include "repl/highlight.h"

enum { LAYOUT_TAB = 8 };

// The place that is written to.
// Lives for one call. Text and rows go to the layout; `row` is added to it when
// it is full.
typedef struct Pen {
    Layout *layout;
    const LayoutInput *input;
    Row row;     // the row that is being built
    int origin;  // columns of the line in rows above, for tabs
    Style style; // that the terminal has now
    bool ok;
} Pen;

// An empty layout has no rows, and its cursor is nowhere.
void layout_init(Layout *layout, Ctx *ctx)
{
    *layout = (Layout){.cursor_row = -1, .cursor_col = -1};
    strbuf_init(&layout->text, ctx);
}

void layout_free(Layout *layout)
{
    vec_free(layout->text.ctx, &layout->rows);
    strbuf_free(&layout->text);
}

// A character's columns and what is shown for it: control characters as ^X,
// bytes that are no UTF-8 as the replacement character.
// `out` has room for LAYOUT_TAB bytes and a zero. `column` is where it will
// stand, for tabs. 0 columns: a mark that joins the character before.
static int show(const char *text, size_t length, size_t *taken, char *out,
                int column)
{
    uint32_t codepoint;
    *taken = utf8_decode(text, length, &codepoint);
    if (*taken == 0 || (codepoint >= 0xD800 && codepoint < 0xE000)) {
        *taken = *taken == 0 ? 1 : *taken;
        strcpy(out, "\xEF\xBF\xBD");
        return 1;
    }
    if (codepoint == '\t') {
        int width = LAYOUT_TAB - column % LAYOUT_TAB;
        memset(out, ' ', (size_t)width);
        out[width] = '\0';
        return width;
    }
    // Controls show as ^A: they must not reach the terminal.
    if (codepoint < 0x20 || codepoint == 0x7F) {
        out[0] = '^';
        out[1] = (char)(codepoint ^ 0x40);
        out[2] = '\0';
        return 2;
    }
    // The other controls, of two bytes, would be obeyed by some terminals.
    if (codepoint >= 0x80 && codepoint < 0xA0) {
        strcpy(out, "\xEF\xBF\xBD");
        return 1;
    }
    memcpy(out, text, *taken);
    out[*taken] = '\0';
    return utf8_width(codepoint);
}

// A style is sent only when it changes. Everything is reset first: the
// styles are bundles of attributes, and none lists what it is not.
// Without styles in the input no colour is sent at all.
static void set_style(Pen *pen, Style style)
{
    if (pen->style == style || pen->input->styles == NULL) {
        return;
    }
    StrBuf *text = &pen->layout->text;
    strbuf_puts(text, pen->style == STYLE_PLAIN ? "" : "\033[0m");
    if (style != STYLE_PLAIN) {
        strbuf_printf(text, "\033[%sm", highlight_sgr(style));
    }
    pen->style = style;
}

// The style is taken up again in the next row, because each row may be sent
// without the one before it.
// `wraps`: the text goes on in the next row; otherwise a line ended.
static void end_row(Pen *pen, bool wraps)
{
    Style style = pen->style;
    set_style(pen, STYLE_PLAIN); // each row can be sent alone
    Layout *layout = pen->layout;
    pen->row.length = layout->text.length - pen->row.start;
    pen->row.wraps = wraps;
    pen->ok = pen->ok && strbuf_ok(&layout->text) &&
              vec_push(layout->text.ctx, &layout->rows, pen->row);
    pen->origin = wraps ? pen->origin + pen->row.width : 0;
    pen->row = (Row){.start = layout->text.length};
    if (wraps) {
        set_style(pen, style);
    }
}

// Characters that do not fit go to the next row, whole.
// A character wider than a row stands alone in it; layout_entry cuts tabs
// before.
static void put(Pen *pen, const char *shown, int width, Style style)
{
    if (pen->row.width + width > pen->input->cols) {
        end_row(pen, true);
    }
    set_style(pen, style);
    strbuf_puts(&pen->layout->text, shown);
    pen->row.width += width;
}

// In a window of a few columns the prompt would leave no room for text; so
// much of it goes.
static void put_prompt(Pen *pen, const char *prompt)
{
    size_t length = strlen(prompt);
    // Never more than half of a narrow window.
    while (layout_width(prompt, length) > pen->input->cols / 2) {
        length--;
        while ((prompt[length] & 0xC0) == 0x80) {
            length--; // no half of a character
        }
    }
    set_style(pen, STYLE_PROMPT);
    strbuf_add(&pen->layout->text, prompt, length);
    pen->row.width = layout_width(prompt, length);
    pen->origin = -pen->row.width; // tabs count from the text's start
}

// Called in front of the character that the cursor stands on, or at the end
// of the text.
// Rows and columns count from 0.
static void mark_cursor(Pen *pen)
{
    // Behind the last column there is no place: it goes to the next row.
    if (pen->row.width >= pen->input->cols) {
        end_row(pen, true);
    }
    pen->layout->cursor_row = (int)pen->layout->rows.count;
    pen->layout->cursor_col = pen->row.width;
}

// The cursor stands in front of the character at its offset, in the row where
// that character will be. An accent stays with the character before it.
// *at moves behind the character. A cursor in the middle of one counts as in
// front of it.
static void put_character(Pen *pen, size_t *at)
{
    const LayoutInput *input = pen->input;
    char shown[LAYOUT_TAB + 1];
    size_t taken;
    int width = show(input->text + *at, input->length - *at, &taken, shown,
                     pen->origin + pen->row.width);
    if (width > input->cols) {
        width = input->cols; // a tab in a window of a few columns
        shown[width] = '\0';
    }
    if (pen->row.width + width > input->cols) {
        end_row(pen, true);
    }
    if (*at <= input->cursor && input->cursor < *at + taken) {
        mark_cursor(pen);
    }
    put(pen, shown, width,
        input->styles == NULL ? STYLE_PLAIN : (Style)input->styles[*at]);
    *at += taken;
}

// Row for row as the terminal will show them. An empty entry has one row,
// with its prompt.
// False: no memory, and the layout is of no use. Rows are appended to those
// that are there.
bool layout_entry(Layout *layout, const LayoutInput *input)
{
    Pen pen = {.layout = layout, .input = input, .ok = true};
    pen.row.start = layout->text.length;
    put_prompt(&pen, input->prompt);
    for (size_t at = 0; at < input->length && pen.ok;) {
        if (input->text[at] != '\n') {
            put_character(&pen, &at);
            continue;
        }
        if (at == input->cursor) {
            mark_cursor(&pen);
        }
        end_row(&pen, false);
        put_prompt(&pen, input->more);
        at++;
    }
    if (layout->cursor_row < 0) {
        mark_cursor(&pen);
    }
    end_row(&pen, false);
    ctx_clear(layout->text.ctx);
    return pen.ok && strbuf_ok(&layout->text);
}

// The length of the escape sequence that `text` begins with, 0: none.
// CSI sequences alone, which is what colours are made of. One that is cut off
// takes all that is left.
static size_t escape_length(const char *text, size_t length)
{
    if (length < 2 || text[0] != '\033' || text[1] != '[') {
        return 0;
    }
    size_t at = 2;
    while (at < length && (text[at] < 0x40 || text[at] > 0x7E)) {
        at++;
    }
    return at < length ? at + 1 : length;
}

// For texts of one line, as prompts and notes are.
// In columns.
int layout_width(const char *text, size_t length)
{
    int width = 0;
    for (size_t at = 0; at < length;) {
        char shown[LAYOUT_TAB + 1];
        size_t taken = escape_length(text + at, length - at);
        if (taken == 0) {
            width += show(text + at, length - at, &taken, shown, width);
        }
        at += taken;
    }
    return width;
}

// A note takes one row, whatever its length: the entry below which it stands
// is what matters.
// False: no memory. What does not fit is cut off.
bool layout_note(Layout *layout, const char *text, int cols)
{
    Row row = {.start = layout->text.length};
    size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        char shown[LAYOUT_TAB + 1];
        // Colours have no width.
        size_t taken = escape_length(text + at, length - at);
        if (taken > 0) {
            strbuf_add(&layout->text, text + at, taken);
        } else {
            int width = show(text + at, length - at, &taken, shown, row.width);
            if (row.width + width > cols) {
                break;
            }
            strbuf_puts(&layout->text, shown);
            row.width += width;
        }
        at += taken;
    }
    if (strchr(text, '\033') != NULL) {
        strbuf_puts(&layout->text, "\033[0m"); // it may have been cut off
    }
    row.length = layout->text.length - row.start;
    bool ok = strbuf_ok(&layout->text) &&
              vec_push(layout->text.ctx, &layout->rows, row);
    ctx_clear(layout->text.ctx);
    return ok;
}
