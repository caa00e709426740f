// Staged lists: making them of lists and back.
#include "stager/staged_list.h"

#include "interp/core/raise.h"
#include "interp/hooks/note.h"
#include "interp/tensors/obj_tensor.h"
#include "interp/tensors/tensor_call.h"
#include "interp/tensors/tensor_convert.h"
#include "stager/era.h"
#include "stager/events.h"
#include "stager/list_tape.h"
#include "stager/stager.h"
#include "stager/structure.h"
#include "stager/trace.h"

enum { NEW_MOST = 255 }; // elements of one list_new

bool staged_list_is(Vm *vm, Value v)
{
    const Stager *stager = stager_of(vm);
    // None is left when the Vm is on its way out.
    return value_is_kind(v, KIND_OPAQUE) && stager != NULL &&
           value_object(v)->type == stager->staged_list_type;
}

bool staged_list_fits(Vm *vm, Value v)
{
    return staged_list_is(vm, v) ||
           (value_is_object(v) &&
            value_object(v)->type == vm->types[KIND_LIST]);
}

// --- objects ---

Value staged_list_new(Vm *vm, const Value *parts, size_t count)
{
    List *list = list_new(vm, count);
    if (list == NULL) {
        return VALUE_FAIL;
    }
    for (size_t i = 0; i < count; i++) {
        list->items[i] = value_retain(parts[i]);
    }
    list->count = 0; // C code that takes it for a list finds nothing
    list->head.type = object_retain(stager_of(vm)->staged_list_type);
    list->head.kind = KIND_OPAQUE;
    return value_from_object(list);
}

void staged_list_exchange(List *list, List *other)
{
    List mine = *list;
    list->items = other->items;
    list->count = other->count;
    list->capacity = other->capacity;
    list->head.type = other->head.type;
    list->head.kind = other->head.kind;
    other->items = mine.items;
    other->count = mine.count;
    other->capacity = mine.capacity;
    other->head.type = mine.head.type;
    other->head.kind = mine.head.kind;
}

// Element after element, of the columns that its parts are.
static bool join_columns(Vm *vm, Value pattern, const Value *columns,
                         size_t width, Value *leaves, List *list)
{
    bool ok = true;
    for (size_t i = 0; ok && i < list->count; i++) {
        for (size_t j = 0; j < width; j++) {
            leaves[j] = columns[j * list->count + i];
        }
        Value item = list_form_join(vm, pattern, leaves);
        ok = !value_failed(item);
        list->items[i] = ok ? item : VALUE_NONE;
    }
    return ok;
}

Value staged_list_unpack(Vm *vm, const Value *parts, size_t count)
{
    size_t length = (size_t)value_as_tensor(parts[1])->count;
    size_t width = count - 1, done = 0, all = (length + 1) * width;
    List *list = list_new(vm, length);
    Value *columns = ctx_alloc(&vm->ctx, all * sizeof *columns);
    bool ok = list != NULL && columns != NULL;
    while (ok && done < width) {
        ok = list_tape_unpack(vm, parts[done + 1], NULL,
                              columns + done * length);
        done += ok;
    }
    // Room for the leaves of one element is behind the columns.
    ok = ok && join_columns(vm, parts[0], columns, width,
                            columns + length * width, list);
    for (size_t i = 0; i < done * length; i++) {
        release(vm, columns[i]);
    }
    ctx_free(&vm->ctx, columns, columns != NULL ? all * sizeof *columns : 0);
    if (!ok) {
        object_release_null(&vm->ctx, list);
        return VALUE_FAIL;
    }
    return value_from_object(list);
}

// --- forms ---

// What its type says of all elements that a graph's list may have.
static FormLeaf leaf_of(Value list)
{
    const Symbolic *symbolic = value_as_symbolic(list);
    FormLeaf leaf = {.dtype = dtype_element((DType)symbolic->dtype),
                     .weak = symbolic->weak,
                     .mixed = symbolic->mixed};
    if (symbolic->rank < 0) {
        leaf.shape.rank = RANK_UNKNOWN;
    } else {
        shape_set(&leaf.shape, symbolic->rank, symbolic->dims);
    }
    return leaf;
}

