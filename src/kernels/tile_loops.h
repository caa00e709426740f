// Templates of the inner loops. Included by tier_body.h alone.
//
// Each instance is one dense loop that the compiler vectorises, and a tile
// function around it; a scalar operand is spread over a small array first, so
// that there is one loop for every mix of operands.
//
// The loops run with "no dependence between turns" (INDEPENDENT): an output
// is either apart from its inputs or exactly the same elements.
#ifndef DUET_KERNELS_TILE_LOOPS_H
#define DUET_KERNELS_TILE_LOOPS_H

// Compilers spell the promise differently.
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

enum { SPREAD_SIZE = 2048 }; // bytes of a spread scalar operand

// One shape for loops of one to three operands, so that tile_mixed serves all;
// operands that a loop lacks are NULL.
typedef bool (*DenseLoop)(void *out, const void *a, const void *b,
                          const void *c, size_t n);

// Copies the element at `value` over `count` elements of `size` bytes.
static void spread(char *to, const char *value, size_t size, size_t count)
{
    switch (size) {
    case 1: memset(to, *value, count); break;
    case 2:
        for (size_t i = 0; i < count; i++) {
            memcpy(to + i * 2, value, 2);
        }
        break;
    case 4:
        for (size_t i = 0; i < count; i++) {
            memcpy(to + i * 4, value, 4);
        }
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            memcpy(to + i * 8, value, 8);
        }
    }
}

// Runs `loop` where at least one operand is a scalar. `sizes` are the bytes
// of an element of each operand.
static bool tile_mixed(DenseLoop loop, void *out, const TileArg *args,
                       const size_t *sizes, size_t operands, size_t out_size,
                       size_t n)
{
    _Alignas(64) char spreads[3][SPREAD_SIZE];
    // So many elements fit a spread of the widest type.
    size_t most = SPREAD_SIZE / 8;
    const char *at[3] = {NULL, NULL, NULL};
    most = n < most ? n : most;
    for (size_t k = 0; k < operands; k++) {
        at[k] = args[k].data;
        if (args[k].step == 0) {
            spread(spreads[k], args[k].data, sizes[k], most);
            at[k] = spreads[k];
        }
    }
    // An error does not end the loop: the tile's result is thrown away whole.
    bool ok = true;
    for (size_t start = 0; start < n; start += most) {
        size_t count = n - start < most ? n - start : most;
        ok &= loop((char *)out + start * out_size, at[0], at[1], at[2], count);
        for (size_t k = 0; k < operands; k++) {
            // A spread operand has step 0 and stays.
            at[k] += args[k].step * count * sizes[k];
        }
    }
    return ok;
}

// out[i] = EXPR of x, y. BAD is an expression that is true for a pair in
// error; such pairs must not trap in EXPR.
#define LOOP2(name, sfx, T, R, BAD, EXPR)                                      \
    static bool loop_##name##_##sfx(void *out, const void *a, const void *b,   \
                                    const void *c, size_t n)                   \
    {                                                                          \
        R *o = out;                                                            \
        const T *p = a, *q = b;                                                \
        unsigned bad = 0;                                                      \
        (void)c;                                                               \
        INDEPENDENT                                                            \
        for (size_t i = 0; i < n; i++) {                                       \
            T x = p[i], y = q[i];                                              \
            bad |= (unsigned)(BAD);                                            \
            o[i] = (R)(EXPR);                                                  \
        }                                                                      \
        return bad == 0;                                                       \
    }                                                                          \
    static bool tile_##name##_##sfx(void *out, const TileArg *args, size_t n)  \
    {                                                                          \
        if (LIKELY(args[0].step & args[1].step)) {                             \
            return loop_##name##_##sfx(out, args[0].data, args[1].data, NULL,  \
                                       n);                                     \
        }                                                                      \
        return tile_mixed(loop_##name##_##sfx, out, args,                      \
                          (const size_t[]){sizeof(T), sizeof(T)}, 2,           \
                          sizeof(R), n);                                       \
    }

// out[i] = EXPR of x. Nothing with one operand can be in error.
#define LOOP1(name, sfx, T, R, EXPR)                                           \
    static bool loop_##name##_##sfx(void *out, const void *a, const void *b,   \
                                    const void *c, size_t n)                   \
    {                                                                          \
        R *o = out;                                                            \
        const T *p = a;                                                        \
        (void)b, (void)c;                                                      \
        INDEPENDENT                                                            \
        for (size_t i = 0; i < n; i++) {                                       \
            T x = p[i];                                                        \
            o[i] = (R)(EXPR);                                                  \
        }                                                                      \
        return true;                                                           \
    }                                                                          \
    static bool tile_##name##_##sfx(void *out, const TileArg *args, size_t n)  \
    {                                                                          \
        if (LIKELY(args[0].step)) {                                            \
            return loop_##name##_##sfx(out, args[0].data, NULL, NULL, n);      \
        }                                                                      \
        return tile_mixed(loop_##name##_##sfx, out, args,                      \
                          (const size_t[]){sizeof(T)}, 1, sizeof(R), n);       \
    }

// out[i] = EXPR of x (of type C), y, z (of type T).
#define LOOP3(name, sfx, C, T, EXPR)                                           \
    static bool loop_##name##_##sfx(void *out, const void *a, const void *b,   \
                                    const void *c, size_t n)                   \
    {                                                                          \
        T *o = out;                                                            \
        const C *p = a;                                                        \
        const T *q = b, *r = c;                                                \
        INDEPENDENT                                                            \
        for (size_t i = 0; i < n; i++) {                                       \
            C x = p[i];                                                        \
            T y = q[i], z = r[i];                                              \
            o[i] = (T)(EXPR);                                                  \
        }                                                                      \
        return true;                                                           \
    }                                                                          \
    static bool tile_##name##_##sfx(void *out, const TileArg *args, size_t n)  \
    {                                                                          \
        if (LIKELY(args[0].step & args[1].step & args[2].step)) {              \
            return loop_##name##_##sfx(out, args[0].data, args[1].data,        \
                                       args[2].data, n);                       \
        }                                                                      \
        return tile_mixed(loop_##name##_##sfx, out, args,                      \
                          (const size_t[]){sizeof(C), sizeof(T), sizeof(T)},   \
                          3, sizeof(T), n);                                    \
    }

#endif
