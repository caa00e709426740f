// What the files of the prompt share: the loop (prompt.c), the keys
// (prompt_keys.c, prompt_history.c), pasting (prompt_paste.c), completion
// (prompt_tab.c). Nothing else includes it.
#ifndef DUET_REPL_PROMPT_STATE_H
#define DUET_REPL_PROMPT_STATE_H

#include <signal.h>

#include "repl/prompt.h"
#include "repl/readline.h"
#include "repl/redraw.h"

// A command of vi: `3dd`, `p`, `2>j`.
typedef struct ViCommand {
    int count;   // 0: none was given
    char key;    // the operator, or a command of one key; '\0': none
    char motion; // behind an operator; '\0': a command of one key
} ViCommand;

enum { VI_KEYS = 128 }; // keys of one byte, ASCII

// Of prompt_vi.c. Strings are malloc'ed.
typedef struct ViState {
    char keys[16];  // of a command that is not whole yet
    int passing;    // keys at the front of the queue that are Readline's
    char *lines;    // what `p` puts; NULL: the newest is in the kill ring
    ViCommand last; // what `.` repeats, if Readline has no newer one
    char *inserted; // the text that belongs to it; NULL: none
    bool inserting; // text is typed that belongs to `last`
    char *before, *behind; // the text around it; NULL: memory ran out
    rl_command_func_t *usual[VI_KEYS]; // the keys' functions at the start
} ViState;

// The prompt at a terminal, from its opening until it ends. Readline's state
// is the process's, so there is one; a prompt inside another (breakpoint())
// uses the same.
typedef struct Prompt {
    Session *session;
    Readline lib;
    Redraw redraw;
    const char *text; // in front of an entry
    char *entry;      // malloc'ed by Readline; NULL after Ctrl-D
    bool accepted;    // an entry (or its end) has come
    bool reading;     // Readline's handler is installed
    bool history_loaded;
    char *last;      // the newest history entry, malloc'ed: no repeats
    StrBuf queue;    // keys that Readline put back, or that a macro types
    size_t queue_at; // of them, read again so far
    bool draining;   // they are being taken out of Readline
    // Keys (prompt_keys.c).
    int goal;      // the column that Up and Down keep
    char *prefix;  // malloc'ed: what Up looks for, from the key before
    bool pasting;  // the terminal sends a pasted text
    StrBuf pasted; // of it, so far
    // Before the key that Readline has now (prompt_undo.c).
    int undo_at;                // the place in the history
    const UNDO_LIST *undo_list; // what could be undone; may be freed
    ViState vi;
    int tabs;         // completions in a row at the same place
    sigset_t outside; // the signal mask outside of read_entry
} Prompt;

// The one that Readline's callbacks mean.
Prompt *prompt_active(void);

// prompt_keys.c: binds our keys, before Readline reads ~/.inputrc, which may
// bind them anew.
void prompt_bind_keys(Prompt *prompt);
// The start of the line that `at` is on, and its end (the '\n' or the NUL).
int prompt_line_start(const char *text, int at);
// The offset of the newline behind `at`, or of the end.
int prompt_line_end(const char *text, int at);
// vi: ends the undo groups that an insertion has left open.
void prompt_end_insertion(Prompt *prompt);
// While vi's commands are typed the cursor stands on a character, never
// behind the last one of its line.
void prompt_vi_check(Prompt *prompt);
// Replaces bytes start..end by `text` as one step of undo; the cursor goes
// behind it.
void prompt_replace(Prompt *prompt, int start, int end, const char *text);

// The key itself: indents, or completes by prompt_on_tab.
int prompt_tab_key(int count, int key);

// A line end and the indentation of the line that follows, at the cursor.
void prompt_break_line(Prompt *prompt);

// prompt_undo.c: before a key goes to Readline.
void prompt_begin_undo(Prompt *prompt);
// After each key, and before Readline's part of an entry ends;
// no two places share an undo list then.
void prompt_own_undo(Prompt *prompt);

// prompt_vi.c. Notes what the keys mean, before ~/.inputrc is read.
void prompt_vi_note_keys(Prompt *prompt);
// A new entry begins.
void prompt_vi_begin(Prompt *prompt);
// Whether the next key may belong to a command that means lines; then it goes
// to prompt_vi_key, which does the command or puts its keys into the queue.
MUST_CHECK bool prompt_vi_wants(Prompt *prompt);
void prompt_vi_key(Prompt *prompt, char key);
// Readline has had a key.
void prompt_vi_after(Prompt *prompt);
void prompt_vi_free(Prompt *prompt);

// prompt_vi_edit.c: does a command; with `again` it takes the text that
// was typed last time. False: it cannot be done.
MUST_CHECK bool prompt_vi_edit(Prompt *prompt, ViCommand command, bool again);

// prompt_history.c
int prompt_on_up(int count, int key);
int prompt_on_down(int count, int key);
int prompt_on_older(int count, int key);
int prompt_on_newer(int count, int key);
// Puts the file's entries into Readline's list, once.
void prompt_load_history(Prompt *prompt);
// Adds to the history what is not blank nor the same as last time.
void prompt_remember(Prompt *prompt, const char *entry);

// prompt_paste.c: a byte of the text that the terminal sends.
int prompt_on_paste(int count, int key);
void prompt_take_pasted(Prompt *prompt, char byte);

// prompt_tab.c
int prompt_on_tab(int count, int key);
int prompt_on_list(int count, int key);
char **prompt_on_complete(const char *text, int start, int end);

// prompt.c: puts keys in front of those that wait.
void prompt_queue_front(Prompt *prompt, const char *keys, size_t length);
// Gives the terminal back for a while (an editor, a stop), and takes
// it again.
void prompt_give_terminal(Prompt *prompt);
void prompt_take_terminal(Prompt *prompt);

#endif
