// Allocations that fail on purpose, in builds with --enable-inject.
//
// DUET_SWEEP="FIRST STEP LAST" tries a whole row of them in one run: at each
// the process forks, the child fails that allocation, and the parent looks how
// the child ended and goes on as if nothing had been. So a program's start is
// run once, and what is left of it once an allocation.
//
// A child must end with success, or with status 1 or 2 and a message about
// memory; no signal, nothing from a sanitizer, and no block that is left when
// its context is destroyed.
#include "base/inject.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    REPORT_MOST = 1 << 14, // bytes of a child's messages that are looked at
    CHILD_SECONDS = 60     // until a child counts as hanging
};

// One row a process: forks and the error stream belong to no context. The only
// state outside of one, and in no build that is installed.
static struct {
    bool asked;                           // the environment has been read
    unsigned long long first, step, last; // the row; no step: none
    unsigned long long tried, bad;
    FILE *report; // what a child says; NULL: no row, or we are a child
} row;

// Reads the environment once.
static void read_row(void)
{
    const char *text = getenv("DUET_SWEEP");
    row.asked = true;
    if (text != NULL && sscanf(text, "%llu %llu %llu", &row.first, &row.step,
                               &row.last) == 3 &&
        row.step > 0) {
        row.report = tmpfile();
    }
}

// Whether the messages are what a failed allocation may leave.
static bool is_well(const char *text, int status)
{
    if (strstr(text, "Sanitizer") != NULL ||
        strstr(text, "runtime error") != NULL ||
        strstr(text, "blocks left") != NULL || !WIFEXITED(status)) {
        return false;
    }
    int code = WEXITSTATUS(status);
    return code == 0 || ((code == 1 || code == 2) &&
                         (strstr(text, "MemoryError") != NULL ||
                          strstr(text, "memory") != NULL));
}

// The parent's half: waits, judges, and shows what a bad child said.
static void judge(unsigned long long number, pid_t child)
{
    static char text[REPORT_MOST]; // of the test build alone
    int status = 0;
    waitpid(child, &status, 0);
    rewind(row.report);
    size_t length = fread(text, 1, sizeof text - 1, row.report);
    text[length] = '\0';
    row.tried++;
    if (!is_well(text, status)) {
        row.bad++;
        fprintf(stderr, "allocation %llu: status %d\n%s\n", number,
                status, text);
    }
}

// True in the child, in which the allocation fails.
static bool fork_here(unsigned long long number)
{
    fflush(stdout);
    rewind(row.report);
    if (ftruncate(fileno(row.report), 0) != 0) {
        return false;
    }
    pid_t child = fork();
    if (child != 0) {
        if (child > 0) {
            judge(number, child);
        }
        return false;
    }
    alarm(CHILD_SECONDS);
    dup2(fileno(row.report), STDERR_FILENO);
    if (freopen("/dev/null", "w", stdout) == NULL) {
        _exit(3);
    }
    row.report = NULL;
    return true;
}

// Asked for each allocation, by its number; the environment is read at the
// first.
bool inject_fails(unsigned long long number)
{
    if (!row.asked) {
        read_row();
    }
    return row.report != NULL && number >= row.first && number <= row.last &&
           (number - row.first) % row.step == 0 && fork_here(number);
}

// A child of a row tells its verdict through `report`; a single run tells what
// it leaked.
void inject_end(size_t bytes)
{
    if (row.report != NULL) {
        fprintf(stderr, "%llu passed, %llu failed\n", row.tried - row.bad,
                row.bad);
        fclose(row.report);
        row.report = NULL;
    } else if (bytes != 0 && row.step != 0) {
        fprintf(stderr, "blocks left: %zu bytes\n", bytes);
    }
}
