// Matrix products of one element type, in vector registers: included by
// gemm_body.h once a type, with ELEMENT and SUFFIX defined. No include guard.
//
// A panel is the part of B under a tile's columns, one row of it after the
// other; it is written by the first tile that reads it. A is read where it is
// unless its rows meet in the same sets of the caches, or its elements do not
// lie in order of k.
// TRIED: copying A always (5 to 15 % slower up to 512); fetching the rows of A
// below the tile (1 to 3 % slower), and C a row at a time (3 % at 256); panels
// for all strips of a product made by all threads first (6 % slower at 1,024
// and 2,048, for they come from the third cache).

enum {
    ID(WIDTH) = GEMM_VECTOR_BYTES / sizeof(ELEMENT),
    ID(PANEL) = GEMM_VECTORS * ID(WIDTH),
    ID(SQUARE) = 16 / sizeof(ELEMENT)
};

// One tile, or several below each other.
typedef struct ID(Tile) {
    int64_t depth;
    const ELEMENT *a, *b;
    int64_t a_row, a_step, b_row;
    ELEMENT *c;
    int64_t c_row;
    ELEMENT *panel;      // where GEMM_COPIES puts B
    const ELEMENT *next; // column of the next panel that GEMM_FETCHES fetches
    int64_t next_row;    // from one element of it to the next
    bool resume;         // go on from what C holds
    bool whole;          // the last vector is not masked
    int64_t last;        // its elements that exist
} ID(Tile);
typedef void (*ID(TileFn))(const ID(Tile) *);

#define LANE(name) ID(name)
#include "kernels/gemm_tile.h"
#undef LANE
#if defined(__AVX512F__)
#define LANE(name) ID_WITH(name, ID_WITH(half, SUFFIX))
#include "kernels/gemm_tile.h"
#undef LANE
#endif

// A tile of constant size as a function of its own; 0 vectors are half of one.
#define TILE(name, function, R, N, READS)                                      \
    static __attribute__((noinline)) void ID(name)(const ID(Tile) * t)         \
    {                                                                          \
        function(R, N, READS, t);                                              \
    }
#if defined(__AVX512F__)
#define HALF_TILE(name, R, READS)                                              \
    TILE(name, ID_WITH(tile, ID_WITH(half, SUFFIX)), R, 1, READS)
