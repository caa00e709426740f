// How a guard is made: what a call is, value by value.
//
// Invariant: a node says all that the key of a trace has of its value, or more;
// where there is doubt (objects with __tensor__, sets, keys whose equality runs
// code) there is no guard. Nothing here runs host code.
#include "graph/build.h"
#include "interp/core/raise.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "stager/guard.h"

typedef struct GuardMaking {
    Guard *guard;
    const Variable *variables[GUARD_MAX_NODES]; // by place, borrowed
} GuardMaking;

void guard_clear(Vm *vm, Guard *guard)
{
    // The guard first: releasing a value may run host code, which may call the
    // staged function again.
    Guard old = *guard;
    *guard = (Guard){.instance = VALUE_UNBOUND};
    object_release_null(&vm->ctx, old.names);
    object_release_null(&vm->ctx, old.defaults);
    for (size_t i = 0; i < old.nodes.count; i++) {
        const GuardNode *node = &old.nodes.items[i];
        release(vm, node->key);
        if (node->kind == GUARD_SAME && structure_is_plain(node->same)) {
            release(vm, node->same);
        }
    }
    vec_free(&vm->ctx, &old.nodes);
}

// The place that holds it: in its bucket, or among those of its trace.
static Guard **place_in_bucket(const Guards *guards, const Guard *guard)
{
    Guard **place = &guards->buckets[guard->hash & (guards->size - 1)];
    while (*place != guard) {
        place = &(*place)->next;
    }
    return place;
}

static void take_out(Vm *vm, Guards *guards, Guard *guard)
{
    Guard **place = &guard->concrete->guards;
    while (*place != guard) {
        place = &(*place)->sibling;
    }
    *place = guard->sibling;
    *place_in_bucket(guards, guard) = guard->next;
    guards->count--;
    guards->last = guards->last == guard ? NULL : guards->last;
    guard_clear(vm, guard);
    ctx_free(&vm->ctx, guard, sizeof *guard);
}

void guards_drop(Vm *vm, Guards *guards, Concrete *concrete)
{
    while (concrete->guards != NULL) {
        take_out(vm, guards, concrete->guards);
    }
}

void guards_clear(Vm *vm, Guards *guards)
{
    for (uint32_t i = 0; i < guards->size; i++) {
        while (guards->size > 0 && guards->buckets[i] != NULL) {
            take_out(vm, guards, guards->buckets[i]);
        }
    }
    if (guards->count == 0) {
        ctx_free(&vm->ctx, guards->buckets,
                 guards->size * sizeof *guards->buckets);
        guards->buckets = NULL;
        guards->size = 0;
    }
}

static void guard_visit(const Guard *guard, void (*visit)(Object *, void *),
                        void *data)
{
    if (guard->names != NULL) {
        visit((Object *)guard->names, data);
    }
    if (guard->defaults != NULL) {
        visit((Object *)guard->defaults, data);
    }
    for (size_t i = 0; i < guard->nodes.count; i++) {
        const GuardNode *node = &guard->nodes.items[i];
        values_visit(&node->key, 1, visit, data);
        if (node->kind == GUARD_SAME) {
            values_visit(&node->same, structure_is_plain(node->same), visit,
                         data);
        }
    }
}

void guards_visit(const Guards *guards, void (*visit)(Object *, void *),
                  void *data)
{
    for (uint32_t i = 0; i < guards->size; i++) {
        const Guard *guard = guards->buckets[i];
        for (; guard != NULL; guard = guard->next) {
            guard_visit(guard, visit, data);
        }
    }
}

// What a class of the program's says of its instances may change.
static void note_class(Vm *vm, Guard *guard, const Type *cls)
{
    if (cls->flags & TYPE_HEAP) {
        guard->epoch = vm->epoch;
    }
}

// A leaf for which being the same value is enough to be the same argument.
// Numbers and the like are immediate: equal bits are the same value.
static bool make_same(Vm *vm, GuardMaking *making, Value v, GuardNode *node)
{
    if (value_is_object(v)) {
        if (value_is_operand(v) || signature_is_tensor(vm, v)) {
            return false;
        }
        note_class(vm, making->guard, value_object(v)->type);
    }
    node->kind = GUARD_SAME;
    node->same = structure_is_plain(v) ? value_retain(v) : v;
    return true;
}

// Only sizes that stand in the tensor itself are compared quickly. Copied and
// not borrowed: the tensor may be gone by the next call.
static bool make_type(const Tensor *tensor, GuardNode *node)
{
    if (tensor->rank > TENSOR_INLINE_RANK) {
        return false;
    }
    node->dtype = tensor->dtype;
    node->rank = tensor->rank;
    for (int i = 0; i < tensor->rank; i++) {
        node->dims[i] = tensor->inline_dims[i];
    }
    return true;
}

