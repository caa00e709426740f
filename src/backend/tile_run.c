// Running a tile program.
//
// A program's elements are units of work for threads: tiles, rows, or groups
// of narrow rows. Each thread has its own cursors and its own scratch.
#include "backend/tile_run.h"

#include <string.h>

#include "kernels/pool.h"
#include "kernels/threads.h"

enum {
    TILE_NO_OP = INT32_MAX // nothing has failed
};

// What a thread has in hand.
typedef struct TileHand {
    TileRun *at;
    char *scratch;
    int64_t row;                  // the next one
    int64_t part;                 // of a row that is reduced
    char *results[TILE_MAX_ENDS]; // the first row's
    char *cursors[TILE_MAX_REGS]; // where a register's next elements are
} TileHand;

// Whether the output may be written where the operand is: nobody else holds it
// but the Variable whose next value this is.
static bool may_take(const PlanRun *run, TileOutput output,
                     const Tensor *operand)
{
    if (LIKELY(output.variable == 0) || operand->head.rc != 2) {
        return tensor_reusable(operand);
    }
    const VariableCell *cell = step_cell(run, output.variable - 1);
    return cell != NULL && cell->value == operand &&
           (operand->buffer == NULL || operand->buffer->refs == 1);
}

// Memory for what leaves the program: of an operand that dies here and that
// nobody else holds, or new.
static inline bool make_output(PlanRun *run, const TileProgram *program,
                               TileOutput output)
{
    const TileReg *reg = &program->regs[output.reg];
    if (reg->inner != 0) {
        return true;
    }
    if (output.reuse != TILE_NO_REG) {
        uint32_t from = program->regs[output.reuse].slot;
        Tensor *tensor = run->slots[from];
        // The operand's slot is emptied, and clearing it later does nothing.
        if (may_take(run, output, tensor)) {
            run->slots[from] = NULL;
            run->slots[reg->slot] = tensor;
            return true;
        }
    }
    run->slots[reg->slot] =
        UNLIKELY(output.part != NULL)
            ? plan_join_part(run, output.part, program->rank, program->dims)
            : tensor_new_counted(run->ctx, reg->dtype, program->rank,
                                 program->dims, program->count);
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
    for (uint32_t i = 0; i < program->end_count; i++) {
        const TileEnd *end = &program->ends[i];
        if (end->inner != 0) {
            continue;
        }
        TensorType type = graph_type(run->plan->graph, end->node->first_output);
        run->slots[end->slot] =
            tensor_new(run->ctx, type.dtype, type.rank, type.dims);
        if (UNLIKELY(run->slots[end->slot] == NULL)) {
            return false;
        }
    }
    return true;
}

// The step's node is only the first of the program.
static bool fail_tile(PlanRun *run, const TileProgram *program, int op)
{
    return step_fail_part(run, program->ops[op].node);
}

// Where an operand begins.
static inline char *operand_start(const PlanRun *run, const TileReg *reg,
                                  const Tensor *tensor)
{
    size_t start = reg->start;
    if (reg->by != 0) {
        start += (size_t)tensor_int_at(run->slots[reg->by - 1], 0) * reg->apart;
    }
    return (char *)tensor->data + start;
}

// One kernel where nothing broadcasts along rows or columns, and few elements.
// Operands that an output has taken over are found there.
static inline bool run_single(PlanRun *run, const TileProgram *program)
{
    const TileKernel *kernel = program->kernels;
    char *data[LOOP_MAX_OPERANDS];
    uint32_t count = kernel->loop.operand_count;
    for (uint32_t k = 0; k < count; k++) {
        const TileReg *reg = &program->regs[kernel->regs[k]];
        const Tensor *tensor = run->slots[reg->slot];
        data[k] = tensor != NULL ? operand_start(run, reg, tensor) : NULL;
    }
    if (UNLIKELY(!make_outputs(run, program))) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (kernel->loop.operands[k].writes) {
            data[k] = run->slots[program->regs[kernel->regs[k]].slot]->data;
        }
    }
    uint32_t faults = kernel_run(&kernel->loop, data, program->count);
    return LIKELY(faults == 0) ||
           fail_tile(run, program, __builtin_ctz(faults));
}

