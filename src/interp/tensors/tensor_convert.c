// Host values to tensors, and back. Two walks over nested lists: the first
// finds shape and kind (tensor_scan.h), the second fills.
#include "interp/tensors/tensor_convert.h"

#include "interp/hooks/note.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_scan.h"

// Looks for __tensor__ in the class, without calling it: an operator only wants
// to know whether to decline. Tensors, Variables and symbolic tensors are
// operands already.
bool value_is_convertible(Vm *vm, Value v)
{
    if (value_is_operand(v) || value_is_bool(v) || value_is_integer(v) ||
        value_is_float(v) || value_is_str(v) || value_is_kind(v, KIND_BYTES) ||
        tensor_scan_nests(v)) {
        return true;
    }
    return value_is_object(v) && type_has(vm, type_of(vm, v), NAME_TENSOR);
}

// int64 is apart because the shift would overflow; every int64_t fits it. Bool
// is not asked: any int would do, and fill_leaf has let bools pass.
static bool integer_fits(DType dtype, int64_t i)
{
    if (dtype == DT_INT64) {
        return true;
    }
    int bits = (int)dtype_size(dtype) * 8;
    if (dtype_class(dtype) == DTYPE_CLASS_UINT) {
        return i >= 0 && i < (int64_t)1 << bits;
    }
    return i >= -((int64_t)1 << (bits - 1)) && i < (int64_t)1 << (bits - 1);
}

// Always false, for return statements. The text shows the value as it was
// written.
static bool fail_overflow(Vm *vm, const char *who, Value v, DType dtype)
{
    Str *text = value_repr(vm, v);
    if (text == NULL) {
        return false;
    }
    raise_error(vm, ERR_OP_OVERFLOW, "%s: %s is out of range for %s", who,
                text->text, dtype_name(dtype));
    object_release(&vm->ctx, text);
    return false;
}

// The value has been checked: it is in the dtype's range, or 0 or 1 for bool.
static void store_int(Tensor *tensor, int64_t index, int64_t i)
{
    switch ((DType)tensor->dtype) {
    case DT_BOOL:
    case DT_UINT8: ((uint8_t *)tensor->data)[index] = (uint8_t)i; break;
    case DT_INT8: ((int8_t *)tensor->data)[index] = (int8_t)i; break;
    case DT_INT16: ((int16_t *)tensor->data)[index] = (int16_t)i; break;
    case DT_INT32: ((int32_t *)tensor->data)[index] = (int32_t)i; break;
    case DT_INT64: ((int64_t *)tensor->data)[index] = i; break;
    case DT_FLOAT32:
    case DT_FLOAT64:
    case DT_FLOAT16:
    case DT_BFLOAT16:
    case DT_STRING:
    case DT_NONE: break;
    }
}

// By way of a double, so that an int of any size is rounded as float() does. A
// float32 is rounded once, to nearest even, by the cast from double.
static bool fill_float(Vm *vm, Tensor *tensor, int64_t index, Value v)
{
    double d = 0.0;
    if (value_is_float(v)) {
        d = value_float(v);
    } else if (!int_to_double(vm, v, &d)) {
        return false;
    }
    tensor_set_float(tensor, index, d);
    return true;
}

// A str is stored as its UTF-8, bytes as they are: an element has no encoding.
static bool fill_text(Vm *vm, Tensor *tensor, int64_t index, Value v)
{
    if (value_is_str(v)) {
        Str *str = value_as_str(v);
        return note_text(vm, str) && tensor_set_string(&vm->ctx, tensor, index,
                                                       str->text, str->length);
    }
    return tensor_set_string(&vm->ctx, tensor, index, bytes_text(v),
                             bytes_length(v));
}

// The kind was compared with the dtype before: only the range can be wrong
// here.
static bool fill_leaf(Vm *vm, const char *who, Tensor *tensor, int64_t index,
                      Value v)
{
    DType dtype = (DType)tensor->dtype;
    if (dtype == DT_STRING) {
        return fill_text(vm, tensor, index, v);
    }
    if (dtype_is_float(dtype)) {
        return fill_float(vm, tensor, index, v);
    }
    int64_t i;
    if (!int_to_i64(v, &i) || (dtype != DT_BOOL && !integer_fits(dtype, i))) {
        return fail_overflow(vm, who, v, dtype);
    }
    store_int(tensor, index, i);
    return true;
}

