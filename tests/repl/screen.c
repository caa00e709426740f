// The terminal's model. A sequence that is not known is skipped whole, so the
// worst it does is to be missing from the picture.
#include "screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { TAB_WIDTH = 8, PARAMS_MAX = 16, LOOK_DEFAULT = -1 };

static const Look plain = {.fore = LOOK_DEFAULT, .back = LOOK_DEFAULT};

// All rows that a window may ever have are there from the start, so a change
// of size moves none.
bool screen_init(Screen *s, int rows, int cols)
{
    *s = (Screen){.rows = rows, .cols = cols, .bottom = rows, .look = plain};
    s->lines = calloc(SCREEN_ROWS_MAX, sizeof *s->lines);
    s->other = calloc(SCREEN_ROWS_MAX, sizeof *s->other);
    s->above = calloc(SCREEN_ABOVE_MAX, sizeof *s->above);
    s->above_on = calloc(SCREEN_ABOVE_MAX, sizeof *s->above_on);
    return s->lines != NULL && s->other != NULL && s->above != NULL &&
           s->above_on != NULL;
}

void screen_free(Screen *s)
{
    for (size_t i = 0; i < s->above_count; i++) {
        free(s->above[i]);
    }
    free(s->above);
    free(s->above_on);
    free(s->lines);
    free(s->other);
}

// A row whose end is erased no longer goes on in the next.
static void clear_cells(Screen *s, int row, int from, int to)
{
    for (int col = from; col < to && col < SCREEN_COLS_MAX; col++) {
        // The background goes on over what is erased, as in xterm.
        s->lines[row].cells[col] =
            (Cell){.look = {.fore = LOOK_DEFAULT, .back = s->look.back}};
    }
    if (to >= s->cols) {
        s->lines[row].goes_on = false;
    }
}

// Cells that were never written look like blanks.
void screen_row_text(const Screen *s, int row, char *out)
{
    size_t length = 0;
    size_t end = 0; // behind the last character that is no blank
    for (int col = 0; col < s->cols; col++) {
        const Cell *cell = &s->lines[row].cells[col];
        if (cell->half) {
            continue;
        }
        const char *text = cell->text[0] == '\0' ? " " : cell->text;
        strcpy(out + length, text);
        length += strlen(text);
        if (strcmp(text, " ") != 0) {
            end = length;
        }
    }
    out[end] = '\0';
}

// Keeps the top row's text before it goes. A store that is full takes no more:
// no session of ours is that long.
static void keep_top(Screen *s)
{
    if (s->above_count == SCREEN_ABOVE_MAX) {
        return;
    }
    char text[SCREEN_COLS_MAX * CELL_TEXT_MAX + 1];
    screen_row_text(s, 0, text);
    s->above_on[s->above_count] = s->lines[0].goes_on;
    s->above[s->above_count++] = strdup(text);
}

// Only rows that leave the whole screen are kept, as terminals do: what a
// region scrolls away is gone.
static void scroll_up(Screen *s, int top)
{
    if (top == 0 && !s->second) {
        keep_top(s);
    }
    memmove(&s->lines[top], &s->lines[top + 1],
            (size_t)(s->bottom - top - 1) * sizeof *s->lines);
    clear_cells(s, s->bottom - 1, 0, SCREEN_COLS_MAX);
}

// The bottom row of the region is lost.
static void scroll_down(Screen *s, int top)
{
    memmove(&s->lines[top + 1], &s->lines[top],
            (size_t)(s->bottom - top - 1) * sizeof *s->lines);
    clear_cells(s, top, 0, SCREEN_COLS_MAX);
}

// At the bottom of the region it scrolls; below the region it stops at the
// edge.
static void line_feed(Screen *s)
{
    if (s->row + 1 == s->bottom) {
        scroll_up(s, s->top);
    } else if (s->row + 1 < s->rows) {
        s->row++;
    }
}

