// The table of traces: exact keys first, then general traces.
//
// Invariant: a Concrete is in by_key (under its own key) exactly while it is
// in `traces`, and in the chain of by_relaxed (under its `relaxed` key)
// exactly if that is not empty. newest … oldest chains all of them. Fewer than
// half of the places in `traces`, beyond a few, are empty.
#include "stager/traces.h"

#include "graph/build.h"
#include "interp/core/raise.h"
#include "stager/tell.h"

// One trace that the limit dropped, by the hash of its key: a later one in its
// place forgets it.
typedef struct DroppedTrace {
    uint64_t hash;
    size_t number;
} DroppedTrace;

enum { DROPPED_KEPT = 256 };

// Nothing is allocated before the first trace.
void traces_init(Vm *vm, TraceTable *table, size_t limit, bool relax)
{
    *table = (TraceTable){.limit = limit, .relax = relax};
    map_init(&table->by_key, &vm->ctx);
    map_init(&table->by_relaxed, &vm->ctx);
    strbuf_init(&table->last_key, &vm->ctx);
    events_init(vm, &table->past, 0);
}

// Objects that are told apart by identity take their traces along.
static void link_uses(Concrete *concrete)
{
    for (size_t i = 0; i < concrete->use_count; i++) {
        identity_link(&concrete->uses[i]);
    }
}

static void unlist(Concrete *concrete)
{
    for (size_t i = 0; i < concrete->use_count; i++) {
        identity_unlink(&concrete->uses[i]);
    }
    concrete->table = NULL;
}

// Concrete functions that are held elsewhere stay valid.
void traces_free(Vm *vm, TraceTable *table)
{
    guards_clear(vm, &table->guards);
    ctx_free(&vm->ctx, table->dropped,
             table->dropped != NULL ? DROPPED_KEPT * sizeof(DroppedTrace) : 0);
    // All of them first: the death of one may be that of an object that others
    // were made with.
    size_t at = 0;
    for (Concrete *c; (c = traces_next(table, &at)) != NULL;) {
        unlist(c);
    }
    for (size_t i = 0; i < table->traces.count; i++) {
        object_release_null(&vm->ctx, table->traces.items[i]);
    }
    events_free(vm, &table->past);
    vec_free(&vm->ctx, &table->traces);
    map_free(&table->by_key);
    map_free(&table->by_relaxed);
    strbuf_free(&table->last_key);
}

Concrete *traces_next(const TraceTable *table, size_t *at)
{
    while (*at < table->traces.count) {
        Concrete *next = table->traces.items[(*at)++];
        if (next != NULL) {
            return next;
        }
    }
    return NULL;
}

// Out of the order of being found.
static void unchain(TraceTable *table, Concrete *concrete)
{
    Concrete *newer = concrete->newer, *older = concrete->older;
    *(newer != NULL ? &newer->older : &table->newest) = older;
    *(older != NULL ? &older->newer : &table->oldest) = newer;
}

// In front of all others.
static void chain(TraceTable *table, Concrete *concrete)
{
    concrete->newer = NULL;
    concrete->older = table->newest;
    *(table->newest != NULL ? &table->newest->newer : &table->oldest) =
        concrete;
    table->newest = concrete;
}

void traces_use(Concrete *concrete)
{
    TraceTable *table = concrete->table;
    if (concrete != table->newest) {
        unchain(table, concrete);
        chain(table, concrete);
    }
}

// The maps hold addresses; the table's own vector holds the counts.
static Concrete *map_concrete(const Map *map, const StrBuf *key)
{
    const uint64_t *found = map_get(map, strbuf_text(key), key->length);
    return found != NULL ? (Concrete *)(uintptr_t)*found : NULL;
}

// A loop calls with one signature again and again.
static void remember(TraceTable *table, const StrBuf *key, Concrete *found)
{
    table->last = found;
    // The room stays: keys of one function have much the same length. If it
    // cannot grow, traces_find finds that out and gives the short cut up.
    table->last_key.length = 0;
    strbuf_add(&table->last_key, strbuf_text(key), key->length);
}

// The types of the trace's own inputs, in the order of the call's tensors.
static bool input_type(const Concrete *concrete, size_t *at, TensorType *type)
{
    const Graph *graph = concrete->graph;
    for (; *at < graph->inputs.count; ++*at) {
        const GraphInput *input = &graph->inputs.items[*at];
        if (input->kind == INPUT_ARGUMENT) {
            *type = graph_type(graph, input->value);
            ++*at;
            return true;
        }
    }
    return false;
}

// Every tensor of the call is one that the trace's input takes.
static bool covers_call(const Concrete *concrete, const Signature *signature)
{
    size_t at = 0;
    TensorType type;
    for (size_t i = 0; i < signature->tensors.count; i++) {
        if (!input_type(concrete, &at, &type) ||
            !graph_type_covers(type, signature_type(signature, i))) {
            return false;
        }
    }
    return true;
}

