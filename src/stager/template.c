// Laying a result's structure out, and filling it.
#include "stager/template.h"

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "stager/trace.h"

// Few levels, so that the recursion needs no count; items of a tuple stand on
// the C stack.
enum { TEMPLATE_DEEP = 6, TEMPLATE_WIDE = 16 };

// Where a dict has its key; they are plain, and the dict holds this very one.
static uint32_t place_of(const Dict *dict, Value key)
{
    uint32_t place = 0;
    while (!value_same(dict->entries[place].key, key)) {
        place++;
    }
    return place;
}

// Removed entries would leave other numbers in a copy.
static bool is_plain_dict(const Dict *dict)
{
    bool plain = dict->used == dict->count;
    for (uint32_t i = 0; plain && i < dict->count; i++) {
        plain = structure_is_plain(dict->entries[i].key);
    }
    return plain;
}

static bool lay(Vm *vm, Template *layout, TemplatePart part, int depth);

static bool lay_children(Vm *vm, Template *layout, const TemplatePart *part,
                         int depth)
{
    ValueVec children = {0}, keys = {0};
    const Dict *dict =
        part->kind == TEMPLATE_DICT ? value_as_dict(part->value) : NULL;
    bool ok = depth < TEMPLATE_DEEP && part->count <= TEMPLATE_WIDE &&
              (dict == NULL || (is_plain_dict(dict) &&
                                structure_keys(vm, part->value, &keys))) &&
              structure_children(vm, part->value, &children);
    for (uint32_t i = 0; ok && i < children.count; i++) {
        TemplatePart child = {.value = children.items[i], .place = i};
        if (dict != NULL) {
            child.place = place_of(dict, keys.items[i]);
        }
        ok = lay(vm, layout, child, depth + 1);
    }
    structure_free(vm, &keys);
    structure_free(vm, &children);
    return ok;
}

// False, without an error: the result has to be walked.
static bool lay(Vm *vm, Template *layout, TemplatePart part, int depth)
{
    Value v = part.value;
    switch (structure_kind(vm, v)) {
    case STRUCTURE_LEAF:
        part.kind =
            value_is_kind(v, KIND_SYMBOLIC) ? TEMPLATE_OUTPUT : TEMPLATE_SAME;
        return !symbolic_is_text(v) && vec_push(&vm->ctx, layout, part);
    case STRUCTURE_TUPLE:
        part.kind = TEMPLATE_TUPLE;
        part.count = (uint32_t)value_as_tuple(v)->count;
        break;
    case STRUCTURE_LIST:
        part.kind = TEMPLATE_LIST;
        part.count = (uint32_t)value_as_list(v)->count;
        break;
    case STRUCTURE_DICT:
        part.kind = TEMPLATE_DICT;
        part.count = value_as_dict(v)->count;
        break;
    case STRUCTURE_STAGED:
    case STRUCTURE_SET:
    case STRUCTURE_NAMED:
    case STRUCTURE_DATACLASS:
    case STRUCTURE_MADE: return false;
    }
    return vec_push(&vm->ctx, layout, part) &&
           lay_children(vm, layout, &part, depth);
}

bool template_lay(Vm *vm, Template *layout, Value result)
{
    if (!lay(vm, layout, (TemplatePart){.value = result}, 0)) {
        vec_free(&vm->ctx, layout);
    }
    return !vm_has_error(vm);
}

// A fill on its way.
typedef struct Filling {
    const TemplatePart *next;
    Tensor *const *outputs;
} Filling;

static Value fill(Vm *vm, Filling *filling);

static Value fill_tuple(Vm *vm, Filling *filling, uint32_t count)
{
    Value items[TEMPLATE_WIDE];
    uint32_t made = 0;
    bool ok = true;
    while (ok && made < count) {
        items[made] = fill(vm, filling);
        ok = !value_failed(items[made]);
        made += ok;
    }
    Tuple *tuple = !ok          ? NULL
                   : count == 0 ? tuple_new(vm, 0)
                                : tuple_take(vm, items, count);
    for (uint32_t i = 0; tuple == NULL && i < made; i++) {
        release(vm, items[i]);
    }
    return value_or_fail(tuple);
}

static Value fill_list(Vm *vm, Filling *filling, uint32_t count)
{
    List *list = list_new(vm, count);
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        Value item = fill(vm, filling);
        if (value_failed(item)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
        list->items[i] = item;
    }
    return value_or_fail(list);
}

// Keys and their order are the model's; nothing is hashed.
static Value fill_dict(Vm *vm, Filling *filling, const TemplatePart *part)
{
    Dict *dict = dict_copy(vm, value_as_dict(part->value));
    for (uint32_t i = 0; dict != NULL && i < part->count; i++) {
        uint32_t place = filling->next->place;
        Value item = fill(vm, filling);
        if (value_failed(item)) {
            object_release(&vm->ctx, dict);
            return VALUE_FAIL;
        }
        value_replace(&vm->ctx, &dict->entries[place].value, item);
    }
    return value_or_fail(dict);
}

static Value fill(Vm *vm, Filling *filling)
{
    const TemplatePart *part = filling->next++;
    switch (part->kind) {
    case TEMPLATE_OUTPUT:
        return tensor_adopt(vm, object_retain(*filling->outputs++));
    case TEMPLATE_TUPLE: return fill_tuple(vm, filling, part->count);
    case TEMPLATE_LIST: return fill_list(vm, filling, part->count);
    case TEMPLATE_DICT: return fill_dict(vm, filling, part);
    case TEMPLATE_SAME: break;
    }
    return value_retain(part->value);
}

Value template_fill(Vm *vm, const Template *layout, Tensor *const *outputs)
{
    Filling filling = {layout->items, outputs};
    return fill(vm, &filling);
}
