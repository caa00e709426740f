// Case and classes of characters, by libutf8proc.
//
// Case mappings are those of Unicode without regard to the language. The tables
// of libutf8proc know only mappings of one character to one;
// special_case_list.h has the rest.
#include <utf8proc.h>

#include "base/char_class.h"
#include "base/utf8.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/text/str_methods.h"
#include "interp/objects/text/text_case.h"

// Decodes at *at and moves on; lone surrogates come as their code point. What
// does not decode is a lone surrogate, whose three bytes are stepped over
// together.
static uint32_t next_codepoint(const char **at, const char *end)
{
    uint32_t codepoint;
    size_t size = utf8_decode(*at, (size_t)(end - *at), &codepoint);
    if (size == 0) {
        codepoint = 0xD800;
        size = 3;
    }
    *at += size;
    return codepoint;
}

enum { FOLD_MAX = 4 }; // characters that one folds to

// The order of the texts in a SpecialCase.
typedef enum CaseKind { CASE_LOWER, CASE_UPPER, CASE_TITLE } CaseKind;

// A character whose case mapping has several characters, or differs from what
// libutf8proc gives. The texts are UTF-8.
typedef struct SpecialCase {
    uint32_t code;
    const char *text[3]; // by CaseKind
} SpecialCase;

// In ascending order, for the binary search.
static const SpecialCase special_cases[] = {
#define SPECIAL_CASE(code, lower, upper, title) {code, {lower, upper, title}},
#include "interp/objects/text/special_case_list.h"
#undef SPECIAL_CASE
};

