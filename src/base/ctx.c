// The context: memory, the pending error, the recursion guard, the interrupt.
//
// Small blocks come from free lists, one per 16 bytes of size, carved from
// chunks that live as long as the context; larger ones come from malloc, and
// from 2 MB on from the system itself (base/pages.h).
// Invariant: a block on free_lists[c] has c * 16 bytes (16 for c = 0).
#include "base/ctx.h"

#include "base/bulk.h"
#include "base/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/inject.h"

enum {
    CTX_DEPTH_LIMIT = 1 << 20, // the stack's end is normally met first
    CTX_DEFAULT_STACK = 8 << 20,
    CTX_MAX_STACK = 1 << 30,       // of an unlimited stack
    CTX_STACK_RESERVE = 128 << 10, // for what runs unguarded at the end
    // A heap of so many chunks is a large one: its further chunks are of
    // HEAP_LARGE_CHUNK bytes, which huge pages back as they are used.
    HEAP_SMALL_CHUNKS = 8,
    HEAP_LARGE_CHUNK = 8 << 20
};

// A chunk's first bytes; the blocks follow, 16-byte aligned.
typedef struct Chunk {
    struct Chunk *next;
    size_t size;
    size_t number;   // of the chunks before it
    PagesKept *kept; // the heap's, in every chunk the same; freed with the
                     // oldest one
} Chunk;

// Bytes. An unlimited stack gets a limit all the same, because the guard needs
// a place to stop at.
static size_t stack_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0) {
        return CTX_DEFAULT_STACK;
    }
    return limit.rlim_cur > CTX_MAX_STACK ? CTX_MAX_STACK : limit.rlim_cur;
}

// The inject build: DUET_INJECT=N makes the N-th allocation fail; 0 counts
// them (ctx_destroy tells how many there were).
static void read_injection(Heap *heap)
{
#ifdef DUET_INJECT
    const char *text = getenv("DUET_INJECT");
    heap->fail_after = text == NULL ? 0 : strtoull(text, NULL, 10);
    heap->count_told = text != NULL && heap->fail_after == 0;
#else
    (void)heap;
#endif
}

// The address of a local stands for the top of the stack, so a context must be
// set up near the bottom of the thread that runs it. Stacks grow downwards.
void ctx_settle(Ctx *ctx, size_t stack_size)
{
    char here;
    // Arguments and environment lie above us on the same stack, so an eighth
    // is kept back besides the fixed reserve.
    size_t reserve = stack_size / 8 + CTX_STACK_RESERVE;
    size_t usable =
        stack_size > 2 * reserve ? stack_size - reserve : stack_size / 2;
    uintptr_t top = (uintptr_t)&here;
    ctx->stack_low = top > usable ? top - usable : 0;
}

void ctx_init(Ctx *ctx, size_t stack_size)
{
    read_injection(&ctx->heap);
    ctx_settle(ctx, stack_size == 0 ? stack_limit() : stack_size);
    ctx->depth_limit = CTX_DEPTH_LIMIT;
}

// The kernels go before the chunks, since what they free may lie in them.
// Small blocks need no freeing of their own: their chunks are freed whole.
void ctx_destroy(Ctx *ctx)
{
    ctx_clear(ctx);
    // For the walk of tests/run-inject: how many there are to fail.
    if (ctx->heap.count_told) {
        fprintf(stderr, "allocations: %llu\n",
                (unsigned long long)ctx->heap.allocations);
    }
    if (ctx->kernels_free != NULL) {
        ctx->kernels_free(ctx);
    }
#ifdef DUET_INJECT
    inject_end(ctx->heap.large_bytes);
#endif
    // Small blocks are not freed one by one: they go with their chunks.
    Chunk *chunk = ctx->heap.chunks;
    if (chunk != NULL) {
        pages_drop(chunk->kept);
        free(chunk->kept);
    }
    while (chunk != NULL) {
        Chunk *next = chunk->next;
        if (chunk->size >= PAGES_LEAST) {
            pages_free(NULL, chunk, chunk->size);
        } else {
            free(chunk);
        }
        chunk = next;
    }
    // A use after this fails at once instead of reading freed memory.
    memset(&ctx->heap, 0, sizeof ctx->heap);
}

// False when the inject build lets this allocation fail.
static bool may_allocate(Heap *heap)
{
#ifdef DUET_INJECT
    heap->allocations++;
    return !inject_fails(heap->allocations) &&
           (heap->fail_after == 0 || --heap->fail_after != 0);
#else
    (void)heap;
    return true;
#endif
}

