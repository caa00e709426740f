// The attributes of single classes of errors: errno of OSError, start of
// UnicodeError, value of StopIteration (exception_field_list.h).
//
// They are read from args until something sets them, so that an error which C
// code raises costs no more than its text.
#ifndef DUET_INTERP_OBJECTS_ERRORS_EXCEPTION_FIELDS_H
#define DUET_INTERP_OBJECTS_ERRORS_EXCEPTION_FIELDS_H

#include "interp/objects/errors/obj_exception.h"

enum { EXCEPTION_FIELD_MAX = 8 };

// What the class of `self` has of its own, checked and set from the arguments
// of a call; keywords may be NULL. False with a TypeError.
MUST_CHECK bool exception_fields_init(Vm *vm, Exception *self,
                                      const Tuple *args, Dict *keywords);
// Fields without values, which no longer follow from args: of an error whose
// class has an __init__ of its own.
MUST_CHECK bool exception_fields_blank(Vm *vm, Exception *self);
// Sets all fields to what they are now, before args change.
MUST_CHECK bool exception_fields_keep(Vm *vm, Exception *self);
// str() of a class that has a form of its own, from its fields, owned; NULL
// without an error: the common form.
Str *exception_fields_text(Vm *vm, const Exception *self);
// An AttributeError that has come out of a look-up of `name` in `object`: its
// fields, unless it says already what is missing. False: an error is pending.
MUST_CHECK bool exception_set_missing(Vm *vm, Exception *self, Value object,
                                      Str *name);
// The attribute `name`, owned; UNBOUND if the class has none such.
Value exception_field(Vm *vm, const Exception *self, const char *name);
// The class begins a family of errors that have fields.
bool exception_has_fields(Vm *vm, const Type *cls);
// Puts the attributes into the dict of `cls`, the class of this kind.
MUST_CHECK bool exception_fields_install(Vm *vm, ErrorKind kind, Type *cls);

#endif
