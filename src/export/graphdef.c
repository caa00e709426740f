// Writing a GraphDef.
//
// The graph and each block or callee are a scope: a list of nodes with names
// of its own. A block becomes a function of the library whose arguments are
// the block's params and the outer values that it uses; constants are written
// again in every scope that uses them, just before their first user, named
// after it as TensorFlow does ("Greater/y").
#include <string.h>

#include "export/graphdef_scope.h"
#include "export/graphdef_text.h"

// All names and references live as long as the GraphDef.
Arena *scope_arena(NodeScope *scope)
{
    return &scope->writer->def->arena;
}

// Tables by value and by Variable of the scope's graph, empty.
// False: no memory; scope_close is called all the same.
bool scope_open(NodeScope *scope, GraphWriter *writer, Graph *graph,
                const char *function)
{
    // One more than is needed, so that an empty graph is no allocation of zero
    // bytes.
    size_t values = graph->values.count + 1;
    size_t variables = graph->variables.count + 1;
    memset(scope, 0, sizeof *scope);
    scope->writer = writer;
    scope->graph = graph;
    scope->function = function;
    strbuf_init(&scope->text, writer->ctx);
    map_init(&scope->names, writer->ctx);
    scope->refs_size = values * sizeof(char *);
    scope->handles_size = variables * sizeof(char *);
    scope->refs = ctx_alloc_zero(writer->ctx, scope->refs_size);
    scope->handles = ctx_alloc_zero(writer->ctx, scope->handles_size);
    return scope->refs != NULL && scope->handles != NULL;
}

// Also right after a scope_open that failed.
void scope_close(NodeScope *scope)
{
    Ctx *ctx = scope->writer->ctx;
    strbuf_free(&scope->text);
    map_free(&scope->names);
    ctx_free(ctx, scope->refs, scope->refs_size);
    ctx_free(ctx, scope->handles, scope->handles_size);
}

// printf into the arena.
const char *scope_print(NodeScope *scope, const char *format, ...)
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

const char *scope_plain_name(NodeScope *scope, const char *base)
{
    size_t length = strlen(base), count = 0;
    char *name = arena_strndup(scope_arena(scope), base, length);
    for (size_t i = 0; name != NULL && i < length; i++) {
        bool letter = (base[i] | 32) >= 'a' && (base[i] | 32) <= 'z';
        bool digit = base[i] >= '0' && base[i] <= '9';
        // What only the first place may not have.
        bool later = count > 0 && strchr("_-/", base[i]) != NULL;
        if (letter || digit || base[i] == '.' || later) {
            name[count++] = base[i];
        } else if (count > 0 && name[count - 1] != '_') {
            name[count++] = '_';
        }
    }
    // A bracket's end leaves no mark.
    while (name != NULL && count > 1 && base[length - 1] != '_' &&
           name[count - 1] == '_') {
        count--;
    }
    if (name != NULL) {
        name[count] = '\0';
    }
    return count > 0 || name == NULL ? name : "arg";
}

// Names that differ in the letters' case alone are one.
static const char *name_key(NodeScope *scope, const char *name)
{
    StrBuf lower;
    strbuf_init(&lower, scope->writer->ctx);
    strbuf_lower(&lower, name);
    const char *key =
        arena_strndup(scope_arena(scope), strbuf_text(&lower), lower.length);
    bool ok = strbuf_ok(&lower);
    strbuf_free(&lower);
    return ok ? key : NULL;
}

// TensorFlow's rule: "add", "Add_1", "add_2", …
// NULL: no memory. The name is taken from then on.
const char *scope_name(NodeScope *scope, const char *base)
{
    base = scope_plain_name(scope, base);
    const char *name = base;
    // From "_1" each time: names are few, and the numbers have no gaps.
    for (uint32_t n = 1; name != NULL; n++) {
        const char *key = name_key(scope, name);
        if (key == NULL) {
            return NULL;
        }
        if (map_get(&scope->names, key, strlen(key)) == NULL) {
            return map_put(&scope->names, key, strlen(key), 1) ? name : NULL;
        }
        name = scope_print(scope, "%s_%u", base, n);
    }
    return NULL;
}

static const GraphSite *site_of(const NodeScope *scope, const GraphNode *node)
{
    uint32_t site = node->place.site;
    return site != 0 ? &scope->graph->sites.items[site - 1] : NULL;
}

// Whether both were made by one call of a function that has a name.
static bool same_call(const NodeScope *scope, const GraphNode *a,
                      const GraphNode *b)
{
    const GraphSite *x = a != NULL ? site_of(scope, a) : NULL;
    const GraphSite *y = b != NULL ? site_of(scope, b) : NULL;
    return x != NULL && y != NULL && x->named != 0 && x->named == y->named &&
           strcmp(x->path, y->path) == 0;
}

