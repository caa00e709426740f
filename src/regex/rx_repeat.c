// Runs: the same kind of character again and again, the matcher's hot loops.
#include "regex/rx_entry.h"

// The long way, for lazy runs and for counted ones in texts that are not ASCII.
// Behind one character of the run, or NULL: there is none here.
const char *rx_run_one(const RegexRun *run, const RxIns *ins, const char *p)
{
    if (p >= run->end) {
        return NULL;
    }
    unsigned char byte = (unsigned char)*p;
    uint32_t c;
    bool found = true;
    switch ((RxRunKind)ins->x) {
    case RX_RUN_BYTE: found = byte == ins->a; break;
    case RX_RUN_SET:
        // Only texts that are not ASCII come here.
        if (byte >= 0x80) {
            size_t size = rx_char_wide(p, &c);
            return rx_set_has_wide(&run->regex->sets.items[ins->a], c)
                       ? p + size
                       : NULL;
        }
        found = rx_set_bit(run->regex->sets.items[ins->a].bits, byte);
        break;
    case RX_RUN_BYTE_SET:
        found = rx_set_bit(run->regex->sets.items[ins->a].bits, byte);
        break;
    case RX_RUN_ANY: found = byte != '\n'; break;
    case RX_RUN_ALL: break;
    }
    return found ? rx_next(run, p) : NULL;
}

// One byte a character, all of them.
// Where the run ends: at `end`, or in front of the first byte that is not of
// the set.
static const char *set_run(const uint64_t *bits, const char *p, const char *end)
{
    while (p < end && rx_set_bit(bits, (unsigned char)*p)) {
        p++;
    }
    return p;
}

// Where characters may have several bytes.
// As set_run. The text is valid, so a character never runs beyond the end.
static const char *wide_set_run(const RegexRun *run, const RxSet *set,
                                const char *p)
{
    // ASCII between other letters is still answered by a bit.
    while (p < run->end) {
        unsigned char byte = (unsigned char)*p;
        uint32_t c;
        if (byte < 0x80) {
            if (!rx_set_bit(set->bits, byte)) {
                return p;
            }
            p++;
        } else {
            size_t size = rx_char_wide(p, &c);
            if (!rx_set_has_wide(set, c)) {
                return p;
            }
            p += size;
        }
    }
    return p;
}

// `end` is already as far as the run may go.
// Also for the kinds that can tell each byte by itself in any text: a line end,
// everything, one ASCII byte.
static const char *narrow_run(const RegexRun *run, const RxIns *ins,
                              const char *p, const char *end)
{
    const char *stop;
    switch ((RxRunKind)ins->x) {
    case RX_RUN_BYTE:
        while (p < end && (unsigned char)*p == ins->a) {
            p++;
        }
        return p;
    case RX_RUN_ANY:
        stop = memchr(p, '\n', (size_t)(end - p));
        return stop == NULL ? end : stop;
    case RX_RUN_ALL: return end;
    default: return set_run(run->regex->sets.items[ins->a].bits, p, end);
    }
}

// Without a limit no characters need be counted, only walked over.
// The greedy run: as far as it goes, at most `most` characters. The matcher
// then gives back from there.
const char *rx_run_all(const RegexRun *run, const RxIns *ins, const char *p,
                       uint32_t most)
{
    const char *end = run->end;
    if (run->narrow) {
        // Bytes are characters, so the limit is a place.
        end = (size_t)(end - p) > most && most != RX_MANY ? p + most : end;
        return narrow_run(run, ins, p, end);
    }
    if (most == RX_MANY) {
        // All but sets look at bytes that begin a character, or at none.
        return ins->x == RX_RUN_SET
                   ? wide_set_run(run, &run->regex->sets.items[ins->a], p)
                   : narrow_run(run, ins, p, end);
    }
    for (; most > 0; most--) {
        const char *next = rx_run_one(run, ins, p);
        if (next == NULL) {
            break;
        }
        p = next;
    }
    return p;
}
