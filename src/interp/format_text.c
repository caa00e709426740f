// str.format: the template is read once, from left to right.
#include <stdlib.h>

#include "base/utf8.h"
#include "interp/format.h"
#include "interp/obj_dict.h"
#include "interp/obj_float.h"
#include "interp/obj_int.h"
#include "interp/sequence.h"

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
