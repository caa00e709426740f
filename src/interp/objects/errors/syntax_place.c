// The place of a SyntaxError: its numbers, and how they are printed.
//
// Which columns are bytes and which are characters depends there on who found
// the fault and on where the text came from (Source.origin); all of it is
// decided here, once, when the exception is made. Printing goes by the
// exception's attributes alone, so that one made by a program prints alike.
#include "base/utf8.h"
#include "interp/core/raise.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/text/obj_str.h"

// The line that is shown: of the source, or of an expression in an f-string
// which is put in parentheses and read as a text of its own.
typedef struct Shown {
    const char *text; // the whole text
    size_t length;
    uint32_t shift; // offset in the source minus offset in the text
    bool alone;     // an f-string's expression
} Shown;

typedef struct Numbers {
    int64_t line, offset, end_line, end_offset;
    Span shown; // the line in the text, with its line end if that is told
} Numbers;

static size_t line_start(const Shown *shown, size_t at)
{
    while (at > 0 && shown->text[at - 1] != '\n') {
        at--;
    }
    return at;
}

// From 0, in bytes or characters.
static int64_t column(const Shown *shown, size_t at, bool bytes)
{
    size_t start = line_start(shown, at);
    return (int64_t)(bytes ? at - start
                           : utf8_count(shown->text + start, at - start));
}

// Offset in the shown text; what lies outside of it is put at its ends.
static size_t shown_offset(const Shown *shown, uint32_t offset)
{
    size_t at = offset < shown->shift ? 0 : offset - shown->shift;
    return at < shown->length ? at : shown->length;
}

// Columns are characters where the encoding of the text is known, as it is for
// a str and where the text tells it; compiler and literals count bytes all the
// same.
static bool counts_bytes(const Source *source, const Error *error,
                         const Shown *shown)
{
    switch ((PlaceForm)error->form) {
    case PLACE_POINT: return false;
    case PLACE_ZEROS:
    case PLACE_CODE: return true;
    default:
        return shown->alone ||
               (!source->coded && (source->origin == SOURCE_FILE ||
                                   source->origin == SOURCE_MODULE));
    }
}

// What the tokenizer finds in an f-string has the line in the expression.
static uint32_t line_of(const Source *source, const Error *error,
                        const Shown *shown, uint32_t offset)
{
    bool own = shown->alone &&
               (error->form == PLACE_POINT || error->form == PLACE_ZEROS);
    uint32_t line = source_place(source, offset).line;
    return own ? line - source_place(source, error->part.start).line + 1 : line;
}

// INDENT, DEDENT and the end have no columns: what was read of the line is
// taken, without adding one; from a file nothing is left at the end.
static int64_t layout_offset(const Source *source, const Shown *shown,
                             size_t at)
{
    bool at_end = at >= shown->length || shown->text[at] == '\n';
    if (at_end && source->origin == SOURCE_FILE) {
        return 0;
    }
    return column(shown, at, false) + at_end;
}

// From bytes to what SyntaxError shows: lines and columns from 1, in characters
// or bytes.
static Numbers count_place(const Source *source, const Error *error,
                           const Shown *shown)
{
    bool bytes = counts_bytes(source, error, shown);
    size_t first = shown_offset(shown, error->span.start);
    size_t last = shown_offset(shown, error->span.end);
    size_t start = line_start(shown, first), end = start;
    while (end < shown->length && shown->text[end] != '\n') {
        end++;
    }
    Numbers made = {.line = line_of(source, error, shown, error->span.start),
                    .offset = column(shown, first, bytes) + 1,
                    .end_offset = column(shown, last, bytes) + 1,
                    .shown = {(uint32_t)start, (uint32_t)end}};
    made.end_line = made.line;
    // There are errors without an end, and some whose end is odd.
    switch ((PlaceForm)error->form) {
    case PLACE_POINT: made.end_offset = made.offset; break;
    case PLACE_OPEN:
        // Of what goes over lines the first one counts, and the column of the
        // last character.
        made.end_line = line_of(source, error, shown, error->span.end);
        if (made.end_line > made.line) {
            made.offset = made.end_offset - 1;
        }
        made.end_offset = 0;
        break;
    case PLACE_LAYOUT:
        made.offset = layout_offset(source, shown, first);
        made.end_offset = -1;
        break;
    case PLACE_NONE:
        made.offset = made.end_offset = 0;
        // Of an empty text not even a line was read.
        made.line -= shown->length == 0;
        made.end_line = made.line;
        break;
    case PLACE_LINE:
        made.offset = column(shown, end, bytes) + 1;
        made.end_offset = -1;
        break;
    default:
        made.end_line = line_of(source, error, shown, error->span.end);
        // The column is converted by the first line's text.
        if (!bytes && made.end_line > made.line &&
            made.end_offset > column(shown, end, false) + 1) {
            made.end_offset = column(shown, end, false) + 1;
        }
        break;
    }
    return made;
}

// The line with its end; the tokenizer's own errors have it without. NONE where
// the text cannot be found again.
static Value shown_line(Vm *vm, const Source *source, const Error *error,
                        const Shown *shown, Span line)
{
    // A line that was left behind is found in another way than the one at
    // hand.
    bool bare = (source->bare_end && line.end + 1 >= source->length) ||
                error->form == PLACE_POINT || error->form == PLACE_ZEROS ||
                (error->read > line.end + shown->shift + 1 &&
                 source->origin != SOURCE_FILE);
    if (error->form == PLACE_CODE && source->origin == SOURCE_TEXT) {
        return VALUE_NONE;
    }
    return value_or_fail(str_printf(vm, "%.*s%s", (int)(line.end - line.start),
                                    shown->text + line.start,
                                    bare ? "" : "\n"));
}

