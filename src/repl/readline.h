// GNU Readline, loaded when a terminal is there: what we use of it.
//
// Only prompt.c calls it. Readline's state is the process's, so there is one
// table; linking the library would cost every script its loading.
#ifndef DUET_REPL_READLINE_H
#define DUET_REPL_READLINE_H

#include <stdbool.h>
#include <stdio.h>

// Its old name for a function type is our name for a function.
#define _FUNCTION_DEF
#include <readline/readline.h>

// Functions and variables of the library: X(type, name). The variables are
// reached through pointers.
#define READLINE_FUNCTIONS(X)                                                 \
    X(void, rl_callback_handler_install, (const char *, rl_vcpfunc_t *))      \
    X(void, rl_callback_handler_remove, (void))                               \
    X(void, rl_callback_read_char, (void))                                    \
    X(void, rl_callback_sigcleanup, (void))                                   \
    X(void, rl_free_line_state, (void))                                       \
    X(void, rl_resize_terminal, (void))                                       \
    X(int, rl_bind_key, (int, rl_command_func_t *))                           \
    X(int, rl_bind_keyseq, (const char *, rl_command_func_t *))               \
    X(int, rl_insert_text, (const char *))                                    \
    X(int, rl_newline, (int, int))                                            \
    X(int, rl_complete, (int, int))                                           \
    X(int, rl_get_next_history, (int, int))                                   \
    X(int, rl_get_previous_history, (int, int))                               \
    X(int, rl_initialize, (void))                                             \
    X(int, rl_variable_bind, (const char *, const char *))                    \
    X(char **, rl_completion_matches, (const char *, rl_compentry_func_t *))  \
    X(void, add_history, (const char *))

#define READLINE_VARIABLES(X)                                                 \
    X(char *, rl_line_buffer)                                                 \
    X(int, rl_point)                                                          \
    X(int, rl_end)                                                            \
    X(int, rl_catch_signals)                                                  \
    X(int, rl_catch_sigwinch)                                                 \
    X(int, rl_attempted_completion_over)                                      \
    X(int, rl_completion_append_character)                                    \
    X(int, rl_completion_suppress_append)                                     \
    X(const char *, rl_readline_name)                                         \
    X(const char *, rl_completer_word_break_characters)                       \
    X(rl_completion_func_t *, rl_attempted_completion_function)

typedef struct Readline {
#define X(type, name, params) type(*name) params;
    READLINE_FUNCTIONS(X)
#undef X
#define X(type, name) type *name;
    READLINE_VARIABLES(X)
#undef X
} Readline;

// Loads the library. False if it, or a name in it, is missing.
bool readline_load(Readline *readline);

#endif
