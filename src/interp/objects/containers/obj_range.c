// range and slice. A range's length is computed when it is made.
#include "interp/objects/containers/sequence.h"
#include "interp/objects/iterators/obj_iter.h"
#include "interp/objects/numbers/int_view.h"
#include "interp/objects/numbers/obj_int.h"

static Range *as_range(Value v)
{
    return (Range *)value_object(v);
}

// max(0, ceil((stop - start) / step)) as an int. VALUE_FAIL: failed. Of any
// size: the parts may exceed 64 bits.
static Value range_count(Vm *vm, Value start, Value stop, Value step)
{
    bool down = int_compare(step, value_from_small(0)) < 0;
    // Counting down is counting up with the ends exchanged.
    if (int_compare(down ? stop : start, down ? start : stop) >= 0) {
        return value_from_small(0);
    }
    Value span = int_binary(vm, BINARY_SUB, start, stop), count = VALUE_FAIL;
    if (!value_failed(span)) {
        // -((start - stop) // step) rounds up.
        Value negative = int_binary(vm, BINARY_FLOORDIV, span, step);
        if (!value_failed(negative)) {
            count = int_binary(vm, BINARY_SUB, value_from_small(0), negative);
            release(vm, negative);
        }
        release(vm, span);
    }
    return count;
}

// True and False count as 1 and 0: range(True).start is 1. Owned.
static Value plain_int(Value v)
{
    return value_is_bool(v) ? value_from_small(value_same(v, VALUE_TRUE))
                            : value_retain(v);
}

// The parts must be ints or bools and step not 0: range_make has checked.
// Retains the parts. NULL: memory is short.
static Range *range_new(Vm *vm, Value start, Value stop, Value step)
{
    Value length = range_count(vm, start, stop, step);
    if (value_failed(length)) {
        return NULL;
    }
    // `length` is owned here until the range takes it.
    Range *range = object_new(vm, vm->types[KIND_RANGE], sizeof *range);
    if (range == NULL) {
        release(vm, length);
        return NULL;
    }
    range->start = plain_int(start);
    range->stop = plain_int(stop);
    range->step = plain_int(step);
    range->length = length;
    return range;
}

// The parts are ints, so no cycle can pass through a range and it is not known
// to the collector.
static void range_destroy(Vm *vm, Object *self)
{
    Range *range = (Range *)self;
    release(vm, range->start);
    release(vm, range->stop);
    release(vm, range->step);
    release(vm, range->length);
    object_free(vm, self, sizeof *range);
}

// The step is left out when it is 1. Parts are ints, so that no code runs.
static Value range_repr(Vm *vm, Value self)
{
    Range *range = as_range(self);
    StrBuf out;
    strbuf_init(&out, &vm->ctx);
    strbuf_puts(&out, "range(");
    int_print(vm, &out, range->start, 10);
    strbuf_puts(&out, ", ");
    int_print(vm, &out, range->stop, 10);
    if (!value_same(range->step, value_from_small(1))) {
        strbuf_puts(&out, ", ");
        int_print(vm, &out, range->step, 10);
    }
    strbuf_putc(&out, ')');
    return value_or_fail(str_from_buf(vm, &out));
}

// -1 with an OverflowError if the length does not fit: the range itself may be
// longer than any sequence.
static int64_t range_length(Vm *vm, Value self)
{
    int64_t length;
    return value_to_index(vm, as_range(self)->length, &length) ? length : -1;
}

// Not by way of the length, which may be too large for range_length.
static int range_truth(Vm *vm, Value self)
{
    (void)vm;
    return !value_same(as_range(self)->length, value_from_small(0));
}

// start + index * step.
// Owned; for any index, also one outside the range.
static Value range_at(Vm *vm, Range *range, Value index)
{
    Value offset = int_binary(vm, BINARY_MUL, index, range->step);
    if (value_failed(offset)) {
        return offset;
    }
    Value item = int_binary(vm, BINARY_ADD, range->start, offset);
    release(vm, offset);
    return item;
}

// A slice of a range is a range, of any length; its ends are those of the
// slice, even if nothing lies between them. A failed part is VALUE_FAIL, which
// release ignores. range(10)[::2] is range(0, 10, 2), without a walk.
static Value range_get_slice(Vm *vm, Range *range, Slice *slice)
{
    Value start, stop, step;
    if (!slice_bounds(vm, slice, range->length, &start, &stop, &step)) {
        return VALUE_FAIL;
    }
    Value first = range_at(vm, range, start);
    Value last = range_at(vm, range, stop);
    release(vm, start);
    release(vm, stop);
    Value stride = int_binary(vm, BINARY_MUL, range->step, step);
    release(vm, step);
    Range *result = NULL;
    if (!value_failed(first) && !value_failed(last) && !value_failed(stride)) {
        result = range_new(vm, first, last, stride);
    }
    release(vm, first);
    release(vm, last);
    release(vm, stride);
    return value_or_fail(result);
}

