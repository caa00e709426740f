// What the GraphDef writer's files share: scopes and their nodes.
//
// Functions that return a text return one that lives in the GraphDef's arena,
// or NULL with an error pending.
#ifndef DUET_EXPORT_GRAPHDEF_SCOPE_H
#define DUET_EXPORT_GRAPHDEF_SCOPE_H

#include "export/graphdef.h"
#include "graph/build.h"

typedef VEC(uint32_t) IndexVec;

// What all scopes of one GraphDef share; lives as long as graphdef_write runs.
typedef struct GraphWriter {
    Ctx *ctx;
    GraphDef *def;
    GraphDefUse use;
    StrBuf library;     // functions written so far
    uint32_t functions; // made so far: numbers their names
    Map callees;        // by a graph's address: its function's name
} GraphWriter;

// A list of nodes with names of its own: the graph, or a function's body.
typedef struct NodeScope {
    GraphWriter *writer;
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
    const GraphNode *node;  // whose form is written: the program may name it
    const GraphNode *first; // that the same call of the program's made
    const char *effect;     // "^node" of the last effect, NULL: none so far
} NodeScope;

// For names and lists that live as long as the writing.
Arena *scope_arena(NodeScope *scope);
// The graph, or the function of the library that has this name.
MUST_CHECK bool scope_open(NodeScope *scope, GraphWriter *writer, Graph *graph,
                           const char *function);
// Frees tables and text; names and references stay, in the GraphDef's arena.
void scope_close(NodeScope *scope);
// Formats a text into the arena.
const char *scope_print(NodeScope *scope, const char *format, ...)
    PRINTF_LIKE(2, 3);
// A name of letters, digits and the like, as TensorFlow wants it: what else
// there is ("config['a']", "état") becomes one "_" ("config_a").
const char *scope_plain_name(NodeScope *scope, const char *base);
// A name that no node of the scope has: `base`, or with "_1", "_2", ….
const char *scope_name(NodeScope *scope, const char *base);
// The same for the node whose form is written, as the program calls it: by
// `base` only where it has no name for it.
const char *scope_own_name(NodeScope *scope, const char *base);
// Begins and ends a node; attributes are written in between.
MUST_CHECK bool scope_node(NodeScope *scope, const char *name, const char *op,
                           const char **inputs, uint32_t count);
// Ends the node at hand: its inputs and attributes are complete.
MUST_CHECK bool scope_close_node(NodeScope *scope);
// How an input names result `index` of a node with so many inputs.
const char *scope_reference(NodeScope *scope, const char *name, const char *op,
                            uint32_t inputs, uint32_t index);
// Writes a constant; returns how inputs name it.
const char *scope_const(NodeScope *scope, const char *base,
                        const Tensor *tensor);
// Something of that dtype, for results that nobody will see.
const char *scope_nothing(NodeScope *scope, DType dtype);
// The value's reference. A constant is written here, named after its user
// (NULL: none), if it was not before.
const char *scope_use(NodeScope *scope, ValueId value, const char *user,
                      const char *part);
// References to a node's inputs, with room for `extra` more.
const char **scope_use_all(NodeScope *scope, const GraphNode *node,
                           const char *name, uint32_t extra);
// The node's outputs are from here on the results of that name.
MUST_CHECK bool scope_set_refs(NodeScope *scope, const GraphNode *node,
                               const char *name, const char *op);
// ERR_VALUE: the op, `with` that (NULL: as such), has no form in a GraphDef.
bool scope_refuse(NodeScope *scope, const GraphNode *node, const char *with);

// Effects keep their order by control inputs: each waits for the one before,
// and the results wait for the last. Appends that input, where there is one,
// to an array with room for it.
void scope_after_effect(NodeScope *scope, const char **inputs, uint32_t *count);
// What follows waits for this node.
MUST_CHECK bool scope_set_effect(NodeScope *scope, const char *name);

// Writes the nodes of a block (graphdef.c).
MUST_CHECK bool graphdef_nodes(NodeScope *scope, const GraphBlock *block);
// An Identity for each result; their references go to `refs`.
MUST_CHECK bool graphdef_results(NodeScope *scope, const ValueId *results,
                                 uint32_t count, const char **refs);
// Writes an ordinary op (graphdef_node.c).
MUST_CHECK bool graphdef_plain(NodeScope *scope, const GraphNode *node);
// if, while, call, whose functions go to the library (graphdef_flow.c).
MUST_CHECK bool graphdef_flow(NodeScope *scope, const GraphNode *node);
MUST_CHECK bool graphdef_call(NodeScope *scope, const GraphNode *node);
// Variables, print, host_call, assert, raise (graphdef_effect.c).
MUST_CHECK bool graphdef_effect(NodeScope *scope, const GraphNode *node);
// The resources of the graph's Variables, and nodes that give captured ones
// their values.
MUST_CHECK bool graphdef_variables(NodeScope *scope);

#endif
