// Ints sorted by vectors, in place. Included by sort_body.h alone, once for
// each width, for AVX-512; its vectors are those of matrix products. ELEMENT,
// SUFFIX and EPI name the type, LANE_NUMBERS are a vector's. No include guard.
//
// Quicksort: what is below a pivot is compressed to the front, a vector at a
// time, the rest to other memory, from where it comes back. Few elements go
// through a bitonic network, whose comparisons all put the lesser one in front,
// so that vectors may be missing at its end. What is left lies between two
// bounds, one of which moves with each pivot: if sampled pivots do not help,
// the middle of the bounds is one, so that no order of elements is a bad one.
#define OP(name) ID_WITH(_mm512_##name, EPI)

enum { ID(SORT_LANES) = sizeof(ID(V)) / sizeof(ELEMENT) };
typedef ELEMENT ID(Lanes) __attribute__((vector_size(64)));

// Each lane beside the one whose number has the bits of `turn` turned.
VECTOR ID(V) ID(turned)(ID(V) x, const int turn)
{
    const ID(Lanes) numbers = {LANE_NUMBERS};
    return OP(permutexvar)((ID(V))(numbers ^ turn), x);
}

// Two such lanes in order: the greater one goes where the highest bit is set.
VECTOR ID(V) ID(cross)(ID(V) x, const int turn)
{
    const int upper = turn >= 8   ? 0xFF00
                      : turn >= 4 ? 0xF0F0
                      : turn >= 2 ? 0xCCCC
                                  : 0xAAAA;
    ID(V) other = ID(turned)(x, turn);
    return OP(mask_max)(OP(min)(x, other), (ID(M))upper, x, other);
}

VECTOR ID(V) ID(sort_lanes)(ID(V) x)
{
    x = ID(cross)(x, 1);
    x = ID(cross)(x, 3);
    x = ID(cross)(x, 1);
    x = ID(cross)(x, 7);
    x = ID(cross)(x, 2);
    x = ID(cross)(x, 1);
    if (ID(SORT_LANES) > 8) {
        x = ID(cross)(x, 15);
        x = ID(cross)(x, 4);
        x = ID(cross)(x, 2);
        x = ID(cross)(x, 1);
    }
    return x;
}

// Of lanes that rise and fall.
VECTOR ID(V) ID(merge_lanes)(ID(V) x)
{
    if (ID(SORT_LANES) > 8) {
        x = ID(cross)(x, 8);
    }
    x = ID(cross)(x, 4);
    x = ID(cross)(x, 2);
    return ID(cross)(x, 1);
}

// Two sorted halves of `size` vectors, of which `count` are there.
static void ID(merge_vectors)(ELEMENT *x, int64_t size, int64_t count)
{
    enum { W = ID(SORT_LANES) };
    for (int64_t i = size - count; i < size / 2; i++) {
        ELEMENT *low = x + i * W, *high = x + (size - 1 - i) * W;
        ID(V) a = ID(load)(low), b = ID(load)(high);
        ID(store)(low, OP(min)(a, ID(turned)(b, W - 1)));
        ID(store)(high, OP(max)(ID(turned)(a, W - 1), b));
    }
    for (int64_t apart = size / 4; apart > 0; apart /= 2) {
        for (int64_t i = 0; i + apart < count; i += apart) {
            for (int64_t end = i + apart; i < end && i + apart < count; i++) {
                ID(V) a = ID(load)(x + i * W);
                ID(V) b = ID(load)(x + (i + apart) * W);
                ID(store)(x + i * W, OP(min)(a, b));
                ID(store)(x + (i + apart) * W, OP(max)(a, b));
            }
        }
    }
    for (int64_t i = 0; i < count; i++) {
        ID(store)(x + i * W, ID(merge_lanes)(ID(load)(x + i * W)));
    }
}

