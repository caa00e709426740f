// Sources of staged loops: the number of turns, and the item of a turn.
#include "stager/for_source.h"

#include "interp/core/raise.h"
#include "interp/machine/compile/block_note.h"
#include "interp/objects/containers/obj_dict.h"
#include "interp/objects/containers/obj_list.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/obj_tensor.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/for_iterator.h"
#include "stager/staged_list.h"
#include "stager/structure.h"
#include "stager/trace.h"

// A note is a tuple that stands for a call of range, zip or enumerate on
// tensors: item 0 marks it, item 1 is what was called, the rest are the
// arguments (interp/machine/compile/block_note.h).
typedef enum NoteKind { NOTE_RANGE, NOTE_ZIP, NOTE_ENUMERATE } NoteKind;

// What is called was compared with the built-ins when the note was made.
static NoteKind note_kind(Vm *vm, const Tuple *note)
{
    if (value_same(note->items[1], value_from_object(vm->types[KIND_RANGE]))) {
        return NOTE_RANGE;
    }
    // Only these three are ever noted, so two questions tell them apart.
    return value_same(note->items[1],
                      dict_get_name(vm->builtins, vm->names[NAME_OF_ZIP]))
               ? NOTE_ZIP
               : NOTE_ENUMERATE;
}

// The one output of an op on two operands; releases both.
static Value combine(Vm *vm, OpCode op, Value a, Value b)
{
    // Unified first: a bound may be a host number, which takes the dtype of
    // the tensor beside it.
    Value inputs[2] = {a, b}, unified[2];
    Value result = VALUE_FAIL;
    if (!value_failed(a) && !value_failed(b) &&
        tensor_unify(vm, "range", inputs, 2, unified)) {
        result = apply_one(vm, op, unified, 2, NULL);
        release(vm, unified[0]);
        release(vm, unified[1]);
    }
    release(vm, a);
    release(vm, b);
    return result;
}

// --- range ---

typedef struct Bounds { // borrowed
    Value start, stop, step;
} Bounds;

// The checks of range() itself, with int tensors of one element allowed.
// Errors are worded as those of the built-in.
static bool range_bounds(Vm *vm, const Tuple *note, Bounds *out)
{
    // In front of the arguments stand the note's mark and what was called.
    size_t count = note->count - 2;
    const Value *args = note->items + 2;
    if (count < 1 || count > 3) {
        return raise_false(vm, ERR_TYPE,
                           "range expected 1 to 3 arguments, got %zu", count);
    }
    *out = (Bounds){value_from_small(0), args[0], value_from_small(1)};
    // One argument is the stop.
    if (count > 1) {
        out->start = args[0];
        out->stop = args[1];
    }
    if (count > 2) {
        out->step = args[2];
    }
    // Only a step that is known now can be refused now.
    if (value_is_int(out->step) && value_small(out->step) == 0) {
        return raise_false(vm, ERR_VALUE, "range() arg 3 must not be zero");
    }
    for (size_t i = 0; i < count; i++) {
        // A rank that is not known is let through: the operations tell at the
        // run.
        bool fits = value_is_operand(args[i])
                        ? dtype_is_integer(operand_type(args[i]).dtype) &&
                              operand_type(args[i]).rank <= 0
                        : value_is_int(args[i]) || value_is_bool(args[i]);
        if (!fits) {
            return raise_false(vm, ERR_TYPE,
                               "range() takes ints and int tensors of one "
                               "element; arange(start, stop, step) takes "
                               "floats");
        }
    }
    return true;
}

// Bounds that are literally this number save nodes.
static bool is_small(Value v, int64_t i)
{
    return value_is_int(v) && value_small(v) == i;
}

// ceil((stop - start) / step), which may be negative: no turn then.
static Value range_count(Vm *vm, const Tuple *note)
{
    Bounds b;
    if (!range_bounds(vm, note, &b)) {
        return VALUE_FAIL;
    }
    if (is_small(b.start, 0) && is_small(b.step, 1)) {
        return value_retain(b.stop);
    }
    if (is_small(b.step, 1)) {
        return combine(vm, OP_SUBTRACT, value_retain(b.stop),
                       value_retain(b.start));
    }
    // As -((start - stop) // step): floor division of the negated distance
    // rounds the count up, and there is no ceiling division.
    Value back =
        combine(vm, OP_SUBTRACT, value_retain(b.start), value_retain(b.stop));
    Value turns = combine(vm, OP_FLOOR_DIVIDE, back, value_retain(b.step));
    Value result = value_failed(turns)
                       ? turns
                       : apply_one(vm, OP_NEGATIVE, &turns, 1, NULL);
    release(vm, turns);
    return result;
}

