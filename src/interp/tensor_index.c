// Indexing, length and iteration of tensors.
//
// A key is taken apart into one entry per axis (an int, a slice, a new axis);
// ints and steps then become one `slice`, one `squeeze` and one `reshape` at
// most. An eager tensor indexed by ints alone shares its buffer (row) and
// needs no op. A tensor as key gathers: bool a mask, ints `take`.
#include "interp/apply.h"
#include "interp/obj_int.h"
#include "interp/obj_iter.h"
#include "interp/obj_list.h"
#include "interp/protocol.h"
#include "interp/tensor_call.h"
#include "interp/tensor_convert.h"

// Row `index` of an eager tensor along its first axis.
static Value row(Vm *vm, Tensor *tensor, int64_t index)
{
    const int64_t *dims = tensor_dims(tensor);
    int64_t stride = dims[0] > 0 ? tensor->count / dims[0] : 0;
    Tensor *part = tensor_window(&vm->ctx, tensor, index * stride,
                                 tensor->rank - 1, dims + 1);
    return part != NULL ? tensor_adopt(vm, part) : VALUE_FAIL;
}

static bool resolve_int(Vm *vm, int axis, int64_t size, int64_t *index)
{
    int64_t given = *index;
    if (size != DIM_UNKNOWN) {
        *index += *index < 0 ? size : 0;
        if (*index < 0 || *index >= size) {
            return raise_false(vm, ERR_OP_INDEX,
                               "index %lld is out of range for axis %d of "
                               "size %lld",
                               (long long)given, axis, (long long)size);
        }
    }
    return true;
}

// What a whole key asks for, axis by axis.
typedef struct KeyPlan {
    TensorType type;               // of what is indexed
    int64_t starts[SHAPE_MAX_RANK]; // ATTR_INT_NONE: from the end it has
    int64_t stops[SHAPE_MAX_RANK];
    int64_t steps[SHAPE_MAX_RANK];
    int64_t dropped[SHAPE_MAX_RANK]; // axes that an int took away
    int64_t added[SHAPE_MAX_RANK];   // new axes, by place in the result
    uint32_t dropped_count, added_count;
    int axis;      // next axis of the input
    int result;    // axes of the result so far
    bool sliced;   // some start, stop or step says something
} KeyPlan;

static bool plan_int(Vm *vm, KeyPlan *plan, int64_t index)
{
    int axis = plan->axis++;
    if (!resolve_int(vm, axis, plan->type.dims[axis], &index)) {
        return false;
    }
    plan->starts[axis] = index;
    plan->stops[axis] = index == -1 ? ATTR_INT_NONE : index + 1;
    plan->dropped[plan->dropped_count++] = axis;
    plan->sliced = true;
    return true;
}

static bool slice_bound(Vm *vm, Value v, int64_t *out)
{
    *out = ATTR_INT_NONE;
    return value_is_none(v) || value_to_index(vm, v, out);
}

static bool plan_slice(Vm *vm, KeyPlan *plan, const Slice *slice)
{
    int axis = plan->axis++;
    int64_t step;
    if (!slice_bound(vm, slice->start, &plan->starts[axis]) ||
        !slice_bound(vm, slice->stop, &plan->stops[axis]) ||
        !slice_bound(vm, slice->step, &step)) {
        return false;
    }
    if (step == 0) {
        return raise_false(vm, ERR_VALUE, "slice step cannot be zero");
    }
    plan->steps[axis] = step == ATTR_INT_NONE ? 1 : step;
    plan->sliced = plan->sliced || plan->starts[axis] != ATTR_INT_NONE ||
                   plan->stops[axis] != ATTR_INT_NONE ||
                   plan->steps[axis] != 1;
    plan->result++;
    return true;
}

static bool plan_entry(Vm *vm, KeyPlan *plan, Value entry)
{
    if (value_is_none(entry)) {
        if (plan->added_count == SHAPE_MAX_RANK) {
            return raise_false(vm, ERR_OP_INDEX, "more than %d axes",
                               SHAPE_MAX_RANK);
        }
        plan->added[plan->added_count++] = plan->result++;
        return true;
    }
    if (value_is_kind(entry, KIND_SLICE)) {
        return plan_slice(vm, plan, (Slice *)value_object(entry));
    }
    int64_t index;
    return value_to_index(vm, entry, &index) && plan_int(vm, plan, index);
}

static int consumed_axes(const Value *entries, size_t count)
{
    int axes = 0;
    for (size_t i = 0; i < count; i++) {
        axes += !value_is_none(entries[i]) &&
                !value_same(entries[i], VALUE_ELLIPSIS);
    }
    return axes;
}

static bool plan_key(Vm *vm, KeyPlan *plan, const Value *entries, size_t count)
{
    int rank = plan->type.rank;
    int axes = consumed_axes(entries, count);
    if (axes > rank) {
        return raise_false(vm, ERR_OP_INDEX,
                           "%d indices for a tensor of rank %d", axes, rank);
    }
    bool ellipsis = false;
    for (size_t i = 0; i < count; i++) {
        if (!value_same(entries[i], VALUE_ELLIPSIS)) {
            if (!plan_entry(vm, plan, entries[i])) {
                return false;
            }
            continue;
        }
        if (ellipsis) {
            return raise_false(vm, ERR_OP_INDEX,
                               "an index can only have a single '...'");
        }
        ellipsis = true;
        plan->axis += rank - axes;
        plan->result += rank - axes;
    }
    return true;
}

static Value step_call(Vm *vm, Value owned, const char *op,
                       const NamedAttr *attrs, uint32_t count)
{
    Value result = tensor_call(vm, op, &owned, 1, attrs, count);
    value_release(&vm->ctx, owned);
    return result;
}

