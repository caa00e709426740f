// A plan as text: one line a step, with the slots that it reads, writes and
// clears. DUET_DUMP=plan shows it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/branches.h"
#include "backend/tile.h"
#include "graph/graph_text.h"

// " $1, $2": nothing where the list is empty.
static void print_slots(StrBuf *out, const char *before, const uint32_t *slots,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(out, "%s$%u", i == 0 ? before : ", ", slots[i]);
    }
}

// A program's ops over registers, then what each register is bound to.
// Registers are numbered as the program has them, so that a line can be found
// again in a debugger.
static void print_tile(StrBuf *out, const TileProgram *program, uint32_t indent)
{
    // By TileKind; temporaries are not listed.
    static const char *const kinds[] = {"",          " (one)",  " (row)",
                                        " (column)", " (runs)", " (points)"};
    strbuf_printf(out, "tile of %lld:", (long long)program->count);
    for (uint32_t i = 0; i < program->op_count; i++) {
        const TileOp *op = &program->ops[i];
        strbuf_putc(out, '\n');
        strbuf_pad(out, ' ', indent + 2);
        strbuf_printf(out, "r%u = %s", op->result, op_desc(op->node->op)->name);
        for (uint32_t k = 0; k < op->arg_count; k++) {
            strbuf_printf(out, "%sr%u", k == 0 ? " " : ", ", op->args[k]);
        }
    }
    for (uint32_t i = 0; i < program->end_count; i++) {
        const TileEnd *end = &program->ends[i];
        strbuf_putc(out, '\n');
        strbuf_pad(out, ' ', indent + 2);
        strbuf_printf(out, "%s r%u -> $%u", node_desc(end->node)->name,
                      end->reg, end->slot);
    }
    for (uint32_t i = 0; i < program->reg_count; i++) {
        // Registers that are read from slots or written to them.
        const TileReg *reg = &program->regs[i];
        // Outputs are dense as operands are: only the list tells them apart.
        bool is_output = false;
        for (uint32_t k = 0; k < program->output_count; k++) {
            is_output = is_output || program->outputs[k].reg == i;
        }
        if (reg->kind != TILE_KIND_TEMP) {
            strbuf_putc(out, '\n');
            strbuf_pad(out, ' ', indent + 2);
            strbuf_printf(out, "r%u %s $%u%s%s", i, is_output ? "->" : "<-",
                          reg->slot, kinds[reg->kind],
                          reg->inner != 0 ? " (inside)" : "");
            if (reg->by != 0) {
                strbuf_printf(out, " from $%u on", reg->by - 1);
            }
        }
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        // Where the result goes into the memory of an operand that dies here.
        if (program->outputs[i].reuse != TILE_NO_REG) {
            strbuf_putc(out, '\n');
            strbuf_pad(out, ' ', indent + 2);
            strbuf_printf(out, "r%u in place of r%u", program->outputs[i].reg,
                          program->outputs[i].reuse);
        }
    }
}

// By the operands that are (ops/product.h).
static const char *const turned[] = {"", " (left turned)", " (right turned)",
                                     " (both turned)"};

// Its chains, one below the other.
static void print_nest(StrBuf *out, const TileNest *nest, uint32_t indent)
{
    strbuf_printf(out, "nest of %lld rows:", (long long)nest->rows);
    const TileProduct *product = nest->product;
    if (product != NULL) {
        strbuf_putc(out, '\n');
        strbuf_pad(out, ' ', indent + 2);
        strbuf_printf(out, "matmul $%u, $%u%s -> $%u%s", product->left,
                      product->right, turned[product->turned], product->to,
                      product->inside ? " (inside)" : "");
    }
    for (uint32_t s = 0; s < nest->stage_count; s++) {
        strbuf_putc(out, '\n');
        strbuf_pad(out, ' ', indent + 2);
        print_tile(out, nest->stages[s], indent + 2);
    }
}

static bool counts(const Step *step)
{
    return step->run == step_call && op_is_loop(node_desc(step->node)) &&
           step->count != NULL;
}

// A step a line; a step's blocks stand below it, indented.
static void print_steps(StrBuf *out, const StepBlock *block, uint32_t indent)
{
    for (uint32_t i = 0; i < block->step_count; i++) {
        const Step *step = &block->steps[i];
        strbuf_pad(out, ' ', indent);
        // The function tells what the step's union holds.
        if (step->run == step_tile || step->run == step_tile_single) {
            print_tile(out, step->program, indent);
        } else if (step->run == step_nest) {
            print_nest(out, step->nest, indent);
        } else if (step->run == step_branches) {
            strbuf_printf(out, "side by side: %u steps", branches_count(step));
        } else if (step->run == step_scalar) {
            strbuf_printf(out,
                          "loop over scalars: %u instructions, %u "
                          "registers",
                          step->scalar->code_count, step->scalar->reg_count);
            print_slots(out, " -> ", step->outputs, step->output_count);
        } else {
            strbuf_puts(out, op_desc(step->node->op)->name);
            print_slots(out, " ", step->inputs, step->input_count);
            if (step->run == step_product) {
                strbuf_puts(out, turned[step->product->turned]);
            }
            bool over = step->run == step_over || step->run == step_join;
            strbuf_puts(out, over ? " (in place)" : "");
            print_slots(out, " -> ", step->outputs, step->output_count);
            if (counts(step)) {
                strbuf_printf(out, "  counts $%u to $%u", step->count->index,
                              step->count->end);
            }
        }
        // Two blanks set apart what happens after the step.
        print_slots(out, "  clear ", step->dead, step->dead_count);
        strbuf_putc(out, '\n');
        for (int b = 0; b < OP_MAX_BLOCKS; b++) {
            // The condition of a loop that counts is empty.
            if (step->blocks[b] != NULL && (b > 0 || !counts(step))) {
                strbuf_pad(out, ' ', indent + 2);
                strbuf_printf(out, "block %d\n", b);
                print_steps(out, step->blocks[b], indent + 4);
            }
        }
    }
    strbuf_pad(out, ' ', indent);
    // A block's results, then what dies with it.
    strbuf_puts(out, "end");
    print_slots(out, " ", block->results, block->result_count);
    print_slots(out, "  clear ", block->dead, block->dead_count);
    strbuf_putc(out, '\n');
}

// Nesting is bounded by what building the plan allowed.
void plan_print(StrBuf *out, const Plan *plan)
{
    strbuf_printf(out, "plan %s: %zu steps, %u slots\n", plan->graph->name,
                  plan->step_count, plan->slot_count);
    print_steps(out, plan->block, 2);
}

// Whether a list such as "ast,graph" has the word.
static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (list != NULL && *list != '\0') {
        // Whole words: "plan" is not found in "planner".
        size_t item = strcspn(list, ",");
        if (item == length && memcmp(list, word, length) == 0) {
            return true;
        }
        list += item + (list[item] == ',');
    }
    return false;
}

// Called at the end of each plan_build. A failure to print is no failure of
// the plan.
void plan_dump(Ctx *ctx, const Plan *plan)
{
    const char *what = getenv("DUET_DUMP");
    StrBuf text;
    if (what == NULL) {
        return;
    }
    strbuf_init(&text, ctx);
    if (list_has(what, "graph")) {
        graph_print(&text, plan->graph, false);
    }
    if (list_has(what, "plan")) {
        plan_print(&text, plan);
    }
    if (strbuf_ok(&text)) {
        fputs(strbuf_text(&text), stderr);
    } else {
        // Out of memory for the text: the error must not outlive the dump.
        ctx_clear(ctx);
    }
    strbuf_free(&text);
}
