// Printing a graph. The form is described in graph_text.h.
//
// Graphs are printed from a list that grows by the callees that are met, each
// once, so that shared callees are not repeated and nothing recurses but the
// blocks of one graph.
#include "graph/graph_text.h"

#include <string.h>

#include "graph/build.h"
#include "graph/graph_name.h"
#include "graph/versions.h"
#include "ops/number_text.h"

// What all graphs of one text share.
typedef struct TextList {
    VEC(Graph *) graphs;     // borrowed, in the order of printing
    VEC(const char *) names; // in step: what the text calls them
    Map indices;             // by the address of a graph: its index
    Map taken;               // names given so far
    Arena arena;             // names that had to be made
} TextList;

// The state of printing one graph of the text.
typedef struct GraphPrinter {
    StrBuf *out;
    Graph *graph;
    TextList *list;
    uint32_t *numbers; // by value: what it is printed as
    uint32_t next;     // number of the next value
    bool whole;        // no constant is shortened
    const Versions *versions;
} GraphPrinter;

// A name that no graph of the text has yet.
static const char *fresh_name(TextList *list, Ctx *ctx, const char *name)
{
    StrBuf text;
    strbuf_init(&text, ctx);
    strbuf_puts(&text, name);
    // The first graph of a name has it bare; later ones get _1, _2 and so on
    // until one is free, since a graph's own name may look like a made one.
    for (unsigned n = 1;
         strbuf_ok(&text) &&
         map_get(&list->taken, strbuf_text(&text), text.length) != NULL;
         n++) {
        text.length = 0;
        strbuf_printf(&text, "%s_%u", name, n);
    }
    // In the list's arena, since the buffer goes.
    const char *made =
        strbuf_ok(&text) &&
                map_put(&list->taken, strbuf_text(&text), text.length, 1)
            ? arena_strndup(&list->arena, strbuf_text(&text), text.length)
            : NULL;
    strbuf_free(&text);
    return made;
}

// The graph's name in the text; puts it on the list when it is met first.
static const char *list_name(TextList *list, Graph *graph)
{
    Ctx *ctx = graph->ctx;
    // By address: two graphs may well be alike, and are printed twice then.
    const char *key = (const char *)&graph;
    // Met before: a callee of two callers, or of two calls.
    uint64_t *index = map_get(&list->indices, key, sizeof graph);
    if (index != NULL) {
        return list->names.items[*index];
    }
    const char *name = fresh_name(list, ctx, graph->name);
    // The vectors stay in step with the map, or the whole print fails.
    if (name == NULL || !vec_reserve(ctx, &list->names, 1) ||
        !map_put(&list->indices, key, sizeof graph, list->names.count) ||
        !vec_push(ctx, &list->graphs, graph) ||
        !vec_push(ctx, &list->names, name)) {
        return NULL;
    }
    return name;
}

// A name as it is, or in quotes.
static void print_name(StrBuf *out, const char *name)
{
    // The empty name needs quotes, or nothing would stand there.
    size_t length = strlen(name);
    if (length > 0 && graph_name_bare(name, length) == length) {
        strbuf_puts(out, name);
    } else {
        // As an attribute's string: one way of escaping for all of the text.
        AttrValue text = {ATTR_STR, (uint32_t)strlen(name), {.text = name}};
        attr_print(out, &text);
    }
}

// A use: the number that the definition was printed with.
static void print_value(GraphPrinter *printer, ValueId value)
{
    strbuf_printf(printer->out, "%%%u", printer->numbers[value]);
}

// A blank before the first, commas between.
static void print_values(GraphPrinter *printer, const ValueId *values,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        strbuf_puts(printer->out, i > 0 ? ", " : " ");
        print_value(printer, values[i]);
    }
}

// Numbers are given here, in the order of printing.
static void print_definition(GraphPrinter *printer, ValueId value)
{
    const GraphValue *info = graph_value(printer->graph, value);
    printer->numbers[value] = printer->next++;
    print_value(printer, value);
    if (info->name != NULL) {
        strbuf_putc(printer->out, ' ');
        print_name(printer->out, info->name);
    } else if (info->node != NULL) {
        size_t length = 0;
        const char *name = graph_name_assigned(info->node, &length);
        if (name != NULL) {
            strbuf_putc(printer->out, ' ');
            strbuf_add(printer->out, name, length);
        }
    }
    strbuf_puts(printer->out, ": ");
    tensor_type_print(printer->out, info->type);
}

