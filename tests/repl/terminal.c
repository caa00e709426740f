// Plays a session at a pseudo-terminal and compares what a person sees.
//
//     terminal SESSION PROGRAM [ARG …]
//
// SESSION holds one step a line (tests/README.md lists them; steps.c takes
// them). Prints the number of checks and ends with 0 if all held; else the step
// that did not, the screen, and 1.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "look.h"
#include "steps.h"

// The `|` lines that follow belong to the step.
static void read_body(Player *player, FILE *session, int *number)
{
    size_t length = 0;
    int byte;
    player->body[0] = '\0';
    while ((byte = getc(session)) == '|') {
        char line[STEP_MAX];
        if (fgets(line, sizeof line, session) == NULL) {
            return;
        }
        ++*number;
        size_t more = strlen(line);
        if (length + more < sizeof player->body) {
            memcpy(player->body + length, line, more + 1);
            length += more;
        }
    }
    if (byte != EOF) {
        ungetc(byte, session);
    }
}

// What a person needs to see the fault: the step, what was expected, what
// was there.
static void report(const Player *player, int number, const char *line)
{
    const Pty *pty = &player->now->pty;
    printf("line %d: %s\n", number, line);
    if (player->why != NULL) {
        printf("%s\n", player->why);
    }
    if (player->body[0] != '\0') {
        printf("expected:\n%s", player->body);
    }
    if (player->now->started) {
        char *text = look_text(&pty->screen);
        printf("the screen (cursor in row %d, column %d, %s):\n%s",
               pty->screen.row + 1, pty->screen.col + 1,
               !pty->running     ? "ended"
               : pty_cooked(pty) ? "busy"
                                 : "waiting",
               text);
        free(text);
    }
}

// Ends at the first step that fails, since the others build on it.
static bool play(Player *player, FILE *session)
{
    char line[STEP_MAX];
    for (int number = 1; fgets(line, sizeof line, session) != NULL; number++) {
        int at = number;
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0') {
            continue;
        }
        read_body(player, session, &number);
        char copy[STEP_MAX];
        strcpy(copy, line);
        if (!steps_run(player, copy)) {
            report(player, at, line);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static Player player = {.rows = 24, .cols = 80};
    FILE *session = argc > 2 ? fopen(argv[1], "r") : NULL;
    if (session == NULL || setlocale(LC_CTYPE, "C.UTF-8") == NULL) {
        fprintf(stderr, "usage: terminal SESSION PROGRAM [ARG ...]\n");
        return 2;
    }
    const char *home = getenv("HOME");
    if (home == NULL || chdir(home) != 0) {
        perror("HOME");
        return 2;
    }
    player.now = &player.terminals[0];
    player.program = argv[2];
    for (int i = 3; i < argc && i < ARGS_MAX; i++) {
        player.args[player.arg_count++] = argv[i];
    }
    bool passed = play(&player, session);
    for (int i = 0; i < TERMINALS_MAX; i++) {
        if (player.terminals[i].started) {
            pty_end(&player.terminals[i].pty);
        }
    }
    free(player.words);
    fclose(session);
    if (passed) {
        printf("%d checks\n", player.checks);
    }
    return !passed;
}
