// Reads a program and runs it.
#include "repl/script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "modules/importing/module.h"
#include "repl/command.h"

// Bytes for one read; the block lies on the stack.
enum { READ_SIZE = 64 << 10 };

// Appends all that can be read. False with errno set; a failed append shows
// in the buffer.
// A signal that is not Ctrl-C only interrupts the read, which is tried again.
static bool read_all(Ctx *ctx, int file, StrBuf *text)
{
    static const int again = EINTR;
    char block[READ_SIZE];
    for (;;) {
        ssize_t count = read(file, block, sizeof block);
        if (count == 0 ||
            (count < 0 && (errno != again || ctx_interrupted(ctx)))) {
            return count == 0;
        }
        if (count > 0) {
            strbuf_add(text, block, (size_t)count);
        }
        if (!strbuf_ok(text)) {
            return true;
        }
    }
}

// False after a report.
// `path` NULL is standard input. A file that cannot be read is no exception:
// it is told on one line and has a status of its own.
static bool read_program(Session *session, const char *path, StrBuf *text)
{
    Ctx *ctx = &session->vm->ctx;
    int file = path == NULL ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    bool done = file >= 0 && read_all(ctx, file, text);
    // Kept, because close may change it.
    int error = errno;
    if (file > STDIN_FILENO) {
        close(file);
    }
    // Ctrl-C during the read: raised here, and reported like any other error.
    if (!done && ctx_interrupted(ctx)) {
        done = ctx_poll(ctx);
    } else if (!done) {
        fprintf(stderr, "duet: can't read '%s': [Errno %d] %s\n",
                path == NULL ? "<stdin>" : path, error, strerror(error));
        session->status = SESSION_NO_FILE;
        return false;
    }
    if (!done || !strbuf_ok(text)) {
        session_report(session);
        return false;
    }
    return true;
}

// What the library says of a run, owned: True is success; a failure is
// reported.
static bool take_verdict(Session *session, Value result)
{
    bool passed = value_same(result, VALUE_TRUE);
    if (value_failed(result)) {
        session_report(session);
    } else if (!session->exiting) {
        session->status = passed ? SESSION_OK : SESSION_ERROR;
    }
    release(session->vm, result);
    return passed;
}

// duet._html.write(text, script, page): the cells run there, one after the
// other, and what they give goes into the page. True: no cell failed.
static bool run_page(Session *session, const char *name, const char *page,
                     const StrBuf *text)
{
    Vm *vm = session->vm;
    // The page is written by a module in the language itself.
    Str *parts[3] = {NULL};
    Value result = VALUE_FAIL;
    if ((parts[0] = str_new(vm, strbuf_text(text), text->length)) != NULL &&
        (parts[1] = str_from(vm, name)) != NULL &&
        (parts[2] = str_from(vm, page)) != NULL) {
        Value args[] = {value_from_object(parts[0]),
                        value_from_object(parts[1]),
                        value_from_object(parts[2])};
        result = library_call(vm, "duet._html", "write", args, 3);
    }
    // In all cases: parts that were not made are null.
    for (size_t i = 0; i < 3; i++) {
        object_release_null(&vm->ctx, parts[i]);
    }
    return take_verdict(session, result);
}

// A terminal cannot be given to two programs; what else stands there can, once
// it is read to its end.
static bool read_input(Session *session, const Args *args, StrBuf *text)
{
    return args->quiz || args->mode == ARGS_STDIN || isatty(STDIN_FILENO) ||
           read_program(session, NULL, text);
}

// A str; None for NULL.
static Value text_or_none(Vm *vm, const char *text)
{
    Str *made = text != NULL ? str_from(vm, text) : NULL;
    if (made != NULL) {
        return str_value(made);
    }
    return text != NULL ? VALUE_FAIL : VALUE_NONE;
}

