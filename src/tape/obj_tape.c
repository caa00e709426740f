// Tape: gradients of what was done inside its `with` block.
//
// What works on structures of tensors is written in Duet (lib/_tape.duet), over
// the methods here whose names begin with an underscore.
#include "interp/core/memory.h"
#include "interp/core/raise.h"
#include "interp/hooks/library.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/classes/obj_module.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/protocol/protocol.h"
#include "tape/tape.h"

static Tape *tape_of(Value self)
{
    return (Tape *)value_object(self);
}

// Tape(persistent=False, watch_accessed_variables=True)
static Value tape_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    static const char *const params[2] = {"persistent",
                                          "watch_accessed_variables"};
    Value given[2];
    if (!arguments_spread(vm, "Tape", args, keywords, params, 2, 0, given)) {
        return VALUE_FAIL;
    }
    int persistent = value_unbound(given[0]) ? 0 : value_truth(vm, given[0]);
    int watches = value_unbound(given[1]) ? 1 : value_truth(vm, given[1]);
    Tape *tape = persistent < 0 || watches < 0
                     ? NULL
                     : object_new(vm, cls, sizeof *tape);
    if (tape == NULL) {
        return VALUE_FAIL;
    }
    Object head = tape->recorder.head;
    *tape = (Tape){
        .recorder.head = head, .persistent = persistent, .watches = watches};
    arena_init(&tape->arena, &vm->ctx);
    return value_from_object(tape);
}

static void tape_destroy(Vm *vm, Object *self)
{
    Tape *tape = (Tape *)self;
    tape_stop(vm, tape);
    tape_clear(vm, tape);
    arena_destroy(&tape->arena);
    object_free(vm, self, sizeof *tape);
}

// Tensors are in no cycle; the functions of custom gradients may be.
static void tape_visit(Object *self, void (*visit)(Object *child, void *data),
                       void *data)
{
    Tape *tape = (Tape *)self;
    for (size_t i = 0; i < tape->entries.count; i++) {
        if (value_is_object(tape->entries.items[i].data)) {
            visit(value_object(tape->entries.items[i].data), data);
        }
    }
    for (size_t i = 0; i < tape->items.count; i++) {
        visit(value_object(tape->items.items[i].value), data);
    }
    for (size_t i = 0; i < tape->slots.count; i++) {
        visit(value_object(tape->slots.items[i].value), data);
    }
}

static void tape_clear_slot(Vm *vm, Object *self)
{
    tape_clear(vm, (Tape *)self);
}

static Value tape_enter(Vm *vm, Value *args)
{
    Tape *tape = tape_of(args[0]);
    if (tape->recording) {
        return raise_error(vm, ERR_RUNTIME, "Tape: it is recording already");
    }
    tape_start(vm, tape);
    return value_retain(args[0]);
}

static Value tape_exit(Vm *vm, Value *args)
{
    tape_stop(vm, tape_of(args[0]));
    return VALUE_FALSE;
}

static Value tape_reset(Vm *vm, Value *args)
{
    tape_clear(vm, tape_of(args[0]));
    tape_of(args[0])->used = false;
    return VALUE_NONE;
}

// _watch(operand)
static Value tape_watch_one(Vm *vm, Value *args)
{
    if (!value_is_operand(args[1])) {
        return raise_error(vm, ERR_TYPE, "watch: not a tensor: '%s'",
                           type_name(type_of(vm, args[1])));
    }
    return value_done(tape_watch(vm, tape_of(args[0]), args[1]));
}

static Value tape_variables(Vm *vm, Value *args)
{
    Tape *tape = tape_of(args[0]);
    List *list = list_new(vm, 0);
    for (size_t i = 0; list != NULL && i < tape->slots.count; i++) {
        TapeSlot slot = tape->slots.items[i];
        if (slot.tracked && value_is_kind(slot.value, KIND_VARIABLE) &&
            !list_append(vm, list, slot.value)) {
            object_release(&vm->ctx, list);
            list = NULL;
        }
    }
    return value_or_fail(list);
}

