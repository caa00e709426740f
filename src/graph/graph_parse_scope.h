// What the files that read a graph's text share.
#ifndef DUET_GRAPH_GRAPH_PARSE_SCOPE_H
#define DUET_GRAPH_GRAPH_PARSE_SCOPE_H

#include "graph/build.h"
#include "graph/reader.h"

typedef struct ParseText ParseText;

// One graph that is being read.
typedef struct Parse {
    Reader reader;
    ParseText *all; // the other graphs of the text
    Graph *graph;
    Map values;              // by the digits of "%12": a ValueId
    VEC(TextPiece) versions; // that the text names, in its order
} Parse;

// "%4: float32[2]" before the "=" of a node.
typedef struct Definition {
    TextPiece number;  // the digits
    const char *where; // for errors
    const char *name;  // in the graph's arena; NULL: it has none
    DType dtype;
    int rank;
    int64_t *dims; // in the graph's arena
} Definition;

typedef VEC(Definition) DefinitionVec;

// The lines of a block, each indented by `indent`, up to its last one.
MUST_CHECK bool graph_parse_block(Parse *parse, GraphBlock *block,
                                  size_t indent);
// One node, whose line begins here, and its sub-blocks.
MUST_CHECK bool graph_parse_node(Parse *parse, GraphBlock *block,
                                 size_t indent);
// "(" [param {"," param}] ")": adds params to the block.
MUST_CHECK bool graph_parse_params(Parse *parse, GraphBlock *block);
// The same without a name, as outputs of nodes are written.
MUST_CHECK bool graph_parse_definition(Parse *parse, Definition *definition);
// Lets a number stand for a value; a number is given once.
MUST_CHECK bool graph_parse_define(Parse *parse, const Definition *definition,
                                   ValueId value);
// "%1, %2", or nothing: appended to the list.
MUST_CHECK bool graph_parse_values(Parse *parse, const GraphBlock *block,
                                   IdVec *values);
// "^0.2", a version, if one stands here: noted, to be compared in the end.
MUST_CHECK bool graph_parse_version(Parse *parse, bool *found);
// Compares them, if the text has any.
MUST_CHECK bool graph_parse_check_versions(Parse *parse);
// "@2": a Variable's number, which exists.
MUST_CHECK bool graph_parse_variable(Parse *parse, uint32_t *index);
// "@f": the graph of that name, read when it is first asked for; borrowed.
Graph *graph_parse_callee(Parse *parse);

// The declared type; its dims are the definition's, in the arena.
static inline TensorType definition_type(const Definition *definition)
{
    return (TensorType){definition->dtype, definition->rank, definition->dims};
}

#endif