// duet._compare.script(text, name, input, expect, page, quiz, cells): True: as
// it should be.
static bool run_comparison(Session *session, const Args *args, const char *name,
                           const StrBuf *text)
{
    Vm *vm = session->vm;
    StrBuf input;
    strbuf_init(&input, &vm->ctx);
    if (!read_input(session, args, &input)) {
        strbuf_free(&input);
        return false;
    }
    Str *code = str_new(vm, strbuf_text(text), text->length);
    Str *given = command_text(vm, strbuf_text(&input), input.length);
    strbuf_free(&input);
    Value row[] = {value_or_fail(code),
                   text_or_none(vm, name),
                   value_or_fail(given),
                   text_or_none(vm, args->expect),
                   text_or_none(vm, args->page),
                   value_from_bool(args->quiz),
                   value_from_bool(args->mode == ARGS_CELLS)};
    enum { COUNT = sizeof row / sizeof *row };
    bool made = true;
    for (size_t i = 0; i < COUNT; i++) {
        made = made && !value_failed(row[i]);
    }
    Value result = made
                       ? library_call(vm, "duet._compare", "script", row, COUNT)
                       : VALUE_FAIL;
    for (size_t i = 0; i < COUNT; i++) {
        release(vm, row[i]);
    }
    return take_verdict(session, result);
}

// The whole text is read before any of it runs, from standard input too. A text
// that could not be kept for want of memory is no text.
static bool run_file(Session *session, const Args *args)
{
    const char *path = args->mode == ARGS_STDIN ? NULL : args->program;
    const char *name = path == NULL ? "<stdin>" : path;
    StrBuf text;
    strbuf_init(&text, &session->vm->ctx);
    bool done = true;
    // The code of -c is "<string>" in tracebacks.
    if (args->mode == ARGS_CODE) {
        name = "<string>";
        strbuf_puts(&text, args->program);
    } else {
        done = read_program(session, path, &text);
    }
    if (done && !strbuf_ok(&text)) {
        session_report(session);
        done = false;
    }
    if (done && args->compare) {
        done = run_comparison(session, args, name, &text);
    } else if (done && args->mode == ARGS_CELLS && args->page != NULL) {
        done = run_page(session, name, args->page, &text);
    } else if (done && args->mode == ARGS_CELLS) {
        done = cells_run(session, name, strbuf_text(&text), text.length);
    } else if (done) {
        done = session_run_text(session, name, strbuf_text(&text), text.length,
                                1, RUN_MODULE);
    }
    strbuf_free(&text);
    return done;
}

static bool run_explain(Session *session, const Args *args)
{
    Vm *vm = session->vm;
    Str *code = str_from(vm, args->program);
    Value given = value_or_fail(code);
    Value result = code != NULL
                       ? library_call(vm, "duet._compare", "explain", &given, 1)
                       : VALUE_FAIL;
    object_release_null(&vm->ctx, code);
    if (value_failed(result)) {
        session_report(session);
        return false;
    }
    release(vm, result);
    return true;
}

// duet._run_graph.main(words)
static bool run_graph(Session *session, const Args *args)
{
    Vm *vm = session->vm;
    List *words = list_new(vm, 0);
    bool ok = words != NULL;
    for (int i = 0; ok && i < args->script_argc; i++) {
        Value word = text_or_none(vm, args->script_argv[i]);
        ok = !value_failed(word) && list_append_owned(vm, words, word);
    }
    Value given = ok ? value_from_object(words) : VALUE_FAIL;
    Value result = ok ? library_call(vm, "duet._run_graph", "main", &given, 1)
                      : VALUE_FAIL;
    object_release_null(&vm->ctx, words);
    return take_verdict(session, result);
}

bool script_run(Session *session, const Args *args)
{
    if (args->mode == ARGS_GRAPH) {
        return run_graph(session, args);
    }
    if (args->mode == ARGS_EXPLAIN) {
        return run_explain(session, args);
    }
    return run_file(session, args);
}
