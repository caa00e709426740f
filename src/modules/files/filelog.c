// Records of what stood at a path before it was changed, and undoing them.
//
// Invariant: the first bytes of the file hold where the newest whole record
// begins, 0 for none, and are written when the record is. A copy that is killed
// while it writes one has not changed the file that it would tell of.
#include "modules/files/filelog.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interp/core/raise.h"

typedef enum RecordKind {
    RECORD_ABSENT,
    RECORD_FILE,   // followed by what was in it
    RECORD_FOLDER, // what was in it has records of its own
    RECORD_LINK,   // followed by where it led
    RECORD_MOVE    // followed by the path that it was given
} RecordKind;

// The path follows, and then `size` bytes.
typedef struct Record {
    int64_t before; // where the record before it begins; 0: there is none
    uint64_t path_size, size;
    RecordKind kind;
    mode_t mode;
    struct timespec times[2];
} Record;

enum { BLOCK_SIZE = 64 << 10 };

void filelog_init(Vm *vm, FileLog *log, int file)
{
    log->file = file;
    map_init(&log->known, &vm->ctx);
    vm->filelog = log;
}

// --- writing ---

static bool write_whole(int file, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t count = write(file, at, size);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        at += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

// Exactly `size` bytes, from here to there. False with errno set.
static bool copy_bytes(int from, int to, uint64_t size)
{
    char block[BLOCK_SIZE];
    while (size > 0) {
        ssize_t count =
            read(from, block, size < sizeof block ? size : sizeof block);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            errno = count == 0 ? EIO : errno; // it has become shorter
            return false;
        }
        if (!write_whole(to, block, (size_t)count)) {
            return false;
        }
        size -= (uint64_t)count;
    }
    return true;
}

// `rest`: the bytes behind the path, NULL: they are those of the file at it.
static bool write_record(int file, Record record, const char *path,
                         const char *rest)
{
    int64_t start = lseek(file, 0, SEEK_END);
    if (start == 0) {
        start = sizeof start;
    }
    record.path_size = strlen(path);
    if (pread(file, &record.before, sizeof record.before, 0) <= 0) {
        record.before = 0;
    }
    bool done = lseek(file, start, SEEK_SET) >= 0 &&
                write_whole(file, &record, sizeof record) &&
                write_whole(file, path, record.path_size);
    if (done && rest != NULL) {
        done = write_whole(file, rest, record.size);
    } else if (done && record.size > 0) {
        int from = open(path, O_RDONLY | O_CLOEXEC);
        done = from >= 0 && copy_bytes(from, file, record.size);
        int error = errno;
        if (from >= 0) {
            close(from);
        }
        errno = error;
    }
    return done && pwrite(file, &start, sizeof start, 0) == sizeof start;
}

// The path from the root, the last part's link followed or not. False: there
// is no such place, so that nothing can be changed there.
static bool place_of(const char *path, bool follow, char out[PATH_MAX])
{
    if (follow) {
        // What is missing is named too, a link's target as well.
        return realpath(path, out) != NULL || errno == ENOENT;
    }
    char folder[PATH_MAX];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    size_t name = length;
    while (name > 0 && path[name - 1] != '/') {
        name--;
    }
    if (name >= sizeof folder) {
        return false;
    }
    memcpy(folder, path, name);
    folder[name] = '\0';
    if (realpath(name > 0 ? folder : ".", out) == NULL) {
        return false;
    }
    size_t used = strlen(out);
    int more = snprintf(out + used, PATH_MAX - used, "/%.*s",
                        (int)(length - name), path + name);
    return more >= 0 && (size_t)more < PATH_MAX - used;
}

static bool refuse(Vm *vm, const char *path)
{
    return raise_false(vm, ERR_OS, "'%s' cannot be kept as it is: %s", path,
                       strerror(errno));
}

static bool record_place(Vm *vm, const char *place)
{
    FileLog *log = vm->filelog;
    if (map_get(&log->known, place, strlen(place)) != NULL) {
        return true;
    }
    Record record = {.kind = RECORD_ABSENT};
    char link[PATH_MAX];
    const char *rest = "";
    struct stat status;
    if (lstat(place, &status) == 0) {
        record.mode = status.st_mode & 07777;
        record.times[0] = status.st_atim;
        record.times[1] = status.st_mtim;
        if (S_ISREG(status.st_mode)) {
            record.kind = RECORD_FILE;
            record.size = (uint64_t)status.st_size;
            rest = NULL;
        } else if (S_ISDIR(status.st_mode)) {
            record.kind = RECORD_FOLDER;
        } else if (S_ISLNK(status.st_mode)) {
            ssize_t length = readlink(place, link, sizeof link);
            if (length < 0) {
                return refuse(vm, place);
            }
            record.kind = RECORD_LINK;
            record.size = (uint64_t)length;
            rest = link;
        } else {
            return true; // a device or a pipe keeps nothing
        }
    }
    return (write_record(log->file, record, place, rest) ||
            refuse(vm, place)) &&
           map_put(&log->known, place, strlen(place), 0);
}

bool filelog_change(Vm *vm, const char *path, bool follow)
{
    char place[PATH_MAX];
    return vm->filelog == NULL || !place_of(path, follow, place) ||
           record_place(vm, place);
}

