// The native half of the module os: what the system is asked for.
//
// Invariant: every refusal of the system becomes the OSError of its errno,
// with the path that was given.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/utf8.h"
#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/codec.h"
#include "interp/objects/text/obj_bytes.h"
#include "modules/files/filelog.h"
#include "modules/importing/module.h"

// The head of a native function; the rows of `functions` name it. Those with an
// underscore there serve lib/python/os/__init__.duet, which wraps them.
#define OS_BODY(name) static Value os_##name(Vm *vm, Value *args)

// The functions that take a path, as errors name them, and what else each takes
// for one.
typedef struct PathUse {
    const char *function;
    const char *kinds;
} PathUse;

#define PATH_ONLY(function) (&(const PathUse){function, " or os.PathLike"})
#define PATH_OR_FILE(function)                                                 \
    (&(const PathUse){function, ", os.PathLike or integer"})

// The path of a str, bytes, or object with __fspath__, as a new reference to
// what holds it; *text points into that. VALUE_FAIL: failed.
static Value path_argument(Vm *vm, Value v, const PathUse *use,
                           const char **text)
{
    Value path = VALUE_UNBOUND;
    if (value_is_str(v) || value_is_kind(v, KIND_BYTES)) {
        path = value_retain(v);
    } else {
        Value method = value_find_method(vm, v, vm->names[NAME_FSPATH]);
        // UNBOUND: it has no such method, which is told below.
        // __fspath__ is looked up in the class, like all special methods.
        path = value_failed(method) || value_unbound(method)
                   ? method
                   : vm_call(vm, method, NULL, 0);
        release(vm, method);
    }
    if (value_failed(path)) {
        return path;
    }
    if (!value_is_str(path) && !value_is_kind(path, KIND_BYTES)) {
        release(vm, path);
        return raise_error(
            vm, ERR_TYPE, "%s: path should be string, bytes%s, not %s",
            use->function, use->kinds, type_name(type_of(vm, v)));
    }
    Value named = codec_to_system(vm, path);
    release(vm, path);
    if (value_failed(named)) {
        return named;
    }
    path = named;
    // Bytes stand for themselves: the system knows no encoding.
    bool str = value_is_str(path);
    *text = str ? value_as_str(path)->text : bytes_text(path);
    size_t length = str ? value_as_str(path)->length : bytes_length(path);
    // The system would silently stop at the zero byte and take another file.
    if (strlen(*text) != length) {
        release(vm, path);
        return raise_error(vm, ERR_VALUE, "%s: embedded null character in path",
                           use->function);
    }
    return path;
}

// Calls `act` (0: done, else errno is set) with the path of args[0]; `changes`:
// what stands there will be another.
static Value on_path(Vm *vm, Value v, const PathUse *use, bool changes,
                     int (*act)(const char *path))
{
    const char *text;
    Value path = path_argument(vm, v, use, &text);
    if (value_failed(path)) {
        return path;
    }
    if (changes && !filelog_change(vm, text, false)) {
        release(vm, path);
        return VALUE_FAIL;
    }
    // raise_errno copies the path, so the path object may go right behind it.
    Value result = act(text) == 0 ? VALUE_NONE : raise_errno(vm, errno, text);
    release(vm, path);
    return result;
}

OS_BODY(chdir)
{
    return on_path(vm, args[0], PATH_OR_FILE("chdir"), false, chdir);
}

OS_BODY(rmdir)
{
    return on_path(vm, args[0], PATH_ONLY("rmdir"), true, rmdir);
}

// unlink, not the C library's remove, which would take empty folders too.
OS_BODY(remove)
{
    return on_path(vm, args[0], PATH_ONLY("remove"), true, unlink);
}

// All permissions; the process's umask takes away what it should. The mode that
// a program gives is not used.
static int make_folder(const char *path)
{
    return mkdir(path, 0777);
}

// With the permissions that the umask leaves.
OS_BODY(mkdir)
{
    return on_path(vm, args[0], PATH_ONLY("mkdir"), true, make_folder);
}

// On failure the error names the source alone. A failed second path releases to
// nothing.
OS_BODY(rename)
{
    const char *from, *to;
    Value first = path_argument(vm, args[0], PATH_ONLY("rename"), &from);
    if (value_failed(first)) {
        return first;
    }
    // May run code of the program; the first path is held meanwhile.
    Value second = path_argument(vm, args[1], PATH_ONLY("rename"), &to);
    bool ready = !value_failed(second) &&
                 (vm->filelog == NULL || filelog_move(vm, from, to));
    Value result = !ready                  ? VALUE_FAIL
                   : rename(from, to) == 0 ? VALUE_NONE
                                           : raise_errno(vm, errno, from);
    release(vm, first);
    release(vm, second);
    return result;
}

