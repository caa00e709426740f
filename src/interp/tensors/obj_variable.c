// Variable: a tensor that can be replaced by another of its dtype and shape.
//
// An assignment checks first and then swaps one pointer, so a refused one
// changes nothing, and whoever holds the old value keeps it.
#include "interp/hooks/note.h"
#include "interp/tensors/obj_tensor.h"

#include "interp/hooks/recorder.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/display.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"

// An instance of Variable or of a class derived from it.
static Variable *variable_of(Vm *vm, Type *cls, Tensor *initial, Str *name,
                             bool trainable)
{
    Variable *variable = object_new(vm, cls, sizeof *variable);
    if (variable == NULL) {
        return NULL;
    }
    variable->cell.value = object_retain(initial);
    variable->cell.declared = NULL;
    variable->declared = NULL;
    variable->name = name != NULL ? object_retain(name) : NULL;
    variable->trainable = trainable;
    variable->argument = false;
    variable->alias = false;
    variable->looked = 0;
    variable->place = 0;
    variable->stands_for = NULL;
    return variable;
}

Variable *variable_look(Variable *variable, uint8_t looks)
{
    while (variable->stands_for != NULL && !variable->alias) {
        variable->looked |= looks;
        variable = variable->stands_for;
    }
    return variable;
}

Value value_meant(Value v)
{
    return value_is_kind(v, KIND_VARIABLE)
               ? value_from_object(
                     variable_look(value_as_variable(v), LOOKS_AT_IDENTITY))
               : v;
}

bool variable_is_bare(Variable *variable)
{
    const Type *cls = variable->head.type;
    return !(cls->flags & TYPE_DICT_AHEAD) ||
           (cls->slot_count == 0 &&
            *object_dict_ahead(&variable->head) == NULL);
}

// Before any trace has met it.
static void declare(Variable *variable, Spec *spec)
{
    variable->declared = object_retain(spec);
    variable->declared_type = spec_type(spec);
    variable->cell.declared = &variable->declared_type;
}

// One for `variable`; its own cell stays empty.
static Variable *standing_for(Vm *vm, Type *cls, Variable *variable)
{
    Variable *made = variable_of(vm, cls, variable_cell(variable)->value,
                                 variable->name, variable->trainable);
    if (made != NULL) {
        object_release(&vm->ctx, made->cell.value);
        made->cell.value = NULL;
        made->stands_for = object_retain(variable);
    }
    return made;
}

Variable *variable_stand_in(Vm *vm, Variable *variable, uint32_t place)
{
    Variable *stand_in = standing_for(vm, variable->head.type, variable);
    if (stand_in != NULL) {
        stand_in->argument = true;
        stand_in->head.flags |= OBJECT_STANDS_IN;
        stand_in->place = place;
    }
    return stand_in;
}

// Another object of class cls, one of Variables, with the variable's own state;
// of an alias another beside it, so that no chain of them grows.
static Variable *alias_of(Vm *vm, Type *cls, Variable *variable)
{
    Variable *meant = variable->alias ? variable->stands_for : variable;
    Variable *alias = standing_for(vm, cls, meant);
    if (alias != NULL) {
        alias->alias = true;
    }
    return alias;
}

// In a trace a read is an op, so that it sees what the staged function assigns
// before it; outside it is the tensor itself. Owned.
Value variable_read(Vm *vm, Variable *variable)
{
    if (vm->trace != NULL || recorder_active(vm)) {
        // apply takes borrowed inputs and gives an owned result.
        Value self = value_from_object(variable); // borrowed
        return apply_one(vm, OP_READ_VARIABLE, &self, 1, NULL);
    }
    return value_from_object(object_retain(variable_cell(variable)->value));
}

// For messages: "Variable 'w' holds float32[2, 3]".
static void describe(StrBuf *out, Variable *variable)
{
    strbuf_puts(out, "Variable");
    if (variable->name != NULL) {
        strbuf_printf(out, " '%s'", variable->name->text);
    }
    strbuf_puts(out, " holds ");
    tensor_type_print(out, cell_type(variable_cell(variable)));
}

static bool refuse(Vm *vm, Variable *variable, ErrorKind kind, TensorType given)
{
    StrBuf buf;
    strbuf_init(&buf, &vm->ctx);
    strbuf_puts(&buf, "assign: ");
    describe(&buf, variable);
    strbuf_puts(&buf, ", not ");
    tensor_type_print(&buf, given);
    if (strbuf_ok(&buf)) {
        raise_error(vm, kind, "%s", strbuf_text(&buf));
    }
    strbuf_free(&buf);
    return false;
}

