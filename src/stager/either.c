// Choices among results.
//
// Invariant: a choice is a plain tuple of a mark, the condition, and the two;
// the mark is a type that no program has.
#include "stager/either.h"

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
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

static Value mark_of(Vm *vm)
{
    return value_from_object(stager_of(vm)->poison_types[POISON_VALUE]);
}

bool either_is(Vm *vm, Value v)
{
    return value_is_kind(v, KIND_TUPLE) &&
           value_as_tuple(v)->count == EITHER_SIZE &&
           value_same(value_as_tuple(v)->items[EITHER_MARK], mark_of(vm));
}

Value either_merge(Merge *merge, Value first, Value second)
{
    Vm *vm = merge->vm;
    Value parts[EITHER_SIZE] = {value_retain(mark_of(vm))};
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
        release(vm, value_failed(parts[i]) ? VALUE_NONE : parts[i]);
    }
    return made != NULL ? value_from_object(made) : VALUE_FAIL;
}

const Value *either_parts(Value choice)
{
    return &value_as_tuple(choice)->items[EITHER_FIRST];
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
        release(vm, value_failed(operands[i]) ? VALUE_NONE : operands[i]);
    }
    return made;
}

// --- results ---

// An undecided container that stands in a result twice is one there.
typedef struct Expansion {
    const GraphBlock *block; // that sees what is chosen
    ValueVec containers;     // borrowed
    ValueVec choices;        // what stands for each; owned
} Expansion;

static Value expand_leaf(Vm *vm, Value v, void *data)
{
    bool met;
    Expansion *expansion = data;
    Value choice = poison_is(vm, v) ? poison_choice(vm, v, expansion->block)
                                    : VALUE_UNBOUND;
    if (value_unbound(choice)) {
        return value_retain(v);
    }
    for (size_t i = 0; i < expansion->containers.count; i++) {
        if (value_same(expansion->containers.items[i], v)) {
            return value_retain(expansion->choices.items[i]);
        }
    }
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    // What it holds may be undecided in turn.
    Value made =
        structure_map_shared(vm, choice, expand_leaf, NULL, data, &met);
    ctx_leave(&vm->ctx);
    if (!value_failed(made) &&
        (!vec_push(&vm->ctx, &expansion->containers, v) ||
         !structure_push(vm, &expansion->choices, value_retain(made)))) {
        release(vm, made);
        return VALUE_FAIL;
    }
    return made;
}

Value either_expand(Vm *vm, Value result, const GraphBlock *block, bool *any)
{
    bool met;
    Expansion expansion = {.block = block};
    Value expanded =
        structure_map_shared(vm, result, expand_leaf, NULL, &expansion, &met);
    *any = either_is(vm, result) || expansion.choices.count > 0;
    vec_free(&vm->ctx, &expansion.containers);
    structure_free(vm, &expansion.choices);
    return expanded;
}

// A walk through a result. An object that stands in it twice is chosen once.
typedef struct ChooseWalk {
    Vm *vm;
    Map chosen;      // by address: its number below
    ValueVec values; // what became of objects; owned
} ChooseWalk;

static Value choose(ChooseWalk *walk, Value v);

// The structure with its children chosen; itself where none is another.
static Value choose_children(ChooseWalk *walk, Value v)
{
    Vm *vm = walk->vm;
    ValueVec children = {0}, chosen = {0};
    bool ok = structure_children(vm, v, &children), same = true;
    for (size_t i = 0; ok && i < children.count; i++) {
        ok = structure_push(vm, &chosen, choose(walk, children.items[i]));
        same = same && ok && value_same(chosen.items[i], children.items[i]);
    }
    Value made = !ok    ? VALUE_FAIL
                 : same ? value_retain(v)
                        : structure_rebuild(vm, v, &chosen);
    structure_free(vm, &children);
    structure_free(vm, &chosen);
    return made;
}

static Value choose_new(ChooseWalk *walk, Value v)
{
    Vm *vm = walk->vm;
    if (either_is(vm, v)) {
        const Value *parts = value_as_tuple(v)->items;
        const Tensor *condition = value_as_tensor(parts[EITHER_CONDITION]);
        bool first = *(const bool *)condition->data;
        return choose(walk, parts[first ? EITHER_FIRST : EITHER_SECOND]);
    }
    return choose_children(walk, v);
}

static Value choose(ChooseWalk *walk, Value v)
{
    Vm *vm = walk->vm;
    StructureKind kind = structure_kind(vm, v);
    if (kind == STRUCTURE_LEAF || kind == STRUCTURE_SET) {
        return value_retain(v);
    }
    const char *key = (const char *)&v;
    const uint64_t *known = map_get(&walk->chosen, key, sizeof v);
    if (known != NULL) {
        return value_retain(walk->values.items[*known]);
    }
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    Value made = choose_new(walk, v);
    ctx_leave(&vm->ctx);
    if (!value_failed(made) &&
        (!map_put(&walk->chosen, key, sizeof v, walk->values.count) ||
         !structure_push(vm, &walk->values, value_retain(made)))) {
        release(vm, made);
        made = VALUE_FAIL;
    }
    return made;
}

Value either_choose(Vm *vm, Value result)
{
    if (value_failed(result)) {
        return result;
    }
    ChooseWalk walk = {.vm = vm};
    map_init(&walk.chosen, &vm->ctx);
    Value chosen = choose(&walk, result);
    map_free(&walk.chosen);
    structure_free(vm, &walk.values);
    release(vm, result);
    return chosen;
}
