// The module posix: descriptors and processes, as the system gives them. The
// module os shows most of it; subprocess is built on `_spawn` and `_ready`.
//
// Invariant: no descriptor made here reaches another program unless it is
// named for it; every wait can be ended by Ctrl-C.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/files/filelog.h"
#include "modules/importing/module.h"

#define POSIX_BODY(name) static Value posix_##name(Vm *vm, Value *args)

// The most that one read asks for, so that a huge wish is not allocated.
enum { READ_MOST = 1 << 26 };

// --- arguments ---

// An argument for C's int.
static bool int_of(Vm *vm, Value v, int *out)
{
    int64_t number;
    if (!value_to_index(vm, v, &number)) {
        return false;
    }
    *out = (int)number;
    return *out == number ||
           raise_false(vm, ERR_OVERFLOW,
                       "Python int too large to convert to C int");
}

// Whether an argument of the inner functions is the tuple that it has to be.
static bool check_tuple(Vm *vm, Value v)
{
    return value_is_kind(v, KIND_TUPLE) ||
           raise_false(vm, ERR_TYPE, "a tuple is needed, not '%s'",
                       type_name(type_of(vm, v)));
}

// The same of one that has to be bytes.
static bool check_bytes(Vm *vm, Value v)
{
    return value_is_kind(v, KIND_BYTES) ||
           raise_false(vm, ERR_TYPE,
                       "a bytes-like object is required, not '%s'",
                       type_name(type_of(vm, v)));
}

static Value int_or_errno(Vm *vm, int64_t result)
{
    return result < 0 ? raise_errno(vm, errno, NULL) : int_from_i64(vm, result);
}

// --- descriptors ---

// pipe(): (the end to read from, the end to write to)
POSIX_BODY(pipe)
{
    (void)args;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return raise_errno(vm, errno, NULL);
    }
    Value items[] = {int_from_i64(vm, ends[0]), int_from_i64(vm, ends[1])};
    Value made = tuple_of_owned(vm, items, 2);
    if (value_failed(made)) {
        close(ends[0]);
        close(ends[1]);
    }
    return made;
}

// One read, again when a signal came that raises nothing (PEP 475).
POSIX_BODY(read)
{
    int file;
    int64_t size;
    if (!int_of(vm, args[0], &file) || !value_to_index(vm, args[1], &size)) {
        return VALUE_FAIL;
    }
    if (size < 0) {
        return raise_errno(vm, EINVAL, NULL);
    }
    size = size < READ_MOST ? size : READ_MOST;
    char *block = ctx_alloc(&vm->ctx, (size_t)size + 1);
    ssize_t got = -1;
    bool going = block != NULL;
    while (going) {
        got = read(file, block, (size_t)size);
        going = got < 0 && errno == EINTR && ctx_poll(&vm->ctx);
    }
    int error = errno;
    Bytes *bytes =
        block == NULL || got < 0 ? NULL : bytes_new(vm, block, (size_t)got);
    if (block != NULL) {
        ctx_free(&vm->ctx, block, (size_t)size + 1);
    }
    // Ctrl-C left its own error.
    if (block != NULL && got < 0 && error != EINTR) {
        return raise_errno(vm, error, NULL);
    }
    return value_or_fail(bytes);
}

