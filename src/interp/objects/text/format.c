// Format specifications: how they are read, and those of int and str.
// Every number is made as sign or prefix and a run of digits; format_number
// alone knows about grouping and padding.
#include "interp/objects/text/format.h"

#include <string.h>

#include "base/char_class.h"
#include "base/utf8.h"
#include "interp/hooks/note.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/protocol/protocol.h"

// '=' puts the padding between the sign and the digits.
static bool is_align(char c)
{
    return c == '<' || c == '>' || c == '^' || c == '=';
}

// The decimal digit of any script at `at`, -1: none; how many bytes it takes.
static int digit_at(const char *at, size_t *size)
{
    uint32_t point = (unsigned char)*at;
    *size = 1;
    if (point < 0x80) {
        return point >= '0' && point <= '9' ? (int)point - '0' : -1;
    }
    // The text is valid up to its NUL: what is cut off there decodes to none.
    *size = utf8_decode(at, strnlen(at, UTF8_MAX_BYTES), &point);
    return *size == 0 ? -1 : char_decimal(point);
}

// Decimal digits at *at; -1 if there are none. False: too many for 64 bits;
// what is merely too large for a text is told when the whole is known.
static bool parse_number(Vm *vm, const char **at, int64_t *out)
{
    *out = -1;
    int digit;
    for (size_t size; (digit = digit_at(*at, &size)) >= 0; *at += size) {
        int64_t above = *out < 0 ? 0 : *out;
        if (__builtin_mul_overflow(above, 10, out) ||
            __builtin_add_overflow(*out, digit, out)) {
            return raise_false(vm, ERR_VALUE,
                               "Too many decimal digits in format string");
        }
    }
    return true;
}

// The fill may be any one code point, but only if an alignment follows; so the
// character behind it is looked at first. Returns where the rest begins.
static const char *parse_align(const char *at, size_t length, FormatSpec *spec)
{
    // Decoded to know its size; the bytes themselves are the fill.
    uint32_t codepoint;
    size_t size = length > 0 ? utf8_decode(at, length, &codepoint) : 0;
    if (size > 0 && size < length && is_align(at[size])) {
        memcpy(spec->fill, at, size);
        spec->fill_size = (uint8_t)size;
        spec->align = at[size];
        return at + size + 1;
    }
    if (is_align(*at)) {
        spec->align = *at++;
    }
    return at;
}

// In the fixed order of the grammar: sign, z, #, 0. A leading 0 means fill '0'
// and alignment '=', each unless it was given.
static const char *parse_flags(const char *at, FormatSpec *spec)
{
    if (*at == '+' || *at == '-' || *at == ' ') {
        spec->sign = *at++;
    }
    if (*at == 'z') {
        spec->no_minus_zero = true;
        at++;
    }
    if (*at == '#') {
        spec->alternate = true;
        at++;
    }
    if (*at == '0') {
        if (spec->fill_size == 0) {
            spec->fill[0] = '0';
            spec->fill_size = 1;
        }
        if (spec->align == 0) {
            spec->align = '=';
            spec->align_implied = true;
        }
        at++;
    }
    return at;
}

// For a type letter that the value's class does not know.
bool format_unknown_code(Vm *vm, uint32_t letter, Value v)
{
    const char *name = type_name(type_of(vm, v));
    return letter > 32 && letter < 127
               ? raise_false(vm, ERR_VALUE,
                             "Unknown format code '%c' for object of type "
                             "'%s'",
                             (char)letter, name)
               : raise_false(vm, ERR_VALUE,
                             "Unknown format code '\\x%x' for object of type "
                             "'%s'",
                             letter, name);
}

// Groups are for decimal digits, '_' also for digits of other bases.
static bool check_grouping(Vm *vm, char separator, uint32_t letter)
{
    if (separator == 0 || letter == 0 ||
        (letter < 127 &&
         (strchr("defgEG%F", (char)letter) != NULL ||
          (separator == '_' && strchr("boxX", (char)letter) != NULL)))) {
        return true;
    }
    return letter > 32 && letter < 127
               ? raise_false(vm, ERR_VALUE, "Cannot specify '%c' with '%c'.",
                             separator, (char)letter)
               : raise_false(vm, ERR_VALUE, "Cannot specify '%c' with '\\x%x'.",
                             separator, letter);
}

// The separator of groups, between width and precision: not both kinds.
static bool parse_grouping(Vm *vm, const char **at, FormatSpec *spec)
{
    if (**at == ',') {
        spec->grouping = *(*at)++;
    }
    if (**at == '_') {
        if (spec->grouping != 0) {
            return raise_false(vm, ERR_VALUE,
                               "Cannot specify both ',' and '_'.");
        }
        spec->grouping = *(*at)++;
    }
    return !(**at == ',' && spec->grouping == '_') ||
           raise_false(vm, ERR_VALUE, "Cannot specify both ',' and '_'.");
}

