// What runs tile programs one by one (tile_run.c) or row by row (nest_run.c).
#ifndef DUET_BACKEND_TILE_RUN_H
#define DUET_BACKEND_TILE_RUN_H

#include <stdatomic.h>

#include "backend/tile.h"

// A program that is being run, as all threads see it.
typedef struct TileRun {
    PlanRun *run;
    const TileProgram *program;
    char *scratch;      // the first thread's
    _Atomic int failed; // the first op in error
    char *starts[TILE_MAX_REGS];
    char *results[TILE_MAX_ENDS]; // rows', or tiles' of the one row
} TileRun;

// What a thread has of values that never become tensors.
typedef struct NestRoom {
    char *inner;     // of the rows in hand
    char *product;   // a product's rows, if they are kept here
    int64_t element; // the first of them
} NestRoom;

// Outputs are made, and the program's run is ready to begin. False with an
// error pending.
MUST_CHECK bool tile_begin(TileRun *at, PlanRun *run,
                           const TileProgram *program);
// Raises what has failed meanwhile.
MUST_CHECK bool tile_finish(TileRun *at);
// Where the results of its reductions go: to their tensors, but the tiles' of
// one row to `room`.
void tile_set_results(TileRun *at, char *room, int64_t tiles);
// Some rows of a program of a nest, by any thread.
void tile_run_rows(TileRun *at, char *scratch, const NestRoom *room,
                   int64_t row, int64_t rows);

#endif