// Numbered in the order of first appearance, as in the key.
static bool make_variable(Vm *vm, GuardMaking *making, Value v, GuardNode *node)
{
    const Variable *variable = value_as_variable(v);
    Guard *guard = making->guard;
    if (!signature_is_variable(v) || variable->stands_for != NULL ||
        variable->cell.declared != NULL) {
        return false;
    }
    node->kind = GUARD_VARIABLE;
    node->cls = variable->head.type;
    node->trainable = variable->trainable;
    note_class(vm, guard, node->cls);
    while (node->place < guard->variables &&
           making->variables[node->place] != variable) {
        node->place++;
    }
    if (node->place == guard->variables) {
        making->variables[guard->variables++] = variable;
    }
    return make_type(variable->cell.value, node);
}

static bool add_value(Vm *vm, GuardMaking *making, Value v, GuardNode node);

static bool add_items(Vm *vm, GuardMaking *making, const Value *items,
                      size_t count)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = add_value(vm, making, items[i],
                       (GuardNode){.index = (uint32_t)i, .key = VALUE_NONE});
    }
    return ok;
}

// Whether a key is itself, whatever the program does.
static bool is_plain_key(Value key)
{
    return !value_is_object(key) || structure_is_plain(key);
}

// The entry of a key of this very dict.
static uint32_t entry_of(const Dict *dict, Value key)
{
    uint32_t at = 0;
    while (!value_same(dict->entries[at].key, key)) {
        at++;
    }
    return at;
}

// By their keys, and by the order of these, which the trace may have looked at.
static bool add_entries(Vm *vm, GuardMaking *making, const Dict *dict)
{
    ValueVec keys = {0};
    bool ok = dict->used == dict->count && dict->count <= GUARD_MAX_NODES;
    for (uint32_t i = 0; ok && i < dict->count; i++) {
        ok = is_plain_key(dict->entries[i].key);
    }
    ok = ok && structure_keys(vm, value_from_object((Object *)dict), &keys);
    for (size_t i = 0; ok && i < keys.count; i++) {
        uint32_t at = entry_of(dict, keys.items[i]);
        ok = add_value(
            vm, making, dict->entries[at].value,
            (GuardNode){.index = at, .key = value_retain(keys.items[i])});
    }
    structure_free(vm, &keys);
    return ok;
}

// A field that the instance itself has is no read of anything else.
static bool add_fields(Vm *vm, GuardMaking *making, Value v, size_t *count)
{
    const Instance *instance = (const Instance *)value_object(v);
    ValueVec keys = {0};
    bool ok = instance->head.kind == KIND_INSTANCE && instance->shape != NULL &&
              structure_keys(vm, v, &keys);
    *count = keys.count;
    for (size_t i = 0; ok && i < keys.count; i++) {
        int32_t slot =
            object_shape_find(instance->shape, value_as_str(keys.items[i]));
        ok = slot >= 0 &&
             add_value(vm, making, instance->slots[slot],
                       (GuardNode){.index = (uint32_t)slot, .key = VALUE_NONE});
    }
    structure_free(vm, &keys);
    return ok;
}

// A structure's node stands already, at `at`; a cyclic one is too long.
static bool add_structure(Vm *vm, GuardMaking *making, Value v,
                          StructureKind kind, size_t at)
{
    Guard *guard = making->guard;
    size_t count = 0;
    bool ok = false;
    guard->deep = true;
    note_class(vm, guard, value_object(v)->type);
    guard->nodes.items[at].cls = value_object(v)->type;
    if (kind == STRUCTURE_LIST) {
        List *list = value_as_list(v);
        guard->nodes.items[at].kind = GUARD_LIST;
        count = list->count;
        ok = add_items(vm, making, list->items, count);
    } else if (kind == STRUCTURE_TUPLE || kind == STRUCTURE_NAMED) {
        Tuple *tuple = value_as_tuple(v);
        guard->nodes.items[at].kind = GUARD_TUPLE;
        count = tuple->count;
        ok = add_items(vm, making, tuple->items, count);
    } else if (kind == STRUCTURE_DICT) {
        guard->nodes.items[at].kind = GUARD_DICT;
        count = value_as_dict(v)->count;
        ok = add_entries(vm, making, value_as_dict(v));
    } else if (kind == STRUCTURE_DATACLASS) {
        guard->nodes.items[at].kind = GUARD_FIELDS;
        guard->nodes.items[at].shape =
            ((const Instance *)value_object(v))->shape;
        ok = add_fields(vm, making, v, &count);
    }
    guard->nodes.items[at].place = (uint32_t)count;
    return ok;
}