// Whether every call that `special` takes is one that `general` takes.
static bool covers_trace(const Concrete *general, const Concrete *special,
                         size_t count)
{
    size_t at = 0, other = 0;
    TensorType type, narrower;
    for (size_t i = 0; i < count; i++) {
        if (!input_type(general, &at, &type) ||
            !input_type(special, &other, &narrower) ||
            !graph_type_covers(type, narrower)) {
            return false;
        }
    }
    return true;
}

// The most special of the general traces that cover the call.
static Concrete *find_general(Vm *vm, const TraceTable *table,
                              const Signature *signature)
{
    StrBuf key;
    strbuf_init(&key, &vm->ctx);
    Concrete *best = NULL;
    Concrete *next = signature_relaxed(signature, &key)
                         ? map_concrete(&table->by_relaxed, &key)
                         : NULL;
    strbuf_free(&key);
    for (; next != NULL; next = next->next_general) {
        if (covers_call(next, signature) &&
            // A later one replaces the best only if the best covers it: of two
            // that do not cover one another the newer stays, for it stands
            // nearer the head of the chain.
            (best == NULL ||
             covers_trace(best, next, signature->tensors.count))) {
            best = next;
        }
    }
    return best;
}

// An exact trace is found before any general one, whatever was made first.
Concrete *traces_find(Vm *vm, TraceTable *table, const Signature *signature)
{
    const StrBuf *key = &signature->key;
    // Comparing with the last key is cheaper than hashing the new one.
    Concrete *found = table->last;
    if (found == NULL || table->last_key.length != key->length ||
        memcmp(table->last_key.text, strbuf_text(key), key->length) != 0) {
        found = map_concrete(&table->by_key, key);
        if (found == NULL && table->by_relaxed.count > 0) {
            found = find_general(vm, table, signature);
        }
        if (found != NULL) {
            remember(table, key, found);
        }
        if (!strbuf_ok(&table->last_key)) {
            table->last = NULL; // only a short cut
            strbuf_free(&table->last_key);
            strbuf_init(&table->last_key, &vm->ctx);
            return NULL;
        }
    }
    if (found != NULL) {
        traces_use(found);
    }
    return found;
}

// Some size, or a rank, is unknown.
static bool is_general(const Signature *signature)
{
    for (size_t i = 0; i < signature->tensors.count; i++) {
        TensorType type = signature_type(signature, i);
        if (!shape_is_static(type.rank, type.dims)) {
            return true;
        }
    }
    return false;
}

// With relax= exact traces are listed too: the next miss joins with them.
static bool add_general(TraceTable *table, Concrete *concrete,
                        const Signature *signature)
{
    if (!table->relax && !is_general(signature)) {
        return true;
    }
    StrBuf *key = &concrete->relaxed;
    if (!signature_relaxed(signature, key)) {
        return false;
    }
    // At the head: the map always holds the newest of a chain.
    concrete->next_general = map_concrete(&table->by_relaxed, key);
    return map_put(&table->by_relaxed, strbuf_text(key), key->length,
                   (uintptr_t)concrete);
}

// Out of the chain of its relaxed key; the last one takes the key along.
static void remove_general(TraceTable *table, Concrete *concrete)
{
    StrBuf *key = &concrete->relaxed;
    uint64_t *head = key->length == 0 ? NULL
                                      : map_get(&table->by_relaxed,
                                                strbuf_text(key), key->length);
    if (head == NULL) {
        return;
    }
    Concrete *next = (Concrete *)(uintptr_t)*head;
    // The only one of its key.
    if (next == concrete && next->next_general == NULL) {
        (void)map_remove(&table->by_relaxed, strbuf_text(key), key->length);
    } else if (next == concrete) {
        *head = (uintptr_t)concrete->next_general;
    } else {
        while (next != NULL && next->next_general != concrete) {
            next = next->next_general;
        }
        if (next != NULL) {
            next->next_general = concrete->next_general;
        }
    }
    concrete->next_general = NULL;
    key->length = 0;
}

// Closes the gaps once they are the larger part, so that each removal pays for
// a constant number of moves. The order stays.
static void close_gaps(TraceTable *table)
{
    enum { FEW = 16 };
    if (table->traces.count < FEW || table->count >= table->traces.count / 2) {
        return;
    }
    size_t at = 0, place = 0;
    for (Concrete *next; (next = traces_next(table, &at)) != NULL;) {
        next->place = place;
        table->traces.items[place++] = next;
    }
    table->traces.count = place;
}

void traces_remove(Vm *vm, TraceTable *table, Concrete *concrete)
{
    // Out of all indexes first, for the count that is released at the end may
    // be the last one.
    remove_general(table, concrete);
    (void)map_remove(&table->by_key, strbuf_text(&concrete->key),
                     concrete->key.length);
    if (table->last == concrete) {
        table->last = NULL;
    }
    guards_drop(vm, &table->guards, concrete);
    unchain(table, concrete);
    unlist(concrete);
    if (concrete->owner != NULL) { // not yet cleared as garbage
        events_keep(vm, &table->past, &concrete->owner->events);
    }
    table->traces.items[concrete->place] = NULL;
    table->count--;
    close_gaps(table);
    object_release(&vm->ctx, concrete);
}

