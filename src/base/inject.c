// Allocations that fail on purpose, in builds with --enable-inject.
//
// DUET_SWEEP="FIRST STEP LAST" tries a whole row of them in one run: at each
// the process forks, the child fails that allocation, and the parent looks how
// the child ended and goes on as if nothing had been. So a program's start is
// run once, and what is left of it once an allocation.
//
// A child must end with success, or with status 1, 2 or 120 and a message about
// memory; no signal, nothing from a sanitizer, and no block that is left when
// its context is destroyed.
//
// DUET_SWEEP_WANT=FILE is what a whole run prints, and standard output must
// then be a file: a child that nowhere speaks of memory got over its failure,
// so it must print what was still to come, and end as the whole run does
// (DUET_SWEEP_STATUS). This finds results that are short because a callee's
// failure was not looked at.
#include "base/inject.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    REPORT_MOST = 1 << 14, // bytes of a child's messages that are looked at
    CHILD_SECONDS = 60,    // until a child counts as hanging
    STATUS_UNWRITTEN = 120 // of a program whose last output is lost
};

// One row a process: forks and the error stream belong to no context. The only
// state outside of one, and in no build that is installed.
static struct {
    bool asked;                           // the environment has been read
    unsigned long long first, step, last; // the row; no step: none
    unsigned long long tried, bad;
    FILE *report; // what a child says; NULL: no row, or we are a child
    FILE *output; // what a child prints; NULL when nobody asks
    FILE *want;   // what a whole run prints; NULL: not known
    int status;   // with which a whole run ends
} row;

static void read_row(void)
{
    const char *text = getenv("DUET_SWEEP");
    row.asked = true;
    if (text != NULL &&
        sscanf(text, "%llu %llu %llu", &row.first, &row.step, &row.last) == 3 &&
        row.step > 0) {
        row.report = tmpfile();
    }
    const char *want = getenv("DUET_SWEEP_WANT");
    const char *status = getenv("DUET_SWEEP_STATUS");
    row.want = want == NULL ? NULL : fopen(want, "r");
    row.output = row.want == NULL ? NULL : tmpfile();
    row.status = status == NULL ? 0 : atoi(status);
}

// Whether a message names memory, or owns up to what is missing: the child's
// user has been told.
static bool tells_of_memory(const char *text)
{
    return strstr(text, "MemoryError") != NULL ||
           strstr(text, "memory") != NULL ||
           strstr(text, "str() failed>") != NULL;
}

// Whether the child printed what the parent has still to print, or told of
// memory in a line of it. Texts longer than REPORT_MOST are compared as far.
static bool is_whole(const char *text)
{
    if (row.output == NULL) {
        return true;
    }
    static char got[REPORT_MOST], due[REPORT_MOST]; // of the test build alone
    rewind(row.output);
    size_t length = fread(got, 1, sizeof got - 1, row.output);
    got[length] = '\0';
    long written = (long)lseek(STDOUT_FILENO, 0, SEEK_CUR);
    if (tells_of_memory(text) || tells_of_memory(got) ||
        length == sizeof got - 1 || written < 0 ||
        fseek(row.want, written, SEEK_SET) != 0) {
        return true;
    }
    size_t left = fread(due, 1, sizeof due - 1, row.want);
    return left == length && memcmp(got, due, length) == 0;
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
    return code == row.status ||
           ((code == 1 || code == 2 || code == STATUS_UNWRITTEN) &&
            tells_of_memory(text));
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
    bool well = is_well(text, status);
    if (!well || !is_whole(text)) {
        row.bad++;
        fprintf(stderr, "allocation %llu: status %d%s\n%s\n", number, status,
                well ? ", and another output" : "", text);
    }
}

// True in the child, in which the allocation fails.
static bool fork_here(unsigned long long number)
{
    fflush(stdout);
    rewind(row.report);
    if (ftruncate(fileno(row.report), 0) != 0 ||
        (row.output != NULL &&
         (rewind(row.output), ftruncate(fileno(row.output), 0) != 0))) {
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
    if (row.output != NULL) {
        dup2(fileno(row.output), STDOUT_FILENO);
    } else if (freopen("/dev/null", "w", stdout) == NULL) {
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
