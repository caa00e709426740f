// Choices among results.
//
// Invariant: a choice is a plain tuple of a mark, the condition, and the two;
// the mark is a type that no program has. A deque among them is one of another
// mark, an empty one of its class, and a list of its items.
#include "stager/either.h"

#include <stdio.h>

#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/obj_set.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/content.h"
#include "stager/leak.h"
#include "stager/maybe.h"
#include "stager/poison.h"
#include "stager/stager.h"
#include "stager/structure.h"
#include "stager/trace.h"

enum {
    EITHER_MARK,
    EITHER_CONDITION,
    EITHER_FIRST,
    EITHER_SECOND,
    EITHER_SIZE
};

enum { QUEUE_MARK, QUEUE_MODEL, QUEUE_ITEMS, QUEUE_SIZE };

static Value mark_of(Vm *vm, int type)
{
    return value_from_object(stager_of(vm)->poison_types[type]);
}

static bool has_mark(Vm *vm, Value v, size_t size, int type)
{
    return value_is_kind(v, KIND_TUPLE) && value_as_tuple(v)->count == size &&
           value_same(value_as_tuple(v)->items[0], mark_of(vm, type));
}

bool either_is(Vm *vm, Value v)
{
    return has_mark(vm, v, EITHER_SIZE, POISON_VALUE);
}

// --- deques ---

static bool queue_is(Vm *vm, Value v)
{
    return has_mark(vm, v, QUEUE_SIZE, POISON_DEQUE);
}

Value either_queue(Vm *vm, Value deque, Value items)
{
    Value parts[QUEUE_SIZE] = {mark_of(vm, POISON_DEQUE)};
    parts[QUEUE_MODEL] =
        deque_alike(vm, value_object(deque)->type, deque_most(deque));
    parts[QUEUE_ITEMS] = items;
    if (value_failed(parts[QUEUE_MODEL])) {
        return VALUE_FAIL;
    }
    Tuple *made = tuple_from(vm, parts, QUEUE_SIZE);
    release(vm, parts[QUEUE_MODEL]);
    return value_or_fail(made);
}

// Takes the items, a list.
static Value make_deque(Vm *vm, Value queue, Value items)
{
    Value model = value_as_tuple(queue)->items[QUEUE_MODEL];
    Value made =
        value_failed(items)
            ? VALUE_FAIL
            : deque_alike(vm, value_object(model)->type, deque_most(model));
    if (!value_failed(made) && !deque_extend(vm, made, items)) {
        release(vm, made);
        made = VALUE_FAIL;
    }
    release(vm, items);
    return made;
}

// What a container holds, as one of its own.
static Value copy_items(Vm *vm, Value container)
{
    Value content = content_take(vm, value_object(container));
    Value items =
        value_failed(content)
            ? content
            : value_retain(value_as_tuple(content)->items[CONTENT_ITEMS]);
    release(vm, content);
    return items;
}

// --- choices ---

Value either_merge(Merge *merge, Value first, Value second)
{
    Vm *vm = merge->vm;
    Value parts[EITHER_SIZE] = {value_retain(mark_of(vm, POISON_VALUE))};
    parts[EITHER_CONDITION] =
        trace_symbolic(vm, vm->trace, merge->condition, "condition");
    Value sides[2] = {first, second};
    for (int i = 0; i < 2; i++) {
        parts[EITHER_FIRST + i] = value_failed(parts[EITHER_CONDITION + i])
                                      ? VALUE_FAIL
                                      : merge_single(merge, i, sides[i]);
    }
    bool ok = true;
    for (int i = 0; i < EITHER_SIZE; i++) {
        ok = ok && !value_failed(parts[i]);
    }
    Tuple *made = ok ? tuple_from(vm, parts, EITHER_SIZE) : NULL;
    for (int i = 0; i < EITHER_SIZE; i++) {
        release(vm, parts[i]);
    }
    return value_or_fail(made);
}

const Value *either_parts(Value choice)
{
    return &value_as_tuple(choice)->items[EITHER_FIRST];
}

Value either_condition(Value choice)
{
    return value_as_tuple(choice)->items[EITHER_CONDITION];
}

Value either_of(Vm *vm, Value condition, Value first, Value second)
{
    Value parts[EITHER_SIZE] = {mark_of(vm, POISON_VALUE), condition, first,
                                second};
    return value_or_fail(tuple_from(vm, parts, EITHER_SIZE));
}

Value either_with(Vm *vm, Value choice, Value first, Value second)
{
    return either_of(vm, either_condition(choice), first, second);
}

