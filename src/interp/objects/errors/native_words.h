// The parameters of natives as a call sees them, and the words for a call that
// does not fit them.
#ifndef DUET_INTERP_OBJECTS_ERRORS_NATIVE_WORDS_H
#define DUET_INTERP_OBJECTS_ERRORS_NATIVE_WORDS_H

#include "interp/objects/classes/obj_function.h"
#include "parser/ast.h"

// The parameter of this keyword, -1: none that can be given by keyword.
int native_find_param(const Native *native, Str *name);
// How many of its first parameters messages do not count: 1 of a method.
uint32_t native_self_count(const Native *native);
// The first parameter of this kind, -1: none.
int native_find_kind(const Native *native, ParamKind kind);

// Whether `given` arguments by position (with self) and the keywords `names`
// (NULL: none) fit: each name is that of a parameter, none are too many and
// none is missing. False with a TypeError pending.
MUST_CHECK bool native_check_call(Vm *vm, const Native *native, uint32_t given,
                                  const Tuple *names);
// Whether the first argument of a __new__ is a class that it may make an
// instance of. False with a TypeError.
MUST_CHECK bool native_check_class(Vm *vm, const Native *native,
                                   const Value *window, uint32_t count);

#endif
