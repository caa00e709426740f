// What stands for an object that each call makes anew.
#include "stager/made.h"

#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/content.h"
#include "stager/poison.h"
#include "stager/stager.h"

typedef struct Made {
    Object head;
    Value model;   // an object of the class, empty; owned
    Value content; // a Tuple (content.h), NONE: nothing yet; owned
} Made;

bool made_is(Vm *vm, Value v)
{
    return value_is_object(v) &&
           value_object(v)->type == stager_of(vm)->made_type;
}

bool made_fits(Vm *vm, Value v)
{
    return value_is_object(v) && !poison_is(vm, v) &&
           (value_is_kind(v, KIND_INSTANCE) || deque_is(v));
}

static Value empty_like(Vm *vm, Value v)
{
    Type *cls = value_object(v)->type;
    if (deque_is(v)) {
        return deque_alike(vm, cls, deque_most(v));
    }
    return value_or_fail(instance_new(vm, cls));
}

Value made_twin(Vm *vm, Value v)
{
    if (made_is(vm, v)) {
        return empty_like(vm, ((Made *)value_object(v))->model);
    }
    Value model = empty_like(vm, v);
    Made *made = value_failed(model)
                     ? NULL
                     : object_new(vm, stager_of(vm)->made_type, sizeof *made);
    if (made == NULL) {
        release(vm, model);
        return VALUE_FAIL;
    }
    made->model = model;
    made->content = VALUE_NONE;
    return value_from_object(made);
}

Type *made_class(Vm *vm, Value v)
{
    v = made_is(vm, v) ? ((Made *)value_object(v))->model : v;
    return value_object(v)->type;
}

Value made_content(Vm *vm, Value v)
{
    return made_is(vm, v) ? value_retain(((Made *)value_object(v))->content)
                          : content_take(vm, value_object(v));
}

bool made_fill(Vm *vm, Value v, Value content)
{
    if (!made_is(vm, v)) {
        return content_put(vm, value_object(v), content);
    }
    value_replace(&vm->ctx, &((Made *)value_object(v))->content,
                  value_retain(content));
    return true;
}

static void made_destroy(Vm *vm, Object *object)
{
    Made *made = (Made *)object;
    release(vm, made->model);
    release(vm, made->content);
    object_free(vm, made, sizeof *made);
}

static void made_visit(Object *object, void (*visit)(Object *, void *),
                       void *data)
{
    Made *made = (Made *)object;
    values_visit(&made->model, 1, visit, data);
    values_visit(&made->content, 1, visit, data);
}

static void made_clear(Vm *vm, Object *object)
{
    value_replace(&vm->ctx, &((Made *)object)->content, VALUE_NONE);
}

const TypeDef made_type_def = {
    .name = "made",
    .doc = "An object that each call of a staged function makes anew.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Made),
    .flags = TYPE_FINAL | TYPE_TRACKED,
    .slots = {.destroy = made_destroy,
              .visit = made_visit,
              .clear = made_clear},
};