// Accents join the character before them, which may be wide.
static void put_accent(Screen *s, const char *text)
{
    int col = s->col > 0 ? s->col - 1 : 0;
    Cell *cell = &s->lines[s->row].cells[col];
    if (cell->half && col > 0) {
        cell--;
    }
    if (strlen(cell->text) + strlen(text) < CELL_TEXT_MAX) {
        strcat(cell->text, text);
    }
}

// A character that does not fit wraps first: the cursor may stand behind the
// last column until then, as on a real terminal.
static void put_character(Screen *s, const char *text, int width)
{
    if (s->col + width > s->cols) {
        if (s->no_wrap) {
            s->col = s->cols - width;
        } else {
            s->lines[s->row].goes_on = true;
            s->col = 0;
            line_feed(s);
        }
    }
    Cell *cells = s->lines[s->row].cells;
    if (s->insert) {
        memmove(cells + s->col + width, cells + s->col,
                (size_t)(s->cols - s->col - width) * sizeof *cells);
    }
    // Half of a wide character cannot stay.
    if (cells[s->col].half && s->col > 0) {
        cells[s->col - 1].text[0] = '\0';
    }
    Cell *cell = &cells[s->col];
    *cell = (Cell){.look = s->look};
    strcpy(cell->text, text);
    if (width == 2) {
        cell[1] = (Cell){.look = s->look, .half = true};
    }
    s->col += width;
    if (s->col < s->cols && cells[s->col].half) {
        cells[s->col] = (Cell){.look = plain};
    }
}

// A whole character has come.
static void put_utf8(Screen *s)
{
    s->utf8[s->utf8_length] = '\0';
    wchar_t wide = 0;
    mbstate_t state = {0};
    size_t used = mbrtowc(&wide, s->utf8, s->utf8_length, &state);
    bool broken = used == (size_t)-1 || used == (size_t)-2;
    int width = broken ? 1 : wcwidth(wide);
    const char *text = broken || width < 0 ? "\xEF\xBF\xBD" : s->utf8;
    if (width == 0) {
        put_accent(s, text);
    } else {
        put_character(s, text, width == 2 ? 2 : 1);
    }
    s->utf8_length = s->utf8_want = 0;
}

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

// Out of the screen is at its edge. A pending wrap is forgotten.
static void move_to(Screen *s, int row, int col)
{
    s->row = clamp(row, 0, s->rows - 1);
    s->col = clamp(col, 0, s->cols - 1);
}

// What is not listed is not shown.
static void control(Screen *s, char byte)
{
    switch (byte) {
    case '\r': s->col = 0; break;
    case '\n':
    case '\v':
    case '\f': line_feed(s); break;
    case '\b': s->col = clamp(s->col, 1, s->cols) - 1; break;
    case '\t':
        s->col = clamp((s->col / TAB_WIDTH + 1) * TAB_WIDTH, 0, s->cols - 1);
        break;
    case '\a': s->bells++; break;
    case '\033': s->state = IN_ESCAPE; break;
    default: break;
    }
}

// The second screen begins empty and keeps nothing of what leaves it.
static void swap_screens(Screen *s, bool second)
{
    if (s->second == second) {
        return;
    }
    Row *lines = s->lines;
    s->lines = s->other;
    s->other = lines;
    s->second = second;
    if (second) {
        s->saved_row = s->row;
        s->saved_col = s->col;
        for (int row = 0; row < SCREEN_ROWS_MAX; row++) {
            clear_cells(s, row, 0, SCREEN_COLS_MAX);
        }
    } else {
        move_to(s, s->saved_row, s->saved_col);
    }
}

// Modes without `?` are ANSI's, of which only insert mode matters.
static void set_mode(Screen *s, int mode, bool private, bool on)
{
    if (!private) {
        s->insert = mode == 4 ? on : s->insert;
        return;
    }
    switch (mode) {
    case 1: s->app_keys = on; break;
    case 7: s->no_wrap = !on; break;
    case 25: s->hidden = !on; break;
    case 47:
    case 1047:
    case 1049: swap_screens(s, on); break;
    case 2004: s->bracketed = on; break;
    default: break;
    }
}

