// Built-in functions of tensors that are more than the binding of one op:
// tensor(), those whose arguments may be left out in front (arange) or
// stand in another order than the op's operands (full), and rng.seed.
//
// Each turns its arguments into operands that it owns, calls the op and
// releases them. None looks at elements, so that all of them work in a trace.
#include "modules/builtins/builtins.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "ops/infer.h"

// The dtype that an optional argument names; DT_NONE if it was left out.
// False: it names no dtype, and an error is pending.
static bool optional_dtype(Vm *vm, Value v, DType *dtype)
{
    *dtype = DT_NONE;
    return !builtin_given(v) || dtype_from_value(vm, v, dtype);
}

// tensor(value, dtype=None): a tensor of another dtype is cast.
// Owned. Of a Variable the value of this moment, as a tensor that no later
// assignment changes.
static Value builtin_tensor(Vm *vm, Value *args)
{
    DType dtype;
    if (!optional_dtype(vm, args[1], &dtype)) {
        return VALUE_FAIL;
    }
    if (value_is_kind(args[0], KIND_VARIABLE)) {
        Value now = variable_read(vm, value_as_variable(args[0]));
        Value result = value_failed(now)
                           ? VALUE_FAIL
                           : tensor_from_value(vm, "tensor", now, dtype);
        value_release(&vm->ctx, now);
        return result;
    }
    return value_is_kind(args[0], KIND_SYMBOLIC) &&
                   symbolic_leaked(vm, "tensor", args[0])
               ? VALUE_FAIL
               : tensor_from_value(vm, "tensor", args[0], dtype);
}

// `v` as an operand of `dtype` (DT_NONE: its own or the default): host values
// are converted, operands cast. Owned.
static Value operand_of(Vm *vm, const char *who, Value v, DType dtype)
{
    if (dtype == DT_NONE || !value_is_operand(v) ||
        operand_type(v).dtype == dtype) {
        return tensor_from_value(vm, who, v, dtype);
    }
    // A cast is an op like any other, so that traces and tapes see it.
    NamedAttr attr = {"dtype", attr_of_dtype(dtype)};
    return tensor_call(vm, "cast", &v, 1, &attr, 1);
}

static void release_all(Vm *vm, Value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        value_release(&vm->ctx, values[i]);
    }
}

// arange(stop), arange(start, stop), arange(start, stop, step).
// Owned. The op itself works out how many numbers there are.
static Value builtin_arange(Vm *vm, Value *args)
{
    DType dtype;
    Value given[3] = {args[0], args[1], args[2]}, made[3];
    uint32_t done = 0;
    if (!optional_dtype(vm, args[3], &dtype)) {
        return VALUE_FAIL;
    }
    if (!builtin_given(args[1])) {
        // Both change their places: the start is 0, and the stop is what was
        // given first.
        given[0] = value_from_small(0);
        given[1] = args[0];
    }
    given[2] = builtin_given(args[2]) ? args[2] : value_from_small(1);
    // The three decide on a dtype together; a dtype that was given holds for
    // each.
    if (dtype == DT_NONE) {
        if (!tensor_unify(vm, "arange", given, 3, made)) {
            return VALUE_FAIL;
        }
        done = 3;
    }
    // On failure only those that were made are released.
    for (; done < 3; done++) {
        made[done] = operand_of(vm, "arange", given[done], dtype);
        if (value_failed(made[done])) {
            release_all(vm, made, done);
            return VALUE_FAIL;
        }
    }
    Value result = tensor_call(vm, "arange", made, 3, NULL, 0);
    release_all(vm, made, 3);
    return result;
}

// full(shape, fill_value, dtype=None): the arguments stand in NumPy's order.
static Value builtin_full(Vm *vm, Value *args)
{
    DType dtype;
    if (!optional_dtype(vm, args[2], &dtype)) {
        return VALUE_FAIL;
    }
    Value fill = operand_of(vm, "full", args[1], dtype);
    if (value_failed(fill)) {
        return VALUE_FAIL;
    }
    Value all[2] = {fill, args[0]}; // the op's order: operands first
    Value result = tensor_call_bound(vm, OP_FULL, all, 2);
    value_release(&vm->ctx, fill);
    return result;
}

