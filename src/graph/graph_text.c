// Printing a graph. The form is described in graph_text.h.
#include "graph/graph_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"

typedef struct Printer {
    StrBuf *out;
    Graph *graph;
    uint32_t *numbers; // by value: what it is printed as
    uint32_t next;
    bool whole;
} Printer;

static void print_value(Printer *printer, ValueId value)
{
    strbuf_printf(printer->out, "%%%u", printer->numbers[value]);
}

static void print_values(Printer *printer, const ValueId *values,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        strbuf_puts(printer->out, i > 0 ? ", " : " ");
        print_value(printer, values[i]);
    }
}

static void print_definition(Printer *printer, ValueId value)
{
    const GraphValue *info = graph_value(printer->graph, value);
    printer->numbers[value] = printer->next++;
    print_value(printer, value);
    if (info->name != NULL) {
        strbuf_printf(printer->out, " %s", info->name);
    }
    strbuf_puts(printer->out, ": ");
    tensor_type_print(printer->out, info->type);
}

static void print_params(Printer *printer, const GraphBlock *block)
{
    strbuf_puts(printer->out, "(");
    for (uint32_t i = 0; i < block->param_count; i++) {
        strbuf_puts(printer->out, i > 0 ? ", " : "");
        print_definition(printer, block->params[i]);
    }
    strbuf_puts(printer->out, ")");
}

// The fewest digits that give the value back.
static void shortest(char *text, size_t size, double value, DType dtype)
{
    bool single = dtype == DT_FLOAT32;
    int digits = single ? 6 : 15, most = single ? 9 : 17;
    bool same = false;
    for (; !same && digits <= most; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        double back = single ? strtof(text, NULL) : strtod(text, NULL);
        same = back == value || value != value;
    }
}

// One element, as source text would have it.
static void print_element(StrBuf *out, const Tensor *tensor, int64_t index)
{
    DType dtype = (DType)tensor->dtype;
    if (dtype == DT_BOOL) {
        strbuf_puts(out, tensor_int_at(tensor, index) ? "True" : "False");
    } else if (dtype == DT_STRING) {
        const TensorString *s = ((TensorString **)tensor->data)[index];
        AttrValue text = {ATTR_STR, s->length, {.text = s->bytes}};
        attr_print(out, &text);
    } else if (dtype_is_float(dtype)) {
        char text[40];
        shortest(text, sizeof text, tensor_float_at(tensor, index), dtype);
        strbuf_puts(out, text);
        if (strcspn(text, ".einf") == strlen(text)) {
            strbuf_puts(out, ".0");
        }
    } else {
        strbuf_printf(out, "%lld", (long long)tensor_int_at(tensor, index));
    }
}

static void print_const(Printer *printer, const Tensor *tensor)
{
    StrBuf *out = printer->out;
    if (tensor->rank == 0) {
        strbuf_putc(out, ' ');
        print_element(out, tensor, 0);
        return;
    }
    int64_t shown = tensor->count;
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

static void print_payload(Printer *printer, const GraphNode *node)
{
    const OpDesc *op = op_desc(node->op);
    if (node->op == OP_CONST) {
        print_const(printer, node->tensor);
    } else if (node->op == OP_CALL) {
        strbuf_printf(printer->out, " @%s", node->callee->name);
    } else if (node->op == OP_READ_VARIABLE ||
               node->op == OP_ASSIGN_VARIABLE) {
        strbuf_printf(printer->out, " @%u", node->variable);
    }
    print_values(printer, node->inputs, node->input_count);
    for (uint32_t i = 0; node->attrs != NULL && i < op->attr_count; i++) {
        if (node->attrs[i].kind != ATTR_NONE) {
            strbuf_printf(printer->out, " %s=", op->attrs[i].name);
            attr_print(printer->out, &node->attrs[i]);
        }
    }
}

static void print_note(StrBuf *out, const GraphPlace *place)
{
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

static void print_block(Printer *printer, GraphBlock *block, uint32_t indent);

static void print_sub_blocks(Printer *printer, const GraphNode *node,
                             uint32_t indent)
{
    static const char *const names[2][2] = {{"then", "else"},
                                            {"cond ", "body "}};
    for (int b = 0; b < NODE_MAX_BLOCKS && node->blocks[b] != NULL; b++) {
        strbuf_pad(printer->out, ' ', indent);
        strbuf_puts(printer->out, names[node->op == OP_WHILE][b]);
        if (node->op == OP_WHILE) {
            print_params(printer, node->blocks[b]);
        }
        strbuf_putc(printer->out, '\n');
        print_block(printer, node->blocks[b], indent + 2);
    }
}

// Outputs are numbered before the sub-blocks, as they are printed.
static void print_node(Printer *printer, const GraphNode *node,
                       uint32_t indent)
{
    strbuf_pad(printer->out, ' ', indent);
    for (uint32_t i = 0; i < node->output_count; i++) {
        strbuf_puts(printer->out, i > 0 ? ", " : "");
        print_definition(printer, node_output(node, i));
    }
    strbuf_printf(printer->out, "%s%s", node->output_count > 0 ? " = " : "",
                  op_desc(node->op)->name);
    print_payload(printer, node);
    print_note(printer->out, &node->place);
    strbuf_putc(printer->out, '\n');
    print_sub_blocks(printer, node, indent + 2);
}

static void print_block(Printer *printer, GraphBlock *block, uint32_t indent)
{
    if (!ctx_enter(printer->graph->ctx)) {
        strbuf_fail(printer->out);
        return;
    }
    for (GraphNode *node = block->first;
         node != NULL && strbuf_ok(printer->out); node = node->next) {
        print_node(printer, node, indent);
    }
    strbuf_pad(printer->out, ' ', indent);
    if (block->diverges) {
        strbuf_puts(printer->out, "unreachable");
    } else {
        strbuf_puts(printer->out, block->parent != NULL ? "yield" : "return");
        print_values(printer, block->results, block->result_count);
    }
    strbuf_putc(printer->out, '\n');
    ctx_leave(printer->graph->ctx);
}

static void print_head(Printer *printer)
{
    Graph *graph = printer->graph;
    StrBuf *out = printer->out;
    const char *between = "";
    strbuf_printf(out, "graph %s(", graph->name);
    for (size_t i = 0; i < graph->inputs.count; i++) {
        if (graph->inputs.items[i].kind == INPUT_ARGUMENT) {
            strbuf_puts(out, between);
            print_definition(printer, graph->inputs.items[i].value);
            between = ", ";
        }
    }
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
        strbuf_printf(out, "  variable @%zu %s: ", i, variable->name);
        tensor_type_print(out, variable->type);
        strbuf_putc(out, '\n');
    }
}

void graph_print(StrBuf *out, Graph *graph, bool whole)
{
    size_t size = graph->values.count * sizeof(uint32_t) + 1;
    uint32_t *numbers = ctx_alloc_zero(graph->ctx, size);
    if (numbers == NULL) {
        strbuf_fail(out);
        return;
    }
    Printer printer = {out, graph, numbers, 0, whole};
    print_head(&printer);
    print_block(&printer, graph->block, 2);
    ctx_free(graph->ctx, numbers, size);
    // Callees that are not a part of an earlier one's text stand below.
    for (size_t i = 0; i < graph->callees.count && strbuf_ok(out); i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++) {
            seen = graph->callees.items[j] == graph->callees.items[i];
        }
        if (!seen && ctx_enter(graph->ctx)) {
            strbuf_putc(out, '\n');
            graph_print(out, graph->callees.items[i], whole);
            ctx_leave(graph->ctx);
        }
    }
}
