// Instances of classes written in Duet: shapes, slots, dict mode.
//
// Invariant: an Instance in shape mode has shape->count live slots and room
// for slot_capacity; one in dict mode has shape NULL and its dict.
#include "interp/objects/classes/obj_instance.h"

#include "interp/hooks/note.h"
#include "interp/objects/classes/obj_descriptor.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/objects/protocol/protocol.h"

// A block of that many unset slots. NULL: no memory.
static Value *make_block(Vm *vm, uint32_t count)
{
    Value *slots = ctx_alloc(&vm->ctx, count * sizeof *slots);
    for (uint32_t i = 0; slots != NULL && i < count; i++) {
        slots[i] = VALUE_UNBOUND;
    }
    return slots;
}

// The first shape is made with the first instance: a class that only serves as
// a base never needs one.
Instance *instance_new(Vm *vm, Type *cls)
{
    ObjectShape *shape = LIKELY(cls->root_shape != NULL)
                             ? cls->root_shape
                             : instance_first_shape(vm, cls);
    Value *block = NULL;
    if (shape == NULL || (UNLIKELY(cls->slot_count > INSTANCE_INLINE_SLOTS) &&
                          (block = make_block(vm, cls->slot_count)) == NULL)) {
        return NULL;
    }
    Instance *self = object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        ctx_free(&vm->ctx, block, cls->slot_count * sizeof *block);
        return NULL;
    }
    self->shape = shape;
    self->slots = block != NULL ? block : self->inline_slots;
    self->slot_capacity =
        block != NULL ? cls->slot_count : INSTANCE_INLINE_SLOTS;
    for (int i = 0; i < INSTANCE_INLINE_SLOTS; i++) {
        self->inline_slots[i] = VALUE_UNBOUND;
    }
    return self;
}

// A walk from leaf to root: a shape of depth n has its attribute in slot n - 1.
// Interned names compare by address; inline caches keep this off hot paths.
int32_t object_shape_find(const ObjectShape *shape, Str *name)
{
    for (; !shape->fixed; shape = shape->parent) {
        if (shape->name == name) {
            // A shape's own attribute is its last.
            return (int32_t)shape->count - 1;
        }
    }
    return -1;
}

// Children are few, as most classes set their attributes in one order, so a
// linear search does. The name is retained, the parent borrowed.
static ObjectShape *object_shape_add(Vm *vm, ObjectShape *shape, Str *name)
{
    // Instances that get the same attributes in the same order share their
    // shapes.
    for (uint32_t i = 0; i < shape->child_count; i++) {
        if (shape->children[i]->name == name) {
            return shape->children[i];
        }
    }
    if (shape->child_count == shape->child_capacity) {
        uint32_t capacity = shape->child_capacity * 2 + 1;
        // Grows with the number of different next attributes, which is mostly
        // 1.
        ObjectShape **children = ctx_realloc(
            &vm->ctx, shape->children, shape->child_capacity * sizeof *children,
            capacity * sizeof *children);
        if (children == NULL) {
            return NULL;
        }
        shape->children = children;
        shape->child_capacity = capacity;
    }
    ObjectShape *child = ctx_alloc_zero(&vm->ctx, sizeof *child);
    if (child == NULL) {
        return NULL;
    }
    child->cls = shape->cls;
    child->parent = shape;
    child->name = object_retain(name);
    child->count = shape->count + 1;
    shape->children[shape->child_count++] = child;
    return child;
}

// The shape of an instance of which nothing is set, below `shape`: it names
// what the __slots__ of cls and of its bases add, the farthest base first.
static ObjectShape *add_fixed(Vm *vm, ObjectShape *shape, const Type *cls)
{
    if (cls->slot_count == 0 || !ctx_enter(&vm->ctx)) {
        return cls->slot_count == 0 ? shape : NULL;
    }
    shape = add_fixed(vm, shape, cls->base);
    size_t own = cls->own_slots == NULL ? 0 : cls->own_slots->count;
    for (size_t i = 0; shape != NULL && i < own; i++) {
        shape =
            object_shape_add(vm, shape, value_as_str(cls->own_slots->items[i]));
        if (shape != NULL) {
            shape->fixed = true;
        }
    }
    ctx_leave(&vm->ctx);
    return shape;
}