// 38;5;N and 48;5;N, and with 2 the nearest of the sixteen is not sought: all
// true colours count as 255. How many parameters were used up.
static int set_deep_colour(const int *params, int count, int16_t *colour)
{
    if (count >= 3 && params[1] == 5) {
        *colour = (int16_t)params[2];
        return 3;
    }
    *colour = 255;
    return count >= 5 ? 5 : count;
}

// Looks add up until they are reset.
static void set_look(Screen *s, const int *params, int count)
{
    for (int i = 0; i < count; i++) {
        int p = params[i];
        Look *look = &s->look;
        switch (p) {
        case 0: *look = plain; break;
        case 1: look->bold = true; break;
        case 2: look->dim = true; break;
        case 3: look->italic = true; break;
        case 4: look->underline = true; break;
        case 7: look->reverse = true; break;
        case 22: look->bold = look->dim = false; break;
        case 23: look->italic = false; break;
        case 24: look->underline = false; break;
        case 27: look->reverse = false; break;
        case 38:
            i += set_deep_colour(params + i, count - i, &look->fore) - 1;
            break;
        case 48:
            i += set_deep_colour(params + i, count - i, &look->back) - 1;
            break;
        case 39: look->fore = LOOK_DEFAULT; break;
        case 49: look->back = LOOK_DEFAULT; break;
        default:
            if (p >= 30 && p < 38) {
                look->fore = (int16_t)(p - 30);
            } else if (p >= 40 && p < 48) {
                look->back = (int16_t)(p - 40);
            } else if (p >= 90 && p < 98) {
                look->fore = (int16_t)(p - 90 + 8);
            }
        }
    }
}

// Nothing moves; the cursor stays where it is.
static void erase_screen(Screen *s, int what)
{
    int from = what == 0 ? s->row + 1 : 0;
    int to = what == 1 ? s->row : s->rows;
    for (int row = from; row < to; row++) {
        clear_cells(s, row, 0, SCREEN_COLS_MAX);
    }
    if (what == 0) {
        clear_cells(s, s->row, s->col, SCREEN_COLS_MAX);
    } else if (what == 1) {
        clear_cells(s, s->row, 0, s->col + 1);
    }
    s->clears += what >= 2;
}

static void erase_line(Screen *s, int what)
{
    clear_cells(s, s->row, what == 0 ? s->col : 0,
                what == 1 ? s->col + 1 : SCREEN_COLS_MAX);
}

// ICH and DCH: the rest of the row moves to the right or to the left.
static void shift_cells(Screen *s, int count, bool right)
{
    Cell *cells = s->lines[s->row].cells;
    int col = clamp(s->col, 0, s->cols - 1);
    count = clamp(count, 0, s->cols - col);
    size_t kept = (size_t)(s->cols - col - count) * sizeof *cells;
    if (right) {
        memmove(cells + col + count, cells + col, kept);
        clear_cells(s, s->row, col, col + count);
    } else {
        memmove(cells + col, cells + col + count, kept);
        clear_cells(s, s->row, s->cols - count, s->cols);
    }
}

// More than a screen of it is no different from a screen.
static void repeat_scroll(Screen *s, int count, int top, bool up)
{
    for (int i = 0; i < count && i < s->rows; i++) {
        if (up) {
            scroll_up(s, top);
        } else {
            scroll_down(s, top);
        }
    }
}

// A terminal of the simplest kind.
static void answer(Screen *s, int what, bool attributes)
{
    int length = 0;
    if (attributes) {
        length = snprintf(s->reply, sizeof s->reply, "\033[?1;2c");
    } else if (what == 6) {
        length = snprintf(s->reply, sizeof s->reply, "\033[%d;%dR", s->row + 1,
                          clamp(s->col, 0, s->cols - 1) + 1);
    }
    s->reply_length = (size_t)length;
}

