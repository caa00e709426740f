// What this machine can do, for the classes of classes.duet: the same work in
// plain C, or the resource that bounds it (memory, multiplications, the length
// of a chain), in lines of the same form.
//
//     gcc -O3 -march=native -ffast-math -pthread limits.c -o limits -lm
//     limits [THREADS [GROUP ...]]
//
// A group is the first word of its lines; without any all are measured.
// One thread is measured in processor time, several by the clock on the wall:
// the others wait for work turning, so that starting them costs nothing.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 15, MAX_THREADS = 64, WORTH_SHARING = 65536 };

// A loop over n elements, or n turns of what has no elements.
typedef struct Work {
    void (*run)(const float *x, const float *y, float *out, long n);
    float *x, *y, *out;
    long n;
    int each; // every thread does the whole
} Work;

static int threads = 1;
static const Work *shared;
static atomic_long generation, finished;

static void run_part(const Work *work, long part)
{
    long begin = work->each ? 0 : work->n * part / threads & ~15L;
    long end = work->each || part + 1 == threads
                   ? work->n
                   : work->n * (part + 1) / threads & ~15L;
    work->run(work->x + begin, work->y + begin, work->out + begin, end - begin);
}

static void *worker(void *part)
{
    for (long seen = 0;; seen++) {
        while (atomic_load(&generation) == seen) {
        }
        run_part(shared, (long)part);
        atomic_fetch_add(&finished, 1);
    }
    return NULL;
}

static void run(const Work *work)
{
    if (threads == 1 || (!work->each && work->n < WORTH_SHARING)) {
        work->run(work->x, work->y, work->out, work->n);
        return;
    }
    shared = work;
    atomic_store(&finished, 0);
    atomic_fetch_add(&generation, 1);
    run_part(work, 0);
    while (atomic_load(&finished) < threads - 1) {
    }
}

static double now(void)
{
    struct timespec at;
    clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static double sample(const Work *work, long repeat)
{
    double start = now();
    for (long i = 0; i < repeat; i++) {
        run(work);
    }
    return now() - start;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Times the work and prints it in ns for each of `per` units; with `flop`, the
// rate of that many operations instead.
static void measure(const char *name, const Work *work, double per, double flop)
{
    sample(work, 1);
    long repeat = 1;
    while (sample(work, repeat) < 0.002) {
        repeat *= 2;
    }
    double seconds[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        seconds[i] = sample(work, repeat) / (double)repeat;
    }
    qsort(seconds, SAMPLES, sizeof *seconds, by_size);
    double median = seconds[SAMPLES / 2], least = seconds[0];
    if (flop > 0) {
        printf("%s %.4g %.4g GFLOP/s\n", name, flop / median * 1e-9,
               flop / least * 1e-9);
    } else {
        printf("%s %.4g %.4g ns\n", name, median * 1e9 / per,
               least * 1e9 / per);
    }
    fflush(stdout);
}

#define LOOP(name, expression)                                                 \
    static void run_##name(const float *restrict x, const float *restrict y,   \
                           float *restrict out, long n)                        \
    {                                                                          \
        (void)y;                                                               \
        for (long i = 0; i < n; i++) {                                         \
            out[i] = expression;                                               \
        }                                                                      \
    }
#define SUM(name, expression)                                                  \
    static void run_##name(const float *restrict x, const float *restrict y,   \
                           float *restrict out, long n)                        \
    {                                                                          \
        (void)y;                                                               \
        float sum = 0;                                                         \
        for (long i = 0; i < n; i++) {                                         \
            sum += expression;                                                 \
        }                                                                      \
        out[0] = sum;                                                          \
    }

static inline float e2(float x, float y)
{
    float t = (x * y + x) * 0.5f - y;
    float s = t * t + 1;
    return fabsf((s > x ? s : x) * y - x);
}

LOOP(e1, tanhf(2 * x[i] + 1) * expf(-x[i] * x[i]) + 0.5f * x[i])
LOOP(e2, e2(x[i], y[i]))
LOOP(exp, expf(x[i]))
LOOP(line, x[i] * 1.0001f + 0.5f)
LOOP(triad, x[i] + 3 * y[i])
SUM(sum, x[i])
SUM(squares, (x[i] - y[i]) * (x[i] - y[i]))

static void run_copy(const float *x, const float *y, float *out, long n)
{
    (void)y;
    memcpy(out, x, (size_t)n * sizeof *x);
}

// What the classes with rows do, row by row while it is in the nearest cache.
enum { ROW = 1024 };

static float row_most(const float *x)
{
    float most = x[0];
    for (int i = 1; i < ROW; i++) {
        most = x[i] > most ? x[i] : most;
    }
    return most;
}

static void run_log_sum_exp(const float *restrict x, const float *restrict y,
                            float *restrict out, long n)
{
    (void)y;
    for (long row = 0; row + ROW <= n; row += ROW) {
        float most = row_most(x + row), sum = 0;
        for (int i = 0; i < ROW; i++) {
            sum += expf(x[row + i] - most);
        }
        out[row / ROW] = most + logf(sum);
    }
}

static void run_softmax(const float *restrict x, const float *restrict y,
                        float *restrict out, long n)
{
    (void)y;
    for (long row = 0; row + ROW <= n; row += ROW) {
        float most = row_most(x + row), sum = 0;
        for (int i = 0; i < ROW; i++) {
            out[row + i] = expf(x[row + i] - most);
            sum += out[row + i];
        }
        for (int i = 0; i < ROW; i++) {
            out[row + i] *= 1 / sum;
        }
    }
}

