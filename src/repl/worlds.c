// Copies of the world, by fork.
//
// Invariant: the copy never returns into the session's code; it ends in
// live(), whatever the call does. What it says goes through two files without
// names, which the parent reads when it has ended: a pipe would need to be
// emptied meanwhile.
#include "repl/worlds.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/text/obj_str.h"
#include "modules/files/filelog.h"
#include "modules/world.h"
#include "stager/events.h"
#include "stager/stager.h"

enum {
    WAIT_NANOSECONDS = 1000000, // between two looks at the copy
    READ_SIZE = 64 << 10,
    REPORT_EVENTS = 10000,
    OUTPUT_LIMIT = 4 << 20 // bytes; who writes more does not mean to end
};

// The files of a world, -1: not made yet.
typedef struct WorldFiles {
    int input, output, report, changes;
} WorldFiles;

// False with ERR_OS pending.
static bool open_one(Vm *vm, const char *name, int *file)
{
    *file = memfd_create(name, MFD_CLOEXEC);
    return *file >= 0 ||
           raise_false(vm, ERR_OS, "no file for a world: %s", strerror(errno));
}

static void close_files(const WorldFiles *files)
{
    const int all[] = {files->input, files->output, files->report,
                       files->changes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i] >= 0) {
            close(all[i]);
        }
    }
}

// False with errno set.
static bool write_all(int file, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t count = write(file, text, length);
        if (count < 0) {
            return false;
        }
        text += count;
        length -= (size_t)count;
    }
    return true;
}

static bool read_back(Vm *vm, int file, StrBuf *text)
{
    char block[READ_SIZE];
    off_t at = 0;
    for (;;) {
        ssize_t count = pread(file, block, sizeof block, at);
        if (count < 0) {
            return raise_false(vm, ERR_OS, "a world cannot be read: %s",
                               strerror(errno));
        }
        if (count == 0) {
            return strbuf_ok(text);
        }
        strbuf_add(text, block, (size_t)count);
        at += count;
    }
}

// --- what the copy reports ---

// The lines of a report; fields are divided by tabs, and what would break that
// is escaped.
typedef struct Report {
    Session *session;
    int output, file;
    uint32_t calls;  // begun so far
    uint32_t events; // told so far
} Report;

static void add_field(StrBuf *line, const char *text, size_t length)
{
    strbuf_putc(line, '\t');
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '\t': strbuf_printf(line, "\\t"); break;
        case '\n': strbuf_printf(line, "\\n"); break;
        case '\\': strbuf_printf(line, "\\\\"); break;
        default: strbuf_putc(line, text[i]); break;
        }
    }
}

// Written at once: a copy that is ended has reported what it came to. A line
// that cannot be written is missing, which the reader is ready for.
static void end_line(const Report *report, StrBuf *line)
{
    strbuf_putc(line, '\n');
    if (strbuf_ok(line)) {
        (void)write_all(report->file, strbuf_text(line), line->length);
    }
    strbuf_free(line);
}

// "call", how much the copy had written before, line, function, file.
static void report_call(Vm *vm, const Str *function, const Source *source,
                        uint32_t line_number, void *data)
{
    Report *report = data;
    report->calls++;
    if (!session_flush(report->session)) {
        raise_clear(vm);
    }
    StrBuf line;
    strbuf_init(&line, &vm->ctx);
    strbuf_printf(&line, "call\t%lld\t%u",
                  (long long)lseek(report->output, 0, SEEK_CUR), line_number);
    add_field(&line, function->text, function->length);
    const char *file = source != NULL ? source->name : "";
    add_field(&line, file, strlen(file));
    end_line(report, &line);
}

// "event", code, how many calls had begun, line, function, file, the text of
// the line, what more is known, "quiet" or nothing.
static void report_event(Vm *vm, const Event *event, const Str *function,
                         void *data)
{
    Report *report = data;
    if (report->events++ >= REPORT_EVENTS) {
        return; // a loop that does the same again and again
    }
    StrBuf line;
    strbuf_init(&line, &vm->ctx);
    strbuf_printf(&line, "event\tD%d\t%u\t%u", event_code(event->kind),
                  report->calls, event->line);
    const char *name = function != NULL ? function->text : "";
    add_field(&line, name, strlen(name));
    name = event->source != NULL ? event->source->name : "";
    add_field(&line, name, strlen(name));
    size_t length;
    const char *text = event_text(event, &length);
    add_field(&line, text, length);
    text = event->path != NULL ? event->path->text : event->what;
    add_field(&line, text, strlen(text));
    text = event_is_quiet(event) ? "quiet" : "";
    add_field(&line, text, strlen(text));
    end_line(report, &line);
}