// Cursor moves; false: `last` is none.
static bool csi_move(Screen *s, char last, const int *params, int first)
{
    int col = clamp(s->col, 0, s->cols - 1);
    switch (last) {
    case 'A': move_to(s, s->row - first, col); return true;
    case 'B':
    case 'e': move_to(s, s->row + first, col); return true;
    case 'C':
    case 'a': move_to(s, s->row, col + first); return true;
    case 'D': move_to(s, s->row, col - first); return true;
    case 'E': move_to(s, s->row + first, 0); return true;
    case 'F': move_to(s, s->row - first, 0); return true;
    case 'G':
    case '`': move_to(s, s->row, first - 1); return true;
    case 'd': move_to(s, first - 1, col); return true;
    case 'H':
    case 'f':
        move_to(s, first - 1, (params[1] == 0 ? 1 : params[1]) - 1);
        return true;
    default: return false;
    }
}

// A region that makes no sense is not set.
static void csi_region(Screen *s, const int *params)
{
    int top = params[0] == 0 ? 0 : params[0] - 1;
    int bottom = params[1] == 0 ? s->rows : params[1];
    if (top < bottom && bottom <= s->rows) {
        s->top = top;
        s->bottom = bottom;
        move_to(s, 0, 0);
    }
}

// Most counts are 1 when they are missing or 0; those of erasing are not.
static void csi_run(Screen *s, char last, const int *params, int count,
                    bool private)
{
    int first = params[0] == 0 ? 1 : params[0]; // a count of 0 means 1
    if (csi_move(s, last, params, first)) {
        return;
    }
    switch (last) {
    case 'J': erase_screen(s, params[0]); break;
    case 'K': erase_line(s, params[0]); break;
    case '@': shift_cells(s, first, true); break;
    case 'P': shift_cells(s, first, false); break;
    case 'X': clear_cells(s, s->row, s->col, s->col + first); break;
    case 'L': repeat_scroll(s, first, s->row, false); break;
    case 'M': repeat_scroll(s, first, s->row, true); break;
    case 'S': repeat_scroll(s, first, s->top, true); break;
    case 'T': repeat_scroll(s, first, s->top, false); break;
    case 'm': set_look(s, params, count); break;
    case 'r': csi_region(s, params); break;
    case 'n':
    case 'c': answer(s, params[0], last == 'c'); break;
    case 'h':
    case 'l':
        for (int i = 0; i < count; i++) {
            set_mode(s, params[i], private, last == 'h');
        }
        break;
    default: break;
    }
}

// The parameters are in s->csi; `last` ended the sequence.
static void csi_end(Screen *s, char last)
{
    int params[PARAMS_MAX + 1] = {0};
    int count = 0;
    s->csi[s->csi_length] = '\0';
    bool private = s->csi[0] != '\0' && strchr("?>=<", s->csi[0]) != NULL;
    const char *at = s->csi + private;
    while (count < PARAMS_MAX) {
        params[count++] = (int)strtol(at, NULL, 10);
        at = strpbrk(at, ";:");
        if (at == NULL) {
            break;
        }
        at++;
    }
    // `ESC [ > … m` and the like set what this terminal does not have.
    if (!private || s->csi[0] == '?') {
        csi_run(s, last, params, count, private);
    }
    s->state = IN_TEXT;
}

// One byte behind ESC says what follows.
static void in_escape(Screen *s, char byte)
{
    s->state = IN_TEXT;
    switch (byte) {
    case '[':
        s->state = IN_CSI;
        s->csi_length = 0;
        break;
    case ']':
    case 'P':
    case '_':
    case '^': s->state = IN_STRING; break;
    case '(':
    case ')':
    case '#': s->state = IN_CHARSET; break;
    case '7':
        s->saved_row = s->row;
        s->saved_col = s->col;
        break;
    case '8': move_to(s, s->saved_row, s->saved_col); break;
    case 'D': line_feed(s); break;
    case 'E':
        s->col = 0;
        line_feed(s);
        break;
    case 'M':
        if (s->row == s->top) {
            scroll_down(s, s->top);
        } else if (s->row > 0) {
            s->row--;
        }
        break;
    default: break;
    }
}

