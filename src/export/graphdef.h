// A graph as a GraphDef, in protobuf's text format, which TensorFlow parses
// and runs. The only part of Duet that knows TensorFlow's op names.
#ifndef DUET_EXPORT_GRAPHDEF_H
#define DUET_EXPORT_GRAPHDEF_H

#include "graph/graph.h"

// A node as `as_graph_def().node` shows it; owned by the GraphDef.
typedef struct GraphDefNode {
    const char *name;
    const char *op;
    const char **inputs; // "x", "add:1", "^print"
    uint32_t input_count;
    const char *function; // of the library, in which it stands, or NULL
    const char *text;     // of its fields
} GraphDefNode;

// The result of graphdef_write; everything in it goes with graphdef_free.
typedef struct GraphDef {
    Arena arena;
    VEC(GraphDefNode)
    nodes;                // in the order of the text, functions before
                          // those that call them
    StrBuf text;          // the whole message
    const Graph *refused; // where writing failed for the node at that
    uint32_t site;        // site; NULL: it failed elsewhere
} GraphDef;

// What the writing is for: to look at its nodes, or as a text that TensorFlow
// can run, for which a dataset, whose elements the host makes, is refused.
typedef enum GraphDefUse { GRAPHDEF_NODES, GRAPHDEF_TEXT } GraphDefUse;

// Placeholders for arguments and captures, Const with their values, If, While,
// PartitionedCall with their functions in the library, an Identity for each
// output, last. A host_call is an EagerPyFunc, which only the program that made
// it can run. What TensorFlow cannot express is an ERR_VALUE that names op and
// line. Free with graphdef_free, also after a failure.
MUST_CHECK bool graphdef_write(Graph *graph, GraphDefUse use, GraphDef *def);
// What a value is called that a node gives, of a graph that may go on: "add",
// "split:1". NULL: it has no such name, or, with an error, none was found. It
// lives as long as `def`, which graphdef_free frees in any case.
const char *graphdef_value_name(Graph *graph, ValueId value, GraphDef *def);
// Frees what a successful writing gave; the struct itself is the caller's.
void graphdef_free(GraphDef *def);

#endif
