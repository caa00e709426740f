// The matcher: one loop over the instructions; each either takes what it
// wants at `p` and goes on, or fails, and then rx_entry_retry says where to go
// on instead.
#include "regex/rx_entry.h"

#define STEP static inline __attribute__((always_inline))

// --- places ---

// The character at a place inside the text.
static bool is_word_at(const RegexRun *run, const char *p, bool unicode)
{
    uint32_t c;
    (void)rx_char_at(p, run->narrow, &c);
    return rx_char_is(c, RX_CLASS_WORD, unicode);
}

// An empty text has neither a boundary nor an inside, in Python too.
static bool at_boundary(const RegexRun *run, const char *p, bool unicode,
                        bool wanted)
{
    // The answer is so, though an empty text is inside of nothing.
    if (run->begin == run->end) {
        return false;
    }
    bool before = p > run->begin &&
                  is_word_at(run, rx_char_before(p, run->narrow), unicode);
    bool after = p < run->end && is_word_at(run, p, unicode);
    return (before != after) == wanted;
}

// None of them takes a character; all look at most one to each side.
static bool at_place(const RegexRun *run, const RxIns *ins, const char *p)
{
    bool lines = ins->first != 0;
    switch ((RxPlace)ins->x) {
    case RX_PLACE_START: return p == run->begin;
    case RX_PLACE_LINE_START:
        return p == run->begin || (lines && p[-1] == '\n');
    case RX_PLACE_END: return p == run->end;
    case RX_PLACE_LINE_END:
        return p == run->end || (*p == '\n' && (lines || p + 1 == run->end));
    case RX_PLACE_BOUNDARY:
    case RX_PLACE_INSIDE: break;
    }
    return at_boundary(run, p, ins->a != 0, ins->x == RX_PLACE_BOUNDARY);
}

// --- single characters ---

// ASCII is answered by the bits, all else by the ranges.
STEP bool step_set(const RegexRun *run, const RxIns *ins, const char **p)
{
    const RxSet *set = &run->regex->sets.items[ins->a];
    if (*p >= run->end) {
        return false;
    }
    // The first byte tells whether it is the only one.
    unsigned char byte = (unsigned char)**p;
    if (LIKELY(byte < 0x80)) {
        ++*p;
        return rx_set_bit(set->bits, byte);
    }
    uint32_t c;
    *p += rx_char_wide(*p, &c);
    return rx_set_has_wide(set, c);
}

// Every byte is a character, answered by the bits.
STEP bool step_byte_set(const RegexRun *run, const RxIns *ins, const char **p)
{
    return *p < run->end && rx_set_bit(run->regex->sets.items[ins->a].bits,
                                       (unsigned char)*(*p)++);
}

// A newline is the only character that `.` refuses.
STEP bool step_any(const RegexRun *run, const char **p, bool all)
{
    if (*p >= run->end || (!all && **p == '\n')) {
        return false;
    }
    *p = rx_next(run, *p);
    return true;
}

// UTF-8 compares as bytes.
STEP bool step_string(const RegexRun *run, const RxIns *ins, const char **p)
{
    if ((size_t)(run->end - *p) < ins->b ||
        memcmp(*p, run->regex->literals.items + ins->a, ins->b) != 0) {
        return false;
    }
    *p += ins->b;
    return true;
}

// --- runs ---

// `count` characters behind `p`; NULL: there are fewer before `end`.
static const char *skip(const RegexRun *run, const char *p, uint32_t count,
                        const char *end)
{
    if (run->narrow) {
        return (size_t)(end - p) < count ? NULL : p + count;
    }
    for (; count > 0; count--) {
        if (p >= end) {
            return NULL;
        }
        p = rx_next(run, p);
    }
    return p;
}

// Takes all, and leaves an entry from which characters are given back.
static bool step_run(RegexRun *run, const RxIns *ins, const char **p)
{
    // All that there are first; giving back comes when the rest fails.
    const char *end = rx_run_all(run, ins, *p, ins->c);
    const char *least = skip(run, *p, ins->b, end);
    if (least == NULL) {
        return false;
    }
    *p = end;
    // Nothing to give back: no entry is needed.
    if (least == end) {
        return true;
    }
    // Failing here makes the run give back at once what cannot lead on.
    return rx_entry_push(run, RX_ENTRY_RUN,
                         (uint32_t)(ins - run->regex->code.items), end,
                         least) &&
           rx_may_follow(run, ins->first, end);
}

