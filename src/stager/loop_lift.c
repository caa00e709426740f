// What a turn of a staged loop leaves otherwise than it was, and what the graph
// holds from the start in the next trace of the body: a list of another length,
// another text, an object in the place of another one, None in the place of a
// value or the reverse, wherever in a structure.
//
// In the state of a place a Cell stands for what turns leave as it is.
#include "interp/objects/classes/obj_function.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/either.h"
#include "stager/events.h"
#include "stager/late_text.h"
#include "stager/loop_held.h"
#include "stager/loops.h"
#include "stager/made.h"
#include "stager/maybe.h"
#include "stager/poison.h"
#include "stager/staged_list.h"
#include "stager/structure.h"

static LiftedPlace *find(const StagedBlock *block, uint32_t i)
{
    for (size_t at = 0; at < block->lifted.count; at++) {
        if (block->lifted.items[at].place == i) {
            return &block->lifted.items[at];
        }
    }
    return NULL;
}

Value loop_lift_before(const StagedBlock *block, uint32_t i)
{
    const LiftedPlace *lifted = find(block, i);
    return lifted != NULL ? lifted->before : block->before[i];
}

void loop_lift_free(Vm *vm, StagedBlock *block)
{
    for (size_t i = 0; i < block->lifted.count; i++) {
        release(vm, block->lifted.items[i].before);
    }
    vec_free(&vm->ctx, &block->lifted);
}

// The state begins with `now`, which is taken.
static bool lift(Vm *vm, StagedBlock *block, uint32_t i, Value now)
{
    LiftedPlace lifted = {i, block->before[i]};
    if (find(block, i) != NULL) {
        release(vm, lifted.before);
    } else if (!vec_push(&vm->ctx, &block->lifted, lifted)) {
        release(vm, now);
        return false;
    }
    block->before[i] = now;
    return true;
}

void loop_lift_drop(Vm *vm, StagedBlock *block, uint32_t i)
{
    LiftedPlace *lifted = find(block, i);
    if (lifted != NULL) {
        value_replace(&vm->ctx, &block->before[i], lifted->before);
        *lifted = vec_pop(&block->lifted);
    }
}

bool loop_lift_open(Vm *vm, StagedBlock *block, uint32_t i)
{
    Value state = maybe_open(vm, block->before[i]);
    return value_unbound(state) || lift(vm, block, i, state);
}

bool loop_lift_covers(Vm *vm, const StagedBlock *block, const BlockPlace *place)
{
    bool covers = false;
    for (uint32_t i = 0; !covers && i < block->info->place_count; i++) {
        const BlockPlace *root = &block->info->places[i];
        covers = place->step_count > 0 && root->step_count == 0 &&
                 root->kind == place->kind && root->index == place->index &&
                 root->name == place->name && made_is(vm, block->before[i]);
    }
    return covers;
}

// --- what the state of a place begins with ---

// One walk over what a place held before the loop and what a turn left.
typedef struct LiftWalk {
    Vm *vm;
    StagedBlock *block;
    bool found; // the state is another one
    bool kept;  // a copy that the turn was shown is what it is of
} LiftWalk;

// 1 where the state is made, which may have failed.
static int found(LiftWalk *walk, Value state, Value *out)
{
    walk->found = true;
    *out = state;
    return value_failed(state) ? -1 : 1;
}

// Another list, of another length: a list of the graph in every turn.
static int lift_list(LiftWalk *walk, Value state, Value after, Value *out)
{
    Vm *vm = walk->vm;
    Value before = journal_view(&walk->block->journal, 0, state);
    ListForm form = {.pattern = VALUE_UNBOUND};
    int fits = staged_list_fits(vm, before) && staged_list_fits(vm, after) &&
               !staged_list_is(vm, before);
    fits = fits == 1 ? staged_list_add_form(vm, &form, before) : fits;
    fits = fits == 1 ? staged_list_add_form(vm, &form, after) : fits;
    if (fits == 1) {
        Value staged = staged_list_from(vm, &form, walk->block->parent, before);
        if (!value_failed(staged) &&
            !journal_state(vm, staged, state, block_line(walk->block))) {
            release(vm, staged);
            staged = VALUE_FAIL;
        }
        fits = found(walk, staged, out);
    }
    list_form_free(vm, &form);
    return fits;
}

// Another text: a tensor that stands for texts in every turn.
static int lift_text(LiftWalk *walk, Value before, Value after, Value *out)
{
    Vm *vm = walk->vm;
    if (!value_is_str(before) || !value_is_text(after) ||
        (value_is_str(after) && late_text_line(vm, value_as_str(after)) != 0)) {
        return 0;
    }
    ValueId id =
        merge_leaf_id(vm, "while", walk->block->parent, before, DT_STRING);
    Value text = id != VALUE_ID_NONE ? trace_symbolic(vm, vm->trace, id, NULL)
                                     : VALUE_FAIL;
    if (!value_failed(text)) {
        value_as_symbolic(text)->text = true;
        event_tensor(vm, before);
    }
    return found(walk, text, out);
}

