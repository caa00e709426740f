// stage.print, eagerly and as a node of a graph.
//
// Invariant: both ways go through host_text_tensor and write_text, so that a
// staged call prints what the eager one does. The node's format has a mark in
// the place of each tensor; a text that contains one is refused.
#include "stager/stage_write.h"

#include "backend/host_text.h"
#include "interp/machine/vm/vm_text.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/display.h"
#include "stager/late_text.h"

// What waits for standard output goes before anything on standard error, so
// that the two, joined, stand in program order.
// A stream that is None takes no text, as in print().
static bool write_text(Vm *vm, bool to_stderr, const StrBuf *text)
{
    if (value_is_none(to_stderr ? vm->stderr_file : vm->stdout_file)) {
        return true;
    }
    Str *line = str_new(vm, strbuf_text(text), text->length);
    if (line == NULL) {
        return false;
    }
    Value argument = str_value(line), done = VALUE_NONE;
    if (to_stderr && !value_is_none(vm->stdout_file)) {
        done = value_call_method(vm, vm->stdout_file, vm->names[NAME_FLUSH],
                                 NULL, 0);
    }
    if (!value_failed(done)) {
        release(vm, done);
        done =
            value_call_method(vm, to_stderr ? vm->stderr_file : vm->stdout_file,
                              vm->names[NAME_WRITE], &argument, 1);
    }
    release(vm, argument);
    release(vm, done);
    return !value_failed(done);
}

// The text is put together whole and written at once, so that nothing comes
// between its parts.
bool stage_write_node(Vm *vm, const GraphNode *node, Tensor *const *inputs)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    bool to_stderr = host_text_print(&out, node, inputs);
    bool done = strbuf_ok(&out) && write_text(vm, to_stderr, &out);
    strbuf_free(&out);
    return done;
}

// One call in the making.
typedef struct Writing {
    StrBuf text; // in a trace the node's format
    IdVec ids;   // in a trace its tensors
    Str *style;  // borrowed, NULL: "print"
    bool to_stderr;
} Writing;

// The name goes into the node as an attribute, so the default has one too.
static const char *style_text(const Writing *w)
{
    return w->style != NULL ? w->style->text : "print";
}

static bool has_mark(const Str *text)
{
    bool found = false;
    for (size_t i = 0; i < text->length && !found; i++) {
        found = print_is_mark(text->text[i]);
    }
    return found;
}

// Host values print once, with the text that they have while the trace is
// made. Eagerly a mark is harmless.
static bool add_text(Vm *vm, Writing *w, Value v)
{
    Str *text = value_str(vm, v);
    if (text == NULL) {
        return false;
    }
    Value late =
        vm->trace == NULL ? VALUE_UNBOUND : late_text_pack(vm, text, &w->ids);
    bool ok =
        !value_failed(late) &&
        (vm->trace == NULL || !has_mark(text) ||
         raise_false(vm, ERR_VALUE, "stage.print: a text with the character %s",
                     strlen(text->text) < text->length ? "NUL" : "\\x01"));
    if (ok && !value_unbound(late)) {
        ok = late_text_format(vm, late, &w->text);
    } else {
        strbuf_add(&w->text, text->text, text->length);
    }
    release(vm, late);
    object_release(&vm->ctx, text);
    return ok;
}

// In a trace a Variable is read here, in program order with its writes.
// Outside of any trace a symbolic tensor has no value to print, and goes by
// its str().
static bool add_argument(Vm *vm, Writing *w, Value v)
{
    if (!value_is_operand(v)) {
        return add_text(vm, w, v);
    }
    if (vm->trace != NULL) {
        ValueId id = trace_operand(vm, vm->trace, v);
        strbuf_putc(&w->text, symbolic_is_text(v) ? PRINT_TEXT : PRINT_TENSOR);
        return id != VALUE_ID_NONE && vec_push(&vm->ctx, &w->ids, id);
    }
    if (value_is_kind(v, KIND_SYMBOLIC)) {
        return add_text(vm, w, v);
    }
    const Tensor *tensor = value_is_tensor(v)
                               ? value_as_tensor(v)
                               : variable_cell(value_as_variable(v))->value;
    host_text_tensor(&w->text, style_text(w), strlen(style_text(w)), tensor);
    return true;
}

// Appends the node, at the place of the call.
static bool append_node(Vm *vm, const Writing *w)
{
    AttrValue attrs[3] = {{.kind = ATTR_STR,
                           .count = (uint32_t)w->text.length,
                           .text = strbuf_text(&w->text)},
                          attr_of_text(style_text(w)),
                          attr_of_text(w->to_stderr ? "stderr" : "stdout")};
    vm->trace->prints = true;
    return graph_append_host(vm->trace->graph, vm->trace->block, OP_PRINT,
                             w->ids.items, (uint32_t)w->ids.count, attrs, NULL,
                             NULL, 0, trace_place(vm)) != NULL;
}

// A graph can name a stream, but not hold a file.
static bool choose_stream(Vm *vm, Value file, bool *to_stderr)
{
    *to_stderr = value_same(file, vm->stderr_file);
    return *to_stderr || value_unbound(file) || value_is_none(file) ||
           value_same(file, vm->stdout_file) ||
           raise_false(vm, ERR_VALUE,
                       "stage.print writes to sys.stdout or sys.stderr");
}

// sep= and end= as print() takes them: None or nothing means the default.
static const char *text_or(Value v, const char *otherwise)
{
    return value_is_str(v) ? value_as_str(v)->text : otherwise;
}

// One loop for both ways: what is gathered is a format in a trace and the text
// itself outside of one.
Value stage_write_method(Vm *vm, Value *args)
{
    const Tuple *values = value_as_tuple(args[1]);
    Writing w = {.style = value_is_str(args[5]) ? value_as_str(args[5]) : NULL};
    if (!choose_stream(vm, args[4], &w.to_stderr)) {
        return VALUE_FAIL;
    }
    strbuf_init(&w.text, &vm->ctx);
    bool ok = true;
    for (size_t i = 0; ok && i < values->count; i++) {
        strbuf_puts(&w.text, i == 0 ? "" : text_or(args[2], " "));
        ok = add_argument(vm, &w, values->items[i]);
    }
    strbuf_puts(&w.text, text_or(args[3], "\n"));
    ok = ok && strbuf_ok(&w.text) &&
         (vm->trace != NULL ? append_node(vm, &w)
                            : write_text(vm, w.to_stderr, &w.text));
    vec_free(&vm->ctx, &w.ids);
    strbuf_free(&w.text);
    return value_done(ok);
}
