// text % values, for str and bytes: the conversions of C's printf, and %r, %a.
//
// The template is read once, from left to right. Invariant: `out` is valid
// UTF-8 for a str; for bytes it holds any bytes, so that nothing here may
// count its code points.
#include <string.h>

#include "base/utf8.h"
#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/format.h"
#include "interp/objects/text/obj_bytes.h"

typedef struct Percent {
    Vm *vm;
    bool bytes; // the template is bytes, and so is the result
    StrBuf out;
    const char *start, *at, *end; // of the template
    Value mapping; // where %(name) looks; UNBOUND: the values are none
    Tuple *args;   // NULL: `single` is the only value
    Value single;  // owned by `item` or by the caller
    Value item;    // what the last %(name) gave, owned
    size_t next;   // of args; 1 when `single` was taken
} Percent;

// Borrowed. A single value may be taken once only. "Not enough" is told when a
// value is wanted, so that what precedes it in the template has been converted
// already, side effects included.
static Value next_value(Percent *p)
{
    size_t count = p->args == NULL ? 1 : p->args->count;
    if (p->next >= count) {
        return raise_error(p->vm, ERR_TYPE,
                           "not enough arguments for format string");
    }
    return p->args == NULL ? (p->next++, p->single) : p->args->items[p->next++];
}

// A width or precision that was given as '*'. What exceeds `most` is told in
// the words of C. Bools count as ints, and nothing else with an __index__ does.
static bool percent_star(Percent *p, int64_t most, int64_t *out)
{
    Value v = next_value(p);
    if (value_failed(v)) {
        return false;
    }
    if (!value_is_integer(v) && !value_is_bool(v)) {
        return raise_false(p->vm, ERR_TYPE, "* wants int");
    }
    return (int_to_i64(v, out) && *out <= most && *out >= -most - 1) ||
           raise_false(p->vm, ERR_OVERFLOW,
                       "Python int too large to convert to C %s",
                       most == INT32_MAX ? "int" : "ssize_t");
}

// A width or precision: digits, or '*' for the next value. -1: none. A width
// may be as large as any length, a precision as large as an int of C.
static bool percent_number(Percent *p, const char *what, int64_t most,
                           int64_t *out)
{
    *out = -1;
    if (p->at < p->end && *p->at == '*') {
        p->at++;
        return percent_star(p, most, out);
    }
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        // Tested before it is multiplied: the limit may be the largest number
        // that there is.
        int digit = *p->at - '0';
        if (*out > (most - digit) / 10) {
            return raise_false(p->vm, ERR_VALUE, "%s too big", what);
        }
        *out = (*out < 0 ? 0 : *out) * 10 + digit;
    }
    return true;
}

// '+' wins over ' ', and '-' over '0', as in C. In any order and as often as
// they come; the first other character ends them.
static void percent_flags(Percent *p, FormatSpec *spec)
{
    for (; p->at < p->end; p->at++) {
        switch (*p->at) {
        // A later '0' does not undo it: percent_number_text looks at the
        // alignment first.
        case '-': spec->align = '<'; break;
        case '+': spec->sign = '+'; break;
        case ' ': spec->sign = spec->sign == '+' ? '+' : ' '; break;
        case '#': spec->alternate = true; break;
        case '0': spec->fill[0] = '0'; break;
        default: return;
        }
    }
}

// Text without a sign: padded with spaces whatever the flags say. Text of bytes
// may be no UTF-8, so that format_pad, which counts code points, is of no use
// for it.
static void add_text(Percent *p, FormatSpec *spec, const char *text,
                     size_t length)
{
    spec->fill[0] = ' ';
    if (!p->bytes) {
        format_pad(&p->out, spec, text, length, '>');
        return;
    }
    int64_t room = spec->width - (int64_t)length;
    size_t pad = room > 0 ? (size_t)room : 0;
    strbuf_pad(&p->out, ' ', spec->align == '<' ? 0 : pad);
    strbuf_add(&p->out, text, length);
    strbuf_pad(&p->out, ' ', spec->align == '<' ? pad : 0);
}

