// Staged loops: a turn is traced once, between a state that stands for every
// turn's and the state that it leaves.
//
// A loop whose condition is a host value runs on the host. As soon as the
// condition is a tensor, what the loop assigns becomes its state, the
// condition is traced again on it, then the body, and a `while` node takes the
// loop's place. If the condition has effects or assigns, it is not traced
// apart but at the end of the body, and its last value is part of the state.
#ifndef DUET_STAGER_LOOPS_H
#define DUET_STAGER_LOOPS_H

#include "interp/objects/classes/obj_function.h"
#include "stager/blocks.h"
#include "stager/for_source.h"
#include "stager/merge.h"

// One tensor of a loop's state.
typedef struct LoopLeaf {
    ValueId init;       // before the loop; in the block around it
    ValueId cond, body; // the params
    ValueId result;     // after a turn; VALUE_ID_NONE: not known yet
    Value host;         // owned: the host number that it was, UNBOUND: none.
                        // Such a one takes the dtype of the first tensor it
                        // meets
    bool text;          // stands for a text of the host
    bool mixed;         // for a number or text of it in some turn
    const char *name;   // of its variable, in the graph's arena
} LoopLeaf;

// What becomes of a place from turn to turn.
typedef enum SlotKind {
    SLOT_NONE,    // unbound before: whatever a turn leaves is gone after it
    SLOT_STATE,   // what it is in a turn is the state
    SLOT_FRESH,   // a turn assigns it before it reads it
    SLOT_KEPT,    // the same container before and after, changed in place
    SLOT_PART,    // it lies in what is state as a whole
    SLOT_LATE,    // unbound before: behind the loop what a turn left (notes.h)
    SLOT_CARRIED, // it need not be bound: a flag says so (loop_carried.h)
    SLOT_FLAG,    // hidden: false whenever a turn begins
    SLOT_RESULT   // hidden: has no value whenever a turn begins
} SlotKind;

// One place of the block, and its leaves.
typedef struct LoopSlot {
    SlotKind kind;
    Object *shown;      // the copy of a structure that the body begins with;
                        // counted; NULL: none
    bool changed;       // the turn has changed that copy itself
    bool asked;         // the turn reads it where it need not be bound
    uint32_t flag_leaf; // of SLOT_CARRIED: whether it is bound
    uint32_t first_leaf, leaf_count;
} LoopSlot;

// A part of the state, and the copy of it that is shown.
typedef struct ShownPart {
    Object *state, *copy; // counted; no copy: not shown yet
    bool changed;         // the turn has changed that copy itself
} ShownPart;

// What a block has beside its state if it is a loop; made by loop_open, freed
// with the block by loop_free.
struct StagedLoop {
    VEC(LoopLeaf) leaves;
    LoopSlot *slots;         // info->place_count of them
    bool rotated;            // the condition's value is a leaf, condition_leaf
    uint32_t condition_leaf; // of a rotated `while`
    ForSource source;        // of a `for`: what it iterates over
    uint32_t index_leaf;     // of a `for`: the turns done
    bool has_turned;         // whether there was a turn is a leaf, turned_leaf
    uint32_t turned_leaf;
    size_t first_told;    // of the graph's sizes that host code was told in it
    size_t first_shaped;  // of graph->shaped
    size_t first_callee;  // of the graph's that are called in it
    size_t printed;       // so many prints waited where it was opened
    uint64_t asked;       // trace->asked where the loop was opened
    uint64_t lasting;     // trace->lasting where the loop was opened
    size_t kept;          // how many of block->kept there were then
    ValueVec lifts;       // while it is taken: what a part was, what the turn
                          // left there, and its state; owned
    VEC(ShownPart) parts; // shown last
    size_t shared;        // so many of them, which come first, are each shown
                          // in several places
    ValueVec after;       // what a turn left in each place, and behind these in
                          // each that is held; owned
};

// The events of loops (interp/hooks/tracing.h). Each returns where the frame
// goes on, or NULL with an error pending; a block that is not running is a loop
// of the host.
const Ins *loop_head(Vm *vm, Frame *frame, const BlockInfo *info, Ins ins);
// The events of a traced loop; the next instruction, or NULL with an error
// pending.
const Ins *loop_while(Vm *vm, Frame *frame, const BlockInfo *info, Ins ins);
const Ins *loop_next(Vm *vm, Frame *frame, const BlockInfo *info);
const Ins *loop_for(Vm *vm, Frame *frame, const BlockInfo *info, Ins ins);
const Ins *loop_stop(Vm *vm, Frame *frame, const BlockInfo *info, Ins ins);
void loop_free(Vm *vm, StagedBlock *block);

