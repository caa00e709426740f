// Printing tracebacks byte for byte.
//
// A chain (cause or context) prints oldest first. It is walked, not recursed:
// the links are collected, then printed from the far end. Invariant: nothing
// here changes the exceptions.
#include "base/diag.h"
#include "interp/objects/code/code.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/errors/sys_hooks.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"

enum {
    FOLD_AFTER = 3,  // equal entries printed before folding
    CHAIN_MAX = 1000 // links followed; a ring cannot be longer in practice
};

static const char cause_text[] =
    "\nThe above exception was the direct cause of the following "
    "exception:\n\n";
static const char context_text[] =
    "\nDuring handling of the above exception, another exception "
    "occurred:\n\n";

// One frame: the place, and the source line with its carets.
// An empty span marks nothing: a frame that had not begun.
void raise_print_entry(StrBuf *out, const Code *code, Span span)
{
    diag_file_line(out, code->source, span);
    strbuf_printf(out, ", in %s\n", code->name->text);
    // The text of exec() is not found again.
    if (code->source->origin != SOURCE_TEXT) {
        diag_source_line(out, code->source, span, 4, span.start < span.end,
                         false);
    }
}

// Lines are folded by file, line and function, not by instruction. Two
// functions of one text are two codes and are not folded.
static bool same_entry(const TracebackEntry *a, const TracebackEntry *b)
{
    if (a->code != b->code) {
        return false;
    }
    Span first = code_span(a->code, a->word);
    Span second = code_span(b->code, b->word);
    return source_place(a->code->source, first.start).line ==
           source_place(b->code->source, second.start).line;
}

// Says how many equal entries were left out, if any.
// `repeats` counts the first ones, which were printed.
static void print_fold(StrBuf *out, uint32_t repeats)
{
    if (repeats > FOLD_AFTER) {
        uint32_t more = repeats - FOLD_AFTER;
        strbuf_printf(out, "  [Previous line repeated %u more time%s]\n", more,
                      more == 1 ? "" : "s");
    }
}

// Entries [newest, oldest] are stored newest first and printed oldest first.
// False: interrupted, or no memory.
static bool print_entries(Vm *vm, StrBuf *out, const Traceback *trace,
                          uint32_t oldest, uint32_t newest)
{
    uint32_t repeats = 0;
    for (uint32_t i = oldest; i > newest; i--) {
        const TracebackEntry *entry = &trace->entries[i - 1];
        bool again = i < oldest && same_entry(entry, &trace->entries[i]);
        if (!again) {
            print_fold(out, repeats);
            repeats = 0;
        }
        if (++repeats <= FOLD_AFTER) {
            raise_print_entry(out, entry->code, traceback_span(entry));
        }
        // A traceback may have as many entries as the recursion limit.
        if (!strbuf_ok(out) || !ctx_poll(&vm->ctx)) {
            return false;
        }
    }
    print_fold(out, repeats);
    return strbuf_ok(out);
}

// limit n: the n oldest; -n: the n newest; INT64_MIN: all.
// False: as print_entries. A limit of 0 does not come here.
static bool print_frames(Vm *vm, StrBuf *out, const Traceback *trace,
                         int64_t limit)
{
    uint32_t oldest = trace->count, newest = 0;
    if (limit >= 0 && limit < trace->count) {
        // Entries stand from the newest to the oldest.
        newest = trace->count - (uint32_t)limit;
    } else if (limit < 0 && limit != INT64_MIN && -limit < trace->count) {
        oldest = (uint32_t)-limit;
    }
    strbuf_puts(out, "Traceback (most recent call last):\n");
    return print_entries(vm, out, trace, oldest, newest);
}