static Value run_plan(Vm *vm, Value self, const KeyPlan *plan)
{
    uint32_t rank = (uint32_t)plan->type.rank;
    Value result = value_retain(self);
    if (plan->sliced) {
        NamedAttr attrs[3] = {{"start", attr_of_ints(plan->starts, rank)},
                              {"stop", attr_of_ints(plan->stops, rank)},
                              {"step", attr_of_ints(plan->steps, rank)}};
        result = step_call(vm, result, "slice", attrs, 3);
    }
    if (!value_failed(result) && plan->dropped_count != 0) {
        NamedAttr axis = {"axis",
                          attr_of_ints(plan->dropped, plan->dropped_count)};
        result = step_call(vm, result, "squeeze", &axis, 1);
    }
    for (uint32_t i = 0; !value_failed(result) && i < plan->added_count;
         i++) {
        NamedAttr axis = {"axis", attr_of_int(plan->added[i])};
        result = step_call(vm, result, "expand_dims", &axis, 1);
    }
    return result;
}

static Value get_by_plan(Vm *vm, Value self, const Value *entries,
                         size_t count)
{
    KeyPlan plan = {.type = operand_type(self)};
    if (plan.type.rank == RANK_UNKNOWN) {
        return raise_error(vm, ERR_SHAPE, "indexing: the rank is unknown in "
                           "this trace (reshape, or a spec with a shape)");
    }
    for (int i = 0; i < plan.type.rank; i++) {
        plan.starts[i] = plan.stops[i] = ATTR_INT_NONE;
        plan.steps[i] = 1;
    }
    return plan_key(vm, &plan, entries, count) ? run_plan(vm, self, &plan)
                                               : VALUE_FAIL;
}

// A tensor or list as key: a mask of bools, or indices along the first axis.
static Value get_by_tensor(Vm *vm, Value self, Value key)
{
    Value indices = tensor_from_value(vm, "indexing", key, DT_NONE);
    if (value_failed(indices)) {
        return VALUE_FAIL;
    }
    Value inputs[2] = {self, indices};
    Value result;
    DType dtype = operand_type(indices).dtype;
    if (dtype == DT_BOOL) {
        result = tensor_call(vm, "boolean_mask", inputs, 2, NULL, 0);
    } else if (dtype_is_integer(dtype)) {
        NamedAttr axis = {"axis", attr_of_int(0)};
        result = tensor_call(vm, "take", inputs, 2, &axis, 1);
    } else {
        result = raise_error(vm, ERR_DTYPE,
                             "indexing: a key of dtype %s; ints or bools "
                             "are needed",
                             dtype_name(dtype));
    }
    value_release(&vm->ctx, indices);
    return result;
}

static Value get_by_int(Vm *vm, Value self, Value key)
{
    TensorType type = operand_type(self);
    int64_t index;
    if (type.rank == 0) {
        return raise_error(vm, ERR_OP_INDEX,
                           "a scalar tensor cannot be indexed");
    }
    if (vm->trace != NULL || !value_is_tensor(self)) {
        return get_by_plan(vm, self, &key, 1);
    }
    return value_to_index(vm, key, &index) &&
                   resolve_int(vm, 0, type.dims[0], &index)
               ? row(vm, value_as_tensor(self), index)
               : VALUE_FAIL;
}

Value tensor_get_item(Vm *vm, Value self, Value key)
{
    if (value_is_integer(key)) {
        return get_by_int(vm, self, key);
    }
    if (value_is_kind(key, KIND_VARIABLE)) {
        Value now = variable_read(vm, value_as_variable(key));
        Value result = value_failed(now) ? VALUE_FAIL
                                         : get_by_tensor(vm, self, now);
        value_release(&vm->ctx, now);
        return result;
    }
    if (value_is_operand(key) || value_is_kind(key, KIND_LIST)) {
        return get_by_tensor(vm, self, key);
    }
    if (value_is_kind(key, KIND_TUPLE)) {
        return get_by_plan(vm, self, value_as_tuple(key)->items,
                           value_as_tuple(key)->count);
    }
    return get_by_plan(vm, self, &key, 1);
}

int64_t tensor_length(Vm *vm, Value self)
{
    TensorType type = operand_type(self);
    if (type.rank == 0) {
        return raise_int(vm, ERR_TYPE, "len() of a scalar tensor");
    }
    if (type.rank == RANK_UNKNOWN || type.dims[0] == DIM_UNKNOWN) {
        return raise_int(vm, ERR_SYMBOLIC,
                         "len: the size is unknown in this trace: use "
                         "shape_of(x)[0]");
    }
    return type.dims[0];
}

static Value iter_step(Vm *vm, Iterator *self)
{
    if (self->position >= self->expected) {
        return VALUE_STOP;
    }
    int64_t index = (int64_t)self->position++;
    return tensor_get_item(vm, self->state[0], value_from_small(index));
}

// Over rows; a Variable's rows are those of its value at the start.
Value tensor_iter(Vm *vm, Value self)
{
    TensorType type = operand_type(self);
    if (type.rank == 0) {
        return raise_error(vm, ERR_TYPE,
                           "iteration over a scalar tensor");
    }
    int64_t length = tensor_length(vm, self);
    if (length < 0) {
        return VALUE_FAIL;
    }
    Value rows = value_is_kind(self, KIND_VARIABLE)
                     ? variable_read(vm, value_as_variable(self))
                     : value_retain(self);
    if (value_failed(rows)) {
        return VALUE_FAIL;
    }
    Iterator *iterator = iterator_new(vm, "tensor_iterator", iter_step);
    if (iterator == NULL) {
        value_release(&vm->ctx, rows);
        return VALUE_FAIL;
    }
    iterator->state[0] = rows;
    iterator->position = 0;
    iterator->expected = (uint64_t)length;
    return value_from_object(iterator);
}
