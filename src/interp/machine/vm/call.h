// Calls: arguments bound to parameters, and everything that can be called.
//
// Arguments stand in a window: registers above the caller's that become the
// callee's R[0 ..]. A function here takes the references in the window over;
// when it returns, all of them are released and UNBOUND (after call_bind, on
// success: they are the bound parameters).
#ifndef DUET_INTERP_MACHINE_VM_CALL_H
#define DUET_INTERP_MACHINE_VM_CALL_H

#include "interp/objects/classes/obj_function.h"

// Binds the `count` arguments in window[0 .. count), of which the last are
// keywords of `keyword_names` (NULL: none), to the function's parameters:
// positional, keyword-only, *args, **kwargs, in window[0 ..). False with a
// TypeError pending.
MUST_CHECK bool call_bind(Vm *vm, Function *function, Value *window,
                          uint32_t count, Tuple *keyword_names);
// Does that for positional parameters alone, where those that get nothing have
// defaults and names are few. False: not so, and nothing has changed.
bool call_bind_quick(Function *function, Value *window, uint32_t count,
                     const Tuple *keyword_names);
// Calls anything: Duet functions (on a frame of their own, through C),
// natives, classes, methods, instances. `callee` is borrowed and must stay
// alive. Owned result, or VALUE_FAIL.
Value call_object(Vm *vm, Value callee, Value *window, uint32_t count,
                  Tuple *keyword_names);

#endif