// The blocks that wait for another use; NULL until there is a chunk.
static PagesKept *heap_kept(const Heap *heap)
{
    const Chunk *chunk = heap->chunks;
    return chunk == NULL ? NULL : chunk->kept;
}

// Starts a new chunk; the rest of the old one is left unused.
static bool new_chunk(Heap *heap)
{
    Chunk *before = heap->chunks;
    size_t number = before == NULL ? 0 : before->number + 1;
    bool large = number >= HEAP_SMALL_CHUNKS, zero;
    size_t size = large ? HEAP_LARGE_CHUNK : HEAP_CHUNK_SIZE;
    Chunk *chunk = large ? pages_alloc(NULL, size, &zero) : malloc(size);
    if (chunk == NULL) {
        return false;
    }
    // Without memory for this nothing is kept.
    PagesKept *kept = before != NULL ? before->kept : calloc(1, sizeof *kept);
    *chunk =
        (Chunk){.next = before, .size = size, .number = number, .kept = kept};
    heap->chunks = chunk;
    heap->bump = (char *)(chunk + 1);
    heap->bump_end = (char *)chunk + size;
    return true;
}

// Only for an empty free list. Blocks never go back from a list to their
// chunk, so the memory of a class stays with it.
static void *alloc_small(Ctx *ctx, size_t class)
{
    Heap *heap = &ctx->heap;
    size_t size = (class == 0 ? 1 : class) * HEAP_CLASS_SIZE;
    if ((size_t)(heap->bump_end - heap->bump) < size && !new_chunk(heap)) {
        return ctx_fail_memory(ctx), NULL;
    }
    void *block = heap->bump;
    heap->bump += size;
    return block;
}

// Must agree with the inline halves in ctx.h: a block is freed by the way it
// was made, and its size alone tells which.
static bool is_small(size_t size)
{
    return HEAP_FAST && size <= (HEAP_CLASS_COUNT - 1) * HEAP_CLASS_SIZE;
}

// Blocks for which huge pages pay; as small ones, known by their size.
static bool is_paged(size_t size)
{
    return HEAP_FAST && size >= PAGES_LEAST;
}

// What a process can address; more comes from a computed count that went wrong,
// and malloc is not asked.
static const size_t ALLOC_MOST = (size_t)1 << 47;

// A block above the classes. *zero: its bytes are known to be 0.
static void *alloc_large(Ctx *ctx, size_t size, bool *zero)
{
    void *block = NULL;
    *zero = false;
    if (size <= ALLOC_MOST) {
        block = is_paged(size) ? pages_alloc(heap_kept(&ctx->heap), size, zero)
                               : malloc(size == 0 ? 1 : size);
    }
    if (block == NULL) {
        return ctx_fail_memory(ctx), NULL;
    }
    ctx->heap.large_bytes += size;
    return block;
}

// The inline half has found no block on the free list, or the size is none of
// the classes', or the build does without them.
void *ctx_alloc_slow(Ctx *ctx, size_t size)
{
    bool zero;
    if (!may_allocate(&ctx->heap)) {
        return ctx_fail_memory(ctx), NULL;
    }
    return is_small(size) ? alloc_small(ctx, (size + HEAP_CLASS_SIZE - 1) /
                                                 HEAP_CLASS_SIZE)
                          : alloc_large(ctx, size, &zero);
}

// Cleared by hand: blocks from the free lists hold old data. What comes from
// the system is zero, and its pages are not touched.
void *ctx_alloc_zero(Ctx *ctx, size_t size)
{
    bool zero = false;
    void *block;
    if (is_paged(size)) {
        block = alloc_large(ctx, size, &zero);
    } else {
        block = ctx_alloc(ctx, size);
    }
    if (block != NULL && !zero && !bulk_fill(ctx, block, 0, size)) {
        ctx_free(ctx, block, size);
        return NULL;
    }
    return block;
}

// `size` keeps the count of large bytes right, and tells where the block came
// from.
void ctx_free_slow(Ctx *ctx, void *block, size_t size)
{
    // Only NULL comes here with a small size, unless small blocks are
    // malloc's too.
    if (block == NULL) {
        return;
    }
    ctx->heap.large_bytes -= size;
    if (is_paged(size)) {
        pages_free(heap_kept(&ctx->heap), block, size);
    } else {
        free(block);
    }
}

// realloc for two sizes above the classes of which both or neither are paged.
static void *realloc_large(Ctx *ctx, void *block, size_t old_size,
                           size_t new_size)
{
    bool allowed = may_allocate(&ctx->heap) && new_size <= ALLOC_MOST;
    void *moved = NULL;
    if (allowed) {
        moved = is_paged(new_size) ? pages_realloc(block, old_size, new_size)
                                   : realloc(block, new_size);
    }
    if (moved == NULL) {
        return ctx_fail_memory(ctx), NULL;
    }
    ctx->heap.large_bytes += new_size - old_size;
    return moved;
}

