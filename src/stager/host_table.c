// What running plans ask of the host: text to print, host code, errors.
#include "interp/hooks/program.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/concrete.h"
#include "stager/late_error.h"
#include "stager/stage_host.h"
#include "stager/stage_write.h"

// stage.print, stage_write.c.
static bool host_print(void *data, Ctx *ctx, const GraphNode *node,
                       Tensor *const *inputs)
{
    (void)ctx;
    return stage_write_node(data, node, inputs);
}

// stage.host_call and stage.summary, stage_host.c.
static bool host_call(void *data, Ctx *ctx, const GraphNode *node,
                      Tensor *const *inputs, Tensor **outputs)
{
    (void)ctx;
    return stage_host_run(data, node, inputs, outputs);
}

// A node of a graph that was parsed from text has no exception object: its
// text is all there is to raise.
static void host_raise(void *data, Ctx *ctx, const GraphNode *node,
                       Tensor *const *inputs)
{
    if (node->host != NULL) {
        late_error_raise(data, node, inputs);
        return;
    }
    (void)ctx_fail(ctx, ERR_ASSERTION, "%.*s", (int)node->attrs[0].count,
                   node->attrs[0].text);
}

// For the line about long work; nothing else of the machine may run here.
static void host_turn(void *data, Ctx *ctx, int64_t done, int64_t total)
{
    Vm *vm = data;
    if (vm->program != NULL && ctx->interrupt & INTERRUPT_TICK) {
        ctx_interrupt_clear(ctx, INTERRUPT_TICK);
        vm->program->graph_turn(vm, done, total);
    }
}

// Calls that the node's function came by are told from the inside out, as the
// unwinding of eager code would.
static void host_failed(void *data, Ctx *ctx, const Graph *graph,
                        const GraphNode *node)
{
    (void)ctx;
    for (uint32_t site = node->place.site; site != 0;) {
        const GraphSite *at = &graph->sites.items[site - 1];
        raise_add_frame(data, (const Code *)at->code, at->word);
        site = at->caller;
    }
}

// In the order of HostTable's fields. `data` is the Vm, which a plan knows
// nothing of.
const HostTable host_table = {host_print, host_call, host_raise, host_turn,
                              host_failed};
