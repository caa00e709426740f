// Writing a GraphDef.
//
// The graph and each block or callee are a scope: a list of nodes with names
// of its own. A block becomes a function of the library whose arguments are
// the block's params and the outer values that it uses; constants are written
// again in every scope that uses them, just before their first user, named
// after it as TensorFlow does ("Greater/y").
#include <string.h>

#include "graph/graphdef_scope.h"
#include "graph/graphdef_text.h"

Arena *scope_arena(Scope *scope)
{
    return &scope->writer->def->arena;
}

static bool scope_open(Scope *scope, Writer *writer, Graph *graph,
                       bool function)
{
    scope->writer = writer;
    scope->graph = graph;
    scope->function = function;
    strbuf_init(&scope->text, writer->ctx);
    map_init(&scope->names, writer->ctx);
    scope->refs_size = (graph->values.count + 1) * sizeof(char *);
    scope->refs = ctx_alloc_zero(writer->ctx, scope->refs_size);
    return scope->refs != NULL;
}

static void scope_close(Scope *scope)
{
    strbuf_free(&scope->text);
    map_free(&scope->names);
    if (scope->refs != NULL) {
        ctx_free(scope->writer->ctx, scope->refs, scope->refs_size);
    }
}

const char *scope_print(Scope *scope, const char *format, ...)
{
    StrBuf buf;
    va_list args;
    strbuf_init(&buf, scope->writer->ctx);
    va_start(args, format);
    strbuf_vprintf(&buf, format, args);
    va_end(args);
    const char *text =
        strbuf_ok(&buf)
            ? arena_strndup(scope_arena(scope), strbuf_text(&buf), buf.length)
            : NULL;
    strbuf_free(&buf);
    return text;
}

// TensorFlow's rule: "add", "add_1", "add_2", …
const char *scope_name(Scope *scope, const char *base)
{
    const char *name = base;
    for (uint32_t n = 1; name != NULL; n++) {
        size_t length = strlen(name);
        if (map_get(&scope->names, name, length) == NULL) {
            return map_put(&scope->names, name, length, 1)
                       ? arena_strndup(scope_arena(scope), name, length)
                       : NULL;
        }
        name = scope_print(scope, "%s_%u", base, n);
    }
    return NULL;
}

static bool list_node(Scope *scope, const char *name, const char *op,
                      const char **inputs, uint32_t count)
{
    if (scope->function) {
        return true;
    }
    GraphDefNode node = {name, op, NULL, count};
    node.inputs = arena_new_array(scope_arena(scope), const char *, count);
    if (node.inputs == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(node.inputs, inputs, count * sizeof *inputs);
    }
    return vec_push(scope->writer->ctx, &scope->writer->def->nodes, node);
}

bool scope_node(Scope *scope, const char *name, const char *op,
                      const char **inputs, uint32_t count)
{
    strbuf_printf(&scope->text, "%s {\n  name: \"%s\"\n  op: \"%s\"\n",
                  scope->function ? "node_def" : "node", name, op);
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(&scope->text, "  input: \"%s\"\n", inputs[i]);
    }
    return list_node(scope, name, op, inputs, count);
}

bool scope_close_node(Scope *scope)
{
    strbuf_puts(&scope->text, "}\n");
    return strbuf_ok(&scope->text);
}

// How an input names result `index` of a node.
static const char *reference(Scope *scope, const char *name, const char *op,
                             uint32_t inputs, uint32_t index)
{
    if (scope->function) {
        return scope_print(scope, "%s:%s:%u", name,
                           gd_result_name(op, inputs), index);
    }
    return index == 0 ? name : scope_print(scope, "%s:%u", name, index);
}

const char *scope_const(Scope *scope, const char *base,
                               const Tensor *tensor)
{
    const char *name = scope_name(scope, base);
    if (name == NULL || !scope_node(scope, name, "Const", NULL, 0)) {
        return NULL;
    }
    gd_attr_type(&scope->text, "dtype", (DType)tensor->dtype);
    gd_attr_tensor(&scope->text, tensor);
    return scope_close_node(scope) ? reference(scope, name, "Const", 0, 0) : NULL;
}

