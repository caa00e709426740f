// Slices and sums of staged lists, and what the library does with them.
#include "interp/core/raise.h"
#include "interp/hooks/note.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/leak.h"
#include "stager/staged_list.h"
#include "stager/structure.h"
#include "stager/trace.h"
#include "stager/weak.h"

// An op on each part, with the parts of another list behind it or with
// `operands`. A new list, VALUE_FAIL.
static Value map_parts(Vm *vm, OpCode op, Value self, const Value *others,
                       const Value *operands, uint32_t count,
                       const AttrValue *attrs)
{
    const Value *parts = staged_list_parts(self);
    ValueVec made = {0};
    bool ok = structure_push(vm, &made, value_retain(parts[0]));
    for (size_t i = 1; ok && i < staged_list_count(self); i++) {
        Value inputs[3] = {parts[i], others != NULL ? others[i] : operands[0],
                           count > 1 ? operands[1] : VALUE_NONE};
        Value part = apply_one(vm, op, inputs, count + 1, attrs);
        weak_join(vm, part, parts[i], others != NULL ? others[i] : parts[i]);
        ok = structure_push(vm, &made, part);
    }
    Value list = ok ? staged_list_new(vm, made.items, made.count) : VALUE_FAIL;
    structure_free(vm, &made);
    return list;
}

// A bound of a slice; `open` where there is none.
static Value as_bound(Vm *vm, Value v, int64_t open)
{
    bool number = value_is_none(v) || value_is_int(v) || value_is_bool(v);
    int64_t at = value_is_none(v)  ? open
                 : value_is_int(v) ? value_small(v)
                                   : value_same(v, VALUE_TRUE);
    at = at > INT32_MAX ? INT32_MAX : at < -INT32_MAX ? -INT32_MAX : at;
    return number
               ? tensor_from_value(vm, "list", value_from_small(at), DT_INT32)
           : value_is_operand(v)
               ? tensor_from_value(vm, "list", v, DT_NONE)
               : raise_error(vm, ERR_TYPE,
                             "slice indices must be integers or None or have "
                             "an __index__ method");
}

Value staged_list_slice(Vm *vm, Value self, Value start, Value stop,
                        int64_t step)
{
    // Bounds far outside are clamped, where the list ends on that side.
    int64_t end = step < 0 ? -INT32_MAX : INT32_MAX;
    Value bounds[2] = {as_bound(vm, start, step < 0 ? INT32_MAX : 0),
                       VALUE_FAIL};
    AttrValue attrs[OP_MAX_ATTRS] = {attr_of_int(step)};
    bounds[1] = value_failed(bounds[0]) ? VALUE_FAIL : as_bound(vm, stop, end);
    Value list = value_failed(bounds[1]) ? VALUE_FAIL
                                         : map_parts(vm, OP_LIST_SLICE, self,
                                                     NULL, bounds, 2, attrs);
    for (int i = 0; i < 2; i++) {
        release(vm, bounds[i]);
    }
    return list;
}

bool staged_list_lives(Vm *vm, const char *who, Value self)
{
    return vm->trace != NULL ||
           !value_failed(leak_fail(
               vm, who, value_as_symbolic(staged_list_parts(self)[1])));
}

// Both staged as that form says, one behind the other.
static Value join_lists(Vm *vm, const ListForm *form, Value first, Value second)
{
    GraphBlock *block = vm->trace->block;
    Value a = staged_list_from(vm, form, block, first);
    Value b = value_failed(a) ? a : staged_list_from(vm, form, block, second);
    Value made = value_failed(b)
                     ? b
                     : map_parts(vm, OP_LIST_CONCAT, a, staged_list_parts(b),
                                 NULL, 1, NULL);
    release(vm, a);
    release(vm, b);
    return made;
}

// Whether a list, if it is in the graph already, holds the form's dtypes.
static bool has_dtypes(Vm *vm, const ListForm *form, Value list)
{
    bool has = true;
    size_t count = staged_list_is(vm, list) ? form->leaves.count : 0;
    for (size_t i = 0; has && i < count; i++) {
        Value part = staged_list_parts(list)[i + 1];
        has = dtype_element((DType)value_as_symbolic(part)->dtype) ==
              form->leaves.items[i].dtype;
    }
    return has;
}

