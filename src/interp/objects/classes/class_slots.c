// Slots of classes written in Duet: each looks the method up and calls it.
// Those of attributes and descriptors are in class_attr_slots.c.
//
// Invariant: a user slot stands in a class exactly when the first class of
// its MRO that has the method is written in Duet; otherwise the slot of the
// built-in layout stands there, so built-in speed is kept.
#include "interp/objects/classes/class_slots.h"
#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/class_new.h"
#include "interp/objects/classes/obj_descriptor.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"

// The instance's own dict does not count.
Value class_call(Vm *vm, Value self, NameId id, const Value *args,
                 uint32_t count)
{
    Type *cls = type_of(vm, self);
    Value found = type_lookup(vm, cls, vm->names[id]);
    if (!note_method_read(vm, cls, vm->names[id], found)) {
        return VALUE_FAIL;
    }
    if (value_unbound(found)) {
        return found;
    }
    // The frequent case goes without a bound method: self is simply the first
    // argument. The call may replace the method in the class, so it is held.
    if (value_is_kind(found, KIND_FUNCTION)) {
        // On the C stack: no tuple is made for a call of an operator.
        Value all[USER_MAX_ARGS + 1] = {self};
        for (uint32_t i = 0; i < count; i++) {
            all[i + 1] = args[i];
        }
        value_retain(found);
        Value result = vm_call(vm, found, all, count + 1);
        release(vm, found);
        return result;
    }
    Value bound = attr_bind(vm, found, self, cls);
    if (value_failed(bound)) {
        return bound;
    }
    Value result = vm_call(vm, bound, args, count);
    release(vm, bound);
    return result;
}

// No fallback: the slot stands only where the class defines the method. That
// it gave a str is tested by who asked (protocol.c).
static Value user_repr(Vm *vm, Value self)
{
    return class_call(vm, self, NAME_REPR, NULL, 0);
}

// Without a __str__ the slot is that of object, which asks __repr__.
static Value user_str(Vm *vm, Value self)
{
    return class_call(vm, self, NAME_STR, NULL, 0);
}

// A wrong result has other words than that of __str__.
static Value user_format(Vm *vm, Value self, Str *spec)
{
    Value arg = value_from_object(spec);
    Value result = class_call(vm, self, NAME_FORMAT, &arg, 1);
    if (value_failed(result) || value_is_str(result)) {
        return result;
    }
    raise_error(vm, ERR_TYPE, "__format__ must return a str, not %s",
                type_name(type_of(vm, result)));
    release(vm, result);
    return VALUE_FAIL;
}

// __hash__ = None in a class makes it unhashable, also where a base had a hash.
static bool user_hash(Vm *vm, Value self, uint64_t *hash)
{
    Value found = type_lookup(vm, type_of(vm, self), vm->names[NAME_HASH]);
    if (value_is_none(found)) {
        return raise_false(vm, ERR_TYPE, "unhashable type: '%s'",
                           type_name(type_of(vm, self)));
    }
    Value result = class_call(vm, self, NAME_HASH, NULL, 0);
    if (value_failed(result)) {
        return false;
    }
    bool good = value_is_integer(result) || value_is_bool(result);
    int64_t small;
    if (good && int_to_i64(result, &small)) {
        // As it is, so that a method may pass on what hash() gave it.
        // No hash is -1.
        *hash = (uint64_t)(small == -1 ? -2 : small);
    } else if (good) {
        *hash = int_hash(result);
    }
    release(vm, result);
    return good || raise_false(vm, ERR_TYPE,
                               "__hash__ method should return an integer");
}

// A missing method and one that returns NotImplemented mean the same to an
// operator: the other side is asked.
static Value declined(Value result)
{
    return value_unbound(result) ? VALUE_NOT_IMPLEMENTED : result;
}

// A class with __eq__ alone answers != by its opposite. By its truth: __eq__
// may give anything.
static Value user_not_equal(Vm *vm, Value a, Value b)
{
    Value equal = declined(class_call(vm, a, NAME_EQ, &b, 1));
    if (value_failed(equal) || value_same(equal, VALUE_NOT_IMPLEMENTED)) {
        return equal;
    }
    int truth = value_truth(vm, equal);
    release(vm, equal);
    return truth < 0 ? VALUE_FAIL : value_from_bool(!truth);
}

