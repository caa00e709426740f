// Objects of the program's classes that sides of a block make.
//
// As eager code leaves one of the two, there is one object behind the block
// whose attributes are merged one by one; it is made without code of its class.
// Of an object that one side alone leaves, the attributes become what the block
// yields, in place.
//
// Invariant: the trace has made the objects. Others live on outside, as what
// they are.
#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "stager/content.h"
#include "stager/era.h"
#include "stager/merge.h"
#include "stager/structure.h"

// What objects hold at the end of their sides; of one side alone `other` is
// NULL, and `side` says which.
typedef struct ObjectSides {
    Merge *merge;
    int side;
    const Tuple *content, *other;
} ObjectSides;

bool merge_is_object(Vm *vm, Value v)
{
    return value_is_kind(v, KIND_INSTANCE) &&
           era_has(vm, vm->trace->era, value_object(v));
}

// Owned.
static Value content_at(Merge *m, int side, Value v)
{
    const JournalEntry *entry =
        journal_find(&m->block->journal, value_object(v));
    return entry == NULL ? content_take(m->vm, value_object(v))
                         : value_retain(value_unbound(entry->ends[side])
                                            ? entry->saved
                                            : entry->ends[side]);
}

// As merge_values.
static Value merge_part(const ObjectSides *sides, Value a, Value b)
{
    Merge *m = sides->merge;
    if (sides->other == NULL) {
        return value_unbound(a) ? a : merge_single(m, sides->side, a);
    }
    m->name = NULL;
    m->may_be_none = true;
    Value merged = merge_values(m, a, b);
    if (value_unbound(merged) && !value_unbound(a)) {
        m->fault = m->fault == ERR_NONE ? ERR_TYPE : m->fault;
    }
    return merged;
}

// The same names on both sides.
static Value merge_names(const ObjectSides *sides, Dict *a, Dict *b)
{
    Vm *vm = sides->merge->vm;
    if (b != NULL && a->count != b->count) {
        sides->merge->fault = ERR_TYPE;
        return VALUE_UNBOUND;
    }
    Dict *dict = dict_copy(vm, a);
    uint32_t at = 0;
    Value key, value, merged = VALUE_NONE;
    while (dict != NULL && !value_unbound(merged) && !value_failed(merged) &&
           dict_next(dict, &at, &key, &value)) {
        Value other = VALUE_UNBOUND;
        int has = b != NULL ? dict_get(vm, b, key, &other) : 1;
        merged = has < 0 ? VALUE_FAIL : merge_part(sides, value, other);
        if (!value_unbound(merged) && !value_failed(merged)) {
            value_replace(&vm->ctx, &dict->entries[at - 1].value, merged);
        }
    }
    if (dict == NULL || value_unbound(merged) || value_failed(merged)) {
        object_release_null(&vm->ctx, dict);
        return dict == NULL ? VALUE_FAIL : merged;
    }
    return value_from_object(dict);
}

// One part of the content; as merge_values.
static Value merge_index(const ObjectSides *sides, size_t i)
{
    Value a = sides->content->items[i];
    Value b = sides->other != NULL ? sides->other->items[i] : VALUE_UNBOUND;
    if (i != CONTENT_ATTRIBUTES || !value_is_kind(a, KIND_DICT)) {
        return merge_part(sides, a, b);
    }
    return merge_names(sides, value_as_dict(a),
                       value_is_kind(b, KIND_DICT) ? value_as_dict(b) : NULL);
}

// Puts what the sides hold, merged, into `made`: NONE, or as merge_values.
static Value merge_into(const ObjectSides *sides, Value made)
{
    Vm *vm = sides->merge->vm;
    Tuple *content = tuple_new(vm, sides->content->count);
    Value merged = value_done(content != NULL);
    for (size_t i = 0; content != NULL && i < content->count; i++) {
        content->items[i] = VALUE_UNBOUND;
    }
    for (size_t i = 0; value_is_none(merged) && i < sides->content->count;
         i++) {
        Value part = merge_index(sides, i);
        bool ok =
            !value_failed(part) &&
            (!value_unbound(part) || value_unbound(sides->content->items[i]));
        content->items[i] = value_failed(part) ? VALUE_UNBOUND : part;
        merged = ok ? merged : part;
    }
    if (value_is_none(merged) &&
        !content_put(vm, value_object(made), value_from_object(content))) {
        merged = VALUE_FAIL;
    }
    object_release_null(&vm->ctx, content);
    return merged;
}

// Known from here on, so that an object which holds itself ends. `made` is
// taken.
static bool know(Merge *m, Value a, Value b, Value made)
{
    uint64_t pair[2] = {VALUE_BITS(a), VALUE_BITS(b)};
    return map_put(&m->pairs, (const char *)pair, sizeof pair,
                   m->copies.count) &&
           structure_push(m->vm, &m->copies, value_retain(made)) &&
           structure_push(m->vm, &m->copies, value_retain(a)) &&
           structure_push(m->vm, &m->copies, value_retain(b));
}

static const uint64_t *find_known(const Merge *m, Value a, Value b)
{
    uint64_t pair[2] = {VALUE_BITS(a), VALUE_BITS(b)};
    return map_get(&m->pairs, (const char *)pair, sizeof pair);
}

// It is made anew, and known before what it holds is merged.
static Value merge_new(Merge *m, Value a, Value b, const ObjectSides *sides)
{
    Vm *vm = m->vm;
    Instance *instance = instance_new(vm, value_object(a)->type);
    Value made = value_or_fail(instance);
    structure_stands_in(vm, made);
    size_t at = m->copies.count;
    Value merged = !value_failed(made) && know(m, a, b, made)
                       ? merge_into(sides, made)
                       : VALUE_FAIL;
    if (value_is_none(merged) &&
        !journal_joined(vm, made, a, b, block_line(m->block))) {
        merged = VALUE_FAIL;
    }
    if (!value_is_none(merged)) {
        if (m->copies.count > at) { // nor is it one elsewhere
            value_replace(&vm->ctx, &m->copies.items[at], VALUE_UNBOUND);
        }
        release(vm, made);
        return merged;
    }
    return made;
}

Value merge_objects(Merge *m, Value a, Value b)
{
    Vm *vm = m->vm;
    const uint64_t *known = find_known(m, a, b);
    if (known != NULL) {
        Value made = m->copies.items[*known];
        m->fault = value_unbound(made) ? ERR_TYPE : m->fault;
        return value_retain(made);
    }
    const char *name = m->name;
    bool may_be_none = m->may_be_none;
    Value first = content_at(m, 0, a);
    Value second = value_failed(first) ? first : content_at(m, 1, b);
    Value made = VALUE_FAIL;
    if (!value_failed(second)) {
        ObjectSides sides = {m, 0, value_as_tuple(first),
                             value_as_tuple(second)};
        made = merge_new(m, a, b, &sides);
    }
    release(vm, first);
    release(vm, second);
    m->name = name;
    m->may_be_none = may_be_none;
    return made;
}

Value merge_single_object(Merge *m, int side, Value v)
{
    Vm *vm = m->vm;
    if (!era_has(vm, m->block->era, value_object(v)) ||
        find_known(m, v, VALUE_UNBOUND) != NULL) {
        return value_retain(v); // who had it before sees the journal's
    }
    Value content = content_at(m, side, v);
    Value merged = VALUE_FAIL;
    if (!value_failed(content) && know(m, v, VALUE_UNBOUND, v)) {
        ObjectSides sides = {m, side, value_as_tuple(content), NULL};
        merged = merge_into(&sides, v);
    }
    release(vm, content);
    return value_is_none(merged) ? value_retain(v) : merged;
}
