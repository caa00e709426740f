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

int64_t tile_row_start(const TileRows *rows, int64_t row)
{
    int64_t start = rows->start;
    for (int i = rows->count - 1; i >= 0; i--) {
        start += row % rows->axes[i].size * rows->axes[i].step;
        row /= rows->axes[i].size;
    }
    return start;
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

// Each of `rows` elements, of so many bytes, repeated for its row.
static void lay_column(char *to, const char *from, uint16_t width, int64_t rows,
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

// The same `size` bytes for each of the rows.
static void lay_row(char *to, const char *from, size_t size, int64_t rows)
{
    size_t all = size * (size_t)rows;
    memcpy(to, from, size);
    for (size_t done = size; done < all;) {
        size_t more = done < all - done ? done : all - done;
        memcpy(to + done, to, more);
        done += more;
    }
}

// Rows along one axis of a scattered operand.
static void lay_along(const TileReg *reg, char *to, const char *from,
                      int64_t step, int64_t rows, int64_t columns)
{
    bool runs = reg->kind == TILE_KIND_RUNS;
    size_t width = reg->width, size = width * (size_t)columns;
    if (step == 0 && runs) {
        lay_row(to, from, size, rows);
    } else if (step == 0) {
        lay_column(to, from, reg->width, 1, rows * columns);
    } else if (runs && step == columns) {
        memcpy(to, from, size * (size_t)rows);
    } else if (!runs && step == 1) {
        lay_column(to, from, reg->width, rows, columns);
    } else {
        for (int64_t i = 0; i < rows; i++, to += size) {
            lay_along(reg, to, from + i * step * (int64_t)width, 0, 1, columns);
        }
    }
}

static void lay_rows(const TileReg *reg, char *to, const char *from,
                     int64_t row, int64_t rows, int64_t columns)
{
    const TileRows *all = reg->rows;
    TileAxis last = {1, 0};
    if (all->count > 0) {
        last = all->axes[all->count - 1];
    }
    while (rows > 0) {
        int64_t some = last.size - row % last.size;
        some = all->count == 0 || some > rows ? rows : some;
        lay_along(reg, to, from + tile_row_start(all, row) * reg->width,
                  last.step, some, columns);
        to += some * columns * reg->width;
        row += some;
        rows -= some;
    }
}

void tile_lay(const TileReg *reg, char *to, const char *from, int64_t row,
              int64_t rows, int64_t columns)
{
    if (reg->kind == TILE_KIND_ROW) {
        lay_row(to, from, (size_t)columns * reg->width, rows);
    } else if (reg->kind == TILE_KIND_COLUMN) {
        lay_column(to, from, reg->width, rows, columns);
    } else {
        lay_rows(reg, to, from, row, rows, columns);
    }
}
