// int to and from text.
//
// Both ways split big numbers in the middle (divide and conquer) and poll, so
// that a hundred thousand digits neither take quadratic time in digits of the
// base nor hold up Ctrl-C. Bases that are powers of two only move bits.
#include "interp/hooks/note.h"
#include "interp/objects/numbers/int_large.h"
#include "interp/objects/numbers/int_short.h"
#include "interp/objects/numbers/int_view.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "interp/core/raise.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "interp/objects/text/obj_str.h"
#include "interp/objects/text/str_methods.h"

enum { LEAF_DIGITS = 200, TEXT_LEVELS = 40 };

static const char digit_chars[] = "0123456789abcdefghijklmnopqrstuvwxyz";

// A number below base ** width; `width` > 0 pads with zeros. libtommath writes
// upper case.
static mp_err print_leaf(StrBuf *out, const mp_int *number, int base,
                         size_t width)
{
    char decimal[INT_SHORT_TEXT];
    size_t at =
        base != 10 ? 0 : int_short_decimal(number, decimal, sizeof decimal);
    if (at != 0) {
        size_t length = sizeof decimal - at;
        // A low half keeps its zeros.
        strbuf_pad(out, '0', width > length ? width - length : 0);
        strbuf_add(out, decimal + at, length);
        return MP_OKAY;
    }
    // More than a leaf needs: its digits, a sign and the NUL.
    char text[LEAF_DIGITS * 8];
    size_t written = 0;
    mp_err err = mp_to_radix(number, text, sizeof text, &written, base);
    if (err == MP_OKAY) {
        size_t length = strlen(text);
        strbuf_pad(out, '0', width > length ? width - length : 0);
        for (size_t i = 0; i < length; i++) {
            char c = text[i];
            strbuf_putc(out, c >= 'A' && c <= 'Z' ? (char)(c + 32) : c);
        }
    }
    return err;
}

// powers[level] is base ** (LEAF_DIGITS << level).
// Without padding, zeros in front are left out: a level that the number does
// not reach is skipped. The low half always has its full width. The halves are
// divided by the next power: the low one has a known number of digits.
static mp_err print_split(Ctx *ctx, StrBuf *out, const mp_int *number, int base,
                          const mp_int *powers, int level, bool padded)
{
    if (level < 0) {
        return print_leaf(out, number, base, padded ? LEAF_DIGITS : 0);
    }
    if (!padded && mp_cmp_mag(number, &powers[level]) == MP_LT) {
        return print_split(ctx, out, number, base, powers, level - 1, false);
    }
    if (!ctx_poll(ctx)) {
        return MP_ERR;
    }
    // Freed at once, so that the depth costs memory for one path only.
    mp_int high, low;
    mp_err err = mp_init_multi(&high, &low, NULL);
    if (err != MP_OKAY) {
        return err;
    }
    err = int_divide(ctx, number, &powers[level], &high, &low);
    if (err == MP_OKAY) {
        err = print_split(ctx, out, &high, base, powers, level - 1, padded);
    }
    if (err == MP_OKAY) {
        err = print_split(ctx, out, &low, base, powers, level - 1, true);
    }
    mp_clear_multi(&high, &low, NULL);
    return err;
}

// The powers of a base by which numbers are split: powers[level] is
// base ** (LEAF_DIGITS << level).
typedef struct Powers {
    mp_int powers[TEXT_LEVELS];
    int count; // of those that are initialised
} Powers;

static void powers_clear(Powers *p)
{
    for (int i = 0; i < p->count; i++) {
        mp_clear(&p->powers[i]);
    }
}

// The square of the last power, or the first one. TEXT_LEVELS is out of reach:
// the text would be 200 * 2^40 digits long.
static mp_err powers_add(Ctx *ctx, Powers *p, int base)
{
    mp_int *last = &p->powers[p->count];
    mp_err err = p->count < TEXT_LEVELS ? mp_init(last) : MP_MEM;
    if (err != MP_OKAY) {
        return err;
    }
    p->count++;
    if (p->count > 1) {
        return int_multiply(ctx, last - 1, last - 1, last);
    }
    // The first one is computed, the others are squares.
    mp_set(last, (mp_digit)base);
    return mp_expt_u32(last, LEAF_DIGITS, last);
}