bool filelog_move(Vm *vm, const char *from, const char *to)
{
    char old[PATH_MAX], new[PATH_MAX];
    struct stat status;
    if (vm->filelog == NULL || !place_of(from, false, old) ||
        !place_of(to, false, new) || lstat(old, &status) != 0) {
        return true; // it will not succeed
    }
    if (!record_place(vm, new)) {
        return false;
    }
    Record record = {.kind = RECORD_MOVE, .size = strlen(new)};
    // What was known of paths is known of others now.
    map_free(&vm->filelog->known);
    map_init(&vm->filelog->known, &vm->ctx);
    return write_record(vm->filelog->file, record, old, new) || refuse(vm, old);
}

bool filelog_open(Vm *vm, const char *path, int flags)
{
    return ((flags & O_ACCMODE) == O_RDONLY && !(flags & O_CREAT)) ||
           filelog_change(vm, path, true);
}

// --- files that were open already ---

// A descriptor that a fork gave shares its position with the parent's.
static bool take_open(Vm *vm, int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return true;
    }
    char name[32], path[PATH_MAX];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    int flags = fcntl(descriptor, F_GETFL);
    ssize_t length = readlink(name, path, sizeof path - 1);
    off_t at = lseek(descriptor, 0, SEEK_CUR);
    if (flags < 0 || length < 0 || at < 0) {
        return true;
    }
    path[length] = '\0';
    if (status.st_nlink > 0 && !filelog_open(vm, path, flags)) {
        return false;
    }
    int own = open(name, (flags & (O_ACCMODE | O_APPEND)) | O_CLOEXEC);
    bool done = own >= 0 && lseek(own, at, SEEK_SET) >= 0 &&
                dup3(own, descriptor, O_CLOEXEC) >= 0;
    if (own >= 0) {
        close(own);
    }
    return done || refuse(vm, path);
}

bool filelog_take_open(Vm *vm)
{
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) {
        return true; // no /proc: they stay shared
    }
    bool done = true;
    struct dirent *entry;
    while (done && (entry = readdir(folder)) != NULL) {
        int descriptor = atoi(entry->d_name); // 0 for "." and ".."
        if (descriptor > STDERR_FILENO) {
            done = take_open(vm, descriptor);
        }
    }
    closedir(folder);
    return done;
}

// --- undoing ---

// Whatever stands there goes, a folder if it is empty.
static void clear_place(const char *place)
{
    if (unlink(place) != 0) {
        (void)rmdir(place);
    }
}

static bool undo_file(int log, const Record *record, const char *place)
{
    struct stat status;
    if (lstat(place, &status) == 0 && !S_ISREG(status.st_mode)) {
        clear_place(place);
    }
    int file =
        open(place, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, record->mode);
    if (file < 0) {
        return false;
    }
    bool done = copy_bytes(log, file, record->size);
    int error = errno;
    close(file);
    errno = error;
    return done;
}

static bool undo_folder(const Record *record, const char *place)
{
    struct stat status;
    bool there = lstat(place, &status) == 0;
    if (there && !S_ISDIR(status.st_mode)) {
        clear_place(place);
        there = false;
    }
    return there || mkdir(place, record->mode) == 0;
}

// What another user owns may be written, but neither of these can have changed
// then.
static void undo_status(const Record *record, const char *place)
{
    (void)!chmod(place, record->mode);
    (void)utimensat(AT_FDCWD, place, record->times, 0);
}

// `rest` is the text behind the path, of a link or a move.
static bool undo_record(int file, const Record *record, const char *place,
                        const char *rest)
{
    struct stat status;
    switch (record->kind) {
    case RECORD_FILE:
    case RECORD_FOLDER: {
        bool done = record->kind == RECORD_FILE ? undo_file(file, record, place)
                                                : undo_folder(record, place);
        int error = errno;
        undo_status(record, place);
        errno = error;
        return done;
    }
    case RECORD_MOVE:
        // What failed has left it where it was.
        return lstat(place, &status) == 0 || rename(rest, place) == 0;
    case RECORD_LINK: clear_place(place); return symlink(rest, place) == 0;
    default: clear_place(place); return lstat(place, &status) != 0;
    }
}

static bool read_text(int file, uint64_t size, char out[PATH_MAX])
{
    out[size < PATH_MAX ? size : 0] = '\0';
    return size < PATH_MAX && read(file, out, size) == (ssize_t)size;
}

bool filelog_undo(int file, char lost[PATH_MAX])
{
    int error = 0;
    int64_t at = 0;
    lost[0] = '\0';
    (void)!pread(file, &at, sizeof at, 0); // empty: nothing was changed
    while (at > 0) {
        Record record;
        char place[PATH_MAX], rest[PATH_MAX] = "";
        if (lseek(file, at, SEEK_SET) < 0 ||
            read(file, &record, sizeof record) != sizeof record ||
            !read_text(file, record.path_size, place) ||
            (record.kind != RECORD_FILE &&
             !read_text(file, record.size, rest))) {
            errno = EIO;
            return false;
        }
        if (!undo_record(file, &record, place, rest) && error == 0) {
            error = errno;
            strcpy(lost, place);
        }
        at = record.before;
    }
    errno = error;
    return error == 0;
}