// Operands first: an output may have taken the tensor of one.
static void set_starts(TileRun *at)
{
    const TileProgram *program = at->program;
    Tensor **slots = at->run->slots;
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        const Tensor *tensor =
            reg->kind == TILE_KIND_TEMP ? NULL : slots[reg->slot];
        at->starts[i] =
            tensor != NULL ? operand_start(at->run, reg, tensor) : NULL;
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        TileOutput output = program->outputs[i];
        if (output.reuse != TILE_NO_REG &&
            slots[program->regs[output.reuse].slot] == NULL) {
            // The operand's slot is empty by now, but its elements are still
            // there and are read ahead of being overwritten.
            at->starts[output.reuse] = at->starts[output.reg];
        }
    }
}

// ---- tiles

// Elements in error do not end the run: one further on may be so by an earlier
// op, which is the one to be told.
static void note_faults(TileRun *at, const TileKernel *kernel, uint32_t faults)
{
    int op = (int)kernel->first + __builtin_ctz(faults);
    int first = atomic_load_explicit(&at->failed, memory_order_relaxed);
    while (op < first &&
           !atomic_compare_exchange_weak(&at->failed, &first, op)) {
    }
}

// All kernels on one tile: what they hand on to each other stays in the
// nearest cache.
static void run_tile(TileHand *hand, int64_t count)
{
    for (const TileKernel *kernel = hand->at->program->kernels; kernel != NULL;
         kernel = kernel->next) {
        char *data[LOOP_MAX_OPERANDS];
        for (uint32_t k = 0; k < kernel->loop.operand_count; k++) {
            data[k] = hand->cursors[kernel->regs[k]];
        }
        uint32_t faults = kernel_run(&kernel->loop, data, count);
        if (UNLIKELY(faults != 0)) {
            note_faults(hand->at, kernel, faults);
        }
    }
}

// Moves the registers of one kind on by so many of their elements.
static void advance(TileHand *hand, TileKind kind, int64_t count)
{
    const TileProgram *program = hand->at->program;
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        hand->cursors[i] += reg->kind == kind ? count * reg->width : 0;
    }
}

// Whether the last kernel leaves results where others leave lanes.
static bool folds(const TileProgram *program, int64_t columns)
{
    return program->ended != NULL && kernel_folds(program->ended, columns);
}

// What a tile adds to each reduction: `rows` results, from number `first` on.
static void end_tile(TileHand *hand, char *const *to, int64_t first,
                     int64_t rows, int64_t columns)
{
    const TileProgram *program = hand->at->program;
    bool folded = folds(program, columns);
    for (uint32_t i = 0; i < program->end_count; i++) {
        const TileEnd *end = &program->ends[i];
        char *out = to[i] + (size_t)first * end->width;
        if (end->fold_lanes != NULL && folded) {
            memcpy(out, hand->cursors[end->lanes], end->width);
        } else if (end->fold_lanes != NULL) {
            end->fold_lanes(out, hand->cursors[end->lanes]);
        } else {
            end->reduce(out, hand->cursors[end->reg], rows, columns);
        }
    }
}

// Before a tile that is reduced.
static void start_lanes(TileHand *hand, int64_t columns)
{
    const TileProgram *program = hand->at->program;
    for (uint32_t i = 0; !folds(program, columns) && i < program->end_count;
         i++) {
        const TileEnd *end = &program->ends[i];
        if (end->fold_lanes != NULL) {
            end->start(hand->cursors[end->lanes]);
        }
    }
}

