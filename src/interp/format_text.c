// text % values and str.format: both read a template once, from left to right.
#include <stdlib.h>

#include "base/utf8.h"
#include "interp/format.h"
#include "interp/obj_dict.h"
#include "interp/obj_float.h"
#include "interp/obj_int.h"
#include "interp/sequence.h"

// The values of a % operation.
typedef struct Percent {
    Vm *vm;
    StrBuf out;
    const char *at, *end;
    Tuple *args; // NULL: `single` is the only value
    Value single;
    size_t next;  // of args
    bool by_name; // a %(name) was used
} Percent;

// A single value may be taken once only: percent_field counts it.
static Value next_value(Percent *p)
{
    size_t count = p->args == NULL ? 1 : p->args->count;
    if (p->next >= count) {
        return raise_error(p->vm, ERR_TYPE,
                           "not enough arguments for format string");
    }
    return value_retain(p->args == NULL ? p->single
                                        : p->args->items[p->next++]);
}

// A width or precision: digits, or '*' for the next value. -1: none.
static bool percent_number(Percent *p, int64_t *out)
{
    *out = -1;
    if (p->at < p->end && *p->at == '*') {
        p->at++;
        Value v = next_value(p);
        if (value_failed(v)) {
            return false;
        }
        bool ok = value_is_int(v);
        *out = ok ? value_small(v) : 0;
        release(p->vm, v);
        return ok || raise_false(p->vm, ERR_TYPE, "* wants int");
    }
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        *out = (*out < 0 ? 0 : *out) * 10 + (*p->at++ - '0');
        if (*out > 0x7fffffff) {
            return raise_false(p->vm, ERR_VALUE, "width too big");
        }
    }
    return true;
}

// '+' wins over ' ', and '-' over '0', as in C.
static void percent_flags(Percent *p, FormatSpec *spec)
{
    for (; p->at < p->end; p->at++) {
        switch (*p->at) {
        case '-': spec->align = '<'; break;
        case '+': spec->sign = '+'; break;
        case ' ': spec->sign = spec->sign == '+' ? '+' : ' '; break;
        case '#': spec->alternate = true; break;
        case '0': spec->fill[0] = '0'; break;
        default: return;
        }
    }
}

// %s %r %a: precision cuts the text; '0' does not fill it.
static bool percent_text(Percent *p, FormatSpec *spec, Value v)
{
    Str *text = spec->type == 's'   ? value_str(p->vm, v)
                : spec->type == 'a' ? value_ascii(p->vm, v)
                                    : value_repr(p->vm, v);
    if (text == NULL) {
        return false;
    }
    size_t length = text->length;
    if (spec->precision >= 0 && (size_t)spec->precision < text->count) {
        length = str_offset(p->vm, text, (size_t)spec->precision);
    }
    spec->fill[0] = ' ';
    format_pad(&p->out, spec, text->text, length, '>');
    object_release(&p->vm->ctx, text);
    return true;
}

static bool percent_char(Percent *p, FormatSpec *spec, Value v)
{
    char text[UTF8_MAX_BYTES + 1];
    spec->fill[0] = ' ';
    if (value_is_str(v) && value_as_str(v)->count == 1) {
        format_pad(&p->out, spec, value_as_str(v)->text,
                   value_as_str(v)->length, '>');
        return true;
    }
    if (!value_is_int(v)) {
        return raise_false(p->vm, ERR_TYPE, "%%c requires int or char");
    }
    if (value_small(v) < 0 || value_small(v) > 0x10FFFF) {
        return raise_false(p->vm, ERR_OVERFLOW,
                           "%%c arg not in range(0x110000)");
    }
    size_t length = utf8_encode((uint32_t)value_small(v), text);
    format_pad(&p->out, spec, text, length, '>');
    return true;
}

// Sign, prefix and digits, padded as the flags say.
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
    if (spec->align == 0) {
        spec->align = spec->fill[0] == '0' ? '=' : '>';
    } else {
        spec->fill[0] = ' ';
    }
    format_number(&p->out, spec, sign, digits, length, 3);
}

