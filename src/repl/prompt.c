// The loop at a terminal, over Readline's callback interface: we wait for
// keys ourselves, so that signals are seen at once and never inside Readline,
// and we draw what is typed ourselves (redraw.h).
//
// Invariant: `active` is the one prompt of the process; Readline's callbacks
// have no argument of ours. Between two entries the terminal has the modes
// that the shell gave it.
#include "repl/prompt.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "interp/core/raise.h"
#include "repl/entries.h"
#include "repl/prompt_plain.h"
#include "repl/prompt_state.h"
#include "repl/startup.h"
#include "repl/terminal.h"
#include "stager/stager.h"

static const char prompt_text[] = "> ";
static const char more_text[] = ". ";

enum { QUEUE_MAX = 1 << 16 }; // keys that a macro may type at once

static Prompt *active;

// Bits of the signals that came while we waited for keys.
static atomic_uint arrived;

// NULL while nobody is asked.
Prompt *prompt_active(void)
{
    return active;
}

// Which signals the prompt answers itself while it waits.
static const int answered[] = {SIGTSTP, SIGTERM, SIGHUP, SIGWINCH};
enum { ANSWERED_COUNT = sizeof answered / sizeof *answered };

// Only sets a bit: a handler may do little more, and the loop looks at it.
static void on_signal(int number)
{
    for (unsigned i = 0; i < ANSWERED_COUNT; i++) {
        if (answered[i] == number) {
            atomic_fetch_or(&arrived, 1U << i);
        }
    }
}

// Takes note of a signal's coming away; false if it did not come.
static bool has_arrived(int number)
{
    for (unsigned i = 0; i < ANSWERED_COUNT; i++) {
        if (answered[i] == number) {
            return (atomic_fetch_and(&arrived, ~(1U << i)) & (1U << i)) != 0;
        }
    }
    return false;
}

// While an entry is read, and only then: a program that runs is stopped and
// ended as any other.
static void catch_signals(struct sigaction *before)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < ANSWERED_COUNT; i++) {
        sigaction(answered[i], &action, &before[i]);
        // What the caller ignores (nohup) stays ignored.
        if (before[i].sa_handler == SIG_IGN) {
            sigaction(answered[i], &before[i], NULL);
        }
    }
}

// What the program had before, so that a program that catches signals itself
// is not disturbed.
static void release_signals(const struct sigaction *before)
{
    for (int i = 0; i < ANSWERED_COUNT; i++) {
        sigaction(answered[i], &before[i], NULL);
    }
}

// Keys of our own queue come before those of the terminal.
static bool has_queued(void)
{
    return active->queue_at < active->queue.length;
}

// Keys that have come and wait to be read.
static bool has_input(void)
{
    int count = 0;
    return has_queued() ||
           (ioctl(STDIN_FILENO, FIONREAD, &count) == 0 && count > 0);
}

// Nothing but the picture: may be called as often as one likes.
static void draw(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    const char *shown = *lib->rl_display_prompt;
    // Readline puts a message in the prompt's place: what is searched for.
    bool message = shown != NULL && shown != *lib->rl_prompt &&
                   strcmp(shown, prompt->text) != 0;
    redraw_update(&prompt->redraw, *lib->rl_line_buffer, (size_t)*lib->rl_end,
                  (size_t)*lib->rl_point, message ? shown : NULL);
}

// There must be one.
static int next_queued(Prompt *prompt)
{
    int key = (unsigned char)prompt->queue.text[prompt->queue_at++];
    if (!has_queued()) {
        strbuf_free(&prompt->queue);
        prompt->queue_at = 0;
    }
    return key;
}

// In the place of rl_getc. Ctrl-Space sends a NUL, which Readline's searches
// take for the start of a long character: they would swallow the next fifteen
// keys, Ctrl-C with them. It ends a search, as C-j does.
static int on_getc(FILE *stream)
{
    if (active->draining) {
        return EOF;
    }
    int key = has_queued() ? next_queued(active) : active->lib.rl_getc(stream);
    bool searching = (*active->lib.rl_readline_state &
                      (RL_STATE_ISEARCH | RL_STATE_NSEARCH)) != 0;
    if (key == 0 && searching) {
        return '\n';
    }
    return key;
}

// Memory that runs out loses the keys, no more.
void prompt_queue_front(Prompt *prompt, const char *keys, size_t length)
{
    StrBuf all;
    strbuf_init(&all, &prompt->session->vm->ctx);
    strbuf_add(&all, keys, length);
    strbuf_add(&all, strbuf_text(&prompt->queue) + prompt->queue_at,
               prompt->queue.length - prompt->queue_at);
    strbuf_free(&prompt->queue);
    prompt->queue_at = 0;
    prompt->queue = all;
    ctx_clear(all.ctx);
}

