// str.format: the template is read once, from left to right.
#include <stdlib.h>

#include "base/utf8.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/format.h"

typedef struct FormatFields {
    Vm *vm;
    Tuple *args;    // NULL: format_map, which has none
    Value keywords; // a mapping
    int64_t next;   // automatic number; -1: numbers are written
    bool automatic; // an automatic number was used
} FormatFields;

static bool expand(FormatFields *f, StrBuf *out, const char *at,
                   const char *end, int depth);

// The positional argument of this number. Owned. IndexError rather than
// KeyError.
// Of format_map(), which has no positions, every number is an error.
static Value numbered(FormatFields *f, int64_t number)
{
    if (f->args == NULL) {
        return raise_error(f->vm, ERR_VALUE,
                           "Format string contains positional fields");
    }
    // Never negative: names of digits have no sign.
    if ((uint64_t)number >= f->args->count) {
        return raise_error(f->vm, ERR_INDEX,
                           "Replacement index %lld out of range for positional "
                           "args tuple",
                           (long long)number);
    }
    return value_retain(f->args->items[number]);
}

// A name of digits alone is a number; -1: it is none. False: it is too large.
// Overflow is told at once: such a number can be no index.
// True with -1 for a name.
static bool read_number(FormatFields *f, const char *at, const char *end,
                        int64_t *out)
{
    *out = -1;
    int64_t number = 0;
    for (const char *c = at; c < end; c++) {
        int digit = *c - '0';
        if (digit < 0 || digit > 9) {
            return true;
        }
        if (number > (INT64_MAX - digit) / 10) {
            return raise_false(f->vm, ERR_VALUE,
                               "Too many decimal digits in format string");
        }
        number = number * 10 + digit;
    }
    *out = at == end ? -1 : number;
    return true;
}

// The object that the first part of a field name stands for. Owned. Fields
// without a number count up; both ways cannot be mixed in one template.
// VALUE_FAIL: an error is pending.
static Value first_part(FormatFields *f, const char *at, const char *end)
{
    int64_t number;
    if (!read_number(f, at, end, &number)) {
        return VALUE_FAIL;
    }
    // An empty name: the next number in turn.
    bool automatic = at == end;
    if (automatic || number >= 0) {
        // `next` is -1 once a number was written, `automatic` is set once none
        // was.
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
        // Negative from now on: an automatic field is refused.
        f->next = -1;
        return numbered(f, number);
    }
    // Anything else names a keyword.
    // Not interned: templates may be data of which each is seen once.
    Str *name = str_new(f->vm, at, (size_t)(end - at));
    if (name == NULL) {
        return VALUE_FAIL;
    }
    // format() without keywords: the name is missing in them.
    Value v = value_unbound(f->keywords)
                  ? raise_with(f->vm, ERR_KEY, str_value(name))
                  : value_get_item(f->vm, f->keywords, str_value(name));
    object_release(&f->vm->ctx, name);
    return v;
}

// v.name or v[key]; takes v. Within brackets a number is an int, all else a
// text without quotes, as PEP 3101 has it.
// Owned; v is released in any case.
static Value next_part(FormatFields *f, Value v, char kind, const char *at,
                       const char *end)
{
    Str *name = NULL;
    Value result = VALUE_FAIL;
    int64_t number = -1;
    if (at == end) {
        raise_error(f->vm, ERR_VALUE, "Empty attribute in format string");
    } else if (kind == '[' && !read_number(f, at, end, &number)) {
        result = VALUE_FAIL;
    } else if (number >= 0) {
        Value index = int_from_i64(f->vm, number);
        result = value_failed(index) ? index : value_get_item(f->vm, v, index);
        release(f->vm, index);
    } else if ((name = str_intern(f->vm, at, (size_t)(end - at))) != NULL) {
        result = kind == '.' ? value_get_attr(f->vm, v, name)
                             : value_get_item(f->vm, v, str_value(name));
    }
    object_release_null(&f->vm->ctx, name);
    release(f->vm, v);
    return result;
}

