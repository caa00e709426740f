// stage.print, eagerly and as a node of a graph.
//
// Invariant: both ways go through add_tensor and write_text, so that a staged
// call prints what the eager one does. The node's format has a NUL byte in the
// place of each tensor; a text that contains one is refused.
#include "stager/stage_write.h"

#include <stdlib.h>

#include "interp/machine/vm/vm_text.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/display.h"
#include "stager/trace.h"

// How tensors print: "print" is the form of str(); "brief" has one blank
// between values, "brief:5" shows so many at each end of an axis ("brief:-1"
// all), "brief!" leaves strings unquoted.
static void add_tensor(StrBuf *out, const char *style, size_t length,
                       const Tensor *tensor)
{
    static const char brief[] = "brief";
    size_t stem = strlen(brief);
    if (length < stem || memcmp(style, brief, stem) != 0) {
        tensor_print_str(out, tensor);
        return;
    }
    // What follows the stem was checked by nobody: an unknown rest leaves the
    // defaults.
    const char *rest = style + stem;
    bool plain = length > stem && *rest == '!';
    rest += plain;
    bool counted = rest < style + length && *rest == ':';
    tensor_print_brief(
        out, tensor, counted ? strtol(rest + 1, NULL, 10) : DISPLAY_BRIEF_EDGE,
        !plain);
}

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
    if (!value_failed(done)) {
        release(vm, done);
    }
    return !value_failed(done);
}

// The text is put together whole and written at once, so that nothing comes
// between its parts. Attributes are counted texts: the format holds NUL bytes.
bool stage_write_node(Vm *vm, const GraphNode *node, Tensor *const *inputs)
{
    const AttrValue *format = &node->attrs[0], *style = &node->attrs[1];
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    uint32_t next = 0;
    for (uint32_t i = 0; i < format->count; i++) {
        if (format->text[i] != '\0') {
            strbuf_putc(&out, format->text[i]);
        } else {
            add_tensor(&out, style->text, style->count, inputs[next++]);
        }
    }
    bool to_stderr =
        node->attrs[2].count == strlen("stderr") &&
        memcmp(node->attrs[2].text, "stderr", strlen("stderr")) == 0;
    bool done = strbuf_ok(&out) && write_text(vm, to_stderr, &out);
    strbuf_free(&out);
    return done;
}

// One call in the making.
typedef struct Writing {
    StrBuf text;      // in a trace the node's format
    VEC(ValueId) ids; // in a trace its tensors
    Str *style;       // borrowed, NULL: "print"
    bool to_stderr;
} Writing;

// The name goes into the node as an attribute, so the default has one too.
static const char *style_text(const Writing *w)
{
    return w->style != NULL ? w->style->text : "print";
}

// Host values print once, with the text that they have while the trace is
// made. Eagerly a NUL byte is harmless.
static bool add_text(Vm *vm, Writing *w, Value v)
{
    Str *text = value_str(vm, v);
    if (text == NULL) {
        return false;
    }
    bool ok = vm->trace == NULL ||
              memchr(text->text, '\0', text->length) == NULL ||
              raise_false(vm, ERR_VALUE,
                          "stage.print: a text with a NUL "
                          "character");
    strbuf_add(&w->text, text->text, text->length);
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
        strbuf_putc(&w->text, '\0');
        return id != VALUE_ID_NONE && vec_push(&vm->ctx, &w->ids, id);
    }
    if (value_is_kind(v, KIND_SYMBOLIC)) {
        return add_text(vm, w, v);
    }
    const Tensor *tensor = value_is_tensor(v)
                               ? value_as_tensor(v)
                               : variable_cell(value_as_variable(v))->value;
    add_tensor(&w->text, style_text(w), strlen(style_text(w)), tensor);
    return true;
}

// Appends the node, at the place of the call.
static bool append_node(Vm *vm, const Writing *w)
{
    const char *style = style_text(w);
    const char *stream = w->to_stderr ? "stderr" : "stdout";
    AttrValue attrs[3] = {
        {.kind = ATTR_STR,
         .count = (uint32_t)w->text.length,
         .text = strbuf_text(&w->text)},
        {.kind = ATTR_STR, .count = (uint32_t)strlen(style), .text = style},
        {.kind = ATTR_STR, .count = (uint32_t)strlen(stream), .text = stream}};
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
    return ok ? VALUE_NONE : VALUE_FAIL;
}
