// Choices among results.
//
// Invariant: a choice is a plain tuple of a mark, the condition, and the two;
// the mark is a type that no program has. A deque among them is one of another
// mark, an empty one of its class, and a list of its items.
#include "stager/either.h"

#include "interp/objects/containers/obj_deque.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/content.h"
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
    return made != NULL ? value_from_object(made) : VALUE_FAIL;
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
    return made != NULL ? value_from_object(made) : VALUE_FAIL;
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
    Tuple *made = tuple_from(vm, parts, EITHER_SIZE);
    return made != NULL ? value_from_object(made) : VALUE_FAIL;
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

static Value walk_new(EitherWalk *walk, Value v)
{
    Vm *vm = walk->vm;
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
    if (!value_failed(made) &&
        (!map_put(&walk->known, key, sizeof v, walk->values.count) ||
         !structure_push(vm, &walk->values, value_retain(made)) ||
         !structure_push(vm, &walk->values, value_retain(v)))) {
        release(vm, made);
        made = VALUE_FAIL;
    }
    return made;
}

Value either_expand(Vm *vm, Value result, const GraphBlock *block,
                    const Journal *journal, bool *any)
{
    EitherWalk walk = {.vm = vm, .block = block, .journal = journal};
    map_init(&walk.known, &vm->ctx);
    Value walked = walk_value(&walk, result);
    map_free(&walk.known);
    structure_free(vm, &walk.values);
    *any = walk.any;
    return walked;
}

Value either_choose(Vm *vm, Value result)
{
    bool any;
    Value chosen = value_failed(result)
                       ? result
                       : either_expand(vm, result, NULL, NULL, &any);
    release(vm, result);
    return chosen;
}
