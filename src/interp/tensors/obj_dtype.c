// dtype and spec: what is known of a tensor, as values.
//
// dtypes compare equal by what they name, also to the host types bool, int,
// float, str (which serve as bool, int32, float32, string); any number of
// objects may stand for one.
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/display.h"
#include "interp/tensors/obj_tensor.h"

// A new object each time: nothing depends on the identity of dtypes.
DTypeObject *dtype_new(Vm *vm, DType dtype)
{
    DTypeObject *object = object_new(vm, vm->types[KIND_DTYPE], sizeof *object);
    if (object != NULL) {
        object->dtype = dtype;
    }
    return object;
}

// The types themselves, not their subclasses. False without an error for
// anything else.
// int32 and float32 are what a Python number becomes in a tensor
// (tensor_convert.c).
static bool host_type_dtype(Vm *vm, const Object *type, DType *dtype)
{
    if (type == (Object *)vm->bool_type) {
        *dtype = DT_BOOL;
    } else if (type == (Object *)vm->types[KIND_INT]) {
        *dtype = DT_INT32;
    } else if (type == (Object *)vm->types[KIND_FLOAT]) {
        *dtype = DT_FLOAT32;
    } else if (type == (Object *)vm->types[KIND_STR]) {
        *dtype = DT_STRING;
    } else {
        return false;
    }
    return true;
}

// The repr in the message is cut, since the value may be large.
bool dtype_from_value(Vm *vm, Value v, DType *dtype)
{
    if (value_is_kind(v, KIND_DTYPE)) {
        *dtype = ((DTypeObject *)value_object(v))->dtype;
        return true;
    }
    if (value_is_object(v) && host_type_dtype(vm, value_object(v), dtype)) {
        return true;
    }
    if (value_is_str(v) && dtype_from_name(value_as_str(v)->text, dtype)) {
        return true;
    }
    // Nothing fits: the message shows what was given.
    Str *text = value_repr(vm, v);
    if (text == NULL) {
        return false;
    }
    raise_error(vm, ERR_TYPE, "not a dtype: %.60s", text->text);
    object_release(&vm->ctx, text);
    return false;
}

// A library may have its own way to show dtypes (display.h); NULL without an
// error means that it has none.
// Owned.
static Value dtype_repr(Vm *vm, Value self)
{
    Str *own = display_repr(vm, DISPLAY_DTYPE, self);
    if (own != NULL || vm_has_error(vm)) {
        return value_or_fail(own);
    }
    return value_or_fail(
        str_from(vm, dtype_name(((DTypeObject *)value_object(self))->dtype)));
}

// print() and str() may differ from the repr in a library's form.
static Value dtype_str(Vm *vm, Value self)
{
    Str *own = display_str(vm, DISPLAY_DTYPE, self);
    return own != NULL || vm_has_error(vm) ? value_or_fail(own)
                                           : dtype_repr(vm, self);
}

// Anything that names no dtype is left to the other operand: NOT_IMPLEMENTED,
// not False.
// dtypes have no order: < falls through to a TypeError.
static Value dtype_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    DType other;
    if (op != COMPARE_EQ && op != COMPARE_NE) {
        return VALUE_NOT_IMPLEMENTED;
    }
    // `a` is a dtype: the slot is asked of its own type.
    DType own = ((DTypeObject *)value_object(a))->dtype;
    if (value_is_kind(b, KIND_DTYPE)) {
        other = ((DTypeObject *)value_object(b))->dtype;
    } else if (value_is_str(b)) { // a dtype's name means it everywhere
        bool equal = str_is(value_as_str(b), dtype_name(own));
        return value_from_bool(equal == (op == COMPARE_EQ));
    } else if (!value_is_object(b) ||
               !host_type_dtype(vm, value_object(b), &other)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    return value_from_bool((own == other) == (op == COMPARE_EQ));
}

// The hash of the name, since a str that names the dtype is equal to it.
// Host types are equal to a dtype but hash by their identity: they do not find
// each other in a dict.
static bool dtype_hash(Vm *vm, Value self, uint64_t *hash)
{
    (void)vm;
    const char *name = dtype_name(((DTypeObject *)value_object(self))->dtype);
    *hash = map_hash(name, strlen(name));
    return true;
}

// Nothing is owned.
static void dtype_destroy(Vm *vm, Object *self)
{
    object_free(vm, self, sizeof(DTypeObject));
}