// One piece after another; operands are dense or of one element, or a row's.
// `parts`: where each piece's share in the reductions goes.
static void run_linear(TileHand *hand, char *const *parts, int64_t left)
{
    int64_t piece = tile_piece(hand->at->program);
    for (;;) {
        int64_t count = left < piece ? left : piece;
        start_lanes(hand, count);
        run_tile(hand, count);
        if (parts != NULL) {
            end_tile(hand, parts, hand->part++, 1, count);
        }
        // Before the cursors move: they end on the last piece, where run_rows
        // takes them up.
        left -= piece;
        if (left <= 0) {
            return;
        }
        advance(hand, TILE_KIND_DENSE, piece);
        advance(hand, TILE_KIND_ROW, piece);
        advance(hand, TILE_KIND_RUNS, piece);
    }
}

// Where scattered operands have the next row.
static void find_scattered(TileHand *hand)
{
    const TileProgram *program = hand->at->program;
    for (uint32_t i = 0; program->scattered && i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        if (tile_is_scattered(reg)) {
            hand->cursors[i] =
                hand->at->starts[i] +
                tile_row_start(reg->rows, hand->row) * reg->width;
        }
    }
}

// How far the cursors move behind a row, along which run_linear has moved them
// by `last` elements. A row operand is read again from its start.
static void find_steps(const TileProgram *program, int64_t last, int64_t *steps)
{
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        int64_t elements = reg->kind == TILE_KIND_DENSE
                               ? program->columns - last
                           : reg->kind == TILE_KIND_ROW    ? -last
                           : reg->kind == TILE_KIND_COLUMN ? 1
                                                           : 0;
        steps[i] = elements * reg->width;
    }
}

// Wide rows, each in pieces of its own, whose shares in a reduction are then
// folded; that of a single piece is the result.
static void run_rows(TileHand *hand, int64_t rows)
{
    const TileProgram *program = hand->at->program;
    int64_t columns = program->columns, steps[TILE_MAX_REGS];
    int64_t piece = tile_piece(program), last = (columns - 1) / piece * piece;
    char *parts[TILE_MAX_ENDS];
    uint32_t end_count = program->end_count;
    find_steps(program, last, steps);
    for (int64_t row = 0; row < rows; row++, hand->row++) {
        find_scattered(hand);
        for (uint32_t i = 0; i < end_count; i++) {
            const TileEnd *end = &program->ends[i];
            parts[i] = last > 0 ? hand->scratch + end->offset
                                : hand->results[i] + (size_t)row * end->width;
        }
        hand->part = 0;
        run_linear(hand, end_count > 0 ? parts : NULL, columns);
        for (uint32_t i = 0; last > 0 && i < end_count; i++) {
            const TileEnd *end = &program->ends[i];
            end->fold(hand->results[i] + (size_t)row * end->width, parts[i],
                      hand->part);
        }
        for (uint32_t i = 0; i < program->reg_count; i++) {
            hand->cursors[i] += steps[i];
        }
    }
}

// Narrow rows, several a tile. Row operands are laid out once, column
// operands for each tile.
static void run_groups(TileHand *hand, int64_t rows)
{
    const TileProgram *program = hand->at->program;
    int64_t columns = program->columns, group = tile_group(program);
    const char *from[TILE_MAX_REGS];
    group = group < rows ? group : rows;
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        if (reg->kind == TILE_KIND_ROW || reg->kind == TILE_KIND_COLUMN ||
            tile_is_scattered(reg)) {
            // The operand's own elements; the cursor now points at its copy.
            from[i] = hand->cursors[i];
            hand->cursors[i] = hand->scratch + reg->offset;
        }
        if (reg->kind == TILE_KIND_ROW) {
            tile_lay(reg, hand->cursors[i], from[i], 0, group, columns);
        }
    }
    // The last group may have fewer rows.
    for (int64_t row = 0; row < rows; row += group) {
        group = group < rows - row ? group : rows - row;
        for (uint32_t i = 0; i < program->reg_count; i++) {
            const TileReg *reg = &program->regs[i];
            if (reg->kind == TILE_KIND_COLUMN || tile_is_scattered(reg)) {
                tile_lay(reg, hand->cursors[i], from[i], hand->row, group,
                         columns);
            }
            if (reg->kind == TILE_KIND_COLUMN) {
                from[i] += group * reg->width;
            }
        }
        hand->row += group;
        run_tile(hand, group * columns);
        end_tile(hand, hand->results, row, group, columns);
        // Copies of rows and columns stay where they are.
        advance(hand, TILE_KIND_DENSE, group * columns);
    }
}

