// Calls of staged functions: bind, look up, trace if need be, run.
//
// Invariant: a trace is in the table only when it is complete; a failed one
// leaves the table as it was. In a trace, and under stage.eager(True), the
// host function runs in place.
#include "stager/staged_fn.h"

#include "interp/obj_int.h"
#include "interp/protocol.h"

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

static bool is_generator(Value host)
{
    return value_is_kind(host, KIND_FUNCTION) &&
           ((Function *)value_object(host))->code->flags & CODE_GENERATOR;
}

StagedFunction *staged_new(Vm *vm, Value host)
{
    if (is_generator(host)) {
        return raise_null(vm, ERR_TYPE,
                          "a generator function cannot be staged");
    }
    Str *name = name_of(vm, host);
    StagedFunction *self =
        name == NULL ? NULL
                     : object_new(vm, stager_of(vm)->staged_type,
                                  sizeof *self);
    if (self == NULL) {
        object_release_null(&vm->ctx, name);
        return NULL;
    }
    Object head = self->head;
    *self = (StagedFunction){
        .head = head, .host = value_retain(host), .name = name};
    map_init(&self->traces_by_key, &vm->ctx);
    strbuf_init(&self->last_key, &vm->ctx);
    return self;
}

static void remember(StagedFunction *self, const StrBuf *key, Concrete *found)
{
    self->last = found;
    self->last_key.length = 0;
    strbuf_add(&self->last_key, strbuf_text(key), key->length);
    if (!strbuf_ok(&self->last_key)) {
        self->last = NULL; // only a short cut
    }
}

static Concrete *look_up(StagedFunction *self, const StrBuf *key)
{
    if (self->last != NULL && self->last_key.length == key->length &&
        memcmp(self->last_key.text, key->text, key->length) == 0) {
        return self->last;
    }
    const uint64_t *index =
        map_get(&self->traces_by_key, key->text, key->length);
    if (index == NULL) {
        return NULL;
    }
    Concrete *found = self->traces.items[*index];
    remember(self, key, found);
    return found;
}

static bool add_trace(Vm *vm, StagedFunction *self, const StrBuf *key,
                      Concrete *concrete)
{
    if (!vec_push(&vm->ctx, &self->traces, concrete)) {
        return false;
    }
    (void)object_retain(concrete);
    if (!map_put(&self->traces_by_key, key->text, key->length,
                 self->traces.count - 1)) {
        self->traces.count--;
        object_release(&vm->ctx, concrete);
        return false;
    }
    return true;
}

// The trace for a call, owned.
static Concrete *find_or_trace(Vm *vm, StagedFunction *self,
                               const Bound *bound, const Signature *signature)
{
    Concrete *found = look_up(self, &signature->key);
    if (found != NULL) {
        return object_retain(found);
    }
    found = concrete_new(vm, self->host, self->name, bound, signature,
                         self->traces.count + 1);
    if (found != NULL && !add_trace(vm, self, &signature->key, found)) {
        object_release(&vm->ctx, found);
        return NULL;
    }
    return found;
}

// What the call wants of a trace: its result, or the trace itself.
static Value call_bound(Vm *vm, StagedFunction *self, const Bound *bound,
                        bool run)
{
    Signature signature;
    Value result = VALUE_FAIL;
    if (signature_make(vm, self->host, bound, &signature)) {
        Concrete *concrete = find_or_trace(vm, self, bound, &signature);
        if (concrete != NULL && !run) {
            result = value_from_object(concrete);
        } else if (concrete != NULL) {
            result = concrete_run(vm, concrete, &signature);
            object_release(&vm->ctx, concrete);
        }
    }
    signature_free(vm, &signature);
    return result;
}

static Value staged_call(Vm *vm, Value value, const Value *args,
                         uint32_t count, Tuple *keyword_names)
{
    StagedFunction *self = (StagedFunction *)value_object(value);
    Bound bound;
    if (value_is_none(self->host) && count == 1) {
        StagedFunction *made = staged_new(vm, args[0]);
        return made != NULL ? value_from_object(made) : VALUE_FAIL;
    }
    if (vm->eager_only || vm->trace != NULL) {
        return vm_call_keywords(vm, self->host, args, count, keyword_names);
    }
    if (!bound_make(vm, self->host, args, count, keyword_names, &bound)) {
        // The host's own call words what does not fit.
        return vm_has_error(vm) ? VALUE_FAIL
                                : vm_call_keywords(vm, self->host, args,
                                                   count, keyword_names);
    }
    (void)object_retain(self);
    Value result = call_bound(vm, self, &bound, true);
    release(vm, value);
    bound_free(vm, &bound);
    return result;
}

// f.concrete(*args): the trace for these arguments, made if there is none.
static Value method_concrete(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    StagedFunction *self = (StagedFunction *)value_object(args[0]);
    const Tuple *rest = value_as_tuple(args[1]);
    Bound bound;
    if (!bound_make(vm, self->host, rest->items, (uint32_t)rest->count, NULL,
                    &bound)) {
        return vm_has_error(vm)
                   ? VALUE_FAIL
                   : raise_error(vm, ERR_TYPE,
                                 "%s: the arguments do not fit the parameters",
                                 self->name->text);
    }
    Value result = call_bound(vm, self, &bound, false);
    bound_free(vm, &bound);
    return result;
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

// "<staged f: 2 traces>"
static Value staged_repr(Vm *vm, Value value)
{
    const StagedFunction *self = (const StagedFunction *)value_object(value);
    Str *text = str_printf(vm, "<staged %s: %zu trace%s>", self->name->text,
                           self->traces.count,
                           self->traces.count == 1 ? "" : "s");
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
    for (size_t i = 0; i < self->traces.count; i++) {
        object_release(&vm->ctx, self->traces.items[i]);
    }
    vec_free(&vm->ctx, &self->traces);
    map_free(&self->traces_by_key);
    strbuf_free(&self->last_key);
    release(vm, self->host);
    object_release(&vm->ctx, self->name);
    object_free(vm, self, sizeof *self);
}

static const NativeDef staged_methods[] = {
    {"concrete", "self, *args", method_concrete,
     "The trace for these arguments, which is made but not run."},
    {"graph", "self, *args", method_graph,
     "The graph of the trace for these arguments."},
    {NULL, NULL, NULL, NULL},
};

static const MemberDef staged_members[] = {
    {"host", member_host, NULL, "The function as it was written."},
    {"__name__", member_name, NULL, "The function's name."},
    {NULL, NULL, NULL, NULL},
};

const TypeDef staged_type_def = {
    .name = "staged",
    .doc = "A function that is traced into graphs.",
    .kind = KIND_OPAQUE,
    .size = sizeof(StagedFunction),
    .flags = TYPE_FINAL,
    .slots = {.destroy = staged_destroy,
              .repr = staged_repr,
              .call = staged_call,
              .get_descriptor = staged_bind},
    .methods = staged_methods,
    .members = staged_members,
};
