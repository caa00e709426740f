// What a result may not hold: symbolic tensors where it is no structure, and
// what two sides of a block left undecided.
//
// The search follows the references that the collector follows, breadth first,
// so that the path is a shortest one. What is older than the trace can hold a
// symbolic tensor only by a store, which is recorded as a leak: of that a few
// thousand containers are searched, and no modules, no code and no
// classes but those that the trace made.
#include "stager/hidden.h"

#include "interp/core/raise.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/era.h"
#include "stager/poison.h"

enum { HIDDEN_OLD = 4096 }; // objects older than the trace that are searched

typedef struct Reached {
    Object *object; // borrowed: the result holds it
    uint32_t parent;
} Reached;

typedef struct HiddenSearch {
    Vm *vm;
    VEC(Reached) reached; // the result first
    Map seen;             // by address
    uint32_t current;     // whose references are followed
    uint32_t found;       // what is refused, 0: none yet
    uint32_t old;
    bool failed; // an error is pending
} HiddenSearch;

static bool is_refused(Vm *vm, const Object *object)
{
    return object->kind == KIND_SYMBOLIC ||
           poison_is(vm, value_from_object((Object *)object));
}

// A function does not hold its module's names in this sense.
static bool is_wanted(HiddenSearch *search, const Object *parent, Object *child)
{
    if (parent->kind == KIND_FUNCTION &&
        child == &((const Function *)parent)->globals->head) {
        return false;
    }
    if (is_refused(search->vm, child)) {
        return true;
    }
    Vm *vm = search->vm;
    switch (child->kind) {
    case KIND_MODULE:
    case KIND_CODE: return false;
    case KIND_TYPE: return era_has(vm, vm->trace->era, child);
    default: break;
    }
    return type_of(vm, value_from_object(child))->slots.visit != NULL &&
           (era_has(vm, vm->trace->era, child) || search->old++ < HIDDEN_OLD);
}

static void reach(Object *child, void *data)
{
    HiddenSearch *search = data;
    const void *key = child;
    uint32_t parent = search->current;
    if (search->failed || search->found != 0 || child == NULL ||
        map_get(&search->seen, (const char *)&key, sizeof key) != NULL ||
        !is_wanted(search, search->reached.items[parent].object, child)) {
        return;
    }
    search->failed =
        !map_put(&search->seen, (const char *)&key, sizeof key, 0) ||
        !vec_push(&search->vm->ctx, &search->reached,
                  ((Reached){child, parent}));
    if (!search->failed && is_refused(search->vm, child)) {
        search->found = (uint32_t)search->reached.count - 1;
    }
}

// The name under which an instance has it.
static const Str *attribute_of(const Instance *instance, const Object *child)
{
    const ObjectShape *shape = instance->shape;
    for (; shape != NULL && shape->parent != NULL; shape = shape->parent) {
        Value v = instance->slots[shape->count - 1];
        if (value_is_object(v) && value_object(v) == child) {
            return shape->name;
        }
    }
    return NULL;
}

static bool add_item(StrBuf *out, const Value *items, size_t count,
                     const Object *child)
{
    for (size_t i = 0; i < count; i++) {
        if (value_is_object(items[i]) && value_object(items[i]) == child) {
            strbuf_printf(out, "[%zu]", i);
            return true;
        }
    }
    return false;
}

static bool add_entry(Vm *vm, StrBuf *out, Dict *dict, const Object *child)
{
    uint32_t position = 0;
    Value key, item;
    while (dict_next(dict, &position, &key, &item)) {
        if (value_is_object(item) && value_object(item) == child) {
            Str *text = value_repr(vm, key);
            if (text != NULL) {
                strbuf_printf(out, "[%s]", text->text);
            }
            object_release_null(&vm->ctx, text);
            return text != NULL;
        }
    }
    return true;
}

