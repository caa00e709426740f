// Objects all of whose slots raise what they stand for.
//
// Invariant: a container that became one holds one element, or one entry with
// the key None, and that is the value which has the text.
#include "stager/poison.h"

#include <string.h>

#include "interp/core/raise.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/content.h"
#include "stager/either.h"
#include "stager/leak.h"
#include "stager/maybe.h"
#include "stager/staged_list.h"
#include "stager/stager.h"
#include "stager/trace.h"
#include "stager/undecided.h"

typedef struct Poison {
    Object head;
    Str *text; // counted
    ErrorKind kind;
    Value choice;           // owned; UNBOUND: none
    const GraphBlock *home; // that sees it; NULL: any that sees the condition
    bool absent; // an attribute: the choice is of its value, or there is none
    Type *cls;   // of the deque that it stands for, counted; else NULL
} Poison;

static int index_of(Vm *vm, Value v)
{
    const Stager *stager = stager_of(vm);
    // None is left when the Vm is on its way out.
    bool may = stager != NULL && value_is_kind(v, KIND_OPAQUE);
    for (int i = 0; may && i < POISON_TYPES; i++) {
        if (value_object(v)->type == stager->poison_types[i]) {
            return i;
        }
    }
    return -1;
}

bool poison_is(Vm *vm, Value v)
{
    return index_of(vm, v) >= 0;
}

bool poison_is_value(Vm *vm, Value v)
{
    return index_of(vm, v) == POISON_VALUE;
}

bool poison_is_dict(Vm *vm, Value v)
{
    return index_of(vm, v) == POISON_DICT;
}

Value poison_of(Vm *vm, Value v)
{
    Value key = VALUE_UNBOUND, held = v;
    uint32_t position = 0;
    size_t at = 0;
    switch (index_of(vm, v)) {
    case POISON_LIST: held = value_as_list(v)->items[0]; break;
    case POISON_DICT:
        (void)dict_next(value_as_dict(v), &position, &key, &held);
        break;
    case POISON_SET:
        (void)set_next((const Set *)value_object(v), &at, &held);
        break;
    case POISON_DEQUE: held = deque_item(v, 0); break;
    default: break;
    }
    return held;
}

static Value give_up(Vm *vm, const Poison *poison, ErrorKind kind)
{
    Value tensor = either_leaked(vm, poison->choice);
    if (!value_unbound(tensor)) {
        return leak_fail(vm, NULL, value_as_symbolic(tensor));
    }
    if (vm->trace != NULL) {
        vm->trace->gave_up = true;
    }
    return raise_error(vm, kind, "%s", poison->text->text);
}

Value poison_raise(Vm *vm, Value v)
{
    const Poison *poison = (const Poison *)value_object(poison_of(vm, v));
    return give_up(vm, poison, poison->kind);
}

// No AttributeError, which who asks would take for an answer.
bool poison_decided(Vm *vm, Value v)
{
    if (!poison_is(vm, v)) {
        return true;
    }
    const Poison *poison = (const Poison *)value_object(poison_of(vm, v));
    (void)give_up(vm, poison,
                  poison->kind == ERR_ATTRIBUTE ? ERR_TYPE : poison->kind);
    return false;
}

// --- slots ---

static Value use(Vm *vm, Value self)
{
    return poison_raise(vm, self);
}

static bool use_hash(Vm *vm, Value self, uint64_t *hash)
{
    (void)hash;
    (void)poison_raise(vm, self);
    return false;
}

static Value use_either(Vm *vm, Value a, Value b)
{
    return poison_raise(vm, poison_is(vm, a) ? a : b);
}

static Value use_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    (void)op;
    return use_either(vm, a, b);
}

static Value compare_value(Vm *vm, CompareOp op, Value a, Value b)
{
    return value_is_none(a) || value_is_none(b) ? maybe_compare(vm, op, a, b)
                                                : use_either(vm, a, b);
}

static Value use_unary(Vm *vm, UnaryOp op, Value self)
{
    (void)op;
    return poison_raise(vm, self);
}

static Value use_binary(Vm *vm, BinaryOp op, Value a, Value b)
{
    (void)op;
    return use_either(vm, a, b);
}

