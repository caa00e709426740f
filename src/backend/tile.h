// Fused elementwise chains: programs over tiles.
//
// A program runs nodes that stand next to each other and give one static
// shape. Registers are operands from slots, tensors that leave the program,
// and tile-sized temporaries in the frame's scratch, which stay in cache. The
// inner loops are the eager ops' own, so the bits are the same.
#ifndef DUET_BACKEND_TILE_H
#define DUET_BACKEND_TILE_H

#include "backend/plan_build.h"

enum {
    TILE_ELEMENTS = 1024,  // a tile
    TILE_TEMP_SIZE = 8192, // bytes of a temporary: a tile of 8-byte elements
    TILE_MAX_OPS = 24,
    TILE_MAX_REGS = 4 * TILE_MAX_OPS // three operands and a result each
};

typedef struct TileReg {
    uint32_t slot;   // operand or output
    uint32_t offset; // a temporary's place in scratch
    uint16_t width;  // bytes from element to element; 0: one for all, or temp
    bool temp;
    bool output;
    DType dtype;
} TileReg;

typedef struct TileOp {
    TileFn tile;
    const GraphNode *node;
    uint8_t result;
    uint8_t arg_count;
    uint8_t args[3]; // registers
} TileOp;

struct TileProgram {
    int64_t count; // elements
    int rank;
    const int64_t *dims;
    uint32_t op_count, reg_count;
    TileOp ops[TILE_MAX_OPS];
    TileReg regs[TILE_MAX_REGS];
};

// Tries to make one step of `node` and those after it. Sets *last to the last
// node that it covers, NULL if it covers fewer than two.
MUST_CHECK bool tile_fuse(Builder *builder, GraphNode *node, Step *step,
                          uint32_t *block_chain, GraphNode **last);
bool step_tile(PlanRun *run, const Step *step);

#endif
