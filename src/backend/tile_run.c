// Running a tile program.
#include "backend/tile.h"

#include <string.h>

enum { TILE_POLL = 64 }; // tiles between two looks at the interrupt flag

// A program that is being run.
typedef struct TileRun {
    PlanRun *run;
    const TileProgram *program;
    const TileKernel *failed;     // the first that had faults; NULL: none
    uint32_t faults;              // of it
    char *cursors[TILE_MAX_REGS]; // where a register's next elements are
} TileRun;

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

// The first op of the kernel that has an error: the step's node is only the
// first of the program.
static bool fail_tile(PlanRun *run, const TileProgram *program, uint32_t first,
                      uint32_t faults)
{
    uint32_t op = first + (uint32_t)__builtin_ctz(faults);
    return step_fail_part(run, program->ops[op].node);
}

// Operands that an output has taken over are found there.
bool step_tile_single(PlanRun *run, const Step *step)
{
    const TileProgram *program = step->program;
    const TileKernel *kernel = program->kernels;
    char *data[LOOP_MAX_OPERANDS];
    uint32_t count = kernel->loop.operand_count;
    for (uint32_t k = 0; k < count; k++) {
        const Tensor *tensor = run->slots[program->regs[kernel->regs[k]].slot];
        data[k] = tensor != NULL ? tensor->data : NULL;
    }
    if (UNLIKELY(!make_outputs(run, program))) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (kernel->loop.operands[k].writes) {
            data[k] = run->slots[program->regs[kernel->regs[k]].slot]->data;
        }
    }
    uint32_t faults = 0;
    for (int64_t left = program->count; left > 0; left -= TILE_LONG) {
        int64_t piece = left < TILE_LONG ? left : TILE_LONG;
        faults |= kernel_run(&kernel->loop, data, piece);
        for (uint32_t k = 0; k < count; k++) {
            bool moves = kernel->loop.operands[k].kind == LOOP_DENSE;
            data[k] += moves ? piece * program->regs[kernel->regs[k]].width : 0;
        }
        if (left > piece && !ctx_poll(run->ctx)) {
            return false;
        }
    }
    return LIKELY(faults == 0) || fail_tile(run, program, 0, faults);
}

// The frame's scratch, from its first address that suits a vector.
static char *scratch_of(const PlanRun *run)
{
    uintptr_t scratch = (uintptr_t)run->frame->scratch;
    return (char *)((scratch + 63) & ~(uintptr_t)63);
}

// Operands first: an output may have taken the tensor of one.
static void set_cursors(TileRun *at)
{
    const TileProgram *program = at->program;
    Tensor **slots = at->run->slots;
    char *scratch = scratch_of(at->run);
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        if (reg->kind == TILE_TEMP) {
            // Temporaries stay where they are from tile to tile.
            at->cursors[i] = scratch + reg->offset;
        } else if (slots[reg->slot] != NULL) {
            at->cursors[i] = slots[reg->slot]->data;
        }
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        TileOutput output = program->outputs[i];
        if (output.reuse != TILE_NO_REG &&
            slots[program->regs[output.reuse].slot] == NULL) {
            // The operand's slot is empty by now, but its elements are still
            // there and are read ahead of being overwritten.
            at->cursors[output.reuse] = at->cursors[output.reg];
        }
    }
}

// All kernels on one tile: what they hand on to each other stays in the
// nearest cache. Elements in error do not end the run: one further on may be
// so by an earlier op.
static void run_tile(TileRun *at, int64_t count)
{
    for (const TileKernel *kernel = at->program->kernels; kernel != NULL;
         kernel = kernel->next) {
        char *data[LOOP_MAX_OPERANDS];
        for (uint32_t k = 0; k < kernel->loop.operand_count; k++) {
            data[k] = at->cursors[kernel->regs[k]];
        }
        uint32_t faults = kernel_run(&kernel->loop, data, count);
        if (UNLIKELY(faults != 0) &&
            (at->failed == NULL || at->failed->first >= kernel->first)) {
            at->faults = at->failed == kernel ? at->faults | faults : faults;
            at->failed = kernel;
        }
    }
}

