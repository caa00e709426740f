// Making a trace, and running it.
//
// Invariant: a Concrete exists only when its trace, its graph and its plan
// are complete; whatever fails on the way leaves nothing behind.
#include "stager/staged_fn.h"

#include <stdio.h>
#include <time.h>

#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/birth.h"
#include "stager/blocks.h"
#include "stager/content.h"
#include "stager/either.h"
#include "stager/error_notes.h"
#include "stager/hidden.h"
#include "stager/late_error.h"
#include "stager/late_text.h"
#include "stager/made.h"
#include "stager/poison.h"
#include "stager/result_text.h"
#include "stager/sites.h"
#include "stager/written.h"

// A walk over the call's arguments beside the signature's list of tensors,
// which was made by the same walk.
typedef struct Rebuild {
    Trace *trace;
    const TraceRequest *request;
    uint32_t looks;
    size_t next; // of the signature's tensors
    StrBuf path; // of the leaf
} Rebuild;

// The name of a graph's input: what the pattern or the caller's spec asks for,
// else its way from the parameter, or that alone.
static const char *leaf_name(const Rebuild *rebuild, size_t index)
{
    const TensorLeaf *leaf = &rebuild->request->signature->tensors.items[index];
    if (leaf->pattern != NULL && leaf->pattern->name != NULL) {
        return leaf->pattern->name->text;
    }
    if (value_is_kind(leaf->value, KIND_SPEC)) {
        const Spec *spec = (const Spec *)value_object(leaf->value);
        if (spec->name != NULL) {
            return spec->name->text;
        }
    }
    return rebuild->path.length > 0
               ? strbuf_text(&rebuild->path)
               : bound_name(rebuild->request->target, rebuild->request->bound,
                            leaf->argument);
}

// What may be a tensor in a walk over a call's arguments.
static bool is_tensor_leaf(Vm *vm, Value v)
{
    return value_is_kind(v, KIND_SPEC) || signature_is_tensor(vm, v);
}

// Whether leaf `v` is the next of the signature's tensors. A spec may also be
// an ordinary object; the signature alone knows.
static bool is_next_tensor(Vm *vm, const Rebuild *rebuild, Value v)
{
    const Signature *signature = rebuild->request->signature;
    if (!is_tensor_leaf(vm, v) || rebuild->next >= signature->tensors.count) {
        return false;
    }
    // Specs are compared by identity, since an equal one elsewhere may be a
    // plain object; all other tensor leaves are counted in order.
    Value next = signature->tensors.items[rebuild->next].value;
    return value_is_kind(v, KIND_SPEC) ? value_same(next, v) : true;
}

// A tensor argument becomes an input of the graph; a Variable has a stand-in.
static Value symbolic_leaf(Vm *vm, Value v, void *data)
{
    Rebuild *rebuild = data;
    if (signature_is_variable(v)) {
        uint32_t i = signature_variable(rebuild->request->signature, v);
        return value_retain(rebuild->trace->stand_ins.items[i]);
    }
    if (!is_next_tensor(vm, rebuild, v)) {
        return value_retain(v);
    }
    size_t i = rebuild->next++;
    const char *name = leaf_name(rebuild, i);
    ValueId id =
        graph_add_input(rebuild->trace->graph, name,
                        signature_type(rebuild->request->signature, i));
    return id != VALUE_ID_NONE ? trace_symbolic(vm, rebuild->trace, id, name)
                               : VALUE_FAIL;
}

// A tensor argument as the pattern of later calls.
static Value spec_leaf(Vm *vm, Value v, void *data)
{
    Rebuild *rebuild = data;
    if (!is_next_tensor(vm, rebuild, v)) {
        // Any other Variable of its type will do, but where the trace looked
        // at which one it is: then it takes the trace along.
        return signature_is_variable(v) && !(rebuild->looks & LOOKS_AT_IDENTITY)
                   ? value_retain(v)
                   : identity_weaken(vm, v);
    }
    size_t i = rebuild->next++;
    Str *name = str_from(vm, leaf_name(rebuild, i));
    Spec *spec =
        name != NULL
            ? spec_new(vm, signature_type(rebuild->request->signature, i), name)
            : NULL;
    object_release_null(&vm->ctx, name);
    return value_or_fail(spec);
}

// A walk over the function's result, which gathers the graph's outputs;
// concrete_unpack walks it again in that order.
typedef struct Pack {
    Trace *trace;
    Value whole; // the result, borrowed
    IdVec ids;   // of the outputs
} Pack;