// Makes powers up to about half the number's size by squaring; the largest one
// splits it first. MP_ERR may also mean an interrupt that is pending in ctx.
// T(n) = 2 T(n/2) + division: as fast as int_divide is.
static mp_err print_big(Ctx *ctx, StrBuf *out, const mp_int *number, int base)
{
    // Of any base, whose digits are a bit each or more: one leaf prints it.
    if (mp_count_bits(number) < LEAF_DIGITS ||
        (base == 10 && number->used <= INT_SHORT_DIGITS)) {
        return print_leaf(out, number, base, 0);
    }
    Powers p = {.count = 0};
    mp_err err = powers_add(ctx, &p, base);
    while (err == MP_OKAY && p.count < TEXT_LEVELS &&
           p.powers[p.count - 1].used * 2 <= number->used + 1) {
        err = powers_add(ctx, &p, base);
    }
    if (err == MP_OKAY) {
        err = print_split(ctx, out, number, base, p.powers, p.count - 1, false);
    }
    powers_clear(&p);
    return err;
}

// Bits of a digit of a base that is a power of two and fits int_unpack, else 0.
// 0 means that digits are not whole bits.
static int digit_bits(int base)
{
    return (base & (base - 1)) == 0 ? __builtin_ctz((unsigned)base) : 0;
}

// The digits are the number's bits: nothing is divided. Linear in the length.
static bool print_bits(Ctx *ctx, StrBuf *out, const mp_int *number, int bits)
{
    size_t count =
        ((size_t)mp_count_bits(number) + (size_t)bits - 1) / (size_t)bits;
    unsigned char *digits = ctx_alloc(ctx, count + 1);
    if (digits == NULL) {
        return false;
    }
    bool ok = int_unpack(ctx, number, digits, count, bits);
    for (size_t i = 0; ok && i < count; i++) {
        digits[i] = (unsigned char)digit_chars[digits[i]];
        ok = ctx_poll_at(ctx, i + 1);
    }
    if (ok) {
        strbuf_add(out, (char *)digits, count);
    }
    // One more than the digits, so that no number asks for none.
    ctx_free(ctx, digits, count + 1);
    return ok;
}

enum { SMALL_TEXT = 24 }; // holds the decimal digits of any 64-bit number

// Any base from 2, in which 64 bits have 64 digits.
static void print_small(StrBuf *out, uint64_t magnitude, int base)
{
    char text[64];
    size_t at = sizeof text;
    do {
        text[--at] = digit_chars[magnitude % (unsigned)base];
        magnitude /= (unsigned)base;
    } while (magnitude != 0);
    strbuf_add(out, text + at, sizeof text - at);
}

// Immediates and bools fit into 64 bits and need no splitting. Into `out`,
// whose failure tells of errors: a MemoryError or KeyboardInterrupt is pending
// then.
void int_print(Vm *vm, StrBuf *out, Value v, int base)
{
    // An immediate int looks like a big one here.
    IntView view;
    int_view(&view, v);
    if (mp_isneg(view.number)) {
        strbuf_putc(out, '-');
    }
    if (!value_is_object(v)) {
        print_small(out, mp_get_mag_u64(view.number), base);
        return;
    }
    // Never cleared: the digits are the number's.
    mp_int positive = *view.number; // shares the digits
    positive.sign = MP_ZPOS;
    int bits = digit_bits(base);
    bool ok = bits != 0
                  ? print_bits(&vm->ctx, out, &positive, bits)
                  : print_big(&vm->ctx, out, &positive, base) == MP_OKAY ||
                        int_raise(&vm->ctx);
    if (!ok) {
        strbuf_fail(out);
    }
}

// The digits of a small int, the last ones first into text[0 .. SMALL_TEXT);
// where they begin.
static size_t small_digits(int64_t number, char *text)
{
    // Negated as unsigned, which is defined for the lowest number, too.
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    size_t at = SMALL_TEXT;
    // Two digits a division.
    while (rest >= 100) {
        uint32_t pair = (uint32_t)(rest % 100);
        rest /= 100;
        text[--at] = (char)('0' + pair % 10);
        text[--at] = (char)('0' + pair / 10);
    }
    if (rest >= 10) {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    }
    text[--at] = (char)('0' + rest);
    if (number < 0) {
        text[--at] = '-';
    }
    return at;
}

