// The stack of staged blocks, and `if`.
//
// Invariant: trace->block is the block of the innermost side or body under
// way, and every StagedBlock of the stack belongs to a frame that still runs:
// blocks_unwind takes off what an error leaves.
#include "stager/blocks.h"

#include "graph/build.h"
#include "interp/objects/errors/obj_exception.h"
#include "interp/tensors/tensor_call.h"
#include "stager/era.h"
#include "stager/events.h"
#include "stager/graph_function.h"
#include "stager/join.h"
#include "stager/late_error.h"
#include "stager/late_print.h"
#include "stager/loop_carried.h"
#include "stager/loop_held.h"
#include "stager/maybe.h"
#include "stager/merge.h"
#include "stager/notes.h"
#include "stager/sites.h"
#include "stager/weak.h"

// Targets are words from the start of the converted code.
static const Ins *word_at(const Frame *frame, uint32_t word)
{
    return frame->code->words + word;
}

// --- the stack ---

uint32_t block_line(const StagedBlock *block)
{
    const Frame *frame = block->frame;
    return frame != NULL
               ? source_place(frame->code->source, block->info->span.start).line
               : 0;
}

// The arrays hold counts; the graph's blocks belong to the graph.
static void block_free(Vm *vm, StagedBlock *block)
{
    Ctx *ctx = &vm->ctx;
    size_t size = block->info->place_count * sizeof(Value) + 1;
    // What was made in it belongs to what is around it from now on.
    vm->ctx.birth = block->era;
    era_close(vm);
    journal_free(vm, &block->journal);
    held_free(vm, block);
    loop_carried_free(vm, block);
    loop_lift_free(vm, block);
    maybe_free(vm, block);
    vec_free(&vm->ctx, &block->kept);
    vec_free(&vm->ctx, &block->wide);
    loop_free(vm, block);
    state_drop(vm, block->info, block->before);
    state_drop(vm, block->info, block->first);
    ctx_free(ctx, block->before, size);
    ctx_free(ctx, block->first, size);
    ctx_free(ctx, block, sizeof *block);
}

// The state is saved here, after the condition was evaluated, so that what it
// assigned is part of what both sides begin with.
StagedBlock *block_begin(Vm *vm, Frame *frame, const BlockInfo *info)
{
    Ctx *ctx = &vm->ctx;
    Trace *trace = vm->trace;
    size_t size = info->place_count * sizeof(Value) + 1;
    StagedBlock *block = ctx_alloc_zero(ctx, sizeof *block);
    if (block == NULL) {
        return NULL;
    }
    // The frame is borrowed: a block ends before its frame does.
    *block = (StagedBlock){.frame = frame,
                           .notes = {vm->trace->notes.count},
                           .events = events_count(vm->trace->events),
                           .info = info,
                           .parent = trace->block,
                           .condition = VALUE_ID_NONE,
                           .place = trace_place(vm)};
    if (block->place.site == GRAPH_SITE_FAILED) {
        ctx_free(ctx, block, sizeof *block);
        return NULL;
    }
    // The block's node names the whole statement.
    block->place.span = info->span;
    map_init(&block->journal.places, ctx);
    block->before = ctx_alloc(ctx, size);
    block->first = ctx_alloc(ctx, size);
    // UNBOUND in all places, so that dropping the arrays is right at any
    // point.
    bool ok = block->before != NULL && block->first != NULL;
    for (uint32_t i = 0; ok && i < info->place_count; i++) {
        block->before[i] = block->first[i] = VALUE_UNBOUND;
    }
    ok = ok && state_save(vm, frame, info, block->before);
    if (!ok || !era_open(vm)) {
        state_drop(vm, info, ok ? block->before : NULL);
        ctx_free(ctx, block->before, size);
        ctx_free(ctx, block->first, size);
        ctx_free(ctx, block, sizeof *block);
        return NULL;
    }
    block->era = vm->ctx.birth;
    // The innermost block stands first in the chain.
    block->outer = trace->blocks;
    trace->blocks = block;
    return block;
}

// Done or given up, the stack and the block for new nodes are as they were
// before it began.
void block_end(Vm *vm)
{
    StagedBlock *block = vm->trace->blocks;
    notes_end(vm, block);
    maybe_forget(vm, block);
    vm->trace->blocks = block->outer;
    vm->trace->block = block->parent;
    block_free(vm, block);
}

