// lru_cache: a function in front of which stands a dict of its results.
//
// Each call that is missing makes a Link, which holds its key. Without a bound
// the dict maps keys to results, and the Link goes when the call is over. With
// one it maps them to Links, which also stand in a ring, the least recently
// used first.
// Invariant: a Link stands in the ring only while something counts it (the
// dict, or C code that is about to put it there), and takes itself out when it
// dies; the ring itself owns nothing. So code of the program that runs within
// a look-up (__hash__, __eq__) may call or clear the cache and leaves the ring
// whole.
#include "modules/native/functools.h"

#include <stddef.h>

#include "interp/hooks/note.h"
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"

// A place in a doubly linked ring; before is NULL outside of one.
typedef struct Ring {
    struct Ring *before, *after;
} Ring;

// A call that is under way, then its result in a bounded cache. The key is also
// the dict's; its hash is kept since code of the program may make it.
typedef struct Link {
    Object head;
    Ring ring;
    Value key, result; // counted; the result is UNBOUND during the call
    uint64_t hash;     // of the key
} Link;

typedef struct Cacher {
    Object head;
    Value function; // counted
    Dict *results;  // by key; NULL only while the cacher is made
    Ring ring;      // its head: after it the oldest, before it the newest
    int64_t most;   // maxsize; -1: None
    int64_t hits, misses;
    bool typed; // keys tell the arguments' types apart
} Cacher;

static Cacher *as_cacher(Value v)
{
    return (Cacher *)value_object(v);
}

// --- the ring ---

static Link *link_of_ring(Ring *ring)
{
    return (Link *)((char *)ring - offsetof(Link, ring));
}

// A place that is in no ring stays as it is.
static void ring_leave(Ring *place)
{
    if (place->before != NULL) {
        place->before->after = place->after;
        place->after->before = place->before;
        place->before = place->after = NULL;
    }
}

static void ring_enter(Ring *head, Ring *place)
{
    place->before = head->before;
    place->after = head;
    head->before->after = place;
    head->before = place;
}

// The links may outlive the head, which they must not point to then.
static void ring_dissolve(Ring *head)
{
    Ring *place = head->after;
    while (place != head) {
        Ring *after = place->after;
        place->before = place->after = NULL;
        place = after;
    }
    head->before = head->after = head;
}

// It leaves the ring first: releasing the key may run code that walks it.
static void link_destroy(Vm *vm, Object *object)
{
    Link *self = (Link *)object;
    ring_leave(&self->ring);
    release(vm, self->key);
    release(vm, self->result);
    object_free(vm, self, sizeof *self);
}

// A result may hold the cached function.
static void link_visit(Object *object, void (*visit)(Object *, void *),
                       void *data)
{
    values_visit(&((Link *)object)->key, 1, visit, data);
    values_visit(&((Link *)object)->result, 1, visit, data);
}

static const TypeDef link_type_def = {
    .name = "link",
    .doc = "A remembered result.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Link),
    .flags = TYPE_TRACKED | TYPE_FINAL,
    .operators = "",
    .slots = {.destroy = link_destroy, .visit = link_visit},
};

// Programs never see it, so it also serves as the mark between positional
// arguments and keywords in a key. Borrowed; NULL: failed.
static Type *link_type(Vm *vm)
{
    return type_variant(vm, &link_type_def, "functools._link");
}

// Outside of the ring, without a result; takes the key in any case. NULL:
// failed.
static Link *link_new(Vm *vm, Value key, uint64_t hash)
{
    Type *cls = link_type(vm);
    Link *self = cls == NULL ? NULL : object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        release(vm, key);
        return NULL;
    }
    self->ring = (Ring){NULL, NULL};
    self->key = key;
    self->hash = hash;
    self->result = VALUE_UNBOUND;
    return self;
}

// --- keys ---

// An int or a str proper stands for itself: no argument of another type is
// equal to it and a key of its own.
static bool is_plain_key(const Vm *vm, Value v)
{
    if (!value_is_object(v)) {
        return value_is_int(v);
    }
    const Object *object = value_object(v);
    return (object->kind == KIND_INT || object->kind == KIND_STR) &&
           object->type == vm->types[object->kind];
}

