// The prompt inside a frame.
//
// Invariant: while it stands, session->globals are the names of the frame that
// is looked at. At module level these are the module's own; in a function a
// dict of its globals with its locals over them, from which what has changed
// is written back after each entry: so lambdas and comprehensions typed there
// see the locals, too.
#include "repl/debugger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interp/core/raise.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/text/obj_str.h"
#include "repl/command.h"
#include "repl/progress.h"
#include "repl/prompt.h"
#include "repl/terminal.h"
#include "stager/sites.h"
#include "stager/trace.h"

enum { DEBUGGER_CONTEXT = 2 }; // lines shown above and below the running one

typedef struct Stop {
    Session *session;
    Frame *newest; // the frame that called breakpoint()
    Frame *frame;  // the one that is looked at
    Dict *names;   // of a function's frame, counted; NULL: at module level
    Dict *before;  // as `names` was made, counted; NULL likewise
    Dict *outside; // session->globals of the time before, borrowed
    bool leaving;  // %continue
    bool quitting; // %quit
} Stop;

// --- frames ---

// The next frame of the program's own code, upwards (-1) or downwards; NULL:
// there is none. The library's (a command, a decorator of lib/) are no place
// where a person wants to stand.
static Frame *neighbour(const Stop *stop, int step)
{
    // Frames newer than the stop's are the prompt's own.
    Vm *vm = stop->session->vm;
    for (Frame *f = stop->frame + step; f >= vm->frames && f <= stop->newest;
         f += step) {
        if (!f->code->source->library) {
            return f;
        }
    }
    return NULL;
}

// The running line: `pc` stands behind the instruction that has called, as
// code_span wants it.
static uint32_t frame_line(const Frame *f)
{
    Span span = code_span(f->code, (uint32_t)(f->pc - f->code->words));
    return source_place(f->code->source, span.start).line;
}

// On standard error, as all that the stop says by itself: what the program
// prints stays clean.
static void print_place(const Frame *f, const char *mark)
{
    fprintf(stderr, "%s%s, line %u, in %s\n", mark, f->code->source->name,
            frame_line(f), f->code->name->text);
}

static void print_lines(const Frame *f)
{
    uint32_t line = frame_line(f);
    uint32_t first = line > DEBUGGER_CONTEXT ? line - DEBUGGER_CONTEXT : 1;
    for (uint32_t i = first; i <= line + DEBUGGER_CONTEXT; i++) {
        size_t length = 0;
        const char *text = source_line(f->code->source, i, &length);
        // An entry ends in a line break, behind which there is nothing.
        bool nothing = text == NULL || (i > line && *text == '\0');
        if (!nothing) {
            fprintf(stderr, "%s %4u  %.*s\n", i == line ? "->" : "  ", i,
                    (int)length, text);
        }
    }
}

// The callers first, as in a traceback; the arrow is at the frame whose names
// are in reach.
static void print_frames(const Stop *stop)
{
    Vm *vm = stop->session->vm;
    for (Frame *f = vm->frames; f <= stop->newest; f++) {
        if (!f->code->source->library) {
            print_place(f, f == stop->frame ? "-> " : "   ");
        }
    }
}

// --- names ---

// Names that the compiler made begin with a dot. False with an error pending.
static bool add_name(Vm *vm, Dict *names, Str *name, Value v)
{
    if (value_is_kind(v, KIND_CELL)) {
        v = ((Cell *)value_object(v))->value;
    }
    return name == NULL || name->text[0] == '.' || value_unbound(v) ||
           (value_is_special(v) && !value_is_none(v) && !value_is_bool(v)) ||
           dict_set_name(vm, names, name, v);
}

// Parameters and locals, then what the function captured of others.
static bool add_locals(Vm *vm, Dict *names, const Frame *f)
{
    const Code *code = f->code;
    bool ok = true;
    for (uint32_t i = 0; ok && i < code->local_count; i++) {
        ok = add_name(vm, names, code->local_names[i], f->registers[i]);
    }
    for (uint32_t i = 0; ok && i < code->captured_count; i++) {
        ok = add_name(vm, names, code->captured_names[i], f->cells[i]);
    }
    return ok;
}

// Back to the names of the time before the stop. What was typed and is in no
// variable of the program goes.
static void drop_names(Stop *stop)
{
    Ctx *ctx = &stop->session->vm->ctx;
    object_release_null(ctx, stop->names);
    object_release_null(ctx, stop->before);
    stop->names = stop->before = NULL;
    stop->session->globals = stop->outside;
}

