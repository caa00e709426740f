// What is done with each side's container.
//
// Invariant: what a choice holds is changed in no place: each use makes copies,
// and a choice of these takes the old one's place when all has gone well.
#include "stager/undecided.h"

#include "interp/core/raise.h"
#include "interp/hooks/note.h"
#include "interp/objects/classes/obj_function.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/errors/raise_object.h"
#include "interp/objects/protocol/protocol.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/content.h"
#include "stager/either.h"
#include "stager/events.h"
#include "stager/late_error.h"
#include "stager/late_text.h"
#include "stager/poison.h"
#include "stager/sites.h"
#include "stager/structure.h"
#include "stager/trace.h"
#include "stager/weak.h"

// One use of a container; what it needs is borrowed.
typedef struct EachUse {
    Value (*act)(Vm *vm, Value container, const struct EachUse *use);
    Str *name;           // of a method
    Value first, second; // arguments and keywords, or key and value
    BinaryOp op;
} EachUse;

// What it gave and left, owned.
typedef struct EachDone {
    Value result; // UNBOUND: the container itself
    Value left;   // what stands for the container in a choice
} EachDone;

// --- acts ---

static Value act_item(Vm *vm, Value container, const EachUse *use)
{
    return value_get_item(vm, container, use->first);
}

static Value act_contains(Vm *vm, Value container, const EachUse *use)
{
    int found = value_contains(vm, container, use->first);
    return found < 0 ? VALUE_FAIL : value_from_bool(found);
}

static Value act_store(Vm *vm, Value container, const EachUse *use)
{
    return value_set_item(vm, container, use->first, use->second) ? VALUE_NONE
                                                                  : VALUE_FAIL;
}

static Value act_inplace(Vm *vm, Value container, const EachUse *use)
{
    return value_inplace(vm, use->op, container, use->first);
}

static Value act_method(Vm *vm, Value container, const EachUse *use)
{
    const Tuple *given = value_as_tuple(use->first);
    ValueVec args = {0}, names = {0};
    Value method = value_get_attr(vm, container, use->name);
    bool ok = !value_failed(method);
    for (size_t i = 0; ok && i < given->count; i++) {
        ok = structure_push(vm, &args, value_retain(given->items[i]));
    }
    uint32_t at = 0;
    for (Value key, value;
         ok && dict_next(value_as_dict(use->second), &at, &key, &value);) {
        ok = structure_push(vm, &names, value_retain(key)) &&
             structure_push(vm, &args, value_retain(value));
    }
    Tuple *keywords = ok ? tuple_from(vm, names.items, names.count) : NULL;
    Value made =
        keywords != NULL
            ? vm_call_keywords(vm, method, args.items, (uint32_t)args.count,
                               names.count > 0 ? keywords : NULL)
            : VALUE_FAIL;
    object_release_null(&vm->ctx, keywords);
    release(vm, method);
    structure_free(vm, &args);
    structure_free(vm, &names);
    return made;
}

// --- one of two values ---

static bool is_number(Value v)
{
    return value_is_operand(v) || merge_is_number(v);
}

static bool same_type(Value a, Value b)
{
    TensorType x = operand_type(a), y = operand_type(b);
    return x.dtype == y.dtype && shape_is_static(x.rank, x.dims) &&
           shape_equal(x.rank, x.dims, y.rank, y.dims);
}

// The condition itself, or its opposite, where these are what is chosen.
static Value choose_truth(Vm *vm, Value condition, Value a)
{
    event_tensor(vm, a);
    return value_same(a, VALUE_TRUE)
               ? value_retain(condition)
               : tensor_call(vm, "logical_not", &condition, 1, NULL, 0);
}

// UNBOUND: no tensor is either.
static Value choose_number(Vm *vm, Value condition, Value a, Value b)
{
    DType dtype = value_is_operand(a)   ? operand_type(a).dtype
                  : value_is_operand(b) ? operand_type(b).dtype
                                        : merge_number_dtype(a, b);
    Value operands[3] = {condition, tensor_from_value(vm, "if", a, dtype)};
    operands[2] = value_failed(operands[1])
                      ? VALUE_FAIL
                      : tensor_from_value(vm, "if", b, dtype);
    Value made = VALUE_UNBOUND;
    if (value_failed(operands[2])) {
        raise_clear(vm); // of another dtype
    } else if (same_type(operands[1], operands[2])) {
        event_tensor(vm, a);
        event_tensor(vm, b);
        made = tensor_call(vm, "where", operands, 3, NULL, 0);
        if (dtype_is_float(dtype)) { // zeros flow back to the other one
            event_add(vm, vm->trace->events, EVENT_SUM,
                      "a gradient of what a block does not use", VALUE_NONE);
        }
    }
    weak_join(vm, made, a, b);
    for (int i = 1; i < 3; i++) {
        release(vm, operands[i]);
    }
    return made;
}

