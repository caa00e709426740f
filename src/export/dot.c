// A graph in DOT.
//
// Nodes are called n<serial>, params and inputs v<value>, the end of a block
// e<number of the block>, in order of printing.
#include "export/dot.h"

#include <string.h>

// The state of one drawing. A callee is a node with its name: its own graph is
// not drawn.
typedef struct Dot {
    StrBuf *out;
    Graph *graph;
    uint32_t blocks; // printed so far
} Dot;

// Text inside of a label's quotes.
static void put_text(StrBuf *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\') {
            strbuf_putc(out, '\\');
        }
        // A label's line ends would be drawn as such.
        strbuf_putc(out, text[i] == '\n' ? ' ' : text[i]);
    }
}

// A text that was built apart, and is freed; its failure is that of `out`.
static void put_built(StrBuf *out, StrBuf *text)
{
    if (strbuf_ok(text)) {
        put_text(out, strbuf_text(text), text->length);
    } else {
        strbuf_fail(out);
    }
    strbuf_free(text);
}

// Attributes as in the printed form, escaped for a label.
static void put_attrs(StrBuf *out, const GraphNode *node)
{
    const OpDesc *op = op_desc(node->op);
    StrBuf text;
    strbuf_init(&text, out->ctx);
    for (uint32_t i = 0; node->attrs != NULL && i < op->attr_count; i++) {
        if (node->attrs[i].kind != ATTR_NONE) {
            strbuf_printf(&text, " %s=", op->attrs[i].name);
            attr_print(&text, &node->attrs[i]);
        }
    }
    put_built(out, &text);
}

// What tells a node from others of its op: a callee, a Variable, a constant.
static void put_payload(const Dot *dot, const GraphNode *node)
{
    StrBuf text;
    strbuf_init(&text, dot->out->ctx);
    switch (node_desc(node)->payload) {
    case PAYLOAD_NONE:
    case PAYLOAD_HOST: break;
    case PAYLOAD_TENSOR:
        // Only a single number is short enough to stand in a box.
        if (node->tensor->count == 1) {
            strbuf_putc(&text, ' ');
            tensor_print_str(&text, node->tensor);
        }
        break;
    case PAYLOAD_CALLEE:
    case PAYLOAD_GRADIENT:
        strbuf_printf(&text, " %s", node->callee->name);
        break;
    case PAYLOAD_RESOURCE:
        strbuf_printf(&text, " %s",
                      dot->graph->variables.items[node->variable].name);
        break;
    }
    put_built(dot->out, &text);
}

// The user's line, which viewers show under the pointer.
static void put_tooltip(StrBuf *out, const GraphPlace *place)
{
    size_t length = 0;
    // A graph that was read from text has notes in place of sources.
    const char *text = place->note;
    if (text != NULL) {
        length = strlen(text);
    } else if (place->source != NULL) {
        uint32_t line = source_place(place->source, place->span.start).line;
        text = source_line(place->source, line, &length);
    }
    if (text != NULL) {
        strbuf_puts(out, ", tooltip=\"");
        put_text(out, text, length);
        strbuf_putc(out, '"');
    }
}

// Where an edge from the value begins.
static void put_origin(const Dot *dot, ValueId value)
{
    // A value without a node is a param, which has an ellipse of its own.
    const GraphNode *node = graph_value(dot->graph, value)->node;
    if (node != NULL) {
        strbuf_printf(dot->out, "n%u", node->serial);
    } else {
        strbuf_printf(dot->out, "v%u", value);
    }
}

// An edge to a node ('n') or to the end of a block ('e').
static void put_edge(const Dot *dot, ValueId value, char kind, uint32_t to)
{
    strbuf_puts(dot->out, "  ");
    put_origin(dot, value);
    strbuf_printf(dot->out, " -> %c%u [label=\"", kind, to);
    tensor_type_print(dot->out, graph_type(dot->graph, value));
    strbuf_puts(dot->out, "\"];\n");
}

// Inputs and state, as ellipses.
static void put_params(const Dot *dot, const GraphBlock *block)
{
    for (uint32_t i = 0; i < block->param_count; i++) {
        ValueId value = block->params[i];
        const char *name = graph_value(dot->graph, value)->name;
        strbuf_printf(dot->out, "  v%u [shape=ellipse, label=\"", value);
        if (name != NULL) {
            put_text(dot->out, name, strlen(name));
        }
        strbuf_puts(dot->out, "\"];\n");
    }
}

static void put_block(Dot *dot, const GraphBlock *block);

// The node's blocks, each a cluster named after its part in the node.
static void put_clusters(Dot *dot, const GraphNode *node)
{
    const OpDesc *op = node_desc(node);
    for (int b = 0; b < op->block_count; b++) {
        strbuf_printf(dot->out, "  subgraph cluster_%u_%d {\n  label=\"%s\";\n",
                      node->serial, b, op->blocks[b].name);
        put_block(dot, node->blocks[b]);
        strbuf_puts(dot->out, "  }\n");
    }
}

// Edges may come before the statement of the node that they lead from: DOT
// does not mind.
static void put_node(Dot *dot, const GraphNode *node)
{
    strbuf_printf(dot->out, "  n%u [label=\"%s", node->serial,
                  op_desc(node->op)->name);
    put_payload(dot, node);
    put_attrs(dot->out, node);
    strbuf_putc(dot->out, '"');
    put_tooltip(dot->out, &node->place);
    strbuf_puts(dot->out, "];\n");
    for (uint32_t i = 0; i < node->input_count; i++) {
        put_edge(dot, node->inputs[i], 'n', node->serial);
    }
    put_clusters(dot, node);
}

// Its last line is a node of its own, so that results can be seen.
static void put_block(Dot *dot, const GraphBlock *block)
{
    // Effects of one block are joined by dashed edges, in the order in which
    // they run.
    const GraphNode *effect = NULL;
    // The number is taken before inner blocks take theirs.
    uint32_t number = dot->blocks++;
    if (!ctx_enter(dot->graph->ctx)) {
        strbuf_fail(dot->out);
        return;
    }
    // The graph's inputs are the params of its outermost block.
    put_params(dot, block);
    for (const GraphNode *node = block->first;
         node != NULL && strbuf_ok(dot->out); node = node->next) {
        put_node(dot, node);
        if (graph_has_effects(node)) {
            if (effect != NULL) {
                strbuf_printf(dot->out, "  n%u -> n%u [style=dashed];\n",
                              effect->serial, node->serial);
            }
            effect = node;
        }
    }
    strbuf_printf(dot->out, "  e%u [shape=plaintext, label=\"%s\"];\n", number,
                  block->diverges         ? "unreachable"
                  : block->parent != NULL ? "yield"
                                          : "return");
    for (uint32_t i = 0; i < block->result_count; i++) {
        put_edge(dot, block->results[i], 'e', number);
    }
    ctx_leave(dot->graph->ctx);
}

// One digraph; sub-blocks are clusters in it.
void dot_print(StrBuf *out, Graph *graph)
{
    Dot dot = {out, graph, 0};
    strbuf_puts(out, "digraph \"");
    put_text(out, graph->name, strlen(graph->name));
    strbuf_puts(out, "\" {\n  node [shape=box];\n");
    put_block(&dot, graph->block);
    strbuf_puts(out, "}\n");
}
