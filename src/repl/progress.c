// Draws how far long work is.
//
// Invariant: `lock` is held while the state below is looked at or the line is
// drawn or taken away; whoever writes to the terminal holds it meanwhile.
#include "repl/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interp/hooks/program.h"
#include "repl/rounds.h"
#include "repl/terminal.h"

enum {
    PROGRESS_DELAY = 1000, // milliseconds before a line comes
    PROGRESS_PERIOD = 100, // between two drawings
    PROGRESS_LINE = 160    // bytes of a line, at most
};

// One for a session, from its first use to its end. The thread draws; the Vm's
// thread only changes what is to be drawn.
typedef struct Progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; // by the monotonic clock
    Ctx *ctx;               // for ticks
    bool ending;            // the thread is to go
    bool working;           // between begin and end
    bool shown;             // the line stands on the terminal
    bool inside;            // the program has begun a line and not ended it
    int paused;             // somebody else has the terminal
    int64_t start;          // of the work, in milliseconds
    Rounds rounds;          // of the loop that is shown
    bool counted;           // `rounds` come from progress(), not from a look
    int loops;              // of progress(), one in the other; the Vm's own
    int turn;               // of the spinner
} Progress;

// By the clock that pthread_cond_timedwait uses here; it never goes back.
static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// "3.2s", "4m 05s", "2h 03m".
// One digit behind the point below a minute, for the eye to see that it runs.
static void print_time(char *out, size_t size, double seconds)
{
    long whole = (long)seconds;
    if (seconds < 60) {
        snprintf(out, size, "%.1fs", seconds);
    } else if (whole < 3600) {
        snprintf(out, size, "%ldm %02lds", whole / 60, whole % 60);
    } else {
        snprintf(out, size, "%ldh %02ldm", whole / 3600, whole / 60 % 60);
    }
}

// "⠋ 3.2s  40/100 (40%), 4.8s left"
// The length in bytes.
static int print_line(const Progress *self, char *out, size_t size)
{
    static const char *const spinner[] = {"⠋", "⠙", "⠹", "⠸", "⠼",
                                          "⠴", "⠦", "⠧", "⠇", "⠏"};
    double elapsed = (double)(now_ms() - self->start) / 1e3;
    char spent[32], left[32];
    print_time(spent, sizeof spent, elapsed);
    int length = snprintf(out, size, "%s %s", spinner[self->turn % 10], spent);
    const Rounds *rounds = &self->rounds;
    // The length of the loop is known.
    if (rounds->done >= 0 && rounds->total > 0) {
        double share = (double)rounds->done / (double)rounds->total;
        length += snprintf(out + length, size - (size_t)length,
                           "  %lld/%lld (%d%%)", (long long)rounds->done,
                           (long long)rounds->total, (int)(share * 100));
        // The rate is that of the rounds which were seen, since the loop may
        // stand behind other work.
        double since = (double)(now_ms() - rounds->start) / 1e3;
        if (rounds->done > rounds->first && since > 0.2) {
            double rate = (double)(rounds->done - rounds->first) / since;
            print_time(left, sizeof left,
                       (double)(rounds->total - rounds->done) / rate);
            length += snprintf(out + length, size - (size_t)length, ", %s left",
                               left);
        }
    } else if (rounds->done >= 0) {
        length += snprintf(out + length, size - (size_t)length, "  %lld rounds",
                           (long long)rounds->done);
    }
    return length;
}

// What cannot be written is not shown: there is nobody to tell.
// write() and not stdio: the line must not wait in a buffer that the program's
// own output shares.
static void put(const char *text, size_t length)
{
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written;
}

// The cursor stands behind the line: back to its start, and all of it goes.
// The lock is held. Nothing but the line itself is erased.
static void erase(Progress *self)
{
    if (self->shown) {
        put("\r\033[K", 4);
        self->shown = false;
    }
}

// In one write, so that a terminal never shows half a line. Nothing is drawn
// behind what the program has written on the same line.
// The lock is held.
static void draw(Progress *self)
{
    char line[PROGRESS_LINE + 16];
    if (self->inside || self->paused > 0) {
        return;
    }
    // To the line's start, erase it, in a faint colour.
    memcpy(line, "\r\033[K\033[2m", 8);
    int length = 8 + print_line(self, line + 8, PROGRESS_LINE);
    memcpy(line + length, "\033[0m", 4);
    put(line, (size_t)length + 4);
    self->shown = true;
    self->turn++;
}

// Waits until `moment`, or until something changes.
// It may wake early for no reason: the caller's loop looks at the time again.
static void wait_until(Progress *self, int64_t moment)
{
    struct timespec at = {.tv_sec = moment / 1000,
                          .tv_nsec = moment % 1000 * 1000000};
    pthread_cond_timedwait(&self->changed, &self->lock, &at);
}