// A byte that cannot go on with the character before it begins a new one.
static void in_text(Screen *s, char byte)
{
    unsigned char unsigned_byte = (unsigned char)byte;
    if (unsigned_byte < 0x20 || unsigned_byte == 0x7F) {
        control(s, byte);
        return;
    }
    if ((unsigned_byte & 0xC0) != 0x80) { // the first of a character
        s->utf8_length = 0;
        s->utf8_want = unsigned_byte < 0x80   ? 1
                       : unsigned_byte < 0xE0 ? 2
                       : unsigned_byte < 0xF0 ? 3
                                              : 4;
    }
    s->utf8[s->utf8_length++] = byte;
    if (s->utf8_length >= s->utf8_want) {
        put_utf8(s);
    }
}

// Byte by byte: a sequence may be cut anywhere by the reads.
void screen_write(Screen *s, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char byte = bytes[i];
        switch (s->state) {
        case IN_TEXT: in_text(s, byte); break;
        case IN_ESCAPE: in_escape(s, byte); break;
        case IN_CHARSET: s->state = IN_TEXT; break;
        case IN_STRING:
            // Ends with BEL, or with ESC and a backslash.
            s->state = byte == '\a'     ? IN_TEXT
                       : byte == '\033' ? IN_CHARSET
                                        : IN_STRING;
            break;
        case IN_CSI:
            if (byte >= 0x40 && byte <= 0x7E) {
                csi_end(s, byte);
            } else if (byte < 0x20 && byte > 0) {
                control(s, byte); // is done in the middle of a sequence
            } else if (s->csi_length + 1 < sizeof s->csi) {
                s->csi[s->csi_length++] = byte;
            }
            break;
        }
    }
}

// Rows are not wrapped anew, as xterm does not.
void screen_resize(Screen *s, int rows, int cols)
{
    // The rows that no longer fit go out at the top, as far as the cursor
    // stands below the new bottom.
    s->top = 0;
    s->bottom = s->rows;
    while (s->row >= rows) {
        scroll_up(s, 0);
        s->row--;
    }
    for (int row = s->rows; row < rows; row++) {
        clear_cells(s, row, 0, SCREEN_COLS_MAX);
    }
    for (int row = 0; row < rows; row++) {
        clear_cells(s, row, cols, SCREEN_COLS_MAX);
    }
    s->rows = rows;
    s->cols = cols;
    s->bottom = rows;
    s->col = clamp(s->col, 0, cols);
}

size_t screen_line_count(const Screen *s)
{
    return s->above_count + (size_t)s->rows;
}

// NULL without memory.
char *screen_text_from(const Screen *s, size_t from)
{
    char row[SCREEN_COLS_MAX * CELL_TEXT_MAX + 1];
    size_t size = 1;
    char *text = calloc(1, 1);
    for (size_t i = from; text != NULL && i < screen_line_count(s); i++) {
        bool goes_on;
        if (i < s->above_count) {
            strcpy(row, s->above[i]);
            goes_on = s->above_on[i];
        } else {
            screen_row_text(s, (int)(i - s->above_count), row);
            goes_on = s->lines[i - s->above_count].goes_on;
        }
        strcat(row, goes_on ? "" : "\n");
        size_t more = strlen(row);
        char *bigger = realloc(text, size + more);
        if (bigger == NULL) {
            free(text);
            return NULL;
        }
        text = bigger;
        memcpy(text + size - 1, row, more + 1);
        size += more;
    }
    return text;
}
