// Reading a graph's printed form: heads, blocks, values. Nodes are read in
// graph_parse_node.c. The grammar stands in graph_parse.h.
//
// The text is cut at the lines that begin with "graph "; a callee is read when
// the first call names it. Everything is built with the builder of graph.h, so
// that a text that does not type gives the error of the op.
#include "graph/graph_parse.h"

#include <string.h>

#include "graph/graph_check.h"
#include "graph/graph_parse_scope.h"

// A graph's part of the text.
typedef struct ParsePart {
    Reader reader; // stands behind "graph "
    TextPiece name;
    Graph *graph; // owned, NULL until it is read
    bool open;    // being read: whoever calls it now calls itself
} ParsePart;

// All graphs of one text; lives as long as graph_parse runs.
struct ParseText {
    Ctx *ctx;
    VEC(ParsePart) parts;
};

// A part reads the parts that it calls.
static Graph *read_part(ParseText *all, size_t index);

// The declared type, its dims in the graph's arena.
static bool read_type(Parse *parse, Definition *definition)
{
    Shape shape;
    if (!reader_expect(&parse->reader, ":") ||
        !reader_type(&parse->reader, &definition->dtype, &shape)) {
        return false;
    }
    // The Shape is on the C stack; the definition outlives this call.
    size_t rank = shape.rank > 0 ? (size_t)shape.rank : 0;
    definition->rank = shape.rank;
    definition->dims = arena_new_array(&parse->graph->arena, int64_t, rank);
    if (definition->dims != NULL && rank > 0) {
        memcpy(definition->dims, shape.dims, rank * sizeof(int64_t));
    }
    return definition->dims != NULL;
}

// What stands before the '=' of a node, or a param: names are free.
bool graph_parse_definition(Parse *parse, Definition *definition)
{
    Reader *reader = &parse->reader;
    reader_blanks(reader);
    definition->where = reader->at;
    if (!reader_expect(reader, "%")) {
        return false;
    }
    // Any word will do: the text is the key, and that it looks like a number
    // is no matter.
    definition->number = reader_word(reader);
    if (definition->number.length == 0) {
        return reader_fail_at(reader, reader->at, "expected a number");
    }
    reader_blanks(reader);
    definition->name = NULL;
    if (reader->at < reader->end && *reader->at != ':') {
        definition->name = reader_name(reader, &parse->graph->arena);
        if (definition->name == NULL) {
            return false;
        }
    }
    return read_type(parse, definition);
}

// `value` may be VALUE_ID_NONE: the builder failed, which is told with its
// place.
bool graph_parse_define(Parse *parse, const Definition *definition,
                        ValueId value)
{
    TextPiece number = definition->number;
    if (value == VALUE_ID_NONE) {
        return reader_explain(&parse->reader, definition->where);
    }
    // Numbers are single in a graph, over all its blocks.
    if (map_get(&parse->values, number.text, number.length) != NULL) {
        return reader_fail_at(&parse->reader, definition->where,
                              "%%%.*s is defined twice", (int)number.length,
                              number.text);
    }
    return map_put(&parse->values, number.text, number.length, value);
}

// Whether a value's block is this one or one around it.
static bool visible(const Graph *graph, const GraphBlock *block, ValueId value)
{
    const GraphBlock *home = graph_value(graph, value)->block;
    while (block != NULL && block != home) {
        block = block->parent;
    }
    return block != NULL;
}

// A value must have been defined in this block or in one around it.
static bool parse_value(Parse *parse, const GraphBlock *block, IdVec *values)
{
    Reader *reader = &parse->reader;
    const char *where = reader->at;
    TextPiece number = reader_word(reader);
    // Values stay in the map when their block has ended, so that being defined
    // is not enough.
    uint64_t *value = map_get(&parse->values, number.text, number.length);
    if (value == NULL || !visible(parse->graph, block, (ValueId)*value)) {
        return reader_fail_at(reader, where - 1,
                              "no value %%%.*s is defined here",
                              (int)number.length, number.text);
    }
    return vec_push(reader->ctx, values, (ValueId)*value);
}