static uint64_t hash_key(const StrBuf *key)
{
    return map_hash(strbuf_text(key), key->length);
}

size_t traces_dropped(const TraceTable *table, const StrBuf *key)
{
    if (table->dropped == NULL) {
        return 0;
    }
    uint64_t hash = hash_key(key);
    const DroppedTrace *kept = &table->dropped[hash % DROPPED_KEPT];
    return kept->hash == hash ? kept->number : 0;
}

// Without memory for it nothing is known, which only makes a reason poorer.
static void keep_dropped(Vm *vm, TraceTable *table, const Concrete *concrete)
{
    if (table->dropped == NULL) {
        table->dropped =
            ctx_alloc_zero(&vm->ctx, DROPPED_KEPT * sizeof(DroppedTrace));
    }
    if (table->dropped == NULL) {
        raise_clear(vm);
        return;
    }
    uint64_t hash = hash_key(&concrete->key);
    table->dropped[hash % DROPPED_KEPT] =
        (DroppedTrace){hash, concrete->number};
}

// Drops the least recently used trace that is not running.
static void evict(Vm *vm, TraceTable *table)
{
    Concrete *oldest = table->oldest;
    // One that runs is on the C stack, perhaps of a call that this very trace
    // was made for.
    while (oldest != NULL && oldest->running > 0) {
        oldest = oldest->newer;
    }
    // All of them run: the table goes over its limit rather than refuse a
    // call.
    if (oldest == NULL) {
        return;
    }
    tell_dropped(vm, oldest, table->limit);
    keep_dropped(vm, table, oldest);
    traces_remove(vm, table, oldest);
}

// Room is made first, so that the new trace is not the one to go.
bool traces_add(Vm *vm, TraceTable *table, Concrete *concrete,
                const Signature *signature)
{
    // One that is no longer good (of another outer trace) gives way.
    Concrete *old = map_concrete(&table->by_key, &concrete->key);
    if (old != NULL) {
        traces_remove(vm, table, old);
    }
    if (table->count >= table->limit) {
        evict(vm, table);
    }
    if (!vec_push(&vm->ctx, &table->traces, concrete)) {
        return false;
    }
    (void)object_retain(concrete);
    concrete->table = table;
    link_uses(concrete);
    concrete->place = table->traces.count - 1;
    table->count++;
    chain(table, concrete);
    // A failure from here on takes the trace out again by the ordinary way,
    // which does not mind that some index lacks it.
    if (!map_put(&table->by_key, strbuf_text(&concrete->key),
                 concrete->key.length, (uintptr_t)concrete) ||
        !add_general(table, concrete, signature)) {
        traces_remove(vm, table, concrete);
        return false;
    }
    return true;
}

// The spec that covers leaf `index` and the same input of all traces in the
// chain.
static Spec *join_types(Vm *vm, const Concrete *chain,
                        const Signature *signature, size_t index)
{
    // A joined type borrows its dims from the room that it was made in, so two
    // rooms take turns: the next join reads one and writes the other.
    Shape rooms[2];
    TensorType joined = signature_type(signature, index), type;
    int turn = 0;
    for (; chain != NULL; chain = chain->next_general) {
        size_t at = 0;
        // Inputs of a graph can only be walked from the start: captures stand
        // among the arguments.
        for (size_t i = 0; i <= index; i++) {
            if (!input_type(chain, &at, &type)) {
                return spec_new(vm, joined, NULL);
            }
        }
        joined = graph_type_join(joined, type, &rooms[turn]);
        turn = !turn;
    }
    return spec_new(vm, joined, NULL);
}

// A pattern for each tensor; dtypes and all else are in the relaxed key and so
// are equal already.
bool traces_relax(Vm *vm, TraceTable *table, Signature *signature)
{
    // Traces that differ in sizes only have the same relaxed key.
    StrBuf key;
    strbuf_init(&key, &vm->ctx);
    bool ok = signature_relaxed(signature, &key);
    const Concrete *chain = ok ? map_concrete(&table->by_relaxed, &key) : NULL;
    strbuf_free(&key);
    if (chain == NULL) {
        return ok;
    }
    // Joined with the traces there are, so that a size that never differed
    // stays known.
    size_t count = signature->tensors.count, made = 0;
    // One more than is needed, so that no tensor at all is no allocation of
    // zero bytes.
    size_t size = (count + 1) * sizeof(Spec *);
    Spec **specs = ctx_alloc(&vm->ctx, size);
    ok = specs != NULL;
    while (ok && made < count) {
        specs[made] = join_types(vm, chain, signature, made);
        ok = specs[made] != NULL;
        made += ok;
    }
    // The specs are the signature's now, as far as it wants them; ours are
    // dropped.
    ok = ok && signature_generalise(vm, signature, specs);
    for (size_t i = 0; i < made; i++) {
        object_release(&vm->ctx, specs[i]);
    }
    ctx_free(&vm->ctx, specs, size);
    return ok;
}
