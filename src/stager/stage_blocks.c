// Methods of `stage` that call lib/_blocks.duet.
#include "stager/stage_blocks.h"

#include <string.h>

#include "interp/core/raise.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/text/obj_str.h"
#include "modules/importing/module.h"

// A name of the module, borrowed from it; UNBOUND with an error
// pending. Its import is no event of a trace.
static Value find_function(Vm *vm, Str *module_name, const char *name)
{
    // Outside any trace for the moment: what the module makes when it is
    // imported first is the program's, and would be lost with the trace.
    Trace *trace = vm->trace;
    uint16_t birth = vm->ctx.birth;
    Str *function_name = str_intern(vm, name, strlen(name));
    Value found = VALUE_UNBOUND;
    vm->trace = NULL;
    vm->ctx.birth = 0;
    Module *module =
        function_name == NULL ? NULL : module_import(vm, module_name);
    if (module != NULL) {
        found = dict_get_name(module->dict, function_name);
    }
    vm->trace = trace;
    vm->ctx.birth = birth;
    object_release_null(&vm->ctx, function_name);
    return found;
}

Value stage_block_call(Vm *vm, const char *name, const Value *args,
                       uint32_t count)
{
    Value function = find_function(vm, vm->names[NAME_OF_BLOCKS], name);
    // The module was found but lacks the function: the library and the program
    // are not of one version.
    if (value_unbound(function)) {
        return vm_has_error(vm)
                   ? VALUE_FAIL
                   : raise_error(vm, ERR_SYSTEM, "stage.%s is not there", name);
    }
    return vm_call(vm, function, args, count);
}

// `count` operands stand behind self; 0: as many as the tuple there has.
static Value call_block(Vm *vm, const char *name, const Value *args,
                        uint32_t count)
{
    // An operand that was left out is left to the function.
    if (count != 0) {
        count -= value_unbound(args[count]);
        return stage_block_call(vm, name, args + 1, count);
    }
    const Tuple *rest = value_as_tuple(args[1]);
    return stage_block_call(vm, name, rest->items, (uint32_t)rest->count);
}

#define STAGE_BLOCK(name, operands, params, doc)                               \
    Value stage_block_##name(Vm *vm, Value *args)                              \
    {                                                                          \
        return call_block(vm, #name, args, operands);                          \
    }
STAGE_BLOCK_LIST(STAGE_BLOCK)
#undef STAGE_BLOCK

static Value make_tensor_list(Vm *vm, Value *args)
{
    Value cls = find_function(vm, vm->names[NAME_OF_TENSOR_LIST], "TensorList");
    if (value_unbound(cls)) {
        return VALUE_FAIL;
    }
    Value given[3] = {args[0], VALUE_NONE, value_from_small(0)};
    for (uint32_t i = 1; i < 3; i++) {
        given[i] = value_unbound(args[i]) ? given[i] : args[i];
    }
    return vm_call(vm, cls, given, 3);
}

Object *stage_tensor_list(Vm *vm)
{
    static const NativeDef def = {
        "TensorList", "dtype, shape=None, size=0", make_tensor_list,
        "A list of tensors that a graph holds: append, write, read, stack, "
        "size."};
    return (Object *)native_new(vm, &def, NULL);
}

static Value load_graph(Vm *vm, Value *args)
{
    return stage_block_call(vm, "load", args, 1);
}

Object *stage_load_graph(Vm *vm)
{
    static const NativeDef def = {
        "load_graph", "path, /", load_graph,
        "The function that stage.save() wrote; a dict of them if there are "
        "several."};
    return (Object *)native_new(vm, &def, NULL);
}