// The bool that this one is the opposite of; itself where it is of none.
static ValueId opposite_of(const Graph *graph, ValueId id)
{
    const GraphNode *node = graph_value(graph, id)->node;
    return node != NULL &&
                   (node->op == OP_LOGICAL_NOT || node->op == OP_BITWISE_INVERT)
               ? node->inputs[0]
               : id;
}

Value either_where(Vm *vm, Value choice, ValueId condition, bool holds)
{
    const Graph *graph = vm->trace->graph;
    while (either_is(vm, choice)) {
        ValueId own = value_as_symbolic(either_condition(choice))->value;
        bool same = own == condition;
        if (!same && opposite_of(graph, own) != condition &&
            opposite_of(graph, condition) != own) {
            break;
        }
        choice = either_parts(choice)[same == holds ? 0 : 1];
    }
    return choice;
}

Value either_leaked(Vm *vm, Value choice)
{
    if (!either_is(vm, choice)) {
        return VALUE_UNBOUND;
    }
    Value first = either_parts(choice)[0];
    Value tensor =
        value_is_kind(first, KIND_SYMBOLIC) ? first : either_condition(choice);
    return value_is_kind(tensor, KIND_SYMBOLIC) &&
                   leak_function(value_as_symbolic(tensor)) != NULL
               ? tensor
               : VALUE_UNBOUND;
}

Value either_open(Vm *vm, Value part)
{
    if (queue_is(vm, part)) {
        Value items = value_as_tuple(part)->items[QUEUE_ITEMS];
        return make_deque(vm, part, value_retain(items));
    }
    return copy_items(vm, part);
}

Value either_shut(Vm *vm, Value part, Value container)
{
    if (!queue_is(vm, part)) {
        return value_retain(container);
    }
    Value items = copy_items(vm, container);
    Value queue =
        value_failed(items) ? items : either_queue(vm, container, items);
    release(vm, items);
    return queue;
}

bool either_is_seen(Vm *vm, Value choice, const GraphBlock *block)
{
    const Trace *trace = vm->trace;
    Value condition = value_as_tuple(choice)->items[EITHER_CONDITION];
    const Symbolic *symbolic = value_as_symbolic(condition);
    if (trace == NULL || symbolic->owner != trace->owner) {
        return false;
    }
    while (block != NULL &&
           block != graph_value(trace->graph, symbolic->value)->block) {
        block = block->parent;
    }
    return block != NULL;
}

static Value length_of(Vm *vm, Value v)
{
    v = queue_is(vm, v) ? value_as_tuple(v)->items[QUEUE_ITEMS] : v;
    Value length =
        either_is(vm, v) ? either_length(vm, v) : tensor_traced_length(vm, v);
    int64_t known = value_unbound(length) ? value_length(vm, v) : 0;
    return known < 0 ? VALUE_FAIL
           : value_unbound(length)
               ? tensor_from_value(vm, "len", value_from_small(known), DT_INT32)
               : length;
}

Value either_length(Vm *vm, Value choice)
{
    const Value *parts = value_as_tuple(choice)->items;
    Value operands[3] = {parts[EITHER_CONDITION], VALUE_FAIL, VALUE_FAIL};
    Value made = VALUE_FAIL;
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    operands[1] = length_of(vm, parts[EITHER_FIRST]);
    operands[2] = value_failed(operands[1])
                      ? VALUE_FAIL
                      : length_of(vm, parts[EITHER_SECOND]);
    ctx_leave(&vm->ctx);
    if (!value_failed(operands[2])) {
        made = tensor_call(vm, "where", operands, 3, NULL, 0);
    }
    for (int i = 1; i < 3; i++) {
        release(vm, operands[i]);
    }
    return made;
}

// --- results ---

// A walk through a result, which leaves what holds no choice as it is: names of
// one object stay that. An object that stands in it twice becomes one.
typedef struct EitherWalk {
    Vm *vm;
    const GraphBlock *block; // undecided containers that it sees become
                             // choices; NULL: choices are made
    const Journal *journal;  // of a join that comes; NULL: none
    const char *name;        // choices become undecided, and texts call them
                             // so; NULL: they do not
    bool any;                // it met a choice
    Map known;               // by address: its number below
    ValueVec values;         // what became of objects, and they; owned
} EitherWalk;

static Value walk_value(EitherWalk *walk, Value v);

// The structure with its children walked; itself where none is another.
static Value walk_children(EitherWalk *walk, Value v)
{
    Vm *vm = walk->vm;
    ValueVec children = {0}, walked = {0};
    bool ok = structure_children(vm, v, &children), same = true;
    for (size_t i = 0; ok && i < children.count; i++) {
        ok = structure_push(vm, &walked, walk_value(walk, children.items[i]));
        same = same && ok && value_same(walked.items[i], children.items[i]);
    }
    Value made = !ok    ? VALUE_FAIL
                 : same ? value_retain(v)
                        : structure_rebuild(vm, v, &walked);
    structure_free(vm, &children);
    structure_free(vm, &walked);
    return made;
}