// The specification is shown whole: as an object, since a NUL in it would end
// the text of an error.
static bool invalid_spec(Vm *vm, Str *text, Value v)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_puts(&out, "Invalid format specifier '");
    strbuf_add(&out, text->text, text->length);
    strbuf_printf(&out, "' for object of type '%s'", type_name(type_of(vm, v)));
    Str *message = str_from_buf(vm, &out);
    if (message != NULL) {
        raise_with(vm, ERR_VALUE, str_value(message));
        object_release(&vm->ctx, message);
    }
    return false;
}

// The text has a NUL at its end, so single characters may be read without a
// check; `end` then tells a real end from a NUL inside.
bool format_parse(Vm *vm, Value v, char type, Str *text, FormatSpec *spec)
{
    // 0 stands for "not given" in the letters; the numbers get -1 below.
    memset(spec, 0, sizeof *spec);
    const char *end = text->text + text->length;
    // [[fill]align][sign][z][#][0][width][grouping][.precision][type]
    const char *at = parse_align(text->text, text->length, spec);
    at = parse_flags(at, spec);
    if (spec->fill_size == 0) {
        spec->fill[0] = ' ';
        spec->fill_size = 1;
    }
    if (!parse_number(vm, &at, &spec->width) ||
        !parse_grouping(vm, &at, spec)) {
        return false;
    }
    spec->precision = -1;
    if (*at == '.') {
        at++;
        if (!parse_number(vm, &at, &spec->precision)) {
            return false;
        }
        if (spec->precision < 0) {
            return raise_false(vm, ERR_VALUE,
                               "Format specifier missing precision");
        }
    }
    // The type is one letter; whether it is known is asked by the formatter.
    uint32_t letter = 0;
    if (at < end) {
        size_t size = utf8_decode(at, (size_t)(end - at), &letter);
        spec->type = *at;
        at += size == 0 ? 1 : size;
    }
    if (at != end) {
        return invalid_spec(vm, text, v);
    }
    // Only a float takes a NUL for no letter.
    if (type != 0 && at > text->text && at[-1] == '\0') {
        return format_unknown_code(vm, 0, v);
    }
    if (!check_grouping(vm, spec->grouping,
                        letter != 0 ? letter : (unsigned char)type)) {
        return false;
    }
    // No class knows a letter beyond ASCII.
    return letter == 0 || (letter > 32 && letter < 127) ||
           format_unknown_code(vm, letter, v);
}

// Takes the buffer. VALUE_FAIL: it has failed on the way.
Value format_finish(Vm *vm, StrBuf *out)
{
    return value_or_fail(str_from_buf(vm, out));
}

// 'c': the character of a code point, on the right as numbers are.
static Value format_char(Vm *vm, Value v, const FormatSpec *spec)
{
    int64_t codepoint;
    if (spec->sign != 0 || spec->alternate) {
        return raise_error(vm, ERR_VALUE,
                           "%s not allowed with integer format "
                           "specifier 'c'",
                           spec->sign != 0 ? "Sign" : "Alternate form (#)");
    }
    if (!int_to_i64(v, &codepoint)) {
        return raise_error(vm, ERR_OVERFLOW,
                           "Python int too large to convert to C long");
    }
    if (codepoint < 0 || codepoint > 0x10FFFF) {
        return raise_error(vm, ERR_OVERFLOW, "%%c arg not in range(0x110000)");
    }
    // Length and bytes go together: there is no NUL.
    char text[UTF8_MAX_BYTES];
    size_t length = utf8_encode((uint32_t)codepoint, text);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    format_pad(&out, spec, text, length, '>');
    return format_finish(vm, &out);
}

// 'c', 'd', 'n' and no type at all are decimal.
static int base_of(char type)
{
    switch (type) {
    case 'b': return 2;
    case 'o': return 8;
    case 'x':
    case 'X': return 16;
    default: return 10;
    }
}

// str(v): the empty specification asks a subclass for its own text.
Value format_plainly(Vm *vm, Value v)
{
    return value_or_fail(value_str(vm, v));
}

// A width alone, "5", "03d": most of what ints are formatted with, and padded
// without reading the specification in full. UNBOUND: something else.
static Value format_padded(Vm *vm, Value v, const Str *spec)
{
    enum { WIDTH_MOST = 1000 };
    const char *at = spec->text;
    bool zeros = *at == '0';
    size_t width = 0;
    for (at += zeros; *at >= '0' && *at <= '9' && width < WIDTH_MOST; at++) {
        width = width * 10 + (size_t)(*at - '0');
    }
    at += *at == 'd';
    if (!value_is_int(v) || at != spec->text + spec->length) {
        return VALUE_UNBOUND;
    }
    Value plain = int_text(vm, v);
    if (value_failed(plain) || value_as_str(plain)->length >= width) {
        return plain;
    }
    const Str *digits = value_as_str(plain);
    Str *padded = str_of_size(vm, width);
    if (padded != NULL) {
        size_t sign = zeros && digits->text[0] == '-';
        size_t gap = width - digits->length;
        memset(padded->text, zeros ? '0' : ' ', gap + sign);
        memcpy(padded->text + gap + sign, digits->text + sign,
               digits->length - sign);
        if (sign > 0) {
            padded->text[0] = '-';
        }
    }
    release(vm, plain);
    return value_or_fail(padded);
}

