// Random keys at the prompt, through a pseudo-terminal.
//
//     fuzz_prompt keys PROGRAM COUNT [SEED [FROM]]
//     fuzz_prompt stops PROGRAM COUNT [SEED [FROM]]
//     fuzz_prompt vi PROGRAM COUNT [SEED [FROM]]
//     fuzz_prompt kill PROGRAM COUNT [SEED]
//
// keys: COUNT random streams (keys, escapes, broken UTF-8, pastes with and
// without their end, windows that change). After every few of them the prompt
// must answer print(1), and nothing may have crashed. stops: the same with a
// Ctrl-Z, a pager or an editor in many places. vi: the same in vi mode, with
// its commands. kill: COUNT times
// SIGKILL at a random moment while entries are typed; the history must hold
// every entry whose value was shown. Prints what failed with its seed and ends
// with 1; FROM, a multiple of 25, goes straight to the streams that failed.
// All of it happens in a $HOME of its own, which is removed at the end.
#include <errno.h>
#include <ftw.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../repl/pty.h"

enum {
    PIECES_MAX = 12,   // of a stream
    STREAM_MAX = 4096, // bytes
    ROUND = 25,        // streams between two looks
    TELL = 1000,       // streams between two lines on standard error
    TAIL_MAX = 2000,   // bytes of the screen that a failure shows
    ENTRY_MS = 4000,   // that an entry may take
    RETRY_MS = 10000,  // until print(1) is asked a second time
    ANSWER_MS = 60000
};

static uint64_t state;

// Of the mode `stops`: what stops the program, and what it starts meanwhile.
static bool stopping;
static const char *const stops[] = {"\032", "\032", "help(str)\r", "str?\r",
                                    "\030\005"};

// Of the mode `vi`: commands, whole and in part, and searches of the history.
static bool vi;
static const char *const commands[] = {
    "dd", "cc",   "yy",   "p",     "P",     "o",      "O",     "D",      "C",
    "S",  "A",    "I",    "x",     "X",     "J",      "Y",     "j",      "k",
    "3j", "2k",   "u",    "u",     "uuuu",  "U",      ".",     "3.",     "2dd",
    "dj", "ck",   "yG",   "d$",    "c$",    ">>",     "<<",    "2>j",    "dw",
    "cw", "yw",   "d0",   "df(",   "r",     "R",      "~",     "s",      "i",
    "a",  "n",    "N",    "/if\r", "?x\r",  "/zz\r",  "/",     "G",      "3G",
    "d",  "c",    "2",    "99",    "\"a",   "mm",     "`m",    "%",      "v",
    "#",  "\033", "\033", "\033",  "\033k", "\033kA", "\033u", "\033jj",
};

// xorshift64*: the same streams for the same seed everywhere.
static uint32_t any(uint32_t below)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)((state * 0x2545F4914F6CDD1DU) >> 33) % below;
}