// Takes the least, and leaves an entry from which more are taken.
static bool step_run_lazy(RegexRun *run, const RxIns *ins, const char **p)
{
    // What must be taken is taken at once.
    const char *end = *p;
    if (ins->b > 0) {
        end = rx_run_all(run, ins, *p, ins->b);
        if (skip(run, *p, ins->b, end) == NULL) {
            return false;
        }
    }
    *p = end;
    // UINTPTR_MAX stands for "without limit".
    // A number in the place of a pointer: the entry has no other field to
    // spare.
    uintptr_t left = ins->c == RX_MANY ? UINTPTR_MAX : ins->c - ins->b;
    return (left == 0 || rx_entry_push(run, RX_ENTRY_LAZY,
                                       (uint32_t)(ins - run->regex->code.items),
                                       end, (const char *)left)) &&
           rx_may_follow(run, ins->first, end);
}

// What follows cannot begin with anything that was taken: no entry is needed.
STEP bool step_run_keep(RegexRun *run, const RxIns *ins, const char **p)
{
    const char *end = rx_run_all(run, ins, *p, ins->c);
    // The two usual least counts need no walk.
    bool enough = ins->b == 0 || (ins->b == 1 && end > *p) ||
                  skip(run, *p, ins->b, end) != NULL;
    // Long runs use up the fuel by their length: each place may begin one.
    size_t cost = (size_t)(end - *p) >> 6;
    run->fuel -= cost < run->fuel ? (uint32_t)cost : run->fuel;
    *p = end;
    return enough;
}

// --- groups and loops ---

// With nothing to fall back to, the old mark is not needed any more.
STEP bool step_mark(RegexRun *run, const RxIns *ins, const char *p)
{
    if (run->entry_count > 0 &&
        !rx_entry_push(run, RX_ENTRY_MARK, ins->a, run->marks[ins->a],
                       (const char *)(uintptr_t)run->last_group)) {
        return false;
    }
    run->marks[ins->a] = p;
    run->last_group = ins->b != 0 ? ins->b : run->last_group;
    return true;
}

// The count of an outer turn's loop is put back if this way fails.
static bool step_loop(RegexRun *run, const RxIns *ins)
{
    RxLoop *loop = &run->loops[ins->a];
    if (!rx_entry_push_loop(run, ins->a)) {
        return false;
    }
    loop->count = 0;
    // No turn has begun anywhere yet.
    loop->last = NULL;
    return true;
}

// Another turn (true) or on? An optional turn that begins where the last one
// began would go on for ever. `*go` is where.
static bool step_turn(RegexRun *run, const RxIns **go, const char *p, bool lazy)
{
    const RxIns *ins = *go, *code = run->regex->code.items;
    RxLoop *loop = &run->loops[ins->a];
    const RxLoopDef *def = &run->regex->loops.items[ins->a];
    // Below the least count a turn may be empty; it is bounded by the count.
    bool must = loop->count < def->min;
    if (!must &&
        ((loop->count >= def->max && def->max != RX_MANY) || p == loop->last)) {
        *go = ins + 1;
        return true;
    }
    uint32_t pc = (uint32_t)(ins - code);
    // On first; another turn only if that fails.
    if (lazy && !must) {
        *go = ins + 1;
        return rx_entry_push(run, RX_ENTRY_TURN, pc, p, NULL);
    }
    if ((!must && !rx_entry_push(run, RX_ENTRY_JUMP, pc + 1, p, NULL)) ||
        !rx_entry_push_loop(run, ins->a)) {
        return false;
    }
    // A turn that must be does not count as progress, so that the first
    // optional one may begin at the same place.
    loop->count++;
    loop->last = must ? loop->last : p;
    *go = code + ins->b;
    return true;
}

// --- lookaround ---

// The inside begins c characters before `p`; where the text has fewer, it
// cannot match.
static bool step_look(RegexRun *run, const RxIns **go, const char **p)
{
    const RxIns *ins = *go;
    const char *from = *p;
    for (uint32_t i = 0; i < ins->c; i++) {
        if (from <= run->begin) {
            *go = run->regex->code.items + ins->a;
            return ins->x;
        }
        from = rx_char_before(from, run->narrow);
    }
    // What the inside leaves behind stands above this height.
    run->loops[ins->b].height = run->entry_count;
    *go = ins + 1;
    bool ok = rx_entry_push(run, ins->x ? RX_ENTRY_NOT : RX_ENTRY_LOOK, ins->a,
                            *p, NULL);
    *p = from;
    return ok;
}

