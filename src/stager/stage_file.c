// Graphs as bytes, and graphs that were read as functions.
#include "stager/stage_file.h"

#include "graph/build.h"
#include "graph/clone.h"
#include "graph/graph_file.h"
#include "graph/passes/pass.h"
#include "graph/rewrite.h"
#include "interp/core/memory.h"
#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_bytes.h"
#include "stager/graph_function.h"
#include "stager/trace.h"
#include "tape/tape.h"

enum { CONST_ELEMENTS = 16 }; // of a constant that stays in the text

static bool is_graph(Vm *vm, Value v)
{
    return value_is_object(v) &&
           value_object(v)->type == stager_of(vm)->graph_type;
}

// The caller has seen that it is one.
static Graph *graph_of(Value self)
{
    return ((TraceOwner *)value_object(self))->graph;
}

// Large constants become captures, whose elements stand in the file as bytes.
static bool capture_constants(Graph *graph)
{
    Rewrite rewrite = {.graph = graph};
    bool ok = true;
    for (Walk walk = walk_forward(graph->block); ok && walk_next(&walk);) {
        GraphNode *node = walk.node;
        rewrite_uses(&rewrite, &walk);
        if (node == NULL || node->op != OP_CONST ||
            node->tensor->count <= CONST_ELEMENTS) {
            continue;
        }
        ValueId value = graph_add_capture(graph, "constant", node->tensor);
        ok = value != VALUE_ID_NONE &&
             rewrite_value(&rewrite, node->first_output, value);
        build_unlink(graph, node);
    }
    rewrite_free(&rewrite);
    return ok;
}

// NULL leaves the graph's own.
static bool set_name(Graph *graph, const Str *name)
{
    graph->name = name == NULL
                      ? graph->name
                      : arena_strndup(&graph->arena, name->text, name->length);
    return graph->name != NULL;
}

Value graph_whole(Vm *vm, Value *args)
{
    Graph *copy = clone_graph(graph_of(args[0]));
    const Str *name = value_is_str(args[1]) ? value_as_str(args[1]) : NULL;
    Value object = copy != NULL && set_name(copy, name) && inline_run(copy) &&
                           capture_constants(copy)
                       ? stage_graph_new(vm, copy)
                       : VALUE_FAIL;
    graph_release(&vm->ctx, copy);
    return object;
}

Value graph_variables(Vm *vm, Value self)
{
    const Graph *graph = graph_of(self);
    List *list = list_new(vm, graph->variables.count);
    for (size_t i = 0; list != NULL && i < graph->variables.count; i++) {
        Object *owner = graph->variables.items[i].owner;
        list->items[i] = owner == NULL
                             ? VALUE_NONE
                             : value_from_object(object_retain(owner));
    }
    return value_or_fail(list);
}

// ---- calling

// What a call is given, by the graph's inputs and Variables.
typedef struct GraphCall {
    Graph *graph;
    const List *tensors, *variables;
} GraphCall;

static size_t argument_count(const Graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        count += graph->inputs.items[i].kind == INPUT_ARGUMENT;
    }
    return count;
}

static bool check_type(Vm *vm, const char *what, const char *name,
                       TensorType wanted, TensorType given)
{
    if (graph_type_covers(wanted, given)) {
        return true;
    }
    StrBuf text;
    strbuf_init(&text, &vm->ctx);
    strbuf_printf(&text, "%s '%s' is ", what, name);
    tensor_type_print(&text, wanted);
    strbuf_puts(&text, " in the graph, not ");
    tensor_type_print(&text, given);
    bool ok = strbuf_ok(&text) &&
              raise_false(vm, ERR_SIGNATURE, "%s", strbuf_text(&text));
    strbuf_free(&text);
    return ok;
}