// Items have the dtype of the first tensor among the bounds.
static DType range_dtype(const Bounds *b)
{
    const Value parts[3] = {b->start, b->stop, b->step};
    for (int i = 0; i < 3; i++) {
        if (value_is_operand(parts[i])) {
            return operand_type(parts[i]).dtype;
        }
    }
    // No tensor among them: the dtype of a host int that becomes a tensor.
    return DT_INT32;
}

// The index of turns is int32; a bound may be int64.
static Value index_as(Vm *vm, Value index, DType dtype)
{
    if (operand_type(index).dtype == dtype) {
        return value_retain(index);
    }
    NamedAttr attr = {"dtype", attr_of_dtype(dtype)};
    return tensor_call(vm, "cast", &index, 1, &attr, 1);
}

// start + index * step, without the parts that are 0 or 1.
static Value range_item(Vm *vm, const Tuple *note, Value index)
{
    Bounds b;
    if (!range_bounds(vm, note, &b)) {
        return VALUE_FAIL;
    }
    Value item = index_as(vm, index, range_dtype(&b));
    if (!is_small(b.step, 1)) {
        item = combine(vm, OP_MULTIPLY, item, value_retain(b.step));
    }
    return is_small(b.start, 0)
               ? item
               : combine(vm, OP_ADD, item, value_retain(b.start));
}

// --- tensors ---

// The first size if the trace knows it, else a node that reads it.
static Value rows_count(Vm *vm, Value tensor)
{
    TensorType type = operand_type(tensor);
    if (symbolic_is_text(tensor)) {
        symbolic_refuse(vm, NEED_TEXT, tensor);
        return VALUE_FAIL;
    }
    if (type.rank == 0) {
        return raise_error(
            vm, ERR_TYPE,
            "iteration over a scalar tensor; use range(n) to count to it");
    }
    if (type.rank > 0 && type.dims[0] >= 0) {
        tensor_shapes(vm, tensor);
        return tensor_from_value(vm, "for", value_from_small(type.dims[0]),
                                 DT_INT32);
    }
    // If the rank is unknown too, a tensor without axes is found out when the
    // graph runs.
    Value shape = tensor_call(vm, "shape_of", &tensor, 1, NULL, 0);
    Value count = value_failed(shape)
                      ? shape
                      : tensor_get_item(vm, shape, value_from_small(0));
    release(vm, shape);
    return count;
}

// --- all of them ---

// A host sequence beside tensors, in a zip, is taken as a tensor.
static Value as_source(Vm *vm, Value v)
{
    if (block_is_note(v)) {
        return value_retain(v);
    }
    Value source =
        value_is_str(v) ? VALUE_FAIL : tensor_from_value(vm, "zip", v, DT_NONE);
    if (value_failed(source) &&
        (!vm_has_error(vm) || raise_matches(vm, ERR_TYPE) ||
         raise_matches(vm, ERR_SHAPE))) {
        raise_clear(vm);
        raise_error(vm, ERR_SYMBOLIC,
                    "zip: a '%s' is walked beside a tensor, in turns of the "
                    "graph; put a tensor there, or a list of numbers "
                    "of one dtype and shape",
                    type_name(type_of(vm, v)));
    }
    return source;
}

static Value count_of(Vm *vm, Value iterable);

// The shortest one ends the loop.
static Value zip_count(Vm *vm, const Tuple *note)
{
    Value least = VALUE_UNBOUND;
    for (size_t i = 2; i < note->count && !value_failed(least); i++) {
        Value source = as_source(vm, note->items[i]);
        Value count = value_failed(source) ? source : count_of(vm, source);
        release(vm, source);
        least = i == 2 ? count : combine(vm, OP_MINIMUM, least, count);
    }
    return least;
}

// Notes may stand inside notes: enumerate(zip(a, b)).
static Value count_of(Vm *vm, Value iterable)
{
    if (!block_is_note(iterable)) {
        return rows_count(vm, iterable);
    }
    const Tuple *note = value_as_tuple(iterable);
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    Value count = VALUE_FAIL;
    switch (note_kind(vm, note)) {
    case NOTE_RANGE: count = range_count(vm, note); break;
    case NOTE_ZIP: count = zip_count(vm, note); break;
    // A start does not change how many turns there are.
    case NOTE_ENUMERATE: {
        Value source = as_source(vm, note->items[2]);
        count = value_failed(source) ? source : count_of(vm, source);
        release(vm, source);
    }
    }
    ctx_leave(&vm->ctx);
    return count;
}

// Takes an item; where it is the index itself, the item is a tensor of its own,
// which the target may name.
static Value own_index(Vm *vm, Value item, Value index)
{
    if (value_failed(item) || !value_same(item, index)) {
        return item;
    }
    const Symbolic *symbolic = value_as_symbolic(index);
    Value own = trace_symbolic(vm, vm->trace, symbolic->value, "index");
    if (!value_failed(own)) {
        value_as_symbolic(own)->weak = symbolic->weak;
    }
    release(vm, item);
    return own;
}