// Whether all that is chosen from are containers of the type of `model`.
static bool all_like(Vm *vm, Value v, Value model)
{
    if (either_is(vm, v)) {
        const Value *parts = either_parts(v);
        return all_like(vm, parts[0], model) && all_like(vm, parts[1], model);
    }
    return queue_is(vm, v) == queue_is(vm, model) && value_is_object(v) &&
           value_object(v)->type == value_object(model)->type &&
           (queue_is(vm, v) || poison_fits(vm, value_object(v)));
}

// An empty one; UNBOUND: they are not of one type.
static Value container_of(Vm *vm, Value choice)
{
    Value model = choice;
    while (either_is(vm, model)) {
        model = either_parts(model)[0];
    }
    if (!value_is_object(model) || !all_like(vm, choice, model)) {
        return VALUE_UNBOUND;
    }
    void *made = value_is_kind(model, KIND_DICT)  ? (void *)dict_new(vm)
                 : value_is_kind(model, KIND_SET) ? (void *)set_new(vm, false)
                                                  : (void *)list_new(vm, 0);
    Value empty = value_or_fail(made);
    return queue_is(vm, model) ? make_deque(vm, model, empty) : empty;
}

// The same choice, with what the containers hold shown; owned.
static Value show_parts(EitherWalk *walk, Value v)
{
    Vm *vm = walk->vm;
    if (!either_is(vm, v)) {
        return walk_children(walk, v);
    }
    const Value *parts = either_parts(v);
    Value first = show_parts(walk, parts[0]);
    Value second = value_failed(first) ? first : show_parts(walk, parts[1]);
    Value made =
        value_failed(second) ? second : either_with(vm, v, first, second);
    release(vm, first);
    release(vm, second);
    return made;
}

// An undecided container, `empty` (taken) until then.
static Value show_container(EitherWalk *walk, Value empty, Value choice,
                            const char *text)
{
    Vm *vm = walk->vm;
    Value shown = show_parts(walk, choice);
    Value poison = value_failed(shown)
                       ? shown
                       : poison_value(vm, ERR_SYMBOLIC, text, shown);
    bool ok =
        !value_failed(poison) && poison_put(vm, value_object(empty), poison);
    release(vm, shown);
    release(vm, poison);
    release(vm, ok ? VALUE_NONE : empty);
    return ok ? empty : VALUE_FAIL;
}

// A tuple of choices for a choice of tuples of one form; UNBOUND: there is no
// such form.
static Value show_tuples(EitherWalk *walk, Value choice)
{
    Vm *vm = walk->vm;
    const Value *parts = either_parts(choice);
    StructureKind kind = structure_kind(vm, parts[0]);
    int same = kind == STRUCTURE_TUPLE || kind == STRUCTURE_NAMED
                   ? merge_alike(vm, parts[0], parts[1])
                   : 0;
    if (same <= 0 || either_is(vm, parts[0]) || queue_is(vm, parts[0])) {
        return same < 0 ? VALUE_FAIL : VALUE_UNBOUND;
    }
    ValueVec shown = {0};
    const Tuple *first = value_as_tuple(parts[0]);
    const Tuple *second = value_as_tuple(parts[1]);
    bool ok = true;
    for (size_t i = 0; ok && i < first->count; i++) {
        Value a = first->items[i], b = second->items[i];
        Value one =
            merge_same(a, b) ? value_retain(a) : either_with(vm, choice, a, b);
        ok = !value_failed(one) &&
             structure_push(vm, &shown, walk_value(walk, one));
        release(vm, one);
    }
    Value made = ok ? structure_rebuild(vm, parts[0], &shown) : VALUE_FAIL;
    structure_free(vm, &shown);
    return made;
}

// One of two; UNBOUND: what nobody can use. Owned.
static Value show_values(EitherWalk *walk, Value choice)
{
    Vm *vm = walk->vm;
    const Value *parts = either_parts(choice);
    Value first = walk_value(walk, parts[0]);
    Value second =
        value_failed(first) ? VALUE_FAIL : walk_value(walk, parts[1]);
    Value shown = value_failed(second)
                      ? VALUE_FAIL
                      : maybe_choose(vm, walk->name, either_condition(choice),
                                     first, second);
    release(vm, first);
    release(vm, second);
    return shown;
}