// A list's versions, behind `count` values; `first` stands before the first of
// all. How many there are then.
static uint32_t print_versions(GraphPrinter *printer, const GraphNode *node,
                               int b, VersionPlace place, const char *first,
                               uint32_t count)
{
    uint32_t chain, number;
    for (uint32_t at = 0; versions_next(printer->versions, node, b, place, &at,
                                        &chain, &number);) {
        strbuf_puts(printer->out, count++ > 0 ? ", " : first);
        versions_print(printer->out, chain, number);
    }
    return count;
}

// Of a loop's block, behind its name.
static void print_params(GraphPrinter *printer, const GraphNode *node, int b)
{
    const GraphBlock *block = node->blocks[b];
    strbuf_puts(printer->out, " (");
    for (uint32_t i = 0; i < block->param_count; i++) {
        strbuf_puts(printer->out, i > 0 ? ", " : "");
        print_definition(printer, block->params[i]);
    }
    print_versions(printer, node, b, VERSIONS_BEGIN, "", block->param_count);
    strbuf_puts(printer->out, ")");
}

// A NaN by its sign or, where its payload is not the usual one, by its bits.
static void print_nan(StrBuf *out, const Tensor *tensor, int64_t index)
{
    DType dtype = (DType)tensor->dtype;
    // The sign bit, and the quiet NaN that arithmetic makes.
    int shift = (int)dtype_size(dtype) * 8 - 1;
    uint64_t usual = dtype == DT_FLOAT64    ? 0x7ff8000000000000u
                     : dtype == DT_FLOAT32  ? 0x7fc00000u
                     : dtype == DT_BFLOAT16 ? 0x7fc0u
                                            : 0x7e00u;
    uint64_t bits = tensor_bits_at(tensor, index);
    // Read again bit by bit, so that a text keeps what a graph had.
    if (bits == usual) {
        strbuf_puts(out, "nan");
    } else if (bits == (usual | 1ull << shift)) {
        strbuf_puts(out, "-nan");
    } else {
        strbuf_printf(out, "nan(0x%llx)", (unsigned long long)bits);
    }
}

// One element, as source text would have it.
static void print_element(StrBuf *out, const Tensor *tensor, int64_t index)
{
    DType dtype = (DType)tensor->dtype;
    if (dtype == DT_BOOL) {
        strbuf_puts(out, tensor_int_at(tensor, index) ? "True" : "False");
    } else if (dtype == DT_STRING) {
        // Strings are printed like attributes, with the same escapes.
        const TensorString *s = ((TensorString **)tensor->data)[index];
        AttrValue text = {ATTR_STR, s->length, {.text = s->bytes}};
        attr_print(out, &text);
    } else if (dtype_is_float(dtype)) {
        char text[DECIMAL_TEXT_SIZE];
        double value = tensor_float_at(tensor, index);
        if (value != value) {
            print_nan(out, tensor, index);
        } else {
            decimal_scalar(value, dtype, text);
            strbuf_puts(out, text);
        }
    } else {
        strbuf_printf(out, "%lld", (long long)tensor_int_at(tensor, index));
    }
}

// Rank 0 needs no brackets: the type tells.
static void print_const(GraphPrinter *printer, const Tensor *tensor)
{
    StrBuf *out = printer->out;
    if (tensor->rank == 0) {
        strbuf_putc(out, ' ');
        print_element(out, tensor, 0);
        return;
    }
    // The elements stand in one row whatever the rank: the type has the sizes.
    int64_t shown = tensor->count;
    // For people; such a text cannot be read again.
    if (!printer->whole && shown > GRAPH_TEXT_CONST_LIMIT) {
        shown = GRAPH_TEXT_CONST_LIMIT;
    }
    strbuf_puts(out, " [");
    for (int64_t i = 0; i < shown; i++) {
        strbuf_puts(out, i > 0 ? ", " : "");
        print_element(out, tensor, i);
    }
    strbuf_puts(out, shown < tensor->count ? ", ...]" : "]");
}

// The callee's name, and this graph's Variables that it gets.
static void print_callee(GraphPrinter *printer, const GraphNode *node)
{
    StrBuf *out = printer->out;
    const char *name = list_name(printer->list, node->callee);
    if (name == NULL) {
        strbuf_fail(out);
        return;
    }
    strbuf_puts(out, " @");
    print_name(out, name);
    for (size_t i = 0; i < node->callee->variables.count; i++) {
        strbuf_printf(out, "%s@%u", i == 0 ? "(" : ", ", node->variables[i]);
    }
    strbuf_puts(out, node->callee->variables.count > 0 ? ")" : "");
}

