// The types `tensor` and `symbolic`: their slots, and what all operands share.
//
// A tensor comes from the layers below with no type in its head; it enters the
// language through tensor_adopt.
#include "interp/tensors/obj_tensor.h"

#include "interp/core/raise.h"
#include "interp/hooks/note.h"
#include "interp/hooks/tracing.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/display.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"

// Takes the reference. The birth tells a trace whether the tensor is its own.
// Owned by the Value from then on.
Value tensor_adopt(Vm *vm, Tensor *tensor)
{
    tensor->head.type = vm->types[KIND_TENSOR];
    // That of the trace that runs, if one does.
    tensor->head.birth = vm->ctx.birth;
    return value_from_object(tensor);
}

// Valid as long as the operand, and for a Variable until it is assigned to.
// value_is_operand is asked first.
TensorType operand_type(Value operand)
{
    switch (value_object(operand)->kind) {
    case KIND_TENSOR: return tensor_type(value_as_tensor(operand));
    case KIND_VARIABLE:
        return cell_type(variable_cell(value_as_variable(operand)));
    default: {
        const Symbolic *symbolic = value_as_symbolic(operand);
        return (TensorType){(DType)symbolic->dtype, symbolic->rank,
                            symbolic->dims};
    }
    }
}

TensorType operand_type_now(Vm *vm, Value operand)
{
    return vm->trace == NULL && value_is_kind(operand, KIND_VARIABLE)
               ? tensor_type(variable_cell(value_as_variable(operand))->value)
               : operand_type(operand);
}

// The tensor layer frees its own memory: it knows how the data is held.
// The elements may be a window of another tensor's buffer, or strings that are
// counted.
static void tensor_destroy(Vm *vm, Object *self)
{
    tensor_dealloc(&vm->ctx, (Tensor *)self);
}

// A library may have its own way to show tensors (display.h); NULL without an
// error means that it has none. So it is in tensor_str.
// Long tensors are printed with their middle left out (tensor_print.c).
static Value tensor_repr(Vm *vm, Value self)
{
    Str *own = display_repr(vm, DISPLAY_TENSOR, self);
    if (own != NULL || vm_has_error(vm)) {
        return value_or_fail(own);
    }
    StrBuf buf;
    strbuf_init(&buf, &vm->ctx);
    tensor_print_repr(&buf, value_as_tensor(self));
    return value_or_fail(str_from_buf(vm, &buf));
}

// As print() shows it: without dtype and shape, as NumPy does.
static Value tensor_str(Vm *vm, Value self)
{
    Str *own = display_str(vm, DISPLAY_TENSOR, self);
    if (own != NULL || vm_has_error(vm)) {
        return value_or_fail(own);
    }
    StrBuf buf;
    strbuf_init(&buf, &vm->ctx);
    tensor_print_str(&buf, value_as_tensor(self));
    return value_or_fail(str_from_buf(vm, &buf));
}

// Format specs are for scalars, which print as their host number would.
// Also the slot of Variable, hence the two kinds.
Value tensor_format(Vm *vm, Value self, Str *spec)
{
    const Tensor *tensor = value_is_tensor(self)
                               ? value_as_tensor(self)
                               : variable_cell(value_as_variable(self))->value;
    DisplayKind kind =
        value_is_tensor(self) ? DISPLAY_TENSOR : DISPLAY_VARIABLE;
    Str *own = display_format(vm, kind, self, spec);
    if (own != NULL || vm_has_error(vm)) {
        return value_or_fail(own);
    }
    if (spec->length == 0) {
        return value_or_fail(value_str(vm, self));
    }
    if (tensor->count != 1 || tensor->rank != 0) {
        return raise_error(vm, ERR_TYPE,
                           "a format spec needs a scalar, not a tensor of "
                           "rank %d",
                           tensor->rank);
    }
    // The host number knows the rest of the specification.
    Value item = tensor_item(vm, tensor, 0);
    if (value_failed(item)) {
        return VALUE_FAIL;
    }
    Value result = value_or_fail(value_format(vm, item, spec));
    value_release(&vm->ctx, item);
    return result;
}

// The one element, for int(), float(), index. A Variable has no value that
// host code may see while a function is traced.
// Owned. Any rank will do as long as there is one element, as in NumPy.
static Value only_item(Vm *vm, Value self, const char *what)
{
    if (vm->trace != NULL && value_is_kind(self, KIND_VARIABLE)) {
        return raise_error(vm, ERR_SYMBOLIC,
                           "%s: a Variable has no host value while a "
                           "function is traced; cast() it",
                           what);
    }
    // A Variable's tensor now; the item is a host value, owned.
    const Tensor *tensor = value_is_tensor(self)
                               ? value_as_tensor(self)
                               : variable_cell(value_as_variable(self))->value;
    if (tensor->count != 1) {
        return raise_error(vm, ERR_TYPE,
                           "%s() needs a tensor of one element, not %lld", what,
                           (long long)tensor->count);
    }
    return tensor_item(vm, tensor, 0);
}

