// Entries and attributes that the first turn of a staged loop makes.
//
// They are leaves of the loop like what was there before it, whose first value
// nobody reads. As long as there need not have been a turn, a dict of theirs is
// undecided (poison.h) between what it holds with them and without: whoever
// looks acts on both, and a store of all of them decides it. Of an attribute
// getattr() and hasattr() know whether it is there (poison_absent); whoever
// reads it before it is set gets the text.
//
// Invariant: such a container is in the loop's journal, with what it held
// before the loop.
#include <stdio.h>

#include "graph/build.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_float.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/content.h"
#include "stager/either.h"
#include "stager/era.h"
#include "stager/loop_held.h"
#include "stager/poison.h"
#include "stager/structure.h"
#include "stager/weak.h"

static Value before_leaf(Vm *vm, Value v, void *data)
{
    StagedBlock *block = data;
    if (!loop_is_leaf(v) || merge_is_number(v)) {
        return value_retain(v);
    }
    TensorType type = operand_type(v);
    if (weak_is_number(v)) {
        return dtype_is_float(type.dtype) ? float_new(vm, 0)
               : type.dtype == DT_BOOL    ? VALUE_FALSE
                                          : value_from_small(0);
    }
    ValueId id = merge_placeholder(vm, block->parent, type);
    Value zeros = id == VALUE_ID_NONE ? VALUE_FAIL
                                      : trace_symbolic(vm, vm->trace, id, NULL);
    if (!value_failed(zeros)) {
        value_as_symbolic(zeros)->text = symbolic_is_text(v);
    }
    return zeros;
}

static bool can_carry(Vm *vm, const StagedBlock *block, Value v,
                      const WalkPath *path)
{
    StructureKind kind = structure_kind(vm, v);
    bool own = !value_is_object(v) || era_has(vm, block->era, value_object(v));
    bool leaf = kind == STRUCTURE_LEAF && !(own && loop_object_fits(vm, v));
    if (leaf || value_unbound(v)) {
        return value_is_kind(v, KIND_VARIABLE)
                   ? false
                   : loop_is_leaf(v) || structure_is_plain(v) || !own ||
                         !value_is_object(v);
    }
    WalkPath inner = {value_object(v), path};
    ValueVec children = {0};
    bool ok = (own || kind == STRUCTURE_TUPLE || kind == STRUCTURE_NAMED) &&
              kind != STRUCTURE_SET && ctx_enter(&vm->ctx);
    for (const WalkPath *at = path; ok && at != NULL; at = at->outer) {
        ok = at->container != inner.container;
    }
    if (ok) {
        ok = loop_parts(vm, v, &children);
        for (size_t i = 0; ok && i < children.count; i++) {
            ok = can_carry(vm, block, children.items[i], &inner);
        }
        ctx_leave(&vm->ctx);
    }
    structure_free(vm, &children);
    return ok;
}

bool loop_can_carry(Vm *vm, const StagedBlock *block, Value v)
{
    return can_carry(vm, block, v, NULL);
}

Value loop_made_before(Vm *vm, StagedBlock *block, Value after)
{
    bool met;
    return loop_can_carry(vm, block, after)
               ? structure_map_shared(vm, after, before_leaf, loop_object_opens,
                                      block, &met)
           : vm_has_error(vm) ? VALUE_FAIL
                              : VALUE_UNBOUND;
}

// The number of the next place from `i` on that a turn makes; those of one
// container follow each other.
static size_t next_made(const StagedBlock *block, size_t i)
{
    while (i < block->held.count && !block->held.items[i].made) {
        i++;
    }
    return i;
}

bool loop_made_open(Vm *vm, StagedBlock *block)
{
    return next_made(block, 0) == block->held.count ||
           loop_add_turned(vm, block);
}

static Value saved_of(const StagedBlock *block, const Object *container)
{
    return journal_find(&block->journal, container)->saved;
}

// Of a dict that was undecided before, a turn makes all.
static bool put_empty(Vm *vm, Object *container)
{
    Dict *dict = dict_new(vm);
    Value parts[2] = {dict != NULL ? value_from_object(dict) : VALUE_NONE,
                      VALUE_NONE};
    Tuple *content = dict != NULL ? tuple_from(vm, parts, 2) : NULL;
    bool ok = content != NULL &&
              journal_put(vm, container, value_from_object(content));
    object_release_null(&vm->ctx, dict);
    object_release_null(&vm->ctx, content);
    return ok;
}

bool loop_made_hide(Vm *vm, const StagedBlock *block)
{
    bool ok = true;
    for (size_t i = 0; ok && (i = next_made(block, i)) < block->held.count;
         i++) {
        Object *container = block->held.items[i].container;
        Value saved = saved_of(block, container);
        ok = poison_is(vm, saved) ? put_empty(vm, container)
                                  : journal_put(vm, container, saved);
    }
    return ok;
}

