// Frozen reads as people are told of them.
#include "interp/core/raise.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "stager/staged_fn.h"

// Names as the program writes them.
Str *frozen_name(Vm *vm, const Frozen *frozen, const FrozenRead *read)
{
    const FrozenRead *root = &frozen->reads.items[read->root];
    const Object *container = root->place->container->object;
    if (container == NULL) {
        return str_from(vm, "an object that is gone");
    }
    if (container->kind == KIND_CELL) {
        return str_printf(vm,
                          "the variable of an outer function read at "
                          "line %u",
                          root->line);
    }
    if (container->kind == KIND_FUNCTION) {
        return str_printf(vm, "the defaults of %s()",
                          ((const Function *)container)->name->text);
    }
    const char *name = value_as_str(root->place->key)->text;
    switch (container->kind) {
    case KIND_DICT: return str_printf(vm, "global '%s'", name);
    case KIND_TYPE:
        return str_printf(vm, "attribute '%s' of %s", name,
                          type_name((const Type *)container));
    default:
        return str_printf(vm, "attribute '%s' of %s", name,
                          type_name(container->type));
    }
}

// What people mean by a value that was read: no absence, no module, no native
// function, no method of a class, no default. Those are shown once they have
// changed.
static bool is_shown(const Vm *vm, const FrozenRead *read)
{
    Value seen = identity_value(vm, read->seen);
    const Object *container = read->place->container->object;
    bool of_class = container != NULL && container->kind == KIND_TYPE;
    bool defaults = container != NULL && container->kind == KIND_FUNCTION;
    return !value_unbound(read->seen) && !defaults &&
           !value_is_kind(seen, KIND_MODULE) &&
           !value_is_kind(seen, KIND_NATIVE) &&
           !(of_class && value_is_kind(seen, KIND_FUNCTION));
}

size_t frozen_count(const Vm *vm, const Frozen *frozen)
{
    size_t count = 0;
    for (size_t i = 0; i < frozen->reads.count; i++) {
        const FrozenRead *read = &frozen->reads.items[i];
        count += read->root == i && is_shown(vm, read);
    }
    return count;
}

// Whether what was reached by a read has changed; -1: failed. What lies below
// stands behind it.
static int root_changed(Vm *vm, const Frozen *frozen, uint32_t root)
{
    for (size_t i = root; i < frozen->reads.count; i++) {
        const FrozenRead *read = &frozen->reads.items[i];
        if (read->root != root || (read->own && !read->marked)) {
            continue;
        }
        int same = frozen_compare(vm, read);
        if (same <= 0) {
            return same < 0 ? -1 : 1;
        }
    }
    return 0;
}

// (trace, line, place, value, changed since)
static bool add_rows(Vm *vm, const Frozen *frozen, List *list)
{
    for (uint32_t i = 0; i < frozen->reads.count; i++) {
        const FrozenRead *read = &frozen->reads.items[i];
        int changed = read->root == i ? root_changed(vm, frozen, i) : 0;
        if (read->root != i || (changed == 0 && !is_shown(vm, read))) {
            continue;
        }
        Str *place = changed >= 0 ? frozen_name(vm, frozen, read) : NULL;
        Value row[5] = {value_from_small((int64_t)frozen->trace),
                        value_from_small(read->line),
                        place != NULL ? str_value(place) : VALUE_FAIL,
                        identity_leaf(vm, read->seen, NULL),
                        value_from_bool(changed > 0)};
        Value tuple = tuple_of_owned(vm, row, 5);
        if (value_failed(tuple) || !list_append_owned(vm, list, tuple)) {
            return false;
        }
    }
    return true;
}

// Of all traces, oldest first. Asking changes nothing: no note is spent, no
// value accepted.
Value frozen_method(Vm *vm, Value *args)
{
    const StagedFunction *staged = staged_from(vm, args[1], "frozen");
    if (staged == NULL) {
        return VALUE_FAIL;
    }
    List *list = list_new(vm, 0);
    size_t at = 0;
    for (const Concrete *c;
         list != NULL && (c = traces_next(&staged->table, &at)) != NULL;) {
        if (!add_rows(vm, &c->frozen, list)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return list != NULL ? value_from_object(list) : VALUE_FAIL;
}