// Indices of any size work, since the arithmetic is done on ints.
static Value range_get_item(Vm *vm, Value self, Value key)
{
    Range *range = as_range(self);
    if (value_is_kind(key, KIND_SLICE)) {
        return range_get_slice(vm, range, (Slice *)value_object(key));
    }
    if (!value_is_index(vm, key)) {
        return raise_error(vm, ERR_TYPE,
                           "range indices must be integers or slices, not %s",
                           type_name(type_of(vm, key)));
    }
    int64_t small;
    if (!value_is_int(key) && !value_is_kind(key, KIND_INT)) {
        if (!value_to_index(vm, key, &small)) {
            return VALUE_FAIL;
        }
        // What an __index__ gives beyond 64 bits was refused before.
        key = value_from_small(small);
    }
    Value index = int_compare(key, value_from_small(0)) < 0
                      ? int_binary(vm, BINARY_ADD, key, range->length)
                      : value_retain(key);
    if (value_failed(index)) {
        return index;
    }
    bool inside = int_compare(index, value_from_small(0)) >= 0 &&
                  int_compare(index, range->length) < 0;
    Value item =
        inside ? range_at(vm, range, index)
               : raise_error(vm, ERR_INDEX, "range object index out of range");
    release(vm, index);
    return item;
}

// What is no int is compared item by item: at most `most` equal ones are
// counted, and *at gets the place of the last one looked at.
// -1: failed.
static int64_t range_search(Vm *vm, Value self, Value item, int64_t most,
                            int64_t *at)
{
    Value iterator = value_iter(vm, self);
    int64_t found = value_failed(iterator) ? -1 : 0;
    *at = -1;
    while (found >= 0 && found < most) {
        Value next = value_next(vm, iterator);
        if (value_failed(next) || value_same(next, VALUE_STOP)) {
            found = value_failed(next) ? -1 : found;
            break;
        }
        int equal = ctx_poll_at(&vm->ctx, (size_t)++ * at)
                        ? value_equal(vm, next, item)
                        : -1;
        release(vm, next);
        found = equal < 0 ? -1 : found + equal;
    }
    release(vm, iterator);
    return found;
}

// Whether arithmetic tells where an item stands: a subclass of int may compare
// by its own rule.
static bool is_plain_int(Vm *vm, Value item)
{
    return value_is_bool(item) || type_of(vm, item) == vm->types[KIND_INT];
}

// Ints are decided by arithmetic, without a walk: within the bounds, and at a
// whole number of steps from the start. 1, 0, or -1 with an error pending.
static int range_contains(Vm *vm, Value self, Value item)
{
    Range *range = as_range(self);
    if (!is_plain_int(vm, item)) {
        int64_t at;
        return (int)range_search(vm, self, item, 1, &at);
    }
    bool down = int_compare(range->step, value_from_small(0)) < 0;
    int first = int_compare(item, range->start);
    int last = int_compare(item, range->stop);
    // Outside the bounds, so that no subtraction is needed.
    if (down ? (first > 0 || last <= 0) : (first < 0 || last >= 0)) {
        return 0;
    }
    Value offset = int_binary(vm, BINARY_SUB, item, range->start);
    Value rest = value_failed(offset)
                     ? VALUE_FAIL
                     : int_binary(vm, BINARY_MOD, offset, range->step);
    int result =
        value_failed(rest) ? -1 : value_same(rest, value_from_small(0));
    release(vm, offset);
    release(vm, rest);
    return result;
}

// (length, start or None, step or None): what decides equality and hash. An
// empty range has no start, one of a single item no step, as far as equality
// goes.
static Tuple *range_key(Vm *vm, Range *range)
{
    Tuple *key = tuple_new(vm, 3);
    if (key != NULL) {
        bool any = !value_same(range->length, value_from_small(0));
        bool many = any && !value_same(range->length, value_from_small(1));
        key->items[0] = value_retain(range->length);
        key->items[1] = any ? value_retain(range->start) : VALUE_NONE;
        key->items[2] = many ? value_retain(range->step) : VALUE_NONE;
    }
    return key;
}