// The arguments, a mark, names and values of the keywords, then the types.
// Owned, or VALUE_FAIL.
static Value make_key(Vm *vm, const Cacher *self, const Value *args,
                      uint32_t count, const Tuple *names)
{
    uint32_t named = names == NULL ? 0 : (uint32_t)names->count;
    // One argument of a plain type is its own key: nothing is made.
    if (count == 1 && named == 0 && !self->typed && is_plain_key(vm, *args)) {
        return value_retain(*args);
    }
    // A mark between positions and names: f(1, 'a', 2) is not f(1, a=2).
    Type *mark = named == 0 ? NULL : link_type(vm);
    if (named != 0 && mark == NULL) {
        return VALUE_FAIL;
    }
    // The mark, and a name for each keyword.
    size_t size = (size_t)count + (named == 0 ? 0 : named + 1) +
                  (self->typed ? count : 0);
    Tuple *key = tuple_new(vm, size);
    if (key == NULL) {
        return VALUE_FAIL;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i + named == count && named != 0) {
            key->items[at++] = value_from_object(object_retain(mark));
        }
        if (i + named >= count) {
            key->items[at++] = value_retain(names->items[i + named - count]);
        }
        key->items[at++] = value_retain(args[i]);
    }
    // typed=True: 1 and 1.0 are different calls.
    for (uint32_t i = 0; self->typed && i < count; i++) {
        key->items[at++] =
            value_from_object(object_retain(type_of(vm, args[i])));
    }
    return value_from_object(key);
}

// --- calls ---

// The oldest link goes, from the ring at any rate: its key's __eq__ may have
// taken it out of the dict already. False with an error pending.
static bool drop_oldest(Vm *vm, Cacher *self)
{
    Link *oldest = link_of_ring(self->ring.after);
    // The dict's reference goes below, and the ring is to be left after it.
    object_retain(oldest);
    Value taken = VALUE_UNBOUND;
    int found =
        dict_take_hashed(vm, self->results, oldest->key, oldest->hash, &taken);
    if (found > 0) {
        release(vm, taken);
    }
    ring_leave(&oldest->ring);
    object_release(&vm->ctx, oldest);
    return found >= 0;
}

// The link of a call takes its place in a bounded cache. A call within that
// call may have done it first: then its result stays. False: failed.
static bool remember(Vm *vm, Cacher *self, Link *link)
{
    Value seen;
    int found =
        dict_get_hashed(vm, self->results, link->key, link->hash, &seen);
    if (found != 0) {
        return found > 0;
    }
    // The ring may be empty though the dict is full, while a look-up is under
    // way.
    if (self->results->count >= (uint64_t)self->most &&
        self->ring.after != &self->ring && !drop_oldest(vm, self)) {
        return false;
    }
    ring_enter(&self->ring, &link->ring);
    return dict_set_hashed(vm, self->results, link->key, link->hash,
                           value_from_object(link));
}

// The result of a call, or NULL and the Link that is to take it (owned). Counts
// the hit or the miss. False: failed.
static bool look_up(Vm *vm, Cacher *self, const Value *args, uint32_t count,
                    const Tuple *names, Value *result, Link **link)
{
    Value found;
    uint64_t hash;
    Value key = make_key(vm, self, args, count, names);
    if (value_failed(key)) {
        return false;
    }
    // The hash is taken once, for the look-up and for the store.
    int known = value_hash(vm, key, &hash)
                    ? dict_get_hashed(vm, self->results, key, hash, &found)
                    : -1;
    // A failure counts as neither.
    self->hits += known > 0;
    self->misses += known == 0;
    // The key goes into the link, and is stored when the result is there.
    if (known == 0) {
        *link = link_new(vm, key, hash);
        return *link != NULL;
    }
    // The newest end of the ring is the one that is dropped last.
    if (known > 0 && self->most >= 0) {
        Link *newest = (Link *)value_object(found);
        ring_leave(&newest->ring);
        ring_enter(&self->ring, &newest->ring);
        found = newest->result;
    }
    *result = known > 0 ? value_retain(found) : VALUE_FAIL;
    release(vm, key);
    return known > 0;
}

