// Names in the printed form of graphs.
//
// What a value is assigned to is read from the program's text, where it is
// printed: a node costs nothing for a name that nobody may ask for.
#include "graph/graph_name.h"

#include <string.h>

#include "graph/graph_text.h"

size_t graph_name_bare(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && (unsigned char)text[at] > ' ') {
        if (text[at] == '[') {
            const char *end = memchr(text + at, ']', length - at);
            if (end == NULL ||
                memchr(text + at, '\n', (size_t)(end - text) - at) != NULL) {
                return at;
            }
            at = (size_t)(end - text);
        } else if (strchr(GRAPH_NAME_ENDS, text[at]) != NULL) {
            return at;
        }
        at++;
    }
    return at;
}

static const char *skip(const char *text, const char *set)
{
    return text + strspn(text, set);
}

// Several nodes may stand for one expression; the last one is its value.
static bool is_whole(const GraphNode *node)
{
    const GraphPlace *own = &node->place;
    const GraphPlace *next = node->next != NULL ? &node->next->place : NULL;
    return node->output_count == 1 && own->source != NULL &&
           !own->source->library &&
           (next == NULL || next->source != own->source ||
            next->span.start != own->span.start ||
            next->span.end != own->span.end);
}

const char *graph_name_assigned(const GraphNode *node, size_t *length)
{
    if (!is_whole(node)) {
        return NULL;
    }
    const Source *source = node->place.source;
    const char *value = source->text + node->place.span.start;
    const char *end = skip(source->text + node->place.span.end, " )");
    const char *line = value;
    while (line > source->text && line[-1] != '\n') {
        line--;
    }
    const char *name = skip(line, " \t");
    *length = graph_name_bare(name, strcspn(name, "\n"));
    const char *sign = skip(name + *length, " ");
    // Of `y += x` the whole statement is the place.
    bool augmented = value == name;
    const char *equals = augmented ? skip(sign, "+-*/%@&|^<>") : sign;
    bool assigns =
        *equals == '=' && equals[1] != '=' &&
        (augmented ? equals > sign : skip(equals + 1, " (") == value);
    return *length > 0 && assigns && strchr("\n#;", *end) != NULL ? name : NULL;
}
