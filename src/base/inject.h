// Rows of allocations that fail on purpose: see inject.c. Only ctx.c asks, and
// only in builds with --enable-inject.
#ifndef DUET_BASE_INJECT_H
#define DUET_BASE_INJECT_H

#include <stdbool.h>
#include <stddef.h>

// Whether allocation `number` of this process is to fail. In a row of them this
// is where the process forks: true in the child.
bool inject_fails(unsigned long long number);
// When a context is destroyed, with the bytes of it that nobody has freed:
// prints how the row went, or in a child what is left.
void inject_end(size_t bytes);

#endif
