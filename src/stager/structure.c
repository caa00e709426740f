// Structures: kinds, children in a fixed order, copies.
#include "stager/structure.h"

#include <stdlib.h>

#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/content.h"
#include "stager/made.h"
#include "stager/staged_list.h"

// Takes a result as it comes, so that calls nest: a failed one is passed on.
bool structure_push(Vm *vm, ValueVec *vec, Value owned)
{
    if (value_failed(owned)) {
        return false;
    }
    if (!vec_push(&vm->ctx, vec, owned)) {
        release(vm, owned);
        return false;
    }
    return true;
}

// The values, then the room.
void structure_free(Vm *vm, ValueVec *vec)
{
    for (size_t i = 0; i < vec->count; i++) {
        release(vm, vec->items[i]);
    }
    vec_free(&vm->ctx, vec);
}

// A class attribute by name, borrowed; UNBOUND if there is none or no memory
// to ask for it (the value is then a leaf, which is always right).
static Value class_attr(Vm *vm, Type *cls, const char *name)
{
    // Borrowed from the class, which outlives the walk.
    Str *key = str_intern(vm, name, strlen(name));
    Value found = key == NULL ? VALUE_FAIL : type_lookup(vm, cls, key);
    object_release_null(&vm->ctx, key);
    if (value_failed(found)) {
        raise_clear(vm);
        return VALUE_UNBOUND;
    }
    return found;
}

// Classes made by a class statement: named tuples and dataclasses.
static StructureKind heap_kind(Vm *vm, Value v)
{
    Type *cls = value_object(v)->type;
    if (staged_list_is(vm, v)) {
        return STRUCTURE_STAGED;
    }
    if (made_is(vm, v)) {
        return STRUCTURE_MADE;
    }
    if (cls->kind == KIND_TUPLE) {
        // The mark of collections.namedtuple, which typing.NamedTuple makes
        // too. What has attributes of its own is more than its items.
        const Dict *own = content_attributes(value_object(v));
        return value_unbound(class_attr(vm, cls, "_fields")) ||
                       (own != NULL && own->count > 0)
                   ? STRUCTURE_LEAF
                   : STRUCTURE_NAMED;
    }
    // Classes that extend list, dict and the like are leaves.
    if (cls->kind != KIND_INSTANCE) {
        return STRUCTURE_LEAF;
    }
    // The mark that the decorator leaves.
    Value fields = class_attr(vm, cls, "__dataclass_fields__");
    return value_is_kind(fields, KIND_DICT) ? STRUCTURE_DATACLASS
                                            : STRUCTURE_LEAF;
}

// Built-in kinds by layout; classes of the program only if they are marked as
// named tuples or dataclasses.
StructureKind structure_kind(Vm *vm, Value v)
{
    if (!value_is_object(v)) {
        return STRUCTURE_LEAF;
    }
    // The kind of an object says its layout only; a subclass of list has the
    // layout of a list but behaviour that a copy would lose.
    Type *cls = value_object(v)->type;
    // NULL: what is no object of the language, while a Vm starts.
    if (cls == NULL || cls->flags & TYPE_HEAP) {
        return cls == NULL ? STRUCTURE_LEAF : heap_kind(vm, v);
    }
    switch (value_object(v)->kind) {
    case KIND_LIST: return STRUCTURE_LIST;
    case KIND_TUPLE: return STRUCTURE_TUPLE;
    case KIND_DICT: return STRUCTURE_DICT;
    case KIND_SET:
    case KIND_FROZENSET: return STRUCTURE_SET;
    default: return STRUCTURE_LEAF;
    }
}

// Immediate values have no class of the program.
bool structure_is_plain(Value v)
{
    return (value_is_integer(v) || value_is_float(v) || value_is_str(v) ||
            value_is_kind(v, KIND_BYTES)) &&
           !(value_is_object(v) && value_object(v)->type->flags & TYPE_HEAP);
}

// A key and what it is sorted by: texts and ints among themselves by value,
// all else by hash (equal keys have equal hashes; where two differ and have
// the same, their order may differ from walk to walk and costs a retrace).
typedef struct SortKey {
    Value key;
    int group;       // 0 texts, 1 small ints, 2 the rest
    uint64_t number; // the int, or the hash
} SortKey;