// linspace(start, stop, num): host ints are floats here.
static Value builtin_linspace(Vm *vm, Value *args)
{
    DType dtype;
    Value made[2];
    if (!optional_dtype(vm, args[4], &dtype)) {
        return VALUE_FAIL;
    }
    // A tensor among the bounds gives the dtype, else it is float32.
    for (uint32_t i = 0; dtype == DT_NONE && i < 2; i++) {
        dtype =
            value_is_operand(args[i]) ? operand_type(args[i]).dtype : DT_NONE;
    }
    // As documented: numbers of the host alone give float32.
    dtype = dtype == DT_NONE ? DT_FLOAT32 : dtype;
    for (uint32_t i = 0; i < 2; i++) {
        made[i] = operand_of(vm, "linspace", args[i], dtype);
        if (value_failed(made[i])) {
            release_all(vm, made, i);
            return VALUE_FAIL;
        }
    }
    // The op's inputs, then its attributes in the order of its parameters.
    Value all[4] = {made[0], made[1], args[2], args[3]};
    Value result = tensor_call_bound(vm, OP_LINSPACE, all, 4);
    release_all(vm, made, 2);
    return result;
}

// clip(x, min=None, max=None): one bound alone is maximum or minimum.
// Owned. Without any bound it is x itself, as a tensor.
static Value builtin_clip(Vm *vm, Value *args)
{
    bool low = builtin_given(args[1]), high = builtin_given(args[2]);
    // Both bounds: one op, whose gradient is known.
    if (low && high) {
        return tensor_call_bound(vm, OP_CLIP, args, 3);
    }
    Value pair[2] = {args[0], low ? args[1] : args[2]};
    if (low || high) {
        return tensor_call_bound(vm, low ? OP_MAXIMUM : OP_MINIMUM, pair, 2);
    }
    return tensor_from_value(vm, "clip", args[0], DT_NONE);
}

// One grid of meshgrid: `axis` takes the vector's elements, all others repeat.
// Owned; VALUE_FAIL: an error is pending.
static Value grid_along(Vm *vm, Value vector, uint32_t axis, Tuple *sizes)
{
    uint32_t rank = (uint32_t)sizes->count;
    int64_t dims[SHAPE_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        // -1 lets reshape find the size, which a trace may not know.
        dims[i] = i == axis ? -1 : 1;
    }
    NamedAttr as_axis = {"shape", attr_of_ints(dims, rank)};
    Value shaped = tensor_call(vm, "reshape", &vector, 1, &as_axis, 1);
    if (value_failed(shaped)) {
        return VALUE_FAIL;
    }
    // broadcast_to repeats along the axes of size 1.
    Value whole[2] = {shaped, value_from_object(sizes)};
    Value result = tensor_call_bound(vm, OP_BROADCAST_TO, whole, 2);
    value_release(&vm->ctx, shaped);
    return result;
}

// The number of elements of a vector, which a trace may know by a tensor alone;
// a scalar counts as one. VALUE_FAIL: an error is pending.
static Value grid_size(Vm *vm, Value vector, uint32_t number)
{
    TensorType type = operand_type_now(vm, vector);
    if (!infer_knows_rank(&vm->ctx, "meshgrid", type.rank)) {
        return VALUE_FAIL;
    }
    if (type.rank > 1) {
        return raise_error(vm, ERR_SHAPE,
                           "meshgrid: argument %u is not a vector", number);
    }
    return type.rank == 0 ? value_from_small(1)
           : value_is_kind(vector, KIND_SYMBOLIC)
               ? tensor_traced_size(vm, vector, 0)
               : value_from_small(type.dims[0]);
}

// The sizes of the grids, in the order of their axes. NULL: an error is
// pending.
static Tuple *grid_sizes(Vm *vm, const Value *vectors, uint32_t count, bool xy)
{
    Tuple *sizes = tuple_new(vm, count);
    for (uint32_t i = 0; sizes != NULL && i < count; i++) {
        // As in NumPy, "xy" lets the first two axes change places.
        uint32_t axis = xy && i < 2 && count > 1 ? 1 - i : i;
        Value size = grid_size(vm, vectors[i], i);
        if (value_failed(size)) {
            object_release(&vm->ctx, sizes);
            return NULL;
        }
        sizes->items[axis] = size;
    }
    return sizes;
}

