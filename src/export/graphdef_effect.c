// Writing effects: Variables as resources, print and assert as TensorFlow's
// own. The order of effects is kept by control inputs (graphdef_scope.h).
#include "export/graphdef_scope.h"
#include "export/graphdef_text.h"

#include <string.h>

// Stands for a tensor in a format: a byte that no text has.
#define PLACE_HOLDER "\001"

// The value that a captured Variable has now, and a node that assigns it: to
// be run once before the graph.
static bool write_initial(NodeScope *scope, uint32_t index, const char *handle)
{
    GraphVariable *variable = &scope->graph->variables.items[index];
    const Tensor *tensor =
        variable->cell != NULL ? variable->cell->value : NULL;
    // An argument, or a graph that was read from text: whoever runs it gives
    // the value.
    if (tensor == NULL) {
        return true;
    }
    const char *inputs[2] = {handle};
    const char *base = scope_print(scope, "%s/initial_value", handle);
    inputs[1] = base != NULL ? scope_const(scope, base, tensor) : NULL;
    const char *name =
        inputs[1] != NULL ? scope_print(scope, "%s/Assign", handle) : NULL;
    name = name != NULL ? scope_name(scope, name) : NULL;
    if (name == NULL ||
        !scope_node(scope, name, "AssignVariableOp", inputs, 2)) {
        return false;
    }
    gd_attr_type(&scope->text, "dtype", variable->type.dtype);
    return scope_close_node(scope);
}

// One handle for each Variable, named after it, in the outermost graph;
// functions are handed theirs.
bool graphdef_variables(NodeScope *scope)
{
    for (uint32_t i = 0; i < scope->graph->variables.count; i++) {
        GraphVariable *variable = &scope->graph->variables.items[i];
        const char *name = scope_name(scope, variable->name);
        if (name == NULL || !scope_node(scope, name, "VarHandleOp", NULL, 0)) {
            return false;
        }
        // Both the node's name and the shared name, under which TensorFlow
        // keeps the resource between runs.
        scope->handles[i] = name;
        gd_attr_type(&scope->text, "dtype", variable->type.dtype);
        gd_attr_shape(&scope->text, "shape", variable->type);
        gd_attr_text(&scope->text, "shared_name", name, strlen(name));
        if (!scope_close_node(scope) || !write_initial(scope, i, name)) {
            return false;
        }
    }
    return true;
}

// A read is ordered like an effect: TensorFlow would let it pass a write.
static bool write_read(NodeScope *scope, const GraphNode *node)
{
    const char *inputs[2] = {scope->handles[node->variable]};
    uint32_t count = 1;
    const char *name = scope_own_name(scope, "ReadVariableOp");
    scope_after_effect(scope, inputs, &count);
    if (name == NULL ||
        !scope_node(scope, name, "ReadVariableOp", inputs, count)) {
        return false;
    }
    gd_attr_type(&scope->text, "dtype",
                 graph_type(scope->graph, node->first_output).dtype);
    return scope_close_node(scope) &&
           scope_set_refs(scope, node, name, "ReadVariableOp") &&
           scope_set_effect(scope, name);
}

// Gives nothing; what follows waits for it by a control input.
static bool write_assign(NodeScope *scope, const GraphNode *node)
{
    const char *name = scope_own_name(scope, "AssignVariableOp");
    const char *inputs[3] = {scope->handles[node->variable]};
    uint32_t count = 2;
    inputs[1] =
        name != NULL ? scope_use(scope, node->inputs[0], name, "value") : NULL;
    scope_after_effect(scope, inputs, &count);
    if (inputs[1] == NULL ||
        !scope_node(scope, name, "AssignVariableOp", inputs, count)) {
        return false;
    }
    gd_attr_type(&scope->text, "dtype",
                 graph_type(scope->graph, node->inputs[0]).dtype);
    return scope_close_node(scope) && scope_set_effect(scope, name);
}