// For qsort: groups in order, then within the group.
static int compare_keys(const void *left, const void *right)
{
    const SortKey *a = left, *b = right;
    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    // A text with NUL bytes compares up to the first one: such keys count as
    // equal here, and their order may differ.
    if (a->group == 0) {
        return strcmp(value_as_str(a->key)->text, value_as_str(b->key)->text);
    }
    if (a->group == 1) {
        int64_t x = (int64_t)a->number, y = (int64_t)b->number;
        return (x > y) - (x < y);
    }
    return (a->number > b->number) - (a->number < b->number);
}

// A text's order is that of its bytes, which no run of the program changes.
static bool sort_key(Vm *vm, Value key, SortKey *out)
{
    // Borrowed: the vector keeps the reference.
    *out = (SortKey){key, 2, 0};
    if (value_is_str(key)) {
        out->group = 0;
        return true;
    }
    if (value_is_int(key)) {
        out->group = 1;
        out->number = (uint64_t)value_small(key);
        return true;
    }
    return value_hash(vm, key, &out->number);
}

// Sorts the values themselves; the vector owns the same ones after it.
static bool sort_keys(Vm *vm, ValueVec *keys)
{
    // Never zero bytes, whatever the number of keys.
    size_t size = keys->count * sizeof(SortKey) + 1;
    SortKey *room = ctx_alloc(&vm->ctx, size);
    bool ok = room != NULL;
    for (size_t i = 0; ok && i < keys->count; i++) {
        ok = sort_key(vm, keys->items[i], &room[i]);
    }
    // The hashes were taken before: __hash__ of the program may raise, and
    // qsort cannot be left half-way.
    if (ok && keys->count > 1) {
        qsort(room, keys->count, sizeof *room, compare_keys);
        for (size_t i = 0; i < keys->count; i++) {
            // The same references in another order.
            keys->items[i] = room[i].key;
        }
    }
    ctx_free(&vm->ctx, room, size);
    return ok;
}

// In order of insertion.
static bool dict_keys(Vm *vm, const Dict *dict, ValueVec *out)
{
    uint32_t position = 0;
    Value key, value;
    while (dict_next(dict, &position, &key, &value)) {
        if (!structure_push(vm, out, value_retain(key))) {
            return false;
        }
    }
    return true;
}

// Whether the class computes what is under the name.
static bool is_computed(Vm *vm, Value v, Str *name)
{
    Type *cls = value_object(v)->type;
    Value found = type_lookup(vm, cls, name);
    return value_is_object(found) &&
           value_object(found)->type->slots.get_descriptor != NULL &&
           member_slot(found, cls) < 0;
}

// Fields that are set, in their order, which is part of the class.
static bool field_keys(Vm *vm, Value v, const Dict *fields, ValueVec *out,
                       bool *computed)
{
    uint32_t position = 0;
    bool ok = true;
    for (Value key, value; ok && dict_next(fields, &position, &key, &value);) {
        Str *name = value_as_str(key);
        bool here = !value_unbound(member_peek(vm, value_object(v), name));
        bool made = !here && is_computed(vm, v, name);
        *computed |= made;
        ok = !(here || made) || structure_push(vm, out, value_retain(key));
    }
    return ok;
}

// What the instance has that is no field, as a subclass or the program sets it.
static bool other_keys(Vm *vm, Value v, Dict *fields, ValueVec *out)
{
    Value content = content_take(vm, value_object(v));
    if (value_failed(content)) {
        return false;
    }
    Value own = value_as_tuple(content)->items[CONTENT_ATTRIBUTES];
    uint32_t position = 0;
    bool ok = true;
    for (Value key, value;
         ok && value_is_kind(own, KIND_DICT) &&
         dict_next(value_as_dict(own), &position, &key, &value);) {
        ok = !value_unbound(dict_get_name(fields, value_as_str(key))) ||
             structure_push(vm, out, value_retain(key));
    }
    release(vm, content);
    return ok;
}

