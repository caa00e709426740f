// The join of an `if`: each place of the block merged, and the node appended.
#include "stager/join.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "graph/build.h"
#include "stager/either.h"
#include "stager/graph_function.h"
#include "stager/journal_merge.h"
#include "stager/maybe.h"
#include "stager/notes.h"
#include "stager/poison.h"
#include "stager/sites.h"
#include "stager/state.h"

// Whether a path goes on from where another place leads.
static bool begins_path(const BlockPlace *base, const BlockPlace *path)
{
    bool begins = base->kind == path->kind && base->index == path->index &&
                  base->step_count < path->step_count;
    for (uint32_t i = 0; begins && i < base->step_count; i++) {
        begins = base->steps[i].item == path->steps[i].item &&
                 merge_same(base->steps[i].key, path->steps[i].key);
    }
    return begins;
}

// Whether the path leads into an object that is another one after each side:
// it is merged with the rest of that. Asked before anything is merged.
static bool is_moved(Vm *vm, Frame *frame, const StagedBlock *block, uint32_t i,
                     bool *moved)
{
    const BlockInfo *info = block->info;
    for (uint32_t j = 0; !*moved && j < info->place_count; j++) {
        if (begins_path(&info->places[j], &info->places[i])) {
            Value second = state_get(vm, frame, &info->places[j]);
            if (value_failed(second)) {
                return false;
            }
            *moved = !value_same(block->first[j], second);
            release(vm, second);
        }
    }
    return true;
}

// The side that the function has left by `return`, of whose variables nobody
// hears any more but the `finally` of a `try`; -1: none.
static int left_side(Vm *vm, Frame *frame, const StagedBlock *block)
{
    const BlockInfo *info = block->info;
    if (info->flags & BLOCK_IS_RETURNED) {
        return 1;
    }
    for (uint32_t i = 0; i < info->place_count; i++) {
        if (info->places[i].hidden != HIDDEN_RETURNED) {
            continue;
        }
        Value second = state_get(vm, frame, &info->places[i]);
        bool left[2] = {value_same(block->first[i], VALUE_TRUE),
                        value_same(second, VALUE_TRUE)};
        release(vm, second);
        return left[0] == left[1] ? -1 : left[1];
    }
    return -1;
}

// What a side left a local, and on what condition: it may be a late value.
typedef struct LateSide {
    Value value, turned; // borrowed
    bool late;
    bool own;     // the side has left it so
    bool unknown; // whether it has a value
} LateSide;

static const LateSide LATE_NOTHING = {VALUE_UNBOUND, VALUE_FALSE, false, false,
                                      false};

static LateSide late_side(Vm *vm, const StagedBlock *block,
                          const BlockPlace *place, int side, Value v)
{
    bool own = true, unknown = false;
    const LateValue *late = NULL;
    if (value_unbound(v) && !block->diverged[side] &&
        state_is_variable(place)) {
        unknown = !notes_left(vm, block, place->index, side, &late, &own);
    }
    if (late != NULL) {
        return (LateSide){late->value, late->turned, true, own, false};
    }
    return value_unbound(v)
               ? (LateSide){v, VALUE_FALSE, false, unknown, unknown}
               : (LateSide){v, VALUE_TRUE, false, true, false};
}

// The operand that has a walrus need not be evaluated; but where its name is
// read it mostly was, as behind `if a and (b := c):`.
static bool is_operand(const StagedBlock *block)
{
    return (block->info->flags & (BLOCK_IS_AND | BLOCK_IS_OR)) != 0;
}

// As in names; what is not ASCII counts.
static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c > 127;
}

// Whether the name stands in a part of the program's text.
static bool is_mentioned(const Source *source, Span part, const Str *name)
{
    const char *at = source->text + part.start;
    const char *end = source->text + part.end;
    while (at < end && (at = memmem(at, (size_t)(end - at), name->text,
                                    name->length)) != NULL) {
        const char *behind = at + name->length;
        if ((at == source->text || !is_word(at[-1])) && !is_word(*behind)) {
            return true;
        }
        at = behind;
    }
    return false;
}

// In a loop of the graph an earlier turn may have set what a side does not: a
// name that is mentioned around the block is one on a condition.
static bool is_awaited(const StagedBlock *block, const BlockPlace *place)
{
    const StagedBlock *loop = NULL;
    const Frame *frame = block->frame;
    Span own = block->info->span;
    for (const StagedBlock *b = block->outer; b != NULL && b->frame == frame;
         b = b->outer) {
        loop = b->loop != NULL ? b : loop;
    }
    if (loop == NULL || !state_is_variable(place)) {
        return false;
    }
    Span before = {loop->info->span.start, own.start};
    Span behind = {own.end, frame->code->span.end};
    return is_mentioned(frame->code->source, before, place->name) ||
           is_mentioned(frame->code->source, behind, place->name);
}

// What the traced function itself returns: each call can choose.
static bool is_result(Vm *vm, const Frame *frame, const BlockPlace *place)
{
    return place->hidden == HIDDEN_RESULT && frame == vm->trace->base;
}