// Without a bound the function may have called the cache: what it stored is
// replaced.
static bool cacher_keep(Vm *vm, Value cacher, Value call, Value result)
{
    Cacher *self = as_cacher(cacher);
    Link *link = (Link *)value_object(call);
    // A trace is told of the result itself, which a link would hide, and of the
    // whole cache: its dict and its ring are changed together.
    if (!note_store(vm, self, result)) {
        return false;
    }
    if (self->most < 0) {
        return dict_set_hashed(vm, self->results, link->key, link->hash,
                               result);
    }
    link->result = value_retain(result);
    return remember(vm, self, link);
}

// maxsize=0 asks for no key: nothing need be hashable.
static Value cacher_call(Vm *vm, Value v, const Value *args, uint32_t count,
                         Tuple *keyword_names)
{
    Cacher *self = as_cacher(v);
    Value result = VALUE_FAIL;
    Link *link = NULL;
    if (self->most == 0) {
        self->misses++;
        return vm_call_keywords(vm, self->function, args, count, keyword_names);
    }
    if (!look_up(vm, self, args, count, keyword_names, &result, &link)) {
        return VALUE_FAIL;
    }
    if (link == NULL) {
        return result;
    }
    result = vm_call_keywords(vm, self->function, args, count, keyword_names);
    if (!value_failed(result) &&
        !cacher_keep(vm, v, value_from_object(link), result)) {
        release(vm, result);
        result = VALUE_FAIL;
    }
    object_release(&vm->ctx, link);
    return result;
}

// Moves the arguments up for a frame of the function; below them stand the link
// (taken) and the function, which vm_leave finds there.
static int enter_missed(Vm *vm, Value *window, uint32_t count, Tuple *names,
                        Function *function, Link *link)
{
    vm_move_up(window, count, 2);
    window[0] = value_from_object(link);
    window[1] = value_from_object(object_retain(function));
    // FRAME_CACHED: the frame's end calls cacher_keep.
    int entered =
        vm_enter_function(vm, function, window + 2, count, names, FRAME_CACHED);
    if (entered < 0) {
        vm_empty_window(vm, window, 2);
    }
    return entered;
}

// The function behind a cache if a frame can be pushed for it.
static Function *plain_function(const Cacher *self)
{
    Function *function = value_is_kind(self->function, KIND_FUNCTION)
                             ? (Function *)value_object(self->function)
                             : NULL;
    bool plain = function != NULL && self->most != 0 &&
                 !(function->code->flags & CODE_GENERATOR);
    return plain ? function : NULL;
}

// Recursion through a cache is common: a frame needs no C stack. What makes no
// frame, and a cache without results, is called by C.
static int cacher_enter(Vm *vm, Value *window, uint32_t count, Tuple *names)
{
    Value v = window[-1], result = VALUE_FAIL;
    Cacher *self = as_cacher(v);
    Function *function = plain_function(self);
    Link *link = NULL;
    if (function == NULL) {
        result = cacher_call(vm, v, window, count, names);
    } else if (look_up(vm, self, window, count, names, &result, &link) &&
               link != NULL) {
        return enter_missed(vm, window, count, names, function, link);
    }
    // No frame took the arguments.
    vm_empty_window(vm, window, count);
    if (value_failed(result)) {
        return -1;
    }
    value_replace(&vm->ctx, &window[-1], result);
    return 0;
}

// --- slots ---

// The ring first: dying links must not touch a cacher that is gone.
static void cacher_destroy(Vm *vm, Object *object)
{
    Cacher *self = (Cacher *)object;
    ring_dissolve(&self->ring);
    release(vm, self->function);
    object_release_null(&vm->ctx, self->results);
    object_free(vm, self, sizeof *self);
}