// A walk over the leaves of one variable (structure.h), for the functions that
// meet them one by one.
typedef struct LoopWalk {
    Frame *frame;
    StagedBlock *block;
    const LoopSlot *slot;
    uint32_t next;         // the leaf that comes next
    BlockPhase phase;      // whose params are shown
    const GraphNode *node; // whose outputs are shown; NULL: params
    const char *name;      // of the variable
    Value state;           // what of it is shown; borrowed
} LoopWalk;

static inline LoopWalk loop_walk(Frame *frame, StagedBlock *block,
                                 const LoopSlot *slot, const char *name)
{
    return (LoopWalk){.frame = frame,
                      .block = block,
                      .slot = slot,
                      .next = slot->first_leaf,
                      .name = name,
                      .state = VALUE_UNBOUND};
}

// What can be part of a graph's state: a tensor of any kind, or a host number.
// Texts and other objects must stay the same.
static inline bool loop_is_leaf(Value v)
{
    return value_is_operand(v) || merge_is_number(v);
}

// loop_state.c: makes the params and the slots from block->before.
MUST_CHECK bool loop_open(Vm *vm, Frame *frame, StagedBlock *block);
// Adds a leaf with params of its type; UINT32_MAX with an error pending.
uint32_t loop_add_leaf(Vm *vm, StagedBlock *block, ValueId init,
                       const char *name);
// A number or text of the program's in this leaf became a tensor.
void loop_tell(Vm *vm, const LoopLeaf *leaf, Value v);
// Puts the state into the frame: the condition's params, or the body's.
MUST_CHECK bool loop_show(Vm *vm, Frame *frame, StagedBlock *block,
                          BlockPhase phase);
// loop_take.c: takes what the turn has left as the leaves' results.
// A structure that it changed in place becomes one of block->kept.
MUST_CHECK bool loop_take(Vm *vm, Frame *frame, StagedBlock *block);

// A place whose state is of another kind than what it held before the loop.
typedef struct LiftedPlace {
    uint32_t place;
    Value before; // what it held; owned
} LiftedPlace;

// loop_lift.c: what a turn leaves that no leaves of the place's state are (a
// list of another length, another object) is a value of the graph in the body's
// next trace. 1: it is; 0: it cannot be; -1: failed.
int loop_lift(Vm *vm, StagedBlock *block, uint32_t i, Value after);
// The same where all that a turn leaves as it was stays the same object: 0: it
// does already.
int loop_lift_kept(Vm *vm, StagedBlock *block, uint32_t i, Value after);
// Whether the place lies in an object that is state as a whole.
bool loop_lift_covers(Vm *vm, const StagedBlock *block,
                      const BlockPlace *place);
// The place's state is what it held before the loop, after all.
void loop_lift_drop(Vm *vm, StagedBlock *block, uint32_t i);
// One that may be None before the loop is so in the state, if one can be.
MUST_CHECK bool loop_lift_open(Vm *vm, StagedBlock *block, uint32_t i);
// What the place held before the loop; borrowed.
Value loop_lift_before(const StagedBlock *block, uint32_t i);
void loop_lift_free(Vm *vm, StagedBlock *block);
// What one variable is after the turn, as the results of its leaves. 1; 0: its
// dtype or form is another; -1: failed.
int loop_take_value(Vm *vm, LoopWalk *walk, Value before, Value after);
// False, with an error pending: what a turn leaves there does not fit. If a
// block inside the turn left the variable unbound, its note says more than the
// types could.
MUST_CHECK bool loop_fail_change(Vm *vm, const LoopWalk *walk, Value before,
                                 Value after);
// loop_result.c: of a loop that returns in some turn. Its flag ends the loop,
// and the result is what that turn left.
MUST_CHECK bool loop_take_result(Vm *vm, StagedBlock *block, uint32_t i,
                                 LoopWalk *walk, Value after);
// Whether there was a turn is a leaf of the loop, once.
MUST_CHECK bool loop_add_turned(Vm *vm, StagedBlock *block);