// The value's reference. A constant is written here if it was not before.
static const char *use(Scope *scope, ValueId value, const char *user,
                       const char *part)
{
    Tensor *tensor = graph_constant(scope->graph, value);
    if (scope->refs[value] == NULL && tensor != NULL) {
        const char *base =
            user != NULL ? scope_print(scope, "%s/%s", user, part) : "Const";
        scope->refs[value] =
            base != NULL ? scope_const(scope, base, tensor) : NULL;
    }
    return scope->refs[value];
}

const char **scope_use_all(Scope *scope, const GraphNode *node,
                            const char *name, uint32_t extra)
{
    static const char *const parts[] = {"x", "y", "z"};
    uint32_t count = node->input_count;
    const char **refs =
        arena_new_array(scope_arena(scope), const char *, count + extra);
    for (uint32_t i = 0; refs != NULL && i < count; i++) {
        const char *part = i < 3 && count > 1 ? parts[i] : "x";
        refs[i] = use(scope, node->inputs[i], name, part);
        if (refs[i] == NULL) {
            return NULL;
        }
    }
    return refs;
}

bool scope_set_refs(Scope *scope, const GraphNode *node, const char *name,
                     const char *op)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        const char *ref =
            reference(scope, name, op, node->input_count, i);
        if (ref == NULL) {
            return false;
        }
        scope->refs[node_output(node, i)] = ref;
    }
    return true;
}

bool scope_refuse(Scope *scope, const GraphNode *node)
{
    return ctx_fail_at(scope->writer->ctx, ERR_VALUE, node->place.source,
                       node->place.span,
                       "to_graphdef: '%s' has no form in a GraphDef",
                       op_desc(node->op)->name);
}

static bool write_flow(Scope *scope, const GraphNode *node);

static bool write_nodes(Scope *scope, const GraphBlock *block)
{
    if (!ctx_enter(scope->writer->ctx)) {
        return false;
    }
    bool ok = !block->diverges ||
              ctx_fail(scope->writer->ctx, ERR_VALUE,
                       "to_graphdef: 'raise' has no form in a GraphDef");
    for (const GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        if (node->op == OP_IF || node->op == OP_WHILE) {
            ok = write_flow(scope, node);
        } else if (node->op != OP_CONST) {
            ok = graphdef_plain(scope, node);
        }
    }
    ctx_leave(scope->writer->ctx);
    return ok;
}

// Identity nodes for the results; their references go to `refs`.
static bool write_results(Scope *scope, const ValueId *results, uint32_t count,
                          const char **refs)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *input = use(scope, results[i], NULL, NULL);
        const char *name =
            input != NULL ? scope_name(scope, "Identity") : NULL;
        if (name == NULL ||
            !scope_node(scope, name, "Identity", &input, 1)) {
            return false;
        }
        gd_attr_type(&scope->text, "T",
                     graph_type(scope->graph, results[i]).dtype);
        refs[i] = reference(scope, name, "Identity", 1, 0);
        if (refs[i] == NULL || !scope_close_node(scope)) {
            return false;
        }
    }
    return true;
}

// Outer values that a block uses, constants apart, in order of first use.
static bool inside(const GraphBlock *block, const GraphBlock *outer)
{
    while (block != NULL && block != outer) {
        block = block->parent;
    }
    return block == outer;
}

static bool add_outer(Scope *scope, ValueVec *list, const GraphBlock *block,
                      ValueId value)
{
    if (inside(graph_value(scope->graph, value)->block, block) ||
        graph_constant(scope->graph, value) != NULL) {
        return true;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i] == value) {
            return true;
        }
    }
    return vec_push(scope->writer->ctx, list, value);
}

static bool find_outer(Scope *scope, ValueVec *list, const GraphBlock *outer,
                       const GraphBlock *block)
{
    bool ok = ctx_enter(scope->writer->ctx);
    if (!ok) {
        return false;
    }
    for (const GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        for (uint32_t i = 0; ok && i < node->input_count; i++) {
            ok = add_outer(scope, list, outer, node->inputs[i]);
        }
        for (int b = 0; ok && b < NODE_MAX_BLOCKS; b++) {
            ok = node->blocks[b] == NULL ||
                 find_outer(scope, list, outer, node->blocks[b]);
        }
    }
    for (uint32_t i = 0; ok && i < block->result_count; i++) {
        ok = add_outer(scope, list, outer, block->results[i]);
    }
    ctx_leave(scope->writer->ctx);
    return ok;
}

