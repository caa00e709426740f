// Reading pieces of a graph's text: words, types, elements, attributes.
//
// A Reader walks over bytes that the caller keeps. Functions that return false
// or NULL have raised an error that begins with "graph text, line L, column
// C: "; what they read up to there is of no use.
#ifndef DUET_GRAPH_READER_H
#define DUET_GRAPH_READER_H

#include "graph/graph.h"

// A position in a text. Copying it keeps the place, for reading on later.
typedef struct Reader {
    Ctx *ctx;
    const char *start; // of the whole text: lines are counted from here
    const char *at;    // what is read next
    const char *end;
} Reader;

// A piece of the text, not NUL-terminated.
typedef struct TextPiece {
    const char *text; // points into the Reader's text
    size_t length;
} TextPiece;

// ERR_VALUE at a place of the text; `where` lies in it or is its end.
bool reader_fail_at(Reader *reader, const char *where, const char *format, ...)
    PRINTF_LIKE(3, 4);
// Puts the place before the text of the error that is pending, whose kind
// stays. Errors that are not the text's fault, or that name a place already,
// are left as they are.
bool reader_explain(Reader *reader, const char *where);

// Skips blanks, but no line ends.
void reader_blanks(Reader *reader);
// The number of blanks at the start of the next line that holds anything but
// a comment; the reader then stands behind them. False: the text has ended.
bool reader_indent(Reader *reader, size_t *indent);
// Whether `token` stands next; takes it if so.
bool reader_take(Reader *reader, const char *token);
// Takes `token`, or fails with an error that names it.
MUST_CHECK bool reader_expect(Reader *reader, const char *token);
// Letters, digits and underscores; length 0 if none stand there.
TextPiece reader_word(Reader *reader);
// A decimal number below 2**32 - 1, without a sign.
MUST_CHECK bool reader_uint(Reader *reader, uint32_t *number);
// A name, bare or quoted, as graph_print writes it; the copy is the arena's.
const char *reader_name(Reader *reader, Arena *arena);
// "float32[?, 3]", "int32[...]", "list[float32[]]".
MUST_CHECK bool reader_type(Reader *reader, DType *dtype, Shape *shape);
// One element of a constant, stored in the tensor.
MUST_CHECK bool reader_element(Reader *reader, Tensor *tensor, int64_t index);
// An attribute's value; ints and text are copied to the arena.
MUST_CHECK bool reader_attr(Reader *reader, Arena *arena, AttrValue *attr);
// The rest of a line: nothing, or a comment, whose text *note then is (else
// NULL), copied to the arena.
MUST_CHECK bool reader_line_end(Reader *reader, Arena *arena,
                                const char **note);

#endif
