// Arguments that a trace changes.
#include "stager/written.h"

#include "interp/core/raise.h"
#include "interp/hooks/note.h"
#include "interp/objects/classes/attr.h"
#include "interp/objects/classes/obj_member.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/protocol/protocol.h"
#include "stager/content.h"
#include "stager/either.h"
#include "stager/poison.h"
#include "stager/staged_fn.h"
#include "stager/trace.h"

// Adds the containers in a tree, inner ones first.
static bool collect(Vm *vm, Value v, ValueVec *out)
{
    StructureKind kind = structure_kind(vm, v);
    if (kind == STRUCTURE_LEAF) {
        return true;
    }
    ValueVec children = {0};
    bool ok = ctx_enter(&vm->ctx);
    if (ok) {
        ok = kind == STRUCTURE_SET || structure_children(vm, v, &children);
        for (size_t i = 0; ok && i < children.count; i++) {
            ok = collect(vm, children.items[i], out);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &children);
    bool changes = kind == STRUCTURE_LIST || kind == STRUCTURE_STAGED ||
                   kind == STRUCTURE_DICT || kind == STRUCTURE_DATACLASS ||
                   value_is_kind(v, KIND_SET);
    return ok && (!changes || structure_push(vm, out, value_retain(v)));
}

static bool collect_all(Vm *vm, const Bound *bound, Given *given)
{
    bool ok = true;
    for (size_t i = 0; ok && i < bound->values.count; i++) {
        ok = collect(vm, bound->values.items[i], &given->containers);
        while (ok && given->arguments.count < given->containers.count) {
            ok = vec_push(&vm->ctx, &given->arguments, i);
        }
    }
    return ok;
}

// What it holds, one level deep: of a dataclass its fields and attributes, by
// their names.
static Value take(Vm *vm, Value container)
{
    if (structure_kind(vm, container) != STRUCTURE_DATACLASS) {
        return content_take(vm, value_object(container));
    }
    ValueVec fields = {0}, names = {0};
    bool ok = structure_children(vm, container, &fields) &&
              structure_keys(vm, container, &names);
    for (size_t i = 0; ok && i < names.count; i++) {
        ok = structure_push(vm, &fields, value_retain(names.items[i]));
    }
    structure_free(vm, &names);
    Tuple *content = ok ? tuple_from(vm, fields.items, fields.count) : NULL;
    structure_free(vm, &fields);
    return value_or_fail(content);
}

bool written_open(Vm *vm, const Bound *bound, Given *given)
{
    bool ok = collect_all(vm, bound, given);
    for (size_t i = 0; ok && i < given->containers.count; i++) {
        Value container = given->containers.items[i];
        value_object(container)->flags |= OBJECT_STANDS_IN;
        ok = structure_push(vm, &given->contents, take(vm, container));
    }
    return ok;
}

void written_free(Vm *vm, Given *given)
{
    structure_free(vm, &given->containers);
    structure_free(vm, &given->contents);
    vec_free(&vm->ctx, &given->arguments);
}

void written_note(Vm *vm, Trace *trace, const Object *container)
{
    const Given *given = trace->given;
    for (size_t i = 0; given != NULL && i < given->containers.count; i++) {
        if (value_object(given->containers.items[i]) == container) {
            event_add(vm, trace->events, EVENT_OBJECT,
                      "an argument, changed when the call ends", VALUE_NONE);
            trace->given = given = NULL; // once is enough
        }
    }
}

// --- what has changed ---

static bool same_lists(const List *a, const List *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = value_same(a->items[i], b->items[i]);
    }
    return same;
}

// In one order.
static bool same_dicts(const Dict *a, const Dict *b)
{
    uint32_t at = 0, other = 0;
    Value key, value, twin, second;
    bool same = a->count == b->count;
    while (same && dict_next(a, &at, &key, &value)) {
        same = dict_next(b, &other, &twin, &second) && value_same(key, twin) &&
               value_same(value, second);
    }
    return same;
}

static bool same_sets(const Set *a, const Set *b)
{
    size_t at = 0, other = 0;
    Value key, twin;
    bool same = a->count == b->count;
    while (same && set_next(a, &at, &key)) {
        same = set_next(b, &other, &twin) && value_same(key, twin);
    }
    return same;
}

// Parts of contents: the very same elements; tracing hands them on.
static bool same_part(Value a, Value b)
{
    if (value_same(a, b)) {
        return true;
    }
    if (!value_is_object(a) || !value_is_object(b) ||
        value_object(a)->kind != value_object(b)->kind) {
        return false;
    }
    switch (value_object(a)->kind) {
    case KIND_LIST: return same_lists(value_as_list(a), value_as_list(b));
    case KIND_DICT: return same_dicts(value_as_dict(a), value_as_dict(b));
    case KIND_SET:
        return same_sets((const Set *)value_object(a),
                         (const Set *)value_object(b));
    default: return false;
    }
}

