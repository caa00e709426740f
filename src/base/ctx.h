// The context that every layer below the interpreter is handed.
//
// A Ctx is the first member of a Vm (interp/core/vm.h) and all that base,
// lexer, parser, kernels, ops, graph and backend know of it: the allocator, the
// interrupt flag, the recursion guard and one pending error. There is no global
// mutable state; two contexts in one process do not meet.
//
// Errors: a fallible function returns bool (false: failed) or a pointer (NULL:
// failed) and leaves exactly one pending error in the context. It raises in
// the return statement: `return ctx_fail(ctx, ERR_VALUE, "…", …)`, or
// `return ctx_fail_null(…)` where a pointer is returned. Callers pass the
// failure on unchanged. The interpreter alone turns kinds into exception
// classes (interp/core/raise.h).
#ifndef DUET_BASE_CTX_H
#define DUET_BASE_CTX_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "base/source.h"

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_index, first)                                       \
    __attribute__((format(printf, format_index, first)))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef struct Ctx Ctx;
typedef struct Object Object;

// What went wrong, as far as the lower layers can tell: a row of error_list.h.
typedef enum ErrorKind {
    ERR_NONE,
#define ERROR(id, name, bases) ERR_##id,
#include "base/error_list.h"
#undef ERROR
    ERR_COUNT
} ErrorKind;

// How the place of a SyntaxError is told, which depends on who found the fault
// (interp/core/raise.c makes the numbers).
typedef enum PlaceForm {
    PLACE_RANGE,  // by the parser: from the span's start to its end
    PLACE_POINT,  // by the tokenizer: the end is the start
    PLACE_ZEROS,  // likewise, but a range, and counted in bytes
    PLACE_OPEN,   // there is no end
    PLACE_LAYOUT, // a token without columns: what was read of its line
    PLACE_LINE,   // likewise, when all of the line was read
    PLACE_NONE,   // a token without columns, and none are made up for it
    PLACE_CODE    // by the compiler: a range in bytes
} PlaceForm;

// The pending error. `text` is owned by the context (ctx_clear frees it) and
// is never NULL when kind is not ERR_NONE; for ERR_MEMORY it may be a literal.
typedef struct Error {
    ErrorKind kind;
    char *text;
    size_t text_size;     // bytes allocated for text, 0: a literal
    const Source *source; // borrowed; where in the source, NULL if unknown
    Span span;
    Span part;     // an expression in an f-string that is shown alone, or empty
    uint8_t form;  // PlaceForm
    uint32_t read; // offset up to which the parser has read, 0: unknown
} Error;

// Of the small-block allocator, which ctx_alloc and ctx_free share with ctx.c.
enum {
    HEAP_CLASS_SIZE = 16,  // bytes between two size classes
    HEAP_CLASS_COUNT = 33, // classes serve up to 512 bytes
    HEAP_CHUNK_SIZE = 1 << 18
};

// Free lists per size class over chunks that live as long as the context.
typedef struct Heap {
    void *free_lists[HEAP_CLASS_COUNT];
    char *bump, *bump_end; // the rest of the newest chunk
    void *chunks;          // all chunks, linked, for ctx_destroy
    uint64_t fail_after;   // inject: the N-th allocation from now fails; 0 off
    uint64_t allocations;  // counted when built with --enable-inject
    bool count_told;       // inject: ctx_destroy prints that count
    size_t large_bytes;    // live bytes of blocks above the classes
} Heap;

// Why long loops look up from their work: bits of Ctx.interrupt.
typedef enum InterruptReason {
    INTERRUPT_SIGNAL = 1, // Ctrl-C, set from the signal handler
    INTERRUPT_CHORES = 2  // the interpreter has finalisers or a collection to
                          // run between two instructions (interp/core/cycles.h)
} InterruptReason;

struct Ctx {
    // Bits of InterruptReason. Only changed by atomic operations: the handler
    // may run between any two instructions of the program, on any thread.
    volatile sig_atomic_t interrupt;
    uint16_t birth;       // era of the running trace, 0 outside (object.h)
    uint32_t depth;       // nested C recursions (ctx_enter)
    uint32_t depth_limit; // RecursionError above
    uintptr_t stack_low;  // RecursionError when the C stack falls below
    Heap heap;
    Error error;
    // Frees an object whose count fell to 0; the interpreter installs one that
    // knows all kinds, a graph runner without interpreter one for tensors.
    void (*dealloc)(Ctx *ctx, Object *object);
    // The tensors' processor tier and free memory (kernels/tier.h), NULL until
    // first used; ctx_destroy calls kernels_free if it is set.
    struct KernelState *kernels;
    void (*kernels_free)(Ctx *ctx);
    struct Type *tensor_type; // what a new tensor's header gets; the
                              // interpreter sets it, else NULL
    RngState rng;             // tensor draws (host `random` has its own)
};

// Sets up a zeroed context. `stack_size` is what the C stack may use, in
// bytes; 0 takes the process limit.
void ctx_init(Ctx *ctx, size_t stack_size);
// The calling thread, whose stack has so many bytes, runs the context from
// here on.
void ctx_settle(Ctx *ctx, size_t stack_size);
// Frees all chunks and the pending error. Blocks above 512 bytes must have
// been freed by their owners.
void ctx_destroy(Ctx *ctx);

// Memory. All return NULL with ERR_MEMORY pending when there is none. Blocks
// are 16-byte aligned and not cleared (ctx_alloc_zero clears). The owner
// remembers the size and hands it back.
MUST_CHECK void *ctx_alloc_slow(Ctx *ctx, size_t size);
// As ctx_alloc, with every byte 0. NULL: the error is pending.
MUST_CHECK void *ctx_alloc_zero(Ctx *ctx, size_t size);
// `block` may be NULL with old_size 0. On failure it is unchanged.
MUST_CHECK void *ctx_realloc(Ctx *ctx, void *block, size_t old_size,
                             size_t new_size);
