// Calls of staged functions: bind, look up, trace if need be, run.
//
// Invariant: a trace is in the table only when it is complete; a failed one
// leaves the table as it was. Under stage.eager(True) the host function runs
// in place; inside a trace the call becomes a node of the graph being traced.
#include "stager/staged_fn.h"

#include "interp/machine/vm/vm_run.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/events.h"
#include "stager/trace.h"

// Lambdas, natives and partial applications have names too, or get one.
static Str *name_of(Vm *vm, Value host)
{
    if (value_is_kind(host, KIND_FUNCTION)) {
        return object_retain(((Function *)value_object(host))->name);
    }
    // A __name__ that is no text is ignored rather than refused.
    Value name = value_find_attr(vm, host, vm->names[NAME_NAME]);
    if (value_is_str(name)) {
        return value_as_str(name);
    }
    if (value_failed(name)) {
        return NULL;
    }
    release(vm, name);
    return str_from(vm, "function");
}

// A generator's body runs when it is asked for, when the trace is long over.
static bool is_generator(Value target)
{
    return value_is_kind(target, KIND_FUNCTION) &&
           ((Function *)value_object(target))->code->flags & CODE_GENERATOR;
}

// The function whose parameters a call binds to: behind a bound method and
// behind an instance with __call__ the one that takes it as its first
// argument.
static void find_target(Vm *vm, StagedFunction *self)
{
    Value host = self->host;
    if (value_is_kind(host, KIND_METHOD)) {
        const Method *method = (const Method *)value_object(host);
        self->target = value_retain(method->function);
        self->instance = value_retain(method->self);
        return;
    }
    Value call = value_is_kind(host, KIND_INSTANCE)
                     ? type_lookup(vm, type_of(vm, host), vm->names[NAME_CALL])
                     : VALUE_UNBOUND;
    if (value_is_kind(call, KIND_FUNCTION)) {
        self->target = value_retain(call);
        self->instance = value_retain(host);
        return;
    }
    self->target = value_retain(host);
    self->instance = VALUE_UNBOUND;
}

// Everything is set before it is checked, so that releasing it is right.
StagedFunction *staged_new(Vm *vm, Value host, StageOptions options)
{
    // The options are taken in any case, also when this fails.
    Str *name = name_of(vm, host);
    StagedFunction *self =
        name == NULL ? NULL
                     : object_new(vm, stager_of(vm)->staged_type, sizeof *self);
    if (self == NULL) {
        object_release_null(&vm->ctx, name);
        options_free(vm, &options);
        return NULL;
    }
    // The assignment below clears every field that it does not name; the head
    // must survive that.
    Object head = self->head;
    *self = (StagedFunction){.head = head,
                             .host = value_retain(host),
                             .name = name,
                             .options = options};
    traces_init(vm, &self->table, options.max_traces, options.relax);
    self->table.guards.exact = options.signature != NULL;
    // Beneath methods and wrappers: the def whose code is traced.
    find_target(vm, self);
    bool ok = is_generator(self->target)
                  ? raise_false(vm, ERR_TYPE,
                                "a generator function cannot be staged: "
                                "'%s'",
                                name->text)
                  : staged_check_specs(vm, self);
    if (!ok) {
        object_release(&vm->ctx, self);
        return NULL;
    }
    return self;
}

// A trace serves tensors and what becomes one: each call tells of its own, in a
// trace to that.
static void tell_given(Vm *vm, Concrete *concrete, const Bound *bound,
                       const Signature *signature)
{
    const char *name =
        bound->converted != NULL ? bound->converted : signature->converted;
    if (name != NULL) {
        event_given(vm,
                    vm->trace != NULL ? vm->trace->events
                                      : &concrete->owner->events,
                    name);
    }
}

// What the call wants of a trace: its result, or the trace itself.
static Value call_bound(Vm *vm, StagedFunction *self, const Bound *bound,
                        bool run)
{
    Signature signature;
    Value result = VALUE_FAIL;
    // Specs count as tensors only for f.concrete, which never runs: a spec
    // that is passed to a call is an ordinary object.
    if (signature_make(vm, self->target, bound, !run, &signature) &&
        (self->options.signature == NULL ||
         staged_generalise(vm, self, &signature))) {
        Concrete *concrete = staged_find(vm, self, bound, &signature);
        if (concrete != NULL && !run) {
            result = value_from_object(concrete);
        } else if (concrete != NULL) {
            tell_given(vm, concrete, bound, &signature);
            result = concrete_run(vm, concrete, bound, &signature);
            // Borrowed: the guard may only remember a trace that the table
            // holds, and host code in the run may have dropped it.
            self->ran = concrete->table != NULL ? concrete : NULL;
            object_release(&vm->ctx, concrete);
        }
    }
    signature_free(vm, &signature);
    return result;
}