// Takes out of Readline what it put back and what a macro types; we hand it
// in again key by key. Readline would go on with it in one call, in which a
// sequence that means nothing makes it jump to a frame that has returned.
static void drain(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    if (lib->has_pushed == NULL) {
        return;
    }
    StrBuf keys;
    strbuf_init(&keys, &prompt->session->vm->ctx);
    // Reading must not wait for the terminal meanwhile.
    prompt->draining = true;
    while (keys.length < QUEUE_MAX &&
           (*lib->rl_pending_input != 0 || lib->has_pushed() ||
            (*lib->rl_readline_state & RL_STATE_MACROINPUT) != 0)) {
        int key = lib->rl_read_key();
        if (key < 0) {
            break;
        }
        strbuf_putc(&keys, (char)key);
    }
    prompt->draining = false;
    if (keys.length > 0) {
        prompt_queue_front(prompt, keys.text, keys.length);
    }
    strbuf_free(&keys);
}

// In the place of Readline's own redisplay. While more keys wait there is no
// use in drawing; the loop draws when it has read them all.
static void on_redisplay(void)
{
    drain(active);
    if (active->reading && !has_input()) {
        draw(active);
    }
}

// The handler is removed at once, or Readline would show the next prompt
// before the entry has run.
static void accept_entry(char *entry)
{
    active->entry = entry;
    active->accepted = true;
    active->reading = false;
    prompt_own_undo(active);
    active->lib.rl_callback_handler_remove();
    if (entry != NULL) {
        redraw_finish(&active->redraw, entry, "");
    }
}

// Each entry begins in a row of its own, with what the program printed above
// it.
static void install(Prompt *prompt)
{
    prompt->redraw.prompt = prompt->text;
    prompt->redraw.more = more_text;
    // What was printed without a line end is still on its way.
    if (!session_flush(prompt->session)) {
        raise_clear(prompt->session->vm);
    }
    if (prompt->session->inside) {
        prompt->session->inside = false;
        redraw_fresh_line(&prompt->redraw);
    }
    redraw_begin(&prompt->redraw);
    prompt->reading = true;
    prompt_vi_begin(prompt);
    prompt->lib.rl_callback_handler_install(prompt->text, accept_entry);
}

// Ends Readline's part without an entry.
static void uninstall(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    prompt_end_insertion(prompt);
    prompt_own_undo(prompt);
    lib->rl_free_line_state();
    lib->rl_callback_sigcleanup();
    // That ends one of these at most, and a sequence that was begun would go
    // on in the next entry with a context that is gone.
    if (lib->forget_sequence != NULL) {
        lib->forget_sequence();
    }
    *lib->rl_readline_state &=
        ~(unsigned long)(RL_STATE_MULTIKEY | RL_STATE_NUMERICARG |
                         RL_STATE_ISEARCH | RL_STATE_NSEARCH |
                         RL_STATE_VIMOTION | RL_STATE_CHARSEARCH |
                         RL_STATE_METANEXT | RL_STATE_MOREINPUT);
    prompt->reading = false;
    prompt->lib.rl_callback_handler_remove();
    prompt->pasting = false;
    strbuf_free(&prompt->pasted);
    strbuf_free(&prompt->queue);
    prompt->queue_at = 0;
}

// Ctrl-C while typing: the entry is dropped, a fresh prompt comes. The text
// is drawn as it was, with ^C behind it.
static void drop_entry(Prompt *prompt)
{
    ctx_interrupt_clear(&prompt->session->vm->ctx, INTERRUPT_SIGNAL);
    char *text = strdup(*prompt->lib.rl_line_buffer);
    uninstall(prompt);
    redraw_finish(&prompt->redraw, text == NULL ? "" : text, "^C");
    free(text);
    install(prompt);
}

// The entry stays on the screen above what comes.
void prompt_give_terminal(Prompt *prompt)
{
    redraw_leave(&prompt->redraw);
    prompt->lib.rl_deprep_terminal();
    fflush(stdout);
}

// The entry is drawn anew below what others have printed.
void prompt_take_terminal(Prompt *prompt)
{
    prompt->lib.rl_prep_terminal(1);
    redraw_begin(&prompt->redraw);
}

// Ctrl-Z: stops as the signal says, with the terminal as it was; `fg` brings
// the entry back.
static void stop(Prompt *prompt)
{
    prompt_give_terminal(prompt);
    struct sigaction ours;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t signal_set;
    sigemptyset(&usual.sa_mask);
    sigemptyset(&signal_set);
    sigaddset(&signal_set, SIGTSTP);
    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &signal_set, NULL); // it stops here
    sigprocmask(SIG_BLOCK, &signal_set, NULL);
    sigaction(SIGTSTP, &ours, NULL);
    prompt_take_terminal(prompt);
    draw(prompt);
}