static const char *const pieces[] = {
    "\033[A",
    "\033[B",
    "\033[C",
    "\033[D",
    "\033[H",
    "\033[F",
    "\033[3~",
    "\033[5~",
    "\033[6~",
    "\033[Z",
    "\033b",
    "\033f",
    "\033d",
    "\033\177",
    "\033<",
    "\033>",
    "\033.",
    "\033y",
    "\033?",
    "\033t",
    "\033u",
    "\0335",
    "\033-3",
    "\033\r",
    "\033",
    "\033[",
    "\033O",
    "\033[1;5C",
    "\001",
    "\002",
    "\005",
    "\006",
    "\007",
    "\010",
    "\013",
    "\014",
    "\016",
    "\020",
    "\022",
    "\024",
    "\025",
    "\026",
    "\027",
    "\031",
    "\037",
    "\030\005",
    "\030\030",
    "\030(",
    "\030)",
    "\030e",
    "\t",
    "\t\t",
    "\t\t\t",
    "\r",
    "\r",
    "\n",
    "\177",
    "\177\177\177",
    "\033[200~",
    "\033[201~",
    "\r\n",
    "def f(x):\r",
    "if 1:",
    "else:",
    "return x\r",
    "class A:\r",
    "@stage\r",
    "\"\"\"",
    "'",
    "f\"{x!r:>{3}}\"",
    "(",
    "[",
    "{",
    ")",
    "]",
    "}",
    "print(",
    "x.",
    "\"\".",
    "[1][0].",
    "import ma",
    "from math import ",
    "open(\"",
    "d[\"",
    "%ti",
    "%run ",
    "%who\r",
    "x?\r",
    "*a*?\r",
    ">>> ",
    "... ",
    "# note",
    "\\",
    ";",
    " = 3\r",
    "1/0\r",
    "é",
    "日本",
    "e\xCC\x81",
    "\xF0\x9F\x98\x80",
    "\xC3",
    "\xE6\x97",
    "\xFF",
    "\x80",
    "\xED\xA0\x80",
    "\xEF\xBB\xBF",
    "\033[31m",
    "\033]0;t\a",
    "    ",
    "lambda x: ",
    "for i in range(3):",
    "\032",
};

static size_t make_stream(char *out)
{
    size_t length = 0;
    uint32_t count = 1 + any(PIECES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (stopping && any(3) == 0) {
            const char *piece = stops[any(sizeof stops / sizeof *stops)];
            length += (size_t)sprintf(out + length, "%s", piece);
            continue;
        }
        if (vi && any(2) == 0) {
            const char *piece =
                commands[any(sizeof commands / sizeof *commands)];
            length += (size_t)sprintf(out + length, "%s", piece);
            continue;
        }
        if (any(8) == 0) { // any bytes but those that stop or end a terminal
            for (uint32_t n = any(6); n > 0; n--) {
                char byte = (char)any(256);
                bool bad = byte == 0x1C || byte == 0x13 || byte == 0x04;
                out[length++] = bad ? 'x' : byte;
            }
            continue;
        }
        const char *piece = pieces[any(sizeof pieces / sizeof *pieces)];
        length += (size_t)sprintf(out + length, "%s", piece);
    }
    return length;
}

// The end of a long text.
static const char *tail(const char *text)
{
    size_t length = text == NULL ? 0 : strlen(text);
    return length > TAIL_MAX ? text + length - TAIL_MAX
           : text == NULL    ? ""
                             : text;
}

// Whether a sanitizer has written, or the process died of a signal.
static bool is_broken(Pty *pty)
{
    char *text = screen_text_from(&pty->screen, 0);
    bool report = text != NULL && (strstr(text, "Sanitizer") != NULL ||
                                   strstr(text, "runtime error:") != NULL);
    if (report || (!pty->running && pty->status != 0)) {
        printf("status %d\n%s\n", pty->running ? -1 : pty->status, tail(text));
        report = true;
    }
    free(text);
    return report;
}

// Takes in output until the prompt waits for keys; a stopped one goes on.
static bool settle(Pty *pty)
{
    long end = pty_now() + ANSWER_MS;
    long hint = pty_now() + ENTRY_MS;
    while (!pty_idle(pty)) {
        // An entry may wait for a line of input: Ctrl-C must end it.
        if (pty_now() > hint && pty_cooked(pty)) {
            (void)pty_write(pty, "\003", 1);
            hint = pty_now() + ENTRY_MS;
        }
        if (pty->stopped) {
            pty_continue(pty);
        }
        if (!pty->running) {
            return true;
        }
        if (pty_now() > end) {
            return false;
        }
        (void)pty_read(pty, 2);
    }
    return true;
}

