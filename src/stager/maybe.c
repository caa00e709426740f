// None or a value, as a tensor decides.
//
// Invariant: the condition of such a choice is a symbolic bool, true where
// there is a value; where the value is read and there is none, the graph raises
// before.
#include "stager/maybe.h"

#include <stdio.h>

#include "graph/build.h"
#include "interp/core/raise.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/either.h"
#include "stager/events.h"
#include "stager/late_error.h"
#include "stager/loop_carried.h"
#include "stager/loop_held.h"
#include "stager/poison.h"
#include "stager/structure.h"
#include "stager/undecided.h"

bool maybe_is(Vm *vm, Value v)
{
    Value choice = poison_is_value(vm, v) ? poison_left(vm, v) : VALUE_UNBOUND;
    return !value_unbound(choice) && value_is_none(either_parts(choice)[1]);
}

Value maybe_choice(Vm *vm, Value v)
{
    return vm->trace != NULL && maybe_is(vm, v)
               ? poison_choice(vm, v, vm->trace->block)
               : VALUE_UNBOUND;
}

static Value make(Vm *vm, const char *name, Value choice)
{
    char text[200];
    const char *shown = name != NULL ? name : "value";
    snprintf(text, sizeof text,
             "%s%.60s%s may be None here, as a tensor decides; ask first "
             "whether it `is None`",
             name != NULL ? "'" : "the ", shown, name != NULL ? "'" : "");
    vm->trace->undecided = true;
    return poison_value(vm, ERR_SYMBOLIC, text, choice);
}

// --- merging ---

// What a side leaves: whether it has a value, and that; borrowed.
typedef struct MaybeSide {
    Value flag, value;
} MaybeSide;

static MaybeSide side_of(Vm *vm, Value v)
{
    if (!maybe_is(vm, v)) {
        return value_is_none(v) ? (MaybeSide){VALUE_FALSE, VALUE_UNBOUND}
                                : (MaybeSide){VALUE_TRUE, v};
    }
    Value choice = poison_left(vm, v);
    return (MaybeSide){either_condition(choice), either_parts(choice)[0]};
}

static Value bool_tensor(Vm *vm, Value flag)
{
    return value_is_bool(flag) ? tensor_from_value(vm, "if", flag, DT_BOOL)
                               : value_retain(flag);
}

// The condition of the merge itself where that is all that it says. No bool of
// the program becomes a tensor by this.
static Value merge_flags(Merge *m, const MaybeSide sides[2])
{
    Vm *vm = m->vm;
    if (value_is_bool(sides[0].flag) && value_is_bool(sides[1].flag) &&
        !m->absent[0] && !m->absent[1] && merge_has_truth(m)) {
        Value holds = trace_symbolic(vm, vm->trace, m->condition, NULL);
        if (value_failed(holds) || value_same(sides[0].flag, VALUE_TRUE)) {
            return holds;
        }
        Value opposite = tensor_call(vm, "logical_not", &holds, 1, NULL, 0);
        release(vm, holds);
        return opposite;
    }
    Value first = bool_tensor(vm, sides[0].flag);
    Value second = value_failed(first) ? first : bool_tensor(vm, sides[1].flag);
    Value merged =
        value_failed(second) ? second : merge_values(m, first, second);
    release(vm, first);
    release(vm, second);
    return merged;
}

// `name` is the variable's; the parts have none of their own.
static Value merge_parts(Merge *m, const char *name, const MaybeSide sides[2])
{
    Vm *vm = m->vm;
    m->hidden = HIDDEN_VALUE; // each side need have no value
    Value value = merge_values(m, sides[0].value, sides[1].value);
    if (value_failed(value) || value_unbound(value)) {
        return value;
    }
    m->name = NULL;
    Value flag = merge_flags(m, sides);
    Value choice =
        value_failed(flag) ? flag : either_of(vm, flag, value, VALUE_NONE);
    Value made = value_failed(choice) ? choice : maybe_shown(vm, name, choice);
    release(vm, value);
    release(vm, flag);
    return made;
}

bool maybe_either(Vm *vm, Value a, Value b)
{
    return value_is_none(a) || value_is_none(b) || maybe_is(vm, a) ||
           maybe_is(vm, b);
}

