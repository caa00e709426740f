// int: what is immediate and what is boxed, short arithmetic against
// libtommath, conversions at their borders, Ctrl-C in large products.
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "interp/objects/numbers/int_large.h"
#include "interp/objects/numbers/int_short.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/protocol/protocol.h"

#include "host.h"

TestSuite(numbers, .init = host_open, .fini = host_close);

static uint64_t seed = 1;

static uint64_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 20 ^ seed << 24;
}

// An int of up to `digits` digits, many of whose digits are all zeros or ones:
// there carries go far.
static Value draw_int(int digits)
{
    mp_int number;
    cr_assert_eq(mp_init_size(&number, digits + 1), MP_OKAY);
    number.used = 1 + (int)(draw() % (unsigned)digits);
    for (int i = 0; i < number.used; i++) {
        uint64_t kind = draw() % 4;
        number.dp[i] = kind == 0 ? 0 : kind == 1 ? MP_MASK : draw() & MP_MASK;
    }
    number.sign = draw() % 2 == 0 ? MP_ZPOS : MP_NEG;
    mp_clamp(&number);
    Value made = int_from_mp(vm, &number);
    cr_assert_not(value_failed(made));
    return made;
}

// The same by libtommath. Floor division: towards minus infinity.
static Value by_library(BinaryOp op, Value a, Value b)
{
    IntView x, y;
    mp_int out, rest;
    int_view(&x, a);
    int_view(&y, b);
    cr_assert_eq(mp_init_multi(&out, &rest, NULL), MP_OKAY);
    mp_err status = MP_OKAY;
    switch (op) {
    case BINARY_ADD: status = mp_add(x.number, y.number, &out); break;
    case BINARY_SUB: status = mp_sub(x.number, y.number, &out); break;
    case BINARY_MUL: status = mp_mul(x.number, y.number, &out); break;
    case BINARY_AND: status = mp_and(x.number, y.number, &out); break;
    case BINARY_OR: status = mp_or(x.number, y.number, &out); break;
    case BINARY_XOR: status = mp_xor(x.number, y.number, &out); break;
    default:
        status = mp_div(x.number, y.number, &out, &rest);
        if (!mp_iszero(&rest) && rest.sign != y.number->sign) {
            cr_assert_eq(mp_add(&rest, y.number, &rest), MP_OKAY);
            cr_assert_eq(mp_decr(&out), MP_OKAY);
        }
        if (op == BINARY_MOD) {
            mp_exch(&out, &rest);
        }
        break;
    }
    cr_assert_eq(status, MP_OKAY);
    mp_clear(&rest);
    return int_from_mp(vm, &out);
}

Test(numbers, short_arithmetic_agrees_with_libtommath)
{
    static const BinaryOp ops[] = {BINARY_ADD, BINARY_SUB, BINARY_MUL,
                                   BINARY_AND, BINARY_OR,  BINARY_FLOORDIV,
                                   BINARY_MOD, BINARY_XOR};
    int answered = 0;
    for (int turn = 0; turn < 40000; turn++) {
        BinaryOp op = ops[turn % 8];
        // Up to, and some beyond, what is handled.
        Value a = draw_int(INT_SHORT_DIGITS + 2);
        Value b = draw_int(turn % 3 == 0 ? 2 : INT_SHORT_DIGITS + 2);
        bool divides = op == BINARY_FLOORDIV || op == BINARY_MOD;
        if (!divides || int_compare(b, value_from_small(0)) != 0) {
            Value made = int_short_binary(vm, op, a, b);
            cr_assert_not(value_failed(made));
            if (!value_unbound(made)) {
                Value expected = by_library(op, a, b);
                cr_assert_eq(int_compare(made, expected), 0, "turn %d", turn);
                cr_assert_eq(value_is_int(made), value_is_int(expected));
                value_release(&vm->ctx, expected);
                value_release(&vm->ctx, made);
                answered++;
            }
        }
        value_release(&vm->ctx, a);
        value_release(&vm->ctx, b);
    }
    cr_assert_gt(answered, 20000);
}

Test(numbers, short_arithmetic_leaves_division_by_zero_to_others)
{
    Value a = host_eval("2 ** 100"), zero = value_from_small(0), q, r;
    cr_assert(value_unbound(int_short_binary(vm, BINARY_MOD, a, zero)));
    cr_assert_eq(int_short_divmod(vm, a, zero, &q, &r), 0);
    cr_assert(value_failed(int_binary(vm, BINARY_FLOORDIV, a, zero)));
    cr_assert(host_failed(ERR_ZERO_DIVISION));
    value_release(&vm->ctx, a);
}

// The longest number that is written in short form, and the next one.
Test(numbers, the_room_for_decimal_digits_is_enough)
{
    char text[INT_SHORT_TEXT];
    IntView view;
    Value longest = host_eval("2 ** (60 * 64) - 1");
    int_view(&view, longest);
    cr_assert_eq(view.number->used, INT_SHORT_DIGITS);
    size_t at = int_short_decimal(view.number, text, sizeof text);
    cr_assert_eq(sizeof text - at, 1156); // 3840 * log10(2), rounded up
    cr_assert_neq(text[at], '0');
    value_release(&vm->ctx, longest);
    Value longer = host_eval("2 ** (60 * 64)");
    int_view(&view, longer);
    cr_assert_eq(int_short_decimal(view.number, text, sizeof text), 0);
    value_release(&vm->ctx, longer);
}

