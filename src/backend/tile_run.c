// Running a tile program.
#include "backend/tile.h"

#include <string.h>

enum { TILE_POLL = 64 }; // tiles between two looks at the interrupt flag

// Where a register's next elements are, and whether they follow each other.
typedef struct Cursor {
    char *data;
    uint32_t step;
} Cursor;

// Memory for what leaves the program: of an operand that dies here and that
// nobody else holds, or new.
static inline bool make_output(PlanRun *run, const TileProgram *program,
                               TileOutput output)
{
    const TileReg *reg = &program->regs[output.reg];
    if (output.reuse != TILE_NO_REG) {
        uint32_t from = program->regs[output.reuse].slot;
        Tensor *tensor = run->slots[from];
        // The operand's slot is emptied, and clearing it later does nothing.
        if (tensor_reusable(tensor)) {
            run->slots[from] = NULL;
            run->slots[reg->slot] = tensor;
            return true;
        }
    }
    run->slots[reg->slot] = tensor_new_counted(
        run->ctx, reg->dtype, program->rank, program->dims, program->count);
    return run->slots[reg->slot] != NULL;
}

// All outputs exist before the first tile is run.
static bool make_outputs(PlanRun *run, const TileProgram *program)
{
    for (uint32_t i = 0; i < program->output_count; i++) {
        if (UNLIKELY(!make_output(run, program, program->outputs[i]))) {
            return false;
        }
    }
    return true;
}

// A program of one op that fits a tile: no cursors are needed.
bool step_tile_single(PlanRun *run, const Step *step)
{
    const TileProgram *program = step->program;
    const TileOp *op = program->ops;
    TileOutput output = program->outputs[0];
    TileArg args[3];
    for (uint32_t k = 0; k < op->arg_count; k++) {
        const TileReg *reg = &program->regs[op->args[k]];
        args[k] =
            (TileArg){run->slots[reg->slot]->data, reg->kind == TILE_DENSE};
    }
    if (UNLIKELY(!make_output(run, program, output))) {
        return false;
    }
    Tensor *result = run->slots[program->regs[output.reg].slot];
    return LIKELY(op->tile(result->data, args, (size_t)program->count)) ||
           step_fail_part(run, op->node);
}

// The frame's scratch, from its first address that suits a vector.
static char *scratch_of(const PlanRun *run)
{
    uintptr_t scratch = (uintptr_t)run->frame->scratch;
    return (char *)((scratch + 63) & ~(uintptr_t)63);
}

// Operands first: an output may have taken the tensor of one.
static void set_cursors(PlanRun *run, const TileProgram *program,
                        Cursor *cursors)
{
    char *scratch = scratch_of(run);
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        cursors[i].step = reg->kind != TILE_ONE && reg->kind != TILE_COLUMN;
        if (reg->kind == TILE_TEMP) {
            // Temporaries stay where they are from tile to tile.
            cursors[i].data = scratch + reg->offset;
        } else if (run->slots[reg->slot] != NULL) {
            cursors[i].data = run->slots[reg->slot]->data;
        }
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        TileOutput output = program->outputs[i];
        if (output.reuse != TILE_NO_REG &&
            run->slots[program->regs[output.reuse].slot] == NULL) {
            // The operand's slot is empty by now, but its elements are still
            // there and are read ahead of being overwritten.
            cursors[output.reuse].data = cursors[output.reg].data;
        }
    }
}

static void run_kernel(const TileKernel *kernel, const Cursor *cursors,
                       size_t count)
{
    char *data[LOOP_MAX_OPERANDS];
    for (uint32_t k = 0; k < kernel->loop.operand_count; k++) {
        data[k] = cursors[kernel->regs[k]].data;
    }
    kernel_run(&kernel->loop, data, (int64_t)count);
}

// All ops on one tile: what they hand on to each other stays in the nearest
// cache.
static bool run_tile(PlanRun *run, const TileProgram *program,
                     const Cursor *cursors, size_t count)
{
    const TileOp *op = program->ops, *end = op + program->op_count;
    while (op < end) {
        TileArg args[3];
        if (op->kernel != NULL) {
            run_kernel(op->kernel, cursors, count);
            op += op->kernel->op_count;
            continue;
        }
        for (uint32_t k = 0; k < op->arg_count; k++) {
            const Cursor *cursor = &cursors[op->args[k]];
            args[k] = (TileArg){cursor->data, cursor->step};
        }
        // The outputs are half written then; the run is cleared as a whole.
        if (UNLIKELY(!op->tile(cursors[op->result].data, args, count))) {
            return step_fail_part(run, op->node);
        }
        op++;
    }
    return true;
}

// Moves the registers of one kind on by so many of their elements.
static void advance(const TileProgram *program, Cursor *cursors, TileKind kind,
                    int64_t count)
{
    for (uint32_t i = 0; i < program->reg_count; i++) {
        if (program->regs[i].kind == kind) {
            cursors[i].data += count * program->regs[i].width;
        }
    }
}

