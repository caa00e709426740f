// Graphs and their nodes as objects: printed, counted, walked.
//
// A Graph object shows the graph as it was traced, before any pass. A node
// object holds its graph, so it stays valid on its own.
#include "stager/stage_graph.h"

#include "stager/stage_blocks.h"
#include "stager/stage_file.h"
#include "stager/structure.h"
#include "stager/trace.h"

#include "export/boxes.h"
#include "export/dot.h"
#include "export/graphdef.h"
#include "graph/graph_parse.h"
#include "graph/graph_text.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"

// A node as the program sees it. Two asked for at different times are
// different objects of the same node.
typedef struct NodeObject {
    Object head;
    Graph *graph;    // counted
    GraphNode *node; // in it
} NodeObject;

// The owner type serves here too: both are a graph that something holds.
Value stage_graph_new(Vm *vm, Graph *graph)
{
    TraceOwner *owner =
        object_new(vm, stager_of(vm)->graph_type, sizeof *owner);
    if (owner == NULL) {
        return VALUE_FAIL;
    }
    // The assignment clears all fields, and the head must survive it.
    Object head = owner->head;
    *owner = (TraceOwner){.head = head, .graph = graph_retain(graph)};
    return value_from_object(owner);
}

// The caller knows the type.
static Graph *graph_of(Value self)
{
    return ((TraceOwner *)value_object(self))->graph;
}

