// Making classes, and super().
#ifndef DUET_INTERP_OBJECTS_CLASSES_CLASS_NEW_H
#define DUET_INTERP_OBJECTS_CLASSES_CLASS_NEW_H

#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"

// What type.__new__(meta, name, bases, dict) makes: the MRO by C3, slots from
// its methods, __set_name__ of the values, __init_subclass__ called with
// `keywords` (NULL: none). `dict` is copied. Owned; NULL: failed.
MUST_CHECK Type *class_new(Vm *vm, Type *meta, Str *name, Tuple *bases,
                           Dict *dict, Dict *keywords);
// type.__instancecheck__ and type.__subclasscheck__: 1, 0, -1. What is no class
// but has a tuple __bases__ passes for one.
int class_is_instance(Vm *vm, Value v, Value cls);
int class_is_subclass(Vm *vm, Value derived, Value cls);
// isinstance() and issubclass(), where the second argument is a class, a union,
// a tuple of such or what has __instancecheck__: 1, 0, -1.
int class_ask_instance(Vm *vm, Value v, Value what);
int class_ask_subclass(Vm *vm, Value derived, Value what);
// The value of __bases__ is replaced (UNBOUND: deleted, which fails): the MROs
// and slots of the class and of all that derive from it follow.
MUST_CHECK bool class_set_bases(Vm *vm, Type *cls, Value value);
// TypeError unless instances of `from` can become instances of `to`, or a class
// can exchange the first base for the other. `what`: the attribute.
MUST_CHECK bool class_check_layout(Vm *vm, Type *from, Type *to,
                                   const char *what);
// The base that decides the layout of a class with these bases. Borrowed;
// NULL: they conflict.
MUST_CHECK Type *class_best_base(Vm *vm, Tuple *bases);
// The nearest class, cls itself included, that adds slots or a built-in layout
// to that of its base. Borrowed.
Type *class_solid_base(Vm *vm, Type *cls);
// Notes cls in the lists of its bases, and takes it out again.
MUST_CHECK bool class_register(Vm *vm, Type *cls);
void class_unregister(Type *cls);
// What a class statement finds before its body runs.
typedef struct Prepared {
    Tuple *bases; // __mro_entries__ asked
    Value meta;   // any callable
    Value space;  // for the names of the body: a dict or what __prepare__ gave
} Prepared;

// Takes the keyword `metaclass` out of `keywords`, and asks it, or the most
// derived metaclass of the bases, for a namespace. Its parts are owned.
MUST_CHECK bool class_prepare(Vm *vm, Str *name, Tuple *bases, Dict *keywords,
                              Prepared *prepared);
// What a class statement makes when its body has run: it calls the metaclass.
// `original`: the bases as written; `cell`: that of __class__, else anything.
// Owned, VALUE_FAIL: failed.
Value class_build(Vm *vm, Str *name, const Prepared *prepared, Dict *keywords,
                  Tuple *original, Value cell);
// The most derived of `meta` and the classes of the bases, borrowed. NULL: two
// of them do not derive from each other, which is a TypeError.
MUST_CHECK Type *class_winning_meta(Vm *vm, Type *meta, Tuple *bases);
static inline Type *value_as_type(Value v)
{
    return (Type *)value_object(v);
}
// Takes a dying class out of the lists of its bases.
void class_forget(Vm *vm, Type *cls);
// The MRO of a class with these bases; cls becomes its first item. NULL: they
// do not fit, or memory is short.
MUST_CHECK Tuple *class_linearize(Vm *vm, Type *cls, Tuple *bases);
// Sets cls->mro anew: what mro() of its metaclass says, where that has one of
// its own, else class_linearize. False: failed, and the old one stands.
// *set: whether the order is this call's, and not one
// that mro() of the program set meanwhile.
MUST_CHECK bool class_order(Vm *vm, Type *cls, bool *set);
// After a change of cls->dict[name] (or a new class, name NULL): sets its
// slots, its subclasses' too, and bumps the epoch.
MUST_CHECK bool class_update_slots(Vm *vm, Type *cls, Str *name);

// A Type with nothing in its dict yet; its slots are those of the base that
// decides the layout. Retains; `def` NULL: that base's. Its class is type.
MUST_CHECK Type *class_create(Vm *vm, Str *name, Tuple *bases,
                              const TypeDef *def);
// Puts into cls->dict the methods that a built-in type shows for its slots,
// and those of its def. A Type.fill.
MUST_CHECK bool class_add_native(Vm *vm, Type *cls);
// What an error class shows of its own beside its fields.
MUST_CHECK bool class_add_error_natives(Vm *vm, Type *cls, ErrorKind kind);
// A __new__ of its own, which makes an instance by its layout.
MUST_CHECK bool class_add_new(Vm *vm, Type *cls);
// The second half of it: methods, members and doc of the def.
MUST_CHECK bool class_add_methods(Vm *vm, Type *cls);
// __new__ of built-in types: makes an instance by the nearest layout.
extern const NativeDef object_make_row;
// __abstractmethods__ of a class: owned, AttributeError where it has none of
// its own; setting it to what is true makes the class abstract.
Value class_get_abstract(Vm *vm, Value self);
MUST_CHECK bool class_set_abstract(Vm *vm, Value self, Value value);
// Raises the TypeError for an instance of an abstract class; VALUE_FAIL.
Value class_refuse_abstract(Vm *vm, Type *cls);
// __getattribute__, __setattr__ and __delattr__ of object. Other built-in types
// show them again, before what stands behind them in an MRO.
extern const NativeDef object_access_rows[3];

// Releases everything that a class owns: for its end (types_strip).
void type_strip(Vm *vm, Type *self);

// The nearest built-in class: cls itself, or the one that decides the layout
// of its instances. Borrowed.
static inline Type *type_native(Type *cls)
{
    while (cls->flags & TYPE_HEAP) {
        cls = cls->base;
    }
    return cls;
}

// super(): `start` is the class whose successors in the MRO of `self` are
// searched; self may be a class (in class methods).
typedef struct Super {
    Object head;
    Type *start;
    Value self;
    Type *self_type; // the class whose MRO is searched
} Super;

// Retains both; `self` may be a class. VALUE_FAIL: TypeError, it is no instance
// of `start`.
Value super_new(Vm *vm, Type *start, Value self);

// What alone makes the instances of this class, written in Duet: its __init__
// where slots.make is object's, else its __new__. No metaclass has a say, and
// nothing follows. Borrowed; NULL: C makes them.
Function *class_maker(Vm *vm, Type *cls);
// Calls the __init__ of what such a __new__ has made if that is of a subclass
// with one; `kept` holds the arguments of the call, then the names of those
// that are keywords, or None.
MUST_CHECK bool class_init_made(Vm *vm, Value self, Tuple *kept);

#endif
