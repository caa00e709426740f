// Making a trace, and running it.
//
// Invariant: a Concrete exists only when its trace, its graph and its plan
// are complete; whatever fails on the way leaves nothing behind.
#include "stager/concrete.h"

#include <stdio.h>

#include "interp/obj_exception.h"
#include "interp/protocol.h"
#include "stager/trace.h"

typedef struct Rebuild {
    Trace *trace;
    const Signature *signature;
    size_t next; // of the signature's tensors
} Rebuild;

// A tensor argument becomes an input of the graph.
static Value symbolic_leaf(Vm *vm, Value v, void *data)
{
    Rebuild *rebuild = data;
    if (!value_is_leaf_tensor(vm, v)) {
        return value_retain(v);
    }
    size_t i = rebuild->next++;
    const char *name = value_as_str(rebuild->signature->names.items[i])->text;
    ValueId id = graph_add_input(
        rebuild->trace->graph, name,
        operand_type(rebuild->signature->tensors.items[i]));
    return id != VALUE_ID_NONE ? trace_symbolic(vm, rebuild->trace, id, name)
                               : VALUE_FAIL;
}

typedef VEC(ValueId) IdVec;
typedef struct Pack {
    Trace *trace;
    IdVec ids; // of the outputs
} Pack;

static Value pack_leaf(Vm *vm, Value v, void *data)
{
    Pack *pack = data;
    Value leaf = value_is_kind(v, KIND_VARIABLE)
                     ? variable_read(vm, value_as_variable(v))
                     : value_retain(v);
    if (!value_is_kind(leaf, KIND_SYMBOLIC)) {
        return leaf;
    }
    ValueId id = trace_operand(vm, pack->trace, leaf);
    if (id == VALUE_ID_NONE || !vec_push(&vm->ctx, &pack->ids, id)) {
        release(vm, leaf);
        return VALUE_FAIL;
    }
    return leaf;
}

static bool set_outputs(Vm *vm, Trace *trace, Concrete *concrete, Value value)
{
    Pack pack = {.trace = trace};
    concrete->result = value_map(vm, value, pack_leaf, &pack);
    bool ok = !value_failed(concrete->result) &&
              graph_block_results(trace->graph, trace->block, pack.ids.items,
                                  (uint32_t)pack.ids.count);
    vec_free(&vm->ctx, &pack.ids);
    return ok;
}

// Calls the function inside the trace.
static bool call_host(Vm *vm, Trace *trace, Value host, const Bound *bound,
                      const Signature *signature, Concrete *concrete)
{
    Rebuild rebuild = {trace, signature, 0};
    Bound symbolic;
    if (!bound_map(vm, bound, symbolic_leaf, &rebuild, &symbolic)) {
        return false;
    }
    Value value = vm_call_keywords(vm, host, symbolic.values.items,
                                   (uint32_t)symbolic.values.count,
                                   symbolic.names);
    bool ok = !value_failed(value) &&
              set_outputs(vm, trace, concrete, value);
    release(vm, value);
    bound_free(vm, &symbolic);
    return ok;
}

static bool run_trace(Vm *vm, Value host, const Bound *bound,
                      const Signature *signature, Concrete *concrete)
{
    Stager *stager = stager_of(vm);
    TraceOwner *owner = object_new(vm, stager->graph_type, sizeof *owner);
    if (owner == NULL) {
        return false;
    }
    owner->graph = graph_retain(concrete->graph);
    Trace trace = {&owner->head, concrete->graph, concrete->graph->block,
                   vm->trace};
    uint16_t birth = vm->ctx.birth;
    stager->serial++;
    stager->serial += stager->serial == 0; // 0 means outside
    vm->trace = &trace;
    vm->ctx.birth = stager->serial;
    bool ok = call_host(vm, &trace, host, bound, signature, concrete);
    vm->trace = trace.outer;
    vm->ctx.birth = birth;
    object_release(&vm->ctx, owner);
    return ok;
}

// Which of the graph's Variables the caller hands over.
static bool find_cells(Vm *vm, Concrete *concrete, const Signature *signature)
{
    Graph *graph = concrete->graph;
    size_t count = graph->variables.count;
    concrete->cells = ctx_alloc(&vm->ctx, (count + 1) * sizeof(uint32_t));
    if (concrete->cells == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        concrete->cells[i] = CONCRETE_CAPTURED;
        for (size_t j = 0; j < signature->variables.count; j++) {
            Variable *own = value_as_variable(signature->variables.items[j]);
            if (graph->variables.items[i].cell == &own->cell) {
                concrete->cells[i] = (uint32_t)j;
            }
        }
    }
    return true;
}

// Adds "while tracing f (trace 2)" to the pending error.
static void add_note(Vm *vm, const Str *name, size_t number)
{
    Value error = raise_take(vm);
    Exception *exception = value_as_exception(error);
    Str *text =
        str_printf(vm, "while tracing %s (trace %zu)", name->text, number);
    if (text != NULL && value_unbound(exception->notes)) {
        List *list = list_new(vm, 0);
        if (list != NULL) {
            exception->notes = value_from_object(list);
        }
    }
    if (text == NULL || !value_is_kind(exception->notes, KIND_LIST) ||
        !list_append(vm, value_as_list(exception->notes), str_value(text))) {
        raise_clear(vm); // the error itself matters more
    }
    object_release_null(&vm->ctx, text);
    vm->exception = error;
}

