// From tree to program.
//
// Each node is compiled with what stands behind it (RxCont), so that runs and
// ways know which bytes can follow (rx_first.c).
#include <utf8proc.h>

#include "base/utf8.h"
#include "regex/rx_program.h"

// Lives for one call of rx_compile; all that it makes belongs to the regex.
typedef struct RxCompiler {
    Ctx *ctx;
    Regex *regex;
    const RxGroupVec *groups;
    RegexFault *fault;
} RxCompiler;

static bool compile_seq(RxCompiler *c, const RxNode *node, const RxCont *up);

// --- emitting ---

// Appends; targets that are not known yet are filled in later.
// Every `bool` of this file: false with an error pending, or with a fault
// noted.
static bool emit(RxCompiler *c, RxIns ins)
{
    return vec_push(c->ctx, &c->regex->code, ins);
}

static uint32_t here(const RxCompiler *c)
{
    return (uint32_t)c->regex->code.count;
}

// Valid until the next emit, which may move the code.
static RxIns *at(const RxCompiler *c, uint32_t pc)
{
    return &c->regex->code.items[pc];
}

// The number of a loop's state in the run, also for lookarounds and atomic
// groups, which keep a height there.
// min and max are of use to counted loops alone.
static bool new_loop(RxCompiler *c, uint32_t min, uint32_t max,
                     uint32_t *number)
{
    *number = (uint32_t)c->regex->loops.count;
    return vec_push(c->ctx, &c->regex->loops,
                    ((RxLoopDef){.min = min, .max = max}));
}

// 1 + its number, 0 where it would be of no use.
// Of no use: where any byte can follow, or where nothing need follow. An
// instruction has 16 bits for the number, so beyond that the hint is dropped,
// never the match.
static bool keep_first(RxCompiler *c, const RxFirst *first, uint16_t *number)
{
    *number = 0;
    if (first->any || first->accepts ||
        c->regex->firsts.count >= UINT16_MAX - 1) {
        return true;
    }
    *number = (uint16_t)(c->regex->firsts.count + 1);
    return vec_push(c->ctx, &c->regex->firsts, *first);
}

// The regex owns the set from here on.
// A set that could not be added is freed here.
static bool add_set(RxCompiler *c, const RxNode *node, uint32_t *number)
{
    RxSet set;
    *number = (uint32_t)c->regex->sets.count;
    if (!rx_first_set(c->ctx, node, c->regex->is_text, &set) ||
        !vec_push(c->ctx, &c->regex->sets, set)) {
        rx_set_free(c->ctx, &set);
        return false;
    }
    return true;
}

// --- single characters ---

// The node stands for just the character that it names.
// Without regard to case a character stands for itself alone only if it has no
// other form at all.
static bool is_literal(const RxCompiler *c, const RxNode *node)
{
    if (node->kind != RX_NODE_CHAR) {
        return false;
    }
    RxFold fold = rx_set_mode(node->flags, c->regex->is_text).fold;
    uint32_t alike[2], lower = rx_char_lower(node->c, fold);
    // Letters are literal only if no other character is equal to them.
    switch (fold) {
    case RX_FOLD_NONE: return true;
    case RX_FOLD_ASCII: return (node->c | 0x20) < 'a' || (node->c | 0x20) > 'z';
    default:
        return lower == node->c && rx_char_alike(lower, alike) == 0 &&
               (uint32_t)utf8proc_toupper((utf8proc_int32_t)lower) == lower;
    }
}

// UTF-8 in a text, the byte itself in a bytes pattern.
// `out` has room for UTF8_MAX_BYTES.
static size_t literal_bytes(const RxCompiler *c, uint32_t code, char *out)
{
    if (c->regex->is_text) {
        return utf8_encode(code, out);
    }
    *out = (char)code;
    return 1;
}

// All literal characters from *node on, as one comparison; *node is then the
// last of them.
// A single byte has an instruction of its own; `b` is where it stands among the
// literals, for find_start.
static bool compile_literals(RxCompiler *c, const RxNode **node)
{
    Regex *regex = c->regex;
    size_t start = regex->literals.count;
    // Each character may take up to four bytes of UTF-8.
    for (const RxNode *n = *node; n != NULL && is_literal(c, n); n = n->next) {
        if (!vec_reserve(c->ctx, &regex->literals, UTF8_MAX_BYTES)) {
            return false;
        }
        regex->literals.count += literal_bytes(
            c, n->c, regex->literals.items + regex->literals.count);
        *node = n;
    }
    size_t length = regex->literals.count - start;
    if (length == 1) {
        return emit(c, (RxIns){.op = RX_OP_BYTE,
                               .a = (unsigned char)regex->literals.items[start],
                               .b = (uint32_t)start});
    }
    return emit(c, (RxIns){.op = RX_OP_STRING,
                           .a = (uint32_t)start,
                           .b = (uint32_t)length});
}