// The links are the dict's.
static void cacher_visit(Object *object, void (*visit)(Object *, void *),
                         void *data)
{
    Cacher *self = (Cacher *)object;
    values_visit(&self->function, 1, visit, data);
    if (self->results != NULL) {
        visit(&self->results->head, data);
    }
}

// What is left can still be called, which tells that None is not callable.
static void cacher_clear(Vm *vm, Object *object)
{
    Cacher *self = (Cacher *)object;
    value_replace(&vm->ctx, &self->function, VALUE_NONE);
    if (self->results != NULL) {
        ring_dissolve(&self->ring);
        dict_clear(vm, self->results);
    }
}

// cacher(function, maxsize, typed): lib/functools has looked at the types.
static Value cacher_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    static const char *const params[] = {"user_function", "maxsize", "typed"};
    Value given[3];
    int64_t most = -1;
    if (!arguments_spread(vm, "lru_cache", args, keywords, params, 3, 3,
                          given)) {
        return VALUE_FAIL;
    }
    if (!value_is_callable(vm, given[0])) {
        return raise_error(vm, ERR_TYPE, "the first argument must be callable");
    }
    // maxsize=None: without bound, and then without a ring.
    if (!value_is_none(given[1])) {
        if (!value_to_index(vm, given[1], &most)) {
            return VALUE_FAIL;
        }
        most = most < 0 ? 0 : most;
    }
    int typed = value_truth(vm, given[2]);
    Cacher *self = typed < 0 ? NULL : object_new(vm, cls, sizeof *self);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->function = value_retain(given[0]);
    // Every field is set before anything else can fail.
    self->results = NULL;
    self->ring = (Ring){&self->ring, &self->ring};
    self->most = most;
    self->hits = self->misses = 0;
    self->typed = typed;
    self->results = dict_new(vm);
    if (self->results == NULL) {
        object_release(&vm->ctx, self);
        return VALUE_FAIL;
    }
    return value_from_object(self);
}

// --- methods ---

static Value method_cache_clear(Vm *vm, Value *args)
{
    Cacher *self = as_cacher(args[0]);
    if (!note_store(vm, self, VALUE_UNBOUND)) {
        return VALUE_FAIL;
    }
    self->hits = self->misses = 0;
    ring_dissolve(&self->ring);
    dict_clear(vm, self->results);
    return VALUE_NONE;
}

// For cache_info, whose class is written in Duet.
static Value get_counts(Vm *vm, Value v)
{
    const Cacher *self = as_cacher(v);
    Tuple *counts = tuple_new(vm, 4);
    if (counts == NULL) {
        return VALUE_FAIL;
    }
    counts->items[0] = value_from_small(self->hits);
    counts->items[1] = value_from_small(self->misses);
    counts->items[2] =
        self->most < 0 ? VALUE_NONE : int_from_i64(vm, self->most);
    counts->items[3] = value_from_small(self->results->count);
    if (value_failed(counts->items[2])) {
        // A failure must not stand in a tuple that dies.
        counts->items[2] = VALUE_NONE;
        object_release(&vm->ctx, counts);
        return VALUE_FAIL;
    }
    return value_from_object(counts);
}

static const NativeDef cacher_methods[] = {{"cache_clear", "self, /",
                                            method_cache_clear,
                                            "Forget all results and counts."},
                                           {NULL, NULL, NULL, NULL}};

static const MemberDef cacher_members[] = {
    {"_counts", get_counts, NULL, "(hits, misses, maxsize, currsize)."},
    {NULL, NULL, NULL, NULL}};

const TypeDef cacher_type_def = {
    .name = "cacher",
    .doc = "The native part of what lru_cache gives.",
    .kind = KIND_OPAQUE,
    .size = sizeof(Cacher),
    .flags = TYPE_TRACKED,
    .operators = "",
    .slots = {.destroy = cacher_destroy,
              .visit = cacher_visit,
              .clear = cacher_clear,
              .make = cacher_make,
              .call = cacher_call,
              .enter = cacher_enter,
              .keep = cacher_keep,
              .get_descriptor = method_bind},
    .methods = cacher_methods,
    .members = cacher_members,
};
