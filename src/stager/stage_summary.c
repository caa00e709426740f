// stage.summary: a value for a plot, each time the graph runs, as a line of
// JSON on standard output.
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/stage_host.h"

static bool json_value(Vm *vm, StrBuf *out, Value v);

// Rows of a tensor nest; the guard is against lists that a program made deep.
static bool json_items(Vm *vm, StrBuf *out, const List *list)
{
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < list->count; i++) {
        strbuf_puts(out, i > 0 ? ", " : "[");
        ok = json_value(vm, out, list->items[i]);
    }
    // The opening bracket was written with the first item; an empty list has
    // none.
    strbuf_puts(out, list->count > 0 ? "]" : "[]");
    ctx_leave(&vm->ctx);
    return ok;
}

// Control characters, quotes and backslashes are escaped; UTF-8 goes as it is.
static void json_text(StrBuf *out, const Str *text)
{
    strbuf_putc(out, '"');
    for (size_t i = 0; i < text->length; i++) {
        unsigned char byte = (unsigned char)text->text[i];
        if (byte == '"' || byte == '\\') {
            strbuf_putc(out, '\\');
            strbuf_putc(out, (char)byte);
        } else if (byte < ' ') {
            strbuf_printf(out, "\\u%04x", byte);
        } else {
            strbuf_putc(out, (char)byte);
        }
    }
    strbuf_putc(out, '"');
}

// Numbers, texts and nested lists as JSON.
static bool json_value(Vm *vm, StrBuf *out, Value v)
{
    if (value_is_kind(v, KIND_LIST)) {
        return json_items(vm, out, value_as_list(v));
    }
    // The three words that JSON spells in another way.
    if (value_is_none(v) || value_is_bool(v)) {
        strbuf_puts(out, value_is_none(v)            ? "null"
                         : value_same(v, VALUE_TRUE) ? "true"
                                                     : "false");
        return true;
    }
    // Numbers print as the language prints them. For nan and inf JSON has no
    // form: a strict reader refuses such a line.
    Str *text = value_str(vm, v);
    if (text == NULL) {
        return false;
    }
    if (value_is_str(v) || value_is_kind(v, KIND_BYTES)) {
        json_text(out, text);
    } else {
        strbuf_puts(out, text->text);
    }
    object_release(&vm->ctx, text);
    return true;
}

// A tensor as its numbers; all else stays.
static Value plain_value(Vm *vm, Value v)
{
    return value_is_tensor(v) ? tensor_to_list(vm, value_as_tensor(v))
                              : value_retain(v);
}

// {"name": "loss", "step": 3, "value": 0.5}
static Value write_summary(Vm *vm, Value *args)
{
    // Each key with the punctuation before it: a line is three pairs and a
    // brace.
    static const char *const keys[] = {
        "{\"name\": ", ", \"step\": ", ", \"value\": "};
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool ok = true;
    for (int i = 0; ok && i < 3; i++) {
        Value plain = plain_value(vm, args[i]);
        strbuf_puts(&out, keys[i]);
        ok = !value_failed(plain) && json_value(vm, &out, plain);
        release(vm, plain);
    }
    strbuf_puts(&out, "}\n");
    Str *line = ok ? str_from_buf(vm, &out) : NULL;
    if (!ok) {
        strbuf_free(&out);
    }
    if (line == NULL) {
        return VALUE_FAIL;
    }
    Value text = str_value(line);
    // Through the file object, so that the program can have its output
    // elsewhere.
    Value written =
        value_call_method(vm, vm->stdout_file, vm->names[NAME_WRITE], &text, 1);
    release(vm, text);
    if (value_failed(written)) {
        return written;
    }
    release(vm, written);
    return VALUE_NONE;
}

// Not a method of `stage`: host_call calls it when the graph runs.
static const NativeDef summary_def = {
    "summary", "name, step, value, /", write_summary,
    "Writes a line of JSON to standard output."};

// A host call of a native function: order, effects and errors are the same.
Value stage_summary_method(Vm *vm, Value *args)
{
    // In the order in which write_summary prints them; the step is an option
    // of the method and stands last there.
    Value items[3] = {args[1], value_unbound(args[3]) ? VALUE_NONE : args[3],
                      args[2]};
    Native *native = native_new(vm, &summary_def, NULL);
    Tuple *list = native != NULL ? tuple_from(vm, items, 3) : NULL;
    Value result = list != NULL
                       ? stage_host_call(vm, value_from_object(native),
                                         value_from_object(list), VALUE_NONE)
                       : VALUE_FAIL;
    object_release_null(&vm->ctx, native);
    object_release_null(&vm->ctx, list);
    return result;
}