// The inside has matched. The entry that the lookaround began with knows where
// it stood.
static bool step_look_end(RegexRun *run, const RxIns *ins, const char **p)
{
    // A negated one fails because its inside has matched.
    size_t height = run->loops[ins->b].height;
    if (ins->x) {
        rx_entry_undo(run, height);
        return false;
    }
    *p = run->entries[height].p;
    rx_entry_cut(run, height);
    return true;
}

// --- references ---

// A group that is being matched again may have its end before its start.
static bool took_part(const RegexRun *run, uint32_t group)
{
    const char *from = run->marks[2 * group], *to = run->marks[2 * group + 1];
    return from != NULL && to != NULL && from <= to;
}

// Character by character without regard to case: the two may differ in bytes.
static bool step_back(const RegexRun *run, const RxIns *ins, const char **p)
{
    if (!took_part(run, ins->a)) {
        return false;
    }
    const char *from = run->marks[2 * ins->a], *at = *p;
    const char *to = run->marks[2 * ins->a + 1];
    // Equal bytes are equal characters.
    if (ins->x == RX_FOLD_NONE) {
        size_t size = (size_t)(to - from);
        *p = at + size;
        return size <= (size_t)(run->end - at) && memcmp(at, from, size) == 0;
    }
    // Without regard to case, character by character: lengths in bytes may
    // differ.
    while (from < to) {
        uint32_t a, b;
        if (at >= run->end) {
            return false;
        }
        at += rx_char_at(at, run->narrow, &a);
        from += rx_char_at(from, run->narrow, &b);
        if (rx_char_lower(a, (RxFold)ins->x) !=
            rx_char_lower(b, (RxFold)ins->x)) {
            return false;
        }
    }
    *p = at;
    return true;
}

// --- the loop ---

// The end of the pattern; here the last conditions are put.
STEP bool step_match(const RegexRun *run, const char *p)
{
    return (!run->whole || p == run->end) && p != run->not_at;
}

// The next byte often excludes a way, which then costs no entry.
STEP bool step_way(RegexRun *run, const RxIns **go, const char *p)
{
    const RxIns *ins = *go;
    if (!rx_may_follow(run, ins->first, p)) {
        *go = run->regex->code.items + ins->a;
        return true;
    }
    *go = ins + 1;
    return rx_entry_push(run, RX_ENTRY_JUMP, ins->a, p, NULL);
}

// One instruction. `*go` is it, then the next one.
STEP bool step(RegexRun *run, const RxIns **go, const char **p)
{
    const RxIns *ins = (*go)++, *code = run->regex->code.items;
    switch ((RxOp)ins->op) {
    case RX_OP_MATCH: return step_match(run, *p);
    // One byte is compared in place: most literals begin so.
    case RX_OP_BYTE: return *p < run->end && (unsigned char)*(*p)++ == ins->a;
    case RX_OP_STRING: return step_string(run, ins, p);
    case RX_OP_SET: return step_set(run, ins, p);
    case RX_OP_BYTE_SET: return step_byte_set(run, ins, p);
    case RX_OP_ANY: return step_any(run, p, false);
    case RX_OP_ALL: return step_any(run, p, true);
    case RX_OP_RUN: return step_run(run, ins, p);
    case RX_OP_RUN_LAZY: return step_run_lazy(run, ins, p);
    case RX_OP_RUN_KEEP: return step_run_keep(run, ins, p);
    case RX_OP_JUMP: *go = code + ins->a; return true;
    case RX_OP_SPLIT:
        *go = code + ins->b;
        return rx_entry_push(run, RX_ENTRY_JUMP, ins->a, *p, NULL);
    case RX_OP_WAY: *go = ins; return step_way(run, go, *p);
    case RX_OP_MARK: return step_mark(run, ins, *p);
    case RX_OP_LOOP: *go = code + ins->b; return step_loop(run, ins);
    case RX_OP_TURN:
    case RX_OP_TURN_LAZY:
        *go = ins;
        return step_turn(run, go, *p, ins->op == RX_OP_TURN_LAZY);
    case RX_OP_LOOK: *go = ins; return step_look(run, go, p);
    case RX_OP_LOOK_END: return step_look_end(run, ins, p);
    // The height of the entries is noted; at the end all above it go: no way
    // back in.
    case RX_OP_ATOMIC:
        run->loops[ins->b].height = run->entry_count;
        return true;
    case RX_OP_ATOMIC_END:
        rx_entry_cut(run, run->loops[ins->b].height);
        return true;
    case RX_OP_BACK: return step_back(run, ins, p);
    case RX_OP_IF:
        *go = took_part(run, ins->a) ? ins + 1 : code + ins->b;
        return true;
    case RX_OP_PLACE: return at_place(run, ins, *p);
    }
    return false;
}

