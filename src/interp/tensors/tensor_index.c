// Indexing, length and iteration of tensors.
//
// A key is written out as the attribute of one op `index` (ops/ops_index.c):
// five ints for each int, slice, new axis or ellipsis, and an operand for each
// bound that is a tensor. Int tensors of rank 1 and more in a key stand as
// whole slices there and are then applied by one op `pick`; a mask alone is a
// `boolean_mask`. An eager tensor indexed by host ints alone shares its buffer
// and needs no op.
#include "interp/objects/classes/types.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/display.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"

enum {
    KEY_MAX = 2 * SHAPE_MAX_RANK, // entries: every axis, and new ones
    SPEC_INTS = 5,                // ints for an entry: see ops_index.c
    KEY_MAX_OPERANDS = 3 * KEY_MAX + 1
};
// The kinds of ops_index.c.
enum { ITEM_INT, ITEM_SLICE, ITEM_NEW_AXIS, ITEM_ELLIPSIS };

// What a key asks for, in the making.
// On the C stack. `spec` has SPEC_INTS numbers for each entry: its kind, three
// bounds, and a bit for each bound that is an operand.
typedef struct KeyPlan {
    int64_t spec[KEY_MAX * SPEC_INTS];
    uint32_t entries;
    Value operands[KEY_MAX_OPERANDS]; // x, then tensor bounds; borrowed
    uint32_t operand_count;
    Value arrays[SHAPE_MAX_RANK]; // for `pick`, owned
    uint32_t array_count;
    int array_axis;    // the axis of the result that the first array takes
    int result;        // axes of the result so far
    bool array_closed; // something stood behind the last array
    bool has_int;      // an int that does not stand beside the arrays
} KeyPlan;

// The operands are borrowed; only the converted arrays are released.
// At any point: array_count counts only what is there.
static void plan_free(Vm *vm, KeyPlan *plan)
{
    for (uint32_t i = 0; i < plan->array_count; i++) {
        value_release(&vm->ctx, plan->arrays[i]);
    }
}

// An int tensor of rank 0 indexes like an int.
// Host ints are not meant: they need no operand.
static bool is_scalar_operand(Value v)
{
    return value_is_operand(v) && operand_type(v).rank == 0 &&
           dtype_is_integer(operand_type(v).dtype);
}

// A list counts as an array, a tuple does not: that is several entries, as in
// NumPy.
// What is converted to a tensor of indices before it is applied.
static bool is_array(Value v)
{
    return (value_is_operand(v) && !is_scalar_operand(v)) ||
           value_is_kind(v, KIND_LIST);
}

// One bound: a host int, None, or an int tensor of one element, which becomes
// the next operand and sets bit `number` of the entry's last int. Those of a
// slice are clipped.
// False: an error is pending. An eager tensor is read at once and stands in the
// key as a number.
static bool plan_bound(Vm *vm, KeyPlan *plan, int64_t *entry, int number,
                       Value v)
{
    int64_t *out = &entry[1 + number];
    if (value_is_none(v)) {
        *out = ATTR_INT_NONE;
        return true;
    }
    if (is_scalar_operand(v) && !value_is_tensor(v)) {
        *out = 0;
        // The op takes this bound from its operands, in order.
        entry[SPEC_INTS - 1] |= 1 << number;
        plan->operands[plan->operand_count++] = v;
        return true;
    }
    return *entry == ITEM_SLICE ? slice_part(vm, v, 0, out)
                                : value_to_index(vm, v, out);
}

// A vector (or more) of ints, and how it stands to the other entries.
// An array that fails its dtype is in the plan already, and plan_free releases
// it.
static bool plan_array(Vm *vm, KeyPlan *plan, Value v)
{
    if (plan->array_closed && plan->array_count > 0) {
        return raise_false(vm, ERR_OP_INDEX,
                           "indexing: tensors that do not stand side by side "
                           "in one index; index in two steps");
    }
    if (plan->array_count == SHAPE_MAX_RANK) {
        return raise_false(vm, ERR_OP_INDEX, "indexing: too many tensors");
    }
    Value array = tensor_from_value(vm, "indexing", v, DT_NONE);
    if (value_failed(array)) {
        return false;
    }
    if (plan->array_count == 0) {
        // `pick` works on the result of the basic part, so it is that result's
        // axis which counts.
        plan->array_axis = plan->result;
    }
    plan->arrays[plan->array_count++] = array;
    DType dtype = operand_type(array).dtype;
    return dtype_is_integer(dtype) ||
           raise_false(vm, ERR_DTYPE,
                       "indexing: a key of dtype %s; ints are needed, as // or "
                       "cast(i, int32) give, or a "
                       "mask of bools alone",
                       dtype_name(dtype));
}

