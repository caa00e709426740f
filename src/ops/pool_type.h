// The loops of pooling for one dtype: included by ops_pool.c, with ELEMENT and
// SUFFIX defined. No include guard.
//
// Each takes one window's cells and `n` channels, up to LANES, from the
// image's element `x` (of the first cell of all) on.

static int64_t ID(first_of)(const Pool2d *pool, Cells c)
{
    return (c.top * pool->wide.in + c.left) * pool->channels;
}

static void ID(max)(const Pool2d *pool, Cells c, const ELEMENT *x, ELEMENT *out,
                    int64_t n)
{
    ELEMENT best[LANES];
    memcpy(best, x + ID(first_of)(pool, c), (size_t)n * sizeof(ELEMENT));
    for (int64_t y = c.top; y < c.bottom; y++) {
        for (int64_t w = c.left; w < c.right; w++) {
            const ELEMENT *cell = x + (y * pool->wide.in + w) * pool->channels;
            for (int64_t j = 0; j < n; j++) {
                ELEMENT now = cell[j];
                best[j] = ((now > best[j]) | (now != now)) ? now : best[j];
            }
        }
    }
    memcpy(out, best, (size_t)n * sizeof(ELEMENT));
}

static void ID(mean)(const Pool2d *pool, Cells c, const ELEMENT *x,
                     ELEMENT *out, int64_t n)
{
    double sums[LANES] = {0};
    for (int64_t y = c.top; y < c.bottom; y++) {
        for (int64_t w = c.left; w < c.right; w++) {
            const ELEMENT *cell = x + (y * pool->wide.in + w) * pool->channels;
            for (int64_t j = 0; j < n; j++) {
                sums[j] += (double)cell[j];
            }
        }
    }
    double count = (double)((c.bottom - c.top) * (c.right - c.left));
    for (int64_t j = 0; j < n; j++) {
        out[j] = (ELEMENT)(sums[j] / count);
    }
}

// Where the largest of each channel stands.
static void ID(find)(const Pool2d *pool, Cells c, const ELEMENT *x, int64_t *at,
                     int64_t n)
{
    ELEMENT best[LANES];
    int64_t first = ID(first_of)(pool, c);
    for (int64_t j = 0; j < n; j++) {
        best[j] = x[first + j];
        at[j] = first + j;
    }
    for (int64_t y = c.top; y < c.bottom; y++) {
        for (int64_t w = c.left; w < c.right; w++) {
            int64_t cell = (y * pool->wide.in + w) * pool->channels;
            for (int64_t j = 0; j < n; j++) {
                ELEMENT now = x[cell + j];
                bool nan = now != now && best[j] == best[j];
                if (now > best[j] || nan) {
                    best[j] = now;
                    at[j] = cell + j;
                }
            }
        }
    }
}

// `out` is the images' gradient here, placed as `x`.
static void ID(max_grad)(const Pool2d *pool, Cells c, const ELEMENT *x,
                         ELEMENT *out, const ELEMENT *grad, int64_t n)
{
    int64_t at[LANES];
    ID(find)(pool, c, x, at, n);
    for (int64_t j = 0; j < n; j++) {
        out[at[j]] += grad[j];
    }
}

// The way back of that: what `grad`, placed as `x`, has there.
static void ID(max_pick)(const Pool2d *pool, Cells c, const ELEMENT *x,
                         ELEMENT *out, int64_t n)
{
    int64_t at[LANES];
    const ELEMENT *from =
        (const ELEMENT *)pool->grad + (x - (const ELEMENT *)pool->x);
    ID(find)(pool, c, x, at, n);
    for (int64_t j = 0; j < n; j++) {
        out[j] = from[at[j]];
    }
}

static void ID(mean_grad)(const Pool2d *pool, Cells c, const ELEMENT *x,
                          ELEMENT *out, const ELEMENT *grad, int64_t n)
{
    ELEMENT count = (ELEMENT)((c.bottom - c.top) * (c.right - c.left));
    (void)x;
    for (int64_t y = c.top; y < c.bottom; y++) {
        for (int64_t w = c.left; w < c.right; w++) {
            ELEMENT *cell = out + (y * pool->wide.in + w) * pool->channels;
            for (int64_t j = 0; j < n; j++) {
                cell[j] += grad[j] / count;
            }
        }
    }
}

// A unit is a place of the windows.
static void ID(places)(const Pool2d *pool, int64_t begin, int64_t end,
                       void (*window)(const Pool2d *, Cells, const ELEMENT *,
                                      ELEMENT *, int64_t))
{
    int64_t image = pool->high.in * pool->wide.in * pool->channels;
    int64_t windows = pool->high.out * pool->wide.out;
    for (int64_t i = begin; i < end; i++) {
        const ELEMENT *x = (const ELEMENT *)pool->x + i / windows * image;
        ELEMENT *out = (ELEMENT *)pool->out + i * pool->channels;
        Cells c = cells_of(pool, i % windows);
        for (int64_t k = 0; k < pool->channels; k += LANES) {
            int64_t n = pool->channels - k;
            window(pool, c, x + k, out + k, n < LANES ? n : LANES);
        }
    }
}

// A unit is some channels of an image, at the places that `pool` names, since
// windows may overlap.
static void ID(channels)(const Pool2d *pool, int64_t begin, int64_t end,
                         void (*window)(const Pool2d *, Cells, const ELEMENT *,
                                        ELEMENT *, const ELEMENT *, int64_t))
{
    int64_t size = pool->high.in * pool->wide.in * pool->channels;
    int64_t windows = pool->high.out * pool->wide.out;
    for (int64_t i = begin; i < end; i++) {
        int64_t image = i / pool->blocks, k = i % pool->blocks * LANES;
        int64_t n = pool->channels - k < LANES ? pool->channels - k : LANES;
        const ELEMENT *x = (const ELEMENT *)pool->x + image * size + k;
        const ELEMENT *grad = (const ELEMENT *)pool->grad + k;
        ELEMENT *out = (ELEMENT *)pool->out + image * size + k;
        for (int64_t w = pool->from; w < pool->to; w++) {
            window(pool, cells_of(pool, w), x, out,
                   grad + (image * windows + w) * pool->channels, n);
        }
    }
}

#define POOL_RUN(name, how, window)                                            \
    static void ID(name)(void *data, int64_t begin, int64_t end, int thread)   \
    {                                                                          \
        (void)thread;                                                          \
        ID(how)(data, begin, end, ID(window));                                 \
    }
POOL_RUN(run_max, places, max)
POOL_RUN(run_mean, places, mean)
POOL_RUN(run_max_pick, places, max_pick)
POOL_RUN(run_max_grad, channels, max_grad)
POOL_RUN(run_mean_grad, channels, mean_grad)
#undef POOL_RUN