// Behind ctx_free: what its quick way does not take.
void ctx_free_slow(Ctx *ctx, void *block, size_t size);
// A copy with a NUL behind it, of length + 1 bytes, to be freed as such.
MUST_CHECK char *ctx_strndup(Ctx *ctx, const char *text, size_t length);

// Sanitizer and inject builds go through malloc, so that every use after free
// is seen and every allocation can be made to fail.
#if defined(DUET_INJECT) || defined(DUET_ASAN)
#define HEAP_FAST 0
#else
#define HEAP_FAST 1
#endif

// Inline, because objects are made all the time: a block from a free list
// costs a few instructions. The first word of a free block links to the next.
MUST_CHECK static inline void *ctx_alloc(Ctx *ctx, size_t size)
{
    size_t class = (size + HEAP_CLASS_SIZE - 1) / HEAP_CLASS_SIZE;
    if (HEAP_FAST && LIKELY(class < HEAP_CLASS_COUNT)) {
        void **block = ctx->heap.free_lists[class];
        if (LIKELY(block != NULL)) {
            ctx->heap.free_lists[class] = *block;
            return block;
        }
    }
    return ctx_alloc_slow(ctx, size);
}

// `size` must be what was asked for: it names the list. NULL is allowed.
static inline void ctx_free(Ctx *ctx, void *block, size_t size)
{
    size_t class = (size + HEAP_CLASS_SIZE - 1) / HEAP_CLASS_SIZE;
    if (HEAP_FAST && LIKELY(class < HEAP_CLASS_COUNT && block != NULL)) {
        *(void **)block = ctx->heap.free_lists[class];
        ctx->heap.free_lists[class] = block;
        return;
    }
    ctx_free_slow(ctx, block, size);
}

// Errors. ctx_fail replaces a pending error, except that ERR_MEMORY while
// formatting stays. Returns false, or NULL, for the return statement.
bool ctx_fail(Ctx *ctx, ErrorKind kind, const char *format, ...)
    PRINTF_LIKE(3, 4);
void *ctx_fail_null(Ctx *ctx, ErrorKind kind, const char *format, ...)
    PRINTF_LIKE(3, 4);
bool ctx_fail_at(Ctx *ctx, ErrorKind kind, const Source *source, Span span,
                 const char *format, ...) PRINTF_LIKE(5, 6);
bool ctx_fail_va(Ctx *ctx, ErrorKind kind, const char *format, va_list args);
bool ctx_fail_memory(Ctx *ctx);
// Drops a pending error, if there is one.
void ctx_clear(Ctx *ctx);
// Only to be asked where a function's answer does not tell, such as NULL for
// "not there".
static inline bool ctx_failed(const Ctx *ctx)
{
    return ctx->error.kind != ERR_NONE;
}

// Recursion guard: `if (!ctx_enter(ctx)) return false; … ctx_leave(ctx);`
// raises ERR_RECURSION past depth_limit or near the end of the C stack.
// `what` ends the message: "" or " in comparison".
MUST_CHECK bool ctx_enter_slow(Ctx *ctx, const char *what);
MUST_CHECK static inline bool ctx_enter_for(Ctx *ctx, const char *what)
{
    char here;
    if (UNLIKELY(++ctx->depth > ctx->depth_limit ||
                 (uintptr_t)&here < ctx->stack_low)) {
        return ctx_enter_slow(ctx, what);
    }
    return true;
}
// Without words for the message: "maximum recursion depth exceeded" alone.
MUST_CHECK static inline bool ctx_enter(Ctx *ctx)
{
    return ctx_enter_for(ctx, "");
}
// Due after each ctx_enter that succeeded, on every way out.
static inline void ctx_leave(Ctx *ctx)
{
    ctx->depth--;
}

// The interrupt flag. ctx_interrupt may be called from a signal handler.
static inline void ctx_interrupt(Ctx *ctx, InterruptReason reason)
{
    __atomic_fetch_or(&ctx->interrupt, reason, __ATOMIC_RELAXED);
}
// Clears this reason alone; another may have come meanwhile.
static inline void ctx_interrupt_clear(Ctx *ctx, InterruptReason reason)
{
    __atomic_fetch_and(&ctx->interrupt, ~reason, __ATOMIC_RELAXED);
}
static inline int ctx_interrupt_bits(const Ctx *ctx)
{
    return __atomic_load_n(&ctx->interrupt, __ATOMIC_RELAXED);
}
// Ctrl-C came and nobody has polled since.
static inline bool ctx_interrupted(const Ctx *ctx)
{
    return (ctx_interrupt_bits(ctx) & INTERRUPT_SIGNAL) != 0;
}

// Long loops in C poll: false with ERR_INTERRUPT pending after Ctrl-C. Chores
// wait: they may run Duet code, which C in the midst of its work must not.
MUST_CHECK bool ctx_poll_slow(Ctx *ctx);
MUST_CHECK static inline bool ctx_poll(Ctx *ctx)
{
    return LIKELY(!ctx_interrupt_bits(ctx)) || ctx_poll_slow(ctx);
}
// For loops whose steps take a nanosecond: polls in one of 65,536 of them.
MUST_CHECK static inline bool ctx_poll_at(Ctx *ctx, size_t step)
{
    return LIKELY((step & 0xFFFF) != 0) || ctx_poll(ctx);
}

#endif