static bool write_add_rows(NodeScope *scope, const GraphNode *node)
{
    static const char op[] = "ResourceScatterAdd";
    const char *name = scope_own_name(scope, op);
    const char *inputs[4] = {scope->handles[node->variable]};
    uint32_t count = 3;
    for (uint32_t i = 0; i < 2; i++) {
        inputs[i + 1] = name != NULL ? scope_use(scope, node->inputs[i], name,
                                                 i == 0 ? "indices" : "updates")
                                     : NULL;
        if (inputs[i + 1] == NULL) {
            return false;
        }
    }
    scope_after_effect(scope, inputs, &count);
    if (!scope_node(scope, name, op, inputs, count)) {
        return false;
    }
    gd_attr_type(&scope->text, "dtype",
                 graph_type(scope->graph, node->inputs[1]).dtype);
    gd_attr_type(&scope->text, "Tindices",
                 graph_type(scope->graph, node->inputs[0]).dtype);
    return scope_close_node(scope) && scope_set_effect(scope, name);
}

// The text between tensors, with a place holder for each (a mark in the op's
// format).
static void write_template(StrBuf *out, const AttrValue *format)
{
    StrBuf text;
    strbuf_init(&text, out->ctx);
    for (uint32_t i = 0; i < format->count; i++) {
        char c = format->text[i];
        strbuf_putc(&text, print_is_mark(c) ? PLACE_HOLDER[0] : c);
    }
    if (strbuf_ok(&text)) {
        gd_attr_text(out, "template", strbuf_text(&text), text.length);
    } else {
        strbuf_fail(out);
    }
    strbuf_free(&text);
}

// StringFormat makes the text of the attribute, with the inputs from `first` on
// in their places. A reference to it, in the arena; NULL: failed.
static const char *write_format(NodeScope *scope, const GraphNode *node,
                                const char *name, uint32_t first)
{
    const char *base = scope_print(scope, "%s/StringFormat", name);
    const char *format = base != NULL ? scope_name(scope, base) : NULL;
    // The operands are written before the node that formats them.
    const char **refs =
        format != NULL ? scope_use_all(scope, node, name, 0) : NULL;
    uint32_t count = node->input_count - first;
    if (refs == NULL ||
        !scope_node(scope, format, "StringFormat", refs + first, count)) {
        return NULL;
    }
    gd_attr_types(&scope->text, "T", scope->graph, node->inputs + first, count);
    write_template(&scope->text, &node->attrs[0]);
    // TensorFlow's own default is "{}", which a text may well contain.
    gd_attr_text(&scope->text, "placeholder", PLACE_HOLDER, 1);
    // -1: every element, as print shows them.
    gd_attr_int(&scope->text, "summarize", -1);
    return scope_close_node(scope)
               ? scope_reference(scope, format, "StringFormat", 1, 0)
               : NULL;
}

// PrintV2 writes the text as it is, without an end of its own.
static bool write_print(NodeScope *scope, const GraphNode *node)
{
    const char *name = scope_own_name(scope, "PrintV2");
    const char *inputs[2] = {name != NULL ? write_format(scope, node, name, 0)
                                          : NULL};
    uint32_t count = 1;
    scope_after_effect(scope, inputs, &count);
    if (inputs[0] == NULL ||
        !scope_node(scope, name, "PrintV2", inputs, count)) {
        return false;
    }
    bool to_stderr = attr_is(&node->attrs[2], "stderr");
    gd_attr_text(&scope->text, "output_stream", to_stderr ? "stderr" : "stdout",
                 strlen("stderr")); // both have six letters
    // The text has its line's end already.
    gd_attr_text(&scope->text, "end", "", 0);
    return scope_close_node(scope) && scope_set_effect(scope, name);
}

static bool has_marks(const AttrValue *text)
{
    bool found = false;
    for (uint32_t i = 0; text->kind == ATTR_STR && i < text->count; i++) {
        found = found || print_is_mark(text->text[i]);
    }
    return found;
}

// What an assert says, as a constant.
static const char *write_text(NodeScope *scope, const char *base,
                              const AttrValue *text)
{
    Ctx *ctx = scope->writer->ctx;
    bool given = text->kind == ATTR_STR;
    Tensor *tensor = tensor_scalar_string(ctx, given ? text->text : "",
                                          given ? text->count : 0);
    const char *ref = tensor != NULL ? scope_const(scope, base, tensor) : NULL;
    object_release_null(ctx, tensor);
    return ref;
}

// What never holds: the condition of a raise.
static const char *write_never(NodeScope *scope, const char *base)
{
    Ctx *ctx = scope->writer->ctx;
    Tensor *never = tensor_scalar_int(ctx, DT_BOOL, 0);
    const char *ref = never != NULL ? scope_const(scope, base, never) : NULL;
    object_release_null(ctx, never);
    return ref;
}

