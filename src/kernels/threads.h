// Work on several processors: one pool of threads a process.
//
// A job is a number of units of equal cost and a function that does a range of
// them. Each thread, the caller among them, has a share of the ranges, chunks,
// and takes from others' when its own is done, so nobody waits for a thread
// that has not begun; the caller alone polls, between its chunks. What a unit
// gives may not depend on the chunk that it is in: then the number of threads
// changes no bit.
//
// DUET_THREADS says how many threads there are; else as many as this process
// may use processors, by its affinity and its control groups (quota.h).
#ifndef DUET_KERNELS_THREADS_H
#define DUET_KERNELS_THREADS_H

#include "base/ctx.h"

typedef struct Job {
    // Units [begin, end) by thread number `thread`: 0 is the caller, others
    // are below threads_most(). It neither raises nor polls nor allocates.
    void (*run)(void *data, int64_t begin, int64_t end, int thread);
    void *data;
    int64_t units;
    double cost; // of a unit, in nanoseconds, roughly
} Job;

// All units are done, by as many threads as pay: a short job, one inside of
// another and one beside another's stay with the caller. False: interrupted,
// ERR_INTERRUPT is pending and some units were left out; never without `ctx`,
// for what may not be left half done.
MUST_CHECK bool threads_run(Ctx *ctx, const Job *job);
// How many threads a job may meet, for what each needs of its own.
int threads_most(void);

// How sharing jobs has paid lately, in nanoseconds: on a machine whose
// processors are busy it may take longer than working alone.
typedef struct ThreadsAccount {
    double credit; // gained, and not lost again
    double rest;   // of work that the caller does alone
} ThreadsAccount;
// A job would have taken `alone` and `took` so long.
void threads_settle(ThreadsAccount *account, double alone, double took);

#endif
