// The methods that built-in types show for their slots: `list.__len__`.
//
// Invariant: such a native means the slot of the built-in type below the
// class of self, never a method that the class itself defines; so
// super().__len__() of a list's subclass ends here.
#include "interp/call.h"
#include "interp/class_new.h"
#include "interp/obj_function.h"
#include "interp/obj_int.h"

// The built-in type whose slot a native of an instance of `self` means.
static const TypeSlots *native_slots(Vm *vm, Value self)
{
    Type *cls = type_of(vm, self);
    while (cls->flags & TYPE_HEAP) {
        cls = cls->base;
    }
    return &cls->slots;
}

#define NATIVE_OF(id)                                                         \
    static Value native_##id(Vm *vm, Value *args, uint32_t count)
#define SLOTS (native_slots(vm, args[0]))
#define UNUSED_COUNT (void)count

static Value none_if(bool done)
{
    return done ? VALUE_NONE : VALUE_FAIL;
}

NATIVE_OF(REPR)
{
    UNUSED_COUNT;
    return SLOTS->repr(vm, args[0]);
}

NATIVE_OF(STR)
{
    UNUSED_COUNT;
    return SLOTS->str(vm, args[0]);
}

NATIVE_OF(HASH)
{
    UNUSED_COUNT;
    uint64_t hash;
    return SLOTS->hash(vm, args[0], &hash) ? int_from_i64(vm, (int64_t)hash)
                                           : VALUE_FAIL;
}

#define NATIVE_COMPARE(op)                                                    \
    NATIVE_OF(op)                                                             \
    {                                                                         \
        UNUSED_COUNT;                                                         \
        return SLOTS->compare(vm, COMPARE_##op, args[0], args[1]);            \
    }
NATIVE_COMPARE(LT)
NATIVE_COMPARE(LE)
NATIVE_COMPARE(EQ)
NATIVE_COMPARE(NE)
NATIVE_COMPARE(GT)
NATIVE_COMPARE(GE)

#define NATIVE_UNARY(op)                                                      \
    NATIVE_OF(op)                                                             \
    {                                                                         \
        UNUSED_COUNT;                                                         \
        return SLOTS->unary(vm, UNARY_##op, args[0]);                         \
    }
NATIVE_UNARY(NEG)
NATIVE_UNARY(POS)
NATIVE_UNARY(INVERT)

NATIVE_OF(BOOL)
{
    UNUSED_COUNT;
    int truth = SLOTS->truth(vm, args[0]);
    return truth < 0 ? VALUE_FAIL : value_from_bool(truth);
}

NATIVE_OF(LEN)
{
    UNUSED_COUNT;
    int64_t length = SLOTS->length(vm, args[0]);
    return length < 0 ? VALUE_FAIL : int_from_i64(vm, length);
}

NATIVE_OF(GETITEM)
{
    UNUSED_COUNT;
    return SLOTS->get_item(vm, args[0], args[1]);
}

NATIVE_OF(SETITEM)
{
    UNUSED_COUNT;
    return none_if(SLOTS->set_item(vm, args[0], args[1], args[2]));
}

NATIVE_OF(DELITEM)
{
    UNUSED_COUNT;
    return none_if(SLOTS->set_item(vm, args[0], args[1], VALUE_UNBOUND));
}

NATIVE_OF(CONTAINS)
{
    UNUSED_COUNT;
    int found = SLOTS->contains(vm, args[0], args[1]);
    return found < 0 ? VALUE_FAIL : value_from_bool(found);
}

NATIVE_OF(ITER)
{
    UNUSED_COUNT;
    return SLOTS->iter(vm, args[0]);
}

NATIVE_OF(NEXT)
{
    UNUSED_COUNT;
    Value next = SLOTS->next(vm, args[0]);
    if (!value_same(next, VALUE_STOP)) {
        return next;
    }
    return raise_error(vm, ERR_STOP_ITERATION, "%s", "");
}

NATIVE_OF(INDEX)
{
    UNUSED_COUNT;
    return SLOTS->index(vm, args[0]);
}

NATIVE_OF(INT)
{
    UNUSED_COUNT;
    return SLOTS->to_int(vm, args[0]);
}

NATIVE_OF(FLOAT)
{
    UNUSED_COUNT;
    return SLOTS->to_float(vm, args[0]);
}

NATIVE_OF(INIT)
{
    UNUSED_COUNT;
    return none_if(SLOTS->init(vm, args[0], value_as_tuple(args[1]),
                               value_as_dict(args[2])));
}

static Value native_CALL(Vm *vm, Value *args, uint32_t count)
{
    UNUSED_COUNT;
    return call_layout(vm, args[0], value_as_tuple(args[1]),
                       value_as_dict(args[2]));
}

static bool add_slot_native(Vm *vm, Type *cls, const NativeDef *def)
{
    Native *native = native_new(vm, def, cls);
    if (native == NULL) {
        return false;
    }
    Str *key = str_intern(vm, def->name, strlen(def->name));
    bool done = key != NULL && dict_set_name(vm, cls->dict, key,
                                             value_from_object(native));
    object_release_null(&vm->ctx, key);
    object_release(&vm->ctx, native);
    return done;
}

#define BINARY_OP(id, symbol, dunder)                                         \
    NATIVE_OF(BINARY_##id)                                                    \
    {                                                                         \
        UNUSED_COUNT;                                                         \
        return SLOTS->binary(vm, BINARY_##id, args[0], args[1]);              \
    }                                                                         \
    NATIVE_OF(REFLECTED_##id)                                                 \
    {                                                                         \
        UNUSED_COUNT;                                                         \
        return SLOTS->binary(vm, BINARY_##id, args[1], args[0]);              \
    }
#include "parser/binary_op_list.h"
#undef BINARY_OP

static const NativeDef binary_natives[] = {
#define BINARY_OP(id, symbol, dunder)                                         \
    {"__" dunder, "self, value, /", native_BINARY_##id,                       \
     "Return self " symbol " value."},                                        \
        {"__r" dunder, "self, value, /", native_REFLECTED_##id,               \
         "Return value " symbol " self."},
#include "parser/binary_op_list.h"
#undef BINARY_OP
};

bool class_add_native(Vm *vm, Type *cls)
{
    const TypeSlots *own = &cls->def->slots;
#define DUNDER(id, text, slot, user, params)                                  \
    if (own->slot != NULL) {                                                  \
        static const NativeDef def = {text, params, native_##id,              \
                                      "The operation of this name."};         \
        if (!add_slot_native(vm, cls, &def)) {                                \
            return false;                                                     \
        }                                                                     \
    }
#include "interp/dunder_list.h"
#undef DUNDER
    for (size_t i = 0; own->binary != NULL && i < 2 * BINARY_COUNT; i++) {
        if (!add_slot_native(vm, cls, &binary_natives[i])) {
            return false;
        }
    }
    static const NativeDef call = {"__call__", "self, /, *args, **kwargs",
                                   native_CALL, "Call self."};
    if (own->call != NULL && !add_slot_native(vm, cls, &call)) {
        return false;
    }
    return class_add_methods(vm, cls);
}
