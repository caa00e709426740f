// The thread of a feed, and the groups of elements that wait. See feed.h.
//
// Invariant: of the groups, numbered as they are made, those in [taken, made)
// belong to who walks, the others to the thread, until it has been joined.
#include "backend/feed_stage.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels/threads.h"

enum {
    FEED_STACK = 1 << 20, // bytes, of the thread
    POLL_EVERY = 10       // milliseconds, while nothing comes
};

// Elements that are handed over at once.
typedef struct Group {
    FeedRow *rows;
    uint32_t count;
    FeedState end; // what comes behind them; FEED_MADE: another group
} Group;

struct Feed {
    Ctx ctx;          // the thread's
    FeedStage *stage; // the topmost
    Group *groups;
    uint32_t ahead, width;
    pid_t process; // that the thread is in; 0: not started
    pthread_t thread;
    pthread_mutex_t lock; // over the rest
    pthread_cond_t filled, emptied;
    uint64_t made, taken;
    bool stop;
    // Of who walks.
    uint32_t at; // the next row of group `taken`
};

// There are no other objects without an interpreter.
static void dealloc_tensor(Ctx *ctx, Object *object)
{
    tensor_dealloc(ctx, (Tensor *)object);
}

Feed *feed_new(void)
{
    Feed *feed = calloc(1, sizeof *feed);
    if (feed != NULL) {
        ctx_init(&feed->ctx, FEED_STACK);
        feed->ctx.dealloc = dealloc_tensor;
    }
    return feed;
}

Ctx *feed_ctx(Feed *feed)
{
    return &feed->ctx;
}

bool feed_stopped(const Ctx *ctx)
{
    return ctx_interrupted(ctx);
}

void feed_row_drop(Ctx *ctx, FeedRow *row)
{
    for (uint32_t i = 0; i < row->count; i++) {
        object_release(ctx, row->leaves[i]);
    }
    row->count = 0;
}

void *feed_push(Feed *feed, size_t size,
                FeedState (*next)(Ctx *ctx, FeedStage *stage, FeedRow *row),
                void (*free)(Ctx *ctx, FeedStage *stage))
{
    FeedStage *stage = ctx_alloc_zero(&feed->ctx, size);
    if (stage != NULL) {
        *stage = (FeedStage){next, free, feed->stage};
        feed->stage = stage;
    }
    return stage;
}

// ---- the thread

// A row that could not be made whole is empty.
static void fill(Feed *feed, Group *group)
{
    Ctx *ctx = &feed->ctx;
    for (uint32_t i = 0; i < group->count; i++) {
        feed_row_drop(ctx, &group->rows[i]);
    }
    group->count = 0;
    group->end = FEED_MADE;
    while (group->end == FEED_MADE && group->count < feed->width) {
        FeedRow *row = &group->rows[group->count];
        group->end = feed->stage->next(ctx, feed->stage, row);
        if (group->end == FEED_MADE) {
            group->count++;
        } else {
            feed_row_drop(ctx, row);
        }
    }
}

// Waits for room. False: nobody wants more.
static bool has_room(Feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    while (!feed->stop && feed->made - feed->taken == feed->ahead) {
        pthread_cond_wait(&feed->emptied, &feed->lock);
    }
    bool stop = feed->stop;
    pthread_mutex_unlock(&feed->lock);
    return !stop;
}

static void *run(void *data)
{
    Feed *feed = data;
    ctx_settle(&feed->ctx, FEED_STACK);
    for (FeedState state = FEED_MADE; state == FEED_MADE && has_room(feed);) {
        Group *group = &feed->groups[feed->made % feed->ahead];
        fill(feed, group);
        state = group->end;
        pthread_mutex_lock(&feed->lock);
        feed->made++;
        pthread_cond_signal(&feed->filled);
        pthread_mutex_unlock(&feed->lock);
    }
    return NULL;
}

// It takes no signals: those are the program's.
static bool start_thread(Feed *feed)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    bool ok = pthread_attr_setstacksize(&attributes, FEED_STACK) == 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ok = ok && pthread_create(&feed->thread, &attributes, run, feed) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return ok;
}