static Value use_attr(Vm *vm, Value self, Str *name)
{
    const Poison *poison = (const Poison *)value_object(self);
    Value held = name == vm->names[NAME_TENSOR]
                     ? attr_get_generic(vm, self, name)
                     : maybe_attr(vm, self, name);
    // A SymbolicError is an AttributeError, too, which who looks takes for
    // none.
    return !value_unbound(held)
               ? held
               : give_up(vm, poison,
                         poison->kind == ERR_SYMBOLIC ? ERR_TYPE
                                                      : poison->kind);
}

static void poison_destroy(Vm *vm, Object *self)
{
    object_release(&vm->ctx, ((Poison *)self)->text);
    release(vm, ((Poison *)self)->choice);
    object_release_null(&vm->ctx, ((Poison *)self)->cls);
    object_free(vm, self, sizeof(Poison));
}

static void poison_visit(Object *self, void (*visit)(Object *child, void *data),
                         void *data)
{
    values_visit(&((Poison *)self)->choice, 1, visit, data);
}

static void poison_clear(Vm *vm, Object *self)
{
    value_replace(&vm->ctx, &((Poison *)self)->choice, VALUE_UNBOUND);
}

// --- what may be None, where it is known ---
//
// Elsewhere it raises its text.

static Value known_value(Vm *vm, Value self)
{
    Value known = maybe_known(vm, self);
    return value_unbound(known) ? poison_raise(vm, self) : known;
}

// A slot that does with `known` what the value's own one does.
#define KNOWN_SLOT(type, slot, failed, does, ...)                              \
    static type known_##slot(Vm *vm, __VA_ARGS__)                              \
    {                                                                          \
        Value known = known_value(vm, self);                                   \
        return value_failed(known) ? (failed) : (does);                        \
    }

KNOWN_SLOT(int, truth, -1, value_truth(vm, known), Value self)
KNOWN_SLOT(int64_t, length, -1, value_length(vm, known), Value self)
KNOWN_SLOT(int, contains, -1, value_contains(vm, known, item), Value self,
           Value item)
KNOWN_SLOT(Value, iter, known, value_iter(vm, known), Value self)
KNOWN_SLOT(Value, call, known, vm_call_keywords(vm, known, args, count, names),
           Value self, const Value *args, uint32_t count, Tuple *names)
KNOWN_SLOT(bool, store, false, value_set_item(vm, known, key, item), Value self,
           Value key, Value item)
KNOWN_SLOT(bool, set_attr, false, value_set_attr(vm, known, name, value),
           Value self, Str *name, Value value)
KNOWN_SLOT(Value, repr, known, value_or_fail(value_repr(vm, known)), Value self)
KNOWN_SLOT(Value, str, known, value_or_fail(value_str(vm, known)), Value self)
KNOWN_SLOT(Value, format, known, value_or_fail(value_format(vm, known, spec)),
           Value self, Str *spec)

static Value method_tensor(Vm *vm, Value *args)
{
    Value known = known_value(vm, args[0]);
    return value_failed(known)
               ? known
               : tensor_from_value(vm, "tensor", known, DT_NONE);
}

static const NativeDef value_methods[] = {
    {"__tensor__", "self, /", method_tensor, "The value, where it is known."},
    {NULL, NULL, NULL, NULL},
};

static Value use_container_attr(Vm *vm, Value self, Str *name)
{
    return name == vm->names[NAME_LEN] || name == vm->names[NAME_CONTAINS]
               ? attr_get_generic(vm, self, name)
               : undecided_attr(vm, self, name);
}

// What all share; each adds how it is freed. Nothing is known of a container.
#define POISON_SLOTS                                                           \
    .hash = use_hash, .next = use, .index = use, .to_int = use,                \
    .to_float = use, .binary = use_binary, .repr = known_repr,                 \
    .str = known_str, .format = known_format, .truth = known_truth,            \
    .length = known_length, .contains = known_contains, .iter = known_iter,    \
    .call = known_call, .set_attr = known_set_attr, .traced_cast = maybe_cast

#define POISON_DOC "What two sides of a staged block left apart."

