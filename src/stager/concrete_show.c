// What a concrete function shows: its text and its members.
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/concrete.h"
#include "stager/either.h"
#include "stager/stage_graph.h"

// A tree with the specs of its tensors, for people: "[int32[], 3]".
// False: an error is pending.
static bool print_tree(Vm *vm, StrBuf *out, Value v)
{
    if (value_is_kind(v, KIND_SPEC) || value_is_kind(v, KIND_SYMBOLIC)) {
        tensor_type_print(out, signature_leaf_type(v));
        return true;
    }
    Str *text = value_repr(vm, v);
    if (text == NULL) {
        return false;
    }
    strbuf_puts(out, text->text);
    object_release(&vm->ctx, text);
    return true;
}

// What is symbolic in a stored result is a spec to the outside.
static Value spec_of_leaf(Vm *vm, Value v, void *data)
{
    (void)data;
    if (!value_is_kind(v, KIND_SYMBOLIC)) {
        return value_retain(v);
    }
    return value_or_fail(spec_new(vm, operand_type(v), NULL));
}

// "a: string[]" or "b=2": what holds a tensor prints with its type.
// False: an error is pending.
static bool print_argument(Vm *vm, StrBuf *out, const Concrete *self, size_t i)
{
    // Borrowed from the bound arguments.
    Value v = self->bound.values.items[i];
    // bound_name knows the names of *args and **kwargs too.
    strbuf_printf(out, "%s%s%s", i > 0 ? ", " : "",
                  bound_name(self->target, &self->bound, i),
                  bound_holds_spec(vm, v) ? ": " : "=");
    return !vm_has_error(vm) && print_tree(vm, out, v);
}

// The result's own structure, as a caller gets it.
static Value concrete_outputs(Vm *vm, Value self)
{
    return structure_map(vm, ((Concrete *)value_object(self))->result,
                         spec_of_leaf, NULL);
}

// The same for a file: a tensor that is a text to the caller is `str`.
static Value layout_of_leaf(Vm *vm, Value v, void *data)
{
    return symbolic_is_text(v)
               ? value_retain(value_from_object(vm->types[KIND_STR]))
               : spec_of_leaf(vm, v, data);
}

static Value concrete_layout(Vm *vm, Value self)
{
    return structure_map(vm, ((Concrete *)value_object(self))->result,
                         layout_of_leaf, NULL);
}

// "string[]", or "string[] or None" where each call chooses.
static bool print_result(Vm *vm, StrBuf *out, Value result)
{
    if (!either_is(vm, result)) {
        return print_tree(vm, out, result);
    }
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    const Value *parts = either_parts(result);
    bool ok = print_result(vm, out, parts[0]);
    strbuf_puts(out, " or ");
    ok = ok && print_result(vm, out, parts[1]);
    ctx_leave(&vm->ctx);
    return ok;
}

// "f(a: string[], b=2) -> string[]"
static Value concrete_repr(Vm *vm, Value value)
{
    const Concrete *self = (const Concrete *)value_object(value);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_printf(&out, "%s(", self->name->text);
    bool ok = true;
    for (size_t i = 0; ok && i < self->bound.values.count; i++) {
        ok = print_argument(vm, &out, self, i);
    }
    strbuf_puts(&out, ") -> ");
    // Its repr prints specs inside of structures by themselves.
    Value outputs = ok ? concrete_outputs(vm, value) : VALUE_FAIL;
    // A failed one releases to nothing.
    ok = !value_failed(outputs) && print_result(vm, &out, outputs);
    release(vm, outputs);
    Str *text = ok ? str_from_buf(vm, &out) : NULL;
    if (!ok) {
        strbuf_free(&out);
    }
    return value_or_fail(text);
}

// A tuple of what the vector owns, which is freed.
// Owned; `ok` false passes an error on that is pending.
static Value tuple_of(Vm *vm, ValueVec *items, bool ok)
{
    Tuple *tuple = ok ? tuple_from(vm, items->items, items->count) : NULL;
    structure_free(vm, items);
    return value_or_fail(tuple);
}

// A spec that carries the name of the graph's input.
// Owned. An output has no name.
static Value spec_value(Vm *vm, TensorType type, const char *name)
{
    Str *text = name != NULL ? str_from(vm, name) : NULL;
    if (name != NULL && text == NULL) {
        return VALUE_FAIL;
    }
    Spec *spec = spec_new(vm, type, text);
    // The spec has a count of its own.
    object_release_null(&vm->ctx, text);
    return value_or_fail(spec);
}

// Captures are inputs of the graph too, but no arguments.
static Value concrete_inputs(Vm *vm, Value value)
{
    const Graph *graph = ((Concrete *)value_object(value))->graph;
    ValueVec specs = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < graph->inputs.count; i++) {
        const GraphInput *input = &graph->inputs.items[i];
        if (input->kind == INPUT_ARGUMENT) {
            ok = structure_push(
                vm, &specs,
                spec_value(vm, graph_type(graph, input->value), input->name));
        }
    }
    return tuple_of(vm, &specs, ok);
}