// Enters what is to show a 1, and waits for a row that is the answer.
static bool asks(Pty *pty, const char *entry, long ms)
{
    size_t before = pty->screen.above_count + (size_t)pty->screen.row;
    if (!pty_write(pty, entry, strlen(entry))) {
        return false;
    }
    long end = pty_now() + ms;
    while (pty_now() < end) {
        char *text = screen_text_from(&pty->screen, before);
        bool found = text != NULL && strstr(text, "\n1\n") != NULL;
        free(text);
        if (found) {
            return settle(pty);
        }
        if (pty->stopped) { // a Ctrl-Z that took effect late
            pty_continue(pty);
        }
        (void)pty_read(pty, 2);
    }
    return false;
}

// Out of whatever the streams have left: a paste, a search, an entry; then
// the prompt must answer. The system hands keys on when it finds the time:
// some may arrive while the prompt answers Ctrl-C, and are then echoed by the
// terminal, into the row of the answer; or `print = 3` was among the streams.
// So there is a second try, without a name.
static bool answers(Pty *pty)
{
    static const char leave[] = "\033[201~";
    if (!pty_write(pty, leave, sizeof leave - 1) || !settle(pty) ||
        !pty_write(pty, "\a", 1) || !settle(pty) ||
        !pty_write(pty, "\003", 1) || !settle(pty)) {
        return false;
    }
    return !pty->running || asks(pty, "print(1)\r", RETRY_MS) ||
           (settle(pty) && asks(pty, "1\r", ANSWER_MS));
}

// What the program is doing that does not answer, as the system knows it.
static void tell_state(const Pty *pty)
{
    static const char *const facts[] = {"stat", "wchan", "status"};
    printf("%s%s, %s\n", pty->running ? "runs" : "has ended",
           pty->stopped ? ", stopped" : "",
           pty_cooked(pty) ? "usual modes" : "modes of the prompt");
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char text[2048];
        snprintf(text, sizeof text, "/proc/%d/%s", (int)pty->child, facts[i]);
        FILE *file = fopen(text, "r");
        size_t length =
            file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
        text[length] = '\0';
        printf("%s\n", text);
        if (file != NULL) {
            fclose(file);
        }
    }
}

static bool one_round(Pty *pty, int streams)
{
    char stream[STREAM_MAX];
    for (int i = 0; i < streams && pty->running; i++) {
        if (any(10) == 0) {
            pty_resize(pty, 2 + (int)any(40), 4 + (int)any(120));
        }
        size_t length = make_stream(stream);
        if (getenv("FUZZ_ECHO") != NULL) { // to repeat a failure by hand
            fprintf(stderr, "%.*s\n--\n", (int)length, stream);
        }
        if (!pty_write(pty, stream, length)) {
            break;
        }
        while (pty_read(pty, 0)) {
        }
        if (pty->stopped) {
            pty_continue(pty);
        }
    }
    return answers(pty) && !is_broken(pty);
}

static int fuzz_keys(char *program, int count, uint64_t seed, int from)
{
    char *argv[] = {program, NULL};
    Pty pty = {.master = -1};
    for (int done = from; done < count; done += ROUND) {
        state = seed * 1000003 + (uint64_t)done + 1;
        if (!pty.running) { // the first time, or a stream has left it
            if (pty.master >= 0) {
                pty_end(&pty);
            }
            if (!pty_start(&pty, argv, 24, 80) || !settle(&pty)) {
                return 1;
            }
        }
        if (!one_round(&pty, ROUND)) {
            char *text = screen_text_from(&pty.screen, 0);
            printf("FAIL after %d streams, seed %llu\n%s\n", done,
                   (unsigned long long)seed, tail(text));
            tell_state(&pty);
            free(text);
            pty_end(&pty);
            return 1;
        }
        if (done > 0 && done % TELL == 0) { // for who stops it early
            fprintf(stderr, "%d streams\n", done);
        }
        if (pty.screen.above_count > SCREEN_ABOVE_MAX / 2) {
            pty_end(&pty); // the model keeps so many rows, no more
        }
    }
    printf("%d streams, no fault\n", count);
    return 0;
}