// In a loop of the host's the call comes again: with the node that it began
// with.
static bool goes_on(const NodeScope *scope, const GraphNode *node)
{
    const GraphNode *first = scope->first;
    return same_call(scope, first, node) &&
           !(node->place.site == first->place.site && node->op == first->op);
}

// The result of a call goes by its name, what it was made of by a path below
// that, all by the name scope.
const char *scope_own_name(NodeScope *scope, const char *base)
{
    const GraphNode *node = scope->node;
    const GraphSite *site = node != NULL ? site_of(scope, node) : NULL;
    if (site == NULL || site->path == NULL) {
        return scope_name(scope, base);
    }
    // Its loop has parts of it inside.
    bool whole = site->named != 0 && !goes_on(scope, node->next) &&
                 !same_call(scope, node->block->owner, node);
    base = whole ? site->path : scope_print(scope, "%s/%s", site->path, base);
    return base != NULL ? scope_name(scope, base) : NULL;
}

// Nodes are listed for programs to look at.
// False: no memory.
static bool list_node(NodeScope *scope, const char *name, const char *op,
                      const char **inputs, uint32_t count)
{
    // The caller's array may be on its stack: the list has a copy.
    GraphDefNode node = {.name = name,
                         .op = op,
                         .input_count = count,
                         .function = scope->function};
    node.inputs = arena_new_array(scope_arena(scope), const char *, count);
    if (node.inputs == NULL) {
        return false;
    }
    if (count > 0) {
        memcpy(node.inputs, inputs, count * sizeof *inputs);
    }
    return vec_push(scope->writer->ctx, &scope->writer->def->nodes, node);
}

// The message's head: name, op, inputs.
// False: no memory. The node stays open for its attributes.
bool scope_node(NodeScope *scope, const char *name, const char *op,
                const char **inputs, uint32_t count)
{
    strbuf_printf(&scope->text, "%s {\n",
                  scope->function ? "node_def" : "node");
    scope->node_start = scope->text.length;
    strbuf_printf(&scope->text, "  name: \"%s\"\n  op: \"%s\"\n", name, op);
    for (uint32_t i = 0; i < count; i++) {
        strbuf_printf(&scope->text, "  input: \"%s\"\n", inputs[i]);
    }
    return list_node(scope, name, op, inputs, count);
}

// Attributes stand before this. Running out of memory is seen here.
bool scope_close_node(NodeScope *scope)
{
    GraphDef *def = scope->writer->def;
    if (!strbuf_ok(&scope->text)) {
        return false;
    }
    def->nodes.items[def->nodes.count - 1].text = arena_strndup(
        scope_arena(scope), strbuf_text(&scope->text) + scope->node_start,
        scope->text.length - scope->node_start);
    strbuf_puts(&scope->text, "}\n");
    return strbuf_ok(&scope->text) &&
           def->nodes.items[def->nodes.count - 1].text != NULL;
}

// Outside of functions the first result goes by the node's name alone.
// Inside of functions a result goes by the node, the name of the output and its
// number in that.
const char *scope_reference(NodeScope *scope, const char *name, const char *op,
                            uint32_t inputs, uint32_t index)
{
    if (!scope->function) {
        return index == 0 ? name : scope_print(scope, "%s:%u", name, index);
    }
    // A result with a name of its own is number 0 of that name.
    const char *result = gd_result_name(op, inputs);
    bool own = strchr(result, ' ') != NULL;
    for (uint32_t i = 0; own && i < index; i++) {
        result = strchr(result, ' ') + 1;
    }
    return scope_print(scope, "%s:%.*s:%u", name, (int)strcspn(result, " "),
                       result, own ? 0 : index);
}

// Constants have no inputs, so that they may stand anywhere before their first
// use.
const char *scope_const(NodeScope *scope, const char *base,
                        const Tensor *tensor)
{
    const char *name = scope_name(scope, base);
    if (name == NULL || !scope_node(scope, name, "Const", NULL, 0)) {
        return NULL;
    }
    gd_attr_type(&scope->text, "dtype", (DType)tensor->dtype);
    gd_attr_tensor(&scope->text, tensor);
    return scope_close_node(scope) ? scope_reference(scope, name, "Const", 0, 0)
                                   : NULL;
}

// Something of a dtype.
static const char *write_zero(NodeScope *scope, DType dtype)
{
    Ctx *ctx = scope->writer->ctx;
    Tensor *tensor = dtype == DT_STRING ? tensor_scalar_string(ctx, "", 0)
                                        : tensor_scalar_int(ctx, dtype, 0);
    const char *ref =
        tensor != NULL ? scope_const(scope, "nothing", tensor) : NULL;
    object_release_null(ctx, tensor);
    return ref;
}

