// Slow paths: block instructions of converted code.
//
// On a host value each is a jump. Inside a trace the stager is asked where a
// tensor decides, and at the ends of blocks, which it alone knows to be traced
// (stager/blocks.h); outside one (stage.once) all blocks are the host's.
#include <string.h>

#include "interp/hooks/tracing.h"
#include "interp/machine/compile/block_note.h"
#include "interp/machine/vm/vm_run.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"

// Targets are words from the start of the code, since blocks are described
// apart from the instructions.
static const Ins *word_at(const Frame *f, uint32_t word)
{
    return f->code->words + word;
}

// What has no truth in a trace, but a tensor for it.
static bool has_traced_truth(Vm *vm, Value v)
{
    return value_is_kind(v, KIND_OPAQUE) &&
           type_of(vm, v)->slots.traced_cast != NULL;
}

// Whether the stager decides: a tensor, of any kind, in a trace.
static bool decides(Vm *vm, Value v)
{
    return vm->trace != NULL &&
           (value_is_operand(v) || has_traced_truth(vm, v));
}

// What is no tensor but has no truth yet either, a list of the graph, gives way
// to its truth as a tensor. False: an error is pending.
static bool truth_in_place(Vm *vm, Value *place)
{
    Value v = *place;
    if (LIKELY(vm->trace == NULL) || !has_traced_truth(vm, v)) {
        return true;
    }
    Value truth = type_of(vm, v)->slots.traced_cast(vm, v, vm->bool_type);
    if (value_failed(truth)) {
        return false;
    }
    value_replace(&vm->ctx, place, truth);
    return true;
}

// x says that the condition is the value of `and` or `or` and stays where it
// is.
static const Ins *block_if(Vm *vm, Frame *f, const BlockInfo *info, Ins ins)
{
    uint32_t a = INS_A(ins);
    if (!slow_bound(vm, f, a) ||
        (!INS_X(ins) && !truth_in_place(vm, &f->registers[a]))) {
        return NULL;
    }
    if (decides(vm, f->registers[a])) {
        return vm->hooks->block(vm, f, EVENT_IF, info, ins);
    }
    int truth = value_truth(vm, f->registers[a]);
    if (truth < 0) {
        return NULL;
    }
    if (!INS_X(ins)) {
        slow_drop(vm, f, a);
    }
    return truth ? f->pc : word_at(f, info->else_target);
}

static const Ins *block_end(Vm *vm, Frame *f, BlockEvent event,
                            const BlockInfo *info, Ins ins)
{
    if (vm->trace != NULL) {
        return vm->hooks->block(vm, f, event, info, ins);
    }
    switch (event) {
    case EVENT_ELSE: return word_at(f, info->join_target);
    case EVENT_NEXT: return word_at(f, info->else_target);
    default: return f->pc;
    }
}

// Host values keep their value here: `a and b` needs no bool to be decided.
static const Ins *block_truth(Vm *vm, Frame *f, Ins ins)
{
    if (!slow_bound(vm, f, INS_A(ins)) ||
        !truth_in_place(vm, &f->registers[INS_A(ins)])) {
        return NULL;
    }
    return decides(vm, f->registers[INS_A(ins)])
               ? vm->hooks->block(vm, f, EVENT_TRUTH, NULL, ins)
               : f->pc;
}

// A list is emptied and filled by its truth like any condition.
static const Ins *block_not(Vm *vm, Frame *f, Ins ins)
{
    uint32_t b = INS_B(ins);
    if (!slow_bound(vm, f, b) || !truth_in_place(vm, &f->registers[b])) {
        return NULL;
    }
    if (decides(vm, f->registers[b])) {
        return vm->hooks->block(vm, f, EVENT_NOT, NULL, ins);
    }
    int truth = value_truth(vm, f->registers[b]);
    if (truth < 0 || !slow_set(vm, f, INS_A(ins), value_from_bool(!truth))) {
        return NULL;
    }
    if (b != INS_A(ins)) {
        slow_drop(vm, f, b);
    }
    return f->pc;
}

// --- loops ---