// ---- units

// A thread's hand on a program from an element and its row on; `room` is the
// nest's.
static void take_up(TileHand *hand, TileRun *at, char *scratch,
                    const NestRoom *room, int64_t element, int64_t row)
{
    const TileProgram *program = at->program;
    hand->at = at;
    hand->scratch = scratch;
    hand->row = row;
    for (uint32_t i = 0; i < program->reg_count; i++) {
        const TileReg *reg = &program->regs[i];
        if (reg->inner == TILE_INNER_PRODUCT) {
            hand->cursors[i] =
                room->product + (element - room->element) * reg->width;
        } else if (reg->inner != 0) {
            hand->cursors[i] = room->inner + reg->inner - 1;
        } else if (reg->kind == TILE_KIND_TEMP) {
            hand->cursors[i] = scratch + reg->offset;
        } else {
            int64_t ahead = reg->kind == TILE_KIND_DENSE    ? element
                            : reg->kind == TILE_KIND_COLUMN ? row
                                                            : 0;
            hand->cursors[i] = at->starts[i] + ahead * reg->width;
        }
    }
    for (uint32_t i = 0; i < program->end_count; i++) {
        const TileEnd *end = &program->ends[i];
        hand->results[i] = end->inner != 0 ? room->inner + end->inner - 1
                                           : at->results[i] + row * end->width;
    }
}

// Means, once their sums are known.
static void divide(const TileEnd *end, DType dtype, char *data, int64_t count)
{
    for (int64_t k = 0; end->divisor != 0 && k < count; k++) {
        if (dtype == DT_FLOAT32) {
            ((float *)(void *)data)[k] /= (float)end->divisor;
        } else {
            ((double *)(void *)data)[k] /= end->divisor;
        }
    }
}