static void ID(sort_few)(ELEMENT *x, int64_t n)
{
    enum { W = ID(SORT_LANES) };
    _Alignas(64) ELEMENT near[SORT_FEW * W];
    int64_t count = (n + W - 1) / W;
    ID(store)(near + (count - 1) * W, ID(spread)(ID(SORT_MOST)));
    memcpy(near, x, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < count; i++) {
        ID(store)(near + i * W, ID(sort_lanes)(ID(load)(near + i * W)));
    }
    for (int64_t size = 2; size < 2 * count; size *= 2) {
        for (int64_t i = 0; i + size / 2 < count; i += size) {
            ID(merge_vectors)
            (near + i * W, size, count - i < size ? count - i : size);
        }
    }
    memcpy(x, near, (size_t)n * sizeof *x);
}

// The middle one of a vector of elements.
static ELEMENT ID(sample)(const ELEMENT *x, int64_t n)
{
    enum { W = ID(SORT_LANES) };
    ELEMENT some[W];
    for (int64_t i = 0; i < W; i++) {
        some[i] = x[(2 * i + 1) * (n / (2 * W))];
    }
    ID(store)(some, ID(sort_lanes)(ID(load)(some)));
    return some[W / 2];
}

// Those below the pivot come first; how many they are, or -1: interrupted.
// `room` takes n elements and a vector.
static int64_t ID(divide)(Ctx *ctx, ELEMENT *x, int64_t n, ELEMENT pivot,
                          ELEMENT *room)
{
    enum { W = ID(SORT_LANES) };
    const ID(V) limit = ID(spread)(pivot);
    int64_t low = 0, high = 0, i = 0;
    while (i + W <= n) {
        int64_t end = n - i < SORT_POLLED ? n : i + SORT_POLLED;
        for (; i + W <= end; i += W) {
            ID(V) v = ID(load)(x + i);
            ID(M) below = ID_WITH(OP(cmplt), mask)(v, limit);
            // Never further than what has been read.
            ID(store)(x + low, OP(maskz_compress)(below, v));
            ID(store)(room + high, OP(maskz_compress)((ID(M)) ~below, v));
            int count = __builtin_popcount(below);
            low += count;
            high += W - count;
        }
        if (!ctx_poll(ctx)) {
            return -1;
        }
    }
    ID(M) some = ID(mask)(n - i);
    ID(V) v = ID(load_some)(x + i, some);
    ID(M) below = ID_WITH(OP(mask_cmplt), mask)(some, v, limit);
    OP(mask_compressstoreu)(x + low, below, v);
    OP(mask_compressstoreu)(room + high, (ID(M))(some & ~below), v);
    low += __builtin_popcount(below);
    for (int64_t count, back = low; back < n; back += count) {
        count = n - back < SORT_POLLED ? n - back : SORT_POLLED;
        memcpy(x + back, room + (back - low), (size_t)count * sizeof *x);
        if (!ctx_poll(ctx)) {
            return -1;
        }
    }
    return low;
}

// None is outside the bounds. The lesser part is sorted first, so that calls
// within each other are few.
static bool ID(sort_between)(Ctx *ctx, ELEMENT *x, int64_t n, ELEMENT least,
                             ELEMENT most, int good, ELEMENT *room)
{
    while (n > SORT_FEW * ID(SORT_LANES) && least < most) {
        ELEMENT pivot = ID(sample)(x, n);
        if (good-- <= 0) {
            pivot = (ELEMENT)(((uint64_t)most - (uint64_t)least) / 2) + least;
        }
        pivot = pivot > least ? pivot : least + 1;
        int64_t low = ID(divide)(ctx, x, n, pivot, room);
        if (low < 0) {
            return false;
        }
        if (low < n - low) {
            if (!ID(sort_between)(ctx, x, low, least, pivot - 1, good, room)) {
                return false;
            }
            x += low;
            n -= low;
            least = pivot;
        } else {
            if (!ID(sort_between)(ctx, x + low, n - low, pivot, most, good,
                                  room)) {
                return false;
            }
            n = low;
            most = pivot - 1;
        }
    }
    if (n > 1 && least < most) {
        ID(sort_few)(x, n);
    }
    return true;
}

static bool ID(sort)(Ctx *ctx, void *keys, int64_t n, void *room)
{
    return ID(sort_between)(ctx, keys, n, -ID(SORT_MOST) - 1, ID(SORT_MOST),
                            SORT_GOOD, room);
}
#undef OP
