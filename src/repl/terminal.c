// Asks the system about the terminal, and runs a pager on it.
#include "repl/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TERMINAL_ROWS = 24, // where nobody knows better
    TERMINAL_COLUMNS = 80,
    TERMINAL_NOT_FOUND = 127 // the shell's status for a missing command
};

// $COLUMNS, 0 where it says nothing.
static unsigned short given_columns(void)
{
    const char *text = getenv("COLUMNS");
    long columns = text != NULL ? strtol(text, NULL, 10) : 0;
    return columns > 0 && columns <= USHRT_MAX ? (unsigned short)columns : 0;
}

// Asked for each time: a window may have been resized since. Who reads a file
// or a pipe may say how wide it is to be.
TerminalSize terminal_size(void)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
        unsigned short columns = given_columns();
        size.ws_col = columns > 0 ? columns : size.ws_col;
    }
    return (TerminalSize){.rows = size.ws_row > 0 ? size.ws_row : TERMINAL_ROWS,
                          .columns =
                              size.ws_col > 0 ? size.ws_col : TERMINAL_COLUMNS};
}

// TERM=dumb is how editors say that their window knows no escapes.
bool terminal_can_draw(int descriptor)
{
    const char *kind = getenv("TERM");
    return isatty(descriptor) && kind != NULL && kind[0] != '\0' &&
           strcmp(kind, "dumb") != 0;
}

// An empty NO_COLOR does not count, as its convention says.
bool terminal_has_colour(int descriptor)
{
    const char *none = getenv("NO_COLOR");
    return (none == NULL || none[0] == '\0') && terminal_can_draw(descriptor);
}

// Starts $PAGER, which reads what is written to the descriptor `*in`; its
// process, or -1. A fork, not popen: that one waits for its child to have
// begun, and a Ctrl-Z just then would stop the child alone and leave us
// waiting for ever.
static pid_t start_pager(int *in)
{
    const char *pager = getenv("PAGER");
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        signal(SIGPIPE, SIG_DFL);
        execl("/bin/sh", "sh", "-c",
              pager != NULL && pager[0] != '\0' ? pager : "less -R",
              (char *)NULL);
        _exit(TERMINAL_NOT_FOUND);
    }
    close(ends[0]);
    *in = ends[1];
    if (child < 0) {
        close(ends[1]);
    }
    return child;
}

// All of the text, then the end of the file. A pager that is left early takes
// no more: that is no failure, and SIGPIPE is ignored.
static void feed_pager(int in, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t sent = write(in, text, length);
        if (sent < 0 && errno != EINTR) {
            break;
        }
        text += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
    close(in);
}

// Ctrl-C is the pager's while it runs, not ours. Ctrl-Z stops us both, and
// `fg` brings both back.
bool terminal_page(const char *text, size_t length)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, &before);
    int in;
    int status = -1;
    pid_t child = start_pager(&in);
    if (child > 0) {
        feed_pager(in, text, length);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    sigaction(SIGINT, &before, NULL);
    return status >= 0 &&
           !(WIFEXITED(status) && WEXITSTATUS(status) == TERMINAL_NOT_FOUND);
}