// %s %r %a of a str, %r and %a of bytes: precision cuts the text. The text is
// made in full and then cut, as a __str__ cannot be asked for a part.
static bool percent_text(Percent *p, FormatSpec *spec, Value v)
{
    Str *text = spec->type == 's'               ? value_str(p->vm, v)
                : spec->type == 'a' || p->bytes ? value_ascii(p->vm, v)
                                                : value_repr(p->vm, v);
    if (text == NULL) {
        return false;
    }
    size_t length = text->length;
    if ((spec->width >= 0 || spec->precision >= 0) && !note_text(p->vm, text)) {
        object_release(&p->vm->ctx, text);
        return false;
    }
    if (spec->precision >= 0 && (size_t)spec->precision < text->count) {
        length = str_offset(p->vm, text, (size_t)spec->precision);
    }
    add_text(p, spec, text->text, length);
    object_release(&p->vm->ctx, text);
    return true;
}

// The bytes that v stands for in b"%s", owned. bytes itself, or what __bytes__
// gives; a str is refused, since it would need an encoding.
static Value percent_bytes_of(Percent *p, Value v)
{
    Value made = bytes_from_method(p->vm, v);
    return !value_unbound(made)
               ? made
               : raise_error(p->vm, ERR_TYPE,
                             "%%b requires a bytes-like object, or an object "
                             "that implements __bytes__, not '%s'",
                             type_name(type_of(p->vm, v)));
}

static bool percent_bytes(Percent *p, FormatSpec *spec, Value v)
{
    Value bytes = percent_bytes_of(p, v);
    if (value_failed(bytes)) {
        return false;
    }
    size_t length = bytes_length(bytes);
    if (spec->precision >= 0 && (size_t)spec->precision < length) {
        length = (size_t)spec->precision;
    }
    add_text(p, spec, bytes_text(bytes), length);
    release(p->vm, bytes);
    return true;
}

// The number of a %c, with what stands for "too large" if it is.
static bool percent_codepoint(Percent *p, Value v, int64_t *out)
{
    if (!value_to_index(p->vm, v, out)) {
        if (raise_matches(p->vm, ERR_TYPE)) {
            // Of no __index__, or of one that failed so.
            raise_clear(p->vm);
            return raise_false(p->vm, ERR_TYPE,
                               p->bytes ? "%%c requires an integer in "
                                          "range(256) or a single byte"
                                        : "%%c requires int or char");
        }
        if (!raise_matches(p->vm, ERR_OVERFLOW)) {
            return false;
        }
        // An int beyond 64 bits is out of range as well, and is told in the
        // same words.
        raise_clear(p->vm);
        *out = -1;
    }
    if (*out < 0 || *out > (p->bytes ? 0xFF : 0x10FFFF)) {
        return raise_false(p->vm, ERR_OVERFLOW, "%%c arg not in range(%s)",
                           p->bytes ? "256" : "0x110000");
    }
    return true;
}

// %c: a single character, or the number of one. A surrogate is a character like
// others and is written as its three bytes.
static bool percent_char(Percent *p, FormatSpec *spec, Value v)
{
    if (p->bytes ? value_is_kind(v, KIND_BYTES) && bytes_length(v) == 1
                 : value_is_str(v) && value_as_str(v)->count == 1) {
        add_text(p, spec, p->bytes ? bytes_text(v) : value_as_str(v)->text,
                 p->bytes ? 1 : value_as_str(v)->length);
        return true;
    }
    int64_t codepoint;
    if (!percent_codepoint(p, v, &codepoint)) {
        return false;
    }
    char text[UTF8_MAX_BYTES + 1] = {(char)codepoint};
    size_t length = p->bytes ? 1 : utf8_encode((uint32_t)codepoint, text);
    add_text(p, spec, text, length);
    return true;
}

// Sign, prefix and digits, padded as the flags say. `prefix` stands between the
// sign and the zeros that fill up: -0x00ff.
static void percent_number_text(Percent *p, FormatSpec *spec, bool negative,
                                const char *prefix, const char *digits,
                                size_t length)
{
    char sign[4] = {0};
    size_t used = 0;
    if (negative || spec->sign != 0) {
        sign[used++] = negative ? '-' : spec->sign;
    }
    memcpy(sign + used, prefix, strlen(prefix));
    // '-' was not given: zeros go behind the sign, spaces in front of it.
    if (spec->align == 0) {
        spec->align = spec->fill[0] == '0' ? '=' : '>';
    } else {
        spec->fill[0] = ' ';
    }
    format_number(&p->out, spec, sign, digits, length, 3);
}

