// What stands where two sides of a block left what cannot be one: whoever uses
// it gets the error that names both.
//
// A value stands in the entry, attribute or cell. A list, dict, set or deque
// that the sides left with other lengths or keys becomes such an object itself,
// in place, so that all who hold it find out.
#ifndef DUET_STAGER_POISON_H
#define DUET_STAGER_POISON_H

#include "graph/graph.h"
#include "interp/core/vm.h"

// The values, and the containers in place.
enum {
    POISON_VALUE,
    POISON_LIST,
    POISON_DICT,
    POISON_SET,
    POISON_DEQUE,
    POISON_TYPES
};

extern const TypeDef poison_type_defs[POISON_TYPES];

// The types that were made of the definitions take from the built-in ones how
// they are freed. Once, when the stager is made.
void poison_adopt(Vm *vm, Type *const *types);
// Owned. Any use of it raises the text; `choice`, of what sides left
// (either.h), may be UNBOUND.
Value poison_new(Vm *vm, ErrorKind kind, const char *text, Value choice);
// The same text with another choice; owned.
Value poison_again(Vm *vm, Value v, Value choice);
bool poison_is(Vm *vm, Value v);
// A value, and no container.
bool poison_is_value(Vm *vm, Value v);
// As poison_new, of a choice that the running block and those in it see.
Value poison_value(Vm *vm, ErrorKind kind, const char *text, Value choice);
// What became of a dict, which still has its layout.
bool poison_is_dict(Vm *vm, Value v);
// Raises its text. VALUE_FAIL.
Value poison_raise(Vm *vm, Value v);
// TraceHooks.decided
MUST_CHECK bool poison_decided(Vm *vm, Value v);
// The same of an attribute that need not be there: the choice is its value or
// None, which stands for that, and is none that the functions below give.
Value poison_absent(Vm *vm, ErrorKind kind, const char *text, Value choice);
// That choice where the block sees it; borrowed. UNBOUND: `v`, which is poison
// and a value, is no such attribute.
Value poison_there(Vm *vm, Value v, const GraphBlock *block);
// The choice; borrowed. UNBOUND: there is none. `v` is poison.
Value poison_left(Vm *vm, Value v);
// The same where the block sees what it is made of, else UNBOUND.
Value poison_choice(Vm *vm, Value v, const GraphBlock *block);
// The value that says what a container was replaced by; borrowed. `v` is one.
Value poison_of(Vm *vm, Value v);
// Makes it the container again that it was, with one element.
void poison_lift(Vm *vm, Object *container);
// Whether the object can become one: a list, dict or set proper, or a deque
// without attributes.
bool poison_fits(Vm *vm, const Object *container);
// It holds nothing from then on but what `poison` (borrowed) says.
MUST_CHECK bool poison_put(Vm *vm, Object *container, Value poison);

#endif
