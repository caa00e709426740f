// Which variable a name means: every function, class body, comprehension and
// module of a tree has a Scope that maps its names to places.
//
// All scopes live in the arena of the tree. A name is mangled before it is
// looked up (`__x` in class C is `_C__x`).
#ifndef DUET_INTERP_MACHINE_COMPILE_SCOPE_H
#define DUET_INTERP_MACHINE_COMPILE_SCOPE_H

#include "base/map.h"
#include "parser/ast.h"

// Function-like kinds come after the module; code compares with SCOPE_FUNCTION.
typedef enum ScopeKind {
    SCOPE_MODULE,
    SCOPE_FUNCTION,
    SCOPE_LAMBDA,
    SCOPE_CLASS,
    SCOPE_COMPREHENSION
} ScopeKind;

// What the first walk has seen of a name in one scope; flags only add up.
typedef enum SymbolFlag {
    SYMBOL_ASSIGNED = 1,
    SYMBOL_PARAM = 2,
    SYMBOL_GLOBAL = 4,   // declared
    SYMBOL_NONLOCAL = 8, // declared
    SYMBOL_USED = 16,
    SYMBOL_WALRUS = 32, // may change within an expression: never read in place
    SYMBOL_ANNOTATED = 128, // `name: …` stands in this scope
    SYMBOL_SHARED = 64,     // an inner scope captures it: it lives in a cell
    SYMBOL_DELETED = 256, // a `del`, or the end of `except … as`, unbinds it
    SYMBOL_BOUND = 512    // while compiling: what is behind finds it assigned
} SymbolFlag;

// How code reaches the variable; settled by scope_place.
typedef enum SymbolPlace {
    PLACE_GLOBAL,  // global or built-in, by name
    PLACE_NAME,    // class body: in its namespace, then global
    PLACE_LOCAL,   // register
    PLACE_CELL,    // register that holds a cell
    PLACE_CAPTURED // cell of an enclosing function
} SymbolPlace;

// A name in one scope. Scopes that mention the same variable have one each.
typedef struct Symbol {
    const char *name; // mangled
    size_t length;
    uint32_t flags; // SymbolFlag
    SymbolPlace place;
    uint32_t index; // register, or number of the captured cell
    Span span;      // where it was first seen, for errors
} Symbol;

// A node that has names of its own. Children stand in the order of the source.
typedef struct Scope {
    ScopeKind kind;
    const Node *node;
    struct Scope *parent, *first_child, *next_sibling, *last_child;
    const char *class_name; // innermost enclosing class, for mangling; or NULL
    Map map;                // name to Symbol *
    Symbol **symbols;       // in order of appearance
    uint32_t symbol_count, symbol_capacity;
    Symbol **captured; // those with PLACE_CAPTURED, by index
    uint32_t captured_count, captured_capacity;
    uint32_t local_count; // registers of parameters and locals
    bool is_generator;
    bool has_annotations;  // a statement of its own annotates something
    bool needs_class_cell; // a method of this class mentions __class__
} Scope;

// The scopes of one tree. The arena is the tree's and goes with it; only the
// maps have memory of their own (scope_free).
typedef struct ScopeTable {
    Ctx *ctx;
    Arena *arena;
    Source *source;
    Scope *root;
    Map by_node;           // the bytes of a Node * to Scope *
    bool text_annotations; // from __future__ import annotations
    uint32_t future_end;   // where such imports may no longer stand
    bool names_in_dict;    // the root's names live in a namespace (exec)
} ScopeTable;

// Reads the tree; false with a SyntaxError (or memory error) pending.
MUST_CHECK bool scope_build(ScopeTable *table, const Node *tree);
// The scopes are the arena's; only the tables go.
void scope_free(ScopeTable *table);
// The scope that the node opens. NULL: none, the analysis has failed.
Scope *scope_of(const ScopeTable *table, const Node *node);
// The symbol of a name in its own scope; never NULL after scope_build for a
// name that the scope mentions.
Symbol *scope_find(const Scope *scope, const char *name, size_t length);
// The mangled form (the same pointer if nothing changes); NULL: no memory.
const char *scope_mangle(const ScopeTable *table, const Scope *scope, Text name,
                         size_t *length);

#endif
