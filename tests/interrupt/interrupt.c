// Sends SIGINT to a program at work and measures how soon it notices:
// interrupt DELAY-MS PROGRAM ARG…
//
// The program prints a line "ready" before the work and a line "caught" when
// KeyboardInterrupt has reached it. Between the signal and "caught" its
// processor time counts, since a machine may be busy with something else.
// Prints that time in milliseconds; what the program prints after "caught" is
// passed on. Status: the program's, 99 if it neither caught the signal nor
// ended.
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 40, STATUS_DEAF = 99 }; // seconds for the whole run

// Milliseconds on a clock.
static double now(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// Reads lines until one is `wanted`; false at the end of the stream.
static bool await_line(FILE *stream, const char *wanted)
{
    char line[256];
    while (fgets(line, sizeof line, stream) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, wanted) == 0) {
            return true;
        }
        fprintf(stderr, "%s\n", line);
    }
    return false;
}

// The child, with its output in a pipe and a timer that ends it.
static pid_t start(char **argv, FILE **output)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        alarm(PATIENCE);
        execv(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    *output = fdopen(ends[0], "r");
    return child;
}

// The processor time that the child took from the signal to its "caught".
static bool measure(pid_t child, FILE *output, long delay, double *taken)
{
    clockid_t clock;
    if (!await_line(output, "ready") ||
        clock_getcpuclockid(child, &clock) != 0) {
        return false;
    }
    struct timespec pause = {delay / 1000, delay % 1000 * 1000000};
    nanosleep(&pause, NULL);
    double begun = now(clock);
    kill(child, SIGINT);
    bool caught = await_line(output, "caught");
    *taken = now(clock) - begun;
    return caught;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: interrupt DELAY-MS PROGRAM ARG...\n");
        return 2;
    }
    FILE *output = NULL;
    pid_t child = start(argv + 2, &output);
    if (child < 0 || output == NULL) {
        return 2;
    }
    double taken = 0;
    bool caught = measure(child, output, strtol(argv[1], NULL, 10), &taken);
    char line[256];
    if (caught) {
        printf("%.0f\n", taken);
    }
    while (fgets(line, sizeof line, output) != NULL) {
        fputs(line, stdout);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return !caught             ? STATUS_DEAF
           : WIFEXITED(status) ? WEXITSTATUS(status)
                               : 128 + WTERMSIG(status);
}
