// Frozen reads: noted by the hook, compared when a store has marked them.
#include "stager/frozen.h"

#include <ctype.h>

#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/advice.h"
#include "stager/content.h"
#include "stager/staged_fn.h"
#include "stager/trace.h"

// --- the reads of a trace ---

void frozen_init(Vm *vm, Frozen *frozen)
{
    *frozen = (Frozen){0};
    map_init(&frozen->places, &vm->ctx);
}

static void link_read(FrozenRead *read)
{
    read->next = read->place->readers;
    if (read->next != NULL) {
        read->next->previous = read;
    }
    read->place->readers = read;
    // This one has heard of no store yet.
    read->place->dirty = false;
}

static void unlink_read(FrozenRead *read)
{
    if (read->trace == NULL) {
        return; // the trace did not come to its end
    }
    if (read->next != NULL) {
        read->next->previous = read->previous;
    }
    *(read->previous != NULL ? &read->previous->next : &read->place->readers) =
        read->next;
}

void frozen_free(Vm *vm, Frozen *frozen)
{
    for (size_t i = 0; i < frozen->reads.count; i++) {
        FrozenRead *read = &frozen->reads.items[i];
        unlink_read(read);
        frozen_place_drop(vm, read->place);
        release(vm, read->seen);
        release(vm, read->items);
        object_release_null(&vm->ctx, read->spelled);
    }
    vec_free(&vm->ctx, &frozen->reads);
    map_free(&frozen->places);
}

// The first read of a place counts; later ones give the same or what the trace
// stored itself.
static bool add_read(Vm *vm, Frozen *frozen, Object *container, Value key,
                     uint32_t line, uint32_t root)
{
    PlaceKey text = {(uintptr_t)container, VALUE_BITS(key)};
    if (map_get(&frozen->places, (const char *)&text, sizeof text) != NULL) {
        return true;
    }
    FrozenRead read = {
        .seen = VALUE_UNBOUND, .items = VALUE_NONE, .line = line, .root = root};
    if (!map_put(&frozen->places, (const char *)&text, sizeof text, 1)) {
        return false;
    }
    read.place = frozen_place_take(vm, container, key);
    if (read.place == NULL) {
        return false;
    }
    if (!vec_push(&vm->ctx, &frozen->reads, read)) {
        frozen_place_drop(vm, read.place);
        return false;
    }
    return true;
}

// --- what a place holds ---

// The dict of an object that has one by now.
static Value own_dict(Object *object)
{
    const Instance *instance = (const Instance *)object;
    bool shaped = object->kind == KIND_INSTANCE && instance->shape != NULL;
    Dict *const *place = shaped ? NULL
                         : object->kind == KIND_INSTANCE
                             ? &instance->dict
                             : instance_dict_place(object);
    return place != NULL && *place != NULL ? value_from_object(*place)
                                           : VALUE_UNBOUND;
}

bool frozen_is_defaults(const FrozenRead *read)
{
    const Object *container = read->place->container->object;
    return container != NULL && container->kind == KIND_FUNCTION &&
           !value_is_str(read->place->key);
}

Value frozen_present(Vm *vm, const FrozenRead *read)
{
    Object *container = read->place->container->object;
    Value key = read->place->key;
    if (value_unbound(key)) {
        return value_from_object(container);
    }
    switch (container->kind) {
    case KIND_DICT: return dict_get_name((Dict *)container, value_as_str(key));
    case KIND_CELL: return ((const Cell *)container)->value;
    case KIND_TYPE:
        return dict_get_name(((const Type *)container)->dict,
                             value_as_str(key));
    default:
        if (frozen_is_defaults(read)) {
            const Function *function = (const Function *)container;
            void *held = value_is_none(key)
                             ? (void *)function->defaults
                             : (void *)function->keyword_defaults;
            return held != NULL ? value_from_object(held) : VALUE_UNBOUND;
        }
        if (value_as_str(key) == vm->names[NAME_DICT]) {
            return own_dict(container);
        }
        // The instance's own: what a class computes is no place.
        return member_peek(vm, container, value_as_str(key));
    }
}

// Order matters: swapping two items is a change.
static uint64_t mix(uint64_t hash, Value v)
{
    // The multiplier is 2**64 over the golden ratio, which spreads each bit
    // over the upper ones.
    return (hash ^ VALUE_BITS(v)) * 0x9E3779B97F4A7C15u;
}