// The classes of the running program and the built-in ones, whose dict does not
// hold their module, have none in front; what is no text names no module.
// The qualified name tells a class inside of another or of a function.
static void print_class(Vm *vm, StrBuf *out, Type *cls)
{
    Value module = type_lookup(vm, cls, vm->names[NAME_MODULE]);
    if (value_failed(module)) {
        raise_clear(vm); // of a built-in class, which has none
    } else if (!value_unbound(module) && !value_is_str(module)) {
        strbuf_puts(out, "<unknown>.");
    } else if (value_is_str(module) &&
               !str_is(value_as_str(module), "__main__") &&
               !str_is(value_as_str(module), "builtins")) {
        strbuf_printf(out, "%s.", value_as_str(module)->text);
    }
    strbuf_puts(out, cls->qualname->text);
}

// A message that cannot be made must not hide the error itself.
// `suggest`: with "Did you mean", which only people need.
static void print_message(Vm *vm, StrBuf *out, Value exception, bool suggest)
{
    // The place of a SyntaxError is printed above, not in its text.
    const Exception *e = value_as_exception(exception);
    bool placed = exception_place(vm, e) != NULL;
    Str *text = value_str(vm, placed ? e->args->items[0] : exception);
    if (text == NULL) {
        raise_clear(vm);
        strbuf_puts(out, ": <exception str() failed>");
    } else if (text->length > 0) {
        strbuf_puts(out, ": ");
        strbuf_add(out, text->text, text->length);
        if (suggest && strbuf_ok(out)) {
            suggest_print(vm, out, e);
        }
    }
    object_release_null(&vm->ctx, text);
}

// A note that cannot be made a text must not hide the error itself.
// Notes are shown as str() has them, without a check of their lines.
static void print_note(Vm *vm, StrBuf *out, Value note)
{
    Str *text = value_str(vm, note);
    if (text == NULL) {
        raise_clear(vm);
        strbuf_puts(out, "<note str() failed>");
    } else {
        strbuf_add(out, text->text, text->length);
        object_release(&vm->ctx, text);
    }
    strbuf_putc(out, '\n');
}

// PEP 678: what add_note() has collected, a line each. The program may have
// put something else there: a sequence counts as one, the rest is shown.
// False: an error is pending.
static bool print_notes(Vm *vm, StrBuf *out, const Exception *exception)
{
    Value notes = exception->notes;
    if (value_unbound(notes)) {
        return true;
    }
    if (!value_is_kind(notes, KIND_LIST) && !value_is_kind(notes, KIND_TUPLE) &&
        !value_is_str(notes)) {
        Str *text = value_repr(vm, notes);
        if (text == NULL) {
            raise_clear(vm);
        }
        strbuf_puts(out,
                    text == NULL ? "<__notes__ repr() failed>" : text->text);
        object_release_null(&vm->ctx, text);
        return true; // no line ends here
    }
    // A copy: the text of a note may change the list.
    Tuple *all = value_to_tuple(vm, notes);
    for (size_t i = 0; all != NULL && strbuf_ok(out) && i < all->count; i++) {
        print_note(vm, out, all->items[i]);
    }
    object_release_null(&vm->ctx, all);
    return all != NULL;
}

// What stands below the frames: class, message, notes.
// False: an error is pending. Only a SyntaxError and its kin have a place.
// The texts of message and notes are made by the program, which is not called
// while a failure of `out` is pending: it would be taken for the text's, and
// cleared.
static bool print_last(Vm *vm, StrBuf *out, Value value, bool suggest)
{
    Exception *exception = value_as_exception(value);
    const Tuple *place = exception_place(vm, exception);
    if (place != NULL) {
        bool point = exception->head.type != type_of_error(vm, ERR_SYNTAX);
        syntax_print_place(out, place, !suggest, point);
    }
    print_class(vm, out, exception->head.type);
    if (!strbuf_ok(out)) {
        return false;
    }
    print_message(vm, out, value, suggest);
    strbuf_putc(out, '\n');
    return strbuf_ok(out) && print_notes(vm, out, exception);
}

// As traceback.format_exception_only: without frames, chain or proposal.
bool raise_print_message(Vm *vm, Value exception, StrBuf *out)
{
    return print_last(vm, out, exception, false) && strbuf_ok(out);
}