// What the target is assigned in a turn: a row, a number, or a tuple of such.
static Value item_of(Vm *vm, Value iterable, Value index)
{
    // An object's function of the turn.
    if (!block_is_note(iterable) && value_is_callable(vm, iterable)) {
        return vm_call(vm, iterable, &index, 1);
    }
    // A tensor: item by item along its first axis.
    if (!block_is_note(iterable)) {
        Value source = as_source(vm, iterable);
        Value item =
            value_failed(source) ? source : tensor_get_item(vm, source, index);
        release(vm, source);
        return item;
    }
    const Tuple *note = value_as_tuple(iterable);
    NoteKind kind = note_kind(vm, note);
    if (kind == NOTE_RANGE) {
        return own_index(vm, range_item(vm, note, index), index);
    }
    if (!ctx_enter(&vm->ctx)) {
        return VALUE_FAIL;
    }
    ValueVec items = {0};
    bool ok = true;
    if (kind == NOTE_ENUMERATE) {
        Value first = note->count > 3 ? note->items[3] : value_from_small(0);
        // The number of the turn stands in front of the item, both in one
        // tuple.
        ok = structure_push(vm, &items,
                            is_small(first, 0)
                                ? own_index(vm, value_retain(index), index)
                                : combine(vm, OP_ADD, value_retain(index),
                                          value_retain(first)));
    }
    // What stands behind the iterable of enumerate is its start; zip has
    // iterables to the end.
    size_t end = kind == NOTE_ENUMERATE ? 3 : note->count;
    for (size_t i = 2; ok && i < end; i++) {
        ok = structure_push(vm, &items, item_of(vm, note->items[i], index));
    }
    Tuple *item = ok ? tuple_from(vm, items.items, items.count) : NULL;
    structure_free(vm, &items);
    ctx_leave(&vm->ctx);
    return value_or_fail(item);
}

// --- objects with __stage_items__ ---

// Calls the method: a pair, how many turns and a function of the turn's index.
// Instead of a number there may be a function that tells before each turn
// whether there is one. *get is owned.
static Value object_count(Vm *vm, Value object, Value *get)
{
    Value pair =
        value_call_method(vm, object, vm->names[NAME_STAGE_ITEMS], NULL, 0);
    if (value_failed(pair)) {
        return pair;
    }
    if (!value_is_kind(pair, KIND_TUPLE) || value_as_tuple(pair)->count != 2) {
        release(vm, pair);
        return raise_error(vm, ERR_TYPE,
                           "__stage_items__ of '%s' must return "
                           "a count and a function",
                           type_name(type_of(vm, object)));
    }
    Value count = value_retain(value_as_tuple(pair)->items[0]);
    *get = value_retain(value_as_tuple(pair)->items[1]);
    release(vm, pair);
    return count;
}

// Takes a count; owned, an int32 operand.
static Value as_count(Vm *vm, Value count)
{
    if (value_failed(count)) {
        return count;
    }
    Value operand = tensor_from_value(vm, "for", count, DT_NONE);
    Value cast =
        value_failed(operand) ? operand : index_as(vm, operand, DT_INT32);
    release(vm, operand);
    release(vm, count);
    return cast;
}

// Takes what an object gave as its count.
static Value as_term(Vm *vm, Value count)
{
    bool asks = !value_failed(count) && !value_is_operand(count) &&
                value_is_callable(vm, count);
    return asks ? count : as_count(vm, count);
}

// The source as for_source_item takes it: objects are opened, once and in
// order. What tells whether there is a turn is appended to `terms`. Owned.
static Value open_parts(Vm *vm, Value iterable, ValueVec *terms)
{
    bool note = block_is_note(iterable);
    if (!note && for_iterator_in(vm, iterable)) {
        Value get = VALUE_UNBOUND;
        Value count = as_term(vm, object_count(vm, iterable, &get));
        if (!structure_push(vm, terms, count)) {
            release(vm, get);
            return VALUE_FAIL;
        }
        return get;
    }
    if (!note || note_kind(vm, value_as_tuple(iterable)) == NOTE_RANGE) {
        Value source = as_source(vm, iterable);
        Value count =
            value_failed(source) ? source : as_count(vm, count_of(vm, source));
        if (!structure_push(vm, terms, count)) {
            release(vm, source);
            return VALUE_FAIL;
        }
        return source;
    }
    const Tuple *old = value_as_tuple(iterable);
    Tuple *opened = ctx_enter(&vm->ctx) ? tuple_new(vm, old->count) : NULL;
    if (opened == NULL) {
        return VALUE_FAIL;
    }
    // Behind the iterable of enumerate is its start.
    size_t end = note_kind(vm, old) == NOTE_ENUMERATE ? 3 : old->count;
    bool ok = true;
    for (size_t i = 0; ok && i < old->count; i++) {
        Value part = i < 2 || i >= end ? value_retain(old->items[i])
                                       : open_parts(vm, old->items[i], terms);
        ok = !value_failed(part);
        opened->items[i] = ok ? part : VALUE_NONE;
    }
    ctx_leave(&vm->ctx);
    if (!ok) {
        object_release(&vm->ctx, opened);
        return VALUE_FAIL;
    }
    return value_from_object(opened);
}

