// Frozen reads as people are told of them.
#include <string.h>

#include "interp/core/raise.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/containers/sequence.h"
#include "stager/describe.h"
#include "stager/staged_fn.h"

// Names as the program writes them.
Str *frozen_name(Vm *vm, const Frozen *frozen, const FrozenRead *read)
{
    const FrozenRead *root = &frozen->reads.items[read->root];
    const Object *container = root->place->container->object;
    if (container == NULL) {
        return str_from(vm, "an object that is gone");
    }
    if (container->kind == KIND_CELL) {
        return str_printf(vm, "'%s' of an outer function",
                          root->spelled != NULL ? root->spelled->text : "?");
    }
    if (frozen_is_defaults(root)) {
        return str_printf(vm, "the defaults of %s()",
                          ((const Function *)container)->name->text);
    }
    if (root->spelled != NULL) {
        return str_printf(vm, "'%s'", root->spelled->text);
    }
    if (value_unbound(root->place->key)) {
        return str_from(vm, "the names that globals() gives");
    }
    const char *name = value_as_str(root->place->key)->text;
    switch (container->kind) {
    case KIND_DICT: return str_printf(vm, "global '%s'", name);
    case KIND_TYPE:
        return str_printf(vm, "attribute '%s' of %s", name,
                          type_name((const Type *)container));
    default:
        return str_printf(vm, "attribute '%s' of %s", name,
                          type_name(container->type));
    }
}

// How a value is looked for in what the trace read lately: a captured one was
// read just before, or stands among what was, not too deep.
enum { NAMED_READS = 64, NAMED_DEPTH = 4, NAMED_ITEMS = 128 };

typedef struct NameSearch {
    Value wanted;
    Value steps[NAMED_DEPTH]; // keys and indices on the way, borrowed
    int depth;                // of the steps
    int left;                 // items that may still be looked at
} NameSearch;

static bool find_below(NameSearch *search, Value v);

static bool find_step(NameSearch *search, Value step, Value item)
{
    search->steps[search->depth++] = step;
    if (find_below(search, item)) {
        return true;
    }
    search->depth--;
    return false;
}

// Whether v is what is wanted, or holds it; the steps are then the way to it.
static bool find_below(NameSearch *search, Value v)
{
    if (value_same(v, search->wanted)) {
        return true;
    }
    bool found = false;
    bool list = value_is_kind(v, KIND_LIST), dict = value_is_kind(v, KIND_DICT);
    if (search->depth == NAMED_DEPTH) {
        return false;
    }
    if (list || value_is_kind(v, KIND_TUPLE)) {
        size_t count =
            list ? value_as_list(v)->count : value_as_tuple(v)->count;
        const Value *items =
            list ? value_as_list(v)->items : value_as_tuple(v)->items;
        for (size_t i = 0; !found && i < count && search->left-- > 0; i++) {
            found = find_step(search, value_from_small((int64_t)i), items[i]);
        }
    } else if (dict) {
        bool walked = value_as_dict(v)->walked; // the program did not
        uint32_t at = 0;
        for (Value key, item; !found && search->left-- > 0 &&
                              dict_next(value_as_dict(v), &at, &key, &item);) {
            found = (value_is_str(key) || value_is_int(key)) &&
                    find_step(search, key, item);
        }
        value_as_dict(v)->walked = walked;
    }
    return found;
}

static void put_steps(Vm *vm, const NameSearch *search, StrBuf *out)
{
    for (int i = 0; i < search->depth && strbuf_ok(out); i++) {
        Str *step = value_repr(vm, search->steps[i]);
        strbuf_printf(out, "[%s]", step != NULL ? step->text : "");
        object_release_null(&vm->ctx, step);
    }
}

bool frozen_spelled(Vm *vm, const Frozen *frozen, Value v, StrBuf *out)
{
    NameSearch search = {.wanted = v, .left = NAMED_ITEMS};
    size_t count = frozen->reads.count;
    for (size_t i = count; i > 0 && count - i < NAMED_READS; i--) {
        const FrozenRead *read = &frozen->reads.items[i - 1];
        bool named = read->place->container->object != NULL &&
                     (read->spelled != NULL || value_is_str(read->place->key));
        if (named && find_below(&search, frozen_present(vm, read))) {
            strbuf_puts(out, read->spelled != NULL
                                 ? read->spelled->text
                                 : value_as_str(read->place->key)->text);
            put_steps(vm, &search, out);
            return true;
        }
    }
    return false;
}

// --- what was there ---

// How deep what was seen is built anew.
enum { SEEN_DEPTH = 8 };

static Value seen_value(Vm *vm, const Frozen *frozen, Value weak, int depth);

// The items that the trace saw in a container; NULL: not kept.
static const Tuple *seen_items(const Frozen *frozen, Value container)
{
    for (size_t i = 0; i < frozen->reads.count; i++) {
        const FrozenRead *read = &frozen->reads.items[i];
        if (value_unbound(read->place->key) &&
            read->place->container->object == value_object(container)) {
            return value_is_kind(read->items, KIND_TUPLE)
                       ? value_as_tuple(read->items)
                       : NULL;
        }
    }
    return NULL;
}

// Adds what the walk over a container gave (frozen.c): items, or keys and
// values in turn.
static bool put_items(Vm *vm, const Frozen *frozen, const Tuple *items,
                      Value made, int depth)
{
    bool ok = true;
    size_t step = value_is_kind(made, KIND_DICT) ? 2 : 1;
    for (size_t i = 0; ok && i + step <= items->count; i += step) {
        Value first = seen_value(vm, frozen, items->items[i], depth + 1);
        Value second =
            step == 1 || value_failed(first)
                ? VALUE_NONE
                : seen_value(vm, frozen, items->items[i + 1], depth + 1);
        ok = !value_failed(first) && !value_failed(second);
        if (ok && step == 2) {
            ok = dict_set(vm, value_as_dict(made), first, second);
        } else if (ok && value_is_kind(made, KIND_SET)) {
            ok = set_add(vm, (Set *)value_object(made), first);
        } else if (ok) {
            ok = list_append(vm, value_as_list(made), first);
        }
        release(vm, first);
        release(vm, second);
    }
    return ok;
}