static int add_staged(Vm *vm, ListForm *form, Value list)
{
    const Value *parts = staged_list_parts(list);
    size_t count = staged_list_count(list);
    bool first = value_unbound(form->pattern);
    if (first) {
        form->pattern = value_retain(parts[0]);
    }
    int fits = 1;
    if (!first) {
        fits = form->leaves.count + 1 == count
                   ? list_form_same(vm, parts[0], form->pattern)
                   : 0;
    }
    for (size_t i = 1; fits == 1 && i < count; i++) {
        FormLeaf leaf = leaf_of(parts[i]);
        fits = !first ? list_form_add_leaf(form, i - 1, leaf)
               : vec_push(&vm->ctx, &form->leaves, leaf) ? 1
                                                         : -1;
    }
    return fits;
}

int staged_list_add_form(Vm *vm, ListForm *form, Value list)
{
    if (staged_list_is(vm, list)) {
        return add_staged(vm, form, list);
    }
    int fits = 1;
    const List *items = value_as_list(list);
    for (size_t i = 0; fits == 1 && i < items->count; i++) {
        fits = list_form_add(vm, form, items->items[i]);
    }
    // An element without a tensor tells no length.
    return fits == 1 && items->count > 0 ? form->leaves.count > 0 : fits;
}

// --- staging ---

static Value convert(Vm *vm, Value v, DType dtype)
{
    event_tensor(vm, v);
    if (value_is_operand(v) && operand_type(v).dtype != dtype) {
        NamedAttr attr = {"dtype", attr_of_dtype(dtype)};
        return tensor_call(vm, "cast", &v, 1, &attr, 1); // a weak number
    }
    return tensor_from_value(vm, "list", v, dtype);
}

Value staged_list_make(Vm *vm, const FormLeaf *leaf, const Value *items,
                       uint32_t count)
{
    AttrValue attrs[OP_MAX_ATTRS] = {{.kind = ATTR_NONE}};
    attrs[0] = attr_of_dtype(leaf->dtype);
    int64_t dims[SHAPE_MAX_RANK + 1];
    if (leaf->shape.rank >= 0) {
        for (int i = 0; i < leaf->shape.rank; i++) {
            dims[i] =
                leaf->shape.dims[i] < 0 ? ATTR_INT_NONE : leaf->shape.dims[i];
        }
        attrs[1] = attr_of_ints(dims, (uint32_t)leaf->shape.rank);
    }
    Value list = apply_one(vm, OP_LIST_NEW, items, count, attrs);
    if (!value_failed(list)) {
        value_as_symbolic(list)->weak = leaf->weak;
        value_as_symbolic(list)->mixed = leaf->mixed;
    }
    return list;
}

// Place `at` of all elements as one list. `columns` holds the leaves of the
// elements, one behind the other.
static Value stage_place(Vm *vm, const ListForm *form, size_t at,
                         const ValueVec *leaves)
{
    const FormLeaf *leaf = &form->leaves.items[at];
    size_t width = form->leaves.count, count = leaves->count / width;
    ValueVec items = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = structure_push(
            vm, &items,
            convert(vm, leaves->items[i * width + at], leaf->dtype));
    }
    uint32_t first = (uint32_t)(count < NEW_MOST ? count : NEW_MOST);
    Value list =
        ok ? staged_list_make(vm, leaf, items.items, first) : VALUE_FAIL;
    for (size_t i = first; i < count && !value_failed(list); i++) {
        Value inputs[2] = {list, items.items[i]};
        Value longer = apply_one(vm, OP_LIST_APPEND, inputs, 2, NULL);
        release(vm, list);
        list = longer;
    }
    structure_free(vm, &items);
    return list;
}

static bool split_all(Vm *vm, const ListForm *form, const List *items,
                      ValueVec *leaves)
{
    bool ok = true;
    for (size_t i = 0; ok && i < items->count; i++) {
        ok = list_form_split(vm, form->pattern, items->items[i], leaves) == 1;
    }
    return ok;
}

