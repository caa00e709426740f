// What the files of the prompt share: the loop (prompt.c), the keys
// (prompt_keys.c, prompt_history.c), pasting (prompt_paste.c), completion
// (prompt_tab.c). Nothing else includes it.
#ifndef DUET_REPL_PROMPT_STATE_H
#define DUET_REPL_PROMPT_STATE_H

#include <signal.h>

#include "repl/prompt.h"
#include "repl/readline.h"
#include "repl/redraw.h"

// The prompt at a terminal, from its opening until it ends. Readline's state
// is the process's, so there is one; a prompt inside another (breakpoint())
// uses the same.
typedef struct Prompt {
    Session *session;
    Readline lib;
    Redraw redraw;
    const char *text; // in front of an entry
    char *entry;     // malloc'ed by Readline; NULL after Ctrl-D
    bool accepted;   // an entry (or its end) has come
    bool reading;    // Readline's handler is installed
    bool history_loaded;
    char *last;      // the newest history entry, malloc'ed: no repeats
    StrBuf queue;    // keys that Readline put back, or that a macro types
    size_t queue_at; // of them, read again so far
    bool draining;   // they are being taken out of Readline
    // Keys (prompt_keys.c).
    int goal;        // the column that Up and Down keep
    char *prefix;    // malloc'ed: what Up looks for, from the key before
    bool pasting;    // the terminal sends a pasted text
    StrBuf pasted;   // of it, so far
    int tabs;        // completions in a row at the same place
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
// While vi's commands are typed the cursor stands on a character, never
// behind the last one of its line.
void prompt_vi_check(Prompt *prompt);
// Replaces bytes start..end by `text` as one step of undo; the cursor goes
// behind it.
void prompt_replace(Prompt *prompt, int start, int end, const char *text);

// The key itself: indents, or completes by prompt_on_tab.
int prompt_tab_key(int count, int key);

// The keys that begin or end with a line's edges, shared with vi's.
int prompt_to_line_start(int count, int key);
int prompt_to_line_end(int count, int key);
// A line end and the indentation of the line that follows, at the cursor.
void prompt_break_line(Prompt *prompt);

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

// prompt.c: gives the terminal back for a while (an editor, a stop), and takes
// it again.
void prompt_give_terminal(Prompt *prompt);
void prompt_take_terminal(Prompt *prompt);

#endif