// At this place only.
static int match_at(RegexRun *run, const char *start)
{
    const RxIns *ins = run->regex->code.items;
    const char *p = start;
    // Marks of an attempt that failed are not all put back.
    if (run->mark_count > 2) {
        memset(run->marks, 0, run->mark_count * sizeof *run->marks);
    }
    run->last_group = 0;
    run->entry_count = 0;
    for (uint32_t steps = 1;; steps++) {
        // A loop may go forward for long without a failure.
        if (UNLIKELY((steps & 0xFFFF) == 0) && !rx_entry_poll(run)) {
            return -1;
        }
        // `ins` moves on before the instruction is known to succeed.
        const RxIns *now = ins;
        if (!step(run, &ins, &p)) {
            if (!rx_entry_retry(run, &ins, &p)) {
                return run->broken ? -1 : 0;
            }
        } else if (now->op == RX_OP_MATCH) {
            run->marks[0] = start;
            run->marks[1] = p;
            return 1;
        }
    }
}

// --- searching ---

// Small patterns need no memory of their own.
bool regex_run_init(RegexRun *run)
{
    const Regex *regex = run->regex;
    run->mark_count = 2 * ((size_t)regex->group_count + 1);
    // What is in the run itself needs no freeing.
    run->marks = run->inline_marks;
    run->loops = NULL;
    run->entries = run->inline_entries;
    run->entry_count = 0;
    run->entry_capacity = REGEX_INLINE_ENTRIES;
    run->fuel = 0;
    run->broken = false;
    if (run->mark_count > REGEX_INLINE_MARKS) {
        run->marks = ctx_alloc(run->ctx, run->mark_count * sizeof *run->marks);
        if (run->marks == NULL) {
            run->marks = run->inline_marks;
            return false;
        }
    }
    if (regex->loops.count > 0) {
        run->loops =
            ctx_alloc_zero(run->ctx, regex->loops.count * sizeof *run->loops);
        return run->loops != NULL;
    }
    return true;
}

void regex_run_free(RegexRun *run)
{
    if (run->marks != run->inline_marks) {
        ctx_free(run->ctx, run->marks, run->mark_count * sizeof *run->marks);
    }
    if (run->entries != run->inline_entries) {
        ctx_free(run->ctx, run->entries,
                 run->entry_capacity * sizeof *run->entries);
    }
    if (run->loops != NULL) {
        ctx_free(run->ctx, run->loops,
                 run->regex->loops.count * sizeof *run->loops);
    }
}

// No other place is tried.
int regex_match(RegexRun *run)
{
    return match_at(run, run->start);
}

// The next place from `p` on where a match can begin; NULL: none.
static const char *next_start(const RegexRun *run, const char *p)
{
    const Regex *regex = run->regex;
    const char *prefix = regex->literals.items + regex->prefix_at;
    size_t left = (size_t)(run->end - p);
    // The C library finds bytes and words faster than any loop here.
    if (regex->prefix_length == 1) {
        return left == 0 ? NULL : memchr(p, (unsigned char)*prefix, left);
    }
    if (regex->prefix_length > 1) {
        return memmem(p, left, prefix, regex->prefix_length);
    }
    if (regex->start.any) {
        return p;
    }
    while (p < run->end && !rx_set_bit(regex->start.bits, (unsigned char)*p)) {
        p++;
    }
    return p < run->end ? p : NULL;
}

// Tries each place where a match can begin, from the left.
int regex_search(RegexRun *run)
{
    const char *p = run->start;
    // No other place can match, so no other is tried.
    if (run->regex->at_start) {
        return p == run->begin ? match_at(run, p) : 0;
    }
    for (;;) {
        // Each place may fail, or match, at its first character.
        if (UNLIKELY(run->fuel-- == 0) && !rx_entry_poll(run)) {
            return -1;
        }
        // Places where no match can begin are passed over at once.
        p = next_start(run, p);
        if (p == NULL) {
            return 0;
        }
        int found = match_at(run, p);
        if (found != 0) {
            return found;
        }
        if (p >= run->end) {
            return 0;
        }
        p = rx_next(run, p);
    }
}
