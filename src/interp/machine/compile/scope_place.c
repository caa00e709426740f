// The second half of scope analysis: from the outside in, every name gets its
// place; what an inner scope uses of an outer one becomes a cell there.
//
// Invariant: when scope_place returns, the registers of the scope's locals and
// the numbers of its captured cells are settled, those of inner scopes too.
#include <string.h>

#include "interp/machine/compile/scope_walk.h"

// Captures `symbol`'s variable from the scopes around: the owner's symbol
// becomes a cell, all between get a captured symbol. False: nobody has it.
static bool capture(ScopeWalk *w, Scope *scope, Symbol *symbol, bool *found)
{
    Scope *owner = scope->parent;
    Symbol *own = NULL;
    *found = false;
    // A mention of __class__ makes the nearest class own a cell for it.
    bool class_cell = strcmp(symbol->name, "__class__") == 0;
    for (; owner != NULL && owner->kind != SCOPE_MODULE;
         owner = owner->parent) {
        own = scope_find(owner, symbol->name, symbol->length);
        if (owner->kind == SCOPE_CLASS) {
            if (class_cell) {
                owner->needs_class_cell = true;
                own = scope_add_symbol(w, owner, symbol->name, symbol->length,
                                       symbol->span);
                break;
            }
            continue;
        }
        if (own != NULL && own->place == PLACE_CAPTURED) {
            break;
        }
        // A global declaration ends the search for inner functions too.
        if (own != NULL && (own->flags & SYMBOL_GLOBAL)) {
            return true;
        }
        if (own != NULL && (own->flags & SYMBOL_ASSIGNED) &&
            !(own->flags & SYMBOL_NONLOCAL)) {
            break;
        }
    }
    if (owner == NULL || owner->kind == SCOPE_MODULE) {
        return true;
    }
    if (own == NULL) {
        return false; // no memory
    }
    own->flags |= SYMBOL_SHARED;
    // From the scope that mentions the name out to the owner, each one in
    // between hands the cell on.
    *found = true;
    for (Scope *s = scope; s != owner; s = s->parent) {
        Symbol *mine =
            scope_add_symbol(w, s, symbol->name, symbol->length, symbol->span);
        if (mine == NULL) {
            return false;
        }
        // A class that assigns the name passes the outer cell on unseen.
        if (mine->place == PLACE_CAPTURED) {
            continue;
        }
        if (!scope_grow(w->table->arena, &s->captured, &s->captured_capacity,
                        s->captured_count)) {
            return false;
        }
        if (s->kind != SCOPE_CLASS || !(mine->flags & SYMBOL_ASSIGNED) ||
            (mine->flags & SYMBOL_NONLOCAL)) {
            mine->place = PLACE_CAPTURED;
        } else {
            mine = arena_new(w->table->arena, Symbol);
            if (mine == NULL) {
                return false;
            }
            *mine = *symbol;
        }
        mine->index = s->captured_count;
        s->captured[s->captured_count++] = mine;
    }
    return true;
}

static bool place_symbol(ScopeWalk *w, Scope *scope, Symbol *symbol)
{
    bool assigned = symbol->flags & (SYMBOL_ASSIGNED | SYMBOL_PARAM);
    // Settled already, by an inner scope or by `global`.
    if (symbol->place == PLACE_CAPTURED || (symbol->flags & SYMBOL_GLOBAL)) {
        return true;
    }
    if (scope->kind == SCOPE_MODULE) {
        symbol->place = w->table->names_in_dict ? PLACE_NAME : PLACE_GLOBAL;
        return true;
    }
    if (assigned && !(symbol->flags & SYMBOL_NONLOCAL) &&
        scope->kind != SCOPE_CLASS) {
        symbol->place = PLACE_LOCAL;
        return true;
    }
    bool found;
    if (scope->kind == SCOPE_CLASS && !(symbol->flags & SYMBOL_NONLOCAL)) {
        if (symbol->flags & SYMBOL_PARAM) {
            symbol->place = PLACE_LOCAL;
            return true;
        }
        symbol->place = PLACE_NAME;
        return assigned || capture(w, scope, symbol, &found);
    }
    if (!capture(w, scope, symbol, &found)) {
        return false;
    }
    if (!found && (symbol->flags & SYMBOL_NONLOCAL)) {
        return scope_error(w, symbol->span,
                           "no binding for nonlocal '%s' found", symbol->name);
    }
    // Code of exec: functions in it look in the globals, not in the names of
    // exec.
    if (!found && w->table->names_in_dict &&
        scope->parent->kind == SCOPE_MODULE) {
        symbol->place = PLACE_GLOBAL;
    }
    return true;
}

// Children first where sharing is concerned: they tell which locals are cells.
bool scope_place(ScopeWalk *w, Scope *scope)
{
    // Captures add symbols at the end: the count is read anew each time.
    for (uint32_t i = 0; i < scope->symbol_count; i++) {
        if (!place_symbol(w, scope, scope->symbols[i])) {
            return false;
        }
    }
    // Children after their parent: they ask where its names live.
    for (Scope *s = scope->first_child; s != NULL; s = s->next_sibling) {
        if (!ctx_enter(w->table->ctx)) {
            return false;
        }
        bool ok = scope_place(w, s);
        ctx_leave(w->table->ctx);
        if (!ok) {
            return false;
        }
    }
    // The children have said which of our variables they share.
    for (uint32_t i = 0; i < scope->symbol_count; i++) {
        Symbol *symbol = scope->symbols[i];
        bool cell_of_class = scope->kind == SCOPE_CLASS &&
                             (symbol->flags & SYMBOL_SHARED) &&
                             symbol->place != PLACE_CAPTURED;
        if (symbol->place == PLACE_LOCAL || cell_of_class) {
            symbol->index = scope->local_count++;
            if (symbol->flags & SYMBOL_SHARED) {
                symbol->place = PLACE_CELL;
            }
        }
    }
    return true;
}