// Whole rows of what is in hand.
static void run_some(TileHand *hand, int64_t rows)
{
    const TileProgram *program = hand->at->program;
    (program->grouped ? run_groups : run_rows)(hand, rows);
    for (uint32_t i = 0; i < program->end_count; i++) {
        const TileEnd *end = &program->ends[i];
        divide(end, end->dtype, hand->results[i], rows);
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Three ways to walk, by what broadcasts; the tiles are run alike.
static void run_units(void *data, int64_t begin, int64_t end, int thread)
{
    TileRun *at = data;
    const TileProgram *program = at->program;
    TileHand hand; // cursors are set as far as there are registers
    char *scratch = at->scratch + (size_t)thread * program->scratch_size;
    int64_t unit = tile_unit(program), columns = program->columns;
    int64_t first = begin * unit, count = least(end * unit, program->count);
    take_up(&hand, at, scratch, NULL, first, columns > 0 ? first / columns : 0);
    if (columns == 0) {
        hand.part = begin;
        run_linear(&hand, program->end_count > 0 ? at->results : NULL,
                   count - first);
        return;
    }
    run_some(&hand, (count - first) / columns);
}

// The one row's result, of those of its tiles.
static void fold_tiles(TileRun *at, int64_t tiles)
{
    const TileProgram *program = at->program;
    for (uint32_t i = 0; program->columns == 0 && i < program->end_count; i++) {
        const TileEnd *end = &program->ends[i];
        char *to = at->run->slots[end->slot]->data;
        end->fold(to, at->results[i], tiles);
        divide(end, end->dtype, to, 1);
    }
}

void tile_set_results(TileRun *at, char *room, int64_t tiles)
{
    for (uint32_t i = 0; i < at->program->end_count; i++) {
        const Tensor *out = at->run->slots[at->program->ends[i].slot];
        at->results[i] = at->program->columns == 0
                             ? room + (size_t)(i * tiles) * 8
                         : out != NULL ? out->data
                                       : NULL;
    }
}

// Room for the tiles' results, then scratch for each thread, from an address
// that suits a vector on.
static bool run_shared(TileRun *at, int64_t units)
{
    const TileProgram *program = at->program;
    Ctx *ctx = at->run->ctx;
    int64_t tiles = program->columns == 0 ? units : 0;
    size_t room = (size_t)(program->end_count * tiles) * sizeof(int64_t);
    room = (room + 63) & ~(size_t)63;
    size_t bytes = room + program->scratch_size * (size_t)threads_most() + 64;
    char *taken = pool_take(ctx, ctx->kernels->pool, &bytes);
    if (taken == NULL) {
        return false;
    }
    at->scratch = taken + room;
    tile_set_results(at, taken, tiles);
    Job job = {run_units, at, units,
               program->cost * (double)tile_unit(program) + 1};
    bool ok = threads_run(program->updates ? NULL : ctx, &job);
    if (ok) {
        fold_tiles(at, tiles);
    }
    pool_give(ctx->kernels->pool, taken, bytes);
    return ok;
}

// A few elements: the frame's scratch serves, and there is nobody to ask.
static void run_alone(TileRun *at, int64_t units)
{
    int64_t few[TILE_MAX_ENDS * (TILE_ALONE / TILE_BLOCK)];
    int64_t tiles = at->program->columns == 0 ? units : 0;
    at->scratch =
        at->run->frame->scratch != NULL ? plan_scratch(at->run) : (char *)few;
    tile_set_results(at, (char *)few, tiles);
    run_units(at, 0, units, 0);
    fold_tiles(at, tiles);
}

bool tile_begin(TileRun *at, PlanRun *run, const TileProgram *program)
{
    at->run = run;
    at->program = program;
    atomic_init(&at->failed, TILE_NO_OP);
    if (UNLIKELY(!make_outputs(run, program))) {
        return false;
    }
    set_starts(at);
    return true;
}

bool tile_finish(TileRun *at)
{
    int failed = atomic_load_explicit(&at->failed, memory_order_relaxed);
    return LIKELY(failed == TILE_NO_OP) ||
           fail_tile(at->run, at->program, failed);
}

static bool run_program(PlanRun *run, const TileProgram *program)
{
    TileRun at; // starts are set as far as there are registers
    if (!tile_begin(&at, run, program)) {
        return false;
    }
    int64_t unit = tile_unit(program);
    int64_t units = (program->count + unit - 1) / unit;
    if (program->count > TILE_ALONE) {
        if (!run_shared(&at, units)) {
            return false;
        }
    } else if (units > 0) {
        run_alone(&at, units);
    }
    return tile_finish(&at);
}

bool step_tile_single(PlanRun *run, const Step *step)
{
    const TileProgram *program = step->program;
    return program->count <= TILE_ALONE ? run_single(run, program)
                                        : run_program(run, program);
}

bool step_tile(PlanRun *run, const Step *step)
{
    return run_program(run, step->program);
}

// A program in a nest that has one element for each row has no columns.
void tile_run_rows(TileRun *at, char *scratch, const NestRoom *room,
                   int64_t row, int64_t rows)
{
    TileHand hand;
    int64_t columns = at->program->columns;
    take_up(&hand, at, scratch, room, row * (columns > 0 ? columns : 1), row);
    if (columns > 0) {
        run_some(&hand, rows);
    } else {
        run_linear(&hand, NULL, rows);
    }
}