// Most ints that are printed are small: no buffer, and the text is known to be
// ASCII.
Value int_text(Vm *vm, Value v)
{
    if (value_is_int(v)) {
        char text[SMALL_TEXT];
        size_t at = small_digits(value_small(v), text);
        return value_or_fail(str_new_ascii(vm, text + at, SMALL_TEXT - at));
    }
    if (value_is_object(v)) {
        const mp_int *number = &((Int *)value_object(v))->number;
        char text[INT_SHORT_TEXT];
        size_t at = int_short_decimal(number, text, sizeof text);
        if (at != 0) {
            text[at - 1] = '-';
            at -= mp_isneg(number);
            return value_or_fail(
                str_new_ascii(vm, text + at, sizeof text - at));
        }
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    int_print(vm, &out, v, 10);
    return value_or_fail(str_from_buf(vm, &out));
}

// 99 is above any base, so callers need only compare.
static int digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 32);
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

// Up to LEAF_DIGITS digits: quadratic, but faster than splitting such short
// texts. Eleven digits of any base up to 36 are one digit of the number, so
// they go in together. Each step multiplies the whole number by one digit, so
// leaves are kept short.
static mp_err parse_leaf(const char *text, size_t length, int base,
                         mp_int *number)
{
    mp_zero(number);
    mp_err err = MP_OKAY;
    for (size_t i = 0; err == MP_OKAY && i < length;) {
        mp_digit part = 0, scale = 1;
        for (int k = 0; k < 11 && i < length; k++, i++) {
            part = part * (mp_digit)base + (mp_digit)digit_value(text[i]);
            scale *= (mp_digit)base;
        }
        // The last part may have fewer digits, hence a scale of its own.
        err = mp_mul_d(number, scale, number);
        if (err == MP_OKAY) {
            err = mp_add_d(number, part, number);
        }
    }
    return err;
}

// `length` clean digits, at most LEAF_DIGITS << level of them, into *number
// (initialised): number = high * powers[level - 1] + low. The mirror of
// print_split, with the same powers.
static mp_err parse_split(Ctx *ctx, const char *text, size_t length, int base,
                          const mp_int *powers, int level, mp_int *number)
{
    if (level == 0) {
        return parse_leaf(text, length, base, number);
    }
    // The lower half always has this many digits.
    size_t low_length = (size_t)LEAF_DIGITS << (level - 1);
    if (length <= low_length) {
        return parse_split(ctx, text, length, base, powers, level - 1, number);
    }
    mp_int low;
    mp_err err = ctx_poll(ctx) ? mp_init(&low) : MP_ERR;
    if (err != MP_OKAY) {
        return err;
    }
    size_t high_length = length - low_length;
    err = parse_split(ctx, text, high_length, base, powers, level - 1, number);
    err = err == MP_OKAY ? int_multiply(ctx, number, &powers[level - 1], number)
                         : err;
    err = err == MP_OKAY ? parse_split(ctx, text + high_length, low_length,
                                       base, powers, level - 1, &low)
                         : err;
    err = err == MP_OKAY ? mp_add(number, &low, number) : err;
    mp_clear(&low);
    return err;
}

// Clean digits of any base into *number (initialised). `text` is scratch: with
// a base of whole bits it is overwritten by the digits' values.
static mp_err parse_digits(Ctx *ctx, char *text, size_t length, int base,
                           mp_int *number)
{
    int bits = digit_bits(base);
    if (bits != 0) {
        for (size_t i = 0; i < length; i++) {
            text[i] = (char)digit_value(text[i]);
            if (!ctx_poll_at(ctx, i + 1)) {
                return MP_ERR;
            }
        }
        return int_pack(ctx, number, (unsigned char *)text, length, bits);
    }
    Powers p = {.count = 0};
    mp_err err = MP_OKAY;
    // The highest power has at most as many digits as the text.
    while (err == MP_OKAY && (size_t)LEAF_DIGITS << p.count < length) {
        err = powers_add(ctx, &p, base);
    }
    err = err == MP_OKAY
              ? parse_split(ctx, text, length, base, p.powers, p.count, number)
              : err;
    powers_clear(&p);
    return err;
}

