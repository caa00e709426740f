// Calling ops by name, and from Duet: arguments to inputs and attributes.
//
// Invariant of a BoundCall: inputs[0 .. input_count) are owned or
// VALUE_UNBOUND, so that call_free can be called at any time. Ops are borrowed
// from the static table.
#include "interp/tensors/tensor_call.h"

#include "interp/objects/containers/obj_list.h"
#include "interp/objects/numbers/obj_int.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_convert.h"

// Bounds of what is bound without an allocation, and of the numbers in all
// attributes of one call.
enum { CALL_MAX_INPUTS = 8, CALL_MAX_INTS = 64 };

// An unknown op or attribute is a mistake in Duet itself, not in the program:
// hence ERR_SYSTEM.
Value tensor_call(Vm *vm, const char *name, const Value *inputs,
                  uint32_t input_count, const NamedAttr *attrs,
                  uint32_t attr_count)
{
    // What is not named keeps the op's default.
    AttrValue values[OP_MAX_ATTRS] = {{.kind = ATTR_NONE}};
    int code = op_find(name, strlen(name));
    if (code < 0) {
        return raise_error(vm, ERR_SYSTEM, "there is no op '%s'", name);
    }
    const OpDesc *op = op_desc((OpCode)code);
    for (uint32_t i = 0; i < attr_count; i++) {
        uint32_t at = 0;
        while (at < op->attr_count &&
               strcmp(op->attrs[at].name, attrs[i].name) != 0) {
            at++;
        }
        if (at == op->attr_count) {
            return raise_error(vm, ERR_SYSTEM, "%s has no attribute '%s'", name,
                               attrs[i].name);
        }
        // Pointers inside of it (ints, text) are the caller's, for the time of
        // the call.
        values[at] = attrs[i].value;
    }
    return apply_one(vm, (OpCode)code, inputs, input_count, values);
}

// One call in the making. Inputs are owned, attributes plain data.
// It lives on the C stack for one call and must not move: `inputs` may point
// into `few`, and attributes into `ints`.
typedef struct BoundCall {
    const OpDesc *op;
    Value *inputs;
    uint32_t input_count, input_capacity;
    Value few[CALL_MAX_INPUTS + OP_MAX_ATTRS]; // inputs, unless they are more
    AttrValue attrs[OP_MAX_ATTRS];
    int64_t ints[CALL_MAX_INTS]; // what ATTR_INTS attributes point at
    uint32_t int_count;
} BoundCall;

// Inputs that were not filled yet are VALUE_UNBOUND, whose release does
// nothing.
// Once for every room_for_inputs, whether the call went well or not.
static void call_free(Vm *vm, BoundCall *call)
{
    for (uint32_t i = 0; i < call->input_count; i++) {
        value_release(&vm->ctx, call->inputs[i]);
    }
    if (call->inputs != call->few) {
        ctx_free(&vm->ctx, call->inputs, call->input_capacity * sizeof(Value));
    }
}

// Room for `count` inputs and for every attribute, because an attribute that is
// given as a tensor becomes an input.
// False with an error pending; `inputs` then points to `few` still, so that
// call_free is safe.
static bool room_for_inputs(Vm *vm, BoundCall *call, size_t count)
{
    call->inputs = call->few;
    call->input_capacity = CALL_MAX_INPUTS + OP_MAX_ATTRS;
    if (count <= CALL_MAX_INPUTS) {
        return true;
    }
    size_t capacity = count + OP_MAX_ATTRS;
    // So that the count fits what the executor has for it.
    if (capacity > UINT32_MAX / sizeof(Value)) {
        return ctx_fail_memory(&vm->ctx);
    }
    Value *inputs = ctx_alloc(&vm->ctx, capacity * sizeof(Value));
    if (inputs == NULL) {
        return false;
    }
    call->inputs = inputs;
    call->input_capacity = (uint32_t)capacity;
    return true;
}

// One wording for all kinds: the op, the attribute, what it must be.
static bool fail_attr(Vm *vm, const BoundCall *call, const AttrDesc *attr,
                      const char *wanted, Value given)
{
    return raise_false(vm, ERR_TYPE, "%s: %s must be %s, not %s",
                       call->op->name, attr->name, wanted,
                       type_name(type_of(vm, given)));
}

// The buffer is of fixed size so that pointers into it stay valid while further
// attributes are read.
// False: an error is pending.
static bool push_int(Vm *vm, BoundCall *call, const AttrDesc *attr,
                     int64_t value)
{
    if (call->int_count == CALL_MAX_INTS) {
        return raise_false(vm, ERR_VALUE, "%s: %s has more than %d numbers",
                           call->op->name, attr->name, CALL_MAX_INTS);
    }
    call->ints[call->int_count++] = value;
    return true;
}