// The scan has shown that the value is regular and at most SHAPE_MAX_RANK deep,
// so this recursion is bounded. Row-major order: the last index runs fastest,
// which is the order of the lists.
static bool fill(Vm *vm, const char *who, Tensor *tensor, int64_t *index,
                 Value v)
{
    if (!tensor_scan_nests(v)) {
        return fill_leaf(vm, who, tensor, (*index)++, v);
    }
    const Value *items;
    size_t count = tensor_scan_items(v, &items);
    for (size_t i = 0; i < count; i++) {
        if (!fill(vm, who, tensor, index, items[i])) {
            return false;
        }
    }
    return ctx_poll(&vm->ctx);
}

// The value's text is cut, since it may be a long list.
static Value fail_kind(Vm *vm, const char *who, Value v, DType dtype,
                       const char *cure)
{
    Str *text = value_repr(vm, v);
    if (text == NULL) {
        return VALUE_FAIL;
    }
    raise_error(vm, ERR_DTYPE, "%s: %.60s cannot be of dtype %s%s", who,
                text->text, dtype_name(dtype), cure);
    object_release(&vm->ctx, text);
    return VALUE_FAIL;
}

// Lists with tensors in them: each item converted, then stacked on a new
// first axis; an operation like any other, so it works in a trace.
static Value pack(Vm *vm, const char *who, Value v, DType dtype)
{
    const Value *items;
    size_t count = tensor_scan_items(v, &items);
    Tuple *parts = tuple_new(vm, count);
    if (parts == NULL) {
        return VALUE_FAIL;
    }
    Value result = VALUE_NONE;
    for (size_t i = 0; i < count && !value_failed(result); i++) {
        Value part = tensor_from_value(vm, who, items[i], dtype);
        if (value_failed(part)) {
            result = VALUE_FAIL;
        } else {
            // What is not filled stays UNBOUND, which releasing the tuple
            // allows.
            parts->items[i] = part;
        }
    }
    if (!value_failed(result)) {
        // The tensors of a trace have no elements yet, so only an op can join
        // them.
        result =
            tensor_call(vm, "stack", parts->items, (uint32_t)count, NULL, 0);
    }
    object_release(&vm->ctx, parts);
    return result;
}

static Value convert_objects(Vm *vm, const char *who, Value v, DType dtype);

// Two passes: the scan finds shape and kind and refuses what is ragged, so that
// the tensor has its size from the start and the second pass only fills it.
static Value convert_host(Vm *vm, const char *who, Value v, DType dtype)
{
    TensorScan scan;
    if (!tensor_scan(vm, &scan, who, v)) {
        return VALUE_FAIL;
    }
    if (scan.objects) {
        return convert_objects(vm, who, v, dtype);
    }
    // Joined by an op, so that it works in a trace.
    if (scan.kind == LEAF_TENSOR) {
        return pack(vm, who, v, dtype == DT_NONE ? scan.tensor : dtype);
    }
    if (dtype == DT_NONE) {
        dtype = tensor_scan_dtype(scan.kind);
    } else if (!tensor_scan_fits(scan.kind, dtype)) {
        return fail_kind(vm, who, v, dtype, "");
    }
    Tensor *tensor =
        tensor_new(&vm->ctx, dtype, scan.shape.rank, scan.shape.dims);
    if (tensor == NULL) {
        return VALUE_FAIL;
    }
    Value result = tensor_adopt(vm, tensor);
    int64_t index = 0;
    if (!fill(vm, who, tensor, &index, v)) {
        // The tensor goes with it: adopt made it the owner.
        value_release(&vm->ctx, result);
        return VALUE_FAIL;
    }
    return result;
}

// Whether a number of the host's of the kind that `own` stands for would take
// the dtype.
static bool number_fits(DType own, DType dtype)
{
    bool whole = own == DT_BOOL || dtype_is_integer(own);
    return whole ? dtype_is_integer(dtype) || dtype_is_float(dtype)
                 : dtype_is_float(own) && dtype_is_float(dtype);
}

