// The table of passes, and running them.
#include "graph/passes/pass.h"

#include <string.h>

#include "graph/build.h"
#include "graph/graph_check.h"

// In the order of the list, which is the order of running.
static const PassDesc pass_table[PASS_COUNT] = {
#define PASS(id, stem, decides) {#stem, stem##_run, decides},
#include "graph/passes/pass_list.h"
#undef PASS
};

// The row of a pass.
const PassDesc *pass_desc(PassId id)
{
    return &pass_table[id];
}

// "all" stands for every pass; an unknown name for none.
static uint32_t pass_bit(const char *name, size_t length)
{
    // The piece of the list is not NUL-terminated.
    if (length == 3 && memcmp(name, "all", 3) == 0) {
        return PASS_ALL;
    }
    for (uint32_t i = 0; i < PASS_COUNT; i++) {
        if (strlen(pass_table[i].name) == length &&
            memcmp(pass_table[i].name, name, length) == 0) {
            return 1u << i;
        }
    }
    return 0;
}

// Items without a leading '-' are ignored, so that a list of what is on does
// no harm.
uint32_t pass_mask(const char *text)
{
    uint32_t mask = PASS_ALL;
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, ",");
        if (text[0] == '-') {
            mask &= ~pass_bit(text + 1, length - 1);
        }
        text += length;
        text += *text == ',';
    }
    return mask;
}

// One pass; checked, it must leave a whole graph with the effects as before.
static bool run_pass(Graph *graph, const PassDesc *pass, bool check)
{
    uint64_t before = 0, after = 0;
    // Checking costs a walk or two for each pass, so it is asked for.
    if (!check) {
        return pass->run(graph);
    }
    if (!graph_effect_trail(graph, pass->decides, &before) ||
        !pass->run(graph) || !graph_check(graph) ||
        !graph_effect_trail(graph, pass->decides, &after)) {
        return false;
    }
    return before == after ||
           ctx_fail(graph->ctx, ERR_SYSTEM,
                    "graph: pass %s has changed the effects", pass->name);
}

// Each pass once, in the order of the list.
bool pass_run(Graph *graph, uint32_t mask, bool check)
{
    for (uint32_t i = 0; i < PASS_COUNT; i++) {
        // No repetition until nothing changes: the list is ordered so that
        // each pass leaves work for later ones alone.
        if (mask >> i & 1 && !run_pass(graph, &pass_table[i], check)) {
            return false;
        }
    }
    return true;
}