// "raised", the error's class, and "traced" or "ran": how the last call ended.
static void report_raised(Vm *vm, void *data)
{
    const Report *report = data;
    Value error = vm->exception;
    const char *name = type_name(raise_class(vm));
    bool traced = value_is_object(error) && value_as_exception(error)->traced;
    const char *when = traced ? "traced" : "ran";
    StrBuf line;
    strbuf_init(&line, &vm->ctx);
    strbuf_printf(&line, "raised");
    add_field(&line, name, strlen(name));
    add_field(&line, when, strlen(when));
    end_line(report, &line);
}

// --- running ---

// The copy's whole life. Remarks would stand in the way of its output, and
// there is no prompt.
static _Noreturn void live(Session *session, const WorldPlan *plan,
                           const WorldFiles *files)
{
    Vm *vm = session->vm;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // its output would go nowhere
    FileLog filelog;
    filelog_init(vm, &filelog, files->changes);
    bool taken = filelog_take_open(vm);
    bool ready = dup2(files->input, STDIN_FILENO) >= 0 &&
                 dup2(files->output, STDOUT_FILENO) >= 0 &&
                 dup2(files->output, STDERR_FILENO) >= 0;
    session->status = SESSION_OK; // not that of an earlier entry
    session->prompting = false;
    session->progress = NULL; // its thread is the parent's
    vm->eager_only = plan->eager;
    stager_of(vm)->notes = stager_of(vm)->log = false;
    Report report = {session, files->output, files->report, 0, 0};
    EventListener listener = {.called = report_call,
                              .event = report_event,
                              .raised = report_raised,
                              .data = &report};
    stager_of(vm)->listener = &listener;
    vm->long_calls = true;
    if (!ready || !taken || value_failed(vm_call(vm, plan->call, NULL, 0))) {
        session_report(session);
    }
    vm_finish(vm); // functions of atexit, finalisers
    _exit(session_flush(session) ? session->status : SESSION_LOST);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// What would end the parent, held back until the files are as they were.
static sigset_t leaving_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

static bool is_leaving(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && (sigismember(&pending, SIGTERM) == 1 ||
                                         sigismember(&pending, SIGHUP) == 1);
}

// Looks from time to time, so that Ctrl-C and the limit are seen.
static bool wait_for(Vm *vm, pid_t process, int output, double seconds,
                     World *world)
{
    double end = now() + seconds;
    for (;;) {
        int status;
        pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended == process) {
            world->status =
                WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
            return true;
        }
        struct stat written;
        bool stopped = !ctx_poll(&vm->ctx);
        world->late =
            !stopped &&
            (is_leaving() || (seconds > 0 && now() > end) ||
             (fstat(output, &written) == 0 && written.st_size > OUTPUT_LIMIT));
        if (stopped || world->late) {
            kill(-process, SIGKILL); // with the programs that it started
            waitpid(process, &status, 0);
            world->status = -SIGKILL;
            return !stopped;
        }
        nanosleep(&(struct timespec){.tv_nsec = WAIT_NANOSECONDS}, NULL);
    }
}

static bool run_in(Session *session, const WorldPlan *plan,
                   const WorldFiles *files, World *world)
{
    Vm *vm = session->vm;
    const Str *input = plan->input;
    if (!write_all(files->input, input->text, input->length) ||
        lseek(files->input, 0, SEEK_SET) < 0) {
        return raise_false(vm, ERR_OS, "no input for a world: %s",
                           strerror(errno));
    }
    // What is still in the buffers would be written twice.
    if (!session_flush(session)) {
        return false;
    }
    fflush(NULL);
    sigset_t leaving = leaving_signals(), before;
    sigprocmask(SIG_BLOCK, &leaving, &before);
    pid_t process = fork();
    if (process == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        live(session, plan, files);
    }
    if (process < 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return raise_false(vm, ERR_OS, "no process for a world: %s",
                           strerror(errno));
    }
    setpgid(process, process); // whoever of the two comes first
    bool ended = wait_for(vm, process, files->output, plan->seconds, world);
    char lost[PATH_MAX];
    bool restored = filelog_undo(files->changes, lost);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!restored && ended) {
        return raise_false(vm, ERR_OS, "'%s' cannot be put back: %s", lost,
                           strerror(errno));
    }
    return ended && read_back(vm, files->output, &world->output) &&
           read_back(vm, files->report, &world->report);
}

bool world_run(Session *session, const WorldPlan *plan, World *world)
{
    Vm *vm = session->vm;
    *world = (World){0};
    strbuf_init(&world->output, &vm->ctx);
    strbuf_init(&world->report, &vm->ctx);
    WorldFiles files = {-1, -1, -1, -1};
    bool done = open_one(vm, "input", &files.input) &&
                open_one(vm, "output", &files.output) &&
                open_one(vm, "report", &files.report) &&
                open_one(vm, "changes", &files.changes) &&
                run_in(session, plan, &files, world);
    close_files(&files);
    return done;
}

void world_free(World *world)
{
    strbuf_free(&world->output);
    strbuf_free(&world->report);
}
