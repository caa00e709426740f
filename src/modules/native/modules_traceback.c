// The native half of the module traceback: the text that an error prints.
#include "interp/objects/code/code.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "modules/importing/module.h"

// text(exception, limit=None, alone=False): as the interpreter prints it when
// nothing catches it. `alone`: only its last lines, without frames and chain.
static Value traceback_text(Vm *vm, Value *args)
{
    // INT64_MIN stands for no limit.
    int64_t limit = INT64_MIN;
    bool limited = !value_unbound(args[1]) && !value_is_none(args[1]);
    if (!value_is_kind(args[0], KIND_EXCEPTION)) {
        return raise_error(vm, ERR_TYPE, "expected an exception, not '%s'",
                           type_name(type_of(vm, args[0])));
    }
    if (limited && !value_to_index(vm, args[1], &limit)) {
        return VALUE_FAIL;
    }
    int alone = value_unbound(args[2]) ? 0 : value_truth(vm, args[2]);
    if (alone < 0) {
        return VALUE_FAIL;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool done = alone == 1 ? raise_print_message(vm, args[0], &out)
                           : raise_format_traceback(vm, args[0], limit, &out);
    Str *text = done ? str_from_buf(vm, &out) : NULL;
    // str_from_buf frees the buffer; without it, that is due here.
    if (!done) {
        strbuf_free(&out);
    }
    return value_or_fail(text);
}

// The bytes that stand in front of a place on its line.
static Value byte_column(const Source *source, uint32_t offset)
{
    uint32_t start = offset;
    while (start > 0 && source->text[start - 1] != '\n') {
        start--;
    }
    return value_from_small(offset - start);
}

// (filename, line, function, source line or None, printed text, last line,
// first column, column behind the last one) of a place. Columns count bytes.
static Value entry_tuple(Vm *vm, const Code *code, Span span)
{
    // Line numbers count from 1; the text is the program's as it was read.
    Place place = source_place(code->source, span.start);
    size_t length = 0;
    const char *line = source_line(code->source, place.line, &length);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    raise_print_entry(&out, code, span);
    Place end = source_place(code->source, span.end);
    Value parts[8] = {[1] = value_from_small(place.line),
                      [5] = value_from_small(end.line),
                      [6] = byte_column(code->source, span.start),
                      [7] = byte_column(code->source, span.end)};
    // Made together: any failure shows in the Ctx at the end.
    Str *texts[] = {str_from(vm, code->source->name), object_retain(code->name),
                    line == NULL ? NULL : str_new(vm, line, length),
                    str_from_buf(vm, &out)};
    static const int places[] = {0, 2, 3, 4};
    for (size_t i = 0; i < 4; i++) {
        parts[places[i]] = texts[i] == NULL ? VALUE_NONE : str_value(texts[i]);
    }
    Tuple *tuple = ctx_failed(&vm->ctx) ? NULL : tuple_from(vm, parts, 8);
    for (size_t i = 0; i < 8; i++) {
        release(vm, parts[i]);
    }
    return value_or_fail(tuple);
}

// list_append_owned takes the entry, even on failure.
static bool add_entry(Vm *vm, List *list, const Code *code, Span span)
{
    Value entry = entry_tuple(vm, code, span);
    return !value_failed(entry) && list_append_owned(vm, list, entry);
}

static Value traceback_entries(Vm *vm, Value *args)
{
    if (!value_is_kind(args[0], KIND_TRACEBACK)) {
        return raise_error(vm, ERR_TYPE, "expected a traceback, not '%s'",
                           type_name(type_of(vm, args[0])));
    }
    const Traceback *trace = (Traceback *)value_object(args[0]);
    List *list = list_new(vm, 0);
    // Unwinding adds the innermost frame first.
    for (uint32_t i = trace->count; list != NULL && i > 0; i--) {
        const TracebackEntry *entry = &trace->entries[i - 1];
        if (!add_entry(vm, list, entry->code, traceback_span(entry))) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(list);
}

static Value traceback_stack(Vm *vm, Value *args)
{
    (void)args;
    List *list = list_new(vm, 0);
    for (Frame *f = vm->frames;
         list != NULL && vm->frame != NULL && f <= vm->frame; f++) {
        // A frame without a place in a source is left out.
        if (f->code != NULL && f->code->source != NULL && f->pc != NULL &&
            f->code->word_count > 0 && f->pc >= f->code->words &&
            f->pc <= f->code->words + f->code->word_count &&
            !add_entry(
                vm, list, f->code,
                code_span(f->code, (uint32_t)(f->pc - f->code->words)))) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(list);
}

// lib/python/traceback.duet wraps these in classes and functions.
static const NativeDef functions[] = {
    {"entries", "traceback, /", traceback_entries,
     "(file, line, function, source line, text) of its places."},
    {"stack", "", traceback_stack, "The same of the places that run now."},
    {"text", "exception, limit=None, alone=False, /", traceback_text,
     "The traceback and the message, as they print when nothing catches it."},
    {NULL, NULL, NULL, NULL}};

const ModuleDef traceback_module = {
    .name = "traceback", .doc = "What errors print.", .functions = functions};