static bool open_objects(Vm *vm, Value iterable, ForSource *out)
{
    ValueVec terms = {0};
    Value walked = open_parts(vm, iterable, &terms);
    Value count = VALUE_FAIL;
    if (!value_failed(walked)) {
        bool one = terms.count == 1 && value_is_operand(terms.items[0]);
        Tuple *list = one ? NULL : tuple_from(vm, terms.items, terms.count);
        count = one ? value_retain(terms.items[0]) : value_or_fail(list);
    }
    structure_free(vm, &terms);
    if (value_failed(count)) {
        release(vm, walked);
        return false;
    }
    *out = (ForSource){.count = count,
                       .iterable = walked,
                       .list = staged_list_is(vm, iterable)
                                   ? value_retain(iterable)
                                   : VALUE_UNBOUND};
    return true;
}

// A range of the host's, as one of tensors is.
static Value note_range(Vm *vm, const Range *range)
{
    Value items[] = {VALUE_RANGE_MARK, value_from_object(vm->types[KIND_RANGE]),
                     range->start, range->stop, range->step};
    return value_or_fail(tuple_from(vm, items, 5));
}

// A range that is walked has no turns where a limit is on the wrong side, which
// is an error elsewhere. Takes it.
static Value without_check(Vm *vm, Value range)
{
    const GraphNode *node = trace_node(vm->trace, range);
    Value bounds[3], made = VALUE_FAIL;
    uint32_t count = 0;
    if (node == NULL || node->op != OP_ARANGE_WITHIN) {
        return range;
    }
    release(vm, range);
    for (; count < 3; count++) {
        bounds[count] = trace_followed(vm, vm->trace, node->inputs[count]);
        if (value_failed(bounds[count])) {
            break;
        }
    }
    if (count == 3) {
        made = apply_one(vm, OP_ARANGE, bounds, 3, NULL);
    }
    while (count > 0) {
        release(vm, bounds[--count]);
    }
    return made;
}

// What is walked, with what its Variables hold now: eager code reads them once
// as well, so that the turns may write them. Owned.
static Value as_begun(Vm *vm, Value iterable)
{
    if (value_is_kind(iterable, KIND_RANGE)) {
        return note_range(vm, (const Range *)value_object(iterable));
    }
    if (value_is_kind(iterable, KIND_VARIABLE)) {
        return variable_read(vm, (Variable *)value_object(iterable));
    }
    if (!block_is_note(iterable)) {
        return without_check(vm, value_retain(iterable));
    }
    const Tuple *note = value_as_tuple(iterable);
    Tuple *begun = ctx_enter(&vm->ctx) ? tuple_new(vm, note->count) : NULL;
    if (begun == NULL) {
        return VALUE_FAIL;
    }
    bool ok = true;
    for (size_t i = 0; i < note->count; i++) {
        Value part = ok ? as_begun(vm, note->items[i]) : VALUE_NONE;
        ok = ok && !value_failed(part);
        begun->items[i] = ok ? part : VALUE_NONE;
    }
    ctx_leave(&vm->ctx);
    if (!ok) {
        object_release(&vm->ctx, begun);
        return VALUE_FAIL;
    }
    return value_from_object(begun);
}

// Nodes for the count go to the block around the loop, and are computed once.
bool for_source_open(Vm *vm, Value iterable, ForSource *out)
{
    Value begun = as_begun(vm, iterable);
    if (value_failed(begun)) {
        return false;
    }
    if (for_iterator_in(vm, begun)) {
        bool opened = open_objects(vm, begun, out);
        release(vm, begun);
        return opened;
    }
    Value count = as_count(vm, count_of(vm, begun));
    if (value_failed(count)) {
        release(vm, begun);
        return false;
    }
    *out =
        (ForSource){.count = count, .iterable = begun, .list = VALUE_UNBOUND};
    return true;
}

bool for_source_asks(const ForSource *source)
{
    return value_is_kind(source->count, KIND_TUPLE);
}

// Called once, while the body is traced.
Value for_source_item(Vm *vm, const ForSource *source, Value index)
{
    return item_of(vm, source->iterable, index);
}

// Right for a source that was never opened too.
void for_source_free(Vm *vm, ForSource *source)
{
    release(vm, source->count);
    release(vm, source->iterable);
    release(vm, source->list);
    *source = FOR_SOURCE_NONE;
}
