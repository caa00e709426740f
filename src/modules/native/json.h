// The native half of the module json: json_read.c reads texts, json_write.c
// writes them, modules_json.c shows both to lib/json.
#ifndef DUET_MODULES_NATIVE_JSON_H
#define DUET_MODULES_NATIVE_JSON_H

#include "interp/core/vm.h"

// One level of a nested value, counted in *depth. Levels share the limit with
// the program's frames, and guard the C stack. `what` ends the message. False:
// RecursionError is pending and nothing was entered.
MUST_CHECK bool json_enter(Vm *vm, uint32_t *depth, const char *what);
// The counterpart of a json_enter that succeeded.
void json_leave(Vm *vm, uint32_t *depth);

// Natives: the parameters, in this order, are in modules_json.c. All return
// owned values, or VALUE_FAIL with an error pending.
// The tuple (value, index behind it), by the hooks that are not None.
Value json_scan(Vm *vm, Value *args);
// The index of the first character that is not white.
Value json_skip(Vm *vm, Value *args);
// The text of a value, a Str.
Value json_write(Vm *vm, Value *args);
// A str with quotes and escapes, a Str.
Value json_quote(Vm *vm, Value *args);

#endif
