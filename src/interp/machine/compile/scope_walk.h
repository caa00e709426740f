// What the parts of scope analysis share: scope.c, scope_walk.c,
// scope_place.c.
#ifndef DUET_INTERP_MACHINE_COMPILE_SCOPE_WALK_H
#define DUET_INTERP_MACHINE_COMPILE_SCOPE_WALK_H

#include "interp/machine/compile/scope.h"

typedef struct ScopeWalk {
    ScopeTable *table;
    Scope *scope;       // the one whose names are being noted
    uint32_t comp_iter; // depth of iterables (a walrus is refused there)
} ScopeWalk;

// A SyntaxError; `format` takes the name. Returns false.
bool scope_error(ScopeWalk *w, Span span, const char *format, const char *name);
MUST_CHECK bool scope_grow(Arena *arena, Symbol ***items, uint32_t *capacity,
                           uint32_t count);
// The symbol of a mangled name in `scope`, made if it is new. NULL: no memory.
MUST_CHECK Symbol *scope_add_symbol(ScopeWalk *w, Scope *scope,
                                    const char *name, size_t length, Span span);
// As scope_add_symbol for a name as it is written: mangles it and adds the
// flags (SymbolFlag) to those that it has.
MUST_CHECK Symbol *scope_note_name(ScopeWalk *w, Scope *scope, Text name,
                                   uint32_t flags, Span span);
// A new child of w->scope, which becomes w->scope; the caller sets it back.
// NULL: no memory.
MUST_CHECK Scope *scope_push(ScopeWalk *w, ScopeKind kind, const Node *node);
// The first walk: notes all names of the tree. False: SyntaxError or no memory.
MUST_CHECK bool scope_note_all(ScopeWalk *w, const Node *tree);
// Gives the names of `scope` and of all scopes in it their places.
MUST_CHECK bool scope_place(ScopeWalk *w, Scope *scope);

#endif
