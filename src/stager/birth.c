// Variables that are made in a trace.
//
// A Variable is state that exists once, while a graph runs many times. So a
// trace may make one only on the function's first call, something older must
// keep it, and its first value is computed at once, from the values of this
// very call, outside the graph.
#include "stager/birth.h"

#include "backend/exec.h"
#include "interp/core/cycles.h"
#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "stager/staged_fn.h"

// --- Whether it may be ---

// What "the function's first call" is about: each instance has its own.
static Value receiver(const TraceRequest *request)
{
    if (!value_is_kind(request->target, KIND_FUNCTION) ||
        request->bound->values.count == 0) {
        return VALUE_UNBOUND;
    }
    const Code *code = ((const Function *)value_object(request->target))->code;
    return code->flags & CODE_TAKES_SELF ? request->bound->values.items[0]
                                         : VALUE_UNBOUND;
}

// Whether the trace was made for other Variables than these.
static bool is_of_others(const Concrete *c, const Signature *signature)
{
    bool others = (c->looks & LOOKS_AT_IDENTITY) != 0;
    for (size_t i = 0; others && i < signature->variables.count; i++) {
        const Object *object =
            value_object(value_meant(signature->variables.items[i]));
        for (size_t k = 0; others && k < c->use_count; k++) {
            others = c->uses[k].identity->object != object;
        }
    }
    return others;
}

// For a method the question is asked of each instance: a class's staged method
// serves them all, and each has state of its own to make. So may have the
// Variables that traces look at.
static bool is_first_call(Vm *vm, const TraceRequest *request)
{
    Value own = receiver(request);
    const TraceTable *table = &request->staged->table;
    size_t variables = request->signature->variables.count;
    if (value_unbound(own) && variables == 0) {
        return request->staged->traced == 0;
    }
    size_t at = 0;
    for (const Concrete *c; (c = traces_next(table, &at)) != NULL;) {
        const Bound *bound = &c->bound;
        bool apart =
            bound->values.count > 0 && !value_unbound(own) &&
            !value_same(identity_value(vm, bound->values.items[0]), own);
        if (!apart && !is_of_others(c, request->signature)) {
            return false;
        }
    }
    return true;
}

// Refuses before anything is computed, so that a refused Variable draws no
// random numbers. An eager tensor or a Variable's value needs no graph at all.
static Tensor *first_value(Vm *vm, Value initial)
{
    Trace *trace = vm->trace;
    if (!is_first_call(vm, trace->request)) {
        return raise_null(vm, ERR_VALUE,
                          "Variable: %s makes a Variable in a trace that is "
                          "not its first; make it once, outside, or where "
                          "`if self.v is None` finds none",
                          trace->request->name->text);
    }
    if (value_is_tensor(initial)) {
        return object_retain(value_as_tensor(initial));
    }
    if (value_is_kind(initial, KIND_VARIABLE)) {
        return object_retain(variable_cell(value_as_variable(initial))->value);
    }
    // Of symbolic tensors, or of what a tensor can be made of.
    ValueId id = trace_operand(vm, trace, initial);
    if (id == VALUE_ID_NONE) {
        return NULL;
    }
    Tensor *value = birth_evaluate(vm, trace, id);
    if (value != NULL) {
        (void)tensor_adopt(vm, value);
    }
    return value;
}

Tensor *birth_first_value(Vm *vm, Value initial)
{
    Tensor *value = first_value(vm, initial);
    // Eager code makes it again and again.
    vm->trace->gave_up |= value == NULL;
    return value;
}

