// How operands lie beside the elements of a program, and laying out those of
// narrow rows that share a tile.
#include <string.h>

#include "backend/tile.h"

int64_t tile_count(TensorType type)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++) {
        if (type.dims[i] < 0 || type.dims[i] > INT32_MAX ||
            // The bound keeps products of sizes within an int64.
            count > INT32_MAX) {
            return -1;
        }
        count *= type.dims[i];
    }
    return type.rank < 0 ? -1 : count;
}

bool tile_find_kind(TensorType in, TensorType out, TileKind *kind,
                    int64_t *columns)
{
    int skip = 0, same = 0;
    *columns = 1;
    if (tile_count(in) < 0 || in.rank > out.rank) {
        return false;
    }
    // Equal counts of shapes that broadcast differ by sizes of 1 at most.
    if (tile_count(in) == tile_count(out)) {
        *kind = TILE_KIND_DENSE;
        return true;
    }
    if (tile_count(in) == 1) {
        *kind = TILE_KIND_ONE;
        return true;
    }
    // There is a size above 1, or the count would have been 1.
    while (in.dims[skip] == 1) {
        skip++;
    }
    // The trailing sizes are the shape's: a row.
    for (int i = 1; i <= in.rank - skip; i++) {
        same += in.dims[in.rank - i] == out.dims[out.rank - i];
        *columns *= out.dims[out.rank - i];
    }
    if (same == in.rank - skip) {
        *kind = TILE_KIND_ROW;
        return true;
    }
    // The leading sizes are the shape's, the others 1: a column.
    int lead = in.rank;
    *columns = 1;
    while (in.dims[lead - 1] == 1) {
        lead--;
        *columns *= out.dims[out.rank - in.rank + lead];
    }
    for (int i = 0; i < out.rank - in.rank + lead; i++) {
        int from = i - (out.rank - in.rank);
        if (out.dims[i] != (from < 0 ? 1 : in.dims[from])) {
            return false;
        }
    }
    *kind = TILE_KIND_COLUMN;
    return true;
}

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
