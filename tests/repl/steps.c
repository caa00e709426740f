// The steps of a session: one function each, and a row in the list below.
//
// Invariant: keys go out only when the program waits for them, and a check is
// repeated until it holds or nothing can change any more, so that a session
// passes or fails alike on a fast machine and a slow one.
#include "steps.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keys.h"
#include "look.h"

enum {
    WAIT_MS = 30000, // until a step has failed
    POLL_MS = 5      // between two looks at the program
};

// A step with the text behind its name, or what such a step waits for.
typedef bool Test(Player *player, const char *text);

// Until `test` holds. Once the program waits for a key and all is read,
// nothing changes any more: then the answer is final.
static bool wait_until(Player *player, Test *test, const char *text)
{
    Pty *pty = &player->now->pty;
    long end = pty_now() + WAIT_MS;
    while (!test(player, text)) {
        bool final = pty_idle(pty) || (!pty->running && !pty_read(pty, 0));
        if ((final && !pty_read(pty, 0)) || pty_now() > end) {
            return test(player, text);
        }
        (void)pty_read(pty, POLL_MS);
    }
    return true;
}

static bool is_idle(Player *player, const char *text)
{
    (void)text;
    return pty_idle(&player->now->pty);
}

static bool is_busy(Player *player, const char *text)
{
    (void)text;
    return pty_cooked(&player->now->pty);
}

static bool is_stopped(Player *player, const char *text)
{
    (void)text;
    return player->now->pty.stopped;
}

// Waits for a state that is sure to come; without `wait_until`'s short cut.
static bool wait_state(Player *player, Test *test)
{
    long end = pty_now() + WAIT_MS;
    while (!test(player, NULL)) {
        if (pty_now() > end || !player->now->pty.running) {
            return false;
        }
        (void)pty_read(&player->now->pty, POLL_MS);
    }
    return true;
}

// At the first step that needs the program, so that what comes before can
// prepare its world.
static bool start(Player *player)
{
    Terminal *terminal = player->now;
    if (terminal->started) {
        return true;
    }
    char *argv[ARGS_MAX + 2] = {player->program};
    for (int i = 0; i < player->arg_count; i++) {
        argv[i + 1] = player->args[i];
    }
    terminal->mark = 0;
    terminal->started =
        pty_start(&terminal->pty, argv, player->rows, player->cols);
    return terminal->started;
}

// Keys go out when the program wants them: earlier they would be the
// terminal's to echo.
static bool send(Player *player, const char *bytes, size_t length)
{
    Terminal *terminal = player->now;
    if (!terminal->hasty && !wait_state(player, is_idle)) {
        player->why = "the program does not wait for a key";
        return false;
    }
    const Screen *screen = &terminal->pty.screen;
    terminal->mark = screen->above_count + (size_t)screen->row;
    terminal->hasty = false;
    return pty_write(&terminal->pty, bytes, length);
}

// `type`, `line` and `feed`: Enter ends a piece, after which the program may
// be busy for a while.
static bool step_type(Player *player, const char *text)
{
    char bytes[STEP_MAX];
    strcpy(bytes, text);
    size_t length = key_unescape(bytes);
    size_t at = 0;
    while (at < length) {
        const char *enter = memchr(bytes + at, '\r', length - at);
        size_t end = enter == NULL ? length : (size_t)(enter + 1 - bytes);
        if (!send(player, bytes + at, end - at)) {
            return false;
        }
        at = end;
    }
    return true;
}

// `type` with Enter behind it.
static bool step_line(Player *player, const char *text)
{
    char line[STEP_MAX + 4];
    snprintf(line, sizeof line, "%s\\r", text);
    return step_type(player, line);
}

// For programs that read whole lines, and for keys at a bad moment.
static bool step_feed(Player *player, const char *text)
{
    char bytes[STEP_MAX];
    strcpy(bytes, text);
    player->now->hasty = true;
    return send(player, bytes, key_unescape(bytes));
}