Value staged_list_joined(Vm *vm, const char *who, Value first, Value second)
{
    ListForm form = {.pattern = VALUE_UNBOUND};
    if (!staged_list_lives(vm, who,
                           staged_list_is(vm, first) ? first : second)) {
        return VALUE_FAIL;
    }
    int fits = staged_list_add_form(vm, &form, first);
    fits = fits == 1 ? staged_list_add_form(vm, &form, second) : fits;
    fits = fits == 1
               ? has_dtypes(vm, &form, first) && has_dtypes(vm, &form, second)
               : fits;
    Value made = fits == 1 ? join_lists(vm, &form, first, second) : VALUE_FAIL;
    list_form_free(vm, &form);
    return fits == 0 ? raise_error(vm, ERR_SYMBOLIC,
                                   "%s: tensors decide how long this list is, "
                                   "and the elements of the other one are of "
                                   "another form: put elements of one dtype "
                                   "and form into both",
                                   who)
                     : made;
}

// By doubling, so that the graph is small.
Value staged_list_repeated(Vm *vm, Value self, int64_t count)
{
    Value made =
        staged_list_slice(vm, self, VALUE_NONE, value_from_small(0), 1);
    Value twin = value_retain(self);
    while (count > 0 && !value_failed(made) && !value_failed(twin)) {
        if (count & 1) {
            Value longer = staged_list_joined(vm, "a product", made, twin);
            release(vm, made);
            made = longer;
        }
        count /= 2;
        if (count > 0) {
            Value both = staged_list_joined(vm, "a product", twin, twin);
            release(vm, twin);
            twin = both;
        }
    }
    bool ok = !value_failed(made) && !value_failed(twin);
    release(vm, twin);
    release(vm, ok ? VALUE_NONE : made);
    return ok ? made : VALUE_FAIL;
}

// A bound of the host; `open` for None.
static bool host_bound(Vm *vm, Value v, int64_t open, int64_t *at)
{
    *at = value_is_int(v) ? value_small(v) : open;
    return value_is_int(v) || value_is_none(v) ||
           raise_false(vm, ERR_SYMBOLIC,
                       "a slice that is set or deleted: tensors decide how "
                       "long this list is; its bounds must be ints");
}

// What stands behind a slice. Of two bounds the later one counts, which of a
// count from the front and one from the back no trace can tell: that is the
// slice of a slice.
static Value behind(Vm *vm, Value self, int64_t start, int64_t stop)
{
    if ((start < 0) == (stop < 0)) {
        int64_t last = start > stop ? start : stop;
        return staged_list_slice(vm, self, value_from_small(last), VALUE_NONE,
                                 1);
    }
    int64_t front = start < 0 ? stop : start, back = start < 0 ? start : stop;
    Value rest =
        staged_list_slice(vm, self, value_from_small(front), VALUE_NONE, 1);
    Value made = value_failed(rest)
                     ? rest
                     : staged_list_slice(vm, rest, value_from_small(back),
                                         VALUE_NONE, 1);
    release(vm, rest);
    return made;
}