// A list without elements, of any shape.
static const char *write_empty(NodeScope *scope, DType list)
{
    static const char op[] = "EmptyTensorList";
    const char *name = scope_name(scope, "nothing");
    Tensor *none = tensor_scalar_int(scope->writer->ctx, DT_INT32, -1);
    const char *inputs[2] = {NULL};
    if (none != NULL && name != NULL) {
        inputs[0] = inputs[1] = scope_const(scope, "nothing/none", none);
    }
    object_release_null(scope->writer->ctx, none);
    if (inputs[0] == NULL || !scope_node(scope, name, op, inputs, 2)) {
        return NULL;
    }
    gd_attr_type(&scope->text, "element_dtype", dtype_element(list));
    gd_attr_type(&scope->text, "shape_type", DT_INT32);
    return scope_close_node(scope) ? scope_reference(scope, name, op, 2, 0)
                                   : NULL;
}

const char *scope_nothing(NodeScope *scope, DType dtype)
{
    return dtype_is_list(dtype) ? write_empty(scope, dtype)
                                : write_zero(scope, dtype);
}

// NULL where the value was never written, which only a missing constant can
// be.
const char *scope_use(NodeScope *scope, ValueId value, const char *user,
                      const char *part)
{
    Tensor *tensor = graph_constant(scope->graph, value);
    // The reference is kept: later users in this scope share the constant,
    // named after its first user.
    if (scope->refs[value] == NULL && tensor != NULL) {
        const char *base =
            user != NULL ? scope_print(scope, "%s/%s", user, part) : "Const";
        scope->refs[value] =
            base != NULL ? scope_const(scope, base, tensor) : NULL;
    }
    return scope->refs[value];
}

// Constants are named after the operand that they are: "add/y".
// `extra`: room behind them, for inputs that the form itself adds. NULL: an
// error is pending.
const char **scope_use_all(NodeScope *scope, const GraphNode *node,
                           const char *name, uint32_t extra)
{
    static const char *const parts[] = {"x", "y", "z"};
    uint32_t count = node->input_count;
    const char **refs =
        arena_new_array(scope_arena(scope), const char *, count + extra);
    for (uint32_t i = 0; refs != NULL && i < count; i++) {
        // More than three operands are a list, whose parts have no letters.
        const char *part = i < 3 && count > 1 ? parts[i] : "x";
        refs[i] = scope_use(scope, node->inputs[i], name, part);
        if (refs[i] == NULL) {
            return NULL;
        }
    }
    return refs;
}

// All results of an op are numbered under the name of its first.
bool scope_set_refs(NodeScope *scope, const GraphNode *node, const char *name,
                    const char *op)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        const char *ref =
            scope_reference(scope, name, op, node->input_count, i);
        if (ref == NULL) {
            return false;
        }
        scope->refs[node_output(node, i)] = ref;
    }
    return true;
}

// Without an effect before it the node is free.
// A control input: it carries no value and only orders.
void scope_after_effect(NodeScope *scope, const char **inputs, uint32_t *count)
{
    if (scope->effect != NULL) {
        inputs[(*count)++] = scope->effect;
    }
}

// The chain of effects ends here for now.
// What has an effect comes after this one, as the program has it.
bool scope_set_effect(NodeScope *scope, const char *name)
{
    scope->effect = scope_print(scope, "^%s", name);
    return scope->effect != NULL;
}

// With the node's place, so that the user's line is shown: there it can be
// written in another way.
// Always false.
bool scope_refuse(NodeScope *scope, const GraphNode *node, const char *with)
{
    scope->writer->def->refused = scope->graph;
    scope->writer->def->site = node->place.site;
    return ctx_fail_at(scope->writer->ctx, ERR_VALUE, node->place.source,
                       node->place.span,
                       "to_graphdef: '%s'%s%s has no form in a GraphDef",
                       op_desc(node->op)->name, with != NULL ? " with " : "",
                       with != NULL ? with : "");
}

// By kind: flow, calls, effects, and all that is ordinary.
// False: an error is pending.
static bool write_node(NodeScope *scope, const GraphNode *node)
{
    switch (node->op) {
    case OP_CONST: // written where it is used
        return true;
    case OP_IF:
    case OP_WHILE: return graphdef_flow(scope, node);
    case OP_CALL: return graphdef_call(scope, node);
    case OP_CUSTOM_GRADIENT: return graphdef_plain(scope, node);
    default:
        return node_desc(node)->infer != NULL ? graphdef_plain(scope, node)
                                              : graphdef_effect(scope, node);
    }
}

