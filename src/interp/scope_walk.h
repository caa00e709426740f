// What the two halves of scope analysis share: scope.c, scope_place.c.
#ifndef DUET_INTERP_SCOPE_WALK_H
#define DUET_INTERP_SCOPE_WALK_H

#include "interp/scope.h"

// What both walks carry along.
typedef struct ScopeWalk {
    ScopeTable *table;
    Scope *scope;       // the one whose names are being noted
    uint32_t comp_iter; // depth of iterables (a walrus is refused there)
} ScopeWalk;

// A SyntaxError; `format` takes the name. Returns false.
bool scope_error(ScopeWalk *w, Span span, const char *format,
                 const char *name);
// Room for one more behind `count` items.
MUST_CHECK bool scope_grow(Arena *arena, Symbol ***items, uint32_t *capacity,
                           uint32_t count);
// The symbol of a mangled name in `scope`, made if it is new. NULL: no memory.
MUST_CHECK Symbol *scope_add_symbol(ScopeWalk *w, Scope *scope,
                                    const char *name, size_t length,
                                    Span span);
// Gives the names of `scope` and of all scopes in it their places.
MUST_CHECK bool scope_place(ScopeWalk *w, Scope *scope);

#endif
