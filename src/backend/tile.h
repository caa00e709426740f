// Fused elementwise chains: programs over tiles.
//
// A program runs nodes that stand next to each other and give one static
// shape, as one kernel, or a few where one would not do. Registers are
// operands from slots, tensors that leave the program, and what kernels hand
// on to each other: tile-sized temporaries in the frame's scratch, which stay
// in cache.
//
// The shape is taken as `rows` x `columns` where an operand broadcasts along
// one of the two, or rows are reduced. Of other operands (slices, axes moved,
// broadcast in the middle) each row is a run somewhere, or one element. Wide
// rows are run in pieces; of narrow ones a tile takes several, for which all
// operands that are not as dense as the shape are laid out in scratch.
//
// A program may end in reductions of rows, or of all there is: each tile is
// reduced while it is in the cache, and the tiles' results are folded as the
// op alone would fold its blocks, so that the bits are the same.
#ifndef DUET_BACKEND_TILE_H
#define DUET_BACKEND_TILE_H

#include "backend/plan_build.h"
#include "kernels/emit.h"
#include "kernels/gemm.h"

enum {
    TILE_ELEMENTS = 1024, // a tile, or several narrow rows
    // Rows share a tile up to so many columns: where it takes laying out each
    // row's own elements, or a row is reduced, it pays for fewer.
    TILE_GROUPED = 512,
    TILE_GROUPED_APART = 96,
    TILE_BLOCK = 2048,   // one that is reduced: a reduction's block
    TILE_ALONE = 8192,   // elements that no thread is asked to help with
    TILE_LONG = 1 << 14, // nor with so many of a single kernel
    TILE_MAX_OPS = 60,
    TILE_MAX_ENDS = 8,
    TILE_MAX_STAGES = 8,
    TILE_NEST = 4096, // elements of a block of a nest's rows, if a row has less
    // Three operands and a result each; a reduction's lanes.
    TILE_MAX_REGS = 4 * TILE_MAX_OPS + TILE_MAX_ENDS,
    TILE_NO_REG = 255
};
#define TILE_INNER_PRODUCT UINT32_MAX

// How a register moves from tile to tile.
typedef enum TileKind {
    TILE_KIND_DENSE,  // an element for each of the program's
    TILE_KIND_ONE,    // one for all
    TILE_KIND_ROW,    // one for each column, the same in all rows
    TILE_KIND_COLUMN, // one for each row
    TILE_KIND_RUNS,   // a run for each row, wherever (TileRows)
    TILE_KIND_POINTS, // one for each row, wherever
    TILE_KIND_TEMP    // a result that stays inside
} TileKind;

// Where an operand has what belongs to a row: axes along which rows go on, of
// which the last turns fastest.
typedef struct TileAxis {
    int64_t size, step; // rows, and elements from one to the next
} TileAxis;
typedef struct TileRows {
    int64_t start; // the first row's element
    int count;
    TileAxis axes[SHAPE_MAX_RANK];
} TileRows;

// An operand, an output or a temporary. Registers are numbered in the order in
// which the program meets them.
typedef struct TileReg {
    uint32_t slot;   // operand or output
    uint32_t offset; // in scratch: a temporary, or where it is laid out
    uint32_t inner;  // 1 + where it is in a nest's scratch; 0: in a tensor;
                     // TILE_INNER_PRODUCT: where the nest's product is
    size_t start;    // bytes of its tensor before an operand, unless `rows`
    uint32_t by;     // 1 + the slot of what a loop counts with, each of which
                     // takes it `apart` bytes on; 0: of nothing
    size_t apart;
    uint16_t width; // bytes of an element
    uint8_t kind;   // TileKind
    DType dtype;
    const TileRows *rows; // of runs and points
} TileReg;

// Ops that follow each other, as one loop.
struct TileKernel {
    LoopKernel loop;
    uint32_t first, op_count;
    uint8_t regs[LOOP_MAX_OPERANDS]; // by operand
    TileKernel *next;                // of the program, in its order
    TileKernel *next_of_plan;
};

// One op of the chain and its registers.
typedef struct TileOp {
    const GraphNode *node;
    uint8_t result; // registers
    uint8_t arg_count;
    uint8_t args[3];
    bool is_known; // the second operand is a constant that its body looks at
    double known;
} TileOp;

// Where an output is a part of what a concat gives: `start` elements behind the
// first one of that node's result.
typedef struct TilePart {
    const GraphNode *node;
    uint32_t whole; // slot
    int64_t start;
} TilePart;

