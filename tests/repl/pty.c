// Programs at pseudo-terminals.
#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

long pty_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// What the keeper tells: the program's process, once, then its states.
typedef struct Message {
    char kind; // 'p', 's' (stopped), 'x' (ended)
    int value;
} Message;

// The driver may be gone already; then nobody listens.
static void tell(int link, char kind, int value)
{
    Message message = {.kind = kind, .value = value};
    ssize_t sent = write(link, &message, sizeof message);
    (void)sent;
}

// The program gets a process group of its own: a stop of a group that no
// shell watches would be ignored by the system.
static pid_t keeper_start(char **argv)
{
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        signal(SIGINT, SIG_DFL);
        execvp(argv[0], argv);
        _exit(127);
    }
    setpgid(child, child);
    return child;
}

// Runs in the leader of the terminal's session until the program has ended.
static void keep(char **argv, int link)
{
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    pid_t child = keeper_start(argv);
    tell(link, 'p', child);
    int status;
    while (waitpid(child, &status, WUNTRACED) == child) {
        if (!WIFSTOPPED(status)) {
            tell(link, 'x',
                 WIFEXITED(status) ? WEXITSTATUS(status)
                                   : 128 + WTERMSIG(status));
            break;
        }
        tcsetpgrp(STDIN_FILENO, getpgrp());
        tell(link, 's', 0);
        char order;
        if (read(link, &order, 1) != 1) {
            break;
        }
        tcsetpgrp(STDIN_FILENO, child);
        kill(-child, SIGCONT);
    }
    // Stays until the driver has read all that was printed.
    char order;
    ssize_t got = read(link, &order, 1);
    (void)got;
    _exit(0);
}

// Takes the keeper's news, if there are any.
static void listen_to(Pty *pty, int ms)
{
    struct pollfd news = {.fd = pty->keeper_link, .events = POLLIN};
    Message message;
    while (pty->running && poll(&news, 1, ms) > 0 &&
           read(pty->keeper_link, &message, sizeof message) ==
               (ssize_t)sizeof message) {
        switch (message.kind) {
        case 'p': pty->child = message.value; break;
        case 's': pty->stopped = true; break;
        default: pty->status = message.value; pty->running = false;
        }
        ms = 0;
    }
}

// The keeper is forked with the terminal as its own; the driver keeps a
// second hold of the program's side, to ask about modes and unread keys.
bool pty_start(Pty *pty, char **argv, int rows, int cols)
{
    *pty = (Pty){.running = true};
    struct winsize size = {.ws_row = (unsigned short)rows,
                           .ws_col = (unsigned short)cols};
    int link[2];
    if (!screen_init(&pty->screen, rows, cols) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link) < 0 ||
        openpty(&pty->master, &pty->slave, NULL, NULL, &size) < 0) {
        perror("pty");
        return false;
    }
    fcntl(pty->master, F_SETFD, FD_CLOEXEC);
    fcntl(pty->slave, F_SETFD, FD_CLOEXEC);
    tcgetattr(pty->slave, &pty->before);
    pty->keeper = fork();
    if (pty->keeper == 0) {
        close(pty->master);
        close(link[0]);
        login_tty(dup(pty->slave));
        close(pty->slave);
        keep(argv, link[1]);
    }
    close(link[1]);
    pty->keeper_link = link[0];
    listen_to(pty, 10000);
    return pty->child > 0;
}

// A program that still runs is killed with all that it started.
void pty_end(Pty *pty)
{
    if (pty->running && pty->child > 0) {
        kill(-pty->child, SIGKILL);
    }
    if (pty->keeper > 0) {
        kill(pty->keeper, SIGKILL);
        waitpid(pty->keeper, NULL, 0);
    }
    close(pty->keeper_link);
    close(pty->slave);
    if (pty->master >= 0) {
        close(pty->master);
    }
    screen_free(&pty->screen);
    *pty = (Pty){.master = -1};
}