// What stands between the op's name and its operands.
static void print_payload(GraphPrinter *printer, const GraphNode *node)
{
    // What an op carries beside values and attributes, in the order in which
    // it is read again.
    const OpDesc *op = node_desc(node);
    switch (op->payload) {
    case PAYLOAD_NONE:
    case PAYLOAD_HOST: break;
    case PAYLOAD_TENSOR: print_const(printer, node->tensor); break;
    case PAYLOAD_CALLEE:
    case PAYLOAD_GRADIENT: print_callee(printer, node); break;
    case PAYLOAD_RESOURCE:
        strbuf_printf(printer->out, " @%u", node->variable);
        break;
    }
    uint32_t chain, number;
    for (uint32_t at = 0; versions_next(printer->versions, node, 0,
                                        VERSIONS_USED, &at, &chain, &number);) {
        strbuf_putc(printer->out, ' ');
        versions_print(printer->out, chain, number);
    }
    print_values(printer, node->inputs, node->input_count);
    for (uint32_t i = 0; node->attrs != NULL && i < op->attr_count; i++) {
        // An attribute that was not given is left out; the reader puts the
        // default.
        if (node->attrs[i].kind != ATTR_NONE) {
            strbuf_printf(printer->out, " %s=", op->attrs[i].name);
            attr_print(printer->out, &node->attrs[i]);
        }
    }
}

