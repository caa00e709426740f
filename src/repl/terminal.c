// Asks the system about the terminal, and runs a pager on it.
#include "repl/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TERMINAL_ROWS = 24,    // where nobody knows better
    TERMINAL_COLUMNS = 80,
    TERMINAL_NOT_FOUND = 127 // the shell's status for a missing command
};

// Asked for each time: a window may have been resized since.
TerminalSize terminal_size(void)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    }
    return (TerminalSize){
        .rows = size.ws_row > 0 ? size.ws_row : TERMINAL_ROWS,
        .columns = size.ws_col > 0 ? size.ws_col : TERMINAL_COLUMNS};
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

// Ctrl-C is the pager's while it runs, not ours.
bool terminal_page(const char *text, size_t length)
{
    const char *pager = getenv("PAGER");
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, &before);
    FILE *pipe =
        popen(pager != NULL && pager[0] != '\0' ? pager : "less -R", "w");
    int status = -1;
    if (pipe != NULL) {
        // The text goes through a pipe, which SIGPIPE, being ignored, leaves
        // open for us to close.
        // A pager that is left early takes no more: that is no failure.
        (void)fwrite(text, 1, length, pipe);
        status = pclose(pipe);
    }
    sigaction(SIGINT, &before, NULL);
    return status >= 0 &&
           !(WIFEXITED(status) && WEXITSTATUS(status) == TERMINAL_NOT_FOUND);
}