// meshgrid(*vectors, indexing="xy"), made of reshape and broadcast_to, so that
// traces and tapes see ordinary ops. All vectors are released at the end,
// whether or not every grid was made.
static Value builtin_meshgrid(Vm *vm, Value *args)
{
    Tuple *given = value_as_tuple(args[0]);
    uint32_t n = (uint32_t)given->count;
    bool ij = value_is_str(args[1]) && str_is(value_as_str(args[1]), "ij");
    bool xy = !builtin_given(args[1]) ||
              (value_is_str(args[1]) && str_is(value_as_str(args[1]), "xy"));
    // Tested before anything is converted.
    if (!ij && !xy) {
        return raise_error(vm, ERR_OP_VALUE,
                           "meshgrid: indexing must be 'xy' or 'ij'");
    }
    if (n > SHAPE_MAX_RANK) {
        return raise_error(vm, ERR_SHAPE, "meshgrid: more than %d vectors",
                           SHAPE_MAX_RANK);
    }
    Value vectors[SHAPE_MAX_RANK];
    uint32_t made = 0;
    while (made < n) {
        Value one =
            tensor_from_value(vm, "meshgrid", given->items[made], DT_NONE);
        if (value_failed(one)) {
            break;
        }
        vectors[made++] = one;
    }
    // NULL: a vector or its size failed, or there is no memory.
    Tuple *sizes = made == n ? grid_sizes(vm, vectors, n, xy) : NULL;
    Tuple *grids = sizes != NULL ? tuple_new(vm, n) : NULL;
    for (uint32_t i = 0; grids != NULL && i < n; i++) {
        // The same exchange as in grid_sizes.
        uint32_t axis = xy && i < 2 && n > 1 ? 1 - i : i;
        Value grid = grid_along(vm, vectors[i], axis, sizes);
        if (value_failed(grid)) {
            object_release(&vm->ctx, grids);
            grids = NULL;
        } else {
            grids->items[i] = grid;
        }
    }
    release_all(vm, vectors, made);
    object_release_null(&vm->ctx, sizes);
    return value_or_fail(grids);
}

// The ints of an axis, or of a list of them, into `axes`; -1: raised.
// How many there are. A list longer than any rank is refused before it is
// stored.
static int read_axes(Vm *vm, Value v, int64_t axes[SHAPE_MAX_RANK])
{
    Tuple *items =
        value_is_integer(v) ? tuple_from(vm, &v, 1) : value_to_tuple(vm, v);
    int count = items == NULL ? -1 : 0;
    for (size_t i = 0; count >= 0 && i < items->count; i++) {
        if (count == SHAPE_MAX_RANK) {
            count = raise_int(vm, ERR_OP_VALUE, "tensordot: too many axes");
        } else if (!value_to_index(vm, items->items[i], &axes[count++])) {
            count = -1;
        }
    }
    object_release_null(&vm->ctx, items);
    return count;
}

// axes=n: the last n of x1 with the first n of x2; or a pair of axes or lists.
// False: an error is pending. Negative axes are left for the op.
static bool tensordot_axes(Vm *vm, Value given, const Value operands[2],
                           int64_t axes[2][SHAPE_MAX_RANK], int counts[2])
{
    if (!builtin_given(given) || value_is_integer(given)) {
        int64_t n = 2;
        int rank = operand_type_now(vm, operands[0]).rank;
        if (!infer_knows_rank(&vm->ctx, "tensordot", rank)) {
            return false;
        }
        if (builtin_given(given) && !value_to_index(vm, given, &n)) {
            return false;
        }
        if (n < 0 || n > rank) {
            return raise_false(vm, ERR_OP_VALUE,
                               "tensordot: %lld axes of a tensor of rank %d",
                               (long long)n, rank);
        }
        // In order on both sides: the last n axes of x1 meet the first n of x2.
        counts[0] = counts[1] = (int)n;
        for (int64_t i = 0; i < n; i++) {
            axes[0][i] = rank - n + i;
            axes[1][i] = i;
        }
        return true;
    }
    Tuple *pair = value_to_tuple(vm, given);
    bool ok = pair != NULL;
    if (ok && pair->count != 2) {
        ok = raise_false(vm, ERR_OP_VALUE,
                         "tensordot: axes must be an int or a pair");
    }
    for (int i = 0; ok && i < 2; i++) {
        counts[i] = read_axes(vm, pair->items[i], axes[i]);
        ok = counts[i] >= 0;
    }
    object_release_null(&vm->ctx, pair);
    return ok;
}

