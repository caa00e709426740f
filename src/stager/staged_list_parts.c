// Slices and sums of staged lists.
#include "interp/core/raise.h"
#include "interp/hooks/note.h"
#include "interp/tensors/apply.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/staged_list.h"
#include "stager/structure.h"
#include "stager/trace.h"

// Both lists are of numbers of the host.
static bool both_weak(Value a, Value b)
{
    return value_as_symbolic(a)->weak &&
           (!value_is_kind(b, KIND_SYMBOLIC) ||
            !dtype_is_list((DType)value_as_symbolic(b)->dtype) ||
            value_as_symbolic(b)->weak);
}

// An op on each part, with the parts of another list behind it or with two
// operands. A new list, VALUE_FAIL.
static Value map_parts(Vm *vm, OpCode op, Value self, const Value *others,
                       const Value *operands)
{
    const Value *parts = staged_list_parts(self);
    ValueVec made = {0};
    bool ok = structure_push(vm, &made, value_retain(parts[0]));
    for (size_t i = 1; ok && i < staged_list_count(self); i++) {
        Value inputs[3] = {parts[i], others != NULL ? others[i] : operands[0],
                           others != NULL ? VALUE_NONE : operands[1]};
        Value part = apply_one(vm, op, inputs, others != NULL ? 2 : 3, NULL);
        ok = structure_push(vm, &made, part);
        if (ok) {
            value_as_symbolic(part)->weak = both_weak(parts[i], inputs[1]);
        }
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

Value staged_list_slice(Vm *vm, Value self, Value start, Value stop)
{
    Value bounds[2] = {as_bound(vm, start, 0), VALUE_FAIL};
    bounds[1] =
        value_failed(bounds[0]) ? VALUE_FAIL : as_bound(vm, stop, INT32_MAX);
    Value list = value_failed(bounds[1])
                     ? VALUE_FAIL
                     : map_parts(vm, OP_LIST_SLICE, self, NULL, bounds);
    for (int i = 0; i < 2; i++) {
        release(vm, value_failed(bounds[i]) ? VALUE_NONE : bounds[i]);
    }
    return list;
}

Value staged_list_joined(Vm *vm, const char *who, Value self, Value other)
{
    ListForm form = {.pattern = VALUE_UNBOUND};
    int fits = staged_list_add_form(vm, &form, self);
    fits = fits == 1 ? staged_list_add_form(vm, &form, other) : fits;
    Value made = VALUE_FAIL;
    if (fits == 1) {
        Value alike = staged_list_from(vm, &form, vm->trace->block, other);
        made = value_failed(alike) ? alike
                                   : map_parts(vm, OP_LIST_CONCAT, self,
                                               staged_list_parts(alike), NULL);
        release(vm, value_failed(alike) ? VALUE_NONE : alike);
    }
    list_form_free(vm, &form);
    return fits == 0 ? raise_error(vm, ERR_SYMBOLIC,
                                   "%s: tensors decide how long this list is, "
                                   "and the elements of the other one are of "
                                   "another form",
                                   who)
                     : made;
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