// Writes one entry and keeps count of the axes that the result has so far. An
// array stands as a whole slice, for `pick` to apply afterwards.
// False: an error is pending.
static bool plan_entry(Vm *vm, KeyPlan *plan, Value v)
{
    if (plan->entries == KEY_MAX) {
        return raise_false(vm, ERR_OP_INDEX, "an index of more than %d parts",
                           KEY_MAX);
    }
    int64_t *entry = &plan->spec[plan->entries++ * SPEC_INTS];
    // Parts that are not given, as in a full slice.
    entry[0] = ITEM_SLICE;
    entry[1] = entry[2] = entry[3] = ATTR_INT_NONE;
    entry[4] = 0;
    if (is_array(v)) {
        bool ok = plan_array(vm, plan, v);
        // Each array stands for one axis until `pick` replaces them by the axes
        // that they have in common.
        plan->result++;
        return ok;
    }
    bool keeps = true;
    // Something that is no array follows: a further array would not stand
    // beside.
    plan->array_closed = plan->array_count > 0;
    if (value_is_none(v)) {
        entry[0] = ITEM_NEW_AXIS;
    } else if (value_same(v, VALUE_ELLIPSIS)) {
        entry[0] = ITEM_ELLIPSIS;
    } else if (value_is_kind(v, KIND_SLICE)) {
        const Slice *slice = (Slice *)value_object(v);
        // The bits of the bounds go 1, 2, 4 in the order start, stop, step.
        keeps = plan_bound(vm, plan, entry, 0, slice->start) &&
                plan_bound(vm, plan, entry, 1, slice->stop) &&
                plan_bound(vm, plan, entry, 2, slice->step);
        if (!keeps) {
            return false;
        }
    } else {
        entry[0] = ITEM_INT;
        plan->has_int = true;
        // A number takes an axis away: `result` is not counted.
        return plan_bound(vm, plan, entry, 0, v);
    }
    plan->result++;
    return true;
}

// Each entry takes an axis of x, but for new axes and the ellipsis, which takes
// what the others leave.
// For the ellipsis, and to see how many axes are left.
static uint32_t consumed_axes(const Value *entries, size_t count)
{
    uint32_t axes = 0;
    for (size_t i = 0; i < count; i++) {
        axes += !value_is_none(entries[i]) &&
                !value_same(entries[i], VALUE_ELLIPSIS);
    }
    return axes;
}

// Ints and arrays in one key are refused: in NumPy the ints count as arrays
// there and take part in deciding where the axes go.
// An unknown rank goes with basic entries, not with arrays: where the ellipsis
// ends is not known then.
static bool plan_key(Vm *vm, KeyPlan *plan, TensorType type,
                     const Value *entries, size_t count)
{
    uint32_t axes = consumed_axes(entries, count);
    for (size_t i = 0; i < count; i++) {
        if (!plan_entry(vm, plan, entries[i])) {
            return false;
        }
        if (value_same(entries[i], VALUE_ELLIPSIS) && type.rank >= 0) {
            plan->result += type.rank - 1 - (int)axes; // it stood for one
        }
    }
    if (plan->array_count > 0 && (plan->has_int || type.rank < 0)) {
        return raise_false(vm, ERR_OP_INDEX,
                           "indexing: ints and tensors in one index; index "
                           "in two steps");
    }
    return true;
}

