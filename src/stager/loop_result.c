// What the function returns, as state of a loop that returns in some turn: it
// has no value before the loop, or that of a turn that was unrolled.
#include "stager/loop_held.h"
#include "stager/maybe.h"
#include "stager/merge.h"
#include "stager/structure.h"
#include "stager/weak.h"

typedef struct ResultWalk {
    LoopWalk *walk;
    const ValueVec *before; // the leaves from before the loop, in the order of
                            // the walk; NULL: there was no value
    size_t next;
} ResultWalk;

// Bound in the body only, a tensor enters as zeros that nobody reads.
static Value take_leaf(Vm *vm, Value v, void *data)
{
    ResultWalk *all = data;
    LoopWalk *walk = all->walk;
    Value before =
        all->before == NULL ? VALUE_UNBOUND : all->before->items[all->next++];
    if (!loop_is_leaf(v)) {
        return value_retain(v);
    }
    StagedBlock *block = walk->block;
    // A number that every turn gives alike stays a number of the host.
    if (merge_is_number(v) &&
        (value_unbound(before) || merge_same(before, v))) {
        return value_retain(v);
    }
    // The operand of the two decides; a number follows it.
    DType dtype = value_is_operand(v)        ? operand_type(v).dtype
                  : value_is_operand(before) ? operand_type(before).dtype
                                             : merge_number_dtype(v, before);
    ValueId result = merge_leaf_id(vm, "while", block->sides[1], v, dtype);
    ValueId init = VALUE_ID_NONE;
    if (result != VALUE_ID_NONE && value_unbound(before)) {
        init = merge_placeholder(vm, block->parent,
                                 graph_type(vm->trace->graph, result));
    } else if (result != VALUE_ID_NONE) {
        init = merge_leaf_id(vm, "while", block->parent, before, dtype);
    }
    uint32_t index = loop_add_leaf(vm, block, init, "result");
    if (index == UINT32_MAX) {
        return VALUE_FAIL;
    }
    LoopLeaf *leaf = &block->loop->leaves.items[index];
    leaf->result = result;
    leaf->mixed = weak_is_host(v) || weak_is_host(before);
    leaf->text =
        symbolic_is_text(v) && (value_unbound(before) || value_is_text(before));
    if (walk->slot->kind == SLOT_LATE && symbolic_is_weak(v)) {
        leaf->host = value_retain(v);
    }
    return trace_symbolic(vm, vm->trace, result, "result");
}

// The leaves of `before` where those of `after` stand. 1; 0: the two are not of
// one form, or differ in what is no tensor or number; -1: failed.
static int pair_leaves(Vm *vm, Value before, Value after, ValueVec *out)
{
    if (structure_kind(vm, after) == STRUCTURE_LEAF) {
        bool fits = structure_kind(vm, before) == STRUCTURE_LEAF &&
                    (loop_is_leaf(before) ? loop_is_leaf(after)
                                          : merge_same(before, after));
        return !fits                                           ? 0
               : structure_push(vm, out, value_retain(before)) ? 1
                                                               : -1;
    }
    int same = merge_alike(vm, before, after);
    if (same <= 0 || !ctx_enter(&vm->ctx)) {
        return same == 0 ? 0 : -1;
    }
    ValueVec first = {0}, second = {0};
    int paired = structure_children(vm, before, &first) &&
                         structure_children(vm, after, &second)
                     ? 1
                     : -1;
    for (size_t i = 0; paired == 1 && i < first.count; i++) {
        paired = pair_leaves(vm, first.items[i], second.items[i], out);
    }
    structure_free(vm, &first);
    structure_free(vm, &second);
    ctx_leave(&vm->ctx);
    return paired;
}

static Value count_leaf(Vm *vm, Value v, void *data)
{
    (void)vm;
    ++*(size_t *)data;
    return value_retain(v);
}

// Whether each leaf is met once in a walk that meets each object once, as that
// of the pairs is. -1: failed.
static int is_tree(Vm *vm, Value v, size_t leaves)
{
    size_t count = 0;
    bool met;
    Value copy = structure_map_shared(vm, v, count_leaf, NULL, &count, &met);
    int tree = value_failed(copy) ? -1 : count == leaves;
    release(vm, copy);
    return tree;
}

// Whether nothing has been returned where the loop begins: what stands in the
// place of the result is then what another way has left.
static bool is_free(Vm *vm, const StagedBlock *block)
{
    bool found = false;
    for (uint32_t i = 0; i < block->info->place_count && !found; i++) {
        Value flag = block->before[i];
        found = block->info->places[i].hidden == HIDDEN_RETURNED &&
                value_is_kind(flag, KIND_SYMBOLIC) &&
                value_as_symbolic(flag)->owner == vm->trace->owner &&
                maybe_told(vm, flag) == 0;
    }
    return found;
}

bool loop_take_result(Vm *vm, StagedBlock *block, uint32_t i, LoopWalk *walk,
                      Value after)
{
    LoopSlot *slot = &block->loop->slots[i];
    Value before =
        block->info->places[i].hidden == HIDDEN_RESULT && is_free(vm, block)
            ? VALUE_UNBOUND
            : block->before[i];
    slot->first_leaf = (uint32_t)block->loop->leaves.count;
    if (value_unbound(after)) { // no turn returns
        block->first[i] = value_retain(block->before[i]);
        return true;
    }
    ValueVec leaves = {0};
    bool bound = !value_unbound(before);
    int fits = bound ? pair_leaves(vm, before, after, &leaves) : 1;
    fits = bound && fits > 0 ? is_tree(vm, after, leaves.count) : fits;
    ResultWalk all = {walk, bound ? &leaves : NULL, 0};
    bool met;
    Value first =
        fits > 0
            ? structure_map_shared(vm, after, take_leaf,
                                   bound ? NULL : loop_object_opens, &all, &met)
            : VALUE_FAIL;
    structure_free(vm, &leaves);
    slot->leaf_count = (uint32_t)block->loop->leaves.count - slot->first_leaf;
    block->first[i] = value_failed(first) ? VALUE_UNBOUND : first;
    return !value_failed(first) ||
           (fits == 0 && loop_fail_change(vm, walk, before, after));
}
