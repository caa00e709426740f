// fsum, isqrt, gcd and products of ranges. See math_exact.h.
#include "modules/native/math_exact.h"

#include <inttypes.h>
#include <math.h>

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/int_large.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/builtins/builtins.h"

// Partial sums have no bit in common, and a double's bits lie at 2,098 places.
enum { SUM_PARTIALS = 2100 };

// Shewchuk's sum: the partials, smallest first, add up to what was given.
// On the C stack, some 17 KB: the number of partials is bounded by the format,
// so none has to be allocated.
typedef struct ExactSum {
    double partials[SUM_PARTIALS];
    int count;
    double special;    // the infinities and NaNs among the items
    double infinities; // the infinities alone: NaN where both signs came
} ExactSum;

// What rounding loses of a sum x + y, where |x| >= |y|, goes to *low.
// Dekker's fast two-sum. It needs additions that are rounded once, to double,
// and a compiler that does not reorder them.
static double add_exactly(double x, double y, double *low)
{
    double high = x + y;
    *low = y - (high - x);
    return high;
}

// Shewchuk's algorithm: the partial sums do not overlap, and their sum is
// exact.
// False: an error is pending.
static bool sum_add(Vm *vm, ExactSum *sum, double item)
{
    double x = item;
    int kept = 0;
    for (int i = 0; i < sum->count; i++) {
        double y = sum->partials[i], low;
        // The larger one first, as add_exactly asks.
        x = fabs(x) < fabs(y) ? add_exactly(y, x, &low)
                              : add_exactly(x, y, &low);
        // Zeros are dropped, so that the list stays short.
        if (low != 0) {
            sum->partials[kept++] = low;
        }
    }
    sum->count = kept;
    if (isfinite(x)) {
        sum->partials[sum->count] = x;
        sum->count += x != 0;
        return true;
    }
    // A finite item that makes the sum infinite: the sum of all may be finite,
    // but the partials cannot hold what lies between.
    if (isfinite(item)) {
        return raise_false(vm, ERR_OVERFLOW, "intermediate overflow in fsum");
    }
    sum->special += item;
    sum->infinities += isinf(item) ? item : 0;
    // The finite part has no say any more.
    sum->count = 0;
    return true;
}

// From the largest partial down to the first that is not exact any more. A
// half goes to even only if nothing smaller is left.
// The rounding is that of one addition: to nearest, halves to even.
static double sum_round(const ExactSum *sum)
{
    int n = sum->count - 1;
    double high = n < 0 ? 0 : sum->partials[n], low = 0;
    while (n > 0 && low == 0) {
        high = add_exactly(high, sum->partials[--n], &low);
    }
    // A half, with something of the same sign below it, is more than a half.
    if (n > 0 && low != 0 && (low < 0) == (sum->partials[n - 1] < 0)) {
        double y = low * 2, x = high + y;
        // Twice the lost part is added only if that is exact: then it was a
        // half, and the larger neighbour is the right one.
        high = y == x - high ? x : high;
    }
    return high;
}

// True: the sum has all items.
// False: an error is pending. Items are floats, or have __float__ or __index__.
static bool sum_all(Vm *vm, ExactSum *sum, Value iterator)
{
    for (;;) {
        Value item = value_next(vm, iterator);
        double x = 0;
        if (value_failed(item) || value_same(item, VALUE_STOP)) {
            return !value_failed(item);
        }
        // ctx_poll: the iterator may have no end.
        bool done = value_to_double(vm, item, &x) && sum_add(vm, sum, x) &&
                    ctx_poll(&vm->ctx);
        release(vm, item);
        if (!done) {
            return false;
        }
    }
}

// The exact sum is rounded once, at the end.
// A special item decides whatever the others are; without one `special` is 0.
Value math_fsum(Vm *vm, Value *args)
{
    ExactSum sum;
    sum.count = 0;
    sum.special = sum.infinities = 0;
    Value iterator = value_iter(vm, args[0]);
    if (value_failed(iterator)) {
        return VALUE_FAIL;
    }
    bool done = sum_all(vm, &sum, iterator);
    release(vm, iterator);
    if (!done) {
        return VALUE_FAIL;
    }
    if (sum.special == 0) {
        return float_new(vm, sum_round(&sum));
    }
    // Both infinities came; a NaN among the items is no error.
    return isnan(sum.infinities)
               ? raise_error(vm, ERR_VALUE, "-inf + inf in fsum")
               : float_new(vm, sum.special);
}