// Equal ranges have equal keys, hence equal hashes.
static bool range_hash(Vm *vm, Value self, uint64_t *hash)
{
    Tuple *key = range_key(vm, as_range(self));
    bool ok = key != NULL && value_hash(vm, value_from_object(key), hash);
    object_release_null(&vm->ctx, key);
    return ok;
}

// Equal as sequences, not by their parts: range(0) == range(2, 1). Order is not
// defined for ranges.
static Value range_compare(Vm *vm, CompareOp op, Value a, Value b)
{
    if ((op != COMPARE_EQ && op != COMPARE_NE) ||
        !value_is_kind(b, KIND_RANGE)) {
        return VALUE_NOT_IMPLEMENTED;
    }
    Tuple *x = range_key(vm, as_range(a)), *y = range_key(vm, as_range(b));
    Value result = VALUE_FAIL;
    if (x != NULL && y != NULL) {
        result =
            value_compare(vm, op, value_from_object(x), value_from_object(y));
    }
    object_release_null(&vm->ctx, x);
    object_release_null(&vm->ctx, y);
    return result;
}

// state: range, next value, step; position counts down. This is the step for
// parts beyond small ints: state[1] is owned, and its reference goes to the
// caller with the item. The next item is made ahead, so that a failure leaves
// the iterator where it was.
static Value range_step(Vm *vm, Iterator *self)
{
    if (self->position == 0) {
        return VALUE_STOP;
    }
    self->position--;
    Value item = self->state[1];
    Value next = int_binary(vm, BINARY_ADD, item, self->state[2]);
    if (value_failed(next)) {
        return next;
    }
    self->state[1] = next;
    return item;
}

// All values are small ints, so nothing is counted and no int is allocated;
// `expected` holds the step.
static Value range_small_step(Vm *vm, Iterator *self)
{
    (void)vm;
    if (self->position == 0) {
        return VALUE_STOP;
    }
    self->position--;
    Value item = self->state[1];
    int64_t next = value_small(item) + (int64_t)self->expected;
    // The one after the last may not fit: it is never used.
    self->state[1] = value_from_small(next);
    return item;
}

// The range is kept for copies of the iterator alone. Of a length beyond 64
// bits no walk sees the end.
static Value range_iterator(Vm *vm, Range *range)
{
    int64_t length, end;
    bool fits = int_to_i64(range->length, &length);
    length = fits ? length : INT64_MAX;
    fits = fits && int_to_i64(range->start, &end) &&
           int_to_i64(range->stop, &end) && int_to_i64(range->step, &end);
    bool small =
        value_both_ints(range->start, range->stop) && value_is_int(range->step);
    Iterator *self =
        iterator_new(vm, &iterator_counted_def,
                     fits ? "range_iterator" : "longrange_iterator",
                     small ? range_small_step : range_step);
    if (self == NULL) {
        return VALUE_FAIL;
    }
    self->state[0] = value_from_object(object_retain(range));
    self->state[1] = value_retain(range->start);
    self->state[2] = value_retain(range->step);
    self->position = (uint64_t)length;
    self->hint = HINT_RANGE;
    self->expected = small ? (uint64_t)value_small(range->step) : 0;
    return value_from_object(self);
}

static Value range_iter(Vm *vm, Value self)
{
    return range_iterator(vm, as_range(self));
}

// An argument of range() as an int of any size, owned.
static Value range_argument(Vm *vm, Value v)
{
    return value_is_integer(v) || value_is_bool(v) ? plain_int(v)
                                                   : value_index(vm, v);
}

// range(stop), range(start, stop) or range(start, stop, step).
static Value range_make(Vm *vm, Type *cls, Tuple *args, Dict *keywords)
{
    (void)cls;
    if (!arguments_check(vm, "range", args, keywords, 3)) {
        return VALUE_FAIL;
    }
    if (args->count == 0) {
        return raise_error(vm, ERR_TYPE,
                           "range expected at least 1 argument, got 0");
    }
    // The defaults; owned, as all parts are.
    Value part[3] = {value_from_small(0), value_from_small(0),
                     value_from_small(1)};
    bool ok = true;
    for (size_t i = 0; i < args->count; i++) {
        size_t to = args->count == 1 ? 1 : i;
        part[to] = ok ? range_argument(vm, args->items[i]) : VALUE_FAIL;
        ok = ok && !value_failed(part[to]);
    }
    if (ok && value_same(part[2], value_from_small(0))) {
        raise_error(vm, ERR_VALUE, "range() arg 3 must not be zero");
        ok = false;
    }
    Range *range = ok ? range_new(vm, part[0], part[1], part[2]) : NULL;
    // range_new retains its own; small ints and VALUE_FAIL release to nothing.
    for (int i = 0; i < 3; i++) {
        release(vm, part[i]);
    }
    return value_or_fail(range);
}