// A comma must be followed by another value, or a version.
bool graph_parse_values(Parse *parse, const GraphBlock *block, IdVec *values)
{
    bool version;
    if (!graph_parse_version(parse, &version) ||
        (!version && !reader_take(&parse->reader, "%"))) {
        return !ctx_failed(parse->reader.ctx);
    }
    do {
        if (!version && !parse_value(parse, block, values)) {
            return false;
        }
    } while (reader_take(&parse->reader, ",") &&
             graph_parse_version(parse, &version) &&
             (version || reader_expect(&parse->reader, "%")));
    // The loop ends without a comma, or with one that nothing follows, which
    // is an error.
    return !ctx_failed(parse->reader.ctx);
}

// Variables are numbered in the order of the head's lines.
bool graph_parse_variable(Parse *parse, uint32_t *index)
{
    Reader *reader = &parse->reader;
    if (!reader_expect(reader, "@")) {
        return false;
    }
    const char *where = reader->at;
    if (!reader_uint(reader, index)) {
        return false;
    }
    return *index < parse->graph->variables.count ||
           reader_fail_at(reader, where, "no Variable @%u", *index);
}

// Names are free: state that the trace has no name for has none.
bool graph_parse_params(Parse *parse, GraphBlock *block)
{
    Reader *reader = &parse->reader;
    if (!reader_expect(reader, "(")) {
        return false;
    }
    if (reader_take(reader, ")")) {
        return true;
    }
    do {
        Definition param;
        bool version;
        if (!graph_parse_version(parse, &version) ||
            (!version && (!graph_parse_definition(parse, &param) ||
                          !graph_parse_define(
                              parse, &param,
                              graph_block_param(parse->graph, block, param.name,
                                                definition_type(&param)))))) {
            return false;
        }
    } while (reader_take(reader, ","));
    return reader_expect(reader, ")");
}

// Whether the piece is this word, whole.
static bool is_word(TextPiece word, const char *text)
{
    return word.length == strlen(text) &&
           memcmp(word.text, text, word.length) == 0;
}

// The last line of a block, if the next one is it: *done.
static bool block_end(Parse *parse, GraphBlock *block, bool *done)
{
    Reader *reader = &parse->reader;
    const char *where = reader->at, *note;
    IdVec values = {0};
    TextPiece word = reader_word(reader);
    *done = true;
    // A block that raises has no values to yield.
    if (is_word(word, "unreachable")) {
        graph_block_diverges(block);
        return reader_line_end(reader, &parse->graph->arena, &note);
    }
    // The outermost block returns, the others yield.
    if (!is_word(word, block->parent != NULL ? "yield" : "return")) {
        // An op's name stands here: back to the start of the line.
        reader->at = where;
        *done = false;
        return true;
    }
    bool ok = graph_parse_values(parse, block, &values) &&
              graph_block_results(parse->graph, block, values.items,
                                  (uint32_t)values.count) &&
              reader_line_end(reader, &parse->graph->arena, &note);
    vec_free(reader->ctx, &values);
    return ok;
}

// Lines up to the one that ends the block. Indentation must be exact, so that
// a line cannot slip into another block.
static bool block_lines(Parse *parse, GraphBlock *block, size_t indent)
{
    Reader *reader = &parse->reader;
    bool done = false;
    while (!done) {
        size_t found = 0;
        if (!reader_indent(reader, &found) || found < indent) {
            return reader_fail_at(reader, reader->at,
                                  "the block has no last line");
        }
        // The block goes on, but this line is not where its lines begin.
        if (found > indent) {
            return reader_fail_at(reader, reader->at,
                                  "expected %zu blanks, not %zu", indent,
                                  found);
        }
        // A long text can be interrupted.
        if (!ctx_poll(reader->ctx) || !block_end(parse, block, &done) ||
            (!done && !graph_parse_node(parse, block, indent))) {
            return false;
        }
    }
    return true;
}

// Nesting in the text is nesting in C: depth is counted.
bool graph_parse_block(Parse *parse, GraphBlock *block, size_t indent)
{
    if (!ctx_enter(parse->reader.ctx)) {
        return false;
    }
    bool ok = block_lines(parse, block, indent);
    ctx_leave(parse->reader.ctx);
    return ok;
}

// What comes from outside of a graph is no list.
static bool check_outside(Parse *parse, const Definition *definition,
                          const char *where)
{
    return !dtype_is_list(definition->dtype) ||
           reader_fail_at(&parse->reader, where, "a list is made in a graph");
}