// Blocks nest in functions, which are written while their owner is.
bool graphdef_nodes(NodeScope *scope, const GraphBlock *block)
{
    bool ok = ctx_enter(scope->writer->ctx);
    if (!ok) {
        return false;
    }
    for (const GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        scope->first = goes_on(scope, node) ? scope->first : node;
        scope->node = node;
        ok = write_node(scope, node);
    }
    scope->node = NULL;
    ctx_leave(scope->writer->ctx);
    return ok;
}

// Identities give results names that callers can rely on, and wait for the
// last effect.
// refs[0 .. count) are then the references of the results.
bool graphdef_results(NodeScope *scope, const ValueId *results, uint32_t count,
                      const char **refs)
{
    for (uint32_t i = 0; i < count; i++) {
        // One Identity for each result, even if two of them are the same
        // value: each is named apart.
        const char *inputs[2] = {scope_use(scope, results[i], NULL, NULL)};
        uint32_t input_count = 1;
        const char *name =
            inputs[0] != NULL ? scope_name(scope, "Identity") : NULL;
        scope_after_effect(scope, inputs, &input_count);
        if (name == NULL ||
            !scope_node(scope, name, "Identity", inputs, input_count)) {
            return false;
        }
        gd_attr_type(&scope->text, "T",
                     graph_type(scope->graph, results[i]).dtype);
        refs[i] = scope_reference(scope, name, "Identity", 1, 0);
        if (refs[i] == NULL || !scope_close_node(scope)) {
            return false;
        }
    }
    return true;
}

// Arguments and captures alike: both are fed.
// False: no memory.
static bool write_placeholders(NodeScope *scope)
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

// A graph without results still has a node to run, for its effects.
static bool write_end(NodeScope *scope)
{
    const char *inputs[1];
    uint32_t count = 0;
    // With results their Identities wait for the last effect.
    if (scope->graph->block->result_count > 0 || scope->effect == NULL) {
        return true;
    }
    scope_after_effect(scope, inputs, &count);
    const char *name = scope_name(scope, "NoOp");
    return name != NULL && scope_node(scope, name, "NoOp", inputs, count) &&
           scope_close_node(scope);
}

// Inputs, Variables, nodes, results: in the order in which TensorFlow would
// show them.
// False: an error is pending.
static bool write_graph(NodeScope *scope)
{
    const GraphBlock *block = scope->graph->block;
    const char **refs =
        arena_new_array(scope_arena(scope), const char *, block->result_count);
    return refs != NULL && write_placeholders(scope) &&
           graphdef_variables(scope) && graphdef_nodes(scope, block) &&
           graphdef_results(scope, block->results, block->result_count, refs) &&
           write_end(scope);
}

static GraphWriter writer_of(Graph *graph, GraphDefUse use, GraphDef *def)
{
    GraphWriter writer = {.ctx = graph->ctx, .def = def, .use = use};
    memset(def, 0, sizeof *def);
    arena_init(&def->arena, graph->ctx);
    strbuf_init(&def->text, graph->ctx);
    strbuf_init(&writer.library, graph->ctx);
    map_init(&writer.callees, graph->ctx);
    return writer;
}

static void writer_close(GraphWriter *writer, NodeScope *scope)
{
    scope_close(scope);
    map_free(&writer->callees);
    strbuf_free(&writer->library);
}

const char *graphdef_value_name(Graph *graph, ValueId value, GraphDef *def)
{
    GraphWriter writer = writer_of(graph, GRAPHDEF_NODES, def);
    NodeScope scope;
    bool ok = scope_open(&scope, &writer, graph, NULL) &&
              write_placeholders(&scope) && graphdef_variables(&scope) &&
              graphdef_nodes(&scope, graph->block);
    const char *name = ok ? scope.refs[value] : NULL;
    writer_close(&writer, &scope);
    return name;
}

// The library comes behind the nodes: functions are known when all nodes are
// written.
// False: an error is pending. graphdef_free frees `def` in any case.
bool graphdef_write(Graph *graph, GraphDefUse use, GraphDef *def)
{
    GraphWriter writer = writer_of(graph, use, def);
    NodeScope scope;
    bool ok = scope_open(&scope, &writer, graph, NULL) && write_graph(&scope);
    if (ok) {
        strbuf_puts(&def->text, strbuf_text(&scope.text));
        strbuf_printf(&def->text, "library {\n%s}\n",
                      strbuf_text(&writer.library));
        // By the producer's version TensorFlow knows which changes of the
        // format came later than the text.
        strbuf_puts(&def->text, "versions {\n  producer: 1882\n}\n");
        ok = strbuf_ok(&def->text);
    }
    writer_close(&writer, &scope);
    return ok;
}

// The arena knows its context.
void graphdef_free(GraphDef *def)
{
    Ctx *ctx = def->arena.ctx;
    vec_free(ctx, &def->nodes);
    strbuf_free(&def->text);
    arena_destroy(&def->arena);
}