// Whether gradients may be taken now, and what that ends.
static bool begin_gradient(Vm *vm, Tape *tape)
{
    if (tape->used) {
        return raise_false(vm, ERR_RUNTIME,
                           "Tape: its gradient was taken already; a Tape with "
                           "persistent=True gives more than one");
    }
    if (!tape->persistent) {
        tape_stop(vm, tape);
    }
    return true;
}

static bool read_items(Vm *vm, Value v, size_t count, Value *items)
{
    if (!value_is_kind(v, KIND_LIST) || value_as_list(v)->count != count) {
        return raise_false(vm, ERR_TYPE, "Tape: a list of tensors is wanted");
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = value_as_list(v)->items[i];
        if (value_is_none(items[i])) {
            items[i] = VALUE_UNBOUND;
        } else if (!value_is_operand(items[i])) {
            return raise_false(vm, ERR_TYPE, "Tape: not a tensor: '%s'",
                               type_name(type_of(vm, items[i])));
        }
    }
    return true;
}

// Takes both: a gradient of some rows is (values, rows).
static Value pair_of(Vm *vm, Value values, Value rows)
{
    Tuple *pair = tuple_new(vm, 2);
    if (pair == NULL) {
        value_release(&vm->ctx, values);
        value_release(&vm->ctx, rows);
        return VALUE_FAIL;
    }
    pair->items[0] = values;
    pair->items[1] = rows;
    return value_from_object(pair);
}

