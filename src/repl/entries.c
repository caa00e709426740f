// In, Out and the numbers of entries.
//
// Invariant: `In[n]` is the text of `<in n>`. `Out` has the values of the last
// entries that had one; of large tensors only the newest value of all.
#include "repl/entries.h"

#include <stdio.h>
#include <string.h>

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/text/obj_str.h"
#include "interp/tensors/obj_tensor.h"
#include "ops/dtype.h"
#include "repl/command.h"
#include "repl/paste.h"

// As built-in names: a program's own `In` or `Out` hides them, and %who does
// not list them.
static bool bind_builtin(Vm *vm, const char *text, Value value)
{
    Str *name = str_intern(vm, text, strlen(text));
    bool done = name != NULL && dict_set_name(vm, vm->builtins, name, value);
    object_release_null(&vm->ctx, name);
    return done;
}

// In[0] is empty, so that numbers fit.
static bool make_lists(Session *session)
{
    Vm *vm = session->vm;
    if (session->inputs != NULL) {
        return true;
    }
    // A first try may have failed half-way: what there is serves again.
    session->outputs =
        session->outputs != NULL ? session->outputs : dict_new(vm);
    List *inputs = session->outputs != NULL ? list_new(vm, 0) : NULL;
    if (inputs == NULL ||
        !list_append(vm, inputs, value_from_object(vm->empty_str)) ||
        !bind_builtin(vm, "In", value_from_object(inputs)) ||
        !bind_builtin(vm, "Out", value_from_object(session->outputs))) {
        object_release_null(&vm->ctx, inputs);
        return false;
    }
    session->inputs = inputs;
    return true;
}

// The built-in names In and Out may hold them longer.
void entries_free(Session *session)
{
    Ctx *ctx = &session->vm->ctx;
    object_release_null(ctx, session->inputs);
    object_release_null(ctx, session->outputs);
    session->inputs = NULL;
    session->outputs = NULL;
}

// By what its elements take; a view of a larger buffer keeps more than that.
static bool is_large(Value value)
{
    if (!value_is_kind(value, KIND_TENSOR)) {
        return false;
    }
    const Tensor *tensor = (const Tensor *)value_object(value);
    return (size_t)tensor->count * dtype_size(tensor->dtype) > ENTRIES_LARGE;
}

// Out[7] and the built-in name _7 (value UNBOUND: no longer). A key that is not
// there is fine: the program may have removed it.
static bool set_output(Session *session, int number, Value value)
{
    Vm *vm = session->vm;
    char text[16];
    int length = snprintf(text, sizeof text, "_%d", number);
    Str *name = str_intern(vm, text, (size_t)length);
    Value key = value_from_small(number);
    bool gone = value_unbound(value);
    bool done =
        name != NULL &&
        (gone ? dict_remove(vm, session->outputs, key) >= 0 &&
                    dict_remove(vm, vm->builtins, value_from_object(name)) >= 0
              : dict_set(vm, session->outputs, key, value) &&
                    dict_set_name(vm, vm->builtins, name, value));
    object_release_null(&vm->ctx, name);
    return done;
}

static bool forget(Session *session, int number)
{
    return number <= 0 || set_output(session, number, VALUE_UNBOUND);
}

// `_` is the value, `__` the one before. Both are built-in names, as In is.
static bool bind_last(Vm *vm, Value value)
{
    Value before = dict_get_name(vm->builtins, vm->names[NAME_UNDERSCORE]);
    return (value_unbound(before) || bind_builtin(vm, "__", before)) &&
           dict_set_name(vm, vm->builtins, vm->names[NAME_UNDERSCORE], value);
}

// In a stop inside running code the values belong to the entry that runs.
bool entries_keep(Session *session, Value value)
{
    Vm *vm = session->vm;
    if (!bind_last(vm, value)) {
        return false;
    }
    // Before the first entry: the startup file, or code that stops in a
    // script.
    if (session->outputs == NULL || session->entry == 0) {
        return true;
    }
    if (!forget(session, session->large) ||
        !forget(session, session->entry - ENTRIES_KEPT)) {
        return false;
    }
    // Told apart by the entry: the value itself may be anywhere else, too.
    session->large = is_large(value) ? session->entry : 0;
    return set_output(session, session->entry, value);
}

// The entry's number and text; false after a report.
static bool begin(Session *session, const char *text, size_t length)
{
    Vm *vm = session->vm;
    Str *entry = make_lists(session) ? command_text(vm, text, length) : NULL;
    // Whatever the program did to the list, the entry stands at its number.
    bool done = entry != NULL;
    while (done && session->inputs->count < (size_t)session->entry + 1) {
        done =
            list_append(vm, session->inputs, value_from_object(vm->empty_str));
    }
    done = done && list_append(vm, session->inputs, value_from_object(entry));
    object_release_null(&vm->ctx, entry);
    session->entry += done;
    if (!done) {
        session_report(session);
    }
    return done;
}

// Each entry has a name of its own, so that a traceback can show its lines
// later. The text ends in a line break, as a block needs.
static void run_code(Session *session, const char *text)
{
    char name[32];
    snprintf(name, sizeof name, "<in %d>", session->entry);
    StrBuf entry;
    strbuf_init(&entry, &session->vm->ctx);
    strbuf_puts(&entry, text);
    strbuf_putc(&entry, '\n');
    if (!strbuf_ok(&entry)) {
        session_report(session);
    } else {
        // The text is not empty, and has no blanks at its end.
        session->quiet = text[strlen(text) - 1] == ';';
        (void)session_run_text(session, name, entry.text, entry.length, 1,
                               RUN_INTERACTIVE);
        session->quiet = false;
    }
    strbuf_free(&entry);
}

// The text is counted and kept before it runs, so that a traceback can name it
// and `In` has it, whatever it does.
void entries_run(Session *session, const char *text)
{
    StrBuf clean;
    strbuf_init(&clean, &session->vm->ctx);
    // Prompts of a pasted session are taken off.
    if (paste_is_session(text)) {
        paste_take_prompts(&clean, text);
    } else {
        strbuf_puts(&clean, text);
    }
    size_t length = clean.length;
    while (length > 0 && strchr(" \t\n", clean.text[length - 1]) != NULL) {
        clean.text[--length] = '\0';
    }
    if (!strbuf_ok(&clean)) {
        session_report(session);
    } else if (length > 0 && command_leaves(session, clean.text)) {
        session->exiting = true; // as %quit
        session->status = SESSION_OK;
    } else if (length > 0 && begin(session, clean.text, length) &&
               !command_run(session, clean.text)) {
        run_code(session, clean.text);
    }
    strbuf_free(&clean);
}