// Captures have their tensors, and as many values are given as are taken.
static bool check_call(Vm *vm, const GraphCall *call)
{
    const Graph *graph = call->graph;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        const GraphInput *input = &graph->inputs.items[i];
        if (input->kind == INPUT_CAPTURE && input->capture == NULL) {
            return raise_false(vm, ERR_VALUE,
                               "the graph's capture '%s' has no tensor: it was "
                               "read from a text",
                               input->name);
        }
    }
    if (call->tensors->count != argument_count(graph)) {
        return raise_false(
            vm, ERR_TYPE, "the graph %s takes %zu tensors, and %zu are given",
            graph->name, argument_count(graph), call->tensors->count);
    }
    if (call->variables->count != graph->variables.count) {
        return raise_false(vm, ERR_TYPE,
                           "the graph %s takes %zu Variables, and %zu are "
                           "given",
                           graph->name, graph->variables.count,
                           call->variables->count);
    }
    for (size_t i = 0; i < call->variables->count; i++) {
        Value v = call->variables->items[i];
        const GraphVariable *own = &graph->variables.items[i];
        if (!value_is_kind(v, KIND_VARIABLE)) {
            return raise_false(vm, ERR_TYPE, "'%s' must be a Variable",
                               own->name);
        }
        if (!check_type(vm, "Variable", own->name, own->type,
                        operand_type(v))) {
            return false;
        }
    }
    return true;
}

// Takes the values.
static Value list_of(Vm *vm, Value *values, size_t count)
{
    List *list = list_new(vm, 0);
    bool ok = list != NULL;
    for (size_t i = 0; i < count; i++) {
        if (ok) {
            ok = list_append_owned(vm, list, values[i]);
        } else {
            value_release(&vm->ctx, values[i]);
        }
    }
    if (!ok && list != NULL) {
        object_release(&vm->ctx, list);
    }
    return ok ? value_from_object(list) : VALUE_FAIL;
}

static bool call_operands(Vm *vm, const GraphCall *call, ValueId *ids)
{
    Trace *trace = vm->trace;
    for (size_t i = 0, next = 0; i < call->graph->inputs.count; i++) {
        const GraphInput *input = &call->graph->inputs.items[i];
        if (input->kind != INPUT_ARGUMENT) {
            continue;
        }
        ids[next] = trace_operand(vm, trace, call->tensors->items[next]);
        if (ids[next] == VALUE_ID_NONE ||
            !check_type(vm, "argument", input->name,
                        graph_type(call->graph, input->value),
                        graph_type(trace->graph, ids[next]))) {
            return false;
        }
        next++;
    }
    return true;
}

static Value call_in_trace(Vm *vm, const GraphCall *call)
{
    Trace *trace = vm->trace;
    size_t variables = call->variables->count;
    size_t count = call->tensors->count;
    uint32_t results = call->graph->block->result_count;
    size_t size = (count + variables + 1) * sizeof(ValueId);
    size_t room = (results + 1) * sizeof(Value);
    ValueId *ids = ctx_alloc(&vm->ctx, size);
    Value *outputs = ctx_alloc(&vm->ctx, room);
    uint32_t *numbers = ids == NULL ? NULL : (uint32_t *)(ids + count);
    bool ok = outputs != NULL && ids != NULL && call_operands(vm, call, ids);
    for (size_t i = 0; ok && i < variables; i++) {
        Variable *variable = value_as_variable(call->variables->items[i]);
        ok = trace_variable(vm, trace, variable, &numbers[i]);
    }
    call->graph->exact = true;
    GraphNode *node =
        ok ? graph_append_call(trace->graph, trace->block, call->graph, ids,
                               (uint32_t)count, numbers, trace_place(vm))
           : NULL;
    bool made = node != NULL &&
                trace_outputs(vm, trace, node, call->graph->name, outputs);
    Value list = made ? list_of(vm, outputs, results) : VALUE_FAIL;
    ctx_free(&vm->ctx, ids, size);
    ctx_free(&vm->ctx, outputs, room);
    return list;
}

static bool check_operands(Vm *vm, const GraphCall *call)
{
    for (size_t i = 0, next = 0; i < call->graph->inputs.count; i++) {
        const GraphInput *input = &call->graph->inputs.items[i];
        if (input->kind != INPUT_ARGUMENT) {
            continue;
        }
        Value v = call->tensors->items[next++];
        if (!value_is_tensor(v)) {
            return raise_false(vm, ERR_TYPE, "argument '%s' must be a tensor",
                               input->name);
        }
        if (!check_type(vm, "argument", input->name,
                        graph_type(call->graph, input->value),
                        tensor_type(value_as_tensor(v)))) {
            return false;
        }
    }
    return true;
}