// None in some turns, or before the first: that or a value.
static int lift_none(LiftWalk *walk, Value before, Value after, Value *out)
{
    Value state = maybe_begin(walk->vm, walk->block, before, after);
    return value_unbound(state) ? 0 : found(walk, state, out);
}

static int lift_value(LiftWalk *walk, Value state, Value after,
                      const WalkPath *path, Value *out);

// What may be None already, with the value in it lifted.
static int lift_choice(LiftWalk *walk, Value state, Value after,
                       const WalkPath *path, Value *out)
{
    Vm *vm = walk->vm;
    Value value, first = either_parts(state)[0];
    after = maybe_is(vm, after)    ? either_parts(poison_left(vm, after))[0]
            : value_is_none(after) ? first
                                   : after;
    int lifted = lift_value(walk, first, after, path, &value);
    if (lifted == 1) {
        *out = either_with(vm, state, value, VALUE_NONE);
        lifted = value_failed(*out) ? -1 : 1;
        release(vm, value);
    }
    return lifted;
}

// What a tensor decided about before the loop.
static int lift_open(LiftWalk *walk, Value maybe, Value after,
                     const WalkPath *path, Value *out)
{
    Value state = maybe_open(walk->vm, maybe);
    if (value_failed(state) || value_unbound(state)) {
        return value_failed(state) ? -1 : 0;
    }
    int lifted = lift_choice(walk, state, after, path, out);
    release(walk->vm, state);
    walk->found = true;
    return lifted;
}

// Part by part, where both have the same; `state` itself where none is another.
static int lift_parts(LiftWalk *walk, Value state, Value after,
                      const WalkPath *path, Value *out)
{
    Vm *vm = walk->vm;
    int alike = loop_alike(vm, state, after);
    if (alike <= 0 || !ctx_enter(&vm->ctx)) {
        return alike == 0 ? 0 : -1;
    }
    ValueVec first = {0}, second = {0}, lifted = {0};
    bool same = true;
    alike = loop_parts(vm, state, &first) && loop_parts(vm, after, &second)
                ? 1
                : -1;
    for (size_t i = 0; alike == 1 && i < first.count; i++) {
        Value part = VALUE_UNBOUND;
        alike = lift_value(walk, first.items[i], second.items[i], path, &part);
        same = same && value_same(part, first.items[i]);
        alike = alike == 1 && !structure_push(vm, &lifted, part) ? -1 : alike;
    }
    if (alike == 1) {
        *out = same ? value_retain(state) : loop_rebuild(vm, state, &lifted);
        alike = value_failed(*out) ? -1 : 1;
    }
    structure_free(vm, &first);
    structure_free(vm, &second);
    structure_free(vm, &lifted);
    ctx_leave(&vm->ctx);
    return alike;
}

// What stood in two places and does so after the turn is one in the state, too.
static int lift_structure(LiftWalk *walk, Value state, Value after,
                          const WalkPath *path, Value *out);
static int lift_once(LiftWalk *walk, Value state, Value after,
                     const WalkPath *path, Value *out)
{
    ValueVec *lifts = &walk->block->loop->lifts;
    for (size_t i = 0; i < lifts->count; i += 3) {
        if (value_same(lifts->items[i], state) &&
            value_same(lifts->items[i + 1], after)) {
            *out = value_retain(lifts->items[i + 2]);
            walk->found |= !value_same(*out, state);
            return 1;
        }
    }
    int lifted = lift_structure(walk, state, after, path, out);
    lifted = lifted == 0 ? lift_list(walk, state, after, out) : lifted;
    if (lifted == 1 && (!structure_push(walk->vm, lifts, value_retain(state)) ||
                        !structure_push(walk->vm, lifts, value_retain(after)) ||
                        !structure_push(walk->vm, lifts, value_retain(*out)))) {
        release(walk->vm, *out);
        return -1;
    }
    return lifted;
}

