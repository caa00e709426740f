// The loop at a terminal, over Readline's callback interface: we wait for
// keys ourselves, so that Ctrl-C is seen at once and never inside Readline.
//
// Invariant: `active` is the one prompt of the process while it runs;
// Readline's callbacks have no argument of ours.
#include "repl/prompt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "repl/complete.h"
#include "repl/entries.h"
#include "repl/entry.h"
#include "repl/history.h"
#include "repl/readline.h"
#include "stager/stager.h"

static const char prompt_text[] = "> ";

// One run of the loop; lives on the stack of prompt_run.
typedef struct Prompt {
    Session *session;
    Readline lib;
    const char *text; // in front of an entry
    char *entry;   // malloc'ed by Readline; NULL after Ctrl-D
    bool accepted; // an entry (or its end) has come
    TextVec found; // candidates of the running completion
    size_t offered; // of them, handed to Readline
    char *last;    // the newest history entry, malloc'ed: no repeats
} Prompt;

static Prompt *active;

// The handler is removed at once, or Readline would show the next prompt
// before the entry has run.
static void accept_entry(char *entry)
{
    active->entry = entry;
    active->accepted = true;
    active->lib.rl_callback_handler_remove();
}

// Enter: another line while the text is incomplete or the cursor stands
// inside it with more lines to come, else the end of the entry.
// rl_newline is what Readline itself binds to the key: it ends the entry.
static int on_enter(int count, int key)
{
    Readline *lib = &active->lib;
    const char *text = *lib->rl_line_buffer;
    Ctx *ctx = &active->session->vm->ctx;
    // Neither a command nor a blank entry is Duet code that could be
    // incomplete.
    bool command = text[0] == '%' || text[strspn(text, " \t\n")] == '\0';
    if (command || entry_status(ctx, text) != PARSE_INCOMPLETE) {
        return lib->rl_newline(count, key);
    }
    // The indentation goes by what stands before the cursor.
    char *before = ctx_strndup(ctx, text, (size_t)*lib->rl_point);
    int indent = before == NULL ? 0 : entry_indent(before);
    ctx_free(ctx, before,
             before == NULL ? 0 : (size_t)*lib->rl_point + 1);
    ctx_clear(ctx);
    lib->rl_insert_text("\n");
    while (indent-- > 0) {
        lib->rl_insert_text(" ");
    }
    return 0;
}

// The start of the line that `at` is on.
// An entry of several lines is one line to Readline, with line ends in it.
static int line_start(const char *text, int at)
{
    while (at > 0 && text[at - 1] != '\n') {
        at--;
    }
    return at;
}

// Up and Down move inside an entry first, then through the history.
static int on_up(int count, int key)
{
    const char *text = *active->lib.rl_line_buffer;
    int start = line_start(text, *active->lib.rl_point);
    if (start == 0) {
        return active->lib.rl_get_previous_history(count, key);
    }
    int column = *active->lib.rl_point - start;
    int above = line_start(text, start - 1);
    int length = start - 1 - above;
    *active->lib.rl_point = above + (column < length ? column : length);
    return 0;
}

// See on_up; the column is kept as far as the line below is long enough.
static int on_down(int count, int key)
{
    const char *text = *active->lib.rl_line_buffer;
    int point = *active->lib.rl_point;
    const char *newline = strchr(text + point, '\n');
    if (newline == NULL) {
        return active->lib.rl_get_next_history(count, key);
    }
    int column = point - line_start(text, point);
    int below = (int)(newline + 1 - text);
    int length = (int)strcspn(newline + 1, "\n");
    *active->lib.rl_point = below + (column < length ? column : length);
    return 0;
}

// Tab indents at the start of a line, and completes elsewhere.
static int on_tab(int count, int key)
{
    const char *text = *active->lib.rl_line_buffer;
    int point = *active->lib.rl_point;
    int start = line_start(text, point);
    if ((int)strspn(text + start, " ") >= point - start) {
        active->lib.rl_insert_text("    ");
        return 0;
    }
    return active->lib.rl_complete(count, key);
}

// Readline takes the candidates one by one and frees them.
// NULL ends the list.
static char *next_candidate(const char *text, int state)
{
    (void)text;
    (void)state;
    return active->offered < active->found.count
               ? active->found.items[active->offered++]
               : NULL;
}

// Readline must not fall back on file names, nor add a blank behind a word.
// The candidates change hands one by one; only the vector is freed here.
static char **on_complete(const char *text, int start, int end)
{
    (void)start;
    (void)end;
    *active->lib.rl_attempted_completion_over = 1;
    *active->lib.rl_completion_suppress_append = 1;
    active->offered = 0;
    complete_word(active->session, text, &active->found);
    char **matches = active->lib.rl_completion_matches(text, next_candidate);
    vec_free(&active->session->vm->ctx, &active->found);
    return matches;
}

// In the form that history_load calls.
static void add_entry(const char *entry, void *data)
{
    Prompt *prompt = data;
    prompt->lib.add_history(entry);
}

// Keys are bound after rl_initialize, which sets up Readline's own keymaps.
// Signals stay ours, and a pasted text comes as one entry.
static void set_up(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    *lib->rl_readline_name = "duet";
    *lib->rl_catch_signals = 0;
    *lib->rl_attempted_completion_function = on_complete;
    *lib->rl_completer_word_break_characters =
        " \t\n\"'`@$><=;|&{}()[]+-*/!^,:~";
    lib->rl_variable_bind("enable-bracketed-paste", "on");
    lib->rl_initialize();
    lib->rl_bind_key('\r', on_enter);
    lib->rl_bind_key('\n', on_enter);
    lib->rl_bind_key('\t', on_tab);
    // Arrow keys have two codes, for the two modes of a terminal's cursor
    // keys.
    static const char *const up[] = {"\033[A", "\033OA"};
    static const char *const down[] = {"\033[B", "\033OB"};
    for (int i = 0; i < 2; i++) {
        lib->rl_bind_keyseq(up[i], on_up);
        lib->rl_bind_keyseq(down[i], on_down);
    }
    history_load(&prompt->session->vm->ctx, add_entry, prompt);
}

