// Large blocks from mmap.
//
// Invariant: a block's mapping is its size rounded up to small pages, starts
// at a multiple of PAGES_LEAST, and ends there: the kernel puts huge pages
// only where they lie wholly within a mapping, so the last part of a block
// takes small ones and no memory is wasted.
#include "base/pages.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

// What may wait in all: as much as malloc would keep of its own accord.
#define PAGES_WAITING ((size_t)32 << 20)

enum { SMALL_PAGE = 4096 };

// Small pages of other sizes are powers of two up to the huge one, on which
// all blocks begin; munmap rounds up by itself.
static size_t mapped_size(size_t size)
{
    return (size + SMALL_PAGE - 1) & ~(size_t)(SMALL_PAGE - 1);
}

// Address space of `mapped` bytes at a multiple of PAGES_LEAST: too much is
// asked for and both ends are given back. NULL: there is none. The kernel is
// not told to overcommit, so that it refuses what can never be had.
static char *reserve(size_t mapped)
{
    size_t wide = mapped + PAGES_LEAST;
    char *start = mmap(NULL, wide, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    size_t skip = -(uintptr_t)start & (PAGES_LEAST - 1);
    if (skip != 0) {
        munmap(start, skip);
    }
    munmap(start + skip + mapped, wide - skip - mapped);
    return start + skip;
}

// A block that waits and fits: one that is larger loses its end. NULL: none.
static void *take_kept(PagesKept *kept, size_t mapped)
{
    for (int i = 0; i < PAGES_KEPT && kept->kept[i].block != NULL; i++) {
        size_t size = kept->kept[i].size;
        char *block = kept->kept[i].block;
        // A much larger one is kept for larger needs.
        if (size < mapped || size / 2 > mapped) {
            continue;
        }
        if (size > mapped) {
            munmap(block + mapped, size - mapped);
        }
        memmove(&kept->kept[i], &kept->kept[i + 1],
                (size_t)(PAGES_KEPT - 1 - i) * sizeof kept->kept[0]);
        kept->kept[PAGES_KEPT - 1].block = NULL;
        return block;
    }
    return NULL;
}

// Huge pages are a wish: where it fails the block works with small ones.
void *pages_alloc(PagesKept *kept, size_t size, bool *zero)
{
    size_t mapped = mapped_size(size);
    void *block = kept == NULL ? NULL : take_kept(kept, mapped);
    *zero = block == NULL;
    if (block == NULL && (block = reserve(mapped)) != NULL) {
        (void)madvise(block, mapped, MADV_HUGEPAGE);
    }
    return block;
}

// The newest goes to the front, as its pages are still in the cache; the
// oldest ones leave until the sum is within bounds.
void pages_free(PagesKept *kept, void *block, size_t size)
{
    size_t mapped = mapped_size(size);
    if (kept == NULL || mapped > PAGES_WAITING) {
        munmap(block, mapped);
        return;
    }
    if (kept->kept[PAGES_KEPT - 1].block != NULL) {
        // The oldest makes room.
        munmap(kept->kept[PAGES_KEPT - 1].block,
               kept->kept[PAGES_KEPT - 1].size);
    }
    memmove(&kept->kept[1], &kept->kept[0],
            (PAGES_KEPT - 1) * sizeof kept->kept[0]);
    // Newest first: its pages are the likeliest to be in the caches still.
    kept->kept[0].block = block;
    kept->kept[0].size = mapped;
    size_t sum = 0;
    int count = 0;
    while (count < PAGES_KEPT && kept->kept[count].block != NULL) {
        sum += kept->kept[count++].size;
    }
    // Ends at the newest one, which alone is within the bound.
    while (sum > PAGES_WAITING) {
        count--;
        sum -= kept->kept[count].size;
        munmap(kept->kept[count].block, kept->kept[count].size);
        kept->kept[count].block = NULL;
    }
}

// In place if the space behind is free, else into a new reservation: whole
// huge pages move as they are, since both ends are aligned alike.
void *pages_realloc(void *block, size_t old_size, size_t new_size)
{
    size_t from = mapped_size(old_size), to = mapped_size(new_size);
    if (from == to || mremap(block, from, to, 0) != MAP_FAILED) {
        return block;
    }
    char *place = reserve(to);
    if (place == NULL) {
        return NULL;
    }
    void *moved = mremap(block, from, to, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    if (moved == MAP_FAILED) {
        munmap(place, to);
        return NULL;
    }
    return moved;
}

// For the end of a context.
void pages_drop(PagesKept *kept)
{
    for (int i = 0;
         kept != NULL && i < PAGES_KEPT && kept->kept[i].block != NULL; i++) {
        munmap(kept->kept[i].block, kept->kept[i].size);
        kept->kept[i].block = NULL;
    }
}