// What the program assigns, an expression's value, or what an inner function
// returns.
static bool may_be_none(Vm *vm, const Frame *frame, const BlockPlace *place)
{
    return (place->hidden == HIDDEN_NONE || place->hidden == HIDDEN_VALUE ||
            place->hidden == HIDDEN_RESULT) &&
           !is_result(vm, frame, place);
}

// The merged value, as merge_values; what was left by a side that the function
// has left counts only where it can be read. `late`: it is there on a
// condition.
static Value merge_sides(Merge *merge, const Frame *frame,
                         const BlockPlace *place, LateSide sides[2], bool *late)
{
    int left = state_is_variable(place) ? merge->left : -1;
    bool in_try = sites_in_try(frame->code, merge->block->info->start);
    bool operand = is_operand(merge->block) || is_awaited(merge->block, place);
    *late = sides[0].late || sides[1].late;
    merge->may_be_none =
        !*late && (left < 0 || in_try) && may_be_none(merge->vm, frame, place);
    Value merged = VALUE_UNBOUND;
    if (!*late) {
        merged = merge_values(merge, sides[0].value, sides[1].value);
        if (merge->fault == ERR_NONE || (left < 0 && !operand) ||
            (left >= 0 && in_try && !value_unbound(sides[left].value))) {
            return merged;
        }
    }
    if (left >= 0 && !in_try) {
        sides[left] = LATE_NOTHING; // nobody can read it there
    }
    if (sides[0].unknown || sides[1].unknown) {
        *late = false;
        bool any =
            !value_unbound(sides[0].value) || !value_unbound(sides[1].value);
        merge->fault = any ? ERR_UNBOUND_LOCAL : ERR_NONE;
        return VALUE_UNBOUND;
    }
    merge->fault = ERR_NONE;
    merge->hidden = HIDDEN_RETURNED;
    merged = merge_values(merge, sides[0].value, sides[1].value);
    *late = (in_try || operand || sides[0].late || sides[1].late) &&
            merge->fault == ERR_NONE && !value_unbound(merged);
    return merged;
}

// Who reads it where no side has set it, as a `finally` may, gets eager code's
// error when the graph runs. Takes `merged`.
static bool keep_late(Vm *vm, Frame *frame, StagedBlock *block, Merge *merge,
                      const BlockPlace *place, const LateSide sides[2],
                      Value merged)
{
    Value turned = merge_values(merge, sides[0].turned, sides[1].turned);
    if (value_failed(turned)) {
        release(vm, merged);
        return false;
    }
    return notes_keep(vm, frame, block, place,
                      sides[0].own ? sides[0].value : VALUE_UNBOUND,
                      sides[1].own ? sides[1].value : VALUE_UNBOUND,
                      (LateValue){.value = merged,
                                  .turned = turned,
                                  .frame = frame,
                                  .reg = place->index,
                                  .home = block->outer}) &&
           state_set(vm, frame, place, VALUE_UNBOUND);
}

// What it returns on each side, where a container may be undecided that only
// that side sees.
static bool expand_result(Vm *vm, StagedBlock *block, uint32_t i, Value *second)
{
    bool any;
    Value *sides[2] = {&block->first[i], second};
    for (int side = 0; side < 2; side++) {
        Value expanded = either_expand(vm, *sides[side], block->sides[side],
                                       &block->journal, NULL, &any);
        if (value_failed(expanded)) {
            return false;
        }
        value_replace(&vm->ctx, sides[side], expanded);
    }
    return true;
}

// Whether the place is in something that others have, too: an attribute, an
// element, a name of the module.
static bool is_shared(const BlockPlace *place)
{
    return !place->hidden &&
           (place->step_count > 0 || place->kind == STATE_GLOBAL);
}

// What says why it cannot be merged, in its place.
static Value mark_place(Vm *vm, Frame *frame, const StagedBlock *block,
                        const BlockPlace *place, const LateSide sides[2],
                        ErrorKind fault)
{
    char room[128], name[140], text[512];
    BlockSides both = {frame, block, state_name(place, room, sizeof room)};
    ErrorKind missing = place->step_count == 0 ? ERR_NAME
                        : place->steps[place->step_count - 1].item
                            ? ERR_SYMBOLIC
                            : ERR_ATTRIBUTE;
    ErrorKind kind = fault == ERR_UNBOUND_LOCAL ? missing : fault;
    snprintf(name, sizeof name, "'%s'", room);
    return notes_text(vm, &both, name, kind, sides[0].value, sides[1].value,
                      text, sizeof text)
               ? poison_new(vm, kind, text, VALUE_UNBOUND)
               : VALUE_FAIL;
}

