// The Ctx of a test file whose objects are tensors alone, as below interp, and
// what TestSuite(…, .init = set_up, .fini = tear_down) wants. In a header and
// static: each file has a Ctx of its own.
#ifndef DUET_TESTS_TENSOR_CTX_H
#define DUET_TESTS_TENSOR_CTX_H

#include <criterion/criterion.h>

#include "ops/tensor.h"

static Ctx ctx;

// What interp's dealloc does for all kinds.
static void dealloc(Ctx *c, Object *object)
{
    cr_assert_eq(object->kind, KIND_TENSOR);
    tensor_dealloc(c, (Tensor *)object);
}

static inline void set_up(void)
{
    ctx_init(&ctx, 0);
    ctx.dealloc = dealloc;
}

static inline void tear_down(void)
{
    ctx_destroy(&ctx);
}

#endif
