// Pasted texts. A walk over quotes and brackets tells which lines begin
// inside a string; the text may be of any kind, so nothing is parsed.
#include "repl/paste.h"

#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "repl/entry.h"

enum { PASTE_TAB = 8, PASTE_TAB_ALONE = 4 };

typedef struct PastedLine {
    const char *text; // without its line end
    size_t length;
    bool in_string; // begins inside a string
    int indent;     // columns of blanks in front
    size_t blanks;  // bytes of them
} PastedLine;

typedef VEC(PastedLine) Lines;

// Whether text[0 .. length) ends inside a string.
typedef struct Quotes {
    char quote; // of the open string, NUL: none
    bool triple;
} Quotes;

// Follows the quotes through a line; a string in single quotes ends with it,
// but for a backslash at its end.
// Prefixes of strings (r, f, b) are not looked at: a backslash before a quote
// keeps it from ending the string in raw ones as well.
static void follow(Quotes *state, const char *text, size_t length)
{
    size_t at = 0;
    bool joined = false;
    while (at < length) {
        char byte = text[at];
        size_t left = length - at;
        joined = false;
        if (state->quote == '\0' && byte == '#') {
            break;
        }
        bool three = (byte == '"' || byte == '\'') && left >= 3 &&
                     text[at + 1] == byte && text[at + 2] == byte;
        if (byte == '\\' && state->quote != '\0') {
            joined = left == 1;
            at++;
        } else if (state->quote == '\0' && (byte == '"' || byte == '\'')) {
            *state = (Quotes){byte, three};
            at += three ? 2 : 0;
        } else if (byte == state->quote && (!state->triple || three)) {
            at += state->triple ? 2 : 0;
            state->quote = '\0';
        }
        at++;
    }
    // A text in single quotes ends with its line, closed or not.
    if (!state->triple && !joined) {
        state->quote = '\0';
    }
}

// Line ends as '\n'; no control characters but tabs.
// A terminal may send "\r" for each line end; escape sequences that were copied
// along lose their first byte and with it their effect.
static void normalise(StrBuf *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte == '\r') {
            strbuf_putc(out, '\n');
            i += i + 1 < length && text[i + 1] == '\n';
        } else if (byte == '\n' || byte == '\t' ||
                   (byte >= 0x20 && byte != 0x7F)) {
            strbuf_putc(out, (char)byte);
        }
    }
}

// The length of a prompt that the line begins with, 0: none. `...` alone is
// an empty line of a session. A number in brackets: IPython's.
// `line` stands behind the session's own margin.
static size_t prompt_length(const char *line, size_t length)
{
    static const char *const prompts[] = {">>> ", "... ", "> ", ". "};
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        size_t size = strlen(prompts[i]);
        if (length >= size && memcmp(line, prompts[i], size) == 0) {
            return size;
        }
        if (length == size - 1 && memcmp(line, prompts[i], length) == 0) {
            return length;
        }
    }
    // IPython's: "In [1]: " and "   ...: ".
    size_t at = 0;
    while (at < length && line[at] == ' ') {
        at++;
    }
    if (length - at >= 5 && memcmp(line + at, "...: ", 5) == 0) {
        return at + 5;
    }
    if (length - at == 4 && memcmp(line + at, "...:", 4) == 0) {
        return at + 4;
    }
    if (length < 7 || memcmp(line, "In [", 4) != 0) {
        return 0;
    }
    at = 4;
    while (at < length && isdigit((unsigned char)line[at])) {
        at++;
    }
    return length - at >= 3 && memcmp(line + at, "]: ", 3) == 0 ? at + 3 : 0;
}

// A line that is typed after output, and not the rest of an entry.
// "... " and ". " only go on with an entry.
static bool starts_entry(const char *line)
{
    return strncmp(line, ">>>", 3) == 0 || line[0] == '>' ||
           strncmp(line, "In [", 4) == 0;
}

