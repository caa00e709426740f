// What can be done with any value: the operations behind Duet's syntax and
// built-in functions. Each dispatches through the type's slots. Arguments are
// borrowed, results owned; VALUE_FAIL, NULL, false or -1 with an error pending.
#ifndef DUET_INTERP_OBJECTS_PROTOCOL_PROTOCOL_H
#define DUET_INTERP_OBJECTS_PROTOCOL_PROTOCOL_H

#include "interp/core/raise.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/errors/raise_object.h"

Str *value_repr(Vm *vm, Value v); // with recursion guard: "[...]"
// str(v): an instance of a subclass is possible. NULL: failed.
Str *value_str(Vm *vm, Value v);
Str *value_ascii(Vm *vm, Value v); // the repr with escapes for non-ASCII
Str *value_format(Vm *vm, Value v, Str *spec);
uint64_t value_identity_hash(Value v); // of types without a hash slot
// TypeError for what cannot be hashed.
MUST_CHECK bool value_hash(Vm *vm, Value v, uint64_t *hash);
int value_truth(Vm *vm, Value v); // 1, 0, -1
// 1, 0, -1: identity first, as containers compare.
int value_equal(Vm *vm, Value a, Value b);
// All of CompareOp; the result may be any value (tensors).
Value value_compare(Vm *vm, CompareOp op, Value a, Value b);
// What `op` says of two values whose order, as of memcmp, is known.
Value value_from_order(CompareOp op, int order);
// What is left when a method of the left side has answered NotImplemented.
Value value_compare_declined(Vm *vm, CompareOp op, Value a, Value b);
// a op b by both sides' methods. TypeError if neither knows how.
Value value_binary(Vm *vm, BinaryOp op, Value a, Value b);
// The rest of a + b after a's own method, called by somebody else, declined.
Value value_binary_declined(Vm *vm, BinaryOp op, bool inplace, Value a,
                            Value b);
// a op= b: its own method, else value_binary.
Value value_inplace(Vm *vm, BinaryOp op, Value a, Value b);
// int | str: what the module types makes of two classes.
Value value_union(Vm *vm, Value a, Value b);
Value value_unary(Vm *vm, UnaryOp op, Value v);
// Of what a comparison found, a bool or a tensor of bools: the opposite. Owned.
Value value_opposite(Vm *vm, Value v);
// pow(); modulus UNBOUND: there is none.
Value value_power(Vm *vm, Value base, Value exponent, Value modulus);
int64_t value_length(Vm *vm, Value v); // -1: failed
// container[key]; of classes __class_getitem__.
Value value_get_item(Vm *vm, Value container, Value key);
MUST_CHECK bool value_set_item(Vm *vm, Value container, Value key,
                               Value value); // UNBOUND deletes
// `item in container`: 1, 0, -1.
int value_contains(Vm *vm, Value container, Value item);
Value value_iter(Vm *vm, Value iterable);
// The same, but any TypeError on the way, one of the program's own __iter__
// too, is told in these words; "%s" in them is the name of iterable's type.
Value value_iter_told(Vm *vm, Value iterable, const char *words);
Value value_next(Vm *vm, Value iterator); // VALUE_STOP at the end
// StopIteration with what the generator returned, or without a value.
Value value_raise_stop(Vm *vm, Value iterator);
// As value_next, but at the end raises StopIteration with what the iterator
// returned: what next() and __next__() do.
Value value_next_or_raise(Vm *vm, Value iterator);
// A pending StopIteration is cleared and *result is its value, owned. False:
// another error is pending.
bool value_take_stop(Vm *vm, Value *result);
// The attribute, with "Did you mean" left to the traceback.
Value value_get_attr(Vm *vm, Value v, Str *name);
// As getattr(v, name, UNBOUND): an AttributeError gives UNBOUND.
Value value_find_attr(Vm *vm, Value v, Str *name);
// UNBOUND deletes.
MUST_CHECK bool value_set_attr(Vm *vm, Value v, Str *name, Value value);
// type(v).name bound to v; UNBOUND if the class has none.
Value value_find_method(Vm *vm, Value v, Str *name);
// v.name(args…), as a call in a program would find it; owned.
Value value_call_method(Vm *vm, Value v, Str *name, const Value *args,
                        uint32_t count);
// f(*args, **keywords); keywords may be NULL.
Value vm_call_dict(Vm *vm, Value callee, Tuple *args, Dict *keywords);
// The same as the built-in layout of self does it, which has a call slot:
// super().__call__ of a metaclass ends here.
Value call_layout(Vm *vm, Value self, Tuple *args, Dict *keywords);
// The keys of a dict of keyword arguments, in its order. NULL, with an error
// pending: one is no text, or memory is short.
MUST_CHECK Tuple *call_keyword_names(Vm *vm, Dict *keywords);
// type(v).name called with these arguments; UNBOUND if the class has none.
Value value_call_special(Vm *vm, Value v, const char *name, const Value *args,
                         uint32_t count);
// Only looks: calling may still fail.
bool value_is_callable(Vm *vm, Value v);
// The value's __index__, an int; "'str' object cannot be interpreted as an
// integer" else.
Value value_index(Vm *vm, Value v);
// Numbers: any object with __index__, __int__, __float__.
MUST_CHECK bool value_to_index(Vm *vm, Value v, int64_t *out); // clips never:
    // ERR_OVERFLOW beyond 64 bits
// The same for a count of items: the overflow is told as a sequence tells it.
MUST_CHECK bool value_to_count(Vm *vm, Value v, int64_t *out);
// The same for the place of an item, which is then an IndexError.
MUST_CHECK bool value_to_place(Vm *vm, Value v, int64_t *out);
// As value_to_index, to the range of C's int, which some errors tell of.
MUST_CHECK bool value_to_c_int(Vm *vm, Value v, int *out);
// An argument that is true or false and that is read as an int of C, not by its
// truth; UNBOUND is false.
MUST_CHECK bool value_to_flag(Vm *vm, Value v, bool *out);
// Float, int and __float__, __index__.
MUST_CHECK bool value_to_double(Vm *vm, Value v, double *out);
// The same, but a class derived from float may answer with its own __float__.
MUST_CHECK bool value_ask_double(Vm *vm, Value v, double *out);
// What operator.length_hint gives; `otherwise` where nothing is known.
MUST_CHECK bool value_length_hint(Vm *vm, Value v, int64_t otherwise,
                                  int64_t *out);
// Asks a class of the program for a length hint, before items are collected: no
// use is made of the answer, but a wrong one is an error.
MUST_CHECK bool value_ask_length(Vm *vm, Value iterable);
// A new Tuple or List of the iterable's items.
Tuple *value_to_tuple(Vm *vm, Value iterable);
// The same where items are joined, or stand in place of a slice: a class of the
// program is not asked for its length, but its iterator is. `words` as those of
// value_iter_told.
Tuple *value_to_items(Vm *vm, Value iterable, const char *words);

#endif