// What is a number of the host's eagerly, as the index of a turn, unless it was
// told of where it became a tensor.
static void tell_number(Vm *vm, EventLog *log, const Symbolic *symbolic)
{
    bool told = !symbolic->weak;
    for (size_t i = 0; !told && i < log->events.count; i++) {
        EventKind kind = log->events.items[i].kind;
        told = kind == EVENT_NUMBER || kind == EVENT_INT;
    }
    if (!told) {
        // Of a list its elements'.
        DType dtype = dtype_element((DType)symbolic->dtype);
        event_number(vm, log, dtype_is_float(dtype));
    }
}

// A tensor of the result becomes an output of the graph; a Variable is read
// here, at the return, so that later writes do not change what was returned.
static Value pack_leaf(Vm *vm, Value v, void *data)
{
    Pack *pack = data;
    if (value_is_kind(v, KIND_VARIABLE)) {
        event_add(vm, pack->trace->events, EVENT_OBJECT,
                  "a Variable, as its value", VALUE_NONE);
    }
    Value leaf = value_is_kind(v, KIND_VARIABLE)
                     ? variable_read(vm, value_as_variable(v))
                     : value_retain(v);
    if (poison_is(vm, leaf)) {
        release(vm, leaf);
        return poison_raise(vm, v);
    }
    if (!value_is_kind(leaf, KIND_SYMBOLIC)) {
        if (!result_text_check(vm, pack->trace, leaf) ||
            !hidden_check(vm, pack->trace->request->name->text, leaf)) {
            release(vm, leaf);
            return VALUE_FAIL;
        }
        return leaf;
    }
    // Alone it is printed as the number is.
    if (!value_same(v, pack->whole)) {
        tell_number(vm, pack->trace->events, value_as_symbolic(leaf));
    }
    ValueId id = trace_operand(vm, pack->trace, leaf);
    if (id == VALUE_ID_NONE || !vec_push(&vm->ctx, &pack->ids, id)) {
        release(vm, leaf);
        return VALUE_FAIL;
    }
    return leaf;
}

// Variables stay what they are in the one object that holds them.
static bool holds_variable(Vm *vm, Value object)
{
    Value content = made_content(vm, object);
    bool found = false;
    if (!value_failed(content)) {
        const Tuple *parts = value_as_tuple(content);
        Value names = parts->items[CONTENT_ATTRIBUTES];
        uint32_t at = 0;
        Value key, value;
        while (!found && value_is_kind(names, KIND_DICT) &&
               dict_next(value_as_dict(names), &at, &key, &value)) {
            found = value_is_kind(value, KIND_VARIABLE);
        }
        release(vm, content);
    }
    return found;
}

// Each call makes the trace's objects anew, but for those that may be stored
// outside or keep their Variables and hold no symbolic tensor: one for all.
static bool opens_object(Vm *vm, Value v, void *data)
{
    const Pack *pack = data;
    if (!era_has(vm, pack->trace->era, value_object(v)) ||
        !hidden_check(vm, pack->trace->request->name->text,
                      value_from_object(type_of(vm, v)))) {
        return false;
    }
    bool own = pack->trace->effects == 0 && !holds_variable(vm, v);
    int holds = own || vm_has_error(vm) ? 1 : hidden_holds(vm, v);
    if (holds == 0) {
        event_add(vm, pack->trace->events, EVENT_OBJECT,
                  "one object for all calls", VALUE_NONE);
    }
    return holds > 0 && !vm_has_error(vm);
}

// The error of a result gets the line of its `return`, where there is one: the
// function has ended, and left no frame.
static void blame_return(Vm *vm, Value target)
{
    const Code *code = value_is_kind(target, KIND_FUNCTION)
                           ? ((const Function *)value_object(target))->code
                           : NULL;
    uint32_t returns = 0, found = 0;
    for (uint32_t word = 0; code != NULL && word < code->word_count;) {
        bool here = INS_OP(code->words[word]) == OPCODE_RET;
        word = code_next(code, word);
        returns += here;
        found = here ? word : found;
    }
    if (returns == 1) {
        raise_add_frame(vm, code, found);
    }
}