// A tensor that leaves the program.
typedef struct TileOutput {
    uint8_t reg;
    uint8_t reuse;     // an operand of its type that dies here and is read no
                       // more once this is written; TILE_NO_REG: none
    uint32_t variable; // whose value that operand is and this becomes at once,
                       // 1 + its number: it may hold it too; 0: of none. Until
                       // plan_update_find: whose value the operand is
    const TilePart *part; // NULL: it is a tensor of its own
} TileOutput;

// A reduction of what the program has in a register.
typedef struct TileEnd {
    const GraphNode *node;
    RowReduceFn reduce;
    FoldFn fold;
    LanesStartFn start;     // of lanes that the program's last kernel joins
    LanesFoldFn fold_lanes; // NULL: it does not, and `reduce` reads the tile
    double divisor;         // of a mean; 0: none
    uint32_t slot;          // the result's
    uint32_t offset;        // in scratch: results of a wide row's pieces
    uint32_t inner;         // as a register's
    uint16_t width;         // bytes of a result
    DType dtype;            // its own
    ReduceId id;
    uint8_t reg, lanes; // what is reduced, and a temporary
} TileEnd;

// A chain of ops that is run tile by tile, in the plan's arena.
struct TileProgram {
    int64_t count;   // elements
    int64_t columns; // 0: nothing broadcasts along rows or columns, and all is
                     // one row
    bool updates;    // an output is written over a Variable
    bool grouped;    // narrow rows share a tile
    bool follows;    // an operand is a product's result
    bool scattered;  // some operand has runs or points
    bool even;       // its kernels take multiples of KERNEL_STEP alone
    // What stands before it and reduces rows of as many columns; NULL: none.
    const TileProgram *before;
    double cost;         // of an element, in nanoseconds, roughly
    size_t scratch_size; // bytes that a thread needs
    int rank;
    const int64_t *dims;
    uint32_t op_count, reg_count, output_count, end_count;
    TileOp *ops;
    TileReg *regs;
    TileOutput *outputs;
    TileEnd *ends;
    TileKernel *kernels;     // one at least
    const LoopKernel *ended; // that which has lanes of reductions; NULL: none
};

// A matrix product of operands of known sizes.
struct TileProduct {
    uint32_t left, right, to; // slots
    unsigned turned;          // ops/product.h
    TensorType type;
    bool fixed;    // the right operand is the same in all runs
    bool inside;   // only the nest reads it: it is kept a few rows at a time
    uint32_t runs; // until panels are kept
    void *panels;  // of a fixed operand; NULL: not yet, or it is read in place
    size_t panels_size;
    struct Matmul *matmul; // what is the same in all runs; NULL: not yet
    int64_t count;         // of the result's elements, then
    GemmFn kernel;         // of one that is called at once, then; NULL: it is
                           // run as products are
    TileProduct *next_of_plan;
};

// Programs over the same rows, of which some read what others have made of a
// row: they run on some rows after another, so that those stay in the cache.
// What only they read is kept for so many rows (nest.c). They may begin with a
// product, whose rows are then met while they are at hand.
typedef struct TileNest {
    TileProduct *product; // NULL: none
    uint32_t stage_count;
    TileProgram *stages[TILE_MAX_STAGES];
    int64_t rows, block; // rows, and how many of them at a time
    int64_t elements;    // of the largest stage
    double cost;         // of a row
    size_t inner_size;   // bytes of what stays inside
    size_t scratch_size; // and of all that a thread needs
} TileNest;

static inline bool tile_is_plain(TileKind kind)
{
    return kind == TILE_KIND_DENSE || kind == TILE_KIND_ONE;
}
static inline bool tile_is_scattered(const TileReg *reg)
{
    return reg->kind == TILE_KIND_RUNS || reg->kind == TILE_KIND_POINTS;
}
// Whether rows read what their own elements of the tensor are not.
static inline bool tile_reads_across(const TileReg *reg)
{
    return reg->start > 0 || reg->by != 0 || tile_is_scattered(reg) ||
           reg->kind == TILE_KIND_ROW || reg->kind == TILE_KIND_ONE;
}
// Rows that share a tile, if they do.
static inline int64_t tile_group(const TileProgram *program)
{
    return TILE_ELEMENTS / program->columns;
}
// Rows of a nest that are run one after another.
static inline int64_t tile_block(int64_t columns)
{
    return columns < TILE_NEST ? TILE_NEST / columns : 1;
}
// Elements of a piece of what is not grouped: a kernel alone keeps nothing in
// a cache, and takes all at once.
static inline int64_t tile_piece(const TileProgram *program)
{
    return program->end_count > 0           ? TILE_BLOCK
           : program->kernels->next == NULL ? INT64_MAX
                                            : TILE_ELEMENTS;
}
// Elements that one thread runs at least: whole tiles, rows or groups.
static inline int64_t tile_unit(const TileProgram *program)
{
    int64_t piece = tile_piece(program);
    bool few = program->end_count == 0 && program->count <= TILE_LONG;
    int64_t most = few ? TILE_LONG : TILE_BLOCK;
    return program->columns > 0
               ? (program->grouped ? tile_group(program) : 1) * program->columns
           : piece < most ? piece
                          : most;
}