// The tensors alone, as the graph yields them.
// Owned. A tensor that stands twice in the result is there twice.
static Value concrete_flat_outputs(Vm *vm, Value value)
{
    const Graph *graph = ((Concrete *)value_object(value))->graph;
    ValueVec specs = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < graph->block->result_count; i++) {
        ok = structure_push(
            vm, &specs,
            spec_value(vm, graph_type(graph, graph->block->results[i]), NULL));
    }
    return tuple_of(vm, &specs, ok);
}

// Tensors and Variables from outside, in the order in which they were met.
static Value concrete_captures(Vm *vm, Value value)
{
    const Concrete *self = (const Concrete *)value_object(value);
    const Graph *graph = self->graph;
    ValueVec found = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < graph->inputs.count; i++) {
        // Symbolic tensors of an enclosing trace came in as arguments of the
        // graph, and are not among these.
        if (graph->inputs.items[i].capture != NULL) {
            // The very tensor, not a copy.
            Tensor *tensor = graph->inputs.items[i].capture;
            ok = structure_push(vm, &found,
                                value_from_object(object_retain(tensor)));
        }
    }
    // A Variable that came as an argument is no capture, and a state of the
    // graph without owner is none that a program could name.
    for (size_t i = 0; ok && i < graph->variables.count; i++) {
        Object *owner = graph->variables.items[i].owner;
        if (owner != NULL) {
            ok = structure_push(vm, &found,
                                value_from_object(object_retain(owner)));
        }
    }
    return tuple_of(vm, &found, ok);
}

// The extra positional arguments, [from, to) of the bound ones, as a tuple.
static Value extra_arguments(Vm *vm, const Concrete *self, size_t from,
                             size_t to)
{
    Tuple *tuple = tuple_from(vm, self->bound.values.items + from, to - from);
    if (tuple == NULL) {
        return VALUE_FAIL;
    }
    Value extra = value_from_object(tuple);
    Value result = structure_map(vm, extra, identity_leaf, NULL);
    release(vm, extra);
    return result;
}

// How many positional parameters stand before *args.
static size_t plain_parameters(const Concrete *self)
{
    return value_is_kind(self->target, KIND_FUNCTION)
               ? ((const Function *)value_object(self->target))
                     ->code->positional_count
               : SIZE_MAX;
}

// Takes the value. Names are interned, as a dict of names wants them.
// False: an error is pending.
static bool add_argument(Vm *vm, const Concrete *self, size_t i, Value owned,
                         Dict *dict)
{
    const char *name = bound_name(self->target, &self->bound, i);
    Str *key = str_intern(vm, name, strlen(name));
    bool ok = key != NULL && !value_failed(owned) &&
              dict_set_name(vm, dict, key, owned);
    object_release_null(&vm->ctx, key);
    release(vm, owned);
    return ok;
}

// {parameter: what it was traced with, specs for tensors}, in order; *args as
// a tuple, the items of **kwargs by their own names.
// Owned: a new dict each time.
static Value concrete_signature(Vm *vm, Value value)
{
    const Concrete *self = (const Concrete *)value_object(value);
    // Values in [plain, positional) are what *args collected.
    size_t positional = bound_positional(&self->bound);
    // A target that is no function has no *args.
    size_t plain = plain_parameters(self);
    Dict *dict = dict_new(vm);
    bool ok = dict != NULL;
    for (size_t i = 0; ok && i < self->bound.values.count; i++) {
        // The first of *args stands for all of them; i then jumps behind them.
        bool extra = i >= plain && i < positional;
        ok = add_argument(vm, self, i,
                          extra ? extra_arguments(vm, self, i, positional)
                                : structure_map(vm, self->bound.values.items[i],
                                                identity_leaf, NULL),
                          dict);
        i = extra ? positional - 1 : i;
    }
    if (!ok) {
        object_release_null(&vm->ctx, dict);
        return VALUE_FAIL;
    }
    return value_from_object(dict);
}

// The parameter that stands for all of *args; None: nothing was given for it.
static Value concrete_star(Vm *vm, Value value)
{
    const Concrete *self = (const Concrete *)value_object(value);
    size_t plain = plain_parameters(self);
    if (plain >= bound_positional(&self->bound)) {
        return VALUE_NONE;
    }
    const char *name = bound_name(self->target, &self->bound, plain);
    return value_or_fail(str_new(vm, name, strlen(name)));
}

// The graph as it was traced, before any pass.
// The graph itself is shared, not copied.
static Value concrete_graph(Vm *vm, Value self)
{
    return stage_graph_new(vm, ((Concrete *)value_object(self))->graph);
}

// The name is the staged function's: a trace has none of its own.
static Value concrete_name(Vm *vm, Value self)
{
    (void)vm;
    return str_value(object_retain(((Concrete *)value_object(self))->name));
}

// Calls inside traces count as well as runs.
static Value concrete_hits(Vm *vm, Value self)
{
    (void)vm;
    return value_from_small((int64_t)((Concrete *)value_object(self))->hits);
}