// The message, with the base as it was given (0 stays 0) and the text with its
// white space: `repr`, which is taken. It shows 200 characters. What is shown
// is cut after 200 characters, so that a huge text makes no huge message.
static Value invalid_literal(Vm *vm, StrBuf *repr, int base)
{
    if (strbuf_ok(repr)) {
        const char *shown = strbuf_text(repr), *at = shown;
        const char *end = shown + repr->length;
        for (int i = 0; i < 200 && at < end; i++) {
            uint32_t c;
            size_t size = utf8_decode(at, (size_t)(end - at), &c);
            // Whole characters, so that the message stays UTF-8.
            at += size == 0 ? 1 : size;
        }
        raise_error(vm, ERR_VALUE,
                    "invalid literal for int() with base %d: %.*s", base,
                    (int)(at - shown), shown);
    }
    strbuf_free(repr);
    return VALUE_FAIL;
}

// Skips "0x" and the like if it fits the base; base 0 becomes what it says. How
// many bytes it takes. "0b1" in base 16 is a number without prefix.
static size_t parse_prefix(const char *text, size_t length, int *base)
{
    int found = 0;
    if (length > 2 && text[0] == '0') {
        char c = (char)(text[1] | 32);
        found = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;
    }
    if (found != 0 && (*base == 0 || *base == found)) {
        *base = found;
        return 2;
    }
    *base = *base == 0 ? 10 : *base;
    return 0;
}

// Copies digits without underscores; SIZE_MAX if something else is there. `out`
// has room for all of the text. An underscore may stand between digits only.
// Also after Ctrl-C, which is then pending.
static size_t clean_digits(Ctx *ctx, const char *text, size_t length, int base,
                           bool after_prefix, char *out)
{
    size_t count = 0;
    // An underscore must have a digit before it, or the prefix: 0x_ff is valid.
    bool may_join = after_prefix;
    for (size_t i = 0; i < length; i++) {
        if (!ctx_poll_at(ctx, i + 1)) {
            return SIZE_MAX;
        }
        if (text[i] == '_') {
            if (!may_join || i + 1 == length) {
                return SIZE_MAX;
            }
            may_join = false;
            continue;
        }
        if (digit_value(text[i]) >= base) {
            return SIZE_MAX;
        }
        out[count++] = text[i];
        may_join = true;
    }
    return count == 0 ? SIZE_MAX : count;
}

// "00" is a literal, "01" is none.
static bool only_zeros(const char *digits, size_t count)
{
    while (count > 0 && digits[count - 1] == '0') {
        count--;
    }
    return count == 0;
}

