// Calls of staged functions: bind, look up, trace if need be, run.
//
// Invariant: a trace is in the table only when it is complete; a failed one
// leaves the table as it was. Under stage.eager(True) the host function runs
// in place; inside a trace the call becomes a node of the graph being traced.
#include "stager/staged_fn.h"

#include <stdio.h>

#include "interp/obj_dict.h"
#include "interp/protocol.h"
#include "interp/sequence.h"
#include "stager/match.h"
#include "stager/trace.h"

static Str *name_of(Vm *vm, Value host)
{
    if (value_is_kind(host, KIND_FUNCTION)) {
        return object_retain(((Function *)value_object(host))->name);
    }
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
                     ? type_lookup(vm, type_of(vm, host),
                                   vm->names[NAME_CALL])
                     : VALUE_UNBOUND;
    if (value_is_kind(call, KIND_FUNCTION)) {
        self->target = value_retain(call);
        self->instance = value_retain(host);
        return;
    }
    self->target = value_retain(host);
    self->instance = VALUE_UNBOUND;
}

// The first parameter that signature= speaks of: not `self`.
static size_t first_spec_param(const StagedFunction *self)
{
    if (!value_unbound(self->instance)) {
        return 1;
    }
    if (!value_is_kind(self->target, KIND_FUNCTION)) {
        return 0;
    }
    const Code *code = ((const Function *)value_object(self->target))->code;
    return code->positional_count > 0 && str_is(code->local_names[0], "self");
}

static bool check_spec_count(Vm *vm, const StagedFunction *self)
{
    if (self->options.signature == NULL ||
        !value_is_kind(self->target, KIND_FUNCTION)) {
        return true;
    }
    const Code *code = ((const Function *)value_object(self->target))->code;
    size_t most = code->positional_count + (size_t)code->keyword_only_count -
                  first_spec_param(self);
    return self->options.signature->count <= most ||
           code->flags & CODE_VARARGS ||
           raise_false(vm, ERR_SIGNATURE,
                       "stage(): signature= has %zu specs, but %s() has %zu "
                       "parameters",
                       self->options.signature->count, self->name->text,
                       most);
}

StagedFunction *staged_new(Vm *vm, Value host, StageOptions options)
{
    Str *name = name_of(vm, host);
    StagedFunction *self =
        name == NULL ? NULL
                     : object_new(vm, stager_of(vm)->staged_type,
                                  sizeof *self);
    if (self == NULL) {
        object_release_null(&vm->ctx, name);
        options_free(vm, &options);
        return NULL;
    }
    Object head = self->head;
    *self = (StagedFunction){.head = head,
                             .host = value_retain(host),
                             .name = name,
                             .options = options};
    traces_init(vm, &self->table, options.max_traces, options.relax);
    find_target(vm, self);
    bool ok = is_generator(self->target)
                  ? raise_false(vm, ERR_TYPE,
                                "a generator function cannot be staged: "
                                "'%s'",
                                name->text)
                  : check_spec_count(vm, self);
    if (!ok) {
        object_release(&vm->ctx, self);
        return NULL;
    }
    return self;
}

// A call of this function with this signature is being traced already: it
// would never end.
static bool check_recursion(Vm *vm, const StagedFunction *self,
                            const Signature *signature)
{
    for (const Trace *trace = vm->trace; trace != NULL;
         trace = trace->outer) {
        const StrBuf *key = &trace->request->signature->key;
        if (trace->request->staged == self &&
            key->length == signature->key.length &&
            memcmp(strbuf_text(key), strbuf_text(&signature->key),
                   key->length) == 0) {
            return raise_false(
                vm, ERR_RECURSION,
                "%s calls itself with the signature that is being traced; a "
                "recursion on a tensor would never end: use a loop, or a "
                "host value that ends it",
                self->name->text);
        }
    }
    return true;
}

// Whether host code may run, which it does in a trace and, to word the error,
// where arguments do not fit.
static bool check_sealed(Vm *vm, const StagedFunction *self)
{
    return !stager_of(vm)->sealed ||
           raise_false(vm, ERR_RUNTIME,
                       "%s would run host code, and staging is sealed",
                       self->name->text);
}