// The op is kept for its effect: it has no outputs to take.
static bool assign_traced(Vm *vm, Variable *variable, Value value)
{
    Value inputs[2] = {value_from_object(variable), value}; // borrowed
    Value none[OP_MAX_OUTPUTS];
    uint32_t count = OP_MAX_OUTPUTS; // the op has no outputs
    return apply(vm, OP_ASSIGN_VARIABLE, inputs, 2, NULL, none, &count);
}

static bool variable_assign(Vm *vm, Variable *variable, Value value)
{
    VariableCell *cell = variable_cell(variable);
    TensorType own = cell_type(cell);
    TensorType given = operand_type_now(vm, value);
    // A number of the host's in a trace takes the Variable's, as eagerly.
    if (given.dtype != own.dtype && !symbolic_is_weak(value)) {
        return refuse(vm, variable, ERR_DTYPE, given);
    }
    if (!tensor_type_may_be(own, given)) {
        return refuse(vm, variable, ERR_SHAPE, given);
    }
    if (vm->trace != NULL) {
        return assign_traced(vm, variable, value);
    }
    // A symbolic tensor that outlived its trace has no value.
    if (value_is_kind(value, KIND_SYMBOLIC)) {
        return vm->hooks->leak(vm, "assign", value_as_symbolic(value)), false;
    }
    Tensor *fresh = value_is_tensor(value)
                        ? value_as_tensor(value)
                        : variable_cell(value_as_variable(value))->value;
    Tensor *old = cell->value;
    cell->value = object_retain(fresh);
    object_release(&vm->ctx, old);
    return true;
}

// Methods. Each returns the Variable, so that calls chain.

// Takes `value`.
static Value assign_value(Vm *vm, Value self, Value value)
{
    bool ok = variable_assign(vm, value_as_variable(self), value);
    value_release(&vm->ctx, value);
    return ok ? value_retain(self) : VALUE_FAIL;
}

// Host values become tensors of the Variable's own dtype, so v.assign(1) works
// for a float one; tensors must have it already.
static Value method_assign(Vm *vm, Value *args)
{
    Value value = value_is_operand(args[1])
                      ? value_retain(args[1])
                      : tensor_from_value(vm, "assign", args[1],
                                          operand_type(args[0]).dtype);
    return value_failed(value) ? VALUE_FAIL : assign_value(vm, args[0], value);
}

// The type is checked first for the message to name assign_add rather than the
// operator that does the work.
static Value assign_result(Vm *vm, Value *args, BinaryOp op, const char *who)
{
    if (!note_question(vm, args[1])) {
        return VALUE_FAIL;
    }
    if (!value_is_convertible(vm, args[1])) {
        return raise_error(vm, ERR_TYPE, "%s: not a number or tensor: '%s'",
                           who, type_name(type_of(vm, args[1])));
    }
    // A new tensor; dtype and shape are checked when it is assigned.
    Value value = tensor_binary(vm, op, args[0], args[1]);
    return value_failed(value) ? VALUE_FAIL : assign_value(vm, args[0], value);
}

static Value method_assign_add(Vm *vm, Value *args)
{
    return assign_result(vm, args, BINARY_ADD, "assign_add");
}

// x -= value, as TensorFlow names it.
static Value method_assign_sub(Vm *vm, Value *args)
{
    return assign_result(vm, args, BINARY_SUB, "assign_sub");
}

// For the library alone (lib/_tape.duet): rows is an int vector, values a
// tensor of slices.
static Value method_add_rows(Vm *vm, Value *args)
{
    Variable *variable = value_as_variable(args[0]);
    if (vm->trace != NULL) {
        Value none[OP_MAX_OUTPUTS];
        uint32_t count = OP_MAX_OUTPUTS;
        return apply(vm, OP_ADD_ROWS_VARIABLE, args, 3, NULL, none, &count)
                   ? value_retain(args[0])
                   : VALUE_FAIL;
    }
    if (!value_is_tensor(args[1]) || !value_is_tensor(args[2])) {
        return raise_error(vm, ERR_TYPE, "_add_rows: tensors are wanted");
    }
    return variable_add_rows(&vm->ctx, variable_cell(variable),
                             variable->name != NULL ? variable->name->text : "",
                             value_as_tensor(args[1]), value_as_tensor(args[2]))
               ? value_retain(args[0])
               : VALUE_FAIL;
}

// For the library alone (lib/tensorflow): an alias of class cls. A tape watches
// the Variable of which it sees one made, but not what it sees only aliases of.
static Value method_alias(Vm *vm, Value *args)
{
    Type *cls = value_as_type(args[1]);
    if (!value_is_kind(args[1], KIND_TYPE) || cls->kind != KIND_VARIABLE) {
        return raise_error(vm, ERR_TYPE, "_alias: a class of Variables");
    }
    Variable *variable = value_as_variable(args[0]);
    if (recorder_active(vm)) {
        Value met = variable_read(vm, variable);
        if (value_failed(met)) {
            return VALUE_FAIL;
        }
        value_release(&vm->ctx, met);
    }
    return value_or_fail(alias_of(vm, cls, variable));
}