Value staged_list_from(Vm *vm, const ListForm *form, GraphBlock *where,
                       Value list)
{
    if (staged_list_is(vm, list)) {
        return staged_list_new(vm, staged_list_parts(list),
                               staged_list_count(list));
    }
    GraphBlock *block = vm->trace->block;
    ValueVec leaves = {0}, parts = {0};
    vm->trace->block = where;
    bool ok = structure_push(vm, &parts, value_retain(form->pattern)) &&
              split_all(vm, form, value_as_list(list), &leaves);
    for (size_t i = 0; ok && i < form->leaves.count; i++) {
        ok = structure_push(vm, &parts, stage_place(vm, form, i, &leaves));
    }
    vm->trace->block = block;
    Value made =
        ok ? staged_list_new(vm, parts.items, parts.count) : VALUE_FAIL;
    structure_free(vm, &leaves);
    structure_free(vm, &parts);
    return made;
}

// --- stage.hold_list

// The form that the arguments name, if any: with a size one of any shape too.
static bool hold_form(Vm *vm, ListForm *form, const Value *args)
{
    FormLeaf leaf = {.shape = {.rank = RANK_UNKNOWN}};
    if (value_is_none(args[3]) && value_is_none(args[4])) {
        return true;
    }
    if (!dtype_from_value(vm, args[2], &leaf.dtype)) {
        return false;
    }
    if (!value_is_none(args[3])) {
        const Tuple *sizes = value_as_tuple(args[3]);
        leaf.shape.rank = (int)sizes->count;
        for (size_t i = 0; i < sizes->count; i++) {
            leaf.shape.dims[i] = value_is_int(sizes->items[i])
                                     ? value_small(sizes->items[i])
                                     : DIM_UNKNOWN;
        }
    }
    form->pattern = VALUE_ELLIPSIS;
    return vec_push(&vm->ctx, &form->leaves, leaf);
}

// In place, so that all names of the list see it. False: an error is pending.
static bool stage_list(Vm *vm, const ListForm *form, Value list)
{
    Value made = note_store(vm, value_object(list), VALUE_UNBOUND)
                     ? staged_list_from(vm, form, vm->trace->block, list)
                     : VALUE_FAIL;
    if (value_failed(made)) {
        return false;
    }
    staged_list_exchange(value_as_list(list), value_as_list(made));
    release(vm, made);
    return true;
}

int staged_list_hold(Vm *vm, Object *list)
{
    ListForm form = {.pattern = VALUE_UNBOUND};
    Value self = value_from_object(list);
    int fits = list->type == vm->types[KIND_LIST] &&
               era_has(vm, vm->trace->era, list) &&
               value_as_list(self)->count > 0;
    fits = fits == 1 ? staged_list_add_form(vm, &form, self) : fits;
    if (fits == 1 && !stage_list(vm, &form, self)) {
        fits = -1;
    }
    list_form_free(vm, &form);
    return fits;
}

static bool hold(Vm *vm, Value *args)
{
    Value list = args[1];
    if (!era_has(vm, vm->trace->era, value_object(list))) {
        return raise_false(vm, ERR_SYMBOLIC,
                           "a list that is older than the trace cannot be one "
                           "of its graph: make it in the staged function");
    }
    ListForm form = {.pattern = VALUE_UNBOUND};
    int fits = !hold_form(vm, &form, args)    ? -1
               : !value_unbound(form.pattern) ? 1
               : value_as_list(list)->count > 0
                   ? staged_list_add_form(vm, &form, list)
                   : 0; // as soon as something is in it
    bool ok = fits == 1 ? stage_list(vm, &form, list) : fits == 0;
    list_form_free(vm, &form);
    if (ok && !value_is_none(args[4])) {
        Value sized[2] = {list, args[4]};
        ok = !value_failed(staged_list_resize_method(vm, sized));
    }
    return ok;
}

Value staged_list_hold_method(Vm *vm, Value *args)
{
    bool plain = vm->trace != NULL && value_is_object(args[1]) &&
                 value_object(args[1])->type == vm->types[KIND_LIST];
    for (int i = 3; i < 5; i++) {
        args[i] = value_unbound(args[i]) ? VALUE_NONE : args[i];
    }
    return !plain || hold(vm, args) ? value_retain(args[1]) : VALUE_FAIL;
}