static Concrete *make_trace(Vm *vm, StagedFunction *self, const Bound *bound,
                            Signature *signature)
{
    if (!check_sealed(vm, self)) {
        return NULL;
    }
    if (!check_recursion(vm, self, signature) ||
        (self->options.relax &&
         !traces_relax(vm, &self->table, signature))) {
        return NULL;
    }
    TraceRequest request = {.staged = self,
                            .target = self->target,
                            .name = self->name,
                            .bound = bound,
                            .signature = signature,
                            .number = self->traced + 1};
    Concrete *made = concrete_new(vm, &request);
    if (made == NULL) {
        return NULL;
    }
    self->traced++;
    guard_clear(vm, &self->guard); // its trace may have to go
    if (!traces_add(vm, &self->table, made, signature)) {
        object_release(&vm->ctx, made);
        return NULL;
    }
    return made;
}

// A trace that captured symbolic tensors is good in the trace they are of.
static bool same_outer(const Vm *vm, const Concrete *concrete)
{
    return concrete->outer.count == 0 ||
           (vm->trace != NULL && vm->trace->serial == concrete->outer_serial);
}

// Whether the call's Variables stand to those that the function finds itself
// as they did in the trace: one that was both must be that very one, and no
// other may be one that the graph captured.
static bool same_aliases(const Concrete *concrete, const Signature *signature)
{
    const Graph *graph = concrete->graph;
    for (size_t i = 0; i < signature->variables.count; i++) {
        Value v = signature->variables.items[i];
        if (i >= 64 || concrete->aliased >> i & 1) {
            if (!value_same(v, concrete->variables.items[i])) {
                return false;
            }
            continue;
        }
        for (size_t k = 0; k < graph->variables.count; k++) {
            if (concrete->cells[k] == CONCRETE_CAPTURED &&
                graph->variables.items[k].owner == value_object(v)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_right(const Vm *vm, const Concrete *concrete,
                     const Signature *signature)
{
    return same_outer(vm, concrete) &&
           (signature->variables.count == 0 ||
            same_aliases(concrete, signature));
}

// The trace of calls whose Variables are among those that the function finds
// itself: its key names them.
static Concrete *find_alias(Vm *vm, StagedFunction *self, const Bound *bound,
                            Signature *signature)
{
    if (!signature_add_identities(signature)) {
        return NULL;
    }
    Concrete *found = traces_find(vm, &self->table, signature);
    if (found != NULL && same_outer(vm, found)) {
        return object_retain(found);
    }
    return vm_has_error(vm) ? NULL : make_trace(vm, self, bound, signature);
}

// What a call does that finds a frozen value changed. The trace is used
// unless an error is pending (false) or *again is set.
static bool frozen_changed(Vm *vm, StagedFunction *self, Concrete *found,
                           FrozenRead *read, bool *again)
{
    if (self->options.frozen == FROZEN_RETRACE) {
        *again = true;
        return true;
    }
    if (self->options.frozen == FROZEN_SILENT) {
        return ledger_accept(vm, read);
    }
    Str *place = ledger_place(vm, read);
    if (place == NULL) {
        return false;
    }
    bool ok = true;
    if (self->options.frozen == FROZEN_ERROR) {
        ok = raise_false(vm, ERR_FROZEN,
                         "%s: %s has changed since trace %zu read it at line "
                         "%u; pass it as an argument, or stage with "
                         "frozen='retrace'",
                         self->name->text, place->text, found->number,
                         read->line);
    } else if (stager_of(vm)->log) {
        fprintf(stderr,
                "stage: %s: %s has changed; trace %zu keeps what it read at "
                "line %u\n",
                self->name->text, place->text, found->number, read->line);
    }
    read->noted = ok; // an error is raised at every call
    object_release(&vm->ctx, place);
    return ok;
}

// Compares what the trace read with what is there now, if anything that some
// trace has read was stored to since it was last compared.
static bool check_frozen(Vm *vm, StagedFunction *self, Concrete *found,
                         bool *again)
{
    *again = false;
    while (found->ledger.epoch != vm->watch_epoch && !*again) {
        uint64_t epoch = vm->watch_epoch;
        bool failed;
        FrozenRead *read = ledger_changed(vm, &found->ledger, &failed);
        if (failed || (read != NULL &&
                       !frozen_changed(vm, self, found, read, again))) {
            return false;
        }
        if (read == NULL) {
            found->ledger.epoch = epoch;
        }
    }
    return true;
}

// The trace for a call, owned.
static Concrete *find_or_trace(Vm *vm, StagedFunction *self,
                               const Bound *bound, Signature *signature)
{
    Concrete *found = traces_find(vm, &self->table, signature);
    if (found != NULL && !is_right(vm, found, signature)) {
        if (same_outer(vm, found)) {
            return find_alias(vm, self, bound, signature);
        }
        found = NULL;
    }
    if (found == NULL) {
        return vm_has_error(vm) ? NULL
                                : make_trace(vm, self, bound, signature);
    }
    bool again = false;
    (void)object_retain(found);
    if (LIKELY(found->ledger.epoch == vm->watch_epoch) ||
        (check_frozen(vm, self, found, &again) && !again)) {
        return found;
    }
    if (again) {
        guard_clear(vm, &self->guard);
        traces_remove(vm, &self->table, found);
    }
    object_release(&vm->ctx, found);
    return again ? make_trace(vm, self, bound, signature) : NULL;
}

// signature=: each argument that has a spec is made to fit it.
static bool fit_signature(Vm *vm, const StagedFunction *self,
                          const Bound *given, Bound *out)
{
    const Tuple *specs = self->options.signature;
    size_t first = first_spec_param(self);
    *out = (Bound){0};
    bool ok = true;
    for (size_t i = 0; ok && i < given->values.count; i++) {
        Value v = given->values.items[i];
        if (i < first || i - first >= specs->count) {
            ok = value_vec_push(vm, &out->values, value_retain(v));
            continue;
        }
        Match match = {MATCH_SIGNATURE, self->name->text,
                       bound_name(self->target, given, i)};
        // f.concrete() may be given the signature's own specs.
        ok = value_vec_push(
            vm, &out->values,
            value_same(v, specs->items[i - first])
                ? value_retain(v)
                : match_value(vm, &match, specs->items[i - first], v));
    }
    out->names = given->names != NULL ? object_retain(given->names) : NULL;
    return ok;
}

// Appends the specs of a signature's tree, in the order of a walk.
static bool add_specs(Vm *vm, Value v, ValueVec *out)
{
    if (value_is_kind(v, KIND_SPEC)) {
        return value_vec_push(vm, out, value_retain(v));
    }
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    ValueVec children = {0};
    bool ok = structure_children(vm, v, &children);
    for (size_t i = 0; ok && i < children.count; i++) {
        ok = add_specs(vm, children.items[i], out);
    }
    value_vec_free(vm, &children);
    ctx_leave(&vm->ctx);
    return ok;
}

// Gives the leaves of fitted arguments the types that signature= asks for.
static bool generalise_fitted(Vm *vm, const StagedFunction *self,
                              Signature *signature)
{
    const Tuple *asked = self->options.signature;
    size_t count = signature->tensors.count;
    size_t first = first_spec_param(self), next = 0;
    ValueVec specs = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < asked->count; i++) {
        ok = add_specs(vm, asked->items[i], &specs);
    }
    Spec **patterns = ctx_alloc_zero(&vm->ctx, (count + 1) * sizeof(Spec *));
    ok = ok && patterns != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        const TensorLeaf *leaf = &signature->tensors.items[i];
        bool asked_for = leaf->argument >= first &&
                         leaf->argument - first < asked->count &&
                         next < specs.count;
        // A tensor that no spec speaks of (self, a default) keeps its type.
        patterns[i] = asked_for
                          ? object_retain(value_object(specs.items[next++]))
                          : spec_new(vm, signature_type(signature, i), NULL);
        ok = patterns[i] != NULL;
    }
    ok = ok && signature_generalise(vm, signature, patterns);
    for (size_t i = 0; patterns != NULL && i < count; i++) {
        object_release_null(&vm->ctx, patterns[i]);
    }
    if (patterns != NULL) {
        ctx_free(&vm->ctx, patterns, (count + 1) * sizeof(Spec *));
    }
    value_vec_free(vm, &specs);
    return ok;
}

// What the call wants of a trace: its result, or the trace itself.
static Value call_bound(Vm *vm, StagedFunction *self, const Bound *bound,
                        bool run)
{
    Signature signature;
    Value result = VALUE_FAIL;
    if (signature_make(vm, self->target, bound, !run, &signature) &&
        (self->options.signature == NULL ||
         generalise_fitted(vm, self, &signature))) {
        Concrete *concrete = find_or_trace(vm, self, bound, &signature);
        if (concrete != NULL && !run) {
            result = value_from_object(concrete);
        } else if (concrete != NULL) {
            result = concrete_run(vm, concrete, &signature);
            self->ran = concrete->listed ? concrete : NULL;
            object_release(&vm->ctx, concrete);
        }
    }
    signature_free(vm, &signature);
    return result;
}

static Value call_fitted(Vm *vm, StagedFunction *self, const Bound *bound,
                         bool run)
{
    if (self->options.signature == NULL) {
        return call_bound(vm, self, bound, run);
    }
    Bound fitted;
    Value result = fit_signature(vm, self, bound, &fitted)
                       ? call_bound(vm, self, &fitted, run)
                       : VALUE_FAIL;
    bound_free(vm, &fitted);
    return result;
}

static Value call_arguments(Vm *vm, StagedFunction *self, const Value *args,
                            uint32_t count, Tuple *keyword_names, bool run)
{
    Bound bound;
    if (!bound_make(vm, self->target, args, count, keyword_names, NULL,
                    &bound)) {
        // The host's own call words what does not fit.
        return vm_has_error(vm) || !check_sealed(vm, self)
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

// A call by position that found its trace: the next one like it is quick.
static Value call_and_guard(Vm *vm, StagedFunction *self, const Value *args,
                            uint32_t count)
{
    (void)object_retain(self);
    Value result = call_with_self(vm, self, args, count, NULL, true);
    if (!value_failed(result) && self->ran != NULL &&
        self->options.signature == NULL) {
        guard_set(vm, &self->guard, self->ran, args, count);
    }
    self->ran = NULL;
    object_release(&vm->ctx, self);
    return result;
}

static Value staged_call(Vm *vm, Value value, const Value *args,
                         uint32_t count, Tuple *keyword_names)
{
    StagedFunction *self = (StagedFunction *)value_object(value);
    if (LIKELY(vm->trace == NULL && !vm->eager_only &&
               keyword_names == NULL)) {
        Value result = guard_run(vm, &self->guard, args, count);
        if (LIKELY(!value_unbound(result))) {
            return result;
        }
        if (!value_is_none(self->host)) {
            return call_and_guard(vm, self, args, count);
        }
    }
    if (value_is_none(self->host) && count == 1) {
        StagedFunction *made =
            staged_new(vm, args[0], options_copy(&self->options));
        return made != NULL ? value_from_object(made) : VALUE_FAIL;
    }
    if (vm->eager_only) {
        return vm_call_keywords(vm, self->host, args, count, keyword_names);
    }
    return call_with_self(vm, self, args, count, keyword_names, true);
}

// The arguments of a native's *args, **kwargs as a call has them.
static Value concrete_of(Vm *vm, StagedFunction *self, const Tuple *args,
                         Dict *keywords)
{
    ValueVec values = {0}, names = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < args->count; i++) {
        ok = value_vec_push(vm, &values, value_retain(args->items[i]));
    }
    uint32_t position = 0;
    Value key, value;
    while (ok && dict_next(keywords, &position, &key, &value)) {
        ok = value_vec_push(vm, &values, value_retain(value)) &&
             value_vec_push(vm, &names, value_retain(key));
    }
    Tuple *keyword_names =
        ok && names.count > 0 ? tuple_from(vm, names.items, names.count)
                              : NULL;
    ok = ok && (names.count == 0 || keyword_names != NULL);
    Value result = ok ? call_with_self(vm, self, values.items,
                                       (uint32_t)values.count, keyword_names,
                                       false)
                      : VALUE_FAIL;
    object_release_null(&vm->ctx, keyword_names);
    value_vec_free(vm, &values);
    value_vec_free(vm, &names);
    return result;
}

// f.concrete(*args, **kwargs): the trace for these arguments or specs, made
// if there is none. With signature= and no arguments: that of the signature.
static Value method_concrete(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    StagedFunction *self = (StagedFunction *)value_object(args[0]);
    const Tuple *given = value_as_tuple(args[1]);
    Dict *keywords = value_as_dict(args[2]);
    if (given->count == 0 && keywords->count == 0 &&
        self->options.signature != NULL &&
        (first_spec_param(self) == 0 || !value_unbound(self->instance))) {
        given = self->options.signature;
    }
    return concrete_of(vm, self, given, keywords);
}

static Value method_graph(Vm *vm, Value *args, uint32_t count)
{
    Value concrete = method_concrete(vm, args, count);
    if (value_failed(concrete)) {
        return concrete;
    }
    Str *name = str_intern(vm, "graph", 5);
    Value graph = name != NULL ? value_get_attr(vm, concrete, name)
                               : VALUE_FAIL;
    object_release_null(&vm->ctx, name);
    release(vm, concrete);
    return graph;
}

static Value member_host(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(((StagedFunction *)value_object(self))->host);
}

static Value member_name(Vm *vm, Value self)
{
    (void)vm;
    Str *name = ((StagedFunction *)value_object(self))->name;
    return str_value(object_retain(name));
}

static Value host_attr(Vm *vm, Value self, NameId name)
{
    Value found =
        value_find_attr(vm, ((StagedFunction *)value_object(self))->host,
                        vm->names[name]);
    return value_unbound(found) ? VALUE_NONE : found;
}

static Value member_doc(Vm *vm, Value self)
{
    return host_attr(vm, self, NAME_DOC);
}

static Value member_qualname(Vm *vm, Value self)
{
    return host_attr(vm, self, NAME_QUALNAME);
}

static Value member_module(Vm *vm, Value self)
{
    return host_attr(vm, self, NAME_MODULE);
}

// "<staged f: 2 traces>"
static Value staged_repr(Vm *vm, Value value)
{
    const StagedFunction *self = (const StagedFunction *)value_object(value);
    size_t count = self->table.traces.count;
    Str *text = str_printf(vm, "<staged %s: %zu trace%s>", self->name->text,
                           count, count == 1 ? "" : "s");
    return text != NULL ? str_value(text) : VALUE_FAIL;
}

// As a method: the instance is the first argument, so it is in the key.
static Value staged_bind(Vm *vm, Value self, Value instance, Type *owner)
{
    (void)owner;
    if (value_unbound(instance)) {
        return value_retain(self);
    }
    Method *method = method_new(vm, self, instance);
    return method != NULL ? value_from_object(method) : VALUE_FAIL;
}

static void staged_destroy(Vm *vm, Object *object)
{
    StagedFunction *self = (StagedFunction *)object;
    guard_clear(vm, &self->guard);
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
    Value values[] = {self->host, self->target, self->instance};
    values_visit(values, sizeof values / sizeof *values, visit, data);
    for (size_t i = 0; i < self->table.traces.count; i++) {
        visit(&self->table.traces.items[i]->head, data);
    }
}

static void staged_clear(Vm *vm, Object *object)
{
    StagedFunction *self = (StagedFunction *)object;
    value_replace(&vm->ctx, &self->host, VALUE_NONE);
    value_replace(&vm->ctx, &self->target, VALUE_NONE);
    value_replace(&vm->ctx, &self->instance, VALUE_UNBOUND);
}

static const NativeDef staged_methods[] = {
    {"concrete", "self, *args, **kwargs", method_concrete,
     "The trace for these arguments (or specs), which is made but not run."},
    {"graph", "self, *args, **kwargs", method_graph,
     "The graph of the trace for these arguments (or specs)."},
    {NULL, NULL, NULL, NULL},
};

static const MemberDef staged_members[] = {
    {"host", member_host, NULL, "The function as it was written."},
    {"__wrapped__", member_host, NULL, "The function as it was written."},
    {"__name__", member_name, NULL, "The function's name."},
    {"__qualname__", member_qualname, NULL, "The function's qualified name."},
    {"__doc__", member_doc, NULL, "The function's own documentation."},
    {"__module__", member_module, NULL, "The module it was written in."},
    {NULL, NULL, NULL, NULL},
};

const TypeDef staged_type_def = {
    .name = "staged",
    .doc = "A function that is traced into graphs.",
    .kind = KIND_OPAQUE,
    .size = sizeof(StagedFunction),
    .flags = TYPE_FINAL | TYPE_TRACKED,
    .slots = {.destroy = staged_destroy,
              .visit = staged_visit,
              .clear = staged_clear,
              .repr = staged_repr,
              .call = staged_call,
              .get_descriptor = staged_bind},
    .methods = staged_methods,
    .members = staged_members,
};
