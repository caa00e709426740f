// The quick way of a staged call.
//
// Invariant: whatever a guard lets pass has the key of its trace, and would
// find it by look-up; where there is doubt (frozen values that may have
// changed) it lets nothing pass. Nothing of a check runs host code, but a run
// may: what a structure holds is held for as long.
#include "stager/guard.h"

#include "graph/build.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "stager/traces.h"

// A call that passes.
typedef struct GuardCall {
    Tensor *inputs[GUARD_MAX_NODES];      // borrowed
    Variable *variables[GUARD_MAX_NODES]; // likewise
    uint32_t variable_count;
} GuardCall;

static bool passes_wide(const GuardNode *node, const Tensor *tensor)
{
    return node->wide.rank != 0 &&
           graph_type_covers(node->wide, tensor_type(tensor));
}

ALWAYS_INLINE bool passes_type(const GuardNode *node, const Tensor *tensor)
{
    if (tensor->dtype != node->dtype || tensor->rank != node->rank) {
        return passes_wide(node, tensor);
    }
    for (int i = 0; i < node->rank; i++) {
        if (tensor->inline_dims[i] != node->dims[i]) {
            return passes_wide(node, tensor);
        }
    }
    return true;
}

// The same type, and a new one just where the guarded call had a new one.
static bool passes_variable(const GuardNode *node, Variable *variable,
                            GuardCall *call)
{
    if (variable->stands_for != NULL || variable->cell.declared != NULL ||
        variable->trainable != node->trainable ||
        !passes_type(node, variable->cell.value) ||
        !variable_is_bare(variable)) {
        return false;
    }
    for (uint32_t i = 0; i < call->variable_count; i++) {
        if (call->variables[i] == variable) {
            return i == node->place;
        }
    }
    if (node->place != call->variable_count) {
        return false;
    }
    call->variables[call->variable_count++] = variable;
    return true;
}

// How many children there are.
static bool passes_layout(const GuardNode *node, const Object *object)
{
    switch (node->kind) {
    case GUARD_LIST: return ((const List *)object)->count == node->place;
    case GUARD_TUPLE: return ((const Tuple *)object)->count == node->place;
    case GUARD_DICT:
        return ((const Dict *)object)->count == node->place &&
               ((const Dict *)object)->used == node->place;
    default: return ((const Instance *)object)->shape == node->shape;
    }
}

// The value of the entry; UNBOUND: it has another key.
static Value entry_value(const GuardNode *child, const DictEntry *entry)
{
    bool same = value_same(entry->key, child->key) ||
                (value_is_str(child->key) && value_is_str(entry->key) &&
                 structure_is_plain(entry->key) &&
                 str_equal(value_as_str(entry->key), value_as_str(child->key)));
    return same ? entry->value : VALUE_UNBOUND;
}

static Value child_value(const GuardNode *node, const Object *object,
                         const GuardNode *child)
{
    switch (node->kind) {
    case GUARD_LIST: return ((const List *)object)->items[child->index];
    case GUARD_TUPLE: return ((const Tuple *)object)->items[child->index];
    case GUARD_DICT:
        return entry_value(child,
                           &((const Dict *)object)->entries[child->index]);
    default: return ((const Instance *)object)->slots[child->index];
    }
}

// Structures and Variables. The node behind it and all that it holds; NULL: it
// does not pass.
static const GuardNode *passes_object(const GuardNode *node, Value v,
                                      GuardCall *call);

ALWAYS_INLINE bool passes_tensor(const GuardNode *node, Value v,
                                 GuardCall *call)
{
    if (!value_is_tensor(v) || !passes_type(node, value_as_tensor(v))) {
        return false;
    }
    call->inputs[node->place] = value_as_tensor(v);
    return true;
}

// A tensor by dtype and shape, plain things by identity.
static const GuardNode *passes(const GuardNode *node, Value v, GuardCall *call)
{
    if (node->kind == GUARD_TENSOR) {
        return passes_tensor(node, v, call) ? node + 1 : NULL;
    }
    if (node->kind == GUARD_SAME) {
        return value_same(node->same, v) ? node + 1 : NULL;
    }
    return passes_object(node, v, call);
}

static const GuardNode *passes_object(const GuardNode *node, Value v,
                                      GuardCall *call)
{
    if (!value_is_object(v) || value_object(v)->type != node->cls) {
        return NULL;
    }
    const Object *object = value_object(v);
    if (node->kind == GUARD_VARIABLE) {
        return passes_variable(node, value_as_variable(v), call) ? node + 1
                                                                 : NULL;
    }
    if (!passes_layout(node, object)) {
        return NULL;
    }
    const GuardNode *child = node + 1;
    for (uint32_t i = 0; child != NULL && i < node->place; i++) {
        child = passes(child, child_value(node, object, child), call);
    }
    return child;
}