static bool keep_objects(Vm *vm, Concrete *concrete,
                         const Signature *signature)
{
    for (size_t i = 0; i < signature->objects.count; i++) {
        Value object = signature->objects.items[i];
        if (!vec_push(&vm->ctx, &concrete->objects, object)) {
            return false;
        }
        (void)value_retain(object);
    }
    return true;
}

Concrete *concrete_new(Vm *vm, Value host, Str *name, const Bound *bound,
                       const Signature *signature, size_t number)
{
    Stager *stager = stager_of(vm);
    Concrete *self = object_new(vm, stager->concrete_type, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    Object head = self->head;
    *self = (Concrete){.head = head,
                       .result = VALUE_NONE,
                       .name = object_retain(name),
                       .graph = graph_new(&vm->ctx, name->text)};
    if (stager->log) {
        fprintf(stderr, "stage: tracing %s (trace %zu)\n", name->text,
                number);
    }
    if (self->graph != NULL &&
        run_trace(vm, host, bound, signature, self) &&
        find_cells(vm, self, signature) &&
        keep_objects(vm, self, signature)) {
        self->plan = plan_build(&vm->ctx, self->graph, &stager->options);
    }
    if (self->plan == NULL) {
        add_note(vm, name, number);
        object_release(&vm->ctx, self);
        return NULL;
    }
    return self;
}

typedef struct Unpack {
    Tensor **outputs;
    size_t next;
} Unpack;

static Value unpack_leaf(Vm *vm, Value v, void *data)
{
    Unpack *unpack = data;
    if (!value_is_kind(v, KIND_SYMBOLIC)) {
        return value_retain(v);
    }
    Tensor *tensor = unpack->outputs[unpack->next++];
    return tensor_adopt(vm, object_retain(tensor));
}

static bool run_plan(Vm *vm, Concrete *concrete, const Signature *signature,
                     Tensor **tensors, Tensor **outputs,
                     VariableCell **cells)
{
    for (size_t i = 0; i < signature->tensors.count; i++) {
        tensors[i] = value_as_tensor(signature->tensors.items[i]);
    }
    for (size_t i = 0; i < concrete->graph->variables.count; i++) {
        uint32_t index = concrete->cells[i];
        cells[i] = index == CONCRETE_CAPTURED
                       ? NULL
                       : &value_as_variable(
                              signature->variables.items[index])->cell;
    }
    PlanArgs args = {.inputs = tensors,
                     .variables = cells,
                     .host = &stage_print_table,
                     .host_data = vm};
    return plan_run(&vm->ctx, concrete->plan, &args, outputs);
}

Value concrete_run(Vm *vm, Concrete *concrete, const Signature *signature)
{
    size_t inputs = signature->tensors.count;
    size_t count = concrete->graph->block->result_count;
    size_t total = inputs + count + concrete->graph->variables.count + 1;
    void **room = ctx_alloc_zero(&vm->ctx, total * sizeof *room);
    if (room == NULL) {
        return VALUE_FAIL;
    }
    Tensor **outputs = (Tensor **)room + inputs;
    Value result = VALUE_FAIL;
    if (run_plan(vm, concrete, signature, (Tensor **)room, outputs,
                 (VariableCell **)(outputs + count))) {
        concrete->hits++;
        Unpack unpack = {outputs, 0};
        result = value_map(vm, concrete->result, unpack_leaf, &unpack);
        for (size_t i = 0; i < count; i++) {
            object_release(&vm->ctx, outputs[i]);
        }
    }
    ctx_free(&vm->ctx, room, total * sizeof *room);
    return result;
}

static void concrete_destroy(Vm *vm, Object *object)
{
    Concrete *self = (Concrete *)object;
    Ctx *ctx = &vm->ctx;
    release(vm, self->result);
    plan_release(ctx, self->plan);
    if (self->cells != NULL) {
        ctx_free(ctx, self->cells,
                 (self->graph->variables.count + 1) * sizeof(uint32_t));
    }
    graph_release(ctx, self->graph);
    object_release(ctx, self->name);
    value_vec_free(vm, &self->objects);
    object_free(vm, self, sizeof *self);
}

static Value concrete_graph(Vm *vm, Value self)
{
    const Concrete *concrete = (const Concrete *)value_object(self);
    TraceOwner *owner =
        object_new(vm, stager_of(vm)->graph_type, sizeof *owner);
    if (owner == NULL) {
        return VALUE_FAIL;
    }
    owner->graph = graph_retain(concrete->graph);
    return value_from_object(owner);
}

// "f(a: string[])"
static Value concrete_repr(Vm *vm, Value self)
{
    const Concrete *concrete = (const Concrete *)value_object(self);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_printf(&out, "%s(", concrete->name->text);
    const char *comma = "";
    for (size_t i = 0; i < concrete->graph->inputs.count; i++) {
        const GraphInput *input = &concrete->graph->inputs.items[i];
        if (input->kind == INPUT_ARGUMENT) {
            strbuf_printf(&out, "%s%s: ", comma, input->name);
            tensor_type_print(&out, graph_type(concrete->graph,
                                               input->value));
            comma = ", ";
        }
    }
    strbuf_putc(&out, ')');
    Str *text = str_from_buf(vm, &out);
    return text != NULL ? str_value(text) : VALUE_FAIL;
}

static const MemberDef concrete_members[] = {
    {"graph", concrete_graph, NULL, "The graph of the trace."},
    {NULL, NULL, NULL, NULL},
};

const TypeDef concrete_type_def = {
    .name = "ConcreteFunction",
    .doc = "One trace of a staged function.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Concrete),
    .flags = TYPE_FINAL,
    .slots = {.destroy = concrete_destroy, .repr = concrete_repr},
    .members = concrete_members,
};