// The text of a link may be anything, so only the place of it is an error.
OS_BODY(symlink)
{
    const char *to, *place;
    Value first = path_argument(vm, args[0], PATH_ONLY("symlink"), &to);
    if (value_failed(first)) {
        return first;
    }
    Value second = path_argument(vm, args[1], PATH_ONLY("symlink"), &place);
    Value result = value_failed(second) || !filelog_change(vm, place, false)
                       ? VALUE_FAIL
                   : symlink(to, place) == 0 ? VALUE_NONE
                                             : raise_errno(vm, errno, to);
    release(vm, first);
    release(vm, second);
    return result;
}

// A link's text is cut at PATH_MAX, which none can pass.
OS_BODY(readlink)
{
    const char *path;
    Value held = path_argument(vm, args[0], PATH_ONLY("readlink"), &path);
    if (value_failed(held)) {
        return held;
    }
    char text[PATH_MAX];
    ssize_t length = readlink(path, text, sizeof text);
    // readlink writes no NUL.
    Str *str = length < 0 ? NULL : codec_from_system(vm, text, (size_t)length);
    Value result =
        length < 0 ? raise_errno(vm, errno, path) : value_or_fail(str);
    release(vm, held);
    return result;
}

OS_BODY(chmod)
{
    const char *path;
    int64_t mode;
    if (!value_to_index(vm, args[1], &mode)) {
        return VALUE_FAIL;
    }
    Value held = path_argument(vm, args[0], PATH_OR_FILE("chmod"), &path);
    if (value_failed(held)) {
        return held;
    }
    Value result = !filelog_change(vm, path, true) ? VALUE_FAIL
                   : chmod(path, (mode_t)mode) == 0
                       ? VALUE_NONE
                       : raise_errno(vm, errno, path);
    release(vm, held);
    return result;
}

// Both times in seconds; lib/os gives the present where none were.
OS_BODY(utime)
{
    const char *path;
    double seconds[2];
    if (!value_to_double(vm, args[1], &seconds[0]) ||
        !value_to_double(vm, args[2], &seconds[1])) {
        return VALUE_FAIL;
    }
    Value held = path_argument(vm, args[0], PATH_ONLY("utime"), &path);
    if (value_failed(held)) {
        return held;
    }
    struct timespec times[2];
    for (int i = 0; i < 2; i++) {
        // Down, also before 1970: nanoseconds must not be negative.
        double whole = floor(seconds[i]);
        times[i].tv_sec = (time_t)whole;
        times[i].tv_nsec = (long)((seconds[i] - whole) * 1e9);
    }
    Value result = !filelog_change(vm, path, true) ? VALUE_FAIL
                   : utimensat(AT_FDCWD, path, times, 0) == 0
                       ? VALUE_NONE
                       : raise_errno(vm, errno, path);
    release(vm, held);
    return result;
}

// NULL carries a pending error over as VALUE_FAIL.
static Value text_value(Vm *vm, const char *text)
{
    return value_or_fail(codec_from_system(vm, text, strlen(text)));
}

// A folder whose path is longer than PATH_MAX is an OSError.
OS_BODY(getcwd)
{
    (void)args;
    char folder[PATH_MAX];
    return getcwd(folder, sizeof folder) == NULL ? raise_errno(vm, errno, NULL)
                                                 : text_value(vm, folder);
}

// Without "." and "..", in the order of the file system.
static bool add_entries(Vm *vm, List *list, DIR *folder)
{
    for (;;) {
        struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            return true;
        }
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
            continue;
        }
        Value text = text_value(vm, name);
        if (value_failed(text) || !list_append_owned(vm, list, text)) {
            return false;
        }
    }
}

// None and no argument mean the current folder; errors then name ".".
OS_BODY(listdir)
{
    const char *text = ".";
    Value path = VALUE_NONE;
    if (!value_unbound(args[0]) && !value_is_none(args[0])) {
        path = path_argument(
            vm, args[0],
            &(const PathUse){"listdir", ", os.PathLike, integer or None"},
            &text);
        if (value_failed(path)) {
            return path;
        }
    }
    DIR *folder = opendir(text);
    // errno is read before anything else can change it.
    List *list =
        folder == NULL ? (raise_errno(vm, errno, text), NULL) : list_new(vm, 0);
    if (list != NULL && !add_entries(vm, list, folder)) {
        object_release(&vm->ctx, list);
        list = NULL;
    }
    // Closed on every way out: a DIR holds a descriptor.
    if (folder != NULL) {
        closedir(folder);
    }
    release(vm, path);
    return value_or_fail(list);
}

