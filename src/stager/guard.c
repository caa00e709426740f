// The quick way of a staged call.
//
// Invariant: whatever a guard lets pass has the key of its trace, and would
// find it by look-up; where there is doubt (structures, Variables, objects
// with __tensor__, frozen values that may have changed) it lets nothing pass.
#include "stager/guard.h"

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"

// `concrete` goes first: releasing a value may run host code, which may call
// the staged function again.
void guard_clear(Vm *vm, Guard *guard)
{
    uint32_t count = guard->count;
    guard->concrete = NULL;
    guard->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (structure_is_plain(guard->arguments[i].same)) {
            release(vm, guard->arguments[i].same);
        }
    }
}

void guard_visit(const Guard *guard, void (*visit)(Object *, void *),
                 void *data)
{
    for (uint32_t i = 0; i < guard->count; i++) {
        const Value *same = &guard->arguments[i].same;
        values_visit(same, structure_is_plain(*same), visit, data);
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

// A trace with Variable arguments goes the long way: which of them are the same
// one is part of its key.
void guard_set(Vm *vm, Guard *guard, Concrete *concrete, const Value *args,
               uint32_t count)
{
    guard_clear(vm, guard);
    if (count > GUARD_MAX_ARGUMENTS || concrete->outer.count > 0 ||
        concrete->variables > 0 ||
        concrete->graph->block->result_count > GUARD_MAX_ARGUMENTS) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!guard_argument(vm, args[i], &guard->arguments[i])) {
            guard_clear(vm, guard);
            return;
        }
        // Kept in step, so that guard_clear releases just what is held.
        guard->count = i + 1;
    }
    // The trace is named last: until then the guard lets nothing pass.
    guard->single = value_is_kind(concrete->result, KIND_SYMBOLIC);
    guard->concrete = concrete;
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
        return false;
    }
    for (int i = 0; i < guard->rank; i++) {
        if (tensor->inline_dims[i] != guard->dims[i]) {
            return false;
        }
    }
    return true;
}

// Nothing is allocated on this way but the outputs.
Value guard_run(Vm *vm, const Guard *guard, const Value *args, uint32_t count)
{
    Concrete *concrete = guard->concrete;
    if (concrete == NULL || count != guard->count || concrete->frozen.stale ||
        vm->tapes != NULL) {
        return VALUE_UNBOUND;
    }
    // On the C stack: the sizes were checked when the guard was set.
    Tensor *inputs[GUARD_MAX_ARGUMENTS], *outputs[GUARD_MAX_ARGUMENTS];
    uint32_t tensors = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!passes(&guard->arguments[i], args[i])) {
            return VALUE_UNBOUND;
        }
        if (guard->arguments[i].is_tensor) {
            inputs[tensors++] = value_as_tensor(args[i]);
        }
    }
    // Read before the run, which may change the guard.
    bool single = guard->single;
    // The run may call host code, which may set the guard anew and drop the
    // trace.
    (void)object_retain(concrete);
    Value result = VALUE_FAIL;
    if (LIKELY(concrete_run_inputs(vm, concrete, inputs, NULL, outputs))) {
        result = single ? tensor_adopt(vm, outputs[0])
                        : concrete_unpack(vm, concrete, outputs);
    }
    object_release(&vm->ctx, concrete);
    return result;
}
