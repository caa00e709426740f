// Sources of feeds that read files: lines, and the records of TFRecord files.
//
// Invariant: what has been read and not given stands in [begin, end) of the
// room, the last bytes of the file in it if `ended`.
#include "backend/feed_stage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc.h"

enum {
    READ_SIZE = 1 << 18, // bytes at a time
    HEAD_SIZE = 12,      // of a record: its length, and a checksum of that
    TAIL_SIZE = 4        // the checksum of its bytes
};

typedef struct Files {
    FeedStage head;
    FeedFile kind;
    char **paths;            // owned
    size_t path_count, path; // the next one
    int fd;                  // of the one before it, -1: none is open
    bool ended;
    char *room;
    size_t size, begin, end;
    Crc crc;
} Files;

// Opens the next file. A pipe is asked for nothing: opening it would wait for
// who writes, and closing it again would end him.
static bool open_next(Files *files)
{
    struct stat about;
    const char *path = files->paths[files->path++];
    files->begin = files->end = 0;
    files->ended = false;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) {
        files->fd = open(path, O_RDONLY | O_CLOEXEC);
    }
    return files->fd >= 0;
}

static void close_file(Files *files)
{
    if (files->fd >= 0) {
        close(files->fd);
    }
    files->fd = -1;
}

// More bytes behind those that are there, at least one unless the file ends.
static bool read_more(Ctx *ctx, Files *files)
{
    memmove(files->room, files->room + files->begin, files->end - files->begin);
    files->end -= files->begin;
    files->begin = 0;
    if (files->size - files->end < READ_SIZE) {
        size_t size = files->size + files->end + READ_SIZE;
        char *room = ctx_realloc(ctx, files->room, files->size, size);
        if (room == NULL) {
            return false;
        }
        files->room = room;
        files->size = size;
    }
    ssize_t count;
    do {
        count =
            read(files->fd, files->room + files->end, files->size - files->end);
    } while (count < 0 && errno == EINTR);
    files->ended = count == 0;
    files->end += count > 0 ? (size_t)count : 0;
    return count >= 0 && !feed_stopped(ctx);
}

// A file is open, or FEED_END: there are no more.
static FeedState ensure_open(Files *files)
{
    if (files->fd >= 0) {
        return FEED_MADE;
    }
    if (files->path == files->path_count) {
        return FEED_END;
    }
    return open_next(files) ? FEED_MADE : FEED_BROKEN;
}

static FeedState give(Ctx *ctx, FeedRow *row, const char *bytes, size_t length)
{
    row->leaves[0] = tensor_scalar_string(ctx, bytes, length);
    row->count = row->leaves[0] != NULL;
    return row->count > 0 ? FEED_MADE : FEED_BROKEN;
}

// The length of a line without its end.
static size_t bare_length(const char *line, size_t length)
{
    length -= length > 0 && line[length - 1] == '\n';
    return length - (length > 0 && line[length - 1] == '\r');
}

static FeedState next_line(Ctx *ctx, Files *files, FeedRow *row)
{
    size_t seen = 0;
    const char *end = NULL;
    for (;;) {
        size_t have = files->end - files->begin;
        const char *line = files->room + files->begin;
        end = have > seen ? memchr(line + seen, '\n', have - seen) : NULL;
        if (end != NULL || files->ended) {
            break;
        }
        seen = have;
        if (!read_more(ctx, files)) {
            return FEED_BROKEN;
        }
    }
    const char *line = files->room + files->begin;
    size_t length =
        end != NULL ? (size_t)(end - line) + 1 : files->end - files->begin;
    if (length == 0) {
        close_file(files);
        return FEED_END;
    }
    files->begin += length;
    return give(ctx, row, line,
                files->kind == FEED_WHOLE ? length : bare_length(line, length));
}

static uint64_t number_at(const char *bytes, int size)
{
    uint64_t number = 0;
    for (int i = size; i-- > 0;) {
        number = number << 8 | (unsigned char)bytes[i];
    }
    return number;
}

// Whether the bytes have the checksum that stands behind them.
static bool are_whole(const Files *files, const char *bytes, size_t length)
{
    uint32_t sum = crc_add(&files->crc, 0, bytes, length);
    sum = (sum >> 15 | sum << 17) + 0xA282EAD8;
    return sum == (uint32_t)number_at(bytes + length, TAIL_SIZE);
}

// Has so many bytes of the file in the room, if it has them.
static bool have_bytes(Ctx *ctx, Files *files, size_t count)
{
    while (files->end - files->begin < count && !files->ended) {
        if (!read_more(ctx, files)) {
            return false;
        }
    }
    return files->end - files->begin >= count;
}

static FeedState next_record(Ctx *ctx, Files *files, FeedRow *row)
{
    bool head = have_bytes(ctx, files, HEAD_SIZE);
    if (!head && files->ended && files->begin == files->end) {
        close_file(files);
        return FEED_END;
    }
    if (!head || !are_whole(files, files->room + files->begin, 8)) {
        return FEED_BROKEN;
    }
    uint64_t length = number_at(files->room + files->begin, 8);
    if (length > INT32_MAX ||
        !have_bytes(ctx, files, HEAD_SIZE + (size_t)length + TAIL_SIZE) ||
        !are_whole(files, files->room + files->begin + HEAD_SIZE,
                   (size_t)length)) {
        return FEED_BROKEN;
    }
    const char *data = files->room + files->begin + HEAD_SIZE;
    files->begin += HEAD_SIZE + (size_t)length + TAIL_SIZE;
    return give(ctx, row, data, (size_t)length);
}

static FeedState files_next(Ctx *ctx, FeedStage *stage, FeedRow *row)
{
    Files *files = (Files *)stage;
    for (;;) {
        FeedState state = ensure_open(files);
        if (state != FEED_MADE) {
            return state;
        }
        state = files->kind == FEED_RECORDS ? next_record(ctx, files, row)
                                            : next_line(ctx, files, row);
        if (state != FEED_END) {
            return state;
        }
    }
}

static void files_free(Ctx *ctx, FeedStage *stage)
{
    Files *files = (Files *)stage;
    close_file(files);
    for (size_t i = 0; files->paths != NULL && i < files->path_count; i++) {
        if (files->paths[i] != NULL) {
            ctx_free(ctx, files->paths[i], strlen(files->paths[i]) + 1);
        }
    }
    ctx_free(ctx, files->paths, files->path_count * sizeof *files->paths);
    ctx_free(ctx, files->room, files->size);
    ctx_free(ctx, files, sizeof *files);
}

bool feed_files(Feed *feed, FeedFile kind, const char *const *paths,
                size_t count)
{
    Ctx *ctx = feed_ctx(feed);
    Files *files = feed_push(feed, sizeof *files, files_next, files_free);
    if (files == NULL) {
        return false;
    }
    files->kind = kind;
    files->fd = -1;
    crc_init(&files->crc, CRC_CASTAGNOLI);
    files->path_count = count;
    files->paths = ctx_alloc_zero(ctx, count * sizeof *files->paths);
    bool ok = files->paths != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        files->paths[i] = ctx_strndup(ctx, paths[i], strlen(paths[i]));
        ok = files->paths[i] != NULL;
    }
    return ok;
}
