// The pool of threads. Invariant: shares hold chunks of a job only between its
// publication by the thread that holds `busy` and the end of all chunks taken,
// so that `job` is constant while anybody may read it.
#include "kernels/threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernels/quota.h"

enum {
    MOST_THREADS = 64,
    SPINS = 2000,       // looks for work before a thread sleeps, some 50 us
    CHUNKS_A_THREAD = 4 // so that one that is held up leaves work to others
};
// Nanoseconds: a job below these does not pay, threads being awake or asleep;
// the least of a chunk; and the most that the caller works without a poll.
static const double pays_awake = 5e3, pays_asleep = 30e3;
static const double least_chunk = 2e3, most_chunk = 1e6;
// Of the time that is lost by sharing a job with threads that do not get their
// processors, so many times is worked alone before it is tried again, but no
// longer than for so many nanoseconds; and what may be lost of earlier gains.
static const double rest_for_loss = 40, longest_rest = 5e8, most_credit = 5e5;

// A thread's share of a job, in a line of the cache of its own.
typedef struct Share {
    _Alignas(64) _Atomic uint64_t next; // the job's number, chunks not taken
} Share;

// The one pool of this process, which is an exception to the rule against
// global state: threads are the process's, not a context's.
static struct Threads {
    Share shares[MOST_THREADS];         // of as many as threads_most() says
    _Alignas(64) _Atomic uint32_t done; // chunks finished
    _Alignas(64) _Atomic uint32_t turn; // what sleepers wait on
    _Atomic uint32_t sleeping;
    _Atomic bool busy, stop;
    _Atomic int most; // 0: not asked for yet
    // The rest belongs to who holds `busy`.
    Job job;
    int64_t chunk, chunks;
    int started; // threads beside the caller
    ThreadsAccount account;
    pthread_t threads[MOST_THREADS];
} pool;

// Set in a thread while it does a chunk: a job inside of it stays there.
static _Thread_local bool inside;

static uint32_t chunks_left(uint64_t next)
{
    return (uint32_t)next;
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// ---- how many

static int count_processors(void)
{
    const char *wanted = getenv("DUET_THREADS");
    int count = wanted != NULL ? atoi(wanted) : 0;
    if (count <= 0) {
        cpu_set_t set;
        int quota = quota_processors("");
        count =
            sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
        count = quota > 0 && quota < count ? quota : count;
    }
    return count < MOST_THREADS ? count : MOST_THREADS;
}

// Two threads may ask at once and then find the same.
int threads_most(void)
{
    int most = atomic_load_explicit(&pool.most, memory_order_relaxed);
    if (most == 0) {
        most = count_processors();
        atomic_store_explicit(&pool.most, most, memory_order_relaxed);
    }
    return most;
}

// ---- the threads

// The chunk with which a share of the job begins.
static int64_t share_start(int share)
{
    return pool.chunks * share / threads_most();
}

// Takes a chunk of the share and does it. False: there is none.
static bool take_of(int share, int thread)
{
    _Atomic uint64_t *left = &pool.shares[share].next;
    uint64_t next = atomic_load_explicit(left, memory_order_acquire);
    do {
        if (chunks_left(next) == 0) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        left, &next, next - 1, memory_order_acquire, memory_order_acquire));
    // From here to the count of `done` the job stands still.
    int64_t begin = (share_start(share + 1) - chunks_left(next)) * pool.chunk;
    int64_t end = begin + pool.chunk;
    pool.job.run(pool.job.data, begin,
                 end < pool.job.units ? end : pool.job.units, thread);
    atomic_fetch_add_explicit(&pool.done, 1, memory_order_release);
    return true;
}

// Of its own share first, which is the same part of the units in each job: what
// one has left in the thread's caches the next one finds there.
static bool take_chunk(int thread)
{
    int count = threads_most();
    for (int i = 0; i < count; i++) {
        if (take_of((thread + i) % count, thread)) {
            return true;
        }
    }
    return false;
}

// Looks for another job than that of `turn` for a while, then sleeps until it
// comes.
static void wait_for_work(uint32_t turn)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&pool.turn, memory_order_relaxed) != turn) {
            return;
        }
        pause_briefly();
    }
    atomic_fetch_add(&pool.sleeping, 1);
    syscall(SYS_futex, &pool.turn, FUTEX_WAIT_PRIVATE, turn, NULL, NULL, 0);
    atomic_fetch_sub(&pool.sleeping, 1);
}

// `turn` is read before the look for chunks, so that no job is missed.
static void *work(void *number)
{
    inside = true;
    while (!atomic_load(&pool.stop)) {
        uint32_t turn = atomic_load(&pool.turn);
        if (!take_chunk((int)(intptr_t)number)) {
            wait_for_work(turn);
        }
    }
    return NULL;
}

static void wake_all(void)
{
    atomic_fetch_add(&pool.turn, 1);
    if (atomic_load(&pool.sleeping) > 0) {
        syscall(SYS_futex, &pool.turn, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL,
                0);
    }
}

// At the program's end, so that no thread outlives what it works on.
static void stop_all(void)
{
    if (atomic_exchange(&pool.busy, true)) {
        return; // another thread is in the midst of a job: they end with it
    }
    atomic_store(&pool.stop, true);
    wake_all();
    for (int i = 0; i < pool.started; i++) {
        pthread_join(pool.threads[i], NULL);
    }
    pool.started = 0;
}

