// Module unicodedata: what Unicode 14 says of characters. Names, widths,
// numbers and decompositions come from base/char_name.h, the rest from
// libutf8proc.
//
// Invariant: of a character that Unicode 14 does not have nothing is known,
// whatever libutf8proc knows.
#include <utf8proc.h>

#include "base/char_class.h"
#include "base/char_name.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "modules/importing/module.h"

#define UNICODE_BODY(name) static Value unicode_##name(Vm *vm, Value *args)

// In the order of utf8proc_category_t.
static const char categories[][3] = {
    "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd",
    "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm",
    "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co"};
// In the order of utf8proc_bidi_class_t; nothing for what is not assigned.
static const char directions[][4] = {"",    "L",   "LRE", "LRO", "R",   "AL",
                                     "RLE", "RLO", "PDF", "EN",  "ES",  "ET",
                                     "AN",  "CS",  "NSM", "BN",  "B",   "S",
                                     "WS",  "ON",  "LRI", "RLI", "FSI", "PDI"};

// The type of a wrong argument, as errors name it.
static const char *given_name(Vm *vm, Value v)
{
    return value_is_none(v) ? "None" : type_name(type_of(vm, v));
}

// The argument's one character. `argument`: "argument", or "argument 1" where
// there are several. False: TypeError.
static bool take_char(Vm *vm, Value v, const char *function,
                      const char *argument, uint32_t *c)
{
    if (!value_is_str(v) || value_as_str(v)->count != 1) {
        return raise_false(vm, ERR_TYPE,
                           "%s() %s must be a unicode character, not %s",
                           function, argument, given_name(vm, v));
    }
    *c = str_first_point(value_as_str(v));
    return true;
}

// NULL: Unicode 14 does not have it, or has nothing to say of it.
static const utf8proc_property_t *property(uint32_t c)
{
    return char_category(c) == UTF8PROC_CATEGORY_CN
               ? NULL
               : utf8proc_get_property((utf8proc_int32_t)c);
}

// What a function gives for a character without an answer: the second
// argument, or ValueError.
static Value no_answer(Vm *vm, Value fallback, const char *reason)
{
    return value_unbound(fallback) ? raise_error(vm, ERR_VALUE, "%s", reason)
                                   : value_retain(fallback);
}

// The tables hold one name for each character; control characters have none, as
// in Unicode's own list.
UNICODE_BODY(name)
{
    uint32_t c;
    char name[CHAR_NAME_SIZE];
    if (!take_char(vm, args[0], "name", "argument 1", &c)) {
        return VALUE_FAIL;
    }
    return char_name(c, name) ? str_value_from(vm, name)
                              : no_answer(vm, args[1], "no such name");
}

// Aliases and named sequences have no name() that gives them.
UNICODE_BODY(lookup)
{
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE,
                           "a bytes-like object is required, not '%s'",
                           type_name(type_of(vm, args[0])));
    }
    const Str *name = value_as_str(args[0]);
    if (name->length > 256) { // no name is longer
        return raise_error(vm, ERR_KEY, "name too long");
    }
    uint32_t found[CHAR_SEQUENCE_SIZE];
    size_t length = char_by_name(name->text, name->length, true, found);
    if (length == 0) {
        return raise_error(vm, ERR_KEY, "undefined character name '%s'",
                           name->text);
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    for (size_t i = 0; i < length; i++) {
        strbuf_codepoint(&out, found[i]);
    }
    return value_or_fail(str_from_buf(vm, &out));
}

UNICODE_BODY(category)
{
    uint32_t c;
    return take_char(vm, args[0], "category", "argument", &c)
               ? str_value_from(vm, categories[char_category(c)])
               : VALUE_FAIL;
}

UNICODE_BODY(bidirectional)
{
    uint32_t c;
    if (!take_char(vm, args[0], "bidirectional", "argument", &c)) {
        return VALUE_FAIL;
    }
    const utf8proc_property_t *known = property(c);
    return str_value_from(vm,
                          known == NULL ? "" : directions[known->bidi_class]);
}

// 0: the character begins a new group, and marks may not move across it.
UNICODE_BODY(combining)
{
    uint32_t c;
    if (!take_char(vm, args[0], "combining", "argument", &c)) {
        return VALUE_FAIL;
    }
    const utf8proc_property_t *known = property(c);
    return value_from_small(known == NULL ? 0 : known->combining_class);
}

// Brackets and their like, which turn round in text from right to left.
UNICODE_BODY(mirrored)
{
    uint32_t c;
    if (!take_char(vm, args[0], "mirrored", "argument", &c)) {
        return VALUE_FAIL;
    }
    const utf8proc_property_t *known = property(c);
    return value_from_small(known == NULL ? 0 : known->bidi_mirrored);
}