// A tensor is not cast behind the program's back: another dtype is an error,
// and its text names the way out. A symbolic tensor is an operand as well, so
// this holds in a trace; what was a number of the host is none.
static Value convert_operand(Vm *vm, const char *who, Value v, DType dtype)
{
    DType own = operand_type(v).dtype;
    if (dtype == DT_NONE || dtype == own) {
        return value_retain(v);
    }
    if (!symbolic_is_weak(v) || !number_fits(own, dtype)) {
        return raise_error(vm, ERR_DTYPE,
                           "%s: a tensor of dtype %s where %s is needed "
                           "(cast converts)",
                           who, dtype_name(own), dtype_name(dtype));
    }
    NamedAttr attr = {"dtype", attr_of_dtype(dtype)};
    return tensor_call(vm, "cast", &v, 1, &attr, 1);
}

// Number in front of a tensor, the commonest case: no scan.
static Value convert_number(Vm *vm, const char *who, Value v, DType dtype)
{
    Tensor *tensor = tensor_new(&vm->ctx, dtype, 0, NULL);
    if (tensor == NULL) {
        return VALUE_FAIL;
    }
    Value result = tensor_adopt(vm, tensor);
    if (!fill_leaf(vm, who, tensor, 0, v)) {
        value_release(&vm->ctx, result);
        return VALUE_FAIL;
    }
    return result;
}

// What an object says it is as a tensor: __tensor_as__(dtype) for host data
// that adapts to the dtype that is needed, else __tensor__(). UNBOUND: it has
// neither.
static Value object_tensor(Vm *vm, Value v, DType dtype)
{
    Value method = VALUE_UNBOUND, wanted = VALUE_NONE;
    if (dtype != DT_NONE) {
        method = value_find_method(vm, v, vm->names[NAME_TENSOR_AS]);
        if (value_failed(method)) {
            return VALUE_FAIL;
        }
    }
    // __tensor_as__ is asked only where a dtype is needed.
    bool adapts = !value_unbound(method);
    if (!adapts) {
        method = value_find_method(vm, v, vm->names[NAME_TENSOR]);
    } else {
        DTypeObject *object = dtype_new(vm, dtype);
        wanted = value_or_fail(object);
    }
    if (value_unbound(method) || value_failed(method)) {
        return method;
    }
    Value made = value_failed(wanted)
                     ? VALUE_FAIL
                     : vm_call(vm, method, &wanted, adapts ? 1 : 0);
    value_release(&vm->ctx, method);
    value_release(&vm->ctx, wanted);
    return made;
}

// What has no __tensor__ goes to the conversion of host values for the text of
// its error. The answer must be a tensor: a list from __tensor__ is not
// converted in turn, which could go on without end.
static Value convert_answer(Vm *vm, const char *who, Value v, DType dtype)
{
    Value made = object_tensor(vm, v, dtype);
    if (value_failed(made)) {
        return VALUE_FAIL;
    }
    if (value_unbound(made)) {
        return convert_host(vm, who, v, dtype); // words the error
    }
    Value result = value_is_operand(made)
                       ? convert_operand(vm, who, made, dtype)
                       : raise_error(vm, ERR_TYPE,
                                     "%s: __tensor__ of '%s' returned no "
                                     "tensor",
                                     who, type_name(type_of(vm, v)));
    value_release(&vm->ctx, made);
    return result;
}

// As an operation on v: its name comes as a text.
static Value convert_act(Vm *vm, Value v, Value who, int dtype)
{
    const char *name = value_as_str(who)->text;
    return value_is_object(v) && type_has(vm, type_of(vm, v), NAME_TENSOR)
               ? convert_answer(vm, name, v, (DType)dtype)
               : tensor_from_value(vm, name, v, (DType)dtype);
}

static Value convert_object(Vm *vm, const char *who, Value v, DType dtype)
{
    if (LIKELY(!value_is_kind(v, KIND_OPAQUE)) || vm->trace == NULL) {
        return convert_answer(vm, who, v, dtype);
    }
    Str *name = str_from(vm, who);
    Value made = name != NULL ? operate_traced(vm, v, str_value(name),
                                               convert_act, (int)dtype)
                              : VALUE_FAIL;
    object_release_null(&vm->ctx, name);
    return made;
}