// The names of the six comparisons follow each other as CompareOp does. The
// __ne__ of object inverts __eq__; that of a built-in base does not ask it.
static Value user_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    Value found = type_lookup(vm, type_of(vm, a), vm->names[NAME_LT + op]);
    if (op == COMPARE_NE &&
        (value_unbound(found) ||
         value_same(found,
                    type_lookup(vm, vm->object_type, vm->names[NAME_NE])))) {
        return user_not_equal(vm, a, b);
    }
    return declined(class_call(vm, a, NAME_LT + op, &b, 1));
}

static Value user_unary(Vm *vm, UnaryOp op, Value self)
{
    static const char *const symbols[] = {"-", "+", "~"};
    Value result = class_call(vm, self, NAME_NEG + op, NULL, 0);
    return value_unbound(result)
               ? raise_error(vm, ERR_TYPE,
                             "bad operand type for unary %s: '%s'", symbols[op],
                             type_name(type_of(vm, self)))
               : result;
}

static Value user_binary(Vm *vm, BinaryOp op, Value a, Value b);

static bool has_user_binary(const Type *cls)
{
    return cls->slots.binary == user_binary;
}

// Whether a class has this operator as a built-in base has it, though others
// are its own: the base's slot then declines where its method would refuse.
static bool keeps_binary(Vm *vm, Type *cls, NameId plain)
{
    Value method = type_lookup(vm, cls, vm->names[plain]);
    Value reflected = type_lookup(vm, cls, vm->names[plain + 1]);
    return cls->def->slots.binary != NULL &&
           value_is_kind(method, KIND_NATIVE) &&
           (value_unbound(reflected) || value_is_kind(reflected, KIND_NATIVE));
}

// What the class on the right makes of a op b: its reflected method, or what
// its built-in base does.
Value class_answer_right(Vm *vm, BinaryOp op, Value a, Value b)
{
    Type *right = type_of(vm, b);
    NameId plain = NAME_ADD + 3 * op, reflected = plain + 1;
    if (!has_user_binary(right)) {
        return right->slots.binary == NULL ? VALUE_NOT_IMPLEMENTED
                                           : right->slots.binary(vm, op, a, b);
    }
    return keeps_binary(vm, right, plain)
               ? right->def->slots.binary(vm, op, a, b)
               : declined(class_call(vm, b, reflected, &a, 1));
}

// A subclass on the right goes first if it has a reflected method of its own.
static Value user_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    Type *left = type_of(vm, a), *right = type_of(vm, b);
    NameId plain = NAME_ADD + 3 * op, reflected = plain + 1;
    bool other = left != right && has_user_binary(right);
    bool right_first = other && type_is_subtype(right, left);
    if (has_user_binary(left) && !right_first &&
        keeps_binary(vm, left, plain)) {
        Value result = left->def->slots.binary(vm, op, a, b);
        if (!value_same(result, VALUE_NOT_IMPLEMENTED)) {
            return result;
        }
    } else if (has_user_binary(left)) {
        // An inherited __radd__ is the left side's own: then the plain method
        // goes first.
        Value mine = type_lookup(vm, left, vm->names[reflected]);
        Value theirs = type_lookup(vm, right, vm->names[reflected]);
        if (right_first && !value_same(mine, theirs)) {
            Value result = declined(class_call(vm, b, reflected, &a, 1));
            if (!value_same(result, VALUE_NOT_IMPLEMENTED)) {
                return result;
            }
            other = false;
        }
        Value result = declined(class_call(vm, a, plain, &b, 1));
        if (!value_same(result, VALUE_NOT_IMPLEMENTED)) {
            return result;
        }
    }
    return other ? class_answer_right(vm, op, a, b) : VALUE_NOT_IMPLEMENTED;
}

// The names of an operator stand in threes: plain, reflected, in place. Without
// __iadd__ a += b is a = a + b. The result may be another object, which the
// statement then binds.
static Value user_inplace(Vm *vm, BinaryOp op, Value a, Value b)
{
    // Declined: the caller goes on with the plain operator.
    return declined(class_call(vm, a, NAME_ADD + 3 * op + 2, &b, 1));
}

// 1, 0, -1. Only __bool__: a class that has just __len__ does not get this
// slot. An int is refused, too.
static int user_truth(Vm *vm, Value self)
{
    Value result = class_call(vm, self, NAME_BOOL, NULL, 0);
    if (value_failed(result)) {
        return -1;
    }
    if (value_is_bool(result)) {
        return value_same(result, VALUE_TRUE);
    }
    raise_error(vm, ERR_TYPE, "__bool__ should return bool, returned %s",
                type_name(type_of(vm, result)));
    release(vm, result);
    return -1;
}

