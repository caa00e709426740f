// Running texts and reporting how they ended.
//
// Invariant: standard output is flushed before anything is written to
// standard error, so that the two come in program order when joined.
#include "repl/session.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interp/machine/compile/source_bytes.h"
#include "interp/machine/vm/vm_text.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/exception_fields.h"
#include "interp/objects/errors/sys_hooks.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/codec.h"
#include "interp/objects/text/obj_str.h"
#include "modules/builtins/builtins.h"
#include "modules/importing/module.h"
#include "modules/world.h"
#include "repl/colour.h"
#include "repl/entries.h"
#include "repl/hooks.h"
#include "repl/progress.h"
#include "repl/terminal.h"
#include "stager/stager.h"

enum { SESSION_CELL_COLUMNS = 80 };

// The one piece of global state of the process: whom Ctrl-C means.
static _Atomic(Ctx *) interrupt_target;

// Only sets a bit: a handler may do little more, and the Vm looks at it.
static void on_interrupt(int signal_number)
{
    (void)signal_number;
    Ctx *ctx = atomic_load(&interrupt_target);
    if (ctx != NULL) {
        ctx_interrupt(ctx, INTERRUPT_SIGNAL);
    }
}

// Without SA_RESTART, so that a read at the terminal ends too. A closed pipe
// and a file at its size limit are errors of the write, not signals.
// The target goes first, so that the handler never runs without one.
static void catch_signals(Ctx *ctx)
{
    atomic_store(&interrupt_target, ctx);
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

// The vector takes the reference over, unless it cannot grow.
static bool add_argument(Vm *vm, const char *text)
{
    Str *str = codec_from_system(vm, text, strlen(text));
    if (str == NULL || !vec_push(&vm->ctx, &vm->argv, str_value(str))) {
        object_release_null(&vm->ctx, str);
        return false;
    }
    return true;
}

static bool set_arguments(Vm *vm, const Args *args, const char *name)
{
    if (!add_argument(vm, name)) {
        return false;
    }
    for (int i = 0; i < args->script_argc; i++) {
        if (!add_argument(vm, args->script_argv[i])) {
            return false;
        }
    }
    return true;
}

// What was made before a failure is taken down by session_close, so the caller
// has nothing to close after false.
bool session_open(Session *session, const Args *args, const char *name)
{
    *session = (Session){.vm = vm_new(0)};
    Vm *vm = session->vm;
    if (vm == NULL) {
        fputs("duet: out of memory\n", stderr);
        return false;
    }
    catch_signals(&vm->ctx);
    vm->session = session;
    vm->program = &session_hooks;
    vm->eager_only = vm->long_calls = args->eager;
    session->globals =
        stager_init(vm, args->trace) && set_arguments(vm, args, name)
            ? vm_main_module(vm, name)
            : NULL;
    if (session->globals == NULL) {
        session_report(session);
        (void)session_close(session);
        return false;
    }
    return true;
}

// Through the object and not by fflush: the buffer is Duet's, and another
// object may stand in its place, or None, which has nothing to flush.
bool session_flush(Session *session)
{
    Vm *vm = session->vm;
    if (value_is_none(vm->stdout_file)) {
        return true;
    }
    Value result =
        value_call_method(vm, vm->stdout_file, vm->names[NAME_FLUSH], NULL, 0);
    release(vm, result);
    return !value_failed(result);
}

// Values that may be longer than a screen: lib/duet shortens and wraps them.
static bool may_be_long(Value value)
{
    static const Kind kinds[] = {KIND_LIST, KIND_TUPLE, KIND_DICT,  KIND_SET,
                                 KIND_STR,  KIND_BYTES, KIND_TENSOR};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (value_is_kind(value, kinds[i])) {
            return true;
        }
    }
    return false;
}

// _shown.shown(value, columns, rows), or for the whole value _shown.pretty
// (`rows` 0): a Str; NULL: failed.
static Str *shown_text(Vm *vm, Value value, int columns, int rows)
{
    Value args[] = {value, value_from_small(columns), value_from_small(rows)};
    Value text = library_call(vm, "_shown", rows > 0 ? "shown" : "pretty", args,
                              rows > 0 ? 3 : 2);
    if (!value_failed(text) && !value_is_str(text)) {
        release(vm, text);
        return raise_null(vm, ERR_TYPE, "a value was shown as no text");
    }
    return value_failed(text) ? NULL : value_as_str(text);
}

// Takes the text, NULL with an error pending, and writes it as a line.
static bool write_line(Vm *vm, Str *text)
{
    Str *line = text == NULL ? NULL : str_printf(vm, "%s\n", text->text);
    object_release_null(&vm->ctx, text);
    bool done = line != NULL && builtin_write_stdout(vm, line);
    object_release_null(&vm->ctx, line);
    return done;
}