// The row of a character that maps to several; NULL: it maps to one. Below the
// first row nothing is searched: that is all of ASCII.
static const SpecialCase *find_special(uint32_t c)
{
    size_t low = 0, high = sizeof special_cases / sizeof *special_cases;
    while (c >= special_cases[0].code && low < high) {
        size_t middle = (low + high) / 2;
        if (special_cases[middle].code == c) {
            return &special_cases[middle];
        }
        if (special_cases[middle].code < c) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

// The full mapping, which may give several characters, not the simple one. One
// character becomes up to three, such as U+FB03 or the sharp s.
// Memory that runs out is seen in the buffer.
static void add_cased(StrBuf *out, uint32_t c, CaseKind kind)
{
    utf8proc_int32_t point = (utf8proc_int32_t)c;
    const SpecialCase *special = find_special(c);
    if (special != NULL) {
        strbuf_puts(out, special->text[kind]);
        return;
    }
    strbuf_codepoint(
        out, (uint32_t)(kind == CASE_LOWER   ? utf8proc_tolower(point)
                        : kind == CASE_UPPER ? utf8proc_toupper(point)
                                             : utf8proc_totitle(point)));
}

// The sigma that ends at `at` stands at the end of a word: the next character
// that counts has no case, and the one before it has. Unicode's condition
// Final_Sigma (chapter 3.13): ignorable characters on both sides do not count.
// at - 2: the sigma itself has two bytes.
static bool is_final_sigma(const char *start, const char *at, const char *end)
{
    const char *next = at;
    while (next < end) {
        uint32_t c = next_codepoint(&next, end);
        if (!char_is_ignorable(c)) {
            if (char_is_cased(c)) {
                return false;
            }
            break;
        }
    }
    // Backwards from the sigma, by the first byte of each character.
    bool cased = false, ignorable = true;
    for (const char *back = at - 2; ignorable && back > start;) {
        do {
            back--;
        } while (back > start && ((unsigned char)*back & 0xC0) == 0x80);
        const char *here = back;
        uint32_t c = next_codepoint(&here, end);
        ignorable = char_is_ignorable(c);
        cased = !ignorable && char_is_cased(c);
    }
    return cased;
}

// Sigma at the end of a word has a form of its own. at: behind the character.
// The rest of lower case does not depend on what stands around.
// The text is [start, end).
static void add_lower(StrBuf *out, uint32_t c, const char *start,
                      const char *at, const char *end)
{
    if (c == 0x3A3) {
        strbuf_codepoint(out, is_final_sigma(start, at, end) ? 0x3C2 : 0x3C3);
        return;
    }
    add_cased(out, c, CASE_LOWER);
}

// at: behind the character. Only the final sigma looks at what follows it.
static void add_in_mode(StrBuf *out, uint32_t c, TextCase mode,
                        const char *start, bool after_letter, const char *at,
                        const char *end)
{
    if (c < 128 && (mode == TEXT_UPPER || mode == TEXT_LOWER)) {
        char base = mode == TEXT_UPPER ? 'a' : 'A', ascii = (char)c;
        strbuf_putc(out, (unsigned char)(ascii - base) < 26 ? (char)(ascii ^ 32)
                                                            : ascii);
        return;
    }
    bool first = at - start <= UTF8_MAX_BYTES &&
                 utf8_count(start, (size_t)(at - start)) == 1;
    // The others depend on the character's own case or on its place.
    switch (mode) {
    case TEXT_UPPER: add_cased(out, c, CASE_UPPER); break;
    case TEXT_TITLE:
        if (after_letter) {
            add_lower(out, c, start, at, end);
        } else {
            add_cased(out, c, CASE_TITLE);
        }
        break;
    case TEXT_CAPITALIZE:
        if (first) {
            add_cased(out, c, CASE_TITLE);
        } else {
            add_lower(out, c, start, at, end);
        }
        break;
    case TEXT_SWAP:
        if (char_is_upper(c)) {
            add_lower(out, c, start, at, end);
        } else if (char_is_lower(c)) {
            add_cased(out, c, CASE_UPPER);
        } else {
            strbuf_codepoint(out, c);
        }
        break;
    default: add_lower(out, c, start, at, end);
    }
}

// Owned; VALUE_FAIL: no memory, or interrupted.
// Of ASCII, which keeps every length. One allocation, and a loop that the
// compiler can vectorise.
static Value change_ascii(Vm *vm, const Str *str, TextCase mode)
{
    Str *text = str_of_size(vm, str->length);
    if (text != NULL &&
        !text_change_case(&vm->ctx, text->text,
                          (TextRange){str->text, str->length}, mode)) {
        object_release(&vm->ctx, text);
        text = NULL;
    }
    return value_or_fail(text);
}

// ASCII has the short way, as almost all texts that change their case are
// ASCII. A lone surrogate has no case and is copied byte for byte. Owned; a
// str, also of a subclass.
static Value change_case(Vm *vm, Value self, TextCase mode)
{
    Str *str = value_as_str(self);
    if (str->count == str->length && str->length > 1) {
        return change_ascii(vm, str, mode);
    }
    const char *at = str->text, *end = at + str->length;
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool after_letter = false;
    while (at < end && strbuf_ok(&out)) {
        const char *start = at;
        uint32_t c = next_codepoint(&at, end);
        // U+D800, also given for bytes that are no code point: kept as they
        // are.
        if (c == 0xD800) {
            strbuf_add(&out, start, (size_t)(at - start));
        } else {
            add_in_mode(&out, c, mode, str->text, after_letter, at, end);
        }
        after_letter = char_is_cased(c);
    }
    return value_or_fail(str_from_buf(vm, &out));
}

#define CASE_METHOD(name, mode)                                                \
    Value str_method_##name(Vm *vm, Value *args)                               \
    {                                                                          \
        return change_case(vm, args[0], mode);                                 \
    }
CASE_METHOD(lower, TEXT_LOWER)
CASE_METHOD(upper, TEXT_UPPER)
CASE_METHOD(title, TEXT_TITLE)
CASE_METHOD(capitalize, TEXT_CAPITALIZE)
CASE_METHOD(swapcase, TEXT_SWAP)

// Unicode's full case folding, which is for comparing: it may give several
// characters for one.
Value str_method_casefold(Vm *vm, Value *args)
{
    Str *str = value_as_str(args[0]);
    if (str->count == str->length && str->length > 1) {
        return change_ascii(vm, str, TEXT_LOWER);
    }
    const char *at = str->text, *end = at + str->length;
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    while (at < end && strbuf_ok(&out)) {
        uint32_t c = next_codepoint(&at, end);
        utf8proc_int32_t folded[FOLD_MAX];
        int boundary = 0;
        utf8proc_ssize_t points =
            utf8proc_decompose_char((utf8proc_int32_t)c, folded, FOLD_MAX,
                                    UTF8PROC_CASEFOLD, &boundary);
        for (utf8proc_ssize_t i = 0; i < points && i < FOLD_MAX; i++) {
            strbuf_codepoint(&out, (uint32_t)folded[i]);
        }
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// The categories Lu to Lo stand side by side in utf8proc's enumeration. Of any
// case or none.
static bool is_letter(uint32_t c)
{
    int kind = char_category(c);
    return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

// The category Nd alone: what int() takes.
static bool is_decimal(uint32_t c)
{
    return char_category(c) == UTF8PROC_CATEGORY_ND;
}

// Superscripts and circled digits are digits, too. Python's isdigit, which is
// more than what int() takes.
static bool is_digit(uint32_t c)
{
    return is_decimal(c) || char_is(CHAR_DIGIT, c);
}

// Fractions, Roman numerals and ideographs that stand for numbers.
static bool is_numeric(uint32_t c)
{
    int kind = char_category(c);
    return kind == UTF8PROC_CATEGORY_ND || kind == UTF8PROC_CATEGORY_NL ||
           kind == UTF8PROC_CATEGORY_NO || char_is(CHAR_NUMERAL, c);
}

static bool is_alnum(uint32_t c)
{
    return is_letter(c) || is_numeric(c);
}

// Borrowed.
static TextRange range_of(const Str *str)
{
    return (TextRange){str->text, str->length};
}

// What text_all and text_in_case give.
static Value answer(int found)
{
    return found < 0 ? VALUE_FAIL : value_from_bool(found);
}

// Python's rule for most classes: the empty text belongs to none of them, but
// it is printable. It ends at the first character that is not of the class.
// `ascii` is the same class as a set of bytes, so ASCII texts are asked without
// decoding.
static Value all_of(Vm *vm, Value self, bool (*test)(uint32_t),
                    const TextSet *ascii, bool when_empty)
{
    Str *str = value_as_str(self);
    if (str->count == str->length && str->length != 0) {
        return answer(text_all(&vm->ctx, range_of(str), ascii));
    }
    const char *at = str->text, *end = at + str->length;
    bool all = at < end || when_empty;
    for (size_t step = 1; all && at < end; step++) {
        all = test(next_codepoint(&at, end));
        if (!ctx_poll_at(&vm->ctx, step)) {
            return VALUE_FAIL;
        }
    }
    return value_from_bool(all);
}

#define CLASS_METHOD(name, test, ascii, empty)                                 \
    Value str_method_##name(Vm *vm, Value *args)                               \
    {                                                                          \
        return all_of(vm, args[0], test, &ascii, empty);                       \
    }
CLASS_METHOD(isalpha, is_letter, text_letters, false)
CLASS_METHOD(isdecimal, is_decimal, text_digits, false)
CLASS_METHOD(isdigit, is_digit, text_digits, false)
CLASS_METHOD(isnumeric, is_numeric, text_digits, false)
CLASS_METHOD(isalnum, is_alnum, text_alnums, false)
CLASS_METHOD(isspace, str_is_space, text_str_spaces, false)
CLASS_METHOD(isprintable, utf8_is_printable, text_printables, true)

// As many code points as bytes: all of them are single bytes.
Value str_method_isascii(Vm *vm, Value *args)
{
    (void)vm;
    return value_from_bool(value_as_str(args[0])->count ==
                           value_as_str(args[0])->length);
}

// By the rule of the parser for names; keywords count as identifiers.
Value str_method_isidentifier(Vm *vm, Value *args)
{
    Str *str = value_as_str(args[0]);
    const char *at = str->text, *end = at + str->length;
    bool all = at < end && utf8_is_identifier_start(next_codepoint(&at, end));
    for (size_t step = 1; all && at < end; step++) {
        all = utf8_is_identifier_part(next_codepoint(&at, end));
        if (!ctx_poll_at(&vm->ctx, step)) {
            return VALUE_FAIL;
        }
    }
    return value_from_bool(all);
}

// Some letter is of the wanted case, none of the other. Title-case letters are
// of neither case. Without any letter the answer is no.
// Characters without case do not count.
static Value one_case(Vm *vm, Value self, bool upper)
{
    Str *str = value_as_str(self);
    if (str->count == str->length) {
        return answer(text_in_case(&vm->ctx, range_of(str),
                                   upper ? TEXT_UPPER : TEXT_LOWER));
    }
    const char *at = str->text, *end = at + str->length;
    bool found = false;
    for (size_t step = 1; at < end; step++) {
        if (!ctx_poll_at(&vm->ctx, step)) {
            return VALUE_FAIL;
        }
        uint32_t c = next_codepoint(&at, end);
        bool is_upper = char_is_upper(c), is_lower = char_is_lower(c);
        if ((upper ? is_lower : is_upper) ||
            char_category(c) == UTF8PROC_CATEGORY_LT) {
            return VALUE_FALSE;
        }
        found = found || (upper ? is_upper : is_lower);
    }
    return value_from_bool(found);
}

Value str_method_isupper(Vm *vm, Value *args)
{
    return one_case(vm, args[0], true);
}

Value str_method_islower(Vm *vm, Value *args)
{
    return one_case(vm, args[0], false);
}

// Upper case begins each run of cased characters and lower case continues it;
// there must be one such run at least.
Value str_method_istitle(Vm *vm, Value *args)
{
    Str *str = value_as_str(args[0]);
    if (str->count == str->length) {
        return answer(text_in_case(&vm->ctx, range_of(str), TEXT_TITLE));
    }
    const char *at = str->text, *end = at + str->length;
    bool found = false, after_letter = false;
    for (size_t step = 1; at < end; step++) {
        if (!ctx_poll_at(&vm->ctx, step)) {
            return VALUE_FAIL;
        }
        uint32_t c = next_codepoint(&at, end);
        bool lower = char_is_lower(c);
        // Behind a cased character only lower case may follow, elsewhere only
        // the others.
        if (char_is_cased(c) && lower != after_letter) {
            return VALUE_FALSE;
        }
        after_letter = char_is_cased(c);
        found = found || after_letter;
    }
    return value_from_bool(found);
}

// For int() and float(): what is no digit or blank becomes a '?', which neither
// of them reads.
void str_plain_number(StrBuf *out, const Str *str)
{
    const char *at = str->text, *end = at + str->length;
    while (at < end) {
        uint32_t c = next_codepoint(&at, end);
        int digit = char_decimal(c);
        strbuf_putc(out, c < 128           ? (char)c
                         : str_is_space(c) ? ' '
                         : digit >= 0      ? (char)('0' + digit)
                                           : '?');
    }
}