// One piece after another; operands are dense or of one element.
static bool run_linear(PlanRun *run, const TileProgram *program,
                       Cursor *cursors, int64_t left)
{
    int64_t piece = tile_piece(program);
    for (uint32_t turn = 1;; turn++) {
        int64_t count = left < piece ? left : piece;
        if (!run_tile(run, program, cursors, (size_t)count)) {
            return false;
        }
        // Before the cursors move: they end on the last piece, where run_rows
        // takes them up.
        left -= count;
        if (left <= 0) {
            return true;
        }
        // A look at the flag for each tile is more than an interrupt needs.
        if (turn % TILE_POLL == 0 && !ctx_poll(run->ctx)) {
            return false;
        }
        advance(program, cursors, TILE_DENSE, count);
        advance(program, cursors, TILE_ROW, count);
    }
}

// Wide rows, each in pieces of its own.
static bool run_rows(PlanRun *run, const TileProgram *program, Cursor *cursors)
{
    int64_t columns = program->columns, rows = program->count / columns;
    // How far run_linear moves its cursors along a row.
    int64_t piece = tile_piece(program), last = (columns - 1) / piece * piece;
    for (int64_t row = 0; row < rows; row++) {
        if (!run_linear(run, program, cursors, columns) ||
            !ctx_poll(run->ctx)) {
            return false;
        }
        advance(program, cursors, TILE_DENSE, columns - last);
        // The same row operand again, from its start.
        advance(program, cursors, TILE_ROW, -last);
        advance(program, cursors, TILE_COLUMN, 1);
    }
    return true;
}

#define FILL(T)                                                                \
    static void fill_##T(T *to, const T *from, int64_t rows, int64_t columns)  \
    {                                                                          \
        for (int64_t row = 0; row < rows; row++) {                             \
            for (int64_t k = 0; k < columns; k++) {                            \
                *to++ = from[row];                                             \
            }                                                                  \
        }                                                                      \
    }
// By element size alone: what the bytes mean does not matter here.
FILL(uint8_t)
FILL(uint16_t)
FILL(uint32_t)
FILL(uint64_t)
#undef FILL

// Each of the next `rows` elements of a column, repeated for its row.
static void lay_column(char *to, const char *from, uint16_t width, int64_t rows,
                       int64_t columns)
{
    switch (width) {
    case 1:
        fill_uint8_t((uint8_t *)to, (const uint8_t *)from, rows, columns);
        break;
    case 2:
        fill_uint16_t((uint16_t *)to, (const uint16_t *)from, rows, columns);
        break;
    case 4:
        fill_uint32_t((uint32_t *)to, (const uint32_t *)from, rows, columns);
        break;
    default:
        fill_uint64_t((uint64_t *)to, (const uint64_t *)from, rows, columns);
    }
}

// The row, once for each row of the tile.
static void lay_row(char *to, const char *from, size_t size, int64_t rows)
{
    for (int64_t row = 0; row < rows; row++) {
        memcpy(to, from, size);
        to += size;
    }
}

// Narrow rows, several a tile. Row operands are laid out once, column
// operands for each tile.
static bool run_groups(PlanRun *run, const TileProgram *program,
                       Cursor *cursors)
{
    int64_t columns = program->columns, left = program->count / columns;
    int64_t group = TILE_ELEMENTS / columns;
    const char *from[TILE_MAX_REGS];
    group = group < left ? group : left;
    // Rows are laid out once for a whole group, columns anew for each.
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        if (reg->kind == TILE_ROW || reg->kind == TILE_COLUMN) {
            // The operand's own elements; the cursor now points at its copy.
            from[i] = cursors[i].data;
            cursors[i] = (Cursor){scratch_of(run) + reg->offset, 1};
        }
        if (reg->kind == TILE_ROW) {
            lay_row(cursors[i].data, from[i], (size_t)columns * reg->width,
                    group);
        }
    }
    // The last group may have fewer rows.
    for (; left > 0; left -= group) {
        group = group < left ? group : left;
        for (uint32_t i = 0; i < program->reg_count; i++) {
            const TileReg *reg = &program->regs[i];
            if (reg->kind == TILE_COLUMN) {
                lay_column(cursors[i].data, from[i], reg->width, group,
                           columns);
                from[i] += group * reg->width;
            }
        }
        if (!run_tile(run, program, cursors, (size_t)(group * columns)) ||
            !ctx_poll(run->ctx)) {
            return false;
        }
        // Copies of rows and columns stay where they are.
        advance(program, cursors, TILE_DENSE, group * columns);
    }
    return true;
}

// Three ways to walk, by what broadcasts; the tiles are run alike.
bool step_tile(PlanRun *run, const Step *step)
{
    const TileProgram *program = step->program;
    Cursor cursors[TILE_MAX_REGS];
    if (UNLIKELY(!make_outputs(run, program))) {
        return false;
    }
    set_cursors(run, program, cursors);
    if (LIKELY(program->columns == 0)) {
        return run_linear(run, program, cursors, program->count);
    }
    // An empty result has columns 0 and went the linear way.
    return tile_is_grouped(program) ? run_groups(run, program, cursors)
                                    : run_rows(run, program, cursors);
}
