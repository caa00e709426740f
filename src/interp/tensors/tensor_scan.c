// Shapes and kinds of nested lists.
#include "interp/tensors/tensor_scan.h"
#include "interp/hooks/note.h"

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

// A named tuple is a tuple, and its class is not asked.
// Other iterables are no nesting: a tensor is not made of a dict or a set.
bool tensor_scan_nests(Value v)
{
    return value_is_kind(v, KIND_LIST) || value_is_kind(v, KIND_TUPLE);
}

// One body for both kinds, whose items stand at different places.
// Borrowed: nothing may run that changes the list meanwhile.
size_t tensor_scan_items(Value v, const Value **items)
{
    if (value_is_kind(v, KIND_LIST)) {
        *items = value_as_list(v)->items;
        return value_as_list(v)->count;
    }
    *items = value_as_tuple(v)->items;
    return value_as_tuple(v)->count;
}

LeafKind tensor_scan_kind(Value v)
{
    int64_t wide;
    if (value_is_bool(v)) {
        return LEAF_BOOL;
    }
    if (value_is_integer(v)) {
        return int_to_i64(v, &wide) && wide >= INT32_MIN && wide <= INT32_MAX
                   // Where nothing else decides, an int is an int32 as long as
                   // it can be.
                   ? LEAF_INT
                   : LEAF_LONG;
    }
    if (value_is_float(v)) {
        return LEAF_FLOAT;
    }
    if (value_is_str(v) || value_is_kind(v, KIND_BYTES)) {
        return LEAF_STRING;
    }
    return value_is_operand(v) ? LEAF_TENSOR : LEAF_NONE;
}

// All leaves must stand at one depth. Kinds widen, except that text and numbers
// do not mix; with a tensor among them it is for the op `stack` to refuse.
// False: an error is pending.
static bool scan_leaf(Vm *vm, TensorScan *scan, Value v, int depth)
{
    LeafKind kind = tensor_scan_kind(v);
    if (kind == LEAF_NONE && value_is_object(v) &&
        type_has(vm, type_of(vm, v), NAME_TENSOR)) {
        scan->objects = true;
        return true;
    }
    if (kind == LEAF_NONE) {
        return note_question(vm, v) &&
               raise_false(vm, ERR_TYPE,
                           "%s: a tensor cannot hold '%s' objects", scan->who,
                           type_name(type_of(vm, v)));
    }
    if (scan->seen_leaf && scan->shape.rank != depth) {
        return raise_false(vm, ERR_VALUE,
                           "%s: numbers and lists stand side by side at "
                           "depth %d",
                           scan->who, depth);
    }
    if (kind == LEAF_TENSOR && scan->tensor == DT_NONE) {
        // A tensor may have any rank, so that only its dtype is taken from it
        // here.
        scan->tensor = operand_type(v).dtype;
    }
    bool mixed = scan->kind != LEAF_NONE && scan->kind != kind &&
                 kind != LEAF_TENSOR && scan->kind != LEAF_TENSOR &&
                 (scan->kind == LEAF_STRING || kind == LEAF_STRING);
    if (mixed) {
        return raise_false(vm, ERR_DTYPE, "%s: strings and numbers mixed",
                           scan->who);
    }
    scan->kind = kind > scan->kind ? kind : scan->kind;
    // Leaves are below all lists: their depth is the rank.
    scan->shape.rank = depth;
    scan->seen_leaf = true;
    return true;
}

// At `depth`, all lists must be of one length; the first one seen settles it.
// False: an error is pending. The length of an empty list counts, too.
static bool scan_length(Vm *vm, TensorScan *scan, size_t length, int depth)
{
    if (depth >= SHAPE_MAX_RANK) {
        return raise_false(vm, ERR_VALUE, "%s: lists nested deeper than %d",
                           scan->who, SHAPE_MAX_RANK);
    }
    if (scan->seen_leaf && depth >= scan->shape.rank) {
        return raise_false(vm, ERR_VALUE,
                           "%s: numbers and lists stand side by side at "
                           "depth %d",
                           scan->who, depth);
    }
    // The first list of a depth says how long the others must be.
    if (scan->shape.dims[depth] == DIM_UNKNOWN) {
        scan->shape.dims[depth] = (int64_t)length;
        return true;
    }
    if (scan->shape.dims[depth] != (int64_t)length) {
        return raise_false(
            vm, ERR_VALUE, "%s: rows of unequal length, %lld and %zu",
            scan->who, (long long)scan->shape.dims[depth], length);
    }
    return true;
}

// Every leaf is looked at, since the last one may be the widest.
// False: an error is pending.
static bool scan_value(Vm *vm, TensorScan *scan, Value v, int depth)
{
    if (!tensor_scan_nests(v)) {
        return scan_leaf(vm, scan, v, depth);
    }
    const Value *items;
    size_t count = tensor_scan_items(v, &items);
    // The depth is bounded by the rank, but the C stack is shared with callers.
    if (!scan_length(vm, scan, count, depth) || !ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = scan_value(vm, scan, items[i], depth + 1) && ctx_poll(&vm->ctx);
    }
    // Only empty lists so far: the deepest one tells the rank.
    if (!scan->seen_leaf && scan->shape.rank < depth + 1) {
        scan->shape.rank = depth + 1; // [[], []] has shape (2, 0)
    }
    ctx_leave(&vm->ctx);
    return ok;
}

// No dimension is known before the walk, but for the rank of a lone leaf.
// False: an error is pending. `who` opens the error texts.
bool tensor_scan(Vm *vm, TensorScan *scan, const char *who, Value v)
{
    scan->who = who;
    scan->kind = LEAF_NONE;
    scan->seen_leaf = false;
    scan->objects = false;
    scan->tensor = DT_NONE;
    scan->shape.rank = 0;
    for (int i = 0; i < SHAPE_MAX_RANK; i++) {
        scan->shape.dims[i] = DIM_UNKNOWN;
    }
    return scan_value(vm, scan, v, 0);
}

// As NumPy and TensorFlow have it for literals of the program.
// float32 for an empty list, as for floats.
DType tensor_scan_dtype(LeafKind kind)
{
    switch (kind) {
    case LEAF_BOOL: return DT_BOOL;
    case LEAF_INT: return DT_INT32;
    case LEAF_LONG: return DT_INT64;
    case LEAF_STRING: return DT_STRING;
    default: return DT_FLOAT32;
    }
}

// An empty list fits any of them.
// Kinds are in the order in which they widen, so one comparison does.
bool tensor_scan_fits(LeafKind kind, DType dtype)
{
    switch (dtype_class(dtype)) {
    case DTYPE_CLASS_BOOL: return kind <= LEAF_BOOL;
    case DTYPE_CLASS_STRING: return kind == LEAF_NONE || kind == LEAF_STRING;
    case DTYPE_CLASS_FLOAT: return kind <= LEAF_FLOAT;
    default: return kind <= LEAF_LONG;
    }
}
