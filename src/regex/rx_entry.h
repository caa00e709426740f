// The stack of things to try again, and steps over characters: shared by the
// matcher's files.
#ifndef DUET_REGEX_RX_ENTRY_H
#define DUET_REGEX_RX_ENTRY_H

#include <string.h>

#include "regex/rx_program.h"

// RegexEntry.kind, and what its fields hold.
typedef enum RxEntryKind {
    RX_ENTRY_JUMP, // go on at instruction a, at p
    RX_ENTRY_MARK, // put back: marks[a] = p, last_group = q
    RX_ENTRY_LOOP, // put back: loop a has count p, last q
    RX_ENTRY_RUN,  // the greedy run at a took up to p; no less than up to q
    RX_ENTRY_LAZY, // the lazy run at a took up to p; it may take q more
    RX_ENTRY_TURN, // the lazy loop at a may take another turn, at p
    RX_ENTRY_LOOK, // a lookaround began at p; if its inside fails, so does it
    RX_ENTRY_NOT   // … a negated one: go on at a, at p
} RxEntryKind;

// Makes room for one more; false: broken.
MUST_CHECK bool rx_entry_grow(RegexRun *run);
// Looks for Ctrl-C; false: it came, or the run is broken already. For whoever
// goes on for thousands of steps without a failure.
MUST_CHECK bool rx_entry_poll(RegexRun *run);
// The newest entry that leads somewhere: puts back what must be, and sets
// where to go on. False: there is none, or the run is broken.
MUST_CHECK bool rx_entry_retry(RegexRun *run, const RxIns **ins,
                               const char **p);
// Takes all entries above `height` off, but keeps what they put back.
void rx_entry_cut(RegexRun *run, size_t height);
// Takes all entries above `height` off and puts back what they say.
void rx_entry_undo(RegexRun *run, size_t height);

// Something to come back to. False: memory is short, which is pending.
static inline bool rx_entry_push(RegexRun *run, RxEntryKind kind, uint32_t a,
                                 const char *p, const char *q)
{
    if (UNLIKELY(run->entry_count == run->entry_capacity) &&
        !rx_entry_grow(run)) {
        return false;
    }
    run->entries[run->entry_count++] =
        (RegexEntry){.kind = kind, .a = a, .p = p, .q = q};
    return true;
}
// With nothing to fall back to, nothing need be put back.
static inline bool rx_entry_push_loop(RegexRun *run, uint32_t number)
{
    const RxLoop *loop = &run->loops[number];
    return run->entry_count == 0 ||
           rx_entry_push(run, RX_ENTRY_LOOP, number,
                         (const char *)(uintptr_t)loop->count, loop->last);
}

// The next byte is among these (0: any will do, the end too).
static inline bool rx_may_follow(const RegexRun *run, uint16_t first,
                                 const char *p)
{
    return first == 0 ||
           (p < run->end && rx_set_bit(run->regex->firsts.items[first - 1].bits,
                                       (unsigned char)*p));
}

// The next character; in narrow texts the next byte.
static inline const char *rx_next(const RegexRun *run, const char *p)
{
    p++;
    while (!run->narrow && p < run->end && ((unsigned char)*p & 0xC0) == 0x80) {
        p++;
    }
    return p;
}

// One character at `p` that the run is of: behind it, or NULL.
const char *rx_run_one(const RegexRun *run, const RxIns *ins, const char *p);
// As many as there are, at most `most`: behind the last.
const char *rx_run_all(const RegexRun *run, const RxIns *ins, const char *p,
                       uint32_t most);

#endif