// One step only, as the file of Unicode has it, with its `<tag>` in front;
// normalize() goes on until nothing is left to take apart.
UNICODE_BODY(decomposition)
{
    uint32_t c;
    if (!take_char(vm, args[0], "decomposition", "argument", &c)) {
        return VALUE_FAIL;
    }
    size_t length = 0;
    const char *text = char_decomposition(c, &length);
    return value_or_fail(str_new(vm, text == NULL ? "" : text, length));
}

UNICODE_BODY(east_asian_width)
{
    uint32_t c;
    if (!take_char(vm, args[0], "east_asian_width", "argument", &c)) {
        return VALUE_FAIL;
    }
    return str_value_from(vm, char_category(c) == UTF8PROC_CATEGORY_CN
                                  ? "F"
                                  : char_east_asian_width(c));
}

UNICODE_BODY(decimal)
{
    uint32_t c;
    if (!take_char(vm, args[0], "decimal", "argument 1", &c)) {
        return VALUE_FAIL;
    }
    int value = char_decimal(c);
    return value < 0 ? no_answer(vm, args[1], "not a decimal")
                     : value_from_small(value);
}

UNICODE_BODY(digit)
{
    uint32_t c;
    if (!take_char(vm, args[0], "digit", "argument 1", &c)) {
        return VALUE_FAIL;
    }
    double value = char_decimal(c);
    if (value < 0 && (!char_is(CHAR_DIGIT, c) || !char_number(c, &value))) {
        return no_answer(vm, args[1], "not a digit");
    }
    return value_from_small((int64_t)value);
}

// Fractions and numerals too: ½ is 0.5.
UNICODE_BODY(numeric)
{
    uint32_t c;
    double value;
    if (!take_char(vm, args[0], "numeric", "argument 1", &c)) {
        return VALUE_FAIL;
    }
    return char_number(c, &value)
               ? float_new(vm, value)
               : no_answer(vm, args[1], "not a numeric character");
}

// --- normal forms ---

// Code points, since marks are put in order one by one; UTF-8 would have to be
// decoded each time.
typedef VEC(utf8proc_int32_t) PointVec;

typedef struct NormalForm {
    const char *name;
    int options; // utf8proc_option_t
} NormalForm;

static const NormalForm forms[] = {
    {"NFC", UTF8PROC_STABLE | UTF8PROC_COMPOSE},
    {"NFD", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE},
    {"NFKC", UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
    {"NFKD", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT}};

// Appends what the character is made of; one that Unicode 14 does not have, or
// a lone surrogate, is made of itself.
static bool add_parts(Vm *vm, PointVec *out, uint32_t c, int options)
{
    enum { MOST_PARTS = 32 }; // the longest decomposition has 18
    if (!vec_reserve(&vm->ctx, out, MOST_PARTS)) {
        return false;
    }
    utf8proc_int32_t *to = out->items + out->count;
    utf8proc_ssize_t parts = 0;
    int boundary = 0;
    if (c >= 0x80 && char_category(c) != UTF8PROC_CATEGORY_CN) {
        parts = utf8proc_decompose_char(
            (utf8proc_int32_t)c, to, MOST_PARTS,
            (utf8proc_option_t)((options & ~UTF8PROC_COMPOSE) |
                                UTF8PROC_DECOMPOSE),
            &boundary);
    }
    if (parts <= 0) {
        *to = (utf8proc_int32_t)c;
        parts = 1;
    }
    out->count += (size_t)parts;
    return true;
}

// 0 for letters and for what Unicode 14 does not have: marks stop there.
static int combining_class(utf8proc_int32_t c)
{
    const utf8proc_property_t *known = property((uint32_t)c);
    return known == NULL ? 0 : known->combining_class;
}

// Marks behind one letter in the order of their classes; those of one class
// stay as they are.
static bool order_marks(Vm *vm, PointVec *points)
{
    // Insertion sort keeps equal classes as they are; runs of marks are short
    // in any text that is not made to hurt, which the poll is for.
    for (size_t i = 1; i < points->count; i++) {
        utf8proc_int32_t mark = points->items[i];
        int class = mark < 0x300 ? 0 : combining_class(mark);
        size_t at = i;
        if ((i & 4095) == 0 && !ctx_poll(&vm->ctx)) {
            return false;
        }
        while (class > 0 && at > 0 &&
               combining_class(points->items[at - 1]) > class) {
            points->items[at] = points->items[at - 1];
            at--;
        }
        points->items[at] = mark;
    }
    return true;
}

// Takes apart, puts marks in order, then composes: the three steps of Unicode's
// annex 15. False with an error pending.
static bool normal_points(Vm *vm, const Str *text, int options, PointVec *out)
{
    for (size_t at = 0, step = 0; at < text->length; step++) {
        uint32_t c = 0;
        at += utf8_decode(text->text + at, text->length - at, &c);
        if (!add_parts(vm, out, c, options) ||
            ((step & 4095) == 0 && !ctx_poll(&vm->ctx))) {
            return false;
        }
    }
    if (!order_marks(vm, out)) {
        return false;
    }
    // The library composes in place and gives the count that is left.
    if ((options & UTF8PROC_COMPOSE) != 0) {
        out->count = (size_t)utf8proc_normalize_utf32(
            out->items, (utf8proc_ssize_t)out->count,
            (utf8proc_option_t)options);
    }
    return true;
}

// NULL: ValueError.
static const NormalForm *find_form(Vm *vm, const Str *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (str_is(name, forms[i].name)) {
            return &forms[i];
        }
    }
    return raise_null(vm, ERR_VALUE, "invalid normalization form");
}

