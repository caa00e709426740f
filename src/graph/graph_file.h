// Graphs with their tensors and Variables as bytes: what a file of saved graphs
// holds.
//
//     "DUETGRPH"  u32 version  u32 crc  u64 length     of all that follows
//     text        the note: what the writer keeps there, for itself
//     u32 count   tensors: what Variables hold, then what graphs captured
//     u32 count   Variables: the first tensors are theirs
//     u32 count   graphs:  text  the printed form, whole, no calls in it
//                          u32 count  u32 …  a tensor for each capture
//                          u32 count  u32 …  a Variable for each of its own
//
// A text is a u64 length and bytes. A tensor is a text with the name of its
// dtype, a u32 rank, i64 sizes, and its elements on the next multiple of 64
// bytes; strings are texts. All numbers are little-endian; crc is CRC-32 (ISO
// 3309).
//
// A file from elsewhere may be cut, changed or made to deceive: each length is
// checked against the bytes that are there, each number against its table, each
// tensor against the type that the graph declares. ERR_VALUE says what is
// wrong, and at which byte.
#ifndef DUET_GRAPH_GRAPH_FILE_H
#define DUET_GRAPH_GRAPH_FILE_H

#include "graph/graph.h"

enum { GRAPH_FILE_VERSION = 1 };

// A graph of a file. `variables[i]`: the file's number of its Variable i.
typedef struct GraphPart {
    Graph *graph;
    uint32_t *variables;
} GraphPart;

// What a file holds. One that was read owns all of it; captures are bound.
typedef struct GraphFile {
    const char *note;
    size_t note_length;
    Tensor **variables; // their values
    size_t variable_count;
    GraphPart *graphs;
    size_t graph_count;
    size_t room; // graphs that a file that was read has room for
} GraphFile;

// Appends the bytes; all is borrowed. ERR_VALUE for a graph that calls host
// code, with the line, or other graphs (inline them first). A failure of
// memory is in `out`.
MUST_CHECK bool graph_file_write(StrBuf *out, const GraphFile *file);
// The note lies in `bytes`. To be freed, unless it is false: an error is
// pending then.
MUST_CHECK bool graph_file_read(Ctx *ctx, const char *bytes, size_t length,
                                GraphFile *file);
void graph_file_free(Ctx *ctx, GraphFile *file);

#endif