// The empty specification is by far the most frequent one and goes first. A
// float's type letter converts the int, which may overflow.
Value format_int(Vm *vm, Value v, Str *text)
{
    FormatSpec spec;
    if (text->length == 0) {
        return format_plainly(vm, v);
    }
    Value padded = format_padded(vm, v, text);
    if (!value_unbound(padded)) {
        return padded;
    }
    if (!format_parse(vm, v, 'd', text, &spec)) {
        return VALUE_FAIL;
    }
    // The letters of floats: the int is converted first.
    if (spec.type != 0 && strchr("eEfFgG%", spec.type) != NULL) {
        // Parsed there once more: a rare case, not worth a second entry.
        return format_float(vm, v, text);
    }
    if (spec.type != 0 && strchr("bcdnoxX", spec.type) == NULL) {
        return format_unknown_code(vm, (unsigned char)spec.type, v), VALUE_FAIL;
    }
    // A precision has no meaning for a whole number.
    if (spec.precision >= 0) {
        return raise_error(vm, ERR_VALUE,
                           "Precision not allowed in integer format "
                           "specifier");
    }
    if (spec.no_minus_zero) {
        return raise_error(vm, ERR_VALUE,
                           "Negative zero coercion (z) not allowed in integer "
                           "format specifier");
    }
    if (spec.type == 'c') {
        return format_char(vm, v, &spec);
    }
    int base = base_of(spec.type);
    StrBuf digits, out;
    strbuf_init(&digits, &vm->ctx);
    strbuf_init(&out, &vm->ctx);
    int_print(vm, &digits, v, base);
    const char *at = strbuf_text(&digits);
    // int_print writes the sign; it is put before the prefix here.
    bool negative = *at == '-';
    // Sign and prefix together: at most "-0x" and the NUL.
    char sign[4] = {0};
    size_t used = 0;
    if (negative || spec.sign == '+' || spec.sign == ' ') {
        sign[used++] = negative ? '-' : spec.sign;
    }
    if (spec.alternate && base != 10) {
        sign[used++] = '0';
        sign[used++] = spec.type;
    }
    // int_print writes lower case only. By hand, as toupper asks the locale.
    for (size_t i = 0; spec.type == 'X' && i < digits.length; i++) {
        char c = digits.text[i];
        digits.text[i] = c >= 'a' && c <= 'f' ? (char)(c - 32) : c;
    }
    format_number(&out, &spec, sign, at + negative, digits.length - negative,
                  base == 10 ? 3 : 4);
    if (!strbuf_ok(&digits)) {
        strbuf_fail(&out);
    }
    strbuf_free(&digits);
    return format_finish(vm, &out);
}

// Precision cuts the text to that many code points. What only numbers have is
// refused.
Value format_str(Vm *vm, Value v, Str *text)
{
    // v may be of a subclass; its text is what is formatted.
    Str *str = value_as_str(v);
    FormatSpec spec;
    if (text->length == 0) {
        return format_plainly(vm, v);
    }
    if (!note_text(vm, str) || !format_parse(vm, v, 's', text, &spec)) {
        return VALUE_FAIL;
    }
    if (spec.type != 0 && spec.type != 's') {
        return format_unknown_code(vm, (unsigned char)spec.type, v), VALUE_FAIL;
    }
    // '=' from a leading 0 is let through, as "{:010}" of a str is legal.
    const char *refused =
        spec.sign == ' '     ? "Space not allowed in string format specifier"
        : spec.sign != 0     ? "Sign not allowed in string format specifier"
        : spec.no_minus_zero ? "Negative zero coercion (z) not allowed in "
                               "string format specifier"
        : spec.alternate     ? "Alternate form (#) not allowed in string "
                               "format specifier"
        : spec.align == '=' && !spec.align_implied
            ? "'=' alignment not allowed in string format specifier"
            : NULL;
    if (refused != NULL) {
        return raise_error(vm, ERR_VALUE, "%s", refused);
    }
    spec.align = spec.align == '=' ? '<' : spec.align;
    // In bytes, while precision and `count` are in code points.
    size_t length = str->length;
    if (spec.precision >= 0 && (size_t)spec.precision < str->count) {
        length = str_offset(vm, str, (size_t)spec.precision);
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    format_pad(&out, &spec, str->text, length, '<');
    return format_finish(vm, &out);
}
