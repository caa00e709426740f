// What a turn of a staged loop leaves otherwise than it was, and what the graph
// holds from the start in the next trace of the body.
#include "interp/tensors/tensor_convert.h"
#include "stager/either.h"
#include "stager/events.h"
#include "stager/late_text.h"
#include "stager/loop_held.h"
#include "stager/loops.h"
#include "stager/maybe.h"
#include "stager/staged_list.h"

Value loop_lift_before(const StagedBlock *block, uint32_t i)
{
    for (size_t at = 0; at < block->lifted.count; at++) {
        if (block->lifted.items[at].place == i) {
            return block->lifted.items[at].before;
        }
    }
    return block->before[i];
}

void loop_lift_free(Vm *vm, StagedBlock *block)
{
    for (size_t i = 0; i < block->lifted.count; i++) {
        release(vm, block->lifted.items[i].before);
    }
    vec_free(&vm->ctx, &block->lifted);
}

// The state begins with `now`, which is taken.
static bool lift(Vm *vm, StagedBlock *block, uint32_t i, Value now)
{
    LiftedPlace lifted = {i, value_retain(loop_lift_before(block, i))};
    if (!vec_push(&vm->ctx, &block->lifted, lifted)) {
        release(vm, lifted.before);
        release(vm, now);
        return false;
    }
    value_replace(&vm->ctx, &block->before[i], now);
    return true;
}

bool loop_lift_open(Vm *vm, StagedBlock *block, uint32_t i)
{
    Value state = maybe_open(vm, block->before[i]);
    return value_unbound(state) || lift(vm, block, i, state);
}

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
        bool ok = !value_failed(staged) &&
                  journal_joined(vm, staged, before, VALUE_UNBOUND,
                                 block_line(block));
        if (!ok) {
            release(vm, staged);
        }
        fits = ok && lift(vm, block, i, staged) ? 1 : -1;
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
    return lift(vm, block, i, text) ? 1 : -1;
}

// None in some turns, or before the first: the variable is that or a value.
static int lift_none(Vm *vm, StagedBlock *block, uint32_t i, Value after)
{
    Value before = block->before[i];
    if (block->info->places[i].hidden || either_is(vm, before)) {
        return 0;
    }
    Value state = maybe_begin(vm, block, before, after);
    if (value_failed(state) || value_unbound(state)) {
        return value_failed(state) ? -1 : 0;
    }
    return lift(vm, block, i, state) ? 1 : -1;
}

int loop_lift(Vm *vm, StagedBlock *block, uint32_t i, Value after)
{
    int lifted = lift_text(vm, block, i, after);
    lifted = lifted == 0 ? lift_none(vm, block, i, after) : lifted;
    lifted = lifted == 0 ? lift_list(vm, block, i, after) : lifted;
    block->more |= lifted > 0;
    return lifted;
}

int loop_lift_held(Vm *vm, StagedBlock *block, HeldPlace *place, Value after)
{
    Value state = value_unbound(after) || !value_unbound(place->state)
                      ? VALUE_UNBOUND
                      : maybe_begin(vm, block, place->before, after);
    if (value_failed(state) || value_unbound(state)) {
        return value_failed(state) ? -1 : 0;
    }
    place->state = state;
    block->more = true;
    return 1;
}