// Ticks come with each drawing, and a first one early: what a loop's length
// was is best seen near its beginning.
// INTERRUPT_TICK makes the Vm's thread look at its own loops at its next poll,
// for only that thread may read its registers.
static void *run(void *data)
{
    Progress *self = data;
    pthread_mutex_lock(&self->lock);
    while (!self->ending) {
        int64_t now = now_ms();
        if (!self->working) {
            // Nothing to draw: it sleeps until work begins.
            pthread_cond_wait(&self->changed, &self->lock);
        } else if (now < self->start + PROGRESS_DELAY) {
            wait_until(self, self->start + PROGRESS_DELAY);
        } else {
            // The answer comes later, and is drawn the next time.
            ctx_interrupt(self->ctx, INTERRUPT_TICK);
            draw(self);
            wait_until(self, now + PROGRESS_PERIOD);
        }
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

// All signals stay with the Vm's thread.
// False: there is no thread; the lock and the condition are then left as they
// are, in memory that is freed.
static bool start_thread(Progress *self)
{
    sigset_t all, before;
    // The system's time may be set while somebody waits: not by that clock.
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&self->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&self->lock, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&self->thread, NULL, run, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

// Made when it is needed first. A terminal that cannot draw, or a system that
// gives no thread, has no line.
// NULL: nothing will be drawn. Where it could not be made it is tried again the
// next time.
static Progress *progress_of(Session *session)
{
    if (session->progress != NULL || !terminal_can_draw(STDERR_FILENO)) {
        return session->progress;
    }
    Progress *self = calloc(1, sizeof *self);
    if (self != NULL) {
        self->ctx = &session->vm->ctx;
        self->rounds = ROUNDS_NONE;
        if (!start_thread(self)) {
            free(self);
            self = NULL;
        }
    }
    session->progress = self;
    return self;
}

// The thread is waited for: it may hold the lock, or be about to draw.
// The lock must not be held by the caller.
void progress_free(Session *session)
{
    Progress *self = session->progress;
    if (self == NULL) {
        return;
    }
    pthread_mutex_lock(&self->lock);
    erase(self);
    self->ending = true;
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    free(self);
    session->progress = NULL;
}

// Both ends of the work start from nothing: no line, no rounds, a new clock.
// Also signals at the end of work, for the thread to go from timed waiting to
// sleep.
static void set_working(Progress *self, bool working)
{
    pthread_mutex_lock(&self->lock);
    erase(self);
    self->working = working;
    self->inside = false;
    self->counted = false;
    self->rounds = ROUNDS_NONE;
    self->start = now_ms();
    // The thread looks at the new state.
    pthread_cond_signal(&self->changed);
    pthread_mutex_unlock(&self->lock);
}

// The thread wakes, and sleeps again until the first second is over.
void progress_begin(Session *session)
{
    Progress *self = progress_of(session);
    if (self != NULL) {
        set_working(self, true);
    }
}

void progress_end(Session *session)
{
    if (session->progress != NULL) {
        set_working(session->progress, false);
    }
}

// The lock stays held until progress_after, however long the write takes.
// The program's output is written between the two calls; otherwise the line
// would stand in the middle of it.
void progress_before(Session *session)
{
    Progress *self = session->progress;
    if (self != NULL) {
        pthread_mutex_lock(&self->lock);
        erase(self);
    }
}

void progress_after(Session *session, char last)
{
    Progress *self = session->progress;
    if (self != NULL) {
        // An unfinished line of the program keeps the progress line away until
        // it ends.
        self->inside = last != '\n';
        pthread_mutex_unlock(&self->lock);
    }
}

// Counted, since a pager may be run from a prompt inside of another.
// `on` false ends one pause.
void progress_pause(Session *session, bool on)
{
    Progress *self = session->progress;
    if (self != NULL) {
        pthread_mutex_lock(&self->lock);
        erase(self);
        self->paused += on ? 1 : -1;
        pthread_mutex_unlock(&self->lock);
    }
}

// progress() knows better than a look at the registers, and is left alone.
// Called by the Vm's thread, when it polls after a tick.
void progress_look(Session *session)
{
    Progress *self = session->progress;
    if (self == NULL) {
        return;
    }
    pthread_mutex_lock(&self->lock);
    if (!self->counted) {
        rounds_look(session->vm, &self->rounds, now_ms());
    }
    pthread_mutex_unlock(&self->lock);
}

// A loop of the entry that calls the graph again and again comes first: its
// rounds are the ones that a person has written.
// total below 0: not known. `done` that goes back means that the loop began
// anew.
void progress_graph_turn(Session *session, int64_t done, int64_t total)
{
    Progress *self = session->progress;
    if (self == NULL) {
        return;
    }
    pthread_mutex_lock(&self->lock);
    Rounds *rounds = &self->rounds;
    Rounds seen = *rounds;
    rounds_look(session->vm, &seen, now_ms());
    if (!self->counted && seen.done < 0) {
        // The graph's loop has no code: that is how it is known again.
        if (rounds->code != NULL || rounds->done < 0 || done < rounds->done) {
            *rounds = (Rounds){.first = done, .start = now_ms()};
        }
        rounds->done = done;
        rounds->total = total;
    } else if (!self->counted) {
        *rounds = seen;
    }
    pthread_mutex_unlock(&self->lock);
}

// In a script progress() is what begins the work, and its end ends it. Of loops
// in one another the outermost is shown.
// done: rounds so far, 0 at the start, below 0 at the end; total: below 0 where
// the length is unknown.
void progress_turn(Session *session, int64_t done, int64_t total)
{
    Progress *self = progress_of(session);
    if (self == NULL) {
        return;
    }
    if (done == 0 && self->loops++ == 0 && !session->prompting) {
        set_working(self, true);
    }
    if (done < 0 && self->loops > 0 && --self->loops == 0 &&
        !session->prompting) {
        set_working(self, false);
    }
    // Only the outermost loop is shown.
    if (self->loops > 1 || (done < 0 && self->loops == 1)) {
        return;
    }
    // The thread that draws reads these.
    pthread_mutex_lock(&self->lock);
    // A new loop, or one that a look had shown before.
    if (done == 0 || !self->counted) {
        self->rounds = (Rounds){.first = done, .start = now_ms()};
    }
    self->counted = done >= 0;
    self->rounds.done = done;
    self->rounds.total = total;
    if (done < 0) {
        self->rounds = ROUNDS_NONE;
    }
    pthread_mutex_unlock(&self->lock);
}