// With staging switched off: no plan is kept, and no tape can follow.
static Value call_now(Vm *vm, const GraphCall *call)
{
    if (recorder_active(vm)) {
        return raise_error(vm, ERR_VALUE,
                           "a Tape cannot follow the graph %s while staging is "
                           "switched off",
                           call->graph->name);
    }
    size_t variables = call->variables->count;
    size_t results = call->graph->block->result_count;
    size_t size = (variables + 1) * sizeof(VariableCell *);
    size_t room = (results + 1) * sizeof(Value);
    VariableCell **cells = ctx_alloc(&vm->ctx, size);
    Value *outputs = ctx_alloc(&vm->ctx, room), list = VALUE_FAIL;
    Plan *plan = NULL;
    for (size_t i = 0; cells != NULL && i < variables; i++) {
        cells[i] = variable_cell(value_as_variable(call->variables->items[i]));
    }
    if (cells != NULL && outputs != NULL && check_operands(vm, call) &&
        graph_function_run(vm, call->graph, &plan, call->tensors->items, cells,
                           outputs)) {
        list = list_of(vm, outputs, results);
    }
    plan_release(&vm->ctx, plan);
    ctx_free(&vm->ctx, cells, cells != NULL ? size : 0);
    ctx_free(&vm->ctx, outputs, outputs != NULL ? room : 0);
    return list;
}

Value graph_call(Vm *vm, Value *args)
{
    if (!value_is_kind(args[1], KIND_LIST) ||
        !value_is_kind(args[2], KIND_LIST)) {
        return raise_error(vm, ERR_TYPE,
                           "Graph.call: tensors and Variables come in lists");
    }
    GraphCall call = {.graph = graph_of(args[0]),
                      .tensors = value_as_list(args[1]),
                      .variables = value_as_list(args[2])};
    if (!check_call(vm, &call)) {
        return VALUE_FAIL;
    }
    return vm->trace != NULL ? call_in_trace(vm, &call) : call_now(vm, &call);
}

// ---- bytes

