// What people ask of a trace beside its graph: how long it took to make, what
// the passes did, how it runs, where its time goes.
#include "backend/profile.h"
#include "graph/clone.h"
#include "graph/graph_text.h"
#include "graph/passes/pass.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/concrete.h"
#include "stager/stage_graph.h"

// The members table vouches for the type.
static Concrete *concrete_of(Value self)
{
    return (Concrete *)value_object(self);
}

// The collector may have taken graph and plan from a trace in a dead cycle.
static Concrete *whole_of(Vm *vm, Value self)
{
    Concrete *concrete = concrete_of(self);
    return concrete->plan != NULL
               ? concrete
               : raise_null(vm, ERR_RUNTIME, "the trace has been given up");
}

// As time.perf_counter counts.
static Value seconds_value(Vm *vm, uint64_t nanoseconds)
{
    return float_new(vm, (double)nanoseconds / 1e9);
}

// Measured when the trace was made; a callee's own plan counts as compiling.
Value concrete_times(Vm *vm, Value self)
{
    const Concrete *concrete = whole_of(vm, self);
    if (concrete == NULL) {
        return VALUE_FAIL;
    }
    // All three are nanoseconds inside, and seconds to a program.
    uint64_t optimise, compile;
    plan_times(concrete->plan, &optimise, &compile);
    Value row[] = {seconds_value(vm, concrete->trace_ns),
                   seconds_value(vm, optimise), seconds_value(vm, compile)};
    return tuple_of_owned(vm, row, 3);
}

// False with an error pending.
static bool add_count(Vm *vm, Dict *dict, const char *name, size_t count)
{
    Str *key = str_intern(vm, name, strlen(name));
    bool ok = key != NULL &&
              dict_set_name(vm, dict, key, value_from_small((int64_t)count));
    object_release_null(&vm->ctx, key);
    return ok;
}

// A dict, so that a further count breaks no program.
Value concrete_counts(Vm *vm, Value self)
{
    const Concrete *concrete = whole_of(vm, self);
    Dict *dict = concrete != NULL ? dict_new(vm) : NULL;
    if (dict == NULL) {
        return VALUE_FAIL;
    }
    // "nodes" as traced, "kept" after the passes, "steps" after fusion.
    const Plan *plan = concrete->plan;
    bool ok =
        add_count(vm, dict, "number", concrete->number) &&
        add_count(vm, dict, "line", concrete->line) &&
        add_count(vm, dict, "nodes", concrete->graph->node_count) &&
        add_count(vm, dict, "kept", plan_graph(plan)->node_count) &&
        add_count(vm, dict, "steps", plan_step_count(plan)) &&
        add_count(vm, dict, "effects",
                  events_count_effects(&concrete->owner->events)) &&
        add_count(vm, dict, "frozen", frozen_count(vm, &concrete->frozen));
    if (!ok) {
        object_release(&vm->ctx, dict);
        return VALUE_FAIL;
    }
    return value_from_object(dict);
}

// The very graph that the plan was laid out from.
Value concrete_optimised(Vm *vm, Value self)
{
    const Concrete *concrete = whole_of(vm, self);
    return concrete == NULL ? VALUE_FAIL
                            : stage_graph_new(vm, plan_graph(concrete->plan));
}

// Takes the buffer; its last line's end goes.
static Value text_of(Vm *vm, StrBuf *out)
{
    if (strbuf_ok(out) && out->length > 0 &&
        out->text[out->length - 1] == '\n') {
        out->text[--out->length] = '\0';
    }
    return value_or_fail(str_from_buf(vm, out));
}

// In the form of DUET_DUMP=plan.
Value concrete_plan(Vm *vm, Value self)
{
    const Concrete *concrete = whole_of(vm, self);
    StrBuf out;
    if (concrete == NULL) {
        return VALUE_FAIL;
    }
    strbuf_init(&out, &vm->ctx);
    plan_print(&out, concrete->plan);
    return text_of(vm, &out);
}

// --- passes ---