// The caller knows that it is one. Where a field is computed the rest is what
// it is computed from.
static bool dataclass_keys(Vm *vm, Value v, ValueVec *out)
{
    Dict *fields = value_as_dict(
        class_attr(vm, value_object(v)->type, "__dataclass_fields__"));
    bool computed = false;
    return field_keys(vm, v, fields, out, &computed) &&
           (computed || other_keys(vm, v, fields, out));
}

// Sorted for dicts and sets, whose order is not part of what they are.
bool structure_keys(Vm *vm, Value v, ValueVec *out)
{
    StructureKind kind = structure_kind(vm, v);
    if (kind == STRUCTURE_DATACLASS) {
        return dataclass_keys(vm, v, out);
    }
    if (kind == STRUCTURE_DICT) {
        return dict_keys(vm, value_as_dict(v), out) && sort_keys(vm, out);
    }
    // For all other kinds the loop does nothing and `out` stays empty.
    size_t position = 0;
    Value key;
    while (kind == STRUCTURE_SET &&
           set_next((const Set *)value_object(v), &position, &key)) {
        if (!structure_push(vm, out, value_retain(key))) {
            return false;
        }
    }
    return sort_keys(vm, out);
}

// A walk owns what it walks over: host code may change the list meanwhile.
static bool push_items(Vm *vm, ValueVec *out, const Value *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!structure_push(vm, out, value_retain(items[i]))) {
            return false;
        }
    }
    return true;
}

// The child of a dict or a dataclass that belongs to a key, owned.
static Value child_of(Vm *vm, Value v, Value key, bool is_dict)
{
    if (!is_dict) {
        // A field is no read of a trace's, as an item is none.
        Value own = instance_get(vm, value_object(v), value_as_str(key));
        return value_unbound(own) ? value_get_attr(vm, v, value_as_str(key))
                                  : value_retain(own);
    }
    Value value;
    // A key may be gone since the keys were listed: __eq__ of the program runs
    // in between.
    int found = dict_get(vm, value_as_dict(v), key, &value);
    return found > 0    ? value_retain(value)
           : found == 0 ? raise_with(vm, ERR_KEY, key)
                        : VALUE_FAIL;
}

// A set has none: its elements are hashable, so none is a tensor.
bool structure_children(Vm *vm, Value v, ValueVec *out)
{
    StructureKind kind = structure_kind(vm, v);
    if (kind == STRUCTURE_LIST) {
        List *list = value_as_list(v);
        return push_items(vm, out, list->items, list->count);
    }
    if (kind == STRUCTURE_STAGED) {
        return push_items(vm, out, staged_list_parts(v), staged_list_count(v));
    }
    if (kind == STRUCTURE_TUPLE || kind == STRUCTURE_NAMED) {
        Tuple *tuple = value_as_tuple(v);
        return push_items(vm, out, tuple->items, tuple->count);
    }
    if (kind == STRUCTURE_MADE) {
        return structure_push(vm, out, made_content(vm, v));
    }
    if (kind != STRUCTURE_DICT && kind != STRUCTURE_DATACLASS) {
        return true;
    }
    // In the order of the keys, which two equal dicts share.
    ValueVec keys = {0};
    bool ok = structure_keys(vm, v, &keys);
    for (size_t i = 0; ok && i < keys.count; i++) {
        ok = structure_push(
            vm, out, child_of(vm, v, keys.items[i], kind == STRUCTURE_DICT));
    }
    structure_free(vm, &keys);
    return ok;
}

bool structure_each(Vm *vm, Value v, ChildFn each, void *data)
{
    ValueVec children = {0};
    if (!ctx_enter(&vm->ctx)) {
        return false;
    }
    bool ok = structure_children(vm, v, &children);
    for (size_t i = 0; ok && i < children.count; i++) {
        ok = each(vm, children.items[i], data);
    }
    structure_free(vm, &children);
    ctx_leave(&vm->ctx);
    return ok;
}