// %e %f %g: anything with __float__. bytes tells every failure in one way. The
// sign of a NaN is never shown.
static bool percent_float(Percent *p, FormatSpec *spec, Value v)
{
    double d;
    if (!value_to_double(p->vm, v, &d)) {
        if (!p->bytes) {
            return false;
        }
        raise_clear(p->vm);
        return raise_false(p->vm, ERR_TYPE, "float argument required, not %s",
                           type_name(type_of(p->vm, v)));
    }
    StrBuf digits;
    strbuf_init(&digits, &p->vm->ctx);
    format_digits(&digits, d, spec->type, spec->precision, spec->alternate);
    percent_number_text(p, spec, __builtin_signbit(d) && d == d, "",
                        strbuf_text(&digits), digits.length);
    bool ok = strbuf_ok(&digits);
    strbuf_free(&digits);
    return ok;
}

// The value as an int, owned: %d takes floats and what has __int__, too. Takes
// nothing of `v`. A float is cut towards zero by %d and refused by %x.
static Value percent_whole(Percent *p, char type, Value v)
{
    if (value_is_integer(v) || value_is_bool(v)) {
        return value_retain(v);
    }
    // x, o and X need an int or an __index__; a float is refused.
    bool decimal = type == 'd' || type == 'i' || type == 'u';
    Type *cls = type_of(p->vm, v);
    // A number has one of the three methods: "%d" % "3" is an error.
    if (cls->slots.to_int != NULL || cls->slots.index != NULL ||
        cls->slots.to_float != NULL) {
        Value whole = decimal ? int_of_value(p->vm, v) : value_index(p->vm, v);
        if (!value_failed(whole) || !raise_matches(p->vm, ERR_TYPE)) {
            return whole;
        }
        // A TypeError is told as the format's.
        raise_clear(p->vm);
    }
    return raise_error(p->vm, ERR_TYPE,
                       decimal ? "%%%c format: a real number is required, not "
                                 "%s"
                               : "%%%c format: an integer is required, not %s",
                       p->bytes && type == 'i' ? 'd' : type, type_name(cls));
}

// Precision is the least number of digits, as in C. Zeros up to the precision
// are digits, those up to the width are filling; only the second are undone by
// '-'.
static bool percent_int(Percent *p, FormatSpec *spec, Value v)
{
    Value whole = percent_whole(p, spec->type, v);
    if (value_failed(whole)) {
        return false;
    }
    char type = spec->type;
    int base = type == 'o' ? 8 : type == 'x' || type == 'X' ? 16 : 10;
    StrBuf digits;
    strbuf_init(&digits, &p->vm->ctx);
    int_print(p->vm, &digits, whole, base);
    release(p->vm, whole);
    const char *at = strbuf_text(&digits);
    bool negative = *at == '-';
    // The digits, filled up with zeros to the precision.
    StrBuf body;
    strbuf_init(&body, &p->vm->ctx);
    size_t length = digits.length - negative;
    if (spec->precision > (int64_t)length) {
        strbuf_pad(&body, '0', (size_t)spec->precision - length);
    }
    for (size_t i = negative; i < digits.length; i++) {
        char c = at[i];
        // int_print writes lower case alone.
        strbuf_putc(&body, type == 'X' && c >= 'a' ? (char)(c - 32) : c);
    }
    // Python's prefix for %#o is "0o", where C writes "0".
    const char *prefix = !spec->alternate || base == 10 ? ""
                         : base == 8                    ? "0o"
                         : type == 'x'                  ? "0x"
                                                        : "0X";
    percent_number_text(p, spec, negative, prefix, strbuf_text(&body),
                        body.length);
    bool ok = strbuf_ok(&digits) && strbuf_ok(&body);
    strbuf_free(&digits);
    strbuf_free(&body);
    return ok;
}

// `at` is behind the letter, whose index the message tells. A letter that is no
// ASCII is shown as a whole, with its code point.
static bool unsupported(Percent *p)
{
    uint32_t letter = (unsigned char)p->at[-1];
    size_t index = (size_t)(p->at - 1 - p->start);
    char text[UTF8_MAX_BYTES + 1] = {p->at[-1]};
    if (!p->bytes) {
        index = utf8_count(p->start, index);
        size_t size =
            utf8_decode(p->at - 1, (size_t)(p->end - p->at + 1), &letter);
        memcpy(text, p->at - 1, size == 0 ? 1 : size);
    }
    bool shown = letter >= ' ' && (letter < 127 || !p->bytes);
    return raise_false(p->vm, ERR_VALUE,
                       "unsupported format character '%s' (0x%x) at index %zu",
                       shown ? text : "?", letter, index);
}