// Makes the program's kernels. False with an error pending.
MUST_CHECK bool tile_compile(Builder *builder, TileProgram *program);
// The product of a node whose sizes are known, as a step.
MUST_CHECK bool product_build(Builder *builder, const GraphNode *node,
                              Step *step);
// Finds the products whose right operand is pinned.
MUST_CHECK bool product_fix(Builder *builder);
// Frees what products keep.
void product_release(Ctx *ctx, Plan *plan);
// Frees the kernels of a plan.
void tile_release(Ctx *ctx, Plan *plan);

// Tries to make the last of the steps of `node` and the nodes after it. Sets
// *last to the last node that it covers, NULL if it covers none.
MUST_CHECK bool tile_fuse(Builder *builder, GraphNode *node, StepBlock *steps,
                          uint32_t *block_chain, GraphNode **last);
// Makes one step of programs that stand next to each other and go along the
// same rows, as many as there are.
MUST_CHECK bool nest_join(Builder *builder, StepBlock *block);
// Finds outputs that are new values of Variables (plan_update.c).
void plan_update_find(StepBlock *block);
// Finds outputs that are parts of what a later step puts together
// (plan_join.c). False with an error pending.
MUST_CHECK bool plan_join_find(Builder *builder, StepBlock *block);
// A concat some of whose parts are where they belong.
bool step_join(PlanRun *run, const Step *step);
// An output that is such a part, in a whole that is made if it is the first.
// NULL with an error pending.
MUST_CHECK Tensor *plan_join_part(PlanRun *run, const TilePart *part, int rank,
                                  const int64_t *dims);
// The elements of a type; -1 where a size is unknown or the count is beyond
// what a program takes.
int64_t tile_count(TensorType type);
// How an operand lies beside the program's shape.
typedef struct TileOperand {
    ValueId source; // whose elements are read: itself, or what it is a view of
    ValueId by;     // what a loop counts with, by which it goes on
    int64_t apart;  // so many elements for each; 0: it does not
    OpView view;    // by axis of the shape
    TileKind kind;
    int64_t columns; // the most that a row of it may have
} TileOperand;
// How a dense operand that broadcasts to the shape `out` lies beside it.
void tile_dense_view(TensorType in, TensorType out, OpView *view);
// Where the value is among its source's elements; false if its op has no view,
// or some size is not known.
bool tile_find_view(const Builder *builder, ValueId value, OpView *view);
// False if it does so in no way that a program has.
bool tile_find_operand(const Builder *builder, ValueId value, TensorType shape,
                       TileOperand *operand);
// What it is along rows of so many columns, as many as it may have or fewer.
TileKind tile_operand_kind(const TileOperand *operand, int64_t columns);
// Its rows, in the plan's arena; NULL with an error pending.
const TileRows *tile_make_rows(Builder *builder, const TileOperand *operand,
                               TensorType shape, int64_t columns);
// Whether programs can read the value's elements among its source's, and that
// saves a copy.
bool tile_is_viewed(const Builder *builder, ValueId value);
// The element of the operand with which a row begins.
int64_t tile_row_start(const TileRows *rows, int64_t row);
// Lays an operand's share in some rows out in scratch, an element for each of
// theirs; `from` is the first of the operand that the kind counts from: a row's
// own, a column's element of the first row, else the tensor's.
void tile_lay(const TileReg *reg, char *to, const char *from, int64_t row,
              int64_t rows, int64_t columns);
bool step_nest(PlanRun *run, const Step *step);
// A product alone.
bool step_product(PlanRun *run, const Step *step);
// Runs a program over its tiles. False with an error pending.
bool step_tile(PlanRun *run, const Step *step);
// The same for one kernel where nothing broadcasts along rows or columns.
bool step_tile_single(PlanRun *run, const Step *step);

#endif