// A terminal that asks for the cursor's place is answered at once: the
// program waits for it.
bool pty_read(Pty *pty, int ms)
{
    listen_to(pty, 0);
    if (pty->master < 0) {
        listen_to(pty, ms);
        return false;
    }
    struct pollfd wait = {.fd = pty->master, .events = POLLIN};
    char bytes[4096];
    if (poll(&wait, 1, ms) <= 0) {
        return false;
    }
    ssize_t count = read(pty->master, bytes, sizeof bytes);
    if (count <= 0) {
        return false;
    }
    screen_write(&pty->screen, bytes, (size_t)count);
    if (pty->screen.reply_length > 0) {
        size_t length = pty->screen.reply_length;
        pty->screen.reply_length = 0;
        (void)pty_write(pty, pty->screen.reply, length);
    }
    return true;
}

// A terminal's queue is small: what does not fit waits until the program has
// read, and the program may wait for us to read what it prints.
bool pty_write(Pty *pty, const char *bytes, size_t length)
{
    long end = pty_now() + 20000;
    while (length > 0 && pty_now() < end && pty->master >= 0) {
        struct pollfd room = {.fd = pty->master, .events = POLLOUT};
        if (poll(&room, 1, 10) > 0 && (room.revents & POLLOUT) != 0) {
            size_t piece = length < 256 ? length : 256;
            ssize_t sent = write(pty->master, bytes, piece);
            if (sent < 0 && errno != EAGAIN && errno != EINTR) {
                return false;
            }
            bytes += sent > 0 ? sent : 0;
            length -= sent > 0 ? (size_t)sent : 0;
        }
        if (length > 0) {
            (void)pty_read(pty, 0);
        }
    }
    return length == 0;
}

// The state letter of the program's main thread.
static char process_state(pid_t child)
{
    char path[64];
    char text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return 'X';
    }
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    const char *end = strrchr(text, ')'); // the name may hold anything
    return end == NULL || end[1] == '\0' ? 'X' : end[2];
}

// The modes are the terminal's, so it does not matter which side asks.
bool pty_cooked(const Pty *pty)
{
    struct termios modes;
    return tcgetattr(pty->slave, &modes) == 0 && (modes.c_lflag & ICANON) != 0;
}

// Keys that the program has not read. What we wrote goes through a queue of
// the system's; poll makes it arrive before the count is asked for.
static bool has_unread(const Pty *pty)
{
    struct pollfd keys = {.fd = pty->slave, .events = POLLIN};
    int unread = 0;
    return poll(&keys, 1, 0) != 0 || ioctl(pty->slave, FIONREAD, &unread) < 0 ||
           unread > 0;
}

// Asked twice around a look for output: between the two nothing woke it.
bool pty_idle(Pty *pty)
{
    for (int i = 0; i < 2; i++) {
        if (!pty->running || pty->stopped || pty_cooked(pty) ||
            has_unread(pty) || process_state(pty->child) != 'S' ||
            pty_read(pty, 0)) {
            return false;
        }
    }
    return true;
}

// PENDIN is set by the system itself when modes change.
bool pty_restored(const Pty *pty)
{
    struct termios now;
    const struct termios *then = &pty->before;
    return tcgetattr(pty->slave, &now) == 0 && now.c_iflag == then->c_iflag &&
           now.c_oflag == then->c_oflag && now.c_cflag == then->c_cflag &&
           (now.c_lflag & ~(tcflag_t)PENDIN) == then->c_lflag &&
           memcmp(now.c_cc, then->c_cc, sizeof now.c_cc) == 0;
}

// The model first: what the program draws when it hears of it is for the new
// size.
void pty_resize(Pty *pty, int rows, int cols)
{
    struct winsize size = {.ws_row = (unsigned short)rows,
                           .ws_col = (unsigned short)cols};
    screen_resize(&pty->screen, rows, cols);
    ioctl(pty->master, TIOCSWINSZ, &size);
}

// As `fg` does it; the keeper gives the terminal back before it sends
// SIGCONT.
void pty_continue(Pty *pty)
{
    pty->stopped = false;
    ssize_t sent = write(pty->keeper_link, "f", 1);
    (void)sent;
}

// As a closed window: the program gets SIGHUP and reads the end of file.
void pty_hang_up(Pty *pty)
{
    close(pty->master);
    pty->master = -1;
}