// Where the user wrote it: file, line and the line's text, without its
// indentation.
static void print_note(StrBuf *out, const GraphPlace *place)
{
    // The graph was read from a text: its note goes as it came.
    if (place->note != NULL) {
        strbuf_printf(out, "  # %s", place->note);
        return;
    }
    if (place->source == NULL) {
        return;
    }
    uint32_t line = source_place(place->source, place->span.start).line;
    size_t length = 0;
    const char *text = source_line(place->source, line, &length);
    strbuf_printf(out, "  # %s:%u", place->source->name, line);
    while (length > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    if (text != NULL && length > 0) {
        strbuf_putc(out, ' ');
        strbuf_add(out, text, length);
    }
}

static void print_block(GraphPrinter *printer, const GraphNode *owner, int b,
                        uint32_t indent);

// In order, each under its name, two columns further in.
static void print_sub_blocks(GraphPrinter *printer, const GraphNode *node,
                             uint32_t indent)
{
    const OpDesc *op = node_desc(node);
    for (int b = 0; b < op->block_count; b++) {
        strbuf_pad(printer->out, ' ', indent);
        strbuf_puts(printer->out, op->blocks[b].name);
        if (op->blocks[b].params) {
            print_params(printer, node, b);
        }
        strbuf_putc(printer->out, '\n');
        print_block(printer, node, b, indent + 2);
    }
}

// Outputs are numbered before the sub-blocks, as they are printed.
static void print_node(GraphPrinter *printer, const GraphNode *node,
                       uint32_t indent)
{
    strbuf_pad(printer->out, ' ', indent);
    for (uint32_t i = 0; i < node->output_count; i++) {
        strbuf_puts(printer->out, i > 0 ? ", " : "");
        print_definition(printer, node_output(node, i));
    }
    uint32_t defined = print_versions(printer, node, 0, VERSIONS_DEFINED, "",
                                      node->output_count);
    strbuf_printf(printer->out, "%s%s", defined > 0 ? " = " : "",
                  op_desc(node->op)->name);
    print_payload(printer, node);
    print_note(printer->out, &node->place);
    strbuf_putc(printer->out, '\n');
    print_sub_blocks(printer, node, indent + 2);
}

// What the outermost block has made of chains, behind its results.
static void print_last(GraphPrinter *printer, uint32_t count)
{
    uint32_t chain, number;
    for (uint32_t at = 0;
         versions_next_last(printer->versions, &at, &chain, &number);) {
        strbuf_puts(printer->out, count++ > 0 ? ", " : " ");
        versions_print(printer->out, chain, number);
    }
}

// The line that ends a block: `owner` NULL: the outermost.
static void print_end(GraphPrinter *printer, const GraphBlock *block,
                      const GraphNode *owner, int b)
{
    uint32_t count = block->result_count;
    if (block->diverges) {
        strbuf_puts(printer->out, "unreachable\n");
        return;
    }
    strbuf_puts(printer->out, owner != NULL ? "yield" : "return");
    print_values(printer, block->results, count);
    if (owner == NULL) {
        print_last(printer, count);
    } else {
        print_versions(printer, owner, b, VERSIONS_END, " ", count);
    }
    strbuf_putc(printer->out, '\n');
}

// The nodes and the end of a node's block `b`, or of the whole graph.
static void print_block(GraphPrinter *printer, const GraphNode *owner, int b,
                        uint32_t indent)
{
    if (!ctx_enter(printer->graph->ctx)) {
        strbuf_fail(printer->out);
        return;
    }
    const GraphBlock *block =
        owner != NULL ? owner->blocks[b] : printer->graph->block;
    for (GraphNode *node = block->first;
         node != NULL && strbuf_ok(printer->out); node = node->next) {
        print_node(printer, node, indent);
    }
    strbuf_pad(printer->out, ' ', indent);
    print_end(printer, block, owner, b);
    ctx_leave(printer->graph->ctx);
}

// The first line, and those of captures and Variables.
static void print_head(GraphPrinter *printer, const char *name)
{
    Graph *graph = printer->graph;
    StrBuf *out = printer->out;
    // Captures may stand among the arguments, so an index cannot tell whether
    // a comma is due.
    const char *between = "";
    strbuf_puts(out, "graph ");
    print_name(out, name);
    strbuf_putc(out, '(');
    for (size_t i = 0; i < graph->inputs.count; i++) {
        if (graph->inputs.items[i].kind == INPUT_ARGUMENT) {
            strbuf_puts(out, between);
            print_definition(printer, graph->inputs.items[i].value);
            between = ", ";
        }
    }
    // Captures and Variables have lines of their own, in the order of their
    // numbers.
    strbuf_puts(out, ")\n");
    for (size_t i = 0; i < graph->inputs.count; i++) {
        if (graph->inputs.items[i].kind == INPUT_CAPTURE) {
            strbuf_puts(out, "  capture ");
            print_definition(printer, graph->inputs.items[i].value);
            strbuf_putc(out, '\n');
        }
    }
    for (size_t i = 0; i < graph->variables.count; i++) {
        GraphVariable *variable = &graph->variables.items[i];
        strbuf_printf(out, "  %s @%zu ",
                      variable->argument ? "argument" : "variable", i);
        print_name(out, variable->name);
        strbuf_puts(out, ": ");
        tensor_type_print(out, variable->type);
        strbuf_putc(out, '\n');
    }
}

// One graph of the list, an empty line between two.
static void print_graph(StrBuf *out, TextList *list, size_t index, bool whole)
{
    Graph *graph = list->graphs.items[index];
    // Numbers by value, since passes leave gaps in the ids and the text should
    // count without them.
    size_t size = graph->values.count * sizeof(uint32_t) + 1;
    uint32_t *numbers = ctx_alloc_zero(graph->ctx, size);
    if (numbers == NULL) {
        strbuf_fail(out);
        return;
    }
    Versions versions;
    GraphPrinter printer = {out, graph, list, numbers, 0, whole, &versions};
    if (versions_init(&versions, graph)) {
        strbuf_puts(out, index > 0 ? "\n" : "");
        print_head(&printer, list->names.items[index]);
        print_block(&printer, NULL, 0, 2);
    } else {
        strbuf_fail(out);
    }
    versions_free(&versions);
    ctx_free(graph->ctx, numbers, size);
}

// Callees are appended to the list while their callers are printed.
void graph_print(StrBuf *out, Graph *graph, bool whole)
{
    Ctx *ctx = graph->ctx;
    TextList list = {0};
    map_init(&list.indices, ctx);
    map_init(&list.taken, ctx);
    arena_init(&list.arena, ctx);
    // The graph itself is the first of the list, and the loop below prints
    // what is on it, growing as it goes.
    if (list_name(&list, graph) == NULL) {
        strbuf_fail(out);
    }
    for (size_t i = 0; i < list.graphs.count && strbuf_ok(out); i++) {
        print_graph(out, &list, i, whole);
    }
    // The graphs themselves are borrowed.
    vec_free(ctx, &list.graphs);
    vec_free(ctx, &list.names);
    map_free(&list.indices);
    map_free(&list.taken);
    arena_destroy(&list.arena);
}