// Arrow keys as the terminal's mode has them now.
static bool step_key(Player *player, const char *text)
{
    char names[STEP_MAX];
    strcpy(names, text);
    for (char *name = strtok(names, " "); name != NULL;
         name = strtok(NULL, " ")) {
        char bytes[KEY_MAX];
        if (!key_bytes(name, player->now->pty.screen.app_keys, bytes)) {
            player->why = "there is no such key";
            return false;
        }
        if (!send(player, bytes, strlen(bytes))) {
            return false;
        }
    }
    return true;
}

// The body's lines with `end` between them, bracketed if the program asked.
static bool paste_with(Player *player, const char *end)
{
    if (!wait_state(player, is_idle)) { // before we ask what it wants
        player->why = "the program does not wait for a key";
        return false;
    }
    bool bracketed = player->now->pty.screen.bracketed;
    char *bytes = malloc(BODY_MAX * 2);
    size_t length = 0;
    if (bytes == NULL) {
        return false;
    }
    length += (size_t)sprintf(bytes, "%s", bracketed ? "\033[200~" : "");
    for (const char *at = player->body; *at != '\0'; at++) {
        if (*at != '\n') {
            bytes[length++] = *at;
        } else if (at[1] != '\0') {
            length += (size_t)sprintf(bytes + length, "%s", end);
        }
    }
    length +=
        (size_t)sprintf(bytes + length, "%s", bracketed ? "\033[201~" : "");
    bool sent = send(player, bytes, length);
    free(bytes);
    return sent;
}

// As xterm does: a line end is what the Enter key sends.
static bool step_paste(Player *player, const char *text)
{
    (void)text;
    return paste_with(player, "\r");
}

static bool step_paste_lf(Player *player, const char *text)
{
    (void)text;
    return paste_with(player, "\n");
}

static bool step_paste_crlf(Player *player, const char *text)
{
    (void)text;
    return paste_with(player, "\r\n");
}

static bool step_resize(Player *player, const char *text)
{
    int rows, cols;
    if (sscanf(text, "%d %d", &rows, &cols) != 2 ||
        !wait_state(player, is_idle)) {
        return false;
    }
    pty_resize(&player->now->pty, rows, cols);
    return true;
}

// To the program alone, as `kill` does.
static bool step_signal(Player *player, const char *text)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"INT", SIGINT},    {"TERM", SIGTERM}, {"HUP", SIGHUP},
                   {"TSTP", SIGTSTP},  {"KILL", SIGKILL}, {"CONT", SIGCONT},
                   {"WINCH", SIGWINCH}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (strcmp(signals[i].name, text) == 0) {
            bool ready = player->now->hasty || wait_state(player, is_idle);
            return ready &&
                   kill(player->now->pty.child, signals[i].number) == 0;
        }
    }
    player->why = "there is no such signal";
    return false;
}

// The program is told and loses its terminal; `exit` says how it took it.
static bool step_hangup(Player *player, const char *text)
{
    (void)text;
    bool ready = wait_state(player, is_idle);
    pty_hang_up(&player->now->pty);
    return ready;
}

// Only for entries that run until they are stopped: a short one may be over
// before we look.
static bool step_busy(Player *player, const char *text)
{
    (void)text;
    player->now->hasty = true;
    return wait_state(player, is_busy);
}

// A stopped program has left the terminal as it found it.
static bool step_stopped(Player *player, const char *text)
{
    (void)text;
    return wait_state(player, is_stopped) && pty_restored(&player->now->pty);
}

static bool step_continue(Player *player, const char *text)
{
    (void)text;
    pty_continue(&player->now->pty);
    return wait_state(player, is_idle);
}

static bool shows_screen(Player *player, const char *text)
{
    char *shown = look_text(&player->now->pty.screen);
    bool same = shown != NULL && strcmp(shown, text) == 0;
    free(shown);
    return same;
}

