// Graphs as values, and what running plans ask of the host.
#include "graph/graph_text.h"
#include "interp/obj_int.h"
#include "interp/protocol.h"
#include "stager/concrete.h"
#include "stager/stage_write.h"

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

static bool host_print(void *data, Ctx *ctx, const GraphNode *node,
                       Tensor *const *inputs)
{
    (void)ctx;
    return stage_write_node(data, node, inputs);
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