// A block cannot run inside itself in one frame, so that the innermost one
// answers for all.
StagedBlock *block_running(Vm *vm, const Frame *frame, const BlockInfo *info)
{
    StagedBlock *block = vm->trace->blocks;
    return block != NULL && block->frame == frame && block->info == info ? block
                                                                         : NULL;
}

// A trace that failed leaves blocks; one that is done leaves notes and perhaps
// the last exception.
void blocks_drop(Vm *vm, Trace *trace)
{
    while (trace->blocks != NULL) {
        StagedBlock *block = trace->blocks;
        trace->blocks = block->outer;
        block_free(vm, block);
    }
    journal_drop_joined(vm, trace);
    vec_free(&vm->ctx, &trace->told);
    late_print_drop(vm, trace);
    notes_free(vm, trace);
    object_release_null(&vm->ctx, trace->raised);
    object_release_null(&vm->ctx, trace->late);
    object_release_null(&vm->ctx, trace->refused);
    trace->raised = trace->late = trace->refused = NULL;
}

// Nodes go into the side from here on.
static bool begin_side(Vm *vm, StagedBlock *block, BlockPhase phase)
{
    Trace *trace = vm->trace;
    GraphBlock *side = graph_block_new(trace->graph, block->parent);
    block->phase = phase;
    block->sides[phase == PHASE_FIRST ? 0 : 1] = side;
    trace->block = side;
    return side != NULL;
}

// --- conditions ---

// As eager truth: numbers that are not zero, texts that are not empty.
static Value cast_to_bool(Vm *vm, Value operand)
{
    TensorType type = operand_type(operand);
    if (type.dtype == DT_BOOL) {
        return value_retain(operand);
    }
    if (type.dtype != DT_STRING) {
        NamedAttr attr = {"dtype", attr_of_dtype(DT_BOOL)};
        return tensor_call(vm, "cast", &operand, 1, &attr, 1);
    }
    Str *empty = vm->empty_str;
    return tensor_compare(vm, COMPARE_NE, operand, value_from_object(empty));
}

// A tensor of one element, whatever its rank, as a scalar.
static Value to_scalar(Vm *vm, Value operand)
{
    TensorType type = operand_type(operand);
    if (type.rank <= 0) {
        return value_retain(operand);
    }
    // -1 as soon as one size is unknown; the reshape then checks when the
    // graph runs.
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++) {
        count = count < 0 || type.dims[i] < 0 ? -1 : count * type.dims[i];
    }
    if (count >= 0 && count != 1) {
        return raise_error(vm, ERR_OP_VALUE,
                           "bool: a tensor of %lld elements is neither true "
                           "nor false: use any() or all(), or where() for each",
                           (long long)count);
    }
    NamedAttr attr = {"shape", attr_of_ints(NULL, 0)};
    return tensor_call(vm, "reshape", &operand, 1, &attr, 1);
}

// The truth as an operand, owned.
static Value truth_value(Vm *vm, Value operand)
{
    if (!value_is_operand(operand)) {
        const Type *type = type_of(vm, operand);
        return type->slots.traced_cast(vm, operand, vm->bool_type);
    }
    Value scalar = to_scalar(vm, operand);
    Value truth = value_failed(scalar) ? scalar : cast_to_bool(vm, scalar);
    release(vm, scalar);
    return truth;
}

// Errors are those of bool() on an eager tensor, text included, where the
// trace can know.
ValueId block_truth(Vm *vm, Value operand)
{
    Value truth = truth_value(vm, operand);
    if (value_failed(truth)) {
        return VALUE_ID_NONE;
    }
    ValueId id = trace_operand(vm, vm->trace, truth);
    release(vm, truth);
    return id;
}

// R[A] becomes its own truth, as a bool of the graph. NULL: an error is
// pending.
static const Ins *set_truth(Vm *vm, Frame *frame, Ins ins)
{
    Value *place = &frame->registers[INS_A(ins)];
    Value truth = truth_value(vm, *place);
    if (value_failed(truth)) {
        return NULL;
    }
    value_replace(&vm->ctx, place, truth);
    return frame->pc;
}

