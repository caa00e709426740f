// Finds out whether an entry is a command and hands it to lib/duet, which
// knows what the commands do.
#include "repl/command.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "modules/importing/module.h"

// By name, for lists.
static const CommandRow commands[] = {
#define COMMAND(name, params, argument, doc)                                   \
    {name, params, doc, COMMAND_ARGUMENT_##argument},
#include "repl/command_list.h"
#undef COMMAND
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

// The rows never change, so that completion may keep pointers to them.
const CommandRow *command_row(size_t index)
{
    return index < COMMAND_COUNT ? &commands[index] : NULL;
}

// `name?`, `a.b??`, `*pat*?`, `?`: one line that ends in a question mark or
// two and has no other; not a comment or a text that ends so. Some are used to
// asking `?name`.
static bool is_question(const char *text, size_t length)
{
    size_t marks = 0, first = strspn(text, "?");
    while (marks < length && text[length - marks - 1] == '?') {
        marks++;
    }
    if (first >= 1 && first <= 2 && first < length) {
        return strcspn(text + first, "?\n#\"'") == length - first;
    }
    return marks >= 1 && marks <= 2 &&
           strcspn(text, "?\n#\"'") == length - marks;
}

// Tells the misuse of a command in a line, as a traceback would say nothing
// more; all other errors in full.
static void report(Session *session)
{
    Vm *vm = session->vm;
    Value exception = raise_take(vm);
    Str *text = type_of(vm, exception)->flags & TYPE_TEXT_ALONE
                    ? value_str(vm, exception)
                    : NULL;
    // Any other error, and a text that could not be made: back it goes, to be
    // reported as those of code are.
    if (text == NULL) {
        raise_clear(vm);
        (void)raise_object(vm, exception);
        session_report(session);
        return;
    }
    if (!session_flush(session)) {
        raise_clear(vm);
    }
    fprintf(stderr, "%s\n", text->text);
    object_release(&vm->ctx, text);
    release(vm, exception);
    session->status = SESSION_ERROR;
}

// Keys and files may hold bytes that are no UTF-8, which nothing inside may
// meet: each becomes U+FFFD.
Str *command_text(Vm *vm, const char *text, size_t length)
{
    char mark[UTF8_MAX_BYTES];
    size_t mark_length = utf8_encode(UTF8_REPLACEMENT, mark);
    StrBuf clean;
    strbuf_init(&clean, &vm->ctx);
    size_t bad;
    while (!utf8_validate(text, length, false, &bad)) {
        strbuf_add(&clean, text, bad);
        strbuf_add(&clean, mark, mark_length);
        text += bad + 1;
        length -= bad + 1;
    }
    strbuf_add(&clean, text, length);
    Str *made = strbuf_ok(&clean)
                    ? str_new(vm, strbuf_text(&clean), clean.length)
                    : NULL;
    strbuf_free(&clean);
    return made;
}

// duet._command(text). The module is imported by the first command, not at
// the start of the session.
static bool call_command(Session *session, const char *text, size_t length)
{
    Vm *vm = session->vm;
    Str *argument = command_text(vm, text, length);
    Value result = VALUE_FAIL;
    if (argument != NULL) {
        Value given = str_value(argument);
        result = library_call(vm, "duet", "_command", &given, 1);
        object_release(&vm->ctx, argument);
    }
    bool done = !value_failed(result);
    release(vm, result);
    return done && session_flush(session);
}

// As in IPython: who types the bare name wants to go, not to see a function. A
// variable of that name is meant as such.
bool command_leaves(const Session *session, const char *text)
{
    static const char *const words[] = {"exit", "quit"};
    text += strspn(text, " \t\n");
    size_t length = strcspn(text, " \t\n");
    if (text[length + strspn(text + length, " \t\n")] != '\0') {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (length != strlen(words[i]) || memcmp(text, words[i], length) != 0) {
            continue;
        }
        Vm *vm = session->vm;
        Str *name = str_intern(vm, words[i], length);
        if (name == NULL) { // it is shown, or fails, as any other name
            raise_clear(vm);
            return false;
        }
        bool own = !value_unbound(dict_get_name(session->globals, name));
        object_release(&vm->ctx, name);
        return !own;
    }
    return false;
}

// Blanks around the text are no part of it: a command may be pasted indented.
bool command_run(Session *session, const char *text)
{
    text += strspn(text, " \t\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\n", text[length - 1]) != NULL) {
        length--;
    }
    // None of the forms is valid Duet code, so nothing is taken away.
    if (text[0] != '%' && text[0] != '!' && !is_question(text, length)) {
        return false;
    }
    if (!call_command(session, text, length)) {
        report(session);
    }
    return true;
}