// One prompt is taken off each line; what has none is output, and goes.
// Lines of output are dropped with all that is in them, tracebacks too.
void paste_take_prompts(StrBuf *out, const char *text)
{
    size_t margin = strspn(text, " "); // the session may be indented
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        size_t skip = strspn(text, " ");
        skip = skip < margin ? skip : margin;
        const char *line = text + skip;
        size_t prompt = prompt_length(line, length - skip);
        if (prompt > 0) {
            strbuf_add(out, line + prompt, length - skip - prompt);
            strbuf_putc(out, '\n');
        }
        text += length + (text[length] == '\n');
    }
}

// `> ` begins no line of Duet, and neither do the other prompts: a text that
// begins so was copied from a session.
// Only the first line is looked at: output may stand anywhere behind it.
bool paste_is_session(const char *text)
{
    text += strspn(text, " ");
    size_t length = strcspn(text, "\n");
    return starts_entry(text) && prompt_length(text, length) > 0;
}

// Columns of the blanks in front of a line. Tabs count as everywhere, unless
// the text indents with tabs alone.
// *blanks is the number of bytes that make these columns.
static int measure(const char *text, size_t length, int tab, size_t *blanks)
{
    int column = 0;
    size_t at = 0;
    for (; at < length && (text[at] == ' ' || text[at] == '\t'); at++) {
        column += text[at] == '\t' ? tab - column % tab : 1;
    }
    *blanks = at;
    return column;
}

// Whether some line is indented by a blank: tabs are then eight columns wide.
static bool has_blank_indent(const char *text)
{
    return text[0] == ' ' || strstr(text, "\n ") != NULL;
}

// `state`: the quotes that are open where the text goes. False with an error
// pending.
// The lines borrow `text`, which must live as long as they do.
static bool split(Ctx *ctx, Lines *lines, const char *text, Quotes state)
{
    int tab = has_blank_indent(text) ? PASTE_TAB : PASTE_TAB_ALONE;
    for (;;) {
        PastedLine line = {.text = text, .length = strcspn(text, "\n")};
        line.in_string = state.quote != '\0';
        line.indent = measure(text, line.length, tab, &line.blanks);
        follow(&state, text, line.length);
        if (!vec_push(ctx, lines, line)) {
            return false;
        }
        text += line.length;
        if (*text++ == '\0') {
            return true;
        }
    }
}

// The least indentation of the lines from `first` on that have text; -1: none
// has.
// Lines inside a string and empty ones have no say.
static int least_indent(const Lines *lines, size_t first)
{
    int least = -1;
    for (size_t i = first; i < lines->count; i++) {
        const PastedLine *line = &lines->items[i];
        if (!line->in_string && line->blanks < line->length &&
            (least < 0 || line->indent < least)) {
            least = line->indent;
        }
    }
    return least;
}

// How far all lines but the first move, when the first goes where the line
// has `room` blanks already. A first line without indentation was copied from
// its middle on if the others have theirs: then they are right.
// Below 0: to the left.
static int shift_of(const Lines *lines, int room)
{
    int first = lines->items[0].indent;
    int rest = least_indent(lines, 1);
    if (first > 0) {
        return room - first;
    }
    return rest < 0 || rest >= room ? 0 : room;
}

// A line of blanks alone becomes an empty one.
// `indent` in columns, all blanks afterwards.
static void put_line(StrBuf *out, const PastedLine *line, int indent)
{
    if (line->blanks < line->length) {
        strbuf_pad(out, ' ', indent > 0 ? (size_t)indent : 0);
    }
    strbuf_add(out, line->text + line->blanks, line->length - line->blanks);
}

// Lines that begin inside a string are part of its value and stay as they
// are.
// alone: nothing but blanks stands before the cursor in its line.
static void put_lines(StrBuf *out, const Lines *lines, int room, bool alone)
{
    // Into the middle of a line the text goes as it is.
    int shift = alone ? shift_of(lines, room) : 0;
    int least = least_indent(lines, 0);
    // Nothing is moved beyond the margin.
    shift = least >= 0 && lines->items[0].indent > 0 && least + shift < 0
                ? -least
                : shift;
    for (size_t i = 0; i < lines->count; i++) {
        const PastedLine *line = &lines->items[i];
        strbuf_puts(out, i == 0 ? "" : "\n");
        if (line->in_string || (i == 0 && !alone)) {
            strbuf_add(out, line->text, line->length);
        } else if (i == 0) {
            put_line(out, line, line->indent > 0 ? line->indent + shift : room);
        } else {
            put_line(out, line, line->indent + shift);
        }
    }
}

