// slice: start, stop and step as they were written; slice_indices clips.
#include "interp/objects/classes/object_copying.h"
#include "interp/objects/containers/sequence.h"
#include "interp/objects/numbers/obj_int.h"

static Slice *as_slice(Value v)
{
    return (Slice *)value_object(v);
}

// The parts are kept as they are, of any type: a[1:"x"] is an error of the
// container's, and the __getitem__ of a class may take such a slice.
Slice *slice_new(Vm *vm, Value start, Value stop, Value step)
{
    Slice *slice = object_new(vm, vm->types[KIND_SLICE], sizeof *slice);
    if (slice != NULL) {
        slice->start = value_retain(start);
        slice->stop = value_retain(stop);
        slice->step = value_retain(step);
    }
    return slice;
}

// A part that is not None, by its __index__; what has none is refused. Owned.
static Value part_index(Vm *vm, Value part)
{
    if (!value_is_index(vm, part)) {
        return raise_error(vm, ERR_TYPE,
                           "slice indices must be integers or None or have "
                           "an __index__ method");
    }
    return value_index(vm, part);
}

// Beyond the range of small ints, hence beyond any length, only the sign
// counts.
bool slice_part(Vm *vm, Value v, int64_t otherwise, int64_t *out)
{
    *out = otherwise;
    if (LIKELY(value_is_int(v))) {
        *out = value_small(v);
        return true;
    }
    if (value_is_none(v) || value_unbound(v)) {
        return true;
    }
    Value index = part_index(vm, v);
    if (value_failed(index)) {
        return false;
    }
    // Clipped to the small ints, so that sums with a length cannot overflow.
    if (!int_to_i64(index, out) || *out < VALUE_INT_MIN ||
        *out > VALUE_INT_MAX) {
        *out = int_compare(index, value_from_small(0)) < 0 ? VALUE_INT_MIN
                                                           : VALUE_INT_MAX;
    }
    release(vm, index);
    return true;
}

// `low` and `high` are where a walk in the direction of the step may begin or
// end: -1 and length - 1 for a negative step, since the stop -1 then means
// "past the first item".
bool slice_indices(Vm *vm, Slice *slice, int64_t length, int64_t *start,
                   int64_t *step, int64_t *count)
{
    int64_t stop;
    // The step first: it decides what the other defaults are.
    if (!slice_part(vm, slice->step, 1, step)) {
        return false;
    }
    if (*step == 0) {
        return raise_false(vm, ERR_VALUE, "slice step cannot be zero");
    }
    int64_t low = *step < 0 ? -1 : 0, high = *step < 0 ? length - 1 : length;
    if (!slice_part(vm, slice->start, *step < 0 ? high : low, start) ||
        !slice_part(vm, slice->stop, 0, &stop)) {
        return false;
    }
    // Only a written bound counts from the end: the default -1 of a negative
    // step must not be taken for the last item.
    if (value_is_none(slice->stop)) {
        stop = *step < 0 ? low : high;
    } else {
        stop += stop < 0 ? length : 0;
    }
    if (!value_is_none(slice->start)) {
        *start += *start < 0 ? length : 0;
    }
    *start = *start < low ? low : *start > high ? high : *start;
    stop = stop < low ? low : stop > high ? high : stop;
    // ceil(span / stride) without overflow for a huge stride.
    int64_t span = *step < 0 ? *start - stop : stop - *start;
    int64_t stride = *step < 0 ? -*step : *step;
    *count = span <= 0 ? 0 : (span - 1) / stride + 1;
    return true;
}

// A part as an int of any size, owned.
static Value part_number(Vm *vm, Value part)
{
    Value index = part_index(vm, part);
    if (value_failed(index)) {
        return index;
    }
    // Of a subclass of int only the number counts.
    Value plain = int_exact(vm, index);
    release(vm, index);
    return plain;
}

// An end of a slice: counted from the end if negative, then clipped to what a
// walk in this direction may begin or end with. Owned.
static Value part_clipped(Vm *vm, Value part, Value length, bool back,
                          bool start)
{
    Value low = value_from_small(back ? -1 : 0);
    // A walk backwards begins at the last item at most.
    Value high = !back
                     ? value_retain(length)
                     : int_binary(vm, BINARY_SUB, length, value_from_small(1));
    Value at = value_is_none(part) ? value_retain(start == back ? high : low)
                                   : part_number(vm, part);
    if (!value_is_none(part) && !value_failed(at) &&
        int_compare(at, value_from_small(0)) < 0) {
        Value sum = int_binary(vm, BINARY_ADD, at, length);
        release(vm, at);
        at = sum;
    }
    if (value_failed(at) || value_failed(high)) {
        release(vm, at);
        release(vm, high);
        return VALUE_FAIL;
    }
    if (int_compare(at, low) < 0) {
        value_replace(&vm->ctx, &at, low);
    } else if (int_compare(at, high) > 0) {
        value_replace(&vm->ctx, &at, value_retain(high));
    }
    release(vm, high);
    return at;
}