// For the library alone (lib/tensorflow), of a new Variable: its values may be
// whatever the spec takes, of its own dtype.
static Value method_declare(Vm *vm, Value *args)
{
    Variable *variable = value_as_variable(args[0]);
    if (!value_is_kind(args[1], KIND_SPEC) || variable->declared != NULL ||
        variable->stands_for != NULL) {
        return raise_error(vm, ERR_TYPE, "_declare: a spec, once");
    }
    Spec *spec = (Spec *)value_object(args[1]);
    TensorType own = tensor_type(variable->cell.value);
    if (spec->dtype != own.dtype || !tensor_type_may_be(spec_type(spec), own)) {
        return raise_error(vm, ERR_SHAPE,
                           "_declare: the value is of another type");
    }
    declare(variable, spec);
    return value_retain(args[0]);
}

// Unlike the Variable itself, the result does not change any more.
static Value method_value(Vm *vm, Value *args)
{
    return variable_read(vm, value_as_variable(args[0]));
}

// The methods of tensors are not among them: operators and functions take a
// Variable as they take a tensor.
static const NativeDef variable_methods[] = {
    {"assign", "self, value, /", method_assign,
     "Replaces the value by one of the same dtype and shape; returns self."},
    {"assign_add", "self, delta, /", method_assign_add,
     "Adds `delta` to the value; returns self."},
    {"assign_sub", "self, delta, /", method_assign_sub,
     "Subtracts `delta` from the value; returns self."},
    {"_add_rows", "self, rows, values, /", method_add_rows,
     "Adds values to some rows, in place; returns self."},
    {"_alias", "self, cls, /", method_alias,
     "Another object with the same state."},
    {"_declare", "self, spec, /", method_declare,
     "Lets values be whatever the spec takes; returns self."},
    {"value", "self, /", method_value,
     "The value now, as a tensor that later assignments do not change."},
    {NULL, NULL, NULL, NULL},
};

static Value member_name(Vm *vm, Value self)
{
    (void)vm;
    Str *name = variable_look(value_as_variable(self), LOOKS_AT_NAME)->name;
    return name != NULL ? str_value(object_retain(name)) : VALUE_NONE;
}

static Value member_trainable(Vm *vm, Value self)
{
    (void)vm;
    return value_from_bool(value_as_variable(self)->trainable);
}

static Value member_declared(Vm *vm, Value self)
{
    (void)vm;
    Variable *variable = value_as_variable(self);
    while (variable->stands_for != NULL) {
        variable = variable->stands_for;
    }
    return variable->declared != NULL
               ? value_from_object(object_retain(&variable->declared->head))
               : VALUE_NONE;
}

static const MemberDef variable_members[] = {
    TENSOR_MEMBERS,
    {"name", member_name, NULL, "The name it was made with, or None."},
    {"_declared", member_declared, NULL,
     "The spec that its values are of, or None: that of the value."},
    {"trainable", member_trainable, NULL, "Whether a Tape watches it."},
    {NULL, NULL, NULL, NULL},
};

// No visit slot: tensors hold no references to other objects.
static void variable_destroy(Vm *vm, Object *self)
{
    Variable *variable = (Variable *)self;
    object_release_null(&vm->ctx, variable->cell.value);
    object_release_null(&vm->ctx, variable->declared);
    object_release_null(&vm->ctx, variable->name);
    object_release_null(&vm->ctx, variable->stands_for);
    object_free(vm, variable, sizeof *variable);
}

// The tensor that a new Variable begins with, owned.
// In a trace the initial value must be known, which the stager decides.
static Tensor *first_value(Vm *vm, Value initial)
{
    if (vm->trace != NULL) {
        return vm->hooks->first_value(vm, initial);
    }
    if (value_is_kind(initial, KIND_SYMBOLIC)) {
        (void)vm->hooks->leak(vm, "Variable", value_as_symbolic(initial));
        return NULL;
    }
    return object_retain(
        value_is_tensor(initial)
            ? value_as_tensor(initial)
            : variable_cell(value_as_variable(initial))->value);
}

