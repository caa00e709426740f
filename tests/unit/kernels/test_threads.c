// Jobs on several threads: every unit is done once, whoever does it.
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/threads.h"

enum { UNITS = 5000 };

typedef struct Tally {
    _Atomic uint32_t done[UNITS];
    _Atomic uint32_t strangers; // chunks that threads beside the caller did
    Ctx *nested;                // a context for a job inside of each chunk
} Tally;

static void count(void *data, int64_t begin, int64_t end, int thread)
{
    Tally *tally = data;
    cr_assert(0 <= begin && begin < end && thread < threads_most());
    for (int64_t i = begin; i < end; i++) {
        atomic_fetch_add(&tally->done[i], 1);
    }
    if (thread > 0) {
        atomic_fetch_add(&tally->strangers, 1);
    }
}

static void count_inside(void *data, int64_t begin, int64_t end, int thread)
{
    Tally *tally = data;
    Tally *own = calloc(1, sizeof(*own));
    Job job = {count, own, UNITS, 1000};
    count(tally, begin, end, thread);
    if (thread == 0) { // a context belongs to one thread
        cr_assert(threads_run(tally->nested, &job));
        cr_assert(own->strangers == 0);
    }
    free(own);
}

static void run(void (*how)(void *, int64_t, int64_t, int), int64_t units,
                double cost)
{
    Ctx ctx = {0};
    ctx_init(&ctx, 0);
    Tally *tally = calloc(1, sizeof(*tally));
    tally->nested = &ctx;
    cr_assert(threads_run(&ctx, &(Job){how, tally, units, cost}));
    for (int64_t i = 0; i < UNITS; i++) {
        cr_assert(tally->done[i] == (i < units));
    }
    free(tally);
    ctx_destroy(&ctx);
}

static void several(void)
{
    setenv("DUET_THREADS", "4", 1);
}

Test(threads, each_unit_is_done_once, .init = several)
{
    cr_assert(threads_most() == 4);
    for (int i = 0; i < 300; i++) {
        run(count, i * 7 % UNITS, i % 3 == 0 ? 1e5 : 1 + i * 10);
    }
    run(count, 0, 1e6);
    run(count, 1, 1e6);
}

Test(threads, a_job_inside_of_another_stays_with_its_thread, .init = several)
{
    for (int i = 0; i < 20; i++) {
        run(count_inside, 100, 1e4);
    }
}

static void *run_many(void *unused)
{
    for (int i = 0; i < 300; i++) {
        run(count, 1000, 100);
    }
    return unused;
}

Test(threads, two_contexts_at_once, .init = several)
{
    pthread_t other;
    cr_assert(pthread_create(&other, NULL, run_many, NULL) == 0);
    run_many(NULL);
    pthread_join(other, NULL);
}

#ifndef __SANITIZE_THREAD__ // which takes no fork of a process with threads
static void see(void *data, int64_t begin, int64_t end, int thread)
{
    (void)begin;
    (void)end;
    atomic_fetch_or((_Atomic uint32_t *)data, 1u << thread);
    usleep(100);
}

// A thread that is just starting may hold a lock of the allocator's, which a
// sanitizer's does not give back in a forked process.
static void wait_until_all_run(void)
{
    _Atomic uint32_t seen = 0;
    Ctx ctx = {0};
    ctx_init(&ctx, 0);
    for (int i = 0; i < 1000 && seen + 1 != 1u << threads_most(); i++) {
        cr_assert(threads_run(&ctx, &(Job){see, &seen, 100, 1e5}));
    }
    ctx_destroy(&ctx);
}

Test(threads, a_forked_process_has_threads_of_its_own, .init = several)
{
    wait_until_all_run();
    pid_t child = fork();
    if (child == 0) {
        run(count, 1000, 1000);
        exit(7);
    }
    int status;
    cr_assert(waitpid(child, &status, 0) == child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    run(count, 1000, 1000);
}
#endif

// Chunks that nobody has begun are left out, those begun are waited for.
static void interrupt(void *data, int64_t begin, int64_t end, int thread)
{
    Tally *tally = data;
    count(tally, begin, end, thread);
    if (thread == 0) {
        ctx_interrupt(tally->nested, INTERRUPT_SIGNAL);
    }
    usleep(500);
}

Test(threads, an_interrupt_ends_a_job, .init = several)
{
    Ctx ctx = {0};
    ctx_init(&ctx, 0);
    for (int i = 0; i < 20; i++) {
        Tally *tally = calloc(1, sizeof(*tally));
        tally->nested = &ctx;
        cr_assert(!threads_run(&ctx, &(Job){interrupt, tally, UNITS, 1e6}));
        cr_assert(ctx.error.kind == ERR_INTERRUPT);
        ctx_clear(&ctx);
        uint32_t done = 0;
        for (int64_t k = 0; k < UNITS; k++) {
            done += tally->done[k];
        }
        cr_assert(0 < done && done < UNITS);
        free(tally);
    }
    ctx_destroy(&ctx);
}

// What sharing loses, beyond what it has gained, is made up for by many times
// that of work alone; gains of long ago do not count.
Test(threads, losses_are_followed_by_a_rest)
{
    ThreadsAccount account = {0};
    for (int i = 0; i < 1000; i++) {
        threads_settle(&account, 2e5, 1e5);
    }
    cr_assert_eq(account.rest, 0);
    threads_settle(&account, 1e5, 1e5 + account.credit);
    cr_assert_eq(account.rest, 0);
    threads_settle(&account, 1e5, 4e5);
    cr_assert_geq(account.rest, 20 * 3e5);
    double rest = account.rest;
    threads_settle(&account, 2e5, 1e5);
    threads_settle(&account, 1e5, 2e5);
    cr_assert_eq(account.rest, rest);
    threads_settle(&account, 0, 1e12);
    cr_assert_leq(account.rest, 1e9);
}