// As slice_indices, for lengths of any size; the three are owned.
bool slice_bounds(Vm *vm, Slice *slice, Value length, Value *start, Value *stop,
                  Value *step)
{
    *step = value_is_none(slice->step) ? value_from_small(1)
                                       : part_number(vm, slice->step);
    if (value_failed(*step)) {
        return false;
    }
    if (value_same(*step, value_from_small(0))) {
        return raise_false(vm, ERR_VALUE, "slice step cannot be zero");
    }
    bool back = int_compare(*step, value_from_small(0)) < 0;
    *start = part_clipped(vm, slice->start, length, back, true);
    *stop = value_failed(*start)
                ? VALUE_FAIL
                : part_clipped(vm, slice->stop, length, back, false);
    if (!value_failed(*stop)) {
        return true;
    }
    release(vm, *start);
    release(vm, *step);
    return false;
}

// The type is not tracked, so there is no visit slot beside this one.
static void slice_destroy(Vm *vm, Object *self)
{
    Slice *slice = (Slice *)self;
    release(vm, slice->start);
    release(vm, slice->stop);
    release(vm, slice->step);
    object_free(vm, self, sizeof *slice);
}

// All three parts are written out, None included. Errors of the buffer show in
// str_from_buf; those of a part's repr stop the rest.
static Value slice_repr(Vm *vm, Value self)
{
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_puts(&out, "slice(");
    bool ok = repr_append(vm, &out, as_slice(self)->start);
    strbuf_puts(&out, ", ");
    ok = ok && repr_append(vm, &out, as_slice(self)->stop);
    strbuf_puts(&out, ", ");
    ok = ok && repr_append(vm, &out, as_slice(self)->step);
    strbuf_putc(&out, ')');
    // The error of a part's repr is pending; the buffer has no further use.
    if (!ok) {
        strbuf_free(&out);
        return VALUE_FAIL;
    }
    return value_or_fail(str_from_buf(vm, &out));
}

// Compared as the tuples (start, stop, step), ordering included. The three
// fields stand side by side, so they serve as an array.
static Value slice_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if (!value_is_kind(a, KIND_SLICE) || !value_is_kind(b, KIND_SLICE)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Tuple *x = tuple_from(vm, &as_slice(a)->start, 3);
    Tuple *y = x == NULL ? NULL : tuple_from(vm, &as_slice(b)->start, 3);
    Value result = y == NULL ? VALUE_FAIL
                             : sequence_compare(vm, op, value_from_object(x),
                                                value_from_object(y));
    object_release_null(&vm->ctx, x);
    object_release_null(&vm->ctx, y);
    return result;
}

// With one argument it is the stop, as in range. slice cannot be extended, so
// the class is always slice itself.
static Value slice_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls;
    if (!arguments_check(vm, "slice", args, keywords, 3)) {
        return VALUE_FAIL;
    }
    if (args->count == 0) {
        return raise_error(vm, ERR_TYPE,
                           "slice expected at least 1 argument, got 0");
    }
    const Value *items = args->items;
    return value_or_fail(
        args->count == 1 ? slice_new(vm, VALUE_NONE, items[0], VALUE_NONE)
                         : slice_new(vm, items[0], items[1],
                                     args->count > 2 ? items[2] : VALUE_NONE));
}

static Value method_indices(Vm *vm, Value *args)
{
    Value length = value_index(vm, args[1]);
    if (value_failed(length)) {
        return length;
    }
    Value parts[3];
    Tuple *result = NULL;
    if (int_compare(length, value_from_small(0)) < 0) {
        raise_error(vm, ERR_VALUE, "length should not be negative");
    } else if (slice_bounds(vm, as_slice(args[0]), length, &parts[0], &parts[1],
                            &parts[2])) {
        result = tuple_from(vm, parts, 3);
        for (int i = 0; i < 3; i++) {
            release(vm, parts[i]);
        }
    }
    release(vm, length);
    return value_or_fail(result);
}

// The members give the parts as written, without clipping.
static Value get_start(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(as_slice(self)->start);
}

static Value get_stop(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(as_slice(self)->stop);
}

static Value get_step(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(as_slice(self)->step);
}

static const NativeDef slice_methods[] = {
    {"__reduce__", "self, /", object_reduce_slice, "How it is made again."},
    {"indices", "self, length, /", method_indices,
     "(start, stop, step) for a sequence of this length."},
    {0}};

// Read-only, since slices are immutable.
static const MemberDef slice_members[] = {
    {"start", get_start, NULL, "As written, or None."},
    {"stop", get_stop, NULL, "As written, or None."},
    {"step", get_step, NULL, "As written, or None."},
    {0}};

static void slice_visit(Object *self, void (*visit)(Object *, void *),
                        void *data)
{
    const Slice *slice = (const Slice *)self;
    const Value parts[] = {slice->start, slice->stop, slice->step};
    values_visit(parts, 3, visit, data);
}

const TypeDef slice_type_def = {
    .name = "slice",
    .doc = "What start:stop:step inside an index makes.",
    .params = "start, stop=None, step=None, /",
    .kind = KIND_SLICE,
    .size = sizeof(Slice),
    .flags = TYPE_FINAL | TYPE_UNHASHABLE,
    .slots = {.destroy = slice_destroy,
              .visit = slice_visit,
              .make = slice_make,
              .repr = slice_repr,
              .compare = slice_compare},
    .methods = slice_methods,
    .members = slice_members,
    .stored = " start step stop ",
};