// The value as it was: what holds others is built anew of what it held. Owned.
static Value seen_value(Vm *vm, const Frozen *frozen, Value weak, int depth)
{
    Value v = identity_value(vm, weak);
    bool holds = value_is_kind(v, KIND_LIST) || value_is_kind(v, KIND_DICT) ||
                 value_is_kind(v, KIND_SET);
    const Tuple *items =
        holds && depth < SEEN_DEPTH ? seen_items(frozen, v) : NULL;
    if (items == NULL) {
        return identity_leaf(vm, weak, NULL);
    }
    void *made = value_is_kind(v, KIND_LIST)   ? (void *)list_new(vm, 0)
                 : value_is_kind(v, KIND_DICT) ? (void *)dict_new(vm)
                                               : (void *)set_new(vm, false);
    if (made != NULL &&
        !put_items(vm, frozen, items, value_from_object(made), depth)) {
        object_release(&vm->ctx, made);
        made = NULL;
    }
    return value_or_fail(made);
}

Str *frozen_change(Vm *vm, const Frozen *frozen, const FrozenRead *read)
{
    char before[80] = "nothing", after[80] = "nothing";
    bool whole = value_unbound(read->place->key);
    Value now = frozen_present(vm, read);
    Value weak = whole ? now : read->seen;
    // An object's own attribute hides the class's, which the trace saw.
    for (const FrozenRead *other = read + 1;
         value_unbound(weak) && other < &vec_last(&frozen->reads) + 1 &&
         other->spelled != NULL && read->spelled != NULL &&
         strcmp(other->spelled->text, read->spelled->text) == 0;
         other++) {
        weak = other->seen;
    }
    Value seen =
        value_unbound(weak) ? VALUE_NONE : seen_value(vm, frozen, weak, 0);
    bool ok =
        !value_failed(seen) &&
        (value_unbound(weak) ||
         describe_value(vm, seen, before, sizeof before)) &&
        (value_unbound(now) || describe_value(vm, now, after, sizeof after));
    release(vm, seen);
    bool same = strcmp(before, after) == 0; // what it held is not kept
    return ok ? str_printf(vm, "%s%s%s", same ? "now " : before,
                           same ? "" : " -> ", after)
              : NULL;
}

// --- lists of reads ---

// What people mean by a value that was read: no absence, no module, no native
// function, no method of a class, no default. Those are shown once they have
// changed.
static bool is_shown(const Vm *vm, const FrozenRead *read)
{
    Value seen = identity_value(vm, read->seen);
    const Object *container = read->place->container->object;
    bool of_class = container != NULL && container->kind == KIND_TYPE;
    return !value_unbound(read->seen) && !frozen_is_defaults(read) &&
           !value_is_kind(seen, KIND_MODULE) &&
           !value_is_kind(seen, KIND_NATIVE) &&
           !(of_class && value_is_kind(seen, KIND_FUNCTION));
}

size_t frozen_count(const Vm *vm, const Frozen *frozen)
{
    size_t count = 0;
    for (size_t i = 0; i < frozen->reads.count; i++) {
        const FrozenRead *read = &frozen->reads.items[i];
        count += read->root == i && is_shown(vm, read);
    }
    return count;
}

// Whether what was reached by a read has changed; -1: failed. What lies below
// stands behind it.
static int root_changed(Vm *vm, const Frozen *frozen, uint32_t root)
{
    for (size_t i = root; i < frozen->reads.count; i++) {
        const FrozenRead *read = &frozen->reads.items[i];
        if (read->root != root || (read->own && !read->marked)) {
            continue;
        }
        int same = frozen_compare(vm, read);
        if (same <= 0) {
            return same < 0 ? -1 : 1;
        }
    }
    return 0;
}

// (trace, line, place, value, changed since)
static bool add_rows(Vm *vm, const Frozen *frozen, List *list)
{
    for (uint32_t i = 0; i < frozen->reads.count; i++) {
        const FrozenRead *read = &frozen->reads.items[i];
        int changed = read->root == i ? root_changed(vm, frozen, i) : 0;
        if (read->root != i || (changed == 0 && !is_shown(vm, read))) {
            continue;
        }
        Str *place = changed >= 0 ? frozen_name(vm, frozen, read) : NULL;
        Value row[5] = {value_from_small((int64_t)frozen->trace),
                        value_from_small(read->line), value_or_fail(place),
                        seen_value(vm, frozen, read->seen, 0),
                        value_from_bool(changed > 0)};
        Value tuple = tuple_of_owned(vm, row, 5);
        if (value_failed(tuple) || !list_append_owned(vm, list, tuple)) {
            return false;
        }
    }
    return true;
}

// Of all traces, oldest first. Asking changes nothing: no note is spent, no
// value accepted.
Value frozen_method(Vm *vm, Value *args)
{
    const StagedFunction *staged = staged_from(vm, args[1], "frozen");
    if (staged == NULL) {
        return VALUE_FAIL;
    }
    List *list = list_new(vm, 0);
    size_t at = 0;
    for (const Concrete *c;
         list != NULL && (c = traces_next(&staged->table, &at)) != NULL;) {
        if (!add_rows(vm, &c->frozen, list)) {
            object_release(&vm->ctx, list);
            return VALUE_FAIL;
        }
    }
    return value_or_fail(list);
}
