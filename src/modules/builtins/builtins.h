// The built-in functions, and what their files share.
#ifndef DUET_MODULES_BUILTINS_BUILTINS_H
#define DUET_MODULES_BUILTINS_BUILTINS_H

#include "interp/core/memory.h"
#include "interp/objects/classes/types.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/objects/text/obj_str.h"
#include "interp/tensors/tensor_call.h"

// One C function a row; arguments as type.h says of NativeFn.
#define BUILTIN(name, params, function, doc)                                   \
    Value function(Vm *vm, Value *args);
#include "modules/builtins/builtin_list.h"
#undef BUILTIN

// Makes and fills vm->builtins.
MUST_CHECK bool builtins_init(Vm *vm);

// Binds the op table's names in `builtins` and as methods, and the types'
// constructors; called when the Vm is made, after its types.
MUST_CHECK bool builtins_tensor_init(Vm *vm, Dict *builtins);
// What stands there beside the ops themselves; ends with a NULL name.
extern const NativeDef tensor_functions[];

#define BUILTIN_BODY(name) Value builtin_##name(Vm *vm, Value *args)

// Shows a value as the prompt does: its repr and a newline on sys.stdout, and
// binds `_`; None not at all. False with an error pending.
MUST_CHECK bool vm_show(Vm *vm, Value value);
// What locals() is in this frame, owned.
Value builtin_frame_names(Vm *vm, const Frame *frame);
// Writes to sys.stdout, and flushes it. False with an error pending.
MUST_CHECK bool builtin_write_stdout(Vm *vm, Str *text);
// What help(v) prints (v UNBOUND: without an argument), and how v is called,
// "f(a, b=1)": empty where that is not known. Owned; NULL: failed.
Str *builtin_help_text(Vm *vm, Value v);
// "(x, y=0)" of a callable, owned. NULL: it has none, or failed.
Str *builtin_signature(Vm *vm, Value v);
// Such arguments go to the tensor function of the same name.
static inline bool builtin_is_tensor(Value v)
{
    return value_is_kind(v, KIND_TENSOR) || value_is_kind(v, KIND_SYMBOLIC) ||
           value_is_kind(v, KIND_VARIABLE);
}
// For parameters whose None means the same as leaving them out.
static inline bool builtin_given(Value v)
{
    return !value_unbound(v) && !value_is_none(v);
}

#endif
