// The prompt without Readline, at a terminal that cannot move its cursor
// (TERM=dumb, as in editors' windows), and where input is no terminal at all.
//
// Invariant: an entry that was begun is never lost but by Ctrl-C: the end of
// the input ends it as a blank line would.
#include "repl/prompt_plain.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "repl/entry.h"
#include "repl/history.h"

// Ctrl-C, in `errno` as the handler has no SA_RESTART: a fresh prompt comes.
static void drop_lines(Session *session, StrBuf *entry)
{
    clearerr(stdin);
    ctx_interrupt_clear(&session->vm->ctx, INTERRUPT_SIGNAL);
    fputs("\n", stdout);
    strbuf_free(entry);
}

// A NUL would end the entry for all that take it as C text: it becomes what
// other bytes that are no text become.
static void add_line(StrBuf *entry, const char *line, size_t length)
{
    char mark[UTF8_MAX_BYTES];
    size_t mark_length = utf8_encode(UTF8_REPLACEMENT, mark);
    while (length > 0) {
        size_t piece = strnlen(line, length);
        strbuf_add(entry, line, piece);
        if (piece < length) {
            strbuf_add(entry, mark, mark_length);
            piece++;
        }
        line += piece;
        length -= piece;
    }
}

// Commands and questions are one line; code goes on as long as the parser asks
// for more. It is asked as by Enter behind the last line, whose end would
// count as the blank line that ends a block.
static bool is_whole(Ctx *ctx, StrBuf *entry)
{
    bool ended = entry->text[entry->length - 1] == '\n';
    if (ended) {
        entry->text[entry->length - 1] = '\0';
    }
    bool whole = entry->text[strspn(entry->text, " \t")] == '%' ||
                 entry_status(ctx, entry->text) != PARSE_INCOMPLETE;
    if (ended) {
        entry->text[entry->length - 1] = '\n';
    }
    return whole;
}

// Shows the prompt and waits for a line of a terminal. Ctrl-C gets through
// only while we wait: one that came in front of the read itself would be seen
// a line later. False: it came.
static bool wait_for_line(Ctx *ctx, const char *text)
{
    sigset_t interrupt, outside;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &outside);
    fputs(text, stdout);
    fflush(stdout);
    struct pollfd key = {.fd = STDIN_FILENO, .events = POLLIN};
    // One may have come before they were blocked.
    bool came = !ctx_interrupted(ctx) &&
                (!isatty(STDIN_FILENO) || ppoll(&key, 1, NULL, &outside) >= 0 ||
                 errno != EINTR);
    sigprocmask(SIG_SETMASK, &outside, NULL);
    return came;
}

// Gathers lines in `entry`. False: the input has ended, maybe behind a part.
static bool gather(Session *session, StrBuf *entry, const char *text,
                   const char *more)
{
    char *line = NULL;
    size_t size = 0;
    bool whole = false, ended = false;
    while (!whole && !ended) {
        errno = 0;
        bool waited =
            wait_for_line(&session->vm->ctx, entry->length == 0 ? text : more);
        ssize_t length = waited ? getline(&line, &size, stdin) : -1;
        if (length < 0 &&
            (errno == EINTR || ctx_interrupted(&session->vm->ctx))) {
            drop_lines(session, entry);
        } else if (length < 0) {
            ended = true;
        } else {
            add_line(entry, line, (size_t)length);
            // Without memory the caller gets what there is.
            whole = !strbuf_ok(entry) || is_whole(&session->vm->ctx, entry);
        }
    }
    free(line);
    return whole;
}

// From malloc, as Readline's; NULL: the end of input.
char *prompt_plain_read(Session *session, const char *text, const char *more)
{
    Ctx *ctx = &session->vm->ctx;
    StrBuf entry;
    strbuf_init(&entry, ctx);
    if (!gather(session, &entry, text, more) && entry.length > 0) {
        // The next prompt begins its own line, and asks the terminal again.
        clearerr(stdin);
        fputs("\n", stdout);
    }
    char *found =
        entry.length > 0 && strbuf_ok(&entry) ? strdup(entry.text) : NULL;
    ctx_clear(ctx);
    strbuf_free(&entry);
    if (found != NULL && isatty(STDIN_FILENO) &&
        found[strspn(found, " \t\n")] != '\0') {
        size_t length = strlen(found);
        // The history has the entry without the line ends behind it.
        char *kept = strdup(found);
        while (kept != NULL && strchr(" \t\n", kept[length - 1]) != NULL) {
            kept[--length] = '\0';
        }
        if (kept != NULL) {
            history_append(ctx, kept);
        }
        free(kept);
    }
    return found;
}