// An exception that was never raised has no frames and no heading.
// False: an error is pending. `limit` is that of print_frames, and 0 shows no
// frames at all.
static bool print_one(Vm *vm, StrBuf *out, Value value, int64_t limit,
                      bool suggest)
{
    Traceback *trace = value_as_exception(value)->traceback;
    return (trace == NULL || trace->count == 0 || limit == 0 ||
            print_frames(vm, out, trace, limit)) &&
           print_last(vm, out, value, suggest);
}

// What printed above `value`: its cause, or its context unless suppressed.
// Borrowed. A cause set to None suppresses the context and shows nothing, as
// `raise … from None` asks.
static Value link_of(Value value, const char **text)
{
    const Exception *exception = value_as_exception(value);
    if (value_is_kind(exception->cause, KIND_EXCEPTION)) {
        *text = cause_text;
        return exception->cause;
    }
    *text = context_text;
    return exception->suppress_context ? VALUE_NONE : exception->context;
}

// Linear, since chains are short; a ring would be printed for ever.
static bool already_there(const ValueVec *chain, Value value)
{
    for (size_t i = 0; i < chain->count; i++) {
        if (value_same(chain->items[i], value)) {
            return true;
        }
    }
    return false;
}

// Newest first. The links are borrowed: the newest exception holds the others.
// False: no memory.
static bool collect_chain(Vm *vm, Value exception, ValueVec *chain)
{
    const char *text;
    Value here = exception;
    while (value_is_kind(here, KIND_EXCEPTION) && chain->count < CHAIN_MAX &&
           !already_there(chain, here)) {
        if (!vec_push(&vm->ctx, chain, here)) {
            return false;
        }
        // The text is asked again when it is printed.
        here = link_of(here, &text);
    }
    return true;
}

// Before each exception but the oldest stands the text that says how the one
// above it came in.
// False: an error is pending.
static bool print_chain(Vm *vm, Value exception, int64_t limit, StrBuf *out,
                        bool suggest)
{
    ValueVec chain = {0};
    bool done = collect_chain(vm, exception, &chain);
    for (size_t i = chain.count; done && i > 0; i--) {
        done = print_one(vm, out, chain.items[i - 1], limit, suggest);
        if (done && i > 1) {
            const char *text;
            (void)link_of(chain.items[i - 2], &text);
            strbuf_puts(out, text);
        }
    }
    vec_free(&vm->ctx, &chain);
    return done && strbuf_ok(out);
}

// With proposals: what people read at the prompt and on standard error.
bool raise_print_traceback(Vm *vm, Value exception, int64_t limit, StrBuf *out)
{
    int64_t set = limit == INT64_MIN ? sys_traceback_limit(vm) : -1;
    return print_chain(vm, exception, set >= 0 ? -set : limit, out, true);
}

bool raise_format_traceback(Vm *vm, Value exception, int64_t limit, StrBuf *out)
{
    int64_t set = limit == INT64_MIN ? sys_traceback_limit(vm) : -1;
    return print_chain(vm, exception, set >= 0 ? set : limit, out, false);
}

// The frames of it alone and its text, without chain, notes, place or proposal;
// the text may be empty.
bool raise_print_unraisable(Vm *vm, Value value, StrBuf *out)
{
    const Exception *exception = value_as_exception(value);
    const Traceback *trace = exception->traceback;
    if (trace != NULL && trace->count > 0 &&
        !print_frames(vm, out, trace, INT64_MIN)) {
        return false;
    }
    print_class(vm, out, exception->head.type);
    Str *text = strbuf_ok(out) ? value_str(vm, value) : NULL;
    if (text == NULL) {
        raise_clear(vm);
    }
    strbuf_printf(out, ": %s\n",
                  text == NULL ? "<exception str() failed>" : text->text);
    object_release_null(&vm->ctx, text);
    return strbuf_ok(out);
}
