// Falling back: what a run tries when the way it is on has failed. See
// rx_entry.h.
#include "regex/rx_entry.h"

// Failures between two looks at the interrupt flag: some tens of microseconds.
enum { FUEL = 1 << 12 };

// The first entries stand in the RegexRun itself.
bool rx_entry_grow(RegexRun *run)
{
    size_t old = run->entry_capacity, larger = 2 * old;
    RegexEntry *entries =
        run->broken ? NULL : ctx_alloc(run->ctx, larger * sizeof *entries);
    if (entries == NULL) {
        run->broken = true;
        return false;
    }
    // Entries are plain data; nothing points at them.
    memcpy(entries, run->entries, old * sizeof *entries);
    if (run->entries != run->inline_entries) {
        ctx_free(run->ctx, run->entries, old * sizeof *entries);
    }
    run->entries = entries;
    run->entry_capacity = larger;
    return true;
}

// Entries that lead somewhere have nothing to put back.
static void put_back(RegexRun *run, const RegexEntry *entry)
{
    if (entry->kind == RX_ENTRY_MARK) {
        run->marks[entry->a] = entry->p;
        run->last_group = (uint32_t)(uintptr_t)entry->q;
    } else if (entry->kind == RX_ENTRY_LOOP) {
        run->loops[entry->a].count = (uintptr_t)entry->p;
        run->loops[entry->a].last = entry->q;
    }
}

// What is cut cannot be tried again, but if all fails later, the marks must
// be as they were before.
void rx_entry_cut(RegexRun *run, size_t height)
{
    size_t kept = height;
    for (size_t i = height; i < run->entry_count; i++) {
        // Loops inside of what is cut begin anew when they are entered.
        if (run->entries[i].kind == RX_ENTRY_MARK) {
            run->entries[kept++] = run->entries[i];
        }
    }
    run->entry_count = kept;
}

// For lookarounds that must leave no trace.
void rx_entry_undo(RegexRun *run, size_t height)
{
    while (run->entry_count > height) {
        put_back(run, &run->entries[--run->entry_count]);
    }
}

// A pattern that tries for hours is ended by Ctrl-C here.
bool rx_entry_poll(RegexRun *run)
{
    run->fuel = FUEL;
    run->broken = run->broken || !ctx_poll(run->ctx);
    return !run->broken;
}

// A run of millions of characters is gone through in one call.
static inline bool poll_run(RegexRun *run, uint32_t *tried)
{
    return LIKELY((++*tried & 0xFFFF) != 0) || rx_entry_poll(run);
}

// Gives characters back until the rest of the pattern may begin.
static bool retry_run(RegexRun *run, RegexEntry *entry, const RxIns *ins,
                      const char **p)
{
    const char *at = entry->p;
    uint32_t tried = 0;
    while (at > entry->q && poll_run(run, &tried)) {
        at = rx_char_before(at, run->narrow);
        if (rx_may_follow(run, ins->first, at)) {
            // The last place is tried without keeping the entry.
            entry->p = at;
            run->entry_count -= at == entry->q;
            *p = at;
            return true;
        }
    }
    // Long runs that fail at each place use up the fuel by their length.
    run->fuel -= tried < run->fuel ? tried : run->fuel;
    run->entry_count--;
    return false;
}

// Takes characters until the rest of the pattern may begin.
static bool retry_lazy(RegexRun *run, RegexEntry *entry, const RxIns *ins,
                       const char **p)
{
    uintptr_t left = (uintptr_t)entry->q;
    const char *at = entry->p;
    uint32_t tried = 0;
    while (left > 0 && poll_run(run, &tried) &&
           (at = rx_run_one(run, ins, at)) != NULL) {
        // A run without limit never counts down.
        left -= left != UINTPTR_MAX;
        if (rx_may_follow(run, ins->first, at)) {
            entry->p = *p = at;
            entry->q = (const char *)left;
            return true;
        }
    }
    run->entry_count--;
    return false;
}

// The loop's state is what it was when the entry was made.
static bool retry_turn(RegexRun *run, const RxIns **ins, const char *p)
{
    RxLoop *loop = &run->loops[(*ins)->a];
    // The entry makes room for the one that puts the count back.
    run->entry_count--;
    if (!rx_entry_push_loop(run, (*ins)->a)) {
        return false;
    }
    loop->count++;
    loop->last = p;
    *ins = run->regex->code.items + (*ins)->b;
    return true;
}

// Each entry is looked at from the top down; those that are used up go.
bool rx_entry_retry(RegexRun *run, const RxIns **ins, const char **p)
{
    // One counter serves both: a broken run is seen at the next failure.
    if (UNLIKELY(run->broken || run->fuel-- == 0) && !rx_entry_poll(run)) {
        return false;
    }
    // The newest entry first: depth before breadth.
    const RxIns *code = run->regex->code.items;
    while (run->entry_count > 0 && !run->broken) {
        RegexEntry *entry = &run->entries[run->entry_count - 1];
        *ins = code + entry->a;
        switch ((RxEntryKind)entry->kind) {
        case RX_ENTRY_JUMP:
        case RX_ENTRY_NOT:
            *p = entry->p;
            run->entry_count--;
            return true;
        case RX_ENTRY_RUN:
            if (retry_run(run, entry, *ins, p)) {
                ++*ins;
                return true;
            }
            break;
        case RX_ENTRY_LAZY:
            if (retry_lazy(run, entry, *ins, p)) {
                ++*ins;
                return true;
            }
            break;
        case RX_ENTRY_TURN:
            *p = entry->p;
            return retry_turn(run, ins, entry->p);
        default:
            // Not a place to go on at, but something to undo on the way.
            put_back(run, entry);
            run->entry_count--;
        }
    }
    return false;
}
