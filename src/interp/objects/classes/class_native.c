// The methods that built-in types show for their slots: `list.__len__`.
//
// Invariant: such a native means the slot of the built-in type below the
// class of self, never a method that the class itself defines; so
// super().__len__() of a list's subclass ends here.
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/class_slots.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

// The built-in type whose slot a native of an instance of `self` means.
static const TypeSlots *native_slots(Vm *vm, Value self)
{
    return &type_native(type_of(vm, self))->slots;
}

#define NATIVE_OF(id) static Value native_##id(Vm *vm, Value *args)
#define SLOTS (native_slots(vm, args[0]))

static Value none_if(bool done)
{
    return value_done(done);
}

// A native stands only in types that have its slot (class_add_native), so none
// of these asks for NULL. Here are those that pass their slot's result on.
#define NATIVE_PLAIN(id, slot)                                                 \
    NATIVE_OF(id)                                                              \
    {                                                                          \
        return SLOTS->slot(vm, args[0]);                                       \
    }
NATIVE_PLAIN(REPR, repr)
NATIVE_PLAIN(STR, str)

// Python shows the hash as a signed number.
NATIVE_OF(HASH)
{
    uint64_t hash;
    return SLOTS->hash(vm, args[0], &hash) ? int_from_i64(vm, (int64_t)hash)
                                           : VALUE_FAIL;
}

