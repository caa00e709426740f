// DEFLATE: blocks of literals and of copies from what was made before, both in
// Huffman codes that are given by their lengths.
//
// Nothing that the data says is believed: reading beyond its end gives zeros
// and sets `bad`, and what `bad` is set for is not done.
#include "base/inflate.h"

#include <string.h>

enum {
    CODE_BITS = 15,    // of the longest code
    LITERALS = 288,    // literals, the end, lengths
    DISTANCES = 30,    // used ones, of 32
    LENGTH_CODES = 19, // codes for lengths of codes
    END_OF_BLOCK = 256
};

typedef struct Inflate {
    const unsigned char *data;
    size_t length, at;
    uint32_t held; // bits that were taken from the data and not used yet
    int held_count;
    unsigned char *out;
    size_t size, made;
    bool bad;
} Inflate;

// A canonical code: those of a length follow each other.
typedef struct Codes {
    uint32_t end[CODE_BITS + 1];  // behind the last code of this length
    int32_t shift[CODE_BITS + 1]; // from a code to its place among symbols
    uint16_t symbols[LITERALS];
} Codes;

// The next few bits, at most 16, the first one lowest.
static uint32_t take(Inflate *in, int count)
{
    while (in->held_count < count) {
        uint32_t next = 0;
        if (in->at < in->length) {
            next = in->data[in->at++];
        } else {
            in->bad = true;
        }
        in->held |= next << in->held_count;
        in->held_count += 8;
    }
    uint32_t bits = in->held & ((1U << count) - 1);
    in->held >>= count;
    in->held_count -= count;
    return bits;
}

static void make_codes(Inflate *in, Codes *codes, const uint8_t *lengths,
                       int count)
{
    uint32_t of_length[CODE_BITS + 1] = {0};
    uint32_t place[CODE_BITS + 1] = {0};
    for (int i = 0; i < count; i++) {
        of_length[lengths[i]]++;
    }
    of_length[0] = 0;
    uint32_t code = 0, symbols = 0;
    for (int bits = 1; bits <= CODE_BITS; bits++) {
        code = (code + of_length[bits - 1]) << 1;
        place[bits] = symbols;
        codes->shift[bits] = (int32_t)symbols - (int32_t)code;
        codes->end[bits] = code + of_length[bits];
        symbols += of_length[bits];
        // More codes than there are of so many bits.
        in->bad = in->bad || codes->end[bits] > 1U << bits;
    }
    for (int i = 0; i < count && !in->bad; i++) {
        if (lengths[i] > 0) {
            codes->symbols[place[lengths[i]]++] = (uint16_t)i;
        }
    }
}

// Codes are sent from their highest bit on. Longer ones begin behind the last
// of each shorter length.
static uint32_t take_symbol(Inflate *in, const Codes *codes)
{
    uint32_t code = 0;
    for (int bits = 1; bits <= CODE_BITS; bits++) {
        code = code << 1 | take(in, 1);
        if (code < codes->end[bits]) {
            return codes->symbols[(int32_t)code + codes->shift[bits]];
        }
    }
    in->bad = true;
    return END_OF_BLOCK;
}

// A block that is not compressed: its length twice, the second time inverted,
// from a whole byte on.
static void copy_plain(Inflate *in)
{
    in->held = 0;
    in->held_count = 0;
    uint32_t length = take(in, 16), check = take(in, 16);
    if (in->bad || (length ^ check) != 0xFFFF || length > in->length - in->at ||
        length > in->size - in->made) {
        in->bad = true;
        return;
    }
    if (length > 0) {
        memcpy(in->out + in->made, in->data + in->at, length);
    }
    in->at += length;
    in->made += length;
}

// Byte by byte: a copy may run into what it makes.
static void copy_back(Inflate *in, size_t distance, size_t length)
{
    if (in->bad || distance > in->made || length > in->size - in->made) {
        in->bad = true;
        return;
    }
    for (size_t i = 0; i < length; i++, in->made++) {
        in->out[in->made] = in->out[in->made - distance];
    }
}