// An argument or a capture; both are inputs, in the order of the text.
static bool head_input(Parse *parse, InputKind kind)
{
    Graph *graph = parse->graph;
    Definition definition;
    if (!graph_parse_definition(parse, &definition) ||
        !check_outside(parse, &definition, definition.where)) {
        return false;
    }
    // A capture is read as an input without a tensor; graph_bind_capture gives
    // it one.
    // An input needs some name; which one is no matter, since calls match by
    // position.
    ValueId value = graph_add_input(
        graph, definition.name != NULL ? definition.name : "arg",
        definition_type(&definition));
    if (!graph_parse_define(parse, &definition, value)) {
        return false;
    }
    vec_last(&graph->inputs).kind = kind;
    return true;
}

// Numbers must run from 0, since nodes name Variables by index.
static bool head_variable(Parse *parse, bool argument)
{
    Reader *reader = &parse->reader;
    Definition type;
    uint32_t number, index;
    if (!reader_expect(reader, "@")) {
        return false;
    }
    const char *where = reader->at;
    if (!reader_uint(reader, &number)) {
        return false;
    }
    if (number != parse->graph->variables.count) {
        return reader_fail_at(reader, where, "expected @%zu",
                              parse->graph->variables.count);
    }
    const char *name = reader_name(reader, &parse->graph->arena);
    if (name == NULL || !read_type(parse, &type) ||
        !check_outside(parse, &type, where) ||
        !graph_add_variable(parse->graph, name, definition_type(&type), NULL,
                            NULL, &index)) {
        return false;
    }
    parse->graph->variables.items[index].argument = argument;
    return true;
}

// The rest of the first line, behind the graph's name.
static bool head_arguments(Parse *parse)
{
    Reader *reader = &parse->reader;
    const char *note;
    if (!reader_expect(reader, "(")) {
        return false;
    }
    if (!reader_take(reader, ")")) {
        do {
            if (!head_input(parse, INPUT_ARGUMENT)) {
                return false;
            }
        } while (reader_take(reader, ","));
        if (!reader_expect(reader, ")")) {
            return false;
        }
    }
    return reader_line_end(reader, &parse->graph->arena, &note);
}

// Lines of captures and Variables; stops before the first other line.
static bool head_lines(Parse *parse)
{
    Reader *reader = &parse->reader;
    for (;;) {
        // A line that is no head belongs to the block and is read again there.
        const char *line = reader->at, *note;
        size_t indent;
        if (!reader_indent(reader, &indent)) {
            return true;
        }
        TextPiece word = reader_word(reader);
        bool ok;
        if (is_word(word, "capture")) {
            ok = head_input(parse, INPUT_CAPTURE);
        } else if (is_word(word, "variable") || is_word(word, "argument")) {
            ok = head_variable(parse, is_word(word, "argument"));
        } else {
            reader->at = line;
            return true;
        }
        if (!ok || !reader_line_end(reader, &parse->graph->arena, &note)) {
            return false;
        }
    }
}

// The graph is checked at its end: what the builder let pass, a use of the
// wrong block say, is found then.
static bool read_graph(Parse *parse)
{
    size_t indent;
    if (!head_arguments(parse) || !head_lines(parse)) {
        return false;
    }
    Reader *reader = &parse->reader;
    const char *line = reader->at;
    if (!reader_indent(reader, &indent)) {
        return reader_fail_at(reader, reader->at, "the graph has no lines");
    }
    // Looked at for its indentation only, which is that of the whole block.
    reader->at = line;
    if (!graph_parse_block(parse, parse->graph->block, indent)) {
        return false;
    }
    // What follows the last line of the outermost block belongs to no block.
    if (reader_indent(reader, &indent)) {
        return reader_fail_at(reader, reader->at,
                              "the graph has returned above");
    }
    return graph_check(parse->graph) && graph_parse_check_versions(parse);
}