// What does not come with the call; UNBOUND: not what the guarded call had.
static Value other_source(const Guard *guard, const GuardNode *node)
{
    if (node->source == BOUND_INSTANCE) {
        return guard->instance;
    }
    if (node->source == BOUND_DEFAULTS) {
        return guard->function->defaults == guard->defaults
                   ? guard->defaults->items[node->index]
                   : VALUE_UNBOUND;
    }
    const Dict *dict = guard->function->keyword_defaults;
    return dict != NULL && node->index < dict->used
               ? entry_value(node, &dict->entries[node->index])
               : VALUE_UNBOUND;
}

// Whether the guard covers the call.
static inline bool covers(const Vm *vm, const Guard *guard, const Value *args,
                          uint32_t count, const Tuple *names, GuardCall *call)
{
    if (count != guard->count || names != guard->names ||
        guard->concrete->frozen.stale ||
        (guard->epoch != 0 && guard->epoch != vm->epoch)) {
        return false;
    }
    call->variable_count = 0;
    const GuardNode *node = guard->nodes.items;
    const GuardNode *end = node + guard->nodes.count;
    while (node < end) {
        Value v = LIKELY(node->source == BOUND_CALL)
                      ? args[node->index]
                      : other_source(guard, node);
        if (LIKELY(node->kind == GUARD_TENSOR)) {
            if (!passes_tensor(node, v, call)) {
                return false;
            }
            node++;
        } else if ((node = passes(node, v, call)) == NULL) {
            return false;
        }
    }
    return true;
}

// The run may take them out of the structures that hold them.
static void hold(GuardCall *call, uint32_t tensors, uint32_t variables)
{
    for (uint32_t i = 0; i < tensors; i++) {
        (void)object_retain(call->inputs[i]);
    }
    for (uint32_t i = 0; i < variables; i++) {
        (void)object_retain(call->variables[i]);
    }
}

static void let_go(Vm *vm, GuardCall *call, uint32_t tensors,
                   uint32_t variables)
{
    for (uint32_t i = 0; i < tensors; i++) {
        object_release(&vm->ctx, call->inputs[i]);
    }
    for (uint32_t i = 0; i < variables; i++) {
        object_release(&vm->ctx, call->variables[i]);
    }
}

// With Variables among the arguments: the cells of captured ones are in the
// graph.
static bool run_cells(Vm *vm, Concrete *concrete, GuardCall *call,
                      Tensor **outputs)
{
    VariableCell *cells[GUARD_MAX_NODES] = {NULL};
    for (uint32_t i = 0; i < call->variable_count; i++) {
        cells[i] = &call->variables[i]->cell;
    }
    return concrete_run_inputs(vm, concrete, call->inputs, cells, outputs);
}

// Nothing is allocated on this way but the outputs.
static Value guard_run(Vm *vm, const Guard *guard, GuardCall *call)
{
    Concrete *concrete = guard->concrete;
    Tensor *outputs[GUARD_MAX_NODES];
    if (LIKELY(
            guard->single && !vm->check_numbers &&
            plan_run_quick(&vm->ctx, concrete->plan, call->inputs, outputs))) {
        concrete->hits++;
        return tensor_adopt(vm, outputs[0]);
    }
    // Read before the run, which may call host code that sets the guard anew
    // and drops the trace.
    bool single = guard->single;
    uint32_t tensors = guard->deep ? guard->tensors : 0;
    uint32_t variables = guard->deep ? guard->variables : 0;
    (void)object_retain(concrete);
    hold(call, tensors, variables);
    bool ok =
        call->variable_count > 0
            ? run_cells(vm, concrete, call, outputs)
            : concrete_run_inputs(vm, concrete, call->inputs, NULL, outputs);
    Value result = !ok      ? VALUE_FAIL
                   : single ? tensor_adopt(vm, outputs[0])
                            : concrete_unpack(vm, concrete, NULL, outputs);
    let_go(vm, call, tensors, variables);
    object_release(&vm->ctx, concrete);
    return result;
}

// The one that passed last comes first.
Value guards_run(Vm *vm, Guards *guards, const Value *args, uint32_t count,
                 const Tuple *names)
{
    // On the C stack: the sizes were checked when the guard was set.
    GuardCall call;
    Guard *last = guards->last;
    if (UNLIKELY(vm->recorders != NULL)) {
        return VALUE_UNBOUND;
    }
    if (LIKELY(last != NULL && covers(vm, last, args, count, names, &call))) {
        return guard_run(vm, last, &call);
    }
    if (guards->count == 0) {
        return VALUE_UNBOUND;
    }
    uint32_t hash = guard_hash(guards, args, count, names);
    Guard *guard = guards->buckets[hash & (guards->size - 1)];
    for (; guard != NULL; guard = guard->next) {
        if (guard->hash == hash &&
            covers(vm, guard, args, count, names, &call)) {
            guards->last = guard;
            traces_use(guard->concrete);
            return guard_run(vm, guard, &call);
        }
    }
    return VALUE_UNBOUND;
}