// assert and raise: Assert(condition, [text]).
static bool write_assert(NodeScope *scope, const GraphNode *node)
{
    const char *name = scope_own_name(scope, "Assert");
    const char *data =
        name != NULL ? scope_print(scope, "%s/data_0", name) : NULL;
    const char *never =
        data != NULL ? scope_print(scope, "%s/condition", name) : NULL;
    const char *inputs[3];
    uint32_t count = 2;
    if (never == NULL) {
        return false;
    }
    // A raise is an assert that always fails, where control flow comes to it.
    inputs[0] = node->op == OP_RAISE
                    ? write_never(scope, never)
                    : scope_use(scope, node->inputs[0], name, "condition");
    inputs[1] = has_marks(&node->attrs[0])
                    ? write_format(scope, node, name, node->op == OP_ASSERT)
                    : write_text(scope, data, &node->attrs[0]);
    scope_after_effect(scope, inputs, &count);
    if (inputs[0] == NULL || inputs[1] == NULL ||
        !scope_node(scope, name, "Assert", inputs, count)) {
        return false;
    }
    // What Assert prints beside its condition: the one text.
    gd_attr_type_list(&scope->text, "T", (const char *[]){"DT_STRING"}, 1);
    gd_attr_int(&scope->text, "summarize", 3);
    return scope_close_node(scope) && scope_set_effect(scope, name);
}

// Tin and Tout of a call of the host.
static bool write_host_types(NodeScope *scope, const GraphNode *node)
{
    // gd_attr_types wants values in an array; a node's outputs are consecutive
    // ids.
    IdVec outputs = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < node->output_count; i++) {
        ok = vec_push(scope->writer->ctx, &outputs, node_output(node, i));
    }
    gd_attr_types(&scope->text, "Tin", scope->graph, node->inputs,
                  node->input_count);
    if (ok) {
        gd_attr_types(&scope->text, "Tout", scope->graph, outputs.items,
                      (uint32_t)outputs.count);
    }
    vec_free(scope->writer->ctx, &outputs);
    return ok;
}

// host_call is a function of the host's: the node says that one is called, as
// TensorFlow itself writes it, but only the program that made it can run it.
static bool write_host_call(NodeScope *scope, const GraphNode *node)
{
    static const char op[] = "EagerPyFunc";
    const char *name = scope_own_name(scope, op);
    const char **inputs =
        name != NULL ? scope_use_all(scope, node, name, 1) : NULL;
    uint32_t count = node->input_count;
    if (inputs == NULL) {
        return false;
    }
    scope_after_effect(scope, inputs, &count);
    if (!scope_node(scope, name, op, inputs, count)) {
        return false;
    }
    // TensorFlow finds the function by this token in the process that
    // registered it.
    gd_attr_text(&scope->text, "token", name, strlen(name));
    gd_attr_bool(&scope->text, "is_async", false);
    return write_host_types(scope, node) &&
           scope_set_refs(scope, node, name, op) && scope_close_node(scope) &&
           scope_set_effect(scope, name);
}

// A walk through a dataset calls the host likewise, which TensorFlow would have
// in no program.
static bool write_draw(NodeScope *scope, const GraphNode *node)
{
    return scope->writer->use == GRAPHDEF_TEXT
               ? scope_refuse(scope, node, "a dataset of the host's")
               : write_host_call(scope, node);
}

// All of them take part in the one chain of effects of their scope.
bool graphdef_effect(NodeScope *scope, const GraphNode *node)
{
    switch (node->op) {
    case OP_READ_VARIABLE: return write_read(scope, node);
    case OP_ASSIGN_VARIABLE: return write_assign(scope, node);
    case OP_ADD_ROWS_VARIABLE: return write_add_rows(scope, node);
    case OP_PRINT: return write_print(scope, node);
    case OP_ITERATE:
    case OP_MORE:
    case OP_NEXT: return write_draw(scope, node);
    case OP_HOST_CALL: return write_host_call(scope, node);
    case OP_ASSERT:
    case OP_RAISE: return write_assert(scope, node);
    default: return scope_refuse(scope, node, NULL);
    }
}