// R[A] = not R[B]. The operand's register is emptied, as the machine does with
// temporaries.
static const Ins *set_not(Vm *vm, Frame *frame, Ins ins)
{
    if (INS_C(ins)) {
        event_add(vm, vm->trace->events, EVENT_INT, "a host bool", VALUE_NONE);
    }
    Value truth = truth_value(vm, frame->registers[INS_B(ins)]);
    if (value_failed(truth)) {
        return NULL;
    }
    Value result =
        weak_number(vm, tensor_call(vm, "logical_not", &truth, 1, NULL, 0));
    release(vm, truth);
    if (!slow_set(vm, frame, INS_A(ins), result)) {
        return NULL;
    }
    if (INS_A(ins) != INS_B(ins)) {
        slow_drop(vm, frame, INS_B(ins));
    }
    return frame->pc;
}

// R[A] becomes a size of it; a value that is known stays, and is asked for its
// shape like any object.
static const Ins *set_size(Vm *vm, Frame *frame, Ins ins)
{
    Value v = frame->registers[INS_A(ins)];
    Value size = value_is_kind(v, KIND_SYMBOLIC)
                     ? tensor_traced_size(vm, v, INS_BI(ins))
                     : VALUE_UNBOUND;
    if (value_unbound(size)) {
        return frame->pc;
    }
    return slow_set(vm, frame, INS_A(ins), size) ? frame->pc + INS_CI(ins)
                                                 : NULL;
}

// --- if ---

// The first side is traced whatever the condition will be; x says that the
// register is needed behind the block. NULL: an error is pending.
static const Ins *if_begin(Vm *vm, Frame *frame, const BlockInfo *info, Ins ins)
{
    ValueId condition = block_truth(vm, frame->registers[INS_A(ins)]);
    if (condition == VALUE_ID_NONE) {
        return NULL;
    }
    if (!INS_X(ins)) {
        slow_drop(vm, frame, INS_A(ins));
    }
    StagedBlock *block = block_begin(vm, frame, info);
    if (block == NULL) {
        return NULL;
    }
    block->condition = condition;
    return begin_side(vm, block, PHASE_FIRST) &&
                   maybe_learn(vm, frame, block, condition, true)
               ? frame->pc
               : NULL;
}

// The end of the first side. A block that is not running was an `if` on a host
// value, which has only one side to execute.
static const Ins *if_else(Vm *vm, Frame *frame, const BlockInfo *info)
{
    StagedBlock *block = block_running(vm, frame, info);
    if (block == NULL) {
        return word_at(frame, info->join_target);
    }
    // The journal comes first: a path may lead through what it puts back.
    notes_leave(vm, block);
    if (!journal_else(vm, block) ||
        !state_save(vm, frame, info, block->first)) {
        return NULL;
    }
    maybe_settle(vm, block->first, info->place_count);
    maybe_forget(vm, block);
    if (!journal_restore(vm, block, false) ||
        !state_restore(vm, frame, info, block->before) ||
        !begin_side(vm, block, PHASE_SECOND) ||
        !maybe_learn(vm, frame, block, block->condition, false)) {
        return NULL;
    }
    return word_at(frame, info->else_target);
}

// --- and, or ---

// Nothing of the block can be seen from outside but its values, so that it may
// as well run always.
static bool is_harmless(const Graph *graph, const GraphBlock *block)
{
    const GraphNode *node = block->first;
    while (node != NULL && graph_is_total(graph, node)) {
        node = node->next;
    }
    return node == NULL;
}

// Truth of other tensors needs nodes, and `and` gives the operand itself.
static bool is_bool(Value v)
{
    return value_is_operand(v) && operand_type(v).dtype == DT_BOOL &&
           operand_type(v).rank == 0;
}

// `a and b` of bools whose `b` is harmless needs no block: one node decides,
// which loops can be compiled with. 1: done, 0: it is a block, -1: failed.
static int join_logic(Vm *vm, Frame *frame, StagedBlock *block)
{
    const BlockInfo *info = block->info;
    bool is_and = info->flags & BLOCK_IS_AND;
    if (!(info->flags & (BLOCK_IS_AND | BLOCK_IS_OR)) ||
        info->place_count != 1 || block->journal.entries.count > 0 ||
        block->diverged[0] || block->diverged[1]) {
        return 0;
    }
    const BlockPlace *place = &info->places[0];
    // `and` evaluates its second operand where the first is true, `or` where
    // it is false.
    GraphBlock *side = block->sides[is_and ? 0 : 1];
    Value second =
        is_and ? value_retain(block->first[0]) : state_get(vm, frame, place);
    Graph *graph = vm->trace->graph;
    if (!is_bool(block->before[0]) || !is_bool(second) ||
        !is_harmless(graph, side)) {
        release(vm, second);
        return 0;
    }
    // The nodes of the side move out to the block around it, in order, where
    // they run in any case.
    while (side->first != NULL) {
        GraphNode *node = side->first;
        build_unlink(graph, node);
        build_link(graph, block->parent, node, NULL);
    }
    vm->trace->block = block->parent;
    Value inputs[2] = {block->before[0], second};
    Value made =
        apply_one(vm, is_and ? OP_LOGICAL_AND : OP_LOGICAL_OR, inputs, 2, NULL);
    release(vm, second);
    return !value_failed(made) && state_set(vm, frame, place, made) ? 1 : -1;
}