// The elements of anything that can be walked, as a list.
static Value as_list(Vm *vm, Value items)
{
    if (staged_list_fits(vm, items)) {
        return value_retain(items);
    }
    List *list = list_new(vm, 0);
    bool ok =
        list != NULL && (value_unbound(items) || list_extend(vm, list, items));
    if (!ok) {
        object_release_null(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_from_object(list);
}

bool staged_list_set_slice(Vm *vm, Value self, const Slice *slice, Value items)
{
    int64_t start, stop;
    if (!host_bound(vm, slice->start, 0, &start) ||
        !host_bound(vm, slice->stop, INT32_MAX, &stop)) {
        return false;
    }
    Value parts[3] = {
        staged_list_slice(vm, self, VALUE_NONE, value_from_small(start), 1),
        VALUE_NONE, VALUE_NONE};
    bool ok = !value_failed(parts[0]);
    parts[1] = ok ? as_list(vm, items) : VALUE_FAIL;
    parts[2] =
        value_failed(parts[1]) ? VALUE_FAIL : behind(vm, self, start, stop);
    Value head = value_failed(parts[2])
                     ? VALUE_FAIL
                     : staged_list_joined(vm, "a slice", parts[0], parts[1]);
    ok = !value_failed(head) &&
         staged_list_become(vm, self,
                            staged_list_joined(vm, "a slice", head, parts[2]));
    for (int i = 0; i < 3; i++) {
        release(vm, parts[i]);
    }
    release(vm, head);
    return ok;
}

bool staged_list_become(Vm *vm, Value self, Value other)
{
    if (value_failed(other)) {
        return false;
    }
    bool ok = note_store(vm, value_object(self), VALUE_UNBOUND);
    if (ok) {
        staged_list_exchange(value_as_list(self), value_as_list(other));
    }
    release(vm, other);
    return ok;
}

// --- lists whose elements are of a shape that the program knows

// None, or a tuple of sizes and Nones, as attribute 0 of a read; `dims` has
// room. False: an error is pending.
static bool shape_attr(Vm *vm, Value shape, int64_t *dims, AttrValue *attrs)
{
    attrs[0] = (AttrValue){.kind = ATTR_NONE};
    if (value_is_none(shape)) {
        return true;
    }
    if (!value_is_kind(shape, KIND_TUPLE) ||
        value_as_tuple(shape)->count >= SHAPE_MAX_RANK) {
        return raise_false(vm, ERR_TYPE, "a shape is a tuple of sizes");
    }
    const Tuple *sizes = value_as_tuple(shape);
    for (size_t i = 0; i < sizes->count; i++) {
        dims[i] = value_is_int(sizes->items[i]) ? value_small(sizes->items[i])
                                                : ATTR_INT_NONE;
    }
    attrs[0] = attr_of_ints(dims, (uint32_t)sizes->count);
    return true;
}

// What an op gives of each part, as an element of the list is; `index` is its
// second operand or VALUE_UNBOUND.
static Value join_parts(Vm *vm, OpCode op, Value self, Value index, Value shape)
{
    const Value *parts = staged_list_parts(self);
    int64_t dims[SHAPE_MAX_RANK];
    AttrValue attrs[OP_MAX_ATTRS] = {{.kind = ATTR_NONE}};
    ValueVec leaves = {0};
    bool ok = shape_attr(vm, shape, dims, attrs);
    if (!value_unbound(index)) {
        attrs[1] = (AttrValue){.kind = ATTR_BOOL, .boolean = true};
    }
    for (size_t i = 1; ok && i < staged_list_count(self); i++) {
        Value inputs[2] = {parts[i], index};
        ok = structure_push(
            vm, &leaves,
            apply_one(vm, op, inputs, value_unbound(index) ? 1 : 2, attrs));
    }
    Value made = ok ? list_form_join(vm, parts[0], leaves.items) : VALUE_FAIL;
    structure_free(vm, &leaves);
    return made;
}

Value staged_list_read_method(Vm *vm, Value *args)
{
    Value index = tensor_from_value(vm, "list", args[1], DT_NONE);
    Value item = value_failed(index)
                     ? index
                     : join_parts(vm, OP_LIST_READ, args[0], index, args[2]);
    release(vm, index);
    return item;
}

Value staged_list_stack_method(Vm *vm, Value *args)
{
    return join_parts(vm, OP_LIST_STACK, args[0], VALUE_UNBOUND, args[1]);
}

Value staged_list_join_method(Vm *vm, Value *args)
{
    return join_parts(vm, OP_LIST_JOIN, args[0], VALUE_UNBOUND, args[1]);
}

// The list of single tensors becomes what an op makes of it, or of operands
// alone.
static Value become_op(Vm *vm, OpCode op, Value self, const Value *inputs,
                       uint32_t count, const AttrValue *attrs)
{
    Value parts[2] = {VALUE_ELLIPSIS, apply_one(vm, op, inputs, count, attrs)};
    Value made =
        value_failed(parts[1]) ? VALUE_FAIL : staged_list_new(vm, parts, 2);
    release(vm, parts[1]);
    return value_done(staged_list_become(vm, self, made));
}

Value staged_list_write_method(Vm *vm, Value *args)
{
    AttrValue attrs[OP_MAX_ATTRS] = {{.kind = ATTR_BOOL, .boolean = true}};
    Value inputs[3] = {staged_list_parts(args[0])[1],
                       tensor_from_value(vm, "list", args[1], DT_NONE),
                       args[2]};
    if (value_failed(inputs[1])) {
        return VALUE_FAIL;
    }
    Value made = become_op(vm, OP_LIST_WRITE, args[0], inputs, 3, attrs);
    release(vm, inputs[1]);
    return made;
}

Value staged_list_split_method(Vm *vm, Value *args)
{
    bool all = value_is_none(args[2]);
    return become_op(vm, all ? OP_LIST_UNSTACK : OP_LIST_SPLIT, args[0],
                     args + 1, all ? 1 : 2, NULL);
}

Value staged_list_resize_method(Vm *vm, Value *args)
{
    Value size = tensor_from_value(vm, "list", args[1], DT_NONE);
    Value made = value_failed(size) ? size
                                    : map_parts(vm, OP_LIST_RESIZE, args[0],
                                                NULL, &size, 1, NULL);
    release(vm, size);
    return value_done(staged_list_become(vm, args[0], made));
}
