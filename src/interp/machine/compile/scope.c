// The scopes of a tree and the symbols in them: made, looked up, freed. One
// walk notes which names each scope assigns and uses (scope_walk.c); a second
// one (scope_place.c) gives every name its place.
//
// Invariant: after scope_build, a symbol is PLACE_CELL exactly if an inner
// scope captures it, and every scope between the two has it PLACE_CAPTURED.
#include "interp/machine/compile/scope_walk.h"

#include <string.h>

bool scope_error(ScopeWalk *w, Span span, const char *format, const char *name)
{
    (void)ctx_fail_at(w->table->ctx, ERR_SYNTAX, w->table->source, span, format,
                      name);
    w->table->ctx->error.form = PLACE_CODE;
    return false;
}

// Arena arrays double; the old block is left to the arena.
bool scope_grow(Arena *arena, Symbol ***items, uint32_t *capacity,
                uint32_t count)
{
    if (count < *capacity) {
        return true;
    }
    uint32_t wider = *capacity == 0 ? 8 : *capacity * 2;
    Symbol **block = arena_new_array(arena, Symbol *, wider);
    if (block == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(block, *items, count * sizeof *block);
    }
    *items = block;
    *capacity = wider;
    return true;
}

// Only in this scope; how a name is found in those around is scope_place's
// work.
Symbol *scope_find(const Scope *scope, const char *name, size_t length)
{
    uint64_t *place = map_get(&scope->map, name, length);
    return place == NULL ? NULL : (Symbol *)(uintptr_t)*place;
}

// __name in a class body becomes _Class__name; underscores in front of the
// class's name are left out, and a class of underscores alone changes nothing.
const char *scope_mangle(const ScopeTable *table, const Scope *scope, Text name,
                         size_t *length)
{
    *length = name.length;
    const char *class_name = scope->class_name;
    if (class_name == NULL || name.length < 3 || name.text[0] != '_' ||
        name.text[1] != '_' || strchr(name.text, '.') != NULL ||
        (name.text[name.length - 1] == '_' &&
         name.text[name.length - 2] == '_')) {
        return name.text;
    }
    class_name += strspn(class_name, "_");
    size_t prefix = strlen(class_name);
    if (prefix == 0) {
        return name.text;
    }
    char *mangled = arena_alloc(table->arena, prefix + name.length + 2);
    if (mangled != NULL) {
        mangled[0] = '_';
        memcpy(mangled + 1, class_name, prefix);
        memcpy(mangled + 1 + prefix, name.text, name.length + 1);
        *length = prefix + name.length + 1;
    }
    return mangled;
}

Symbol *scope_add_symbol(ScopeWalk *w, Scope *scope, const char *name,
                         size_t length, Span span)
{
    Symbol *symbol = scope_find(scope, name, length);
    if (symbol != NULL) {
        return symbol;
    }
    symbol = arena_new(w->table->arena, Symbol);
    if (symbol == NULL ||
        !scope_grow(w->table->arena, &scope->symbols, &scope->symbol_capacity,
                    scope->symbol_count) ||
        !map_put(&scope->map, name, length, (uintptr_t)symbol)) {
        return NULL;
    }
    symbol->name = name;
    symbol->length = length;
    symbol->span = span;
    scope->symbols[scope->symbol_count++] = symbol;
    return symbol;
}

Symbol *scope_note_name(ScopeWalk *w, Scope *scope, Text name, uint32_t flags,
                        Span span)
{
    size_t length;
    const char *mangled = scope_mangle(w->table, scope, name, &length);
    Symbol *symbol = mangled == NULL
                         ? NULL
                         : scope_add_symbol(w, scope, mangled, length, span);
    if (symbol != NULL) {
        symbol->flags |= flags;
    }
    return symbol;
}

// Makes a child of the running scope and enters it; the caller goes back to the
// outer one. Children keep the order of the source. Methods inherit the name of
// the class, since mangling reaches into nested functions.
Scope *scope_push(ScopeWalk *w, ScopeKind kind, const Node *node)
{
    Scope *scope = arena_new(w->table->arena, Scope);
    if (scope == NULL || !map_put(&w->table->by_node, (const char *)&node,
                                  sizeof node, (uintptr_t)scope)) {
        return NULL;
    }
    scope->kind = kind;
    scope->node = node;
    scope->parent = w->scope;
    map_init(&scope->map, w->table->ctx);
    if (w->scope != NULL) {
        // Inherited until a class statement further in sets its own.
        scope->class_name = w->scope->class_name;
        if (w->scope->last_child != NULL) {
            w->scope->last_child->next_sibling = scope;
        } else {
            w->scope->first_child = scope;
        }
        w->scope->last_child = scope;
    } else {
        w->table->root = scope;
    }
    w->scope = scope;
    return scope;
}

// The namespace of exec stands in a local of its own.
bool scope_build(ScopeTable *table, const Node *tree)
{
    ScopeWalk walker = {.table = table};
    map_init(&table->by_node, table->ctx);
    Scope *root = scope_push(&walker, SCOPE_MODULE, tree);
    static const Text namespace = {".namespace", 10};
    if (root == NULL || scope_note_name(&walker, root, namespace, SYMBOL_PARAM,
                                        tree->span) == NULL) {
        return false;
    }
    if (!scope_note_all(&walker, tree) || !scope_place(&walker, root)) {
        return false;
    }
    // Its register is counted last, behind all other locals of the module.
    Symbol *own = scope_find(root, ".namespace", 10);
    own->place = PLACE_LOCAL;
    own->index = root->local_count++;
    return true;
}

// Scopes and symbols are in the arena; the maps' tables are not.
static void free_maps(Scope *scope)
{
    // Depth was limited when the scopes were made.
    for (Scope *s = scope; s != NULL; s = s->next_sibling) {
        map_free(&s->map);
        free_maps(s->first_child);
    }
}

void scope_free(ScopeTable *table)
{
    free_maps(table->root);
    map_free(&table->by_node);
}

// The key in the map is the node's address, byte for byte.
Scope *scope_of(const ScopeTable *table, const Node *node)
{
    uint64_t *place =
        map_get(&table->by_node, (const char *)&node, sizeof node);
    return place == NULL ? NULL : (Scope *)(uintptr_t)*place;
}
