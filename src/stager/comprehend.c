// Whether a comprehension is a loop of the graph. Items whose number is known
// stay the host's: their list has a length.
#include "stager/comprehend.h"

#include <string.h>

#include "interp/machine/compile/block_note.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "interp/tensors/obj_tensor.h"
#include "stager/stage_blocks.h"
#include "stager/staged_list.h"

static bool is_counted(Vm *vm, Value v);

// range() of a tensor; zip() and enumerate() of what tensors count.
static bool is_note_counted(Vm *vm, const Tuple *note)
{
    bool range = value_same(note->items[1],
                            value_from_object(type_of_kind(vm, KIND_RANGE)));
    bool found = false;
    for (size_t i = 2; !found && i < note->count; i++) {
        Value v = note->items[i];
        found = range ? value_is_operand(v) && !value_is_tensor(v)
                      : is_counted(vm, v);
    }
    return found;
}

// Whether tensors decide how many items it has.
static bool is_counted(Vm *vm, Value v)
{
    if (value_is_kind(v, KIND_SYMBOLIC)) {
        TensorType type = operand_type(v);
        return type.rank < 0 || (type.rank > 0 && type.dims[0] < 0);
    }
    if (!block_is_note(v) || !ctx_enter(&vm->ctx)) {
        return staged_list_is(vm, v);
    }
    bool counted = is_note_counted(vm, value_as_tuple(v));
    ctx_leave(&vm->ctx);
    return counted;
}

// What the host walks instead of a note: what the call gives, and those among
// its arguments.
static bool call_note(Vm *vm, Value *place)
{
    Tuple *note = value_as_tuple(*place);
    bool ok = ctx_enter(&vm->ctx);
    if (!ok) {
        return false;
    }
    for (size_t i = 2; ok && i < note->count; i++) {
        ok = !block_is_note(note->items[i]) || call_note(vm, &note->items[i]);
    }
    ctx_leave(&vm->ctx);
    Value made = ok ? vm_call(vm, note->items[1], note->items + 2,
                              (uint32_t)note->count - 2)
                    : VALUE_FAIL;
    if (value_failed(made)) {
        return false;
    }
    value_replace(&vm->ctx, place, made);
    return true;
}

Value comprehend_items(Vm *vm, Value function, Value *items)
{
    if (is_counted(vm, *items)) {
        Value operands[2] = {function, *items};
        return stage_block_call(vm, "comprehend", operands, 2);
    }
    bool ok =
        !vm_has_error(vm) && (!block_is_note(*items) || call_note(vm, items));
    return ok ? VALUE_UNBOUND : VALUE_FAIL;
}

Value comprehend_sum(Vm *vm, Value items, Value start)
{
    Value operands[2] = {items, start};
    return staged_list_is(vm, items)
               ? stage_block_call(vm, "add_up", operands, 2)
               : VALUE_UNBOUND;
}