ObjectShape *instance_first_shape(Vm *vm, Type *cls)
{
    if (cls->root_shape != NULL) {
        return cls->root_shape;
    }
    ObjectShape *root = ctx_alloc_zero(&vm->ctx, sizeof *root);
    if (root == NULL) {
        return NULL;
    }
    root->cls = cls;
    root->fixed = true;
    cls->root_shape = add_fixed(vm, root, cls);
    if (cls->root_shape == NULL) {
        object_shape_free_tree(vm, root);
    }
    return cls->root_shape;
}

// Iterative, since a chain may be as long as a class has attributes. Above the
// first shape of a class stand those that its slots make.
void object_shape_free_tree(Vm *vm, ObjectShape *shape)
{
    while (shape != NULL && shape->parent != NULL) {
        shape = shape->parent;
    }
    while (shape != NULL) {
        if (shape->child_count > 0) {
            shape = shape->children[--shape->child_count];
            continue;
        }
        // Leaves go first; the parent's child_count has been lowered on the way
        // down.
        ObjectShape *parent = shape->parent;
        ctx_free(&vm->ctx, shape->children,
                 shape->child_capacity * sizeof *shape->children);
        object_release_null(&vm->ctx, shape->name);
        ctx_free(&vm->ctx, shape, sizeof *shape);
        shape = parent;
    }
}

// An Instance is no case here: its dict exists in dict mode only.
Dict **instance_dict_place(Object *self)
{
    switch (self->kind) {
    case KIND_EXCEPTION: return &((Exception *)self)->dict;
    case KIND_FUNCTION: return &((Function *)self)->dict;
    case KIND_MODULE: return &((Module *)self)->dict;
    case KIND_CLASSMETHOD:
    case KIND_STATICMETHOD: return &((MethodWrap *)self)->dict;
    default:
        return (self->type->flags & TYPE_DICT_AHEAD) != 0
                   ? object_dict_ahead(self)
                   : NULL;
    }
}

// A name that no dict or shape knows is UNBOUND, without an error.
Value instance_get(Vm *vm, Object *self, Str *name)
{
    (void)vm;
    Dict *dict = NULL;
    if (self->kind == KIND_INSTANCE) {
        Instance *instance = (Instance *)self;
        if (instance->shape != NULL) {
            int32_t slot = object_shape_find(instance->shape, name);
            return slot < 0 ? VALUE_UNBOUND : instance->slots[slot];
        }
        dict = instance->dict;
    } else {
        // A module, function, exception or an instance of a built-in layout.
        Dict **place = instance_dict_place(self);
        dict = place == NULL ? NULL : *place;
    }
    return dict == NULL ? VALUE_UNBOUND : dict_get_name(dict, name);
}

// The inline slots are copied out and not used again; they share their place
// with `dict`, which stays unused in shape mode.
static bool grow_slots(Vm *vm, Instance *self)
{
    uint32_t capacity = self->slot_capacity * 2 + 2;
    Value *slots = ctx_alloc(&vm->ctx, capacity * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < capacity; i++) {
        slots[i] = i < self->slot_capacity ? self->slots[i] : VALUE_UNBOUND;
    }
    if (self->slots != self->inline_slots) {
        ctx_free(&vm->ctx, self->slots, self->slot_capacity * sizeof *slots);
    }
    self->slots = slots;
    self->slot_capacity = capacity;
    return true;
}

// The shape changes last, so a failure leaves the instance as it was.
static bool add_slot(Vm *vm, Instance *self, Str *name, Value value)
{
    ObjectShape *shape = object_shape_add(vm, self->shape, name);
    if (shape == NULL ||
        (shape->count > self->slot_capacity && !grow_slots(vm, self))) {
        return false;
    }
    // The slot was UNBOUND, so nothing is released.
    self->slots[shape->count - 1] = value_retain(value);
    self->shape = shape;
    return true;
}

// An absent name is no error here; only a failed removal is.
static bool remove_from_dict(Vm *vm, Dict *dict, Str *name)
{
    return dict_remove(vm, dict, value_from_object(name)) >= 0;
}

// UNBOUND deletes.
static bool set_in_dict(Vm *vm, Dict *dict, Str *name, Value value)
{
    return value_unbound(value) ? remove_from_dict(vm, dict, name)
                                : dict_set_name(vm, dict, name, value);
}

