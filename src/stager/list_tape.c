// Taking lists apart and putting them together, which tapes record.
//
// Invariant: each element is a tensor of its own, since a tape knows tensors by
// their addresses.
#include "stager/list_tape.h"

#include "interp/core/raise.h"
#include "interp/tensors/apply.h"
#include "ops/tensor_list.h"
#include "tape/tape.h"

static void drop_items(Vm *vm, Value *items, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        value_release(&vm->ctx, items[i]);
        items[i] = VALUE_UNBOUND;
    }
}

static Value zeros_like(Vm *vm, Value item)
{
    static const AttrValue same[OP_MAX_ATTRS];
    return apply_one(vm, OP_ZEROS_LIKE, &item, 1, same);
}

static Value take_out(Vm *vm, const Tensor *list, int64_t at, const Value *like)
{
    if (like != NULL && tensor_list_items(list)[at] == NULL) {
        return zeros_like(vm, like[at]);
    }
    Tensor *held = tensor_list_item(&vm->ctx, list, at, RANK_UNKNOWN, NULL);
    if (held != NULL && !recorder_active(vm)) {
        return tensor_adopt(vm, held);
    }
    Tensor *own = held == NULL ? NULL
                               : tensor_reshaped(&vm->ctx, held, held->rank,
                                                 tensor_dims(held));
    object_release_null(&vm->ctx, held);
    return own != NULL ? tensor_adopt(vm, own) : VALUE_FAIL;
}

// A list of these elements, VALUE_FAIL.
static Value pack(Vm *vm, DType dtype, Value *items, uint32_t count);

// The gradient of a list is the list of its elements'.
static bool pack_gradients(Vm *vm, const TapeEntry *entry, const TapeBack *back)
{
    const Tensor *whole = value_as_tensor(back->inputs[0]);
    uint32_t count = entry->output_count;
    size_t size = count * sizeof(Value);
    Value *items = ctx_alloc(&vm->ctx, size);
    uint32_t made = 0;
    bool ok = items != NULL;
    for (; ok && made < count; made += ok) {
        Value grad = back->output_grads[made];
        if (value_unbound(grad)) {
            Value item = take_out(vm, whole, made, NULL);
            grad = value_failed(item) ? item : zeros_like(vm, item);
            value_release(&vm->ctx, item);
        } else {
            value_retain(grad);
        }
        ok = !value_failed(grad);
        items[made] = grad;
    }
    DType dtype = dtype_element((DType)whole->dtype);
    Value list = ok ? pack(vm, dtype, items, count) : VALUE_FAIL;
    drop_items(vm, items, made);
    ctx_free(&vm->ctx, items, items != NULL ? size : 0);
    back->input_grads[0] = value_failed(list) ? VALUE_UNBOUND : list;
    return !value_failed(list);
}

// And the gradients of elements are those of the list.
static bool unpack_gradients(Vm *vm, const TapeEntry *entry,
                             const TapeBack *back)
{
    (void)entry;
    return value_unbound(back->output_grads[0]) ||
           list_tape_unpack(vm, back->output_grads[0], back->inputs,
                            back->input_grads);
}

static Value pack(Vm *vm, DType dtype, Value *items, uint32_t count)
{
    Tensor *list = tensor_list_new(&vm->ctx, dtype, count);
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        if (!value_is_tensor(items[i])) {
            object_release(&vm->ctx, list);
            return raise_error(vm, ERR_SYMBOLIC,
                               "the gradient of a list that a staged function "
                               "returned is taken within another one: take it "
                               "outside, or return stack() of the list");
        }
        tensor_list_push(list, object_retain(value_as_tensor(items[i])));
    }
    if (list == NULL) {
        return VALUE_FAIL;
    }
    Value made = tensor_adopt(vm, list);
    if (!tape_record_back(vm, unpack_gradients, VALUE_UNBOUND, items, count,
                          &made, 1)) {
        value_release(&vm->ctx, made);
        return VALUE_FAIL;
    }
    return made;
}

bool list_tape_unpack(Vm *vm, Value list, const Value *like, Value *items)
{
    const Tensor *tensor = value_as_tensor(list);
    int64_t done = 0;
    while (done < tensor->count) {
        items[done] = take_out(vm, tensor, done, like);
        if (value_failed(items[done])) {
            break;
        }
        done++;
    }
    bool ok = done == tensor->count &&
              (done == 0 || tape_record_back(vm, pack_gradients, VALUE_UNBOUND,
                                             &list, 1, items, (uint32_t)done));
    if (!ok) {
        drop_items(vm, items, done);
    }
    return ok;
}