// Moves the registers of one kind on by so many of their elements.
static void advance(TileRun *at, TileKind kind, int64_t count)
{
    for (uint32_t i = 0; i < at->program->reg_count; i++) {
        const TileReg *reg = &at->program->regs[i];
        at->cursors[i] += reg->kind == kind ? count * reg->width : 0;
    }
}

// One piece after another; operands are dense or of one element.
static bool run_linear(TileRun *at, int64_t left)
{
    int64_t piece = tile_piece(at->program);
    for (uint32_t turn = 1; left > 0; turn++) {
        run_tile(at, left < piece ? left : piece);
        // Before the cursors move: they end on the last piece, where run_rows
        // takes them up.
        left -= piece;
        if (left <= 0) {
            break;
        }
        // A look at the flag for each tile is more than an interrupt needs.
        if (turn % TILE_POLL == 0 && !ctx_poll(at->run->ctx)) {
            return false;
        }
        advance(at, TILE_DENSE, piece);
        advance(at, TILE_ROW, piece);
    }
    return true;
}

// Wide rows, each in pieces of its own.
static bool run_rows(TileRun *at)
{
    const TileProgram *program = at->program;
    int64_t columns = program->columns, rows = program->count / columns;
    // How far run_linear moves its cursors along a row.
    int64_t piece = tile_piece(program), last = (columns - 1) / piece * piece;
    for (int64_t row = 0; row < rows; row++) {
        if (!run_linear(at, columns) || !ctx_poll(at->run->ctx)) {
            return false;
        }
        advance(at, TILE_DENSE, columns - last);
        // The same row operand again, from its start.
        advance(at, TILE_ROW, -last);
        advance(at, TILE_COLUMN, 1);
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
static bool run_groups(TileRun *at)
{
    const TileProgram *program = at->program;
    int64_t columns = program->columns, left = program->count / columns;
    int64_t group = TILE_ELEMENTS / columns;
    const char *from[TILE_MAX_REGS];
    group = group < left ? group : left;
    // Rows are laid out once for a whole group, columns anew for each.
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        if (reg->kind == TILE_ROW || reg->kind == TILE_COLUMN) {
            // The operand's own elements; the cursor now points at its copy.
            from[i] = at->cursors[i];
            at->cursors[i] = scratch_of(at->run) + reg->offset;
        }
        if (reg->kind == TILE_ROW) {
            lay_row(at->cursors[i], from[i], (size_t)columns * reg->width,
                    group);
        }
    }
    // The last group may have fewer rows.
    for (; left > 0; left -= group) {
        group = group < left ? group : left;
        for (uint32_t i = 0; i < program->reg_count; i++) {
            const TileReg *reg = &program->regs[i];
            if (reg->kind == TILE_COLUMN) {
                lay_column(at->cursors[i], from[i], reg->width, group, columns);
                from[i] += group * reg->width;
            }
        }
        run_tile(at, group * columns);
        if (!ctx_poll(at->run->ctx)) {
            return false;
        }
        // Copies of rows and columns stay where they are.
        advance(at, TILE_DENSE, group * columns);
    }
    return true;
}

// Three ways to walk, by what broadcasts; the tiles are run alike. An empty
// result has columns 0.
bool step_tile(PlanRun *run, const Step *step)
{
    TileRun at; // cursors are set as far as there are registers
    at.run = run;
    at.program = step->program;
    at.failed = NULL;
    at.faults = 0;
    if (UNLIKELY(!make_outputs(run, at.program))) {
        return false;
    }
    set_cursors(&at);
    bool done = at.program->columns == 0 ? run_linear(&at, at.program->count)
                : tile_is_grouped(at.program) ? run_groups(&at)
                                              : run_rows(&at);
    return done && (at.failed == NULL ||
                    fail_tile(run, at.program, at.failed->first, at.faults));
}