// A forked process has none of the threads.
static void forget_all(void)
{
    memset(&pool, 0, sizeof(pool));
    inside = false;
}

// Starts what is missing; a thread that the system refuses is done without.
// They take no signals: those are the program's.
static void start_all(void)
{
    static bool once;
    if (!once) {
        once = true;
        (void)pthread_atfork(NULL, NULL, forget_all);
        (void)atexit(stop_all);
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool.started + 1 < threads_most() &&
           pthread_create(&pool.threads[pool.started], NULL, work,
                          (void *)(intptr_t)(pool.started + 1)) == 0) {
        pool.started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// ---- jobs

static bool run_alone(Ctx *ctx, const Job *job)
{
    double most = most_chunk / (job->cost + 1) + 1;
    int64_t chunk = most < (double)job->units ? (int64_t)most : job->units;
    for (int64_t i = 0; i < job->units; i += chunk) {
        int64_t end = job->units - i < chunk ? job->units : i + chunk;
        job->run(job->data, i, end, 0);
        if (ctx != NULL && !ctx_poll(ctx)) {
            return false;
        }
    }
    return true;
}

// Chunks of equal size, several a thread, none too small or too large.
static void set_chunks(const Job *job)
{
    double total = job->cost * (double)job->units;
    double cost = total / (CHUNKS_A_THREAD * (pool.started + 1));
    cost = cost < least_chunk ? least_chunk : cost;
    cost = cost > most_chunk ? most_chunk : cost;
    pool.chunk = (int64_t)(cost / job->cost) + 1;
    pool.chunks = (job->units + pool.chunk - 1) / pool.chunk;
}

// The chunks that nobody has taken are left out.
static int64_t cancel(void)
{
    int64_t count = 0;
    for (int i = 0; i < threads_most(); i++) {
        _Atomic uint64_t *left = &pool.shares[i].next;
        uint64_t next = atomic_load(left);
        while (!atomic_compare_exchange_weak(left, &next,
                                             next - chunks_left(next))) {
        }
        count += chunks_left(next);
    }
    return count;
}

// For all to take. The job's number keeps a thread that has looked at a share
// of an earlier one from taking it for that.
static void publish(void)
{
    uint64_t number = (uint64_t)(atomic_load(&pool.turn) + 1) << 32;
    for (int i = 0; i < threads_most(); i++) {
        int64_t count = share_start(i + 1) - share_start(i);
        atomic_store(&pool.shares[i].next, number | (uint64_t)count);
    }
    wake_all();
}

// What all chunks would have taken if they had been the caller's own, less what
// it took, is gained. Beyond its credit a loss is a time of rest.
void threads_settle(ThreadsAccount *account, double alone, double took)
{
    double credit = account->credit + alone - took;
    account->credit = credit < 0             ? 0
                      : credit > most_credit ? most_credit
                                             : credit;
    if (credit < 0) {
        double rest = -rest_for_loss * credit;
        account->rest = rest < longest_rest ? rest : longest_rest;
    }
}

// Works until no chunk is left, then waits for those that others still do. A
// thread that has lost its processor in the midst of one may take long: the
// caller offers its own.
static bool run_shared(Ctx *ctx, const Job *job)
{
    pool.job = *job;
    set_chunks(job);
    atomic_store_explicit(&pool.done, 0, memory_order_relaxed);
    double begins = now();
    publish();
    bool ok = true;
    int64_t own = 0;
    inside = true;
    double starts = now();
    for (; ok && take_chunk(0); own++) {
        ok = ctx == NULL || ctx_poll(ctx);
    }
    double waits = now();
    inside = false;
    int64_t due = pool.chunks - (ok ? 0 : cancel());
    for (int i = 0;
         atomic_load_explicit(&pool.done, memory_order_acquire) < (uint64_t)due;
         i++) {
        if (i < SPINS) {
            pause_briefly();
        } else {
            sched_yield();
        }
    }
    if (ok && own > 0) {
        double chunk = (waits - starts) / (double)own;
        threads_settle(&pool.account, chunk * (double)pool.chunks,
                       now() - begins);
    }
    return ok;
}

// Whether threads are worth it; takes `busy` if so.
static bool pool_taken(const Job *job)
{
    double total = job->cost * (double)job->units;
    return total >= pays_awake && job->units > 1 && !inside &&
           threads_most() > 1 &&
           (total >= pays_asleep || atomic_load(&pool.sleeping) == 0) &&
           !atomic_exchange_explicit(&pool.busy, true, memory_order_acquire);
}

// Whether there are threads, and sharing is not at rest.
static bool pool_shares(void)
{
    if (pool.account.rest > 0) {
        return false;
    }
    if (pool.started + 1 < threads_most()) {
        start_all();
    }
    return pool.started > 0;
}

// By the caller, whose time counts as rest: what jobs say that they cost is too
// rough for that.
static bool run_resting(Ctx *ctx, const Job *job)
{
    double start = now();
    bool ok = run_alone(ctx, job);
    pool.account.rest -= now() - start;
    return ok;
}

bool threads_run(Ctx *ctx, const Job *job)
{
    if (!pool_taken(job)) {
        return run_alone(ctx, job);
    }
    bool ok = (pool_shares() ? run_shared : run_resting)(ctx, job);
    atomic_store_explicit(&pool.busy, false, memory_order_release);
    return ok;
}
