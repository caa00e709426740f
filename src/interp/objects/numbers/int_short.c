// Arithmetic on ints of a few digits. See int_short.h.
//
// Numbers are sign and magnitude in libtommath's digits of 60 bits, the lowest
// first. libtommath takes a block from malloc for each number that it touches;
// here operands are read where they stand, the result is made on the stack and
// copied once, into the object that holds it. Invariant: results fit `Wide`
// arrays because the operands' lengths are checked first; digits above `used`
// are not read.
#include "interp/objects/numbers/int_short.h"

#include <string.h>

__extension__ typedef unsigned __int128 Wide;

enum {
    BITS = MP_DIGIT_BIT,
    MOST = INT_SHORT_DIGITS,
    ROOM = MOST + 2 // a carry, and the digit that a division's shift adds
};

// A number that is only read; an immediate's digits are its own.
typedef struct Short {
    const mp_digit *digits;
    int used;
    bool negative; // never of 0
    mp_digit own[2];
} Short;

// False: it is too long, but read. `v` is an int or bool; nothing is copied of
// an object, and `s` may not outlive `v`.
static bool short_read(Short *s, Value v)
{
    if (value_is_object(v)) {
        const mp_int *number = &((Int *)value_object(v))->number;
        s->digits = number->dp;
        s->used = number->used;
        s->negative = mp_isneg(number);
        return s->used <= MOST;
    }
    int64_t small =
        value_is_int(v) ? value_small(v) : value_same(v, VALUE_TRUE);
    uint64_t magnitude = small < 0 ? 0 - (uint64_t)small : (uint64_t)small;
    // 62 bits and digits of 60: two may be needed.
    s->own[0] = magnitude & MP_MASK;
    s->own[1] = magnitude >> BITS;
    s->used = s->own[1] != 0 ? 2 : s->own[0] != 0;
    s->digits = s->own;
    s->negative = small < 0;
    return true;
}

// The digits stand in the object itself, which int_destroy knows by the
// address.
static Value make_box(Vm *vm, const mp_digit *digits, int used, bool negative)
{
    size_t size = (size_t)used * sizeof *digits;
    Int *box = object_new(vm, vm->types[KIND_INT], sizeof *box + size);
    if (box == NULL) {
        return VALUE_FAIL;
    }
    memcpy(box->digits, digits, size);
    box->number = (mp_int){.used = used,
                           .alloc = used,
                           .sign = negative ? MP_NEG : MP_ZPOS,
                           .dp = box->digits};
    return value_from_object(box);
}

// Takes no reference; the digits are copied. Zeros at the top are dropped
// first, so callers may leave a carry of 0.
Value int_short_make(Vm *vm, const mp_digit *digits, int used, bool negative)
{
    while (used > 0 && digits[used - 1] == 0) {
        used--;
    }
    uint64_t low = used > 0 ? digits[0] : 0;
    if (used <= 1 || (used == 2 && digits[1] == 1)) {
        int64_t small = (int64_t)(low | (uint64_t)(used == 2) << BITS);
        return value_from_small(negative ? -small : small);
    }
    // The one immediate of 62 bits.
    if (used == 2 && digits[1] == 2 && low == 0 && negative) {
        return value_from_small(VALUE_INT_MIN);
    }
    return make_box(vm, digits, used, negative);
}

// --- sums ---