// (pass, text, nodes); takes the row into the list.
static bool add_pass(Vm *vm, List *list, const char *name, Graph *graph)
{
    // Shortened constants will do: the texts are compared and shown, not read
    // back.
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    graph_print(&out, graph, false);
    Str *pass = str_from(vm, name);
    Value row[] = {value_or_fail(pass), text_of(vm, &out),
                   value_from_small((int64_t)graph->node_count)};
    Value tuple = tuple_of_owned(vm, row, 3);
    return !value_failed(tuple) && list_append_owned(vm, list, tuple);
}

// Runs them once more, one after the other, on a copy of the trace's graph:
// what each did is not kept when the plan is built.
Value concrete_passes(Vm *vm, Value self)
{
    const Concrete *concrete = whole_of(vm, self);
    List *list = concrete != NULL ? list_new(vm, 0) : NULL;
    Graph *graph = list != NULL ? clone_graph(concrete->graph) : NULL;
    uint32_t mask = stager_of(vm)->options.passes;
    bool ok = graph != NULL && add_pass(vm, list, "trace", graph);
    for (int i = 0; ok && i < PASS_COUNT; i++) {
        // Those that DUET_PASSES leaves out have no row.
        if (mask & 1u << i) {
            ok = pass_run(graph, 1u << i, false) &&
                 add_pass(vm, list, pass_desc((PassId)i)->name, graph);
        }
    }
    graph_release(&vm->ctx, graph);
    if (!ok) {
        object_release_null(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_from_object(list);
}

// --- profile ---

// (source, line, text of the line) of a node; None where it has no place.
static Value place_row(Vm *vm, const GraphPlace *place)
{
    if (place->source == NULL) {
        return VALUE_NONE;
    }
    // The source is held by the graph, so its text is still there.
    uint32_t line = source_place(place->source, place->span.start).line;
    size_t length = 0;
    const char *text = source_line(place->source, line, &length);
    Str *name = str_from(vm, place->source->name);
    Str *shown = str_new(vm, text != NULL ? text : "", length);
    Value row[] = {value_or_fail(name), value_from_small(line),
                   value_or_fail(shown)};
    return tuple_of_owned(vm, row, 3);
}

// A place for each node that the step stands for.
static Value places_of(Vm *vm, const Step *step)
{
    List *list = list_new(vm, 0);
    // A fused chain may come from several lines.
    bool ok = list != NULL;
    for (uint32_t i = 0; ok && profile_node(step, i) != NULL; i++) {
        Value row = place_row(vm, &profile_node(step, i)->place);
        ok = !value_failed(row) && list_append_owned(vm, list, row);
    }
    if (!ok) {
        object_release_null(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_from_object(list);
}

// (ops, runs, seconds, places)
static Value time_row(Vm *vm, const StepTime *time)
{
    StrBuf name;
    strbuf_init(&name, &vm->ctx);
    profile_print_name(&name, time->step);
    Value row[] = {text_of(vm, &name), value_from_small((int64_t)time->runs),
                   seconds_value(vm, time->nanoseconds),
                   places_of(vm, time->step)};
    return tuple_of_owned(vm, row, 4);
}

// The rows so far; measuring goes on.
Value concrete_profile(Vm *vm, Value self)
{
    const Concrete *concrete = whole_of(vm, self);
    const PlanProfile *profile =
        concrete != NULL ? plan_profile(concrete->plan) : NULL;
    if (profile == NULL) {
        return value_done(concrete != NULL);
    }
    List *list = list_new(vm, 0);
    for (size_t i = 0; list != NULL && i < profile->times.count; i++) {
        Value row = time_row(vm, &profile->times.items[i]);
        if (value_failed(row) || !list_append_owned(vm, list, row)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(list);
}

// True begins anew, False and `del` end it.
bool concrete_set_profile(Vm *vm, Value self, Value on)
{
    const Concrete *concrete = whole_of(vm, self);
    int truth = value_unbound(on) ? 0 : value_truth(vm, on);
    if (concrete == NULL || truth < 0) {
        return false;
    }
    // Setting it twice begins anew: the times so far are forgotten.
    if (truth) {
        return plan_profile_start(&vm->ctx, concrete->plan);
    }
    plan_profile_stop(&vm->ctx, concrete->plan);
    return true;
}