// --- isqrt ---

// The machine's root of an int of 62 bits is off by one at most.
// 0 or more. The product (root + 1)^2 stays below 2^63, for the root is below
// 2^31.
static int64_t small_root(int64_t n)
{
    int64_t root = (int64_t)sqrt((double)n);
    // The double may have been rounded up, or down.
    root -= root * root > n;
    root += (root + 1) * (root + 1) <= n;
    return root;
}

// a <op> b, both taken.
// VALUE_FAIL in either goes on as VALUE_FAIL, so that calls can be nested
// without a check in between.
static Value take_both(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool failed = value_failed(a) || value_failed(b);
    Value result = failed ? VALUE_FAIL : int_binary(vm, op, a, b);
    release(vm, a);
    release(vm, b);
    return result;
}

// n << count or n >> count, owned.
static Value shifted(Vm *vm, BinaryOp op, Value n, int64_t count)
{
    return int_binary(vm, op, n, value_from_small(count));
}

// One step of Newton's method from the guess (taken), which never ends too low,
// and down by ones to the root, which is near.
static Value improve(Vm *vm, Value n, Value guess)
{
    if (value_failed(guess)) {
        return guess;
    }
    Value quotient = int_binary(vm, BINARY_FLOORDIV, n, guess);
    Value root =
        take_both(vm, BINARY_RSHIFT, take_both(vm, BINARY_ADD, quotient, guess),
                  value_from_small(1));
    while (!value_failed(root)) {
        Value square = int_binary(vm, BINARY_MUL, root, root);
        if (value_failed(square)) {
            release(vm, root);
            return square;
        }
        int order = int_compare(square, n);
        release(vm, square);
        if (order <= 0) {
            break;
        }
        root = take_both(vm, BINARY_SUB, root, value_from_small(1));
    }
    return root;
}

// Of a number of so many bits, 0 or more: the upper half of the bits gives the
// upper half of the root. The depth is the logarithm of the length. Owned.
// The guess from the upper half is right in its upper bits, so one step doubles
// the digits that are right.
static Value root_of(Vm *vm, Value n, int64_t bits)
{
    if (value_is_int(n)) {
        return value_from_small(small_root(value_small(n)));
    }
    // A quarter of the bits for the root means half of the number's.
    int64_t shift = (bits - 1) / 4;
    Value upper = shifted(vm, BINARY_RSHIFT, n, 2 * shift);
    if (value_failed(upper)) {
        return upper;
    }
    Value guess = root_of(vm, upper, bits - 2 * shift);
    release(vm, upper);
    guess = take_both(vm, BINARY_LSHIFT, guess, value_from_small(shift));
    return improve(vm, n, guess);
}

// Of any size, without floats.
// A float would have 53 bits and be wrong beyond.
Value math_isqrt(Vm *vm, Value *args)
{
    Value n = value_index(vm, args[0]);
    if (value_failed(n)) {
        return n;
    }
    Value root =
        int_compare(n, value_from_small(0)) < 0
            ? raise_error(vm, ERR_VALUE, "isqrt() argument must be nonnegative")
            // The length matters to a long number alone.
            : root_of(vm, n,
                      value_is_int(n)
                          ? 0
                          : mp_count_bits(&((Int *)value_object(n))->number));
    release(vm, n);
    return root;
}

// --- gcd ---

// Of numbers of 62 bits, whose signs do not count. The greatest magnitude is
// 2^61, which is no immediate int: gcd(-2^61, 0) alone has that result.
// Euclid's algorithm.
static int64_t small_gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a;
    uint64_t y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    while (y != 0) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return (int64_t)x;
}

