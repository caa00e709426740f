// Passes, by example: each file of tests/graph/ names passes, gives a graph,
// a line of dashes, and the graph as the passes must leave it.
//
//     # passes: fold, dce
//     graph f()
//       …
//     ----
//     graph f()
//       …
#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph_check.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
#include "graph/passes/pass.h"
// Last: its ctx would shadow parameters in headers behind it.
#include "../support/tensor_ctx.h"

static char *read_file(const char *folder, const char *name)
{
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    char *text = calloc(1, 1 << 16);
    cr_assert_lt(fread(text, 1, (1 << 16) - 1, file), (1 << 16) - 1);
    fclose(file);
    return text;
}

// The passes that the first line names.
static uint32_t named_passes(const char *text)
{
    uint32_t mask = 0;
    cr_assert_eq(strncmp(text, "# passes:", 9), 0, "%s", text);
    for (int i = 0; i < PASS_COUNT; i++) {
        const char *name = pass_desc((PassId)i)->name;
        const char *at = strstr(text, name);
        if (at != NULL && at < strchr(text, '\n')) {
            mask |= 1u << i;
        }
    }
    return mask;
}

static void check_file(const char *folder, const char *name)
{
    char *text = read_file(folder, name);
    char *cut = strstr(text, "----\n");
    cr_assert_not_null(cut, "%s has no ----", name);
    Graph *graph = graph_parse(&ctx, text, (size_t)(cut - text));
    cr_assert_not_null(graph, "%s: %s", name, ctx.error.text);
    cr_assert(pass_run(graph, named_passes(text), true), "%s: %s", name,
              ctx.error.text);
    StrBuf out;
    strbuf_init(&out, &ctx);
    graph_print(&out, graph, true);
    cr_assert_str_eq(out.text, cut + 5, "%s", name);
    strbuf_free(&out);
    graph_release(&ctx, graph);
    free(text);
}

Test(golden, passes)
{
    const char *srcdir = getenv("srcdir");
    char folder[4000];
    snprintf(folder, sizeof folder, "%s/tests/graph",
             srcdir != NULL ? srcdir : "..");
    DIR *files = opendir(folder);
    cr_assert_not_null(files, "%s", folder);
    int count = 0;
    set_up();
    for (struct dirent *file = readdir(files); file != NULL;
         file = readdir(files)) {
        if (strstr(file->d_name, ".txt") != NULL) {
            check_file(folder, file->d_name);
            count++;
        }
    }
    closedir(files);
    cr_assert_geq(count, 10);
    ctx_destroy(&ctx);
}