// Without signature= the arguments go as they are.
static Value call_fitted(Vm *vm, StagedFunction *self, Bound *bound, bool run)
{
    if (self->options.signature == NULL) {
        return bound_shut(vm, bound) ? call_bound(vm, self, bound, run)
                                     : VALUE_FAIL;
    }
    Bound fitted;
    Value result = staged_fit(vm, self, bound, run, &fitted)
                       ? call_bound(vm, self, &fitted, run)
                       : VALUE_FAIL;
    bound_free(vm, &fitted);
    return result;
}

// The function may be dropped by its own host code: a count is held.
static Value call_arguments(Vm *vm, StagedFunction *self, const Value *args,
                            uint32_t count, Tuple *keyword_names, bool run)
{
    Bound bound;
    if (!bound_make(vm, self->target, args, count, keyword_names, NULL,
                    &bound)) {
        // The host's own call words what does not fit.
        return vm_has_error(vm) || !staged_may_run_host(vm, self)
                   ? VALUE_FAIL
                   : vm_call_keywords(vm, self->target, args, count,
                                      keyword_names);
    }
    (void)object_retain(self);
    Value result = call_fitted(vm, self, &bound, run);
    object_release(&vm->ctx, self);
    bound_free(vm, &bound);
    return result;
}

// Puts the instance in front, where there is one.
static Value call_with_self(Vm *vm, StagedFunction *self, const Value *args,
                            uint32_t count, Tuple *keyword_names, bool run)
{
    // Plain functions need no copy of the arguments.
    if (value_unbound(self->instance)) {
        return call_arguments(vm, self, args, count, keyword_names, run);
    }
    size_t size = (count + (size_t)1) * sizeof(Value);
    Value *room = ctx_alloc(&vm->ctx, size);
    if (room == NULL) {
        return VALUE_FAIL;
    }
    room[0] = self->instance;
    if (count > 0) {
        memcpy(room + 1, args, count * sizeof(Value));
    }
    Value result =
        call_arguments(vm, self, room, count + 1, keyword_names, run);
    ctx_free(&vm->ctx, room, size);
    return result;
}

// A call that found its trace: the next one like it is quick.
static Value call_and_guard(Vm *vm, StagedFunction *self, const Value *args,
                            uint32_t count, Tuple *names)
{
    (void)object_retain(self);
    Guard guard;
    bool covered = guard_make(vm, &self->table.guards, self->target,
                              self->instance, args, count, names, &guard);
    Value result = call_with_self(vm, self, args, count, names, true);
    if (covered && !value_failed(result) && self->ran != NULL) {
        guards_set(vm, &self->table.guards, self->ran, &guard);
    } else if (covered) {
        guard_clear(vm, &guard);
    }
    self->ran = NULL;
    object_release(&vm->ctx, self);
    return result;
}

// A call inside a trace or under stage.eager, and the first of its kind.
static Value call_long(Vm *vm, Value value, const Value *args, uint32_t count,
                       Tuple *keyword_names)
{
    StagedFunction *self = (StagedFunction *)value_object(value);
    // stage(relax=True) was given no function: this call is the decorator's
    // second half. A copy of the options, since the decorator may serve again.
    if (value_is_none(self->host) && count == 1) {
        StagedFunction *made =
            staged_new(vm, args[0], options_copy(&self->options));
        return value_or_fail(made);
    }
    // stage.eager(True): as if the function had never been staged.
    if (vm->eager_only) {
        return vm_call_keywords(vm, self->host, args, count, keyword_names);
    }
    if (vm->trace == NULL && !value_is_none(self->host)) {
        return call_and_guard(vm, self, args, count, keyword_names);
    }
    return call_with_self(vm, self, args, count, keyword_names, true);
}

// Calls within the call are part of it.
static Value call_observed(Vm *vm, Value value, const Value *args,
                           uint32_t count, Tuple *keyword_names)
{
    EventListener *listener = stager_of(vm)->listener;
    const Str *name = ((StagedFunction *)value_object(value))->name;
    if (listener->depth++ == 0) {
        Source *source;
        uint32_t line = trace_program_line(vm, &source);
        listener->called(vm, name, source, line, listener->data);
    }
    Value result = call_long(vm, value, args, count, keyword_names);
    if (--listener->depth == 0 && value_failed(result)) {
        listener->raised(vm, listener->data);
    }
    return result;
}

