// Effects and frozen reads of a trace: recorded by the hooks, compared later.
//
// Invariant: a container that has a read here is marked OBJECT_WATCHED, so a
// store to it moves the epoch. Containers made in the trace itself are of no
// concern, nor is the embedded library, which nobody changes.
#include "stager/ledger.h"

#include "interp/core/raise.h"

#include "interp/objects/classes/obj_instance.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/concrete.h"
#include "stager/leak.h"
#include "stager/staged_fn.h"
#include "stager/structure.h"
#include "stager/trace.h"

// Empty, and right to free.
void ledger_init(Vm *vm, Ledger *ledger)
{
    *ledger = (Ledger){0};
    map_init(&ledger->places, &vm->ctx);
}

// Everything in the rows is counted.
void ledger_free(Vm *vm, Ledger *ledger)
{
    for (size_t i = 0; i < ledger->effects.count; i++) {
        object_release_null(&vm->ctx, ledger->effects.items[i].text);
        object_release_null(&vm->ctx, ledger->effects.items[i].value);
    }
    for (size_t i = 0; i < ledger->reads.count; i++) {
        FrozenRead *read = &ledger->reads.items[i];
        object_release(&vm->ctx, read->container);
        release(vm, read->key);
        release(vm, read->value);
        release(vm, read->items);
    }
    vec_free(&vm->ctx, &ledger->effects);
    vec_free(&vm->ctx, &ledger->reads);
    map_free(&ledger->places);
}

// Whether the past has an effect of the same place.
static bool is_kept(const Ledger *past, const Effect *effect)
{
    for (size_t i = 0; i < past->effects.count; i++) {
        const Effect *other = &past->effects.items[i];
        if (other->line == effect->line &&
            strcmp(other->what, effect->what) == 0) {
            return true;
        }
    }
    return false;
}

void ledger_keep(Vm *vm, Ledger *past, Ledger *from)
{
    for (size_t i = 0; i < from->effects.count; i++) {
        Effect *effect = &from->effects.items[i];
        if (past->effects.count >= LEDGER_MAX_EFFECTS ||
            is_kept(past, effect)) {
            continue;
        }
        if (!vec_push(&vm->ctx, &past->effects, *effect)) {
            raise_clear(vm);
            return;
        }
        *effect = (Effect){.line = effect->line, .what = effect->what};
    }
}

// Reads hold no object, but texts and tuples.
void ledger_visit(const Ledger *ledger, void (*visit)(Object *, void *),
                  void *data)
{
    for (size_t i = 0; i < ledger->reads.count; i++) {
        const FrozenRead *read = &ledger->reads.items[i];
        Value owned[] = {read->key, read->value, read->items};
        values_visit(owned, sizeof owned / sizeof *owned, visit, data);
    }
}

// Whether the running code is the embedded library's.
static bool in_library(Vm *vm)
{
    return vm->frame != NULL && vm->frame->code->source->library;
}

// --- Effects ---

// What is told of a value: numbers, texts and tensors as they print, of all
// else the type. Runs no code of the program.
static Str *short_text(Vm *vm, Value v)
{
    // All else could run a __repr__ of the program.
    bool simple = value_is_special(v) || value_is_integer(v) ||
                  value_is_float(v) || value_is_str(v) ||
                  value_is_kind(v, KIND_SYMBOLIC);
    return simple ? value_repr(vm, v)
                  : str_printf(vm, "<%s>", type_name(type_of(vm, v)));
}

// The library's own bookkeeping is no effect of the program. Rows are bounded:
// a loop that appends a million times is one effect to a reader.
static bool add_effect(Vm *vm, const char *what, Value value)
{
    Ledger *ledger = vm->trace->ledger;
    if (ledger == NULL || in_library(vm)) {
        return true;
    }
    // The rest is not kept, but that there was more is.
    if (ledger->effects.count >= LEDGER_MAX_EFFECTS) {
        ledger->truncated = true;
        return true;
    }
    // Only what it was, not the container: that may die with the call.
    Effect effect = {.what = what, .trace = vm->trace->request->number};
    if (!value_unbound(value)) {
        effect.value = short_text(vm, value);
        if (effect.value == NULL) {
            return false;
        }
    }
    if (!trace_line(vm, &effect.line, &effect.text) ||
        !vec_push(&vm->ctx, &ledger->effects, effect)) {
        object_release_null(&vm->ctx, effect.text);
        object_release_null(&vm->ctx, effect.value);
        return false;
    }
    return true;
}

