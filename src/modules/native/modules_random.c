// The native half of the module random: the Mersenne Twister MT19937 (Matsumoto
// and Nishimura, 1998), seeded as Python seeds it.
//
// The state is a bytes object that the module's Random owns alone and that is
// changed in place: 624 words and the index of the next one, little-endian as
// the machine has them. Nobody else may hold it.
#include "interp/hooks/note.h"
#include "interp/objects/numbers/int_large.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/importing/module.h"

enum {
    WORDS = 624,
    SHIFT = 397, // distance of the words that are mixed
    STATE_SIZE = (WORDS + 1) * 4
};

// The layout of the bytes object, word for word.
typedef struct Twister {
    uint32_t words[WORDS];
    uint32_t index; // of the next word; WORDS: make new ones
} Twister;

// The state is copied in and out, since bytes are not aligned for words.
static bool load(Vm *vm, Value v, Twister *twister)
{
    if (!value_is_kind(v, KIND_BYTES) || bytes_length(v) != STATE_SIZE) {
        return raise_false(vm, ERR_TYPE, "state vector is the wrong size");
    }
    memcpy(twister, bytes_text(v), STATE_SIZE);
    // A forged state must not make next_word read past the words.
    if (twister->index > WORDS) {
        return raise_false(vm, ERR_VALUE, "invalid state");
    }
    return true;
}

// In place: the bytes object is the module's alone.
static void store(Value v, const Twister *twister)
{
    memcpy(value_as_bytes(v)->data, twister, STATE_SIZE);
}

// The recurrence of MT19937: the top bit of one word and the rest of the next.
static uint32_t mixed(uint32_t high, uint32_t low, uint32_t other)
{
    uint32_t y = (high & 0x80000000u) | (low & 0x7FFFFFFFu);
    return other ^ y >> 1 ^ ((y & 1) != 0 ? 0x9908B0DFu : 0);
}

// The words behind i are still the old ones, those before it the new ones, as
// the recurrence wants.
static void refill(uint32_t *words)
{
    for (int i = 0; i < WORDS; i++) {
        words[i] =
            mixed(words[i], words[(i + 1) % WORDS], words[(i + SHIFT) % WORDS]);
    }
}

// The next word straight from the state in the bytes object.
static uint32_t next_word(char *state)
{
    uint32_t index, y;
    memcpy(&index, state + 4 * (size_t)WORDS, 4);
    // All words are used up: 624 new ones are made at once.
    if (index >= WORDS) {
        uint32_t words[WORDS];
        memcpy(words, state, sizeof words);
        refill(words);
        memcpy(state, words, sizeof words);
        index = 0;
    }
    memcpy(&y, state + 4 * (size_t)index, 4);
    index++;
    memcpy(state + 4 * (size_t)WORDS, &index, 4);
    // Tempering, which spreads the bits evenly over the word.
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680u;
    y ^= y << 15 & 0xEFC60000u;
    return y ^ y >> 18;
}

// init_genrand of the reference implementation.
static void seed_one(Twister *twister, uint32_t seed)
{
    twister->words[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        uint32_t last = twister->words[i - 1];
        twister->words[i] = 1812433253u * (last ^ last >> 30) + i;
    }
    twister->index = WORDS;
}

// One step of mixing a key into the words; *i goes round from 1.
static void stir(uint32_t *words, uint32_t *i, uint32_t factor, uint32_t add)
{
    uint32_t last = words[*i - 1];
    words[*i] = (words[*i] ^ (last ^ last >> 30) * factor) + add;
    // Word 0 is taken from the end and not mixed itself.
    if (++*i >= WORDS) {
        words[0] = words[WORDS - 1];
        *i = 1;
    }
}

// init_by_array of the reference implementation, for every int seed; the result
// depends on it bit by bit.
static void seed_key(Twister *twister, const uint32_t *key, size_t length)
{
    seed_one(twister, 19650218u);
    uint32_t *words = twister->words, i = 1;
    size_t at = 0;
    size_t steps = length > WORDS ? length : WORDS;
    for (size_t k = 0; k < steps; k++) {
        stir(words, &i, 1664525u, key[at] + (uint32_t)at);
        at = at + 1 < length ? at + 1 : 0;
    }
    for (size_t k = 0; k < WORDS - 1; k++) {
        stir(words, &i, 1566083941u, 0u - i);
    }
    words[0] = 0x80000000u;
}

// Seeded with the reference implementation's default, until a seed is set.
static Value random_fresh(Vm *vm, Value *args)
{
    (void)args;
    Twister twister;
    seed_one(&twister, 5489u);
    return bytes_value(vm, (const char *)&twister, STATE_SIZE);
}

// The state is about to change, which nobody can take back; a draw is told
// whichever state it is from.
static bool note_draw(Vm *vm, Value state)
{
    return note_step(vm, value_object(state)) &&
           note_effect(vm, EFFECT_DRAW, "random", VALUE_UNBOUND);
}

