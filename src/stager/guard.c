// The quick way of a staged call.
//
// Invariant: whatever a guard lets pass has the key of its trace, and would
// find it by look-up; where there is doubt (structures, Variables, objects
// with __tensor__, frozen values that may have changed) it lets nothing pass.
#include "stager/guard.h"

#include "graph/build.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "stager/traces.h"

// `concrete` goes first: releasing a value may run host code, which may call
// the staged function again.
static void guard_clear(Vm *vm, Guard *guard)
{
    uint32_t count = guard->count;
    Tuple *names = guard->names;
    guard->concrete = NULL;
    guard->names = NULL;
    guard->count = 0;
    object_release_null(&vm->ctx, names);
    for (uint32_t i = 0; i < count; i++) {
        if (structure_is_plain(guard->arguments[i].same)) {
            release(vm, guard->arguments[i].same);
        }
    }
}

void guards_clear(Vm *vm, Guards *guards)
{
    for (int i = 0; i < GUARD_COUNT; i++) {
        guard_clear(vm, &guards->items[i]);
    }
}

void guards_drop(Vm *vm, Guards *guards, const Concrete *concrete)
{
    for (int i = 0; i < GUARD_COUNT; i++) {
        if (guards->items[i].concrete == concrete) {
            guard_clear(vm, &guards->items[i]);
        }
    }
}

void guards_visit(const Guards *guards, void (*visit)(Object *, void *),
                  void *data)
{
    for (int g = 0; g < GUARD_COUNT; g++) {
        const Guard *guard = &guards->items[g];
        if (guard->names != NULL) {
            visit((Object *)guard->names, data);
        }
        for (uint32_t i = 0; i < guard->count; i++) {
            const Value *same = &guard->arguments[i].same;
            values_visit(same, structure_is_plain(*same), visit, data);
        }
    }
}

// Whether being the same value is enough to be the same argument.
static bool is_fixed(Vm *vm, Value v)
{
    // Numbers and the like are immediate: equal bits are the same value.
    if (!value_is_object(v)) {
        return true;
    }
    return !value_is_operand(v) && !signature_is_tensor(vm, v) &&
           structure_kind(vm, v) == STRUCTURE_LEAF;
}

// False where the guard cannot tell that another call is of the same signature.
static bool guard_argument(Vm *vm, Value v, GuardArgument *out)
{
    out->same = VALUE_NONE;
    out->wide = (TensorType){.rank = 0};
    out->is_tensor = value_is_tensor(v);
    if (!out->is_tensor) {
        if (is_fixed(vm, v)) {
            out->same = structure_is_plain(v) ? value_retain(v) : v;
            return true;
        }
        return false;
    }
    const Tensor *tensor = value_as_tensor(v);
    // Copied and not borrowed: the tensor may be gone by the next call.
    out->dtype = tensor->dtype;
    out->rank = tensor->rank;
    // Only sizes that stand in the tensor itself are compared quickly.
    if (tensor->rank > TENSOR_INLINE_RANK) {
        return false;
    }
    for (int i = 0; i < tensor->rank; i++) {
        out->dims[i] = tensor->inline_dims[i];
    }
    return true;
}

// In which order the trace has the tensors: by parameters, which keywords name
// in any order. False: one is no parameter's name, or there are others, by
// default.
static bool find_places(Guard *guard, Value function, uint32_t named)
{
    uint32_t keys[GUARD_MAX_ARGUMENTS], tensors = 0, inputs = 0;
    const Graph *graph = guard->concrete->graph;
    for (uint32_t i = 0; i < guard->count; i++) {
        keys[i] = i;
        if (i >= named) {
            Value name = guard->names->items[i - named];
            int param = bound_param(function, value_as_str(name), named);
            if (param < 0) {
                return false;
            }
            keys[i] = (uint32_t)param;
        }
    }
    for (uint32_t i = 0; i < guard->count; i++) {
        guard->arguments[i].place = 0;
        tensors += guard->arguments[i].is_tensor;
        for (uint32_t k = 0; k < guard->count; k++) {
            guard->arguments[i].place +=
                guard->arguments[k].is_tensor && keys[k] < keys[i];
        }
    }
    for (size_t i = 0; i < graph->inputs.count; i++) {
        inputs += graph->inputs.items[i].kind == INPUT_ARGUMENT;
    }
    return tensors == inputs;
}

// signature= has one trace for all that its specs take.
static void widen(Guard *guard)
{
    const Graph *graph = guard->concrete->graph;
    for (uint32_t i = 0; graph->exact && i < guard->count; i++) {
        GuardArgument *argument = &guard->arguments[i];
        uint32_t place = 0;
        for (size_t k = 0; k < graph->inputs.count; k++) {
            const GraphInput *input = &graph->inputs.items[k];
            if (input->kind == INPUT_ARGUMENT && place++ == argument->place &&
                argument->is_tensor) {
                argument->wide = graph_type(graph, input->value);
            }
        }
    }
}