// (file, line, offset, text, end line, end offset)
static Tuple *make_tuple(Vm *vm, const Source *source, const Error *error,
                         const Shown *shown)
{
    Numbers numbers = count_place(source, error, shown);
    Value text = shown_line(vm, source, error, shown, numbers.shown);
    Str *name = value_failed(text) ? NULL : str_from(vm, source->name);
    if (name == NULL) {
        release(vm, text);
        return NULL;
    }
    Value parts[6] = {str_value(name),
                      value_from_small(numbers.line),
                      value_from_small(numbers.offset),
                      text,
                      value_from_small(numbers.end_line),
                      value_from_small(numbers.end_offset)};
    Tuple *place = tuple_from(vm, parts, 6);
    object_release(&vm->ctx, name);
    release(vm, text);
    return place;
}

Tuple *syntax_place_new(Vm *vm, const Source *source, const Error *error)
{
    Shown shown = {.text = source->text, .length = source->length};
    if (error->part.end == 0) {
        return make_tuple(vm, source, error, &shown);
    }
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    strbuf_putc(&text, '(');
    strbuf_add(&text, source->text + error->part.start,
               error->part.end - error->part.start);
    strbuf_putc(&text, ')');
    Tuple *place = NULL;
    if (strbuf_ok(&text)) {
        shown = (Shown){strbuf_text(&text), text.length, error->part.start - 1,
                        true};
        place = make_tuple(vm, source, error, &shown);
    }
    strbuf_free(&text);
    return place;
}

const Tuple *exception_place(Vm *vm, const Exception *self)
{
    // The interpreter makes them so; a program's SyntaxError may have others.
    const Tuple *args = self->args;
    return type_is_subtype(self->head.type, type_of_error(vm, ERR_SYNTAX)) &&
                   args->count == 2 &&
                   value_is_kind(args->items[1], KIND_TUPLE) &&
                   value_as_tuple(args->items[1])->count >= 4
               ? value_as_tuple(args->items[1])
               : NULL;
}

// --- printing ---

// An attribute that is an int, else `absent`.
static int64_t number_of(Value value, int64_t absent)
{
    return value_is_int(value) ? value_small(value) : absent;
}

// The line without its indentation, carets below unless they would stand left
// of it. Offsets are counted from 0 here.
static void print_text(StrBuf *out, const char *text, int64_t offset,
                       int64_t carets)
{
    while (*text == ' ' || *text == '\t' || *text == '\f') {
        text++;
        offset--;
    }
    size_t length = strlen(text);
    length -= length > 0 && text[length - 1] == '\n';
    offset = offset > (int64_t)length ? (int64_t)length : offset;
    // Of a text of several lines the one with the caret is shown.
    for (const char *end;
         (end = memchr(text, '\n', length)) != NULL && end - text < offset;) {
        offset -= end - text + 1;
        length -= (size_t)(end - text + 1);
        text = end + 1;
    }
    strbuf_puts(out, "    ");
    strbuf_add(out, text, length);
    strbuf_putc(out, '\n');
    if (offset >= 0) {
        strbuf_pad(out, ' ', 4 + (size_t)offset);
        strbuf_pad(out, '^', (size_t)carets);
        strbuf_putc(out, '\n');
    }
}

// As the module traceback prints it: other blanks count as indentation, tabs
// in front of the carets are kept, and the end is taken as it is.
static void print_text_kept(StrBuf *out, const Str *line, int64_t offset,
                            int64_t end)
{
    const char *text = line->text;
    size_t length = line->length;
    while (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    while (length > 0 && strchr(" \n\f", *text) != NULL) {
        text++;
        length--;
        offset--;
        end -= end > 0;
    }
    strbuf_puts(out, "    ");
    strbuf_add(out, text, length);
    strbuf_putc(out, '\n');
    if (offset < 1) {
        return;
    }
    strbuf_puts(out, "    ");
    for (size_t i = 0, seen = 1; (int64_t)seen < offset; i++) {
        // Characters are counted, at their first bytes.
        bool inside = i < length;
        if (!inside || ((unsigned char)text[i] & 0xC0) != 0x80) {
            strbuf_putc(out, inside && text[i] == '\t' ? '\t' : ' ');
            seen++;
        }
    }
    strbuf_pad(out, '^', end > offset ? (size_t)(end - offset) : 1);
    strbuf_putc(out, '\n');
}

// The lines of a traceback that show the text and mark the place in it.
void syntax_print_place(StrBuf *out, const Tuple *place, bool library,
                        bool point)
{
    Value file = place->items[0], line = place->items[1];
    int64_t number = number_of(line, -1);
    if (number < 0) {
        return;
    }
    strbuf_printf(out, "  File \"%s\", line %lld\n",
                  value_is_str(file) ? value_as_str(file)->text : "<string>",
                  (long long)number);
    if (!value_is_str(place->items[3])) {
        return;
    }
    const Str *text = value_as_str(place->items[3]);
    int64_t offset = number_of(place->items[2], -1), end = -1, last = number;
    if (place->count == 6) {
        last = number_of(place->items[4], number);
        end = number_of(place->items[5], -1);
    }
    if (library) {
        print_text_kept(out, text, offset, end);
        return;
    }
    // What goes on behind the line is marked to the line's end.
    if (last > number) {
        end = (int64_t)text->length;
    }
    bool range = !point && end > 0 && end > offset;
    print_text(out, text->text, offset - 1, range ? end - offset : 1);
}