// What an object in a list counts as: its values, as if they had been written
// there. What has none yet, in a trace, stays a tensor. `floating`: the dtype
// of the first float, DT_NONE until there is one.
static Value plain_object(Vm *vm, const char *who, Value v, DType dtype,
                          DType *floating)
{
    Value made = convert_object(vm, who, v, dtype);
    if (value_failed(made) || !value_is_tensor(made)) {
        return made;
    }
    const Tensor *tensor = value_as_tensor(made);
    if (dtype_is_float((DType)tensor->dtype) && *floating == DT_NONE) {
        *floating = (DType)tensor->dtype;
    }
    Value plain = tensor_to_list(vm, tensor);
    value_release(&vm->ctx, made);
    return plain;
}

// A list anew, with host values or tensors where objects were. Its depth is
// bounded: it was scanned.
static Value plain_value(Vm *vm, const char *who, Value v, DType dtype,
                         DType *floating)
{
    if (!tensor_scan_nests(v)) {
        LeafKind kind = tensor_scan_kind(v);
        if (kind == LEAF_FLOAT && *floating == DT_NONE) {
            *floating = tensor_scan_dtype(kind);
        }
        return kind == LEAF_NONE ? plain_object(vm, who, v, dtype, floating)
                                 : value_retain(v);
    }
    const Value *items;
    size_t count = tensor_scan_items(v, &items);
    Tuple *parts = tuple_new(vm, count);
    if (parts == NULL) {
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < count; i++) {
        // Objects run code of the program, which may change the list.
        if (tensor_scan_items(v, &items) != count) {
            object_release(&vm->ctx, parts);
            return raise_error(vm, ERR_RUNTIME,
                               "list changed size during conversion");
        }
        Value item = value_retain(items[i]);
        Value part = plain_value(vm, who, item, dtype, floating);
        value_release(&vm->ctx, item);
        if (value_failed(part)) {
            object_release(&vm->ctx, parts);
            return VALUE_FAIL;
        }
        parts->items[i] = part;
    }
    return value_from_object(parts);
}

static Value convert_objects(Vm *vm, const char *who, Value v, DType dtype)
{
    DType floating = DT_NONE;
    Value plain = plain_value(vm, who, v, dtype, &floating);
    if (value_failed(plain)) {
        return VALUE_FAIL;
    }
    Value result =
        convert_host(vm, who, plain, dtype == DT_NONE ? floating : dtype);
    value_release(&vm->ctx, plain);
    return result;
}

// Tensors and single numbers first, because operators come here for each
// operand that they have. None and its like are no objects; the scan refuses
// them.
Value tensor_from_value(Vm *vm, const char *who, Value v, DType dtype)
{
    if (value_is_operand(v)) {
        return convert_operand(vm, who, v, dtype);
    }
    LeafKind kind = tensor_scan_kind(v);
    if (kind != LEAF_NONE) {
        if (dtype == DT_NONE) {
            dtype = tensor_scan_dtype(kind);
        } else if (!tensor_scan_fits(kind, dtype)) {
            return fail_kind(vm, who, v, dtype, "");
        }
        return convert_number(vm, who, v, dtype);
    }
    if (tensor_scan_nests(v) || !value_is_object(v)) {
        return convert_host(vm, who, v, dtype);
    }
    return convert_object(vm, who, v, dtype);
}

// As which kind of host number it takes part when dtypes are unified.
static LeafKind weak_kind(Value v)
{
    switch (dtype_class(operand_type(v).dtype)) {
    case DTYPE_CLASS_BOOL: return LEAF_BOOL;
    case DTYPE_CLASS_FLOAT: return LEAF_FLOAT;
    default: return operand_type(v).dtype == DT_INT64 ? LEAF_LONG : LEAF_INT;
    }
}

