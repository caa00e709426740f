// The native half of the module duet: what its commands, written in Duet, need
// of the program.
//
// `import duet` finds lib/duet; that imports these names from _duet. In a Vm
// without a program there is none, and the import fails.
#include <string.h>
#include <unistd.h>

#include "interp/machine/vm/vm_run.h"
#include "interp/machine/vm/vm_text.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/protocol/protocol.h"
#include "kernels/pool.h"
#include "kernels/tier.h"
#include "lexer/lexer.h"
#include "modules/builtins/builtins.h"
#include "repl/command.h"
#include "repl/entries.h"
#include "repl/history.h"
#include "repl/hooks.h"
#include "repl/progress.h"
#include "repl/script.h"
#include "repl/terminal.h"
#include "repl/worlds.h"
#include "stager/stager.h"

#define DUET_BODY(name) static Value duet_##name(Vm *vm, Value *args)

// --- running ---

// The names that commands work on: those of __main__, or of the frame at a
// breakpoint. Borrowed dict, owned result.
DUET_BODY(names)
{
    (void)args;
    return value_retain(value_from_object(session_of(vm)->globals));
}

// run(text): as an entry of the prompt, under its name. The value of a last
// expression, which is not shown; else None.
DUET_BODY(run)
{
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE, "the code must be a str");
    }
    Session *session = session_of(vm);
    // Outside of a prompt there are no entries to be named after.
    char name[32] = "<string>";
    if (session->entry > 0) {
        snprintf(name, sizeof name, "<in %d>", session->entry);
    }
    const Str *text = value_as_str(args[0]);
    Source *source = source_new(&vm->ctx, name, text->text, text->length);
    if (source == NULL) {
        return VALUE_FAIL;
    }
    source->origin = SOURCE_TYPED; // tracebacks show its lines
    // The session's names, whichever they are now: those of a stopped frame,
    // too.
    Value value = vm_run_source(vm, source, RUN_INTERACTIVE, session->globals,
                                VALUE_UNBOUND);
    source_release(&vm->ctx, source);
    // Statements without a value are no failure.
    return value_unbound(value) ? VALUE_NONE : value;
}

// The text of the pending error, which is taken: owned, NULL with another one
// pending. Frames of lib/duet are left out of it.
static Str *take_traceback(Session *session)
{
    Vm *vm = session->vm;
    Value exception = raise_take(vm);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    session_strip(session, exception);
    bool done = raise_print_traceback(vm, exception, INT64_MIN, &out);
    release(vm, exception);
    Str *text = done ? str_from_buf(vm, &out) : NULL;
    if (!done) {
        strbuf_free(&out);
    }
    return text;
}

// A cell that is run.
typedef struct CellRun {
    Session *session;
    const char *name; // of the file
    Source *source;   // of the part that ran last, which its error borrows
    uint32_t line;    // of the next part
} CellRun;

// Runs code of a cell: what vm_run_source gives.
static Value run_code(CellRun *run, const CellPart *part)
{
    Vm *vm = run->session->vm;
    source_release(&vm->ctx, run->source);
    run->source = source_new(&vm->ctx, run->name, part->text, part->length);
    if (run->source == NULL) {
        return VALUE_FAIL;
    }
    // New, and nobody else's: its lines may count from the file's beginning.
    run->source->first_line = run->line;
    run->source->origin = SOURCE_FILE; // tracebacks show its lines
    return vm_run_source(vm, run->source, RUN_INTERACTIVE,
                         run->session->globals, VALUE_UNBOUND);
}

// Runs the command of a cell, as duet._command does.
static Value run_command(Vm *vm, const CellPart *part)
{
    Str *text = command_text(vm, part->text, part->length);
    Value given = value_or_fail(text);
    Value result = text != NULL
                       ? library_call(vm, "duet", "_command", &given, 1)
                       : VALUE_FAIL;
    object_release_null(&vm->ctx, text);
    return result;
}

// Runs a cell part by part; the value of the last one, those of others are
// shown. FAIL with an error pending.
static Value run_parts(CellRun *run, const Str *cell)
{
    Vm *vm = run->session->vm;
    const char *text = cell->text, *end = text + cell->length;
    Value value = VALUE_NONE;
    CellPart part;
    while (!value_failed(value) &&
           cells_next_part(&vm->ctx, text, end, &part)) {
        bool shown = value_unbound(value) || session_show(run->session, value);
        release(vm, value);
        value = !shown         ? VALUE_FAIL
                : part.command ? run_command(vm, &part)
                               : run_code(run, &part);
        text += part.length;
        run->line += part.lines;
    }
    if (!value_failed(value) && vm_has_error(vm)) {
        release(vm, value);
        return VALUE_FAIL;
    }
    return value;
}