// The part of the block that is being traced ends in an exception: on with
// the next part, with nothing left of this one in the frame.
static const Ins *diverge(Vm *vm, Frame *frame, StagedBlock *block)
{
    const BlockInfo *info = block->info;
    bool first = block->phase == PHASE_FIRST;
    block->diverged[first ? 0 : 1] = true;
    for (uint32_t i = info->depth; i < frame->code->register_count; i++) {
        value_replace(&vm->ctx, &frame->registers[i], VALUE_UNBOUND);
    }
    // Exceptions that the part was handling are no longer being handled.
    vm_cut_handled(vm, frame->handled + info->handled);
    return word_at(frame, first ? info->else_target - 1 : info->end_target);
}

// The end of the second side. If both sides raise, so does what is around
// them: the part of the outer block that is under way ends here too, and the
// function where there is none.
static const Ins *if_join(Vm *vm, Frame *frame, const BlockInfo *info)
{
    StagedBlock *block = block_running(vm, frame, info);
    if (block == NULL) {
        return frame->pc;
    }
    int done = join_logic(vm, frame, block);
    bool ok = done == 0 ? join_sides(vm, frame, block) : done > 0;
    bool ends[2] = {block->diverged[0], block->diverged[1]};
    ValueId condition = block->condition;
    block_end(vm);
    // Behind a side that raises the condition is what the other one is for.
    ok = ok && (ends[0] == ends[1] ||
                maybe_learn(vm, frame, vm->trace->blocks, condition, ends[1]));
    if (!ok || !ends[0] || !ends[1]) {
        return ok ? frame->pc : NULL;
    }
    StagedBlock *outer = vm->trace->blocks;
    if (outer != NULL && outer->frame == frame && outer->phase != PHASE_COND) {
        return diverge(vm, frame, outer);
    }
    late_error_end(vm, value_from_object(vm->trace->late));
    return NULL;
}

// --- raise and assert ---

// What the program raises itself may wait for the graph to run, whatever its
// class is.
static const Ins *note_raise(Vm *vm, Frame *frame)
{
    Trace *trace = vm->trace;
    if (trace->blocks != NULL && value_is_object(vm->exception)) {
        object_release_null(&vm->ctx, trace->raised);
        trace->raised = object_retain(value_object(vm->exception));
    }
    return frame->pc;
}

// R[A] is the condition, R[A+1] the message if x says so.
static const Ins *late_assert(Vm *vm, Frame *frame, Ins ins)
{
    uint32_t a = INS_A(ins), count = INS_X(ins) ? 1 : 0;
    // The exception is made now and raised, if at all, when the graph runs.
    Value cls = value_from_object(vm->error_types[ERR_ASSERTION]);
    Value exception = vm_call(vm, cls, &frame->registers[a + 1], count);
    ValueId condition = value_failed(exception)
                            ? VALUE_ID_NONE
                            : block_truth(vm, frame->registers[a]);
    bool ok = condition != VALUE_ID_NONE &&
              late_error_append(vm, exception, condition, trace_place(vm)) &&
              maybe_learn(vm, frame, vm->trace->blocks, condition, true);
    release(vm, exception);
    slow_drop(vm, frame, a);
    if (count > 0) {
        slow_drop(vm, frame, a + 1);
    }
    return ok ? frame->pc : NULL;
}

