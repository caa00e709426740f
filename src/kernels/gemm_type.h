// Matrix products of one element type, in vector registers: included by
// gemm_body.h once a type, with ELEMENT and SUFFIX defined. No include guard.
//
// A tile of rows x vectors of C stays in registers while k runs. A panel is
// the part of B under a tile's columns, one row of it after the other; it is
// written by the first tile that reads it. A is read where it is unless its
// rows meet in the same sets of the caches, or its elements do not lie in
// order of k.
// TRIED: copying A always (5 to 12 % slower at 256 and 512).

enum {
    ID(WIDTH) = GEMM_VECTOR_BYTES / sizeof(ELEMENT),
    ID(PANEL) = 2 * ID(WIDTH),
    ID(SQUARE) = 16 / sizeof(ELEMENT)
};

// One tile, or several below each other.
typedef struct ID(Tile) {
    int64_t depth;
    const ELEMENT *a, *b;
    int64_t a_row, a_step, b_row;
    ELEMENT *c;
    int64_t c_row;
    ELEMENT *panel; // where GEMM_COPIES puts B
    bool resume;    // go on from what C holds
    bool whole;     // the last vector is not masked
    ID(M) last;     // the last vector's elements that exist
} ID(Tile);
typedef void (*ID(TileFn))(const ID(Tile) *);

// `rows`, `vectors` and `reads` are constants. The row of C below the tile is
// fetched meanwhile, since the next tile may start from it.
VECTOR void ID(tile)(const int rows, const int vectors, const TileReads reads,
                     const ID(Tile) * t)
{
    enum { W = ID(WIDTH) };
    const ELEMENT *a = t->a, *b = t->b;
    const int64_t a_row = t->a_row, a_step = t->a_step, b_row = t->b_row;
    const int64_t c_row = t->c_row;
    ELEMENT *c = t->c;
    ELEMENT *panel = t->panel;
    ID(V) sums[GEMM_ROWS][GEMM_WIDE];
    const bool whole = t->whole;
    const ID(M) last = t->last;
    for (int r = 0; reads != GEMM_EDGE && r < rows; r++) {
        __builtin_prefetch(c + (rows + r) * c_row, 1, 3);
        __builtin_prefetch(c + (rows + r) * c_row + vectors * W - 1, 1, 3);
    }
    EACH(rows, r)
    EACH(vectors, v) sums[r][v] = ID(zero)();
    if (t->resume && whole) {
        EACH(rows, r)
        EACH(vectors, v) sums[r][v] = ID(load)(c + r * c_row + v * W);
    } else if (t->resume) {
        EACH(rows, r)
        EACH(vectors, v)
        sums[r][v] = v + 1 < vectors
                         ? ID(load)(c + r * c_row + v * W)
                         : ID(load_some)(c + r * c_row + v * W, last);
    }
    for (int64_t k = t->depth; k > 0; k--, a += a_step, b += b_row) {
        ID(V) line[GEMM_WIDE];
        EACH(vectors, v)
        {
            line[v] = reads == GEMM_WHOLE || v + 1 < vectors
                          ? ID(load)(b + v * W)
                          : ID(load_some)(b + v * W, last);
            if (reads == GEMM_COPIES) {
                ID(store)(panel + v * W, line[v]);
                __builtin_prefetch(b + GEMM_AHEAD * b_row + v * W);
            }
        }
        panel += reads == GEMM_COPIES ? ID(PANEL) : 0;
        EACH(rows, r)
        {
            ID(V) factor = ID(spread)(a[r * a_row]);
            EACH(vectors, v)
            sums[r][v] = ID(madd)(factor, line[v], sums[r][v]);
        }
    }
    if (whole) {
        EACH(rows, r)
        EACH(vectors, v) ID(store)(c + r * c_row + v * W, sums[r][v]);
        return;
    }
    EACH(rows, r)
    {
        EACH(vectors - 1, v) ID(store)(c + r * c_row + v * W, sums[r][v]);
        ID(store_some)
        (c + r * c_row + (vectors - 1) * W, last, sums[r][vectors - 1]);
    }
}

// A tile of constant size as a function of its own.
#define TILE(name, R, N, READS)                                                \
    static __attribute__((noinline)) void ID(name)(const ID(Tile) * t)         \
    {                                                                          \
        ID(tile)(R, N, READS, t);                                              \
    }