// Two instructions, since a byte from 0x80 on is a character in one kind of
// text and a part of one in the other.
static bool compile_set(RxCompiler *c, const RxNode *node)
{
    RxIns ins = {.op = c->regex->is_text ? RX_OP_SET : RX_OP_BYTE_SET};
    return add_set(c, node, &ins.a) && emit(c, ins);
}

// The flag is settled here, so that the matcher need not look at it.
static bool compile_any(RxCompiler *c, const RxNode *node)
{
    return emit(
        c, (RxIns){.op = node->flags & REGEX_DOTALL ? RX_OP_ALL : RX_OP_ANY});
}

// --- repetition ---

// What a run is of: its kind and operand.
// The kinds are told apart here once, so that each run is a tight loop in the
// matcher.
static bool run_operand(RxCompiler *c, const RxNode *node, RxIns *ins)
{
    char bytes[UTF8_MAX_BYTES];
    if (node->kind == RX_NODE_ANY) {
        ins->x = node->flags & REGEX_DOTALL ? RX_RUN_ALL : RX_RUN_ANY;
        return true;
    }
    // A character of several bytes is a set of one, since a run moves by
    // characters.
    if (is_literal(c, node) && literal_bytes(c, node->c, bytes) == 1) {
        ins->x = RX_RUN_BYTE;
        ins->a = (unsigned char)bytes[0];
        return true;
    }
    ins->x = c->regex->is_text ? RX_RUN_SET : RX_RUN_BYTE_SET;
    return add_set(c, node, &ins->a);
}

// A run gives nothing back if what follows can begin with none of its bytes,
// and also if nothing follows at all.
// Both sets speak of first bytes only, which is enough: the byte behind a run
// would have to be one of the run's own for giving back to help.
static bool gives_nothing_back(const RxFirst *own, const RxFirst *follows)
{
    uint64_t shared = 0;
    for (int i = 0; i < 4; i++) {
        shared |= own->bits[i] & follows->bits[i];
    }
    return !follows->any && shared == 0;
}

// One character several times: a loop inside of a single instruction.
// A run that keeps what it took needs no knowledge of what follows.
static bool compile_run(RxCompiler *c, const RxNode *node, const RxNode *single,
                        const RxCont *up)
{
    RxIns ins = {.op = RX_OP_RUN, .b = node->min, .c = node->max};
    RxFirst follows, own;
    // A copy, so that what follows in the tree is not looked at.
    RxNode alone = *single;
    alone.next = NULL;
    if (!rx_first_of(c->ctx, node->next, up, c->regex->is_text, &follows) ||
        !rx_first_of(c->ctx, &alone, NULL, c->regex->is_text, &own) ||
        !run_operand(c, single, &ins)) {
        return false;
    }
    // Lazy runs take from the front: giving back does not arise.
    if (node->greed == RX_LAZY) {
        ins.op = RX_OP_RUN_LAZY;
    } else if (node->greed == RX_POSSESSIVE ||
               gives_nothing_back(&own, &follows)) {
        ins.op = RX_OP_RUN_KEEP;
    }
    return (ins.op == RX_OP_RUN_KEEP || keep_first(c, &follows, &ins.first)) &&
           emit(c, ins);
}

// An instruction that chooses between the body, right behind it, and `a`, to
// be set later.
// A lazy choice has both targets in one instruction, a greedy one falls into
// the body.
static bool emit_choice(RxCompiler *c, const RxNode *node, bool lazy,
                        const RxCont *inside)
{
    RxIns ins = {.op = RX_OP_WAY};
    RxFirst first;
    // The choice is the same instruction with its two targets changed.
    if (lazy) {
        // Go where `b` says, the end; the body is the other way.
        return emit(c, (RxIns){.op = RX_OP_SPLIT, .a = here(c) + 1});
    }
    return rx_first_of(c->ctx, node->body.first, inside, c->regex->is_text,
                       &first) &&
           keep_first(c, &first, &ins.first) && emit(c, ins);
}