// Line ends at the end would only have to be taken away again. But a block
// that the text closed by its last line end is to run at the next Enter.
// The text in front of the cursor is needed to know whether the block is still
// open.
static void trim_end(Ctx *ctx, StrBuf *out, const Paste *paste)
{
    size_t length = out->length;
    while (length > 0 && strchr(" \t\n", out->text[length - 1]) != NULL) {
        length--;
    }
    if (!strbuf_ok(out) || length == out->length ||
        memchr(out->text + length, '\n', out->length - length) == NULL) {
        return;
    }
    out->text[length] = '\0';
    out->length = length;
    StrBuf whole;
    strbuf_init(&whole, ctx);
    strbuf_add(&whole, paste->before, paste->before_length);
    strbuf_add(&whole, out->text, out->length);
    if (strbuf_ok(&whole) && paste->after[0] == '\0' &&
        entry_status(ctx, whole.text) == PARSE_INCOMPLETE) {
        strbuf_putc(out, '\n');
    }
    strbuf_free(&whole);
}

// Blanks at the end of the entry so far; *alone: they are all of its last
// line.
// Tabs are not counted: what is in front of the cursor was indented by the
// prompt.
static int room_of(const Paste *paste, bool *alone)
{
    size_t blanks = 0;
    size_t at = paste->before_length;
    while (at > 0 && paste->before[at - 1] == ' ') {
        at--;
        blanks++;
    }
    *alone = at == 0 || paste->before[at - 1] == '\n';
    return (int)blanks;
}

// The quotes that are open at the cursor.
static Quotes quotes_before(const Paste *paste)
{
    Quotes state = {0};
    const char *at = paste->before;
    const char *end = at + paste->before_length;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL && state.quote == '\0') {
            // The line goes on in the text: a string in single quotes stays
            // open, so it is followed as if a backslash ended it.
            Quotes rest = state;
            follow(&rest, at, (size_t)(end - at));
            return rest;
        }
        stop = stop == NULL ? end : stop;
        follow(&state, at, (size_t)(stop - at));
        at = stop + (stop < end);
    }
    return state;
}

// First the bytes, then the prompts, then the indentation: each step can
// rely on the one before it.
// The result is appended to `out`; memory that runs out fails that buffer.
// paste->dropped tells how many blanks in front of the cursor the caller takes
// away, since the text brings its own.
void paste_clean(Ctx *ctx, StrBuf *out, Paste *paste)
{
    StrBuf normal;
    StrBuf code;
    strbuf_init(&normal, ctx);
    strbuf_init(&code, ctx);
    normalise(&normal, paste->text, paste->length);
    const char *text = strbuf_text(&normal);
    Quotes state = quotes_before(paste);
    // A copied session: prompts go, and so does what was printed.
    if (state.quote == '\0' && paste_is_session(text)) {
        paste_take_prompts(&code, text);
        text = strbuf_text(&code);
    }
    bool alone;
    // The indentation that stands in front of the cursor.
    int room = room_of(paste, &alone);
    alone = alone && state.quote == '\0';
    paste->dropped = 0;
    Lines lines = {0};
    if (strbuf_ok(&normal) && strbuf_ok(&code) && text[0] != '\0' &&
        split(ctx, &lines, text, state)) {
        paste->dropped = alone ? (size_t)room : 0;
        put_lines(out, &lines, room, alone);
        trim_end(ctx, out, paste);
    } else if (!strbuf_ok(&normal) || !strbuf_ok(&code)) {
        strbuf_fail(out);
    }
    vec_free(ctx, &lines);
    strbuf_free(&code);
    strbuf_free(&normal);
}