// The tree with its symbolic tensors is kept: a run puts tensors in their
// places.
static bool pack_outputs(Vm *vm, Trace *trace, Concrete *concrete,
                         const ValueVec *changed, Value value)
{
    Pack pack = {.trace = trace, .whole = value};
    Written *written = &concrete->written;
    Placed placed = {&written->copies, changed, &written->copies,
                     &written->contents};
    concrete->result =
        written->copies.count > 0
            ? structure_map_placed(vm, value, &placed, pack_leaf, opens_object,
                                   &pack)
            : structure_map_shared(vm, value, pack_leaf, opens_object, &pack,
                                   &concrete->shares);
    bool walked = written->copies.count > 0 || concrete->shares;
    bool ok = !value_failed(concrete->result) &&
              (walked || template_lay(vm, &concrete->layout, concrete->result));
    if (!ok) {
        blame_return(vm, trace->request->target);
    }
    if (value_failed(concrete->result)) {
        concrete->result = VALUE_NONE;
    }
    ok = ok && graph_block_results(trace->graph, trace->block, pack.ids.items,
                                   (uint32_t)pack.ids.count);
    vec_free(&vm->ctx, &pack.ids);
    return ok;
}

static bool set_outputs(Vm *vm, Trace *trace, Concrete *concrete,
                        const ValueVec *changed, Value value)
{
    if (!trace->undecided && !either_is(vm, value)) {
        return pack_outputs(vm, trace, concrete, changed, value);
    }
    bool any = false;
    Value expanded = either_expand(vm, value, trace->block, NULL,
                                   &concrete->written.copies, &any);
    concrete->either |= any;
    bool ok = !value_failed(expanded) &&
              pack_outputs(vm, trace, concrete, changed, expanded);
    release(vm, expanded);
    return ok;
}