// `given` holds the arguments in the order of variable_make's params; what was
// not given is UNBOUND. In a trace the stager must hear of a new Variable.
static Value make_from(Vm *vm, Type *cls, const Value given[4])
{
    DType dtype = DT_NONE;
    if (!value_unbound(given[1]) && !value_is_none(given[1]) &&
        !dtype_from_value(vm, given[1], &dtype)) {
        return VALUE_FAIL;
    }
    Str *name = value_is_str(given[2]) ? value_as_str(given[2]) : NULL;
    int trainable = value_unbound(given[3]) ? 1 : value_truth(vm, given[3]);
    if (trainable < 0) {
        return VALUE_FAIL;
    }
    Value initial = tensor_from_value(vm, "Variable", given[0], dtype);
    if (value_failed(initial)) {
        return VALUE_FAIL;
    }
    // Of a symbol the value that it has before the trace runs.
    Tensor *tensor = first_value(vm, initial);
    value_release(&vm->ctx, initial);
    if (tensor == NULL) {
        return VALUE_FAIL;
    }
    Variable *variable = variable_of(vm, cls, tensor, name, trainable == 1);
    object_release(&vm->ctx, tensor);
    // A Variable that is made within a trace lives on after it, once.
    bool traced = vm->trace != NULL || vm->aside != NULL;
    if (variable != NULL && traced && !vm->hooks->born(vm, variable)) {
        object_release(&vm->ctx, variable);
        return VALUE_FAIL;
    }
    return value_or_fail(variable);
}

Value variable_copy(Vm *vm, Value v)
{
    const Variable *self = value_as_variable(v);
    Value name = self->name != NULL ? str_value(self->name) : VALUE_NONE;
    Value given[4] = {v, VALUE_NONE, name, value_from_bool(self->trainable)};
    Value copy = make_from(vm, type_of(vm, v), given);
    while (self->stands_for != NULL) {
        self = self->stands_for;
    }
    if (!value_failed(copy) && self->declared != NULL) {
        declare(value_as_variable(copy), self->declared);
    }
    return copy;
}

// Variable(initial, dtype=None, name=None, trainable=True), by keyword too.
static Value variable_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    static const char *const params[4] = {"initial", "dtype", "name",
                                          "trainable"};
    Value given[4];
    return arguments_spread(vm, "Variable", args, keywords, params, 4, 1, given)
               ? make_from(vm, cls, given)
               : VALUE_FAIL;
}

// "Variable(1.0, dtype=float32, name='v')"
static Str *variable_words(Vm *vm, Value self)
{
    Str *own = display_repr(vm, DISPLAY_VARIABLE, self);
    if (own != NULL || vm_has_error(vm)) {
        return own;
    }
    Variable *variable = value_as_variable(self);
    const Tensor *tensor = variable_cell(value_as_variable(self))->value;
    StrBuf buf;
    strbuf_init(&buf, &vm->ctx);
    strbuf_puts(&buf, "Variable(");
    // Later rows are indented by what stands before the first.
    tensor_print_array(&buf, tensor, TENSOR_ALL_PLACES, true,
                       (int)strlen("Variable("));
    strbuf_printf(&buf, ", dtype=%s", dtype_name((DType)tensor->dtype));
    (void)variable_look(variable, LOOKS_AT_NAME);
    if (variable->name != NULL) {
        strbuf_puts(&buf, ", name=");
        str_print_repr(&buf, variable->name->text, variable->name->length);
    }
    strbuf_putc(&buf, ')');
    return str_from_buf(vm, &buf);
}

static Value variable_repr(Vm *vm, Value self)
{
    return tensor_worded(vm, self, variable_words(vm, self), TEXT_REPR, NULL);
}

// print() shows what a library asks for, else the repr.
static Value variable_str(Vm *vm, Value self)
{
    Str *own = display_str(vm, DISPLAY_VARIABLE, self);
    return tensor_worded(
        vm, self,
        own != NULL || vm_has_error(vm) ? own : variable_words(vm, self),
        TEXT_STR, NULL);
}

static Value variable_format(Vm *vm, Value self, Str *spec)
{
    Value text = tensor_format(vm, self, spec);
    return value_failed(text)
               ? VALUE_FAIL
               : tensor_worded(vm, self, value_as_str(text), TEXT_STR, spec);
}

// Unhashable, since == compares elements.
const TypeDef variable_type_def = {
    .name = "Variable",
    .doc = "Mutable state: a tensor that can be assigned to.",
    .params = "initial, dtype=None, name=None, trainable=True",
    .kind = KIND_VARIABLE,
    .size = sizeof(Variable),
    .flags = TYPE_UNHASHABLE,
    .slots = {.destroy = variable_destroy,
              .make = variable_make,
              .repr = variable_repr,
              .str = variable_str,
              .compare = tensor_compare,
              .unary = tensor_unary,
              .binary = tensor_binary,
              .truth = tensor_truth,
              .length = tensor_length,
              .get_item = tensor_get_item,
              .iter = tensor_iter,
              .format = variable_format,
              .index = tensor_index_slot,
              .to_int = tensor_to_int,
              .to_float = tensor_to_float,
              .traced_cast = tensor_traced_cast},
    .methods = variable_methods,
    .members = variable_members,
};