// The choice at `pc` gets its other target.
static void set_choice(RxCompiler *c, uint32_t pc, uint32_t target)
{
    RxIns *ins = at(c, pc);
    *(ins->op == RX_OP_SPLIT ? &ins->b : &ins->a) = target;
}

// x? needs no counting, and neither do x* and x+ if each x takes something.
// Only for bodies that take something, or are run once: the loop has no guard
// against empty turns.
static bool compile_simple(RxCompiler *c, const RxNode *node,
                           const RxCont *inside)
{
    bool lazy = node->greed == RX_LAZY, again = node->max != 1;
    // x+ enters behind the choice: the first turn is no choice.
    uint32_t jump = here(c);
    if (node->min == 1 && !emit(c, (RxIns){.op = RX_OP_JUMP})) {
        return false;
    }
    uint32_t choice = here(c);
    if (!emit_choice(c, node, lazy, inside)) {
        return false;
    }
    if (node->min == 1) {
        at(c, jump)->a = here(c);
    }
    if (!compile_seq(c, node->body.first, inside) ||
        (again && !emit(c, (RxIns){.op = RX_OP_JUMP, .a = choice}))) {
        return false;
    }
    set_choice(c, choice, here(c));
    return true;
}

// Turns that are counted, and that end where one takes nothing. A possessive
// repetition keeps each turn as it was.
// The state of the loop (turns made, place of the last) is saved and restored
// by the matcher when it goes back.
static bool compile_loop(RxCompiler *c, const RxNode *node,
                         const RxCont *inside)
{
    // Each turn of a possessive loop is an atomic group of its own.
    bool keeps = node->greed == RX_POSSESSIVE;
    uint32_t number, inner = 0, enter = here(c);
    if (!new_loop(c, node->min, node->max, &number) ||
        (keeps && !new_loop(c, 0, 0, &inner)) ||
        !emit(c, (RxIns){.op = RX_OP_LOOP, .a = number})) {
        return false;
    }
    uint32_t body = here(c);
    if ((keeps && !emit(c, (RxIns){.op = RX_OP_ATOMIC, .b = inner})) ||
        !compile_seq(c, node->body.first, keeps ? NULL : inside) ||
        (keeps && !emit(c, (RxIns){.op = RX_OP_ATOMIC_END, .b = inner}))) {
        return false;
    }
    // The loop is entered at its end, where turns are counted.
    at(c, enter)->b = here(c);
    return emit(
        c, (RxIns){.op = node->greed == RX_LAZY ? RX_OP_TURN_LAZY : RX_OP_TURN,
                   .a = number,
                   .b = body});
}

// A possessive repetition keeps its turns, and then itself as a whole.
// The outer group forgets the turns as a whole once the loop is done.
static bool compile_atomic_loop(RxCompiler *c, const RxNode *node,
                                const RxCont *inside)
{
    uint32_t number;
    return new_loop(c, 0, 0, &number) &&
           emit(c, (RxIns){.op = RX_OP_ATOMIC, .b = number}) &&
           compile_loop(c, node, inside) &&
           emit(c, (RxIns){.op = RX_OP_ATOMIC_END, .b = number});
}

// x{0}: no instruction, but what is wrong inside is still wrong.
// Compiled and thrown away, so that a lookbehind of no fixed width is found in
// there too.
static bool compile_never(RxCompiler *c, const RxNode *node)
{
    uint32_t before = here(c);
    bool ok = compile_seq(c, node->body.first, NULL);
    c->regex->code.count = before;
    return ok;
}

// The cheapest form that will do: a run, a choice, or a counted loop.
static bool compile_repeat(RxCompiler *c, const RxNode *node, const RxCont *up)
{
    const RxNode *single = rx_tree_single(&node->body);
    // Behind the body comes the loop once more, or what follows it.
    RxCont inside = {.rest = node->next, .loop = node, .up = up};
    if (node->max == 0) {
        return compile_never(c, node);
    }
    // The common case: \w+, .*, [a-z]{2,3}.
    if (single != NULL) {
        return compile_run(c, node, single, up);
    }
    if (node->greed == RX_POSSESSIVE) {
        return compile_atomic_loop(c, node, &inside);
    }
    // A body that always takes something cannot go round for ever.
    bool takes = rx_tree_width(&node->body, c->groups).low > 0;
    if ((node->min == 0 && node->max == 1) ||
        (node->min <= 1 && node->max == RX_MANY && takes)) {
        return compile_simple(c, node, &inside);
    }
    return compile_loop(c, node, &inside);
}