#define POISON_CONTAINER(layout)                                               \
    {                                                                          \
        .name = "undecided", .doc = POISON_DOC, .kind = KIND_OPAQUE,           \
        .size = sizeof(layout), .flags = TYPE_FINAL | TYPE_TRACKED,            \
        .slots = {.compare = use_compare,                                      \
                  .unary = use_unary,                                          \
                  .get_attr = use_container_attr,                              \
                  .inplace = undecided_inplace,                                \
                  .get_item = undecided_item,                                  \
                  .set_item = undecided_store,                                 \
                  POISON_SLOTS},                                               \
        .methods = undecided_methods,                                          \
    }

const TypeDef poison_type_defs[POISON_TYPES] = {
    [POISON_VALUE] =
        {
            .name = "undecided",
            .doc = POISON_DOC,
            .kind = KIND_OPAQUE,
            .size = sizeof(Poison),
            .flags = TYPE_FINAL | TYPE_TRACKED,
            .slots = {.destroy = poison_destroy,
                      .visit = poison_visit,
                      .clear = poison_clear,
                      .compare = compare_value,
                      .unary = maybe_unary,
                      .get_attr = use_attr,
                      .inplace = use_binary,
                      .get_item = maybe_item,
                      .set_item = known_store,
                      POISON_SLOTS},
            .methods = value_methods,
        },
    [POISON_LIST] = POISON_CONTAINER(List),
    [POISON_DICT] = POISON_CONTAINER(Dict),
    [POISON_SET] = POISON_CONTAINER(Set),
    [POISON_DEQUE] = POISON_CONTAINER(Object), // the layout is the ring's own
};

static const Kind kinds[POISON_TYPES] = {
    [POISON_VALUE] = KIND_OPAQUE, [POISON_LIST] = KIND_LIST,
    [POISON_DICT] = KIND_DICT,    [POISON_SET] = KIND_SET,
    [POISON_DEQUE] = KIND_OPAQUE,
};

// Its own class knows what stands in front of it in memory.
static void destroy_deque(Vm *vm, Object *self)
{
    poison_lift(vm, self);
    self->type->slots.destroy(vm, self);
}

// It holds its class as long as it holds what is undecided, no longer.
static void clear_deque(Vm *vm, Object *self)
{
    poison_lift(vm, self);
    self->type->slots.clear(vm, self);
}

void poison_adopt(Vm *vm, Type *const *types)
{
    for (int i = POISON_LIST; i < POISON_TYPES; i++) {
        const TypeSlots *own = i == POISON_DEQUE ? &deque_type_def.slots
                                                 : &vm->types[kinds[i]]->slots;
        types[i]->slots.destroy =
            i == POISON_DEQUE ? destroy_deque : own->destroy;
        types[i]->slots.visit = own->visit;
        types[i]->slots.clear = i == POISON_DEQUE ? clear_deque : own->clear;
    }
}

// --- making ---

Value poison_new(Vm *vm, ErrorKind kind, const char *text, Value choice)
{
    Type *type = stager_of(vm)->poison_types[POISON_VALUE];
    Str *copy = str_from(vm, text);
    Poison *poison = copy != NULL ? object_new(vm, type, sizeof *poison) : NULL;
    if (poison == NULL) {
        object_release_null(&vm->ctx, copy);
        return VALUE_FAIL;
    }
    poison->text = copy;
    poison->kind = kind;
    poison->choice = value_retain(choice);
    poison->home = NULL;
    poison->absent = false;
    poison->cls = NULL;
    // Who asks whether it is something else is told.
    poison->head.flags |= OBJECT_STANDS_IN;
    return value_from_object(poison);
}

Value poison_value(Vm *vm, ErrorKind kind, const char *text, Value choice)
{
    Value made = poison_new(vm, kind, text, choice);
    if (!value_failed(made)) {
        ((Poison *)value_object(made))->home = vm->trace->block;
    }
    return made;
}

Value poison_again(Vm *vm, Value v, Value choice)
{
    const Poison *poison = (const Poison *)value_object(poison_of(vm, v));
    return poison_new(vm, poison->kind, poison->text->text, choice);
}

Value poison_absent(Vm *vm, ErrorKind kind, const char *text, Value choice)
{
    Value made = poison_value(vm, kind, text, choice);
    if (!value_failed(made)) {
        ((Poison *)value_object(made))->absent = true;
    }
    return made;
}