// The least of a class of lengths or distances: classes come in groups that
// have one more bit each, behind the first ones that have none.
static size_t take_class(Inflate *in, uint32_t class, uint32_t group,
                         size_t first)
{
    if (class < 2 * group) {
        return first + class;
    }
    int extra = (int)(class / group) - 1;
    size_t base = (size_t)(group + class % group) << extra;
    return first + base + take(in, extra);
}

static bool run_block(Ctx *ctx, Inflate *in, const Codes *literals,
                      const Codes *distances)
{
    enum { LONGEST = 285, LONGEST_BYTES = 258, LEAST = 3 };
    for (uint32_t turn = 1; !in->bad; turn++) {
        uint32_t symbol = take_symbol(in, literals);
        if (symbol == END_OF_BLOCK) {
            return true;
        }
        if (symbol < END_OF_BLOCK) {
            in->bad = in->bad || in->made == in->size;
            if (!in->bad) {
                in->out[in->made++] = (unsigned char)symbol;
            }
        } else {
            size_t length =
                symbol == LONGEST
                    ? LONGEST_BYTES
                    : take_class(in, symbol - END_OF_BLOCK - 1, 4, LEAST);
            uint32_t class = take_symbol(in, distances);
            in->bad = in->bad || symbol > LONGEST || class >= DISTANCES;
            if (!in->bad) {
                copy_back(in, take_class(in, class, 2, 1), length);
            }
        }
        if ((turn & 0xFFFF) == 0 && !ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}

static void fixed_codes(Inflate *in, Codes *literals, Codes *distances)
{
    uint8_t lengths[LITERALS];
    for (int i = 0; i < LITERALS; i++) {
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    make_codes(in, literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_codes(in, distances, lengths, DISTANCES);
}

// The lengths of both codes in one row, in a code of their own.
static void sent_codes(Inflate *in, Codes *literals, Codes *distances)
{
    static const uint8_t order[LENGTH_CODES] = {
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + 32] = {0};
    int first = (int)take(in, 5) + 257, second = (int)take(in, 5) + 1;
    int count = (int)take(in, 4) + 4, all = first + second;
    for (int i = 0; i < count; i++) {
        lengths[order[i]] = (uint8_t)take(in, 3);
    }
    if (in->bad || first > LITERALS) {
        in->bad = true;
        return;
    }
    // The literals' room holds the code of lengths meanwhile.
    make_codes(in, literals, lengths, LENGTH_CODES);
    memset(lengths, 0, sizeof lengths);
    for (int i = 0; i < all && !in->bad;) {
        uint32_t symbol = take_symbol(in, literals);
        int times = symbol < 16    ? 1
                    : symbol == 16 ? 3 + (int)take(in, 2)
                    : symbol == 17 ? 3 + (int)take(in, 3)
                                   : 11 + (int)take(in, 7);
        if (symbol > 18 || times > all - i || (symbol == 16 && i == 0)) {
            in->bad = true;
            return;
        }
        uint8_t length = symbol < 16    ? (uint8_t)symbol
                         : symbol == 16 ? lengths[i - 1]
                                        : 0;
        memset(lengths + i, length, (size_t)times);
        i += times;
    }
    if (!in->bad) {
        make_codes(in, literals, lengths, first);
        make_codes(in, distances, lengths + first, second);
    }
}

int inflate_all(Ctx *ctx, const unsigned char *data, size_t length,
                unsigned char *out, size_t size)
{
    Inflate in = {.data = data, .length = length, .out = out, .size = size};
    Codes literals, distances;
    for (bool last = false; !last && !in.bad;) {
        last = take(&in, 1) != 0;
        uint32_t kind = take(&in, 2);
        memset(&literals, 0, sizeof literals);
        memset(&distances, 0, sizeof distances);
        if (kind == 0) {
            copy_plain(&in);
            continue;
        }
        if (kind == 1) {
            fixed_codes(&in, &literals, &distances);
        } else if (kind == 2) {
            sent_codes(&in, &literals, &distances);
        } else {
            in.bad = true;
        }
        if (!in.bad && !run_block(ctx, &in, &literals, &distances)) {
            return -1;
        }
    }
    return !in.bad && in.made == size;
}