// A tensor that a trace does not know: its name, and how its value will be
// converted.
static bool percent_symbol(Percent *p, const FormatSpec *spec, Value v)
{
    Vm *vm = p->vm;
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    strbuf_puts(&text, spec->align == '<' ? "%-" : "%");
    strbuf_puts(&text, spec->fill[0] == '0' ? "0" : "");
    strbuf_puts(&text, spec->alternate ? "#" : "");
    strbuf_printf(&text, "%.1s", spec->sign != 0 ? &spec->sign : "");
    if (spec->width >= 0) {
        strbuf_printf(&text, "%lld", (long long)spec->width);
    }
    if (spec->precision >= 0) {
        strbuf_printf(&text, ".%lld", (long long)spec->precision);
    }
    strbuf_putc(&text, spec->type);
    Str *conversion = str_from_buf(vm, &text);
    Str *name = conversion != NULL ? value_repr(vm, v) : NULL;
    Str *words = name != NULL
                     ? str_printf(vm, "<%s:%s>", name->text, conversion->text)
                     : NULL;
    bool ok = words != NULL &&
              vm->hooks->worded(vm, v, words, TEXT_PERCENT, conversion);
    if (ok) {
        strbuf_add(&p->out, words->text, words->length);
    }
    object_release_null(&vm->ctx, words);
    object_release_null(&vm->ctx, name);
    object_release_null(&vm->ctx, conversion);
    return ok;
}

// One conversion of a value. The letter is any character of the template; what
// stands for none is refused here, not before.
static bool percent_value(Percent *p, FormatSpec *spec, Value v)
{
    if (value_is_kind(v, KIND_SYMBOLIC) && p->vm->trace != NULL &&
        strchr("diuoxXeEfFgG", spec->type) != NULL && !p->bytes) {
        return percent_symbol(p, spec, v);
    }
    switch (spec->type) {
    case 's':
        return p->bytes ? percent_bytes(p, spec, v) : percent_text(p, spec, v);
    case 'b': return p->bytes ? percent_bytes(p, spec, v) : unsupported(p);
    case 'r':
    case 'a': return percent_text(p, spec, v);
    case 'c': return percent_char(p, spec, v);
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': return percent_int(p, spec, v);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': return percent_float(p, spec, v);
    default: return unsupported(p);
    }
}

// %(name): the mapping's item is the only value from here on. Parentheses
// within the name are counted, so that "%(f(x))s" has the key "f(x)".
static bool percent_named(Percent *p)
{
    if (value_unbound(p->mapping)) {
        return raise_false(p->vm, ERR_TYPE, "format requires a mapping");
    }
    // The key is a text, even if it is a number.
    const char *start = ++p->at;
    int depth = 1;
    for (; p->at < p->end; p->at++) {
        depth += *p->at == '(' ? 1 : *p->at == ')' ? -1 : 0;
        if (depth == 0) {
            break;
        }
    }
    if (p->at >= p->end) {
        return raise_false(p->vm, ERR_VALUE, "incomplete format key");
    }
    size_t length = (size_t)(p->at++ - start);
    Str *name = p->bytes ? NULL : str_new(p->vm, start, length);
    Value key =
        p->bytes ? bytes_value(p->vm, start, length) : value_or_fail(name);
    Value v = value_failed(key) ? key : value_get_item(p->vm, p->mapping, key);
    release(p->vm, key);
    if (value_failed(v)) {
        return false;
    }
    // The item of the conversion before is let go only now.
    value_replace(&p->vm->ctx, &p->item, v);
    p->single = v;
    // From here on the mapping's item is the only value.
    p->args = NULL;
    p->next = 0;
    return true;
}