// --- groups ---

// A group that captures nothing costs nothing.
// Mark 2k is the start of group k, mark 2k + 1 its end; the end also notes the
// group as the last one closed.
static bool compile_group(RxCompiler *c, const RxNode *node, const RxCont *up)
{
    RxCont rest = {.rest = node->next, .up = up};
    if (node->group == 0) {
        return compile_seq(c, node->body.first, &rest);
    }
    return emit(c, (RxIns){.op = RX_OP_MARK, .a = 2 * node->group}) &&
           compile_seq(c, node->body.first, &rest) &&
           emit(c, (RxIns){.op = RX_OP_MARK,
                           .a = 2 * node->group + 1,
                           .b = node->group});
}

// Jumps at the end of each way are chained through their targets until the
// end of all is known.
static bool compile_branch(RxCompiler *c, const RxNode *node, const RxCont *up)
{
    RxCont rest = {.rest = node->next, .up = up};
    uint32_t chain = UINT32_MAX;
    for (size_t i = 0; i < node->count; i++) {
        const RxNode *first = node->ways[i].first;
        bool last = i + 1 == node->count;
        uint32_t choice = here(c);
        // The last way needs no choice: nothing is left to fall back to.
        if (!last) {
            RxIns ins = {.op = RX_OP_WAY};
            RxFirst bytes;
            if (!rx_first_of(c->ctx, first, &rest, c->regex->is_text, &bytes) ||
                !keep_first(c, &bytes, &ins.first) || !emit(c, ins)) {
                return false;
            }
        }
        if (!compile_seq(c, first, &rest)) {
            return false;
        }
        if (!last) {
            // Behind a way a jump to the end of the branch, which is not known
            // yet.
            uint32_t previous = chain;
            chain = here(c);
            if (!emit(c, (RxIns){.op = RX_OP_JUMP, .a = previous})) {
                return false;
            }
            at(c, choice)->a = here(c);
        }
    }
    // The jumps are linked through their targets.
    while (chain != UINT32_MAX) {
        uint32_t previous = at(c, chain)->a;
        at(c, chain)->a = here(c);
        chain = previous;
    }
    return true;
}

// A lookbehind steps back by its width, which must be one number.
// Inside, nothing is known of what follows: the assertion ends at its own end.
static bool compile_look(RxCompiler *c, const RxNode *node)
{
    RxIns ins = {.op = RX_OP_LOOK, .x = node->negated};
    uint32_t look = here(c);
    // Python asks for one width even where a range would do.
    if (node->behind) {
        RxWidth width = rx_tree_width(&node->body, c->groups);
        if (width.low != width.high) {
            c->fault->kind = REGEX_FAULT_PATTERN;
            c->fault->position = SIZE_MAX;
            strbuf_puts(&c->fault->text,
                        "look-behind requires fixed-width pattern");
            return false;
        }
        // In characters.
        ins.c = (uint32_t)width.low;
    }
    if (!new_loop(c, 0, 0, &ins.b) || !emit(c, ins) ||
        !compile_seq(c, node->body.first, NULL) ||
        !emit(c,
              (RxIns){.op = RX_OP_LOOK_END, .x = node->negated, .b = ins.b})) {
        return false;
    }
    at(c, look)->a = here(c);
    return true;
}

// What follows is unknown inside: the first way through is kept.
static bool compile_atomic(RxCompiler *c, const RxNode *node)
{
    uint32_t number;
    return new_loop(c, 0, 0, &number) &&
           emit(c, (RxIns){.op = RX_OP_ATOMIC, .b = number}) &&
           compile_seq(c, node->body.first, NULL) &&
           emit(c, (RxIns){.op = RX_OP_ATOMIC_END, .b = number});
}

// Both ways go on behind it; the second may be empty.
// The test is whether the group has taken part so far.
static bool compile_if(RxCompiler *c, const RxNode *node, const RxCont *up)
{
    RxCont rest = {.rest = node->next, .up = up};
    uint32_t choice = here(c);
    if (!emit(c, (RxIns){.op = RX_OP_IF, .a = node->group}) ||
        !compile_seq(c, node->body.first, &rest)) {
        return false;
    }
    uint32_t jump = here(c);
    if (!emit(c, (RxIns){.op = RX_OP_JUMP})) {
        return false;
    }
    at(c, choice)->b = here(c);
    if (!compile_seq(c, node->other.first, &rest)) {
        return false;
    }
    at(c, jump)->a = here(c);
    return true;
}