// A choice of containers is one that is undecided; of a value and None, what
// may be None; of others, what can only be handed on.
static Value show_choice(EitherWalk *walk, Value choice)
{
    Vm *vm = walk->vm;
    char text[200];
    snprintf(text, sizeof text,
             "'%.60s' is one structure or another, as a tensor decides: use "
             "what both have, or return the same structure on every way",
             walk->name);
    vm->trace->undecided = true;
    Value shown = container_of(vm, choice);
    if (!value_unbound(shown)) {
        return value_failed(shown) ? shown
                                   : show_container(walk, shown, choice, text);
    }
    shown = show_tuples(walk, choice);
    shown = value_unbound(shown) ? show_values(walk, choice) : shown;
    return value_unbound(shown) ? poison_value(vm, ERR_SYMBOLIC, text, choice)
                                : shown;
}

static Value walk_new(EitherWalk *walk, Value v)
{
    Vm *vm = walk->vm;
    if (walk->name != NULL) {
        return either_is(vm, v) ? show_choice(walk, v) : walk_children(walk, v);
    }
    // What a choice holds may be undecided in turn.
    if (poison_is(vm, v)) {
        return walk_value(walk, poison_choice(vm, v, walk->block));
    }
    walk->any |= either_is(vm, v);
    if (walk->block == NULL && queue_is(vm, v)) {
        return make_deque(
            vm, v, walk_value(walk, value_as_tuple(v)->items[QUEUE_ITEMS]));
    }
    if (walk->block != NULL || !either_is(vm, v)) {
        return walk_children(walk, v);
    }
    const Value *parts = value_as_tuple(v)->items;
    const Tensor *condition = value_as_tensor(parts[EITHER_CONDITION]);
    bool first = *(const bool *)condition->data;
    return walk_value(walk, parts[first ? EITHER_FIRST : EITHER_SECOND]);
}

// From now on `made` takes the place of `v`.
static bool keep_known(EitherWalk *walk, Value v, Value made)
{
    Vm *vm = walk->vm;
    return map_put(&walk->known, (const char *)&v, sizeof v,
                   walk->values.count) &&
           structure_push(vm, &walk->values, value_retain(made)) &&
           structure_push(vm, &walk->values, value_retain(v));
}

static bool is_walked(const EitherWalk *walk, Value v)
{
    Vm *vm = walk->vm;
    StructureKind kind = structure_kind(vm, v);
    return poison_is(vm, v)
               ? walk->block != NULL &&
                     !value_unbound(poison_choice(vm, v, walk->block)) &&
                     (walk->journal == NULL ||
                      journal_find(walk->journal, value_object(v)) == NULL)
               : kind != STRUCTURE_LEAF && kind != STRUCTURE_SET;
}

static Value walk_value(EitherWalk *walk, Value v)
{
    Vm *vm = walk->vm;
    if (!is_walked(walk, v)) {
        return value_retain(v);
    }
    const char *key = (const char *)&v;
    const uint64_t *known = map_get(&walk->known, key, sizeof v);
    if (known != NULL) {
        return value_retain(walk->values.items[*known]);
    }
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    Value made = walk_new(walk, v);
    ctx_leave(&vm->ctx);
    if (!value_failed(made) && !keep_known(walk, v, made)) {
        release(vm, made);
        made = VALUE_FAIL;
    }
    return made;
}

static void end_walk(EitherWalk *walk)
{
    map_free(&walk->known);
    structure_free(walk->vm, &walk->values);
}

Value either_expand(Vm *vm, Value result, const GraphBlock *block,
                    const Journal *journal, const ValueVec *kept, bool *any)
{
    EitherWalk walk = {.vm = vm, .block = block, .journal = journal};
    bool ok = true;
    map_init(&walk.known, &vm->ctx);
    for (size_t i = 0; ok && kept != NULL && i < kept->count; i++) {
        ok = keep_known(&walk, kept->items[i], kept->items[i]);
    }
    Value walked = ok ? walk_value(&walk, result) : VALUE_FAIL;
    end_walk(&walk);
    *any = walk.any;
    return walked;
}

Value either_show(Vm *vm, const char *name, Value v)
{
    EitherWalk walk = {.vm = vm, .name = name};
    Value shown = VALUE_FAIL;
    map_init(&walk.known, &vm->ctx);
    if (!value_failed(v)) {
        shown = walk_value(&walk, v);
    }
    end_walk(&walk);
    release(vm, v);
    return shown;
}

Value either_choose(Vm *vm, Value result)
{
    bool any;
    Value chosen = value_failed(result)
                       ? result
                       : either_expand(vm, result, NULL, NULL, NULL, &any);
    release(vm, result);
    return chosen;
}
