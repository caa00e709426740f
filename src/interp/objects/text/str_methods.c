// The methods of str: their rows, and stripping and padding. Searching and
// replacing are in str_search.c, case and classes in str_case.c, splitting in
// str_split.c.
#include "interp/objects/text/str_methods.h"

#include "base/bulk.h"
#include "base/utf8.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/text/format.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/text_range.h"

Str *str_argument(Vm *vm, Value v, const char *words)
{
    return value_is_str(v) ? value_as_str(v)
                           : raise_null(vm, ERR_TYPE, "%s, not %s", words,
                                        type_name(type_of(vm, v)));
}

Str *str_argument_given(Vm *vm, Value v, const char *words)
{
    return value_is_str(v) ? value_as_str(v)
                           : raise_null(vm, ERR_TYPE, "%s, not %s", words,
                                        type_name_given(vm, v));
}

// The bidirectional classes WS, B and S and the category Zs, written out
// because it is a handful of ranges. Not Unicode's White_Space: the separators
// 28 to 31 count here and do not there.
bool str_is_space(uint32_t c)
{
    return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 ||
           c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
           c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

// The code point at `at` is to be stripped: white space, or one of `chars`.
// UTF-8 is self-synchronising: a code point's bytes are found in `chars` only
// where that code point stands.
// UTF-8 is self-synchronising, so a match of a whole character's bytes in
// `chars` is that character.
static bool strips(const char *at, size_t size, Str *chars)
{
    uint32_t codepoint = 0;
    if (chars != NULL) {
        return memmem(chars->text, chars->length, at, size) != NULL;
    }
    return utf8_decode(at, size, &codepoint) != 0 && str_is_space(codepoint);
}

// strip, lstrip and rstrip. If nothing is to be stripped the text is its own
// result. From the right, continuation bytes (10xxxxxx) are stepped over.
// `words`: what is said of a set that is no str.
static Value strip_method(Vm *vm, Value *args, bool left, bool right,
                          const char *words)
{
    Str *str = value_as_str(args[0]), *chars = NULL;
    if (!value_unbound(args[1]) && !value_is_none(args[1])) {
        if (!value_is_str(args[1])) {
            return raise_error(vm, ERR_TYPE, "%s", words);
        }
        chars = value_as_str(args[1]);
    }
    // ASCII at the ends; what is left may go on with other characters.
    // The quick half: bytes below 128 are stripped without decoding.
    TextSet set = chars == NULL
                      ? text_str_spaces
                      : text_set((TextRange){chars->text, chars->length});
    set.bits[2] = set.bits[3] = 0;
    TextRange range = {str->text, str->length};
    if (!text_strip(&vm->ctx, &range, &set, left, right)) {
        return VALUE_FAIL;
    }
    const char *start = range.text, *end = start + range.length;
    // Then nothing that is not ASCII can be stripped.
    if (str->count == str->length ||
        (chars != NULL && chars->count == chars->length)) {
        left = right = false;
    }
    for (size_t step = 1; left && start < end; step++) {
        if (!ctx_poll_at(&vm->ctx, step)) {
            return VALUE_FAIL;
        }
        size_t size = utf8_offset(start, (size_t)(end - start), 1);
        if (!strips(start, size, chars)) {
            break;
        }
        start += size;
    }
    for (size_t step = 1; right && start < end; step++) {
        // Only characters beyond ASCII come here, one by one.
        if (!ctx_poll_at(&vm->ctx, step)) {
            return VALUE_FAIL;
        }
        const char *last = end - 1;
        while (last > start && (*last & 0xC0) == 0x80) {
            last--;
        }
        if (!strips(last, (size_t)(end - last), chars)) {
            break;
        }
        end = last;
    }
    if ((size_t)(end - start) == str->length) {
        return value_or_fail(str_exact(vm, str));
    }
    return str->count == str->length
               ? value_or_fail(str_new_ascii(vm, start, (size_t)(end - start)))
               : value_or_fail(str_new(vm, start, (size_t)(end - start)));
}

// One function for the three, which differ in their sides and in the error.
static Value method_strip(Vm *vm, Value *args)
{
    return strip_method(vm, args, true, true, "strip arg must be None or str");
}

static Value method_lstrip(Vm *vm, Value *args)
{
    return strip_method(vm, args, true, false,
                        "lstrip arg must be None or str");
}

static Value method_rstrip(Vm *vm, Value *args)
{
    return strip_method(vm, args, false, true,
                        "rstrip arg must be None or str");
}

// Below this much the padding is made in one piece, without polls.
enum { PAD_QUICK = 4096 };

// The text between so many ASCII characters, in one allocation. The count is
// known without looking at the text; a result of one character is one of the
// shared strs.
// The caller has seen to it that neither side is below 0.
static Value pad_quick(Vm *vm, const Str *str, char fill, size_t left,
                       size_t right)
{
    if (left + right + str->length == 1) {
        return value_or_fail(str_new(vm, &fill, 1));
    }
    Str *made = str_of_size(vm, left + str->length + right);
    if (made == NULL) {
        return VALUE_FAIL;
    }
    memset(made->text, fill, left);
    memset(made->text + left + str->length, fill, right);
    if (!bulk_copy(&vm->ctx, made->text + left, str->text, str->length)) {
        object_release(&vm->ctx, made);
        return VALUE_FAIL;
    }
    made->count = left + str->count + right;
    return str_value(made);
}

// ljust, rjust and center by the padding of format(): a width below the length
// leaves the text as it is. `align` is a letter of format(): '<', '>' or '^'.
// Owned.
static Value pad_method(Vm *vm, Value *args, char align)
{
    FormatSpec spec = {.fill = " ", .fill_size = 1};
    if (!value_to_index(vm, args[1], &spec.width)) {
        return VALUE_FAIL;
    }
    if (!value_unbound(args[2])) {
        if (!value_is_str(args[2])) {
            return raise_error(vm, ERR_TYPE,
                               "The fill character must be a unicode "
                               "character, not %s",
                               type_name(type_of(vm, args[2])));
        }
        Str *fill = value_as_str(args[2]);
        if (fill->count != 1) {
            return raise_error(vm, ERR_TYPE,
                               "The fill character must be exactly one "
                               "character long");
        }
        memcpy(spec.fill, fill->text, fill->length);
        spec.fill_size = (uint8_t)fill->length;
    }
    Str *str = value_as_str(args[0]);
    int64_t room = spec.width - (int64_t)str->count;
    if (room > 0 && room < PAD_QUICK && spec.fill_size == 1) {
        // The odd one goes to the left if the width is odd.
        int64_t left = align == '>'   ? room
                       : align == '<' ? 0
                                      : room / 2 + (room & spec.width & 1);
        return pad_quick(vm, str, spec.fill[0], (size_t)left,
                         (size_t)(room - left));
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    // In two parts, for format's '^' would put the odd one to the right.
    // A fill beyond ASCII, or very wide padding: character by character.
    if (align == '^' && room > 0) {
        // The odd one goes to the left if the width is odd.
        int64_t left = room / 2 + (room & spec.width & 1);
        FormatSpec first = spec;
        first.width = left + (int64_t)str->count;
        format_pad(&out, &first, str->text, str->length, '>');
        for (int64_t i = left; i < room && strbuf_ok(&out); i++) {
            strbuf_add(&out, spec.fill, spec.fill_size);
        }
    } else {
        format_pad(&out, &spec, str->text, str->length, align);
    }
    return value_or_fail(str_from_buf(vm, &out));
}

static Value method_ljust(Vm *vm, Value *args)
{
    return pad_method(vm, args, '<');
}

// Padding in front.
static Value method_rjust(Vm *vm, Value *args)
{
    return pad_method(vm, args, '>');
}

static Value method_center(Vm *vm, Value *args)
{
    return pad_method(vm, args, '^');
}

// Zeros go behind a sign, so that the result reads as the same number. The
// width counts the sign.
// A sign is looked for in the first byte alone; the empty text ends in a zero
// byte, which is none.
static Value method_zfill(Vm *vm, Value *args)
{
    int64_t width;
    Str *str = value_as_str(args[0]);
    if (!value_to_index(vm, args[1], &width)) {
        return VALUE_FAIL;
    }
    bool sign = str->text[0] == '-' || str->text[0] == '+';
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_add(&out, str->text, sign);
    if (width > (int64_t)str->count) {
        strbuf_pad(&out, '0', (size_t)width - str->count);
    }
    strbuf_add(&out, str->text + sign, str->length - sign);
    return value_or_fail(str_from_buf(vm, &out));
}

// Columns count code points: a continuation byte does not move on. A line end
// starts anew; a width of 0 or less drops the tabs.
// The step is up to the next multiple of the width.
static Value method_expandtabs(Vm *vm, Value *args)
{
    int width = 8;
    int64_t column = 0;
    if (!value_unbound(args[1]) && !value_to_c_int(vm, args[1], &width)) {
        return VALUE_FAIL;
    }
    Str *str = value_as_str(args[0]);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (size_t i = 0; i < str->length && strbuf_ok(&out); i++) {
        char c = str->text[i];
        if (c == '\t') {
            int64_t step = width > 0 ? width - column % width : 0;
            strbuf_pad(&out, ' ', (size_t)step);
            // The column in the result, not in the text.
            column += step;
            continue;
        }
        strbuf_putc(&out, c);
        column = c == '\n' || c == '\r' ? 0 : column + ((c & 0xC0) != 0x80);
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// args[1] and args[2] are *args and **kwargs as the caller gave them.
static Value method_format(Vm *vm, Value *args)
{
    return format_fields(vm, value_as_str(args[0]), value_as_tuple(args[1]),
                         args[2]);
}

// The mapping is passed as it is, not copied into a dict.
// Fields then go through __getitem__ of the mapping, so that __missing__ has
// its say.
static Value method_format_map(Vm *vm, Value *args)
{
    return format_fields(vm, value_as_str(args[0]), NULL, args[1]);
}

static Value method_encode(Vm *vm, Value *args)
{
    return bytes_encode(vm, "encode", args[0], args[1], args[2]);
}

// The signatures are parsed and bind the arguments: what was not given arrives
// as VALUE_UNBOUND.
const NativeDef str_methods[] = {
    NEWARGS_ROW,
    {"encode", "self, /, encoding='utf-8', errors='strict'", method_encode,
     "The bytes of the text."},
    {"find", "self, sub, start=0, end=None, /", str_method_find,
     "Where sub stands first, or -1."},
    {"rfind", "self, sub, start=0, end=None, /", str_method_rfind,
     "Where sub stands last, or -1."},
    {"index", "self, sub, start=0, end=None, /", str_method_index,
     "Where sub stands first, or ValueError."},
    {"rindex", "self, sub, start=0, end=None, /", str_method_rindex,
     "Where sub stands last, or ValueError."},
    {"count", "self, sub, start=0, end=None, /", str_method_count,
     "How often sub occurs without overlap."},
    {"startswith", "self, prefix, start=0, end=None, /", str_method_startswith,
     "True if it starts with prefix, or one of a tuple."},
    {"endswith", "self, suffix, start=0, end=None, /", str_method_endswith,
     "True if it ends with suffix, or one of a tuple."},
    {"replace", "self, old, new, count=-1, /", str_method_replace,
     "With old replaced by new, at most count times."},
    {"strip", "self, chars=None, /", method_strip,
     "Without white space (or chars) at both ends."},
    {"lstrip", "self, chars=None, /", method_lstrip,
     "Without white space (or chars) in front."},
    {"rstrip", "self, chars=None, /", method_rstrip,
     "Without white space (or chars) at the end."},
    {"removeprefix", "self, prefix, /", str_method_removeprefix,
     "Without this prefix."},
    {"removesuffix", "self, suffix, /", str_method_removesuffix,
     "Without this suffix."},
    {"ljust", "self, width, fillchar=' ', /", method_ljust,
     "Padded at the end."},
    {"rjust", "self, width, fillchar=' ', /", method_rjust, "Padded in front."},
    {"center", "self, width, fillchar=' ', /", method_center,
     "Padded at both ends."},
    {"zfill", "self, width, /", method_zfill, "Padded with zeros."},
    {"expandtabs", "self, tabsize=8", method_expandtabs,
     "With tabs replaced by spaces."},
    {"format", "self, /, *args, **kwargs", method_format,
     "With its {fields} filled in."},
    {"format_map", "self, mapping, /", method_format_map,
     "With its {fields} filled in from a mapping."},
    {"translate", "self, table, /", str_method_translate,
     "Each character replaced by what the table has for it."},
    {"lower", "self, /", str_method_lower, "In lower case."},
    {"upper", "self, /", str_method_upper, "In upper case."},
    {"title", "self, /", str_method_title, "Each Word In Title Case."},
    {"capitalize", "self, /", str_method_capitalize, "First letter upper."},
    {"swapcase", "self, /", str_method_swapcase, "Upper and lower swapped."},
    {"casefold", "self, /", str_method_casefold, "For caseless comparison."},
    {"isalpha", "self, /", str_method_isalpha, "All are letters."},
    {"isdigit", "self, /", str_method_isdigit, "All are digits."},
    {"isdecimal", "self, /", str_method_isdecimal, "All are decimal digits."},
    {"isnumeric", "self, /", str_method_isnumeric, "All are numeric."},
    {"isalnum", "self, /", str_method_isalnum, "All are letters or digits."},
    {"isspace", "self, /", str_method_isspace, "All are white space."},
    {"isupper", "self, /", str_method_isupper, "No letter is lower case."},
    {"islower", "self, /", str_method_islower, "No letter is upper case."},
    {"istitle", "self, /", str_method_istitle, "Words Are Like This."},
    {"isascii", "self, /", str_method_isascii, "All are below 128."},
    {"isprintable", "self, /", str_method_isprintable, "repr escapes none."},
    {"isidentifier", "self, /", str_method_isidentifier, "It is a name."},
    {"split", "self, /, sep=None, maxsplit=-1", str_method_split,
     "The words, or the parts between sep."},
    {"rsplit", "self, /, sep=None, maxsplit=-1", str_method_rsplit,
     "As split, counting from the end."},
    {"splitlines", "self, /, keepends=False", str_method_splitlines,
     "The lines."},
    {"join", "self, iterable, /", str_method_join,
     "The strings with this one between them."},
    {"partition", "self, sep, /", str_method_partition,
     "(before, sep, after) at the first sep."},
    {"rpartition", "self, sep, /", str_method_rpartition,
     "(before, sep, after) at the last sep."},
    {0}};
