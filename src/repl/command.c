// Commands: a row in `commands` and a function each.
#include "repl/command.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "interp/obj_dict.h"
#include "interp/obj_str.h"
#include "repl/history.h"
#include "repl/script.h"

// `argument`: what follows the name, without blanks around it.
// A row of the table; adding a command takes nothing else.
typedef struct Command {
    const char *name;
    const char *params; // for the list
    const char *doc;
    void (*run)(Session *session, const char *entry, const char *argument);
} Command;

// The result is dropped: an error has been reported, and the prompt goes on.
static void run_text(Session *session, const char *entry, const char *text)
{
    (void)session_run_text(session, entry, text, strlen(text), 1,
                           RUN_INTERACTIVE);
}

// Monotonic for the wall, since the time of day may be set back meanwhile.
static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Three units, so that the figures stay short.
static void print_seconds(const char *label, double seconds)
{
    if (seconds < 1e-3) {
        printf("%s %.1f us", label, seconds * 1e6);
    } else if (seconds < 1) {
        printf("%s %.2f ms", label, seconds * 1e3);
    } else {
        printf("%s %.2f s", label, seconds);
    }
}

// The processor's time is of all threads, so it can be above the wall's. Both
// clocks span compiling and showing the value, too.
static void run_time(Session *session, const char *entry,
                     const char *argument)
{
    double wall = seconds_of(CLOCK_MONOTONIC);
    double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    run_text(session, entry, argument);
    cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = seconds_of(CLOCK_MONOTONIC) - wall;
    print_seconds("wall", wall);
    print_seconds(", cpu", cpu);
    printf("\n");
    fflush(stdout);
}

// Runs `format` with the argument in it.
// Through the language, so that commands behave as the functions they stand
// for.
static void run_with(Session *session, const char *entry, const char *format,
                     const char *argument)
{
    StrBuf text;
    strbuf_init(&text, &session->vm->ctx);
    // The format has one `$`, where the argument goes. It is Duet code that
    // the user typed and is not quoted.
    const char *mark = strchr(format, '$');
    strbuf_add(&text, format, (size_t)(mark - format));
    strbuf_puts(&text, argument);
    strbuf_puts(&text, mark + 1);
    if (strbuf_ok(&text)) {
        run_text(session, entry, text.text);
    } else {
        session_report(session);
    }
    strbuf_free(&text);
}

// In Duet itself: the command is no more than a shorter way to write the call.
static void run_traces(Session *session, const char *entry,
                       const char *argument)
{
    run_with(session, entry, "print(stage.traces($))", argument);
}

// Names with an underscore in front are left out: `__name__` and its like.
static void run_who(Session *session, const char *entry, const char *argument)
{
    (void)entry;
    (void)argument;
    uint32_t position = 0;
    Value key;
    Value value;
    while (dict_next(session->globals, &position, &key, &value)) {
        if (value_is_str(key) && value_as_str(key)->text[0] != '_') {
            printf("%-16s %s\n", value_as_str(key)->text,
                   type_name(type_of(session->vm, value)));
        }
    }
    fflush(stdout);
}

// In this session: its names stay afterwards, and sys.argv is left alone.
static void run_file(Session *session, const char *entry,
                     const char *argument)
{
    (void)entry;
    Args args = {.mode = ARGS_FILE, .program = argument};
    (void)script_run(session, &args);
}

// In the form that history_load calls.
static void show_entry(const char *entry, void *data)
{
    (void)data;
    printf("%s\n", entry);
}

// From the file, to which the prompt appends each entry as it comes.
static void run_history(Session *session, const char *entry,
                        const char *argument)
{
    (void)entry;
    (void)argument;
    history_load(&session->vm->ctx, show_entry, NULL);
    fflush(stdout);
}

// Only says so: the loop ends when the entry is done.
static void run_quit(Session *session, const char *entry,
                     const char *argument)
{
    (void)entry;
    (void)argument;
    session->exiting = true;
    session->status = SESSION_OK;
}

// By name, for the list.
static const Command commands[] = {
    {"history", "", "the entries of this and earlier sessions", run_history},
    {"quit", "", "leave, as Ctrl-D does", run_quit},
    {"run", "FILE", "run a script in this session", run_file},
    {"time", "CODE", "run code and say how long it took", run_time},
    {"traces", "F", "the traces of a staged function", run_traces},
    {"who", "", "the names of this session and their types", run_who},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

// For completion, which needs no more of a command than its name.
const char *command_name(size_t index)
{
    return index < COMMAND_COUNT ? commands[index].name : NULL;
}

// What `%` alone shows.
static void list_commands(void)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        printf("%%%-8s %-5s %s\n", commands[i].name, commands[i].params,
               commands[i].doc);
    }
    fflush(stdout);
}

// On standard error, like any other mistake of an entry; nothing is raised.
static void refuse(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
    }
    const char *close = diag_suggest(name, names, COMMAND_COUNT);
    fprintf(stderr, "no command %%%s", name);
    if (close != NULL) {
        fprintf(stderr, ". Did you mean: '%%%s'?", close);
    }
    fprintf(stderr, " (%% alone lists them)\n");
}

// `text` starts behind the %; it is cut apart in place.
// The table is searched in order; the name must fit as a whole.
static void run_command(Session *session, const char *entry, char *text)
{
    char *end = text + strcspn(text, " \t\n");
    char *argument = end + strspn(end, " \t\n");
    *end = '\0';
    if (*text == '\0') {
        list_commands();
        return;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, text) == 0) {
            commands[i].run(session, entry, argument);
            return;
        }
    }
    refuse(text);
}

// `name?`, `a.b?`: not every text that ends in a question mark.
// One path of a single line, without blanks or quotes in it.
static bool is_question(const char *text, size_t length)
{
    size_t name = strcspn(text, "? \t\n#\"'");
    return name > 0 && name + 1 == length && text[name] == '?';
}

// False if the text is neither a command nor a question, and is to run as Duet
// code.
bool command_run(Session *session, const char *entry, const char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\n", text[length - 1]) != NULL) {
        length--;
    }
    // Neither form is valid Duet code, so nothing is taken away.
    bool asks = is_question(text, length);
    if (text[0] != '%' && !asks) {
        return false;
    }
    char *copy = ctx_strndup(&session->vm->ctx, text, length);
    if (copy == NULL) {
        session_report(session);
    // The question mark goes; what is left is an expression for help().
    } else if (asks) {
        copy[length - 1] = '\0';
        run_with(session, entry, "help($)", copy);
    } else {
        run_command(session, entry, copy + 1);
    }
    // The length was taken before the copy was cut.
    ctx_free(&session->vm->ctx, copy, copy == NULL ? 0 : length + 1);
    return true;
}