// What a place means depends on flags, which are settled here.
// `first` says whether ^ and $ mean lines, `a` whether words are Unicode's.
static bool compile_place(RxCompiler *c, const RxNode *node)
{
    RxSetMode mode = rx_set_mode(node->flags, c->regex->is_text);
    return emit(c, (RxIns){.op = RX_OP_PLACE,
                           .x = node->place,
                           .first = (node->flags & REGEX_MULTILINE) != 0,
                           .a = mode.unicode});
}

// Case counts as it does where the reference stands, not where the group does.
// What the group holds is compared, not compiled: its text is known in the run
// only.
static bool compile_back(RxCompiler *c, const RxNode *node)
{
    RxSetMode mode = rx_set_mode(node->flags, c->regex->is_text);
    return emit(
        c,
        (RxIns){.op = RX_OP_BACK, .x = (uint8_t)mode.fold, .a = node->group});
}

// --- all ---

// Literal neighbours are taken together: *place moves on to the last of them.
// The loop over the sequence then steps behind the last that was taken.
static bool compile_node(RxCompiler *c, const RxNode **place, const RxCont *up)
{
    const RxNode *node = *place;
    // `up` goes to those alone whose bodies ask what follows them.
    switch (node->kind) {
    case RX_NODE_CHAR:
        return is_literal(c, node) ? compile_literals(c, place)
                                   : compile_set(c, node);
    case RX_NODE_SET: return compile_set(c, node);
    case RX_NODE_ANY: return compile_any(c, node);
    case RX_NODE_AT: return compile_place(c, node);
    case RX_NODE_BRANCH: return compile_branch(c, node, up);
    case RX_NODE_GROUP: return compile_group(c, node, up);
    case RX_NODE_REPEAT: return compile_repeat(c, node, up);
    case RX_NODE_LOOK: return compile_look(c, node);
    case RX_NODE_ATOMIC: return compile_atomic(c, node);
    case RX_NODE_BACK: return compile_back(c, node);
    case RX_NODE_IF: return compile_if(c, node, up);
    }
    return false;
}

// The sequence from `node` on, with `up` behind it.
// The depth is that of the pattern's nesting; alternatives and items of a
// sequence do not add to it.
static bool compile_seq(RxCompiler *c, const RxNode *node, const RxCont *up)
{
    if (!ctx_poll(c->ctx)) {
        return false;
    }
    if (!ctx_enter(c->ctx)) {
        c->fault->kind = REGEX_FAULT_DEEP;
        return false;
    }
    bool ok = true;
    for (; ok && node != NULL; node = node->next) {
        ok = compile_node(c, &node, up);
    }
    ctx_leave(c->ctx);
    return ok;
}

// What every match begins with: a literal, or one of some bytes.
// A search then looks for these before it runs the program at all.
static bool find_start(RxCompiler *c, const RxSeq *seq)
{
    Regex *regex = c->regex;
    uint32_t pc = 0;
    // Groups may open before the first character.
    while (regex->code.items[pc].op == RX_OP_MARK) {
        pc++;
    }
    const RxIns *ins = &regex->code.items[pc];
    if (ins->op == RX_OP_STRING) {
        regex->prefix_at = ins->a;
        regex->prefix_length = ins->b;
    } else if (ins->op == RX_OP_BYTE) {
        regex->prefix_at = ins->b;
        regex->prefix_length = 1;
    }
    regex->at_start = ins->op == RX_OP_PLACE &&
                      (ins->x == RX_PLACE_START ||
                       (ins->x == RX_PLACE_LINE_START && !ins->first));
    bool ok =
        rx_first_of(c->ctx, seq->first, NULL, regex->is_text, &regex->start);
    regex->start.any |= regex->start.accepts;
    return ok;
}

// The program ends in the one instruction that can accept.
// False: the regex is half made and the caller frees it.
bool rx_compile(Ctx *ctx, Regex *regex, const RxSeq *seq,
                const RxGroupVec *groups, RegexFault *fault)
{
    RxCompiler c = {
        .ctx = ctx, .regex = regex, .groups = groups, .fault = fault};
    return compile_seq(&c, seq->first, NULL) &&
           emit(&c, (RxIns){.op = RX_OP_MATCH}) && find_start(&c, seq);
}
