// Large blocks straight from the system, laid out for huge pages.
//
// A block of PAGES_LEAST bytes or more starts at a multiple of a huge page, so
// that the kernel can back it with huge pages: a fault for 2 MB instead of one
// for 4 KB. A few blocks that were freed are kept for the next of their size,
// because a program that makes large lists in a loop would otherwise fault all
// their pages in again each time.
#ifndef DUET_BASE_PAGES_H
#define DUET_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#define PAGES_LEAST ((size_t)1 << 21) // below, huge pages gain nothing

enum { PAGES_KEPT = 4 }; // blocks that wait for another use

// Freed blocks, the newest first; a block that is NULL ends them.
typedef struct PagesKept {
    struct {
        void *block;
        size_t size; // mapped: a multiple of the small page
    } kept[PAGES_KEPT];
} PagesKept;

// `size` >= PAGES_LEAST bytes. *zero: they are all zero. NULL: none to be had
// (nothing is raised). `kept` may be NULL in all four.
void *pages_alloc(PagesKept *kept, size_t size, bool *zero);
// `size` is what was asked for.
void pages_free(PagesKept *kept, void *block, size_t size);
// Moves page tables instead of bytes. NULL: the old block is still there.
void *pages_realloc(void *block, size_t old_size, size_t new_size);
// Gives all that waits back to the system.
void pages_drop(PagesKept *kept);

#endif