// In the state of a place a Cell stands for a part that turns leave as it is.
static inline bool loop_is_kept(Value v)
{
    return value_is_kind(v, KIND_CELL);
}
static inline Value loop_kept(Value v) // borrowed
{
    return ((const Cell *)value_object(v))->value;
}

// loop_object.c: whether it is an object of a class of the program's whose
// attributes a loop may carry. False, too, with an error pending.
bool loop_object_fits(Vm *vm, Value v);
// The same of one that the innermost block made: an OpensFn (structure.h).
bool loop_object_opens(Vm *vm, Value v, void *data);
// What the loop's state looks into: structures, objects that fit, and what
// stands for them. Children, appended to an empty vector; of an object the
// attributes by name, and its places of __slots__, UNBOUND where they are
// empty.
MUST_CHECK bool loop_parts(Vm *vm, Value v, ValueVec *parts);
// As merge_alike; what stands for an object is like one of its class that has
// the same attributes.
int loop_alike(Vm *vm, Value a, Value b);
// What stands for an object that fits, with what it held before the loop.
// Owned; VALUE_FAIL.
Value loop_object_open(Vm *vm, const StagedBlock *block, Value v);
// As structure_rebuild, also of what stands for an object.
Value loop_rebuild(Vm *vm, Value v, const ValueVec *parts);

// loop_alias.c: of what may be None, and of the state of that, the value;
// borrowed.
Value loop_value_of(Vm *vm, Value v);
// Behind the loop the place holds `made`, put together from
// outputs, in eager code that from before the loop or that of the last turn.
MUST_CHECK bool loop_note_place(Vm *vm, const StagedBlock *block, size_t i,
                                Value made, Value before);
// A container is changed, which may be what the turn began with.
// By a loop of the block or around it.
void loop_note_store(const Trace *trace, StagedBlock *block,
                     const Object *container);
// Whether a turn changed in place what the place held before the loop, by
// another name, while the loop shows a copy of it.
bool loop_is_changed(const StagedBlock *block, uint32_t i, Value before);
// How often the trace's records hold the object, beside the state itself.
uint32_t loop_count_records(const Trace *trace, const Object *object);
// What the trace made the part of the state from.
Object *loop_origin(const Trace *trace, Object *state);
// The parts of `v`, appended to an empty vector, if it has the form of `made`.
MUST_CHECK bool loop_like_parts(Vm *vm, Value made, Value v, ValueVec *out);
// False, with an error pending: a turn changed in place what it began with, or
// what a turn left, while that has a name that does not follow. block->more: it
// is to be judged in the next trace of the body.
MUST_CHECK bool loop_check_changed(Vm *vm, StagedBlock *block);

// Behind the loop, before it is shown: a turn may have left what it was shown
// in another place.
MUST_CHECK bool loop_note_shown(Vm *vm, const StagedBlock *block);

// loop_shared.c: one copy is shown for all places of an object from the next
// trace of the body on. False: that is so already, or there is no other trace.
bool loop_shared_begin(Vm *vm, StagedBlock *block);
// Before the state is shown.
MUST_CHECK bool loop_shared_open(Vm *vm, StagedBlock *block);
void loop_shared_free(Vm *vm, StagedBlock *block);
// What is shown for this part of the state; takes the copy of it. Owned;
// VALUE_FAIL.
Value loop_shared_show(Vm *vm, StagedBlock *block, Value state, Value copy);
// False, with an error pending: a turn changes the copy of this part, which an
// earlier turn may have taken from another one that has other names. `name` is
// what errors call the place.
MUST_CHECK bool loop_shared_check_later(Vm *vm, const StagedBlock *block,
                                        Object *state, const char *name);
// Whether `v` is what is shown of this part.
bool loop_shared_is(const StagedBlock *block, Value state, Value v);
// False, with an error pending: places of one object hold several after the
// turn.
MUST_CHECK bool loop_shared_check(Vm *vm, const StagedBlock *block);
// Whether only the state that the loop copies holds an object from before it.
// False, too, with an error pending.
bool loop_shared_frees(Vm *vm, const StagedBlock *block, const Object *object);
// Appends the node and puts its outputs into the frame: 1. 0: the body is to be
// traced again, all being as it was before the loop; -1: failed.
int loop_close(Vm *vm, Frame *frame, StagedBlock *block);

#endif