// Takes the values; UNBOUND becomes None.
static Value list_of(Vm *vm, const Value *values, const Value *rows,
                     size_t count)
{
    List *list = list_new(vm, 0);
    bool ok = list != NULL;
    for (size_t i = 0; i < count; i++) {
        Value v = value_unbound(values[i]) ? VALUE_NONE
                  : value_unbound(rows[i]) ? values[i]
                                           : pair_of(vm, values[i], rows[i]);
        ok = ok && !value_failed(v);
        if (ok) {
            ok = list_append_owned(vm, list, v);
        } else if (!value_failed(v)) {
            value_release(&vm->ctx, v);
        }
    }
    if (!ok) {
        object_release_null(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_from_object(list);
}

// _gradient(targets, seeds, sources, keep, many): lists; a seed may be None.
// With `keep` it is not the last one, whatever the tape. None: not for `many`.
static Value tape_gradient_flat(Vm *vm, Value *args)
{
    Tape *tape = tape_of(args[0]);
    for (int i = 1; i < 4; i++) {
        if (!value_is_kind(args[i], KIND_LIST)) {
            return raise_error(vm, ERR_TYPE, "Tape: lists are wanted");
        }
    }
    size_t targets = value_as_list(args[1])->count;
    size_t sources = value_as_list(args[3])->count;
    size_t size = (2 * targets + 3 * sources + 1) * sizeof(Value);
    Value *room = ctx_alloc(&vm->ctx, size), result = VALUE_FAIL;
    if (room == NULL) {
        return VALUE_FAIL;
    }
    Value *seeds = room + targets, *from = seeds + targets;
    Value *made = from + sources, *rows = made + sources;
    if (read_items(vm, args[1], targets, room) &&
        read_items(vm, args[2], targets, seeds) &&
        read_items(vm, args[3], sources, from) && begin_gradient(vm, tape)) {
        int64_t many = value_is_int(args[5]) ? value_small(args[5]) : 0;
        if (tape_gradient(vm, tape, room, seeds, (uint32_t)targets, from,
                          (uint32_t)sources, many, made, rows)) {
            result = list_of(vm, made, rows, sources);
        } else if (!vm_has_error(vm)) {
            ctx_free(&vm->ctx, room, size);
            return VALUE_NONE;
        }
        tape->used = !tape->persistent && !value_same(args[4], VALUE_TRUE);
        if (tape->used && !tape_keep_variables(vm, tape)) {
            release(vm, result);
            result = VALUE_FAIL;
        }
    }
    ctx_free(&vm->ctx, room, size);
    return result;
}

// ---- custom gradients

// Calls entry->data with the gradients of the results, None where there is
// none; it gives a list, an item for each operand.
static bool call_back(Vm *vm, const TapeEntry *entry, const TapeBack *back)
{
    Value *made = back->input_grads;
    Value function = value_retain(entry->data);
    uint32_t count = entry->input_count, given = entry->output_count;
    size_t size = (given + 1) * sizeof(Value);
    Value *args = ctx_alloc(&vm->ctx, size);
    if (args == NULL) {
        value_release(&vm->ctx, function);
        return false;
    }
    for (uint32_t i = 0; i < given; i++) {
        args[i] = value_unbound(back->output_grads[i])
                      ? VALUE_NONE
                      : value_retain(back->output_grads[i]);
    }
    Value result = vm_call(vm, function, args, given);
    for (uint32_t i = 0; i < given; i++) {
        value_release(&vm->ctx, args[i]);
    }
    ctx_free(&vm->ctx, args, size);
    value_release(&vm->ctx, function);
    bool ok = !value_failed(result) && read_items(vm, result, count, made);
    for (uint32_t i = 0; i < count; i++) {
        made[i] = ok && !value_unbound(made[i]) ? value_retain(made[i])
                                                : VALUE_UNBOUND;
    }
    value_release(&vm->ctx, result);
    return ok;
}

// _record(inputs, outputs, function): on all tapes that record here.
static Value tape_record_function(Vm *vm, Value *args)
{
    if (!value_is_kind(args[0], KIND_LIST) ||
        !value_is_kind(args[1], KIND_LIST)) {
        return raise_error(vm, ERR_TYPE, "Tape: lists are wanted");
    }
    List *inputs = value_as_list(args[0]), *outputs = value_as_list(args[1]);
    return value_done(tape_record_back(vm, call_back, args[2], inputs->items,
                                       (uint32_t)inputs->count, outputs->items,
                                       (uint32_t)outputs->count));
}

// _apart(function): calls it while no tape records.
static Value tape_apart(Vm *vm, Value *args)
{
    Recorder *recorders = vm->recorders;
    vm->recorders = NULL;
    Value result = vm_call(vm, args[0], NULL, 0);
    // Those that the function began and did not end stand in front.
    Recorder **end = &vm->recorders;
    while (*end != NULL) {
        end = &(*end)->outer;
    }
    *end = recorders;
    return result;
}

// ---- what is written in Duet

// Calls the function of lib/_tape.duet; its import is no event of a trace.
static Value call_library(Vm *vm, const char *name, const Value *args,
                          uint32_t count, Tuple *keyword_names)
{
    Trace *trace = vm->trace;
    Recorder *recorders = vm->recorders;
    uint16_t birth = vm->ctx.birth;
    Str *module_name = str_from(vm, "_tape");
    Str *key = str_intern(vm, name, strlen(name));
    Value function = VALUE_UNBOUND;
    vm->trace = NULL;
    vm->recorders = NULL;
    vm->ctx.birth = 0;
    Module *module = module_name == NULL || key == NULL
                         ? NULL
                         : vm->library->need(vm, module_name);
    if (module != NULL) {
        function = dict_get_name(module->dict, key);
    }
    vm->trace = trace;
    vm->recorders = recorders;
    vm->ctx.birth = birth;
    object_release_null(&vm->ctx, module_name);
    object_release_null(&vm->ctx, key);
    if (value_unbound(function)) {
        return vm_has_error(vm)
                   ? VALUE_FAIL
                   : raise_error(vm, ERR_SYSTEM, "%s is not there", name);
    }
    return vm_call_keywords(vm, function, args, count, keyword_names);
}

// Arguments that were not given stand last and are left to the function's own
// defaults.
static Value call_given(Vm *vm, const char *name, const Value *args,
                        uint32_t count)
{
    Value given[8];
    uint32_t used = 0;
    for (uint32_t i = 0; i < count && i < 8; i++) {
        given[i] = value_unbound(args[i]) ? VALUE_NONE : args[i];
        used = value_unbound(args[i]) ? used : i + 1;
    }
    return call_library(vm, name, given, used, NULL);
}

#define IN_DUET(name, count)                                                   \
    static Value in_duet_##name(Vm *vm, Value *args)                           \
    {                                                                          \
        return call_given(vm, #name, args, count);                             \
    }
IN_DUET(watch, 2)
IN_DUET(gradient, 5)
IN_DUET(jacobian, 6)
IN_DUET(batch_jacobian, 6)
IN_DUET(stop_recording, 1)
IN_DUET(custom_gradient, 1)
IN_DUET(jvp, 3)
IN_DUET(hessian, 2)
IN_DUET(check_gradients, 5)

static const NativeDef tape_methods[] = {
    {"__enter__", "self, /", tape_enter, "Begins to record."},
    {"__exit__", "self, *args", tape_exit, "Ends recording."},
    {"watch", "self, tensors, /", in_duet_watch,
     "Watches tensors or Variables, in any structure, from here on."},
    {"gradient",
     "self, target, sources, output_gradients=None, "
     "unconnected_gradients='none'",
     in_duet_gradient,
     "The gradient of the sum of target's elements (each times that of "
     "output_gradients) with respect to the sources, in their structure. "
     "Where a source has no part in it: None, or zeros if "
     "unconnected_gradients is 'zero'."},
    {"jacobian",
     "self, target, sources, unconnected_gradients='none', "
     "parallel_iterations=None, experimental_use_pfor=None",
     in_duet_jacobian,
     "The derivative of each element of target with respect to each one of "
     "the sources: of shape target.shape + source.shape."},
    {"batch_jacobian",
     "self, target, source, unconnected_gradients='none', "
     "parallel_iterations=None, experimental_use_pfor=None",
     in_duet_batch_jacobian,
     "For each row of target the jacobian with respect to the same row of "
     "source."},
    {"stop_recording", "self", in_duet_stop_recording,
     "A `with` block that this tape does not record."},
    {"reset", "self", tape_reset, "Forgets all that was recorded."},
    {"watched_variables", "self", tape_variables,
     "The Variables that were watched or met."},
    {"_watch", "self, operand, /", tape_watch_one, "Watches one tensor."},
    {"_gradient", "self, targets, seeds, sources, keep, many, /",
     tape_gradient_flat,
     "gradient() of lists; `keep`: not the last one; `many`: of so many seeds "
     "at once, or None."},
    {NULL, NULL, NULL, NULL},
};

static const NativeDef tape_static_methods[] = {
    {"_record", "inputs, outputs, function, /", tape_record_function,
     "Records a function for the way back."},
    {"_apart", "function, /", tape_apart, "Calls it unrecorded."},
    {NULL, NULL, NULL, NULL},
};

const NativeDef gradient_functions[] = {
    {"custom_gradient", "function, /", in_duet_custom_gradient,
     "Decorates a function that returns its value and a function from the "
     "gradient of that to those of its arguments."},
    {"jvp", "function, primals, tangents, /", in_duet_jvp,
     "function(*primals), and its derivative in the direction of tangents."},
    {"hessian", "function, x, /", in_duet_hessian,
     "The second derivatives of a function with a single number as its "
     "value."},
    {"check_gradients",
     "function, *args, step=None, tolerance=None, verbose=True",
     in_duet_check_gradients,
     "Compares gradients with differences at these arguments and prints the "
     "worst. The largest relative difference."},
    {NULL, NULL, NULL, NULL},
};

static Value member_recording(Vm *vm, Value self)
{
    (void)vm;
    return value_from_bool(tape_of(self)->recording);
}

static Value member_persistent(Vm *vm, Value self)
{
    (void)vm;
    return value_from_bool(tape_of(self)->persistent);
}

static const MemberDef tape_members[] = {
    {"recording", member_recording, NULL, "Whether it records now."},
    {"persistent", member_persistent, NULL,
     "Whether it gives more than one gradient."},
    {NULL, NULL, NULL, NULL},
};

const TypeDef tape_type_def = {
    .name = "Tape",
    .doc = "with Tape() as t: … records what is done to trainable Variables\n"
           "and to what t.watch(x) names; t.gradient(y, xs) then gives the\n"
           "gradients. In staged functions as outside.",
    .params = "persistent=False, watch_accessed_variables=True",
    .kind = KIND_OPAQUE,
    .size = sizeof(Tape),
    .flags = TYPE_TRACKED,
    .slots = {.destroy = tape_destroy,
              .visit = tape_visit,
              .clear = tape_clear_slot,
              .make = tape_make},
    .methods = tape_methods,
    .static_methods = tape_static_methods,
    .members = tape_members,
};