bool structure_step(Vm *vm, StructureKind kind, const ValueVec *keys,
                    size_t index, StrBuf *path)
{
    if (kind == STRUCTURE_DATACLASS) {
        strbuf_printf(path, ".%s", value_as_str(keys->items[index])->text);
        return true;
    }
    if (kind != STRUCTURE_DICT) {
        strbuf_printf(path, "[%zu]", index);
        return true;
    }
    Str *key = value_repr(vm, keys->items[index]);
    strbuf_printf(path, "[%s]", key != NULL ? key->text : "");
    object_release_null(&vm->ctx, key);
    return key != NULL;
}

// By identity: an equal list elsewhere on the path is no cycle.
bool structure_check_path(Vm *vm, const WalkPath *path, Value v)
{
    for (; path != NULL; path = path->outer) {
        if (path->container == value_object(v)) {
            return raise_false(vm, ERR_VALUE,
                               "a cyclic %s cannot pass through a staged "
                               "function",
                               type_name(type_of(vm, v)));
        }
    }
    return true;
}

// One walk.
typedef struct MapWalk {
    LeafFn leaf;
    OpensFn opens; // NULL: no object is
    MadeFn made;   // NULL: copies stay as they are
    void *data;
    bool shared;   // an object that stands in two places is mapped once
    bool met;      // one did
    StrBuf *path;  // of the leaf that is met; NULL: nobody asks
    ValueVec done; // those that were: each, then what became of it; owned
} MapWalk;

// What became of an object that was met before, borrowed; UNBOUND: none was.
static Value find_done(const MapWalk *walk, Value v)
{
    for (size_t i = 0; i < walk->done.count; i += 2) {
        if (value_same(walk->done.items[i], v)) {
            return walk->done.items[i + 1];
        }
    }
    return VALUE_UNBOUND;
}

static bool add_done(Vm *vm, MapWalk *walk, Value v, Value mapped)
{
    return !walk->shared ||
           (structure_push(vm, &walk->done, value_retain(v)) &&
            structure_push(vm, &walk->done, value_retain(mapped)));
}

static Value map_value(Vm *vm, Value v, MapWalk *walk, const WalkPath *path);

// What the object, or what stands for one, holds; a place of __slots__ may be
// empty.
static Value map_content(Vm *vm, Value v, MapWalk *walk, const WalkPath *path)
{
    Value content = made_content(vm, v);
    if (value_failed(content)) {
        return VALUE_FAIL;
    }
    const Tuple *from = value_as_tuple(content);
    Tuple *to = tuple_new(vm, from->count);
    bool ok = to != NULL;
    for (size_t i = 0; ok && i < from->count; i++) {
        Value mapped = value_unbound(from->items[i])
                           ? VALUE_UNBOUND
                           : map_value(vm, from->items[i], walk, path);
        ok = !value_failed(mapped);
        to->items[i] = ok ? mapped : VALUE_NONE;
    }
    release(vm, content);
    if (!ok) {
        object_release_null(&vm->ctx, to);
        return VALUE_FAIL;
    }
    return value_from_object(to);
}

// Known before what it holds, in which it may be met again.
static Value map_object(Vm *vm, Value v, MapWalk *walk, const WalkPath *path)
{
    Value twin = made_twin(vm, v);
    if (value_failed(twin)) {
        return VALUE_FAIL;
    }
    Value content = add_done(vm, walk, v, twin) ? map_content(vm, v, walk, path)
                                                : VALUE_FAIL;
    bool ok = !value_failed(content) && made_fill(vm, twin, content);
    release(vm, content);
    if (!ok) {
        release(vm, twin);
        return VALUE_FAIL;
    }
    structure_stands_in(vm, twin);
    return twin;
}