// A shape, axes: one int, a sequence of ints, or an eager int tensor.
// A str is iterable too, but its items are no ints, so it ends in a TypeError.
static bool attr_ints(Vm *vm, BoundCall *call, const AttrDesc *attr, Value v,
                      AttrValue *out)
{
    // The attribute points into the buffer that all attributes of the call
    // share.
    uint32_t first = call->int_count;
    bool ok = true;
    bool single = value_is_operand(v) && operand_type_now(vm, v).rank == 0;
    if (value_is_integer(v) || single) {
        int64_t one;
        ok = value_to_index(vm, v, &one) && push_int(vm, call, attr, one);
    } else if (value_is_object(v)) {
        // A tensor is iterable, too: a vector of ints is a shape. A float
        // or a bool that stands in the value itself falls through to the error.
        Tuple *items = value_to_tuple(vm, v);
        ok = items != NULL;
        for (size_t i = 0; ok && i < items->count; i++) {
            // None in a sequence is a size that is not given.
            int64_t one = ATTR_INT_NONE;
            ok = (value_is_none(items->items[i]) ||
                  value_to_index(vm, items->items[i], &one)) &&
                 push_int(vm, call, attr, one);
        }
        object_release_null(&vm->ctx, items);
    } else {
        ok = fail_attr(vm, call, attr, "an int or a sequence of ints", v);
    }
    // Set in any case: what a failure leaves there is never read.
    *out = attr_of_ints(call->ints + first, call->int_count - first);
    return ok;
}

// A symbolic (or any non-constant) int where the op takes one: an operand.
// It stands behind the op's own inputs, in the order in which such attributes
// come.
static bool attr_operand(Vm *vm, BoundCall *call, const AttrDesc *attr, Value v,
                         AttrValue *out)
{
    if (attr->accept != ATTR_HOST_OR_TENSOR) {
        return raise_false(
            vm, ERR_SYMBOLIC,
            "%s: %s must be known when the function is "
            "traced, it cannot be a symbolic tensor; give a number "
            "of the host's",
            call->op->name, attr->name);
    }
    // The attribute says at which input the operand stands.
    *out =
        (AttrValue){.kind = ATTR_INPUT, .integer = (int64_t)call->input_count};
    call->inputs[call->input_count++] = value_retain(v);
    return true;
}

// (2, n) with a symbolic n: packed into one symbolic vector.
// One level deep, which is what a shape has.
static bool has_symbolic(Value v)
{
    const Value *items;
    size_t count;
    if (value_is_kind(v, KIND_TUPLE)) {
        items = value_as_tuple(v)->items;
        count = value_as_tuple(v)->count;
    } else if (value_is_kind(v, KIND_LIST)) {
        items = value_as_list(v)->items;
        count = value_as_list(v)->count;
    } else {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (value_is_kind(items[i], KIND_SYMBOLIC)) {
            return true;
        }
    }
    return false;
}

// An attribute that the host knows. A str stays the argument's, which outlives
// the call.
// False: an error is pending.
static bool attr_plain(Vm *vm, BoundCall *call, const AttrDesc *attr, Value v,
                       AttrValue *out)
{
    out->kind = attr->kind;
    switch (attr->kind) {
    case ATTR_BOOL: {
        int truth = value_truth(vm, v);
        out->boolean = truth == 1;
        return truth >= 0;
    }
    case ATTR_INT: return value_to_index(vm, v, &out->integer);
    case ATTR_FLOAT: return value_to_double(vm, v, &out->number);
    case ATTR_DTYPE: return dtype_from_value(vm, v, &out->dtype);
    case ATTR_STR:
        if (!value_is_str(v)) {
            return fail_attr(vm, call, attr, "a str", v);
        }
        // Borrowed, as said above.
        out->text = value_as_str(v)->text;
        out->count = (uint32_t)value_as_str(v)->length;
        return true;
    // ATTR_INTS, the one kind that is left.
    default: return attr_ints(vm, call, attr, v, out);
    }
}

// None is the default of most optional attributes and counts as not given; a
// size that a trace does not know is None too, and no shape.
// A symbolic value can only be an operand; an eager tensor is read like an int
// here, so that the graph holds the number.
static bool bind_attr(Vm *vm, BoundCall *call, const AttrDesc *attr, Value v,
                      AttrValue *out)
{
    bool optional = attr->default_text != NULL;
    if (value_unbound(v) || (value_is_none(v) && optional)) {
        out->kind = ATTR_NONE;
        return true;
    }
    if (value_is_kind(v, KIND_SYMBOLIC)) {
        return attr_operand(vm, call, attr, v, out);
    }
    if (attr->kind == ATTR_INTS && has_symbolic(v)) {
        Value packed = tensor_from_value(vm, call->op->name, v, DT_NONE);
        if (value_failed(packed)) {
            return false;
        }
        bool ok = attr_operand(vm, call, attr, packed, out);
        value_release(&vm->ctx, packed);
        return ok;
    }
    return attr_plain(vm, call, attr, v, out);
}