// NULL: TypeError, or what decomposing raised. Owned; the str itself where it
// is in that form.
static Str *normal_str(Vm *vm, const Value *args, const char *function)
{
    for (int i = 0; i < 2; i++) {
        if (!value_is_str(args[i])) {
            return raise_null(vm, ERR_TYPE,
                              "%s() argument %d must be str, "
                              "not %s",
                              function, i + 1, given_name(vm, args[i]));
        }
    }
    Str *text = value_as_str(args[1]);
    if (text->length == 0) { // whatever the form is called
        return str_exact(vm, text);
    }
    const NormalForm *form = find_form(vm, value_as_str(args[0]));
    if (form == NULL) {
        return NULL;
    }
    if (text->count == text->length) { // ASCII is in every form
        return str_exact(vm, text);
    }
    PointVec points = {0};
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool done = normal_points(vm, text, form->options, &points);
    for (size_t i = 0; done && i < points.count; i++) {
        strbuf_codepoint(&out, (uint32_t)points.items[i]);
    }
    vec_free(&vm->ctx, &points);
    if (!done) {
        strbuf_free(&out);
        return NULL;
    }
    return str_from_buf(vm, &out);
}

UNICODE_BODY(normalize)
{
    return value_or_fail(normal_str(vm, args, "normalize"));
}

// By making the form: the quick check of Unicode's tables would answer "maybe"
// for some texts, and this is asked seldom.
UNICODE_BODY(is_normalized)
{
    Str *str = normal_str(vm, args, "is_normalized");
    if (str == NULL) {
        return VALUE_FAIL;
    }
    bool same = str_equal(str, value_as_str(args[1]));
    object_release(&vm->ctx, str);
    return value_from_bool(same);
}

#define WITH_DEFAULT "chr, default=<unrepresentable>, /"

// The names and signatures are fixed, as inspect.signature shows them.
static const NativeDef unicode_functions[] = {
    {"lookup", "name, /", unicode_lookup,
     "The character, or sequence of characters, of this name or alias."},
    {"name", WITH_DEFAULT, unicode_name, "The name of a character."},
    {"category", "chr, /", unicode_category,
     "The general category of a character."},
    {"bidirectional", "chr, /", unicode_bidirectional,
     "The bidirectional class of a character."},
    {"combining", "chr, /", unicode_combining,
     "The canonical combining class of a character."},
    {"mirrored", "chr, /", unicode_mirrored,
     "1 if the character is mirrored in text from right to left."},
    {"decomposition", "chr, /", unicode_decomposition,
     "What a character is made of, as hexadecimal numbers."},
    {"east_asian_width", "chr, /", unicode_east_asian_width,
     "The width of a character in East Asian text."},
    {"decimal", WITH_DEFAULT, unicode_decimal, "The value of a decimal digit."},
    {"digit", WITH_DEFAULT, unicode_digit, "The value of a digit."},
    {"numeric", WITH_DEFAULT, unicode_numeric,
     "The value of a character that is a number, as a float."},
    {"normalize", "form, unistr, /", unicode_normalize,
     "The normal form NFC, NFD, NFKC or NFKD of a str."},
    {"is_normalized", "form, unistr, /", unicode_is_normalized,
     "Whether a str is in this normal form."},
    {NULL, NULL, NULL, NULL}};

// Programs print it to say which tables they saw.
static bool add_version(Vm *vm, Dict *dict)
{
    return module_add(vm, dict, "unidata_version",
                      str_value_from(vm, "14.0.0"));
}

const ModuleDef unicodedata_module = {.name = "unicodedata",
                                      .doc = "What Unicode says of characters.",
                                      .functions = unicode_functions,
                                      .init = add_version};