#define NATIVE_COMPARE(op)                                                     \
    NATIVE_OF(op)                                                              \
    {                                                                          \
        return SLOTS->compare(vm, COMPARE_##op, args[0], args[1]);             \
    }
NATIVE_COMPARE(LT)
NATIVE_COMPARE(LE)
NATIVE_COMPARE(EQ)
NATIVE_COMPARE(NE)
NATIVE_COMPARE(GT)
NATIVE_COMPARE(GE)

#define NATIVE_UNARY(op)                                                       \
    NATIVE_OF(op)                                                              \
    {                                                                          \
        return SLOTS->unary(vm, UNARY_##op, args[0]);                          \
    }
NATIVE_UNARY(NEG)
NATIVE_UNARY(POS)
NATIVE_UNARY(INVERT)

NATIVE_OF(BOOL)
{
    int truth = SLOTS->truth(vm, args[0]);
    return truth < 0 ? VALUE_FAIL : value_from_bool(truth);
}

// The slot's negative answer is a failure, with its error pending.
NATIVE_OF(LEN)
{
    int64_t length = SLOTS->length(vm, args[0]);
    return length < 0 ? VALUE_FAIL : int_from_i64(vm, length);
}

NATIVE_OF(GETITEM)
{
    return SLOTS->get_item(vm, args[0], args[1]);
}

NATIVE_OF(SETITEM)
{
    return none_if(SLOTS->set_item(vm, args[0], args[1], args[2]));
}

// One slot sets and deletes: UNBOUND stands for no value.
NATIVE_OF(DELITEM)
{
    return none_if(SLOTS->set_item(vm, args[0], args[1], VALUE_UNBOUND));
}

NATIVE_OF(CONTAINS)
{
    int found = SLOTS->contains(vm, args[0], args[1]);
    return found < 0 ? VALUE_FAIL : value_from_bool(found);
}

NATIVE_PLAIN(ITER, iter)

// Inside C the end is VALUE_STOP; a program that calls __next__ sees the
// exception.
NATIVE_OF(NEXT)
{
    Value next = SLOTS->next(vm, args[0]);
    return value_same(next, VALUE_STOP) ? value_raise_stop(vm, args[0]) : next;
}

NATIVE_PLAIN(INDEX, index)
NATIVE_PLAIN(INT, to_int)
NATIVE_PLAIN(FLOAT, to_float)

// The parameters "*args, **kwargs" arrive as a tuple and a dict.
NATIVE_OF(INIT)
{
    return none_if(SLOTS->init(vm, args[0], value_as_tuple(args[1]),
                               value_as_dict(args[2])));
}

// This and the two below are not in dunder_list.h; class_slots.c sets their
// slots apart, too.
static Value native_CALL(Vm *vm, Value *args)
{
    return call_layout(vm, args[0], value_as_tuple(args[1]),
                       value_as_dict(args[2]));
}

// Only the spec's type is checked here; what it says is for the slot.
static Value native_FORMAT(Vm *vm, Value *args)
{
    return value_is_str(args[1])
               ? SLOTS->format(vm, args[0], value_as_str(args[1]))
               : raise_error(vm, ERR_TYPE,
                             "__format__() argument must be str, not %s",
                             type_name_given(vm, args[1]));
}

// None for the instance means a look-up in the class; the owner defaults to the
// instance's class.
static Value native_GET(Vm *vm, Value *args)
{
    Value instance = value_is_none(args[1]) ? VALUE_UNBOUND : args[1];
    Type *owner = value_is_kind(args[2], KIND_TYPE)
                      ? (Type *)value_object(args[2])
                      : type_of(vm, args[1]);
    // The built-in type's own: an extending class may come here by super().
    return SLOTS->get_descriptor != NULL
               ? SLOTS->get_descriptor(vm, args[0], instance, owner)
               : attr_bind(vm, args[0], instance, owner);
}

static Value native_SET(Vm *vm, Value *args)
{
    return value_done(SLOTS->set_descriptor(vm, args[0], args[1], args[2]));
}

static Value native_DELETE(Vm *vm, Value *args)
{
    return value_done(
        SLOTS->set_descriptor(vm, args[0], args[1], VALUE_UNBOUND));
}

// Whether `operators`, a list of words or NULL, names the method "__word__".
static bool lists_operator(const char *operators, const char *method)
{
    // Letter by letter, since words are short and most differ in the first.
    for (const char *at = operators; at != NULL && *at != '\0'; at++) {
        const char *name = method + 2;
        for (; *at != '\0' && *at == *name; at++) {
            name++;
        }
        if ((*at == ' ' || *at == '\0') && *name == '_') {
            return true;
        }
        while (*at != ' ' && *at != '\0') {
            at++;
        }
        if (*at == '\0') {
            return false;
        }
    }
    return false;
}

// The type's dict keeps the native; this function's references are given up.
static bool add_native(Vm *vm, Type *cls, const NativeDef *def, bool slot)
{
    // cls is its owner: check_self refuses other types before C reads a layout.
    Native *native =
        slot ? native_new_slot(vm, def, cls) : native_new(vm, def, cls);
    bool done = native != NULL && dict_set_name(vm, cls->dict, native->name,
                                                value_from_object(native));
    object_release_null(&vm->ctx, native);
    return done;
}

static bool add_slot_native(Vm *vm, Type *cls, const NativeDef *def)
{
    return add_native(vm, cls, def,
                      !lists_operator(cls->def->plain, def->name));
}

// What a method of an operator answers: a sequence declines nothing: repetition
// asks for an index, and joining is the end of the matter.
static Value operator_answer(Vm *vm, BinaryOp op, const Value *args,
                             Value answer)
{
    if (op == BINARY_ADD && value_same(answer, VALUE_NOT_IMPLEMENTED) &&
        class_joins(type_of(vm, args[0]))) {
        return class_join_failed(vm, args[0], args[1]);
    }
    if (op != BINARY_MUL || !value_same(answer, VALUE_NOT_IMPLEMENTED) ||
        SLOTS->length == NULL) {
        return answer;
    }
    return raise_error(vm, ERR_TYPE,
                       "'%s' object cannot be interpreted as an integer",
                       type_name(type_of(vm, args[1])));
}

#define BINARY_OP(id, symbol, dunder)                                          \
    NATIVE_OF(BINARY_##id)                                                     \
    {                                                                          \
        return operator_answer(                                                \
            vm, BINARY_##id, args,                                             \
            SLOTS->binary(vm, BINARY_##id, args[0], args[1]));                 \
    }                                                                          \
    NATIVE_OF(REFLECTED_##id)                                                  \
    {                                                                          \
        return operator_answer(                                                \
            vm, BINARY_##id, args,                                             \
            SLOTS->binary(vm, BINARY_##id, args[1], args[0]));                 \
    }                                                                          \
    NATIVE_OF(INPLACE_##id)                                                    \
    {                                                                          \
        return operator_answer(                                                \
            vm, BINARY_##id, args,                                             \
            SLOTS->inplace(vm, BINARY_##id, args[0], args[1]));                \
    }
#include "parser/binary_op_list.h"
#undef BINARY_OP

// Three rows an operator, in the order of BinaryOp; shows_operator and
// add_operators count on it.
static const NativeDef binary_natives[] = {
#define BINARY_OP(id, symbol, dunder)                                          \
    {"__" dunder, "self, value, /", native_BINARY_##id,                        \
     "Return self " symbol " value."},                                         \
        {"__r" dunder, "self, value, /", native_REFLECTED_##id,                \
         "Return value " symbol " self."},                                     \
        {"__i" dunder, "self, value, /", native_INPLACE_##id,                  \
         "Change self to self " symbol " value."},
#include "parser/binary_op_list.h"
#undef BINARY_OP
};

// pow() with a modulus: all three must be ints, and a float says so where other
// types decline.
static Value power_modulo(Vm *vm, Value self, Value base, Value exponent,
                          Value modulus)
{
    if (value_is_index(vm, base) && value_is_index(vm, exponent) &&
        value_is_index(vm, modulus)) {
        return value_power(vm, base, exponent, modulus);
    }
    return value_is_float(self)
               ? raise_error(vm, ERR_TYPE,
                             "pow() 3rd argument not allowed unless all "
                             "arguments are integers")
               : VALUE_NOT_IMPLEMENTED;
}

static bool has_modulus(const Value *args)
{
    return !value_unbound(args[2]) && !value_is_none(args[2]);
}

// The only operator whose method takes a third operand.
NATIVE_OF(POWER)
{
    return has_modulus(args)
               ? power_modulo(vm, args[0], args[0], args[1], args[2])
               : native_BINARY_POW(vm, args);
}

NATIVE_OF(POWER_REFLECTED)
{
    return has_modulus(args)
               ? power_modulo(vm, args[0], args[1], args[0], args[2])
               : native_REFLECTED_POW(vm, args);
}

// They stand in for the rows of binary_natives.
static const NativeDef power_natives[] = {
    {"__pow__", "self, value, mod=None, /", native_POWER,
     "Return pow(self, value, mod)."},
    {"__rpow__", "self, value, mod=None, /", native_POWER_REFLECTED,
     "Return pow(value, self, mod)."},
};

static const NativeDef *operator_row(size_t row)
{
    return row / 3 == BINARY_POW && row % 3 != 2 ? &power_natives[row % 3]
                                                 : &binary_natives[row];
}

// A type without a list shows the plain and the reflected ones.
static bool shows_operator(const TypeDef *def, size_t row)
{
    return def->operators == NULL
               ? row % 3 != 2
               : lists_operator(def->operators, binary_natives[row].name);
}

// Whether the method of a slot is shown. The unary operators have one slot in
// common, so a type that has the slot need not have all three.
static bool shows_dunder(const TypeDef *def, const char *method, size_t slot)
{
    return def->operators == NULL || slot != offsetof(TypeSlots, unary) ||
           lists_operator(def->operators, method);
}

// Three natives an operator: plain, reflected, in place. They stand in vars()
// in a fixed order.
static bool add_operators(Vm *vm, Type *cls)
{
    static const uint8_t order[BINARY_COUNT] = {
        BINARY_ADD,      BINARY_SUB,     BINARY_MUL,   BINARY_MOD, BINARY_POW,
        BINARY_LSHIFT,   BINARY_RSHIFT,  BINARY_AND,   BINARY_XOR, BINARY_OR,
        BINARY_FLOORDIV, BINARY_TRUEDIV, BINARY_MATMUL};
    for (size_t i = 0; i < 3 * BINARY_COUNT; i++) {
        size_t row = 3 * (size_t)order[i / 3] + i % 3;
        if (shows_operator(cls->def, row) &&
            !add_slot_native(vm, cls, operator_row(row))) {
            return false;
        }
    }
    return true;
}

// A type of its own layout looks attributes up by itself, those that take
// attributes store them by themselves.
static bool add_access(Vm *vm, Type *cls)
{
    bool first = vm->object_type == NULL || cls == vm->object_type;
    bool stores = first || cls == vm->types[KIND_EXCEPTION] ||
                  cls->kind == KIND_TYPE || cls->kind == KIND_MODULE;
    if (!first && cls->base != vm->object_type) {
        return true;
    }
    for (size_t i = 0; i < (stores ? 3 : 1); i++) {
        if (!add_slot_native(vm, cls, &object_access_rows[i])) {
            return false;
        }
    }
    return true;
}

// Called once for each built-in type, at the first look-up (Type.fill). Methods
// of the type's own come last, so that they win over a slot's native of the
// same name.
bool class_add_native(Vm *vm, Type *cls)
{
    const TypeSlots *own = &cls->def->slots;
    // The first place is that of __new__, which class_add_methods puts there.
    if (own->make != NULL && cls != vm->object_type &&
        !dict_set_name(vm, cls->dict, vm->names[NAME_NEW], VALUE_NONE)) {
        return false;
    }
#define DUNDER(id, text, slot, user, params)                                   \
    if (own->slot != NULL &&                                                   \
        shows_dunder(cls->def, text, offsetof(TypeSlots, slot))) {             \
        static const NativeDef def = {text, params, native_##id,               \
                                      "The operation of this name."};          \
        if (!add_slot_native(vm, cls, &def)) {                                 \
            return false;                                                      \
        }                                                                      \
    }
#include "interp/objects/classes/dunder_list.h"
#undef DUNDER
    // Static, since natives keep a pointer to their def.
    static const NativeDef call = {"__call__", "self, /, *args, **kwargs",
                                   native_CALL, "Call self."};
    static const NativeDef format = {"__format__", "self, format_spec, /",
                                     native_FORMAT, "The value in this form."};
    static const NativeDef get = {"__get__", "self, instance, owner=None, /",
                                  native_GET, "Bind to the instance."};
    static const NativeDef set = {"__set__", "self, instance, value, /",
                                  native_SET, "Set what it stands for."};
    static const NativeDef delete = {"__delete__", "self, instance, /",
                                     native_DELETE,
                                     "Delete what it stands for."};
    // Slots whose methods take other arguments than the list's rows have.
    bool binding = own->get_descriptor != NULL || cls->kind == KIND_FUNCTION ||
                   // Methods of built-in types, unlike functions of modules.
                   (cls->kind == KIND_NATIVE && cls != vm->types[KIND_NATIVE]);
    if ((own->call != NULL && !add_slot_native(vm, cls, &call)) ||
        (own->format != NULL && !add_native(vm, cls, &format, false)) ||
        (binding && !add_slot_native(vm, cls, &get)) ||
        (own->set_descriptor != NULL && (!add_slot_native(vm, cls, &set) ||
                                         !add_slot_native(vm, cls, &delete))) ||
        (own->binary != NULL && !add_operators(vm, cls)) ||
        !add_access(vm, cls)) {
        return false;
    }
    // __hash__ = None is how programs see that a type cannot be hashed.
    if ((cls->def->flags & TYPE_UNHASHABLE) != 0 && own->hash == NULL &&
        !dict_set_name(vm, cls->dict, vm->names[NAME_HASH], VALUE_NONE)) {
        return false;
    }
    return class_add_methods(vm, cls);
}

// Whether the class of an error shows a __str__ of its own: those whose text
// comes from their fields.
static bool error_has_text(ErrorKind kind)
{
    switch (kind) {
    case ERR_ATTRIBUTE:
    case ERR_IMPORT:
    case ERR_KEY:
    case ERR_NAME:
    case ERR_OS:
    case ERR_SYNTAX:
    case ERR_UNICODE_DECODE:
    case ERR_UNICODE_ENCODE:
    case ERR_UNICODE_TRANSLATE: return true;
    default: return false;
    }
}

// Whether it has a __new__ of its own. These are the plain ones and those that
// check their arguments there.
static bool error_has_new(const Vm *vm, ErrorKind kind, const Type *cls)
{
    switch (kind) {
    case ERR_ATTRIBUTE:
    case ERR_IMPORT:
    case ERR_INDENTATION:
    case ERR_KEY:
    case ERR_MODULE_NOT_FOUND:
    case ERR_NAME:
    case ERR_STOP_ITERATION:
    case ERR_SYNTAX:
    case ERR_SYSTEM_EXIT:
    case ERR_TAB:
    case ERR_UNBOUND_LOCAL: return false;
    default: return cls->base != vm->error_types[ERR_OS];
    }
}

// All share the slots of BaseException; the rows are there to be seen and to
// be asked by their class.
bool class_add_error_natives(Vm *vm, Type *cls, ErrorKind kind)
{
    static const NativeDef init = {"__init__", "self, /, *args, **kwargs",
                                   native_INIT, "The operation of this name."};
    static const NativeDef str = {"__str__", "self, /", native_STR,
                                  "The operation of this name."};
    return add_slot_native(vm, cls, &init) &&
           (!error_has_text(kind) || add_slot_native(vm, cls, &str)) &&
           (!error_has_new(vm, kind, cls) || class_add_new(vm, cls));
}