// The items of a list, the keys and values of a dict, the keys of a set, one
// after another. False at the end.
typedef struct ItemWalk {
    uint32_t dict_at;
    size_t at;
    Value pending; // a dict's value, after its key
} ItemWalk;

// One walk for the three kinds, so that snapshot and comparison agree.
static bool next_item(Value v, ItemWalk *walk, Value *item)
{
    if (value_is_kind(v, KIND_LIST)) {
        List *list = value_as_list(v);
        if (walk->at == list->count) {
            return false;
        }
        *item = list->items[walk->at++];
        return true;
    }
    if (value_is_kind(v, KIND_SET)) {
        return set_next((const Set *)value_object(v), &walk->at, item);
    }
    if (!value_unbound(walk->pending)) {
        // The value of the key that was given last.
        *item = walk->pending;
        walk->pending = VALUE_UNBOUND;
        return true;
    }
    return dict_next(value_as_dict(v), &walk->dict_at, item, &walk->pending);
}

// What a walk can show, of whatever class.
static bool has_items(Value v)
{
    return value_is_kind(v, KIND_LIST) || value_is_kind(v, KIND_DICT) ||
           value_is_kind(v, KIND_SET);
}

// What is kept of a list, dict or set to see a change: its items, or a hash
// of many. Owned; NONE for all else.
static Value snapshot(Vm *vm, Value v)
{
    if (!has_items(v)) {
        return VALUE_NONE;
    }
    ValueVec items = {0};
    ItemWalk walk = {0, 0, VALUE_UNBOUND};
    uint64_t hash = 0;
    size_t count = 0;
    bool ok = true;
    // All items are hashed, the first ones kept as well: how many there are is
    // known only at the end.
    for (Value item; ok && next_item(v, &walk, &item); count++) {
        // By identity: nothing of the program is asked.
        hash = mix(hash, item);
        ok = count >= FROZEN_ITEMS ||
             structure_push(vm, &items, identity_weaken(vm, item));
    }
    Value result = VALUE_FAIL;
    if (ok && count > FROZEN_ITEMS) {
        // Immediate ints have fewer bits than the hash.
        result = value_from_small((int64_t)(hash >> 3));
    } else if (ok) {
        Tuple *tuple = tuple_from(vm, items.items, items.count);
        result = value_or_fail(tuple);
    }
    structure_free(vm, &items);
    return result;
}

// 1: the same for a trace; 0: not; -1: failed.
static int same_value(Vm *vm, Value seen, Value now)
{
    Value old = identity_value(vm, seen);
    if (value_same(old, now)) {
        return 1;
    }
    // Only what was kept itself is compared by ==, which then runs no code of
    // the program.
    if (value_identity(vm, seen) != NULL || value_unbound(old) ||
        value_unbound(now) || !identity_says_all(now) ||
        type_of(vm, old) != type_of(vm, now)) {
        return 0;
    }
    return value_equal(vm, old, now);
}

// Item by item while the snapshot is small enough to have them.
static int same_items(Vm *vm, Value v, Value items)
{
    if (!value_is_kind(items, KIND_TUPLE)) {
        Value now = snapshot(vm, v);
        int same = value_failed(now) ? -1 : value_same(now, items);
        release(vm, now);
        return same;
    }
    const Tuple *old = value_as_tuple(items);
    ItemWalk walk = {0, 0, VALUE_UNBOUND};
    size_t count = 0;
    for (Value item; next_item(v, &walk, &item); count++) {
        int same =
            count < old->count ? same_value(vm, old->items[count], item) : 0;
        if (same <= 0) {
            return same;
        }
    }
    // It may have become shorter.
    return count == old->count;
}

// What is in a dead container cannot be asked for any more.
int frozen_compare(Vm *vm, const FrozenRead *read)
{
    if (read->place->container->object == NULL) {
        return 1;
    }
    // Borrowed, and no code runs before it is done with.
    Value now = frozen_present(vm, read);
    if (!value_unbound(read->place->key)) {
        return same_value(vm, read->seen, now);
    }
    return has_items(now) ? same_items(vm, now, read->items)
                          : !read->marked && !read->changed;
}

// Takes what is there now for what the trace saw.
static bool accept(Vm *vm, FrozenRead *read)
{
    read->marked = read->own = false;
    if (read->place->container->object == NULL) {
        return true;
    }
    Value now = frozen_present(vm, read);
    bool whole = value_unbound(read->place->key);
    Value taken = whole ? snapshot(vm, now) : identity_weaken(vm, now);
    if (value_failed(taken)) {
        return false;
    }
    value_replace(&vm->ctx, whole ? &read->items : &read->seen, taken);
    return true;
}