// Makes the frame's names those of the session. False with an error pending.
static bool take_names(Stop *stop)
{
    Vm *vm = stop->session->vm;
    Frame *f = stop->frame;
    drop_names(stop);
    if (f->code->flags & CODE_MODULE) {
        stop->session->globals = f->globals;
        return true;
    }
    // A copy, so that what is typed does not reach the module by itself.
    stop->names = dict_copy(vm, f->globals);
    bool ok = stop->names != NULL && add_locals(vm, stop->names, f);
    stop->before = ok ? dict_copy(vm, stop->names) : NULL;
    if (stop->before == NULL) {
        drop_names(stop);
        return false;
    }
    stop->session->globals = stop->names;
    return true;
}

// The value of a name that has changed since take_names; UNBOUND: it has not.
static Value changed(const Stop *stop, Str *name)
{
    if (name == NULL) {
        return VALUE_UNBOUND;
    }
    Value now = dict_get_name(stop->names, name);
    Value before = dict_get_name(stop->before, name);
    // By identity: no __eq__ of the program is asked.
    return value_same(now, before) ? VALUE_UNBOUND : now;
}

// A variable that closures share keeps its cell.
static void write_place(Vm *vm, Value *place, Value v)
{
    if (value_is_kind(*place, KIND_CELL)) {
        Cell *cell = (Cell *)value_object(*place);
        value_replace(&vm->ctx, &cell->value, value_retain(v));
    } else {
        value_replace(&vm->ctx, place, value_retain(v));
    }
}

// Globals that were there and have another value now. New names stay with the
// stop: which of them were meant as globals cannot be told.
static bool write_globals(Stop *stop)
{
    Vm *vm = stop->session->vm;
    uint32_t position = 0;
    Value key, value;
    while (dict_next(stop->names, &position, &key, &value)) {
        Str *name = value_is_str(key) ? value_as_str(key) : NULL;
        Value now = changed(stop, name);
        if (!value_unbound(now) &&
            !value_unbound(dict_get_name(stop->frame->globals, name)) &&
            !dict_set_name(vm, stop->frame->globals, name, now)) {
            return false;
        }
    }
    return true;
}

// What an entry assigned reaches the frame. Locals first: they hide globals.
static bool write_back(Stop *stop)
{
    Vm *vm = stop->session->vm;
    Frame *f = stop->frame;
    // The frame is that of a module: its names are the globals themselves.
    if (stop->names == NULL) {
        return true;
    }
    const Code *code = f->code;
    for (uint32_t i = 0; i < code->local_count; i++) {
        Value now = changed(stop, code->local_names[i]);
        if (!value_unbound(now)) {
            // The frame goes on with this value.
            write_place(vm, &f->registers[i], now);
            if (!dict_set_name(vm, stop->before, code->local_names[i], now)) {
                return false;
            }
        }
    }
    for (uint32_t i = 0; i < code->captured_count; i++) {
        Value now = changed(stop, code->captured_names[i]);
        if (!value_unbound(now)) {
            write_place(vm, &f->cells[i], now);
            if (!dict_set_name(vm, stop->before, code->captured_names[i],
                               now)) {
                return false;
            }
        }
    }
    if (!write_globals(stop)) {
        return false;
    }
    // From here on these are the values to compare with.
    Dict *before = dict_copy(vm, stop->names);
    if (before != NULL) {
        object_release(&vm->ctx, stop->before);
        stop->before = before;
    }
    return before != NULL;
}

// --- entries ---

// What was assigned in the frame before has been written back already, so its
// names can be dropped.
static void move(Stop *stop, int step)
{
    Frame *next = neighbour(stop, step);
    if (next == NULL) {
        fprintf(stderr, "no frame %s this one\n", step < 0 ? "above" : "below");
        return;
    }
    stop->frame = next;
    if (!take_names(stop)) {
        session_report(stop->session);
    }
    print_place(next, "");
    print_lines(next);
}