// Merges one place; what cannot be merged is left unbound, with a note. A
// hidden one is the result or an expression's value: that is an error now.
static bool merge_place(Vm *vm, Frame *frame, StagedBlock *block, Merge *merge,
                        uint32_t i)
{
    char room[128];
    const BlockPlace *place = &block->info->places[i];
    int kept =
        place->step_count > 0 ? journal_has_place(vm, frame, block, place) : 0;
    if (kept != 0) {
        return kept > 0;
    }
    // The first side's value was saved by if_else, the second's is still in
    // the frame.
    Value second = state_get(vm, frame, place);
    if (value_failed(second)) {
        return false;
    }
    maybe_settle(vm, &second, 1);
    bool result = is_result(vm, frame, place);
    if (result && vm->trace->undecided &&
        !expand_result(vm, block, i, &second)) {
        release(vm, second);
        return false;
    }
    merge->name = state_name(place, room, sizeof room);
    merge->hidden = place->hidden;
    // `fault` tells a place that is unbound on both sides from one that cannot
    // be merged.
    merge->fault = ERR_NONE;
    if (place->hidden) {
        merge->name = NULL;
    }
    LateSide sides[2] = {late_side(vm, block, place, 0, block->first[i]),
                         late_side(vm, block, place, 1, second)};
    bool late;
    Value merged = merge_sides(merge, frame, place, sides, &late);
    merge->may_be_none = false;
    if (merge->fault != ERR_NONE && merge->fault != ERR_UNBOUND_LOCAL &&
        result) {
        merge->fault = ERR_NONE;
        merged = either_merge(merge, block->first[i], second);
    }
    bool ok = !value_failed(merged);
    if (ok && late) {
        ok = keep_late(vm, frame, block, merge, place, sides, merged);
        merged = VALUE_UNBOUND;
    } else if (ok && merge->fault != ERR_NONE && is_shared(place)) {
        merged = mark_place(vm, frame, block, place, sides, merge->fault);
        ok = !value_failed(merged);
    } else if (ok && merge->fault != ERR_NONE) {
        ok = notes_mismatch(vm, frame, block, place, sides[0].value,
                            sides[1].value, merge->fault);
    }
    release(vm, second);
    return ok && state_set(vm, frame, place, merged);
}

static bool merge_places(Vm *vm, Frame *frame, StagedBlock *block, Merge *merge)
{
    uint32_t count = block->info->place_count;
    bool *moved = ctx_alloc_zero(&vm->ctx, count * sizeof *moved);
    bool ok = moved != NULL, one = merge->absent[0] || merge->absent[1];
    for (uint32_t i = 0; ok && !one && i < count; i++) {
        ok = is_moved(vm, frame, block, i, &moved[i]);
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = moved[i] || merge_place(vm, frame, block, merge, i);
    }
    ctx_free(&vm->ctx, moved, count * sizeof *moved);
    return ok;
}

// The results of both sides become outputs, but for a side that ends in an
// exception, which yields nothing.
static bool append_if(Vm *vm, StagedBlock *block, Merge *merge)
{
    Graph *graph = vm->trace->graph;
    if (merge->made.count == 0 && !block->sides[0]->effects &&
        !block->sides[1]->effects && !block->diverged[0] &&
        !block->diverged[1]) {
        return true; // whatever it does, nobody will know
    }
    for (int side = 0; side < 2; side++) {
        if (block->diverged[side]) {
            graph_block_diverges(block->sides[side]);
        } else if (!graph_block_results(graph, block->sides[side],
                                        merge->ids[side].items,
                                        (uint32_t)merge->ids[side].count)) {
            return false;
        }
    }
    GraphNode *node =
        graph_append_blocks(graph, block->parent, OP_IF, &block->condition, 1,
                            block->sides, block->place);
    if (node == NULL || !graph_function_record_node(vm, &node)) {
        return false;
    }
    merge_finish(merge, node);
    return true;
}

// Behind two sides that raise nothing is reached; what is traced there all the
// same, up to the `return` that lowering made, has None for the result.
static bool end_results(Vm *vm, Frame *frame, const StagedBlock *block)
{
    const BlockInfo *info = block->info;
    bool ok = true;
    for (uint32_t i = 0; ok && i < info->place_count; i++) {
        if (info->places[i].hidden == HIDDEN_RESULT &&
            value_unbound(block->before[i])) {
            ok = state_set(vm, frame, &info->places[i], VALUE_NONE);
        }
    }
    return ok;
}

// Places are merged in order, each with notes of its own; then the node is
// appended and the merged tensors get their numbers.
bool join_sides(Vm *vm, Frame *frame, StagedBlock *block)
{
    notes_leave(vm, block);
    Merge merge = {.vm = vm,
                   .block = block,
                   .blocks = {block->sides[0], block->sides[1]},
                   .absent = {block->diverged[0], block->diverged[1]},
                   .left = left_side(vm, frame, block),
                   .condition = block->condition};
    vm->trace->block = block->parent;
    map_init(&merge.pairs, &vm->ctx);
    bool ok = journal_end(vm, block);
    // Neither side comes to its end, so no value is left to merge.
    if (ok && block->diverged[0] && block->diverged[1]) {
        ok = journal_restore(vm, block, false) &&
             state_restore(vm, frame, block->info, block->before) &&
             end_results(vm, frame, block);
    } else if (ok) {
        ok = merge_places(vm, frame, block, &merge) &&
             journal_merge(vm, frame, block, &merge);
    }
    ok = ok && append_if(vm, block, &merge);
    merge_free(&merge);
    return ok;
}