// The entries in the history file, which must be 1, 2, 3 … in order; -1: they
// are not.
static int history_count(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/.local/state/duet/history", getenv("HOME"));
    FILE *file = fopen(path, "r");
    int count = 0;
    int number;
    while (file != NULL && fscanf(file, "%d", &number) == 1) {
        if (number != ++count) {
            count = -1;
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
        unlink(path);
    }
    return count;
}

// The highest number that was shown as a value: in a row of its own.
static int shown_count(const Screen *screen)
{
    char *text = screen_text_from(screen, 0);
    int highest = 0;
    for (char *line = text; line != NULL && *line != '\0';) {
        int number = atoi(line);
        highest = number > highest ? number : highest;
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    free(text);
    return highest;
}

static int fuzz_kill(char *program, int count, uint64_t seed)
{
    char *argv[] = {program, NULL};
    state = seed * 1000003 + 1;
    int lost = 0;
    for (int i = 0; i < count; i++) {
        Pty pty;
        if (!pty_start(&pty, argv, 24, 80) || !settle(&pty)) {
            return 1;
        }
        long end = pty_now() + (long)any(60);
        for (int n = 1; pty_now() < end; n++) {
            char entry[16];
            int length = snprintf(entry, sizeof entry, "%d\r", n);
            (void)pty_write(&pty, entry, (size_t)length);
            while (!pty_idle(&pty) && pty_now() < end) {
                (void)pty_read(&pty, 1);
            }
        }
        kill(pty.child, SIGKILL);
        while (pty.running || pty_read(&pty, 0)) {
            (void)pty_read(&pty, 5);
        }
        int shown = shown_count(&pty.screen);
        int kept = history_count();
        lost += kept < shown;
        if (kept < shown) {
            printf("FAIL: %d entries were run, %d are kept\n", shown, kept);
        }
        pty_end(&pty);
    }
    printf("%d kills, %d lost entries\n", count, lost);
    return lost > 0;
}

static int remove_entry(const char *path, const struct stat *info, int kind,
                        struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

// A folder as $HOME and to be in: what a person keeps in theirs, a history
// above all, is neither counted nor touched. False after a message.
static bool enter_home(char *folder)
{
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 ||
        setenv("HOME", folder, 1) != 0) {
        perror(folder);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    stopping = argc > 3 && strcmp(argv[1], "stops") == 0;
    vi = argc > 3 && strcmp(argv[1], "vi") == 0;
    bool keys = stopping || vi || (argc > 3 && strcmp(argv[1], "keys") == 0);
    bool kills = argc > 3 && strcmp(argv[1], "kill") == 0;
    const char *place = getenv("TMPDIR");
    char home[256];
    snprintf(home, sizeof home, "%s/duet-prompt.XXXXXX",
             place != NULL && strlen(place) < 200 ? place : P_tmpdir);
    // We go elsewhere; the program's path may begin where we are now.
    char *program = argc > 3 ? realpath(argv[2], NULL) : NULL;
    if ((!keys && !kills) || setlocale(LC_CTYPE, "C.UTF-8") == NULL ||
        program == NULL || !enter_home(home)) {
        fprintf(stderr, "usage: fuzz_prompt keys|stops|vi|kill PROGRAM COUNT "
                        "[SEED [FROM]]\n");
        free(program);
        return 2;
    }
    FILE *inputrc = fopen("inputrc", "w");
    if (inputrc != NULL) {
        fputs("set editing-mode vi\n", inputrc);
        fclose(inputrc);
    }
    uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    setenv("TERM", "xterm", 1);
    setenv("EDITOR", "true", 1);
    setenv("VISUAL", "true", 1);
    setenv("PAGER", "cat", 1);
    setenv("INPUTRC", vi ? "inputrc" : "/dev/null", 1);
    unsetenv("XDG_STATE_HOME");
    int count = atoi(argv[3]);
    int from = argc > 5 ? atoi(argv[5]) : 0;
    int status = keys ? fuzz_keys(program, count, seed, from)
                      : fuzz_kill(program, count, seed);
    (void)nftw(home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(program);
    return status;
}