// Flags, width, precision and the modifier that Python ignores. Each part may
// be missing, and the order is fixed.
static bool percent_spec(Percent *p, FormatSpec *spec)
{
    percent_flags(p, spec);
    bool given = p->at < p->end && *p->at == '*';
    if (!percent_number(p, "width", INT64_MAX, &spec->width)) {
        return false;
    }
    // Of a '*' alone: a negative width means '-', as in C.
    if (given && spec->width < 0) {
        spec->align = '<';
        spec->width = spec->width == INT64_MIN ? INT64_MAX : -spec->width;
    }
    if (p->at < p->end && *p->at == '.') {
        p->at++;
        if (!percent_number(p, p->bytes ? "prec" : "precision", INT32_MAX,
                            &spec->precision)) {
            return false;
        }
        // A point without digits is a precision of 0.
        spec->precision = spec->precision < 0 ? 0 : spec->precision;
    }
    if (p->at < p->end && (*p->at == 'l' || *p->at == 'h' || *p->at == 'L')) {
        p->at++;
    }
    return p->at < p->end || raise_false(p->vm, ERR_VALUE, "incomplete format");
}

// One specifier, behind its '%'. "%%" alone takes no value. The letter is read
// before a value is taken, so that a template which ends too early is told as
// such.
static bool percent_field(Percent *p)
{
    if (p->at < p->end && *p->at == '%') {
        p->at++;
        strbuf_putc(&p->out, '%');
        return true;
    }
    FormatSpec spec = {
        .fill = " ", .fill_size = 1, .width = -1, .precision = -1};
    if (p->at < p->end && *p->at == '(' && !percent_named(p)) {
        return false;
    }
    if (!percent_spec(p, &spec)) {
        return false;
    }
    spec.type = *p->at++;
    Value v = next_value(p);
    if (value_failed(v)) {
        return false;
    }
    // The conversion may run code that lets go of the values.
    value_retain(v);
    bool ok = percent_value(p, &spec, v);
    release(p->vm, v);
    return ok && strbuf_ok(&p->out);
}

// Text between specifiers, and each of them. Plain text is copied in stretches
// up to the next '%'.
static bool percent_run(Percent *p)
{
    while (p->at < p->end) {
        if (!ctx_poll(&p->vm->ctx)) {
            return false;
        }
        const char *next = memchr(p->at, '%', (size_t)(p->end - p->at));
        next = next == NULL ? p->end : next;
        strbuf_add(&p->out, p->at, (size_t)(next - p->at));
        p->at = next;
        if (p->at < p->end) {
            p->at++;
            if (!percent_field(p)) {
                return false;
            }
        }
    }
    // A mapping's keys need not all be used; other values must be.
    size_t count = p->args == NULL ? 1 : p->args->count;
    return !value_unbound(p->mapping) || p->next >= count ||
           raise_false(p->vm, ERR_TYPE,
                       "not all arguments converted during %s formatting",
                       p->bytes ? "bytes" : "string");
}

// What has items by key, and is no text or tuple. By this test a list has items
// too, and is only not complained of when it is left over.
static bool is_mapping(Vm *vm, Value v, bool bytes)
{
    const Type *type = type_of(vm, v);
    return !value_is_str(v) && !value_is_kind(v, KIND_TUPLE) &&
           !(bytes && value_is_kind(v, KIND_BYTES)) &&
           !(type->def->flags & TYPE_BY_PLACE) && type->slots.get_item != NULL;
}

// A tuple is its items; anything else is one value.
Value format_percent(Vm *vm, Value text, Value args)
{
    bool bytes = value_is_kind(text, KIND_BYTES);
    const char *start = bytes ? bytes_text(text) : value_as_str(text)->text;
    size_t length = bytes ? bytes_length(text) : value_as_str(text)->length;
    Percent p = {.vm = vm,
                 .bytes = bytes,
                 .start = start,
                 .at = start,
                 .end = start + length,
                 .mapping = is_mapping(vm, args, bytes) ? args : VALUE_UNBOUND,
                 .single = args,
                 .item = VALUE_UNBOUND};
    p.args = value_is_kind(args, KIND_TUPLE) ? value_as_tuple(args) : NULL;
    strbuf_init(&p.out, &vm->ctx);
    bool ok = percent_run(&p);
    release(vm, p.item);
    // str_from_buf takes the buffer, bytes_value copies it.
    if (!ok || !bytes) {
        Str *result = ok ? str_from_buf(vm, &p.out) : NULL;
        if (!ok) {
            strbuf_free(&p.out);
        }
        return value_or_fail(result);
    }
    Value result = strbuf_ok(&p.out)
                       ? bytes_value(vm, strbuf_text(&p.out), p.out.length)
                       : VALUE_FAIL;
    strbuf_free(&p.out);
    return result;
}