// A move between the classes, malloc and pages, or between two classes, is a
// copy. On failure the old block is still the caller's.
void *ctx_realloc(Ctx *ctx, void *block, size_t old_size, size_t new_size)
{
    if (block != NULL && new_size != 0 && !is_small(old_size) &&
        !is_small(new_size) && is_paged(old_size) == is_paged(new_size)) {
        return realloc_large(ctx, block, old_size, new_size);
    }
    void *moved = ctx_alloc(ctx, new_size);
    if (moved == NULL) {
        return NULL;
    }
    if (block != NULL) {
        memcpy(moved, block, old_size < new_size ? old_size : new_size);
        ctx_free(ctx, block, old_size);
    }
    return moved;
}

// The block has `length` + 1 bytes, which is what its owner hands back.
char *ctx_strndup(Ctx *ctx, const char *text, size_t length)
{
    char *copy = ctx_alloc(ctx, length + 1);
    if (copy != NULL && !bulk_copy(ctx, copy, text, length)) {
        ctx_free(ctx, copy, length + 1);
        return NULL;
    }
    if (copy != NULL) {
        copy[length] = '\0';
    }
    return copy;
}

// A text of size 0 is a literal and not freed.
void ctx_clear(Ctx *ctx)
{
    if (ctx->error.text_size != 0) {
        ctx_free(ctx, ctx->error.text, ctx->error.text_size);
    }
    memset(&ctx->error, 0, sizeof ctx->error);
}

// Allocates nothing, as there may be nothing to allocate. The kind says it
// all, so the text is empty.
bool ctx_fail_memory(Ctx *ctx)
{
    static char no_text[] = "";
    ctx_clear(ctx);
    ctx->error.kind = ERR_MEMORY;
    ctx->error.text = no_text;
    return false;
}

enum { FAIL_TEXT = 256 }; // most texts of errors are shorter

// Printed on the stack first, which tells the size that the text needs; only a
// long one is printed twice. If its block cannot be had, ERR_MEMORY stays as
// the pending error.
bool ctx_fail_va(Ctx *ctx, ErrorKind kind, const char *format, va_list args)
{
    char buffer[FAIL_TEXT];
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(buffer, sizeof buffer, format, again);
    va_end(again);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *text = ctx_alloc(ctx, size);
    if (text == NULL) {
        return false;
    }
    // The old error goes only now: its text may be among the arguments.
    text[0] = '\0';
    if (size <= sizeof buffer) {
        memcpy(text, buffer, size - 1);
        text[size - 1] = '\0';
    } else {
        vsnprintf(text, size, format, args);
    }
    ctx_clear(ctx);
    ctx->error = (Error){.kind = kind, .text = text, .text_size = size};
    return false;
}

// False always: `return ctx_fail(…)` in a function that answers by bool.
bool ctx_fail(Ctx *ctx, ErrorKind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool result = ctx_fail_va(ctx, kind, format, args);
    va_end(args);
    return result;
}

// Its result is unused on purpose: the error is pending in either case.
void *ctx_fail_null(Ctx *ctx, ErrorKind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)ctx_fail_va(ctx, kind, format, args);
    va_end(args);
    return NULL;
}

// The place goes in afterwards, because ctx_fail_va replaces the whole error.
// The source is borrowed and must live until the error is taken.
bool ctx_fail_at(Ctx *ctx, ErrorKind kind, const Source *source, Span span,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)ctx_fail_va(ctx, kind, format, args);
    va_end(args);
    ctx->error.source = source;
    ctx->error.span = span;
    ctx->error.part = (Span){0, 0};
    ctx->error.form = 0;
    ctx->error.read = 0;
    return false;
}

// A failed entry is undone here, so the caller must not leave.
bool ctx_enter_slow(Ctx *ctx, const char *what)
{
    ctx->depth--;
    return ctx_fail(ctx, ERR_RECURSION, "maximum recursion depth exceeded%s",
                    what);
}

// Clearing the bit first: the interrupt is told once, and the handler of its
// exception can run.
bool ctx_poll_slow(Ctx *ctx)
{
    if (!ctx_interrupted(ctx)) {
        return true;
    }
    ctx_interrupt_clear(ctx, INTERRUPT_SIGNAL);
    return ctx_fail(ctx, ERR_INTERRUPT, "%s", "");
}