// Integers alone, as __index__ demands: a float scalar must not index a list.
// Stricter than int(): a tensor of shape (1,) is no index.
Value tensor_index_slot(Vm *vm, Value self)
{
    TensorType type = operand_type_now(vm, self);
    if (!dtype_is_integer(type.dtype) || type.rank != 0) {
        return raise_error(vm, ERR_TYPE,
                           "only an integer scalar tensor can be an index");
    }
    return only_item(vm, self, "index");
}

// A float's fraction is cut off, as int() does. The item is a host value.
// NaN and the infinities raise what int() raises for a float.
Value tensor_to_int(Vm *vm, Value self)
{
    Value item = only_item(vm, self, "int");
    if (value_failed(item) || value_is_integer(item)) {
        return item;
    }
    if (value_is_bool(item)) {
        return value_from_small(value_same(item, VALUE_TRUE));
    }
    if (value_is_float(item)) {
        double number = value_float(item);
        value_release(&vm->ctx, item);
        return int_from_double(vm, number);
    }
    value_release(&vm->ctx, item);
    return raise_error(vm, ERR_TYPE,
                       "int() of a string tensor: use "
                       "strings.to_number");
}

// Ints and bools beyond what a double holds exactly are rounded.
// A bool counts as 0 or 1.
Value tensor_to_float(Vm *vm, Value self)
{
    if (operand_type(self).dtype == DT_STRING) {
        return raise_error(vm, ERR_TYPE,
                           "float() of a string tensor: use "
                           "strings.to_number");
    }
    Value item = only_item(vm, self, "float");
    double number;
    if (value_failed(item) || value_is_float(item)) {
        return item;
    }
    // An int or a bool: anything else has been refused.
    bool ok = int_to_double(vm, item, &number);
    value_release(&vm->ctx, item);
    return ok ? float_new(vm, number) : VALUE_FAIL;
}

// The class is there for isinstance, not to be called.
// SymbolicTensor has the same slot, so the name comes from the class.
static Value tensor_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)args, (void)keywords;
    return raise_error(vm, ERR_TYPE,
                       "cannot create '%s' objects: use tensor(value)",
                       type_name(cls));
}

const TypeDef tensor_type_def = {
    .name = "Tensor",
    .doc = "An immutable array of one dtype; made by tensor(value).",
    .params = "value, dtype=None",
    .kind = KIND_TENSOR,
    .size = sizeof(Tensor),
    .flags = TYPE_FINAL | TYPE_UNHASHABLE,
    .slots = {.destroy = tensor_destroy,
              .make = tensor_make,
              .repr = tensor_repr,
              .str = tensor_str,
              .format = tensor_format,
              .compare = tensor_compare,
              .unary = tensor_unary,
              .binary = tensor_binary,
              .binary_last = tensor_binary_last,
              .truth = tensor_truth,
              .length = tensor_length,
              .get_item = tensor_get_item,
              .iter = tensor_iter,
              .index = tensor_index_slot,
              .to_int = tensor_to_int,
              .to_float = tensor_to_float},
    .methods = tensor_methods,
    .members = tensor_members,
};

// The owner keeps the graph alive in which the symbol stands.
// Both may be NULL while the object is being made.
static void symbolic_destroy(Vm *vm, Object *self)
{
    Symbolic *symbolic = (Symbolic *)self;
    object_release_null(&vm->ctx, symbolic->name);
    object_release_null(&vm->ctx, symbolic->owner);
    object_free(vm, symbolic, sizeof *symbolic);
}

// The trace keeps what it was called.
Value tensor_worded(Vm *vm, Value self, Str *text, TextWay way, Str *spec)
{
    if (text != NULL && vm->trace != NULL &&
        !vm->hooks->worded(vm, self, text, way, spec)) {
        object_release(&vm->ctx, text);
        return VALUE_FAIL;
    }
    return value_or_fail(text);
}