// Applies what was planned: the basic part, then the int tensors.
// The op itself checks the ranges; nothing of x was looked at so far but its
// rank.
static Value run_plan(Vm *vm, const KeyPlan *plan)
{
    AttrValue spec = attr_of_ints(plan->spec, plan->entries * SPEC_INTS);
    Value part =
        apply_one(vm, OP_INDEX, plan->operands, plan->operand_count, &spec);
    if (value_failed(part) || plan->array_count == 0) {
        return part;
    }
    Value inputs[SHAPE_MAX_RANK + 1] = {part};
    for (uint32_t i = 0; i < plan->array_count; i++) {
        inputs[i + 1] = plan->arrays[i];
    }
    AttrValue axis = attr_of_int(plan->array_axis);
    Value result = apply_one(vm, OP_PICK, inputs, plan->array_count + 1, &axis);
    value_release(&vm->ctx, part);
    return result;
}

// Set field by field: the plan is large and most of it is never read.
// `self` and the entries are borrowed by the plan, which ends with this call.
static Value get_by_plan(Vm *vm, Value self, const Value *entries, size_t count)
{
    KeyPlan plan;
    plan.entries = plan.array_count = 0;
    plan.operands[0] = self;
    plan.operand_count = 1;
    plan.array_axis = plan.result = 0;
    plan.array_closed = plan.has_int = false;
    Value result =
        plan_key(vm, &plan, operand_type_now(vm, self), entries, count)
            ? run_plan(vm, &plan)
            : VALUE_FAIL;
    plan_free(vm, &plan);
    return result;
}

// A key that is one tensor or list: a mask of bools, or ints along axis 0.
// A mask gives a tensor of a size that only the run knows.
static Value get_by_tensor(Vm *vm, Value self, Value key)
{
    Value indices = symbolic_is_weak(key)
                        ? symbolic_counted(vm, key)
                        : tensor_from_value(vm, "indexing", key, DT_NONE);
    if (value_failed(indices)) {
        return VALUE_FAIL;
    }
    TensorType type = operand_type(indices);
    Value result;
    if (type.dtype == DT_BOOL) {
        Value inputs[2] = {self, indices};
        result = apply_one(vm, OP_BOOLEAN_MASK, inputs, 2, NULL);
    } else {
        result = get_by_plan(vm, self, &indices, 1);
    }
    value_release(&vm->ctx, indices);
    return result;
}

// Adds index * stride to *offset; an index below 0 counts from the end.
// False: an error is pending. `size` is above 0.
static bool add_index(Vm *vm, int axis, int64_t size, int64_t stride,
                      int64_t index, int64_t *offset)
{
    int64_t from_start = index < 0 ? index + size : index;
    if (UNLIKELY(from_start < 0 || from_start >= size)) {
        return raise_false(vm, ERR_OP_INDEX,
                           "index %lld is out of range for axis %d of size "
                           "%lld",
                           (long long)index, axis, (long long)size);
    }
    *offset += from_start * stride;
    return true;
}

// Host ints on an eager tensor: a window, without an op. 1: done, 0: this is
// another kind of key, -1: raised.
// The window shares the buffer and keeps it alive. A bool is no index here and
// goes on to the op's checks.
static int get_by_ints(Vm *vm, Tensor *tensor, const Value *entries,
                       size_t count, Value *result)
{
    const int64_t *dims = tensor_dims(tensor);
    int64_t offset = 0, stride = tensor->count;
    // Too many entries, or no elements: the op words the error.
    if (count > (size_t)tensor->rank || tensor->count == 0) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t index;
        if (!value_is_int(entries[i])) {
            return 0;
        }
        index = value_small(entries[i]);
        // Row-major: the stride of an axis is the number of elements behind it.
        stride /= dims[i];
        if (UNLIKELY(!add_index(vm, (int)i, dims[i], stride, index, &offset))) {
            return -1;
        }
    }
    Tensor *part = tensor_window(&vm->ctx, tensor, offset,
                                 tensor->rank - (int)count, dims + count);
    *result = part != NULL ? tensor_adopt(vm, part) : VALUE_FAIL;
    return 1;
}

// An array of a library, as lib/numpy's: the tensor that it gives of itself
// stands in the key for it.
static bool gives_tensor(Vm *vm, Value v)
{
    return value_is_object(v) && !value_is_operand(v) &&
           type_has(vm, type_of(vm, v), NAME_TENSOR);
}

