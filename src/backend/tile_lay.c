// Laying out operands of narrow rows that share a tile.
#include <string.h>

#include "backend/tile.h"

#define FILL(T)                                                                \
    static void fill_##T(T *to, const T *from, int64_t rows, int64_t columns)  \
    {                                                                          \
        for (int64_t row = 0; row < rows; row++) {                             \
            for (int64_t k = 0; k < columns; k++) {                            \
                *to++ = from[row];                                             \
            }                                                                  \
        }                                                                      \
    }
// By element size alone: what the bytes mean does not matter here.
FILL(uint8_t)
FILL(uint16_t)
FILL(uint32_t)
FILL(uint64_t)
#undef FILL

void tile_lay_column(char *to, const char *from, uint16_t width, int64_t rows,
                     int64_t columns)
{
    switch (width) {
    case 1:
        fill_uint8_t((uint8_t *)to, (const uint8_t *)from, rows, columns);
        break;
    case 2:
        fill_uint16_t((uint16_t *)to, (const uint16_t *)from, rows, columns);
        break;
    case 4:
        fill_uint32_t((uint32_t *)to, (const uint32_t *)from, rows, columns);
        break;
    default:
        fill_uint64_t((uint64_t *)to, (const uint64_t *)from, rows, columns);
    }
}

void tile_lay_row(char *to, const char *from, size_t size, int64_t rows)
{
    for (int64_t row = 0; row < rows; row++) {
        memcpy(to, from, size);
        to += size;
    }
}