static const Ins *act(Vm *vm, Frame *frame, BlockEvent event,
                      const BlockInfo *info, Ins ins)
{
    switch (event) {
    case EVENT_IF: return if_begin(vm, frame, info, ins);
    case EVENT_ELSE: return if_else(vm, frame, info);
    case EVENT_JOIN: return if_join(vm, frame, info);
    case EVENT_TRUTH: return set_truth(vm, frame, ins);
    case EVENT_AXIS: return set_size(vm, frame, ins);
    case EVENT_NOT: return set_not(vm, frame, ins);
    case EVENT_HEAD: return loop_head(vm, frame, info, ins);
    case EVENT_WHILE: return loop_while(vm, frame, info, ins);
    case EVENT_NEXT: return loop_next(vm, frame, info);
    case EVENT_FOR: return loop_for(vm, frame, info, ins);
    case EVENT_STOP: return loop_stop(vm, frame, info, ins);
    case EVENT_ASSERT: return late_assert(vm, frame, ins);
    case EVENT_RAISE: return note_raise(vm, frame);
    default: return raise_null(vm, ERR_SYSTEM, "a block that cannot be traced");
    }
}

// Whether eager code does what the event needs, with the same errors.
static bool is_eager(BlockEvent event)
{
    return event == EVENT_IF || event == EVENT_TRUTH || event == EVENT_NOT ||
           event == EVENT_ASSERT;
}

// One entry for all events, since interp knows the stager by its hooks alone.
const Ins *blocks_event(Vm *vm, Frame *frame, BlockEvent event,
                        const BlockInfo *info, Ins ins)
{
    const Ins *next = act(vm, frame, event, info, ins);
    vm->trace->gave_up |=
        next == NULL && !is_eager(event) && !late_error_ended(vm);
    return next;
}

// --- errors ---

// Whether eager code would raise it too, and only where the block runs.
static bool is_late(Vm *vm, const StagedBlock *block)
{
    const Trace *trace = vm->trace;
    bool own = trace->raised != NULL && value_is_object(vm->exception) &&
               value_object(vm->exception) == trace->raised;
    return block->phase != PHASE_COND &&
           (own || (!sites_fatal(vm) && !sites_refused(vm)));
}

// An error has left the part of a block that is being traced: when the graph
// runs and comes there, it is raised, and only then.
static const Ins *raise_late(Vm *vm, Frame *frame, StagedBlock *block)
{
    Value exception = raise_take(vm);
    bool ok = late_error_append(vm, exception, VALUE_ID_NONE, trace_place(vm));
    release(vm, exception);
    return ok ? diverge(vm, frame, block) : NULL;
}

// What outlives the frame gets back what it had before the block: a symbolic
// tensor of the block is of no use there.
static void give_back(Vm *vm, Frame *frame, const StagedBlock *block)
{
    Value error = raise_take(vm);
    if (!journal_restore(vm, block, false)) {
        raise_clear(vm); // the first error is the one to be told
    }
    for (uint32_t i = 0; i < block->info->place_count; i++) {
        const BlockPlace *place = &block->info->places[i];
        if ((place->kind != STATE_LOCAL || place->step_count > 0) &&
            !state_set(vm, frame, place, value_retain(block->before[i]))) {
            raise_clear(vm);
        }
    }
    vm->exception = error;
}

// Called once for each frame that an error passes, and where it is caught.
// Blocks of the frame go innermost first.
const Ins *blocks_unwind(Vm *vm, Frame *frame, const Handler *handler)
{
    Trace *trace = vm->trace;
    while (trace->blocks != NULL && trace->blocks->frame == frame) {
        const BlockInfo *info = trace->blocks->info;
        if (handler != NULL && handler->target >= info->start &&
            handler->target < info->join_target) {
            break; // caught inside the block, which goes on
        }
        // If the raise cannot become a node, that is an error of its own, and
        // goes on unwinding.
        if (is_late(vm, trace->blocks)) {
            const Ins *next = raise_late(vm, frame, trace->blocks);
            if (next != NULL) {
                return next;
            }
        }
        give_back(vm, frame, trace->blocks);
        block_end(vm);
        trace->gave_up = true;
    }
    if (handler != NULL) {
        sites_caught(vm, frame, handler);
        if (trace->gave_up) {
            sites_refuse(vm, trace);
        }
        trace->gave_up = false;
    }
    return NULL;
}

// Asked when a register is empty, before the ordinary error.
bool blocks_unbound(Vm *vm, const Code *code, const Str *name)
{
    loop_carried_ask(vm, vm->frame, name);
    return notes_raise(vm, code, name);
}