// libtommath reports only that something failed; unless an interrupt is
// pending, it was memory. `digits` is scratch for parse_digits.
static Value parse_clean(Vm *vm, char *digits, size_t count, int base,
                         bool negative)
{
    enum { SHORT_DIGITS = 11 }; // of the largest base: below 36^11 < 2^57
    if (count <= SHORT_DIGITS) {
        int64_t small = 0;
        for (size_t i = 0; i < count; i++) {
            small = small * base + digit_value(digits[i]);
        }
        return value_from_small(negative ? -small : small);
    }
    mp_int number;
    if (mp_init(&number) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    if (parse_digits(&vm->ctx, digits, count, base, &number) != MP_OKAY ||
        (negative && mp_neg(&number, &number) != MP_OKAY)) {
        mp_clear(&number);
        return int_raise(&vm->ctx), VALUE_FAIL;
    }
    return int_from_mp(vm, &number);
}

// ASCII only, and no isspace, which asks the locale. White space beyond ASCII
// was turned into blanks by the caller.
static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Up to eighteen decimal digits with a sign, nothing else: most of what is
// read. UNBOUND: it takes the general way to know.
static Value parse_short(const char *text, size_t length)
{
    enum { SHORT_MOST = 18 };
    bool negative = length > 0 && text[0] == '-';
    size_t start = length > 0 && (text[0] == '-' || text[0] == '+');
    if (length == start || length - start > SHORT_MOST) {
        return VALUE_UNBOUND;
    }
    int64_t number = 0;
    for (size_t i = start; i < length; i++) {
        unsigned digit = (unsigned)text[i] - '0';
        if (digit > 9) {
            return VALUE_UNBOUND;
        }
        number = number * 10 + (int64_t)digit;
    }
    return value_from_small(negative ? -number : number);
}

// White space, sign, prefix, digits. The digits are copied because underscores
// have to go and parse_digits splits them in place. UNBOUND: no literal.
static Value parse_literal(Vm *vm, const char *text, size_t length, int base)
{
    if (base == 10) {
        Value small = parse_short(text, length);
        if (!value_unbound(small)) {
            return small;
        }
    }
    size_t start = 0, end = length;
    while (start < end && is_space(text[start])) {
        start++;
    }
    while (end > start && is_space(text[end - 1])) {
        end--;
    }
    bool negative = start < end && text[start] == '-';
    start += start < end && (text[start] == '-' || text[start] == '+');
    int actual = base;
    size_t prefix = parse_prefix(text + start, end - start, &actual);
    start += prefix;
    size_t room = end - start + 1;
    char *digits = ctx_alloc(&vm->ctx, room);
    if (digits == NULL) {
        return VALUE_FAIL;
    }
    // Only digits are copied; `digits` has no NUL at its end.
    size_t count = clean_digits(&vm->ctx, text + start, end - start, actual,
                                prefix != 0, digits);
    Value result = ctx_failed(&vm->ctx) ? VALUE_FAIL : VALUE_UNBOUND;
    // With base 0 the text must be a literal, and 010 is none, while 00 is.
    bool zeros = base == 0 && prefix == 0 && count != SIZE_MAX && count > 1 &&
                 digits[0] == '0' && !only_zeros(digits, count);
    if (count != SIZE_MAX && !zeros) {
        result = parse_clean(vm, digits, count, actual, negative);
    }
    ctx_free(&vm->ctx, digits, room);
    return result;
}

// `base` is 2 to 36, or 0 for what a literal says. A ValueError shows the text
// as repr does.
Value int_parse(Vm *vm, const char *text, size_t length, int base)
{
    Value made = parse_literal(vm, text, length, base);
    if (!value_unbound(made)) {
        return made;
    }
    StrBuf repr;
    strbuf_init(&repr, &vm->ctx);
    str_print_repr(&repr, text, length);
    return invalid_literal(vm, &repr, base);
}

// Text beyond ASCII is turned into ASCII where it stands for digits or white
// space; the error shows what was given, with the b of bytes.
Value int_parse_value(Vm *vm, Value v, int base)
{
    bool bytes = value_is_kind(v, KIND_BYTES);
    const Str *str = bytes ? NULL : value_as_str(v);
    StrBuf plain;
    strbuf_init(&plain, &vm->ctx);
    if (!bytes && str->count != str->length) {
        str_plain_number(&plain, str);
    } else {
        strbuf_add(&plain, bytes ? bytes_text(v) : str->text,
                   bytes ? bytes_length(v) : str->length);
    }
    Value made = strbuf_ok(&plain) ? parse_literal(vm, strbuf_text(&plain),
                                                   plain.length, base)
                                   : VALUE_FAIL;
    strbuf_free(&plain);
    if (!value_unbound(made)) {
        return made;
    }
    if (!bytes && !note_text(vm, str)) {
        return VALUE_FAIL;
    }
    StrBuf repr;
    strbuf_init(&repr, &vm->ctx);
    // Only the error needs it. A text shows itself by its class's __repr__, of
    // bytes plain ones are made first.
    Value shown = bytes ? bytes_value(vm, bytes_text(v), bytes_length(v))
                        : value_retain(v);
    Str *text = value_failed(shown) ? NULL : value_repr(vm, shown);
    release(vm, shown);
    if (text == NULL) {
        strbuf_free(&repr);
        return raise_wordless(vm, ERR_VALUE);
    }
    strbuf_add(&repr, text->text, text->length);
    object_release(&vm->ctx, text);
    return invalid_literal(vm, &repr, base);
}