// What print(graph) shows: long constants are shortened, so this form cannot
// always be parsed again; see text().
static Value graph_str(Vm *vm, Value self)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    // Shortened, as it is for people.
    graph_print(&out, graph_of(self), false);
    // As one value that print ends: without the last line's end.
    if (strbuf_ok(&out) && out.length > 0 && out.text[out.length - 1] == '\n') {
        out.text[--out.length] = '\0';
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// Nodes of inner blocks count: they are work to be done.
static int64_t graph_length(Vm *vm, Value self)
{
    (void)vm;
    return (int64_t)graph_of(self)->node_count;
}

// The node lives in its graph's arena, which the count keeps.
static Value node_object(Vm *vm, Graph *graph, GraphNode *node)
{
    NodeObject *object =
        object_new(vm, stager_of(vm)->node_type, sizeof *object);
    if (object == NULL) {
        return VALUE_FAIL;
    }
    object->graph = graph_retain(graph);
    object->node = node;
    return value_from_object(object);
}

// The block's nodes in order, those of inner blocks behind their owner.
static bool add_nodes(Vm *vm, Graph *graph, const GraphBlock *block, List *list)
{
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok = true;
    for (GraphNode *node = block->first; ok && node != NULL;
         node = node->next) {
        Value object = node_object(vm, graph, node);
        // Each object holds the graph: a node that a program keeps keeps all
        // of it.
        ok = !value_failed(object) && list_append_owned(vm, list, object);
        for (int b = 0; ok && b < OP_MAX_BLOCKS; b++) {
            // then and else, cond and body.
            ok = node->blocks[b] == NULL ||
                 add_nodes(vm, graph, node->blocks[b], list);
        }
    }
    ctx_leave(&vm->ctx);
    return ok;
}

// A list made at each call; nodes are compared by name.
static Value graph_nodes(Vm *vm, Value self)
{
    Graph *graph = graph_of(self);
    List *list = list_new(vm, 0);
    if (list != NULL && !add_nodes(vm, graph, graph->block, list)) {
        object_release(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_or_fail(list);
}

// As the function was called when it was traced.
static Value graph_name(Vm *vm, Value self)
{
    return str_value_from(vm, graph_of(self)->name);
}

// --- GraphDef ---

// Fails where the format has no form for an operation, naming it.
static Value to_graphdef(Vm *vm, Value *args)
{
    GraphDef def;
    Str *text = NULL;
    // graphdef_free is right after a failure too, whose error is pending in
    // ctx.
    if (graphdef_write(graph_of(args[0]), GRAPHDEF_TEXT, &def)) {
        text = str_new(vm, strbuf_text(&def.text), def.text.length);
    } else if (def.refused != NULL) {
        trace_point(vm, def.refused, def.site);
    }
    graphdef_free(&def);
    return value_or_fail(text);
}

// Unset places hold NONE, so that a list that is given up can be released.
static Value names_list(Vm *vm, const char *const *names, uint32_t count)
{
    List *list = list_new(vm, count);
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        list->items[i] = str_value_from(vm, names[i]);
        if (value_failed(list->items[i])) {
            // VALUE_FAIL must not stay in a list that is released.
            list->items[i] = VALUE_NONE;
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(list);
}

// (name, op, [input, ...], fields, function)
static Value def_node(Vm *vm, const GraphDefNode *node)
{
    ValueVec parts = {0};
    Tuple *tuple = NULL;
    if (structure_push(vm, &parts, str_value_from(vm, node->name)) &&
        structure_push(vm, &parts, str_value_from(vm, node->op)) &&
        structure_push(vm, &parts,
                       names_list(vm, (const char *const *)node->inputs,
                                  node->input_count)) &&
        structure_push(vm, &parts, str_value_from(vm, node->text)) &&
        structure_push(vm, &parts,
                       node->function != NULL
                           ? str_value_from(vm, node->function)
                           : VALUE_NONE)) {
        tuple = tuple_from(vm, parts.items, parts.count);
    }
    // The tuple has references of its own.
    structure_free(vm, &parts);
    return value_or_fail(tuple);
}

static Value def_nodes(Vm *vm, Graph *graph)
{
    GraphDef def;
    List *list = list_new(vm, 0);
    // First, even if there is no list: `def` is freed below in any case.
    bool ok = graphdef_write(graph, GRAPHDEF_NODES, &def) && list != NULL;
    for (size_t i = 0; ok && i < def.nodes.count; i++) {
        Value node = def_node(vm, &def.nodes.items[i]);
        ok = !value_failed(node) && list_append_owned(vm, list, node);
    }
    graphdef_free(&def);
    if (!ok) {
        object_release_null(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_from_object(list);
}

// The same nodes as the text has, for programs that count them.
static Value graphdef_nodes(Vm *vm, Value *args)
{
    return def_nodes(vm, graph_of(args[0]));
}

Value stage_nodes_method(Vm *vm, Value *args)
{
    (void)args;
    const Trace *trace = vm->trace;
    // Blocks that are being traced have no nodes yet.
    return trace != NULL && trace->block == trace->graph->block
               ? def_nodes(vm, trace->graph)
               : VALUE_NONE;
}

// Symbolic tensors hold the owner, so none is left when it goes.
static void owner_destroy(Vm *vm, Object *object)
{
    TraceOwner *owner = (TraceOwner *)object;
    graph_release(&vm->ctx, owner->graph);
    events_free(vm, &owner->events);
    object_free(vm, owner, sizeof *owner);
}

// At the Vm's end alone (cycles_break): a symbolic tensor that has leaked holds
// the graph, and that may hold host functions that lead back to it.
static void owner_clear(Vm *vm, Object *object)
{
    TraceOwner *owner = (TraceOwner *)object;
    Graph *graph = owner->graph;
    owner->graph = NULL;
    graph_release(&vm->ctx, graph);
}

// Parts of a graph that need no call.
static const MemberDef graph_members[] = {
    {"nodes", graph_nodes, NULL,
     "A list of the nodes, those of inner blocks behind their owner."},
    {"name", graph_name, NULL, "The traced function's name."},
    {"variables", graph_variables, NULL,
     "The Variables that it uses; None: one that each call hands over."},
    {NULL, NULL, NULL, NULL},
};

// --- texts and pictures ---

// Graph.parse(text): what str(graph) gave, or graph.text().
static Value graph_parse_text(Vm *vm, Value *args)
{
    if (!value_is_str(args[0])) {
        return raise_error(vm, ERR_TYPE, "Graph.parse: the text must be a str");
    }
    const Str *text = value_as_str(args[0]);
    // Its captures have no tensors and its host nodes no functions: it can be
    // shown and counted.
    Graph *graph = graph_parse(&vm->ctx, text->text, text->length);
    if (graph == NULL) {
        return VALUE_FAIL;
    }
    Value object = stage_graph_new(vm, graph);
    // The object holds it now.
    graph_release(&vm->ctx, graph);
    return object;
}

// A text that a printer wrote. Printers report no errors: the buffer keeps the
// failure, which str_from_buf passes on. It frees the buffer too.
static Value drawn(Vm *vm, Value self, void (*draw)(StrBuf *, Graph *))
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    draw(&out, graph_of(self));
    return value_or_fail(str_from_buf(vm, &out));
}

// The printer with whole constants, in the form that `drawn` calls.
static void print_whole(StrBuf *out, Graph *graph)
{
    graph_print(out, graph, true);
}

// The form for files and for Graph.parse: nothing is shortened.
static Value graph_text(Vm *vm, Value *args)
{
    return drawn(vm, args[0], print_whole);
}

// Inner blocks become clusters (dot.c).
static Value graph_to_dot(Vm *vm, Value *args)
{
    return drawn(vm, args[0], dot_print);
}

// For people at a terminal; it is not parsed.
static Value graph_to_boxes(Vm *vm, Value *args)
{
    return drawn(vm, args[0], boxes_print);
}

// Written in Duet, as the prompt's %graph --svg is.
static Value graph_to_svg(Vm *vm, Value *args)
{
    return stage_block_call(vm, "graph_picture", args, 1);
}

// Called on the built-in class Graph, not on a graph.
static const NativeDef graph_static_methods[] = {
    {"parse", "text, /", graph_parse_text,
     "The graph that a text shows, as print(graph) writes it. ValueError with "
     "line and column where it is none. Constants must not be shortened: "
     "see text()."},
    {"pack", "graphs, numbers, values, note, /", graph_pack,
     "The bytes of a file of graphs: a number for each Variable of each of "
     "them, which is its place in the values."},
    {"unpack", "data, /", graph_unpack,
     "(note, values, [(graph, numbers), ...]) of what pack() made."},
    {NULL, NULL, NULL, NULL},
};

// The forms in which a graph can leave the program, all of them texts.
static const NativeDef graph_methods[] = {
    {"text", "self, /", graph_text,
     "The printed form with every element of every constant."},
    {"call", "self, tensors, variables, /", graph_call,
     "Its results for lists of tensors and Variables."},
    {"whole", "self, name=None, /", graph_whole,
     "A copy in which calls are inlined, as it is saved."},
    {"dot", "self, /", graph_to_dot, "The graph in DOT, for Graphviz."},
    {"svg", "self, /", graph_to_svg, "The graph as an SVG picture."},
    {"boxes", "self, /", graph_to_boxes,
     "The printed form, each block in a box."},
    {"to_graphdef", "self, /", to_graphdef,
     "The graph as a TensorFlow GraphDef, in protobuf's text format."},
    {"graphdef_nodes", "self, /", graphdef_nodes,
     "The nodes of to_graphdef(), each as (name, op, inputs, text, name of "
     "its function or None)."},
    {NULL, NULL, NULL, NULL},
};

// graph(tensors and Variables)
static Value graph_invoke(Vm *vm, Value self, const Value *args, uint32_t count,
                          Tuple *keyword_names)
{
    if (keyword_names != NULL && keyword_names->count > 0) {
        return raise_error(vm, ERR_TYPE, "a graph takes no keyword arguments");
    }
    ValueVec given = {0};
    bool ok = structure_push(vm, &given, value_retain(self));
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = structure_push(vm, &given, value_retain(args[i]));
    }
    Value made = ok ? stage_block_call(vm, "call_graph", given.items, count + 1)
                    : VALUE_FAIL;
    structure_free(vm, &given);
    return made;
}

const TypeDef trace_owner_type_def = {
    .name = "Graph",
    .doc = "What a trace recorded: a sequence of tensor operations.",
    .kind = KIND_OPAQUE,
    .size = sizeof(TraceOwner),
    .flags = TYPE_FINAL | TYPE_TRACKED,
    .slots = {.destroy = owner_destroy,
              .clear = owner_clear,
              .call = graph_invoke,
              .repr = graph_str,
              .length = graph_length},
    .methods = graph_methods,
    .static_methods = graph_static_methods,
    .members = graph_members,
};

// --- nodes ---

// The method tables vouch for the type.
static NodeObject *node_of(Value self)
{
    return (NodeObject *)value_object(self);
}

// Given when first asked for, in order of creation.
static Value node_name(Vm *vm, Value self)
{
    const char *name =
        graph_node_name(node_of(self)->graph, node_of(self)->node);
    return name != NULL ? str_value_from(vm, name) : VALUE_FAIL;
}

// As the op table names it.
static Value node_op(Vm *vm, Value self)
{
    return str_value_from(vm, op_desc(node_of(self)->node->op)->name);
}

// How a value is named: its node ("split:1" for later outputs), or the
// parameter that it is.
static Value value_name(Vm *vm, Graph *graph, ValueId id)
{
    const GraphValue *value = graph_value(graph, id);
    // Params of loops may have no name of their own.
    if (value->node == NULL) {
        return str_value_from(vm, value->name != NULL ? value->name : "state");
    }
    const char *name = graph_node_name(graph, value->node);
    // The first output goes by the node's name alone.
    if (name == NULL || value->index == 0) {
        return name != NULL ? str_value_from(vm, name) : VALUE_FAIL;
    }
    return value_or_fail(str_printf(vm, "%s:%u", name, value->index));
}

// In the order of the operands.
static Value node_inputs(Vm *vm, Value self)
{
    const GraphNode *node = node_of(self)->node;
    List *list = list_new(vm, 0);
    bool ok = list != NULL;
    for (uint32_t i = 0; ok && i < node->input_count; i++) {
        Value name = value_name(vm, node_of(self)->graph, node->inputs[i]);
        ok = !value_failed(name) && list_append_owned(vm, list, name);
    }
    if (!ok) {
        object_release_null(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_from_object(list);
}

// Effects have no result and no dtype.
static Value node_dtype(Vm *vm, Value self)
{
    const NodeObject *object = node_of(self);
    if (object->node->output_count == 0) {
        return VALUE_NONE;
    }
    return value_or_fail(dtype_new(
        vm, dtype_element(
                graph_type(object->graph, object->node->first_output).dtype)));
}

// A tuple with None for unknown sizes.
static Value node_shape(Vm *vm, Value self)
{
    const NodeObject *object = node_of(self);
    if (object->node->output_count == 0) {
        return VALUE_NONE;
    }
    TensorType type = graph_type(object->graph, object->node->first_output);
    return shape_to_value(vm, type.rank, type.dims);
}

// None for graphs that were read from a text.
static Value node_line(Vm *vm, Value self)
{
    (void)vm;
    // A note of a parsed text is not read back.
    const GraphPlace *place = &node_of(self)->node->place;
    return place->source == NULL
               ? VALUE_NONE
               : value_from_small(
                     source_place(place->source, place->span.start).line);
}

// "<node add: int32[]>"
static Value node_repr(Vm *vm, Value self)
{
    const NodeObject *object = node_of(self);
    const char *name = graph_node_name(object->graph, object->node);
    if (name == NULL) {
        return VALUE_FAIL;
    }
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_printf(&out, "<node %s", name);
    for (uint32_t i = 0; i < object->node->output_count; i++) {
        strbuf_puts(&out, i == 0 ? ": " : ", ");
        tensor_type_print(
            &out, graph_type(object->graph, node_output(object->node, i)));
    }
    strbuf_putc(&out, '>');
    return value_or_fail(str_from_buf(vm, &out));
}

// The node itself belongs to the graph.
static void node_destroy(Vm *vm, Object *self)
{
    NodeObject *object = (NodeObject *)self;
    graph_release(&vm->ctx, object->graph);
    object_free(vm, object, sizeof *object);
}

// All but the name are those that the node had when it was traced.
static const MemberDef node_members[] = {
    {"name", node_name, NULL, "The node's name, unique in its graph."},
    {"op", node_op, NULL, "The name of its operation."},
    {"inputs", node_inputs, NULL, "The names of what it works on."},
    {"dtype", node_dtype, NULL, "Of its first result; None: it has none."},
    {"shape", node_shape, NULL, "Of its first result; None: none, or any."},
    {"line", node_line, NULL, "The line of the program that made it."},
    {NULL, NULL, NULL, NULL},
};

// Immutable, and made anew each time that a node is asked for.
const TypeDef graph_node_type_def = {
    .name = "Node",
    .doc = "One operation of a graph.",
    .kind = KIND_OPAQUE,
    .size = sizeof(NodeObject),
    .flags = TYPE_FINAL,
    .slots = {.destroy = node_destroy, .repr = node_repr},
    .members = node_members,
};