// Reads one graph of the text, and through calls those that it needs.
static Graph *read_part(ParseText *all, size_t index)
{
    ParsePart *part = &all->parts.items[index];
    Parse parse = {.reader = part->reader, .all = all};
    // A call leads here again.
    if (!ctx_enter(all->ctx)) {
        return NULL;
    }
    // NUL-terminated: reader_name has copied it.
    parse.graph = graph_new(all->ctx, part->name.text);
    // Numbers are the graph's own: each part has a map of its own.
    map_init(&parse.values, all->ctx);
    // While it is read, a call of it would never end: graphs cannot recurse.
    part->open = true;
    bool ok = parse.graph != NULL && read_graph(&parse);
    part->open = false;
    map_free(&parse.values);
    vec_free(all->ctx, &parse.versions);
    ctx_leave(all->ctx);
    if (!ok) {
        graph_release(all->ctx, parse.graph);
        return NULL;
    }
    part->graph = parse.graph;
    return part->graph;
}

// Callees are looked for by name; a text has few.
Graph *graph_parse_callee(Parse *parse)
{
    Reader *reader = &parse->reader;
    if (!reader_expect(reader, "@")) {
        return NULL;
    }
    const char *where = reader->at;
    const char *name = reader_name(reader, &parse->graph->arena);
    ParseText *all = parse->all;
    for (size_t i = 0; name != NULL && i < all->parts.count; i++) {
        ParsePart *part = &all->parts.items[i];
        if (!is_word(part->name, name)) {
            continue;
        }
        // It is not complete yet, and a graph cannot hold itself.
        if (part->open) {
            reader_fail_at(reader, where, "graph %s calls itself", name);
            return NULL;
        }
        // Read at most once, however many calls there are.
        return part->graph != NULL ? part->graph : read_part(all, i);
    }
    if (name != NULL) {
        reader_fail_at(reader, where, "no graph %s in the text", name);
    }
    return NULL;
}

// One part for each line that begins with "graph ". `all` owns the names'
// arena for as long as the text is read.
static bool cut(ParseText *all, Arena *arena, const char *text, size_t length)
{
    Reader reader = {all->ctx, text, text, text + length};
    size_t indent;
    while (reader_indent(&reader, &indent)) {
        const char *line = reader.at - indent;
        // Only a line without indentation begins a graph.
        if (indent == 0 && reader_take(&reader, "graph ")) {
            ParsePart part = {.name.text = reader_name(&reader, arena)};
            if (part.name.text == NULL) {
                return false;
            }
            // The rest of the part begins behind the name and ends where the
            // next part begins.
            part.name.length = strlen(part.name.text);
            part.reader = reader;
            if (all->parts.count > 0) {
                vec_last(&all->parts).reader.end = line;
            }
            if (!vec_push(all->ctx, &all->parts, part)) {
                return false;
            }
        } else if (all->parts.count == 0) {
            return reader_fail_at(&reader, reader.at, "expected 'graph'");
        }
        // Everything else is read later, when all names are known.
        // On to the line end, where reader_indent begins.
        while (reader.at < reader.end && *reader.at != '\n') {
            reader.at++;
        }
    }
    return all->parts.count > 0 ||
           reader_fail_at(&reader, reader.at, "expected 'graph'");
}

// Graphs that nothing calls are not read.
Graph *graph_parse(Ctx *ctx, const char *text, size_t length)
{
    ParseText all = {.ctx = ctx};
    Arena names;
    Graph *graph = NULL;
    arena_init(&names, ctx);
    if (cut(&all, &names, text, length)) {
        graph = read_part(&all, 0);
    }
    // The callers of a callee hold it; the text's own count goes.
    for (size_t i = 0; i < all.parts.count; i++) {
        if (all.parts.items[i].graph != graph) {
            graph_release(ctx, all.parts.items[i].graph);
        }
    }
    vec_free(ctx, &all.parts);
    arena_destroy(&names);
    return graph;
}

// Once bound a capture is like one that a trace has made.
bool graph_bind_capture(Graph *graph, size_t index, Tensor *tensor)
{
    GraphInput *input =
        index < graph->inputs.count ? &graph->inputs.items[index] : NULL;
    if (input == NULL || input->kind != INPUT_CAPTURE ||
        input->capture != NULL) {
        return ctx_fail(graph->ctx, ERR_VALUE,
                        "input %zu is not a capture without a tensor", index);
    }
    // The text says what shapes will do.
    if (!graph_type_covers(graph_type(graph, input->value),
                           tensor_type(tensor))) {
        return ctx_fail(graph->ctx, ERR_VALUE,
                        "the tensor is not of the type of capture '%s'",
                        input->name);
    }
    input->capture = tensor;
    object_retain(tensor);
    return true;
}
