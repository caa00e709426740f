// The hooks that the program installs in its Vm.
#include "repl/hooks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "modules/builtins/builtins.h"
#include "repl/debugger.h"
#include "repl/progress.h"
#include "repl/terminal.h"
#include "stager/stager.h"

static int line_count(const char *text, int columns)
{
    int lines = 0, column = 0;
    for (; *text != '\0'; text++) {
        // Colours take no columns.
        if (text[0] == '\033' && text[1] == '[') {
            text += strcspn(text, "m");
            continue;
        }
        bool starts = ((unsigned char)*text & 0xC0) != 0x80;
        if (*text == '\n' || column >= columns) {
            lines++;
            column = 0;
        }
        column += *text != '\n' && starts;
    }
    return lines + (column > 0);
}

// Standard input must be a terminal as well: a pager reads its keys there.
bool hooks_page(Vm *vm, Str *text)
{
    Session *session = session_of(vm);
    TerminalSize size = terminal_size();
    // Whatever stands in sys.stdout's place gets the text itself, and so does a
    // pipe: only a person at a terminal reads page by page.
    bool wanted = session->prompting && terminal_can_draw(STDOUT_FILENO) &&
                  isatty(STDIN_FILENO) &&
                  value_is_kind(vm->stdout_file, KIND_FILE) &&
                  line_count(text->text, size.columns) >= size.rows;
    if (wanted) {
        if (!session_flush(session)) {
            return false;
        }
        progress_pause(session, true);
        // Where no pager runs the text is printed after all.
        bool shown = terminal_page(text->text, text->length);
        progress_pause(session, false);
        if (shown) {
            return true;
        }
    }
    return builtin_write_stdout(vm, text);
}

enum { NOTE_INDENT = 6 }; // of its later lines: "note: "

// Words, in lines no longer than the screen.
static void print_wrapped(const char *text, int columns)
{
    int column = NOTE_INDENT;
    bool first = true;
    while (*text != '\0') {
        size_t length = strcspn(text, " \n");
        int width = (int)length;
        bool fits = column + width + !first < columns;
        if (!first) {
            fputs(fits ? " " : "\n      ", stderr);
            column = fits ? column + 1 : NOTE_INDENT;
        }
        fwrite(text, 1, length, stderr);
        column += width;
        first = text[length] == '\n';
        if (first) {
            fputs("\n      ", stderr);
            column = NOTE_INDENT;
        }
        text += length + (text[length] != '\0');
    }
}

// Quieter than what the program prints, on lines of its own.
static void show_note(Vm *vm, const char *text)
{
    Session *session = session_of(vm);
    if (!session_flush(session)) {
        raise_clear(vm);
    }
    bool colour = terminal_has_colour(STDERR_FILENO);
    // The note is written past the Vm's own streams, so that a program that has
    // put something else in their place does not get it.
    progress_before(session);
    fputs(colour ? "\033[2mnote: " : "note: ", stderr);
    print_wrapped(text, terminal_size().columns);
    fputs(colour ? "\033[0m\n" : "\n", stderr);
    fflush(stderr);
    progress_after(session, '\n');
}

// The margin belongs to the notes: both are for people who look on.
static bool marks_traces(Vm *vm)
{
    return stager_of(vm)->notes && session_of(vm)->stops == 0;
}

// Between two instructions of the program, a few times a second.
static void tick(Vm *vm)
{
    progress_look(session_of(vm));
}

// Holds the progress line's lock until after_output.
static void before_output(Vm *vm)
{
    progress_before(session_of(vm));
}

// A line that is not ended keeps the progress line away.
static void after_output(Vm *vm, char last)
{
    session_of(vm)->inside = last != '\n';
    progress_after(session_of(vm), last);
}

static void turn(Vm *vm, int64_t done, int64_t total)
{
    progress_turn(session_of(vm), done, total);
}

// A staged loop runs, in which the machine does not look up by itself.
static void graph_turn(Vm *vm, int64_t done, int64_t total)
{
    progress_graph_turn(session_of(vm), done, total);
}

// input(): what a person types must not be drawn over.
static void waiting(Vm *vm, bool on)
{
    progress_pause(session_of(vm), on);
}

// The program's own modules: what lib/duet imports from.
static const ModuleDef *const modules[] = {&duet_module, NULL};

// All of them are there: callers ask for vm->program alone.
const ProgramHooks session_hooks = {.modules = modules,
                                    .page = hooks_page,
                                    .tick = tick,
                                    .before_output = before_output,
                                    .after_output = after_output,
                                    .progress = turn,
                                    .graph_turn = graph_turn,
                                    .waiting = waiting,
                                    .breakpoint = debugger_stop,
                                    .marks_traces = marks_traces,
                                    .note = show_note};