Value maybe_merge(Merge *m, Value first, Value second)
{
    Vm *vm = m->vm;
    const MaybeSide sides[2] = {side_of(vm, first), side_of(vm, second)};
    const char *name = m->name;
    HiddenKind hidden = m->hidden;
    Value merged = merge_parts(m, name, sides);
    m->hidden = hidden;
    m->name = name;
    return merged;
}

Value maybe_single(Merge *m, int side, Value v)
{
    Vm *vm = m->vm;
    Value choice = poison_left(vm, v);
    Value flag = merge_single(m, side, either_condition(choice));
    Value value = value_failed(flag)
                      ? flag
                      : merge_single(m, side, either_parts(choice)[0]);
    Value made =
        value_failed(value) ? value : either_of(vm, flag, value, VALUE_NONE);
    release(vm, flag);
    release(vm, value);
    return value_failed(made) ? made : maybe_shown(vm, m->name, made);
}

// a and b, or a or b; either may be a bool of the host.
static Value logic(Vm *vm, bool is_and, Value a, Value b)
{
    Value known = value_is_bool(a) ? a : b, other = value_is_bool(a) ? b : a;
    if (value_is_bool(known)) {
        return value_same(known, value_from_bool(is_and)) ? value_retain(other)
                                                          : known;
    }
    Value both[2] = {a, b};
    return tensor_call(vm, is_and ? "logical_and" : "logical_or", both, 2, NULL,
                       0);
}

static Value choose_flag(Vm *vm, Value condition, const MaybeSide sides[2])
{
    Value other = tensor_call(vm, "logical_not", &condition, 1, NULL, 0);
    Value first = value_failed(other)
                      ? VALUE_FAIL
                      : logic(vm, true, condition, sides[0].flag);
    Value second = value_failed(first) ? VALUE_FAIL
                                       : logic(vm, true, other, sides[1].flag);
    Value flag =
        value_failed(second) ? VALUE_FAIL : logic(vm, false, first, second);
    release(vm, other);
    release(vm, first);
    release(vm, second);
    return flag;
}

Value maybe_choose(Vm *vm, const char *name, Value condition, Value a, Value b)
{
    const MaybeSide sides[2] = {side_of(vm, a), side_of(vm, b)};
    Value x = sides[0].value, y = sides[1].value;
    if (!maybe_either(vm, a, b)) {
        return VALUE_UNBOUND;
    }
    Value value = value_unbound(x)   ? value_retain(y)
                  : value_unbound(y) ? value_retain(x)
                                     : undecided_choose(vm, condition, x, y);
    if (value_failed(value) || value_unbound(value)) {
        return value;
    }
    Value flag = choose_flag(vm, condition, sides);
    Value choice =
        value_failed(flag) ? flag : either_of(vm, flag, value, VALUE_NONE);
    release(vm, value);
    release(vm, flag);
    return maybe_shown(vm, name, choice);
}

// --- loops ---

Value maybe_open(Vm *vm, Value before)
{
    Value choice = maybe_choice(vm, before);
    return value_retain(choice);
}

static Value state_of(Vm *vm, Value flag, Value value)
{
    Value holds = bool_tensor(vm, flag);
    Value state =
        value_failed(holds) ? holds : either_of(vm, holds, value, VALUE_NONE);
    release(vm, holds);
    return state;
}

Value maybe_begin(Vm *vm, StagedBlock *block, Value before, Value after)
{
    MaybeSide side = side_of(vm, after);
    if (!loop_may_repeat(vm, block)) {
        return VALUE_UNBOUND;
    }
    if (!value_is_none(before)) {
        bool plain = !value_is_none(after) && !maybe_is(vm, after);
        return plain ? VALUE_UNBOUND : state_of(vm, VALUE_TRUE, before);
    }
    if (value_unbound(side.value)) {
        return VALUE_UNBOUND;
    }
    Value none = loop_made_before(vm, block, side.value);
    if (value_failed(none) || value_unbound(none)) {
        return none;
    }
    Value state = state_of(vm, VALUE_FALSE, none);
    release(vm, none);
    return state;
}

Value maybe_turn(Vm *vm, Value before, Value after)
{
    MaybeSide side = side_of(vm, after);
    return state_of(vm, side.flag,
                    value_unbound(side.value) ? either_parts(before)[0]
                                              : side.value);
}

