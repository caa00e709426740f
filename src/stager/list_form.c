// Forms of elements: found from elements, taken apart and put together.
#include "stager/list_form.h"

#include "interp/objects/containers/obj_list.h"
#include "interp/tensors/obj_tensor.h"
#include "stager/loops.h"
#include "stager/structure.h"
#include "stager/weak.h"

// --- splitting ---

// A copy of what can be changed would be another object than the program's, so
// elements may only be, and hold, what cannot.
static bool is_fixed(Vm *vm, Value v)
{
    StructureKind kind = structure_kind(vm, v);
    return kind == STRUCTURE_TUPLE || kind == STRUCTURE_NAMED;
}

// A Variable is an object of its own, which no list of tensors holds.
static bool is_place(Value v)
{
    return loop_is_leaf(v) && !value_is_kind(v, KIND_VARIABLE) &&
           !(value_is_operand(v) && dtype_is_list(operand_type(v).dtype));
}

int list_form_same(Vm *vm, Value a, Value b)
{
    if (merge_same(a, b)) {
        return 1;
    }
    int same = is_fixed(vm, a) ? merge_alike(vm, a, b) : 0;
    if (same <= 0 || !ctx_enter(&vm->ctx)) {
        return same == 0 ? 0 : -1;
    }
    const Tuple *x = value_as_tuple(a), *y = value_as_tuple(b);
    for (size_t i = 0; same == 1 && i < x->count; i++) {
        same = list_form_same(vm, x->items[i], y->items[i]);
    }
    ctx_leave(&vm->ctx);
    return same;
}

int list_form_split(Vm *vm, Value pattern, Value element, ValueVec *leaves)
{
    if (value_same(pattern, VALUE_ELLIPSIS)) {
        return !is_place(element)                                  ? 0
               : structure_push(vm, leaves, value_retain(element)) ? 1
                                                                   : -1;
    }
    if (merge_same(pattern, element)) {
        return 1;
    }
    int same = is_fixed(vm, pattern) ? merge_alike(vm, pattern, element) : 0;
    if (same <= 0 || !ctx_enter(&vm->ctx)) {
        return same == 0 ? 0 : -1;
    }
    const Tuple *a = value_as_tuple(pattern), *b = value_as_tuple(element);
    for (size_t i = 0; same == 1 && i < a->count; i++) {
        same = list_form_split(vm, a->items[i], b->items[i], leaves);
    }
    ctx_leave(&vm->ctx);
    return same;
}

// --- joining ---

static Value fill_place(Vm *vm, Value v, void *data)
{
    (void)vm;
    const Value **next = data;
    return value_same(v, VALUE_ELLIPSIS) ? value_retain(*(*next)++)
                                         : value_retain(v);
}

Value list_form_join(Vm *vm, Value pattern, const Value *leaves)
{
    return structure_map(vm, pattern, fill_place, &leaves);
}

// --- finding ---

static Value mark_place(Vm *vm, Value v, void *data)
{
    bool *fits = data;
    // A structure of another kind than those of is_fixed is none that ends
    // here: its own items come here too.
    *fits = *fits && (!loop_is_leaf(v) || is_place(v)) &&
            !value_same(v, VALUE_ELLIPSIS);
    (void)vm;
    return loop_is_leaf(v) ? VALUE_ELLIPSIS : value_retain(v);
}

// Whether nothing in it can be changed.
static bool all_fixed(Vm *vm, Value v)
{
    if (structure_kind(vm, v) == STRUCTURE_LEAF) {
        return true;
    }
    bool fixed = is_fixed(vm, v) && ctx_enter(&vm->ctx);
    if (fixed) {
        const Tuple *tuple = value_as_tuple(v);
        for (size_t i = 0; fixed && i < tuple->count; i++) {
            fixed = all_fixed(vm, tuple->items[i]);
        }
        ctx_leave(&vm->ctx);
    }
    return fixed;
}

static int make_pattern(Vm *vm, ListForm *form, Value element)
{
    bool fits = true;
    if (!all_fixed(vm, element)) {
        return vm_has_error(vm) ? -1 : 0;
    }
    Value pattern = structure_map(vm, element, mark_place, &fits);
    if (value_failed(pattern)) {
        return -1;
    }
    form->pattern = pattern;
    return fits;
}

// A number is of the kind that the host would give it.
static FormLeaf leaf_of(Value v)
{
    FormLeaf leaf = {.weak = true};
    if (merge_is_number(v)) {
        leaf.dtype = merge_number_dtype(v, v);
        leaf.mixed = true;
        return leaf;
    }
    TensorType type = operand_type(v);
    leaf.dtype = type.dtype;
    leaf.weak = symbolic_is_weak(v);
    leaf.mixed = symbolic_is_host(v);
    if (type.rank < 0) {
        leaf.shape.rank = RANK_UNKNOWN;
    } else {
        shape_set(&leaf.shape, type.rank, type.dims);
    }
    return leaf;
}

static void join_shapes(Shape *shape, const Shape *other)
{
    if (shape->rank != other->rank) {
        shape->rank = RANK_UNKNOWN;
    }
    for (int i = 0; i < shape->rank; i++) {
        if (shape->dims[i] != other->dims[i]) {
            shape->dims[i] = DIM_UNKNOWN;
        }
    }
}

// Numbers among themselves take the widest kind.
static bool join_dtypes(FormLeaf *leaf, const FormLeaf *other)
{
    DType a = leaf->dtype, b = other->dtype;
    leaf->mixed = leaf->mixed || other->mixed;
    if (leaf->weak && other->weak) {
        leaf->dtype =
            dtype_is_float(a) || (b < a && !dtype_is_float(b)) ? a : b;
        return true;
    }
    const FormLeaf *strong = leaf->weak ? other : leaf;
    const FormLeaf *weak = leaf->weak ? leaf : other;
    // A fraction cannot become an integer.
    bool fits = a == b || (weak->weak && (dtype_is_float(strong->dtype) ||
                                          !dtype_is_float(weak->dtype)));
    leaf->dtype = strong->dtype;
    leaf->weak = false;
    return fits && (a == b || strong->dtype != DT_BOOL);
}

bool list_form_takes(DType dtype, bool weak, Value leaf)
{
    FormLeaf own = {.dtype = dtype, .weak = weak}, other = leaf_of(leaf);
    return join_dtypes(&own, &other) && own.dtype == dtype;
}

int list_form_add_leaf(ListForm *form, size_t index, FormLeaf leaf)
{
    FormLeaf *own = &form->leaves.items[index];
    join_shapes(&own->shape, &leaf.shape);
    return join_dtypes(own, &leaf);
}

int list_form_add(Vm *vm, ListForm *form, Value element)
{
    bool first = value_unbound(form->pattern);
    int fits = first ? make_pattern(vm, form, element) : 1;
    ValueVec leaves = {0};
    fits =
        fits == 1 ? list_form_split(vm, form->pattern, element, &leaves) : fits;
    for (size_t i = 0; fits == 1 && i < leaves.count; i++) {
        FormLeaf leaf = leaf_of(leaves.items[i]);
        fits = !first ? list_form_add_leaf(form, i, leaf)
               : vec_push(&vm->ctx, &form->leaves, leaf) ? 1
                                                         : -1;
    }
    structure_free(vm, &leaves);
    return fits;
}

void list_form_free(Vm *vm, ListForm *form)
{
    release(vm, form->pattern);
    vec_free(&vm->ctx, &form->leaves);
    form->pattern = VALUE_UNBOUND;
}
