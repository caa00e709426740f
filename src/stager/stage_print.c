// Graphs as values, and what running plans ask of the host.
#include "graph/graph_text.h"
#include "interp/obj_int.h"
#include "interp/protocol.h"
#include "stager/concrete.h"

static Value graph_str(Vm *vm, Value self)
{
    const TraceOwner *owner = (const TraceOwner *)value_object(self);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    graph_print(&out, owner->graph, false);
    Str *text = str_from_buf(vm, &out);
    return text != NULL ? str_value(text) : VALUE_FAIL;
}

static int64_t graph_length(Vm *vm, Value self)
{
    (void)vm;
    return (int64_t)((TraceOwner *)value_object(self))->graph->node_count;
}

static void owner_destroy(Vm *vm, Object *object)
{
    TraceOwner *owner = (TraceOwner *)object;
    graph_release(&vm->ctx, owner->graph);
    object_free(vm, owner, sizeof *owner);
}

const TypeDef trace_owner_type_def = {
    .name = "Graph",
    .doc = "What a trace recorded.",
    .kind = KIND_OPAQUE,
    .size = sizeof(TraceOwner),
    .flags = TYPE_FINAL,
    .slots = {.destroy = owner_destroy,
              .repr = graph_str,
              .length = graph_length},
};

// The node's format, each NUL byte replaced by the next tensor.
static bool host_print(void *data, Ctx *ctx, const GraphNode *node,
                       Tensor *const *inputs)
{
    Vm *vm = data;
    const AttrValue *format = &node->attrs[0];
    StrBuf out;
    strbuf_init(&out, ctx);
    uint32_t next = 0;
    for (uint32_t i = 0; i < format->count; i++) {
        if (format->text[i] != '\0') {
            strbuf_putc(&out, format->text[i]);
        } else {
            tensor_print_str(&out, inputs[next++]);
        }
    }
    Str *line = str_from_buf(vm, &out);
    if (line == NULL) {
        return false;
    }
    Value text = str_value(line);
    Value written = value_call_method(vm, vm->stdout_file,
                                      vm->names[NAME_WRITE], &text, 1);
    release(vm, text);
    release(vm, written);
    return !value_failed(written);
}

static bool host_call(void *data, Ctx *ctx, const GraphNode *node,
                      Tensor *const *inputs, Tensor **outputs)
{
    (void)data;
    (void)node;
    (void)inputs;
    (void)outputs;
    return ctx_fail(ctx, ERR_RUNTIME, "host_call: the graph has no function");
}

static void host_raise(void *data, Ctx *ctx, const GraphNode *node,
                       Tensor *const *inputs)
{
    (void)data;
    (void)inputs;
    (void)ctx_fail(ctx, ERR_ASSERTION, "%.*s", (int)node->attrs[0].count,
                   node->attrs[0].text);
}

const HostTable stage_print_table = {host_print, host_call, host_raise};