Value poison_left(Vm *vm, Value v)
{
    const Poison *poison = (const Poison *)value_object(poison_of(vm, v));
    return poison->absent ? VALUE_UNBOUND : poison->choice;
}

static Value seen(Vm *vm, const Poison *poison, const GraphBlock *block)
{
    Value choice = poison->choice;
    bool seen = !value_unbound(choice) && either_is_seen(vm, choice, block);
    while (seen && poison->home != NULL && block != poison->home) {
        block = block->parent;
        seen = block != NULL;
    }
    return seen ? choice : VALUE_UNBOUND;
}

Value poison_choice(Vm *vm, Value v, const GraphBlock *block)
{
    const Poison *poison = (const Poison *)value_object(poison_of(vm, v));
    return poison->absent ? VALUE_UNBOUND : seen(vm, poison, block);
}

Value poison_there(Vm *vm, Value v, const GraphBlock *block)
{
    const Poison *poison = (const Poison *)value_object(v);
    return poison->absent ? seen(vm, poison, block) : VALUE_UNBOUND;
}

bool poison_fits(Vm *vm, const Object *container)
{
    return container->kind == KIND_LIST || container->kind == KIND_DICT ||
                   container->kind == KIND_SET
               ? container->type == vm->types[container->kind]
           : deque_is(value_from_object((Object *)container))
               ? content_attributes((Object *)container) == NULL
               : staged_list_is(vm, value_from_object((Object *)container));
}

// A container with the one element; NONE for a kind that cannot be.
static Value holder_of(Vm *vm, const Object *container, Value poison)
{
    Value self = value_from_object((Object *)container);
    if (staged_list_fits(vm, self) || deque_is(self)) {
        List *list = list_new(vm, 1);
        if (list != NULL) {
            list->items[0] = value_retain(poison);
        }
        return value_or_fail(list);
    }
    if (container->kind == KIND_DICT) {
        Dict *dict = dict_new(vm);
        if (dict != NULL && !dict_set(vm, dict, VALUE_NONE, poison)) {
            object_release(&vm->ctx, dict);
            dict = NULL;
        }
        return value_or_fail(dict);
    }
    // Its hash is never asked again: None stands in, and is replaced.
    Set *set = set_new(vm, false);
    if (set != NULL && set_add(vm, set, VALUE_NONE)) {
        for (size_t i = 0; i <= set->mask; i++) {
            if (value_same(set->table[i].key, VALUE_NONE)) {
                set->table[i].key = value_retain(poison);
            }
        }
        return value_from_object(set);
    }
    object_release_null(&vm->ctx, set);
    return VALUE_FAIL;
}

bool poison_put(Vm *vm, Object *container, Value poison)
{
    Value holder = holder_of(vm, container, poison);
    Value parts[2] = {holder, VALUE_NONE};
    Tuple *content = value_failed(holder) ? NULL : tuple_from(vm, parts, 2);
    release(vm, holder);
    bool ok = content != NULL &&
              content_put(vm, container, value_from_object(content));
    object_release_null(&vm->ctx, content);
    Type *const *types = stager_of(vm)->poison_types;
    if (ok && deque_is(value_from_object(container))) {
        Poison *own = (Poison *)value_object(poison);
        object_release_null(&vm->ctx, own->cls);
        own->cls = container->type; // with its count
        container->type = object_retain(types[POISON_DEQUE]);
        return true;
    }
    for (int i = POISON_LIST; ok && i < POISON_DEQUE; i++) {
        if (kinds[i] == (Kind)container->kind) {
            container->type = object_retain(types[i]);
            container->kind = KIND_OPAQUE;
            break;
        }
    }
    return ok;
}

void poison_lift(Vm *vm, Object *container)
{
    int index = index_of(vm, value_from_object(container));
    if (index == POISON_DEQUE) {
        Value self = value_from_object(container);
        const Poison *own = (const Poison *)value_object(poison_of(vm, self));
        object_release(&vm->ctx, container->type);
        container->type = object_retain(own->cls);
    } else if (index > POISON_VALUE) {
        object_release(&vm->ctx, container->type);
        container->kind = (uint8_t)kinds[index];
        container->type = vm->types[kinds[index]];
    }
}