// cell(text, file, line): runs a cell of a script: (value, None), or (None,
// the traceback). SystemExit passes on.
DUET_BODY(cell)
{
    Session *session = session_of(vm);
    int64_t line;
    if (!value_is_str(args[0]) || !value_is_str(args[1]) ||
        !value_to_index(vm, args[2], &line)) {
        return vm_has_error(vm)
                   ? VALUE_FAIL
                   : raise_error(vm, ERR_TYPE, "the code must be a str");
    }
    CellRun run = {session, value_as_str(args[1])->text, NULL, (uint32_t)line};
    Value value = run_parts(&run, value_as_str(args[0]));
    Value row[] = {VALUE_NONE, VALUE_NONE};
    // sys.exit() ends the page, not the cell alone.
    bool stopped = value_failed(value) && raise_matches(vm, ERR_SYSTEM_EXIT);
    if (value_failed(value) && !stopped) {
        row[1] = value_or_fail(take_traceback(session));
    } else if (!stopped) {
        row[0] = value_unbound(value) ? VALUE_NONE : value;
    }
    source_release(&vm->ctx, run.source);
    return stopped ? VALUE_FAIL : tuple_of_owned(vm, row, 2);
}

// cells(text, file): runs a percent script.
DUET_BODY(cells)
{
    if (!value_is_str(args[0]) || !value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE, "the code must be a str");
    }
    const Str *text = value_as_str(args[0]);
    (void)cells_run(session_of(vm), value_as_str(args[1])->text, text->text,
                    text->length);
    return VALUE_NONE;
}

// module(text, name): runs a whole program as __main__, reports its error.
DUET_BODY(module_run)
{
    if (!value_is_str(args[0]) || !value_is_str(args[1])) {
        return raise_error(vm, ERR_TYPE, "the code must be a str");
    }
    const Str *text = value_as_str(args[0]);
    (void)session_run_text(session_of(vm), value_as_str(args[1])->text,
                           text->text, text->length, 1, RUN_MODULE);
    return VALUE_NONE;
}

// world(call, eager, seconds, input): (status, output, report) of the call in a
// copy of the process; the status is None where its time was over.
DUET_BODY(world)
{
    WorldPlan plan = {.call = args[0]};
    int eager = value_truth(vm, args[1]);
    if (eager < 0 || !value_to_double(vm, args[2], &plan.seconds)) {
        return VALUE_FAIL;
    }
    if (!value_is_str(args[3])) {
        return raise_error(vm, ERR_TYPE, "the input must be a str");
    }
    plan.eager = eager == 1;
    plan.input = value_as_str(args[3]);
    World world;
    Value result = VALUE_FAIL;
    if (world_run(session_of(vm), &plan, &world)) {
        Value row[] = {
            world.late ? VALUE_NONE : value_from_small(world.status),
            value_or_fail(command_text(vm, strbuf_text(&world.output),
                                       world.output.length)),
            value_or_fail(command_text(vm, strbuf_text(&world.report),
                                       world.report.length))};
        result = tuple_of_owned(vm, row, 3);
    }
    world_free(&world);
    return result;
}

// Shows a value as the prompt does, and keeps it.
DUET_BODY(display)
{
    return value_done(session_show(session_of(vm), args[0]));
}

// The session ends when the entry is done.
DUET_BODY(leave)
{
    (void)args;
    session_of(vm)->exiting = true;
    session_of(vm)->status = SESSION_OK;
    return VALUE_NONE;
}

// Whether there is a prompt, and the number of its present entry.
DUET_BODY(entry)
{
    (void)args;
    Value row[] = {value_from_bool(session_of(vm)->prompting),
                   value_from_small(session_of(vm)->entry)};
    return tuple_of_owned(vm, row, 2);
}

// memory(): the most is counted anew from here on.
DUET_BODY(memory)
{
    (void)args;
    KernelState *state = kernel_state(&vm->ctx);
    if (state == NULL) {
        return VALUE_FAIL;
    }
    PoolUse *use = pool_use(state->pool);
    Value row[] = {value_from_small((int64_t)use->takes),
                   value_from_small((int64_t)use->held),
                   value_from_small((int64_t)use->most)};
    use->most = use->held;
    return tuple_of_owned(vm, row, 3);
}

