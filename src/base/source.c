// Source texts and places in them.
//
// Invariant: the text is valid UTF-8 without NUL or '\r', and ends in '\n'
// unless it is empty, so that the lexer needs no case for a last line without
// an end; line_starts is sorted and has at least one entry.
#include "base/source.h"

#include <string.h>

#include "base/ctx.h"
#include "base/utf8.h"

// One line of a text: what a source may not hold.
// The line is counted here, since the Source that could tell it does not
// exist.
// False: an error is pending.
static bool check_text(Ctx *ctx, const char *name, const char *text,
                       size_t length)
{
    size_t bad;
    if (length > UINT32_MAX - 2) {
        return ctx_fail(ctx, ERR_OVERFLOW, "source text is too long");
    }
    if (memchr(text, 0, length) != NULL) {
        return ctx_fail(ctx, ERR_SYNTAX,
                        "source code cannot contain null bytes");
    }
    if (utf8_validate(text, length, false, &bad)) {
        return true;
    }
    unsigned line = 1;
    for (size_t i = 0; i < bad; i++) {
        line += text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
    }
    return ctx_fail(ctx, ERR_SYNTAX,
                    "Non-UTF-8 code starting with '\\x%.2x' in file %s on "
                    "line %u, but no encoding declared; see "
                    "https://peps.python.org/pep-0263/ for details",
                    (unsigned char)text[bad], name, line);
}

// Copies with line ends made '\n' and one put at the end; the new length.
// `out` has room for the added line end and the NUL. SIZE_MAX: interrupted.
// A lone '\r' is a line end as well, as it was on old systems.
static size_t copy_normalized(Ctx *ctx, char *out, const char *text,
                              size_t length)
{
    size_t written = 0;
    // Mostly every line end is right as it is.
    bool plain = memchr(text, '\r', length) == NULL;
    if (plain) {
        memcpy(out, text, length);
        written = length;
    }
    for (size_t i = 0; !plain && i < length; i++) {
        if (!ctx_poll_at(ctx, i + 1)) {
            return SIZE_MAX;
        }
        if (text[i] == '\r') {
            if (i + 1 < length && text[i + 1] == '\n') {
                continue;
            }
            out[written++] = '\n';
        } else {
            out[written++] = text[i];
        }
    }
    if (written > 0 && out[written - 1] != '\n') {
        out[written++] = '\n';
    }
    out[written] = '\0';
    return written;
}

// Counted first and filled then, so that the block has the size it is freed
// by. A line end at the end of the text starts one more line, an empty one.
// False: no memory.
static bool index_lines(Ctx *ctx, Source *source)
{
    uint32_t count = 1;
    const char *end = source->text + source->length;
    const char *at = source->text;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        count++;
        at++;
    }
    source->line_starts = ctx_alloc(ctx, count * sizeof(uint32_t));
    if (source->line_starts == NULL) {
        return false;
    }
    source->line_count = count;
    source->line_starts[0] = 0;
    at = source->text;
    for (uint32_t line = 1; line < count; line++) {
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        source->line_starts[line] = (uint32_t)(at - source->text);
    }
    return true;
}

// The text's block is given back by its size, so it is made to fit.
// What was made before a failure is in the Source, whose release frees it.
// False: an error is pending.
static bool fill(Ctx *ctx, Source *source, const char *name, const char *text,
                 size_t length)
{
    size_t room = length + 2;
    char *copy = ctx_alloc(ctx, room);
    if (copy == NULL) {
        return false;
    }
    source->length = copy_normalized(ctx, copy, text, length);
    source->text = source->length == SIZE_MAX
                       ? NULL
                       : ctx_realloc(ctx, copy, room, source->length + 1);
    if (source->text == NULL) {
        ctx_free(ctx, copy, room);
        return false;
    }
    source->name = ctx_strndup(ctx, name, strlen(name));
    return source->name != NULL && index_lines(ctx, source);
}

// The byte order mark goes first: offsets count from behind it.
// Owned, with a count of 1; NULL: an error is pending. `text` is copied.
Source *source_new(Ctx *ctx, const char *name, const char *text, size_t length)
{
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (!check_text(ctx, name, text, length)) {
        return NULL;
    }
    Source *source = ctx_alloc_zero(ctx, sizeof *source);
    if (source == NULL) {
        return NULL;
    }
    source->refs = 1;
    source->first_line = 1;
    if (!fill(ctx, source, name, text, length)) {
        source_release(ctx, source);
        return NULL;
    }
    return source;
}

// Not atomic: a Source belongs to one context.
// Returns its argument, for use in an expression.
Source *source_retain(Source *source)
{
    source->refs++;
    return source;
}

// A half-made source comes here too, hence the tests for NULL.
void source_release(Ctx *ctx, Source *source)
{
    if (source == NULL || --source->refs > 0) {
        return;
    }
    if (source->line_starts != NULL) {
        ctx_free(ctx, source->line_starts,
                 source->line_count * sizeof(uint32_t));
    }
    if (source->name != NULL) {
        ctx_free(ctx, source->name, strlen(source->name) + 1);
    }
    if (source->text != NULL) {
        ctx_free(ctx, source->text, source->length + 1);
    }
    ctx_free(ctx, source, sizeof *source);
}

// Index of the line that holds `offset`: the last that starts at or before it.
// By halving: a traceback asks for many places.
static uint32_t line_index(const Source *source, uint32_t offset)
{
    uint32_t low = 0, high = source->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_starts[middle] <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// An offset past the end is shown at the end. Linear in the line's length, as
// nobody asks for columns but messages.
// Lines and columns count from 1; columns are code points.
Place source_place(const Source *source, uint32_t offset)
{
    if (offset > source->length) {
        offset = (uint32_t)source->length;
    }
    uint32_t line = line_index(source, offset);
    uint32_t start = source->line_starts[line];
    size_t column = utf8_count(source->text + start, offset - start);
    return (Place){line + source->first_line, (uint32_t)column + 1};
}

// The last line has no line end to leave out.
// NULL: there is no such line. Borrowed, and not ended by a NUL.
const char *source_line(const Source *source, uint32_t line, size_t *length)
{
    if (line < source->first_line ||
        line - source->first_line >= source->line_count) {
        return NULL;
    }
    uint32_t index = line - source->first_line;
    const char *start = source->text + source->line_starts[index];
    if (index + 1 < source->line_count) {
        const char *next = source->text + source->line_starts[index + 1];
        *length = (size_t)(next - start) - 1;
    } else {
        *length = source->length - source->line_starts[index];
    }
    return start;
}
