// stage.once(): a `with` block that runs eagerly, once a trace.
//
// Entering sets the running trace aside, with the mark of its objects; what
// the block makes is older than the trace. Leaving goes on with it.
#include "interp/core/memory.h"
#include "interp/core/raise.h"
#include "stager/stage_host.h"

// One `with` block; it may be entered again when it has been left.
typedef struct Once {
    Object head;
    Trace *trace;   // set aside while the block runs; NULL: none ran
    Trace *aside;   // by the block around it; NULL: there is none
    uint16_t birth; // of the trace's objects
    bool inside;    // the block runs
} Once;

// Each `with` has an object of its own: blocks may nest through calls.
Value stage_once_method(Vm *vm, Value *args)
{
    (void)args;
    Once *once = object_new(vm, stager_of(vm)->once_type, sizeof *once);
    if (once == NULL) {
        return VALUE_FAIL;
    }
    once->trace = once->aside = NULL;
    once->birth = 0;
    once->inside = false;
    return value_from_object(once);
}

// In eager code there is no trace to set aside, and the block is like any
// other.
static Value once_enter(Vm *vm, Value *args)
{
    Once *once = (Once *)value_object(args[0]);
    if (once->inside) {
        return raise_error(vm, ERR_RUNTIME, "stage.once(): entered twice");
    }
    // Borrowed: the trace lives on the C stack of whoever runs it, and the
    // block ends before it does.
    once->trace = vm->trace;
    once->birth = vm->ctx.birth;
    once->inside = true;
    once->aside = vm->aside;
    vm->aside = vm->trace != NULL ? vm->trace : vm->aside;
    vm->trace = NULL;
    vm->ctx.birth = 0;
    return VALUE_NONE;
}

// Also when an exception leaves the block, which goes on.
static Value once_exit(Vm *vm, Value *args)
{
    Once *once = (Once *)value_object(args[0]);
    if (once->inside) {
        vm->trace = once->trace;
        vm->aside = once->aside;
        vm->ctx.birth = once->birth;
        once->inside = false;
        once->trace = NULL;
    }
    return VALUE_FALSE;
}

// It owns nothing.
static void once_destroy(Vm *vm, Object *self)
{
    object_free(vm, self, sizeof(Once));
}

// Called by `with` like the methods of any context manager.
static const NativeDef once_methods[] = {
    {"__enter__", "self, /", once_enter, "Sets the running trace aside."},
    {"__exit__", "self, *args", once_exit, "Goes on with it."},
    {NULL, NULL, NULL, NULL},
};

// Not tracked: it holds no counts.
const TypeDef once_type_def = {
    .name = "once",
    .doc = "A block that runs eagerly, once a trace, outside its graph.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Once),
    .flags = TYPE_FINAL,
    .slots = {.destroy = once_destroy},
    .methods = once_methods,
};
