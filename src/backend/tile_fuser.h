// A tile program in the making, as the files share it that make one:
// tile_build.c and tile_reuse.c.
#ifndef DUET_BACKEND_TILE_FUSER_H
#define DUET_BACKEND_TILE_FUSER_H

#include "backend/tile.h"

// One program in the making, on the C stack: the limits are small.
typedef struct Fuser {
    Builder *builder;
    TensorType shape;   // of all that the program gives
    int64_t columns;    // as rows and columns; 0: no operand has asked yet
    bool apart;         // some operand has an element for each row
    const Step *before; // the step before this one; NULL: none
    bool follows;       // some operand is a product's result
    uint32_t group;     // mark of the nodes that are covered
    uint32_t next_temp; // temporaries so far
    uint32_t temp_size; // bytes of one: a tile of 8-byte elements
    uint32_t free_count;
    uint32_t ends; // reductions that are covered
    uint32_t op_count, reg_count, output_count, end_count;
    uint8_t free_temps[TILE_MAX_OPS];
    uint8_t free_widths[TILE_MAX_OPS]; // bytes of an element
    TileOp ops[TILE_MAX_OPS];
    TileReg regs[TILE_MAX_REGS];
    TileOutput outputs[TILE_MAX_OPS];
    TileEnd end[TILE_MAX_ENDS];
    ValueId values[TILE_MAX_REGS];    // what a register holds
    uint8_t last_read[TILE_MAX_REGS]; // the op that reads it last
} Fuser;

// Gives outputs memory, as far as there is some; `last` is the program's last
// node.
void tile_find_reuse(Fuser *fuser, const GraphNode *last);

#endif
