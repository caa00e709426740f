// Choosing a tier, and what kernels keep per context.
#include "kernels/tier.h"

#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "kernels/code_arena.h"
#include "kernels/emit.h"
#include "kernels/emit_shared.h"
#include "kernels/pool.h"

#if defined(__x86_64__)
// Conversions of float16, which not all compilers know by name.
static bool has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

// The tier's loops are compiled for two extensions and its machine code uses
// the third, so all must be there. __builtin_cpu_supports also asks whether the
// system saves the registers.
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           has_f16c();
}

// All four parts that the compiler may use; machines with the first alone
// (some accelerators) take AVX2.
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

// Asks the processor each time: it is done once for a context, and a name of a
// tier that would trap must never give one.
const Tier *tier_find(const char *name)
{
#if defined(__x86_64__)
    if (strcmp(name, tier_avx512.name) == 0) {
        return has_avx512() ? &tier_avx512 : NULL;
    }
    if (strcmp(name, tier_avx2.name) == 0) {
        return has_avx2() ? &tier_avx2 : NULL;
    }
#endif
    return strcmp(name, tier_portable.name) == 0 ? &tier_portable : NULL;
}

// A DUET_ISA that is unknown or does not run here is passed over in silence;
// `loop` always runs, so the search ends.
const Tier *tier_choose(void)
{
    static const char *const best_first[] = {"avx512", "avx2", "loop"};
    const char *wanted = getenv("DUET_ISA");
    const Tier *tier = wanted != NULL ? tier_find(wanted) : NULL;
    // Never beyond the array: its last entry is found on every machine.
    for (size_t i = 0; tier == NULL; i++) {
        tier = tier_find(best_first[i]);
    }
    return tier;
}

// Called by ctx_destroy through a pointer, since base knows no kernels.
static void kernel_state_free(Ctx *ctx)
{
    pool_free(ctx, ctx->kernels->pool);
    kernel_table_free(ctx, ctx->kernels->table);
    shared_free(ctx);
    code_arena_free(ctx, ctx->kernels->code);
    ctx_free(ctx, ctx->kernels, sizeof(*ctx->kernels));
    ctx->kernels = NULL;
}

// Not made with the context: a program without tensors needs none of it.
// Nothing is stored in the context before all is made.
KernelState *kernel_state_new(Ctx *ctx)
{
    KernelState *state = ctx_alloc_zero(ctx, sizeof(*state));
    if (state == NULL) {
        return NULL;
    }
    state->tier = tier_choose();
    state->blocks = gemm_blocks();
    state->pool = pool_new(ctx);
    state->code = state->pool == NULL ? NULL : code_arena_new(ctx);
    if (state->code == NULL) {
        pool_free(ctx, state->pool);
        ctx_free(ctx, state, sizeof(*state));
        return NULL;
    }
    ctx->kernels = state;
    ctx->kernels_free = kernel_state_free;
    return state;
}