// The entries, owned: in `plain`, a tuple. False: an error is pending.
static bool plain_entries(Vm *vm, const Value *entries, size_t count,
                          Tuple **plain)
{
    *plain = tuple_from(vm, entries, count);
    bool ok = *plain != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        if (gives_tensor(vm, entries[i])) {
            Value made = tensor_from_value(vm, "indexing", entries[i], DT_NONE);
            ok = !value_failed(made);
            value_release(&vm->ctx, (*plain)->items[i]);
            (*plain)->items[i] = ok ? made : VALUE_NONE;
        }
    }
    return ok;
}

// What every library reads alike: whole numbers, slices, None, an ellipsis.
static bool is_plain_entry(Value v)
{
    return value_is_int(v) || value_is_none(v) ||
           value_same(v, VALUE_ELLIPSIS) || value_is_kind(v, KIND_SLICE) ||
           (is_scalar_operand(v) && operand_type(v).dtype >= DT_INT32);
}

// A library may read what else stands in a key of the program's otherwise.
// VALUE_UNBOUND: none does.
static Value get_by_library(Vm *vm, Value self, Value key, const Value *entries,
                            size_t count)
{
    bool plain = true;
    for (size_t i = 0; i < count; i++) {
        plain &= is_plain_entry(entries[i]);
    }
    return plain ? VALUE_UNBOUND : display_call(vm, "_item", self, key);
}

static Value get_by_entries(Vm *vm, Value self, const Value *entries,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (gives_tensor(vm, entries[i])) {
            Tuple *plain;
            Value result = plain_entries(vm, entries, count, &plain)
                               ? get_by_entries(vm, self, plain->items, count)
                               : VALUE_FAIL;
            object_release_null(&vm->ctx, plain);
            return result;
        }
    }
    return count == 1 && is_array(entries[0])
               ? get_by_tensor(vm, self, entries[0])
               : get_by_plan(vm, self, entries, count);
}

// Host ints on an eager tensor first, which is what loops over elements do. In
// a trace, or where a tape may record, even those must become ops.
Value tensor_get_item(Vm *vm, Value self, Value key)
{
    const Value *entries = &key;
    size_t count = 1;
    if (value_is_kind(key, KIND_TUPLE)) {
        entries = value_as_tuple(key)->items;
        count = value_as_tuple(key)->count;
    }
    if (value_is_tensor(self) && vm->trace == NULL && vm->recorders == NULL) {
        Value result;
        int done =
            get_by_ints(vm, value_as_tensor(self), entries, count, &result);
        if (LIKELY(done != 0)) {
            return done > 0 ? result : VALUE_FAIL;
        }
    }
    Value own = get_by_library(vm, self, key, entries, count);
    return value_unbound(own) ? get_by_entries(vm, self, entries, count) : own;
}

// Known sizes only: in a trace, len() of an unknown one goes to
// tensor_traced_length before it comes here.
// -1: an error is pending.
int64_t tensor_length(Vm *vm, Value self)
{
    TensorType type = operand_type_now(vm, self);
    if (type.rank == 0) {
        return raise_int(vm, ERR_TYPE, "len() of a scalar tensor");
    }
    if (type.rank == RANK_UNKNOWN || type.dims[0] == DIM_UNKNOWN) {
        return raise_int(vm, ERR_SYMBOLIC,
                         "len: the size is unknown in this trace: use "
                         "shape_of(x)[0], or x[0] and x[1] for single rows");
    }
    return tensor_sized(vm, self, 0) ? type.dims[0] : -1;
}

// Each row is indexed by itself; the number of rows was fixed at the start.
// Through tensor_get_item, so that in a trace each step makes an op.
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
    TensorType type = operand_type_now(vm, self);
    if (type.rank == 0) {
        return raise_error(
            vm, ERR_TYPE,
            "iteration over a scalar tensor; use range(n) to count to it");
    }
    if (value_is_kind(self, KIND_SYMBOLIC) &&
        (symbolic_leaked(vm, "iteration", self) ||
         !vm->hooks->iterate(vm, self))) {
        return VALUE_FAIL;
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
    Iterator *iterator =
        iterator_new(vm, &iterator_plain_def, "tensor_iterator", iter_step);
    if (iterator == NULL) {
        value_release(&vm->ctx, rows);
        return VALUE_FAIL;
    }
    iterator->state[0] = rows;
    iterator->position = 0;
    iterator->expected = (uint64_t)length;
    return value_from_object(iterator);
}