// Stores in a slot as long as that is possible. A deletion, or more than
// SHAPE_MAX_SLOTS attributes, turns the instance into dict mode: shapes only
// ever grow.
static bool set_in_instance(Vm *vm, Instance *self, Str *name, Value value)
{
    if (self->shape != NULL && !value_unbound(value)) {
        int32_t slot = object_shape_find(self->shape, name);
        if (slot >= 0) {
            value_replace(&vm->ctx, &self->slots[slot], value_retain(value));
            return true;
        }
        if (self->shape->count - self->head.type->slot_count <
            SHAPE_MAX_SLOTS) {
            return add_slot(vm, self, name, value);
        }
    }
    Dict *dict = instance_dict(vm, &self->head);
    return dict != NULL && set_in_dict(vm, dict, name, value);
}

// The trace is told before the mode or the shape changes.
bool instance_set(Vm *vm, Object *self, Str *name, Value value)
{
    bool removal = value_unbound(value) && vm->trace != NULL;
    if ((removal && !note_question(vm, instance_get(vm, self, name))) ||
        !note_store_at(vm, self, str_value(name), value)) {
        return false;
    }
    if (self->kind == KIND_INSTANCE) {
        return set_in_instance(vm, (Instance *)self, name, value);
    }
    Dict *dict = instance_dict(vm, self);
    return dict != NULL && set_in_dict(vm, dict, name, value);
}

// The names of a shape stand leaf first; the dict wants them root first.
static bool fill_dict(Vm *vm, Instance *self, const ObjectShape *shape,
                      Dict *dict)
{
    const ObjectShape *path[SHAPE_MAX_SLOTS];
    uint32_t fixed = self->head.type->slot_count;
    uint32_t count = shape->count - fixed;
    for (; !shape->fixed; shape = shape->parent) {
        path[shape->count - 1 - fixed] = shape;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!dict_set_name(vm, dict, path[i]->name, self->slots[fixed + i])) {
            return false;
        }
    }
    return true;
}

// Everything that can fail comes first, so that a failure leaves shape mode
// whole. The dict is owned by the instance; the result is borrowed. What
// __slots__ names stays beside it, in a block of its own.
static Dict *to_dict_mode(Vm *vm, Instance *self)
{
    uint32_t count = self->shape->count, fixed = self->head.type->slot_count;
    Value *block = fixed == 0 ? NULL : make_block(vm, fixed);
    Dict *dict = fixed > 0 && block == NULL ? NULL : dict_new(vm);
    if (dict == NULL || !fill_dict(vm, self, self->shape, dict)) {
        ctx_free(&vm->ctx, block, fixed * sizeof *block);
        object_release_null(&vm->ctx, dict);
        return NULL;
    }
    for (uint32_t i = 0; i < fixed; i++) {
        block[i] = self->slots[i];
    }
    // The dict holds every value, so these releases free nothing.
    for (uint32_t i = fixed; i < count; i++) {
        release(vm, self->slots[i]);
    }
    if (self->slots != self->inline_slots) {
        ctx_free(&vm->ctx, self->slots, self->slot_capacity * sizeof(Value));
    }
    self->shape = NULL;
    self->slots = block;
    self->slot_capacity = fixed;
    self->dict = dict;
    dict->head.birth = self->head.birth; // what is stored in it is as old
    return dict;
}

Value *instance_fixed(Object *self, uint32_t index)
{
    Value *slots = self->kind == KIND_INSTANCE ? ((Instance *)self)->slots
                                               : object_prefix(self)->slots;
    return slots == NULL ? NULL : &slots[index];
}

// In front of a built-in layout the slots come with the first that is set.
Value *instance_fixed_place(Vm *vm, Object *self, uint32_t index)
{
    if (self->kind != KIND_INSTANCE && object_prefix(self)->slots == NULL) {
        object_prefix(self)->slots = make_block(vm, self->type->slot_count);
    }
    return instance_fixed(self, index);
}

// Borrowed. An Instance goes to dict mode and stays there, since the program
// may keep the dict and change it.
Dict *instance_dict(Vm *vm, Object *self)
{
    if (self->kind == KIND_INSTANCE) {
        Instance *instance = (Instance *)self;
        return instance->shape == NULL ? instance->dict
                                       : to_dict_mode(vm, instance);
    }
    Dict **place = instance_dict_place(self);
    if (place == NULL) {
        return raise_null(vm, ERR_ATTRIBUTE,
                          "'%s' object has no attribute '__dict__'",
                          type_name(self->type));
    }
    // NULL is returned, with ERR_MEMORY, if it cannot be made.
    if (*place == NULL) {
        *place = dict_new(vm);
        if (*place != NULL) {
            (*place)->head.birth = self->birth;
        }
    }
    return *place;
}
