// Plays a session at a pseudo-terminal: a typist that waits for what it reads.
//
//     terminal SESSION PROGRAM [ARG …]
//
// SESSION holds one step a line:
//
//     > TEXT      types TEXT; \r \t \n \e \\ and \xHH stand for keys
//     < TEXT      waits until TEXT has been printed since the last step that
//                 found something
//     ! TEXT      TEXT has not been printed in the whole session so far
//     = N         the program ends, with status N
//     # …         comment; empty lines too
//
// What the terminal is told (colours, cursor moves) is taken out of what is
// compared; a redrawn line stands twice. Status 0: all steps passed; else 1,
// with the step and what was read on standard output.
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READ_MAX = 1 << 20,   // bytes of a session's output that are kept
    LINE_MAX_SIZE = 4096, // of a step
    WAIT_MS = 20000,      // until a step has failed
    QUIET_MS = 60         // silence after which the program wants a key
};

typedef struct Terminal {
    int file;              // the master side
    pid_t child;
    char read[READ_MAX];   // printed so far, without escapes; NUL at the end
    size_t length;
    size_t seen;           // of it, what `<` steps have passed
    enum { PLAIN, ESCAPE, BRACKET } state; // inside an escape sequence
} Terminal;

// Keeps a byte of output, leaving out ESC [ … letter and ESC letter.
static void keep(Terminal *t, unsigned char byte)
{
    if (t->state == ESCAPE) {
        t->state = byte == '[' || byte == ']' ? BRACKET : PLAIN;
    } else if (t->state == BRACKET) {
        t->state = isalpha(byte) || byte == '\a' ? PLAIN : BRACKET;
    } else if (byte == '\033') {
        t->state = ESCAPE;
    } else if (byte != '\r' && t->length + 1 < READ_MAX) {
        t->read[t->length++] = (char)byte;
        t->read[t->length] = '\0';
    }
}

// Reads what comes within `ms`; false: nothing did, or the program ended.
static bool take(Terminal *t, int ms)
{
    struct pollfd wait = {.fd = t->file, .events = POLLIN};
    char bytes[4096];
    if (poll(&wait, 1, ms) <= 0) {
        return false;
    }
    ssize_t count = read(t->file, bytes, sizeof bytes);
    for (ssize_t i = 0; i < count; i++) {
        keep(t, (unsigned char)bytes[i]);
    }
    return count > 0;
}

static bool wait_for(Terminal *t, const char *text)
{
    for (int waited = 0; waited < WAIT_MS; waited += QUIET_MS) {
        const char *found = strstr(t->read + t->seen, text);
        if (found != NULL) {
            t->seen = (size_t)(found - t->read) + strlen(text);
            return true;
        }
        (void)take(t, QUIET_MS);
    }
    return false;
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : tolower(c) - 'a' + 10;
}

// The byte for an escape at *at, which is moved behind it.
static char unescape(const char **at)
{
    const char *names = "rtne\\";
    const char *keys = "\r\t\n\033\\";
    const char *name = strchr(names, **at);
    if (**at == 'x' && isxdigit((unsigned char)(*at)[1]) &&
        isxdigit((unsigned char)(*at)[2])) {
        char byte = (char)(hex_digit((*at)[1]) * 16 + hex_digit((*at)[2]));
        *at += 3;
        return byte;
    }
    char byte = name == NULL || **at == '\0' ? '\\' : keys[name - names];
    *at += name == NULL || **at == '\0' ? 0 : 1;
    return byte;
}

// Types key by key, once the program has gone quiet.
static bool type(Terminal *t, const char *text)
{
    while (take(t, QUIET_MS)) {
    }
    while (*text != '\0') {
        char byte = *text++;
        if (byte == '\\') {
            byte = unescape(&text);
        }
        if (write(t->file, &byte, 1) != 1) {
            return false;
        }
        (void)take(t, 1);
    }
    return true;
}

static bool ends_with(Terminal *t, int status)
{
    int got = 0;
    for (int waited = 0; waited < WAIT_MS; waited += QUIET_MS) {
        (void)take(t, QUIET_MS);
        if (waitpid(t->child, &got, WNOHANG) == t->child) {
            t->child = 0;
            return WIFEXITED(got) && WEXITSTATUS(got) == status;
        }
        usleep(QUIET_MS * 1000);
    }
    return false;
}

static bool step(Terminal *t, const char *line)
{
    const char *text = line + (line[1] == ' ' ? 2 : 1);
    switch (line[0]) {
    case '>': return type(t, text);
    case '<': return wait_for(t, text);
    case '!': return strstr(t->read, text) == NULL;
    case '=': return ends_with(t, atoi(text));
    default: return line[0] == '#' || line[0] == '\0';
    }
}

static int play(Terminal *t, FILE *session)
{
    char line[LINE_MAX_SIZE];
    for (int number = 1; fgets(line, sizeof line, session) != NULL;
         number++) {
        line[strcspn(line, "\n")] = '\0';
        if (!step(t, line)) {
            printf("line %d: %s\nread since the last match:\n%s\n", number,
                   line, t->read + t->seen);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static Terminal terminal;
    struct winsize size = {.ws_row = 40, .ws_col = 100};
    FILE *session = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (session == NULL) {
        fprintf(stderr, "usage: terminal SESSION PROGRAM [ARG ...]\n");
        return 2;
    }
    terminal.child = forkpty(&terminal.file, NULL, NULL, &size);
    if (terminal.child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    int status = terminal.child < 0 ? 1 : play(&terminal, session);
    if (terminal.child > 0) {
        kill(terminal.child, SIGKILL);
        waitpid(terminal.child, NULL, 0);
    }
    fclose(session);
    return status;
}