// All of them are computed when they are asked for.
static const MemberDef concrete_members[] = {
    {"graph", concrete_graph, NULL, "The graph of the trace."},
    {"inputs", concrete_inputs, NULL,
     "A spec for each tensor argument, in the graph's order."},
    {"outputs", concrete_flat_outputs, NULL,
     "A spec for each tensor of the result, in the graph's order."},
    {"captures", concrete_captures, NULL,
     "The tensors and Variables that it takes from outside."},
    {"signature", concrete_signature, NULL,
     "A dict of the parameters: specs for tensors, traced values for others."},
    {"star", concrete_star, NULL,
     "The parameter that takes *args, None if there are none of them."},
    {"_layout", concrete_layout, NULL, "The same for _graph_file."},
    {"structured_outputs", concrete_outputs, NULL,
     "The result's structure, with specs where tensors are."},
    {"hits", concrete_hits, NULL, "How often it was run."},
    {"times", concrete_times, NULL,
     "Seconds that it took to trace, to optimise and to compile."},
    {"counts", concrete_counts, NULL,
     "A dict: number, line of the call, nodes, kept nodes, steps, effects, "
     "frozen reads."},
    {"optimised", concrete_optimised, NULL, "The graph after all passes."},
    {"plan", concrete_plan, NULL, "The steps that run, as text."},
    {"passes", concrete_passes, NULL,
     "Rows (pass, text of the graph after it, nodes); the first is the trace "
     "itself."},
    {"profile", concrete_profile, concrete_set_profile,
     "Rows (ops, runs, seconds, places) since it was set to True; None: it is "
     "not measured."},
    {"__name__", concrete_name, NULL, "The staged function's name."},
    {NULL, NULL, NULL, NULL},
};

// Right for a half-made one too: whatever is missing is NULL, NONE or empty.
static void concrete_destroy(Vm *vm, Object *object)
{
    Concrete *self = (Concrete *)object;
    plan_release(&vm->ctx, self->plan);
    plan_release(&vm->ctx, self->checked);
    object_release_null(&vm->ctx, self->function);
    graph_release(&vm->ctx, self->graph);
    vec_free(&vm->ctx, &self->layout);
    release(vm, self->result);
    release(vm, self->ends);
    structure_free(vm, &self->written.copies);
    structure_free(vm, &self->written.contents);
    release(vm, self->target);
    object_release(&vm->ctx, self->name);
    bound_free(vm, &self->bound);
    strbuf_free(&self->key);
    strbuf_free(&self->relaxed);
    strbuf_free(&self->looked);
    for (size_t i = 0; i < self->use_count; i++) {
        object_release(&vm->ctx, self->uses[i].identity);
    }
    ctx_free(&vm->ctx, self->uses, self->use_count * sizeof *self->uses);
    structure_free(vm, &self->outer);
    object_release_null(&vm->ctx, self->owner);
    frozen_free(vm, &self->frozen);
    object_free(vm, self, sizeof *self);
}

// The key holds what it knows by address, the result whatever the function
// returned beside tensors: both may lead back to the staged function.
static void concrete_visit(Object *object, void (*visit)(Object *, void *),
                           void *data)
{
    Concrete *self = (Concrete *)object;
    const ValueVec *owned[] = {&self->bound.values, &self->outer,
                               &self->written.copies, &self->written.contents};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
        values_visit(owned[i]->items, owned[i]->count, visit, data);
    }
    values_visit(&self->result, 1, visit, data);
    values_visit(&self->ends, 1, visit, data);
    values_visit(&self->target, 1, visit, data);
}

// The collector's: what can close a cycle goes, the graph stays valid.
static void concrete_clear(Vm *vm, Object *object)
{
    Concrete *self = (Concrete *)object;
    vec_free(&vm->ctx, &self->layout); // borrows from the result
    value_replace(&vm->ctx, &self->result, VALUE_NONE);
    value_replace(&vm->ctx, &self->ends, VALUE_NONE);
    value_replace(&vm->ctx, &self->target, VALUE_NONE);
    // The graph may hold functions that host_call calls; the log's owner and
    // what tapes have been given hold the graph. Taken out first: what dies may
    // come here again.
    Plan *plan = self->plan, *checked = self->checked;
    Graph *graph = self->graph;
    TraceOwner *owner = self->owner;
    GraphFunction *function = self->function;
    self->plan = self->checked = NULL;
    self->graph = NULL;
    self->owner = NULL;
    self->function = NULL;
    plan_release(&vm->ctx, plan);
    plan_release(&vm->ctx, checked);
    graph_release(&vm->ctx, graph);
    object_release_null(&vm->ctx, owner);
    object_release_null(&vm->ctx, function);
}

// Tracked by the collector: a concrete function may hold its own staged
// function through what it was traced with.
const TypeDef concrete_type_def = {
    .name = "ConcreteFunction",
    .doc = "One trace of a staged function.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Concrete),
    .flags = TYPE_FINAL | TYPE_TRACKED,
    .slots = {.destroy = concrete_destroy,
              .visit = concrete_visit,
              .clear = concrete_clear,
              .repr = concrete_repr,
              .call = concrete_call},
    .members = concrete_members,
};
