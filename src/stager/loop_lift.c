// What a turn of a staged loop leaves otherwise than it was, and what the graph
// holds from the start in the next trace of the body.
#include "interp/tensors/tensor_convert.h"
#include "stager/either.h"
#include "stager/events.h"
#include "stager/late_text.h"
#include "stager/loops.h"
#include "stager/maybe.h"
#include "stager/staged_list.h"

// Another list, of another length: the variable holds a list of the graph in
// every turn, and the body is traced again.
static int lift_list(Vm *vm, StagedBlock *block, uint32_t i, Value after)
{
    Value before = block->before[i];
    ListForm form = {.pattern = VALUE_UNBOUND};
    int fits = staged_list_fits(vm, before) && staged_list_fits(vm, after) &&
               !staged_list_is(vm, before);
    fits = fits == 1 ? staged_list_add_form(vm, &form, before) : fits;
    fits = fits == 1 ? staged_list_add_form(vm, &form, after) : fits;
    if (fits == 1) {
        Value staged = staged_list_from(vm, &form, block->parent, before);
        fits = value_failed(staged) ? -1 : 1;
        if (fits == 1) {
            if (!journal_joined(vm, staged, before, VALUE_UNBOUND,
                                block_line(block))) {
                fits = -1;
            }
            value_replace(&vm->ctx, &block->before[i], staged);
            block->more = true;
        }
    }
    list_form_free(vm, &form);
    return fits;
}

// Another text: the variable holds a tensor that stands for texts in every
// turn, and the body is traced again.
static int lift_text(Vm *vm, StagedBlock *block, uint32_t i, Value after)
{
    Value before = block->before[i];
    if (!value_is_str(before) || !value_is_text(after) ||
        (value_is_str(after) && late_text_line(vm, value_as_str(after)) != 0)) {
        return 0;
    }
    ValueId id = merge_leaf_id(vm, "while", block->parent, before, DT_STRING);
    Value text = id != VALUE_ID_NONE ? trace_symbolic(vm, vm->trace, id, NULL)
                                     : VALUE_FAIL;
    if (value_failed(text)) {
        return -1;
    }
    value_as_symbolic(text)->text = true;
    event_tensor(vm, before);
    value_replace(&vm->ctx, &block->before[i], text);
    block->more = true;
    return 1;
}

// None in some turns, or before the first: the variable is that or a value.
static int lift_none(Vm *vm, StagedBlock *block, uint32_t i, Value after)
{
    Value before = block->before[i];
    if (!state_is_variable(&block->info->places[i]) || either_is(vm, before)) {
        return 0;
    }
    Value state = maybe_begin(vm, block, before, after);
    if (value_failed(state) || value_unbound(state)) {
        return value_failed(state) ? -1 : 0;
    }
    value_replace(&vm->ctx, &block->before[i], state);
    block->more = true;
    return 1;
}

int loop_lift(Vm *vm, StagedBlock *block, uint32_t i, Value after)
{
    int lifted = lift_text(vm, block, i, after);
    lifted = lifted == 0 ? lift_none(vm, block, i, after) : lifted;
    return lifted == 0 ? lift_list(vm, block, i, after) : lifted;
}