// notes(on=None): switches remarks on traces; whether they were on.
DUET_BODY(notes)
{
    Stager *stager = stager_of(vm);
    // What was told stays told when notes come on again.
    bool before = stager->notes;
    if (builtin_given(args[0])) {
        int on = value_truth(vm, args[0]);
        if (on < 0) {
            return VALUE_FAIL;
        }
        stager->notes = on == 1;
    }
    return value_from_bool(before);
}

// --- the terminal ---

// (rows, columns, standard output is a terminal, it has colours)
DUET_BODY(screen)
{
    (void)args;
    TerminalSize size = terminal_size();
    // A program's own object in the place of sys.stdout is no terminal.
    bool direct = value_is_kind(vm->stdout_file, KIND_FILE);
    Value row[] = {
        value_from_small(size.rows), value_from_small(size.columns),
        value_from_bool(direct && isatty(STDOUT_FILENO)),
        value_from_bool(direct && terminal_has_colour(STDOUT_FILENO))};
    return tuple_of_owned(vm, row, 4);
}

// For all commands whose text may be longer than the screen.
DUET_BODY(page)
{
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE, "the text must be a str");
    }
    return value_done(hooks_page(vm, value_as_str(args[0])));
}

// Something else has the terminal: an editor.
DUET_BODY(pause)
{
    int on = value_truth(vm, args[0]);
    if (on < 0) {
        return VALUE_FAIL;
    }
    progress_pause(session_of(vm), on == 1);
    return VALUE_NONE;
}

// --- looking at things ---

// The empty text for what says nothing of its parameters.
DUET_BODY(signature)
{
    return value_or_fail(builtin_signature(vm, args[0]));
}

DUET_BODY(help_text)
{
    return value_or_fail(builtin_help_text(vm, args[0]));
}

// The code behind a function, method or code object; NULL: none.
static const Code *code_of(Value v)
{
    if (value_is_kind(v, KIND_METHOD)) {
        v = ((const Method *)value_object(v))->function;
    }
    if (value_is_kind(v, KIND_FUNCTION)) {
        return ((const Function *)value_object(v))->code;
    }
    return value_is_kind(v, KIND_CODE) ? (const Code *)value_object(v) : NULL;
}

// (file, line, text from there to its end, text of the whole source) of what a
// definition made; None: it is not written in Duet.
DUET_BODY(source)
{
    const Code *code = code_of(args[0]);
    if (code == NULL || code->source == NULL ||
        code->span.end > code->source->length ||
        code->span.end <= code->span.start) {
        return VALUE_NONE;
    }
    const Source *source = code->source;
    // Decorators stand in front of the span: whoever asks looks for them in the
    // whole text, which therefore comes along.
    uint32_t line = source_place(source, code->span.start).line;
    Value row[] = {str_value_from(vm, source->name), value_from_small(line),
                   value_or_fail(str_new(vm, source->text + code->span.start,
                                         code->span.end - code->span.start)),
                   value_or_fail(str_new(vm, source->text, source->length)),
                   value_from_small(source->first_line)};
    return tuple_of_owned(vm, row, 5);
}

// "keyword", "name", "number", "string", "operator"; NULL: not shown.
static const char *token_class(TokenKind kind)
{
    static const char *const classes[] = {
#define TOKEN_CLASS_SPECIAL NULL
#define TOKEN_CLASS_OPERATOR "operator"
#define TOKEN_CLASS_KEYWORD "keyword"
#define TOKEN(id, text, class) TOKEN_CLASS_##class,
#include "lexer/token_list.h"
#undef TOKEN
    };
    switch (kind) {
    case TOK_NAME: return "name";
    case TOK_NUMBER: return "number";
    case TOK_STRING: return "string";
    default: return classes[kind];
    }
}

static int64_t point_count(const char *text, size_t length)
{
    int64_t points = 0;
    for (size_t i = 0; i < length; i++) {
        points += ((unsigned char)text[i] & 0xC0) != 0x80;
    }
    return points;
}

// Appends (class, start, end) for each token that is seen.
static bool add_tokens(Vm *vm, List *list, const Source *source,
                       const TokenList *tokens)
{
    size_t byte = 0;
    int64_t point = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        const Token *token = &tokens->items[i];
        const char *class = token_class((TokenKind)token->kind);
        // Line ends and indents are not seen; nothing is told twice.
        if (class == NULL || token->span.start < byte) {
            continue;
        }
        // Places in a Duet str count code points, those of the lexer bytes.
        point += point_count(source->text + byte, token->span.start - byte);
        int64_t length = point_count(source->text + token->span.start,
                                     token->span.end - token->span.start);
        Value row[] = {str_value_from(vm, class), value_from_small(point),
                       value_from_small(point + length)};
        Value tuple = tuple_of_owned(vm, row, 3);
        if (value_failed(tuple) || !list_append_owned(vm, list, tuple)) {
            return false;
        }
        byte = token->span.end;
        point += length;
    }
    return true;
}