// A `for` whose count the trace knows to be one at least.
static bool turns_surely(const Vm *vm, const StagedBlock *block)
{
    Value count = block->loop->source.count;
    const Tensor *known =
        value_is_tensor(count) ? value_as_tensor(count)
        : value_is_kind(count, KIND_SYMBOLIC)
            ? graph_constant(vm->trace->graph, value_as_symbolic(count)->value)
            : NULL;
    return known != NULL && known->count == 1 &&
           ((known->dtype == DT_INT32 && *(const int32_t *)known->data > 0) ||
            (known->dtype == DT_INT64 && *(const int64_t *)known->data > 0));
}

// What is told of an element that need not be there.
static void made_text(const StagedBlock *block, const HeldPlace *place,
                      char *text, size_t size)
{
    char room[128];
    bool item = place->part == CONTENT_ITEMS;
    snprintf(text, size,
             "%s %s of a '%.60s' is new in the loop at line %u, which may make "
             "no turn: assign it before the loop too",
             item ? "entry" : "attribute", held_name(place, room, sizeof room),
             type_name(place->container->type), (unsigned)block_line(block));
}

// The same container without what turns make of it, owned.
static Value without_made(Vm *vm, const StagedBlock *block, size_t first,
                          Value with)
{
    const Object *container = block->held.items[first].container;
    Value saved = saved_of(block, container);
    if (poison_is(vm, saved)) {
        return value_retain(poison_left(vm, saved));
    }
    Dict *dict = dict_copy(vm, value_as_dict(with));
    bool ok = dict != NULL;
    for (size_t i = first; ok && i < block->held.count; i++) {
        const HeldPlace *place = &block->held.items[i];
        ok = !place->made || place->container != container ||
             dict_remove(vm, dict, place->key) >= 0;
    }
    if (!ok) {
        object_release_null(&vm->ctx, dict);
        return VALUE_FAIL;
    }
    return value_from_object(dict);
}

// The dict is one of two, as the condition says.
static bool show_dict(Vm *vm, const StagedBlock *block, size_t first,
                      Value turned, const char *text)
{
    Object *container = block->held.items[first].container;
    Value content = content_take(vm, container);
    if (value_failed(content)) {
        return false;
    }
    Value with = value_as_tuple(content)->items[CONTENT_ITEMS];
    Value without = without_made(vm, block, first, with);
    Value choice = value_failed(without) ? VALUE_FAIL
                                         : either_of(vm, turned, with, without);
    Value poison = value_failed(choice)
                       ? VALUE_FAIL
                       : poison_new(vm, ERR_SYMBOLIC, text, choice);
    bool ok = !value_failed(poison) && poison_put(vm, container, poison);
    vm->trace->undecided = true;
    release(vm, content);
    release(vm, without);
    release(vm, choice);
    release(vm, poison);
    return ok;
}

static bool show_attribute(Vm *vm, const HeldPlace *place, Value turned,
                           const char *text)
{
    Value held = held_get(vm, place);
    Value choice = value_failed(held) ? VALUE_FAIL
                                      : either_of(vm, turned, held, VALUE_NONE);
    Value poison = value_failed(choice)
                       ? VALUE_FAIL
                       : poison_absent(vm, ERR_SYMBOLIC, text, choice);
    release(vm, held);
    release(vm, choice);
    return !value_failed(poison) && held_set(vm, place, poison);
}

bool loop_made_show(Vm *vm, const StagedBlock *block, BlockPhase phase,
                    const GraphNode *node)
{
    size_t i = next_made(block, 0);
    if (i == block->held.count || (node != NULL && turns_surely(vm, block))) {
        return true;
    }
    uint32_t number = block->loop->turned_leaf;
    const LoopLeaf *leaf = &block->loop->leaves.items[number];
    ValueId id = node != NULL          ? node_output(node, number)
                 : phase == PHASE_COND ? leaf->cond
                                       : leaf->body;
    Value turned = trace_symbolic(vm, vm->trace, id, NULL);
    bool ok = !value_failed(turned);
    for (; ok && i < block->held.count; i = next_made(block, i + 1)) {
        char text[300];
        const HeldPlace *place = &block->held.items[i];
        made_text(block, place, text, sizeof text);
        if (place->part == CONTENT_ATTRIBUTES) {
            ok = show_attribute(vm, place, turned, text);
        } else if (!poison_is(vm, value_from_object(place->container))) {
            ok = show_dict(vm, block, i, turned, text);
        }
    }
    release(vm, turned);
    return ok;
}

bool loop_made_take(Vm *vm, const StagedBlock *block)
{
    bool ok = true;
    for (size_t i = 0; ok && (i = next_made(block, i)) < block->held.count;
         i++) {
        const HeldPlace *place = &block->held.items[i];
        Value self = value_from_object(place->container);
        Value held =
            poison_is(vm, self) ? value_retain(self) : held_get(vm, place);
        ok = !value_failed(held);
        if (ok && poison_is(vm, held)) {
            (void)poison_raise(vm, held);
            ok = false;
        }
        release(vm, held);
    }
    return ok;
}