#define HALVES(R)                                                              \
    HALF_TILE(whole_##R##_0, R, GEMM_WHOLE)                                    \
    HALF_TILE(edge_##R##_0, R, GEMM_EDGE)
HALF_TILE(copy_0, GEMM_ROWS, GEMM_COPIES)
#define IF_HALVES(tile) ID(tile)
#define THIRDS(R)                                                              \
    TILE(whole_##R##_3, ID(tile), R, 3, GEMM_WHOLE)                            \
    TILE(edge_##R##_3, ID(tile), R, 3, GEMM_EDGE)
#define AND_THIRD(tile) , ID(tile)
#else
#define HALVES(R)
#define IF_HALVES(tile) NULL
#define THIRDS(R)
#define AND_THIRD(tile)
#endif
#define TILES(R)                                                               \
    HALVES(R)                                                                  \
    THIRDS(R)                                                                  \
    TILE(whole_##R##_1, ID(tile), R, 1, GEMM_WHOLE)                            \
    TILE(whole_##R##_2, ID(tile), R, 2, GEMM_WHOLE)                            \
    TILE(edge_##R##_1, ID(tile), R, 1, GEMM_EDGE)                              \
    TILE(edge_##R##_2, ID(tile), R, 2, GEMM_EDGE)
TILES(1)
TILES(2)
TILES(3)
TILES(4)
TILES(5)
#if defined(__AVX512F__)
TILES(9)
TILE(copy_3, ID(tile), GEMM_ROWS, 3, GEMM_COPIES)
#else
TILES(6)
#endif
TILE(wide, ID(tile), 1, GEMM_WIDE, GEMM_WHOLE)
TILE(fetch, ID(tile), GEMM_ROWS, GEMM_VECTORS, GEMM_FETCHES)
TILE(copy_1, ID(tile), GEMM_ROWS, 1, GEMM_COPIES)
TILE(copy_2, ID(tile), GEMM_ROWS, 2, GEMM_COPIES)
#undef TILE
#undef TILES
#undef HALVES
#undef HALF_TILE
#undef THIRDS

// By the vectors of their columns.
static const ID(TileFn) ID(copies)[] = {IF_HALVES(copy_0), ID(copy_1),
                                        ID(copy_2) AND_THIRD(copy_3)};
#define ROW_OF(reads, R)                                                       \
    {                                                                          \
        IF_HALVES(reads##_##R##_0), ID(reads##_##R##_1),                       \
            ID(reads##_##R##_2) AND_THIRD(reads##_##R##_3)                     \
    }
#define TILES(R) [R] = {ROW_OF(edge, R), ROW_OF(whole, R)}
static const ID(TileFn) ID(tiles)[GEMM_ROWS + 1][2][GEMM_VECTORS + 1] = {
    TILES(1), TILES(2), TILES(3), TILES(4), TILES(5),
#if defined(__AVX512F__)
    TILES(9),
#else
    TILES(6),
#endif
};
#undef ROW_OF
#undef AND_THIRD
#undef TILES
#undef IF_HALVES

// Says how many of the `width` columns that are left a tile has. Returns how
// many vectors those take.
static int ID(set_width)(ID(Tile) * t, int64_t width)
{
    int64_t vectors = (width + ID(WIDTH) - 1) / ID(WIDTH);
    vectors = vectors < GEMM_VECTORS ? vectors : GEMM_VECTORS;
    t->last = width - (vectors - 1) * ID(WIDTH);
    t->whole = t->last >= ID(WIDTH);
#if defined(__AVX512F__)
    if (width <= ID(WIDTH) / 2) {
        t->whole = width == ID(WIDTH) / 2;
        return 0;
    }
#endif
    t->last = t->whole ? ID(WIDTH) : t->last;
    return (int)vectors;
}

// `rows` rows of tiles, any number. `tall`: A is in blocks of a tile's rows.
// The first tiles fetch the next panel, each a vector of its columns.
static void ID(strip)(ID(Tile) * t, int64_t rows, int vectors, bool reads_whole,
                      bool tall)
{
    const ELEMENT *end = t->next == NULL ? NULL : t->next + ID(PANEL);
    while (rows > 0) {
        int64_t now = gemm_tile_rows(rows);
        t->a_step = tall ? now : t->a_step;
        if (t->next != end && now == GEMM_ROWS) {
            ID(fetch)(t);
            t->next += ID(WIDTH);
        } else {
            ID(tiles)[now][reads_whole][vectors](t);
        }
        rows -= now;
        t->a += tall ? now * t->depth : now * t->a_row;
        t->c += now * t->c_row;
    }
}

// B where it is. A deep B is taken some rows at a time, so that the pages of
// those stay at hand while all columns are read.
static void ID(direct)(const GemmArgs *g)
{
    bool far = g->k * g->b_row * (int64_t)sizeof(ELEMENT) > GEMM_NEAR_BYTES;
    int64_t most = far ? GEMM_FAR_DEPTH : g->k;
    int64_t k = 0;
    do {
        ID(Tile)
        t = {.depth = g->k - k < most ? g->k - k : most,
             .a = (const ELEMENT *)g->a + k * g->a_step,
             .a_row = g->a_row,
             .a_step = g->a_step,
             .b = (const ELEMENT *)g->b + k * g->b_row,
             .b_row = g->b_row,
             .c = g->c,
             .c_row = g->c_row,
             .resume = g->resume || k > 0};
        int64_t j = 0;
        for (; g->m == 1 && j + GEMM_WIDE * ID(WIDTH) <= g->n;
             j += GEMM_WIDE * ID(WIDTH)) {
            t.whole = true;
            ID(wide)(&t);
            t.b += GEMM_WIDE * ID(WIDTH);
            t.c += GEMM_WIDE * ID(WIDTH);
        }
        for (; j < g->n; j += ID(PANEL), t.b += ID(PANEL)) {
            int vectors = ID(set_width)(&t, g->n - j);
            t.a = (const ELEMENT *)g->a + k * g->a_step;
            t.c = (ELEMENT *)g->c + j;
            ID(strip)(&t, g->m, vectors, t.whole, false);
        }
        k += t.depth;
    } while (k < g->k);
}

// to[k * step + i] = from[i * row + k * along], i below `rows`.
static void ID(pack)(ELEMENT *to, int64_t step, const ELEMENT *from,
                     int64_t row, int64_t along, int64_t rows, int64_t depth)
{
    int64_t i = 0, whole = along == 1 ? depth / ID(SQUARE) * ID(SQUARE) : 0;
    for (; whole > 0 && i + ID(WIDTH) <= rows; i += ID(WIDTH)) {
        for (int64_t k = 0; k < whole; k += ID(SQUARE)) {
            ID(turn_wide)(to + k * step + i, step, from + i * row + k, row);
        }
    }
    for (; whole > 0 && i + ID(SQUARE) <= rows; i += ID(SQUARE)) {
        for (int64_t k = 0; k < whole; k += ID(SQUARE)) {
            ID(turn)(to + k * step + i, step, from + i * row + k, row);
        }
    }
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t r = k < whole ? i : 0; r < rows; r++) {
            to[k * step + r] = from[r * row + k * along];
        }
    }
}

// Products of a row and a column each, side by side in the lanes of a vector:
// each would wait for its own sum at every step.
static void ID(dots)(const GemmArgs *g)
{
    enum { DEPTH = 64 };
    ELEMENT a[DEPTH * ID(WIDTH)] __attribute__((aligned(64)));
    ELEMENT b[DEPTH * ID(WIDTH)] __attribute__((aligned(64)));
    ELEMENT last[ID(WIDTH)];
    for (int64_t i = 0; i < g->many.count; i += ID(WIDTH)) {
        int64_t rows = g->many.count - i;
        rows = rows < ID(WIDTH) ? rows : ID(WIDTH);
        if (rows < ID(WIDTH)) { // lanes that are left over must be numbers
            memset(a, 0, sizeof a);
            memset(b, 0, sizeof b);
        }
        ID(V) sum = ID(zero)();
        for (int64_t k = 0; k < g->k; k += DEPTH) {
            int64_t depth = g->k - k < DEPTH ? g->k - k : DEPTH;
            ID(pack)
            (a, ID(WIDTH),
             (const ELEMENT *)g->a + i * g->many.a + k * g->a_step, g->many.a,
             g->a_step, rows, depth);
            ID(pack)
            (b, ID(WIDTH), (const ELEMENT *)g->b + i * g->many.b + k * g->b_row,
             g->many.b, g->b_row, rows, depth);
            for (int64_t d = 0; d < depth; d++) {
                sum = ID(madd)(ID(load)(a + d * ID(WIDTH)),
                               ID(load)(b + d * ID(WIDTH)), sum);
            }
        }
        ID(store)(last, sum);
        for (int64_t r = 0; r < rows; r++) {
            ((ELEMENT *)g->c)[(i + r) * g->many.c] = last[r];
        }
    }
}

// Products below one panel of columns share all but the places.
static void ID(narrow)(const GemmArgs *g)
{
    ID(Tile) t = {.depth = g->k, .a_step = g->a_step, .b_row = g->b_row};
    int vectors = ID(set_width)(&t, g->n);
    t.a_row = g->a_row;
    t.c_row = g->c_row;
    t.resume = g->resume;
    for (int64_t i = 0; i < g->many.count; i++) {
        t.a = (const ELEMENT *)g->a + i * g->many.a;
        t.b = (const ELEMENT *)g->b + i * g->many.b;
        t.c = (ELEMENT *)g->c + i * g->many.c;
        ID(strip)(&t, g->m, vectors, t.whole, false);
    }
}

static void ID(many)(const GemmArgs *args)
{
    GemmArgs g = *args;
    if (g.m == 1 && g.n == 1 && g.k > 1 && !g.resume) {
        ID(dots)(&g);
        return;
    }
    if (g.n <= ID(PANEL) &&
        g.k * g.b_row * (int64_t)sizeof(ELEMENT) <= GEMM_NEAR_BYTES) {
        ID(narrow)(&g);
        return;
    }
    for (int64_t i = 0; i < args->many.count; i++) {
        ID(direct)(&g);
        g.a = (const ELEMENT *)g.a + g.many.a;
        g.b = (const ELEMENT *)g.b + g.many.b;
        g.c = (ELEMENT *)g.c + g.many.c;
    }
}

// A block of A, tile by tile, as ID(strip) goes through it.
static void ID(pack_tall)(ELEMENT *to, const ELEMENT *from, const GemmArgs *g,
                          int64_t rows, int64_t depth)
{
    while (rows > 0) {
        int64_t now = gemm_tile_rows(rows);
        ID(pack)(to, now, from, g->a_row, g->a_step, now, depth);
        to += now * depth;
        from += now * g->a_row;
        rows -= now;
    }
}

// The rows of a block of A under one panel. The panel is written on the way if
// `fresh`, by a tile of all rows where B's lie dense.
static void ID(panel_rows)(const GemmArgs *g, ID(Tile) t, int64_t rows,
                           int64_t width, bool tall, bool fresh)
{
    int vectors = ID(set_width)(&t, width);
    const ELEMENT *b = t.b;
    if (fresh && g->b_step == 1 && gemm_tile_rows(rows) == GEMM_ROWS) {
        t.a_step = tall ? GEMM_ROWS : t.a_step;
        ID(copies)[vectors](&t);
        rows -= GEMM_ROWS;
        t.a += tall ? GEMM_ROWS * t.depth : GEMM_ROWS * t.a_row;
        t.c += GEMM_ROWS * t.c_row;
    } else if (fresh) {
        if (width < ID(PANEL)) { // the columns behind it must be numbers
            memset(t.panel, 0, (size_t)(t.depth * ID(PANEL)) * sizeof(ELEMENT));
        }
        ID(pack)(t.panel, ID(PANEL), b, g->b_step, g->b_row, width, t.depth);
    }
    t.b = t.panel;
    t.b_row = ID(PANEL);
    ID(strip)(&t, rows, vectors, true, tall);
}

// Where the panel behind this one comes from, if its rows lie dense.
static void ID(set_next)(ID(Tile) * t, const GemmArgs *g, bool fresh)
{
    if (!fresh) {
        t->next = t->panel + ID(PANEL) * t->depth;
        t->next_row = ID(PANEL);
    } else if (g->b_step == 1) {
        t->next = t->b + ID(PANEL);
        t->next_row = t->b_row;
    }
}

// Where the panel of column `j` from row `k` on is.
static ELEMENT *ID(panel_at)(const GemmArgs *g, int64_t k, int64_t depth,
                             int64_t j)
{
    int64_t columns =
        (g->panels.columns + ID(PANEL) - 1) / ID(PANEL) * ID(PANEL);
    return (ELEMENT *)g->panels.data + k * columns +
           (g->panels.first + j) * depth;
}

// Blocks of B in panels, against blocks of A. Where A is one block, a panel is
// done with when the next one comes, and takes its place.
static void ID(blocked)(const GemmArgs *g)
{
    GemmSizes s = gemm_sizes(g, sizeof(ELEMENT));
    bool once = g->m <= s.rows;
    // The rows of a low tile have room in any cache, wherever they meet.
    bool tall = s.tall && (g->a_step != 1 || GEMM_ROWS > 8);
    bool own = g->panels.columns == 0;
    ELEMENT *panels = g->work, *copy = panels + (own ? s.depth * s.columns : 0);
    for (int64_t j = 0; j < g->n; j += s.columns) {
        int64_t columns = g->n - j < s.columns ? g->n - j : s.columns;
        for (int64_t k = 0; k < g->k; k += s.depth) {
            int64_t depth = g->k - k < s.depth ? g->k - k : s.depth;
            for (int64_t i = 0; i == 0 || i < g->m; i += s.rows) {
                int64_t rows = g->m - i < s.rows ? g->m - i : s.rows;
                const ELEMENT *a =
                    (const ELEMENT *)g->a + i * g->a_row + k * g->a_step;
                if (tall) {
                    ID(pack_tall)(copy, a, g, rows, depth);
                }
                for (int64_t p = 0; p < columns; p += ID(PANEL)) {
                    ID(Tile)
                    t = {.depth = depth,
                         .a = tall ? copy : a,
                         .a_row = tall ? 1 : g->a_row,
                         .a_step = g->a_step,
                         .b = (const ELEMENT *)g->b + k * g->b_row +
                              (j + p) * g->b_step,
                         .b_row = g->b_row,
                         .c = (ELEMENT *)g->c + i * g->c_row + j + p,
                         .c_row = g->c_row,
                         .panel = own ? panels + (once ? 0 : p * depth)
                                      : ID(panel_at)(g, k, depth, j + p),
                         .resume = g->resume || k > 0};
                    int64_t width = columns - p;
                    width = width < ID(PANEL) ? width : ID(PANEL);
                    bool fresh = i == 0 && (own || !g->panels.filled);
                    if (p + ID(PANEL) < columns) {
                        ID(set_next)(&t, g, fresh);
                    }
                    ID(panel_rows)(g, t, rows, width, tall, fresh);
                }
            }
        }
    }
}

static void ID(gemm)(const GemmArgs *args)
{
    if (args->many.count > 0) {
        ID(many)(args);
        return;
    }
    if (args->n > 1 && gemm_is_direct(args)) { // there is nothing to turn
        ID(direct)(args);
        return;
    }
    GemmArgs g = gemm_upright(args);
    if (gemm_is_direct(&g)) {
        ID(direct)(&g);
    } else {
        ID(blocked)(&g);
    }
}
