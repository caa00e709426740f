// What the two files share that compile loops over few numbers: scalar_build.c
// has the blocks, scalar_value.c what stands in them.
#ifndef DUET_BACKEND_SCALAR_COMPILE_H
#define DUET_BACKEND_SCALAR_COMPILE_H

#include "backend/scalar.h"

// The registers of a value, one an element.
typedef struct ScalarRegs {
    uint16_t at[SCALAR_ELEMENTS];
} ScalarRegs;

// State of one compilation. `full` is no error: the loop then is run step by
// step, as if it had not qualified.
typedef struct ScalarCompiler {
    Builder *builder;
    GraphNode *loop;
    Map known; // by ValueId: where its registers are in `values`
    VEC(ScalarRegs) values;
    VEC(ScalarOp) code;
    VEC(ScalarInput) inputs;
    uint64_t initial[SCALAR_MAX_REGS];
    uint8_t dtypes[SCALAR_MAX_REGS];
    uint32_t reg_count;
    uint32_t calls; // of kernels for several elements
    uint32_t steps; // that other nodes would take, one by one
    bool full;      // more registers or code than there may be: give up
} ScalarCompiler;

// How many elements the value has; 0: more than it may have, or none, or not
// known, or no numbers.
uint32_t scalar_count(const Graph *graph, ValueId value);
// Whether the node, which has no blocks, can be a part of a program.
bool scalar_fits(const Builder *builder, const GraphNode *node);

// Appends an instruction, or notes that there are too many.
MUST_CHECK bool scalar_append(ScalarCompiler *c, ScalarOp op);
// Nothing is emitted where source and target are one register.
MUST_CHECK bool scalar_move(ScalarCompiler *c, uint16_t out, uint16_t in);
// So many free registers in a row.
ScalarRegs scalar_new(ScalarCompiler *c, DType dtype, uint32_t count);
// Notes where a value is.
MUST_CHECK bool scalar_set(ScalarCompiler *c, ValueId value,
                           const ScalarRegs *regs);
// The value's registers. One that the loop does not define is loaded before
// the run: from the constant, or from its slot.
MUST_CHECK bool scalar_find(ScalarCompiler *c, ValueId value, ScalarRegs *regs);
// The instructions of a node without blocks.
MUST_CHECK bool scalar_compile(ScalarCompiler *c, const GraphNode *node);

#endif