// The guard first: it is the way of nearly all calls.
static inline Value staged_call(Vm *vm, Value value, const Value *args,
                                uint32_t count, Tuple *keyword_names)
{
    StagedFunction *self = (StagedFunction *)value_object(value);
    if (LIKELY(vm->trace == NULL && !vm->long_calls)) {
        Value result =
            guards_run(vm, &self->table.guards, args, count, keyword_names);
        if (LIKELY(!value_unbound(result))) {
            return result;
        }
    }
    return UNLIKELY(stager_of(vm)->listener != NULL)
               ? call_observed(vm, value, args, count, keyword_names)
               : call_long(vm, value, args, count, keyword_names);
}

// The machine's way past all that a call by C does around it.
static int staged_enter(Vm *vm, Value *window, uint32_t count, Tuple *names)
{
    if (UNLIKELY(!ctx_enter(&vm->ctx))) {
        vm_empty_window(vm, window, count);
        return -1;
    }
    Value result = staged_call(vm, window[-1], window, count, names);
    ctx_leave(&vm->ctx);
    vm_empty_window(vm, window, count);
    if (UNLIKELY(value_failed(result))) {
        return -1;
    }
    value_replace(&vm->ctx, &window[-1], result);
    return 0;
}

// The arguments of a native's *args, **kwargs as a call has them.
static Value concrete_of(Vm *vm, StagedFunction *self, const Tuple *args,
                         Dict *keywords)
{
    // Values by position first, then those by keyword with their names beside
    // them: the form in which the machine passes a call.
    ValueVec values = {0}, names = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < args->count; i++) {
        ok = structure_push(vm, &values, value_retain(args->items[i]));
    }
    uint32_t position = 0;
    Value key, value;
    while (ok && dict_next(keywords, &position, &key, &value)) {
        ok = structure_push(vm, &values, value_retain(value)) &&
             structure_push(vm, &names, value_retain(key));
    }
    Tuple *keyword_names =
        ok && names.count > 0 ? tuple_from(vm, names.items, names.count) : NULL;
    ok = ok && (names.count == 0 || keyword_names != NULL);
    Value result =
        ok ? call_with_self(vm, self, values.items, (uint32_t)values.count,
                            keyword_names, false)
           : VALUE_FAIL;
    object_release_null(&vm->ctx, keyword_names);
    structure_free(vm, &values);
    structure_free(vm, &names);
    return result;
}

// f.concrete(*args, **kwargs): the trace for these arguments or specs, made
// if there is none. With signature= and no arguments: that of the signature.
static Value method_concrete(Vm *vm, Value *args)
{
    StagedFunction *self = (StagedFunction *)value_object(args[0]);
    const Tuple *given = value_as_tuple(args[1]);
    Dict *keywords = value_as_dict(args[2]);
    // An instance takes the first parameter, which then has no spec of its
    // own.
    if (given->count == 0 && keywords->count == 0 &&
        self->options.signature != NULL &&
        (staged_first_spec(self) == 0 || !value_unbound(self->instance))) {
        given = self->options.signature;
    }
    return concrete_of(vm, self, given, keywords);
}

// Through the concrete function, whose member it is.
static Value method_graph(Vm *vm, Value *args)
{
    Value concrete = method_concrete(vm, args);
    if (value_failed(concrete)) {
        return concrete;
    }
    Value graph = value_get_attr(vm, concrete, vm->names[NAME_GRAPH]);
    release(vm, concrete);
    return graph;
}

// The function as the program wrote it, for calling it eagerly.
static Value member_host(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(((StagedFunction *)value_object(self))->host);
}

// Set once; renaming the host function later does not matter.
static Value member_name(Vm *vm, Value self)
{
    (void)vm;
    Str *name = ((StagedFunction *)value_object(self))->name;
    return str_value(object_retain(name));
}

// What the host says of itself, None where it says nothing.
static Value host_attr(Vm *vm, Value self, NameId name)
{
    Value found = value_find_attr(
        vm, ((StagedFunction *)value_object(self))->host, vm->names[name]);
    return value_unbound(found) ? VALUE_NONE : found;
}

// The host's text, not that of the class staged.
static Value member_doc(Vm *vm, Value self)
{
    return host_attr(vm, self, NAME_DOC);
}

// As the host has it.
static Value member_qualname(Vm *vm, Value self)
{
    return host_attr(vm, self, NAME_QUALNAME);
}

// As the host has it.
static Value member_module(Vm *vm, Value self)
{
    return host_attr(vm, self, NAME_MODULE);
}

