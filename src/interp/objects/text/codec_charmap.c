// The encodings of one byte a character that are not Latin-1: as tables of
// what their bytes from 0x80 on mean; the lower half is ASCII in all of them.
#include "interp/objects/text/codec.h"

// From 0x80 on; 0 stands for a byte without a meaning. Further up a byte means
// its own number, as in Latin-1.
static const uint16_t cp1252[CODEC_MAP_SIZE] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
    0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178,
};

// Latin-9: Latin-1 with the euro and seven letters put in.
static const struct {
    unsigned char byte; // the place in Latin-1
    uint16_t point;     // what stands there instead
} latin9[] = {
    {0xA4, 0x20AC}, {0xA6, 0x0160}, {0xA8, 0x0161}, {0xB4, 0x017D},
    {0xB8, 0x017E}, {0xBC, 0x0152}, {0xBD, 0x0153}, {0xBE, 0x0178},
};

// The code point of a byte, 0 if the byte has none; the byte 0 is told apart by
// the caller, who has it.
uint32_t codec_map_byte(CodecKind kind, unsigned char byte)
{
    if (kind == CODEC_CP1252 && byte >= 0x80 && byte < 0x80 + CODEC_MAP_SIZE) {
        return cp1252[byte - 0x80];
    }
    for (size_t i = 0; kind == CODEC_LATIN9 && i < 8; i++) {
        if (latin9[i].byte == byte) {
            return latin9[i].point;
        }
    }
    return byte;
}

// The way back, by looking through the upper half: text in these encodings is
// short, and mostly ASCII, which needs no search.
int codec_map_point(CodecKind kind, uint32_t point)
{
    if (point < 0x80) {
        return (int)point;
    }
    for (int byte = 0x80; byte < 0x100; byte++) {
        if (codec_map_byte(kind, (unsigned char)byte) == point) {
            return byte;
        }
    }
    return -1;
}
