// Source texts and places in them.
//
// A Source is one text that was compiled: a file, a cell, an entry of the
// prompt, a string handed to eval. It is counted, because code objects and
// errors outlive the compilation. A Span is a half-open range of byte offsets
// in its text; lines and columns are derived when a person is shown them.
#ifndef DUET_BASE_SOURCE_H
#define DUET_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Ctx;

typedef struct Span {
    uint32_t start, end; // bytes from the start of the text; [start, end)
} Span;

// Where a text came from: a SyntaxError's columns are counted, and its line is
// found again, accordingly.
typedef enum SourceOrigin {
    SOURCE_TEXT,   // handed to exec, eval or compile
    SOURCE_TYPED,  // at the prompt, in a cell or behind -c
    SOURCE_MODULE, // imported
    SOURCE_FILE    // the script that is run
} SourceOrigin;

typedef struct Source {
    uint32_t refs;
    uint32_t line_count;
    uint32_t *line_starts; // offset of each line, line_count of them
    char *name;            // as a traceback shows it: "a.duet", "<stdin>"
    char *text;            // valid UTF-8 without NUL, '\n' line ends, ends
                           // in a NUL that `length` does not count
    size_t length;         // bytes
    uint8_t origin;        // SourceOrigin, TEXT unless its maker sets it
    bool library;          // of lib/ as it is built in
    bool coded;            // tells its encoding by a mark or a comment, so that
                           // columns count characters
    bool bare_end;         // the last line end is none of the text's, and not
                           // told of in errors: eval() of a line
    uint32_t first_line;   // number of the first line, normally 1: a cell of
                           // a --cells file keeps the file's own numbers
} Source;

typedef struct Place { // for people: both from 1
    uint32_t line;
    uint32_t column; // in code points
} Place;

// Copies text and name. Normalises "\r\n" and "\r" to "\n", drops a leading
// byte order mark. Fails with ERR_SYNTAX on invalid UTF-8 and on NUL,
// ERR_MEMORY, or ERR_OVERFLOW above 4 GiB - 1.
Source *source_new(struct Ctx *ctx, const char *name, const char *text,
                   size_t length) __attribute__((warn_unused_result));
// Sources are counted: spans of errors and codes point into them.
Source *source_retain(Source *source);
void source_release(struct Ctx *ctx, Source *source); // NULL is fine

// Whether the name may be a file's: "<in 3>", "<string>" and the like are not,
// in all that a person is told.
static inline bool source_is_file(const char *name)
{
    return name[0] != '<';
}

// Line and column of a byte, both from 1; the offset may be the end.
Place source_place(const Source *source, uint32_t offset);
// The 1-based line's text without its end; *length in bytes. Borrowed. Line
// numbers count from first_line. NULL if there is no such line.
const char *source_line(const Source *source, uint32_t line, size_t *length);

// Both are of one source, and in this order.
static inline Span span_join(Span first, Span last)
{
    return (Span){first.start, last.end};
}

#endif