// The last rows that are not blank.
static bool shows_tail(Player *player, const char *text)
{
    char *shown = look_text(&player->now->pty.screen);
    size_t length = shown == NULL ? 0 : strlen(shown);
    size_t wanted = strlen(text);
    bool same = length >= wanted &&
                (length == wanted || shown[length - wanted - 1] == '\n') &&
                strcmp(shown + length - wanted, text) == 0;
    free(shown);
    return same;
}

static bool step_screen(Player *player, const char *text)
{
    (void)text;
    return wait_until(player, shows_screen, player->body);
}

static bool step_tail(Player *player, const char *text)
{
    (void)text;
    return wait_until(player, shows_tail, player->body);
}

// Wrapped rows are one line.
static bool seen_from(Player *player, size_t line, const char *text)
{
    char *shown = screen_text_from(&player->now->pty.screen, line);
    bool found = shown != NULL && strstr(shown, text) != NULL;
    free(shown);
    return found;
}

static bool is_seen(Player *player, const char *text)
{
    return seen_from(player, player->now->mark, text);
}

static bool is_gone(Player *player, const char *text)
{
    return !seen_from(player, player->now->pty.screen.above_count, text);
}

static bool step_see(Player *player, const char *text)
{
    return wait_until(player, is_seen, text);
}

static bool step_gone(Player *player, const char *text)
{
    return wait_until(player, is_gone, text);
}

// Only once the program has said all it had to say.
static bool step_never(Player *player, const char *text)
{
    return (!player->now->pty.running || wait_state(player, is_idle)) &&
           !seen_from(player, 0, text);
}

static bool cursor_is(Player *player, const char *text)
{
    return look_cursor(&player->now->pty.screen, text);
}

static bool step_cursor(Player *player, const char *text)
{
    return wait_until(player, cursor_is, text);
}

// LOOK TEXT: somewhere on the screen TEXT stands in that look; `colour ROW
// COL LOOK TEXT` says where, counted from 1.
static bool colour_is(Player *player, const char *text)
{
    const Screen *screen = &player->now->pty.screen;
    char looks[64];
    int row, col;
    int used = 0;
    if (sscanf(text, "%d %d %63s %n", &row, &col, looks, &used) == 3) {
        return look_at(screen, row - 1, col - 1, text + used, looks);
    }
    if (sscanf(text, "%63s %n", looks, &used) != 1) {
        return false;
    }
    for (row = 0; row < screen->rows; row++) {
        for (col = 0; col < screen->cols; col++) {
            if (look_at(screen, row, col, text + used, looks)) {
                return true;
            }
        }
    }
    return false;
}

static bool step_colour(Player *player, const char *text)
{
    return wait_until(player, colour_is, text);
}

static bool step_not_colour(Player *player, const char *text)
{
    return wait_state(player, is_idle) && !colour_is(player, text);
}

// The modes are compared last, when nobody changes them any more.
static bool step_exit(Player *player, const char *text)
{
    Terminal *terminal = player->now;
    Pty *pty = &terminal->pty;
    long end = pty_now() + WAIT_MS;
    while (pty->running && pty_now() < end) {
        (void)pty_read(pty, POLL_MS);
    }
    while (pty_read(pty, 0)) {
    }
    bool right = !pty->running && pty->status == atoi(text);
    if (!right) {
        static char why[64];
        snprintf(why, sizeof why,
                 pty->running ? "it still runs" : "it ended with %d",
                 pty->status);
        player->why = why;
        return false;
    }
    right = pty->master < 0 || pty_restored(pty);
    player->why = right ? NULL : "the terminal's modes are not restored";
    pty_end(pty);
    terminal->started = false; // a next step starts it anew
    return right;
}

static bool step_terminal(Player *player, const char *text)
{
    int number = atoi(text);
    if (number < 1 || number > TERMINALS_MAX) {
        return false;
    }
    player->now = &player->terminals[number - 1];
    return true;
}

static bool step_size(Player *player, const char *text)
{
    return sscanf(text, "%d %d", &player->rows, &player->cols) == 2 &&
           player->rows <= SCREEN_ROWS_MAX && player->cols <= SCREEN_COLS_MAX;
}

