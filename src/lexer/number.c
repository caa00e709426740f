// Numbers: which characters belong to one, and what is said of those that look
// like one and are none. The value is literal.c's business.
#include <string.h>

#include "base/utf8.h"
#include "lexer/scan.h"

// ASCII only: the other decimal digits of Unicode begin no number.
static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// Digits of hexadecimal numbers, in both cases.
static bool is_hex_digit(char byte)
{
    return is_digit(byte) || (byte >= 'a' && byte <= 'f') ||
           (byte >= 'A' && byte <= 'F');
}

// What may not follow a number directly: `1a` is no number and a name.
static bool is_name_byte(char byte)
{
    return (unsigned char)byte >= 0x80 ||
           utf8_is_identifier_part((unsigned char)byte);
}

// Keywords that may follow a number without a blank in valid text: `1if x`.
// Whole words, but of "if", "in" and "is" the beginning is enough: `1iffy` is
// let through here and fails in the parser.
static bool keyword_follows(const Lexer *lexer)
{
    static const char *const words[] = {"and", "else", "for", "if",
                                        "in",  "is",   "or",  "not"};
    const char *at = lexer->text + lexer->position;
    size_t rest = lexer->end - lexer->position;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (rest >= length && memcmp(at, words[i], length) == 0) {
            return words[i][0] == 'i' ||
                   !is_name_byte(scan_peek(lexer, (uint32_t)length));
        }
    }
    return false;
}

// A keyword may follow: `0x1for x` is 0x1f and `or`.
static Scan finish(Lexer *lexer, uint32_t start, const char *what)
{
    if (is_name_byte(scan_peek(lexer, 0)) && !keyword_follows(lexer)) {
        return scan_stop_here(lexer, "invalid %s literal", what);
    }
    return scan_emit(lexer, TOK_NUMBER, start);
}

// Digits with single underscores between them; at least one digit is there.
// On success the position is behind the last digit; a missing digit is told at
// the underscore before it.
static Scan decimal_digits(Lexer *lexer)
{
    for (;;) {
        while (is_digit(scan_peek(lexer, 0))) {
            lexer->position++;
        }
        if (scan_peek(lexer, 0) != '_') {
            return SCAN_OK;
        }
        lexer->position++;
        if (!is_digit(scan_peek(lexer, 0))) {
            return scan_stop_here(lexer, "invalid decimal literal");
        }
    }
}

// A prefix that changes the digits of an integer.
typedef struct Base {
    char letter;      // in lower case, as in 0x
    const char *name; // in messages
    char last;        // the highest decimal digit
    bool letters;     // a to f are digits too
} Base;

// Searched with the letter in lower case; `0X` is allowed.
static const Base bases[] = {
    {'x', "hexadecimal", '9', true},
    {'o', "octal", '7', false},
    {'b', "binary", '1', false},
};

// Hexadecimal is the only base that has letters.
static bool in_base(const Base *base, char byte)
{
    return base->letters ? is_hex_digit(byte)
                         : byte >= '0' && byte <= base->last;
}

// prefixed: ('0x' | '0o' | '0b') ('_'? digit)+
// A decimal digit that is too high for the base is named; any other character
// is only "invalid".
static Scan scan_prefixed(Lexer *lexer, uint32_t start, const Base *base)
{
    lexer->position += 2;
    do {
        if (scan_peek(lexer, 0) == '_') {
            lexer->position++;
        }
        // An underscore, or the prefix, must have a digit behind it.
        if (!in_base(base, scan_peek(lexer, 0))) {
            if (is_digit(scan_peek(lexer, 0))) {
                lexer->position++;
                return scan_stop_here(lexer, "invalid digit '%c' in %s literal",
                                      lexer->text[lexer->position - 1],
                                      base->name);
            }
            return scan_stop_here(lexer, "invalid %s literal", base->name);
        }
        while (in_base(base, scan_peek(lexer, 0))) {
            lexer->position++;
        }
    } while (scan_peek(lexer, 0) == '_');
    if (is_digit(scan_peek(lexer, 0))) {
        lexer->position++;
        return scan_stop_here(lexer, "invalid digit '%c' in %s literal",
                              lexer->text[lexer->position - 1], base->name);
    }
    return finish(lexer, start, base->name);
}

// Named as a whole, since the number itself is right.
static Scan stop_complex(Lexer *lexer, uint32_t start)
{
    lexer->position++;
    return scan_stop(lexer, ERR_SYNTAX, (Span){start, lexer->position},
                     "Duet has no complex numbers");
}

