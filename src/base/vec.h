// Growing arrays of any element type, as macros over {items, count, capacity}.
//
//     typedef VEC(Token) TokenVec;
//     TokenVec tokens = {0};
//     if (!vec_push(ctx, &tokens, token)) return false;
//     … tokens.items[i] … tokens.count …
//     vec_free(ctx, &tokens);
#ifndef DUET_BASE_VEC_H
#define DUET_BASE_VEC_H

#include "base/ctx.h"

#define VEC(type)                                                              \
    struct {                                                                   \
        type *items;                                                           \
        size_t count, capacity;                                                \
    }

// Makes room for `extra` more elements of `size` bytes; the items move.
MUST_CHECK bool vec_grow(Ctx *ctx, void **items, size_t *capacity, size_t count,
                         size_t extra, size_t size);

#define vec_reserve(ctx, vec, extra)                                           \
    ((vec)->count + (size_t)(extra) <= (vec)->capacity ||                      \
     vec_grow(ctx, (void **)&(vec)->items, &(vec)->capacity, (vec)->count,     \
              (size_t)(extra), sizeof *(vec)->items))

#define vec_push(ctx, vec, item)                                               \
    (vec_reserve(ctx, vec, 1) && ((vec)->items[(vec)->count++] = (item), true))

#define vec_pop(vec) ((vec)->items[--(vec)->count])
#define vec_last(vec) ((vec)->items[(vec)->count - 1])

#define vec_free(ctx, vec)                                                     \
    (ctx_free(ctx, (vec)->items, (vec)->capacity * sizeof *(vec)->items),      \
     (vec)->items = NULL, (vec)->count = (vec)->capacity = 0)

#endif