// SIGTERM and a window that was closed: the session ends as that signal ends
// a program, after the terminal has its modes again. The history is in its
// file already.
static void end_by(Prompt *prompt, int number)
{
    uninstall(prompt);
    prompt->accepted = true;
    prompt->session->exiting = true;
    prompt->session->status = 128 + number;
}

// In this order: a window that changed is drawn right before the session
// stops in it.
static void answer_signals(Prompt *prompt)
{
    if (ctx_interrupted(&prompt->session->vm->ctx)) {
        drop_entry(prompt);
    }
    if (has_arrived(SIGWINCH)) {
        redraw_resize(&prompt->redraw);
        prompt->lib.rl_set_screen_size(prompt->redraw.rows,
                                       prompt->redraw.cols);
        draw(prompt);
    }
    if (has_arrived(SIGTSTP)) {
        stop(prompt);
    }
    if (has_arrived(SIGTERM)) {
        end_by(prompt, SIGTERM);
    } else if (has_arrived(SIGHUP)) {
        end_by(prompt, SIGHUP);
    }
}

// The next key where Readline does not read it itself; false at the end of
// input, with the session's end under way.
static bool read_key(Prompt *prompt, char *key)
{
    if (has_queued()) {
        *key = (char)next_queued(prompt);
    } else if (read(STDIN_FILENO, key, 1) != 1) {
        end_by(prompt, SIGHUP);
        return false;
    }
    return true;
}

// One byte of a paste, a key of a command of vi that means lines, or one for
// Readline.
static void take_key(Prompt *prompt)
{
    char key;
    bool paste = prompt->pasting;
    if (!paste && prompt->redraw.notes.count > 0) {
        redraw_drop_notes(&prompt->redraw);
    }
    if (!paste && (prompt->vi.passing > 0 || !prompt_vi_wants(prompt))) {
        prompt_begin_undo(prompt);
        prompt->lib.rl_callback_read_char();
        if (prompt->reading) {
            prompt_own_undo(prompt);
        }
        prompt_vi_after(prompt);
        return;
    }
    if (!read_key(prompt, &key)) {
        return;
    }
    if (paste) {
        prompt_take_pasted(prompt, key);
    } else {
        prompt->undo_list = NULL; // ours frees none behind Readline's back
        prompt_vi_key(prompt, key);
        prompt_own_undo(prompt);
    }
    if (!prompt->pasting && !has_input()) {
        draw(prompt);
    }
}

// Waits for keys until an entry has come. Signals get through only while we
// wait: one that came between a look at its flag and the wait would else be
// seen at the next key only.
static void wait_for_entry(Prompt *prompt)
{
    while (!prompt->accepted) {
        struct pollfd key = {.fd = STDIN_FILENO, .events = POLLIN};
        static const struct timespec at_once = {0};
        bool queued = has_queued();
        int ready = ppoll(&key, 1, queued ? &at_once : NULL, &prompt->outside);
        if (ready < 0 && errno != EINTR) {
            end_by(prompt, SIGHUP);
        } else if (ready < 0) {
            answer_signals(prompt);
        } else if (!queued && (key.revents & (POLLHUP | POLLERR)) != 0) {
            end_by(prompt, SIGHUP);
        } else {
            take_key(prompt);
        }
    }
}

// The next entry, owned (free); NULL at the end of input.
static char *read_entry(Prompt *prompt)
{
    struct sigaction before[ANSWERED_COUNT];
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    for (int i = 0; i < ANSWERED_COUNT; i++) {
        sigaddset(&blocked, answered[i]);
    }
    sigset_t outside = prompt->outside;
    sigprocmask(SIG_BLOCK, &blocked, &prompt->outside);
    catch_signals(before);
    prompt->accepted = false;
    prompt->entry = NULL;
    install(prompt);
    prompt_load_history(prompt); // the person sees the prompt meanwhile
    wait_for_entry(prompt);
    release_signals(before);
    sigprocmask(SIG_SETMASK, &prompt->outside, NULL);
    prompt->outside = outside;
    return prompt->entry;
}

// Readline counts characters by the locale. In one that knows bytes alone
// (LC_ALL=C) texts of Duet are UTF-8 all the same.
static void choose_locale(void)
{
    if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX < 2) {
        (void)setlocale(LC_CTYPE, "C.UTF-8");
    }
}