// False: no guard can tell that another value is alike. Takes the node's key.
static bool add_value(Vm *vm, GuardMaking *making, Value v, GuardNode node)
{
    Guard *guard = making->guard;
    StructureKind kind = structure_kind(vm, v);
    bool leaf = kind == STRUCTURE_LEAF;
    size_t at = guard->nodes.count;
    bool ok = at < GUARD_MAX_NODES && !value_unbound(v);
    // A structure is one of no kind as yet.
    node.same = VALUE_NONE;
    node.kind = GUARD_LIST;
    if (ok && value_is_tensor(v)) {
        node.kind = GUARD_TENSOR;
        node.place = guard->tensors++;
        ok = make_type(value_as_tensor(v), &node);
    } else if (ok && value_is_kind(v, KIND_VARIABLE)) {
        ok = make_variable(vm, making, v, &node);
    } else if (ok && leaf) {
        ok = make_same(vm, making, v, &node);
    }
    if (!ok) {
        release(vm, node.key);
        return false;
    }
    // In the guard at once, so that guard_clear releases just what is held.
    if (!vec_push(&vm->ctx, &guard->nodes, node)) {
        release(vm, node.key);
        release(vm, node.kind == GUARD_SAME && structure_is_plain(node.same)
                        ? node.same
                        : VALUE_NONE);
        return false;
    }
    return leaf || add_structure(vm, making, v, kind, at);
}

// A value of the call, wherever it comes from.
static bool add_source(Vm *vm, GuardMaking *making, const Value *args,
                       BoundSource source)
{
    Guard *guard = making->guard;
    GuardNode node = {
        .source = source.from, .index = source.index, .key = VALUE_NONE};
    Value v = VALUE_UNBOUND;
    if (source.from == BOUND_CALL) {
        v = args[source.index];
    } else if (source.from == BOUND_INSTANCE) {
        v = guard->instance;
    } else if (source.from == BOUND_DEFAULTS) {
        v = guard->function->defaults->items[source.index];
        if (guard->defaults == NULL) {
            guard->defaults = object_retain(guard->function->defaults);
        }
    } else {
        const DictEntry *entry =
            &guard->function->keyword_defaults->entries[source.index];
        node.key = value_retain(entry->key);
        v = entry->value;
    }
    return add_value(vm, making, v, node);
}

static void mix(uint64_t *hash, uint64_t number)
{
    *hash = (*hash ^ number) * 0x9E3779B97F4A7C15u;
    *hash ^= *hash >> 32;
}

static void hash_tensor(const Guards *guards, const Tensor *tensor,
                        uint64_t *hash)
{
    mix(hash, guards->exact ? 0 : tensor->dtype);
    for (int i = 0; i < tensor->rank && !guards->exact; i++) {
        mix(hash, (uint64_t)tensor_dims(tensor)[i]);
    }
}

enum { HASH_DEPTH = 2, HASH_ITEMS = 8 };

// Of a structure the first few leaves, as far as its layout shows them; of an
// instance which one it is, for dataclasses are few.
static void hash_value(const Guards *guards, Value v, int depth, uint64_t *hash)
{
    const Value *items = NULL;
    size_t count = 0;
    switch (value_is_object(v) ? value_object(v)->kind : KIND_COUNT) {
    case KIND_TENSOR: hash_tensor(guards, value_as_tensor(v), hash); return;
    case KIND_VARIABLE:
        hash_tensor(guards, variable_cell(value_as_variable(v))->value, hash);
        return;
    case KIND_LIST:
        items = value_as_list(v)->items;
        count = value_as_list(v)->count;
        break;
    case KIND_TUPLE:
        items = value_as_tuple(v)->items;
        count = value_as_tuple(v)->count;
        break;
    case KIND_DICT: count = value_as_dict(v)->count; break;
    default: mix(hash, VALUE_BITS(v)); return;
    }
    mix(hash, (uint64_t)(uintptr_t)value_object(v)->type ^ count);
    for (size_t i = 0; depth > 0 && i < count && i < HASH_ITEMS; i++) {
        Value item =
            items != NULL ? items[i] : value_as_dict(v)->entries[i].value;
        hash_value(guards, item, depth - 1, hash);
    }
}

uint32_t guard_hash(const Guards *guards, const Value *args, uint32_t count,
                    const Tuple *names)
{
    uint64_t hash = (uint64_t)(uintptr_t)names ^ count;
    for (uint32_t i = 0; i < count; i++) {
        hash_value(guards, args[i], HASH_DEPTH, &hash);
    }
    return (uint32_t)hash;
}