static bool write_args(Scope *scope, StrBuf *head, const ValueId *values,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *given = graph_value(scope->graph, values[i])->name;
        const char *name = scope_name(scope, given != NULL ? given : "arg");
        if (name == NULL) {
            return false;
        }
        scope->refs[values[i]] = name;
        strbuf_printf(head, "    input_arg { name: \"%s\" type: %s }\n", name,
                      gd_type(graph_type(scope->graph, values[i]).dtype));
    }
    return true;
}

static bool finish_function(Scope *scope, StrBuf *head, const ValueId *results,
                            uint32_t count)
{
    const char **refs = arena_new_array(scope_arena(scope), const char *, count);
    if (refs == NULL || !write_results(scope, results, count, refs)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(head, "    output_arg { name: \"out_%u\" type: %s }\n",
                      i, gd_type(graph_type(scope->graph, results[i]).dtype));
    }
    StrBuf *library = &scope->writer->library;
    strbuf_printf(library, "function {\n%s  }\n%s", strbuf_text(head),
                  strbuf_text(&scope->text));
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(library, "  ret { key: \"out_%u\" value: \"%s\" }\n", i,
                      refs[i]);
    }
    strbuf_puts(library, "}\n");
    return strbuf_ok(library) && strbuf_ok(head);
}

// A block as a function of its params and `outer`; a loop's body gives back
// `outer` too, unchanged. Returns the function's name.
static const char *write_function(Scope *from, const GraphBlock *block,
                                  const char *kind, const ValueVec *outer,
                                  bool give_back)
{
    Scope scope;
    StrBuf head;
    uint32_t extra = (uint32_t)outer->count;
    uint32_t count = block->result_count + (give_back ? extra : 0);
    strbuf_init(&head, from->writer->ctx);
    const char *name =
        scope_print(from, "%s_%u", kind, from->writer->functions++);
    ValueId *results = arena_new_array(scope_arena(from), ValueId, count);
    bool ok = scope_open(&scope, from->writer, from->graph, true) &&
              name != NULL && results != NULL;
    strbuf_printf(&head, "  signature {\n    name: \"%s\"\n",
                  name != NULL ? name : "");
    if (ok) {
        for (uint32_t i = 0; i < count; i++) {
            results[i] = i < block->result_count
                             ? block->results[i]
                             : outer->items[i - block->result_count];
        }
        ok = write_args(&scope, &head, block->params, block->param_count) &&
             write_args(&scope, &head, outer->items, extra) &&
             write_nodes(&scope, block) &&
             finish_function(&scope, &head, results, count);
    }
    scope_close(&scope);
    strbuf_free(&head);
    return ok ? name : NULL;
}

// Attributes of If and While: what comes in and goes out, and the functions.
static void flow_attrs(Scope *scope, const GraphNode *node,
                       const ValueVec *all, const char *first,
                       const char *second)
{
    StrBuf *out = &scope->text;
    uint32_t count = (uint32_t)all->count;
    if (node->op == OP_IF) {
        ValueVec outs = {0};
        gd_attr_type(out, "Tcond", DT_BOOL);
        gd_attr_types(out, "Tin", scope->graph, all->items, count);
        for (uint32_t i = 0; i < node->output_count; i++) {
            if (!vec_push(scope->writer->ctx, &outs, node_output(node, i))) {
                strbuf_fail(out);
            }
        }
        gd_attr_types(out, "Tout", scope->graph, outs.items,
                      (uint32_t)outs.count);
        vec_free(scope->writer->ctx, &outs);
    } else {
        gd_attr_types(out, "T", scope->graph, all->items, count);
    }
    gd_attr_func(out, node->op == OP_IF ? "then_branch" : "cond", first);
    gd_attr_func(out, node->op == OP_IF ? "else_branch" : "body", second);
}