// The texts of a program, not those that say a tensor's value.
static bool is_text(Vm *vm, Value v)
{
    return symbolic_is_text(v) ||
           (value_is_str(v) && late_text_line(vm, value_as_str(v)) == 0);
}

// As choose_number; UNBOUND: it is no text.
static Value choose_text(Vm *vm, Value condition, Value a, Value b)
{
    if (!is_text(vm, a) || !is_text(vm, b)) {
        return VALUE_UNBOUND;
    }
    Value operands[3] = {condition, tensor_from_value(vm, "if", a, DT_STRING)};
    operands[2] = value_failed(operands[1])
                      ? VALUE_FAIL
                      : tensor_from_value(vm, "if", b, DT_STRING);
    event_tensor(vm, a);
    event_tensor(vm, b);
    Value made = value_failed(operands[2])
                     ? VALUE_FAIL
                     : tensor_call(vm, "where", operands, 3, NULL, 0);
    weak_join(vm, made, a, b);
    release(vm, operands[1]);
    release(vm, operands[2]);
    return made;
}

static Value choose(Vm *vm, Value condition, Value a, Value b)
{
    return merge_same(a, b) ? value_retain(a)
           : value_is_bool(a) && value_is_bool(b)
               ? choose_truth(vm, condition, a)
           : is_number(a) && is_number(b) && !(is_text(vm, a) && is_text(vm, b))
               ? choose_number(vm, condition, a, b)
               : choose_text(vm, condition, a, b);
}

// Where statements stay as they are written (autograph=False) nothing is chosen
// for the host.
Value undecided_choose(Vm *vm, Value condition, Value a, Value b)
{
    TensorType type = operand_type(condition);
    return vm->trace->as_written || type.dtype != DT_BOOL || type.rank != 0
               ? VALUE_UNBOUND
               : choose(vm, condition, a, b);
}

// Dicts of both sides with the same keys are one: that, or the choice; owned.
static Value decide(Vm *vm, Value choice)
{
    const Value *parts = either_parts(choice);
    if (!value_is_kind(parts[0], KIND_DICT) ||
        !value_is_kind(parts[1], KIND_DICT) ||
        value_as_dict(parts[0])->count != value_as_dict(parts[1])->count) {
        return value_retain(choice);
    }
    Dict *dict = dict_copy(vm, value_as_dict(parts[0]));
    uint32_t at = 0, other = 0;
    Value key, value, twin, second, one = VALUE_NONE;
    while (dict != NULL && !value_unbound(one) && !value_failed(one) &&
           dict_next(dict, &at, &key, &value)) {
        bool same =
            dict_next(value_as_dict(parts[1]), &other, &twin, &second) &&
            merge_same(key, twin);
        one = same ? choose(vm, either_condition(choice), value, second)
                   : VALUE_UNBOUND;
        if (!value_unbound(one) && !value_failed(one)) {
            value_replace(&vm->ctx, &dict->entries[at - 1].value, one);
        }
    }
    if (dict == NULL || value_unbound(one) || value_failed(one)) {
        object_release_null(&vm->ctx, dict);
        return dict == NULL || value_failed(one) ? VALUE_FAIL
                                                 : value_retain(choice);
    }
    return value_from_object(dict);
}

// --- all sides ---

static void drop_done(Vm *vm, EachDone *done)
{
    release(vm, done->result);
    release(vm, done->left);
    *done = (EachDone){VALUE_UNBOUND, VALUE_UNBOUND};
}

// Whether the nodes from `first` on can run where another side is the chosen
// one: none fails.
static bool are_total(const Graph *graph, size_t first)
{
    bool total = true;
    for (size_t i = first; total && i < graph->nodes.count; i++) {
        total = graph_is_total(graph, graph->nodes.items[i]);
    }
    return total;
}

// False as use_each.
static bool use_part(Vm *vm, Value part, const EachUse *use, EachDone *done)
{
    const Graph *graph = vm->trace->graph;
    size_t first = graph->nodes.count;
    Value container = either_open(vm, part);
    Value result =
        value_failed(container) ? VALUE_FAIL : use->act(vm, container, use);
    bool ok = !value_failed(result);
    if (ok && !are_total(graph, first)) {
        release(vm, result);
        result = VALUE_FAIL;
        ok = false;
    }
    if (ok && value_same(result, container)) {
        release(vm, result);
        result = VALUE_UNBOUND;
    }
    Value left = ok ? either_shut(vm, part, container) : VALUE_FAIL;
    release(vm, container);
    if (value_failed(left)) {
        release(vm, ok ? result : VALUE_NONE);
        return false;
    }
    *done = (EachDone){result, left};
    return true;
}

