// The GraphDef writer on every op that it knows: tests/graphdef/suite.txt.
// With DUET_GRAPHDEF_OUT=folder the texts are left there, one file a graph,
// for TensorFlow to read (tests/run-graphdef).
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/graphdef.h"
#include "graph/graph_parse.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/tensor_ctx.h"

static char *read_suite(void)
{
    const char *srcdir = getenv("srcdir");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/graphdef/suite.txt",
             srcdir != NULL ? srcdir : "..");
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    char *text = calloc(1, 1 << 18);
    cr_assert_lt(fread(text, 1, (1 << 18) - 1, file), (1 << 18) - 1);
    fclose(file);
    return text;
}

static void keep_text(const char *name, const GraphDef *def)
{
    const char *folder = getenv("DUET_GRAPHDEF_OUT");
    char path[4096];
    if (folder == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s/%s.pbtxt", folder, name);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    fputs(strbuf_text(&def->text), file);
    fclose(file);
}

static void write_one(const char *text, size_t length)
{
    GraphDef def;
    Graph *graph = graph_parse(&ctx, text, length);
    cr_assert_not_null(graph, "%s\n%.*s", ctx.error.text, (int)length, text);
    bool refused = strncmp(graph->name, "refused_", 8) == 0;
    bool ok = graphdef_write(graph, GRAPHDEF_TEXT, &def);
    cr_assert_eq(ok, !refused, "%s: %s", graph->name,
                 ok ? "written" : ctx.error.text);
    if (ok) {
        keep_text(graph->name, &def);
    } else {
        cr_assert_eq(strncmp(ctx.error.text, "to_graphdef: '", 14), 0, "%s",
                     ctx.error.text);
        ctx_clear(&ctx);
    }
    graphdef_free(&def);
    graph_release(&ctx, graph);
}

Test(graphdef, suite)
{
    static const char line[] = "\n====\n";
    char *text = read_suite();
    int count = 0;
    set_up();
    for (char *at = text; at != NULL; count++) {
        char *end = strstr(at, line);
        write_one(at, end != NULL ? (size_t)(end + 1 - at) : strlen(at));
        at = end != NULL ? end + strlen(line) : NULL;
    }
    cr_assert_geq(count, 100);
    ctx_destroy(&ctx);
    free(text);
}