// --- what lies below ---

// What the walk below a read is about.
typedef struct Below {
    Frozen *frozen;
    uint32_t line, root;
    Vm *vm;
    bool ok;
} Below;

// A container is noted; a tuple, which does not change, is looked into.
static void note_below(Below *below, Value v)
{
    Vm *vm = below->vm;
    if (!below->ok || !value_is_object(v)) {
        return;
    }
    if (has_items(v) || deque_is(v) || content_is_host(vm, value_object(v))) {
        below->ok = add_read(vm, below->frozen, value_object(v), VALUE_UNBOUND,
                             below->line, below->root);
    } else if (value_is_kind(v, KIND_TUPLE) && !identity_says_all(v)) {
        below->ok = ctx_enter(&vm->ctx);
        if (below->ok) {
            const Tuple *tuple = value_as_tuple(v);
            for (size_t i = 0; i < tuple->count; i++) {
                note_below(below, tuple->items[i]);
            }
            ctx_leave(&vm->ctx);
        }
    }
}

static void visit_below(Object *child, void *data)
{
    note_below(data, value_from_object(child));
}

// What a container holds; of a deque and of what the library wrote the visit
// slot tells the objects.
static void note_items(Below *below, Value v)
{
    if (has_items(v)) {
        ItemWalk walk = {0, 0, VALUE_UNBOUND};
        for (Value item; below->ok && next_item(v, &walk, &item);) {
            note_below(below, item);
        }
    } else {
        Object *object = value_object(v);
        object->type->slots.visit(object, visit_below, below);
    }
}

// What the trace itself stored is no change: later calls start from there. The
// list grows while it is walked, so that what lies below is walked as well.
bool frozen_close(Vm *vm, Frozen *frozen, struct Concrete *trace)
{
    Below below = {.frozen = frozen, .vm = vm, .ok = true};
    for (size_t i = 0; below.ok && i < frozen->reads.count; i++) {
        FrozenRead *read = &frozen->reads.items[i];
        below.ok = accept(vm, read);
        if (!below.ok || read->place->container->object == NULL) {
            continue;
        }
        below.line = read->line;
        below.root = read->root;
        Value now = frozen_present(vm, read);
        if (value_unbound(read->place->key)) {
            note_items(&below, now);
        } else {
            note_below(&below, now);
        }
    }
    map_free(&frozen->places); // needed while tracing only
    for (size_t i = 0; below.ok && i < frozen->reads.count; i++) {
        frozen->reads.items[i].trace = trace;
        link_read(&frozen->reads.items[i]);
    }
    return below.ok;
}

// --- changes ---

FrozenRead *frozen_changed(Vm *vm, Frozen *frozen, bool *failed)
{
    *failed = false;
    for (size_t i = 0; i < frozen->reads.count; i++) {
        FrozenRead *read = &frozen->reads.items[i];
        if (read->own && !read->marked && !accept(vm, read)) {
            *failed = true;
            return NULL;
        }
        if (!read->marked) {
            continue;
        }
        int same = frozen_compare(vm, read);
        if (same < 0) {
            *failed = true;
            return NULL;
        }
        read->changed = same == 0;
        if (same == 0 && !frozen->reads.items[read->root].noted) {
            return read; // each is dealt with before the next is looked for
        }
        read->marked = read->place->dirty = false;
    }
    frozen->stale = false;
    return NULL;
}

void frozen_set_noted(Frozen *frozen, const FrozenRead *read)
{
    frozen->reads.items[read->root].noted = true;
}

// --- the hook ---

// What a module of the library shows to the program and both may change:
// os.environ, sys.argv.
static bool is_open(Vm *vm, Value v)
{
    return !trace_in_library(vm) &&
           (value_is_kind(v, KIND_LIST) || value_is_kind(v, KIND_DICT) ||
            value_is_kind(v, KIND_SET));
}

// Reads of what the embedded library has are of no concern: nobody changes it.
static bool is_library(Vm *vm, const Object *container, Value key, Value value)
{
    switch (container->kind) {
    case KIND_DICT:
    case KIND_CELL: return trace_in_library(vm);
    case KIND_MODULE:
        return ((const Module *)container)->library && !is_open(vm, value);
    case KIND_FUNCTION:
        return ((const Function *)container)->code->source->library;
    case KIND_TYPE:
        return (((const Type *)container)->flags &
                (TYPE_HEAP | TYPE_LIBRARY)) != TYPE_HEAP;
    default:
        // Its own bookkeeping has names of its own.
        return trace_in_library(vm) &&
               (container->type->flags & TYPE_LIBRARY) &&
               value_as_str(key)->text[0] == '_';
    }
}

