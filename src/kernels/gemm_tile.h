// The tile of a matrix product: rows x vectors of C stay in registers while k
// runs. Included by gemm_type.h, for whole vectors and for halves; LANE(name)
// is the name of what differs between them. No include guard.

// `rows`, `vectors` and `reads` are constants. The row of C below the tile is
// fetched meanwhile, since the next tile may start from it.
VECTOR void LANE(tile)(const int rows, const int vectors, const TileReads reads,
                       const ID(Tile) * t)
{
    enum { W = sizeof(LANE(V)) / sizeof(ELEMENT) };
    const ELEMENT *a[GEMM_GROUPS], *b = t->b;
    const int64_t a_row = t->a_row, a_step = t->a_step, b_row = t->b_row;
    const int64_t c_row = t->c_row;
    ELEMENT *c = t->c;
    ELEMENT *panel = t->panel;
    LANE(V) sums[GEMM_ROWS][GEMM_WIDE];
    const bool whole = t->whole;
    const bool all = reads == GEMM_WHOLE || reads == GEMM_FETCHES;
    const LANE(M) last = LANE(mask)(t->last);
    for (int r = 0; reads != GEMM_EDGE && r < rows; r++) {
        for (int v = 0; v < vectors; v++) {
            __builtin_prefetch(c + (rows + r) * c_row + v * W, 1, 3);
        }
        __builtin_prefetch(c + (rows + r) * c_row + vectors * W - 1, 1, 3);
    }
    EACH(rows, r)
    EACH(vectors, v) sums[r][v] = LANE(zero)();
    if (t->resume && whole) {
        EACH(rows, r)
        EACH(vectors, v) sums[r][v] = LANE(load)(c + r * c_row + v * W);
    } else if (t->resume) {
        EACH(rows, r)
        EACH(vectors, v)
        sums[r][v] = v + 1 < vectors
                         ? LANE(load)(c + r * c_row + v * W)
                         : LANE(load_some)(c + r * c_row + v * W, last);
    }
    // A pointer for each few rows: as offsets from one they take more registers
    // than there are, and a twentieth of the time.
    const int groups = (rows + GEMM_GROUP - 1) / GEMM_GROUP;
    EACH(groups, i)
    {
        a[i] = t->a + i * GEMM_GROUP * a_row;
        __asm__("" : "+r"(a[i]));
    }
    const char *next = (const char *)t->next;
    const int64_t next_row = t->next_row * (int64_t)sizeof(ELEMENT);
    for (int64_t k = t->depth; k > 0; k--, b += b_row) {
        if (reads == GEMM_FETCHES) {
            __builtin_prefetch(next, 0, 2);
            next += next_row;
        }
        LANE(V) line[GEMM_WIDE];
        EACH(vectors, v)
        {
            line[v] = all || v + 1 < vectors ? LANE(load)(b + v * W)
                                             : LANE(load_some)(b + v * W, last);
            if (reads == GEMM_COPIES) {
                LANE(store)(panel + v * W, line[v]);
                __builtin_prefetch(b + GEMM_AHEAD * b_row + v * W);
            }
        }
        panel += reads == GEMM_COPIES ? ID(PANEL) : 0;
        EACH(rows, r)
        {
            LANE(V)
            factor = LANE(spread)(a[r / GEMM_GROUP][r % GEMM_GROUP * a_row]);
            EACH(vectors, v)
            sums[r][v] = LANE(madd)(factor, line[v], sums[r][v]);
        }
        EACH(groups, i) a[i] += a_step;
    }
    if (whole) {
        EACH(rows, r)
        EACH(vectors, v) LANE(store)(c + r * c_row + v * W, sums[r][v]);
        return;
    }
    EACH(rows, r)
    {
        EACH(vectors - 1, v) LANE(store)(c + r * c_row + v * W, sums[r][v]);
        LANE(store_some)
        (c + r * c_row + (vectors - 1) * W, last, sums[r][vectors - 1]);
    }
}