Test(numbers, what_fits_is_immediate)
{
    Value most = int_from_i64(vm, VALUE_INT_MAX);
    cr_assert(value_is_int(most));
    Value beyond = int_binary(vm, BINARY_ADD, most, value_from_small(1));
    cr_assert_not(value_is_int(beyond));
    cr_assert_eq(host_count(beyond), 1);
    Value back = int_binary(vm, BINARY_SUB, beyond, value_from_small(1));
    cr_assert(value_same(back, most)); // the same bits again
    value_release(&vm->ctx, beyond);
    cr_assert(value_is_int(int_from_i64(vm, VALUE_INT_MIN)));
}

Test(numbers, sixty_four_bits_and_no_more)
{
    static const int64_t ends[] = {INT64_MIN, INT64_MAX, VALUE_INT_MIN - 1,
                                   VALUE_INT_MAX + 1};
    int64_t out;
    for (int i = 0; i < 4; i++) {
        Value v = int_from_i64(vm, ends[i]);
        cr_assert(int_to_i64(v, &out));
        cr_assert_eq(out, ends[i]);
        value_release(&vm->ctx, v);
    }
    Value large = int_from_u64(vm, (uint64_t)INT64_MAX + 1);
    cr_assert_not(int_to_i64(large, &out));
    cr_assert_not(vm_has_error(vm)); // no error: it only does not fit
    value_release(&vm->ctx, large);
    cr_assert(host_shows(int_from_u64(vm, UINT64_MAX), "18446744073709551615"));
}

Test(numbers, doubles_that_are_no_ints)
{
    cr_assert(value_failed(int_from_double(vm, (double)INFINITY)));
    cr_assert(host_failed(ERR_OVERFLOW));
    cr_assert(value_failed(int_from_double(vm, (double)NAN)));
    cr_assert(host_failed(ERR_VALUE));
    double d;
    Value largest = int_from_double(vm, DBL_MAX);
    cr_assert(int_to_double(vm, largest, &d) && d == DBL_MAX);
    // Half a unit more rounds up, past the largest.
    Value half = host_eval("2 ** 970");
    Value sum = int_binary(vm, BINARY_ADD, largest, half);
    cr_assert_not(int_to_double(vm, sum, &d));
    cr_assert(host_failed(ERR_OVERFLOW));
    value_release(&vm->ctx, largest);
    value_release(&vm->ctx, half);
    value_release(&vm->ctx, sum);
}

Test(numbers, equal_numbers_hash_alike)
{
    static const char *const pairs[][2] = {
        {"2 ** 61 - 1", "0"},
        {"-1", "-2"},
        {"2 ** 61", "2.0 ** 61"},
        {"-2 ** 100", "-2.0 ** 100"},
        {"True", "1.0"},
        {"2 ** 61 - 2", "-(2 ** 61 - 2) + 2 ** 62 - 4"}};
    for (int i = 0; i < 6; i++) {
        Value a = host_eval(pairs[i][0]), b = host_eval(pairs[i][1]);
        uint64_t first, second;
        cr_assert(value_hash(vm, a, &first) && value_hash(vm, b, &second));
        cr_assert_eq(first, second, "%s and %s", pairs[i][0], pairs[i][1]);
        value_release(&vm->ctx, a);
        value_release(&vm->ctx, b);
    }
}

// libtommath does not poll; the pieces that it is given are small enough.
Test(numbers, an_interrupt_ends_a_large_product)
{
    Value a = host_eval("3 ** 400000");
    IntView view;
    mp_int out;
    int_view(&view, a);
    cr_assert_eq(mp_init(&out), MP_OKAY);
    ctx_interrupt(&vm->ctx, INTERRUPT_SIGNAL);
    cr_assert_eq(int_multiply(&vm->ctx, view.number, view.number, &out),
                 MP_ERR);
    cr_assert_not(int_raise(&vm->ctx));
    cr_assert(host_failed(ERR_INTERRUPT));
    mp_clear(&out);
    cr_assert_eq(host_count(a), 1);
    value_release(&vm->ctx, a);
}

Test(numbers, items_of_bits_come_back)
{
    unsigned char items[70];
    IntView view;
    mp_int out;
    for (int bits = 1; bits <= 8; bits++) {
        Value v = host_eval("3 ** 40");
        int_view(&view, v);
        cr_assert(int_unpack(&vm->ctx, view.number, items, sizeof items, bits));
        cr_assert_eq(mp_init(&out), MP_OKAY);
        cr_assert_eq(int_pack(&vm->ctx, &out, items, sizeof items, bits),
                     MP_OKAY);
        cr_assert_eq(mp_cmp(&out, view.number), MP_EQ, "%d bits", bits);
        mp_clear(&out);
        value_release(&vm->ctx, v);
    }
}
