// Compression functions of digests. They are plain and portable: words are put
// together from bytes, so the machine's own order does not matter.
//
// Invariant: nothing here reads or writes beyond one block and one state.
#include "base/digest.h"

#include <stdbool.h>

// The fractions of the cube roots of the first 80 primes; SHA-256 takes the
// upper halves of the first 64.
static const uint64_t cube_roots[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f,
    0xe9b5dba58189dbbc, 0x3956c25bf348b538, 0x59f111f1b605d019,
    0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242,
    0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3,
    0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65, 0x2de92c6f592b0275,
    0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f,
    0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc,
    0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6,
    0x92722c851482353b, 0xa2bfe8a14cf10364, 0xa81a664bbc423001,
    0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99,
    0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb,
    0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc,
    0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915,
    0xc67178f2e372532b, 0xca273eceea26619c, 0xd186b8c721c0c207,
    0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba,
    0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a,
    0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

// floor(2**32 * |sin(i + 1)|).
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
    0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
    0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
    0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
    0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
    0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
    0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
    0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
    0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

// Keccak's iota step: one for each round.
static const uint64_t keccak_rounds[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a,
    0x8000000080008000, 0x000000000000808b, 0x0000000080000001,
    0x8000000080008081, 0x8000000000008009, 0x000000000000008a,
    0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
    0x000000000000800a, 0x800000008000000a, 0x8000000080008081,
    0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

// A word of `size` bytes, by its first byte: MD5 and Keccak are little-endian,
// SHA big-endian. Compilers make one load of it.
static uint64_t read_word(const unsigned char *at, int size, bool big)
{
    uint64_t word = 0;
    for (int i = 0; i < size; i++) {
        word |= (uint64_t)at[i] << 8 * (big ? size - 1 - i : i);
    }
    return word;
}

// Adds to the word that stands there, modulo its size.
static void add_word(unsigned char *at, int size, bool big, uint64_t more)
{
    uint64_t word = read_word(at, size, big) + more;
    for (int i = 0; i < size; i++) {
        at[i] = (unsigned char)(word >> 8 * (big ? size - 1 - i : i));
    }
}

// Rotations; `by` is never 0 nor the width, where a shift is undefined.
static uint32_t left32(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static uint32_t right32(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static uint64_t right64(uint64_t x, int by)
{
    return x >> by | x << (64 - by);
}

// RFC 1321, section 3.4; the names are those of its text.
static void md5_block(unsigned char *state, const unsigned char *block)
{
    static const int turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    // The state is kept as bytes, so that a copy of a digest is a copy of
    // memory.
    uint32_t words[16], v[4];
    for (int i = 0; i < 16; i++) {
        words[i] = (uint32_t)read_word(block + 4 * i, 4, false);
    }
    for (int i = 0; i < 4; i++) {
        v[i] = (uint32_t)read_word(state + 4 * i, 4, false);
    }
    uint32_t a = v[0], b = v[1], c = v[2], d = v[3];
    for (int i = 0; i < 64; i++) {
        uint32_t mixed;
        int at;
        // Four rounds of 16 steps, each with its own function and order of
        // words.
        switch (i >> 4) {
        case 0: mixed = (b & c) | (~b & d), at = i; break;
        case 1: mixed = (d & b) | (~d & c), at = 5 * i + 1; break;
        case 2: mixed = b ^ c ^ d, at = 3 * i + 5; break;
        default: mixed = c ^ (b | ~d), at = 7 * i; break;
        }
        uint32_t total = a + mixed + sines[i] + words[at & 15];
        a = d;
        d = c;
        c = b;
        b += left32(total, turns[i >> 4][i & 3]);
    }
    uint32_t more[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        add_word(state + 4 * i, 4, false, more[i]);
    }
}

// FIPS 180-4, section 6.1.2.
static void sha1_block(unsigned char *state, const unsigned char *block)
{
    // The schedule stretches 16 words to one for each step.
    uint32_t words[80], v[5];
    for (int i = 0; i < 16; i++) {
        words[i] = (uint32_t)read_word(block + 4 * i, 4, true);
    }
    for (int i = 16; i < 80; i++) {
        words[i] = left32(
            words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    for (int i = 0; i < 5; i++) {
        v[i] = (uint32_t)read_word(state + 4 * i, 4, true);
    }
    for (int i = 0; i < 80; i++) {
        // Ch, Parity, Maj and Parity again, with a constant for each 20 steps.
        uint32_t b = v[1], c = v[2], d = v[3];
        uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                         : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                         : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                                  : (b ^ c ^ d) + 0xca62c1d6;
        uint32_t total = left32(v[0], 5) + mixed + v[4] + words[i];
        v[4] = d;
        v[3] = c;
        v[2] = left32(b, 30);
        v[1] = v[0];
        v[0] = total;
    }
    for (int i = 0; i < 5; i++) {
        add_word(state + 4 * i, 4, true, v[i]);
    }
}

// One round of SHA-2 moves the eight variables on, whatever their width.
#define SHA2_ROUND(v, first, second)                                           \
    do {                                                                       \
        for (int k = 7; k > 0; k--) {                                          \
            (v)[k] = (v)[k - 1];                                               \
        }                                                                      \
        (v)[4] += (first);                                                     \
        (v)[0] = (first) + (second);                                           \
    } while (0)

// FIPS 180-4, section 6.2.2.
static void sha256_block(unsigned char *state, const unsigned char *block)
{
    // As SHA-1's schedule, but with sums in it, which are not linear.
    uint32_t words[64], v[8];
    for (int i = 0; i < 16; i++) {
        words[i] = (uint32_t)read_word(block + 4 * i, 4, true);
    }
    for (int i = 16; i < 64; i++) {
        uint32_t x = words[i - 15], y = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] +
                   (right32(x, 7) ^ right32(x, 18) ^ x >> 3) +
                   (right32(y, 17) ^ right32(y, 19) ^ y >> 10);
    }
    for (int i = 0; i < 8; i++) {
        v[i] = (uint32_t)read_word(state + 4 * i, 4, true);
    }
    for (int i = 0; i < 64; i++) {
        // T1 and T2 of the standard.
        uint32_t e = v[4], a = v[0];
        uint32_t first = v[7] +
                         (right32(e, 6) ^ right32(e, 11) ^ right32(e, 25)) +
                         ((e & v[5]) ^ (~e & v[6])) +
                         (uint32_t)(cube_roots[i] >> 32) + words[i];
        uint32_t second = (right32(a, 2) ^ right32(a, 13) ^ right32(a, 22)) +
                          ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        SHA2_ROUND(v, first, second);
    }
    for (int i = 0; i < 8; i++) {
        add_word(state + 4 * i, 4, true, v[i]);
    }
}

// FIPS 180-4, section 6.4.2: as SHA-256, with wider words and other turns.
static void sha512_block(unsigned char *state, const unsigned char *block)
{
    uint64_t words[80], v[8];
    for (int i = 0; i < 16; i++) {
        words[i] = read_word(block + 8 * i, 8, true);
    }
    for (int i = 16; i < 80; i++) {
        uint64_t x = words[i - 15], y = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] +
                   (right64(x, 1) ^ right64(x, 8) ^ x >> 7) +
                   (right64(y, 19) ^ right64(y, 61) ^ y >> 6);
    }
    for (int i = 0; i < 8; i++) {
        v[i] = read_word(state + 8 * i, 8, true);
    }
    for (int i = 0; i < 80; i++) {
        uint64_t e = v[4], a = v[0];
        uint64_t first = v[7] +
                         (right64(e, 14) ^ right64(e, 18) ^ right64(e, 41)) +
                         ((e & v[5]) ^ (~e & v[6])) + cube_roots[i] + words[i];
        uint64_t second = (right64(a, 28) ^ right64(a, 34) ^ right64(a, 39)) +
                          ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        SHA2_ROUND(v, first, second);
    }
    for (int i = 0; i < 8; i++) {
        add_word(state + 8 * i, 8, true, v[i]);
    }
}

// One round of the permutation: theta, rho and pi, chi, iota (FIPS 202, 3.2).
static void keccak_round(uint64_t *lanes, uint64_t constant)
{
    uint64_t parity[5], moved[25];
    // Theta: each lane takes the parity of the column before it, and that of
    // the column behind it turned by one.
    for (int x = 0; x < 5; x++) {
        parity[x] = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^
                    lanes[x + 20];
    }
    for (int i = 0; i < 25; i++) {
        lanes[i] ^= parity[(i + 4) % 5] ^ right64(parity[(i + 1) % 5], 63);
    }
    // Rho turns the lane at step t by (t + 1)(t + 2) / 2, and pi moves it.
    int x = 1, y = 0;
    moved[0] = lanes[0];
    for (int t = 0; t < 24; t++) {
        int by = (t + 1) * (t + 2) / 2 % 64;
        uint64_t lane = lanes[x + 5 * y];
        int next = (2 * x + 3 * y) % 5;
        x = y;
        y = next;
        moved[x + 5 * y] = by == 0 ? lane : lane << by | lane >> (64 - by);
    }
    for (int i = 0; i < 25; i++) {
        // Chi, the only step that is not linear, works along a row.
        int row = i - i % 5;
        lanes[i] =
            moved[i] ^ (~moved[row + (i + 1) % 5] & moved[row + (i + 2) % 5]);
    }
    lanes[0] ^= constant;
}

// The block is as long as the rate (`size`), shorter than the state: what is
// left of the state is its capacity, which input never touches.
static void keccak_block(unsigned char *state, const unsigned char *block,
                         size_t size)
{
    uint64_t lanes[25];
    for (size_t i = 0; i < 25; i++) {
        lanes[i] = read_word(state + 8 * i, 8, false);
        if (8 * i < size) {
            lanes[i] ^= read_word(block + 8 * i, 8, false);
        }
    }
    for (int round = 0; round < 24; round++) {
        keccak_round(lanes, keccak_rounds[round]);
    }
    for (size_t i = 0; i < DIGEST_STATE_MAX; i++) {
        state[i] = (unsigned char)(lanes[i / 8] >> 8 * (i % 8));
    }
}

// In the order of DigestKind. SHA-224 and SHA-384 run the wider function from
// another start and are cut short by the caller.
size_t digest_state_size(DigestKind kind)
{
    static const size_t sizes[] = {16, 20, 32, 64, DIGEST_STATE_MAX};
    return sizes[kind];
}

// The caller pads the last block and keeps the count; `size` is asked by Keccak
// alone, whose rate depends on the length of the digest.
void digest_block(DigestKind kind, unsigned char *state,
                  const unsigned char *block, size_t size)
{
    switch (kind) {
    case DIGEST_MD5: md5_block(state, block); break;
    case DIGEST_SHA1: sha1_block(state, block); break;
    case DIGEST_SHA256: sha256_block(state, block); break;
    case DIGEST_SHA512: sha512_block(state, block); break;
    case DIGEST_KECCAK: keccak_block(state, block, size); break;
    }
}