// Whether somebody has looked at the order of a dict in the tree since it was
// last asked.
static bool was_walked(Vm *vm, Value v)
{
    StructureKind kind = structure_kind(vm, v);
    ValueVec children = {0};
    bool dict = kind == STRUCTURE_DICT || poison_is_dict(vm, v);
    bool walked = dict && value_as_dict(v)->walked;
    if (kind != STRUCTURE_LEAF && kind != STRUCTURE_SET &&
        ctx_enter(&vm->ctx)) {
        // Without memory any answer is as good: the error is pending.
        walked |= !structure_children(vm, v, &children);
        for (size_t i = 0; i < children.count; i++) {
            walked |= was_walked(vm, children.items[i]);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &children);
    if (dict) {
        value_as_dict(v)->walked = false;
    }
    return walked;
}

// The same of all arguments.
static bool any_walked(Vm *vm, const Trace *trace, const Bound *bound)
{
    bool walked = trace->keywords != NULL && trace->keywords->count > 1 &&
                  trace->keywords->walked;
    for (size_t i = 0; i < bound->values.count; i++) {
        walked |= was_walked(vm, bound->values.items[i]);
    }
    return walked;
}

static uint32_t looked_at(const Trace *trace)
{
    uint32_t looks = 0;
    for (size_t i = 0; i < trace->stand_ins.count; i++) {
        looks |= value_as_variable(trace->stand_ins.items[i])->looked;
    }
    return looks;
}

void concrete_keywords(Vm *vm, const Function *function, Dict *keywords)
{
    Trace *trace = vm->trace;
    if (trace->keywords == NULL &&
        value_same(trace->request->target,
                   value_from_object((Object *)&function->head))) {
        trace->keywords = object_retain(keywords);
    }
}

// Whether a container in the result is not the trace's own, which eager code
// hands out as the one that it is. Those of arguments stay the caller's when
// the trace changes any of them (written.h).
static bool is_handed_through(Vm *vm, const Trace *trace,
                              const Concrete *concrete, const Given *given,
                              Value result)
{
    StructureKind kind = structure_kind(vm, result);
    if (kind == STRUCTURE_LEAF) {
        return false;
    }
    bool found = kind != STRUCTURE_TUPLE &&
                 !era_has(vm, trace->era, value_object(result));
    for (size_t i = 0; i < given->containers.count && kind != STRUCTURE_TUPLE;
         i++) {
        found |= concrete->written.copies.count == 0 &&
                 value_same(result, given->containers.items[i]);
    }
    ValueVec children = {0};
    if (!found && kind != STRUCTURE_SET && ctx_enter(&vm->ctx)) {
        // Without memory any answer is as good: the error is pending.
        found = !structure_children(vm, result, &children);
        for (size_t i = 0; !found && i < children.count; i++) {
            found = is_handed_through(vm, trace, concrete, given,
                                      children.items[i]);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &children);
    return found;
}

// Calls the function inside the trace.
static bool call_host(Vm *vm, Trace *trace, const TraceRequest *request,
                      Concrete *concrete)
{
    Rebuild rebuild = {.trace = trace, .request = request};
    Bound symbolic;
    strbuf_init(&rebuild.path, &vm->ctx);
    bool bound = bound_map(vm, request->target, request->bound, &rebuild.path,
                           symbolic_leaf, &rebuild, &symbolic);
    strbuf_free(&rebuild.path);
    if (!bound) {
        return false;
    }
    Given given = {0};
    Value value = VALUE_FAIL;
    if (written_open(vm, &symbolic, &given) &&
        bound_show(vm, request->target, &symbolic)) {
        (void)any_walked(vm, trace, &symbolic);
        trace->given = &given;
        value = bound_call(vm, request->target, &symbolic);
    }
    trace->given = NULL;
    if (value_failed(value) && !trace->gave_up && !late_error_ended(vm)) {
        late_error_close(vm);
    }
    if (value_failed(value) && !trace->gave_up && late_error_ended(vm)) {
        concrete->ends = raise_take(vm);
        value = VALUE_NONE;
    }
    // What fails from here on is no error of the function.
    trace->gave_up |= !value_failed(value);
    bool ok =
        !value_failed(value) && written_close(vm, request, &given, concrete);
    if (ok && is_handed_through(vm, trace, concrete, &given, value)) {
        event_add(vm, trace->events, EVENT_OBJECT, "built anew for each call",
                  VALUE_NONE);
    }
    ok = ok && !vm_has_error(vm) && journal_tell_joined(vm, trace);
    // Fields of a dataclass may be properties: no code runs behind an error.
    concrete->looks =
        (ok && any_walked(vm, trace, &symbolic) ? LOOKS_AT_ORDER : 0) |
        looked_at(trace);
    ok = ok && set_outputs(vm, trace, concrete, &given.contents, value) &&
         !vm_has_error(vm) &&
         signature_looked(vm, request->signature, request->bound,
                          concrete->looks, &concrete->looked);
    release(vm, value);
    bound_free(vm, &symbolic);
    written_free(vm, &given);
    return ok;
}

// What the trace leaves to the Concrete, and what ends with it.
static void end_trace(Vm *vm, Trace *trace, Concrete *concrete)
{
    // Ownership moves, on failure too: the Concrete is released then.
    concrete->outer = trace->outer_values;
    concrete->outer_serial = trace->outer != NULL ? trace->outer->serial : 0;
    concrete->variables = trace->stand_ins.count;
    trace_close_variables(vm, trace);
    births_free(vm, (Births *)&trace->births);
    birth_free_draws(vm, &trace->draws);
    object_release_null(&vm->ctx, trace->keywords);
    sites_free(vm, trace);
    map_free(&trace->scopes);
    late_text_cut(vm, trace, 0);
    map_free(&trace->outer_inputs);
    for (size_t i = 0; i < trace->called.count; i++) {
        object_release(&vm->ctx, trace->called.items[i]);
    }
    vec_free(&vm->ctx, &trace->called);
    ((TraceOwner *)trace->owner)->ended = true;
    object_release(&vm->ctx, trace->owner);
}

// The owner has a count of its own on the graph: what has leaked outlives the
// trace, and still must be able to say where it was made.
static TraceOwner *owner_new(Vm *vm, Graph *graph, size_t number)
{
    TraceOwner *owner =
        object_new(vm, stager_of(vm)->graph_type, sizeof *owner);
    if (owner != NULL) {
        Object head = owner->head;
        *owner = (TraceOwner){.head = head, .graph = graph_retain(graph)};
        events_init(vm, &owner->events, number);
    }
    return owner;
}

// Not the time of day, which may jump.
static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The trace is in force exactly while the host function runs and what it made
// is checked; objects made meanwhile carry its era, which is how stores into
// older ones are seen.
static bool run_trace(Vm *vm, const TraceRequest *request, Concrete *concrete)
{
    Stager *stager = stager_of(vm);
    TraceOwner *owner = owner_new(vm, concrete->graph, request->number);
    if (owner == NULL || !era_open(vm)) {
        object_release_null(&vm->ctx, owner);
        return false;
    }
    concrete->owner = object_retain(owner);
    Trace trace = {.owner = &owner->head,
                   .graph = concrete->graph,
                   .block = concrete->graph->block,
                   .outer = vm->trace,
                   .request = request,
                   .serial = ++stager->traced,
                   .era = vm->ctx.birth,
                   .as_written = !request->staged->options.autograph,
                   .events = &owner->events,
                   .look = SITES_LOOK,
                   .frozen = &concrete->frozen};
    map_init(&trace.outer_inputs, &vm->ctx);
    map_init(&trace.scopes, &vm->ctx);
    map_init(&trace.draws.places, &vm->ctx);
    trace.base = vm->frame == NULL ? vm->frames : vm->frame + 1;
    vm->trace = &trace;
    uint64_t start = now_ns();
    bool ok = trace_open_variables(vm, &trace) &&
              call_host(vm, &trace, request, concrete);
    concrete->trace_ns = now_ns() - start;
    // Also after a failure, whose exception has left blocks of the trace open.
    blocks_drop(vm, &trace);
    ok = ok && birth_close(vm, &trace) &&
         frozen_close(vm, &concrete->frozen, concrete);
    if (ok) {
        sites_tell(vm, &trace);
    }
    // Whatever happened, the enclosing trace goes on as it was.
    vm->trace = trace.outer;
    if (!ok && trace.outer != NULL) {
        trace.outer->gave_up |= trace.gave_up;
    }
    era_close(vm);
    end_trace(vm, &trace, concrete);
    return ok;
}

// Linked while the trace is listed (traces.c).
static bool make_uses(Vm *vm, Concrete *self, const ValueVec *objects)
{
    if (objects->count == 0) {
        return true;
    }
    self->uses = ctx_alloc_zero(&vm->ctx, objects->count * sizeof *self->uses);
    if (self->uses == NULL) {
        return false;
    }
    self->use_count = objects->count;
    for (size_t i = 0; i < objects->count; i++) {
        Object *identity = object_retain(value_object(objects->items[i]));
        self->uses[i] =
            (IdentityUse){.trace = self, .identity = (Identity *)identity};
    }
    return true;
}

// Keeps what later calls are compared with.
static bool keep_request(Vm *vm, Concrete *self, const TraceRequest *request)
{
    const Signature *signature = request->signature;
    // Specs need no trace.
    Rebuild rebuild = {.request = request, .looks = self->looks};
    strbuf_add(&self->key, strbuf_text(&signature->key), signature->key.length);
    return strbuf_ok(&self->key) && make_uses(vm, self, &signature->objects) &&
           bound_map(vm, request->target, request->bound, NULL, spec_leaf,
                     &rebuild, &self->bound);
}

// All fields are set before anything can fail, so that destroying it is right
// at any point.
static Concrete *concrete_empty(Vm *vm, const TraceRequest *request)
{
    Concrete *self = object_new(vm, stager_of(vm)->concrete_type, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    Object head = self->head;
    *self = (Concrete){.head = head,
                       .result = VALUE_NONE,
                       .ends = VALUE_NONE,
                       .target = value_retain(request->target),
                       .name = object_retain(request->name),
                       .number = request->number,
                       .line = request->line,
                       .graph = graph_new(&vm->ctx, request->name->text)};
    strbuf_init(&self->key, &vm->ctx);
    strbuf_init(&self->relaxed, &vm->ctx);
    strbuf_init(&self->looked, &vm->ctx);
    frozen_init(vm, &self->frozen);
    return self;
}

// The plan is built last; without one the trace is dropped and nobody sees it.
Concrete *concrete_new(Vm *vm, const TraceRequest *request)
{
    Stager *stager = stager_of(vm);
    Concrete *self = concrete_empty(vm, request);
    if (self == NULL) {
        return NULL;
    }
    if (stager->log) {
        fprintf(stderr, "stage: tracing %s (trace %zu)\n", request->name->text,
                request->number);
    }
    if (self->graph != NULL) {
        self->graph->exact = request->staged->options.signature != NULL;
    }
    if (self->graph != NULL && run_trace(vm, request, self) &&
        keep_request(vm, self, request)) {
        self->plan = plan_build(&vm->ctx, self->graph, &stager->options);
    }
    if (self->plan == NULL) {
        // What it did outside stays done.
        if (self->owner != NULL) {
            error_notes_traced(vm, &self->owner->events, request);
            events_keep(vm, &request->staged->table.past, &self->owner->events);
        }
        object_release(&vm->ctx, self);
        return NULL;
    }
    return self;
}