static Value member_dtype_name(Vm *vm, Value self)
{
    return value_or_fail(
        str_from(vm, dtype_name(((DTypeObject *)value_object(self))->dtype)));
}

static Value member_itemsize(Vm *vm, Value self)
{
    (void)vm;
    return value_from_small(
        (int64_t)dtype_size(((DTypeObject *)value_object(self))->dtype));
}

static const MemberDef dtype_members[] = {
    {"name", member_dtype_name, NULL, "The dtype's name, a str."},
    {"itemsize", member_itemsize, NULL, "Bytes of one element."},
    {NULL, NULL, NULL, NULL},
};

const TypeDef dtype_type_def = {
    .name = "dtype",
    .doc = "The type of a tensor's elements: float32, int64, string, ...",
    .kind = KIND_DTYPE,
    .size = sizeof(DTypeObject),
    .flags = TYPE_FINAL,
    .slots = {.destroy = dtype_destroy,
              .repr = dtype_repr,
              .str = dtype_str,
              .compare = dtype_compare,
              .hash = dtype_hash},
    .members = dtype_members,
};

// Shapes.

Value shape_to_value(Vm *vm, int rank, const int64_t *dims)
{
    if (rank == RANK_UNKNOWN) {
        return VALUE_NONE;
    }
    Tuple *tuple = tuple_new(vm, (size_t)rank);
    if (tuple == NULL) {
        return VALUE_FAIL;
    }
    for (int i = 0; i < rank; i++) {
        tuple->items[i] =
            dims[i] == DIM_UNKNOWN ? VALUE_NONE : value_from_small(dims[i]);
    }
    return value_from_object(tuple);
}

// One size: None is any, as is one that only a run knows; an int is not
// negative. False: an error is pending. An object with __index__ is an int.
static bool size_from_value(Vm *vm, Value v, int64_t *size)
{
    if (value_is_none(v) || value_is_kind(v, KIND_SYMBOLIC)) {
        *size = DIM_UNKNOWN;
        return true;
    }
    return value_to_index(vm, v, size) &&
           (*size >= 0 ||
            raise_false(vm, ERR_VALUE, "a size cannot be negative: %lld",
                        (long long)*size));
}

// The inverse of shape_to_value; an int alone is a shape of one axis, as in
// NumPy. On failure `shape` holds nothing of use.
// False: an error is pending. A list serves as well as a tuple, and so does any
// other iterable.
static bool shape_from_value(Vm *vm, Value v, Shape *shape)
{
    if (value_is_none(v)) {
        shape->rank = RANK_UNKNOWN;
        return true;
    }
    if (value_is_integer(v)) {
        shape->rank = 1;
        return size_from_value(vm, v, &shape->dims[0]);
    }
    Tuple *sizes = value_to_tuple(vm, v);
    if (sizes == NULL) {
        return false;
    }
    bool ok = sizes->count <= SHAPE_MAX_RANK ||
              raise_false(vm, ERR_VALUE, "a shape of more than %d axes",
                          SHAPE_MAX_RANK);
    // The sizes fit only if the rank does.
    shape->rank = ok ? (int)sizes->count : 0;
    for (int i = 0; ok && i < shape->rank; i++) {
        ok = size_from_value(vm, sizes->items[i], &shape->dims[i]);
    }
    object_release(&vm->ctx, sizes);
    return ok;
}

// Specs.

// The sizes stand behind the object, so object_new and object_free must agree
// on it. An unknown rank (negative) has none.
// In bytes.
static size_t spec_size(int rank)
{
    return sizeof(Spec) + (rank > 0 ? (size_t)rank : 0) * sizeof(int64_t);
}

// `cls` may be a subclass; the name is retained, the sizes copied.
static Spec *spec_of(Vm *vm, Type *cls, TensorType type, Str *name)
{
    Spec *spec = object_new(vm, cls, spec_size(type.rank));
    if (spec == NULL) {
        return NULL;
    }
    spec->dtype = type.dtype;
    spec->rank = type.rank;
    spec->name = name != NULL ? object_retain(name) : NULL;
    for (int i = 0; i < type.rank; i++) {
        spec->dims[i] = type.dims[i];
    }
    return spec;
}

Spec *spec_new(Vm *vm, TensorType type, Str *name)
{
    return spec_of(vm, vm->types[KIND_SPEC], type, name);
}

// The size follows from the rank, as it was made.
static void spec_destroy(Vm *vm, Object *self)
{
    Spec *spec = (Spec *)self;
    object_release_null(&vm->ctx, spec->name);
    object_free(vm, spec, spec_size(spec->rank));
}

