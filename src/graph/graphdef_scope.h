// What the GraphDef writer's files share: scopes and their nodes.
#ifndef DUET_GRAPH_GRAPHDEF_SCOPE_H
#define DUET_GRAPH_GRAPHDEF_SCOPE_H

#include "graph/build.h"
#include "graph/graphdef.h"

typedef VEC(ValueId) ValueVec;

typedef struct Writer {
    Ctx *ctx;
    GraphDef *def;
    StrBuf library;
    uint32_t functions; // made so far: numbers their names
} Writer;

typedef struct Scope {
    Writer *writer;
    Graph *graph;
    bool function;      // references spell out the result: "add:z:0"
    StrBuf text;
    Map names;
    const char **refs;  // by value: how inputs name it; NULL: not written
    size_t refs_size;
} Scope;

Arena *scope_arena(Scope *scope);
// Text in the arena; NULL on failure, as all that return a text here.
const char *scope_print(Scope *scope, const char *format, ...)
    PRINTF_LIKE(2, 3);
// A name that no node of the scope has: `base`, or with "_1", "_2", ….
const char *scope_name(Scope *scope, const char *base);
// Begins and ends a node; attributes are written in between.
MUST_CHECK bool scope_node(Scope *scope, const char *name, const char *op,
                           const char **inputs, uint32_t count);
MUST_CHECK bool scope_close_node(Scope *scope);
// Writes a constant; returns how inputs name it.
const char *scope_const(Scope *scope, const char *base, const Tensor *tensor);
// References to a node's inputs, with room for `extra` more.
const char **scope_use_all(Scope *scope, const GraphNode *node,
                           const char *name, uint32_t extra);
MUST_CHECK bool scope_set_refs(Scope *scope, const GraphNode *node,
                               const char *name, const char *op);
// ERR_VALUE: the op has no form in a GraphDef.
bool scope_refuse(Scope *scope, const GraphNode *node);
// Writes an ordinary op (graphdef_node.c).
MUST_CHECK bool graphdef_plain(Scope *scope, const GraphNode *node);

#endif