// 1: it holds other things than before; -1: an error is pending.
static int has_changed(Vm *vm, Value container, Value before)
{
    if (poison_is(vm, container)) {
        return 1; // on one side at least
    }
    Value now = take(vm, container);
    if (value_failed(now)) {
        return -1;
    }
    const Tuple *a = value_as_tuple(before), *b = value_as_tuple(now);
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = same_part(a->items[i], b->items[i]);
    }
    release(vm, now);
    return !same;
}

// A Variable comes back as its value, which is not what stood there.
static bool holds_variable(Vm *vm, Value v)
{
    ValueVec children = {0};
    bool found = value_is_kind(v, KIND_VARIABLE);
    if (structure_kind(vm, v) != STRUCTURE_LEAF && ctx_enter(&vm->ctx)) {
        // Without memory any answer is as good: the error is pending.
        found = !structure_children(vm, v, &children);
        for (size_t i = 0; !found && i < children.count; i++) {
            found = holds_variable(vm, children.items[i]);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &children);
    return found;
}

// With signature= the trace and the call see other containers.
static bool check_change(Vm *vm, const TraceRequest *request, Value container,
                         const char *name)
{
    bool fits = request->staged->options.signature == NULL &&
                !holds_variable(vm, container);
    return !vm_has_error(vm) &&
           (fits || raise_false(vm, ERR_VALUE,
                                "%s changes its argument '%s' while it is "
                                "traced; change a copy, and return it",
                                request->name->text, name));
}

// What a container holds where choices are looked for: another one of its kind,
// or the choice of what two sides left. UNBOUND: nobody sees that. Owned.
static Value opened(Vm *vm, Value container)
{
    StructureKind kind = structure_kind(vm, container);
    bool copies = kind == STRUCTURE_LIST || kind == STRUCTURE_DICT ||
                  kind == STRUCTURE_DATACLASS;
    if (poison_is(vm, container)) {
        return value_retain(poison_choice(vm, container, vm->trace->block));
    }
    if (!copies || !vm->trace->undecided) {
        return value_retain(container);
    }
    ValueVec children = {0};
    Value copy = structure_children(vm, container, &children)
                     ? structure_rebuild(vm, container, &children)
                     : VALUE_FAIL;
    structure_free(vm, &children);
    return copy;
}

// What a call is to write, with a choice where two sides left what is not one;
// `given` are containers with contents of their own. Owned.
static Value content_of(Vm *vm, Value container, const ValueVec *given,
                        bool *either)
{
    bool any = false;
    Value held = opened(vm, container);
    if (value_unbound(held)) {
        return poison_raise(vm, container);
    }
    Value content =
        value_failed(held)
            ? VALUE_FAIL
            : either_expand(vm, held, vm->trace->block, NULL, given, &any);
    release(vm, held);
    *either |= any;
    return content;
}

bool written_close(Vm *vm, const TraceRequest *request, Given *given,
                   Concrete *concrete)
{
    Written *written = &concrete->written;
    bool any = false, ok = true;
    for (size_t i = 0; ok && i < given->containers.count; i++) {
        Value container = given->containers.items[i];
        Value *content = &given->contents.items[i];
        int changed = has_changed(vm, container, *content);
        const char *name = bound_name(request->target, request->bound,
                                      given->arguments.items[i]);
        ok = changed == 0 ||
             (changed > 0 && check_change(vm, request, container, name));
        // What is written back has the order of this call.
        if (ok && changed > 0 &&
            (value_is_kind(container, KIND_DICT) ||
             poison_is_dict(vm, container))) {
            value_as_dict(container)->walked = true;
        }
        Value now = ok && changed > 0
                        ? content_of(vm, container, &given->containers,
                                     &concrete->either)
                        : VALUE_UNBOUND;
        ok = ok && !value_failed(now);
        value_replace(&vm->ctx, content, ok ? now : VALUE_UNBOUND);
        any = any || changed > 0;
    }
    // The contents are known: from now on it is which containers they are.
    for (size_t i = 0; ok && any && i < given->containers.count; i++) {
        poison_lift(vm, value_object(given->containers.items[i]));
        ok = structure_push(vm, &written->copies,
                            value_retain(given->containers.items[i]));
    }
    return ok;
}

// --- writing ---

static bool fail(Vm *vm, const Concrete *concrete, Value container,
                 const char *why)
{
    return raise_false(vm, ERR_SIGNATURE,
                       "%s changes an argument, a '%s' that %s; pass a copy, "
                       "and return it",
                       concrete->name->text,
                       type_name(value_object(container)->type), why);
}

// In a trace two names of one container were two, or a value of the host's.
static bool check(Vm *vm, const Concrete *concrete, const ValueVec *all,
                  size_t place)
{
    Value container = all->items[place];
    for (size_t i = 0; i < all->count; i++) {
        if (i != place && value_same(all->items[i], container)) {
            return fail(vm, concrete, container, "the call gives twice");
        }
    }
    return !(value_object(container)->flags & OBJECT_WATCHED) ||
           fail(vm, concrete, container, "a trace has read from outside");
}

// The call's own containers, `places` being empty; those that are to be written
// are known by one name.
static bool find_places(Vm *vm, const Concrete *concrete, const Bound *bound,
                        Given *places)
{
    const ValueVec *contents = &concrete->written.contents;
    bool ok = collect_all(vm, bound, places);
    for (size_t i = 0; ok && i < contents->count; i++) {
        ok = value_unbound(contents->items[i]) ||
             check(vm, concrete, &places->containers, i);
    }
    return ok;
}

bool written_fits(Vm *vm, const Concrete *concrete, const Bound *bound)
{
    Given places = {0};
    bool ok = find_places(vm, concrete, bound, &places);
    written_free(vm, &places);
    return ok;
}

// An enclosing trace sees each value that is stored.
static bool note_items(Vm *vm, Value container, Value made)
{
    ValueVec children = {0};
    bool ok = note_store(vm, value_object(container), VALUE_UNBOUND) &&
              (vm->trace == NULL || structure_children(vm, made, &children));
    for (size_t i = 0; ok && i < children.count; i++) {
        ok = note_store(vm, value_object(container), children.items[i]);
    }
    structure_free(vm, &children);
    return ok;
}

// What the other has not goes.
static bool drop_attributes(Vm *vm, Value container, Value made)
{
    ValueVec keys = {0};
    bool ok = structure_keys(vm, container, &keys);
    for (size_t i = 0; ok && i < keys.count; i++) {
        Str *name = value_as_str(keys.items[i]);
        ok = value_unbound(member_peek(vm, value_object(container), name)) ||
             !value_unbound(member_peek(vm, value_object(made), name)) ||
             attr_set_generic(vm, container, name, VALUE_UNBOUND);
    }
    structure_free(vm, &keys);
    return ok;
}

static bool write_attributes(Vm *vm, Value container, Value made)
{
    ValueVec keys = {0};
    bool ok =
        drop_attributes(vm, container, made) && structure_keys(vm, made, &keys);
    for (size_t i = 0; ok && i < keys.count; i++) {
        Str *name = value_as_str(keys.items[i]);
        Value value = value_get_attr(vm, made, name);
        ok = !value_failed(value) &&
             attr_set_generic(vm, container, name, value);
        release(vm, value);
    }
    structure_free(vm, &keys);
    return ok;
}

static bool write_back(Vm *vm, Value container, Value made)
{
    if (structure_kind(vm, made) == STRUCTURE_DATACLASS) {
        return write_attributes(vm, container, made);
    }
    Value content = note_items(vm, container, made)
                        ? content_take(vm, value_object(made))
                        : VALUE_FAIL;
    bool ok = !value_failed(content) &&
              content_put(vm, value_object(container), content);
    release(vm, content);
    return ok;
}

Value written_unpack(Vm *vm, const Concrete *concrete, const Bound *bound,
                     LeafFn leaf, void *data)
{
    Given places = {0};
    ValueVec made = {0};
    Value result = VALUE_FAIL;
    if (find_places(vm, concrete, bound, &places)) {
        Placed placed = {&concrete->written.copies, &concrete->written.contents,
                         &places.containers, &made};
        result = structure_map_placed(vm, concrete->result, &placed, leaf, NULL,
                                      data);
    }
    bool ok = !value_failed(result);
    for (size_t i = 0; ok && i < made.count; i++) {
        // What tensors choose is known only now.
        made.items[i] =
            concrete->either ? either_choose(vm, made.items[i]) : made.items[i];
        ok = value_unbound(made.items[i]) ||
             (!value_failed(made.items[i]) &&
              write_back(vm, places.containers.items[i], made.items[i]));
    }
    written_free(vm, &places);
    structure_free(vm, &made);
    if (!ok && !value_failed(result)) {
        release(vm, result);
        return VALUE_FAIL;
    }
    return result;
}
