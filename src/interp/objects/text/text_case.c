// Case and classes of ASCII. See text_case.h.
#include "interp/objects/text/text_case.h"

enum { PIECE = 1 << 16 }; // bytes between two polls

// Bit n of word n / 64 stands for the byte n: '0' is 48, 'A' 65, 'a' 97.
const TextSet text_digits = {{0x03FF000000000000u}};
const TextSet text_letters = {{0, 0x07FFFFFE07FFFFFEu}};
const TextSet text_alnums = {{0x03FF000000000000u, 0x07FFFFFE07FFFFFEu}};
const TextSet text_printables = {{0xFFFFFFFF00000000u, 0x7FFFFFFFFFFFFFFFu}};

// Bit 5 tells the cases of an ASCII letter apart.
static inline bool is_letter(char c)
{
    return (unsigned char)((c | 32) - 'a') < 26;
}

// Of ASCII, by one comparison.
static inline bool is_upper(char c)
{
    return (unsigned char)(c - 'A') < 26;
}

static inline bool is_lower(char c)
{
    return (unsigned char)(c - 'a') < 26;
}

// lower() and upper(): each byte for itself.
static void change_all(char *out, const char *text, size_t length, char first)
{
    for (size_t i = 0; i < length; i++) {
        bool other = (unsigned char)(text[i] - first) < 26;
        out[i] = (char)(text[i] ^ (other << 5));
    }
}

// The others look at what stands before. `behind`: a letter precedes the piece.
static void change_words(char *out, const char *text, size_t length,
                         TextCase mode, bool start, bool behind)
{
    for (size_t i = 0; i < length; i++) {
        char c = text[i], lower = (char)(c | 32);
        bool letter = is_letter(c);
        bool to_upper = mode == TEXT_TITLE        ? !behind
                        : mode == TEXT_CAPITALIZE ? start && i == 0
                                                  : c == lower;
        out[i] = !letter ? c : (char)(to_upper ? lower ^ 32 : lower);
        behind = letter;
    }
}

// In pieces, between which Ctrl-C is noticed. A word may go on from one piece
// to the next.
bool text_change_case(Ctx *ctx, char *out, TextRange text, TextCase mode)
{
    for (size_t at = 0; at < text.length; at += PIECE) {
        size_t left = text.length - at, length = left < PIECE ? left : PIECE;
        const char *piece = text.text + at;
        if (at != 0 && !ctx_poll(ctx)) {
            return false;
        }
        if (mode == TEXT_LOWER || mode == TEXT_UPPER) {
            change_all(out + at, piece, length, mode == TEXT_LOWER ? 'A' : 'a');
        } else {
            change_words(out + at, piece, length, mode, at == 0,
                         at != 0 && is_letter(piece[-1]));
        }
    }
    return true;
}

int text_all(Ctx *ctx, TextRange text, const TextSet *set)
{
    for (size_t i = 0; i < text.length; i++) {
        if (!text_has(set, text.text[i])) {
            return 0;
        }
        if (i % PIECE == PIECE - 1 && !ctx_poll(ctx)) {
            return -1;
        }
    }
    return text.length != 0;
}

// Whether a letter may stand where it does. In a title upper case begins each
// run of letters and lower case continues it.
static inline bool fits(char c, TextCase mode, bool behind)
{
    return mode == TEXT_LOWER   ? is_lower(c)
           : mode == TEXT_UPPER ? is_upper(c)
                                : is_lower(c) == behind;
}

// 1: it has letters, and all are as the mode wants them; 0; -1: Ctrl-C.
// `behind`: the byte before was a letter.
int text_in_case(Ctx *ctx, TextRange text, TextCase mode)
{
    bool found = false, behind = false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.text[i];
        bool letter = is_letter(c);
        if (letter && !fits(c, mode, behind)) {
            return 0;
        }
        found = found || letter;
        behind = letter;
        if (i % PIECE == PIECE - 1 && !ctx_poll(ctx)) {
            return -1;
        }
    }
    return found;
}