// A walk over the reversed range: from the last item down to one step before
// the start. For an empty range `last` is -1, and the range back is empty too.
// Owned by nobody but the iterator's copies.
static Value range_reversed(Vm *vm, Value *args)
{
    Range *range = as_range(args[0]);
    Value last = int_binary(vm, BINARY_SUB, range->length, value_from_small(1));
    Value first = value_failed(last) ? last : range_at(vm, range, last);
    Value step = int_binary(vm, BINARY_SUB, value_from_small(0), range->step);
    Value end = value_failed(first) || value_failed(step)
                    ? VALUE_FAIL
                    : int_binary(vm, BINARY_SUB, range->start, range->step);
    Value result = VALUE_FAIL;
    // Its own reference ends below: the iterator has copied what it needs.
    Range *back = value_failed(end) ? NULL : range_new(vm, first, end, step);
    if (back != NULL) {
        result = range_iterator(vm, back);
        object_release(&vm->ctx, back);
    }
    release(vm, last);
    release(vm, first);
    release(vm, step);
    release(vm, end);
    return result;
}

// Membership first, which also refuses what is no number. As list.index, but
// without a walk.
static Value range_index(Vm *vm, Value *args)
{
    Range *range = as_range(args[0]);
    if (!is_plain_int(vm, args[1])) {
        int64_t at, walked = range_search(vm, args[0], args[1], 1, &at);
        return walked < 0    ? VALUE_FAIL
               : walked == 1 ? int_from_i64(vm, at)
                             : raise_error(vm, ERR_VALUE,
                                           "sequence.index(x): x not in "
                                           "sequence");
    }
    int found = range_contains(vm, args[0], args[1]);
    if (found < 0) {
        return VALUE_FAIL;
    }
    if (!found) {
        Str *text = value_repr(vm, args[1]);
        if (text != NULL) {
            raise_error(vm, ERR_VALUE, "%s is not in range", text->text);
            object_release(&vm->ctx, text);
        }
        return VALUE_FAIL;
    }
    Value offset = int_binary(vm, BINARY_SUB, args[1], range->start);
    // Exact, since the distance is a multiple of the step.
    Value index = value_failed(offset)
                      ? offset
                      : int_binary(vm, BINARY_FLOORDIV, offset, range->step);
    release(vm, offset);
    return index;
}

// An int occurs once or not at all; anything may be equal to many.
static Value range_count_method(Vm *vm, Value *args)
{
    if (!is_plain_int(vm, args[1])) {
        int64_t at;
        int64_t found = range_search(vm, args[0], args[1], INT64_MAX, &at);
        return found < 0 ? VALUE_FAIL : int_from_i64(vm, found);
    }
    int found = range_contains(vm, args[0], args[1]);
    return found < 0 ? VALUE_FAIL : value_from_small(found);
}

static const NativeDef range_methods[] = {
    {"__reversed__", "self, /", range_reversed, "The numbers from the end."},
    {"index", "self, value, /", range_index, "Where value stands."},
    {"count", "self, value, /", range_count_method,
     "1 if value is in the range, else 0."},
    {0}};

// The part as it was written, owned; so are stop and step.
static Value range_get_start(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(as_range(self)->start);
}

// As it was given; no item equals it.
static Value range_get_stop(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(as_range(self)->stop);
}

static Value range_get_step(Vm *vm, Value self)
{
    (void)vm;
    return value_retain(as_range(self)->step);
}

static const MemberDef range_members[] = {
    {"start", range_get_start, NULL, "The first number."},
    {"stop", range_get_stop, NULL, "The end, which is not reached."},
    {"step", range_get_step, NULL, "The distance of two numbers."},
    {0}};

// A truth slot besides length: the length may not fit 64 bits.
const TypeDef range_type_def = {
    .name = "range",
    .doc = "An arithmetic progression: range(stop), range(start, stop, step).",
    .params = "start, stop=None, step=1, /",
    .kind = KIND_RANGE,
    .size = sizeof(Range),
    .flags = TYPE_FINAL,
    .slots = {.destroy = range_destroy,
              .make = range_make,
              .repr = range_repr,
              .hash = range_hash,
              .compare = range_compare,
              .truth = range_truth,
              .length = range_length,
              .get_item = range_get_item,
              .contains = range_contains,
              .iter = range_iter},
    .methods = range_methods,
    .members = range_members,
    .stored = " start step stop ",
};