Str *symbolic_words(Vm *vm, Value self)
{
    Str *own = display_repr(vm, DISPLAY_SYMBOLIC, self);
    if (own != NULL || vm_has_error(vm)) {
        return own;
    }
    const Symbolic *symbolic = value_as_symbolic(self);
    StrBuf buf;
    strbuf_init(&buf, &vm->ctx);
    strbuf_printf(&buf,
                  "<%s: ", symbolic->name != NULL ? symbolic->name->text : "?");
    tensor_type_print(&buf, operand_type(self));
    // A symbol that outlived its trace says so.
    // NULL: the trace still runs, or no stager is there.
    const char *function =
        vm->hooks != NULL ? vm->hooks->leaked_from(symbolic) : NULL;
    if (function != NULL) {
        strbuf_printf(&buf, " leaked from %s", function);
    }
    strbuf_putc(&buf, '>');
    return str_from_buf(vm, &buf);
}

static Value symbolic_repr(Vm *vm, Value self)
{
    return tensor_worded(vm, self, symbolic_words(vm, self), TEXT_REPR, NULL);
}

bool symbolic_leaked(Vm *vm, const char *who, Value symbolic)
{
    const Symbolic *tensor = value_as_symbolic(symbolic);
    if (vm->hooks == NULL ||
        (vm->trace != NULL && vm->hooks->leaked_from(tensor) == NULL)) {
        return false;
    }
    (void)vm->hooks->leak(vm, who, tensor);
    return true;
}

static Value symbolic_format(Vm *vm, Value self, Str *spec)
{
    if (spec->length == 0) {
        return value_or_fail(value_str(vm, self));
    }
    if (vm->trace == NULL ||
        vm->hooks->leaked_from(value_as_symbolic(self)) != NULL) {
        symbolic_refuse(vm, NEED_FORMAT, self);
        return VALUE_FAIL;
    }
    Str *words = symbolic_words(vm, self);
    Str *text = words == NULL
                    ? NULL
                    : str_printf(vm, "<%s:%s>", words->text, spec->text);
    object_release_null(&vm->ctx, words);
    return tensor_worded(vm, self, text, TEXT_STR, spec);
}

// A library's form first, then the repr.
// A tracer's print() shows this; stage.print shows values.
static Value symbolic_str(Vm *vm, Value self)
{
    Str *own = display_str(vm, DISPLAY_SYMBOLIC, self);
    return tensor_worded(
        vm, self,
        own != NULL || vm_has_error(vm) ? own : symbolic_words(vm, self),
        TEXT_STR, NULL);
}

void symbolic_refuse(Vm *vm, HostNeed need, Value symbolic)
{
    if (vm->hooks == NULL) {
        raise_error(vm, ERR_SYMBOLIC, "a symbolic tensor has no value");
    } else if (vm->hooks->leaked_from(value_as_symbolic(symbolic)) != NULL) {
        (void)vm->hooks->leak(vm, NULL, value_as_symbolic(symbolic));
    } else {
        vm->hooks->refuse(vm, need, symbolic);
    }
}

// int() and float() themselves are casts in a trace (tensor_cast.c).
static Value symbolic_number(Vm *vm, Value self)
{
    symbolic_refuse(vm, NEED_NUMBER, self);
    return VALUE_FAIL;
}

static Value symbolic_index(Vm *vm, Value self)
{
    symbolic_refuse(vm, NEED_INDEX, self);
    return VALUE_FAIL;
}

// A text that a tensor chooses is compared and joined; what else texts can do
// is the host's.
static bool refuses_text(Vm *vm, Value v)
{
    bool text = symbolic_is_text(v);
    if (text) {
        symbolic_refuse(vm, NEED_TEXT, v);
    }
    return text;
}

static int64_t symbolic_length(Vm *vm, Value self)
{
    return refuses_text(vm, self) ? -1 : tensor_length(vm, self);
}

static Value symbolic_item(Vm *vm, Value self, Value key)
{
    return refuses_text(vm, self) ? VALUE_FAIL : tensor_get_item(vm, self, key);
}

static Value symbolic_iter(Vm *vm, Value self)
{
    return refuses_text(vm, self) ? VALUE_FAIL : tensor_iter(vm, self);
}

// A number of the host's knows no sequences; a tensor takes them for tensors.
static bool declines(Value v, Value other)
{
    return symbolic_is_weak(v) &&
           (value_is_kind(other, KIND_LIST) ||
            value_is_kind(other, KIND_TUPLE) || value_is_str(other) ||
            value_is_kind(other, KIND_BYTES));
}

Value symbolic_counted(Vm *vm, Value v)
{
    if (!symbolic_is_weak(v) || value_as_symbolic(v)->dtype != DT_BOOL) {
        return value_retain(v);
    }
    NamedAttr attr = {"dtype", attr_of_dtype(DT_INT32)};
    return tensor_call(vm, "cast", &v, 1, &attr, 1);
}

