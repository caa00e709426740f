// libFuzzer target: any bytes as a graph's text; what is read must print to a
// text that is read again.
#include <stdlib.h>
#include <string.h>

#include "graph/graph_parse.h"
#include "graph/graph_text.h"

static void free_tensor(Ctx *ctx, Object *object)
{
    tensor_dealloc(ctx, (Tensor *)object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx_init(&ctx, 0);
    ctx.dealloc = free_tensor;
    Graph *graph = graph_parse(&ctx, (const char *)data, size);
    if (graph != NULL) {
        StrBuf text;
        strbuf_init(&text, &ctx);
        graph_print(&text, graph, true);
        Graph *again = strbuf_ok(&text)
                           ? graph_parse(&ctx, strbuf_text(&text), text.length)
                           : graph;
        if (again == NULL) {
            abort();
        }
        if (again != graph) {
            graph_release(&ctx, again);
        }
        graph_release(&ctx, graph);
        strbuf_free(&text);
    }
    ctx_clear(&ctx);
    ctx_destroy(&ctx);
    return 0;
}
