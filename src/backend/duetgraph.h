// Runs graphs in a program that has no interpreter: the public header of
// libduetgraph.a, installed as <duetgraph.h>. `pkg-config duetgraph` has what
// to link with.
//
// A DuetGraph is a graph that has been read, with all memory that it needs. It
// belongs to the caller (duetgraph_free); two of them do not meet and may be
// used by two threads at once, each by one.
#ifndef DUETGRAPH_H
#define DUETGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DuetGraph DuetGraph;

// An array, dense and row-major: an input, whose memory is the caller's, or an
// output, whose memory is the graph's.
typedef struct DuetArray {
    const char *dtype;   // "float32", "int64", "bool" (bytes of 0 or 1) …
    int rank;            // 0: a scalar
    const int64_t *dims; // `rank` sizes
    const void *data;
} DuetArray;

// Nothing has been read yet. NULL: memory is short.
DuetGraph *duetgraph_new(void);
void duetgraph_free(DuetGraph *graph); // NULL is fine

// Reads a graph in its printed form, `str(f.graph(…))` in Duet. What the
// graph captured becomes inputs behind its arguments. False: the text is no
// graph, or has Variables, or inputs or outputs of strings. To be called once.
bool duetgraph_parse(DuetGraph *graph, const char *text, size_t length);

// Reads a graph from a file that stage.save has written, with what it captured
// and its Variables, whose values each run may change. `name` is the graph's;
// NULL: the file's first. False: as duetgraph_parse, or the file cannot be
// read or is not whole. To be called once, instead of duetgraph_parse.
bool duetgraph_load(DuetGraph *graph, const char *path, const char *name);

size_t duetgraph_input_count(const DuetGraph *graph);
size_t duetgraph_output_count(const DuetGraph *graph);

// Runs the graph on its inputs and sets its outputs, which stay valid until
// the next run. What it prints goes to standard output or error. False: an
// input does not fit, an operation or an assert failed, or host code is called.
bool duetgraph_run(DuetGraph *graph, const DuetArray *inputs,
                   DuetArray *outputs);

// The value that a Variable has now, valid until the next run, and its name.
// False: there are no so many, or it holds strings.
bool duetgraph_variable(DuetGraph *graph, size_t index, const char **name,
                        DuetArray *value);

// Why the last call failed; valid until the next.
const char *duetgraph_error(const DuetGraph *graph);

#ifdef __cplusplus
}
#endif

#endif