static bool is_exponent(char byte)
{
    return byte == 'e' || byte == 'E';
}

// exponent: ('e' | 'E') ['+' | '-'] digits. An `e` without digits is left.
// Without digits and sign the `e` may begin a keyword, which finish looks at.
static Scan scan_exponent(Lexer *lexer, bool *found)
{
    char sign = scan_peek(lexer, 1);
    bool is_signed = sign == '+' || sign == '-';
    *found = false;
    if (is_digit(scan_peek(lexer, is_signed ? 2 : 1))) {
        lexer->position += is_signed ? 2 : 1;
        *found = true;
        return decimal_digits(lexer);
    }
    // `1e+` can be nothing valid, while `1else` may be a number and a keyword.
    if (is_signed) {
        lexer->position += 2;
        return scan_stop_here(lexer, "invalid decimal literal");
    }
    return SCAN_OK;
}

// Behind the digits before the point: the rest of a float, and the end.
// A number ends in a point just as well (`1.`), so no digit is asked for
// behind it.
static Scan scan_fraction(Lexer *lexer, uint32_t start, bool *is_float)
{
    if (scan_peek(lexer, 0) == '.') {
        *is_float = true;
        lexer->position++;
        // `1._5` has no digit here, and the underscore is a fault that finish
        // tells.
        if (is_digit(scan_peek(lexer, 0)) && decimal_digits(lexer) != SCAN_OK) {
            return SCAN_STOPPED;
        }
    }
    if (is_exponent(scan_peek(lexer, 0))) {
        bool found;
        if (scan_exponent(lexer, &found) != SCAN_OK) {
            return SCAN_STOPPED;
        }
        *is_float |= found;
    }
    if ((scan_peek(lexer, 0) | 0x20) == 'j') {
        return stop_complex(lexer, start);
    }
    return SCAN_OK;
}

// 0, 00, 0_0, and what starts with a zero and turns out to be a float.
// Whether the zeros were allowed is known only when the whole number was read:
// `00.5` is valid, `005` is not.
static Scan scan_zero(Lexer *lexer, uint32_t start)
{
    bool is_float = false, other_digit = false;
    while (scan_peek(lexer, 0) == '0' || scan_peek(lexer, 0) == '_') {
        if (scan_peek(lexer, 0) == '_' && !is_digit(scan_peek(lexer, 1))) {
            lexer->position++;
            return scan_stop_here(lexer, "invalid decimal literal");
        }
        lexer->position++;
    }
    // Zeros alone are a number: 00 is 0.
    uint32_t zeros_end = lexer->position;
    if (is_digit(scan_peek(lexer, 0))) {
        other_digit = true;
        if (decimal_digits(lexer) != SCAN_OK) {
            return SCAN_STOPPED;
        }
    }
    if (scan_fraction(lexer, start, &is_float) != SCAN_OK) {
        return SCAN_STOPPED;
    }
    // `0777` was octal in Python 2, `0777.0` is a float. The zeros are marked.
    // An exponent without digits is what it finds first.
    bool exponent = (scan_peek(lexer, 0) | 32) == 'e';
    if (other_digit && !is_float && !exponent) {
        scan_stop(lexer, ERR_SYNTAX, (Span){start, zeros_end},
                  "leading zeros in decimal integer literals are not "
                  "permitted; use an 0o prefix for octal integers");
        lexer->tokens->error.form = PLACE_ZEROS;
        return SCAN_STOPPED;
    }
    return finish(lexer, start, "decimal");
}

// The token keeps its text; whether it is a float is asked again by the
// parser, so is_float is used here only on the way.
Scan scan_number(Lexer *lexer)
{
    uint32_t start = lexer->position;
    if (scan_peek(lexer, 0) == '0') {
        char letter = (char)(scan_peek(lexer, 1) | 0x20);
        for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
            if (bases[i].letter == letter) {
                return scan_prefixed(lexer, start, &bases[i]);
            }
        }
        return scan_zero(lexer, start);
    }
    bool is_float = false;
    if ((scan_peek(lexer, 0) != '.' && decimal_digits(lexer) != SCAN_OK) ||
        scan_fraction(lexer, start, &is_float) != SCAN_OK) {
        return SCAN_STOPPED;
    }
    return finish(lexer, start, "decimal");
}