// Those that take part together get a dtype in common; each of the rest is
// converted alone. On failure call_free releases what has been made.
// At most CALL_MAX_INPUTS: only ops that take a list have more, and those go
// through bind_list.
static bool bind_inputs(Vm *vm, BoundCall *call, const Value *args,
                        uint32_t count)
{
    // Places in the call of those that are converted together.
    uint32_t together[CALL_MAX_INPUTS], together_count = 0;
    Value given[CALL_MAX_INPUTS] = {VALUE_UNBOUND}, made[CALL_MAX_INPUTS];
    for (uint32_t i = 0; i < count; i++) {
        // A mask of bools must not turn numbers into bools, nor an index of
        // int64 make a float32 tensor anything else.
        if (!(call->op->apart >> i & 1)) {
            given[together_count] = args[i];
            together[together_count++] = i;
        }
    }
    // Python numbers among them take the dtype of the tensors; its results are
    // owned.
    if (!tensor_unify(vm, call->op->name, given, together_count, made)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        call->inputs[i] = VALUE_UNBOUND; // not an object: release is a no-op
    }
    // All inputs are set by now, so that call_free may release them whatever
    // fails.
    call->input_count = count;
    for (uint32_t i = 0; i < together_count; i++) {
        call->inputs[together[i]] = made[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        // Indices, conditions and the like: each by itself.
        if (value_unbound(call->inputs[i])) {
            Value one = tensor_from_value(vm, call->op->name, args[i], DT_NONE);
            if (value_failed(one)) {
                return false;
            }
            call->inputs[i] = one;
        }
    }
    return true;
}

// concat([a, b]): the items of one list are the inputs.
// A list of the graph is stacked by the graph. UNBOUND: it is none.
static Value stack_whole(Vm *vm, OpCode code, const Value *args, uint32_t count)
{
    bool whole = code == OP_STACK && value_is_kind(args[0], KIND_OPAQUE) &&
                 type_of(vm, args[0])->slots.traced_cast != NULL;
    uint32_t most = op_desc(code)->attr_count + 1;
    for (uint32_t i = 1; whole && i < count && i < most; i++) {
        whole = value_unbound(args[i]) || value_is_none(args[i]) ||
                (value_is_int(args[i]) && value_small(args[i]) == 0);
    }
    return whole ? tensor_from_value(vm, "stack", args[0], DT_NONE)
                 : VALUE_UNBOUND;
}

// All items are unified: an op on a list has no input that stands apart.
static bool bind_list(Vm *vm, BoundCall *call, Value list)
{
    Tuple *items = value_to_tuple(vm, list);
    if (items == NULL) {
        return false;
    }
    bool ok = room_for_inputs(vm, call, items->count) &&
              tensor_unify(vm, call->op->name, items->items,
                           (uint32_t)items->count, call->inputs);
    // On failure tensor_unify has released what it made.
    call->input_count = ok ? (uint32_t)items->count : 0;
    object_release(&vm->ctx, items);
    return ok;
}

// Operands that have a parameter of their own. An op may take more: attributes
// that are given as tensors become operands behind these.
// An op on a list has one such parameter, the list.
static uint32_t named_inputs(const OpDesc *op)
{
    uint32_t count = 0;
    // "x, y=None, /": "/" and "*more" are none.
    for (const char *at = op->params; *at != '\0'; at += strspn(at, ", ")) {
        count += *at != '/' && *at != '*';
        at += strcspn(at, ",");
    }
    return count;
}

// How many of the inputs are there: optional ones stand last.
// An optional input in front of one that is given counts as there.
static uint32_t bound_inputs(const OpDesc *op, const Value *args,
                             uint32_t slots)
{
    uint32_t inputs = slots;
    while (inputs > op->min_inputs && (value_unbound(args[inputs - 1]) ||
                                       value_is_none(args[inputs - 1]))) {
        inputs--; // optional ones that were left out
    }
    return inputs;
}

static bool result_room(Vm *vm, const BoundCall *call, uint32_t *room)
{
    *room = OP_MAX_OUTPUTS;
    if (call->op->output_count != 0) {
        return true;
    }
    *room = SHAPE_MAX_RANK; // nonzero: one for each axis
    for (uint32_t i = 0; i < call->op->attr_count; i++) {
        const AttrValue *attr = &call->attrs[i];
        // split gives as many as its number says, or one more than there are
        // places to cut.
        int64_t wanted = attr->kind == ATTR_INT    ? attr->integer
                         : attr->kind == ATTR_INTS ? attr->count + 1
                                                   : 0;
        if (wanted > UINT32_MAX / (int64_t)sizeof(Value)) {
            return ctx_fail_memory(&vm->ctx);
        }
        *room = wanted > *room ? (uint32_t)wanted : *room;
    }
    // unstack gives one for each item of an axis, which may be any.
    TensorType type = operand_type_now(vm, call->inputs[0]);
    for (int i = 0; i < type.rank; i++) {
        if (type.dims[i] > *room && type.dims[i] < UINT32_MAX / 16) {
            *room = (uint32_t)type.dims[i]; // unstack
        }
    }
    return true;
}

// Takes the outputs, also if the tuple cannot be made.
static Value pack_results(Vm *vm, const BoundCall *call, Value *outputs,
                          uint32_t count)
{
    if (call->op->output_count == 1) {
        return outputs[0];
    }
    Tuple *tuple = tuple_new(vm, count);
    for (uint32_t i = 0; i < count; i++) {
        if (tuple != NULL) {
            tuple->items[i] = outputs[i];
        } else {
            value_release(&vm->ctx, outputs[i]);
        }
    }
    return value_or_fail(tuple);
}

// One output is the common case and needs no array.
static Value run_call(Vm *vm, OpCode code, BoundCall *call)
{
    if (call->op->output_count == 1) {
        return apply_one(vm, code, call->inputs, call->input_count,
                         call->attrs);
    }
    uint32_t room;
    if (!result_room(vm, call, &room)) {
        return VALUE_FAIL;
    }
    size_t size = room * sizeof(Value);
    Value *outputs = ctx_alloc(&vm->ctx, size);
    if (outputs == NULL) {
        return VALUE_FAIL;
    }
    uint32_t count = room;
    Value result = VALUE_FAIL;
    if (apply(vm, code, call->inputs, call->input_count, call->attrs, outputs,
              &count)) {
        result = pack_results(vm, call, outputs, count);
    }
    ctx_free(&vm->ctx, outputs, size);
    return result;
}

// The common call: every operand is a tensor already, no attribute is given.
static bool is_plain_call(const OpDesc *op, const Value *args, uint32_t count)
{
    if (op->min_inputs != op->max_inputs || op->output_count != 1 ||
        count < op->min_inputs || (op->flags & OP_LIST_INPUT)) {
        return false;
    }
    uint32_t slots = op->min_inputs + op->attr_count;
    for (uint32_t i = 0; i < slots && i < count; i++) {
        // Behind the inputs stand the attributes, none of which may be given.
        bool plain = i < op->min_inputs ? value_is_operand(args[i])
                                        : value_unbound(args[i]);
        if (!plain) {
            return false;
        }
    }
    return true;
}

// Of host numbers, too, a tensor function makes a tensor, which gives way to no
// other dtype: in a trace its result is no weak number, as that of `+` is.
static Value made_tensor(Value result)
{
    if (value_is_kind(result, KIND_SYMBOLIC)) {
        value_as_symbolic(result)->weak = false;
    }
    return result;
}

// Named inputs come first in `args`, then attributes, each in the order of the
// descriptor; what is not among the first `count` was not given.
Value tensor_call_bound(Vm *vm, OpCode code, const Value *args, uint32_t count)
{
    static const AttrValue none[OP_MAX_ATTRS];
    if (LIKELY(is_plain_call(op_desc(code), args, count))) {
        return made_tensor(
            apply_one(vm, code, args, op_desc(code)->min_inputs, none));
    }
    BoundCall call = {.op = op_desc(code), .inputs = call.few};
    bool list = call.op->flags & OP_LIST_INPUT;
    Value whole = list ? stack_whole(vm, code, args, count) : VALUE_UNBOUND;
    if (!value_unbound(whole)) {
        return whole;
    }
    uint32_t slots = named_inputs(call.op);
    bool ok = list ? bind_list(vm, &call, args[0])
                   : room_for_inputs(vm, &call, 0) &&
                         bind_inputs(vm, &call, args,
                                     bound_inputs(call.op, args, slots));
    for (uint32_t i = 0; ok && i < call.op->attr_count; i++) {
        Value given = slots + i < count ? args[slots + i] : VALUE_UNBOUND;
        ok = bind_attr(vm, &call, &call.op->attrs[i], given, &call.attrs[i]);
    }
    Value result = ok ? run_call(vm, code, &call) : VALUE_FAIL;
    call_free(vm, &call);
    return made_tensor(result);
}