// One step of the path. False: an error is pending.
static bool add_step(Vm *vm, StrBuf *out, Object *parent, const Object *child)
{
    Value v = value_from_object(parent);
    const Function *function = (const Function *)parent;
    switch (parent->kind) {
    case KIND_LIST:
        (void)add_item(out, value_as_list(v)->items, value_as_list(v)->count,
                       child);
        return true;
    case KIND_TUPLE:
        (void)add_item(out, value_as_tuple(v)->items, value_as_tuple(v)->count,
                       child);
        return true;
    case KIND_DICT: return add_entry(vm, out, value_as_dict(v), child);
    case KIND_FUNCTION:
        for (uint32_t i = 0; i < function->cell_count; i++) {
            if (value_is_object(function->cells[i]) &&
                value_object(function->cells[i]) == child) {
                strbuf_printf(out, ".%s",
                              function->code->captured_names[i]->text);
            }
        }
        return true;
    case KIND_INSTANCE: {
        const Str *name = attribute_of((const Instance *)parent, child);
        if (name != NULL) {
            strbuf_printf(out, ".%s", name->text);
        }
        return true;
    }
    default: return true; // cells, methods, iterators: no step of their own
    }
}

// From the result inwards: the chain is collected from the tensor outwards.
static bool add_path(HiddenSearch *search, StrBuf *out)
{
    VEC(Object *) chain = {0};
    Ctx *ctx = &search->vm->ctx;
    bool ok = true;
    for (uint32_t i = search->found; ok && i != 0;
         i = search->reached.items[i].parent) {
        ok = vec_push(ctx, &chain, search->reached.items[i].object);
    }
    Object *parent = search->reached.items[0].object;
    for (size_t i = chain.count; ok && i-- > 0;) {
        ok = add_step(search->vm, out, parent, chain.items[i]);
        parent = chain.items[i];
    }
    vec_free(ctx, &chain);
    return ok && strbuf_ok(out);
}

static bool fail(HiddenSearch *search, const char *function)
{
    Value found =
        value_from_object(search->reached.items[search->found].object);
    if (poison_is(search->vm, found)) {
        (void)poison_raise(search->vm, found);
        return false;
    }
    StrBuf path;
    strbuf_init(&path, &search->vm->ctx);
    if (add_path(search, &path)) {
        Value result = value_from_object(search->reached.items[0].object);
        raise_error(search->vm, ERR_TYPE,
                    "%s returns a '%s' object whose %s is a symbolic tensor; "
                    "return the tensor, or a list, tuple, dict or dataclass "
                    "with it",
                    function, type_name(type_of(search->vm, result)),
                    path.length > 0 ? strbuf_text(&path) : "content");
    }
    strbuf_free(&path);
    return false;
}

// `function` NULL: nothing is refused. 1: it holds something; -1: an error is
// pending.
static int search_result(Vm *vm, const char *function, Value result)
{
    if (!value_is_object(result) || type_of(vm, result)->slots.visit == NULL ||
        value_object(result)->kind == KIND_MODULE ||
        (value_object(result)->kind == KIND_TYPE &&
         !era_has(vm, vm->trace->era, value_object(result)))) {
        return 0;
    }
    HiddenSearch search = {.vm = vm};
    map_init(&search.seen, &vm->ctx);
    bool ok = vec_push(&vm->ctx, &search.reached,
                       ((Reached){value_object(result), 0}));
    // A reference to the result itself would be found as number 0 again: it
    // is harmless, since the tensor is none.
    for (; ok && search.found == 0 && search.current < search.reached.count;
         search.current++) {
        Object *object = search.reached.items[search.current].object;
        Type *cls = type_of(vm, value_from_object(object));
        cls->slots.visit(object, reach, &search);
        reach(&cls->head, &search);
        ok = !search.failed && ctx_poll(&vm->ctx);
    }
    int found = ok ? search.found != 0 : -1;
    if (found > 0 && function != NULL && !fail(&search, function)) {
        found = -1;
    }
    map_free(&search.seen);
    vec_free(&vm->ctx, &search.reached);
    return found;
}

int hidden_holds(Vm *vm, Value result)
{
    return poison_is(vm, result) ? 1 : search_result(vm, NULL, result);
}

bool hidden_check(Vm *vm, const char *function, Value result)
{
    if (poison_is(vm, result)) {
        (void)poison_raise(vm, result);
        return false;
    }
    return search_result(vm, function, result) == 0;
}