// Each class that is asked, up to the one that has the name.
static bool read_class(Vm *vm, Frozen *frozen, const Type *cls, Value name,
                       uint32_t line)
{
    for (size_t i = 0; i < cls->mro->count; i++) {
        Type *asked = (Type *)value_object(cls->mro->items[i]);
        if (is_library(vm, &asked->head, name, VALUE_UNBOUND)) {
            continue;
        }
        if (!add_read(vm, frozen, &asked->head, name, line,
                      (uint32_t)frozen->reads.count)) {
            return false;
        }
        Dict *dict = type_dict(vm, asked);
        if (dict == NULL ||
            !value_unbound(dict_get_name(dict, value_as_str(name)))) {
            return dict != NULL;
        }
    }
    return true;
}

// The reads from `first` on are of what the running instruction names, if it
// names the key: `vars(o)` does not.
static bool spell(Vm *vm, Frozen *frozen, size_t first, Value key)
{
    int length;
    const char *text = advice_text(vm, &length);
    int path = 0;
    while (path < length &&
           (isalnum((unsigned char)text[path]) || text[path] == '_' ||
            text[path] == '.' || (text[path] & 0x80) != 0)) {
        path++;
    }
    size_t size = value_is_str(key) ? value_as_str(key)->length : 0;
    bool named =
        (size_t)path > size &&
        memcmp(text + path - size,
               value_is_str(key) ? value_as_str(key)->text : "", size) == 0;
    bool ok = true;
    for (size_t i = first; named && i < frozen->reads.count && ok; i++) {
        FrozenRead *read = &frozen->reads.items[i];
        read->spelled = str_new(vm, text, (size_t)path);
        ok = read->spelled != NULL;
    }
    return ok;
}

// What is read as a whole is a class's, or a module's, which needs no name.
static bool spell_dict(Vm *vm, Frozen *frozen, size_t first, Value owner)
{
    FrozenRead *read = frozen->reads.items + first;
    if (first == frozen->reads.count || !value_unbound(read->place->key) ||
        !value_is_kind(owner, KIND_TYPE)) {
        return true;
    }
    read->spelled = str_printf(vm, "%s.__dict__",
                               type_name((const Type *)value_object(owner)));
    return read->spelled != NULL;
}

// Every read also tells which of the call's Variables the function meets by a
// way of its own.
bool frozen_read(Vm *vm, Object *container, Value key, Value value)
{
    Trace *trace = vm->trace;
    Frozen *frozen = trace->frozen;
    if (container->kind == KIND_MODULE &&
        !is_library(vm, container, key, value)) {
        container = &((Module *)container)->dict->head;
    }
    if (trace->events == NULL || value_is_kind(value, KIND_SYMBOLIC) ||
        is_library(vm, container, key, value) ||
        era_has(vm, trace->era, container)) {
        return true;
    }
    Source *source;
    uint32_t line = trace_program_line(vm, &source);
    frozen->trace = trace->request->number;
    size_t first = frozen->reads.count;
    return (container->kind == KIND_TYPE
                ? read_class(vm, frozen, (Type *)container, key, line)
                : add_read(vm, frozen, container, key, line,
                           (uint32_t)first)) &&
           (container->kind == KIND_DICT ? spell_dict(vm, frozen, first, value)
                                         : spell(vm, frozen, first, key));
}

// What lies below is found again when the trace ends.
bool frozen_call(Vm *vm, const Frozen *callee)
{
    Trace *trace = vm->trace;
    Frozen *frozen = trace->frozen;
    bool ok = true;
    for (size_t i = 0; ok && trace->events != NULL && i < callee->reads.count;
         i++) {
        const FrozenRead *read = &callee->reads.items[i];
        Object *container = read->place->container->object;
        size_t count = frozen->reads.count;
        if (read->root != i || container == NULL ||
            era_has(vm, trace->era, container)) {
            continue;
        }
        frozen->trace = trace->request->number;
        ok = add_read(vm, frozen, container, read->place->key, read->line,
                      (uint32_t)count);
        if (ok && frozen->reads.count > count && read->spelled != NULL) {
            frozen->reads.items[count].spelled = object_retain(read->spelled);
        }
    }
    return ok;
}