static bool flow_node(Scope *scope, const GraphNode *node, ValueVec *outer,
                      const char *first, const char *second)
{
    const char *op = node->op == OP_IF ? "StatelessIf" : "StatelessWhile";
    const char *name = scope_name(scope, gd_base_name(op));
    uint32_t count = node->input_count + (uint32_t)outer->count;
    const char **inputs =
        name != NULL ? scope_use_all(scope, node, name, (uint32_t)outer->count)
                     : NULL;
    ValueVec all = {0};
    bool ok = inputs != NULL;
    for (uint32_t i = 0; ok && node->op == OP_WHILE && i < node->input_count;
         i++) {
        ok = vec_push(scope->writer->ctx, &all, node->inputs[i]);
    }
    for (uint32_t i = 0; ok && i < outer->count; i++) {
        inputs[node->input_count + i] = scope->refs[outer->items[i]];
        ok = vec_push(scope->writer->ctx, &all, outer->items[i]);
    }
    ok = ok && scope_node(scope, name, op, inputs, count);
    if (ok) {
        flow_attrs(scope, node, &all, first, second);
        ok = scope_set_refs(scope, node, name, op) && scope_close_node(scope);
    }
    vec_free(scope->writer->ctx, &all);
    return ok;
}

static bool write_flow(Scope *scope, const GraphNode *node)
{
    ValueVec outer = {0};
    bool loop = node->op == OP_WHILE;
    const char *first = NULL, *second = NULL;
    if (find_outer(scope, &outer, node->blocks[0], node->blocks[0]) &&
        find_outer(scope, &outer, node->blocks[1], node->blocks[1])) {
        first = write_function(scope, node->blocks[0],
                               loop ? "while_cond" : "cond_true", &outer,
                               false);
    }
    if (first != NULL) {
        second = write_function(scope, node->blocks[1],
                                loop ? "while_body" : "cond_false", &outer,
                                loop);
    }
    bool ok = second != NULL && flow_node(scope, node, &outer, first, second);
    vec_free(scope->writer->ctx, &outer);
    return ok;
}

static bool write_placeholders(Scope *scope)
{
    Graph *graph = scope->graph;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        GraphInput *input = &graph->inputs.items[i];
        TensorType type = graph_type(graph, input->value);
        const char *name = scope_name(scope, input->name);
        if (name == NULL || !scope_node(scope, name, "Placeholder", NULL, 0)) {
            return false;
        }
        scope->refs[input->value] = name;
        gd_attr_type(&scope->text, "dtype", type.dtype);
        gd_attr_shape(&scope->text, "shape", type);
        if (!scope_close_node(scope)) {
            return false;
        }
    }
    return true;
}

bool graphdef_write(Graph *graph, GraphDef *def)
{
    Writer writer = {.ctx = graph->ctx, .def = def};
    Scope scope;
    memset(def, 0, sizeof *def);
    arena_init(&def->arena, graph->ctx);
    strbuf_init(&def->text, graph->ctx);
    strbuf_init(&writer.library, graph->ctx);
    uint32_t count = graph->block->result_count;
    const char **refs = arena_new_array(&def->arena, const char *, count);
    bool ok = scope_open(&scope, &writer, graph, false) && refs != NULL &&
              write_placeholders(&scope) &&
              write_nodes(&scope, graph->block) &&
              write_results(&scope, graph->block->results, count, refs);
    if (ok) {
        strbuf_puts(&def->text, strbuf_text(&scope.text));
        strbuf_printf(&def->text, "library {\n%s}\n",
                      strbuf_text(&writer.library));
        strbuf_puts(&def->text, "versions {\n  producer: 1882\n}\n");
        ok = strbuf_ok(&def->text);
    }
    scope_close(&scope);
    strbuf_free(&writer.library);
    return ok;
}

void graphdef_free(GraphDef *def)
{
    Ctx *ctx = def->arena.ctx;
    vec_free(ctx, &def->nodes);
    strbuf_free(&def->text);
    arena_destroy(&def->arena);
}
