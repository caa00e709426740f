// Replacements: "\1", "\g<name>" and escapes, taken apart once for each call.
#include "base/utf8.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/native/re_object.h"

typedef struct TemplateParser {
    Vm *vm;
    const RePattern *pattern;
    ReSubject source; // the replacement
    size_t at;        // the byte to be read next
    ReTemplate *out;
} TemplateParser;

// The byte to be read next, 0 at the end; a zero byte is no escape anyway. The
// template is not changed by looking.
static char peek(const TemplateParser *p)
{
    return p->at < p->source.length ? p->source.text[p->at] : '\0';
}

// ASCII only: other digits name no group.
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Decides between \123, a character, and \19, a group.
static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

// re.error at byte `at` of the replacement, which the text names. Takes `text`;
// NULL: memory was short, and that is pending. Always false.
static bool fail(TemplateParser *p, size_t at, Str *text)
{
    // The place counts characters, hence the index.
    return re_raise(p->vm, text, p->source.string,
                    re_index(p->vm, &p->source, at));
}

// Literals one behind the other are one part. A literal's part covers the last
// `length` bytes of `literals`; a group has none.
static bool add_part(TemplateParser *p, uint32_t group, size_t length)
{
    size_t end = p->out->literals.length;
    return vec_push(
        &p->vm->ctx, &p->out->parts,
        ((RePart){.start = end - length, .length = length, .group = group}));
}

// `literals` only grows, so parts are places in it and no pointers.
static bool add_literal(TemplateParser *p, const char *text, size_t length)
{
    strbuf_add(&p->out->literals, text, length);
    if (p->out->parts.count > 0 &&
        vec_last(&p->out->parts).group == UINT32_MAX) {
        // Escapes between plain stretches make no parts of their own.
        vec_last(&p->out->parts).length += length;
        return true;
    }
    return add_part(p, UINT32_MAX, length);
}

// An escape of digits: a character of a str, or a byte. Up to 0377: of a str a
// character below 256, in UTF-8 one or two bytes.
static bool add_code(TemplateParser *p, unsigned code)
{
    char text[UTF8_MAX_BYTES] = {(char)code};
    size_t length = p->source.is_text ? utf8_encode(code, text) : 1;
    return add_literal(p, text, length);
}

// `at`: where the number stands. Checked now, so that expanding cannot fail.
static bool add_group(TemplateParser *p, uint64_t group, size_t at)
{
    if (group > regex_group_count(p->pattern->regex)) {
        return fail(p, at,
                    str_printf(p->vm, "invalid group reference %llu",
                               (unsigned long long)group));
    }
    return add_part(p, (uint32_t)group, 0);
}

// The repr of a name, of bytes as if it were Latin-1. A byte above 127 is shown
// as \xNN.
static Str *name_repr(TemplateParser *p, size_t from, size_t to)
{
    StrBuf name, shown;
    strbuf_init(&name, &p->vm->ctx);
    strbuf_init(&shown, &p->vm->ctx);
    for (size_t i = from; i < to; i++) {
        if (p->source.is_text) {
            strbuf_putc(&name, p->source.text[i]);
        } else {
            strbuf_codepoint(&name, (unsigned char)p->source.text[i]);
        }
    }
    str_print_repr(&shown, strbuf_text(&name), name.length);
    strbuf_free(&name);
    return str_from_buf(p->vm, &shown);
}

// "bad character in group name 'a b'" and its kin. `index_error`: the kind
// differs, the words are the same.
static bool fail_name(TemplateParser *p, const char *text, size_t from,
                      size_t to, bool index_error)
{
    Str *name = name_repr(p, from, to);
    Str *whole =
        name == NULL ? NULL : str_printf(p->vm, "%s %s", text, name->text);
    object_release_null(&p->vm->ctx, name);
    if (!index_error || whole == NULL) {
        return fail(p, from, whole);
    }
    raise_error(p->vm, ERR_INDEX, "%s", whole->text);
    object_release(&p->vm->ctx, whole);
    return false;
}

// By the language's rule for names. An empty name is none.
static bool is_identifier(const TemplateParser *p, size_t from, size_t to)
{
    for (size_t i = from; i < to;) {
        uint32_t c = (unsigned char)p->source.text[i];
        size_t size = 1;
        if (p->source.is_text && c >= 0x80) {
            size = utf8_decode(p->source.text + i, to - i, &c);
        }
        if (i == from ? !utf8_is_identifier_start(c)
                      : !utf8_is_identifier_part(c)) {
            return false;
        }
        i += size;
    }
    return from < to;
}

// An unknown name is an IndexError, not an re.error. The look-up is that of the
// pattern's own groupindex.
static bool add_named(TemplateParser *p, size_t from, size_t to)
{
    Str *name = str_new(p->vm, p->source.text + from, to - from);
    Value number = VALUE_UNBOUND;
    int found = name == NULL ? -1
                             : dict_get(p->vm, p->pattern->groups,
                                        str_value(name), &number);
    object_release_null(&p->vm->ctx, name);
    if (found < 0) {
        return false;
    }
    return found == 0 ? fail_name(p, "unknown group name", from, to, true)
                      : add_part(p, (uint32_t)value_small(number), 0);
}

// A number as int() reads it: with blanks around it, and a sign. Too large ones
// all are the same to the caller, but for how they show. "+1" and " 1 " are
// numbers, too, as int() takes them.
static bool read_number(const TemplateParser *p, size_t from, size_t to,
                        uint64_t *number)
{
    const char *text = p->source.text;
    while (from < to && text[from] == ' ') {
        from++;
    }
    while (from < to && text[to - 1] == ' ') {
        to--;
    }
    from += from < to && text[from] == '+';
    for (size_t i = from; i < to; i++) {
        if (!is_digit(text[i])) {
            return false;
        }
        // It stays that large, beyond any number of groups.
        *number = *number > UINT64_MAX / 100
                      ? *number
                      : *number * 10 + (uint64_t)(text[i] - '0');
    }
    return from < to;
}