// A double keeps about a tenth of a microsecond of today's times.
static Value seconds(Vm *vm, struct timespec time)
{
    return float_new(vm, (double)time.tv_sec + 1e-9 * (double)time.tv_nsec);
}

// (mode, inode, device, links, user, group, size, atime, mtime, ctime).
static Value stat_tuple(Vm *vm, const struct stat *found)
{
    const int64_t numbers[] = {
        (int64_t)found->st_mode, (int64_t)found->st_ino,
        (int64_t)found->st_dev,  (int64_t)found->st_nlink,
        (int64_t)found->st_uid,  (int64_t)found->st_gid,
        (int64_t)found->st_size};
    const struct timespec times[] = {found->st_atim, found->st_mtim,
                                     found->st_ctim};
    Tuple *tuple = tuple_new(vm, 10);
    for (size_t i = 0; tuple != NULL && i < 10; i++) {
        // int_from_i64, since inodes and sizes may pass 62 bits.
        Value item =
            i < 7 ? int_from_i64(vm, numbers[i]) : seconds(vm, times[i - 7]);
        if (value_failed(item)) {
            object_release(&vm->ctx, tuple);
            return VALUE_FAIL;
        }
        tuple->items[i] = item;
    }
    return value_or_fail(tuple);
}

// `follow` decides between stat and lstat. A bad path leaves VALUE_FAIL, which
// needs no release.
OS_BODY(stat)
{
    const char *text;
    struct stat found;
    int follow = value_truth(vm, args[1]);
    int64_t number;
    if (follow > 0 && (value_is_integer(args[0]) || value_is_bool(args[0])) &&
        int_to_i64(args[0], &number)) {
        return fstat((int)number, &found) == 0 ? stat_tuple(vm, &found)
                                               : raise_errno(vm, errno, NULL);
    }
    Value path = follow < 0 ? VALUE_FAIL
                            : path_argument(vm, args[0],
                                            follow ? PATH_OR_FILE("stat")
                                                   : PATH_ONLY("lstat"),
                                            &text);
    if (value_failed(path)) {
        return path;
    }
    int status = follow ? stat(text, &found) : lstat(text, &found);
    Value result =
        status == 0 ? stat_tuple(vm, &found) : raise_errno(vm, errno, text);
    release(vm, path);
    return result;
}

OS_BODY(realpath)
{
    const char *text;
    Value path = path_argument(vm, args[0], PATH_ONLY("realpath"), &text);
    if (value_failed(path)) {
        return path;
    }
    char *found = realpath(text, NULL);
    Value result = found == NULL ? VALUE_NONE : text_value(vm, found);
    free(found);
    release(vm, path);
    return result;
}

// Asks with the real user and group, as the C function does; errors of the
// system (no such file) mean False.
OS_BODY(access)
{
    const char *text;
    int64_t mode;
    if (!value_to_index(vm, args[1], &mode)) {
        return VALUE_FAIL;
    }
    Value path = path_argument(vm, args[0], PATH_ONLY("access"), &text);
    if (value_failed(path)) {
        return path;
    }
    // A question, so that a refusal is no error.
    bool allowed = access(text, (int)mode) == 0;
    release(vm, path);
    return value_from_bool(allowed);
}

extern char **environ;

// A snapshot. lib/python/os/__init__.duet keeps its copy and the process's
// environment in step through _setenv and _unsetenv. Entries without "=" are no
// variables.
OS_BODY(environ)
{
    (void)args;
    Dict *dict = dict_new(vm);
    for (char **at = environ; dict != NULL && at != NULL && *at != NULL; at++) {
        const char *equals = strchr(*at, '=');
        size_t bad;
        // A name that is no UTF-8 could not be told apart from others.
        if (equals == NULL ||
            !utf8_validate(*at, (size_t)(equals - *at), false, &bad)) {
            continue;
        }
        // Interned, as dict_set_name wants it.
        Str *key = str_intern(vm, *at, (size_t)(equals - *at));
        Value value = key == NULL ? VALUE_FAIL : text_value(vm, equals + 1);
        bool done = !value_failed(value) && dict_set_name(vm, dict, key, value);
        object_release_null(&vm->ctx, key);
        release(vm, value);
        if (!done) {
            object_release(&vm->ctx, dict);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(dict);
}

// Changes the process's own environment, so that child processes see it.
OS_BODY(setenv)
{
    if (!value_is_str(args[0]) || !value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE, "str expected");
    }
    return setenv(value_as_str(args[0])->text, value_as_str(args[1])->text,
                  1) == 0
               ? VALUE_NONE
               : raise_errno(vm, errno, NULL);
}

OS_BODY(unsetenv)
{
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE, "str expected");
    }
    return unsetenv(value_as_str(args[0])->text) == 0
               ? VALUE_NONE
               : raise_errno(vm, errno, NULL);
}