bool undecided_is_late(Vm *vm)
{
    return vm_has_error(vm) && raise_matches(vm, ERR_EXCEPTION) &&
           !raise_matches(vm, ERR_MEMORY) &&
           !raise_matches(vm, ERR_RECURSION) && !sites_refused(vm);
}

// The sides that lead to a choice within others, innermost first.
typedef struct EachPath {
    const struct EachPath *outer;
    Value choice;
    int side;
} EachPath;

// Whether the side is the chosen one; owned.
static Value is_chosen(Vm *vm, Value choice, int side)
{
    Value condition = either_condition(choice);
    return side == 0 ? value_retain(condition)
                     : tensor_call(vm, "logical_not", &condition, 1, NULL, 0);
}

// `error`, taken, is raised when the graph runs and the other side of the
// choice is the chosen one, where the path leads to it.
static bool raise_other(Vm *vm, Value error, Value choice, int side,
                        const EachPath *path)
{
    Value holds = is_chosen(vm, choice, side);
    for (; path != NULL && !value_failed(holds); path = path->outer) {
        Value both[2] = {holds, is_chosen(vm, path->choice, !path->side)};
        holds = value_failed(both[1])
                    ? VALUE_FAIL
                    : tensor_call(vm, "logical_or", both, 2, NULL, 0);
        release(vm, both[0]);
        release(vm, both[1]);
    }
    ValueId id = value_failed(holds) ? VALUE_ID_NONE
                                     : trace_operand(vm, vm->trace, holds);
    bool ok = id != VALUE_ID_NONE &&
              late_error_append(vm, error, id, trace_place(vm));
    release(vm, holds);
    release(vm, error);
    return ok;
}

static bool use_each(Vm *vm, Value choice, const EachUse *use,
                     const EachPath *path, EachDone *done);

// Both sides of a choice. Where one raises, the other is what there is behind:
// its number; 2: both; -1: as use_each.
static int use_sides(Vm *vm, Value choice, const EachUse *use,
                     const EachPath *path, EachDone *sides)
{
    const Value *parts = either_parts(choice);
    const EachPath first = {path, choice, 0}, second = {path, choice, 1};
    if (!ctx_enter(&vm->ctx)) {
        return -1;
    }
    Value error = VALUE_UNBOUND;
    int left = use_each(vm, parts[0], use, &first, &sides[0]) ? 2 : 1;
    if (left == 1) {
        error = undecided_is_late(vm) ? raise_take(vm) : VALUE_UNBOUND;
        left = value_unbound(error) ? -1 : 1;
    }
    if (left > 0 && !use_each(vm, parts[1], use, &second, &sides[1])) {
        release(vm, error);
        left = left == 2 && undecided_is_late(vm) ? 0 : -1;
        error = left == 0 ? raise_take(vm) : VALUE_UNBOUND;
    }
    ctx_leave(&vm->ctx);
    bool one = left == 0 || left == 1;
    return one && !raise_other(vm, error, choice, left, path) ? -1 : left;
}

// False: an error is pending, or none where the results cannot be one.
static bool use_each(Vm *vm, Value choice, const EachUse *use,
                     const EachPath *path, EachDone *done)
{
    if (!either_is(vm, choice)) {
        return use_part(vm, choice, use, done);
    }
    EachDone sides[2] = {{VALUE_UNBOUND, VALUE_UNBOUND},
                         {VALUE_UNBOUND, VALUE_UNBOUND}};
    int which = use_sides(vm, choice, use, path, sides);
    if (which == 0 || which == 1) {
        *done = sides[which];
        return true;
    }
    bool ok = which == 2;
    bool self =
        value_unbound(sides[0].result) && value_unbound(sides[1].result);
    Value result = !ok    ? VALUE_FAIL
                   : self ? VALUE_UNBOUND
                          : choose(vm, either_condition(choice),
                                   sides[0].result, sides[1].result);
    ok = ok && !value_failed(result) && (self || !value_unbound(result));
    Value both =
        ok ? either_with(vm, choice, sides[0].left, sides[1].left) : VALUE_FAIL;
    Value left = value_failed(both) ? VALUE_FAIL : decide(vm, both);
    release(vm, both);
    drop_done(vm, &sides[0]);
    drop_done(vm, &sides[1]);
    if (value_failed(left)) {
        release(vm, ok ? result : VALUE_NONE);
        return false;
    }
    *done = (EachDone){result, left};
    return true;
}

// What one side alone raises is no error of both.
static Value refuse(Vm *vm, Value self)
{
    if (vm_has_error(vm) && !raise_matches(vm, ERR_EXCEPTION)) {
        return VALUE_FAIL;
    }
    raise_clear(vm);
    return poison_raise(vm, self);
}