// -1: failed, with an error pending; so a negative answer is an error, too.
static int64_t user_length(Vm *vm, Value self)
{
    Value result = class_call(vm, self, NAME_LEN, NULL, 0);
    int64_t length = -1;
    if (value_failed(result)) {
        return -1;
    }
    // A result beyond 64 bits is an OverflowError, but for a negative one.
    bool below = value_is_integer(result) &&
                 int_compare(result, value_from_small(0)) < 0;
    bool known = below || value_to_count(vm, result, &length);
    release(vm, result);
    if (known && length < 0) {
        return raise_int(vm, ERR_VALUE, "__len__() should return >= 0");
    }
    return known ? length : -1;
}

// A missing key is the method's own to tell.
static Value user_get_item(Vm *vm, Value self, Value key)
{
    return class_call(vm, self, NAME_GETITEM, &key, 1);
}

// One slot serves both methods. A class may define only one of them; the other
// then is an attribute that it has not got.
static bool user_set_item(Vm *vm, Value self, Value key, Value value)
{
    Value args[2] = {key, value};
    bool deleting = value_unbound(value);
    Value result = deleting ? class_call(vm, self, NAME_DELITEM, args, 1)
                            : class_call(vm, self, NAME_SETITEM, args, 2);
    if (value_unbound(result)) {
        return raise_false(
            vm, ERR_ATTRIBUTE, "%s",
            vm->names[deleting ? NAME_DELITEM : NAME_SETITEM]->text);
    }
    if (value_failed(result)) {
        return false;
    }
    release(vm, result);
    return true;
}

// Any result counts by its truth. None in a class forbids the question, as it
// does for iteration.
static int user_contains(Vm *vm, Value self, Value item)
{
    Type *cls = type_of(vm, self);
    if (value_is_none(type_lookup(vm, cls, vm->names[NAME_CONTAINS]))) {
        return raise_int(vm, ERR_TYPE, "'%s' object is not a container",
                         type_name(cls));
    }
    Value result = class_call(vm, self, NAME_CONTAINS, &item, 1);
    if (value_failed(result)) {
        return -1;
    }
    int truth = value_truth(vm, result);
    release(vm, result);
    return truth;
}

// __iter__ = None forbids iteration, even where __getitem__ would allow it. The
// result is checked here, so that loops may rely on its `next`.
static Value user_iter(Vm *vm, Value self)
{
    Value found = type_lookup(vm, type_of(vm, self), vm->names[NAME_ITER]);
    if (value_is_none(found)) {
        return raise_error(vm, ERR_TYPE, "'%s' object is not iterable",
                           type_name(type_of(vm, self)));
    }
    Value result = class_call(vm, self, NAME_ITER, NULL, 0);
    if (!value_failed(result) && type_of(vm, result)->slots.next == NULL) {
        raise_error(vm, ERR_TYPE, "iter() returned non-iterator of type '%s'",
                    type_name(type_of(vm, result)));
        release(vm, result);
        return VALUE_FAIL;
    }
    return result;
}

// The end travels as VALUE_STOP, which costs no exception in the loops of C.
static Value user_next(Vm *vm, Value self)
{
    Value result = class_call(vm, self, NAME_NEXT, NULL, 0);
    if (value_failed(result) && raise_matches(vm, ERR_STOP_ITERATION)) {
        raise_clear(vm);
        return VALUE_STOP;
    }
    return result;
}

// The result is not checked here: the messages of the callers differ. An int is
// what they want, but a subclass of int will do.
static Value user_index(Vm *vm, Value self)
{
    return class_call(vm, self, NAME_INDEX, NULL, 0);
}

// As user_index: int() checks what comes.
static Value user_to_int(Vm *vm, Value self)
{
    return class_call(vm, self, NAME_INT, NULL, 0);
}

static Value user_to_float(Vm *vm, Value self)
{
    return class_call(vm, self, NAME_FLOAT, NULL, 0);
}