// "spec((None, 3), float32)"
// What is printed can be typed again, up to the name.
static Value spec_repr(Vm *vm, Value self)
{
    Str *own = display_repr(vm, DISPLAY_SPEC, self);
    if (own != NULL || vm_has_error(vm)) {
        return value_or_fail(own);
    }
    const Spec *spec = (Spec *)value_object(self);
    StrBuf buf;
    strbuf_init(&buf, &vm->ctx);
    strbuf_puts(&buf, "spec(");
    if (spec->rank == RANK_UNKNOWN) {
        strbuf_puts(&buf, "None");
    } else {
        shape_print(&buf, spec->rank, spec->dims);
    }
    strbuf_printf(&buf, ", %s)", dtype_name(spec->dtype));
    return value_or_fail(str_from_buf(vm, &buf));
}

// The name is not compared: it is for messages, not a part of what fits.
static bool spec_equal(const Spec *a, const Spec *b)
{
    return a->dtype == b->dtype &&
           shape_equal(a->rank, a->dims, b->rank, b->dims);
}

static Value spec_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    (void)vm;
    if ((op != COMPARE_EQ && op != COMPARE_NE) ||
        !value_is_kind(b, KIND_SPEC)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    bool equal = spec_equal((Spec *)value_object(a), (Spec *)value_object(b));
    return value_from_bool(equal == (op == COMPARE_EQ));
}

// Of what spec_equal compares. The rank tells an unknown shape from a scalar's.
// The name has no part in it, as it has none in ==.
static bool spec_hash(Vm *vm, Value self, uint64_t *hash)
{
    (void)vm;
    const Spec *spec = (Spec *)value_object(self);
    size_t count = spec->rank > 0 ? (size_t)spec->rank : 0;
    *hash = map_hash(spec->dims, count * sizeof(int64_t)) * 31 +
            (uint64_t)spec->dtype + ((uint64_t)(spec->rank + 1) << 8);
    return true;
}

static Value member_shape(Vm *vm, Value self)
{
    const Spec *spec = (Spec *)value_object(self);
    return shape_to_value(vm, spec->rank, spec->dims);
}

static Value member_dtype(Vm *vm, Value self)
{
    return value_or_fail(dtype_new(vm, ((Spec *)value_object(self))->dtype));
}

// Owned; None if the spec was made without a name.
static Value member_name(Vm *vm, Value self)
{
    (void)vm;
    Str *name = ((Spec *)value_object(self))->name;
    return name != NULL ? str_value(object_retain(name)) : VALUE_NONE;
}

static const MemberDef spec_members[] = {
    {"shape", member_shape, NULL,
     "A tuple with None for any size; None if any rank will do."},
    {"dtype", member_dtype, NULL, "The dtype that an argument must have."},
    {"name", member_name, NULL, "The argument's name, or None."},
    {NULL, NULL, NULL, NULL},
};

// spec(shape, dtype, name=None), by keyword too.
// Owned. A rank or size of None is what makes one trace serve several shapes.
static Value spec_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    static const char *const params[3] = {"shape", "dtype", "name"};
    Value given[3];
    Shape shape;
    DType dtype;
    if (!arguments_spread(vm, "spec", args, keywords, params, 3, 2, given) ||
        !shape_from_value(vm, given[0], &shape) ||
        !dtype_from_value(vm, given[1], &dtype)) {
        return VALUE_FAIL;
    }
    // None counts as not given.
    bool named = !value_unbound(given[2]) && !value_is_none(given[2]);
    if (named && !value_is_str(given[2])) {
        return raise_error(vm, ERR_TYPE, "spec: name must be a str");
    }
    // Borrows the sizes from `shape`; spec_of copies them.
    TensorType type = {dtype, shape.rank, shape.dims};
    return value_or_fail(
        spec_of(vm, cls, type, named ? value_as_str(given[2]) : NULL));
}

const TypeDef spec_type_def = {
    .name = "spec",
    .doc = "What a signature asks of an argument: spec((None, 3), float32). "
           "None for a size: any size; for the shape: any rank.",
    .params = "shape, dtype, name=None",
    .kind = KIND_SPEC,
    .size = sizeof(Spec),
    .slots = {.destroy = spec_destroy,
              .make = spec_make,
              .repr = spec_repr,
              .compare = spec_compare,
              .hash = spec_hash},
    .members = spec_members,
};
