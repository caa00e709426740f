// gc and weakref: what programs may ask of the collector and of the table of
// weak references. The containers of weakref are written in Duet
// (lib/python/weakref.duet).
#include "interp/core/memory.h"
#include "interp/core/weakref.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "modules/importing/module.h"

// The head of a native function; the rows of gc_functions name it.
#define GC_BODY(name) static Value gc_##name(Vm *vm, Value *args)

// Two generations stand for three: 1 and 2 both mean a full collection.
GC_BODY(collect)
{
    int64_t generation = 2;
    if (!value_unbound(args[0]) && !value_to_index(vm, args[0], &generation)) {
        return VALUE_FAIL;
    }
    if (generation < 0 || generation > 2) {
        return raise_error(vm, ERR_VALUE, "invalid generation");
    }
    return int_from_u64(vm, cycles_collect(vm, generation > 0));
}

// Only the collections that start by themselves: gc.collect() works in any
// case.
GC_BODY(enable)
{
    (void)args;
    vm->gc.enabled = true;
    return VALUE_NONE;
}

// gc.collect() works nevertheless.
GC_BODY(disable)
{
    (void)args;
    vm->gc.enabled = false;
    return VALUE_NONE;
}

GC_BODY(isenabled)
{
    (void)args;
    return value_from_bool(vm->gc.enabled);
}

// These figures are given by generation, as three ints.
static Value three_ints(Vm *vm, int64_t a, int64_t b, int64_t c)
{
    Value parts[3] = {value_from_small(a), value_from_small(b),
                      value_from_small(c)};
    return value_or_fail(tuple_from(vm, parts, 3));
}

// `room` counts down from the threshold with each tracked object made.
GC_BODY(get_count)
{
    (void)args;
    const Collector *gc = &vm->gc;
    return three_ints(vm, gc->threshold - gc->room, (int64_t)gc->survivors,
                      (int64_t)gc->old_count);
}

// Only the first generation has a threshold that can be set.
GC_BODY(get_threshold)
{
    (void)args;
    return three_ints(vm, vm->gc.threshold, 10, 10);
}

// What has been made since the last collection still counts: the room shifts by
// the difference. The other two thresholds are accepted and not used.
GC_BODY(set_threshold)
{
    int64_t threshold;
    if (!value_to_index(vm, args[0], &threshold)) {
        return VALUE_FAIL;
    }
    threshold = threshold < 0 ? 0 : threshold;
    vm->gc.room += threshold - vm->gc.threshold;
    vm->gc.threshold = threshold;
    return VALUE_NONE;
}

// Immediate values are no objects, hence never tracked.
GC_BODY(is_tracked)
{
    (void)vm;
    return value_from_bool(value_is_object(args[0]) &&
                           (value_object(args[0])->flags & OBJECT_TRACKED));
}

// An object's own code runs once, even if it brings the object back.
GC_BODY(is_finalized)
{
    (void)vm;
    return value_from_bool(value_is_object(args[0]) &&
                           !value_is_kind(args[0], KIND_STR) &&
                           (value_object(args[0])->flags & OBJECT_FINALIZED));
}

// freeze() and set_debug(): nothing is to be kept out of collections, and they
// have nothing to tell.
GC_BODY(nothing)
{
    (void)vm, (void)args;
    return VALUE_NONE;
}

// What is frozen, and the flags of set_debug().
GC_BODY(none_frozen)
{
    (void)vm, (void)args;
    return value_from_small(0);
}

// What programs use of gc; get_objects and its kind are absent.
static const NativeDef gc_functions[] = {
    {"is_tracked", "obj, /", gc_is_tracked,
     "Whether the collector knows the object."},
    {"is_finalized", "obj, /", gc_is_finalized,
     "Whether its __del__ has been called."},
    {"freeze", "", gc_nothing, "Accepted; collections leave nothing out."},
    {"unfreeze", "", gc_nothing, "Accepted; nothing is frozen."},
    {"get_freeze_count", "", gc_none_frozen, "How many are frozen: 0."},
    {"set_debug", "flags, /", gc_nothing, "Accepted; nothing is told."},
    {"get_debug", "", gc_none_frozen, "The flags of set_debug(): 0."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef gc_reads[] = {
    {"isenabled", "", gc_isenabled, "Whether they start by themselves."},
    {"get_count", "", gc_get_count,
     "Objects made since the last collection, survivors since the last full\n"
     "one, and what that one left."},
    {"get_threshold", "", gc_get_threshold,
     "How many objects may be made between two collections."},
    {NULL, NULL, NULL, NULL}};

static const NativeDef gc_changes[] = {
    {"collect", "generation=2, /", gc_collect,
     "Collect cycles now; how many objects were unreachable. Generation 0 is\n"
     "what was made since the last collection."},
    {"enable", "", gc_enable, "Let collections start by themselves."},
    {"disable", "", gc_disable, "Collect only when collect() is called."},
    {"set_threshold", "threshold0, threshold1=None, threshold2=None, /",
     gc_set_threshold, "Set that number; 0 stops collections."},
    {NULL, NULL, NULL, NULL}};

// Everything can be collected here, so the list of what could not is empty.
static bool gc_init(Vm *vm, Dict *dict)
{
    List *garbage = list_new(vm, 0);
    return module_add(vm, dict, "garbage", value_or_fail(garbage));
}

const ModuleDef gc_module = {.name = "gc",
                             .doc = "The collector of reference cycles.",
                             .functions = gc_functions,
                             .reads = gc_reads,
                             .changes = gc_changes,
                             .init = gc_init};

// Immediate values cannot be referred to weakly: they have none.
static Value weak_count(Vm *vm, Value *args)
{
    size_t found = value_is_object(args[0])
                       ? weakref_count(vm, value_object(args[0]), NULL)
                       : 0;
    return value_from_small((int64_t)found);
}

// The chain of an object's references is walked without further looks at the
// table; the list retains each.
static Value weak_refs(Vm *vm, Value *args)
{
    WeakRef *ref = NULL;
    if (value_is_object(args[0])) {
        (void)weakref_count(vm, value_object(args[0]), &ref);
    }
    // Nothing runs between the look-up and the walk that could change the
    // chain.
    List *list = list_new(vm, 0);
    for (; list != NULL && ref != NULL; ref = ref->next) {
        if (!list_append(vm, list, value_from_object(ref))) {
            object_release(&vm->ctx, list);
            list = NULL;
        }
    }
    return value_or_fail(list);
}

static const NativeDef weakref_functions[] = {
    {"getweakrefcount", "object, /", weak_count,
     "How many weak references an object has."},
    {"getweakrefs", "object, /", weak_refs,
     "The weak references of an object, newest first."},
    {NULL, NULL, NULL, NULL}};

// Both names stand for the type itself, so that isinstance takes either.
// module_add takes the value, even on failure.
static bool weakref_module_init(Vm *vm, Dict *dict)
{
    Object *type = &vm->types[KIND_WEAKREF]->head;
    return module_add(vm, dict, "ref",
                      value_from_object(object_retain(type))) &&
           module_add(vm, dict, "ReferenceType",
                      value_from_object(object_retain(type)));
}

const ModuleDef weakref_module = {
    .name = "weakref",
    .doc = "References that do not keep what they refer to.",
    .functions = weakref_functions,
    .init = weakref_module_init};