// The count of bytes that the system took, which may be less than all.
POSIX_BODY(write)
{
    int file;
    if (!int_of(vm, args[0], &file) || !check_bytes(vm, args[1]) ||
        !note_effect(vm, EFFECT_CHANGE, "write", VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    for (;;) {
        ssize_t sent = write(file, bytes_text(args[1]), bytes_length(args[1]));
        if (sent >= 0 || errno != EINTR) {
            return int_or_errno(vm, sent);
        }
        if (!ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
}

POSIX_BODY(close)
{
    int file;
    if (!int_of(vm, args[0], &file)) {
        return VALUE_FAIL;
    }
    return close(file) == 0 ? VALUE_NONE : raise_errno(vm, errno, NULL);
}

// The copy is not inherited, whatever the first is.
POSIX_BODY(dup)
{
    int file;
    return int_of(vm, args[0], &file)
               ? int_or_errno(vm, fcntl(file, F_DUPFD_CLOEXEC, 0))
               : VALUE_FAIL;
}

// A descriptor that is closed is no terminal: no error.
POSIX_BODY(isatty)
{
    int file;
    return int_of(vm, args[0], &file) ? value_from_bool(isatty(file) == 1)
                                      : VALUE_FAIL;
}

// _open(path, flags, mode): the path is bytes, looked at by os.open().
POSIX_BODY(open)
{
    int flags, mode;
    if (!check_bytes(vm, args[0]) || !int_of(vm, args[1], &flags) ||
        !int_of(vm, args[2], &mode)) {
        return VALUE_FAIL;
    }
    const char *path = bytes_text(args[0]);
    if (!filelog_open(vm, path, flags)) {
        return VALUE_FAIL;
    }
    int file = open(path, flags | O_CLOEXEC, (mode_t)mode);
    return file < 0 ? raise_errno(vm, errno, path) : int_from_i64(vm, file);
}

// The descriptors of a tuple into `out`, each to be waited for with `events`.
// False: one is no int.
static bool add_polled(Vm *vm, const Tuple *files, short events,
                       struct pollfd *out)
{
    for (size_t i = 0; i < files->count; i++) {
        out[i].events = events;
        if (!int_of(vm, files->items[i], &out[i].fd)) {
            return false;
        }
    }
    return true;
}

// The tuple of the descriptors that have something to tell.
static Value polled_tuple(Vm *vm, const struct pollfd *polled, size_t count)
{
    List *ready = list_new(vm, 0);
    bool ok = ready != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        ok = polled[i].revents == 0 ||
             list_append_owned(vm, ready, int_from_i64(vm, polled[i].fd));
    }
    Tuple *result = ok ? tuple_from(vm, ready->items, ready->count) : NULL;
    object_release_null(&vm->ctx, ready);
    return value_or_fail(result);
}

// _ready(reading, writing, milliseconds): those of two tuples that would not
// wait; milliseconds of -1 are for ever. A signal ends the wait with none.
POSIX_BODY(ready)
{
    if (!check_tuple(vm, args[0]) || !check_tuple(vm, args[1])) {
        return VALUE_FAIL;
    }
    const Tuple *reading = value_as_tuple(args[0]);
    const Tuple *writing = value_as_tuple(args[1]);
    size_t all = reading->count + writing->count;
    size_t bytes = (all + 1) * sizeof(struct pollfd);
    int wait;
    if (!int_of(vm, args[2], &wait)) {
        return VALUE_FAIL;
    }
    struct pollfd *polled = ctx_alloc_zero(&vm->ctx, bytes);
    if (polled == NULL) {
        return VALUE_FAIL;
    }
    Value result = VALUE_FAIL;
    if (add_polled(vm, reading, POLLIN, polled) &&
        add_polled(vm, writing, POLLOUT, polled + reading->count)) {
        int got = poll(polled, (nfds_t)all, wait);
        if (got < 0 && errno != EINTR) {
            result = raise_errno(vm, errno, NULL);
        } else if (ctx_poll(&vm->ctx)) {
            result = polled_tuple(vm, polled, got < 0 ? 0 : all);
        }
    }
    ctx_free(&vm->ctx, polled, bytes);
    return result;
}

// --- processes ---

// Both of two ints, handed to `act`, which answers as the system does.
static Value with_two(Vm *vm, Value *args, int (*act)(pid_t, int))
{
    int process, number;
    if (!int_of(vm, args[0], &process) || !int_of(vm, args[1], &number)) {
        return VALUE_FAIL;
    }
    if (act(process, number) != 0) {
        return raise_errno(vm, errno, NULL);
    }
    // A signal to ourselves is felt here.
    return value_done(ctx_poll(&vm->ctx));
}

POSIX_BODY(kill)
{
    return with_two(vm, args, kill);
}

POSIX_BODY(killpg)
{
    return with_two(vm, args, killpg);
}

// (process, status as the system has it); process 0: WNOHANG, and it lives.
POSIX_BODY(waitpid)
{
    int process, options, status = 0;
    if (!int_of(vm, args[0], &process) || !int_of(vm, args[1], &options)) {
        return VALUE_FAIL;
    }
    pid_t ended;
    while ((ended = waitpid(process, &status, options)) < 0) {
        if (errno != EINTR) {
            return raise_errno(vm, errno, NULL);
        }
        if (!ctx_poll(&vm->ctx)) {
            return VALUE_FAIL;
        }
    }
    Value items[] = {int_from_i64(vm, ended), int_from_i64(vm, status)};
    return tuple_of_owned(vm, items, 2);
}

// --- new programs ---

// The places of the arguments of _spawn.
enum {
    SPAWN_PROGRAMS,    // the paths to try, tuple of bytes
    SPAWN_WORDS,       // the words of the command, tuple of bytes
    SPAWN_ENVIRONMENT, // the same for its variables; None: ours
    SPAWN_FOLDER,      // bytes; None: ours
    SPAWN_STREAMS,     // three descriptors, -1: ours
    SPAWN_KEPT,        // further descriptors for it; None: all that there are
    SPAWN_SESSION      // whether it heads a session of its own
};

// What the child needs, all made before the fork: it may not allocate.
typedef struct Spawn {
    char **programs, **words;
    char **environment; // NULL: ours
    const char *folder; // NULL: ours
    int streams[3];     // -1: ours
    int *kept;          // NULL: all are kept
    size_t kept_count;
    bool session;
    int report; // where a failure is told
} Spawn;

// The texts of a tuple of bytes, NULL behind the last; NULL: failed. To be
// freed by spawn_free_texts.
static char **spawn_texts(Vm *vm, Value v)
{
    for (size_t i = 0; i < value_as_tuple(v)->count; i++) {
        if (!check_bytes(vm, value_as_tuple(v)->items[i])) {
            return NULL;
        }
    }
    const Tuple *words = value_as_tuple(v);
    char **texts = ctx_alloc_zero(&vm->ctx, (words->count + 1) * sizeof *texts);
    for (size_t i = 0; texts != NULL && i < words->count; i++) {
        texts[i] = (char *)bytes_text(words->items[i]);
    }
    return texts;
}

// The tuple's; the texts themselves belong to its bytes.
static void spawn_free_texts(Vm *vm, char **texts, Value v)
{
    if (texts != NULL) {
        ctx_free(&vm->ctx, texts,
                 (value_as_tuple(v)->count + 1) * sizeof *texts);
    }
}

// Closes what the new program shall not have: all is marked, then those that
// it keeps are not.
static void spawn_close_others(const Spawn *spawn)
{
    if (spawn->kept == NULL) {
        return;
    }
#ifdef CLOSE_RANGE_CLOEXEC
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
#endif
    for (size_t i = 0; i < spawn->kept_count; i++) {
        fcntl(spawn->kept[i], F_SETFD, 0);
    }
}

// The streams in their places. Each moves above the three first, so that none
// covers one that is still to be moved.
static bool spawn_set_streams(Spawn *spawn)
{
    bool ok = true;
    for (int i = 0; ok && i < 3; i++) {
        if (spawn->streams[i] >= 0) {
            spawn->streams[i] = fcntl(spawn->streams[i], F_DUPFD_CLOEXEC, 3);
            ok = spawn->streams[i] >= 0;
        }
    }
    for (int i = 0; ok && i < 3; i++) {
        ok = spawn->streams[i] < 0 || dup2(spawn->streams[i], i) == i;
    }
    return ok;
}

// Tries each path; the first refusal that is not "no such file" is the one
// that is told, as a shell does it. Returns only on failure.
static int spawn_execute(const Spawn *spawn)
{
    extern char **environ;
    int first = 0;
    for (char **path = spawn->programs; *path != NULL; path++) {
        execve(*path, spawn->words,
               spawn->environment == NULL ? environ : spawn->environment);
        if (first == 0 && errno != ENOENT && errno != ENOTDIR) {
            first = errno;
        }
    }
    return first != 0 ? first : errno;
}

// The child: never returns. What fails is told as {errno, in the folder?}.
static void spawn_child(Spawn *spawn)
{
    int told[2] = {0, 0};
    sigset_t none;
    sigemptyset(&none);
    // Descriptors below 3 would be covered by the streams.
    spawn->report = fcntl(spawn->report, F_DUPFD_CLOEXEC, 3);
    errno = ENOENT;
    if (!spawn_set_streams(spawn)) {
        told[0] = errno;
    } else if (spawn->folder != NULL && chdir(spawn->folder) != 0) {
        told[0] = errno;
        told[1] = 1;
    } else {
        sigprocmask(SIG_SETMASK, &none, NULL);
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        if (spawn->session) {
            setsid();
        }
        spawn_close_others(spawn);
        told[0] = spawn_execute(spawn);
    }
    (void)!write(spawn->report, told, sizeof told);
    _exit(255);
}

// The process, or 0 with its failure in `told`; -1: there is no process.
static pid_t spawn_run(Spawn *spawn, int told[2])
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    spawn->report = ends[1];
    pid_t child = fork();
    if (child == 0) {
        spawn_child(spawn);
    }
    int error = errno;
    close(ends[1]);
    ssize_t got = 0;
    while (child > 0 && (got = read(ends[0], told, 2 * sizeof *told)) < 0 &&
           errno == EINTR) {
    }
    close(ends[0]);
    errno = error;
    if (child > 0 && got > 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
        return 0;
    }
    return child;
}

static bool spawn_numbers(Vm *vm, Value *args, Spawn *spawn)
{
    const Tuple *streams = value_as_tuple(args[SPAWN_STREAMS]);
    for (size_t i = 0; i < 3; i++) {
        if (!int_of(vm, streams->items[i], &spawn->streams[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < spawn->kept_count; i++) {
        const Tuple *kept = value_as_tuple(args[SPAWN_KEPT]);
        if (!int_of(vm, kept->items[i], &spawn->kept[i])) {
            return false;
        }
    }
    return true;
}

// Whether the arguments are of their types; what is in the tuples is looked at
// where they are read.
static bool spawn_check(Vm *vm, Value *args)
{
    return check_tuple(vm, args[SPAWN_PROGRAMS]) &&
           check_tuple(vm, args[SPAWN_WORDS]) &&
           (value_is_none(args[SPAWN_ENVIRONMENT]) ||
            check_tuple(vm, args[SPAWN_ENVIRONMENT])) &&
           (value_is_none(args[SPAWN_FOLDER]) ||
            check_bytes(vm, args[SPAWN_FOLDER])) &&
           (value_is_none(args[SPAWN_KEPT]) ||
            check_tuple(vm, args[SPAWN_KEPT])) &&
           check_tuple(vm, args[SPAWN_STREAMS]) &&
           (value_as_tuple(args[SPAWN_STREAMS])->count == 3 ||
            raise_false(vm, ERR_VALUE, "a program has three streams"));
}

// (process, errno of its failure, whether the folder failed).
POSIX_BODY(spawn)
{
    int told[2] = {0, 0};
    if (!spawn_check(vm, args) ||
        !note_effect(vm, EFFECT_CHANGE, "process", VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    bool variables = !value_is_none(args[SPAWN_ENVIRONMENT]);
    bool limited = !value_is_none(args[SPAWN_KEPT]);
    Spawn spawn = {.programs = spawn_texts(vm, args[SPAWN_PROGRAMS]),
                   .folder = value_is_none(args[SPAWN_FOLDER])
                                 ? NULL
                                 : bytes_text(args[SPAWN_FOLDER]),
                   .session = value_truth(vm, args[SPAWN_SESSION]) == 1};
    bool ok = spawn.programs != NULL &&
              (spawn.words = spawn_texts(vm, args[SPAWN_WORDS])) != NULL &&
              (!variables || (spawn.environment = spawn_texts(
                                  vm, args[SPAWN_ENVIRONMENT])) != NULL);
    if (ok && limited) {
        spawn.kept_count = value_as_tuple(args[SPAWN_KEPT])->count;
        spawn.kept = ctx_alloc(&vm->ctx, (spawn.kept_count + 1) * sizeof(int));
        ok = spawn.kept != NULL;
    }
    pid_t child =
        ok && spawn_numbers(vm, args, &spawn) ? spawn_run(&spawn, told) : -2;
    int error = errno;
    if (spawn.kept != NULL) {
        ctx_free(&vm->ctx, spawn.kept, (spawn.kept_count + 1) * sizeof(int));
    }
    spawn_free_texts(vm, spawn.environment, args[SPAWN_ENVIRONMENT]);
    spawn_free_texts(vm, spawn.words, args[SPAWN_WORDS]);
    spawn_free_texts(vm, spawn.programs, args[SPAWN_PROGRAMS]);
    if (child < 0) {
        return child == -1 ? raise_errno(vm, error, NULL) : VALUE_FAIL;
    }
    Value items[] = {int_from_i64(vm, child), int_from_i64(vm, told[0]),
                     value_from_bool(told[1] != 0)};
    return tuple_of_owned(vm, items, 3);
}

// `write` and `_spawn` tell of themselves, and of what else a program that is
// started takes.
static const NativeDef functions[] = {
    {"pipe", "", posix_pipe, "Make a pipe: (read end, write end)."},
    {"write", "fd, data, /", posix_write, "Write bytes; how many went."},
    {"close", "fd", posix_close, "Close a descriptor."},
    {"dup", "fd, /", posix_dup, "Another descriptor of the same file."},
    {"waitpid", "pid, options, /", posix_waitpid,
     "Wait for a process: (pid, status)."},
    {"_open", "path, flags, mode, /", posix_open, "Open a file."},
    {"_ready", "reading, writing, wait, /", posix_ready,
     "Which descriptors would not wait."},
    {"_spawn",
     "programs, words, environment, folder, streams, kept, session, /",
     posix_spawn, "Start a program."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef reads[] = {
    {"read", "fd, length, /", posix_read, "Bytes from a descriptor."},
    {"isatty", "fd, /", posix_isatty, "Whether it is a terminal's."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef changes[] = {
    {"kill", "pid, signal, /", posix_kill, "Send a process a signal."},
    {"killpg", "pgid, signal, /", posix_killpg,
     "Send a group of processes a signal."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef posix_module = {.name = "posix",
                                .doc = "Descriptors and processes.",
                                .functions = functions,
                                .reads = reads,
                                .changes = changes};