// The container is this one, whatever the sides were.
static bool put_decided(Vm *vm, Object *container, Value part)
{
    Value opened = either_open(vm, part);
    Value content = value_failed(opened)
                        ? VALUE_FAIL
                        : content_take(vm, value_object(opened));
    bool ok = !value_failed(content);
    if (ok) {
        poison_lift(vm, container);
        ok = content_put(vm, container, content);
    }
    release(vm, ok ? content : VALUE_NONE);
    release(vm, opened);
    return ok;
}

// The container takes what the sides have become.
static bool put_left(Vm *vm, Value self, Value left)
{
    Object *container = value_object(self);
    if (!note_store(vm, container, VALUE_UNBOUND)) {
        return false;
    }
    if (!either_is(vm, left)) {
        return put_decided(vm, container, left);
    }
    Value poison = poison_again(vm, self, left);
    if (value_failed(poison)) {
        return false;
    }
    poison_lift(vm, container);
    bool ok = poison_put(vm, container, poison);
    release(vm, poison);
    return ok;
}

static Value use_all(Vm *vm, Value self, const EachUse *use)
{
    Value choice = vm->trace != NULL ? poison_choice(vm, self, vm->trace->block)
                                     : VALUE_UNBOUND;
    EachDone done;
    if (value_unbound(choice) || !use_each(vm, choice, use, NULL, &done)) {
        return refuse(vm, self);
    }
    bool looks = use->act == act_item || use->act == act_contains;
    bool ok = looks || put_left(vm, self, done.left);
    release(vm, done.left);
    if (!ok) {
        release(vm, done.result);
        return VALUE_FAIL;
    }
    return value_unbound(done.result) ? value_retain(self) : done.result;
}

// --- slots ---

Value undecided_item(Vm *vm, Value self, Value key)
{
    EachUse use = {.act = act_item, .first = key};
    return use_all(vm, self, &use);
}

Value undecided_contains(Vm *vm, Value self, Value item)
{
    EachUse use = {.act = act_contains, .first = item};
    return use_all(vm, self, &use);
}

bool undecided_store(Vm *vm, Value self, Value key, Value value)
{
    EachUse use = {.act = act_store, .first = key, .second = value};
    return !value_failed(use_all(vm, self, &use));
}

Value undecided_inplace(Vm *vm, BinaryOp op, Value self, Value other)
{
    EachUse use = {.act = act_inplace, .first = other, .op = op};
    return poison_is(vm, self) && !poison_is(vm, other)
               ? use_all(vm, self, &use)
               : poison_raise(vm, poison_is(vm, self) ? self : other);
}

// The container and the method's name are the target; it may have been decided
// since.
static Value call_method(Vm *vm, Value *args)
{
    const Value *target = value_as_tuple(args[0])->items;
    EachUse use = {.act = act_method,
                   .name = value_as_str(target[1]),
                   .first = args[1],
                   .second = args[2]};
    return poison_is(vm, target[0]) ? use_all(vm, target[0], &use)
                                    : act_method(vm, target[0], &use);
}

static const NativeDef method_def = {
    "method", "target, /, *args, **kwargs", call_method,
    "A method of what each side of a block left."};

Value undecided_attr(Vm *vm, Value self, Str *name)
{
    Value parts[2] = {self, value_from_object(name)};
    if (vm->trace == NULL ||
        value_unbound(poison_choice(vm, self, vm->trace->block))) {
        return poison_raise(vm, self);
    }
    Tuple *target = tuple_from(vm, parts, 2);
    Native *native = target != NULL ? native_new(vm, &method_def, NULL) : NULL;
    Method *method = native != NULL ? method_new(vm, value_from_object(native),
                                                 value_from_object(target))
                                    : NULL;
    object_release_null(&vm->ctx, target);
    object_release_null(&vm->ctx, native);
    return method != NULL ? value_from_object(method) : VALUE_FAIL;
}

// --- its length and what is in it, which a graph can choose ---

static Value method_length(Vm *vm, Value *args)
{
    Value choice = vm->trace != NULL
                       ? poison_choice(vm, args[0], vm->trace->block)
                       : VALUE_UNBOUND;
    return value_unbound(choice) ? poison_raise(vm, args[0])
                                 : either_length(vm, choice);
}

static Value method_contains(Vm *vm, Value *args)
{
    return undecided_contains(vm, args[0], args[1]);
}

const NativeDef undecided_methods[] = {
    {"__contains__", "self, item, /", method_contains,
     "item in self, a tensor where the sides differ."},
    {"__len__", "self, /", method_length, "len(self), a tensor."},
    {NULL, NULL, NULL, NULL},
};
