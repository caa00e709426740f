// Reads the state of a running loop out of the machine's registers.
//
// The hidden state of a loop is described in interp/machine/vm/vm_for.c. How
// long a range was at its start is not part of it: what has been done is
// counted from the range's first value, which is read from the program's text
// where it stands there, else from where the loop was first seen.
#include "repl/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "interp/machine/vm/vm_run.h"
#include "interp/objects/containers/obj_list.h"

// The frame of the entry, which is the outermost one at module level whose
// code is a person's: commands of lib/ stand outside of it.
static Frame *entry_frame(Vm *vm)
{
    for (Frame *f = vm->frames; vm->frame != NULL && f <= vm->frame; f++) {
        if (f->code->flags & CODE_MODULE && !f->code->source->library) {
            return f;
        }
    }
    return NULL;
}

// The word of the FORLOOP whose loop is the widest around `pc`; 0: none.
static uint32_t outermost_loop(const Code *code, uint32_t pc)
{
    uint32_t found = 0;
    for (uint32_t word = 0; word < code->word_count;) {
        Ins ins = code->words[word];
        Opcode op = (Opcode)INS_OP(ins);
        uint32_t next = code_next(code, word);
        int64_t body = (int64_t)next + INS_CI(ins);
        // The last one that fits is the widest: inner loops end before.
        if (op == OPCODE_FORLOOP && body <= (int64_t)pc && pc <= next) {
            found = word;
        }
        word = next;
    }
    return found;
}

// The first value of `range(a, …)` where the program's text has a literal.
// One argument alone means 0. False: it is not known.
static bool range_start(const Code *code, uint32_t word, int64_t *start)
{
    Span span = code_span(code, word + 1);
    const char *text = code->source->text;
    const char *open = strstr(text + span.start, "range(");
    const char *line_end = strchr(text + span.start, '\n');
    if (open == NULL || (line_end != NULL && open > line_end)) {
        return false;
    }
    const char *at = open + strlen("range(");
    size_t argument = strcspn(at, ",()\n");
    *start = 0;
    if (at[argument] == ')') {
        return true;
    }
    char *end;
    *start = strtoll(at, &end, 10);
    return at[argument] == ',' && end == at + argument;
}

// A range: (RANGE_MARK, next, left, step).
static void look_at_range(const Code *code, uint32_t word, const Value *state,
                          Rounds *rounds)
{
    int64_t start, next = value_small(state[1]), left = value_small(state[2]);
    int64_t step = value_small(state[3]);
    if (range_start(code, word, &start) && step != 0) {
        // The round that runs now has been taken out, and is not done yet.
        int64_t taken = (next - start) / step;
        rounds->done = taken > 0 ? taken - 1 : 0;
        rounds->total = taken + left;
        return;
    }
    if (rounds->total < left) {
        rounds->total = left + 1;
    }
    rounds->done = rounds->total - left - 1;
}

// A list or tuple and the index of what comes next.
static void look_at_items(const Value *state, Rounds *rounds)
{
    int64_t index = value_small(state[1]);
    rounds->done = index > 0 ? index - 1 : 0;
    rounds->total = value_is_kind(state[0], KIND_LIST)
                        ? (int64_t)value_as_list(state[0])->count
                        : (int64_t)value_as_tuple(state[0])->count;
}

// Registers are only read. A loop by an iterator has no length to tell of.
void rounds_look(Vm *vm, Rounds *rounds, int64_t now)
{
    // The outermost loop of the script itself: its rounds are what a user
    // counts.
    Frame *f = entry_frame(vm);
    uint32_t pc = f == NULL ? 0 : (uint32_t)(f->pc - f->code->words);
    uint32_t word = f == NULL ? 0 : outermost_loop(f->code, pc);
    if (word == 0) {
        *rounds = ROUNDS_NONE;
        return;
    }
    bool known = rounds->code == f->code && rounds->word == word;
    if (!known) {
        *rounds = ROUNDS_NONE;
    }
    // The loop's registers: the source and how far it is.
    const Value *state = &f->registers[INS_A(f->code->words[word])];
    if (value_same(state[0], VALUE_RANGE_MARK) && value_is_int(state[1]) &&
        value_is_int(state[2]) && value_is_int(state[3])) {
        look_at_range(f->code, word, state, rounds);
    } else if ((value_is_kind(state[0], KIND_LIST) ||
                value_is_kind(state[0], KIND_TUPLE)) &&
               value_is_int(state[1])) {
        look_at_items(state, rounds);
    }
    if (!known) {
        // What was done before it was seen took from the work's beginning on,
        // which is not known here: the rate is that from now on.
        rounds->code = f->code;
        rounds->word = word;
        rounds->first = rounds->done;
        rounds->start = now;
    }
}