static void run_normed(const float *restrict x, const float *restrict y,
                       float *restrict out, long n)
{
    (void)y;
    for (long row = 0; row + ROW <= n; row += ROW) {
        float mean = 0, squares = 0;
        for (int i = 0; i < ROW; i++) {
            mean += x[row + i] / ROW;
        }
        for (int i = 0; i < ROW; i++) {
            out[row + i] = x[row + i] - mean;
            squares += out[row + i] * out[row + i];
        }
        float scale = 1 / sqrtf(squares / ROW + 1e-5F);
        for (int i = 0; i < ROW; i++) {
            out[row + i] *= scale;
        }
    }
}

// As many chains of multiplications and additions as hide their latency.
typedef float Lane __attribute__((vector_size(64)));

#define CHAINS(DO)                                                             \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define START(j) Lane sum##j = factor + (float)(j);
#define TURN(j) sum##j = sum##j * factor + step;
#define STORE(j) out[j] = sum##j[0];
#define COUNT(j) +1

static void run_fma(const float *x, const float *y, float *out, long n)
{
    Lane factor = {0}, step = {0};
    factor += 0.999f + x[0] * 1e-9f;
    step += y[1];
    CHAINS(START)
    for (long i = 0; i < n; i++) {
        CHAINS(TURN)
    }
    CHAINS(STORE)
}

// A turn waits for the multiplication and the addition of the one before it.
static void run_chain(const float *x, const float *y, float *out, long n)
{
    float at = x[0] + y[0];
    for (long i = 0; i < n; i++) {
        at *= 0.9999f;
        __asm__("" : "+x"(at)); // keeps the two apart, as their bits are
        at += 0.5f;
        __asm__("" : "+x"(at));
    }
    out[0] = at;
}

// Memory of n elements, whose pages come when they are filled.
static float *fresh(long n)
{
    float *data = aligned_alloc(64, ((size_t)n * sizeof *data + 63) / 64 * 64);
    if (data == NULL) {
        exit(1);
    }
    return data;
}

static Work work;   // its arrays serve every measurement,
static long filled; // so many elements of them so far
static char **groups;

static void fill(long n)
{
    for (; filled < n; filled++) {
        float number = (float)(filled * 37 % 1001) / 125 - 4;
        work.x[filled] = work.y[filled] = work.out[filled] = number;
    }
}

static int is_wanted(const char *name)
{
    size_t length = strcspn(name, " ");
    int wanted = groups[0] == NULL;
    for (char **group = groups; *group != NULL; group++) {
        wanted |= strlen(*group) == length && memcmp(*group, name, length) == 0;
    }
    return wanted;
}

typedef void Loop(const float *x, const float *y, float *out, long n);

static void one(const char *name, Loop *loop, long n, double per, double flop)
{
    if (!is_wanted(name)) {
        return;
    }
    fill(n);
    work.run = loop;
    work.n = n;
    measure(name, &work, per, flop);
}

// The loop on 10^from … 10^to elements.
static void over_sizes(const char *name, Loop *loop, int from, int to)
{
    long n = 1;
    for (int digits = 0; digits <= to; digits++, n *= 10) {
        char row[64];
        snprintf(row, sizeof row, "%s%ld", name, n);
        if (digits >= from) {
            one(row, loop, n, (double)n, 0);
        }
    }
}

// Rates and chains: what is done by each thread for itself.
static void by_turns(void)
{
    long turns = 100000;
    work.each = 1;
    one("peak fma", run_fma, turns, 1,
        2.0 * (sizeof(Lane) / sizeof(float)) * (CHAINS(COUNT)) * (double)turns *
            threads);
    one("while_scalar graph", run_chain, turns, (double)turns, 0);
    work.each = 0;
}

int main(int argc, char **argv)
{
    threads = argc > 1 ? atoi(argv[1]) : 1;
    groups = argv + (argc > 1 ? 2 : 1);
    if (threads < 1 || threads > MAX_THREADS) {
        return 2;
    }
    for (long part = 1; part < threads; part++) {
        pthread_t id;
        if (pthread_create(&id, NULL, worker, (void *)part) != 0) {
            return 1;
        }
    }
    long most = 100000000, matrix = 1024 * 1024;
    work.x = fresh(most);
    work.y = fresh(most);
    work.out = fresh(most);
    by_turns();
    over_sizes("chain_e1 ", run_e1, 1, 7);
    over_sizes("chain_e2 ", run_e2, 1, 7);
    over_sizes("sum ", run_sum, 4, 7);
    for (long n = 256; n <= 4096; n *= 4) {
        char row[64];
        snprintf(row, sizeof row, "matvec right/%ld", n);
        one(row, run_sum, n * n, (double)(n * n), 0);
        snprintf(row, sizeof row, "matvec left/%ld", n);
        one(row, run_sum, n * n, (double)(n * n), 0);
    }
    over_sizes("sum_squares ", run_squares, 4, 7);
    over_sizes("growth elements/", run_line, 0, 8);
    one("softmax 1024", run_exp, matrix, (double)matrix, 0);
    one("softmax 4096", run_exp, 16 * matrix, 16.0 * (double)matrix, 0);
    one("logsumexp 1024", run_exp, matrix, (double)matrix, 0);
    one("layernorm 1024", run_copy, matrix, (double)matrix, 0);
    one("rows softmax", run_softmax, matrix, (double)matrix, 0);
    one("rows logsumexp", run_log_sum_exp, matrix, (double)matrix, 0);
    one("rows layernorm", run_normed, matrix, (double)matrix, 0);
    one("moves transpose", run_copy, matrix, (double)matrix, 0);
    one("moves concat", run_copy, 2000000, 2e6, 0);
    one("triad 100000000", run_triad, most, (double)most, 0);
    return 0;
}