// The object that a whole field name ("0.real[key]") leads to. Owned.
// Attributes and items of the arguments are within reach of a template: it must
// be trusted.
// Walked in a loop, so a long name needs no depth.
static Value field_value(FormatFields *f, const char *at, const char *end)
{
    const char *stop = at;
    while (stop < end && *stop != '.' && *stop != '[') {
        stop++;
    }
    Value v = first_part(f, at, stop);
    at = stop;
    while (!value_failed(v) && at < end) {
        char kind = *at++;
        if (kind != '.' && kind != '[') {
            release(f->vm, v);
            return raise_error(f->vm, ERR_VALUE,
                               "Only '.' or '[' may follow ']' in format "
                               "field specifier");
        }
        stop = at;
        while (stop < end &&
               (kind == '[' ? *stop != ']' : *stop != '.' && *stop != '[')) {
            stop++;
        }
        // The closing bracket belongs to the part, and is passed over below.
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

// v!r and v!s; takes v. Without a conversion `how` is 0.
// Owned; v is released in any case.
static Value converted(FormatFields *f, Value v, char how)
{
    if (how == 0 || value_failed(v)) {
        return v;
    }
    Str *text = how == 'r'   ? value_repr(f->vm, v)
                : how == 'a' ? value_ascii(f->vm, v)
                : how == 's'
                    ? value_str(f->vm, v)
                    : raise_null(f->vm, ERR_VALUE,
                                 // A character that cannot be shown is told by
                                 // its code.
                                 how > 32 && how < 127
                                     ? "Unknown conversion specifier %c"
                                     : "Unknown conversion specifier \\x%x",
                                 how);
    release(f->vm, v);
    return value_or_fail(text);
}

// Formats v with a spec that may itself hold fields; takes v. The spec's own
// fields take numbers after those of the value, as they are met.
// False: an error is pending. `depth` is what is left for the spec's own
// fields.
static bool add_field(FormatFields *f, StrBuf *out, Value v, const char *spec,
                      const char *end, int depth)
{
    if (value_failed(v)) {
        return false;
    }
    StrBuf buf;
    strbuf_init(&buf, &f->vm->ctx);
    Str *text = NULL, *spec_text = NULL;
    // Only a spec with fields counts as a level of its own.
    if (memchr(spec, '{', (size_t)(end - spec)) == NULL) {
        strbuf_add(&buf, spec, (size_t)(end - spec));
        spec_text = str_from_buf(f->vm, &buf);
    } else if (expand(f, &buf, spec, end, depth - 1)) {
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

// Behind a field's name: the conversion, the ':' and the spec up to the brace
// that closes the field. *at is behind that brace then. Braces are counted: a
// spec may hold fields, which are expanded later.
// False: an error is pending.
static bool read_spec(FormatFields *f, const char **at, const char *end,
                      char *how, const char **spec, const char **spec_end)
{
    char c = (*at)[-1];
    if (c == '!') {
        if (*at == end) {
            return raise_false(f->vm, ERR_VALUE,
                               "end of string while looking for conversion "
                               "specifier");
        }
        // The letter itself is judged by converted().
        *how = *(*at)++;
        if (*at < end && (c = *(*at)++) == '}') {
            *spec = *spec_end = *at;
            return true;
        }
        if (c != ':' && c != '!') {
            return raise_false(f->vm, ERR_VALUE,
                               "expected ':' after conversion specifier");
        }
    }
    // From here on everything up to the closing brace is the spec.
    *spec = *at;
    for (int depth = 1; *at < end;) {
        c = *(*at)++;
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (depth == 0) {
            *spec_end = *at - 1;
            return true;
        }
    }
    return raise_false(f->vm, ERR_VALUE, "unmatched '{' in format spec");
}

// One {field}, from behind its brace: name [!conversion] [:spec]. What stands
// in brackets belongs to the name. NULL: failed; else where the rest begins.
static const char *expand_field(FormatFields *f, StrBuf *out, const char *at,
                                const char *end, int depth)
{
    const char *name = at;
    char c = '\0';
    while (at < end) {
        c = *at++;
        if (c == '[') {
            // A key in brackets may hold anything but the closing one.
            while (at < end && *at != ']') {
                at++;
            }
        } else if (c == '{') {
            return raise_null(f->vm, ERR_VALUE, "unexpected '{' in field name");
        } else if (c == '}' || c == ':' || c == '!') {
            break;
        }
    }
    if (c != '}' && c != ':' && c != '!') {
        return raise_null(f->vm, ERR_VALUE,
                          "expected '}' before end of string");
    }
    // Without a spec it is empty, which every type understands.
    const char *name_end = at - 1, *spec = at, *spec_end = at;
    char how = 0;
    if (c != '}' && !read_spec(f, &at, end, &how, &spec, &spec_end)) {
        return NULL;
    }
    Value v = converted(f, field_value(f, name, name_end), how);
    return add_field(f, out, v, spec, spec_end, depth) ? at : NULL;
}

// Adds a template's text. `depth`: how many levels of fields may nest. Doubled
// braces are one brace each; all other text is copied.
// False: an error is pending. Two levels are allowed.
static bool expand(FormatFields *f, StrBuf *out, const char *at,
                   const char *end, int depth)
{
    if (depth <= 0) {
        return raise_false(f->vm, ERR_VALUE, "Max string recursion exceeded");
    }
    while (at < end) {
        if (!ctx_poll(&f->vm->ctx)) {
            return false;
        }
        char c = *at++;
        if (c != '{' && c != '}') {
            strbuf_putc(out, c);
        } else if (at < end && *at == c) {
            strbuf_putc(out, c);
            at++;
        } else if (c == '}') {
            return raise_false(f->vm, ERR_VALUE,
                               "Single '}' encountered in format string");
        } else if (at == end) {
            return raise_false(f->vm, ERR_VALUE,
                               "Single '{' encountered in format string");
        } else {
            at = expand_field(f, out, at, end, depth);
            if (at == NULL) {
                return false;
            }
        }
    }
    return strbuf_ok(out);
}

// `args` NULL: format_map(); `keywords` may be any mapping or UNBOUND.
Value format_fields(Vm *vm, Str *text, Tuple *args, Value keywords)
{
    FormatFields f = {.vm = vm, .args = args, .keywords = keywords};
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    // The template is one level, a spec with fields another.
    if (!expand(&f, &out, text->text, text->text + text->length, 2)) {
        strbuf_free(&out);
        return VALUE_FAIL;
    }
    return value_or_fail(str_from_buf(vm, &out));
}