// Neither is taken. Positive, whatever the signs. Of ints and bools of any
// size.
static Value gcd_of(Vm *vm, Value a, Value b)
{
    if (value_both_ints(a, b)) {
        return int_from_i64(vm, small_gcd(value_small(a), value_small(b)));
    }
    IntView x, y;
    int_view(&x, a);
    int_view(&y, b);
    mp_int result;
    if (mp_init(&result) != MP_OKAY) {
        return ctx_fail_memory(&vm->ctx), VALUE_FAIL;
    }
    if (int_gcd(&vm->ctx, x.number, y.number, &result) != MP_OKAY) {
        mp_clear(&result);
        return int_raise(&vm->ctx), VALUE_FAIL;
    }
    // It takes the number over and makes it small if it fits.
    return int_from_mp(vm, &result);
}

// gcd() is 0 and gcd(x) is abs(x): the fold begins with 0.
Value math_gcd(Vm *vm, Value *args)
{
    Tuple *items = value_as_tuple(args[0]);
    Value result = value_from_small(0);
    for (size_t i = 0; i < items->count && !value_failed(result); i++) {
        Value item = value_index(vm, items->items[i]);
        Value next = value_failed(item) ? item : gcd_of(vm, result, item);
        release(vm, item);
        release(vm, result);
        result = next;
    }
    return result;
}

// --- products ---

enum { PRODUCT_RUN = 24 }; // factors that are multiplied one by one

// low * (low + 1) * ... of `count` factors, by halves: long numbers are then
// multiplied by long ones, for which there are quicker ways. The depth is the
// logarithm of the count. Owned. The factors grow from the lowest on.
// `low` is borrowed. A product of 0 factors is 1.
static Value range_product(Vm *vm, Value low, int64_t count)
{
    if (!ctx_poll(&vm->ctx)) {
        return VALUE_FAIL;
    }
    bool split = count > PRODUCT_RUN;
    // With a split the second half starts there; without one the first factor
    // is in `product` already.
    int64_t half = split ? count / 2 : 1;
    Value product = split        ? range_product(vm, low, half)
                    : count == 0 ? value_from_small(1)
                                 : value_retain(low);
    // One turn with the upper half, or one for each factor.
    for (int64_t at = half; at < count && !value_failed(product);) {
        Value factor = int_binary(vm, BINARY_ADD, low, value_from_small(at));
        Value part = value_failed(factor) || !split
                         ? factor
                         : range_product(vm, factor, count - half);
        Value next = value_failed(part)
                         ? VALUE_FAIL
                         : int_binary(vm, BINARY_MUL, product, part);
        release(vm, product);
        release(vm, split ? factor : VALUE_UNBOUND);
        release(vm, part);
        product = next;
        at = split ? count : at + 1;
    }
    return product;
}

// args: the first factor and how many there are, for comb() and perm().
// Duet's half of comb() and perm() (lib/math) has checked the signs.
Value math_product(Vm *vm, Value *args)
{
    int64_t factors;
    return value_to_index(vm, args[1], &factors)
               ? range_product(vm, args[0], factors)
               : VALUE_FAIL;
}

// Of larger numbers by halves, as range_product has it.
// OverflowError beyond a machine word.
Value math_factorial(Vm *vm, Value *args)
{
    Value given = value_index(vm, args[0]);
    if (value_failed(given)) {
        return given;
    }
    int64_t n;
    bool fits = int_to_i64(given, &n);
    bool below = int_compare(given, value_from_small(0)) < 0;
    release(vm, given);
    if (!fits && !below) {
        return raise_error(vm, ERR_OVERFLOW,
                           "factorial() argument should not exceed %" PRId64,
                           INT64_MAX);
    }
    if (below) {
        return raise_error(vm, ERR_VALUE,
                           "factorial() not defined for negative values");
    }
    // 19! is the last that a plain int holds with ease; a few products more are
    // quicker in turn than by halves.
    enum { SMALL_MOST = 19, FEW_MOST = 48 };
    int64_t small = 1, done = n < SMALL_MOST ? n : SMALL_MOST;
    if (n > FEW_MOST) {
        return range_product(vm, value_from_small(1), n);
    }
    for (int64_t i = 2; i <= done; i++) {
        small *= i;
    }
    Value product = value_from_small(small);
    while (done < n && !value_failed(product)) {
        Value before = product;
        product =
            value_binary(vm, BINARY_MUL, before, value_from_small(++done));
        release(vm, before);
    }
    return product;
}