// Of magnitudes: <0, 0, >0. Neither has zeros at the top, hence the longer one
// is larger.
static int compare_digits(const mp_digit *a, int m, const mp_digit *b, int n)
{
    if (m != n) {
        return m - n;
    }
    for (int i = m; i-- > 0;) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

// out = a + b, where m >= n; its length, m + 1. `out` may be an operand. A
// carry of one digit is enough: both digits are below 2^60.
static int add_digits(mp_digit *out, const mp_digit *a, int m,
                      const mp_digit *b, int n)
{
    mp_digit carry = 0;
    for (int i = 0; i < m; i++) {
        carry += a[i] + (i < n ? b[i] : 0);
        out[i] = carry & MP_MASK;
        carry >>= BITS;
    }
    out[m] = carry;
    return m + 1;
}

// out = a - b, where a >= b; its length, m. `out` may be an operand. The caller
// has compared them; zeros at the top may be left.
static int subtract_digits(mp_digit *out, const mp_digit *a, int m,
                           const mp_digit *b, int n)
{
    mp_digit borrow = 0;
    for (int i = 0; i < m; i++) {
        // Below zero the upper bits are set, the lowest of which is borrowed.
        mp_digit difference = a[i] - (i < n ? b[i] : 0) - borrow;
        out[i] = difference & MP_MASK;
        borrow = difference >> BITS & 1;
    }
    return m;
}

// x + y with y's sign as it is given. A difference of the same signs is a sum
// of unlike ones: y's sign is turned by the caller.
static Value sum(Vm *vm, const Short *x, const Short *y, bool negative)
{
    mp_digit out[ROOM];
    int used;
    bool sign = x->negative;
    if (x->negative == negative) {
        used = x->used >= y->used
                   ? add_digits(out, x->digits, x->used, y->digits, y->used)
                   : add_digits(out, y->digits, y->used, x->digits, x->used);
    } else if (compare_digits(x->digits, x->used, y->digits, y->used) >= 0) {
        used = subtract_digits(out, x->digits, x->used, y->digits, y->used);
    } else {
        used = subtract_digits(out, y->digits, y->used, x->digits, x->used);
        sign = negative;
    }
    return int_short_make(vm, out, used, sign);
}

// --- products ---

// out = a * b, of m + n digits; neither operand. By rows, quadratic: the
// operands are a few digits long, where nothing else is faster.
static int multiply_digits(mp_digit *out, const mp_digit *a, int m,
                           const mp_digit *b, int n)
{
    memset(out, 0, (size_t)(m + n) * sizeof *out);
    for (int i = 0; i < m; i++) {
        mp_digit carry = 0;
        for (int j = 0; j < n; j++) {
            // Below 2^120 + 2^61: it fits.
            Wide t = (Wide)a[i] * b[j] + out[i + j] + carry;
            out[i + j] = (mp_digit)t & MP_MASK;
            carry = (mp_digit)(t >> BITS);
        }
        out[i + n] = carry;
    }
    return m + n;
}

// UNBOUND: too long for here, libtommath has to do it.
static Value product(Vm *vm, const Short *x, const Short *y)
{
    mp_digit out[ROOM];
    if (x->used + y->used > MOST) {
        return VALUE_UNBOUND;
    }
    int used = multiply_digits(out, x->digits, x->used, y->digits, y->used);
    return int_short_make(vm, out, used, x->negative != y->negative);
}

// A long number by one of a single digit: straight into the object.
static Value scale(Vm *vm, const Short *x, const Short *y)
{
    enum { SCALE_MOST = 4096 }; // digits; more are polled for elsewhere
    if (x->used < y->used) {
        const Short *longer = y;
        y = x;
        x = longer;
    }
    if (y->used != 1 || x->used > SCALE_MOST) {
        return VALUE_UNBOUND;
    }
    size_t size = ((size_t)x->used + 1) * sizeof(mp_digit);
    Int *box = object_new(vm, vm->types[KIND_INT], sizeof *box + size);
    if (box == NULL) {
        return VALUE_FAIL;
    }
    Wide carry = 0;
    for (int i = 0; i < x->used; i++) {
        carry += (Wide)x->digits[i] * y->digits[0];
        box->digits[i] = (mp_digit)carry & MP_MASK;
        carry >>= BITS;
    }
    box->digits[x->used] = (mp_digit)carry;
    box->number =
        (mp_int){.used = x->used + (carry != 0),
                 .alloc = x->used + 1,
                 .sign = x->negative != y->negative ? MP_NEG : MP_ZPOS,
                 .dp = box->digits};
    return value_from_object(box);
}

static uint64_t count_bits(const mp_digit *digits, int used)
{
    return used == 0 ? 0
                     : (uint64_t)used * BITS -
                           // A digit has 60 of the 64 bits.
                           (uint64_t)(__builtin_clzll(digits[used - 1]) - 4);
}

// By squaring. The result's length is known to within the exponent, so that
// what does not fit is seen before the work; squares stay below the result.
Value int_short_power(Vm *vm, Value base, uint64_t exponent)
{
    Short s;
    if (!short_read(&s, base) || exponent > MOST * BITS ||
        count_bits(s.digits, s.used) * exponent > (MOST - 1) * BITS) {
        return VALUE_UNBOUND;
    }
    mp_digit result[ROOM] = {1}, square[ROOM], scratch[ROOM];
    int used = 1, length = s.used;
    bool negative = s.negative && (exponent & 1);
    memcpy(square, s.digits, (size_t)length * sizeof *square);
    while (exponent != 0) {
        if (exponent & 1) {
            used = multiply_digits(scratch, result, used, square, length);
            // A product of m + n digits may have one less.
            used -= used > 0 && scratch[used - 1] == 0;
            memcpy(result, scratch, (size_t)used * sizeof *result);
        }
        // The last square would not be used, and might not fit.
        exponent >>= 1;
        if (exponent != 0) {
            length = multiply_digits(scratch, square, length, square, length);
            length -= length > 0 && scratch[length - 1] == 0;
            memcpy(square, scratch, (size_t)length * sizeof *square);
        }
    }
    return int_short_make(vm, result, used, negative);
}

// --- quotients ---

// quotient = a / divisor, of m digits, which may be `a`; the rest. From the top
// down, as by hand; `rest` stays below the divisor.
static mp_digit divide_by_digit(mp_digit *quotient, const mp_digit *a, int m,
                                mp_digit divisor)
{
    mp_digit rest = 0;
    for (int i = m; i-- > 0;) {
        Wide t = (Wide)rest << BITS | a[i];
        mp_digit q = (mp_digit)(t / divisor);
        quotient[i] = q;
        rest = (mp_digit)t - q * divisor;
    }
    return rest;
}

// out = a << shift, shift < BITS, with one digit more than a. A shift of 0
// works: then nothing is carried.
static void shift_up(mp_digit *out, const mp_digit *a, int m, int shift)
{
    mp_digit carry = 0;
    for (int i = 0; i < m; i++) {
        out[i] = (a[i] << shift & MP_MASK) | carry;
        carry = a[i] >> (BITS - shift);
    }
    out[m] = carry;
}

// Knuth's guess of a quotient's digit from the top three digits u[0], u[-1],
// u[-2] and the divisor's top two: it is right or one too large. Volume 2 of
// The Art of Computer Programming, 4.3.1; the divisor is normalised.
static mp_digit guess_digit(const mp_digit *u, mp_digit top, mp_digit next)
{
    Wide numerator = (Wide)u[0] << BITS | u[-1];
    Wide guess = numerator / top, rest = numerator % top;
    while (guess > MP_MASK || guess * next > (rest << BITS | u[-2])) {
        guess--;
        rest += top;
        if (rest > MP_MASK) {
            break;
        }
    }
    return (mp_digit)guess;
}

// u[0 .. n] -= v * q; the guess was too large if that is negative: then v is
// added once, and q is one less. One step of the long division: the digit that
// was right is given back.
static mp_digit take_off(mp_digit *u, const mp_digit *v, int n, mp_digit q)
{
    mp_digit carry = 0, borrow = 0;
    for (int i = 0; i <= n; i++) {
        Wide part = (Wide)q * (i < n ? v[i] : 0) + carry;
        carry = (mp_digit)(part >> BITS);
        mp_digit difference = u[i] - ((mp_digit)part & MP_MASK) - borrow;
        u[i] = difference & MP_MASK;
        borrow = difference >> BITS & 1;
    }
    if (borrow != 0) {
        carry = 0;
        for (int i = 0; i <= n; i++) {
            carry += u[i] + (i < n ? v[i] : 0);
            u[i] = carry & MP_MASK;
            carry >>= BITS;
        }
        q--;
    }
    return q;
}

// Of magnitudes, Knuth's algorithm D: quotient of m - n + 1 digits, rest of n.
// n >= 1, m >= n. `a` and `b` are left alone, copies are shifted.
static void divide_digits(const mp_digit *a, int m, const mp_digit *b, int n,
                          mp_digit *quotient, mp_digit *rest)
{
    if (n == 1) {
        rest[0] = divide_by_digit(quotient, a, m, b[0]);
        return;
    }
    // Normalised: the divisor's top bit is the top bit of its digit.
    mp_digit u[ROOM], v[ROOM];
    int shift = __builtin_clzll(b[n - 1]) - (64 - BITS);
    shift_up(u, a, m, shift);
    shift_up(v, b, n, shift);
    for (int j = m - n; j >= 0; j--) {
        mp_digit q = guess_digit(&u[j + n], v[n - 1], v[n - 2]);
        quotient[j] = take_off(&u[j], v, n, q);
    }
    for (int i = 0; i < n; i++) {
        // The normalising is undone for the rest alone; a quotient does not
        // know of it.
        rest[i] = u[i] >> shift | (u[i + 1] << (BITS - shift) & MP_MASK);
    }
}

// A quotient and a rest, of magnitudes, on the way to Python's.
typedef struct Division {
    mp_digit quotient[ROOM], rest[ROOM];
    int quotient_used, rest_used;
} Division;

// Floored: where the signs differ and something is left, the quotient is one
// further from zero, and the rest is what is missing to the divisor. C and
// Knuth cut towards zero, Python rounds down.
static void floor_divide(Division *d, const Short *x, const Short *y)
{
    d->rest_used = y->used;
    d->quotient_used = 0;
    memset(d->rest, 0, (size_t)y->used * sizeof *d->rest);
    if (compare_digits(x->digits, x->used, y->digits, y->used) < 0) {
        memcpy(d->rest, x->digits, (size_t)x->used * sizeof *d->rest);
    } else {
        divide_digits(x->digits, x->used, y->digits, y->used, d->quotient,
                      d->rest);
        d->quotient_used = x->used - y->used + 1;
    }
    // Something is left if any digit of the rest is not 0.
    bool exact = true;
    for (int i = 0; i < d->rest_used; i++) {
        exact = exact && d->rest[i] == 0;
    }
    if (!exact && x->negative != y->negative) {
        static const mp_digit one = 1;
        bool empty = d->quotient_used == 0;
        // A quotient of no digits is 0; one is added to it in place.
        d->quotient[0] = empty ? 0 : d->quotient[0];
        d->quotient_used = add_digits(d->quotient, d->quotient,
                                      empty ? 1 : d->quotient_used, &one, 1);
        (void)subtract_digits(d->rest, y->digits, y->used, d->rest,
                              d->rest_used);
    }
}

// Zeros at the top are dropped by int_short_make.
static Value quotient_of(Vm *vm, const Division *d, const Short *x,
                         const Short *y)
{
    return int_short_make(vm, d->quotient, d->quotient_used,
                          x->negative != y->negative);
}

// Its sign is the divisor's, as Python has it.
static Value rest_of(Vm *vm, const Division *d, const Short *y)
{
    return int_short_make(vm, d->rest, d->rest_used, y->negative);
}

int int_short_divmod(Vm *vm, Value a, Value b, Value *quotient, Value *rest)
{
    Short x, y;
    Division d;
    if (!short_read(&x, a) || !short_read(&y, b) || y.used == 0) {
        return 0;
    }
    floor_divide(&d, &x, &y);
    *quotient = quotient_of(vm, &d, &x, &y);
    if (value_failed(*quotient)) {
        return -1;
    }
    *rest = rest_of(vm, &d, &y);
    if (value_failed(*rest)) {
        release(vm, *quotient);
        return -1;
    }
    return 1;
}

// The parts of a division that one operator asks for. As int_short_divmod, but
// for one of the two.
static Value divide(Vm *vm, BinaryOp op, const Short *x, const Short *y)
{
    Division d;
    if (y->used == 0) {
        return VALUE_UNBOUND;
    }
    floor_divide(&d, x, y);
    return op == BINARY_MOD ? rest_of(vm, &d, y) : quotient_of(vm, &d, x, y);
}

// --- bits ---

// By `count` bits, which y holds. A right shift rounds down: what is lost of a
// negative number makes it one more in magnitude.
static Value shift(Vm *vm, BinaryOp op, const Short *x, const Short *y)
{
    mp_digit out[ROOM] = {0};
    // A negative count is an error, and one of two digits leaves nothing or
    // fills all memory: neither is for here.
    if (y->negative || y->used > 1) {
        return VALUE_UNBOUND;
    }
    mp_digit count = y->used == 0 ? 0 : y->digits[0];
    mp_digit digits = count / BITS;
    int bits = (int)(count % BITS);
    if (op == BINARY_LSHIFT) {
        if (digits + (mp_digit)x->used + 1 > MOST) {
            return VALUE_UNBOUND;
        }
        shift_up(out + digits, x->digits, x->used, bits);
        return int_short_make(vm, out, (int)digits + x->used + 1, x->negative);
    }
    // All of it is lost where the count exceeds the number.
    bool lost = x->used > 0;
    int used = 0;
    if (digits < (mp_digit)x->used) {
        int from = (int)digits;
        used = x->used - from;
        lost = (x->digits[from] & (((mp_digit)1 << bits) - 1)) != 0;
        for (int i = 0; i < from; i++) {
            lost = lost || x->digits[i] != 0;
        }
        for (int i = 0; i < used; i++) {
            mp_digit above = i + 1 < used ? x->digits[from + i + 1] : 0;
            out[i] = x->digits[from + i] >> bits |
                     (above << (BITS - bits) & MP_MASK);
        }
    }
    if (lost && x->negative) {
        static const mp_digit one = 1;
        used = add_digits(out, out, used > 0 ? used : 1, &one, 1);
    }
    return int_short_make(vm, out, used, x->negative);
}

// The number in two's complement of `width` digits, which leave a bit for the
// sign. ~x + 1 from the lowest digit on; of a number that is not negative a
// plain copy.
static void to_complement(mp_digit *out, const Short *s, int width)
{
    mp_digit carry = s->negative;
    for (int i = 0; i < width; i++) {
        mp_digit digit = i < s->used ? s->digits[i] : 0;
        carry += s->negative ? ~digit & MP_MASK : digit;
        out[i] = carry & MP_MASK;
        carry >>= BITS;
    }
}

// & | ^ as of endless two's complement. The width leaves room for a sign, so
// that the top bit of the result is its sign.
static Value bitwise(Vm *vm, BinaryOp op, const Short *x, const Short *y)
{
    mp_digit a[ROOM], b[ROOM];
    int width = (x->used > y->used ? x->used : y->used) + 1;
    to_complement(a, x, width);
    to_complement(b, y, width);
    for (int i = 0; i < width; i++) {
        a[i] = op == BINARY_AND  ? a[i] & b[i]
               : op == BINARY_OR ? a[i] | b[i]
                                 : a[i] ^ b[i];
    }
    bool negative = a[width - 1] >> (BITS - 1);
    // Back to a magnitude by the same step.
    Short result = {.digits = a, .used = width, .negative = negative};
    to_complement(b, &result, width);
    return int_short_make(vm, b, width, negative);
}

// UNBOUND: one of the operands is too long or the operator none of these.
// Division by zero is left to the general way, which raises.
Value int_short_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    Short x, y;
    bool fits = short_read(&x, a);
    fits = short_read(&y, b) && fits;
    if (!fits) {
        return op == BINARY_MUL ? scale(vm, &x, &y) : VALUE_UNBOUND;
    }
    switch (op) {
    case BINARY_ADD: return sum(vm, &x, &y, y.negative);
    case BINARY_SUB: return sum(vm, &x, &y, !y.negative);
    case BINARY_MUL: {
        Value made = product(vm, &x, &y);
        return value_unbound(made) ? scale(vm, &x, &y) : made;
    }
    case BINARY_FLOORDIV:
    case BINARY_MOD: return divide(vm, op, &x, &y);
    case BINARY_LSHIFT:
    case BINARY_RSHIFT: return shift(vm, op, &x, &y);
    case BINARY_AND:
    case BINARY_OR:
    case BINARY_XOR: return bitwise(vm, op, &x, &y);
    default: return VALUE_UNBOUND;
    }
}

// --- text ---

// Eighteen decimal digits at a time, as many as fit a digit of the number. From
// the end of `text` backwards.
size_t int_short_decimal(const mp_int *number, char *text, size_t size)
{
    enum { PART = 18 };
    const mp_digit scale = 1000000000000000000;
    mp_digit digits[ROOM];
    int used = number->used;
    size_t at = size;
    if (used > MOST || used == 0) {
        return 0;
    }
    memcpy(digits, number->dp, (size_t)used * sizeof *digits);
    while (used > 0) {
        mp_digit part = divide_by_digit(digits, digits, used, scale);
        used -= digits[used - 1] == 0;
        // The topmost part has no zeros in front.
        for (int i = 0; used > 0 ? i < PART : part != 0; i++) {
            text[--at] = (char)('0' + part % 10);
            part /= 10;
        }
    }
    return at;
}
