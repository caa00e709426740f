// The content of a mutable object: what it holds, one level deep, taken and
// put back behind the program's back.
//
// A list, dict, set, deque, cell, class or instance of one of the program's;
// attributes and __slots__ are part of it. Taking and putting back are no
// events of the program: no hook, setter or method of a class runs.
#ifndef DUET_STAGER_CONTENT_H
#define DUET_STAGER_CONTENT_H

#include "interp/core/vm.h"

// Places in the tuple that is a content; places of __slots__ follow, UNBOUND
// where nothing is set.
enum {
    CONTENT_ITEMS,      // of a list or deque a List, of a staged list one, of a
                        // dict a Dict, of a set a Set, of a cell its value;
                        // else None
    CONTENT_ATTRIBUTES, // a Dict; None: the object takes none or has none
    CONTENT_SLOTS       // the first of them
};

// Whether the content of such an object is known here.
bool content_is_known(Vm *vm, const Object *object);
// Owned; UNBOUND: it is not; VALUE_FAIL.
Value content_take(Vm *vm, Object *object);
// Makes `content` (borrowed) what the object holds. The object is of the kind
// that it was taken from.
MUST_CHECK bool content_put(Vm *vm, Object *object, Value content);
// What an object that has no attribute of its own by this name has from its
// class, as it stands there; borrowed. That is a read. UNBOUND: nothing, or
// what is bound or computed; VALUE_FAIL.
Value content_of_class(Vm *vm, const Object *object, Value name);
// Whether it is of a module of Python's or NumPy's in lib/.
bool content_host_source(const Source *source);
// Whether the object is a container, stream or iterator that a module of
// Python's or NumPy's in lib/ wrote, as a UserDict, an array, a StringIO: what
// its attributes hold is the program's, which those modules know no staging of.
// False, too, with an error pending.
bool content_is_host(Vm *vm, const Object *object);
// The same of an object of any class that such a module makes.
bool content_is_python(Vm *vm, const Object *object);
// The dict in which the object, a class or an instance, keeps attributes now,
// borrowed; NULL: none.
Dict *content_attributes(Object *object);

#endif
