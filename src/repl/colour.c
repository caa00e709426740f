// Colours by the shape of a traceback's lines. A message may look like any of
// them; it is then coloured like one, and nothing else happens to it.
#include "repl/colour.h"

#include <string.h>

static const char place_look[] = "35"; // files, lines, functions
static const char caret_look[] = "1;31";
static const char class_look[] = "1;31"; // the error's class

// An empty part gets no escapes.
static void add(StrBuf *out, const char *look, const char *text, size_t length)
{
    if (length > 0) {
        strbuf_printf(out, "\033[%sm", look);
        strbuf_add(out, text, length);
        strbuf_puts(out, "\033[0m");
    }
}

// `  File "NAME", line 3, in f`: what stands between the marks is a place.
static void add_place(StrBuf *out, const char *line, size_t length)
{
    static const char *const marks[] = {"File ", ", line ", ", in "};
    const char *end = line + length;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t mark = strlen(marks[i]);
        const char *found = memmem(line, (size_t)(end - line), marks[i], mark);
        if (found == NULL) {
            break;
        }
        strbuf_add(out, line, (size_t)(found - line) + mark);
        line = found + mark;
        const char *stop = i + 1 < sizeof marks / sizeof *marks
                               ? memmem(line, (size_t)(end - line),
                                        marks[i + 1], strlen(marks[i + 1]))
                               : NULL;
        stop = stop == NULL ? end : stop;
        add(out, place_look, line, (size_t)(stop - line));
        line = stop;
    }
    strbuf_add(out, line, (size_t)(end - line));
}

// Only carets, tildes and blanks.
static bool is_carets(const char *line, size_t length)
{
    return length > 0 && memchr(line, '^', length) != NULL &&
           strspn(line, " ^~") >= length;
}

// The length of the class in `ValueError: text` or `KeyError`; 0: no such
// line.
static size_t class_length(const char *line, size_t length)
{
    size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    bool ends = name == length || (name < length && line[name] == ':');
    return name > 0 && name <= length && ends ? name : 0;
}

// In this order: carets look like nothing else, and a place is indented
// where a class is not.
static void add_line(StrBuf *out, const char *line, size_t length)
{
    size_t blanks = strspn(line, " ");
    size_t class = class_length(line, length);
    if (is_carets(line, length)) {
        strbuf_add(out, line, blanks);
        add(out, caret_look, line + blanks, length - blanks);
    } else if (strncmp(line + blanks, "File \"", 6) == 0) {
        add_place(out, line, length);
    } else if (class > 0) {
        add(out, class_look, line, class);
        strbuf_add(out, line + class, length - class);
    } else {
        strbuf_add(out, line, length);
    }
}

// The last line may have no line end.
void colour_traceback(StrBuf *out, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        add_line(out, text, length);
        text += length;
        if (*text == '\n') {
            strbuf_putc(out, *text++);
        }
    }
}