// A structure, or an object that another one takes the place of.
static int lift_structure(LiftWalk *walk, Value state, Value after,
                          const WalkPath *path, Value *out)
{
    Vm *vm = walk->vm;
    bool opens = loop_object_fits(vm, state);
    if (vm_has_error(vm) || !value_is_object(state)) {
        return vm_has_error(vm) ? -1 : 0;
    }
    WalkPath inner = {value_object(state), path};
    for (; path != NULL; path = path->outer) {
        if (path->container == inner.container) {
            return 0; // it holds itself
        }
    }
    Value before =
        opens ? loop_object_open(vm, walk->block, state)
              : value_retain(journal_view(&walk->block->journal, 0, state));
    int lifted = value_failed(before)
                     ? -1
                     : lift_parts(walk, before, after, &inner, out);
    walk->found |= opens;
    release(vm, before);
    if (lifted == 1 && !value_same(*out, state) &&
        !journal_state(vm, *out, state, block_line(walk->block))) {
        release(vm, *out);
        lifted = -1;
    }
    return lifted;
}

// What stands in the state for a part that the turn left as it was.
static Value keep(Vm *vm, Value v)
{
    StructureKind kind = structure_kind(vm, v);
    if ((kind == STRUCTURE_LEAF && !value_is_kind(v, KIND_VARIABLE)) ||
        kind == STRUCTURE_MADE) {
        return value_retain(v);
    }
    Cell *cell = cell_new(vm, v);
    return cell != NULL ? value_from_object(cell) : VALUE_FAIL;
}

// 1: `out` is owned; 0: no state can be both; -1: failed.
static int lift_value(LiftWalk *walk, Value state, Value after,
                      const WalkPath *path, Value *out)
{
    Vm *vm = walk->vm;
    if (loop_is_kept(state)) {
        Value held = loop_kept(state);
        bool same = value_same(held, after);
        walk->found |= !same;
        return same ? (*out = value_retain(state), 1)
                    : lift_value(walk, held, after, path, out);
    }
    if (merge_same(state, after) ||
        (walk->kept && loop_shared_is(walk->block, state, after))) {
        *out = keep(vm, state);
        return value_failed(*out) ? -1 : 1;
    }
    if (loop_is_leaf(state) && loop_is_leaf(after)) {
        *out = value_retain(state);
        return 1;
    }
    if (value_unbound(state) || value_unbound(after)) {
        return 0; // an empty place of __slots__
    }
    if (either_is(vm, state)) {
        return lift_choice(walk, state, after, path, out);
    }
    if (maybe_is(vm, state)) {
        return lift_open(walk, state, after, path, out);
    }
    if (maybe_either(vm, state, after)) {
        return lift_none(walk, state, after, out);
    }
    int lifted = lift_text(walk, state, after, out);
    return lifted == 0 ? lift_once(walk, state, after, path, out) : lifted;
}

// The next trace runs the host's code of the body again.
static int fail_effects(Vm *vm, const StagedBlock *block, const char *name)
{
    return raise_int(vm, ERR_SYMBOLIC,
                     "a turn of the loop at line %u leaves in '%s' what the "
                     "graph has to hold from its start, beside effects on the "
                     "host that cannot be taken back: do those outside of the "
                     "loop, or begin with the kind of value that a turn leaves",
                     (unsigned)block_line(block), name);
}

// 1: `out` is another state, owned.
static int lift_state(Vm *vm, StagedBlock *block, const char *name, Value state,
                      Value after, bool kept, Value *out)
{
    LiftWalk walk = {.vm = vm, .block = block, .kept = kept};
    int lifted =
        value_unbound(after) ? 0 : lift_value(&walk, state, after, NULL, out);
    walk.found |= lifted == 1 && kept && !value_same(*out, state);
    if (lifted == 1 && !walk.found) {
        release(vm, *out);
        return 0;
    }
    if (lifted == 1 && !loop_may_repeat(vm, block)) {
        release(vm, *out);
        return fail_effects(vm, block, name);
    }
    block->more |= lifted == 1;
    return lifted;
}

static int lift_place(Vm *vm, StagedBlock *block, uint32_t i, Value after,
                      bool kept)
{
    char room[128];
    const BlockPlace *place = &block->info->places[i];
    Value state;
    int lifted =
        place->hidden
            ? 0
            : lift_state(vm, block, state_name(place, room, sizeof room),
                         block->before[i], after, kept, &state);
    return lifted == 1 && !lift(vm, block, i, state) ? -1 : lifted;
}

int loop_lift(Vm *vm, StagedBlock *block, uint32_t i, Value after)
{
    return lift_place(vm, block, i, after, false);
}

int loop_lift_kept(Vm *vm, StagedBlock *block, uint32_t i, Value after)
{
    return lift_place(vm, block, i, after, true);
}

int loop_lift_held(Vm *vm, StagedBlock *block, HeldPlace *place, Value after)
{
    char room[128];
    Value state;
    int lifted = lift_state(vm, block, held_name(place, room, sizeof room),
                            held_state(place), after, false, &state);
    if (lifted == 1) {
        value_replace(&vm->ctx, &place->state, state);
    }
    return lifted;
}