// seed_state(state, number): number is an int >= 0.
static Value random_seed(Vm *vm, Value *args)
{
    Twister twister;
    if (!value_is_integer(args[1])) {
        return raise_error(vm, ERR_TYPE, "the seed must be an int");
    }
    if (!load(vm, args[0], &twister) || !note_draw(vm, args[0])) {
        return VALUE_FAIL;
    }
    IntView view;
    int_view(&view, args[1]);
    size_t bytes = mp_iszero(view.number) ? 0 : mp_ubin_size(view.number);
    // The key is the number in words of 32 bits, the lowest first; 0 has one
    // word.
    size_t length = bytes == 0 ? 1 : (bytes + 3) / 4;
    uint32_t *key = ctx_alloc_zero(&vm->ctx, length * sizeof *key);
    // One byte more than needed, so that the size is never 0.
    unsigned char *data = ctx_alloc_zero(&vm->ctx, bytes + 1);
    bool ready = key != NULL && data != NULL;
    if (ready && bytes > 0 &&
        mp_to_ubin(view.number, data, bytes, NULL) != MP_OKAY) {
        ready = (ctx_fail_memory(&vm->ctx), false);
    }
    for (size_t i = 0; ready && i < bytes; i++) {
        key[i / 4] |= (uint32_t)data[bytes - 1 - i] << (8 * (i % 4));
    }
    if (ready) {
        seed_key(&twister, key, length);
        store(args[0], &twister);
    }
    if (key != NULL) {
        ctx_free(&vm->ctx, key, length * sizeof *key);
    }
    if (data != NULL) {
        ctx_free(&vm->ctx, data, bytes + 1);
    }
    return value_done(ready);
}

// As load, for those that work on the bytes in place.
static bool check_state(Vm *vm, Value v)
{
    return (value_is_kind(v, KIND_BYTES) && bytes_length(v) == STATE_SIZE) ||
           raise_false(vm, ERR_TYPE, "state vector is the wrong size");
}

// 53 bits of two words, as a float in [0, 1).
static Value random_double(Vm *vm, Value *args)
{
    if (!check_state(vm, args[0]) || !note_draw(vm, args[0])) {
        return VALUE_FAIL;
    }
    char *state = value_as_bytes(args[0])->data;
    uint32_t a = next_word(state) >> 5, b = next_word(state) >> 6;
    return float_new(vm,
                     ((double)a * 67108864.0 + (double)b) / 9007199254740992.0);
}

// getrandbits: 32 bits a word, the last word cut from above.
static Value many_bits(Vm *vm, char *state, uint64_t bits)
{
    size_t words = (size_t)((bits + 31) / 32);
    Bytes *bytes = bytes_new(vm, NULL, words * 4);
    if (bytes == NULL) {
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < words; i++, bits -= 32) {
        if (!ctx_poll_at(&vm->ctx, i + 1)) {
            object_release(&vm->ctx, bytes);
            return VALUE_FAIL;
        }
        uint32_t word = next_word(state);
        // Of the last word only as many bits as are asked for, the upper ones.
        word = bits < 32 ? word >> (32 - bits) : word;
        for (int k = 0; k < 4; k++) {
            bytes->data[(words - i) * 4 - 1 - (size_t)k] =
                (char)(word >> (8 * k));
        }
    }
    mp_int number;
    bool made = mp_init(&number) == MP_OKAY;
    bool ok = made && int_pack(&vm->ctx, &number, (unsigned char *)bytes->data,
                               words * 4, 8) == MP_OKAY;
    object_release(&vm->ctx, bytes);
    if (!ok) {
        if (made) {
            mp_clear(&number);
        }
        return int_raise(&vm->ctx), VALUE_FAIL;
    }
    return int_from_mp(vm, &number);
}

// random_bits(state, k): an int below 2^k. No bits take no word.
static Value random_bits(Vm *vm, Value *args)
{
    int bits;
    if (!check_state(vm, args[0]) || !value_to_c_int(vm, args[1], &bits)) {
        return VALUE_FAIL;
    }
    if (bits < 0) {
        return raise_error(vm, ERR_VALUE,
                           "number of bits must be non-negative");
    }
    char *state = value_as_bytes(args[0])->data;
    if (bits == 0) {
        return value_from_small(0);
    }
    if (!note_draw(vm, args[0])) {
        return VALUE_FAIL;
    }
    // One word, cut from above; always an immediate.
    if (bits <= 32) {
        return value_from_small((int64_t)(next_word(state) >> (32 - bits)));
    }
    return many_bits(vm, state, (uint64_t)bits);
}

static const NativeDef functions[] = {
    {"fresh_state", "", random_fresh, "A new state, bytes."},
    {"seed_state", "state, number, /", random_seed, "Seed a state."},
    {"random_double", "state, /", random_double, "A float in [0, 1)."},
    {"random_bits", "state, k, /", random_bits, "An int of k bits."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef random_module = {
    .name = "random", .doc = "The Mersenne Twister.", .functions = functions};