// At a terminal a long value is shortened; elsewhere it is shown whole.
static bool show_at_prompt(Session *session, Value value)
{
    Vm *vm = session->vm;
    if (!isatty(STDOUT_FILENO) || !may_be_long(value) ||
        !value_is_kind(vm->stdout_file, KIND_FILE)) {
        return vm_show(vm, value);
    }
    TerminalSize size = terminal_size();
    return write_line(vm, shown_text(vm, value, size.columns, size.rows));
}

// As a notebook shows a cell's value: whole, in lines of a fixed length, so
// that output is the same wherever it goes.
static bool show_cell(Session *session, Value value)
{
    Vm *vm = session->vm;
    if (!may_be_long(value)) {
        return vm_show(vm, value);
    }
    return dict_set_name(vm, vm->builtins, vm->names[NAME_UNDERSCORE], value) &&
           write_line(vm, shown_text(vm, value, SESSION_CELL_COLUMNS, 0));
}

// Flushed at once, so that the value is seen before the next prompt. It is
// kept before it is shown: a value whose repr fails can still be looked at.
bool session_show(Session *session, Value value)
{
    if (session->cells && !session->prompting && !value_is_none(value)) {
        return (session->quiet || show_cell(session, value)) &&
               session_flush(session);
    }
    if (!session->prompting || value_is_none(value)) {
        return vm_show(session->vm, value) && session_flush(session);
    }
    return entries_keep(session, value) &&
           (session->quiet || show_at_prompt(session, value)) &&
           session_flush(session);
}

// SystemExit(n) ends with n, SystemExit() with 0, anything else is printed
// and ends with 1.
static int status_of_code(Vm *vm, Value code)
{
    if (value_is_none(code)) {
        return SESSION_OK;
    }
    if (value_is_bool(code)) {
        return value_same(code, VALUE_TRUE);
    }
    if (value_is_integer(code)) {
        // As the C library would: -1 for what does not fit, then 8 bits.
        int64_t status;
        status = int_to_i64(code, &status) ? status : -1;
        return (int)(status & 0xFF);
    }
    Str *text = value_str(vm, code);
    if (text != NULL) {
        fprintf(stderr, "%s\n", text->text);
        object_release(&vm->ctx, text);
    }
    raise_clear(vm);
    return SESSION_ERROR;
}

// The attribute, which a program may have changed, rather than the argument.
static int exit_status(Vm *vm, Exception *exception)
{
    Value code = exception_field(vm, exception, "code");
    if (value_failed(code)) {
        raise_clear(vm);
        return SESSION_ERROR;
    }
    int status = status_of_code(vm, code);
    release(vm, code);
    return status;
}

// By subclass, so that classes of the program count too.
static bool is_error(Vm *vm, Value exception, ErrorKind kind)
{
    return type_is_subtype(type_of(vm, exception), type_of_error(vm, kind));
}

// Straight to the descriptor: sys.stderr may be what failed. A traceback that
// itself fails for want of memory leaves the class's name.
// Gathered first and written as a whole.
static void print_traceback(Vm *vm, Value exception)
{
    StrBuf text;
    StrBuf coloured;
    strbuf_init(&text, &vm->ctx);
    strbuf_init(&coloured, &vm->ctx);
    if (!raise_print_traceback(vm, exception, INT64_MIN, &text) ||
        !strbuf_ok(&text)) {
        raise_clear(vm);
        fprintf(stderr, "%s\n", type_name(type_of(vm, exception)));
    } else {
        if (terminal_has_colour(STDERR_FILENO)) {
            colour_traceback(&coloured, text.text);
        }
        // Without memory for the colours it is told all the same.
        StrBuf *told =
            coloured.length > 0 && strbuf_ok(&coloured) ? &coloured : &text;
        fwrite(told->text, 1, told->length, stderr);
    }
    ctx_clear(&vm->ctx);
    strbuf_free(&coloured);
    strbuf_free(&text);
    fflush(stderr);
}

// The commands of the prompt are written in Duet: their frames, which stand
// outside of the user's, are no news.
void session_strip(Session *session, Value exception)
{
    Traceback *trace = value_as_exception(exception)->traceback;
    while (trace != NULL && trace->count > 0 &&
           trace->entries[trace->count - 1].code->source->library) {
        object_release(&session->vm->ctx, trace->entries[--trace->count].code);
    }
}