// What arithmetic takes for v. Beside a tensor it has that one's dtype anyway.
static Value as_count(Vm *vm, Value v, Value other)
{
    return value_is_operand(other) && !symbolic_is_weak(other)
               ? value_retain(v)
               : symbolic_counted(vm, v);
}

static Value with_counts(Vm *vm, Value a, Value b, OperandsFn act, int how)
{
    Value left = as_count(vm, a, b);
    Value right = value_failed(left) ? left : as_count(vm, b, a);
    Value result = value_failed(right) ? VALUE_FAIL : act(vm, left, right, how);
    release(vm, left);
    release(vm, right);
    return result;
}

static Value act_binary(Vm *vm, Value a, Value b, int op)
{
    return tensor_binary(vm, (BinaryOp)op, a, b);
}

static Value act_compare(Vm *vm, Value a, Value b, int op)
{
    return tensor_compare(vm, (CompareOp)op, a, b);
}

static Value symbolic_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    bool joins = op == BINARY_ADD;
    if (declines(a, b) || declines(b, a)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    if (!joins && (refuses_text(vm, a) || refuses_text(vm, b))) {
        return VALUE_FAIL;
    }
    if (op == BINARY_AND || op == BINARY_OR || op == BINARY_XOR) {
        return tensor_binary(vm, op, a, b);
    }
    return with_counts(vm, a, b, act_binary, (int)op);
}

static Value symbolic_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    bool order = op != COMPARE_EQ && op != COMPARE_NE;
    if (declines(a, b) || declines(b, a)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    if (!order) {
        return tensor_compare(vm, op, a, b);
    }
    if (refuses_text(vm, a) || refuses_text(vm, b)) {
        return VALUE_FAIL;
    }
    return with_counts(vm, a, b, act_compare, (int)op);
}

static Value symbolic_unary(Vm *vm, UnaryOp op, Value self)
{
    Value counted =
        op == UNARY_NOT ? value_retain(self) : symbolic_counted(vm, self);
    Value result =
        value_failed(counted) ? VALUE_FAIL : tensor_unary(vm, op, counted);
    release(vm, counted);
    return result;
}

static Value symbolic_attr(Vm *vm, Value self, Str *name)
{
    Value found = attr_get_generic(vm, self, name);
    if (value_failed(found) && symbolic_is_text(self) &&
        raise_matches(vm, ERR_ATTRIBUTE) &&
        !value_unbound(type_lookup(vm, vm->types[KIND_STR], name))) {
        raise_clear(vm);
        (void)refuses_text(vm, self);
    }
    return found;
}

// `if` and `while` of staged code never ask: they are converted.
static int symbolic_truth(Vm *vm, Value self)
{
    symbolic_refuse(vm, NEED_TRUTH, self);
    return -1;
}

// Owned; None for a tensor that no parameter or op names.
// A tensor with a value has none.
static Value symbolic_name(Vm *vm, Value self)
{
    if (!note_effect(vm, EFFECT_LOOK, "a name", VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    Str *name = value_as_symbolic(self)->name;
    return name != NULL ? str_value(object_retain(name)) : VALUE_NONE;
}

static const MemberDef symbolic_members[] = {
    TENSOR_MEMBERS,
    {"name", symbolic_name, NULL, "The parameter or the op that it is of."},
    {NULL, NULL, NULL, NULL},
};

// A subclass of Tensor, since it is used as one; all slots that ask for a
// value are its own.
const TypeDef symbolic_type_def = {
    .name = "SymbolicTensor",
    .spoken = "Tensor", // what fails, fails with a value in the same words
    .doc = "A tensor inside a trace: dtype and shape, no value yet.",
    .kind = KIND_SYMBOLIC,
    .size = sizeof(Symbolic),
    .flags = TYPE_FINAL | TYPE_UNHASHABLE,
    .slots = {.destroy = symbolic_destroy,
              .make = tensor_make,
              .repr = symbolic_repr,
              .str = symbolic_str,
              .format = symbolic_format,
              .compare = symbolic_compare,
              .unary = symbolic_unary,
              .binary = symbolic_binary,
              .truth = symbolic_truth,
              .length = symbolic_length,
              .get_item = symbolic_item,
              .iter = symbolic_iter,
              .get_attr = symbolic_attr,
              .index = symbolic_index,
              .to_int = symbolic_number,
              .to_float = symbolic_number,
              .traced_cast = tensor_traced_cast},
    .methods = tensor_methods,
    .members = symbolic_members,
};
