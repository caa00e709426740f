// Chooses between script and prompt.
#include "repl/run.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "repl/prompt.h"
#include "repl/script.h"
#include "repl/session.h"
#include "repl/terminal.h"

// sys.argv[0].
// The prompt and piped-in text have the empty string.
static const char *program_name(const Args *args)
{
    switch (args->mode) {
    case ARGS_FILE:
    case ARGS_CELLS: return args->program;
    case ARGS_CODE: return "-c";
    case ARGS_STDIN: return "-";
    default: return "";
    }
}

// Who has started the program shall know that Ctrl-C ended it, as of any
// program that does not catch the signal: a shell stops its own script then. A
// blocked signal leaves the status, which says the same.
static int end_by_interrupt(int status)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    if (fflush(stdout) == 0) {
        raise(SIGINT);
    }
    return status;
}

// What to type first. Who gave a program, or does not look on, knows.
static void greet(const Args *args)
{
    // On a screen where it does not fit into two rows it is in the way.
    enum { COLUMNS = 45 };
    if (args->mode == ARGS_PROMPT && isatty(STDOUT_FILENO) &&
        terminal_size().columns >= COLUMNS) {
        puts("Duet " PACKAGE_VERSION " · %tour: see it in three minutes\n"
             "x? what x is · % commands · Ctrl-D leaves");
        fflush(stdout);
    }
}

// Without a program it depends on the terminal: text that is piped in is a
// program, even if it has no name.
int run_program(const Args *args)
{
    // A copy, in which ARGS_PROMPT is replaced by what it stands for.
    Args program = *args;
    bool prompt = args->stay;
    if (args->mode == ARGS_PROMPT) {
        prompt = prompt || isatty(STDIN_FILENO);
        program.mode = prompt ? ARGS_PROMPT : ARGS_STDIN;
    }
    Session session;
    if (!session_open(&session, args, program_name(args))) {
        return SESSION_ERROR;
    }
    if (program.mode != ARGS_PROMPT) {
        (void)script_run(&session, &program);
    }
    // With -i the prompt comes after an error too, but not after sys.exit.
    if (prompt && !session.exiting) {
        greet(args);
        prompt_run(&session);
    }
    prompt_close();
    bool interrupted = session.interrupted && !prompt;
    int status = session_close(&session);
    return interrupted && status == SESSION_INTERRUPTED
               ? end_by_interrupt(status)
               : status;
}