bool feed_start(Feed *feed, uint32_t ahead, uint32_t width)
{
    if (threads_most() < 2 || feed->stage == NULL) {
        return false;
    }
    size_t rows = (size_t)ahead * width;
    feed->ahead = ahead;
    feed->width = width;
    feed->groups = calloc(ahead, sizeof *feed->groups);
    FeedRow *room = calloc(rows, sizeof *room);
    if (feed->groups == NULL || room == NULL) {
        free(room);
        return false;
    }
    for (uint32_t i = 0; i < ahead; i++) {
        feed->groups[i].rows = room + (size_t)i * width;
    }
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&feed->lock, NULL);
    pthread_cond_init(&feed->filled, &clock);
    pthread_cond_init(&feed->emptied, NULL);
    pthread_condattr_destroy(&clock);
    if (start_thread(feed)) {
        feed->process = getpid();
    }
    return feed->process != 0;
}

// ---- who walks

static struct timespec soon(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += POLL_EVERY * 1000000L;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

// Waits until group `taken` is there. False: interrupted.
static bool wait_for_group(Feed *feed, Ctx *ctx)
{
    bool ok = true;
    pthread_mutex_lock(&feed->lock);
    while (ok && feed->made == feed->taken) {
        struct timespec until = soon();
        pthread_cond_timedwait(&feed->filled, &feed->lock, &until);
        if (feed->made == feed->taken) {
            pthread_mutex_unlock(&feed->lock);
            ok = ctx_poll(ctx);
            pthread_mutex_lock(&feed->lock);
        }
    }
    pthread_mutex_unlock(&feed->lock);
    return ok;
}

// The same tensor of another context, owned.
static Tensor *copied(Ctx *ctx, const Tensor *from)
{
    Tensor *to =
        tensor_new(ctx, (DType)from->dtype, from->rank, tensor_dims(from));
    bool ok = to != NULL;
    if (ok && from->dtype != DT_STRING) {
        memcpy(to->data, from->data,
               (size_t)from->count * dtype_size((DType)from->dtype));
        return to;
    }
    TensorString *const *strings = from->data;
    for (int64_t i = 0; ok && i < from->count; i++) {
        ok = tensor_set_string(ctx, to, i, strings[i]->bytes,
                               strings[i]->length);
    }
    if (!ok) {
        object_release_null(ctx, to);
    }
    return ok ? to : NULL;
}

FeedState feed_next(Feed *feed, Ctx *ctx, Tensor **leaves, uint32_t *count)
{
    if (feed->process != getpid()) {
        return FEED_BROKEN;
    }
    Group *group = &feed->groups[feed->taken % feed->ahead];
    if (feed->at == 0 && !wait_for_group(feed, ctx)) {
        return FEED_INTERRUPTED;
    }
    if (feed->at == group->count) {
        return group->end;
    }
    const FeedRow *row = &group->rows[feed->at];
    for (*count = 0; *count < row->count; ++*count) {
        leaves[*count] = copied(ctx, row->leaves[*count]);
        if (leaves[*count] == NULL) {
            while (*count > 0) {
                object_release(ctx, leaves[--*count]);
            }
            return FEED_INTERRUPTED;
        }
    }
    if (++feed->at == group->count && group->end == FEED_MADE) {
        feed->at = 0;
        pthread_mutex_lock(&feed->lock);
        feed->taken++;
        pthread_cond_signal(&feed->emptied);
        pthread_mutex_unlock(&feed->lock);
    }
    return FEED_MADE;
}

static void stop_thread(Feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->stop = true;
    pthread_cond_signal(&feed->emptied);
    pthread_mutex_unlock(&feed->lock);
    ctx_interrupt(&feed->ctx, INTERRUPT_SIGNAL);
    pthread_join(feed->thread, NULL);
    pthread_cond_destroy(&feed->filled);
    pthread_cond_destroy(&feed->emptied);
    pthread_mutex_destroy(&feed->lock);
}

void feed_free(Feed *feed)
{
    if (feed == NULL) {
        return;
    }
    if (feed->process != 0 && feed->process != getpid()) {
        return; // a fork: the thread was in the midst of something
    }
    Ctx *ctx = &feed->ctx;
    if (feed->process != 0) {
        stop_thread(feed);
    }
    for (uint32_t i = 0; feed->groups != NULL && i < feed->ahead; i++) {
        Group *group = &feed->groups[i];
        for (uint32_t k = 0; k < group->count; k++) {
            feed_row_drop(ctx, &group->rows[k]);
        }
    }
    if (feed->groups != NULL) {
        free(feed->groups[0].rows);
        free(feed->groups);
    }
    while (feed->stage != NULL) {
        FeedStage *stage = feed->stage;
        feed->stage = stage->below;
        stage->free(ctx, stage);
    }
    ctx_destroy(ctx);
    free(feed);
}