// NAME=VALUE sets a variable for the programs started from here on, with
// $HOME in it replaced; NAME alone takes it away.
static bool step_env(Player *player, const char *text)
{
    (void)player;
    char *copy = strdup(text);
    char *equals = copy == NULL ? NULL : strchr(copy, '=');
    if (equals == NULL) {
        bool unset = copy != NULL && unsetenv(copy) == 0;
        free(copy);
        return unset;
    }
    *equals = '\0';
    char value[STEP_MAX];
    bool below_home = strncmp(equals + 1, "$HOME", 5) == 0;
    snprintf(value, sizeof value, "%s%s", below_home ? getenv("HOME") : "",
             equals + (below_home ? 6 : 1));
    bool set = setenv(copy, value, 1) == 0;
    free(copy);
    return set;
}

static bool step_args(Player *player, const char *text)
{
    free(player->words);
    player->words = strdup(text);
    player->arg_count = 0;
    for (char *word = player->words == NULL ? NULL : strtok(player->words, " ");
         word != NULL && player->arg_count < ARGS_MAX;
         word = strtok(NULL, " ")) {
        player->args[player->arg_count++] = word;
    }
    return player->words != NULL;
}

// A file below $HOME, which is also where the program runs.
static bool step_file(Player *player, const char *text)
{
    char path[STEP_MAX];
    strcpy(path, text);
    for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        (void)mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(text, "w");
    if (file == NULL) {
        perror(text);
        return false;
    }
    fputs(player->body, file);
    return fclose(file) == 0;
}

static bool step_shell(Player *player, const char *text)
{
    Terminal *now = player->now;
    fflush(stdout);
    // What the program does for the keys so far is done.
    bool ready = !now->started || now->pty.stopped || !now->pty.running ||
                 now->hasty || wait_state(player, is_idle);
    return ready && system(text) == 0;
}

// A step's name, what it does, and what kind it is.
static const struct {
    const char *name;
    Test *run;
    enum { SETS, ACTS, CHECKS } kind; // SETS: before the program starts
} steps[] = {
    {"size", step_size, SETS},         {"env", step_env, SETS},
    {"args", step_args, SETS},         {"file", step_file, SETS},
    {"terminal", step_terminal, SETS}, {"type", step_type, ACTS},
    {"line", step_line, ACTS},         {"feed", step_feed, ACTS},
    {"key", step_key, ACTS},           {"paste", step_paste, ACTS},
    {"paste-lf", step_paste_lf, ACTS}, {"paste-crlf", step_paste_crlf, ACTS},
    {"resize", step_resize, ACTS},     {"signal", step_signal, ACTS},
    {"hangup", step_hangup, ACTS},     {"busy", step_busy, ACTS},
    {"continue", step_continue, ACTS}, {"stopped", step_stopped, CHECKS},
    {"screen", step_screen, CHECKS},   {"tail", step_tail, CHECKS},
    {"see", step_see, CHECKS},         {"gone", step_gone, CHECKS},
    {"never", step_never, CHECKS},     {"cursor", step_cursor, CHECKS},
    {"colour", step_colour, CHECKS},   {"not-colour", step_not_colour, CHECKS},
    {"exit", step_exit, CHECKS},
};

// Steps are looked up by name; a word that is none fails the session.
bool steps_run(Player *player, char *line)
{
    char *text = line + strcspn(line, " ");
    if (*text == ' ') {
        *text++ = '\0';
    }
    player->why = NULL;
    if (strcmp(line, "shell") == 0) { // needs no program, and is a check
        player->checks++;
        return step_shell(player, text);
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strcmp(steps[i].name, line) == 0) {
            player->checks += steps[i].kind == CHECKS;
            return (steps[i].kind == SETS || start(player)) &&
                   steps[i].run(player, text);
        }
    }
    player->why = "there is no such step";
    return false;
}
