// Numbers as rows of items of a few bits each: bytes, and digits of a base
// that is a power of two. Linear, where libtommath shifts the whole number
// for every byte. See int_large.h.
#include "interp/objects/numbers/int_large.h"

// The items are most significant first; what is above `count` items is left
// out, and zeros stand where the number ends.
bool int_unpack(Ctx *ctx, const mp_int *number, unsigned char *items,
                size_t count, int bits)
{
    uint64_t window = 0; // the lowest `held` bits are still to be written
    int held = 0, next = 0;
    while (count > 0) {
        if (!ctx_poll_at(ctx, count)) {
            return false;
        }
        if (held < bits && next < number->used) {
            // An item may straddle two digits.
            uint64_t digit = number->dp[next++];
            uint64_t low = window | digit << held;
            items[--count] = (unsigned char)(low & ((1u << bits) - 1));
            window = digit >> (bits - held);
            held += MP_DIGIT_BIT - bits;
            continue;
        }
        items[--count] = (unsigned char)(window & ((1u << bits) - 1));
        window >>= bits;
        held = held > bits ? held - bits : 0;
    }
    return true;
}

// Each item is below 2 ** bits. `number` is initialised.
mp_err int_pack(Ctx *ctx, mp_int *number, const unsigned char *items,
                size_t count, int bits)
{
    if (count > (size_t)INT_MAX_BITS / (size_t)bits) {
        return MP_MEM;
    }
    int digits = (int)(count * (size_t)bits / MP_DIGIT_BIT) + 1;
    // One allocation for all digits.
    mp_err err = mp_grow(number, digits);
    if (err != MP_OKAY) {
        return err;
    }
    mp_zero(number);
    // What does not fit into a digit begins the next one.
    uint64_t window = 0;
    int held = 0;
    while (count > 0) {
        if (!ctx_poll_at(ctx, count)) {
            return MP_ERR;
        }
        uint64_t item = items[--count];
        window |= item << held;
        held += bits;
        if (held >= MP_DIGIT_BIT) {
            number->dp[number->used++] = window & MP_MASK;
            held -= MP_DIGIT_BIT;
            window = item >> (bits - held);
        }
    }
    number->dp[number->used++] = window;
    mp_clamp(number);
    return MP_OKAY;
}
