// Reading pieces of a graph's text. The forms are those of graph_text.c and
// attr_print; what is read gives the same text when it is printed again.
#include "graph/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph_name.h"
#include "ops/number_text.h"

enum {
    READER_NUMBER_SIZE = 64, // longest number that is taken, and a NUL
    READER_MAX_INTS = 4096   // of an attribute
};

static const char place_text[] = "graph text, line ";

// Line and column (in bytes, from 1) of a place.
static void find_place(const Reader *reader, const char *where, size_t *line,
                       size_t *column)
{
    // From the start of the whole text, also while a part of it is read:
    // places are those that an editor shows.
    const char *begin = reader->start;
    *line = 1;
    // Columns are bytes: an editor that counts characters may differ behind a
    // name that is not ASCII.
    for (const char *p = begin; p < where; p++) {
        if (*p == '\n') {
            ++*line;
            begin = p + 1;
        }
    }
    *column = (size_t)(where - begin) + 1;
}

// Line and column are counted only now: reading keeps no track of them.
bool reader_fail_at(Reader *reader, const char *where, const char *format, ...)
{
    size_t line, column;
    StrBuf text;
    va_list args;
    find_place(reader, where, &line, &column);
    strbuf_init(&text, reader->ctx);
    va_start(args, format);
    strbuf_vprintf(&text, format, args);
    va_end(args);
    if (strbuf_ok(&text)) {
        ctx_fail(reader->ctx, ERR_VALUE, "%s%zu, column %zu: %s", place_text,
                 line, column, strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

// The builder words its errors as for a trace; the text's place is put in
// front.
bool reader_explain(Reader *reader, const char *where)
{
    Ctx *ctx = reader->ctx;
    ErrorKind kind = ctx->error.kind;
    size_t line, column;
    StrBuf text;
    // Errors that are not about the text stay as they are, and so does one
    // that has its place already.
    if (kind == ERR_MEMORY || kind == ERR_INTERRUPT || kind == ERR_RECURSION ||
        strncmp(ctx->error.text, place_text, sizeof place_text - 1) == 0) {
        return false;
    }
    find_place(reader, where, &line, &column);
    strbuf_init(&text, ctx);
    strbuf_printf(&text, "%s%zu, column %zu: %s", place_text, line, column,
                  ctx->error.text);
    if (strbuf_ok(&text)) {
        ctx_fail(ctx, kind, "%s", strbuf_text(&text));
    }
    strbuf_free(&text);
    return false;
}

// Tabs are no blanks here: graph_print writes none.
void reader_blanks(Reader *reader)
{
    while (reader->at < reader->end && *reader->at == ' ') {
        reader->at++;
    }
}

// Skips what holds nothing.
bool reader_indent(Reader *reader, size_t *indent)
{
    while (reader->at < reader->end) {
        const char *line = reader->at;
        reader_blanks(reader);
        // Blank lines and those of a comment alone do not count: their
        // indentation means nothing.
        *indent = (size_t)(reader->at - line);
        if (reader->at < reader->end && *reader->at != '\n' &&
            *reader->at != '#') {
            return true;
        }
        while (reader->at < reader->end && *reader->at++ != '\n') {
        }
    }
    return false;
}

// A token is punctuation or a word that nothing can continue.
bool reader_take(Reader *reader, const char *token)
{
    // No test for what follows: tokens that are words are asked for only where
    // nothing longer can stand.
    size_t length = strlen(token);
    reader_blanks(reader);
    if ((size_t)(reader->end - reader->at) < length ||
        memcmp(reader->at, token, length) != 0) {
        return false;
    }
    reader->at += length;
    return true;
}

// As reader_take, an error if it is not there.
bool reader_expect(Reader *reader, const char *token)
{
    return reader_take(reader, token) ||
           reader_fail_at(reader, reader->at, "expected '%s'", token);
}

// ASCII alone, whatever the locale.
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// What names of ops and attributes are made of.
static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           c == '_';
}

// Points into the text.
TextPiece reader_word(Reader *reader)
{
    reader_blanks(reader);
    TextPiece word = {reader->at, 0};
    while (reader->at < reader->end && is_word(*reader->at)) {
        reader->at++;
        word.length++;
    }
    return word;
}

// Stops where the number would not fit.
bool reader_uint(Reader *reader, uint32_t *number)
{
    uint64_t value = 0;
    const char *first = reader->at;
    // The value is below 2**32 before each step, so 64 bits cannot overflow.
    while (reader->at < reader->end && is_digit(*reader->at) &&
           value < UINT32_MAX) {
        value = value * 10 + (uint64_t)(*reader->at++ - '0');
    }
    // UINT32_MAX itself is refused, for it stands for "none" in ids.
    *number = (uint32_t)value;
    return (reader->at > first && value < UINT32_MAX) ||
           reader_fail_at(reader, first, "expected a number");
}

// -1: none.
static int hex_digit(char c)
{
    return is_digit(c)              ? c - '0'
           : (c >= 'a' && c <= 'f') ? c - 'a' + 10
           : (c >= 'A' && c <= 'F') ? c - 'A' + 10
                                    : -1;
}

// escape: "\\'" | "\\\\" | "\\x" HEX HEX
static bool read_escape(Reader *reader, StrBuf *out)
{
    const char *p = reader->at;
    ptrdiff_t left = reader->end - p;
    if (left >= 2 && (p[1] == '\'' || p[1] == '\\')) {
        strbuf_putc(out, p[1]);
        reader->at += 2;
        return true;
    }
    // Any byte can be written so: strings of tensors need not be UTF-8.
    if (left >= 4 && p[1] == 'x' && hex_digit(p[2]) >= 0 &&
        hex_digit(p[3]) >= 0) {
        strbuf_putc(out, (char)(hex_digit(p[2]) * 16 + hex_digit(p[3])));
        reader->at += 4;
        return true;
    }
    return reader_fail_at(reader, p, "no such escape");
}

// A string in single quotes; the caller frees `out`.
static bool read_quoted(Reader *reader, StrBuf *out)
{
    // The caller has seen the opening quote.
    const char *first = reader->at++;
    while (reader->at < reader->end && *reader->at != '\'') {
        // A line's end is written as an escape, so a bare one means that the
        // closing quote was forgotten.
        if (*reader->at == '\n') {
            break;
        }
        if (*reader->at == '\\') {
            if (!read_escape(reader, out)) {
                return false;
            }
        } else {
            strbuf_putc(out, *reader->at++);
        }
    }
    if (reader->at == reader->end || *reader->at != '\'') {
        return reader_fail_at(reader, first, "the string has no end");
    }
    reader->at++;
    return strbuf_ok(out);
}

// Moves a text to the arena and frees its buffer.
static const char *keep(Arena *arena, StrBuf *text)
{
    const char *copy = arena_strndup(arena, strbuf_text(text), text->length);
    strbuf_free(text);
    return copy;
}

// Quotes may hold anything that a string may.
const char *reader_name(Reader *reader, Arena *arena)
{
    reader_blanks(reader);
    const char *first = reader->at;
    if (first < reader->end && *first == '\'') {
        StrBuf text;
        strbuf_init(&text, reader->ctx);
        if (read_quoted(reader, &text)) {
            return keep(arena, &text);
        }
        strbuf_free(&text);
        return NULL;
    }
    reader->at += graph_name_bare(first, (size_t)(reader->end - first));
    if (reader->at == first) {
        reader_fail_at(reader, first, "expected a name");
        return NULL;
    }
    return arena_strndup(arena, first, (size_t)(reader->at - first));
}

// Names of dtypes are short: a longer word is none.
static bool read_dtype(Reader *reader, DType *dtype)
{
    char name[16];
    TextPiece word = reader_word(reader);
    // A word that is too long becomes the empty name, which is no dtype.
    size_t length = word.length < sizeof name ? word.length : 0;
    memcpy(name, word.text, length);
    name[length] = '\0';
    return dtype_from_name(name, dtype) ||
           reader_fail_at(reader, word.text, "expected a dtype");
}

// A number's text as a C string: what is between here and its end.
static bool number_text(Reader *reader, char *text)
{
    size_t length = 0;
    const char *first = reader->at;
    // Copied, for the text has no NUL where strtod must stop, and may have
    // none at all.
    while (reader->at < reader->end &&
           (is_word(*reader->at) || *reader->at == '-' || *reader->at == '+' ||
            *reader->at == '.') &&
           length < READER_NUMBER_SIZE - 1) {
        text[length++] = *reader->at++;
    }
    text[length] = '\0';
    return length > 0 || reader_fail_at(reader, first, "expected a number");
}

// Decimal, with a sign.
static bool read_int(Reader *reader, int64_t *value)
{
    char text[READER_NUMBER_SIZE], *end;
    const char *first = reader->at;
    if (!number_text(reader, text)) {
        return false;
    }
    // strtoll tells overflow by errno alone.
    errno = 0;
    *value = strtoll(text, &end, 10);
    return (*end == '\0' && errno == 0) ||
           reader_fail_at(reader, first, "'%s' is no int of 64 bits", text);
}

// A size or '?'.
static bool read_dim(Reader *reader, Shape *shape)
{
    reader_blanks(reader);
    const char *first = reader->at;
    int64_t size = DIM_UNKNOWN;
    // Asked first: there is no room for one more.
    if (shape->rank == SHAPE_MAX_RANK) {
        return reader_fail_at(reader, first, "more than %d dimensions",
                              SHAPE_MAX_RANK);
    }
    if (!reader_take(reader, "?")) {
        if (!read_int(reader, &size)) {
            return false;
        }
        if (size < 0) {
            return reader_fail_at(reader, first, "a size is not negative");
        }
    }
    shape->dims[shape->rank++] = size;
    return true;
}

// dtype "[" sizes "]", or "[...]" for any rank.
static bool read_tensor_type(Reader *reader, DType *dtype, Shape *shape)
{
    shape->rank = 0;
    if (!read_dtype(reader, dtype) || !reader_expect(reader, "[")) {
        return false;
    }
    // Brackets with nothing in them are rank 0.
    if (reader_take(reader, "]")) {
        return true;
    }
    if (reader_take(reader, "...")) {
        shape->rank = RANK_UNKNOWN;
        return reader_expect(reader, "]");
    }
    do {
        if (!read_dim(reader, shape)) {
            return false;
        }
    } while (reader_take(reader, ","));
    return reader_expect(reader, "]");
}

// A list holds tensors, and no lists.
bool reader_type(Reader *reader, DType *dtype, Shape *shape)
{
    bool list = reader_take(reader, "list[");
    if (!read_tensor_type(reader, dtype, shape)) {
        return false;
    }
    *dtype = list ? dtype_list_of(*dtype) : *dtype;
    return !list || reader_expect(reader, "]");
}

// A float, "inf", "nan", "-nan", or a NaN by its bits: "nan(0x7fc00001)".
static bool read_float(Reader *reader, Tensor *tensor, int64_t index)
{
    char text[READER_NUMBER_SIZE], *end;
    const char *first = reader->at;
    if (!number_text(reader, text)) {
        return false;
    }
    if (strcmp(text, "nan") == 0 && reader_take(reader, "(")) {
        if (!number_text(reader, text) || !reader_expect(reader, ")")) {
            return false;
        }
        tensor_set_bits(tensor, index, strtoull(text, &end, 16));
    } else {
        tensor_set_float(tensor, index,
                         decimal_read(text, (DType)tensor->dtype, &end));
    }
    return *end == '\0' ||
           reader_fail_at(reader, first, "'%s' is no number", text);
}

// Bytes: an element may hold NULs.
static bool read_string(Reader *reader, Tensor *tensor, int64_t index)
{
    StrBuf text;
    if (reader->at == reader->end || *reader->at != '\'') {
        return reader_fail_at(reader, reader->at, "expected a string");
    }
    strbuf_init(&text, reader->ctx);
    bool ok = read_quoted(reader, &text) &&
              tensor_set_string(reader->ctx, tensor, index, strbuf_text(&text),
                                text.length);
    strbuf_free(&text);
    return ok;
}

// As Duet writes them.
static bool read_bool(Reader *reader, bool *value)
{
    *value = reader_take(reader, "True");
    return *value || reader_take(reader, "False") ||
           reader_fail_at(reader, reader->at, "expected True or False");
}

// Ints are stored and read back: what changes did not fit.
bool reader_element(Reader *reader, Tensor *tensor, int64_t index)
{
    DType dtype = (DType)tensor->dtype;
    reader_blanks(reader);
    const char *first = reader->at;
    // A printed constant may leave elements out, and then cannot be read back.
    if (reader_take(reader, "...")) {
        return reader_fail_at(reader, first,
                              "the constant was shortened in print");
    }
    if (dtype == DT_STRING) {
        return read_string(reader, tensor, index);
    }
    if (dtype_is_float(dtype)) {
        return read_float(reader, tensor, index);
    }
    int64_t value = 0;
    if (dtype == DT_BOOL) {
        bool truth = false;
        if (!read_bool(reader, &truth)) {
            return false;
        }
        value = truth;
    } else if (!read_int(reader, &value)) {
        return false;
    }
    // Storing narrows to the dtype; comparing with what was stored spares a
    // table of ranges.
    tensor_set_int(tensor, index, value);
    return tensor_int_at(tensor, index) == value ||
           reader_fail_at(reader, first, "%lld does not fit %s",
                          (long long)value, dtype_name(dtype));
}

// ints: "(" [int {"," int}] [","] ")", None among them
static bool read_ints(Reader *reader, Arena *arena, AttrValue *attr)
{
    // Gathered in a vector, so that the arena gets a copy of just the size.
    VEC(int64_t) ints = {0};
    bool ok = true;
    while (ok && !reader_take(reader, ")")) {
        int64_t value = ATTR_INT_NONE;
        ok = ints.count < READER_MAX_INTS ||
             reader_fail_at(reader, reader->at, "too many ints");
        ok = ok && (reader_take(reader, "None") || read_int(reader, &value));
        ok = ok && vec_push(reader->ctx, &ints, value);
        // A comma may stand before the bracket, as in a tuple of one.
        if (ok && !reader_take(reader, ",")) {
            ok = reader_expect(reader, ")");
            break;
        }
    }
    if (ok) {
        int64_t *copy = arena_new_array(arena, int64_t, ints.count);
        ok = copy != NULL;
        if (ok && ints.count > 0) {
            memcpy(copy, ints.items, ints.count * sizeof *copy);
        }
        *attr = (AttrValue){ATTR_INTS, (uint32_t)ints.count, {.ints = copy}};
    }
    vec_free(reader->ctx, &ints);
    return ok;
}

// Text with its length: formats hold NUL bytes.
static bool attr_string(Reader *reader, Arena *arena, AttrValue *attr)
{
    StrBuf text;
    strbuf_init(&text, reader->ctx);
    bool ok = read_quoted(reader, &text);
    *attr = (AttrValue){.kind = ATTR_STR, .count = (uint32_t)text.length};
    if (ok) {
        attr->text = keep(arena, &text);
        return attr->text != NULL;
    }
    strbuf_free(&text);
    return false;
}

// An int, or a float, which has a point, an exponent or no digits.
static bool attr_number(Reader *reader, AttrValue *attr)
{
    char text[READER_NUMBER_SIZE], *end;
    const char *first = reader->at;
    if (!number_text(reader, text)) {
        return false;
    }
    // The letters of inf, nan and an exponent; none of them can be in an int.
    if (strcspn(text, ".einf") < strlen(text)) {
        *attr = (AttrValue){.kind = ATTR_FLOAT};
        attr->number = strtod(text, &end);
    } else {
        reader->at = first;
        *attr = (AttrValue){.kind = ATTR_INT};
        return read_int(reader, &attr->integer);
    }
    return *end == '\0' ||
           reader_fail_at(reader, first, "'%s' is no number", text);
}

// None is an int that is not there (in slices); all other words are dtypes.
static bool attr_word(Reader *reader, AttrValue *attr)
{
    if (reader_take(reader, "None")) {
        *attr = (AttrValue){.kind = ATTR_INT, .integer = ATTR_INT_NONE};
    } else if (reader_take(reader, "True")) {
        *attr = (AttrValue){.kind = ATTR_BOOL, .boolean = true};
    } else if (reader_take(reader, "False")) {
        *attr = (AttrValue){.kind = ATTR_BOOL, .boolean = false};
    } else {
        *attr = (AttrValue){.kind = ATTR_DTYPE};
        return read_dtype(reader, &attr->dtype);
    }
    return true;
}

// The first byte tells the kind, but for the words.
bool reader_attr(Reader *reader, Arena *arena, AttrValue *attr)
{
    reader_blanks(reader);
    const char *p = reader->at;
    char first = p < reader->end ? *p : '\0';
    bool special = reader->end - p >= 3 &&
                   (memcmp(p, "inf", 3) == 0 || memcmp(p, "nan", 3) == 0);
    // No attribute but a text begins with a quote.
    if (first == '\'') {
        return attr_string(reader, arena, attr);
    }
    if (reader_take(reader, "(")) {
        return read_ints(reader, arena, attr);
    }
    if (reader_take(reader, "$")) {
        *attr = (AttrValue){.kind = ATTR_INPUT};
        return read_int(reader, &attr->integer);
    }
    if (is_digit(first) || first == '-' || special) {
        return attr_number(reader, attr);
    }
    return attr_word(reader, attr);
}

// A comment reaches to the end of the line, whatever is in it.
bool reader_line_end(Reader *reader, Arena *arena, const char **note)
{
    *note = NULL;
    reader_blanks(reader);
    if (reader_take(reader, "#")) {
        const char *first = reader->at;
        // One blank belongs to the mark, so that printing and reading again
        // keeps the note.
        first += first < reader->end && *first == ' ';
        while (reader->at < reader->end && *reader->at != '\n') {
            reader->at++;
        }
        size_t length = first < reader->at ? (size_t)(reader->at - first) : 0;
        *note = arena_strndup(arena, first, length);
        if (*note == NULL) {
            return false;
        }
    }
    if (reader->at == reader->end) {
        return true;
    }
    // Whatever stands here was no part of the line that the caller has read.
    if (*reader->at != '\n') {
        return reader_fail_at(reader, reader->at,
                              "expected the end of the line");
    }
    reader->at++;
    return true;
}