// The one of the trace if there is one, else an empty one, or the one that was
// set or passed longest ago, as far as is known.
static Guard *guard_due(Guards *guards, const Concrete *concrete)
{
    uint32_t due = (guards->last + 1) % GUARD_COUNT;
    for (uint32_t i = 0; i < GUARD_COUNT; i++) {
        if (guards->items[i].concrete == concrete) {
            due = i;
        }
    }
    guards->last = due;
    return &guards->items[due];
}

// A trace with Variable arguments goes the long way: which of them are the same
// one is part of its key.
void guards_set(Vm *vm, Guards *guards, Value function, Concrete *concrete,
                const Value *args, uint32_t count, Tuple *names)
{
    uint32_t named = names != NULL ? (uint32_t)names->count : 0;
    if (count > GUARD_MAX_ARGUMENTS || concrete->outer.count > 0 ||
        concrete->variables > 0 || concrete->written.copies.count > 0 ||
        concrete->graph->block->result_count > GUARD_MAX_ARGUMENTS) {
        return;
    }
    Guard *guard = guard_due(guards, concrete);
    guard_clear(vm, guard);
    for (uint32_t i = 0; i < count; i++) {
        if (!guard_argument(vm, args[i], &guard->arguments[i])) {
            guard_clear(vm, guard);
            return;
        }
        // Kept in step, so that guard_clear releases just what is held.
        guard->count = i + 1;
    }
    guard->names = names != NULL ? object_retain(names) : NULL;
    guard->single = value_is_kind(concrete->result, KIND_SYMBOLIC) &&
                    !symbolic_is_text(concrete->result);
    // The trace is named last: until then the guard lets nothing pass.
    guard->concrete = concrete;
    if (!find_places(guard, function, count - named)) {
        guard_clear(vm, guard);
        return;
    }
    widen(guard);
}

static bool passes_wide(const GuardArgument *guard, const Tensor *tensor)
{
    return guard->wide.rank != 0 &&
           graph_type_covers(guard->wide, tensor_type(tensor));
}

// A tensor by dtype and shape, all else by identity.
static inline bool passes(const GuardArgument *guard, Value v)
{
    if (!guard->is_tensor) {
        return value_same(guard->same, v);
    }
    if (!value_is_tensor(v)) {
        return false;
    }
    const Tensor *tensor = value_as_tensor(v);
    if (tensor->dtype != guard->dtype || tensor->rank != guard->rank) {
        return passes_wide(guard, tensor);
    }
    for (int i = 0; i < guard->rank; i++) {
        if (tensor->inline_dims[i] != guard->dims[i]) {
            return passes_wide(guard, tensor);
        }
    }
    return true;
}

// Whether the guard covers the call; its tensors as the trace has them.
static inline bool covers(const Guard *guard, const Value *args, uint32_t count,
                          const Tuple *names, Tensor **inputs)
{
    if (guard->concrete == NULL || count != guard->count ||
        names != guard->names || guard->concrete->frozen.stale) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const GuardArgument *argument = &guard->arguments[i];
        if (!passes(argument, args[i])) {
            return false;
        }
        if (argument->is_tensor) {
            inputs[argument->place] = value_as_tensor(args[i]);
        }
    }
    return true;
}

// Nothing is allocated on this way but the outputs.
static Value guard_run(Vm *vm, const Guard *guard, Tensor **inputs)
{
    Concrete *concrete = guard->concrete;
    Tensor *outputs[GUARD_MAX_ARGUMENTS];
    if (LIKELY(guard->single && !vm->check_numbers &&
               plan_run_quick(&vm->ctx, concrete->plan, inputs, outputs))) {
        concrete->hits++;
        return tensor_adopt(vm, outputs[0]);
    }
    // Read before the run, which may change the guard.
    bool single = guard->single;
    // The run may call host code, which may set the guard anew and drop the
    // trace.
    (void)object_retain(concrete);
    Value result = VALUE_FAIL;
    if (LIKELY(concrete_run_inputs(vm, concrete, inputs, NULL, outputs))) {
        result = single ? tensor_adopt(vm, outputs[0])
                        : concrete_unpack(vm, concrete, NULL, outputs);
    }
    object_release(&vm->ctx, concrete);
    return result;
}

// The one that passed last comes first.
Value guards_run(Vm *vm, Guards *guards, const Value *args, uint32_t count,
                 const Tuple *names)
{
    // On the C stack: the sizes were checked when the guard was set.
    Tensor *inputs[GUARD_MAX_ARGUMENTS];
    if (UNLIKELY(vm->recorders != NULL)) {
        return VALUE_UNBOUND;
    }
    if (LIKELY(
            covers(&guards->items[guards->last], args, count, names, inputs))) {
        return guard_run(vm, &guards->items[guards->last], inputs);
    }
    for (uint32_t i = 1; i < GUARD_COUNT; i++) {
        uint32_t at = (guards->last + i) % GUARD_COUNT;
        if (covers(&guards->items[at], args, count, names, inputs)) {
            guards->last = at;
            traces_use(guards->items[at].concrete);
            return guard_run(vm, &guards->items[at], inputs);
        }
    }
    return VALUE_UNBOUND;
}