// Effects that no container shows; see note_effect.
bool ledger_effect(Vm *vm, const char *what, Value value)
{
    return add_effect(vm, what, value);
}

// What kind of place was changed, in a word for the ledger.
static const char *container_word(Vm *vm, const Object *container)
{
    switch (container->kind) {
    case KIND_LIST: return "list";
    case KIND_DICT:
        // The dict of the running module's names.
        return vm->frame != NULL &&
                       container == (const Object *)vm->frame->globals
                   ? "global"
                   : "dict";
    case KIND_SET: return "set";
    case KIND_CELL: return "variable";
    case KIND_TYPE: return "class attribute";
    default: return "attribute";
    }
}

// A container made in this trace goes with it; storing there is the trace's own
// affair.
bool ledger_store(Vm *vm, Object *container, Value value)
{
    if (era_has(vm, vm->trace->era, container)) {
        return true;
    }
    return leak_store(vm, container, value) &&
           add_effect(vm, container_word(vm, container), value);
}

// --- Frozen reads ---

// What the place holds now, borrowed; UNBOUND: nothing.
static Value present_value(Vm *vm, const FrozenRead *read)
{
    Object *container = read->container->object;
    if (container == NULL) {
        return identity_value(vm, read->value); // nobody can change it now
    }
    switch (container->kind) {
    case KIND_DICT:
        return dict_get_name((Dict *)container, value_as_str(read->key));
    case KIND_CELL: return ((const Cell *)container)->value;
    case KIND_TYPE:
        return type_lookup(vm, (Type *)container, value_as_str(read->key));
    default:
        // The instance's own: what a class computes is no place.
        return member_peek(vm, container, value_as_str(read->key));
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

// Values whose identity says nothing about their content.
static bool is_mutable(Value v)
{
    return value_is_kind(v, KIND_LIST) || value_is_kind(v, KIND_DICT) ||
           value_is_kind(v, KIND_SET);
}

// What is kept of a list, dict or set to see a change: its items, or a hash
// of many. Owned; NONE for all else.
static Value snapshot(Vm *vm, Value v)
{
    if (!is_mutable(v)) {
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
        result = tuple != NULL ? value_from_object(tuple) : VALUE_FAIL;
    }
    structure_free(vm, &items);
    return result;
}

// Numbers, texts, and tuples of such, which are compared by value.
static bool is_plain(Value v, int depth)
{
    // Deeper ones count as changed where they are not the same object.
    if (value_is_kind(v, KIND_TUPLE) && depth < 4) {
        const Tuple *tuple = value_as_tuple(v);
        for (size_t i = 0; i < tuple->count; i++) {
            if (!is_plain(tuple->items[i], depth + 1)) {
                return false;
            }
        }
        return true;
    }
    return value_is_integer(v) || value_is_float(v) || value_is_str(v) ||
           value_is_kind(v, KIND_BYTES);
}

// 1: the same for a trace; 0: not; -1: failed.
static int same_value(Vm *vm, Value a, Value b)
{
    if (value_same(a, b)) {
        return 1;
    }
    // Only plain values are compared by ==, which then runs no code of the
    // program.
    if (value_unbound(a) || value_unbound(b) || !is_plain(a, 0) ||
        !is_plain(b, 0) || type_of(vm, a) != type_of(vm, b)) {
        return 0;
    }
    return value_equal(vm, a, b);
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
            count < old->count
                ? same_value(vm, identity_value(vm, old->items[count]), item)
                : 0;
        if (same <= 0) {
            return same;
        }
    }
    // It may have become shorter.
    return count == old->count;
}

// 1: the trace is still right about this place; 0: not; -1: failed.
static int is_unchanged(Vm *vm, const FrozenRead *read)
{
    // Borrowed, and no code runs before it is done with.
    Value now = present_value(vm, read);
    int same = same_value(vm, identity_value(vm, read->value), now);
    return same > 0 && is_mutable(now) ? same_items(vm, now, read->items)
                                       : same;
}

// The list or dict is watched from now on: its own stores move the epoch.
bool ledger_accept(Vm *vm, FrozenRead *read)
{
    Value now = present_value(vm, read);
    Value items = snapshot(vm, now);
    Value value = value_failed(items) ? VALUE_FAIL : identity_weaken(vm, now);
    if (value_failed(value)) {
        release(vm, items);
        return false;
    }
    value_replace(&vm->ctx, &read->items, items);
    value_replace(&vm->ctx, &read->value, value);
    if (is_mutable(now)) {
        value_object(now)->flags |= OBJECT_WATCHED;
    }
    return true;
}

// What the trace itself stored is no change: later calls start from there.
bool ledger_close(Vm *vm, Ledger *ledger)
{
    for (size_t i = 0; i < ledger->reads.count; i++) {
        if (!ledger_accept(vm, &ledger->reads.items[i])) {
            return false;
        }
    }
    map_free(&ledger->places); // needed while tracing only
    ledger->epoch = vm->watch_epoch;
    return true;
}

// Told ones are passed over, so that a note comes once.
FrozenRead *ledger_changed(Vm *vm, Ledger *ledger, bool *failed)
{
    *failed = false;
    for (size_t i = 0; i < ledger->reads.count; i++) {
        FrozenRead *read = &ledger->reads.items[i];
        int same = is_unchanged(vm, read);
        if (same < 0) {
            *failed = true;
            return NULL;
        }
        // The first one only: each is dealt with before the next is looked
        // for.
        if (same == 0 && !read->noted) {
            return read;
        }
    }
    return NULL;
}

// Modules, and what only the machine reads, are never changed by a program
// that means it.
static bool is_watched_value(Value v)
{
    return !value_is_kind(v, KIND_MODULE) && !value_is_kind(v, KIND_NATIVE) &&
           !value_is_kind(v, KIND_SYMBOLIC);
}

// The first read of a place counts; later ones give the same or what the trace
// stored itself.
static bool add_read(Vm *vm, Ledger *ledger, Object *container, Value key,
                     Value value)
{
    // Names are interned, so a key's bits identify it; a container that dies
    // within the trace was made in it.
    uint64_t place[2] = {(uintptr_t)container, VALUE_BITS(key)};
    if (map_get(&ledger->places, (const char *)place, sizeof place) != NULL) {
        return true;
    }
    FrozenRead read = {.container = identity_of(vm, container),
                       .key = key,
                       .value = identity_weaken(vm, value),
                       .items = VALUE_NONE,
                       .trace = vm->trace->request->number};
    Str *text = NULL;
    bool ok = read.container != NULL && !value_failed(read.value) &&
              trace_line(vm, &read.line, &text) &&
              map_put(&ledger->places, (const char *)place, sizeof place, 1) &&
              vec_push(&vm->ctx, &ledger->reads, read);
    object_release_null(&vm->ctx, text);
    if (!ok) {
        release(vm, read.value);
        return false;
    }
    (void)object_retain(read.container);
    (void)value_retain(key);
    return true;
}

bool ledger_read(Vm *vm, Object *container, Value key, Value value)
{
    Trace *trace = vm->trace;
    if (trace->ledger == NULL || !is_watched_value(value) ||
        era_has(vm, trace->era, container) || in_library(vm)) {
        return true;
    }
    return add_read(vm, trace->ledger, container, key, value);
}

// Names as the program writes them.
Str *ledger_place(Vm *vm, const FrozenRead *read)
{
    const Object *container = read->container->object;
    if (container == NULL) {
        return str_from(vm, "an object that is gone");
    }
    if (container->kind == KIND_CELL) {
        return str_printf(vm,
                          "the variable of an outer function read at "
                          "line %u",
                          read->line);
    }
    const char *name = value_as_str(read->key)->text;
    return container->kind == KIND_DICT
               ? str_printf(vm, "global '%s'", name)
               : str_printf(vm, "attribute '%s' of %s", name,
                            container->kind == KIND_TYPE
                                ? type_name((const Type *)container)
                                : type_name(container->type));
}

// --- For people ---

// `who` is the method's name, for the error.
static StagedFunction *need_staged(Vm *vm, Value v, const char *who)
{
    return value_is_staged(vm, v)
               ? (StagedFunction *)value_object(v)
               : raise_null(vm, ERR_TYPE, "stage.%s() takes a staged function",
                            who);
}

// A text that may be missing, as a value.
static Value text_or_none(Str *text)
{
    return text != NULL ? str_value(object_retain(text)) : VALUE_NONE;
}

// Appends a tuple of owned values to the list; takes them.
static bool append_row(Vm *vm, List *list, Value *row, size_t count)
{
    // VALUE_FAIL in a row is let through to here, so that rows can be
    // written as one expression.
    Value tuple = tuple_of_owned(vm, row, count);
    return !value_failed(tuple) && list_append_owned(vm, list, tuple);
}

// (trace, line, what, value, text of the line)
static bool effect_rows(Vm *vm, const Ledger *ledger, List *list)
{
    for (size_t i = 0; i < ledger->effects.count; i++) {
        const Effect *effect = &ledger->effects.items[i];
        Str *what = str_from(vm, effect->what);
        Value row[5] = {value_from_small((int64_t)effect->trace),
                        value_from_small(effect->line),
                        what != NULL ? str_value(what) : VALUE_FAIL,
                        text_or_none(effect->value),
                        text_or_none(effect->text)};
        if (!append_row(vm, list, row, 5)) {
            return false;
        }
    }
    return true;
}

// (trace, line, place, value, changed since)
static bool frozen_rows(Vm *vm, const Ledger *ledger, List *list)
{
    for (size_t i = 0; i < ledger->reads.count; i++) {
        const FrozenRead *read = &ledger->reads.items[i];
        int same = is_unchanged(vm, read);
        Str *place = same >= 0 ? ledger_place(vm, read) : NULL;
        Value value = identity_value(vm, read->value);
        Value row[5] = {value_from_small((int64_t)read->trace),
                        value_from_small(read->line),
                        place != NULL ? str_value(place) : VALUE_FAIL,
                        value_unbound(value) ? VALUE_NONE : value_retain(value),
                        value_from_bool(same == 0)};
        if (!append_row(vm, list, row, 5)) {
            return false;
        }
    }
    return true;
}

// The rows of all traces, oldest trace first, behind those of dropped ones.
static Value rows(Vm *vm, Value f, const char *who,
                  bool (*add)(Vm *vm, const Ledger *ledger, List *list))
{
    const StagedFunction *staged = need_staged(vm, f, who);
    List *list = staged != NULL ? list_new(vm, 0) : NULL;
    if (list == NULL) {
        return VALUE_FAIL;
    }
    if (!add(vm, &staged->table.past, list)) {
        object_release(&vm->ctx, list);
        return VALUE_FAIL;
    }
    size_t at = 0;
    for (const Concrete *c; (c = traces_next(&staged->table, &at)) != NULL;) {
        if (!add(vm, &c->ledger, list)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return value_from_object(list);
}

// A list, so that a program can look through it.
Value ledger_effects_method(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return rows(vm, args[1], "effects", effect_rows);
}

// Asking changes nothing: no note is spent, no value accepted.
Value ledger_frozen_method(Vm *vm, Value *args, uint32_t count)
{
    (void)count;
    return rows(vm, args[1], "frozen", frozen_rows);
}
