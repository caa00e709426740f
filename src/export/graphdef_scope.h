// What the GraphDef writer's files share: scopes and their nodes.
//
// Functions that return a text return one that lives in the GraphDef's arena,
// or NULL with an error pending.
#ifndef DUET_EXPORT_GRAPHDEF_SCOPE_H
#define DUET_EXPORT_GRAPHDEF_SCOPE_H

#include "export/graphdef.h"
#include "graph/build.h"

typedef VEC(ValueId) ValueVec;
typedef VEC(uint32_t) IndexVec;

// What all scopes of one GraphDef share; lives as long as graphdef_write runs.
typedef struct Writer {
    Ctx *ctx;
    GraphDef *def;
    StrBuf library;     // functions written so far
    uint32_t functions; // made so far: numbers their names
    Map callees;        // by a graph's address: its function's name
} Writer;

// A list of nodes with names of its own: the graph, or a function's body.
typedef struct Scope {
    Writer *writer;
    Graph *graph;
    // Its name, NULL: the graph. In functions references spell out the result:
    // "add:z:0".
    const char *function;
    StrBuf text;
    size_t node_start; // where the text of the node at hand begins, its head
                       // left out
    Map names;         // taken so far
    const char **refs; // by value: how inputs name it; NULL: not written
    size_t refs_size;
    const char **handles; // by Variable: how inputs name its resource
    size_t handles_size;
    const char *effect; // "^node" of the last effect, NULL: none so far
} Scope;

// For names and lists that live as long as the writing.
Arena *scope_arena(Scope *scope);
// The graph, or the function of the library that has this name.
MUST_CHECK bool scope_open(Scope *scope, Writer *writer, Graph *graph,
                           const char *function);
// Frees tables and text; names and references stay, in the GraphDef's arena.
void scope_close(Scope *scope);
// Formats a text into the arena.
const char *scope_print(Scope *scope, const char *format, ...)
    PRINTF_LIKE(2, 3);
// A name that no node of the scope has: `base`, or with "_1", "_2", ….
const char *scope_name(Scope *scope, const char *base);
// Begins and ends a node; attributes are written in between.
MUST_CHECK bool scope_node(Scope *scope, const char *name, const char *op,
                           const char **inputs, uint32_t count);
// Ends the node at hand: its inputs and attributes are complete.
MUST_CHECK bool scope_close_node(Scope *scope);
// How an input names result `index` of a node with so many inputs.
const char *scope_reference(Scope *scope, const char *name, const char *op,
                            uint32_t inputs, uint32_t index);
// Writes a constant; returns how inputs name it.
const char *scope_const(Scope *scope, const char *base, const Tensor *tensor);
// Something of that dtype, for results that nobody will see.
const char *scope_nothing(Scope *scope, DType dtype);
// The value's reference. A constant is written here, named after its user
// (NULL: none), if it was not before.
const char *scope_use(Scope *scope, ValueId value, const char *user,
                      const char *part);
// References to a node's inputs, with room for `extra` more.
const char **scope_use_all(Scope *scope, const GraphNode *node,
                           const char *name, uint32_t extra);
// The node's outputs are from here on the results of that name.
MUST_CHECK bool scope_set_refs(Scope *scope, const GraphNode *node,
                               const char *name, const char *op);
// ERR_VALUE: the op has no form in a GraphDef.
bool scope_refuse(Scope *scope, const GraphNode *node);

// Effects keep their order by control inputs: each waits for the one before,
// and the results wait for the last. Appends that input, where there is one,
// to an array with room for it.
void scope_after_effect(Scope *scope, const char **inputs, uint32_t *count);
// What follows waits for this node.
MUST_CHECK bool scope_set_effect(Scope *scope, const char *name);

// Writes the nodes of a block (graphdef.c).
MUST_CHECK bool graphdef_nodes(Scope *scope, const GraphBlock *block);
// An Identity for each result; their references go to `refs`.
MUST_CHECK bool graphdef_results(Scope *scope, const ValueId *results,
                                 uint32_t count, const char **refs);
// Writes an ordinary op (graphdef_node.c).
MUST_CHECK bool graphdef_plain(Scope *scope, const GraphNode *node);
// if, while, call, whose functions go to the library (graphdef_flow.c).
MUST_CHECK bool graphdef_flow(Scope *scope, const GraphNode *node);
MUST_CHECK bool graphdef_call(Scope *scope, const GraphNode *node);
// Variables, print, host_call, assert, raise (graphdef_effect.c).
MUST_CHECK bool graphdef_effect(Scope *scope, const GraphNode *node);
// The resources of the graph's Variables, and nodes that give captured ones
// their values.
MUST_CHECK bool graphdef_variables(Scope *scope);

#endif