// The test in front of a turn (EVENT_WHILE: on while it is true) or the flags
// behind one (EVENT_STOP: on while they are false). The stager is asked even
// about host values: the loop may be one that it traces, and then flags are
// part of its condition.
static const Ins *block_turn(Vm *vm, Frame *f, BlockEvent event,
                             const BlockInfo *info, Ins ins)
{
    uint32_t a = INS_A(ins);
    if (!slow_bound(vm, f, a) || !truth_in_place(vm, &f->registers[a])) {
        return NULL;
    }
    if (vm->trace != NULL) {
        const Ins *next = vm->hooks->block(vm, f, event, info, ins);
        if (next != f->pc || value_unbound(f->registers[a])) {
            return next;
        }
    }
    int truth = value_truth(vm, f->registers[a]);
    if (truth < 0) {
        return NULL;
    }
    slow_drop(vm, f, a);
    return truth == (event == EVENT_WHILE) ? f->pc
                                           : word_at(f, info->join_target);
}

// The note of a call: a tuple that begins with a mark no program can have.
bool block_is_note(Value v)
{
    return value_is_kind(v, KIND_TUPLE) && value_as_tuple(v)->count > 1 &&
           value_same(value_as_tuple(v)->items[0], VALUE_RANGE_MARK);
}

// An object may say by __stage_items__ how a staged loop walks it.
static bool has_stage_items(Vm *vm, Value v)
{
    return vm->trace != NULL &&
           (value_is_kind(v, KIND_INSTANCE) || value_is_kind(v, KIND_OPAQUE)) &&
           type_has(vm, type_of(vm, v), NAME_STAGE_ITEMS);
}

// The names could be bound to something else: what is called decides, not what
// it was called by.
static bool wants_note(Vm *vm, const Value *window, uint32_t count)
{
    static const char *const names[] = {"range", "zip", "enumerate"};
    bool known = false, tensors = false;
    for (uint32_t i = 0; i < 3 && !known; i++) {
        Str *name = str_intern(vm, names[i], strlen(names[i]));
        known = name != NULL &&
                value_same(window[0], dict_get_name(vm->builtins, name));
        object_release_null(&vm->ctx, name);
    }
    for (uint32_t i = 1; i <= count; i++) {
        tensors = tensors || value_is_operand(window[i]) ||
                  block_is_note(window[i]) || has_stage_items(vm, window[i]);
    }
    return known && tensors;
}

// A note keeps the arguments until BLOCKFOR knows that they are iterated over;
// without a tensor among them the call is made as it stands.
static const Ins *block_range(Vm *vm, Frame *f, Ins ins)
{
    uint32_t a = INS_A(ins), count = INS_X(ins);
    Value *window = &f->registers[a];
    for (uint32_t i = 0; i <= count; i++) {
        if (!slow_bound(vm, f, a + i)) {
            return NULL;
        }
    }
    Value made;
    // A tensor among the arguments: the call is kept as a note, and the loop
    // over it is traced.
    if (vm->trace != NULL && wants_note(vm, window, count)) {
        Tuple *note = tuple_new(vm, count + 2);
        made = value_or_fail(note);
        for (uint32_t i = 0; note != NULL && i <= count; i++) {
            note->items[i + 1] = value_retain(window[i]);
        }
        if (note != NULL) {
            note->items[0] = VALUE_RANGE_MARK;
        }
    } else {
        made = call_object(vm, window[0], window + 1, count, NULL);
    }
    for (uint32_t i = 1; i <= count; i++) {
        value_replace(&vm->ctx, &window[i], VALUE_UNBOUND);
    }
    return slow_set(vm, f, a, made) ? f->pc : NULL;
}

// A list comprehension over what tensors decide the length of is a loop of the
// graph; any other one is called.
static const Ins *block_comp(Vm *vm, Frame *f, Ins ins)
{
    Value *window = &f->registers[INS_A(ins)];
    if (vm->trace == NULL) {
        return f->pc;
    }
    Value made = slow_bound(vm, f, INS_A(ins) + 1)
                     ? vm->hooks->comprehend(vm, window[0], &window[1])
                     : VALUE_FAIL;
    if (value_unbound(made)) {
        return f->pc;
    }
    value_replace(&vm->ctx, &window[1], VALUE_UNBOUND);
    return slow_set(vm, f, INS_A(ins), made) ? f->pc + INS_CI(ins) : NULL;
}

// Any other object has a shape of its own, which the next instructions ask for.
static const Ins *block_size(Vm *vm, Frame *f, Ins ins)
{
    return decides(vm, f->registers[INS_A(ins)])
               ? vm->hooks->block(vm, f, EVENT_AXIS, NULL, ins)
               : f->pc;
}