// By the program's own hook, if it has one; where that fails, its error is told
// before the one that it was for. A program that has set sys.stderr to None
// wants nothing told.
static void tell(Vm *vm, Value exception)
{
    int told = sys_tell_error(vm, exception);
    if (told == 1 || (told == 0 && value_is_none(vm->stderr_file))) {
        return;
    }
    if (told < 0) {
        Value failure = raise_take(vm);
        fputs("Error in sys.excepthook:\n", stderr);
        print_traceback(vm, failure);
        fputs("\nOriginal exception was:\n", stderr);
        release(vm, failure);
    }
    print_traceback(vm, exception);
}

// Whether standard output is a pipe that nobody reads any more.
static bool is_pipe_closed(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

// What is told where the last output could not be written: by then nobody is
// left who could catch the error, which names the stream.
// Takes the error.
static void report_lost(Session *session, Value exception)
{
    Vm *vm = session->vm;
    session->status = SESSION_LOST;
    if (is_error(vm, exception, ERR_BROKEN_PIPE) && is_pipe_closed()) {
        release(vm, exception); // who stopped reading knows
        return;
    }
    Str *stream = value_repr(vm, vm->stdout_file);
    if (stream == NULL) {
        raise_clear(vm);
    }
    fprintf(stderr, "Exception ignored in: %s\n",
            stream == NULL ? "<stdout>" : stream->text);
    print_traceback(vm, exception);
    object_release_null(&vm->ctx, stream);
    release(vm, exception);
}

// Takes the error out, so that nothing is pending afterwards whatever happens
// on the way.
void session_report(Session *session)
{
    Vm *vm = session->vm;
    // Taken before the flush, which could raise on its own.
    Value exception = raise_take(vm);
    progress_end(session);
    session_strip(session, exception);
    // Told behind what failed before.
    Value lost = session_flush(session) ? VALUE_UNBOUND : raise_take(vm);
    bool unread = is_error(vm, exception, ERR_BROKEN_PIPE) && is_pipe_closed();
    if (is_error(vm, exception, ERR_SYSTEM_EXIT)) {
        session->exiting = true;
        session->status = exit_status(vm, value_as_exception(exception));
    } else {
        session->exiting |= is_error(vm, exception, ERR_BROKEN_PIPE);
        if (!unread) {
            tell(vm, exception);
        }
        session->interrupted = is_error(vm, exception, ERR_INTERRUPT);
        session->status =
            session->interrupted ? SESSION_INTERRUPTED : SESSION_ERROR;
    }
    release(vm, exception);
    if (!value_unbound(lost)) {
        report_lost(session, lost);
    }
}

// The source is given up in any case, after the report, because a SyntaxError
// points into it.
static bool session_run(Session *session, Source *source, RunMode mode)
{
    Vm *vm = session->vm;
    // Entries alone have a line about long work: scripts are quiet.
    bool watched = session->prompting && session->stops == 0;
    if (watched) {
        progress_begin(session);
    }
    Value value =
        vm_run_source(vm, source, mode, session->globals, VALUE_UNBOUND);
    if (watched) {
        progress_end(session);
    }
    bool done = !value_failed(value);
    if (done && mode == RUN_INTERACTIVE && !value_unbound(value)) {
        done = session_show(session, value);
    }
    release(vm, value);
    if (!done) {
        session_report(session); // a SyntaxError borrows the source
    }
    source_release(&vm->ctx, source);
    return done;
}

// The numbers of a cell's lines are set on the Source, which is new and nobody
// else's.
bool session_run_text(Session *session, const char *name, const char *text,
                      size_t length, uint32_t first_line, RunMode mode)
{
    // Standard input is read as a file.
    bool file = source_is_file(name) || strcmp(name, "<stdin>") == 0;
    Source *source = source_of_bytes(
        session->vm, name, file ? SOURCE_FILE : SOURCE_TYPED, text, length);
    if (source == NULL) {
        session_report(session);
        return false;
    }
    source->first_line = first_line;
    return session_run(session, source, mode);
}

// Output that cannot be flushed makes the status 120, whatever the program has
// ended with. Files that nothing but the Vm keeps alive are written while it is
// freed, so that their failures are known last.
int session_close(Session *session)
{
    Vm *vm = session->vm;
    vm_finish(vm); // finalisers may write
    progress_free(session);
    entries_free(session);
    if (!session_flush(session)) {
        report_lost(session, raise_take(vm));
    }
    atomic_store(&interrupt_target, NULL);
    // The process ends right after: taking everything down for the sake of
    // order was a third of the work of a small program.
    if (vm_is_spent(vm)) {
        session->vm = NULL;
        return session->status;
    }
    stager_free(vm);
    bool written = vm_free(vm);
    session->vm = NULL;
    // Standard error was told when the file was dropped.
    if (!written && session->status == SESSION_OK) {
        session->status = SESSION_ERROR;
    }
    return session->status;
}