// Objects that call objects nest C frames, hence the check of the depth. The
// method is found in the class: an instance's own __call__ does not count.
static Value user_call(Vm *vm, Value self, const Value *args, uint32_t count,
                       Tuple *keyword_names)
{
    Value callee = value_find_method(vm, self, vm->names[NAME_CALL]);
    if (value_failed(callee)) {
        return callee;
    }
    if (!ctx_enter(&vm->ctx)) {
        release(vm, callee);
        return VALUE_FAIL;
    }
    Value result = vm_call_keywords(vm, callee, args, count, keyword_names);
    ctx_leave(&vm->ctx);
    release(vm, callee);
    return result;
}

// `args` and `keywords` are those of the call of the class; keywords may be
// NULL.
static bool user_init(Vm *vm, Value self, Tuple *args, Dict *keywords)
{
    Value callee = value_find_method(vm, self, vm->names[NAME_INIT]);
    if (value_failed(callee)) {
        return false;
    }
    Value result = vm_call_dict(vm, callee, args, keywords);
    release(vm, callee);
    if (value_failed(result) || value_is_none(result)) {
        return !value_failed(result);
    }
    raise_error(vm, ERR_TYPE, "__init__() should return None, not '%s'",
                type_name(type_of(vm, result)));
    release(vm, result);
    return false;
}

// (cls, *args): what __new__ gets. Owned; NULL: memory.
static Tuple *with_class(Vm *vm, Type *cls, Tuple *args)
{
    Tuple *all = tuple_new(vm, args->count + 1);
    if (all != NULL) {
        all->items[0] = value_retain(value_from_object(cls));
        for (size_t i = 0; i < args->count; i++) {
            all->items[i + 1] = value_retain(args->items[i]);
        }
    }
    return all;
}

// `cls` may be a subclass of the one that defines __new__; it is looked up from
// there, as super() chains expect.
static Value user_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    Value callee =
        value_get_attr(vm, value_from_object(cls), vm->names[NAME_NEW]);
    if (value_failed(callee)) {
        return callee;
    }
    Tuple *all = with_class(vm, cls, args);
    Value result =
        all == NULL ? VALUE_FAIL : vm_call_dict(vm, callee, all, keywords);
    object_release_null(&vm->ctx, all);
    release(vm, callee);
    return result;
}

// Ordinary instances that an __init__ fills, or what a __new__ makes that no
// __init__ follows: the machine pushes a frame for it and needs no C stack.
Function *class_maker(Vm *vm, Type *cls)
{
    bool (*init)(Vm *, Value, Tuple *, Dict *) = cls->slots.init;
    const TypeSlots *plain = &vm->object_type->slots;
    Value found = VALUE_UNBOUND;
    if (cls->head.type->slots.call != vm->types[KIND_TYPE]->slots.call) {
        return NULL; // the metaclass has a say
    }
    if (cls->slots.make == user_make && (init == NULL || init == plain->init)) {
        found = descriptor_wrapped(
            vm, type_lookup(vm, cls, vm->names[NAME_NEW]), KIND_STATICMETHOD);
    } else if (cls->slots.make == plain->make && init == user_init &&
               (cls->flags & TYPE_HEAP) && cls->kind == KIND_INSTANCE &&
               (cls->flags & TYPE_ABSTRACT) == 0) {
        found = type_lookup(vm, cls, vm->names[NAME_INIT]);
    }
    return value_is_kind(found, KIND_FUNCTION) &&
                   !(((Function *)value_object(found))->code->flags &
                     CODE_GENERATOR)
               ? (Function *)value_object(found)
               : NULL;
}

// __del__ is looked up in the class, and its result is of no interest. False:
// it raised, which is told as an ignored exception.
static bool user_finalize(Vm *vm, Object *self)
{
    Value result = class_call(vm, value_from_object(self), NAME_DEL, NULL, 0);
    release(vm, result);
    return !value_failed(result);
}

// The first class of the MRO that has the name decides, as it does in a call.
bool class_defines(Vm *vm, Type *cls, NameId id)
{
    for (size_t i = 0; i < cls->mro->count; i++) {
        Type *owner = (Type *)value_object(cls->mro->items[i]);
        if (!value_unbound(dict_get_name(owner->dict, vm->names[id]))) {
            // A built-in class in front hides what stands behind it.
            return (owner->flags & TYPE_HEAP) != 0;
        }
    }
    return false;
}

// Which names the classes of an MRO that the program wrote may have, by eight
// bits of their hashes: a new class is asked for some eighty methods and has
// two or three, so most questions end here.
typedef struct OwnNames {
    uint64_t bits[4];
} OwnNames;