Value maybe_shown(Vm *vm, const char *name, Value state)
{
    if (value_failed(state)) {
        return state;
    }
    Value flag = either_condition(state);
    Value made = !value_is_tensor(flag) ? make(vm, name, state)
                 : *(const bool *)value_as_tensor(flag)->data
                     ? value_retain(either_parts(state)[0])
                     : VALUE_NONE;
    release(vm, state);
    return made;
}

// --- use ---

Value maybe_same(Vm *vm, Value a, Value b, bool holds)
{
    Value self = poison_is_value(vm, a) ? a : b;
    Value choice = maybe_choice(vm, self), known = maybe_known(vm, self);
    if ((value_unbound(choice) && value_unbound(known)) ||
        !value_is_none(value_same(self, a) ? b : a)) {
        return poison_raise(vm, self);
    }
    if (!value_unbound(known)) {
        return value_from_bool(value_is_none(known) == holds);
    }
    event_add(vm, vm->trace->events, EVENT_INT, "a host bool", VALUE_NONE);
    Value flag = either_condition(choice);
    return holds ? tensor_call(vm, "logical_not", &flag, 1, NULL, 0)
                 : value_retain(flag);
}

// What has an __eq__ of its own may say of None what it likes.
Value maybe_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    Value self = poison_is_value(vm, a) ? a : b;
    Value choice = maybe_choice(vm, self);
    Value value =
        value_unbound(choice) ? VALUE_UNBOUND : either_parts(choice)[0];
    bool asks = (op == COMPARE_EQ || op == COMPARE_NE) &&
                (value_is_operand(value) || merge_is_number(value) ||
                 structure_is_plain(value));
    return asks ? maybe_same(vm, a, b, op == COMPARE_EQ)
                : poison_raise(vm, self);
}

// Of None false; a size that is not known could be none where there is no
// value.
static Value truth_of(Vm *vm, Value self, Value choice)
{
    Value value = either_parts(choice)[0], flag = either_condition(choice);
    bool is_operand = value_is_operand(value);
    if (is_operand ? operand_type(value).rank != 0
                   : !merge_is_number(value) && !structure_is_plain(value)) {
        return poison_raise(vm, self);
    }
    int known = is_operand ? 1 : value_truth(vm, value);
    Value truth = known < 0     ? VALUE_FAIL
                  : !is_operand ? value_from_bool(known)
                                : vm_call(vm, value_from_object(vm->bool_type),
                                          &value, 1);
    Value made = value_failed(truth) ? truth : logic(vm, true, flag, truth);
    release(vm, truth);
    return made;
}

// Takes the pending error, which None has brought about: the graph raises it
// where there is no value, which is what goes on. False: it is no such error.
static bool refuse_none(Vm *vm, Value choice)
{
    if (!undecided_is_late(vm)) {
        return false;
    }
    Value error = raise_take(vm);
    ValueId flag = trace_operand(vm, vm->trace, either_condition(choice));
    bool ok = flag != VALUE_ID_NONE &&
              late_error_append(vm, error, flag, trace_place(vm));
    release(vm, error);
    return ok;
}

Value maybe_cast(Vm *vm, Value self, const Type *to)
{
    Value known = maybe_known(vm, self), choice = maybe_choice(vm, self);
    Value cls = value_from_object((Type *)to);
    if (!value_unbound(known)) {
        return vm_call(vm, cls, &known, 1);
    }
    if (value_unbound(choice)) {
        return poison_raise(vm, self);
    }
    if (to == vm->bool_type) {
        return truth_of(vm, self, choice);
    }
    Value none = VALUE_NONE;
    none = vm_call(vm, cls, &none, 1);
    if (!value_failed(none)) {
        release(vm, none);
        return poison_raise(vm, self);
    }
    return refuse_none(vm, choice) ? vm_call(vm, cls, either_parts(choice), 1)
                                   : VALUE_FAIL;
}

// What meets what may be None: no code of the program.
static bool is_met(Value other)
{
    return value_is_operand(other) || merge_is_number(other) ||
           value_is_str(other);
}