// The dtype that host values among `values` take. The order of the operands
// decides, not their width: 1 + t and t + 1 give the same dtype.
static bool unify_dtype(Vm *vm, const char *who, const Value *values,
                        uint32_t count, DType *dtype)
{
    LeafKind widest = LEAF_NONE;
    for (uint32_t i = 0; i < count; i++) {
        // The first tensor decides; whether others agree with it is for the op.
        if (value_is_operand(values[i]) && !symbolic_is_weak(values[i])) {
            *dtype = operand_type(values[i]).dtype;
            return true;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (symbolic_is_weak(values[i])) {
            LeafKind kind = weak_kind(values[i]);
            widest = kind > widest ? kind : widest;
            continue;
        }
        if (!tensor_scan_nests(values[i]) &&
            tensor_scan_kind(values[i]) == LEAF_NONE) {
            *dtype = DT_NONE; // __tensor__ decides, or an error comes
            return true;
        }
        // A list is looked through in full, for its widest leaf counts.
        TensorScan scan;
        if (!tensor_scan(vm, &scan, who, values[i])) {
            return false;
        }
        if (scan.kind == LEAF_TENSOR || scan.objects) {
            *dtype = scan.objects ? DT_NONE : scan.tensor;
            return true;
        }
        widest = scan.kind > widest ? scan.kind : widest;
    }
    // No operand at all: the widest host kind decides, as in a list of all.
    *dtype = tensor_scan_dtype(widest);
    return true;
}

// A fraction beside a tensor of ints, where the tensor can give way, or a text
// beside a number.
static Value convert_beside(Vm *vm, const char *who, Value v, DType dtype)
{
    if (value_is_str(v) && dtype != DT_NONE && dtype != DT_STRING) {
        return fail_kind(vm, who, v, dtype,
                         "; stage.print prints both, f\"{x}\" makes a text of "
                         "a tensor");
    }
    bool fraction =
        value_is_float(v) && dtype != DT_NONE && dtype_is_integer(dtype);
    return fraction
               ? fail_kind(vm, who, v, dtype, "; cast the tensor to float32")
               : tensor_from_value(vm, who, v, dtype);
}

// An operand passes as it is, so that only host values are converted. While a
// trace runs, the tensors made of them are marked as literals.
bool tensor_unify(Vm *vm, const char *who, const Value *values, uint32_t count,
                  Value *outputs)
{
    DType dtype;
    if (!unify_dtype(vm, who, values, count, &dtype)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        // Operands of unequal dtype are for the op to refuse: its text names
        // both.
        // No cast is made among tensors: that would hide a loss.
        outputs[i] = value_is_operand(values[i])
                         ? value_retain(values[i])
                         : convert_beside(vm, who, values[i], dtype);
        if (value_failed(outputs[i])) {
            // Nothing is left to the caller on failure.
            while (i-- > 0) {
                value_release(&vm->ctx, outputs[i]);
            }
            return false;
        }
        if (UNLIKELY(vm->trace != NULL) &&
            tensor_scan_kind(values[i]) < LEAF_STRING) {
            value_object(outputs[i])->flags |= TENSOR_LITERAL;
        }
    }
    return true;
}

// Text comes back as bytes, because an element does not know its encoding. A
// Python-like value of the dtype's kind: bool, int, float or bytes.
Value tensor_item(Vm *vm, const Tensor *tensor, int64_t index)
{
    DType dtype = (DType)tensor->dtype;
    if (dtype == DT_STRING) {
        // An element is a pointer to its text, which the tensor owns.
        const TensorString *text = ((TensorString **)tensor->data)[index];
        return bytes_value(vm, text->bytes, text->length);
    }
    if (dtype_is_float(dtype)) {
        return float_new(vm, tensor_float_at(tensor, index));
    }
    int64_t i = tensor_int_at(tensor, index);
    return dtype == DT_BOOL ? value_from_bool(i != 0) : int_from_i64(vm, i);
}

// `index` runs over the elements in row-major order across all levels. A scalar
// gives its item and no list.
static Value list_level(Vm *vm, const Tensor *tensor, int axis, int64_t *index)
{
    if (axis == tensor->rank) {
        return tensor_item(vm, tensor, (*index)++);
    }
    int64_t count = tensor_dims(tensor)[axis];
    List *list = list_new(vm, (size_t)count);
    if (list == NULL) {
        return VALUE_FAIL;
    }
    for (int64_t i = 0; i < count; i++) {
        Value item = list_level(vm, tensor, axis + 1, index);
        if (value_failed(item)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
        // The slot held None, so nothing is released.
        list->items[i] = item;
    }
    return value_from_object(list);
}

Value tensor_to_list(Vm *vm, const Tensor *tensor)
{
    int64_t index = 0;
    return list_level(vm, tensor, 0, &index);
}