// Host iterables get the state of an ordinary loop, and the next instruction
// to run is the one between two turns.
static const Ins *block_for(Vm *vm, Frame *f, const BlockInfo *info, Ins ins)
{
    Value iterable = f->registers[INS_A(ins)];
    if (block_is_note(iterable) || decides(vm, iterable) ||
        has_stage_items(vm, iterable)) {
        return vm->hooks->block(vm, f, EVENT_FOR, info, ins);
    }
    return slow_getiter(vm, f, ins) ? word_at(f, info->else_target) : NULL;
}

// --- raise and assert ---

// The stager decides later, when it sees which blocks the exception leaves.
void block_note_raise(Vm *vm, Frame *f, Ins ins)
{
    if (vm->trace != NULL && (f->code->flags & CODE_STAGED)) {
        (void)vm->hooks->block(vm, f, EVENT_RAISE, NULL, ins);
    }
}

// A tensor stays in its register for BLOCKFAIL, behind the message; an
// assertion that holds on the host skips both.
static const Ins *block_assert(Vm *vm, Frame *f, const BlockInfo *info, Ins ins)
{
    uint32_t a = INS_A(ins);
    if (!slow_bound(vm, f, a)) {
        return NULL;
    }
    if (decides(vm, f->registers[a])) {
        return f->pc; // the message first, then BLOCKFAIL
    }
    int truth = value_truth(vm, f->registers[a]);
    if (truth < 0) {
        return NULL;
    }
    slow_drop(vm, f, a);
    return truth ? word_at(f, info->join_target) : f->pc;
}

// An empty register says that a host condition was false: the assertion fails
// now, or, inside a block, when the graph comes there.
static const Ins *block_fail(Vm *vm, Frame *f, Ins ins)
{
    uint32_t a = INS_A(ins);
    if (!value_unbound(f->registers[a])) {
        return vm->hooks->block(vm, f, EVENT_ASSERT, NULL, ins);
    }
    Value cls = value_from_object(vm->error_types[ERR_ASSERTION]);
    Value made = vm_call(vm, cls, &f->registers[a + 1], INS_X(ins) ? 1 : 0);
    if (!value_failed(made)) {
        raise_object(vm, made);
        block_note_raise(vm, f, ins);
    }
    return NULL;
}

const Ins *slow_block(Vm *vm, Frame *f, Ins ins)
{
    Opcode op = (Opcode)INS_OP(ins);
    bool plain = op == OPCODE_BLOCKTRUTH || op == OPCODE_BLOCKNOT ||
                 op == OPCODE_BLOCKRANGE || op == OPCODE_BLOCKCOMP ||
                 op == OPCODE_BLOCKSIZE;
    const BlockInfo *info = plain ? NULL : &f->code->blocks[INS_B(ins)];
    switch (op) {
    case OPCODE_BLOCKIF: return block_if(vm, f, info, ins);
    case OPCODE_BLOCKELSE: return block_end(vm, f, EVENT_ELSE, info, ins);
    case OPCODE_BLOCKJOIN: return block_end(vm, f, EVENT_JOIN, info, ins);
    case OPCODE_BLOCKTRUTH: return block_truth(vm, f, ins);
    case OPCODE_BLOCKNOT: return block_not(vm, f, ins);
    case OPCODE_BLOCKHEAD: return block_end(vm, f, EVENT_HEAD, info, ins);
    case OPCODE_BLOCKWHILE: return block_turn(vm, f, EVENT_WHILE, info, ins);
    case OPCODE_BLOCKNEXT: return block_end(vm, f, EVENT_NEXT, info, ins);
    case OPCODE_BLOCKRANGE: return block_range(vm, f, ins);
    case OPCODE_BLOCKCOMP: return block_comp(vm, f, ins);
    case OPCODE_BLOCKSIZE: return block_size(vm, f, ins);
    case OPCODE_BLOCKFOR: return block_for(vm, f, info, ins);
    case OPCODE_BLOCKSTOP: return block_turn(vm, f, EVENT_STOP, info, ins);
    case OPCODE_BLOCKASSERT: return block_assert(vm, f, info, ins);
    default: return block_fail(vm, f, ins);
    }
}