// tokens(text): the lexer's view of a text, as far as it goes.
DUET_BODY(tokens)
{
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE, "the text must be a str");
    }
    const Str *text = value_as_str(args[0]);
    Source *source = source_new(&vm->ctx, "<text>", text->text, text->length);
    if (source == NULL) {
        return VALUE_FAIL;
    }
    TokenList tokens = {0};
    List *list = list_new(vm, 0);
    // A mistake in the text only ends the list early.
    bool ok = list != NULL && lexer_run(&vm->ctx, source, &tokens) &&
              add_tokens(vm, list, source, &tokens);
    token_list_free(&vm->ctx, &tokens);
    source_release(&vm->ctx, source);
    if (!ok) {
        object_release_null(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_from_object(list);
}

// --- lists ---

// A list under way for history_load; `list` becomes NULL with an error
// pending.
typedef struct Gather {
    Vm *vm;
    List *list;
} Gather;

// In the form that history_load calls; what fails once is not tried again.
static void gather_entry(const char *entry, void *data)
{
    Gather *gather = data;
    Str *text = gather->list != NULL ? str_from(gather->vm, entry) : NULL;
    if (text != NULL &&
        !list_append_owned(gather->vm, gather->list, str_value(text))) {
        object_release(&gather->vm->ctx, gather->list);
        gather->list = NULL;
    } else if (text == NULL) {
        // A line that is no text is left out.
        raise_clear(gather->vm);
    }
}

// The entries of the history file, the oldest first.
DUET_BODY(history)
{
    (void)args;
    Gather gather = {vm, list_new(vm, 0)};
    if (gather.list != NULL) {
        history_load(&vm->ctx, gather_entry, &gather);
    }
    return value_or_fail(gather.list);
}

// (name, parameters, a line) of each command.
DUET_BODY(commands)
{
    (void)args;
    List *list = list_new(vm, 0);
    for (size_t i = 0; list != NULL && command_row(i) != NULL; i++) {
        // In the order of the list, which is that of %help.
        const CommandRow *command = command_row(i);
        Value row[] = {str_value_from(vm, command->name),
                       str_value_from(vm, command->params),
                       str_value_from(vm, command->doc)};
        Value tuple = tuple_of_owned(vm, row, 3);
        if (value_failed(tuple) || !list_append_owned(vm, list, tuple)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(list);
}

static const NativeDef functions[] = {
    {"names", "", duet_names, "The dict of the session's names."},
    {"run", "text, /", duet_run, "Run as an entry; its value."},
    {"cell", "text, file, line, /", duet_cell,
     "Run a cell: (value, None), or (None, traceback)."},
    {"cells", "text, file, /", duet_cells, "Run a percent script."},
    {"module", "text, name, /", duet_module_run,
     "Run a whole program as __main__."},
    {"world", "call, eager, seconds, input, /", duet_world,
     "Call in a copy of the process: (status, output, report)."},
    {"display", "value, /", duet_display, "Show a value as the prompt does."},
    {"leave", "", duet_leave, "End the session behind this entry."},
    {"entry", "", duet_entry, "(whether there is a prompt, entry number)."},
    {"memory", "", duet_memory,
     "Of tensors: (times taken, bytes now, most bytes)."},
    {"notes", "on=None, /", duet_notes, "Remarks on traces; the old state."},
    {"screen", "", duet_screen, "(rows, columns, is a terminal, colours)."},
    {"page", "text, /", duet_page, "Show a text, through a pager if long."},
    {"pause", "on, /", duet_pause, "Something else has the terminal."},
    {"signature", "obj, /", duet_signature, "How it is called."},
    {"help_text", "obj, /", duet_help_text, "What help() prints."},
    {"source", "obj, /", duet_source,
     "(file, line, text, whole text, first line), or None."},
    {"tokens", "text, /", duet_tokens, "Rows (class, start, end)."},
    {"history", "", duet_history, "The entries of the history file."},
    {"commands", "", duet_commands, "Rows (name, parameters, line)."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef duet_module = {
    .name = "duet",
    .doc = "What the commands of the prompt need of the program.",
    .functions = functions};