bool guard_make(Vm *vm, const Guards *guards, Value function, Value instance,
                const Value *args, uint32_t count, Tuple *names, Guard *out)
{
    BoundSource sources[GUARD_MAX_NODES];
    *out = (Guard){.hash = guard_hash(guards, args, count, names),
                   .count = count,
                   .instance = instance};
    if (value_is_kind(function, KIND_FUNCTION)) {
        out->function = (Function *)value_object(function);
    }
    int number = bound_sources(function, !value_unbound(instance), count, names,
                               sources, GUARD_MAX_NODES);
    GuardMaking making = {.guard = out};
    bool ok = number >= 0;
    for (int i = 0; ok && i < number; i++) {
        ok = add_source(vm, &making, args, sources[i]);
    }
    if (!ok) {
        raise_clear(vm); // memory was short, which only makes a call slower
        guard_clear(vm, out);
        return false;
    }
    out->names = names != NULL ? object_retain(names) : NULL;
    return true;
}

// Whether the trace has nothing but what stands in the guard.
static bool fits(const Guard *guard, const Concrete *concrete)
{
    const Graph *graph = concrete->graph;
    uint32_t inputs = 0;
    for (size_t i = 0; i < graph->inputs.count; i++) {
        inputs += graph->inputs.items[i].kind == INPUT_ARGUMENT;
    }
    // What fits a signature was perhaps a list of numbers, and is a tensor now.
    return inputs == guard->tensors &&
           concrete->variables == guard->variables &&
           !(guard->deep && graph->exact);
}

// The call is one for which guards can stand.
static bool is_covered(const Concrete *concrete)
{
    // Which Variables they are, and how they are called, is seen the long way.
    bool looks = concrete->looks & (LOOKS_AT_NAME | LOOKS_AT_IDENTITY);
    return concrete->outer.count == 0 && !(looks && concrete->variables > 0) &&
           (concrete->variables == 0 ||
            concrete->graph->variables.count <= GUARD_MAX_NODES) &&
           concrete->written.copies.count == 0 &&
           concrete->graph->block->result_count <= GUARD_MAX_NODES;
}

// signature= has one trace for all that its specs take.
static void widen(Guard *guard, const Concrete *concrete)
{
    const Graph *graph = concrete->graph;
    for (size_t i = 0; graph->exact && i < guard->nodes.count; i++) {
        GuardNode *node = &guard->nodes.items[i];
        uint32_t place = 0;
        for (size_t k = 0; k < graph->inputs.count; k++) {
            const GraphInput *input = &graph->inputs.items[k];
            if (input->kind == INPUT_ARGUMENT && place++ == node->place &&
                node->kind == GUARD_TENSOR) {
                node->wide = graph_type(graph, input->value);
            }
        }
    }
}

// False: no memory, and no error is pending.
static bool grow(Vm *vm, Guards *guards)
{
    uint32_t size = guards->size == 0 ? GUARD_FORMS : guards->size * 2;
    Guard **buckets = ctx_alloc_zero(&vm->ctx, size * sizeof *buckets);
    if (buckets == NULL) {
        raise_clear(vm);
        return false;
    }
    for (uint32_t i = 0; i < guards->size; i++) {
        for (Guard *guard = guards->buckets[i], *next; guard != NULL;
             guard = next) {
            next = guard->next;
            guard->next = buckets[guard->hash & (size - 1)];
            buckets[guard->hash & (size - 1)] = guard;
        }
    }
    ctx_free(&vm->ctx, guards->buckets, guards->size * sizeof *buckets);
    guards->buckets = buckets;
    guards->size = size;
    return true;
}

// Those that the new one takes the place of: of the same trace and hash, and
// where there are too many of the one or the other.
static void make_room(Vm *vm, Guards *guards, Concrete *concrete, uint32_t hash)
{
    uint32_t forms = 0, chain = 0;
    for (Guard *old = concrete->guards, *next; old != NULL; old = next) {
        next = old->sibling;
        if (old->hash == hash || ++forms == GUARD_FORMS) {
            take_out(vm, guards, old);
            break;
        }
    }
    Guard *old = guards->buckets[hash & (guards->size - 1)];
    for (; old != NULL; old = old->next) {
        if (++chain == GUARD_CHAIN) {
            take_out(vm, guards, old);
            break;
        }
    }
}

void guards_set(Vm *vm, Guards *guards, Concrete *concrete, Guard *made)
{
    Guard *guard = NULL;
    if (is_covered(concrete) && fits(made, concrete) &&
        (guards->count < guards->size || grow(vm, guards))) {
        guard = ctx_alloc(&vm->ctx, sizeof *guard);
    }
    if (guard == NULL) {
        raise_clear(vm);
        guard_clear(vm, made);
        return;
    }
    make_room(vm, guards, concrete, made->hash);
    Guard **bucket = &guards->buckets[made->hash & (guards->size - 1)];
    widen(made, concrete);
    made->single = value_is_kind(concrete->result, KIND_SYMBOLIC) &&
                   !symbolic_is_text(concrete->result);
    made->concrete = concrete;
    made->sibling = concrete->guards;
    made->next = *bucket;
    *guard = *made;
    guards->last = concrete->guards = *bucket = guard;
    guards->count++;
}
