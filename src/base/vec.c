// Growth of arrays: by half, so that pushing costs amortised constant time.
#include "base/vec.h"

enum { VEC_FIRST_CAPACITY = 8 };

// On failure the items are as they were and still the caller's. Half of
// PTRDIFF_MAX keeps the growth by half from overflowing.
bool vec_grow(Ctx *ctx, void **items, size_t *capacity, size_t count,
              size_t extra, size_t size)
{
    size_t need;
    size_t bytes;
    if (__builtin_add_overflow(count, extra, &need) || need > PTRDIFF_MAX / 2) {
        return ctx_fail_memory(ctx);
    }
    size_t wanted = *capacity + *capacity / 2;
    wanted = wanted < VEC_FIRST_CAPACITY ? VEC_FIRST_CAPACITY : wanted;
    // Growth by half may fall short of what is asked for at once.
    wanted = wanted < need ? need : wanted;
    if (__builtin_mul_overflow(wanted, size, &bytes)) {
        return ctx_fail_memory(ctx);
    }
    void *moved = ctx_realloc(ctx, *items, *capacity * size, bytes);
    if (moved == NULL) {
        return false;
    }
    *items = moved;
    *capacity = wanted;
    return true;
}