static bool percent_float(Percent *p, FormatSpec *spec, Value v)
{
    double d;
    if (!value_to_double(p->vm, v, &d)) {
        return false;
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

// The value as an int, owned: %d takes floats, too.
static Value percent_whole(Percent *p, char type, Value v)
{
    if (value_is_integer(v) || value_is_bool(v)) {
        return value_retain(v);
    }
    bool decimal = type == 'd' || type == 'i' || type == 'u';
    if (decimal && value_is_float(v)) {
        return int_from_double(p->vm, value_float(v));
    }
    Type *cls = type_of(p->vm, v);
    if (!value_is_float(v) && !value_is_str(v) && cls->slots.index != NULL) {
        Value index = cls->slots.index(p->vm, v);
        if (value_failed(index) && !raise_matches(p->vm, ERR_TYPE)) {
            return VALUE_FAIL;
        }
        if (!value_failed(index) && value_is_integer(index)) {
            return index;
        }
        // A TypeError, or a result that is no int, is told as the format's.
        release(p->vm, index);
        raise_clear(p->vm);
    }
    return raise_error(p->vm, ERR_TYPE,
                       decimal ? "%%%c format: a real number is required, not "
                                 "%s"
                               : "%%%c format: an integer is required, not %s",
                       type, type_name(cls));
}

// Precision is the least number of digits, as in C.
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
    StrBuf body;
    strbuf_init(&body, &p->vm->ctx);
    size_t length = digits.length - negative;
    if (spec->precision > (int64_t)length) {
        strbuf_pad(&body, '0', (size_t)spec->precision - length);
    }
    for (size_t i = negative; i < digits.length; i++) {
        char c = at[i];
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

// The conversions of C's printf, and %r and %a.
static bool percent_value(Percent *p, FormatSpec *spec, Value v)
{
    switch (spec->type) {
    case 's':
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
    default: break;
    }
    return raise_false(p->vm, ERR_VALUE,
                       "unsupported format character '%c' (0x%x) at index %zu",
                       spec->type, (unsigned char)spec->type,
                       p->next);
}

// The value of %(name): an item of the mapping. Owned.
static Value percent_named(Percent *p)
{
    const char *start = ++p->at;
    int depth = 1;
    for (; p->at < p->end; p->at++) {
        depth += *p->at == '(' ? 1 : *p->at == ')' ? -1 : 0;
        if (depth == 0) {
            break;
        }
    }
    if (p->at >= p->end) {
        return raise_error(p->vm, ERR_VALUE, "incomplete format key");
    }
    if (!value_is_object(p->single) ||
        type_of(p->vm, p->single)->slots.get_item == NULL ||
        value_is_str(p->single) || value_is_kind(p->single, KIND_TUPLE)) {
        return raise_error(p->vm, ERR_TYPE, "format requires a mapping");
    }
    Str *key = str_new(p->vm, start, (size_t)(p->at++ - start));
    if (key == NULL) {
        return VALUE_FAIL;
    }
    Value v = value_get_item(p->vm, p->single, str_value(key));
    object_release(&p->vm->ctx, key);
    p->by_name = true;
    return v;
}

// One specifier, behind its '%'.
static bool percent_field(Percent *p)
{
    FormatSpec spec = {.fill = " ", .width = -1, .precision = -1};
    Value v = VALUE_UNBOUND;
    if (p->at < p->end && *p->at == '(') {
        v = percent_named(p);
        if (value_failed(v)) {
            return false;
        }
    }
    percent_flags(p, &spec);
    bool ok = percent_number(p, &spec.width);
    if (ok && spec.width < -1) {
        spec.align = '<';
        spec.width = -spec.width;
    }
    if (ok && p->at < p->end && *p->at == '.') {
        p->at++;
        ok = percent_number(p, &spec.precision);
        spec.precision = spec.precision < 0 ? 0 : spec.precision;
    }
    while (ok && p->at < p->end &&
           (*p->at == 'l' || *p->at == 'h' || *p->at == 'L')) {
        p->at++;
    }
    if (ok && p->at >= p->end) {
        ok = raise_false(p->vm, ERR_VALUE, "incomplete format");
    }
    if (ok && *p->at == '%') {
        p->at++;
        strbuf_putc(&p->out, '%');
        release(p->vm, v);
        return true;
    }
    if (ok && value_unbound(v)) {
        v = next_value(p);
        if (p->args == NULL && !value_failed(v)) {
            p->next++;
        }
        ok = !value_failed(v);
    }
    if (ok) {
        spec.type = *p->at++;
        ok = percent_value(p, &spec, v);
    }
    release(p->vm, v);
    return ok;
}

Value format_percent(Vm *vm, Str *text, Value args)
{
    Percent p = {.vm = vm,
                 .at = text->text,
                 .end = text->text + text->length,
                 .single = args};
    p.args = value_is_kind(args, KIND_TUPLE) ? value_as_tuple(args) : NULL;
    strbuf_init(&p.out, &vm->ctx);
    bool ok = true;
    while (ok && p.at < p.end) {
        const char *next = memchr(p.at, '%', (size_t)(p.end - p.at));
        next = next == NULL ? p.end : next;
        strbuf_add(&p.out, p.at, (size_t)(next - p.at));
        p.at = next;
        if (p.at < p.end) {
            p.at++;
            ok = percent_field(&p);
        }
    }
    // A mapping's keys need not all be used; a tuple's values must be.
    bool mapping = p.args == NULL && !value_is_str(args) &&
                   type_of(vm, args)->slots.get_item != NULL;
    size_t count = p.args == NULL ? 1 : p.args->count;
    if (ok && !mapping && p.next < count) {
        ok = raise_false(
            vm, ERR_TYPE,
            "not all arguments converted during string formatting");
    }
    if (!ok) {
        strbuf_free(&p.out);
        return VALUE_FAIL;
    }
    Str *result = str_from_buf(vm, &p.out);
    return result == NULL ? VALUE_FAIL : str_value(result);
}

// The state of one str.format call.
typedef struct Fields {
    Vm *vm;
    Tuple *args;
    Value keywords; // a mapping
    int64_t next;   // automatic number; -1: numbers are written
    bool automatic; // an automatic number was used
} Fields;

static bool expand(Fields *f, StrBuf *out, const char *at, const char *end,
                   int depth);

// The positional argument of this number. Owned.
static Value numbered(Fields *f, int64_t number)
{
    if ((uint64_t)number >= f->args->count) {
        return raise_error(f->vm, ERR_INDEX,
                           "Replacement index %lld out of range for positional "
                           "args tuple",
                           (long long)number);
    }
    return value_retain(f->args->items[number]);
}

// Fewer than ten digits, so that the number fits; longer ones are names.
static bool all_digits(const char *at, const char *end)
{
    const char *start = at;
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at == end && at > start && at - start < 10;
}

// The object that the first part of a field name stands for. Owned.
static Value first_part(Fields *f, const char *at, const char *end)
{
    bool digits = all_digits(at, end);
    if (at == end || digits) {
        bool automatic = at == end;
        if ((automatic && f->next < 0) || (!automatic && f->automatic)) {
            return raise_error(
                f->vm, ERR_VALUE,
                automatic ? "cannot switch from manual field specification to "
                            "automatic field numbering"
                          : "cannot switch from automatic field numbering to "
                            "manual field specification");
        }
        if (automatic) {
            f->automatic = true;
            return numbered(f, f->next++);
        }
        f->next = -1;
        return numbered(f, atoll(at));
    }
    Str *name = str_new(f->vm, at, (size_t)(end - at));
    if (name == NULL) {
        return VALUE_FAIL;
    }
    Value v = value_unbound(f->keywords)
                  ? raise_with(f->vm, ERR_KEY, str_value(name))
                  : value_get_item(f->vm, f->keywords, str_value(name));
    object_release(&f->vm->ctx, name);
    return v;
}

// v.name or v[key]; takes v.
static Value next_part(Fields *f, Value v, char kind, const char *at,
                       const char *end)
{
    Str *name = NULL;
    Value result = VALUE_FAIL;
    if (at == end) {
        raise_error(f->vm, ERR_VALUE, "Empty attribute in format string");
    } else if (kind == '[' && all_digits(at, end)) {
        result = value_get_item(f->vm, v, value_from_small(atoll(at)));
    } else if ((name = str_intern(f->vm, at, (size_t)(end - at))) != NULL) {
        result = kind == '.' ? value_get_attr(f->vm, v, name)
                             : value_get_item(f->vm, v, str_value(name));
    }
    object_release_null(&f->vm->ctx, name);
    release(f->vm, v);
    return result;
}

// The object that a whole field name ("0.real[key]") leads to. Owned.
static Value field_value(Fields *f, const char *at, const char *end)
{
    const char *stop = at;
    while (stop < end && *stop != '.' && *stop != '[') {
        stop++;
    }
    Value v = first_part(f, at, stop);
    at = stop;
    while (!value_failed(v) && at < end) {
        char kind = *at++;
        stop = at;
        while (stop < end &&
               (kind == '[' ? *stop != ']' : *stop != '.' && *stop != '[')) {
            stop++;
        }
        if (kind == '[' && stop == end) {
            release(f->vm, v);
            return raise_error(f->vm, ERR_VALUE,
                               "Missing ']' in format string");
        }
        v = next_part(f, v, kind, at, stop);
        at = stop + (kind == '[');
    }
    return v;
}

// v!r and v!s; takes v.
static Value converted(Fields *f, Value v, char how)
{
    if (how == 0 || value_failed(v)) {
        return v;
    }
    Str *text = how == 'r'   ? value_repr(f->vm, v)
                : how == 'a' ? value_ascii(f->vm, v)
                : how == 's'
                    ? value_str(f->vm, v)
                    : raise_null(f->vm, ERR_VALUE,
                                 "Unknown conversion specifier %c", how);
    release(f->vm, v);
    return text == NULL ? VALUE_FAIL : str_value(text);
}

// Formats v with a spec that may itself hold fields; takes v.
static bool add_field(Fields *f, StrBuf *out, Value v, const char *spec,
                      const char *end, int depth)
{
    if (value_failed(v)) {
        return false;
    }
    StrBuf buf;
    strbuf_init(&buf, &f->vm->ctx);
    Str *text = NULL, *spec_text = NULL;
    if (expand(f, &buf, spec, end, depth - 1)) {
        spec_text = str_from_buf(f->vm, &buf);
    } else {
        strbuf_free(&buf);
    }
    if (spec_text != NULL) {
        text = value_format(f->vm, v, spec_text);
    }
    release(f->vm, v);
    object_release_null(&f->vm->ctx, spec_text);
    if (text == NULL) {
        return false;
    }
    strbuf_add(out, text->text, text->length);
    object_release(&f->vm->ctx, text);
    return true;
}

// One {field}, from behind its brace to its end: name [!conversion] [:spec].
static bool expand_field(Fields *f, StrBuf *out, const char *at,
                         const char *end, int depth)
{
    const char *name = at;
    int brackets = 0;
    while (at < end && (brackets > 0 || (*at != '!' && *at != ':'))) {
        brackets += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        at++;
    }
    const char *name_end = at;
    char how = 0;
    if (at < end && *at == '!') {
        if (at + 1 >= end) {
            return raise_false(f->vm, ERR_VALUE,
                               "end of string while looking for conversion "
                               "specifier");
        }
        how = at[1];
        at += 2;
        if (at < end && *at != ':') {
            return raise_false(f->vm, ERR_VALUE,
                               "expected ':' after conversion specifier");
        }
    }
    at += at < end;
    Value v = converted(f, field_value(f, name, name_end), how);
    return add_field(f, out, v, at, end, depth);
}

// The closing brace of the field that starts at `at`; NULL: none.
static const char *field_end(const char *at, const char *end)
{
    int depth = 1;
    for (; at < end; at++) {
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
        if (depth == 0) {
            return at;
        }
    }
    return NULL;
}

// Adds a template's text. `depth`: how many levels of fields may nest.
static bool expand(Fields *f, StrBuf *out, const char *at, const char *end,
                   int depth)
{
    if (depth < 0) {
        return raise_false(f->vm, ERR_VALUE, "Max string recursion exceeded");
    }
    while (at < end) {
        char c = *at++;
        if (c != '{' && c != '}') {
            strbuf_putc(out, c);
        } else if (at < end && *at == c) {
            strbuf_putc(out, c);
            at++;
        } else if (c == '}') {
            return raise_false(
                f->vm, ERR_VALUE,
                "Single '}' encountered in format string");
        } else {
            const char *stop = field_end(at, end);
            if (stop == NULL) {
                return raise_false(f->vm, ERR_VALUE, "%s",
                                   at == end
                                       ? "Single '{' encountered in format "
                                         "string"
                                       : "expected '}' before end of string");
            }
            if (!expand_field(f, out, at, stop, depth)) {
                return false;
            }
            at = stop + 1;
        }
    }
    return strbuf_ok(out);
}

Value format_fields(Vm *vm, Str *text, Tuple *args, Value keywords)
{
    Fields f = {.vm = vm, .args = args, .keywords = keywords};
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    // An empty spec is one level, a field inside a spec another.
    if (!expand(&f, &out, text->text, text->text + text->length, 2)) {
        strbuf_free(&out);
        return VALUE_FAIL;
    }
    Str *result = str_from_buf(vm, &out);
    return result == NULL ? VALUE_FAIL : str_value(result);
}