OS_BODY(getpid)
{
    (void)args;
    return int_from_i64(vm, getpid());
}

OS_BODY(getppid)
{
    (void)args;
    return int_from_i64(vm, getppid());
}

// Those in use by the system, not those that this process may use.
OS_BODY(cpu_count)
{
    (void)args;
    return int_from_i64(vm, sysconf(_SC_NPROCESSORS_ONLN));
}

// getrandom may give less than asked for, or be interrupted by a signal: the
// loop asks for the rest.
OS_BODY(urandom)
{
    int64_t size;
    if (!value_to_index(vm, args[0], &size)) {
        return VALUE_FAIL;
    }
    if (size < 0) {
        return raise_error(vm, ERR_VALUE, "negative argument not allowed");
    }
    if (!note_effect(vm, EFFECT_DRAW, "random", VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    Bytes *bytes = bytes_new(vm, NULL, (size_t)size);
    for (size_t at = 0; bytes != NULL && at < (size_t)size;) {
        ssize_t got = getrandom(bytes->data + at, (size_t)size - at, 0);
        if (got < 0 && errno != EINTR) {
            object_release(&vm->ctx, bytes);
            return raise_errno(vm, errno, NULL);
        }
        at += got > 0 ? (size_t)got : 0;
    }
    return value_or_fail(bytes);
}

// Unknown numbers give a text too ("Unknown error 999").
OS_BODY(strerror)
{
    int64_t code;
    return value_to_index(vm, args[0], &code)
               ? text_value(vm, strerror((int)code))
               : VALUE_FAIL;
}

// As system() does it, but with a fork of our own: the C library's waits for
// its child to have begun, and a Ctrl-Z just then would stop the child alone
// and leave us where nothing can stop or end us. -1: there is no process.
static int run_shell(const char *command)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigemptyset(&ignore.sa_mask);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    // Both keys are the child's while it runs.
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return status;
}

// The result is the wait status of the shell, not its exit code. What C holds
// in its buffers goes out first, so that outputs keep their order.
OS_BODY(system)
{
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE,
                           "system() argument 1 must be str, "
                           "not %s",
                           type_name(type_of(vm, args[0])));
    }
    fflush(NULL);
    return int_from_i64(vm, run_shell(value_as_str(args[0])->text));
}

// The environment is a dict of the program's (lib/python/os).
OS_BODY(nothing)
{
    (void)vm;
    (void)args;
    return VALUE_NONE;
}

static const NativeDef functions[] = {
    {"getpid", "", os_getpid, "The number of this process."},
    {"getppid", "", os_getppid, "The number of its parent."},
    {"cpu_count", "", os_cpu_count, "How many processors there are."},
    {"urandom", "size, /", os_urandom, "Random bytes from the system."},
    {"strerror", "code, /", os_strerror, "What an errno means."},
    {"_environ", "", os_environ, "The environment, a new dict."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef reads[] = {
    {"readlink", "path", os_readlink, "What a link leads to."},
    {"getcwd", "", os_getcwd, "The folder in which the program works."},
    {"listdir", "path='.'", os_listdir, "The names in a folder."},
    {"access", "path, mode", os_access, "Whether the file may be used so."},
    {"_stat", "path, follow, /", os_stat, "What stat() knows, a tuple."},
    {"_realpath", "path, /", os_realpath, "The path, links followed."},
    {"_getenv", "", os_nothing, "Tells that the environment is asked."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef changes[] = {
    {"chdir", "path", os_chdir, "Go to a folder."},
    {"rmdir", "path", os_rmdir, "Remove an empty folder."},
    {"remove", "path", os_remove, "Remove a file."},
    {"mkdir", "path, mode=511", os_mkdir, "Make a folder."},
    {"symlink", "src, dst, target_is_directory=False", os_symlink,
     "Make a link to a path."},
    {"chmod", "path, mode", os_chmod, "Set a file's permissions."},
    {"_utime", "path, access, change, /", os_utime, "Set a file's times."},
    {"rename", "src, dst", os_rename, "Give a file another name."},
    {"system", "command", os_system, "Run a command of the shell."},
    {"_setenv", "key, value, /", os_setenv, "Set a variable."},
    {"_unsetenv", "key, /", os_unsetenv, "Forget a variable."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef os_module = {.name = "os",
                             .doc = "The operating system.",
                             .functions = functions,
                             .reads = reads,
                             .changes = changes};
