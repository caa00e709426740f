// Plans of a test file that has tensor_ctx.h's Ctx: from a graph's text to what
// the plan says of itself. Static, as the Ctx.
#ifndef DUET_TESTS_PLAN_CTX_H
#define DUET_TESTS_PLAN_CTX_H

#include <string.h>

#include "backend/exec.h"
#include "graph/graph_parse.h"
#include "graph/passes/pass.h"
#include "tensor_ctx.h"

// As stage runs graphs: all passes, fused, compiled.
static const PlanOptions as_staged = {PASS_ALL, true, true, true, false};

// Owned.
static inline Graph *parsed(const char *text)
{
    Graph *graph = graph_parse(&ctx, text, strlen(text));
    cr_assert_not_null(graph, "%s", ctx.error.text);
    return graph;
}

// Owned; borrows the graph.
static inline Plan *planned(Graph *graph)
{
    Plan *plan = plan_build(&ctx, graph, &as_staged);
    cr_assert_not_null(plan, "%s", ctx.error.text);
    return plan;
}

// Of a graph that nobody else needs. Owned.
static inline Plan *planned_text(const char *text)
{
    Graph *graph = parsed(text);
    Plan *plan = planned(graph);
    graph_release(&ctx, graph);
    return plan;
}

// Whether the plan says the words of itself.
static inline bool plan_says(const Plan *plan, const char *words)
{
    StrBuf out;
    strbuf_init(&out, &ctx);
    plan_print(&out, plan);
    bool found = strstr(strbuf_text(&out), words) != NULL;
    strbuf_free(&out);
    return found;
}

#endif