// The children are replaced one by one; the vector owns whatever it holds, so a
// failure in the middle leaks nothing.
static Value map_children(Vm *vm, Value v, MapWalk *walk, const WalkPath *path)
{
    // On the C stack: it ends with this call.
    WalkPath inner = {value_object(v), path};
    ValueVec children = {0}, keys = {0};
    StructureKind kind = structure_kind(vm, v);
    bool ok = structure_check_path(vm, path, v) &&
              structure_children(vm, v, &children) &&
              (walk->path == NULL || structure_keys(vm, v, &keys));
    for (size_t i = 0; ok && i < children.count; i++) {
        size_t length = walk->path != NULL ? walk->path->length : 0;
        ok = walk->path == NULL ||
             structure_step(vm, kind, &keys, i, walk->path);
        Value mapped =
            ok ? map_value(vm, children.items[i], walk, &inner) : VALUE_FAIL;
        ok = !value_failed(mapped);
        if (ok) {
            value_replace(&vm->ctx, &children.items[i], mapped);
        }
        if (walk->path != NULL) {
            walk->path->length = length;
        }
    }
    structure_free(vm, &keys);
    Value result = ok ? structure_rebuild(vm, v, &children) : VALUE_FAIL;
    structure_free(vm, &children);
    if (!value_failed(result) && !add_done(vm, walk, v, result)) {
        release(vm, result);
        return VALUE_FAIL;
    }
    return result;
}

// One level of the tree.
static Value map_value(Vm *vm, Value v, MapWalk *walk, const WalkPath *path)
{
    // A leaf ends the walk before any count of depth: most trees are one leaf.
    StructureKind kind = structure_kind(vm, v);
    if (kind == STRUCTURE_LEAF && (walk->opens == NULL || !made_fits(vm, v))) {
        return walk->leaf(vm, v, walk->data);
    }
    Value known = find_done(walk, v);
    if (!value_unbound(known)) {
        walk->met = true;
        return value_retain(known);
    }
    if (kind == STRUCTURE_LEAF && !walk->opens(vm, v, walk->data)) {
        return vm_has_error(vm) ? VALUE_FAIL : walk->leaf(vm, v, walk->data);
    }
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    Value result = kind == STRUCTURE_LEAF || kind == STRUCTURE_MADE
                       ? map_object(vm, v, walk, path)
                       : map_children(vm, v, walk, path);
    ctx_leave(&vm->ctx);
    return walk->made == NULL || value_failed(result)
               ? result
               : walk->made(vm, v, result, walk->data);
}

Value structure_map_named(Vm *vm, Value v, StrBuf *path, LeafFn leaf,
                          void *data)
{
    MapWalk walk = {.leaf = leaf, .data = data, .path = path};
    return map_value(vm, v, &walk, NULL);
}

Value structure_map(Vm *vm, Value v, LeafFn leaf, void *data)
{
    return structure_map_named(vm, v, NULL, leaf, data);
}

Value structure_map_state(Vm *vm, Value v, LeafFn leaf, MadeFn made, void *data)
{
    MapWalk walk = {.leaf = leaf, .made = made, .data = data};
    return map_value(vm, v, &walk, NULL);
}

Value structure_map_shared(Vm *vm, Value v, LeafFn leaf, OpensFn opens,
                           void *data, bool *met)
{
    MapWalk walk = {.leaf = leaf, .opens = opens, .data = data, .shared = true};
    Value result = map_value(vm, v, &walk, NULL);
    structure_free(vm, &walk.done);
    *met = walk.met;
    return result;
}

// All are known before any is walked: they may hold each other.
Value structure_map_placed(Vm *vm, Value v, const Placed *placed, LeafFn leaf,
                           OpensFn opens, void *data)
{
    MapWalk walk = {.leaf = leaf, .opens = opens, .data = data, .shared = true};
    bool ok = true;
    for (size_t i = 0; ok && i < placed->keys->count; i++) {
        ok = add_done(vm, &walk, placed->keys->items[i],
                      placed->places->items[i]);
    }
    for (size_t i = 0; ok && i < placed->keys->count; i++) {
        Value model = placed->models->items[i];
        ok = structure_push(vm, placed->made,
                            value_unbound(model)
                                ? VALUE_UNBOUND
                                : map_children(vm, model, &walk, NULL));
    }
    Value result = ok ? map_value(vm, v, &walk, NULL) : VALUE_FAIL;
    structure_free(vm, &walk.done);
    return result;
}

// The tensors stand in the order in which an earlier walk met the places.
Value structure_fill(Vm *vm, Value v, void *data)
{
    Fill *fill = data;
    // Whatever is no place keeps its value.
    return value_is_kind(v, fill->kind)
               ? tensor_adopt(vm, object_retain(fill->tensors[fill->next++]))
               : value_retain(v);
}