// The commands of the stop itself, in full or by pdb's letters behind the
// `%`; false: it is none of them.
static bool run_own(Stop *stop, const char *text)
{
    static const char *const names[] = {"up",       "down",   "where",
                                        "continue", "quit",   "next",
                                        "step",     "return", NULL};
    size_t length = strcspn(text + 1, " \t\n"), found = 0;
    while (names[found] != NULL &&
           (length == 0 || strncmp(names[found], text + 1, length) != 0)) {
        found++;
    }
    switch (found) {
    case 0: move(stop, -1); return true;
    case 1: move(stop, 1); return true;
    case 2: print_frames(stop); return true;
    case 3: stop->leaving = true; return true;
    case 4: stop->quitting = true; return true;
    case 5:
    case 6:
    case 7: // running code looks up at loops and calls only, not at each line
        fprintf(stderr,
                "Duet has no %%%s: put breakpoint() where the code "
                "is to stop again\n",
                names[found]);
        return true;
    default: return false;
    }
}

static void run_entry(Stop *stop, const char *text)
{
    Session *session = stop->session;
    Vm *vm = session->vm;
    if (text[0] == '%' && run_own(stop, text)) {
        return;
    }
    if (command_leaves(session, text)) { // as pdb: the entry is given up
        stop->quitting = true;
        return;
    }
    // A stop in a trace evaluates as the trace does: an operation on a symbolic
    // tensor becomes a node, which nothing needs and the passes drop.
    // What is typed here is no effect of the function that is being traced.
    Trace *trace = vm->trace;
    struct EventLog *events = trace != NULL ? trace->events : NULL;
    if (trace != NULL) {
        trace->events = NULL;
    }
    if (!command_run(session, text)) {
        (void)session_run_text(session, "<breakpoint>", text, strlen(text), 1,
                               RUN_INTERACTIVE);
    }
    if (trace != NULL) {
        trace->events = events;
    }
    if (!write_back(stop)) {
        session_report(session);
    }
}

// Enter alone asks for nothing.
static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\n")] == '\0';
}

static void run_entries(Stop *stop)
{
    while (!stop->leaving && !stop->quitting && !stop->session->exiting) {
        char prompt[64];
        snprintf(prompt, sizeof prompt, "%.40s> ",
                 stop->frame->code->flags & CODE_MODULE
                     ? "break"
                     : stop->frame->code->name->text);
        // malloc'ed, as Readline makes it.
        char *text = prompt_ask(stop->session, prompt);
        if (text == NULL) {
            // The end of the input goes on with the program.
            stop->leaving = true;
        } else if (!is_blank(text)) {
            size_t length = strlen(text);
            // A line end and a NUL more.
            char *line = malloc(length + 2);
            if (line != NULL) {
                memcpy(line, text, length);
                memcpy(line + length, "\n", 2);
                run_entry(stop, line);
                free(line);
            }
        }
        free(text);
    }
}

// How the stop ended.
static bool finish(const Stop *stop)
{
    Vm *vm = stop->session->vm;
    if (stop->session->exiting) {
        (void)raise_with(vm, ERR_SYSTEM_EXIT,
                         value_from_small(stop->session->status));
        // Now, and not when the graph comes to the block that is traced.
        for (Trace *trace = vm->trace; trace != NULL; trace = trace->outer) {
            sites_refuse(vm, trace);
        }
        return false;
    }
    // As Ctrl-C would: the entry, or the script, ends.
    return !stop->quitting || raise_false(vm, ERR_INTERRUPT, "%s", "");
}

// Nothing of the program's moves meanwhile: the line about long work is put
// aside, and prompts may stand in one another.
bool debugger_stop(Vm *vm)
{
    Session *session = session_of(vm);
    if (vm->frame == NULL) {
        return true;
    }
    if (!session_flush(session)) {
        return false;
    }
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        print_place(vm->frame, "breakpoint without a terminal, going on: ");
        return true;
    }
    Stop stop = {.session = session,
                 .newest = vm->frame,
                 .frame = vm->frame,
                 .outside = session->globals};
    if (!take_names(&stop)) {
        return false;
    }
    // A script that stops gets a prompt's manners meanwhile: values are kept,
    // and shortened.
    bool prompting = session->prompting;
    progress_pause(session, true);
    session->prompting = true;
    session->stops++;
    fprintf(stderr, "breakpoint%s: ", vm->trace != NULL ? " in a trace" : "");
    print_place(stop.frame, "");
    print_lines(stop.frame);
    if (session->stops == 1) {
        fprintf(stderr, "%%continue goes on; %%up %%down %%where %%quit\n");
    }
    run_entries(&stop);
    session->stops--;
    session->prompting = prompting;
    progress_pause(session, false);
    drop_names(&stop);
    return finish(&stop);
}
