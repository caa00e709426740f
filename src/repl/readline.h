// GNU Readline, loaded when a terminal is there: what we use of it.
//
// Only the prompt calls it. Readline's state is the process's, so there is one
// table; linking the library would cost every script its loading.
#ifndef DUET_REPL_READLINE_H
#define DUET_REPL_READLINE_H

#include <stdbool.h>
#include <stdio.h>

// Its old name for a function type is our name for a function.
#define _FUNCTION_DEF
#include <readline/history.h>
#include <readline/readline.h>

// Functions and variables of the library: X(type, name). The variables are
// reached through pointers.
#define READLINE_FUNCTIONS(X)                                                  \
    X(void, rl_callback_handler_install, (const char *, rl_vcpfunc_t *))       \
    X(void, rl_callback_handler_remove, (void))                                \
    X(void, rl_callback_read_char, (void))                                     \
    X(void, rl_callback_sigcleanup, (void))                                    \
    X(void, rl_free_line_state, (void))                                        \
    X(void, rl_prep_terminal, (int))                                           \
    X(void, rl_deprep_terminal, (void))                                        \
    X(void, rl_set_screen_size, (int, int))                                    \
    X(int, rl_bind_keyseq_in_map, (const char *, rl_command_func_t *, Keymap)) \
    X(int, rl_add_defun, (const char *, rl_command_func_t *, int))             \
    X(Keymap, rl_get_keymap_by_name, (const char *))                           \
    X(Keymap, rl_get_keymap, (void))                                           \
    X(int, rl_getc, (FILE *))                                                  \
    X(int, rl_read_key, (void))                                                \
    X(int, rl_insert, (int, int))                                              \
    X(int, rl_insert_text, (const char *))                                     \
    X(int, rl_delete_text, (int, int))                                         \
    X(int, rl_kill_text, (int, int))                                           \
    X(int, rl_do_undo, (void))                                                 \
    X(int, rl_begin_undo_group, (void))                                        \
    X(int, rl_end_undo_group, (void))                                          \
    X(int, rl_vi_insertion_mode, (int, int))                                   \
    X(int, rl_rubout, (int, int))                                              \
    X(int, rl_ding, (void))                                                    \
    X(int, rl_get_next_history, (int, int))                                    \
    X(int, rl_get_previous_history, (int, int))                                \
    X(int, rl_initialize, (void))                                              \
    X(int, rl_variable_bind, (const char *, const char *))                     \
    X(char *, rl_variable_value, (const char *))                               \
    X(void, using_history, (void))                                             \
    X(int, where_history, (void))                                              \
    X(HIST_ENTRY **, history_list, (void))                                     \
    X(void, history_set_history_state, (HISTORY_STATE *))                      \
    X(void, add_history, (const char *))

#define READLINE_VARIABLES(X)                                                  \
    X(char *, rl_line_buffer)                                                  \
    X(int, rl_point)                                                           \
    X(int, rl_end)                                                             \
    X(int, rl_done)                                                            \
    X(int, rl_pending_input)                                                   \
    X(rl_getc_func_t *, rl_getc_function)                                      \
    X(int, rl_editing_mode)                                                    \
    X(int, rl_catch_signals)                                                   \
    X(int, rl_catch_sigwinch)                                                  \
    X(int, rl_attempted_completion_over)                                       \
    X(int, rl_completion_suppress_append)                                      \
    X(int, history_length)                                                     \
    X(unsigned long, rl_readline_state)                                        \
    X(UNDO_LIST *, rl_undo_list)                                               \
    X(char *, rl_prompt)                                                       \
    X(char *, rl_display_prompt)                                               \
    X(const char *, rl_readline_name)                                          \
    X(const char *, rl_completer_word_break_characters)                        \
    X(char *, history_word_delimiters)                                         \
    X(rl_command_func_t *, rl_last_func)                                       \
    X(rl_voidfunc_t *, rl_redisplay_function)                                  \
    X(rl_completion_func_t *, rl_attempted_completion_function)

// Variables that the library exports without naming them in its headers; NULL
// if this version has none. What needs one is then left to the library.
//   eof_found              a line end is owed (public since 8.2)
//   saved_line             what was typed, while an older entry is shown
//   vi_last_command        the key that vi's `.` repeats
//   last_command_was_kill  not 0: the kill ring has just changed
//   callback_func          set while a command waits for one more key
#define READLINE_PRIVATE(X)                                                    \
    X(int, eof_found, "rl_eof_found")                                          \
    X(HIST_ENTRY *, saved_line, "_rl_saved_line_for_history")                  \
    X(int, vi_last_command, "_rl_vi_last_command")                             \
    X(int, last_command_was_kill, "_rl_last_command_was_kill")                 \
    X(rl_vintfunc_t *, callback_func, "_rl_callback_func")

typedef struct Readline {
#define X(type, name, params) type(*name) params;
    READLINE_FUNCTIONS(X)
#undef X
#define X(type, name) type *name;
    READLINE_VARIABLES(X)
#undef X
#define X(type, name, symbol) type *name;
    READLINE_PRIVATE(X)
#undef X
    // _rl_keyseq_chain_dispose, which has no public name: forgets a sequence
    // that was begun. NULL if this version has none.
    void (*forget_sequence)(void);
    // _rl_pushed_input_available, likewise: keys that were read and put back.
    int (*has_pushed)(void);
    // _rl_vi_done_inserting: ends the undo groups of an insertion.
    void (*vi_done_inserting)(void);
} Readline;

// Loads the library. False if it, or a name in it, is missing.
bool readline_load(Readline *readline);

#endif
