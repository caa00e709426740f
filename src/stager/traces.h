// The traces of a staged function, found by signature.
//
// The table holds one count on each Concrete. Look-up is one hash of the key;
// only when that misses, and the table has general traces (unknown sizes or
// rank), are those of the same relaxed key tried. It is bounded: adding one
// more than `limit` drops the least recently found that does not run. Each of
// these costs the same for one trace as for a million.
#ifndef DUET_STAGER_TRACES_H
#define DUET_STAGER_TRACES_H

#include "stager/guard.h"

// Part of its staged function. The maps and `last` borrow; the vector alone
// holds counts.
typedef struct TraceTable {
    Map by_key;     // Concrete * by the exact key
    Map by_relaxed; // the newest Concrete * of each relaxed key;
                    // others hang at its next_general
    VEC(Concrete *)
    traces;        // counted, in order of tracing; NULL where one was
                   // taken out (traces_next leaves those out)
    size_t count;  // of traces
    Guards guards; // calls that they cover
    Concrete *newest, *oldest;    // found last and longest ago, borrowed
    StrBuf last_key;              // of the last call that was found
    Concrete *last;               // its trace, borrowed; NULL: none
    EventLog past;                // effects of traces that are gone
    struct DroppedTrace *dropped; // what max_traces dropped lately; NULL:
                                  // nothing
    size_t limit;                 // most traces that are kept, at least 1
    bool relax;                   // every trace is in by_relaxed
} TraceTable;

// `relax`: exact traces are listed by their relaxed key too (traces_relax).
void traces_init(Vm *vm, TraceTable *table, size_t limit, bool relax);
// Releases the table's counts; traces that others hold live on.
void traces_free(Vm *vm, TraceTable *table);
// The trace for the signature, borrowed, NULL: there is none (or, with an
// error pending, no memory).
Concrete *traces_find(Vm *vm, TraceTable *table, const Signature *signature);
// Adds a new trace of this signature; retains it.
MUST_CHECK bool traces_add(Vm *vm, TraceTable *table, Concrete *concrete,
                           const Signature *signature);
// The first trace at or behind place *at in order of tracing, borrowed, and
// moves *at behind it; NULL: there are no more.
Concrete *traces_next(const TraceTable *table, size_t *at);
// The number of the trace of this key that max_traces has dropped; 0: none is
// known.
size_t traces_dropped(const TraceTable *table, const StrBuf *key);
// A trace that is in a table was found again, by whatever way.
void traces_use(Concrete *concrete);
// Takes a trace out. The table's count on it goes.
void traces_remove(Vm *vm, TraceTable *table, Concrete *concrete);
// Where relax= asks for it: generalises a signature that missed so that it
// covers what the table has of its relaxed key. True and unchanged where
// there is nothing of that key.
MUST_CHECK bool traces_relax(Vm *vm, TraceTable *table, Signature *signature);

#endif
