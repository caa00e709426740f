// What the slots of classes written in Duet share: class_slots.c has those of
// operators and built-in functions, class_attr_slots.c those of attributes.
#ifndef DUET_INTERP_OBJECTS_CLASSES_CLASS_SLOTS_H
#define DUET_INTERP_OBJECTS_CLASSES_CLASS_SLOTS_H

#include "interp/core/name.h"
#include "interp/core/type.h"

enum { USER_MAX_ARGS = 3 }; // most arguments of a special method, self apart

// type(self).name(self, args…), owned; UNBOUND if the class has none.
Value class_call(Vm *vm, Value self, NameId id, const Value *args,
                 uint32_t count);
// The class of the MRO whose dict has the name is written in Duet.
bool class_defines(Vm *vm, Type *cls, NameId id);
// What the right side of a op b, whose class may be built in, makes of it when
// the left one has declined. Owned, or VALUE_NOT_IMPLEMENTED.
Value class_answer_right(Vm *vm, BinaryOp op, Value a, Value b);
// A built-in type that + joins and * repeats, or what derives from one.
bool class_joins(const Type *cls);
// The TypeError of a + b where a is such a sequence that b cannot be joined to.
Value class_join_failed(Vm *vm, Value a, Value b);
// Give `cls` the slots of the methods that it defines; the others stay those of
// its layout.
void class_set_attribute_slots(Vm *vm, Type *cls);
void class_set_descriptor_slots(Vm *vm, Type *cls);

#endif