// A list's numbers, one for each Variable of a graph. NULL with an error
// pending.
static uint32_t *numbers_of(Vm *vm, Value list, const Graph *graph,
                            size_t limit)
{
    size_t count = graph->variables.count;
    if (!value_is_kind(list, KIND_LIST) ||
        value_as_list(list)->count != count) {
        return raise_null(vm, ERR_TYPE, "Graph.pack: a number a Variable");
    }
    uint32_t *numbers = ctx_alloc(&vm->ctx, (count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        int64_t number;
        bool ok = value_to_index(vm, value_as_list(list)->items[i], &number);
        if (!ok || number < 0 || (size_t)number >= limit) {
            ctx_free(&vm->ctx, numbers, (count + 1) * sizeof *numbers);
            return ok ? raise_null(vm, ERR_VALUE, "Graph.pack: no Variable")
                      : NULL;
        }
        numbers[i] = (uint32_t)number;
    }
    return numbers;
}

static bool take_graphs(Vm *vm, const List *graphs, const List *numbers,
                        GraphFile *file)
{
    for (size_t i = 0; i < graphs->count; i++) {
        if (!is_graph(vm, graphs->items[i])) {
            return raise_false(vm, ERR_TYPE, "Graph.pack: not a Graph");
        }
        GraphPart *part = &file->graphs[i];
        part->graph = graph_of(graphs->items[i]);
        part->variables = numbers_of(vm, numbers->items[i], part->graph,
                                     file->variable_count);
        if (part->variables == NULL) {
            return false;
        }
        file->graph_count++;
    }
    return true;
}

static bool take_values(Vm *vm, const List *values, GraphFile *file)
{
    for (size_t i = 0; i < values->count; i++) {
        if (!value_is_tensor(values->items[i])) {
            return raise_false(vm, ERR_TYPE, "Graph.pack: not a tensor");
        }
        file->variables[i] = value_as_tensor(values->items[i]);
    }
    return true;
}

Value graph_pack(Vm *vm, Value *args)
{
    for (int i = 0; i < 3; i++) {
        if (!value_is_kind(args[i], KIND_LIST)) {
            return raise_error(vm, ERR_TYPE, "Graph.pack: needs lists");
        }
    }
    const List *graphs = value_as_list(args[0]);
    const List *numbers = value_as_list(args[1]);
    const List *values = value_as_list(args[2]);
    if (numbers->count != graphs->count || !value_is_str(args[3])) {
        return raise_error(vm, ERR_TYPE, "Graph.pack: numbers and a note");
    }
    size_t graph_room = (graphs->count + 1) * sizeof(GraphPart);
    size_t value_room = (values->count + 1) * sizeof(Tensor *);
    GraphFile file = {.note = value_as_str(args[3])->text,
                      .note_length = value_as_str(args[3])->length,
                      .variable_count = values->count,
                      .graphs = ctx_alloc_zero(&vm->ctx, graph_room),
                      .variables = ctx_alloc_zero(&vm->ctx, value_room)};
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    Value bytes = VALUE_FAIL;
    if (file.graphs != NULL && file.variables != NULL &&
        take_values(vm, values, &file) &&
        take_graphs(vm, graphs, numbers, &file) &&
        graph_file_write(&out, &file)) {
        bytes = bytes_value(vm, strbuf_text(&out), out.length);
    }
    strbuf_free(&out);
    for (size_t i = 0; i < file.graph_count; i++) {
        size_t count = file.graphs[i].graph->variables.count;
        ctx_free(&vm->ctx, file.graphs[i].variables,
                 (count + 1) * sizeof(uint32_t));
    }
    ctx_free(&vm->ctx, file.graphs, graph_room);
    ctx_free(&vm->ctx, file.variables, value_room);
    return bytes;
}

// (graph, [a number a Variable])
static Value part_value(Vm *vm, const GraphPart *part)
{
    ValueVec items = {0};
    size_t count = part->graph->variables.count;
    List *numbers = list_new(vm, count);
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        numbers->items[i] = value_from_small((int)part->variables[i]);
    }
    Tuple *pair = NULL;
    if (structure_push(vm, &items, stage_graph_new(vm, part->graph)) &&
        structure_push(vm, &items, value_or_fail(numbers))) {
        pair = tuple_from(vm, items.items, items.count);
    }
    structure_free(vm, &items);
    return value_or_fail(pair);
}

static Value file_value(Vm *vm, const GraphFile *file)
{
    ValueVec items = {0};
    List *values = list_new(vm, 0), *graphs = list_new(vm, 0);
    bool ok = values != NULL && graphs != NULL;
    for (size_t i = 0; ok && i < file->variable_count; i++) {
        ok = list_append_owned(
            vm, values, tensor_adopt(vm, object_retain(file->variables[i])));
    }
    for (size_t i = 0; ok && i < file->graph_count; i++) {
        Value part = part_value(vm, &file->graphs[i]);
        ok = !value_failed(part) && list_append_owned(vm, graphs, part);
    }
    Str *note = ok ? str_new(vm, file->note, file->note_length) : NULL;
    ok = structure_push(vm, &items, value_or_fail(note));
    ok &= structure_push(vm, &items, value_or_fail(values));
    ok &= structure_push(vm, &items, value_or_fail(graphs));
    Tuple *tuple = ok ? tuple_from(vm, items.items, items.count) : NULL;
    structure_free(vm, &items);
    return value_or_fail(tuple);
}

Value graph_unpack(Vm *vm, Value *args)
{
    GraphFile file;
    if (!value_is_kind(args[0], KIND_BYTES)) {
        return raise_error(vm, ERR_TYPE, "Graph.unpack: needs bytes");
    }
    if (!graph_file_read(&vm->ctx, bytes_text(args[0]), bytes_length(args[0]),
                         &file)) {
        return VALUE_FAIL;
    }
    Value result = file_value(vm, &file);
    graph_file_free(&vm->ctx, &file);
    return result;
}