// The count that is taken here keeps the Variable alive until the trace ends,
// so that birth_close can tell whether anybody else did.
bool birth_made(Vm *vm, Variable *variable)
{
    Trace *trace = vm->trace != NULL ? vm->trace : vm->aside;
    Birth birth = {.variable = variable,
                   .site = trace_site(vm, trace),
                   .aside = vm->trace == NULL};
    Source *source;
    birth.line = trace_program_line(vm, &source);
    // Pushed before it is counted: on failure there is nothing to take back.
    if (birth.site == GRAPH_SITE_FAILED ||
        !vec_push(&vm->ctx, &trace->births, birth)) {
        return false;
    }
    (void)object_retain(variable);
    return true;
}

// --- Whether it is kept ---

// Arguments hold a Variable once for each place in which it stands.
static uint32_t count_in(const ValueVec *values, const Variable *variable)
{
    uint32_t count = 0;
    for (size_t i = 0; i < values->count; i++) {
        count += value_is_object(values->items[i]) &&
                 value_object(values->items[i]) == &variable->head;
    }
    return count;
}

// A graph holds one count on each Variable that it captured.
static uint32_t count_in_graph(const Graph *graph, const Variable *variable)
{
    uint32_t count = 0;
    for (size_t i = 0; i < graph->variables.count; i++) {
        count += graph->variables.items[i].owner == &variable->head;
    }
    return count;
}

// References that the staging itself holds: graphs, plans, concrete
// functions called from here, the list of births.
static uint32_t own_references(const Trace *trace, const Variable *variable)
{
    // The 1 is that of the list of births itself.
    uint32_t count = 1 + count_in_graph(trace->graph, variable);
    for (size_t i = 0; i < trace->called.count; i++) {
        const Concrete *callee = trace->called.items[i];
        count += count_in(&callee->bound.values, variable) +
                 count_in_graph(callee->graph, variable);
        // A plan may run a copy of the graph that passes have rewritten, which
        // counts its Variables again.
        if (callee->plan != NULL && plan_graph(callee->plan) != callee->graph) {
            count += count_in_graph(plan_graph(callee->plan), variable);
        }
    }
    return count;
}

// Counts are compared and not owners: whoever holds it, an attribute, a list, a
// closure, is as good as another. What the block of a stage.once() made and no
// graph uses is nobody's matter.
static bool is_kept(const Trace *trace, const Birth *birth)
{
    uint32_t own = own_references(trace, birth->variable);
    return birth->variable->head.rc > own || (birth->aside && own == 1);
}

// Names the line that made it.
static bool refuse_birth(Vm *vm, const Trace *trace, const Birth *birth)
{
    const Str *name = birth->variable->name;
    raise_error(vm, ERR_VALUE,
                "%s: the Variable%s%s%s made at line %u is kept by nothing "
                "outside, so each call would need a new one; make it once, "
                "outside, or keep it in an attribute",
                trace->request->name->text, name != NULL ? " '" : "",
                name != NULL ? name->text : "", name != NULL ? "'" : "",
                birth->line);
    trace_point(vm, trace->graph, birth->site);
    return false;
}

// A count beyond the staging's own means that the program keeps the Variable,
// once what only refers to itself is gone. It then belongs to the enclosing
// trace too, whose end asks again.
bool birth_close(Vm *vm, Trace *trace)
{
    if (trace->births.count > 0) {
        cycles_collect(vm, true);
    }
    for (size_t i = 0; i < trace->births.count; i++) {
        Birth *birth = &trace->births.items[i];
        if (!is_kept(trace, birth)) {
            return refuse_birth(vm, trace, birth);
        }
        if (trace->outer != NULL) {
            birth->site = 0; // of this trace's graph
            if (!vec_push(&vm->ctx, &trace->outer->births, *birth)) {
                return false;
            }
            (void)object_retain(birth->variable);
        }
    }
    return trace->draws.values.count == 0 || birth_drop_draws(vm, trace);
}

// Lets go of the Variables; those that the program keeps live on.
void births_free(Vm *vm, Births *births)
{
    for (size_t i = 0; i < births->count; i++) {
        object_release(&vm->ctx, births->items[i].variable);
    }
    vec_free(&vm->ctx, births);
}