#define TILES(R)                                                               \
    TILE(whole_##R##_1, R, 1, GEMM_WHOLE)                                      \
    TILE(whole_##R##_2, R, 2, GEMM_WHOLE)                                      \
    TILE(edge_##R##_1, R, 1, GEMM_EDGE)                                        \
    TILE(edge_##R##_2, R, 2, GEMM_EDGE)
TILES(1)
TILES(2)
TILES(3)
TILES(4)
TILES(5)
TILES(6)
#if defined(__AVX512F__)
TILES(7)
TILES(14)
#endif
TILE(wide, 1, GEMM_WIDE, GEMM_WHOLE)
TILE(copy_1, GEMM_ROWS, 1, GEMM_COPIES)
TILE(copy_2, GEMM_ROWS, 2, GEMM_COPIES)
#undef TILE
#undef TILES

#define TILES(R)                                                               \
    [R] = {{ID(edge_##R##_1), ID(edge_##R##_2)},                               \
           {ID(whole_##R##_1), ID(whole_##R##_2)}}
static const ID(TileFn) ID(tiles)[GEMM_ROWS + 1][2][2] = {
    TILES(1), TILES(2),  TILES(3), TILES(4), TILES(5), TILES(6),
#if defined(__AVX512F__)
    TILES(7), TILES(14),
#endif
};
#undef TILES

// Says how many of the `width` columns that are left a tile has. Returns
// whether it takes two vectors.
static bool ID(set_width)(ID(Tile) * t, int64_t width)
{
    bool two = width > ID(WIDTH);
    int64_t rest = width - (two ? ID(WIDTH) : 0);
    rest = rest < ID(WIDTH) ? rest : ID(WIDTH);
    t->whole = rest == ID(WIDTH);
    t->last = ID(mask)(rest);
    return two;
}

// `rows` rows of tiles, any number. `tall`: A is in blocks of a tile's rows.
static void ID(strip)(ID(Tile) * t, int64_t rows, bool two, bool reads_whole,
                      bool tall)
{
    while (rows > 0) {
        int64_t now = gemm_tile_rows(rows);
        t->a_step = tall ? now : t->a_step;
        ID(tiles)[now][reads_whole][two](t);
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
            bool two = ID(set_width)(&t, g->n - j);
            t.a = (const ELEMENT *)g->a + k * g->a_step;
            t.c = (ELEMENT *)g->c + j;
            ID(strip)(&t, g->m, two, t.whole, false);
        }
        k += t.depth;
    } while (k < g->k);
}

// to[k * step + i] = from[i * row + k * along], i below `rows`.
static void ID(pack)(ELEMENT *to, int64_t step, const ELEMENT *from,
                     int64_t row, int64_t along, int64_t rows, int64_t depth)
{
    int64_t i = 0;
    for (; along == 1 && i + ID(SQUARE) <= rows; i += ID(SQUARE)) {
        int64_t k = 0;
        for (; k + ID(SQUARE) <= depth; k += ID(SQUARE)) {
            ID(transpose)(to + k * step + i, step, from + i * row + k, row);
        }
        for (; k < depth; k++) {
            for (int64_t r = i; r < i + ID(SQUARE); r++) {
                to[k * step + r] = from[r * row + k];
            }
        }
    }
    for (int64_t k = 0; k < depth; k++) {
        for (int64_t r = i; r < rows; r++) {
            to[k * step + r] = from[r * row + k * along];
        }
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
    bool two = ID(set_width)(&t, width);
    const ELEMENT *b = t.b;
    if (fresh && g->b_step == 1 && gemm_tile_rows(rows) == GEMM_ROWS) {
        t.a_step = tall ? GEMM_ROWS : t.a_step;
        (two ? ID(copy_2) : ID(copy_1))(&t);
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
    ID(strip)(&t, rows, two, true, tall);
}

// Blocks of B in panels, against blocks of A. Where A is one block, a panel is
// done with when the next one comes, and takes its place.
static void ID(blocked)(const GemmArgs *g)
{
    GemmSizes s = gemm_sizes(g, sizeof(ELEMENT));
    bool once = g->m <= s.rows;
    // The rows of a low tile have room in any cache, wherever they meet.
    bool tall = s.tall && (g->a_step != 1 || GEMM_ROWS > 8);
    ELEMENT *panels = g->work, *copy = panels + s.depth * s.columns;
    for (int64_t j = 0; j < g->n; j += s.columns) {
        int64_t columns = g->n - j < s.columns ? g->n - j : s.columns;
        for (int64_t k = 0; k < g->k; k += s.depth) {
            int64_t depth = g->k - k < s.depth ? g->k - k : s.depth;
            for (int64_t i = 0; i < g->m; i += s.rows) {
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
                         .panel = panels + (once ? 0 : p * depth),
                         .resume = g->resume || k > 0};
                    int64_t width = columns - p;
                    width = width < ID(PANEL) ? width : ID(PANEL);
                    ID(panel_rows)(g, t, rows, width, tall, i == 0);
                }
            }
        }
    }
}

static void ID(gemm)(const GemmArgs *args)
{
    GemmArgs g = gemm_upright(args);
    if (gemm_is_direct(&g)) {
        ID(direct)(&g);
    } else {
        ID(blocked)(&g);
    }
}