// Of all names in their dicts, removed ones too: a set bit is only a guess.
static OwnNames own_names(const Type *cls)
{
    OwnNames names = {{0}};
    for (size_t i = 0; i < cls->mro->count; i++) {
        const Type *owner = (Type *)value_object(cls->mro->items[i]);
        const Dict *dict = (owner->flags & TYPE_HEAP) != 0 ? owner->dict : NULL;
        bool named = dict != NULL && !dict->dense;
        for (uint32_t at = 0; named && at < dict->used; at++) {
            uint64_t hash = dict->entries[at].hash;
            names.bits[hash >> 6 & 3] |= (uint64_t)1 << (hash & 63);
        }
    }
    return names;
}

// class_defines, but mostly without looking.
static bool defines_own(Vm *vm, Type *cls, const OwnNames *names, NameId id)
{
    uint64_t hash = str_hash(vm->names[id]);
    return (names->bits[hash >> 6 & 3] >> (hash & 63) & 1) != 0 &&
           class_defines(vm, cls, id);
}

// One slot serves all binary operators: a class that defines any of them gets
// it, and the ones it lacks are declined at run time. In-place methods alone
// make no class an operand of the plain operator.
static void set_operator_slots(Vm *vm, Type *cls, const OwnNames *names)
{
    for (int op = 0; op < BINARY_COUNT; op++) {
        NameId plain = NAME_ADD + 3 * op;
        if (defines_own(vm, cls, names, plain) ||
            defines_own(vm, cls, names, plain + 1)) {
            cls->slots.binary = user_binary;
        }
        if (defines_own(vm, cls, names, plain + 2)) {
            cls->slots.inplace = user_inplace;
        }
    }
}

// From the start each time: a deleted method must give the slot back to the
// layout.
static void set_slots(Vm *vm, Type *cls)
{
    // The nearest built-in class, whose C functions know the object's layout.
    const Type *layout = type_native(cls);
    cls->slots = layout->slots;
    OwnNames names = own_names(cls);
#define DUNDER(id, text, slot, user, params)                                   \
    if (defines_own(vm, cls, &names, NAME_##id)) {                             \
        cls->slots.slot = user;                                                \
    }
#include "interp/objects/classes/dunder_list.h"
#undef DUNDER
    if (defines_own(vm, cls, &names, NAME_HASH)) {
        cls->flags &= ~(uint32_t)TYPE_UNHASHABLE;
    }
    if (defines_own(vm, cls, &names, NAME_FORMAT)) {
        cls->slots.format = user_format;
    }
    if (defines_own(vm, cls, &names, NAME_CALL)) {
        cls->slots.call = user_call;
        // The machine must not go past the method.
        cls->slots.enter = NULL;
    }
    if (defines_own(vm, cls, &names, NAME_NEW)) {
        cls->slots.make = user_make;
    }
    if (defines_own(vm, cls, &names, NAME_DEL)) {
        cls->slots.finalize = user_finalize;
    }
    if (cls->flags & TYPE_DICT_AHEAD) {
        cls->slots.visit = memory_visit_prefixed;
        cls->slots.clear = memory_clear_prefixed;
    }
    set_operator_slots(vm, cls, &names);
    class_set_attribute_slots(vm, cls);
    class_set_descriptor_slots(vm, cls);
}

// The class and all that derive from it; a plain name changes no slot.
// Subclasses inherit the method, so their slots change with it. The depth of
// class trees is the program's choice.
static bool update_tree(Vm *vm, Type *cls)
{
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    // From here on no look-up in the class fails.
    bool done = true;
    for (size_t i = 0; done && i < cls->mro->count; i++) {
        done = type_dict(vm, (Type *)value_object(cls->mro->items[i])) != NULL;
    }
    if (done) {
        set_slots(vm, cls);
    }
    for (uint32_t i = 0; done && i < cls->subclass_count; i++) {
        done = update_tree(vm, cls->subclasses[i]);
    }
    ctx_leave(&vm->ctx);
    return done;
}

// Caches of attributes are void from now on: they compare the epoch.
bool class_update_slots(Vm *vm, Type *cls, Str *name)
{
    vm->epoch++;
    if (name != NULL &&
        (name->length < 5 || name->text[0] != '_' || name->text[1] != '_')) {
        return true;
    }
    return update_tree(vm, cls);
}