// \g<name> or \g<2>, behind the g. The name ends at the first '>', escaped or
// not.
static bool parse_group(TemplateParser *p)
{
    if (peek(p) != '<') {
        return fail(p, p->at, str_from(p->vm, "missing <"));
    }
    // Behind the '<'.
    size_t from = ++p->at;
    const char *end =
        memchr(p->source.text + from, '>', p->source.length - from);
    size_t to = end == NULL ? p->source.length : (size_t)(end - p->source.text);
    if (from == to) {
        return fail(p, from, str_from(p->vm, "missing group name"));
    }
    if (end == NULL) {
        return fail(p, from, str_from(p->vm, "missing >, unterminated name"));
    }
    p->at = to + 1;
    if (is_identifier(p, from, to)) {
        return add_named(p, from, to);
    }
    uint64_t group = 0;
    if (!read_number(p, from, to, &group)) {
        return fail_name(p, "bad character in group name", from, to, false);
    }
    return add_group(p, group, from);
}

// \0, \012, \123 and \12, behind the first digit `c`, which stands at `start` +
// 1. Up to two digits are a group; a leading 0, or three octal digits, are a
// character.
static bool parse_number(TemplateParser *p, char c, size_t start)
{
    unsigned value = (unsigned)(c - '0');
    // \0 takes up to two more octal digits.
    if (c == '0') {
        for (int i = 0; i < 2 && is_octal(peek(p)); i++) {
            value = value * 8 + (unsigned)(p->source.text[p->at++] - '0');
        }
        return add_code(p, value & 0xFF);
    }
    if (is_digit(peek(p))) {
        char second = p->source.text[p->at++];
        if (is_octal(c) && is_octal(second) && is_octal(peek(p))) {
            value = (value * 8 + (unsigned)(second - '0')) * 8 +
                    (unsigned)(p->source.text[p->at++] - '0');
            if (value > 0377) {
                return fail(p, start,
                            str_printf(p->vm,
                                       "octal escape value \\%o outside of "
                                       "range 0-0o377",
                                       value));
            }
            return add_code(p, value);
        }
        value = value * 10 + (unsigned)(second - '0');
    }
    return add_group(p, value, start + 1);
}

// Behind the backslash at `start`. Letters without a meaning are faults, other
// characters stay with their backslash.
static bool parse_escape(TemplateParser *p, size_t start)
{
    static const char letters[] = "abfnrtv\\", codes[] = "\a\b\f\n\r\t\v\\";
    if (p->at >= p->source.length) {
        return fail(p, start, str_from(p->vm, "bad escape (end of pattern)"));
    }
    char c = p->source.text[p->at++];
    if (c == 'g') {
        return parse_group(p);
    }
    if (is_digit(c)) {
        return parse_number(p, c, start);
    }
    const char *letter = c == '\0' ? NULL : strchr(letters, c);
    if (letter != NULL) {
        return add_literal(p, &codes[letter - letters], 1);
    }
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') {
        return fail(p, start, str_printf(p->vm, "bad escape \\%c", c));
    }
    // Punctuation stays, with its backslash.
    return add_literal(p, p->source.text + start, 2);
}

// Texts without a backslash are one literal. The template is the caller's to
// free in any case. False: an error is pending. What is no text fails like
// str(source, 'latin1'), which is tried.
bool re_template_parse(Vm *vm, ReTemplate *template, const RePattern *pattern,
                       Value source)
{
    TemplateParser p = {.vm = vm, .pattern = pattern, .out = template};
    *template = (ReTemplate){.parts = {0}};
    strbuf_init(&template->literals, &vm->ctx);
    if (!value_is_str(source) && !value_is_kind(source, KIND_BYTES)) {
        return raise_false(vm, ERR_TYPE,
                           "decoding to str: need a bytes-like object, %s "
                           "found",
                           type_name(type_of(vm, source)));
    }
    if (!re_subject(vm, source, &p.source)) {
        return false;
    }
    bool ok = true;
    while (ok && p.at < p.source.length) {
        size_t start = p.at;
        // From backslash to backslash.
        const char *escape =
            memchr(p.source.text + start, '\\', p.source.length - start);
        p.at =
            escape == NULL ? p.source.length : (size_t)(escape - p.source.text);
        if (p.at > start) {
            ok = add_literal(&p, p.source.text + start, p.at - start);
        } else {
            p.at++;
            ok = parse_escape(&p, start);
        }
    }
    return ok && strbuf_ok(&template->literals);
}

void re_template_free(Vm *vm, ReTemplate *template)
{
    strbuf_free(&template->literals);
    vec_free(&vm->ctx, &template->parts);
}

// A group that took no part gives nothing. `subject` is the text that `marks`
// belong to.
void re_template_expand(StrBuf *out, const ReTemplate *template,
                        const ReSubject *subject, const size_t *marks)
{
    for (size_t i = 0; i < template->parts.count; i++) {
        const RePart *part = &template->parts.items[i];
        if (part->group == UINT32_MAX) {
            strbuf_add(out, strbuf_text(&template->literals) + part->start,
                       part->length);
        } else if (marks[2 * part->group] != SIZE_MAX) {
            strbuf_add(out, subject->text + marks[2 * part->group],
                       marks[2 * part->group + 1] - marks[2 * part->group]);
        }
    }
}