// Each form of `axes` becomes the op's two lists, one for either operand.
static Value builtin_tensordot(Vm *vm, Value *args)
{
    Value operands[2];
    int64_t axes[2][SHAPE_MAX_RANK];
    int counts[2];
    if (!tensor_unify(vm, "tensordot", args, 2, operands)) {
        return VALUE_FAIL;
    }
    Value result = VALUE_FAIL;
    if (tensordot_axes(vm, args[2], operands, axes, counts)) {
        AttrValue attrs[2] = {attr_of_ints(axes[0], (uint32_t)counts[0]),
                              attr_of_ints(axes[1], (uint32_t)counts[1])};
        result = apply_one(vm, OP_TENSORDOT, operands, 2, attrs);
    }
    release_all(vm, operands, 2);
    return result;
}

static Value builtin_einsum(Vm *vm, Value *args)
{
    Value in_order[2] = {args[1], args[0]}; // the op's: arrays, equation
    return tensor_call_bound(vm, OP_EINSUM, in_order, 2);
}

// Restarts the generator of this context, so that what follows can be repeated.
// Any int will do, a negative one too: its bits are the seed.
static Value rng_seed_function(Vm *vm, Value *args)
{
    int64_t seed;
    if (!value_to_index(vm, args[0], &seed)) {
        return VALUE_FAIL;
    }
    if (!note_effect(vm, EFFECT_CHANGE, "rng.seed", VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    rng_seed(&vm->ctx.rng, (uint64_t)seed);
    return VALUE_NONE;
}

// Defaults are for help(): the functions see VALUE_UNBOUND.
const NativeDef tensor_functions[] = {
    {"tensor", "value, dtype=None", builtin_tensor,
     "A tensor from numbers, strings, nested lists and tuples, tensors, or "
     "anything with __tensor__. An int becomes int32 (int64 if it does not "
     "fit), a float float32."},
    {"arange", "start, stop=None, step=1, dtype=None", builtin_arange,
     "Numbers from start (0 if only one bound is given) up to stop, without "
     "it, step apart. OpValueError if step is 0."},
    {"full", "shape, fill_value, dtype=None", builtin_full,
     "A tensor of the given shape with one value in every place."},
    {"linspace", "start, stop, num, endpoint=True, dtype=None",
     builtin_linspace,
     "`num` floats from start to stop, evenly apart, stop included unless "
     "endpoint is False."},
    {"clip", "x, min=None, max=None", builtin_clip,
     "x held between min and max, either of which may be left out; NaN stays "
     "NaN. Shapes broadcast; dtypes must be equal."},
    {"meshgrid", "*arrays, indexing='xy'", builtin_meshgrid,
     "Grids of the coordinates in vectors: the first two swap "
     "their axes unless indexing is 'ij'."},
    {"tensordot", "x1, x2, /, axes=2", builtin_tensordot,
     "The sum of products over axes of both: the last `axes` of x1 with the "
     "first of x2, or those that a pair of ints or lists names."},
    {"einsum", "equation, *operands", builtin_einsum,
     "Sums of products by index letters, as in einsum('ij,jk->ik', a, b): a "
     "letter that the output lacks is summed over, '...' stands for the axes "
     "that have no letter."},
    {"rng.seed", "seed, /", rng_seed_function,
     "Start the random numbers of tensors again: the same seed, the same "
     "draws."},
    {NULL, NULL, NULL, NULL},
};