// Readline reads ~/.inputrc in rl_initialize: what is set before are our
// defaults, which the person may change. Signals stay ours.
static void set_up(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    choose_locale();
    *lib->rl_readline_name = "duet";
    *lib->rl_catch_signals = 0;
    *lib->rl_catch_sigwinch = 0;
    *lib->rl_attempted_completion_function = prompt_on_complete;
    *lib->rl_completer_word_break_characters =
        " \t\n\"'`@$><=;|&{}()[]+-*/!^,:~";
    // M-. brings an entry's last word back: between blanks, not as a shell
    // would take `f(3, 4)` apart.
    static char blanks[] = " \t\n";
    *lib->history_word_delimiters = blanks;
    lib->rl_variable_bind("enable-bracketed-paste", "on");
    // The terminal's own keys for erasing would replace ours.
    lib->rl_variable_bind("bind-tty-special-chars", "off");
    prompt_bind_keys(prompt);
    lib->using_history();
    lib->rl_initialize();
    *lib->rl_redisplay_function = on_redisplay;
    *lib->rl_getc_function = on_getc;
}

// A session that was left by Ctrl-D gets a line end, so that the shell's
// prompt starts on a line of its own. Readline writes one where it told the
// terminal to bracket pastes.
static void end_line(Prompt *prompt)
{
    const char *bracketed =
        prompt->lib.rl_variable_value("enable-bracketed-paste");
    if (bracketed == NULL || strcmp(bracketed, "on") != 0) {
        fputs("\n", stdout);
    }
    fflush(stdout);
}

// An entry is remembered before it runs: what crashes the program is what
// one wants to have back.
static void run_with_readline(Prompt *prompt)
{
    char *entry = NULL;
    while (!prompt->session->exiting && (entry = read_entry(prompt)) != NULL) {
        prompt_remember(prompt, entry);
        entries_run(prompt->session, entry);
        free(entry);
    }
    if (entry == NULL && !prompt->session->exiting) {
        end_line(prompt);
    }
}

// Without Readline, or at a terminal that cannot move its cursor.
static void run_plainly(Session *session)
{
    char *entry = NULL;
    while (!session->exiting &&
           (entry = prompt_plain_read(session, prompt_text, more_text)) !=
               NULL) {
        entries_run(session, entry);
        free(entry);
    }
}

// Readline is tried only at a terminal. NULL: the prompt works all the same, a
// line at a time.
static Prompt *open_prompt(Session *session)
{
    if (active != NULL || !isatty(STDIN_FILENO) ||
        !terminal_can_draw(STDOUT_FILENO)) {
        return active;
    }
    Prompt *prompt = calloc(1, sizeof *prompt);
    if (prompt == NULL || !readline_load(&prompt->lib)) {
        free(prompt);
        return NULL;
    }
    prompt->session = session;
    strbuf_init(&prompt->pasted, &session->vm->ctx);
    strbuf_init(&prompt->queue, &session->vm->ctx);
    redraw_init(&prompt->redraw, session, terminal_has_colour(STDOUT_FILENO));
    active = prompt;
    set_up(prompt);
    return prompt;
}

// Readline itself stays loaded; its state is the process's.
void prompt_close(void)
{
    if (active != NULL) {
        redraw_free(&active->redraw);
        strbuf_free(&active->pasted);
        strbuf_free(&active->queue);
        free(active->last);
        free(active->prefix);
        prompt_vi_free(active);
        free(active);
        active = NULL;
    }
}

// The prompt that runs already serves for entries inside running code: its
// state is between two entries then.
char *prompt_ask(Session *session, const char *text)
{
    Prompt *prompt = open_prompt(session);
    if (prompt == NULL) {
        return prompt_plain_read(session, text, more_text);
    }
    const char *before = prompt->text;
    prompt->text = text;
    char *entry = read_entry(prompt);
    prompt->text = before;
    if (entry != NULL) {
        prompt_remember(prompt, entry);
    } else if (prompt->lib.eof_found != NULL) {
        // Ctrl-D ended this prompt alone: the next entries owe no line end.
        *prompt->lib.eof_found = 0;
    }
    return entry;
}

// The startup file runs first, so that its names are there, and its mistakes
// are told, before the first prompt.
void prompt_run(Session *session)
{
    session->prompting = true;
    stager_of(session->vm)->notes = !stager_of(session->vm)->log;
    startup_run(session);
    Prompt *prompt = session->exiting ? NULL : open_prompt(session);
    if (prompt != NULL) {
        prompt->text = prompt_text;
        run_with_readline(prompt);
    } else {
        run_plainly(session);
    }
    // Errors on the way were told; leaving is no failure.
    if (!session->exiting) {
        session->status = SESSION_OK;
    }
}