// Ctrl-C while typing: the entry is dropped, a fresh prompt comes.
// The handler is taken away and put in again, which is what makes Readline
// begin afresh.
static void drop_entry(Prompt *prompt)
{
    ctx_interrupt_clear(&prompt->session->vm->ctx, INTERRUPT_SIGNAL);
    prompt->lib.rl_free_line_state();
    prompt->lib.rl_callback_sigcleanup();
    prompt->lib.rl_callback_handler_remove();
    fputs("^C\n", stdout);
    fflush(stdout);
    prompt->lib.rl_callback_handler_install(prompt->text, accept_entry);
}

// The next entry, owned (free); NULL at the end of input. Ctrl-C gets through
// only while we wait: one that came between the look at the flag and the wait
// would else be seen at the next key.
static char *read_entry(Prompt *prompt)
{
    const char *text = prompt->text;
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    prompt->accepted = false;
    prompt->entry = NULL;
    prompt->lib.rl_callback_handler_install(text, accept_entry);
    while (!prompt->accepted) {
        struct pollfd key = {.fd = STDIN_FILENO, .events = POLLIN};
        // The signal mask changes together with the wait, which is what poll
        // alone could not do.
        int ready = ppoll(&key, 1, NULL, &before);
        if (ctx_interrupted(&prompt->session->vm->ctx)) {
            drop_entry(prompt);
        } else if (ready > 0) {
            prompt->lib.rl_callback_read_char();
        // Some other signal; a window that changed its size is the likely one.
        } else if (errno == EINTR) {
            prompt->lib.rl_resize_terminal();
        }
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return prompt->entry;
}

// Adds to the history what is not blank nor the same as last time.
// The history in memory and the file get the same entries.
static void remember(Prompt *prompt, const char *entry)
{
    if (entry[strspn(entry, " \t\n")] == '\0' ||
        (prompt->last != NULL && strcmp(prompt->last, entry) == 0)) {
        return;
    }
    prompt->lib.add_history(entry);
    history_append(&prompt->session->vm->ctx, entry);
    free(prompt->last);
    prompt->last = strdup(entry);
}

// A session that was left by Ctrl-D gets a line end, so that the shell's
// prompt starts on a line of its own.
static void run_with_readline(Prompt *prompt)
{
    char *entry = NULL;
    set_up(prompt);
    while (!prompt->session->exiting &&
           (entry = read_entry(prompt)) != NULL) {
        remember(prompt, entry);
        entries_run(prompt->session, entry);
        free(entry);
    }
    if (entry == NULL && !prompt->session->exiting) {
        fputs("\n", stdout);
        fflush(stdout);
    }
    free(prompt->last);
}

// Without Readline: lines until the parser has enough.
// The parser decides after each line. A blank line ends an open block, as in
// the other prompt.
static void run_plainly(Session *session)
{
    Ctx *ctx = &session->vm->ctx;
    char *line = NULL;
    size_t size = 0;
    StrBuf entry;
    strbuf_init(&entry, ctx);
    while (!session->exiting) {
        fputs(entry.length == 0 ? prompt_text : ". ", stdout);
        fflush(stdout);
        ssize_t length = getline(&line, &size, stdin);
        if (length < 0) {
            break;
        }
        strbuf_add(&entry, line, (size_t)length);
        if (!strbuf_ok(&entry)) {
            session_report(session);
        } else if (entry_status(ctx, entry.text) == PARSE_INCOMPLETE) {
            continue;
        } else {
            entries_run(session, entry.text);
        }
        strbuf_free(&entry);
    }
    strbuf_free(&entry);
    free(line);
}

// With the prompt's own Readline if it runs, else a line as it comes.
static char *ask_plainly(const char *text)
{
    char *line = NULL;
    size_t size = 0;
    fputs(text, stdout);
    fflush(stdout);
    if (getline(&line, &size, stdin) < 0) {
        free(line);
        return NULL;
    }
    return line;
}

char *prompt_ask(Session *session, const char *text)
{
    Prompt own = {.session = session, .text = text};
    if (active != NULL) {
        const char *before = active->text;
        active->text = text;
        char *entry = read_entry(active);
        active->text = before;
        if (entry != NULL) {
            remember(active, entry);
        }
        return entry;
    }
    if (!isatty(STDIN_FILENO) || !readline_load(&own.lib)) {
        return ask_plainly(text);
    }
    active = &own;
    set_up(&own);
    char *entry = read_entry(&own);
    active = NULL;
    free(own.last);
    return entry;
}

// Readline is tried only at a terminal. Without the library the prompt works
// all the same, a line at a time.
void prompt_run(Session *session)
{
    Prompt prompt = {.session = session, .text = prompt_text};
    session->prompting = true;
    stager_of(session->vm)->notes = !stager_of(session->vm)->log;
    if (isatty(STDIN_FILENO) && readline_load(&prompt.lib)) {
        active = &prompt;
        run_with_readline(&prompt);
        active = NULL;
    } else {
        run_plainly(session);
    }
    // Errors on the way were told; leaving is no failure.
    if (!session->exiting) {
        session->status = SESSION_OK;
    }
}