Value maybe_operate(Vm *vm, Value a, Value b, OperandsFn act, int how)
{
    Value known[2] = {maybe_known(vm, a), maybe_known(vm, b)};
    a = value_unbound(known[0]) ? a : known[0];
    b = value_unbound(known[1]) ? b : known[1];
    bool first = poison_is_value(vm, a), both = first && poison_is_value(vm, b);
    Value self = first ? a : b, other = first ? b : a;
    Value choice = both ? VALUE_UNBOUND : maybe_choice(vm, self);
    if (value_unbound(choice) || !is_met(other)) {
        return act(vm, a, b, how);
    }
    Value none = act(vm, first ? VALUE_NONE : a, first ? b : VALUE_NONE, how);
    if (!value_failed(none)) {
        release(vm, none);
        return act(vm, a, b, how);
    }
    Value value = either_parts(choice)[0];
    return refuse_none(vm, choice)
               ? act(vm, first ? value : a, first ? b : value, how)
               : VALUE_FAIL;
}

// What it is itself refuses: the operation has been met.
static Value act_unary(Vm *vm, Value self, Value other, int op)
{
    (void)other;
    return poison_is_value(vm, self) ? poison_raise(vm, self)
                                     : value_unary(vm, (UnaryOp)op, self);
}

Value maybe_unary(Vm *vm, UnaryOp op, Value self)
{
    return maybe_operate(vm, self, VALUE_FALSE, act_unary, (int)op);
}

// Whatever the key is.
Value maybe_item(Vm *vm, Value self, Value key)
{
    Value known = maybe_known(vm, self), choice = maybe_choice(vm, self);
    if (!value_unbound(known)) {
        return value_get_item(vm, known, key);
    }
    Value none = value_unbound(choice) ? poison_raise(vm, self)
                                       : value_get_item(vm, VALUE_NONE, key);
    return value_unbound(choice) || !refuse_none(vm, choice)
               ? none
               : value_get_item(vm, either_parts(choice)[0], key);
}

// len() asks for its method, and says of None that it has no length.
static Value none_attr(Vm *vm, Str *name)
{
    return name == vm->names[NAME_LEN] && value_length(vm, VALUE_NONE) < 0
               ? VALUE_FAIL
               : value_get_attr(vm, VALUE_NONE, name);
}

Value maybe_attr(Vm *vm, Value self, Str *name)
{
    Value known = maybe_known(vm, self), choice = maybe_choice(vm, self);
    if (!value_unbound(known)) {
        return value_get_attr(vm, known, name);
    }
    Value none = value_unbound(choice) ? VALUE_NONE : none_attr(vm, name);
    if (value_failed(none)) {
        return refuse_none(vm, choice)
                   ? value_get_attr(vm, either_parts(choice)[0], name)
                   : VALUE_FAIL;
    }
    release(vm, none);
    return VALUE_UNBOUND;
}

Value maybe_ask(Vm *vm, Value v, Value with, OperandsFn act)
{
    Value known = maybe_known(vm, v), choice = maybe_choice(vm, v);
    if (value_unbound(choice) || !value_unbound(known)) {
        return act(vm, value_unbound(known) ? v : known, with, 0);
    }
    Value none = act(vm, VALUE_NONE, with, 0);
    Value value =
        value_failed(none) ? none : act(vm, either_parts(choice)[0], with, 0);
    if (value_same(none, value) || value_failed(value)) {
        return value;
    }
    event_add(vm, vm->trace->events, EVENT_INT, "a host bool", VALUE_NONE);
    Value flag = either_condition(choice);
    return value_same(value, VALUE_TRUE)
               ? value_retain(flag)
               : tensor_call(vm, "logical_not", &flag, 1, NULL, 0);
}

// Without `other` the flag alone is asked for.
Value maybe_otherwise(Vm *vm, Value held, Value other)
{
    Value choice = poison_is_value(vm, held)
                       ? poison_there(vm, held, vm->trace->block)
                       : VALUE_UNBOUND;
    if (value_unbound(choice)) {
        return choice;
    }
    Value flag = either_condition(choice), value = either_parts(choice)[0];
    int is = maybe_told(vm, either_condition(choice));
    if (is >= 0) {
        return value_unbound(other) ? value_from_bool(is)
                                    : value_retain(is ? value : other);
    }
    if (value_unbound(other)) {
        event_add(vm, vm->trace->events, EVENT_INT, "a host bool", VALUE_NONE);
        return value_retain(flag);
    }
    Value made = maybe_choose(vm, NULL, flag, value, other);
    return value_unbound(made) ? undecided_choose(vm, flag, value, other)
                               : made;
}