// The program looks at traces, of which an eager run has none.
static void tell_look(Vm *vm)
{
    Event look = {
        .kind = EVENT_LOOK, .what = "a look at traces", .value = VALUE_NONE};
    look.line = trace_program_line(vm, &look.source);
    if (look.source != NULL) { // of the program itself
        event_add_at(vm, NULL, look);
    }
}

// "<staged f: 2 traces>"
static Value staged_repr(Vm *vm, Value value)
{
    const StagedFunction *self = (const StagedFunction *)value_object(value);
    size_t count = self->table.count;
    tell_look(vm);
    // Traces that were dropped do not count.
    return value_or_fail(str_printf(vm, "<staged %s: %zu trace%s>",
                                    self->name->text, count,
                                    count == 1 ? "" : "s"));
}

static void staged_destroy(Vm *vm, Object *object)
{
    StagedFunction *self = (StagedFunction *)object;
    why_free(vm, &self->why);
    traces_free(vm, &self->table);
    options_free(vm, &self->options);
    release(vm, self->host);
    release(vm, self->target);
    release(vm, self->instance);
    object_release(&vm->ctx, self->name);
    object_free(vm, self, sizeof *self);
}

// For the collector: a function at module level hangs in a cycle through its
// globals.
static void staged_visit(Object *object, void (*visit)(Object *, void *),
                         void *data)
{
    StagedFunction *self = (StagedFunction *)object;
    // Every count that staged_destroy releases must be met here, or the
    // collector takes the function for one that is held from outside.
    Value values[] = {self->host, self->target, self->instance};
    values_visit(values, sizeof values / sizeof *values, visit, data);
    size_t at = 0;
    for (Concrete *c; (c = traces_next(&self->table, &at)) != NULL;) {
        visit(&c->head, data);
    }
    guards_visit(&self->table.guards, visit, data);
    if (self->why.old != NULL) {
        visit(&self->why.old->head, data);
    }
    if (self->why.made != NULL) {
        visit(&self->why.made->head, data);
    }
}

// The collector's: enough to open every cycle through the host function.
static void staged_clear(Vm *vm, Object *object)
{
    StagedFunction *self = (StagedFunction *)object;
    guards_clear(vm, &self->table.guards);
    why_free(vm, &self->why);
    value_replace(&vm->ctx, &self->host, VALUE_NONE);
    value_replace(&vm->ctx, &self->target, VALUE_NONE);
    value_replace(&vm->ctx, &self->instance, VALUE_UNBOUND);
}

// For who tells of traces.
StagedFunction *staged_from(Vm *vm, Value v, const char *who)
{
    if (value_is_kind(v, KIND_METHOD)) {
        v = ((const Method *)value_object(v))->function;
    }
    if (!value_is_staged(vm, v)) {
        return raise_null(vm, ERR_TYPE, "stage.%s() takes a staged function",
                          who);
    }
    tell_look(vm);
    return (StagedFunction *)value_object(v);
}

// Both trace if they must, and run nothing of the graph.
static const NativeDef staged_methods[] = {
    {"concrete", "self, *args, **kwargs", method_concrete,
     "The trace for these arguments (or specs), which is made but not run."},
    {"graph", "self, *args, **kwargs", method_graph,
     "The graph of the trace for these arguments (or specs)."},
    {NULL, NULL, NULL, NULL},
};

// What functools.wraps would copy, so that a decorated function still looks
// like itself.
static const MemberDef staged_members[] = {
    {"host", member_host, NULL, "The function as it was written."},
    {"__wrapped__", member_host, NULL, "The function as it was written."},
    {"__name__", member_name, NULL, "The function's name."},
    {"__qualname__", member_qualname, NULL, "The function's qualified name."},
    {"__doc__", member_doc, NULL, "The function's own documentation."},
    {"__module__", member_module, NULL, "The module it was written in."},
    {NULL, NULL, NULL, NULL},
};

// Tracked: a staged function mostly is in a cycle, with the globals that name
// it.
const TypeDef staged_type_def = {
    .name = "staged",
    .doc = "A function that is traced into graphs.",
    .kind = KIND_OPAQUE,
    .size = sizeof(StagedFunction),
    .flags = TYPE_FINAL | TYPE_TRACKED | TYPE_CALL_LIKE,
    .slots = {.destroy = staged_destroy,
              .visit = staged_visit,
              .clear = staged_clear,
              .repr = staged_repr,
              .call = staged_call,
              .enter = staged_enter,
              // The instance is the first argument, so it is in the key.
              .get_descriptor = method_bind},
    .methods = staged_methods,
    .members = staged_members,
};
